//! The format: one type per table, its keys as fields. These types are read from the file, and the
//! JSON Schema is made from them.

mod body;
mod bond;
mod cell;
mod drive;
mod force;
mod generator;
mod joint;
mod law;
mod masonry;
mod phase;
mod robot;
mod signal;
mod solid;
mod surface;
mod sweep;

pub(crate) use body::{BodyTable, BoundaryTable, CoreChoice, PartTable, RoundedTable, ShapeChoice};
pub(crate) use bond::{
    BondKindChoice, BondTable, CohesiveTable, CompressionWord, FormsWord, RigidBondTable,
};
pub(crate) use cell::{CellDriveTable, CellTable, ComponentWord};
pub(crate) use drive::{
    BaselineWord, Displacement, DriveTable, MotionTable, PushTable, QuantityWord, RecordForm,
    RecordTable, RecordUnit,
};
pub(crate) use force::{AnchorTable, DragTable, ImpulseTable, SpringTable};
pub(crate) use generator::{
    Arch, Bond, Deposit, EllipseTable, EmitterTable, GenerateTable, Generator, GrainList,
    IrregularTable, Lattice, Method, Paving, PolygonsTable, RegionTable, Row, SizeChoice, Sizes,
    VesselChoice, Voronoi,
};
pub(crate) use joint::{
    CoordinatesWord, JointFrictionTable, JointMotorTable, JointSpringTable, JointTable, JointWord,
};
pub(crate) use law::{
    CohesionTable, DefaultLawTable, FrictionTable, HypothesisWord, ImpactTable, LawKeys, LawTable,
    PercussionTable, Potential, PotentialChoice,
};
pub(crate) use masonry::{
    Blocks, Buttress, Column, Dome, FlatArch, OpeningTable, PointedArch, SideWord, Stairs, Vault,
    Wall,
};
pub(crate) use phase::{PhaseTable, UntilTable};
pub(crate) use robot::{RobotBaseWord, RobotJointTable, RobotTable};
pub(crate) use signal::{Points, SignalValue};
pub(crate) use solid::{
    AxisWord, DeformationTable, ElasticWord, ImposedTable, MassWord, MeshChoice, PairingWord,
    RectangleTable, SchemeWord, SectionWord, SolidTable, StressWord, TractionTable,
};
pub(crate) use surface::{HeightsTable, MeshFileTable};
pub(crate) use sweep::{RoundTable, SetMotion, SetShape, SetTable, SurfaceTable, SweepTable};

use crate::decode::{Definitions, keyword, table};
use crate::plain::{DimensionKey, Seed, Text, Whole};
use crate::quantity::{
    Acceleration, Force, Fraction, Length, NotNegative, Number, Positive, Pressure, Pure,
    Relaxation, Time, Tolerance, Torque, UnitsTable, Vector, Velocity,
};
use crate::quantity::{Axial, Density};
use crate::wrap::{Items, List, Needed, Pair, Section};
use serde_json::{Value as Json, json};

table! {
    /// A scene: bodies, boundaries, the laws between them, and how they are computed.
    SceneTable as "the scene" {
        /// One line that names the scene.
        title: Section<Text>,
        /// What the scene shows.
        description: Section<Text>,
        /// 2 (the plane) or 3 (space).
        dimension: Needed<DimensionKey>,
        /// Acceleration of gravity, such as `[0, -9.81]`; `[0, 0]` for none.
        gravity: Needed<Vector<Acceleration>>,
        /// Seed of all random numbers that have no seed of their own; default 0.
        seed: Section<Seed>,
        /// What happens to bodies that overlap at the start: `refuse` or `accept`; default `refuse`.
        overlap: Section<OverlapWord>,
        /// Units of all numbers.
        units: Section<UnitsTable>,
        /// Time step and end.
        time: Needed<TimeTable>,
        /// What is recorded and drawn.
        output: Section<OutputTable>,
        /// How the contact problem of a step is solved.
        solver: Section<SolverTable>,
        /// Which inequality contacts obey.
        contact: Section<ContactTable>,
        /// Bodies at rest are left alone.
        rest: Section<RestTable>,
        /// The periodic cell that all is in.
        cell: Section<CellTable>,
        /// Materials.
        material: List<MaterialTable>,
        /// Laws between pairs of materials.
        law: List<LawTable>,
        /// The law of all pairs that have none of their own.
        default_law: Section<DefaultLawTable>,
        /// Bodies.
        body: List<BodyTable>,
        /// Boundaries: fixed, driven or loaded.
        boundary: List<BoundaryTable>,
        /// Forces and torques on bodies, besides gravity.
        load: List<LoadTable>,
        /// Springs between bodies, or between bodies and the ground.
        spring: List<SpringTable>,
        /// Joints between bodies, or between bodies and boundaries or the ground.
        joint: List<JointTable>,
        /// Robots from descriptions in URDF or MJCF (space).
        robot: List<RobotTable>,
        /// The resistance of a medium.
        drag: List<DragTable>,
        /// External percussions.
        impulse: List<ImpulseTable>,
        /// Parts of the run; the run ends after the last.
        phase: List<PhaseTable>,
        /// Bodies that enter during the run.
        emitter: List<EmitterTable>,
        /// Bodies made by a rule: walls, lattices, deposits, rows, arches.
        generate: List<GenerateTable>,
        /// Contact forces that pairs start with.
        initial_force: List<InitialForceTable>,
        /// Deformable solids.
        solid: List<SolidTable>,
        /// How deformable solids are computed.
        deformation: Section<DeformationTable>,
    }
}

