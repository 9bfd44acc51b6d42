//! What is not joined to a deformable solid by contacts does not notice that there is one; what is joined is solved with
//! it, whatever its law.

use crate::support::{body, fixed, pad, setup};
use drystone_detect::plane::{PlaneShape, Polygon};
use drystone_engine::{
    ContactForm, LawTable, MaterialId, MoreauLaw, Resistance, Setup, SleepSettings, World,
};
use drystone_space::{DVec2, Plane, Pose};

/// Stone under `law`, rubber under friction.
fn stone_and_rubber(law: MoreauLaw) -> LawTable {
    let friction = law.friction.clone();
    let mut laws = LawTable::uniform(2, MoreauLaw { friction, ..MoreauLaw::default() });
    laws.set(MaterialId(0), MaterialId(0), law);
    laws
}

/// A wall of `rows` rows, with a disk on top.
fn wall(rows: usize, law: MoreauLaw) -> Setup<Plane> {
    let mut setup = setup::<Plane>(DVec2::new(0.0, -9.81), 0.4);
    setup.laws = stone_and_rubber(law);
    let block = PlaneShape::Polygon(Polygon::rectangle(0.6, 0.4).unwrap());
    for row in 0..rows {
        for column in 0..6 {
            let x = 0.6 * column as f64 + 0.3 * (row % 2) as f64;
            let place = Pose::at(DVec2::new(x, 0.2 + 0.4 * row as f64));
            setup.bodies.push(body(block.clone(), place));
        }
    }
    let top = Pose::at(DVec2::new(1.0, 0.4 * rows as f64 + 0.1));
    let mut disk = body(PlaneShape::Disk { radius: 0.1 }, top);
    disk.velocity = DVec2::new(0.3, 0.0);
    setup.bodies.push(disk);
    setup.boundaries.push(fixed("ground", PlaneShape::HalfPlane, Pose::IDENTITY));
    setup
}

fn friction() -> MoreauLaw {
    MoreauLaw { friction: 0.4.into(), ..MoreauLaw::default() }
}

/// All numbers of the bodies, and the sweeps made, each with the contacts that it went over.
fn run(setup: Setup<Plane>, steps: usize) -> (Vec<u64>, usize, World<Plane>) {
    let mut world = World::new(setup).unwrap();
    let mut work = 0;
    for _ in 0..steps {
        let report = world.step().unwrap();
        assert!(report.converged, "{report:?}");
        assert!(world.ledger().closure() < 1e-10, "{:e}", world.ledger().closure());
        work += report.iterations;
    }
    let numbers = world.bodies().iter().flat_map(|body| {
        let (x, v) = (body.pose.position, body.velocity);
        [x.x, x.y, body.pose.rotation.angle(), v.x, v.y, body.spin].map(f64::to_bits)
    });
    (numbers.collect(), work, world)
}

/// Steps with and without a pad 20 m away: no bit of the bodies differs, and sweeps become dearer by those over the few
/// contacts of the pad alone.
fn unnoticed(what: &str, setup: &Setup<Plane>, steps: usize) {
    let (alone, sweeps, _) = run(setup.clone(), steps);
    let mut with_pad = setup.clone();
    with_pad.solids.push(pad(20.0, 0.0));
    let (beside, all_sweeps, world) = run(with_pad, steps);
    assert!(!world.solid_contacts().is_empty(), "{what}: the pad does not touch the ground");
    assert!(alone == beside, "{what}: the pad changes bits");
    // Sweeps over the pad go over 3 contacts, those over the wall over dozens.
    assert!(all_sweeps <= sweeps + 20 * steps, "{what}: {sweeps} sweeps, {all_sweeps} with a pad");
}

#[test]
fn a_pad_far_away_changes_no_bit_of_a_wall() {
    unnoticed("velocity form", &wall(8, friction()), 150);
}

