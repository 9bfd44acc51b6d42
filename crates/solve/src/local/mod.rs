//! One contact with all others frozen, solved by the method of the user's choice.
//!
//! Given are the block H of the contact, its cone, its present impulse p and the velocity U that
//! belongs to it; wanted is the impulse p' whose velocity u = U + H (p' − p) satisfies the law.
//! Said in this way, an impulse that satisfies the law with U solves the contact for every block: H
//! may be changed where it is not sound, see [`OneContact::new`].
//!
//! - exact cases: [`LocalSolver::Bracketed`] (a bracketed Newton on one multiplier) and
//!   [`LocalSolver::Enumerative`] (all roots of a quartic),
//! - Newton on a map whose zero is the law: [`LocalSolver::AlartCurnier`],
//!   [`LocalSolver::NaturalMap`] (de Saxcé's form),
//! - projections: [`LocalSolver::Bipotential`] (Feng et al. 2006, (15)–(17)),
//! - [`LocalSolver::Hybrid`]: Newton first, the bracketed solve where it does not settle.

mod bipotential;
mod bracketed;
mod cases;
mod enumerative;
mod maps;
mod newton;
mod polynomial;
mod rolling;
#[cfg(test)]
mod tests;

pub use cases::Cases;
pub use enumerative::Solutions;
pub use maps::{Augmentation, Linearised, alart_curnier, natural_map};

pub(crate) use bracketed::Disc;

use bracketed::Coulomb;

use crate::assembled::local::{add_scaled, dot};
use crate::assembled::{Cone, Local, Square};
use crate::solvers::Size;

/// A way to solve one contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LocalSolver {
    /// Apart, stick or slip by cases; slip by a Newton iteration inside a bracket. Always settles.
    #[default]
    Bracketed,
    /// Apart, stick and all slips by the roots of a quartic, each checked against the law.
    Enumerative,
    /// Newton on the function of Alart and Curnier (1991), with a line search.
    AlartCurnier,
    /// Newton on the natural map of de Saxcé's form (De Saxcé & Feng 1998), with a line search.
    NaturalMap,
    /// Projections onto the cone (Feng et al. 2006, (15)–(17)).
    Bipotential,
    /// Alart–Curnier from the present impulse, then the bracketed solve if that does not settle.
    Hybrid,
}

impl LocalSolver {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Bracketed,
        Self::Enumerative,
        Self::AlartCurnier,
        Self::NaturalMap,
        Self::Bipotential,
        Self::Hybrid,
    ];

    /// The name by which a user asks for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bracketed => "bracketed",
            Self::Enumerative => "enumerative",
            Self::AlartCurnier => "alart-curnier",
            Self::NaturalMap => "natural-map",
            Self::Bipotential => "bipotential",
            Self::Hybrid => "hybrid",
        }
    }

    /// The solver with this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|solver| solver.name() == name)
    }

    /// Solves one contact from its present velocity and impulse. The answer is in the cone, settled
    /// or not.
    ///
    /// A unit mass falls at 1 and slides at 2 along the first tangent; friction 0.25 takes its part.
    /// ```
    /// use drystone_solve::local::{LocalSolver, OneContact};
    /// use drystone_solve::Cone;
    /// let block = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// let contact = OneContact::new(&block, &Cone::coulomb(0.25));
    /// for solver in LocalSolver::ALL {
    ///     let answer = solver.solve(&contact, &[-1.0, 2.0, 0.0], &[0.0; 3]);
    ///     assert!(answer.settled && (answer.impulse[1] + 0.25).abs() < 1e-11);
    /// }
    /// ```
    #[inline]
    pub fn solve<const D: usize>(
        self,
        contact: &OneContact<D>,
        velocity: &Local<D>,
        impulse: &Local<D>,
    ) -> LocalSolution<D>
    where
        Size<D>: Cases<D>,
    {
        match self {
            Self::Bracketed => Size::by_cases(contact, velocity, impulse, Coulomb::solve),
            Self::Enumerative => Size::by_cases(contact, velocity, impulse, Coulomb::enumerate),
            Self::AlartCurnier => contact.alart_curnier(velocity, impulse),
            Self::NaturalMap => contact.natural_map(velocity, impulse),
            Self::Bipotential => contact.bipotential(velocity, impulse),
            Self::Hybrid => {
                let newton = contact.full_newton(velocity, impulse);
                if newton.settled {
                    newton
                } else {
                    Size::by_cases(contact, velocity, impulse, Coulomb::solve)
                }
            }
        }
    }
}

