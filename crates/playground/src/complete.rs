//! What could stand at a place of a scene's text, by the schema of scenes: keys of the table there, or words that a key may
//! be given.

use drystone_scene::schema;
use serde::Serialize;
use serde_json::Value as Json;

/// Something that could stand at the end of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Suggestion {
    /// The word, as it would be written there.
    pub word: String,
    /// What it means.
    pub about: String,
    /// How many characters before the place it takes the place of.
    pub instead: usize,
}

/// What is being written where a text ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// The key of a table.
    Key,
    /// The name of a table, in brackets.
    Header,
    /// The value of the last key of the path.
    Value,
    /// Nothing that could be completed: a comment, or the end of a value.
    Nothing,
}

/// Where a text ends: the keys that lead there, what is written, and the beginning of its word.
#[derive(Debug, PartialEq, Eq)]
struct Place {
    path: Vec<String>,
    part: Part,
    word: String,
    /// Whether the word is in quotes that are still open.
    quoted: bool,
}

/// What could stand at the end of the text.
pub fn complete(text: &str) -> Vec<Suggestion> {
    let Place { path, part, word, quoted } = Scan::default().of(text);
    let schema = schema();
    let kinds = path.iter().fold(vec![&schema], |kinds, key| below(&schema, &kinds, key));
    let mut found: Vec<(String, String)> = match part {
        Part::Nothing => Vec::new(),
        Part::Key | Part::Header => keys(&schema, &kinds),
        Part::Value => words(&schema, &kinds, quoted),
    };
    found.sort();
    found.dedup_by(|a, b| a.0 == b.0);
    let begun = |found: &(String, String)| found.0.trim_start_matches('"').starts_with(&word);
    let instead = word.chars().count();
    let whole = |(found, _): &(String, String)| *found == word;
    let kept = found.into_iter().filter(|found| begun(found) && !whole(found));
    kept.map(|(word, about)| Suggestion { word, about, instead }).collect()
}

/// The alternatives that a schema names, references followed.
fn alternatives<'a>(root: &'a Json, schema: &'a Json) -> Vec<&'a Json> {
    if let Some(path) = schema.get("$ref").and_then(Json::as_str) {
        let target = path.strip_prefix('#').and_then(|path| root.pointer(path));
        return target.map_or_else(Vec::new, |target| alternatives(root, target));
    }
    match schema.get("anyOf").and_then(Json::as_array) {
        Some(all) => all.iter().flat_map(|one| alternatives(root, one)).collect(),
        None => vec![schema],
    }
}

