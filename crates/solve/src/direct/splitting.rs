//! Splitting on a factor: the law of each contact by itself and the motion of all movers together, in turns.
//!
//! With a stiffness R of each contact, normal and tangential, an iteration from impulses P and velocities v that meet
//! the law together is
//!
//! (A + G*RG) u = A u_free + G*(P + R (v − b)),   P' − R v' = P − R (G u + b),   (P', v') meets the law
//!
//! (the alternating directions method of multipliers). The second part is Coulomb's law of a contact whose block is
//! diagonal, and has a closed form. Whatever R is, a fixed point is a solution, also where the factor is that of an
//! earlier step and only near A + G*RG. R decides how many iterations it takes: contacts that press are given what holds
//! them, those that slide or part hardly more than their own mass, and those that do neither, as head joints of a wall,
//! just that. Impulses that no motion depends on stay as they were. [Ties](super::tie) have the stiffness of their law, and
//! their impulse is that of the velocity of the iteration.
//!
//! What is judged is (P, u(P)), u(P) = u_free + A⁻¹G*P, never the u of the iteration. Its error is estimated from
//! - how far u(P) is from u,
//! - how far u will still go, by the rate at which its steps shrink,
//! - what contacts still miss of G u + b = v, which is all that is left where a hyperstatic structure cannot meet every
//!   contact at once: then impulses would go on to grow, and velocities stay.

use super::kept::Kept;
use super::system::System;
use super::{DirectParams, DirectReport};
use crate::{Blocks, ContactProblem, Residual, Solution, Status};
use drystone_space::Local;

/// Stiffness of contacts, in units of their mass, at most and at least.
const STIFF: f64 = 1e6;
const SOFT: f64 = 0.1;
/// Impulses below this share of the typical one do not press.
const BLUR: f64 = 1e-4;
/// Iterations on one factor.
const ITERATIONS: usize = 12;
/// Factors that are made at most, if the one that is kept does not do.
const FACTORS: usize = 2;
/// The rate at which steps shrink where only one is known, and the largest at which they are said to shrink.
const FIRST_RATE: f64 = 0.5;
const SLOWEST: f64 = 0.95;
/// How much more than its own norm the miss of contacts counts.
const MISS: f64 = 10.0;

/// Normal and tangential stiffness of a contact.
pub type Stiffness = [f64; 2];

/// What an iteration leaves undone, relative to what contacts do, in the kinetic metric.
#[derive(Clone, Copy, Debug)]
struct Undone {
    /// From u to u(P).
    apart: f64,
    /// The step of u.
    moved: f64,
    /// G u + b − v.
    missed: f64,
}

impl Undone {
    /// The error of u(P), where `before` is the step of u before.
    fn error(&self, before: Option<f64>) -> f64 {
        let rate = before.map_or(FIRST_RATE, |before| self.moved / before);
        // Steps that do not shrink are no better than those that hardly do; those of rounding are zero by zero.
        let rate = if rate < SLOWEST { rate } else { SLOWEST };
        self.apart + self.moved * rate / (1.0 - rate) + MISS * self.missed
    }
}

/// Splitting with its scratch, for contacts of D components and movers of W unknowns.
#[derive(Debug, Default)]
pub struct Splitting<const D: usize, const W: usize> {
    /// Stiffness of each contact as its impulse and velocity suggest.
    weighed: Vec<Stiffness>,
    /// P and v of each contact, which meet the law.
    pairs: Vec<([f64; D], [f64; D])>,
    u: Vec<[f64; W]>,
    /// The step of u.
    step: Vec<[f64; W]>,
    judged: Vec<[f64; W]>,
}

impl<const D: usize, const W: usize> Splitting<D, W> {
    /// Goes on from the impulses of `solution`, whose velocities are fresh: on the factor that is kept as long as it is
    /// good for the problem, then on one or two new ones, the last of which is kept. Only what is within the tolerance is
    /// taken over.
    pub fn solve<S: Blocks>(
        &mut self,
        system: &mut System<D, W>,
        problem: &ContactProblem<S>,
        [solution, trial]: [&mut Solution<S>; 2],
        params: &DirectParams,
        kept: &mut Kept,
    ) -> DirectReport {
        let mut report = DirectReport::of(Residual::of(problem, solution));
        let Some(typical) = self.start(system, solution) else { return report };
        self.weigh(system, BLUR * typical);
        if system.takes_up(kept, &self.weighed)
            && self.follow(system, problem, [solution, trial], params, kept, &mut report)
        {
            return report;
        }
        self.start(system, solution);
        for made in 0..FACTORS.min(params.max_factorisations) {
            if made > 0 {
                self.weigh(system, BLUR * typical);
            }
            report.factorisations += 1;
            if !system.keep(&self.weighed, kept)
                || self.follow(system, problem, [solution, trial], params, kept, &mut report)
            {
                break;
            }
        }
        report
    }

