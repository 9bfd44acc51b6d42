//! Any bytes, as a record of ground motion (of the PEER database, or columns), give a motion or a report.

#![no_main]

mod files;

use libfuzzer_sys::fuzz_target;

const HEAD: &str = r#"
dimension = 2
gravity = [0, -9.81]
time = { step = 1e-3, end = 1 }
material = [{ name = "a", density = 1000 }]
default_law = { friction = 0.5 }
body = [{ shape = { disk = 0.1 }, position = [0, 0.1], material = "a" }]
"#;

const RECORDS: [&str; 3] = [
    r#"{ file = "ground", form = "peer", direction = [1, 0], baseline = "linear" }"#,
    r#"{ file = "ground", direction = [1, 0], unit = "g", skip = 1, baseline = "quadratic" }"#,
    r#"{ file = "ground", direction = [1, 0], interval = 0.01, quantity = "velocity", scale = 2, baseline = "constant" }"#,
];

fuzz_target!(|bytes: &[u8]| {
    let scenes = RECORDS.map(|record| {
        let shape = "shape = { half_plane = {} }";
        format!("{HEAD}boundary = [{{ name = \"b\", material = \"a\", {shape}, motion = {{ record = [{record}] }} }}]\n")
    });
    files::read_scenes("ground", bytes, &scenes.each_ref().map(String::as_str));
});
