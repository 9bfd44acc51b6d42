//! The area in which two shapes touch, and the points that stand for it.
//!
//! Points lie on a grid along the principal axes, at equal distances and with equal shares of the area, drawn apart so far
//! that the second moments are those of the area: with two along a side they are Gauss's.

use crate::Dimension;
use drystone_detect::Touch;
use drystone_space::{Frame, Local, Vector, math};

/// An area by what a grid of points needs of it: the sides are those of the rectangle with the same second moments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Section<S: Dimension> {
    pub centre: S::Vector,
    pub normal: S::Vector,
    pub area: f64,
    pub axes: [S::Vector; 2],
    pub sides: [f64; 2],
}

impl<S: Dimension> Section<S> {
    /// The area between these touches of one pair; `None` where they have none between them and none is given. Shapes that
    /// touch in a point have a given area about it: a line in the plane, a disc in space.
    pub fn of(touches: &[Touch<S>], given: Option<f64>, width: f64) -> Option<Self> {
        let first = touches.first()?;
        let frame = S::Frame::from_normal(first.normal);
        let count = touches.len() as f64;
        let mean = touches.iter().fold(S::Vector::ZERO, |sum, touch| sum + touch.point) / count;
        let flat = |touch: &Touch<S>| {
            let across = frame.to_local(touch.point - mean).tangent();
            [across.get(0), if S::DIMENSION == 3 { across.get(1) } else { 0.0 }]
        };
        let mut corners = [[0.0; 2]; 4];
        touches.iter().zip(&mut corners).for_each(|(touch, corner)| *corner = flat(touch));
        let corners = &mut corners[..touches.len().min(4)];
        let world = |[x, y]: [f64; 2]| {
            let along = S::Tangent::from_fn(|axis| if axis == 0 { x } else { y });
            frame.to_world(S::Local::new(0.0, along))
        };
        let least = 1e-6 * if width.is_finite() { width } else { 1.0 };
        let found = if S::DIMENSION == 2 { line(corners) } else { polygon(corners) };
        let found = found.filter(|shape| shape.sides.iter().all(|&side| side > least));
        let shape = match (found, given) {
            (Some(shape), given) => Flat { area: given.unwrap_or(shape.area), ..shape },
            (None, Some(area)) => {
                let side = if S::DIMENSION == 2 {
                    area
                } else {
                    (3.0 * area / std::f64::consts::PI).sqrt()
                };
                Flat { area, centre: [0.0; 2], axis: [1.0, 0.0], sides: [side; 2] }
            }
            (None, None) => return None,
        };
        let [x, y] = shape.axis;
        Some(Self {
            centre: mean + world(shape.centre),
            normal: first.normal,
            area: shape.area,
            axes: [world([x, y]), world([-y, x])],
            sides: shape.sides,
        })
    }

    /// Points, so many along each side; each has the same share of the area.
    pub fn points(&self, count: u32) -> impl Iterator<Item = S::Vector> + '_ {
        let n = f64::from(count);
        let apart = if count > 1 { 1.0 / (1.0 - 1.0 / (n * n)).sqrt() } else { 0.0 };
        let along = move |i: u32, side: f64| (f64::from(i) + 0.5 - 0.5 * n) * side / n * apart;
        let rows = if S::DIMENSION == 2 { 1 } else { count };
        (0..rows).flat_map(move |row| {
            let other = match S::DIMENSION {
                2 => S::Vector::ZERO,
                _ => self.axes[1] * along(row, self.sides[1]),
            };
            let x = move |i| self.axes[0] * along(i, self.sides[0]);
            (0..count).map(move |i| self.centre + x(i) + other)
        })
    }
}

/// An area in the coordinates of its plane.
#[derive(Clone, Copy, Debug)]
struct Flat {
    area: f64,
    centre: [f64; 2],
    axis: [f64; 2],
    sides: [f64; 2],
}

/// The line between the outermost points.
fn line(points: &[[f64; 2]]) -> Option<Flat> {
    let ends = points
        .iter()
        .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], p| [low.min(p[0]), high.max(p[0])]);
    let length = ends[1] - ends[0];
    let centre = [0.5 * (ends[0] + ends[1]), 0.0];
    (length > 0.0).then_some(Flat { area: length, centre, axis: [1.0, 0.0], sides: [length; 2] })
}

