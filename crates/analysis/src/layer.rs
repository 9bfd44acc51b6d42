//! Fossil layers: where grains of one time of birth lie now (Moreau 2003, §9.2).

use crate::{Sample, horizontal_radius, up};
use drystone_space::{Space, math};

/// Grains of a layer in one ring.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LayerRing {
    /// Middle of the ring.
    pub radius: f64,
    /// How many grains.
    pub grains: usize,
    /// Mean height of their centres.
    pub height: f64,
    /// Standard deviation of these heights.
    pub deviation: f64,
}

/// The grains that were born from one time to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// First time of birth.
    pub from: f64,
    /// Time at which the next layer starts.
    pub to: f64,
    /// All rings out to the farthest grain.
    pub rings: Vec<LayerRing>,
}

/// Rings on each side that give a layer's slope.
const REACH: usize = 2;
/// A ring of fewer grains says nothing of the layer's height.
const FEWEST: usize = 5;

impl Layer {
    /// Angle of the layer's meridional section at a ring, in radians, negative where it falls outward;
    /// `None` where fewer than three rings near it hold enough grains.
    pub fn inclination(&self, ring: usize) -> Option<f64> {
        let (first, last) = (ring.saturating_sub(REACH), (ring + REACH).min(self.rings.len() - 1));
        let near: Vec<&LayerRing> =
            self.rings[first..=last].iter().filter(|r| r.grains >= FEWEST).collect();
        if near.len() < 3 || self.rings[ring].grains < FEWEST {
            return None;
        }
        let count = near.len() as f64;
        let x = near.iter().map(|r| r.radius).sum::<f64>() / count;
        let y = near.iter().map(|r| r.height).sum::<f64>() / count;
        let spread: f64 = near.iter().map(|r| math::square(r.radius - x)).sum();
        let rise: f64 = near.iter().map(|r| (r.radius - x) * (r.height - y)).sum();
        Some(math::atan(rise / spread))
    }
}

/// The layers between consecutive `dates`, in rings of one width about the axis.
pub fn layers<S: Space>(
    sample: &Sample<S>,
    axis: S::Vector,
    dates: &[f64],
    width: f64,
) -> Vec<Layer> {
    let layer = |pair: &[f64]| {
        let members = sample.grains.iter().filter(|g| g.birth >= pair[0] && g.birth < pair[1]);
        let mut heights: Vec<Vec<f64>> = Vec::new();
        for grain in members {
            let ring = (horizontal_radius(grain.position, axis) / width) as usize;
            if ring >= heights.len() {
                heights.resize(ring + 1, Vec::new());
            }
            heights[ring].push(up(grain.position));
        }
        let ring = |(index, heights): (usize, Vec<f64>)| {
            let count = heights.len().max(1) as f64;
            let height = heights.iter().sum::<f64>() / count;
            let square = heights.iter().map(|z| math::square(z - height)).sum::<f64>() / count;
            let radius = (index as f64 + 0.5) * width;
            LayerRing { radius, grains: heights.len(), height, deviation: square.sqrt() }
        };
        let rings = heights.into_iter().enumerate().map(ring).collect();
        Layer { from: pair[0], to: pair[1], rings }
    };
    dates.windows(2).map(layer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::tests::ball;
    use drystone_space::DVec3;

    #[test]
    fn layers_are_told_apart_by_birth_and_have_their_slope() {
        let mut sample = Sample::default();
        // Two cones, the later one above the earlier, both falling by 0.5 per radius.
        for birth in [1.0, 2.0] {
            for x in -12..=12 {
                for y in -12..=12 {
                    let (x, y) = (f64::from(x), f64::from(y));
                    let at = DVec3::new(x, y, 10.0 + birth - 0.5 * x.hypot(y));
                    sample.grains.push(crate::Grain { birth, ..ball(at, 0.3) });
                }
            }
        }
        let found = layers(&sample, DVec3::ZERO, &[0.5, 1.5, 2.5], 2.0);
        assert_eq!(found.len(), 2);
        assert_eq!(found.iter().flat_map(|l| &l.rings).map(|r| r.grains).sum::<usize>(), 2 * 625);
        for ring in 2..5 {
            let angle = found[0].inclination(ring).unwrap();
            assert!((angle + f64::atan(0.5)).abs() < 0.02, "{angle}");
            assert!(
                (found[1].rings[ring].height - found[0].rings[ring].height - 1.0).abs() < 1e-12
            );
        }
        // Corners hold few grains; an empty layer has no rings.
        assert!(layers(&sample, DVec3::ZERO, &[7.0, 8.0], 2.0)[0].rings.is_empty());
    }
}
