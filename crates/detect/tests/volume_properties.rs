//! Properties that every pair test of space must have, and resting contacts.

use drystone_detect::volume::{Polyhedron, VolumeShape};
use drystone_detect::{Extent, Geometry, Manifold};
use drystone_space::{DQuat, DVec3, Pose, Volume};
use proptest::prelude::*;
use std::f64::consts::{FRAC_PI_2, TAU};

type Placed = (VolumeShape, Pose<Volume>);

fn collide(first: &Placed, second: &Placed, margin: f64) -> Manifold<Volume> {
    let mut manifold = Manifold::default();
    Volume::collide((&first.0, &first.1), (&second.0, &second.1), margin, &mut manifold);
    manifold
}

fn least_gap(manifold: &Manifold<Volume>) -> f64 {
    manifold.touches().iter().map(|t| t.gap).fold(f64::INFINITY, f64::min)
}

fn prism(sides: u32, height: f64) -> VolumeShape {
    let ring = |z: f64| {
        (0..sides).map(move |i| {
            let (sin, cos) = (TAU * f64::from(i) / f64::from(sides)).sin_cos();
            DVec3::new(cos, sin, z)
        })
    };
    let points: Vec<_> = ring(-0.5 * height).chain(ring(0.5 * height)).collect();
    VolumeShape::Polyhedron(Polyhedron::hull(&points).unwrap())
}

fn cuboid(x: f64, y: f64, z: f64) -> VolumeShape {
    VolumeShape::Polyhedron(Polyhedron::cuboid(DVec3::new(x, y, z)).unwrap())
}

/// Area of the touches' convex hull, for up to four points about their middle.
fn spanned_area(manifold: &Manifold<Volume>) -> f64 {
    let mut points: Vec<_> = manifold.touches().iter().map(|t| t.point).collect();
    let middle = points.iter().sum::<DVec3>() / points.len() as f64;
    points.sort_by(|p, q| {
        let angle = |v: &DVec3| (v.y - middle.y).atan2(v.x - middle.x);
        angle(p).total_cmp(&angle(q))
    });
    let next = points.iter().cycle().skip(1);
    0.5 * points.iter().zip(next).map(|(p, q)| (p - middle).cross(q - middle).z).sum::<f64>()
}

#[test]
fn prisms_on_plates_are_held_by_their_whole_face() {
    let plate = (cuboid(10.0, 10.0, 1.0), Pose::at(DVec3::Z * -0.5));
    let floor = (VolumeShape::HalfSpace, Pose::IDENTITY);
    for sides in [5, 6, 7, 8, 12] {
        let face = 0.5 * f64::from(sides) * (TAU / f64::from(sides)).sin();
        for height in [0.5, 0.5 - 1e-6, 0.5 + 1e-6] {
            let turn = DQuat::from_rotation_z(0.37);
            let stone = (prism(sides, 1.0), Pose::new(DVec3::new(1.0, 2.0, height), turn));
            for ground in [&plate, &floor] {
                let manifold = collide(&stone, ground, 1e-3);
                assert_eq!(manifold.touches().len(), 4);
                assert!(spanned_area(&manifold) >= 0.5 * face, "{sides} sides");
                for touch in manifold.touches() {
                    assert!((touch.gap - (height - 0.5)).abs() < 1e-15);
                    assert!((touch.normal - DVec3::Z).length() < 1e-15);
                }
            }
        }
    }
}

#[test]
fn a_resting_prism_keeps_its_features() {
    let plate = (cuboid(10.0, 10.0, 1.0), Pose::at(DVec3::Z * -0.5));
    let at = |step: u32| {
        // Noise as a solver leaves it, not the same in any two steps.
        let noise = 1e-11 * f64::from(step * 7919 % 101) / 101.0;
        let turn = DQuat::from_scaled_axis(DVec3::new(noise, -0.7 * noise, 0.4 + noise));
        collide(
            &(prism(8, 1.0), Pose::new(DVec3::new(noise, 0.0, 0.5 + noise), turn)),
            &plate,
            1e-3,
        )
    };
    let features = |m: &Manifold<Volume>| m.touches().iter().map(|t| t.feature).collect::<Vec<_>>();
    let first = features(&at(0));
    assert_eq!(first.len(), 4);
    for step in 1..100 {
        assert_eq!(features(&at(step)), first);
    }
}

