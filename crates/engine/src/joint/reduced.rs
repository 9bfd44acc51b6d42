//! Groups of joined bodies in [reduced coordinates](super::coordinates) in a step: which they are, and what contacts do to them.

use super::coordinates::{Coordinates, Loop};
use super::group::{Group, JointWork};
use super::hold::Given;
use super::{JointCoordinates, JointState};
use crate::workspace::RigidWork;
use crate::{Body, Dimension, Setup, SetupError, World};
use drystone_solve::{ContactProblem, GROUND, Mechanism};
use drystone_space::Vector;

/// Most rounds in which terms by the mean speeds are taken again; and, where nothing touches a mechanism, the change that ends
/// them, as a share of the velocity.
const ROUNDS: usize = 30;
const SETTLED: f64 = 1e-13;

impl<S: Dimension> JointWork<S> {
    /// Refuses joints that cannot be had in reduced coordinates.
    pub(super) fn check_coordinates(&self, setup: &Setup<S>) -> Result<(), SetupError> {
        for group in &self.groups {
            let joint = |index: &u32| &setup.joints[*index as usize];
            let held = || group.joints.iter().filter(|i| joint(i).kind.rows(S::DIMENSION) > 0);
            let reduced = |i: &&u32| joint(i).coordinates == JointCoordinates::Reduced;
            let Some(first) = held().find(reduced) else { continue };
            let refuse = |index: u32, why: String| SetupError::Coordinates {
                name: setup.joints[index as usize].label(index as usize),
                index: index as usize,
                why,
            };
            if let Some(&other) = held().find(|i| !reduced(i)) {
                let name = joint(first).label(*first as usize);
                return Err(refuse(
                    other,
                    format!(
                        "it is held by equations, and `{name}` of the same mechanism by coordinates"
                    ),
                ));
            }
            if let Err(Loop(index)) =
                Coordinates::new(setup, &group.members, &group.joints, |_| false)
            {
                let why =
                    "it closes a loop, and reduced coordinates are those of a tree".to_owned();
                return Err(refuse(index, why));
            }
        }
        Ok(())
    }

    /// Makes the trees of mechanisms in reduced coordinates, without joints that are broken.
    pub fn grow_trees(&mut self, setup: &Setup<S>, joints: &[JointState]) {
        for group in &mut self.groups {
            let reduced =
                |i: &u32| setup.joints[*i as usize].coordinates == JointCoordinates::Reduced;
            if group.joints.iter().any(reduced) {
                let broken = |index: u32| joints[index as usize].broken;
                group.coordinates =
                    Coordinates::new(setup, &group.members, &group.joints, broken).ok();
            }
        }
    }

    /// Takes the bodies of mechanisms in reduced coordinates to the midpoint.
    fn predict(&mut self, bodies: &[Body<S>], given: Given<S>, work: &mut RigidWork<S>) {
        for group in &mut self.groups {
            if let Some(coordinates) = &mut group.coordinates {
                coordinates.predict(bodies, &group.members, given, work);
            }
        }
    }

    /// Whether a body is one of a mechanism in reduced coordinates.
    pub fn is_reduced(&self, body: usize) -> bool {
        let place = self.places.get(body).filter(|place| place.0 != GROUND);
        place.is_some_and(|place| self.groups[place.0 as usize].coordinates.is_some())
    }

    /// Keeps the speeds by which overlaps are made good.
    pub fn note_placed(&mut self) {
        self.groups
            .iter_mut()
            .filter_map(|group| group.coordinates.as_mut())
            .for_each(Coordinates::note_placed);
    }

    /// Takes what the derivatives of inertia make anew, by the mean speeds that were found. Whether that changed the motion by more than
    /// this share of it: then the problem has other free velocities.
    pub fn renew_coordinates(
        &mut self,
        problem: &mut ContactProblem<S>,
        work: &RigidWork<S>,
        h: f64,
        tolerance: f64,
    ) -> bool {
        let mut again = false;
        for group in &mut self.groups {
            let Some(coordinates) = &mut group.coordinates else { continue };
            if !coordinates.renew(h, tolerance, &group.twists) {
                continue;
            }
            again = true;
            group.free(h, work);
            group.constrain();
            let points = problem.free.get_mut(group.start as usize..).unwrap_or_default();
            for (point, handles) in points.iter_mut().zip(group.handles.chunks_exact(S::DIMENSION))
            {
                point.velocity =
                    S::Vector::from_fn(|axis| Mechanism::velocity(&handles[axis], &group.twists));
            }
        }
        again
    }
}

impl<S: Dimension> Group<S> {
    /// The velocities of members in reduced coordinates without contacts, terms by the mean speeds being those of this motion where
    /// no other is known yet.
    pub(super) fn move_freely(&mut self, h: f64, work: &RigidWork<S>) {
        let fresh = self.coordinates.as_mut().is_some_and(Coordinates::is_fresh);
        for _ in 0..ROUNDS {
            self.free(h, work);
            self.constrain();
            let Some(coordinates) = self.coordinates.as_mut().filter(|_| fresh) else { return };
            if !coordinates.renew(h, SETTLED, &self.twists) {
                return;
            }
        }
    }
}

impl<S: Dimension> World<S> {
    /// Takes the bodies of mechanisms in reduced coordinates to the midpoint.
    pub(crate) fn predict_mechanisms(&mut self) {
        let given = Given::middle(&self.setup, &self.state);
        self.work.joints.predict(&self.state.bodies, given, &mut self.work.rigid);
    }

    /// Whether mechanisms in reduced coordinates are to be solved again with the mean speeds that were found: `Err` where that goes on
    /// and on.
    pub(crate) fn renew_coordinates(&mut self, round: usize) -> Result<bool, ()> {
        let (h, tolerance) = (self.setup.time_step, self.solver_settings().tolerance);
        let (joints, work) = (&mut self.work.joints, &self.work.rigid);
        let problem = &mut self.work.solid.part.problem;
        let again = joints.renew_coordinates(problem, work, h, tolerance);
        if again && round >= ROUNDS { Err(()) } else { Ok(again) }
    }
}
