//! Reading and running scenes.

use drystone_engine::{AnyWorld, Body, Dimension, World};
use drystone_scene::{Override, Scene};
use drystone_space::{Plane, Volume};
use std::path::{Path, PathBuf};

/// Gravity in all scenes.
pub const G: f64 = 9.81;

/// A figure beside its answer.
#[derive(Clone, Debug)]
pub struct Row {
    /// The scene, from the root of the project.
    pub scene: &'static str,
    /// Other values for its keys.
    pub changes: &'static [&'static str],
    /// What is measured.
    pub quantity: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// The answer in words or as a formula, and where it is from.
    pub answer: &'static str,
    /// The answer.
    pub exact: f64,
    /// What was computed.
    pub ours: f64,
    /// Largest error that is allowed: a part of the answer, or in its unit where that is zero.
    pub bound: f64,
    /// Why so large an error is allowed.
    pub why: &'static str,
}

impl Row {
    /// The error: a part of the answer, or in its unit where that is zero.
    pub fn error(&self) -> f64 {
        let scale = if self.exact == 0.0 { 1.0 } else { self.exact.abs() };
        (self.ours - self.exact).abs() / scale
    }
    /// Whether it is as it should be.
    pub fn holds(&self) -> bool {
        self.error() <= self.bound
    }
    /// The name of its scene.
    pub fn name(&self) -> &str {
        Path::new(self.scene).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default()
    }
}

/// A scene with other values for its keys.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    pub scene: &'static str,
    pub changes: &'static [&'static str],
}

impl Case {
    pub fn of(scene: &'static str) -> Self {
        Self { scene, changes: &[] }
    }
    pub fn with(self, changes: &'static [&'static str]) -> Self {
        Self { changes, ..self }
    }
    /// A row of it: quantity and unit, answer, its value and ours, the bound and why it is so large.
    pub fn row(
        self,
        (quantity, unit): (&'static str, &'static str),
        answer: &'static str,
        exact: f64,
        ours: f64,
        (bound, why): (f64, &'static str),
    ) -> Row {
        let Self { scene, changes } = self;
        Row { scene, changes, quantity, unit, answer, exact, ours, bound, why }
    }

    fn world(self) -> AnyWorld {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(self.scene);
        let changes: Vec<Override> =
            self.changes.iter().map(|c| c.parse().unwrap_or_else(|e| panic!("{e}"))).collect();
        let scene = Scene::read_with(path, &changes).unwrap_or_else(|e| panic!("{e}"));
        scene.world().unwrap_or_else(|e| panic!("{}: {e}", self.scene))
    }
    /// The world, in the plane.
    pub fn plane(self) -> World<Plane> {
        match self.world() {
            AnyWorld::Plane(world) => world,
            AnyWorld::Volume(_) => panic!("{} is in space", self.scene),
        }
    }
    /// The world, in space.
    pub fn volume(self) -> World<Volume> {
        match self.world() {
            AnyWorld::Volume(world) => world,
            AnyWorld::Plane(_) => panic!("{} is in the plane", self.scene),
        }
    }
}

/// Steps until a time; each is seen.
pub fn run<S: Dimension>(world: &mut World<S>, end: f64, mut each: impl FnMut(&World<S>)) {
    while world.time() + 0.5 * world.setup().time_step < end {
        world.step().unwrap_or_else(|e| panic!("{e}"));
        each(world);
    }
}

/// The body of that name.
pub fn body<'a, S: Dimension>(world: &'a World<S>, name: &str) -> &'a Body<S> {
    world.bodies().iter().find(|b| b.name() == name).unwrap_or_else(|| panic!("no body `{name}`"))
}
