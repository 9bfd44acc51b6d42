//! Pixels, and PNG files of them.

use super::{Anchor, Canvas, Colour, font, text_width};
use crate::RecordError;
use crate::archive::put_whole;
use drystone_space::DVec2;
use std::io::Write;
use std::path::Path;
use tiny_skia::{FillRule, Paint, PathBuilder, Pixmap, Transform};

/// A picture in memory; opaque white at first.
pub struct Raster {
    pixels: Pixmap,
}

impl Raster {
    /// Largest width and height.
    pub const MAX_SIZE: u32 = 16_384;

    /// A white picture; sizes are cut to between 1 and [`Self::MAX_SIZE`].
    pub fn new(width: u32, height: u32) -> Self {
        let (width, height) = (width.clamp(1, Self::MAX_SIZE), height.clamp(1, Self::MAX_SIZE));
        let mut pixels = Pixmap::new(width, height).expect("the size is within bounds");
        pixels.fill(tiny_skia::Color::WHITE);
        Self { pixels }
    }
    /// Width and height in pixels.
    pub fn dimensions(&self) -> (u32, u32) {
        (self.pixels.width(), self.pixels.height())
    }
    /// Red, green, blue and opacity of every pixel, row by row.
    pub fn data(&self) -> &[u8] {
        self.pixels.data()
    }
    /// The same, to be changed. The picture stays opaque: the fourth byte must be 255.
    pub fn data_mut(&mut self) -> &mut [u8] {
        self.pixels.data_mut()
    }
    /// Writes a PNG file, fast rather than small.
    pub fn write_png(&self, path: &Path) -> Result<(), RecordError> {
        // Packed first: a writer that is dropped does not tell of a disk that is full.
        let mut bytes = Vec::new();
        let packed = self.encode(&mut bytes).map_err(std::io::Error::other);
        put_whole(path, |file| packed.and_then(|()| file.write_all(&bytes)))
    }
    fn encode(&self, sink: impl std::io::Write) -> Result<(), png::EncodingError> {
        let (width, height) = self.dimensions();
        let mut encoder = png::Encoder::new(sink, width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Fast);
        let mut writer = encoder.write_header()?;
        let rgb: Vec<u8> = self.data().chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect();
        writer.write_image_data(&rgb)?;
        writer.finish()
    }
    fn fill(&mut self, path: Option<tiny_skia::Path>, colour: Colour) {
        if let Some(path) = path {
            let rule = FillRule::Winding;
            self.pixels.fill_path(&path, &paint(colour), rule, Transform::identity(), None);
        }
    }
    /// All points within `radius` of a segment. A pixel is covered by how far it lies inside:
    /// exact to the eye, and many times faster than a path of curves.
    fn capsule(&mut self, start: DVec2, end: DVec2, radius: f64, fill: Colour) {
        if !(start.is_finite() && end.is_finite() && radius > 0.0) {
            return;
        }
        // What is thinner than a pixel is drawn one pixel wide and fainter.
        let thin = (2.0 * radius).min(1.0);
        let opacity = thin * f64::from(fill.alpha) / 255.0;
        let reach = radius.max(0.5) + 0.5;
        let (width, height) = (self.pixels.width() as usize, self.pixels.height() as usize);
        let axis = end - start;
        let squared = axis.length_squared();
        let (low, high) = (start.min(end) - reach, start.max(end) + reach);
        let data = self.pixels.data_mut();
        for row in span(low.y, high.y, height) {
            let y = row as f64 + 0.5 - start.y;
            // Within this row, the pixels within reach of the line that carries the segment.
            let (mut left, mut right) = (low.x, high.x);
            if axis.y != 0.0 {
                let middle = start.x + axis.x * y / axis.y;
                let half = reach * squared.sqrt() / axis.y.abs();
                (left, right) = (left.max(middle - half), right.min(middle + half));
            }
            for column in span(left, right, width) {
                let arm = DVec2::new(column as f64 + 0.5 - start.x, y);
                let along = if squared > 0.0 { arm.dot(axis) / squared } else { 0.0 };
                let distance = (arm - axis * along.clamp(0.0, 1.0)).length();
                let cover = (reach - distance).clamp(0.0, 1.0) * opacity;
                let at = 4 * (row * width + column);
                blend(&mut data[at..at + 3], fill, (cover * 256.0) as i32);
            }
        }
    }
    fn write(&mut self, at: DVec2, text: &str, size: f64, colour: Colour, upward: bool) {
        self.fill(font::text_path(at, text, size, upward), colour);
    }
}

impl Canvas for Raster {
    fn size(&self) -> DVec2 {
        DVec2::new(f64::from(self.pixels.width()), f64::from(self.pixels.height()))
    }
    fn polygon(&mut self, points: &[DVec2], fill: Colour) {
        self.fill(path(&clipped(points)), fill);
    }
    fn disk(&mut self, centre: DVec2, radius: f64, fill: Colour) {
        self.capsule(centre, centre, radius, fill);
    }
    /// Joints of a translucent line are darker than the rest.
    fn line(&mut self, points: &[DVec2], width: f64, colour: Colour) {
        for ends in points.windows(2) {
            self.capsule(ends[0], ends[1], 0.5 * width, colour);
        }
    }
    fn text(&mut self, at: DVec2, text: &str, size: f64, anchor: Anchor, colour: Colour) {
        let back = shift(text, size, anchor);
        self.write(at - DVec2::new(back, 0.0), text, size, colour, false);
    }
    fn text_upward(&mut self, at: DVec2, text: &str, size: f64, anchor: Anchor, colour: Colour) {
        let back = shift(text, size, anchor);
        self.write(at + DVec2::new(0.0, back), text, size, colour, true);
    }
}

