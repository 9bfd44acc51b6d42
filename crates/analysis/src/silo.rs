//! A silo: how stresses and wall pressures grow with depth, beside Janssen's law (Janssen 1895).
//!
//! Walls that carry the vertical force T of the grains beside them leave the vertical stress
//! dσ/dz = w − T/(A dz), w being the weight by volume and A the cross-section. With a constant ratio K of
//! the pressure on the walls to σ and a constant ratio μ of T to that push, σ = w λ (1 − exp(−z/λ)) with
//! λ = A / (P K μ), P being the perimeter. K and μ are measured, over all depths at once, so that
//! the law has no free number.
//!
//! The cross-section is a rectangle with upright sides (two sides in the plane, where A is a width and
//! P = 2).

use crate::{Region, Sample, SampleSide, region_stress, up};
use drystone_space::{Space, Vector, math};

/// Where the grains of a silo are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Silo<S: Space> {
    /// Lowest corner.
    pub low: S::Vector,
    /// Highest corner, at the surface.
    pub high: S::Vector,
    /// Size of gravity.
    pub gravity: f64,
}

/// What is measured at one depth: means over a slab.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SiloSlab {
    /// Below the surface.
    pub depth: f64,
    /// Vertical stress in the grains.
    pub vertical: f64,
    /// Push on the walls by area.
    pub wall_pressure: f64,
    /// Downward force on the walls by area.
    pub wall_shear: f64,
}

/// Measured profile and Janssen's law.
#[derive(Clone, Debug, PartialEq)]
pub struct Janssen {
    /// From the surface down.
    pub slabs: Vec<SiloSlab>,
    /// K: pressure on the walls by vertical stress.
    pub ratio: f64,
    /// μ: downward force on the walls by push.
    pub wall_friction: f64,
    /// λ.
    pub length: f64,
    /// Weight by volume, grains and voids.
    pub weight: f64,
    /// Height of the filling.
    pub height: f64,
    /// Part of the weight that the floor carries.
    pub floor_share: f64,
}

impl Janssen {
    /// Vertical stress of the law at a depth.
    pub fn stress(&self, depth: f64) -> f64 {
        self.weight * self.length * (1.0 - math::exp(-depth / self.length))
    }
    /// Part of the weight that the floor carries by the law.
    pub fn law_floor_share(&self) -> f64 {
        self.stress(self.height) / (self.weight * self.height)
    }
}

