//! Grains that are not round: random convex polygons and polyhedra, clusters inside of ellipses.

use super::Builder;
use super::dimension::SceneSpace;
use super::generate::Grains;
use super::sizes::Distribution;
use crate::format::{EllipseTable, IrregularTable};
use crate::report::{Draft, Span};
use drystone_detect::plane::{PlaneShape, Polygon};
use drystone_detect::volume::{Polyhedron, VolumeShape};
use drystone_detect::{Geometry, ShapeError};
use drystone_engine::{Body, MassProperties, MaterialId, Part};
use drystone_space::{DVec2, DVec3, Plane, Pose, Random, Vector, Volume, math};
use std::f64::consts::{PI, TAU};

/// How the corners of a grain lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Irregular {
    /// Longest axis of the ellipse by its shortest.
    pub elongation: f64,
    /// How far corners are from regular places, as a part of half their distance.
    pub irregularity: f64,
}

/// Shapes that only one space has.
pub(crate) trait Shapes: Geometry {
    /// Fewest corners of a grain.
    const FEWEST: usize;
    /// A convex grain whose corners lie on an ellipse about the origin.
    fn irregular(
        corners: usize,
        radius: f64,
        form: Irregular,
        random: &mut Random,
    ) -> Result<Self::Shape, ShapeError>;
    /// Outward normals and offsets of the faces of a polygon or polyhedron; `None` of other shapes.
    fn faces(shape: &Self::Shape) -> Option<Vec<(Self::Vector, f64)>>;
    /// Measure of an ellipse (an ellipsoid of revolution about x) with these half axes, and its inertia by mass.
    fn ellipse(long: f64, short: f64) -> (f64, Self::Spin);
}

impl Shapes for Plane {
    const FEWEST: usize = 3;

    fn irregular(
        corners: usize,
        radius: f64,
        form: Irregular,
        random: &mut Random,
    ) -> Result<PlaneShape, ShapeError> {
        let Irregular { elongation, irregularity } = form;
        let corner = |index: usize| {
            // Half a step to either side at most, and never onto the next.
            let shift = 0.98 * irregularity * random.between(-0.5, 0.5);
            let at = math::direction(TAU * (index as f64 + shift) / corners as f64);
            DVec2::new(radius * at.x, radius / elongation * at.y)
        };
        let corners: Vec<DVec2> = (0..corners).map(corner).collect();
        Polygon::new(&corners).map(PlaneShape::Polygon)
    }
    fn faces(shape: &PlaneShape) -> Option<Vec<(DVec2, f64)>> {
        let PlaneShape::Polygon(polygon) = shape else { return None };
        let sides = polygon.vertices().iter().zip(polygon.normals());
        Some(sides.map(|(&corner, &normal)| (normal, normal.dot(corner))).collect())
    }
    fn ellipse(long: f64, short: f64) -> (f64, f64) {
        (PI * long * short, 0.25 * (long * long + short * short))
    }
}

impl Shapes for Volume {
    const FEWEST: usize = 4;

    /// Corners begin on a spiral of equal areas (Fibonacci's), which is turned at random.
    fn irregular(
        corners: usize,
        radius: f64,
        form: Irregular,
        random: &mut Random,
    ) -> Result<VolumeShape, ShapeError> {
        let Irregular { elongation, irregularity } = form;
        let golden = PI * (3.0 - 5f64.sqrt());
        let spacing = (4.0 * PI / corners as f64).sqrt();
        let turn = <Self as SceneSpace>::random_rotation(random);
        let corner = |index: usize| {
            let z = 1.0 - (2 * index + 1) as f64 / corners as f64;
            let around = math::direction(golden * index as f64) * (1.0 - z * z).sqrt();
            let mut shift = || 0.5 * irregularity * spacing * random.between(-1.0, 1.0);
            let shift = DVec3::new(shift(), shift(), shift());
            let at = (turn * (DVec3::new(around.x, around.y, z) + shift)).normalize();
            at * DVec3::new(radius, radius / elongation, radius / elongation)
        };
        let corners: Vec<DVec3> = (0..corners).map(corner).collect();
        Polyhedron::hull(&corners).map(VolumeShape::Polyhedron)
    }
    fn faces(shape: &VolumeShape) -> Option<Vec<(DVec3, f64)>> {
        let VolumeShape::Polyhedron(hull) = shape else { return None };
        let side = |(index, corners): (usize, &Vec<u32>)| {
            let normal = hull.normal(index);
            (normal, normal.dot(hull.vertices()[corners[0] as usize]))
        };
        Some(hull.faces().iter().enumerate().map(side).collect())
    }
    fn ellipse(long: f64, short: f64) -> (f64, DVec3) {
        let (along, across) = (0.4 * short * short, 0.2 * (long * long + short * short));
        (4.0 / 3.0 * PI * long * short * short, DVec3::new(along, across, across))
    }
}

