//! Ranks that are processes, by MPI.
//!
//! All that is asked of the library is in `mpi.c`, which its own compiler compiles: libraries differ in what their types are
//! made of, and this crate need not know. Calls are made by one thread at a time.

use drystone_solve::Exchange;
use std::ffi::c_void;
use std::sync::{Mutex, PoisonError};

unsafe extern "C" {
    fn drystone_mpi_start(rank: *mut i32, ranks: *mut i32) -> i32;
    fn drystone_mpi_finish();
    fn drystone_mpi_abort(code: i32);
    fn drystone_mpi_sizes(outgoing: *const u64, incoming: *mut u64);
    fn drystone_mpi_swap(
        count: i32,
        ranks: *const i32,
        outgoing: *const *const c_void,
        outgoing_sizes: *const u64,
        incoming: *const *mut c_void,
        incoming_sizes: *const u64,
    ) -> i32;
}

/// All processes that a launcher has started together. When it is dropped, it waits for the others to come to the same
/// point.
#[derive(Debug)]
pub struct Processes {
    rank: usize,
    ranks: usize,
    /// One call at a time.
    calls: Mutex<()>,
}

impl Processes {
    /// Begins to talk to the others. A panic of this process ends them all from now on. To be called once.
    pub fn start() -> Result<Self, String> {
        let (mut rank, mut ranks) = (0, 0);
        // SAFETY: both places are written to.
        let refused = unsafe { drystone_mpi_start(&raw mut rank, &raw mut ranks) };
        if refused != 0 {
            return Err("the MPI library was built without threads, which a run needs".to_owned());
        }
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            eprintln!("rank {rank} of {ranks} has failed, and ends all:");
            usual(panic);
            // SAFETY: nothing else is done by this process.
            unsafe { drystone_mpi_abort(101) };
        }));
        Ok(Self { rank: rank as usize, ranks: ranks as usize, calls: Mutex::new(()) })
    }
}

impl Exchange for Processes {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.ranks
    }

    fn swap(&self, outgoing: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        let sent: Vec<u64> = outgoing.iter().map(|letter| letter.len() as u64).collect();
        assert_eq!(sent.len(), self.ranks, "something for each rank");
        let mut received = vec![0u64; self.ranks];
        let one = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: there are as many numbers as ranks in both.
        unsafe { drystone_mpi_sizes(sent.as_ptr(), received.as_mut_ptr()) };
        drop(one);
        self.transfer(outgoing, &received)
    }

    fn pass(&self, outgoing: Vec<Vec<u8>>, sizes: &[usize]) -> Vec<Vec<u8>> {
        let received: Vec<u64> = sizes.iter().map(|&size| size as u64).collect();
        self.transfer(outgoing, &received)
    }
}

impl Processes {
    /// Sends and receives where it is known how much comes from whom.
    fn transfer(&self, mut outgoing: Vec<Vec<u8>>, sizes: &[u64]) -> Vec<Vec<u8>> {
        let own = std::mem::take(&mut outgoing[self.rank]);
        let with =
            |rank: &usize| *rank != self.rank && (!outgoing[*rank].is_empty() || sizes[*rank] > 0);
        let partners: Vec<usize> = (0..self.ranks).filter(with).collect();
        let ranks: Vec<i32> = partners.iter().map(|&rank| rank as i32).collect();
        let sent: Vec<u64> = partners.iter().map(|&rank| outgoing[rank].len() as u64).collect();
        let received: Vec<u64> = partners.iter().map(|&rank| sizes[rank]).collect();
        let mut incoming = vec![Vec::new(); self.ranks];
        partners.iter().for_each(|&rank| incoming[rank] = vec![0u8; sizes[rank] as usize]);
        let from: Vec<*const c_void> =
            partners.iter().map(|&rank| outgoing[rank].as_ptr().cast()).collect();
        let into: Vec<*mut c_void> =
            partners.iter().map(|&rank| incoming[rank].as_mut_ptr().cast()).collect();
        let _one = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: all lists have an entry for each partner, and all places the sizes that are named.
        let failed = unsafe {
            drystone_mpi_swap(
                ranks.len() as i32,
                ranks.as_ptr(),
                from.as_ptr(),
                sent.as_ptr(),
                into.as_ptr(),
                received.as_ptr(),
            )
        };
        assert_eq!(failed, 0, "no memory for messages");
        incoming[self.rank] = own;
        incoming
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            // SAFETY: nothing is sent any more.
            unsafe { drystone_mpi_finish() };
        }
    }
}
