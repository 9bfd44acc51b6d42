//! What stands in periodic cells beside contacts: springs, drag, joints, bonds, boundaries, bodies that enter, bodies at rest.

use crate::support::{body, fixed, setup};
use drystone_detect::plane::{PlaneShape, Polygon};
use drystone_engine::{
    Anchor, Arrival, Body, BondForms, BondKind, BondLaw, Cell, CellDrive, ContactForm, Drag, Drive,
    Joint, JointKind, JointSide, LawTable, MoreauLaw, Owner, PairLaw, Setup, Signal, SleepSettings,
    Slider, Spring, World,
};
use drystone_space::{DVec2, Lattice, Matrix, Plane, Pose, Random};

fn cell(x: f64, y: f64, periodic: [bool; 3]) -> Cell<Plane> {
    let sides = [x, y];
    let vectors = Matrix::from_fn(|i, j| if i == j { sides[i] } else { 0.0 });
    Cell::held(Lattice::new(vectors, periodic).unwrap())
}

fn rate(value: f64) -> CellDrive {
    CellDrive::Rate(Signal::Constant(value))
}

fn stress(value: f64) -> CellDrive {
    CellDrive::Stress(Signal::Constant(value))
}

fn disk(x: f64, y: f64, radius: f64) -> Body<Plane> {
    body(PlaneShape::Disk { radius }, Pose::at(DVec2::new(x, y)))
}

fn square(x: f64, y: f64, side: f64) -> Body<Plane> {
    let square = Polygon::rectangle(side, side).unwrap();
    body(PlaneShape::Polygon(square), Pose::at(DVec2::new(x, y)))
}

fn close(found: f64, wanted: f64, within: f64) {
    assert!((found - wanted).abs() <= within * wanted.abs().max(1.0), "{found}, not {wanted}");
}

/// A chain of disks with springs between neighbours, the last of which reaches over the face to the first.
fn chain(count: usize, shift: f64) -> Setup<Plane> {
    let mut setup = setup::<Plane>(DVec2::ZERO, 0.0);
    setup.cell = Some(cell(count as f64, 3.0, [true; 3]));
    for i in 0..count {
        setup.bodies.push(disk(i as f64 + shift, 0.5 + shift, 0.2));
        let anchor =
            |body: usize| Anchor { owner: Some(Owner::Body(body as u32)), point: DVec2::ZERO };
        let ends = [anchor((i + 1) % count), anchor(i)];
        setup.springs.push(Spring { ends, stiffness: 500.0, length: 0.9, forces: None });
    }
    setup
}

/// A chain stretched over a cell pulls it with its tension, wherever the origin is and however often it is repeated; under a stress that
/// is asked for the cell swings, its stress is met in every step and the books close.
#[test]
fn springs_reach_over_faces() {
    for (count, shift) in [(4, 0.0), (4, 3.7), (8, 0.0)] {
        let mut world = World::new(chain(count, shift)).unwrap();
        close(world.ledger().springs, 500.0 * 0.005 * count as f64, 1e-12);
        for _ in 0..50 {
            world.step().unwrap();
            // k (L/n − ℓ)/width, in tension.
            close(world.cell().unwrap().contact_stress.get(0, 0), -50.0 / 3.0, 1e-11);
            assert!(world.ledger().closure() < 1e-13);
        }
    }
    let swing = |count: usize| {
        let mut setup = chain(count, 0.3);
        let cell = setup.cell.as_mut().unwrap();
        cell.drives[0][0] = stress(-30.0);
        let mut world = World::new(setup).unwrap();
        let mut longest: f64 = 0.0;
        for _ in 0..2000 {
            world.step().unwrap();
            let state = world.cell().unwrap();
            close(state.stress().get(0, 0) - state.excess_stress.get(0, 0), -30.0, 1e-10);
            assert!(world.ledger().closure() < 1e-12, "{:?}", world.ledger());
            longest = longest.max(state.lattice.vectors().get(0, 0));
        }
        // Explicit springs give and take a little, and nothing in the mean.
        assert!(world.ledger().atomisation_work.abs() < 0.02 * world.ledger().scale);
        longest / count as f64
    };
    // From 1 about the length at which the tension is 90 N. W goes with the mass of all.
    let (one, twice) = (swing(4), swing(8));
    assert!(one > 1.1 && one < 1.2, "{one}");
    close(twice, one, 1e-9);
}

