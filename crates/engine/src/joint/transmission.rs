//! Transmissions: screws, gears, racks, and ropes over two pulleys.
//!
//! - *Screw*: the travel along the axis is the pitch times the turns about it, s − (c/2π) θ = 0.
//! - *Gear*: two wheels roll on each other without slip, whatever carries their centres. With α_k the angle, in the frame of
//!   wheel k about its axis, of the direction from its centre to where they mesh, r₁ α₁ + r₂ α₂ = 0; the radius of a ring with
//!   teeth inside is negative. Its derivative is the speed at which the pitch circles slip, so that the force is one at the point
//!   of mesh, along both circles.
//! - *Rack*: a wheel rolls along a line that the second side carries, s + r θ = 0.
//! - *Pulley*: a rope from one side over two points of the world to the other: |p₁ − w₁| + κ |p₂ − w₂| ≤ ℓ. With κ = 2 the second
//!   part is laid double.
//!
//! No turns are counted. An angle is known up to 2π, and the rest of the equation up to the pitch of a screw, of the
//! teeth of gears, or the circumference of a pinion in space: the miss is the one that is nearest to zero, which is right as long
//! as the joint has not drifted by half of that.

use super::equations::{Equation, about, along};
use super::{JointKind, Jointed};
use drystone_solve::{JointRow, Twist};
use drystone_space::{Pose, Rotation, Space, Vector};
use std::f64::consts::TAU;

/// A kind of joint with the frames of both sides in the world.
pub type Meshed<S> = (JointKind, [<S as Space>::Rotation; 2]);

/// On which side of the centre each wheel is met: the direction from there in units of the first centre less the second one.
fn sides(radii: [f64; 2]) -> [f64; 2] {
    match (radii[0] < 0.0, radii[1] < 0.0) {
        (false, false) => [-1.0, 1.0],
        (false, true) => [1.0, 1.0],
        _ => [-1.0, -1.0],
    }
}

/// Two wheels with centres at these points and so many teeth, about parallel axes; the number of a ring's teeth is negative.
/// `None` where the centres have no distance across the axis, or no such wheels mesh.
pub fn gear<S: Jointed>(
    teeth: [i32; 2],
    centres: [S::Vector; 2],
    axis: S::Vector,
) -> Option<Meshed<S>> {
    let counts = teeth.map(f64::from);
    let sum = counts[0] + counts[1];
    if counts[0] * counts[1] * sum == 0.0 || counts[0].max(counts[1]) < 0.0 {
        return None;
    }
    let between = centres[0] - centres[1];
    let directions = sides(counts).map(|sign| between * sign);
    let frames = [S::facing(axis, directions[0])?, S::facing(axis, directions[1])?];
    let (_, gradient) = S::bearing(frames[0], directions[0]);
    let radii = counts.map(|count| count / (sum.abs() * gradient.norm()));
    let pitch = TAU * radii[0].abs() / counts[0].abs();
    Some((JointKind::Gear { radii, pitch }, frames))
}

/// A pinion whose centre is at the first point, on a rack through the second point along `axis`. `None` where the centre is on
/// the rack.
pub fn rack<S: Jointed>(points: [S::Vector; 2], axis: S::Vector) -> Option<Meshed<S>> {
    let (between, direction) = (points[1] - points[0], axis / axis.norm());
    let across = between - direction * direction.dot(between);
    let far = across.norm() > 1e-9 * between.norm();
    if !far {
        return None;
    }
    let (frame, radius) = S::rack_frame(direction, across);
    Some((JointKind::Rack { radius }, [frame; 2]))
}

/// What is left of a miss that is known up to a multiple of `period`.
fn nearest(miss: f64, period: f64) -> f64 {
    if period > 0.0 { miss - period * (miss / period).round() } else { miss }
}

/// Adds a multiple of a row.
fn add<S: Space>(to: &mut JointRow<S>, row: &JointRow<S>, factor: f64) {
    for (to, row) in to.sides.iter_mut().zip(&row.sides) {
        to.add_scaled(row, factor);
    }
}

/// The equation of a transmission between frames at these places; `None` for all other kinds.
pub(super) fn mesh<S: Jointed>(
    kind: JointKind,
    poses: &[Pose<S>; 2],
    [first, second]: &[Pose<S>; 2],
) -> Option<Equation<S>> {
    let between = first.position - second.position;
    let axis = second.rotation.apply(S::Vector::axis(S::DIMENSION - 1));
    // The travel along the axis with a multiple of the angle about one axis.
    let wound = |about_axis: usize, factor: f64, period: f64| {
        let (angle, spin) = S::wound(first.rotation, second.rotation, about_axis);
        let mut row = along::<S>(poses, [first.position; 2], axis);
        add(&mut row, &about::<S>(spin), factor);
        let miss = nearest(axis.dot(between) + factor * angle, period);
        Equation { row, miss, is_angle: false }
    };
    Some(match kind {
        JointKind::Screw { pitch } => wound(S::DIMENSION - 1, -pitch / TAU, pitch.abs()),
        // Turns are counted in the plane.
        JointKind::Rack { radius } if S::DIMENSION == 2 => wound(0, radius, 0.0),
        JointKind::Rack { radius } => wound(0, radius, TAU * radius.abs()),
        JointKind::Gear { radii, pitch } => {
            let (mut row, mut miss) = (JointRow::default(), 0.0);
            let points = [first.position, second.position];
            let wheels = [first.rotation, second.rotation].into_iter().zip(sides(radii));
            for (side, (frame, sign)) in wheels.enumerate() {
                let (angle, gradient) = S::bearing(frame, between * sign);
                let (gradient, radius) = (gradient * sign, radii[side]);
                miss += radius * angle;
                add(&mut row, &along::<S>(poses, points, gradient), radius);
                let spin = S::moment(between, gradient);
                row.sides[side].add_scaled(&Twist { velocity: S::Vector::ZERO, spin }, -radius);
            }
            Equation { row, miss: nearest(miss, pitch), is_angle: false }
        }
        _ => return None,
    })
}

/// The length of a rope over two points of the world, and its derivative: each part is between a side's point and its own
/// point of the world, and the second counts `ratio` times.
pub(super) fn rope_length<S: Jointed>(
    poses: &[Pose<S>; 2],
    points: [S::Vector; 2],
    pulleys: [S::Vector; 2],
    ratio: f64,
) -> (f64, JointRow<S>) {
    let (mut length, mut row) = (0.0, JointRow::default());
    for (side, share) in [(0, 1.0), (1, ratio)] {
        let part = points[side] - pulleys[side];
        let own = part.norm();
        let velocity = if own > 0.0 { part / own } else { S::Vector::axis(0) };
        let spin = S::moment(points[side] - poses[side].position, velocity);
        row.sides[side].add_scaled(&Twist { velocity, spin }, share);
        length += share * own;
    }
    (length, row)
}
