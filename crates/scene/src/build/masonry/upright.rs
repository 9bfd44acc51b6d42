//! Columns, buttresses, stairs, and blocks of a table.

use super::super::Builder;
use super::super::dimension::{SceneSpace, vector_or_zero};
use super::super::generate::Group;
use super::super::rows::Row;
use super::Stones;
use crate::format::{Blocks, Buttress, Column, SideWord, Stairs};
use crate::quantity::{Length, Unit};
use crate::report::Draft;
use drystone_space::{DVec2, Vector, math};
use std::f64::consts::TAU;

/// Sides of a column in space.
const SIDES: usize = 8;

impl<S: SceneSpace> Builder<'_, S> {
    pub(in super::super) fn column(&mut self, table: &Column, mut group: Group) -> Option<()> {
        let material = self.materials.find(&table.material, self.problems);
        if let (Some(sides), 2) = (&table.sides, S::DIMENSION) {
            let draft = Draft::error(sides.span, "sides of a column in the plane");
            self.problems.push(draft.expected("no `sides` in the plane"));
            return None;
        }
        let drums = table.drums.get();
        if !self.room(drums, table.drums.span) {
            return None;
        }
        let origin = vector_or_zero::<S, _, _>(&table.origin);
        let spans = [table.material.span, table.span];
        let stones = Stones { material: material?, spans, origin, depth: 1.0 };
        let foot = table.radius.value;
        let top = table.top_radius.as_ref().map_or(foot, |radius| radius.value);
        let sides = table.sides.as_ref().map_or(SIDES, |sides| sides.value as usize);
        let share = |joint: usize| joint as f64 / drums as f64;
        let radius = |joint: usize| foot + (top - foot) * share(joint);
        let height = |joint: usize| table.height.value * share(joint);
        for drum in 0..drums {
            let ends = [drum, drum + 1].map(|joint| (radius(joint), height(joint)));
            if S::DIMENSION == 2 {
                let [(low, below), (high, above)] = ends;
                let outline = [(-low, below), (low, below), (high, above), (-high, above)];
                self.profile(&stones, &outline.map(|(x, y)| DVec2::new(x, y)), &mut group)?;
                continue;
            }
            let mut corners = Vec::with_capacity(2 * sides);
            for (radius, height) in ends {
                // Flat sides face the axes.
                let corner = |k: usize| {
                    let at = math::direction(TAU * (k as f64 + 0.5) / sides as f64) * radius;
                    S::Vector::from_fn(|i| [at.x, at.y, height][i])
                };
                corners.extend((0..sides).map(corner));
            }
            self.hull(&stones, &corners, &mut group)?;
        }
        Some(())
    }

    pub(in super::super) fn buttress(&mut self, table: &Buttress, mut group: Group) -> Option<()> {
        let material = self.materials.find(&table.material, self.problems);
        let depth = self.depth(&table.depth, table.span, "the buttress");
        let courses = table.courses.get();
        if !self.room(courses, table.courses.span) {
            return None;
        }
        let origin = vector_or_zero::<S, _, _>(&table.origin);
        let spans = [table.material.span, table.span];
        let stones = Stones { material: material?, spans, origin, depth: depth? };
        let (base, top) = (table.base.value, table.top.value);
        let side = if table.upright == Some(SideWord::Right) { -1.0 } else { 1.0 };
        let joint = |k: usize| {
            let share = k as f64 / courses as f64;
            [side * (base + (top - base) * share), table.height.value * share]
        };
        for course in 0..courses {
            let [[low, below], [high, above]] = [joint(course), joint(course + 1)];
            let outline = [(0.0, below), (low, below), (high, above), (0.0, above)];
            self.profile(&stones, &outline.map(|(x, y)| DVec2::new(x, y)), &mut group)?;
        }
        Some(())
    }

    pub(in super::super) fn stairs(&mut self, table: &Stairs, mut group: Group) -> Option<()> {
        let material = self.materials.find(&table.material, self.problems);
        let depth = self.depth(&table.depth, table.span, "the stairs");
        let steps = table.steps.get();
        if !self.room(steps, table.steps.span) {
            return None;
        }
        let origin = vector_or_zero::<S, _, _>(&table.origin);
        let spans = [table.material.span, table.span];
        let stones = Stones { material: material?, spans, origin, depth: depth? };
        let (going, rise) = (table.going.value, table.rise.value);
        let end = steps as f64 * going;
        for step in 0..steps {
            let (from, below, above) =
                (step as f64 * going, step as f64 * rise, (step + 1) as f64 * rise);
            let outline = [(from, below), (end, below), (end, above), (from, above)];
            self.profile(&stones, &outline.map(|(x, y)| DVec2::new(x, y)), &mut group)?;
        }
        Some(())
    }

    pub(in super::super) fn blocks(&mut self, table: &Blocks, mut group: Group) -> Option<()> {
        let material = self.materials.find(&table.material, self.problems)?;
        let skip = table.skip.as_ref().map_or(0, |lines| lines.value as usize);
        let expected = corners::<S>();
        let (blocks, source) = self.rows(&table.file, skip, expected, Self::corners_of)?;
        if !self.room(blocks.len(), table.file.span) {
            return None;
        }
        let origin = S::Vector::ZERO;
        let spans = [table.material.span, table.span];
        let stones = Stones { material, spans, origin, depth: 1.0 };
        let mut whole = true;
        for (line, corners) in blocks {
            if let Err(error) = S::convex(&corners) {
                let draft = Draft::error(line.into(), "block that cannot be made");
                self.problems.push_in(&source, draft.found(error.to_string()).expected(expected));
                whole = false;
                continue;
            }
            self.hull(&stones, &corners, &mut group)?;
        }
        whole.then_some(())
    }

    /// The line of a block, and its corners.
    fn corners_of(
        &self,
        text: &str,
        row: &Row,
    ) -> Result<(std::ops::Range<usize>, Vec<S::Vector>), Draft> {
        let (n, cells) = (S::DIMENSION, &row.cells);
        if !cells.len().is_multiple_of(n) || cells.len() / n <= n {
            let draft =
                Draft::error(row.line.clone().into(), "line with a wrong number of columns");
            let found = format!("{} columns", cells.len());
            return Err(draft.found(found).expected(corners::<S>()));
        }
        let number = |cell: &std::ops::Range<usize>| {
            let value = text[cell.clone()].parse::<f64>().ok();
            let value = value.map(|value| self.around.units.si::<Length>(value, n));
            value.filter(|value| value.abs() <= Length::LARGEST).ok_or_else(|| {
                let draft = Draft::error(cell.clone().into(), "cell without meaning");
                let largest = Length::LARGEST;
                let expected = format!("a number, no larger than {largest:e} in SI units");
                draft.found(format!("{:?}", &text[cell.clone()])).expected(expected)
            })
        };
        let numbers = cells.iter().map(number).collect::<Result<Vec<f64>, Draft>>()?;
        let corners = numbers.chunks_exact(n).map(|place| S::Vector::from_fn(|i| place[i]));
        Ok((row.line.clone(), corners.collect()))
    }
}

/// What a line holds.
fn corners<S: SceneSpace>() -> &'static str {
    match S::DIMENSION {
        2 => "lines `x y x y x y …`, the corners of a convex block in their order",
        _ => "lines `x y z x y z …`, four or more corners of a convex block",
    }
}
