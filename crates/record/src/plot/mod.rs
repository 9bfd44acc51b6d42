//! Curves: panels with axes, units and a legend beside the data, never over it.

mod ticks;

pub use ticks::{Ticks, prefix, quantity, round_down, round_up};

use crate::draw::{Anchor, Canvas, Colour, text_width};
use drystone_space::{DVec2, math};

/// Colours of series, told apart also by colour-blind eyes (Okabe & Ito 2008).
pub const PALETTE: [Colour; 8] = [
    Colour::rgb(0x00_72_b2),
    Colour::rgb(0xd5_5e_00),
    Colour::rgb(0x00_9e_73),
    Colour::rgb(0xcc_79_a7),
    Colour::rgb(0xe6_9f_00),
    Colour::rgb(0x56_b4_e9),
    Colour::rgb(0x6b_4c_9a),
    Colour::rgb(0x5f_5f_5f),
];

const TEXT: f64 = 15.0;
/// Curves of no more points than this show them as dots.
const DOTTED: usize = 32;
const GRID: Colour = Colour::rgb(0xe3_e6_e9);

/// How values are placed along an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// In proportion.
    #[default]
    Linear,
    /// By their decimal logarithm; values that are not positive are left out.
    Logarithmic,
}

/// An axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// What is shown.
    pub label: String,
    /// Its SI unit, empty for pure numbers; a prefix is added where it helps.
    pub unit: String,
    /// How values are placed.
    pub scale: Scale,
}

/// One curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// Its colour.
    pub colour: Colour,
    /// One value for each of the plot's times.
    pub values: Vec<f64>,
}

/// Curves over one vertical axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panel {
    /// The vertical axis.
    pub axis: Axis,
    /// The curves.
    pub series: Vec<Series>,
    /// Share of the height, relative to the other panels.
    pub weight: f64,
}

/// Panels above each other that share the axis of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plot {
    /// Stands above the first panel.
    pub title: String,
    /// Times in seconds, or whatever the plot is drawn against, rising.
    pub times: Vec<f64>,
    /// From top to bottom.
    pub panels: Vec<Panel>,
}

impl Plot {
    /// Draws the plot against time, over the whole canvas.
    pub fn draw(&self, canvas: &mut impl Canvas) {
        let label = "time (s)".to_owned();
        self.draw_against(canvas, &Axis { label, ..Axis::default() });
    }

    /// Draws the plot against something else than time, over the whole canvas.
    pub fn draw_against(&self, canvas: &mut impl Canvas, across: &Axis) {
        let size = canvas.size();
        canvas.text(DVec2::new(20.0, 30.0), &self.title, 18.0, Anchor::Start, Colour::INK);
        let names = self.panels.iter().filter(|p| p.series.len() > 1).flat_map(|p| &p.series);
        let legend = names.map(|s| text_width(&s.name, TEXT) + 60.0).fold(24.0, f64::max);
        let (left, right) = (96.0, size.x - legend);
        let (top, bottom, gap) = (52.0, size.y - 56.0, 26.0);
        let weights: f64 = self.panels.iter().map(|p| p.weight).sum();
        let height = bottom - top - gap * (self.panels.len().saturating_sub(1)) as f64;
        let mut above = top;
        for (index, panel) in self.panels.iter().enumerate() {
            let below = above + height * panel.weight / weights;
            let area = Area { low: DVec2::new(left, above), high: DVec2::new(right, below) };
            let last = index + 1 == self.panels.len();
            self.draw_panel(canvas, panel, across.scale, area, last);
            above = below + gap;
        }
        let middle = DVec2::new(0.5 * (left + right), size.y - 14.0);
        canvas.text(middle, &across.label, TEXT, Anchor::Middle, Colour::INK);
    }

    fn draw_panel(
        &self,
        canvas: &mut impl Canvas,
        panel: &Panel,
        across: Scale,
        area: Area,
        last: bool,
    ) {
        let range = Range::of(panel);
        let map = Map { x: Range::across(&self.times, across), y: range, area };
        let width = area.high.x - area.low.x;
        let times = map.x.ticks((width / 110.0) as usize);
        for (&place, label) in times.places.iter().zip(&times.labels) {
            let x = map.x(place);
            canvas.line(&[DVec2::new(x, area.low.y), DVec2::new(x, area.high.y)], 1.0, GRID);
            if last {
                let at = DVec2::new(x, area.high.y + 22.0);
                canvas.text(at, label, TEXT, Anchor::Middle, Colour::INK);
            }
        }
        let ticks = range.ticks(((area.high.y - area.low.y) / 45.0) as usize);
        for (&place, label) in ticks.places.iter().zip(&ticks.labels) {
            let y = map.y(place * range.factor);
            canvas.line(&[DVec2::new(area.low.x, y), DVec2::new(area.high.x, y)], 1.0, GRID);
            let at = DVec2::new(area.low.x - 8.0, y + 0.36 * TEXT);
            canvas.text(at, label, TEXT, Anchor::End, Colour::INK);
        }
        canvas.outline(&area.corners(), 1.2, Colour::INK);
        for series in &panel.series {
            for stretch in map.stretches(&self.times, &series.values) {
                canvas.line(&stretch, 1.8, series.colour);
                for &point in stretch.iter().filter(|_| self.times.len() <= DOTTED) {
                    canvas.disk(point, 4.0, series.colour);
                }
            }
        }
        let at = DVec2::new(26.0, 0.5 * (area.low.y + area.high.y));
        canvas.text_upward(at, &range.label(&panel.axis), TEXT, Anchor::Middle, Colour::INK);
        if panel.series.len() > 1 {
            draw_legend(canvas, panel, DVec2::new(area.high.x + 14.0, area.low.y + 12.0));
        }
    }
}

