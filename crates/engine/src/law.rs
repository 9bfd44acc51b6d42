//! Materials and the laws between them.

use crate::{BondForms, BondLaw, ContactSpring, Dimension};
use drystone_solve::{Ellipse, ImpactLaw, Interval, PolygonSection, Section, VolumeSection};
use drystone_space::{DVec2, DVec3, Plane, Vector, Volume};
use std::sync::Arc;

pub use drystone_solve::{
    Curve, CurveError, CurvePoints, FrictionPolygon, PolygonError, Resistance,
};

/// Index of a material in the scene's list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MaterialId(pub u32);

/// The direction that friction coefficients refer to: it turns with one of the two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Principal {
    /// In the axes in which that body was described; its projection on the contact plane counts. In
    /// the plane the third component has no meaning.
    pub direction: DVec3,
    /// The material that carries it. Where it is none or both, a boundary carries it, or else the
    /// body that the normal points toward.
    pub carrier: Option<MaterialId>,
}

/// The bound on tangential impulses, per normal impulse.
#[derive(Clone, Debug, PartialEq)]
pub enum Friction {
    /// Coulomb's coefficient; 0 is the frictionless law.
    Isotropic(f64),
    /// In space: coefficients along and across the direction. In the plane: against sliding of the
    /// other body along the direction, and against it.
    Directed([f64; 2], Principal),
    /// In space: forces on the body that slides over the carrier, the first axis being the
    /// direction and the second the carrier's outward normal × direction.
    Polygon(Arc<FrictionPolygon>, Principal),
    /// No bound: for viscous friction alone.
    Unbounded,
}

impl Default for Friction {
    fn default() -> Self {
        Friction::Isotropic(0.0)
    }
}

impl From<f64> for Friction {
    fn from(coefficient: f64) -> Self {
        Friction::Isotropic(coefficient)
    }
}

impl Friction {
    /// The largest coefficient of all directions.
    pub fn largest(&self) -> f64 {
        match self {
            Friction::Isotropic(coefficient) => *coefficient,
            Friction::Directed([a, b], _) => a.max(*b),
            Friction::Polygon(polygon, _) => polygon.largest(),
            Friction::Unbounded => f64::INFINITY,
        }
    }
    /// The direction, if coefficients depend on one.
    pub fn principal(&self) -> Option<&Principal> {
        match self {
            Friction::Directed(_, principal) | Friction::Polygon(_, principal) => Some(principal),
            Friction::Isotropic(_) | Friction::Unbounded => None,
        }
    }
}

/// Attraction of touching bodies: the contact pulls with up to this force before it opens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cohesion {
    /// Largest pull; 0 is none.
    pub force: f64,
    /// Gap up to which the pull is there.
    pub range: f64,
    /// Whether it is there for every contact, or only for those of the first step until they break.
    pub reversible: bool,
}

impl Default for Cohesion {
    fn default() -> Self {
        Self { force: 0.0, range: 0.0, reversible: true }
    }
}

/// Moreau's law of impact and friction, with what can be added to it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MoreauLaw {
    /// Bound on tangential impulses.
    pub friction: Friction,
    /// Normal restitution ρ, in the formal velocity (Moreau 2003, (33)).
    pub normal_restitution: f64,
    /// Tangential restitution τ, in the formal velocity (Moreau 2003, (34)).
    pub tangential_restitution: f64,
    /// Tangential force by sliding velocity, below the bound of friction; 0 is dry friction.
    pub viscosity: f64,
    /// Bounds on the couples against rolling and spinning.
    pub resistance: Resistance,
    /// Cohesion.
    pub cohesion: Cohesion,
    /// The law of impacts, in place of both restitutions.
    pub impact: Option<ImpactLaw>,
}

impl MoreauLaw {
    /// Coulomb's coefficient, if that is all that the solver must know.
    fn plain_friction(&self) -> Option<f64> {
        let loose = self.viscosity == 0.0
            && self.resistance == Resistance::default()
            && self.cohesion.force == 0.0;
        match self.friction {
            Friction::Isotropic(coefficient) if loose => Some(coefficient),
            _ => None,
        }
    }
}

/// A-CD²: percussions from pseudopotentials of dissipation (Dal Pont & Dimnet 2006).
#[derive(Clone, Debug, PartialEq)]
pub struct PercussionLaw {
    /// f_N against the mean normal velocity.
    pub normal: Curve,
    /// Whether f_N also acts against separation.
    pub pulls: bool,
    /// f_T against the mean tangential velocity, below the bound of friction.
    pub tangential: Curve,
    /// Coulomb's coefficient, which bounds tangential percussions; infinite where nothing but f_T does.
    pub friction: f64,
}

