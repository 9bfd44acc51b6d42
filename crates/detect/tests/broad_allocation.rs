//! After warm-up the broad phase and the pair tests allocate nothing.

use drystone_detect::plane::{PlaneShape, Polygon};
use drystone_detect::{BroadPhase, Geometry, Manifold, Proxy};
use drystone_space::{DVec2, Plane, Pose};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    // The test harness allocates in a thread of its own.
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_rebuild_with_warm_buffers_and_all_pair_tests_allocate_nothing() {
    let block = PlaneShape::Polygon(Polygon::rectangle(1.0, 1.0).unwrap());
    let mut poses: Vec<Pose<Plane>> = (0..400)
        .map(|i| {
            Pose::at(DVec2::new(f64::from(i % 20) + 0.5 * f64::from(i / 20 % 2), f64::from(i / 20)))
        })
        .collect();
    let mut proxies: Vec<Proxy<Plane>> = poses
        .iter()
        .zip(0..)
        .map(|(pose, group)| Proxy {
            extent: Plane::extent(&block, pose),
            round: false,
            group,
            movable: true,
            active: true,
        })
        .collect();
    let mut broad = BroadPhase::default();
    let mut manifold = Manifold::default();
    let (mut rebuilds, mut touches) = (0, 0);
    let mut after_warm_up = 0;
    for step in 0..40 {
        if step == 20 {
            after_warm_up = ALLOCATIONS.get();
        }
        // The whole wall moves: as many pairs in every rebuild.
        for (pose, proxy) in poses.iter_mut().zip(&mut proxies) {
            pose.position.x += 0.07;
            proxy.extent = Plane::extent(&block, pose);
        }
        rebuilds += usize::from(broad.update(&proxies, 1e-3) && step >= 20);
        for &(a, b) in broad.pairs() {
            manifold.clear();
            let (a, b) = (&poses[a as usize], &poses[b as usize]);
            Plane::collide((&block, a), (&block, b), 1e-3, &mut manifold);
            touches += manifold.touches().len();
        }
    }
    assert_eq!(ALLOCATIONS.get(), after_warm_up);
    assert!(rebuilds > 2);
    assert!(touches > 40 * 400);
}
