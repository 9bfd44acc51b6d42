//! Shapes of space.

mod polyhedron;

pub use polyhedron::Polyhedron;

/// A shape of space, in its own axes.
#[derive(Clone, Debug, PartialEq)]
pub enum VolumeShape {
    /// A ball about the origin.
    Sphere {
        /// Its radius.
        radius: f64,
    },
    /// A convex polyhedron; boxes are polyhedra.
    Polyhedron(Polyhedron),
    /// All points within `radius` of a segment of the z axis.
    Capsule {
        /// Half the length of the segment, caps not counted.
        half_length: f64,
        /// Radius of the tube and of its caps.
        radius: f64,
    },
    /// The half-space z ≤ 0: solid below, its outward normal is +z.
    HalfSpace,
}

impl crate::Geometry for drystone_space::Volume {
    type Shape = VolumeShape;
    fn extent(_: &VolumeShape, _: &drystone_space::Pose<Self>) -> crate::Extent<Self> {
        todo!()
    }
    fn solid(_: &VolumeShape) -> Option<crate::Solid<Self>> {
        todo!()
    }
    fn width(_: &VolumeShape) -> f64 {
        todo!()
    }
    fn collide(
        _: (&VolumeShape, &drystone_space::Pose<Self>),
        _: (&VolumeShape, &drystone_space::Pose<Self>),
        _: f64,
        _: &mut crate::Manifold<Self>,
    ) {
        todo!()
    }
}
