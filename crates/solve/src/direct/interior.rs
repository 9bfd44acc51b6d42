//! Interior points in the unknowns of movers.
//!
//! Notation as in `solvers/interior`: of each contact, z = (μ P_n, P_t) and x with U = (μ (x₀ − |x_t|²/x₀), x_t) lie in
//! the second-order cone, and x ∘ z = 0 is Coulomb's law with a smooth lift. With J = ∂U/∂x, P = S z and Nesterov
//! and Todd's scaling T of the pair (T x = T⁻¹ z = λ, T² x = z), a step of Newton's method on
//!
//! G u + b = U(x),   A (u − u_free) = G*S z,   x ∘ z = γ
//!
//! is (A + G* S T² J⁻¹ G) Δu = −r_d + G* S (T t − T² J⁻¹ r_p), where r_p and r_d are what is missing of the first two
//! and t is what T Δx + T⁻¹ Δz should be; Δx = J⁻¹ (G Δu + r_p), Δz = T t − T² Δx. Without friction x and z are U_n and
//! P_n.
//!
//! [Ties](super::tie) have no x and z but for what is one-sided of them, with x = s U_n + e z; the rest of what they bear
//! follows from u.
//!
//! What makes the number of steps independent of the size of a structure is where a path begins that knows nothing:
//! impulses far above all that contacts will have to carry, so that the first factors are those of a body in one piece.
//!
//! At each point of a path the step to γ = 0 is known before it is made. It leads to where Newton's method sees the exact
//! velocities, and its length is the estimate of the error.

use super::kept::Kept;
use super::splitting::Splitting;
use super::system::{Row, System};
use super::tie::{OneSided, answer, borne_by, carry, stiffness_of_tie};
use super::{DirectParams, DirectReport, FINEST_ERROR};
use crate::assembled::local::{add_scaled, dot};
use crate::solvers::interior::pair::{
    Point, Scaling, UNIT, centred, determinant, product, quotient, reach,
};
use crate::{Blocks, ContactProblem, Residual, Solution, Status};
use drystone_space::{Local, math};
use std::fmt::Debug;

/// Share of the way to the cone's edge that a step goes.
const INSIDE: f64 = 0.99;
/// Steps shorter than this are tried again towards the middle of the path, at this share of γ.
const SHORT: f64 = 0.3;
const CENTRE: f64 = 0.5;
/// After two steps in a row that are shorter than this, pairs are [centred](BodySpace::recentre).
const HINDERED: f64 = 0.15;
/// A path that has found nothing better in so many steps is given up.
const PATIENCE: usize = 40;
/// A path that is within the tolerance goes on to this share of it, in so many more factorisations at most: what it leaves
/// undone stays in gaps and impulses, and the steps that follow have to do it.
const AIM: f64 = 0.1;
const MORE: usize = 2;
/// Impulses at the start of a path that knows nothing, in units of a contact's mass times the typical velocity.
const LARGE: f64 = 1e5;
/// √γ where a path begins at given impulses, as a share of the typical impulse: in units of the error there, at least and
/// at most.
const BLUR: f64 = 10.0;
const SHARPEST: f64 = 1e-4;
const BLUNTEST: f64 = 0.1;
/// √γ where given impulses are judged: in units of the contact's own error, and at least, as a share of the typical
/// impulse.
const BLURRED: f64 = 0.1;
const FINEST: f64 = 1e-12;
/// Largest stiffness of a contact, in units of its mass.
const STIFFEST: f64 = 1e13;
/// Share of the factorisations that such a path may have.
const NEAR: f64 = 2.0 / 3.0;

/// How sharply contacts that are closed are told from those that are open.
#[derive(Clone, Copy, Debug)]
enum Blur {
    /// By one γ for all, so that a path can set out: √γ as a share of the typical impulse.
    OfAll(f64),
    /// As sharply as each contact's own error allows.
    OfEach,
}

/// A step: Δu, and Δx and Δz of each contact.
#[derive(Debug, Default)]
struct Direction<const W: usize> {
    u: Vec<[f64; W]>,
    pairs: Vec<(Point, Point)>,
}

