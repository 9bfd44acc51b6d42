//! Robots from descriptions in URDF or MJCF.

use super::{CoordinatesWord, JointMotorTable};
use crate::decode::{keyword, table};
use crate::plain::Text;
use crate::quantity::{Angle, Length, Number, Rotation, Vector};
use crate::wrap::Items;

keyword! {
    /// What holds the first link of a robot.
    RobotBaseWord {
        /// nothing.
        "free": Free,
        /// the ground.
        "fixed": Fixed,
    }
}

table! {
    /// A joint of a robot: where it is at the start, and its motor.
    RobotJointTable as "joint of a robot" {
        /// Its name in the description.
        name: Text,
        /// Its angle at the start, as the description counts; default 0.
        angle: Option<Number<Angle>>,
        /// Its displacement at the start, as the description counts; default 0.
        travel: Option<Number<Length>>,
        /// What its motor is asked for. Its largest force is that of the description unless it is given.
        motor: Option<JointMotorTable>,
    }
}

table! {
    /// A robot from a description in URDF or MJCF (space).
    RobotTable as "[[robot]]" {
        /// Its name: bodies and joints are called by it, a stroke and their own; default that of the description.
        name: Option<Text>,
        /// The description, beside the scene.
        file: Text,
        /// Material of all its shapes.
        material: Text,
        /// Where the origin of the description is; default zero.
        position: Option<Vector<Length>>,
        /// How the description is turned; default not at all.
        rotation: Option<Rotation>,
        /// What holds the first link of a description in URDF; default `free`. MJCF says it itself.
        base: Option<RobotBaseWord>,
        /// Whether motors hold all joints that have one in the description, and no other task, where they start; default not.
        hold: Option<bool>,
        /// The coordinates that it is computed in; default `maximal`.
        coordinates: Option<CoordinatesWord>,
        /// Joints that do not start at zero, or have tasks.
        joint: Option<Items<RobotJointTable>>,
    }
}
