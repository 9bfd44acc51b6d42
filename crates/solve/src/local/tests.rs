//! Every local solver against the law, against each other, and on blocks that no solver can trust.

use super::*;
use crate::assembled::local::norm;
use crate::law::coulomb::{moment, tangent};
use crate::{Block, PlaneBlock};
use drystone_space::Local2;
use proptest::prelude::*;
use proptest::strategy::ValueTree;

/// A symmetric block with these eigenvalues, its axes turned in every plane by an angle.
fn turned<const D: usize>(eigenvalues: [f64; D], angles: &[f64]) -> Square<D> {
    let mut axes: Square<D> =
        std::array::from_fn(|i| std::array::from_fn(|j| if i == j { 1.0 } else { 0.0 }));
    let planes = (0..D).flat_map(|j| (0..j).map(move |i| (i, j)));
    for ((i, j), angle) in planes.zip(angles.iter().cycle()) {
        let (sin, cos) = angle.sin_cos();
        for axis in &mut axes {
            (axis[i], axis[j]) = (cos * axis[i] - sin * axis[j], sin * axis[i] + cos * axis[j]);
        }
    }
    let entry = |i: usize, j: usize| (0..D).map(|k| axes[k][i] * eigenvalues[k] * axes[k][j]).sum();
    std::array::from_fn(|i| std::array::from_fn(|j| entry(i.min(j), i.max(j))))
}

/// Eigenvalues between 10^−decades and 1.
fn eigenvalues<const D: usize>(decades: f64, x: &[f64; D]) -> [f64; D] {
    x.map(|x| 10f64.powf(-decades * x))
}

/// How far an impulse is from the law, relative to the impulses at hand; q is the velocity without
/// any impulse.
fn distance<const D: usize>(contact: &OneContact<D>, q: &Local<D>, p: &Local<D>) -> f64 {
    let u = contact.velocity(q, &[0.0; D], p);
    let a = contact.augmentation.common;
    norm(&contact.cone.natural_map(&u, p, a)) / (norm(p) + a * norm(q))
}

fn in_cone<const D: usize>(cone: &Cone, p: &Local<D>) -> bool {
    norm(tangent(p)) <= cone.friction * p[0] * (1.0 + 1e-14)
        && norm(moment(p)) <= cone.rolling * p[0] * (1.0 + 1e-14)
}

/// Whether a solver claims to solve whatever it is given.
fn never_fails(solver: LocalSolver) -> bool {
    use LocalSolver::{Bracketed, Enumerative, Hybrid};
    matches!(solver, Bracketed | Enumerative | Hybrid)
}

