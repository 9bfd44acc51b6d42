//! Any bytes, as a description of a robot (URDF, MJCF), give bodies and joints, or a report.

#![no_main]

mod files;

use libfuzzer_sys::fuzz_target;

const SCENES: [&str; 2] = [
    r#"
dimension = 3
gravity = [0, 0, -9.81]
time = { step = 1e-3, end = 1 }
material = [{ name = "a", density = 1000 }]
default_law = { friction = 0.5 }
robot = [{ name = "r", file = "robot", material = "a", position = [0, 0, 1] }]
"#,
    r#"
dimension = 3
gravity = [0, 0, -9.81]
time = { step = 1e-3, end = 1 }
material = [{ name = "a", density = 1000 }]
default_law = { friction = 0.5 }
robot = [{ name = "r", file = "robot", material = "a", position = [0, 0, 1], hold = true }]
"#,
];

fuzz_target!(|bytes: &[u8]| files::read_scenes("robot", bytes, &SCENES));
