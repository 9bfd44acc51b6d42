//! Any bytes, as a description of a robot (URDF, MJCF), give bodies and joints, or a report.

#![no_main]

mod files;

use libfuzzer_sys::fuzz_target;

const SCENES: [&str; 2] = [
    r#"robot = [{ name = "r", file = "robot", material = "a", position = [0, 0, 1] }]"#,
    r#"robot = [{ name = "r", file = "robot", material = "a", position = [0, 0, 1], hold = true }]"#,
];

fuzz_target!(|bytes: &[u8]| files::read_scenes(3, "robot", bytes, &SCENES));
