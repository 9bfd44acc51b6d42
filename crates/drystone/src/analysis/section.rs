//! Pictures of an upright slice through the axis: force chains, fossil layers, cuts.
//!
//! A slice shows the grains whose centres are within two mean diameters of the plane through the axis
//! and along x, as Moreau 2003, Figs. 3 to 5.

use drystone_analysis::{Sample, SampleContact, SampleSide, Study, up};
use drystone_record::RecordError;
use drystone_record::draw::{Anchor, Canvas, Colour, Raster, Svg};
use drystone_record::plot::{PALETTE, prefix, quantity, round_down};
use drystone_space::{DVec2, Space, Vector};
use std::path::Path;

const WIDTH: f64 = 1200.0;
const EDGE: f64 = 24.0;
const HEAD: f64 = 56.0;
const FOOT: f64 = 50.0;
const TEXT: f64 = 15.0;
/// Half the thickness of a slice, in mean diameters.
const HALF: f64 = 2.0;
/// Width of the line of the largest force, in mean diameters.
const WIDEST: f64 = 0.4;
/// Length of the largest arrow, in lengths of a cut.
const LONGEST: f64 = 2.0;
const PALE: Colour = Colour::rgb(0xee_ec_e6);
const RIM: Colour = Colour::rgb(0xb9_b6_ae);

/// Writes all pictures that apply, as PNG and SVG.
pub fn write_all<S: Space>(
    directory: &Path,
    title: &str,
    sample: &Sample<S>,
    study: &Study<S>,
) -> Result<(), RecordError> {
    let Some(slice) = Slice::new(sample, study) else { return Ok(()) };
    let mut names = vec!["chains"];
    if !study.layers.is_empty() {
        names.push("layers");
    }
    if !study.cuts.is_empty() {
        names.push("cuts");
    }
    for name in names {
        let (width, height) = slice.size();
        let mut raster = Raster::new(width, height);
        slice.draw(&mut raster, name, title);
        raster.write_png(&directory.join(format!("{name}.png")))?;
        let mut svg = Svg::new(width, height);
        slice.draw(&mut svg, name, title);
        svg.write(&directory.join(format!("{name}.svg")))?;
    }
    Ok(())
}

struct Slice<'a, S: Space> {
    sample: &'a Sample<S>,
    study: &'a Study<S>,
    low: DVec2,
    high: DVec2,
    scale: f64,
}

impl<'a, S: Space> Slice<'a, S> {
    /// `None` without grains to show.
    fn new(sample: &'a Sample<S>, study: &'a Study<S>) -> Option<Self> {
        let mut slice =
            Self { sample, study, low: DVec2::INFINITY, high: DVec2::NEG_INFINITY, scale: 1.0 };
        // Strays would shrink the rest.
        let reach = 1.15 * study.surface.base().max(study.diameter) + study.diameter;
        let (mut low, mut high) = (slice.low, slice.high);
        for grain in sample.grains.iter().filter(|g| slice.holds(g.position)) {
            let place = slice.flat(grain.position);
            let radius = DVec2::splat(grain.radius);
            low = low.min((place - radius).max(DVec2::new(-reach, f64::MIN)));
            high = high.max((place + radius).min(DVec2::new(reach, f64::MAX)));
        }
        (slice.low, slice.high) = (low, high);
        if !(slice.high - slice.low).cmpgt(DVec2::ZERO).all() {
            return None;
        }
        slice.scale = (WIDTH - 2.0 * EDGE) / (slice.high.x - slice.low.x);
        Some(slice)
    }
    fn size(&self) -> (u32, u32) {
        let height = (self.high.y - self.low.y) * self.scale + HEAD + FOOT;
        (WIDTH as u32, height.ceil() as u32)
    }
    /// Place in the slice: along x from the axis, and height.
    fn flat(&self, point: S::Vector) -> DVec2 {
        DVec2::new((point - self.study.axis).get(0), up(point))
    }
    fn holds(&self, point: S::Vector) -> bool {
        S::DIMENSION == 2 || (point - self.study.axis).get(1).abs() < HALF * self.study.diameter
    }
    fn map(&self, place: DVec2) -> DVec2 {
        let part = (place - self.low) * self.scale;
        let bottom = HEAD + (self.high.y - self.low.y) * self.scale;
        DVec2::new(EDGE + part.x, bottom - part.y)
    }

    fn draw(&self, canvas: &mut impl Canvas, name: &str, title: &str) {
        let (what, note) = match name {
            "chains" => {
                self.grains(canvas, |_| PALE);
                ("contact forces", self.chains(canvas))
            }
            "layers" => {
                self.grains(canvas, |birth| self.layer_colour(birth));
                (
                    "fossil layers, and force densities on vertical cylinders",
                    self.layer_forces(canvas),
                )
            }
            _ => {
                self.grains(canvas, |_| PALE);
                ("reciprocal cuts and their force densities", self.cut_forces(canvas))
            }
        };
        let size = canvas.size();
        // What reaches out of the picture is cut off.
        canvas.rectangle(DVec2::ZERO, DVec2::new(size.x, HEAD - 4.0), Colour::WHITE);
        canvas.rectangle(DVec2::new(0.0, size.y - FOOT + 4.0), size, Colour::WHITE);
        let head = format!("{title}: {what}, t = {:.3} s", self.sample.time);
        canvas.text(DVec2::new(EDGE, 32.0), &head, 18.0, Anchor::Start, Colour::INK);
        let length = round_down(0.2 * (self.high.x - self.low.x));
        let start = DVec2::new(EDGE, size.y - 22.0);
        canvas.line(&[start, start + DVec2::new(length * self.scale, 0.0)], 3.0, Colour::INK);
        let at = start + DVec2::new(length * self.scale + 10.0, 5.0);
        canvas.text(at, &quantity(length, "m"), TEXT, Anchor::Start, Colour::INK);
        let at = DVec2::new(size.x - EDGE, size.y - 17.0);
        canvas.text(at, &note, TEXT, Anchor::End, Colour::INK);
    }

