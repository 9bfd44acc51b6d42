//! What a step of a large scene would take on many cores: a model of its cost, fed with the exchange of a scene.
//!
//! ```text
//! cargo run --release -p drystone-distributed --example scaling -- SCENE.toml STEPS
//! ```
//!
//! The scene, of disks or balls, is computed for so many steps, and then cut among P ranks as `drystone` does it, in Morton's order with as many bodies each,
//! but into as many cells as there must be; contacts are coloured, first those within ranks and then those between, and after each colour
//! each rank tells its neighbours what they have not seen. What each rank computes and says in each colour is counted, not modelled. With
//! n contacts in a colour, and messages with b bytes, a colour of a sweep then takes
//!
//! ```text
//! the longest of all ranks:  c n + Σ messages (α + b / β)
//! ```
//!
//! and each time that all ranks meet takes α log₂ P. A step has some sweeps, a meeting in each and so many besides, so many exchanges
//! with all neighbours, and takes d for each body, own or followed. Parameters are those of docs/distributed.md, and can be given:
//! `c=1e-7 d=6e-7 alpha=2e-6 beta=1e10 sweeps=15 meetings=31 exchanges=11`. `ping_pong.rs` measures α and β, `cost.rs` counts meetings.
//!
//! Weak scaling keeps the bodies of a rank. The busiest rank then computes and says the same for any number of
//! ranks; only meetings grow.

use drystone_engine::{Dimension, Owner, World, with_world};
use drystone_space::Vector;
use std::collections::{BTreeSet, HashMap};
use std::error::Error;
use std::path::Path;

/// Ranks that the run is cut among.
const RANKS: [usize; 8] = [1, 2, 8, 32, 128, 512, 2048, 8192];
/// Ranks that weak scaling is told for.
const WEAK: [usize; 6] = [1, 8, 64, 512, 4096, 10_000];
/// No more than this many bodies must a rank have for its exchange to be that of a rank in a larger scene.
const SHARES: [usize; 2] = [1_000, 10_000];

/// What a machine and a scene need.
struct Costs {
    /// Time for a contact in a sweep.
    c: f64,
    /// Time for a body in a step, all but sweeps.
    d: f64,
    /// Latency of a message.
    alpha: f64,
    /// Bytes in a second.
    beta: f64,
    /// Sweeps in a step.
    sweeps: f64,
    /// Meetings of all ranks in a step besides those of sweeps.
    meetings: f64,
    /// Exchanges with all neighbours in a step, those within sweeps apart.
    exchanges: f64,
}

impl Costs {
    fn new(given: &[String]) -> Result<Self, Box<dyn Error>> {
        let mut costs = Self {
            c: 1e-7,
            d: 6e-7,
            alpha: 2e-6,
            beta: 1e10,
            sweeps: 15.0,
            meetings: 31.0,
            exchanges: 11.0,
        };
        for text in given {
            let (key, value) =
                text.split_once('=').ok_or(format!("found {text}, expected KEY=VALUE"))?;
            let place = match key {
                "c" => &mut costs.c,
                "d" => &mut costs.d,
                "alpha" => &mut costs.alpha,
                "beta" => &mut costs.beta,
                "sweeps" => &mut costs.sweeps,
                "meetings" => &mut costs.meetings,
                "exchanges" => &mut costs.exchanges,
                _ => return Err(format!("no parameter {key}").into()),
            };
            *place = value.parse()?;
        }
        Ok(costs)
    }
}

/// A scene at one moment: where bodies are, and which of them touch; `None` is a boundary.
struct Scene {
    places: Vec<[f64; 3]>,
    contacts: Vec<(u32, Option<u32>)>,
    dimension: usize,
}

impl Scene {
    fn of<S: Dimension>(world: &World<S>) -> Self {
        let place = |at: S::Vector| {
            std::array::from_fn(|axis| if axis < S::DIMENSION { at.get(axis) } else { 0.0 })
        };
        let places = world.bodies().iter().map(|body| place(body.pose.position)).collect();
        let contacts =
            world.contacts().iter().filter_map(|contact| match (contact.first, contact.second) {
                (Owner::Body(one), Owner::Body(other)) => Some((one, Some(other))),
                (Owner::Body(one), _) | (_, Owner::Body(one)) => Some((one, None)),
                _ => None,
            });
        Self { places, contacts: contacts.collect(), dimension: S::DIMENSION }
    }

