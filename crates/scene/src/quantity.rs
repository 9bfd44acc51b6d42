//! Numbers with a unit and a range, vectors of them, and plain values.
//!
//! A file may state its own units; numbers are converted to SI as they are read. A unit is
//! `length^a · mass^b · time^c · angle^d`; its type fixes the exponents.

use crate::decode::{Decode, Definitions, Item, Reader, keyword, span_of, table};
use crate::report::{Draft, Span};
use serde_json::{Value as Json, json};
use std::fmt::Debug;
use std::marker::PhantomData;
use toml::de::DeValue;

keyword! {
    /// Unit of length.
    LengthUnit {
        /// metre
        "m": Metre,
        /// kilometre
        "km": Kilometre,
        /// centimetre
        "cm": Centimetre,
        /// millimetre
        "mm": Millimetre,
        /// micrometre
        "um": Micrometre,
    }
}
keyword! {
    /// Unit of mass.
    MassUnit {
        /// kilogram
        "kg": Kilogram,
        /// tonne
        "t": Tonne,
        /// gram
        "g": Gram,
        /// milligram
        "mg": Milligram,
    }
}
keyword! {
    /// Unit of time.
    TimeUnit {
        /// second
        "s": Second,
        /// millisecond
        "ms": Millisecond,
        /// microsecond
        "us": Microsecond,
    }
}
keyword! {
    /// Unit of angle.
    AngleUnit {
        /// radian
        "rad": Radian,
        /// degree
        "deg": Degree,
    }
}
table! {
    /// Units of all numbers of the file; SI where not stated. Derived units follow: with `length =
    /// "cm"` and `time = "ms"` a velocity is in cm/ms.
    UnitsTable as "[units]" {
        /// Unit of length; default `m`.
        length: Option<LengthUnit>,
        /// Unit of mass; default `kg`.
        mass: Option<MassUnit>,
        /// Unit of time; default `s`.
        time: Option<TimeUnit>,
        /// Unit of angle; default `rad`.
        angle: Option<AngleUnit>,
    }
}

/// The SI values of the file's units: length, mass, time, angle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Units([f64; 4]);

impl Default for Units {
    fn default() -> Self {
        Self([1.0; 4])
    }
}

impl Units {
    pub fn new(table: &UnitsTable) -> Self {
        let length = match table.length.unwrap_or(LengthUnit::Metre) {
            LengthUnit::Metre => 1.0,
            LengthUnit::Kilometre => 1e3,
            LengthUnit::Centimetre => 1e-2,
            LengthUnit::Millimetre => 1e-3,
            LengthUnit::Micrometre => 1e-6,
        };
        let mass = match table.mass.unwrap_or(MassUnit::Kilogram) {
            MassUnit::Kilogram => 1.0,
            MassUnit::Tonne => 1e3,
            MassUnit::Gram => 1e-3,
            MassUnit::Milligram => 1e-6,
        };
        let time = match table.time.unwrap_or(TimeUnit::Second) {
            TimeUnit::Second => 1.0,
            TimeUnit::Millisecond => 1e-3,
            TimeUnit::Microsecond => 1e-6,
        };
        let angle = match table.angle.unwrap_or(AngleUnit::Radian) {
            AngleUnit::Radian => 1.0,
            AngleUnit::Degree => std::f64::consts::PI / 180.0,
        };
        Self([length, mass, time, angle])
    }
    /// A number of the file in SI units. Whole powers are products, so that exact factors stay so.
    pub fn si<U: Unit>(&self, number: f64, dimension: usize) -> f64 {
        let exponents = U::exponents(dimension as i32);
        self.0.iter().zip(exponents).fold(number, |value, (&unit, exponent)| {
            (0..exponent.abs()).fold(value, |value, _| match exponent > 0 {
                true => value * unit,
                false => value / unit,
            })
        })
    }
}

