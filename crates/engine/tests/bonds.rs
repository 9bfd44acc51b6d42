//! Bonds against closed forms: stress by stretch, energies, rates, what rigid ones bear, and a bonded pair in motion.

use crate::support;
use crate::support::{body, fixed};
use drystone_detect::plane::{PlaneShape, Polygon};
use drystone_detect::volume::{Polyhedron, VolumeShape};
use drystone_engine::{
    Adhesion, Body, BondForms, BondKind, BondLaw, BondStrength, Boundary, CohesiveZone, Course,
    Dimension, Drive, LawTable, Load, MoreauLaw, Motion, PairLaw, Setup, SetupError, Signal,
    SleepSettings, SolverSettings, Table, World,
};
use drystone_space::{DVec2, DVec3, Plane, Pose, Vector, Volume};

fn law(kind: BondKind, stiffness: [f64; 2]) -> BondLaw {
    let forms = BondForms::Start;
    BondLaw { kind, stiffness, pushes: false, points: 2, area: None, reach: None, forms }
}

/// σ = 2e5, G_I = 10; τ = 3e5, G_II = 30: openings up to 1e-4, slips up to 2e-4.
fn zone() -> BondLaw {
    let zone = CohesiveZone { strength: [2e5, 3e5], energy: [10.0, 30.0] };
    law(BondKind::Cohesive(zone), [1e10, 2e10])
}

fn laws(bond: BondLaw, friction: f64) -> LawTable {
    let moreau = MoreauLaw { friction: friction.into(), ..MoreauLaw::default() };
    LawTable::uniform(1, PairLaw { bond: Some(bond), ..moreau.into() })
}

fn setup<S: Dimension>(bond: BondLaw, friction: f64, h: f64) -> Setup<S> {
    Setup {
        time_step: h,
        laws: laws(bond, friction),
        solver: SolverSettings { tolerance: 1e-12, ..Default::default() },
        ..support::setup(S::Vector::ZERO, friction)
    }
}

/// Moves with this velocity from the start on.
fn moving<S: Dimension>(shape: S::Shape, pose: Pose<S>, velocity: S::Vector) -> Boundary<S> {
    let course = Course::Velocity { linear: velocity, spin: S::Spin::ZERO };
    let drive = Drive::Motion(Motion { course, start: 0.0, stop: f64::INFINITY });
    Boundary { drive, ..fixed("tool", shape, pose) }
}

/// A body so heavy that a bond does not move it.
fn heavy<S: Dimension>(shape: S::Shape, pose: Pose<S>) -> Body<S> {
    let mut heavy = body::<S>(shape, pose);
    heavy.mass *= 1e12;
    heavy.moments = heavy.moments * 1e12;
    heavy
}

/// One step, solved and with its books closed.
fn step<S: Dimension>(world: &mut World<S>) {
    let report = world.step().unwrap_or_else(|e| panic!("{e}"));
    assert!(report.converged, "{report:?}");
    let closure = world.ledger().closure();
    assert!(closure < 1e-12, "books open by {closure:e} at {}: {:?}", world.time(), world.ledger());
}

fn square(x: f64, y: f64) -> (PlaneShape, Pose<Plane>) {
    (PlaneShape::Polygon(Polygon::rectangle(0.2, 0.1).unwrap()), Pose::at(DVec2::new(x, y)))
}

fn cuboid(z: f64) -> (VolumeShape, Pose<Volume>) {
    let shape = Polyhedron::cuboid(DVec3::new(0.2, 0.3, 0.1)).unwrap();
    (VolumeShape::Polyhedron(shape), Pose::at(DVec3::new(0.0, 0.0, z)))
}

/// A heavy block bonded to one that is moved away at this velocity.
fn flat(bond: BondLaw, velocity: DVec2, h: f64) -> World<Plane> {
    let mut setup = setup(bond, 0.0, h);
    let ((upper, above), (lower, below)) = (square(0.0, 0.05), square(0.0, -0.05));
    setup.bodies.push(heavy(upper, above));
    setup.boundaries.push(moving(lower, below, velocity));
    World::new(setup).unwrap()
}

