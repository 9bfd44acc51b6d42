//! What bodies, boundaries, solids and joints are: everything that does not change in time.

use super::columns::{Columns, bytes, rotations, same, vectors, whole};
use super::contact::{owner_from, owner_number};
use super::{Array, Arrays, JointEntry, Kind, Npz, Recorded, ShapeRow, SolidEntry, joint, solid};
use drystone_engine::{MaterialId, Owner, Part, World};
use drystone_space::Vector;

/// A body or a boundary.
#[derive(Clone, Debug, PartialEq)]
pub struct RigidEntry<S: Recorded> {
    /// Name in the scene; empty where it has none.
    pub name: String,
    /// Mass; zero for a boundary.
    pub mass: f64,
    /// Principal moments of inertia; zero for a boundary.
    pub moments: S::Spin,
    /// Its shapes.
    pub parts: Vec<Part<S>>,
}

impl<S: Recorded> RigidEntry<S> {
    /// Volume (area in the plane), overlaps of parts counted twice; zero for what has none.
    pub fn volume(&self) -> f64 {
        self.parts.iter().filter_map(|part| S::solid(&part.shape)).map(|solid| solid.measure).sum()
    }
    /// The radius of a single disk or ball.
    pub fn radius(&self) -> Option<f64> {
        match self.parts.as_slice() {
            [part] => {
                Some(S::shape(&part.shape)).filter(|r| r.kind == Kind::Round).map(|r| r.radius)
            }
            _ => None,
        }
    }
}

/// All bodies, boundaries, deformable solids and joints of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Catalogue<S: Recorded> {
    /// Bodies: those present at the start, then those that enter, in the order of their arrival.
    pub bodies: Vec<RigidEntry<S>>,
    /// Boundaries.
    pub boundaries: Vec<RigidEntry<S>>,
    /// Deformable solids.
    pub solids: Vec<SolidEntry<S>>,
    /// Joints.
    pub joints: Vec<JointEntry<S>>,
}

impl<S: Recorded> Catalogue<S> {
    /// Those of a world, with the bodies that have yet to enter.
    pub fn of(world: &World<S>) -> Self {
        let arrivals = world.setup().arrivals.iter().map(|arrival| &arrival.body);
        let started = world.bodies().len() - world.arrived();
        let bodies = world.bodies()[..started].iter().chain(arrivals).map(|body| RigidEntry {
            name: body.name().to_owned(),
            mass: body.mass,
            moments: body.moments,
            parts: body.parts.to_vec(),
        });
        let boundaries = world.boundaries().iter().map(|boundary| RigidEntry {
            name: boundary.name.clone(),
            mass: 0.0,
            moments: S::Spin::ZERO,
            parts: boundary.parts.clone(),
        });
        Self {
            bodies: bodies.collect(),
            boundaries: boundaries.collect(),
            solids: SolidEntry::all(world),
            joints: world.setup().joints.iter().map(JointEntry::of).collect(),
        }
    }

    fn owned(&self) -> impl Iterator<Item = (Owner, &RigidEntry<S>)> {
        let bodies = self.bodies.iter().enumerate().map(|(i, b)| (Owner::Body(i as u32), b));
        let boundaries = self.boundaries.iter().enumerate();
        bodies.chain(boundaries.map(|(i, b)| (Owner::Boundary(i as u32), b)))
    }

