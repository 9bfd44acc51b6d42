//! Each diagnosis is made on a problem that has the trouble, and not on one that has not.

use super::*;
use crate::{AnyAssembled, ContactMap, ContactProblem, GROUND, Gather, Law, Mover, Twist};
use drystone_space::{DQuat, DVec2, DVec3, Frame, InverseInertia, Local2, Local3, Plane};
use drystone_space::{PlaneFrame, Symmetric3, Volume, VolumeFrame};

/// Contact of the first mover with the second, or with the ground if that is `GROUND`.
struct Touch {
    movers: (u32, u32),
    normal: DVec2,
    arm: DVec2,
    offset: f64,
}

fn plane(masses: &[f64], fall: f64, friction: f64, touches: &[Touch]) -> Assembled<2> {
    let movers: Vec<Mover<Plane>> = masses
        .iter()
        .map(|mass| Mover { inverse_mass: 1.0 / mass, inverse_inertia: 12.0 / mass })
        .collect();
    let free = vec![Twist { velocity: DVec2::new(0.0, -fall), spin: 0.0 }; masses.len()];
    let contact = |touch: &Touch| {
        let map = ContactMap {
            first: touch.movers.0,
            second: touch.movers.1,
            frame: PlaneFrame::from_normal(touch.normal),
            arm_first: touch.arm,
            arm_second: -touch.arm,
        };
        let offset = Local2 { n: touch.offset, t: 0.0 };
        crate::Contact::new(map, offset, Law::Coulomb(friction), &movers, 1.0)
    };
    let contacts = touches.iter().map(contact).collect();
    let problem = ContactProblem { free, contacts, movers, ..Default::default() };
    match Plane::gather(&problem) {
        AnyAssembled::Plane(assembled) => assembled,
        other => panic!("{other:?}"),
    }
}

fn diagnose(problem: &Assembled<2>) -> Diagnosis {
    Diagnosis::of(problem, &vec![[0.0; 2]; problem.contacts()], None)
}

fn ground(arm: DVec2) -> Touch {
    Touch { movers: (0, GROUND), normal: DVec2::Y, arm, offset: 0.0 }
}

/// A column of equal blocks, each touching the one below in the middle.
fn column(masses: &[f64]) -> Vec<Touch> {
    let below = |i: u32| if i == 0 { GROUND } else { i - 1 };
    let arm = DVec2::new(0.0, -0.5);
    (0..masses.len() as u32)
        .map(|i| Touch { movers: (i, below(i)), normal: DVec2::Y, arm, offset: 0.0 })
        .collect()
}

/// A plate above the column that comes down at this speed.
fn plate(masses: &[f64], speed: f64) -> Touch {
    let top = masses.len() as u32 - 1;
    Touch { movers: (top, GROUND), normal: -DVec2::Y, arm: DVec2::new(0.0, 0.5), offset: -speed }
}

#[test]
fn a_healthy_problem_has_nothing() {
    let problem = plane(&[2.0], 1.0, 0.3, &[ground(DVec2::new(0.0, -0.5))]);
    let found = Diagnosis::of(&problem, &[[2.0, 0.0]], None);
    assert!(found.worst.is_empty() && found.conflict.is_none() && !found.is_hyperstatic());
    assert_eq!((found.rank.rank, found.unevenness), (2, 1.0));
    let text = found.describe(|i| format!("contact {i}"));
    assert!(text.contains("no: W has full rank 2") && !text.contains("no solution"), "{text}");
}

#[test]
fn two_feet_in_the_plane_have_one_impulse_too_many() {
    let feet = [-0.5, 0.5].map(|x| ground(DVec2::new(x, -0.5)));
    let found = diagnose(&plane(&[2.0], 1.0, 0.3, &feet));
    assert_eq!(found.rank, Rank { unknowns: 4, rank: 3, bound: false });
    assert!(found.conflict.is_none());
    assert!(found.advice()[0].contains("hyperstatic"), "{:?}", found.advice());
}

