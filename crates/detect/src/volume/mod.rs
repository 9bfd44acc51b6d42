//! Shapes of space.

mod clip;
mod frustum;
mod hull;
mod mesh;
mod pairs;
mod polyhedron;
mod reduce;
mod rounded;
mod segment;
mod solid;
mod surface;

pub use frustum::Frustum;
pub use mesh::{Defects, Mesh, Reflex};
pub use polyhedron::Polyhedron;
pub use rounded::Rounded;
pub use surface::{Surface, Triangle};

use crate::{Bounds, Extent, Geometry, Manifold, Solid};
use drystone_space::{DVec3, Pose, Volume};
use segment::Segment;

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
    /// All points within a radius of a polyhedron.
    Rounded(Rounded),
    /// A cylinder, a cone or a part of a cone along the z axis.
    Frustum(Frustum),
    /// The half-space z ≤ 0: solid below, its outward normal is +z.
    HalfSpace,
    /// A triangle of a surface, which encloses nothing.
    Triangle(Triangle),
}

impl Geometry for Volume {
    type Shape = VolumeShape;

    fn extent(shape: &VolumeShape, pose: &Pose<Self>) -> Extent<Self> {
        match shape {
            VolumeShape::Sphere { radius } => Extent::Box(Bounds::around(pose.position, *radius)),
            VolumeShape::Polyhedron(polyhedron) => {
                let placed = polyhedron.vertices().iter().map(|&v| pose.point(v));
                Extent::Box(Bounds::of_points(placed))
            }
            VolumeShape::Capsule { half_length, radius } => {
                let Segment { start, end } = axis(*half_length, pose);
                Extent::Box(Bounds::of_points([start, end]).grown(*radius))
            }
            VolumeShape::Rounded(rounded) => {
                let placed = rounded.core().vertices().iter().map(|&v| pose.point(v));
                Extent::Box(Bounds::of_points(placed).grown(rounded.radius()))
            }
            VolumeShape::Frustum(frustum) => {
                let highest = |n: DVec3| frustum.highest(pose.rotation.conjugate() * n);
                let reach = |side: f64| DVec3::AXES.map(|n| side * highest(n * side));
                let [low, high] = [-1.0, 1.0].map(|side| DVec3::from_array(reach(side)));
                Extent::Box(Bounds { low: pose.position + low, high: pose.position + high })
            }
            VolumeShape::HalfSpace => {
                let normal = pose.rotation * DVec3::Z;
                Extent::Half { normal, offset: normal.dot(pose.position) }
            }
            VolumeShape::Triangle(triangle) => {
                Extent::Box(Bounds::of_points(triangle.corners().map(|corner| pose.point(corner))))
            }
        }
    }

    fn solid(shape: &VolumeShape) -> Option<Solid<Self>> {
        match shape {
            VolumeShape::Sphere { radius } => Some(solid::of_sphere(*radius)),
            VolumeShape::Polyhedron(polyhedron) => Some(polyhedron.solid()),
            VolumeShape::Capsule { half_length, radius } => {
                Some(solid::of_capsule(*half_length, *radius))
            }
            VolumeShape::Rounded(rounded) => Some(rounded.solid()),
            VolumeShape::Frustum(frustum) => Some(frustum.solid()),
            VolumeShape::HalfSpace | VolumeShape::Triangle(_) => None,
        }
    }

    fn width(shape: &VolumeShape) -> f64 {
        match shape {
            VolumeShape::Sphere { radius } | VolumeShape::Capsule { radius, .. } => 2.0 * radius,
            VolumeShape::Polyhedron(polyhedron) => polyhedron.width(),
            VolumeShape::Rounded(rounded) => rounded.core().width() + 2.0 * rounded.radius(),
            VolumeShape::Frustum(frustum) => frustum.width(),
            VolumeShape::HalfSpace | VolumeShape::Triangle(_) => f64::INFINITY,
        }
    }

    fn radius(shape: &VolumeShape) -> Option<f64> {
        match shape {
            VolumeShape::Sphere { radius } => Some(*radius),
            _ => None,
        }
    }

    fn ball(radius: f64) -> VolumeShape {
        VolumeShape::Sphere { radius }
    }

