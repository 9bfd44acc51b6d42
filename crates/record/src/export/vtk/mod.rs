//! A recorded run for ParaView: `.vtp` and `.vtu` files of each frame, and `.pvd` files that give their
//! times.
//!
//! | collection | what it holds |
//! |---|---|
//! | `bodies.pvd` | a point for each body, with `radius` (of the ball or disk of the same volume where it is none), to be shown by glyphs |
//! | `shapes.pvd` | the true outlines and faces of all that is not a ball |
//! | `contacts.pvd` | a line for each contact, from body to body through the point, with `radius` for tubes, and `gap`, `rln`, `rlt`, `status` |
//! | `boundaries.pvd` | walls and floors |
//! | `solids.pvd` | deformable solids as unstructured grids (`.vtu`), with `displacement`, `velocity`, `von_mises`, `stress` and `shear` at the nodes |
//! | `solid_contacts.pvd` | a point for each contact of a solid, with the fields of `contacts.pvd` |
//! | `bonds.pvd` | a point for each bond, with `damage`, `opening`, `slip`, `area` and `force` |
//!
//! Those of solids are written where there are solids, those of bonds of frames that have any.

mod bond;
mod file;
mod grid;
mod polydata;
mod solid;

use super::pressed::Pressed;
use super::{Exported, batches};
use crate::RecordError;
use crate::archive::{Archive, Catalogue, Frame, Kind, Recorded, RigidEntry, owner_number, speed};
use drystone_engine::Owner;
use drystone_space::{Pose, Vector, math};
use file::Field;
use polydata::PolyData;
use std::fs;
use std::path::Path;

/// Sides of the polygon that stands for a disk, and of a capsule's tube.
const SIDES: usize = 24;
/// The widest line of a contact, as a part of the bodies' typical radius.
const WIDEST: f64 = 0.3;

/// The collections, in the order in which a frame's files are written.
const COLLECTIONS: [&str; 4] = ["bodies", "shapes", "contacts", "boundaries"];

/// The collections of runs with deformable solids.
const SOLIDS: &str = "solids";
const SOLID_CONTACTS: &str = "solid_contacts";

/// The collection of runs with bonds.
const BONDS: &str = "bonds";

/// Writes the collections into a folder.
pub fn write<S: Recorded>(archive: &Archive, folder: &Path) -> Result<Exported, RecordError> {
    fs::create_dir_all(folder).map_err(|source| RecordError::write(folder, source))?;
    let catalogue = archive.catalogue::<S>()?;
    let scene = Scene::new(&catalogue, archive.about().time_step);
    let make = |index: usize, frame: Frame<S>| {
        let data = [
            scene.bodies(&frame),
            scene.shapes(&frame),
            scene.contacts(&frame),
            scene.boundaries(&frame),
        ];
        let mut bytes = 0;
        for (name, data) in COLLECTIONS.iter().zip(data) {
            bytes += data.write(&folder.join(format!("{name}_{index:06}.vtp")))?;
        }
        if !catalogue.solids.is_empty() {
            let grid = scene.solids(&frame);
            bytes += grid.write(&folder.join(format!("{SOLIDS}_{index:06}.vtu")))?;
            let contacts = scene.solid_contacts(&frame);
            bytes += contacts.write(&folder.join(format!("{SOLID_CONTACTS}_{index:06}.vtp")))?;
        }
        if !frame.bonds.is_empty() {
            bytes += scene.bonds(&frame).write(&folder.join(format!("{BONDS}_{index:06}.vtp")))?;
        }
        Ok(((index, frame.time), bytes, !frame.bonds.is_empty()))
    };
    let (mut times, mut bonded) = (Vec::new(), Vec::new());
    let exported = batches(archive, make, |frames| {
        times.extend(frames.iter().map(|(time, ..)| *time));
        bonded.extend(frames.iter().filter(|(.., bonds)| *bonds).map(|(time, ..)| *time));
        Ok(frames.iter().map(|(_, bytes, _)| bytes).sum())
    })?;
    for name in COLLECTIONS {
        file::write_collection(folder, name, "vtp", &times)?;
    }
    if !bonded.is_empty() {
        file::write_collection(folder, BONDS, "vtp", &bonded)?;
    }
    if !catalogue.solids.is_empty() {
        file::write_collection(folder, SOLIDS, "vtu", &times)?;
        file::write_collection(folder, SOLID_CONTACTS, "vtp", &times)?;
    }
    Ok(exported)
}

