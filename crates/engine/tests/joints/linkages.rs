//! Linkages with published constants.

use super::{hinge, order, plane, run};
use drystone_detect::plane::PlaneShape;
use drystone_engine::{
    Characteristic, DriveLaw, Freedom, Joint, JointDrive, JointKind, JointSide, Owner, Setup,
    Signal, Target, World,
};
use drystone_space::{DVec2, Plane, PlaneRotation, Pose, Rotation};

/// A body that touches nothing, with its axes turned by an angle.
fn link(setup: &mut Setup<Plane>, centre: DVec2, angle: f64, mass: f64, moment: f64) {
    let pose = Pose::new(centre, PlaneRotation::from_angle(angle));
    let mut body = crate::support::body(PlaneShape::Disk { radius: 1e-6 }, pose);
    (body.mass, body.moments) = (mass, moment);
    setup.bodies.push(body);
}

fn drive(setup: &mut Setup<Plane>, joint: usize, target: Target) {
    let law = DriveLaw::Motor { target, most: f64::INFINITY };
    setup.joints[joint].drives.push(JointDrive { freedom: Freedom::Angle, law });
}

fn turned(angle: f64, x: f64, y: f64) -> DVec2 {
    Rotation::<Plane>::apply(PlaneRotation::from_angle(angle), DVec2::new(x, y))
}

/// Andrews' squeezing mechanism: seven bodies, three closed loops, a spring, and a couple of 0.033 N m that turns the crank two and
/// a half times in 0.03 s. Constants and solution are those of Hairer & Wanner (1996), VI.9, and of the test set for initial value
/// problem solvers (Mazzia & Magherini 2008).
fn squeezer(time_step: f64) -> World<Plane> {
    let mut setup = plane(time_step);
    setup.gravity = DVec2::ZERO;
    let [beta, theta, gamma, phi, delta, omega, epsilon] = [
        -0.061_713_890_014_276_45,
        0.0,
        0.455_279_819_163_070_4,
        0.222_668_390_165_885_88,
        0.487_364_979_543_842_55,
        -0.222_668_390_165_885_88,
        1.230_547_444_549_821_2,
    ];
    let (a, b) = (DVec2::new(-0.06934, -0.00227), DVec2::new(-0.03635, 0.03273));
    let c = DVec2::new(0.014, 0.072);
    let pin = turned(beta, 0.007, 0.0);
    let middle = pin + turned(beta + theta, -0.028, 0.0);
    let lower = a + turned(delta, 0.04, 0.0);
    let upper = a + turned(epsilon, 0.0, -0.04);
    let places = [
        (turned(beta, 0.00092, 0.0), beta, 0.04325, 2.194e-6),
        (pin + turned(beta + theta, -0.0115, 0.0), beta + theta, 0.00365, 4.410e-7),
        (b + turned(gamma, 0.01043, -0.01874), gamma, 0.02373, 5.255e-6),
        (lower + turned(phi + delta, 0.0, -0.00579), phi + delta, 0.00706, 5.667e-7),
        (a + turned(delta, 0.02308, 0.00916), delta, 0.07050, 1.169e-5),
        (upper + turned(omega + epsilon, 0.00579, 0.0), omega + epsilon, 0.00706, 5.667e-7),
        (a + turned(epsilon, -0.00449, -0.01228), epsilon, 0.05498, 1.912e-5),
    ];
    for (centre, angle, mass, moment) in places {
        link(&mut setup, centre, angle, mass, moment);
    }
    let pins = [
        (0, None, DVec2::ZERO),
        (1, Some(0), pin),
        (2, Some(1), middle),
        (3, Some(1), middle),
        (5, Some(1), middle),
        (2, None, b),
        (4, None, a),
        (3, Some(4), lower),
        (6, None, a),
        (5, Some(6), upper),
    ];
    pins.into_iter().for_each(|(first, second, point)| hinge(&mut setup, first, second, point));
    drive(&mut setup, 0, Target::Effort(Signal::Constant(0.033)));
    let held = setup.bodies[2].pose.inverse().point(b + turned(gamma, 0.02, -0.018));
    let side = |owner, point| JointSide { owner, frame: Pose::at(point) };
    let mut spring =
        Joint::new(JointKind::Spring, [side(Some(Owner::Body(2)), held), side(None, c)]);
    let law =
        DriveLaw::Spring(Characteristic { stiffness: 4530.0, rest: 0.07785, ..Default::default() });
    spring.drives.push(JointDrive { freedom: Freedom::Distance, law });
    setup.joints.push(spring);
    World::new(setup).unwrap()
}

