//! The equations of a joint: how far they are from being met, and their derivatives.
//!
//! With the points p₁, p₂ and frames R₁, R₂ of both sides in the world:
//!
//! - along an axis a of R₂: a·(p₁ − p₂) = 0. Its derivative is a·v₁ + (r₁ × a)·ω₁ − a·v₂ − (r₂ × a)·ω₂, both arms r_k from the
//!   centre of side k to p₁, since the axis turns with the second side.
//! - axes n of R₁ and m of R₂ at right angles: n·m = 0, with the derivative (n × m)·(ω₁ − ω₂). In the plane: θ₁ − θ₂ = 0.
//! - a rod: |p₁ − p₂| − ℓ = 0.
//! - transmissions: `transmission.rs`.

use super::transmission::mesh;
use super::{Joint, JointKind, cosine};
use drystone_solve::{JointRow, Twist};
use drystone_space::{DVec2, DVec3, Plane, PlaneRotation, Pose, Rotation, Space, Vector, Volume};

/// What differs between the plane and space in the equations of joints.
pub trait Jointed: Space {
    /// The angle, or cosine, that is zero where axis `a` of the first frame is at right angles to axis `b` of the second, and
    /// what the first spin, less the second, changes it by.
    fn square(
        first: Self::Rotation,
        a: usize,
        second: Self::Rotation,
        b: usize,
    ) -> (f64, Self::Spin);
    /// The angle of the first frame about the last axis of the second, and what the first spin, less the second, changes it by.
    fn turned(first: Self::Rotation, second: Self::Rotation) -> (f64, Self::Spin);
    /// The angle between the last axes of both frames, and what the first spin, less the second, changes it by.
    fn swung(first: Self::Rotation, second: Self::Rotation) -> (f64, Self::Spin);
    /// The angle of the last axis of the first frame about the first axis of the second, from its last one, with its spin.
    fn tipped(first: Self::Rotation, second: Self::Rotation) -> (f64, Self::Spin);
    /// The turn of the first frame from the second, as a rotation vector.
    fn turn(first: Self::Rotation, second: Self::Rotation) -> Self::Spin;
    /// The angle of the first frame about an axis of the second, and exactly what the first spin, less the second, changes it by.
    fn wound(first: Self::Rotation, second: Self::Rotation, axis: usize) -> (f64, Self::Spin);
    /// The angle of a direction about the last axis of a frame, from its first axis, and its derivative by the direction.
    fn bearing(frame: Self::Rotation, direction: Self::Vector) -> (f64, Self::Vector);
    /// The frame whose first axis is as near to `direction` as it can be, and whose last axis is `axis` in space; `None` if they are
    /// parallel.
    fn facing(axis: Self::Vector, direction: Self::Vector) -> Option<Self::Rotation>;
    /// The frame of a rack along a direction of length 1, with the pinion's axis for its first one in space; and the radius of a
    /// pinion from whose centre the rack is so far across.
    fn rack_frame(along: Self::Vector, across: Self::Vector) -> (Self::Rotation, f64);
    /// By how much a moment or an axis changes that turns with a spin.
    fn turned_by(spin: Self::Spin, what: Self::Spin) -> Self::Spin;
    /// The axes about which a body can turn.
    fn axes_of_spin() -> &'static [Self::Spin];
    /// The frame whose last axis is `axis` and whose first axis is as near to `other` as it can be; `None` if they are parallel.
    fn joint_frame(axis: Self::Vector, other: Option<Self::Vector>) -> Option<Self::Rotation>;
}

