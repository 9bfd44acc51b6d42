//! Waves across a taut chain.

use super::{G, bar, hinge, in_both, plane};
use drystone_detect::plane::PlaneShape;
use drystone_engine::World;
use drystone_space::{DVec2, Pose};
use std::f64::consts::PI;

/// Ten bars hang with a thousand times their mass at the end. Across, hinges have the stiffness T/ℓ (−1, 2, −1) and the mass
/// m/6 (1, 4, 1), so that ω² = 6 T/(m ℓ) (2 − 2c)/(4 + 2c) with c = cos(9π/10) for the fastest wave. Joints are held by forces
/// taken at midpoints, so that a wave is stable for h ω < 2: below, a push stays as small as it was; above, it grows.
#[test]
fn a_taut_chain_holds_where_its_waves_are_resolved() {
    in_both(|| {
        let (count, length, ratio) = (10u32, 0.1, 1e3);
        let c = (PI * 0.9).cos();
        let fastest = (6.0 * ratio * G / length * (2.0 - 2.0 * c) / (4.0 + 2.0 * c)).sqrt();
        let swung = |h: f64| {
            let mut setup = plane(h);
            for link in 0..count {
                let from = DVec2::new(0.0, -length * f64::from(link));
                let mut made = bar(from, from - DVec2::new(0.0, length));
                (made.mass, made.moments) = (1.0, length * length / 12.0);
                made.velocity.x = 1e-6 * f64::from(link % 3);
                setup.bodies.push(made);
                hinge(&mut setup, link, link.checked_sub(1), from);
            }
            let end = DVec2::new(0.0, -length * f64::from(count));
            let mut ball = crate::support::body(PlaneShape::Disk { radius: 0.04 }, Pose::at(end));
            (ball.mass, ball.moments) = (ratio, ratio);
            setup.bodies.push(ball);
            hinge(&mut setup, count, Some(count - 1), end);
            let mut world = World::new(setup).unwrap();
            let mut most = 0.0f64;
            for _ in 0..400 {
                assert!(world.step().unwrap().converged);
                let speeds = world.bodies().iter().map(|body| body.velocity.x.abs());
                most = speeds.fold(most, f64::max);
            }
            most
        };
        let most = swung(1.96 / fastest);
        assert!(most < 2e-5, "{most:e}");
        let most = swung(2.04 / fastest);
        assert!(most > 1e-2, "{most:e}");
    });
}
