//! What the programs that measure packings of spheres share.

use drystone_engine::{AnyWorld, World};
use drystone_scene::Scene;
use drystone_space::Volume;
use std::error::Error;
use std::path::Path;

/// The text of floor and four walls, open above, from a low corner to a high one.
pub fn open_box(material: &str, low: [f64; 3], high: [f64; 3]) -> String {
    let planes = [
        (low, [0, 0, 1]),
        (low, [1, 0, 0]),
        (low, [0, 1, 0]),
        (high, [-1, 0, 0]),
        (high, [0, -1, 0]),
    ];
    let walls = planes.map(|(point, normal)| {
        format!(
            "[[boundary]]\nmaterial = {material:?}\n\
             shape = {{ half_space = {{ point = {point:?}, normal = {normal:?} }} }}\n"
        )
    });
    walls.concat()
}

/// The world in space that a text describes; files that it names lie in the folder.
pub fn world(
    name: &str,
    text: &str,
    folder: Option<&Path>,
) -> Result<World<Volume>, Box<dyn Error>> {
    match Scene::parse(name, text, folder).map_err(|report| report.to_string())?.world()? {
        AnyWorld::Volume(world) => Ok(world),
        AnyWorld::Plane(_) => Err("not of space".into()),
    }
}
