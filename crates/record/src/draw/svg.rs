//! Vector files.

use super::{Anchor, Canvas, Colour};
use crate::RecordError;
use crate::archive::put_whole;
use drystone_space::DVec2;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

/// A vector picture in memory.
pub struct Svg {
    size: DVec2,
    body: String,
}

impl Svg {
    /// A white picture.
    pub fn new(width: u32, height: u32) -> Self {
        let size = DVec2::new(f64::from(width), f64::from(height));
        let mut svg = Self { size, body: String::new() };
        svg.rectangle(DVec2::ZERO, size, Colour::WHITE);
        svg
    }
    /// The whole file.
    pub fn to_text(&self) -> String {
        let DVec2 { x: width, y: height } = self.size;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"DejaVu Sans, Verdana, sans-serif\">\n\
             {}</svg>\n",
            self.body
        )
    }
    /// Writes the file.
    pub fn write(&self, path: &Path) -> Result<(), RecordError> {
        put_whole(path, |file| file.write_all(self.to_text().as_bytes()))
    }
    fn element(&mut self, content: std::fmt::Arguments<'_>) {
        self.body.write_fmt(content).expect("writing to a string does not fail");
        self.body.push('\n');
    }
    fn write_text(
        &mut self,
        at: DVec2,
        text: &str,
        size: f64,
        anchor: Anchor,
        colour: Colour,
        turn: &str,
    ) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        self.element(format_args!(
            "<text x=\"{:.2}\" y=\"{:.2}\" font-size=\"{size}\" text-anchor=\"{anchor}\" \
             fill=\"{colour}\"{}{turn}>{text}</text>",
            at.x,
            at.y,
            opacity("fill", colour)
        ));
    }
}

impl Canvas for Svg {
    fn size(&self) -> DVec2 {
        self.size
    }
    fn polygon(&mut self, points: &[DVec2], fill: Colour) {
        let points = list(points);
        let opacity = opacity("fill", fill);
        self.element(format_args!("<polygon points=\"{points}\" fill=\"{fill}\"{opacity}/>"));
    }
    fn disk(&mut self, centre: DVec2, radius: f64, fill: Colour) {
        self.element(format_args!(
            "<circle cx=\"{:.2}\" cy=\"{:.2}\" r=\"{radius:.2}\" fill=\"{fill}\"{}/>",
            centre.x,
            centre.y,
            opacity("fill", fill)
        ));
    }
    fn line(&mut self, points: &[DVec2], width: f64, colour: Colour) {
        let points = list(points);
        let opacity = opacity("stroke", colour);
        self.element(format_args!(
            "<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\"{opacity} \
             stroke-width=\"{width:.2}\" stroke-linecap=\"round\" stroke-linejoin=\"round\"/>"
        ));
    }
    fn text(&mut self, at: DVec2, text: &str, size: f64, anchor: Anchor, colour: Colour) {
        self.write_text(at, text, size, anchor, colour, "");
    }
    fn text_upward(&mut self, at: DVec2, text: &str, size: f64, anchor: Anchor, colour: Colour) {
        let turn = format!(" transform=\"rotate(-90 {:.2} {:.2})\"", at.x, at.y);
        self.write_text(at, text, size, anchor, colour, &turn);
    }
}

fn list(points: &[DVec2]) -> String {
    let points: Vec<String> = points.iter().map(|p| format!("{:.2},{:.2}", p.x, p.y)).collect();
    points.join(" ")
}

fn opacity(of: &str, colour: Colour) -> String {
    if colour.alpha == 255 {
        String::new()
    } else {
        format!(" {of}-opacity=\"{:.3}\"", f64::from(colour.alpha) / 255.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_elements_are_written() {
        let mut svg = Svg::new(100, 50);
        svg.text(DVec2::new(1.0, 2.0), "a < b & c", 12.0, Anchor::End, Colour::INK);
        svg.line(&[DVec2::ZERO, DVec2::new(3.0, 4.5)], 1.5, Colour::FORCE.faded(0.5));
        let text = svg.to_text();
        assert!(text.contains(">a &lt; b &amp; c</text>") && text.contains("text-anchor=\"end\""));
        assert!(text.contains("points=\"0.00,0.00 3.00,4.50\""));
        assert!(text.contains("stroke-opacity=\"0.502\""));
        assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
    }
}