    /// Iterates on the kept factor; whether that came within the tolerance.
    fn follow<S: Blocks>(
        &mut self,
        system: &mut System<D, W>,
        problem: &ContactProblem<S>,
        [solution, trial]: [&mut Solution<S>; 2],
        params: &DirectParams,
        kept: &Kept,
        report: &mut DirectReport,
    ) -> bool {
        let mut before = None;
        for _ in 0..ITERATIONS {
            report.iterations += 1;
            let missed = self.iterate(system, &kept.stiffness);
            trial.impulses.clear();
            trial.impulses.extend(self.pairs.iter().map(|(p, _)| S::Local::from_array(p)));
            trial.refresh(problem);
            let undone = self.undone(system, problem, trial, missed);
            let error = undone.error(before);
            before = Some(undone.moved);
            if !error.is_finite() {
                return false;
            }
            if error > params.finest_error() {
                continue;
            }
            let judged = DirectReport { residual: Residual::of(problem, trial), error, ..*report };
            if judged.is_within(params) {
                *report = DirectReport { status: Status::Solved, ..judged };
                std::mem::swap(solution, trial);
                return true;
            }
        }
        false
    }

    /// Takes up impulses with their velocities. Returns the typical impulse; none where there are no impulses.
    fn start<S: Blocks>(&mut self, system: &System<D, W>, solution: &Solution<S>) -> Option<f64> {
        system.gather(&solution.twists, &mut self.u);
        self.pairs.clear();
        let mut square = 0.0;
        for (row, impulse) in system.rows.iter().zip(&solution.impulses) {
            let p: [f64; D] = std::array::from_fn(|i| impulse.get(i));
            square += p.iter().map(|x| x * x).sum::<f64>();
            let velocity = system.velocity(row, &self.u);
            if row.tie.is_some() {
                self.pairs.push((p, velocity));
                continue;
            }
            let asked = std::array::from_fn(|i| p[i] - row.mass * velocity[i]);
            self.pairs.push((p, meet(row.friction, &asked, &[row.mass; 2]).1));
        }
        let typical = (square / self.pairs.len() as f64).sqrt();
        (typical > 0.0).then_some(typical)
    }

    /// How stiff each contact is to be taken, as its impulse and velocity are.
    fn weigh(&mut self, system: &System<D, W>, blur: f64) {
        self.weighed.clear();
        for (row, (p, v)) in system.rows.iter().zip(&self.pairs) {
            if let Some(tie) = &row.tie {
                self.weighed.push(tie.largest());
                continue;
            }
            let share =
                |p: f64, v: f64| row.mass * ((p + blur) / (row.mass * v + blur)).clamp(SOFT, STIFF);
            let slack = (row.friction * p[0] - size(&p[1..])).max(0.0);
            let tangential = if row.friction > 0.0 { share(slack, size(&v[1..])) } else { 0.0 };
            self.weighed.push([share(p[0].max(0.0), v[0].abs()), tangential]);
        }
    }

