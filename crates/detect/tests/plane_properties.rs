//! Properties of the pair tests of the plane, and polygons against brute force.

use drystone_detect::plane::{PlaneShape, Polygon};
use drystone_detect::{Bounds, Extent, Geometry, Manifold, Touch};
use drystone_space::{DVec2, Plane, PlaneRotation, Pose, Rotation};
use proptest::prelude::*;

type Placed = (PlaneShape, Pose<Plane>);

fn touches(first: &Placed, second: &Placed, margin: f64) -> Vec<Touch<Plane>> {
    let mut manifold = Manifold::default();
    Plane::collide((&first.0, &first.1), (&second.0, &second.1), margin, &mut manifold);
    manifold.touches().to_vec()
}

fn least_gap(touches: &[Touch<Plane>]) -> f64 {
    touches.iter().map(|t| t.gap).fold(f64::INFINITY, f64::min)
}

fn moved(by: DVec2, placed: &Placed) -> Placed {
    (placed.0.clone(), Pose::new(placed.1.position + by, placed.1.rotation))
}

/// Points on an ellipse at increasing angles: any convex polygon from thin to round.
fn polygon() -> impl Strategy<Value = Polygon> {
    (prop::collection::vec(0.15f64..1.0, 3..9), 0.2f64..1.5, 0.2f64..1.5).prop_filter_map(
        "too thin",
        |(steps, a, b)| {
            let scale = std::f64::consts::TAU / steps.iter().sum::<f64>();
            let angles = steps.iter().scan(0.0, |angle, step| {
                *angle += step * scale;
                Some(*angle)
            });
            let on_ellipse = |t: f64| DVec2::new(a * t.cos() + 0.3, b * t.sin() - 0.2);
            let polygon = Polygon::new(&angles.map(on_ellipse).collect::<Vec<_>>()).ok()?;
            (polygon.width() > 0.05).then_some(polygon)
        },
    )
}

fn segment() -> impl Strategy<Value = PlaneShape> {
    (-1.0f64..1.0, 0.2f64..2.0, 0.0f64..6.0).prop_map(|(x, length, angle)| {
        let start = DVec2::new(x, 0.3);
        PlaneShape::Segment { start, end: start + length * DVec2::from_angle(angle) }
    })
}

fn shape() -> impl Strategy<Value = PlaneShape> {
    prop_oneof![
        (0.1f64..1.5).prop_map(|radius| PlaneShape::Disk { radius }),
        polygon().prop_map(PlaneShape::Polygon),
        polygon().prop_map(PlaneShape::Polygon),
        Just(PlaneShape::HalfPlane),
        segment(),
    ]
}

fn pose() -> impl Strategy<Value = Pose<Plane>> {
    (-2.0f64..2.0, -2.0f64..2.0, prop_oneof![Just(0.0), -7.0f64..7.0])
        .prop_map(|(x, y, angle)| Pose::new(DVec2::new(x, y), PlaneRotation::from_angle(angle)))
}

fn placed() -> impl Strategy<Value = Placed> {
    (shape(), pose())
}

/// The outline in world axes.
fn outline((shape, pose): &Placed) -> Vec<DVec2> {
    match shape {
        PlaneShape::Polygon(polygon) => polygon.vertices().iter().map(|&v| pose.point(v)).collect(),
        PlaneShape::Segment { start, end } => vec![pose.point(*start), pose.point(*end)],
        _ => unreachable!("not an outline"),
    }
}

fn edges(outline: &[DVec2]) -> impl Iterator<Item = (DVec2, DVec2)> {
    (0..outline.len()).map(|i| (outline[i], outline[(i + 1) % outline.len()]))
}