    /// The rank of each body, where so many have as many bodies each, in Morton's order.
    fn cut(&self, ranks: usize) -> Vec<u32> {
        let (mut low, mut high) = ([f64::MAX; 3], [f64::MIN; 3]);
        for at in &self.places {
            for axis in 0..3 {
                (low[axis], high[axis]) = (low[axis].min(at[axis]), high[axis].max(at[axis]));
            }
        }
        let size = (0..3).fold(1e-300, |size: f64, axis| size.max(high[axis] - low[axis]));
        let key = |at: &[f64; 3]| {
            let cell = |axis: usize| (1023.0 * (at[axis] - low[axis]) / size) as u32;
            let bit = |axis: usize, bit: usize| u64::from(cell(axis) >> bit & 1);
            (0..3 * 10).fold(0, |key, place| key | bit(place % 3, place / 3) << place)
        };
        let mut order: Vec<u32> = (0..self.places.len() as u32).collect();
        order.sort_by_cached_key(|&body| key(&self.places[body as usize]));
        let mut owners = vec![0; order.len()];
        for (place, &body) in order.iter().enumerate() {
            owners[body as usize] = (place * ranks / order.len()) as u32;
        }
        owners
    }

    /// A colour for each contact, so that no body has one twice: within ranks first.
    fn colours(&self, owners: &[u32]) -> Vec<u32> {
        let mut used = vec![0u64; self.places.len()];
        let mut colours = vec![0; self.contacts.len()];
        let within = |one: u32, other: Option<u32>| {
            other.is_none_or(|other| owners[one as usize] == owners[other as usize])
        };
        for inner in [true, false] {
            for (colour, &(one, other)) in colours.iter_mut().zip(&self.contacts) {
                if within(one, other) != inner {
                    continue;
                }
                let taken = used[one as usize] | other.map_or(0, |other| used[other as usize]);
                *colour = (!taken).trailing_zeros();
                used[one as usize] |= 1 << *colour;
                if let Some(other) = other {
                    used[other as usize] |= 1 << *colour;
                }
            }
        }
        colours
    }

    /// What ranks compute and say.
    fn exchange(&self, ranks: usize) -> Exchange {
        let owners = self.cut(ranks);
        let owner = |body: u32| owners[body as usize];
        let colours = self.colours(&owners);
        let count = colours.iter().max().map_or(0, |most| *most as usize + 1);
        // The ranks that have a contact on a body, its own left out.
        let mut wanted: HashMap<u32, Vec<u32>> = HashMap::new();
        for &(one, other) in &self.contacts {
            for (body, other) in [(one, other), (other.unwrap_or(one), Some(one))] {
                if let Some(other) = other.filter(|&other| owner(other) != owner(body)) {
                    let ranks = wanted.entry(body).or_default();
                    if !ranks.contains(&owner(other)) {
                        ranks.push(owner(other));
                    }
                }
            }
        }
        let mut neighbours = vec![BTreeSet::<u32>::new(); ranks];
        for (&body, ranks) in &wanted {
            neighbours[owner(body) as usize].extend(ranks);
        }
        let mut exchange = Exchange {
            neighbours: neighbours.iter().map(BTreeSet::len).max().unwrap_or(0),
            bodies: vec![0; ranks],
            computed: vec![vec![0; ranks]; count],
            said: vec![HashMap::new(); count],
            velocity: if self.dimension == 3 { 48.0 } else { 24.0 },
        };
        owners.iter().for_each(|&owner| exchange.bodies[owner as usize] += 1);
        wanted.values().flatten().for_each(|&rank| exchange.bodies[rank as usize] += 1);
        for (&(one, other), &colour) in self.contacts.iter().zip(&colours) {
            let colour = colour as usize;
            exchange.computed[colour][owner(one) as usize] += 1;
            let partner = other.map_or(owner(one), owner);
            if partner != owner(one) {
                exchange.computed[colour][partner as usize] += 1;
            }
            for body in [Some(one), other].into_iter().flatten() {
                let seen = if owner(body) == partner { owner(one) } else { partner };
                for &to in wanted.get(&body).into_iter().flatten().filter(|&&to| to != seen) {
                    *exchange.said[colour].entry((owner(body), to)).or_default() += 1;
                }
            }
        }
        exchange
    }
}

/// What ranks compute and say, by colours.
struct Exchange {
    /// Neighbours of the rank that has most of them.
    neighbours: usize,
    /// Bodies of each rank, own and followed.
    bodies: Vec<u64>,
    /// Contacts of each.
    computed: Vec<Vec<u64>>,
    /// Velocities from one to another.
    said: Vec<HashMap<(u32, u32), u64>>,
    /// Bytes of one.
    velocity: f64,
}

