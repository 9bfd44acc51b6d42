//! Deformable solids in a world: against closed forms, and together with rigid bodies.

use crate::support::{fixed, solid};
use drystone_detect::plane::{PlaneShape, Polygon};
use drystone_detect::volume::VolumeShape;
use drystone_engine::{
    Body, Boundary, ContactForm, Drive, Friction, Imposed, LawTable, MassProperties, MaterialId,
    MoreauLaw, Pairing, Part, Setup, Signal, SolidSettings, SolidSetup, Table, Traction, World,
};
use drystone_fem::mesh::{block, rectangle};
use drystone_fem::{Damping, Elastic, ElasticLaw, Scheme, Section};
use drystone_space::{DVec2, DVec3, Plane, Pose, Volume};

fn law(friction: f64, restitution: f64) -> LawTable {
    let law = MoreauLaw {
        friction: Friction::Isotropic(friction),
        normal_restitution: restitution,
        ..MoreauLaw::default()
    };
    LawTable::uniform(1, law)
}

fn floor() -> Boundary<Plane> {
    fixed("floor", PlaneShape::HalfPlane, Pose::IDENTITY)
}

fn steps<S: drystone_engine::Dimension>(world: &mut World<S>, count: usize) {
    for _ in 0..count {
        let report = world.step().unwrap_or_else(|e| panic!("{e}"));
        assert!(report.converged, "{report:?}");
        let closure = world.ledger().closure();
        assert!(closure < 1e-9, "books open by {closure:e} at {}", world.time());
    }
}

/// A bar that falls on a floor leaves it after 2L/c with the speed that it came with.
#[test]
fn a_bar_rebounds_when_the_wave_returns() {
    let (length, speed, count) = (1.0, 0.1, 100);
    // ν = 0: waves run at √(E/ρ) = 100.
    let elastic =
        Elastic { law: ElasticLaw::StVenantKirchhoff, young: 1e6, poisson: 0.0, density: 100.0 };
    let gap = ContactForm::Gap { margin: 1e-3, recovery_speed: 1.0, recovery_share: 1.0 };
    // In the gap form with restitution it is all one where in a step the gap closes.
    for (form, restitution, above) in [
        (ContactForm::Velocity, 0.0, 0.0),
        (ContactForm::Velocity, 1.0, 0.0),
        (gap, 0.0, 0.0),
        (gap, 1.0, 0.0),
        (gap, 1.0, 0.2),
        (gap, 1.0, 0.7),
        (gap, 1.0, 3.4),
    ] {
        let way = speed * length / 100.0 / count as f64;
        let mesh = rectangle(DVec2::new(0.05, length), [1, count]).unwrap();
        let mesh = mesh.map(|p| p + DVec2::new(0.0, 0.5 * length + above * way));
        let mut bar = solid(mesh, elastic, Section::PlaneStrain { thickness: 1.0 });
        bar.velocity = DVec2::new(0.0, -speed);
        let setup = Setup {
            time_step: length / 100.0 / count as f64,
            laws: law(0.0, restitution),
            boundaries: vec![floor()],
            solids: vec![bar],
            form,
            solver: drystone_engine::SolverSettings { tolerance: 1e-9, ..Default::default() },
            ..Setup::default()
        };
        let h = setup.time_step;
        let mut world = World::new(setup).unwrap();
        let (mut last, mut first) = (0.0, None);
        for _ in 0..3 * count {
            steps(&mut world, 1);
            if world.solid_contacts().iter().any(|c| c.impulse.y > 0.0) {
                first = first.or(Some(world.time()));
                last = world.time();
            }
        }
        let bar = &world.solids()[0];
        let mean =
            bar.velocities().iter().map(|v| v.y).sum::<f64>() / bar.velocities().len() as f64;
        let contact = last - first.unwrap() + h;
        let name = format!("{form:?} {restitution} {above}");
        assert!((contact / (2.0 * length / 100.0) - 1.0).abs() < 0.06, "{name}: {contact}");
        assert!((mean / speed - 1.0).abs() < 0.05, "{name}: {mean}");
        let lost = world.ledger().impact_loss / world.ledger().initial;
        let expected = if restitution == 1.0 { 1e-8 } else { 0.02 };
        assert!(lost.abs() < expected, "{name}: {lost}");
    }
}

