//! Several processes that compute one run together.
//!
//! A launcher such as `mpirun` starts them; each calls [`launched`], makes the same [`Simulation`], and
//! [shares it](Simulation::share_among). The first process goes on with it as if it were alone; the others help it until it
//! is dropped.

use crate::{Error, Simulation};
use drystone_engine::{AnyWorld, Dimension, Setup, StepError, StepReport, World, with_world};
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

/// A world's part on this rank, and those that have the others.
#[derive(Debug)]
pub(crate) struct Helpers {
    /// None while it steps.
    part: Option<AnyWorld>,
    exchange: Arc<dyn Exchange>,
}

impl Helpers {
    /// Does a step on all ranks; the whole is then that of its end.
    pub fn step(&mut self, whole: &mut AnyWorld) -> Stepped {
        self.exchange.hear_first(vec![STEP]);
        let part = self.part.take().expect("one step at a time");
        // While its part steps, the whole is lent to it, and the part stands in its place.
        let (part, report) = match (part, std::mem::replace(whole, empty())) {
            (AnyWorld::Plane(part), AnyWorld::Plane(of)) => {
                let (part, of, report) = step(part, of);
                *whole = AnyWorld::Plane(of);
                (AnyWorld::Plane(part), report)
            }
            (AnyWorld::Volume(part), AnyWorld::Volume(of)) => {
                let (part, of, report) = step(part, of);
                *whole = AnyWorld::Volume(of);
                (AnyWorld::Volume(part), report)
            }
            _ => unreachable!("a part has the dimension of the whole"),
        };
        self.part = Some(part);
        report
    }

    /// Computes with this many threads on this rank.
    pub fn set_threads(&mut self, threads: usize) {
        if let Some(part) = &mut self.part {
            with_world!(part, world => world.set_threads(threads));
        }
    }
}

impl Drop for Helpers {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.exchange.hear_first(vec![STOP]);
        }
    }
}

fn step<S: Dimension>(mut part: World<S>, whole: World<S>) -> (World<S>, World<S>, Stepped) {
    part.lend_whole(Box::new(whole));
    let report = part.step();
    part.gather();
    let whole = part.return_whole().expect("it was lent");
    (part, *whole, report)
}

/// A world without anything, to stand where another one is lent.
fn empty() -> AnyWorld {
    AnyWorld::Plane(World::new(Setup::<Plane>::default()).expect("nothing is wrong with nothing"))
}

impl Simulation {
    /// Has several processes compute this simulation, which all of them have made alike. On the first one it comes back and is
    /// used as ever; the others help until it is dropped there, and get nothing. The results are those of one process, in the
    /// same bits.
    pub fn share_among(mut self, exchange: Arc<dyn Exchange>) -> Result<Option<Self>, Error> {
        let world = std::mem::replace(&mut self.world, empty());
        let (part, whole) = match world {
            AnyWorld::Plane(world) => {
                let (part, whole) = world.share_among(Arc::clone(&exchange))?;
                (AnyWorld::Plane(part), whole.map(|whole| AnyWorld::Plane(*whole)))
            }
            AnyWorld::Volume(world) => {
                let (part, whole) = world.share_among(Arc::clone(&exchange))?;
                (AnyWorld::Volume(part), whole.map(|whole| AnyWorld::Volume(*whole)))
            }
        };
        let threads = self.threads;
        let Some(whole) = whole else {
            drop(self);
            help(part, threads, &*exchange);
            return Ok(None);
        };
        self.world = whole;
        self.helpers = Some(Helpers { part: Some(part), exchange });
        self.set_threads(threads);
        Ok(Some(self))
    }

    /// How many processes compute it.
    pub fn ranks(&self) -> usize {
        self.helpers.as_ref().map_or(1, |helpers| helpers.exchange.ranks())
    }
}

/// Does what the first rank says until that is to stop.
fn help(mut part: AnyWorld, threads: usize, exchange: &dyn Exchange) {
    with_world!(&mut part, world => world.set_threads(threads));
    while exchange.hear_first(Vec::new()) == [STEP] {
        with_world!(&mut part, world => {
            // What fails here fails in the same way on the first rank, which says so.
            let _ = world.step();
            world.gather();
        });
    }
}