#[test]
fn a_spring_that_could_pull_two_ways_ends_the_run() {
    let mut setup = chain(4, 0.0);
    setup.springs.truncate(1);
    setup.springs[0].length = 3.0;
    let mut world = World::new(setup).unwrap();
    let error = (0..2000).find_map(|_| world.step().err()).unwrap();
    assert!(error.to_string().contains("spring 1 is"), "{error}");
}

/// The medium goes with the flow: u̇ = −(k/m) u − L u, and spins come to half the vorticity.
#[test]
fn drag_is_that_of_a_medium_that_flows() {
    let error = |step: f64| {
        let mut setup = setup::<Plane>(DVec2::ZERO, 0.0);
        setup.time_step = step;
        let mut cell = cell(2.0, 2.0, [true; 3]);
        cell.drives[0][1] = rate(0.8);
        setup.cell = Some(cell);
        let mut lone = disk(0.3, 0.4, 0.1);
        lone.velocity = DVec2::new(0.0, 0.9);
        let (mass, moment) = (lone.mass, lone.moments);
        setup.bodies.push(lone);
        setup.drags.push(Drag { body: 0, linear: 1.5 * mass, quadratic: 0.0, spin: 20.0 * moment });
        let mut world = World::new(setup).unwrap();
        for _ in 0..(1.0 / step).round() as usize {
            world.step().unwrap();
            assert!(world.ledger().closure() < 1e-12, "{:?}", world.ledger());
        }
        let found = &world.bodies()[0];
        assert!((found.spin + 0.4).abs() < 1e-6, "{}", found.spin);
        let decay = (-1.5f64).exp();
        (found.velocity - DVec2::new(-0.8 * 0.9, 0.9) * decay).length()
    };
    let (coarse, fine) = (error(0.02), error(0.01));
    assert!(coarse < 0.02 && coarse / fine > 1.8, "{coarse} {fine}");
}

/// What enters is weighed in the cell's inertia from the start, so that a run that is resumed goes on as it was; laid on top it comes to
/// lie on what reaches over the face.
#[test]
fn bodies_enter_and_lie_on_what_reaches_over_a_face() {
    let scene = || {
        let mut setup = setup::<Plane>(DVec2::new(0.0, -10.0), 0.5);
        setup.cell = Some(cell(2.0, 2.0, [true, false, false]));
        setup.boundaries.push(fixed("ground", PlaneShape::HalfPlane, Pose::IDENTITY));
        setup.bodies.push(square(0.1, 0.25, 0.5));
        let places = vec![DVec2::new(1.9, 1.5)];
        setup.arrivals.push(Arrival { time: 0.05, body: square(1.9, 1.5, 0.3), places });
        setup
    };
    let mut world = World::new(scene()).unwrap();
    (0..51).for_each(|_| assert!(world.step().unwrap().converged));
    assert!((world.bodies()[1].pose.position.y - 0.65).abs() < 1e-4);
    let mut resumed = World::resume(scene(), world.save()).unwrap();
    for world in [&mut world, &mut resumed] {
        (0..100).for_each(|_| assert!(world.step().unwrap().converged));
        assert!(world.ledger().closure() < 1e-12);
        assert!(world.bodies()[1].velocity.length() < 1e-4);
    }
    assert_eq!(world.state_hash(), resumed.state_hash());

    let pressed = || {
        let mut setup = setup::<Plane>(DVec2::ZERO, 0.3);
        let mut cell = cell(3.0, 3.0, [true; 3]);
        cell.drives[0][0] = stress(20.0);
        setup.cell = Some(cell);
        setup.bodies.push(disk(0.5, 1.0, 0.4));
        setup.arrivals.push(Arrival { time: 0.02, body: disk(2.0, 1.0, 0.4), places: Vec::new() });
        setup
    };
    let mut world = World::new(pressed()).unwrap();
    (0..40).for_each(|_| assert!(world.step().unwrap().converged));
    let mut resumed = World::resume(pressed(), world.save()).unwrap();
    for world in [&mut world, &mut resumed] {
        (0..100).for_each(|_| assert!(world.step().unwrap().converged));
        assert!(world.ledger().closure() < 1e-12);
    }
    assert_eq!(world.state_hash(), resumed.state_hash());
}

