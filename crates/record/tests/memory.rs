//! How much memory it takes to write a frame.

mod support;

use drystone_record::archive::Packer;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts what is asked of the system's allocator and not given back, in bytes, and the most that it ever was.
struct Counting;

static BYTES: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is handed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = BYTES.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(now, Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        BYTES.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Of all arrays one is in memory at a time, with what it is packed to; and a packer that has written a file takes no
/// more for the next, and keeps little.
#[test]
fn only_one_array_of_a_file_is_in_memory() {
    const BODIES: usize = 20_000;
    let frame = support::frame(BODIES);
    // Points of contacts, for one; a list that doubles as it grows, with the half that it grows from, into which they
    // are packed; and the packer itself.
    let largest = 3 * BODIES * 3 * size_of::<f64>();
    let bound = largest + largest.next_power_of_two() * 3 / 2 + (1 << 19);
    let folder = std::env::temp_dir().join(format!("drystone-memory-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut packer = Packer::default();
    let mut takes = || {
        let before = BYTES.load(Ordering::Relaxed);
        MOST.store(before, Ordering::Relaxed);
        let size = packer.write(&folder.join("a.npz"), |arrays| frame.put(arrays)).unwrap();
        assert!(size > bound, "{size} bytes");
        let kept = BYTES.load(Ordering::Relaxed).saturating_sub(before);
        (MOST.load(Ordering::Relaxed) - before, kept)
    };
    let ((most, kept), (again, then)) = (takes(), takes());
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(most < bound, "{most} bytes for arrays of {largest}");
    assert!(again <= most && then == 0 && kept < 1 << 19, "{again} bytes, kept {kept} and {then}");
}