#[test]
fn stacked_boxes_touch_at_the_corners_of_their_overlap() {
    let below = (cuboid(2.0, 2.0, 1.0), Pose::at(DVec3::new(0.5, 0.0, -0.5)));
    for gap in [-1e-3, -1e-15, 0.0, 1e-15, 1e-3] {
        let above = (cuboid(2.0, 2.0, 1.0), Pose::at(DVec3::new(1.25, 0.0, 0.5 + gap)));
        for (first, second, up) in [(&above, &below, 1.0), (&below, &above, -1.0)] {
            let manifold = collide(first, second, 0.01);
            let mut corners: Vec<_> =
                manifold.touches().iter().map(|t| (t.point.x, t.point.y)).collect();
            corners.sort_by(|p, q| p.partial_cmp(q).unwrap());
            assert_eq!(corners, [(0.25, -1.0), (0.25, 1.0), (1.5, -1.0), (1.5, 1.0)]);
            for touch in manifold.touches() {
                assert_eq!(touch.normal, DVec3::Z * up);
                assert!((touch.gap - gap).abs() < 1e-15);
            }
        }
    }
}

#[test]
fn a_tilted_stack_changes_little_with_a_little_tilt() {
    let below = (cuboid(2.0, 2.0, 1.0), Pose::at(DVec3::Z * -0.5));
    for tilt in [0.0, 1e-14, 1e-11, 1e-9, 1e-8, 1e-6, 1e-5, 1e-4] {
        for axis in [DVec3::X, DVec3::Y, DVec3::new(0.6, 0.8, 0.0), DVec3::new(-0.8, 0.6, 0.0)] {
            let pose = Pose::new(DVec3::new(0.5, 0.25, 0.5), DQuat::from_scaled_axis(axis * tilt));
            let manifold = collide(&(cuboid(2.0, 2.0, 1.0), pose), &below, 1e-2);
            assert_eq!(manifold.touches().len(), 4, "tilt {tilt}");
            assert!((spanned_area(&manifold) - 1.5 * 1.75).abs() < 1e-3);
            assert!(manifold.touches().iter().all(|t| t.gap.abs() < 3.0 * tilt + 1e-15));
        }
    }
}

#[test]
fn edges_side_by_side_touch_along_their_overlap() {
    // Two cubes whose edges along y face each other across a gap of (0.3, 0.4).
    let first = (cuboid(2.0, 2.0, 2.0), Pose::at(DVec3::new(-1.3, 0.0, -1.4)));
    let second = (cuboid(2.0, 2.0, 2.0), Pose::at(DVec3::new(1.0, 0.5, 1.0)));
    let manifold = collide(&first, &second, 1.0);
    assert_eq!(manifold.touches().len(), 2);
    for touch in manifold.touches() {
        assert!((touch.gap - 0.5).abs() < 1e-15);
        assert!((touch.normal - DVec3::new(-0.6, 0.0, -0.8)).length() < 1e-15);
    }
}

#[test]
fn corners_touch_along_the_line_between_them() {
    let first = (cuboid(2.0, 2.0, 2.0), Pose::at(DVec3::new(1.0, 1.0, 1.0)));
    let second = (cuboid(2.0, 2.0, 2.0), Pose::at(DVec3::new(-1.1, -1.2, -1.2)));
    let manifold = collide(&first, &second, 1.0);
    assert_eq!(manifold.touches().len(), 1);
    let touch = manifold.touches()[0];
    assert!((touch.gap - 0.3).abs() < 1e-15);
    assert!((touch.normal - DVec3::new(1.0, 2.0, 2.0) / 3.0).length() < 1e-14);
    assert!(collide(&first, &second, 0.29).touches().is_empty());
}

