//! A simulation is what the program computes, whatever is read, watched or resumed; what is set is honoured everywhere.

mod support;

use drystone::prelude::*;
use drystone::simulation::{ContactColumns, ContactStatus, Progress, Status, Verdict};
use std::time::Duration;
use support::{Workplace, scene};

/// Scenes of all families, and how long each is run.
const FAMILIES: [(&str, f64); 7] = [
    ("wall", 0.05),
    ("stack_3d", 0.02),
    ("polyhedra", 0.01),
    ("rolling_and_spinning_balls", 0.1),
    ("kane_acd2", 0.2),
    ("plate", 0.002),
    ("walls_left_alone", 0.3),
];

/// Watched or not, recorded or not, from a checkpoint or from the record, on one thread or two: the same bits.
#[test]
fn every_way_of_running_gives_the_same_bits() {
    for (name, until) in FAMILIES {
        let place = Workplace::new(name);
        let mut plain = Simulation::read(scene(name)).unwrap();
        plain.run_until(until).unwrap();

        let mut recorded = Simulation::read(scene(name)).unwrap();
        recorded.set_end(until);
        recorded.set_threads(2);
        recorded.record_to(place.path("run"), support::quietly()).unwrap();
        recorded.run_until(0.5 * until).unwrap();
        let half = recorded.checkpoint().unwrap();
        recorded.run_until(until).unwrap();
        let summary = recorded.finish().unwrap();
        assert_eq!(summary.status, Status::Finished, "{name}");
        assert_eq!(summary.state_hash, format!("{:016x}", plain.state_hash()), "{name}");

        let mut loaded = Simulation::load(&half).unwrap();
        assert!(loaded.steps() < plain.steps(), "{name}");
        loaded.run_until(until).unwrap();
        assert_eq!(loaded.state_hash(), plain.state_hash(), "{name}, from a checkpoint");
        // The figures of the whole run go with it.
        assert_eq!(loaded.summary().contacts, summary.contacts, "{name}");
        assert_eq!(plain.summary().verdict, summary.verdict, "{name}");

        let again = Run::open(place.path("run")).unwrap().simulation().unwrap();
        assert_eq!(again.state_hash(), plain.state_hash(), "{name}, from the record");
    }
}

/// Whatever a step has left behind in scratch, in kept factors and lists, the next one is the same without it.
#[test]
fn every_step_is_one_to_go_on_from() {
    for (name, skipped, steps) in
        [("arch", 20, 60), ("wall", 940, 30), ("pile_small", 300, 20), ("grain_row", 0, 4)]
    {
        let mut simulation = Simulation::read(scene(name)).unwrap();
        (0..skipped).for_each(|_| _ = simulation.step().unwrap());
        let mut last: Option<Simulation> = None;
        for step in skipped..skipped + steps {
            let mut loaded = Simulation::load(&simulation.checkpoint().unwrap()).unwrap();
            simulation.step().unwrap();
            for other in [Some(&mut loaded), last.as_mut()].into_iter().flatten() {
                other.step().unwrap();
                assert_eq!(other.state_hash(), simulation.state_hash(), "{name}, step {step}");
            }
            last = Some(loaded);
        }
    }
}

#[test]
fn a_record_goes_on_where_it_was_left() {
    let place = Workplace::new("goes_on");
    let path = place.path("run");
    let mut whole = Simulation::read(scene("bouncing_ball")).unwrap();
    whole.run_until(0.4).unwrap();
    let mut simulation = Simulation::read(scene("bouncing_ball")).unwrap();
    simulation.set_end(0.4);
    simulation.record_to(&path, support::quietly()).unwrap();
    simulation.run_until(0.2).unwrap();
    // Dropped before its end: interrupted, not lost.
    drop(simulation);
    let run = Run::open(&path).unwrap();
    assert_eq!(run.summary().unwrap().status, Status::Interrupted);
    let mut simulation = run.resume(None, 1, support::quietly()).unwrap();
    simulation.run_until(0.4).unwrap();
    let summary = simulation.finish().unwrap();
    assert_eq!(summary.state_hash, format!("{:016x}", whole.state_hash()));
    assert_eq!(summary.steps, whole.steps());
    let times = run.times().unwrap();
    assert!(times.windows(2).all(|pair| pair[0] < pair[1]), "{times:?}");
    let ended = run.resume(None, 1, support::quietly()).unwrap_err().to_string();
    assert!(ended.contains("has reached its end"), "{ended}");
}