/// A block on a floor is pulled ever harder: it sticks up to μ times its weight, then slides.
#[test]
fn a_block_slips_at_the_friction_angle() {
    let elastic = Elastic { law: ElasticLaw::Linear, young: 1e7, poisson: 0.3, density: 100.0 };
    let mesh = rectangle(DVec2::new(2.0, 1.0), [8, 4]).unwrap();
    let mesh = mesh.map(|p| p + DVec2::new(0.0, 0.5));
    let mut block = solid(mesh, elastic, Section::PlaneStrain { thickness: 1.0 });
    block.damping = Damping { mass_factor: 5.0, stiffness_factor: 1e-4 };
    let (gravity, friction) = (10.0, 0.4);
    let weight = 200.0 * gravity;
    // The pull grows from 0 at t = 1 s to the weight at t = 3 s.
    let points = Table::new(vec![0.0, 1.0, 3.0], vec![0.0, 0.0, 1.0]).unwrap();
    block.tractions = vec![Traction {
        group: "right".to_owned(),
        traction: DVec2::new(weight, 0.0),
        factor: Signal::Table(points),
    }];
    let setup = Setup {
        time_step: 5e-3,
        gravity: DVec2::new(0.0, -gravity),
        laws: law(friction, 0.0),
        boundaries: vec![floor()],
        solids: vec![block],
        solver: drystone_engine::SolverSettings { tolerance: 1e-8, ..Default::default() },
        ..Setup::default()
    };
    let mut world = World::new(setup).unwrap();
    let mut slip = None;
    for _ in 0..500 {
        steps(&mut world, 1);
        let block = world.solids()[0].velocities();
        let sliding = block.iter().map(|v| v.x).sum::<f64>() / block.len() as f64 > 2e-3;
        if slip.is_none() && sliding && world.time() > 1.0 {
            slip = Some(0.5 * (world.time() - 1.0));
        }
    }
    let ratio = slip.expect("it slides");
    assert!((ratio - friction).abs() < 0.025, "slides at {ratio} of its weight");
    assert!(world.ledger().friction_loss > 0.0 && world.ledger().damping_loss > 0.0);
}

/// A rigid box on a soft block on a floor: the block carries both weights, and is pressed flat by them.
#[test]
fn rigid_and_deformable_bodies_share_one_problem() {
    let elastic = Elastic { law: ElasticLaw::Corotated, young: 1e5, poisson: 0.2, density: 100.0 };
    let mesh = rectangle(DVec2::new(2.0, 1.0), [6, 3]).unwrap();
    let mut soft = solid(
        mesh.map(|p| p + DVec2::new(0.0, 0.5)),
        elastic,
        Section::PlaneStrain { thickness: 1.0 },
    );
    soft.damping = Damping { mass_factor: 30.0, stiffness_factor: 2e-3 };
    let plank = PlaneShape::Polygon(Polygon::rectangle(3.0, 0.5).unwrap());
    let part = Part::new(plank, MaterialId(0));
    let properties = MassProperties::of_parts([(&part, 200.0)].into_iter()).unwrap();
    let lid = Body::new(properties, vec![part], Pose::at(DVec2::new(0.0, 1.25)));
    let setup = Setup {
        time_step: 5e-3,
        gravity: DVec2::new(0.0, -10.0),
        laws: law(0.3, 0.0),
        boundaries: vec![floor()],
        bodies: vec![lid],
        solids: vec![soft],
        form: ContactForm::Gap { margin: 1e-2, recovery_speed: 1.0, recovery_share: 1.0 },
        solver: drystone_engine::SolverSettings { tolerance: 1e-9, ..Default::default() },
        ..Setup::default()
    };
    let mut world = World::new(setup).unwrap();
    steps(&mut world, 400);
    let weights = 10.0 * (100.0 * 2.0 + 200.0 * 1.5);
    let carried = -world.boundary_force(0).y;
    assert!((carried / weights - 1.0).abs() < 1e-3, "{carried} {weights}");
    // 3000 N of the lid and half of its own 2000 N over 2 m² and 1 m: strain near 2 kPa/E.
    let sunk = 1.25 - world.bodies()[0].pose.position.y;
    assert!(sunk > 0.012 && sunk < 0.03, "{sunk}");
    assert!(world.ledger().kinetic < 1e-6 * world.ledger().elastic);
}

