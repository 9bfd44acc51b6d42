//! Parts of the space, and how much of them grains fill.
//!
//! A ball that a face of the region cuts is sampled by [`POINTS`] points of low discrepancy. The
//! share of one such ball is then wrong by less than 1 %, and errors of different balls are
//! independent: over a region whose rim cuts n balls out of N the solid fraction is wrong by about
//! 0.005 √n / N, far below the scatter of a packing.

use crate::{Sample, horizontal_radius, up};
use drystone_space::{Lattice, Space, Vector, math};
use std::f64::consts::{PI, TAU};
use std::sync::LazyLock;

/// Points that sample a ball.
const POINTS: usize = 800;

/// A part of the space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Region<S: Space> {
    /// Between two corners.
    Box {
        /// Lowest corner.
        low: S::Vector,
        /// Highest corner.
        high: S::Vector,
    },
    /// Between two radii about a vertical axis and between two heights; a cylinder if `inner` is 0.
    Ring {
        /// A point of the axis.
        axis: S::Vector,
        /// Smallest radius.
        inner: f64,
        /// Largest radius.
        outer: f64,
        /// Lowest height.
        low: f64,
        /// Highest height.
        high: f64,
    },
    /// Above a height and below a cone.
    Cone {
        /// A point of the axis.
        axis: S::Vector,
        /// Height of the base.
        low: f64,
        /// Height of the apex.
        apex: f64,
        /// Fall of the surface per radius.
        slope: f64,
    },
    /// A periodic cell, all of it along the directions that are periodic, and between two ends along the others.
    Cell {
        /// The cell.
        lattice: Lattice<S>,
        /// Lowest corner, of which only directions count that have an end.
        low: S::Vector,
        /// Highest corner.
        high: S::Vector,
    },
}

impl<S: Space> Region<S> {
    /// Area in the plane, volume in space.
    pub fn measure(&self) -> f64 {
        let in_plane = S::DIMENSION == 2;
        match *self {
            Self::Box { low, high } => (0..S::DIMENSION).map(|i| (high - low).get(i)).product(),
            Self::Ring { inner, outer, low, high, .. } if in_plane => {
                2.0 * (outer - inner) * (high - low)
            }
            Self::Ring { inner, outer, low, high, .. } => {
                PI * (outer * outer - inner * inner) * (high - low)
            }
            Self::Cone { low, apex, slope, .. } => {
                let (height, base) = (apex - low, (apex - low) / slope);
                if in_plane { base * height } else { PI * base * base * height / 3.0 }
            }
            Self::Cell { lattice, low, high } => {
                let [low, high] = [low, high].map(|corner| lattice.fractions(corner));
                let ends = (0..S::DIMENSION).filter(|&i| !lattice.is_periodic(i));
                ends.fold(lattice.measure(), |measure, i| measure * (high - low).get(i))
            }
        }
    }
    /// Whether a point is inside.
    pub fn contains(&self, point: S::Vector) -> bool {
        self.clearance(point) >= 0.0
    }
    /// Distance to the nearest face, negative outside. Outside it may be short of the true distance.
    fn clearance(&self, point: S::Vector) -> f64 {
        match *self {
            Self::Box { low, high } => {
                let axis = |i| (point - low).get(i).min((high - point).get(i));
                (0..S::DIMENSION).map(axis).fold(f64::INFINITY, f64::min)
            }
            Self::Ring { axis, inner, outer, low, high } => {
                let (radius, height) = (horizontal_radius(point, axis), up(point));
                let hole = if inner > 0.0 { radius - inner } else { f64::INFINITY };
                hole.min(outer - radius).min(height - low).min(high - height)
            }
            Self::Cone { axis, low, apex, slope } => {
                let (radius, height) = (horizontal_radius(point, axis), up(point));
                ((apex - slope * radius - height) / math::hypot(slope, 1.0)).min(height - low)
            }
            Self::Cell { lattice, low, high } => {
                let [at, low, high] = [point, low, high].map(|place| lattice.fractions(place));
                let room = |i: usize| (at - low).get(i).min((high - at).get(i)) * lattice.width(i);
                let ends = (0..S::DIMENSION).filter(|&i| !lattice.is_periodic(i));
                ends.map(room).fold(f64::INFINITY, f64::min)
            }
        }
    }
    /// The part of a disk or ball that is inside, from 0 to 1.
    pub fn share(&self, centre: S::Vector, radius: f64) -> f64 {
        let clearance = self.clearance(centre);
        if clearance >= radius {
            return 1.0;
        }
        if clearance <= -radius {
            return 0.0;
        }
        // With its mirror image each point is right for every face through the centre.
        let inside = |point: &[f64; 3]| {
            let arm = S::Vector::from_fn(|i| point[i]) * radius;
            usize::from(self.contains(centre + arm)) + usize::from(self.contains(centre - arm))
        };
        points(S::DIMENSION).iter().map(inside).sum::<usize>() as f64 / POINTS as f64
    }
    /// The part of the region that grains fill.
    ///
    /// Where grains overlap, what they share counts twice.
    pub fn solid_fraction(&self, sample: &Sample<S>) -> f64 {
        let filled = sample.grains.iter().map(|g| g.measure * self.share(g.position, g.radius));
        filled.sum::<f64>() / self.measure()
    }
}

/// Half of the points of the unit disk or ball: additive sequences of low discrepancy (Roberts 2018), whose steps are
/// powers of the root of x^(d+1) = x + 1. Made once: their roots and sines take longer than what is asked of them.
fn points(dimension: usize) -> &'static [[f64; 3]] {
    static DISK: LazyLock<Vec<[f64; 3]>> = LazyLock::new(|| (0..POINTS / 2).map(in_disk).collect());
    static BALL: LazyLock<Vec<[f64; 3]>> = LazyLock::new(|| (0..POINTS / 2).map(in_ball).collect());
    if dimension == 2 { &DISK } else { &BALL }
}

