//! Functions that give the same bits on every machine.
//!
//! The four operations, square roots and rounding to whole numbers are exact by IEEE 754. All other functions of
//! `std` are left to the platform: another system, compiler or CPU rounds them otherwise. Those here are
//! computed by exact operations in an order that is written down (`libm`, or below), and `clippy.toml` keeps those
//! of `std`, and what `glam` makes of them, out of the libraries.

use glam::{DQuat, DVec2, DVec3};

pub use libm::{
    acos, asin, atan, atan2, cbrt, cos, exp, exp2, expm1 as exp_m1, hypot, log as ln,
    log1p as ln_1p, log2, log10, pow as powf, sin, sincos as sin_cos, tan,
};

/// x².
#[inline(always)]
pub fn square(x: f64) -> f64 {
    x * x
}

/// xⁿ by repeated squares.
pub fn powi(x: f64, n: i32) -> f64 {
    let (mut power, mut base, mut left) = (1.0, x, n.unsigned_abs());
    while left > 0 {
        if left & 1 == 1 {
            power *= base;
        }
        left >>= 1;
        if left > 0 {
            base *= base;
        }
    }
    if n < 0 { 1.0 / power } else { power }
}

/// The unit vector at this angle from the first axis, counter-clockwise.
pub fn direction(angle: f64) -> DVec2 {
    let (sin, cos) = sin_cos(angle);
    DVec2::new(cos, sin)
}

/// The angle of a vector from the first axis, counter-clockwise, in (−π, π].
pub fn angle(vector: DVec2) -> f64 {
    atan2(vector.y, vector.x)
}

/// The angle that turns one direction of the plane into another, in (−π, π].
pub fn angle_between(from: DVec2, to: DVec2) -> f64 {
    atan2(from.perp_dot(to), from.dot(to))
}

/// The smallest turn that takes one unit vector into another.
pub fn arc(from: DVec3, to: DVec3) -> DQuat {
    // Half of the turn is that into the direction between them.
    let between = from + to;
    let length = between.length();
    if length < 1e-8 {
        return DQuat::from_vec4(from.any_orthonormal_vector().extend(0.0));
    }
    let between = between / length;
    DQuat::from_vec4(from.cross(between).extend(from.dot(between))).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{FRAC_PI_2, PI};

    #[test]
    fn whole_powers() {
        assert_eq!([0, 1, 2, 3, 10].map(|n| powi(-2.0, n)), [1.0, -2.0, 4.0, -8.0, 1024.0]);
        assert_eq!(powi(0.5, -3), 8.0);
        assert_eq!(powi(1.0, i32::MIN), 1.0);
        assert_eq!((powi(0.0, 0), powi(0.0, -1)), (1.0, f64::INFINITY));
    }

    /// These bits must be found on every machine.
    #[test]
    fn bits_are_known() {
        let found = [
            sin(1.3),
            cos(1.3),
            tan(1.3),
            asin(0.3),
            acos(0.3),
            atan(1.3),
            atan2(0.3, -1.3),
            exp(1.3),
            exp_m1(1e-3),
            ln(1.3),
            ln_1p(1e-3),
            log2(1.3),
            log10(1.3),
            powf(1.3, 0.7),
            hypot(1.3, 0.7),
            cbrt(1.3),
            powi(1.3, 7),
        ];
        assert_eq!(found.map(f64::to_bits), KNOWN);
    }

    const KNOWN: [u64; 17] = [
        0x3feed577f9c51e4b,
        0x3fd11eb3682a4c5f,
        0x400cd11b1696e97e,
        0x3fd380159e14f6ff,
        0x3ff441f5ecbeef59,
        0x3fed488143ad8c44,
        0x4007517f6a2ae17f,
        0x400d5ab83615f8b4,
        0x3f506466dfb8cf3a,
        0x3fd0ca937be1b9dc,
        0x3f5060354f8c3ebf,
        0x3fd83988d0c1f60e,
        0x3fbd2b643bc124f5,
        0x3ff339c22907cfa9,
        0x3ff79fabe917e2f5,
        0x3ff17658623d5a88,
        0x40191972b95b0004,
    ];

    #[test]
    fn angles_in_the_plane() {
        for turn in [-3.0, -1.0, 0.0, 0.5, 3.1] {
            assert!((angle(direction(turn)) - turn).abs() < 1e-15);
        }
        let [one, two] = [0.3, 0.3 + FRAC_PI_2].map(direction);
        assert!((angle_between(one, two * 4.0) - FRAC_PI_2).abs() < 1e-15);
        assert!((angle_between(two, one) + FRAC_PI_2).abs() < 1e-15);
        assert_eq!(angle(DVec2::NEG_X), PI);
    }

    #[test]
    fn arcs_take_one_direction_into_the_other() {
        let directions = [
            DVec3::X,
            DVec3::NEG_X,
            DVec3::Z,
            DVec3::NEG_Z,
            DVec3::new(1.0, 2.0, -2.0) / 3.0,
            DVec3::new(-1.0, -2.0, 2.0) / 3.0,
        ];
        for from in directions {
            for to in directions {
                let turn = arc(from, to);
                assert!((turn * from - to).length() < 1e-14, "{from} {to}");
                assert!((turn.w - (0.5 * (1.0 + from.dot(to))).max(0.0).sqrt()).abs() < 1e-14);
            }
        }
    }
}
