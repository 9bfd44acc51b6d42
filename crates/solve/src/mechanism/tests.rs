use super::*;
use crate::{ContactMap, ContactProblem, Law, Nlgs, NlgsParams, Solution, Status, Threads};
use drystone_space::{DQuat, DVec2, DVec3, Frame, Local2, Plane, PlaneFrame, Volume};

fn row(sides: [DVec2; 2], spins: [f64; 2]) -> JointRow<Plane> {
    let side = |i: usize| Twist { velocity: sides[i], spin: spins[i] };
    JointRow { sides: [side(0), side(1)], given: 0.0 }
}

/// Point masses on a vertical line, each hung on the one before by a rod; the first on the ground.
fn chain(masses: &[f64]) -> Mechanism<Plane> {
    let joints = (0..masses.len()).map(|i| JointOf {
        members: [i as u32, if i == 0 { GROUND } else { i as u32 - 1 }],
        rows: 1,
    });
    let mut chain = Mechanism::new(masses.len(), joints.collect()).unwrap();
    for (i, mass) in masses.iter().enumerate() {
        let second = if i == 0 { DVec2::ZERO } else { -DVec2::Y };
        chain.rows_mut(i)[0] = row([DVec2::Y, second], [0.0; 2]);
        chain.movers_mut()[i] = Mover { inverse_mass: 1.0 / mass, inverse_inertia: 0.0 };
    }
    assert!(chain.factor());
    chain
}

fn falling(count: usize, speed: f64) -> Vec<Twist<Plane>> {
    vec![Twist { velocity: DVec2::new(0.0, -speed), spin: 0.0 }; count]
}

/// Each rod carries the weight of all that hangs below it, the last a million times heavier than a link.
#[test]
fn a_chain_of_a_thousand_carries_a_million_times_its_link() {
    let mut masses = vec![1.0; 1000];
    masses[999] = 1e6;
    let mut chain = chain(&masses);
    let mut twists = falling(1000, 0.5);
    chain.constrain(&mut twists);
    let mut below = 0.0;
    for link in (0..1000).rev() {
        below += masses[link];
        let tension = chain.multipliers(link)[0];
        // What rounding can make of it: ε times the condition of K, 4N²/π².
        assert!((tension / (0.5 * below) - 1.0).abs() < 1e-9, "{link}: {tension}");
        assert!(twists[link].velocity.length() < 1e-9);
    }
}

/// Three equal rods side by side carry a third each: the least multipliers.
#[test]
fn redundant_rows_share_what_they_carry() {
    let joints =
        vec![JointOf { members: [0, GROUND], rows: 3 }, JointOf { members: [1, 0], rows: 2 }];
    let mut twins = Mechanism::<Plane>::new(2, joints).unwrap();
    twins.rows_mut(0).fill(row([DVec2::Y, DVec2::ZERO], [0.0; 2]));
    twins.rows_mut(1).fill(row([DVec2::Y, -DVec2::Y], [0.0; 2]));
    twins.movers_mut().fill(Mover { inverse_mass: 0.5, inverse_inertia: 1.0 });
    assert!(twins.factor());
    assert!(twins.look_for_redundant());
    let mut twists = falling(2, 3.0);
    twins.constrain(&mut twists);
    assert!(twins.slip(&twists) < 1e-14);
    // How they share is known to ε over the shift of the factors.
    assert!(
        twins.multipliers(0).iter().all(|m| (m - 4.0).abs() < 2e-7),
        "{:?}",
        twins.multipliers(0)
    );
    assert!(
        twins.multipliers(1).iter().all(|m| (m - 3.0).abs() < 2e-7),
        "{:?}",
        twins.multipliers(1)
    );
}

