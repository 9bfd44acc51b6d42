//! Several processes that compute one run together.
//!
//! A launcher such as `mpirun` starts them; each calls [`launched`], makes the same [`Simulation`], and
//! [shares it](Simulation::share_among). The first process goes on with it as if it were alone; the others help it until it
//! is dropped.

use crate::{Error, Simulation};
use drystone_distributed::counting::{Counting, Traffic};
use drystone_engine::{AnyWorld, Dimension, Setup, StepError, StepReport, World};
use drystone_engine::{unfit_for_ranks, with_world};
use drystone_record::run::{RankSummary, Seen};
use drystone_space::Plane;
use std::sync::Arc;

pub use drystone_solve::Exchange;

/// How many processes a launcher has started, as it says in the environment; 1 without one.
pub fn processes() -> usize {
    let told = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_SIZE", "MV2_COMM_WORLD_SIZE"];
    let said = told.iter().filter_map(|name| std::env::var(name).ok()?.parse().ok());
    said.max().unwrap_or(1)
}

/// The processes that a launcher has started with this one; none where it was started alone.
#[cfg(feature = "mpi")]
pub fn launched() -> Result<Option<Arc<dyn Exchange>>, Error> {
    if processes() == 1 {
        return Ok(None);
    }
    let processes = drystone_distributed::mpi::Processes::start().map_err(Error::Unfit)?;
    Ok(Some(Arc::new(processes)))
}

/// The processes that a launcher has started with this one; none where it was started alone.
#[cfg(not(feature = "mpi"))]
pub fn launched() -> Result<Option<Arc<dyn Exchange>>, Error> {
    match processes() {
        1 => Ok(None),
        found => Err(Error::Unfit(format!(
            "found {found} processes of one launcher, expected 1: this program was built without MPI; build it with \
             `--features mpi`, or start it alone"
        ))),
    }
}

/// What comes of a step.
type Stepped = Result<StepReport, StepError>;

/// What the first rank tells the others to do.
const STOP: u8 = 0;
const STEP: u8 = 1;
const GATHER: u8 = 2;
const GATHER_PROBLEM: u8 = 3;
const FORGET: u8 = 4;
const REPORT: u8 = 5;
const SAMPLE: u8 = 6;

/// A world's part on this rank, and those that have the others.
#[derive(Debug)]
pub(crate) struct Helpers {
    /// None while it steps, and where the first rank computes all.
    part: Option<AnyWorld>,
    /// Why it does.
    alone: Option<&'static str>,
    exchange: Arc<Counting>,
    /// Whether the whole is as the last step has left it.
    current: bool,
    /// Steps made.
    steps: u64,
}

/// Does something with a part to which the whole is lent.
fn lent<S: Dimension, T>(
    part: &mut World<S>,
    whole: World<S>,
    work: impl FnOnce(&mut World<S>) -> T,
) -> (World<S>, T) {
    part.lend_whole(Box::new(whole));
    let done = work(part);
    (*part.return_whole().expect("it was lent"), done)
}

/// Does the same with a part of either dimension; while it does, a world without anything stands in the whole's place.
macro_rules! with_lent {
    ($part:expr, $whole:expr, $world:ident => $work:expr) => {
        match ($part, std::mem::replace($whole, empty())) {
            (AnyWorld::Plane(part), AnyWorld::Plane(of)) => {
                let (of, done) = lent(part, of, |$world| $work);
                *$whole = AnyWorld::Plane(of);
                done
            }
            (AnyWorld::Volume(part), AnyWorld::Volume(of)) => {
                let (of, done) = lent(part, of, |$world| $work);
                *$whole = AnyWorld::Volume(of);
                done
            }
            _ => unreachable!("a part has the dimension of the whole"),
        }
    };
}

impl Helpers {
    /// Does a step on all ranks. The whole then knows all but bodies and contacts.
    pub fn step(&mut self, whole: &mut AnyWorld) -> Stepped {
        self.steps += 1;
        let Some(part) = &mut self.part else { return whole.step() };
        self.exchange.hear_first(vec![STEP]);
        self.current = false;
        with_lent!(part, whole, part => {
            let report = part.step();
            part.inform_whole();
            report
        })
    }

    /// Brings the whole up to date, with the contact problem of the step if that is wanted.
    pub fn gather(&mut self, whole: &mut AnyWorld, problem: bool) {
        let Some(part) = self.part.as_mut().filter(|_| !self.current) else { return };
        self.exchange.hear_first(vec![if problem { GATHER_PROBLEM } else { GATHER }]);
        with_lent!(part, whole, part => part.gather(problem));
        self.current = true;
    }

