//! Laws at the contacts of deformable solids: which can be had, and how they enter a step.
//!
//! A contact of a solid is a place on its surface, which has a velocity but no spin and no axes of its own.
//! So nothing resists its rolling, and a direction of friction is carried by the rigid side.

use super::contact::{Partner, Soft, SolidContact};
use crate::law::direction_in;
use crate::special::{cone_law, percussion_law, unit};
use crate::{ContactLaw, Dimension, MaterialId, PairLaw, Setup, SetupError, World};
use drystone_detect::Geometry;
use drystone_solve::{Law, Resistance, Special};
use drystone_space::{Frame, Local, Rotation, Vector};
use std::collections::BTreeSet;
use std::fmt;

/// A part of a law that cannot be had at the contacts of deformable solids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unfit {
    /// Rolling or spinning resistance.
    Resistance,
    /// A contact spring.
    Spring,
    /// A direction of friction that a solid would have to carry.
    Direction,
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unfit::Resistance => "resistance to rolling or spinning at the contacts of a solid, whose surface has no spin",
            Unfit::Spring => "a contact spring at the contacts of a solid",
            Unfit::Direction => "a direction of friction that a solid would carry",
        })
    }
}

impl Unfit {
    /// What to do about it.
    pub fn remedy(&self) -> &'static str {
        match self {
            Unfit::Resistance => {
                "give the solid a material of its own, whose laws have no resistance"
            }
            Unfit::Spring => "give the solid a material of its own, whose laws have no spring",
            Unfit::Direction => {
                "let a rigid body or a boundary carry it: name its material first in `between`, one \
                 that no solid has"
            }
        }
    }
}

/// How many owners a material has; two are as good as many.
#[derive(Clone, Copy, Default)]
struct Users {
    bodies: usize,
    walls: usize,
    /// A surface that may touch itself counts twice.
    solids: usize,
}

impl Users {
    fn of<S: Geometry>(setup: &Setup<S>) -> Vec<Self> {
        let mut users = vec![Self::default(); setup.laws.materials()];
        let arrivals = setup.arrivals.iter().map(|arrival| &arrival.body);
        for body in setup.bodies.iter().chain(arrivals) {
            let own: BTreeSet<u32> = body.parts.iter().map(|part| part.material.0).collect();
            own.iter().for_each(|&material| users[material as usize].bodies += 1);
        }
        for part in setup.boundaries.iter().flat_map(|boundary| &boundary.parts) {
            users[part.material.0 as usize].walls += 1;
        }
        for solid in &setup.solids {
            users[solid.material.0 as usize].solids += 1 + usize::from(solid.self_contact);
        }
        users
    }
}

/// Whether two of one kind can meet; both materials may be one.
fn two_of(a: usize, b: usize, same: bool) -> bool {
    if same { a > 1 } else { a > 0 && b > 0 }
}

/// What is wrong with the law of a pair.
fn unfit(law: &PairLaw, a: u32, b: u32, users: &[Users]) -> Option<Unfit> {
    let (one, two) = (users[a as usize], users[b as usize]);
    let rigid = |user: &Users| user.bodies + user.walls > 0;
    let of_solid = two_of(one.solids, two.solids, a == b)
        || (one.solids > 0 && rigid(&two))
        || (two.solids > 0 && rigid(&one));
    let soft = |material: u32| users[material as usize].solids > 0;
    if !of_solid {
        return None;
    }
    let moreau = law.moreau();
    let principal = moreau.and_then(|law| law.friction.principal());
    let carried_by_solid = principal.is_some_and(|principal| {
        let carrier = principal.carrier.map(|material| material.0);
        // Without a carrier the rigid side is one; two solids have none.
        carrier.map_or(soft(a) && soft(b), soft)
    });
    match law {
        _ if moreau.is_some_and(|law| law.resistance != Resistance::default()) => {
            Some(Unfit::Resistance)
        }
        _ if law.spring.reach > 0.0 => Some(Unfit::Spring),
        _ if carried_by_solid => Some(Unfit::Direction),
        _ => None,
    }
}

/// The first pair of materials whose law cannot be had, and what of it; `None` where there are no solids.
pub fn unfit_law<S: Geometry>(setup: &Setup<S>) -> Option<(MaterialId, MaterialId, Unfit)> {
    if setup.solids.is_empty() {
        return None;
    }
    let users = Users::of(setup);
    let count = setup.laws.materials() as u32;
    let pairs = (0..count).flat_map(|a| (a..count).map(move |b| (a, b)));
    pairs.into_iter().find_map(|(a, b)| {
        let law = setup.laws.get(MaterialId(a), MaterialId(b));
        Some((MaterialId(a), MaterialId(b), unfit(law, a, b, &users)?))
    })
}

/// Refuses such a law.
pub(crate) fn check_laws<S: Geometry>(setup: &Setup<S>) -> Result<(), SetupError> {
    match unfit_law(setup) {
        Some((MaterialId(first), MaterialId(second), unfit)) => {
            Err(SetupError::UnfitLaw { first, second, unfit })
        }
        None => Ok(()),
    }
}

impl<S: Dimension> World<S> {
    /// The law between a solid and what it touches.
    pub(super) fn law_of(&self, contact: &SolidContact<S>) -> &PairLaw {
        let own = self.setup.solids[contact.solid as usize].material;
        let other = match contact.partner {
            Partner::Solid(index) => self.setup.solids[index as usize].material,
            _ => self.part(contact.feature[1] as usize).material,
        };
        self.setup.laws.get(own, other)
    }

    /// The speed below which the sides of a contact with percussions do not part, but rest: what weight gives in a step, and what the solver's
    /// tolerance leaves.
    pub(super) fn parting_speed(&self) -> f64 {
        let squares = self.state.solids.iter().flat_map(|solid| solid.velocities());
        let fastest = squares.map(|v| v.norm_squared()).fold(0.0, f64::max).sqrt();
        let fall = self.setup.gravity.norm() * self.setup.time_step;
        fall + self.solver_settings().tolerance * fastest
    }

    /// What the contact obeys, as the solver takes it; special laws go to the list. `parting` is the speed from which on sides part.
    pub(super) fn solver_law(
        &self,
        soft: &Soft<S>,
        law: &PairLaw,
        parting: f64,
        specials: &mut Vec<Special<S>>,
    ) -> Law {
        if let Some(friction) = law.plain_friction() {
            return Law::with_friction(friction);
        }
        let law = match &law.contact {
            ContactLaw::Moreau(law) => law,
            ContactLaw::Percussion(law) => {
                // As at contacts of bodies: with what gaps still allow on both sides of the collision.
                let before = soft.before + S::Local::axis(0) * soft.closing;
                let percussion = percussion_law(law, before, before.normal() <= parting);
                specials.push(Special::Percussion(percussion));
                return Law::Special(specials.len() as u32 - 1);
            }
        };
        let direction = law.friction.principal().map(|principal| {
            let axes = match soft.contact.partner {
                Partner::Body(index) => {
                    let body = &self.state.bodies[index as usize];
                    self.work.rigid.midpoints[index as usize].rotation.compose(body.given_axes())
                }
                Partner::Boundary(index) => self.state.boundaries[index as usize].midpoint.rotation,
                Partner::Solid(_) => S::Rotation::IDENTITY,
            };
            let world = axes.apply(direction_in::<S>(principal.direction));
            unit::<S>(soft.frame.to_local(world).tangent())
        });
        let h = self.setup.time_step;
        let cone = cone_law(law, direction, false, soft.contact.bonded, h);
        specials.push(Special::Cone(cone));
        Law::Special(specials.len() as u32 - 1)
    }
}
