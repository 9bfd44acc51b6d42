//! A buffer of depths and colours with the primitives of space: spheres, tubes, triangles, lines.
//!
//! Coordinates are those of the screen: x to the right and y downward in samples, z toward the
//! eye in the same unit. Whatever is nearer to the eye stays.

use crate::draw::{Colour, Raster};
use drystone_space::{DVec2, DVec3};

/// Samples per pixel in either direction.
pub(super) const SAMPLES: usize = 2;

/// Depth and colour of every sample.
pub(super) struct Buffer {
    width: usize,
    height: usize,
    depth: Vec<f32>,
    colour: Vec<[u8; 3]>,
}

impl Buffer {
    /// An empty white buffer for a picture of this size in pixels.
    pub fn new(width: usize, height: usize) -> Self {
        let (width, height) = (width * SAMPLES, height * SAMPLES);
        Self {
            width,
            height,
            depth: vec![f32::NEG_INFINITY; width * height],
            colour: vec![[255; 3]; width * height],
        }
    }

    fn put(&mut self, column: usize, row: usize, depth: f64, colour: impl FnOnce() -> Colour) {
        let at = row * self.width + column;
        if depth as f32 > self.depth[at] {
            let colour = colour();
            self.depth[at] = depth as f32;
            self.colour[at] = [colour.red, colour.green, colour.blue];
        }
    }
    fn columns(&self, low: f64, high: f64) -> std::ops::Range<usize> {
        clipped(low, high, self.width)
    }
    fn rows(&self, low: f64, high: f64) -> std::ops::Range<usize> {
        clipped(low, high, self.height)
    }

    /// A sphere; `colour` is asked for the colour at a unit normal.
    pub fn sphere(&mut self, centre: DVec3, radius: f64, colour: impl Fn(DVec3) -> Colour) {
        for row in self.rows(centre.y - radius, centre.y + radius) {
            let dy = row as f64 + 0.5 - centre.y;
            let half = (radius * radius - dy * dy).max(0.0).sqrt();
            let top = (centre.z + half) as f32;
            for column in self.columns(centre.x - half, centre.x + half) {
                // Nothing of this row is nearer: the root need not be drawn.
                if self.depth[row * self.width + column] >= top {
                    continue;
                }
                let dx = column as f64 + 0.5 - centre.x;
                let squared = radius * radius - dx * dx - dy * dy;
                if squared > 0.0 {
                    let dz = squared.sqrt();
                    self.put(column, row, centre.z + dz, || {
                        colour(DVec3::new(dx, dy, dz) / radius)
                    });
                }
            }
        }
    }

    /// The open tube of a capsule: all points at `radius` from the segment, caps left out.
    pub fn tube(&mut self, ends: [DVec3; 2], radius: f64, colour: impl Fn(DVec3) -> Colour) {
        let [start, end] = ends;
        let axis = end - start;
        let length_squared = axis.length_squared();
        // |m|² − (m·axis)²/|axis|² = radius², m the arm from the start: a quadratic in its depth.
        let a = 1.0 - axis.z * axis.z / length_squared;
        // Seen along its axis a tube is hidden by its caps.
        if a.is_nan() || a < 1e-9 {
            return;
        }
        let (low, high) = (start.min(end) - radius, start.max(end) + radius);
        for row in self.rows(low.y, high.y) {
            for column in self.columns(low.x, high.x) {
                let arm = DVec2::new(column as f64 + 0.5, row as f64 + 0.5) - start.truncate();
                let along = arm.dot(axis.truncate());
                let b = -along * axis.z / length_squared;
                let c = arm.length_squared() - along * along / length_squared - radius * radius;
                let discriminant = b * b - a * c;
                if discriminant < 0.0 {
                    continue;
                }
                let depth = (discriminant.sqrt() - b) / a;
                let place = (along + depth * axis.z) / length_squared;
                if (0.0..=1.0).contains(&place) {
                    let normal = (arm.extend(depth) - axis * place) / radius;
                    self.put(column, row, start.z + depth, || colour(normal));
                }
            }
        }
    }

