//! A polyhedron over a half-space: its low vertices, reduced to four. The feature is the vertex.

use super::super::{Polyhedron, reduce::reduce};
use crate::{Manifold, Touch};
use arrayvec::ArrayVec;
use drystone_space::{DVec3, Pose, Volume};

pub fn polyhedron_half_space(
    (polyhedron, a): (&Polyhedron, &Pose<Volume>),
    half: &Pose<Volume>,
    margin: f64,
    manifold: &mut Manifold<Volume>,
) {
    let normal = half.rotation * DVec3::Z;
    // Seen from the polyhedron, so that a vertex that is too high costs one scalar product.
    let inward = a.rotation.conjugate() * normal;
    let height = normal.dot(a.position - half.position);
    let mut touches = ArrayVec::<Touch<Volume>, { Polyhedron::MOST_VERTICES }>::new();
    for (feature, &vertex) in (0..).zip(polyhedron.vertices()) {
        let gap = height + inward.dot(vertex);
        if gap <= margin {
            let point = a.point(vertex) - normal * (0.5 * gap);
            touches.push(Touch { point, normal, gap, feature });
        }
    }
    reduce(&touches, polyhedron.radius(), manifold);
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_space::DQuat;

    fn collide(pose: &Pose<Volume>) -> Manifold<Volume> {
        let mut manifold = Manifold::default();
        let cube = Polyhedron::cuboid(DVec3::splat(2.0)).unwrap();
        polyhedron_half_space((&cube, pose), &Pose::IDENTITY, 0.1, &mut manifold);
        manifold
    }

    #[test]
    fn a_cube_stands_on_four_corners_and_leans_on_two() {
        let standing = collide(&Pose::at(DVec3::Z * 0.75));
        assert_eq!(standing.touches().len(), 4);
        assert!(standing.touches().iter().all(|t| t.gap == -0.25 && t.normal == DVec3::Z));
        assert!(standing.touches().iter().all(|t| t.point.z == -0.125));
        let eighth = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_4);
        let leaning = collide(&Pose::new(DVec3::Z * 2.0_f64.sqrt(), eighth));
        assert_eq!(leaning.touches().len(), 2);
        assert!(leaning.touches().iter().all(|t| t.gap.abs() < 1e-15));
        assert!(collide(&Pose::at(DVec3::Z * 1.2)).touches().is_empty());
    }
}