/// Interior points in one space.
pub trait Interior<S: Blocks>: Debug + Default + Send + Sync {
    /// [`Direct::prepare`](super::Direct::prepare).
    fn prepare(&mut self, problem: &ContactProblem<S>) -> Option<f64>;
    /// [`Direct::refine`](super::Direct::refine); the second solution is scratch.
    fn refine(
        &mut self,
        problem: &ContactProblem<S>,
        solutions: [&mut Solution<S>; 2],
        params: &DirectParams,
        kept: &mut Kept,
    ) -> DirectReport;
    /// [`Direct::judge`](super::Direct::judge).
    fn judge(
        &mut self,
        problem: &ContactProblem<S>,
        solution: &mut Solution<S>,
        params: &DirectParams,
    ) -> DirectReport;
    /// [`Direct::solve`](super::Direct::solve).
    fn solve(
        &mut self,
        problem: &ContactProblem<S>,
        solution: &mut Solution<S>,
        trial: &mut Solution<S>,
        params: &DirectParams,
    ) -> DirectReport;
}

/// Interior points with their scratch, for contacts of D components and movers of W unknowns.
#[derive(Debug, Default)]
pub struct BodySpace<const D: usize, const W: usize> {
    system: System<D, W>,
    splitting: Splitting<D, W>,
    u: Vec<[f64; W]>,
    /// x and z of each contact.
    pairs: Vec<(Point, Point)>,
    scalings: Vec<Scaling>,
    stiffness: Vec<[[f64; D]; D]>,
    /// What ties bore at the point before.
    borne: Vec<[f64; D]>,
    /// r_p of each contact and r_d of each mover.
    rest: Vec<Point>,
    unbalanced: Vec<[f64; W]>,
    /// What T Δx + T⁻¹ Δz should be.
    targets: Vec<Point>,
    way: Direction<W>,
    other: Direction<W>,
    /// Velocities of the impulses that are judged.
    judged: Vec<[f64; W]>,
}

impl<S: Blocks, const D: usize, const W: usize> Interior<S> for BodySpace<D, W> {
    fn prepare(&mut self, problem: &ContactProblem<S>) -> Option<f64> {
        self.system.load(problem);
        self.system.analyse()
    }

    fn refine(
        &mut self,
        problem: &ContactProblem<S>,
        [solution, trial]: [&mut Solution<S>; 2],
        params: &DirectParams,
        kept: &mut Kept,
    ) -> DirectReport {
        solution.refresh(problem);
        let report = DirectReport::of(Residual::of(problem, solution));
        if report.status == Status::Solved {
            return report;
        }
        self.splitting.solve(&mut self.system, problem, [solution, trial], params, kept)
    }

    fn judge(
        &mut self,
        problem: &ContactProblem<S>,
        solution: &mut Solution<S>,
        params: &DirectParams,
    ) -> DirectReport {
        solution.refresh(problem);
        self.system.gather(&solution.twists, &mut self.judged);
        let mut report = DirectReport::of(Residual::of(problem, solution));
        if report.status == Status::Solved || !self.start_at(solution, Blur::OfEach) {
            return report;
        }
        report.factorisations = 1;
        if self.linearise() {
            self.predict();
            report.error = self.error(problem, solution);
        }
        if report.is_within(params) {
            report.status = Status::Solved;
        }
        report
    }

    fn solve(
        &mut self,
        problem: &ContactProblem<S>,
        solution: &mut Solution<S>,
        trial: &mut Solution<S>,
        params: &DirectParams,
    ) -> DirectReport {
        let mut report = self.judge(problem, solution, params);
        if report.status == Status::Solved {
            return report;
        }
        let all = params.max_factorisations;
        let near = (NEAR * all as f64) as usize;
        let blur = (BLUR * report.error).clamp(SHARPEST, BLUNTEST);
        if self.start_at(solution, Blur::OfAll(blur)) {
            self.follow(problem, solution, trial, params, near, &mut report);
        }
        if !report.is_within(params) && self.start() {
            self.follow(problem, solution, trial, params, all, &mut report);
        }
        if report.is_within(params) {
            report.status = Status::Solved;
        }
        solution.refresh(problem);
        report
    }
}

