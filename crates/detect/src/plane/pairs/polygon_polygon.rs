//! Convex polygon against convex polygon; either may be a segment.
//!
//! The largest separation over the edge normals of both decides (the separating axis theorem):
//! the edge that has it is the *reference edge*, the vertex deepest below it the *deepest* one,
//! and the edge at that vertex which faces the reference edge most is the *incident edge*.
//!
//! - In overlap the largest separation is the exact depth, and the deepest vertex is beside the
//!   reference edge. So it is for two polygons apart if a vertex is nearest to an edge.
//! - Sides meet over the part of the incident edge beside the reference edge: one touch at each
//!   end of it, each with its own gap along the normal of the reference edge.
//! - Apart with two vertices nearest, the separation is less than the distance. The vertices are
//!   then the deepest one and an end of the reference edge: one touch, along the line between.
//! - Two vertices that coincide part along any direction between the normals of two sides at them. The normal is the
//!   middle one (two leaning cards), which favours neither. It turns into that of a side as the vertices
//!   move apart by the length of a *corner*.
//! - Where these directions spread over a right angle (blocks that meet diagonally in a wall), two vertices within the slack
//!   of each other with nothing beside the reference edge do not touch: the way out may lie to either side, no single
//!   normal tells which, and a wrong one would hang a block on its neighbour's corner. Once they
//!   overlap by more than the slack, the direction of least depth is taken.
//!
//! A touch is named after the vertex at which it is. Where a vertex of each meets, and where both
//! separations are equal (side on side), the first polygon is preferred, so that rounding
//! changes neither the names nor the reference edge from step to step.

mod corner;

use super::super::outline::Outline;
use crate::{Manifold, Touch};
use corner::towards;
use drystone_space::{DVec2, Plane, Pose, Rotation};

/// Lengths that count as none, as a part of the smaller polygon's size.
const SLACK: f64 = 1e-10;

type Placed<'a> = (Outline<'a>, &'a Pose<Plane>);

/// See the module.
#[inline]
pub(in super::super) fn collide(
    first: Placed,
    second: Placed,
    margin: f64,
    manifold: &mut Manifold<Plane>,
) {
    let slack = SLACK * first.0.size.min(second.0.size);
    if slack <= 0.0 {
        // A segment without length has no side to touch.
        return;
    }
    let second_in_first = Relative::new(first.1, second.1);
    let Some(by_first) = Facing::widest(&first.0, &second.0, &second_in_first, margin) else {
        return;
    };
    let first_in_second = Relative::new(second.1, first.1);
    let Some(by_second) = Facing::widest(&second.0, &first.0, &first_in_second, margin) else {
        return;
    };
    let meeting = if by_second.separation > by_first.separation + slack {
        Meeting::new(second, first.0, by_second, &first_in_second, true, slack)
    } else {
        Meeting::new(first, second.0, by_first, &second_in_first, false, slack)
    };
    meeting.touch(margin, manifold);
}

/// Where one outline is in the axes of another.
struct Relative {
    position: DVec2,
    /// Cosine and sine of the angle between the axes.
    turn: DVec2,
}

impl Relative {
    #[inline(always)]
    fn new(axes: &Pose<Plane>, other: &Pose<Plane>) -> Self {
        Self {
            position: axes.inverse_point(other.position),
            turn: axes.rotation.apply_inverse(other.rotation.apply(DVec2::X)),
        }
    }
    #[inline(always)]
    fn point(&self, point: DVec2) -> DVec2 {
        self.position + self.turn.rotate(point)
    }
    #[inline(always)]
    fn inverse_vector(&self, vector: DVec2) -> DVec2 {
        DVec2::new(self.turn.x, -self.turn.y).rotate(vector)
    }
}

/// An edge of one outline and the deepest vertex of the other.
#[derive(Clone, Copy)]
struct Facing {
    edge: usize,
    deepest: usize,
    separation: f64,
}

