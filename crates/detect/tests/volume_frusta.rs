//! Resting contacts of cylinders and cones: where they touch, and that the places keep their names.

use drystone_detect::volume::{Frustum, Polyhedron, Rounded, VolumeShape};
use drystone_detect::{Geometry, Manifold};
use drystone_space::{DQuat, DVec3, Pose, Volume};
use std::f64::consts::FRAC_PI_2;

type Placed = (VolumeShape, Pose<Volume>);

fn collide(first: &Placed, second: &Placed, margin: f64) -> Manifold<Volume> {
    let mut manifold = Manifold::default();
    Volume::collide((&first.0, &first.1), (&second.0, &second.1), margin, &mut manifold);
    manifold
}

fn cylinder(length: f64, radius: f64) -> VolumeShape {
    VolumeShape::Frustum(Frustum::new(0.5 * length, [radius; 2]))
}

fn cuboid(x: f64, y: f64, z: f64) -> Polyhedron {
    Polyhedron::cuboid(DVec3::new(x, y, z)).unwrap()
}

/// A floor of each kind with its surface at z = 0.
fn floors() -> [Placed; 3] {
    let plate = VolumeShape::Polyhedron(cuboid(10.0, 10.0, 1.0));
    let rounded = VolumeShape::Rounded(Rounded::new(cuboid(10.0, 10.0, 0.5), 0.25));
    [
        (VolumeShape::HalfSpace, Pose::IDENTITY),
        (plate, Pose::at(DVec3::Z * -0.5)),
        (rounded, Pose::at(DVec3::Z * -0.5)),
    ]
}

/// How far the touches reach from their middle, at least, in any of many directions of the plane.
fn hold(manifold: &Manifold<Volume>, about: DVec3) -> f64 {
    let reach = |k: i32| {
        let (sin, cos) = (0.1 * f64::from(k)).sin_cos();
        let along = DVec3::new(cos, sin, 0.0);
        let far = manifold.touches().iter().map(|t| along.dot(t.point - about));
        far.fold(f64::MIN, f64::max)
    };
    (0..63).map(reach).fold(f64::INFINITY, f64::min)
}

#[test]
fn a_cylinder_stands_on_four_places_that_keep_their_names() {
    for floor in floors() {
        let mut names = None;
        for step in 0..50 {
            let noise = 1e-11 * f64::from(step * 7919 % 101) / 101.0;
            let turn = DQuat::from_scaled_axis(DVec3::new(noise, -0.6 * noise, 0.3));
            let pose = Pose::new(DVec3::new(1.0, 2.0, 0.5 + noise), turn);
            for order in [1.0, -1.0] {
                let drum = (cylinder(1.0, 0.4), pose);
                let found = match order {
                    1.0 => collide(&drum, &floor, 1e-3),
                    _ => collide(&floor, &drum, 1e-3),
                };
                assert_eq!(found.touches().len(), 4, "{floor:?}");
                for touch in found.touches() {
                    assert!(
                        touch.gap.abs() < 1e-10 && touch.normal.distance(DVec3::Z * order) < 1e-9
                    );
                }
                // A square in the circle.
                let inner = hold(&found, DVec3::new(1.0, 2.0, 0.0));
                assert!((inner - 0.4 * 0.5_f64.sqrt()).abs() < 1e-3, "{inner}");
                let here: Vec<u32> = found.touches().iter().map(|t| t.feature).collect();
                assert_eq!(&here, names.get_or_insert(here.clone()));
            }
        }
    }
}

#[test]
fn a_cylinder_that_leans_touches_at_its_lowest_point() {
    for floor in floors() {
        for lean in [1e-6, 1e-3, 0.1, 0.7] {
            for turn in [0.0, 0.4, 2.0] {
                let about = DVec3::new(f64::cos(turn), f64::sin(turn), 0.0);
                let rotation = DQuat::from_axis_angle(about, lean) * DQuat::from_rotation_z(0.2);
                // Lowest is a point of the rim: h cos + r sin below the centre.
                let height = 0.5 * lean.cos() + 0.4 * lean.sin();
                let drum = (cylinder(1.0, 0.4), Pose::new(DVec3::Z * height, rotation));
                let found = collide(&drum, &floor, 1e-2);
                let deepest =
                    found.touches().iter().min_by(|s, t| s.gap.total_cmp(&t.gap)).unwrap();
                assert!(deepest.gap.abs() < 1e-14, "{}", deepest.gap);
                let arm = 0.4 * lean.cos() - 0.5 * lean.sin();
                assert!((deepest.point.length() - arm.abs()).abs() < 1e-9);
            }
        }
    }
}

