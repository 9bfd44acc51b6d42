//! The playground as one static folder: `cargo run -p drystone-playground --example site -- FOLDER [MODULE.wasm]`.
//!
//! In it are the pages of `page/`, the viewer's page (`view.html`), all scenes of `scenes/` with the files that they name,
//! and the module, if one is given. Any server can give it out; opened from the disk it does not work, since browsers let
//! no page of the disk read other files.

use drystone_scene::Scene;
use serde_json::json;
use std::error::Error;
use std::fs;
use std::path::Path;

const PAGES: [&str; 7] = [
    "index.html",
    "playground.css",
    "playground.js",
    "editor.js",
    "module.js",
    "worker.js",
    "live.js",
];

/// Gives the viewer's page the run that is computed beside it.
const BESIDE: &str = "<script src=\"live.js\"></script>";

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("no folder is given")?;
    let (folder, here) = (Path::new(&folder), Path::new(env!("CARGO_MANIFEST_DIR")));
    fs::create_dir_all(folder.join("scenes"))?;
    for page in PAGES {
        fs::copy(here.join("page").join(page), folder.join(page))?;
    }
    let view = drystone_viewer::page(&json!(null), "drystone");
    let data = "<script type=\"application/json\"";
    assert_eq!(view.matches(data).count(), 1, "the viewer's page has changed");
    fs::write(folder.join("view.html"), view.replacen(data, &format!("{BESIDE}{data}"), 1))?;
    let count = gallery(&here.join("../../scenes"), &folder.join("scenes"))?;
    match arguments.next() {
        Some(module) => {
            fs::copy(module, folder.join("drystone_playground.wasm"))?;
            println!("{}: {count} scenes and the module", folder.display());
        }
        None => println!("{}: {count} scenes; the module is not in it yet", folder.display()),
    }
    Ok(())
}

/// Copies all scenes with the files that they name, and lists them; how many they are.
fn gallery(from: &Path, to: &Path) -> Result<usize, Box<dyn Error>> {
    let mut list = Vec::new();
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let Some(name) = path.file_stem().and_then(|stem| stem.to_str()) else { continue };
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let scene = Scene::read(&path)?;
        for file in &scene.files {
            let place = to.join(&file.place);
            fs::create_dir_all(place.parent().unwrap_or(to))?;
            fs::write(place, &file.text)?;
        }
        fs::write(to.join(format!("{name}.toml")), scene.source.as_bytes())?;
        let files: Vec<_> = scene.files.iter().map(|file| file.place.to_string_lossy()).collect();
        list.push((name.to_owned(), json!({ "name": name, "title": scene.title, "files": files })));
    }
    list.sort_by(|a, b| a.0.cmp(&b.0));
    let list: Vec<_> = list.into_iter().map(|(_, scene)| scene).collect();
    fs::write(to.join("index.json"), json!(list).to_string())?;
    Ok(list.len())
}
