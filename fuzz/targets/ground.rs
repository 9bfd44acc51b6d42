//! Any bytes, as a record of ground motion (of the PEER database, or columns), give a motion or a report.

#![no_main]

mod files;

use libfuzzer_sys::fuzz_target;

const RECORDS: [&str; 3] = [
    r#"{ file = "ground", form = "peer", direction = [1, 0], baseline = "linear" }"#,
    r#"{ file = "ground", direction = [1, 0], unit = "g", skip = 1, baseline = "quadratic" }"#,
    r#"{ file = "ground", direction = [1, 0], interval = 0.01, quantity = "velocity", scale = 2, baseline = "constant" }"#,
];

fuzz_target!(|bytes: &[u8]| {
    let scenes = RECORDS.map(|record| {
        let (shape, disk) = ("shape = { half_plane = {} }", "shape = { disk = 0.1 }");
        let body = format!("body = [{{ {disk}, position = [0, 0.1], material = \"a\" }}]");
        format!("{body}\nboundary = [{{ name = \"b\", material = \"a\", {shape}, motion = {{ record = [{record}] }} }}]")
    });
    files::read_scenes(2, "ground", bytes, &scenes.each_ref().map(String::as_str));
});
