//! The same bits on any number of ranks.

use drystone_distributed::threads::on_ranks;
use drystone_engine::{Dimension, World, with_world};
use drystone_scene::Scene;
use drystone_solve::Exchange;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

fn scene(name: &str) -> Scene {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../scenes/{name}.toml"));
    Scene::read(&path).unwrap_or_else(|error| panic!("{error}"))
}

/// What a run has come to: hash of the state, and the ledger.
type End = (u64, String);

fn end<S: Dimension>(world: &World<S>) -> End {
    (world.state_hash(), format!("{:?} {:?}", world.ledger(), world.state().boundaries))
}

fn alone(name: &str, steps: u64) -> End {
    with_world!(scene(name).world().unwrap(), world => {
        let mut world = world;
        (0..steps).for_each(|_| {
            world.step().unwrap();
        });
        end(&world)
    })
}

fn together<S: Dimension>(
    world: World<S>,
    exchange: Arc<dyn Exchange>,
    steps: u64,
    threads: usize,
) -> Option<End> {
    let (mut part, mut whole) = world.share_among(exchange).unwrap();
    part.set_threads(threads);
    for step in 0..steps {
        if let Some(whole) = whole.take() {
            part.lend_whole(whole);
        }
        part.step().unwrap();
        if step + 1 == steps {
            part.gather();
        }
        whole = part.return_whole();
    }
    whole.map(|whole| end(&whole))
}

fn on(ranks: usize, threads: usize, name: &str, steps: u64) -> End {
    let ends = on_ranks(
        ranks,
        Duration::ZERO,
        |exchange| with_world!(scene(name).world().unwrap(), world => together(world, exchange, steps, threads)),
    );
    ends.into_iter().flatten().next().expect("the first rank has the whole")
}

fn same_on_all(name: &str, steps: u64, ranks: &[(usize, usize)]) {
    let wanted = alone(name, steps);
    for &(ranks, threads) in ranks {
        assert_eq!(on(ranks, threads, name, steps), wanted, "{name} on {ranks} × {threads}");
    }
}

#[test]
fn spheres_that_are_poured() {
    same_on_all("pour", 150, &[(1, 1), (2, 1), (3, 2), (4, 1), (8, 2)]);
}

/// Grains that enter one by one, laid on what is there.
#[test]
fn a_pile_that_is_built_grain_by_grain() {
    same_on_all("pile_small", 400, &[(2, 1), (4, 1)]);
}

#[test]
fn disks_that_enter() {
    same_on_all("emitter", 300, &[(1, 1), (3, 1), (4, 1)]);
}

#[test]
fn spheres_in_a_silo() {
    same_on_all("silo", 12, &[(2, 2), (4, 1), (8, 1)]);
}

#[test]
fn polyhedra_that_tumble() {
    same_on_all("polyhedra", 150, &[(2, 1), (4, 2)]);
}

#[test]
fn disks_in_a_turning_drum() {
    same_on_all("drum", 60, &[(2, 1), (3, 1), (8, 2)]);
}

#[test]
fn a_wall_on_quaking_ground() {
    same_on_all("wall", 60, &[(2, 1), (4, 1)]);
}

#[test]
fn clusters_of_spheres() {
    same_on_all("tetrapods", 100, &[(2, 1), (5, 1)]);
}