/// What a number measures.
pub(crate) trait Unit: Clone + Debug + 'static {
    /// Name in the schema's definitions.
    const NAME: &'static str;
    /// SI symbol.
    const SYMBOL: &'static str;
    /// Largest magnitude that is taken seriously, in SI.
    const LARGEST: f64 = 1e30;
    /// Smallest positive number that is taken seriously, in SI.
    const SMALLEST: f64 = 1e-30;
    /// Exponents of length, mass, time and angle in a scene of 2 or 3 dimensions.
    fn exponents(dimension: i32) -> [i32; 4];
}

macro_rules! units {
    ($($name:ident $symbol:literal $exponents:expr $(, $smallest:literal..$largest:literal)?;)*) => {$(
        #[doc = concat!("In ", $symbol, ".")]
        #[derive(Clone, Debug)]
        pub(crate) struct $name;
        impl Unit for $name {
            const NAME: &'static str = stringify!($name);
            const SYMBOL: &'static str = $symbol;
            $( const SMALLEST: f64 = $smallest; const LARGEST: f64 = $largest; )?
            fn exponents(dimension: i32) -> [i32; 4] {
                let exponents: fn(i32) -> [i32; 4] = $exponents;
                exponents(dimension)
            }
        }
    )*};
}
units! {
    Pure "no unit" |_| [0; 4];
    Length "m" |_| [1, 0, 0, 0], 1e-9..1e9;
    Time "s" |_| [0, 0, 1, 0], 1e-12..1e12;
    Mass "kg" |_| [0, 1, 0, 0];
    Angle "rad" |_| [0, 0, 0, 1], 1e-12..1e6;
    Velocity "m/s" |_| [1, 0, -1, 0], 1e-12..1e9;
    Spin "rad/s" |_| [0, 0, -1, 1], 1e-12..1e9;
    Acceleration "m/s²" |_| [1, 0, -2, 0], 1e-12..1e12;
    Force "N" |_| [1, 1, -2, 0];
    Viscosity "N·s/m" |_| [0, 1, -1, 0];
    Impulse "N·s" |_| [1, 1, -1, 0];
    AngularImpulse "N·m·s" |_| [2, 1, -1, 0];
    Stiffness "N/m" |_| [0, 1, -2, 0];
    QuadraticDrag "N·s²/m²" |_| [-1, 1, 0, 0];
    SpinDrag "N·m·s" |_| [2, 1, -1, 0];
    Energy "J" |_| [2, 1, -2, 0];
    Torque "N·m" |_| [2, 1, -2, 0];
    Inertia "kg·m²" |_| [2, 1, 0, 0];
    Density "kg/m² in the plane, kg/m³ in space" |d| [-d, 1, 0, 0];
    MassDensity "kg/m³" |_| [-3, 1, 0, 0];
    Pressure "Pa" |_| [-1, 1, -2, 0];
    WallPressure "N/m in the plane, Pa in space" |d| [2 - d, 1, -2, 0];
    BondStiffness "N/m² in the plane, N/m³ in space" |d| [1 - d, 1, -2, 0];
    BondEnergy "J/m in the plane, J/m² in space" |d| [3 - d, 1, -2, 0];
    Area "m in the plane, m² in space" |d| [d - 1, 0, 0, 0];
    Frequency "Hz" |_| [0, 0, -1, 0], 1e-12..1e9;
    Rate "1/s" |_| [0, 0, -1, 0], 1e-12..1e9;
}

/// Which numbers are allowed.
pub(crate) trait Range: Clone + Debug + 'static {
    /// As messages say it.
    const TEXT: &'static str;
    /// Whether a finite number is allowed; `smallest` is that of its unit.
    fn holds(number: f64, smallest: f64) -> bool;
    /// Adds the range to a schema.
    fn describe(schema: &mut Json);
}

