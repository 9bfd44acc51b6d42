//! Impacts in impulse space, in both steps.

use super::{G, empty, energy, run};
use crate::support::{body, fixed};
use drystone_detect::plane::{PlaneShape, Polygon};
use drystone_detect::volume::VolumeShape;
use drystone_engine::{
    ContactForm, Friction, Hypothesis, ImpactLaw, LawTable, MoreauLaw, Scheme, Setup, SetupError,
    World,
};
use drystone_space::{DVec2, DVec3, Plane, PlaneRotation, Pose, Volume};

fn impact(restitution: f64) -> ImpactLaw {
    ImpactLaw { hypothesis: Hypothesis::Stronge, restitution, stiffness: 1.0, exponent: 1.5 }
}

fn struck(friction: f64, law: ImpactLaw) -> LawTable {
    let law = MoreauLaw { friction: friction.into(), impact: Some(law), ..MoreauLaw::default() };
    LawTable::uniform(1, law)
}

/// A ball comes back to e² of its height, in both steps and in both forms of contact.
#[test]
fn a_ball_comes_back_to_its_height() {
    let velocity = Setup { form: ContactForm::Velocity, ..dropped(Scheme::Moreau) };
    for setup in [dropped(Scheme::Moreau), dropped(Scheme::SecondOrder), velocity] {
        let mut world = World::new(setup).unwrap();
        let mut highest = 0.0f64;
        while world.time() < 0.9 {
            run(&mut world, 1e-4);
            let rises = world.bodies()[0].velocity.z > 0.0;
            highest = highest.max(if rises { world.bodies()[0].pose.position.z } else { 0.0 });
        }
        let wanted = 0.1 + 0.64 * 0.5;
        assert!((highest - wanted).abs() < 2e-3, "{highest} {wanted}");
        assert!(world.ledger().impact_loss > 0.0);
    }
}

fn dropped(scheme: Scheme) -> Setup<Volume> {
    let mut setup = empty::<Volume>(-DVec3::Z * G, 0.0, scheme, 1e-4);
    setup.laws = struck(0.0, impact(0.8));
    setup.boundaries.push(fixed("floor", VolumeShape::HalfSpace, Pose::IDENTITY));
    setup.bodies.push(body(VolumeShape::Sphere { radius: 0.1 }, Pose::at(DVec3::Z * 0.6)));
    setup
}

/// Moreau's law with ρ, τ and μ is that of Foerster, Louge, Chang and Allia for a ball: it slides on, or its sliding comes back.
#[test]
fn a_ball_collides_as_three_numbers_say() {
    let (rho, tau, mu, radius) = (0.8, 0.5, 0.2, 0.1);
    let mut kinds = [0; 2];
    for slide in [0.0, 0.2, 0.5, 0.7, 0.9, 1.5, 3.0] {
        let mut setup = empty::<Volume>(DVec3::ZERO, mu, Scheme::Moreau, 1e-3);
        setup.laws = LawTable::uniform(
            1,
            MoreauLaw {
                friction: mu.into(),
                normal_restitution: rho,
                tangential_restitution: tau,
                ..MoreauLaw::default()
            },
        );
        setup.boundaries.push(fixed("wall", VolumeShape::HalfSpace, Pose::IDENTITY));
        let mut ball = body(VolumeShape::Sphere { radius }, Pose::at(DVec3::Z * (radius + 0.0105)));
        // Half of the sliding is spin.
        ball.velocity = DVec3::new(0.5 * slide, 0.0, -1.0);
        ball.set_world_spin(DVec3::Y * (-0.5 * slide / radius));
        setup.bodies.push(ball);
        let mut world = World::new(setup).unwrap();
        run(&mut world, 0.05);
        let ball = &world.bodies()[0];
        let after = ball.velocity.x - radius * ball.world_spin().y;
        let slides = slide - 3.5 * mu * (1.0 + rho);
        let sticks = -tau * slide;
        kinds[usize::from(slides > sticks)] += 1;
        assert!((after - slides.max(sticks)).abs() < 1e-9, "{slide}: {after}");
        assert!((ball.velocity.z - rho).abs() < 1e-9);
    }
    assert!(kinds.iter().all(|&count| count > 2), "{kinds:?}");
}

/// Five balls that touch: most of the blow leaves with the last, as in the toy; energy and momentum are kept. The first three speeds are
/// near those of the row of twelve in `crates/solve/tests/impact.rs`, which is held against integration in time.
#[test]
fn a_cradle_sends_one_ball_off() {
    cradle(ContactForm::Velocity, 0.0);
    cradle(ContactForm::Velocity, 0.3);
}

#[test]
#[ignore = "the overlap with which a blow begins is made good by velocity: the first two balls part with the recovery speed"]
fn a_cradle_sends_one_ball_off_where_gaps_are_held() {
    cradle(gap(), 0.3);
}

