//! Reading and running scenes.

use drystone_engine::{AnyWorld, Body, Dimension, StepReport, World};
use drystone_scene::Scene;
use drystone_space::{Plane, Volume};
use std::path::PathBuf;

/// Books must close to this part of the energy at every step of every scene.
const CLOSURE: f64 = 1e-10;

/// The text of a scene.
pub fn text(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenes").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The scene's text with one passage replaced, which must be there.
pub fn edited(name: &str, from: &str, to: &str) -> String {
    let text = text(name);
    assert!(text.contains(from), "{name} has no `{from}`");
    text.replace(from, to)
}

/// A world of the plane.
pub fn plane(text: &str) -> World<Plane> {
    match Scene::parse("scene", text, None).unwrap_or_else(|e| panic!("{e}")).world() {
        Ok(AnyWorld::Plane(world)) => world,
        other => panic!("not of the plane: {other:?}"),
    }
}

/// A world of space.
pub fn volume(text: &str) -> World<Volume> {
    match Scene::parse("scene", text, None).unwrap_or_else(|e| panic!("{e}")).world() {
        Ok(AnyWorld::Volume(world)) => world,
        other => panic!("not of space: {other:?}"),
    }
}

/// Steps until `end`, checking the books and the solver at every step.
pub fn run_until<S: Dimension>(
    world: &mut World<S>,
    end: f64,
    mut each: impl FnMut(&World<S>, &StepReport),
) {
    let steps = (end / world.setup().time_step).round() as u64;
    while world.steps() < steps {
        let report = world.step().unwrap_or_else(|e| panic!("{e}"));
        assert!(report.converged, "not solved at t = {}: {report:?}", world.time());
        let closure = world.ledger().closure();
        assert!(closure < CLOSURE, "books open by {closure:e} at t = {}", world.time());
        each(world, &report);
    }
}

/// The body of that name.
pub fn body<'a, S: Dimension>(world: &'a World<S>, name: &str) -> &'a Body<S> {
    world.bodies().iter().find(|b| b.name() == name).unwrap_or_else(|| panic!("no body `{name}`"))
}

/// The scene's text with some passages replaced, all of which must be there.
pub fn changed(name: &str, changes: &[(&str, &str)]) -> String {
    changes.iter().fold(text(name), |text, (from, to)| {
        assert!(text.contains(from), "{name} has no `{from}`");
        text.replace(from, to)
    })
}

/// The index of the boundary of that name.
pub fn boundary<S: Dimension>(world: &World<S>, name: &str) -> usize {
    world.boundaries().iter().position(|b| b.name == name).unwrap_or_else(|| panic!("no `{name}`"))
}

/// The mean of some values.
pub fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (sum, count) = values.into_iter().fold((0.0, 0.0), |(s, n), v| (s + v, n + 1.0));
    sum / count
}

/// A scene of a millisecond's step with the material `a`, this weight by mass, one law for all, and
/// what it is made of.
pub fn bare(dimension: usize, weight: f64, law: &str, things: &str) -> String {
    let gravity = if dimension == 2 { "[0, -" } else { "[0, 0, -" };
    format!(
        "dimension = {dimension}\ngravity = {gravity}{weight}]\n[time]\nstep = 1e-3\nend = 1\n\
         [[material]]\nname = \"a\"\n[default_law]\n{law}\n{things}\n"
    )
}
