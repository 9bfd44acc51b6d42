//! `drystone-book FOLDER [--playground FOLDER]` writes the book; `drystone-book --validation` runs the cases of validation and
//! writes their page.

use drystone_book::{validation, write_book};
use std::error::Error;
use std::path::{Path, PathBuf};

const USAGE: &str = "drystone-book FOLDER [--playground FOLDER] | drystone-book --validation";

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (folder, playground) = match words[..] {
        ["--validation"] => return table(&root),
        [folder] if !folder.starts_with('-') => (folder, None),
        [folder, "--playground", playground] => (folder, Some(PathBuf::from(playground))),
        _ => return Err(USAGE.into()),
    };
    let book = write_book(&root, Path::new(folder), playground.as_deref())?;
    println!("{folder}: {} pages, {} files beside them", book.pages, book.files);
    match book.broken.is_empty() {
        true => Ok(()),
        false => Err(format!("links that lead nowhere:\n{}", book.broken.join("\n")).into()),
    }
}

/// Runs the cases and writes their page, whether they hold or not.
fn table(root: &Path) -> Result<(), Box<dyn Error>> {
    let chapters = validation::rows();
    std::fs::write(root.join("docs/validation.md"), validation::page(&chapters))?;
    let rows = || chapters.iter().flat_map(|(_, rows)| rows);
    for row in rows().filter(|row| !row.holds()) {
        println!(
            "{}, {}: {} for {}, off by {:e}",
            row.name(),
            row.quantity,
            row.ours,
            row.exact,
            row.error()
        );
    }
    let failed = rows().filter(|row| !row.holds()).count();
    println!("{} figures, {failed} of them off", rows().count());
    if failed > 0 { Err("not all figures are as they should be".into()) } else { Ok(()) }
}
