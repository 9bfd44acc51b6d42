//! Bonds: a beam that breaks under its closed form's load.

use super::support::{boundary, plane, run_until, text};

/// Three-point bending: the force grows up to that at which the outermost bond comes to its strength, and the beam breaks in
/// its middle.
#[test]
fn a_bonded_beam_breaks_under_its_load() {
    let mut world = plane(&text("bonded_beam.toml"));
    let tool = boundary(&world, "tool");
    let mut peak: f64 = 0.0;
    // What comes after the first rupture is no bending any more: halves that fly strike tool and supports.
    run_until(&mut world, 0.09, |world, _| {
        if world.ledger().rupture_loss == 0.0 {
            peak = peak.max(world.boundary_force(tool).y);
        }
    });
    let wanted = 4.0 * 1e6 * 0.01 / (6.0 * 0.9) / (7.0f64 / 9.0).sqrt();
    assert!((peak / wanted - 1.0).abs() < 0.01, "{peak} N, not {wanted} N");
    let broken: Vec<_> = world.bonds().iter().filter(|bond| bond.is_broken()).collect();
    assert!(broken.len() >= 8, "{}", broken.len());
    for bond in broken {
        let at = world.bond_place(bond).point;
        assert!(at.x.abs() < 0.06, "broken at {at}");
    }
    assert!(world.ledger().rupture_loss > 0.0 && world.boundary_force(tool).y < 0.2 * peak);
}
