//! The projection onto an intersection of half-spaces and balls.
//!
//! Half-spaces alone, or one set alone, are projected on exactly. With balls, Newton's method climbs
//! the dual problem: with gᵢ(x) = nᵢ·x − bᵢ for half-spaces and (|x − cᵢ|² − rᵢ²)/(2 rᵢ) for balls, and
//! weights wᵢ ≥ 0,
//!
//! D(w) = minₓ ½|x − p|² + Σ wᵢ gᵢ(x), reached at x(w) = (p − Σ wᵢ nᵢ + Σ wᵢ cᵢ/rᵢ) / σ, σ = 1 + Σ wᵢ/rᵢ.
//!
//! D is concave with gradient gᵢ(x(w)). Its second-order model at w is the dual of a projection onto
//! the half-spaces gᵢ(x) + ∇gᵢ(x)·(z − x) ≤ 0, which [`nearest`] solves exactly; a backtracked step
//! toward its weights climbs D, so the method converges from any start, at the end quadratically.
//!
//! At every iterate x − p + Σ wᵢ ∇gᵢ(x) = 0. So x *is* the exact projection of p onto the sets
//! gᵢ ≤ gᵢ(x), those of zero weight left as they are. When the largest change among the gᵢ is below the tolerance, the
//! point is proven to be the projection onto sets that are moved by no more than that.

use crate::polyhedron::{NoNearest, nearest};
use crate::{Flaw, HalfSpace, Member, SweepError};
use drystone_space::{Space, Vector};

/// Largest change of the sets for which a projection is taken as exact, relative to their size.
const TOLERANCE: f64 = 1e-13;
/// Most steps of Newton's method; a dozen is usual.
const STEPS: usize = 200;

/// A set at one time: the intersection of its members.
#[derive(Clone, Debug, PartialEq)]
pub struct Section<S: Space> {
    members: Vec<Member<S>>,
    /// The time, for messages.
    time: f64,
}

/// Whether members can be cut with each other: at least one, and the outside of a ball only alone.
pub(crate) fn check<'m, S: Space>(
    members: impl Iterator<Item = &'m Member<S>>,
) -> Result<(), Flaw> {
    let (mut count, mut hollow) = (0, false);
    for member in members {
        count += 1;
        hollow |= matches!(member, Member::Outside { .. });
    }
    match count {
        0 => Err(Flaw::NoSet),
        1 => Ok(()),
        _ if hollow => Err(Flaw::NotAlone),
        _ => Ok(()),
    }
}

impl<S: Space> Section<S> {
    /// An intersection.
    pub fn new(members: Vec<Member<S>>) -> Result<Self, Flaw> {
        check(members.iter())?;
        Ok(Self::checked(members, 0.0))
    }
    /// An intersection of members that were checked.
    pub(crate) fn checked(members: Vec<Member<S>>, time: f64) -> Self {
        Self { members, time }
    }
    /// What is cut with each other.
    pub fn members(&self) -> &[Member<S>] {
        &self.members
    }
    /// How far a point is outside of the member that it is farthest out of; negative inside.
    pub fn violation(&self, point: S::Vector) -> f64 {
        let distances = self.members.iter().map(|member| member.distance(point).0);
        distances.fold(f64::NEG_INFINITY, f64::max)
    }
    /// The nearest point of the set, with no rounding if the point itself is in it.
    pub fn project(&self, point: S::Vector) -> Result<S::Vector, SweepError> {
        if self.violation(point) <= 0.0 {
            return Ok(point);
        }
        if let [member] = &self.members[..] {
            return Ok(member.project(point));
        }
        let half_space = |member: &Member<S>| match member {
            Member::HalfSpace(half) => Some(*half),
            _ => None,
        };
        let halves: Option<Vec<HalfSpace<S>>> = self.members.iter().map(half_space).collect();
        let found = match halves {
            Some(halves) => nearest(point, &halves).map(|found| found.point),
            None => {
                let bounds = self.members.iter().filter_map(Bound::new).collect();
                Ascent { given: point, bounds }.climb()
            }
        };
        found.map_err(|failure| failure.at(self.time))
    }
}

/// g(x) = ½ curvature |x − centre|² + normal·x − offset ≤ 0.
#[derive(Clone, Copy)]
struct Bound<S: Space> {
    curvature: f64,
    centre: S::Vector,
    normal: S::Vector,
    offset: f64,
}

impl<S: Space> Bound<S> {
    /// `None` for what is not convex.
    fn new(member: &Member<S>) -> Option<Self> {
        let zero = S::Vector::ZERO;
        match *member {
            Member::HalfSpace(HalfSpace { normal, offset }) => {
                Some(Self { curvature: 0.0, centre: zero, normal, offset })
            }
            Member::Ball { centre, radius } => {
                Some(Self { curvature: 1.0 / radius, centre, normal: zero, offset: 0.5 * radius })
            }
            Member::Outside { .. } => None,
        }
    }
    fn value(&self, x: S::Vector) -> f64 {
        let square = (x - self.centre).norm_squared();
        0.5 * self.curvature * square + self.normal.dot(x) - self.offset
    }
    fn gradient(&self, x: S::Vector) -> S::Vector {
        (x - self.centre) * self.curvature + self.normal
    }
    /// Size of the numbers that it brings.
    fn size(&self) -> f64 {
        self.centre.norm() + self.offset.abs()
    }
}