/// Two equal rods that are asked for velocities which differ by rounding of what they stand for: nothing runs away, and what
/// both agree on is met.
#[test]
fn a_contradiction_within_rounding_does_no_harm() {
    let mut twin =
        Mechanism::<Plane>::new(1, vec![JointOf { members: [0, GROUND], rows: 3 }]).unwrap();
    for (place, axis) in [DVec2::Y, DVec2::Y, DVec2::X].into_iter().enumerate() {
        twin.rows_mut(0)[place] = row([axis, DVec2::ZERO], [0.0; 2]);
    }
    twin.movers_mut()[0] = Mover { inverse_mass: 1.0, inverse_inertia: 1.0 };
    assert!(twin.factor() && twin.look_for_redundant());
    for (place, given) in [3e-12, 3e-12 + 1e-16, 2e-12].into_iter().enumerate() {
        twin.rows_mut(0)[place].given = given;
    }
    let mut twists = [Twist::ZERO];
    twin.constrain(&mut twists);
    let wanted = DVec2::new(2e-12, 3e-12 + 0.5e-16);
    assert!((twists[0].velocity - wanted).length() < 1e-24, "{:?}", twists[0]);
    assert!(twin.multipliers(0).iter().all(|m| m.abs() < 1e-11), "{:?}", twin.multipliers(0));
}

/// A lever of length 2 on a hinge at its middle: an impulse at one end moves the other the other way.
#[test]
fn points_answer_as_the_joints_let_them() {
    let mut lever =
        Mechanism::<Plane>::new(1, vec![JointOf { members: [0, GROUND], rows: 2 }]).unwrap();
    lever.rows_mut(0)[0] = row([DVec2::X, DVec2::ZERO], [0.0; 2]);
    lever.rows_mut(0)[1] = row([DVec2::Y, DVec2::ZERO], [0.0; 2]);
    lever.movers_mut()[0] = Mover { inverse_mass: 0.1, inverse_inertia: 0.25 };
    assert!(lever.factor());
    let handle = |arm: f64, axis: DVec2| {
        let push = Twist { velocity: axis, spin: DVec2::new(arm, 0.0).perp_dot(axis) };
        [(0, push), (GROUND, Twist::ZERO)]
    };
    let handles = [-1.0, 1.0].map(|arm| [handle(arm, DVec2::X), handle(arm, DVec2::Y)]).concat();
    let mut group = Compliant::default();
    group.reset(0, 2);
    lever.respond(&handles, &mut group);
    let near = |found: DVec2, wanted: DVec2| (found - wanted).length() < 1e-15;
    assert!(group.response_mut(0, 0).iter().all(|&v| near(v, DVec2::ZERO)));
    assert!(near(group.response_mut(0, 1)[0], DVec2::new(0.0, 0.25)));
    assert!(near(group.response_mut(0, 1)[1], DVec2::new(0.0, -0.25)));
}

/// A chain of ten falls with its lower end on the ground: the contact carries all of it, and the rods hold.
#[test]
fn a_contact_stops_a_whole_chain() {
    let joints = (1..10).map(|i| JointOf { members: [i, i - 1], rows: 1 }).collect();
    let mut chain = Mechanism::<Plane>::new(10, joints).unwrap();
    for link in 0..9 {
        chain.rows_mut(link)[0] = row([DVec2::Y, -DVec2::Y], [0.0; 2]);
    }
    chain.movers_mut().fill(Mover { inverse_mass: 1.0, inverse_inertia: 0.0 });
    assert!(chain.factor());
    let mut problem = ContactProblem::<Plane>::default();
    problem.push_point(DVec2::new(0.1, -2.0));
    let mut group = Compliant::default();
    group.reset(0, 1);
    let handles = [DVec2::X, DVec2::Y]
        .map(|velocity| [(0, Twist { velocity, spin: 0.0 }), (GROUND, Twist::ZERO)]);
    chain.respond(&handles, &mut group);
    problem.compliant.push(group);
    let map = ContactMap {
        first: 0,
        second: GROUND,
        frame: PlaneFrame::from_normal(DVec2::Y),
        arm_first: DVec2::ZERO,
        arm_second: DVec2::ZERO,
    };
    problem.push_contact(map, Local2::default(), Law::with_friction(0.5), 1.0);
    let mut solution = Solution { impulses: vec![Local2::default()], ..Solution::default() };
    let params = NlgsParams { tolerance: 1e-12, ..NlgsParams::default() };
    let report = Nlgs::default().solve(&problem, &mut solution, &params, &Threads::one());
    assert_eq!(report.status, Status::Solved);
    let impulse = solution.impulses[0];
    // The lowest mass alone sticks sideways; all ten are stopped upwards.
    assert!(
        (impulse.n - 20.0).abs() < 1e-10 && (impulse.t.abs() - 0.1).abs() < 1e-10,
        "{impulse:?}"
    );
    let mut twists = vec![Twist { velocity: DVec2::new(0.1, -2.0), spin: 0.0 }; 10];
    let push = map.frame.to_world(impulse);
    for (handle, push) in handles.iter().zip([push.x, push.y]) {
        chain.push(handle, push, &mut twists);
    }
    chain.constrain(&mut twists);
    assert!(twists.iter().all(|twist| twist.velocity.y.abs() < 1e-10), "{twists:?}");
}

