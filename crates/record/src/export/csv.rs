//! All bodies and all contacts of all frames as two tables; nodes and contacts of deformable solids as
//! two more.

use super::pressed::Pressed;
use super::{Exported, each};
use crate::RecordError;
use crate::archive::{Archive, Frame, Recorded, Things, owner_number, partner_numbers};
use drystone_space::Vector;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::Path;

const AXES: [&str; 3] = ["x", "y", "z"];

/// Writes `bodies.csv` and `contacts.csv` into a folder, where there are solids `nodes.csv` and
/// `solid_contacts.csv` too.
pub fn write<S: Recorded>(archive: &Archive, folder: &Path) -> Result<Exported, RecordError> {
    fs::create_dir_all(folder).map_err(|source| RecordError::write(folder, source))?;
    let things = archive.things::<S>()?;
    let time_step = archive.about().time_step;
    let mut bodies = Rows::create(folder, "bodies.csv", &body_columns::<S>())?;
    let mut contacts = Rows::create(folder, "contacts.csv", &contact_columns::<S>())?;
    let mut solids = match things.solids.is_empty() {
        true => None,
        false => Some([
            Rows::create(folder, "nodes.csv", &node_columns::<S>())?,
            Rows::create(folder, "solid_contacts.csv", &solid_contact_columns::<S>())?,
        ]),
    };
    let mut exported = each(archive, |index, frame: Frame<S>| {
        write_bodies(&mut bodies, index, &frame, &things)?;
        write_contacts(&mut contacts, index, &frame, time_step)?;
        if let Some([nodes, contacts]) = &mut solids {
            write_nodes(nodes, index, &frame, &things)?;
            write_solid_contacts(contacts, index, &frame, time_step)?;
        }
        Ok(0)
    })?;
    for rows in [bodies, contacts].into_iter().chain(solids.into_iter().flatten()) {
        exported.bytes += rows.finish()?;
    }
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
    named(&["frame", "time", "first", "second"]).chain(force_columns::<S>()).collect()
}

fn force_columns<S: Recorded>() -> impl Iterator<Item = String> {
    columns::<S>("")
        .chain(columns::<S>("n"))
        .chain(columns::<S>("f"))
        .chain(columns::<S>("v"))
        .chain(["gap", "rln", "rlt", "status"].map(str::to_owned))
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
        write_pressed(rows, &Pressed::bodies(contact, time_step))?;
    }
    Ok(())
}

/// Point, normal, force and velocity, gap, the force along and across the normal, and what it does.
fn write_pressed<S: Recorded>(rows: &mut Rows, contact: &Pressed<S>) -> Result<(), RecordError> {
    for vector in [contact.point, contact.normal, contact.force, contact.velocity] {
        rows.numbers(vector);
    }
    rows.numbers(contact.gap);
    contact.parts(contact.force).into_iter().for_each(|part| rows.numbers(part));
    rows.cell(contact.status as u8);
    rows.end()
}

fn node_columns<S: Recorded>() -> Vec<String> {
    const STRESSES: [&str; 8] = ["sxx", "syy", "szz", "sxy", "syz", "sxz", "von_mises", "shear"];
    let named = ["frame", "time", "solid", "node"].map(str::to_owned).into_iter();
    named
        .chain(columns::<S>(""))
        .chain(columns::<S>("u"))
        .chain(columns::<S>("v"))
        .chain(STRESSES.map(str::to_owned))
        .collect()
}

fn write_nodes<S: Recorded>(
    rows: &mut Rows,
    index: usize,
    frame: &Frame<S>,
    things: &Things<S>,
) -> Result<(), RecordError> {
    for (number, (solid, thing)) in frame.solids.iter().zip(&things.solids).enumerate() {
        for (node, &rest) in thing.mesh.nodes.iter().enumerate().take(solid.positions.len()) {
            rows.cell(index);
            rows.numbers(frame.time);
            rows.cell(number);
            rows.cell(node);
            let (place, stress) = (solid.positions[node], &solid.stresses[node]);
            for vector in [place, place - rest, solid.velocities[node]] {
                rows.numbers(vector);
            }
            stress.0.into_iter().for_each(|component| rows.numbers(component));
            rows.numbers(stress.von_mises());
            rows.numbers(stress.shear());
            rows.end()?;
        }
    }
    Ok(())
}

fn solid_contact_columns<S: Recorded>() -> Vec<String> {
    let named = ["frame", "time", "solid", "partner_kind", "partner"].map(str::to_owned);
    named.into_iter().chain(force_columns::<S>()).collect()
}

fn write_solid_contacts<S: Recorded>(
    rows: &mut Rows,
    index: usize,
    frame: &Frame<S>,
    time_step: f64,
) -> Result<(), RecordError> {
    for contact in &frame.solid_contacts {
        rows.cell(index);
        rows.numbers(frame.time);
        rows.cell(contact.solid);
        partner_numbers(contact.partner).into_iter().for_each(|number| rows.cell(number));
        write_pressed(rows, &Pressed::solid(contact, time_step))?;
    }
    Ok(())
}
