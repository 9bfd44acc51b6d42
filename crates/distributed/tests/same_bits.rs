//! The same bits on any number of ranks.

use drystone_distributed::counting::Counting;
use drystone_distributed::threads::on_ranks;
use drystone_engine::{
    Dimension, Drag, Judge, Load, RankParams, SavedState, Setup, Signal, World, with_world,
};
use drystone_scene::{AnySetup, Scene, with_setup};
use drystone_solve::Exchange;
use drystone_space::{DVec3, Volume};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// A scene; with `+` after its name contacts are swept and space is divided however few there are.
fn scene(name: &str) -> Scene {
    let (name, swept) = name.strip_suffix('+').map_or((name, false), |name| (name, true));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../scenes/{name}.toml"));
    let mut scene = Scene::read(&path).unwrap_or_else(|error| panic!("{error}"));
    with_setup!(&mut scene.setup, setup => if swept {
        let methods = &mut setup.params.methods;
        (methods.few_contacts, methods.small_problem, methods.regions_from) = (0, 0, 0);
        // Steps that are judged by their error are solved by factors, in one place.
        setup.solver.judge = Judge::Contacts;
    });
    scene
}

/// What a run has come to: hash of the state, ledger and what boundaries feel; and, of several ranks, how often the first
/// had velocities to tell or to hear within a sweep, and the most bodies that one has had.
#[derive(Debug, Default)]
struct End {
    state: (u64, String),
    passes: u64,
    most: usize,
    bodies: usize,
}

fn state<S: Dimension>(world: &World<S>) -> (u64, String) {
    (world.state_hash(), format!("{:?} {:?}", world.ledger(), world.state().boundaries))
}

fn alone(name: &str, steps: u64) -> (u64, String) {
    with_world!(scene(name).world().unwrap(), world => {
        let mut world = world;
        (0..steps).for_each(|_| {
            world.step().unwrap();
        });
        state(&world)
    })
}

/// Runs a rank's part until this step; the first rank gets the whole back.
fn run_until<S: Dimension>(
    world: World<S>,
    exchange: Arc<dyn Exchange>,
    step: u64,
    threads: usize,
    most: &mut usize,
) -> Option<Box<World<S>>> {
    let (mut part, mut whole) = world.share_among(exchange).unwrap();
    part.set_threads(threads);
    while part.steps() < step {
        if let Some(whole) = whole.take() {
            part.lend_whole(whole);
        }
        part.step().unwrap();
        *most = (*most).max(part.bodies().len());
        if part.steps() == step {
            part.gather(true);
        }
        whole = part.return_whole();
    }
    whole
}

fn on(ranks: usize, threads: usize, name: &str, steps: u64, delay: Duration) -> End {
    let ends = on_ranks(ranks, delay, |rank| {
        let exchange = Arc::new(Counting::new(rank));
        let mut end = End::default();
        with_world!(scene(name).world().unwrap(), world => {
            let shared = Arc::clone(&exchange);
            let whole = run_until(world, shared, steps, threads, &mut end.most);
            if let Some(whole) = whole {
                (end.state, end.bodies) = (state(&whole), whole.bodies().len());
            }
        });
        end.passes = exchange.traffic().passes;
        end
    });
    let most = ends.iter().map(|end| end.most).max().unwrap();
    End { most, ..ends.into_iter().next().unwrap() }
}

/// Compares ranks with one process; returns what the last of them have come to.
fn same_on_all(name: &str, steps: u64, ranks: &[(usize, usize)]) -> End {
    let wanted = alone(name, steps);
    let mut last = End::default();
    for &(ranks, threads) in ranks {
        last = on(ranks, threads, name, steps, Duration::ZERO);
        assert_eq!(last.state, wanted, "{name} on {ranks} × {threads}");
    }
    last
}

#[test]
fn spheres_that_are_poured() {
    let ranks = [(1, 1), (2, 1), (2, 2), (3, 2), (4, 1), (8, 1), (8, 2)];
    let end = same_on_all("pour", 150, &ranks);
    assert!(end.most < end.bodies, "no rank has all bodies: {end:?}");
    let end = same_on_all("pour+", 300, &ranks);
    assert!(end.passes > 1000, "sweeps were shared: {end:?}");
}

