//! What a scene may say, but hardly means: events after the end of the run, gravity in other units than its own, a body
//! with more inertia than its size allows.

use super::Builder;
use super::dimension::SceneSpace;
use crate::format::{BoundaryTable, SceneTable};
use crate::quantity::{Acceleration, Axial, Inertia, NotNegative, Number, Positive, Time};
use crate::report::{Draft, short};
use drystone_detect::Extent;
use drystone_engine::Part;
use drystone_space::Vector;

/// Gravity of the earth, m/s², as people write it.
const EARTH: std::ops::RangeInclusive<f64> = 9.7..=10.0;

impl<S: SceneSpace> Builder<'_, S> {
    /// Warns of what is probably a mistake.
    pub fn check_plausible(&mut self, table: &SceneTable) {
        self.check_events(table);
        self.check_gravity(table);
    }

    /// Events that the run does not reach.
    fn check_events(&mut self, table: &SceneTable) {
        let Some(time) = &table.time.value else { return };
        let end = time.end.value;
        let mut late = |what: &str, time: &Option<Number<Time, NotNegative>>| {
            let Some(time) = time.as_ref().filter(|time| time.value > end) else { return };
            let draft = Draft::warning(time.span, format!("{what} after the run has ended"));
            let draft = draft.found(format!("{} s", short(time.value)));
            self.problems.push(draft.expected(format!("at most {} s, the end", short(end))));
        };
        for boundary in &table.boundary.items {
            let BoundaryTable { motion, remove_at, .. } = boundary;
            late("the boundary is removed", remove_at);
            if let Some(motion) = motion {
                late("the motion starts", &motion.start);
            }
        }
        for load in &table.load.items {
            late("the load starts", &load.start);
        }
        for emitter in &table.emitter.items {
            late("the emitter starts", &emitter.start);
        }
    }

    /// Gravity of the earth in metres, in a file that counts in other units.
    fn check_gravity(&mut self, table: &SceneTable) {
        let Some(gravity) = &table.gravity.value else { return };
        let found = self.setup.gravity.norm();
        let unit = self.around.units.si::<Acceleration>(1.0, S::DIMENSION);
        let written = found / unit;
        if (unit - 1.0).abs() < 1e-9 || !EARTH.contains(&written) {
            return;
        }
        let draft = Draft::warning(gravity.span, "gravity is not that of the earth in these units");
        let draft =
            draft.found(format!("{} in the file's units: {} m/s²", short(written), short(found)));
        let earth = short(9.81 / unit);
        self.problems
            .push(draft.expected(format!("{earth} in these units, if the earth is meant")));
    }
}

impl<S: SceneSpace> Builder<'_, S> {
    /// Refuses moments of inertia that no body can have: none of the three is more than the others together. Warns of
    /// one that mass within these shapes cannot have.
    pub(super) fn check_inertia(
        &mut self,
        given: &Axial<Inertia, Positive>,
        mass: f64,
        parts: &[Part<S>],
    ) {
        let moments = &given.values[..if S::DIMENSION == 3 { 3 } else { 1 }];
        let (sum, largest) =
            (moments.iter().sum::<f64>(), moments.iter().copied().fold(0.0, f64::max));
        if moments.len() == 3 && largest > (1.0 + 1e-9) * (sum - largest) {
            let draft = Draft::error(given.span, "no body has such moments of inertia");
            let draft = draft.found(format!("{} kg m² about one axis", short(largest)));
            self.problems.push(draft.expected(format!(
                "at most {} kg m², the sum about the other two",
                short(sum - largest)
            )));
            return;
        }
        let most = mass * (widest(parts) * widest(parts));
        if largest > most {
            let draft = Draft::warning(
                given.span,
                "more inertia than mass within the body's shapes can have",
            );
            let draft = draft.found(format!("{} kg m²", short(largest)));
            self.problems.push(draft.expected(format!("at most {} kg m²", short(most))));
        }
    }
}

/// An upper bound of the distance between two points of these shapes.
fn widest<S: SceneSpace>(parts: &[Part<S>]) -> f64 {
    let bounds = |part: &Part<S>| match S::extent(&part.shape, &part.pose()) {
        Extent::Box(bounds) => Some(bounds),
        Extent::Half { .. } => None,
    };
    let Some(all) = parts.iter().map(bounds).collect::<Option<Vec<_>>>() else {
        return f64::INFINITY;
    };
    let side = |i| {
        let (low, high) = all.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), b| {
            (low.min(b.low.get(i)), high.max(b.high.get(i)))
        });
        high - low
    };
    (0..S::DIMENSION).map(|i| side(i) * side(i)).sum::<f64>().sqrt()
}
