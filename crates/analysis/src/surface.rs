//! The free surface of a heap about a vertical axis.
//!
//! The surface is what is seen from above: over each point of a fine grid, the top of the highest
//! grain there. Its mean over rings gives a profile, and a line through the profile between a fifth
//! and four fifths of the height gives the slope: neither the rounded top nor the scattered foot has a
//! say. In a container, such as a drum, a plane through the heights over its middle has a tilt.

use crate::{Grain, Sample, horizontal_radius, up};
use drystone_space::{Space, Vector, math};

/// Part of the height at which the fitted stretch of the slope starts and ends.
const FITTED: (f64, f64) = (0.2, 0.8);
/// Part of the grains that lie farther out than the grid reaches: strays that have rolled away.
const STRAYS: f64 = 0.005;
/// Part of the way to the nearest side over which the tilt is measured.
const MIDDLE: f64 = 0.6;
/// Lines of the grid per mean diameter.
const LINES: f64 = 6.0;

/// The profile of a heap.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// Width of a ring.
    pub width: f64,
    /// Mean height of the surface above the floor in each ring, from the axis outward; what no grain
    /// covers counts with height zero.
    pub heights: Vec<f64>,
    /// Half a mean diameter: what is lower is not part of the heap.
    least: f64,
}

/// A line through the profile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slope {
    /// Fall per radius.
    pub slope: f64,
    /// Height of the line on the axis.
    pub apex: f64,
    /// Angle of the surface below the horizontal, in degrees.
    pub degrees: f64,
    /// Standard error of the angle, from the scatter about the line, in degrees.
    pub error: f64,
}

impl Surface {
    /// The profile about the axis through `axis`, above a floor at height `floor`.
    pub fn of<S: Space>(sample: &Sample<S>, axis: S::Vector, floor: f64, width: f64) -> Self {
        let grains = lying(sample);
        let mut radii: Vec<f64> =
            grains.iter().map(|g| horizontal_radius(g.position, axis)).collect();
        radii.sort_by(f64::total_cmp);
        let rank = (radii.len() as f64 * (1.0 - STRAYS)) as usize;
        let outer = radii.get(rank.min(radii.len().saturating_sub(1))).copied().unwrap_or(0.0);
        let diameter = sample.mean_diameter();
        let rings = ((outer + 0.5 * diameter) / width).ceil() as usize;
        let mut grid = Grid::new(rings as f64 * width, diameter / LINES, S::DIMENSION - 1);
        grains.iter().for_each(|grain| grid.cover(*grain, axis, floor));
        Self { width, heights: grid.rings(width, rings), least: 0.5 * diameter }
    }

    /// The mean of several profiles with rings of one width.
    pub fn mean_of(profiles: &[Self]) -> Self {
        let rings = profiles.iter().map(|profile| profile.heights.len()).max().unwrap_or(0);
        let mean = |of: &dyn Fn(&Self) -> f64| {
            profiles.iter().map(of).sum::<f64>() / profiles.len().max(1) as f64
        };
        let height = |ring: usize| mean(&|p| p.heights.get(ring).copied().unwrap_or(0.0));
        Self {
            width: mean(&|p| p.width),
            heights: (0..rings).map(height).collect(),
            least: mean(&|p| p.least),
        }
    }

    /// Middle of a ring.
    pub fn radius(&self, ring: usize) -> f64 {
        (ring as f64 + 0.5) * self.width
    }
    /// Largest mean height of a ring.
    pub fn height(&self) -> f64 {
        self.heights.iter().copied().fold(0.0, f64::max)
    }
    /// Radius of the foot: where, from outside, the mean height first exceeds half a mean diameter.
    pub fn base(&self) -> f64 {
        let outer = self.heights.iter().rposition(|&h| h > self.least);
        let Some(ring) = outer else { return 0.0 };
        let (inside, outside) =
            (self.heights[ring], self.heights.get(ring + 1).copied().unwrap_or(0.0));
        self.radius(ring) + self.width * (inside - self.least) / (inside - outside)
    }
    /// The slope of the heap; `None` if the profile does not fall over at least three rings.
    pub fn slope(&self) -> Option<Slope> {
        let height = self.height();
        let top = self.heights.iter().rposition(|&h| h > FITTED.1 * height)?;
        let fitted = |h: f64| h > FITTED.0 * height && h <= FITTED.1 * height;
        let rings = (top + 1..self.heights.len()).take_while(|&ring| fitted(self.heights[ring]));
        let points: Vec<(f64, f64)> = rings.map(|r| (self.radius(r), self.heights[r])).collect();
        if points.len() < 3 {
            return None;
        }
        let count = points.len() as f64;
        let mean = |f: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>() / count;
        let (x, y) = (mean(&|p| p.0), mean(&|p| p.1));
        let spread: f64 = points.iter().map(|p| math::square(p.0 - x)).sum();
        let slope = -points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum::<f64>() / spread;
        if slope <= 0.0 {
            return None;
        }
        let apex = y + slope * x;
        let square: f64 = points.iter().map(|p| math::square(p.1 - apex + slope * p.0)).sum();
        let deviation = (square / ((count - 2.0) * spread)).sqrt();
        let degrees = math::atan(slope).to_degrees();
        Some(Slope {
            slope,
            apex,
            degrees,
            error: (deviation / (1.0 + slope * slope)).to_degrees(),
        })
    }
}

