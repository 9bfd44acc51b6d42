//! Springs and dampers by tables, in joints and between points: against integration of fourth order and closed forms.

use super::{energy, hinge, integrate, joint, order, plane, run};
use crate::support::{body, fixed, setup};
use drystone_detect::plane::PlaneShape;
use drystone_engine::{
    Anchor, Characteristic, ContactForm, Course, Drive, DriveLaw, Freedom, Joint, JointDrive,
    JointKind, JointSide, Motion, Owner, Scheme, Setup, Spring, Table, World,
};
use drystone_space::{DVec2, Plane, Pose, Rotation};
use std::sync::Arc;

fn table(points: &[(f64, f64)]) -> Table {
    let (arguments, values) = points.iter().copied().unzip();
    Table::new(arguments, values).unwrap()
}

/// A drive by tables of force by place and by speed.
fn drive(freedom: Freedom, forces: Option<&Table>, resistances: Option<&Table>) -> JointDrive {
    let [forces, resistances] = [forces, resistances].map(|table| table.cloned().map(Arc::new));
    let of = Characteristic { forces, resistances, ..Characteristic::default() };
    JointDrive { freedom, law: DriveLaw::Spring(of) }
}

/// A ball of mass 1 at a place on a line, held to the origin by a spring of these forces by length.
fn on_a_line(
    start: f64,
    speed: f64,
    forces: Option<&Table>,
    resistances: Option<&Table>,
) -> Setup<Plane> {
    let mut setup = Setup { gravity: DVec2::ZERO, ..plane(1e-3) };
    let mut ball = body(PlaneShape::Disk { radius: 0.05 }, Pose::at(DVec2::new(start, 0.0)));
    (ball.mass, ball.velocity) = (1.0, DVec2::new(speed, 0.0));
    setup.bodies.push(ball);
    let side = |owner| JointSide { owner, frame: Pose::IDENTITY };
    let mut link = Joint::new(JointKind::Spring, [side(Some(Owner::Body(0))), side(None)]);
    link.drives.push(drive(Freedom::Distance, forces, resistances));
    setup.joints.push(link);
    setup.solver.tolerance = 1e-13;
    setup
}

fn place(world: &World<Plane>) -> f64 {
    world.bodies()[0].pose.position.x
}

/// A spring that hardens, one with play, one that is as stiff as a wall to the step (ω h = 30), and one that snaps through from one rest to
/// another: their energy is kept to rounding over thousands of kinks.
#[test]
fn tables_on_a_line_keep_their_energy() {
    let hardens = table(&[(0.0, -150.0), (1.0, 0.0), (1.2, 30.0), (1.3, 300.0), (1.35, 2e4)]);
    let play = table(&[(0.0, -900.0), (0.9, 0.0), (1.1, 0.0), (2.0, 900.0)]);
    let wall = table(&[(0.0, -9e8), (1.0, 0.0), (2.0, 9e8)]);
    let snaps =
        table(&[(0.4, -60.0), (0.6, 0.0), (0.8, 20.0), (1.2, -20.0), (1.4, 0.0), (1.6, 60.0)]);
    for (forces, start, speed) in
        [(&hardens, 1.31, 0.3), (&play, 1.0, 2.0), (&wall, 1.0, 1.0), (&snaps, 1.5, 3.0)]
    {
        let mut world = World::new(on_a_line(start, speed, Some(forces), None)).unwrap();
        let first = world.ledger().springs + world.ledger().kinetic;
        assert!((world.ledger().springs - forces.integral(start)).abs() < 1e-12 * first);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for _ in 0..2000 {
            run(&mut world, 1);
            (low, high) = (low.min(place(&world)), high.max(place(&world)));
            let now = world.ledger().springs + world.ledger().kinetic;
            // Places of 1 m are rounded to 1e-16, which is 3e-12 J a step to the wall.
            let rounding = if std::ptr::eq(forces, &wall) { 1e-8 } else { 1e-9 };
            assert!((now / first - 1.0).abs() < rounding, "{now} {first} at {}", world.time());
        }
        assert!(high - low > 5e-5, "{low} {high}");
        if std::ptr::eq(forces, &snaps) {
            assert!(low < 0.6 && high > 1.4, "{low} {high}");
        }
        assert!(world.ledger().atomisation_work.abs() < 1e-8 * first);
    }
}

