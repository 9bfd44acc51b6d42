//! Emitters: bodies that enter during the run.

use super::body::axial;
use super::dimension::{SceneSpace, vector_or_zero};
use super::generate::{Group, Recipe};
use super::{Builder, Origin};
use crate::format::EmitterTable;
use crate::report::Draft;
use crate::wrap::List;
use drystone_engine::Arrival;
use drystone_space::{Pose, Random, Vector, math};

/// Random places that a body may be laid on top at: one alone would let towers grow, as every body that
/// comes down on a tower makes it higher before it can fall.
const PLACES: usize = 3;

impl<S: SceneSpace> Builder<'_, S> {
    /// The emitters of the file; `end` is when the run ends, if that is known.
    pub fn emitters(&mut self, list: &List<EmitterTable>, end: Option<f64>) {
        for table in &list.items {
            self.names.claim(&table.name, None, self.problems);
            self.emitter(table, end);
        }
        // Equal times keep the order of the file.
        let mut order: Vec<usize> = (0..self.setup.arrivals.len()).collect();
        order.sort_by(|&a, &b| self.setup.arrivals[a].time.total_cmp(&self.setup.arrivals[b].time));
        self.arrival_origins = order.iter().map(|&i| self.arrival_origins[i]).collect();
        self.setup.arrivals.sort_by(|a, b| a.time.total_cmp(&b.time));
    }

    fn emitter(&mut self, table: &EmitterTable, end: Option<f64>) -> Option<()> {
        let grains = self.grains(&Recipe {
            shape: &table.shape,
            parts: &table.parts,
            radius: &table.radius,
            polygon: &table.polygon,
            irregular: &table.irregular,
            ellipse: &table.ellipse,
            material: &table.material,
            span: table.span,
        });
        let region = self.region(&table.region);
        let times = self.times(table, end)?;
        let (grains, (low, high)) = (grains?, region?);
        let within = table.within.as_ref().map_or(f64::INFINITY, |n| n.value);
        if !self.room(times.len(), table.span) {
            return None;
        }
        let mut random = self.random(&table.seed);
        let velocity = table.velocity.as_ref().map(|v| v.span);
        let origin = Origin { span: table.span, velocity, noun: "emitted body", number: 0 };
        let name = table.name.as_ref().map_or_else(String::new, |name| name.value.clone());
        let mut group = Group { name, origin };
        for time in times {
            let turn = self.turn(table.random_rotation, &mut random);
            let places = if table.on_top == Some(true) { PLACES } else { 1 };
            let places: Vec<S::Vector> =
                (0..places).map(|_| place::<S>(low, high, within, &mut random)).collect();
            let mut body = self.grain(&grains, &mut random)?;
            let (name, origin) = group.next();
            self.names.add_arrival(&name);
            body.set_name(name);
            let centre = body.pose;
            let placed = |at: &S::Vector| Pose::new(*at, turn).compose(&centre);
            body.pose = placed(&places[0]);
            body.velocity = vector_or_zero::<S, _, _>(&table.velocity);
            body.set_world_spin(axial::<S, _, _>(&table.spin));
            body.born = time;
            let places = match table.on_top {
                Some(true) => places.iter().map(|at| placed(at).position).collect(),
                _ => Vec::new(),
            };
            self.setup.arrivals.push(Arrival { time, body, places });
            self.arrival_origins.push(origin);
        }
        Some(())
    }

    /// When the bodies of an emitter enter.
    fn times(&mut self, table: &EmitterTable, end: Option<f64>) -> Option<Vec<f64>> {
        let rate = match (&table.times, &table.rate) {
            (Some(times), None) => {
                if let Some(span) =
                    table.start.as_ref().map(|n| n.span).or(table.count.as_ref().map(|n| n.span))
                {
                    let draft = Draft::error(span, "has no meaning with `times`");
                    self.problems.push(draft.expected("`rate` instead of `times`"));
                    return None;
                }
                return Some(times.items.iter().map(|time| time.value).collect());
            }
            (None, Some(rate)) => rate.value,
            (times, _) => {
                let (message, found) = match times {
                    Some(_) => ("times of the emitter given twice", "`times` and `rate`"),
                    None => ("no times of the emitter", "neither `times` nor `rate`"),
                };
                let draft = Draft::error(table.span, message).found(found);
                self.problems.push(draft.expected("either `times` or `rate`"));
                return None;
            }
        };
        let start = table.start.as_ref().map_or(0.0, |n| n.value);
        let fits = ((end? - start) * rate).floor() + 1.0;
        let asked = table.count.as_ref().map_or(f64::INFINITY, |count| count.get() as f64);
        if fits < 1.0 {
            let span = table.start.as_ref().map_or(table.span, |n| n.span);
            let draft = Draft::error(span, "emitter starts after the end of the run");
            self.problems.push(draft.found(format!("{start} s")).expected("an earlier start"));
            return None;
        }
        let count = fits.min(asked).min(1e15) as usize;
        self.room(count, table.span).then(|| (0..count).map(|i| start + i as f64 / rate).collect())
    }
}

/// A point of the region whose horizontal distance from the region's middle is at most `within`.
fn place<S: SceneSpace>(
    low: S::Vector,
    high: S::Vector,
    within: f64,
    random: &mut Random,
) -> S::Vector {
    // What lies farther along an axis would be drawn in vain.
    let middle = (low + high) * 0.5;
    let near = |i: usize| (0.5 * (high.get(i) - low.get(i))).min(within);
    loop {
        let at = S::Vector::from_fn(|i| match i + 1 < S::DIMENSION && within.is_finite() {
            true => random.between(middle.get(i) - near(i), middle.get(i) + near(i)),
            false => random.between(low.get(i), high.get(i)),
        });
        let square = |i: usize| math::square((at - middle).get(i));
        if (0..S::DIMENSION - 1).map(square).sum::<f64>() <= within * within {
            return at;
        }
    }
}
