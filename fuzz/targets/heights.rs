//! Any bytes, as a table of heights or an ASCII grid, give a boundary or a report.

#![no_main]

mod files;

use libfuzzer_sys::fuzz_target;

const SCENES: [&str; 2] = [
    r#"body = [{ shape = { sphere = 0.1 }, position = [0, 0, 0], material = "a" }]
boundary = [{ name = "b", shape = { heights = { file = "heights", spacing = 0.25 } }, material = "a" }]"#,
    r#"body = [{ shape = { sphere = 0.1 }, position = [0, 0, 0], material = "a" }]
boundary = [{ name = "b", shape = { heights = { file = "heights", scale = 0.1 } }, material = "a" }]"#,
];

fuzz_target!(|bytes: &[u8]| files::read_scenes(3, "heights", bytes, &SCENES));
