//! What a run is, as the page reads it.

use crate::compact::{block, components, rotation};
use drystone_detect::Extent;
use drystone_record::RecordError;
use drystone_record::archive::{
    Archive, Catalogue, JointEntry, Kind, Recorded, RigidEntry, owner_number,
};
use drystone_record::draw::{Colour, signed_colour, speed_colour};
use drystone_record::run::Summary;
use drystone_space::{Pose, Vector, with_space};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// Colours of the map from values to colours.
const COLOURS: usize = 33;
/// Rows of curves that a page gets at most: more than a screen has pixels.
const ROWS: usize = 4000;

/// A record as the page reads it, also while the run goes on.
#[derive(Clone, Debug)]
pub struct Show {
    directory: PathBuf,
    archive: Archive,
    catalogue: Value,
}

impl Show {
    /// Opens the record in the directory of a run.
    pub fn open(directory: &Path) -> Result<Self, RecordError> {
        let archive = Archive::open(directory)?;
        let catalogue =
            with_space!(archive.about().dimension, S => catalogue(&archive.catalogue::<S>()?));
        Ok(Self { directory: directory.to_owned(), archive, catalogue })
    }
    /// The record.
    pub fn archive(&self) -> &Archive {
        &self.archive
    }
    /// Number of frames that can be asked for.
    pub fn frames(&self) -> usize {
        self.archive.len()
    }
    /// The block of a frame.
    pub fn frame(&self, index: usize) -> Result<Vec<u8>, RecordError> {
        let time_step = self.archive.about().time_step;
        with_space!(self.archive.about().dimension, S => {
            Ok(block(&self.archive.frame::<S>(index)?, time_step))
        })
    }

    /// What the run is, with `status` instead of the summary's if given, and with these frames or all.
    pub fn run(
        &self,
        status: Option<&str>,
        frames: Option<&[usize]>,
    ) -> Result<Value, RecordError> {
        let about = self.archive.about();
        let mut times = self.archive.times()?;
        if let Some(frames) = frames {
            times = frames.iter().filter_map(|&frame| times.get(frame).copied()).collect();
        }
        let summary = Summary::read(&self.directory);
        let status = status.map_or_else(
            || summary.map_or("unknown".to_owned(), |summary| summary.status.to_string()),
            str::to_owned,
        );
        let card = Card {
            title: &about.title,
            dimension: about.dimension,
            end: about.end,
            view: json!(about.view),
            materials: &about.materials,
        };
        let mut run = card.run(self.catalogue.clone());
        run["status"] = status.into();
        run["name"] = self.directory.file_name().map(|name| name.to_string_lossy()).into();
        run["times"] = times.into();
        run["curves"] = json!({
            "ledger": self.curves("ledger.csv")?,
            "steps": self.curves("steps.csv")?,
        });
        Ok(run)
    }

    /// The columns of a table by name; of long ones, rows at even distances.
    fn curves(&self, name: &str) -> Result<Value, RecordError> {
        let (columns, rows) = Summary::read_table(&self.directory, name)?;
        let stride = rows.len().div_ceil(ROWS).max(1);
        let mut curves = Map::new();
        for (index, column) in columns.into_iter().enumerate() {
            let values = rows.iter().step_by(stride).map(|row| row[index]);
            curves.insert(column, values.collect::<Vec<f64>>().into());
        }
        Ok(curves.into())
    }
}

/// What the page knows of a run before it has seen a frame.
#[derive(Clone, Debug)]
pub struct Card<'a> {
    /// One line that names it.
    pub title: &'a str,
    /// 2 or 3.
    pub dimension: usize,
    /// When it is meant to end, in seconds.
    pub end: f64,
    /// The part of the scene that is drawn, as two corners, or null.
    pub view: Value,
    /// Names of materials, by index.
    pub materials: &'a [String],
}

impl Card<'_> {
    /// The run as the page reads it, with these [things](catalogue): no frame and no curve yet.
    pub fn run(&self, things: Value) -> Value {
        let palette = |colour: fn(f64) -> Colour| {
            let steps = (0..COLOURS).map(|i| colour(i as f64 / (COLOURS - 1) as f64));
            steps.map(|colour| colour.to_string()).collect::<Vec<_>>()
        };
        json!({
            "title": self.title,
            "dimension": self.dimension,
            "end": self.end,
            "view": self.view,
            "materials": self.materials,
            "status": "running",
            "control": false,
            "times": [],
            "palette": palette(speed_colour),
            "signed": palette(signed_colour),
            "things": things,
            "curves": { "ledger": {}, "steps": {} },
        })
    }
}

