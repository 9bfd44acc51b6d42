//! Gauss's principle in smooth phases (Moreau 1998, §6, after Gauss 1829): of all accelerations that contacts allow, the
//! motion has those nearest to the free ones, Z = ½ Σ (a − a_free)·A(a − a_free) being least.
//!
//! Without friction, and where nothing collides, the step's (u⁺ − u⁻)/h must be these accelerations: exactly where normals
//! do not turn, and but for O(h) where they do.

use crate::support::{body, plane, run_until};
use drystone_engine::{Contact, Owner, World};
use drystone_space::{DVec2, Plane};

fn scene(step: f64, things: &str) -> World<Plane> {
    plane(&format!(
        "dimension = 2\ngravity = [0, -10]\n[time]\nstep = {step}\nend = 10\n[solver]\ntolerance = 1e-12\n\
         [contact]\nform = \"velocity\"\n[[material]]\nname = \"a\"\ndensity = 1\n[default_law]\nfriction = 0\n{things}"
    ))
}

/// Accelerations of all bodies: of the centre, and of the spin.
type Accelerations = Vec<(DVec2, f64)>;

fn velocities(world: &World<Plane>) -> Accelerations {
    world.bodies().iter().map(|body| (body.velocity, body.spin)).collect()
}

/// Z.
fn gauss(world: &World<Plane>, a: &[(DVec2, f64)]) -> f64 {
    let gravity = world.setup().gravity;
    let one = |(body, a): (&drystone_engine::Body<Plane>, &(DVec2, f64))| {
        body.mass * (a.0 - gravity).length_squared() + body.moments * a.1 * a.1
    };
    0.5 * world.bodies().iter().zip(a).map(one).sum::<f64>()
}

/// Where the centre of a body was in the middle of the step.
fn middle(world: &World<Plane>, index: usize) -> DVec2 {
    let body = &world.bodies()[index];
    body.pose.position - body.velocity * (0.5 * world.setup().time_step)
}

/// How fast the sides of a contact part by such motions, with arms as they are.
fn parting(world: &World<Plane>, contact: &Contact<Plane>, a: &[(DVec2, f64)]) -> f64 {
    let of = |owner: Owner| match owner {
        Owner::Body(i) => {
            let (centre, spin) = a[i as usize];
            let arm = contact.point - middle(world, i as usize);
            centre + arm.perp() * spin
        }
        Owner::Boundary(_) => DVec2::ZERO,
    };
    contact.normal.dot(of(contact.first) - of(contact.second))
}

