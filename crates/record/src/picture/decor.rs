//! What surrounds the scene in a picture: title, time, colour bar, scale bar, force scale.

use super::{Scales, Subject};
use crate::draw::{Anchor, Canvas, Colour, signed_colour, speed_colour, text_width};
use crate::plot::{quantity, round_down};
use drystone_fem::StressField;
use drystone_space::DVec2;

const TEXT: f64 = 17.0;

/// The part of a picture that shows the scene; the rest is margin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Area {
    pub low: DVec2,
    pub high: DVec2,
}

impl Area {
    /// The scene's part of a picture of this size.
    pub fn of(size: DVec2) -> Self {
        let low = DVec2::new(16.0, 46.0);
        Self { low, high: (size - DVec2::new(118.0, 54.0)).max(low + 1.0) }
    }
    pub fn centre(&self) -> DVec2 {
        0.5 * (self.low + self.high)
    }
    /// Pixels per metre at which a box of this size fits.
    pub fn fit(&self, size: DVec2) -> f64 {
        let room = 0.96 * (self.high - self.low);
        let scale = (room / size).min_element();
        if scale.is_finite() && scale > 0.0 { scale } else { 1.0 }
    }
    /// Paints the margins white: clips what was drawn.
    pub fn clip(&self, canvas: &mut impl Canvas) {
        let size = canvas.size();
        let (low, high) = (self.low, self.high);
        let strips = [
            (DVec2::ZERO, DVec2::new(size.x, low.y)),
            (DVec2::new(0.0, high.y), size),
            (DVec2::ZERO, DVec2::new(low.x, size.y)),
            (DVec2::new(high.x, 0.0), size),
        ];
        for (low, high) in strips {
            canvas.rectangle(low, high, Colour::WHITE);
        }
    }
}

/// Draws everything around the scene. `pixels_per_metre` and `widest_line` belong to the scene.
pub(super) fn draw(
    canvas: &mut impl Canvas,
    area: Area,
    (title, time): (&str, f64),
    subject: Subject,
    scales: Scales,
    pixels_per_metre: f64,
    widest_line: Option<f64>,
) {
    let corner = DVec2::new(area.low.x, area.low.y - 16.0);
    let clock = format!("t = {time:.3} s");
    let room = area.high.x - area.low.x - text_width(&clock, TEXT) - 30.0;
    canvas.text(corner, &shortened(title, room), TEXT, Anchor::Start, Colour::INK);
    let corner = DVec2::new(area.high.x, area.low.y - 16.0);
    canvas.text(corner, &clock, TEXT, Anchor::End, Colour::INK);
    draw_scale_bar(canvas, area, pixels_per_metre);
    if let Some(width) = widest_line {
        draw_force_scale(canvas, area, scales.force, width);
    }
    if subject == Subject::Bodies {
        match scales.stress {
            Some((field, top)) => draw_colour_bar(canvas, area, Bar::stress(field, top)),
            None => draw_colour_bar(canvas, area, Bar::speed(scales.speed)),
        }
    }
}

/// The title, cut if it is wider than the room for it.
fn shortened(title: &str, room: f64) -> String {
    if text_width(title, TEXT) <= room {
        return title.to_owned();
    }
    let mut cut = title.to_owned();
    while !cut.is_empty() && text_width(&cut, TEXT) + text_width("…", TEXT) > room {
        cut.pop();
    }
    cut + "…"
}

fn draw_scale_bar(canvas: &mut impl Canvas, area: Area, pixels_per_metre: f64) {
    let length = round_down(0.2 * (area.high.x - area.low.x) / pixels_per_metre);
    let start = DVec2::new(area.low.x, area.high.y + 24.0);
    let end = start + DVec2::new(length * pixels_per_metre, 0.0);
    let tick = DVec2::new(0.0, 5.0);
    canvas.line(&[start, end], 2.0, Colour::INK);
    canvas.line(&[start - tick, start + tick], 2.0, Colour::INK);
    canvas.line(&[end - tick, end + tick], 2.0, Colour::INK);
    let at = end + DVec2::new(12.0, 0.36 * TEXT);
    canvas.text(at, &quantity(length, "m"), TEXT, Anchor::Start, Colour::INK);
}

