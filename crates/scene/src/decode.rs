//! From TOML to typed tables, with every error and not only the first.
//!
//! A format type implements [`Decode`]: how it is read and its JSON Schema. The macros [`table!`],
//! [`choice!`] and [`keyword!`] write both from one description, so that they cannot differ.

use crate::quantity::Units;
use crate::report::{Draft, Problems, Span};
use serde_json::{Map, Value as Json, json};
use toml::de::{DeTable, DeValue};

/// A value of the file with its place.
pub(crate) type Item<'i> = toml::Spanned<DeValue<'i>>;

/// Shared definitions of a schema, by name.
pub(crate) type Definitions = Map<String, Json>;

/// What reading needs to know of the whole file, and the problems met so far.
#[derive(Debug)]
pub(crate) struct Reader {
    pub problems: Problems,
    pub units: Units,
    /// 2 or 3; `None` if the file does not say.
    pub dimension: Option<usize>,
    /// Whether parts of the text could not be read: what is missing is not told then.
    pub broken: bool,
    /// The key being read, for messages.
    key: &'static str,
}

/// A type of the format.
pub(crate) trait Decode: Sized {
    /// Whether the key must be there.
    const REQUIRED: bool = true;
    /// Reads a value; `None` after problems have been reported.
    fn decode(item: &Item, reader: &mut Reader) -> Option<Self>;
    /// What an absent key means; `None` after a problem has been reported.
    fn absent(key: &str, table: &OpenTable, reader: &mut Reader) -> Option<Self> {
        if reader.broken {
            return None;
        }
        let message = format!("missing key `{key}` in {}", table.title);
        let help = format!("add `{}`", Self::example(key));
        reader.problems.push(Draft::error(table.span, message).help(help));
        None
    }
    /// How a key of this type is written.
    fn example(key: &str) -> String {
        format!("{key} = …")
    }
    /// Its JSON Schema.
    fn schema(definitions: &mut Definitions) -> Json;
}

/// A table being read: where it is, and what it is called in messages.
#[derive(Debug)]
pub(crate) struct OpenTable {
    pub title: &'static str,
    pub span: Span,
    /// Known keys that unknown ones were probably meant to be.
    meant: Vec<&'static str>,
    /// Whether it has unknown keys.
    unknown: bool,
}

impl OpenTable {
    /// The value read from the table; none if there were unknown keys, as nobody knows what they
    /// were to say. The scene itself is kept, so that its tables are still checked.
    pub fn keep<T>(&self, value: T) -> Option<T> {
        (!self.unknown || self.span == Span::default()).then_some(value)
    }
}

/// The span of a value.
pub(crate) fn span_of(item: &Item) -> Span {
    item.span().into()
}

/// A value as a message shows it: short, on one line.
pub(crate) fn show(item: &Item) -> String {
    match item.get_ref() {
        DeValue::String(text) => {
            let short: String = text.chars().take(40).collect();
            let dots = if short.len() < text.len() { "…" } else { "" };
            format!("the text {short:?}{dots}")
        }
        DeValue::Integer(number) => number.to_string(),
        DeValue::Float(number) => number.to_string(),
        DeValue::Boolean(flag) => flag.to_string(),
        DeValue::Datetime(_) => "a date".to_owned(),
        DeValue::Array(list) => match list.len() {
            0 => "an empty list".to_owned(),
            1 => "a list of 1 value".to_owned(),
            n => format!("a list of {n} values"),
        },
        DeValue::Table(_) => "a table".to_owned(),
    }
}

