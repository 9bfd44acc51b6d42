//! Generators: the common part. Each rule gives bodies; here they get their names and places.

use super::body::Parts;
use super::dimension::SceneSpace;
use super::irregular::Irregular;
use super::sizes::Distribution;
use super::{Builder, Made, Origin};
use crate::format::{
    EllipseTable, GenerateTable, Generator, IrregularTable, PartTable, PolygonsTable, ShapeChoice,
    Sizes,
};
use crate::plain::Text;
use crate::report::{Draft, Span};
use crate::wrap::{Items, List};
use drystone_engine::{Body, MaterialId};
use drystone_space::Random;
use drystone_space::{Pose, Rotation, Vector};

/// What a generator or emitter makes its bodies from.
#[derive(Clone, Debug)]
pub(super) enum Grains<S: SceneSpace> {
    /// Copies of one body, made at the origin.
    Alike(Box<Body<S>>),
    /// Disks or spheres.
    Round { sizes: Distribution, material: MaterialId },
    /// Regular polygons, from the least to the largest number of sides.
    Polygons { sizes: Distribution, sides: [usize; 2], material: MaterialId },
    /// Random convex polygons or polyhedra.
    Irregular { sizes: Distribution, corners: [usize; 2], form: Irregular, material: MaterialId },
    /// Clusters inside of an ellipse.
    Ellipses { sizes: Distribution, elongation: f64, count: usize, material: MaterialId },
}

impl<S: SceneSpace> Grains<S> {
    /// The sizes of grains that have a radius.
    pub fn sizes(&self) -> Option<&Distribution> {
        match self {
            Self::Alike(_) => None,
            Self::Round { sizes, .. }
            | Self::Polygons { sizes, .. }
            | Self::Irregular { sizes, .. }
            | Self::Ellipses { sizes, .. } => Some(sizes),
        }
    }
}

/// What a table says of the bodies that it makes.
#[derive(Clone, Copy)]
pub(super) struct Recipe<'a> {
    pub shape: &'a Option<ShapeChoice>,
    pub parts: &'a Option<Items<PartTable>>,
    pub radius: &'a Option<Sizes>,
    pub polygon: &'a Option<PolygonsTable>,
    pub irregular: &'a Option<IrregularTable>,
    pub ellipse: &'a Option<EllipseTable>,
    pub material: &'a Text,
    pub span: Span,
}

/// A group of generated bodies: what they are called.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub name: String,
    pub origin: Origin,
}

impl Group {
    /// Name and origin of the next member.
    pub fn next(&mut self) -> (String, Origin) {
        self.origin.number += 1;
        let name = match self.name.as_str() {
            "" => String::new(),
            name => format!("{name} {}", self.origin.number),
        };
        (name, self.origin)
    }
}

