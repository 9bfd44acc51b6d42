//! A-CD²: single collisions against closed forms, the law at one contact, and three solvers that
//! must agree.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettingsBuilder, DefaultSolver, IPSolver, SupportedConeT};
use drystone_solve::{
    Block, Blocks, ContactMap, ContactProblem, Curve, CurvePoints, GROUND, Limits, Mover, Nlgs,
    NlgsParams, Percussion, PlaneBlock, Solution, Status, Threads, Twist, VolumeBlock, uzawa,
};
use drystone_space::{
    DVec2, Frame, InverseInertia, Local, Local2, Local3, Plane, PlaneFrame, Rotation, Vector,
    Volume,
};
use proptest::prelude::*;
use std::sync::Arc;

/// One contact whose block is diagonal with these masses: the percussion and U⁺.
fn collide(law: &Percussion<Plane>, masses: [f64; 2]) -> (Local2, Local2) {
    let block = PlaneBlock::new(|i| Local2::axis(i) * (1.0 / masses[i]), 0.0);
    let p = law.solve(&block, law.before, Local2::ZERO);
    (p, law.before + block.apply(p))
}

/// Mass m against a wall: U_n⁺ = max(0, (2K−m)/(2K+m)) |U_n⁻| and U_t⁺ = (m_t−2K)/(m_t+2K) U_t⁻,
/// m_t = m/3 being what a disk with its spin shows to a tangential percussion. Between two bodies
/// m is their reduced mass. K → 0: no dissipation but that of the reaction, P_t = 0; K → ∞: the
/// relative velocity is turned round.
#[test]
fn quadratic_collisions_have_their_closed_form() {
    let before = Local2 { n: -2.0, t: 3.0 };
    for m in [0.5, 1.0, 1.0 / (1.0 / 3.0 + 1.0 / 5.0)] {
        for k in [0.0, 1e-3, 0.2 * m, 0.5 * m, 2.0 * m, 1e9] {
            let law = Percussion::quadratic(before, k, k);
            let (p, after) = collide(&law, [m, m / 3.0]);
            let rebound = ((2.0 * k - m) / (2.0 * k + m)).max(0.0) * 2.0;
            let slide = (m / 3.0 - 2.0 * k) / (m / 3.0 + 2.0 * k) * 3.0;
            assert!((after.n - rebound).abs() < 1e-12, "{m} {k} {after:?}");
            assert!((after.t - slide).abs() < 1e-12, "{m} {k} {after:?}");
            let dissipation = -0.5 * (before + after).dot(p);
            let energy = |u: Local2| 0.5 * m * (u.n * u.n + u.t * u.t / 3.0);
            assert!((energy(before) - energy(after) - dissipation).abs() < 1e-11);
            assert!(dissipation >= 0.0);
        }
    }
    let (_, free) = collide(&Percussion::quadratic(before, 0.0, 0.0), [1.0, 0.3]);
    assert_eq!((free.n, free.t), (0.0, 3.0));
    let (_, hard) = collide(&Percussion::quadratic(before, 1e12, 1e12), [1.0, 0.3]);
    assert!((hard.n - 2.0).abs() < 1e-10 && (hard.t + 3.0).abs() < 1e-10);
}

/// Between the two bounds of Coulomb's cone X_t = 0: the sliding velocity is turned round, as with
/// a tangential restitution of 1. Beyond, |P_t| = μ P_n.
#[test]
fn coulomb_between_percussion_and_mean_velocity() {
    let law = |t: f64| Percussion {
        tangential: Curve::Rigid,
        friction: 0.3,
        ..Percussion::quadratic(Local2 { n: -2.0, t }, 1.0, 0.0)
    };
    // m = 1, K = 1: U_n⁺ = 2/3, P_n = 8/3.
    let (p, after) = collide(&law(0.1), [1.0, 1.0 / 3.0]);
    assert!((p.n - 8.0 / 3.0).abs() < 1e-14 && (after.t + 0.1).abs() < 1e-14, "{p:?} {after:?}");
    let (p, after) = collide(&law(5.0), [1.0, 1.0 / 3.0]);
    assert!((p.t + 0.8).abs() < 1e-13 && (after.t - 2.6).abs() < 1e-12, "{p:?} {after:?}");
}

