//! Regular arrangements: walls, lattices, rows, arches.

use super::Builder;
use super::dimension::{Dimension, shape_problem, vector, vector_or_zero};
use super::generate::Group;
use crate::format::{Arch, Bond, Lattice, Row, Wall};
use crate::report::Draft;
use drystone_engine::Body;
use drystone_space::{DVec2, Pose, Rotation, Vector};
use std::f64::consts::{PI, TAU};

/// Lengths of a wall are taken as whole numbers of half blocks within this part of one.
const FIT: f64 = 1e-6;

impl<S: Dimension> Builder<'_, S> {
    /// Rows of blocks. Two half blocks and a joint are as long as a block.
    pub(super) fn wall(&mut self, table: &Wall, mut group: Group) -> Option<()> {
        let size = vector::<S, _, _>(&table.block);
        let material = self.materials.find(&table.material, self.problems);
        let joint = table.joint.as_ref().map_or(0.0, |n| n.value);
        let bond = table.bond.unwrap_or(Bond::Running);
        // All lengths are counted in modules: half a block, or a whole one for the stack bond.
        let half = (size.get(0) - joint) / 2.0;
        let module = match bond {
            Bond::Running => half + joint,
            Bond::Stack => size.get(0) + joint,
        };
        if half <= 0.0 {
            let draft = Draft::error(table.span, "joint as wide as the block");
            let draft = draft.found(format!("{joint} m"));
            self.problems.push(draft.expected(format!("a joint well below {} m", size.get(0))));
            return None;
        }
        let modules = (table.length.value + joint) / module;
        let count = modules.round();
        if (modules - count).abs() > FIT * count.max(1.0) || count < 1.0 {
            let draft = Draft::error(table.length.span, "blocks do not fill the length");
            let near = |count: f64| ((count * module - joint) * 1e9).round() / 1e9;
            let (below, above) = (modules.floor().max(1.0), modules.floor().max(1.0) + 1.0);
            let unit = if bond == Bond::Running { "half blocks" } else { "blocks" };
            let draft = draft.found(format!("{} m, {modules:.3} {unit}", table.length.value));
            let lengths = format!("such as {} m or {} m", near(below), near(above));
            let expected = format!("a whole number of {unit}, {lengths}");
            self.problems.push(draft.expected(expected));
            return None;
        }
        // The product may exceed every integer: compare as numbers first.
        let rows = table.rows.get();
        if !self.room((count * rows as f64).min(1e15) as usize, table.span) {
            return None;
        }
        let size_of = |width: f64| S::Vector::from_fn(|i| if i == 0 { width } else { size.get(i) });
        let mut make = |width: f64| -> Option<Body<S>> {
            let shape = S::block(size_of(width))
                .map_err(|e| shape_problem(e, table.block.span, "the block", self.problems));
            self.simple(shape.ok()?, material?, table.material.span)
        };
        let (whole, halved) = (make(size.get(0))?, make(half)?);
        let origin = vector_or_zero::<S, _, _>(&table.origin);
        for row in 0..rows {
            for (start, length) in course(bond, row, count as usize) {
                let body = if length == 1 && bond == Bond::Running { &halved } else { &whole };
                let width = if length == 1 && bond == Bond::Running { half } else { size.get(0) };
                let centre = S::Vector::from_fn(|i| match i {
                    0 => start as f64 * module + 0.5 * width,
                    i if i == S::DIMENSION - 1 => (row as f64 + 0.5) * size.get(i),
                    i => 0.5 * size.get(i),
                });
                self.member(body.clone(), &Pose::at(origin + centre), S::Vector::ZERO, &mut group);
            }
        }
        Some(())
    }

    /// A grid of bodies.
    pub(super) fn lattice(&mut self, table: &Lattice, mut group: Group) -> Option<()> {
        let grains = self.grains(&table.shape, &table.radius, &table.material, table.span);
        let counts: Vec<usize> = table.counts.items.iter().map(|c| c.get()).collect();
        if counts.len() != S::DIMENSION {
            let draft = Draft::error(table.counts.span, "list of the wrong length");
            let draft = draft.found(format!("{} numbers", counts.len()));
            self.problems.push(draft.expected(format!("{} whole numbers", S::DIMENSION)));
            return None;
        }
        let total = counts.iter().fold(1usize, |product, &n| product.saturating_mul(n));
        if !self.room(total, table.counts.span) {
            return None;
        }
        let grains = grains?;
        let mut random = self.random(&table.seed);
        let (origin, spacing) =
            (vector_or_zero::<S, _, _>(&table.origin), vector::<S, _, _>(&table.spacing));
        let jitter = table.jitter.as_ref().map_or(0.0, |n| n.value);
        let velocity = vector_or_zero::<S, _, _>(&table.velocity);
        group.origin.velocity = table.velocity.as_ref().map(|v| v.span);
        for index in 0..total {
            let mut rest = index;
            let cell = S::Vector::from_fn(|i| {
                let along = rest % counts[i];
                rest /= counts[i];
                along as f64
            });
            let shift = S::Vector::from_fn(|_| match jitter > 0.0 {
                true => random.between(-jitter, jitter),
                false => 0.0,
            });
            let turn = self.turn(table.random_rotation, &mut random);
            let place = Pose::new(origin + cell.scale(spacing) + shift, turn);
            let body = self.grain(&grains, &mut random)?;
            self.member(body, &place, velocity, &mut group);
        }
        Some(())
    }

    /// Copies of one body: the i-th is turned by i turns about the pivot, then moved by i steps.
    pub(super) fn row(&mut self, table: &Row, mut group: Group) -> Option<()> {
        let first = self.body(&table.body);
        if let Some(name) = &table.body.name {
            let draft = Draft::error(name.span, "name of a body that is copied");
            let draft = draft.found(format!("`{}`", name.value));
            self.problems.push(draft.help("give the name to the `[[generate]]`"));
        }
        group.origin.velocity = table.body.velocity.as_ref().map(|v| v.span);
        let first = first?;
        if !self.room(table.count.get(), table.count.span) {
            return None;
        }
        let step = vector_or_zero::<S, _, _>(&table.step);
        let pivot = vector_or_zero::<S, _, _>(&table.pivot);
        let turn = table
            .rotation_step
            .as_ref()
            .map_or(S::Spin::ZERO, |r| S::Spin::from_fn(|i| r.values[i]));
        for index in 0..table.count.get() {
            let rotation = S::Rotation::exponential(turn * index as f64);
            let offset = pivot - rotation.apply(pivot) + step * index as f64;
            let place = match turn == S::Spin::ZERO {
                true => Pose::at(step * index as f64),
                false => Pose::new(offset, rotation),
            };
            let (name, origin) = group.next();
            let mut made = first.clone();
            let spin = made.body.world_spin();
            made.body.name = name;
            made.body.pose = place.compose(&made.body.pose);
            made.body.set_world_spin(spin);
            self.add(made, origin);
        }
        Some(())
    }

    /// Voussoirs between two radii.
    pub(super) fn arch(&mut self, table: &Arch, mut group: Group) -> Option<()> {
        let material = self.materials.find(&table.material, self.problems);
        let (inner, outer) = (table.inner_radius.value, table.outer_radius.value);
        if inner >= outer {
            let draft = Draft::error(table.outer_radius.span, "arch without thickness");
            let draft = draft.found(format!("{outer} m"));
            self.problems.push(draft.expected(format!("more than the inner radius, {inner} m")));
            return None;
        }
        let span = table.span_angle.as_ref().map_or(PI, |n| n.value);
        if span > TAU * (1.0 + 1e-12) {
            let at = table.span_angle.as_ref().map_or(table.span, |n| n.span);
            let draft = Draft::error(at, "arch of more than a turn").found(format!("{span} rad"));
            self.problems.push(draft.expected("at most a whole turn, 2π rad"));
            return None;
        }
        let depth = match (&table.depth, S::DIMENSION) {
            (Some(depth), 3) => depth.value,
            (None, 2) => 1.0,
            _ => {
                let draft = Draft::error(table.span, "depth of the arch");
                self.problems.push(draft.expected(match S::DIMENSION {
                    2 => "no `depth` in the plane",
                    _ => "`depth = …` in space",
                }));
                return None;
            }
        };
        let count = table.count.get();
        if !self.room(count, table.count.span) {
            return None;
        }
        let half = 0.5 * span / count as f64;
        let corner = |radius: f64, angle: f64| DVec2::from_angle(angle) * radius;
        let outline =
            [corner(inner, -half), corner(outer, -half), corner(outer, half), corner(inner, half)];
        let shape = S::prism(&outline, depth)
            .map_err(|e| shape_problem(e, table.span, "the voussoir", self.problems));
        let body = self.simple(shape.ok()?, material?, table.material.span)?;
        let centre = vector_or_zero::<S, _, _>(&table.centre);
        for index in 0..count {
            let angle = 0.5 * (PI - span) + (2 * index + 1) as f64 * half;
            let place = Pose::new(centre, S::upright(angle));
            self.member(body.clone(), &place, S::Vector::ZERO, &mut group);
        }
        Some(())
    }
}