/// What a contact obeys: one law or the other, never parts of both.
#[derive(Clone, Debug, PartialEq)]
pub enum ContactLaw {
    /// Restitution, friction and more.
    Moreau(MoreauLaw),
    /// Percussions of A-CD².
    Percussion(PercussionLaw),
}

impl Default for ContactLaw {
    fn default() -> Self {
        ContactLaw::Moreau(MoreauLaw::default())
    }
}

/// The law of a pair of materials.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PairLaw {
    /// What its contacts obey.
    pub contact: ContactLaw,
    /// Force by the gap, beside the contacts.
    pub spring: ContactSpring,
    /// Bonds, beside the contacts or in their place.
    pub bond: Option<BondLaw>,
}

impl From<MoreauLaw> for PairLaw {
    fn from(law: MoreauLaw) -> Self {
        Self { contact: ContactLaw::Moreau(law), ..Self::default() }
    }
}

impl From<PercussionLaw> for PairLaw {
    fn from(law: PercussionLaw) -> Self {
        Self { contact: ContactLaw::Percussion(law), ..Self::default() }
    }
}

impl PairLaw {
    /// Moreau's law, if it is that one.
    pub fn moreau(&self) -> Option<&MoreauLaw> {
        match &self.contact {
            ContactLaw::Moreau(law) => Some(law),
            ContactLaw::Percussion(_) => None,
        }
    }
    /// The largest coefficient of friction of all directions.
    pub fn largest_friction(&self) -> f64 {
        match &self.contact {
            ContactLaw::Moreau(law) => law.friction.largest(),
            ContactLaw::Percussion(law) => law.friction,
        }
    }
    /// ρ and τ of what the solver's velocity keeps of the one before; A-CD² keeps nothing there.
    pub(crate) fn restitution(&self) -> [f64; 2] {
        let law = self.moreau();
        law.map_or([0.0; 2], |law| [law.normal_restitution, law.tangential_restitution])
    }
    /// The law of impacts in impulse space, if there is one.
    pub fn impact(&self) -> Option<&ImpactLaw> {
        self.moreau()?.impact.as_ref()
    }
    /// Whether what comes together may come apart again.
    #[inline]
    pub(crate) fn rebounds(&self) -> bool {
        self.restitution() != [0.0; 2] || self.impact().is_some()
    }
    /// ρ and τ of the formal velocity that the ledger splits losses by, where they are not those of the law. In A-CD² that
    /// velocity is the mean of those before and after.
    pub(crate) fn formal_restitution(&self) -> Option<[f64; 2]> {
        match self.contact {
            ContactLaw::Moreau(_) => None,
            ContactLaw::Percussion(_) => Some([1.0; 2]),
        }
    }
    /// Cohesion; A-CD² has none.
    pub(crate) fn cohesion(&self) -> Cohesion {
        self.moreau().map_or(Cohesion::default(), |law| law.cohesion)
    }
    /// Coulomb's coefficient, if that is all that the solver must know.
    pub(crate) fn plain_friction(&self) -> Option<f64> {
        self.coulomb_friction().filter(|_| self.bond.is_none())
    }
    /// The same, also where there are bonds beside the contact, by which it may have less.
    pub(crate) fn coulomb_friction(&self) -> Option<f64> {
        self.moreau()?.plain_friction()
    }
}

/// Laws of all pairs of materials; symmetric.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LawTable {
    materials: usize,
    laws: Vec<PairLaw>,
    /// The same as they were given, where a phase has less friction.
    given: Option<Vec<PairLaw>>,
}