/// A contact that separates feels nothing; one that a third body pushes back may return as fast as
/// it left, but gives no energy.
#[test]
fn a_contact_that_separates_is_no_collision() {
    let law = Percussion::<Plane>::quadratic(Local2 { n: 1.0, t: 0.0 }, 2.0, 0.0);
    let block = PlaneBlock::new(Local2::axis, 0.0);
    assert_eq!(law.solve(&block, law.before, Local2::ZERO), Local2::ZERO);
    let p = law.solve(&block, Local2 { n: -5.0, t: 0.0 }, Local2::ZERO);
    assert!((p.n - 4.0).abs() < 1e-14, "{p:?}");
    let pulling = Percussion { pulls: true, ..law };
    // Read to the letter, (60) brakes it: U⁺ = (1−2K)/(1+2K), but not below the return.
    let p = pulling.solve(&block, pulling.before, Local2::ZERO);
    assert!((p.n + 8.0 / 5.0).abs() < 1e-14, "{p:?}");
}

fn curve() -> impl Strategy<Value = Curve> {
    let points = (0.1f64..1.0, 0.0f64..1.0, 0.1f64..1.0, 0.0f64..2.0).prop_map(|(a, f, b, g)| {
        Curve::Points(Arc::new(CurvePoints::new(&[[a, f], [a + b, f + g]]).unwrap()))
    });
    prop_oneof![
        (0.0f64..5.0).prop_map(Curve::Linear),
        (0.1f64..5.0, prop_oneof![Just(0.0), 0.3f64..3.0])
            .prop_map(|(factor, exponent)| Curve::Power { factor, exponent }),
        points,
    ]
}

fn law<S: Blocks>(before: S::Local) -> impl Strategy<Value = Percussion<S>> {
    let bound = prop_oneof![Just(f64::INFINITY), 0.0f64..0.6];
    (curve(), curve(), bound, prop::bool::ANY, prop::bool::ANY).prop_map(
        move |(normal, tangential, friction, pulls, dry)| Percussion {
            before,
            normal,
            pulls,
            tangential: if dry && friction.is_finite() { Curve::Rigid } else { tangential },
            friction,
        },
    )
}

fn satisfied<S: Blocks>(
    law: &Percussion<S>,
    block: &S::Block,
    q: S::Local,
) -> Result<(), TestCaseError> {
    let p = law.solve(block, q, S::Local::ZERO);
    let u = q + block.apply(p);
    let size = 1.0 + p.dot(p).sqrt();
    let error = law.natural_map(u, p, 0.7);
    prop_assert!(error.dot(error).sqrt() < 1e-9 * size, "{error:?} {p:?} {u:?}");
    // Clausius–Duhem at one contact.
    let x = (u + law.before) * 0.5;
    prop_assert!(x.dot(p) <= 1e-9 * size, "{x:?} {p:?}");
    prop_assert!(x.normal() >= law.least() - 1e-10);
    prop_assert!(
        !law.friction.is_finite()
            || p.tangent().norm() <= law.friction * p.normal().max(0.0) + 1e-12
    );
    Ok(())
}

proptest! {
    #[test]
    fn the_law_holds_in_the_plane(
        (before, law) in (prop::array::uniform2(-3.0f64..3.0)).prop_flat_map(|[n, t]| {
            let before = Local2 { n, t };
            (Just(before), law::<Plane>(before))
        }),
        [a, b] in prop::array::uniform2(0.3f64..2.0), o in -0.5f64..0.5,
        [n, t] in prop::array::uniform2(-1.0f64..1.0),
    ) {
        let h = [[a * a, a * o], [a * o, o * o + b * b]];
        let block = PlaneBlock::new(|j| Local2 { n: h[0][j], t: h[1][j] }, 0.0);
        satisfied(&law, &block, before + Local2 { n, t })?;
    }

    #[test]
    fn the_law_holds_in_space(
        (before, law) in (prop::array::uniform3(-3.0f64..3.0)).prop_flat_map(|v| {
            let before = Local3::new(v[0], DVec2::new(v[1], v[2]));
            (Just(before), law::<Volume>(before))
        }),
        d in prop::array::uniform3(0.5f64..2.0), o in prop::array::uniform3(-0.4f64..0.4),
        v in prop::array::uniform3(-1.0f64..1.0),
    ) {
        let rows = [[d[0], 0.0, 0.0], [o[0], d[1], 0.0], [o[1], o[2], d[2]]];
        let column = |j: usize| {
            let entry = |i: usize| (0..3).map(|k| rows[i][k] * rows[j][k]).sum::<f64>();
            Local3::new(entry(0), DVec2::new(entry(1), entry(2)))
        };
        let block = VolumeBlock::new(column, 0.0);
        satisfied(&law, &block, before + Local3::new(v[0], DVec2::new(v[1], v[2])))?;
    }
}

