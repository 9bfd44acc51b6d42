//! The state of a specimen between plates, and how it changes from one moment to the next.
//!
//! Strains are positive in compression, as stresses are: ε = −ln(L/L₀) of the box that just holds the grains. In the plane
//! p = (σ₁ + σ₂)/2, in space p = tr σ/3; q = σ₁ − σ₃, the largest less the least, and sin φ = q/(σ₁ + σ₃). A *rattler* carries
//! nothing: grains with fewer than two contacts with a force are left out, then those that have fewer than two without these,
//! and so on. Void ratio: pores by grains, (1 − Φ)/Φ.

use crate::{
    Coordination, Region, Sample, SampleCell, Tensor, coordination, fabric, region_stress,
};
use drystone_space::{Space, Vector, math};

/// The box that just holds all grains, taken as disks or balls of their measure.
pub fn specimen_box<S: Space>(sample: &Sample<S>) -> Option<(S::Vector, S::Vector)> {
    let first = sample.grains.first()?;
    let ends = sample.grains.iter().map(|grain| (grain.position, S::Vector::splat(grain.radius)));
    Some(ends.fold((first.position, first.position), |(low, high), (at, reach)| {
        (low.lowest(at - reach), high.highest(at + reach))
    }))
}

/// Grains that carry something, and their contacts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Skeleton {
    /// Share of the grains that carry nothing.
    pub rattlers: f64,
    /// Contacts with a force per grain that carries something.
    pub coordination: f64,
}

/// The skeleton of a sample over the grains of a region: grains with fewer than `least` contacts are taken out until none is
/// left. 2 is right with friction; without it a disk needs 3 and a ball 4.
pub fn skeleton<S: Space>(sample: &Sample<S>, region: Option<&Region<S>>, least: u32) -> Skeleton {
    let grains = sample.grains.len();
    let mut counts = vec![0u32; grains];
    let mut partners: Vec<Vec<(usize, bool)>> = vec![Vec::new(); grains];
    for contact in sample.active() {
        let sides = [contact.first.grain(), contact.second.grain()];
        for (own, other) in [(sides[0], sides[1]), (sides[1], sides[0])] {
            let Some(own) = own else { continue };
            counts[own] += 1;
            partners[own].push((other.unwrap_or(0), other.is_some()));
        }
    }
    let mut out = vec![false; grains];
    let mut loose: Vec<usize> = (0..grains).filter(|&grain| counts[grain] < least).collect();
    loose.iter().for_each(|&grain| out[grain] = true);
    while let Some(grain) = loose.pop() {
        for &(other, is_grain) in &partners[grain] {
            if is_grain && !out[other] {
                counts[other] -= 1;
                if counts[other] < least {
                    out[other] = true;
                    loose.push(other);
                }
            }
        }
    }
    let inside = |grain: &usize| region.is_none_or(|r| r.contains(sample.grains[*grain].position));
    let all: Vec<usize> = (0..grains).filter(inside).collect();
    let carrying: Vec<usize> = all.iter().copied().filter(|&grain| !out[grain]).collect();
    let contacts: u32 = carrying.iter().map(|&grain| counts[grain]).sum();
    let ratio = |a: f64, b: usize| if b > 0 { a / b as f64 } else { 0.0 };
    Skeleton {
        rattlers: ratio((all.len() - carrying.len()) as f64, all.len()),
        coordination: ratio(f64::from(contacts), carrying.len()),
    }
}

/// How far a symmetric tensor is from isotropic: the largest principal value less the least, by their sum (in the plane), or
/// by the mean of all (in space).
pub fn anisotropy<V: Vector>(tensor: &Tensor) -> f64 {
    let values = tensor.principal::<V>();
    let (first, last) = (values[0].0, values[values.len() - 1].0);
    let scale = if V::LENGTH == 2 { first + last } else { tensor.trace() / 3.0 };
    if scale > 0.0 { (first - last) / scale } else { 0.0 }
}

/// The state of a specimen at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Specimen<S: Space> {
    /// When.
    pub time: f64,
    /// Edges of the box that holds the grains; along a periodic direction how much the cell has been stretched.
    pub edges: S::Vector,
    /// What a periodic cell has been sheared by, the symmetric part of ∫ L dt without its diagonal.
    pub shears: Tensor,
    /// Part of the measured region that grains fill.
    pub solid_fraction: f64,
    /// Pores by grains there.
    pub void_ratio: f64,
    /// Mean stress there.
    pub stress: Tensor,
    /// Stress of the motion of grains about their mean velocity, −ρ⟨v′v′⟩ with the sign of compression.
    pub kinetic: Tensor,
    /// Fabric of contacts there.
    pub fabric: Tensor,
    /// Contacts by grain.
    pub coordination: Coordination,
    /// The same of what carries.
    pub skeleton: Skeleton,
    /// Mean part of friction that contacts use.
    pub mobilisation: f64,
}

