//! Generators: bodies made by a rule.

use super::body::{BodyTable, PartTable, ShapeChoice};
use super::masonry::{Blocks, Buttress, Column, Dome, FlatArch, PointedArch, Stairs, Vault, Wall};
use crate::decode::{Decode, Definitions, Item, Reader, choice, keyword, table};
use crate::plain::{Count, Seed, Text, Whole};
use crate::quantity::{
    Angle, Axial, Fraction, Length, NotNegative, Number, Positive, Pure, Rate, Rotation, Spin,
    Time, Vector, Velocity,
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
        /// A sieve curve: pairs `[diameter, passing]`, the part of the mass that passes a mesh of this width, from 0 to 1;
        /// between meshes straight over the logarithm of the diameter.
        sieve: Sieve(Items<Pair<Number<Length, Positive>, Number<Pure, Fraction>>>),
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
    /// Random convex polygons or polyhedra, their corners on an ellipse or ellipsoid.
    IrregularTable as "irregular grains" {
        /// Least and largest number of corners; all between are equally frequent. At least 4 in space.
        corners: Pair<Whole<3, 200>>,
        /// Half of the longest axis of the ellipse.
        radius: Sizes,
        /// Longest axis by shortest; default 1.
        elongation: Option<Number<Pure, Positive>>,
        /// How far corners are from regular places, from 0 to 1; default 0.5.
        irregularity: Option<Number<Pure, Fraction>>,
    }
}

table! {
    /// Clusters of disks or spheres inside of an ellipse, whose mass and inertia they have.
    EllipseTable as "ellipses" {
        /// Half of the long axis.
        radius: Sizes,
        /// Long axis by short axis, above 1.
        elongation: Number<Pure, Positive>,
        /// How many disks or spheres; default 5.
        count: Option<Whole<2, 100>>,
    }
}

table! {
    /// The cells of random points (Voronoi's), each a body: they fill a region but for the gaps between them.
    Voronoi as "a Voronoi tessellation" {
        /// Material of the bodies.
        material: Text,
        /// The region that they fill.
        region: RegionTable,
        /// How many.
        count: Count,
        /// Gap between neighbours; default 0.
        gap: Option<Number<Length, NotNegative>>,
        /// Whether cells fill the disk or ball in the middle of the region only; default false.
        round: Option<bool>,
        /// How often the points are moved to the middles of their cells, which makes these more alike; default 0.
        relax: Option<Whole<0, 1000>>,
        /// Velocity of all; default zero.
        velocity: Option<Vector<Velocity>>,
        /// Seed; default that of the scene.
        seed: Option<Seed>,
    }
}

