//! Outlines of sets as they are seen, by projecting points from far away onto them.
//!
//! The point of a convex set that is nearest to a point far away in some direction lies on its outline
//! in that direction. This asks nothing of the set but its projection, and holds in space as well.

use drystone_space::{DVec2, DVec3, Plane, Space, Vector, Volume, math};
use drystone_sweeping::{HalfSpace, Member, Section};
use std::f64::consts::TAU;

/// How a space is looked at.
pub trait Viewed: Space {
    /// Directions to the right and upward in the picture.
    fn axes() -> [Self::Vector; 2];
}

impl Viewed for Plane {
    fn axes() -> [DVec2; 2] {
        [DVec2::X, DVec2::Y]
    }
}

impl Viewed for Volume {
    /// From above and aside, the z axis upward.
    fn axes() -> [DVec3; 2] {
        let (right, elevation) = (DVec3::new(0.9, 0.436, 0.0).normalize(), 0.4f64);
        let back = DVec3::Z.cross(right);
        [right, DVec3::Z * math::cos(elevation) + back * math::sin(elevation)]
    }
}

/// A point as it is seen.
pub fn seen<S: Viewed>(point: S::Vector) -> DVec2 {
    let [right, up] = S::axes();
    DVec2::new(point.dot(right), point.dot(up))
}

/// A rectangle of the picture, in the units of the data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    pub low: DVec2,
    pub high: DVec2,
}

impl Window {
    /// Holds all points.
    pub fn around(points: impl IntoIterator<Item = DVec2>) -> Self {
        let start = Self { low: DVec2::INFINITY, high: DVec2::NEG_INFINITY };
        points
            .into_iter()
            .fold(start, |window, p| Self { low: window.low.min(p), high: window.high.max(p) })
    }
    /// The same with room on all sides, as a share of its longer side.
    pub fn widened(self, share: f64) -> Self {
        let room = DVec2::splat(share * self.size().max_element().max(1e-9));
        Self { low: self.low - room, high: self.high + room }
    }
    pub fn size(&self) -> DVec2 {
        self.high - self.low
    }
    /// Whether a point lies on the border.
    pub fn borders(&self, point: DVec2) -> bool {
        let near = 1e-6 * self.size().max_element();
        let gap = (point - self.low).abs().min((self.high - point).abs());
        gap.min_element() <= near
    }
    fn members<S: Viewed>(&self) -> impl Iterator<Item = Member<S>> {
        let [right, up] = S::axes();
        let sides = [
            (right, self.high.x),
            (right * -1.0, -self.low.x),
            (up, self.high.y),
            (up * -1.0, -self.low.y),
        ];
        sides.into_iter().map(|(normal, offset)| Member::HalfSpace(HalfSpace { normal, offset }))
    }
}

/// The outline of what a window shows of a set, or of the ball that is missing in it: one point for
/// each of `count` directions, counter-clockwise from the right. Empty if nothing is seen.
pub fn outline<S: Viewed>(section: &Section<S>, window: Window, count: usize) -> Vec<DVec2> {
    let directions = (0..count).map(|k| math::direction(TAU * k as f64 / count as f64));
    if let [Member::Outside { centre, radius }] = section.members() {
        let centre = seen::<S>(*centre);
        return directions.map(|direction| centre + direction * *radius).collect();
    }
    let members = section.members().iter().copied().chain(window.members()).collect();
    let Ok(clipped) = Section::new(members) else { return Vec::new() };
    let [right, up] = S::axes();
    let middle = 0.5 * (window.low + window.high);
    let far = 1e3 * window.size().max_element();
    let points = directions.map(|direction| {
        let place = middle + direction * far;
        clipped.project(right * place.x + up * place.y).map(seen::<S>)
    });
    points.collect::<Result<_, _>>().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_sweeping::polygon;

    #[test]
    fn the_outline_of_a_square_is_its_corners() {
        let corners = [(1., 1.), (-1., 1.), (-1., -1.), (1., -1.)].map(DVec2::from);
        let section = Section::<Plane>::new(polygon(&corners).unwrap()).unwrap();
        let window = Window { low: DVec2::splat(-3.0), high: DVec2::splat(3.0) };
        for point in outline(&section, window, 100) {
            // From 6,000 away, a direction straight at a side sees a place of the side itself.
            assert!((point.abs().max_element() - 1.0).abs() < 1e-9, "{point}");
        }
        // A window that sees only a part cuts it, and one that sees nothing has nothing.
        let part = Window { low: DVec2::ZERO, high: DVec2::splat(3.0) };
        assert!(outline(&section, part, 40).iter().all(|p| p.min_element() > -1e-9));
        let away = Window { low: DVec2::splat(2.0), high: DVec2::splat(3.0) };
        assert!(outline(&section, away, 40).is_empty());
    }

    #[test]
    fn a_ball_is_round_from_everywhere() {
        let centre = DVec3::new(0.3, -0.2, 0.5);
        let section = Section::<Volume>::new(vec![Member::ball(centre, 1.0).unwrap()]).unwrap();
        let window = Window { low: DVec2::splat(-5.0), high: DVec2::splat(5.0) };
        for point in outline(&section, window, 50) {
            let distance = point.distance(seen::<Volume>(centre));
            assert!((distance - 1.0).abs() < 1e-6, "{distance}");
        }
    }
}
