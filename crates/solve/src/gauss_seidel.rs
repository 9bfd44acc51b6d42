//! The course of Gauss–Seidel (Jean & Moreau 1992, (7.4)–(7.5); Moreau 2003, §7.2), whatever the contacts' velocities
//! come from.
//!
//! One contact after another is given the impulse that satisfies its law while all others are frozen. How far a sweep
//! has changed the impulses tells when to look; the residual decides. Between sweeps a momentum carries impulses on
//! (`momentum.rs`), as strongly as the looks let it.
//!
//! Two kinds of [`Sweeps`] know where velocities come from: from movers, four contacts in the lanes of a register
//! (`nlgs.rs`), and from rows of an assembled W (`solvers/sweeper.rs`).

use crate::momentum::{Advice, Strength};

/// A problem under sweeps, with its impulses.
pub(crate) trait Sweeps {
    /// Most sweeps between two looks at the residual.
    const LOOK_EVERY: usize;

    /// Carries impulses on and sweeps, again and again: at most so often, and until a sweep changes no more than is
    /// worth a look. Returns the number of sweeps and √Σ|ΔP|² of the last.
    fn sweep(
        &mut self,
        strength: &mut Strength,
        max_sweeps: usize,
        worth_a_look: f64,
    ) -> (usize, f64);

    /// The error of the impulses, with velocities as the sweeps have left them.
    fn look(&mut self) -> f64;

    /// The same with velocities that are made anew, free of what rounding adds up from sweep to sweep.
    fn look_afresh(&mut self) -> f64;

    /// Goes back to the impulses that the course began with; returns their error.
    fn begin_again(&mut self) -> f64;
}

/// Sweeps under way.
#[derive(Clone, Debug)]
pub(crate) struct Course {
    strength: Strength,
    /// The error that is asked for, that of the last look, and the least of all looks.
    goal: f64,
    error: f64,
    pub least: f64,
    /// The change per sweep at which a look is worth its price: unknown until the first one.
    worth_a_look: f64,
    /// Sweeps made.
    pub iterations: usize,
}

impl Course {
    /// From impulses with this error to the goal.
    pub fn new(strength: Strength, goal: f64, error: f64) -> Self {
        let worth_a_look = f64::INFINITY;
        Self { strength, goal, error, least: f64::INFINITY, worth_a_look, iterations: 0 }
    }

    /// Sweeps until the goal is reached, at most so often.
    pub fn run(&mut self, sweeps: &mut impl Sweeps, max_sweeps: usize) {
        while !self.is_over() && self.iterations < max_sweeps {
            self.advance(sweeps, max_sweeps - self.iterations);
        }
    }

    /// Whether the goal is reached.
    pub fn is_over(&self) -> bool {
        self.error <= self.goal
    }

    /// At most so many sweeps, up to the next look, and the look.
    pub fn advance<W: Sweeps>(&mut self, sweeps: &mut W, max_sweeps: usize) {
        let max_sweeps = max_sweeps.min(W::LOOK_EVERY);
        let (made, change) = sweeps.sweep(&mut self.strength, max_sweeps, self.worth_a_look);
        self.iterations += made;
        let before = std::mem::replace(&mut self.error, sweeps.look());
        let due = made == max_sweeps || self.error.is_nan();
        // The last word is said without rounding.
        if due || self.is_over() {
            self.error = sweeps.look_afresh();
        }
        self.least = self.least.min(self.error);
        if due && self.strength.adapt(self.error, self.error / before) == Advice::BeginAgain {
            self.error = sweeps.begin_again();
        }
        // Change and error fall together: look again when the change has fallen as far as the error still has to.
        self.worth_a_look = change * (0.8 * self.goal / self.error).clamp(0.02, 0.9);
    }

    /// So many sweeps without a look.
    pub fn go_on<W: Sweeps>(&mut self, sweeps: &mut W, count: usize) {
        let (made, _) = sweeps.sweep(&mut self.strength, count, 0.0);
        self.iterations += made;
    }

    /// A look after such sweeps.
    pub fn look<W: Sweeps>(&mut self, sweeps: &mut W) {
        self.error = sweeps.look_afresh();
        self.worth_a_look = f64::INFINITY;
    }

    /// Goes on from other impulses.
    pub fn restart(&mut self) {
        self.strength.restart();
        self.worth_a_look = f64::INFINITY;
    }
}