impl<S: Space> Specimen<S> {
    /// Measures a region; without one the box of the grains, two mean diameters away from its faces, and all of a periodic cell along
    /// the directions that are periodic. `None` without grains, and where nothing is left of the box.
    pub fn of(sample: &Sample<S>, region: Option<&Region<S>>) -> Option<Self> {
        let (low, high) = specimen_box(sample)?;
        let margin = S::Vector::splat(2.0 * sample.mean_diameter());
        let (inner_low, inner_high) = (low + margin, high - margin);
        let own = match sample.cell {
            None => Region::Box { low: inner_low, high: inner_high },
            Some(SampleCell { lattice, .. }) => {
                Region::Cell { lattice, low: inner_low, high: inner_high }
            }
        };
        let closed = |i: usize| sample.cell.is_some_and(|cell| cell.lattice.is_periodic(i));
        let size = S::Vector::from_fn(|i| match sample.cell.filter(|_| closed(i)) {
            // Its length was 1 at the start.
            Some(cell) => math::exp(cell.strain.get(i, i)),
            None => (high - low).get(i),
        });
        let room =
            (0..S::DIMENSION).all(|i| closed(i) || (high - low).get(i) > 3.0 * margin.get(i));
        let region = match region {
            Some(region) => region,
            None => room.then_some(&own)?,
        };
        let solid_fraction = region.solid_fraction(sample);
        let used: Vec<f64> = sample
            .active()
            .filter(|contact| region.contains(contact.point))
            .filter_map(|contact| contact.mobilisation())
            .collect();
        let sheared = |i: usize, j: usize| {
            sample
                .cell
                .filter(|_| i != j && i < S::DIMENSION && j < S::DIMENSION)
                .map_or(0.0, |cell| 0.5 * (cell.strain.get(i, j) + cell.strain.get(j, i)))
        };
        Some(Self {
            time: sample.time,
            edges: size,
            shears: Tensor {
                entries: std::array::from_fn(|i| std::array::from_fn(|j| sheared(i, j))),
            },
            solid_fraction,
            void_ratio: (1.0 - solid_fraction) / solid_fraction,
            stress: region_stress(sample, region),
            kinetic: kinetic_stress(sample, region),
            fabric: fabric(sample, Some(region)),
            coordination: coordination(sample, Some(region)),
            skeleton: skeleton(sample, Some(region), 2),
            mobilisation: used.iter().sum::<f64>() / used.len().max(1) as f64,
        })
    }
    /// Mean pressure.
    pub fn pressure(&self) -> f64 {
        self.stress.trace() / S::DIMENSION as f64
    }
    /// The largest principal stress less the least.
    pub fn deviator(&self) -> f64 {
        let values = self.stress.principal::<S::Vector>();
        values[0].0 - values[values.len() - 1].0
    }
    /// sin φ: the largest principal stress less the least, by their sum.
    pub fn friction(&self) -> f64 {
        let values = self.stress.principal::<S::Vector>();
        let sum = values[0].0 + values[values.len() - 1].0;
        if sum > 0.0 { self.deviator() / sum } else { 0.0 }
    }
    /// Strains of the box since another moment, positive in compression.
    pub fn strains(&self, since: &Self) -> S::Vector {
        S::Vector::from_fn(|i| -math::ln(self.edges.get(i) / since.edges.get(i)))
    }
    /// What has changed since another moment.
    pub fn since(&self, other: &Self) -> Increment {
        let strains = self.strains(other);
        let volume = (0..S::DIMENSION).map(|i| strains.get(i)).sum::<f64>();
        let strain = |i: usize, j: usize| match i == j {
            true if i < S::DIMENSION => strains.get(i),
            true => 0.0,
            false => other.shears.entries[i][j] - self.shears.entries[i][j],
        };
        let strain =
            Tensor { entries: std::array::from_fn(|i| std::array::from_fn(|j| strain(i, j))) };
        let values = strain.principal::<S::Vector>();
        let shear = values[0].0 - values[values.len() - 1].0;
        let work = |i: usize| {
            let parts = (0..S::DIMENSION).map(|j| {
                (self.stress.entries[i][j] - other.stress.entries[i][j]) * strain.entries[i][j]
            });
            parts.sum::<f64>()
        };
        Increment {
            volume,
            shear,
            dilatancy: if shear > 0.0 { -volume / shear } else { 0.0 },
            second_order_work: (0..S::DIMENSION).map(work).sum(),
        }
    }
}