impl Jointed for Plane {
    fn square(first: Self::Rotation, _: usize, second: Self::Rotation, _: usize) -> (f64, f64) {
        Self::turned(first, second)
    }
    fn turned(first: Self::Rotation, second: Self::Rotation) -> (f64, f64) {
        (first.angle() - second.angle(), 1.0)
    }
    fn swung(first: Self::Rotation, second: Self::Rotation) -> (f64, f64) {
        Self::turned(first, second)
    }
    fn tipped(first: Self::Rotation, second: Self::Rotation) -> (f64, f64) {
        Self::turned(first, second)
    }
    fn turn(first: Self::Rotation, second: Self::Rotation) -> f64 {
        Self::turned(first, second).0
    }
    fn wound(first: Self::Rotation, second: Self::Rotation, _: usize) -> (f64, f64) {
        Self::turned(first, second)
    }
    fn bearing(frame: Self::Rotation, direction: DVec2) -> (f64, DVec2) {
        let seen = frame.apply_inverse(direction);
        let gradient = DVec2::new(-direction.y, direction.x) / direction.length_squared();
        (drystone_space::math::atan2(seen.y, seen.x), gradient)
    }
    fn facing(_: DVec2, direction: DVec2) -> Option<Self::Rotation> {
        let angle = drystone_space::math::atan2(direction.y, direction.x);
        (direction != DVec2::ZERO).then(|| PlaneRotation::from_angle(angle))
    }
    fn rack_frame(along: DVec2, across: DVec2) -> (Self::Rotation, f64) {
        let turn = -drystone_space::math::atan2(along.x, along.y);
        (PlaneRotation::from_angle(turn), Plane::moment(across, along))
    }
    fn turned_by(_: f64, _: f64) -> f64 {
        0.0
    }
    fn axes_of_spin() -> &'static [f64] {
        &[1.0]
    }
    fn joint_frame(axis: Self::Vector, _: Option<Self::Vector>) -> Option<Self::Rotation> {
        Some(PlaneRotation::from_angle(-drystone_space::math::atan2(axis.x, axis.y)))
    }
}

impl Jointed for Volume {
    fn square(first: Self::Rotation, a: usize, second: Self::Rotation, b: usize) -> (f64, DVec3) {
        let (n, m) = (first.apply(DVec3::axis(a)), second.apply(DVec3::axis(b)));
        (cosine::<Volume>(first, a, second, b), n.cross(m))
    }
    fn turned(first: Self::Rotation, second: Self::Rotation) -> (f64, DVec3) {
        let (sin, cos) =
            (cosine::<Volume>(first, 0, second, 1), cosine::<Volume>(first, 0, second, 0));
        (drystone_space::math::atan2(sin, cos), second.apply(DVec3::Z))
    }
    fn swung(first: Self::Rotation, second: Self::Rotation) -> (f64, DVec3) {
        let (n, m) = (first.apply(DVec3::Z), second.apply(DVec3::Z));
        let across = m.cross(n);
        let sin = across.length();
        let axis = if sin > 0.0 { across / sin } else { first.apply(DVec3::X) };
        (drystone_space::math::atan2(sin, n.dot(m)), axis)
    }
    fn tipped(first: Self::Rotation, second: Self::Rotation) -> (f64, DVec3) {
        let (sin, cos) =
            (-cosine::<Volume>(first, 2, second, 1), cosine::<Volume>(first, 2, second, 2));
        (drystone_space::math::atan2(sin, cos), second.apply(DVec3::X))
    }
    fn turn(first: Self::Rotation, second: Self::Rotation) -> DVec3 {
        let turn = first * second.conjugate();
        let (part, cos) = (turn.xyz(), turn.w);
        let (part, cos) = if cos < 0.0 { (-part, -cos) } else { (part, cos) };
        let sin = part.length();
        let angle = 2.0 * drystone_space::math::atan2(sin, cos);
        if sin > 0.0 { part * (angle / sin) } else { part }
    }
    fn wound(first: Self::Rotation, second: Self::Rotation, axis: usize) -> (f64, DVec3) {
        let own = first.apply(DVec3::axis((axis + 1) % 3));
        let [x, y] = [1, 2].map(|next| second.apply(DVec3::axis((axis + next) % 3)));
        let (cos, sin) = (own.dot(x), own.dot(y));
        let spin = (own.cross(y) * cos - own.cross(x) * sin) / (cos * cos + sin * sin);
        (drystone_space::math::atan2(sin, cos), spin)
    }
    fn bearing(frame: Self::Rotation, direction: DVec3) -> (f64, DVec3) {
        let [x, y] = [0, 1].map(|axis| frame.apply(DVec3::axis(axis)));
        let (cos, sin) = (direction.dot(x), direction.dot(y));
        let gradient = (y * cos - x * sin) / (cos * cos + sin * sin);
        (drystone_space::math::atan2(sin, cos), gradient)
    }
    fn facing(axis: DVec3, direction: DVec3) -> Option<Self::Rotation> {
        Self::joint_frame(axis, Some(direction).filter(|&d| d != DVec3::ZERO))
            .filter(|_| direction != DVec3::ZERO)
    }
    fn rack_frame(along: DVec3, across: DVec3) -> (Self::Rotation, f64) {
        let frame = Self::joint_frame(along, Some(across.cross(along)));
        (frame.unwrap_or(Rotation::<Volume>::IDENTITY), across.length())
    }
    fn turned_by(spin: DVec3, what: DVec3) -> DVec3 {
        spin.cross(what)
    }
    fn axes_of_spin() -> &'static [DVec3] {
        &[DVec3::X, DVec3::Y, DVec3::Z]
    }
    fn joint_frame(axis: DVec3, other: Option<DVec3>) -> Option<Self::Rotation> {
        let z = axis.normalize();
        let x = match other {
            None => z.any_orthonormal_vector(),
            Some(other) => {
                let across = other - z * z.dot(other);
                if across.length() < 1e-6 * other.length() {
                    return None;
                }
                across.normalize()
            }
        };
        let axes = drystone_space::DMat3::from_cols(x, z.cross(x), z);
        Some(drystone_space::DQuat::from_mat3(&axes).normalize())
    }
}

