//! Forces across a segment swept about a vertical axis, and the reciprocity of cuts
//! (Moreau 2003, §9.1 and §9.3).
//!
//! In a meridional half-plane a point is (r, z): its distance from the axis and its height. A segment
//! there sweeps a ribbon of a cone or cylinder. A contact crosses it if its two grains have their
//! centres on either side of the cone and if the contact itself projects on the segment. The force
//! density t is the sum over these contacts, by the area of the ribbon, of the meridional components of
//! the force that the side behind the normal n exerts on the side ahead of it: t = σ n, with n · t
//! positive in compression. A symmetric stress gives n · t' = n' · t for two cuts through one place.

use crate::floor::{parts_about_axis, sector};
use crate::{Estimate, Sample, horizontal_radius, up};
use drystone_space::{DVec2, Space, Vector, math};
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
        let half = math::direction(angle).perp() * (0.5 * length);
        Self { start: centre - half, end: centre + half }
    }
    /// Unit normal: outward for a cut that runs upward.
    pub fn normal(&self) -> DVec2 {
        -(self.end - self.start).normalize().perp()
    }
    /// Area of the ribbon; in the plane the length of the segment and its mirror image.
    pub fn area<S: Space>(&self) -> f64 {
        let length = self.start.distance(self.end);
        if S::DIMENSION == 2 { 2.0 * length } else { PI * (self.start.x + self.end.x) * length }
    }
    /// The force density across the ribbon about the axis.
    pub fn force<S: Space>(&self, sample: &Sample<S>, axis: S::Vector) -> CutForce {
        let (densities, contacts) = self.sectors(sample, axis);
        let component = |i: usize| {
            let values: Vec<f64> = densities.iter().map(|t| t[i]).collect();
            Estimate::of(&values)
        };
        CutForce { radial: component(0), vertical: component(1), contacts }
    }
    /// Force densities of sectors, and the number of contacts; the mean is that of the whole ribbon.
    fn sectors<S: Space>(&self, sample: &Sample<S>, axis: S::Vector) -> (Vec<DVec2>, usize) {
        let (normal, along) = (self.normal(), self.end - self.start);
        let meridional = |p: S::Vector| DVec2::new(horizontal_radius(p, axis), up(p));
        let parts = parts_about_axis::<S>(SECTORS);
        let (mut sums, mut count) = (vec![DVec2::ZERO; parts], 0);
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
            let outward = |i: usize| arm.get(i) / horizontal_radius(contact.point, axis);
            let radial: f64 = (0..S::DIMENSION - 1).map(|i| force.get(i) * outward(i)).sum();
            sums[sector(arm, parts)] += DVec2::new(radial, up(force));
            count += 1;
        }
        let scale = parts as f64 / self.area::<S>();
        (sums.into_iter().map(|sum| sum * scale).collect(), count)
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
pub fn reciprocity<S: Space>(sample: &Sample<S>, axis: S::Vector, cuts: [Cut; 2]) -> Reciprocity {
    let [first, second] = cuts.map(|cut| cut.sectors(sample, axis).0);
    let [n, other] = cuts.map(|cut| cut.normal());
    let pairs = first.iter().zip(&second);
    let differences: Vec<f64> = pairs.map(|(t, u)| n.dot(*u) - other.dot(*t)).collect();
    let forces = cuts.map(|cut| cut.force(sample, axis));
    let size = 0.5 * (forces[0].density().length() + forces[1].density().length());
    Reciprocity { cuts, forces, mismatch: Estimate::of(&differences), size }
}

/// How far a set of cuts is from reciprocal: root mean square of the mismatches, and of what sampling
/// alone would make of them, both by that of the force densities. `None` without forces.
pub fn reciprocity_error(pairs: &[Reciprocity]) -> Option<Estimate> {
    let square =
        |f: &dyn Fn(&Reciprocity) -> f64| pairs.iter().map(|p| math::square(f(p))).sum::<f64>();
    let size = square(&|p| p.size).sqrt();
    (size > 0.0).then(|| Estimate {
        mean: square(&|p| p.mismatch.mean).sqrt() / size,
        error: square(&|p| p.mismatch.error).sqrt() / size,
    })
}

/// Pairs of perpendicular cuts on a grid of places inside a cone: for each place one pair along the
/// axes and one between them.
///
/// Cuts are as long as the places are apart, and none comes nearer to the axis or to the surface than
/// half of that.
pub fn grid_of_pairs(floor: f64, apex: f64, slope: f64, length: f64) -> Vec<[Cut; 2]> {
    let mut pairs = Vec::new();
    let surface = math::hypot(slope, 1.0);
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
    use drystone_space::{DVec3, Volume};

    #[test]
    fn the_geometry_of_a_cut() {
        let cylinder = Cut { start: DVec2::new(2.0, 1.0), end: DVec2::new(2.0, 4.0) };
        assert_eq!(cylinder.normal(), DVec2::X);
        assert!((cylinder.area::<Volume>() - 12.0 * PI).abs() < 1e-13);
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
        let pairs = grid_of_pairs(2.0, 24.0, 0.5, 5.0);
        let found: Vec<Reciprocity> =
            pairs.into_iter().map(|pair| reciprocity(&sample, axis, pair)).collect();
        assert!(found.iter().all(|r| r.mismatch.mean.abs() < 0.1 * r.size), "{found:?}");
        assert!(reciprocity_error(&found).unwrap().mean < 0.1);
        assert!(reciprocity_error(&[]).is_none());
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