const BLOCKS: &str = r#"
    dimension = 2
    gravity = [0, -10]
    time = { step = 1e-3, end = 1 }
    rest = { steps = 20 }
    material = [{ name = "stone", density = 1000 }]
    default_law = { friction = 0.5 }
    body = [
        { name = "low", shape = { box = [1, 1] }, position = [0, 0.5], material = "stone" },
        { name = "high", shape = { box = [1, 1] }, position = [0, 1.5], material = "stone" },
    ]
    boundary = [
        { name = "floor", shape = { half_plane = {} }, material = "stone" },
        { name = "lid", shape = { half_plane = {} }, position = [0, 2], rotation = 3.141592653589793,
          material = "stone", load = { direction = [0, -1], force = 10, mass = 1 } },
    ]
"#;

#[test]
fn contacts_carry_what_stands_on_them() {
    let mut simulation = Simulation::parse(BLOCKS).unwrap();
    simulation.run_until(0.1).unwrap();
    let floor: f64 = simulation
        .contacts()
        .filter(|contact| contact.second == Owner::Boundary(0))
        .map(|contact| contact.force[1])
        .sum();
    assert!((floor - 20_010.0).abs() < 2.0, "{floor}");
    assert!((simulation.boundary("floor").unwrap().force[1] + floor).abs() < 1e-6);
    let sticks = simulation.contacts().filter(|c| c.status == ContactStatus::Sticking).count();
    assert!(sticks >= 4, "{sticks}");
    let mut columns = ContactColumns::default();
    simulation.fill_contacts(&mut columns);
    assert_eq!(columns.first.len(), simulation.contact_count());
    assert_eq!(columns.point.len(), 2 * columns.first.len());
    let sum: f64 = columns
        .impulse
        .chunks(2)
        .zip(&columns.second)
        .fold(0.0, |sum, (push, &on)| if on == -1 { sum + push[1] } else { sum });
    assert!((sum / 1e-3 - floor).abs() < 1e-6);
}

/// Forces, a load and a push change what they should, and the books close; a checkpoint between holds all of it.
#[test]
fn what_is_set_is_honoured_and_kept() {
    let mut simulation = Simulation::parse(BLOCKS).unwrap();
    simulation.run_until(0.1).unwrap();
    simulation.set_boundary_load("lid", 500.0).unwrap();
    simulation.set_force("high", &[0.0, 4000.0]).unwrap();
    simulation.set_torque("high", &[1.0]).unwrap();
    simulation.set_boundary_velocity("floor", &[0.0, 0.0]).unwrap();
    let mut other = Simulation::load(&simulation.checkpoint().unwrap()).unwrap();
    for simulation in [&mut simulation, &mut other] {
        simulation.run_until(0.2).unwrap();
        let carried = -simulation.boundary("floor").unwrap().force[1];
        assert!((carried - 16_500.0).abs() < 2.0, "{carried}");
        assert!(simulation.ledger().closure() < 1e-12);
    }
    assert_eq!(simulation.state_hash(), other.state_hash());
    // A blow from the side, where nothing holds it but friction.
    simulation.set_force("high", &[0.0, 0.0]).unwrap();
    simulation.set_torque("high", &[0.0]).unwrap();
    simulation.set_boundary_load("lid", 0.0).unwrap();
    simulation.set_velocity("high", &[1.0, 0.0]).unwrap();
    let given = simulation.ledger().intervention;
    assert!((given - 0.5 * 1000.0).abs() < 1.0, "{given}");
    simulation.run_until(0.6).unwrap();
    // v² / (2 μ g) on the lower block, which stays; the lid, without weight, slides along.
    let way = simulation.position("high").unwrap()[0];
    assert!((way - 0.1).abs() < 2e-3, "{way}");
    assert!(simulation.ledger().closure() < 1e-12);
    assert_eq!(simulation.summary().verdict, Verdict::Trusted);
    assert!((simulation.summary().energy.intervention - given).abs() < 1e-9);
}