keyword! {
    /// What happens to bodies that overlap at the start.
    OverlapWord {
        /// the scene is refused if an overlap is more than rounding.
        "refuse": Refuse,
        /// they are taken as they are.
        "accept": Accept,
    }
}

keyword! {
    /// How steps are made.
    TimeSchemeWord {
        /// Moreau's midpoint step.
        "moreau": Moreau,
        /// of second order where contacts last and where bodies spin under torques.
        "second-order": SecondOrder,
    }
}

table! {
    /// Time step and end.
    TimeTable as "[time]" {
        /// Length of a step.
        step: Number<Time, Positive>,
        /// Time at which the run ends.
        end: Number<Time, Positive>,
        /// How steps are made; default `moreau`.
        scheme: Option<TimeSchemeWord>,
    }
}

table! {
    /// What is recorded and drawn.
    OutputTable as "[output]" {
        /// Time between pictures, and between frames of the record; default a hundredth of the run, and at least 5 steps.
        frame_interval: Option<Number<Time, Positive>>,
        /// Frames that are recorded for each picture: more make a smoother film; default 1.
        frames_per_picture: Option<Whole<1, 1000>>,
        /// What is recorded: `all`, `bodies` or `nothing`; default `all`.
        record: Option<RecordWord>,
        /// Time between samples of curves; default a thousandth of the run.
        sample_interval: Option<Number<Time, Positive>>,
        /// The part of the scene that is drawn; default all that moves.
        view: Option<RegionTable>,
        /// Width and height of pictures in pixels; default `[1280, 960]`.
        picture: Option<Pair<Whole<16, 16384>>>,
        /// Speed at which the colour scale ends; default the largest of each picture.
        speed_limit: Option<Number<Velocity, Positive>>,
        /// Contact force at which the line width ends; default the largest of each picture.
        force_limit: Option<Number<Force, Positive>>,
        /// Stress that colours deformable solids: `von_mises`, `shear` or `pressure`; default `von_mises`.
        stress: Option<StressWord>,
        /// Stress at which the colour scale of solids ends; default the largest of each picture.
        stress_limit: Option<Number<Pressure, Positive>>,
        /// Names of bodies, or of groups of them, whose position and velocity are sampled.
        track: Option<Items<Text>>,
    }
}

keyword! {
    /// What is recorded of a run.
    RecordWord {
        /// bodies, boundaries, solids and all contacts.
        "all": All,
        /// all but the contacts, which are most of it.
        "bodies": Bodies,
        /// neither frames nor checkpoints; such a run can be neither resumed nor looked at.
        "nothing": Nothing,
    }
}

keyword! {
    /// What happens when a step is not solved to the tolerance.
    FailureWord {
        /// the run ends with an error.
        "stop": Stop,
        /// the run goes on, and the failure is shown and counted.
        "warn": Warn,
        /// the run goes on, and the failure is counted.
        "continue": Continue,
    }
}

keyword! {
    /// Which method solves the contact problem of a step.
    MethodWord {
        /// sweeps; where they are slow, other methods take over.
        "auto": Auto,
        /// sweeps only.
        "gauss-seidel": GaussSeidel,
        /// Newton's method on Alart and Curnier's equations.
        "newton": Newton,
        /// a proximal point outside, Newton's method inside.
        "proximal": Proximal,
        /// alternating directions.
        "admm": Admm,
        /// accelerated projected gradient.
        "apgd": Apgd,
        /// a quadratic program, in scenes without friction.
        "quadratic": Quadratic,
        /// Uzawa's method, as A-CD² was first solved; under Coulomb's law too.
        "uzawa": Uzawa,
        /// sweeps whose contacts are solved by the predictor and corrector of the bipotential.
        "bipotential": Bipotential,
    }
}

