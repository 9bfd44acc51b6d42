//! Runs end in the bits of the table of `docs/bits.md`, whatever machine and flags this is built for.
//!
//! After a wanted change, `UPDATE_BITS=1 cargo test -p drystone-scene --test bits` writes the table anew; other machines
//! must then find the same.

use drystone_engine::with_world;
use drystone_scene::Scene;
use std::path::Path;

/// A row of the table: scene, steps and hash.
fn row(line: &str) -> Option<(&str, u64, &str)> {
    let cells: Vec<&str> = line.split('|').map(str::trim).collect();
    let [_, scene, steps, hash, _] = cells[..] else { return None };
    let hash = hash.strip_prefix('`')?.strip_suffix('`')?;
    Some((scene, steps.parse().ok()?, hash))
}

fn hash(scene: &str, steps: u64) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../scenes/{scene}.toml"));
    let scene = Scene::read(&path).unwrap_or_else(|error| panic!("{error}"));
    with_world!(scene.world().unwrap(), world => {
        let mut world = world;
        (0..steps).for_each(|_| {
            world.step().unwrap();
        });
        format!("{:016x}", world.state_hash())
    })
}

#[test]
fn runs_end_in_known_bits() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/bits.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (mut now, mut rows, mut others) = (String::new(), 0, Vec::new());
    for line in page.lines() {
        let found = row(line).map(|(scene, steps, known)| {
            let found = hash(scene, steps);
            rows += 1;
            if found != known {
                others.push(format!("{scene} after {steps} steps: {found}, not {known}"));
            }
            format!("| {scene} | {steps} | `{found}` |")
        });
        now += &found.unwrap_or_else(|| line.to_owned());
        now.push('\n');
    }
    assert!(rows >= 20, "the table has {rows} rows");
    if std::env::var_os("UPDATE_BITS").is_some() {
        std::fs::write(&path, now).unwrap();
    } else {
        assert!(others.is_empty(), "other bits:\n{}", others.join("\n"));
    }
}
