//! The contact problem of a step with solids: u = W r + q with W = Σ G A⁻¹ G*, over bodies and surfaces.
//!
//! All laws that have no couples can be solved. Buffers are kept from step to step.

use super::contact::{Side, Soft};
use super::sweeps::Sweeps;
use crate::{AssembledStep, Dimension};
use drystone_fem::Solid;
use drystone_solve::solvers::{Components, Limits, Size, Solver, by_name};
use drystone_solve::{
    AnyAssembled, Assembled, Cone, ContactProblem, GROUND, Law, SolveReport, Special, Status, Twist,
};
use drystone_space::{Frame, Local, Space, Vector};
use std::fmt;

/// Sweeps after which another method takes over, where all laws are Coulomb's.
const MANY_SWEEPS: usize = 200;

/// The problem of one dimension, with its solver.
pub trait Coupled<S: Space>: Default + fmt::Debug {
    /// Chooses the solver. False if there is none of that name.
    fn choose(&mut self, solver: &str) -> bool;
    /// Assembles all contacts: those between rigid movers first, then those of solids.
    fn assemble(&mut self, parts: &Parts<S>)
    where
        S: Dimension;
    /// Takes the velocities without contacts anew, all else as it was.
    fn release(&mut self, parts: &Parts<S>)
    where
        S: Dimension;
    /// Solves from the impulses given.
    fn solve(&mut self, impulses: &mut [S::Local], limits: &Limits) -> SolveReport;
    /// The problem as it was solved last; `None` where a law is not Coulomb's.
    fn solved(&self) -> Option<AssembledStep>;
}

/// What a problem is assembled from.
pub struct Parts<'a, S: Dimension> {
    pub(crate) rigid: &'a ContactProblem<S>,
    pub(crate) soft: &'a [Soft<S>],
    /// Laws of the contacts of solids that are neither frictionless nor Coulomb's.
    pub(crate) specials: &'a [Special<S>],
    pub(crate) solids: &'a [Solid<S>],
    /// Places on each solid's surface that contacts touch, rising.
    pub(crate) touched: &'a [Vec<u32>],
}

/// See [`Coupled`].
pub struct Condensed<S: Dimension, const D: usize> {
    rows: Vec<Row<S>>,
    laws: Vec<Law>,
    specials: Vec<Special<S>>,
    neighbours: Neighbours,
    answer: Answer<S>,
    problem: Assembled<D>,
    start: Vec<[f64; D]>,
    impulses: Vec<[f64; D]>,
    sweeps: Sweeps<S, D>,
    solver: Option<Box<dyn Solver<D>>>,
}

impl<S: Dimension, const D: usize> Default for Condensed<S, D> {
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            laws: Vec::new(),
            specials: Vec::new(),
            neighbours: Neighbours::default(),
            answer: Answer::default(),
            problem: Assembled::default(),
            start: Vec::new(),
            impulses: Vec::new(),
            sweeps: Sweeps::default(),
            solver: None,
        }
    }
}

impl<S: Dimension, const D: usize> fmt::Debug for Condensed<S, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let solver = self.solver.as_ref().map(|solver| solver.name());
        f.debug_struct("Condensed").field("solver", &solver).finish_non_exhaustive()
    }
}

