//! Pair tests of space, one file each.
//!
//! Every test takes the shapes with their poses, a margin and a manifold, and adds the touches
//! whose gap is at most the margin. Lengths are judged relative to the shapes, never absolutely.

mod capsule_capsule;
mod capsule_half_space;
mod capsule_polyhedron;
mod core_triangle;
mod frustum;
mod nearest;
mod polyhedron_half_space;
mod polyhedron_polyhedron;
mod separation;
mod sphere_capsule;
mod sphere_half_space;
mod sphere_polyhedron;
mod sphere_sphere;
mod sphere_triangle;

pub(super) use capsule_capsule::capsule_capsule;
pub(super) use capsule_half_space::capsule_half_space;
pub(super) use capsule_polyhedron::capsule_polyhedron;
pub(super) use core_triangle::{capsule_triangle, polyhedron_triangle};
pub(super) use frustum::{
    capsule_frustum, frustum_frustum, frustum_half_space, frustum_triangle, polyhedron_frustum,
    sphere_frustum,
};
pub(super) use polyhedron_half_space::polyhedron_half_space;
pub(super) use polyhedron_polyhedron::polyhedron_polyhedron;
pub(super) use sphere_capsule::sphere_capsule;
pub(super) use sphere_half_space::sphere_half_space;
pub(super) use sphere_polyhedron::sphere_polyhedron;
pub(super) use sphere_sphere::sphere_sphere;
pub(super) use sphere_triangle::sphere_triangle;

use crate::Touch;
use drystone_space::{DVec3, Volume};

/// Two faces whose separations differ by less than this share of the shapes' size are equal: the
/// first shape's face then wins over the second's.
const EQUAL: f64 = 2.5e-10;
/// Two distances nearer than this share of the shapes' size differ by rounding only.
const ROUNDING: f64 = 1e-12;
/// Below this share of the shapes' size two points coincide: their difference has no direction.
const COINCIDENT: f64 = 1e-10;

/// The lengths by which a pair is judged.
#[derive(Clone, Copy)]
struct Lengths {
    /// Radius of the smaller shape.
    size: f64,
    /// What rounding may do to a distance: of the larger shape only what it does to coordinates.
    rounding: f64,
    /// What one face must separate more than another, and how far a corner may lie outside a side.
    slack: f64,
    /// Below this distance two points coincide, and below this height a point is level with another.
    coincident: f64,
    margin: f64,
}

impl Lengths {
    #[inline]
    fn new(radii: [f64; 2], margin: f64) -> Self {
        let size = radii[0].min(radii[1]);
        let rounding = ROUNDING * size + 4.0 * f64::EPSILON * radii[0].max(radii[1]);
        let (slack, coincident) = (EQUAL * size + rounding, COINCIDENT * size + rounding);
        Self { size, rounding, slack, coincident, margin }
    }
}

/// The touch of two balls about `first` and `second`, which may have no radius.
///
/// Where the centres coincide every direction is as good: the normal is then `any`.
#[inline]
fn between(
    (first, first_radius): (DVec3, f64),
    (second, second_radius): (DVec3, f64),
    any: DVec3,
    feature: u32,
) -> Touch<Volume> {
    let arm = first - second;
    let distance = arm.length();
    let normal = if distance > 0.0 { arm / distance } else { any };
    along(second, [first_radius, second_radius], normal, distance, feature)
}

/// The same, where it is known that the centres are `distance` along `normal` apart.
#[inline]
fn along(
    second: DVec3,
    [first_radius, second_radius]: [f64; 2],
    normal: DVec3,
    distance: f64,
    feature: u32,
) -> Touch<Volume> {
    let gap = distance - first_radius - second_radius;
    Touch { point: second + normal * (second_radius + 0.5 * gap), normal, gap, feature }
}

/// The touch of a ball over the surface whose outward unit normal is `normal`.
#[inline]
fn above(centre: DVec3, radius: f64, height: f64, normal: DVec3, feature: u32) -> Touch<Volume> {
    let gap = height - radius;
    Touch { point: centre - normal * (radius + 0.5 * gap), normal, gap, feature }
}