impl Facing {
    /// The edge of `reference` with the largest separation; none if that is above `margin`.
    #[inline]
    fn widest(
        reference: &Outline,
        other: &Outline,
        relative: &Relative,
        margin: f64,
    ) -> Option<Self> {
        let mut widest = Self { edge: 0, deepest: 0, separation: f64::NEG_INFINITY };
        let mut deepest = 0;
        for (edge, (&corner, &normal)) in
            reference.vertices.iter().zip(reference.normals).enumerate()
        {
            deepest = other.farthest(-relative.inverse_vector(normal), deepest);
            let separation = normal.dot(relative.point(other.vertices[deepest]) - corner);
            if separation > margin {
                return None;
            }
            if separation > widest.separation {
                widest = Self { edge, deepest, separation };
            }
        }
        Some(widest)
    }
}

/// A vertex by its place (x along the reference edge, y above it) and its index.
#[derive(Clone, Copy)]
struct Corner {
    at: DVec2,
    index: usize,
}

/// A reference edge and the incident edge over it.
struct Meeting<'a> {
    pose: &'a Pose<Plane>,
    /// The one with the reference edge, and the other.
    outlines: [Outline<'a>; 2],
    relative: &'a Relative,
    start: DVec2,
    normal: DVec2,
    /// Ends of the reference edge, from its start.
    reference: [Corner; 2],
    /// Ends of the incident edge in the same order; that edge runs the other way.
    incident: [Corner; 2],
    /// Which of `incident` is the deepest vertex.
    deepest: usize,
    /// Whether the reference edge belongs to the second polygon.
    swapped: bool,
    slack: f64,
}

impl<'a> Meeting<'a> {
    #[inline]
    fn new(
        (reference, pose): Placed<'a>,
        other: Outline<'a>,
        facing: Facing,
        relative: &'a Relative,
        swapped: bool,
        slack: f64,
    ) -> Self {
        let (edge, end) = (facing.edge, reference.next(facing.edge));
        let (start, normal) = (reference.vertices[edge], reference.normals[edge]);
        let along = normal.perp();
        let length = along.dot(reference.vertices[end] - start);
        let corner = |index: usize| {
            let arm = relative.point(other.vertices[index]) - start;
            Corner { at: DVec2::new(along.dot(arm), normal.dot(arm)), index }
        };
        let edge_over = other.facing(facing.deepest, relative.inverse_vector(normal));
        let incident = [corner(other.next(edge_over)), corner(edge_over)];
        // Of two ends equally deep, the one nearer to the reference edge counts.
        let height = incident[1].at.y - incident[0].at.y;
        let deepest = if height.abs() <= slack {
            beyond(incident[1].at.x, length) < beyond(incident[0].at.x, length)
        } else {
            height < 0.0
        };
        Self {
            pose,
            outlines: [reference, other],
            relative,
            start,
            normal,
            reference: [
                Corner { at: DVec2::ZERO, index: edge },
                Corner { at: DVec2::new(length, 0.0), index: end },
            ],
            incident,
            deepest: usize::from(deepest),
            swapped,
            slack,
        }
    }

