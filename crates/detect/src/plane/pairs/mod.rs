//! Pair tests of the plane, one file each. The first shape is the one named first.

pub(super) mod disk_disk;
pub(super) mod disk_half_plane;
pub(super) mod disk_polygon;
pub(super) mod disk_segment;
pub(super) mod polygon_half_plane;
pub(super) mod polygon_polygon;

use crate::{Manifold, Touch};
use drystone_space::{DVec2, Plane};

/// Adds the touch of a disk whose centre is `distance` along `normal` from the other surface.
///
/// A disk touches a convex shape at one point only, so the feature is always 0: the contact
/// keeps its identity while the disk rolls.
#[inline(always)]
fn push_disk(
    centre: DVec2,
    radius: f64,
    normal: DVec2,
    distance: f64,
    margin: f64,
    manifold: &mut Manifold<Plane>,
) {
    let gap = distance - radius;
    if gap <= margin {
        let point = centre - normal * (radius + 0.5 * gap);
        manifold.push(Touch { point, normal, gap, feature: 0 });
    }
}
