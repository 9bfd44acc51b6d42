//! The two schemes against exact solutions and against what Moreau proves of the process.

use drystone_space::{DVec2, Plane, Space, Vector};
use drystone_sweeping::{
    AnyProblem, Convergence, Example, HalfSpace, Member, Motion, MovingSet, Problem, Scheme,
    SetInTime, SweepError, polygon,
};
use proptest::prelude::*;

fn study(example: Example) -> Convergence {
    match example.problem() {
        AnyProblem::Plane(problem, exact) => Convergence::study(&problem, exact, 20, 7),
        AnyProblem::Volume(problem, exact) => Convergence::study(&problem, exact, 20, 7),
    }
    .unwrap()
}

fn plane(example: Example) -> Problem<Plane> {
    match example.problem() {
        AnyProblem::Plane(problem, _) => problem,
        AnyProblem::Volume(..) => panic!("{} is in the plane", example.name()),
    }
}

#[test]
fn errors_fall_with_the_step() {
    for example in Example::ALL {
        let study = study(example);
        for scheme in Scheme::ALL {
            let order = study.order(scheme);
            let expected = match (example, scheme) {
                // The implicit scheme knows where the wall is at the end of each step; it misses
                // only the moment of the crest, and there the wall is flat.
                (Example::Wall, Scheme::Implicit) => 1.7..2.3,
                (_, Scheme::Implicit) => 0.9..1.1,
                // How late the explicit scheme notices that the boundary has come is a share of the
                // step that differs from level to level.
                (_, Scheme::Explicit) => 0.7..1.3,
            };
            let order = order.unwrap_or_else(|| panic!("{} has no error", example.name()));
            assert!(expected.contains(&order), "{} {}: {order}", example.name(), scheme.name());
        }
    }
}

/// Points that touch the boundary from the start: both schemes halve their error with the step.
#[test]
fn in_lasting_contact_both_schemes_are_of_first_order() {
    for (example, start) in [
        (Example::Turning, DVec2::new(1.0, 0.0)),
        (Example::Ball, DVec2::new(-0.8, 0.6)),
        (Example::Obstacle, DVec2::new(0.8, 0.6)),
    ] {
        let AnyProblem::Plane(mut problem, exact) = example.problem() else { panic!() };
        problem.starts = vec![start];
        problem.end = 0.7;
        let study = Convergence::study(&problem, exact, 20, 7).unwrap();
        for (index, scheme) in Scheme::ALL.into_iter().enumerate() {
            for pair in study.levels.windows(2) {
                let ratio = pair[0].errors[index] / pair[1].errors[index];
                let name = (example.name(), scheme.name());
                assert!((ratio - 2.0).abs() < 0.1, "{name:?} {ratio} {:?}", study.levels);
            }
        }
    }
}

/// A box that is carried along without turning: each pair of sides acts for itself, the point goes as
/// far along an axis as the side has come, and the implicit scheme makes no error at all.
#[test]
fn the_implicit_scheme_is_exact_in_a_box_that_does_not_turn() {
    let corners = [(1., 1.), (-1., 1.), (-1., -1.), (1., -1.)].map(DVec2::from);
    let velocity = DVec2::new(1.0, -0.7);
    let motion = Motion { velocity, ..Motion::default() };
    let set = MovingSet::one(polygon(&corners).unwrap(), motion).unwrap();
    let start = DVec2::new(0.3, -0.4);
    let problem = Problem { title: String::new(), set, starts: vec![start], end: 3.0 };
    let exact = |start: DVec2, t: f64| DVec2::new(start.x.max(t - 1.0), start.y.min(1.0 - 0.7 * t));
    let study = Convergence::study(&problem, Some(exact), 10, 5).unwrap();
    assert!(study.levels.iter().all(|level| level.errors[0] < 1e-14), "{study:?}");
    assert_eq!(study.order(Scheme::Implicit), None);
    // The explicit scheme notices each wall up to one step late: |velocity| h at most.
    for level in &study.levels {
        assert!(
            level.errors[1] > 0.0 && level.errors[1] <= 1.0001 * velocity.length() * level.step
        );
    }
}

/// The turning wall, worked by hand: each implicit step multiplies the radius by cos h; an explicit one
/// multiplies it by at most √(1 + h²), and by just that in the first. The one spirals in, the other
/// out.
#[test]
fn radii_on_the_turning_wall() {
    let problem = plane(Example::Turning);
    let (steps, start) = (100, DVec2::new(1.0, 0.0));
    let h: f64 = problem.end / steps as f64;
    let implicit = problem.path(start, steps, Scheme::Implicit).unwrap();
    let explicit = problem.path(start, steps, Scheme::Explicit).unwrap();
    for k in 0..=steps {
        assert!((implicit.points[k].length() - h.cos().powi(k as i32)).abs() < 1e-13);
    }
    let grown = (1.0 + h * h).sqrt();
    let ratios = explicit.points.windows(2).map(|w| w[1].length() / w[0].length());
    let ratios: Vec<f64> = ratios.collect();
    assert!((ratios[0] - grown).abs() < 1e-15);
    assert!(ratios.iter().all(|&ratio| ratio > 1.0 && ratio < grown + 1e-14), "{ratios:?}");
}

