//! Regular arrangements: lattices, rows, arches.

use super::Builder;
use super::dimension::{SceneSpace, shape_problem, vector, vector_or_zero};
use super::generate::{Group, Recipe};
use crate::format::{Arch, Lattice, Row};
use crate::report::Draft;
use drystone_space::{Pose, Rotation, Vector, math};
use std::f64::consts::{PI, TAU};

impl<S: SceneSpace> Builder<'_, S> {
    /// A grid of bodies.
    pub(super) fn lattice(&mut self, table: &Lattice, mut group: Group) -> Option<()> {
        let grains = self.grains(&Recipe {
            shape: &table.shape,
            parts: &table.parts,
            radius: &table.radius,
            polygon: &table.polygon,
            irregular: &table.irregular,
            ellipse: &table.ellipse,
            material: &table.material,
            span: table.span,
        });
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
            made.body.set_name(name);
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
        let depth = self.depth(&table.depth, table.span, "the arch")?;
        let count = table.count.get();
        if !self.room(count, table.count.span) {
            return None;
        }
        let half = 0.5 * span / count as f64;
        let corner = |radius: f64, angle: f64| math::direction(angle) * radius;
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
