//! Frusta of cones, cylinders among them, against all other shapes. Their curved sides are exact: no facets.
//!
//! All is done in the axes of the frustum, with the normal from it to the other shape.
//!
//! - Shapes apart are nearest where the distance from the frustum, which is convex and known in closed form ([`Frustum::near`]), is
//!   least over the edges of the other, or at the foot of the frustum's lowest point on one of its faces. On an edge that is a root
//!   of a monotone function of one number. The direction found separates by the distance, or it was not the nearest place.
//! - Shapes in each other part along the direction that separates most. It is the normal of a cap or of a face, of the side toward
//!   a vertex, or lies across an edge and the side or a rim: all are tried, and each is measured at all points.
//! - For the direction found, what lies along it of both shapes is laid over each other for further touches ([`patch`]).

mod hull;
mod nearest;
mod overlap;
mod patch;
mod round;

pub use hull::{capsule_frustum, frustum_triangle, polyhedron_frustum};
pub use round::frustum_frustum;

use super::super::frustum::Frustum;
use super::super::reduce::reduce;
use super::{Lengths, above};
use crate::{Manifold, Touch};
use arrayvec::ArrayVec;
use drystone_space::{DVec3, Pose, Volume};
use patch::Rim;

/// A direction from the frustum to the other shape, and how far they are apart along it.
#[derive(Clone, Copy, Debug)]
struct Separating {
    separation: f64,
    normal: DVec3,
}

impl Separating {
    const NONE: Self = Self { separation: f64::NEG_INFINITY, normal: DVec3::Z };
}

pub fn sphere_frustum(
    (radius, a): (f64, &Pose<Volume>),
    (frustum, b): (&Frustum, &Pose<Volume>),
    margin: f64,
    manifold: &mut Manifold<Volume>,
) {
    let near = frustum.near(b.inverse_point(a.position));
    if near.distance - radius <= margin {
        manifold.push(above(a.position, radius, near.distance, b.rotation * near.normal, 0));
    }
}

/// A frustum over a half-space: the ends of its side, or four places of the rim that is lowest.
pub fn frustum_half_space(
    (frustum, a): (&Frustum, &Pose<Volume>),
    half: &Pose<Volume>,
    margin: f64,
    manifold: &mut Manifold<Volume>,
) {
    let normal = half.rotation * DVec3::Z;
    let up = a.rotation.conjugate() * normal;
    let height = normal.dot(a.position - half.position);
    let mut touches = ArrayVec::<Touch<Volume>, 4>::new();
    let mut add = |place: DVec3, feature: u32| {
        let gap = height + up.dot(place);
        if gap <= margin {
            let point = a.point(place) - normal * (0.5 * gap);
            touches.push(Touch { point, normal, gap, feature });
        }
    };
    let lowest = |end: usize| up.dot(Rim::new(frustum, end, -up).lowest());
    let end = usize::from(lowest(1) < lowest(0));
    if patch::along_side(frustum, -up) {
        // The lower end first: it is the one that is there if only one is.
        for end in [end, 1 - end] {
            add(Rim::new(frustum, end, -up).lowest(), patch::SIDE + end as u32);
        }
    } else {
        Rim::new(frustum, end, -up).places().into_iter().for_each(|(p, name)| add(p, name));
    }
    reduce(&touches, frustum.size(), manifold);
}

/// Adds touches that were found in the axes of the frustum.
fn finish(
    found: &[Touch<Volume>],
    lengths: &Lengths,
    pose: &Pose<Volume>,
    manifold: &mut Manifold<Volume>,
) {
    let before = manifold.touches().len();
    reduce(found, lengths.size, manifold);
    for touch in &mut manifold.touches_mut()[before..] {
        (touch.point, touch.normal) = (pose.point(touch.point), pose.rotation * touch.normal);
    }
}