fn deep(bond: BondLaw, velocity: DVec3, h: f64) -> World<Volume> {
    let mut setup = setup(bond, 0.0, h);
    let ((upper, above), (lower, below)) = (cuboid(0.05), cuboid(-0.05));
    setup.bodies.push(heavy(upper, above));
    setup.boundaries.push(moving(lower, below, velocity));
    World::new(setup).unwrap()
}

/// The bilinear curve: stress at a stretch that has never been longer, up to its strength and down to its end.
fn bilinear(stiffness: f64, strength: f64, energy: f64, stretch: f64) -> f64 {
    let (first, last) = (strength / stiffness, 2.0 * energy / strength);
    match stretch {
        w if w <= first => stiffness * w,
        w if w < last => strength * (last - w) / (last - first),
        _ => 0.0,
    }
}

/// Opens a pair until its bonds are broken; largest difference of the stress from the curve, relative to the strength,
/// and the two energies by area: what the boundary gave and what rupture took.
fn torn<S: Dimension>(
    mut world: World<S>,
    speed: f64,
    area: f64,
    curve: impl Fn(f64) -> f64,
    strength: f64,
) -> [f64; 3] {
    let mut worst: f64 = 0.0;
    let h = world.setup().time_step;
    while world.bonds().iter().any(|bond| !bond.is_broken()) {
        step(&mut world);
        // Where it slides, contacts keep the body from turning: their push is not along the motion.
        let along = world.boundary_velocity(0) / speed;
        let stress = -world.boundary_force(0).dot(along) / area;
        // Once nothing holds the stretch is not that of a bond any more.
        let wanted = curve(speed * world.time());
        worst = worst.max((stress - wanted).abs() / strength);
        assert!(world.steps() as f64 * h < 1.0, "never torn: {:?}", world.bonds());
    }
    let ledger = world.ledger();
    assert!(ledger.bonds == 0.0, "{ledger:?}");
    [worst, ledger.boundary_work / area, ledger.rupture_loss / area]
}

/// In each step the stress is that of the curve at the stretch of its end, whatever h: damage is that of the end too. The
/// energies are the areas under the curve, to first order in h.
#[test]
fn one_bond_is_torn_along_its_curve() {
    let opened = |w| bilinear(1e10, 2e5, 10.0, w);
    let slipped = |w| bilinear(2e10, 3e5, 30.0, w);
    let steps = |h: f64| {
        [
            torn(flat(zone(), DVec2::new(0.0, -1e-3), h), 1e-3, 0.2, opened, 2e5),
            torn(flat(zone(), DVec2::new(2e-3, 0.0), h), 2e-3, 0.2, slipped, 3e5),
            torn(deep(zone(), DVec3::new(0.0, 0.0, -1e-3), h), 1e-3, 0.06, opened, 2e5),
            torn(deep(zone(), DVec3::new(1.2e-3, 1.6e-3, 0.0), h), 2e-3, 0.06, slipped, 3e5),
        ]
    };
    let (coarse, fine) = (steps(1e-3), steps(5e-4));
    for (number, (coarse, fine)) in coarse.iter().zip(&fine).enumerate() {
        let energy = if number % 2 == 0 { 10.0 } else { 30.0 };
        assert!(coarse[0] < 1e-5 && fine[0] < 1e-5, "{number}: {coarse:?}");
        // What the boundary gives is summed by the rule of trapezia, since stress begins and ends with zero.
        assert!((fine[1] / energy - 1.0).abs() < 1e-3, "{number}: {fine:?}");
        let errors = [coarse, fine].map(|found| (found[2] / energy - 1.0).abs());
        assert!(errors[0] < 0.05, "{number}: {errors:?}");
        assert!(errors[1] < 0.65 * errors[0], "{number}: {errors:?}");
    }
}

