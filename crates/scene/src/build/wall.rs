//! Masonry walls.

use super::Builder;
use super::dimension::{SceneSpace, shape_problem, vector, vector_or_zero};
use super::generate::Group;
use crate::format::{Bond, Wall};
use crate::report::Draft;
use drystone_engine::Body;
use drystone_space::{Pose, Vector};

/// Lengths of a wall are taken as whole numbers of modules within this part of one.
const FIT: f64 = 1e-6;

/// How a wall is divided. Lengths along it are counted in modules: half blocks with their joint in
/// the running bond, whole ones in the stack bond.
#[derive(Clone, Copy, Debug)]
struct Division {
    bond: Bond,
    /// Width of a whole block.
    block: f64,
    joint: f64,
    /// Number of modules of the given length; a whole number if the blocks fill it.
    modules: f64,
}

impl Division {
    fn new(table: &Wall) -> Self {
        let bond = table.bond.unwrap_or(Bond::Running);
        let joint = table.joint.as_ref().map_or(0.0, |n| n.value);
        let block = table.block.values[0];
        let division = Self { bond, block, joint, modules: 0.0 };
        Self { modules: (table.length.value + joint) / division.module(), ..division }
    }
    /// Two half blocks and their joint are as long as a block.
    fn half(&self) -> f64 {
        0.5 * (self.block - self.joint)
    }
    fn module(&self) -> f64 {
        match self.bond {
            Bond::Running => self.half() + self.joint,
            Bond::Stack => self.block + self.joint,
        }
    }
    fn fits(&self) -> bool {
        let whole = self.modules.round();
        whole >= 1.0 && (self.modules - whole).abs() <= FIT * whole
    }
    /// Most blocks in a row.
    fn most(&self) -> f64 {
        match self.bond {
            Bond::Running => (self.modules.round() / 2.0).floor() + 1.0,
            Bond::Stack => self.modules.round(),
        }
    }
    /// Start in modules and width of each block of a row, counted from 0.
    ///
    /// Running bond over an odd number of half blocks: the half block is on the left in odd rows
    /// (counted from 1) and on the right in even ones. Over an even number: odd rows are whole,
    /// even rows have half blocks at both ends.
    fn course(&self, row: usize) -> Vec<(usize, f64)> {
        let modules = self.modules.round() as usize;
        if self.bond == Bond::Stack {
            return (0..modules).map(|start| (start, self.block)).collect();
        }
        let begins_halved = row.is_multiple_of(2) == (modules % 2 == 1);
        let mut blocks = Vec::with_capacity(modules / 2 + 1);
        let mut start = 0;
        if begins_halved {
            blocks.push((0, self.half()));
            start = 1;
        }
        while start < modules {
            let whole = modules - start >= 2;
            blocks.push((start, if whole { self.block } else { self.half() }));
            start += 2;
        }
        blocks
    }
}

impl<S: SceneSpace> Builder<'_, S> {
    /// Rows of blocks from the lowest corner upwards.
    pub(super) fn wall(&mut self, table: &Wall, mut group: Group) -> Option<()> {
        let material = self.materials.find(&table.material, self.problems);
        let division = Division::new(table);
        self.check_division(table, &division)?;
        // The product may exceed every integer: bounded as a number first.
        let rows = table.rows.get();
        if !self.room((division.most() * rows as f64).min(1e15) as usize, table.span) {
            return None;
        }
        let size = vector::<S, _, _>(&table.block);
        let mut make = |width: f64| -> Option<Body<S>> {
            let size = S::Vector::from_fn(|i| if i == 0 { width } else { size.get(i) });
            let shape = S::block(size)
                .map_err(|e| shape_problem(e, table.block.span, "the block", self.problems));
            self.simple(shape.ok()?, material?, table.material.span)
        };
        let (whole, halved) = (make(division.block)?, make(division.half())?);
        let origin = vector_or_zero::<S, _, _>(&table.origin);
        for row in 0..rows {
            for (start, width) in division.course(row) {
                let body = if width == division.block { &whole } else { &halved };
                let centre = S::Vector::from_fn(|i| match i {
                    0 => start as f64 * division.module() + 0.5 * width,
                    i if i == S::DIMENSION - 1 => (row as f64 + 0.5) * size.get(i),
                    i => 0.5 * size.get(i),
                });
                self.member(body.clone(), &Pose::at(origin + centre), S::Vector::ZERO, &mut group);
            }
        }
        Some(())
    }

    /// Reports joints that leave no half block, and lengths that blocks do not fill.
    fn check_division(&mut self, table: &Wall, division: &Division) -> Option<()> {
        let Division { joint, block, modules, .. } = *division;
        if division.half() <= 0.0 {
            let span = table.joint.as_ref().map_or(table.span, |n| n.span);
            let draft = Draft::error(span, "joint as wide as the block");
            let draft = draft.found(format!("{joint} m"));
            self.problems.push(draft.expected(format!("a joint well below {block} m")));
            return None;
        }
        if !division.fits() {
            let near = |count: f64| ((count * division.module() - joint) * 1e9).round() / 1e9;
            let below = modules.floor().max(1.0);
            let unit = if division.bond == Bond::Running { "half blocks" } else { "blocks" };
            let draft = Draft::error(table.length.span, "blocks do not fill the length");
            let draft = draft.found(format!("{} m, {modules:.3} {unit}", table.length.value));
            let lengths = format!("such as {} m or {} m", near(below), near(below + 1.0));
            self.problems.push(draft.expected(format!("a whole number of {unit}, {lengths}")));
            return None;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn courses_are_staggered_and_closed_by_half_blocks() {
        let division = Division { bond: Bond::Running, block: 2.0, joint: 0.0, modules: 5.0 };
        assert_eq!(division.course(0), [(0, 1.0), (1, 2.0), (3, 2.0)]);
        assert_eq!(division.course(1), [(0, 2.0), (2, 2.0), (4, 1.0)]);
        let even = Division { modules: 4.0, ..division };
        assert_eq!(even.course(0), [(0, 2.0), (2, 2.0)]);
        assert_eq!(even.course(1), [(0, 1.0), (1, 2.0), (3, 1.0)]);
        let stack = Division { bond: Bond::Stack, modules: 2.0, ..division };
        assert_eq!(stack.course(7), [(0, 2.0), (1, 2.0)]);
    }

    #[test]
    fn half_blocks_leave_room_for_their_joint() {
        let division = Division { bond: Bond::Running, block: 2.0, joint: 0.5, modules: 3.0 };
        assert_eq!((division.half(), division.module()), (0.75, 1.25));
    }
}