fn cradle(form: ContactForm, friction: f64) {
    let mut setup = empty::<Plane>(DVec2::ZERO, 0.0, Scheme::Moreau, 1e-4);
    (setup.form, setup.laws) = (form, struck(friction, impact(1.0)));
    for index in 0..5 {
        let x = if index == 0 { -0.05 } else { 0.1 * f64::from(index) };
        let place = Pose::at(DVec2::X * x);
        setup.bodies.push(body(PlaneShape::Disk { radius: 0.05 }, place));
    }
    setup.bodies[0].velocity.x = 1.0;
    let mut world = World::new(setup).unwrap();
    let start = energy(&world);
    run(&mut world, 0.2);
    let speeds: Vec<f64> = world.bodies().iter().map(|body| body.velocity.x).collect();
    println!("{speeds:.4?}");
    assert!((energy(&world) / start - 1.0).abs() < 1e-8);
    assert!((speeds.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    for (found, wanted) in speeds.iter().zip([-0.0711, -0.0303, -0.0145, 0.1270, 0.9888]) {
        assert!((found - wanted).abs() < 2e-4, "{speeds:?}");
    }
}

fn gap() -> ContactForm {
    ContactForm::Gap { margin: 1e-4, recovery_speed: 0.05, recovery_share: 1.0 }
}

/// Blocks that tumble over each other on the floor, with friction and e = 0.6: every step loses, and the books close.
#[test]
fn a_heap_of_tumbling_blocks_only_loses() {
    let mut setup = empty::<Plane>(-DVec2::Y * G, 0.0, Scheme::SecondOrder, 5e-4);
    setup.solver.tolerance = 1e-8;
    (setup.form, setup.laws) = (gap(), struck(0.4, impact(0.6)));
    setup.boundaries.push(fixed("floor", PlaneShape::HalfPlane, Pose::IDENTITY));
    for index in 0..8 {
        let turn = PlaneRotation::from_angle(0.4 * f64::from(index));
        let place = DVec2::new(0.05 * f64::from(index % 3), 0.3 + 0.35 * f64::from(index));
        let shape = PlaneShape::Polygon(Polygon::rectangle(0.3, 0.15).unwrap());
        let mut block = body(shape, Pose::new(place, turn));
        block.spin = 2.0 - f64::from(index);
        setup.bodies.push(block);
    }
    let mut world = World::new(setup).unwrap();
    let (start, mut most) = (energy(&world), energy(&world));
    for _ in 0..3000 {
        world.step().unwrap();
        let fastest = world.bodies().iter().map(|body| body.velocity.length()).fold(0.0, f64::max);
        let now = energy(&world) - world.ledger().recovery_work;
        // Gravity acts for half a step before a blow, or after it.
        let slack = world.bodies()[0].mass * G * 5e-4 * fastest;
        assert!(now < most + slack, "{now} after {most}");
        most = most.min(now);
    }
    assert!(most < 0.5 * start, "{most} of {start}");
    assert!(world.ledger().closure_max < 1e-10);
    let fastest = world.bodies().iter().map(|body| body.velocity.length()).fold(0.0, f64::max);
    assert!(fastest < 1.0, "they have come down: {fastest}");
}

/// A moving wall gives work by its blow, and a run that is taken up again goes on in the same bits.
#[test]
fn a_bat_gives_work() {
    let mut setup = empty::<Plane>(DVec2::ZERO, 0.0, Scheme::Moreau, 1e-3);
    setup.laws = struck(0.2, impact(0.5));
    let course = drystone_engine::Course::Velocity { linear: DVec2::X * 2.0, spin: 0.0 };
    let motion = drystone_engine::Motion { course, start: 0.0, stop: f64::INFINITY };
    let shape = PlaneShape::Polygon(Polygon::rectangle(0.1, 1.0).unwrap());
    let bat = fixed("bat", shape, Pose::at(DVec2::X * -0.5));
    let drive = drystone_engine::Drive::Motion(motion);
    setup.boundaries.push(drystone_engine::Boundary { drive, ..bat });
    setup.bodies.push(body(PlaneShape::Disk { radius: 0.1 }, Pose::IDENTITY));
    let mut world = World::new(setup.clone()).unwrap();
    run(&mut world, 0.1);
    let mut again = World::resume(setup, world.save()).unwrap();
    run(&mut world, 0.3);
    for _ in 0..300 {
        again.step().unwrap();
    }
    assert_eq!(again.state_hash(), world.state_hash());
    let body = &world.bodies()[0];
    assert!((body.velocity.x - 3.0).abs() < 1e-6, "{}", body.velocity);
    let given = world.ledger().boundary_work;
    assert!((given - body.mass * 3.0 * 2.0).abs() < 1e-5 * given, "{given}");
}

#[test]
fn what_does_not_go_together_is_refused() {
    let law = MoreauLaw { friction: Friction::Isotropic(0.1), ..MoreauLaw::default() };
    let twice = MoreauLaw { normal_restitution: 0.5, impact: Some(impact(0.5)), ..law };
    let setup = Setup::<Plane> { laws: LawTable::uniform(1, twice), ..Setup::default() };
    let error = World::new(setup).unwrap_err();
    assert!(matches!(error, SetupError::NoImpact { .. }), "{error}");
}