    /// The catalogue as arrays.
    pub fn put(&self, arrays: &mut dyn Arrays) {
        arrays
            .push("name", Array::text(self.owned().map(|(_, entry)| entry.name.clone()).collect()));
        arrays.push("mass", vectors(self.bodies.iter().map(|b| b.mass)));
        arrays.push("moments", vectors(self.bodies.iter().map(|b| b.moments)));
        arrays.push("volume", vectors(self.bodies.iter().map(RigidEntry::volume)));
        let parts =
            self.owned().flat_map(|(owner, entry)| entry.parts.iter().map(move |p| (owner, p)));
        let parts: Vec<(Owner, &Part<S>)> = parts.collect();
        let rows: Vec<ShapeRow<S::Vector>> =
            parts.iter().map(|(_, p)| S::shape(&p.shape)).collect();
        arrays.push("part_owner", whole(parts.iter().map(|(owner, _)| owner_number(*owner))));
        arrays.push("part_kind", bytes(rows.iter().map(|row| row.kind as u8)));
        arrays.push("part_material", whole(parts.iter().map(|(_, p)| i64::from(p.material.0))));
        arrays.push("part_position", vectors(parts.iter().map(|(_, p)| p.pose().position)));
        arrays.push("part_rotation", rotations::<S>(parts.iter().map(|(_, p)| p.pose().rotation)));
        let sizes = rows.iter().flat_map(|row| [row.radius, row.half_length]).collect();
        arrays.push("part_size", Array::f64(vec![rows.len(), 2], sizes));
        let starts = std::iter::once(0).chain(rows.iter().scan(0, |sum, row| {
            *sum += row.vertices.len() as i64;
            Some(*sum)
        }));
        arrays.push("part_vertices", whole(starts));
        arrays.push("vertices", vectors(rows.iter().flat_map(|row| row.vertices.iter().copied())));
        solid::encode_entries(&self.solids, arrays);
        joint::encode_entries(&self.joints, self.boundaries.len(), arrays);
    }

    /// The catalogue from its arrays, or what is wrong with them.
    pub fn decode(npz: &Npz) -> Result<Self, String> {
        let columns = Columns(npz);
        let names = columns.texts("name")?;
        let masses = columns.numbers("mass")?;
        let moments = columns.vectors::<S::Spin>("moments")?;
        same("moments", moments.len(), masses.len())?;
        if names.len() < masses.len() {
            return Err("there are more masses than names".to_owned());
        }
        let entry = |i: usize, mass: f64, moments: S::Spin| RigidEntry {
            name: names[i].clone(),
            mass,
            moments,
            parts: Vec::new(),
        };
        let mut catalogue = Self {
            bodies: (0..masses.len()).map(|i| entry(i, masses[i], moments[i])).collect(),
            boundaries: (masses.len()..names.len()).map(|i| entry(i, 0.0, S::Spin::ZERO)).collect(),
            solids: solid::decode_entries(npz)?,
            joints: joint::decode_entries(npz, masses.len(), names.len() - masses.len())?,
        };
        catalogue.decode_parts(&columns)?;
        Ok(catalogue)
    }

    fn decode_parts(&mut self, columns: &Columns) -> Result<(), String> {
        let owners = columns.whole("part_owner")?;
        let kinds = columns.bytes("part_kind")?;
        let materials = columns.whole("part_material")?;
        let poses = columns.poses::<S>("part_")?;
        let sizes = columns.numbers("part_size")?;
        let starts = columns.whole("part_vertices")?;
        let vertices = columns.vectors::<S::Vector>("vertices")?;
        same("part_kind", kinds.len(), owners.len())?;
        same("part_material", materials.len(), owners.len())?;
        same("part_position", poses.len(), owners.len())?;
        same("part_size", sizes.len(), 2 * owners.len())?;
        same("part_vertices", starts.len(), owners.len() + 1)?;
        for i in 0..owners.len() {
            let wrong = |what: &str| format!("part {i}: {what}");
            let range = starts[i] as usize..starts[i + 1] as usize;
            let row = ShapeRow {
                kind: *Kind::ALL
                    .get(usize::from(kinds[i]))
                    .ok_or_else(|| wrong("unknown shape"))?,
                radius: sizes[2 * i],
                half_length: sizes[2 * i + 1],
                vertices: vertices.get(range).ok_or_else(|| wrong("no such vertices"))?.to_vec(),
            };
            let shape = S::shape_from(&row).map_err(|why| wrong(&why))?;
            let material = u32::try_from(materials[i]).map_err(|_| wrong("material"))?;
            let part = Part::new(shape, MaterialId(material)).at(poses[i]);
            let entry = match owner_from(owners[i]) {
                Some(Owner::Body(index)) => self.bodies.get_mut(index as usize),
                Some(Owner::Boundary(index)) => self.boundaries.get_mut(index as usize),
                None => None,
            };
            entry.ok_or_else(|| wrong("its owner is not there"))?.parts.push(part);
        }
        Ok(())
    }
}