/// A pile that leans over the face falls asleep and stays, and the stress of the cell goes on to tell what it weighs.
#[test]
fn what_rests_across_a_face_falls_asleep() {
    let run = |shift: f64| {
        let mut setup = setup::<Plane>(DVec2::new(0.0, -10.0), 0.5);
        setup.cell = Some(cell(2.0, 4.0, [true, false, false]));
        setup.boundaries.push(fixed("ground", PlaneShape::HalfPlane, Pose::IDENTITY));
        setup.bodies = vec![
            square(shift, 0.25, 0.5),
            square(0.6 + shift, 0.25, 0.5),
            square(0.3 + shift, 0.75, 0.5),
        ];
        setup.sleep = Some(SleepSettings { steps: 40, ..SleepSettings::default() });
        let mut world = World::new(setup).unwrap();
        (0..200).for_each(|_| assert!(world.step().unwrap().converged));
        let state = *world.cell().unwrap();
        assert!(world.ledger().closure() < 1e-12);
        (world.asleep(), state.contact_stress.get(1, 1), world)
    };
    let ((asleep, here, _), (other, there, mut world)) = (run(0.5), run(1.7));
    assert_eq!((asleep, other), (3, 3));
    // Σ f ℓ / V: two squares on the ground with half of the third, and the third on both.
    let weight = 500.0 * 10.0;
    close(here, (3.0 * weight * 0.25 + weight * 0.5) / 8.0, 1e-3);
    close(there, here, 1e-6);
    // Pushed, they wake.
    world.set_velocity(2, DVec2::new(2.0, 0.0)).unwrap();
    world.step().unwrap();
    assert!(world.asleep() < 3);
}

fn welded(first: u32, second: u32, apart: DVec2) -> Joint<Plane> {
    let side =
        |body: u32, at: DVec2| JointSide { owner: Some(Owner::Body(body)), frame: Pose::at(at) };
    Joint::new(JointKind::Weld, [side(first, apart * 0.5), side(second, apart * -0.5)])
}

/// Two dumb-bells that meet through a face do what they do in the middle; and what is joined goes through faces together.
#[test]
fn what_is_joined_goes_through_a_face_together() {
    let run = |shift: f64| {
        let mut setup = setup::<Plane>(DVec2::ZERO, 0.3);
        setup.solver.tolerance = 1e-11;
        setup.cell = Some(cell(4.0, 3.0, [true; 3]));
        let mut all =
            [disk(1.0, 1.0, 0.2), disk(1.5, 1.0, 0.2), disk(2.5, 1.1, 0.2), disk(2.5, 1.6, 0.2)];
        for (index, body) in all.iter_mut().enumerate() {
            body.pose.position.x += shift;
            body.velocity.x = if index < 2 { 2.0 } else { -1.0 };
        }
        setup.bodies = all.to_vec();
        setup.joints = vec![welded(0, 1, DVec2::new(0.5, 0.0)), welded(2, 3, DVec2::new(0.0, 0.5))];
        let mut world = World::new(setup).unwrap();
        let mut stress = 0.0;
        for _ in 0..800 {
            assert!(world.step().unwrap().converged);
            assert!(world.ledger().closure() < 1e-12, "{:?}", world.ledger());
            stress += world.cell().unwrap().contact_stress.get(0, 0);
        }
        (world, stress)
    };
    let ((here, middle), (there, over)) = (run(0.0), run(2.1));
    for (a, b) in here.bodies().iter().zip(there.bodies()) {
        assert!((a.velocity - b.velocity).length() < 1e-7 && (a.spin - b.spin).abs() < 1e-7);
    }
    assert!(here.bodies()[2].spin.abs() > 0.1);
    close(over, middle, 1e-6);
    let apart = there.bodies()[1].pose.position - there.bodies()[0].pose.position;
    assert!((apart.length() - 0.5).abs() < 1e-9, "{apart}");
}