/// Names, masses, sizes and shapes.
pub fn catalogue<S: Recorded>(catalogue: &Catalogue<S>) -> Value {
    let all = || catalogue.bodies.iter().chain(&catalogue.boundaries);
    let names: Map<String, Value> = all()
        .enumerate()
        .filter(|(_, entry)| !entry.name.is_empty())
        .map(|(index, entry)| (index.to_string(), entry.name.clone().into()))
        .collect();
    let widths: Vec<f32> = catalogue.bodies.iter().map(|body| width(body) as f32).collect();
    let mut sorted = widths.clone();
    sorted.sort_by(f32::total_cmp);
    let owned = catalogue.bodies.iter().enumerate().map(|(i, body)| (i as i64, body));
    let boundaries = catalogue.boundaries.iter().enumerate().map(|(i, b)| (-1 - i as i64, b));
    let parts = owned.chain(boundaries).flat_map(|(owner, entry)| {
        entry.parts.iter().map(move |part| {
            let row = S::shape(&part.shape);
            let mut object = json!({
                "owner": owner,
                "kind": row.kind as u8,
                "position": components(part.pose().position).collect::<Vec<_>>(),
                "rotation": rotation::<S>(part.pose().rotation),
            });
            if row.radius > 0.0 {
                object["radius"] = (row.radius as f32).into();
                object["half_length"] = (row.half_length as f32).into();
            }
            if !row.vertices.is_empty() {
                let vertices = row.vertices.iter().map(|&v| components(v).collect::<Vec<_>>());
                object["vertices"] = vertices.collect::<Vec<_>>().into();
                object["faces"] = S::faces(&part.shape).into();
            }
            object
        })
    });
    let edge = catalogue.solids.first().map_or(1.0, |solid| solid.edge as f32);
    json!({
        "names": names,
        "mass": catalogue.bodies.iter().map(|b| b.mass as f32).collect::<Vec<_>>(),
        "volume": catalogue.bodies.iter().map(|b| b.volume() as f32).collect::<Vec<_>>(),
        "material": catalogue.bodies.iter().map(material).collect::<Vec<_>>(),
        "round": catalogue.bodies.iter().map(|b| b.radius().is_some()).collect::<Vec<_>>(),
        "reach": catalogue.bodies.iter().map(|b| reach(b) as f32).collect::<Vec<_>>(),
        "width": widths,
        "typical": sorted.get(sorted.len() / 2).copied().unwrap_or(edge),
        "solids": solids(catalogue),
        "joints": catalogue.joints.iter().map(joint).collect::<Vec<_>>(),
        "boundary_count": catalogue.boundaries.len(),
        "parts": parts.collect::<Vec<_>>(),
    })
}

/// What is seen of a joint; a side without an owner is on the ground.
fn joint<S: Recorded>(joint: &JointEntry<S>) -> Value {
    let sides = joint.sides.map(|(owner, frame)| {
        json!({
            "owner": owner.map(owner_number),
            "position": components(frame.position).collect::<Vec<_>>(),
            "rotation": rotation::<S>(frame.rotation),
        })
    });
    let pulleys = joint.pulleys.map(|point| components(point).collect::<Vec<_>>());
    json!({ "name": joint.name, "kind": joint.kind, "sides": sides, "pulleys": pulleys })
}

/// Names, masses and what is seen of deformable solids; where the nodes of each begin among all.
fn solids<S: Recorded>(catalogue: &Catalogue<S>) -> Vec<Value> {
    let mut first = 0;
    let each = catalogue.solids.iter().map(|solid| {
        let count = solid.mesh.nodes.len();
        let value = json!({
            "name": solid.name,
            "mass": solid.mass as f32,
            "edge": solid.edge as f32,
            "first": first,
            "count": count,
            "faces": solid.faces,
        });
        first += count;
        value
    });
    each.collect()
}

/// The number of the material of a body's first part.
fn material<S: Recorded>(entry: &RigidEntry<S>) -> u32 {
    entry.parts.first().map_or(0, |part| part.material.0)
}

/// The smallest width of a body's parts.
fn width<S: Recorded>(entry: &RigidEntry<S>) -> f64 {
    let widths = entry.parts.iter().map(|part| S::width(&part.shape)).filter(|w| w.is_finite());
    widths.reduce(f64::min).unwrap_or(0.0)
}

/// The farthest that a body reaches from its origin along an axis, whatever way it is turned: at most
/// the half diagonal of its box, and a ball's radius.
fn reach<S: Recorded>(entry: &RigidEntry<S>) -> f64 {
    let far = entry.parts.iter().map(|part| {
        let row = S::shape(&part.shape);
        if row.kind == Kind::Round {
            return part.pose().position.norm() + row.radius;
        }
        match S::extent(&part.shape, &Pose::IDENTITY) {
            Extent::Box(bounds) => {
                part.pose().position.norm() + (-bounds.low).highest(bounds.high).norm()
            }
            Extent::Half { .. } => 0.0,
        }
    });
    far.fold(0.0, f64::max)
}
