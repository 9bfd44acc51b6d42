//! From the tables of the file to a setup, with the checks that need more than one table.
//!
//! Bodies keep their [`Origin`], so that problems found late (overlaps, speeds) still name their
//! place in the file.

mod arrange;
mod body;
mod bond;
mod boundary;
mod cell;
mod coursing;
mod deposit;
mod dimension;
mod drive;
mod emit;
mod force;
mod friction;
mod generate;
mod ground;
mod growth;
mod irregular;
mod joint;
mod joint_drive;
mod law;
mod list;
mod masonry;
mod mesh;
mod name;
mod overlap;
mod paving;
mod percussion;
mod phase;
mod plausible;
mod robot;
mod rows;
mod settings;
mod signal;
mod sizes;
mod solid;
mod speed;
mod transmission;
mod vessel;
mod voronoi;
mod wall;

use crate::files::Files;
use crate::format::{OverlapWord, SceneTable};
use crate::quantity::Units;
use crate::report::{Draft, Problems, Span};
use crate::scene::{AnySetup, Output};
use dimension::SceneSpace;
use drystone_engine::{Arrival, Body, Load, Setup, Signal};
use drystone_space::{Limit, Random, with_space};
use law::Materials;
use name::Names;

/// What lies around the file.
#[derive(Debug)]
pub(crate) struct Surroundings<'a> {
    /// The files that it names.
    pub files: Files<'a>,
    /// Units of all numbers.
    pub units: Units,
}

/// What a scene is built into: setup, output, names of materials.
pub(crate) type Built = (AnySetup, Output, Vec<String>);

/// Builds a scene of the given dimension. `None`, or a scene that is of no use, after problems.
pub(crate) fn scene(
    table: &SceneTable,
    dimension: usize,
    around: &Surroundings,
    problems: &mut Problems,
) -> Option<Built> {
    with_space!(dimension, S => build::<S>(table, around, problems))
}

fn build<S: SceneSpace>(
    table: &SceneTable,
    around: &Surroundings,
    problems: &mut Problems,
) -> Option<Built> {
    let materials = Materials::new(&table.material, problems);
    let names = Names::new(table);
    let setup = Setup::default();
    let seed = table.seed.value.as_ref().map_or(0, |seed| seed.value as u64);
    let mut builder = Builder::<S> {
        problems,
        around,
        materials,
        names,
        setup,
        seed,
        streams: 0,
        origins: Vec::new(),
        arrival_origins: Vec::new(),
        entering: None,
        boundary_spans: Vec::new(),
        joint_spans: Vec::new(),
    };
    builder.settings(table);
    builder.cell(table);
    builder.boundaries(&table.boundary);
    builder.bodies(&table.body);
    builder.robots(&table.robot);
    builder.generators(&table.generate);
    builder.emitters(&table.emitter, table.time.value.as_ref().map(|time| time.end.value));
    builder.solids(&table.solid);
    if let Some(deformation) = &table.deformation.value {
        builder.deformation(deformation);
    }
    builder.loads(&table.load);
    builder.springs(&table.spring);
    builder.phases(&table.phase);
    builder.joints(&table.joint);
    builder.drags(&table.drag);
    builder.impulses(&table.impulse);
    builder.initial_forces(&table.initial_force);
    builder.laws(table);
    builder.check_method(table);
    builder.check_impacts(table);
    builder.usual_form(table);
    builder.check_scheme(table);
    builder.check_quasi_static(table);
    builder.rest(table);
    builder.check_bonds(table);
    let output = builder.output(table);
    builder.check_cell(table);
    builder.check_plausible(table);
    builder.whole(table);
    builder.check_joints();
    let Builder { setup, materials, .. } = builder;
    Some((S::any(setup), output?, materials.into_names()))
}

/// Where a body comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    pub span: Span,
    /// Where its velocity is stated, if it is.
    pub velocity: Option<Span>,
    /// What it is called if it has no name: `block 3`.
    pub noun: &'static str,
    pub number: usize,
}