#[test]
fn a_resting_capsule_keeps_two_touches() {
    let plate = (cuboid(10.0, 10.0, 1.0), Pose::at(DVec3::Z * -0.5));
    let floor = (VolumeShape::HalfSpace, Pose::IDENTITY);
    for ground in [&plate, &floor] {
        for tilt in [0.0, 1e-15, -1e-12, 1e-9, -1e-6] {
            let turn = DQuat::from_rotation_z(0.3) * DQuat::from_rotation_y(FRAC_PI_2 + tilt);
            let pose = Pose::new(DVec3::new(0.5, 0.5, 0.25), turn);
            let capsule = (VolumeShape::Capsule { half_length: 1.0, radius: 0.25 }, pose);
            let manifold = collide(&capsule, ground, 1e-4);
            assert_eq!(manifold.touches().len(), 2);
            assert!(spanned_length(&manifold) > 1.99);
        }
    }
}

fn spanned_length(manifold: &Manifold<Volume>) -> f64 {
    manifold.touches()[0].point.distance(manifold.touches()[1].point)
}

#[test]
fn two_half_spaces_never_touch_and_have_no_measure() {
    let half = (VolumeShape::HalfSpace, Pose::IDENTITY);
    assert!(collide(&half, &half, 1.0).touches().is_empty());
    assert!(Volume::solid(&half.0).is_none());
    assert_eq!(Volume::width(&half.0), f64::INFINITY);
    assert_eq!(Volume::width(&cuboid(3.0, 0.5, 2.0)), 0.5);
}

fn vector() -> impl Strategy<Value = DVec3> {
    (-1.0..1.0, -1.0..1.0, -1.0..1.0).prop_map(|(x, y, z)| DVec3::new(x, y, z))
}

fn pose() -> impl Strategy<Value = Pose<Volume>> {
    (vector(), vector()).prop_map(|(p, r)| Pose::new(p * 1.5, DQuat::from_scaled_axis(r * 3.0)))
}

fn polyhedron() -> impl Strategy<Value = VolumeShape> {
    prop::collection::vec(vector(), 6..24).prop_filter_map("flat", |points| {
        Polyhedron::hull(&points).ok().map(VolumeShape::Polyhedron)
    })
}

fn shape() -> impl Strategy<Value = VolumeShape> {
    prop_oneof![
        (0.1..1.0).prop_map(|radius| VolumeShape::Sphere { radius }),
        polyhedron(),
        (0.0..1.0, 0.1..0.5)
            .prop_map(|(half_length, radius)| VolumeShape::Capsule { half_length, radius }),
        Just(VolumeShape::HalfSpace),
    ]
}

