//! Grains and contacts of one moment.

use drystone_space::{Lattice, Matrix, Plane, Space, Vector, math};

/// A body, as far as analysis is concerned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grain<S: Space> {
    /// Centre of mass.
    pub position: S::Vector,
    /// Radius of the disk or ball of the same measure; its own if it is round.
    pub radius: f64,
    /// Area in the plane, volume in space.
    pub measure: f64,
    /// Mass.
    pub mass: f64,
    /// When it entered.
    pub birth: f64,
    /// Velocity of the centre of mass.
    pub velocity: S::Vector,
}

/// One side of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SampleSide {
    /// A grain, by index.
    Grain(u32),
    /// A boundary, by index.
    Boundary(u32),
}

impl SampleSide {
    /// The index, if it is a grain.
    pub fn grain(self) -> Option<usize> {
        match self {
            Self::Grain(index) => Some(index as usize),
            Self::Boundary(_) => None,
        }
    }
}

/// A contact with its force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampleContact<S: Space> {
    /// The side that the normal points toward.
    pub first: SampleSide,
    /// The other side.
    pub second: SampleSide,
    /// Where.
    pub point: S::Vector,
    /// Unit normal toward the first.
    pub normal: S::Vector,
    /// Force that the first feels.
    pub force: S::Vector,
    /// Coefficient of friction.
    pub friction: f64,
    /// Whether the force is on the friction cone.
    pub sliding: bool,
    /// Negative in overlap.
    pub gap: f64,
    /// From the second side to its image that touches the first; zero but across the face of a periodic cell.
    pub shift: S::Vector,
}

impl<S: Space> SampleContact<S> {
    /// The force along the normal.
    pub fn normal_force(&self) -> f64 {
        self.force.dot(self.normal)
    }
    /// The part of its friction that a contact uses, from 0 to 1; `None` where it has none, or pulls.
    pub fn mobilisation(&self) -> Option<f64> {
        let along = self.normal_force();
        let bound = self.friction * along;
        let tangent = (self.force - self.normal * along).norm();
        (bound > 0.0 && bound.is_finite()).then(|| (tangent / bound).min(1.0))
    }
}

/// The periodic cell in which a sample is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampleCell<S: Space> {
    /// Its vectors.
    pub lattice: Lattice<S>,
    /// What it has been strained by since the start, ∫ L dt.
    pub strain: Matrix<S>,
}

impl<S: Space> SampleCell<S> {
    /// Whether no direction has an end.
    pub fn is_closed(&self) -> bool {
        (0..S::DIMENSION).all(|i| self.lattice.is_periodic(i))
    }
    /// The same in the plane of the first two axes.
    pub fn flat(&self) -> Option<SampleCell<Plane>> {
        let flat = |matrix: &Matrix<S>| Matrix::from_fn(|i, j| matrix.get(i, j));
        let periodic = [0, 1, 2].map(|i| self.lattice.is_periodic(i));
        let lattice = Lattice::new(flat(self.lattice.vectors()), periodic)?;
        Some(SampleCell { lattice, strain: flat(&self.strain) })
    }
}

/// Grains and contacts of one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample<S: Space> {
    /// When.
    pub time: f64,
    /// The grains.
    pub grains: Vec<Grain<S>>,
    /// Their contacts with each other and with boundaries.
    pub contacts: Vec<SampleContact<S>>,
    /// The periodic cell, if there is one.
    pub cell: Option<SampleCell<S>>,
}

/// Forces below this part of the mean are rounding of the solver.
const NEGLIGIBLE: f64 = 1e-6;