    /// Brings what is sampled of bodies and contacts.
    pub fn sample(&mut self, whole: &mut AnyWorld) {
        let Some(part) = self.part.as_mut().filter(|_| !self.current) else { return };
        self.exchange.hear_first(vec![SAMPLE]);
        with_lent!(part, whole, part => part.gather_sample());
    }

    /// Gives back what the whole takes, where it is much and not needed in the next steps.
    pub fn forget(&mut self, whole: &mut AnyWorld) {
        let Some(part) = &mut self.part else { return };
        if with_world!(&*part, part => part.may_forget_whole()) {
            self.exchange.hear_first(vec![FORGET]);
            with_world!(part, part => part.forget_whole());
            with_world!(whole, whole => whole.give_back());
            self.current = false;
        }
    }

    /// What each rank has had to do.
    pub fn report(&self) -> Vec<RankSummary> {
        self.exchange.hear_first(vec![REPORT]);
        let own = summary(self.part.as_ref(), self.steps, &self.exchange.traffic());
        let told = self.exchange.tell_first(numbers(&own));
        told.iter().map(|told| rank_summary(told)).collect()
    }

    /// Computes with this many threads on this rank; the whole of one that computes all alone.
    pub fn set_threads(&mut self, whole: &mut AnyWorld, threads: usize) {
        let world = self.part.as_mut().unwrap_or(whole);
        with_world!(world, world => world.set_threads(threads));
    }
}

impl Drop for Helpers {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.exchange.hear_first(vec![STOP]);
        }
    }
}

/// What a rank has had to do.
fn summary(part: Option<&AnyWorld>, steps: u64, traffic: &Traffic) -> RankSummary {
    let share = part.map(|part| with_world!(part, part => part.share())).unwrap_or_default();
    let &Traffic { meetings, messages, bytes, passes, pass_messages, pass_bytes } = traffic;
    RankSummary {
        steps,
        bodies: share.bodies as u64,
        ghosts: share.ghosts as u64,
        contacts: share.contacts as u64,
        meetings,
        messages,
        bytes,
        passes,
        pass_messages,
        pass_bytes,
        processor_seconds: processor_seconds().unwrap_or(0.0),
        peak_memory: peak_memory().unwrap_or(0),
    }
}

/// Its numbers, to be told.
fn numbers(of: &RankSummary) -> Vec<u8> {
    let counts = [of.bodies, of.ghosts, of.contacts, of.meetings, of.messages, of.bytes];
    let more = [of.steps, of.passes, of.pass_messages, of.pass_bytes, of.peak_memory];
    let seconds = of.processor_seconds.to_bits();
    let all = counts.into_iter().chain(more).chain([seconds]);
    all.flat_map(u64::to_le_bytes).collect()
}

/// What was told.
fn rank_summary(told: &[u8]) -> RankSummary {
    let numbers = told.chunks_exact(8);
    let mut numbers = numbers.map(|n| u64::from_le_bytes(n.try_into().expect("eight bytes")));
    let mut next = || numbers.next().expect("a number");
    let [bodies, ghosts, contacts, meetings, messages, bytes] = std::array::from_fn(|_| next());
    let [steps, passes, pass_messages, pass_bytes, peak_memory] = std::array::from_fn(|_| next());
    let processor_seconds = f64::from_bits(next());
    RankSummary {
        steps,
        bodies,
        ghosts,
        contacts,
        meetings,
        messages,
        bytes,
        passes,
        pass_messages,
        pass_bytes,
        processor_seconds,
        peak_memory,
    }
}

/// The most memory that this process has held, where the system tells.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(1024 * kilobytes)
}

/// Time that processors have worked for this process, where the system tells.
fn processor_seconds() -> Option<f64> {
    // Hundredths of a second in user's and in system's mode, after the name in brackets.
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let (_, after) = stat.rsplit_once(')')?;
    let ticks = after.split_whitespace().skip(11).take(2);
    let ticks: Vec<f64> = ticks.filter_map(|ticks| ticks.parse().ok()).collect();
    (ticks.len() == 2).then(|| ticks.iter().sum::<f64>() / 100.0)
}

/// A world without anything, to stand where another one is lent.
fn empty() -> AnyWorld {
    AnyWorld::Plane(World::new(Setup::<Plane>::default()).expect("nothing is wrong with nothing"))
}

