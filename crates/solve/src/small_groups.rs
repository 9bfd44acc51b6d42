//! Small groups of contacts, solved at once after a few sweeps.
//!
//! A body at rest on a few contacts is the everyday problem, and sweeps are a slow way to share its weight
//! out: each contact undoes a part of what the others have just done. A group of contacts that is joined
//! to no other by a mover is a problem of its own. Where it is small, Newton's method on Alart & Curnier's
//! equations (1991) solves it in two or three steps, from the impulses that a few sweeps have found: these
//! choose among several solutions, where there are several.
//!
//! W is dense. Where it lacks rank, steps are made in W + αS with S = trace(W_cc)/D: a proximal step around
//! the present impulses, which moves no solution.

use crate::assembled::local::{add, dot, norm};
use crate::assembled::{Cone, Local as Components};
use crate::local::{Augmentation, alart_curnier};
use crate::union_find::UnionFind;
use crate::{Blocks, ContactProblem, GROUND, Law, Solution, Twist};
use drystone_linear::DenseLu;
use drystone_space::{Local, math};

/// Most contacts of a small group.
const MOST: u32 = 8;
/// Most steps of Newton.
const STEPS: usize = 10;
/// α.
const DAMPING: f64 = 1e-9;
/// Share of the tolerance to which a group is solved: errors of groups add up.
const SHARE: f64 = 0.1;

/// The groups of a problem, with the scratch of their solution: nothing is allocated once the buffers
/// have grown.
#[derive(Clone, Debug, Default)]
pub struct SmallGroups<S: Blocks> {
    connected: UnionFind,
    /// Where the contacts of each group start in `order`, by the group's leading mover.
    starts: Vec<u32>,
    order: Vec<u32>,
    twists: Vec<Twist<S>>,
    matrix: Vec<f64>,
    lu: DenseLu,
    right: Vec<f64>,
}

/// One group: u = W r + q.
struct Group<'a, const D: usize> {
    matrix: &'a [f64],
    free: [Components<D>; MOST as usize],
    cones: [Cone; MOST as usize],
    /// D / trace(W_cc).
    scales: [f64; MOST as usize],
    count: usize,
}

impl<S: Blocks> SmallGroups<S> {
    /// Finds the groups of a problem. Returns whether at least half of its contacts are in small ones of
    /// more than one contact: one contact alone is solved by one sweep.
    pub fn find(&mut self, problem: &ContactProblem<S>) -> bool {
        // What is joined by a compliant group is not told by movers.
        if !problem.compliant.is_empty() {
            return false;
        }
        self.connected.reset(problem.movers.len());
        for contact in problem.contacts.iter().filter(|contact| contact.map.second != GROUND) {
            self.connected.union(contact.map.first, contact.map.second);
        }
        self.starts.clear();
        self.starts.resize(problem.movers.len() + 2, 0);
        for contact in &problem.contacts {
            self.starts[self.connected.find(contact.map.first) as usize + 2] += 1;
        }
        let sizes = self.starts.iter().filter(|size| (2..=MOST).contains(size));
        let small = sizes.map(|&size| size as usize).sum::<usize>();
        for group in 2..self.starts.len() {
            self.starts[group] += self.starts[group - 1];
        }
        self.order.clear();
        self.order.resize(problem.contacts.len(), 0);
        // Each start moves on to the end of its group, which is the start of the next.
        for (index, contact) in problem.contacts.iter().enumerate() {
            let next = &mut self.starts[self.connected.find(contact.map.first) as usize + 1];
            self.order[*next as usize] = index as u32;
            *next += 1;
        }
        small > 0 && 2 * small >= problem.contacts.len()
    }

    /// Solves the small groups that were found, from the impulses that `solution` holds. A group keeps
    /// them where Newton does not lead to the tolerance, or where a law is not Coulomb's. Returns the most
    /// steps that a group took.
    pub(crate) fn settle<const D: usize>(
        &mut self,
        problem: &ContactProblem<S>,
        solution: &mut Solution<S>,
        tolerance: f64,
    ) -> usize {
        self.twists.clear();
        self.twists.resize(problem.movers.len(), Twist::ZERO);
        let mut slowest = 0;
        for group in 1..self.starts.len() - 1 {
            let range = self.starts[group - 1]..self.starts[group];
            if (2..=MOST).contains(&(range.end - range.start)) {
                slowest = slowest.max(self.solve::<D>(problem, solution, range, tolerance));
            }
        }
        slowest
    }

