//! The moving set at several times, with the paths of the points.

use super::Paths;
use super::outline::{Viewed, Window, outline, seen};
use crate::Error;
use drystone_record::draw::{Anchor, Canvas, Colour, Print, speed_colour, text_width};
use drystone_record::plot::{PALETTE, Ticks};
use drystone_space::DVec2;
use drystone_sweeping::{Member, Path, Problem, Scheme, Section};

/// How many times the set is drawn.
const TIMES: usize = 6;
/// Directions in which an outline is sampled.
const DIRECTIONS: usize = 720;
const TEXT: f64 = 15.0;
const WIDTH: f64 = 800.0;
const HEAD: f64 = 92.0;
const FOOT: f64 = 44.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 24.0;

/// Draws the picture of a problem.
pub fn draw<S: Viewed>(
    problem: &Problem<S>,
    paths: &[Paths<S>],
    file: &std::path::Path,
) -> Result<(), Error> {
    let time = |k: usize| problem.end * k as f64 / (TIMES - 1) as f64;
    let mut sections = Vec::new();
    for k in 0..TIMES {
        sections.push((time(k), problem.set.section(time(k))?));
    }
    let window = window(&sections, paths);
    let scale = WIDTH / window.size().x;
    let height = window.size().y * scale;
    let size = DVec2::new(LEFT + WIDTH + RIGHT, HEAD + height + FOOT);
    let mut sheet = Sheet { print: Print::new(size.x as u32, size.y as u32), window, scale };
    sheet.grid();
    for (time, section) in &sections {
        sheet.set(section, speed_colour(0.15 + 0.8 * time / problem.end));
    }
    for path in paths {
        sheet.paths(path);
    }
    sheet.frame(&problem.title, problem.end, paths.iter().any(|p| p.exact.is_some()));
    Ok(sheet.print.write(file)?)
}

/// Holds all paths, and all of the sets that is not endless.
fn window<S: Viewed>(sections: &[(f64, Section<S>)], paths: &[Paths<S>]) -> Window {
    let places = paths.iter().flat_map(|p| p.computed.iter()).flat_map(|p| &p.points);
    let near = Window::around(places.map(|&p| seen::<S>(p)));
    let wide = near.widened(5.0);
    let rims = sections.iter().flat_map(|(_, section)| outline(section, wide, 72));
    let rims = rims.filter(|&p| !wide.borders(p));
    let all = Window::around(rims.chain([near.low, near.high])).widened(0.06);
    // Neither a strip nor a tower.
    let size = all.size();
    let low = DVec2::new(size.y * 0.8, size.x * 0.4);
    let room = 0.5 * (low - size).max(DVec2::ZERO);
    Window { low: all.low - room, high: all.high + room }
}

struct Sheet {
    print: Print,
    window: Window,
    scale: f64,
}

