//! Joints: what holds two bodies, or a body and a boundary or the ground, together (Moreau 1998, §4.2 and §5), and what acts
//! along what they let move.
//!
//! A joint has a frame on either side. Its equations say which displacements between the two frames are zero. They hold at two
//! levels, like overlaps of the gap form (Brüls, Acary & Cardona 2014):
//!
//! - *velocities*: at the midpoint, the mean of the velocities before and after the step satisfies G ½(u_i + u_f) = w. So the
//!   reactions do no work but that of moving boundaries, as is true of frictionless joints; and u_f is tangent to the
//!   constraint at the end of the step to higher order, where a law of u_f alone would lose energy at every step on a curve.
//! - *positions*: at the end of the step bodies are brought back onto the constraint, by the shortest way in the kinetic metric,
//!   and their velocities onto its tangent. What that gives and takes is booked as work of joints.
//!
//! Bodies joined to each other, over others or not, are a group. `drystone_solve::Mechanism` answers for it: with the contacts that
//! touch it, it is solved in the part of the problem that has compliant groups (`solid/part.rs`); where nothing touches it, in one
//! solve.
//!
//! Where joints are asked for in reduced coordinates, the same group is computed in the coordinates that its joints leave (`coordinates.rs`).

mod check;
mod coordinates;
mod drive;
mod effort;
mod equations;
mod freedoms;
mod group;
mod hold;
mod limit;
mod reduced;
mod transmission;

pub use check::unfit_for_joints;
pub(crate) use check::{check_joints, check_owner};
pub use drive::{DriveLaw, Freedom, JointDrive, JointFriction, JointStrength, Target};
pub use equations::Jointed;
pub(crate) use group::JointWork;
pub use limit::{JointLimit, Ratchet};
pub use transmission::{Meshed, gear, rack};

use crate::Owner;
use drystone_space::{Pose, Rotation, Space, Vector};

/// Which displacements a joint allows. Its axis is the last axis of its frames, z in space and y in the plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointKind {
    /// None.
    Weld,
    /// A turn about the axis; in the plane, about the point.
    Hinge,
    /// A displacement along the axis.
    Slider,
    /// A displacement along the axis and a turn about it (space).
    Cylindrical,
    /// Every turn about the point (space; in the plane it is a hinge).
    Ball,
    /// Turns about the axis, which the first side carries, and about the x axis of the second side (space).
    Universal,
    /// Displacements across the axis and a turn about it (space).
    Planar,
    /// All but the distance of the two points, which stays.
    Rod {
        /// The distance.
        length: f64,
    },
    /// All, as long as the distance of the two points is not greater than this.
    Rope {
        /// The distance.
        length: f64,
    },
    /// All: what acts between the two points are its springs and dampers.
    Spring,
    /// A turn about the axis with a displacement along it (space).
    Screw {
        /// The displacement in a turn; negative for a thread to the left.
        pitch: f64,
    },
    /// All but that two wheels slip where they mesh; made by [`gear`].
    Gear {
        /// Their radii; that of a ring is negative.
        radii: [f64; 2],
        /// What is from tooth to tooth.
        pitch: f64,
    },
    /// All but that a wheel, the first side, slips on a line along the axis of the second; made by [`rack`].
    Rack {
        /// The wheel's radius; in the plane negative where a turn to the left goes forward on the rack.
        radius: f64,
    },
    /// All, as long as a rope over two [points of the world](Joint::pulleys) is long enough.
    Pulley {
        /// How often the second part of the rope counts.
        ratio: f64,
        /// The rope's length.
        length: f64,
    },
}