/// Torsion after tension up to yield, of an incompressible tube that is elastic and perfectly plastic: σ/σ_Y falls as
/// 1/cosh, √3 τ/σ_Y rises as tanh of the twist, and stress stays on the circle of yield.
#[test]
fn tension_gives_way_to_torsion() {
    let problem = plane(Example::Plastic);
    let mut last = f64::INFINITY;
    for steps in [200, 2000] {
        let path = problem.path(DVec2::ZERO, steps, Scheme::Implicit).unwrap();
        let h = problem.end / steps as f64;
        let mut worst = 0.0f64;
        for (k, q) in path.points.iter().enumerate() {
            let t = h * k as f64;
            let stress = *q + DVec2::new(1.0, t);
            assert!(stress.length() < 1.0 + 1e-12, "yield at {t}: {stress}");
            worst = worst.max((stress - DVec2::new(1.0 / t.cosh(), t.tanh())).length());
        }
        // Of first order: ten times the steps, a tenth of the error.
        assert!(worst < 0.2 * last && worst < h, "{worst} with steps of {h}");
        last = worst;
    }
    // Work that is not stored is dissipated: dW = s · dp with p = −q, never negative.
    let path = problem.path(DVec2::ZERO, 500, Scheme::Implicit).unwrap();
    for (k, pair) in path.points.windows(2).enumerate() {
        let t = problem.end / 500.0 * (k + 1) as f64;
        assert!((pair[1] + DVec2::new(1.0, t)).dot(pair[0] - pair[1]) >= 0.0);
    }
}

/// Moreau 2003, §2.3: two solutions never move apart.
#[test]
fn points_never_move_apart() {
    for example in [Example::Ball, Example::Polygon, Example::Lens, Example::Cave] {
        let problem = plane(example);
        let paths: Vec<_> = problem
            .starts
            .iter()
            .map(|&start| problem.path(start, 300, Scheme::Implicit).unwrap())
            .collect();
        for (a, b) in paths.iter().zip(&paths[1..]) {
            let apart = a.points.iter().zip(&b.points).map(|(p, q)| p.distance(*q));
            let apart: Vec<f64> = apart.collect();
            assert!(apart.windows(2).all(|w| w[1] <= w[0] + 1e-13), "{}", example.name());
        }
    }
}

/// Moreau 2003, §2.3: the places do not depend on the schedule. Twice as fast in half the time gives
/// the same places to the last bit, as doubling is exact.
#[test]
fn places_do_not_depend_on_the_pace() {
    let slow = plane(Example::Polygon);
    let mut piece = slow.set.pieces()[0].clone();
    piece.motion.spin *= 2.0;
    let set = MovingSet::new(vec![piece]).unwrap();
    let fast = Problem { set, end: slow.end / 2.0, ..slow.clone() };
    for &start in &slow.starts {
        let [a, b] = [&slow, &fast].map(|p| p.path(start, 128, Scheme::Implicit).unwrap());
        assert_eq!(a.points, b.points);
    }
}

/// The implicit scheme ends every step in the set; the explicit one is outside by O(h).
#[test]
fn who_stays_in_the_set() {
    for example in [Example::Ball, Example::Polygon, Example::Lens, Example::Obstacle] {
        let problem = plane(example);
        let outside = |steps: usize, scheme: Scheme| {
            let mut most = 0.0f64;
            for &start in &problem.starts {
                let path = problem.path(start, steps, scheme).unwrap();
                for (&time, &point) in path.times.iter().zip(&path.points) {
                    most = most.max(problem.set.section(time).unwrap().violation(point));
                }
            }
            most
        };
        assert!(outside(200, Scheme::Implicit) < 1e-12, "{}", example.name());
        let (coarse, fine) = (outside(200, Scheme::Explicit), outside(3200, Scheme::Explicit));
        // A sixteenth, were it not for the moment of each meeting, which may fall well or badly.
        assert!(coarse > 1e-4 && fine < 0.25 * coarse, "{} {coarse} {fine}", example.name());
    }
}