fn blocks() -> impl Strategy<Value = ([f64; 3], [f64; 3])> {
    (prop::array::uniform3(0.0..1.0f64), prop::array::uniform3(-3.2..3.2f64))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn settled_means_that_the_law_holds(
        (x, angles) in blocks(), decades in 0.0..6.0f64, friction in 0.0..2.0f64,
        q in prop::array::uniform3(-1.0..1.0f64), start in prop::array::uniform3(-1.0..1.0f64),
        skew in -0.02..0.02f64,
    ) {
        // Unsymmetric by up to 2 % of the least eigenvalue.
        let eigenvalues = eigenvalues(decades, &x);
        let least = eigenvalues.iter().copied().fold(1.0, f64::min);
        let mut block = turned(eigenvalues, &angles);
        block[0][1] += skew * least;
        block[2][1] -= skew * least;
        let contact = OneContact::new(&block, &Cone::coulomb(friction));
        prop_assert_eq!(contact.block(), &block);
        let start = contact.cone.project(&start);
        let u = contact.velocity(&q, &[0.0; 3], &start);
        for solver in LocalSolver::ALL {
            let answer = solver.solve(&contact, &u, &start);
            prop_assert!(in_cone(&contact.cone, &answer.impulse), "{solver:?} {answer:?}");
            prop_assert!(answer.settled || !never_fails(solver), "{solver:?} {answer:?}");
            let rest = distance(&contact, &q, &answer.impulse);
            prop_assert!(rest < 1e-10 || !answer.settled, "{solver:?} leaves {rest:e}");
        }
    }

    #[test]
    fn solvers_agree_where_there_is_one_solution(
        (x, angles) in blocks(), friction in 0.0..1.0f64,
        q in prop::array::uniform3(-1.0..1.0f64),
    ) {
        let contact = OneContact::new(&turned(eigenvalues(2.0, &x), &angles), &Cone::coulomb(friction));
        let solutions = contact.solutions(&q, &[0.0; 3]);
        prop_assume!(solutions.as_slice().len() == 1);
        let expected = solutions.as_slice()[0];
        for solver in LocalSolver::ALL {
            let answer = solver.solve(&contact, &q, &[0.0; 3]);
            let apart = norm(&add_scaled(&answer.impulse, -1.0, &expected));
            // What settles to 1e-12 is this near, times the condition of 100.
            let near = apart <= 1e-9 * (norm(&expected) + contact.augmentation.common);
            prop_assert!(near || !answer.settled, "{solver:?} {:?} {expected:?}", answer.impulse);
        }
    }

    #[test]
    fn rolling_contacts_obey_their_law(
        x in prop::array::uniform5(0.0..1.0f64), angles in prop::array::uniform10(-3.2..3.2f64),
        q in prop::array::uniform5(-1.0..1.0f64), friction in 0.0..1.0f64, rolling in 0.0..0.5f64,
    ) {
        let block = turned(eigenvalues(1.0, &x), &angles);
        let contact = OneContact::new(&block, &Cone { friction, rolling });
        for solver in LocalSolver::ALL {
            let answer = solver.solve(&contact, &q, &[0.0; 5]);
            prop_assert!(in_cone(&contact.cone, &answer.impulse), "{solver:?} {answer:?}");
            prop_assert!(answer.settled || !never_fails(solver), "{solver:?} {answer:?}");
            let rest = distance(&contact, &q, &answer.impulse);
            prop_assert!(rest < 1e-10 || !answer.settled, "{solver:?} leaves {rest:e}");
        }
    }

    /// A contact in space whose second tangential direction is apart from the rest is one in the
    /// plane, and that has a closed form.
    #[test]
    fn the_plane_is_a_constrained_space(
        l in prop::array::uniform3(0.2..3.0f64), sign in prop::bool::ANY, other in 0.1..3.0f64,
        q in prop::array::uniform2(-2.0..2.0f64), friction in 0.0..1.0f64,
    ) {
        let off = if sign { l[0] * l[1] } else { -l[0] * l[1] };
        let plane = [[l[0] * l[0], off], [off, l[1] * l[1] + l[2] * l[2]]];
        let [[nn, nt], [tn, tt]] = plane;
        let space = [[nn, nt, 0.0], [tn, tt, 0.0], [0.0, 0.0, other]];
        let block = PlaneBlock::new(|j| Local2 { n: plane[0][j], t: plane[1][j] }, friction);
        let (m, b) = block.reduce(Local2 { n: q[0], t: q[1] }, Local2 { n: 0.0, t: 0.0 });
        let exact = block.coulomb(m, b);
        let cone = Cone::coulomb(friction);
        let (flat, deep) = (OneContact::new(&plane, &cone), OneContact::new(&space, &cone));
        let unique = deep.solutions(&[q[0], q[1], 0.0], &[0.0; 3]).as_slice().len() == 1;
        prop_assume!(unique);
        for solver in LocalSolver::ALL {
            let p2 = solver.solve(&flat, &q, &[0.0; 2]);
            let p3 = solver.solve(&deep, &[q[0], q[1], 0.0], &[0.0; 3]);
            let near = |n: f64, t: f64| (n - exact.n).hypot(t - exact.t) <= 1e-7 * (1.0 + exact.n);
            prop_assert!(near(p2.impulse[0], p2.impulse[1]) || !p2.settled, "{solver:?} {p2:?}");
            prop_assert!(near(p3.impulse[0], p3.impulse[1]) || !p3.settled, "{solver:?} {p3:?}");
            prop_assert!(p3.impulse[2] == 0.0);
        }
    }

    /// Whatever the block, singular, indefinite, zero or not a number: an impulse in the cone.
    #[test]
    fn no_block_breaks_a_solver(
        entries in prop::array::uniform9(prop_oneof![
            4 => -1.0..1.0f64, 2 => Just(0.0), 1 => Just(1.0), 1 => Just(1e-300), 1 => Just(1e200),
            1 => Just(f64::NAN), 1 => Just(f64::INFINITY),
        ]),
        q in prop::array::uniform3(prop_oneof![4 => -1.0..1.0f64, 1 => Just(0.0), 1 => Just(1e9)]),
        friction in prop_oneof![Just(0.0), 0.0..2.0f64, Just(1e6)],
        start in prop::array::uniform3(-1.0..1.0f64),
    ) {
        let block: Square<3> = std::array::from_fn(|i| std::array::from_fn(|j| entries[3 * i + j]));
        let contact = OneContact::new(&block, &Cone::coulomb(friction));
        for solver in LocalSolver::ALL {
            let answer = solver.solve(&contact, &q, &start);
            prop_assert!(answer.impulse.iter().all(|x| x.is_finite()), "{solver:?} {answer:?}");
            prop_assert!(in_cone(&contact.cone, &answer.impulse), "{solver:?} {answer:?}");
        }
    }

    /// A contact that satisfies its law stays where it is even if its block is singular: here the
    /// law is met with the true block and the solver is shown the projected one.
    #[test]
    fn a_contact_on_its_law_stays_there(
        (x, angles) in blocks(), p in prop::array::uniform3(-1.0..1.0f64), friction in 0.1..2.0f64,
        speed in 0.0..1.0f64, slips in prop::bool::ANY,
    ) {
        let mut eigenvalues = eigenvalues(1.0, &x);
        eigenvalues[1] = 0.0;
        let contact = OneContact::new(&turned(eigenvalues, &angles), &Cone::coulomb(friction));
        let n = 0.5 + p[0].abs();
        let length = p[1].hypot(p[2]).max(1e-3);
        let scale = friction * n / length * if slips { 1.0 } else { 0.5 };
        let p = [n, p[1] * scale, p[2] * scale];
        let slip = if slips { -speed / (friction * n) } else { 0.0 };
        let u = [0.0, p[1] * slip, p[2] * slip];
        for solver in [LocalSolver::AlartCurnier, LocalSolver::NaturalMap, LocalSolver::Hybrid,
            LocalSolver::Bipotential, LocalSolver::Enumerative] {
            let answer = solver.solve(&contact, &u, &p);
            let moved = norm(&add_scaled(&answer.impulse, -1.0, &p));
            prop_assert!(moved < 1e-6, "{solver:?} moves {p:?} by {moved:e}");
        }
    }
}

