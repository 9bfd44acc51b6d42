//! One array, as in a `.npy` file (version 1.0, little-endian, C order).

use std::io::{self, Write};

/// The numbers or texts of an array.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// `<f8`.
    F64(Vec<f64>),
    /// `<i8`.
    I64(Vec<i64>),
    /// `|u1`.
    U8(Vec<u8>),
    /// `<U…`: UCS-4, padded with zeros to the longest.
    Text(Vec<String>),
}

/// An array with its shape; a scalar has the empty shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Lengths of its axes.
    pub shape: Vec<usize>,
    /// Its values, last axis fastest.
    pub data: Data,
}

const MAGIC: &[u8] = b"\x93NUMPY\x01\x00";
/// Headers end at a multiple of this.
const ALIGNMENT: usize = 64;

impl Array {
    /// An array of numbers.
    pub fn f64(shape: Vec<usize>, values: Vec<f64>) -> Self {
        debug_assert_eq!(shape.iter().product::<usize>(), values.len());
        Self { shape, data: Data::F64(values) }
    }
    /// An array of whole numbers.
    pub fn i64(shape: Vec<usize>, values: Vec<i64>) -> Self {
        debug_assert_eq!(shape.iter().product::<usize>(), values.len());
        Self { shape, data: Data::I64(values) }
    }
    /// An array of bytes.
    pub fn u8(shape: Vec<usize>, values: Vec<u8>) -> Self {
        debug_assert_eq!(shape.iter().product::<usize>(), values.len());
        Self { shape, data: Data::U8(values) }
    }
    /// A list of texts.
    pub fn text(values: Vec<String>) -> Self {
        Self { shape: vec![values.len()], data: Data::Text(values) }
    }
    /// Length of the first axis; 1 for a scalar.
    pub fn len(&self) -> usize {
        self.shape.first().copied().unwrap_or(1)
    }
    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes what would be a `.npy` file.
    pub(super) fn write_npy(&self, out: &mut dyn Write) -> io::Result<()> {
        let width = match &self.data {
            Data::Text(texts) => texts.iter().map(|t| t.chars().count()).max().unwrap_or(0).max(1),
            _ => 0,
        };
        let kind = match &self.data {
            Data::F64(_) => "<f8".to_owned(),
            Data::I64(_) => "<i8".to_owned(),
            Data::U8(_) => "|u1".to_owned(),
            Data::Text(_) => format!("<U{width}"),
        };
        let shape: String = self.shape.iter().map(|n| format!("{n},")).collect();
        let text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}");
        let length = (MAGIC.len() + 2 + text.len() + 1).next_multiple_of(ALIGNMENT);
        let mut bytes = MAGIC.to_vec();
        bytes.extend(((length - MAGIC.len() - 2) as u16).to_le_bytes());
        bytes.extend(text.bytes());
        bytes.resize(length - 1, b' ');
        bytes.push(b'\n');
        out.write_all(&bytes)?;
        match &self.data {
            Data::F64(values) => in_blocks(values, |value| value.to_le_bytes(), out),
            Data::I64(values) => in_blocks(values, |value| value.to_le_bytes(), out),
            Data::U8(values) => out.write_all(values),
            Data::Text(texts) => {
                for text in texts {
                    let codes = text.chars().map(u32::from).chain(std::iter::repeat(0));
                    let padded: Vec<u8> = codes.take(width).flat_map(u32::to_le_bytes).collect();
                    out.write_all(&padded)?;
                }
                Ok(())
            }
        }
    }

    /// The array of a `.npy` file, or what is wrong with it.
    pub(super) fn from_npy(bytes: &[u8]) -> Result<Self, String> {
        let rest = bytes.strip_prefix(MAGIC).ok_or("no .npy file of version 1.0")?;
        let (length, rest) = rest.split_first_chunk::<2>().ok_or("cut off")?;
        let length = usize::from(u16::from_le_bytes(*length));
        let (header, body) = rest.split_at_checked(length).ok_or("cut off")?;
        let header = std::str::from_utf8(header).map_err(|_| "its header is no text")?;
        let (kind, shape) = parse(header).ok_or_else(|| format!("header `{}`", header.trim()))?;
        let count = shape.iter().try_fold(1usize, |n, &m| n.checked_mul(m)).ok_or("too large")?;
        let fits = |size: usize| match count.checked_mul(size) == Some(body.len()) {
            true => Ok(()),
            false => Err(format!("{} bytes for {count} values of {size}", body.len())),
        };
        let data = match kind {
            "<f8" => {
                fits(8)?;
                Data::F64(body.as_chunks().0.iter().map(|&b| f64::from_le_bytes(b)).collect())
            }
            "<i8" => {
                fits(8)?;
                Data::I64(body.as_chunks().0.iter().map(|&b| i64::from_le_bytes(b)).collect())
            }
            "|u1" => {
                fits(1)?;
                Data::U8(body.to_vec())
            }
            other => {
                let width: usize = other
                    .strip_prefix("<U")
                    .and_then(|n| n.parse().ok())
                    .filter(|&n| n > 0)
                    .ok_or_else(|| format!("type `{other}`"))?;
                fits(width.checked_mul(4).ok_or("too large")?)?;
                Data::Text(body.chunks_exact(4 * width).map(text).collect())
            }
        };
        Ok(Self { shape, data })
    }
}

/// Writes numbers, some thousand at a time.
fn in_blocks<T: Copy>(
    values: &[T],
    bytes: impl Fn(T) -> [u8; 8],
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut block = [[0; 8]; 1024];
    for values in values.chunks(block.len()) {
        for (place, &value) in block.iter_mut().zip(values) {
            *place = bytes(value);
        }
        out.write_all(block[..values.len()].as_flattened())?;
    }
    Ok(())
}

/// Type and shape of a header.
fn parse(header: &str) -> Option<(&str, Vec<usize>)> {
    let kind = header.split_once("'descr': '")?.1.split_once('\'')?.0;
    if !header.contains("'fortran_order': False") {
        return None;
    }
    let shape = header.split_once("'shape': (")?.1.split_once(')')?.0;
    let axes = shape.split(',').map(str::trim).filter(|axis| !axis.is_empty());
    Some((kind, axes.map(|axis| axis.parse().ok()).collect::<Option<_>>()?))
}

/// The text of some UCS-4 codes, without the zeros at its end.
fn text(codes: &[u8]) -> String {
    let codes = codes.as_chunks().0.iter().map(|&b| u32::from_le_bytes(b));
    let text: String =
        codes.map(|code| char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    text.trim_end_matches('\0').to_owned()
}
