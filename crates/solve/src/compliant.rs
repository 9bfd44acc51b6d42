//! Compliant groups: points of one thing that answer to impulses together, such as the surface of a deformable solid.
//!
//! A side of a contact acts on a *responder*, named by a mover's number: a rigid mover with an arm; a point of a
//! compliant group, which is a mover without an inertia of its own; or [`GROUND`], what moves as given. An impulse at a
//! point moves all points of its group: v_j += C_ji p, C being the response that whoever knows the group has condensed
//! to its points. So the solver reads velocities in one way, wherever they come from, and never learns what a group is
//! made of.
//!
//! Points follow the rigid movers in the list, group after group.

use crate::local::sound;
use crate::{Block, Blocks, Contact, ContactMap, ContactProblem, GROUND, Law, Mover, Twist};
use drystone_space::{Frame, Local, Space, Vector};

/// Points that answer to impulses together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Compliant<S: Space> {
    /// The mover that is its first point.
    first: u32,
    /// How many points it has.
    count: u32,
    /// Velocities of all points after a unit impulse at one of them: by that point, then by the axis.
    response: Vec<S::Vector>,
}

impl<S: Space> Compliant<S> {
    /// Becomes a group of so many points from mover `first` on, which answer to nothing yet.
    pub fn reset(&mut self, first: u32, count: u32) {
        (self.first, self.count) = (first, count);
        self.response.clear();
        let length = count as usize * count as usize * S::DIMENSION;
        self.response.resize(length, S::Vector::ZERO);
    }

    /// Gives its points other numbers: they begin `to` movers on, and no more `from`.
    pub fn shift(&mut self, to: u32, from: u32) {
        self.first = self.first - from + to;
    }

    /// The movers that are its points.
    pub fn points(&self) -> std::ops::Range<u32> {
        self.first..self.first + self.count
    }

    /// Velocities of all points after a unit impulse at mover `point` along an axis.
    pub fn response_mut(&mut self, point: u32, axis: usize) -> &mut [S::Vector] {
        let range = self.column(point, axis);
        &mut self.response[range]
    }

    fn response(&self, point: u32, axis: usize) -> &[S::Vector] {
        &self.response[self.column(point, axis)]
    }

    fn column(&self, point: u32, axis: usize) -> std::ops::Range<usize> {
        let (point, count) = ((point - self.first) as usize, self.count as usize);
        let start = (point * S::DIMENSION + axis) * count;
        start..start + count
    }

    /// Shows what an impulse at mover `point` changes: each mover of the group with its change of velocity.
    #[inline]
    pub(crate) fn push(
        &self,
        point: u32,
        impulse: S::Vector,
        mut show: impl FnMut(u32, S::Vector),
    ) {
        for axis in 0..S::DIMENSION {
            let share = impulse.get(axis);
            if share == 0.0 {
                continue;
            }
            for (mover, &unit) in self.points().zip(self.response(point, axis)) {
                show(mover, unit * share);
            }
        }
    }
}

impl<S: Blocks> ContactProblem<S> {
    /// The first mover that is a point of a compliant group; [`GROUND`] where there is none.
    #[inline]
    pub(crate) fn first_point(&self) -> u32 {
        self.compliant.first().map_or(GROUND, |group| group.first)
    }

    /// Whether a side of a contact is a point of a compliant group.
    #[inline]
    pub(crate) fn is_compliant(&self, (first, second): (u32, u32)) -> bool {
        let from = self.first_point();
        (first >= from && first != GROUND) || (second >= from && second != GROUND)
    }

    /// The number of the group whose point a mover is, if it is one.
    #[inline]
    pub(crate) fn group_of(&self, mover: u32) -> Option<usize> {
        if mover == GROUND || mover < self.first_point() {
            return None;
        }
        Some(self.compliant.partition_point(|group| group.first <= mover) - 1)
    }

