//! How much memory a sphere with its contacts takes: what the allocator has given and not taken back.

mod support;

use drystone_detect::volume::VolumeShape;
use drystone_engine::{BodyState, Contact, SavedState, Setup, World};
use drystone_space::{DVec3, Pose, Volume};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicIsize, Ordering};

/// Counts what is asked of the system's allocator, in bytes.
struct Counting;

static BYTES: AtomicIsize = AtomicIsize::new(0);

// SAFETY: everything is handed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        BYTES.fetch_add(layout.size() as isize, Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        BYTES.fetch_sub(layout.size() as isize, Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

const SIDE: usize = 24;
const LAYERS: usize = 10;

/// Spheres pressed on each other in columns, `apart` from their neighbours at the side.
fn columns(apart: f64) -> Setup<Volume> {
    let at = |k: usize| (k % SIDE, k / SIDE % SIDE, k / (SIDE * SIDE));
    let spheres = (0..SIDE * SIDE * LAYERS).map(at).map(|(x, y, z)| {
        let (x, y) = ((1.0 + apart) * x as f64, (1.0 + apart) * y as f64);
        let centre = DVec3::new(x, y, 0.4999 + 0.9999 * z as f64);
        support::body::<Volume>(VolumeShape::Sphere { radius: 0.5 }, Pose::at(centre))
    });
    let floor = support::fixed("floor", VolumeShape::HalfSpace, Pose::IDENTITY);
    Setup {
        bodies: spheres.collect(),
        boundaries: vec![floor],
        ..support::setup(DVec3::new(0.0, 0.0, -9.81), 0.4)
    }
}

/// Bytes and contacts of a sphere in a world that goes on from a state: lists know from the start how long they
/// are to be.
fn of_a_sphere(apart: f64) -> (f64, f64) {
    let mut world = World::new(columns(apart)).unwrap();
    world.step().unwrap();
    let state = world.save();
    drop(world);
    let before = BYTES.load(Ordering::Relaxed) - state_bytes(&state);
    let mut world = World::resume(columns(apart), state).unwrap();
    for _ in 0..5 {
        world.step().unwrap();
    }
    let count = world.bodies().len() as f64;
    let bytes = (BYTES.load(Ordering::Relaxed) - before) as f64;
    (bytes / count, world.contacts().len() as f64 / count)
}

/// What becomes a part of the world, or is given back by its first step.
fn state_bytes(state: &SavedState<Volume>) -> isize {
    let bodies = size_of::<BodyState<Volume>>() * state.bodies.capacity();
    let contacts = size_of::<Contact<Volume>>() * state.contacts.capacity();
    (bodies + contacts + size_of::<DVec3>() * state.velocities.capacity()) as isize
}

/// One test, so that no other thread allocates meanwhile. Lists have an eighth to spare.
#[test]
fn a_sphere_and_a_contact_take_no_more_than_they_must() {
    let ((few, one), (many, three)) = (of_a_sphere(0.2), of_a_sphere(-1e-4));
    assert_eq!(one, 1.0);
    assert!(three > 2.8, "{three}");
    let contact = (many - few) / (three - one);
    let sphere = few - contact;
    println!("{sphere:.0} bytes for a sphere, {contact:.0} for a contact");
    // Told by the sizes of what lists hold, as `docs/benchmarks.md` has them: 630 and 353, and an eighth.
    assert!(sphere < 1.125 * 640.0, "{sphere} bytes for a sphere");
    assert!(contact < 1.125 * 368.0, "{contact} bytes for a contact");
}
