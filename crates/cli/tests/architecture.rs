//! ARCHITECTURE.md says what is so: its paths, the edges between crates, the length of files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Longest source file, in lines.
const LONGEST: usize = 600;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// Texts between backticks, outside of code blocks.
fn quoted(page: &str) -> Vec<String> {
    let mut in_block = false;
    let mut found = Vec::new();
    for line in page.lines() {
        if line.starts_with("```") {
            in_block = !in_block;
        } else if !in_block {
            found.extend(line.split('`').skip(1).step_by(2).map(str::to_owned));
        }
    }
    found
}

/// Targets of links that stay in the repository.
fn links(page: &str) -> Vec<String> {
    let targets = page.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    let local = targets.map(|(target, _)| target).filter(|t| !t.contains("://"));
    local.map(|target| target.split('#').next().unwrap().to_owned()).collect()
}

#[test]
fn every_path_of_the_documents_exists() {
    let pages = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"];
    let docs = fs::read_dir(root().join("docs")).unwrap();
    let docs = docs.map(|entry| format!("docs/{}", entry.unwrap().file_name().to_str().unwrap()));
    let pages = pages.map(str::to_owned).into_iter().chain(docs.filter(|p| p.ends_with(".md")));
    let tops = ["crates/", "scenes/", "docs/", "fuzz/", ".ci/", "./"];
    let mut checked = 0;
    for page in pages {
        let text = read(&page);
        let folder = Path::new(&page).parent().unwrap().to_owned();
        let is_path = |t: &String| {
            tops.iter().any(|top| t.starts_with(top)) && !t.contains(['{', '*', ' ', '…'])
        };
        let named = quoted(&text).into_iter().filter(is_path).map(PathBuf::from);
        let linked = links(&text).into_iter().map(|target| folder.join(target));
        for path in named.chain(linked) {
            assert!(root().join(&path).exists(), "{page} names {}", path.display());
            checked += 1;
        }
    }
    assert!(checked > 50, "only {checked} paths were found: are they still read?");
}

/// Which crates of the workspace each crate uses, from the manifests.
fn edges() -> BTreeMap<String, BTreeSet<String>> {
    let folders = fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap());
    let names = folders.map(|folder| folder.file_name().to_str().unwrap().to_owned());
    let edges = names.map(|name| {
        let manifest: toml::Table = read(&format!("crates/{name}/Cargo.toml")).parse().unwrap();
        let uses = manifest["dependencies"].as_table().unwrap().keys();
        let own = uses
            .filter(|key| key.starts_with("drystone"))
            .map(|key| key.strip_prefix("drystone-").unwrap_or(key).to_owned());
        (name, own.collect())
    });
    edges.collect()
}

#[test]
fn crates_use_each_other_as_the_table_says() {
    let page = read("ARCHITECTURE.md");
    let mut stated = BTreeMap::new();
    for row in page.lines().filter(|line| line.starts_with("| `crates/")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let name = cells[1].trim_matches('`').strip_prefix("crates/").unwrap();
        let uses: BTreeSet<String> =
            cells[2].split(',').map(|u| u.trim().to_owned()).filter(|u| !u.is_empty()).collect();
        let earlier = uses.iter().all(|used| stated.contains_key(used));
        assert!(earlier, "`{name}` uses a crate that stands below it");
        stated.insert(name.to_owned(), uses);
    }
    assert_eq!(stated, edges());
}

#[test]
fn the_stages_of_a_step_are_those_of_the_table() {
    let page = read("ARCHITECTURE.md");
    let (_, section) = page.split_once("## One step").unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
    let stated: Vec<&str> = rows.map(|(stage, _)| stage).collect();
    assert_eq!(stated, drystone_engine::Stage::ALL.map(|stage| format!("{stage:?}")));
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn no_source_file_is_too_long() {
    let mut files = Vec::new();
    sources(&root().join("crates"), &mut files);
    assert!(files.len() > 50, "only {} files were found", files.len());
    for path in files {
        let lines = fs::read_to_string(&path).unwrap().lines().count();
        assert!(lines <= LONGEST, "{} has {lines} lines", path.display());
    }
}
