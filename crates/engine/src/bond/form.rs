//! Which shapes are bonded: those that touch at the start or as a body enters, and where the law says so those that come to
//! press.

use super::section::Section;
use super::{Bond, BondForms, BondLaw};
use crate::{Body, Contact, Dimension, Owner, Part, World};
use drystone_detect::{Extent, Manifold, Touch};
use drystone_space::{Pose, Rotation, Vector};

/// Shapes are bonded up to this share of the narrower one's width, where no reach is given.
const NEAR: f64 = 1e-3;

/// A shape as it is placed.
struct Placed<'a, S: Dimension> {
    number: u32,
    owner: Owner,
    part: &'a Part<S>,
    pose: Pose<S>,
    /// Where it begins and ends along the first axis.
    ends: [f64; 2],
}

impl<S: Dimension> World<S> {
    /// The bonds of bodies from this one on with all shapes that they touch: of all at the start, then of those that enter.
    pub(crate) fn form_bonds_of(&mut self, from: usize) {
        if !self.setup.laws.has_bonds() || from == self.state.bodies.len() {
            return;
        }
        let is_new = |placed: &Placed<S>| matches!(placed.owner, Owner::Body(index) if index as usize >= from);
        let mut bonds = Vec::new();
        let mut placed = self.placed();
        placed.sort_by(|a, b| a.ends[0].total_cmp(&b.ends[0]).then(a.number.cmp(&b.number)));
        let farthest = self.setup.laws.all().filter_map(|law| law.bond.as_ref()?.reach);
        let farthest = farthest.fold(0.0, f64::max);
        let mut manifold = Manifold::default();
        for (index, one) in placed.iter().enumerate() {
            for other in &placed[index + 1..] {
                let narrow = S::width(&one.part.shape).min(S::width(&other.part.shape));
                let near = if narrow.is_finite() { NEAR * narrow } else { 0.0 };
                if other.ends[0] > one.ends[1] + near.max(farthest) {
                    break;
                }
                if !is_new(one) && !is_new(other) {
                    continue;
                }
                let (a, b) = if one.number < other.number { (one, other) } else { (other, one) };
                self.bond_pair(a, b, &mut manifold, &mut bonds);
            }
        }
        self.state.bonds.append(&mut bonds);
        self.state.bonds.sort_by_key(|bond: &Bond<S>| (bond.shapes, bond.point));
    }

