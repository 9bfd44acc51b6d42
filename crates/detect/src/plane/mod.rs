//! Shapes of the plane.

mod polygon;

pub use polygon::Polygon;

use drystone_space::DVec2;

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

impl crate::Geometry for drystone_space::Plane {
    type Shape = PlaneShape;
    fn extent(_: &PlaneShape, _: &drystone_space::Pose<Self>) -> crate::Extent<Self> {
        todo!()
    }
    fn solid(_: &PlaneShape) -> Option<crate::Solid<Self>> {
        todo!()
    }
    fn width(_: &PlaneShape) -> f64 {
        todo!()
    }
    fn collide(
        _: (&PlaneShape, &drystone_space::Pose<Self>),
        _: (&PlaneShape, &drystone_space::Pose<Self>),
        _: f64,
        _: &mut crate::Manifold<Self>,
    ) {
        todo!()
    }
}
