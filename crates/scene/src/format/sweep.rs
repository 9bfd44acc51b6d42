//! Files of the sweeping process: a moving set and the points in it.

use crate::decode::{choice, table};
use crate::plain::{DimensionKey, Text};
use crate::quantity::{
    Angle, Axial, Frequency, Length, NotNegative, Number, Positive, Pure, Rate, Spin, Time, Vector,
    Velocity,
};
use crate::wrap::{Items, List, Needed};

table! {
    /// A moving set and the points in it.
    SweepTable as "the file" {
        /// One line that names the problem.
        title: Option<Text>,
        /// 2 (the plane) or 3 (space).
        dimension: Needed<DimensionKey>,
        /// Time at which it ends.
        end: Needed<Number<Time, Positive>>,
        /// Where the points are at the start.
        points: Needed<Items<Vector<Length>>>,
        /// The pieces of the set: it is what they have in common.
        set: List<SetTable>,
    }
}

table! {
    /// One piece of the set.
    SetTable as "[[set]]" {
        /// Its shape at the start.
        shape: SetShape,
        /// How it moves; default not at all.
        motion: Option<SetMotion>,
    }
}

choice! {
    /// A shape at the start.
    SetShape as "the shape of a set" {
        /// Everything below a line or plane.
        half_space: HalfSpace(SurfaceTable),
        /// A disk or ball.
        ball: Ball(RoundTable),
        /// Everything outside of a disk or ball; must be the only piece.
        outside_ball: OutsideBall(RoundTable),
        /// Vertices of a convex polygon in order (plane).
        polygon: Polygon(Items<Vector<Length>>),
        /// Faces of a convex polyhedron, or lines around a convex polygon.
        polyhedron: Polyhedron(Items<SurfaceTable>),
    }
}

table! {
    /// A line or plane with the set below it.
    SurfaceTable as "a line or plane" {
        /// A point of it; default the origin.
        point: Option<Vector<Length>>,
        /// Direction out of the set.
        normal: Vector<Pure>,
    }
}

table! {
    /// A disk or ball.
    RoundTable as "a disk or ball" {
        /// Its centre; default the origin.
        centre: Option<Vector<Length>>,
        /// Its radius.
        radius: Number<Length, Positive>,
    }
}

table! {
    /// How a piece moves.
    SetMotion as "the motion of a set" {
        /// Constant velocity.
        velocity: Option<Vector<Velocity>>,
        /// Oscillations of the place, counted from the start.
        swing: Option<Items<SwingTable>>,
        /// Constant spin about the pivot.
        spin: Option<Axial<Spin>>,
        /// The point that turns and grows into itself; default the origin.
        pivot: Option<Vector<Length>>,
        /// Rate of the size, which is 1 at the start; negative if it shrinks.
        growth: Option<Number<Rate>>,
        /// Oscillations of the size, counted from the start.
        pulse: Option<Items<PulseTable>>,
    }
}

table! {
    /// An oscillation of the place.
    SwingTable as "a swing" {
        /// Half the way from end to end, with its direction.
        amplitude: Vector<Length>,
        /// Turns per time.
        frequency: Number<Frequency, NotNegative>,
        /// Phase at the start; default 0.
        phase: Option<Number<Angle>>,
    }
}

table! {
    /// An oscillation of the size.
    PulseTable as "a pulse" {
        /// Half the difference of the largest and the smallest size.
        amplitude: Number<Pure>,
        /// Turns per time.
        frequency: Number<Frequency, NotNegative>,
        /// Phase at the start; default 0.
        phase: Option<Number<Angle>>,
    }
}
