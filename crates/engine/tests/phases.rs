//! Phases with tolerances of their own.

use crate::support::{body, fixed, setup};
use drystone_detect::plane::{PlaneShape, Polygon};
use drystone_engine::{Phase, Setup, SetupError, Until, World};
use drystone_space::{DVec2, Plane, Pose};

fn phase(name: &str, steps: u32, tolerance: f64) -> Phase {
    let until = Until { time: 1e-3 * f64::from(steps), calm: None };
    Phase {
        name: name.to_owned(),
        until,
        remove: Vec::new(),
        start: Vec::new(),
        friction: None,
        tolerance,
    }
}

/// A column of blocks that are let fall on each other: many sweeps for few digits.
fn column() -> Setup<Plane> {
    let block = PlaneShape::Polygon(Polygon::rectangle(0.6, 0.4).unwrap());
    let place = |i: u32| Pose::at(DVec2::new(0.02 * f64::from(i % 3), 0.2 + 0.4 * f64::from(i)));
    Setup {
        bodies: (0..12).map(|i| body(block.clone(), place(i))).collect(),
        boundaries: vec![fixed("ground", PlaneShape::HalfPlane, Pose::IDENTITY)],
        phases: vec![phase("fall", 20, 1e-2), phase("rest", 20, 1e-9)],
        ..setup(DVec2::new(0.3, -9.81), 0.4)
    }
}

/// Each phase asks for its own accuracy and gets it, in a run that is interrupted as in one that is not.
#[test]
fn each_phase_has_its_own_tolerance() {
    let mut world = World::new(column()).unwrap();
    let mut sweeps = [0, 0];
    for step in 0..40 {
        if step == 30 {
            let state = world.save();
            world = World::resume(column(), state).unwrap();
        }
        let late = usize::from(step >= 20);
        let report = world.step().unwrap();
        assert!(report.converged);
        assert_eq!(world.last_tolerance(), [1e-2, 1e-9][late]);
        assert!(report.residual <= [1e-2, 1e-9][late], "step {step}: {}", report.residual);
        sweeps[late] += report.iterations;
    }
    assert!(sweeps[1] > sweeps[0], "{sweeps:?}");
    assert!(world.is_over());
    assert_eq!(world.setup().loosest_tolerance(), 1e-2);
}

#[test]
fn a_tolerance_of_zero_is_refused() {
    let phases = vec![phase("rest", 20, 0.0)];
    let refused = World::new(Setup { phases, ..column() }).map(|_| ());
    assert!(matches!(refused, Err(SetupError::NotPositive { what, .. }) if what.contains("rest")));
}
