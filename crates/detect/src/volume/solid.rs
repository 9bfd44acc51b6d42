//! Volume, centre and inertia of solids of unit density.

use crate::Solid;
use drystone_space::{DMat3, DVec3, Symmetric3, Volume, math};
use std::f64::consts::PI;

/// A ball: inertia ⅖ V r².
pub(super) fn of_sphere(radius: f64) -> Solid<Volume> {
    let measure = 4.0 / 3.0 * PI * math::powi(radius, 3);
    let inertia =
        Symmetric3 { diagonal: DVec3::splat(0.4 * measure * radius * radius), off: DVec3::ZERO };
    Solid { measure, centre: DVec3::ZERO, inertia }
}

/// A cylinder along z between two half-balls, whose centres are ⅜ r beyond its ends.
pub(super) fn of_capsule(half_length: f64, radius: f64) -> Solid<Volume> {
    let (h, r) = (half_length, radius);
    let tube = PI * r * r * 2.0 * h;
    let caps = 4.0 / 3.0 * PI * math::powi(r, 3);
    let along = tube * r * r / 2.0 + caps * 0.4 * r * r;
    let across = tube * (r * r / 4.0 + h * h / 3.0) + caps * (0.4 * r * r + h * h + 0.75 * h * r);
    let inertia = Symmetric3 { diagonal: DVec3::new(across, across, along), off: DVec3::ZERO };
    Solid { measure: tube + caps, centre: DVec3::ZERO, inertia }
}

/// A polyhedron, from an inner point.
pub(super) fn of_polyhedron(vertices: &[DVec3], faces: &[Vec<u32>]) -> Solid<Volume> {
    let inner = vertices.iter().sum::<DVec3>() / vertices.len() as f64;
    Moments::of_polyhedron(vertices, faces, inner).solid(inner)
}

/// A cone frustum along z about the origin with the radii a at −h and b at h: with r its radius at z, V = π ∫r², and
/// π ∫r² z, π ∫r² z² and ¼ π ∫r⁴ are the moments along and across the axis.
pub(super) fn of_frustum(half_length: f64, [a, b]: [f64; 2]) -> Solid<Volume> {
    let h = half_length;
    let (mean, slope) = (0.5 * (a + b), 0.5 * (b - a));
    let (mean_square, slope_square) = (mean * mean, slope * slope);
    let measure = PI * 2.0 * h * (mean_square + slope_square / 3.0);
    let first = PI * 4.0 / 3.0 * h * h * mean * slope;
    let second = PI * 2.0 * math::powi(h, 3) * (mean_square / 3.0 + slope_square / 5.0);
    let fourth = mean_square * mean_square
        + 2.0 * mean_square * slope_square
        + slope_square * slope_square / 5.0;
    let across = 0.25 * PI * 2.0 * h * fourth;
    let centre = first / measure;
    let sideways = across + second - measure * centre * centre;
    let inertia =
        Symmetric3 { diagonal: DVec3::new(sideways, sideways, 2.0 * across), off: DVec3::ZERO };
    Solid { measure, centre: DVec3::new(0.0, 0.0, centre), inertia }
}

/// ∫dV, ∫x dV and ∫x xᵀ dV.
#[derive(Clone, Copy)]
pub(super) struct Moments {
    pub measure: f64,
    pub first: DVec3,
    pub second: DMat3,
}

impl Moments {
    pub const ZERO: Self = Self { measure: 0.0, first: DVec3::ZERO, second: DMat3::ZERO };

    /// A polyhedron as the sum of tetrahedra from an inner point o to triangles of its faces, about that point.
    ///
    /// A tetrahedron o, o+a, o+b, o+c has the volume V = a·(b×c)/6 and, with s = a+b+c, the moments
    /// ∫x = V s/4 and ∫x xᵀ = V (a aᵀ + b bᵀ + c cᵀ + s sᵀ)/20 about o.
    pub fn of_polyhedron(vertices: &[DVec3], faces: &[Vec<u32>], inner: DVec3) -> Self {
        let square = |v: DVec3| outer(v, v);
        let mut sum = Self::ZERO;
        for face in faces {
            let arm = |i: usize| vertices[face[i] as usize] - inner;
            for i in 1..face.len() - 1 {
                let (a, b, c) = (arm(0), arm(i), arm(i + 1));
                let (volume, s) = (a.dot(b.cross(c)) / 6.0, a + b + c);
                sum.measure += volume;
                sum.first += s * (volume / 4.0);
                sum.second += (square(a) + square(b) + square(c) + square(s)) * (volume / 20.0);
            }
        }
        sum
    }
    pub fn add(&mut self, other: &Self) {
        self.measure += other.measure;
        self.first += other.first;
        self.second += other.second;
    }
    /// What has these moments about a point.
    pub fn solid(&self, about: DVec3) -> Solid<Volume> {
        let offset = self.first / self.measure;
        let second = self.second - outer(offset, offset) * self.measure;
        let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
        let inertia = Symmetric3::from_matrix(DMat3::from_diagonal(DVec3::splat(trace)) - second);
        Solid { measure: self.measure, centre: about + offset, inertia }
    }
}

