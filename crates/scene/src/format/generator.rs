//! Generators: bodies made by a rule.

use super::body::{BodyTable, PartTable, ShapeChoice};
use crate::decode::{Decode, Definitions, Item, Reader, choice, keyword, table};
use crate::plain::{Count, Seed, Text, Whole};
use crate::quantity::{
    Angle, Axial, Length, NotNegative, Number, Positive, Pure, Rate, Rotation, Spin, Time, Vector,
    Velocity,
};
use crate::wrap::{Items, Pair};
use serde_json::{Value as Json, json};

table! {
    /// A box from its lowest to its highest corner.
    RegionTable as "a region" {
        /// Lowest corner.
        low: Vector<Length>,
        /// Highest corner.
        high: Vector<Length>,
    }
}

choice! {
    /// A distribution of radii.
    SizeChoice as "a distribution of sizes" {
        /// Smallest and largest radius; every radius between is equally frequent.
        uniform: Uniform(Pair<Number<Length, Positive>>),
        /// Smallest and largest radius; every radius between has the same share of the volume.
        uniform_by_volume: UniformByVolume(Pair<Number<Length, Positive>>),
        /// A normal distribution, cut at two ends.
        normal: Normal(NormalTable),
        /// A log-normal distribution, cut at two ends.
        log_normal: LogNormal(LogNormalTable),
        /// Pairs `[radius, weight]`: each radius as frequent as its weight says.
        table: Table(Items<Pair<Number<Length, Positive>, Number<Pure, NotNegative>>>),
    }
}

table! {
    /// A normal distribution, cut at two ends.
    NormalTable as "a normal distribution" {
        /// Mean radius before the cut.
        mean: Number<Length, Positive>,
        /// Standard deviation before the cut.
        deviation: Number<Length, NotNegative>,
        /// Smallest radius.
        low: Number<Length, Positive>,
        /// Largest radius.
        high: Number<Length, Positive>,
    }
}

table! {
    /// A log-normal distribution, cut at two ends.
    LogNormalTable as "a log-normal distribution" {
        /// Median radius before the cut.
        median: Number<Length, Positive>,
        /// Standard deviation of the logarithm before the cut.
        deviation: Number<Pure, NotNegative>,
        /// Smallest radius.
        low: Number<Length, Positive>,
        /// Largest radius.
        high: Number<Length, Positive>,
    }
}

/// Radii of disks or spheres: one number, or a distribution.
#[derive(Clone, Debug)]
pub(crate) enum Sizes {
    /// All the same.
    Constant(Number<Length, Positive>),
    /// Drawn at random.
    Random(SizeChoice),
}

impl Decode for Sizes {
    fn decode(item: &Item, reader: &mut Reader) -> Option<Self> {
        match item.get_ref().is_table() {
            true => SizeChoice::decode(item, reader).map(Self::Random),
            false => Number::decode(item, reader).map(Self::Constant),
        }
    }
    fn schema(definitions: &mut Definitions) -> Json {
        let number = Number::<Length, Positive>::schema(definitions);
        json!({ "anyOf": [number, SizeChoice::schema(definitions)] })
    }
}

table! {
    /// Regular polygons with random numbers of sides.
    PolygonsTable as "polygons" {
        /// Least and largest number of sides; all between are equally frequent.
        sides: Pair<Whole<3, 1000>>,
        /// Distance of the vertices from the centre.
        radius: Sizes,
    }
}

table! {
    /// Bodies made by a rule.
    GenerateTable as "[[generate]]" {
        /// Name of the group: its bodies are called `name 1`, `name 2` and so on.
        name: Option<Text>,
        /// A masonry wall.
        wall: Option<Wall>,
        /// A regular grid of bodies.
        lattice: Option<Lattice>,
        /// Disks or spheres without overlap in a region.
        deposit: Option<Deposit>,
        /// Disks or spheres that a file lists.
        list: Option<GrainList>,
        /// Copies of one body, each moved and turned against the one before.
        row: Option<Row>,
        /// An arch of equal voussoirs.
        arch: Option<Arch>,
    }
}

