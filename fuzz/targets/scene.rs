//! Any bytes give a scene or a report that can be printed, and never a panic. No file is opened.

#![no_main]

use drystone::scene::Scene;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    match Scene::parse("fuzz.toml", &text, None) {
        Ok(scene) => assert_eq!(scene.warnings.errors(), 0),
        Err(report) => {
            assert!(report.errors() > 0);
            assert!(!report.to_string().is_empty());
        }
    }
});
