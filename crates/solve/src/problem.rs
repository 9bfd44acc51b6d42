//! The contact problem of one step, matrix-free: movers with their inverse inertia, contacts with
//! their maps.

use crate::lanes::Kernel;
use crate::{
    Block, Blocks, Bounded, Compliant, Couple, Elastic, GeneralCone, Law, Percussion, Resistance,
    Special, TableSpring,
};
use drystone_space::{Frame, InverseInertia, Local, Space, Vector};

/// In place of a mover: the other side has a given velocity, which is in the contact's offset.
pub const GROUND: u32 = u32::MAX;

/// Parts into which space may be divided for the order of sweeps.
pub const REGIONS: usize = 4096;

/// Velocity and spin of a mover, in world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Twist<S: Space> {
    /// Velocity of the centre of mass.
    pub velocity: S::Vector,
    /// Spin.
    pub spin: S::Spin,
}

/// How a mover answers to impulses: A⁻¹ of one body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mover<S: Space> {
    /// 1/m.
    pub inverse_mass: f64,
    /// Inverse inertia in world axes.
    pub inverse_inertia: S::InverseInertia,
}

impl<S: Space> Mover<S> {
    /// The change of twist that an impulse at `arm` makes.
    #[inline(always)]
    pub fn respond(&self, arm: S::Vector, impulse: S::Vector) -> Twist<S> {
        Twist {
            velocity: impulse * self.inverse_mass,
            spin: self.inverse_inertia.apply(S::moment(arm, impulse)),
        }
    }
}

/// G: which movers meet, where, and in which frame. The normal points toward the first. A mover may be a point of a
/// [compliant group](Compliant): its arm is zero, and it has no inertia of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactMap<S: Space> {
    /// Index of the first mover; never [`GROUND`].
    pub first: u32,
    /// Index of the second mover, or [`GROUND`].
    pub second: u32,
    /// Contact frame.
    pub frame: S::Frame,
    /// From the first mover's centre to the contact point.
    pub arm_first: S::Vector,
    /// From the second mover's centre to the contact point.
    pub arm_second: S::Vector,
}

impl<S: Space> ContactMap<S> {
    /// G u: velocity of the first relative to the second, in the contact frame.
    #[inline(always)]
    pub fn to_contact(&self, twists: &[Twist<S>]) -> S::Local {
        let first = &twists[self.first as usize];
        let mut relative = first.velocity + S::velocity_at(first.spin, self.arm_first);
        if self.second != GROUND {
            let second = &twists[self.second as usize];
            relative -= second.velocity + S::velocity_at(second.spin, self.arm_second);
        }
        self.frame.to_local(relative)
    }

    /// u += A⁻¹ G* impulse.
    #[inline(always)]
    pub fn to_bodies(&self, impulse: S::Local, movers: &[Mover<S>], twists: &mut [Twist<S>]) {
        let world = self.frame.to_world(impulse);
        let change = movers[self.first as usize].respond(self.arm_first, world);
        let first = &mut twists[self.first as usize];
        first.velocity += change.velocity;
        first.spin += change.spin;
        if self.second != GROUND {
            let change = movers[self.second as usize].respond(self.arm_second, world);
            let second = &mut twists[self.second as usize];
            second.velocity -= change.velocity;
            second.spin -= change.spin;
        }
    }

    /// A column of H = G A⁻¹ G*.
    pub(crate) fn response(&self, index: usize, movers: &[Mover<S>]) -> S::Local {
        let impulse = self.frame.to_world(S::Local::axis(index));
        let change = movers[self.first as usize].respond(self.arm_first, impulse);
        let mut velocity = change.velocity + S::velocity_at(change.spin, self.arm_first);
        if self.second != GROUND {
            let change = movers[self.second as usize].respond(self.arm_second, impulse);
            velocity += change.velocity + S::velocity_at(change.spin, self.arm_second);
        }
        self.frame.to_local(velocity)
    }
}