table! {
    /// Bodies made by a rule.
    GenerateTable as "[[generate]]" {
        /// Name of the group: its bodies are called `name 1`, `name 2` and so on.
        name: Option<Text>,
        /// When its bodies enter, at rest where the rule has them; default at the start.
        enters: Option<Number<Time, NotNegative>>,
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
        /// Polygons or polyhedra that fill a region.
        voronoi: Option<Voronoi>,
        /// A pointed arch.
        pointed_arch: Option<PointedArch>,
        /// A flat arch.
        flat_arch: Option<FlatArch>,
        /// A barrel vault.
        vault: Option<Vault>,
        /// A dome of rings.
        dome: Option<Dome>,
        /// A column of drums.
        column: Option<Column>,
        /// A buttress of courses.
        buttress: Option<Buttress>,
        /// Stairs of slabs.
        stairs: Option<Stairs>,
        /// Convex blocks that a file lists.
        blocks: Option<Blocks>,
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
    Voronoi(&'a Voronoi),
    PointedArch(&'a PointedArch),
    FlatArch(&'a FlatArch),
    Vault(&'a Vault),
    Dome(&'a Dome),
    Column(&'a Column),
    Buttress(&'a Buttress),
    Stairs(&'a Stairs),
    Blocks(&'a Blocks),
}

impl GenerateTable {
    /// All rules that are given; there should be one.
    pub fn rules(&self) -> Vec<Generator<'_>> {
        let all = [
            self.wall.as_ref().map(Generator::Wall),
            self.lattice.as_ref().map(Generator::Lattice),
            self.deposit.as_ref().map(Generator::Deposit),
            self.list.as_ref().map(Generator::List),
            self.row.as_ref().map(Generator::Row),
            self.arch.as_ref().map(Generator::Arch),
            self.voronoi.as_ref().map(Generator::Voronoi),
            self.pointed_arch.as_ref().map(Generator::PointedArch),
            self.flat_arch.as_ref().map(Generator::FlatArch),
            self.vault.as_ref().map(Generator::Vault),
            self.dome.as_ref().map(Generator::Dome),
            self.column.as_ref().map(Generator::Column),
            self.buttress.as_ref().map(Generator::Buttress),
            self.stairs.as_ref().map(Generator::Stairs),
            self.blocks.as_ref().map(Generator::Blocks),
        ];
        all.into_iter().flatten().collect()
    }
}

keyword! {
    /// How the blocks of one row lie on those below.
    Bond {
        /// every other row is shifted by half a block, and half blocks close the ends.
        "running": Running,
        /// every block lies on one block.
        "stack": Stack,
        /// stretchers and headers by turns in each row, headers over the middle of stretchers (space).
        "flemish": Flemish,
        /// a row of stretchers, a row of headers (space).
        "english": English,
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
        /// Random convex polygons or polyhedra, in place of `shape` and `radius`.
        irregular: Option<IrregularTable>,
        /// Clusters inside of an ellipse, in place of `shape` and `radius`.
        ellipse: Option<EllipseTable>,
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
        /// at random, grown and pushed apart until they fill the `solid_fraction`; dense.
        "growth": Growth,
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
        /// Random convex polygons or polyhedra inside of the circles that are placed, in place of `radius`.
        irregular: Option<IrregularTable>,
        /// Clusters inside of an ellipse, in place of `radius`.
        ellipse: Option<EllipseTable>,
        /// Whether each grain is turned at random; default not.
        random_rotation: Option<bool>,
        /// Where they lie; no grain reaches out of it.
        region: RegionTable,
        /// How many; default as many as the method can place.
        count: Option<Count>,
        /// Smallest gap between grains; default 0.
        gap: Option<Number<Length, NotNegative>>,
        /// `layers`, `random` or `growth`; default `layers`.
        method: Option<Method>,
        /// Part of the region that the circles or spheres fill, of `growth`. With a `count` too, radii are multiplied by
        /// what makes both true.
        solid_fraction: Option<Number<Pure, Fraction>>,
        /// A shape that no grain reaches out of, about the middle of the region.
        inside: Option<ShapeChoice>,
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

choice! {
    /// What holds or moves grains in a laboratory, touched from within.
    VesselChoice as "a vessel" {
        /// A drum about the boundary's origin; in space its axis is y.
        drum: Drum(DrumTable),
        /// An upright cylinder that stands on the boundary's origin (space).
        cylinder: Cylinder(CylinderTable),
        /// A hopper above the boundary's origin, the middle of its outlet.
        hopper: Hopper(HopperTable),
        /// An open box that stands on the boundary's origin.
        r#box: Box(VesselBoxTable),
        /// A row of teeth along x that point up, about the boundary's origin.
        teeth: Teeth(TeethTable),
    }
}

table! {
    /// A drum.
    DrumTable as "a drum" {
        /// Distance of its flat sides from the axis.
        radius: Number<Length, Positive>,
        /// Number of sides; default 48.
        sides: Option<Whole<3, 1000>>,
        /// Length of the axis, between two plates; needed in space, none in the plane.
        length: Option<Number<Length, Positive>>,
        /// How far blades reach inward, one at every edge; default none.
        blades: Option<Number<Length, Positive>>,
    }
}

table! {
    /// An upright cylinder, open above and below.
    CylinderTable as "a cylinder" {
        /// Distance of its flat sides from the axis.
        radius: Number<Length, Positive>,
        /// Its height.
        height: Number<Length, Positive>,
        /// Number of sides; default 32.
        sides: Option<Whole<3, 1000>>,
    }
}

table! {
    /// A hopper: two plates in the plane, a cone of flat sides in space.
    HopperTable as "a hopper" {
        /// Width of the outlet.
        outlet: Number<Length, Positive>,
        /// Width at the top.
        top: Number<Length, Positive>,
        /// Height.
        height: Number<Length, Positive>,
        /// Number of sides of the cone; default 24; in space only.
        sides: Option<Whole<3, 1000>>,
    }
}

table! {
    /// An open box.
    VesselBoxTable as "a box" {
        /// Its inner size: width and height; width, depth, height in space.
        size: Vector<Length, Positive>,
        /// Whether it has a floor; default `true`.
        floor: Option<bool>,
    }
}

table! {
    /// A row of teeth.
    TeethTable as "teeth" {
        /// Length of the row.
        length: Number<Length, Positive>,
        /// Height of the teeth.
        height: Number<Length, Positive>,
        /// How many.
        count: Count,
        /// Extent along y; needed in space, none in the plane.
        depth: Option<Number<Length, Positive>>,
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
        /// Random convex polygons or polyhedra, in place of `shape` and `radius`.
        irregular: Option<IrregularTable>,
        /// Clusters inside of an ellipse, in place of `shape` and `radius`.
        ellipse: Option<EllipseTable>,
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
