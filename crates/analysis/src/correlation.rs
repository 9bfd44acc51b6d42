//! How often grains are at a distance from each other, by how often they would be if they lay anywhere.

use crate::{Region, Sample, SampleCell, specimen_box};
use drystone_space::{Space, Vector, math};
use std::collections::HashMap;
use std::f64::consts::PI;

/// g(r) in classes of distance.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PairCorrelation {
    /// Width of a class.
    pub width: f64,
    /// Grains about which others were counted.
    pub grains: usize,
    /// g at the middles of classes from zero up.
    pub values: Vec<f64>,
}

/// g(r) up to a distance, about grains that are farther than it from the faces of the region (without one, of the box of all
/// grains): those have neighbours all around. In a periodic cell about all grains, up to half its width. `None` where there are none.
pub fn pair_correlation<S: Space>(
    sample: &Sample<S>,
    region: Option<&Region<S>>,
    width: f64,
    classes: usize,
) -> Option<PairCorrelation> {
    let reach = width * classes as f64;
    if let (Some(cell), None) = (&sample.cell, region)
        && cell.is_closed()
    {
        return in_cell(sample, cell, width, classes);
    }
    let (low, high) = match region {
        Some(Region::Box { low, high }) => (*low, *high),
        _ => specimen_box(sample)?,
    };
    let all: Region<S> = Region::Box { low, high };
    let margin = S::Vector::splat(reach);
    let core: Region<S> = Region::Box { low: low + margin, high: high - margin };
    if (0..S::DIMENSION).any(|i| (high - low).get(i) <= 2.0 * reach) {
        return None;
    }
    let places: Vec<S::Vector> =
        sample.grains.iter().map(|g| g.position).filter(|&at| all.contains(at)).collect();
    let cell = |at: S::Vector| -> [i64; 3] {
        std::array::from_fn(|i| match i < S::DIMENSION {
            true => ((at - low).get(i) / reach).floor() as i64,
            false => 0,
        })
    };
    let mut members: HashMap<[i64; 3], Vec<usize>> = HashMap::new();
    for (index, &at) in places.iter().enumerate() {
        members.entry(cell(at)).or_default().push(index);
    }
    let (mut counts, mut grains) = (vec![0.0; classes], 0);
    for (index, &at) in places.iter().enumerate().filter(|(_, at)| core.contains(**at)) {
        grains += 1;
        let [x, y, z] = cell(at);
        let near = (0..27).map(|code| [x + code % 3 - 1, y + code / 3 % 3 - 1, z + code / 9 - 1]);
        for &other in near.filter_map(|place| members.get(&place)).flatten() {
            let class = ((places[other] - at).norm() / width) as usize;
            if other != index && class < classes {
                counts[class] += 1.0;
            }
        }
    }
    let density = places.len() as f64 / all.measure();
    (grains > 0).then(|| PairCorrelation::of::<S>(width, grains, density, &counts))
}

/// The same in a cell that is closed in all directions: about all grains, with nearest images.
fn in_cell<S: Space>(
    sample: &Sample<S>,
    cell: &SampleCell<S>,
    width: f64,
    classes: usize,
) -> Option<PairCorrelation> {
    // Farther than half the cell's width there are images that are not seen.
    let classes = classes.min((0.5 * cell.lattice.least_width() / width) as usize);
    let mut counts = vec![0.0; classes];
    for (index, one) in sample.grains.iter().enumerate() {
        for other in &sample.grains[index + 1..] {
            let distance = cell.lattice.nearest(one.position - other.position).norm();
            if let Some(count) = counts.get_mut((distance / width) as usize) {
                *count += 2.0;
            }
        }
    }
    let grains = sample.grains.len();
    let density = grains as f64 / cell.lattice.measure();
    (grains > 0 && classes > 0).then(|| PairCorrelation::of::<S>(width, grains, density, &counts))
}

impl PairCorrelation {
    /// From how many neighbours were counted in each class about so many grains.
    fn of<S: Space>(width: f64, grains: usize, density: f64, counts: &[f64]) -> Self {
        let ball =
            |r: f64| if S::DIMENSION == 2 { PI * r * r } else { 4.0 / 3.0 * PI * math::powi(r, 3) };
        let expected = |class: usize| {
            let (inner, outer) = (class as f64 * width, (class + 1) as f64 * width);
            density * (ball(outer) - ball(inner)) * grains as f64
        };
        let values = counts.iter().enumerate().map(|(class, count)| count / expected(class));
        Self { width, grains, values: values.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::tests::{ball, lattice};
    use drystone_space::{DVec3, Random, Volume};

    /// A cubic lattice has 6 neighbours at 1, 12 at √2, 8 at √3, and none between.
    #[test]
    fn a_lattice_has_its_shells() {
        let sample = lattice([12, 12, 12], 0.5, DVec3::ONE);
        let found = pair_correlation(&sample, None, 0.1, 20).unwrap();
        let shell = |class: usize| {
            let (a, b) = (0.1 * class as f64, 0.1 * (class + 1) as f64);
            let volume = 4.0 / 3.0 * PI * (b * b * b - a * a * a);
            found.values[class] * volume
        };
        for (class, count) in [(10, 6.0), (14, 12.0), (17, 8.0), (12, 0.0), (5, 0.0)] {
            assert!((shell(class) - count).abs() < 1e-9, "{class}: {}", shell(class));
        }
    }

    #[test]
    fn grains_that_lie_anywhere_have_no_order() {
        let mut random = Random::new(1, 0);
        let mut place = || DVec3::new(random.unit(), random.unit(), random.unit());
        let grains = (0..8000).map(|_| ball(place(), 1e-6)).collect();
        let sample = Sample::<Volume> { grains, ..Sample::default() };
        let found = pair_correlation(&sample, None, 0.05, 4).unwrap();
        for g in &found.values[1..] {
            assert!((g - 1.0).abs() < 0.03, "{:?}", found.values);
        }
        assert!(pair_correlation(&sample, None, 0.2, 4).is_none());
    }
}
