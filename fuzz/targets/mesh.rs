//! Any bytes, as a mesh (STL, OBJ, PLY), give a body, a hull and a boundary, or a report.

#![no_main]

mod files;

use libfuzzer_sys::fuzz_target;

const SCENES: [&str; 3] = [
    r#"body = [{ shape = { mesh = { file = "mesh" } }, position = [0, 0, 0], material = "a" }]"#,
    r#"body = [{ shape = { mesh = { file = "mesh", hull = true, scale = 0.1 } }, position = [0, 0, 0], material = "a" }]"#,
    r#"body = [{ shape = { sphere = 0.1 }, position = [0, 0, 0], material = "a" }]
boundary = [{ name = "b", shape = { mesh = { file = "mesh", weld = 1e-3 } }, material = "a" }]"#,
];

fuzz_target!(|bytes: &[u8]| files::read_scenes(3, "mesh", bytes, &SCENES));
