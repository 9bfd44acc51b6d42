//! Rigid bodies.

use crate::{BodyState, Dimension, MaterialId};
use drystone_detect::Geometry;
use drystone_space::{Inertia, Pose, Rotation, Space, Vector};
use std::ops::Deref;

/// One shape of a body or boundary, placed in its axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Part<S: Geometry> {
    /// The shape in its own axes.
    pub shape: S::Shape,
    /// What it is made of: selects the law of its contacts.
    pub material: MaterialId,
    /// Where it stands, if not in the axes of its body: most shapes have no need of it.
    pose: Option<Box<Pose<S>>>,
}

impl<S: Geometry> Part<S> {
    /// A shape in the axes of its body.
    pub fn new(shape: S::Shape, material: MaterialId) -> Self {
        Self { shape, material, pose: None }
    }

    /// The same part at another place: `pose` is `body_from_shape`.
    pub fn at(mut self, pose: Pose<S>) -> Self {
        self.pose = Some(pose).filter(|&pose| pose != Pose::IDENTITY).map(Box::new);
        self
    }

    /// The same part where `outer` places its axes.
    pub fn placed(self, outer: &Pose<S>) -> Self {
        let pose = outer.compose(&self.pose());
        self.at(pose)
    }

    /// `body_from_shape`.
    #[inline]
    pub fn pose(&self) -> Pose<S> {
        self.pose.as_deref().copied().unwrap_or(Pose::IDENTITY)
    }

    /// Where it is with its body at `body`.
    #[inline]
    pub(crate) fn pose_in(&self, body: &Pose<S>) -> Pose<S> {
        self.pose.as_deref().map_or(*body, |pose| body.compose(pose))
    }
}

/// The shapes of a body. One alone, as most bodies have, stands in the body itself.
#[derive(Clone, Debug, PartialEq)]
pub enum Parts<S: Geometry> {
    /// One shape.
    One(Part<S>),
    /// Several, or none.
    Many(Vec<Part<S>>),
}

impl<S: Geometry> From<Vec<Part<S>>> for Parts<S> {
    fn from(mut parts: Vec<Part<S>>) -> Self {
        match (parts.pop(), parts.is_empty()) {
            (Some(only), true) => Self::One(only),
            (last, _) => {
                parts.extend(last);
                Self::Many(parts)
            }
        }
    }
}

impl<S: Geometry> Deref for Parts<S> {
    type Target = [Part<S>];

    fn deref(&self) -> &[Part<S>] {
        match self {
            Self::One(only) => std::slice::from_ref(only),
            Self::Many(parts) => parts,
        }
    }
}

impl<'a, S: Geometry> IntoIterator for &'a Parts<S> {
    type Item = &'a Part<S>;
    type IntoIter = std::slice::Iter<'a, Part<S>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Mass and inertia of a body about its centre of mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties<S: Space> {
    /// Mass.
    pub mass: f64,
    /// Centre of mass, in the axes that the parts are given in.
    pub centre: S::Vector,
    /// Inertia about that centre, in the same axes.
    pub inertia: S::Inertia,
}

impl<S: Geometry> MassProperties<S> {
    /// Sums the parts, each with its density; overlaps of parts count twice.
    ///
    /// `None` if a part encloses no volume.
    pub fn of_parts<'a>(parts: impl Iterator<Item = (&'a Part<S>, f64)> + Clone) -> Option<Self> {
        let mut mass = 0.0;
        let mut first_moment = S::Vector::ZERO;
        for (part, density) in parts.clone() {
            let solid = S::solid(&part.shape)?;
            mass += density * solid.measure;
            first_moment += part.pose().point(solid.centre) * (density * solid.measure);
        }
        let centre = first_moment / mass;
        let mut inertia = S::Inertia::default();
        for (part, density) in parts {
            let solid = S::solid(&part.shape)?;
            let arm = part.pose().point(solid.centre) - centre;
            inertia = inertia
                .add(solid.inertia.turned(part.pose().rotation), density)
                .add(S::Inertia::of_point(arm), density * solid.measure);
        }
        Some(Self { mass, centre, inertia })
    }
}

/// What never changes of a body that is one disk or ball.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grain<S: Space> {
    pub mass: f64,
    pub moments: S::Spin,
    pub radius: f64,
    pub material: MaterialId,
}

