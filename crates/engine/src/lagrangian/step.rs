//! A step of a system in coordinates of its own.

use super::{Lagrangian, SystemContact};
use crate::Dimension;
use drystone_solve::{
    Compliant, ContactMap, ContactProblem, GROUND, Law, Nlgs, NlgsParams, Residual, Solution,
    Status, Threads,
};
use drystone_space::{Frame, Local, Vector};

/// Most rounds in which F is taken at the mean velocity, and the change of it that ends them, as a share of the velocity.
const ROUNDS: usize = 30;
const SETTLED: f64 = 1e-13;

/// Energies, and what has changed them since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LagrangianLedger {
    /// ½ u·A(q) u.
    pub kinetic: f64,
    /// That of the system's potential.
    pub potential: f64,
    /// Both at the start.
    pub initial: f64,
    /// What forces without potential gave.
    pub external_work: f64,
    /// What contacts took along their tangents, and along their normals.
    pub friction_loss: f64,
    /// See there.
    pub impact_loss: f64,
    /// What steps made of A's change and of the potential's: an error of the scheme.
    pub scheme_work: f64,
}

impl LagrangianLedger {
    /// By how much the books do not close.
    pub fn closure(&self) -> f64 {
        let taken = self.friction_loss + self.impact_loss;
        let given = self.external_work + self.scheme_work;
        self.kinetic + self.potential + taken - self.initial - given
    }
}

/// What a step did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LagrangianReport {
    /// Contacts that were closed.
    pub contacts: usize,
    /// Rounds for F at the mean velocity.
    pub rounds: usize,
    /// The larger residual of the contacts.
    pub residual: f64,
    /// Whether A could be factored, contacts were solved to the tolerance, and the rounds have settled.
    pub converged: bool,
}

/// A contact that is closed in the step.
#[derive(Debug)]
struct Closed<S: Dimension> {
    normal: S::Vector,
    given: S::Vector,
    friction: f64,
    restitution: [f64; 2],
}

/// A system with its state.
#[derive(Debug)]
pub struct LagrangianRun<S: Dimension, L> {
    system: L,
    time_step: f64,
    /// The contacts' tolerance.
    pub tolerance: f64,
    steps: u64,
    q: Vec<f64>,
    u: Vec<f64>,
    ledger: LagrangianLedger,
    /// Impulse of each contact that was closed in the last step, in world axes.
    impulses: Vec<S::Vector>,
    work: Work<S>,
}

/// Scratch.
#[derive(Debug, Default)]
struct Work<S: Dimension> {
    inertia: Vec<f64>,
    factor: Vec<f64>,
    force: Vec<f64>,
    drive: Vec<f64>,
    middle: Vec<f64>,
    mean: Vec<f64>,
    free: Vec<f64>,
    after: Vec<f64>,
    before: Vec<f64>,
    column: Vec<f64>,
    closed: Vec<Closed<S>>,
    /// G of each closed contact, one after the other.
    maps: Vec<S::Vector>,
    problem: ContactProblem<S>,
    solution: Solution<S>,
    solver: Nlgs<S>,
}

impl<S: Dimension, L: Lagrangian<S>> LagrangianRun<S, L> {
    /// A system that starts with these coordinates and velocities. `None` where they are not as many as it has, or not finite.
    pub fn new(system: L, time_step: f64, q: Vec<f64>, u: Vec<f64>) -> Option<Self> {
        let count = system.freedoms();
        let finite = |list: &[f64]| list.len() == count && list.iter().all(|x| x.is_finite());
        let positive = time_step > 0.0 && time_step.is_finite();
        if !(positive && finite(&q) && finite(&u)) {
            return None;
        }
        let mut run = Self {
            system,
            time_step,
            tolerance: 1e-10,
            steps: 0,
            q,
            u,
            ledger: LagrangianLedger::default(),
            impulses: Vec::new(),
            work: Work::default(),
        };
        let [kinetic, potential] = run.energies();
        run.ledger = LagrangianLedger {
            kinetic,
            potential,
            initial: kinetic + potential,
            ..LagrangianLedger::default()
        };
        Some(run)
    }

    /// The system.
    pub fn system(&self) -> &L {
        &self.system
    }
    /// The coordinates.
    pub fn q(&self) -> &[f64] {
        &self.q
    }
    /// The velocities.
    pub fn u(&self) -> &[f64] {
        &self.u
    }
    /// The time.
    pub fn time(&self) -> f64 {
        self.steps as f64 * self.time_step
    }
    /// The books.
    pub fn ledger(&self) -> &LagrangianLedger {
        &self.ledger
    }
    /// Impulses of the contacts that were closed in the last step, in world axes.
    pub fn impulses(&self) -> &[S::Vector] {
        &self.impulses
    }

    /// ½ u·A(q) u and the potential.
    fn energies(&mut self) -> [f64; 2] {
        let Work { inertia, .. } = &mut self.work;
        clear(inertia, self.q.len() * self.q.len());
        self.system.inertia(&self.q, inertia);
        [0.5 * form(inertia, &self.u, &self.u), self.system.potential(&self.q)]
    }

