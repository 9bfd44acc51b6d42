//! Points in a moving set, and the two schemes that follow them.

use crate::{MovingSet, SetInTime, SweepError};
use drystone_space::{Space, Vector};

/// How a point is brought from one time to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// The catching-up algorithm: the end point is the projection of the start point onto the set
    /// at the end of the step (Moreau 2003, (7)).
    Implicit,
    /// The lazy selector at the start of the step, times its length (Moreau 2003, §2.4 with (5)).
    Explicit,
}

impl Scheme {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Implicit, Self::Explicit];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Implicit => "implicit",
            Self::Explicit => "explicit",
        }
    }
    /// One step.
    pub fn step<S: Space>(
        self,
        set: &impl SetInTime<S>,
        point: S::Vector,
        from: f64,
        to: f64,
    ) -> Result<S::Vector, SweepError> {
        match self {
            Self::Implicit => set.project(to, point),
            Self::Explicit => Ok(point + set.lazy(from, point)? * (to - from)),
        }
    }
}

/// The exact solution: where the point that started at `start` is at `time`.
pub type Exact<S> = fn(start: <S as Space>::Vector, time: f64) -> <S as Space>::Vector;

/// A moving set and the points in it, from time 0 to an end.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem<S: Space, M = MovingSet<S>> {
    /// One line that names it.
    pub title: String,
    /// The moving set.
    pub set: M,
    /// Where the points are at time 0.
    pub starts: Vec<S::Vector>,
    /// When it ends.
    pub end: f64,
}

/// Where a point was at each time.
#[derive(Clone, Debug, PartialEq)]
pub struct Path<S: Space> {
    /// Times, rising from 0.
    pub times: Vec<f64>,
    /// One place for each.
    pub points: Vec<S::Vector>,
}

/// How far outside of the set a point may start, relative to its coordinates: rounding.
const OUTSIDE: f64 = 1e-12;

impl<S: Space, M: SetInTime<S>> Problem<S, M> {
    /// Whether all points are in the set at the start, and there is something to compute.
    pub fn check(&self) -> Result<(), SweepError> {
        if !(self.end > 0.0 && self.end.is_finite()) {
            return Err(SweepError::End { found: self.end });
        }
        if self.starts.is_empty() {
            return Err(SweepError::NoPoint);
        }
        for (index, &start) in self.starts.iter().enumerate() {
            let distance = self.set.violation(0.0, start)?;
            if distance > OUTSIDE * (1.0 + start.norm()) {
                return Err(SweepError::Outside { point: index + 1, distance });
            }
        }
        Ok(())
    }
    /// Follows one of the points with equal steps.
    pub fn path(
        &self,
        start: S::Vector,
        steps: usize,
        scheme: Scheme,
    ) -> Result<Path<S>, SweepError> {
        let time = |k: usize| self.end * k as f64 / steps as f64;
        let times: Vec<f64> = (0..=steps).map(time).collect();
        let mut points = Vec::with_capacity(times.len());
        points.push(start);
        let mut point = start;
        for interval in times.windows(2) {
            point = scheme.step(&self.set, point, interval[0], interval[1])?;
            points.push(point);
        }
        Ok(Path { times, points })
    }
}
