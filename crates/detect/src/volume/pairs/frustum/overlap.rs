//! Directions along which a frustum and what is in it can part: those at which no small turn separates more.
//!
//! A direction is such a one only if what touches along it is as flat as the overlap is deep: two faces, a side and a corner, a side
//! and an edge, a rim and an edge, a rim and a side, two sides or two rims.

use super::super::super::frustum::Frustum;
use super::nearest::{falls, root_between};
use drystone_space::{DVec2, DVec3, math};

/// Sine of the angle below which axes are parallel: sides then touch at rims too.
const PARALLEL: f64 = 1e-9;
/// Steps of Newton's method, and times that one is halved.
const MOST_TURNS: usize = 40;
const MOST_HALVES: usize = 6;

/// A rim anywhere in space.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ring {
    pub centre: DVec3,
    /// The axis of the circle.
    pub axis: DVec3,
    pub radius: f64,
}

impl Ring {
    /// A rim in the axes of its frustum.
    pub fn of(frustum: &Frustum, end: usize) -> Self {
        let centre = DVec3::Z * frustum.end(end);
        Self { centre, axis: DVec3::Z, radius: frustum.radii()[end] }
    }
}

/// The normals of a side with the normal (u, v) of the half-plane of z that are at right angles to an edge: n = (u cos φ, u sin φ, v)
/// with n·e = 0.
pub(super) fn side_across(side: DVec2, along: DVec3) -> [Option<DVec3>; 2] {
    let flat = along.truncate();
    let (length, height) = (flat.length(), -side.y * along.z / side.x);
    if length <= height.abs() || length == 0.0 {
        return [None; 2];
    }
    let u = flat / length;
    let cosine = height / length;
    let sine = (1.0 - cosine * cosine).max(0.0).sqrt();
    let normal = |sine: f64| {
        let out = u * cosine + u.perp() * sine;
        Some((out * side.x).extend(side.y))
    };
    [normal(sine), normal(-sine)]
}

/// The directions, out of a ring, in which a line is nearest to leaving it: across the line the ring is an ellipse, seen from a point
/// in it.
pub(super) fn rim_across(ring: &Ring, point: DVec3, along: DVec3, attempt: &mut impl FnMut(DVec3)) {
    if ring.radius <= 0.0 {
        return;
    }
    // Half-axes: one in the plane of the ring, with its whole radius, one shortened.
    let Some(one) = along.cross(ring.axis).try_normalize() else {
        // The line is upright on the ring, and this a circle.
        let arm = point - ring.centre;
        let flat = (arm - ring.axis * arm.dot(ring.axis)).try_normalize();
        attempt(flat.unwrap_or_else(|| ring.axis.any_orthonormal_vector()));
        return;
    };
    // Of a line that is nearly upright the cross product is right to ε/sine only.
    let one = (one - along * one.dot(along)).normalize();
    let other = along.cross(one);
    let (a, b) = (ring.radius, ring.radius * along.dot(ring.axis).abs());
    let arm = point - ring.centre;
    let at = DVec2::new(arm.dot(one), arm.dot(other));
    leaving([a, b], at, |u| {
        let normal = one * (b * u.x) + other * (a * u.y);
        if let Some(normal) = normal.try_normalize() {
            attempt(normal);
        }
    });
}

/// The places (a cos t, b sin t) of an ellipse, a ≥ b, that are nearer to a point in it than those around them, as (cos t, sin t).
///
/// Seen from x, y ≥ 0, half the slope of the square of the distance is −(a² − b²) sin t cos t + a x sin t − b y cos t. It has one
/// root where the point is, 0 ≤ t ≤ π/2, and two on the other side of the long axis, of which the farther from that axis is such
/// a place, if (a x)^⅔ + (b y)^⅔ < (a² − b²)^⅔: inside of the evolute. Between them tan³ t = −b y/(a x).
fn leaving([a, b]: [f64; 2], at: DVec2, mut found: impl FnMut(DVec2)) {
    let sign = DVec2::new(1.0_f64.copysign(at.x), 1.0_f64.copysign(at.y));
    let DVec2 { x, y } = at.abs();
    let square = (a - b) * (a + b);
    let slope = |u: DVec2, y: f64| u.x * (-square * u.y - b * y) + a * x * u.y;
    found(root_between(DVec2::X, DVec2::Y, |u| slope(u, y)) * sign);
    let between = DVec2::new(math::cbrt(a * x), math::cbrt(b * y)).normalize_or(DVec2::X);
    if slope(between, -y) < 0.0 {
        let u = root_between(between, DVec2::Y, |u| slope(u, -y));
        found(u * DVec2::new(sign.x, -sign.y));
    }
}

/// The normals of two sides that are opposite: n of the first, with (u, v) in the half-plane of z, and −n of the second, about `axis`.
pub(super) fn sides(side: DVec2, other: DVec2, axis: DVec3) -> [Option<DVec3>; 2] {
    let across = DVec3::Z.cross(axis);
    let (sine, cosine) = (across.length(), axis.z);
    if sine < PARALLEL {
        return [None; 2];
    }
    // n = α z + β a + γ (z × a), with n·z = v and n·a = −v′.
    let square = sine * sine;
    let beta = (-other.y - cosine * side.y) / square;
    let alpha = side.y - beta * cosine;
    let flat = DVec3::Z * alpha + axis * beta;
    let rest = 1.0 - flat.length_squared();
    if rest < 0.0 {
        return [None; 2];
    }
    let gamma = rest.sqrt() / sine;
    [1.0, -1.0].map(|sign| {
        let normal = flat + across * (gamma * sign);
        // Right to the last digit about the first axis.
        let out = normal.truncate().normalize_or(DVec2::X);
        Some((out * side.x).extend(side.y))
    })
}