macro_rules! ranges {
    ($($name:ident $text:literal $holds:expr, $($key:literal $bound:literal)*;)*) => {$(
        #[doc = $text]
        #[derive(Clone, Debug)]
        pub(crate) struct $name;
        impl Range for $name {
            const TEXT: &'static str = $text;
            fn holds(number: f64, smallest: f64) -> bool {
                let holds: fn(f64, f64) -> bool = $holds;
                holds(number, smallest)
            }
            fn describe(_schema: &mut Json) {
                $( _schema[$key] = json!($bound); )*
            }
        }
    )*};
}
ranges! {
    Any "a number" |_, _| true,;
    Positive "a positive number" |x, smallest| x >= smallest, "exclusiveMinimum" 0.0;
    NotNegative "a number that is zero or more" |x, _| x >= 0.0, "minimum" 0.0;
    Exponent "a number from 1 to 3" |x, _| (1.0..=3.0).contains(&x), "minimum" 1.0 "maximum" 3.0;
    Fraction "a number from 0 to 1" |x, _| (0.0..=1.0).contains(&x), "minimum" 0.0 "maximum" 1.0;
    Tolerance "a positive number up to 1" |x, s| x >= s && x <= 1.0, "exclusiveMinimum" 0.0 "maximum" 1.0;
    Relaxation "a number between 0 and 2, both excluded" |x, s| x >= s && x < 2.0,
        "exclusiveMinimum" 0.0 "exclusiveMaximum" 2.0;
}

/// A number in SI units, with its place.
#[derive(Clone, Debug)]
pub(crate) struct Number<U, R = Any> {
    pub value: f64,
    pub span: Span,
    kind: PhantomData<(U, R)>,
}

/// The unit as messages show it; nothing for pure numbers, and if the file has its own units.
fn in_unit<U: Unit>(units: &Units) -> String {
    match U::exponents(3) == [0; 4] || units.0 != [1.0; 4] {
        true => String::new(),
        false => format!(" ({})", U::SYMBOL),
    }
}

/// The number that stands in the file.
fn raw(item: &Item) -> Option<f64> {
    match item.get_ref() {
        DeValue::Integer(n) => i128::from_str_radix(n.as_str(), n.radix()).ok().map(|n| n as f64),
        DeValue::Float(x) => x.as_str().parse().ok(),
        _ => None,
    }
}

impl<U: Unit, R: Range> Decode for Number<U, R> {
    fn decode(item: &Item, reader: &mut Reader) -> Option<Self> {
        let span = span_of(item);
        let Some(number) = raw(item) else {
            reader.wrong(item, format!("{}{}", R::TEXT, in_unit::<U>(&reader.units)));
            return None;
        };
        let value = reader.units.si::<U>(number, reader.dimension.unwrap_or(3));
        let limits = (value.abs() <= U::LARGEST)
            .then_some(())
            .ok_or_else(|| format!("a number no larger than {:e} {}", U::LARGEST, U::SYMBOL));
        let expected = match limits {
            Ok(()) if R::holds(value, U::SMALLEST) => {
                return Some(Self { value, span, kind: PhantomData });
            }
            Ok(()) if number > 0.0 && R::holds(1.0, U::SMALLEST) && value < U::SMALLEST => {
                format!("{} of at least {:e} {}", R::TEXT, U::SMALLEST, U::SYMBOL)
            }
            Ok(()) => format!("{}{}", R::TEXT, in_unit::<U>(&reader.units)),
            Err(text) if number.is_finite() => text,
            Err(_) => format!("{} that is finite{}", R::TEXT, in_unit::<U>(&reader.units)),
        };
        reader.refuse(item, "is out of range", expected);
        None
    }
    fn schema(_: &mut Definitions) -> Json {
        let mut schema = json!({ "type": "number", "description": format!("[{}]", U::SYMBOL) });
        R::describe(&mut schema);
        schema
    }
}

/// Components in SI units, with their place: as many as the scene has dimensions.
#[derive(Clone, Debug)]
pub(crate) struct Vector<U, R = Any> {
    pub values: [f64; 3],
    pub span: Span,
    kind: PhantomData<(U, R)>,
}