impl<S: SceneSpace> Builder<'_, S> {
    /// Random convex polygons or polyhedra.
    pub(super) fn irregular(
        &mut self,
        table: &IrregularTable,
        material: MaterialId,
        span: Span,
    ) -> Option<Grains<S>> {
        let sizes = Distribution::new(&table.radius, S::DIMENSION, self.problems);
        let corners = [table.corners.first.value as usize, table.corners.second.value as usize];
        let (message, expected) = match corners {
            [least, most] if least > most => {
                ("numbers of corners that fall", "the least number first")
            }
            [least, _] if least < S::FEWEST => ("too few corners in space", "4 corners or more"),
            _ => {
                let elongation = table.elongation.as_ref().map_or(1.0, |n| n.value);
                let irregularity = table.irregularity.as_ref().map_or(0.5, |n| n.value);
                if elongation < 1.0 {
                    let span = table.elongation.as_ref().map_or(table.span, |n| n.span);
                    let draft =
                        Draft::error(span, "elongation below 1").found(elongation.to_string());
                    self.problems.push(draft.expected("longest axis by shortest, 1 or more"));
                    return None;
                }
                // That the material has a density is checked before many bodies ask for it.
                self.simple(S::round(1.0), material, span)?;
                let form = Irregular { elongation, irregularity };
                return Some(Grains::Irregular { sizes: sizes?, corners, form, material });
            }
        };
        let draft = Draft::error(table.corners.span, message);
        let draft = draft.found(format!("from {} to {}", corners[0], corners[1]));
        self.problems.push(draft.expected(expected));
        None
    }

    /// Clusters inside of ellipses.
    pub(super) fn ellipses(
        &mut self,
        table: &EllipseTable,
        material: MaterialId,
        span: Span,
    ) -> Option<Grains<S>> {
        let sizes = Distribution::new(&table.radius, S::DIMENSION, self.problems);
        let elongation = table.elongation.value;
        if elongation <= 1.0 {
            let draft = Draft::error(table.elongation.span, "ellipse that is not long");
            let draft = draft.found(elongation.to_string());
            self.problems.push(draft.expected("an elongation above 1, or `radius`"));
            return None;
        }
        self.simple(S::round(1.0), material, span)?;
        let count = table.count.as_ref().map_or(5, |count| count.value as usize);
        Some(Grains::Ellipses { sizes: sizes?, elongation, count, material })
    }

    /// Disks or spheres that touch the ellipse x²/a² + y²/b² = 1 from within. The two last have its curvature at the ends;
    /// mass and inertia are those of the ellipse, since the disks cover each other.
    pub(super) fn ellipse(
        &mut self,
        long: f64,
        short: f64,
        count: usize,
        material: MaterialId,
        span: Span,
    ) -> Option<Body<S>> {
        let last = long - short * short / long;
        let disk = |index: usize| {
            let x = last * (2.0 * index as f64 / (count - 1) as f64 - 1.0);
            let radius = short * (1.0 - x * x / (long * long - short * short)).max(0.0).sqrt();
            let at = S::Vector::from_fn(|axis| if axis == 0 { x } else { 0.0 });
            Part::new(S::round(radius), material).at(Pose::at(at))
        };
        let parts: Vec<Part<S>> = (0..count).map(disk).collect();
        // The density, with the problem if there is none.
        let unit = self.simple(S::round(1.0), material, span)?;
        let density = unit.mass / S::solid(&S::round(1.0))?.measure;
        let (measure, moments) = S::ellipse(long, short);
        let mass = density * measure;
        let inertia = S::diagonal(moments * mass);
        let properties = MassProperties { mass, centre: S::Vector::ZERO, inertia };
        Some(Body::new(properties, parts, Pose::IDENTITY))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Corners of every grain lie on its ellipse, and it has as many as it should.
    #[test]
    fn corners_lie_on_the_ellipse() {
        let mut random = Random::new(1, 0);
        let form = Irregular { elongation: 2.0, irregularity: 1.0 };
        for corners in 3..30 {
            let shape = Plane::irregular(corners, 0.3, form, &mut random).unwrap();
            let PlaneShape::Polygon(polygon) = shape else { panic!("a polygon") };
            assert_eq!(polygon.vertices().len(), corners);
            for v in polygon.vertices() {
                let on = (v.x / 0.3) * (v.x / 0.3) + (v.y / 0.15) * (v.y / 0.15);
                assert!((on - 1.0).abs() < 1e-12, "{on}");
            }
        }
        for corners in 4..40 {
            let shape = Volume::irregular(corners, 0.3, form, &mut random).unwrap();
            let VolumeShape::Polyhedron(hull) = shape else { panic!("a polyhedron") };
            assert_eq!(hull.vertices().len(), corners);
            for v in hull.vertices() {
                let on = (*v / DVec3::new(0.3, 0.15, 0.15)).length();
                assert!((on - 1.0).abs() < 1e-9, "{on}");
            }
        }
    }

    #[test]
    fn an_ellipse_of_equal_axes_is_round() {
        let (measure, moment) = Plane::ellipse(2.0, 2.0);
        assert!((measure - 4.0 * PI).abs() < 1e-12 && moment == 2.0);
        let (measure, moments) = Volume::ellipse(2.0, 2.0);
        assert!((measure - 32.0 / 3.0 * PI).abs() < 1e-12 && moments == DVec3::splat(1.6));
    }
}