/// The dual problem of one projection.
struct Ascent<S: Space> {
    given: S::Vector,
    bounds: Vec<Bound<S>>,
}

/// The dual function at some weights: x(w), σ, D(w), and its slopes gᵢ(x(w)).
struct Dual<S: Space> {
    weights: Vec<f64>,
    point: S::Vector,
    sigma: f64,
    value: f64,
    slopes: Vec<f64>,
}

impl<S: Space> Ascent<S> {
    /// The projection.
    fn climb(&self) -> Result<S::Vector, NoNearest> {
        let size = self.bounds.iter().map(Bound::size).fold(self.given.norm(), f64::max);
        let mut now = self.dual(vec![0.0; self.bounds.len()]);
        let mut residual = f64::INFINITY;
        for _ in 0..STEPS {
            residual = now.residual();
            if residual <= TOLERANCE * size {
                return Ok(now.point);
            }
            now = self.search(&now, self.newton(&now)?, 1e-14 * size * size);
        }
        Err(NoNearest::Unfinished(residual))
    }
    /// The dual at some weights.
    fn dual(&self, weights: Vec<f64>) -> Dual<S> {
        let (mut sum, mut sigma) = (self.given, 1.0);
        for (bound, &weight) in self.bounds.iter().zip(&weights) {
            sum += (bound.centre * bound.curvature - bound.normal) * weight;
            sigma += bound.curvature * weight;
        }
        let point = sum / sigma;
        let slopes: Vec<f64> = self.bounds.iter().map(|bound| bound.value(point)).collect();
        let load: f64 = weights.iter().zip(&slopes).map(|(w, g)| w * g).sum();
        let value = 0.5 * (point - self.given).norm_squared() + load;
        Dual { weights, point, sigma, value, slopes }
    }
    /// Weights at which the second-order model of the dual is largest.
    fn newton(&self, at: &Dual<S>) -> Result<Vec<f64>, NoNearest> {
        let x = at.point;
        let mut known = Vec::with_capacity(self.bounds.len());
        let mut halves = Vec::with_capacity(self.bounds.len());
        for (index, (bound, &value)) in self.bounds.iter().zip(&at.slopes).enumerate() {
            let gradient = bound.gradient(x);
            let steepness = gradient.norm();
            // A ball is flat at its centre, and says nothing there.
            if steepness > 0.0 {
                let normal = gradient / steepness;
                known.push((index, steepness));
                halves.push(HalfSpace::<S> { normal, offset: normal.dot(x) - value / steepness });
            }
        }
        let found = nearest(x + (self.given - x) / at.sigma, &halves)?;
        let mut weights = vec![0.0; self.bounds.len()];
        for (k, weight) in found.active {
            let (index, steepness) = known[k];
            weights[index] = (at.sigma * weight / steepness).max(0.0);
        }
        Ok(weights)
    }
    /// The whole step to `target`, or the first halved one that climbs enough.
    fn search(&self, from: &Dual<S>, target: Vec<f64>, rounding: f64) -> Dual<S> {
        let toward: Vec<f64> = target.iter().zip(&from.weights).map(|(t, w)| t - w).collect();
        let slope: f64 = toward.iter().zip(&from.slopes).map(|(d, g)| d * g).sum();
        let mut step = 1.0;
        let mut there = self.dual(target);
        while there.value < from.value + 1e-4 * step * slope - rounding && step > 1e-12 {
            step *= 0.5;
            let moved = from.weights.iter().zip(&toward).map(|(w, d)| w + step * d);
            there = self.dual(moved.collect());
        }
        there
    }
}

impl<S: Space> Dual<S> {
    /// By how much the sets must be moved for the point to be the projection.
    fn residual(&self) -> f64 {
        let each = self.weights.iter().zip(&self.slopes);
        each.map(|(&w, &g)| if w > 0.0 { g.abs() } else { g.max(0.0) }).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_space::{DVec2, Plane};

    #[test]
    fn the_tip_of_a_lens() {
        // Two unit disks at x = ∓0.6 meet at (0, ±0.8).
        let ball = |x| Member::<Plane>::ball(DVec2::new(x, 0.0), 1.0).unwrap();
        let lens = Section::new(vec![ball(-0.6), ball(0.6)]).unwrap();
        let near = |point: DVec2, expected: DVec2| {
            let found = lens.project(point).unwrap();
            assert!((found - expected).length() < 1e-13, "{found} {expected}");
        };
        near(DVec2::new(0.01, 3.0), DVec2::new(0.0, 0.8));
        near(DVec2::new(0.0, -1e4), DVec2::new(0.0, -0.8));
        near(DVec2::new(7.0, 0.0), DVec2::new(0.4, 0.0));
        near(DVec2::new(0.1, 0.2), DVec2::new(0.1, 0.2));
    }

    #[test]
    fn sets_apart_have_no_common_point() {
        let ball = |x| Member::<Plane>::ball(DVec2::new(x, 0.0), 1.0).unwrap();
        let apart = Section::new(vec![ball(-1.5), ball(1.5)]).unwrap();
        assert_eq!(apart.project(DVec2::new(0.3, 2.0)), Err(SweepError::Empty { time: 0.0 }));
    }
}