    fn grains(&self, canvas: &mut impl Canvas, colour: impl Fn(f64) -> Colour) {
        for grain in self.sample.grains.iter().filter(|g| self.holds(g.position)) {
            let (centre, radius) = (self.map(self.flat(grain.position)), grain.radius * self.scale);
            canvas.disk(centre, radius, RIM);
            canvas.disk(centre, radius - 0.8f64.min(0.2 * radius), colour(grain.birth));
        }
    }

    /// Lines from centre to centre, as wide as the force is large; returns what they mean.
    fn chains(&self, canvas: &mut impl Canvas) -> String {
        let shown = |c: &&SampleContact<S>| self.holds(c.point);
        let mut forces: Vec<f64> =
            self.sample.active().filter(shown).map(|c| c.force.norm()).collect();
        forces.sort_by(f64::total_cmp);
        // One force in two hundred may be wider than the scale.
        let Some(&top) = forces.get((forces.len() * 199) / 200) else { return String::new() };
        let widest = WIDEST * self.study.diameter * self.scale;
        for contact in self.sample.active().filter(shown) {
            let width = widest * (contact.force.norm() / top).min(1.0);
            if width > 0.15 {
                let end = |side: SampleSide| match side.grain() {
                    Some(index) => self.map(self.flat(self.sample.grains[index].position)),
                    None => self.map(self.flat(contact.point)),
                };
                let point = self.map(self.flat(contact.point));
                canvas.line(
                    &[end(contact.first), point, end(contact.second)],
                    width,
                    Colour::FORCE,
                );
            }
        }
        format!("widest line: {top:.3e} N")
    }

    fn layer_colour(&self, birth: f64) -> Colour {
        let within = |l: &drystone_analysis::Layer| birth >= l.from && birth < l.to;
        let layer = self.study.layers.iter().position(within);
        // Every other layer is coloured, so that their borders are seen.
        layer.filter(|i| i % 2 == 1).map_or(PALE, |i| PALETTE[(i / 2) % PALETTE.len()].faded(0.75))
    }

    fn layer_forces(&self, canvas: &mut impl Canvas) -> String {
        let shown = || self.study.places.iter().filter(|p| p.layer % 2 == 1);
        let top = shown().map(|p| p.force.density().length()).fold(0.0, f64::max);
        for place in shown() {
            self.arrow(canvas, place.place, place.force.density() / top, Colour::INK);
        }
        self.largest(top)
    }

    fn cut_forces(&self, canvas: &mut impl Canvas) -> String {
        let forces =
            || self.study.cuts.iter().flat_map(|pair| pair.cuts.into_iter().zip(pair.forces));
        let top = forces().map(|(_, force)| force.density().length()).fold(0.0, f64::max);
        for (index, pair) in self.study.cuts.iter().enumerate() {
            // Pairs along the axes on the right, those between them on the left.
            let side = DVec2::new(if index % 2 == 0 { 1.0 } else { -1.0 }, 1.0);
            for (cut, (force, colour)) in pair.cuts.iter().zip(pair.forces.iter().zip(PALETTE)) {
                let ends = [cut.start, cut.end].map(|p| self.map(p * side));
                canvas.line(&ends, 2.5, colour);
                let middle = 0.5 * (cut.start + cut.end) * side;
                self.arrow(canvas, middle, force.density() * side / top, colour);
            }
        }
        self.largest(top)
    }

    /// An arrow from a place; a vector of length 1 is the longest.
    fn arrow(&self, canvas: &mut impl Canvas, place: DVec2, vector: DVec2, colour: Colour) {
        let length = LONGEST * self.cut_length() * self.scale;
        let start = self.map(place);
        let way = DVec2::new(vector.x, -vector.y) * length;
        let size = way.length();
        if !(size > 1.0 && size.is_finite()) {
            return;
        }
        let (ahead, end) = (way / size, start + way);
        let head = ahead * 9f64.min(0.6 * size);
        canvas.line(&[start, end - 0.8 * head], 2.0, colour);
        let side = head.perp() * 0.45;
        canvas.polygon(&[end, end - head + side, end - head - side], colour);
    }
    fn cut_length(&self) -> f64 {
        let first = self.study.cuts.first();
        first
            .map_or(2.0 * self.study.diameter, |pair| pair.cuts[0].start.distance(pair.cuts[0].end))
    }
    fn largest(&self, top: f64) -> String {
        let (name, factor) = prefix(top);
        let unit = if S::DIMENSION == 3 { "Pa" } else { "N/m" };
        format!("longest arrow: {:.3} {name}{unit}", top / factor)
    }
}
