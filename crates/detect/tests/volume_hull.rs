//! Convex hulls: known solids, degenerate input, and properties of random ones.

use drystone_detect::ShapeError;
use drystone_detect::volume::Polyhedron;
use drystone_space::{DQuat, DVec3};
use proptest::prelude::*;
use std::f64::consts::TAU;

fn counts(p: &Polyhedron) -> (usize, usize, usize) {
    (p.vertices().len(), p.edges().len(), p.faces().len())
}

fn prism(sides: u32, turn: DQuat) -> Vec<DVec3> {
    let ring = |z: f64| {
        (0..sides).map(move |i| {
            let (sin, cos) = (TAU * f64::from(i) / f64::from(sides)).sin_cos();
            turn * DVec3::new(cos, sin, z)
        })
    };
    ring(-0.5).chain(ring(0.5)).collect()
}

fn grid(turn: DQuat) -> Vec<DVec3> {
    let point = |i: u32| DVec3::new(f64::from(i % 5), f64::from(i / 5 % 5), f64::from(i / 25));
    (0..125).map(|i| turn * (point(i) / 4.0)).collect()
}

/// Every face counter-clockwise from outside, flat, and with all vertices below it; Euler's formula.
fn check(p: &Polyhedron, points: &[DVec3], tolerance: f64) -> Result<(), TestCaseError> {
    let (v, e, f) = counts(p);
    prop_assert_eq!(v + f, e + 2);
    for (i, face) in p.faces().iter().enumerate() {
        let normal = p.normal(i);
        prop_assert!((normal.length() - 1.0).abs() < 1e-14);
        let at = |k: usize| p.vertices()[face[k % face.len()] as usize];
        for k in 0..face.len() {
            let turn = (at(k + 1) - at(k)).cross(at(k + 2) - at(k + 1));
            prop_assert!(turn.dot(normal) > 0.0, "face {} turns the wrong way at {}", i, k);
            prop_assert!(normal.dot(at(k) - at(0)).abs() <= tolerance);
        }
        for &point in points {
            prop_assert!(normal.dot(point - at(0)) <= tolerance, "a point is outside face {}", i);
        }
    }
    Ok(())
}

#[test]
fn a_cube_has_six_quadrangles() {
    let cube = Polyhedron::cuboid(DVec3::new(1.0, 2.0, 3.0)).unwrap();
    assert_eq!(counts(&cube), (8, 12, 6));
    assert!(cube.faces().iter().all(|f| f.len() == 4));
    for face in 0..6 {
        assert_eq!(cube.normal(face).abs().max_element(), 1.0, "normals along the axes exactly");
    }
    check(&cube, cube.vertices(), 0.0).unwrap();
}

#[test]
fn prisms_have_whole_caps() {
    for turn in [DQuat::IDENTITY, DQuat::from_scaled_axis(DVec3::new(0.3, -1.1, 0.7))] {
        for sides in [3, 6, 8, 60] {
            let points = prism(sides, turn);
            let p = Polyhedron::hull(&points).unwrap();
            let n = sides as usize;
            assert_eq!(counts(&p), (2 * n, 3 * n, n + 2));
            assert_eq!(
                p.faces().iter().filter(|f| f.len() == n).count(),
                if n == 4 { 6 } else { 2 }
            );
            check(&p, &points, 1e-14).unwrap();
        }
    }
}

#[test]
fn a_grid_of_points_is_a_cube() {
    for turn in [DQuat::IDENTITY, DQuat::from_scaled_axis(DVec3::new(0.3, -1.1, 0.7))] {
        let points = grid(turn);
        let p = Polyhedron::hull(&points).unwrap();
        assert_eq!(counts(&p), (8, 12, 6));
        check(&p, &points, 1e-14).unwrap();
    }
}

#[test]
fn inner_and_doubled_points_are_dropped() {
    let cube = Polyhedron::cuboid(DVec3::ONE).unwrap();
    let mut points = cube.vertices().to_vec();
    points.extend(cube.vertices().iter().map(|v| v * 0.9));
    points.extend(cube.vertices().iter().map(|v| v * (1.0 + 1e-15)));
    assert_eq!(Polyhedron::hull(&points).unwrap().vertices(), cube.vertices());
}

