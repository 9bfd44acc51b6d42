//! Drawing: a [`Canvas`] takes shapes and text; [`Raster`] turns them into pixels and PNG,
//! [`Svg`] into a vector file, [`Print`] into both.
//!
//! Coordinates are pixels from the upper left corner, x to the right and y downward.

mod colour;
mod font;
mod print;
mod raster;
mod svg;

pub use colour::{Colour, signed_colour, speed_colour};
pub use font::text_width;
pub use print::Print;
pub use raster::Raster;
pub use svg::Svg;

use drystone_space::DVec2;

/// Which point of a text lies at the given place. Vertically it is always the baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The left end.
    Start,
    /// The middle.
    Middle,
    /// The right end.
    End,
}

/// Something that can be drawn on.
pub trait Canvas {
    /// Width and height in pixels.
    fn size(&self) -> DVec2;
    /// Fills a polygon.
    fn polygon(&mut self, points: &[DVec2], fill: Colour);
    /// Fills a disk.
    fn disk(&mut self, centre: DVec2, radius: f64, fill: Colour);
    /// Draws a line through points.
    fn line(&mut self, points: &[DVec2], width: f64, colour: Colour);
    /// Writes text; `size` is the em in pixels.
    fn text(&mut self, at: DVec2, text: &str, size: f64, anchor: Anchor, colour: Colour);
    /// Writes text that reads upward, for vertical axes.
    fn text_upward(&mut self, at: DVec2, text: &str, size: f64, anchor: Anchor, colour: Colour);

    /// Fills a rectangle.
    fn rectangle(&mut self, low: DVec2, high: DVec2, fill: Colour) {
        self.polygon(&rectangle_corners(low, high), fill);
    }
    /// Draws a closed line through points.
    fn outline(&mut self, points: &[DVec2], width: f64, colour: Colour) {
        let mut closed = points.to_vec();
        closed.extend(points.first());
        self.line(&closed, width, colour);
    }
}

fn rectangle_corners(low: DVec2, high: DVec2) -> [DVec2; 4] {
    [low, DVec2::new(high.x, low.y), high, DVec2::new(low.x, high.y)]
}