fn distance_to_edge(point: DVec2, (a, b): (DVec2, DVec2)) -> f64 {
    let part = ((point - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
    point.distance(a + (b - a) * part)
}

/// Largest over all edge normals of the separation of the two outlines along them.
fn brute_separation(one: &[DVec2], two: &[DVec2]) -> f64 {
    let along = |from: &[DVec2], to: &[DVec2]| {
        edges(from)
            .map(|(a, b)| {
                let normal = -(b - a).normalize().perp();
                to.iter().map(|&v| normal.dot(v - a)).fold(f64::INFINITY, f64::min)
            })
            .fold(f64::NEG_INFINITY, f64::max)
    };
    along(one, two).max(along(two, one))
}

/// Distance of two outlines apart: the least over all vertices and edges.
fn brute_distance(one: &[DVec2], two: &[DVec2]) -> f64 {
    let from = |points: &[DVec2], outline: &[DVec2]| {
        points
            .iter()
            .flat_map(|&p| edges(outline).map(move |edge| distance_to_edge(p, edge)))
            .fold(f64::INFINITY, f64::min)
    };
    from(one, two).min(from(two, one))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn swapping_a_pair_flips_the_normal_and_keeps_the_gaps(a in placed(), b in placed()) {
        let (one, two) = (touches(&a, &b, 0.5), touches(&b, &a, 0.5));
        prop_assert_eq!(one.len(), two.len());
        for touch in &one {
            prop_assert!(two.iter().any(|t| (t.normal + touch.normal).length() < 1e-8
                && (t.gap - touch.gap).abs() < 1e-9
                && (t.point - touch.point).length() < 1e-8), "{:?} {:?}", one, two);
        }
    }

    #[test]
    fn touches_are_sound(a in placed(), b in placed(), margin in 0.0f64..1.0) {
        let found = touches(&a, &b, margin);
        prop_assert!(found.len() <= 2);
        for touch in &found {
            prop_assert!(touch.gap <= margin);
            prop_assert!((touch.normal.length() - 1.0).abs() < 1e-12);
            prop_assert!(touch.point.is_finite());
        }
        if let [one, two] = &found[..] {
            prop_assert_ne!(one.feature, two.feature);
            prop_assert!(one.point.distance(two.point) > 1e-12);
        }
        // A smaller margin only takes touches away.
        let fewer = touches(&a, &b, 0.5 * margin);
        let kept: Vec<_> = found.into_iter().filter(|t| t.gap <= 0.5 * margin).collect();
        prop_assert_eq!(fewer, kept);
    }

    #[test]
    fn a_motion_of_both_changes_nothing(a in placed(), b in placed(), motion in pose()) {
        let (c, d) = ((a.0.clone(), motion.compose(&a.1)), (b.0.clone(), motion.compose(&b.1)));
        let (here, there) = (touches(&a, &b, 0.5), touches(&c, &d, 0.5));
        // A second touch may come or go where its gap is at the margin.
        if here.iter().chain(&there).any(|t| (t.gap - 0.5).abs() <= 1e-9) {
            return Ok(());
        }
        prop_assert_eq!(here.len(), there.len());
        for (one, two) in here.iter().zip(&there) {
            prop_assert!((one.gap - two.gap).abs() < 1e-9);
            prop_assert!((motion.rotation.apply(one.normal) - two.normal).length() < 1e-8);
            prop_assert!((motion.point(one.point) - two.point).length() < 1e-8);
        }
    }

    #[test]
    fn taking_the_gap_away_brings_the_surfaces_together(a in placed(), b in placed()) {
        let found = touches(&a, &b, 2.0);
        if found.is_empty() {
            return Ok(());
        }
        let nearest = found.iter().copied().min_by(|s, t| s.gap.total_cmp(&t.gap)).unwrap();
        // From just apart to just in overlap, the gap goes through zero with the motion.
        for rest in [1e-3, 1e-9, 1e-12, -1e-12, -1e-9] {
            let closer = moved(nearest.normal * (rest - nearest.gap), &a);
            let now = touches(&closer, &b, 2.0);
            // Corners within the slack of each other may be let go.
            if now.is_empty() {
                prop_assert!(rest.abs() < 1e-3);
                continue;
            }
            // Past each other, sharp corners may part sideways.
            let right = if rest > 0.0 { rest..=rest } else { rest..=-rest };
            let gap = least_gap(&now);
            prop_assert!(
                gap > right.start() - 1e-10 && gap < right.end() + 1e-10, "{} {:?}", rest, now
            );
        }
    }

    #[test]
    fn outlines_agree_with_brute_force(
        a in (polygon().prop_map(PlaneShape::Polygon), pose()),
        b in (prop_oneof![polygon().prop_map(PlaneShape::Polygon), segment()], pose()),
    ) {
        let (one, two) = (outline(&a), outline(&b));
        let separation = brute_separation(&one, &two);
        let gap = if separation > 0.0 { brute_distance(&one, &two) } else { separation };
        let found = touches(&a, &b, 1.0);
        prop_assert_eq!(found.is_empty(), gap > 1.0);
        if !found.is_empty() {
            prop_assert!((least_gap(&found) - gap).abs() < 1e-9, "{} {:?}", gap, found);
        }
    }

    #[test]
    fn a_touch_is_midway_between_the_surfaces(a in placed(), b in placed()) {
        for touch in touches(&a, &b, 1.0) {
            // Half a gap along the normal either way is on the outlines of the two shapes.
            for (placed, side) in [(&a, 0.5), (&b, -0.5)] {
                let point = touch.point + touch.normal * (side * touch.gap);
                let off = match &placed.0 {
                    PlaneShape::Disk { radius } => placed.1.position.distance(point) - radius,
                    PlaneShape::HalfPlane => placed.1.inverse_point(point).y,
                    _ => edges(&outline(placed))
                        .map(|edge| distance_to_edge(point, edge))
                        .fold(f64::INFINITY, f64::min),
                };
                prop_assert!(off.abs() < 1e-8, "{:?} is {} off {:?}", touch, off, placed);
            }
        }
    }

    #[test]
    fn an_extent_holds_its_shape(a in placed()) {
        match (Plane::extent(&a.0, &a.1), &a.0) {
            (Extent::Half { normal, offset }, PlaneShape::HalfPlane) => {
                let surface = a.1.point(DVec2::new(3.0, 0.0));
                prop_assert!((normal.dot(surface) - offset).abs() < 1e-14);
                prop_assert!((a.1.rotation.apply(DVec2::Y) - normal).length() < 1e-15);
            }
            (Extent::Box(bounds), PlaneShape::Disk { radius }) => {
                prop_assert_eq!(bounds, Bounds::around(a.1.position, *radius));
            }
            (Extent::Box(bounds), _) => {
                let points = outline(&a);
                for p in &points {
                    prop_assert!(p.cmpge(bounds.low).all() && p.cmple(bounds.high).all());
                }
                prop_assert!(points.iter().any(|p| p.x == bounds.low.x));
                prop_assert!(points.iter().any(|p| p.y == bounds.high.y));
            }
            (extent, shape) => prop_assert!(false, "{extent:?} of {shape:?}"),
        }
    }
}

#[test]
fn a_wall_of_blocks_touches_side_on_side_everywhere() {
    // Six courses in running bond, blocks 0.6 by 0.4, exactly touching.
    let block = PlaneShape::Polygon(Polygon::rectangle(0.6, 0.4).unwrap());
    let (rows, columns) = (6, 5);
    let wall: Vec<Placed> = (0..rows)
        .flat_map(|row| (0..columns).map(move |column| (row, column)))
        .map(|(row, column)| {
            let x = 0.6 * f64::from(column) + 0.3 * f64::from(row % 2);
            (block.clone(), Pose::at(DVec2::new(x, 0.4 * f64::from(row) + 0.2)))
        })
        .collect();
    let (mut beds, mut joints) = (0, 0);
    for (i, a) in wall.iter().enumerate() {
        for b in &wall[..i] {
            let found = touches(a, b, 1e-6);
            if found.is_empty() {
                continue;
            }
            assert_eq!(found.len(), 2, "{a:?} {b:?}");
            assert!(found.iter().all(|t| t.gap.abs() < 1e-14));
            if (a.1.position.y - b.1.position.y).abs() > 0.1 {
                beds += 1;
                assert!(found.iter().all(|t| t.normal == DVec2::Y));
                // Each block lies on half of the other's length.
                assert!((found[0].point.distance(found[1].point) - 0.3).abs() < 1e-14);
            } else {
                joints += 1;
                assert!(found.iter().all(|t| t.normal == DVec2::X));
                assert!((found[0].point.distance(found[1].point) - 0.4).abs() < 1e-14);
            }
        }
    }
    assert_eq!(joints, rows * (columns - 1));
    assert_eq!(beds, (rows - 1) * (2 * columns - 1));
}

#[test]
fn measures_of_the_shapes() {
    let disk = PlaneShape::Disk { radius: 2.0 };
    let solid = Plane::solid(&disk).unwrap();
    assert_eq!(solid.measure, 4.0 * std::f64::consts::PI);
    assert_eq!(solid.inertia, 8.0 * std::f64::consts::PI);
    assert_eq!(Plane::width(&disk), 4.0);
    let segment = PlaneShape::Segment { start: DVec2::ZERO, end: DVec2::new(3.0, 4.0) };
    assert_eq!((Plane::solid(&segment), Plane::width(&segment)), (None, 5.0));
    let half = PlaneShape::HalfPlane;
    assert_eq!((Plane::solid(&half), Plane::width(&half)), (None, f64::INFINITY));
}
