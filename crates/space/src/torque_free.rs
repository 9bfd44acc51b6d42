//! Free rotation of a rigid body, with energy and angular momentum kept exactly.
//!
//! In the body's principal axes, L = I Ω obeys L' = L × Ω. The explicit gyroscopic term of the
//! midpoint step, h L_i × Ω_i, gains energy at every step. Instead the end spin is the solution of
//!
//! > I Ω_f = exp(−h Ω̄) I Ω_i,  Ω̄ = (Ω_i + Ω_f)/2,
//!
//! and the body turns by exp(h Ω̄). Then R_f I Ω_f = R_i I Ω_i: the momentum vector in the world
//! stays. And by Rodrigues' formula L_f − L_i = κ (L_i + L_f)/2 × Ω̄ with a number κ, so that
//! Ω̄·(L_f − L_i) = 0: the energy stays. Both hold for any h; the accuracy is of second order.

use crate::Rotation;
use glam::{DQuat, DVec3};

/// Whether the moments differ: a body with equal ones keeps its spin.
pub(crate) fn tumbles(moments: DVec3) -> bool {
    moments.x != moments.y || moments.y != moments.z
}

/// The spin, in body axes, after `time` of free rotation.
pub(crate) fn spin_after(moments: DVec3, spin: DVec3, time: f64) -> DVec3 {
    if !tumbles(moments) {
        return spin;
    }
    let momentum = moments * spin;
    let mut end = spin;
    // A contraction with factor of the order of |h Ω|: a dozen rounds reach rounding for steps of
    // a tenth of a radian.
    for _ in 0..40 {
        let back = DQuat::exponential((spin + end) * (-0.5 * time));
        let next = (back * momentum) / moments;
        let change = (next - end).abs().max_element();
        end = next;
        if change <= 1e-16 * spin.abs().max_element() {
            break;
        }
    }
    end
}

/// The spin after a step in which torques give the change `push` in body axes at the midpoint: the solution of
///
/// > I Ω_f = exp(−h Ω̄) I Ω_i + exp(−h Ω̄/2) I `push`.
///
/// As Ω̄ stays where it is under exp(h Ω̄), the torque's impulse I `push` does the work Ω̄·I `push`, and adds to the
/// momentum in the world, both exactly.
pub(crate) fn spin_after_push(moments: DVec3, spin: DVec3, time: f64, push: DVec3) -> DVec3 {
    let (momentum, torque) = (moments * spin, moments * push);
    let mut end = spin + push;
    for _ in 0..40 {
        let mean = (spin + end) * 0.5;
        let (back, half) =
            (DQuat::exponential(mean * -time), DQuat::exponential(mean * (-0.5 * time)));
        let next = (back * momentum + half * torque) / moments;
        let change = (next - end).abs().max_element();
        end = next;
        if change <= 1e-16 * spin.abs().max_element().max(end.abs().max_element()) {
            break;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Work and momentum of a push, for a step in which the body turns by half a radian.
    #[test]
    fn a_push_does_its_work_and_gives_its_momentum() {
        let moments = DVec3::new(1.0, 2.0, 3.0);
        let (spin, push, time) = (DVec3::new(3.0, -2.0, 4.0), DVec3::new(0.5, 1.0, -0.7), 0.1);
        let end = spin_after_push(moments, spin, time, push);
        let mean = (spin + end) * 0.5;
        let gained = 0.5 * (end.dot(moments * end) - spin.dot(moments * spin));
        assert!((gained - mean.dot(moments * push)).abs() < 1e-12, "{gained}");
        let middle = DQuat::exponential(mean * (0.5 * time));
        let given = DQuat::exponential(mean * time) * (moments * end) - (moments * spin);
        assert!((given - middle * (moments * push)).length() < 1e-12);
        let free = spin_after_push(moments, spin, time, DVec3::ZERO);
        assert!((free - spin_after(moments, spin, time)).length() < 1e-14);
    }

    #[test]
    fn energy_and_momentum_stay() {
        let moments = DVec3::new(1.0, 2.0, 3.0);
        let mut spin = DVec3::new(0.01, 1.0, 0.01);
        let mut rotation = DQuat::IDENTITY;
        let energy = |s: DVec3| 0.5 * s.dot(moments * s);
        let (e0, l0) = (energy(spin), moments * spin);
        let time = 0.05;
        let mut tumbled = false;
        for _ in 0..20_000 {
            let end = spin_after(moments, spin, time);
            rotation = rotation.compose(DQuat::exponential((spin + end) * (0.5 * time)));
            spin = end;
            tumbled |= spin.y < -0.9;
        }
        // Turning about the middle axis is unstable: the body must have tumbled over.
        assert!(tumbled);
        assert!((energy(spin) / e0 - 1.0).abs() < 1e-12);
        assert!((rotation * (moments * spin) - l0).length() < 1e-11);
    }

    /// A symmetric top precesses in its own axes at (I₃ − I₁)/I₁ · Ω₃.
    #[test]
    fn a_symmetric_top_precesses_at_the_known_rate() {
        let moments = DVec3::new(1.0, 1.0, 1.5);
        let turned = |steps: usize| {
            let time = 1.0 / steps as f64;
            (0..steps).fold(DVec3::new(0.3, 0.0, 2.0), |s, _| spin_after(moments, s, time))
        };
        let error = |steps| {
            let s = turned(steps);
            (s.y.atan2(s.x) - 1.0).abs()
        };
        assert!(error(100) < 1e-3);
        let order = (error(50) / error(100)).log2();
        assert!((order - 2.0).abs() < 0.05, "order {order}");
    }
}
