//! Inertia of solids, and its inverse in world axes as the solvers need it.

use crate::{Plane, PlaneRotation, Space, Volume, math};
use glam::{DMat3, DQuat, DVec3};
use std::fmt::Debug;

/// A symmetric positive semi-definite map from moment impulses to spins.
pub trait InverseInertia<S: Space>:
    Copy + Debug + Default + PartialEq + Send + Sync + 'static
{
    /// Rotation about nothing: infinite inertia.
    const ZERO: Self;
    /// `R diag(1/moments) Rᵀ`; a moment that is infinite forbids rotation about its axis.
    fn from_principal(moments: S::Spin, rotation: S::Rotation) -> Self;
    /// `weight · axis axisᵀ`: rotation about one axis only.
    fn about(axis: S::Spin, weight: f64) -> Self;
    /// The spin that a moment impulse gives.
    fn apply(&self, moment: S::Spin) -> S::Spin;
    /// ω·Iω: twice the kinetic energy of a spin. What cannot turn has none.
    fn twice_energy(&self, spin: S::Spin) -> f64;
}

/// Inertia of a solid about a point, in some axes.
pub trait Inertia<S: Space>: Copy + Debug + Default + PartialEq + Send + Sync + 'static {
    /// `self + weight · other`.
    fn add(self, other: Self, weight: f64) -> Self;
    /// Inertia of a point of unit mass at `arm` (Huygens' theorem adds it).
    fn of_point(arm: S::Vector) -> Self;
    /// The same inertia after the solid is turned.
    fn turned(self, rotation: S::Rotation) -> Self;
    /// Principal moments, and the rotation that takes principal axes to the present ones.
    fn principal(self) -> (S::Spin, S::Rotation);
}

impl Inertia<Plane> for f64 {
    fn add(self, other: Self, weight: f64) -> Self {
        self + weight * other
    }
    fn of_point(arm: glam::DVec2) -> Self {
        arm.length_squared()
    }
    fn turned(self, _: PlaneRotation) -> Self {
        self
    }
    fn principal(self) -> (f64, PlaneRotation) {
        (self, PlaneRotation::from_angle(0.0))
    }
}

impl Inertia<Volume> for Symmetric3 {
    fn add(self, other: Self, weight: f64) -> Self {
        Self {
            diagonal: self.diagonal + other.diagonal * weight,
            off: self.off + other.off * weight,
        }
    }
    fn of_point(r: DVec3) -> Self {
        Self {
            diagonal: DVec3::splat(r.length_squared()) - r * r,
            off: -DVec3::new(r.y * r.z, r.x * r.z, r.x * r.y),
        }
    }
    fn turned(self, rotation: DQuat) -> Self {
        let r = DMat3::from_quat(rotation);
        Self::from_matrix(r * self.matrix() * r.transpose())
    }
    /// Jacobi's rotations: few sweeps, exact for a tensor that is diagonal already.
    fn principal(self) -> (DVec3, DQuat) {
        let mut a = self.matrix();
        let mut axes = DMat3::IDENTITY;
        let scale = self.diagonal.abs().max_element();
        for _ in 0..32 {
            let off = [(0, 1), (0, 2), (1, 2)];
            let largest = off
                .into_iter()
                .max_by(|&(i, j), &(k, l)| a.col(j)[i].abs().total_cmp(&a.col(l)[k].abs()));
            let (i, j) = largest.unwrap_or((0, 1));
            if a.col(j)[i].abs() <= 1e-16 * scale {
                break;
            }
            let theta = (a.col(j)[j] - a.col(i)[i]) / (2.0 * a.col(j)[i]);
            let t = theta.signum() / (theta.abs() + math::hypot(theta, 1.0));
            let cos = 1.0 / math::hypot(t, 1.0);
            let mut turn = DMat3::IDENTITY;
            turn.col_mut(i)[i] = cos;
            turn.col_mut(j)[j] = cos;
            turn.col_mut(j)[i] = t * cos;
            turn.col_mut(i)[j] = -t * cos;
            a = turn.transpose() * a * turn;
            axes *= turn;
        }
        (DVec3::new(a.col(0).x, a.col(1).y, a.col(2).z), DQuat::from_mat3(&axes).normalize())
    }
}

impl Symmetric3 {
    /// As a full matrix.
    pub fn matrix(&self) -> DMat3 {
        let (d, o) = (self.diagonal, self.off);
        DMat3::from_cols(
            DVec3::new(d.x, o.z, o.y),
            DVec3::new(o.z, d.y, o.x),
            DVec3::new(o.y, o.x, d.z),
        )
    }
    /// From the upper triangle of a full matrix.
    pub fn from_matrix(m: DMat3) -> Self {
        Self {
            diagonal: DVec3::new(m.col(0).x, m.col(1).y, m.col(2).z),
            off: DVec3::new(m.col(2).y, m.col(2).x, m.col(1).x),
        }
    }
}

impl InverseInertia<Plane> for f64 {
    const ZERO: Self = 0.0;
    fn from_principal(moment: f64, _: PlaneRotation) -> Self {
        1.0 / moment
    }
    fn about(axis: f64, weight: f64) -> Self {
        weight * axis * axis
    }
    #[inline(always)]
    fn apply(&self, moment: f64) -> f64 {
        self * moment
    }
    #[inline(always)]
    fn twice_energy(&self, spin: f64) -> f64 {
        if *self > 0.0 { spin * spin / self } else { 0.0 }
    }
}

/// A symmetric 3×3 matrix in six numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Symmetric3 {
    /// Diagonal.
    pub diagonal: DVec3,
    /// yz, xz, xy.
    pub off: DVec3,
}