#[test]
fn fields_are_read_and_written_in_bulk() {
    let mut simulation = Simulation::parse(BLOCKS).unwrap();
    for field in Field::ALL {
        let numbers = simulation.numbers(field);
        assert_eq!(numbers.len(), 2 * field.width(2), "{field:?}");
        let mut slice = vec![0.0; numbers.len()];
        simulation.read_into(field, &mut slice).unwrap();
        let bits = |list: &[f64]| list.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&slice), bits(&numbers), "{field:?}");
        let written = simulation.write(field, &numbers);
        assert_eq!(written.is_ok(), field.can_be_written(), "{field:?}: {written:?}");
    }
    // Nothing was changed by writing what was there.
    let same = Simulation::parse(BLOCKS).unwrap();
    assert_eq!(simulation.state_hash(), same.state_hash());
    assert_eq!(simulation.ledger().intervention, 0.0);
    simulation.write(Field::Velocity, &[1.0, 2.0, 3.0, 4.0]).unwrap();
    assert_eq!(simulation.numbers(Field::Velocity), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(simulation.velocity("high").unwrap(), [3.0, 4.0, 0.0]);
}

#[test]
fn what_makes_no_sense_is_refused_with_a_reason() {
    let mut simulation = Simulation::parse(BLOCKS).unwrap();
    let hash = simulation.state_hash();
    let told = |outcome: Result<(), Error>, text: &str| {
        let message = outcome.unwrap_err().to_string();
        assert!(message.contains(text), "{message}");
    };
    told(simulation.set_position("hihg", &[0.0, 0.0]), "did you mean `high`?");
    told(simulation.set_position(7, &[0.0, 0.0]), "there is no body 7: there are 2");
    told(simulation.set_position(0, &[0.0]), "position has 1 numbers; expected 2 in the plane");
    told(simulation.set_velocity(0, &[f64::NAN, 0.0]), "velocity of body 0 is not finite");
    told(simulation.set_rotation(0, &[f64::INFINITY]), "rotation of body 0 is not finite");
    told(simulation.set_boundary_velocity("roof", &[0.0, 0.0]), "there is no boundary `roof`");
    told(simulation.set_boundary_velocity("lid", &[0.0, 0.0]), "moves under a load");
    told(simulation.set_boundary_load("floor", 1.0), "not free in any direction");
    told(simulation.set_boundary_load("lid", f64::NAN), "not finite");
    told(simulation.write(Field::Position, &[0.0; 3]), "expected 4: 2 for each of 2 bodies");
    told(
        simulation.write(Field::Velocity, &[0.0, 0.0, f64::NAN, 0.0]),
        "velocity of body 1 is NaN",
    );
    told(simulation.write(Field::Mass, &[1.0, 1.0]), "no field that can be set `mass`");
    told(Simulation::load(&[1, 2, 3]).map(|_| ()), "the checkpoint is damaged");
    told(Run::open("/nowhere/at/all").map(|_| ()), "no run of drystone");
    assert_eq!(simulation.state_hash(), hash);
    let cut = simulation.checkpoint().unwrap();
    for length in (0..cut.len()).step_by(97) {
        assert!(Simulation::load(&cut[..length]).is_err());
    }
}