#[test]
fn andrews_squeezer_ends_where_it_should() {
    let [beta, theta, gamma, phi, delta, omega, epsilon] = [
        15.810_771_196_299_04,
        -15.756_371_059_842_98,
        0.040_822_240_130_731_01,
        -0.534_730_116_322_694_8,
        0.524_409_965_880_530_4,
        0.534_730_116_322_694_8,
        1.048_080_741_042_263,
    ];
    let wanted = [beta, beta + theta, gamma, phi + delta, delta, omega + epsilon, epsilon];
    let errors = [2e-5, 1e-5].map(|h| {
        let mut world = squeezer(h);
        run(&mut world, (0.03 / h).round() as usize);
        let found = world.bodies().iter().map(|body| body.pose.rotation.angle());
        found.zip(wanted).map(|(found, wanted)| (found - wanted).abs()).fold(0.0, f64::max)
    });
    assert!(errors[1] < 1e-4 && (order(errors) - 2.0).abs() < 0.2, "{errors:?}");
}

/// Where two circles meet, to the left of the way from one centre to the other.
pub fn meet(from: DVec2, radius: f64, to: DVec2, other: f64) -> DVec2 {
    let between = to - from;
    let distance = between.length();
    let along = (distance * distance + radius * radius - other * other) / (2.0 * distance);
    let up = (radius * radius - along * along).sqrt();
    from + between / distance * along + between.perp() / distance * up
}

/// The knees and the foot of Jansen's leg from where the crank's pin is, in cm.
fn leg(pin: DVec2) -> [DVec2; 5] {
    let pivot = DVec2::new(-38.0, -7.8);
    let upper = meet(pivot, 41.5, pin, 50.0);
    let lower = meet(pin, 61.9, pivot, 39.3);
    let left = meet(pivot, 40.1, upper, 55.8);
    let knee = meet(lower, 36.7, left, 39.4);
    let foot = meet(lower, 49.0, knee, 65.7);
    [upper, lower, left, knee, foot]
}

/// Theo Jansen's leg with his eleven numbers, driven for three turns: the foot is where circles meet, and nothing drifts.
#[test]
fn jansens_leg_walks() {
    let mut setup = plane(1e-3);
    let (start, pivot) = (DVec2::new(15.0, 0.0), DVec2::new(-38.0, -7.8));
    let [upper, lower, left, knee, foot] = leg(start);
    let middle = |points: &[DVec2]| points.iter().sum::<DVec2>() / points.len() as f64 * 0.01;
    let bodies: [&[DVec2]; 7] = [
        &[DVec2::ZERO, start],
        &[start, upper],
        &[start, lower],
        &[pivot, upper, left],
        &[pivot, lower],
        &[left, knee],
        &[lower, knee, foot],
    ];
    for points in bodies {
        link(&mut setup, middle(points), 0.0, 0.5, 5e-3);
    }
    let pins = [
        (0, None, DVec2::ZERO),
        (1, Some(0), start),
        (2, Some(0), start),
        (3, None, pivot),
        (3, Some(1), upper),
        (4, None, pivot),
        (4, Some(2), lower),
        (5, Some(3), left),
        (6, Some(4), lower),
        (6, Some(5), knee),
    ];
    let mut pin = |(first, second, at): (u32, Option<u32>, DVec2)| {
        hinge(&mut setup, first, second, at * 0.01);
    };
    pins.into_iter().for_each(&mut pin);
    drive(&mut setup, 0, Target::Speed(Signal::Constant(std::f64::consts::TAU)));
    let own = setup.bodies[6].pose.inverse().point(foot * 0.01);
    let mut world = World::new(setup).unwrap();
    let (mut worst, mut lowest, mut highest) = (0.0f64, f64::INFINITY, f64::NEG_INFINITY);
    for _ in 0..3000 {
        run(&mut world, 1);
        let angle = world.bodies()[0].pose.rotation.angle();
        let wanted = leg(turned(angle, 15.0, 0.0))[4] * 0.01;
        let found = world.bodies()[6].pose.point(own);
        worst = worst.max((found - wanted).length());
        (lowest, highest) = (lowest.min(found.y), highest.max(found.y));
    }
    assert!(worst < 1e-9, "{worst:e}");
    let spins = world.bodies()[0].pose.rotation.angle() / std::f64::consts::TAU;
    assert!((spins - 3.0).abs() < 2e-2, "{spins}");
    // A step of some 20 cm height.
    assert!((0.1..0.4).contains(&(highest - lowest)), "{lowest} {highest}");
}