fn draw_legend(canvas: &mut impl Canvas, panel: &Panel, corner: DVec2) {
    for (index, series) in panel.series.iter().enumerate() {
        let at = corner + DVec2::new(0.0, 24.0 * index as f64);
        canvas.line(&[at, at + DVec2::new(22.0, 0.0)], 3.0, series.colour);
        let text = at + DVec2::new(30.0, 0.36 * TEXT);
        canvas.text(text, &series.name, TEXT, Anchor::Start, Colour::INK);
    }
}

/// A rectangle of the canvas.
#[derive(Clone, Copy)]
struct Area {
    low: DVec2,
    high: DVec2,
}

impl Area {
    fn corners(&self) -> [DVec2; 4] {
        let (low, high) = (self.low, self.high);
        [low, DVec2::new(high.x, low.y), high, DVec2::new(low.x, high.y)]
    }
}

/// Ends of an axis, in the unit of the data; labels are divided by `factor`.
#[derive(Clone, Copy)]
struct Range {
    low: f64,
    high: f64,
    scale: Scale,
    prefix: &'static str,
    factor: f64,
}

impl Range {
    /// Holds all values of a panel, with a margin.
    fn of(panel: &Panel) -> Self {
        let scale = panel.axis.scale;
        let shown = |v: &f64| v.is_finite() && (scale == Scale::Linear || *v > 0.0);
        let values = || panel.series.iter().flat_map(|s| s.values.iter().copied()).filter(shown);
        let low = values().fold(f64::INFINITY, f64::min);
        let high = values().fold(f64::NEG_INFINITY, f64::max);
        let (low, high) = if low <= high { (low, high) } else { (1.0, 1.0) };
        let (prefix, factor) = match (scale, panel.axis.unit.as_str()) {
            (Scale::Linear, unit) if !unit.is_empty() => prefix(low.abs().max(high.abs())),
            _ => ("", 1.0),
        };
        let (low, high) = match scale {
            Scale::Logarithmic => {
                // A little room above, so that no curve runs along the frame.
                let (low, high) = (math::log10(low).floor(), (math::log10(high) + 0.1).ceil());
                (math::powf(10.0, low), math::powf(10.0, high.max(low + 1.0)))
            }
            // Zero belongs to the picture of an energy, a count or a force.
            Scale::Linear => {
                let (low, high) = (low.min(0.0), high.max(0.0));
                let margin = if high > low { 0.05 * (high - low) } else { 1.0 };
                (if low < 0.0 { low - margin } else { low }, high + margin)
            }
        };
        Self { low, high, scale, prefix, factor }
    }
    /// From the first value to the last.
    fn across(values: &[f64], scale: Scale) -> Self {
        let (low, high) = match (values.first(), values.last()) {
            (Some(&first), Some(&last)) if last > first => (first, last),
            (Some(&only), _) => (only, only + 1.0),
            _ => (0.0, 1.0),
        };
        // A little room at both ends, as the points of such axes are few.
        let (low, high) = match scale {
            Scale::Linear => (low, high),
            Scale::Logarithmic => (low / 1.3, high * 1.3),
        };
        Self { low, high, scale, prefix: "", factor: 1.0 }
    }
    fn ticks(&self, count: usize) -> Ticks {
        match self.scale {
            Scale::Linear => Ticks::linear(self.low / self.factor, self.high / self.factor, count),
            Scale::Logarithmic => Ticks::logarithmic(self.low, self.high, count),
        }
    }
    fn label(&self, axis: &Axis) -> String {
        if axis.unit.is_empty() {
            axis.label.clone()
        } else {
            format!("{} ({}{})", axis.label, self.prefix, axis.unit)
        }
    }
    fn fraction(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Logarithmic => math::log10(value / self.low) / math::log10(self.high / self.low),
        }
    }
}

/// Data to canvas.
struct Map {
    x: Range,
    y: Range,
    area: Area,
}

