//! The base of drystone: one trait, [`Space`], with two members, [`Plane`] and [`Volume`].
//!
//! All mechanics above this crate is written once, generic over `S: Space`. Everything is `f64`.
//!
//! Signs: a spin is counter-clockwise positive in the plane; in space it is the rotation vector.
//! In space a body's spin is held in its principal axes of inertia (Moreau 2003, §3.4).

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod buffers;
pub mod clock;
mod exact;
mod frame;
mod inertia;
mod lattice;
mod limits;
mod local;
pub mod math;
mod pose;
mod random;
mod rotation;
mod table;
mod torque_free;
mod vector;

pub use buffers::{clear_for, clear_seldom, give_back_at_once, set_length};
pub use exact::ExactSum;
pub use frame::{Frame, PlaneFrame, VolumeFrame};
pub use glam::{DMat3, DQuat, DVec2, DVec3};
pub use inertia::{Inertia, InverseInertia, Symmetric3};
pub use lattice::{Lattice, Matrix};
pub use limits::{Limit, read_limited};
pub use local::{Local, Local2, Local3};
pub use pose::Pose;
pub use random::Random;
pub use rotation::{PlaneRotation, Rotation};
pub use table::Table;
pub use vector::Vector;

use std::fmt::Debug;

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Plane {}
    impl Sealed for super::Volume {}
}

/// The plane or space, with the types that its mechanics is written in.
pub trait Space:
    sealed::Sealed + Copy + Debug + Default + PartialEq + Send + Sync + 'static
{
    /// 2 or 3.
    const DIMENSION: usize;
    /// The name that users read and write.
    const NAME: &'static str;
    /// Positions, velocities, forces.
    type Vector: Vector;
    /// Angular velocities and moments: a number in the plane, a vector in space.
    type Spin: Vector;
    /// Orientation of a body.
    type Rotation: Rotation<Self>;
    /// Tangential part of a contact vector: a number in the plane, two in space.
    type Tangent: Vector;
    /// A vector in the frame of a contact.
    type Local: Local<Self>;
    /// The frame of a contact.
    type Frame: Frame<Self>;
    /// Inertia about a centre: the polar moment in the plane, a symmetric tensor in space.
    type Inertia: Inertia<Self>;
    /// Inverse inertia about the centre of mass, in world axes.
    type InverseInertia: InverseInertia<Self>;

    /// Velocity `spin × arm` that a spin (world axes) gives to the point at `arm`.
    fn velocity_at(spin: Self::Spin, arm: Self::Vector) -> Self::Vector;
    /// Moment `arm × force` of a force applied at `arm`.
    fn moment(arm: Self::Vector, force: Self::Vector) -> Self::Spin;
    /// Spin in body axes after `time` of free rotation; energy and momentum are kept exactly if the
    /// body turns by the exponential of the mean spin.
    fn torque_free_spin(moments: Self::Spin, spin: Self::Spin, time: f64) -> Self::Spin;
    /// The same where torques give the change `push` of spin, in body axes at the midpoint: they do the work of the mean of
    /// both spins, and their momentum is kept in the world.
    fn pushed_spin(
        moments: Self::Spin,
        spin: Self::Spin,
        time: f64,
        push: Self::Spin,
    ) -> Self::Spin;
    /// Whether the spin in body axes may change while nothing acts on a body with these moments.
    fn tumbles(moments: Self::Spin) -> bool;
    /// A slider moves along `direction` only, yet the solver knows it as a spin: this returns the
    /// axis and the arm, the same for all its contacts, such that `sweep(axis · w, arm) = w · direction`.
    fn slider(direction: Self::Vector) -> (Self::Spin, Self::Vector);
}

/// Two dimensions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Plane;

/// Three dimensions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Volume;

impl Space for Plane {
    const DIMENSION: usize = 2;
    const NAME: &'static str = "plane";
    type Vector = DVec2;
    type Spin = f64;
    type Rotation = PlaneRotation;
    type Tangent = f64;
    type Local = Local2;
    type Frame = PlaneFrame;
    type Inertia = f64;
    type InverseInertia = f64;

    #[inline(always)]
    fn velocity_at(spin: f64, arm: DVec2) -> DVec2 {
        DVec2::new(-spin * arm.y, spin * arm.x)
    }
    #[inline(always)]
    fn moment(arm: DVec2, force: DVec2) -> f64 {
        arm.x * force.y - arm.y * force.x
    }
    fn torque_free_spin(_: f64, spin: f64, _: f64) -> f64 {
        spin
    }
    fn pushed_spin(_: f64, spin: f64, _: f64, push: f64) -> f64 {
        spin + push
    }
    fn tumbles(_: f64) -> bool {
        false
    }
    fn slider(direction: DVec2) -> (f64, DVec2) {
        (1.0, DVec2::new(direction.y, -direction.x))
    }
}

impl Space for Volume {
    const DIMENSION: usize = 3;
    const NAME: &'static str = "volume";
    type Vector = DVec3;
    type Spin = DVec3;
    type Rotation = DQuat;
    type Tangent = DVec2;
    type Local = Local3;
    type Frame = VolumeFrame;
    type Inertia = Symmetric3;
    type InverseInertia = Symmetric3;

    #[inline(always)]
    fn velocity_at(spin: DVec3, arm: DVec3) -> DVec3 {
        spin.cross(arm)
    }
    #[inline(always)]
    fn moment(arm: DVec3, force: DVec3) -> DVec3 {
        arm.cross(force)
    }
    fn torque_free_spin(moments: DVec3, spin: DVec3, time: f64) -> DVec3 {
        torque_free::spin_after(moments, spin, time)
    }
    fn pushed_spin(moments: DVec3, spin: DVec3, time: f64, push: DVec3) -> DVec3 {
        torque_free::spin_after_push(moments, spin, time, push)
    }
    fn tumbles(moments: DVec3) -> bool {
        torque_free::tumbles(moments)
    }
    fn slider(direction: DVec3) -> (DVec3, DVec3) {
        let axis = direction.any_orthonormal_vector();
        (axis, direction.cross(axis))
    }
}

/// Evaluates an expression with the type `$space` that has this dimension: [`Plane`] for 2, else [`Volume`].
#[macro_export]
macro_rules! with_space {
    ($dimension:expr, $space:ident => $body:expr) => {
        match $dimension {
            2 => {
                type $space = $crate::Plane;
                $body
            }
            _ => {
                type $space = $crate::Volume;
                $body
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slider_moves_along_its_direction_and_feels_only_that_force() {
        let d2 = DVec2::new(0.6, 0.8);
        let (axis, arm) = Plane::slider(d2);
        assert!((Plane::velocity_at(axis * 2.0, arm) - d2 * 2.0).length() < 1e-15);
        let force = DVec2::new(3.0, -1.0);
        assert!((axis * Plane::moment(arm, force) - d2.dot(force)).abs() < 1e-15);

        let d3 = DVec3::new(1.0, 2.0, -2.0) / 3.0;
        let (axis, arm) = Volume::slider(d3);
        assert!((Volume::velocity_at(axis * 2.0, arm) - d3 * 2.0).length() < 1e-15);
        let force = DVec3::new(3.0, -1.0, 0.5);
        assert!((axis.dot(Volume::moment(arm, force)) - d3.dot(force)).abs() < 1e-15);
    }
}
