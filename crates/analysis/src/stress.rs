//! Stress from the internal moments of contact forces.
//!
//! The internal moment of a grain is M = Σ (p − x) fᵀ over its contacts: p the contact, x the centre
//! of mass, f the force that the grain feels. In equilibrium it is symmetric and does not depend on
//! the origin, and − Σ M / V over the grains of a region of volume V is its mean stress, positive in
//! compression (Moreau 1997; Moreau 2003, §9.1).

use crate::{Region, Sample, Tensor};
use drystone_space::{Space, Vector, math};

/// The internal moment of every grain.
pub fn internal_moments<S: Space>(sample: &Sample<S>) -> Vec<Tensor> {
    let mut moments = vec![Tensor::default(); sample.grains.len()];
    for contact in &sample.contacts {
        let sides = [
            (contact.first, contact.force, S::Vector::ZERO),
            (contact.second, -contact.force, contact.shift),
        ];
        for (side, force, shift) in sides {
            if let Some(index) = side.grain() {
                let arm = contact.point - (sample.grains[index].position + shift);
                moments[index] += Tensor::outer(arm, force);
            }
        }
    }
    moments
}

/// The mean stress inside each grain, positive in compression.
pub fn grain_stress<S: Space>(sample: &Sample<S>) -> Vec<Tensor> {
    let moments = internal_moments(sample).into_iter();
    moments.zip(&sample.grains).map(|(moment, grain)| moment * (-1.0 / grain.measure)).collect()
}

/// The mean stress of a region, pores included: the moments of all grains by the part of each that
/// lies in the region.
pub fn region_stress<S: Space>(sample: &Sample<S>, region: &Region<S>) -> Tensor {
    let mut sum = Tensor::default();
    for (moment, grain) in internal_moments(sample).into_iter().zip(&sample.grains) {
        sum += moment * region.share(grain.position, grain.radius);
    }
    sum * (-1.0 / region.measure())
}

/// The mean stress of a region about a vertical axis, in the axes of each grain: radial, around, up (in
/// the plane: outward, up).
pub fn meridional_stress<S: Space>(
    sample: &Sample<S>,
    axis: S::Vector,
    region: &Region<S>,
) -> Tensor {
    let mut sum = Tensor::default();
    for (moment, grain) in internal_moments(sample).into_iter().zip(&sample.grains) {
        let share = region.share(grain.position, grain.radius);
        if share > 0.0 {
            sum += turned::<S>(&moment, grain.position - axis) * share;
        }
    }
    sum * (-1.0 / region.measure())
}

