//! Periodic cells.

use super::signal::SignalValue;
use super::solid::AxisWord;
use crate::decode::{keyword, table};
use crate::quantity::{Length, Number, Positive, Pure, Rate, Vector, WallPressure};
use crate::wrap::Items;

keyword! {
    /// A component of the cell's velocity gradient and of its stress: first the axis of the velocity or force, then that along which
    /// it changes.
    ComponentWord {
        /// along x.
        "xx": Xx,
        /// velocity along x, changing along y.
        "xy": Xy,
        /// velocity along x, changing along z.
        "xz": Xz,
        /// velocity along y, changing along x.
        "yx": Yx,
        /// along y.
        "yy": Yy,
        /// velocity along y, changing along z.
        "yz": Yz,
        /// velocity along z, changing along x.
        "zx": Zx,
        /// velocity along z, changing along y.
        "zy": Zy,
        /// along z.
        "zz": Zz,
    }
}

table! {
    /// What is asked of one component of a cell.
    CellDriveTable as "drive of a cell" {
        /// Which component.
        component: ComponentWord,
        /// The component of the velocity gradient, the true strain rate along an axis or the rate of shear.
        rate: Option<SignalValue<Rate>>,
        /// The component of the stress, positive in compression. Functions of time count from the start of the phase.
        stress: Option<SignalValue<WallPressure>>,
    }
}

table! {
    /// A periodic cell, with a corner at the origin: what leaves it on one side enters it on the other.
    CellTable as "[cell]" {
        /// Lengths along the axes.
        lengths: Option<Vector<Length, Positive>>,
        /// In place of lengths: the cell's vectors, one for each direction.
        vectors: Option<Items<Vector<Length>>>,
        /// Directions that are periodic, by the number of the vector: `x` is the first; default all.
        periodic: Option<Items<AxisWord>>,
        /// What is asked of each component; default a rate of 0.
        drive: Option<Items<CellDriveTable>>,
        /// Inertia of components under a stress, in units of the mass of all bodies times the square of their mean size; default 1.
        inertia: Option<Number<Pure, Positive>>,
    }
}
