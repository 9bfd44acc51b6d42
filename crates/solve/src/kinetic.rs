//! The kinetic metric: how far two motions of the same movers are from each other, |Δu|² = Δu·AΔu.
//!
//! What rigid movers add is known from their velocities. Points of a compliant group have no inertia of their own; what
//! the group adds is the work of the impulses that make the difference, Δp·Δv, summed over its points.

use crate::{Blocks, Contact, ContactProblem, GROUND, Mover, Solution, Twist};
use drystone_space::{Frame, InverseInertia, Vector};

impl<S: Blocks> Mover<S> {
    /// Twice the kinetic energy of a twist; what the mover cannot do has none.
    #[inline(always)]
    pub fn twice_energy(&self, twist: &Twist<S>) -> f64 {
        let shift = if self.inverse_mass > 0.0 {
            twist.velocity.norm_squared() / self.inverse_mass
        } else {
            0.0
        };
        shift + self.inverse_inertia.twice_energy(twist.spin)
    }
}

impl<S: Blocks> Twist<S> {
    /// What leads from another twist to this one.
    #[inline(always)]
    pub(crate) fn since(&self, other: &Self) -> Self {
        Self { velocity: self.velocity - other.velocity, spin: self.spin - other.spin }
    }
}

impl<S: Blocks> ContactProblem<S> {
    /// What the compliant sides of a contact add to |Δu|², by the change of its impulse and that of its points' velocities.
    pub(crate) fn compliant_work(
        &self,
        contact: &Contact<S>,
        impulse: S::Local,
        velocity: impl Fn(u32) -> S::Vector,
    ) -> f64 {
        let world = contact.map.frame.to_world(impulse);
        let sides = [(contact.map.first, world), (contact.map.second, -world)];
        let compliant = sides.into_iter().filter(|(mover, _)| self.group_of(*mover).is_some());
        compliant.map(|(mover, push)| push.dot(velocity(mover))).sum()
    }

    /// ‖u − u'‖ of two solutions in the kinetic metric; their velocities must be fresh ([`Solution::refresh`]).
    pub fn distance(&self, one: &Solution<S>, other: &Solution<S>) -> f64 {
        let twists = one.twists.iter().zip(&other.twists);
        self.length(twists.map(|(one, other)| one.since(other)), |index| {
            one.impulses[index] - other.impulses[index]
        })
    }

    /// ‖u − u_free‖: what contacts have done, in the kinetic metric.
    pub fn done(&self, solution: &Solution<S>) -> f64 {
        let twists = solution.twists.iter().zip(&self.free);
        self.length(twists.map(|(one, free)| one.since(free)), |index| solution.impulses[index])
    }

    fn length(
        &self,
        changes: impl Iterator<Item = Twist<S>> + Clone,
        impulse: impl Fn(usize) -> S::Local,
    ) -> f64 {
        let rigid = self.movers.iter().zip(changes.clone());
        let mut square: f64 = rigid.map(|(mover, change)| mover.twice_energy(&change)).sum();
        if !self.compliant.is_empty() {
            let changes: Vec<Twist<S>> = changes.collect();
            for (index, contact) in self.contacts.iter().enumerate() {
                square += self.compliant_work(contact, impulse(index), |mover| {
                    debug_assert!(mover != GROUND);
                    changes[mover as usize].velocity
                });
            }
        }
        // Unlike `f64::max` this keeps what is not a number.
        if square <= 0.0 { 0.0 } else { square.sqrt() }
    }
}