/// A heap of bodies that collide with the ground and with each other, all at once.
fn heap<S: Blocks>(numbers: &[f64], curves: impl Fn(usize) -> [Curve; 2]) -> ContactProblem<S> {
    let mut numbers = numbers.iter().copied().cycle();
    let mut next = || numbers.next().unwrap_or_default();
    let mut problem = ContactProblem::<S>::default();
    let bodies = 6;
    for _ in 0..bodies {
        let turn = S::Rotation::exponential(S::Spin::from_fn(|_| next()));
        let moments = S::Spin::from_fn(|_| 1.5 + next());
        let inverse_inertia = S::InverseInertia::from_principal(moments, turn);
        problem.movers.push(Mover { inverse_mass: 1.5 + next(), inverse_inertia });
        let velocity = S::Vector::from_fn(|_| next()) - S::Vector::axis(1);
        problem.free.push(Twist { velocity, spin: S::Spin::from_fn(|_| next()) });
    }
    let pairs = (0..bodies).flat_map(|i| [(i, None), (i, (i > 0).then(|| i - 1))]);
    for (place, (first, second)) in pairs.enumerate() {
        let normal = S::Vector::axis(1) + S::Vector::from_fn(|_| 0.4 * next());
        let map = ContactMap {
            first,
            second: second.unwrap_or(GROUND),
            frame: S::Frame::from_normal(normal / normal.norm()),
            arm_first: S::Vector::from_fn(|_| next()) - normal,
            arm_second: S::Vector::from_fn(|_| next()) + normal,
        };
        let [normal, tangential] = curves(place);
        let before = map.to_contact(&problem.free);
        let friction = f64::INFINITY;
        let law = Percussion { before, normal, pulls: place % 3 == 0, tangential, friction };
        problem.push_percussion(map, S::Local::ZERO, law, 1.0);
    }
    problem
}

/// No impulses.
fn at_rest<S: Blocks>(problem: &ContactProblem<S>) -> Solution<S> {
    Solution {
        impulses: vec![S::Local::ZERO; problem.contacts.len()],
        couples: vec![S::Local::ZERO; problem.specials.len()],
        twists: Vec::new(),
    }
}

fn saddle_point<S: Blocks>(problem: &ContactProblem<S>, tolerance: f64) -> Solution<S> {
    let mut solution = at_rest(problem);
    let limits = Limits::new(tolerance, 200_000);
    let report = uzawa(problem, &mut solution, &limits).expect("differentiable");
    assert_eq!(report.status, Status::Solved, "{report:?}");
    solution
}

fn gauss_seidel<S: Blocks>(problem: &ContactProblem<S>) -> Solution<S> {
    let mut solution = at_rest(problem);
    let params = NlgsParams { tolerance: 1e-12, max_iterations: 100_000, ..Default::default() };
    let report = Nlgs::default().solve(problem, &mut solution, &params, &Threads::one());
    assert_eq!(report.status, Status::Solved, "{report:?}");
    solution
}

fn apart<S: Blocks>(a: &[Twist<S>], b: &[Twist<S>]) -> f64 {
    let one = |(a, b): (&Twist<S>, &Twist<S>)| {
        (a.velocity - b.velocity).norm().max((a.spin - b.spin).norm())
    };
    a.iter().zip(b).map(one).fold(0.0, f64::max)
}

/// Gauss–Seidel with the local solve, Uzawa's minimisation and a quadratic program.
fn all_agree<S: Blocks>(numbers: &[f64]) {
    let problem = heap::<S>(numbers, |i| {
        [Curve::Linear(0.3 * i as f64), Curve::Linear(2.0 / (1.0 + i as f64))]
    });
    let swept = gauss_seidel(&problem);
    let saddle = saddle_point(&problem, 1e-11);
    // Velocities are of order 1, and the problem is well conditioned.
    assert!(apart(&swept.twists, &saddle.twists) < 1e-8);
    let program = quadratic_program(&problem);
    assert!(apart(&swept.twists, &program) < 1e-7, "{}", apart(&swept.twists, &program));

    let curved = heap::<S>(numbers, |i| {
        let points = CurvePoints::new(&[[0.3, 0.1], [0.8, 0.2 * i as f64 + 0.2]]).unwrap();
        let power = Curve::Power { factor: 1.0, exponent: 1.5 };
        if i % 2 == 0 { [Curve::Points(Arc::new(points)), power] } else { [power.clone(), power] }
    });
    let saddle = saddle_point(&curved, 1e-10);
    assert!(apart(&gauss_seidel(&curved).twists, &saddle.twists) < 1e-7);
}

