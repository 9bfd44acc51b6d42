//! Boundaries: fixed, driven, or free in one way under a load; one after the other by phases.

use crate::{Dimension, Moment, Motion, Part, Progress, Setup, Signal};
use drystone_detect::Geometry;
use drystone_space::{Pose, Space, Vector};

/// The one way in which a loaded boundary is free.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Guide<S: Space> {
    /// To move along this unit direction.
    Along(S::Vector),
    /// To turn about this unit axis through its origin, as a drum does.
    About(S::Spin),
}

/// A length between two boundaries that changes as these move: an edge of the area on which a pressure acts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge<S: Space> {
    /// Where it begins, and where it ends: boundaries by index.
    pub between: [usize; 2],
    /// Unit direction from the first to the second.
    pub along: S::Vector,
    /// How long it is at the start.
    pub length: f64,
}

/// A boundary that is free in one way under a given load, and rigid in all others.
#[derive(Clone, Debug, PartialEq)]
pub struct Slider<S: Space> {
    /// In which way it may move.
    pub guide: Guide<S>,
    /// Its inertia in that way: a mass, or a moment of inertia about the axis.
    pub mass: f64,
    /// Applied force along the direction, or torque about the axis. Gravity does not act on a slider.
    pub force: Signal,
    /// Edges of the area on which the load acts; it is multiplied by their lengths, and none make it a force.
    pub edges: Vec<Edge<S>>,
    /// A motion at right angles to its direction, besides what it does under the load.
    pub motion: Option<Motion<S>>,
}

impl<S: Space> Slider<S> {
    /// Free along a unit direction under a force.
    pub fn along(direction: S::Vector, mass: f64, force: Signal) -> Self {
        let guide = Guide::Along(direction);
        Self { guide, mass, force, edges: Vec::new(), motion: None }
    }

    /// Free to turn about a unit axis through its origin, under a torque.
    pub fn about(axis: S::Spin, inertia: f64, torque: Signal) -> Self {
        let guide = Guide::About(axis);
        Self { guide, mass: inertia, force: torque, edges: Vec::new(), motion: None }
    }

    /// Its direction; none if it turns.
    pub fn direction(&self) -> S::Vector {
        match self.guide {
            Guide::Along(direction) => direction,
            Guide::About(_) => S::Vector::ZERO,
        }
    }

    /// Its axis of rotation; none if it does not turn.
    pub fn axis(&self) -> S::Spin {
        match self.guide {
            Guide::Along(_) => S::Spin::ZERO,
            Guide::About(axis) => axis,
        }
    }

    /// The axis about which its mover spins, whose spin is the slider's speed.
    pub(crate) fn mover_axis(&self) -> S::Spin {
        match self.guide {
            Guide::Along(direction) => S::slider(direction).0,
            Guide::About(axis) => axis,
        }
    }
}

/// The mover of a boundary, and the arm of what acts on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sliding<S: Space> {
    /// Its number, or [`GROUND`](drystone_solve::GROUND).
    pub mover: u32,
    /// The arm of all points, or the centre from which arms are taken.
    place: S::Vector,
    turns: bool,
}

impl<S: Space> Sliding<S> {
    /// A boundary that does not answer.
    pub const GIVEN: Self =
        Self { mover: drystone_solve::GROUND, place: S::Vector::ZERO, turns: false };

    /// The mover of a slider whose origin is at a place.
    pub fn new(mover: u32, guide: &Guide<S>, origin: S::Vector) -> Self {
        match *guide {
            Guide::Along(direction) => Self { mover, place: S::slider(direction).1, turns: false },
            Guide::About(_) => Self { mover, place: origin, turns: true },
        }
    }

    /// The same with another number for its mover.
    pub fn renamed(&self, mover: impl Fn(u32) -> u32) -> Self {
        Self { mover: mover(self.mover), ..*self }
    }

    /// Whether it turns.
    pub fn turns(&self) -> bool {
        self.turns
    }

    /// From the mover's centre to a point.
    #[inline(always)]
    pub fn arm(&self, point: S::Vector) -> S::Vector {
        if self.turns { point - self.place } else { self.place }
    }
}

/// What moves a boundary.
#[derive(Clone, Debug, PartialEq)]
pub enum Drive<S: Space> {
    /// Nothing.
    Fixed,
    /// A given motion.
    Motion(Motion<S>),
    /// A given load.
    Slider(Slider<S>),
}

/// A boundary is driven in another way from the start of a phase on, and goes on from where it is then.
#[derive(Clone, Debug, PartialEq)]
pub struct Switch<S: Space> {
    /// The phase, by index.
    pub phase: usize,
    /// The boundary, by index.
    pub boundary: usize,
    /// What moves it from then on. Times of motions and loads count from the start of the phase.
    pub drive: Drive<S>,
}

/// A body whose motion is not computed from its contacts (but for sliders, in one way).
#[derive(Clone, Debug, PartialEq)]
pub struct Boundary<S: Geometry> {
    /// Name in the scene.
    pub name: String,
    /// Where it was placed: `world_from_boundary` at the start.
    pub pose: Pose<S>,
    /// Its shapes.
    pub parts: Vec<Part<S>>,
    /// What moves it, until a [`Switch`] says otherwise.
    pub drive: Drive<S>,
    /// When it vanishes; may be infinite.
    pub removal: f64,
}

impl Progress {
    /// What moves a boundary now, and when it was switched to that, if it was.
    pub(crate) fn drive<'a, S: Dimension>(
        &self,
        setup: &'a Setup<S>,
        boundary: usize,
    ) -> (&'a Drive<S>, Option<f64>) {
        let of_it = setup.switches.iter().filter(|switch| switch.boundary == boundary);
        let over = of_it.filter(|switch| switch.phase <= self.ends.len());
        match over.max_by_key(|switch| switch.phase) {
            None => (&setup.boundaries[boundary].drive, None),
            Some(switch) => {
                let before = switch.phase.checked_sub(1);
                (&switch.drive, Some(before.map_or(0.0, |phase| self.ends[phase])))
            }
        }
    }
}

impl<S: Dimension> Motion<S> {
    /// The state at a time of a boundary that was switched to this motion then, or has it from the start.
    pub(crate) fn since(
        &self,
        progress: &Progress,
        setup: &Setup<S>,
        boundary: usize,
        switched: Option<f64>,
        time: f64,
    ) -> Moment<S> {
        let (start, stop) = match switched {
            Some(since) => (since + self.start, since + self.stop),
            None => (progress.start(setup, boundary, self.start), self.stop),
        };
        self.sample_from(start, stop, time)
    }
}

impl<S: Geometry> Setup<S> {
    /// Whether a boundary is under a load at any time.
    pub fn is_loaded(&self, boundary: usize) -> bool {
        let switches = self.switches.iter().filter(|switch| switch.boundary == boundary);
        let later = switches.map(|switch| &switch.drive);
        std::iter::once(&self.boundaries[boundary].drive)
            .chain(later)
            .any(|drive| matches!(drive, Drive::Slider(_)))
    }
}
