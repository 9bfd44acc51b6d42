//! Forces across a segment swept about a vertical axis, and the reciprocity of cuts
//! (Moreau 2003, §9.1 and §9.3).
//!
//! In a meridional half-plane a point is (r, z): its distance from the axis and its height. A segment
//! there sweeps a ribbon of a cone or cylinder. A contact crosses it if its two grains have their
//! centres on either side of the cone and if the contact itself projects on the segment. The force
//! density t is the sum over these contacts, by the area of the ribbon, of the meridional components of
//! the force that the side behind the normal n exerts on the side ahead of it: t = σ n, with n · t
//! positive in compression. A symmetric stress gives n · t' = n' · t for two cuts through one place.

use crate::floor::sector;
use crate::{Estimate, Sample, horizontal_radius};
use drystone_space::{DVec2, DVec3, Volume};
use std::f64::consts::PI;

/// Sectors whose scatter gives the sampling error.
const SECTORS: usize = 8;

/// A segment of a meridional half-plane: points (radius, height).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cut {
    /// One end.
    pub start: DVec2,
    /// The other end.
    pub end: DVec2,
}

/// Force density across a cut.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CutForce {
    /// Radial component.
    pub radial: Estimate,
    /// Vertical component.
    pub vertical: Estimate,
    /// Contacts that cross.
    pub contacts: usize,
}

impl CutForce {
    /// The mean force density, (radial, vertical).
    pub fn density(&self) -> DVec2 {
        DVec2::new(self.radial.mean, self.vertical.mean)
    }
}

impl Cut {
    /// A cut of the given length through `centre`, whose normal is turned by `angle` (radians) from
    /// the outward radius toward up.
    pub fn through(centre: DVec2, length: f64, angle: f64) -> Self {
        let half = DVec2::from_angle(angle).perp() * (0.5 * length);
        Self { start: centre - half, end: centre + half }
    }
    /// Unit normal: outward for a cut that runs upward.
    pub fn normal(&self) -> DVec2 {
        -(self.end - self.start).normalize().perp()
    }
    /// Area of the ribbon.
    pub fn area(&self) -> f64 {
        PI * (self.start.x + self.end.x) * self.start.distance(self.end)
    }
    /// The force density across the ribbon about the axis.
    pub fn force(&self, sample: &Sample<Volume>, axis: DVec3) -> CutForce {
        let (densities, contacts) = self.sectors(sample, axis);
        CutForce {
            radial: Estimate::of(&densities.map(|t| t.x)),
            vertical: Estimate::of(&densities.map(|t| t.y)),
            contacts,
        }
    }
    /// Force densities of sectors, and the number of contacts; the mean is that of the whole ribbon.
    fn sectors(&self, sample: &Sample<Volume>, axis: DVec3) -> ([DVec2; SECTORS], usize) {
        let (normal, along) = (self.normal(), self.end - self.start);
        let meridional = |p: DVec3| DVec2::new(horizontal_radius(p, axis), p.z);
        let (mut sums, mut count) = ([DVec2::ZERO; SECTORS], 0);
        for contact in sample.active() {
            let (Some(first), Some(second)) = (contact.first.grain(), contact.second.grain())
            else {
                continue;
            };
            let ahead = [first, second]
                .map(|i| (meridional(sample.grains[i].position) - self.start).dot(normal) > 0.0);
            let part = (meridional(contact.point) - self.start).dot(along) / along.length_squared();
            if ahead[0] == ahead[1] || !(0.0..1.0).contains(&part) {
                continue;
            }
            let force = if ahead[0] { contact.force } else { -contact.force };
            let arm = contact.point - axis;
            let outward = DVec2::new(arm.x, arm.y).normalize_or_zero();
            let radial = force.x * outward.x + force.y * outward.y;
            sums[sector(arm, SECTORS)] += DVec2::new(radial, force.z);
            count += 1;
        }
        (sums.map(|sum| sum * (SECTORS as f64 / self.area())), count)
    }
}

/// Two cuts through one place, and how far from reciprocal their forces are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reciprocity {
    /// The two cuts.
    pub cuts: [Cut; 2],
    /// Their forces.
    pub forces: [CutForce; 2],
    /// n · t' − n' · t; its error is that of sampling.
    pub mismatch: Estimate,
    /// Mean size of t and t'.
    pub size: f64,
}