impl<const D: usize, const W: usize> BodySpace<D, W> {
    /// Follows a path until residual and error are within the tolerance, or it leads nowhere, or so many factorisations
    /// are made.
    fn follow<S: Blocks>(
        &mut self,
        problem: &ContactProblem<S>,
        solution: &mut Solution<S>,
        trial: &mut Solution<S>,
        params: &DirectParams,
        max_iterations: usize,
        report: &mut DirectReport,
    ) {
        let (mut hindered, mut stale, mut more) = (0, 0, 0);
        while report.factorisations < max_iterations && stale < PATIENCE {
            report.factorisations += 1;
            if !self.linearise() {
                return;
            }
            self.predict();
            let before = report.worst();
            self.look(problem, solution, trial, report);
            if report.is_within(params) {
                let near = report.worst() <= (AIM * params.tolerance).max(FINEST_ERROR);
                if near || more == MORE || report.worst() == before {
                    self.improve(problem, solution, trial, report);
                    return;
                }
                more += 1;
            }
            stale = if report.worst() < before { 0 } else { stale + 1 };
            let Some(length) = self.step() else { return };
            hindered = if length < HINDERED { hindered + 1 } else { 0 };
            if hindered == 2 {
                self.recentre();
                hindered = 0;
            }
        }
    }

    /// Leads every pair to x ∘ z = γ, one γ for all in units of contacts' masses. Where paths bend, a few pairs that
    /// have come too near to the cone's edge stop all others; what they lose here is made up for by the next step.
    fn recentre(&mut self) {
        let Self { system, pairs, .. } = self;
        let both = || system.rows.iter().zip(&*pairs).filter(|(row, _)| row.has_pair());
        let gap =
            both().map(|(row, (x, z))| row.mass * dot(x, z)).sum::<f64>() / both().count() as f64;
        for (row, (x, z)) in system.rows.iter().zip(pairs).filter(|(row, _)| row.has_pair()) {
            let apart = add_scaled(z, -row.mass, x);
            let least = dot(&apart, &apart) / STIFFEST;
            let (push, velocity) = centred(&apart, gap.max(least));
            (*x, *z) = (velocity.map(|x| x / row.mass), push);
        }
    }

    /// The start of a path that knows nothing; false where nothing moves against contacts.
    fn start(&mut self) -> bool {
        let Self { system, u, pairs, borne, .. } = self;
        u.clone_from(&system.free);
        let square: f64 = {
            let each = system.rows.iter().map(|row| system.velocity(row, u));
            each.map(|velocity| dot(&velocity, &velocity)).sum()
        };
        let typical = (square / system.rows.len() as f64).sqrt();
        borne.clear();
        borne.resize(system.rows.len(), [0.0; D]);
        pairs.clear();
        pairs.extend(system.rows.iter().map(|row| {
            let push = LARGE * typical * row.mass;
            (UNIT.map(|x| x * typical), UNIT.map(|x| x * push))
        }));
        typical > 0.0
    }

    /// The point of a path at the impulses of a solution, whose velocities are judged; false where it has none.
    fn start_at<S: Blocks>(&mut self, solution: &Solution<S>, blur: Blur) -> bool {
        let Self { system, u, pairs, borne, judged, .. } = self;
        u.clone_from(judged);
        let square: f64 = solution.impulses.iter().map(|p| p.dot(*p)).sum();
        let typical = (square / solution.impulses.len() as f64).sqrt();
        let finest = FINEST * typical;
        borne.clear();
        pairs.clear();
        for (row, impulse) in system.rows.iter().zip(&solution.impulses) {
            let velocity = system.velocity(row, u);
            borne.push(std::array::from_fn(|i| impulse.get(i)));
            let (mut z, mut x) = ([0.0; 3], [0.0; 3]);
            for i in 0..row.components() {
                (z[i], x[i]) = (impulse.get(i), velocity[i]);
            }
            if let Some(tie) = &row.tie {
                let Some(OneSided { sign, compliance }) = tie.side else {
                    pairs.push((UNIT, UNIT));
                    continue;
                };
                z[0] = (sign * (z[0] + tie.stiffness[0] * x[0])).max(0.0);
                x[0] = sign * x[0] + compliance * z[0];
            }
            if row.friction > 0.0 {
                (z[0], x[0]) = (z[0] * row.friction, x[0] / row.friction + math::hypot(x[1], x[2]));
            }
            let apart = add_scaled(&z, -row.mass, &x);
            let blur = match blur {
                Blur::OfAll(share) => share * typical,
                Blur::OfEach => {
                    let error = add_scaled(&z, -1.0, &centred(&apart, finest * finest).0);
                    let error = BLURRED * dot(&error, &error).sqrt();
                    error.max((dot(&apart, &apart) / STIFFEST).sqrt()).max(finest)
                }
            };
            let (z, x) = centred(&apart, blur * blur);
            pairs.push((x.map(|x| x / row.mass), z));
        }
        typical > 0.0
    }

