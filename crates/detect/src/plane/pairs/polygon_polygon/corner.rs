//! Which way two vertices part.

use super::{Corner, Meeting, SLACK};
use drystone_space::DVec2;

/// As a part of the slack, what rounding may do to a length.
const ROUNDING: f64 = 1e-4;

/// Vertices nearer to each other than this coincide more or less, as a part of the smaller polygon's size.
const CORNER: f64 = 5e-10;

/// Sine of the angle below which sides that face each other count as a joint that opens, and keep the normal of one of
/// them. Were its hinge to turn with the opening, it would do so only while corners coincide to rounding, and a wall would fall
/// in another way after a drift of a nanometre.
const PARALLEL: f64 = 0.15;

/// Cosine of the angle, 85°, over which the directions that part two vertices may spread for the middle one to be taken.
const WIDE: f64 = 0.0872;

impl Meeting<'_> {
    /// Turns the direction between two nearest vertices by what rounding did to it: no side at the one on the reference edge
    /// may rise along it, none at the other may fall. Of a short arm there is little direction left.
    pub(super) fn between_sides(
        &self,
        mut direction: DVec2,
        [nearest, deepest]: [Corner; 2],
    ) -> DVec2 {
        for (side, sign) in self.sides(nearest, deepest) {
            if sign * direction.dot(side) > ROUNDING * self.slack {
                let across = side.perp().normalize();
                direction = across * across.dot(direction).signum();
            }
        }
        direction
    }

    /// The sides at a vertex of the reference edge and at one of the other outline, from these vertices on, along and
    /// above the reference edge. No direction that parts them rises along a side with the sign 1 or falls along one with −1.
    fn sides(&self, nearest: Corner, deepest: Corner) -> [(DVec2, f64); 4] {
        let [own, other] = &self.outlines;
        let along = self.normal.perp();
        let side = |at: DVec2, vertex: Corner| {
            let arm = at - self.start;
            DVec2::new(along.dot(arm), self.normal.dot(arm)) - vertex.at
        };
        let of_own = |end: usize| (side(own.vertices[end], nearest), 1.0);
        let of_other = |end: usize| (side(self.relative.point(other.vertices[end]), deepest), -1.0);
        [
            of_own(own.next(nearest.index)),
            of_own(own.previous(nearest.index)),
            of_other(other.next(deepest.index)),
            of_other(other.previous(deepest.index)),
        ]
    }

    /// Below this distance vertices coincide more or less.
    #[inline(always)]
    pub(super) fn corner(&self) -> f64 {
        self.slack * (CORNER / SLACK)
    }

    /// Where a vertex of the reference edge and one of the other outline more or less coincide: the direction in the middle
    /// of all that part them. None where sides are parallel, whose normal will do, or where the directions are
    /// so many that none stands for them.
    #[inline]
    pub(super) fn middle(&self, nearest: Corner, deepest: Corner) -> Option<DVec2> {
        let between = (deepest.at - nearest.at).abs();
        if between.max_element() < self.corner() { self.middle_of(nearest, deepest) } else { None }
    }

    #[inline(never)]
    fn middle_of(&self, nearest: Corner, deepest: Corner) -> Option<DVec2> {
        // The normal of the reference edge is the first of these directions. From there they turn outwards, until one
        // of the other sides forbids more.
        let outwards = if nearest.index == self.reference[0].index { -1.0 } else { 1.0 };
        let mut last = DVec2::NEG_Y;
        for (side, sign) in self.sides(nearest, deepest) {
            let limit = (side * sign).perp().normalize() * outwards;
            let turned = limit.x * outwards;
            if limit.y > 0.0 && turned <= PARALLEL {
                return None;
            }
            if turned > 0.0 && limit.y > last.y {
                last = limit;
            }
        }
        (last.y > WIDE).then(|| (DVec2::Y + last).normalize())
    }

    /// The direction for two vertices of which one leads beyond the other: the middle one, and the normal of the reference
    /// edge once the vertex is so far inside it as a corner is long.
    #[inline(always)]
    pub(super) fn towards_edge(&self, middle: DVec2, lead: f64) -> DVec2 {
        towards(middle, DVec2::Y, (-lead).max(0.0) / self.corner())
    }
}

/// Between two directions, the second for a share of 1.
#[inline(always)]
pub(super) fn towards(first: DVec2, second: DVec2, share: f64) -> DVec2 {
    first.lerp(second, share.min(1.0)).normalize()
}

#[cfg(test)]
mod tests {
    use super::super::super::super::{Polygon, outline::Outline};
    use super::super::collide;
    use crate::Manifold;
    use drystone_space::{DVec2, Plane, PlaneRotation, Pose};

    fn turned(x: f64, y: f64, angle: f64) -> Pose<Plane> {
        Pose::new(DVec2::new(x, y), PlaneRotation::from_angle(angle))
    }

    #[test]
    fn leaning_cards_have_a_normal_that_favours_neither() {
        // Cards tilted to either side, each meeting the other with the upper corner of its inner side.
        let card = Polygon::rectangle(0.1, 2.0).unwrap();
        for lean in [0.1f64, 0.3, 0.5, 0.7] {
            let corner = DVec2::new(0.05, 1.0);
            let pose = |side: f64, from: DVec2| {
                let angle = -side * lean;
                let reach = DVec2::from_angle(angle).rotate(corner * DVec2::new(side, 1.0));
                turned(from.x - reach.x, from.y - reach.y, angle)
            };
            let normal = |from: DVec2, order: bool| {
                let (left, right) = (pose(1.0, DVec2::ZERO), pose(-1.0, from));
                let outline = || Outline::from(&card);
                let mut manifold = Manifold::default();
                match order {
                    true => collide((outline(), &left), (outline(), &right), 0.5, &mut manifold),
                    false => collide((outline(), &right), (outline(), &left), 0.5, &mut manifold),
                }
                let found = manifold.touches();
                let nearest = found.iter().min_by(|s, t| s.gap.total_cmp(&t.gap)).unwrap();
                if order { nearest.normal } else { -nearest.normal }
            };
            for order in [true, false] {
                for noise in [DVec2::ZERO, DVec2::X * 1e-13, DVec2::X * -1e-13, DVec2::Y * 1e-13] {
                    let found = normal(noise, order);
                    assert!((found - DVec2::NEG_X).length() < 1e-3, "{noise}: {found}");
                }
                // The left card's corner is on the right one's side, and the other way round.
                for (up, tilt) in [(1e-6, 1.0), (-1e-6, -1.0)] {
                    let side = DVec2::new(-lean.cos(), -tilt * lean.sin());
                    assert!((normal(DVec2::Y * up, order) - side).length() < 1e-9, "{lean}");
                }
            }
        }
    }
}