/// A tree of five bodies in space, on the ground and one of them free, with what its joints let move; and the same as rows: those across
/// the columns of each joint.
fn bush() -> (Tree<Volume>, Mechanism<Volume>) {
    let parents = [GROUND, 0, 1, 0, GROUND];
    let freedoms = [1, 3, 1, 0, 6];
    let links = parents.iter().zip(freedoms).map(|(&parent, freedoms)| Link { parent, freedoms });
    let mut tree = Tree::<Volume>::new(links.collect());
    let joints = (0..5)
        .map(|i| JointOf { members: [i, parents[i as usize]], rows: 6 - freedoms[i as usize] });
    let mut rows = Mechanism::new(5, joints.collect()).unwrap();
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    for member in 0..5 {
        let (mass, moments) = (1.5 + next(), DVec3::new(1.2 + next(), 1.3 + next(), 1.4 + next()));
        let turn = DQuat::from_scaled_axis(DVec3::new(next(), next(), next()));
        rows.movers_mut()[member] = Mover {
            inverse_mass: 1.0 / mass,
            inverse_inertia: InverseInertia::<Volume>::from_principal(moments, turn),
        };
        tree.weigh(member, mass, |spin| turn * (moments * (turn.inverse() * spin)));
        let arm = DVec3::new(next(), next(), next());
        tree.place(member, arm);
        let given = Twist {
            velocity: DVec3::new(next(), next(), next()),
            spin: DVec3::new(next(), next(), next()),
        };
        tree.give(member, given);
        // A basis of twists, of which the first are free and the rest give rows, made square by Gram and Schmidt.
        let mut basis: Vec<[f64; 6]> = Vec::new();
        while basis.len() < 6 {
            let mut way: [f64; 6] = std::array::from_fn(|_| next());
            for other in &basis {
                let along: f64 = (0..6).map(|i| way[i] * other[i]).sum();
                (0..6).for_each(|i| way[i] -= along * other[i]);
            }
            let length = way.iter().map(|x| x * x).sum::<f64>().sqrt();
            basis.push(way.map(|x| x / length));
        }
        let twist = |way: &[f64; 6]| Twist::<Volume> {
            velocity: DVec3::new(way[0], way[1], way[2]),
            spin: DVec3::new(way[3], way[4], way[5]),
        };
        for (column, way) in tree.columns_mut(member).iter_mut().zip(&basis) {
            *column = twist(way);
        }
        for (row, way) in rows.rows_mut(member).iter_mut().zip(&basis[freedoms[member]..]) {
            let own = twist(way);
            // The parent's part: what its twist is at the member's centre.
            let other =
                Twist { velocity: -own.velocity, spin: -(own.spin + arm.cross(own.velocity)) };
            *row = JointRow { sides: [own, other], given: 0.0 };
            if parents[member] == GROUND {
                row.given = -power(&other, &given);
                row.sides[1] = Twist::ZERO;
            }
        }
    }
    assert!(tree.factor() && rows.factor());
    (tree, rows)
}