keyword! {
    /// When a step counts as solved.
    JudgeWord {
        /// residual and error of the step are within the tolerance, wherever the error can be told at the price of some
        /// sweeps.
        "step": Step,
        /// the residual is: each contact obeys its law.
        "contacts": Contacts,
    }
}

table! {
    /// How the contact problem of a step is solved.
    SolverTable as "[solver]" {
        /// The method; default `auto`.
        method: Option<MethodWord>,
        /// Relative error that is asked for; default 1e-4.
        tolerance: Option<Number<Pure, Tolerance>>,
        /// When a step counts as solved; default `step`.
        judge: Option<JudgeWord>,
        /// Most sweeps in a step; default 10000.
        max_iterations: Option<Whole<1, 1_000_000_000>>,
        /// Factor on each local correction; default 1.
        relaxation: Option<Number<Pure, Relaxation>>,
        /// What happens when a step is not solved; default `warn`.
        on_failure: Option<FailureWord>,
    }
}

table! {
    /// Bodies at rest are left alone until something disturbs them.
    RestTable as "[rest]" {
        /// Steps over which a body must have been at rest; default 100.
        steps: Option<Whole<1, 1_000_000>>,
        /// Mean speed up to which a body is at rest, in units of what gravity gives in a step times the solver's
        /// tolerance; default 20.
        speed: Option<Number<Pure, Positive>>,
        /// Speed that is withheld from a body at rest before it is woken, in units of what gravity gives in a step;
        /// default 1.
        withheld: Option<Number<Pure, Positive>>,
    }
}

keyword! {
    /// Which inequality contacts obey.
    FormWord {
        /// touching bodies do not approach.
        "velocity": Velocity,
        /// gaps do not become negative, and overlaps are made good.
        "gap": Gap,
    }
}

table! {
    /// Which inequality contacts obey.
    ContactTable as "[contact]" {
        /// `velocity` or `gap`; default `velocity`.
        form: Option<FormWord>,
        /// Gap below which contacts are watched; needed by the form `gap`.
        margin: Option<Number<Length, Positive>>,
        /// Speed at which overlaps are made good at most; needed by the form `gap`.
        recovery_speed: Option<Number<Velocity, NotNegative>>,
        /// Share of an overlap that is made good in a step; default 1. Of the form `gap`.
        recovery_share: Option<Number<Pure, Fraction>>,
    }
}

table! {
    /// A material: a name that shapes and laws refer to.
    MaterialTable as "[[material]]" {
        /// Its name.
        name: Text,
        /// Mass per area in the plane, per volume in space. Needed by bodies without a given mass.
        density: Option<Number<Density, Positive>>,
    }
}

table! {
    /// A force and torque on one body or on each of a group, constant or varying in time.
    LoadTable as "[[load]]" {
        /// Name of the body or group.
        on: Text,
        /// On a group: the force and torque on `each`, or on `all`, shared by their masses; default `each`.
        share: Option<ShareWord>,
        /// Force at the centre of mass, in world axes.
        force: Option<Vector<Force>>,
        /// Torque, in world axes.
        torque: Option<Axial<Torque>>,
        /// Multiplies both; default 1. Its time is the scene's.
        factor: Option<SignalValue<Pure>>,
        /// When it starts to act; default 0.
        start: Option<Number<Time, NotNegative>>,
        /// When it ceases; default never.
        stop: Option<Number<Time, NotNegative>>,
    }
}

keyword! {
    /// How a load is shared by the bodies of a group.
    ShareWord {
        /// each body has the whole force and torque.
        "each": Each,
        /// all have it together, by their masses.
        "all": All,
    }
}

table! {
    /// A contact force that a pair starts with: the summary of its history.
    InitialForceTable as "[[initial_force]]" {
        /// Name of the body that feels it.
        on: Text,
        /// Name of the body or boundary that exerts it.
        by: Text,
        /// The force, in world axes.
        force: Vector<Force>,
    }
}

/// The JSON Schema of scene files.
///
/// It is made from the types that read them; `docs/scene.schema.json` is its printed form.
pub fn schema() -> Json {
    let mut definitions = Definitions::new();
    let root = <SceneTable as crate::decode::Decode>::schema(&mut definitions);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "drystone scene",
        "$ref": root["$ref"],
        "$defs": definitions,
    })
}