    /// What is missing, scalings, and factors.
    fn linearise(&mut self) -> bool {
        let Self { system, u, pairs, borne, rest, unbalanced, scalings, stiffness, .. } = self;
        system.unbalanced(u, unbalanced);
        rest.clear();
        scalings.clear();
        stiffness.clear();
        for (row, ((x, z), borne)) in system.rows.iter().zip(pairs.iter().zip(&*borne)) {
            let (velocity, wanted) = (system.velocity(row, u), velocity_of(row.friction, x));
            if let Some(tie) = &row.tie {
                let scaling = Scaling::new(x, z);
                rest.push(tie.side.map_or([0.0; 3], |side| {
                    [side.sign * velocity[0] + side.compliance * z[0] - x[0], 0.0, 0.0]
                }));
                system.push(row, &borne_by(tie, borne, &velocity, z).map(|p| -p), unbalanced);
                stiffness.push(stiffness_of_tie(tie, &scaling));
                scalings.push(scaling);
                continue;
            }
            let missing = |i| if i < row.components() { velocity[i] - wanted[i] } else { 0.0 };
            rest.push(std::array::from_fn(missing));
            system.push(row, &impulse_of::<D>(row.friction, z).map(|p| -p), unbalanced);
            let scaling = Scaling::new(x, z);
            stiffness.push(stiffness_of(row, x, &scaling));
            scalings.push(scaling);
        }
        system.factor(stiffness)
    }

    /// The direction to γ = 0.
    fn predict(&mut self) {
        self.targets.clear();
        self.targets.extend(self.scalings.iter().map(|s| s.balance.map(|x| -x)));
        let mut way = std::mem::take(&mut self.way);
        self.direction(&mut way);
        self.way = way;
    }

    /// The direction that meets the targets.
    fn direction(&mut self, way: &mut Direction<W>) {
        let Self { system, pairs, scalings, rest, unbalanced, targets, .. } = self;
        way.u.clear();
        way.u.extend(unbalanced.iter().map(|r| r.map(|r| -r)));
        for (k, row) in system.rows.iter().enumerate() {
            let (scaling, (x, _)) = (&scalings[k], &pairs[k]);
            if let Some(tie) = &row.tie {
                if let Some(side) = tie.side {
                    let mut push = [0.0; D];
                    push[0] = side.sign * answer(&side, scaling, targets[k][0], rest[k][0]);
                    system.push(row, &push, &mut way.u);
                }
                continue;
            }
            let back = change_back(row.friction, x, &rest[k]);
            let push = add_scaled(&targets[k], -1.0, &scaling.apply(&back));
            let push = impulse_of::<D>(row.friction, &scaling.apply(&push));
            system.push(row, &push, &mut way.u);
        }
        system.solve(&mut way.u);
        way.pairs.clear();
        for (k, row) in system.rows.iter().enumerate() {
            let (scaling, (x, _)) = (&scalings[k], &pairs[k]);
            let mut change = rest[k];
            let velocity = system.change(row, &way.u);
            if let Some(tie) = &row.tie {
                let pair = tie.side.map(|side| {
                    let moved = side.sign * velocity[0] + rest[k][0];
                    let dz = answer(&side, scaling, targets[k][0], moved);
                    ([moved + side.compliance * dz, 0.0, 0.0], [dz, 0.0, 0.0])
                });
                way.pairs.push(pair.unwrap_or_default());
                continue;
            }
            (0..D).for_each(|i| change[i] += velocity[i]);
            let dx = change_back(row.friction, x, &change);
            let dz = scaling.apply(&add_scaled(&targets[k], -1.0, &scaling.apply(&dx)));
            way.pairs.push((dx, dz));
        }
    }