/// An equation: its row for the twists of both owners at their origins, what it misses, and whether that is an angle.
pub(super) struct Equation<S: Space> {
    pub row: JointRow<S>,
    pub miss: f64,
    pub is_angle: bool,
}

/// Where the points and frames of a joint are, from the poses of its owners.
pub(super) fn frames<S: Space>(joint: &Joint<S>, poses: &[Pose<S>; 2]) -> [Pose<S>; 2] {
    [0, 1].map(|side| poses[side].compose(&joint.sides[side].frame))
}

/// How fast points of both sides part along a direction.
pub(super) fn along<S: Space>(
    poses: &[Pose<S>; 2],
    points: [S::Vector; 2],
    direction: S::Vector,
) -> JointRow<S> {
    let side = |side: usize, velocity: S::Vector| {
        let spin = S::moment(points[side] - poses[side].position, velocity);
        Twist { velocity, spin }
    };
    JointRow { sides: [side(0, direction), side(1, -direction)], given: 0.0 }
}

/// How fast the first side turns about an axis, as seen from the second.
pub(super) fn about<S: Space>(axis: S::Spin) -> JointRow<S> {
    let side = |spin: S::Spin| Twist { velocity: S::Vector::ZERO, spin };
    JointRow { sides: [side(axis), side(-axis)], given: 0.0 }
}

/// The equations of a joint, one after the other, from the poses of its owners.
pub(super) fn equations<S: Jointed>(
    joint: &Joint<S>,
    poses: &[Pose<S>; 2],
    mut show: impl FnMut(usize, Equation<S>),
) {
    let [first, second] = frames(joint, poses);
    let between = first.position - second.position;
    let mut number = 0;
    let mut next = |row, miss, is_angle| {
        show(number, Equation { row, miss, is_angle });
        number += 1;
    };
    if let JointKind::Rod { length } = joint.kind {
        let distance = between.norm();
        let direction = if distance > 0.0 { between / distance } else { S::Vector::axis(0) };
        next(
            along::<S>(poses, [first.position, second.position], direction),
            distance - length,
            false,
        );
        return;
    }
    if let Some(Equation { row, miss, is_angle }) = mesh(joint.kind, poses, &[first, second]) {
        next(row, miss, is_angle);
    }
    for axis in joint.kind.held(S::DIMENSION) {
        let a = second.rotation.apply(S::Vector::axis(axis));
        next(along::<S>(poses, [first.position; 2], a), a.dot(between), false);
    }
    for &(a, b) in joint.kind.square(S::DIMENSION) {
        let (miss, spin) = S::square(first.rotation, a, second.rotation, b);
        next(about::<S>(spin), miss, true);
    }
}

