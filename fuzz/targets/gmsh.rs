//! Any bytes give a mesh that can be worked with, or a message.

#![no_main]

use drystone::fem::mesh::read_gmsh;
use drystone::space::{Plane, Space, Volume};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    read::<Plane>(&text);
    read::<Volume>(&text);
});

fn read<S: Space>(text: &str) {
    match read_gmsh::<S>(text, "fuzz.msh") {
        Ok(mesh) => {
            mesh.surface();
            let names: Vec<String> = mesh.group_names().map(str::to_owned).collect();
            for name in names {
                let _ = mesh.group_sides(&name);
            }
            mesh.to_simplices().surface();
            mesh.to_quadratic().bounds();
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