    fn solve<const D: usize>(
        &mut self,
        problem: &ContactProblem<S>,
        solution: &mut Solution<S>,
        range: std::ops::Range<u32>,
        tolerance: f64,
    ) -> usize {
        let contacts = &self.order[range.start as usize..range.end as usize];
        let special = |&c: &u32| matches!(problem.contacts[c as usize].law, Law::Special(_));
        if contacts.iter().any(special) {
            return 0;
        }
        let mut impulses = [[0.0; D]; MOST as usize];
        for (to, &c) in impulses.iter_mut().zip(contacts) {
            *to = solution.impulses[c as usize].to_array();
        }
        let group = gather(problem, contacts, &mut self.twists, &mut self.matrix);
        let (steps, solved) =
            newton(&group, &mut impulses, &mut self.lu, &mut self.right, SHARE * tolerance);
        if solved {
            for (from, &c) in impulses.iter().zip(contacts) {
                solution.impulses[c as usize] = S::Local::from_array(from);
            }
        }
        steps
    }
}

/// W and q of a few contacts. The twists are zero before and after.
fn gather<'a, S: Blocks, const D: usize>(
    problem: &ContactProblem<S>,
    contacts: &[u32],
    twists: &mut [Twist<S>],
    matrix: &'a mut Vec<f64>,
) -> Group<'a, D> {
    let (count, size) = (contacts.len(), contacts.len() * D);
    matrix.clear();
    matrix.resize(size * size, 0.0);
    let mut group = Group {
        matrix: &[],
        free: [[0.0; D]; MOST as usize],
        cones: [Cone::default(); MOST as usize],
        scales: [1.0; MOST as usize],
        count,
    };
    for (row, &c) in contacts.iter().enumerate() {
        let contact = &problem.contacts[c as usize];
        group.free[row] = (contact.offset + contact.map.to_contact(&problem.free)).to_array();
        group.cones[row] = Cone::coulomb(contact.law.friction());
        let mut trace = 0.0;
        for axis in 0..D {
            contact.map.to_bodies(S::Local::axis(axis), &problem.movers, twists);
            for (other, &d) in contacts.iter().enumerate() {
                let seen: Components<D> =
                    problem.contacts[d as usize].map.to_contact(twists).to_array();
                for (i, &x) in seen.iter().enumerate() {
                    matrix[(other * D + i) * size + row * D + axis] = x;
                }
                trace += if other == row { seen[axis] } else { 0.0 };
            }
            for mover in [contact.map.first, contact.map.second] {
                if mover != GROUND {
                    twists[mover as usize] = Twist::ZERO;
                }
            }
        }
        group.scales[row] = if trace > 0.0 { D as f64 / trace } else { 1.0 };
    }
    group.matrix = matrix;
    group
}

impl<const D: usize> Group<'_, D> {
    fn velocities(&self, impulses: &[Components<D>]) -> [Components<D>; MOST as usize] {
        let mut velocities = self.free;
        let rows = self.matrix.chunks_exact(self.count * D);
        for (u, row) in velocities.as_flattened_mut().iter_mut().zip(rows) {
            *u += row.iter().zip(impulses.as_flattened()).map(|(w, r)| w * r).sum::<f64>();
        }
        velocities
    }

    /// The size of the natural map, relative to the impulses.
    fn error(&self, impulses: &[Components<D>], velocities: &[Components<D>]) -> f64 {
        let (mut rest, mut size) = (0.0f64, 0.0f64);
        for c in 0..self.count {
            let map = self.cones[c].natural_map(&velocities[c], &impulses[c], self.scales[c]);
            rest += math::square(norm(&map));
            size += math::square(norm(&impulses[c]));
        }
        if rest > 0.0 { (rest / size).sqrt() } else { 0.0 }
    }

    /// Whether impulses have grown against each other in place of a solution, beside which any error is
    /// small: where they hold each other, Û·r ≈ q·r < 0, and in a solution Û·r = 0.
    fn runs_away(&self, impulses: &[Components<D>], velocities: &[Components<D>]) -> bool {
        let (mut left, mut driven) = (0.0, 0.0);
        for c in 0..self.count {
            left += dot(&self.cones[c].lift(&velocities[c]), &impulses[c]);
            driven += dot(&self.free[c], &impulses[c]);
        }
        left < 0.5 * driven.min(0.0)
    }
}

