//! Moreau's hydraulic picture of the process (Moreau 2003, §2.6).
//!
//! Time is depth. The set at each time is the horizontal section of a cave, and the path of a point is
//! a thread of water: it falls where it touches nothing, and runs down rock that faces up, by the
//! steepest way. The view is from the front and somewhat from above; the front half of the rock is
//! cut away, or the back half if the rock is a pillar.

use super::outline::{Window, outline};
use crate::Error;
use drystone_record::draw::{Anchor, Canvas, Colour, Print, text_width};
use drystone_space::{DVec2, Plane};
use drystone_sweeping::{Member, Problem, Scheme};

/// Sections that the rock is drawn from.
const SECTIONS: usize = 240;
/// Directions in which a section is sampled.
const DIRECTIONS: usize = 360;
/// Steps of a thread.
const STEPS: usize = 1200;
/// How much of a length toward the back is seen upward.
const TILT: f64 = 0.34;
const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 1000.0;
const HEAD: f64 = 84.0;
const LEFT: f64 = 70.0;

/// Rock that faces up, and rock that overhangs.
const FLOOR: Colour = Colour::rgb(0xe0_cf_b0);
const OVERHANG: Colour = Colour::rgb(0xa6_97_88);
/// Water that runs, and water that falls.
const RUNNING: Colour = Colour::rgb(0x00_57_9b);
const FALLING: Colour = Colour::rgb(0x3f_b4_f0);

/// Draws the cave and its water.
pub fn draw(problem: &Problem<Plane>, file: &std::path::Path) -> Result<(), Error> {
    let threads = problem.starts.iter().map(|&s| problem.path(s, STEPS, Scheme::Implicit));
    let threads = threads.collect::<Result<Vec<_>, _>>()?;
    let near = Window::around(threads.iter().flat_map(|t| t.points.iter().copied()));
    let wide = near.widened(3.0);
    let mut sheet = Sheet { problem, window: wide, print: Print::new(1, 1) };
    let rims = sheet.rings()?.into_iter().flatten().filter(|&p| !wide.borders(p));
    sheet.window = Window::around(rims.chain([near.low, near.high])).widened(0.08);
    sheet.print = Print::new((WIDTH + LEFT + 30.0) as u32, (sheet.height() + HEAD) as u32);
    let rings = sheet.rings()?;
    sheet.rock(&rings)?;
    for thread in &threads {
        for (k, ends) in thread.points.windows(2).enumerate() {
            let colour = if ends[0] == ends[1] { FALLING } else { RUNNING };
            let line = [0, 1].map(|i| sheet.place(ends[i], thread.times[k + i]));
            sheet.print.line(&line, 3.2, colour);
        }
        let spring = sheet.place(thread.points[0], 0.0);
        sheet.print.disk(spring, 5.0, RUNNING);
    }
    sheet.rims(&rings);
    sheet.legend();
    Ok(sheet.print.write(file)?)
}

struct Sheet<'p> {
    problem: &'p Problem<Plane>,
    window: Window,
    print: Print,
}