fn in_disk(index: usize) -> [f64; 3] {
    let k = index as f64 + 0.5;
    let radius = (2.0 * k / POINTS as f64).sqrt();
    let (sin, cos) = math::sin_cos(TAU * (k * 0.618_033_988_749_895).fract());
    [radius * cos, radius * sin, 0.0]
}

fn in_ball(index: usize) -> [f64; 3] {
    const ROOT: f64 = 1.220_744_084_605_759_5;
    let k = index as f64 + 0.5;
    let [a, b, c] = [1, 2, 3].map(|power| (k / math::powi(ROOT, power)).fract());
    let (radius, height) = (math::cbrt(a), 1.0 - 2.0 * b);
    let across = (1.0 - height * height).sqrt();
    let (sin, cos) = math::sin_cos(TAU * c);
    [radius * across * cos, radius * across * sin, radius * height]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Grain;
    use crate::sample::tests::{ball, lattice};
    use drystone_space::{DVec2, DVec3, Plane, Volume};

    #[test]
    fn shares_of_a_ball_cut_by_a_plane() {
        // The cap of height h of a ball of radius 1 has the share h² (3 − h) / 4.
        for height in [0.1, 0.5, 1.0, 1.6] {
            let low = DVec3::new(-9.0, -9.0, 1.0 - height);
            let region = Region::<Volume>::Box { low, high: DVec3::splat(9.0) };
            let expected = height * height * (3.0 - height) / 4.0;
            let found = region.share(DVec3::ZERO, 1.0);
            assert!((found - expected).abs() < 0.01, "{height}: {found}, not {expected}");
        }
        // Half a disk.
        let region = Region::<Plane>::Box { low: DVec2::new(0.0, -9.0), high: DVec2::splat(9.0) };
        assert!((region.share(DVec2::ZERO, 1.0) - 0.5).abs() < 0.01);
    }

    #[test]
    fn the_densest_packing_fills_pi_by_the_root_of_18() {
        // Face-centred cubic: a cubic cell of edge √8 r holds four balls.
        let (radius, mut sample) = (1.0, Sample::<Volume>::default());
        let edge = 8f64.sqrt() * radius;
        for x in 0..12 {
            for y in 0..12 {
                for z in 0..12 {
                    if (x + y + z) % 2 == 0 {
                        let at = DVec3::new(f64::from(x), f64::from(y), f64::from(z));
                        sample.grains.push(ball(at * (0.5 * edge), radius));
                    }
                }
            }
        }
        // Three cells along each axis, cut where it happens.
        let low = DVec3::new(3.1, 2.7, 3.3);
        let region = Region::Box { low, high: low + DVec3::splat(3.0 * edge) };
        let found = region.solid_fraction(&sample);
        assert!((found - PI / 18f64.sqrt()).abs() < 1e-3, "{found}");
        // A cylinder cuts cells anywhere: 5 % of its balls are cut unevenly.
        let centre = DVec3::splat(2.75 * edge);
        let region =
            Region::Ring { axis: centre, inner: 0.0, outer: 5.0, low: 2.8, high: 2.8 + 3.0 * edge };
        let found = region.solid_fraction(&sample);
        assert!((found - PI / 18f64.sqrt()).abs() < 1e-2, "{found}");
    }

    #[test]
    fn a_cubic_lattice_fills_pi_by_six_and_rows_of_disks_pi_by_four() {
        let sample = lattice([6, 6, 6], 0.5, DVec3::ONE);
        let region = Region::Box { low: DVec3::splat(0.8), high: DVec3::splat(3.8) };
        assert!((region.solid_fraction(&sample) - PI / 6.0).abs() < 1e-3);
        let grain = |x: i32, y: i32| Grain::<Plane> {
            position: DVec2::new(f64::from(x), f64::from(y)),
            radius: 0.5,
            measure: PI / 4.0,
            mass: 1.0,
            birth: 0.0,
            velocity: DVec2::ZERO,
        };
        let grains = (0..36).map(|i| grain(i % 6, i / 6)).collect();
        let rows = Sample { grains, ..Sample::default() };
        let region = Region::Box { low: DVec2::splat(0.8), high: DVec2::splat(3.8) };
        assert!((region.solid_fraction(&rows) - PI / 4.0).abs() < 2e-3);
    }

    #[test]
    fn measures() {
        let axis = DVec3::ZERO;
        let ring = Region::<Volume>::Ring { axis, inner: 1.0, outer: 2.0, low: 0.0, high: 3.0 };
        assert!((ring.measure() - 9.0 * PI).abs() < 1e-14);
        let cone = Region::<Volume>::Cone { axis, low: 1.0, apex: 3.0, slope: 0.5 };
        assert!((cone.measure() - PI * 16.0 * 2.0 / 3.0).abs() < 1e-13);
        assert!(
            cone.contains(DVec3::new(3.9, 0.0, 1.0)) && !cone.contains(DVec3::new(3.9, 0.0, 1.1))
        );
        assert!(
            ring.contains(DVec3::new(0.0, 1.5, 1.0)) && !ring.contains(DVec3::new(0.0, 0.5, 1.0))
        );
        let triangle = Region::<Plane>::Cone { axis: DVec2::ZERO, low: 0.0, apex: 2.0, slope: 1.0 };
        assert_eq!(triangle.measure(), 4.0);
    }
}