#[test]
fn solvers_agree() {
    for seed in 0..3 {
        let numbers: Vec<f64> =
            (0..151).map(|i| (f64::from(i * i + 31 * seed) * 0.737).sin()).collect();
        all_agree::<Plane>(&numbers);
        all_agree::<Volume>(&numbers);
    }
}

#[test]
fn uzawa_refuses_what_has_no_derivative() {
    let dry = |_| [Curve::Linear(1.0), Curve::Power { factor: 1.0, exponent: 0.0 }];
    let problem = heap::<Plane>(&[0.3, -0.2, 0.5], dry);
    assert!(uzawa(&problem, &mut at_rest(&problem), &Limits::new(1e-8, 10)).is_none());
}

/// From an answer the method finds it again at once, and from one beside it in fewer rounds than from nothing.
#[test]
fn uzawa_goes_on_from_impulses() {
    let numbers: Vec<f64> = (0..151).map(|i| (f64::from(i * i) * 0.737).sin()).collect();
    let problem = heap::<Plane>(&numbers, |i| [Curve::Linear(0.3 * i as f64), Curve::Linear(1.0)]);
    let limits = Limits::new(1e-11, 200_000);
    let mut solution = at_rest(&problem);
    let cold = uzawa(&problem, &mut solution, &limits).unwrap();
    assert!(cold.iterations > 10, "{cold:?}");
    assert_eq!(uzawa(&problem, &mut solution, &limits).unwrap().iterations, 0);
    solution.impulses.iter_mut().for_each(|p| *p = *p * (1.0 + 1e-8));
    let warm = uzawa(&problem, &mut solution, &limits).unwrap();
    assert!(0 < warm.iterations && warm.iterations < cold.iterations / 2, "{warm:?} {cold:?}");
}

/// (58) for linear curves as a quadratic program in u and, where f_N only pushes, s ≥ −X_n, s ≥ 0,
/// whose square takes the place of that of X_n.
fn quadratic_program<S: Blocks>(problem: &ContactProblem<S>) -> Vec<Twist<S>> {
    let dof = S::DIMENSION + S::Spin::LENGTH;
    let size = dof * problem.movers.len();
    let count = problem.contacts.len();
    let unit = |column: usize| {
        let mut twists = vec![Twist::<S>::ZERO; problem.movers.len()];
        let (mover, part) = (column / dof, column % dof);
        match part < S::DIMENSION {
            true => twists[mover].velocity = S::Vector::axis(part),
            false => twists[mover].spin = S::Spin::axis(part - S::DIMENSION),
        }
        twists
    };
    let mut cost = vec![vec![0.0; size + count]; size + count];
    let mut linear = vec![0.0; size + count];
    for (mover, (body, free)) in problem.movers.iter().zip(&problem.free).enumerate() {
        for part in 0..dof {
            let column = mover * dof + part;
            if part < S::DIMENSION {
                cost[column][column] = 1.0 / body.inverse_mass;
                linear[column] = -free.velocity.get(part) / body.inverse_mass;
                continue;
            }
            let inertia = inverse::<S>(&body.inverse_inertia, S::Spin::axis(part - S::DIMENSION));
            for row in 0..S::Spin::LENGTH {
                cost[mover * dof + S::DIMENSION + row][column] = inertia.get(row);
            }
            linear[column] = -inertia.dot(free.spin);
        }
    }
    let (mut rows, mut bounds) = (Vec::new(), Vec::new());
    for (index, contact) in problem.contacts.iter().enumerate() {
        let law = problem.specials[index].percussion().expect("a percussion");
        let [c_n, c_t] = law.slopes().expect("linear");
        let columns: Vec<S::Local> = (0..size).map(|c| contact.map.to_contact(&unit(c))).collect();
        // 2Φ = c X² with X = ½(g·u + U⁻).
        for part in 0..S::DIMENSION {
            let c = if part > 0 {
                c_t
            } else if law.pulls {
                c_n
            } else {
                0.0
            };
            for (a, one) in columns.iter().enumerate() {
                linear[a] += 0.5 * c * one.get(part) * law.before.get(part);
                for (b, two) in columns.iter().enumerate() {
                    cost[a][b] += 0.5 * c * one.get(part) * two.get(part);
                }
            }
        }
        let slack = size + index;
        cost[slack][slack] = if law.pulls { 1.0 } else { 2.0 * c_n };
        let before = law.before.normal();
        let row = |extra: f64| {
            let mut row: Vec<f64> = columns.iter().map(|c| -0.5 * c.normal()).collect();
            row.resize(size + count, 0.0);
            row[slack] = extra;
            row
        };
        rows.push(row(0.0));
        bounds.push(0.5 * before - law.least());
        if !law.pulls {
            rows.push(row(-1.0));
            bounds.push(0.5 * before);
        }
        let mut only = vec![0.0; size + count];
        only[slack] = -1.0;
        rows.push(only);
        bounds.push(0.0);
    }
    let triplets = |matrix: &[Vec<f64>], upper: bool| {
        let mut out = (Vec::new(), Vec::new(), Vec::new());
        for (i, row) in matrix.iter().enumerate() {
            for (j, &value) in row.iter().enumerate() {
                if value != 0.0 && (!upper || i <= j) {
                    out.0.push(i);
                    out.1.push(j);
                    out.2.push(value);
                }
            }
        }
        CscMatrix::new_from_triplets(matrix.len(), size + count, out.0, out.1, out.2)
    };
    let settings = DefaultSettingsBuilder::default()
        .verbose(false)
        .tol_gap_abs(1e-11)
        .tol_gap_rel(1e-11)
        .tol_feas(1e-11)
        .build()
        .expect("sound settings");
    let cones = [SupportedConeT::NonnegativeConeT(bounds.len())];
    let (cost, constraints) = (triplets(&cost, true), triplets(&rows, false));
    let mut solver = DefaultSolver::new(&cost, &linear, &constraints, &bounds, &cones, settings)
        .expect("a sound problem");
    solver.solve();
    let x = &solver.solution.x;
    (0..problem.movers.len())
        .map(|mover| Twist {
            velocity: S::Vector::from_fn(|i| x[mover * dof + i]),
            spin: S::Spin::from_fn(|i| x[mover * dof + S::DIMENSION + i]),
        })
        .collect()
}