/// A point of the plane or of space as VTK has it.
fn point<V: Vector>(vector: V) -> [f64; 3] {
    std::array::from_fn(|i| if i < V::LENGTH { vector.get(i) } else { 0.0 })
}

/// A spin as VTK has it: in the plane about the z axis.
fn axial<V: Vector>(spin: V) -> [f64; 3] {
    if V::LENGTH == 1 { [0.0, 0.0, spin.get(0)] } else { point(spin) }
}

/// What does not change from frame to frame.
struct Scene<'a, S: Recorded> {
    catalogue: &'a Catalogue<S>,
    /// Radius of each body, or of the ball or disk of its volume.
    radii: Vec<f64>,
    typical: f64,
    time_step: f64,
}

impl<'a, S: Recorded> Scene<'a, S> {
    fn new(catalogue: &'a Catalogue<S>, time_step: f64) -> Self {
        let radius = |entry: &RigidEntry<S>| {
            let d = S::DIMENSION as f64;
            let unit = if S::DIMENSION == 2 { 1.0 } else { 4.0 / 3.0 } * std::f64::consts::PI;
            entry.radius().unwrap_or_else(|| math::powf(entry.volume() / unit, 1.0 / d))
        };
        let radii: Vec<f64> = catalogue.bodies.iter().map(radius).collect();
        let mut sorted = radii.clone();
        sorted.sort_by(f64::total_cmp);
        let edge = catalogue.solids.first().map_or(1.0, |solid| solid.edge);
        let typical = sorted.get(sorted.len() / 2).copied().unwrap_or(edge);
        Self { catalogue, radii, typical, time_step }
    }

    fn bodies(&self, frame: &Frame<S>) -> PolyData {
        let mut data = PolyData::default();
        let mut touching = vec![0; frame.bodies.len()];
        let contacts = frame.contacts.iter().map(|c| &c.contact);
        for contact in contacts.filter(|c| c.impulse != S::Vector::ZERO) {
            for owner in [contact.first, contact.second] {
                if let Owner::Body(index) = owner {
                    touching[index as usize] += 1;
                }
            }
        }
        for body in &frame.bodies {
            let index = data.point(point(body.pose.position));
            data.vertex(index);
        }
        let count = frame.bodies.len();
        let all: Vec<usize> = (0..count).collect();
        data.point_data = self.body_fields(frame, &all);
        data.point_data.push(Field::numbers("radius", 1, self.radii[..count].to_vec()));
        data.point_data.push(Field::whole("contacts", touching));
        data
    }

    /// Fields of bodies, one row for each of these numbers.
    fn body_fields(&self, frame: &Frame<S>, bodies: &[usize]) -> Vec<Field> {
        let rows = || bodies.iter().map(|&i| (&frame.bodies[i], &self.catalogue.bodies[i]));
        let numbers = |values: &mut dyn Iterator<Item = f64>| values.collect::<Vec<f64>>();
        let velocities = numbers(&mut rows().flat_map(|(body, _)| point(body.velocity)));
        let spins = numbers(&mut rows().flat_map(|(body, _)| axial(body.spin)));
        let speeds =
            numbers(&mut rows().map(|(body, entry)| speed(body, entry.mass, entry.moments)));
        vec![
            Field::whole("body", bodies.iter().map(|&index| index as i32).collect()),
            Field::numbers("velocity", 3, velocities),
            Field::numbers("spin", 3, spins),
            Field::numbers("speed", 1, speeds),
            Field::numbers("birth", 1, numbers(&mut rows().map(|(body, _)| body.birth))),
            Field::numbers("mass", 1, numbers(&mut rows().map(|(_, entry)| entry.mass))),
        ]
    }