impl<S: Dimension, const D: usize> Coupled<S> for Condensed<S, D>
where
    Size<D>: Components<D>,
    AnyAssembled: From<Assembled<D>>,
{
    fn choose(&mut self, solver: &str) -> bool {
        self.solver = by_name(solver);
        self.solver.is_some()
    }

    fn assemble(&mut self, parts: &Parts<S>) {
        self.answer.begin(parts);
        self.gather(parts);
        self.neighbours.find(&self.rows, parts);
        let Self { rows, neighbours, answer, problem, .. } = self;
        problem.delassus.reshape(&neighbours.starts, &neighbours.columns);
        // W is symmetric: what a later contact answers to the unit impulses of this one is the block of
        // this row, transposed, and that of the later row. Rows are filled from the left as this goes on.
        neighbours.filled.clear();
        neighbours.filled.extend_from_slice(&neighbours.starts);
        for (index, row) in rows.iter().enumerate() {
            let near = neighbours.starts[index] as usize..neighbours.starts[index + 1] as usize;
            let later = neighbours.filled[index] as usize..near.end;
            for axis in 0..D {
                answer.push(parts, row, S::Local::axis(axis));
                for place in later.clone() {
                    let other = neighbours.columns[place] as usize;
                    let velocity = answer.relative(&rows[other]).to_array();
                    problem.delassus.blocks[place][axis] = velocity;
                }
                answer.clear(row);
            }
            for place in later {
                let other = neighbours.columns[place] as usize;
                let block = problem.delassus.blocks[place];
                let mirror = &mut problem.delassus.blocks[neighbours.filled[other] as usize];
                *mirror = std::array::from_fn(|i| std::array::from_fn(|j| block[j][i]));
                neighbours.filled[other] += 1;
            }
        }
        self.sweeps.begin(&self.problem.delassus, &self.laws, &self.specials);
        self.release(parts);
    }

    fn release(&mut self, parts: &Parts<S>) {
        self.problem.free.clear();
        let free = self.rows.iter().map(|row| row.free(parts).to_array());
        self.problem.free.extend(free);
    }

    fn solve(&mut self, impulses: &mut [S::Local], limits: &Limits) -> SolveReport {
        self.impulses.clear();
        self.impulses.extend(impulses.iter().map(|p| p.to_array()));
        self.start.clone_from(&self.impulses);
        let Self { problem, laws, specials, solver, .. } = self;
        let plain = laws.iter().all(|law| !matches!(law, Law::Special(_)));
        let solver = solver.as_mut().expect("the solver was chosen when the world was made");
        let automatic = solver.name() == "auto";
        let first = match (plain, automatic) {
            (false, _) => limits.max_iterations,
            (true, true) => limits.max_iterations.min(MANY_SWEEPS),
            (true, false) => 0,
        };
        let some = Limits { max_iterations: first, ..*limits };
        let mut report = self.sweeps.solve(problem, laws, specials, &mut self.impulses, &some);
        if plain && report.status == Status::NotSolved {
            problem.cones.clear();
            problem.cones.extend(laws.iter().map(|law| Cone::coulomb(law.friction())));
            let left = Limits { max_iterations: limits.max_iterations - first, ..*limits };
            let other = solver.solve(problem, &mut self.impulses, &left);
            report = SolveReport { iterations: report.iterations + other.iterations, ..other };
        }
        for (impulse, found) in impulses.iter_mut().zip(&self.impulses) {
            *impulse = S::Local::from_array(found);
        }
        report
    }

    fn solved(&self) -> Option<AssembledStep> {
        if self.laws.iter().any(|law| matches!(law, Law::Special(_))) {
            return None;
        }
        let cones = self.laws.iter().map(|law| Cone::coulomb(law.friction())).collect();
        let problem = Assembled { cones, ..self.problem.clone() };
        Some(AssembledStep {
            assembled: problem.into(),
            start: self.start.as_flattened().to_vec(),
            impulses: self.impulses.as_flattened().to_vec(),
        })
    }
}

impl<S: Dimension, const D: usize> Condensed<S, D> {
    /// Rows and laws of all contacts.
    fn gather(&mut self, parts: &Parts<S>) {
        self.rows.clear();
        self.laws.clear();
        self.specials.clear();
        self.specials.extend_from_slice(&parts.rigid.specials);
        self.specials.extend_from_slice(parts.specials);
        for contact in &parts.rigid.contacts {
            let map = &contact.map;
            let second = match map.second {
                GROUND => Side::Given,
                index => Side::Mover { index, arm: map.arm_second },
            };
            let first = Side::Mover { index: map.first, arm: map.arm_first };
            self.laws.push(contact.law);
            self.rows.push(Row::new(map.frame, [first, second], contact.offset, &self.answer));
        }
        let before = parts.rigid.specials.len() as u32;
        for soft in parts.soft {
            self.laws.push(match soft.law {
                Law::Special(index) => Law::Special(index + before),
                plain => plain,
            });
            let sides = [soft.first, soft.second];
            self.rows.push(Row::new(soft.frame, sides, soft.offset, &self.answer));
        }
    }
}

/// One contact of the problem.
struct Row<S: Space> {
    frame: S::Frame,
    sides: [Side<S>; 2],
    /// The sides with nodes numbered among those that contacts touch.
    touched: [Side<S>; 2],
    offset: S::Local,
}

impl<S: Dimension> Row<S> {
    fn new(frame: S::Frame, sides: [Side<S>; 2], offset: S::Local, answer: &Answer<S>) -> Self {
        let touched = sides.map(|side| match side {
            Side::Nodes { solid, spot } => {
                let places = &answer.places[solid as usize];
                Side::Nodes { solid, spot: spot.renamed(|node| places[node as usize]) }
            }
            other => other,
        });
        Self { frame, sides, touched, offset }
    }

    /// Velocity without impulses, as the law sees it.
    fn free(&self, parts: &Parts<S>) -> S::Local {
        let nodes = |solid: u32, node: u32| parts.solids[solid as usize].free()[node as usize];
        let [first, second] = &self.sides;
        let free = &parts.rigid.free;
        self.frame.to_local(first.velocity(free, nodes) - second.velocity(free, nodes))
            + self.offset
    }
}

/// The contacts that share a mover or a solid with each.
#[derive(Default)]
struct Neighbours {
    starts: Vec<u32>,
    columns: Vec<u32>,
    /// Up to where each row is filled.
    filled: Vec<u32>,
    /// Contacts of each mover, and then of each solid.
    of: Vec<Vec<u32>>,
}