/// Grains that are not in flight: positions alone are enough where forces are not known.
fn lying<S: Space>(sample: &Sample<S>) -> Vec<&Grain<S>> {
    let touched = sample.touched();
    let all = !touched.contains(&true);
    let seen = sample.grains.iter().zip(touched).filter(|(_, touched)| all || *touched);
    seen.map(|(grain, _)| grain).collect()
}

/// Angle of the free surface of a bed against the horizontal, in degrees, over the middle of the bed
/// about `axis`; `None` where no grain covers it.
pub fn tilt<S: Space>(sample: &Sample<S>, axis: S::Vector) -> Option<f64> {
    let grains = lying(sample);
    let level = 0..S::DIMENSION - 1;
    let side = |i: usize, sign: f64| {
        grains.iter().map(|g| sign * (g.position - axis).get(i)).fold(0.0, f64::max)
    };
    let nearest = level.clone().flat_map(|i| [side(i, -1.0), side(i, 1.0)]);
    let outer = MIDDLE * nearest.fold(f64::INFINITY, f64::min);
    let lowest = grains.iter().map(|g| up(g.position) - g.radius).fold(f64::INFINITY, f64::min);
    let mut grid = Grid::new(outer, sample.mean_diameter() / LINES, S::DIMENSION - 1);
    grains.iter().for_each(|grain| grid.cover(*grain, axis, lowest));
    let mut sums = [(0.0, 0.0); 2];
    for (index, &height) in grid.heights.iter().enumerate() {
        if height <= 0.0 {
            return None;
        }
        // The grid is symmetric: sums of x, y and xy vanish.
        for (sum, x) in sums.iter_mut().zip(grid.place(index)) {
            *sum = (sum.0 + x * height, sum.1 + x * x);
        }
    }
    let slope = |(moment, square): (f64, f64)| if square > 0.0 { moment / square } else { 0.0 };
    let covered = grid.half > 0;
    covered.then(|| math::atan(math::hypot(slope(sums[0]), slope(sums[1]))).to_degrees())
}

/// Heights over a grid of vertical lines about the axis.
struct Grid {
    /// Lines on each side of the middle one.
    half: i64,
    spacing: f64,
    /// 1 in the plane, 2 in space.
    dimensions: usize,
    heights: Vec<f64>,
}

