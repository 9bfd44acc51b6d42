//! Any bytes, as a mesh (STL, OBJ, PLY), give a body, a hull and a boundary, or a report.

#![no_main]

mod files;

use libfuzzer_sys::fuzz_target;

const SCENES: [&str; 3] = [
    r#"
dimension = 3
gravity = [0, 0, -9.81]
time = { step = 1e-3, end = 1 }
material = [{ name = "a", density = 1000 }]
default_law = { friction = 0.5 }
body = [{ shape = { mesh = { file = "mesh" } }, position = [0, 0, 0], material = "a" }]
"#,
    r#"
dimension = 3
gravity = [0, 0, -9.81]
time = { step = 1e-3, end = 1 }
material = [{ name = "a", density = 1000 }]
default_law = { friction = 0.5 }
body = [{ shape = { mesh = { file = "mesh", hull = true, scale = 0.1 } }, position = [0, 0, 0], material = "a" }]
"#,
    r#"
dimension = 3
gravity = [0, 0, -9.81]
time = { step = 1e-3, end = 1 }
material = [{ name = "a", density = 1000 }]
default_law = { friction = 0.5 }
body = [{ shape = { sphere = 0.1 }, position = [0, 0, 0], material = "a" }]
boundary = [{ name = "b", shape = { mesh = { file = "mesh", weld = 1e-3 } }, material = "a" }]
"#,
];

fuzz_target!(|bytes: &[u8]| files::read_scenes("mesh", bytes, &SCENES));
