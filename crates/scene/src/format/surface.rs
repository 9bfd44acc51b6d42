//! Shapes that stand in files: meshes and heights.

use crate::decode::table;
use crate::plain::Text;
use crate::quantity::{Length, NotNegative, Number, Positive, Pure};

table! {
    /// A mesh of triangles in a file. A body has the convex hull of each of its closed pieces; a boundary its triangles.
    MeshFileTable as "a mesh" {
        /// The file: STL, OBJ or PLY.
        file: Text,
        /// Factor on its lengths, which are in the scene's unit; default 1.
        scale: Option<Number<Pure, Positive>>,
        /// How far apart vertices are that are one; default a ten-millionth of the mesh's size.
        weld: Option<Number<Length, NotNegative>>,
        /// Whether pieces of a body that are not convex become their convex hulls; default false: they are refused.
        hull: Option<bool>,
        /// Whether all faces are turned over; default false.
        turn: Option<bool>,
        /// Whether a boundary is touched from both sides; default false: from where its faces look only.
        two_sided: Option<bool>,
    }
}

table! {
    /// A surface over a grid of heights in a file (boundaries only), touched from above.
    HeightsTable as "a height field" {
        /// The file: a table of heights, or an ASCII grid.
        file: Text,
        /// Distance between neighbours; needed unless the file tells.
        spacing: Option<Number<Length, Positive>>,
        /// Factor on the heights; default 1.
        scale: Option<Number<Pure, Positive>>,
    }
}