    /// One iteration. Returns the square of what contacts miss of G u + b = v, where a contact that is softer than its
    /// mass counts as much less.
    fn iterate(&mut self, system: &mut System<D, W>, stiffness: &[Stiffness]) -> f64 {
        system.unbalanced(&self.u, &mut self.step);
        self.step.as_flattened_mut().iter_mut().for_each(|x| *x = -*x);
        for ((row, r), (p, v)) in system.rows.iter().zip(stiffness).zip(&self.pairs) {
            let velocity = system.velocity(row, &self.u);
            let push = match &row.tie {
                Some(tie) => tie.impulse(p, &velocity),
                None => std::array::from_fn(|i| p[i] + r[i.min(1)] * (v[i] - velocity[i])),
            };
            system.push(row, &push, &mut self.step);
        }
        system.solve_kept(&mut self.step);
        for (u, step) in self.u.iter_mut().zip(&self.step) {
            (0..W).for_each(|j| u[j] += step[j]);
        }
        let mut missed = 0.0;
        for ((row, r), (p, v)) in system.rows.iter().zip(stiffness).zip(&mut self.pairs) {
            let velocity = system.velocity(row, &self.u);
            if let Some(tie) = &row.tie {
                let after = tie.impulse(p, &velocity);
                let left = tie.missed(p, &after);
                missed += row.mass * left.iter().map(|left| left * left).sum::<f64>();
                (*p, *v) = (after, velocity);
                continue;
            }
            let asked = std::array::from_fn(|i| p[i] - r[i.min(1)] * velocity[i]);
            (*p, *v) = meet(row.friction, &asked, r);
            missed += (0..row.components())
                .map(|i| (v[i] - velocity[i]) * (r[i.min(1)] / row.mass).min(1.0))
                .map(|missed| row.mass * missed * missed)
                .sum::<f64>();
        }
        missed
    }

    /// What the last iteration leaves undone; `trial` has its impulses with their velocities.
    fn undone<S: Blocks>(
        &mut self,
        system: &System<D, W>,
        problem: &ContactProblem<S>,
        trial: &Solution<S>,
        missed: f64,
    ) -> Undone {
        system.gather(&trial.twists, &mut self.judged);
        let (mut apart, mut moved, mut done, mut noise) = (0.0, 0.0, 0.0, 0.0);
        for (k, judged) in self.judged.iter().enumerate() {
            let (u, free) = (&self.u[k], &system.free[k]);
            apart += system.kinetic(k, &std::array::from_fn(|j| u[j] - judged[j]));
            done += system.kinetic(k, &std::array::from_fn(|j| free[j] - judged[j]));
            moved += system.kinetic(k, &self.step[k]);
            noise += system.kinetic(k, &[system.noise; W]);
        }
        for (k, row) in system.rows.iter().enumerate() {
            let Some(tie) = &row.tie else { continue };
            let (change, stiffness) = (system.change(row, &self.step), tie.largest());
            moved += (0..D).map(|i| stiffness[i.min(1)] * change[i] * change[i]).sum::<f64>();
            done += problem.tie_work(&problem.contacts[k], trial.impulses[k], S::Local::ZERO);
        }
        // What is below the rounding of velocities counts as none.
        let share = |square: f64| if square <= noise { 0.0 } else { (square / done).sqrt() };
        Undone { apart: share(apart), moved: share(moved), missed: share(missed) }
    }
}

fn size(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The impulse and the velocity with P − R v = w that meet Coulomb's law.
fn meet<const D: usize>(friction: f64, w: &[f64; D], r: &Stiffness) -> ([f64; D], [f64; D]) {
    let mut p = [0.0; D];
    if w[0] > 0.0 {
        p[0] = w[0];
        let (size, bound) = (size(&w[1..]), friction * w[0]);
        let share = if size > bound { bound / size } else { 1.0 };
        (1..D).for_each(|i| p[i] = share * w[i]);
    }
    let v = |i: usize| match r[i.min(1)] {
        0.0 => 0.0,
        r => (p[i] - w[i]) / r,
    };
    (p, std::array::from_fn(v))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Apart, sticking and sliding, worked by hand; without friction the tangential part is left out.
    #[test]
    fn one_contact_meets_the_law() {
        let r = [2.0, 4.0];
        assert_eq!(meet(0.5, &[-2.0, 8.0], &r), ([0.0, 0.0], [1.0, -2.0]));
        assert_eq!(meet(0.5, &[2.0, -1.0], &r), ([2.0, -1.0], [0.0, 0.0]));
        assert_eq!(meet(0.5, &[2.0, 5.0], &r), ([2.0, 1.0], [0.0, -1.0]));
        assert_eq!(meet(0.5, &[5.0, 3.0, 4.0], &r), ([5.0, 1.5, 2.0], [0.0, -0.375, -0.5]));
        assert_eq!(meet(0.0, &[2.0, 0.0], &[2.0, 0.0]), ([2.0, 0.0], [0.0, 0.0]));
    }
}
