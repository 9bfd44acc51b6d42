//! Bonds: what holds two faces together beside their contact, with a memory of its own (Raous, Cangémi & Cocou 1999;
//! Alfano & Sacco 2006).
//!
//! A bond is a point of the area in which two shapes touch. It is fixed to both sides, and so knows its stretch w, which has a
//! normal part, the opening, and a tangential one, the slip. By its damage D ∈ [0, 1] it bears what is left of an
//! elastic stress over its share of the area, −(1 − D) K w, besides what the contact bears: Signorini's and Coulomb's laws
//! go on to hold between the same two shapes. So opening is resisted by bonds alone, and compression by contacts, unless the
//! law says that bonds push too; then the contacts of two shapes are left out until one of their bonds is broken.
//!
//! - `section.rs`: the area in which shapes touch, and its points;
//! - `form.rs`: which shapes are bonded, at the start and on contact;
//! - `damage.rs`: the laws, D by w;
//! - `strength.rs`: rigid bonds and what they bear;
//! - `step.rs`: bonds in a step. Their force is that of the stretch at its end, w_m + (h/2)U_f, and so is their damage:
//!   the step is solved again until neither changes;
//! - `book.rs`: what they store and take.
//!
//! The state of a bond is its damage alone: where its two points are follows from the bodies.

mod book;
mod damage;
mod form;
mod section;
mod step;
mod strength;

pub(crate) use step::BondWork;
pub use strength::BondStrength;

use crate::{ContactLaw, Dimension, Owner, Setup, World};
use drystone_detect::Geometry;
use drystone_space::{Frame, Local, Pose, Rotation, Space, Vector};

/// The law of bonds between two materials.
#[derive(Clone, Debug, PartialEq)]
pub struct BondLaw {
    /// How bonds are damaged.
    pub kind: BondKind,
    /// Stress by opening and by slip; without meaning for rigid bonds.
    pub stiffness: [f64; 2],
    /// Whether bonds are pressed as they are pulled, in place of contacts. Rigid ones always are.
    pub pushes: bool,
    /// Bonds along a side of the area in which two shapes touch.
    pub points: u32,
    /// The area, where it is not that of the touching faces.
    pub area: Option<f64>,
    /// Gap up to which shapes are bonded; none is a thousandth of the narrower one's width.
    pub reach: Option<f64>,
    /// When bonds are made.
    pub forms: BondForms,
}

/// When bonds are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BondForms {
    /// At the start, once.
    #[default]
    Start,
    /// At the start, and wherever shapes come to press that have never been bonded.
    Contact,
    /// The same, also where all bonds were broken.
    Again,
}

/// How bonds are damaged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BondKind {
    /// Not at all.
    Elastic,
    /// By a bilinear law of stress and stretch.
    Cohesive(CohesiveZone),
    /// By the intensity of adhesion β = 1 − D (Raous, Cangémi & Cocou 1999).
    Adhesive(Adhesion),
    /// All at once, where a strength is exceeded; no stretch before.
    Rigid(BondStrength),
}

/// A bilinear cohesive zone, by opening and by slip. Its energies are the areas under the curves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CohesiveZone {
    /// Largest stress.
    pub strength: [f64; 2],
    /// Energy of rupture by area.
    pub energy: [f64; 2],
}

/// Adhesion that is lost at a rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Adhesion {
    /// w: energy by area.
    pub energy: f64,
    /// T with b = w Tᵖ; 0 is without delay.
    pub time: f64,
    /// p.
    pub exponent: f64,
}

/// A bond: a point that two sides have in common until it is stretched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bond<S: Space> {
    /// The two shapes, as in [`Contact::shapes`](crate::Contact::shapes); with the point's number they are its name.
    pub shapes: (u32, u32),
    /// Its number among those of the two shapes.
    pub point: u32,
    /// What it joins; the first is a body.
    pub sides: [Owner; 2],
    /// The point on each side, in the axes of the body or boundary.
    pub anchors: [S::Vector; 2],
    /// The unit normal toward the first, in the same axes.
    pub normals: [S::Vector; 2],
    /// Its share of the area.
    pub area: f64,
    /// D: 0 is whole, 1 is broken.
    pub damage: f64,
    /// Impulse that the first side felt over the last step, in world axes.
    pub impulse: S::Vector,
}

