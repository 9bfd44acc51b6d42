//! Named arrays in one file, as NumPy's `.npz`: a ZIP archive of `.npy` files, each deflated and
//! with its CRC-32.
//!
//! A file is written under another name, brought to the disk, and then given its name: a reader
//! finds all of it or none. Every array is checked when it is read. What is written is the plain
//! subset of ZIP that every tool reads: no ZIP64, no encryption, no data descriptors.

use super::array::Array;
use crate::RecordError;
use flate2::Compression;
use flate2::write::{DeflateDecoder, DeflateEncoder};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// Named arrays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Npz {
    arrays: Vec<(String, Array)>,
}

const LOCAL: u32 = 0x0403_4b50;
const CENTRAL: u32 = 0x0201_4b50;
const END: u32 = 0x0605_4b50;
/// Length of a local header, a central one and the end, without names.
const LENGTHS: [usize; 3] = [30, 46, 22];
const DEFLATED: u16 = 8;
const STORED: u16 = 0;
/// 1 January 1980: files with the same content have the same bytes.
const DATE: u16 = 33;

/// What the directory of an archive says of a member.
struct Member {
    name: String,
    method: u16,
    crc: u32,
    packed: usize,
    size: usize,
    offset: usize,
}

impl Npz {
    /// Adds an array.
    pub fn push(&mut self, name: &str, array: Array) {
        self.arrays.push((name.to_owned(), array));
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
        let mut directory = Vec::new();
        for (name, array) in &self.arrays {
            let name = format!("{name}.npy");
            let plain = array.to_npy();
            let crc = crc32fast::hash(&plain);
            let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(&plain)?;
            let deflated = encoder.finish()?;
            let smaller = deflated.len() < plain.len();
            let (method, packed) =
                if smaller { (DEFLATED, deflated) } else { (STORED, plain.clone()) };
            let common = header(method, crc, small(packed.len())?, small(plain.len())?, &name);
            let offset = small(file.len())?;
            file.extend(LOCAL.to_le_bytes());
            file.extend(&common);
            file.extend(name.bytes());
            file.extend(packed);
            directory.extend(CENTRAL.to_le_bytes());
            directory.extend(20u16.to_le_bytes());
            directory.extend(common);
            // Comment, disk, attributes: none.
            directory.extend([0; 10]);
            directory.extend(offset.to_le_bytes());
            directory.extend(name.bytes());
        }
        let start = small(file.len())?;
        let count = self.arrays.len() as u16;
        let size = small(directory.len())?;
        file.extend(directory);
        file.extend(END.to_le_bytes());
        file.extend([0; 4]);
        file.extend(count.to_le_bytes());
        file.extend(count.to_le_bytes());
        file.extend(size.to_le_bytes());
        file.extend(start.to_le_bytes());
        file.extend([0; 2]);
        Ok(file)
    }

    /// Writes the file so that it is there as a whole or not at all; returns its size.
    pub fn write(&self, path: &Path) -> Result<usize, RecordError> {
        let bytes = self.encode().map_err(|error| RecordError::write(path, error))?;
        replace(path, &bytes)?;
        Ok(bytes.len())
    }

    /// Reads a file whose arrays are all whole.
    pub fn read(path: &Path) -> Result<Self, RecordError> {
        let bytes = fs::read(path).map_err(|error| RecordError::read(path, error))?;
        Self::decode(&bytes).map_err(|why| RecordError::damaged(path, why))
    }

    /// The arrays of a file's bytes, or what is wrong with them.
    pub fn decode(bytes: &[u8]) -> Result<Self, String> {
        let mut arrays = Vec::new();
        let mut seen = BTreeMap::new();
        for member in
            directory(bytes).ok_or("it has no end: it was cut off, or is no ZIP archive")?
        {
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

/// Puts bytes in the place of a file: beside it first, and on the disk before it takes the name.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), RecordError> {
    let failed = |error| RecordError::write(path, error);
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".new");
    let beside = path.with_file_name(name);
    let written = File::create(&beside).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_data()
    });
    if let Err(error) = written {
        // On a full disk the rest of the file would be in the way.
        let _ = fs::remove_file(&beside);
        return Err(failed(error));
    }
    fs::rename(&beside, path).map_err(failed)?;
    match path.parent() {
        // Windows has no handles of folders; there the rename itself is all that can be done.
        Some(folder) if cfg!(unix) => {
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)
        }
        _ => Ok(()),
    }
}

/// What local and central headers share, from the version that is needed on.
fn header(method: u16, crc: u32, packed: u32, size: u32, name: &str) -> Vec<u8> {
    let mut header = Vec::with_capacity(26);
    for value in [20, 0, method, 0, DATE] {
        header.extend(u16::to_le_bytes(value));
    }
    for value in [crc, packed, size] {
        header.extend(value.to_le_bytes());
    }
    header.extend((name.len() as u16).to_le_bytes());
    header.extend([0; 2]);
    header
}

fn small(size: usize) -> io::Result<u32> {
    let large = || io::Error::new(io::ErrorKind::FileTooLarge, "a file of arrays ends at 4 GiB");
    u32::try_from(size).map_err(|_| large())
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
    match plain.len() == member.size && crc32fast::hash(&plain) == member.crc {
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