/// Along a path of given ratio of opening to slip the shares of both energies add up to one.
#[test]
fn mixed_modes_share_the_energies() {
    for (opening, slip) in [(1e-3, 2e-4), (1e-3, 1e-3), (5e-4, 2e-3)] {
        let mut world = flat(zone(), DVec2::new(slip, -opening), 1e-4);
        let mut shares = [0.0; 2];
        while world.bonds().iter().any(|bond| !bond.is_broken()) {
            step(&mut world);
            let force = world.boundary_force(0);
            let h = world.setup().time_step;
            shares[0] += force.y.abs() * opening * h / (0.2 * 10.0);
            shares[1] += force.x.abs() * slip * h / (0.2 * 30.0);
        }
        let sum = shares[0] + shares[1];
        assert!((sum - 1.0).abs() < 0.01, "{opening} {slip}: {shares:?}");
    }
}

/// Unloading goes to the origin, reloading the same way back; bonds that are broken stay so when faces come together again.
#[test]
fn unloading_is_elastic_and_nothing_heals() {
    let h = 1e-4;
    let mut world = flat(zone(), DVec2::new(0.0, -1e-3), h);
    let run = |world: &mut World<Plane>, steps: usize| {
        (0..steps).for_each(|_| step(world));
        world.boundary_force(0).y / 0.2
    };
    let peak = run(&mut world, 600);
    assert!((peak / bilinear(1e10, 2e5, 10.0, 6e-5) - 1.0).abs() < 1e-5, "{peak}");
    let damage = world.bonds()[0].damage;
    world.set_boundary_motion(0, DVec2::new(0.0, 1e-3), 0.0).unwrap();
    let half = run(&mut world, 300);
    assert!((half / peak - 0.5).abs() < 1e-6, "{half} {peak}");
    world.set_boundary_motion(0, DVec2::new(0.0, -1e-3), 0.0).unwrap();
    let again = run(&mut world, 300);
    assert!((again / peak - 1.0).abs() < 1e-6, "{again} {peak}");
    assert_eq!(world.bonds()[0].damage, damage);
    run(&mut world, 500);
    assert!(world.bonds().iter().all(|bond| bond.is_broken()));
    world.set_boundary_motion(0, DVec2::new(0.0, 1e-3), 0.0).unwrap();
    run(&mut world, 1105);
    world.set_boundary_motion(0, DVec2::new(0.0, -1e-3), 0.0).unwrap();
    run(&mut world, 10);
    assert!(world.bonds().iter().all(|bond| bond.is_broken()), "{:?}", world.bonds());
    assert_eq!(world.boundary_force(0).y, 0.0);
}

/// Friction takes over: it is μ D times the pressure in every step, and at last that of the contact.
#[test]
fn friction_takes_over_as_damage_grows() {
    // So heavy that it does not tip over its edge.
    let (mu, weight) = (0.5, 1e5);
    let mut setup = setup::<Plane>(zone(), mu, 1e-4);
    let ((upper, above), (lower, below)) = (square(0.0, 0.05), square(0.0, -0.05));
    setup.solver.tolerance = 1e-9;
    // Not so heavy that its weight is lost in rounding.
    let mut block = body(upper, above);
    (block.mass, block.moments) = (block.mass * 1e9, block.moments * 1e9);
    setup.bodies.push(block);
    setup.boundaries.push(moving(lower, below, DVec2::new(1e-3, 0.0)));
    setup.loads.push(Load {
        body: 0,
        force: DVec2::new(0.0, -weight),
        torque: 0.0,
        factor: Signal::Constant(1.0),
        start: 0.0,
        stop: f64::INFINITY,
    });
    let mut world = World::new(setup).unwrap();
    for _ in 0..2300 {
        step(&mut world);
        let slip = world.bond_place(&world.bonds()[0]).stretch.t.abs();
        let damage = world.bonds()[0].damage;
        let force = world.boundary_force(0);
        let wanted = 0.2 * bilinear(2e10, 3e5, 30.0, slip) + mu * damage * weight;
        assert!((force.x.abs() - wanted).abs() < 2e-4 * 0.2 * 3e5, "{slip}: {force} {wanted}");
        assert!((force.y + weight).abs() < 1e-3 * weight, "{force}");
    }
    assert!((world.boundary_force(0).x.abs() / (mu * weight) - 1.0).abs() < 1e-3);
}

