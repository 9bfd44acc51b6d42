//! Laws beyond Coulomb's at the contacts of deformable solids, edges that cross, and drag beside solids.

use crate::support;
use crate::support::fixed;
use drystone_detect::plane::PlaneShape;
use drystone_detect::volume::{Polyhedron, VolumeShape};
use drystone_engine::{
    Body, Boundary, Cohesion, ContactForm, ContactSpring, Curve, Dimension, Drag, Friction,
    Imposed, LawTable, MassProperties, MaterialId, MoreauLaw, PairLaw, Part, PercussionLaw,
    Principal, Resistance, Setup, Signal, SolidSetup, SolverSettings, World,
};
use drystone_fem::mesh::{block, rectangle};
use drystone_fem::{Damping, Elastic, ElasticLaw, Mesh, Section};
use drystone_space::{DMat3, DQuat, DVec2, DVec3, Plane, Pose, Volume};

const G: f64 = 10.0;

fn solid<S: Dimension>(mesh: Mesh<S>, young: f64) -> SolidSetup<S> {
    let section = match S::DIMENSION {
        2 => Section::PlaneStrain { thickness: 1.0 },
        _ => Section::Volume,
    };
    let elastic = Elastic { law: ElasticLaw::Linear, young, poisson: 0.2, density: 100.0 };
    support::solid(mesh, elastic, section)
}

/// A fixed boundary of the other material.
fn boundary<S: Dimension>(shape: S::Shape, pose: Pose<S>) -> Boundary<S> {
    let mut boundary = fixed("boundary", shape, pose);
    boundary.parts[0].material = MaterialId(1);
    boundary
}

fn setup<S: Dimension>(law: impl Into<PairLaw>, gravity: S::Vector) -> Setup<S> {
    Setup {
        time_step: 1e-3,
        gravity,
        laws: LawTable::uniform(2, law),
        solver: SolverSettings { tolerance: 1e-9, ..SolverSettings::default() },
        ..Setup::default()
    }
}

fn steps<S: Dimension>(world: &mut World<S>, count: usize) {
    for _ in 0..count {
        let report = world.step().unwrap_or_else(|e| panic!("{e}"));
        assert!(report.converged, "{report:?}");
    }
    let closure = world.ledger().closure_max;
    assert!(closure < 1e-9, "books open by {closure:e} at {}", world.time());
}

/// A block of 2 m by 1 m, with nine nodes below, on a floor; 200 kg.
fn on_floor(law: MoreauLaw, velocity: DVec2) -> World<Plane> {
    let mesh = rectangle(DVec2::new(2.0, 1.0), [8, 4]).unwrap();
    let mut block = solid(mesh.map(|p| p + DVec2::new(0.0, 0.5)), 1e7);
    block.velocity = velocity;
    block.damping = Damping { mass_factor: 0.0, stiffness_factor: 1e-3 };
    let mut setup = setup(law, DVec2::new(0.0, -G));
    setup.boundaries = vec![boundary(PlaneShape::HalfPlane, Pose::IDENTITY)];
    setup.solids = vec![block];
    World::new(setup).unwrap()
}

fn mean_velocity<S: Dimension>(world: &World<S>) -> S::Vector {
    let solid = &world.solids()[0];
    let model = solid.model();
    let parts = solid.velocities().iter().enumerate().map(|(n, &v)| v * model.node_mass(n));
    parts.fold(S::Vector::default(), |sum, p| sum + p) / model.mass()
}

/// Nine nodes with 40 N·s/m each brake 200 kg: v = v₀ exp(−t/T) with T = m/(9c).
#[test]
fn a_film_of_oil_brakes_a_soft_block() {
    let law = MoreauLaw { friction: Friction::Unbounded, viscosity: 40.0, ..MoreauLaw::default() };
    let mut world = on_floor(law, DVec2::new(1.0, 0.0));
    steps(&mut world, 500);
    let expected = (-0.5f64 * 9.0 * 40.0 / 200.0).exp();
    let found = mean_velocity(&world).x;
    assert!((found / expected - 1.0).abs() < 0.02, "{found} {expected}");
    assert!(world.ledger().friction_loss > 0.0);
}