/// The directions of a side in which a ring is nearest to leaving it.
pub(super) fn side_across_ring(side: DVec2, ring: &Ring, mut attempt: impl FnMut(DVec3)) {
    let normal = |u: DVec2| (u * side.x).extend(side.y);
    let slope = |u: DVec2| {
        let (n, turned) = (normal(u), (u.perp() * side.x).extend(0.0));
        let along = n.dot(ring.axis);
        let across = (1.0 - along * along).max(f64::MIN_POSITIVE).sqrt();
        -ring.radius * along * turned.dot(ring.axis) / across - turned.dot(ring.centre)
    };
    falls(slope, |from, to| attempt(normal(root_between(from, to, slope))));
}

/// From a direction toward a second ring to one near it in which they are farthest apart: Newton's method on the sphere.
///
/// What they are apart is s = n·(q − p), with p and q their points that are farthest toward each other. Where its slope on the
/// sphere, q − p − s n, is zero, it is largest if R + s is positive, R = Σ r t tᵀ/ρ with ρ the sine between n and the axis of a
/// ring and t the unit vector across both.
pub(super) fn rings([first, second]: [&Ring; 2], start: DVec3) -> Option<DVec3> {
    let reach = first.radius + second.radius;
    let at = |n: DVec3| Toward::new([first, second], n);
    let mut here = at(start)?;
    for _ in 0..MOST_TURNS {
        if here.slope.length() <= f64::EPSILON * reach {
            break;
        }
        let mut step = here.step(reach);
        let mut moved = None;
        for _ in 0..MOST_HALVES {
            let next = at((here.normal + step).normalize())?;
            // Near the end it is the slope that tells, as what they are apart is flat there.
            let flatter = next.slope.length() < 0.5 * here.slope.length();
            if next.apart > here.apart || flatter && next.apart > here.apart - 1e-12 * reach {
                moved = Some(next);
                break;
            }
            step *= 0.5;
        }
        let Some(next) = moved else { break };
        here = next;
    }
    Some(here.normal)
}

/// Two rings as seen along a direction from the first to the second.
struct Toward {
    normal: DVec3,
    apart: f64,
    slope: DVec3,
    /// The unit vector across the direction and the axis of each, and the radius over the sine between those.
    bends: [(DVec3, f64); 2],
}

impl Toward {
    fn new([first, second]: [&Ring; 2], normal: DVec3) -> Option<Self> {
        let [(out, x), (other, y)] = [first, second].map(|ring| ring.lean(normal));
        if x <= 0.0 || y <= 0.0 {
            return None;
        }
        let p = first.centre + out * first.radius;
        let q = second.centre - other * second.radius;
        let apart = normal.dot(q - p);
        let bends = [
            (first.axis.cross(normal) / x, first.radius / x),
            (second.axis.cross(normal) / y, second.radius / y),
        ];
        Some(Self { normal, apart, slope: q - p - normal * apart, bends })
    }
    /// Newton's, or up the slope where that leads away.
    fn step(&self, reach: f64) -> DVec3 {
        let [(across, a), (other, b)] = self.bends;
        let beside = self.normal.cross(across);
        let [c, d] = [other.dot(across), other.dot(beside)];
        let [xx, xy, yy] = [a + b * c * c + self.apart, b * c * d, b * d * d + self.apart];
        let slope = DVec2::new(self.slope.dot(across), self.slope.dot(beside));
        let determinant = xx * yy - xy * xy;
        let step = if determinant > 0.0 && xx > 0.0 {
            DVec2::new(yy * slope.x - xy * slope.y, xx * slope.y - xy * slope.x) / determinant
        } else {
            slope / reach
        };
        let step = step * (0.5 / step.length().max(0.5));
        across * step.x + beside * step.y
    }
}

impl Ring {
    /// The unit direction in the plane of the ring that leans most toward a direction, and the sine between that and the axis.
    fn lean(&self, n: DVec3) -> (DVec3, f64) {
        let flat = n - self.axis * n.dot(self.axis);
        let sine = flat.length();
        (if sine > 0.0 { flat / sine } else { DVec3::ZERO }, sine)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_space::Random;

    #[test]
    fn all_ways_out_of_an_ellipse_are_found() {
        let mut random = Random::new(1, 0);
        let mut several = 0;
        for _ in 0..150 {
            let (a, b) = (1.0, random.between(0.0, 1.0));
            let at = loop {
                let at = DVec2::new(random.between(-a, a), random.between(-b, b));
                if (at.x / a).powi(2) + (at.y / b).powi(2) < 1.0 {
                    break at;
                }
            };
            let mut found = Vec::new();
            leaving([a, b], at, |u| found.push(u));
            let square = |u: DVec2| (u * DVec2::new(a, b)).distance_squared(at);
            // By brute force: what is nearer than both beside it.
            let n = 8_000;
            let around: Vec<f64> = (0..n)
                .map(|i| {
                    square(DVec2::from_angle(f64::from(i) / f64::from(n) * std::f64::consts::TAU))
                })
                .collect();
            let n = around.len();
            let least = (0..n).filter(|&i| {
                around[i] < around[(i + 1) % n] && around[i] <= around[(i + n - 1) % n]
            });
            let mut least: Vec<f64> = least.map(|i| around[i]).collect();
            least.sort_by(f64::total_cmp);
            several += usize::from(least.len() == 2);
            for value in &least {
                let off = found.iter().map(|&u| (square(u) - value).abs()).fold(1.0, f64::min);
                assert!(off < 1e-6, "{at} in {a}, {b}: {value} of {least:?}");
            }
        }
        assert!(several > 15);
    }
}
