//! Properties of projections: idempotent, non-expansive, obtuse angle, and equal to what other methods
//! find.

use drystone_space::{DVec2, DVec3, Plane, Space, Vector, Volume};
use drystone_sweeping::{HalfSpace, Member, Section, SweepError, polygon};
use proptest::prelude::*;

/// Coordinates are of the size of 10 and projections are exact to about 1e-13 of that, up to the
/// sharpness of corners.
const EPS: f64 = 1e-10;

fn vector<S: Space>(reach: f64) -> impl Strategy<Value = S::Vector> {
    prop::array::uniform3(-reach..reach).prop_map(|c| S::Vector::from_fn(|i| c[i]))
}

/// Half-spaces and balls that all hold a ball of radius 0.3 about the origin.
fn member<S: Space>(balls: bool) -> impl Strategy<Value = Member<S>> {
    let direction = vector::<S>(1.0).prop_filter("a direction", |v| v.norm() > 0.1);
    (direction, 0.3..3.0f64, 0.5..5.0f64, any::<bool>())
        .prop_map(move |(v, depth, r, round)| {
            let normal = v / v.norm();
            if round && balls {
                Member::ball(normal * (depth - r), r).unwrap()
            } else {
                Member::HalfSpace(HalfSpace { normal, offset: depth })
            }
        })
        .prop_filter("holds the origin", |m| m.distance(S::Vector::ZERO).0 <= -0.29)
}

fn section<S: Space>(balls: bool) -> impl Strategy<Value = Section<S>> {
    prop::collection::vec(member(balls), 1..8).prop_map(|members| Section::new(members).unwrap())
}

fn check<S: Space>(section: &Section<S>, a: S::Vector, b: S::Vector) -> Result<(), TestCaseError> {
    let [pa, pb] = [a, b].map(|x| section.project(x).unwrap());
    prop_assert!(section.violation(pa) <= EPS, "outside by {}", section.violation(pa));
    prop_assert!((section.project(pa).unwrap() - pa).norm() <= EPS, "not idempotent");
    prop_assert!((pa - pb).norm() <= (a - b).norm() + EPS, "expansive");
    // (a − pa)·(x − pa) ≤ 0 for all x of the set; pb and points toward the origin are such.
    for x in [pb, pb * 0.5, S::Vector::ZERO] {
        prop_assert!((a - pa).dot(x - pa) <= EPS * 10.0, "angle: {}", (a - pa).dot(x - pa));
    }
    Ok(())
}

/// Dykstra's alternating projections (Boyle & Dykstra 1986): slow, and nothing in common with ours.
fn dykstra<S: Space>(section: &Section<S>, point: S::Vector) -> S::Vector {
    let members = section.members();
    let mut corrections = vec![S::Vector::ZERO; members.len()];
    let mut x = point;
    for _ in 0..100_000 {
        // Its places may stall while its corrections still change.
        let mut change = 0.0f64;
        for (member, correction) in members.iter().zip(&mut corrections) {
            let shifted = x + *correction;
            x = member.project(shifted);
            change = change.max((shifted - x - *correction).norm());
            *correction = shifted - x;
        }
        if change < 1e-14 {
            break;
        }
    }
    x
}

proptest! {
    #[test]
    fn half_planes(s in section::<Plane>(false), a in vector::<Plane>(10.0), b in vector::<Plane>(10.0)) {
        check(&s, a, b)?;
    }
    #[test]
    fn half_spaces(s in section::<Volume>(false), a in vector::<Volume>(10.0), b in vector::<Volume>(10.0)) {
        check(&s, a, b)?;
    }
    #[test]
    fn with_disks(s in section::<Plane>(true), a in vector::<Plane>(10.0), b in vector::<Plane>(10.0)) {
        check(&s, a, b)?;
    }
    #[test]
    fn with_balls(s in section::<Volume>(true), a in vector::<Volume>(10.0), b in vector::<Volume>(10.0)) {
        check(&s, a, b)?;
    }
    #[test]
    fn far_points(s in section::<Volume>(true), a in vector::<Volume>(1e5)) {
        let p = s.project(a).unwrap();
        prop_assert!(s.violation(p) <= 1e-8 * (1.0 + a.norm()));
        prop_assert!((s.project(a * 1.001).unwrap() - p).norm() <= 0.001 * a.norm() + 1e-6);
    }
    #[test]
    fn the_outside_of_a_ball(x in vector::<Plane>(3.0)) {
        let hole = Member::<Plane>::outside(DVec2::new(0.3, -0.2), 1.1).unwrap();
        let p = hole.project(x);
        prop_assert!(hole.distance(p).0 <= 1e-15);
        // The nearest of many points of the circle is no nearer.
        let (distance, _) = hole.distance(x);
        prop_assert!((p - x).norm() <= distance.max(0.0) + 1e-15);
    }
    #[test]
    fn as_dykstra_finds(s in section::<Plane>(true), a in vector::<Plane>(5.0)) {
        let (ours, slow) = (s.project(a).unwrap(), dykstra(&s, a));
        // It converges the slower the blunter a corner is.
        prop_assert!((ours - slow).norm() <= 1e-4, "{ours} {slow}");
    }
    #[test]
    fn polygons_as_the_nearest_of_all_edges(
        sides in 3usize..9, size in 0.5..3.0f64, turn in 0.0..6.0f64, a in vector::<Plane>(6.0),
    ) {
        let corner = |i: usize| {
            let angle = turn + std::f64::consts::TAU * i as f64 / sides as f64;
            DVec2::new(angle.cos() * size, angle.sin())
        };
        let corners: Vec<DVec2> = (0..sides).map(corner).collect();
        let section = Section::new(polygon(&corners).unwrap()).unwrap();
        let on_edge = |i: usize| {
            let (from, to) = (corners[i], corners[(i + 1) % sides]);
            let along = ((a - from).dot(to - from) / (to - from).length_squared()).clamp(0.0, 1.0);
            from + (to - from) * along
        };
        let nearest = (0..sides).map(on_edge);
        let nearest = nearest.min_by(|p, q| p.distance(a).total_cmp(&q.distance(a))).unwrap();
        let nearest = if section.violation(a) <= 0.0 { a } else { nearest };
        prop_assert!((section.project(a).unwrap() - nearest).length() < 1e-12);
    }
}

#[test]
fn a_corner_of_three_balls() {
    // Unit balls about −½ on each axis: by symmetry their upper corner has x = y = z.
    let members = [DVec3::X, DVec3::Y, DVec3::Z];
    let members = members.map(|e| Member::<Volume>::ball(e * -0.5, 1.0).unwrap()).to_vec();
    let section = Section::new(members).unwrap();
    // (x + ½)² + 2 x² = 1  →  3 x² + x − ¾ = 0.
    let x = (-1.0 + 10f64.sqrt()) / 6.0;
    let found = section.project(DVec3::new(5.0, 5.5, 4.8)).unwrap();
    assert!((found - DVec3::splat(x)).length() < 1e-13, "{found}");
}

#[test]
fn sets_that_touch_in_one_point_are_found_or_refused() {
    let ball = |x| Member::<Plane>::ball(DVec2::new(x, 0.0), 1.0).unwrap();
    let touching = Section::new(vec![ball(-1.0), ball(1.0)]).unwrap();
    match touching.project(DVec2::new(0.5, 2.0)) {
        // An error e in the sets opens a lens of height √(2 e).
        Ok(found) => assert!(found.length() < 1e-5, "{found}"),
        Err(SweepError::Unfinished { residual, .. }) => assert!(residual < 1e-3),
        Err(other) => panic!("{other}"),
    }
}