impl Reader {
    pub fn new(problems: Problems, units: Units, dimension: Option<usize>) -> Self {
        Self { problems, units, dimension, broken: false, key: "scene" }
    }
    /// Reports a value of the wrong kind.
    pub fn wrong(&mut self, item: &Item, expected: impl Into<String>) {
        self.refuse(item, "has a value of the wrong kind", expected);
    }
    /// Reports what is wrong with the value of the present key.
    pub fn refuse(&mut self, item: &Item, what: &str, expected: impl Into<String>) {
        let draft = Draft::error(span_of(item), format!("`{}` {what}", self.key));
        self.problems.push(draft.found(show(item)).expected(expected));
    }
    /// The table in a value, its keys checked against those known.
    pub fn table<'a, 'i>(
        &mut self,
        item: &'a Item<'i>,
        title: &'static str,
        known: &[&'static str],
    ) -> Option<(&'a DeTable<'i>, OpenTable)> {
        let DeValue::Table(table) = item.get_ref() else {
            self.wrong(item, format!("{title}: a table with {}", listed(known)));
            return None;
        };
        let mut open = OpenTable { title, span: span_of(item), meant: Vec::new(), unknown: false };
        for key in table.keys().filter(|key| !known.contains(&key.get_ref().as_ref())) {
            let word = key.get_ref().as_ref();
            let draft = Draft::error(key.span().into(), format!("unknown key in {title}"))
                .found(format!("`{word}`"))
                .expected(listed(known));
            self.problems.push(draft.nearest(word, known));
            open.unknown = true;
            open.meant.extend(crate::suggest::nearest(word, known));
        }
        Some((table, open))
    }
    /// The value of one key of a table.
    pub fn field<T: Decode>(
        &mut self,
        table: &DeTable,
        key: &'static str,
        open: &OpenTable,
    ) -> Option<T> {
        match table.get(key) {
            Some(item) => {
                let outer = std::mem::replace(&mut self.key, key);
                let value = T::decode(item, self);
                self.key = outer;
                value
            }
            // It is there, misspelt: said already.
            None if T::REQUIRED && open.meant.contains(&key) => None,
            None => T::absent(key, open, self),
        }
    }
}

/// `` `a`, `b` or `c` ``.
pub(crate) fn listed(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|w| format!("`{w}`")).collect();
    match quoted.split_last() {
        None => "nothing".to_owned(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
    }
}

/// A key as users write it: `r#box` is `box`.
pub(crate) fn plain(key: &'static str) -> &'static str {
    key.strip_prefix("r#").unwrap_or(key)
}

/// The text of a doc comment, on one line.
pub(crate) fn text(lines: &[&str]) -> String {
    lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ").trim().to_owned()
}

/// Schema of a key: that of its type, with the key's own description.
pub(crate) fn described(mut schema: Json, lines: &[&str]) -> Json {
    if let Some(object) = schema.as_object_mut() {
        let unit = object.remove("description").filter(|_| !object.contains_key("$ref"));
        let unit = unit.and_then(|u| u.as_str().map(|u| format!(" {u}"))).unwrap_or_default();
        object.insert("description".to_owned(), json!(text(lines) + &unit));
    }
    schema
}

/// Schema of a table from its keys: name, whether required, schema.
pub(crate) fn table_schema(doc: &[&str], keys: Vec<(&'static str, bool, Json)>) -> Json {
    let required: Vec<&str> = keys.iter().filter(|k| k.1).map(|k| k.0).collect();
    let properties: Map<String, Json> =
        keys.iter().map(|(key, _, schema)| ((*key).to_owned(), schema.clone())).collect();
    json!({
        "type": "object",
        "description": text(doc),
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// Puts a schema among the definitions once and refers to it.
pub(crate) fn defined(
    name: &str,
    definitions: &mut Definitions,
    schema: impl FnOnce(&mut Definitions) -> Json,
) -> Json {
    if !definitions.contains_key(name) {
        definitions.insert(name.to_owned(), Json::Null);
        let schema = schema(definitions);
        definitions.insert(name.to_owned(), schema);
    }
    json!({ "$ref": format!("#/$defs/{name}") })
}

/// A table: its keys are the fields.
macro_rules! table {
    (
        $(#[doc = $doc:literal])+
        $name:ident $(<$unit:ident>)? as $title:literal {
            $( $(#[doc = $key_doc:literal])+ $key:ident: $type:ty, )*
        }
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, Debug)]
        #[allow(dead_code, reason = "every table knows its place, not every check asks for it")]
        pub(crate) struct $name $(<$unit: $crate::quantity::Unit>)? {
            $( $(#[doc = $key_doc])+ pub $key: $type, )*
            /// Where the table is.
            pub span: $crate::report::Span,
        }
        impl $(<$unit: $crate::quantity::Unit>)? $crate::decode::Decode for $name $(<$unit>)? {
            fn decode(
                item: &$crate::decode::Item,
                reader: &mut $crate::decode::Reader,
            ) -> Option<Self> {
                let keys = [$($crate::decode::plain(stringify!($key))),*];
                let (table, open) = reader.table(item, $title, &keys)?;
                $(
                    let $key = reader.field::<$type>(
                        table,
                        $crate::decode::plain(stringify!($key)),
                        &open,
                    );
                )*
                open.keep(Self { $($key: $key?,)* span: open.span })
            }
            fn example(key: &str) -> String {
                format!("[{key}]")
            }
            fn schema(definitions: &mut $crate::decode::Definitions) -> serde_json::Value {
                let name = [stringify!($name) $(, $unit::NAME)?].concat();
                $crate::decode::defined(&name, definitions, |definitions| {
                    let keys = vec![$((
                        $crate::decode::plain(stringify!($key)),
                        <$type as $crate::decode::Decode>::REQUIRED,
                        $crate::decode::described(
                            <$type as $crate::decode::Decode>::schema(definitions),
                            &[$($key_doc),+],
                        ),
                    )),*];
                    $crate::decode::table_schema(&[$($doc),+], keys)
                })
            }
        }
    };
}

/// A table with exactly one key, which says what it is.
macro_rules! choice {
    (
        $(#[doc = $doc:literal])+
        $name:ident as $title:literal {
            $( $(#[doc = $key_doc:literal])+ $key:ident: $variant:ident($type:ty), )*
        }
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, Debug)]
        pub(crate) enum $name {
            $( $(#[doc = $key_doc])+ $variant($type), )*
        }
        impl $crate::decode::Decode for $name {
            fn decode(
                item: &$crate::decode::Item,
                reader: &mut $crate::decode::Reader,
            ) -> Option<Self> {
                let keys = [$($crate::decode::plain(stringify!($key))),*];
                let (table, open) = reader.table(item, $title, &keys)?;
                if table.len() != 1 {
                    reader.one_key(item, table.len(), $title, &keys);
                }
                let mut chosen = None;
                $(
                    let key = $crate::decode::plain(stringify!($key));
                    if table.contains_key(key) {
                        chosen = reader.field::<$type>(table, key, &open).map(Self::$variant);
                    }
                )*
                chosen.filter(|_| table.len() == 1)
            }
            fn schema(definitions: &mut $crate::decode::Definitions) -> serde_json::Value {
                $crate::decode::defined(stringify!($name), definitions, |definitions| {
                    let mut schema = $crate::decode::table_schema(&[$($doc),+], vec![$((
                        $crate::decode::plain(stringify!($key)),
                        false,
                        $crate::decode::described(
                            <$type as $crate::decode::Decode>::schema(definitions),
                            &[$($key_doc),+],
                        ),
                    )),*]);
                    schema["minProperties"] = 1.into();
                    schema["maxProperties"] = 1.into();
                    schema
                })
            }
        }
    };
}

/// One word of a few.
macro_rules! keyword {
    (
        $(#[doc = $doc:literal])+
        $name:ident { $( $(#[doc = $word_doc:literal])+ $word:literal: $variant:ident, )* }
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum $name {
            $( $(#[doc = $word_doc])+ $variant, )*
        }
        impl $crate::decode::Decode for $name {
            fn decode(
                item: &$crate::decode::Item,
                reader: &mut $crate::decode::Reader,
            ) -> Option<Self> {
                match reader.word(item, &[$($word),*])? {
                    $( $word => Some(Self::$variant), )*
                    _ => None,
                }
            }
            fn schema(_: &mut $crate::decode::Definitions) -> serde_json::Value {
                serde_json::json!({
                    "enum": [$($word),*],
                    "description": concat!($("`", $word, "`:", $($word_doc),+, " "),*).trim(),
                })
            }
        }
    };
}

pub(crate) use {choice, keyword, table};

impl Reader {
    /// Reports a choice with no key or several.
    pub fn one_key(&mut self, item: &Item, found: usize, title: &str, known: &[&str]) {
        let found = if found == 0 { "none".to_owned() } else { format!("{found} keys") };
        let draft = Draft::error(span_of(item), format!("{title} has exactly one key"));
        self.problems.push(draft.found(found).expected(format!("one of {}", listed(known))));
    }
    /// One of the known words.
    pub fn word<'a>(&mut self, item: &Item, known: &[&'a str]) -> Option<&'a str> {
        let DeValue::String(text) = item.get_ref() else {
            self.wrong(item, listed(known));
            return None;
        };
        let word = known.iter().copied().find(|word| *word == text.as_ref());
        if word.is_none() {
            let message = format!("`{}` has an unknown value", self.key);
            let draft = Draft::error(span_of(item), message).found(show(item));
            self.problems.push(draft.expected(listed(known)).nearest(text, known));
        }
        word
    }
}
