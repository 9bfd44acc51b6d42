//! Named arrays in one file, as NumPy's `.npz`: a ZIP archive of `.npy` files, each deflated and
//! with its CRC-32.
//!
//! A file is written under another name, brought to the disk, and then given its name: a reader
//! finds all of it or none. Every array is checked when it is read. What is written is the plain
//! subset of ZIP that every tool reads: no ZIP64, no encryption, no data descriptors.

use super::{Array, Arrays, Packer};
use crate::RecordError;
use drystone_space::Limit;
use flate2::write::DeflateDecoder;
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// Named arrays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Npz {
    arrays: Vec<(String, Array)>,
}

pub(super) const LOCAL: u32 = 0x0403_4b50;
pub(super) const CENTRAL: u32 = 0x0201_4b50;
pub(super) const END: u32 = 0x0605_4b50;
/// Length of a local header, a central one and the end, without names.
const LENGTHS: [usize; 3] = [30, 46, 22];
pub(super) const DEFLATED: u16 = 8;
pub(super) const STORED: u16 = 0;

/// What the directory of an archive says of a member.
struct Member {
    name: String,
    method: u16,
    crc: u32,
    packed: usize,
    size: usize,
    offset: usize,
}

impl Arrays for Npz {
    fn push(&mut self, name: &str, array: Array) {
        self.arrays.push((name.to_owned(), array));
    }
}

impl Npz {
    /// The arrays that `put` puts.
    pub fn of(put: impl FnOnce(&mut dyn Arrays)) -> Self {
        let mut npz = Self::default();
        put(&mut npz);
        npz
    }
    /// The names, in the order of the file.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.arrays.iter().map(|(name, _)| name.as_str())
    }
    /// An array by its name.
    pub fn get(&self, name: &str) -> Option<&Array> {
        self.arrays.iter().find(|(n, _)| n == name).map(|(_, array)| array)
    }

    /// The bytes of the file.
    pub fn encode(&self) -> io::Result<Vec<u8>> {
        let mut file = Vec::new();
        Packer::default().pack(&mut file, |arrays| self.put(arrays))?;
        Ok(file)
    }

    fn put(&self, arrays: &mut dyn Arrays) {
        self.arrays.iter().for_each(|(name, array)| arrays.push(name, array.clone()));
    }

    /// Reads a file whose arrays are all whole.
    pub fn read(path: &Path) -> Result<Self, RecordError> {
        let bytes = bytes_of(path).map_err(|error| RecordError::read(path, error))?;
        Self::decode(&bytes).map_err(|why| RecordError::damaged(path, why))
    }

    /// The arrays of a file's bytes, or what is wrong with them.
    pub fn decode(bytes: &[u8]) -> Result<Self, String> {
        let mut arrays = Vec::new();
        let mut seen = BTreeMap::new();
        let members =
            directory(bytes).ok_or("it has no end: it was cut off, or is no ZIP archive")?;
        let (whole, most) =
            (members.iter().map(|m| m.size as u64).sum::<u64>(), Limit::Memory.value());
        if whole > most {
            let advice = Limit::Memory.advice();
            return Err(format!(
                "its arrays are {whole} bytes, at most {most} are taken in: {advice}"
            ));
        }
        for member in members {
            let name = member.name.trim_end_matches(".npy").to_owned();
            let plain = unpack(bytes, &member).map_err(|why| format!("array `{name}`: {why}"))?;
            let array = Array::from_npy(&plain).map_err(|why| format!("array `{name}`: {why}"))?;
            if seen.insert(name.clone(), ()).is_some() {
                return Err(format!("array `{name}` is there twice"));
            }
            arrays.push((name, array));
        }
        Ok(Self { arrays })
    }
}