impl<S: Space> Sample<S> {
    /// Several moments as one sample, whose stresses, densities, pressures and force densities are the
    /// means of theirs: all grains and contacts side by side, each moment with its share of forces,
    /// measures and masses. Of moments of a periodic cell it has the last one, and what the others hold is taken by their own
    /// measure, so that stresses and densities of the whole cell are means.
    pub fn mean_of<'a>(samples: impl Iterator<Item = &'a Self> + Clone) -> Self {
        let share = 1.0 / samples.clone().count().max(1) as f64;
        let measure = |sample: &Self| sample.cell.map(|cell| cell.lattice.measure());
        let last = samples.clone().last().and_then(measure);
        let mut mean = Self::default();
        for sample in samples {
            let larger = last.zip(measure(sample)).map_or(1.0, |(last, own)| last / own);
            let share = share * larger;
            mean.cell = sample.cell;
            let before = mean.grains.len() as u32;
            let moved = |side: SampleSide| match side {
                SampleSide::Grain(index) => SampleSide::Grain(before + index),
                boundary => boundary,
            };
            mean.time = sample.time;
            mean.grains.extend(sample.grains.iter().map(|&grain| Grain {
                measure: grain.measure * share,
                mass: grain.mass * share,
                ..grain
            }));
            mean.contacts.extend(sample.contacts.iter().map(|&contact| SampleContact {
                first: moved(contact.first),
                second: moved(contact.second),
                force: contact.force * share,
                ..contact
            }));
        }
        mean
    }
    /// The same heap in another size: lengths from the point `about` are multiplied by `factor`, measures, masses and
    /// forces by its power, so that pressures go with lengths, as they do under gravity. So do times of birth go with
    /// measures: a heap that is fed at a steady rate has been growing for so long.
    pub fn scaled(mut self, about: S::Vector, factor: f64) -> Self {
        let power = math::powi(factor, S::DIMENSION as i32);
        let place = |point: S::Vector| about + (point - about) * factor;
        for grain in &mut self.grains {
            grain.position = place(grain.position);
            grain.radius *= factor;
            grain.measure *= power;
            grain.mass *= power;
            grain.birth *= power;
        }
        for contact in &mut self.contacts {
            contact.point = place(contact.point);
            contact.force = contact.force * power;
            contact.gap *= factor;
            contact.shift = contact.shift * factor;
        }
        self
    }
    /// From one place to another; in a periodic cell to its nearest image.
    pub fn between(&self, from: S::Vector, to: S::Vector) -> S::Vector {
        self.cell.map_or(to - from, |cell| cell.lattice.nearest(to - from))
    }
    /// Measure of all grains.
    pub fn measure(&self) -> f64 {
        self.grains.iter().map(|g| g.measure).sum()
    }
    /// The contacts that carry a force.
    pub fn active(&self) -> impl Iterator<Item = &SampleContact<S>> + Clone {
        let sum: f64 = self.contacts.iter().map(|c| c.force.norm()).sum();
        let least = NEGLIGIBLE * sum / self.contacts.len().max(1) as f64;
        self.contacts.iter().filter(move |c| c.force.norm() > least)
    }
    /// Mean diameter; zero without grains.
    pub fn mean_diameter(&self) -> f64 {
        let sum: f64 = self.grains.iter().map(|g| 2.0 * g.radius).sum();
        sum / self.grains.len().max(1) as f64
    }
    /// Mass by measure of the grains themselves; zero without grains.
    pub fn grain_density(&self) -> f64 {
        let mass: f64 = self.grains.iter().map(|g| g.mass).sum();
        let measure = self.measure();
        if measure > 0.0 { mass / measure } else { 0.0 }
    }
    /// Mean position, weighted by mass.
    pub fn centre(&self) -> S::Vector {
        let mass: f64 = self.grains.iter().map(|g| g.mass).sum();
        let mut moment = S::Vector::ZERO;
        self.grains.iter().for_each(|g| moment += g.position * g.mass);
        if mass > 0.0 { moment / mass } else { moment }
    }
    /// The sample without what flies: grains that no force touches and that no floor carries are
    /// left out where a surface is looked for.
    pub fn touched(&self) -> Vec<bool> {
        let mut touched = vec![false; self.grains.len()];
        for contact in self.active() {
            for index in [contact.first.grain(), contact.second.grain()].into_iter().flatten() {
                touched[index] = true;
            }
        }
        touched
    }
}

/// The component along the last axis.
pub fn up<V: Vector>(point: V) -> f64 {
    point.get(V::LENGTH - 1)
}