#[test]
fn what_is_no_solid_is_refused() {
    let cube = Polyhedron::cuboid(DVec3::ONE).unwrap();
    let mut points = cube.vertices().to_vec();
    points[3].y = f64::NAN;
    assert_eq!(Polyhedron::hull(&points), Err(ShapeError::NotFinite { index: 3 }));
    let few = |found| Err(ShapeError::TooFewPoints { found, needed: 4 });
    assert_eq!(Polyhedron::hull(&[]), few(0));
    assert_eq!(Polyhedron::hull(&[DVec3::X; 7]), few(1));
    assert_eq!(Polyhedron::hull(&[DVec3::X, DVec3::Y, DVec3::Z, DVec3::X]), few(3));
    for turn in [DQuat::IDENTITY, DQuat::from_scaled_axis(DVec3::new(0.3, -1.1, 0.7))] {
        let flat: Vec<_> = prism(7, DQuat::IDENTITY)
            .into_iter()
            .map(|v| turn * DVec3::new(v.x + v.z, v.y, 0.0))
            .collect();
        assert_eq!(Polyhedron::hull(&flat), Err(ShapeError::Degenerate));
        let line: Vec<_> = (0..9).map(|i| turn * DVec3::X * f64::from(i)).collect();
        assert_eq!(Polyhedron::hull(&line), Err(ShapeError::Degenerate));
    }
    assert_eq!(Polyhedron::cuboid(DVec3::new(1.0, 0.0, 1.0)), Err(ShapeError::Degenerate));
    let many = Polyhedron::hull(&prism(129, DQuat::IDENTITY));
    assert_eq!(many, Err(ShapeError::TooManyVertices { found: 258, most: 256 }));
    assert!(Polyhedron::hull(&prism(128, DQuat::IDENTITY)).is_ok());
}

#[test]
fn sizes_from_the_smallest_to_the_largest() {
    for scale in [1e-300, 1e-9, 1e9, 1e300] {
        let points: Vec<_> = prism(6, DQuat::IDENTITY).iter().map(|v| v * scale).collect();
        match Polyhedron::hull(&points) {
            Ok(p) => assert_eq!(counts(&p), (12, 18, 8)),
            Err(error) => assert!(!(1e-200..1e200).contains(&scale), "{error}"),
        }
    }
}

fn vector() -> impl Strategy<Value = DVec3> {
    (-1.0..1.0, -1.0..1.0, -1.0..1.0).prop_map(|(x, y, z)| DVec3::new(x, y, z))
}

proptest! {
    #[test]
    fn points_on_a_sphere_are_all_vertices(directions in prop::collection::vec(vector(), 4..120)) {
        let points: Vec<_> =
            directions.iter().filter_map(|d| d.try_normalize()).collect();
        if let Ok(p) = Polyhedron::hull(&points) {
            check(&p, &points, 1e-10)?;
        }
    }

    #[test]
    fn random_points_lie_inside(points in prop::collection::vec(vector(), 8..200)) {
        let p = Polyhedron::hull(&points).unwrap();
        check(&p, &points, 1e-10)?;
    }

    #[test]
    fn noise_keeps_the_faces(turn in vector(), noise in prop::collection::vec(vector(), 125)) {
        let turn = DQuat::from_scaled_axis(turn * 3.0);
        let noisy = |points: Vec<DVec3>| -> Vec<_> {
            points.into_iter().zip(&noise).map(|(p, n)| p + n * 1e-15).collect()
        };
        let cube = Polyhedron::hull(&noisy(grid(turn))).unwrap();
        prop_assert_eq!(counts(&cube), (8, 12, 6));
        let octagons = Polyhedron::hull(&noisy(prism(8, turn))).unwrap();
        prop_assert_eq!(counts(&octagons), (16, 24, 10));
    }
}