/// Where it is after half a second, against integration of fourth order: of second order across kinks, in both steps, as `[[spring]]` and
/// as joint.
#[test]
fn tables_are_of_second_order() {
    let forces = table(&[(0.0, -300.0), (0.9, -30.0), (1.0, 0.0), (1.1, 10.0), (1.4, 130.0)]);
    let pull = |x: f64| forces.sample(x).0;
    let [wanted, _] = integrate([1.35, 0.0], 0.5, 400_000, |[x, v]: [f64; 2]| [v, -pull(x)]);
    for scheme in [Scheme::Moreau, Scheme::SecondOrder] {
        for explicit in [false, true] {
            let errors = [2e-3, 1e-3, 5e-4].map(|time_step| {
                let mut setup =
                    Setup { time_step, scheme, ..on_a_line(1.35, 0.0, Some(&forces), None) };
                setup.form =
                    ContactForm::Gap { margin: 1e-3, recovery_speed: 0.05, recovery_share: 1.0 };
                if explicit {
                    setup.joints.clear();
                    let ends = [Some(Owner::Body(0)), None];
                    let ends = ends.map(|owner| Anchor { owner, point: DVec2::ZERO });
                    let forces = Some(forces.clone());
                    setup.springs.push(Spring { ends, stiffness: 0.0, length: 0.0, forces });
                }
                let mut world = World::new(setup).unwrap();
                run(&mut world, (0.5 / time_step).round() as usize);
                (place(&world) - wanted).abs()
            });
            // A kink is met at another place of a step each time: orders scatter about two.
            let mean = 0.5 * order([errors[0], errors[1]]) + 0.5 * order([errors[1], errors[2]]);
            assert!(
                (mean - 2.0).abs() < 0.4 && errors[2] < 2e-5,
                "{scheme:?} {explicit} {errors:?}"
            );
        }
    }
}

/// A damper whose force no longer grows above a speed: v falls on a line, and then as exp(−t/τ). One that is as steep as dry friction to the
/// step brings a body to rest, and takes all of its energy.
#[test]
fn dampers_follow_their_tables() {
    let saturates = table(&[(-0.5, -4.0), (0.0, 0.0), (0.5, 4.0)]);
    let mut world = World::new(on_a_line(1.0, 2.5, None, Some(&saturates))).unwrap();
    run(&mut world, 500);
    let speed = |world: &World<Plane>| world.bodies()[0].velocity.x;
    assert!((speed(&world) - 0.5).abs() < 1e-9, "{}", speed(&world));
    assert!((place(&world) - 1.0 - 0.75).abs() < 1e-9, "{}", place(&world));
    run(&mut world, 125);
    let wanted = 0.5 * drystone_space::math::exp(-1.0);
    assert!((speed(&world) / wanted - 1.0).abs() < 1e-5, "{}", speed(&world));
    let lost = world.ledger().damping_loss + world.ledger().kinetic;
    assert!((lost / 3.125 - 1.0).abs() < 1e-12, "{lost}");

    let steep = table(&[(-1e-9, -4.0), (0.0, 0.0), (1e-9, 4.0)]);
    let mut world = World::new(on_a_line(1.0, 2.0, None, Some(&steep))).unwrap();
    run(&mut world, 600);
    assert!((place(&world) - 1.5).abs() < 1e-6 && speed(&world).abs() < 1e-8, "{}", place(&world));
    assert!((world.ledger().damping_loss / 2.0 - 1.0).abs() < 1e-9);
}

