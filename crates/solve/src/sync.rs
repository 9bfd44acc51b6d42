//! What threads that stay together are made of: in one place, so that a model of threads can take its place, which tries
//! all orders that they could come in (`fuzz/model`).

pub(crate) use rayon::join;
pub(crate) use std::hint::spin_loop;
pub(crate) use std::sync::Mutex;
pub(crate) use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
pub(crate) use std::thread::yield_now;

/// Looks at what is done before a waiting thread offers its core to others.
pub(crate) const SPINS: usize = 2000;