/// Horizontal distance of a point from the vertical axis through `axis`.
pub fn horizontal_radius<V: Vector>(point: V, axis: V) -> f64 {
    let arm = point - axis;
    (0..V::LENGTH - 1).map(|i| arm.get(i) * arm.get(i)).sum::<f64>().sqrt()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use drystone_space::{DVec3, Volume};
    use std::f64::consts::PI;

    /// A ball of density 1.
    pub fn ball(position: DVec3, radius: f64) -> Grain<Volume> {
        let measure = 4.0 / 3.0 * PI * math::powi(radius, 3);
        Grain { position, radius, measure, mass: measure, birth: 0.0, velocity: DVec3::ZERO }
    }

    /// A contact between two balls, halfway between their centres, with the given force on the first.
    pub fn between(
        grains: &[Grain<Volume>],
        first: u32,
        second: u32,
        force: DVec3,
    ) -> SampleContact<Volume> {
        let [a, b] = [first, second].map(|i| grains[i as usize].position);
        SampleContact {
            first: SampleSide::Grain(first),
            second: SampleSide::Grain(second),
            point: 0.5 * (a + b),
            normal: (a - b).normalize(),
            force,
            friction: 0.5,
            sliding: false,
            gap: 0.0,
            shift: DVec3::ZERO,
        }
    }

    /// A cubic lattice of balls that touch: `counts` balls of the given radius, the first at the
    /// origin, under the uniform pressure tensor diag(`pressures`).
    ///
    /// Neighbours along axis i push each other with pressures[i] times the area of a cell.
    pub fn lattice(counts: [usize; 3], radius: f64, pressures: DVec3) -> Sample<Volume> {
        let index = |at: [usize; 3]| (at[0] + counts[0] * (at[1] + counts[1] * at[2])) as u32;
        let mut sample = Sample::default();
        let mut places = Vec::new();
        for z in 0..counts[2] {
            for y in 0..counts[1] {
                for x in 0..counts[0] {
                    places.push([x, y, z]);
                    let at = [x, y, z].map(|i| 2.0 * radius * i as f64);
                    sample.grains.push(ball(DVec3::from_array(at), radius));
                }
            }
        }
        for at in places {
            for axis in 0..3 {
                let mut next = at;
                next[axis] += 1;
                if next[axis] < counts[axis] {
                    let force = DVec3::axis(axis) * (pressures[axis] * 4.0 * radius * radius);
                    let contact = between(&sample.grains, index(next), index(at), force);
                    sample.contacts.push(contact);
                }
            }
        }
        sample
    }

    #[test]
    fn means_of_a_sample() {
        let sample = lattice([2, 1, 1], 0.5, DVec3::ONE);
        assert_eq!(sample.mean_diameter(), 1.0);
        assert!((sample.grain_density() - 1.0).abs() < 1e-15);
        assert_eq!(sample.centre(), DVec3::new(0.5, 0.0, 0.0));
        assert_eq!(sample.active().count(), 1);
        assert_eq!(horizontal_radius(DVec3::new(4.0, 6.0, 9.0), DVec3::new(1.0, 2.0, 0.0)), 5.0);
        assert_eq!(up(DVec3::new(4.0, 6.0, 9.0)), 9.0);
    }

    #[test]
    fn what_flies_is_not_touched() {
        let mut sample = lattice([2, 1, 1], 0.5, DVec3::ONE);
        sample.grains.push(ball(DVec3::new(0.0, 0.0, 9.0), 0.5));
        assert_eq!(sample.touched(), [true, true, false]);
    }

    /// Twice as large, a lattice has the same density and twice the stress, at places twice as far from where it
    /// was enlarged from.
    #[test]
    fn a_larger_heap_presses_in_proportion() {
        use crate::{Region, region_stress};
        let (small, about) = (lattice([4, 4, 4], 0.5, DVec3::ONE), DVec3::new(1.0, 2.0, 0.0));
        let larger = small.clone().scaled(about, 2.0);
        let place = |x: f64| about + 2.0 * (DVec3::splat(x) - about);
        let (low, high) = (DVec3::splat(0.5), DVec3::splat(2.5));
        let before = Region::Box { low, high };
        let after = Region::Box { low: place(0.5), high: place(2.5) };
        let stress = region_stress(&larger, &after).entries[2][2];
        assert!((stress - 2.0 * region_stress(&small, &before).entries[2][2]).abs() < 1e-12);
        assert!((after.solid_fraction(&larger) - before.solid_fraction(&small)).abs() < 1e-12);
        assert!((larger.measure() - 8.0 * small.measure()).abs() < 1e-12 * larger.measure());
        assert!((larger.grain_density() - small.grain_density()).abs() < 1e-12);
    }

    #[test]
    fn the_mean_of_two_moments_has_their_mean_stress_and_density() {
        use crate::{Region, coordination, region_stress};
        let [first, second] = [1.0, 3.0].map(|p| lattice([4, 4, 4], 0.5, DVec3::splat(p)));
        let region = Region::Box { low: DVec3::splat(0.5), high: DVec3::splat(2.5) };
        let (alone, other) = (region.solid_fraction(&first), coordination(&first, Some(&region)));
        let mean = Sample::mean_of([&first, &second].into_iter());
        assert!((region_stress(&mean, &region).entries[2][2] - 2.0).abs() < 1e-12);
        assert!((region.solid_fraction(&mean) - alone).abs() < 1e-12);
        assert_eq!(coordination(&mean, Some(&region)).mean, other.mean);
    }
}