#[test]
fn gaps_are_deferred_beside_solids() {
    let form = ContactForm::Gap { margin: 1e-2, recovery_speed: 0.5, recovery_share: 1.0 };
    unnoticed("gap form", &Setup { form, ..wall(6, friction()) }, 150);
}

#[test]
fn what_rests_is_left_alone_beside_solids() {
    let sleep = Some(SleepSettings { steps: 20, ..SleepSettings::default() });
    let setup = Setup { sleep, ..wall(4, friction()) };
    unnoticed("rest", &setup, 200);
    let mut with_pad = setup;
    with_pad.solids.push(pad(20.0, 0.0));
    let (_, _, world) = run(with_pad, 200);
    assert!(world.asleep() > 0, "nothing came to rest");
}

#[test]
fn bodies_resist_rolling_beside_solids() {
    let resistance = Resistance { rolling: 5e-3, spinning: 0.0 };
    unnoticed("rolling", &wall(3, MoreauLaw { resistance, ..friction() }), 150);
}

/// A block on a pad, and a disk that rolls on the block: all in one part, the couple with them. With resistance ℓ the
/// disk, of radius r, slows down at gℓ/r / (1 + 1/2) while nothing slides.
#[test]
fn a_disk_rolls_over_a_block_on_a_pad() {
    let resistance = Resistance { rolling: 2e-3, spinning: 0.0 };
    let mut setup = setup::<Plane>(DVec2::new(0.0, -9.81), 0.4);
    setup.laws = stone_and_rubber(MoreauLaw { resistance, friction: 0.8.into(), ..friction() });
    setup.solids.push(pad(0.0, 0.0));
    setup.boundaries.push(fixed("ground", PlaneShape::HalfPlane, Pose::IDENTITY));
    let plate = PlaneShape::Polygon(Polygon::rectangle(4.0, 0.1).unwrap());
    setup.bodies.push(body(plate, Pose::at(DVec2::new(0.0, 0.35))));
    let mut disk = body(PlaneShape::Disk { radius: 0.05 }, Pose::at(DVec2::new(-0.05, 0.45)));
    (disk.velocity, disk.spin) = (DVec2::new(0.2, 0.0), -4.0);
    setup.bodies.push(disk);
    setup.solver.tolerance = 1e-8;
    let (_, _, world) = run(setup, 300);
    assert!(!world.solid_contacts().is_empty() && !world.contacts().is_empty());
    let speed = world.bodies()[1].velocity.x - world.bodies()[0].velocity.x;
    let expected = 0.2 - 0.3 * 9.81 * 2e-3 / 0.05 / 1.5;
    assert!((speed - expected).abs() < 0.02 * (0.2 - expected), "{speed}, not {expected}");
}

/// What rests is woken by a solid that touches it.
#[test]
fn a_solid_wakes_what_it_falls_on() {
    let sleep = Some(SleepSettings { steps: 20, ..SleepSettings::default() });
    let mut setup = Setup { sleep, ..wall(2, friction()) };
    setup.bodies.pop();
    setup.solids.push(pad(0.6, 0.9));
    let mut world = World::new(setup).unwrap();
    let mut most = 0;
    let mut touched = None;
    for step in 0..700 {
        assert!(world.step().unwrap().converged);
        most = most.max(world.asleep());
        if touched.is_none() && !world.solid_contacts().is_empty() {
            touched = Some((step, world.asleep()));
        }
    }
    let (_, resting) = touched.expect("the pad has fallen on the wall");
    assert_eq!(most, 12, "the wall had come to rest");
    assert!(resting < 12, "what the pad touches is awake");
    let weight: f64 = world.bodies().iter().map(|body| 9.81 * body.mass).sum();
    let pressed = -world.boundary_force(0).y;
    let pad = 9.81 * 0.18 * 1000.0;
    assert!((pressed / (weight + pad) - 1.0).abs() < 0.02, "{pressed}, not {}", weight + pad);
}
