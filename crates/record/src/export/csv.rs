//! All bodies and all contacts of all frames as two tables; nodes and contacts of deformable solids as
//! two more.

use super::pressed::Pressed;
use super::{Exported, batches};
use crate::RecordError;
use crate::archive::{Archive, Catalogue, Frame, Recorded, owner_number, partner_numbers};
use drystone_space::Vector;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::Path;

const AXES: [&str; 3] = ["x", "y", "z"];

/// Writes `bodies.csv` and `contacts.csv` into a folder, where there are solids `nodes.csv` and
/// `solid_contacts.csv` too, and where there are bonds `bonds.csv`.
pub fn write<S: Recorded>(archive: &Archive, folder: &Path) -> Result<Exported, RecordError> {
    fs::create_dir_all(folder).map_err(|source| RecordError::write(folder, source))?;
    let catalogue = archive.catalogue::<S>()?;
    let time_step = archive.about().time_step;
    let mut tables = vec![
        Table::create(folder, "bodies.csv", &body_columns::<S>())?,
        Table::create(folder, "contacts.csv", &contact_columns::<S>())?,
    ];
    if !catalogue.solids.is_empty() {
        tables.push(Table::create(folder, "nodes.csv", &node_columns::<S>())?);
        tables.push(Table::create(folder, "solid_contacts.csv", &solid_contact_columns::<S>())?);
    }
    let mut bonds: Option<Table> = None;
    let make = |index: usize, frame: Frame<S>| {
        let mut bonds = Rows::default();
        write_bonds(&mut bonds, index, &frame, time_step);
        let mut rows = [Rows::default(), Rows::default(), Rows::default(), Rows::default()];
        let [bodies, contacts, nodes, solid_contacts] = &mut rows;
        write_bodies(bodies, index, &frame, &catalogue);
        write_contacts(contacts, index, &frame, time_step);
        write_nodes(nodes, index, &frame, &catalogue);
        write_solid_contacts(solid_contacts, index, &frame, time_step);
        Ok((rows, bonds))
    };
    let mut exported = batches(archive, make, |frames| {
        for (rows, bonded) in &frames {
            if !bonded.0.is_empty() {
                let table = match &mut bonds {
                    Some(table) => table,
                    None => {
                        let columns = bond_columns::<S>();
                        bonds.insert(Table::create(folder, "bonds.csv", &columns)?)
                    }
                };
                table.append(&bonded.0)?;
            }
            tables.iter_mut().zip(rows).try_for_each(|(table, rows)| table.append(&rows.0))?;
        }
        Ok(0)
    })?;
    for table in tables.into_iter().chain(bonds) {
        exported.bytes += table.finish()?;
    }
    Ok(exported)
}

/// A table that grows by rows.
struct Table {
    path: std::path::PathBuf,
    file: BufWriter<File>,
    bytes: u64,
}

impl Table {
    fn create(folder: &Path, name: &str, columns: &[String]) -> Result<Self, RecordError> {
        let path = folder.join(name);
        let file = File::create(&path).map_err(|source| RecordError::write(&path, source))?;
        let file = BufWriter::with_capacity(1 << 20, file);
        let mut table = Self { path, file, bytes: 0 };
        table.append(&(columns.join(",") + "\n"))?;
        Ok(table)
    }
    fn append(&mut self, rows: &str) -> Result<(), RecordError> {
        self.bytes += rows.len() as u64;
        let written = self.file.write_all(rows.as_bytes());
        written.map_err(|source| RecordError::write(&self.path, source))
    }
    fn finish(mut self) -> Result<u64, RecordError> {
        self.file.flush().map_err(|source| RecordError::write(&self.path, source))?;
        Ok(self.bytes)
    }
}

/// The rows of one frame, as text.
#[derive(Default)]
struct Rows(String);

impl Rows {
    fn cell(&mut self, value: impl std::fmt::Display) {
        write!(self.0, "{value},").expect("writing to a string does not fail");
    }
    fn numbers<V: Vector>(&mut self, vector: V) {
        for i in 0..V::LENGTH {
            write!(self.0, "{:?},", vector.get(i)).expect("writing to a string does not fail");
        }
    }
    /// A row ends where its last comma was.
    fn end(&mut self) {
        self.0.pop();
        self.0.push('\n');
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
    catalogue: &Catalogue<S>,
) {
    for (number, (body, entry)) in frame.bodies.iter().zip(&catalogue.bodies).enumerate() {
        rows.cell(index);
        rows.numbers(frame.time);
        rows.cell(number);
        rows.numbers(body.pose.position);
        S::rotation(body.pose.rotation).for_each(|r| rows.numbers(r));
        rows.numbers(body.velocity);
        rows.numbers(body.spin);
        [body.birth, entry.mass, entry.volume()].into_iter().for_each(|v| rows.numbers(v));
        rows.end();
    }
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

fn write_contacts<S: Recorded>(rows: &mut Rows, index: usize, frame: &Frame<S>, time_step: f64) {
    for contact in &frame.contacts {
        rows.cell(index);
        rows.numbers(frame.time);
        rows.cell(owner_number(contact.contact.first));
        rows.cell(owner_number(contact.contact.second));
        write_pressed(rows, &Pressed::bodies(contact, time_step));
    }
}

/// Point, normal, force and velocity, gap, the force along and across the normal, and what it does.
fn write_pressed<S: Recorded>(rows: &mut Rows, contact: &Pressed<S>) {
    for vector in [contact.point, contact.normal, contact.force, contact.velocity] {
        rows.numbers(vector);
    }
    rows.numbers(contact.gap);
    contact.parts(contact.force).into_iter().for_each(|part| rows.numbers(part));
    rows.cell(contact.status as u8);
    rows.end();
}

fn bond_columns<S: Recorded>() -> Vec<String> {
    let named = |names: &'static [&'static str]| names.iter().map(|name| (*name).to_owned());
    named(&["frame", "time", "first", "second", "number"])
        .chain(columns::<S>(""))
        .chain(columns::<S>("n"))
        .chain(columns::<S>("f"))
        .chain(named(&["area", "damage", "opening", "slip"]))
        .collect()
}

fn write_bonds<S: Recorded>(rows: &mut Rows, index: usize, frame: &Frame<S>, time_step: f64) {
    for bond in &frame.bonds {
        rows.cell(index);
        rows.numbers(frame.time);
        bond.bond.sides.into_iter().for_each(|side| rows.cell(owner_number(side)));
        rows.cell(bond.bond.point);
        for vector in [bond.place, bond.normal, bond.bond.impulse / time_step] {
            rows.numbers(vector);
        }
        for value in [bond.bond.area, bond.bond.damage, bond.opening(), bond.slip()] {
            rows.numbers(value);
        }
        rows.end();
    }
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
    catalogue: &Catalogue<S>,
) {
    for (number, (solid, entry)) in frame.solids.iter().zip(&catalogue.solids).enumerate() {
        for (node, &rest) in entry.mesh.nodes.iter().enumerate().take(solid.positions.len()) {
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
            rows.end();
        }
    }
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
) {
    for contact in &frame.solid_contacts {
        rows.cell(index);
        rows.numbers(frame.time);
        rows.cell(contact.solid);
        partner_numbers(contact.partner).into_iter().for_each(|number| rows.cell(number));
        write_pressed(rows, &Pressed::solid(contact, time_step));
    }
}