    /// Judges the impulses of the present point, and takes them over if they are the best so far.
    fn look<S: Blocks>(
        &mut self,
        problem: &ContactProblem<S>,
        solution: &mut Solution<S>,
        trial: &mut Solution<S>,
        report: &mut DirectReport,
    ) {
        let residual = self.residual(problem, trial);
        self.system.gather(&trial.twists, &mut self.judged);
        let judged = DirectReport { residual, error: self.error(problem, trial), ..*report };
        if judged.worst() < report.worst() {
            *report = judged;
            std::mem::swap(&mut solution.impulses, &mut trial.impulses);
        }
    }

    /// Makes the step that is known already where a path ends, so that the next problem begins nearer to its solution. The
    /// error that is told stays that of the point before.
    fn improve<S: Blocks>(
        &mut self,
        problem: &ContactProblem<S>,
        solution: &mut Solution<S>,
        trial: &mut Solution<S>,
        report: &mut DirectReport,
    ) {
        if self.step().is_none() {
            return;
        }
        let residual = self.residual(problem, trial);
        if residual.worst() < report.residual.worst() {
            report.residual = residual;
            std::mem::swap(&mut solution.impulses, &mut trial.impulses);
        }
    }

    /// The residual of the present impulses, which are left in `trial` with their velocities.
    fn residual<S: Blocks>(
        &self,
        problem: &ContactProblem<S>,
        trial: &mut Solution<S>,
    ) -> Residual {
        trial.impulses.clear();
        for (k, (row, (_, z))) in self.system.rows.iter().zip(&self.pairs).enumerate() {
            let impulse = match &row.tie {
                Some(tie) => borne_by(tie, &self.borne[k], &self.system.velocity(row, &self.u), z),
                None => impulse_of::<D>(row.friction, z),
            };
            trial.impulses.push(S::Local::from_array(&impulse));
        }
        trial.refresh(problem);
        Residual::of(problem, trial)
    }

    /// How far the judged velocities, those of `solution`, are from where Newton's method sees the exact ones, relative to
    /// what contacts do. What is below the rounding of velocities counts as none.
    fn error<S: Blocks>(&self, problem: &ContactProblem<S>, solution: &Solution<S>) -> f64 {
        let system = &self.system;
        let (mut missing, mut done, mut noise) = (0.0, 0.0, 0.0);
        for (k, judged) in self.judged.iter().enumerate() {
            let (u, du, free) = (&self.u[k], &self.way.u[k], &system.free[k]);
            missing += system.kinetic(k, &std::array::from_fn(|j| u[j] + du[j] - judged[j]));
            done += system.kinetic(k, &std::array::from_fn(|j| free[j] - judged[j]));
            noise += system.kinetic(k, &[system.noise; W]);
        }
        for (k, row) in system.rows.iter().enumerate() {
            let Some(tie) = &row.tie else { continue };
            let (now, change) = (system.velocity(row, &self.u), system.change(row, &self.way.u));
            let z = add_scaled(&self.pairs[k].1, 1.0, &self.way.pairs[k].1);
            let after = std::array::from_fn(|i| now[i] + change[i]);
            let exact = S::Local::from_array(&borne_by(tie, &self.borne[k], &after, &z));
            let (contact, judged) = (&problem.contacts[k], solution.impulses[k]);
            missing += problem.tie_work(contact, exact, judged);
            done += problem.tie_work(contact, judged, S::Local::ZERO);
        }
        if missing <= noise { 0.0 } else { (missing / done).sqrt() }
    }

    /// γ in the mean.
    fn gap(&self) -> f64 {
        self.mean_of_pairs(|k| dot(&self.pairs[k].0, &self.pairs[k].1))
    }

    /// The mean over all that has an x and a z.
    fn mean_of_pairs(&self, of: impl Fn(usize) -> f64) -> f64 {
        let all = || (0..self.pairs.len()).filter(|&k| self.system.rows[k].has_pair());
        all().map(of).sum::<f64>() / all().count() as f64
    }

