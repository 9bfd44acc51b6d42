//! After warm-up a step allocates nothing on the heap.

mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts what is asked of the system's allocator.
struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is handed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// One test, so that no other thread allocates meanwhile.
#[test]
fn a_step_allocates_nothing_after_warm_up() {
    let mut wall = support::wall(8);
    let mut heap = support::heap(6);
    let mut special = support::heap_with(4, support::special());
    for _ in 0..400 {
        wall.step().unwrap();
        heap.step().unwrap();
        special.step().unwrap();
    }
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    let mut contacts = 0;
    for _ in 0..50 {
        contacts += wall.step().unwrap().contacts;
        contacts += heap.step().unwrap().contacts;
        contacts += special.step().unwrap().contacts;
    }
    let allocated = ALLOCATIONS.load(Ordering::Relaxed) - before;
    assert!(contacts > 10_000, "the scenes must be in contact: {contacts}");
    assert_eq!(allocated, 0);
}