/// One contact of the problem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact<S: Blocks> {
    /// Its map G.
    pub map: ContactMap<S>,
    /// H = G A⁻¹ G*, divided by the relaxation, in the form that the local solve wants.
    pub block: S::Block,
    /// What is added to G u before the law sees it: restitution, boundary velocity, gap.
    pub offset: S::Local,
    /// The law.
    pub law: Law,
}

impl<S: Blocks> Contact<S> {
    /// A contact with its Delassus block computed from the movers.
    ///
    /// The local solve may use H/relaxation in place of H: "a multiplier that is adjusted
    /// empirically is an efficient means of acceleration" (after Moreau 2003, §7.2). The solution
    /// is the same, and unlike a relaxed step the impulse stays in the cone by itself.
    #[inline(always)]
    pub fn new(
        map: ContactMap<S>,
        offset: S::Local,
        law: Law,
        movers: &[Mover<S>],
        relaxation: f64,
    ) -> Self {
        Self::with_friction(map, offset, law, law.friction(), movers, relaxation)
    }

    /// The same with the coefficient that the block is made ready for. Inlined, since a contact that is handed on by
    /// value is copied several times.
    #[inline(always)]
    pub(crate) fn with_friction(
        map: ContactMap<S>,
        offset: S::Local,
        law: Law,
        friction: f64,
        movers: &[Mover<S>],
        relaxation: f64,
    ) -> Self {
        let scale = 1.0 / relaxation;
        let block = S::Kernel::round_block(&map, movers, scale, friction)
            .unwrap_or_else(|| map.block(movers, scale, friction));
        Self { map, block, offset, law }
    }
}

/// The contacts of a problem, wherever they are: in a list, or made when they are asked for. Large problems are solved
/// without a list, which would take more room than all that a sweep reads of them.
pub trait Contacts<S: Blocks>: Sync {
    /// How many there are.
    fn count(&self) -> usize;
    /// First and second mover of a contact, as in its [map](ContactMap).
    fn movers(&self, index: usize) -> (u32, u32);
    /// Whether a contact is of other shapes than the one before it, as far as that is known: then the two are no part of one
    /// manifold.
    fn is_apart(&self, _index: usize) -> bool {
        false
    }
    /// Whether a contact is between balls, as far as is known. What is not is computed as between bodies of any shape, even
    /// where it looks like one of balls: so the bits of a contact do not depend on which others are computed with it.
    fn is_round(&self, _index: usize) -> bool {
        true
    }
    /// The normal of a contact.
    fn normal(&self, index: usize) -> S::Vector;
    /// A contact; one that is not kept is made in `room`.
    fn contact<'a>(&'a self, index: usize, room: &'a mut Option<Contact<S>>) -> &'a Contact<S>;
    /// The impulse from which sweeps begin, in the frame of this contact.
    fn start(&self, index: usize, contact: &Contact<S>) -> S::Local;
}

/// Contacts in a list, with the impulses from which sweeps begin.
#[derive(Clone, Copy, Debug)]
pub struct Listed<'a, S: Blocks> {
    /// The contacts.
    pub contacts: &'a [Contact<S>],
    /// Their impulses.
    pub starts: &'a [S::Local],
}

impl<S: Blocks> Contacts<S> for Listed<'_, S> {
    fn count(&self) -> usize {
        self.contacts.len()
    }
    fn movers(&self, index: usize) -> (u32, u32) {
        let map = &self.contacts[index].map;
        (map.first, map.second)
    }
    fn normal(&self, index: usize) -> S::Vector {
        self.contacts[index].map.frame.normal()
    }
    fn start(&self, index: usize, _contact: &Contact<S>) -> S::Local {
        self.starts[index]
    }
    fn contact<'a>(&'a self, index: usize, _room: &'a mut Option<Contact<S>>) -> &'a Contact<S> {
        &self.contacts[index]
    }
}

impl<S: Blocks> ContactMap<S> {
    /// H, multiplied by `scale`.
    #[inline(never)]
    fn block(&self, movers: &[Mover<S>], scale: f64, friction: f64) -> S::Block {
        S::Block::new(|index| self.response(index, movers) * scale, friction)
    }
}

