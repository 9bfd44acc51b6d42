//! The folder of the book.

use crate::chapters::{Chapter, Part, parts};
use crate::page::{Heading, render};
use serde_json::json;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

const STYLE: &str = include_str!("../page/book.css");
const SCRIPT: &str = include_str!("../page/book.js");

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Book {
    /// Pages.
    pub pages: usize,
    /// Pictures, scenes and other files that pages link to.
    pub files: usize,
    /// Links that lead nowhere, as `page: link`.
    pub broken: Vec<String>,
    /// Whether the playground is in it.
    pub playground: bool,
}

/// Where a page of the project is in the book.
fn place(file: &str) -> String {
    match file {
        "README.md" => "index.html".to_owned(),
        file => {
            let name = Path::new(file).file_stem().and_then(|stem| stem.to_str());
            format!("{}.html", name.unwrap_or_default().to_lowercase())
        }
    }
}

/// A path without `.` and `..`; none if it leads out of the project.
fn plain(path: &Path) -> Option<PathBuf> {
    let mut found = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => found.push(name),
            Component::ParentDir if found.pop() => (),
            Component::CurDir => (),
            _ => return None,
        }
    }
    Some(found)
}

/// Where links of a page lead: other pages, and files that are copied beside them.
struct Links<'a> {
    root: &'a Path,
    folder: &'a Path,
    parts: &'a [Part],
}

impl Links<'_> {
    /// The file that a link names, from the root of the project; none where it leads elsewhere.
    fn file(&self, link: &str) -> Option<PathBuf> {
        let path = link.split('#').next().unwrap_or_default();
        let away = link.contains("://") || link.starts_with("mailto:") || path.is_empty();
        if away { None } else { plain(&self.folder.join(path)) }
    }
    /// The link in the book.
    fn turned(&self, link: &str) -> String {
        let Some(file) = self.file(link) else { return link.to_owned() };
        let text = file.to_string_lossy().replace('\\', "/");
        let anchor = link.split_once('#').map_or(String::new(), |(_, anchor)| format!("#{anchor}"));
        let known = self.parts.iter().flat_map(|part| &part.chapters).any(|c| c.file == text);
        match (known, self.root.join(&file).is_dir()) {
            (true, _) => format!("{}{anchor}", place(&text)),
            (false, true) => "architecture.html".to_owned(),
            (false, false) => format!("files/{text}"),
        }
    }
}

/// Writes the book of the project at `root`. With the folder of a playground it has that too, and links of scenes lead there.
pub fn write_book(root: &Path, to: &Path, playground: Option<&Path>) -> io::Result<Book> {
    fs::create_dir_all(to)?;
    let mut book = Book { playground: playground.is_some(), ..Book::default() };
    let (mut words, mut wanted, mut anchors, mut named) =
        (Vec::new(), BTreeSet::new(), BTreeSet::new(), Vec::new());
    let parts = parts(root)?;
    let all: Vec<&Chapter> = parts.iter().flat_map(|part| &part.chapters).collect();
    for (index, chapter) in all.iter().enumerate() {
        let text = fs::read_to_string(root.join(&chapter.file))?;
        let folder = Path::new(&chapter.file).parent().unwrap_or(Path::new(""));
        let links = Links { root, folder, parts: &parts };
        let found = std::cell::RefCell::new(Vec::new());
        let (html, headings) = render(&text, |link| {
            found.borrow_mut().push(link.to_owned());
            let scene = link.split('#').next().and_then(|l| l.strip_suffix(".toml"));
            let scene = scene.and_then(|l| l.split_once("scenes/")).map(|(_, name)| name);
            match scene.filter(|_| playground.is_some() && !link.contains("crates/")) {
                Some(name) => format!("playground/index.html#gallery={name}"),
                None => links.turned(link),
            }
        });
        for link in found.into_inner() {
            if let Some(file) = links.file(&link) {
                named.push((chapter.file.as_str(), link.clone(), links.turned(&link)));
                if root.join(&file).is_file() && links.turned(&link).starts_with("files/") {
                    wanted.insert(file);
                } else if !root.join(&file).exists() {
                    book.broken.push(format!("{}: {link}", chapter.file));
                }
            }
        }
        let html = if book.playground { with_live_scenes(&html) } else { html };
        let name = place(&chapter.file);
        anchors.extend(headings.iter().map(|h| format!("{name}#{}", h.anchor)));
        words.extend(headings.iter().map(|h| entry(chapter, &name, h)));
        let around = [index.checked_sub(1).map(|i| all[i]), all.get(index + 1).copied()];
        fs::write(
            to.join(&name),
            sheet(chapter, &html, &headings, &parts, around, book.playground),
        )?;
        book.pages += 1;
    }
    for (file, link, turned) in named {
        if turned.contains(".html#") && !anchors.contains(&turned) {
            book.broken.push(format!("{file}: {link}"));
        }
    }
    for file in &wanted {
        let copy = to.join("files").join(file);
        fs::create_dir_all(copy.parent().unwrap_or(to))?;
        fs::copy(root.join(file), copy)?;
    }
    book.files = wanted.len();
    fs::write(to.join("book.css"), STYLE)?;
    fs::write(to.join("book.js"), format!("const WORDS = {};\n{SCRIPT}", json!(words)))?;
    if let Some(from) = playground {
        copy_all(from, &to.join("playground"))?;
    }
    Ok(book)
}