    /// A triangle, seen from either side; `colour` is asked for the colour at the weights of its
    /// corners.
    pub fn triangle(&mut self, corners: [DVec3; 3], colour: impl Fn([f64; 3]) -> Colour) {
        let [p, q, r] = corners.map(DVec3::truncate);
        let area = (q - p).perp_dot(r - p);
        if area == 0.0 || !area.is_finite() {
            return;
        }
        let (low, high) = (p.min(q).min(r), p.max(q).max(r));
        // The weights of the corners are linear along a row: that of `q` and that of `r`.
        let slopes = [(r - p).y / area, -(q - p).y / area];
        for row in self.rows(low.y, high.y) {
            let at = DVec2::new(0.5, row as f64 + 0.5) - p;
            let starts = [at.perp_dot(r - p) / area, (q - p).perp_dot(at) / area];
            let [v, w] = [0, 1].map(|i| move |x: f64| starts[i] + slopes[i] * x);
            let (mut left, mut right) = (low.x.floor(), high.x.ceil());
            let first = (1.0 - starts[0] - starts[1], -slopes[0] - slopes[1]);
            for (start, slope) in [first, (starts[0], slopes[0]), (starts[1], slopes[1])] {
                let zero = -start / slope;
                if slope > 0.0 {
                    left = left.max(zero.ceil());
                } else if slope < 0.0 {
                    right = right.min(zero.floor() + 1.0);
                } else if start < 0.0 {
                    right = left;
                }
            }
            for column in self.columns(left, right) {
                let (v, w) = (v(column as f64), w(column as f64));
                let weights = [1.0 - v - w, v, w];
                let depth: f64 = weights.iter().zip(&corners).map(|(w, c)| w * c.z).sum();
                self.put(column, row, depth, || colour(weights));
            }
        }
    }

    /// A line of constant width, a little nearer than the surface that it lies on.
    pub fn line(&mut self, ends: [DVec3; 2], width: f64, colour: Colour) {
        let [start, end] = ends.map(|p| p + DVec3::Z * width);
        let side = (end - start).truncate().perp().normalize_or_zero() * (0.5 * width);
        let side = side.extend(0.0);
        self.triangle([start - side, start + side, end + side], |_| colour);
        self.triangle([start - side, end + side, end - side], |_| colour);
    }

    /// The picture: samples averaged, creases and edges darkened by how much of the surroundings
    /// is nearer to the eye. `reach` is the distance, in samples, at which surroundings count.
    pub fn resolve(&self, reach: usize) -> Raster {
        let (width, height) = (self.width / SAMPLES, self.height / SAMPLES);
        let mut raster = Raster::new(width as u32, height as u32);
        for (row, line) in raster.data_mut().chunks_exact_mut(4 * width).enumerate() {
            for (column, pixel) in line.chunks_exact_mut(4).enumerate() {
                let at = SAMPLES * (row * self.width + column);
                let (x, y) = (SAMPLES * column, SAMPLES * row);
                let light = self.openness(x, y, reach) + self.openness(x + 1, y + 1, reach);
                // Half of the two, a quarter of the four samples, and 256 for the shift.
                let share = (light * 32.0 + 0.5) as u32;
                let samples = [at, at + 1, at + self.width, at + self.width + 1];
                for (channel, value) in pixel[..3].iter_mut().enumerate() {
                    let sum: u32 =
                        samples.iter().map(|&s| u32::from(self.colour[s][channel])).sum();
                    *value = ((sum * share) >> 8) as u8;
                }
            }
        }
        raster
    }

    /// 1 where nothing around is nearer to the eye, less in creases and behind edges.
    fn openness(&self, column: usize, row: usize, reach: usize) -> f32 {
        let depth = self.depth[row * self.width + column];
        if depth == f32::NEG_INFINITY {
            return 1.0;
        }
        let (left, right) = (column.saturating_sub(reach), (column + reach).min(self.width - 1));
        let (top, bottom) = (row.saturating_sub(reach), (row + reach).min(self.height - 1));
        let [above, here, below] = [top, row, bottom].map(|row| row * self.width);
        let across = [
            (above + left, below + right),
            (above + column, below + column),
            (above + right, below + left),
            (here + left, here + right),
        ];
        // How far the middle lies below the line between two opposite neighbours: nothing on a
        // plane, however it is tilted.
        let sag = |(a, b): (usize, usize)| 0.5 * (self.depth[a] + self.depth[b]) - depth;
        let scale = 0.5 / reach as f32;
        let hidden: f32 = across.into_iter().map(|p| (scale * sag(p)).clamp(0.0, 1.0)).sum();
        1.0 - 0.15 * hidden
    }
}

fn clipped(low: f64, high: f64, size: usize) -> std::ops::Range<usize> {
    let low = low.floor().clamp(0.0, size as f64) as usize;
    let high = high.ceil().clamp(0.0, size as f64) as usize;
    low..high
}