    #[inline]
    fn touch(&self, margin: f64, manifold: &mut Manifold<Plane>) {
        let length = self.reference[1].at.x;
        let (deepest, other) = (self.incident[self.deepest], self.incident[1 - self.deepest]);
        let from = self.incident[0].at.x.max(0.0);
        let to = self.incident[1].at.x.min(length);
        let overlap = to - from;
        let nearest = self.reference[usize::from(deepest.at.x > 0.5 * length)];
        let beyond = beyond(deepest.at.x, length);

        let arm = deepest.at - nearest.at;
        let turned_away = arm.dot(other.at - deepest.at) >= 0.0;
        let apart = beyond > self.slack && arm.y >= -self.slack;
        if apart && (overlap <= self.slack || turned_away) {
            let distance = arm.length();
            let at = nearest.at + 0.5 * arm;
            let name = self.name(beyond, nearest, deepest);
            let mut direction = self.between_sides(arm / distance, [nearest, deepest]);
            let mut gap = distance;
            if let Some(middle) = self.middle(nearest, deepest) {
                direction = towards(middle, direction, distance / self.corner());
                gap = direction.dot(arm);
            }
            self.push(at, direction, gap, name, margin, manifold);
        } else if overlap > self.slack {
            for (i, x, lead) in
                [(0, from, -self.incident[0].at.x), (1, to, self.incident[1].at.x - length)]
            {
                let gap = self.height(i, lead, x);
                let (end, over) = (self.reference[i], self.incident[i]);
                let name = self.name(lead, end, over);
                let middle = self.middle(end, over);
                let direction = middle.map_or(DVec2::Y, |m| self.towards_edge(m, lead));
                self.push(DVec2::new(x, 0.5 * gap), direction, gap, name, margin, manifold);
            }
        } else {
            let middle = self.middle(nearest, deepest);
            let coincide = beyond >= -self.slack && arm.y.abs() <= self.slack;
            if coincide && middle.is_none() {
                return;
            }
            let (x, gap) = (deepest.at.x.clamp(0.0, length), deepest.at.y);
            let name = self.name(beyond, nearest, deepest);
            let direction = middle.map_or(DVec2::Y, |m| self.towards_edge(m, beyond));
            self.push(DVec2::new(x, 0.5 * gap), direction, gap, name, margin, manifold);
        }
    }

    /// Height of the incident edge above the end `i` of the part where the edges meet: that of
    /// its own vertex unless that leads beyond the reference edge.
    #[inline(always)]
    fn height(&self, i: usize, lead: f64, x: f64) -> f64 {
        let here = self.incident[i].at;
        if lead <= self.slack {
            return here.y;
        }
        let there = self.incident[1 - i].at;
        here.y + (there.y - here.y) * ((x - here.x) / (there.x - here.x))
    }

    /// The name of the vertex at one end of the part where the edges meet; `lead` is how far the
    /// incident vertex is beyond the reference one.
    #[inline(always)]
    fn name(&self, lead: f64, reference: Corner, incident: Corner) -> u32 {
        let preference = if self.swapped { self.slack } else { -self.slack };
        let of_reference = lead > preference;
        let index = if of_reference { reference.index } else { incident.index };
        2 * index as u32 + u32::from(of_reference == self.swapped)
    }

    /// Adds a touch given along and above the reference edge.
    #[inline(always)]
    fn push(
        &self,
        at: DVec2,
        direction: DVec2,
        gap: f64,
        feature: u32,
        margin: f64,
        manifold: &mut Manifold<Plane>,
    ) {
        if gap > margin {
            return;
        }
        let along = self.normal.perp();
        let to_incident = self.pose.rotation.apply(along * direction.x + self.normal * direction.y);
        manifold.push(Touch {
            point: self.pose.point(self.start + along * at.x + self.normal * at.y),
            normal: if self.swapped { to_incident } else { -to_incident },
            gap,
            feature,
        });
    }
}

/// How far a place along an edge is past the nearer of its ends; negative between them.
#[inline(always)]
fn beyond(x: f64, length: f64) -> f64 {
    (-x).max(x - length)
}

#[cfg(test)]
mod tests {
    use super::super::super::{Polygon, outline::Line};
    use super::*;
    use drystone_space::PlaneRotation;

    fn touches(
        first: (&Polygon, Pose<Plane>),
        second: (&Polygon, Pose<Plane>),
    ) -> Vec<Touch<Plane>> {
        let mut manifold = Manifold::default();
        collide((first.0.into(), &first.1), (second.0.into(), &second.1), 0.5, &mut manifold);
        manifold.touches().to_vec()
    }

    fn at(x: f64, y: f64) -> Pose<Plane> {
        Pose::at(DVec2::new(x, y))
    }

    fn turned(x: f64, y: f64, angle: f64) -> Pose<Plane> {
        Pose::new(DVec2::new(x, y), PlaneRotation::from_angle(angle))
    }

