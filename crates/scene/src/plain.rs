//! Values without a unit: texts, whole numbers, flags.

use crate::decode::{Decode, Definitions, Item, Reader, span_of};
use crate::report::Span;
use serde_json::{Value as Json, json};
use toml::de::DeValue;

/// A text that is not empty.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    pub value: String,
    pub span: Span,
}

impl Decode for Text {
    fn decode(item: &Item, reader: &mut Reader) -> Option<Self> {
        match item.get_ref() {
            DeValue::String(text) if !text.trim().is_empty() => {
                Some(Self { value: text.to_string(), span: span_of(item) })
            }
            _ => {
                reader.wrong(item, "a text that is not empty");
                None
            }
        }
    }
    fn schema(_: &mut Definitions) -> Json {
        json!({ "type": "string", "minLength": 1 })
    }
}

impl Decode for bool {
    fn decode(item: &Item, reader: &mut Reader) -> Option<Self> {
        let flag = item.get_ref().as_bool();
        if flag.is_none() {
            reader.wrong(item, "`true` or `false`");
        }
        flag
    }
    fn schema(_: &mut Definitions) -> Json {
        json!({ "type": "boolean" })
    }
}

/// A whole number from `LOW` to `HIGH`.
#[derive(Clone, Debug)]
pub(crate) struct Whole<const LOW: i64, const HIGH: i64> {
    pub value: i64,
    pub span: Span,
}

/// A number of things, with the most that a scene may have.
pub(crate) type Count = Whole<1, 1_000_000>;

/// The start of a sequence of random numbers.
pub(crate) type Seed = Whole<0, { i64::MAX }>;

impl Count {
    pub fn get(&self) -> usize {
        self.value as usize
    }
}

impl<const LOW: i64, const HIGH: i64> Decode for Whole<LOW, HIGH> {
    fn decode(item: &Item, reader: &mut Reader) -> Option<Self> {
        let span = span_of(item);
        let expected = match HIGH {
            i64::MAX => format!("a whole number from {LOW}"),
            _ => format!("a whole number from {LOW} to {HIGH}"),
        };
        let DeValue::Integer(number) = item.get_ref() else {
            reader.wrong(item, expected);
            return None;
        };
        let value = i64::from_str_radix(number.as_str(), number.radix()).ok();
        let value = value.filter(|v| (LOW..=HIGH).contains(v));
        if value.is_none() {
            reader.refuse(item, "is out of range", expected);
        }
        Some(Self { value: value?, span })
    }
    fn schema(_: &mut Definitions) -> Json {
        json!({ "type": "integer", "minimum": LOW, "maximum": HIGH })
    }
}

/// The dimension of a scene: 2 or 3.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DimensionKey {
    pub value: usize,
}

impl Decode for DimensionKey {
    fn decode(item: &Item, reader: &mut Reader) -> Option<Self> {
        let value = match item.get_ref().as_integer().map(|n| (n.as_str(), n.radix())) {
            Some(("2", _)) => 2,
            Some(("3", _)) => 3,
            _ => {
                reader.refuse(item, "is out of range", "2 (the plane) or 3 (space)");
                return None;
            }
        };
        Some(Self { value })
    }
    fn schema(_: &mut Definitions) -> Json {
        json!({ "enum": [2, 3] })
    }
}