/// Two blocks in space, one on the other: the lower one carries both, with nodes on facets.
#[test]
fn blocks_in_space_carry_each_other() {
    let elastic = Elastic { law: ElasticLaw::Linear, young: 1e6, poisson: 0.2, density: 1000.0 };
    let mesh = |height: f64, size: f64| {
        block(DVec3::splat(size), [2, 2, 2]).unwrap().map(|p| p + DVec3::new(0.0, 0.0, height))
    };
    let mut blocks = vec![
        solid(mesh(0.5, 1.0), elastic, Section::Volume),
        solid(mesh(1.4, 0.8), elastic, Section::Volume),
    ];
    for block in &mut blocks {
        block.damping = Damping { mass_factor: 30.0, stiffness_factor: 1e-3 };
    }
    let ground = Part::new(VolumeShape::HalfSpace, MaterialId(0));
    let setup = Setup::<Volume> {
        time_step: 5e-3,
        gravity: DVec3::new(0.0, 0.0, -10.0),
        laws: law(0.5, 0.0),
        boundaries: vec![Boundary {
            name: "ground".to_owned(),
            pose: Pose::IDENTITY,
            parts: vec![ground],
            drive: Drive::Fixed,
            removal: f64::INFINITY,
        }],
        solids: blocks,
        form: ContactForm::Gap { margin: 1e-2, recovery_speed: 1.0, recovery_share: 1.0 },
        solver: drystone_engine::SolverSettings { tolerance: 1e-8, ..Default::default() },
        ..Setup::default()
    };
    let mut world = World::new(setup).unwrap();
    steps(&mut world, 250);
    let weights = 10.0 * 1000.0 * (1.0 + 0.512);
    let carried = -world.boundary_force(0).z;
    assert!((carried / weights - 1.0).abs() < 5e-3, "{carried} {weights}");
}

/// Two blocks of the same mesh that meet head on exchange momentum symmetrically, by nodes and by segments,
/// and the conserving scheme keeps the energy of nonlinear solids through the shock.
#[test]
fn solids_meet_each_other() {
    for pairing in [Pairing::Nodes, Pairing::Segments] {
        let elastic =
            Elastic { law: ElasticLaw::NeoHookean, young: 1e4, poisson: 0.3, density: 10.0 };
        let mesh = rectangle(DVec2::new(1.0, 1.0), [4, 4]).unwrap();
        let section = Section::PlaneStrain { thickness: 1.0 };
        let mut left = solid(mesh.clone().map(|p| p - DVec2::new(0.501, 0.0)), elastic, section);
        let mut right = solid(mesh.map(|p| p + DVec2::new(0.501, 0.0)), elastic, section);
        left.velocity = DVec2::new(1.0, 0.0);
        right.velocity = DVec2::new(-1.0, 0.0);
        let setup = Setup {
            time_step: 1e-3,
            laws: law(0.0, 1.0),
            solids: vec![left, right],
            solid_settings: SolidSettings {
                scheme: Scheme { conserving: true, ..Scheme::default() },
                pairing,
                ..SolidSettings::default()
            },
            solver: drystone_engine::SolverSettings { tolerance: 1e-9, ..Default::default() },
            ..Setup::default()
        };
        let mut world = World::new(setup).unwrap();
        steps(&mut world, 150);
        let momentum = |index: usize| {
            let solid = &world.solids()[index];
            let masses = (0..solid.velocities().len()).map(|n| solid.model().node_mass(n));
            masses.zip(solid.velocities()).map(|(m, v)| v.x * m).sum::<f64>()
        };
        assert!(momentum(0) < -7.0, "{pairing:?}: {}", momentum(0));
        assert!((momentum(0) + momentum(1)).abs() < 1e-7, "{pairing:?}");
        let ledger = world.ledger();
        let now = ledger.kinetic + ledger.elastic;
        assert!((now / ledger.initial - 1.0).abs() < 1e-6, "{pairing:?}: {}", now / ledger.initial);
    }
}