    #[test]
    fn staggered_blocks_touch_over_their_common_side() {
        // The lower block spans 0..6 and the upper 3..9; they meet at height 4 over 3..6.
        let block = Polygon::rectangle(6.0, 4.0).unwrap();
        for gap in [-0.25, -1e-12, 0.0, 1e-12, 0.25] {
            let found = touches((&block, at(6.0, 6.0 + gap)), (&block, at(3.0, 2.0)));
            assert_eq!(found.len(), 2);
            for touch in &found {
                assert_eq!(touch.normal, DVec2::Y);
                assert!((touch.gap - gap).abs() < 1e-15);
                assert!((touch.point.y - (4.0 + 0.5 * gap)).abs() < 1e-15);
            }
            let mut ends = [found[0].point.x, found[1].point.x];
            ends.sort_by(f64::total_cmp);
            assert_eq!(ends, [3.0, 6.0]);
            assert_ne!(found[0].feature, found[1].feature);
        }
    }

    #[test]
    fn blocks_of_one_row_touch_at_both_ends_of_the_joint() {
        let block = Polygon::rectangle(0.6, 0.4).unwrap();
        for (column, noise) in [(0, 0.0), (3, 1e-17), (7, -1e-17)] {
            let x = 0.6 * f64::from(column);
            let found = touches((&block, at(x, 0.2)), (&block, at(x + 0.6 + noise, 0.2)));
            assert_eq!(found.len(), 2);
            for touch in &found {
                assert_eq!(touch.normal, DVec2::NEG_X);
                assert!(touch.gap.abs() < 1e-15);
                assert!((touch.point.x - x - 0.3).abs() < 1e-15);
            }
            // Both joints end at vertices of both: they are named after the first block's,
            // 1 (lower right) and 2 (upper right).
            let mut names = [found[0].feature, found[1].feature];
            names.sort_unstable();
            assert_eq!(names, [2, 4]);
        }
    }

    #[test]
    fn blocks_that_meet_diagonally_do_not_touch() {
        let block = Polygon::rectangle(0.6, 0.4).unwrap();
        for x in [-1e-16, 0.0, 1e-16] {
            for y in [-1e-16, 0.0, 1e-16] {
                assert!(touches((&block, at(0.6 + x, 0.4 + y)), (&block, at(0.0, 0.0))).is_empty());
                assert!(
                    touches((&block, at(0.6 + x, -0.4 + y)), (&block, at(0.0, 0.0))).is_empty()
                );
            }
        }
    }

