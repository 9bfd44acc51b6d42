//! The story of a solve: which methods were taken, why, and how each ended.

use drystone_solve::{AssembledMethod, SolveReport, Status};
use std::fmt;

/// A method that was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MethodTaken {
    /// Sweeps over all contacts.
    Sweeps,
    /// Small groups of contacts at once, then sweeps.
    SmallGroups,
    /// Splitting on a factor that is kept.
    Splitting,
    /// Interior points.
    Direct,
    /// Uzawa's method for the saddle point of A-CD².
    SaddlePoint,
    /// This method for assembled problems.
    Assembled(AssembledMethod),
}

impl MethodTaken {
    /// Its name, as in summaries.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sweeps => "sweeps",
            Self::SmallGroups => "small groups",
            Self::Splitting => "splitting",
            Self::Direct => "direct",
            Self::SaddlePoint => "uzawa",
            Self::Assembled(method) => method.name(),
        }
    }
}

/// Why a method was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MethodReason {
    /// It is the usual one.
    Usual,
    /// The scene asks for it.
    Asked,
    /// Sweeps were slow.
    SlowSweeps,
    /// The residual was within the tolerance, and the error of the step was not.
    Inexact,
    /// What the scene asks for cannot take the step.
    Unfit,
    /// All else has failed.
    LastResort,
}

impl MethodReason {
    /// The same in words, as in summaries.
    pub fn name(self) -> &'static str {
        match self {
            Self::Usual => "usual",
            Self::Asked => "asked for",
            Self::SlowSweeps => "sweeps were slow",
            Self::Inexact => "the step was not exact",
            Self::Unfit => "the method asked for cannot take the step",
            Self::LastResort => "all else has failed",
        }
    }
}

/// What was tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The method.
    pub method: MethodTaken,
    /// Why it was taken.
    pub reason: MethodReason,
    /// Its iterations; the sum where it was taken several times in a step.
    pub iterations: usize,
    /// How it ended, the last time.
    pub status: Status,
}

impl Attempt {
    /// One that went so.
    pub(crate) fn of(method: MethodTaken, reason: MethodReason, report: &SolveReport) -> Self {
        let &SolveReport { iterations, status, .. } = report;
        Self { method, reason, iterations, status }
    }
    /// Whether the problem was solved by it, the last time.
    pub fn solved(&self) -> bool {
        self.status == Status::Solved
    }
}

/// All that was tried in a step, in order.
#[derive(Clone, Copy, Default, PartialEq)]
pub struct Story {
    attempts: [Option<Attempt>; Self::LONGEST],
}

impl Story {
    /// Most pairs of a method and a reason that one step can have, solids included.
    const LONGEST: usize = 7;

    /// What was tried.
    pub fn attempts(&self) -> impl Iterator<Item = &Attempt> {
        self.attempts.iter().flatten()
    }

    /// Adds an attempt, to the one before by the same method for the same reason if there is one.
    pub(crate) fn add(&mut self, attempt: Attempt) {
        let fits = |old: &Attempt| (old.method, old.reason) == (attempt.method, attempt.reason);
        let free = self.attempts.iter_mut().find(|old| old.as_ref().is_none_or(fits));
        if let Some(old) = free {
            let before = old.map_or(0, |old| old.iterations);
            *old = Some(Attempt { iterations: before + attempt.iterations, ..attempt });
        }
    }
}

impl fmt::Debug for Story {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.attempts()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_of_one_kind_are_one() {
        let sweeps = Attempt {
            method: MethodTaken::Sweeps,
            reason: MethodReason::Usual,
            iterations: 4,
            status: Status::NotSolved,
        };
        let method = MethodTaken::Assembled(AssembledMethod::Auto);
        let rescue = Attempt { method, reason: MethodReason::SlowSweeps, ..sweeps };
        let mut story = Story::default();
        [sweeps, rescue].into_iter().for_each(|attempt| story.add(attempt));
        story.add(Attempt { status: Status::Solved, ..rescue });
        assert!(story.attempts().last().is_some_and(Attempt::solved));
        let told: Vec<_> = story.attempts().map(|a| (a.method.name(), a.iterations)).collect();
        assert_eq!(told, [("sweeps", 4), ("auto", 8)]);
    }
}