#[test]
fn observers_see_their_steps_and_can_end_a_run() {
    let mut simulation = Simulation::parse(BLOCKS).unwrap();
    let (mut tens, mut sevens, mut told) = (Vec::new(), Vec::new(), Vec::new());
    let mut observers = Observers::default();
    observers.every(10, |simulation| {
        tens.push(simulation.steps());
        ControlFlow::Continue(())
    });
    observers.every(7, |simulation| {
        sevens.push(simulation.steps());
        if simulation.steps() >= 49 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    observers.progress(Duration::ZERO, |progress: &Progress| told.push(progress.steps));
    assert_eq!(simulation.run(0.1, &mut observers).unwrap(), Outcome::Stopped);
    drop(observers);
    assert_eq!(tens, [10, 20, 30, 40]);
    assert_eq!(sevens, [7, 14, 21, 28, 35, 42, 49]);
    assert!(told.len() == 48 && told[0] == [1, 100], "{told:?}");
    assert_eq!(simulation.status(), Status::Interrupted);
    assert_eq!(simulation.run_until(0.1).unwrap(), Outcome::Reached);
}

/// A step that cannot be solved ends the run, is told again, and is in the summary.
#[test]
fn a_failed_step_stays_failed() {
    let place = Workplace::new("failed");
    let text = BLOCKS.replace(
        "default_law",
        "solver = { max_iterations = 1, tolerance = 1e-15, \
        method = \"gauss-seidel\", on_failure = \"stop\" }\ndefault_law",
    );
    let text =
        text.replace("position = [0, 1.5]", "position = [0.2, 1.5], velocity = [3, 0], spin = 1");
    let mut simulation = Simulation::parse(&text).unwrap();
    simulation.record_to(place.path("run"), support::quietly()).unwrap();
    let first = simulation.run_until(1.0).unwrap_err().to_string();
    assert!(first.contains("not solved"), "{first}");
    let steps = simulation.steps();
    assert_eq!(simulation.step().unwrap_err().to_string(), first);
    assert_eq!(simulation.steps(), steps);
    let summary = simulation.finish().unwrap();
    assert!(matches!(summary.status, Status::Stopped(why) if why == first));
}

/// Bodies made by hand can be recorded, read, and gone on with from their setup.
#[test]
fn bodies_made_by_hand_are_recorded_too() {
    let place = Workplace::new("by_hand");
    let ball = Part::new(VolumeShape::Sphere { radius: 0.1 }, MaterialId(0));
    let properties = MassProperties::of_parts([(&ball, 1000.0)].into_iter()).unwrap();
    let mut body = Body::new(properties, vec![ball], Pose::at(DVec3::Z));
    body.set_name("ball");
    let setup = Setup::<Volume> {
        gravity: DVec3::new(0.0, 0.0, -10.0),
        laws: LawTable::uniform(1, MoreauLaw { friction: 0.3.into(), ..MoreauLaw::default() }),
        bodies: vec![body],
        ..Setup::default()
    };
    let mut simulation = Simulation::new(setup.clone()).unwrap();
    simulation.set_end(0.3);
    simulation.record_to(place.path("run"), support::quietly()).unwrap();
    simulation.run_until(0.3).unwrap();
    let height = simulation.position("ball").unwrap()[2];
    assert!((height - (1.0 - 0.45)).abs() < 1e-12);
    assert_eq!(simulation.finish().unwrap().status, Status::Finished);
    let run = Run::open(place.path("run")).unwrap();
    assert!(run.frames() >= 3);
    let last = run.frame::<Volume>(run.frames() - 1).unwrap();
    assert_eq!(last.bodies[0].pose.position.z, height);
    assert!(matches!(run.frame::<Plane>(0), Err(Error::Unfit(_))));
    assert!(matches!(run.simulation(), Err(Error::NoScene { .. })));
    let again = run.simulation_with(setup.clone()).unwrap();
    assert_eq!(again.state_hash(), simulation.state_hash());
    let bytes = simulation.checkpoint().unwrap();
    assert!(matches!(Simulation::load(&bytes), Err(Error::NoScene { .. })));
    let mut loaded = Simulation::load_with(setup, &bytes).unwrap();
    loaded.run_until(0.4).unwrap();
    simulation.run_until(0.4).unwrap();
    assert_eq!(loaded.state_hash(), simulation.state_hash());
    run.export(Export::Csv, place.path("csv")).unwrap();
    run.export(Export::Vtk, place.path("vtk")).unwrap();
    assert!(matches!(run.export(Export::Fclib, place.path("f")), Err(Error::NoScene { .. })));
}

/// A simulation can be sent to another thread, and several run in one process.
#[test]
fn simulations_are_independent_values() {
    fn is_send<T: Send>() {}
    is_send::<Simulation>();
    is_send::<Error>();
    let run = |friction: f64| {
        let text = BLOCKS.replace("friction = 0.5", &format!("friction = {friction}"));
        std::thread::spawn(move || {
            let mut simulation = Simulation::parse(&text).unwrap();
            simulation.set_velocity("high", &[1.0, 0.0]).unwrap();
            simulation.run_until(0.5).unwrap();
            simulation.position("high").unwrap()[0]
        })
    };
    let ways = [0.5, 1.0].map(run).map(|thread| thread.join().unwrap());
    assert!((ways[0] - 0.1).abs() < 2e-3 && ways[1] < 0.06, "{ways:?}");
}