/// Fur: along the direction the block is braked by 0.2 g, against it by 0.5 g.
#[test]
fn friction_of_a_soft_block_depends_on_the_way() {
    let principal = Principal { direction: DVec3::X, carrier: Some(MaterialId(1)) };
    let friction = Friction::Directed([0.2, 0.5], principal);
    for (way, coefficient) in [(1.0, 0.2), (-1.0, 0.5)] {
        let law = MoreauLaw { friction: friction.clone(), ..MoreauLaw::default() };
        let mut world = on_floor(law, DVec2::new(2.0 * way, 0.0));
        steps(&mut world, 200);
        let lost = 2.0 - way * mean_velocity(&world).x;
        let expected = coefficient * G * 0.2;
        assert!((lost / expected - 1.0).abs() < 0.03, "{way}: {lost} {expected}");
    }
}

/// An ellipse in space: 0.2 along x, 0.5 across.
#[test]
fn friction_of_a_soft_block_in_space_is_an_ellipse() {
    let principal = Principal { direction: DVec3::X, carrier: Some(MaterialId(1)) };
    let law =
        MoreauLaw { friction: Friction::Directed([0.2, 0.5], principal), ..MoreauLaw::default() };
    for (way, coefficient) in [(DVec3::X, 0.2), (DVec3::Y, 0.5)] {
        let mesh = block(DVec3::new(1.0, 1.0, 0.25), [2, 2, 1]).unwrap();
        let mut block = solid(mesh.map(|p| p + DVec3::Z * 0.125), 1e7);
        block.velocity = way * 2.0;
        block.damping = Damping { mass_factor: 0.0, stiffness_factor: 1e-3 };
        let mut setup = setup(law.clone(), DVec3::new(0.0, 0.0, -G));
        setup.boundaries = vec![boundary(VolumeShape::HalfSpace, Pose::IDENTITY)];
        setup.solids = vec![block];
        let mut world = World::<Volume>::new(setup).unwrap();
        steps(&mut world, 200);
        let found = mean_velocity(&world);
        let lost = 2.0 - found.dot(way);
        let expected = coefficient * G * 0.2;
        assert!((lost / expected - 1.0).abs() < 0.03, "{way}: {lost} {expected}");
        assert!((found - way * found.dot(way)).truncate().length() < 1e-6, "{found}");
    }
}

/// A block of 200 kg that hangs by nine nodes: 2000 N of weight.
fn hanging(force: f64, reversible: bool) -> World<Plane> {
    let mesh = rectangle(DVec2::new(2.0, 1.0), [8, 4]).unwrap();
    let mut block = solid(mesh.map(|p| p - DVec2::new(0.0, 0.5)), 1e7);
    block.damping = Damping { mass_factor: 20.0, stiffness_factor: 1e-3 };
    let cohesion = Cohesion { force, range: 1e-4, reversible };
    let law = MoreauLaw { cohesion, friction: Friction::Isotropic(0.3), ..MoreauLaw::default() };
    let mut setup = setup(law, DVec2::new(0.0, -G));
    let ceiling =
        Pose::new(DVec2::ZERO, drystone_space::Rotation::exponential(std::f64::consts::PI));
    setup.boundaries = vec![boundary(PlaneShape::HalfPlane, ceiling)];
    setup.solids = vec![block];
    World::new(setup).unwrap()
}

#[test]
fn a_soft_block_hangs_by_cohesion_as_long_as_it_suffices() {
    for reversible in [true, false] {
        let mut world = hanging(600.0, reversible);
        steps(&mut world, 600);
        let carried = world.boundary_force(0).y;
        assert!((carried / -2000.0 - 1.0).abs() < 1e-3, "{carried}");
        let strongest = world.solid_contacts().iter().map(|c| c.impulse.dot(c.normal));
        assert!(strongest.fold(0.0, f64::min) >= -0.6 * (1.0 + 1e-9));
        let held = world.solid_contacts().iter().filter(|c| c.bonded).count();
        assert!(held >= 4, "{held} bonds");

        let mut world = hanging(100.0, reversible);
        steps(&mut world, 300);
        // Its damping, 20/s, lets it fall at 0.5 m/s.
        assert!(mean_velocity(&world).y < -0.4, "{}", mean_velocity(&world));
        assert!(world.solid_contacts().is_empty());
    }
}

