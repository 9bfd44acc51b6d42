//! The wall on quaking ground: docs/wall.md tells the whole story, this is its beginning.

use crate::support::{plane, run_until, text};
use drystone_engine::{StepReport, World};
use drystone_space::{DVec2, Plane};

const HALF_BLOCK: f64 = 0.2;

fn places(world: &World<Plane>) -> Vec<DVec2> {
    world.bodies().iter().map(|body| body.pose.position).collect()
}

/// Blocks that are lower than at the start by half their height.
fn fallen(world: &World<Plane>, start: &[DVec2]) -> usize {
    let bodies = world.bodies().iter().zip(start);
    bodies.filter(|(body, start)| body.pose.position.y < start.y - HALF_BLOCK).count()
}

/// Where the ground is.
fn ground(world: &World<Plane>) -> f64 {
    world.boundary_pose(0).expect("the ground is there").position.x
}

/// Mean displacement of the blocks relative to the ground.
fn slide(world: &World<Plane>, start: &[DVec2]) -> f64 {
    let bodies = world.bodies().iter().zip(start);
    let sum: f64 = bodies.map(|(body, start)| body.pose.position.x - start.x).sum();
    sum / start.len() as f64 - ground(world)
}

/// One rigid block on the same ground: Coulomb's law for a point, in steps of 10 µs.
struct RigidBlock {
    position: f64,
    velocity: f64,
    time: f64,
}

impl RigidBlock {
    const STEP: f64 = 1e-5;

    /// Slide relative to the ground at `time`.
    fn slide_at(&mut self, time: f64) -> f64 {
        let (amplitude, pulsation) = (0.125, 4.0 * std::f64::consts::PI);
        while self.time < time - 0.5 * Self::STEP {
            self.time += Self::STEP;
            let ground = amplitude * pulsation * (pulsation * self.time).cos();
            let most = 0.3 * 9.81 * Self::STEP;
            self.velocity += (ground - self.velocity).clamp(-most, most);
            self.position += self.velocity * Self::STEP;
        }
        self.position - amplitude * (pulsation * self.time).sin()
    }
}

/// How far a block is at most from where it would be had it moved with the mean of all.
fn apart(world: &World<Plane>, start: &[DVec2]) -> f64 {
    let ways: Vec<DVec2> =
        places(world).iter().zip(start).map(|(now, then)| *now - *then).collect();
    let mean = ways.iter().sum::<DVec2>() / ways.len() as f64;
    ways.iter().map(|way| (*way - mean).length()).fold(0.0, f64::max)
}

/// With the paper's data the whole wall slides to and fro as one block would. All joints are at
/// the limit of friction at once, and steps that are solved exactly put no slip into them. An error of 1e-4 of what gravity
/// does in a step, always in the same direction and in the same one of 176 blocks, would make
/// 2000 · 1e-4 · √176 g h² = 2.6e-5 m in 2 s.
#[test]
fn the_wall_slides_on_its_base_as_one_block() {
    let mut world = plane(&text("wall.toml"));
    let start = places(&world);
    let mut block = RigidBlock { position: 0.0, velocity: 0.0, time: 0.0 };
    let (mut least, mut most) = (0.0f64, 0.0f64);
    run_until(&mut world, 2.0, |world, report: &StepReport| {
        assert!(report.error.is_some_and(|error| error.value <= 1e-4), "{:?}", report.error);
        let slid = slide(world, &start);
        (least, most) = (least.min(slid), most.max(slid));
        let expected = block.slide_at(world.time());
        assert!((slid - expected).abs() < 0.02, "at {} s: {slid}, {expected}", world.time());
    });
    assert_eq!(fallen(&world, &start), 0);
    let apart = apart(&world, &start);
    assert!(apart < 3e-5, "a block is {apart} m from where it would be with the mean of all");
    assert!(least < -0.12 && most > 0.11, "slid from {least} to {most}");
}

/// On a rough footing the lowest row goes with the ground, and the wall above comes down.
#[test]
fn the_wall_falls_to_ruin_on_a_rough_footing() {
    let mut world = plane(&text("wall_ruin.toml"));
    let start = places(&world);
    run_until(&mut world, 1.0, |_, _| {});
    let row = world.bodies().iter().zip(&start).take(11);
    let moved: f64 = row.map(|(body, start)| body.pose.position.x - start.x).sum();
    let slid = moved / 11.0 - ground(&world);
    // Of the 0.25 m that the ground moves to and fro; between 0.03 and 0.053 m for tolerances from 1e-4 to 1e-6.
    assert!(slid.abs() < 0.07, "the lowest row slid by {slid}");
    while fallen(&world, &start) < 3 {
        assert!(world.time() < 10.0, "only {} blocks have fallen", fallen(&world, &start));
        let end = world.time() + 0.1;
        run_until(&mut world, end, |_, _| {});
    }
}
