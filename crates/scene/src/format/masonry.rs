//! Generators of masonry besides walls and round arches.

use super::generator::Bond;
use crate::decode::{keyword, table};
use crate::plain::{Count, Seed, Text, Whole};
use crate::quantity::{Angle, Length, NotNegative, Number, Positive, Vector};
use crate::wrap::Items;

table! {
    /// A masonry wall along the x axis, built upwards from its lowest corner.
    Wall as "a wall" {
        /// Material of the blocks.
        material: Text,
        /// Size of a block: `[width, height]` in the plane, `[width, depth, height]` in space. In the Flemish and the
        /// English bond the depth is that of the wall, as long as a block.
        block: Vector<Length, Positive>,
        /// Number of rows.
        rows: Count,
        /// Length of the wall.
        length: Number<Length, Positive>,
        /// `running`, `stack`, `flemish` or `english`; default `running`.
        bond: Option<Bond>,
        /// Open gap between neighbours of a row; default 0.
        joint: Option<Number<Length, NotNegative>>,
        /// Lowest corner of the wall; default zero.
        origin: Option<Vector<Length>>,
        /// Doors and windows; in the running bond and the stack bond.
        openings: Option<Items<OpeningTable>>,
        /// Length of a second wall along the y axis that begins at the same corner and is bonded with the first; in space,
        /// in the running bond.
        corner: Option<Number<Length, Positive>>,
        /// Most by which a block is shorter than its place, where it then lies at random; default 0.
        scatter: Option<Number<Length, NotNegative>>,
        /// Seed of the scatter; default that of the scene.
        seed: Option<Seed>,
    }
}

table! {
    /// A door or a window, with a lintel over it unless it reaches the top of the wall.
    OpeningTable as "an opening" {
        /// Where it begins, from the start of the wall.
        start: Number<Length, NotNegative>,
        /// Its width.
        width: Number<Length, Positive>,
        /// Rows below it; default 0, a door.
        sill: Option<Whole<0, 1_000_000>>,
        /// Rows that it is high.
        rows: Count,
        /// How far the lintel lies on the wall at each side; default a half block with its joint.
        bearing: Option<Number<Length, Positive>>,
    }
}

table! {
    /// A pointed arch: two arcs that meet in an upright joint. Voussoirs are counted from the right springing.
    PointedArch as "a pointed arch" {
        /// Material of the voussoirs.
        material: Text,
        /// Inner width at the springing.
        width: Number<Length, Positive>,
        /// Radius of both arcs of the intrados: half the width makes a round arch, the width an equilateral one.
        radius: Number<Length, Positive>,
        /// Thickness.
        thickness: Number<Length, Positive>,
        /// Voussoirs of each side.
        count: Count,
        /// Middle of the springing; default zero.
        centre: Option<Vector<Length>>,
        /// Extent along the y axis; needed in space, none in the plane.
        depth: Option<Number<Length, Positive>>,
    }
}

table! {
    /// A flat arch, whose joints meet in a point below. Voussoirs are counted from the right skewback.
    FlatArch as "a flat arch" {
        /// Material of the voussoirs.
        material: Text,
        /// Width at the lower side.
        width: Number<Length, Positive>,
        /// Height.
        height: Number<Length, Positive>,
        /// Number of voussoirs.
        count: Count,
        /// Angle of the skewbacks from the vertical.
        skew: Number<Angle, Positive>,
        /// Middle of the lower side; default zero.
        centre: Option<Vector<Length>>,
        /// Extent along the y axis; needed in space, none in the plane.
        depth: Option<Number<Length, Positive>>,
    }
}

table! {
    /// A barrel vault along the y axis, its stones bonded from course to course; in space.
    Vault as "a vault" {
        /// Material of the stones.
        material: Text,
        /// Radius of the intrados, at the corners of the stones.
        inner_radius: Number<Length, Positive>,
        /// Radius of the extrados, at the corners of the stones.
        outer_radius: Number<Length, Positive>,
        /// Number of courses from one springing to the other.
        count: Count,
        /// Angle from one springing to the other; default half a turn.
        span_angle: Option<Number<Angle, Positive>>,
        /// Length along the y axis.
        length: Number<Length, Positive>,
        /// Stones of a course; every other course begins and ends with half a stone. With 1 all stones go through.
        stones: Count,
        /// Middle of the vault, on its axis; default zero.
        centre: Option<Vector<Length>>,
    }
}

table! {
    /// A dome of rings about the vertical, its stones flat between their corners; in space.
    Dome as "a dome" {
        /// Material of the stones.
        material: Text,
        /// Radius of the inner corners.
        inner_radius: Number<Length, Positive>,
        /// Radius of the outer corners.
        outer_radius: Number<Length, Positive>,
        /// Number of rings.
        rings: Count,
        /// Stones of a ring.
        count: Whole<3, 10_000>,
        /// Angle from the vertical to the edge of the opening at the top.
        opening: Number<Angle, Positive>,
        /// Angle from the vertical to the springing; default a quarter turn, a hemisphere.
        springing: Option<Number<Angle, Positive>>,
        /// Centre; default zero.
        centre: Option<Vector<Length>>,
    }
}

table! {
    /// A column of drums.
    Column as "a column" {
        /// Material of the drums.
        material: Text,
        /// Half of the width at the foot, in space the distance of the corners from the axis.
        radius: Number<Length, Positive>,
        /// The same at the top; default as at the foot.
        top_radius: Option<Number<Length, Positive>>,
        /// Height.
        height: Number<Length, Positive>,
        /// Number of drums.
        drums: Count,
        /// Number of sides, in space; default 8.
        sides: Option<Whole<3, 60>>,
        /// Middle of the foot; default zero.
        origin: Option<Vector<Length>>,
    }
}

keyword! {
    /// A side.
    SideWord {
        /// towards smaller x.
        "left": Left,
        /// towards larger x.
        "right": Right,
    }
}

table! {
    /// A buttress of level courses with one upright face and one that leans.
    Buttress as "a buttress" {
        /// Material of the courses.
        material: Text,
        /// Width at the foot.
        base: Number<Length, Positive>,
        /// Width at the top.
        top: Number<Length, Positive>,
        /// Height.
        height: Number<Length, Positive>,
        /// Number of courses.
        courses: Count,
        /// Where the upright face is; default `left`.
        upright: Option<SideWord>,
        /// Foot of the upright face; default zero.
        origin: Option<Vector<Length>>,
        /// Extent along the y axis; needed in space, none in the plane.
        depth: Option<Number<Length, Positive>>,
    }
}

table! {
    /// Stairs that rise along x: slabs, each as much shorter than the one below as a step is deep.
    Stairs as "stairs" {
        /// Material of the slabs.
        material: Text,
        /// Number of steps.
        steps: Count,
        /// Depth of a step.
        going: Number<Length, Positive>,
        /// Height of a step.
        rise: Number<Length, Positive>,
        /// Foot of the first step; default zero.
        origin: Option<Vector<Length>>,
        /// Extent along the y axis; needed in space, none in the plane.
        depth: Option<Number<Length, Positive>>,
    }
}

table! {
    /// Convex blocks that a file lists: in each line the corners of one, `x y` in the plane, in their order round it, or
    /// `x y z` in space, in any order. Blanks, commas or semicolons part the columns.
    Blocks as "a table of blocks" {
        /// Material of the blocks.
        material: Text,
        /// The file, relative to the scene's.
        file: Text,
        /// Lines at its start that are passed over; default 0. Names of columns and lines that begin with `#`
        /// always are.
        skip: Option<Whole<0, 1_000_000>>,
    }
}
