//! Pointed and flat arches, vaults, domes.

use super::super::Builder;
use super::super::dimension::{SceneSpace, vector_or_zero};
use super::super::generate::Group;
use super::Stones;
use crate::format::{Dome, FlatArch, PointedArch, Vault};
use crate::quantity::{Angle, Number, Positive};
use crate::report::Draft;
use drystone_space::{DVec2, Vector, math};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// Joints of half a pointed arch at the left, from the springing to the crown: inner and outer ends.
fn pointed_joints(span: f64, radius: f64, thickness: f64, count: usize) -> Vec<[DVec2; 2]> {
    let centre = radius - 0.5 * span;
    let outer = radius + thickness;
    let whole = math::acos(centre / radius);
    let at =
        |radius: f64, angle: f64| DVec2::new(centre, 0.0) + math::direction(PI - angle) * radius;
    let mut joints: Vec<[DVec2; 2]> = (0..count)
        .map(|k| whole * k as f64 / count as f64)
        .map(|angle| [at(radius, angle), at(outer, angle)])
        .collect();
    let crown = |radius: f64| DVec2::new(0.0, (radius * radius - centre * centre).sqrt());
    joints.push([crown(radius), crown(outer)]);
    joints
}

/// The corner of a dome at an angle from the vertical and one about it.
fn on_sphere<S: SceneSpace>(radius: f64, down: f64, round: f64) -> S::Vector {
    let (tilt, turn) = (math::direction(down), math::direction(round));
    // The springing of a hemisphere is level to the bit.
    let height = if down == FRAC_PI_2 { 0.0 } else { tilt.x };
    let place = [tilt.y * turn.x, tilt.y * turn.y, height];
    S::Vector::from_fn(|i| radius * place[i])
}

