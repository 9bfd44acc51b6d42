//! From a [`Problem`] to a file that other programs read.

use crate::matrix::{self, Storage};
use crate::store::NewStore;
use crate::{Error, Form, Problem, RecordedSolution};
use std::path::Path;

impl Problem {
    /// Writes the problem with its solution and guesses. A file of that name is replaced once the
    /// new one is whole.
    ///
    /// # Errors
    /// Where the file cannot be written, or the problem is too large for the layout.
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        NewStore::write(path, |store| self.fill(store))
    }

    fn fill(&self, store: &mut NewStore) -> Result<(), Error> {
        let group = self.kind().group();
        let key = |name: &str| format!("{group}/{name}");
        store.integers(&key("spacedim"), [self.dimension as i64])?;
        store.text(&key("info/title"), &self.info.title)?;
        store.text(&key("info/description"), &self.info.description)?;
        store.text(&key("info/math_info"), &self.info.math_info)?;
        store.reals(&key("vectors/mu"), &self.friction)?;
        if self.kind().rolls() {
            store.reals(&key("vectors/mu_r"), &self.rolling)?;
        }
        match &self.form {
            Form::Local { delassus, free, joints } => {
                store.reals(&key("vectors/q"), free)?;
                matrix::write(store, &key("W"), delassus, Storage::Rows)?;
                if let Some(joints) = joints {
                    store.reals(&key("vectors/s"), &joints.offset)?;
                    matrix::write(store, &key("V"), &joints.map, Storage::Triplets)?;
                    matrix::write(store, &key("R"), &joints.response, Storage::Triplets)?;
                }
            }
            Form::Global { mass, map, force, offset, joints } => {
                store.reals(&key("vectors/f"), force)?;
                store.reals(&key("vectors/w"), offset)?;
                matrix::write(store, &key("M"), mass, Storage::Triplets)?;
                matrix::write(store, &key("H"), map, Storage::Triplets)?;
                if let Some(joints) = joints {
                    store.reals(&key("vectors/b"), &joints.offset)?;
                    matrix::write(store, &key("G"), &joints.map, Storage::Triplets)?;
                }
            }
        }
        if let Some(solution) = &self.solution {
            answer(store, "solution", solution)?;
        }
        if !self.guesses.is_empty() {
            store.integers("guesses/number_of_guesses", [self.guesses.len() as i64])?;
        }
        for (index, guess) in self.guesses.iter().enumerate() {
            answer(store, &format!("guesses/{}", index + 1), guess)?;
        }
        Ok(())
    }
}

fn answer(store: &mut NewStore, group: &str, answer: &RecordedSolution) -> Result<(), Error> {
    for (name, values) in [("u", &answer.u), ("r", &answer.r), ("v", &answer.v), ("l", &answer.l)] {
        if !values.is_empty() {
            store.reals(&format!("{group}/{name}"), values)?;
        }
    }
    Ok(())
}
