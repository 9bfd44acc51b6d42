//! The assembled contact problem of a step with solids: W = Σ G A⁻¹ G*, over bodies and surfaces.

use super::contact::{Side, Soft};
use crate::Dimension;
use drystone_fem::Solid;
use drystone_solve::solvers::{Components, Limits, Size, Solver, by_name};
use drystone_solve::{Assembled, BlockMatrix, Cone, ContactProblem, GROUND, SolveReport, Twist};
use drystone_space::{Frame, Local, Space, Vector};
use std::fmt;

/// An assembled problem of one dimension, with its solver.
pub trait Coupled<S: Space>: Default + fmt::Debug {
    /// Chooses the solver. False if there is none of that name.
    fn choose(&mut self, solver: &str) -> bool;
    /// Assembles all contacts: those between rigid movers first, then those of solids.
    fn assemble(&mut self, parts: &Parts<S>)
    where
        S: Dimension;
    /// Solves from the impulses given.
    fn solve(&mut self, impulses: &mut [S::Local], limits: &Limits) -> SolveReport;
}

/// What a problem is assembled from.
pub struct Parts<'a, S: Dimension> {
    pub(crate) rigid: &'a ContactProblem<S>,
    pub(crate) soft: &'a [Soft<S>],
    pub(crate) solids: &'a [Solid<S>],
    /// Places on each solid's surface that contacts touch, rising.
    pub(crate) touched: &'a [Vec<u32>],
}

/// See [`Coupled`].
#[derive(Default)]
pub struct Condensed<const D: usize> {
    problem: Assembled<D>,
    impulses: Vec<[f64; D]>,
    solver: Option<Box<dyn Solver<D>>>,
}

impl<const D: usize> fmt::Debug for Condensed<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let solver = self.solver.as_ref().map(|solver| solver.name());
        f.debug_struct("Condensed").field("solver", &solver).finish_non_exhaustive()
    }
}

impl<S: Space, const D: usize> Coupled<S> for Condensed<D>
where
    Size<D>: Components<D>,
{
    fn choose(&mut self, solver: &str) -> bool {
        self.solver = by_name(solver);
        self.solver.is_some()
    }

    fn assemble(&mut self, parts: &Parts<S>)
    where
        S: Dimension,
    {
        let rows = parts.rows();
        let pattern = parts.pattern(&rows);
        self.problem.delassus = BlockMatrix::from_pattern(&pattern);
        let mut answer = Answer::new(parts);
        let mut place = 0;
        // Row by row: W is symmetric, so what neighbours answer to the row's unit impulses is the
        // row itself, transposed.
        for (row, near) in rows.iter().zip(&pattern) {
            for axis in 0..D {
                answer.push(parts, row, S::Local::axis(axis));
                for (block, &other) in self.problem.delassus.blocks[place..].iter_mut().zip(near) {
                    let velocity = answer.relative(parts, &rows[other as usize]);
                    block[axis] = array::<S, D>(velocity);
                }
                answer.clear(row);
            }
            place += near.len();
        }
        self.problem.free = rows.iter().map(|row| array::<S, D>(row.free(parts))).collect();
        self.problem.cones = rows.iter().map(|row| Cone::coulomb(row.friction)).collect();
    }

    fn solve(&mut self, impulses: &mut [S::Local], limits: &Limits) -> SolveReport {
        self.impulses.clear();
        self.impulses.extend(impulses.iter().map(|&p| array::<S, D>(p)));
        let solver = self.solver.as_mut().expect("the solver was chosen when the world was made");
        let report = solver.solve(&self.problem, &mut self.impulses, limits);
        for (impulse, found) in impulses.iter_mut().zip(&self.impulses) {
            *impulse = (0..D).fold(S::Local::ZERO, |sum, i| sum + S::Local::axis(i) * found[i]);
        }
        report
    }
}

fn array<S: Space, const D: usize>(local: S::Local) -> [f64; D] {
    std::array::from_fn(|i| local.get(i))
}

/// One contact of the problem.
struct Row<S: Space> {
    frame: S::Frame,
    sides: [Side<S>; 2],
    offset: S::Local,
    friction: f64,
}

impl<S: Dimension> Row<S> {
    /// Velocity without impulses, as the law sees it.
    fn free(&self, parts: &Parts<S>) -> S::Local {
        let nodes = |solid: u32, node: u32| parts.solids[solid as usize].free()[node as usize];
        let [first, second] = &self.sides;
        let free = &parts.rigid.free;
        self.frame.to_local(first.velocity(free, nodes) - second.velocity(free, nodes))
            + self.offset
    }
}

impl<S: Dimension> Parts<'_, S> {
    fn rows(&self) -> Vec<Row<S>> {
        let rigid = self.rigid.contacts.iter().map(|contact| {
            let map = &contact.map;
            let second = match map.second {
                GROUND => Side::Given,
                index => Side::Mover { index, arm: map.arm_second },
            };
            Row {
                frame: map.frame,
                sides: [Side::Mover { index: map.first, arm: map.arm_first }, second],
                offset: contact.offset,
                friction: contact.law.friction(),
            }
        });
        let soft = self.soft.iter().map(|soft| Row {
            frame: soft.frame,
            sides: [soft.first, soft.second],
            offset: soft.offset,
            friction: soft.contact.friction,
        });
        rigid.chain(soft).collect()
    }

    /// The contacts that share a mover or a solid with each, rising.
    fn pattern(&self, rows: &[Row<S>]) -> Vec<Vec<u32>> {
        let movers = self.rigid.movers.len();
        let owner = |side: &Side<S>| match side {
            Side::Mover { index, .. } => Some(*index as usize),
            Side::Nodes { solid, .. } => Some(movers + *solid as usize),
            Side::Given => None,
        };
        let mut of: Vec<Vec<u32>> = vec![Vec::new(); movers + self.solids.len()];
        for (index, row) in rows.iter().enumerate() {
            for owner in row.sides.iter().filter_map(owner) {
                of[owner].push(index as u32);
            }
        }
        rows.iter()
            .map(|row| {
                let owners = row.sides.iter().filter_map(owner);
                let mut near: Vec<u32> = owners.flat_map(|o| of[o].iter().copied()).collect();
                near.sort_unstable();
                near.dedup();
                near
            })
            .collect()
    }
}

/// What movers and surfaces answer to impulses.
struct Answer<S: Dimension> {
    twists: Vec<Twist<S>>,
    /// By solid: velocities of the places that contacts touch.
    surfaces: Vec<Vec<S::Vector>>,
    /// By solid and place on the surface: where it is among those that are touched.
    places: Vec<Vec<u32>>,
}

impl<S: Dimension> Answer<S> {
    fn new(parts: &Parts<S>) -> Self {
        let mut places = Vec::new();
        for (solid, touched) in parts.solids.iter().zip(parts.touched) {
            let mut of = vec![u32::MAX; solid.model().surface().nodes().len()];
            touched.iter().enumerate().for_each(|(i, &place)| of[place as usize] = i as u32);
            places.push(of);
        }
        Self {
            twists: vec![Twist::ZERO; parts.rigid.movers.len()],
            surfaces: parts.touched.iter().map(|t| vec![S::Vector::ZERO; t.len()]).collect(),
            places,
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

    fn relative(&self, parts: &Parts<S>, row: &Row<S>) -> S::Local {
        let nodes = |solid: u32, node: u32| {
            let place = parts.solids[solid as usize].model().surface().place(node);
            self.surfaces[solid as usize][self.places[solid as usize][place] as usize]
        };
        let [first, second] = &row.sides;
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