/// Start and length of each block of a row, in modules.
///
/// Running bond over an odd number of half blocks: the half block is on the left in odd rows
/// (counted from 1) and on the right in even ones. Over an even number: odd rows are whole, even
/// rows have half blocks at both ends.
fn course(bond: Bond, row: usize, modules: usize) -> Vec<(usize, usize)> {
    if bond == Bond::Stack {
        return (0..modules).map(|i| (i, 1)).collect();
    }
    let begins_halved = row.is_multiple_of(2) == (modules % 2 == 1);
    let mut blocks = Vec::with_capacity(modules / 2 + 2);
    let mut start = 0;
    if begins_halved {
        blocks.push((0, 1));
        start = 1;
    }
    while start < modules {
        let length = (modules - start).min(2);
        blocks.push((start, length));
        start += length;
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn courses_are_staggered_and_closed_by_half_blocks() {
        assert_eq!(course(Bond::Running, 0, 5), [(0, 1), (1, 2), (3, 2)]);
        assert_eq!(course(Bond::Running, 1, 5), [(0, 2), (2, 2), (4, 1)]);
        assert_eq!(course(Bond::Running, 0, 4), [(0, 2), (2, 2)]);
        assert_eq!(course(Bond::Running, 1, 4), [(0, 1), (1, 2), (3, 1)]);
        assert_eq!(course(Bond::Stack, 7, 2), [(0, 1), (1, 1)]);
    }
}