#[test]
fn spheres_in_a_silo() {
    let end = same_on_all("silo+", 120, &[(1, 1), (2, 1), (2, 2), (3, 1), (4, 1), (4, 2), (8, 1)]);
    assert!(end.passes > 1000, "sweeps were shared: {end:?}");
    assert!(end.most < end.bodies / 2, "each rank has a part: {end:?}");
}

/// The first steps of a pile that is built grain by grain, each laid on what is there.
#[test]
fn a_pile_that_is_built_grain_by_grain() {
    same_on_all("pile_small", 400, &[(2, 1), (4, 1)]);
    let end = same_on_all("pile_small+", 400, &[(2, 1), (3, 1)]);
    assert!(end.passes > 100, "sweeps were shared: {end:?}");
}

#[test]
fn disks_that_enter() {
    same_on_all("emitter", 300, &[(1, 1), (3, 1), (4, 1)]);
    let end = same_on_all("emitter+", 1500, &[(2, 1), (4, 1)]);
    assert!(end.passes > 100, "sweeps were shared: {end:?}");
}

#[test]
fn polyhedra_that_tumble() {
    let end = same_on_all("polyhedra", 150, &[(2, 1)]);
    assert_eq!(end.passes, 0, "few contacts are solved in one place");
    let end = same_on_all("polyhedra+", 250, &[(1, 1), (2, 1), (3, 2), (4, 1), (8, 1)]);
    assert!(end.passes > 1000, "sweeps were shared: {end:?}");
}

/// Polyhedra, capsules, spheres and clusters of them: what is computed side by side differs from rank to rank.
#[test]
fn rubble_of_many_shapes() {
    let end = same_on_all("rubble+", 400, &[(2, 1), (3, 1), (4, 2)]);
    assert!(end.passes > 1000, "sweeps were shared: {end:?}");
}

/// Loads that change and turn, and drag that grows with speed, on bodies that cross from rank to rank.
#[test]
fn bodies_under_loads_and_drag() {
    let loaded = |world: &mut Setup<Volume>| {
        for body in (0..world.bodies.len()).step_by(3) {
            let force = DVec3::new(0.3, -0.2, 0.1) * (body % 7) as f64;
            let torque = DVec3::new(0.0, 0.001, 0.002);
            let factor = Signal::Constant(1.0 + 0.01 * body as f64);
            let (start, stop) = (0.05, 0.12);
            world.loads.push(Load { body, force, torque, factor, start, stop });
            world.drags.push(Drag { body, linear: 0.02, quadratic: 0.3, spin: 1e-4 });
        }
        world.params.methods.few_contacts = 0;
        world.params.methods.small_problem = 0;
        world.solver.judge = Judge::Contacts;
    };
    let setup = || {
        let AnySetup::Volume(mut setup) = scene("pour+").setup else { panic!("it is in space") };
        loaded(&mut setup);
        setup
    };
    let mut wanted = World::new(setup()).unwrap();
    (0..150).for_each(|_| {
        wanted.step().unwrap();
    });
    assert!(wanted.ledger().drag_loss > 0.0 && wanted.ledger().external_work != 0.0);
    for (ranks, threads) in [(1, 1), (2, 2), (4, 1)] {
        let ends = on_ranks(ranks, Duration::ZERO, |exchange| {
            let world = World::new(setup()).unwrap();
            run_until(world, exchange, 150, threads, &mut 0).map(|whole| state(&whole))
        });
        let found = ends.into_iter().flatten().next().expect("the first rank has the whole");
        assert_eq!(found, state(&wanted), "on {ranks} × {threads}");
    }
}

#[test]
fn boulders_on_a_slope_of_triangles() {
    let end = same_on_all("boulders+", 500, &[(2, 2), (4, 1)]);
    assert!(end.passes > 50, "sweeps were shared: {end:?}");
}

#[test]
fn disks_in_a_turning_drum() {
    same_on_all("drum", 60, &[(2, 1), (3, 1), (8, 2)]);
    let end = same_on_all("drum+", 300, &[(2, 1), (4, 2), (8, 1)]);
    assert!(end.passes > 1000, "sweeps were shared: {end:?}");
}

