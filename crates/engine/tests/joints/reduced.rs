//! Systems in coordinates of their own.

use super::{G, bar, hinge, integrate, order, plane};
use drystone_detect::plane::PlaneShape;
use drystone_engine::{Lagrangian, LagrangianRun, Part, Setup, SystemContact, World};
use drystone_space::math::{acos, cos, sin};
use drystone_space::{DVec2, DVec3, Plane, Pose, Volume};
use std::f64::consts::FRAC_PI_2;

/// The tip of the second bar is a disk of this radius.
pub const TIP: f64 = 0.01;

/// Two bars of length 1 and mass 1, and a floor.
pub struct DoublePendulum {
    pub moment: f64,
    pub floor: f64,
    pub friction: f64,
    pub restitution: f64,
}

impl Lagrangian<Plane> for DoublePendulum {
    fn freedoms(&self) -> usize {
        2
    }
    fn inertia(&self, q: &[f64], into: &mut [f64]) {
        let c = 0.5 * cos(q[0] - q[1]);
        into.copy_from_slice(&[self.moment + 1.25, c, c, self.moment + 0.25]);
    }
    fn force(&self, _: f64, q: &[f64], u: &[f64], into: &mut [f64]) {
        let s = sin(q[0] - q[1]);
        into[0] = -0.5 * s * u[1] * u[1] - 1.5 * G * cos(q[0]);
        into[1] = 0.5 * s * u[0] * u[0] - 0.5 * G * cos(q[1]);
    }
    fn potential(&self, q: &[f64]) -> f64 {
        G * (1.5 * sin(q[0]) + 0.5 * sin(q[1]))
    }
    fn contacts(&self, _: f64, q: &[f64], show: &mut dyn FnMut(SystemContact<'_, Plane>)) {
        let by = |angle: f64, more: f64| DVec2::new(more - sin(angle), cos(angle));
        show(SystemContact {
            gap: sin(q[0]) + sin(q[1]) - TIP - self.floor,
            normal: DVec2::Y,
            map: &[by(q[0], 0.0), by(q[1], TIP)],
            given: DVec2::ZERO,
            friction: self.friction,
            restitution: [self.restitution, 0.0],
        });
    }
}

pub const FREE: DoublePendulum =
    DoublePendulum { moment: 1.0 / 12.0, floor: -10.0, friction: 0.0, restitution: 0.0 };

pub fn run_to<S: drystone_engine::Dimension, L: Lagrangian<S>>(
    run: &mut LagrangianRun<S, L>,
    end: f64,
) {
    while run.time() < end - 1e-9 {
        let report = run.step();
        assert!(report.converged, "t = {}: {report:?}", run.time());
        let ledger = run.ledger();
        assert!(ledger.closure().abs() < 1e-10, "{ledger:?}");
    }
}

/// In its two angles the double pendulum is of second order, and all that its energy changes by is of second order too.
#[test]
fn a_double_pendulum_in_two_angles() {
    let results = [2e-3, 1e-3].map(|h| {
        let mut run = LagrangianRun::new(FREE, h, vec![0.0; 2], vec![0.0; 2]).unwrap();
        run_to(&mut run, 1.5);
        (run.q().to_vec(), run.ledger().scheme_work.abs())
    });
    let rate = |[a, b, p, q]: [f64; 4]| {
        let (mut matrix, mut force) = ([0.0; 4], [0.0; 2]);
        FREE.inertia(&[a, b], &mut matrix);
        FREE.force(0.0, &[a, b], &[p, q], &mut force);
        let [k11, k12, _, k22] = matrix;
        let det = k11 * k22 - k12 * k12;
        [p, q, (k22 * force[0] - k12 * force[1]) / det, (k11 * force[1] - k12 * force[0]) / det]
    };
    let [a, b, ..] = integrate([0.0; 4], 1.5, 30_000, rate);
    let errors = [0, 1].map(|k: usize| {
        let q = &results[k].0;
        (q[0] - a).abs().max((q[1] - b).abs())
    });
    assert!(errors[1] < 5e-4 && (order(errors) - 2.0).abs() < 0.3, "{errors:?}");
    let lost = [results[0].1, results[1].1];
    assert!(lost[1] < 1e-4 * G && order(lost) > 1.5, "{lost:?}");
}

/// Kane's pendulum: the tip strikes a floor, and slides on it with friction. The same of two bodies on hinges is another way to the
/// same motion; both meet as the step is halved.
#[test]
fn kanes_pendulum_in_two_angles_and_with_joints() {
    let both = |h: f64| {
        let system = DoublePendulum { floor: -1.6, friction: 0.3, ..FREE };
        let mut run = LagrangianRun::new(system, h, vec![0.0; 2], vec![0.0; 2]).unwrap();
        let mut setup: Setup<Plane> = plane(h);
        setup.boundaries.push(crate::support::fixed(
            "floor",
            PlaneShape::HalfPlane,
            Pose::at(DVec2::new(0.0, -1.6)),
        ));
        for (number, from) in [(0, DVec2::ZERO), (1, DVec2::X)] {
            let mut body = bar(from, from + DVec2::X);
            (body.mass, body.moments) = (1.0, 1.0 / 12.0);
            let tip = Part::new(PlaneShape::Disk { radius: TIP }, body.parts[0].material);
            let at = if number == 0 { 0.0 } else { 0.5 };
            body.parts = vec![tip.at(Pose::at(DVec2::new(at, 0.0)))].into();
            setup.bodies.push(body);
            hinge(&mut setup, number, number.checked_sub(1), from);
        }
        setup.solver.tolerance = 1e-10;
        let mut world = World::new(setup).unwrap();
        while world.time() < 1.0 - 1e-9 {
            assert!(world.step().unwrap().converged);
        }
        run_to(&mut run, 1.0);
        let ledger = run.ledger();
        assert!(ledger.impact_loss > 1.0 && ledger.friction_loss > 0.5, "{ledger:?}");
        let turned = [0, 1].map(|k| world.bodies()[k].pose.rotation.angle());
        (run.q()[0] - turned[0]).abs().max((run.q()[1] - turned[1]).abs())
    };
    let apart = [1e-3, 1e-4].map(both);
    assert!(apart[1] < 2e-3 && apart[1] < 0.5 * apart[0], "{apart:?}");
}

/// An elastic blow without friction takes nothing: P is across ½ (U⁺ + U⁻).
#[test]
fn an_elastic_blow_takes_nothing() {
    let system = DoublePendulum { floor: -1.6, restitution: 1.0, ..FREE };
    let mut run = LagrangianRun::new(system, 1e-3, vec![0.0; 2], vec![0.0; 2]).unwrap();
    let mut blows = 0;
    for _ in 0..2000 {
        blows += run.step().contacts;
    }
    let ledger = run.ledger();
    assert!(blows > 1, "{blows}");
    assert!(ledger.impact_loss.abs() < 1e-8 && ledger.friction_loss == 0.0, "{ledger:?}");
    assert!(ledger.closure().abs() < 1e-10 && ledger.scheme_work.abs() < 2e-2 * G, "{ledger:?}");
}

/// A point of unit mass on a slope of 0.3 rad, in coordinates that are not those of the world, pushed upwards by a motor.
struct Slope {
    friction: f64,
    motor: f64,
}

impl Lagrangian<Volume> for Slope {
    fn freedoms(&self) -> usize {
        3
    }
    fn inertia(&self, _: &[f64], into: &mut [f64]) {
        // Coordinates of twice, once and half a metre.
        (into[0], into[4], into[8]) = (4.0, 1.0, 0.25);
    }
    fn force(&self, _: f64, _: &[f64], _: &[f64], into: &mut [f64]) {
        into.copy_from_slice(&[-2.0 * G * sin(0.3), 0.0, -0.5 * G * cos(0.3)]);
    }
    fn drive(&self, _: f64, _: &[f64], _: &[f64], into: &mut [f64]) {
        into[1] = self.motor;
    }
    fn potential(&self, q: &[f64]) -> f64 {
        G * (2.0 * q[0] * sin(0.3) + 0.5 * q[2] * cos(0.3))
    }
    fn contacts(&self, _: f64, q: &[f64], show: &mut dyn FnMut(SystemContact<'_, Volume>)) {
        show(SystemContact {
            // It touches within a nanometre: rounding does not open it.
            gap: 0.5 * q[2] - 1e-9,
            normal: DVec3::Z,
            map: &[DVec3::X * 2.0, DVec3::Y, DVec3::Z * 0.5],
            given: DVec3::ZERO,
            friction: self.friction,
            restitution: [0.0; 2],
        });
    }
}

/// It goes v²/(2 g (sin α + μ cos α)) up the slope, and stays there, since μ > tan α; what friction takes is what is missing. Across the
/// slope a motor moves it only with more than what friction leaves.
#[test]
fn a_point_on_a_slope_stops_and_stays() {
    let h = 1e-4;
    let way = |motor: f64, speed: f64| {
        let system = Slope { friction: 0.5, motor };
        let mut run = LagrangianRun::new(system, h, vec![0.0; 3], vec![speed, 0.0, 0.0]).unwrap();
        run_to(&mut run, 1.0);
        let external = run.ledger().external_work - motor * run.q()[1];
        assert!(external.abs() < 1e-12, "{:?}", run.ledger());
        (run.q().to_vec(), run.u().to_vec(), *run.ledger())
    };
    let (q, u, ledger) = way(0.0, 1.0);
    let wanted = 4.0 / (2.0 * G * (sin(0.3) + 0.5 * cos(0.3)));
    assert!(
        (2.0 * q[0] - wanted).abs() < 2.0 * h && u.iter().all(|u| u.abs() < 1e-12),
        "{q:?} {u:?}"
    );
    let lost = 0.5 * G * cos(0.3) * 2.0 * q[0];
    assert!((ledger.friction_loss - lost).abs() < 1e-3, "{ledger:?}");
    // At rest sin α g is taken; of μ cos α g that leaves this across.
    let left = G * ((0.5 * cos(0.3)).powi(2) - sin(0.3).powi(2)).sqrt();
    assert!(way(0.99 * left, 0.0).1.iter().all(|u| u.abs() < 1e-9));
    assert!(way(1.01 * left, 0.0).1[1] > 1e-4);
}

/// Two balls of 1 kg on arms of length 1 that fold about a shaft with inertia: the angle of the arms, and that of the shaft.
struct Governor {
    shaft: f64,
}

impl Lagrangian<Volume> for Governor {
    fn freedoms(&self) -> usize {
        2
    }
    fn inertia(&self, q: &[f64], into: &mut [f64]) {
        (into[0], into[3]) = (2.0, self.shaft + 2.0 * sin(q[0]) * sin(q[0]));
    }
    fn force(&self, _: f64, q: &[f64], u: &[f64], into: &mut [f64]) {
        let turning = 2.0 * sin(q[0]) * cos(q[0]);
        into[0] = turning * u[1] * u[1] - 2.0 * G * sin(q[0]);
        into[1] = -2.0 * turning * u[0] * u[1];
    }
    fn potential(&self, q: &[f64]) -> f64 {
        -2.0 * G * cos(q[0])
    }
}

/// A flyball governor stays where cos θ = g/(ℓ Ω²); beside that it swings with second order, and its momentum about the shaft
/// is kept to second order.
#[test]
fn a_flyball_governor() {
    let (spin, system) = (5.0, || Governor { shaft: 0.4 });
    let rest = acos(G / (spin * spin));
    let mut run = LagrangianRun::new(system(), 1e-3, vec![rest, 0.0], vec![0.0, spin]).unwrap();
    run_to(&mut run, 2.0);
    assert!((run.q()[0] - rest).abs() < 1e-11 && (run.u()[1] - spin).abs() < 1e-11);
    let results = [2e-3, 1e-3].map(|h| {
        let start = (vec![FRAC_PI_2, 0.0], vec![0.0, spin]);
        let mut run = LagrangianRun::new(system(), h, start.0, start.1).unwrap();
        run_to(&mut run, 2.0);
        let momentum = (0.4 + 2.0 * sin(run.q()[0]).powi(2)) * run.u()[1];
        (run.q().to_vec(), (momentum - 2.4 * spin).abs())
    });
    let rate = |[a, b, p, q]: [f64; 4]| {
        let (mut matrix, mut force) = ([0.0; 4], [0.0; 2]);
        system().inertia(&[a, b], &mut matrix);
        system().force(0.0, &[a, b], &[p, q], &mut force);
        [p, q, force[0] / matrix[0], force[1] / matrix[3]]
    };
    let [angle, turned, ..] = integrate([FRAC_PI_2, 0.0, 0.0, spin], 2.0, 20_000, rate);
    let errors = [0, 1].map(|k: usize| {
        let q = &results[k].0;
        (q[0] - angle).abs().max((q[1] - turned).abs())
    });
    assert!(errors[1] < 1e-3 && (order(errors) - 2.0).abs() < 0.2, "{errors:?}");
    let kept = [results[0].1, results[1].1];
    assert!(kept[1] < 1e-3 && order(kept) > 1.7, "{kept:?}");
}

#[test]
fn what_is_no_system_is_refused() {
    for (h, q, u) in [
        (1e-3, vec![0.0], vec![0.0; 2]),
        (1e-3, vec![0.0, f64::NAN], vec![0.0; 2]),
        (0.0, vec![0.0; 2], vec![0.0; 2]),
    ] {
        assert!(LagrangianRun::new(FREE, h, q, u).is_none());
    }
    // A that is not positive definite: the step says so.
    let system = DoublePendulum { moment: -1.0, ..FREE };
    let mut run = LagrangianRun::new(system, 1e-3, vec![0.0; 2], vec![0.0; 2]).unwrap();
    assert!(!run.step().converged);
}