impl Simulation {
    /// Has several processes compute this simulation, which all of them have made alike. On the first one it comes back and is
    /// used as ever; the others help until it is dropped there, and get nothing. The results are those of one process, in the
    /// same bits.
    ///
    /// What several processes cannot compute together the first one [computes alone](Self::computed_alone).
    pub fn share_among(mut self, exchange: Arc<dyn Exchange>) -> Result<Option<Self>, Error> {
        let exchange = Arc::new(Counting::new(exchange));
        let (first, threads) = (exchange.rank() == 0, self.threads);
        let alone = with_world!(&self.world, world => unfit_for_ranks(world.setup()));
        if alone.is_some() {
            if !first {
                drop(self);
                help(None, &exchange);
                return Ok(None);
            }
            self.helpers = Some(Helpers { part: None, alone, exchange, current: true, steps: 0 });
            return Ok(Some(self));
        }
        let world = std::mem::replace(&mut self.world, empty());
        let shared: Arc<dyn Exchange> = Arc::<Counting>::clone(&exchange);
        let (mut part, whole) = match world {
            AnyWorld::Plane(world) => {
                let (part, whole) = world.share_among(shared)?;
                (AnyWorld::Plane(part), whole.map(|whole| AnyWorld::Plane(*whole)))
            }
            AnyWorld::Volume(world) => {
                let (part, whole) = world.share_among(shared)?;
                (AnyWorld::Volume(part), whole.map(|whole| AnyWorld::Volume(*whole)))
            }
        };
        let Some(whole) = whole else {
            drop(self);
            with_world!(&mut part, world => world.set_threads(threads));
            help(Some(part), &exchange);
            return Ok(None);
        };
        self.world = whole;
        let part = Some(part);
        self.helpers = Some(Helpers { part, alone, exchange, current: true, steps: 0 });
        self.set_threads(threads);
        Ok(Some(self))
    }

    /// How many processes compute it.
    pub fn ranks(&self) -> usize {
        self.helpers.as_ref().map_or(1, |helpers| helpers.exchange.ranks())
    }

    /// What of it several processes cannot compute together, so that the first computes all and the others wait.
    pub fn computed_alone(&self) -> Option<&'static str> {
        self.helpers.as_ref()?.alone
    }

    /// From now on bodies and contacts are brought from the other processes only after steps of which the record needs them,
    /// after those that were not solved, and by [`gather`](Self::gather). What is read of bodies and contacts in between is of an
    /// earlier step, or nothing; all else is as it is now. With one process there is nothing to bring.
    pub fn gather_seldom(&mut self) {
        self.seldom = true;
    }

    /// Brings bodies and contacts from the other processes, where they have not come since the last step.
    pub fn gather(&mut self) {
        if let Some(helpers) = &mut self.helpers {
            helpers.gather(&mut self.world, true);
        }
    }

    /// The same after a step, where they are asked for; what can be seen then.
    pub(crate) fn gather_after(&mut self, report: &StepReport) -> Seen {
        let problem = !self.seldom || !report.converged;
        let asked = if problem { Seen::All } else { self.recording_asks(report) };
        let Some(helpers) = &mut self.helpers else { return Seen::All };
        match asked {
            Seen::All => helpers.gather(&mut self.world, problem),
            Seen::Sample => helpers.sample(&mut self.world),
            Seen::Nothing => {}
        }
        if helpers.alone.is_some() { Seen::All } else { asked }
    }
}

/// Does what the first rank says until that is to stop.
fn help(mut part: Option<AnyWorld>, exchange: &Counting) {
    let mut steps = 0;
    loop {
        let told = exchange.hear_first(Vec::new());
        match (told[..].first(), &mut part) {
            // What fails here fails in the same way on the first rank, which says so.
            (Some(&STEP), Some(part)) => {
                steps += 1;
                let _ = part.step();
            }
            (Some(&GATHER), Some(part)) => with_world!(part, part => part.gather(false)),
            (Some(&GATHER_PROBLEM), Some(part)) => with_world!(part, part => part.gather(true)),
            (Some(&SAMPLE), Some(part)) => with_world!(part, part => part.gather_sample()),
            (Some(&FORGET), Some(part)) => with_world!(part, part => part.forget_whole()),
            (Some(&REPORT), part) => {
                let own = summary(part.as_ref(), steps, &exchange.traffic());
                exchange.tell_first(numbers(&own));
            }
            _ => return,
        }
    }
}