    /// Makes a step with the help of the one that was predicted (Mehrotra 1992); its length, none where there is none.
    fn step(&mut self) -> Option<f64> {
        let gap = self.gap();
        let mut way = std::mem::take(&mut self.way);
        let mut other = std::mem::take(&mut self.other);
        let length = self.length(&way).min(1.0);
        let after = self.mean_of_pairs(|k| {
            let ((x, z), (dx, dz)) = (&self.pairs[k], &way.pairs[k]);
            dot(&add_scaled(x, length, dx), &add_scaled(z, length, dz))
        });
        let share = math::powi(after / gap, 3).clamp(1e-6, 1.0);
        self.aim(share * gap, Some(&way));
        self.direction(&mut way);
        let mut length = (INSIDE * self.length(&way)).min(1.0);
        if length < SHORT {
            self.aim(share.max(CENTRE) * gap, None);
            self.direction(&mut other);
            let trial = (INSIDE * self.length(&other)).min(1.0);
            if trial > length {
                length = trial;
                std::mem::swap(&mut way, &mut other);
            }
        }
        let sound = length > 0.0 && way.u.as_flattened().iter().all(|x| x.is_finite());
        if sound {
            for (u, du) in self.u.iter_mut().zip(&way.u) {
                (0..W).for_each(|j| u[j] += length * du[j]);
            }
            for ((x, z), (dx, dz)) in self.pairs.iter_mut().zip(&way.pairs) {
                (*x, *z) = (add_scaled(x, length, dx), add_scaled(z, length, dz));
            }
            carry(&self.system, &self.u, &mut self.borne);
        }
        (self.way, self.other) = (way, other);
        sound.then_some(length)
    }

    /// The targets for γ, with the second-order change of a direction taken into account. B is z²/γ: contacts that press
    /// keep so much of γ that A is not lost beside it in rounding.
    fn aim(&mut self, gap: f64, predicted: Option<&Direction<W>>) {
        for (k, scaling) in self.scalings.iter().enumerate() {
            if !self.system.rows[k].has_pair() {
                continue;
            }
            let z = &self.pairs[k].1;
            let least = dot(z, z) / (STIFFEST * self.system.rows[k].mass);
            let mut wanted = UNIT.map(|x| gap.max(least) * x);
            if let Some(predicted) = predicted {
                let (dx, dz) = &predicted.pairs[k];
                wanted = add_scaled(&wanted, -1.0, &product(&scaling.apply(dx), &scaling.undo(dz)));
            }
            let balance = &scaling.balance;
            self.targets[k] = add_scaled(&quotient(&wanted, balance), -1.0, balance);
        }
    }

    /// How far a direction can be followed.
    fn length(&self, way: &Direction<W>) -> f64 {
        let both = self.pairs.iter().zip(&way.pairs).zip(&self.system.rows);
        let both = both.filter(|(_, row)| row.has_pair()).map(|(both, _)| both);
        both.map(|((x, z), (dx, dz))| reach(x, dx).min(reach(z, dz))).fold(f64::INFINITY, f64::min)
    }
}

/// U(x).
fn velocity_of(friction: f64, x: &Point) -> Point {
    match friction > 0.0 {
        true => [friction * determinant(x) / x[0], x[1], x[2]],
        false => *x,
    }
}

/// J⁻¹ d.
fn change_back(friction: f64, x: &Point, d: &Point) -> Point {
    if friction == 0.0 {
        return [d[0], 0.0, 0.0];
    }
    let (a, b) = (x[1] / x[0], x[2] / x[0]);
    let along = 2.0 * (a * d[1] + b * d[2]);
    [(d[0] / friction + along) / (1.0 + a * a + b * b), d[1], d[2]]
}

/// S z.
fn impulse_of<const D: usize>(friction: f64, z: &Point) -> [f64; D] {
    std::array::from_fn(|i| match i {
        0 if friction > 0.0 => z[0] / friction,
        0 => z[0],
        _ if friction > 0.0 => z[i],
        _ => 0.0,
    })
}

/// S T² J⁻¹ of a contact.
fn stiffness_of<const D: usize, const W: usize>(
    row: &Row<D, W>,
    x: &Point,
    scaling: &Scaling,
) -> [[f64; D]; D] {
    let square = scaling.square();
    let mut stiffness = [[0.0; D]; D];
    for j in 0..row.components() {
        let unit = std::array::from_fn(|i| if i == j { 1.0 } else { 0.0 });
        let change = change_back(row.friction, x, &unit);
        let push = impulse_of::<D>(row.friction, &square.map(|line| dot(&line, &change)));
        (0..D).for_each(|i| stiffness[i][j] = push[i]);
    }
    stiffness
}