    /// Shows what compliant groups answer to an impulse at a contact: each mover with its change of velocity.
    #[inline]
    pub(crate) fn push_compliant(
        &self,
        map: &ContactMap<S>,
        impulse: S::Local,
        mut show: impl FnMut(u32, S::Vector),
    ) {
        let world = map.frame.to_world(impulse);
        for (mover, push) in [(map.first, world), (map.second, -world)] {
            if let Some(group) = self.group_of(mover) {
                self.compliant[group].push(mover, push, &mut show);
            }
        }
    }

    /// u += A⁻¹ G* impulse, whatever the sides act on.
    #[inline]
    pub fn respond(&self, map: &ContactMap<S>, impulse: S::Local, twists: &mut [Twist<S>]) {
        map.to_bodies(impulse, &self.movers, twists);
        if !self.compliant.is_empty() {
            self.push_compliant(map, impulse, |mover, change| {
                twists[mover as usize].velocity += change;
            });
        }
    }

    /// A column of H = G A⁻¹ G*.
    fn response(&self, map: &ContactMap<S>, axis: usize) -> S::Local {
        let mut velocity = map.response(axis, &self.movers);
        self.push_compliant(map, S::Local::axis(axis), |mover, change| {
            if mover == map.first {
                velocity += map.frame.to_local(change);
            } else if mover == map.second {
                velocity = velocity - map.frame.to_local(change);
            }
        });
        velocity
    }

    /// A contact with its Delassus block, whatever its sides act on. `friction` is what the block is made ready for.
    pub(crate) fn contact(
        &self,
        map: ContactMap<S>,
        offset: S::Local,
        law: Law,
        friction: f64,
        relaxation: f64,
    ) -> Contact<S> {
        if !self.is_compliant((map.first, map.second)) {
            return Contact::with_friction(map, offset, law, friction, &self.movers, relaxation);
        }
        let columns = [0, 1, 2].map(|axis| match axis < S::DIMENSION {
            true => self.response(&map, axis) * (1.0 / relaxation),
            false => S::Local::ZERO,
        });
        // A point that is held does not answer at all, and one that is held along an axis answers to less than D.
        let columns = match S::DIMENSION {
            2 => sound_columns::<S, 2>(columns),
            _ => sound_columns::<S, 3>(columns),
        };
        Contact { map, block: S::Block::new(|axis| columns[axis], friction), offset, law }
    }

    /// Makes the blocks of contacts on compliant groups anew, after these have got other responses.
    pub fn renew_compliant(&mut self, relaxation: f64) {
        for index in 0..self.contacts.len() {
            let Contact { map, offset, law, .. } = self.contacts[index];
            if self.is_compliant((map.first, map.second)) {
                let special = law.special(&self.specials);
                let friction = special
                    .map_or(law.friction(), |special| special.plain_friction().unwrap_or(0.0));
                self.contacts[index] = self.contact(map, offset, law, friction, relaxation);
            }
        }
    }

    /// Adds a contact under Coulomb's law, whatever its sides act on.
    ///
    /// # Panics
    /// If the law is not [sound](Law::is_sound).
    pub fn push_contact(
        &mut self,
        map: ContactMap<S>,
        offset: S::Local,
        law: Law,
        relaxation: f64,
    ) {
        assert!(law.is_sound(), "a coefficient that is negative or no number");
        let contact = self.contact(map, offset, law, law.friction(), relaxation);
        self.contacts.push(contact);
    }

    /// Adds a mover that is a point of a compliant group, with its velocity without contacts.
    pub fn push_point(&mut self, free: S::Vector) {
        self.movers.push(Mover::default());
        self.free.push(Twist { velocity: free, spin: S::Spin::ZERO });
    }
}