#[test]
fn laws_that_solids_cannot_have_are_refused() {
    let disk = Part::new(PlaneShape::Disk { radius: 0.1 }, MaterialId(1));
    let properties = MassProperties::of_parts([(&disk, 100.0)].into_iter()).unwrap();
    let disk = Body::new(properties, vec![disk], Pose::at(DVec2::new(3.0, 0.1)));
    let refused = |law: PairLaw| {
        let mut setup = setup::<Plane>(law, DVec2::new(0.0, -G));
        setup.bodies = vec![disk.clone()];
        setup.boundaries = vec![boundary(PlaneShape::HalfPlane, Pose::IDENTITY)];
        setup.solids = vec![solid(rectangle(DVec2::ONE, [1, 1]).unwrap(), 1e6)];
        World::new(setup).err().map(|error| error.to_string())
    };
    assert_eq!(refused(PairLaw::default()), None);
    let resistance = Resistance { rolling: 0.01, spinning: 0.0 };
    let rolling = refused(MoreauLaw { resistance, ..MoreauLaw::default() }.into()).unwrap();
    assert!(rolling.contains("materials 0 and 1: resistance to rolling"), "{rolling}");
    // Between bodies alone it is theirs.
    let law = MoreauLaw { resistance, ..MoreauLaw::default() };
    let mut alone = setup::<Plane>(MoreauLaw::default(), DVec2::ZERO);
    alone.laws.set(MaterialId(1), MaterialId(1), law);
    alone.solids = vec![solid(rectangle(DVec2::ONE, [1, 1]).unwrap(), 1e6)];
    alone.bodies = vec![disk.clone()];
    alone.bodies.push(disk.clone());
    assert!(World::new(alone).is_ok());
    let spring = ContactSpring { stiffness: 1e5, reach: 0.01 };
    let pressed = refused(PairLaw { spring, ..PairLaw::default() }).unwrap();
    assert!(pressed.contains("contact spring") && pressed.contains("of its own"), "{pressed}");
    let directed = |carrier| {
        let principal = Principal { direction: DVec3::X, carrier: Some(MaterialId(carrier)) };
        let friction = Friction::Directed([0.1, 0.2], principal);
        refused(MoreauLaw { friction, ..MoreauLaw::default() }.into())
    };
    assert!(directed(0).unwrap().contains("a solid would carry"));
    assert_eq!(directed(1), None);
}

/// What the solver's tolerance of 1e-9 lets a law miss: with that a step can give a share of the energy.
const SOLVED: f64 = 1e-9;

/// A-CD² with quadratic potentials.
fn percussions(normal: f64, tangential: f64, friction: f64) -> PercussionLaw {
    let curve = |k: f64| Curve::Linear(4.0 * k);
    PercussionLaw { normal: curve(normal), pulls: false, tangential: curve(tangential), friction }
}

/// A block of 0.2 m by 1 m without gravity comes down on a floor with both corners at 1 m/s, 20 kg; so many elements along it.
fn struck(law: PercussionLaw, young: f64, along: usize, h: f64) -> Setup<Plane> {
    let mesh = rectangle(DVec2::new(0.2, 1.0), [1, along]).unwrap();
    let mut block = solid(mesh.map(|p| p + DVec2::new(0.0, 0.5)), young);
    block.elastic.poisson = 0.0;
    block.velocity = DVec2::new(0.0, -1.0);
    let mut setup = setup(law, DVec2::ZERO);
    setup.time_step = h;
    setup.boundaries = vec![boundary(PlaneShape::HalfPlane, Pose::IDENTITY)];
    setup.solids = vec![block];
    setup
}

/// A solid through which sound goes many times in a step is the rigid body: with two contacts of K each it leaves with
/// (4K − m)/(4K + m) of its speed, and what is lost is what that law takes.
#[test]
fn percussions_of_a_stiff_solid_are_those_of_a_rigid_body() {
    for k in [0.0, 2.0, 5.0, 20.0, 1e4] {
        let mass: f64 = 20.0;
        let wanted = ((4.0 * k - mass) / (4.0 * k + mass)).max(0.0);
        let errors = [1e10, 1e12].map(|young| {
            let law = percussions(k, 0.0, f64::INFINITY);
            let mut world = World::new(struck(law, young, 4, 1e-3)).unwrap();
            steps(&mut world, 20);
            let ledger = world.ledger();
            assert!(ledger.dissipation_min >= -SOLVED, "{ledger:?}");
            let lost = 0.5 * mass * (1.0 - wanted * wanted);
            [(mean_velocity(&world).y - wanted).abs(), (ledger.impact_loss - lost).abs()]
        });
        // A hundred times the stiffness leaves a hundredth of the difference.
        for (soft, hard) in errors[0].iter().zip(errors[1]) {
            assert!(hard < 2e-3 && hard < 0.015 * soft + 1e-6, "{k}: {errors:?}");
        }
    }
}

