//! Other values for keys of a scene: `default_law.friction=0.5`, `body.0.position.1=2`, `material.stone.density=2500`.
//!
//! A key is a path of words with dots between them; in a list a member is named by its number from 0, or by its name. The
//! new value is written into the text of the scene, in place of the old one or beside the other keys of its table, so that
//! a record holds the scene as it was run, and messages show what was read. Words are checked against the schema.

use crate::decode::{Item, listed};
use crate::format::schema;
use crate::report::{Draft, Problems, Report, Span};
use crate::scene::document;
use miette::NamedSource;
use serde_json::Value as Json;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use toml::de::{DeTable, DeValue};

/// Another value for a key of a scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// As it was written, for messages.
    text: String,
    /// Words of the key, and where each stands in the text.
    words: Vec<(String, Span)>,
    /// The value, as TOML.
    value: String,
}

impl fmt::Display for Override {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Override {
    type Err = Report;

    /// `key=value`; a value that is not TOML is taken for a text.
    fn from_str(text: &str) -> Result<Self, Report> {
        let refuse = |span: Span, message: &str, expected: &str| {
            refused(text, Draft::error(span, message).expected(expected))
        };
        let whole = Span { start: 0, end: text.len() };
        let expected = "`key=value`, such as `default_law.friction=0.5`";
        let Some(end) = outside_quotes(text, '=') else {
            return Err(refuse(whole, "no value is given", expected));
        };
        let mut words = Vec::new();
        let mut start = 0;
        while start <= end {
            let length = outside_quotes(&text[start..end], '.').unwrap_or(end - start);
            let word = &text[start..start + length];
            let blanks = word.len() - word.trim_start().len();
            let (from, plain) = (start + blanks, word.trim());
            let span = Span { start: from, end: from + plain.len() };
            let unquoted = plain.strip_prefix('"').and_then(|word| word.strip_suffix('"'));
            let word = unquoted.unwrap_or(plain);
            if word.is_empty() {
                return Err(refuse(span, "a word of the key is missing", expected));
            }
            words.push((word.to_owned(), span));
            start += length + 1;
        }
        let value = text[end + 1..].trim();
        if value.is_empty() {
            let place = Span { start: end, end: text.len() };
            return Err(refuse(place, "no value is given", expected));
        }
        Ok(Self { text: text.to_owned(), words, value: toml_value(value) })
    }
}

impl Override {
    /// Of a key and a value; the value as it would stand in a scene, or a text.
    pub fn new(key: &str, value: &str) -> Result<Self, Report> {
        format!("{key}={value}").parse()
    }
    /// The key.
    pub fn key(&self) -> &str {
        let end = outside_quotes(&self.text, '=').unwrap_or(self.text.len());
        self.text[..end].trim()
    }
    /// The value, as TOML.
    pub fn value(&self) -> &str {
        &self.value
    }

    /// The text of a scene with this value in it.
    pub(crate) fn apply(&self, name: &str, text: &str) -> Result<String, Report> {
        let (root, _) = document(name, text)?;
        let schema = schema();
        let mut place = Place { schema: resolved(&schema, &schema), root: &schema, item: &root };
        let last = self.words.len() - 1;
        for (depth, word) in self.words.iter().enumerate() {
            let next = match place.item.get_ref() {
                DeValue::Table(table) => {
                    self.check_key(&place, depth)?;
                    let found = table.get(word.0.as_str());
                    if found.is_none() {
                        return self.insert(text, place.item, table, depth);
                    }
                    found
                }
                DeValue::Array(list) => Some(self.member(list, depth)?),
                _ => {
                    let draft =
                        Draft::error(word.1, format!("{} has no parts", self.before(depth)));
                    return Err(refused(&self.text, draft.found(format!("`{}`", word.0))));
                }
            };
            let Some(next) = next else { unreachable!("what is missing was put in") };
            if depth == last {
                let span = next.span();
                return Ok(format!("{}{}{}", &text[..span.start], self.value, &text[span.end..]));
            }
            place = Place { schema: place.child(&word.0), root: place.root, item: next };
        }
        unreachable!("a key has a word")
    }

    /// What stands before a word, for messages.
    fn before(&self, depth: usize) -> String {
        match depth {
            0 => "the scene".to_owned(),
            depth => format!("`{}`", self.text[..self.words[depth - 1].1.end].trim()),
        }
    }

    /// Whether a table may have the word as a key.
    fn check_key(&self, place: &Place, depth: usize) -> Result<(), Report> {
        let (word, span) = &self.words[depth];
        let known = place.keys();
        if known.is_empty() || known.contains(&word.as_str()) {
            return Ok(());
        }
        let draft = Draft::error(*span, format!("unknown key in {}", self.before(depth)));
        let draft = draft.found(format!("`{word}`")).expected(listed(&known));
        Err(refused(&self.text, draft.nearest(word, &known)))
    }