/// With strong friction and coupling a contact that would part may as well stick: the enumerative
/// solver knows all three answers and keeps to the present one.
#[test]
fn a_contact_with_three_solutions() {
    let block = [[1.0, 0.9, 0.0], [0.9, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let contact = OneContact::new(&block, &Cone::coulomb(2.0));
    let q = [0.1, 1.0, 0.0];
    let solutions = contact.solutions(&q, &[0.0; 3]);
    assert_eq!(solutions.as_slice().len(), 3);
    assert_eq!(solutions.as_slice()[0], [0.0; 3]);
    // −H⁻¹ q by hand: (0.8, −0.91)/0.19.
    let stick = [0.8 / 0.19, -0.91 / 0.19, 0.0];
    assert!(norm(&add_scaled(&solutions.as_slice()[1], -1.0, &stick)) < 1e-14);
    for present in solutions.as_slice() {
        let u = contact.velocity(&q, &[0.0; 3], present);
        let answer = LocalSolver::Enumerative.solve(&contact, &u, present);
        assert!(norm(&add_scaled(&answer.impulse, -1.0, present)) < 1e-12);
    }
}

/// Newton alone does not always settle; how often it does is part of what the documents say.
#[test]
fn how_often_newton_settles() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let cases = (
        blocks(),
        prop::array::uniform3(-1.0..1.0f64),
        prop::array::uniform3(-1.0..1.0f64),
        0.0..1.0f64,
    );
    const COUNT: usize = 4000;
    for (decades, strongest, least) in
        [(1.0, 0.5, [4000, 3990, 4000]), (6.0, 2.0, [3700, 3200, 2500])]
    {
        let mut settled = [0; LocalSolver::ALL.len()];
        let mut iterations = settled;
        for _ in 0..COUNT {
            let ((x, angles), mut q, start, friction) =
                cases.new_tree(&mut runner).expect("ranges have values").current();
            q[0] = -q[0].abs();
            let cone = Cone::coulomb(strongest * friction);
            let contact = OneContact::new(&turned(eigenvalues(decades, &x), &angles), &cone);
            let start = cone.project(&start);
            let u = contact.velocity(&q, &[0.0; 3], &start);
            for (i, solver) in LocalSolver::ALL.into_iter().enumerate() {
                let answer = solver.solve(&contact, &u, &start);
                settled[i] += answer.settled as usize;
                iterations[i] += answer.iterations as usize;
            }
        }
        println!("condition 1e{decades}, friction to {strongest}:");
        for (i, solver) in LocalSolver::ALL.into_iter().enumerate() {
            let mean = iterations[i] as f64 / COUNT as f64;
            println!("{:15} {:5} of {COUNT}, {mean:.1} iterations", solver.name(), settled[i]);
            assert!(settled[i] == COUNT || !never_fails(solver));
        }
        use LocalSolver::{AlartCurnier, Bipotential, NaturalMap};
        for (solver, least) in [AlartCurnier, NaturalMap, Bipotential].into_iter().zip(least) {
            let at =
                LocalSolver::ALL.iter().position(|&other| other == solver).expect("it is there");
            assert!(settled[at] >= least, "{solver:?} settles {} times of {COUNT}", settled[at]);
        }
    }
}

#[test]
fn names_lead_back_to_solvers() {
    for solver in LocalSolver::ALL {
        assert_eq!(LocalSolver::by_name(solver.name()), Some(solver));
    }
    assert_eq!(LocalSolver::by_name("quartic"), None);
}
