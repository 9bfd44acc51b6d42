//! What tests of records share.

use drystone_engine::{Contact, Owner};
use drystone_record::archive::{BoundaryFrame, ContactFrame, Frame, MovingBody};
use drystone_space::{DQuat, DVec3, Pose, Random, Rotation, Volume};

/// A frame with three contacts to a body, all numbers at random.
pub fn frame(bodies: usize) -> Frame<Volume> {
    let mut random = Random::new(7, 0);
    let mut vector = || DVec3::new(random.unit(), random.unit(), random.unit());
    let body = |vector: &mut dyn FnMut() -> DVec3| MovingBody {
        pose: Pose { position: vector(), rotation: DQuat::exponential(vector()) },
        velocity: vector(),
        spin: vector(),
        birth: 0.25,
    };
    let moving: Vec<MovingBody<Volume>> = (0..bodies).map(|_| body(&mut vector)).collect();
    let boundary = BoundaryFrame {
        pose: Pose::IDENTITY,
        velocity: DVec3::ZERO,
        force: vector(),
        present: true,
    };
    let contact = |i: usize, vector: &mut dyn FnMut() -> DVec3| Contact {
        first: Owner::Body((i % bodies) as u32),
        second: if i.is_multiple_of(9) { Owner::Boundary(0) } else { Owner::Body((i / 3) as u32) },
        point: vector(),
        normal: DVec3::Z,
        gap: -1e-6 * vector().x,
        impulse: if i.is_multiple_of(4) { DVec3::ZERO } else { vector() },
        feature: i as u32 % 5,
        bonded: i.is_multiple_of(7),
        shapes: (i as u32, i as u32 + 1),
    };
    let contacts = (0..3 * bodies).map(|i| ContactFrame {
        contact: contact(i, &mut vector),
        couple: if i % 2 == 0 { vector() } else { DVec3::ZERO },
        velocity: vector(),
        friction: 0.5,
    });
    let contacts = contacts.collect();
    let (ledger, report) = (vec![1.0, f64::MIN_POSITIVE, -0.0], vec![3.0; 5]);
    Frame {
        cell: None,
        time: 0.1 + 0.2,
        step: 3,
        bodies: moving,
        boundaries: vec![boundary],
        contacts,
        bonds: Vec::new(),
        broken: Vec::new(),
        solids: Vec::new(),
        solid_contacts: Vec::new(),
        ledger,
        report,
    }
}