/// Movers, their free velocities, and the contacts between them.
#[derive(Clone, Debug, Default)]
pub struct ContactProblem<S: Blocks> {
    /// Inverse inertias.
    pub movers: Vec<Mover<S>>,
    /// Velocity that each mover would have without contacts.
    pub free: Vec<Twist<S>>,
    /// The contacts; their order is part of the result. Empty where they are [made](Contacts) for the solver.
    pub contacts: Vec<Contact<S>>,
    /// Groups of movers, the last ones of the list, that answer to impulses together.
    pub compliant: Vec<Compliant<S>>,
    /// Laws that are neither frictionless nor Coulomb's; each belongs to one contact.
    pub specials: Vec<Special<S>>,
    /// Rounding error of velocities: smaller differences count as none.
    pub velocity_noise: f64,
    /// Where each mover is, as the number of a part of space among [`REGIONS`], near ones near to each other.
    /// Contacts are swept part after part, so that what a thread needs stays near to it. May be empty.
    pub regions: Vec<u16>,
    /// What every contact acts on besides its two sides, if there is such a thing.
    pub shared: Option<Shared<S>>,
}

/// A mover with a few velocities q that all contacts see, whatever their sides are: U = G u + Σ_k b_k q_k, and
/// w_k (q_k − q_k,free) = Σ P·b_k. Offsets of contacts hold Σ_k b_k q_k,free. Laws must not be special.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shared<S: Space> {
    /// w of each velocity.
    pub inertia: Vec<f64>,
    /// q without contacts.
    pub free: Vec<f64>,
    /// b of each contact, in its frame: by the contact, then by the velocity.
    pub arms: Vec<S::Local>,
    /// By what the relaxation of each contact was multiplied, since a sweep keeps q frozen.
    pub softening: Vec<f64>,
}

impl<S: Space> Shared<S> {
    /// q with these impulses of the contacts, in their order.
    pub fn velocities(&self, impulses: impl Iterator<Item = S::Local>, q: &mut Vec<f64>) {
        let count = self.free.len();
        q.clear();
        q.resize(count, 0.0);
        for (impulse, arms) in impulses.zip(self.arms.chunks_exact(count)) {
            q.iter_mut().zip(arms).for_each(|(sum, &arm)| *sum += impulse.dot(arm));
        }
        let terms = self.free.iter().zip(&self.inertia);
        q.iter_mut().zip(terms).for_each(|(sum, (free, inertia))| *sum = free + *sum / inertia);
    }
}

/// How the two sides of a contact turn, for rolling and spinning resistance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Turning<S: Space> {
    /// Whether the second mover's spin is that of a body; [`GROUND`] has none.
    pub second_turns: bool,
    /// Given spin of the second side, in world axes.
    pub second_spin: S::Spin,
}

impl<S: Blocks> ContactProblem<S> {
    /// Whether all laws are Coulomb's or frictionless.
    pub fn is_coulomb(&self) -> bool {
        self.specials.is_empty()
    }

    /// Adds a contact with a cone of any kind and, if `resistance` is not zero, its couple.
    ///
    /// # Panics
    /// If the law's parameters are not [sound](GeneralCone::is_sound).
    pub fn push_cone(
        &mut self,
        map: ContactMap<S>,
        offset: S::Local,
        mut cone: GeneralCone<S>,
        resistance: Resistance,
        turning: Turning<S>,
        relaxation: f64,
    ) {
        let friction = cone.plain_friction().unwrap_or(0.0);
        let block = self.push_special(map, offset, friction, relaxation);
        if resistance != Resistance::default() {
            let trace = block.trace();
            cone.couple = Couple::new(&map, &self.movers, turning, resistance, trace, relaxation);
        }
        assert!(cone.is_sound(), "a law with a coefficient that is negative or no number");
        self.specials.push(Special::Cone(cone));
    }

