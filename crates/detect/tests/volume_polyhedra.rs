//! Polyhedron against polyhedron, held against exhaustive enumeration.

use drystone_detect::volume::{Polyhedron, VolumeShape};
use drystone_detect::{Geometry, Manifold};
use drystone_space::{DQuat, DVec3, Pose, Volume};
use proptest::prelude::*;

fn collide(
    (p, a): (&Polyhedron, &Pose<Volume>),
    (q, b): (&Polyhedron, &Pose<Volume>),
    margin: f64,
) -> Manifold<Volume> {
    let (p, q) = (VolumeShape::Polyhedron(p.clone()), VolumeShape::Polyhedron(q.clone()));
    let mut manifold = Manifold::default();
    Volume::collide((&p, a), (&q, b), margin, &mut manifold);
    manifold
}

/// A placed polyhedron as plain lists, for the enumeration.
struct Placed {
    vertices: Vec<DVec3>,
    edges: Vec<[DVec3; 2]>,
    faces: Vec<(DVec3, Vec<DVec3>)>,
}

impl Placed {
    fn new(p: &Polyhedron, pose: &Pose<Volume>) -> Self {
        let vertices: Vec<_> = p.vertices().iter().map(|&v| pose.point(v)).collect();
        let at = |&v: &u32| vertices[v as usize];
        let edges = p.edges().map(|ends| [at(&ends[0]), at(&ends[1])]).collect();
        let face =
            |(i, f): (usize, &Vec<u32>)| (pose.rotation * p.normal(i), f.iter().map(at).collect());
        let faces = p.faces().iter().enumerate().map(face).collect();
        Self { vertices, edges, faces }
    }
    fn highest(&self, n: DVec3) -> f64 {
        self.vertices.iter().map(|v| n.dot(*v)).fold(f64::NEG_INFINITY, f64::max)
    }
    /// Distances of vertices of `other` that are over the inside of a face.
    fn over_faces(&self, other: &Self) -> f64 {
        let mut least = f64::INFINITY;
        for (normal, face) in &self.faces {
            for &v in &other.vertices {
                let inside = (0..face.len()).all(|i| {
                    let side = face[(i + 1) % face.len()] - face[i];
                    normal.dot(side.cross(v - face[i])) >= 0.0
                });
                let height = normal.dot(v - face[0]);
                if inside && height >= -1e-9 {
                    least = least.min(height.max(0.0));
                }
            }
        }
        least
    }
}

/// Distance of two segments: the least of a convex function on the unit square, which is inside it
/// or on one of its sides.
fn segment_distance(a: [DVec3; 2], b: [DVec3; 2]) -> f64 {
    let (u, v, w) = (a[1] - a[0], b[1] - b[0], a[0] - b[0]);
    let (uu, uv, vv) = (u.dot(u), u.dot(v), v.dot(v));
    let square = |s: f64, t: f64| (w + u * s - v * t).length_squared();
    let best_s = |t: f64| ((uv * t - u.dot(w)) / uu).clamp(0.0, 1.0);
    let best_t = |s: f64| ((uv * s + v.dot(w)) / vv).clamp(0.0, 1.0);
    let inner = uu * vv - uv * uv;
    let mut least = f64::INFINITY;
    if inner > 1e-12 * uu * vv {
        let s = (uv * v.dot(w) - vv * u.dot(w)) / inner;
        let t = (uu * v.dot(w) - uv * u.dot(w)) / inner;
        if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
            least = square(s, t);
        }
    }
    for end in [0.0, 1.0] {
        least = least.min(square(end, best_t(end))).min(square(best_s(end), end));
    }
    least.sqrt()
}

/// Signed distance by enumeration of all axes and, apart, of all pairs of features.
fn signed_distance(p: &Placed, q: &Placed) -> f64 {
    let mut axes: Vec<DVec3> =
        p.faces.iter().map(|f| f.0).chain(q.faces.iter().map(|f| -f.0)).collect();
    for [a, b] in &p.edges {
        for [c, d] in &q.edges {
            let across = (b - a).normalize().cross((d - c).normalize());
            if across.length() > 1e-7 {
                axes.extend([across.normalize(), -across.normalize()]);
            }
        }
    }
    let along = |n: &DVec3| -q.highest(-*n) - p.highest(*n);
    let separation = axes.iter().map(along).fold(f64::NEG_INFINITY, f64::max);
    if separation <= 0.0 {
        return separation;
    }
    let mut distance = p.over_faces(q).min(q.over_faces(p));
    for &a in &p.edges {
        for &b in &q.edges {
            distance = distance.min(segment_distance(a, b));
        }
    }
    distance
}

fn vector() -> impl Strategy<Value = DVec3> {
    (-1.0..1.0, -1.0..1.0, -1.0..1.0).prop_map(|(x, y, z)| DVec3::new(x, y, z))
}

fn rotation() -> impl Strategy<Value = DQuat> {
    vector().prop_map(|v| DQuat::from_scaled_axis(v * 3.0))
}

fn polyhedron() -> impl Strategy<Value = Polyhedron> {
    let cloud = prop::collection::vec(vector(), 4..24)
        .prop_filter_map("flat", |points| Polyhedron::hull(&points).ok());
    let cuboid = (0.2..2.0, 0.2..2.0, 0.2..2.0)
        .prop_map(|(x, y, z)| Polyhedron::cuboid(DVec3::new(x, y, z)).unwrap());
    prop_oneof![2 => cloud, 1 => cuboid]
        .prop_filter("thin", |p| Volume::width(&VolumeShape::Polyhedron(p.clone())) > 0.05)
}