#[test]
fn what_cannot_be_computed_is_named() {
    let elastic = Elastic { law: ElasticLaw::Linear, young: 1.0, poisson: 0.7, density: 1.0 };
    let mesh = rectangle(DVec2::ONE, [1, 1]).unwrap();
    let section = Section::PlaneStrain { thickness: 1.0 };
    let setup = |elastic, laws| Setup::<Plane> {
        laws,
        solids: vec![solid(mesh.clone(), elastic, section)],
        ..Setup::default()
    };
    let error = |setup| World::new(setup).expect_err("it is refused").to_string();
    let text = error(setup(elastic, law(0.0, 0.0)));
    assert_eq!(text, "solid `solid`: poisson is 0.7, must be between -1 and 0.5, both excluded");
}

/// A block that falls on a corner, rolls onto a side and bounces, and a rigid disk that comes after it.
/// A block whose top is driven through its bottom: the first estimate of a step inverts elements, with and
/// without factors of earlier steps.
#[test]
fn a_step_that_turns_an_element_inside_out_ends() {
    let section = Section::PlaneStrain { thickness: 1.0 };
    let mesh = rectangle(DVec2::ONE, [2, 2]).unwrap();
    let driven = |group: &str, speed: f64| Imposed {
        nodes: mesh.group(group).unwrap().to_vec(),
        axes: vec![true; 2],
        velocity: DVec2::new(0.0, -speed),
        factor: Signal::Constant(1.0),
    };
    for (law_of_block, speed, steps) in [
        (ElasticLaw::StVenantKirchhoff, 20.0, 0..100),
        (ElasticLaw::NeoHookean, 20.0, 0..100),
        (ElasticLaw::StVenantKirchhoff, 2000.0, 0..1),
    ] {
        let elastic = Elastic { law: law_of_block, young: 1e6, poisson: 0.3, density: 1e3 };
        let imposed = vec![driven("bottom", 0.0), driven("top", speed)];
        let block = SolidSetup { imposed, ..solid(mesh.clone(), elastic, section) };
        let setup = Setup { laws: law(0.0, 0.0), time_step: 1e-3, ..Setup::default() };
        let mut world = World::new(Setup { solids: vec![block], ..setup }).unwrap();
        let error = steps.into_iter().find_map(|_| world.step().err()).expect("it cannot go on");
        let text = error.to_string();
        assert!(text.contains("solid `solid`: element "), "{text}");
        assert!(text.contains("(quad4) about (") && text.contains("inside out"), "{text}");
    }
}

fn tumbling(law_of_block: ElasticLaw, conserving: bool) -> Setup<Plane> {
    let elastic = Elastic { law: law_of_block, young: 2e5, poisson: 0.3, density: 1000.0 };
    let mesh = rectangle(DVec2::new(0.6, 0.3), [12, 6]).unwrap();
    let turn = DVec2::from_angle(0.4);
    let mesh = mesh.map(|p| turn.rotate(p) + DVec2::new(0.0, 0.3));
    let mut block = solid(mesh, elastic, Section::PlaneStrain { thickness: 1.0 });
    block.velocity = DVec2::new(1.0, -1.0);
    block.spin = -2.0;
    let shape = PlaneShape::Disk { radius: 0.1 };
    let part = Part::new(shape, MaterialId(0));
    let properties = MassProperties::of_parts([(&part, 500.0)].into_iter()).unwrap();
    let mut disk = Body::new(properties, vec![part], Pose::at(DVec2::new(0.0, 0.65)));
    disk.velocity = DVec2::new(0.0, -2.0);
    Setup {
        time_step: 1e-3,
        gravity: DVec2::new(0.0, -9.81),
        laws: law(0.3, 0.0),
        boundaries: vec![floor()],
        bodies: vec![disk],
        solids: vec![block],
        solid_settings: SolidSettings {
            scheme: Scheme { conserving, ..Scheme::default() },
            ..SolidSettings::default()
        },
        ..Setup::default()
    }
}

