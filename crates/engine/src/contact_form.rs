//! Which inequality a contact obeys in the direction of its normal, and when restitution has a say in it.
//!
//! A gap in the law of velocities holds what rests, and spoils impacts: a body that is stopped short of a wall has no
//! approach left that could be given back. So the two are kept apart. A contact either rests, and its gap is held
//! without restitution; or it is an impact, obeys Moreau's law (2003, (33)–(34)) on velocities, and its gap has no say.

use crate::{Dimension, PairLaw, Setup};
use drystone_space::Vector;

/// Resting contacts approach by what gravity gives in a few steps at most.
const RESTING_STEPS: f64 = 4.0;

/// Which inequality a contact obeys.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum ContactForm {
    /// Touching bodies do not approach: U_n ≥ 0. The reference (Moreau 2003, §7).
    #[default]
    Velocity,
    /// Gaps do not become negative: U_n + gap/h ≥ 0, so that overlaps are made good. Impacts with restitution are those
    /// of the velocity form: a contact that approaches faster than a resting one can is let through until it has
    /// closed, and then leaves by Moreau's law, on velocities alone.
    Gap {
        /// Contacts are watched below this gap.
        margin: f64,
        /// Overlaps are made good at this speed at most.
        recovery_speed: f64,
        /// The share of an overlap that is made good in a step. Small overlaps come from the solver's own errors: what
        /// undoes them at once is an impulse as large as they are, which the next step has to take back. With a
        /// fifth, packings of grains need a third fewer sweeps; a heavy load on a slender stack sways
        /// more, since it is caught later.
        recovery_share: f64,
    },
}

impl ContactForm {
    /// What the gap form adds to the normal velocity that the law sees: gap/h, which brings an open gap to zero after a
    /// step, neither more nor less; a part of it, at a bounded speed, where there is an overlap.
    pub(crate) fn closing(&self, gap: f64, time_step: f64) -> f64 {
        match *self {
            Self::Velocity => 0.0,
            Self::Gap { recovery_speed, recovery_share, .. } if gap < 0.0 => {
                (recovery_share * gap / time_step).max(-recovery_speed)
            }
            Self::Gap { .. } => gap / time_step,
        }
    }
}

/// What enters the formal velocity of a contact in one step beside G u.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FormalTerms {
    /// ρ and τ.
    pub restitution: [f64; 2],
    /// What is added to the normal velocity for the sake of the gap.
    pub closing: f64,
}

impl<S: Dimension> Setup<S> {
    /// The terms of a contact with this gap, whose sides part with this speed before the step.
    #[inline(always)]
    pub(crate) fn formal_terms(&self, law: &PairLaw, gap: f64, speed: f64) -> FormalTerms {
        let restitution = law.restitution();
        let closing = match self.form {
            // Cohesion that acts over a gap has the gap form there.
            ContactForm::Velocity if law.cohesion().force > 0.0 => gap.max(0.0) / self.time_step,
            form => form.closing(gap, self.time_step),
        };
        match self.form {
            ContactForm::Gap { .. } if law.rebounds() => match self.rests(gap, speed) {
                true => FormalTerms { restitution: [0.0; 2], closing },
                false => FormalTerms { restitution, closing: 0.0 },
            },
            _ => FormalTerms { restitution, closing },
        }
    }

    /// Whether a contact is an impact that has not come yet: in the gap form, one with restitution over an open gap that does
    /// not rest. Also where its sides part or stand still: another impact of the step may drive them together.
    pub(crate) fn is_to_come(&self, law: &PairLaw, gap: f64, speed: impl FnOnce() -> f64) -> bool {
        let rebounds = self.form != ContactForm::Velocity && law.rebounds();
        rebounds && gap > 0.0 && !self.rests(gap, speed())
    }

    /// The speed with which sides of a contact that rests move at most: what gravity gives in a few steps.
    pub(crate) fn resting_speed(&self) -> f64 {
        RESTING_STEPS * self.time_step * self.gravity.norm()
    }

    /// Whether a contact rests: its sides move no faster than what gravity gives in a few steps, and can close its gap at
    /// that speed.
    pub(crate) fn rests(&self, gap: f64, speed: f64) -> bool {
        let slow = self.resting_speed();
        speed.abs() <= slow && gap <= slow * self.time_step
    }
}