#[test]
fn four_legs_in_space_have_six_too_many() {
    let inertia = Symmetric3::from_principal(DVec3::new(1.0, 2.0, 3.0), DQuat::IDENTITY);
    let movers = vec![Mover::<Volume> { inverse_mass: 0.1, inverse_inertia: inertia }];
    let legs = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)];
    let contact = |(x, y): (f64, f64)| {
        let map = ContactMap {
            first: 0,
            second: GROUND,
            frame: VolumeFrame::from_normal(DVec3::Z),
            arm_first: DVec3::new(x, y, -1.0),
            arm_second: DVec3::ZERO,
        };
        crate::Contact::new(map, Local3::default(), Law::Coulomb(0.4), &movers, 1.0)
    };
    let contacts = legs.map(contact).to_vec();
    let free = vec![Twist { velocity: DVec3::new(0.0, 0.0, -1.0), spin: DVec3::ZERO }];
    let problem = ContactProblem { free, contacts, movers, ..Default::default() };
    let AnyAssembled::Volume(problem) = Volume::gather(&problem) else { panic!("in space") };
    let found = Diagnosis::of(&problem, &[[0.0; 3]; 4], None);
    assert_eq!((found.rank.rank, found.rank.excess()), (6, 6));
    assert!(found.conflict.is_none());
}

#[test]
fn the_contact_with_the_error_is_named() {
    let masses = [1.0; 6];
    let problem = plane(&masses, 1.0, 0.3, &column(&masses));
    let mut impulses: Vec<[f64; 2]> = (0..6).map(|i| [f64::from(6 - i), 0.0]).collect();
    // Friction outside of the cone by 1: the rest of the column hardly notices.
    impulses[5] = [1.0, 1.3];
    let found = Diagnosis::of(&problem, &impulses, None);
    assert_eq!(found.worst[0].contact, 5);
    assert!(found.worst[0].share > 0.5, "{:?}", found.worst);
    assert!(found.worst.len() <= NAMED);
    assert!(found.worst.iter().map(|c| c.share).sum::<f64>() <= 1.0 + 1e-12);
    let text = found.describe(|i| format!("block {i} on block {}", i as i32 - 1));
    assert!(text.contains("of the error: block 5 on block 4"), "{text}");
}

#[test]
fn an_error_that_is_not_a_number_is_the_worst() {
    let masses = [1.0; 3];
    let problem = plane(&masses, 1.0, 0.3, &column(&masses));
    let found = Diagnosis::of(&problem, &[[3.0, 0.0], [f64::NAN, 0.0], [1.0, 0.0]], None);
    assert!(!found.worst.is_empty() && found.worst[0].share == 1.0, "{:?}", found.worst);
    assert!(found.conflict.is_none());
}

#[test]
fn heavy_on_light_is_uneven_but_no_conflict() {
    let masses = [1.0, 1.0, 1.0, 1.0, 1e5, 1e5];
    let problem = plane(&masses, 1.0, 0.3, &column(&masses));
    let found = diagnose(&problem);
    assert!(found.unevenness > 1e4 && found.conflict.is_none(), "{found:?}");
    assert!(found.advice()[0].contains("masses"));
    assert!(diagnose(&plane(&[1.0; 6], 1.0, 0.3, &column(&[1.0; 6]))).unevenness < 10.0);
}

#[test]
fn a_plate_that_comes_down_on_a_column_leaves_no_solution() {
    for count in [1, 12] {
        let masses = vec![1.0; count];
        let mut touches = column(&masses);
        touches.push(plate(&masses, 0.2));
        let found = diagnose(&plane(&masses, 1.0, 0.3, &touches));
        let conflict = found.conflict.clone().expect("the column is crushed");
        assert!(!conflict.needs_friction);
        assert_eq!(conflict.contacts, (0..=count).collect::<Vec<_>>());
        assert!(found.describe(|i| i.to_string()).contains("no solution   no motion"));
        // A plate that rests, or goes up, crushes nothing.
        for speed in [0.0, -0.2] {
            touches.pop();
            touches.push(plate(&masses, speed));
            assert!(diagnose(&plane(&masses, 1.0, 0.3, &touches)).conflict.is_none());
        }
    }
}

/// Walls that lean inward by 10° and close on a bar. It could give way downward, but friction above
/// tan 10° = 0.176 holds it.
#[test]
fn friction_can_lock_what_could_give_way() {
    let (sin, cos) = 10f64.to_radians().sin_cos();
    let wall = |side: f64| Touch {
        movers: (0, GROUND),
        normal: DVec2::new(-side * cos, -sin),
        arm: DVec2::new(0.5 * side, 0.0),
        offset: -0.1,
    };
    let walls = [wall(-1.0), wall(1.0)];
    let locked = diagnose(&plane(&[1.0], 0.0, 0.5, &walls)).conflict.expect("it is locked");
    assert!(locked.needs_friction && locked.contacts == [0, 1], "{locked:?}");
    assert!(diagnose(&plane(&[1.0], 0.0, 0.1, &walls)).conflict.is_none());
}