#[test]
fn a_wall_on_quaking_ground() {
    same_on_all("wall", 60, &[(2, 1), (4, 1)]);
    let end = same_on_all("wall+", 60, &[(2, 1), (3, 2)]);
    assert!(end.passes > 1000, "sweeps were shared: {end:?}");
}

#[test]
fn clusters_of_spheres() {
    same_on_all("tetrapods", 100, &[(2, 1), (5, 1)]);
    let end = same_on_all("tetrapods+", 300, &[(2, 1), (4, 2), (8, 1)]);
    assert!(end.passes > 100, "sweeps were shared: {end:?}");
}

/// The first rank has all bodies and contacts only after some of the steps; rank after rank tells it of them.
#[test]
fn the_whole_is_gathered_when_it_is_asked_for() {
    for name in ["pour+", "emitter+", "polyhedra"] {
        let wanted: Vec<_> = [20, 60, 61, 100].map(|steps| (steps, alone(name, steps))).into();
        let ends = on_ranks(3, Duration::ZERO, |exchange| {
            let mut scene = scene(name);
            with_setup!(&mut scene.setup, setup => {
                setup.params.ranks = RankParams { many: 0, pause: 0 };
            });
            let mut found = Vec::new();
            with_world!(scene.world().unwrap(), world => {
                let (mut part, mut whole) = world.share_among(exchange).unwrap();
                while part.steps() < 100 {
                    if let Some(whole) = whole.take() {
                        part.lend_whole(whole);
                    }
                    part.step().unwrap();
                    part.inform_whole();
                    let asked = wanted.iter().any(|(step, _)| *step == part.steps());
                    if asked {
                        part.gather(part.steps() > 60);
                    }
                    whole = part.return_whole();
                    if let Some(whole) = whole.as_ref().filter(|_| asked) {
                        found.push((part.steps(), state(whole)));
                    }
                    if part.may_forget_whole() {
                        part.forget_whole();
                        if let Some(whole) = &mut whole {
                            whole.give_back();
                            assert!(whole.bodies().is_empty() && whole.count_bodies() > 0);
                        }
                    }
                }
            });
            found
        });
        assert_eq!(ends[0], wanted, "{name}");
    }
}

/// Messages may be late, and come in any order.
#[test]
fn slow_ranks_change_nothing() {
    let end = on(3, 1, "wall+", 3, Duration::from_micros(100));
    assert_eq!(end.state, alone("wall+", 3));
    let end = on(4, 1, "emitter", 40, Duration::from_micros(300));
    assert_eq!(end.state, alone("emitter", 40));
}

/// Two ranks, then three, from what a checkpoint holds, then one.
#[test]
fn a_run_goes_on_with_another_number_of_ranks() {
    let part = |saved: Option<SavedState<Volume>>, ranks: usize, until: u64| {
        let ends = on_ranks(ranks, Duration::ZERO, |exchange| {
            let AnySetup::Volume(setup) = scene("pour").setup else { panic!("it is in space") };
            let world = match saved.clone() {
                Some(saved) => World::resume(setup, saved),
                None => World::new(setup),
            };
            let whole = run_until(world.unwrap(), exchange, until, 1, &mut 0);
            whole.map(|whole| (whole.save(), state(&whole)))
        });
        ends.into_iter().flatten().next().expect("the first rank has the whole")
    };
    let (first, _) = part(None, 2, 60);
    let (second, _) = part(Some(first), 3, 110);
    let (_, end) = part(Some(second), 1, 150);
    assert_eq!(end, alone("pour", 150));
}

#[test]
fn what_ranks_cannot_compute_is_refused() {
    for (name, what) in [("plate", "solids"), ("rolling_disk", "laws"), ("slider_crank", "joints")]
    {
        let refused = on_ranks(2, Duration::ZERO, |exchange| {
            with_world!(scene(name).world().unwrap(), world => {
                world.share_among(exchange).map(|_| ()).unwrap_err().to_string()
            })
        });
        for refused in refused {
            assert!(refused.contains(what), "{name}: {refused}");
        }
    }
}
