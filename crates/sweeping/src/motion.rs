//! How a piece of the set moves: x = o(t) + s(t) R(t) (y − pivot) for a point y of the piece at rest.
//!
//! o(t) = pivot + velocity · t + swings, R(t) turns by spin · t, s(t) = 1 + growth · t + pulses.
//! A swing is counted from its value at the start, so that every motion starts from rest position.

use drystone_space::{Rotation, Space, Vector, math};
use std::f64::consts::TAU;

/// `amplitude · (sin(2π frequency t + phase) − sin phase)`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Swing<V> {
    /// Half the peak-to-peak value, with its direction.
    pub amplitude: V,
    /// Turns per time.
    pub frequency: f64,
    /// In radians.
    pub phase: f64,
}

impl<V: Vector> Swing<V> {
    /// Value and rate.
    fn at(&self, time: f64) -> (V, V) {
        let pulse = TAU * self.frequency;
        let (sin, cos) = math::sin_cos(pulse * time + self.phase);
        (self.amplitude * (sin - math::sin(self.phase)), self.amplitude * (pulse * cos))
    }
}

/// A motion; the default is rest.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion<S: Space> {
    /// Constant part of the velocity.
    pub velocity: S::Vector,
    /// Oscillations of the place.
    pub swings: Vec<Swing<S::Vector>>,
    /// Constant spin about the pivot, which moves along.
    pub spin: S::Spin,
    /// The point that turns and grows into itself.
    pub pivot: S::Vector,
    /// Constant rate of the scale, per time.
    pub growth: f64,
    /// Oscillations of the scale.
    pub pulses: Vec<Swing<f64>>,
}

impl<S: Space> Default for Motion<S> {
    fn default() -> Self {
        Self {
            velocity: S::Vector::ZERO,
            swings: Vec::new(),
            spin: S::Spin::ZERO,
            pivot: S::Vector::ZERO,
            growth: 0.0,
            pulses: Vec::new(),
        }
    }
}

/// Where a motion has brought a piece at one time, and how it goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement<S: Space> {
    /// The pivot at rest.
    pub pivot: S::Vector,
    /// The pivot now.
    pub origin: S::Vector,
    /// Rotation since the start.
    pub rotation: S::Rotation,
    /// Size relative to the start.
    pub scale: f64,
    /// Velocity of the pivot.
    pub velocity: S::Vector,
    /// Spin in world axes.
    pub spin: S::Spin,
    /// Rate of the scale.
    pub growth: f64,
}

impl<S: Space> Motion<S> {
    /// The placement at a time.
    pub fn at(&self, time: f64) -> Placement<S> {
        let (mut origin, mut velocity) = (self.pivot + self.velocity * time, self.velocity);
        for (value, rate) in self.swings.iter().map(|swing| swing.at(time)) {
            origin += value;
            velocity += rate;
        }
        let (mut scale, mut growth) = (1.0 + self.growth * time, self.growth);
        for (value, rate) in self.pulses.iter().map(|pulse| pulse.at(time)) {
            scale += value;
            growth += rate;
        }
        let rotation = S::Rotation::exponential(self.spin * time);
        Placement { pivot: self.pivot, origin, rotation, scale, velocity, spin: self.spin, growth }
    }
}

impl<S: Space> Placement<S> {
    /// Where a point of the piece is now.
    pub fn point(&self, rest: S::Vector) -> S::Vector {
        self.origin + self.rotation.apply(rest - self.pivot) * self.scale
    }
    /// Velocity of the point of the piece that is now at `point`.
    pub fn velocity_at(&self, point: S::Vector) -> S::Vector {
        let arm = point - self.origin;
        self.velocity + S::velocity_at(self.spin, arm) + arm * (self.growth / self.scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_space::{DVec2, DVec3, Plane, Volume};

    #[test]
    fn a_motion_starts_from_rest_position() {
        let swing = Swing { amplitude: DVec2::X, frequency: 2.0, phase: 0.7 };
        let pulse = Swing { amplitude: 0.2, frequency: 1.0, phase: 2.0 };
        let motion =
            Motion::<Plane> { swings: vec![swing], pulses: vec![pulse], ..Motion::default() };
        let start = motion.at(0.0);
        assert_eq!((start.origin, start.scale), (DVec2::ZERO, 1.0));
    }

    #[test]
    fn the_velocity_is_the_derivative_of_the_place() {
        let motion = Motion::<Volume> {
            velocity: DVec3::new(1.0, -0.5, 0.2),
            swings: vec![Swing { amplitude: DVec3::Y, frequency: 0.4, phase: 0.3 }],
            spin: DVec3::new(0.3, 0.9, -0.4),
            pivot: DVec3::new(0.5, 0.1, -0.2),
            growth: -0.1,
            pulses: vec![Swing { amplitude: 0.1, frequency: 1.1, phase: -1.0 }],
        };
        let (rest, time, small) = (DVec3::new(1.0, 2.0, 3.0), 0.8, 1e-5);
        let now = motion.at(time);
        let [before, after] = [time - small, time + small].map(|t| motion.at(t).point(rest));
        let difference = (after - before) / (2.0 * small);
        // The error of the central difference is about small² times the third derivative.
        assert!((now.velocity_at(now.point(rest)) - difference).length() < 1e-8);
    }
}