#[cfg(test)]
mod tests {
    use super::super::JointSide;
    use super::*;
    use drystone_space::DQuat;

    /// Every derivative against a central difference, with sides that the joint has not brought together.
    fn derivatives<S: Jointed>(
        kind: JointKind,
        frames: [Pose<S>; 2],
        poses: [Pose<S>; 2],
        twists: [Twist<S>; 2],
    ) {
        let side = |frame| JointSide { owner: None, frame };
        let joint = Joint::new(kind, frames.map(side));
        let misses = |time: f64| {
            let moved = [0, 1].map(|i| Pose {
                position: poses[i].position + twists[i].velocity * time,
                rotation: S::Rotation::exponential(twists[i].spin * time)
                    .compose(poses[i].rotation),
            });
            let mut all = Vec::new();
            equations(&joint, &moved, |_, equation| all.push(equation.miss));
            all
        };
        let (step, mut count) = (1e-5, 0);
        let (before, after) = (misses(-step), misses(step));
        equations(&joint, &poses, |number, Equation { row, .. }| {
            let told: f64 = (0..2)
                .map(|i| {
                    row.sides[i].velocity.dot(twists[i].velocity)
                        + row.sides[i].spin.dot(twists[i].spin)
                })
                .sum();
            let seen = (after[number] - before[number]) / (2.0 * step);
            assert!((told - seen).abs() < 1e-8, "{kind:?} {number}: {told} {seen}");
            count += 1;
        });
        assert_eq!(count, kind.rows(S::DIMENSION));
    }

    #[test]
    fn rows_are_the_derivatives_of_the_equations() {
        use JointKind::*;
        let rod = Rod { length: 0.7 };
        let gear = Gear { radii: [0.4, 0.9], pitch: 0.1 };
        let ring = Gear { radii: [0.4, -0.9], pitch: 0.1 };
        let rack = Rack { radius: 0.3 };
        for kind in [Weld, Hinge, Slider, rod, gear, ring, rack] {
            let frame =
                |x, y, turn| Pose::<Plane>::new(DVec2::new(x, y), PlaneRotation::from_angle(turn));
            derivatives(
                kind,
                [frame(0.3, -0.2, 0.4), frame(-0.1, 0.5, 1.1)],
                [frame(1.0, 2.0, 0.3), frame(0.4, -0.7, -0.9)],
                [
                    Twist { velocity: DVec2::new(0.3, 1.0), spin: 0.7 },
                    Twist { velocity: DVec2::new(-0.8, 0.1), spin: -1.3 },
                ],
            );
        }
        let screw = Screw { pitch: 0.7 };
        for kind in [
            Weld,
            Hinge,
            Slider,
            Cylindrical,
            Ball,
            Universal,
            Planar,
            rod,
            gear,
            ring,
            rack,
            screw,
        ] {
            let frame = |x, y, z| {
                Pose::<Volume>::new(
                    DVec3::new(x, y, z),
                    DQuat::from_scaled_axis(DVec3::new(z, -x, y)),
                )
            };
            derivatives(
                kind,
                [frame(0.3, -0.2, 0.4), frame(-0.1, 0.5, 1.1)],
                [frame(1.0, 2.0, 0.3), frame(0.4, -0.7, -0.9)],
                [
                    Twist { velocity: DVec3::new(0.3, 1.0, 0.2), spin: DVec3::new(0.7, -0.2, 0.5) },
                    Twist {
                        velocity: DVec3::new(-0.8, 0.1, 0.6),
                        spin: DVec3::new(-1.3, 0.4, 0.9),
                    },
                ],
            );
        }
    }
}
