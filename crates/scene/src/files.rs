//! Files that a scene names: tables of signals, meshes.
//!
//! What was read is handed on with the scene, so that a run can keep copies. A copy has a place of its
//! own, made from the name that the scene gives; with [`Folders::kept`] a scene is read from copies
//! first, wherever its own files have gone.

use drystone_space::read_limited;
use std::cell::RefCell;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

/// A file that a scene has read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneFile {
    /// Where a copy of it is kept, relative to the folder of all copies.
    pub place: PathBuf,
    /// What it says.
    pub text: String,
}

/// Where the files of a scene are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Folders<'a> {
    /// Folder of the scene; `None` if files may not be read.
    pub scene: Option<&'a Path>,
    /// Folder of copies, which are read first.
    pub kept: Option<&'a Path>,
    /// Files that are not on disk, by the place that a copy of each would have. They come before all others.
    pub given: &'a [SceneFile],
}

/// Reads the files of a scene and remembers them.
#[derive(Debug, Default)]
pub(crate) struct Files<'a> {
    folders: Folders<'a>,
    read: RefCell<Vec<SceneFile>>,
}

impl<'a> Files<'a> {
    pub fn new(folders: Folders<'a>) -> Self {
        Self { folders, read: RefCell::default() }
    }

    /// Whether files may be read at all.
    pub fn allowed(&self) -> bool {
        self.folders.scene.is_some() || self.folders.kept.is_some()
    }

    /// The file of this name that is not on disk, if there is one.
    fn given(&self, name: &str) -> Option<&SceneFile> {
        let place = place_of(name);
        self.folders.given.iter().find(|file| file.place == place)
    }

    /// Where a file of this name is.
    pub fn path(&self, name: &str) -> PathBuf {
        let kept = self.folders.kept.map(|folder| folder.join(place_of(name)));
        kept.filter(|path| path.exists())
            .unwrap_or_else(|| self.folders.scene.unwrap_or(Path::new("")).join(name))
    }

    /// The text of a file, which is kept.
    pub fn read(&self, name: &str) -> io::Result<String> {
        let text = String::from_utf8(self.read_bytes(name)?)
            .map_err(|e| io::Error::new(ErrorKind::InvalidData, e))?;
        self.keep(name, text.clone());
        Ok(text)
    }

    /// What is in a file; whoever reads it says by [`Self::keep`] what is kept of it.
    pub fn read_bytes(&self, name: &str) -> io::Result<Vec<u8>> {
        if let Some(file) = self.given(name) {
            return Ok(file.text.clone().into_bytes());
        }
        if !self.allowed() {
            return Err(io::Error::new(ErrorKind::PermissionDenied, "files may not be read here"));
        }
        read_limited(&self.path(name))
    }

    /// Keeps a text from which a file of this name can be read again.
    pub fn keep(&self, name: &str, text: String) {
        self.remember(SceneFile { place: place_of(name), text });
    }

    fn remember(&self, file: SceneFile) {
        let mut read = self.read.borrow_mut();
        if !read.contains(&file) {
            read.push(file);
        }
    }

    /// All files that were read.
    pub fn into_read(self) -> Vec<SceneFile> {
        self.read.into_inner()
    }
}

/// The place of a copy: the name without what could lead out of the folder.
fn place_of(name: &str) -> PathBuf {
    let part = |component: Component| match component {
        Component::Normal(name) => Some(PathBuf::from(name)),
        Component::ParentDir => Some(PathBuf::from("@up")),
        Component::RootDir => Some(PathBuf::from("@root")),
        Component::CurDir | Component::Prefix(_) => None,
    };
    Path::new(name).components().filter_map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_stay_in_their_folder() {
        assert_eq!(place_of("tables/quake.csv"), Path::new("tables/quake.csv"));
        assert_eq!(place_of("../a/./b.csv"), Path::new("@up/a/b.csv"));
        assert_eq!(place_of("/b.csv"), Path::new("@root/b.csv"));
    }
}