/// Numbers between −1 and 1 that are the same in every run.
fn random(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// Takes a step in the middle of a smooth phase and returns its accelerations, after these have been held against the
/// principle: allowed, made by contacts that push where they do not open, and less than any others that are allowed.
fn checked(world: &mut World<Plane>) -> Accelerations {
    let before = velocities(world);
    world.step().unwrap();
    let h = world.setup().time_step;
    let found: Accelerations = velocities(world)
        .iter()
        .zip(&before)
        .map(|(after, before)| ((after.0 - before.0) / h, (after.1 - before.1) / h))
        .collect();
    let contacts = world.contacts();
    assert!(!contacts.is_empty());
    for contact in contacts {
        let open = parting(world, contact, &found);
        let push = contact.normal.dot(contact.impulse) / h;
        let along = contact.normal.perp().dot(contact.impulse).abs();
        let found = (open, push, along);
        assert!(open > -1e-7 && push > -1e-7 && (open * push).abs() < 1e-6, "{found:?}");
        assert!(along < 1e-14 * push.abs().max(1.0), "{found:?}");
    }
    // What is not gravity is what contacts give: then Z is stationary on the cone of allowed accelerations.
    for (index, (body, a)) in world.bodies().iter().zip(&found).enumerate() {
        let (mut force, mut torque) = (DVec2::ZERO, 0.0);
        for contact in contacts {
            for (owner, push) in
                [(contact.first, contact.impulse), (contact.second, -contact.impulse)]
            {
                if owner == Owner::Body(index as u32) {
                    force += push / h;
                    torque += (contact.point - middle(world, index)).perp_dot(push) / h;
                }
            }
        }
        assert!((body.mass * (a.0 - world.setup().gravity) - force).length() < 1e-7 * body.mass);
        assert!((body.moments * a.1 - torque).abs() < 1e-6 * body.mass, "{torque} {a:?}");
    }
    let least = gauss(world, &found);
    let (mut seed, mut allowed) = (7, 0);
    for size in [1e-3, 0.1, 3.0] {
        for _ in 0..400 {
            let other: Accelerations = found
                .iter()
                .map(|a| {
                    let aside = DVec2::new(random(&mut seed), random(&mut seed)) * size;
                    (a.0 + aside, a.1 + random(&mut seed) * size)
                })
                .collect();
            if contacts.iter().all(|contact| parting(world, contact, &other) >= 0.0) {
                allowed += 1;
                let z = gauss(world, &other);
                assert!(z >= least - 1e-6 * size, "{z} {least}");
            }
        }
    }
    assert!(allowed > 20, "{allowed}");
    found
}

/// A disk slides down a wedge that is free to slide: the wedge moves at a = mg sin α cos α/(M + m sin² α).
#[test]
fn a_wedge_gives_way_as_gauss_says() {
    let mut world = scene(
        1e-3,
        "[[boundary]]\nmaterial = \"a\"\nshape = { half_plane = {} }\n\
         [[body]]\nname = \"wedge\"\nmaterial = \"a\"\nmass = 3\nshape = { polygon = [[0, 0], [4, 0], [0, 3]] }\n\
         [[body]]\nname = \"disk\"\nmaterial = \"a\"\nmass = 2\nshape = { disk = 0.5 }\nposition = [1.9, 2.2]\n",
    );
    let wedge = body(&world, "wedge").velocity;
    assert_eq!(wedge, DVec2::ZERO);
    run_until(&mut world, 0.2, |_, _| {});
    let found = checked(&mut world);
    // sin α = 3/5.
    let expected = -2.0 * 10.0 * 0.6 * 0.8 / (3.0 + 2.0 * 0.36);
    assert!((found[0].0.x - expected).abs() < 1e-6, "{} {expected}", found[0].0.x);
}

/// A wedge sinks between two disks that lie on the ground and drives them apart: with its half angle β it falls at
/// gM/(M + 2m tan² β).
#[test]
fn a_wedge_between_two_disks_sinks_as_gauss_says() {
    // tan β = 3/4: the apex is in the middle, disks of radius 1/2 touch the flanks at half their length.
    let (apart, height) = (0.9, 0.5);
    let apex = height - (apart - 0.5 / 0.8) / 0.75;
    let disk = |x: f64| {
        format!(
            "[[body]]\nmaterial = \"a\"\nmass = 2\nshape = {{ disk = 0.5 }}\nposition = [{x}, 0.5]\n"
        )
    };
    let mut world = scene(
        1e-3,
        &format!(
            "[[boundary]]\nmaterial = \"a\"\nshape = {{ half_plane = {{}} }}\n{}{}\
             [[body]]\nname = \"wedge\"\nmaterial = \"a\"\nmass = 5\n\
             shape = {{ polygon = [[0, {apex}], [3, {top}], [-3, {top}]] }}\n",
            disk(-apart),
            disk(apart),
            top = apex + 4.0,
        ),
    );
    run_until(&mut world, 0.02, |_, _| {});
    assert_eq!(world.contacts().len(), 4);
    let found = checked(&mut world);
    let expected = -10.0 * 5.0 / (5.0 + 2.0 * 2.0 * 0.5625);
    assert!((found[2].0.y - expected).abs() < 1e-6, "{} {expected}", found[2].0.y);
}

/// A disk slides off a fixed one: n·a = −v²/(R + r) while it is on it, and the push that the least Z asks for ends where
/// that is gravity's part, at cos θ = ⅔ cos θ₀ from rest.
#[test]
fn a_disk_leaves_a_round_hill_where_gauss_lets_it_go() {
    let start = 1.4924811556599;
    for h in [2e-3, 1e-3, 5e-4] {
        let mut world = scene(
            h,
            &format!(
                "[[boundary]]\nmaterial = \"a\"\nshape = {{ disk = 1 }}\n\
                 [[body]]\nname = \"disk\"\nmaterial = \"a\"\nmass = 2\nshape = {{ disk = 0.5 }}\nposition = [0.15, {start}]\n"
            ),
        );
        let mut left = 1.0;
        run_until(&mut world, 1.5, |world, _| {
            if world.contacts().iter().any(|c| c.impulse != DVec2::ZERO) {
                let place = body(world, "disk").pose.position;
                left = place.y / place.length();
            }
        });
        let expected = 2.0 / 3.0 * start / 1.5;
        println!("h = {h}: leaves at cos θ = {left}, exact {expected}");
        // The velocity form touches such a hill at every k-th midpoint only, k = 1 + κv²/ε, where ε = 3gτ·ω sin θ is
        // what presses at τ before the end. The last touch is where kh is as long as τ, so that τ falls as √h: 19 and
        // 9 ms for the first and the last h.
        assert!((left - expected).abs() < 0.8 * h.sqrt(), "{h}: {left} {expected}");
    }
}