/// The bytes of an ordinary file that memory holds: frames of many bodies are larger than what users write.
fn bytes_of(path: &Path) -> io::Result<Vec<u8>> {
    let about = fs::metadata(path)?;
    let most = Limit::Memory.value();
    if !about.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not an ordinary file"));
    }
    if about.len() > most {
        let advice = Limit::Memory.advice();
        let message = format!("{} bytes, at most {most} are read: {advice}", about.len());
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    fs::read(path)
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// The members that the directory names; `None` if there is no whole directory.
fn directory(bytes: &[u8]) -> Option<Vec<Member>> {
    let end = bytes.len().checked_sub(LENGTHS[2])?;
    if u32_at(bytes, end)? != END {
        return None;
    }
    let count = u16_at(bytes, end + 10)?;
    let mut at = u32_at(bytes, end + 16)? as usize;
    let mut members = Vec::new();
    for _ in 0..count {
        if u32_at(bytes, at)? != CENTRAL {
            return None;
        }
        let name_length = usize::from(u16_at(bytes, at + 28)?);
        let extra = usize::from(u16_at(bytes, at + 30)?) + usize::from(u16_at(bytes, at + 32)?);
        let name = bytes.get(at + LENGTHS[1]..at + LENGTHS[1] + name_length)?;
        members.push(Member {
            name: String::from_utf8(name.to_vec()).ok()?,
            method: u16_at(bytes, at + 10)?,
            crc: u32_at(bytes, at + 16)?,
            packed: u32_at(bytes, at + 20)? as usize,
            size: u32_at(bytes, at + 24)? as usize,
            offset: u32_at(bytes, at + 42)? as usize,
        });
        at += LENGTHS[1] + name_length + extra;
    }
    (at == end).then_some(members)
}

fn unpack(bytes: &[u8], member: &Member) -> Result<Vec<u8>, String> {
    let packed = || {
        if u32_at(bytes, member.offset)? != LOCAL {
            return None;
        }
        let name = usize::from(u16_at(bytes, member.offset + 26)?);
        let extra = usize::from(u16_at(bytes, member.offset + 28)?);
        let start = member.offset + LENGTHS[0] + name + extra;
        if bytes.get(member.offset + LENGTHS[0]..)?.get(..name)? != member.name.as_bytes() {
            return None;
        }
        bytes.get(start..start.checked_add(member.packed)?)
    };
    let packed = packed().ok_or("its bytes are not where they should be")?;
    let plain = match member.method {
        STORED => packed.to_vec(),
        DEFLATED => inflate(packed, member.size)?,
        other => return Err(format!("packed by method {other}, only deflate is read")),
    };
    // Behind checksums fuzzing would find nothing.
    let whole = cfg!(fuzzing) || crc32fast::hash(&plain) == member.crc;
    match plain.len() == member.size && whole {
        true => Ok(plain),
        false => Err("its checksum does not fit: bytes were changed".to_owned()),
    }
}

/// Inflates, but no further than the size that was stated.
fn inflate(packed: &[u8], size: usize) -> Result<Vec<u8>, String> {
    struct Limited(Vec<u8>, usize);
    impl Write for Limited {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.0.len() + bytes.len() > self.1 {
                return Err(io::Error::other("it is longer than stated"));
            }
            self.0.extend(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut decoder = DeflateDecoder::new(Limited(Vec::new(), size));
    let failed = |error: io::Error| format!("it cannot be inflated: {error}");
    decoder.write_all(packed).map_err(failed)?;
    Ok(decoder.finish().map_err(failed)?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Npz {
        let mut npz = Npz::default();
        let numbers = (0..500).map(|i| f64::from(i % 7)).collect();
        npz.push("numbers", Array::f64(vec![250, 2], numbers));
        npz.push("noise", Array::f64(vec![3], vec![0.1, f64::NAN, -f64::INFINITY]));
        npz.push("names", Array::text(["a", "Ünïcode", ""].map(str::to_owned).to_vec()));
        npz.push("bytes", Array::u8(vec![], vec![7]));
        npz.push("nothing", Array::i64(vec![0, 3], vec![]));
        npz
    }

    #[test]
    fn what_is_written_reads_back() {
        let bytes = sample().encode().unwrap();
        let read = Npz::decode(&bytes).unwrap();
        assert_eq!(read.encode().unwrap(), bytes);
        assert_eq!(read.names().collect::<Vec<_>>(), sample().names().collect::<Vec<_>>());
        assert_eq!(read.get("names"), sample().get("names"));
        assert!(bytes.len() < 2500, "{} bytes", bytes.len());
    }

    /// A change of any byte of the packed arrays, and any cut, is noticed; nothing panics.
    #[test]
    fn damage_is_noticed_wherever_it_is() {
        let whole = sample().encode().unwrap();
        for length in 0..whole.len() {
            assert!(Npz::decode(&whole[..length]).is_err(), "cut at {length}");
        }
        let mut unnoticed = 0;
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x10;
            match Npz::decode(&bytes) {
                // Dates and attributes are not read; all that is read is what was written.
                Ok(read) => {
                    assert_eq!(read.encode().unwrap(), whole, "byte {at} was changed unnoticed");
                    unnoticed += 1;
                }
                Err(why) => assert!(!why.is_empty()),
            }
        }
        assert!(unnoticed < whole.len() / 4, "{unnoticed} of {} bytes", whole.len());
    }
}
