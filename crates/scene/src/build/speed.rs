//! Whether the time step is small enough: nobody may cross its own width in one step.
//!
//! An error: a given speed (of a body, an emitted body, a boundary) times the step exceeds the width
//! of the body, or for a boundary that of the narrowest body. Warnings: the speed of a free fall
//! through the whole scene would; the step is above a tenth of √(width/gravity); a body turns by
//! more than half a radian in a step.

use super::dimension::SceneSpace;
use super::overlap::width;
use super::{Builder, Origin, label};
use crate::format::SceneTable;
use crate::report::{Draft, Span, short};
use drystone_detect::{Bounds, Extent};
use drystone_engine::{Body, Course, Drive, Part, Signal};
use drystone_space::{Pose, Vector, math};
use std::f64::consts::TAU;

/// Warnings of one kind beyond these many are left out: they all have the same cause.
const LISTED: usize = 10;

impl<S: SceneSpace> Builder<'_, S> {
    pub fn check_speeds(&mut self, table: &SceneTable) {
        let Some(time) = &table.time.value else { return };
        let step = time.step.value;
        let narrowest = self.check_bodies(step);
        self.check_boundaries(step, time.end.value, narrowest);
        let gravity = self.setup.gravity.norm();
        if gravity == 0.0 {
            return;
        }
        let slow = 0.1 * (narrowest / gravity).sqrt();
        let fall = (2.0 * gravity * self.fall_height(gravity)).sqrt();
        if fall * step > narrowest {
            let draft = Draft::warning(time.step.span, "a falling body could cross its own width");
            self.problems.push(draft.found(format!("{step} s")).expected(format!(
                "at most {} s: a fall through the scene ends at {} m/s, the narrowest body is {} m \
                 wide",
                short(narrowest / fall),
                short(fall),
                short(narrowest)
            )));
        } else if step > slow {
            let draft = Draft::warning(time.step.span, "the time step is large");
            self.problems.push(draft.found(format!("{step} s")).expected(format!(
                "at most {} s, a tenth of √(width/gravity) of the narrowest body",
                short(slow)
            )));
        }
    }

    /// Checks given velocities; returns the width of the narrowest body.
    fn check_bodies(&mut self, step: f64) -> f64 {
        let arrivals = self.setup.arrivals.iter().map(|arrival| &arrival.body);
        let origins = self.origins.iter().chain(&self.arrival_origins);
        let mut narrowest = f64::INFINITY;
        let mut drafts = Vec::new();
        for (body, origin) in self.setup.bodies.iter().chain(arrivals).zip(origins) {
            let width = width::<S>(&body.parts);
            narrowest = narrowest.min(width);
            if drafts.len() < LISTED {
                drafts.extend(too_fast(body, origin, width, step));
            }
        }
        for draft in drafts {
            self.problems.push(draft);
        }
        narrowest
    }

    fn check_boundaries(&mut self, step: f64, end: f64, narrowest: f64) {
        for index in 0..self.setup.boundaries.len() {
            let boundary = &self.setup.boundaries[index];
            let later = self.setup.switches.iter().filter(|switch| switch.boundary == index);
            let drives = std::iter::once(&boundary.drive).chain(later.map(|switch| &switch.drive));
            let motions = drives.filter_map(|drive| match drive {
                Drive::Fixed => None,
                Drive::Motion(motion) => Some(motion),
                Drive::Slider(slider) => slider.motion.as_ref(),
            });
            let reach = reach::<S>(&boundary.parts);
            let speeds = motions.map(|motion| top_speed(&motion.course, end, reach));
            let speed = speeds.fold(0.0, f64::max);
            if speed * step > narrowest {
                let name = label(&boundary.name, "boundary", index + 1);
                let message = format!("{name} crosses a body in one time step");
                let draft = fast(self.boundary_spans[index], message, speed, step, narrowest);
                self.problems.push(draft);
            }
        }
    }

    /// Extent of everything that ends, along gravity.
    fn fall_height(&self, gravity: f64) -> f64 {
        let down = self.setup.gravity / gravity;
        let (mut lowest, mut highest) = (f64::NEG_INFINITY, f64::INFINITY);
        let mut include = |bounds: Bounds<S>| {
            let centre = bounds.centre().dot(down);
            let reach = 0.5
                * (0..S::DIMENSION).map(|i| bounds.size().get(i) * down.get(i).abs()).sum::<f64>();
            lowest = lowest.max(centre + reach);
            highest = highest.min(centre - reach);
        };
        let arrivals = self.setup.arrivals.iter().map(|arrival| &arrival.body);
        let bodies = self.setup.bodies.iter().chain(arrivals).map(|b| (&b.pose, &b.parts[..]));
        let boundaries = self.setup.boundaries.iter().map(|b| (&b.pose, &b.parts[..]));
        for (pose, parts) in bodies.chain(boundaries) {
            for part in parts {
                let place: Pose<S> = pose.compose(&part.pose());
                match S::extent(&part.shape, &place) {
                    Extent::Box(bounds) => include(bounds),
                    // A floor: bodies fall onto its surface.
                    Extent::Half { normal, .. } if normal.dot(down) < -0.5 => {
                        include(Bounds::around(place.position, 0.0));
                    }
                    Extent::Half { .. } => {}
                }
            }
        }
        (lowest - highest).max(0.0)
    }
}