fn copy_all(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_all(&entry.path(), &target)?
        } else {
            fs::copy(entry.path(), target).map(drop)?
        }
    }
    Ok(())
}

/// Names of scenes in a page lead to the playground.
fn with_live_scenes(html: &str) -> String {
    let (open, close) = ("<code>scenes/", ".toml</code>");
    let mut page = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find(open) {
        let (before, found) = rest.split_at(at);
        page.push_str(before);
        let name = &found[open.len()..];
        let name =
            &name[..name.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(0)];
        let whole = format!("{open}{name}{close}");
        // A link may hold the name already.
        if !name.is_empty() && found.starts_with(&whole) && !in_link(before) {
            page += &format!("<a href=\"playground/index.html#gallery={name}\">{whole}</a>");
            rest = &found[whole.len()..];
        } else {
            page.push_str(open);
            rest = &found[open.len()..];
        }
    }
    page + rest
}

/// Whether a link is still open at the end of a piece of a page.
fn in_link(html: &str) -> bool {
    html.rfind("<a ").is_some_and(|at| !html[at..].contains("</a>"))
}

/// What is searched: the words below a heading, and where they stand.
fn entry(chapter: &Chapter, name: &str, heading: &Heading) -> serde_json::Value {
    json!([chapter.title, heading.title, format!("{name}#{}", heading.anchor), heading.text])
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A page with the contents beside it.
fn sheet(
    chapter: &Chapter,
    html: &str,
    headings: &[Heading],
    parts: &[Part],
    around: [Option<&Chapter>; 2],
    playground: bool,
) -> String {
    let mut contents = String::new();
    for part in parts {
        contents += &format!("<h2>{}</h2>\n<ul>\n", escaped(&part.title));
        for one in &part.chapters {
            let here = if one == chapter { " class=\"here\" aria-current=\"page\"" } else { "" };
            contents +=
                &format!("<li><a{here} href=\"{}\">{}</a>", place(&one.file), escaped(&one.title));
            let below: Vec<&Heading> = headings.iter().filter(|h| h.level == 2).collect();
            if one == chapter && (2..=24).contains(&below.len()) {
                contents += "<ul>";
                for heading in below {
                    contents += &format!(
                        "<li><a href=\"#{}\">{}</a></li>",
                        heading.anchor,
                        escaped(&heading.title)
                    );
                }
                contents += "</ul>";
            }
            contents += "</li>\n";
        }
        contents += "</ul>\n";
    }
    let try_it = if playground {
        "<a class=\"try\" href=\"playground/index.html\">Run a scene here</a>"
    } else {
        ""
    };
    let step = |chapter: Option<&Chapter>, sign: &str| {
        chapter.map_or(String::from("<span></span>"), |c| {
            format!("<a href=\"{}\">{}</a>", place(&c.file), sign.replace('*', &escaped(&c.title)))
        })
    };
    let steps = format!("{}{}", step(around[0], "← *"), step(around[1], "* →"));
    let title = escaped(&chapter.title);
    let name = if chapter.title == "drystone" { title } else { format!("{title} · drystone") };
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>{name}</title>\
         <link rel=\"icon\" href=\"data:,\"><link rel=\"stylesheet\" href=\"book.css\"></head>\n<body>\n<nav>\
         <a class=\"name\" href=\"index.html\">drystone</a>{try_it}\
         <input id=\"search\" type=\"search\" placeholder=\"Search\" aria-label=\"Search\"><ol id=\"found\" hidden></ol>\n\
         <div id=\"contents\">{contents}</div></nav>\n<main>\n{html}\n<footer>{steps}</footer></main>\n\
         <script src=\"book.js\"></script></body></html>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_turned_to_where_things_are_in_the_book() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let parts = parts(&root).unwrap();
        let links = Links { root: &root, folder: Path::new("docs"), parts: &parts };
        let turned = |link: &str| links.turned(link);
        assert_eq!(turned("bits.md#hashes"), "bits.html#hashes");
        assert_eq!(turned("../README.md"), "index.html");
        assert_eq!(turned("pictures/page_wall.png"), "files/docs/pictures/page_wall.png");
        assert_eq!(turned("../scenes/wall.toml"), "files/scenes/wall.toml");
        for away in ["#here", "https://rustup.rs", "../../beyond.md"] {
            assert_eq!(turned(away), away);
        }
    }

    #[test]
    fn names_of_scenes_become_links_once() {
        let turned = with_live_scenes("a <code>scenes/wall.toml</code> b <code>scenes/</code> é");
        let link =
            "<a href=\"playground/index.html#gallery=wall\"><code>scenes/wall.toml</code></a>";
        assert_eq!(turned, format!("a {link} b <code>scenes/</code> é"));
        assert_eq!(with_live_scenes(link), link);
    }
}
