//! The local solve of one contact of an assembled problem, for each number of components.

use super::packed::Rows;
use crate::assembled::local::{dot, subtract};
use crate::assembled::{Cone, Local, Square};
use crate::local::{Cases, LocalSolver, OneContact, sound};
use crate::{Block, PlaneBlock, VolumeBlock};
use drystone_space::{DVec2, Local2, Local3};

/// One contact with all others frozen.
pub trait Visit<const D: usize>: Clone + Send + Sync {
    /// The impulse that satisfies the law, from the present velocity and impulse.
    fn solve(&self, velocity: &Local<D>, impulse: &Local<D>) -> Local<D>;
}

/// The diagonal block of a contact, made ready.
pub trait ContactBlock<const D: usize>: Visit<D> {
    /// From the diagonal block, as recorded: it may be singular or slightly unsymmetric.
    fn new(block: &Square<D>, cone: &Cone) -> Self;
}

/// A contact with the local solver that the user has asked for.
#[derive(Clone, Debug)]
pub struct Chosen<const D: usize> {
    /// The contact.
    pub contact: OneContact<D>,
    /// The solver.
    pub solver: LocalSolver,
}

impl<const D: usize> Visit<D> for Chosen<D>
where
    Size<D>: Cases<D>,
{
    #[inline(always)]
    fn solve(&self, velocity: &Local<D>, impulse: &Local<D>) -> Local<D> {
        self.solver.solve(&self.contact, velocity, impulse).impulse
    }
}

/// A number of components with its kind of block.
pub trait Components<const D: usize>: Cases<D> + Rows<D> {
    /// The block.
    type Block: ContactBlock<D>;
}

/// D components.
#[derive(Clone, Copy, Debug)]
pub struct Size<const D: usize>;

impl Components<2> for Size<2> {
    type Block = PlaneBlock;
}
impl Components<3> for Size<3> {
    type Block = VolumeBlock;
}
impl Components<5> for Size<5> {
    type Block = RollingBlock;
}

/// The symmetric part of the block, made sound.
fn symmetric<const D: usize>(block: &Square<D>) -> Square<D> {
    let block = sound(block);
    std::array::from_fn(|i| std::array::from_fn(|j| 0.5 * (block[i][j] + block[j][i])))
}

impl ContactBlock<2> for PlaneBlock {
    fn new(block: &Square<2>, cone: &Cone) -> Self {
        let block = symmetric(block);
        Block::new(|j| Local2 { n: block[0][j], t: block[1][j] }, cone.friction)
    }
}

impl Visit<2> for PlaneBlock {
    #[inline(always)]
    fn solve(&self, velocity: &Local<2>, impulse: &Local<2>) -> Local<2> {
        let [u, p] = [velocity, impulse].map(|x| Local2 { n: x[0], t: x[1] });
        let (m, b) = self.reduce(u, p);
        let next = self.coulomb(m, b);
        [next.n, next.t]
    }
}

impl ContactBlock<3> for VolumeBlock {
    fn new(block: &Square<3>, cone: &Cone) -> Self {
        let block = symmetric(block);
        let column = |j: usize| Local3 { n: block[0][j], t: DVec2::new(block[1][j], block[2][j]) };
        Block::new(column, cone.friction)
    }
}

impl Visit<3> for VolumeBlock {
    #[inline(always)]
    fn solve(&self, velocity: &Local<3>, impulse: &Local<3>) -> Local<3> {
        let [u, p] = [velocity, impulse].map(|x| Local3 { n: x[0], t: DVec2::new(x[1], x[2]) });
        let (m, b) = self.reduce(u, p);
        let next = self.coulomb(m, b);
        [next.n, next.t.x, next.t.y]
    }
}

/// A contact with rolling resistance: Coulomb's part and the moments in turns.
#[derive(Clone, Debug)]
pub struct RollingBlock {
    whole: Square<5>,
    force: VolumeBlock,
    /// 1 / the largest eigenvalue of the moments' block, from above.
    step: f64,
    rolling: f64,
}

impl ContactBlock<5> for RollingBlock {
    fn new(block: &Square<5>, cone: &Cone) -> Self {
        let whole = symmetric(block);
        let force: Square<3> = std::array::from_fn(|i| std::array::from_fn(|j| whole[i][j]));
        let reach =
            (whole[3][3].abs() + whole[3][4].abs()).max(whole[4][4].abs() + whole[4][3].abs());
        Self {
            whole,
            force: <VolumeBlock as ContactBlock<3>>::new(&force, cone),
            step: 1.0 / reach,
            rolling: cone.rolling,
        }
    }
}

impl Visit<5> for RollingBlock {
    /// Force and moment in turns until neither moves: each turn is exact while the other is held.
    fn solve(&self, velocity: &Local<5>, impulse: &Local<5>) -> Local<5> {
        const TURNS: usize = 30;
        let mut p = *impulse;
        let mut u = *velocity;
        for _ in 0..TURNS {
            let before = p;
            let force = self.force.solve(&[u[0], u[1], u[2]], &[p[0], p[1], p[2]]);
            let next = [force[0], force[1], force[2], p[3], p[4]];
            self.move_to(&mut p, &mut u, next);
            let moment = [p[3] - self.step * u[3], p[4] - self.step * u[4]];
            let bound = self.rolling * p[0];
            let size = moment[0].hypot(moment[1]);
            let scale = if size > bound { bound / size } else { 1.0 };
            let next = [p[0], p[1], p[2], moment[0] * scale, moment[1] * scale];
            self.move_to(&mut p, &mut u, next);
            let moved = (0..5).map(|i| (p[i] - before[i]).abs()).fold(0.0, f64::max);
            if moved <= 1e-14 * p[0] {
                break;
            }
        }
        p
    }
}

impl RollingBlock {
    fn move_to(&self, p: &mut Local<5>, u: &mut Local<5>, next: Local<5>) {
        let change = subtract(&next, p);
        for (u, row) in u.iter_mut().zip(&self.whole) {
            *u += dot(row, &change);
        }
        *p = next;
    }
}