impl InverseInertia<Volume> for Symmetric3 {
    const ZERO: Self = Self { diagonal: DVec3::ZERO, off: DVec3::ZERO };
    #[inline]
    fn from_principal(moments: DVec3, rotation: DQuat) -> Self {
        let inverse = moments.recip();
        // A ball has the same inverse inertia in all axes: keep it diagonal to the last bit.
        if inverse.x == inverse.y && inverse.y == inverse.z {
            return Self { diagonal: inverse, off: DVec3::ZERO };
        }
        let r = DMat3::from_quat(rotation);
        let entry = |a: usize, b: usize| {
            (0..3).map(|k| inverse[k] * r.col(k)[a] * r.col(k)[b]).sum::<f64>()
        };
        Self {
            diagonal: DVec3::new(entry(0, 0), entry(1, 1), entry(2, 2)),
            off: DVec3::new(entry(1, 2), entry(0, 2), entry(0, 1)),
        }
    }
    fn about(axis: DVec3, weight: f64) -> Self {
        Self {
            diagonal: axis * axis * weight,
            off: DVec3::new(axis.y * axis.z, axis.x * axis.z, axis.x * axis.y) * weight,
        }
    }
    #[inline(always)]
    fn apply(&self, m: DVec3) -> DVec3 {
        let (d, o) = (self.diagonal, self.off);
        DVec3::new(
            d.x * m.x + o.z * m.y + o.y * m.z,
            o.z * m.x + d.y * m.y + o.x * m.z,
            o.y * m.x + o.x * m.y + d.z * m.z,
        )
    }
    #[inline(always)]
    fn twice_energy(&self, w: DVec3) -> f64 {
        let (d, o) = (self.diagonal, self.off);
        let trace = d.element_sum();
        if trace <= 0.0 {
            return 0.0;
        }
        if o == DVec3::ZERO && d.x == d.y && d.y == d.z {
            return w.length_squared() / d.x;
        }
        // ω·L with I⁻¹L = ω by LDLᵀ. A little more on the diagonal makes axes that cannot turn harmless: there ω is
        // rounding, and so is its square.
        let d = d + DVec3::splat(LEAST_INVERSE * trace);
        let (lower_y, lower_z) = (o.z / d.x, o.y / d.x);
        let pivot_y = d.y - lower_y * o.z;
        let cross = o.x - lower_z * o.z;
        let pivot_z = d.z - lower_z * o.y - cross * cross / pivot_y;
        let y = w.y - lower_y * w.x;
        let z = w.z - lower_z * w.x - cross / pivot_y * y;
        w.x * w.x / d.x + y * y / pivot_y + z * z / pivot_z
    }
}

/// Least inverse moment about any axis, as a share of the sum of all three, where an energy is computed.
const LEAST_INVERSE: f64 = 1e-12;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn principal_axes_rebuild_the_tensor() {
        let tensor =
            Symmetric3 { diagonal: DVec3::new(3.0, 2.0, 4.0), off: DVec3::new(0.5, -0.25, 0.75) };
        let (moments, axes) = tensor.principal();
        let diagonal = Symmetric3 { diagonal: moments, off: DVec3::ZERO };
        let again = diagonal.turned(axes);
        assert!((again.diagonal - tensor.diagonal).length() < 1e-14);
        assert!((again.off - tensor.off).length() < 1e-14);
        let round = Symmetric3 { diagonal: DVec3::ONE, off: DVec3::ZERO };
        assert_eq!(round.principal(), (DVec3::ONE, DQuat::IDENTITY));
    }

    #[test]
    fn energy_is_that_of_the_moment_that_made_the_spin() {
        let moments = DVec3::new(1.0, 2.0, 400.0);
        let rotation = DQuat::from_rotation_y(0.7) * DQuat::from_rotation_z(1.1);
        let fixed = DVec3::new(1.0, 2.0, f64::INFINITY);
        for (inverse, wanted) in [
            (Symmetric3::from_principal(moments, rotation), 3),
            (Symmetric3::from_principal(DVec3::splat(2.0), rotation), 3),
            (Symmetric3::from_principal(fixed, rotation), 2),
            (Symmetric3::about(DVec3::new(0.6, 0.8, 0.0), 2.0), 1),
            (Symmetric3::ZERO, 0),
        ] {
            let moment = DVec3::new(0.3, -1.0, 2.0);
            let spin = inverse.apply(moment);
            let energy = moment.dot(spin);
            let told = inverse.twice_energy(spin);
            assert!((told - energy).abs() <= 1e-9 * energy, "rank {wanted}: {told} {energy}");
        }
        assert_eq!(2.0f64.twice_energy(4.0), 8.0);
        assert_eq!(<f64 as InverseInertia<Plane>>::ZERO.twice_energy(4.0), 0.0);
    }

    #[test]
    fn a_turned_body_answers_in_world_axes() {
        let moments = DVec3::new(1.0, 2.0, 4.0);
        // A quarter turn about z swaps the x and y axes.
        let rotation = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
        let inverse = Symmetric3::from_principal(moments, rotation);
        let spin = inverse.apply(DVec3::new(1.0, 1.0, 1.0));
        assert!((spin - DVec3::new(0.5, 1.0, 0.25)).length() < 1e-15);
        let about = Symmetric3::about(DVec3::new(0.6, 0.8, 0.0), 2.0);
        assert!((about.apply(DVec3::X) - DVec3::new(0.72, 0.96, 0.0)).length() < 1e-15);
    }
}
