//! Joints: what holds two bodies, or a body and a boundary or the ground, together.

use crate::decode::{keyword, table};
use crate::plain::Text;
use crate::quantity::{Angle, Fraction, Length, Number, Positive, Pure, Vector};
use crate::wrap::Pair;

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
    }
}

table! {
    /// A joint without friction.
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
        /// Length of a rod or rope; default that at the start.
        length: Option<Number<Length, Positive>>,
        /// Least and largest angle of a hinge, counted from the start.
        angle: Option<Pair<Number<Angle>>>,
        /// Least and largest displacement of a slider or a cylindrical joint along its axis, counted from the start.
        travel: Option<Pair<Number<Length>>>,
        /// Restitution at the ends of `angle` or `travel`, or of a rope that becomes taut; default 0.
        restitution: Option<Number<Pure, Fraction>>,
        /// Whether the two sides can touch each other; default not.
        contact: Option<bool>,
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
        }
    }
    /// Whether there is such a joint in a space of this dimension.
    pub fn is_in(self, dimension: usize) -> bool {
        let flat = matches!(self, Self::Weld | Self::Hinge | Self::Slider);
        dimension == 3 || flat || self.has_ends()
    }
    /// Whether it is between two points that are apart.
    pub fn has_ends(self) -> bool {
        matches!(self, Self::Rod | Self::Rope)
    }
    /// Whether it has an axis.
    pub fn has_axis(self, dimension: usize) -> bool {
        match self {
            Self::Weld | Self::Ball | Self::Rod | Self::Rope => false,
            Self::Hinge => dimension == 3,
            Self::Slider | Self::Cylindrical | Self::Universal | Self::Planar => true,
        }
    }
}
