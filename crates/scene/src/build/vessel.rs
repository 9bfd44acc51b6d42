//! Vessels and tools of a laboratory, as parts of a boundary: lines in the plane, plates in space.

use super::Builder;
use super::dimension::{SceneSpace, vector};
use crate::format::{BoundaryTable, VesselChoice};
use crate::report::{Draft, Span};
use drystone_detect::plane::PlaneShape;
use drystone_detect::volume::{Polyhedron, VolumeShape};
use drystone_detect::{Geometry, ShapeError};
use drystone_engine::Part;
use drystone_space::{DVec2, DVec3, Plane, Volume, math};
use std::f64::consts::{PI, TAU};

/// A vessel as it is asked for, in SI.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Vessel {
    Drum { radius: f64, sides: usize, length: f64, blades: f64 },
    Cylinder { radius: f64, height: f64, sides: usize },
    Hopper { outlet: f64, top: f64, height: f64, sides: usize },
    Box { size: [f64; 3], floor: bool },
    Teeth { length: f64, height: f64, count: usize, depth: f64 },
}

/// Thickness of plates in space, as a part of the vessel's size.
const THICKNESS: f64 = 0.05;

/// Vessels made of the shapes of a space.
pub(crate) trait Vessels: Geometry {
    fn vessel(vessel: &Vessel) -> Result<Vec<Self::Shape>, ShapeError>;
}

/// Corners of a regular outline whose flat sides have this distance from the origin, one side below.
fn outline(radius: f64, sides: usize) -> impl Fn(usize) -> DVec2 {
    let step = TAU / sides as f64;
    let corner = radius / math::cos(0.5 * step);
    move |index: usize| math::direction((index as f64 - 0.5) * step - 0.5 * PI) * corner
}

impl Vessels for Plane {
    fn vessel(vessel: &Vessel) -> Result<Vec<PlaneShape>, ShapeError> {
        let line = |corners: &[DVec2]| {
            corners.windows(2).map(|w| PlaneShape::Segment { start: w[0], end: w[1] }).collect()
        };
        let at = DVec2::new;
        Ok(match *vessel {
            Vessel::Drum { radius, sides, blades, .. } => {
                let corner = outline(radius, sides);
                let ring: Vec<DVec2> = (0..=sides).map(|i| corner(i % sides)).collect();
                let mut lines: Vec<PlaneShape> = line(&ring);
                for &start in ring[1..].iter().filter(|_| blades > 0.0) {
                    lines.push(PlaneShape::Segment {
                        start,
                        end: start - start.normalize() * blades,
                    });
                }
                lines
            }
            Vessel::Hopper { outlet, top, height, .. } => {
                let side = |sign: f64| [at(sign * 0.5 * top, height), at(sign * 0.5 * outlet, 0.0)];
                [line(&side(-1.0)), line(&side(1.0))].concat()
            }
            Vessel::Box { size: [width, height, _], floor } => {
                let x = 0.5 * width;
                match floor {
                    true => line(&[at(-x, height), at(-x, 0.0), at(x, 0.0), at(x, height)]),
                    false => {
                        [line(&[at(-x, height), at(-x, 0.0)]), line(&[at(x, 0.0), at(x, height)])]
                            .concat()
                    }
                }
            }
            Vessel::Teeth { length, height, count, .. } => {
                let pitch = length / count as f64;
                let corner = |i: usize| {
                    at(0.5 * i as f64 * pitch - 0.5 * length, if i % 2 == 1 { height } else { 0.0 })
                };
                line(&(0..=2 * count).map(corner).collect::<Vec<_>>())
            }
            Vessel::Cylinder { .. } => Vec::new(),
        })
    }
}

/// A plate: an outline, and the same moved outward.
fn plate(corners: &[DVec3], outward: DVec3) -> Result<VolumeShape, ShapeError> {
    let outer = corners.iter().map(|&corner| corner + outward);
    let all: Vec<DVec3> = corners.iter().copied().chain(outer).collect();
    Polyhedron::hull(&all).map(VolumeShape::Polyhedron)
}

/// Plates about an axis, between two rings of corners.
fn sides(
    count: usize,
    near: &dyn Fn(usize) -> DVec3,
    far: &dyn Fn(usize) -> DVec3,
    thickness: f64,
) -> Result<Vec<VolumeShape>, ShapeError> {
    let all = (0..count).map(|i| near(i) + far(i));
    let centre = all.sum::<DVec3>() / (2 * count) as f64;
    let side = |i: usize| {
        let corners = [near(i), near((i + 1) % count), far((i + 1) % count), far(i)];
        let normal = (corners[1] - corners[0]).cross(corners[3] - corners[0]).normalize();
        let outward = if normal.dot(corners[0] - centre) < 0.0 { -normal } else { normal };
        plate(&corners, outward * thickness)
    };
    (0..count).map(side).collect()
}