    /// The member of a list by number or by name.
    fn member<'a, 'i>(&self, list: &'a [Item<'i>], depth: usize) -> Result<&'a Item<'i>, Report> {
        let (word, span) = &self.words[depth];
        let names: Vec<&str> = list.iter().filter_map(name_of).collect();
        let by_name = || list.iter().find(|item| name_of(item) == Some(word));
        let by_number = || word.parse::<usize>().ok().and_then(|number| list.get(number));
        by_name().or_else(by_number).ok_or_else(|| {
            let what = self.before(depth);
            let draft = Draft::error(*span, format!("no such member of {what}"));
            let numbers = match list.len() {
                0 => "nothing, since it is empty".to_owned(),
                1 => "0".to_owned(),
                count => format!("0 to {}", count - 1),
            };
            let few = if names.len() <= 12 { listed(&names) } else { "a name".to_owned() };
            let expected = if names.is_empty() { numbers } else { format!("{numbers}, or {few}") };
            let draft = draft.found(format!("`{word}`")).expected(expected);
            refused(&self.text, draft.nearest(word, &names))
        })
    }

    /// Adds a key that a table does not have, with all words from `depth` on.
    fn insert(
        &self,
        text: &str,
        item: &Item,
        table: &DeTable,
        depth: usize,
    ) -> Result<String, Report> {
        self.check_missing(depth)?;
        let words: Vec<String> = self.words[depth..].iter().map(|word| key_of(&word.0)).collect();
        let line = format!("{} = {}", words.join("."), self.value);
        let Span { start, end } = item.span().into();
        if depth == 0 {
            return Ok(format!("{line}\n{text}"));
        }
        match text[start..end].chars().next() {
            Some('{') => {
                let comma = if table.is_empty() { "" } else { "," };
                Ok(format!("{}{{ {line}{comma}{}", &text[..start], &text[start + 1..]))
            }
            Some('[') => {
                let break_at = text[end..].find('\n').map_or(text.len(), |place| end + place);
                Ok(format!("{}\n{line}{}", &text[..break_at], &text[break_at..]))
            }
            _ => {
                let what = self.before(depth);
                let draft =
                    Draft::error(self.words[depth].1, format!("{what} is spread over keys"));
                let help = format!("give {what} a table of its own in the scene");
                Err(refused(&self.text, draft.help(help)))
            }
        }
    }

    /// Whether what is missing from `depth` on can be added by one line: no member of a list that is not there.
    fn check_missing(&self, depth: usize) -> Result<(), Report> {
        let number = |word: &&(String, Span)| word.0.parse::<usize>().is_ok();
        match self.words[depth + 1..].iter().find(number) {
            None => Ok(()),
            Some((word, span)) => {
                let draft = Draft::error(*span, format!("there is no `{}`", self.words[depth].0));
                Err(refused(&self.text, draft.found(format!("member `{word}` of it"))))
            }
        }
    }
}

/// Where a key has led to: a value of the scene, and what may stand there.
struct Place<'a, 'i> {
    schema: Option<&'a Json>,
    root: &'a Json,
    item: &'a Item<'i>,
}

impl<'a> Place<'a, '_> {
    /// What the present value may be: itself, or one of several.
    fn kinds(&self) -> Vec<&'a Json> {
        let Some(schema) = self.schema else { return Vec::new() };
        match schema.get("anyOf").and_then(Json::as_array) {
            Some(all) => all.iter().filter_map(|one| resolved(one, self.root)).collect(),
            None => vec![schema],
        }
    }
    /// The keys that it may have; none where it may have any.
    fn keys(&self) -> Vec<&'a str> {
        let kinds = self.kinds();
        let tables = kinds.iter().filter_map(|kind| kind.get("properties")?.as_object());
        tables.flat_map(|keys| keys.keys().map(String::as_str)).collect()
    }
    /// What may stand at a word below it.
    fn child(&self, word: &str) -> Option<&'a Json> {
        let below = |kind: &&'a Json| {
            let key = kind.get("properties").and_then(|keys| keys.get(word));
            key.or_else(|| kind.get("items")).and_then(|schema| resolved(schema, self.root))
        };
        self.kinds().iter().find_map(below)
    }
}

/// A schema, or the one that it refers to.
fn resolved<'a>(schema: &'a Json, root: &'a Json) -> Option<&'a Json> {
    match schema.get("$ref").and_then(Json::as_str) {
        Some(path) => root.pointer(path.strip_prefix('#')?),
        None => Some(schema),
    }
}

/// The name of a member of a list.
fn name_of<'a>(item: &'a Item) -> Option<&'a str> {
    match item.get_ref() {
        DeValue::Table(table) => match table.get("name")?.get_ref() {
            DeValue::String(name) => Some(name.as_ref()),
            _ => None,
        },
        _ => None,
    }
}