/// The components of a list, if it has as many as it should.
fn components<U: Unit, R: Range>(
    item: &Item,
    count: usize,
    reader: &mut Reader,
) -> Option<[f64; 3]> {
    let DeValue::Array(array) = item.get_ref() else {
        reader.wrong(item, format!("a list of {count} numbers{}", in_unit::<U>(&reader.units)));
        return None;
    };
    let mut values = [0.0; 3];
    let mut good = true;
    for (item, value) in array.iter().zip(&mut values) {
        match Number::<U, R>::decode(item, reader) {
            Some(number) => *value = number.value,
            None => good = false,
        }
    }
    if array.len() != count {
        let expected = match reader.dimension {
            Some(d) => format!(
                "{count} numbers{} in a scene of dimension {d}",
                in_unit::<U>(&reader.units)
            ),
            None => format!("2 or 3 numbers{}", in_unit::<U>(&reader.units)),
        };
        reader.refuse(item, "is a list of the wrong length", expected);
        return None;
    }
    good.then_some(values)
}

impl<U: Unit, R: Range> Decode for Vector<U, R> {
    fn decode(item: &Item, reader: &mut Reader) -> Option<Self> {
        // Without a dimension either length is right: that the dimension is missing is said once.
        let given = item.get_ref().as_array().map_or(0, |array| array.len());
        let count = reader.dimension.unwrap_or(given.clamp(2, 3));
        let values = components::<U, R>(item, count, reader)?;
        Some(Self { values, span: span_of(item), kind: PhantomData })
    }
    fn schema(definitions: &mut Definitions) -> Json {
        let items = Number::<U, R>::schema(definitions);
        let unit = format!("[{}]", U::SYMBOL);
        json!({ "type": "array", "items": items, "minItems": 2, "maxItems": 3, "description": unit })
    }
}

/// A spin, torque or moment of inertia: one number in the plane, three in space.
#[derive(Clone, Debug)]
pub(crate) struct Axial<U, R = Any> {
    pub values: [f64; 3],
    pub span: Span,
    kind: PhantomData<(U, R)>,
}

impl<U: Unit, R: Range> Decode for Axial<U, R> {
    fn decode(item: &Item, reader: &mut Reader) -> Option<Self> {
        let planar = reader.dimension.unwrap_or(if item.get_ref().is_array() { 3 } else { 2 }) == 2;
        let values = match planar {
            true => [Number::<U, R>::decode(item, reader)?.value, 0.0, 0.0],
            false => components::<U, R>(item, 3, reader)?,
        };
        Some(Self { values, span: span_of(item), kind: PhantomData })
    }
    fn schema(definitions: &mut Definitions) -> Json {
        let number = Number::<U, R>::schema(definitions);
        let three = json!({ "type": "array", "items": number, "minItems": 3, "maxItems": 3 });
        let unit = format!("A number in the plane, three in space. [{}]", U::SYMBOL);
        json!({ "anyOf": [number, three], "description": unit })
    }
}

table! {
    /// An axis and an angle about it.
    AxisAngle as "an axis with an angle" {
        /// The axis; its length does not matter.
        axis: Vector<Pure>,
        /// The angle, counter-clockwise seen against the axis.
        angle: Number<Angle>,
    }
}

/// A rotation: an angle in the plane, a rotation vector or an axis with an angle in space.
#[derive(Clone, Debug)]
pub(crate) struct Rotation {
    pub values: [f64; 3],
}

impl Decode for Rotation {
    fn decode(item: &Item, reader: &mut Reader) -> Option<Self> {
        if reader.dimension != Some(3) || !item.get_ref().is_table() {
            return Axial::<Angle>::decode(item, reader).map(|a| Self { values: a.values });
        }
        let AxisAngle { axis, angle, .. } = AxisAngle::decode(item, reader)?;
        let length = axis.values.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length < Pure::SMALLEST {
            let draft = Draft::error(axis.span, "axis of length zero").found("zeros");
            reader.problems.push(draft.expected("a direction, such as [0, 0, 1]"));
            return None;
        }
        Some(Self { values: axis.values.map(|x| x / length * angle.value) })
    }
    fn schema(definitions: &mut Definitions) -> Json {
        let axial = Axial::<Angle>::schema(definitions);
        json!({ "anyOf": [axial, AxisAngle::schema(definitions)] })
    }
}