/// At an opening that stays, adhesion relaxes to w/(C u²) at the rate C u²/(w T), to first order in h.
#[test]
fn adhesion_relaxes_behind_an_opening() {
    let (stiffness, energy, time) = (1e9, 5.0, 0.05);
    let error = |h: f64| {
        let kind = BondKind::Adhesive(Adhesion { energy, time, exponent: 1.0 });
        let mut world = flat(law(kind, [stiffness; 2]), DVec2::new(0.0, -1.0), h);
        // u = 1.5 u₀ in one stroke, which is part of the first step's damage.
        let opening = 1.5 * (energy / stiffness).sqrt();
        world.set_boundary_motion(0, DVec2::new(0.0, -opening / h), 0.0).unwrap();
        step(&mut world);
        world.set_boundary_motion(0, DVec2::ZERO, 0.0).unwrap();
        let steps = (0.1 / h).round() as usize;
        (1..steps).for_each(|_| step(&mut world));
        let found = world.boundary_force(0).y / (0.2 * stiffness * opening);
        let drive = 1.5f64 * 1.5;
        let beta = 1.0 / drive + (1.0 - 1.0 / drive) * (-0.1 * drive / time).exp();
        found / (beta * beta) - 1.0
    };
    let [coarse, fine] = [1e-3, 5e-4].map(error);
    assert!(coarse.abs() < 0.01 && coarse.abs() > 1e-5, "{coarse}");
    assert!((coarse / fine - 2.0).abs() < 0.2, "{coarse} {fine}");
}

/// Adhesion bears √(w C) at most where it is torn without delay, and takes w, but for what is cut off at β = 1e-3.
#[test]
fn adhesion_is_torn_by_its_energy() {
    let kind = BondKind::Adhesive(Adhesion { energy: 5.0, time: 0.0, exponent: 1.0 });
    let first = (5.0f64 / 1e9).sqrt();
    let curve = |u: f64| match u {
        u if u <= first => 1e9 * u,
        u if u < first * 1e3f64.sqrt() => 25.0 / (1e9 * u.powi(3)),
        _ => 0.0,
    };
    let world = flat(law(kind, [1e9; 2]), DVec2::new(0.0, -0.1), 1e-5);
    // So soft a curve is followed to what a round leaves.
    let [worst, work, rupture] = torn(world, 0.1, 0.2, curve, (5.0f64 * 1e9).sqrt());
    assert!(worst < 1e-4, "{worst}");
    assert!(
        (work / 5.0 - 1.0).abs() < 0.02 && (rupture / 5.0 - 1.0).abs() < 0.03,
        "{work} {rupture}"
    );
}

