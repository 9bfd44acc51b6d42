//! Whether the figures of a run can be trusted, and if not, why.
//!
//! A residual within the tolerance says that contacts obey their laws, not that the motion is right. What else a run
//! shows is looked at as it goes on, and its summary says so.

use drystone_engine::{Cause, Overlap, Party, StepReport, World};
use drystone_space::{Vector, math};
use serde::{Deserialize, Serialize};
use std::fmt;

use super::Recorded;
use super::islands::Islands;

/// An overlap of more than this share of a width is a reason for doubt.
const DEEP: f64 = 0.01;
/// Contacts that have made more than this share of the largest energy seen have made energy.
const MADE: f64 = 1e-6;
/// Bodies so many times the size of the scene away from it, and flying on, have left it.
const FAR: f64 = 10.0;
/// Steps from one look for those to the next.
const LOOK_EVERY: u64 = 256;
/// Steps from one look at what lasting contacts take to the next.
const SAMPLE_EVERY: u64 = 8;
/// Names that a reason keeps.
const NAMES: usize = 6;
/// Passages that are looked for in one step.
const PASSAGES: usize = 16;

/// What can be seen of a step. Where several processes compute a run, bodies and contacts are brought only where somebody asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Seen {
    /// All but bodies and contacts.
    Nothing,
    /// What is sampled of them besides, as [`World::gathered_sample`] has it.
    Sample,
    /// All.
    All,
}

/// What may be wrong with a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Doubt {
    /// Steps that did not meet the tolerance; worst is the residual.
    NotSolved,
    /// No impulses could solve a step: a body is crushed between boundaries; worst is the overlap in widths.
    Unsolvable,
    /// Overlap of what began or entered in something else; worst is in widths.
    EnteredOverlapping,
    /// Overlap that speeds made within a step; worst is in widths.
    OverlapBySpeed,
    /// Overlap that grew over many steps, by drift or the solver's error; worst is in widths.
    OverlapByDrift,
    /// A body moved through something that it had no contact with; worst is its way in a step, in widths.
    PassedThrough,
    /// Bodies flew away for good; worst is the distance, in sizes of the scene.
    LeftTheScene,
    /// Friction or impacts have given energy in sum; worst is the share of the largest energy seen.
    EnergyMade,
    /// Contacts that neither slid nor struck took energy, by the error of the step on curved paths; worst is the share of
    /// the largest translational energy of bodies that pressed on each other.
    CurvedPaths,
}

impl Doubt {
    /// What it says, without figures.
    pub fn describe(self) -> &'static str {
        match self {
            Doubt::NotSolved => "steps were not solved",
            Doubt::Unsolvable => "a body was crushed between boundaries, which nothing can solve",
            Doubt::EnteredOverlapping => "bodies began or entered in others",
            Doubt::OverlapBySpeed => "bodies overlap: too fast for the time step",
            Doubt::OverlapByDrift => {
                "bodies overlap: grown over many steps, by drift or the solver's error"
            }
            Doubt::PassedThrough => "bodies passed through others: too fast for the time step",
            Doubt::LeftTheScene => "bodies left the scene for good",
            Doubt::EnergyMade => "contacts made energy in sum",
            Doubt::CurvedPaths => {
                "contacts that neither slid nor struck took energy: too long a time step for their curved paths, \
                 unless `scheme = \"second-order\"` in `[time]`"
            }
        }
    }

    /// What the worst value is measured in.
    pub fn measure(self) -> &'static str {
        match self {
            Doubt::NotSolved => "residual",
            Doubt::Unsolvable
            | Doubt::EnteredOverlapping
            | Doubt::OverlapBySpeed
            | Doubt::OverlapByDrift => "of a width",
            Doubt::PassedThrough => "widths in a step",
            Doubt::LeftTheScene => "sizes of the scene",
            Doubt::EnergyMade => "of the largest energy",
            Doubt::CurvedPaths => "of the translational energy of what touched",
        }
    }
}

/// A reason to doubt a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reason {
    /// What is wrong.
    pub doubt: Doubt,
    /// How many: steps, pairs of bodies or passages.
    pub count: u64,
    /// The worst value; see [`Doubt`].
    pub worst: f64,
    /// When it was seen first, in seconds.
    pub first_time: f64,
    /// Names of bodies, boundaries and solids that were seen in it, the first few.
    pub names: Vec<String>,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { doubt, count, worst, first_time, names } = self;
        write!(f, "{}: {count} times, ", doubt.describe())?;
        write!(f, "worst {worst:.2e} {}, first at {first_time:.6} s", doubt.measure())?;
        if names.is_empty() { Ok(()) } else { write!(f, " ({})", names.join(", ")) }
    }
}

