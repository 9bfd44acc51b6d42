//! Functions of time.

use crate::decode::{Decode, Definitions, Item, Reader, table};
use crate::plain::{Text, Whole};
use crate::quantity::{Angle, Frequency, NotNegative, Number, Rate, Time, Unit};
use crate::wrap::{Items, Pair};
use serde_json::{Value as Json, json};

table! {
    /// `mean + amplitude · sin(2π frequency t + phase)`.
    Sinusoid<U> as "a sinusoid" {
        /// Half the peak-to-peak value.
        amplitude: Number<U>,
        /// Turns per time.
        frequency: Number<Frequency, NotNegative>,
        /// Phase at time zero; default 0.
        phase: Option<Number<Angle>>,
        /// Mean value; default 0.
        mean: Option<Number<U>>,
    }
}

table! {
    /// Values at increasing times, linear between them and constant outside: from a CSV file or
    /// given here.
    Points<U> as "a table of values" {
        /// CSV file, its path relative to the scene; the first column is time.
        file: Option<Text>,
        /// Column of the values in the file, counted from 1; default 2.
        column: Option<Whole<2, 1000>>,
        /// Pairs `[time, value]`.
        points: Option<Items<Pair<Number<Time>, Number<U>>>>,
    }
}

table! {
    /// `amplitude · exp(rate t)`.
    Exponential<U> as "an exponential" {
        /// Value at time zero.
        amplitude: Number<U>,
        /// Growth per time; such as a true strain rate.
        rate: Number<Rate>,
    }
}

/// A number, or a function of time.
#[derive(Clone, Debug)]
pub(crate) enum SignalValue<U: Unit> {
    /// Always the same.
    Constant(Number<U>),
    /// `{ sinusoid = { … } }`.
    Sinusoid(Sinusoid<U>),
    /// `{ table = { … } }`.
    Table(Points<U>),
    /// `{ exponential = { … } }`.
    Exponential(Exponential<U>),
}

const KEYS: [&str; 3] = ["sinusoid", "table", "exponential"];
const TITLE: &str = "a function of time";

impl<U: Unit> Decode for SignalValue<U> {
    fn decode(item: &Item, reader: &mut Reader) -> Option<Self> {
        if !item.get_ref().is_table() {
            return Number::decode(item, reader).map(Self::Constant);
        }
        let (table, place) = reader.table(item, TITLE, &KEYS)?;
        if table.len() != 1 {
            reader.one_key(item, table.len(), TITLE, &KEYS);
            return None;
        }
        if table.contains_key("sinusoid") {
            return reader.field(table, "sinusoid", &place).map(Self::Sinusoid);
        }
        if table.contains_key("exponential") {
            return reader.field(table, "exponential", &place).map(Self::Exponential);
        }
        reader.field::<Option<_>>(table, "table", &place)?.map(Self::Table)
    }
    fn schema(definitions: &mut Definitions) -> Json {
        let one = |key: &str, schema: Json| {
            json!({
                "type": "object",
                "properties": { key: schema },
                "required": [key],
                "additionalProperties": false,
            })
        };
        let sinusoid = one("sinusoid", Sinusoid::<U>::schema(definitions));
        let table = one("table", Points::<U>::schema(definitions));
        let exponential = one("exponential", Exponential::<U>::schema(definitions));
        json!({ "anyOf": [Number::<U>::schema(definitions), sinusoid, table, exponential] })
    }
}