/// How far the shapes of a boundary reach from its origin, about which it turns; those without end do not count: they
/// turn about a point of their surface, where little moves.
fn reach<S: SceneSpace>(parts: &[Part<S>]) -> f64 {
    let far = parts.iter().map(|part| match S::extent(&part.shape, &part.pose()) {
        Extent::Box(bounds) => (-bounds.low).highest(bounds.high).norm(),
        Extent::Half { .. } => 0.0,
    });
    far.fold(0.0, f64::max)
}

/// The problems of one body's velocity and spin.
fn too_fast<S: SceneSpace>(
    body: &Body<S>,
    origin: &Origin,
    width: f64,
    step: f64,
) -> Option<Draft> {
    let name = label(body.name(), origin.noun, origin.number);
    let speed = body.velocity.norm();
    let span = origin.velocity.unwrap_or(origin.span);
    if speed * step > width {
        let message = format!("{name} crosses its own width in one time step");
        return Some(fast(span, message, speed, step, width));
    }
    let turn = body.spin.norm() * step;
    (turn > 0.5).then(|| {
        let draft = Draft::warning(origin.span, format!("{name} turns far in one time step"));
        draft.found(format!("{} rad per step", short(turn))).expected("at most half a radian")
    })
}

fn fast(span: Span, message: String, speed: f64, step: f64, width: f64) -> Draft {
    Draft::error(span, message)
        .found(format!("{} m/s · {} s = {} m", short(speed), short(step), short(speed * step)))
        .expected(format!("at most the width, {} m", short(width)))
        .help(format!("a time step below {} s, or a lower speed", short(width / speed)))
}

/// The largest speed of a course until the end of the run, of what reaches so far from its origin.
fn top_speed<S: SceneSpace>(course: &Course<S>, end: f64, reach: f64) -> f64 {
    match course {
        Course::Velocity { linear, spin } => linear.norm() + spin.norm() * reach,
        Course::Signals { displacement, rotation, .. } => {
            fastest(displacement, end) + fastest(rotation, end) * reach
        }
        Course::Sum(parts) => parts.iter().map(|part| top_speed(part, end, reach)).sum(),
    }
}

/// The largest rate of a signal until the end of the run.
fn fastest(signal: &Signal, end: f64) -> f64 {
    match signal {
        Signal::Exponential { amplitude, rate } => {
            (amplitude * rate).abs() * math::exp((rate * end).max(0.0))
        }
        Signal::Smooth(curve) => curve.slopes().iter().fold(0.0, |top, slope| top.max(slope.abs())),
        Signal::Constant(_) => 0.0,
        Signal::Sinusoid { amplitude, frequency, .. } => (amplitude * TAU * frequency).abs(),
        Signal::Table(table) => {
            let points: Vec<(f64, f64)> = table.points().collect();
            let slope = |w: &[(f64, f64)]| ((w[1].1 - w[0].1) / (w[1].0 - w[0].0)).abs();
            points.windows(2).map(slope).fold(0.0, f64::max)
        }
    }
}