/// A world made from a state goes on as the one that it was taken from, whatever it had computed and
/// kept before: factors, answers of nodes, impulses.
#[test]
fn a_state_of_solids_goes_on_in_the_same_bits() {
    let cases = [
        (ElasticLaw::Linear, false),
        (ElasticLaw::Linear, true),
        (ElasticLaw::StVenantKirchhoff, true),
        (ElasticLaw::NeoHookean, false),
    ];
    for (law, conserving) in cases {
        let mut world = World::new(tumbling(law, conserving)).unwrap();
        let mut touched = std::collections::BTreeSet::new();
        for _ in 0..6 {
            let mut again = World::resume(tumbling(law, conserving), world.save()).unwrap();
            for _ in 0..50 {
                world.step().unwrap();
                again.step().unwrap();
                touched.extend(world.solid_contacts().iter().map(|c| c.feature));
                assert_eq!(again.state_hash(), world.state_hash(), "{law:?} {}", world.time());
            }
            assert_eq!(again.save(), world.save());
        }
        // Otherwise nothing was tried.
        assert!(touched.len() > 8, "{touched:?}");
    }
}

#[test]
fn a_state_of_another_mesh_is_refused() {
    let world = World::new(tumbling(ElasticLaw::Linear, false)).unwrap();
    let mut state = world.save();
    state.solids[0].positions.pop();
    let error = World::resume(tumbling(ElasticLaw::Linear, false), state).unwrap_err();
    assert!(error.to_string().contains("90 nodes, the setup 91"), "{error}");
}

/// A rigid wedge, and a disk smaller than an element, between the nodes of a soft block: both are carried.
#[test]
fn what_lies_between_nodes_is_carried() {
    let elastic = Elastic { law: ElasticLaw::Linear, young: 1e6, poisson: 0.2, density: 100.0 };
    let wedge = [DVec2::new(0.0, -0.2), DVec2::new(0.4, 0.2), DVec2::new(-0.4, 0.2)];
    let cases = [
        (PlaneShape::Polygon(Polygon::new(&wedge).unwrap()), 0.2),
        (PlaneShape::Disk { radius: 0.1 }, 0.1),
    ];
    for (shape, below) in cases {
        let mesh = rectangle(DVec2::new(1.5, 1.0), [3, 2]).unwrap();
        let mesh = mesh.map(|p| p + DVec2::new(0.0, 0.5));
        let mut soft = solid(mesh, elastic, Section::PlaneStrain { thickness: 1.0 });
        soft.damping = Damping { mass_factor: 20.0, stiffness_factor: 1e-3 };
        let part = Part::new(shape, MaterialId(0));
        let properties = MassProperties::of_parts([(&part, 500.0)].into_iter()).unwrap();
        // The block's top has nodes at ±0.25 and ±0.75.
        let at = Pose::at(DVec2::new(0.02, 1.0 + below));
        let mut body: Body<Plane> = Body::new(properties, vec![part], at);
        let lowest = body.pose.position.y - 1.0;
        // A wedge would tip over: it may not turn.
        body.moments *= 1e12;
        let weight = 10.0 * body.mass;
        let setup = Setup {
            time_step: 2e-3,
            gravity: DVec2::new(0.0, -10.0),
            laws: law(0.3, 0.0),
            boundaries: vec![floor()],
            bodies: vec![body],
            solids: vec![soft],
            form: ContactForm::Gap { margin: 1e-2, recovery_speed: 1.0, recovery_share: 1.0 },
            ..Setup::default()
        };
        let mut world = World::new(setup).unwrap();
        for _ in 0..400 {
            world.step().unwrap();
        }
        let of_body = |c: &&drystone_engine::SolidContact<Plane>| {
            c.partner == drystone_engine::Partner::Body(0)
        };
        let carried: f64 =
            world.solid_contacts().iter().filter(of_body).map(|c| -c.impulse.y / 2e-3).sum();
        assert!((carried / weight - 1.0).abs() < 0.01, "{carried} of {weight}");
        let bottom = world.bodies()[0].pose.position.y - lowest;
        assert!(bottom < 1.0 && bottom > 0.97, "its lowest point is at {bottom}");
    }
}