#[test]
fn a_cylinder_that_lies_touches_at_both_ends_however_it_has_rolled() {
    for floor in floors() {
        for step in 0..40 {
            let roll = DQuat::from_rotation_z(0.37 * f64::from(step));
            let rotation = DQuat::from_rotation_x(FRAC_PI_2) * roll;
            let drum = (cylinder(1.0, 0.4), Pose::new(DVec3::new(0.5, 0.0, 0.4), rotation));
            let found = collide(&drum, &floor, 1e-3);
            let [one, other] = found.touches() else { panic!("two touches") };
            assert!(one.gap.abs() < 1e-14 && other.gap.abs() < 1e-14);
            assert!((one.point.y - other.point.y).abs() > 1.0 - 1e-14);
            assert!((one.point.x - 0.5).abs() < 1e-12 && one.normal.distance(DVec3::Z) < 1e-14);
            assert_ne!(one.feature, other.feature);
        }
    }
}

#[test]
fn drums_on_each_other_touch_over_what_their_ends_share() {
    let below = (cylinder(1.0, 0.5), Pose::at(DVec3::Z * -0.5));
    for (aside, radius, inner) in
        [(0.0, 0.5, 0.35), (0.0, 0.3, 0.21), (0.4, 0.5, 0.24), (0.1, 0.9, 0.35)]
    {
        for gap in [-1e-6, 0.0, 1e-6] {
            let pose = Pose::new(DVec3::new(aside, 0.0, 0.5 + gap), DQuat::from_rotation_z(0.3));
            let above = (cylinder(1.0, radius), pose);
            let found = collide(&above, &below, 1e-3);
            assert!(found.touches().len() >= 3, "{aside}, {radius}");
            assert!(
                found.touches().iter().all(|t| (t.gap - gap).abs() < 1e-15 && t.normal == DVec3::Z)
            );
            let middle = if radius == 0.5 { 0.5 * aside } else { 0.0 };
            let held = hold(&found, DVec3::X * middle);
            assert!(held > inner, "{aside}, {radius}: {held}");
        }
    }
}

#[test]
fn cylinders_side_by_side_touch_at_the_ends_of_what_they_share() {
    let along = DQuat::from_rotation_x(FRAC_PI_2);
    let one = (cylinder(2.0, 0.3), Pose::new(DVec3::ZERO, along));
    for roll in [0.0, 0.3, 1.7] {
        let turn = along * DQuat::from_rotation_z(roll);
        let other = (cylinder(2.0, 0.5), Pose::new(DVec3::new(0.64, 0.5, 0.48), turn));
        let found = collide(&other, &one, 1e-3);
        let [low, high] = found.touches() else { panic!("two touches: {found:?}") };
        for touch in [low, high] {
            assert!(touch.gap.abs() < 1e-15, "{}", touch.gap);
            assert!(touch.normal.distance(DVec3::new(0.8, 0.0, 0.6)) < 1e-12);
        }
        let mut ends = [low.point.y, high.point.y];
        ends.sort_by(f64::total_cmp);
        assert!((ends[0] + 0.5).abs() < 1e-12 && (ends[1] - 1.0).abs() < 1e-12);
    }
}

#[test]
fn crossed_cylinders_touch_once() {
    let one = (cylinder(2.0, 0.3), Pose::new(DVec3::ZERO, DQuat::from_rotation_x(FRAC_PI_2)));
    let other = (cylinder(2.0, 0.5), Pose::new(DVec3::Z * 0.81, DQuat::from_rotation_y(FRAC_PI_2)));
    let found = collide(&other, &one, 0.1);
    let [touch] = found.touches() else { panic!("one touch: {found:?}") };
    assert!((touch.gap - 0.01).abs() < 1e-15 && touch.normal.distance(DVec3::Z) < 1e-15);
    assert!(touch.point.distance(DVec3::Z * 0.305) < 1e-14);
}

#[test]
fn a_plank_on_a_cylinder_touches_along_a_line() {
    let log = (cylinder(2.0, 0.5), Pose::new(DVec3::ZERO, DQuat::from_rotation_x(FRAC_PI_2)));
    let lean = 0.2;
    let up = DQuat::from_rotation_y(lean) * DVec3::Z;
    let plank = VolumeShape::Polyhedron(cuboid(3.0, 1.0, 0.1));
    let pose = Pose::new(up * 0.55 + DVec3::Y * 0.25, DQuat::from_rotation_y(lean));
    let found = collide(&(plank, pose), &log, 1e-3);
    let [one, other] = found.touches() else { panic!("two touches: {found:?}") };
    for touch in [one, other] {
        assert!(touch.gap.abs() < 1e-15 && touch.normal.distance(up) < 1e-15);
    }
    let mut ends = [one.point.y, other.point.y];
    ends.sort_by(f64::total_cmp);
    assert!((ends[0] + 0.25).abs() < 1e-12 && (ends[1] - 0.75).abs() < 1e-12);
}
