//! Frames as files: what is written reads back in its bits, and damage is noticed.

mod support;

use drystone_engine::Owner;
use drystone_record::archive::{ContactStatus, Frame, Npz, Packer, status};
use drystone_space::{DVec3, Random, Volume};
use std::time::Instant;
use support::frame;

fn arrays(frame: &Frame<Volume>) -> Npz {
    Npz::of(|arrays| frame.put(arrays))
}

#[test]
fn a_frame_reads_back_in_its_bits() {
    let frame = frame(20);
    let bytes = arrays(&frame).encode().unwrap();
    let read = Frame::<Volume>::decode(&Npz::decode(&bytes).unwrap()).unwrap();
    assert_eq!(read, frame);
    assert_eq!(arrays(&read).encode().unwrap(), bytes);
}

/// Cuts and changed bytes, at many random places of a whole frame.
#[test]
fn damage_at_random_is_noticed() {
    let whole = arrays(&frame(20));
    let bytes = whole.encode().unwrap();
    let mut random = Random::new(11, 0);
    let mut place = || (random.unit() * bytes.len() as f64) as usize;
    let mut noticed = 0;
    for round in 0..400 {
        let mut damaged = bytes.clone();
        if round % 2 == 0 {
            damaged.truncate(place());
        } else {
            damaged[place()] ^= 1 << (round / 2 % 8);
        }
        match Npz::decode(&damaged) {
            Err(_) => noticed += 1,
            Ok(read) => assert!(read == whole, "a value was changed unnoticed"),
        }
    }
    assert!(noticed > 350, "{noticed} of 400");
}

/// Numbers of a right form but a wrong sense are refused, not trusted.
#[test]
fn frames_that_make_no_sense_are_refused() {
    let mut wrong = frame(4);
    wrong.contacts[2].contact.second = Owner::Body(99);
    let why = Frame::<Volume>::decode(&arrays(&wrong)).unwrap_err();
    assert!(why.contains("names a body that is not there"), "{why}");
    assert!(Frame::<Volume>::decode(&Npz::default()).unwrap_err().contains("missing"));
    assert!(Frame::<drystone_space::Plane>::decode(&arrays(&frame(4))).is_err());
}

#[test]
fn a_contact_on_its_cone_slides() {
    let mut contact = frame(1).contacts[1];
    let mut with = |x: f64, z: f64| {
        contact.contact.impulse = DVec3::new(x, 0.0, z);
        status(&contact)
    };
    assert_eq!(with(0.0, 0.0), ContactStatus::Open);
    assert_eq!(with(0.4, 1.0), ContactStatus::Sticking);
    assert_eq!(with(0.5, 1.0), ContactStatus::Sliding);
}

/// `cargo test --release -p drystone-record --test archive -- --ignored --nocapture`
#[test]
#[ignore = "a measurement"]
fn speed() {
    let frame = frame(20_000);
    let path = std::env::temp_dir().join(format!("drystone-speed-{}.npz", std::process::id()));
    let raw = 20_000.0 * (14.0 + 3.0 * 27.0) * 8.0 / 1e6;
    let rounds = 5;
    let start = Instant::now();
    let mut packer = Packer::default();
    let mut write = || packer.write(&path, |arrays| frame.put(arrays)).unwrap();
    let bytes: usize = (0..rounds).map(|_| write()).sum();
    let written = start.elapsed().as_secs_f64() / f64::from(rounds);
    let start = Instant::now();
    for _ in 0..rounds {
        assert_eq!(
            Frame::<Volume>::decode(&Npz::read(&path).unwrap()).unwrap().bodies.len(),
            20_000
        );
    }
    let read = start.elapsed().as_secs_f64() / f64::from(rounds);
    std::fs::remove_file(&path).unwrap();
    let share = bytes as f64 / f64::from(rounds) / 1e6 / raw;
    println!(
        "{raw:.1} MB, on disk {share:.2}; written {:.0} MB/s, read {:.0} MB/s",
        raw / written,
        raw / read
    );
}
