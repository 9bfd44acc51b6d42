//! Vectors and rotations as columns of arrays, and back.

use super::{Array, Data, Npz, Recorded};
use drystone_space::{Pose, Vector};

/// Columns of one kind.
pub(super) fn vectors<V: Vector>(values: impl Iterator<Item = V>) -> Array {
    rows(V::LENGTH, values.map(|v| (0..V::LENGTH).map(move |i| v.get(i))))
}

pub(super) fn rotations<S: Recorded>(values: impl Iterator<Item = S::Rotation>) -> Array {
    rows(S::ROTATION.len(), values.map(S::rotation))
}

/// Rows of so many numbers.
fn rows(width: usize, rows: impl Iterator<Item: IntoIterator<Item = f64>>) -> Array {
    let numbers = flat(width, rows);
    let count = numbers.len() / width;
    Array::f64(if width == 1 { vec![count] } else { vec![count, width] }, numbers)
}

/// Rows of so many values, one after another, in a list that knows from the start how long it is to be.
pub(super) fn flat<T>(width: usize, rows: impl Iterator<Item: IntoIterator<Item = T>>) -> Vec<T> {
    let mut values = Vec::with_capacity(width * rows.size_hint().0);
    rows.for_each(|row| values.extend(row));
    values
}

/// Two whole numbers a row.
pub(super) fn pairs(rows: impl Iterator<Item = [i64; 2]>) -> Array {
    let numbers = flat(2, rows);
    Array::i64(vec![numbers.len() / 2, 2], numbers)
}

pub(super) fn whole(values: impl Iterator<Item = i64>) -> Array {
    let values: Vec<i64> = values.collect();
    Array::i64(vec![values.len()], values)
}

pub(super) fn flags(values: impl Iterator<Item = bool>) -> Array {
    bytes(values.map(u8::from))
}

pub(super) fn bytes(values: impl Iterator<Item = u8>) -> Array {
    let values: Vec<u8> = values.collect();
    Array::u8(vec![values.len()], values)
}

/// Reads columns; what is wrong is told by name.
pub(super) struct Columns<'a>(pub &'a Npz);

impl Columns<'_> {
    fn array(&self, name: &str) -> Result<&Array, String> {
        self.0.get(name).ok_or_else(|| format!("array `{name}` is missing"))
    }
    pub fn numbers(&self, name: &str) -> Result<&[f64], String> {
        match &self.array(name)?.data {
            Data::F64(values) => Ok(values),
            _ => Err(format!("array `{name}` does not hold numbers")),
        }
    }
    pub fn whole(&self, name: &str) -> Result<&[i64], String> {
        match &self.array(name)?.data {
            Data::I64(values) => Ok(values),
            _ => Err(format!("array `{name}` does not hold whole numbers")),
        }
    }
    pub fn bytes(&self, name: &str) -> Result<&[u8], String> {
        match &self.array(name)?.data {
            Data::U8(values) => Ok(values),
            _ => Err(format!("array `{name}` does not hold bytes")),
        }
    }
    pub fn texts(&self, name: &str) -> Result<&[String], String> {
        match &self.array(name)?.data {
            Data::Text(values) => Ok(values),
            _ => Err(format!("array `{name}` does not hold texts")),
        }
    }
    /// Exactly one number.
    pub fn number(&self, name: &str) -> Result<f64, String> {
        match self.numbers(name)? {
            &[value] => Ok(value),
            values => Err(format!("array `{name}` holds {} values, not one", values.len())),
        }
    }
    pub fn vectors<V: Vector>(&self, name: &str) -> Result<Vec<V>, String> {
        let numbers = self.numbers(name)?;
        even(name, numbers.len(), V::LENGTH)?;
        Ok(numbers.chunks_exact(V::LENGTH).map(|row| V::from_fn(|i| row[i])).collect())
    }
    pub fn poses<S: Recorded>(&self, prefix: &str) -> Result<Vec<Pose<S>>, String> {
        let positions = self.vectors::<S::Vector>(&format!("{prefix}position"))?;
        let name = format!("{prefix}rotation");
        let numbers = self.numbers(&name)?;
        even(&name, numbers.len(), S::ROTATION.len())?;
        let rotations = numbers.chunks_exact(S::ROTATION.len()).map(S::rotation_from);
        same(&name, rotations.len(), positions.len())?;
        let poses = positions.into_iter().zip(rotations);
        Ok(poses.map(|(position, rotation)| Pose { position, rotation }).collect())
    }
}

fn even(name: &str, count: usize, width: usize) -> Result<(), String> {
    let even = count.is_multiple_of(width);
    if even { Ok(()) } else { Err(format!("array `{name}`: {count} values for rows of {width}")) }
}

/// Checks that an array has as many rows as those that it belongs to.
pub(super) fn same(name: &str, found: usize, wanted: usize) -> Result<(), String> {
    match found == wanted {
        true => Ok(()),
        false => Err(format!("array `{name}` has {found} rows, not {wanted}")),
    }
}
