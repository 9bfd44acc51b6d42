//! Who touches whom, and in which directions.

use crate::{Region, Sample, Tensor};
use drystone_space::Space;

/// Mean of n nᵀ over the contacts that carry a force and lie in the region; its trace is 1.
///
/// Zero without contacts. Its deviator says in which directions contacts are frequent.
pub fn fabric<S: Space>(sample: &Sample<S>, region: Option<&Region<S>>) -> Tensor {
    let (mut sum, mut count) = (Tensor::default(), 0.0);
    for contact in sample.active() {
        if region.is_none_or(|region| region.contains(contact.point)) {
            sum += Tensor::outer(contact.normal, contact.normal);
            count += 1.0;
        }
    }
    if count > 0.0 { sum * (1.0 / count) } else { sum }
}

/// How many neighbours grains have.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Coordination {
    /// Grains that were counted.
    pub grains: usize,
    /// Contacts with a force per grain; one with a boundary counts for one grain, one between grains
    /// for both.
    pub mean: f64,
    /// The same over grains that carry others: those with two contacts or more.
    pub mechanical: f64,
    /// Share of grains with fewer than two contacts: rattlers, or in flight.
    pub rattlers: f64,
    /// Share of the contacts with a force that are on the friction cone.
    pub sliding: f64,
}

/// Contacts per grain, over the grains whose centres are in the region.
pub fn coordination<S: Space>(sample: &Sample<S>, region: Option<&Region<S>>) -> Coordination {
    let inside =
        |index: usize| region.is_none_or(|region| region.contains(sample.grains[index].position));
    let mut counts = vec![0u32; sample.grains.len()];
    let (mut contacts, mut sliding) = (0, 0);
    for contact in sample.active() {
        let mut seen = false;
        for index in [contact.first.grain(), contact.second.grain()].into_iter().flatten() {
            counts[index] += 1;
            seen |= inside(index);
        }
        contacts += usize::from(seen);
        sliding += usize::from(seen && contact.sliding);
    }
    let counted: Vec<u32> =
        counts.iter().enumerate().filter(|(i, _)| inside(*i)).map(|(_, &n)| n).collect();
    let total: u32 = counted.iter().sum();
    let carrying: Vec<u32> = counted.iter().copied().filter(|&n| n >= 2).collect();
    let ratio = |a: f64, b: usize| if b > 0 { a / b as f64 } else { 0.0 };
    Coordination {
        grains: counted.len(),
        mean: ratio(f64::from(total), counted.len()),
        mechanical: ratio(f64::from(carrying.iter().sum::<u32>()), carrying.len()),
        rattlers: ratio((counted.len() - carrying.len()) as f64, counted.len()),
        sliding: ratio(sliding as f64, contacts),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::tests::{ball, lattice};
    use drystone_space::DVec3;

    #[test]
    fn a_cubic_lattice_has_six_neighbours_and_an_isotropic_fabric() {
        let sample = lattice([6, 6, 6], 0.5, DVec3::ONE);
        let region = Region::Box { low: DVec3::splat(0.5), high: DVec3::splat(4.5) };
        let found = coordination(&sample, Some(&region));
        assert_eq!((found.grains, found.mean, found.mechanical), (64, 6.0, 6.0));
        assert_eq!((found.rattlers, found.sliding), (0.0, 0.0));
        let fabric = fabric(&sample, None);
        for i in 0..3 {
            assert!((fabric.entries[i][i] - 1.0 / 3.0).abs() < 1e-14);
        }
    }

    #[test]
    fn a_column_has_its_fabric_along_the_column() {
        let mut sample = lattice([1, 1, 4], 0.5, DVec3::ONE);
        sample.grains.push(ball(DVec3::splat(9.0), 0.5));
        sample.contacts[0].sliding = true;
        assert_eq!(fabric(&sample, None), Tensor::outer(DVec3::Z, DVec3::Z));
        let found = coordination(&sample, None);
        // Contacts per grain: 1, 2, 2, 1 and 0.
        assert_eq!((found.grains, found.mean, found.mechanical), (5, 1.2, 2.0));
        assert!((found.rattlers - 0.6).abs() < 1e-15 && (found.sliding - 1.0 / 3.0).abs() < 1e-15);
    }
}
