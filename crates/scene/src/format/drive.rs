//! What moves boundaries: motions, ground records, loads.

use super::signal::SignalValue;
use crate::decode::{Decode, Definitions, Item, Reader, keyword, table};
use crate::plain::{Text, Whole};
use crate::quantity::{
    Angle, Area, Axial, Force, Inertia, Length, Mass, NotNegative, Number, Positive, Pure, Spin,
    Time, Torque, Vector, Velocity, WallPressure,
};
use crate::wrap::{Items, Pair};
use serde_json::{Value as Json, json};

/// A displacement along a direction, or one along each axis.
#[derive(Clone, Debug)]
pub(crate) enum Displacement {
    /// Along `direction`.
    Along(SignalValue<Length>),
    /// Along the axes.
    Each(Items<SignalValue<Length>>),
}

impl Decode for Displacement {
    fn decode(item: &Item, reader: &mut Reader) -> Option<Self> {
        match item.get_ref().is_array() {
            true => Items::decode(item, reader).map(Self::Each),
            false => SignalValue::decode(item, reader).map(Self::Along),
        }
    }
    fn schema(definitions: &mut Definitions) -> Json {
        let one = SignalValue::<Length>::schema(definitions);
        json!({ "anyOf": [one, { "type": "array", "items": one, "minItems": 2, "maxItems": 3 }] })
    }
}

table! {
    /// A given motion: `velocity` and `spin`, functions of time along a `direction` (or along each axis) and about an
    /// `axis`, ground records, or the sum of these. It starts from the place of the boundary, whatever the phase of a
    /// sinusoid.
    MotionTable as "a motion" {
        /// Constant velocity.
        velocity: Option<Vector<Velocity>>,
        /// Constant spin about the boundary's origin, in world axes.
        spin: Option<Axial<Spin>>,
        /// Direction of the displacement; its length does not matter.
        direction: Option<Vector<Pure>>,
        /// Displacement along the direction, or a list with that along each axis.
        displacement: Option<Displacement>,
        /// Axis of the rotation; needed in space, none in the plane.
        axis: Option<Vector<Pure>>,
        /// Angle of rotation about the boundary's origin.
        angle: Option<SignalValue<Angle>>,
        /// Records of ground motion, one for each component.
        record: Option<Items<RecordTable>>,
        /// When the motion starts; default 0. Functions of time count from here.
        start: Option<Number<Time, NotNegative>>,
        /// When it stops; default never.
        stop: Option<Number<Time, NotNegative>>,
    }
}

keyword! {
    /// What a record holds.
    QuantityWord {
        /// accelerations, linear between samples.
        "acceleration": Acceleration,
        /// velocities, linear between samples.
        "velocity": Velocity,
        /// displacements.
        "displacement": Displacement,
    }
}

keyword! {
    /// How the file of a record is laid out.
    RecordForm {
        /// lines `time, value`, or one value after the other where `interval` is given.
        "columns": Columns,
        /// the AT2, VT2 and DT2 files of PEER: four lines of head, then values.
        "peer": Peer,
    }
}

keyword! {
    /// Unit of the values of a record.
    RecordUnit {
        /// standard gravity, 9.80665 m/s²
        "g": Gravity,
        /// metre per second squared
        "m/s2": MetrePerSecondSquared,
        /// centimetre per second squared (gal)
        "cm/s2": Gal,
        /// metre per second
        "m/s": MetrePerSecond,
        /// centimetre per second
        "cm/s": CentimetrePerSecond,
        /// metre
        "m": Metre,
        /// centimetre
        "cm": Centimetre,
        /// millimetre
        "mm": Millimetre,
    }
}

keyword! {
    /// What is taken from a record, so that the ground does not drift away: a polynomial that fits it best.
    BaselineWord {
        /// nothing.
        "none": None,
        /// its mean.
        "constant": Constant,
        /// a straight line.
        "linear": Linear,
        /// a parabola.
        "quadratic": Quadratic,
    }
}

table! {
    /// A record of ground motion along one direction.
    RecordTable as "a ground record" {
        /// The file, its path relative to the scene.
        file: Text,
        /// Direction of the motion; its length does not matter.
        direction: Vector<Pure>,
        /// How it is laid out; default `peer` for names that end in `.at2`, `.vt2` or `.dt2`, else `columns`.
        form: Option<RecordForm>,
        /// What it holds; default `acceleration`, or what the head of a PEER file says.
        quantity: Option<QuantityWord>,
        /// Unit of the values; default that of the scene, or what the head of a PEER file says.
        unit: Option<RecordUnit>,
        /// Column of the values, counted from 1; default 2. With `interval` all numbers of the file, without.
        column: Option<Whole<1, 1000>>,
        /// Time between samples, of a file without times.
        interval: Option<Number<Time, Positive>>,
        /// Lines at its start that are passed over; default 0. Names of columns and lines that begin with `#` always are.
        skip: Option<Whole<0, 1_000_000>>,
        /// Factor on the values; default 1.
        scale: Option<Number<Pure>>,
        /// Baseline correction; default `none`.
        baseline: Option<BaselineWord>,
    }
}

table! {
    /// A load on a boundary that is free in one way: to move along a `direction` under a `force` or a `pressure`, or to
    /// turn about its origin under a `torque`. Gravity does not act on it.
    PushTable as "a load" {
        /// Direction in which it may move; its length does not matter.
        direction: Option<Vector<Pure>>,
        /// Force along the direction.
        force: Option<SignalValue<Force>>,
        /// Pressure along the direction, in place of a force: needs `area` or `between`.
        pressure: Option<SignalValue<WallPressure>>,
        /// Area on which the pressure acts (in the plane a length), if it does not change.
        area: Option<Number<Area, Positive>>,
        /// Pairs of boundaries between which it acts: their present distances are the edges of the area. One pair in the
        /// plane, two in space.
        between: Option<Items<Pair<Text>>>,
        /// Torque about an axis through its origin.
        torque: Option<SignalValue<Torque>>,
        /// Axis of the torque; needed in space, none in the plane.
        axis: Option<Vector<Pure>>,
        /// Its mass, where it moves along a direction.
        mass: Option<Number<Mass, Positive>>,
        /// Its moment of inertia about the axis, where it turns.
        inertia: Option<Number<Inertia, Positive>>,
    }
}

table! {
    /// What moves a boundary from the start of a phase on, from where it is then. Times of motions and loads count from the
    /// start of the phase.
    DriveTable as "[[phase.drive]]" {
        /// Name of the boundary.
        boundary: Text,
        /// A given motion.
        motion: Option<MotionTable>,
        /// A given load.
        load: Option<PushTable>,
        /// `true` holds it where it is.
        hold: Option<bool>,
    }
}