    #[test]
    fn diagonal_neighbours_apart_and_in_overlap() {
        let block = Polygon::rectangle(2.0, 2.0).unwrap();
        // 0.3 to the right and 0.4 up between the corners: half a unit apart.
        let found = touches((&block, at(2.3, 2.4)), (&block, at(0.0, 0.0)));
        assert_eq!(found.len(), 1);
        assert!((found[0].gap - 0.5).abs() < 1e-15);
        assert!((found[0].normal - DVec2::new(0.6, 0.8)).length() < 1e-14);
        assert!((found[0].point - DVec2::new(1.15, 1.2)).length() < 1e-14);
        // The vertex is still that of the first polygon, number 0.
        assert_eq!(found[0].feature, 0);
        // Overlap of 0.2 by 0.1: the way out is up.
        let found = touches((&block, at(1.8, 1.9)), (&block, at(0.0, 0.0)));
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|t| t.normal == DVec2::Y && (t.gap + 0.1).abs() < 1e-15));
    }

    #[test]
    fn a_corner_on_a_side_touches_once_near_and_twice_within_the_margin() {
        let block = Polygon::rectangle(2.0, 2.0).unwrap();
        let floor = Polygon::rectangle(20.0, 2.0).unwrap();
        let low = 2f64.sqrt();
        let found = touches(
            (&block, turned(1.0, 1.0 + low - 0.1, 0.25 * std::f64::consts::PI)),
            (&floor, at(0.0, 0.0)),
        );
        assert_eq!(found.len(), 1);
        assert!((found[0].gap + 0.1).abs() < 1e-15);
        assert!((found[0].point - DVec2::new(1.0, 0.95)).length() < 1e-15);
        assert_eq!(found[0].feature, 0);
        // Tilted by little, the other end is within the margin with its own gap.
        let found = touches((&block, turned(1.0, 2.0, 0.1)), (&floor, at(0.0, 0.0)));
        let mut gaps: Vec<f64> = found.iter().map(|t| t.gap).collect();
        gaps.sort_by(f64::total_cmp);
        let (sin, cos) = 0.1f64.sin_cos();
        assert_eq!(gaps.len(), 2);
        assert!(
            (gaps[0] - (1.0 - cos - sin)).abs() < 1e-15
                && (gaps[1] - (1.0 - cos + sin)).abs() < 1e-15
        );
    }

    #[test]
    fn a_vertex_keeps_its_name_when_the_reference_edge_changes() {
        // The lower side of the upper block is flat once, and once tilted by more than the slack,
        // which makes it the reference edge.
        let (upper, lower) =
            (Polygon::rectangle(2.0, 1.0).unwrap(), Polygon::rectangle(2.0, 1.0).unwrap());
        let names = |angle: f64| {
            let found = touches((&upper, turned(0.5, 1.0, angle)), (&lower, at(0.0, 0.0)));
            let mut names: Vec<u32> = found.iter().map(|t| t.feature).collect();
            names.sort_unstable();
            names
        };
        let flat = names(0.0);
        assert_eq!(flat.len(), 2);
        for angle in [1e-15, 1e-12, 1e-8, 1e-4, -1e-15, -1e-12, -1e-8, -1e-4] {
            assert_eq!(names(angle), flat, "{angle}");
        }
    }

    #[test]
    fn segments_are_touched_from_either_side_and_at_their_ends() {
        let block = Polygon::rectangle(2.0, 2.0).unwrap();
        let line = Line::new(DVec2::new(-5.0, 0.0), DVec2::new(5.0, 0.0));
        let touch = |pose: Pose<Plane>| {
            let mut manifold = Manifold::default();
            collide(
                (Outline::from(&block), &pose),
                (line.outline(), &Pose::IDENTITY),
                0.5,
                &mut manifold,
            );
            manifold.touches().to_vec()
        };
        for (side, normal) in [(1.0, DVec2::Y), (-1.0, DVec2::NEG_Y)] {
            for gap in [-0.25, 0.0, 0.25] {
                let found = touch(at(0.0, side * (1.0 + gap)));
                assert_eq!(found.len(), 2);
                assert!(found.iter().all(|t| t.normal == normal && t.gap == gap));
            }
        }
        let end = touch(at(6.25, 0.5));
        assert_eq!(end.len(), 1);
        assert_eq!((end[0].normal, end[0].gap), (DVec2::X, 0.25));
        assert_eq!(end[0].point, DVec2::new(5.125, 0.0));
    }

    #[test]
    fn segments_meet_crossing_and_end_to_end() {
        let one = Line::new(DVec2::new(-1.0, 0.0), DVec2::new(1.0, 0.0));
        let two = Line::new(DVec2::new(0.0, -0.25), DVec2::new(0.0, 3.0));
        let mut manifold = Manifold::default();
        collide(
            (one.outline(), &Pose::IDENTITY),
            (two.outline(), &Pose::IDENTITY),
            0.0,
            &mut manifold,
        );
        let touch = manifold.touches()[0];
        assert_eq!(manifold.touches().len(), 1);
        assert_eq!((touch.normal, touch.gap), (DVec2::NEG_Y, -0.25));
        // End to end on one line.
        manifold.clear();
        let away = Pose::at(DVec2::new(2.25, 0.0));
        collide((one.outline(), &away), (one.outline(), &Pose::IDENTITY), 0.5, &mut manifold);
        assert_eq!(manifold.touches().len(), 1);
        assert_eq!((manifold.touches()[0].normal, manifold.touches()[0].gap), (DVec2::X, 0.25));
        let point = Line::new(DVec2::ONE, DVec2::ONE);
        manifold.clear();
        collide(
            (one.outline(), &Pose::IDENTITY),
            (point.outline(), &Pose::IDENTITY),
            9.0,
            &mut manifold,
        );
        assert!(manifold.touches().is_empty());
    }
}
