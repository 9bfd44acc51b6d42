//! Joints: what holds two bodies, or a body and a boundary or the ground, together.

use crate::decode::{keyword, table};
use crate::format::SignalValue;
use crate::plain::{Text, Whole};
use crate::quantity::{
    Angle, Force, Fraction, Length, NotNegative, Number, Positive, Pure, Spin, SpinDrag, Stiffness,
    Torque, Vector, Velocity, Viscosity,
};
use crate::wrap::{Items, Pair};

keyword! {
    /// Which displacements a joint allows.
    JointWord {
        /// none.
        "weld": Weld,
        /// a turn about the axis; in the plane about the point.
        "hinge": Hinge,
        /// a displacement along the axis.
        "slider": Slider,
        /// a displacement along the axis and a turn about it (space).
        "cylindrical": Cylindrical,
        /// every turn about the point (space).
        "ball": Ball,
        /// turns about two axes at right angles, one carried by each side (space).
        "universal": Universal,
        /// displacements across the axis and a turn about it (space).
        "planar": Planar,
        /// all but the distance of two points, which stays.
        "rod": Rod,
        /// all, as long as two points are no further apart than its length.
        "rope": Rope,
        /// all: what acts between two points are its `spring` and dampers.
        "spring": Spring,
        /// a turn about the axis with a displacement along it (space).
        "screw": Screw,
        /// all but that two wheels slip where they mesh.
        "gear": Gear,
        /// all but that a wheel slips on a line.
        "rack": Rack,
        /// all, as long as a rope over two points of the world is long enough.
        "pulley": Pulley,
    }
}

keyword! {
    /// The coordinates that joined bodies are computed in.
    CoordinatesWord {
        /// all that bodies have, with equations for the joint.
        "maximal": Maximal,
        /// those that the joint leaves.
        "reduced": Reduced,
    }
}

table! {
    /// Coulomb's friction in a joint, bounded by what the joint bears.
    JointFrictionTable as "friction of a joint" {
        /// Coulomb's coefficient.
        coefficient: Option<Number<Pure, NotNegative>>,
        /// Radius of the pin, ball or rod on which it acts.
        radius: Option<Number<Length, NotNegative>>,
        /// Length of the guide of a slider, cylindrical or planar joint, over which a couple presses; without, couples do not count.
        length: Option<Number<Length, Positive>>,
        /// A friction force that is always there (slider, cylindrical, planar); default 0.
        force: Option<Number<Force, NotNegative>>,
        /// A friction couple that is always there (hinge, ball, each axis of a universal joint); default 0.
        torque: Option<Number<Torque, NotNegative>>,
    }
}

table! {
    /// A spring with a damper along a coordinate of a joint: lengths, or angles in radians.
    JointSpringTable as "spring of a joint" {
        /// Force by length; default 0.
        stiffness: Option<Number<Stiffness, NotNegative>>,
        /// Force by velocity; default 0.
        damping: Option<Number<Viscosity, NotNegative>>,
        /// Displacement, or distance of the points of a `spring`, without force; default that at the start.
        length: Option<Number<Length>>,
        /// Pairs `[length, force]`: forces that pull back, by the displacement or by the distance of the points of a `spring`; straight between
        /// them, level outside.
        force_by_length: Option<Items<Pair<Number<Length>, Number<Force>>>>,
        /// Pairs `[speed, force]`: forces that oppose the speed, zero at rest.
        force_by_speed: Option<Items<Pair<Number<Velocity>, Number<Force>>>>,
        /// Couple by angle; default 0.
        angular_stiffness: Option<Number<Torque, NotNegative>>,
        /// Couple by spin; default 0.
        angular_damping: Option<Number<SpinDrag, NotNegative>>,
        /// Angle without couple, counted from the start; default 0.
        angle: Option<Number<Angle>>,
        /// Pairs `[angle, couple]`: couples that turn back, by the angle from the start on.
        couple_by_angle: Option<Items<Pair<Number<Angle>, Number<Torque>>>>,
        /// Pairs `[spin, couple]`: couples that oppose the spin, zero at rest.
        couple_by_spin: Option<Items<Pair<Number<Spin>, Number<Torque>>>>,
    }
}

table! {
    /// A motor along a coordinate of a joint. One of `force`, `speed`, `travel`, `torque`, `spin` and `angle` says what it is asked for.
    JointMotorTable as "motor of a joint" {
        /// A force along the axis.
        force: Option<SignalValue<Force>>,
        /// A velocity along the axis.
        speed: Option<SignalValue<Velocity>>,
        /// A displacement along the axis, counted from the start.
        travel: Option<SignalValue<Length>>,
        /// A couple about the axis.
        torque: Option<SignalValue<Torque>>,
        /// A spin about the axis.
        spin: Option<SignalValue<Spin>>,
        /// An angle about the axis, counted from the start.
        angle: Option<SignalValue<Angle>>,
        /// The largest force of a motor that is asked for `speed` or `travel`; default no bound.
        largest_force: Option<Number<Force, NotNegative>>,
        /// The largest couple of a motor that is asked for `spin` or `angle`; default no bound.
        largest_torque: Option<Number<Torque, NotNegative>>,
    }
}

