//! Bodies: parts, mass, place, velocity; loads and initial forces on them.

use super::dimension::{SceneSpace, vector, vector_or_zero};
use super::{Builder, Made, Origin};
use crate::format::{BodyTable, InitialForceTable, LoadTable, PartTable, ShapeChoice, ShareWord};
use crate::plain::Text;
use crate::quantity::{Axial, Length, Rotation as RotationValue, Vector as Components};
use crate::report::{Draft, Span};
use crate::wrap::{Items, List, Pair};
use drystone_engine::{Body, InitialForce, Load, MassProperties, MaterialId, Owner, Part, Signal};
use drystone_space::{Inertia, Pose, Rotation, Space, Vector};

/// What a body and a boundary have in common.
pub(super) struct Parts<'a> {
    pub shape: &'a Option<ShapeChoice>,
    pub parts: &'a Option<Items<PartTable>>,
    pub material: &'a Option<Text>,
    pub span: Span,
    /// Whether every part must have a mass.
    pub solid: bool,
}

/// A spin or moment of the file; zero if absent.
pub(super) fn axial<S: Space, U, R>(value: &Option<Axial<U, R>>) -> S::Spin {
    value.as_ref().map_or(S::Spin::ZERO, |v| S::Spin::from_fn(|i| v.values[i]))
}

/// A rotation of the file; none if absent.
pub(super) fn rotation<S: Space>(value: &Option<RotationValue>) -> S::Rotation {
    value.as_ref().map_or(S::Rotation::IDENTITY, |v| {
        S::Rotation::exponential(S::Spin::from_fn(|i| v.values[i]))
    })
}