/// A bar on a hinge with couples by angle, and two free disks with couples by the angle between them: both against integration of fourth
/// order, and free disks keep their angular momentum.
#[test]
fn couples_follow_their_tables() {
    let couples = table(&[(-0.3, -1.0), (-0.1, 0.0), (0.2, 0.0), (0.4, 2.0)]);
    let couple = |angle: f64| couples.sample(angle).0;
    let drives = drive(Freedom::Angle, Some(&couples), None);
    let disk = |x: f64, spin: f64| {
        let mut disk = body(PlaneShape::Disk { radius: 0.1 }, Pose::at(DVec2::new(x, 0.0)));
        (disk.moments, disk.spin) = (0.01, spin);
        disk
    };
    let mut setup = Setup { gravity: DVec2::ZERO, ..plane(5e-4) };
    setup.solver.tolerance = 1e-12;
    let mut pinned = setup.clone();
    pinned.bodies.push(disk(0.0, 2.0));
    hinge(&mut pinned, 0, None, DVec2::ZERO);
    pinned.joints[0].drives.push(drives.clone());
    let mut world = World::new(pinned).unwrap();
    run(&mut world, 2000);
    let [angle, _] = integrate([0.0, 2.0], 1.0, 200_000, |[a, w]: [f64; 2]| [w, -couple(a) / 0.01]);
    let found = world.bodies()[0].pose.rotation.angle();
    assert!((found - angle).abs() < 2e-5, "{found} {angle}");

    setup.bodies = vec![disk(-1.0, 2.0), disk(1.0, 0.0)];
    let owners = [0, 1].map(|index| Some(Owner::Body(index)));
    let mut link = joint(&setup, JointKind::Spring, owners, DVec2::ZERO, Rotation::IDENTITY);
    link.drives.push(drives);
    setup.joints.push(link);
    let mut world = World::new(setup).unwrap();
    run(&mut world, 2000);
    // The angle between them has half the moment of inertia.
    let [between, _] =
        integrate([0.0, 2.0], 1.0, 200_000, |[a, w]: [f64; 2]| [w, -couple(a) / 0.005]);
    let [one, other] = [0, 1].map(|i| world.bodies()[i].pose.rotation.angle());
    assert!((one - other - between).abs() < 4e-5, "{one} {other} {between}");
    assert!((one + other - 2.0).abs() < 1e-10, "{one} {other}");
}

/// A ball hangs on a boundary that is pulled up at a constant speed, by a spring of either kind: what the boundary gave is what ball and
/// spring have, it felt the weight in the mean, and the ball goes as the closed form of a spring in proportion has it.
#[test]
fn springs_hang_on_what_moves() {
    let forces = table(&[(0.0, -400.0), (1.0, 0.0), (3.0, 800.0)]);
    for explicit in [false, true] {
        let mut setup: Setup<Plane> = setup(DVec2::ZERO, 0.3);
        let mut ball = body(PlaneShape::Disk { radius: 0.05 }, Pose::at(DVec2::ZERO));
        ball.mass = 1.0;
        setup.bodies.push(ball);
        let hook = Pose::at(DVec2::new(0.0, 1.0));
        let mut hook = fixed("hook", PlaneShape::Disk { radius: 0.01 }, hook);
        let course = Course::Velocity { linear: DVec2::new(0.0, 0.5), spin: 0.0 };
        let motion = Motion { course, start: 0.0, stop: f64::INFINITY };
        hook.drive = Drive::Motion(motion);
        setup.boundaries.push(hook);
        setup.solver.tolerance = 1e-12;
        let owners = [Some(Owner::Body(0)), Some(Owner::Boundary(0))];
        if explicit {
            let ends = owners.map(|owner| Anchor { owner, point: DVec2::ZERO });
            let forces = Some(forces.clone());
            setup.springs.push(Spring { ends, stiffness: 0.0, length: 0.0, forces });
        } else {
            let sides = owners.map(|owner| JointSide { owner, frame: Pose::IDENTITY });
            let mut link = Joint::new(JointKind::Spring, sides);
            link.drives.push(drive(Freedom::Distance, Some(&forces), None));
            setup.joints.push(link);
        }
        let mut world = World::new(setup).unwrap();
        let mut felt = 0.0;
        for _ in 0..500 {
            run(&mut world, 1);
            felt += world.boundary_force(0).y * 1e-3;
        }
        let (t, omega) = (0.5, 20.0);
        let wanted = 0.5 * t - 0.5 / omega * drystone_space::math::sin(omega * t);
        let found = world.bodies()[0].pose.position.y;
        assert!((found - wanted).abs() < 2e-5, "{explicit}: {found} {wanted}");
        let ledger = world.ledger();
        let given = energy(&world) + ledger.springs - ledger.atomisation_work;
        assert!((ledger.boundary_work - given).abs() < 1e-12, "{ledger:?}");
        assert!(ledger.boundary_work > 0.02 && ledger.atomisation_work.abs() < 1e-4, "{ledger:?}");
        assert!((felt + world.bodies()[0].velocity.y).abs() < 1e-9, "{felt}");
    }
}
