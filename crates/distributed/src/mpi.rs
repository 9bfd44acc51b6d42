//! Ranks that are processes, by MPI.
//!
//! All that is asked of the library is in `mpi.c`, which its own compiler compiles: libraries differ in what their types are
//! made of, and this crate need not know. Calls are made by one thread at a time.

use drystone_solve::{Exchange, Letters};
use std::ffi::c_void;
use std::sync::{Mutex, PoisonError};

unsafe extern "C" {
    fn drystone_mpi_start(rank: *mut i32, ranks: *mut i32) -> i32;
    fn drystone_mpi_finish();
    fn drystone_mpi_abort(code: i32);
    fn drystone_mpi_send(
        count: i32,
        ranks: *const i32,
        letters: *const *const c_void,
        sizes: *const u64,
    ) -> *mut c_void;
    fn drystone_mpi_sent(sent: *mut c_void);
    fn drystone_mpi_expect(rank: i32) -> u64;
    fn drystone_mpi_take(rank: i32, into: *mut c_void, size: u64) -> i32;
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

    fn swap(&self, outgoing: Letters, from: &[usize]) -> Vec<Vec<u8>> {
        let ranks: Vec<i32> = outgoing.iter().map(|(to, _)| *to as i32).collect();
        let letters: Vec<*const c_void> =
            outgoing.iter().map(|(_, letter)| letter.as_ptr().cast()).collect();
        let sizes: Vec<u64> = outgoing.iter().map(|(_, letter)| letter.len() as u64).collect();
        let _one = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: all lists have an entry for each letter, and letters stay until they have been sent.
        let sent = unsafe {
            drystone_mpi_send(ranks.len() as i32, ranks.as_ptr(), letters.as_ptr(), sizes.as_ptr())
        };
        assert!(!sent.is_null(), "no memory for messages");
        let incoming = from.iter().map(|&from| take(from as i32)).collect();
        // SAFETY: this is what was sent, and it is waited for once.
        unsafe { drystone_mpi_sent(sent) };
        incoming
    }
}

/// The next letter from a rank, once it is there. Calls are made by one thread at a time.
fn take(from: i32) -> Vec<u8> {
    let mut letter = Vec::new();
    loop {
        // SAFETY: ranks that are waited for are among all.
        let size = unsafe { drystone_mpi_expect(from) };
        let start = letter.len();
        letter.resize(start + size as usize, 0);
        // SAFETY: there is room for as many bytes as have come.
        let more = unsafe { drystone_mpi_take(from, letter[start..].as_mut_ptr().cast(), size) };
        if more == 0 {
            return letter;
        }
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