impl<S: SceneSpace> Builder<'_, S> {
    pub(in super::super) fn pointed_arch(
        &mut self,
        table: &PointedArch,
        mut group: Group,
    ) -> Option<()> {
        let material = self.materials.find(&table.material, self.problems);
        let depth = self.depth(&table.depth, table.span, "the pointed arch");
        let (span, radius) = (table.width.value, table.radius.value);
        if radius < 0.5 * span {
            let draft = Draft::error(table.radius.span, "arcs that do not meet");
            let draft = draft.found(format!("{radius} m"));
            self.problems
                .push(draft.expected(format!("at least half of the span, {} m", 0.5 * span)));
            return None;
        }
        let count = table.count.get();
        if !self.room(2 * count, table.count.span) {
            return None;
        }
        let origin = vector_or_zero::<S, _, _>(&table.centre);
        let spans = [table.material.span, table.span];
        let stones = Stones { material: material?, spans, origin, depth: depth? };
        let joints = pointed_joints(span, radius, table.thickness.value, count);
        let mirrored = |p: DVec2| DVec2::new(-p.x, p.y);
        for pair in joints.windows(2) {
            let [[a, b], [d, c]] = [pair[0], pair[1]];
            self.profile(&stones, &[a, b, c, d].map(mirrored), &mut group)?;
        }
        for pair in joints.windows(2).rev() {
            let [[a, b], [d, c]] = [pair[0], pair[1]];
            self.profile(&stones, &[a, b, c, d], &mut group)?;
        }
        Some(())
    }

    pub(in super::super) fn flat_arch(&mut self, table: &FlatArch, mut group: Group) -> Option<()> {
        let material = self.materials.find(&table.material, self.problems);
        let depth = self.depth(&table.depth, table.span, "the flat arch");
        let count = table.count.get();
        if table.skew.value >= FRAC_PI_2 {
            let draft = Draft::error(table.skew.span, "skewback that is level");
            let draft = draft.found(format!("{} rad", table.skew.value));
            self.problems.push(draft.expected("less than a quarter turn"));
            return None;
        }
        if !self.room(count, table.count.span) {
            return None;
        }
        let origin = vector_or_zero::<S, _, _>(&table.centre);
        let spans = [table.material.span, table.span];
        let stones = Stones { material: material?, spans, origin, depth: depth? };
        let (half, height) = (0.5 * table.width.value, table.height.value);
        let slope = math::tan(table.skew.value);
        let joint = |k: usize| {
            let share = 1.0 - 2.0 * k as f64 / count as f64;
            [share * half, share * (half + height * slope)]
        };
        for k in 0..count {
            let [[right, upper_right], [left, upper_left]] = [joint(k), joint(k + 1)];
            let outline = [(left, 0.0), (right, 0.0), (upper_right, height), (upper_left, height)];
            self.profile(&stones, &outline.map(|(x, y)| DVec2::new(x, y)), &mut group)?;
        }
        Some(())
    }

    pub(in super::super) fn vault(&mut self, table: &Vault, mut group: Group) -> Option<()> {
        let material = self.materials.find(&table.material, self.problems);
        self.in_space(table.span, "vault", "an `arch`")?;
        let (inner, outer) = (table.inner_radius.value, table.outer_radius.value);
        self.ascending(inner, &table.outer_radius, "vault without thickness", "the inner radius")?;
        let span = self.turn_of(&table.span_angle, PI, TAU, "vault of more than a turn")?;
        let (count, along) = (table.count.get(), table.stones.get());
        if !self.room(count.saturating_mul(along + 1), table.count.span) {
            return None;
        }
        let centre = vector_or_zero::<S, _, _>(&table.centre);
        let length = table.length.value;
        let each = length / along as f64;
        for course in 0..count {
            let joint = |k: usize| 0.5 * (PI - span) + span * k as f64 / count as f64;
            let [one, two] = [joint(course), joint(course + 1)].map(math::direction);
            let outline = [one * inner, one * outer, two * outer, two * inner];
            // Ends of the stones, in halves of a stone.
            let mut ends: Vec<usize> = (0..=along).map(|k| 2 * k).collect();
            if course % 2 == 1 && along > 1 {
                ends = std::iter::once(0).chain((0..along).map(|k| 2 * k + 1)).collect();
                ends.push(2 * along);
            }
            for pair in ends.windows(2) {
                let [from, to] = [pair[0], pair[1]].map(|end| 0.5 * end as f64 * each);
                let middle = 0.5 * (from + to) - 0.5 * length;
                let origin = centre + S::Vector::axis(1) * middle;
                let spans = [table.material.span, table.span];
                let stones = Stones { material: material?, spans, origin, depth: to - from };
                self.profile(&stones, &outline, &mut group)?;
            }
        }
        Some(())
    }

    pub(in super::super) fn dome(&mut self, table: &Dome, mut group: Group) -> Option<()> {
        let material = self.materials.find(&table.material, self.problems);
        self.in_space(table.span, "dome", "an `arch`")?;
        let radii = [table.inner_radius.value, table.outer_radius.value];
        self.ascending(
            radii[0],
            &table.outer_radius,
            "dome without thickness",
            "the inner radius",
        )?;
        let springing =
            self.turn_of(&table.springing, FRAC_PI_2, PI, "springing below the foot")?;
        let opening = table.opening.value;
        if opening >= springing {
            let draft = Draft::error(table.opening.span, "opening as wide as the dome");
            let draft = draft.found(format!("{opening} rad"));
            self.problems.push(draft.expected(format!("less than the springing, {springing} rad")));
            return None;
        }
        let (rings, count) = (table.rings.get(), table.count.value as usize);
        if !self.room(rings.saturating_mul(count), table.rings.span) {
            return None;
        }
        let origin = vector_or_zero::<S, _, _>(&table.centre);
        let spans = [table.material.span, table.span];
        let stones = Stones { material: material?, spans, origin, depth: 0.0 };
        let down = |ring: usize| match ring {
            0 => springing,
            ring => springing + (opening - springing) * ring as f64 / rings as f64,
        };
        let round = |stone: usize| TAU * (stone % count) as f64 / count as f64;
        for ring in 0..rings {
            for stone in 0..count {
                let mut corners = Vec::with_capacity(8);
                for (up, on) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    let (down, round) = (down(ring + up), round(stone + on));
                    corners.extend(radii.map(|radius| on_sphere::<S>(radius, down, round)));
                }
                self.hull(&stones, &corners, &mut group)?;
            }
        }
        Some(())
    }

    /// An angle with a default and a largest value.
    fn turn_of(
        &mut self,
        angle: &Option<Number<Angle, Positive>>,
        usual: f64,
        most: f64,
        message: &str,
    ) -> Option<f64> {
        let Some(angle) = angle else { return Some(usual) };
        if angle.value <= most * (1.0 + 1e-12) {
            return Some(angle.value);
        }
        let draft = Draft::error(angle.span, message).found(format!("{} rad", angle.value));
        self.problems.push(draft.expected(format!("at most {most} rad")));
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_span_makes_a_round_arch() {
        for [inner, outer] in pointed_joints(4.0, 2.0, 0.5, 6) {
            assert!((inner.length() - 2.0).abs() < 1e-15 && (outer.length() - 2.5).abs() < 1e-15);
        }
        // The equilateral arch has its crown at the height of that triangle.
        let crown = pointed_joints(2.0, 2.0, 0.1, 5)[5];
        assert_eq!(crown[0], DVec2::new(0.0, 3.0f64.sqrt()));
        assert_eq!(crown[1].x, 0.0);
    }
}