    fn shapes(&self, frame: &Frame<S>) -> PolyData {
        let mut data = PolyData::default();
        for (index, (body, entry)) in frame.bodies.iter().zip(&self.catalogue.bodies).enumerate() {
            for part in &entry.parts {
                outline::<S>(&part.shape, &body.pose.compose(&part.pose()), index, &mut data);
            }
        }
        data.cell_data = self.body_fields(frame, &data.owners());
        data
    }

    fn boundaries(&self, frame: &Frame<S>) -> PolyData {
        let mut data = PolyData::default();
        let there = frame.boundaries.iter().zip(&self.catalogue.boundaries).enumerate();
        for (index, (boundary, entry)) in there.filter(|(_, (boundary, _))| boundary.present) {
            for part in &entry.parts {
                let pose = boundary.pose.compose(&part.pose());
                match S::shape(&part.shape).kind {
                    Kind::Half => self.half(frame, &pose, index, &mut data),
                    _ => outline::<S>(&part.shape, &pose, index, &mut data),
                }
            }
        }
        let owners = data.owners().into_iter().map(|index| index as i32).collect();
        data.cell_data = vec![Field::whole("boundary", owners)];
        data
    }

    /// The surface of a half-plane or half-space, as far as bodies and solids reach.
    fn half(&self, frame: &Frame<S>, pose: &Pose<S>, owner: usize, data: &mut PolyData) {
        let across = S::DIMENSION - 1;
        let bodies = frame.bodies.iter().map(|body| body.pose.position);
        let nodes = frame.solids.iter().flat_map(|solid| solid.positions.iter().copied());
        let places = bodies.chain(nodes).map(|place| pose.inverse_point(place));
        let places = places.filter(|place| place.finite());
        let low = places.clone().reduce(Vector::lowest).unwrap_or(S::Vector::ZERO);
        let high = places.reduce(Vector::highest).unwrap_or(S::Vector::ZERO);
        let room = 2.0 * self.typical;
        let corner = |ends: [bool; 2]| {
            let end = |i: usize| if ends[i] { high.get(i) + room } else { low.get(i) - room };
            point(pose.point(S::Vector::from_fn(|i| if i < across { end(i) } else { 0.0 })))
        };
        if across == 1 {
            let ends = [false, true].map(|end| data.point(corner([end, end])));
            data.line(owner, &ends);
        } else {
            let ends = [[false, false], [true, false], [true, true], [false, true]];
            let corners = ends.map(|ends| data.point(corner(ends)));
            data.face(owner, &corners);
        }
    }

    fn contacts(&self, frame: &Frame<S>) -> PolyData {
        let mut data = PolyData::default();
        let pressed = frame.contacts.iter().map(|c| Pressed::bodies(c, self.time_step));
        let pressed: Vec<Pressed<S>> = pressed.collect();
        let all = frame.contacts.iter().map(|c| &c.contact);
        let top = pressed.iter().map(|c| c.force.norm()).fold(0.0, f64::max);
        let mut radii = Vec::new();
        for (index, (contact, pressed)) in all.clone().zip(&pressed).enumerate() {
            let centre = |owner: Owner| match owner {
                Owner::Body(index) => Some(point(frame.bodies[index as usize].pose.position)),
                Owner::Boundary(_) => None,
            };
            let places =
                [centre(contact.first), Some(point(contact.point)), centre(contact.second)];
            let line: Vec<i64> = places.into_iter().flatten().map(|p| data.point(p)).collect();
            let share = if top > 0.0 { pressed.force.norm() / top } else { 0.0 };
            radii.extend(std::iter::repeat_n(WIDEST * self.typical * share, line.len()));
            data.line(index, &line);
        }
        data.point_data = vec![Field::numbers("radius", 1, radii)];
        let owner = |owner: Owner| owner_number(owner) as i32;
        data.cell_data = force_fields(&pressed);
        data.cell_data.extend([
            Field::whole("first", all.clone().map(|c| owner(c.first)).collect()),
            Field::whole("second", all.map(|c| owner(c.second)).collect()),
        ]);
        data
    }
}

