//! Bonds as arrays: what a frame tells of them, and what a checkpoint must know. Where there are none, nothing is written.

use super::columns::{Columns, pairs, same, vectors, whole};
use super::contact::{owner_from, owner_number};
use super::{Arrays, Npz, Recorded};
use drystone_engine::{Bond, World};
use drystone_space::{Frame, Vector};

/// A bond at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BondFrame<S: Recorded> {
    /// What it joins, its damage and its impulse.
    pub bond: Bond<S>,
    /// The middle between its two points, in world axes.
    pub place: S::Vector,
    /// Unit normal toward the first side.
    pub normal: S::Vector,
    /// From its point on the second side to that on the first, in world axes.
    pub stretch: S::Vector,
}

impl<S: Recorded> BondFrame<S> {
    /// The bonds of a world as they are now.
    pub fn all(world: &World<S>) -> Vec<Self> {
        let of = |&bond: &Bond<S>| {
            let place = world.bond_place(&bond);
            let stretch = S::Frame::from_normal(place.normal).to_world(place.stretch);
            Self { bond, place: place.point, normal: place.normal, stretch }
        };
        world.bonds().iter().map(of).collect()
    }

    /// Whether its sides are no farther apart than it is long: a crack that is wider than that is seen without a mark.
    pub fn is_near(&self) -> bool {
        let area = self.bond.area;
        self.stretch.norm() <= if S::DIMENSION == 2 { area } else { area.sqrt() }
    }

    /// How far it is open along the normal.
    pub fn opening(&self) -> f64 {
        self.stretch.dot(self.normal)
    }

    /// How far its sides have slid over each other.
    pub fn slip(&self) -> f64 {
        (self.stretch - self.normal * self.opening()).norm()
    }
}

/// The bonds of a frame.
pub(super) fn encode_frames<S: Recorded>(bonds: &[BondFrame<S>], arrays: &mut dyn Arrays) {
    if bonds.is_empty() {
        return;
    }
    encode_all(bonds.iter().map(|frame| &frame.bond), arrays);
    arrays.push("bond_place", vectors(bonds.iter().map(|frame| frame.place)));
    arrays.push("bond_direction", vectors(bonds.iter().map(|frame| frame.normal)));
    arrays.push("bond_stretch", vectors(bonds.iter().map(|frame| frame.stretch)));
}

pub(super) fn decode_frames<S: Recorded>(npz: &Npz) -> Result<Vec<BondFrame<S>>, String> {
    let bonds = decode::<S>(npz)?;
    if bonds.is_empty() {
        return Ok(Vec::new());
    }
    let columns = Columns(npz);
    let place = columns.vectors::<S::Vector>("bond_place")?;
    let normal = columns.vectors::<S::Vector>("bond_direction")?;
    let stretch = columns.vectors::<S::Vector>("bond_stretch")?;
    for (name, length) in [
        ("bond_place", place.len()),
        ("bond_direction", normal.len()),
        ("bond_stretch", stretch.len()),
    ] {
        same(name, length, bonds.len())?;
    }
    let of =
        |(i, bond)| BondFrame { bond, place: place[i], normal: normal[i], stretch: stretch[i] };
    Ok(bonds.into_iter().enumerate().map(of).collect())
}

/// What is kept of bonds from step to step.
pub(super) fn encode<S: Recorded>(bonds: &[Bond<S>], arrays: &mut dyn Arrays) {
    if !bonds.is_empty() {
        encode_all(bonds.iter(), arrays);
    }
}

fn encode_all<'a, S: Recorded>(
    all: impl ExactSizeIterator<Item = &'a Bond<S>> + Clone,
    arrays: &mut dyn Arrays,
) {
    let of = |bond: &Bond<S>| [i64::from(bond.shapes.0), i64::from(bond.shapes.1)];
    arrays.push("bond_shapes", pairs(all.clone().map(of)));
    arrays.push("bond_point", whole(all.clone().map(|bond| i64::from(bond.point))));
    for (side, name) in ["first", "second"].into_iter().enumerate() {
        let mut push = |what: &str, array| arrays.push(&format!("bond_{what}{name}"), array);
        push("", whole(all.clone().map(|bond| owner_number(bond.sides[side]))));
        push("anchor_", vectors(all.clone().map(|bond| bond.anchors[side])));
        push("normal_", vectors(all.clone().map(|bond| bond.normals[side])));
    }
    arrays.push("bond_area", vectors(all.clone().map(|bond| bond.area)));
    arrays.push("bond_damage", vectors(all.clone().map(|bond| bond.damage)));
    arrays.push("bond_impulse", vectors(all.map(|bond| bond.impulse)));
}

pub(super) fn decode<S: Recorded>(npz: &Npz) -> Result<Vec<Bond<S>>, String> {
    if npz.get("bond_shapes").is_none() {
        return Ok(Vec::new());
    }
    let columns = Columns(npz);
    let (shapes, point) = (columns.whole("bond_shapes")?, columns.whole("bond_point")?);
    let count = point.len();
    same("bond_shapes", shapes.len(), 2 * count)?;
    let small = |number: i64| u32::try_from(number).map_err(|_| format!("{number} is no index"));
    let owner = |number: i64| owner_from(number).ok_or_else(|| format!("{number} is no index"));
    let mut sides = [[].as_slice(); 2];
    let (mut anchors, mut normals) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
    for (side, name) in ["first", "second"].into_iter().enumerate() {
        let named = |what: &str| format!("bond_{what}{name}");
        sides[side] = columns.whole(&named(""))?;
        anchors[side] = columns.vectors::<S::Vector>(&named("anchor_"))?;
        normals[side] = columns.vectors::<S::Vector>(&named("normal_"))?;
        same(&named(""), sides[side].len(), count)?;
        same(&named("anchor_"), anchors[side].len(), count)?;
        same(&named("normal_"), normals[side].len(), count)?;
    }
    let (area, damage) = (columns.numbers("bond_area")?, columns.numbers("bond_damage")?);
    let impulse = columns.vectors::<S::Vector>("bond_impulse")?;
    same("bond_area", area.len(), count)?;
    same("bond_damage", damage.len(), count)?;
    same("bond_impulse", impulse.len(), count)?;
    (0..count)
        .map(|i| {
            Ok(Bond {
                shapes: (small(shapes[2 * i])?, small(shapes[2 * i + 1])?),
                point: small(point[i])?,
                sides: [owner(sides[0][i])?, owner(sides[1][i])?],
                anchors: [anchors[0][i], anchors[1][i]],
                normals: [normals[0][i], normals[1][i]],
                area: area[i],
                damage: damage[i],
                impulse: impulse[i],
            })
        })
        .collect()
}