table! {
    /// Teeth that let a joint go one way only; without a pitch it is a free wheel, which holds wherever it stops.
    JointRatchetTable as "ratchet of a joint" {
        /// From tooth to tooth (hinge).
        angle: Option<Number<Angle, Positive>>,
        /// From tooth to tooth (slider, cylindrical, screw).
        travel: Option<Number<Length, Positive>>,
        /// Whether the angle or displacement may fall, and not rise; default `false`.
        backward: Option<bool>,
        /// Restitution of impacts on teeth; default 0.
        restitution: Option<Number<Pure, Fraction>>,
    }
}

table! {
    /// What a joint can bear in a step; with more it is broken from then on.
    JointStrengthTable as "strength of a joint" {
        /// The largest force.
        force: Option<Number<Force, Positive>>,
        /// The largest couple.
        torque: Option<Number<Torque, Positive>>,
    }
}

table! {
    /// A joint.
    JointTable as "[[joint]]" {
        /// Its name in messages and tables.
        name: Option<Text>,
        /// Which displacements it allows.
        kind: JointWord,
        /// Name of the body that it holds.
        body: Text,
        /// Name of the body or boundary that it holds it to; without, it holds it to the ground.
        to: Option<Text>,
        /// Where it is at the start, in world axes; default the body's centre of mass.
        point: Option<Vector<Length>>,
        /// In place of `point`: a point of the body, and one of what it is held to, where both are at the start. They are
        /// brought together; the ends of a rod are kept apart.
        points: Option<Pair<Vector<Length>>>,
        /// Direction of the axis at the start; its length does not matter.
        axis: Option<Vector<Pure>>,
        /// The axis that the other side of a universal joint carries, at right angles to `axis`.
        second_axis: Option<Vector<Pure>>,
        /// Displacement of a screw in a turn; negative for a thread to the left.
        pitch: Option<Number<Length>>,
        /// Numbers of teeth of both wheels of a gear; that of a ring with its teeth inside is negative.
        teeth: Option<Pair<Whole<-100_000, 100_000>>>,
        /// The points of the world that the rope of a pulley goes over, one for each end.
        pulleys: Option<Pair<Vector<Length>>>,
        /// How often the second part of the rope of a pulley counts; default 1.
        ratio: Option<Number<Pure, Positive>>,
        /// Length of a rod, a rope or the rope of a pulley; default that at the start.
        length: Option<Number<Length, Positive>>,
        /// Least and largest angle of a hinge, counted from the start.
        angle: Option<Pair<Number<Angle>>>,
        /// Least and largest displacement of a slider or a cylindrical joint along its axis, counted from the start.
        travel: Option<Pair<Number<Length>>>,
        /// Restitution at the ends of `angle` or `travel`, or of a rope that becomes taut; default 0.
        restitution: Option<Number<Pure, Fraction>>,
        /// Largest angle between the axes of both sides of a ball joint, which has an `axis` then.
        tilt: Option<Number<Angle, Positive>>,
        /// Teeth that let it go one way only (hinge, slider, cylindrical, screw).
        ratchet: Option<JointRatchetTable>,
        /// Coulomb's friction (hinge, slider, cylindrical, ball, universal, planar).
        friction: Option<JointFrictionTable>,
        /// A spring with a damper (hinge, slider, cylindrical, planar, spring; of a universal joint about `axis`; of a ball joint
        /// against every turn, or with an `axis` against its tilt).
        spring: Option<JointSpringTable>,
        /// A spring with a damper about the `second_axis` of a universal joint.
        second_spring: Option<JointSpringTable>,
        /// A motor (hinge, slider, cylindrical, planar; of a universal joint about `axis`).
        motor: Option<JointMotorTable>,
        /// A motor about the `second_axis` of a universal joint.
        second_motor: Option<JointMotorTable>,
        /// What it can bear; default all.
        strength: Option<JointStrengthTable>,
        /// Whether the two sides can touch each other; default not.
        contact: Option<bool>,
        /// The coordinates that its bodies are computed in, the same for all joints of a mechanism; default `maximal`.
        coordinates: Option<CoordinatesWord>,
    }
}

impl JointWord {
    /// The word that users write.
    pub fn word(self) -> &'static str {
        match self {
            Self::Weld => "weld",
            Self::Hinge => "hinge",
            Self::Slider => "slider",
            Self::Cylindrical => "cylindrical",
            Self::Ball => "ball",
            Self::Universal => "universal",
            Self::Planar => "planar",
            Self::Rod => "rod",
            Self::Rope => "rope",
            Self::Spring => "spring",
            Self::Screw => "screw",
            Self::Gear => "gear",
            Self::Rack => "rack",
            Self::Pulley => "pulley",
        }
    }
    /// Whether there is such a joint in a space of this dimension.
    pub fn is_in(self, dimension: usize) -> bool {
        let flat = matches!(self, Self::Weld | Self::Hinge | Self::Slider);
        dimension == 3 || flat || self.has_points()
    }
    /// Whether it is between two points that are apart.
    pub fn has_ends(self) -> bool {
        matches!(self, Self::Rod | Self::Rope | Self::Spring | Self::Pulley)
    }
    /// Whether both its sides have points of their own.
    pub fn has_points(self) -> bool {
        self.has_ends() || matches!(self, Self::Gear | Self::Rack)
    }
    /// Whether it has an axis.
    pub fn has_axis(self, dimension: usize) -> bool {
        match self {
            Self::Weld | Self::Ball | Self::Rod | Self::Rope | Self::Spring | Self::Pulley => false,
            Self::Hinge | Self::Gear => dimension == 3,
            Self::Slider | Self::Cylindrical | Self::Universal | Self::Planar => true,
            Self::Screw | Self::Rack => true,
        }
    }
}