/// An elastic bar that strikes a wall leaves it with all its speed after sound has gone along it and back. A percussion acts on
/// the mass that answers within a step: that of the nodes that touch, which vanishes as the mesh is refined. So whatever
/// K is, what is lost goes to nothing, by about a half with each half of the mesh: the law of a contact is none of the bar.
#[test]
fn what_percussions_take_of_a_bar_goes_with_the_mesh() {
    for k in [0.0, 0.1, 1.0, 100.0] {
        let found = [10, 20, 40].map(|along| {
            // Sound goes at 100 m/s; a step is a quarter of what it takes through an element.
            let h = 0.25 * 1e-2 / along as f64;
            let mut world =
                World::new(struck(percussions(k, 0.0, f64::INFINITY), 1e6, along, h)).unwrap();
            steps(&mut world, (0.03 / h) as usize);
            let ledger = world.ledger();
            assert!(ledger.dissipation_min >= -SOLVED, "{ledger:?}");
            (mean_velocity(&world).y, ledger.impact_loss / 10.0)
        });
        for pair in found.windows(2) {
            let [(_, coarse), (_, fine)] = [pair[0], pair[1]];
            assert!(fine > 0.0 && fine < 0.6 * coarse, "{k}: {found:?}");
        }
        assert!(found[2].0 > 0.97 && found[2].0 < 1.0, "{k}: {found:?}");
    }
}

/// A soft block strikes the floor with a corner, spins and slides with friction: no step gives energy, for potentials of any kind.
#[test]
fn percussions_of_a_soft_block_never_give_energy() {
    let power = Curve::Power { factor: 3.0, exponent: 2.0 };
    let laws = [
        percussions(2.0, 1.0, f64::INFINITY),
        percussions(2.0, 1.0, 0.3),
        PercussionLaw { tangential: Curve::Rigid, ..percussions(5.0, 0.0, 0.5) },
        PercussionLaw { normal: power, ..percussions(0.0, 2.0, 0.2) },
    ];
    for law in laws {
        let mesh = rectangle(DVec2::new(0.4, 0.3), [4, 3]).unwrap();
        let turn = drystone_space::PlaneRotation::from_angle(0.5);
        let place = |p| DVec2::new(0.0, 0.3) + drystone_space::Rotation::<Plane>::apply(turn, p);
        let mut block = solid(mesh.map(place), 1e6);
        (block.velocity, block.spin) = (DVec2::new(1.5, -1.0), -2.0);
        let mut setup = setup(law.clone(), DVec2::new(0.0, -G));
        setup.boundaries = vec![boundary(PlaneShape::HalfPlane, Pose::IDENTITY)];
        setup.solids = vec![block];
        setup.time_step = 2e-4;
        let mut world = World::new(setup).unwrap();
        steps(&mut world, 3000);
        let ledger = world.ledger();
        assert!(ledger.dissipation_min >= -SOLVED, "{law:?} {ledger:?}");
        assert!(ledger.impact_loss > 0.0 && ledger.friction_loss > 0.0, "{law:?} {ledger:?}");
    }
}

/// A bar of 1 m along x, one edge up at z = 0, held at its ends.
fn lower_bar() -> SolidSetup<Volume> {
    let side = 0.2f64;
    let mesh = block(DVec3::new(1.0, side, side), [3, 1, 1]).unwrap();
    let turn = DMat3::from_rotation_x(std::f64::consts::FRAC_PI_4);
    let mesh = mesh.map(|p| turn * p - DVec3::Z * side * 0.5f64.sqrt());
    let ends: Vec<u32> =
        (0..mesh.nodes.len() as u32).filter(|&n| mesh.nodes[n as usize].x.abs() > 0.49).collect();
    let mut bar = solid(mesh, 1e7);
    bar.damping = Damping { mass_factor: 30.0, stiffness_factor: 1e-3 };
    bar.imposed = vec![Imposed {
        nodes: ends,
        axes: vec![true; 3],
        velocity: DVec3::ZERO,
        factor: Signal::Constant(0.0),
    }];
    bar
}

fn crossed(upper: SolidSetup<Volume>) -> Setup<Volume> {
    let law = MoreauLaw { friction: Friction::Isotropic(0.5), ..MoreauLaw::default() };
    let mut setup = setup(law, DVec3::new(0.0, 0.0, -G));
    setup.form = ContactForm::Gap { margin: 1e-3, recovery_speed: 1.0, recovery_share: 1.0 };
    setup.solids = vec![lower_bar(), upper];
    setup
}

/// What the lower bar carries in the mean over the last steps.
fn carried(world: &mut World<Volume>) -> f64 {
    let mut sum = 0.0;
    for _ in 0..100 {
        steps(world, 1);
        let contacts = world.solid_contacts().iter();
        let force = |c: &drystone_engine::SolidContact<Volume>| match c.solid {
            0 => -c.impulse.z,
            _ => c.impulse.z,
        };
        sum += contacts.map(force).sum::<f64>();
    }
    sum / (100.0 * world.setup().time_step)
}

