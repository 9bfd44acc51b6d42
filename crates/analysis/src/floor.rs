//! Pressure on the floor by rings about an axis (Moreau 2003, §9.3 and Fig. 6).

use crate::{Estimate, Sample, SampleSide, horizontal_radius, up};
use drystone_space::{Space, Vector, math};
use std::f64::consts::{PI, TAU};

/// Sectors whose scatter gives the sampling error.
const SECTORS: usize = 12;

/// The pressure of one ring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ring {
    /// Inner radius.
    pub inner: f64,
    /// Outer radius.
    pub outer: f64,
    /// Vertical force on the floor by area (by length in the plane); the error is that of the mean
    /// over sectors, or over runs.
    pub pressure: Estimate,
    /// Contacts with a force.
    pub contacts: usize,
    /// Mass of the grains above the ring by area: those with their centres there.
    pub mass: f64,
}

/// Pressures in rings of one width, out to the last contact; `floor` says which boundaries count.
pub fn floor_pressure<S: Space>(
    sample: &Sample<S>,
    axis: S::Vector,
    width: f64,
    floor: impl Fn(u32) -> bool,
) -> Vec<Ring> {
    let parts = parts_about_axis::<S>(SECTORS);
    let mut sums: Vec<(Vec<f64>, usize)> = Vec::new();
    for contact in sample.active() {
        let push = match (contact.first, contact.second) {
            (SampleSide::Grain(_), SampleSide::Boundary(index)) if floor(index) => {
                up(contact.force)
            }
            (SampleSide::Boundary(index), SampleSide::Grain(_)) if floor(index) => {
                -up(contact.force)
            }
            _ => continue,
        };
        let ring = (horizontal_radius(contact.point, axis) / width) as usize;
        if ring >= sums.len() {
            sums.resize(ring + 1, (vec![0.0; parts], 0));
        }
        sums[ring].0[sector(contact.point - axis, parts)] += push;
        sums[ring].1 += 1;
    }
    let mut masses = vec![0.0; sums.len()];
    for grain in &sample.grains {
        let ring = (horizontal_radius(grain.position, axis) / width) as usize;
        if let Some(mass) = masses.get_mut(ring) {
            *mass += grain.mass;
        }
    }
    let ring = |(index, (pushes, contacts)): (usize, (Vec<f64>, usize))| {
        let (inner, outer) = (index as f64 * width, (index + 1) as f64 * width);
        let whole =
            if S::DIMENSION == 2 { 2.0 * width } else { PI * (outer * outer - inner * inner) };
        let pressures: Vec<f64> = pushes.iter().map(|f| f * parts as f64 / whole).collect();
        let mass = masses[index] / whole;
        Ring { inner, outer, pressure: Estimate::of(&pressures), contacts, mass }
    };
    sums.into_iter().enumerate().map(ring).collect()
}

/// The same rings with the errors that single runs tell by their scatter: sectors of one heap share its forces, and
/// the few contacts at the axis fall into one or another.
pub fn with_scatter(mut rings: Vec<Ring>, runs: &[Vec<Ring>]) -> Vec<Ring> {
    for (index, ring) in rings.iter_mut().enumerate() {
        let pressure = |run: &Vec<Ring>| run.get(index).map_or(0.0, |ring| ring.pressure.mean);
        let pressures: Vec<f64> = runs.iter().map(pressure).collect();
        ring.pressure.error = Estimate::of(&pressures).error;
    }
    rings
}

/// Number of sectors about an axis: two sides in the plane.
pub(crate) fn parts_about_axis<S: Space>(sectors: usize) -> usize {
    if S::DIMENSION == 2 { 2 } else { sectors }
}

/// Which of `parts` equal sectors about the axis an arm points into; in the plane, which side.
pub(crate) fn sector<V: Vector>(arm: V, parts: usize) -> usize {
    if V::LENGTH == 2 {
        return usize::from(arm.get(0) < 0.0);
    }
    let turn = math::atan2(arm.get(1), arm.get(0)) / TAU + 0.5;
    ((turn * parts as f64) as usize).min(parts - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SampleContact;
    use crate::sample::tests::lattice;
    use drystone_space::{DVec3, Volume};

    /// A block of columns on a floor: each lowest ball carries the weight of its column.
    fn columns(height: usize, gravity: f64) -> Sample<Volume> {
        let mut sample = lattice([41, 41, height], 0.5, DVec3::ZERO);
        let weight = sample.grains[0].mass * height as f64 * gravity;
        for (index, grain) in sample.grains.iter().enumerate().take(41 * 41) {
            sample.contacts.push(SampleContact {
                first: SampleSide::Grain(index as u32),
                second: SampleSide::Boundary(2),
                point: grain.position - DVec3::Z * 0.5,
                normal: DVec3::Z,
                force: DVec3::Z * weight,
                friction: 0.5,
                sliding: false,
                gap: 0.0,
                shift: DVec3::ZERO,
            });
        }
        sample
    }

    #[test]
    fn columns_press_hydrostatically() {
        let (height, gravity) = (10, 9.81);
        let sample = columns(height, gravity);
        let axis = DVec3::new(20.0, 20.0, 0.0);
        let rings = floor_pressure(&sample, axis, 5.2, |index| index == 2);
        // Density of the bed (π/6) times gravity times height.
        let expected = PI / 6.0 * gravity * height as f64;
        for ring in &rings[..3] {
            assert!((ring.pressure.mean / expected - 1.0).abs() < 0.05, "{ring:?}");
            assert!(ring.pressure.error < 0.1 * expected);
            // Each column presses with its own weight.
            let weight = ring.mass * gravity;
            assert!((ring.pressure.mean / weight - 1.0).abs() < 1e-12, "{ring:?}");
        }
        let total: f64 = rings
            .iter()
            .map(|r| r.pressure.mean * PI * (r.outer * r.outer - r.inner * r.inner))
            .sum();
        let weight: f64 = sample.grains.iter().map(|g| g.mass * gravity).sum();
        assert!((total / weight - 1.0).abs() < 1e-12);
        assert!(floor_pressure(&sample, axis, 5.2, |index| index == 1).is_empty());
    }

    /// Three heaps that press with 1, 2 and 3, one of them without a second ring.
    #[test]
    fn heaps_scatter() {
        let ring = |mean: f64| {
            let pressure = Estimate { mean, error: 9.0 };
            Ring { inner: 0.0, outer: 1.0, pressure, contacts: 1, mass: 0.0 }
        };
        let runs = [vec![ring(1.0), ring(3.0)], vec![ring(2.0), ring(3.0)], vec![ring(3.0)]];
        let rings = with_scatter(vec![ring(2.0), ring(2.0)], &runs);
        let found = rings.iter().map(|ring| ring.pressure);
        // Deviations −1, 0, 1, and 1, 1, −2: errors of the mean √(2/6) and √(6/6).
        for (found, error) in found.zip([(1.0f64 / 3.0).sqrt(), 1.0]) {
            assert!(found.mean == 2.0 && (found.error - error).abs() < 1e-15, "{found:?}");
        }
    }

    #[test]
    fn sectors_go_round() {
        assert_eq!(sector(DVec3::new(-1.0, -1e-9, 0.0), 4), 0);
        assert_eq!(sector(DVec3::new(0.1, -1.0, 0.0), 4), 1);
        assert_eq!(sector(DVec3::new(1.0, 1e-9, 0.0), 4), 2);
        assert_eq!(sector(DVec3::new(-1.0, 1e-9, 0.0), 4), 3);
        assert_eq!(sector(DVec3::new(-1.0, 0.0, 0.0), 4), 3);
    }
}