impl Sheet<'_> {
    fn scale(&self) -> f64 {
        WIDTH / self.window.size().x
    }
    /// Height of the drawing: that of time, and the tilted sections at both ends.
    fn height(&self) -> f64 {
        HEIGHT * 0.8 + TILT * self.window.size().y * self.scale() + 30.0
    }
    fn time(&self, section: usize) -> f64 {
        self.problem.end * section as f64 / SECTIONS as f64
    }
    /// A place of a section to the picture: time downward, back upward.
    fn place(&self, point: DVec2, time: f64) -> DVec2 {
        let from = DVec2::new(point.x - self.window.low.x, self.window.high.y - point.y);
        let down = HEAD + 0.8 * HEIGHT * time / self.problem.end;
        DVec2::new(LEFT, down) + from * DVec2::new(1.0, TILT) * self.scale()
    }
    /// Whether the rock is a pillar in the open, and not a cave.
    fn pillar(&self) -> bool {
        let members = || self.problem.set.pieces().iter().flat_map(|piece| &piece.members);
        members().any(|member| matches!(member, Member::Outside { .. }))
    }
    fn rings(&self) -> Result<Vec<Vec<DVec2>>, Error> {
        let ring = |k: usize| {
            let section = self.problem.set.section(self.time(k))?;
            Ok(outline(&section, self.window, DIRECTIONS))
        };
        (0..=SECTIONS).map(ring).collect()
    }
    /// Whether the rock at a direction from the middle is drawn as a surface.
    fn shown(&self, direction: usize) -> bool {
        (direction < DIRECTIONS / 2) != self.pillar()
    }
    /// The surface of the rock, light where it faces up and dark where it overhangs.
    fn rock(&mut self, rings: &[Vec<DVec2>]) -> Result<(), Error> {
        let shown: Vec<usize> = (0..DIRECTIONS).filter(|&i| self.shown(i)).collect();
        for (k, pair) in rings.windows(2).enumerate() {
            let [above, below] = pair else { continue };
            if above.is_empty() || below.is_empty() {
                continue;
            }
            for &i in &shown {
                let j = (i + 1) % DIRECTIONS;
                self.patch(k, [above[i], above[j], below[j], below[i]])?;
            }
        }
        Ok(())
    }
    /// A patch of rock between section `k` and the next, from its corners: two above, two below.
    fn patch(&mut self, k: usize, corners: [DVec2; 4]) -> Result<(), Error> {
        let [upper, lower] = [self.time(k), self.time(k + 1)];
        let middle = corners.iter().sum::<DVec2>() * 0.25;
        if self.window.borders(middle) {
            return Ok(());
        }
        let constraints = self.problem.set.constraints(0.5 * (upper + lower), middle);
        let constraints = constraints?;
        let wall = constraints.iter().max_by(|a, b| a.value.total_cmp(&b.value));
        let colour = if wall.is_some_and(|wall| wall.rate > 0.0) { FLOOR } else { OVERHANG };
        let times = [upper, upper, lower, lower];
        let places: Vec<DVec2> =
            corners.iter().zip(times).map(|(&corner, time)| self.place(corner, time)).collect();
        self.print.polygon(&places, colour);
        // Neighbours would leave a hair of white between them.
        self.print.outline(&places, 0.6, colour);
        Ok(())
    }
    /// Level lines of the rock: firm on what is shown, faint on what is cut away.
    fn rims(&mut self, rings: &[Vec<DVec2>]) {
        for (k, ring) in rings.iter().enumerate().filter(|(k, r)| k % 12 == 0 && !r.is_empty()) {
            let time = self.time(k);
            for i in 0..DIRECTIONS {
                let (from, to) = (ring[i], ring[(i + 1) % DIRECTIONS]);
                if self.window.borders(0.5 * (from + to)) {
                    continue;
                }
                let firm = if self.shown(i) { 0.45 } else { 0.25 };
                let end = k == 0 || k == SECTIONS;
                let (width, opacity) = if end { (1.6, 0.9) } else { (1.0, firm) };
                let line = [self.place(from, time), self.place(to, time)];
                self.print.line(&line, width, Colour::INK.faded(opacity));
            }
        }
    }
    fn legend(&mut self) {
        let title = &self.problem.title;
        self.print.text(DVec2::new(20.0, 30.0), title, 18.0, Anchor::Start, Colour::INK);
        let entries = [
            ("running", RUNNING, 4.0),
            ("falling", FALLING, 4.0),
            ("rock that faces up", FLOOR, 14.0),
            ("rock that overhangs", OVERHANG, 14.0),
        ];
        let mut at = DVec2::new(LEFT, 60.0);
        for (text, colour, width) in entries {
            self.print.line(&[at, at + DVec2::new(20.0, 0.0)], width, colour);
            let place = at + DVec2::new(34.0, 5.4);
            self.print.text(place, text, 15.0, Anchor::Start, Colour::INK);
            at.x += 62.0 + text_width(text, 15.0);
        }
        let middle = DVec2::new(30.0, HEAD + 0.4 * HEIGHT);
        let label = format!("← time, from 0 to {}", self.problem.end);
        self.print.text_upward(middle, &label, 15.0, Anchor::Middle, Colour::INK);
    }
}