fn pose() -> impl Strategy<Value = Pose<Volume>> {
    (vector(), rotation()).prop_map(|(position, rotation)| Pose::new(position * 1.5, rotation))
}

fn gaps(manifold: &Manifold<Volume>) -> Vec<f64> {
    let mut gaps: Vec<_> = manifold.touches().iter().map(|t| t.gap).collect();
    gaps.sort_by(f64::total_cmp);
    gaps
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn the_least_gap_is_the_signed_distance(p in polyhedron(), q in polyhedron(), a in pose(), b in pose()) {
        let manifold = collide((&p, &a), (&q, &b), 10.0);
        let expected = signed_distance(&Placed::new(&p, &a), &Placed::new(&q, &b));
        prop_assert!(!manifold.touches().is_empty());
        prop_assert!((gaps(&manifold)[0] - expected).abs() < 1e-8, "{} for {}", gaps(&manifold)[0], expected);

        // The normal is right if a push along it by the gap just closes or opens the gap.
        let deepest = manifold.touches().iter().min_by(|x, y| x.gap.total_cmp(&y.gap)).unwrap();
        let pushed = Pose::new(a.position - deepest.normal * deepest.gap, a.rotation);
        let after = signed_distance(&Placed::new(&p, &pushed), &Placed::new(&q, &b));
        prop_assert!(after.abs() < 1e-7, "{} after the push", after);

        let mut features: Vec<_> = manifold.touches().iter().map(|t| t.feature).collect();
        features.sort_unstable();
        features.dedup();
        prop_assert_eq!(features.len(), manifold.touches().len());
        for touch in manifold.touches() {
            prop_assert!((touch.normal.length() - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn the_margin_decides(p in polyhedron(), q in polyhedron(), a in pose(), b in pose(), margin in 0.0..0.4) {
        let manifold = collide((&p, &a), (&q, &b), margin);
        let expected = signed_distance(&Placed::new(&p, &a), &Placed::new(&q, &b));
        prop_assume!((expected - margin).abs() > 1e-8);
        prop_assert_eq!(manifold.touches().is_empty(), expected > margin);
        prop_assert!(manifold.touches().iter().all(|t| t.gap <= margin));
        if expected <= margin {
            prop_assert!((gaps(&manifold)[0] - expected).abs() < 1e-8);
        }
    }

    #[test]
    fn touches_lie_between_the_surfaces(p in polyhedron(), q in polyhedron(), a in pose(), b in pose()) {
        for touch in collide((&p, &a), (&q, &b), 0.2).touches() {
            // The point is half the gap outside of one and of the other, or as much inside.
            for (shape, pose, side) in [(&p, &a, 0.5), (&q, &b, -0.5)] {
                let on_surface = touch.point + touch.normal * (side * touch.gap);
                let placed = Placed::new(shape, pose);
                let height = placed.faces.iter().map(|(n, f)| n.dot(on_surface - f[0])).fold(f64::MIN, f64::max);
                prop_assert!(height < 1e-8, "{} outside {:?}", height, touch);
            }
        }
    }

    #[test]
    fn a_swap_turns_normals_and_keeps_gaps(p in polyhedron(), q in polyhedron(), a in pose(), b in pose()) {
        let there = collide((&p, &a), (&q, &b), 0.3);
        let back = collide((&q, &b), (&p, &a), 0.3);
        prop_assert_eq!(there.touches().len(), back.touches().len());
        for (x, y) in gaps(&there).into_iter().zip(gaps(&back)).take(1) {
            prop_assert!((x - y).abs() < 1e-8);
        }
        if let (Some(x), Some(y)) = (there.touches().first(), back.touches().first()) {
            prop_assert!((x.normal + y.normal).length() < 1e-5, "{:?} {:?}", x, y);
        }
    }

    #[test]
    fn a_common_motion_changes_nothing(p in polyhedron(), q in polyhedron(), a in pose(), b in pose(), motion in pose()) {
        let here = collide((&p, &a), (&q, &b), 0.3);
        let there = collide((&p, &motion.compose(&a)), (&q, &motion.compose(&b)), 0.3);
        prop_assert_eq!(here.touches().len(), there.touches().len());
        for (x, y) in here.touches().iter().zip(there.touches()) {
            prop_assert!((x.gap - y.gap).abs() < 1e-8);
            prop_assert!((motion.point(x.point) - y.point).length() < 1e-5);
            prop_assert_eq!(x.feature, y.feature);
        }
    }

    #[test]
    fn the_gap_is_continuous_through_zero(p in polyhedron(), q in polyhedron(), a in pose(), b in pose()) {
        // Close the gap, then move by a little to either side along the normal.
        let manifold = collide((&p, &a), (&q, &b), 10.0);
        let deepest = *manifold.touches().iter().min_by(|x, y| x.gap.total_cmp(&y.gap)).unwrap();
        for offset in [-1e-9, -1e-12, -1e-15, 0.0, 1e-15, 1e-12, 1e-9] {
            let position = a.position + deepest.normal * (offset - deepest.gap);
            let moved = collide((&p, &Pose::new(position, a.rotation)), (&q, &b), 1e-3);
            prop_assert!(!moved.touches().is_empty(), "lost at {}", offset);
            let expected = signed_distance(
                &Placed::new(&p, &Pose::new(position, a.rotation)),
                &Placed::new(&q, &b),
            );
            prop_assert!((gaps(&moved)[0] - offset).abs() < 1e-8, "{} at {}, {}", gaps(&moved)[0], offset, expected);
            prop_assert!(moved.touches().iter().all(|t| t.point.is_finite() && t.normal.is_finite()));
        }
    }
}
