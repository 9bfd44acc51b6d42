//! What joints leave: the coordinates of a joint, as the place of its first frame in its second one, and their speeds.
//!
//! | kind | coordinates | place |
//! |---|---|---|
//! | weld | | none |
//! | hinge | θ | turned by θ about the axis |
//! | slider | s | s along the axis |
//! | cylindrical | s, θ | both |
//! | ball | R, speeds about the first frame's axes | turned by R |
//! | universal | α, β | turned by α about the second side's axis, then by β about the first one's |
//! | planar | x, y, θ | x, y across the axis, turned by θ about it |
//! | screw | θ | turned by θ, and pitch/2π θ along the axis |
//! | none (a member that nothing carries) | x, R | all |

use super::{JointKind, Jointed};
use drystone_space::{Pose, Rotation, Space, Vector};
use std::f64::consts::TAU;

impl JointKind {
    /// How many coordinates such a joint leaves, if bodies can be put into them.
    pub fn coordinates(self, dimension: usize) -> Option<usize> {
        use JointKind::*;
        match self {
            Weld => Some(0),
            Hinge | Slider | Screw { .. } => Some(1),
            Cylindrical | Universal => Some(2),
            Ball if dimension == 2 => Some(1),
            Ball | Planar => Some(3),
            Rod { .. } | Rope { .. } | Spring | Gear { .. } | Rack { .. } | Pulley { .. } => None,
        }
    }
}

/// How many coordinates a member has on its joint, or, with `None`, by itself.
pub(super) fn count<S: Space>(kind: Option<JointKind>) -> usize {
    match kind {
        Some(kind) => kind.coordinates(S::DIMENSION).unwrap_or(0),
        None => S::DIMENSION + S::Spin::LENGTH,
    }
}

/// The axis of a frame about which joints turn, in its own axes.
fn turning<S: Space>() -> S::Spin {
    S::Spin::axis(S::Spin::LENGTH - 1)
}

/// Shows by each coordinate how the first frame moves against the second: velocity of its point, and spin.
pub(super) fn freedoms<S: Space>(
    kind: Option<JointKind>,
    [first, second]: &[Pose<S>; 2],
    mut show: impl FnMut(usize, S::Vector, S::Spin),
) {
    let last = S::DIMENSION - 1;
    let along = |axis: usize| second.rotation.apply(S::Vector::axis(axis));
    let about = second.rotation.apply_spin(turning::<S>());
    let (still, straight) = (S::Vector::ZERO, S::Spin::ZERO);
    let own = |axis: usize| first.rotation.apply_spin(S::Spin::axis(axis));
    let Some(kind) = kind else {
        (0..S::DIMENSION).for_each(|axis| show(axis, S::Vector::axis(axis), straight));
        (0..S::Spin::LENGTH).for_each(|axis| show(S::DIMENSION + axis, still, own(axis)));
        return;
    };
    match kind {
        JointKind::Hinge => show(0, still, about),
        JointKind::Slider => show(0, along(last), straight),
        JointKind::Cylindrical => {
            show(0, along(last), straight);
            show(1, still, about);
        }
        JointKind::Ball => (0..S::Spin::LENGTH).for_each(|axis| show(axis, still, own(axis))),
        JointKind::Universal => {
            show(0, still, second.rotation.apply_spin(S::Spin::axis(0)));
            show(1, still, first.rotation.apply_spin(turning::<S>()));
        }
        JointKind::Planar => {
            show(0, along(0), straight);
            show(1, along(1), straight);
            show(2, still, about);
        }
        JointKind::Screw { pitch } => show(0, along(last) * (pitch / TAU), about),
        _ => {}
    }
}

/// A turn about the axis.
fn turn<S: Space>(angle: f64) -> S::Rotation {
    S::Rotation::exponential(turning::<S>() * angle)
}

/// A turn about the x axis, as the second side of a universal joint has it.
fn tip<S: Space>(angle: f64) -> S::Rotation {
    S::Rotation::exponential(S::Spin::axis(0) * angle)
}

/// The place of the first frame in the second one that the coordinates say: without what rounding has added.
pub(super) fn settled<S: Jointed>(kind: Option<JointKind>, place: Pose<S>) -> Pose<S> {
    let Some(kind) = kind else { return place };
    let last = S::DIMENSION - 1;
    let (at, rotation) = (place.position, place.rotation);
    let angle = || S::turned(rotation, S::Rotation::IDENTITY).0;
    let travel = S::Vector::axis(last) * at.get(last);
    match kind {
        JointKind::Hinge => Pose::new(S::Vector::ZERO, turn::<S>(angle())),
        JointKind::Slider => Pose::at(travel),
        JointKind::Cylindrical => Pose::new(travel, turn::<S>(angle())),
        JointKind::Ball => Pose::new(S::Vector::ZERO, rotation),
        JointKind::Universal => {
            let axis = rotation.apply(S::Vector::axis(last));
            let tipped = tip::<S>(drystone_space::math::atan2(-axis.get(1), axis.get(last)));
            let left = tipped.inverse().compose(rotation);
            let about = S::turned(left, S::Rotation::IDENTITY).0;
            Pose::new(S::Vector::ZERO, tipped.compose(turn::<S>(about)))
        }
        JointKind::Planar => Pose::new(at - travel, turn::<S>(angle())),
        JointKind::Screw { pitch } => Pose::new(travel, turn::<S>(at.get(last) * TAU / pitch)),
        _ => Pose::IDENTITY,
    }
}

/// The place after a time with these speeds.
pub(super) fn moved<S: Jointed>(
    kind: Option<JointKind>,
    place: &Pose<S>,
    speeds: &[f64],
    time: f64,
) -> Pose<S> {
    let last = S::Vector::axis(S::DIMENSION - 1);
    let (mut at, mut rotation) = (place.position, place.rotation);
    let spun = |from: usize| S::Spin::from_fn(|axis| speeds[from + axis] * time);
    let Some(kind) = kind else {
        at += S::Vector::from_fn(|axis| speeds[axis] * time);
        let rotation = rotation.compose(S::Rotation::exponential(spun(S::DIMENSION)));
        return Pose::new(at, rotation);
    };
    match kind {
        JointKind::Hinge => rotation = rotation.compose(turn::<S>(speeds[0] * time)),
        JointKind::Slider => at += last * (speeds[0] * time),
        JointKind::Cylindrical => {
            at += last * (speeds[0] * time);
            rotation = rotation.compose(turn::<S>(speeds[1] * time));
        }
        JointKind::Ball => rotation = rotation.compose(S::Rotation::exponential(spun(0))),
        JointKind::Universal => {
            let turned = rotation.compose(turn::<S>(speeds[1] * time));
            rotation = tip::<S>(speeds[0] * time).compose(turned);
        }
        JointKind::Planar => {
            at += S::Vector::axis(0) * (speeds[0] * time) + S::Vector::axis(1) * (speeds[1] * time);
            rotation = rotation.compose(turn::<S>(speeds[2] * time));
        }
        JointKind::Screw { pitch } => {
            at += last * (speeds[0] * time * pitch / TAU);
            rotation = rotation.compose(turn::<S>(speeds[0] * time));
        }
        _ => {}
    }
    Pose::new(at, rotation)
}