impl JointKind {
    /// The word of scene files.
    pub fn name(self) -> &'static str {
        match self {
            JointKind::Weld => "weld",
            JointKind::Hinge => "hinge",
            JointKind::Slider => "slider",
            JointKind::Cylindrical => "cylindrical",
            JointKind::Ball => "ball",
            JointKind::Universal => "universal",
            JointKind::Planar => "planar",
            JointKind::Rod { .. } => "rod",
            JointKind::Rope { .. } => "rope",
            JointKind::Spring => "spring",
            JointKind::Screw { .. } => "screw",
            JointKind::Gear { .. } => "gear",
            JointKind::Rack { .. } => "rack",
            JointKind::Pulley { .. } => "pulley",
        }
    }

    /// Whether there is such a joint in the plane.
    pub fn in_plane(self) -> bool {
        use JointKind::*;
        !matches!(self, Cylindrical | Ball | Universal | Planar | Screw { .. })
    }

    /// Axes of the second frame along which the points do not part.
    fn held(self, dimension: usize) -> std::ops::Range<usize> {
        use JointKind::*;
        match self {
            Weld | Hinge | Ball | Universal => 0..dimension,
            Slider | Cylindrical | Screw { .. } => 0..dimension - 1,
            Planar => dimension - 1..dimension,
            Rod { .. } | Rope { .. } | Spring | Gear { .. } | Rack { .. } | Pulley { .. } => 0..0,
        }
    }

    /// Pairs of axes, of the first and of the second frame, that stay at right angles; in the plane any pair says that the frames do
    /// not turn against each other.
    fn square(self, dimension: usize) -> &'static [(usize, usize)] {
        use JointKind::*;
        match (self, dimension) {
            (Weld | Slider, 2) => &[(0, 1)],
            (_, 2) => &[],
            (Weld | Slider, _) => &[(2, 0), (2, 1), (0, 1)],
            (Hinge | Cylindrical | Planar | Screw { .. }, _) => &[(2, 0), (2, 1)],
            (Universal, _) => &[(2, 0)],
            _ => &[],
        }
    }

    /// How many equations it has.
    pub fn rows(self, dimension: usize) -> usize {
        match self {
            JointKind::Rod { .. } | JointKind::Gear { .. } | JointKind::Rack { .. } => 1,
            JointKind::Screw { .. } => 5,
            _ => self.held(dimension).len() + self.square(dimension).len(),
        }
    }
}

/// How a joint is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JointCoordinates {
    /// Bodies have all their coordinates, and the joint has equations.
    #[default]
    Maximal,
    /// Bodies have the coordinates that the joint leaves.
    Reduced,
}

/// A side of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointSide<S: Space> {
    /// Who carries it; `None` is the ground.
    pub owner: Option<Owner>,
    /// The joint's frame there: in body axes from the centre of mass, in a boundary's own axes, or in the world's.
    pub frame: Pose<S>,
}

/// A joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint<S: Space> {
    /// Name in the scene.
    pub name: String,
    /// Which displacements it allows.
    pub kind: JointKind,
    /// What it joins. One side at least is a body.
    pub sides: [JointSide<S>; 2],
    /// In which coordinates it is computed: in the same as all others of its mechanism.
    pub coordinates: JointCoordinates,
    /// Whether the two sides can touch each other.
    pub contact: bool,
    /// Bounds of the coordinate of a hinge, slider or cylindrical joint; of a rope, restitution only.
    pub limit: Option<JointLimit>,
    /// Teeth that let its first coordinate go one way only.
    pub ratchet: Option<Ratchet>,
    /// Friction.
    pub friction: Option<JointFriction>,
    /// Springs and motors.
    pub drives: Vec<JointDrive>,
    /// What it can bear; `None` is all.
    pub strength: Option<JointStrength>,
    /// The points of the world that the rope of a pulley goes over, one for each side.
    pub pulleys: [S::Vector; 2],
}

/// What a joint's behaviour in a step depends on besides its setup.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointState {
    /// Whether it has had more than it can bear.
    pub broken: bool,
    /// What its motors were told from outside in place of their own target.
    pub target: Option<f64>,
    /// The tooth that its ratchet has come to, as a coordinate in the sense in which it may go.
    pub held: f64,
}

impl<S: Space> Joint<S> {
    /// A joint that has nothing but its kind.
    pub fn new(kind: JointKind, sides: [JointSide<S>; 2]) -> Self {
        Self {
            name: String::new(),
            kind,
            sides,
            coordinates: JointCoordinates::Maximal,
            contact: false,
            limit: None,
            ratchet: None,
            friction: None,
            drives: Vec::new(),
            strength: None,
            pulleys: [S::Vector::ZERO; 2],
        }
    }

    /// What it is called: its name, or its kind and its number.
    pub fn label(&self, number: usize) -> String {
        match self.name.as_str() {
            "" => format!("{} {}", self.kind.name(), number + 1),
            name => name.to_owned(),
        }
    }
}

/// What a joint has done over a step, on its first side, in world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointReaction<S: Space> {
    /// Where the joint is: the point of its first side.
    pub point: S::Vector,
    /// Force on the first side.
    pub force: S::Vector,
    /// Its moment about the point.
    pub torque: S::Spin,
    /// How far apart the points are where they should not be, or how much longer or shorter a rod is.
    pub drift: f64,
    /// The same of angles, in radians.
    pub angle_drift: f64,
}

/// The turn from `second` to `first`, as a matrix of cosines: how much axis `a` of the first is along axis `b` of the second.
fn cosine<S: Space>(first: S::Rotation, a: usize, second: S::Rotation, b: usize) -> f64 {
    first.apply(S::Vector::axis(a)).dot(second.apply(S::Vector::axis(b)))
}