/// The convex polygon of these corners, which are brought into order about their mean, the origin.
fn polygon(corners: &mut [[f64; 2]]) -> Option<Flat> {
    if corners.len() < 3 {
        return None;
    }
    let angle = |p: &[f64; 2]| math::atan2(p[1], p[0]);
    corners.sort_by(|a, b| angle(a).total_cmp(&angle(b)));
    let (mut area, mut first, mut second) = (0.0, [0.0; 2], [0.0; 3]);
    for (i, a) in corners.iter().enumerate() {
        let b = &corners[(i + 1) % corners.len()];
        let cross = a[0] * b[1] - a[1] * b[0];
        area += 0.5 * cross;
        let square = |axis: usize| a[axis] * a[axis] + a[axis] * b[axis] + b[axis] * b[axis];
        first[0] += cross * (a[0] + b[0]) / 6.0;
        first[1] += cross * (a[1] + b[1]) / 6.0;
        second[0] += cross * square(0) / 12.0;
        second[1] += cross * square(1) / 12.0;
        second[2] +=
            cross * (2.0 * a[0] * a[1] + a[0] * b[1] + b[0] * a[1] + 2.0 * b[0] * b[1]) / 24.0;
    }
    if area <= 0.0 {
        return None;
    }
    let centre = first.map(|x| x / area);
    let xx = second[0] / area - centre[0] * centre[0];
    let yy = second[1] / area - centre[1] * centre[1];
    let xy = second[2] / area - centre[0] * centre[1];
    let (mean, half) = (0.5 * (xx + yy), 0.5 * (xx - yy));
    let radius = (half * half + xy * xy).sqrt();
    // Within rounding a square has its axes anywhere: those of the frame.
    let turn = if radius > 1e-9 * mean { 0.5 * math::atan2(xy, half) } else { 0.0 };
    let (sin, cos) = math::sin_cos(turn);
    let least = (mean - radius).max(0.0);
    let sides = match radius > 1e-9 * mean {
        true => [(12.0 * (mean + radius)).sqrt(), (12.0 * least).sqrt()],
        false => [(12.0 * xx).sqrt(), (12.0 * yy).sqrt()],
    };
    Some(Flat { area, centre, axis: [cos, sin], sides })
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_space::{DVec2, DVec3, Plane, Volume};

    /// A rectangle that lies askew in space: its area, its middle, and points with its second moments, whatever their number.
    #[test]
    fn points_have_the_moments_of_the_area() {
        let normal = DVec3::new(1.0, 2.0, -2.0) / 3.0;
        let along = DVec3::new(2.0, 1.0, 2.0) / 3.0;
        let across = normal.cross(along);
        let middle = DVec3::new(0.3, -0.1, 2.0);
        let corner = |x: f64, y: f64| middle + along * x * 0.3 + across * y * 0.1;
        let at = [corner(1.0, 1.0), corner(-1.0, -1.0), corner(1.0, -1.0), corner(-1.0, 1.0)];
        let touches = at.map(|point| Touch::<Volume> { point, normal, gap: 0.0, feature: 0 });
        let section = Section::of(&touches, None, 1.0).unwrap();
        assert!((section.area - 0.12).abs() < 1e-14);
        assert!((section.centre - middle).length() < 1e-14);
        for count in [2, 3, 5] {
            let points: Vec<DVec3> = section.points(count).collect();
            let share = 0.12 / points.len() as f64;
            let moment = |axis: DVec3| {
                points.iter().map(|p| share * axis.dot(*p - middle).powi(2)).sum::<f64>()
            };
            assert!((moment(along) / (0.12 * 0.36 / 12.0) - 1.0).abs() < 1e-12);
            assert!((moment(across) / (0.12 * 0.04 / 12.0) - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn points_and_lines_of_the_plane() {
        let touch = |x: f64| Touch::<Plane> {
            point: DVec2::new(x, 1.0),
            normal: DVec2::Y,
            gap: 0.0,
            feature: 0,
        };
        let section = Section::of(&[touch(0.0), touch(0.6)], None, 1.0).unwrap();
        let points: Vec<DVec2> = section.points(2).collect();
        let off = 0.3 / 3f64.sqrt();
        assert!((section.area - 0.6).abs() < 1e-15);
        assert!(points.iter().all(|p| ((p.x - 0.3).abs() - off).abs() < 1e-15 && p.y == 1.0));
        assert!(Section::of(&[touch(0.0)], None, 1.0).is_none());
        let disk = Section::of(&[touch(0.2)], Some(0.1), 1.0).unwrap();
        assert!((disk.area, disk.sides[0]) == (0.1, 0.1) && disk.centre.x == 0.2);
    }
}