impl Vessels for Volume {
    fn vessel(vessel: &Vessel) -> Result<Vec<VolumeShape>, ShapeError> {
        let at = DVec3::new;
        match *vessel {
            Vessel::Drum { radius, sides: count, length, blades } => {
                let (corner, thick) = (outline(radius, count), THICKNESS * radius);
                let ring = |y: f64| {
                    let corner = &corner;
                    move |i: usize| at(corner(i).x, y, corner(i).y)
                };
                let (front, back) = (ring(-0.5 * length), ring(0.5 * length));
                let mut plates = sides(count, &front, &back, thick)?;
                for (end, out) in [(&front as &dyn Fn(usize) -> DVec3, -1.0), (&back, 1.0)] {
                    let corners: Vec<DVec3> = (0..count).map(end).collect();
                    plates.push(plate(&corners, DVec3::Y * (out * thick))?);
                }
                for i in (0..count).filter(|_| blades > 0.0) {
                    let inward = -at(corner(i).x, 0.0, corner(i).y).normalize();
                    let across = inward.cross(DVec3::Y) * (0.5 * THICKNESS * blades);
                    let ends =
                        [front(i), back(i), back(i) + inward * blades, front(i) + inward * blades];
                    plates.push(plate(&ends.map(|p| p - across), across * 2.0)?);
                }
                Ok(plates)
            }
            Vessel::Cylinder { radius, height, sides: count } => {
                let corner = outline(radius, count);
                let ring = |z: f64| {
                    let corner = &corner;
                    move |i: usize| corner(i).extend(z)
                };
                sides(count, &ring(0.0), &ring(height), THICKNESS * radius)
            }
            Vessel::Hopper { outlet, top, height, sides: count } => {
                let (low, high) = (outline(0.5 * outlet, count), outline(0.5 * top, count));
                sides(count, &|i| low(i).extend(0.0), &|i| high(i).extend(height), THICKNESS * top)
            }
            Vessel::Box { size: [width, depth, height], floor } => {
                let thick = THICKNESS * width.max(depth);
                let (x, y) = (0.5 * width, 0.5 * depth);
                let ring = |z: f64| {
                    move |i: usize| [at(-x, -y, z), at(x, -y, z), at(x, y, z), at(-x, y, z)][i]
                };
                let mut plates = sides(4, &ring(0.0), &ring(height), thick)?;
                if floor {
                    let corners: Vec<DVec3> = (0..4).map(ring(0.0)).collect();
                    plates.push(plate(&corners, DVec3::NEG_Z * thick)?);
                }
                Ok(plates)
            }
            Vessel::Teeth { length, height, count, depth } => {
                let pitch = length / count as f64;
                let tooth = |i: usize| {
                    let x = i as f64 * pitch - 0.5 * length;
                    let corners = [(x, 0.0), (x + pitch, 0.0), (x + 0.5 * pitch, height)];
                    plate(&corners.map(|(x, z)| at(x, -0.5 * depth, z)), DVec3::Y * depth)
                };
                (0..count).map(tooth).collect()
            }
        }
    }
}