impl<S: SceneSpace> Builder<'_, S> {
    /// The generators of the file.
    pub fn generators(&mut self, list: &List<GenerateTable>) {
        for table in &list.items {
            self.names.claim(&table.name, None, self.problems);
            let rules = table.rules();
            let [rule] = rules[..] else {
                let found =
                    if rules.is_empty() { "none".to_owned() } else { rules.len().to_string() };
                let draft = Draft::error(table.span, "a generator has one rule").found(found);
                self.problems.push(draft.expected(
                    "one of `wall`, `lattice`, `deposit`, `list`, `row`, `arch`, `pointed_arch`, `flat_arch`, `vault`, \
                     `dome`, `column`, `buttress`, `stairs`, `blocks` or `voronoi`, such as `[generate.wall]`",
                ));
                continue;
            };
            let name = table.name.as_ref().map_or_else(String::new, |name| name.value.clone());
            let before = self.setup.bodies.len();
            self.entering = table.enters.as_ref().map(|time| time.value).filter(|&time| time > 0.0);
            let group = |noun, span| Group {
                name: name.clone(),
                origin: Origin { span, velocity: None, noun, number: 0 },
            };
            match rule {
                Generator::Wall(wall) => self.wall(wall, group("block", wall.span)),
                Generator::Lattice(table) => self.lattice(table, group("body", table.span)),
                Generator::Deposit(table) => self.deposit(table, group("grain", table.span)),
                Generator::List(table) => self.list(table, group("grain", table.span)),
                Generator::Row(row) => self.row(row, group("copy", row.span)),
                Generator::Arch(arch) => self.arch(arch, group("voussoir", arch.span)),
                Generator::Voronoi(table) => self.voronoi(table, group("cell", table.span)),
                Generator::PointedArch(arch) => {
                    self.pointed_arch(arch, group("voussoir", arch.span))
                }
                Generator::FlatArch(arch) => self.flat_arch(arch, group("voussoir", arch.span)),
                Generator::Vault(vault) => self.vault(vault, group("stone", vault.span)),
                Generator::Dome(dome) => self.dome(dome, group("stone", dome.span)),
                Generator::Column(column) => self.column(column, group("drum", column.span)),
                Generator::Buttress(table) => self.buttress(table, group("course", table.span)),
                Generator::Stairs(stairs) => self.stairs(stairs, group("slab", stairs.span)),
                Generator::Blocks(table) => self.blocks(table, group("block", table.span)),
            };
            self.entering = None;
            self.names.add_group(&name, before..self.setup.bodies.len());
        }
    }

    /// Adds a member of a group at a place.
    pub(super) fn member(
        &mut self,
        mut body: Body<S>,
        place: &Pose<S>,
        velocity: S::Vector,
        group: &mut Group,
    ) {
        let (name, origin) = group.next();
        body.set_name(name);
        (body.pose, body.velocity) = (place.compose(&body.pose), velocity);
        self.add(Made { body, force: S::Vector::ZERO, torque: S::Spin::ZERO }, origin);
    }

    /// What the bodies are made from: exactly one of `shape`, `parts`, `radius` and `polygon`.
    pub(super) fn grains(&mut self, given: &Recipe) -> Option<Grains<S>> {
        let Recipe { shape, parts, radius, polygon, irregular, ellipse, material, span } = *given;
        let keys = [
            ("shape", shape.is_some()),
            ("parts", parts.is_some()),
            ("radius", radius.is_some()),
            ("polygon", polygon.is_some()),
            ("irregular", irregular.is_some()),
            ("ellipse", ellipse.is_some()),
        ];
        let keys: Vec<String> =
            keys.iter().filter(|(_, given)| *given).map(|(key, _)| format!("`{key}`")).collect();
        if keys.len() != 1 {
            let (message, found) = match keys.is_empty() {
                true => ("no shape", "none of them".to_owned()),
                false => ("shape given twice", keys.join(" and ")),
            };
            let draft = Draft::error(span, message).found(found);
            self.problems.push(draft.expected(
                "one of `shape`, `parts`, `radius`, `polygon`, `irregular` or `ellipse`",
            ));
            return None;
        }
        if let Some(table) = polygon {
            let id = self.materials.find(material, self.problems)?;
            return self.polygons(table, id, material.span);
        }
        if let Some(table) = irregular {
            let id = self.materials.find(material, self.problems)?;
            return self.irregular(table, id, material.span);
        }
        if let Some(table) = ellipse {
            let id = self.materials.find(material, self.problems)?;
            return self.ellipses(table, id, material.span);
        }
        let Some(sizes) = radius else {
            let common = Some(material.clone());
            let made = self.parts(&Parts { shape, parts, material: &common, span, solid: true })?;
            let body = self.made_of(made, material.span)?;
            return Some(Grains::Alike(Box::new(body)));
        };
        let id = self.materials.find(material, self.problems);
        let sizes = Distribution::new(sizes, S::DIMENSION, self.problems)?;
        // That the material has a density is checked before many bodies ask for it.
        self.simple(S::round(1.0), id?, material.span)?;
        Some(Grains::Round { sizes, material: id? })
    }

    /// Polygons with random numbers of sides.
    fn polygons(
        &mut self,
        table: &PolygonsTable,
        material: MaterialId,
        span: Span,
    ) -> Option<Grains<S>> {
        let sizes = Distribution::new(&table.radius, S::DIMENSION, self.problems);
        let sides = [table.sides.first.value as usize, table.sides.second.value as usize];
        if sides[0] > sides[1] {
            let draft = Draft::error(table.sides.span, "numbers of sides that fall");
            let draft = draft.found(format!("from {} to {}", sides[0], sides[1]));
            self.problems.push(draft.expected("the least number first"));
            return None;
        }
        let Some(shape) = S::regular(sides[0], 1.0) else {
            let draft = Draft::error(table.span, "polygons in space");
            self.problems.push(draft.expected("`shape` or `radius`"));
            return None;
        };
        // That the material has a density is checked before many bodies ask for it.
        self.simple(shape.ok()?, material, span)?;
        Some(Grains::Polygons { sizes: sizes?, sides, material })
    }

    /// The next body, at the origin.
    pub(super) fn grain(&mut self, grains: &Grains<S>, random: &mut Random) -> Option<Body<S>> {
        match grains {
            Grains::Alike(body) => Some((**body).clone()),
            Grains::Round { sizes, material } => {
                let shape = S::round(sizes.draw(random));
                self.simple(shape, *material, Span::default())
            }
            Grains::Polygons { sizes, .. }
            | Grains::Irregular { sizes, .. }
            | Grains::Ellipses { sizes, .. } => {
                let radius = sizes.draw(random);
                self.sized(grains, radius, random)
            }
        }
    }

    /// The next of grains that have a radius, with this one.
    pub(super) fn sized(
        &mut self,
        grains: &Grains<S>,
        radius: f64,
        random: &mut Random,
    ) -> Option<Body<S>> {
        match grains {
            Grains::Alike(body) => Some((**body).clone()),
            Grains::Round { material, .. } => {
                self.simple(S::round(radius), *material, Span::default())
            }
            Grains::Polygons { sides: [least, most], material, .. } => {
                let count = (most - least + 1) as f64;
                let extra = (random.unit() * count).floor().min(count - 1.0);
                let shape = S::regular(least + extra as usize, radius)?.ok()?;
                self.simple(shape, *material, Span::default())
            }
            Grains::Irregular { corners: [least, most], form, material, .. } => {
                let corners = least + random.below(most - least + 1);
                let shape = S::irregular(corners, radius, *form, random).ok()?;
                self.simple(shape, *material, Span::default())
            }
            Grains::Ellipses { elongation, count, material, .. } => {
                self.ellipse(radius, radius / elongation, *count, *material, Span::default())
            }
        }
    }

    /// Not turned, or turned at random.
    pub(super) fn turn(&self, at_random: Option<bool>, random: &mut Random) -> S::Rotation {
        match at_random {
            Some(true) => S::random_rotation(random),
            _ => S::Rotation::IDENTITY,
        }
    }
}