impl<S: Space> Bond<S> {
    /// Whether nothing holds any more.
    pub fn is_broken(&self) -> bool {
        self.damage >= 1.0
    }

    /// Where it is with its sides at these poses.
    pub(crate) fn place(&self, poses: [&Pose<S>; 2]) -> BondPlace<S> {
        let [one, other] = [0, 1].map(|side| poses[side].point(self.anchors[side]));
        let [a, b] = [0, 1].map(|side| poses[side].rotation.apply(self.normals[side]));
        let sum = a + b;
        let normal = if sum.norm() > 0.0 { sum / sum.norm() } else { a };
        let stretch = S::Frame::from_normal(normal).to_local(one - other);
        BondPlace { point: (one + other) * 0.5, normal, stretch }
    }
}

/// Where a bond is, and how far it is stretched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BondPlace<S: Space> {
    /// The middle between its two points.
    pub point: S::Vector,
    /// The mean of the normals that its sides carry.
    pub normal: S::Vector,
    /// Opening and slip.
    pub stretch: S::Local,
}

impl<S: Space> BondPlace<S> {
    /// Opening, and size of the slip.
    pub(crate) fn parts(&self) -> [f64; 2] {
        [self.stretch.normal(), self.stretch.tangent().norm()]
    }
}

/// What bonds cannot be had with yet, if a setup has it.
pub fn unfit_for_bonds<S: Geometry>(setup: &Setup<S>) -> Option<&'static str> {
    if !setup.laws.has_bonds() {
        return None;
    }
    if !setup.joints.is_empty() {
        return Some("joints");
    }
    if !setup.solids.is_empty() {
        return Some("deformable solids");
    }
    if setup.sleep.is_some() {
        return Some("bodies that fall asleep");
    }
    if setup.scheme == crate::Scheme::SecondOrder {
        return Some("the step of second order");
    }
    let other = |law: &crate::PairLaw| {
        law.bond.is_some() && matches!(law.contact, ContactLaw::Percussion(_))
    };
    if setup.laws.all().any(other) {
        return Some("percussions of A-CD² in the same law");
    }
    setup.laws.has_impacts().then_some("laws of impact in impulse space")
}

impl<S: Dimension> World<S> {
    /// All bonds, broken ones too, in the order of their names.
    pub fn bonds(&self) -> &[Bond<S>] {
        &self.state.bonds
    }

    /// Where a bond is now.
    pub fn bond_place(&self, bond: &Bond<S>) -> BondPlace<S> {
        bond.place(bond.sides.map(|side| self.pose_of(side)))
    }

    /// Where a body or boundary is now.
    pub(crate) fn pose_of(&self, owner: Owner) -> &Pose<S> {
        match owner {
            Owner::Body(index) => &self.state.bodies[index as usize].pose,
            Owner::Boundary(index) => &self.state.boundaries[index as usize].pose,
        }
    }

    /// The law of a bond.
    pub(crate) fn bond_law(&self, shapes: (u32, u32)) -> Option<&BondLaw> {
        self.work.rigid.bond_law(&self.setup.laws, shapes)
    }

    /// Which part of its coefficient of friction a contact has, by the damage of the bonds beside it.
    pub(crate) fn bond_friction(&self, contact: &crate::Contact<S>) -> f64 {
        let Some(law) = self.bond_law(contact.shapes) else { return 1.0 };
        let bonds = &self.state.bonds;
        let from = bonds.partition_point(|bond| bond.shapes < contact.shapes);
        let pair = bonds[from..].iter().take_while(|bond| bond.shapes == contact.shapes);
        law.friction_share(
            contact.point,
            pair.map(|bond| (self.bond_place(bond).point, bond.damage)),
        )
    }
}

impl<S: Dimension> crate::workspace::RigidWork<S> {
    /// The law of bonds between two shapes.
    pub(crate) fn bond_law<'a>(
        &self,
        laws: &'a crate::LawTable,
        (a, b): (u32, u32),
    ) -> Option<&'a BondLaw> {
        let material = |shape: u32| self.shapes.list[shape as usize].material;
        laws.get(material(a), material(b)).bond.as_ref()
    }
}
