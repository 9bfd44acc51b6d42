//! A simulation that several ranks compute is that of one, for whoever reads it, records it or asks what each rank did.

use drystone::engine::RankParams;
use drystone::scene::Scene;
use drystone::simulation::{RecordOptions, Simulation, Summary};
use drystone_distributed::threads::on_ranks;
use drystone_scene::with_setup;
use std::path::{Path, PathBuf};
use std::time::Duration;

fn simulation(name: &str) -> Simulation {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../scenes/{name}.toml"));
    let mut scene = Scene::read(&path).unwrap_or_else(|report| panic!("{report}"));
    with_setup!(&mut scene.setup, setup => {
        let methods = &mut setup.params.methods;
        (methods.few_contacts, methods.small_problem) = (0, 0);
        setup.params.ranks = RankParams { many: 0, pause: 0 };
    });
    Simulation::from_scene_of(scene, &path).unwrap()
}

/// Runs it with a record, on so many ranks; 0 is without any.
fn recorded(name: &str, until: f64, ranks: usize) -> (Summary, PathBuf) {
    let place = format!("drystone-ranks-{name}-{ranks}-{}", std::process::id());
    let place = std::env::temp_dir().join(place);
    let record = |mut simulation: Simulation| {
        simulation.gather_seldom();
        let options = RecordOptions { force: true, pictures: false };
        simulation.record_to(&place, options).unwrap();
        simulation.run_until(until).unwrap();
        simulation.finish().unwrap()
    };
    if ranks == 0 {
        return (record(simulation(name)), place);
    }
    let ends = on_ranks(ranks, Duration::ZERO, |exchange| {
        simulation(name).share_among(exchange).unwrap().map(record)
    });
    (ends.into_iter().flatten().next().expect("the first rank records"), place)
}

fn file(place: &Path, name: &str) -> Vec<u8> {
    std::fs::read(place.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Bodies and contacts are brought to the first rank for frames and where the verdict asks for them, and given back.
#[test]
fn a_record_is_that_of_one_process() {
    let (wanted, alone) = recorded("pour", 0.32, 0);
    assert!(wanted.ranks.is_empty());
    for ranks in [1, 3] {
        let (found, together) = recorded("pour", 0.32, ranks);
        assert_eq!(found.state_hash, wanted.state_hash);
        assert_eq!(found.verdict, wanted.verdict);
        assert_eq!((found.contacts, found.bodies), (wanted.contacts, wanted.bodies));
        for name in ["record/000006.npz", "ledger.csv", "steps.csv", "boundaries.csv"] {
            assert!(file(&together, name) == file(&alone, name), "{name} on {ranks}");
        }
        assert_eq!(found.ranks.len(), ranks);
        let bodies: u64 = found.ranks.iter().map(|rank| rank.bodies).sum();
        assert_eq!(bodies as usize, found.bodies);
        let last = found.ranks.last().unwrap();
        assert_eq!(last.steps, found.steps);
        assert_eq!(last.pass_bytes > 0 && last.pass_messages > 0, ranks > 1);
        std::fs::remove_dir_all(together).unwrap();
    }
    std::fs::remove_dir_all(alone).unwrap();
}

/// What is read between steps is as it is then, unless it was said that it need not be.
#[test]
fn what_is_read_is_as_it_is_now() {
    let mut alone = simulation("drum");
    alone.run_until(0.01).unwrap();
    let ends = on_ranks(2, Duration::ZERO, |exchange| {
        let mut simulation = simulation("drum").share_among(exchange).unwrap()?;
        simulation.run_until(0.01).unwrap();
        let now = simulation.state_hash();
        simulation.gather_seldom();
        simulation.run_until(0.015).unwrap();
        simulation.gather();
        Some((now, simulation.state_hash()))
    });
    let now = alone.state_hash();
    alone.run_until(0.015).unwrap();
    assert_eq!(ends, [Some((now, alone.state_hash())), None]);
}

/// What several ranks cannot compute together the first computes.
#[test]
fn the_first_computes_alone_what_cannot_be_shared() {
    for (name, what) in [("slider_crank", "joints"), ("rolling_disk", "laws")] {
        let mut alone = simulation(name);
        assert_eq!(alone.computed_alone(), None);
        for _ in 0..5 {
            alone.step().unwrap();
        }
        let ends = on_ranks(3, Duration::ZERO, |exchange| {
            let mut simulation = simulation(name).share_among(exchange).unwrap()?;
            assert!(simulation.computed_alone().is_some_and(|why| why.contains(what)));
            for _ in 0..5 {
                simulation.step().unwrap();
            }
            Some(simulation.state_hash())
        });
        assert_eq!(ends, [Some(alone.state_hash()), None, None]);
    }
}