/// Whether the figures of a run can be trusted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Nothing was seen that speaks against it.
    #[default]
    Trusted,
    /// For these reasons not.
    Doubtful(Vec<Reason>),
}

impl Verdict {
    /// The reasons against it.
    pub fn reasons(&self) -> &[Reason] {
        match self {
            Verdict::Trusted => &[],
            Verdict::Doubtful(reasons) => reasons,
        }
    }
}

/// Watches a run; it goes into checkpoints.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Watch {
    reasons: Vec<Reason>,
    /// Pairs that overlapped in the last step, rising, each with why.
    overlapping: Vec<([(u8, u32); 2], Doubt)>,
    /// Where everything was at the start: low and high corners.
    home: Option<[[f64; 3]; 2]>,
    /// The least width of all bodies so far, and how many they are.
    least_width: f64,
    bodies: usize,
    /// What lasting contacts have taken.
    #[serde(default)]
    islands: Islands,
}

impl Watch {
    /// What it needs to look at a step that was made.
    pub fn asks<S: Recorded>(&self, world: &World<S>, report: &StepReport) -> Seen {
        let all = self.home.is_none()
            || self.bodies != world.count_bodies()
            || report.penetration_relative > DEEP
            || self.may_pass(world)
            || world.steps().is_multiple_of(LOOK_EVERY);
        match (all, Self::samples(world, report)) {
            (true, _) => Seen::All,
            (false, true) => Seen::Sample,
            (false, false) => Seen::Nothing,
        }
    }

    /// Whether bodies are so fast that they may pass through something.
    fn may_pass<S: Recorded>(&self, world: &World<S>) -> bool {
        world.fastest() * world.setup().time_step > 0.5 * self.least_width
    }

    /// Whether it is looked at what contacts took.
    fn samples<S: Recorded>(world: &World<S>, report: &StepReport) -> bool {
        report.converged && world.steps().is_multiple_of(SAMPLE_EVERY)
    }

    /// Looks at a step that was made, and of which at least that can be seen for which it [asks](Self::asks).
    pub fn step<S: Recorded>(&mut self, world: &World<S>, report: &StepReport, seen: Seen) {
        let time = world.time();
        if !report.converged {
            self.note(Doubt::NotSolved, 1, report.worst_residual(), time, &[]);
        }
        if seen == Seen::All {
            self.look_at_all(world, report);
        } else {
            self.overlapping.clear();
        }
        if Self::samples(world, report) {
            self.islands.sample(world, SAMPLE_EVERY as f64);
        }
    }

    /// Looks at all bodies and contacts.
    fn look_at_all<S: Recorded>(&mut self, world: &World<S>, report: &StepReport) {
        let time = world.time();
        self.meet(world);
        if report.penetration_relative > DEEP {
            self.look_at_overlaps(world);
        } else {
            self.overlapping.clear();
        }
        if self.may_pass(world) {
            for passage in world.passages(PASSAGES) {
                self.note(Doubt::PassedThrough, 1, passage.widths, time, &passage.names);
            }
        }
        if world.steps().is_multiple_of(LOOK_EVERY) {
            self.look_for_strays(world);
        }
    }

    /// Counts pairs that have come to overlap. Those that go on to, since nothing undoes it, have the cause that they began
    /// with.
    fn look_at_overlaps<S: Recorded>(&mut self, world: &World<S>) {
        let mut found: Vec<Overlap> = Vec::new();
        world.overlaps(DEEP, &mut found);
        found.sort_by(|a, b| a.parties.cmp(&b.parties).then(b.relative.total_cmp(&a.relative)));
        found.dedup_by_key(|overlap| overlap.parties);
        let before = std::mem::take(&mut self.overlapping);
        for overlap in &found {
            let pair = overlap.parties.map(number);
            let known = before.binary_search_by_key(&pair, |(pair, _)| *pair);
            let doubt = match known {
                Ok(place) => before[place].1,
                Err(_) => self.note_overlap(world, overlap),
            };
            self.note(doubt, 0, overlap.relative, world.time(), &[]);
            self.overlapping.push((pair, doubt));
        }
        self.overlapping.sort_unstable_by_key(|(pair, _)| *pair);
    }

    fn note_overlap<S: Recorded>(&mut self, world: &World<S>, overlap: &Overlap) -> Doubt {
        let (cause, also) = world.overlap_cause(overlap);
        let doubt = match cause {
            Cause::Entered => Doubt::EnteredOverlapping,
            Cause::Crushed => Doubt::Unsolvable,
            Cause::Speed => Doubt::OverlapBySpeed,
            Cause::Drift => Doubt::OverlapByDrift,
        };
        let parties = overlap.parties.into_iter().chain(also);
        let names: Vec<String> = parties.map(|party| world.party_name(party)).collect();
        self.note(doubt, 1, overlap.relative, world.time(), &names);
        doubt
    }

