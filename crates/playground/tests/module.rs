//! The module and the page, where they were built: `crates/playground/build FOLDER`, and `DRYSTONE_PLAYGROUND=FOLDER` says
//! where. What lacks is said, and the test is left out.

use drystone_engine::with_world;
use drystone_scene::Scene;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The folder of the playground, if there is one with a module in it and Node.js.
fn site() -> Option<PathBuf> {
    let given = std::env::var_os("DRYSTONE_PLAYGROUND").map(PathBuf::from);
    let site = given.unwrap_or_else(|| here("../../target/playground"));
    let module = site.join("drystone_playground.wasm").exists();
    let node = Command::new("node").arg("--version").stdout(Stdio::null()).status();
    if module && node.is_ok_and(|status| status.success()) {
        return Some(site);
    }
    println!(
        "the module was not tried: it needs Node.js, and the folder of the playground with the module in it ({}: {module}), \
         which `crates/playground/build FOLDER` builds and DRYSTONE_PLAYGROUND names",
        site.display()
    );
    None
}

/// Runs a script with Node.js; what it says.
fn node(script: &str, arguments: &[String], variables: &[(&str, String)]) -> String {
    let mut command = Command::new("node");
    command.arg(here(script)).args(arguments);
    command.envs(variables.iter().map(|(name, value)| (name, value)));
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    said
}

/// The hash of a scene's state after some steps, computed by the library as it is compiled here.
fn hash(scene: &str, steps: u64) -> String {
    let scene = Scene::read(here(&format!("../../scenes/{scene}.toml"))).unwrap();
    with_world!(scene.world().unwrap(), world => {
        let mut world = world;
        (0..steps).for_each(|_| {
            world.step().unwrap();
        });
        format!("{:016x}", world.state_hash())
    })
}

#[test]
fn the_module_has_the_bits_of_the_program() {
    let Some(site) = site() else { return };
    // Balls, polygons, polyhedra, a solid, joints, files of their own, sweeps, factors, special laws, impacts.
    let scenes = [
        ("wall", 60),
        ("arch", 100),
        ("pile_small", 200),
        ("polyhedra", 60),
        ("plate", 40),
        ("drum", 40),
        ("square_friction", 100),
        ("kane_acd2", 20000),
        ("slider_crank", 200),
        ("landslide_wall", 40),
        ("stack_2d", 100),
        ("tumbling", 300),
        ("grain_row", 100),
        ("viscous_block", 40),
    ];
    let mut arguments = vec![site.display().to_string()];
    for (scene, steps) in scenes {
        arguments.extend([scene.to_owned(), steps.to_string(), hash(scene, steps)]);
    }
    let said = node("tests/module.mjs", &arguments, &[]);
    println!("{said}");
    assert_eq!(said.matches("ok: ").count(), scenes.len() + 4, "{said}");
}

#[test]
fn the_page_runs_scenes_in_a_browser() {
    let Some(site) = site() else { return };
    let chromium = std::env::var("CHROMIUM").unwrap_or_else(|_| "/usr/bin/chromium".to_owned());
    let from = std::env::var("PLAYWRIGHT_FROM")
        .unwrap_or_else(|_| here("tests/page.mjs").display().to_string());
    let probe = "require('module').createRequire(process.argv[1])('playwright-core')";
    let found = Command::new("node").args(["-e", probe, &from]).stderr(Stdio::null()).status();
    let found = found.is_ok_and(|status| status.success());
    if !Path::new(&chromium).exists() || !found {
        println!(
            "the page was not looked at: it needs Chromium ({chromium}) and the package playwright-core (found: {found}); \
             CHROMIUM and PLAYWRIGHT_FROM say where they are"
        );
        return;
    }
    let default = std::env::temp_dir().join("drystone-playground").display().to_string();
    let shots = std::env::var("SCREENSHOTS").unwrap_or(default);
    std::fs::create_dir_all(&shots).unwrap();
    let arguments =
        [site.display().to_string(), shots, hash("sliding_block", 1500), hash("bar_falls", 500)];
    let variables = [("CHROMIUM", chromium), ("PLAYWRIGHT_FROM", from)];
    let said = node("tests/page.mjs", &arguments, &variables);
    println!("{said}");
    assert!(said.matches("ok: ").count() >= 15, "{said}");
}