/// Compares two cuts through one place.
pub fn reciprocity(sample: &Sample<Volume>, axis: DVec3, cuts: [Cut; 2]) -> Reciprocity {
    let [first, second] = cuts.map(|cut| cut.sectors(sample, axis).0);
    let [n, other] = cuts.map(|cut| cut.normal());
    let differences: [f64; SECTORS] =
        std::array::from_fn(|i| n.dot(second[i]) - other.dot(first[i]));
    let forces = cuts.map(|cut| cut.force(sample, axis));
    let size = 0.5 * (forces[0].density().length() + forces[1].density().length());
    Reciprocity { cuts, forces, mismatch: Estimate::of(&differences), size }
}

/// Pairs of perpendicular cuts on a grid of places inside a cone: for each place one pair along the
/// axes and one between them.
///
/// Cuts are as long as the places are apart, and none comes nearer to the axis or to the surface than
/// half of that.
pub fn grid_of_pairs(floor: f64, apex: f64, slope: f64, length: f64) -> Vec<[Cut; 2]> {
    let mut pairs = Vec::new();
    let surface = slope.hypot(1.0);
    for row in 0.. {
        let height = floor + (row as f64 + 1.0) * length;
        if height >= apex {
            return pairs;
        }
        for column in 0.. {
            let radius = (column as f64 + 1.0) * length;
            if (apex - height - slope * radius) / surface < 0.75 * length {
                break;
            }
            let centre = DVec2::new(radius, height);
            let cut = |degrees: f64| Cut::through(centre, length, degrees.to_radians());
            pairs.push([cut(0.0), cut(90.0)]);
            pairs.push([cut(45.0), cut(135.0)]);
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::tests::lattice;

    #[test]
    fn the_geometry_of_a_cut() {
        let cylinder = Cut { start: DVec2::new(2.0, 1.0), end: DVec2::new(2.0, 4.0) };
        assert_eq!(cylinder.normal(), DVec2::X);
        assert!((cylinder.area() - 12.0 * PI).abs() < 1e-13);
        let through = Cut::through(DVec2::new(2.0, 2.5), 3.0, 0.0);
        assert!(
            through.start.distance(cylinder.start) < 1e-15
                && through.end.distance(cylinder.end) < 1e-15
        );
        let floor = Cut::through(DVec2::new(2.0, 2.5), 1.0, 0.5 * PI);
        assert!((floor.normal() - DVec2::Y).length() < 1e-15);
    }

    /// A lattice under uniform pressure p: every cut must find t = p n.
    fn uniform() -> (Sample<Volume>, DVec3) {
        let sample = lattice([50, 50, 24], 0.5, DVec3::splat(4.0));
        (sample, DVec3::new(24.5, 24.5, 0.0))
    }

    #[test]
    fn a_uniform_pressure_acts_along_the_normal_of_every_cut() {
        let (sample, axis) = uniform();
        for degrees in [0.0f64, 20.0, 45.0, 70.0, 90.0, 130.0] {
            let cut = Cut::through(DVec2::new(14.2, 11.3), 9.0, degrees.to_radians());
            let found = cut.force(&sample, axis);
            let expected = cut.normal() * 4.0;
            // The lattice is coarse: cuts meet its planes by chance.
            assert!((found.density() - expected).length() < 0.3, "{degrees}: {found:?}");
            assert!(found.contacts > 500 && found.radial.error < 0.4);
        }
    }

    #[test]
    fn a_symmetric_stress_is_reciprocal() {
        let (sample, axis) = uniform();
        for pair in grid_of_pairs(3.0, 24.0, 1.0, 7.0) {
            let found = reciprocity(&sample, axis, pair);
            assert!(found.mismatch.mean.abs() < 0.1 * found.size, "{found:?}");
        }
        // Shear forces on vertical planes only: the stress is not symmetric, and it is seen.
        let mut skew = sample;
        for contact in &mut skew.contacts {
            let upright = contact.normal.z != 0.0;
            contact.force = if upright { DVec3::ZERO } else { DVec3::Z };
            let outward = contact.normal.dot(contact.point - axis) > 0.0;
            contact.force *= if outward { 1.0 } else { -1.0 };
        }
        let cut = |angle: f64| Cut::through(DVec2::new(12.2, 12.3), 8.0, angle);
        let found = reciprocity(&skew, axis, [cut(0.0), cut(0.5 * PI)]);
        assert!(found.mismatch.mean.abs() > found.size, "{found:?}");
    }

    #[test]
    fn the_grid_lies_inside_the_cone() {
        let pairs = grid_of_pairs(0.0, 10.0, 0.5, 1.5);
        assert!(pairs.len() > 20);
        for cut in pairs.iter().flatten() {
            for end in [cut.start, cut.end] {
                assert!(end.x > 0.0 && end.y > 0.0 && end.y + 0.5 * end.x < 10.0);
            }
        }
    }
}
