//! Any bytes, as the tables that a scene names, give a scene or a report; and as a table of a run, columns and rows that
//! fit each other.

#![no_main]

use drystone::record::table;
use drystone::scene::{Folders, Scene, SceneFile};
use libfuzzer_sys::fuzz_target;

const SCENES: [&str; 2] = [
    r#"
dimension = 2
gravity = [0, -9.81]
time = { step = 1e-3, end = 1 }
material = [{ name = "a", density = 1000 }]
default_law = { friction = 0.5 }
generate = [{ list = { file = "table", material = "a" } }]
[[boundary]]
name = "floor"
material = "a"
shape = { half_plane = {} }
motion = { direction = [1, 0], displacement = { table = { file = "table" } } }
"#,
    r#"
dimension = 3
gravity = [0, 0, -9.81]
time = { step = 1e-3, end = 1 }
units = { length = "mm" }
material = [{ name = "a", density = 1000 }]
default_law = { friction = 0.5 }
generate = [{ list = { file = "table", material = "a", skip = 1 } }]
body = [{ name = "b", shape = { sphere = 1 }, position = [0, 0, 0], material = "a" }]
load = [{ on = "b", force = [0, 0, 1], factor = { table = { file = "table", column = 3 } } }]
"#,
];

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let (columns, rows) = table::parse(&text);
    assert!(rows.iter().all(|row| row.len() == columns.len()));
    let files = [SceneFile { place: "table".into(), text }];
    for scene in SCENES {
        let folders = Folders { scene: None, kept: None, given: &files };
        match Scene::parse_in("fuzz.toml", scene, folders) {
            Ok(scene) => assert_eq!(scene.warnings.errors(), 0),
            Err(report) => assert!(report.errors() > 0 && !report.to_string().is_empty()),
        }
    }
});