/// A scene being built.
pub(crate) struct Builder<'a, S: SceneSpace> {
    problems: &'a mut Problems,
    around: &'a Surroundings<'a>,
    materials: Materials,
    names: Names,
    setup: Setup<S>,
    seed: u64,
    streams: u64,
    origins: Vec<Origin>,
    arrival_origins: Vec<Origin>,
    /// When the bodies of the generator at work enter, if not at the start.
    entering: Option<f64>,
    /// Where each boundary of the setup is in the file.
    boundary_spans: Vec<Span>,
    /// Where each joint of the setup is.
    joint_spans: Vec<Span>,
}

/// A body ready to be placed, and the constant load on it.
#[derive(Clone, Debug)]
pub(crate) struct Made<S: SceneSpace> {
    pub body: Body<S>,
    pub force: S::Vector,
    pub torque: S::Spin,
}

impl<S: SceneSpace> Builder<'_, S> {
    /// Adds a body and its load; those of generators, which have none, may enter later.
    fn add(&mut self, made: Made<S>, origin: Origin) {
        let Made { mut body, force, torque } = made;
        if let Some(time) = self.entering {
            self.names.add_arrival(body.name());
            body.born = time;
            self.setup.arrivals.push(Arrival { time, body, places: Vec::new() });
            self.arrival_origins.push(origin);
            return;
        }
        let index = self.setup.bodies.len();
        if force != S::Vector::default() || torque != S::Spin::default() {
            let factor = Signal::Constant(1.0);
            let load = Load { body: index, force, torque, factor, start: 0.0, stop: f64::INFINITY };
            self.setup.loads.push(load);
        }
        self.names.add_body(body.name(), index);
        self.setup.bodies.push(body);
        self.origins.push(origin);
    }

    /// How many more bodies are allowed.
    fn room_left(&self) -> usize {
        let there = self.setup.bodies.len() + self.setup.arrivals.len();
        Limit::Bodies.count().saturating_sub(there)
    }

    /// Whether so many more bodies are allowed; reports it if not.
    fn room(&mut self, more: usize, span: Span) -> bool {
        let room = self.room_left();
        if more > room {
            let draft = Draft::error(span, "too many bodies").found(format!("{more} more bodies"));
            let most = Limit::Bodies.count();
            let expected = format!("at most {most} in a scene; {room} are left");
            self.problems.push(draft.expected(expected).help(Limit::Bodies.advice()));
        }
        more <= room
    }

    /// Random numbers of one table: from its own seed, or a stream of the scene's.
    fn random(&mut self, seed: &Option<crate::plain::Seed>) -> Random {
        self.streams += 1;
        match seed {
            Some(seed) => Random::new(seed.value as u64, 0),
            None => Random::new(self.seed, self.streams),
        }
    }

    /// Checks of the scene as a whole.
    fn whole(&mut self, table: &SceneTable) {
        let complete = table.body.complete
            && table.robot.complete
            && table.generate.complete
            && table.emitter.complete;
        if self.setup.bodies.is_empty() && self.setup.arrivals.is_empty() {
            let solids = !table.solid.items.is_empty() || !table.solid.complete;
            if complete && !solids && !self.problems.has_errors() {
                let draft = Draft::error(Span::default(), "the scene has no bodies");
                let expected = "at least one `[[body]]`, `[[robot]]`, `[[generate]]`, `[[emitter]]` or `[[solid]]`";
                self.problems.push(draft.expected(expected));
            }
            return;
        }
        if table.overlap.value != Some(OverlapWord::Accept) {
            self.check_overlaps();
        }
        self.check_speeds(table);
    }
}

/// What a body or boundary is called in messages.
pub(crate) fn label(name: &str, noun: &str, number: usize) -> String {
    match name {
        "" => format!("{noun} {number}"),
        name => format!("`{name}`"),
    }
}