/// How far before the anchor a text starts.
fn shift(text: &str, size: f64, anchor: Anchor) -> f64 {
    match anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => 0.5 * text_width(text, size),
        Anchor::End => text_width(text, size),
    }
}

/// Pixels whose middle may lie between two places, cut to the picture.
fn span(low: f64, high: f64, size: usize) -> std::ops::Range<usize> {
    let cut = |v: f64| v.clamp(0.0, size as f64) as usize;
    cut(low.floor())..cut(high.ceil())
}

/// Mixes a colour into a pixel, by a share of 256.
fn blend(pixel: &mut [u8], colour: Colour, share: i32) {
    for (channel, tone) in pixel.iter_mut().zip([colour.red, colour.green, colour.blue]) {
        let below = i32::from(*channel);
        *channel = (below + (((i32::from(tone) - below) * share) >> 8)) as u8;
    }
}

fn paint(colour: Colour) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(colour.red, colour.green, colour.blue, colour.alpha);
    paint.anti_alias = true;
    paint
}

/// The part of a polygon that may be seen: the library panics far outside of the picture.
fn clipped(points: &[DVec2]) -> Vec<DVec2> {
    let far = 2.0 * f64::from(Raster::MAX_SIZE);
    let mut inside: Vec<DVec2> = points.iter().copied().filter(|point| point.is_finite()).collect();
    for side in [DVec2::X, DVec2::Y, -DVec2::X, -DVec2::Y] {
        if inside.iter().all(|point| point.dot(side) <= far) {
            continue;
        }
        let corners = std::mem::take(&mut inside);
        let before = corners.iter().cycle().skip(corners.len() - 1);
        for (&from, &to) in before.zip(&corners) {
            let (start, end) = (from.dot(side) - far, to.dot(side) - far);
            if (start > 0.0) != (end > 0.0) {
                inside.push(from + (to - from) * (start / (start - end)));
            }
            if end <= 0.0 {
                inside.push(to);
            }
        }
    }
    inside
}

fn path(points: &[DVec2]) -> Option<tiny_skia::Path> {
    let (first, rest) = points.split_first()?;
    let mut builder = PathBuilder::new();
    builder.move_to(first.x as f32, first.y as f32);
    for point in rest {
        builder.line_to(point.x as f32, point.y as f32);
    }
    builder.close();
    builder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pixel(raster: &Raster, x: usize, y: usize) -> [u8; 3] {
        let at = 4 * (y * raster.dimensions().0 as usize + x);
        [raster.data()[at], raster.data()[at + 1], raster.data()[at + 2]]
    }

    #[test]
    fn disks_and_lines_cover_their_area() {
        let mut raster = Raster::new(40, 30);
        raster.disk(DVec2::new(20.0, 15.0), 10.0, Colour::rgb(0));
        assert_eq!(pixel(&raster, 20, 15), [0, 0, 0]);
        assert_eq!(pixel(&raster, 33, 15), [255, 255, 255]);
        let dark: f64 = raster.data().chunks_exact(4).map(|p| 1.0 - f64::from(p[0]) / 255.0).sum();
        let area = std::f64::consts::PI * 100.0;
        assert!((dark / area - 1.0).abs() < 0.01, "{dark} {area}");
        // A line without length is a disk; a slanted one has its length times its width.
        let mut raster = Raster::new(60, 60);
        raster.line(&[DVec2::new(15.0, 10.0), DVec2::new(45.0, 50.0)], 4.0, Colour::rgb(0));
        let dark: f64 = raster.data().chunks_exact(4).map(|p| 1.0 - f64::from(p[0]) / 255.0).sum();
        let area = 50.0 * 4.0 + std::f64::consts::PI * 4.0;
        assert!((dark / area - 1.0).abs() < 0.01, "{dark} {area}");
        // Outside the picture, and no number at all: nothing happens.
        raster.disk(DVec2::new(-500.0, 1e9), 10.0, Colour::INK);
        raster.disk(DVec2::new(f64::NAN, 0.0), 10.0, Colour::INK);
    }

    /// A cone that is seen through a keyhole, as when an axis of a plot is far too short for it.
    #[test]
    fn polygons_may_reach_far_beyond_the_picture() {
        for reach in [1e3, 1e9, 1e15, 1e300] {
            let mut raster = Raster::new(40, 30);
            let corners =
                [DVec2::new(20.0, 40.0), DVec2::new(reach, -reach), DVec2::new(-reach, -reach)];
            raster.polygon(&corners, Colour::rgb(0));
            assert_eq!(pixel(&raster, 20, 5), [0, 0, 0], "{reach}");
            raster.polygon(&[DVec2::NAN, DVec2::ZERO, DVec2::X * reach], Colour::rgb(0));
            raster.polygon(&corners.map(|corner| corner + 1e6), Colour::rgb(0));
            assert_eq!(pixel(&raster, 1, 29), [255, 255, 255], "{reach}");
        }
    }

    #[test]
    fn a_png_file_holds_the_pixels() {
        let mut raster = Raster::new(31, 17);
        raster.rectangle(DVec2::new(3.0, 4.0), DVec2::new(20.0, 9.0), Colour::FORCE);
        let mut bytes = Vec::new();
        raster.encode(&mut bytes).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let mut rgb = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut rgb).unwrap();
        assert_eq!((info.width, info.height), (31, 17));
        let ours: Vec<u8> =
            raster.data().chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect();
        assert_eq!(rgb, ours);
        assert_eq!(pixel(&raster, 10, 6), [0xc4, 0x1e, 0x3a]);
    }
}