/// A rigid body. Its axes are the principal axes of inertia at the centre of mass.
#[derive(Clone, Debug, PartialEq)]
pub struct Body<S: Geometry> {
    /// `world_from_body`.
    pub pose: Pose<S>,
    /// Velocity of the centre of mass.
    pub velocity: S::Vector,
    /// Spin, in body axes.
    pub spin: S::Spin,
    /// Mass.
    pub mass: f64,
    /// Principal moments of inertia.
    pub moments: S::Spin,
    /// Its shapes, in body axes.
    pub parts: Parts<S>,
    /// When it entered the scene.
    pub born: f64,
    /// What is not as it is with most bodies.
    origin: Option<Box<Origin<S>>>,
}

/// How the scene gave a body that has a name, or axes of its own. In a scene of many grains these have neither.
#[derive(Clone, Debug, PartialEq)]
struct Origin<S: Geometry> {
    name: Box<str>,
    /// From the axes that the parts were given in to body axes.
    axes: S::Rotation,
}

impl<S: Geometry> Origin<S> {
    fn new(name: Box<str>, axes: S::Rotation) -> Option<Box<Self>> {
        let usual = name.is_empty() && axes == S::Rotation::IDENTITY;
        (!usual).then(|| Box::new(Self { name, axes }))
    }
}

impl<S: Geometry> Body<S> {
    /// A body at rest from parts given in any axes: `pose` places those axes in the world.
    ///
    /// The body's own axes become the principal ones at the centre of mass.
    pub fn new(properties: MassProperties<S>, parts: Vec<Part<S>>, pose: Pose<S>) -> Self {
        let (moments, axes) = properties.inertia.principal();
        let given_from_body = Pose::new(properties.centre, axes);
        let body_from_given = given_from_body.inverse();
        let placed = parts.into_iter().map(|part| part.placed(&body_from_given));
        let parts = Parts::from(placed.collect::<Vec<_>>());
        Self {
            pose: pose.compose(&given_from_body),
            velocity: S::Vector::ZERO,
            spin: S::Spin::ZERO,
            mass: properties.mass,
            moments,
            parts,
            born: 0.0,
            origin: Origin::new(Box::default(), body_from_given.rotation),
        }
    }
    /// Name in the scene; empty for generated bodies.
    pub fn name(&self) -> &str {
        self.origin.as_ref().map_or("", |origin| &origin.name)
    }
    /// Gives it a name.
    pub fn set_name(&mut self, name: impl Into<Box<str>>) {
        self.origin = Origin::new(name.into(), self.given_axes());
    }
    /// From the axes that the parts were given in to body axes.
    pub fn given_axes(&self) -> S::Rotation {
        self.origin.as_ref().map_or(S::Rotation::IDENTITY, |origin| origin.axes)
    }
    /// Spin in world axes.
    pub fn world_spin(&self) -> S::Spin {
        self.pose.rotation.apply_spin(self.spin)
    }
    /// Sets the spin from world axes.
    pub fn set_world_spin(&mut self, spin: S::Spin) {
        self.spin = self.pose.rotation.apply_spin_inverse(spin);
    }
    /// Kinetic energy.
    pub fn kinetic_energy(&self) -> f64 {
        0.5 * self.mass * self.velocity.norm_squared()
            + 0.5 * self.spin.dot(self.moments.scale(self.spin))
    }
}

impl<S: Dimension> Body<S> {
    /// What never changes of it, where it is a disk or ball about its centre without a name, as grains are.
    pub(crate) fn grain(&self) -> Option<Grain<S>> {
        let Parts::One(part) = &self.parts else { return None };
        let plain = part.pose.is_none() && self.origin.is_none();
        let radius = S::radius(&part.shape).filter(|_| plain)?;
        let Self { mass, moments, .. } = *self;
        Some(Grain { mass, moments, radius, material: part.material })
    }

    /// Such a body.
    pub(crate) fn of_grain(grain: &Grain<S>, state: &BodyState<S>) -> Self {
        let &Grain { mass, moments, radius, material } = grain;
        let &BodyState { pose, velocity, spin, born } = state;
        let parts = Parts::One(Part::new(S::ball(radius), material));
        Self { pose, velocity, spin, mass, moments, parts, born, origin: None }
    }
}
