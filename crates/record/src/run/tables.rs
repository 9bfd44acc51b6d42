//! The tables of a run, which grow together.

use super::Settings;
use super::columns::{body_cells, body_columns, boundary_cells, boundary_columns};
use super::columns::{cell_cells, cell_columns};
use super::columns::{joint_cells, joint_columns};
use super::columns::{membrane_cells, membrane_columns};
use super::curves::{LEDGER, STEPS};
use super::memory::Peaks;
use crate::RecordError;
use crate::archive::{FRAME_COLUMNS, Frame, Recorded, at_once};
use crate::table::Table;
use drystone_engine::World;
use std::collections::BTreeMap;
use std::path::Path;

/// The tables of a run.
pub(super) struct Tables {
    ledger: Table,
    steps: Table,
    frames: Option<Table>,
    boundaries: Option<Table>,
    bodies: Option<Table>,
    joints: Option<Table>,
    cell: Option<Table>,
    membranes: Option<Table>,
}

/// The table of frames, in the directory of a run.
const FRAMES: &str = "record/frames.csv";

impl Tables {
    /// Makes tables with their headers only.
    pub fn create<S: Recorded>(
        directory: &Path,
        world: &World<S>,
        settings: &Settings<S>,
    ) -> Result<Self, RecordError> {
        let table = |name: &str, columns: Vec<String>| {
            let mut all = vec!["time".to_owned()];
            all.extend(columns);
            Table::create(directory.join(name), &all)
        };
        let optional = |name: &str, columns: Vec<String>| {
            if columns.is_empty() { Ok(None) } else { table(name, columns).map(Some) }
        };
        let frames = || Table::create(directory.join(FRAMES), &FRAME_COLUMNS.map(str::to_owned));
        let frames = settings.record.then(frames);
        Ok(Self {
            ledger: table("ledger.csv", LEDGER.iter().map(|(n, _)| (*n).to_owned()).collect())?,
            steps: table("steps.csv", STEPS.iter().map(|(n, _)| (*n).to_owned()).collect())?,
            frames: frames.transpose()?,
            boundaries: optional("boundaries.csv", boundary_columns(world))?,
            bodies: optional("bodies.csv", body_columns::<S>(&settings.track))?,
            joints: optional("joints.csv", joint_columns(world))?,
            cell: optional("cell.csv", cell_columns(world))?,
            membranes: optional("membranes.csv", membrane_columns(world))?,
        })
    }

    /// Opens tables that were left at these lengths, see [`Tables::sync`].
    /// Checksums are those of earlier versions where none are known.
    pub fn reopen(
        directory: &Path,
        lengths: &BTreeMap<String, u64>,
        sums: &BTreeMap<String, u32>,
    ) -> Result<Self, RecordError> {
        let optional = |name: &str| {
            let path = directory.join(name);
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let (length, sum) = (lengths.get(name), sums.get(name).copied());
            length.map(|&length| Table::reopen(path.clone(), length, sum)).transpose()
        };
        let table = |name: &str| {
            let missing = || RecordError::damaged(&directory.join(name), "it was not checkpointed");
            optional(name)?.ok_or_else(missing)
        };
        Ok(Self {
            ledger: table("ledger.csv")?,
            steps: table("steps.csv")?,
            frames: Some(table(FRAMES)?),
            boundaries: optional("boundaries.csv")?,
            bodies: optional("bodies.csv")?,
            joints: optional("joints.csv")?,
            cell: optional("cell.csv")?,
            membranes: optional("membranes.csv")?,
        })
    }

    /// Adds a row to each.
    pub fn row<S: Recorded>(
        &mut self,
        world: &World<S>,
        ledger: &[f64],
        steps: Peaks,
        track: &[String],
    ) -> Result<(), RecordError> {
        let time = std::iter::once(Some(world.time()));
        self.ledger.row(time.clone().chain(ledger.iter().copied().map(Some)))?;
        self.steps.row(time.clone().chain(steps.map(Some)))?;
        if let Some(table) = &mut self.boundaries {
            table.row(time.clone().chain(boundary_cells(world)))?;
        }
        if let Some(table) = &mut self.bodies {
            table.row(time.clone().chain(body_cells(world, track)))?;
        }
        if let Some(table) = &mut self.joints {
            table.row(time.clone().chain(joint_cells(world)))?;
        }
        if let Some(table) = &mut self.cell {
            table.row(time.clone().chain(cell_cells(world)))?;
        }
        if let Some(table) = &mut self.membranes {
            table.row(time.chain(membrane_cells(world)))?;
        }
        Ok(())
    }

    /// Adds a row for a frame.
    pub fn frame<S: Recorded>(&mut self, frame: &Frame<S>) -> Result<(), RecordError> {
        let counts = [frame.step as usize, frame.bodies.len(), frame.contacts.len()];
        let counts = counts.map(|count| Some(count as f64));
        match &mut self.frames {
            Some(table) => table.row(std::iter::once(Some(frame.time)).chain(counts)),
            None => Ok(()),
        }
    }

    fn all(&mut self) -> impl Iterator<Item = &mut Table> {
        let Self { ledger, steps, frames, boundaries, bodies, joints, cell, membranes } = self;
        let optional = [frames, boundaries, bodies, joints, cell, membranes];
        [ledger, steps].into_iter().chain(optional.into_iter().flatten())
    }
    /// Writes all rows to the files.
    pub fn flush(&mut self) -> Result<(), RecordError> {
        self.all().try_for_each(Table::flush)
    }
    /// Writes all rows to the disk.
    pub fn sync(&mut self) -> Result<(), RecordError> {
        self.flush()?;
        let tables: Vec<&mut Table> = self.all().collect();
        at_once(&tables, |table| table.check().and_then(|()| table.sync()))
    }
    /// Lengths of the files, and checksums.
    pub fn sums(&mut self) -> BTreeMap<String, (u64, u32)> {
        let sum = |table: &mut Table| {
            let name = table.path().file_name().unwrap_or_default();
            (name.to_string_lossy().into_owned(), table.sum())
        };
        self.all().map(sum).collect()
    }
}
