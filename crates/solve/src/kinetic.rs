//! The kinetic metric: how far two motions of the same movers are from each other, |Δu|² = Δu·AΔu.
//!
//! What rigid movers add is known from their velocities. Points of a compliant group have no inertia of their own; what
//! the group adds is the work of the impulses that make the difference, Δp·Δv, summed over its points. An elastic tie
//! answers to impulses too, by its compliance, and adds Δp·EΔp: where ties hold each other, as in a beam that is bent and
//! at rest, all that they do is in there, and bodies move as if there were none.

use crate::{Blocks, Contact, ContactProblem, GROUND, Mover, Solution, Special, Twist};
use drystone_space::{Frame, InverseInertia, Local, Vector};

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

    /// What the spring of an elastic tie adds to |Δu|² between two of its impulses; nothing for other laws.
    pub(crate) fn tie_work(&self, contact: &Contact<S>, one: S::Local, other: S::Local) -> f64 {
        match contact.law.special(&self.specials) {
            Some(Special::Elastic(tie)) => {
                (one - other).dot(tie.taken_up(one) - tie.taken_up(other))
            }
            _ => 0.0,
        }
    }

    /// ‖u − u'‖ of two solutions in the kinetic metric; their velocities must be fresh ([`Solution::refresh`]).
    pub fn distance(&self, one: &Solution<S>, other: &Solution<S>) -> f64 {
        let twists = one.twists.iter().zip(&other.twists);
        self.length(twists.map(|(one, other)| one.since(other)), |index| {
            [one.impulses[index], other.impulses[index]]
        })
    }

    /// ‖u − u_free‖: what contacts have done, in the kinetic metric.
    pub fn done(&self, solution: &Solution<S>) -> f64 {
        let twists = solution.twists.iter().zip(&self.free);
        let changes = twists.map(|(one, free)| one.since(free));
        self.length(changes, |index| [solution.impulses[index], S::Local::ZERO])
    }

    fn length(
        &self,
        changes: impl Iterator<Item = Twist<S>> + Clone,
        impulses: impl Fn(usize) -> [S::Local; 2],
    ) -> f64 {
        let rigid = self.movers.iter().zip(changes.clone());
        let mut square: f64 = rigid.map(|(mover, change)| mover.twice_energy(&change)).sum();
        if !self.compliant.is_empty() {
            let changes: Vec<Twist<S>> = changes.collect();
            for (index, contact) in self.contacts.iter().enumerate() {
                let [one, other] = impulses(index);
                square += self.compliant_work(contact, one - other, |mover| {
                    debug_assert!(mover != GROUND);
                    changes[mover as usize].velocity
                });
            }
        }
        if !self.is_coulomb() {
            for (index, contact) in self.contacts.iter().enumerate() {
                let [one, other] = impulses(index);
                square += self.tie_work(contact, one, other);
            }
        }
        // Unlike `f64::max` this keeps what is not a number.
        if square <= 0.0 { 0.0 } else { square.sqrt() }
    }
}
