//! Joints against closed forms, against integration of high order in minimal coordinates, and together with contacts.

mod benchmarks;
mod contact;
mod coordinates;
mod efforts;
mod limits;
mod linkages;
mod motion;
mod reduced;
mod space;
mod tables;
mod transmissions;
mod vectors;
mod waves;

use crate::support;
pub use crate::support::{integrate, order};

use drystone_detect::plane::{PlaneShape, Polygon};
use drystone_engine::{
    Body, Dimension, Joint, JointCoordinates, JointKind, JointSide, Jointed, Owner, Setup, World,
};
use drystone_space::{DVec2, Plane, Pose, Rotation};
use std::cell::Cell;

/// What joints may drift, in m and rad, in these scenes of a metre.
const DRIFT: f64 = 1e-10;

/// Acceleration of gravity.
pub const G: f64 = 9.81;

thread_local! {
    /// The coordinates that joints are made in.
    static COORDINATES: Cell<JointCoordinates> = const { Cell::new(JointCoordinates::Maximal) };
}

/// Makes a test with joints as equations, and with joints whose coordinates bodies have.
pub fn in_both(test: impl Fn()) {
    for coordinates in [JointCoordinates::Maximal, JointCoordinates::Reduced] {
        COORDINATES.set(coordinates);
        test();
    }
    COORDINATES.set(JointCoordinates::Maximal);
}

/// A joint of bodies of a setup, or of a body and the ground, at a point of the world.
pub fn joint<S: Dimension>(
    setup: &Setup<S>,
    kind: JointKind,
    owners: [Option<Owner>; 2],
    point: S::Vector,
    frame: S::Rotation,
) -> Joint<S> {
    let side = |owner| {
        let world = Pose::new(point, frame);
        let pose = match owner {
            None => Pose::IDENTITY,
            Some(Owner::Body(index)) => setup.bodies[index as usize].pose,
            Some(Owner::Boundary(index)) => setup.boundaries[index as usize].pose,
        };
        JointSide { owner, frame: pose.inverse().compose(&world) }
    };
    let mut made = Joint::new(kind, owners.map(side));
    made.coordinates = COORDINATES.get();
    made
}

/// Adds a hinge at a point of the world.
pub fn hinge(setup: &mut Setup<Plane>, first: u32, second: Option<u32>, point: DVec2) {
    let owners = [Some(Owner::Body(first)), second.map(Owner::Body)];
    let made = joint(setup, JointKind::Hinge, owners, point, Rotation::IDENTITY);
    setup.joints.push(made);
}

/// The frame whose axis is this direction.
pub fn along<S: Jointed>(axis: S::Vector) -> S::Rotation {
    S::joint_frame(axis, None).unwrap()
}

/// A bar between two points.
pub fn bar(from: DVec2, to: DVec2) -> Body<Plane> {
    let shape = PlaneShape::Polygon(Polygon::rectangle((to - from).length(), 0.02).unwrap());
    let turn = drystone_space::PlaneRotation::from_angle((to - from).to_angle());
    support::body(shape, Pose::new((from + to) * 0.5, turn))
}

/// An empty scene in the plane with gravity.
pub fn plane(time_step: f64) -> Setup<Plane> {
    Setup { time_step, ..support::setup(DVec2::new(0.0, -G), 0.3) }
}

/// Runs for so many steps; the books must close at every one, and the joints hold.
pub fn run<S: Dimension>(world: &mut World<S>, steps: usize) -> f64 {
    let mut drift = 0.0f64;
    for _ in 0..steps {
        let report = world.step().unwrap();
        assert!(report.converged, "t = {}: {report:?}", world.time());
        let closure = world.ledger().closure();
        assert!(closure < 1e-10, "{closure:e} at t = {}: {:?}", world.time(), world.ledger());
        for reaction in world.joint_reactions() {
            drift = drift.max(reaction.drift).max(reaction.angle_drift);
        }
    }
    assert!(drift < DRIFT, "a drift of {drift:e}");
    drift
}

/// Kinetic and potential energy.
pub fn energy<S: Dimension>(world: &World<S>) -> f64 {
    world.ledger().kinetic + world.ledger().potential
}
