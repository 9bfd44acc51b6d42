//! Why a contact problem was not solved: where the error is, and what makes the problem hard.
//!
//! - The contacts that carry the error, by their share of the scale-free residual's square.
//! - The rank of W: with fewer independent velocities than unknown impulses the problem is
//!   hyperstatic; impulses are not unique, and solvers can be slow.
//! - The ratio of the largest to the smallest answer to an impulse, which is that of masses.
//! - A conflict: impulses that prove that there is no solution (see `conflict.rs`).

mod conflict;
mod rank;

pub use rank::Rank;

use crate::Assembled;
use crate::assembled::local::{Local, dot};
use std::fmt::Write as _;

/// Contacts that are named at most.
const NAMED: usize = 5;
/// Errors below this share are not worth a line.
const SHARE: f64 = 0.01;
/// Answers to impulses that differ by more than this make a problem hard.
const UNEVEN: f64 = 1e3;

/// A contact with a share of the error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Culprit {
    /// Which.
    pub contact: usize,
    /// Its share of the square of the scale-free residual, from 0 to 1.
    pub share: f64,
    /// Normal velocity that its law sees, in m/s; negative where it approaches.
    pub normal_velocity: f64,
    /// Normal impulse, in N·s.
    pub normal_impulse: f64,
}

/// Contacts that leave no solution: they hold each other and are driven against each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The contacts whose impulses hold each other.
    pub contacts: Vec<usize>,
    /// Whether only friction makes them hold. Without it no velocity keeps all contacts from
    /// approaching, and there is no solution; with it the impulses have no bound.
    pub needs_friction: bool,
}

impl Conflict {
    fn meaning(&self) -> &'static str {
        if self.needs_friction {
            "friction locks these contacts while they are driven together:"
        } else {
            "no motion keeps all these contacts from approaching:"
        }
    }
}

/// What is wrong with a problem that was not solved.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnosis {
    /// Number of contacts.
    pub contacts: usize,
    /// The contacts with the largest errors, worst first; at most five.
    pub worst: Vec<Culprit>,
    /// Unknown impulses and independent velocities.
    pub rank: Rank,
    /// Largest trace of a diagonal block of W over the smallest; 1 where there are no contacts.
    pub unevenness: f64,
    /// Contacts that leave no solution, if any were found.
    pub conflict: Option<Conflict>,
}

impl Diagnosis {
    /// Looks at a problem and the impulses at which a solver has given up. `freedoms` is the number
    /// of degrees of freedom of all movers, where it is known.
    ///
    /// # Panics
    /// If the impulses are not one per contact.
    pub fn of<const D: usize>(
        problem: &Assembled<D>,
        impulses: &[Local<D>],
        freedoms: Option<usize>,
    ) -> Self {
        assert_eq!(impulses.len(), problem.contacts(), "one impulse per contact");
        let traces = (0..problem.contacts()).map(|contact| trace(problem, contact));
        let (low, high) =
            traces.fold((f64::INFINITY, 0.0f64), |(low, high), t| (low.min(t), high.max(t)));
        Self {
            contacts: problem.contacts(),
            worst: worst(problem, impulses),
            rank: Rank::of(problem, freedoms),
            unevenness: if high > 0.0 { high / low } else { 1.0 },
            conflict: conflict::find(problem, impulses),
        }
    }

    /// Whether impulses are not determined by velocities.
    pub fn is_hyperstatic(&self) -> bool {
        self.rank.excess() > 0
    }