/// Times of a step.
struct Times {
    sweeps: f64,
    rest: f64,
    neighbours: f64,
    messages: f64,
    bytes: f64,
}

impl Exchange {
    /// Without meetings; messages and bytes are those of the busiest rank in a sweep.
    fn times(&self, costs: &Costs) -> Times {
        let ranks = self.bodies.len();
        let mut sweep = 0.0;
        let (mut messages, mut bytes) = (vec![0.0; ranks], vec![0.0; ranks]);
        for (computed, said) in self.computed.iter().zip(&self.said) {
            let mut time: Vec<f64> = computed.iter().map(|&n| costs.c * n as f64).collect();
            for (&(from, to), &velocities) in said {
                let size = self.velocity * velocities as f64;
                time[from as usize] += costs.alpha + size / costs.beta;
                time[to as usize] += costs.alpha + size / costs.beta;
                messages[from as usize] += 1.0;
                bytes[from as usize] += size;
            }
            sweep += time.iter().fold(0.0, |most: f64, &time| most.max(time));
        }
        let most = |of: &[f64]| of.iter().fold(0.0, |most: f64, &one| most.max(one));
        let bodies = self.bodies.iter().max().copied().unwrap_or(0) as f64;
        Times {
            sweeps: costs.sweeps * sweep,
            rest: costs.d * bodies,
            neighbours: self.neighbours as f64,
            messages: most(&messages),
            bytes: most(&bytes),
        }
    }
}

/// Time of a step with its meetings.
fn step(times: &Times, ranks: usize, costs: &Costs) -> f64 {
    let meetings = (costs.sweeps + costs.meetings) * (ranks as f64).log2().ceil();
    let messages = meetings + costs.exchanges * times.neighbours;
    times.sweeps + times.rest + messages * costs.alpha
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, scene, steps, given @ ..] = &arguments[..] else {
        return Err("usage: scaling SCENE STEPS [KEY=VALUE …]".into());
    };
    let (steps, costs) = (steps.parse::<usize>()?, Costs::new(given)?);
    let mut scene = drystone_scene::Scene::read(Path::new(scene)).map_err(|e| e.to_string())?;
    let scene = with_world!(scene.take_world()?, world => {
        let mut world = world;
        for _ in 0..steps {
            world.step()?;
        }
        Scene::of(&world)
    });
    println!("{} bodies, {} contacts", scene.places.len(), scene.contacts.len());
    let all: Vec<(usize, Times)> =
        RANKS.iter().map(|&ranks| (ranks, scene.exchange(ranks).times(&costs))).collect();
    strong(&all, &costs);
    SHARES.iter().for_each(|&share| weak(&all, scene.places.len(), share, &costs));
    Ok(())
}

/// Prints strong scaling.
fn strong(all: &[(usize, Times)], costs: &Costs) {
    println!("\nstrong scaling: messages and bytes of the busiest rank in a sweep");
    println!("| ranks | messages | bytes | neighbours | step | speed-up |");
    println!("|---|---|---|---|---|---|");
    let one = step(&all[0].1, 1, costs);
    for (ranks, times) in all {
        let time = step(times, *ranks, costs);
        let Times { messages, bytes, neighbours, .. } = times;
        let up = one / time;
        println!(
            "| {ranks} | {messages:.0} | {bytes:.0} | {neighbours} | {:.2} ms | {up:.1} |",
            1e3 * time
        );
    }
}

/// Prints weak scaling with about so many bodies on each rank.
fn weak(all: &[(usize, Times)], bodies: usize, share: usize, costs: &Costs) {
    let far = |ranks: usize| (bodies as f64 / ranks as f64 / share as f64).ln().abs();
    let nearest = all.iter().skip(1).min_by(|a, b| far(a.0).total_cmp(&far(b.0)));
    let (ranks, times) = nearest.expect("there are some");
    let share = bodies / ranks;
    // One rank alone has the work and nobody to talk to.
    let alone = step(&all[0].1, 1, costs) / *ranks as f64;
    println!(
        "\nweak scaling: {share} bodies on each rank, {:.2} ms a step on one alone",
        1e3 * alone
    );
    println!("| ranks | step | efficiency |");
    println!("|---|---|---|");
    for ranks in WEAK {
        let time = if ranks == 1 { alone } else { step(times, ranks, costs) };
        println!("| {ranks} | {:.2} ms | {:.2} |", 1e3 * time, alone / time);
    }
}