    /// All shapes, where they are at the start of the step.
    fn placed(&self) -> Vec<Placed<'_, S>> {
        let bodies = self.state.bodies.iter().map(|body: &Body<S>| (&body.parts, &body.pose));
        let bodies = bodies.zip(0..).map(|((parts, pose), i)| (Owner::Body(i), &**parts, pose));
        let walls = self.setup.boundaries.iter().zip(&self.state.boundaries).zip(0..);
        let walls = walls.map(|((b, state), i)| (Owner::Boundary(i), &b.parts[..], &state.pose));
        let all = walls.chain(bodies).flat_map(|(owner, parts, pose)| {
            parts.iter().map(move |part| (owner, part, part.pose_in(pose)))
        });
        let gone = |owner: Owner| match owner {
            Owner::Boundary(index) => self.state.boundaries[index as usize].removed,
            Owner::Body(_) => false,
        };
        all.zip(0..)
            .filter(|((owner, ..), _)| !gone(*owner))
            .map(|((owner, part, pose), number)| {
                let ends = match S::extent(&part.shape, &pose) {
                    Extent::Box(bounds) => [bounds.low.get(0), bounds.high.get(0)],
                    _ => [f64::NEG_INFINITY, f64::INFINITY],
                };
                Placed { number, owner, part, pose, ends }
            })
            .collect()
    }

    /// Adds the bonds of two shapes, the first of which has the lower number.
    fn bond_pair(
        &self,
        a: &Placed<'_, S>,
        b: &Placed<'_, S>,
        manifold: &mut Manifold<S>,
        bonds: &mut Vec<Bond<S>>,
    ) {
        let Some(law) = &self.setup.laws.get(a.part.material, b.part.material).bond else { return };
        let fixed = |owner| matches!(owner, Owner::Boundary(_));
        if a.owner == b.owner || (fixed(a.owner) && fixed(b.owner)) {
            return;
        }
        let (one, two) = if fixed(a.owner) { (b, a) } else { (a, b) };
        let width = S::width(&one.part.shape).min(S::width(&two.part.shape));
        manifold.clear();
        let own = (&one.part.shape, &one.pose);
        S::collide(own, (&two.part.shape, &two.pose), law.reach.unwrap_or(NEAR * width), manifold);
        let sides = [one.owner, two.owner];
        self.add_bonds((a.number, b.number), sides, law, manifold.touches(), width, bonds);
    }

    /// Adds the bonds of two shapes with these touches, unstretched where their sides are now.
    fn add_bonds(
        &self,
        shapes: (u32, u32),
        sides: [Owner; 2],
        law: &BondLaw,
        touches: &[Touch<S>],
        width: f64,
        bonds: &mut Vec<Bond<S>>,
    ) {
        let Some(section) = Section::of(touches, law.area, width) else { return };
        let count = section.points(law.points).count();
        let poses = sides.map(|side| *self.pose_of(side));
        for (place, point) in section.points(law.points).zip(0..) {
            bonds.push(Bond {
                shapes,
                point,
                sides,
                anchors: poses.map(|pose| pose.inverse_point(place)),
                normals: poses.map(|pose| pose.rotation.apply_inverse(section.normal)),
                area: section.area / count as f64,
                damage: 0.0,
                impulse: S::Vector::ZERO,
            });
        }
    }

    /// The bonds of shapes that came to press in the step that was made, under laws that make bonds on contact.
    pub(crate) fn form_bonds_on_contact(&mut self) {
        if !self.setup.laws.forms_bonds() {
            return;
        }
        let mut made = Vec::new();
        for pair in self.state.contacts.chunk_by(|a, b| a.shapes == b.shapes) {
            self.bond_on_contact(pair, &mut made);
        }
        if made.is_empty() {
            return;
        }
        let again = |bond: &Bond<S>| !made.iter().any(|new: &Bond<S>| new.shapes == bond.shapes);
        self.state.bonds.retain(again);
        self.state.bonds.append(&mut made);
        self.state.bonds.sort_by_key(|bond| (bond.shapes, bond.point));
    }

    fn bond_on_contact(&self, pair: &[Contact<S>], made: &mut Vec<Bond<S>>) {
        let Some(&Contact { shapes, first, second, .. }) = pair.first() else { return };
        let Some(law) = self.bond_law(shapes) else { return };
        let presses = pair.iter().any(|c| c.impulse.dot(c.normal) > 0.0);
        if law.forms == BondForms::Start || !presses {
            return;
        }
        let bonds = &self.state.bonds;
        let from = bonds.partition_point(|bond| bond.shapes < shapes);
        let mut known = bonds[from..].iter().take_while(|bond| bond.shapes == shapes).peekable();
        let may = match law.forms {
            BondForms::Again => known.all(Bond::is_broken),
            _ => known.peek().is_none(),
        };
        if !may {
            return;
        }
        let mut touches = Manifold::default();
        for &Contact { point, normal, gap, feature, .. } in
            pair.iter().take(Manifold::<S>::CAPACITY)
        {
            touches.push(Touch { point, normal, gap, feature });
        }
        let (bodies, walls) = (&self.state.bodies, &self.setup.boundaries);
        let shapes_list = &self.work.rigid.shapes;
        let part = |shape: u32| {
            let shape = &shapes_list.list[shape as usize];
            S::width(&shapes_list.part(shape, bodies, walls).shape)
        };
        let width = part(shapes.0).min(part(shapes.1));
        self.add_bonds(shapes, [first, second], law, touches.touches(), width, made);
    }
}
