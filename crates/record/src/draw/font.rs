//! The outlines of DejaVu Sans, which comes with the program: text looks the same everywhere.

use drystone_space::DVec2;
use std::sync::LazyLock;
use tiny_skia::{Path, PathBuilder};
use ttf_parser::{Face, OutlineBuilder};

static FACE: LazyLock<Face<'static>> = LazyLock::new(|| {
    Face::parse(dejavu::sans::regular(), 0).expect("the font that the program was built with")
});

/// Width of a text in pixels; `size` is the em.
pub fn text_width(text: &str, size: f64) -> f64 {
    text.chars().map(|c| advance(c) * scale(size)).sum()
}

/// The outline of a text whose baseline starts at `at`, turned upward if asked; `None` for blanks.
pub(super) fn text_path(at: DVec2, text: &str, size: f64, upward: bool) -> Option<Path> {
    let along = if upward { DVec2::new(0.0, -1.0) } else { DVec2::X };
    let mut pen = Pen { path: PathBuilder::new(), origin: at, along, scale: scale(size) };
    for character in text.chars() {
        if let Some(glyph) = FACE.glyph_index(character) {
            FACE.outline_glyph(glyph, &mut pen);
        }
        pen.origin += along * (advance(character) * pen.scale);
    }
    pen.path.finish()
}

fn scale(size: f64) -> f64 {
    size / f64::from(FACE.units_per_em())
}

fn advance(character: char) -> f64 {
    let glyph = FACE.glyph_index(character).unwrap_or_default();
    f64::from(FACE.glyph_hor_advance(glyph).unwrap_or(0))
}

/// Places glyphs, whose y axis points up, on the canvas, whose y axis points down.
struct Pen {
    path: PathBuilder,
    origin: DVec2,
    along: DVec2,
    scale: f64,
}

impl Pen {
    fn place(&self, x: f32, y: f32) -> (f32, f32) {
        let up = DVec2::new(self.along.y, -self.along.x);
        let p = self.origin + (self.along * f64::from(x) + up * f64::from(y)) * self.scale;
        (p.x as f32, p.y as f32)
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.place(x, y);
        self.path.move_to(x, y);
    }
    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.place(x, y);
        self.path.line_to(x, y);
    }
    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.place(x1, y1), self.place(x, y));
        self.path.quad_to(x1, y1, x, y);
    }
    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2)) = (self.place(x1, y1), self.place(x2, y2));
        let (x, y) = self.place(x, y);
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }
    fn close(&mut self) {
        self.path.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stands_on_its_baseline_and_ends_at_its_width() {
        let at = DVec2::new(10.0, 50.0);
        let bounds = text_path(at, "HEH", 20.0, false).unwrap().bounds();
        assert!((f64::from(bounds.bottom()) - 50.0).abs() < 0.01);
        assert!(bounds.top() < 38.0);
        assert!(f64::from(bounds.right()) < 10.0 + text_width("HEH", 20.0));
        let bounds = text_path(at, "HEH", 20.0, true).unwrap().bounds();
        assert!((f64::from(bounds.right()) - 10.0).abs() < 0.01 && bounds.bottom() < 50.0);
    }

    #[test]
    fn the_characters_of_our_units_are_in_the_font() {
        for character in "µ²³·×⁻−°¹⁰…√".chars() {
            assert!(FACE.glyph_index(character).is_some(), "{character}");
        }
        assert!(text_path(DVec2::ZERO, "  ", 12.0, false).is_none());
    }
}
