//! Which laws a method can have that a setup names.

use crate::{ContactLaw, Method, PairLaw};
use drystone_solve::AssembledMethod;

/// Laws among which a method solves the contact problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LawKind {
    /// Contacts without friction, and no more than that.
    Frictionless,
    /// Coulomb's, with any restitution.
    Coulomb,
    /// A-CD² from potentials that have a derivative, without Coulomb's bound.
    SmoothPercussion,
}

impl PairLaw {
    /// What it is for methods that cannot have all laws; none if only sweeps can have it.
    pub fn kind(&self) -> Option<LawKind> {
        match (&self.contact, self.plain_friction()) {
            (_, Some(0.0)) => Some(LawKind::Frictionless),
            (_, Some(_)) => Some(LawKind::Coulomb),
            (ContactLaw::Percussion(law), None) => {
                let smooth = law.friction == f64::INFINITY
                    && law.normal.is_smooth()
                    && law.tangential.is_smooth();
                smooth.then_some(LawKind::SmoothPercussion)
            }
            (ContactLaw::Moreau(_), None) => None,
        }
    }
}

/// Whether a step can be solved by this method where only contacts under laws of these kinds meet. All others are swept.
pub fn takes(method: Method, kinds: &[Option<LawKind>]) -> bool {
    let all = |fits: fn(&LawKind) -> bool| kinds.iter().all(|kind| kind.as_ref().is_some_and(fits));
    match method {
        Method::Auto | Method::GaussSeidel => true,
        Method::Assembled(AssembledMethod::Quadratic) => all(|kind| *kind == LawKind::Frictionless),
        Method::Assembled(AssembledMethod::Uzawa(_)) => {
            all(|kind| *kind == LawKind::SmoothPercussion)
                || all(|kind| *kind != LawKind::SmoothPercussion)
        }
        Method::Assembled(_) => all(|kind| *kind != LawKind::SmoothPercussion),
    }
}