fn sound_columns<S: Blocks, const D: usize>(columns: [S::Local; 3]) -> [S::Local; 3] {
    // A symmetric block: its columns are its rows.
    let block = sound::<D>(&std::array::from_fn(|axis| columns[axis].to_array()));
    std::array::from_fn(|axis| match axis < D {
        true => S::Local::from_array(&block[axis]),
        false => S::Local::ZERO,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Gather, Nlgs, NlgsParams, Residual, Solution, Status, Threads, with_assembled};
    use drystone_space::{DVec2, Local2, Plane, PlaneFrame};

    fn map(first: u32, second: u32) -> ContactMap<Plane> {
        ContactMap {
            first,
            second,
            frame: PlaneFrame::from_normal(DVec2::Y),
            arm_first: DVec2::ZERO,
            arm_second: DVec2::ZERO,
        }
    }

    /// A unit mass on a bar of two points, which rests on the ground with the other two: the bar has a mass of 1 at each
    /// point and is rigid in compression along its length, so that an impulse p at one point moves both by p/2 and
    /// itself by a further p/4.
    fn loaded_bar(friction: f64) -> ContactProblem<Plane> {
        let mut problem = ContactProblem::<Plane> {
            movers: vec![Mover { inverse_mass: 1.0, inverse_inertia: 0.0 }],
            free: vec![Twist { velocity: DVec2::new(0.2, -1.0), spin: 0.0 }],
            ..Default::default()
        };
        let mut bar = Compliant::default();
        bar.reset(1, 3);
        for point in 1..4 {
            for axis in 0..2 {
                let unit = if axis == 0 { DVec2::X } else { DVec2::Y };
                let column = bar.response_mut(point, axis);
                for (other, answer) in (1..4).zip(column) {
                    *answer = unit * if other == point { 0.75 } else { 0.5 };
                }
            }
            problem.push_point(DVec2::new(0.0, -1.0));
        }
        problem.compliant.push(bar);
        for (first, second) in [(0, 1), (2, GROUND), (3, GROUND)] {
            problem.push_contact(
                map(first, second),
                Local2::default(),
                Law::with_friction(friction),
                1.0,
            );
        }
        problem
    }

    /// All contacts end closed: H p + q = 0.
    #[test]
    fn what_rests_on_a_compliant_group_is_carried() {
        let problem = loaded_bar(0.0);
        let mut solution = Solution { impulses: vec![Local2::default(); 3], ..Solution::default() };
        let params = NlgsParams { tolerance: 1e-12, ..NlgsParams::default() };
        let report = Nlgs::default().solve(&problem, &mut solution, &params, &Threads::one());
        assert_eq!(report.status, Status::Solved, "{report:?}");
        let pushes: Vec<f64> = solution.impulses.iter().map(|p| p.n).collect();
        // H = [[1.75, -0.5, -0.5], [-0.5, 0.75, 0.5], [-0.5, 0.5, 0.75]], q = (0, -1, -1).
        assert!((pushes[1] - pushes[2]).abs() < 1e-10);
        assert!((1.75 * pushes[0] - 0.5 * (pushes[1] + pushes[2])).abs() < 1e-10, "{pushes:?}");
        assert!((1.25 * pushes[1] - 0.5 * pushes[0] - 1.0).abs() < 1e-10, "{pushes:?}");
    }

    #[test]
    fn the_assembled_form_of_a_compliant_problem_is_the_same_problem() {
        let problem = loaded_bar(0.3);
        let mut solution = Solution { impulses: vec![Local2::default(); 3], ..Solution::default() };
        let params = NlgsParams { tolerance: 1e-12, ..NlgsParams::default() };
        Nlgs::default().solve(&problem, &mut solution, &params, &Threads::one());
        assert!(solution.impulses[0].t.abs() > 0.0);
        let mut fresh = solution.clone();
        fresh.refresh(&problem);
        for (fresh, swept) in fresh.twists.iter().zip(&solution.twists) {
            assert!((fresh.velocity - swept.velocity).length() < 1e-12);
        }
        let residual = with_assembled!(Plane::gather(&problem), assembled => {
            let impulses: Vec<_> = solution
                .impulses
                .iter()
                .map(|p| std::array::from_fn(|i| if i == 0 { p.n } else { p.t }))
                .collect();
            Residual::of_impulses(&assembled, &impulses)
        });
        assert!(residual.worst() < 1e-11, "{residual:?}");
    }
}
