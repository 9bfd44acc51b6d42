//! What each rank of a scene computes, says and holds, told step by step: ranks are threads of this process, each of which counts the
//! memory that it has taken.
//!
//! ```text
//! cargo run --release -p drystone-distributed --example cost -- SCENE.toml STEPS RANKS …
//! ```

use drystone_distributed::counting::{Counting, Traffic};
use drystone_distributed::threads::on_ranks;
use drystone_engine::{Dimension, RankParams, Share, World, with_world};
use drystone_scene::{Scene, with_setup};
use drystone_solve::{Exchange, Letters};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

thread_local! {
    /// Bytes that this thread has taken and not given back, and the most of them.
    static HELD: Cell<[i64; 2]> = const { Cell::new([0; 2]) };
}

fn hold(more: i64) {
    let _ = HELD.try_with(|held| {
        let [now, most] = held.get();
        held.set([now + more, most.max(now + more)]);
    });
}

/// The most since the last time, in MB.
fn most() -> f64 {
    HELD.with(|held| {
        let [now, most] = held.get();
        held.set([now, now]);
        1e-6 * most as f64
    })
}

struct PerThread;

// SAFETY: the system's allocator does all.
unsafe impl GlobalAlloc for PerThread {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        hold(layout.size() as i64);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        hold(-(layout.size() as i64));
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static MEMORY: PerThread = PerThread;

/// A rank whose messages belong to who has them: one takes them and another gives them back.
#[derive(Debug)]
struct Handing(Arc<dyn Exchange>);

impl Exchange for Handing {
    fn rank(&self) -> usize {
        self.0.rank()
    }
    fn ranks(&self) -> usize {
        self.0.ranks()
    }
    fn swap(&self, outgoing: Letters, from: &[usize]) -> Vec<Vec<u8>> {
        let held = |letter: &Vec<u8>| letter.capacity() as i64;
        let given: i64 = outgoing.iter().map(|(_, letter)| held(letter)).sum();
        let incoming = self.0.swap(outgoing, from);
        hold(incoming.iter().map(held).sum::<i64>() - given);
        incoming
    }
}

/// What a rank has done.
#[derive(Debug, Default)]
struct Done {
    traffic: Traffic,
    share: Share,
    sweeps: usize,
    /// Most memory while the scene is read, in steps, and as the whole is gathered, in MB.
    held: [f64; 3],
    hash: u64,
    /// Processor time of steps, in s.
    seconds: f64,
}

/// Processor time of this thread.
fn processor_seconds() -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = told.split(' ').next().and_then(|word| word.parse::<f64>().ok());
    1e-9 * nanoseconds.unwrap_or(0.0)
}

fn run<S: Dimension>(world: World<S>, exchange: &Arc<Counting>, steps: u64) -> Done {
    let mut done = Done::default();
    let (mut part, mut whole) = world.share_among(Arc::<Counting>::clone(exchange)).unwrap();
    done.held[0] = most();
    let (before, began) = (exchange.traffic(), processor_seconds());
    for step in 0..steps {
        if let Some(whole) = whole.take() {
            part.lend_whole(whole);
        }
        done.sweeps += part.step().unwrap().iterations;
        part.inform_whole();
        whole = part.return_whole();
        if part.may_forget_whole() {
            part.forget_whole();
            if let Some(whole) = &mut whole {
                whole.give_back();
            }
        }
        if step == 1 {
            most();
        }
    }
    done.seconds = processor_seconds() - began;
    done.held[1] = most();
    done.traffic = since(&before, &exchange.traffic());
    done.share = part.share();
    if let Some(whole) = whole.take() {
        part.lend_whole(whole);
    }
    part.gather(false);
    done.held[2] = most();
    done.hash = part.return_whole().map_or(0, |whole| whole.state_hash());
    done
}

fn since(before: &Traffic, now: &Traffic) -> Traffic {
    Traffic {
        meetings: now.meetings - before.meetings,
        messages: now.messages - before.messages,
        bytes: now.bytes - before.bytes,
        passes: now.passes - before.passes,
        pass_messages: now.pass_messages - before.pass_messages,
        pass_bytes: now.pass_bytes - before.pass_bytes,
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, scene, steps, ranks @ ..] = &arguments[..] else {
        return Err("usage: cost SCENE STEPS RANKS …".into());
    };
    let steps: u64 = steps.parse()?;
    println!(
        "ranks rank bodies ghosts contacts | step: meetings messages MB | sweep: messages kB | MB: start steps gather | s"
    );
    for ranks in ranks {
        let ranks: usize = ranks.parse()?;
        let all = on_ranks(ranks, Duration::ZERO, |rank| {
            let exchange = Arc::new(Counting::new(Arc::new(Handing(rank))));
            let mut scene = Scene::read(Path::new(scene)).unwrap_or_else(|error| panic!("{error}"));
            with_setup!(&mut scene.setup, setup => {
                setup.params.ranks = RankParams { many: 0, pause: 0 };
            });
            let world = scene.take_world().unwrap_or_else(|error| panic!("{error}"));
            drop(scene);
            with_world!(world, world => run(world, &exchange, steps))
        });
        for (rank, done) in all.iter().enumerate() {
            let Done { traffic, share, sweeps, held, seconds, .. } = done;
            let (steps, sweeps) = (steps as f64, (*sweeps).max(1) as f64);
            println!(
                "{ranks} {rank} {} {} {} | {:.0} {:.0} {:.3} | {:.1} {:.2} | {:.1} {:.1} {:.1} | {seconds:.2}",
                share.bodies,
                share.ghosts,
                share.contacts,
                traffic.meetings as f64 / steps,
                traffic.messages as f64 / steps,
                1e-6 * traffic.bytes as f64 / steps,
                traffic.pass_messages as f64 / sweeps,
                1e-3 * traffic.pass_bytes as f64 / sweeps,
                held[0],
                held[1],
                held[2],
            );
        }
        println!("state {:016x}, {} sweeps", all[0].hash, all[0].sweeps);
    }
    Ok(())
}