/// In coordinates and with rows the nearest twists are the same ones, and so are the answers to impulses; what joints carry between bodies
/// is what changes these, and does no work along what is free.
#[test]
fn a_tree_is_what_its_rows_are() {
    let (mut tree, mut rows) = bush();
    let some =
        |k: usize| DVec3::new((k as f64).sin(), (2.0 * k as f64).cos(), 0.3 * k as f64 - 1.0);
    let wanted: Vec<Twist<Volume>> =
        (0..5).map(|k| Twist { velocity: some(k), spin: some(k + 7) }).collect();
    let (mut one, mut other) = (wanted.clone(), wanted.clone());
    tree.constrain(&mut one);
    rows.constrain(&mut other);
    for (a, b) in one.iter().zip(&other) {
        assert!(
            (a.velocity - b.velocity).length() + (a.spin - b.spin).length() < 1e-12,
            "{a:?} {b:?}"
        );
    }
    for (member, (after, before)) in one.iter().zip(&wanted).enumerate() {
        let mut change = *after;
        change.add_scaled(before, -1.0);
        let mut net = tree.momentum(member, &change);
        net.add_scaled(&tree.reaction(member).0, -1.0);
        for child in (0..5).filter(|&child| tree.parent(child) == member as u32) {
            let (got, arm) = tree.reaction(child);
            net.velocity += got.velocity;
            net.spin += got.spin + arm.cross(got.velocity);
        }
        assert!(net.velocity.length() + net.spin.length() < 1e-12, "{net:?}");
        let got = tree.reaction(member).0;
        for column in tree.columns_mut(member) {
            assert!(power(column, &got).abs() < 1e-12);
        }
    }
    let handles: Vec<Handle<Volume>> = (0..6)
        .map(|k| {
            let push = |k: usize| Twist { velocity: some(k), spin: some(k + 3) };
            [((k % 5) as u32, push(k)), (if k == 4 { GROUND } else { 2 }, push(k + 20))]
        })
        .collect();
    let [mut a, mut b] = [Compliant::default(), Compliant::default()];
    a.reset(0, 2);
    b.reset(0, 2);
    tree.respond(&handles, &mut a);
    rows.respond(&handles, &mut b);
    for point in 0..2 {
        for axis in 0..3 {
            let pairs = a.response_mut(point, axis).iter().zip(b.response_mut(point, axis).iter());
            pairs.for_each(|(a, b)| assert!((*a - *b).length() < 1e-11, "{a} {b}"));
        }
    }
}

/// A thousand links hang from each other by hinges with a million times a link's mass at the end: each hinge carries what is below.
#[test]
fn a_tree_of_a_thousand_carries_a_million_times_its_link() {
    let links =
        (0..1001u32).map(|i| Link { parent: i.checked_sub(1).unwrap_or(GROUND), freedoms: 1 });
    let mut tree = Tree::<Plane>::new(links.collect());
    let mass = |member: usize| if member == 1000 { 1e6 } else { 1.0 };
    for member in 0..1001 {
        let half = |member: usize| if member == 1000 { 0.0 } else { 0.5 };
        tree.weigh(member, mass(member), |spin| spin * mass(member) / 12.0);
        let before = if member == 0 { 0.0 } else { half(member - 1) };
        tree.place(member, DVec2::new(0.0, -before - half(member)));
        // About the hinge above.
        tree.columns_mut(member)[0] = Twist { velocity: DVec2::new(half(member), 0.0), spin: 1.0 };
    }
    assert!(tree.factor());
    let mut twists = falling(1001, 0.5);
    tree.constrain(&mut twists);
    let mut below = 0.0;
    for member in (0..1001).rev() {
        below += mass(member);
        let (got, _) = tree.reaction(member);
        assert!((got.velocity.y / (0.5 * below) - 1.0).abs() < 1e-12, "{member}: {got:?}");
        assert!(twists[member].velocity.length() < 1e-12);
    }
}