/// A block hangs on a rigid bond under a force, a couple or both that grow until it breaks: at the strength that was given,
/// in the step in which that is exceeded.
#[test]
fn rigid_bonds_break_at_their_strengths() {
    let none = f64::INFINITY;
    let all = BondStrength { tension: none, shear: none, bending: none, torsion: none };
    let area = 0.06;
    let (long, wide) = (0.2, 0.3);
    let bending = |along: f64, across: f64| 6.0 / (along * across * across);
    let polar = (0.25f64 * (long * long + wide * wide)).sqrt() * 12.0
        / (area * (long * long + wide * wide));
    let (f, m) = (DVec3::ZERO, DVec3::ZERO);
    let cases = [
        (BondStrength { tension: 1e4, ..all }, DVec3::NEG_Z, m, 1.0 / area),
        (BondStrength { bending: 1e4, ..all }, f, DVec3::X, bending(long, wide)),
        (BondStrength { bending: 1e4, ..all }, f, DVec3::Y, bending(wide, long)),
        (BondStrength { torsion: 1e4, ..all }, f, DVec3::Z, polar),
        // At the arm of half a block across the bond.
        (BondStrength { shear: 1e4, ..all }, DVec3::X, DVec3::Y * 0.05, 1.0 / area),
    ];
    for (number, (strength, force, torque, stress)) in cases.into_iter().enumerate() {
        let mut setup = setup::<Volume>(law(BondKind::Rigid(strength), [1.0; 2]), 0.3, 1e-3);
        let ((upper, above), (lower, below)) = (cuboid(0.05), cuboid(-0.05));
        setup.bodies.push(body(lower, below));
        setup.boundaries.push(fixed("roof", upper, above));
        let factor = Signal::Table(Table::new(vec![0.0, 0.2], vec![0.0, 2e4 / stress]).unwrap());
        setup.loads.push(Load { body: 0, force, torque, factor, start: 0.0, stop: none });
        let mut world = World::new(setup).unwrap();
        let mut last = 0.0;
        while !world.bonds()[0].is_broken() {
            last = world.time();
            step(&mut world);
            let speed = world.bodies()[0].velocity.norm();
            let held = world.bonds()[0].is_broken() || speed < 1e-8;
            assert!(held && world.time() < 0.2, "{number}: {speed} at {}", world.time());
        }
        // The step that broke it has a load of its middle; it begins before half of the ramp.
        let load = 2e4 * (last + 0.5e-3) / 0.2;
        assert!((1e4..1e4 + 2e4 * 1e-3 / 0.2 * 1.001).contains(&load), "{number}: {load}");
        assert!(world.bodies()[0].velocity.norm() + world.bodies()[0].spin.norm() > 0.0);
    }
}

/// An elastic bond that pushes too is a spring: a block on it swings with √(K A/m), and what it turns with √(12 I…).
#[test]
fn a_block_swings_on_a_bond() {
    let error = |h: f64| {
        let bond = BondLaw { pushes: true, ..law(BondKind::Elastic, [1e6, 4e5]) };
        let mut setup = setup::<Plane>(bond, 0.0, h);
        let ((upper, above), (lower, below)) = (square(0.0, 0.05), square(0.0, -0.05));
        let mut upper = body(upper, above);
        upper.velocity = DVec2::new(0.0, 0.1);
        let omega = (1e6 * 0.2 / upper.mass).sqrt();
        setup.bodies.push(upper);
        setup.boundaries.push(fixed("floor", lower, below));
        let mut world = World::new(setup).unwrap();
        let steps = (0.06 / h).round() as usize;
        (0..steps).for_each(|_| step(&mut world));
        let wanted = 0.05 + 0.1 / omega * (omega * 0.06).sin();
        assert!(world.ledger().atomisation_work < 0.0);
        (world.bodies()[0].pose.position.y - wanted) / (0.1 / omega)
    };
    let [coarse, fine] = [1e-4, 5e-5].map(error);
    assert!(coarse.abs() < 0.05 && (coarse / fine - 2.0).abs() < 0.15, "{coarse} {fine}");
}