/// Moreau 2003, §2.6: time is depth, the set at each time the section of a cave, and the path a thread
/// of water. i) Off the rock it falls straight down; ii) on the rock it follows the line of steepest
/// descent; iii) it runs only on rock that faces up, and leaves where the rock begins to overhang.
#[test]
fn water_in_a_cave() {
    let problem = plane(Example::Cave);
    let steps = 20_000;
    let h = problem.end / steps as f64;
    let (mut runs, mut falls, mut departures) = (0, 0, 0);
    for &start in &problem.starts {
        let path = problem.path(start, steps, Scheme::Implicit).unwrap();
        let mut ran = false;
        for k in 1..=steps {
            let (before, after) = (path.points[k - 1], path.points[k]);
            let rock = problem.set.constraints(path.times[k], after).unwrap()[0];
            let running = before != after;
            if running {
                // The surface f(t, x) = 0 has the normal (f_t, ∇f); it faces up (against t, which
                // grows downward) where f_t > 0. Steepest descent on it has the horizontal
                // velocity −f_t ∇f/|∇f|² per depth, across the level lines.
                assert!(rock.value.abs() < 1e-12 && rock.rate > -20.0 * h, "{rock:?}");
                // The step in which it lands is only partly on the rock.
                let steepest = -rock.gradient * rock.rate;
                let off = ((after - before) / h - steepest).length();
                assert!(!ran || off < 20.0 * h, "{off}");
                runs += 1;
            } else {
                falls += 1;
                // It has just left the rock: there the wall is upright, about to overhang.
                if ran {
                    assert!(rock.rate.abs() < 20.0 * h, "{rock:?}");
                    departures += 1;
                }
            }
            ran = running;
        }
    }
    assert!(runs > steps && falls > steps && departures >= 2, "{runs} {falls} {departures}");
}

#[test]
fn what_cannot_be_followed() {
    let ball = Member::<Plane>::ball(DVec2::ZERO, 1.0).unwrap();
    let shrinking = Motion { growth: -0.5, ..Motion::default() };
    let set = MovingSet::one(vec![ball], shrinking).unwrap();
    let problem = |starts: Vec<DVec2>, end: f64| Problem {
        title: String::new(),
        set: set.clone(),
        starts,
        end,
    };
    let path = |end| problem(vec![], end).path(DVec2::ZERO, 10, Scheme::Implicit);
    assert!(matches!(path(3.0), Err(SweepError::Vanished { piece: 1, .. })));
    assert!(path(1.9).is_ok());
    assert_eq!(problem(vec![], 1.0).check(), Err(SweepError::NoPoint));
    assert!(matches!(problem(vec![DVec2::X * 3.0], 1.0).check(),
        Err(SweepError::Outside { point: 1, distance }) if (distance - 2.0).abs() < 1e-12));
    assert!(matches!(problem(vec![DVec2::ZERO], f64::NAN).check(), Err(SweepError::End { .. })));
}

proptest! {
    /// The lazy selector obeys all constraints that are reached, and no admissible velocity is smaller.
    #[test]
    fn the_lazy_selector_is_the_smallest(
        x in -2.0..2.0f64, y in -2.0..2.0f64, spin in -1.0..1.0f64, vx in -1.0..1.0f64,
        tries in prop::collection::vec((-2.0..2.0f64, -2.0..2.0f64), 20),
    ) {
        let corners = [(1., 0.8), (-1., 1.), (-0.7, -1.), (1.2, -0.6)].map(DVec2::from);
        let mut members = polygon(&corners).unwrap();
        members.push(Member::ball(DVec2::new(0.1, 0.0), 1.1).unwrap());
        members.push(Member::HalfSpace(HalfSpace::below(DVec2::Y * 0.9, DVec2::Y).unwrap()));
        let motion = Motion { spin, velocity: DVec2::X * vx, growth: -0.1, ..Motion::default() };
        let set = MovingSet::one(members, motion).unwrap();
        let point = DVec2::new(x, y);
        let reached = set.constraints(0.0, point).unwrap();
        let reached: Vec<_> = reached.into_iter().filter(|c| c.value >= 0.0).collect();
        let allowed = |v: DVec2, slack: f64| reached.iter().all(|c| c.rate + v.dot(c.gradient) <= slack);
        let lazy = set.lazy(0.0, point).unwrap();
        prop_assert!(allowed(lazy, 1e-12));
        for (x, y) in tries {
            let v = DVec2::new(x, y);
            prop_assert!(!allowed(v, 0.0) || v.length() >= lazy.length() - 1e-12);
        }
    }
}

/// In both dimensions a straight push is the same.
#[test]
fn a_wall_in_space_and_in_the_plane() {
    fn push<S: Space>() -> f64 {
        let half = HalfSpace::<S>::below(S::Vector::ZERO, -S::Vector::axis(0)).unwrap();
        let motion = Motion { velocity: S::Vector::axis(0), ..Motion::default() };
        let set = MovingSet::one(vec![Member::HalfSpace(half)], motion).unwrap();
        let starts = vec![S::Vector::axis(0) * 0.25];
        let problem = Problem { title: String::new(), set, starts, end: 1.0 };
        let path = problem.path(problem.starts[0], 7, Scheme::Implicit).unwrap();
        path.points[7].get(0)
    }
    assert_eq!(push::<Plane>(), 1.0);
    assert_eq!(push::<drystone_space::Volume>(), 1.0);
}
