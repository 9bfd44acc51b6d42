//! A canvas that makes pixels and a vector file at once: for screens, and for papers.

use super::{Anchor, Canvas, Colour, Raster, Svg};
use crate::RecordError;
use drystone_space::DVec2;
use std::path::Path;

/// A [`Raster`] and an [`Svg`] of the same size on which the same is drawn.
pub struct Print {
    raster: Raster,
    svg: Svg,
}

impl Print {
    /// An empty print.
    pub fn new(width: u32, height: u32) -> Self {
        Self { raster: Raster::new(width, height), svg: Svg::new(width, height) }
    }
    /// Writes two files: `path` with the endings `.png` and `.svg`.
    pub fn write(&self, path: &Path) -> Result<(), RecordError> {
        self.raster.write_png(&path.with_extension("png"))?;
        self.svg.write(&path.with_extension("svg"))
    }
}

impl Canvas for Print {
    fn size(&self) -> DVec2 {
        self.raster.size()
    }
    fn polygon(&mut self, points: &[DVec2], fill: Colour) {
        self.raster.polygon(points, fill);
        self.svg.polygon(points, fill);
    }
    fn disk(&mut self, centre: DVec2, radius: f64, fill: Colour) {
        self.raster.disk(centre, radius, fill);
        self.svg.disk(centre, radius, fill);
    }
    fn line(&mut self, points: &[DVec2], width: f64, colour: Colour) {
        self.raster.line(points, width, colour);
        self.svg.line(points, width, colour);
    }
    fn text(&mut self, at: DVec2, text: &str, size: f64, anchor: Anchor, colour: Colour) {
        self.raster.text(at, text, size, anchor, colour);
        self.svg.text(at, text, size, anchor, colour);
    }
    fn text_upward(&mut self, at: DVec2, text: &str, size: f64, anchor: Anchor, colour: Colour) {
        self.raster.text_upward(at, text, size, anchor, colour);
        self.svg.text_upward(at, text, size, anchor, colour);
    }
}
