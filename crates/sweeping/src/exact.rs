//! Exact solutions of the examples, in the plane.
//!
//! Worked out from −dq/dt ∈ N(q): on a smooth boundary the point moves along the normal with the normal
//! speed of the boundary, as long as that is inward.

use drystone_space::{DVec2, math};
use std::f64::consts::{FRAC_PI_2, TAU};

/// The wall x ≥ sin(2π t) of unit amplitude and frequency: the point goes as far as the wall has ever
/// been, x(t) = max(x₀, max of the wall so far), and y stays.
pub(crate) fn wall(start: DVec2, time: f64) -> DVec2 {
    let farthest = math::sin(TAU * time.min(0.25));
    DVec2::new(start.x.max(farthest), start.y)
}

/// A half-plane whose boundary turns counter-clockwise about the origin, on it, with unit spin: the
/// point is carried round on a circle. It must start ahead of the boundary by less than half a turn;
/// at time 0 the boundary is the x axis and the half-plane lies above it.
pub(crate) fn turning_wall(start: DVec2, time: f64) -> DVec2 {
    let angle = math::angle(start).max(time);
    math::direction(angle) * start.length()
}

/// A unit disk about (t, 0) drags a point that it holds: a tractrix, once the rim has come.
///
/// Let φ be the angle of the point behind the centre, q = c + (−cos φ, sin φ). As dq/dt is along the
/// string to the centre, dφ/dt = −sin φ; hence tan(φ/2) falls as exp(−t).
pub(crate) fn tractrix(start: DVec2, time: f64) -> DVec2 {
    let depth = (1.0 - start.y * start.y).sqrt();
    let caught = start.x + depth;
    if time <= caught {
        return start;
    }
    let half = (start.y / (1.0 + depth)) * math::exp(caught - time);
    let (sin, cos) = math::sin_cos(2.0 * math::atan(half));
    DVec2::new(time - cos, sin)
}

/// A tube in torsion after tension to its yield stress: see [`Example::Plastic`](crate::Example::Plastic).
///
/// The disk about (−1, −t) drags the point along, which is a tractrix seen from the side. From no plastic strain the
/// stress q + e is (1/cosh t, tanh t): tension gives way to shear.
pub(crate) fn torsion(start: DVec2, time: f64) -> DVec2 {
    let held = tractrix(DVec2::new(-start.y, start.x + 1.0), time);
    DVec2::new(held.y - 1.0, -held.x)
}

/// A unit disk about (t, 0) pushes a point out of its way.
///
/// With q = c + (cos φ, sin φ), dφ/dt = sin φ: tan(φ/2) grows as exp(t) until the point is abreast of
/// the centre, φ = ½π, and left behind.
pub(crate) fn pushed_aside(start: DVec2, time: f64) -> DVec2 {
    let depth = (1.0 - start.y * start.y).sqrt();
    let met = start.x - depth;
    if time <= met {
        return start;
    }
    let half = start.y / (1.0 + depth);
    let left = met - math::ln(half.abs());
    let until = time.min(left);
    let (sin, cos) = math::sin_cos(2.0 * math::atan(half * math::exp(until - met)));
    DVec2::new(until + cos, sin)
}

/// A square of half-width 1 turns counter-clockwise about its centre, the origin, with unit spin.
///
/// In the square's axes a resting point circles clockwise until it meets an edge at the distance ρ
/// from the foot of the perpendicular. The edge pushes it along its normal; in the square's axes ρ
/// then falls at the rate 1. At ρ = 0 the edge begins to go away: the point is at rest on the
/// inscribed circle, for ever.
pub(crate) fn turning_square(start: DVec2, time: f64) -> DVec2 {
    let radius = start.length();
    if radius <= 1.0 {
        return start;
    }
    let reach = (radius * radius - 1.0).sqrt();
    // Angle from the normal of the next edge clockwise; the edge is met at atan(reach).
    let ahead = math::angle(start).rem_euclid(FRAC_PI_2);
    let met = ahead - math::atan(reach);
    if time <= met {
        return start;
    }
    let slid = (time - met).min(reach);
    // The normal's angle at the time `met + slid`, in world axes.
    let normal = math::direction(math::angle(start) - ahead + met + slid);
    normal + normal.perp() * (reach - slid)
}