    /// The whole story for a user, in indented lines. `name` says what meets in a contact.
    pub fn describe(&self, name: impl Fn(usize) -> String) -> String {
        let mut text = String::new();
        let mut line = |label: &str, value: String| {
            writeln!(text, "  {label:<13} {value}").expect("writing to a string does not fail");
        };
        for (index, culprit) in self.worst.iter().enumerate() {
            let label = if index == 0 { "worst" } else { "" };
            let Culprit { contact, share, normal_velocity, normal_impulse } = culprit;
            line(
                label,
                format!(
                    "{:.0} % of the error: {}; normal velocity {normal_velocity:.2e} m/s, \
                     impulse {normal_impulse:.2e} N·s",
                    100.0 * share,
                    name(*contact)
                ),
            );
        }
        let Rank { unknowns, rank, bound } = self.rank;
        line(
            "hyperstatic",
            match (self.is_hyperstatic(), bound) {
                (true, _) => format!(
                    "yes: {unknowns} unknown impulses, {}{rank} independent velocities",
                    if bound { "at most " } else { "" }
                ),
                (false, false) => format!("no: W has full rank {rank}"),
                (false, true) => {
                    "not known: the problem is too large to compute the rank".to_owned()
                }
            },
        );
        let ratio = match self.unevenness {
            few if few < 1e3 => format!("{few:.1}"),
            many => format!("{many:.1e}"),
        };
        line("mass ratio", format!("{ratio} between the contacts' answers to impulses"));
        if let Some(conflict) = &self.conflict {
            line("no solution", conflict.meaning().to_owned());
            for &contact in conflict.contacts.iter().take(NAMED) {
                line("", name(contact));
            }
            match conflict.contacts.len().saturating_sub(NAMED) {
                0 => {}
                more => line("", format!("and {more} more")),
            }
        }
        for (index, advice) in self.advice().iter().enumerate() {
            line(if index == 0 { "try" } else { "" }, (*advice).to_owned());
        }
        text
    }

    /// What to try, most promising first.
    pub fn advice(&self) -> Vec<&'static str> {
        match &self.conflict {
            Some(conflict) if conflict.needs_friction => {
                return vec![
                    "less friction at these contacts, or a boundary that stops or yields (a load \
                     instead of a motion)",
                ];
            }
            Some(_) => {
                return vec![
                    "boundaries that do not close on what is between them: stop them earlier, or give \
                     them a load instead of a motion",
                ];
            }
            None => {}
        }
        let mut advice = Vec::new();
        if self.unevenness > UNEVEN {
            advice.push("masses and sizes that differ less; or more iterations, since heavy on light is slow");
        }
        if self.is_hyperstatic() {
            advice
                .push("more iterations, or a larger tolerance: hyperstatic impulses settle slowly");
        } else {
            advice.push("more iterations, or another solver");
        }
        advice.push("a smaller time step: the impulses of the last step are then a better start");
        advice
    }
}

fn trace<const D: usize>(problem: &Assembled<D>, contact: usize) -> f64 {
    let block = problem.delassus.diagonal(contact);
    (0..D).map(|i| block[i][i]).sum()
}

/// The contacts with the largest scale-free errors.
fn worst<const D: usize>(problem: &Assembled<D>, impulses: &[Local<D>]) -> Vec<Culprit> {
    let mut velocities = problem.free.clone();
    problem.velocities(impulses, &mut velocities);
    let square = |contact: usize| {
        let trace = trace(problem, contact);
        let own = if trace > 0.0 { D as f64 / trace } else { 1.0 };
        let cone = &problem.cones[contact];
        let rest = cone.natural_map(&velocities[contact], &impulses[contact], own);
        let square = dot(&rest, &rest);
        // An error that is not a number is worse than all others.
        if square.is_nan() { f64::INFINITY } else { square }
    };
    let squares: Vec<f64> = (0..problem.contacts()).map(square).collect();
    let total: f64 = squares.iter().sum();
    let mut order: Vec<usize> = (0..squares.len()).filter(|&i| squares[i] > 0.0).collect();
    order.sort_by(|&a, &b| squares[b].total_cmp(&squares[a]).then(a.cmp(&b)));
    order.truncate(NAMED);
    let share = |square: f64| if total.is_finite() { square / total } else { 1.0 };
    order
        .into_iter()
        .filter(|&contact| share(squares[contact]) >= SHARE)
        .map(|contact| Culprit {
            contact,
            share: share(squares[contact]),
            normal_velocity: velocities[contact][0],
            normal_impulse: impulses[contact][0],
        })
        .collect()
}

#[cfg(test)]
mod tests;