impl<S: Space> Silo<S> {
    /// Profile in `count` slabs of equal height; `floor` says which boundaries are no walls. `None`
    /// where no wall carries anything.
    pub fn measure(
        &self,
        sample: &Sample<S>,
        count: usize,
        floor: impl Fn(u32) -> bool,
    ) -> Option<Janssen> {
        let size = self.high - self.low;
        let height = up(size);
        let wide = (0..S::DIMENSION - 1).map(|i| size.get(i));
        let area: f64 = wide.clone().product();
        let perimeter = if S::DIMENSION == 2 { 2.0 } else { 2.0 * wide.sum::<f64>() };
        let thick = height / count as f64;
        let (mut pushes, mut drags) = (vec![0.0; count], vec![0.0; count]);
        let (mut carried, mut sum) = (0.0, 0.0);
        for contact in sample.active() {
            let (index, force) = match (contact.first, contact.second) {
                (SampleSide::Grain(_), SampleSide::Boundary(index)) => (index, contact.force),
                (SampleSide::Boundary(index), SampleSide::Grain(_)) => (index, -contact.force),
                _ => continue,
            };
            if floor(index) {
                carried += up(force);
                continue;
            }
            let depth = up(self.high) - up(contact.point);
            let slab = ((depth / thick).max(0.0) as usize).min(count - 1);
            pushes[slab] += contact.normal_force().abs();
            drags[slab] += up(force);
        }
        let slab = |index: usize| {
            let depth = (index as f64 + 0.5) * thick;
            let level = |v: S::Vector, height: f64| {
                S::Vector::from_fn(|i| if i + 1 < S::DIMENSION { v.get(i) } else { height })
            };
            let top = up(self.high) - index as f64 * thick;
            let region =
                Region::Box { low: level(self.low, top - thick), high: level(self.high, top) };
            let last = S::DIMENSION - 1;
            let vertical = region_stress(sample, &region).entries[last][last];
            sum += vertical * thick;
            SiloSlab {
                depth,
                vertical,
                wall_pressure: pushes[index] / (perimeter * thick),
                wall_shear: drags[index] / (perimeter * thick),
            }
        };
        let slabs: Vec<SiloSlab> = (0..count).map(slab).collect();
        let (push, drag): (f64, f64) = (pushes.iter().sum(), drags.iter().sum());
        let mass: f64 = sample.grains.iter().map(|g| g.mass).sum();
        let (load, ratio, friction) = (mass * self.gravity, push / (perimeter * sum), drag / push);
        let sound = load > 0.0 && sum > 0.0 && push > 0.0 && drag > 0.0;
        sound.then_some(Janssen {
            slabs,
            ratio,
            wall_friction: friction,
            length: area / (perimeter * ratio * friction),
            weight: load / (area * height),
            height,
            floor_share: carried / load,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Grain, SampleContact};
    use drystone_space::{DVec2, Plane};

    /// A stack of grains between two walls, each carried by the one below and by friction at both
    /// walls, as Janssen's law has it: the profile and the floor come out as the law's.
    #[test]
    fn a_stack_that_obeys_the_law_is_found_to() {
        let (count, radius, gravity) = (400usize, 0.5, 10.0);
        let (ratio, friction) = (0.6, 0.25);
        let mut sample = Sample::<Plane>::default();
        let height = |i: usize| (count - i) as f64 - radius;
        let mut carried = 0.0;
        for i in 0..count {
            sample.grains.push(Grain {
                position: DVec2::new(0.0, height(i)),
                radius,
                measure: 1.0,
                mass: 1.0,
                birth: 0.0,
                velocity: DVec2::ZERO,
            });
            // The push of the walls follows from the mean of the stress above and below the grain.
            let held = friction * ratio * 2.0;
            let below = (carried * (1.0 - 0.5 * held) + gravity) / (1.0 + 0.5 * held);
            let push = ratio * 0.5 * (carried + below);
            for side in [-1.0, 1.0] {
                sample.contacts.push(SampleContact {
                    first: SampleSide::Grain(i as u32),
                    second: SampleSide::Boundary(1),
                    point: DVec2::new(side * radius, height(i)),
                    normal: DVec2::new(-side, 0.0),
                    force: DVec2::new(-side * push, friction * push),
                    friction,
                    sliding: true,
                    gap: 0.0,
                    shift: DVec2::ZERO,
                });
            }
            let second = match i + 1 < count {
                true => SampleSide::Grain(i as u32 + 1),
                false => SampleSide::Boundary(0),
            };
            sample.contacts.push(SampleContact {
                first: SampleSide::Grain(i as u32),
                second,
                point: DVec2::new(0.0, height(i) - radius),
                normal: DVec2::Y,
                force: DVec2::new(0.0, below),
                friction: 0.5,
                sliding: false,
                gap: 0.0,
                shift: DVec2::ZERO,
            });
            carried = below;
        }
        let silo = Silo { low: DVec2::new(-0.5, 0.0), high: DVec2::new(0.5, 400.0), gravity };
        let found = silo.measure(&sample, 200, |index| index == 0).unwrap();
        let length = 1.0 / (2.0 * ratio * friction);
        assert!((found.ratio / ratio - 1.0).abs() < 1e-2, "{}", found.ratio);
        assert!((found.wall_friction - friction).abs() < 1e-12);
        assert!((found.length / length - 1.0).abs() < 1e-2, "{}", found.length);
        assert!((found.floor_share / found.law_floor_share() - 1.0).abs() < 1e-2, "{found:?}");
        // Below the first grains, whose steps are as long as λ.
        for slab in &found.slabs[4..] {
            let law = found.stress(slab.depth);
            assert!((slab.vertical / law - 1.0).abs() < 2e-2, "{slab:?} {law}");
        }
        assert!(silo.measure(&sample, 200, |_| true).is_none());
    }
}