#[test]
fn a_rigid_edge_rests_on_a_soft_one_across_it() {
    let shape = VolumeShape::Polyhedron(Polyhedron::cuboid(DVec3::new(0.1, 1.0, 0.1)).unwrap());
    let part = Part::new(shape, MaterialId(1));
    let properties = MassProperties::of_parts([(&part, 500.0)].into_iter()).unwrap();
    let turn = DQuat::from_rotation_z(0.3) * DQuat::from_rotation_y(std::f64::consts::FRAC_PI_4);
    let height = 0.1 * 0.5f64.sqrt();
    let at = DVec3::new(0.05, 0.02, height + 1e-4);
    let mut bar: Body<Volume> = Body::new(properties, vec![part], Pose::new(at, turn));
    // On one point it would tip over: it may not turn.
    bar.moments *= 1e12;
    let weight = G * bar.mass;
    let mut setup = crossed(lower_bar());
    setup.solids.pop();
    setup.bodies = vec![bar];
    let mut world = World::new(setup).unwrap();
    steps(&mut world, 500);
    let found = carried(&mut world);
    assert!((found / weight - 1.0).abs() < 0.01, "{found} of {weight}");
    let sunk = at.z - world.bodies()[0].pose.position.z;
    assert!(sunk > 0.0 && sunk < 0.02, "{sunk}");
}

#[test]
fn soft_edges_rest_on_each_other() {
    let turn = DMat3::from_rotation_z(1.2) * DMat3::from_rotation_x(std::f64::consts::PI);
    let mut upper = lower_bar();
    upper.mesh = upper.mesh.map(|p| turn * p + DVec3::Z * 1e-4);
    upper.name = "upper".to_owned();
    // It may sink but not tip over sideways.
    upper.imposed[0].axes = vec![true, true, false];
    let weight = G * 100.0 * 0.04;
    let mut world = World::new(crossed(upper)).unwrap();
    steps(&mut world, 300);
    let found = carried(&mut world);
    assert!((found / weight - 1.0).abs() < 0.02, "{found} of {weight}");
    let upper = &world.solids()[1];
    let lowest = upper.positions().iter().map(|x| x.z).fold(f64::INFINITY, f64::min);
    assert!(lowest > -0.02, "{lowest}");
}

/// A ball that slides over a floor against friction and quadratic drag, alone and beside a soft block.
#[test]
fn drag_is_the_same_beside_a_solid() {
    let ball = || {
        let shape = PlaneShape::Disk { radius: 0.1 };
        let part = Part::new(shape, MaterialId(1));
        let properties = MassProperties::of_parts([(&part, 100.0)].into_iter()).unwrap();
        let mut ball = Body::new(properties, vec![part], Pose::at(DVec2::new(5.0, 0.1)));
        ball.velocity = DVec2::new(8.0, -1.0);
        ball
    };
    let speed = |beside: bool| {
        let law = MoreauLaw { friction: Friction::Isotropic(0.4), ..MoreauLaw::default() };
        let mut setup = setup::<Plane>(law, DVec2::new(0.0, -G));
        setup.time_step = 5e-3;
        setup.solver.tolerance = 1e-11;
        setup.boundaries = vec![boundary(PlaneShape::HalfPlane, Pose::IDENTITY)];
        setup.bodies = vec![ball()];
        setup.drags = vec![Drag { body: 0, linear: 0.1, quadratic: 2.0, spin: 0.0 }];
        if beside {
            let mesh = rectangle(DVec2::ONE, [2, 2]).unwrap();
            setup.solids = vec![solid(mesh.map(|p| p + DVec2::new(0.0, 0.5)), 1e6)];
        }
        let mut world = World::new(setup).unwrap();
        let mut touching = 0;
        for _ in 0..40 {
            let report = world.step().unwrap();
            assert!(report.converged, "{report:?}");
            touching += usize::from(!world.solid_contacts().is_empty());
        }
        assert_eq!(touching > 20, beside);
        (world.bodies()[0].velocity, world.ledger().drag_loss)
    };
    let ((alone, lost), (beside, lost_beside)) = (speed(false), speed(true));
    assert!((alone - beside).length() < 1e-9 * alone.length(), "{alone} {beside}");
    assert!((lost / lost_beside - 1.0).abs() < 1e-9);
}