/// Newton's steps; how many, and whether they have led to the tolerance.
fn newton<const D: usize>(
    group: &Group<D>,
    impulses: &mut [Components<D>],
    lu: &mut DenseLu,
    right: &mut Vec<f64>,
    tolerance: f64,
) -> (usize, bool) {
    let size = group.count * D;
    for step in 0..=STEPS {
        let velocities = group.velocities(impulses);
        if group.error(impulses, &velocities) <= tolerance {
            return (step, !group.runs_away(impulses, &velocities));
        }
        if step == STEPS {
            break;
        }
        lu.clear(size);
        right.clear();
        for c in 0..group.count {
            let scale = Augmentation::uniform(group.scales[c]);
            let line = alart_curnier(&group.cones[c], &velocities[c], &impulses[c], &scale);
            for i in 0..D {
                right.push(-line.value[i]);
                for column in 0..size {
                    let by_velocity = |k: usize| {
                        line.by_velocity[i][k] * group.matrix[(c * D + k) * size + column]
                    };
                    *lu.entry(c * D + i, column) = (0..D).map(by_velocity).sum();
                }
                for j in 0..D {
                    *lu.entry(c * D + i, c * D + j) +=
                        line.by_impulse[i][j] + line.by_velocity[i][j] * DAMPING / group.scales[c];
                }
            }
        }
        if !lu.factor() {
            break;
        }
        lu.solve(right);
        for (c, change) in right.as_chunks::<D>().0.iter().enumerate() {
            let moved = add(&impulses[c], change);
            impulses[c] = group.cones[c].project(&moved);
        }
    }
    (STEPS, false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Contact, ContactMap, Gather, Mover, Residual};
    use drystone_space::{DVec3, Frame, InverseInertia, Local3, Space, Volume};

    /// Unit cubes that fall at 1 and drift at 0.1, each with feet of its own on the ground.
    fn cubes(feet: &[&[[f64; 2]]]) -> (ContactProblem<Volume>, Solution<Volume>) {
        let inverse_inertia = <Volume as Space>::InverseInertia::from_principal(
            DVec3::splat(1.0 / 6.0),
            <Volume as Space>::Rotation::IDENTITY,
        );
        let mover = Mover { inverse_mass: 1.0, inverse_inertia };
        let free = Twist { velocity: DVec3::new(0.1, 0.0, -1.0), spin: DVec3::ZERO };
        let mut problem = ContactProblem {
            movers: vec![mover; feet.len()],
            free: vec![free; feet.len()],
            ..ContactProblem::default()
        };
        for (cube, feet) in feet.iter().enumerate() {
            for [x, y] in *feet {
                let map = ContactMap {
                    first: cube as u32,
                    second: GROUND,
                    frame: <Volume as Space>::Frame::from_normal(DVec3::Z),
                    arm_first: DVec3::new(*x, *y, -0.5),
                    arm_second: DVec3::ZERO,
                };
                let law = Law::Coulomb(0.5);
                let contact = Contact::new(map, Local3::default(), law, &problem.movers, 1.0);
                problem.contacts.push(contact);
            }
        }
        let impulses = vec![Local3::default(); problem.contacts.len()];
        (problem, Solution { impulses, ..Solution::default() })
    }

    const FOUR: &[[f64; 2]] = &[[0.5, 0.5], [-0.5, 0.5], [-0.5, -0.5], [0.5, -0.5]];
    const THREE: &[[f64; 2]] = &[[0.4, 0.0], [-0.2, 0.3], [-0.2, -0.3]];

    #[test]
    fn cubes_on_three_and_four_feet_take_two_steps() {
        let (problem, mut solution) = cubes(&[FOUR, THREE]);
        let mut groups = SmallGroups::default();
        assert!(groups.find(&problem));
        let steps = Volume::settle(&mut groups, &problem, &mut solution, 1e-8);
        assert!((1..=3).contains(&steps), "{steps}");
        solution.refresh(&problem);
        assert!(Residual::of(&problem, &solution).within(1e-8));
        for cube in [&solution.impulses[..4], &solution.impulses[4..]] {
            let weight: f64 = cube.iter().map(|p| p.n).sum();
            assert!((weight - 1.0).abs() < 1e-8, "{cube:?}");
        }
    }

    /// Nine feet are not few: such a group keeps its impulses, and one contact alone is left to the sweeps.
    #[test]
    fn large_groups_and_single_contacts_are_left_alone() {
        let many: Vec<[f64; 2]> = (0..9).map(|i| [0.1 * i as f64 - 0.4, 0.1]).collect();
        let (problem, mut solution) = cubes(&[&many, &[[0.0, 0.0]]]);
        let mut groups = SmallGroups::default();
        assert!(!groups.find(&problem));
        assert_eq!(Volume::settle(&mut groups, &problem, &mut solution, 1e-8), 0);
        assert!(solution.impulses.iter().all(|p| *p == Local3::default()));
    }
}
