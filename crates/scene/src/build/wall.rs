//! Masonry walls.

use super::Builder;
use super::coursing::{Cut, Division, FIT, Slot};
use super::dimension::{SceneSpace, shape_problem, vector, vector_or_zero};
use super::generate::Group;
use crate::format::{Bond, OpeningTable, Wall};
use crate::report::{Draft, Span};
use drystone_engine::{Body, MaterialId};
use drystone_space::{Pose, Random, Vector};

/// Blocks that were made, by the bits of their length and depth.
type Cast<S> = Vec<([u64; 2], Body<S>)>;

/// What the blocks of a wall have in common.
struct Bricks<S: SceneSpace> {
    material: MaterialId,
    size: S::Vector,
    origin: S::Vector,
    scatter: f64,
}

impl<S: SceneSpace> Builder<'_, S> {
    /// Rows of blocks from the lowest corner upwards.
    pub(super) fn wall(&mut self, table: &Wall, mut group: Group) -> Option<()> {
        let material = self.materials.find(&table.material, self.problems);
        let bond = table.bond.unwrap_or(Bond::Running);
        let joint = table.joint.as_ref().map_or(0.0, |n| n.value);
        let division = Division::new(bond, table.block.values[0], joint, table.length.value);
        self.check_division(table, &division)?;
        // The product may exceed every integer: bounded as a number first.
        let rows = table.rows.get();
        let corner = self.corner(table, &division)?;
        let along = division.most() + corner.map_or(0.0, |corner| corner.most());
        if !self.room((along * rows as f64).min(1e15) as usize, table.span) {
            return None;
        }
        let cuts = self.openings(table, &division)?;
        let bricks = Bricks {
            material: material?,
            size: vector::<S, _, _>(&table.block),
            origin: vector_or_zero::<S, _, _>(&table.origin),
            scatter: table.scatter.as_ref().map_or(0.0, |n| n.value),
        };
        self.check_scatter(table, &division, &bricks)?;
        let mut random = self.random(&table.seed);
        let mut cast = Cast::new();
        for row in 0..rows {
            let slots = match corner {
                Some(_) => division.course_from(row % 2, division.count(), row % 2),
                None => division.course(row, &cuts),
            };
            for slot in slots {
                self.brick(
                    table,
                    &bricks,
                    (row, &slot, false),
                    &mut random,
                    &mut cast,
                    &mut group,
                )?;
            }
            let Some(corner) = corner else { continue };
            let begins = (row + 1) % 2;
            for slot in corner.course_from(begins, corner.count(), begins) {
                self.brick(table, &bricks, (row, &slot, true), &mut random, &mut cast, &mut group)?;
            }
        }
        Some(())
    }

    /// Makes one block; in the second wall of a corner, along y.
    fn brick(
        &mut self,
        table: &Wall,
        bricks: &Bricks<S>,
        (row, slot, turned): (usize, &Slot, bool),
        random: &mut Random,
        cast: &mut Cast<S>,
        group: &mut Group,
    ) -> Option<()> {
        let (mut width, mut start) = (slot.width, slot.start);
        if bricks.scatter > 0.0 {
            let less = random.between(0.0, bricks.scatter);
            (width, start) = (width - less, start + random.between(0.0, less));
        }
        let size = bricks.size;
        let (back, depth) = slot.across.unwrap_or((0.0, size.get(1)));
        let across = back + 0.5 * depth;
        let [length, depth] = if turned { [depth, width] } else { [width, depth] };
        let key = [length, depth].map(f64::to_bits);
        let body = match cast.iter().find(|(own, _)| *own == key) {
            Some((_, body)) => body.clone(),
            None => {
                let size = S::Vector::from_fn(|i| match i {
                    0 => length,
                    i if i == S::DIMENSION - 1 => size.get(i),
                    _ => depth,
                });
                let shape = S::block(size)
                    .map_err(|e| shape_problem(e, table.block.span, "the block", self.problems));
                let body = self.simple(shape.ok()?, bricks.material, table.material.span)?;
                if bricks.scatter == 0.0 {
                    cast.push((key, body.clone()));
                }
                body
            }
        };
        let along = start + 0.5 * width;
        let centre = S::Vector::from_fn(|i| match i {
            i if i == S::DIMENSION - 1 => (row as f64 + 0.5) * size.get(i),
            0 => {
                if turned {
                    across
                } else {
                    along
                }
            }
            _ => {
                if turned {
                    along
                } else {
                    across
                }
            }
        });
        self.member(body, &Pose::at(bricks.origin + centre), S::Vector::ZERO, group);
        Some(())
    }

    /// Reports joints that leave no half block, and lengths that blocks do not fill.
    fn check_division(&mut self, table: &Wall, division: &Division) -> Option<()> {
        let Division { bond, joint, block, .. } = *division;
        if division.least() <= 0.0 {
            let span = table.joint.as_ref().map_or(table.span, |n| n.span);
            let draft = Draft::error(span, "joint as wide as the block");
            let draft = draft.found(format!("{joint} m"));
            self.problems.push(draft.expected(format!("a joint well below {block} m")));
            return None;
        }
        if matches!(bond, Bond::Flemish | Bond::English) {
            self.check_bond(table, division)?;
        }
        self.check_length(division, table.length.value, table.length.span)
    }

    /// Reports a length that blocks do not fill.
    fn check_length(&mut self, division: &Division, length: f64, span: Span) -> Option<()> {
        if division.fits() {
            return Some(());
        }
        let near = |count: f64| ((count * division.module() - division.joint) * 1e9).round() / 1e9;
        let (below, above) = division.lengths_near();
        let unit = division.unit();
        let draft = Draft::error(span, "blocks do not fill the length");
        let draft = draft.found(format!("{length} m, {:.3} {unit}", division.modules));
        let lengths = format!("such as {} m or {} m", near(below), near(above));
        let expected = match division.bond {
            Bond::Running | Bond::Stack => format!("a whole number of {unit}, {lengths}"),
            _ => format!("a length that the bond fills, {lengths}"),
        };
        self.problems.push(draft.expected(expected));
        None
    }

    /// Reports a bond with headers that is not in space, or whose wall is not as deep as a block is long.
    fn check_bond(&mut self, table: &Wall, division: &Division) -> Option<()> {
        if S::DIMENSION == 2 {
            let draft = Draft::error(table.span, "bond with headers in the plane");
            self.problems.push(draft.expected("`running` or `stack`, or `dimension = 3`"));
            return None;
        }
        let depth = table.block.values[1];
        if (depth - division.block).abs() > FIT * division.block {
            let draft =
                Draft::error(table.block.span, "wall that is not as deep as a block is long");
            let draft = draft.found(format!("{depth} m"));
            let expected =
                format!("{} m, the length of a header that goes through", division.block);
            self.problems.push(draft.expected(expected));
            return None;
        }
        if let Some(openings) = &table.openings {
            let draft = Draft::error(openings.span, "openings in a bond with headers");
            self.problems.push(draft.expected("openings in the running bond or the stack bond"));
            return None;
        }
        Some(())
    }

    /// The second wall of a corner.
    fn corner(&mut self, table: &Wall, division: &Division) -> Option<Option<Division>> {
        let Some(length) = &table.corner else { return Some(None) };
        let mut refuse = |message: &str, found: String, expected: String| {
            let draft = Draft::error(length.span, message).found(found);
            self.problems.push(draft.expected(expected));
        };
        if S::DIMENSION == 2 || division.bond != Bond::Running || table.openings.is_some() {
            let expected = "space, the running bond, and no openings".to_owned();
            refuse("corner that cannot be bonded", format!("{} m", length.value), expected);
            return None;
        }
        let (depth, half) = (table.block.values[1], division.half());
        if (depth - half).abs() > FIT * half {
            let expected = format!("a depth of {half} m, that of a half block");
            refuse(
                "corner of blocks that are not twice as long as deep",
                format!("{depth} m deep"),
                expected,
            );
            return None;
        }
        let other = Division::new(division.bond, division.block, division.joint, length.value);
        self.check_length(&other, length.value, length.span)?;
        Some(Some(other))
    }

    /// The places of openings and lintels in each row, in order.
    fn openings(&mut self, table: &Wall, division: &Division) -> Option<Vec<Vec<Cut>>> {
        let mut cuts =
            vec![Vec::new(); if table.openings.is_some() { table.rows.get() } else { 0 }];
        for opening in table.openings.iter().flat_map(|list| &list.items) {
            self.opening(opening, table, division, &mut cuts)?;
        }
        cuts.iter_mut().for_each(|row| row.sort_by_key(|cut| cut.from));
        for row in &cuts {
            if row.windows(2).any(|pair| pair[0].to > pair[1].from) {
                let span = table.openings.as_ref().map_or(table.span, |list| list.span);
                let draft = Draft::error(span, "openings or lintels that overlap");
                self.problems.push(draft.expected("masonry between them"));
                return None;
            }
        }
        Some(cuts)
    }

    fn opening(
        &mut self,
        opening: &OpeningTable,
        table: &Wall,
        division: &Division,
        cuts: &mut [Vec<Cut>],
    ) -> Option<()> {
        let Division { joint, .. } = *division;
        let module = division.module();
        let mut nearest = |value: f64, span: Span| {
            let place = (value / module).round();
            if (value - place * module).abs() > joint + FIT * module {
                let draft = Draft::error(span, "opening off the joints");
                let draft = draft.found(format!("an edge at {value} m"));
                let near = (place * module * 1e9).round() / 1e9;
                let unit = division.unit();
                self.problems.push(draft.expected(format!("whole {unit}, such as {near} m")));
                return None;
            }
            Some(place as usize)
        };
        let from = nearest(opening.start.value, opening.start.span)?;
        let to = nearest(opening.start.value + opening.width.value, opening.width.span)?;
        let sill = opening.sill.as_ref().map_or(0, |rows| rows.value as usize);
        let top = sill.saturating_add(opening.rows.get());
        let bearing =
            opening.bearing.as_ref().map_or(1, |n| (n.value / module).round().max(1.0) as usize);
        let lintel = (top < cuts.len()).then(|| (from.checked_sub(bearing), to + bearing));
        let fits = to > from
            && to <= division.count()
            && top <= cuts.len()
            && lintel.is_none_or(|(from, to)| from.is_some() && to <= division.count());
        if !fits {
            let draft = Draft::error(opening.span, "opening that the wall does not hold");
            let size = format!("{} m long and {} rows high", table.length.value, cuts.len());
            let found =
                format!("modules {from} to {to}, rows {sill} to {top}, lintel on {bearing} more");
            self.problems.push(draft.found(found).expected(format!("room in a wall {size}")));
            return None;
        }
        cuts[sill..top].iter_mut().for_each(|row| row.push(Cut { from, to, lintel: false }));
        if let Some((Some(from), to)) = lintel {
            cuts[top].push(Cut { from, to, lintel: true });
        }
        Some(())
    }

    /// Reports a scatter that leaves nothing of the shortest block.
    fn check_scatter(
        &mut self,
        table: &Wall,
        division: &Division,
        bricks: &Bricks<S>,
    ) -> Option<()> {
        let least = division.least();
        if bricks.scatter < least {
            return Some(());
        }
        let span = table.scatter.as_ref().map_or(table.span, |n| n.span);
        let draft = Draft::error(span, "scatter as long as a block");
        let draft = draft.found(format!("{} m", bricks.scatter));
        self.problems.push(draft.expected(format!("well below the shortest block, {least} m")));
        None
    }
}