impl<S: SceneSpace> Builder<'_, S> {
    /// The bodies of the file.
    pub fn bodies(&mut self, list: &List<BodyTable>) {
        for (index, table) in list.items.iter().enumerate() {
            let owner = Some(Owner::Body(self.setup.bodies.len() as u32));
            self.names.claim(&table.name, owner, self.problems);
            if !self.room(1, table.span) {
                return;
            }
            let Some(mut made) = self.body(table) else { continue };
            made.body.set_name(table.name.as_ref().map_or("", |name| &name.value));
            let velocity = table.velocity.as_ref().map(|v| v.span);
            let origin = Origin { span: table.span, velocity, noun: "body", number: index + 1 };
            self.add(made, origin);
        }
    }

    /// One body, without its name.
    pub fn body(&mut self, table: &BodyTable) -> Option<Made<S>> {
        let parts = self.parts(&Parts {
            shape: &table.shape,
            parts: &table.parts,
            material: &table.material,
            span: table.span,
            solid: true,
        })?;
        let properties = self.mass(table, &parts)?;
        let pose =
            Pose::new(vector_or_zero::<S, _, _>(&table.position), rotation::<S>(&table.rotation));
        let mut body = Body::new(properties, parts, pose);
        body.velocity = vector_or_zero::<S, _, _>(&table.velocity);
        body.set_world_spin(axial::<S, _, _>(&table.spin));
        let force = vector_or_zero::<S, _, _>(&table.force);
        let torque = axial::<S, _, _>(&table.torque);
        Some(Made { body, force, torque })
    }

    /// A body of one shape and the density of its material, at the origin.
    pub fn simple(&mut self, shape: S::Shape, material: MaterialId, span: Span) -> Option<Body<S>> {
        self.made_of(vec![Part::new(shape, material)], span)
    }

    /// A body of some shapes and the densities of their materials, placed by their own axes.
    pub(super) fn made_of(&mut self, parts: Vec<Part<S>>, span: Span) -> Option<Body<S>> {
        let mut densities = Vec::with_capacity(parts.len());
        for part in &parts {
            densities.push(self.density(part.material, span)?);
        }
        let properties = MassProperties::of_parts(parts.iter().zip(densities))?;
        Some(Body::new(properties, parts, Pose::IDENTITY))
    }

    /// The density of a material, which it must have.
    fn density(&mut self, material: MaterialId, span: Span) -> Option<f64> {
        let density = self.materials.density(material);
        if density.is_none() {
            let name = self.materials.name(material);
            let draft = Draft::error(span, format!("the mass is unknown: `{name}` has no density"));
            self.problems.push(draft.help("give `density` to the material, or `mass` to the body"));
        }
        density
    }

    fn mass(&mut self, table: &BodyTable, parts: &[Part<S>]) -> Option<MassProperties<S>> {
        let Some(mass) = &table.mass else {
            if let Some(inertia) = &table.inertia {
                let draft = Draft::error(inertia.span, "inertia without mass");
                self.problems.push(draft.expected("`mass` as well"));
            }
            let mut densities = Vec::with_capacity(parts.len());
            for part in parts {
                densities.push(self.density(part.material, table.span)?);
            }
            return MassProperties::of_parts(parts.iter().zip(densities));
        };
        let uniform = MassProperties::of_parts(parts.iter().map(|part| (part, 1.0)))?;
        let inertia = match &table.inertia {
            Some(inertia) => {
                self.check_inertia(inertia, mass.value, parts);
                S::diagonal(S::Spin::from_fn(|i| inertia.values[i]))
            }
            None => S::Inertia::default().add(uniform.inertia, mass.value / uniform.mass),
        };
        Some(MassProperties { mass: mass.value, inertia, ..uniform })
    }

    /// The parts of a body or boundary.
    pub(super) fn parts(&mut self, given: &Parts) -> Option<Vec<Part<S>>> {
        let common = given.material.as_ref().map(|name| self.materials.find(name, self.problems));
        match (given.shape, given.parts) {
            (Some(shape), None) => self.shaped(shape, None, common, given),
            (None, Some(list)) if !list.items.is_empty() => {
                let mut made: Vec<Option<Vec<Part<S>>>> = Vec::new();
                for table in &list.items {
                    let place = Pose::new(
                        vector_or_zero::<S, _, _>(&table.position),
                        rotation::<S>(&table.rotation),
                    );
                    let parts = self.shaped(&table.shape, Some(table), common, given);
                    made.push(
                        parts.map(|parts| {
                            parts.into_iter().map(|part| part.placed(&place)).collect()
                        }),
                    );
                }
                let all: Option<Vec<Vec<Part<S>>>> = made.into_iter().collect();
                Some(all?.into_iter().flatten().collect())
            }
            (shape, parts) => {
                let (message, found) = match (shape, parts) {
                    (Some(_), Some(_)) => ("shape given twice", "`shape` and `parts`"),
                    (None, Some(_)) => ("no shape", "an empty list of parts"),
                    _ => ("no shape", "neither `shape` nor `parts`"),
                };
                let draft = Draft::error(given.span, message).found(found);
                self.problems.push(draft.expected("either `shape` or a list of `parts`"));
                None
            }
        }
    }

    /// The parts that one shape is made of: several for a polyline, a mesh or heights.
    fn shaped(
        &mut self,
        shape: &ShapeChoice,
        table: Option<&PartTable>,
        common: Option<Option<MaterialId>>,
        given: &Parts,
    ) -> Option<Vec<Part<S>>> {
        if matches!(shape, ShapeChoice::Mesh(_) | ShapeChoice::Heights(_)) {
            let material = self.part_material(table, common, given);
            if given.solid && !shape.solid() {
                self.not_solid(shape);
                return None;
            }
            let shapes = self.surface(shape, given.solid);
            let (material, shapes) = (material?, shapes?);
            return Some(shapes.into_iter().map(|shape| Part::new(shape, material)).collect());
        }
        let segments = self.segments(shape)?;
        let made: Vec<Option<Part<S>>> =
            segments.iter().map(|shape| self.part(shape, table, common, given)).collect();
        made.into_iter().collect()
    }

    fn not_solid(&mut self, shape: &ShapeChoice) {
        let draft = Draft::error(shape.span(), "shape of a boundary on a body");
        let draft = draft.found(format!("`{}`, which has no mass", shape.key()));
        self.problems.push(draft.expected("a shape that encloses an area or a volume"));
    }

    /// The segments of a polyline; any other shape as it is. `None` after a problem.
    fn segments(&mut self, shape: &ShapeChoice) -> Option<Vec<ShapeChoice>> {
        let ShapeChoice::Polyline(points) = shape else { return Some(vec![shape.clone()]) };
        if points.items.len() < 2 {
            let draft = Draft::error(points.span, "polyline without a segment");
            let draft = draft.found(format!("{} points", points.items.len()));
            self.problems.push(draft.expected("two points or more"));
            return None;
        }
        let segment = |ends: &[Components<Length>]| {
            let (first, second) = (ends[0].clone(), ends[1].clone());
            ShapeChoice::Segment(Pair { span: second.span, first, second })
        };
        Some(points.items.windows(2).map(segment).collect())
    }

    fn part(
        &mut self,
        shape: &ShapeChoice,
        table: Option<&PartTable>,
        common: Option<Option<MaterialId>>,
        given: &Parts,
    ) -> Option<Part<S>> {
        let material = self.part_material(table, common, given);
        if given.solid && !shape.solid() {
            self.not_solid(shape);
            return None;
        }
        let (shape, pose) = S::shape(shape, self.problems)?;
        Some(Part::new(shape, material?).at(pose))
    }

    /// The material of a part: its own, or that of the whole.
    fn part_material(
        &mut self,
        table: Option<&PartTable>,
        common: Option<Option<MaterialId>>,
        given: &Parts,
    ) -> Option<MaterialId> {
        let own = table.and_then(|table| table.material.as_ref());
        match own {
            Some(name) => self.materials.find(name, self.problems),
            None => common.unwrap_or_else(|| {
                let span = table.map_or(given.span, |table| table.span);
                let draft = Draft::error(span, "no material");
                self.problems.push(draft.expected("`material = …`, a name of a `[[material]]`"));
                None
            }),
        }
    }

    /// Loads that name their body.
    pub fn loads(&mut self, list: &List<LoadTable>) {
        for table in &list.items {
            let bodies = self.names.find_bodies(&table.on, self.problems);
            let factor = match &table.factor {
                Some(value) => self.signal(value),
                None => Some(Signal::Constant(1.0)),
            };
            if table.force.is_none() && table.torque.is_none() {
                let draft = Draft::error(table.span, "load without force or torque");
                self.problems.push(draft.expected("`force`, `torque` or both"));
            }
            let (start, stop) = self.interval(&table.start, &table.stop);
            let force = vector_or_zero::<S, _, _>(&table.force);
            let torque = axial::<S, _, _>(&table.torque);
            let (Some(bodies), Some(factor)) = (bodies, factor) else { continue };
            let mass: f64 = self.setup.bodies[bodies.clone()].iter().map(|body| body.mass).sum();
            for body in bodies {
                let share = match table.share {
                    Some(ShareWord::All) => self.setup.bodies[body].mass / mass,
                    _ => 1.0,
                };
                let (force, torque) = (force * share, torque * share);
                let factor = factor.clone();
                self.setup.loads.push(Load { body, force, torque, factor, start, stop });
            }
        }
    }

    /// Contact forces at the start.
    pub fn initial_forces(&mut self, list: &List<InitialForceTable>) {
        for table in &list.items {
            let on = self.names.find_body(&table.on, self.problems);
            let by = self.names.find(&table.by, "a body or boundary", self.problems);
            let (Some(on), Some(by)) = (on, by) else { continue };
            let on = Owner::Body(on as u32);
            if on == by {
                let draft = Draft::error(table.by.span, "a body exerts no contact force on itself");
                let draft = draft.found(format!("`{}` twice", table.by.value));
                self.problems.push(draft.expected("another body or a boundary"));
                continue;
            }
            let force = vector::<S, _, _>(&table.force);
            self.setup.initial_forces.push(InitialForce { on, by, force });
        }
    }
}