/// The same with the members of lists in place of the lists.
fn members<'a>(root: &'a Json, kinds: &[&'a Json]) -> Vec<&'a Json> {
    let each = kinds.iter().flat_map(|kind| alternatives(root, kind));
    let each = each.flat_map(|kind| match kind.get("items") {
        Some(items) => members(root, &[items]),
        None => vec![kind],
    });
    each.collect()
}

fn below<'a>(root: &'a Json, kinds: &[&'a Json], key: &str) -> Vec<&'a Json> {
    let all = members(root, kinds).into_iter();
    all.filter_map(|kind| kind.get("properties")?.get(key)).collect()
}

fn about(schema: &Json) -> String {
    schema.get("description").and_then(Json::as_str).unwrap_or_default().to_owned()
}

fn keys(root: &Json, kinds: &[&Json]) -> Vec<(String, String)> {
    let all = members(root, kinds).into_iter();
    let tables = all.filter_map(|kind| kind.get("properties")?.as_object());
    tables.flatten().map(|(key, schema)| (key.clone(), about(schema))).collect()
}

/// Words of lists of words, and `true` and `false`.
fn words(root: &Json, kinds: &[&Json], quoted: bool) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for kind in members(root, kinds) {
        let listed = kind.get("enum").and_then(Json::as_array).into_iter().flatten();
        for word in listed.chain(kind.get("const")) {
            match word {
                Json::String(word) if quoted => found.push((word.clone(), about(kind))),
                Json::String(word) => found.push((format!("\"{word}\""), about(kind))),
                word if !quoted => found.push((word.to_string(), about(kind))),
                _ => (),
            }
        }
        if kind.get("type").and_then(Json::as_str) == Some("boolean") && !quoted {
            found.extend(["true", "false"].map(|word| (word.to_owned(), about(kind))));
        }
    }
    found
}

/// Reads a text from its beginning, as far as brackets, keys and quotes go.
#[derive(Debug, Default)]
struct Scan {
    /// Words of the last header.
    header: Vec<String>,
    /// Open brackets of the value that is being read: whether each is a table, and the keys that led to it.
    open: Vec<(bool, Vec<String>)>,
    /// Words of the key that was read last.
    key: Vec<String>,
    /// Whether its value is being read.
    in_value: bool,
    /// Whether a header is being read.
    in_header: bool,
    word: String,
}

impl Scan {
    fn of(mut self, text: &str) -> Place {
        let mut rest = text;
        while let Some(letter) = rest.chars().next() {
            match letter {
                '#' => match rest.find('\n') {
                    Some(end) => rest = &rest[end..],
                    None => return self.place(Part::Nothing, false),
                },
                '"' | '\'' => {
                    let triple = letter.to_string().repeat(3);
                    let mark = if rest.starts_with(&triple) { triple } else { letter.to_string() };
                    let inner = &rest[mark.len()..];
                    match end_of_quote(inner, &mark) {
                        Some((end, next)) => {
                            self.word.push_str(&inner[..end]);
                            rest = &inner[next..];
                            // What is in quotes is whole.
                            if self.in_value {
                                self.word = " ".to_owned();
                            }
                        }
                        None => {
                            self.word = inner.to_owned();
                            let part = if self.in_value { Part::Value } else { Part::Nothing };
                            return self.place(part, true);
                        }
                    }
                }
                _ => {
                    self.letter(letter);
                    rest = &rest[letter.len_utf8()..];
                }
            }
        }
        let part = match (self.in_header, self.in_value) {
            (true, _) => Part::Header,
            (_, true) if self.word.contains(' ') => Part::Nothing,
            (_, true) => Part::Value,
            _ if self.word.contains(' ') => Part::Nothing,
            _ => Part::Key,
        };
        self.place(part, false)
    }

    fn letter(&mut self, letter: char) {
        let in_table = self.open.last().is_none_or(|(table, _)| *table);
        match letter {
            '\n' if self.open.is_empty() => {
                if self.in_header {
                    self.end_header();
                }
                self.in_value = false;
                self.key.clear();
                self.word.clear();
            }
            '[' if self.open.is_empty() && !self.in_value => {
                if !self.in_header {
                    self.in_header = true;
                    self.header.clear();
                }
                self.word.clear();
            }
            ']' if self.in_header => self.end_header(),
            '[' | '{' => {
                self.open.push((letter == '{', std::mem::take(&mut self.key)));
                self.in_value = letter == '[';
                self.word.clear();
            }
            ']' | '}' => {
                self.key = self.open.pop().map(|(_, key)| key).unwrap_or_default();
                self.in_value = true;
                self.word = " ".to_owned();
            }
            ',' => {
                self.in_value = !in_table;
                if in_table {
                    self.key.clear();
                }
                self.word.clear();
            }
            '=' if !self.in_value => {
                self.key.push(self.word.trim().to_owned());
                self.in_value = true;
                self.word.clear();
            }
            '.' if self.in_header => self.header.push(std::mem::take(&mut self.word)),
            '.' if !self.in_value => self.key.push(std::mem::take(&mut self.word)),
            _ if letter.is_whitespace() => {
                if !self.word.is_empty() {
                    self.word.push(' ');
                }
            }
            _ => self.word.push(letter),
        }
    }

    fn end_header(&mut self) {
        let word = std::mem::take(&mut self.word);
        if !word.is_empty() {
            self.header.push(word.trim().to_owned());
        }
        self.in_header = false;
        // Nothing more stands in the line of a header.
        self.word = " ".to_owned();
    }

    fn place(self, part: Part, quoted: bool) -> Place {
        let opened = self.open.into_iter().flat_map(|(_, key)| key);
        let path = self.header.into_iter().chain(opened).chain(self.key).collect();
        Place { path, part, word: self.word, quoted }
    }
}

/// Where a text in quotes ends, and where what follows begins.
fn end_of_quote(text: &str, mark: &str) -> Option<(usize, usize)> {
    let escapes = mark.starts_with('"');
    let mut skip = false;
    for (place, letter) in text.char_indices() {
        if skip {
            skip = false;
        } else if escapes && letter == '\\' {
            skip = true;
        } else if text[place..].starts_with(mark) {
            return Some((place, place + mark.len()));
        } else if letter == '\n' && mark.len() == 1 {
            // A quote that was left open ends with its line.
            return Some((place, place));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        complete(text).into_iter().map(|one| one.word).collect()
    }

    #[test]
    fn keys_of_the_scene_and_of_its_tables() {
        assert_eq!(found("grav"), ["gravity"]);
        assert_eq!(found("dimension = 2\ntim"), ["time"]);
        assert_eq!(found("[ti"), ["time", "title"]);
        assert!(found("[time]\n").contains(&"step".to_owned()));
        assert_eq!(found("[[bod"), ["body"]);
        assert_eq!(found("[[body]]\nname = \"a\" # b = [\nposi"), ["position"]);
        assert_eq!(found("[[body]]\nshape = { dis"), ["disk"]);
        assert_eq!(found("body = [{ name = \"a\", posi"), ["position"]);
        assert_eq!(found("body = [\n  { name = \"a\" },\n  { posi"), ["position"]);
        assert_eq!(found("time.st"), ["step"]);
        assert_eq!(found("[[body]]\nposition = [0,\n 1]\nvelo"), ["velocity"]);
    }

    #[test]
    fn words_that_a_key_may_be_given() {
        assert_eq!(found("overlap = "), ["\"accept\"", "\"refuse\""]);
        assert_eq!(found("overlap = \"re"), ["refuse"]);
        assert_eq!(found("overlap = re"), ["\"refuse\""]);
        assert_eq!(found("dimension = "), ["2", "3"]);
    }

    #[test]
    fn nothing_where_nothing_could_stand() {
        let texts =
            ["# ti", "title = \"ti", "overlap = \"accept\" ", "[time] ", "gravity", "no.such = "];
        for text in texts {
            assert_eq!(found(text), [""; 0], "{text}");
        }
        // Broken texts do no harm.
        for text in ["]]]", "}{,=", "\"\"\"", "a = \"é\nb", "'''é", "[[[", "= = ="] {
            complete(text);
        }
    }

    #[test]
    fn suggestions_say_what_they_mean_and_what_they_replace() {
        let all = complete("[time]\nst");
        let step = all.iter().find(|one| one.word == "step").unwrap();
        assert_eq!(step.instead, 2);
        assert!(!step.about.is_empty());
    }
}