/// A key as TOML needs it.
fn key_of(word: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if word.chars().all(bare) { word.to_owned() } else { quoted(word) }
}

fn quoted(word: &str) -> String {
    format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A value as TOML: itself if it is, else as a text.
fn toml_value(value: &str) -> String {
    let line = format!("x = {value}");
    let (table, errors) = DeTable::parse_recoverable(&line);
    let is_one = errors.is_empty() && table.get_ref().len() == 1;
    if is_one { value.to_owned() } else { quoted(value) }
}

/// Where a letter stands first outside of quotes.
fn outside_quotes(text: &str, letter: char) -> Option<usize> {
    let mut inside = false;
    text.char_indices().find_map(|(place, c)| {
        inside ^= c == '"';
        (c == letter && !inside).then_some(place)
    })
}

/// The report of what is wrong with an override.
fn refused(text: &str, draft: Draft) -> Report {
    let mut problems = Problems::new(NamedSource::new("the override", Arc::from(text)));
    problems.push(draft);
    problems.into_report()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCENE: &str = "dimension = 2 # the plane\ngravity = [0, -9.81]\n\
        material = [{ name = \"stone\", density = 2000 }]\n\n[time] # of the run\nstep = 1e-3\nend = 1\n\n\
        [default_law]\nfriction = 0.3\n\n[[body]]\nname = \"one\"\nshape = { disk = 0.1 }\n\
        material = \"stone\"\n\n[[body]]\nname = \"two\"\nshape = { disk = 0.1 }\nmaterial = \"stone\"\n";

    fn applied(change: &str) -> Result<String, String> {
        let change: Override = change.parse().map_err(|report: Report| report.to_string())?;
        change.apply("a", SCENE).map_err(|report| report.to_string())
    }

    #[test]
    fn values_are_replaced_where_they_stand() {
        let with = |old: &str, new: &str| Ok(SCENE.replacen(old, new, 1));
        assert_eq!(applied("default_law.friction=0.5"), with("friction = 0.3", "friction = 0.5"));
        assert_eq!(applied("time.end = 2"), with("end = 1", "end = 2"));
        assert_eq!(applied("gravity.1=-1.62"), with("-9.81", "-1.62"));
        assert_eq!(applied("material.stone.density=1000"), with("2000", "1000"));
        assert_eq!(applied("body.0.shape.disk=0.2"), with("disk = 0.1", "disk = 0.2"));
        assert_eq!(applied("body.one.name=three"), with("\"one\"", "\"three\""));
    }

    #[test]
    fn what_is_missing_is_put_in() {
        assert_eq!(applied("seed=7"), Ok(format!("seed = 7\n{SCENE}")));
        let first = applied("solver.tolerance=1e-6").unwrap();
        assert!(first.starts_with("solver.tolerance = 1e-6\n"), "{first}");
        let law = applied("default_law.normal_restitution=0.5").unwrap();
        assert!(law.contains("[default_law]\nnormal_restitution = 0.5\nfriction"), "{law}");
        let body = applied("body.two.velocity=[1, 0]").unwrap();
        assert!(
            body.ends_with(
                "[[body]]\nvelocity = [1, 0]\n\
            name = \"two\"\nshape = { disk = 0.1 }\nmaterial = \"stone\"\n"
            ),
            "{body}"
        );
        for text in [first, law, body] {
            // Both bodies are at the origin.
            let read = crate::Scene::parse("a", &format!("overlap = \"accept\"\n{text}"), None);
            assert!(read.is_ok(), "{}", read.unwrap_err());
        }
    }

    #[test]
    fn mistakes_are_told_with_their_place() {
        let wrong = |change: &str| applied(change).unwrap_err();
        let text = wrong("default_law.fricton=0.5");
        assert!(text.contains("unknown key in `default_law`"), "{text}");
        assert!(text.contains("the override:1:13") && text.contains("did you mean `friction`?"));
        let text = wrong("materials.stone.density=1");
        assert!(text.contains("unknown key in the scene"), "{text}");
        assert!(text.contains("did you mean `material`?"), "{text}");
        let text = wrong("material.stone.friction=1");
        assert!(
            text.contains("expected: `density` or `name`") || text.contains("`name`"),
            "{text}"
        );
        let text = wrong("body.7.mass=1");
        assert!(text.contains("0 to 1, or `one` or `two`"), "{text}");
        assert!(wrong("body.tow.mass=1").contains("did you mean `two`?"));
        assert!(wrong("dimension.0=1").contains("`dimension` has no parts"));
        assert!(wrong("load.0.force=[1, 0]").contains("there is no `load`"));
        for text in ["friction", "=1", "a..b=1", "a="] {
            assert!(text.parse::<Override>().is_err(), "{text}");
        }
    }
}
