//! Contacts of the last step: what is kept of each, its name from step to step, and what follows from the rest.

use crate::assemble::boundary_velocity;
use crate::{Dimension, Owner, World};
use drystone_space::{Frame, Space, Vector};

/// A contact of the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact<S: Space> {
    /// The body that the normal points toward.
    pub first: Owner,
    /// The other body or boundary.
    pub second: Owner,
    /// Where, in world axes.
    pub point: S::Vector,
    /// Unit normal toward the first.
    pub normal: S::Vector,
    /// Gap at the midpoint: negative in overlap.
    pub gap: f64,
    /// Impulse that the first feels over the step, in world axes.
    pub impulse: S::Vector,
    /// Which features meet.
    pub feature: u32,
    /// Whether cohesion acts, if the law has any.
    pub bonded: bool,
    /// The two shapes, by their number in order of appearance; with the feature this is the
    /// contact's identity.
    pub shapes: (u32, u32),
}

/// What a contact is known by from step to step: the shapes and the features that meet.
pub(crate) type Name = ((u32, u32), u32);

impl<S: Space> Contact<S> {
    pub(crate) fn name(&self) -> Name {
        (self.shapes, self.feature)
    }
}

/// The couple of a contact that has one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactCouple<S: Space> {
    /// The two shapes of the contact.
    pub shapes: (u32, u32),
    /// Which of their features meet.
    pub feature: u32,
    /// Couple that the first feels over the step against rolling and spinning, in world axes.
    pub couple: S::Spin,
}

impl<S: Space> ContactCouple<S> {
    /// The couple of this contact, if it is one. A zero with a sign is: records and hashes show it.
    pub fn new(contact: &Contact<S>, couple: S::Spin) -> Option<Self> {
        let &Contact { shapes, feature, .. } = contact;
        let any = (0..S::Spin::LENGTH).any(|axis| couple.get(axis).to_bits() != 0);
        any.then_some(Self { shapes, feature, couple })
    }

    pub(crate) fn name(&self) -> Name {
        (self.shapes, self.feature)
    }
}

/// The couple of the contact of this name, from a list in the order of shapes.
pub(crate) fn couple_of<S: Space>(list: &[ContactCouple<S>], name: Name) -> S::Spin {
    let mut from = list.partition_point(|couple| couple.shapes < name.0);
    let found = find_same(list, &mut from, name, ContactCouple::name);
    found.map_or(S::Spin::ZERO, |found| found.couple)
}

impl<S: Dimension> World<S> {
    /// Couple that the first body of a contact of the last step felt against rolling and spinning, in world axes.
    pub fn contact_couple(&self, contact: &Contact<S>) -> S::Spin {
        couple_of(&self.state.couples, contact.name())
    }

    /// Coulomb's coefficient at a contact; the largest of all directions.
    pub fn contact_friction(&self, contact: &Contact<S>) -> f64 {
        let friction = self.work.rigid.law(&self.setup.laws, contact).largest_friction();
        friction * self.bond_friction(contact)
    }

    /// Velocity of the first body relative to the second at a contact, at the end of the last step, in world axes.
    pub fn contact_velocity(&self, contact: &Contact<S>) -> S::Vector {
        let still = |owner| self.state.sleep.is_still(&self.setup, owner);
        if still(contact.first) && still(contact.second) {
            return S::Vector::ZERO;
        }
        if !self.state.velocities.is_empty() {
            let index = index_of(&self.state.contacts, contact.name());
            return index.map_or(S::Vector::ZERO, |index| self.state.velocities[index]);
        }
        let Contact { first, second, point, normal, .. } = *contact;
        let map = self.work.rigid.map(first, second, point, normal);
        let moving = map.frame.to_world(map.to_contact(&self.work.rigid.solution.twists));
        match self.work.rigid.driven_in_cell(&self.state.boundaries, first, second, point) {
            Some([_, _, driven]) => moving - driven,
            None => moving - boundary_velocity(&self.state.boundaries, contact),
        }
    }
}

/// What a step must know of a contact of the one before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PreviousContact<S: Space> {
    pub shapes: (u32, u32),
    pub feature: u32,
    pub bonded: bool,
    /// Whether its gap was as good as closed, so that its sides did not approach any more after that step.
    pub closed: bool,
    pub impulse: S::Vector,
}

