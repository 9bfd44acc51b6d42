//! Gaps that are open wide enough to be left out of a step are called when an impact reaches them.

use crate::support::{body, setup};
use drystone_detect::plane::PlaneShape;
use drystone_engine::{ContactForm, World};
use drystone_space::{DVec2, Plane, Pose};

const RADIUS: f64 = 0.1;

/// A disk that comes at 1 m/s, and four at rest behind each other; `gaps` are between neighbours.
fn row(gaps: [f64; 4], margin: f64) -> World<Plane> {
    let mut setup = setup::<Plane>(DVec2::ZERO, 0.0);
    setup.form = ContactForm::Gap { margin, recovery_speed: 0.1, recovery_share: 1.0 };
    setup.time_step = 1e-3;
    setup.solver.tolerance = 1e-12;
    let mut x = 0.0;
    for place in 0..5 {
        setup.bodies.push(body(PlaneShape::Disk { radius: RADIUS }, Pose::at(DVec2::new(x, 0.0))));
        x += 2.0 * RADIUS + gaps.get(place).copied().unwrap_or(0.0);
    }
    setup.bodies[0].velocity.x = 1.0;
    World::new(setup).unwrap()
}

#[test]
fn an_impact_calls_all_gaps_that_it_closes() {
    let mut world = row([5e-4, 1e-4, 1e-4, 1e-4], 2e-3);
    let momentum = world.bodies()[0].mass;
    for step in 0..20 {
        let report = world.step().unwrap();
        assert!(report.converged);
        // The first gap is closing from the start; the three others only by the impact.
        assert!(step > 0 || report.contacts == 4, "{report:?}");
        assert!(report.penetration < 1e-12, "step {step}: {report:?}");
        let now: f64 = world.bodies().iter().map(|body| body.mass * body.velocity.x).sum();
        assert!((now - momentum).abs() < 1e-9 * momentum);
    }
    // Nothing bounces: in the end all move together.
    for body in world.bodies() {
        assert!((body.velocity.x - 0.2).abs() < 1e-6, "{}", body.velocity.x);
    }
}

#[test]
fn gaps_that_stay_open_are_left_out() {
    let mut world = row([5e-4, 1e-3, 1e-3, 1e-3], 2e-3);
    assert_eq!(world.step().unwrap().contacts, 1);
}