/// The matrix u vᵀ.
pub(super) fn outer(u: DVec3, v: DVec3) -> DMat3 {
    DMat3::from_cols(u * v.x, u * v.y, u * v.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::Polyhedron;

    fn near(a: DVec3, b: DVec3) -> bool {
        (a - b).length() <= 1e-13 * (1.0 + b.length())
    }

    #[test]
    fn a_box_away_from_the_origin() {
        let at = DVec3::new(1.0, -2.0, 5.0);
        let size = DVec3::new(2.0, 3.0, 4.0);
        let corners: Vec<_> =
            Polyhedron::cuboid(size).unwrap().vertices().iter().map(|v| v + at).collect();
        let solid = Polyhedron::hull(&corners).unwrap().solid();
        assert!((solid.measure - 24.0).abs() < 1e-13);
        assert!(near(solid.centre, at));
        // V/12 (b² + c²): 2·(9+16), 2·(4+16), 2·(4+9).
        assert!(near(solid.inertia.diagonal, DVec3::new(50.0, 40.0, 26.0)));
        assert!(near(solid.inertia.off, DVec3::ZERO));
    }

    #[test]
    fn the_corner_tetrahedron() {
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let solid = Polyhedron::hull(&corners).unwrap().solid();
        assert!((solid.measure - 1.0 / 6.0).abs() < 1e-15);
        assert!(near(solid.centre, DVec3::splat(0.25)));
        // ∫x² = 1/60 and ∫xy = 1/120 about the origin; less V/16 each about the centre.
        let (xx, xy) = (1.0 / 60.0 - 1.0 / 96.0, 1.0 / 120.0 - 1.0 / 96.0);
        assert!(near(solid.inertia.diagonal, DVec3::splat(2.0 * xx)));
        assert!(near(solid.inertia.off, DVec3::splat(-xy)));
    }

    #[test]
    fn cylinders_and_cones() {
        // m (3 r² + L²)/12 and m r²/2 with r = 2, L = 3.
        let cylinder = of_frustum(1.5, [2.0, 2.0]);
        assert!((cylinder.measure - 12.0 * PI).abs() < 1e-13);
        assert!(near(cylinder.inertia.diagonal, DVec3::new(21.0 * PI, 21.0 * PI, 24.0 * PI)));
        // A cone of height 4 and radius 2: its centre a quarter up, m (3/20 r² + 3/80 H²) and 3/10 m r².
        for (radii, side) in [([2.0, 0.0], -1.0), ([0.0, 2.0], 1.0)] {
            let cone = of_frustum(2.0, radii);
            let m = 16.0 / 3.0 * PI;
            assert!((cone.measure - m).abs() < 1e-13);
            assert!(near(cone.centre, DVec3::Z * side));
            assert!(near(cone.inertia.diagonal, m * DVec3::new(1.2, 1.2, 1.2)));
        }
    }

    #[test]
    fn a_capsule_without_tube_is_a_ball_and_a_long_one_a_rod() {
        assert_eq!(of_capsule(0.0, 0.7).measure, of_sphere(0.7).measure);
        assert!(near(of_capsule(0.0, 0.7).inertia.diagonal, of_sphere(0.7).inertia.diagonal));
        let rod = of_capsule(1.0, 1e-6);
        // A thin rod of length 2: V L²/12 across.
        assert!((rod.inertia.diagonal.x / rod.measure - 1.0 / 3.0).abs() < 1e-5);
        // By hand for h = 1, r = 1: V = 2π + 4π/3; about z: π + 8π/15; about x:
        // 2π(1/4 + 1/3) + 4π/3 (2/5 + 1 + 3/4) = 7π/6 + 43π/15.
        let one = of_capsule(1.0, 1.0);
        assert!((one.measure - 10.0 * PI / 3.0).abs() < 1e-14);
        assert!((one.inertia.diagonal.z - 23.0 * PI / 15.0).abs() < 1e-14);
        assert!((one.inertia.diagonal.x - (7.0 / 6.0 + 43.0 / 15.0) * PI).abs() < 1e-13);
    }
}