/// What a local solver found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocalSolution<const D: usize> {
    /// The impulse, in the cone.
    pub impulse: Local<D>,
    /// Whether the solver's own measure says that the law holds.
    pub settled: bool,
    /// Iterations taken.
    pub iterations: u32,
}

/// One contact made ready: its block, its cone and what the solvers derive from them.
#[derive(Clone, Debug)]
pub struct OneContact<const D: usize> {
    block: Square<D>,
    cone: Cone,
    augmentation: Augmentation,
    /// The law of normal and tangential parts with u_n eliminated; moments held.
    coulomb: Coulomb,
    /// The law of the moments with r_n held; used by contacts of five components only.
    moments: Disc,
}

impl<const D: usize> OneContact<D> {
    /// From a diagonal block as recorded. It may be slightly unsymmetric. Where it is not positive
    /// definite, a multiple of the identity is added that makes it so.
    pub fn new(block: &Square<D>, cone: &Cone) -> Self {
        let block = sound(block);
        let mean = |from: usize, to: usize| {
            (from..to).map(|i| block[i][i]).sum::<f64>() / (to - from).max(1) as f64
        };
        let part = D.min(3);
        let augmentation = Augmentation {
            normal: 1.0 / block[0][0],
            tangential: 1.0 / mean(1, part),
            moment: if D > part { 1.0 / mean(part, D) } else { 0.0 },
            common: 1.0 / mean(0, D),
        };
        let coulomb = Coulomb::new(&block, cone.friction);
        let moments = Disc::from_block(&block, 3);
        Self { block, cone: *cone, augmentation, coulomb, moments }
    }

    /// H, as it is used.
    pub fn block(&self) -> &Square<D> {
        &self.block
    }

    /// u = U + H (p' − p).
    #[inline(always)]
    fn velocity(&self, u: &Local<D>, from: &Local<D>, to: &Local<D>) -> Local<D> {
        let change = add_scaled(to, -1.0, from);
        std::array::from_fn(|i| u[i] + dot(&self.block[i], &change))
    }
}

/// The least pivot of a block, relative to its trace. The square root of the rounding unit: what is
/// added then moves impulses as little as rounding in a singular direction does.
const LEAST_PIVOT: f64 = 1e-8;

/// The least trace of a block: with a smaller one, impulses and their squares leave the range of numbers.
const LEAST_TRACE: f64 = 1e-140;

/// The block itself where its symmetric part is positive definite, else with a multiple of the
/// identity added; the identity in place of a block that is zero, not finite, or so small that its
/// reciprocals are not. The answer of a whole solve does not depend on it: a contact that satisfies its
/// law stays there for any such block.
pub fn sound<const D: usize>(block: &Square<D>) -> Square<D> {
    let trace: f64 = (0..D).map(|i| block[i][i]).sum();
    let finite = block.iter().flatten().all(|x| x.is_finite());
    if !finite || trace <= LEAST_TRACE {
        return std::array::from_fn(|i| std::array::from_fn(|j| if i == j { 1.0 } else { 0.0 }));
    }
    let least = LEAST_PIVOT * trace;
    let mut pivots: Square<D> =
        std::array::from_fn(|i| std::array::from_fn(|j| 0.5 * (block[i][j] + block[j][i])));
    let mut lacking = 0.0f64;
    for k in 0..D {
        lacking = lacking.max(least - pivots[k][k]);
        let pivot = pivots[k][k].max(least);
        for i in k + 1..D {
            let factor = pivots[i][k] / pivot;
            let row = pivots[k];
            for (entry, above) in pivots[i].iter_mut().zip(&row).skip(k + 1) {
                *entry -= factor * above;
            }
        }
    }
    let mut sound = *block;
    for (i, row) in sound.iter_mut().enumerate() {
        row[i] += lacking;
    }
    sound
}