/// The fields that all contacts have.
fn force_fields<S: Recorded>(contacts: &[Pressed<S>]) -> Vec<Field> {
    let each = |value: &dyn Fn(&Pressed<S>) -> f64| contacts.iter().map(value).collect();
    let vectors = |value: &dyn Fn(&Pressed<S>) -> S::Vector| {
        contacts.iter().flat_map(|contact| point(value(contact))).collect()
    };
    vec![
        Field::numbers("gap", 1, each(&|c| c.gap)),
        Field::numbers("rln", 1, each(&|c| c.parts(c.force)[0])),
        Field::numbers("rlt", 1, each(&|c| c.parts(c.force)[1])),
        Field::numbers("vln", 1, each(&|c| c.parts(c.velocity)[0])),
        Field::numbers("vlt", 1, each(&|c| c.parts(c.velocity)[1])),
        Field::numbers("force", 3, vectors(&|c| c.force)),
        Field::numbers("normal", 3, vectors(&|c| c.normal)),
        Field::whole("status", contacts.iter().map(|c| c.status as i32).collect()),
    ]
}

/// Adds the faces of a shape; balls and what has no end have none.
fn outline<S: Recorded>(shape: &S::Shape, pose: &Pose<S>, owner: usize, data: &mut PolyData) {
    let row = S::shape(shape);
    let place = |at: [f64; 3]| point(pose.point(S::Vector::from_fn(|i| at[i])));
    let turn = |k: usize| {
        let angle = std::f64::consts::TAU * k as f64 / SIDES as f64;
        [row.radius * math::cos(angle), row.radius * math::sin(angle)]
    };
    match row.kind {
        Kind::Round if S::DIMENSION == 2 => {
            let rim = |k| {
                let [x, y] = turn(k);
                data.point(place([x, y, 0.0]))
            };
            let rim: Vec<i64> = (0..SIDES).map(rim).collect();
            data.face(owner, &rim);
        }
        Kind::Convex | Kind::Triangle => {
            let corners = row.vertices.iter().map(|&v| data.point(point(pose.point(v))));
            let corners: Vec<i64> = corners.collect();
            for face in S::faces(shape) {
                let face: Vec<i64> = face.iter().map(|&i| corners[i as usize]).collect();
                data.face(owner, &face);
            }
        }
        Kind::Segment => {
            let ends = [0, 1].map(|i| data.point(point(pose.point(row.vertices[i]))));
            data.line(owner, &ends);
        }
        Kind::Rounded | Kind::Frustum => {
            for face in S::skin(shape) {
                let corners = face.into_iter().map(|v| data.point(point(pose.point(v))));
                let corners: Vec<i64> = corners.collect();
                data.face(owner, &corners);
            }
        }
        Kind::Capsule => capsule((row.radius, row.half_length), &place, owner, data),
        Kind::Round | Kind::Half => {}
    }
}

/// A capsule as rings of quadrilaterals.
fn capsule(
    (radius, half_length): (f64, f64),
    place: &dyn Fn([f64; 3]) -> [f64; 3],
    owner: usize,
    data: &mut PolyData,
) {
    let rings = SIDES / 4;
    let mut rows: Vec<Vec<i64>> = Vec::new();
    for i in 0..=2 * rings + 1 {
        let (step, end) = if i <= rings { (i, -half_length) } else { (i - 1, half_length) };
        let polar = std::f64::consts::PI * (step as f64 / (2 * rings) as f64 - 0.5);
        let ring = |k: usize| {
            let angle = std::f64::consts::TAU * k as f64 / SIDES as f64;
            let (x, y) = (math::cos(polar) * math::cos(angle), math::cos(polar) * math::sin(angle));
            data.point(place([radius * x, radius * y, radius * math::sin(polar) + end]))
        };
        rows.push((0..SIDES).map(ring).collect());
    }
    for pair in rows.windows(2) {
        for k in 0..SIDES {
            let next = (k + 1) % SIDES;
            data.face(owner, &[pair[0][k], pair[0][next], pair[1][next], pair[1][k]]);
        }
    }
}