impl<S: Space> PreviousContact<S> {
    /// What is to be known of a contact, whose gap counts as closed up to `closed`.
    pub fn new(contact: &Contact<S>, closed: f64) -> Self {
        let &Contact { shapes, feature, bonded, impulse, gap, .. } = contact;
        Self { shapes, feature, bonded, closed: gap <= closed, impulse }
    }
    pub fn name(&self) -> Name {
        (self.shapes, self.feature)
    }
}

/// Where the contact of this name stands in a list in the order of shapes.
pub(crate) fn index_of<S: Space>(contacts: &[Contact<S>], name: Name) -> Option<usize> {
    let from = contacts.partition_point(|contact| contact.shapes < name.0);
    let mut pair = contacts[from..].iter().take_while(|contact| contact.shapes == name.0);
    pair.position(|contact| contact.feature == name.1).map(|index| from + index)
}

/// Brings contacts into the order of shapes.
pub(crate) fn sort_by_name<S: Space>(contacts: &mut [Contact<S>]) {
    contacts.sort_unstable_by_key(Contact::name);
}

/// The one of this name in a list in the order of shapes; `from` goes along with names that are asked for in
/// that order. Within a pair the few are searched by feature.
pub(crate) fn find_same<'a, T>(
    list: &'a [T],
    from: &mut usize,
    (shapes, feature): Name,
    name: impl Fn(&T) -> Name,
) -> Option<&'a T> {
    while *from < list.len() && name(&list[*from]).0 < shapes {
        *from += 1;
    }
    let mut pair = list[*from..].iter().take_while(|other| name(other).0 == shapes);
    pair.find(|other| name(other).1 == feature)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Body;
    use drystone_space::{DVec2, Plane, Volume};

    fn contact(shapes: (u32, u32), feature: u32, impulse: f64) -> Contact<Plane> {
        Contact {
            first: Owner::Body(shapes.0),
            second: Owner::Body(shapes.1),
            point: DVec2::ZERO,
            normal: DVec2::Y,
            gap: 0.0,
            impulse: DVec2::new(0.0, impulse),
            feature,
            bonded: impulse > 2.5,
            shapes,
        }
    }

    #[test]
    fn impulses_follow_shapes_and_features() {
        let old = [contact((0, 1), 7, 1.0), contact((0, 1), 3, 2.0), contact((2, 5), 0, 3.0)];
        let last = old.each_ref().map(|contact| PreviousContact::new(contact, 0.0));
        let mut from = 0;
        let names = [((0, 1), 3), ((0, 1), 8), ((1, 2), 0), ((2, 5), 0)];
        let found = names.map(|name| find_same(&last, &mut from, name, PreviousContact::name));
        assert_eq!(found.map(|same| same.map(|m| m.impulse.y)), [Some(2.0), None, None, Some(3.0)]);
        assert_eq!(found.map(|same| same.map(|m| m.bonded)), [Some(false), None, None, Some(true)]);
    }

    /// Contacts, and bodies of three lines of the cache: most of the memory of a scene of grains.
    #[test]
    fn what_is_kept_is_small() {
        assert!(size_of::<Body<Volume>>() <= 192);
        assert!(size_of::<Contact<Volume>>() <= 112);
        assert!(size_of::<PreviousContact<Volume>>() <= 40);
    }

    #[test]
    fn couples_are_found_by_name() {
        let contacts = [((0, 1), 7), ((0, 1), 3), ((2, 5), 0)].map(|(s, f)| contact(s, f, 0.0));
        let list: Vec<_> = (contacts.iter().zip([0.5, -0.0, 0.0]))
            .filter_map(|(contact, couple)| ContactCouple::new(contact, couple))
            .collect();
        assert_eq!(list.len(), 2);
        let found = contacts.map(|contact| couple_of(&list, contact.name()).to_bits());
        assert_eq!(found, [0.5f64, -0.0, 0.0].map(f64::to_bits));
        assert_eq!(couple_of(&list, ((0, 1), 4)), 0.0);
    }
}
