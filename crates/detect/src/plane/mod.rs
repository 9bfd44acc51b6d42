//! Shapes of the plane.
//!
//! Each pair of shapes has its own file in `pairs`; [`Geometry::collide`] is the table of them.

mod outline;
mod pairs;
mod polygon;
mod rounded;

pub use polygon::Polygon;
pub use rounded::Rounded;

use crate::{Bounds, Extent, Geometry, Manifold, Solid};
use drystone_space::{DVec2, Plane, Pose, Rotation};
use outline::Line;
use pairs::{
    disk_disk, disk_half_plane, disk_polygon, disk_segment, polygon_half_plane, polygon_polygon,
};
use std::f64::consts::PI;

/// A shape of the plane, in its own axes.
#[derive(Clone, Debug, PartialEq)]
pub enum PlaneShape {
    /// A disk about the origin.
    Disk {
        /// Its radius.
        radius: f64,
    },
    /// A convex polygon; boxes are polygons.
    Polygon(Polygon),
    /// All points within a radius of a polygon or a segment.
    Rounded(Rounded),
    /// The half-plane y ≤ 0: solid below, its outward normal is +y.
    HalfPlane,
    /// A line without thickness, touched from either side.
    Segment {
        /// One end.
        start: DVec2,
        /// The other end.
        end: DVec2,
    },
}

impl Geometry for Plane {
    type Shape = PlaneShape;

    fn extent(shape: &PlaneShape, pose: &Pose<Self>) -> Extent<Self> {
        match shape {
            PlaneShape::Disk { radius } => Extent::Box(Bounds::around(pose.position, *radius)),
            PlaneShape::Polygon(polygon) => {
                Extent::Box(Bounds::of_points(polygon.vertices().iter().map(|&v| pose.point(v))))
            }
            PlaneShape::Rounded(rounded) => {
                let placed = rounded.vertices().iter().map(|&v| pose.point(v));
                Extent::Box(Bounds::of_points(placed).grown(rounded.radius()))
            }
            PlaneShape::HalfPlane => {
                let normal = pose.rotation.apply(DVec2::Y);
                Extent::Half { normal, offset: normal.dot(pose.position) }
            }
            PlaneShape::Segment { start, end } => {
                Extent::Box(Bounds::of_points([pose.point(*start), pose.point(*end)]))
            }
        }
    }

    fn solid(shape: &PlaneShape) -> Option<Solid<Self>> {
        match shape {
            PlaneShape::Disk { radius } => {
                let measure = PI * radius * radius;
                let inertia = 0.5 * measure * radius * radius;
                Some(Solid { measure, centre: DVec2::ZERO, inertia })
            }
            PlaneShape::Polygon(polygon) => Some(polygon.solid()),
            PlaneShape::Rounded(rounded) => Some(rounded.solid()),
            PlaneShape::HalfPlane | PlaneShape::Segment { .. } => None,
        }
    }

    /// A disk has its diameter, a polygon the smallest width over its edges, a segment its length.
    fn width(shape: &PlaneShape) -> f64 {
        match shape {
            PlaneShape::Disk { radius } => 2.0 * radius,
            PlaneShape::Polygon(polygon) => polygon.width(),
            PlaneShape::Rounded(rounded) => rounded.width(),
            PlaneShape::HalfPlane => f64::INFINITY,
            PlaneShape::Segment { start, end } => start.distance(*end),
        }
    }

    fn radius(shape: &PlaneShape) -> Option<f64> {
        match shape {
            PlaneShape::Disk { radius } => Some(*radius),
            _ => None,
        }
    }

    fn ball(radius: f64) -> PlaneShape {
        PlaneShape::Disk { radius }
    }

    fn collide(
        first: (&PlaneShape, &Pose<Self>),
        second: (&PlaneShape, &Pose<Self>),
        margin: f64,
        manifold: &mut Manifold<Self>,
    ) {
        use PlaneShape::{Disk, HalfPlane, Polygon, Rounded, Segment};
        let (one, two) = (first.1, second.1);
        match (first.0, second.0) {
            // Cores, whatever the other is, and then what is around them.
            (Rounded(core), other) => {
                let radii = [core.radius(), 0.0];
                let mut cores = Manifold::default();
                Self::collide((core.core(), one), (other, two), margin + radii[0], &mut cores);
                manifold.push_grown(&cores, radii, margin);
            }
            (other, Rounded(core)) => {
                let radii = [0.0, core.radius()];
                let mut cores = Manifold::default();
                Self::collide((other, one), (core.core(), two), margin + radii[1], &mut cores);
                manifold.push_grown(&cores, radii, margin);
            }
            (Disk { radius: r1 }, Disk { radius: r2 }) => {
                disk_disk::collide((*r1, one), (*r2, two), margin, manifold);
            }
            (Disk { radius }, Polygon(polygon)) => {
                disk_polygon::collide((*radius, one), (polygon, two), margin, manifold);
            }
            (Disk { radius }, Segment { start, end }) => {
                disk_segment::collide((*radius, one), ([*start, *end], two), margin, manifold);
            }
            (Disk { radius }, HalfPlane) => {
                disk_half_plane::collide((*radius, one), two, margin, manifold);
            }
            (Polygon(p1), Polygon(p2)) => {
                polygon_polygon::collide((p1.into(), one), (p2.into(), two), margin, manifold);
            }
            (Polygon(polygon), Segment { start, end }) => {
                let line = Line::new(*start, *end);
                let (polygon, line) = (polygon.into(), line.outline());
                polygon_polygon::collide((polygon, one), (line, two), margin, manifold);
            }
            (Polygon(polygon), HalfPlane) => {
                polygon_half_plane::collide((polygon.into(), one), two, margin, manifold);
            }
            (Segment { start: s1, end: e1 }, Segment { start: s2, end: e2 }) => {
                let (l1, l2) = (Line::new(*s1, *e1), Line::new(*s2, *e2));
                polygon_polygon::collide(
                    (l1.outline(), one),
                    (l2.outline(), two),
                    margin,
                    manifold,
                );
            }
            (Segment { start, end }, HalfPlane) => {
                let line = Line::new(*start, *end);
                polygon_half_plane::collide((line.outline(), one), two, margin, manifold);
            }
            // Half-planes belong to boundaries, which never meet each other.
            (HalfPlane, HalfPlane) => {}
            (Polygon(_) | Segment { .. } | HalfPlane, Disk { .. })
            | (Segment { .. } | HalfPlane, Polygon(_))
            | (HalfPlane, Segment { .. }) => {
                let earlier = manifold.touches().len();
                Self::collide(second, first, margin, manifold);
                for touch in &mut manifold.touches_mut()[earlier..] {
                    touch.normal = -touch.normal;
                }
            }
        }
    }
}
