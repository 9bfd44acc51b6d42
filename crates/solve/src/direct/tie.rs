//! Elastic ties in a direct solve: as stiff as they are, they stand in A + G*BG, and what they bear follows from velocities,
//!
//! P = c P₀ − R U,   R = 1/(E + δ),   c = δ R.
//!
//! δ is zero unless a tie is so stiff that A would be lost in rounding beside it; then P₀, what it bore in the iteration
//! before, carries what the stiffness δ⁻¹ does not, and is all that a rigid tie has (the method of multipliers).
//!
//! What is not the same for both signs of the normal impulse is one-sided, q ≥ 0 with x = s U + e q ≥ 0 and x q = 0: it
//! pushes (s = 1) where a tie is stiffer under pressure than under a pull, or pulls (s = −1) where it bears no pressure.

use super::system::{System, mass_of};
use crate::solvers::interior::pair::{Point, Scaling};
use crate::{Blocks, Contact, ContactProblem, Elastic, Special};

/// Stiffness above which a tie is carried by an impulse, in units of the contact's mass.
const STIFF: f64 = 1e8;

/// A tie; stiffness is impulse by velocity.
#[derive(Clone, Copy, Debug)]
pub struct Tie {
    /// R along the normal and across, and c.
    pub stiffness: [f64; 2],
    carried: [f64; 2],
    /// What it has besides along the normal.
    pub side: Option<OneSided>,
}

/// s and e.
#[derive(Clone, Copy, Debug)]
pub struct OneSided {
    /// 1 where it pushes, −1 where it pulls.
    pub sign: f64,
    /// Its compliance, velocity by impulse.
    pub compliance: f64,
}

impl Tie {
    /// A tie at a contact of this mass; none if it is one-sided and too stiff.
    fn new<S: Blocks>(law: &Elastic<S>, mass: f64) -> Option<Self> {
        let least = 1.0 / (STIFF * mass);
        let both = |compliance: f64| {
            let lacks = (least - compliance).max(0.0);
            let stiffness = 1.0 / (compliance + lacks);
            (stiffness, lacks * stiffness)
        };
        let one_sided = |sign: f64, stiffness: f64| OneSided { sign, compliance: 1.0 / stiffness };
        let ((along, kept), side) = match law.push {
            Some(push) if push == law.pull => (both(push), None),
            Some(push) => (both(law.pull), Some(one_sided(1.0, 1.0 / push - 1.0 / law.pull))),
            None => ((0.0, 0.0), Some(one_sided(-1.0, 1.0 / law.pull))),
        };
        // Also false for what is not a number.
        let fits = side.is_none_or(|side| side.compliance >= least);
        let (across, kept_across) = both(law.shear);
        let tie = Self { stiffness: [along, across], carried: [kept, kept_across], side };
        fits.then_some(tie)
    }

    /// What is borne at this velocity by what has both signs, P₀ being what it bore before.
    #[inline]
    pub fn both_signs<const D: usize>(&self, before: &[f64; D], velocity: &[f64; D]) -> [f64; D] {
        let part =
            |i: usize| self.carried[i.min(1)] * before[i] - self.stiffness[i.min(1)] * velocity[i];
        std::array::from_fn(part)
    }

    /// All that is borne at this velocity.
    #[inline]
    pub fn impulse<const D: usize>(&self, before: &[f64; D], velocity: &[f64; D]) -> [f64; D] {
        let mut impulse = self.both_signs(before, velocity);
        if let Some(OneSided { sign, compliance }) = self.side {
            impulse[0] += sign * (-sign * velocity[0]).max(0.0) / compliance;
        }
        impulse
    }

    /// What U + E P is where a tie has gone from one impulse to another, by what it was not stiff enough.
    #[inline]
    pub fn missed<const D: usize>(&self, before: &[f64; D], after: &[f64; D]) -> [f64; D] {
        let part = |i: usize| match self.carried[i.min(1)] {
            0.0 => 0.0,
            carried => carried / self.stiffness[i.min(1)] * (before[i] - after[i]),
        };
        std::array::from_fn(part)
    }

    /// The largest stiffness that it has, along and across.
    #[inline]
    pub fn largest(&self) -> [f64; 2] {
        let [along, across] = self.stiffness;
        [along + self.side.map_or(0.0, |side| 1.0 / side.compliance), across]
    }
}

/// What a tie bears at this velocity, with z of what is one-sided of it.
pub fn borne_by<const D: usize>(
    tie: &Tie,
    before: &[f64; D],
    velocity: &[f64; D],
    z: &Point,
) -> [f64; D] {
    let mut borne = tie.both_signs(before, velocity);
    borne[0] += tie.side.map_or(0.0, |side| side.sign * z[0]);
    borne
}

/// Notes what ties bear at these velocities.
pub fn carry<const D: usize, const W: usize>(
    system: &System<D, W>,
    u: &[[f64; W]],
    borne: &mut [[f64; D]],
) {
    for (row, borne) in system.rows.iter().zip(borne) {
        let Some(tie) = &row.tie else { continue };
        *borne = tie.both_signs(borne, &system.velocity(row, u));
    }
}

/// Δz of what is one-sided of a tie: T t = T² Δx + Δz and Δx = `moved` + e Δz.
pub fn answer(side: &OneSided, scaling: &Scaling, target: f64, moved: f64) -> f64 {
    let pushed = scaling.apply(&[target, 0.0, 0.0])[0];
    let stiffness = scaling.square()[0][0];
    (pushed - stiffness * moved) / (1.0 + side.compliance * stiffness)
}

/// −∂P/∂U of a tie.
pub fn stiffness_of_tie<const D: usize>(tie: &Tie, scaling: &Scaling) -> [[f64; D]; D] {
    let mut stiffness = [[0.0; D]; D];
    (0..D).for_each(|i| stiffness[i][i] = tie.stiffness[i.min(1)]);
    if let Some(side) = tie.side {
        let square = scaling.square()[0][0];
        stiffness[0][0] += square / (1.0 + side.compliance * square);
    }
    stiffness
}

/// The tie of a contact.
pub enum Found {
    /// Its law is Coulomb's.
    None,
    /// It is one.
    Tie(Tie),
    /// It has a law for which there are no direct methods.
    Unfit,
}

impl Found {
    /// What a contact is.
    pub fn at<S: Blocks>(problem: &ContactProblem<S>, contact: &Contact<S>) -> Self {
        match contact.law.special(&problem.specials) {
            None => Self::None,
            Some(Special::Elastic(law)) => {
                Tie::new(law, mass_of(contact)).map_or(Self::Unfit, Self::Tie)
            }
            Some(_) => Self::Unfit,
        }
    }
}
