//! Reading a record back, whole or damaged.

use super::columns::Columns;
use super::{About, Array, Arrays, Catalogue, Checkpoint, FORMAT, Frame, Npz, Recorded};
use crate::RecordError;
use crate::table;
use drystone_space::read_limited;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Columns of the table of frames.
pub(crate) const FRAME_COLUMNS: [&str; 4] = ["time", "step", "bodies", "contacts"];

/// The record of a run, for reading; the run may still go on.
#[derive(Clone, Debug)]
pub struct Archive {
    folder: PathBuf,
    about: About,
}

impl Archive {
    /// Opens the record in the directory of a run.
    pub fn open(directory: &Path) -> Result<Self, RecordError> {
        let folder = folder(directory);
        let path = folder.join("about.json");
        // The text among the arrays has a checksum; its copy is for people, and for need.
        let text = match recorded_text(&folder, "about") {
            Ok(text) => text,
            Err(_) => read_text(&path).map_err(|error| match error.kind() {
                io::ErrorKind::NotFound => RecordError::NoRecord {
                    path: directory.to_owned(),
                    why: format!("there is no {}", path.display()),
                },
                _ => RecordError::read(&path, error),
            })?,
        };
        let about: About = serde_json::from_str(&text)
            .map_err(|error| RecordError::damaged(&path, error.to_string()))?;
        if about.format != FORMAT {
            let why = format!("its format is `{}`, this program reads `{FORMAT}`", about.format);
            return Err(RecordError::NoRecord { path: directory.to_owned(), why });
        }
        Ok(Self { folder, about })
    }

    /// What a reader must know first.
    pub fn about(&self) -> &About {
        &self.about
    }
    /// The scene as it was run.
    pub fn scene(&self) -> Result<String, RecordError> {
        recorded_text(&self.folder, "scene")
    }
    /// Whether the copies of the scene's files are what was written; earlier versions did not write how to tell.
    pub fn check_kept(&self) -> Result<(), RecordError> {
        let npz = Npz::read(&self.folder.join("things.npz"))?;
        let sums = Columns(&npz).texts("kept").map(<[String]>::to_vec);
        super::kept::check_kept(&self.folder, &sums.unwrap_or_default())
    }
    /// The checkpoint from which the run can go on.
    pub fn checkpoint<S: Recorded>(&self) -> Result<Checkpoint<S>, RecordError> {
        Checkpoint::read(&self.folder)
    }
    /// Number of frames, damaged ones counted.
    pub fn len(&self) -> usize {
        frame_files(&self.folder).last().map_or(0, |(index, _)| index + 1)
    }
    /// Whether there is no frame yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// What bodies and boundaries are.
    pub fn catalogue<S: Recorded>(&self) -> Result<Catalogue<S>, RecordError> {
        let path = self.folder.join("things.npz");
        let npz = Npz::read(&path)?;
        Catalogue::decode(&npz).map_err(|why| RecordError::damaged(&path, why))
    }
    /// Time of each frame that is there.
    pub fn times(&self) -> Result<Vec<f64>, RecordError> {
        Ok(self.index()?.into_iter().map(|row| row[0]).collect())
    }
    /// Steps made until each frame that is there.
    pub fn steps(&self) -> Result<Vec<u64>, RecordError> {
        Ok(self.index()?.into_iter().map(|row| row[1] as u64).collect())
    }
    /// Rows of the table of frames; while a run goes on, it may be ahead of the frames.
    fn index(&self) -> Result<Vec<Vec<f64>>, RecordError> {
        let path = self.folder.join("frames.csv");
        let (columns, mut rows) = table::read(&path)?;
        if columns.iter().ne(FRAME_COLUMNS) {
            return Err(RecordError::damaged(&path, "its columns are those of another version"));
        }
        rows.truncate(self.len());
        Ok(rows)
    }
    /// Whether this is the catalogue of the record, number by number.
    pub fn is_made_of<S: Recorded>(&self, catalogue: &Catalogue<S>) -> Result<bool, RecordError> {
        let mut recorded = Compared { to: Npz::read(&self.folder.join("things.npz"))?, same: true };
        catalogue.put(&mut recorded);
        Ok(recorded.same)
    }
    /// A frame by its number, from 0.
    pub fn frame<S: Recorded>(&self, index: usize) -> Result<Frame<S>, RecordError> {
        let path = frame_path(&self.folder, index);
        let npz = Npz::read(&path)?;
        Frame::decode(&npz).map_err(|why| RecordError::damaged(&path, why))
    }
    /// All frames in the order of time, read one by one. One that is damaged or missing comes as an
    /// error, and the next ones follow.
    pub fn frames<S: Recorded>(&self) -> impl Iterator<Item = Result<Frame<S>, RecordError>> {
        (0..self.len()).map(|index| self.frame(index))
    }
}

/// The text of a file.
fn read_text(path: &Path) -> io::Result<String> {
    let bytes = read_limited(path)?;
    String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// A text that was recorded with the catalogue.
fn recorded_text(folder: &Path, name: &str) -> Result<String, RecordError> {
    let path = folder.join("things.npz");
    let npz = Npz::read(&path)?;
    match Columns(&npz).texts(name).map_err(|why| RecordError::damaged(&path, why))? {
        [text] => Ok(text.clone()),
        _ => Err(RecordError::damaged(&path, format!("array `{name}` is not one text"))),
    }
}

/// Where the record is in the directory of a run.
pub(crate) fn folder(directory: &Path) -> PathBuf {
    directory.join("record")
}

/// The file of a frame.
pub(crate) fn frame_path(folder: &Path, index: usize) -> PathBuf {
    folder.join(frame_name(index))
}

/// Its name.
pub(super) fn frame_name(index: usize) -> String {
    format!("{index:06}.npz")
}

/// The files of frames that are there, with their numbers, sorted.
pub(crate) fn frame_files(folder: &Path) -> Vec<(usize, PathBuf)> {
    let number = |path: &Path| {
        let stem = path.file_stem()?.to_str()?;
        let ours = path.extension()? == "npz" && stem.len() >= 6;
        if ours && stem.bytes().all(|b| b.is_ascii_digit()) { stem.parse().ok() } else { None }
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<(usize, PathBuf)> =
        entries.filter_map(|path| Some((number(&path)?, path))).collect();
    files.sort();
    files
}

/// Arrays that are compared with others of the same names.
struct Compared {
    to: Npz,
    same: bool,
}

impl Arrays for Compared {
    fn push(&mut self, name: &str, array: Array) {
        self.same &= self.to.get(name) == Some(&array);
    }
}
