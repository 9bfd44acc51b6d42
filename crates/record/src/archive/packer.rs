//! Writes the arrays of a `.npz` file one after another: only one of them is in memory at a time, and what packing
//! takes is kept from file to file.

use super::Array;
use super::batch::{Batch, replace_by};
use super::npz::{CENTRAL, DEFLATED, END, LOCAL, STORED};
use crate::RecordError;
use drystone_space::clear_seldom;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// 1 January 1980: files with the same content have the same bytes.
const DATE: u16 = 33;

/// Whoever takes named arrays: a list of them, or a file under way.
pub trait Arrays {
    /// Adds an array.
    fn push(&mut self, name: &str, array: Array);
}

/// Packs arrays into files.
#[derive(Debug)]
pub struct Packer {
    deflater: DeflateEncoder<Vec<u8>>,
    /// Room for what is packed next.
    room: Vec<u8>,
}

impl Default for Packer {
    fn default() -> Self {
        // Seeds of fuzzing are not packed: what is changed in them is then a number or a name.
        let effort = if cfg!(fuzzing) { Compression::none() } else { Compression::fast() };
        Self { deflater: DeflateEncoder::new(Vec::new(), effort), room: Vec::new() }
    }
}

impl Packer {
    /// Writes a file so that it is there as a whole or not at all; returns its size.
    pub fn write(
        &mut self,
        path: &Path,
        put: impl FnOnce(&mut dyn Arrays),
    ) -> Result<usize, RecordError> {
        replace_by(path, |file| self.pack_buffered(file, put))
    }

    /// Writes a file of a batch; returns its size.
    pub(crate) fn add(
        &mut self,
        batch: &mut Batch,
        name: &str,
        put: impl FnOnce(&mut dyn Arrays),
    ) -> Result<usize, RecordError> {
        batch.add(name, |file| self.pack_buffered(file, put))
    }

    fn pack_buffered(
        &mut self,
        file: &mut File,
        put: impl FnOnce(&mut dyn Arrays),
    ) -> io::Result<usize> {
        let mut file = BufWriter::new(file);
        let size = self.pack(&mut file, put)?;
        file.flush()?;
        Ok(size)
    }

    /// Writes what would be the file.
    pub(super) fn pack(
        &mut self,
        out: &mut dyn Write,
        put: impl FnOnce(&mut dyn Arrays),
    ) -> io::Result<usize> {
        let mut file =
            UnderWay { packer: self, out, size: 0, directory: Vec::new(), count: 0, ok: Ok(()) };
        put(&mut file);
        file.finish()
    }

    /// Packs an array, which then stands in the room; returns its checksum and its size before.
    fn deflate(&mut self, array: &Array) -> io::Result<(u32, usize)> {
        let mut plain =
            Plain { deflater: &mut self.deflater, sum: crc32fast::Hasher::new(), size: 0 };
        array.write_npy(&mut plain)?;
        let (sum, size) = (plain.sum.finalize(), plain.size);
        self.room = self.deflater.reset(std::mem::take(&mut self.room))?;
        Ok((sum, size))
    }
}

/// A file under way.
struct UnderWay<'a> {
    packer: &'a mut Packer,
    out: &'a mut dyn Write,
    size: usize,
    directory: Vec<u8>,
    count: u16,
    /// What went wrong first; after that nothing is written.
    ok: io::Result<()>,
}

impl Arrays for UnderWay<'_> {
    fn push(&mut self, name: &str, array: Array) {
        if self.ok.is_ok() {
            self.ok = self.add(name, &array);
        }
    }
}

impl UnderWay<'_> {
    fn add(&mut self, name: &str, array: &Array) -> io::Result<()> {
        let name = format!("{name}.npy");
        let (sum, plain) = self.packer.deflate(array)?;
        let mut room = std::mem::take(&mut self.packer.room);
        let smaller = room.len() < plain;
        let (method, packed) = if smaller { (DEFLATED, room.len()) } else { (STORED, plain) };
        let common = header(method, sum, small(packed)?, small(plain)?, &name);
        let offset = small(self.size)?;
        self.write(&LOCAL.to_le_bytes())?;
        self.write(&common)?;
        self.write(name.as_bytes())?;
        if smaller {
            self.out.write_all(&room)?;
        } else {
            array.write_npy(self.out)?;
        }
        self.size += packed;
        clear_seldom(&mut room);
        self.packer.room = room;
        self.directory.extend(CENTRAL.to_le_bytes());
        self.directory.extend(20u16.to_le_bytes());
        self.directory.extend(common);
        // Comment, disk, attributes: none.
        self.directory.extend([0; 10]);
        self.directory.extend(offset.to_le_bytes());
        self.directory.extend(name.bytes());
        self.count += 1;
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.size += bytes.len();
        self.out.write_all(bytes)
    }

    /// Writes the directory and returns the size of the file.
    fn finish(mut self) -> io::Result<usize> {
        std::mem::replace(&mut self.ok, Ok(()))?;
        let (start, directory) = (small(self.size)?, std::mem::take(&mut self.directory));
        self.write(&directory)?;
        self.write(&END.to_le_bytes())?;
        self.write(&[0; 4])?;
        self.write(&self.count.to_le_bytes().repeat(2))?;
        self.write(&small(directory.len())?.to_le_bytes())?;
        self.write(&start.to_le_bytes())?;
        self.write(&[0; 2])?;
        Ok(self.size)
    }
}

/// What an array is before it is packed: measured and summed up on its way.
struct Plain<'a> {
    deflater: &'a mut DeflateEncoder<Vec<u8>>,
    sum: crc32fast::Hasher,
    size: usize,
}

impl Write for Plain<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.deflater.write_all(bytes)?;
        self.sum.update(bytes);
        self.size += bytes.len();
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::Npz;

    fn put(arrays: &mut dyn Arrays) {
        arrays.push("even", Array::f64(vec![40_000], (0..40_000).map(f64::from).collect()));
        arrays.push("noise", Array::i64(vec![1], vec![0x1234_5678_9abc_def0]));
        arrays.push("names", Array::text(vec!["a".to_owned(), "b".to_owned()]));
    }

    /// What is left of one file shows in no other.
    #[test]
    fn a_packer_writes_the_same_bytes_again_and_again() {
        let mut packer = Packer::default();
        let files = [(); 3].map(|()| {
            let mut file = Vec::new();
            assert_eq!(packer.pack(&mut file, put).unwrap(), file.len());
            file
        });
        assert!(files[0] == files[1] && files[0] == files[2]);
        let read = Npz::decode(&files[0]).unwrap();
        assert_eq!(read, Npz::of(put));
        assert_eq!(read.encode().unwrap(), files[0]);
    }

    /// A disk that is full after some thousand bytes.
    struct Full(usize);

    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_packer_outlives_a_full_disk() {
        let (mut packer, mut whole) = (Packer::default(), Vec::new());
        packer.pack(&mut whole, put).unwrap();
        for room in [0, 3, 40, whole.len() / 2, whole.len() - 1] {
            let failed = packer.pack(&mut Full(room), put).unwrap_err();
            assert_eq!(failed.kind(), io::ErrorKind::StorageFull);
            let mut again = Vec::new();
            packer.pack(&mut again, put).unwrap();
            assert!(again == whole, "after {room} bytes");
        }
        packer.pack(&mut Full(whole.len()), put).unwrap();
    }
}
