//! How contact forces are distributed.

use crate::Sample;
use drystone_space::{Space, Vector};

/// The density of contact forces, by the mean force.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ForceDistribution {
    /// Contacts that carry a force.
    pub contacts: usize,
    /// Mean size of their forces.
    pub mean: f64,
    /// The largest.
    pub largest: f64,
    /// Width of a class, in means.
    pub width: f64,
    /// Density of f / mean at the middles of classes from zero up; the sum times the width is the
    /// share of contacts in all classes.
    pub density: Vec<f64>,
}

impl ForceDistribution {
    /// The distribution of one frame, from that of a mean of several
    /// ([`Sample::mean_of`]): forces are as many times larger, contacts as many times fewer.
    pub fn of_frames(self, frames: usize) -> Self {
        let (count, scale) = (self.contacts / frames, frames as f64);
        Self { contacts: count, mean: self.mean * scale, largest: self.largest * scale, ..self }
    }
}

/// The distribution of contact forces in classes of the given width (in means), up to `classes`.
pub fn force_distribution<S: Space>(
    sample: &Sample<S>,
    width: f64,
    classes: usize,
) -> ForceDistribution {
    let forces: Vec<f64> = sample.active().map(|c| c.force.norm()).collect();
    let mean = forces.iter().sum::<f64>() / forces.len().max(1) as f64;
    let mut density = vec![0.0; classes];
    for force in &forces {
        if let Some(share) = density.get_mut((force / (mean * width)) as usize) {
            *share += 1.0 / (forces.len() as f64 * width);
        }
    }
    let largest = forces.iter().copied().fold(0.0, f64::max);
    ForceDistribution { contacts: forces.len(), mean, largest, width, density }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::tests::{between, lattice};
    use drystone_space::DVec3;

    #[test]
    fn forces_fall_into_their_classes() {
        let mut sample = lattice([4, 1, 1], 0.5, DVec3::ZERO);
        let forces = [1.0, 2.0, 6.0];
        sample.contacts.clear();
        for (i, force) in forces.into_iter().enumerate() {
            let contact = between(&sample.grains, i as u32 + 1, i as u32, DVec3::X * force);
            sample.contacts.push(contact);
        }
        let found = force_distribution(&sample, 0.5, 6);
        assert_eq!((found.contacts, found.mean, found.largest), (3, 3.0, 6.0));
        // 1/3 in the first class, 2/3 in the second, 2 in the fifth.
        let expected = [2.0 / 3.0, 2.0 / 3.0, 0.0, 0.0, 2.0 / 3.0, 0.0];
        for (found, expected) in found.density.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-15);
        }
    }

    #[test]
    fn the_mean_of_equal_moments_has_the_forces_of_one() {
        let sample = lattice([4, 1, 1], 0.5, DVec3::ONE);
        let one = force_distribution(&sample, 0.5, 6);
        let mean = Sample::mean_of([&sample, &sample].into_iter());
        let found = force_distribution(&mean, 0.5, 6).of_frames(2);
        assert_eq!(
            (found.contacts, found.mean, found.largest),
            (one.contacts, one.mean, one.largest)
        );
        assert!((found.density[2] - one.density[2]).abs() < 1e-14 && one.density[2] > 0.0);
    }

    #[test]
    fn no_contacts_no_forces() {
        let found = force_distribution(&Sample::<drystone_space::Volume>::default(), 0.1, 3);
        assert_eq!((found.contacts, found.mean, found.density), (0, 0.0, vec![0.0; 3]));
    }
}
