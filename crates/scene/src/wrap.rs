//! Keys that may be absent, and lists.

use crate::decode::{Decode, Definitions, Item, OpenTable, Reader, span_of};
use crate::quantity::{Number, Range, Unit};
use crate::report::Span;
use serde_json::{Value as Json, json};
use toml::de::DeValue;

/// A key that may be absent.
impl<T: Decode> Decode for Option<T> {
    const REQUIRED: bool = false;
    fn decode(item: &Item, reader: &mut Reader) -> Option<Self> {
        T::decode(item, reader).map(Some)
    }
    fn absent(_: &str, _: &OpenTable, _: &mut Reader) -> Option<Self> {
        Some(None)
    }
    fn schema(definitions: &mut Definitions) -> Json {
        T::schema(definitions)
    }
}

/// A part of the scene whose errors do not hinder the search for errors elsewhere.
#[derive(Clone, Debug)]
pub(crate) struct Section<T> {
    /// `None` if absent or wrong.
    pub value: Option<T>,
    /// Whether it was there and wrong.
    pub wrong: bool,
}

impl<T: Decode> Decode for Section<T> {
    const REQUIRED: bool = false;
    fn decode(item: &Item, reader: &mut Reader) -> Option<Self> {
        let value = T::decode(item, reader);
        Some(Self { wrong: value.is_none(), value })
    }
    fn absent(_: &str, _: &OpenTable, _: &mut Reader) -> Option<Self> {
        Some(Self { value: None, wrong: false })
    }
    fn schema(definitions: &mut Definitions) -> Json {
        T::schema(definitions)
    }
}

/// A [`Section`] that must be there.
#[derive(Clone, Debug)]
pub(crate) struct Needed<T> {
    /// `None` if absent or wrong: a problem has been reported.
    pub value: Option<T>,
}

impl<T: Decode> Decode for Needed<T> {
    fn decode(item: &Item, reader: &mut Reader) -> Option<Self> {
        Some(Self { value: T::decode(item, reader) })
    }
    fn absent(key: &str, table: &OpenTable, reader: &mut Reader) -> Option<Self> {
        Some(Self { value: T::absent(key, table, reader) })
    }
    fn example(key: &str) -> String {
        T::example(key)
    }
    fn schema(definitions: &mut Definitions) -> Json {
        T::schema(definitions)
    }
}

/// Repeated tables of the scene; those with errors are left out.
#[derive(Clone, Debug)]
pub(crate) struct List<T> {
    pub items: Vec<T>,
    /// Whether none was left out.
    pub complete: bool,
}

impl<T: Decode> Decode for List<T> {
    const REQUIRED: bool = false;
    fn decode(item: &Item, reader: &mut Reader) -> Option<Self> {
        let DeValue::Array(array) = item.get_ref() else {
            reader.wrong(item, "a list; tables of a list have double brackets: `[[…]]`");
            return Some(Self { items: Vec::new(), complete: false });
        };
        let items: Vec<T> = array.iter().filter_map(|item| T::decode(item, reader)).collect();
        let complete = items.len() == array.len();
        Some(Self { items, complete })
    }
    fn absent(_: &str, _: &OpenTable, _: &mut Reader) -> Option<Self> {
        Some(Self { items: Vec::new(), complete: true })
    }
    fn schema(definitions: &mut Definitions) -> Json {
        json!({ "type": "array", "items": T::schema(definitions) })
    }
}

/// A list that is one value: wrong if one of its items is.
#[derive(Clone, Debug)]
pub(crate) struct Items<T> {
    pub items: Vec<T>,
    pub span: Span,
}

impl<T: Decode> Decode for Items<T> {
    fn decode(item: &Item, reader: &mut Reader) -> Option<Self> {
        let DeValue::Array(array) = item.get_ref() else {
            reader.wrong(item, "a list");
            return None;
        };
        let items: Vec<T> = array.iter().filter_map(|item| T::decode(item, reader)).collect();
        (items.len() == array.len()).then(|| Self { items, span: span_of(item) })
    }
    fn schema(definitions: &mut Definitions) -> Json {
        json!({ "type": "array", "items": T::schema(definitions) })
    }
}

/// A number where one is enough, a table where there is more to say.
#[derive(Clone, Debug)]
pub(crate) enum NumberOr<U, R, T> {
    /// `key = 0.3`.
    Number(Number<U, R>),
    /// `key = { … }`.
    Table(T),
}

impl<U: Unit, R: Range, T: Decode> Decode for NumberOr<U, R, T> {
    fn decode(item: &Item, reader: &mut Reader) -> Option<Self> {
        match item.get_ref() {
            DeValue::Table(_) => T::decode(item, reader).map(Self::Table),
            _ => Number::decode(item, reader).map(Self::Number),
        }
    }
    fn schema(definitions: &mut Definitions) -> Json {
        json!({ "anyOf": [Number::<U, R>::schema(definitions), T::schema(definitions)] })
    }
}

/// Exactly two values.
#[derive(Clone, Debug)]
pub(crate) struct Pair<T, U = T> {
    pub first: T,
    pub second: U,
    pub span: Span,
}

impl<T: Decode, U: Decode> Decode for Pair<T, U> {
    fn decode(item: &Item, reader: &mut Reader) -> Option<Self> {
        match item.get_ref() {
            DeValue::Array(array) if array.len() == 2 => {
                let first = T::decode(&array[0], reader);
                let second = U::decode(&array[1], reader);
                Some(Self { first: first?, second: second?, span: span_of(item) })
            }
            _ => {
                reader.wrong(item, "a list of two values");
                None
            }
        }
    }
    fn schema(definitions: &mut Definitions) -> Json {
        json!({
            "type": "array",
            "prefixItems": [T::schema(definitions), U::schema(definitions)],
            "minItems": 2,
            "maxItems": 2,
        })
    }
}