/// The rule of a [`GenerateTable`].
#[derive(Clone, Copy, Debug)]
pub(crate) enum Generator<'a> {
    Wall(&'a Wall),
    Lattice(&'a Lattice),
    Deposit(&'a Deposit),
    List(&'a GrainList),
    Row(&'a Row),
    Arch(&'a Arch),
}

impl GenerateTable {
    /// All rules that are given; there should be one.
    pub fn rules(&self) -> Vec<Generator<'_>> {
        let wall = self.wall.as_ref().map(Generator::Wall);
        let lattice = self.lattice.as_ref().map(Generator::Lattice);
        let deposit = self.deposit.as_ref().map(Generator::Deposit);
        let list = self.list.as_ref().map(Generator::List);
        let row = self.row.as_ref().map(Generator::Row);
        let arch = self.arch.as_ref().map(Generator::Arch);
        [wall, lattice, deposit, list, row, arch].into_iter().flatten().collect()
    }
}

keyword! {
    /// How the blocks of one row lie on those below.
    Bond {
        /// every other row is shifted by half a block, and half blocks close the ends.
        "running": Running,
        /// every block lies on one block.
        "stack": Stack,
    }
}

table! {
    /// A masonry wall along the x axis, built upwards from its lowest corner.
    Wall as "a wall" {
        /// Material of the blocks.
        material: Text,
        /// Size of a block: `[width, height]` in the plane, `[width, depth, height]` in space.
        block: Vector<Length, Positive>,
        /// Number of rows.
        rows: Count,
        /// Length of the wall.
        length: Number<Length, Positive>,
        /// `running` or `stack`; default `running`.
        bond: Option<Bond>,
        /// Open gap between neighbours of a row; default 0.
        joint: Option<Number<Length, NotNegative>>,
        /// Lowest corner of the wall; default zero.
        origin: Option<Vector<Length>>,
    }
}

table! {
    /// A regular grid of bodies.
    Lattice as "a lattice" {
        /// Material of the bodies.
        material: Text,
        /// Shape of each body; this, `parts` or `radius`.
        shape: Option<ShapeChoice>,
        /// Shapes of each body, rigidly joined; this, `shape` or `radius`.
        parts: Option<Items<PartTable>>,
        /// Radius of each disk or sphere; this, `shape` or `parts`.
        radius: Option<Sizes>,
        /// Regular polygons with random numbers of sides, in place of `shape` and `radius` (plane).
        polygon: Option<PolygonsTable>,
        /// Number of bodies along each axis.
        counts: Items<Count>,
        /// Distance between neighbours along each axis.
        spacing: Vector<Length, Positive>,
        /// Position of the first body; default zero.
        origin: Option<Vector<Length>>,
        /// Largest random displacement along each axis; default 0.
        jitter: Option<Number<Length, NotNegative>>,
        /// Whether each body is turned at random; default not.
        random_rotation: Option<bool>,
        /// Velocity of all; default zero.
        velocity: Option<Vector<Velocity>>,
        /// Seed; default that of the scene.
        seed: Option<Seed>,
    }
}

keyword! {
    /// How grains are placed.
    Method {
        /// anywhere in the region, tried again where they overlap; loose.
        "random": Random,
        /// side by side in layers from the bottom; denser.
        "layers": Layers,
    }
}

table! {
    /// Disks or spheres without overlap in a region.
    Deposit as "a deposit" {
        /// Material of the grains.
        material: Text,
        /// Their radius; this or `polygon`.
        radius: Option<Sizes>,
        /// Regular polygons with random numbers of sides, in place of `radius` (plane).
        polygon: Option<PolygonsTable>,
        /// Whether each grain is turned at random; default not.
        random_rotation: Option<bool>,
        /// Where they lie; no grain reaches out of it.
        region: RegionTable,
        /// How many; default as many as the method can place.
        count: Option<Count>,
        /// Smallest gap between grains; default 0.
        gap: Option<Number<Length, NotNegative>>,
        /// `layers` or `random`; default `layers`.
        method: Option<Method>,
        /// Velocity of all; default zero.
        velocity: Option<Vector<Velocity>>,
        /// Seed; default that of the scene.
        seed: Option<Seed>,
    }
}

table! {
    /// Disks or spheres that a file lists: lines `x y radius` in the plane, `x y z radius` in space, each with
    /// a velocity after it or none. Blanks, commas or semicolons part the columns.
    GrainList as "a list of grains" {
        /// Material of the grains.
        material: Text,
        /// The file, relative to the scene's.
        file: Text,
        /// Lines at its start that are passed over; default 0. Names of columns and lines that begin with `#`
        /// always are.
        skip: Option<Whole<0, 1_000_000>>,
    }
}

table! {
    /// A rough floor: fixed disks or spheres side by side at random, their centres at the height of the
    /// boundary's origin.
    Paving as "a paving" {
        /// Their radius.
        radius: Sizes,
        /// Largest horizontal distance of a centre from the boundary's origin.
        within: Number<Length, Positive>,
        /// Seed; default that of the scene.
        seed: Option<Seed>,
    }
}

table! {
    /// Copies of one body, each moved and turned against the one before.
    Row as "a row" {
        /// The body that is copied.
        body: BodyTable,
        /// Number of copies, the first included.
        count: Count,
        /// From one copy to the next; default zero.
        step: Option<Vector<Length>>,
        /// Turn from one copy to the next, about `pivot`; default none.
        rotation_step: Option<Rotation>,
        /// Centre of the turns; default zero.
        pivot: Option<Vector<Length>>,
    }
}

table! {
    /// An arch of equal voussoirs in the vertical plane, counted from the right springing.
    Arch as "an arch" {
        /// Material of the voussoirs.
        material: Text,
        /// Radius of the intrados, at the corners of the voussoirs.
        inner_radius: Number<Length, Positive>,
        /// Radius of the extrados, at the corners of the voussoirs.
        outer_radius: Number<Length, Positive>,
        /// Number of voussoirs.
        count: Count,
        /// Angle from one springing to the other; default half a turn.
        span_angle: Option<Number<Angle, Positive>>,
        /// Centre of the arch; default zero.
        centre: Option<Vector<Length>>,
        /// Extent along the y axis; needed in space, none in the plane.
        depth: Option<Number<Length, Positive>>,
    }
}

table! {
    /// Bodies that enter during the run, at given `times` or at a `rate`.
    EmitterTable as "[[emitter]]" {
        /// Name of the group: its bodies are called `name 1`, `name 2` and so on.
        name: Option<Text>,
        /// Material of the bodies.
        material: Text,
        /// Shape of each body; this, `parts` or `radius`.
        shape: Option<ShapeChoice>,
        /// Shapes of each body, rigidly joined; this, `shape` or `radius`.
        parts: Option<Items<PartTable>>,
        /// Radius of each disk or sphere; this, `shape` or `parts`.
        radius: Option<Sizes>,
        /// Regular polygons with random numbers of sides, in place of `shape` and `radius` (plane).
        polygon: Option<PolygonsTable>,
        /// Where their origins appear: anywhere in the region.
        region: RegionTable,
        /// Largest horizontal distance from the middle of the region; default no limit.
        within: Option<Number<Length, Positive>>,
        /// Whether each body is laid on top of what lies in its column; default not.
        on_top: Option<bool>,
        /// When they enter; this or `rate`.
        times: Option<Items<Number<Time, NotNegative>>>,
        /// Bodies per time; this or `times`.
        rate: Option<Number<Rate, Positive>>,
        /// With `rate`: when the first enters; default 0.
        start: Option<Number<Time, NotNegative>>,
        /// With `rate`: how many; default as many as enter before the end of the run.
        count: Option<Count>,
        /// Their velocity; default zero.
        velocity: Option<Vector<Velocity>>,
        /// Their spin; default zero.
        spin: Option<Axial<Spin>>,
        /// Whether each body is turned at random; default not.
        random_rotation: Option<bool>,
        /// Seed; default that of the scene.
        seed: Option<Seed>,
    }
}