/// The gap of a ball about a point of the axis, as a convex function of the place along it.
fn ball_gap(capsule: &Placed, t: f64, polyhedron: &Placed) -> f64 {
    let VolumeShape::Capsule { half_length, radius } = capsule.0 else { panic!("a capsule") };
    let centre = capsule.1.point(DVec3::Z * (half_length * t));
    least_gap(&collide(&(VolumeShape::Sphere { radius }, Pose::at(centre)), polyhedron, 100.0))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn every_pair_answers_sanely(s in shape(), t in shape(), a in pose(), b in pose(), motion in pose(), margin in 0.0..0.5) {
        let (first, second) = ((s, a), (t, b));
        let manifold = collide(&first, &second, margin);
        for touch in manifold.touches() {
            prop_assert!(touch.point.is_finite());
            prop_assert!((touch.normal.length() - 1.0).abs() < 1e-12);
            prop_assert!(touch.gap <= margin);
        }
        let mut features: Vec<_> = manifold.touches().iter().map(|t| t.feature).collect();
        features.sort_unstable();
        features.dedup();
        prop_assert_eq!(features.len(), manifold.touches().len());

        let swapped = collide(&second, &first, margin);
        prop_assert_eq!(manifold.touches().len(), swapped.touches().len());
        if let (Some(x), Some(y)) = (manifold.touches().first(), swapped.touches().first()) {
            prop_assert!((least_gap(&manifold) - least_gap(&swapped)).abs() < 1e-8);
            if manifold.touches().len() == 1 {
                prop_assert!((x.normal + y.normal).length() < 1e-6);
                prop_assert!((x.point - y.point).length() < 1e-6);
            }
        }
        let moved = [&first, &second].map(|(s, p)| (s.clone(), motion.compose(p)));
        let moved = collide(&moved[0], &moved[1], margin);
        prop_assert_eq!(manifold.touches().len(), moved.touches().len());
        for (x, y) in manifold.touches().iter().zip(moved.touches()) {
            prop_assert!((x.gap - y.gap).abs() < 1e-8);
            prop_assert!((motion.point(x.point) - y.point).length() < 1e-6);
            prop_assert!((motion.rotation * x.normal - y.normal).length() < 1e-6);
        }
    }

    #[test]
    fn boxes_hold_what_touches(s in shape(), t in shape(), a in pose(), b in pose()) {
        let manifold = collide(&(s.clone(), a), &(t.clone(), b), 0.0);
        for (shape, pose, side) in [(&s, &a, 0.5), (&t, &b, -0.5)] {
            for touch in manifold.touches() {
                let surface = touch.point + touch.normal * (side * touch.gap);
                match Volume::extent(shape, pose) {
                    Extent::Box(bounds) => {
                        prop_assert!((surface.max(bounds.low) - surface).length() < 1e-8);
                        prop_assert!((surface.min(bounds.high) - surface).length() < 1e-8);
                    }
                    Extent::Half { normal, offset } => {
                        prop_assert!((normal.dot(surface) - offset).abs() < 1e-12);
                    }
                }
            }
        }
    }

    #[test]
    fn a_capsule_is_as_near_as_its_nearest_ball(p in polyhedron(), a in pose(), b in pose(), half_length in 0.0..1.0) {
        let capsule = (VolumeShape::Capsule { half_length, radius: 0.25 }, a);
        let polyhedron = (p, b);
        let gap = least_gap(&collide(&capsule, &polyhedron, 100.0));
        // Golden section over the convex gap.
        let (mut low, mut high) = (-1.0, 1.0);
        for _ in 0..100 {
            let (x, y) = (high - 0.618 * (high - low), low + 0.618 * (high - low));
            if ball_gap(&capsule, x, &polyhedron) < ball_gap(&capsule, y, &polyhedron) {
                high = y;
            } else {
                low = x;
            }
        }
        let least = ball_gap(&capsule, 0.5 * (low + high), &polyhedron);
        if least > -0.25 + 1e-6 {
            prop_assert!((gap - least).abs() < 1e-8, "{} for {}", gap, least);
        } else {
            // The axis is inside: to leave as a whole takes at least as long as by one point.
            prop_assert!(gap <= least + 1e-8);
        }
    }

    #[test]
    fn a_ball_is_a_capsule_without_length(p in polyhedron(), a in pose(), b in pose()) {
        let ball = (VolumeShape::Sphere { radius: 0.25 }, a);
        let capsule = (VolumeShape::Capsule { half_length: 0.0, radius: 0.25 }, a);
        let polyhedron = (p, b);
        let [x, y] = [ball, capsule].map(|s| collide(&s, &polyhedron, 100.0));
        prop_assert_eq!((x.touches().len(), y.touches().len()), (1, 1));
        let (x, y) = (x.touches()[0], y.touches()[0]);
        prop_assert!((x.gap - y.gap).abs() < 1e-9 && (x.normal - y.normal).length() < 1e-6);
    }
}