impl<S: SceneSpace> Builder<'_, S> {
    /// The parts of a vessel.
    pub(super) fn vessel(
        &mut self,
        choice: &VesselChoice,
        table: &BoundaryTable,
    ) -> Option<Vec<Part<S>>> {
        let given = [("shape", table.shape.is_some()), ("parts", table.parts.is_some())];
        let (vessel, span) = self.asked(choice)?;
        if let Some((key, _)) = given.into_iter().find(|(_, given)| *given) {
            let draft = Draft::error(span, "shape given twice");
            let draft = draft.found(format!("`vessel` and `{key}`"));
            self.problems.push(draft.expected("one of `shape`, `parts`, `paving` or `vessel`"));
            return None;
        }
        let Some(name) = &table.material else {
            let draft = Draft::error(table.span, "vessel without material");
            self.problems.push(draft.help("add `material = …`"));
            return None;
        };
        let material = self.materials.find(name, self.problems)?;
        match S::vessel(&vessel) {
            Ok(shapes) => {
                Some(shapes.into_iter().map(|shape| Part::new(shape, material)).collect())
            }
            Err(error) => {
                super::dimension::shape_problem(error, span, "the vessel", self.problems);
                None
            }
        }
    }

    /// What is asked for, with its checks.
    fn asked(&mut self, choice: &VesselChoice) -> Option<(Vessel, Span)> {
        let space = S::DIMENSION == 3;
        let count = |n: &Option<crate::plain::Whole<3, 1000>>, usual: usize| {
            n.as_ref().map_or(usual, |n| n.value as usize)
        };
        // Keys that space needs and the plane has not.
        let mut deep = |span: Span, key: &str, value: Option<f64>| match (space, value) {
            (true, None) => {
                let draft = Draft::error(span, format!("vessel without `{key}`"));
                self.problems.push(draft.help(format!("add `{key} = …`")));
                None
            }
            (false, Some(_)) => {
                let draft = Draft::error(span, format!("`{key}` of a vessel in the plane"));
                self.problems.push(draft.help(format!("leave out `{key}`")));
                None
            }
            _ => Some(value.unwrap_or(0.0)),
        };
        Some(match choice {
            VesselChoice::Drum(t) => {
                let length = deep(t.span, "length", t.length.as_ref().map(|n| n.value))?;
                let (radius, sides) = (t.radius.value, count(&t.sides, 48));
                let blades = t.blades.as_ref().map_or(0.0, |n| n.value);
                if blades >= radius {
                    let draft = Draft::error(t.span, "blades that reach beyond the axis");
                    let draft = draft.found(format!("{blades} m"));
                    self.problems.push(draft.expected(format!("less than the radius, {radius} m")));
                    return None;
                }
                (Vessel::Drum { radius, sides, length, blades }, t.span)
            }
            VesselChoice::Cylinder(t) if space => {
                let (radius, height) = (t.radius.value, t.height.value);
                (Vessel::Cylinder { radius, height, sides: count(&t.sides, 32) }, t.span)
            }
            VesselChoice::Cylinder(t) => {
                let draft = Draft::error(t.span, "cylinder in the plane");
                self.problems.push(draft.help("`box` with the same width, or `drum`"));
                return None;
            }
            VesselChoice::Hopper(t) => {
                let (outlet, top, height) = (t.outlet.value, t.top.value, t.height.value);
                if outlet >= top {
                    let draft = Draft::error(t.outlet.span, "outlet as wide as the hopper");
                    let draft = draft.found(format!("{outlet} m"));
                    self.problems.push(draft.expected(format!("less than `top`, {top} m")));
                    return None;
                }
                (Vessel::Hopper { outlet, top, height, sides: count(&t.sides, 24) }, t.span)
            }
            VesselChoice::Box(t) => {
                let size = vector::<S, _, _>(&t.size);
                let size = std::array::from_fn(|i| {
                    if i < S::DIMENSION { drystone_space::Vector::get(size, i) } else { 0.0 }
                });
                (Vessel::Box { size, floor: t.floor.unwrap_or(true) }, t.span)
            }
            VesselChoice::Teeth(t) => {
                let depth = deep(t.span, "depth", t.depth.as_ref().map(|n| n.value))?;
                let (length, height, count) = (t.length.value, t.height.value, t.count.get());
                (Vessel::Teeth { length, height, count, depth }, t.span)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_detect::{Extent, Manifold};
    use drystone_space::Pose;

    /// A ball that just fits touches the walls, and none overlaps it.
    #[test]
    fn vessels_are_as_wide_as_they_should_be() {
        let holds = |vessel: &Vessel, at: DVec3, radius: f64, touching: usize| {
            let ball = VolumeShape::Sphere { radius };
            let mut gaps = Vec::new();
            for shape in Volume::vessel(vessel).unwrap() {
                let Extent::Box(_) = Volume::extent(&shape, &Pose::IDENTITY) else {
                    panic!("a plate")
                };
                let mut manifold = Manifold::default();
                Volume::collide(
                    (&ball, &Pose::at(at)),
                    (&shape, &Pose::IDENTITY),
                    0.01,
                    &mut manifold,
                );
                gaps.extend(manifold.touches().iter().map(|touch| touch.gap));
            }
            assert!(gaps.iter().all(|gap| *gap > -1e-9), "{vessel:?}: {gaps:?}");
            let near = gaps.iter().filter(|gap| gap.abs() < 1e-9).count();
            assert!(near >= touching, "{vessel:?}: {near} of {touching}, {gaps:?}");
        };
        let drum = Vessel::Drum { radius: 0.5, sides: 24, length: 1.0, blades: 0.0 };
        holds(&drum, DVec3::ZERO, 0.5, 26);
        let cylinder = Vessel::Cylinder { radius: 0.5, height: 2.0, sides: 32 };
        holds(&cylinder, DVec3::new(0.0, 0.0, 1.0), 0.5, 32);
        let tray = Vessel::Box { size: [1.0, 1.0, 2.0], floor: true };
        holds(&tray, DVec3::new(0.0, 0.0, 0.5), 0.5, 5);
        // A cone of 45° whose sides meet at the origin if they went on: r = d sin 45°.
        let hopper = Vessel::Hopper { outlet: 0.2, top: 2.0, height: 0.9, sides: 24 };
        let height = 0.5;
        holds(&hopper, DVec3::new(0.0, 0.0, height), (height + 0.1) / 2f64.sqrt(), 24);
    }

    #[test]
    fn a_drum_of_the_plane_is_closed_and_as_wide_as_it_should_be() {
        let drum = Vessel::Drum { radius: 0.5, sides: 48, length: 0.0, blades: 0.1 };
        let shapes = Plane::vessel(&drum).unwrap();
        assert_eq!(shapes.len(), 96);
        for shape in &shapes[..48] {
            let PlaneShape::Segment { start, end } = shape else { panic!("a segment") };
            assert!(((*start + *end).length() - 1.0).abs() < 1e-12);
        }
        let teeth = Vessel::Teeth { length: 2.0, height: 0.1, count: 10, depth: 0.0 };
        assert_eq!(Plane::vessel(&teeth).unwrap().len(), 20);
    }
}
