//! The local solve of one contact of an assembled problem, for each number of components.

use super::method::{AssembledMethod, choose};
use super::{Solver, Sweeping};
use crate::assembled::{Cone, Local, Square};
use crate::global::{Global, Reduced, Singular};
use crate::local::{Cases, LocalSolver, OneContact, sound};
use crate::{Block, PlaneBlock, VolumeBlock};
use drystone_space::{Local as _, Local2, Local3};

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
pub trait Components<const D: usize>: Cases<D> {
    /// The block.
    type Block: ContactBlock<D>;
    /// [`AssembledMethod::solver_with`], compiled with this crate: who asks for a solver does not compile all
    /// of them again.
    #[doc(hidden)]
    fn solver(method: AssembledMethod, sweeping: &Sweeping) -> Box<dyn Solver<D>>;
    /// [`Global::reduce`], compiled with this crate.
    #[doc(hidden)]
    fn reduce(global: &Global<D>) -> Result<Reduced<'_, D>, Singular>;
}

/// D components.
#[derive(Clone, Copy, Debug)]
pub struct Size<const D: usize>;

macro_rules! components {
    ($number:literal: $block:ty) => {
        impl Components<$number> for Size<$number> {
            type Block = $block;

            fn solver(method: AssembledMethod, sweeping: &Sweeping) -> Box<dyn Solver<$number>> {
                choose(method, sweeping)
            }
            fn reduce(global: &Global<$number>) -> Result<Reduced<'_, $number>, Singular> {
                global.reduce_here()
            }
        }
    };
}

components!(2: PlaneBlock);
components!(3: VolumeBlock);
components!(5: Chosen<5>);

/// The symmetric part of the block, made sound.
fn symmetric<const D: usize>(block: &Square<D>) -> Square<D> {
    let block = sound(block);
    std::array::from_fn(|i| std::array::from_fn(|j| 0.5 * (block[i][j] + block[j][i])))
}

macro_rules! packed {
    ($number:literal: $block:ty, $local:ty) => {
        impl ContactBlock<$number> for $block {
            fn new(block: &Square<$number>, cone: &Cone) -> Self {
                let block = symmetric(block);
                Block::new(|j| <$local>::from_array(&block[j]), cone.friction)
            }
        }

        impl Visit<$number> for $block {
            #[inline(always)]
            fn solve(&self, velocity: &Local<$number>, impulse: &Local<$number>) -> Local<$number> {
                let [u, p] = [velocity, impulse].map(<$local>::from_array);
                let (m, b) = self.reduce(u, p);
                self.coulomb(m, b).to_array()
            }
        }
    };
}

packed!(2: PlaneBlock, Local2);
packed!(3: VolumeBlock, Local3);

impl ContactBlock<5> for Chosen<5> {
    /// Newton on force and moment at once is several times as fast as taking them in turns.
    fn new(block: &Square<5>, cone: &Cone) -> Self {
        Self { contact: OneContact::new(block, cone), solver: LocalSolver::Hybrid }
    }
}