#[cfg(test)]
mod tests {
    use super::*;

    const RED: Colour = Colour::rgb(0xff_00_00);
    const BLUE: Colour = Colour::rgb(0x00_00_ff);

    fn sample(buffer: &Buffer, column: usize, row: usize) -> ([u8; 3], f64) {
        let at = row * buffer.width + column;
        (buffer.colour[at], f64::from(buffer.depth[at]))
    }

    #[test]
    fn a_nearer_sphere_hides_a_farther_one_in_either_order() {
        let (far, near) = (DVec3::new(20.0, 20.0, 0.0), DVec3::new(24.0, 20.0, 30.0));
        for near_first in [true, false] {
            let mut buffer = Buffer::new(20, 20);
            if near_first {
                buffer.sphere(near, 8.0, |_| RED);
            }
            buffer.sphere(far, 15.0, |_| BLUE);
            if !near_first {
                buffer.sphere(near, 8.0, |_| RED);
            }
            assert_eq!(sample(&buffer, 24, 20).0, [255, 0, 0]);
            assert_eq!(sample(&buffer, 8, 20).0, [0, 0, 255]);
            assert_eq!(sample(&buffer, 1, 1).0, [255; 3]);
        }
    }

    #[test]
    fn depths_of_a_sphere_and_a_tube() {
        let mut buffer = Buffer::new(30, 30);
        buffer.sphere(DVec3::new(20.5, 20.5, 3.0), 10.0, |n| {
            assert!((n.length() - 1.0).abs() < 1e-12 && n.z >= 0.0);
            RED
        });
        assert_eq!(sample(&buffer, 20, 20).1, 13.0);
        assert!((sample(&buffer, 26, 20).1 - 11.0).abs() < 1e-6);

        let mut buffer = Buffer::new(30, 30);
        let ends = [DVec3::new(10.5, 20.5, 0.0), DVec3::new(50.5, 20.5, 40.0)];
        buffer.tube(ends, 5.0, |n| {
            assert!((n.length() - 1.0).abs() < 1e-9);
            BLUE
        });
        // Seen at 45° the near side of the tube is √2 radii in front of its axis.
        let (_, depth) = sample(&buffer, 30, 20);
        assert!((depth - (20.0 + 5.0 * 2f64.sqrt())).abs() < 1e-5, "{depth}");
        // Seen along its axis, nothing.
        let mut empty = Buffer::new(30, 30);
        empty.tube([DVec3::new(9.0, 9.0, 0.0), DVec3::new(9.0, 9.0, 9.0)], 5.0, |_| BLUE);
        assert!(empty.depth.iter().all(|&d| d == f32::NEG_INFINITY));
    }

    #[test]
    fn a_triangle_interpolates_its_depth_from_either_side() {
        let corners =
            [DVec3::new(0.0, 0.0, 0.0), DVec3::new(40.0, 0.0, 40.0), DVec3::new(0.0, 40.0, 0.0)];
        for corners in [corners, [corners[0], corners[2], corners[1]]] {
            let mut buffer = Buffer::new(20, 20);
            buffer.triangle(corners, |_| RED);
            assert!((sample(&buffer, 10, 10).1 - 10.5).abs() < 1e-5);
            assert_eq!(sample(&buffer, 35, 35).0, [255; 3]);
        }
    }

    #[test]
    fn creases_are_darker_than_planes() {
        let mut buffer = Buffer::new(20, 20);
        let height = |x: f64| if x < 20.0 { 4.0 * (20.0 - x) } else { 0.0 };
        for row in 0..40 {
            for column in 0..40 {
                buffer.put(column, row, height(column as f64), || RED);
            }
        }
        assert_eq!(buffer.openness(10, 20, 2), 1.0);
        assert_eq!(buffer.openness(30, 20, 2), 1.0);
        assert!(buffer.openness(20, 20, 2) < 0.9);
    }

    #[test]
    fn shapes_out_of_the_picture_draw_nothing() {
        let mut buffer = Buffer::new(10, 10);
        buffer.sphere(DVec3::new(-100.0, 5.0, 0.0), 20.0, |_| RED);
        buffer.sphere(DVec3::new(f64::NAN, 5.0, 0.0), 20.0, |_| RED);
        buffer.line([DVec3::new(5.0, 5.0, 0.0), DVec3::new(5.0, 5.0, 0.0)], 1.0, RED);
        assert!(buffer.depth.iter().all(|&d| d == f32::NEG_INFINITY));
    }
}