impl Grid {
    fn new(reach: f64, spacing: f64, dimensions: usize) -> Self {
        let half = if spacing > 0.0 { (reach / spacing).ceil() as i64 } else { 0 };
        let side = 2 * half as usize + 1;
        Self { half, spacing, dimensions, heights: vec![0.0; side.pow(dimensions as u32)] }
    }
    /// Raises the lines under a grain to its top.
    fn cover<S: Space>(&mut self, grain: &Grain<S>, axis: S::Vector, floor: f64) {
        let arm = grain.position - axis;
        let range = |i: usize| {
            if i >= self.dimensions {
                return 0..=0;
            }
            let line = |x: f64| x / self.spacing;
            let low = line(arm.get(i) - grain.radius).ceil() as i64;
            let high = line(arm.get(i) + grain.radius).floor() as i64;
            low.max(-self.half)..=high.min(self.half)
        };
        let side = 2 * self.half + 1;
        let away = |line: i64, i: usize| math::square(line as f64 * self.spacing - arm.get(i));
        for y in range(1) {
            for x in range(0) {
                let across = away(x, 0) + if self.dimensions > 1 { away(y, 1) } else { 0.0 };
                let rise = grain.radius * grain.radius - across;
                if rise >= 0.0 {
                    let row = if self.dimensions > 1 { (y + self.half) * side } else { 0 };
                    let height = &mut self.heights[(row + x + self.half) as usize];
                    *height = height.max(up(grain.position) + rise.sqrt() - floor);
                }
            }
        }
    }
    /// Where a line is.
    fn place(&self, index: usize) -> [f64; 2] {
        let side = 2 * self.half as usize + 1;
        let line = |i: usize| (i as f64 - self.half as f64) * self.spacing;
        [line(index % side), if self.dimensions > 1 { line(index / side) } else { 0.0 }]
    }
    /// Mean heights of rings.
    fn rings(&self, width: f64, count: usize) -> Vec<f64> {
        let mut sums = vec![(0.0, 0.0); count];
        for (index, height) in self.heights.iter().enumerate() {
            let [x, y] = self.place(index);
            if let Some(sum) = sums.get_mut((math::hypot(x, y) / width) as usize) {
                *sum = (sum.0 + height, sum.1 + 1.0);
            }
        }
        sums.into_iter().map(|(sum, lines)| if lines > 0.0 { sum / lines } else { 0.0 }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::tests::ball;
    use drystone_space::{DVec2, DVec3, Plane, Volume};

    /// Balls in layers, as many as fit below a cone of slope `slope` and height 20 balls.
    fn cone(slope: f64) -> Sample<Volume> {
        let mut sample = Sample::default();
        let reach = (20.0 / slope) as i32;
        for x in -reach..=reach {
            for y in -reach..=reach {
                for z in 0..20 {
                    // Every other layer lies over the gaps of the one below: nothing is seen through.
                    let shift = 0.5 * f64::from(z % 2);
                    let at =
                        DVec3::new(f64::from(x) + shift, f64::from(y) + shift, f64::from(z) + 0.5);
                    if at.z + slope * at.x.hypot(at.y) < 20.0 {
                        sample.grains.push(ball(at, 0.5));
                    }
                }
            }
        }
        sample
    }

    #[test]
    fn a_cone_has_its_angle() {
        for slope in [0.4, 0.7] {
            let surface = Surface::of(&cone(slope), DVec3::ZERO, 0.0, 1.0);
            let found = surface.slope().unwrap();
            let expected = f64::atan(slope).to_degrees();
            // Terraces of one ball along the way of 12.
            assert!((found.degrees - expected).abs() < 1.0, "{found:?} for {expected}");
            assert!(found.error < 0.5 && (found.apex - 20.0).abs() < 1.0);
            assert!((surface.base() - 20.0 / slope).abs() < 2.0, "{}", surface.base());
        }
    }

    /// The mean of two cones is between them, where their union has the surface of the higher one.
    #[test]
    fn a_mean_profile_is_between_its_parts() {
        let profiles = [0.4, 0.7].map(|slope| Surface::of(&cone(slope), DVec3::ZERO, 0.0, 1.0));
        let mean = Surface::mean_of(&profiles);
        for ring in 0..mean.heights.len() {
            let of = |p: &Surface| p.heights.get(ring).copied().unwrap_or(0.0);
            let half = 0.5 * (of(&profiles[0]) + of(&profiles[1]));
            assert!((mean.heights[ring] - half).abs() < 1e-12);
        }
        assert_eq!(mean.heights.len(), profiles[0].heights.len());
    }

    #[test]
    fn strays_and_falling_grains_do_not_matter() {
        let mut sample = cone(0.5);
        let alone = Surface::of(&sample, DVec3::ZERO, 0.0, 1.0).slope().unwrap();
        sample.grains.push(ball(DVec3::new(1e6, 0.0, 0.5), 0.5));
        let found = Surface::of(&sample, DVec3::ZERO, 0.0, 1.0);
        assert!(found.heights.len() < 100);
        assert!((found.slope().unwrap().degrees - alone.degrees).abs() < 0.1);
    }

    #[test]
    fn a_tilted_bed_has_its_angle() {
        let mut sample = Sample::<Volume>::default();
        for x in -60..=60 {
            for y in -60..=60 {
                // So dense that the surface is smooth.
                let (x, y) = (0.2 * f64::from(x), 0.2 * f64::from(y));
                sample.grains.push(ball(DVec3::new(x, y, 0.3 * x - 0.4 * y), 0.5));
            }
        }
        let found = tilt(&sample, DVec3::ZERO).unwrap();
        assert!((found - 0.5f64.atan().to_degrees()).abs() < 0.1, "{found}");
        // A hole in the middle has no surface.
        sample.grains.retain(|g| g.position.truncate().length() > 2.0);
        assert_eq!(tilt(&sample, DVec3::ZERO), None);
        assert_eq!(tilt(&Sample::<Volume>::default(), DVec3::ZERO), None);
    }

    #[test]
    fn a_flat_bed_has_no_slope_and_an_empty_one_no_height() {
        let mut sample = Sample::<Plane>::default();
        let empty = Surface::of(&sample, DVec2::ZERO, 0.0, 1.0);
        assert!(empty.slope().is_none() && empty.base() == 0.0 && empty.height() == 0.0);
        for x in -20..=20 {
            let position = DVec2::new(f64::from(x), 0.5);
            let velocity = DVec2::ZERO;
            let grain =
                Grain { position, radius: 0.5, measure: 1.0, mass: 1.0, birth: 0.0, velocity };
            sample.grains.push(grain);
        }
        let flat = Surface::of(&sample, DVec2::ZERO, 0.0, 1.0);
        assert!(flat.slope().is_none());
        // The mean height of a disk of diameter 1 seen from above: ½ + π/8.
        assert!((flat.heights[3] - (0.5 + std::f64::consts::PI / 8.0)).abs() < 0.05);
    }
}