    /// Adds a contact with a law of A-CD².
    ///
    /// # Panics
    /// If the law's parameters are not [sound](Percussion::is_sound).
    pub fn push_percussion(
        &mut self,
        map: ContactMap<S>,
        offset: S::Local,
        percussion: Percussion<S>,
        relaxation: f64,
    ) {
        self.push_special(map, offset, 0.0, relaxation);
        assert!(percussion.is_sound(), "a law with a coefficient that is negative or no number");
        self.specials.push(Special::Percussion(percussion));
    }

    /// Adds a contact whose impulse has bounds of its own.
    ///
    /// # Panics
    /// If the law's parameters are not [sound](Bounded::is_sound).
    pub fn push_bounded(
        &mut self,
        map: ContactMap<S>,
        offset: S::Local,
        bounded: Bounded<S>,
        relaxation: f64,
    ) {
        self.push_special(map, offset, 0.0, relaxation);
        assert!(bounded.is_sound(), "bounds that hold no impulse");
        self.specials.push(Special::Bounded(bounded));
    }

    /// Adds a contact that is a spring or damper by tables.
    ///
    /// # Panics
    /// If the law's parameters are not [sound](TableSpring::is_sound).
    pub fn push_table_spring(
        &mut self,
        map: ContactMap<S>,
        offset: S::Local,
        spring: TableSpring<S>,
        relaxation: f64,
    ) {
        self.push_special(map, offset, 0.0, relaxation);
        assert!(spring.is_sound(), "a spring of no numbers, or a damper that drives");
        self.specials.push(Special::Spring(spring));
    }

    /// Adds a contact that is an elastic tie.
    ///
    /// # Panics
    /// If the law's parameters are not [sound](Elastic::is_sound).
    pub fn push_elastic(
        &mut self,
        map: ContactMap<S>,
        offset: S::Local,
        elastic: Elastic<S>,
        relaxation: f64,
    ) {
        self.push_special(map, offset, 0.0, relaxation);
        assert!(elastic.is_sound(), "a compliance that is negative or no number");
        self.specials.push(Special::Elastic(elastic));
    }

    /// Adds a contact whose law is the next special one; returns its block.
    fn push_special(
        &mut self,
        map: ContactMap<S>,
        offset: S::Local,
        friction: f64,
        relaxation: f64,
    ) -> S::Block {
        let law = Law::Special(self.specials.len() as u32);
        let contact = self.contact(map, offset, law, friction, relaxation);
        self.contacts.push(contact);
        contact.block
    }
}

/// Unknowns of a problem: the caller owns them and gives the start in `impulses`.
#[derive(Clone, Debug, Default)]
pub struct Solution<S: Blocks> {
    /// Impulse of each contact, in its frame.
    pub impulses: Vec<S::Local>,
    /// Couple of each special law, in its contact's frame; zero where it has none.
    pub couples: Vec<S::Local>,
    /// Velocity of each mover.
    pub twists: Vec<Twist<S>>,
}

impl<S: Blocks> Solution<S> {
    /// Recomputes u = u_free + A⁻¹ Σ G*P, contact after contact, so that no error piles up.
    pub fn refresh(&mut self, problem: &ContactProblem<S>) {
        let Self { impulses, couples, twists } = self;
        twists.clear();
        twists.extend_from_slice(&problem.free);
        for (contact, &impulse) in problem.contacts.iter().zip(&*impulses) {
            if impulse != S::Local::ZERO {
                problem.respond(&contact.map, impulse, twists);
            }
        }
        for contact in &problem.contacts {
            let Law::Special(index) = contact.law else { continue };
            let Some(couple) = problem.specials[index as usize].couple() else { continue };
            let (value, mut first, mut second) =
                (couples[index as usize], S::Spin::ZERO, S::Spin::ZERO);
            couple.turn(&contact.map, value, &problem.movers, &mut first, &mut second);
            twists[contact.map.first as usize].spin += first;
            if contact.map.second != GROUND {
                twists[contact.map.second as usize].spin += second;
            }
        }
    }
}

impl<S: Space> Twist<S> {
    /// No motion.
    pub const ZERO: Self = Self { velocity: S::Vector::ZERO, spin: S::Spin::ZERO };
}