    /// One step.
    pub fn step(&mut self) -> LagrangianReport {
        let (h, count) = (self.time_step, self.q.len());
        let middle_time = (self.steps as f64 + 0.5) * h;
        let work = &mut self.work;
        work.before.clone_from(&self.u);
        work.middle.clear();
        work.middle.extend(self.q.iter().zip(&self.u).map(|(q, u)| q + 0.5 * h * u));
        clear(&mut work.inertia, count * count);
        self.system.inertia(&work.middle, &mut work.inertia);
        work.factor.clone_from(&work.inertia);
        let factored = cholesky(&mut work.factor, count);
        work.find(&self.system, middle_time);
        work.respond(count);
        work.after.clone_from(&self.u);
        let mut report = LagrangianReport {
            contacts: work.closed.len(),
            rounds: 0,
            residual: 0.0,
            converged: factored,
        };
        let mut settled = !factored;
        while factored && !settled && report.rounds < ROUNDS {
            report.rounds += 1;
            work.push_free(&self.system, middle_time, h);
            let (residual, solved) = work.solve(self.tolerance);
            report.residual = residual;
            report.converged = solved;
            settled = work.take_velocities();
        }
        report.converged &= settled;
        self.book(h);
        self.u.clone_from(&self.work.after);
        let ends = self.work.middle.iter().zip(&self.u);
        self.q.clear();
        self.q.extend(ends.map(|(q, u)| q + 0.5 * h * u));
        self.steps += 1;
        let [kinetic, potential] = self.energies();
        let ledger = &mut self.ledger;
        ledger.scheme_work += potential - ledger.potential + kinetic;
        (ledger.kinetic, ledger.potential) = (kinetic, potential);
        report
    }

    /// Books the work of forces and contacts; that of A's change and of the potential follows at the end of the step.
    fn book(&mut self, h: f64) {
        let Work { inertia, force, drive, mean, before, after, problem, solution, .. } = &self.work;
        let ledger = &mut self.ledger;
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        ledger.external_work += h * dot(drive, mean);
        // ½ u_f·A_m u_f − ½ u_i·A_m u_i is what forces and contacts have done: what the energy changes by beyond is the scheme's.
        ledger.scheme_work += h * dot(force, mean) - 0.5 * form(inertia, after, after)
            + 0.5 * form(inertia, before, before)
            - ledger.kinetic;
        self.impulses.clear();
        for (place, (contact, impulse)) in
            problem.contacts.iter().zip(&solution.impulses).enumerate()
        {
            let push = contact.map.frame.to_world(*impulse);
            let maps = &self.work.maps[place * mean.len()..(place + 1) * mean.len()];
            let Closed { normal, given, .. } = self.work.closed[place];
            let relative = moved::<S>(maps, mean) + given;
            let along = normal.dot(push) * normal.dot(relative);
            ledger.impact_loss -= along;
            ledger.friction_loss -= push.dot(relative) - along;
            ledger.external_work -= push.dot(given);
            self.impulses.push(push);
        }
    }
}