/// Disks, which touch in a point, are bonded over an area that is given; they bend and shear like a beam between them.
#[test]
fn disks_are_bonded_over_a_given_area() {
    let area = Some(0.05);
    let bond = BondLaw { pushes: true, area, ..law(BondKind::Elastic, [1e8, 1e8]) };
    let mut setup = setup::<Plane>(bond, 0.3, 4e-3);
    let disk = PlaneShape::Disk { radius: 0.1 };
    setup.bodies.push(body(disk.clone(), Pose::at(DVec2::new(0.2, 0.0))));
    setup.boundaries.push(fixed("post", disk, Pose::IDENTITY));
    setup.loads.push(Load {
        body: 0,
        force: DVec2::ZERO,
        torque: 10.0,
        factor: Signal::Constant(1.0),
        start: 0.0,
        stop: f64::INFINITY,
    });
    let mut world = World::new(setup).unwrap();
    (0..2000).for_each(|_| step(&mut world));
    // Without a shear force the bond only turns, by M/(K A³/12), about its middle.
    let turn = 10.0 / (1e8 * 0.05f64.powi(3) / 12.0);
    let found = world.bodies()[0].pose;
    assert!(
        // Up to the square of the turn.
        (found.rotation.angle() / turn - 1.0).abs() < 2.0 * turn * turn,
        "{} {turn}",
        found.rotation.angle()
    );
    assert!((found.position.y / (0.1 * turn) - 1.0).abs() < 1e-3, "{}", found.position.y);
}

/// A column under its own rules: bonds that are made on contact hold what would fall, and are not made again unless asked.
#[test]
fn bonds_form_on_contact() {
    let tear = |forms| {
        let mut setup = setup::<Plane>(BondLaw { forms, ..zone() }, 0.0, 1e-3);
        let ((upper, above), (lower, below)) = (square(0.0, 0.06), square(0.0, -0.05));
        setup.bodies.push(heavy(upper, above));
        setup.boundaries.push(moving(lower, below, DVec2::new(0.0, 0.1)));
        let mut world = World::new(setup).unwrap();
        assert!(world.bonds().is_empty());
        let mut run = |velocity: f64, steps: usize| {
            world.set_boundary_motion(0, DVec2::new(0.0, velocity), 0.0).unwrap();
            (0..steps).for_each(|_| step(&mut world));
            world.bonds().iter().filter(|bond| !bond.is_broken()).count()
        };
        [run(0.1, 102), run(-0.1, 20), run(0.2, 50), run(0.0, 1)]
    };
    assert_eq!(tear(BondForms::Start), [0, 0, 0, 0]);
    assert_eq!(tear(BondForms::Contact), [2, 0, 0, 0]);
    assert_eq!(tear(BondForms::Again)[..3], [2, 0, 2]);
}

/// Two blocks that swing on a broken and a whole bond: resumed in the middle of it they go on in the same bits.
#[test]
fn resumed_worlds_have_the_same_bits() {
    let make = || {
        let mut setup = setup::<Volume>(zone(), 0.4, 1e-5);
        setup.gravity = DVec3::new(3.0, 1.0, -5.0);
        for number in 0..3 {
            let (shape, pose) = cuboid(-0.05 - 0.1 * f64::from(number));
            let mut block = body(shape, pose);
            block.velocity = DVec3::new(0.02, 0.0, -0.3 * f64::from(number));
            setup.bodies.push(block);
        }
        let (shape, pose) = cuboid(0.05);
        setup.boundaries.push(fixed("roof", shape, pose));
        setup
    };
    let mut whole = World::new(make()).unwrap();
    (0..40).for_each(|_| step(&mut whole));
    let damaged = |world: &World<Volume>| world.bonds().iter().any(|bond| bond.damage > 0.0);
    assert!(damaged(&whole), "{:?}", whole.bonds());
    let mut resumed = World::resume(make(), whole.save()).unwrap();
    whole.set_threads(2);
    for _ in 0..60 {
        step(&mut whole);
        step(&mut resumed);
        assert_eq!(whole.state_hash(), resumed.state_hash());
    }
    assert_eq!(whole.bonds(), resumed.bonds());
    assert_eq!(whole.ledger(), resumed.ledger());
}

#[test]
fn what_bonds_cannot_be_had_with_is_refused() {
    let asleep = Setup::<Plane> {
        sleep: Some(SleepSettings::default()),
        ..setup::<Plane>(zone(), 0.0, 1e-3)
    };
    let refused = World::new(asleep).unwrap_err();
    assert_eq!(refused, SetupError::NoBonds { beside: "bodies that fall asleep" });
}