impl LawTable {
    /// The same law for all pairs of `materials` materials.
    pub fn uniform(materials: usize, law: impl Into<PairLaw>) -> Self {
        Self { materials, laws: vec![law.into(); materials * materials], given: None }
    }
    /// Sets the law of one pair.
    pub fn set(&mut self, a: MaterialId, b: MaterialId, law: impl Into<PairLaw>) {
        let law = law.into();
        for (a, b) in [(a, b), (b, a)] {
            self.laws[a.0 as usize * self.materials + b.0 as usize] = law.clone();
        }
    }
    /// The law of one pair.
    #[inline]
    pub fn get(&self, a: MaterialId, b: MaterialId) -> &PairLaw {
        &self.laws[a.0 as usize * self.materials + b.0 as usize]
    }
    /// From now on no pair under Coulomb's law has more friction than this; all have what was given without it.
    pub(crate) fn cap_friction(&mut self, most: Option<f64>) {
        if most.is_none() && self.given.is_none() {
            return;
        }
        let given = self.given.get_or_insert_with(|| self.laws.clone());
        self.laws.clone_from(given);
        let Some(most) = most else { return };
        for law in &mut self.laws {
            if let ContactLaw::Moreau(MoreauLaw { friction: Friction::Isotropic(own), .. }) =
                &mut law.contact
            {
                *own = own.min(most);
            }
        }
    }
    /// Number of materials.
    pub fn materials(&self) -> usize {
        self.materials
    }
    /// Longest gap at which a cohesion or a contact spring acts.
    pub(crate) fn range(&self) -> f64 {
        let cohesions = self.laws.iter().map(PairLaw::cohesion);
        let ranges = cohesions.filter(|pull| pull.force > 0.0).map(|pull| pull.range);
        ranges.chain(self.laws.iter().map(|law| law.spring.reach)).fold(0.0, f64::max)
    }
    /// Whether Coulomb's coefficient is all that the solver must know of every pair.
    pub(crate) fn is_plain(&self) -> bool {
        self.laws.iter().all(|law| law.plain_friction().is_some())
    }
    /// Whether Coulomb's coefficient is all of every contact, beside bonds too.
    pub(crate) fn is_coulomb(&self) -> bool {
        self.laws.iter().all(|law| law.coulomb_friction().is_some())
    }
    /// Whether any pair has a law of A-CD².
    pub fn has_percussions(&self) -> bool {
        self.laws.iter().any(|law| law.moreau().is_none())
    }
    /// The laws of all pairs.
    pub(crate) fn all(&self) -> impl Iterator<Item = &PairLaw> {
        self.laws.iter()
    }
    /// Whether any pair has a law of impacts in impulse space.
    pub fn has_impacts(&self) -> bool {
        self.laws.iter().any(|law| law.impact().is_some())
    }
    /// Whether any pair has bonds.
    pub fn has_bonds(&self) -> bool {
        self.laws.iter().any(|law| law.bond.is_some())
    }
    /// Whether any pair has bonds that are made on contact.
    pub(crate) fn forms_bonds(&self) -> bool {
        let mut bonds = self.laws.iter().filter_map(|law| law.bond.as_ref());
        bonds.any(|bond| bond.forms != BondForms::Start)
    }
    /// Whether any pair has a contact spring.
    pub(crate) fn has_springs(&self) -> bool {
        self.laws.iter().any(|law| law.spring.reach > 0.0)
    }
}

/// How a space makes sections of friction cones.
pub trait Sections: drystone_solve::Blocks {
    /// The section in the tangent axes of a contact, `direction` being the principal direction
    /// there (a unit vector); `carried_by_first` if it turns with the body that the impulses act on.
    fn section(
        friction: &Friction,
        direction: Self::Tangent,
        carried_by_first: bool,
    ) -> Option<Self::Section>;
}

impl Sections for Plane {
    fn section(friction: &Friction, direction: f64, carried_by_first: bool) -> Option<Interval> {
        // Friction on the other body along the direction, from the least to the largest.
        let [least, largest] = match friction {
            Friction::Isotropic(coefficient) => return Some(Interval::round(*coefficient)),
            Friction::Unbounded => return None,
            Friction::Directed([along, against], _) => [-along, *against],
            Friction::Polygon(polygon, _) => {
                [-polygon.support(DVec2::NEG_X), polygon.support(DVec2::X)]
            }
        };
        // By Newton's third law a carrier that is first feels the opposite.
        let same_way = (direction >= 0.0) != carried_by_first;
        Some(match same_way {
            true => Interval { low: least, high: largest },
            false => Interval { low: -largest, high: -least },
        })
    }
}

impl Sections for Volume {
    fn section(
        friction: &Friction,
        direction: DVec2,
        carried_by_first: bool,
    ) -> Option<VolumeSection> {
        match friction {
            Friction::Isotropic(coefficient) => Some(VolumeSection::round(*coefficient)),
            Friction::Unbounded => None,
            Friction::Directed(coefficients, _) => Some(VolumeSection::Ellipse(Ellipse {
                axis: direction,
                coefficients: *coefficients,
            })),
            // A carrier that is first feels the opposite, and its outward normal is the opposite:
            // the first axis turns round, the second stays.
            Friction::Polygon(polygon, _) => Some(VolumeSection::Polygon(PolygonSection {
                axes: [if carried_by_first { -direction } else { direction }, direction.perp()],
                polygon: polygon.clone(),
            })),
        }
    }
}

/// The direction as a vector of the space.
pub(crate) fn direction_in<S: Dimension>(direction: DVec3) -> S::Vector {
    S::Vector::from_fn(|i| direction[i])
}