/// A tensor in the axes of a meridional half-plane.
fn turned<S: Space>(tensor: &Tensor, arm: S::Vector) -> Tensor {
    let (x, y) = (arm.get(0), if S::DIMENSION == 2 { 0.0 } else { arm.get(1) });
    let radius = math::hypot(x, y);
    let (cos, sin) = if radius > 0.0 { (x / radius, y / radius) } else { (1.0, 0.0) };
    let axes: [S::Vector; 3] = std::array::from_fn(|row| {
        let axis = match (S::DIMENSION, row) {
            (2, 0) => [cos, 0.0, 0.0],
            (3, 0) => [cos, sin, 0.0],
            (3, 1) => [-sin, cos, 0.0],
            (_, row) => std::array::from_fn(|i| f64::from(u8::from(i == row))),
        };
        S::Vector::from_fn(|i| axis[i])
    });
    let entry = |i: usize, j: usize| match i.max(j) < S::DIMENSION {
        true => axes[i].dot(tensor.apply(axes[j])),
        false => 0.0,
    };
    Tensor { entries: std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j))) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SampleSide;
    use crate::sample::tests::{ball, between, lattice};
    use drystone_space::{DVec3, Volume};

    #[test]
    fn a_grain_between_two_opposite_forces() {
        // Squeezed along x by F at both ends of a diameter: stress 2 r F / V along x only.
        let (radius, force) = (0.3, 7.0);
        let grain = ball(DVec3::new(1.0, 2.0, 3.0), radius);
        let contact = |sign: f64| crate::SampleContact::<Volume> {
            first: SampleSide::Grain(0),
            second: SampleSide::Boundary(0),
            point: grain.position + DVec3::X * (sign * radius),
            normal: -DVec3::X * sign,
            force: -DVec3::X * (sign * force),
            friction: 0.5,
            sliding: false,
            gap: 0.0,
            shift: DVec3::ZERO,
        };
        let sample = Sample {
            grains: vec![grain],
            contacts: vec![contact(1.0), contact(-1.0)],
            ..Sample::default()
        };
        let stress = grain_stress(&sample)[0];
        let expected = 2.0 * radius * force / grain.measure;
        let rest = stress + Tensor::outer(DVec3::X, DVec3::X) * -expected;
        assert!(rest.entries.iter().flatten().all(|e| e.abs() < 1e-13 * expected));
    }

    #[test]
    fn a_lattice_has_the_stress_that_its_forces_were_made_from() {
        let pressures = DVec3::new(3.0, 5.0, 8.0);
        let sample = lattice([5, 5, 5], 0.5, pressures);
        // From cell wall to cell wall, away from the grains at the rim, whose outer forces are absent.
        let region = Region::Box { low: DVec3::splat(0.5), high: DVec3::splat(3.5) };
        let stress = region_stress(&sample, &region);
        for i in 0..3 {
            for j in 0..3 {
                let expected = if i == j { pressures[i] } else { 0.0 };
                assert!((stress.entries[i][j] - expected).abs() < 1e-12, "{stress:?}");
            }
        }
    }

    #[test]
    fn a_force_between_two_grains_moves_no_moment_of_the_pair() {
        // The sum over both grains is the force times the vector between the centres.
        let grains = vec![ball(DVec3::ZERO, 1.0), ball(DVec3::new(1.9, 0.4, 0.0), 1.0)];
        let force = DVec3::new(-2.0, 0.5, 1.0);
        let contacts = vec![between(&grains, 0, 1, force)];
        let sample = Sample { grains, contacts, ..Sample::default() };
        let sum = internal_moments(&sample).into_iter().fold(Tensor::default(), |a, b| a + b);
        let expected = Tensor::outer(DVec3::new(1.9, 0.4, 0.0), force);
        let rest = sum + expected * -1.0;
        assert!(rest.entries.iter().flatten().all(|e| e.abs() < 1e-14));
    }

    #[test]
    fn a_grain_squeezed_radially_has_a_radial_stress_wherever_it_is() {
        let mut sample = Sample::<Volume>::default();
        for turn in 0..7 {
            let outward = DVec3::new(f64::from(turn).cos(), f64::from(turn).sin(), 0.0);
            sample.grains.push(ball(outward * 5.0, 0.5));
            for side in [1.0, -1.0] {
                sample.contacts.push(crate::SampleContact {
                    first: SampleSide::Grain(turn as u32),
                    second: SampleSide::Boundary(0),
                    point: outward * (5.0 + 0.5 * side),
                    normal: outward * -side,
                    force: outward * (-2.0 * side),
                    friction: 0.5,
                    sliding: false,
                    gap: 0.0,
                    shift: DVec3::ZERO,
                });
            }
        }
        let axis = DVec3::ZERO;
        let region = Region::Ring { axis, inner: 4.0, outer: 6.0, low: -1.0, high: 1.0 };
        let stress = meridional_stress(&sample, axis, &region);
        // Seven moments of 2 · 2 · ½ in a ring of 2 π 10 · 2.
        let expected = 7.0 * 2.0 / region.measure();
        let rest = stress + Tensor::outer(DVec3::X, DVec3::X) * -expected;
        assert!(rest.entries.iter().flatten().all(|e| e.abs() < 1e-13), "{stress:?}");
    }
}