/// I ω from I⁻¹: conjugate gradients, which end after as many steps as there are components.
fn inverse<S: Blocks>(inverse_inertia: &S::InverseInertia, spin: S::Spin) -> S::Spin {
    let (mut sum, mut rest, mut along) = (S::Spin::ZERO, spin, spin);
    for _ in 0..4 * S::Spin::LENGTH {
        let size = rest.dot(rest);
        if size < 1e-30 {
            break;
        }
        let product = inverse_inertia.apply(along);
        let length = size / along.dot(product);
        sum += along * length;
        rest -= product * length;
        along = rest + along * (rest.dot(rest) / size);
    }
    sum
}

/// The frame is used as the collision tests assume: normal part first.
#[test]
fn a_disk_on_a_plane_with_spin() {
    // m = 2, r = 0.5, I = ½mr² = 0.25; it falls at 1, slides at 3 and spins at 4: the point slides
    // at 3 + 4·0.5 = 5 along the tangent (−x is the tangent of an upward normal).
    let movers = vec![Mover::<Plane> { inverse_mass: 0.5, inverse_inertia: 4.0 }];
    let map = ContactMap {
        first: 0,
        second: GROUND,
        frame: PlaneFrame::from_normal(DVec2::Y),
        arm_first: DVec2::new(0.0, -0.5),
        arm_second: DVec2::ZERO,
    };
    let free = vec![Twist { velocity: DVec2::new(3.0, -1.0), spin: 4.0 }];
    let mut problem = ContactProblem { movers, free, ..Default::default() };
    let before = map.to_contact(&problem.free);
    assert_eq!((before.n, before.t), (-1.0, -5.0));
    let (k_n, k_t) = (3.0, 0.1);
    let law = Percussion::quadratic(before, k_n, k_t);
    problem.push_percussion(map, Local2::ZERO, law, 1.0);
    let twist = gauss_seidel(&problem).twists[0];
    // 1/m_t = 1/m + r²/I = 1.5.
    let m_t = 1.0 / 1.5;
    let slide = 5.0 * (m_t - 2.0 * k_t) / (m_t + 2.0 * k_t);
    let percussion = m_t * (slide - 5.0);
    assert!((twist.velocity.y - (6.0 - 2.0) / (6.0 + 2.0)).abs() < 1e-13);
    assert!((twist.velocity.x - (3.0 + percussion * 0.5)).abs() < 1e-13);
    assert!((twist.spin - (4.0 + percussion * 0.5 * 4.0)).abs() < 1e-13);
}
