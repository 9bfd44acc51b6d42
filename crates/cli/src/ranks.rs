//! Processes that `mpirun` has started together.

use crate::Failure;
use crate::run::{How, told};
use drystone::Simulation;
use drystone::ranks::{Exchange, launched};
use std::sync::Arc;

/// The processes that compute a run: this one alone, or several.
pub struct Launched(Option<Arc<dyn Exchange>>);

impl Launched {
    /// Those that were started with this one.
    pub fn find() -> Result<Self, Failure> {
        launched().map(Self).map_err(told)
    }

    /// Whether this is not the first of them.
    pub fn is_helper(&self) -> bool {
        self.0.as_ref().is_some_and(|exchange| exchange.rank() > 0)
    }

    /// Has all of them compute the simulation that each has made. It comes back on the first; the others help until that is
    /// done. If any has failed to make one, the first fails and tells why. The others end then as if they had helped: a
    /// launcher ends all at the first that fails, and the first would be ended before it has told.
    pub fn share(
        self,
        made: Result<Simulation, Failure>,
        how: &How,
    ) -> Result<Option<Simulation>, Failure> {
        let Some(exchange) = self.0 else { return made.map(Some) };
        let shared = agree(&*exchange, made).and_then(|mut simulation| {
            simulation.set_threads(how.threads.map_or(1, usize::from));
            // What is refused here is refused on all alike.
            drystone::space::give_back_at_once();
            simulation.share_among(Arc::clone(&exchange)).map_err(told)
        });
        if exchange.rank() > 0 {
            return Ok(shared.unwrap_or(None));
        }
        let shared = shared?;
        let alone = shared.as_ref().and_then(Simulation::computed_alone);
        if let Some(beside) = alone.filter(|_| !how.quiet) {
            let ranks = exchange.ranks();
            eprintln!(
                "note: {beside} are computed by one process: the first of {ranks} computes, the others wait"
            );
        }
        Ok(shared)
    }
}

/// What this process has, if all have it.
fn agree<T>(exchange: &dyn Exchange, own: Result<T, Failure>) -> Result<T, Failure> {
    let failed = own.as_ref().err().map_or("", |failure| failure);
    let named = match failed {
        "" => Vec::new(),
        failed => [&(exchange.rank() as u32).to_be_bytes(), failed.as_bytes()].concat(),
    };
    // What the first one says that has failed: bytes go by its number first.
    let all = exchange.combine(named, &mut |one, other| {
        if one.is_empty() || (!other.is_empty() && other < &one[..]) {
            *one = other.to_vec();
        }
    });
    let Some((rank, failed)) = all.split_first_chunk() else { return own };
    let (rank, failed) = (u32::from_be_bytes(*rank), String::from_utf8_lossy(failed));
    Err(if rank == 0 { failed.into_owned() } else { format!("on rank {rank}: {failed}") })
}