/// Bodies between plates, in a cell that is free along them: both stresses are met in every step, whatever touches a plate goes with it, and
/// twice the cell is the same.
#[test]
fn plates_go_with_the_flow_of_a_cell() {
    let run = |copies: usize| {
        let mut random = Random::new(5, 0);
        let mut setup = setup::<Plane>(DVec2::ZERO, 0.4);
        setup.solver.tolerance = 1e-11;
        let row: Vec<Body<Plane>> = (0..4)
            .map(|i| {
                let side = random.between(0.7, 0.9);
                let at = DVec2::new(i as f64 + 0.5, 0.5 + 1e-3);
                let mut grain =
                    if i % 2 == 0 { square(at.x, at.y, side) } else { disk(at.x, at.y, 0.4) };
                grain.velocity = DVec2::new(random.between(-0.2, 0.2), 0.0);
                grain
            })
            .collect();
        let mean = row.iter().map(|b| b.velocity.x * b.mass).sum::<f64>()
            / row.iter().map(|b| b.mass).sum::<f64>();
        for copy in 0..copies {
            setup.bodies.extend(row.iter().cloned().map(|mut grain| {
                grain.pose.position.x += 4.0 * copy as f64;
                grain.velocity.x -= mean;
                grain
            }));
        }
        let mut cell = cell(4.0 * copies as f64, 2.0, [true, false, false]);
        cell.drives[0][0] = stress(300.0);
        // W goes with the mass of all.
        cell.inertia = 1.0;
        setup.cell = Some(cell);
        setup.form = ContactForm::Gap { margin: 0.02, recovery_speed: 1.0, recovery_share: 1.0 };
        setup.boundaries.push(fixed("below", PlaneShape::HalfPlane, Pose::IDENTITY));
        let down = Pose::new(
            DVec2::new(0.0, 1.1),
            drystone_space::PlaneRotation::from_angle(std::f64::consts::PI),
        );
        let mut above = fixed("above", PlaneShape::HalfPlane, down);
        let load = Signal::Constant(800.0 * copies as f64);
        above.drive = Drive::Slider(Slider::along(-DVec2::Y, 500.0 * copies as f64, load));
        setup.boundaries.push(above);
        let mut world = World::new(setup).unwrap();
        for _ in 0..300 {
            assert!(world.step().unwrap().converged);
            let state = world.cell().unwrap();
            close(state.stress().get(0, 0) - state.excess_stress.get(0, 0), 300.0, 1e-9);
            assert!(world.ledger().closure() < 1e-12, "{:?}", world.ledger());
        }
        world
    };
    let (one, two) = (run(1), run(2));
    let strain = |world: &World<Plane>| world.cell().unwrap().strain.get(0, 0);
    assert!(strain(&one) < -0.02, "{}", strain(&one));
    close(strain(&two), strain(&one), 1e-5);
    assert!((two.bodies()[5].velocity - one.bodies()[1].velocity).length() < 1e-5);
}

/// Squares bonded into a bar that closes upon itself: strained at a rate, the cell feels the stress of the bonds, k w.
#[test]
fn bonds_hold_across_a_face() {
    let run = |shift: f64| {
        let bond = BondLaw {
            kind: BondKind::Elastic,
            stiffness: [1e6, 1e6],
            pushes: true,
            points: 2,
            area: None,
            reach: None,
            forms: BondForms::Start,
        };
        let moreau = MoreauLaw { friction: 0.3.into(), ..MoreauLaw::default() };
        let mut setup = setup::<Plane>(DVec2::ZERO, 0.3);
        setup.laws = LawTable::uniform(1, PairLaw { bond: Some(bond), ..moreau.into() });
        setup.solver.tolerance = 1e-12;
        let mut cell = cell(4.0, 3.0, [true; 3]);
        cell.drives[0][0] = rate(0.01);
        setup.cell = Some(cell);
        setup.bodies = (0..4).map(|i| square(i as f64 + shift, 1.0 + shift, 1.0)).collect();
        let mut world = World::new(setup).unwrap();
        assert_eq!(world.bonds().len(), 8);
        for step in 1..=100 {
            assert!(world.step().unwrap().converged);
            assert!(world.ledger().closure() < 1e-12, "{:?}", world.ledger());
            let state = world.cell().unwrap();
            let stretch = (state.lattice.vectors().get(0, 0) - 4.0) / 4.0;
            let height = world.cell().unwrap().lattice.vectors().get(1, 1);
            let found = state.contact_stress.get(0, 0) * height;
            // The force is that of the end of the step, ℓ/L that of its middle.
            assert!(
                (found + 1e6 * stretch).abs() < 2e-4 * 1e6 * stretch,
                "{step}: {found} {stretch}"
            );
        }
        world
    };
    let (here, there) = (run(0.6), run(9.9));
    close(there.ledger().bonds, here.ledger().bonds, 1e-9);
    close(here.ledger().bonds, 4.0 * 0.5 * 1e6 * 0.001f64.powi(2) * 1.0f64, 2e-2);
}