fn draw_force_scale(canvas: &mut impl Canvas, area: Area, force: f64, width: f64) {
    let label = quantity(force, "N");
    let end = DVec2::new(area.high.x - text_width(&label, TEXT) - 14.0, area.high.y + 24.0);
    canvas.line(&[end - DVec2::new(48.0, 0.0), end], width, Colour::FORCE);
    let at = DVec2::new(area.high.x, end.y + 0.36 * TEXT);
    canvas.text(at, &label, TEXT, Anchor::End, Colour::INK);
}

/// What a colour bar shows.
struct Bar {
    name: &'static str,
    unit: &'static str,
    top: f64,
    /// Whether it goes from minus the top to the top.
    signed: bool,
}

impl Bar {
    fn speed(top: f64) -> Self {
        Self { name: "speed", unit: "m/s", top, signed: false }
    }
    fn stress(field: StressField, top: f64) -> Self {
        Self { name: field.name(), unit: "Pa", top, signed: field.signed() }
    }
    fn colour(&self, fraction: f64) -> Colour {
        if self.signed { signed_colour(fraction) } else { speed_colour(fraction) }
    }
}

fn draw_colour_bar(canvas: &mut impl Canvas, area: Area, bar: Bar) {
    let height = (0.5 * (area.high.y - area.low.y)).round();
    let low = DVec2::new(area.high.x + 22.0, (area.centre().y - 0.5 * height).round());
    let width = 18.0;
    let bands = 128;
    for band in 0..bands {
        let fraction = f64::from(band) / f64::from(bands - 1);
        let edge = |b: i32| low.y + height * (1.0 - f64::from(b) / f64::from(bands));
        // Each band reaches below its lower edge, so that no seam shows; the next covers no more.
        let high = DVec2::new(low.x + width, (edge(band) + 1.0).min(low.y + height));
        canvas.rectangle(DVec2::new(low.x, edge(band + 1)), high, bar.colour(fraction));
    }
    let high = low + DVec2::new(width, height);
    let corners = [low, DVec2::new(high.x, low.y), high, DVec2::new(low.x, high.y)];
    canvas.outline(&corners, 1.0, Colour::INK);
    let (prefix, factor) = crate::plot::prefix(bar.top);
    let size = 15.0;
    for quarter in 0..=4 {
        let fraction = f64::from(quarter) / 4.0;
        let y = high.y - fraction * height;
        let share = if bar.signed { 2.0 * fraction - 1.0 } else { fraction };
        let value = bar.top * share / factor;
        let at = DVec2::new(high.x + 7.0, y + 0.36 * size);
        canvas.line(&[DVec2::new(high.x, y), DVec2::new(high.x + 4.0, y)], 1.0, Colour::INK);
        canvas.text(at, &trimmed(value), size, Anchor::Start, Colour::INK);
    }
    let at = DVec2::new(low.x, low.y - 34.0);
    canvas.text(at, bar.name, size, Anchor::Start, Colour::INK);
    let at = DVec2::new(low.x, low.y - 15.0);
    canvas.text(at, &format!("({prefix}{})", bar.unit), size, Anchor::Start, Colour::INK);
}

/// Three decimals at most, no trailing zeros.
fn trimmed(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_fits_into_its_area() {
        let area = Area::of(DVec2::new(1280.0, 960.0));
        let scale = area.fit(DVec2::new(2.0, 1.0));
        assert!(2.0 * scale <= area.high.x - area.low.x && scale > 500.0);
        assert_eq!(area.fit(DVec2::ZERO), 1.0);
        let tiny = Area::of(DVec2::new(10.0, 10.0));
        assert!(tiny.high.x > tiny.low.x && tiny.high.y > tiny.low.y);
    }

    #[test]
    fn long_titles_are_cut() {
        assert_eq!(shortened("short", 200.0), "short");
        let cut = shortened(&"long ".repeat(50), 200.0);
        assert!(cut.ends_with('…') && text_width(&cut, TEXT) <= 200.0);
        assert_eq!([trimmed(0.25), trimmed(100.0), trimmed(0.0)], ["0.25", "100", "0"]);
    }
}