/// What has changed from one moment to another.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Increment {
    /// Strain of the volume, positive in compression.
    pub volume: f64,
    /// The largest principal strain less the least.
    pub shear: f64,
    /// How much the volume grows by shear; in the plane the sine of the angle of dilatancy.
    pub dilatancy: f64,
    /// Σ Δσ Δε along the axes, per volume: not positive where the specimen may fail (Hill 1958).
    pub second_order_work: f64,
}

/// The stress of the motion about the mean velocity.
fn kinetic_stress<S: Space>(sample: &Sample<S>, region: &Region<S>) -> Tensor {
    let share = |grain: &crate::Grain<S>| grain.mass * region.share(grain.position, grain.radius);
    let (mut mass, mut momentum) = (0.0, S::Vector::ZERO);
    for grain in &sample.grains {
        mass += share(grain);
        momentum += grain.velocity * share(grain);
    }
    let mean = if mass > 0.0 { momentum / mass } else { momentum };
    let mut sum = Tensor::default();
    for grain in &sample.grains {
        let own = grain.velocity - mean;
        sum += Tensor::outer(own, own) * share(grain);
    }
    sum * (1.0 / region.measure())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::tests::{ball, between, lattice};
    use drystone_space::{DVec3, Volume};

    /// A cubic lattice under given pressures: σ is known, Φ = π/6, and every grain in it has six contacts.
    #[test]
    fn a_lattice_between_plates() {
        let sample = lattice([12, 12, 12], 0.5, DVec3::new(3.0, 2.0, 1.0));
        let found = Specimen::of(&sample, None).unwrap();
        assert_eq!(found.edges, DVec3::splat(12.0));
        let solid = std::f64::consts::PI / 6.0;
        assert!((found.solid_fraction - solid).abs() < 0.002, "{}", found.solid_fraction);
        assert!((found.void_ratio - (1.0 - solid) / solid).abs() < 0.01);
        assert!((found.pressure() - 2.0).abs() < 0.01 && (found.friction() - 0.5).abs() < 1e-3);
        assert!((found.deviator() - 2.0).abs() < 0.01);
        assert_eq!(found.skeleton.coordination, 6.0);
        assert_eq!((found.mobilisation, found.kinetic), (0.0, Tensor::default()));
        assert!((anisotropy::<DVec3>(&found.fabric)).abs() < 1e-12);
    }

    /// Squeezed along x by a tenth and let out along y by as much: the volume stays, and work of second order is Σ Δσ Δε.
    #[test]
    fn increments_are_those_of_the_box() {
        let before = Specimen::of(&lattice([12, 12, 12], 0.5, DVec3::ONE), None).unwrap();
        let mut after =
            Specimen::of(&lattice([12, 12, 12], 0.5, DVec3::new(2.0, 1.0, 1.0)), None).unwrap();
        after.edges = DVec3::new(12.0 / 1.1, 12.0 * 1.1, 12.0);
        let found = after.since(&before);
        let strain = math::ln(1.1);
        assert!(found.volume.abs() < 1e-14 && (found.shear - 2.0 * strain).abs() < 1e-14);
        assert!(found.dilatancy.abs() < 1e-13);
        assert!((found.second_order_work - strain).abs() < 0.01 * strain);
    }

    /// A chain of three that hangs on a loop of four: its end carries nothing, and without it neither does the next.
    #[test]
    fn rattlers_are_taken_out_until_none_is_left() {
        let at = |x: f64, y: f64| ball(DVec3::new(x, y, 0.0), 0.5);
        let grains = vec![
            at(0.0, 0.0),
            at(1.0, 0.0),
            at(1.0, 1.0),
            at(0.0, 1.0),
            at(2.0, 1.0),
            at(3.0, 1.0),
        ];
        let pairs = [(0, 1), (1, 2), (2, 3), (3, 0), (2, 4), (4, 5)];
        let contacts = pairs.iter().map(|&(a, b)| between(&grains, a, b, DVec3::X)).collect();
        let sample = Sample::<Volume> { grains, contacts, ..Sample::default() };
        let found = skeleton(&sample, None, 2);
        assert!((found.rattlers - 2.0 / 6.0).abs() < 1e-15);
        assert_eq!(found.coordination, 2.0);
        assert_eq!(skeleton(&sample, None, 3), Skeleton { rattlers: 1.0, coordination: 0.0 });
    }
}
