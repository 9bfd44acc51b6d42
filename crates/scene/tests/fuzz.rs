//! Scenes that fuzzing found: each once made the reader panic or hang.

use drystone_scene::Scene;

#[test]
fn what_fuzzing_found_is_mended() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fuzz");
    for entry in std::fs::read_dir(folder).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        if let Err(report) = Scene::parse("fuzz.toml", &text, None) {
            assert!(report.errors() > 0 && !report.to_string().is_empty());
        }
    }
}