impl Map {
    fn x(&self, time: f64) -> f64 {
        self.area.low.x + self.x.fraction(time) * (self.area.high.x - self.area.low.x)
    }
    fn y(&self, value: f64) -> f64 {
        self.area.high.y - self.y.fraction(value) * (self.area.high.y - self.area.low.y)
    }
    /// The unbroken stretches of a curve, thinned to what the eye can see: per column of pixels the
    /// first point, the lowest, the highest and the last.
    fn stretches(&self, times: &[f64], values: &[f64]) -> Vec<Vec<DVec2>> {
        let mut stretches = vec![Vec::new()];
        let mut column = Vec::new();
        for (&time, &value) in times.iter().zip(values) {
            let point = DVec2::new(self.x(time), self.y(value));
            let visible = point.is_finite();
            let same = column.first().is_none_or(|p: &DVec2| p.x.floor() == point.x.floor());
            let stretch = stretches.last_mut().expect("there is always one");
            if !visible || !same {
                flush_column(&mut column, stretch);
            }
            if visible {
                column.push(point);
            } else if !stretch.is_empty() {
                stretches.push(Vec::new());
            }
        }
        flush_column(&mut column, stretches.last_mut().expect("there is always one"));
        stretches
    }
}

fn flush_column(column: &mut Vec<DVec2>, stretch: &mut Vec<DVec2>) {
    let by_height = |a: &&DVec2, b: &&DVec2| a.y.total_cmp(&b.y);
    let ends = (column.iter().min_by(by_height), column.iter().max_by(by_height));
    if let (Some(&low), Some(&high)) = ends {
        let (first, last) = (column[0], column[column.len() - 1]);
        stretch.extend([first, low, high, last]);
        stretch.dedup();
    }
    column.clear();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Svg;

    fn panel(scale: Scale, values: Vec<f64>) -> Panel {
        let series = Series { name: "a".to_owned(), colour: PALETTE[0], values };
        let axis = Axis { label: "energy".to_owned(), unit: "J".to_owned(), scale };
        Panel { axis, series: vec![series], weight: 1.0 }
    }

    #[test]
    fn the_range_holds_the_data_and_zero() {
        let range = Range::of(&panel(Scale::Linear, vec![2000.0, 5000.0, f64::NAN]));
        assert_eq!((range.low, range.high, range.prefix), (0.0, 5250.0, "k"));
        assert_eq!(range.label(&panel(Scale::Linear, vec![]).axis), "energy (kJ)");
        let range = Range::of(&panel(Scale::Logarithmic, vec![3e-7, 0.0, 2e-3]));
        assert!((range.low / 1e-7 - 1.0).abs() < 1e-12 && (range.high / 1e-2 - 1.0).abs() < 1e-12);
        let range = Range::of(&panel(Scale::Linear, vec![]));
        assert!(range.low < range.high);
    }

    #[test]
    fn thinning_keeps_spikes_and_breaks_at_gaps() {
        let area = Area { low: DVec2::ZERO, high: DVec2::new(10.0, 100.0) };
        let times: Vec<f64> = (0..1000).map(f64::from).collect();
        let mut values = vec![0.0; 1000];
        values[517] = 1.0;
        values[800] = f64::NAN;
        let y = Range { low: 0.0, high: 1.0, scale: Scale::Linear, prefix: "", factor: 1.0 };
        let map = Map { x: Range { high: 999.0, ..y }, y, area };
        let stretches = map.stretches(&times, &values);
        assert_eq!(stretches.len(), 2);
        assert!(stretches[0].len() < 40);
        assert!(stretches[0].iter().any(|p| p.y == 0.0), "the spike reaches the top");
    }

    #[test]
    fn an_axis_across_may_be_logarithmic() {
        let range = Range::across(&[1e-3, 1e-2, 1e-1], Scale::Logarithmic);
        assert!((range.fraction(1e-2) - 0.5).abs() < 1e-12);
        assert_eq!(range.ticks(5).labels, ["10⁻³", "10⁻²", "10⁻¹"]);
        let mut svg = Svg::new(400, 300);
        let plot = Plot {
            times: vec![1e-3, 1e-2, 1e-1],
            panels: vec![panel(Scale::Logarithmic, vec![1.0, 10.0, 100.0])],
            ..Plot::default()
        };
        let across =
            Axis { label: "step".to_owned(), scale: Scale::Logarithmic, ..Axis::default() };
        plot.draw_against(&mut svg, &across);
        let text = svg.to_text();
        assert!(text.contains(">step</text>") && text.matches("<circle").count() == 3);
    }

    #[test]
    fn a_plot_without_data_is_still_a_plot() {
        let mut svg = Svg::new(400, 300);
        let plot = Plot { panels: vec![panel(Scale::Logarithmic, vec![])], ..Plot::default() };
        plot.draw(&mut svg);
        assert!(svg.to_text().contains("time (s)") && !svg.to_text().contains("NaN"));
    }
}
