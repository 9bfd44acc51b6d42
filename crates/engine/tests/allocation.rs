//! After warm-up a step allocates nothing on the heap.

mod support;

use drystone_detect::plane::{PlaneShape, Polygon};
use drystone_engine::{
    Body, BondForms, BondKind, BondLaw, CohesiveZone, ContactForm, Friction, LawTable,
    MassProperties, MaterialId, MoreauLaw, PairLaw, Part, Setup, SolidSetup, World,
};
use drystone_fem::mesh::rectangle;
use drystone_fem::{Damping, Elastic, ElasticLaw, Section};
use drystone_space::{DVec2, Plane, Pose};
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

/// Two soft blocks on a floor, one on the other, and a rigid disk on them.
fn soft(law: ElasticLaw) -> World<Plane> {
    let block = |height: f64, count: usize| {
        let mesh = rectangle(DVec2::ONE, [count, 3]).unwrap().map(|p| p + DVec2::Y * height);
        let elastic = Elastic { law, young: 1e6, poisson: 0.3, density: 100.0 };
        let section = Section::PlaneStrain { thickness: 1.0 };
        let damping = Damping { mass_factor: 5.0, stiffness_factor: 1e-3 };
        SolidSetup { damping, self_contact: true, ..support::solid(mesh, elastic, section) }
    };
    let shape = PlaneShape::Disk { radius: 0.2 };
    let disk = Part::new(shape, MaterialId(0));
    let properties = MassProperties::of_parts([(&disk, 500.0)].into_iter()).unwrap();
    let law = MoreauLaw { friction: Friction::Isotropic(0.3), ..MoreauLaw::default() };
    World::new(Setup::<Plane> {
        gravity: DVec2::new(0.0, -10.0),
        laws: LawTable::uniform(1, law),
        boundaries: vec![support::fixed("floor", PlaneShape::HalfPlane, Pose::IDENTITY)],
        bodies: vec![Body::new(properties, vec![disk], Pose::at(DVec2::new(0.0, 2.2)))],
        solids: vec![block(0.5, 4), block(1.5, 3)],
        form: ContactForm::Gap { margin: 1e-2, recovery_speed: 1.0, recovery_share: 1.0 },
        ..Setup::default()
    })
    .unwrap()
}

/// A row of ten blocks that hangs on a wall by bonds, some of which are damaged.
fn bonded() -> World<Plane> {
    let zone = CohesiveZone { strength: [2e6; 2], energy: [100.0; 2] };
    let bond = BondLaw {
        kind: BondKind::Cohesive(zone),
        stiffness: [1e11; 2],
        pushes: false,
        points: 2,
        area: None,
        reach: None,
        forms: BondForms::Contact,
    };
    let moreau = MoreauLaw { friction: Friction::Isotropic(0.3), ..MoreauLaw::default() };
    let square = || PlaneShape::Polygon(Polygon::rectangle(0.2, 0.2).unwrap());
    let block = |i: usize| support::body(square(), Pose::at(DVec2::new(0.2 * i as f64, 0.0)));
    World::new(Setup::<Plane> {
        gravity: DVec2::new(0.0, -10.0),
        laws: LawTable::uniform(1, PairLaw { bond: Some(bond), ..moreau.into() }),
        boundaries: vec![support::fixed("wall", square(), Pose::IDENTITY)],
        bodies: (1..11).map(block).collect(),
        ..Setup::default()
    })
    .unwrap()
}

/// One test, so that no other thread allocates meanwhile.
#[test]
fn a_step_allocates_nothing_after_warm_up() {
    let mut wall = support::wall(8);
    let mut heap = support::heap(6);
    let mut special = support::heap_with(4, support::special());
    let mut bonded = bonded();
    let mut solids = [soft(ElasticLaw::Linear), soft(ElasticLaw::StVenantKirchhoff)];
    for _ in 0..400 {
        for world in &mut solids {
            world.step().unwrap();
        }
        wall.step().unwrap();
        heap.step().unwrap();
        special.step().unwrap();
        bonded.step().unwrap();
    }
    assert!(bonded.bonds().iter().any(|bond| !bond.is_broken()));
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    let mut contacts = 0;
    for _ in 0..50 {
        contacts += wall.step().unwrap().contacts;
        contacts += heap.step().unwrap().contacts;
        contacts += special.step().unwrap().contacts;
        bonded.step().unwrap();
    }
    let allocated = ALLOCATIONS.load(Ordering::Relaxed) - before;
    assert!(contacts > 10_000, "the scenes must be in contact: {contacts}");
    assert_eq!(allocated, 0);
    for world in &mut solids {
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        let contacts: usize = (0..50).map(|_| world.step().unwrap().contacts).sum();
        assert!(contacts > 500, "the solids must be in contact: {contacts}");
        assert_eq!(ALLOCATIONS.load(Ordering::Relaxed) - before, 0);
    }
}
