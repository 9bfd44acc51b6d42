//! All bodies and all contacts of all frames as two tables.

use super::{Exported, each};
use crate::RecordError;
use crate::archive::{Archive, Frame, Recorded, Things, owner_number, status};
use drystone_space::{Frame as _, Local, Vector};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::Path;

const AXES: [&str; 3] = ["x", "y", "z"];

/// Writes `bodies.csv` and `contacts.csv` into a folder.
pub fn write<S: Recorded>(archive: &Archive, folder: &Path) -> Result<Exported, RecordError> {
    fs::create_dir_all(folder).map_err(|source| RecordError::write(folder, source))?;
    let things = archive.things::<S>()?;
    let time_step = archive.about().time_step;
    let mut bodies = Rows::create(folder, "bodies.csv", &body_columns::<S>())?;
    let mut contacts = Rows::create(folder, "contacts.csv", &contact_columns::<S>())?;
    let mut exported = each(archive, |index, frame: Frame<S>| {
        let before = bodies.bytes + contacts.bytes;
        write_bodies(&mut bodies, index, &frame, &things)?;
        write_contacts(&mut contacts, index, &frame, time_step)?;
        Ok(bodies.bytes + contacts.bytes - before)
    })?;
    exported.bytes = bodies.finish()? + contacts.finish()?;
    Ok(exported)
}

/// A table that is written row by row.
struct Rows {
    path: std::path::PathBuf,
    file: BufWriter<File>,
    line: String,
    bytes: u64,
}

impl Rows {
    fn create(folder: &Path, name: &str, columns: &[String]) -> Result<Self, RecordError> {
        let path = folder.join(name);
        let file = File::create(&path).map_err(|source| RecordError::write(&path, source))?;
        let file = BufWriter::with_capacity(1 << 20, file);
        let mut rows = Self { path, file, line: columns.join(","), bytes: 0 };
        rows.end()?;
        Ok(rows)
    }
    fn cell(&mut self, value: impl std::fmt::Display) {
        write!(self.line, "{value},").expect("writing to a string does not fail");
    }
    fn numbers<V: Vector>(&mut self, vector: V) {
        for i in 0..V::LENGTH {
            write!(self.line, "{:?},", vector.get(i)).expect("writing to a string does not fail");
        }
    }
    fn end(&mut self) -> Result<(), RecordError> {
        let line = self.line.trim_end_matches(',');
        self.bytes += line.len() as u64 + 1;
        let written = writeln!(self.file, "{line}");
        self.line.clear();
        written.map_err(|source| RecordError::write(&self.path, source))
    }
    fn finish(mut self) -> Result<u64, RecordError> {
        self.file.flush().map_err(|source| RecordError::write(&self.path, source))?;
        Ok(self.bytes)
    }
}

fn columns<S: Recorded>(prefix: &str) -> impl Iterator<Item = String> {
    AXES[..S::DIMENSION].iter().map(move |axis| format!("{prefix}{axis}"))
}

fn body_columns<S: Recorded>() -> Vec<String> {
    let named = |names: &'static [&'static str]| names.iter().map(|name| (*name).to_owned());
    named(&["frame", "time", "body"])
        .chain(columns::<S>(""))
        .chain(named(S::ROTATION))
        .chain(columns::<S>("v"))
        .chain(named(S::SPIN))
        .chain(named(&["birth", "mass", "volume"]))
        .collect()
}

fn write_bodies<S: Recorded>(
    rows: &mut Rows,
    index: usize,
    frame: &Frame<S>,
    things: &Things<S>,
) -> Result<(), RecordError> {
    for (number, (body, thing)) in frame.bodies.iter().zip(&things.bodies).enumerate() {
        rows.cell(index);
        rows.numbers(frame.time);
        rows.cell(number);
        rows.numbers(body.pose.position);
        S::rotation(body.pose.rotation).into_iter().for_each(|r| rows.numbers(r));
        rows.numbers(body.velocity);
        rows.numbers(body.spin);
        [body.birth, thing.mass, thing.volume()].into_iter().for_each(|v| rows.numbers(v));
        rows.end()?;
    }
    Ok(())
}

fn contact_columns<S: Recorded>() -> Vec<String> {
    let named = |names: &'static [&'static str]| names.iter().map(|name| (*name).to_owned());
    named(&["frame", "time", "first", "second"])
        .chain(columns::<S>(""))
        .chain(columns::<S>("n"))
        .chain(columns::<S>("f"))
        .chain(columns::<S>("v"))
        .chain(named(&["gap", "rln", "rlt", "status"]))
        .collect()
}

fn write_contacts<S: Recorded>(
    rows: &mut Rows,
    index: usize,
    frame: &Frame<S>,
    time_step: f64,
) -> Result<(), RecordError> {
    for contact in &frame.contacts {
        rows.cell(index);
        rows.numbers(frame.time);
        rows.cell(owner_number(contact.first));
        rows.cell(owner_number(contact.second));
        let force = contact.impulse / time_step;
        let local = S::Frame::from_normal(contact.normal).to_local(force);
        for vector in [contact.point, contact.normal, force, contact.velocity] {
            rows.numbers(vector);
        }
        [contact.gap, local.normal(), local.tangent().norm()]
            .into_iter()
            .for_each(|v| rows.numbers(v));
        rows.cell(status(contact) as u8);
        rows.end()?;
    }
    Ok(())
}
