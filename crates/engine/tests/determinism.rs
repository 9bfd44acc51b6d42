//! The same bits on every run and for every number of threads.

use crate::support;
use drystone_engine::{Dimension, Setup, World};

fn hashes<S: Dimension>(make: impl Fn() -> World<S>, steps: usize) -> Vec<u64> {
    let run = |threads: usize| {
        let mut world = make();
        world.set_threads(threads);
        let mut contacts = 0;
        for _ in 0..steps {
            contacts = world.step().unwrap().contacts;
        }
        // Fewer would be swept by one thread in any case.
        assert!(contacts > 5000, "{contacts} contacts");
        world.state_hash()
    };
    [1, 1, 2, 3].map(run).to_vec()
}

#[test]
fn threads_and_repetition_change_no_bit() {
    let plane = hashes(|| support::wall(350), 3);
    assert!(plane.iter().all(|&h| h == plane[0]), "{plane:x?}");
    let volume = hashes(|| support::heap(18), 10);
    assert!(volume.iter().all(|&h| h == volume[0]), "{volume:x?}");
    assert_ne!(plane[0], volume[0]);
    let special = hashes(|| support::heap_with(18, support::special()), 3);
    assert!(special.iter().all(|&h| h == special[0]), "{special:x?}");
    assert_ne!(special[0], volume[0]);
}

/// A problem of more than 4,000 contacts has a list of them only where somebody wants to see what it began from. What is
/// made for whoever asks afterwards is what stands in the list.
#[test]
fn a_list_of_contacts_changes_no_bit() {
    let (mut listed, mut made) = (support::heap(18), support::heap(18));
    listed.keep_start();
    for _ in 0..5 {
        listed.step().unwrap();
        made.step().unwrap();
    }
    assert!(made.contacts().len() > 5000 && made.start().is_empty());
    assert_eq!(listed.start().len(), listed.contacts().len());
    assert_eq!(listed.state_hash(), made.state_hash());
    assert_eq!(listed.ledger(), made.ledger());
    assert_eq!(listed.problem().contacts, made.problem().contacts);
    let (one, other) = (listed.solution(), made.solution());
    assert_eq!((&one.impulses, &one.twists), (&other.impulses, &other.twists));
}

/// What is not kept of contacts is the same where it is computed, and where the state had to tell it.
#[test]
fn a_state_tells_all_of_its_contacts() {
    fn told<S: Dimension>(world: &World<S>) -> Vec<(S::Spin, S::Vector, f64)> {
        let of =
            |c| (world.contact_couple(c), world.contact_velocity(c), world.contact_friction(c));
        world.contacts().iter().map(of).collect()
    }
    let start = support::heap_with(4, support::special());
    let mut world = support::heap_with(4, support::special());
    for _ in 0..50 {
        world.step().unwrap();
    }
    let setup = Setup { bodies: start.bodies().to_vec(), ..start.setup().clone() };
    let mut again = World::resume(setup, world.save()).unwrap();
    for _ in 0..3 {
        let all = told(&world);
        assert!(all.iter().any(|(couple, velocity, _)| couple.length() * velocity.length() > 0.0));
        assert_eq!(told(&again), all);
        assert_eq!(again.save(), world.save());
        world.step().unwrap();
        again.step().unwrap();
    }
}
