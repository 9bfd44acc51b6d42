//! Scenes of the plane.

use super::{G, empty, orders, run};
use crate::support::{body, fixed, integrate};
use drystone_detect::plane::{PlaneShape, Polygon};
use drystone_engine::{Body, MassProperties, MaterialId, Part, Scheme, World};
use drystone_space::math::{cos, sin};
use drystone_space::{DVec2, Plane, PlaneRotation, Pose};

/// A disk of radius r that starts on top of a fixed one of radius R, pushed to the side, with or without friction: by the angle of the line of
/// centres (R + r) θ'' = g sin θ/(1 + k), k = I/(m r²) where it rolls and 0 where it slides.
fn disk_on_disk(scheme: Scheme, h: f64, friction: f64) -> f64 {
    let (large, small, speed) = (1.0, 0.3, 0.8);
    let mut setup = empty::<Plane>(-DVec2::Y * G, friction, scheme, h);
    setup.boundaries.push(fixed("hill", PlaneShape::Disk { radius: large }, Pose::IDENTITY));
    let place = Pose::at(DVec2::new(0.0, large + small));
    let mut disk = body(PlaneShape::Disk { radius: small }, place);
    disk.velocity = DVec2::new(speed, 0.0);
    disk.spin = if friction > 0.0 { -speed / small } else { 0.0 };
    setup.bodies.push(disk);
    let mut world = World::new(setup).unwrap();
    let end = 0.5;
    run(&mut world, end);
    let k = if friction > 0.0 { 0.5 } else { 0.0 };
    let arm = large + small;
    let [angle, _] = integrate([0.0, speed / arm], end, 5000, |[angle, spin]| {
        [spin, G * sin(angle) / (arm * (1.0 + k))]
    });
    assert!(angle < 0.6, "it must not have left: {angle}");
    let found = world.bodies()[0].pose.position;
    (found - arm * DVec2::new(sin(angle), cos(angle))).length()
}

#[test]
fn a_disk_rolls_and_slides_over_a_disk() {
    for friction in [0.0, 2.0] {
        let [first, second] = orders(4e-3, |scheme, h| disk_on_disk(scheme, h, friction));
        println!("{friction}: {first:.2?} {second:.2?}");
        assert!(second.iter().all(|order| (order - 2.0).abs() < 0.3), "{second:?}");
    }
}

/// A rod slides down between floor and wall, without friction. By its angle to the floor: θ'' = −(3/2)(g/L) cos θ, until it
/// leaves the wall.
fn ladder(scheme: Scheme, h: f64) -> f64 {
    let (length, thick, start) = (1.0, 1e-3, 1.2);
    let mut setup = empty::<Plane>(-DVec2::Y * G, 0.0, scheme, h);
    setup.boundaries.push(fixed("floor", PlaneShape::HalfPlane, Pose::IDENTITY));
    let turn = PlaneRotation::from_angle(-std::f64::consts::FRAC_PI_2);
    setup.boundaries.push(fixed("wall", PlaneShape::HalfPlane, Pose::new(DVec2::ZERO, turn)));
    // Its ends are points.
    let corners = [
        DVec2::X * (0.5 * length),
        DVec2::Y * thick,
        DVec2::X * (-0.5 * length),
        DVec2::Y * -thick,
    ];
    let shape = PlaneShape::Polygon(Polygon::new(&corners).unwrap());
    let middle = DVec2::new(cos(start), sin(start)) * (0.5 * length);
    let turn = PlaneRotation::from_angle(std::f64::consts::PI - start);
    let rod = body(shape, Pose::new(middle, turn));
    let slenderness = rod.moments / (rod.mass * length * length);
    setup.bodies.push(rod);
    let mut world = World::new(setup).unwrap();
    let end = 0.3;
    run(&mut world, end);
    let [angle, _] = integrate([start, 0.0], end, 5000, |[angle, spin]| {
        [spin, -0.5 * G * cos(angle) / (length * (0.25 + slenderness))]
    });
    assert!(sin(angle) > 0.7 * sin(start), "it must not have left the wall: {angle}");
    let found = world.bodies()[0].pose.position;
    (found - DVec2::new(cos(angle), sin(angle)) * (0.5 * length)).length()
}

#[test]
fn a_ladder_slides_down() {
    let [first, second] = orders(4e-3, ladder);
    println!("{first:.2?} {second:.2?}");
    assert!(second.iter().all(|order| (order - 2.0).abs() < 0.3), "{second:?}");
}

/// A disk with a weight in it, turned by an angle and so high above the floor; its radius, and how far its centre of mass is off its
/// middle.
pub fn weighted_disk(angle: f64, height: f64) -> (Body<Plane>, f64, f64) {
    let radius = 0.5;
    let stone = MaterialId(0);
    let hull = Part::new(PlaneShape::Disk { radius }, stone);
    let weight = Part::new(PlaneShape::Disk { radius: 0.1 }, stone).at(Pose::at(-0.3 * DVec2::Y));
    let parts = [(&hull, 500.0), (&weight, 20_000.0)];
    let properties = MassProperties::<Plane>::of_parts(parts.into_iter()).unwrap();
    let off = properties.centre.length();
    let place = Pose::new(DVec2::new(0.0, radius + height), PlaneRotation::from_angle(angle));
    (Body::new(properties, vec![hull, weight], place), radius, off)
}

/// How it rolls: with the angle φ that it has turned by,
/// (I + m (r² + e² − 2 r e cos φ)) φ'' = −m e sin φ (g + r φ'²).
pub fn rocker_rate([angle, spin]: [f64; 2], m: f64, i: f64, radius: f64, off: f64) -> [f64; 2] {
    let inertia = i + m * (radius * radius + off * off - 2.0 * radius * off * cos(angle));
    [spin, -m * off * sin(angle) * (G + radius * spin * spin) / inertia]
}

/// It rolls to and fro: error of its angle, growth and change of its energy.
fn rocker(scheme: Scheme, h: f64, end: f64) -> [f64; 3] {
    let mut setup = empty::<Plane>(-DVec2::Y * G, 2.0, scheme, h);
    setup.boundaries.push(fixed("floor", PlaneShape::HalfPlane, Pose::IDENTITY));
    let (disk, radius, off) = weighted_disk(1.0, 0.0);
    let (m, i) = (disk.mass, disk.moments);
    setup.bodies.push(disk);
    let mut world = World::new(setup).unwrap();
    let energies = run(&mut world, end).map(|energy| energy / (m * G * off));
    let [angle, _] =
        integrate([1.0, 0.0], end, 20_000, |state| rocker_rate(state, m, i, radius, off));
    [(world.bodies()[0].pose.rotation.angle() - angle).abs(), energies[0], energies[1]]
}

#[test]
fn a_rocker_rolls_to_and_fro() {
    let [first, second] = orders(4e-3, |scheme, h| {
        let [error, grown, lost] = rocker(scheme, h, 3.0);
        println!("{scheme:?} {h} grown {grown:e} lost {lost:e}");
        error
    });
    println!("{first:.2?} {second:.2?}");
    assert!(second.iter().all(|order| (order - 2.0).abs() < 0.3), "{second:?}");
}