    /// Learns of bodies that are new.
    fn meet<S: Recorded>(&mut self, world: &World<S>) {
        let count = world.bodies().len();
        if self.home.is_none() {
            self.least_width = f64::MAX;
            self.home = home(world);
        }
        for body in self.bodies..count {
            self.least_width = self.least_width.min(world.width(body));
        }
        self.bodies = count;
    }

    /// Counts bodies that are far from where everything was, touch nothing and fly on.
    fn look_for_strays<S: Recorded>(&mut self, world: &World<S>) {
        let Some([low, high]) = self.home else { return };
        let size = (0..S::DIMENSION).map(|i| math::square(high[i] - low[i])).sum::<f64>().sqrt();
        let (mut count, mut worst, mut names) = (0u64, 0.0f64, Vec::new());
        for body in world.bodies() {
            let (at, v) = (body.pose.position, body.velocity);
            let mut away = S::Vector::ZERO;
            for i in 0..S::DIMENSION {
                let over = (at.get(i) - high[i]).max(0.0) - (low[i] - at.get(i)).max(0.0);
                away += S::Vector::axis(i) * over;
            }
            if away.norm() > FAR * size && v.dot(away) > 0.0 {
                count += 1;
                worst = worst.max(away.norm() / size);
                if names.len() < NAMES {
                    names.push(body.name().to_owned());
                }
            }
        }
        let known = self.reasons.iter().find(|reason| reason.doubt == Doubt::LeftTheScene);
        let more = count.saturating_sub(known.map_or(0, |reason| reason.count));
        if more > 0 {
            self.note(Doubt::LeftTheScene, more, worst, world.time(), &names);
        }
    }

    fn note(&mut self, doubt: Doubt, count: u64, worst: f64, time: f64, names: &[String]) {
        // JSON has no infinity.
        let worst = if worst.is_finite() { worst } else { f64::MAX };
        let place = match self.reasons.iter().position(|reason| reason.doubt == doubt) {
            Some(place) => place,
            None => {
                let names = Vec::new();
                self.reasons.push(Reason { doubt, count: 0, worst, first_time: time, names });
                self.reasons.len() - 1
            }
        };
        let reason = &mut self.reasons[place];
        reason.count += count;
        reason.worst = reason.worst.max(worst);
        for name in names {
            if reason.names.len() < NAMES && !reason.names.contains(name) {
                reason.names.push(name.clone());
            }
        }
    }

    /// The verdict, with what the energy ledger says now.
    pub fn verdict<S: Recorded>(&self, world: &World<S>) -> Verdict {
        let (ledger, time) = (world.ledger(), world.time());
        let mut watch = self.clone();
        // A law may give energy back in an impact, friction never, and both together neither.
        let contacts = ledger.friction_loss + ledger.impact_loss;
        let made = (-ledger.friction_loss).max(-contacts);
        if made > MADE * ledger.scale {
            watch.note(Doubt::EnergyMade, 1, made / ledger.scale, time, &[]);
        }
        for island in self.islands.led_along_curves() {
            let names = [world.party_name(Party::Body(island.body))];
            watch.note(Doubt::CurvedPaths, 1, island.share, time, &names);
        }
        if watch.reasons.is_empty() { Verdict::Trusted } else { Verdict::Doubtful(watch.reasons) }
    }
}

/// Kind and index.
fn number(party: Party) -> (u8, u32) {
    match party {
        Party::Body(index) => (0, index),
        Party::Boundary(index) => (1, index),
        Party::Solid(index) => (2, index),
    }
}

/// The box around all bodies, and those that will enter; none where there is but one thing, which cannot leave another.
fn home<S: Recorded>(world: &World<S>) -> Option<[[f64; 3]; 2]> {
    let setup = world.setup();
    let arrivals = setup.arrivals.iter().map(|arrival| &arrival.body);
    let boundaries = setup.boundaries.iter().map(|boundary| boundary.pose.position);
    let bodies = world.bodies().iter().chain(arrivals).map(|body| body.pose.position);
    let (mut low, mut high, mut count) = ([f64::MAX; 3], [f64::MIN; 3], 0);
    for at in bodies.chain(boundaries) {
        count += 1;
        for i in 0..S::DIMENSION {
            (low[i], high[i]) = (low[i].min(at.get(i)), high[i].max(at.get(i)));
        }
    }
    let margin = (0..world.bodies().len()).map(|body| world.width(body)).fold(0.0, f64::max);
    for i in 0..S::DIMENSION {
        (low[i], high[i]) = (low[i] - margin, high[i] + margin);
    }
    (count > 1).then_some([low, high])
}