impl<S: Dimension> Work<S> {
    /// Takes the contacts that are closed in the middle of the step.
    fn find(&mut self, system: &impl Lagrangian<S>, time: f64) {
        let Self { closed, maps, middle, .. } = self;
        closed.clear();
        maps.clear();
        system.contacts(time, middle, &mut |contact: SystemContact<'_, S>| {
            let SystemContact { gap, normal, map, given, friction, restitution } = contact;
            if gap <= 0.0 && map.len() == middle.len() {
                closed.push(Closed { normal, given, friction, restitution });
                maps.extend_from_slice(map);
            }
        });
    }

    /// Makes the contacts' problem: points with the response G A⁻¹ G*.
    fn respond(&mut self, count: usize) {
        let Self { problem, solution, closed, maps, factor, column, before, .. } = self;
        problem.movers.clear();
        problem.free.clear();
        problem.contacts.clear();
        problem.compliant.truncate(1);
        if problem.compliant.is_empty() {
            problem.compliant.push(Compliant::default());
        }
        let group = &mut problem.compliant[0];
        group.reset(0, closed.len() as u32);
        for point in 0..closed.len() {
            let own = &maps[point * count..(point + 1) * count];
            for axis in 0..S::DIMENSION {
                column.clear();
                column.extend(own.iter().map(|g| g.get(axis)));
                substitute(factor, column);
                let answers = group.response_mut(point as u32, axis).iter_mut();
                for (answer, map) in answers.zip(maps.chunks_exact(count)) {
                    *answer = moved::<S>(map, column);
                }
            }
        }
        for _ in 0..closed.len() {
            problem.push_point(S::Vector::ZERO);
        }
        for (point, contact) in closed.iter().enumerate() {
            let frame = S::Frame::from_normal(contact.normal);
            let map = ContactMap {
                first: point as u32,
                second: GROUND,
                frame,
                arm_first: S::Vector::ZERO,
                arm_second: S::Vector::ZERO,
            };
            let own = &maps[point * count..(point + 1) * count];
            let was = frame.to_local(moved::<S>(own, before) + contact.given);
            let [normal, tangential] = contact.restitution;
            let bounced = (0..S::DIMENSION).fold(S::Local::ZERO, |sum, axis| {
                let restitution = if axis == 0 { normal } else { tangential };
                sum + S::Local::axis(axis) * (was.get(axis) * restitution)
            });
            let offset = frame.to_local(contact.given) + bounced;
            problem.push_contact(map, offset, Law::with_friction(contact.friction), 1.0);
        }
        solution.impulses.clear();
        solution.impulses.resize(closed.len(), S::Local::ZERO);
    }

    /// Velocities without contacts, F being that of the mean velocity of the round before.
    fn push_free(&mut self, system: &impl Lagrangian<S>, time: f64, h: f64) {
        let count = self.before.len();
        self.mean.clear();
        self.mean.extend(self.before.iter().zip(&self.after).map(|(a, b)| 0.5 * (a + b)));
        clear(&mut self.force, count);
        clear(&mut self.drive, count);
        system.force(time, &self.middle, &self.mean, &mut self.force);
        system.drive(time, &self.middle, &self.mean, &mut self.drive);
        self.free.clear();
        self.free.extend(self.force.iter().zip(&self.drive).map(|(f, d)| h * (f + d)));
        substitute(&self.factor, &mut self.free);
        self.free.iter_mut().zip(&self.before).for_each(|(free, u)| *free += u);
        for (free, map) in self.problem.free.iter_mut().zip(self.maps.chunks_exact(count)) {
            free.velocity = moved::<S>(map, &self.free);
        }
    }

    fn solve(&mut self, tolerance: f64) -> (f64, bool) {
        if self.closed.is_empty() {
            return (0.0, true);
        }
        let params = NlgsParams { tolerance, ..NlgsParams::default() };
        let Self { solver, problem, solution, .. } = self;
        let report = solver.solve(problem, solution, &params, &Threads::one());
        (Residual::of(problem, solution).worst(), report.status == Status::Solved)
    }

    /// u_f from the impulses; whether it is that of the round before.
    fn take_velocities(&mut self) -> bool {
        let (count, mut change, mut size) = (self.before.len(), 0.0f64, 0.0f64);
        self.column.clear();
        self.column.resize(count, 0.0);
        let pushes = self.problem.contacts.iter().zip(&self.solution.impulses);
        for ((contact, impulse), map) in pushes.zip(self.maps.chunks_exact(count)) {
            let push = contact.map.frame.to_world(*impulse);
            self.column.iter_mut().zip(map).for_each(|(sum, g)| *sum += g.dot(push));
        }
        substitute(&self.factor, &mut self.column);
        for ((after, free), answer) in self.after.iter_mut().zip(&self.free).zip(&self.column) {
            let now = free + answer;
            change = change.max((now - *after).abs());
            size = size.max(now.abs());
            *after = now;
        }
        change <= SETTLED * size
    }
}

/// G u.
fn moved<S: Dimension>(map: &[S::Vector], u: &[f64]) -> S::Vector {
    map.iter().zip(u).fold(S::Vector::ZERO, |sum, (g, u)| sum + *g * *u)
}

/// Makes a list as many zeros.
fn clear(list: &mut Vec<f64>, count: usize) {
    list.clear();
    list.resize(count, 0.0);
}

/// a·A b.
fn form(matrix: &[f64], a: &[f64], b: &[f64]) -> f64 {
    let row = |row: &[f64]| row.iter().zip(b).map(|(x, b)| x * b).sum::<f64>();
    a.iter().zip(matrix.chunks_exact(b.len().max(1))).map(|(a, line)| a * row(line)).sum()
}

/// A = L L*, L in place of the lower triangle; false where A is not positive definite.
fn cholesky(a: &mut [f64], n: usize) -> bool {
    for j in 0..n {
        for i in j..n {
            let sum: f64 = (0..j).map(|k| a[i * n + k] * a[j * n + k]).sum();
            let rest = a[i * n + j] - sum;
            if i > j {
                a[i * n + j] = rest / a[j * n + j];
                continue;
            }
            let positive = rest > 0.0 && rest.is_finite();
            if !positive {
                return false;
            }
            a[j * n + j] = rest.sqrt();
        }
    }
    true
}

/// b ← A⁻¹ b.
fn substitute(factor: &[f64], b: &mut [f64]) {
    let n = b.len();
    for i in 0..n {
        let sum: f64 = (0..i).map(|k| factor[i * n + k] * b[k]).sum();
        b[i] = (b[i] - sum) / factor[i * n + i];
    }
    for i in (0..n).rev() {
        let sum: f64 = (i + 1..n).map(|k| factor[k * n + i] * b[k]).sum();
        b[i] = (b[i] - sum) / factor[i * n + i];
    }
}