impl Neighbours {
    fn find<S: Dimension>(&mut self, rows: &[Row<S>], parts: &Parts<S>) {
        let movers = parts.rigid.movers.len();
        let owner = |side: &Side<S>| match side {
            Side::Mover { index, .. } => Some(*index as usize),
            Side::Nodes { solid, .. } => Some(movers + *solid as usize),
            Side::Given => None,
        };
        let owners = movers + parts.solids.len();
        if self.of.len() < owners {
            self.of.resize(owners, Vec::new());
        }
        self.of.iter_mut().for_each(Vec::clear);
        for (index, row) in rows.iter().enumerate() {
            for owner in row.sides.iter().filter_map(owner) {
                self.of[owner].push(index as u32);
            }
        }
        self.starts.clear();
        self.columns.clear();
        self.starts.push(0);
        for row in rows {
            let [first, second] = row.sides.each_ref().map(&owner);
            let list = |owner: Option<usize>| owner.map_or(&[][..], |owner| &self.of[owner]);
            let second = second.filter(|_| second != first);
            merge(list(first), list(second), &mut self.columns);
            self.starts.push(self.columns.len() as u32);
        }
    }
}

/// Appends two rising lists as one, what is in both once.
fn merge(mut a: &[u32], mut b: &[u32], out: &mut Vec<u32>) {
    while let ([x, more_a @ ..], [y, more_b @ ..]) = (a, b) {
        out.push(*x.min(y));
        if x <= y {
            a = more_a;
        }
        if y <= x {
            b = more_b;
        }
    }
    out.extend_from_slice(a);
    out.extend_from_slice(b);
}

/// What movers and surfaces answer to impulses.
struct Answer<S: Dimension> {
    twists: Vec<Twist<S>>,
    /// By solid: velocities of the places that contacts touch.
    surfaces: Vec<Vec<S::Vector>>,
    /// By solid and node: where it is among those that are touched.
    places: Vec<Vec<u32>>,
}

impl<S: Dimension> Default for Answer<S> {
    fn default() -> Self {
        Self { twists: Vec::new(), surfaces: Vec::new(), places: Vec::new() }
    }
}

impl<S: Dimension> Answer<S> {
    fn begin(&mut self, parts: &Parts<S>) {
        self.twists.clear();
        self.twists.resize(parts.rigid.movers.len(), Twist::ZERO);
        let count = parts.solids.len();
        self.surfaces.resize(count, Vec::new());
        self.places.resize(count, Vec::new());
        for (index, (solid, touched)) in parts.solids.iter().zip(parts.touched).enumerate() {
            let places = &mut self.places[index];
            places.resize(solid.positions().len(), u32::MAX);
            for (number, &place) in touched.iter().enumerate() {
                let node = solid.model().surface().nodes()[place as usize];
                places[node as usize] = number as u32;
            }
            self.surfaces[index].clear();
            self.surfaces[index].resize(touched.len(), S::Vector::ZERO);
        }
    }

    fn push(&mut self, parts: &Parts<S>, row: &Row<S>, impulse: S::Local) {
        let world = row.frame.to_world(impulse);
        for (side, impulse) in row.sides.iter().zip([world, -world]) {
            side.push(impulse, &parts.rigid.movers, &mut self.twists);
            let Side::Nodes { solid, spot } = side else { continue };
            let index = *solid as usize;
            let velocities = &mut self.surfaces[index];
            for &(node, weight) in spot.nodes() {
                for axis in 0..S::DIMENSION {
                    let share = weight * impulse.get(axis);
                    if share == 0.0 {
                        continue;
                    }
                    let answer = parts.solids[index].answer(node, axis);
                    for (velocity, &place) in velocities.iter_mut().zip(&parts.touched[index]) {
                        *velocity += answer[place as usize] * share;
                    }
                }
            }
        }
    }

    fn relative(&self, row: &Row<S>) -> S::Local {
        let nodes = |solid: u32, place: u32| self.surfaces[solid as usize][place as usize];
        let [first, second] = &row.touched;
        row.frame
            .to_local(first.velocity(&self.twists, nodes) - second.velocity(&self.twists, nodes))
    }

    fn clear(&mut self, row: &Row<S>) {
        for side in &row.sides {
            match side {
                Side::Nodes { solid, .. } => self.surfaces[*solid as usize].fill(S::Vector::ZERO),
                Side::Mover { index, .. } => self.twists[*index as usize] = Twist::ZERO,
                Side::Given => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::merge;

    #[test]
    fn lists_are_merged() {
        let mut out = vec![9];
        merge(&[0, 2, 3], &[1, 2, 5], &mut out);
        assert_eq!(out, [9, 0, 1, 2, 3, 5]);
        out.clear();
        merge(&[], &[4], &mut out);
        assert_eq!(out, [4]);
    }
}
