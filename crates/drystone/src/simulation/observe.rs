//! Watching a run.

use super::Simulation;
use drystone_engine::StepReport;
use drystone_space::clock::Instant;
use std::fmt;
use std::ops::ControlFlow;
use std::time::Duration;

/// How a run has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// At the time that was asked for.
    Reached,
    /// With the last phase of the scene.
    PhasesOver,
    /// By an observer.
    Stopped,
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Steps made, and how many there will be.
    pub steps: [u64; 2],
    /// Time reached.
    pub time: f64,
    /// Time that is to be reached.
    pub until: f64,
    /// Bodies present.
    pub bodies: usize,
    /// Steps a second since the run began or was taken up.
    pub pace: f64,
    /// How the last step went.
    pub report: StepReport,
}

type Observer<'a> = Box<dyn FnMut(&mut Simulation) -> ControlFlow<()> + 'a>;
type Teller<'a> = Box<dyn FnMut(&Progress) + 'a>;

/// Closures that are called while a simulation [runs](Simulation::run).
///
/// ```
/// use drystone::prelude::*;
/// # let scene = "dimension = 2\ngravity = [0, -9.81]\ntime = { step = 1e-3, end = 1 }\n\
/// #     material = [{ name = \"stone\", density = 2000 }]\ndefault_law = { friction = 0.3 }\n\
/// #     body = [{ name = \"ball\", shape = { disk = 0.1 }, position = [0, 1], material = \"stone\" }]\n";
/// let mut heights = Vec::new();
/// let mut observers = Observers::default();
/// observers.every(50, |simulation| {
///     heights.push(simulation.position("ball").map_or(0.0, |place| place[1]));
///     ControlFlow::Continue(())
/// });
/// Simulation::parse(scene)?.run(0.2, &mut observers)?;
/// drop(observers);
/// assert_eq!(heights.len(), 4);
/// # Ok::<(), Error>(())
/// ```
#[derive(Default)]
pub struct Observers<'a> {
    observers: Vec<(u64, Observer<'a>)>,
    teller: Option<(Duration, Teller<'a>)>,
    begun: Option<Begun>,
}

/// What is known since the run began.
struct Begun {
    at: Instant,
    step: u64,
    steps: u64,
    until: f64,
    /// When progress is told next.
    next: Instant,
}

impl fmt::Debug for Observers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let each: Vec<u64> = self.observers.iter().map(|(steps, _)| *steps).collect();
        f.debug_struct("Observers").field("every", &each).finish_non_exhaustive()
    }
}

impl<'a> Observers<'a> {
    /// Has a closure called after every so many steps of the run, counted from its first step at time 0. It may read and
    /// set what it likes, and ends the run by `Break`.
    pub fn every(
        &mut self,
        steps: u64,
        observer: impl FnMut(&mut Simulation) -> ControlFlow<()> + 'a,
    ) -> &mut Self {
        self.observers.push((steps.max(1), Box::new(observer)));
        self
    }

    /// Has a closure told how far the run has come, about so often.
    pub fn progress(&mut self, every: Duration, teller: impl FnMut(&Progress) + 'a) -> &mut Self {
        self.teller = Some((every, Box::new(teller)));
        self
    }

    pub(super) fn begin(&mut self, simulation: &Simulation, until: f64) {
        let at = Instant::now();
        let steps = (until / simulation.time_step()).round() as u64;
        self.begun = Some(Begun { at, step: simulation.steps(), steps, until, next: at });
    }

    pub(super) fn step(
        &mut self,
        simulation: &mut Simulation,
        report: &StepReport,
    ) -> ControlFlow<()> {
        for (every, observer) in &mut self.observers {
            if simulation.steps().is_multiple_of(*every) {
                observer(simulation)?;
            }
        }
        if let (Some((every, teller)), Some(begun)) = (&mut self.teller, &mut self.begun) {
            let now = Instant::now();
            let last = !simulation.goes_on(begun.until);
            if now >= begun.next || last {
                begun.next = now + *every;
                let made = (simulation.steps() - begun.step) as f64;
                teller(&Progress {
                    steps: [simulation.steps(), begun.steps],
                    time: simulation.time(),
                    until: begun.until,
                    bodies: simulation.bodies(),
                    pace: made / begun.at.elapsed().as_secs_f64().max(1e-9),
                    report: *report,
                });
            }
        }
        ControlFlow::Continue(())
    }
}
