//! The book is whole, and its table of validation true.

use drystone_book::{parts, validation, write_book};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn every_figure_of_the_table_is_as_it_should_be_and_the_page_says_so() {
    let chapters = validation::rows();
    let rows = || chapters.iter().flat_map(|(_, rows)| rows);
    let off: Vec<String> = rows()
        .filter(|row| !row.holds())
        .map(|row| {
            let (name, error) = (row.name(), row.error());
            format!("{name}, {}: {} for {}, off by {error:e}", row.quantity, row.ours, row.exact)
        })
        .collect();
    assert!(off.is_empty(), "{}", off.join("\n"));
    assert!(rows().count() >= 50, "only {} rows", rows().count());
    // The same bits on every machine: the page can be compared letter by letter.
    let page = fs::read_to_string(root().join("docs/validation.md")).unwrap();
    assert_eq!(
        page,
        validation::page(&chapters),
        "`cargo run --release -p drystone-book -- --validation` writes it anew"
    );
}

#[test]
fn the_book_has_every_page_and_no_link_that_leads_nowhere() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("book");
    let _ = fs::remove_dir_all(&folder);
    let book = write_book(&root(), &folder, None).unwrap();
    assert_eq!(book.broken, [""; 0]);
    let parts = parts(&root()).unwrap();
    assert_eq!(book.pages, parts.iter().map(|part| part.chapters.len()).sum::<usize>());
    assert!(book.files > 20, "{book:?}");
    let start = fs::read_to_string(folder.join("index.html")).unwrap();
    assert!(start.contains("href=\"mechanics.html\"") && start.contains("files/docs/pictures/"));
    assert!(!start.contains("playground/index.html"));
    let search = fs::read_to_string(folder.join("book.js")).unwrap();
    assert!(search.contains("\"mechanics.html#"));
}

#[test]
fn with_a_playground_scenes_lead_there() {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (folder, playground) = (place.join("book-live"), place.join("playground"));
    fs::create_dir_all(playground.join("scenes")).unwrap();
    fs::write(playground.join("scenes/index.json"), "[]").unwrap();
    let book = write_book(&root(), &folder, Some(&playground)).unwrap();
    assert!(book.playground && folder.join("playground/scenes/index.json").exists());
    let page = fs::read_to_string(folder.join("validation.html")).unwrap();
    assert!(page.contains("playground/index.html#gallery=sliding_block"));
}
