//! The chapters of the book, in their order.

use std::fs;
use std::io;
use std::path::Path;

/// A page of the project and what the contents call it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chapter {
    /// The file, from the root of the project.
    pub file: String,
    /// Its title in the contents.
    pub title: String,
}

/// A part of the book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its title.
    pub title: String,
    /// Its chapters.
    pub chapters: Vec<Chapter>,
}

/// The book of the project at `root`: the parts that are listed here, and at last all other pages of `docs/`.
pub fn parts(root: &Path) -> io::Result<Vec<Part>> {
    let chapter =
        |file: &str, title: &str| Chapter { file: file.to_owned(), title: title.to_owned() };
    let listed = LISTED.iter().map(|(title, chapters)| Part {
        title: (*title).to_owned(),
        chapters: chapters.iter().map(|(file, title)| chapter(file, title)).collect(),
    });
    let mut parts: Vec<Part> = listed.collect();
    let mut more = Vec::new();
    for entry in fs::read_dir(root.join("docs"))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let file = format!("docs/{name}");
        let known = parts.iter().flat_map(|part| &part.chapters).any(|c| c.file == file);
        if name.ends_with(".md") && !known {
            let text = fs::read_to_string(root.join(&file))?;
            let title = text.lines().find_map(|line| line.strip_prefix("# "));
            more.push(chapter(&file, title.unwrap_or(&name)));
        }
    }
    more.sort_by(|a, b| a.file.cmp(&b.file));
    if !more.is_empty() {
        parts.push(Part { title: "More".to_owned(), chapters: more });
    }
    Ok(parts)
}

/// File and title of each chapter of a part.
type Listed = &'static [(&'static str, &'static str)];

const LISTED: [(&str, Listed); 7] = [
    (
        "To begin",
        &[
            ("README.md", "drystone"),
            ("docs/install.md", "Installing"),
            ("docs/playground.md", "The playground"),
            ("docs/page.md", "The page"),
            ("docs/python.md", "Python"),
            ("docs/library.md", "The library"),
        ],
    ),
    (
        "Tutorials",
        &[
            ("docs/tutorials/first-scene.md", "A first scene"),
            ("docs/tutorials/masonry-wall.md", "A wall"),
            ("docs/tutorials/conical-pile.md", "A pile"),
            ("docs/tutorials/biaxial-test.md", "A biaxial and a triaxial test"),
            ("docs/tutorials/mechanism.md", "A mechanism"),
            ("docs/tutorials/mortar.md", "Masonry with mortar"),
            ("docs/tutorials/from-python.md", "From Python"),
            ("docs/tutorials/many-runs.md", "Many runs, and a cluster"),
        ],
    ),
    (
        "Scenes",
        &[
            ("docs/scene-format.md", "The scene format"),
            ("docs/shapes.md", "Shapes and meshes"),
            ("docs/laws.md", "Contact laws"),
            ("docs/bonds.md", "Bonds and mortar"),
            ("docs/impacts.md", "Impacts"),
            ("docs/acd2.md", "A-CD²"),
            ("docs/joints.md", "Joints"),
            ("docs/robots.md", "Robots"),
            ("docs/deformable.md", "Deformable solids"),
            ("docs/packings.md", "Packings"),
            ("docs/specimens.md", "Specimens"),
            ("docs/laboratory.md", "The laboratory"),
            ("docs/cells.md", "Periodic cells"),
            ("docs/masonry.md", "Masonry"),
            ("docs/limits.md", "Limits"),
        ],
    ),
    (
        "Theory",
        &[
            ("docs/mechanics.md", "Mechanics, as computed"),
            ("docs/second-order.md", "The step of second order"),
            ("docs/solvers.md", "Solvers"),
            ("docs/estimates.md", "Estimates of errors"),
            ("docs/indeterminacy.md", "Indeterminacy"),
            ("docs/sweeping.md", "The sweeping process"),
            ("docs/bits.md", "The same bits"),
            ("docs/distributed.md", "Several processes"),
        ],
    ),
    (
        "Validation",
        &[
            ("docs/validation.md", "Validation"),
            ("docs/limit-analysis.md", "Limit analysis"),
            ("docs/papers.md", "The five papers"),
            ("docs/benchmarks.md", "Benchmarks"),
            ("docs/peers.md", "Other engines"),
            ("docs/springs.md", "Exact contact and springs"),
        ],
    ),
    (
        "Studies",
        &[
            ("docs/wall.md", "The wall"),
            ("docs/granular.md", "Granular scenes"),
            ("docs/pile.md", "The conical pile"),
        ],
    ),
    (
        "Data",
        &[
            ("docs/record.md", "The record of a run"),
            ("docs/analysis.md", "Analysis"),
            ("docs/fclib.md", "Recorded problems"),
            ("ARCHITECTURE.md", "Architecture"),
            ("CONTRIBUTING.md", "Contributing"),
            ("CHANGELOG.md", "Changes"),
        ],
    ),
];