    #[inline]
    fn collide(
        first: (&VolumeShape, &Pose<Self>),
        second: (&VolumeShape, &Pose<Self>),
        margin: f64,
        manifold: &mut Manifold<Self>,
    ) {
        use VolumeShape::{Capsule, Frustum, HalfSpace, Polyhedron, Rounded, Sphere, Triangle};
        let (a, b) = (first.1, second.1);
        match (first.0, second.0) {
            (&Sphere { radius: r }, &Sphere { radius: s }) => {
                pairs::sphere_sphere((r, a), (s, b), margin, manifold);
            }
            (&Sphere { radius: r }, &Capsule { half_length, radius }) => {
                let capsule = (axis(half_length, b), radius);
                pairs::sphere_capsule((r, a), capsule, margin, manifold);
            }
            (&Sphere { radius: r }, Polyhedron(p)) => {
                pairs::sphere_polyhedron((r, a), (p, b), margin, manifold);
            }
            (&Sphere { radius: r }, HalfSpace) => {
                pairs::sphere_half_space((r, a), b, margin, manifold);
            }
            (
                &Capsule { half_length, radius },
                &Capsule { half_length: other_half_length, radius: other_radius },
            ) => {
                let capsules =
                    [(axis(half_length, a), radius), (axis(other_half_length, b), other_radius)];
                pairs::capsule_capsule(capsules, margin, manifold);
            }
            (&Capsule { half_length, radius }, Polyhedron(p)) => {
                let capsule = (axis(half_length, a), radius);
                pairs::capsule_polyhedron(capsule, (p, b), margin, manifold);
            }
            (&Capsule { half_length, radius }, HalfSpace) => {
                pairs::capsule_half_space((axis(half_length, a), radius), b, margin, manifold);
            }
            (Polyhedron(p), Polyhedron(q)) => {
                pairs::polyhedron_polyhedron((p, a), (q, b), margin, manifold);
            }
            (Polyhedron(p), HalfSpace) => {
                pairs::polyhedron_half_space((p, a), b, margin, manifold);
            }
            (&Sphere { radius: r }, Triangle(t)) => {
                pairs::sphere_triangle((r, a), (t, b), margin, manifold);
            }
            (&Capsule { half_length, radius }, Triangle(t)) => {
                let capsule = (axis(half_length, a), radius);
                pairs::capsule_triangle(capsule, (t, b), margin, manifold);
            }
            (Polyhedron(p), Triangle(t)) => {
                pairs::polyhedron_triangle((p, a), (t, b), margin, manifold);
            }
            (&Sphere { radius: r }, Frustum(f)) => {
                pairs::sphere_frustum((r, a), (f, b), margin, manifold);
            }
            (&Capsule { half_length, radius }, Frustum(f)) => {
                let capsule = (axis(half_length, a), radius);
                pairs::capsule_frustum(capsule, (f, b), margin, manifold);
            }
            (Polyhedron(p), Frustum(f)) => {
                pairs::polyhedron_frustum((p, a), (f, b), margin, manifold);
            }
            (Frustum(f), Frustum(g)) => {
                pairs::frustum_frustum((f, a), (g, b), margin, manifold);
            }
            (Frustum(f), HalfSpace) => {
                pairs::frustum_half_space((f, a), b, margin, manifold);
            }
            (Frustum(f), Triangle(t)) => {
                pairs::frustum_triangle((f, a), (t, b), margin, manifold);
            }
            // Cores, whatever the other is, and then what is around them.
            (Rounded(core), other) => {
                let radii = [core.radius(), 0.0];
                let mut cores = Manifold::default();
                Self::collide((core.shape(), a), (other, b), margin + radii[0], &mut cores);
                manifold.push_grown(&cores, radii, margin);
            }
            (other, Rounded(core)) => {
                let radii = [0.0, core.radius()];
                let mut cores = Manifold::default();
                Self::collide((other, a), (core.shape(), b), margin + radii[1], &mut cores);
                manifold.push_grown(&cores, radii, margin);
            }
            // What has no inside meets nothing of its kind.
            (HalfSpace | Triangle(_), HalfSpace | Triangle(_)) => {}
            (Capsule { .. }, Sphere { .. })
            | (Polyhedron(_), Sphere { .. } | Capsule { .. })
            | (Frustum(_), Sphere { .. } | Capsule { .. } | Polyhedron(_))
            | (
                HalfSpace | Triangle(_),
                Sphere { .. } | Capsule { .. } | Polyhedron(_) | Frustum(_),
            ) => {
                let before = manifold.touches().len();
                Self::collide(second, first, margin, manifold);
                for touch in &mut manifold.touches_mut()[before..] {
                    touch.normal = -touch.normal;
                }
            }
        }
    }
}

/// The axis of a placed capsule.
#[inline]
fn axis(half_length: f64, pose: &Pose<Volume>) -> Segment {
    let arm = pose.rotation * DVec3::new(0.0, 0.0, half_length);
    Segment { start: pose.position - arm, end: pose.position + arm }
}