impl Sheet {
    /// Data to picture.
    fn place(&self, point: DVec2) -> DVec2 {
        let across = (point.x - self.window.low.x) * self.scale;
        DVec2::new(LEFT + across, HEAD + (self.window.high.y - point.y) * self.scale)
    }
    fn set<S: Viewed>(&mut self, section: &Section<S>, colour: Colour) {
        let hollow = matches!(section.members(), [Member::Outside { .. }]);
        let points = outline(section, self.window, DIRECTIONS);
        let places: Vec<DVec2> = points.iter().map(|&p| self.place(p)).collect();
        if places.is_empty() {
            return;
        }
        self.print.polygon(&places, colour.faded(if hollow { 0.3 } else { 0.10 }));
        for k in 0..points.len() {
            let next = (k + 1) % points.len();
            let cut = self.window.borders(0.5 * (points[k] + points[next]));
            if !cut && places[k].distance(places[next]) > 0.0 {
                self.print.line(&[places[k], places[next]], 1.6, colour);
            }
        }
    }
    fn paths<S: Viewed>(&mut self, paths: &Paths<S>) {
        if let Some(exact) = &paths.exact {
            self.path(exact, 5.0, Colour::BOUNDARY, 0.0);
        }
        let [implicit, explicit] = &paths.computed;
        self.path(explicit, 1.6, colour(Scheme::Explicit), 2.6);
        self.path(implicit, 1.6, colour(Scheme::Implicit), 2.6);
        let start = self.place(seen::<S>(implicit.points[0]));
        self.print.disk(start, 5.0, Colour::INK);
        self.print.disk(start, 3.0, Colour::WHITE);
    }
    fn path<S: Viewed>(&mut self, path: &Path<S>, width: f64, colour: Colour, dot: f64) {
        let mut places: Vec<DVec2> =
            path.points.iter().map(|&p| self.place(seen::<S>(p))).collect();
        places.dedup();
        self.print.line(&places, width, colour);
        if dot > 0.0 && path.points.len() <= 100 {
            for place in places {
                self.print.disk(place, dot, colour);
            }
        }
    }
    fn grid(&mut self) {
        let (low, high) = (self.window.low, self.window.high);
        let light = Colour::rgb(0xe9_ec_ee);
        let columns = Ticks::linear(low.x, high.x, 9);
        let rows =
            Ticks::linear(low.y, high.y, (self.window.size().y * self.scale / 80.0) as usize);
        for (&x, label) in columns.places.iter().zip(&columns.labels) {
            let ends = [DVec2::new(x, low.y), DVec2::new(x, high.y)].map(|p| self.place(p));
            self.print.line(&ends, 1.0, light);
            let at = ends[0] + DVec2::new(0.0, 22.0);
            self.print.text(at, label, TEXT, Anchor::Middle, Colour::INK);
        }
        for (&y, label) in rows.places.iter().zip(&rows.labels) {
            let ends = [DVec2::new(low.x, y), DVec2::new(high.x, y)].map(|p| self.place(p));
            self.print.line(&ends, 1.0, light);
            let at = ends[0] + DVec2::new(-8.0, 0.36 * TEXT);
            self.print.text(at, label, TEXT, Anchor::End, Colour::INK);
        }
    }
    fn frame(&mut self, title: &str, end: f64, exact: bool) {
        let (low, high) = (self.window.low, self.window.high);
        let corners = [low, DVec2::new(high.x, low.y), high, DVec2::new(low.x, high.y)];
        let corners = corners.map(|p| self.place(p));
        self.print.outline(&corners, 1.2, Colour::INK);
        self.print.text(DVec2::new(20.0, 30.0), title, 18.0, Anchor::Start, Colour::INK);
        let mut at = DVec2::new(LEFT, 66.0);
        let mut entry = |print: &mut Print, text: &str, width: f64, colours: &[Colour]| {
            let length = 22.0 * colours.len() as f64 / if colours.len() > 1 { 1.5 } else { 1.0 };
            for (k, &colour) in colours.iter().enumerate() {
                let from = at + DVec2::new(length * k as f64 / colours.len() as f64, 0.0);
                let to = from + DVec2::new(length / colours.len() as f64, 0.0);
                print.line(&[from, to], width, colour);
            }
            let text_at = at + DVec2::new(length + 8.0, 0.36 * TEXT);
            print.text(text_at, text, TEXT, Anchor::Start, Colour::INK);
            at.x += length + 34.0 + text_width(text, TEXT);
        };
        let shades: Vec<Colour> =
            (0..TIMES).map(|k| speed_colour(0.15 + 0.8 * k as f64 / (TIMES - 1) as f64)).collect();
        entry(&mut self.print, &format!("the set from t = 0 to {end}"), 6.0, &shades);
        for scheme in Scheme::ALL {
            entry(&mut self.print, scheme.name(), 2.5, &[colour(scheme)]);
        }
        if exact {
            entry(&mut self.print, "exact", 5.0, &[Colour::BOUNDARY]);
        }
    }
}

fn colour(scheme: Scheme) -> Colour {
    match scheme {
        Scheme::Implicit => PALETTE[0],
        Scheme::Explicit => PALETTE[1],
    }
}
