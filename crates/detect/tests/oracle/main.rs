//! Every pair test held against an oracle: signed distances by other methods than those of the pair tests, with bounds on both
//! sides (`distance.rs`), over random pairs of many families (`volume.rs`, `plane.rs`). `hold.rs` says what must hold.
//!
//! A seeded share is tested each time; `cargo test -p drystone-detect --test oracle -- --ignored --nocapture` tests
//! more than two million pairs and prints how many of which family (`ORACLE_PAIRS` and `ORACLE_SEED` change number and seed).
//! With the seeds 1, 2, 3 and 5 all held, before rounded shapes were added. Frusta are held by other means (`curved.rs`).

mod cases;
mod curved;
mod distance;
mod hold;
mod pairs;
mod plane;
mod volume;

use drystone_space::Random;
use hold::{Known, Verdict, hold};
use pairs::{GAPS, Pair};
use std::collections::BTreeMap;
use std::ops::Range;

#[derive(Default)]
struct Tally {
    by_family: BTreeMap<(String, &'static str), u64>,
    by_gap: [u64; GAPS.len()],
    unsure: u64,
    failures: BTreeMap<&'static str, u64>,
    examples: Vec<String>,
}

impl Tally {
    fn add<S: Known>(&mut self, family: String, lay: &'static str, pair: &Pair<S>) {
        let [a, b] = &pair.placed;
        match hold(a, b, &pair.margins) {
            Verdict::Holds => {}
            Verdict::Unsure => self.unsure += 1,
            Verdict::Fails(what, by) => {
                *self.failures.entry(what).or_default() += 1;
                if self.examples.len() < 10 {
                    let (gap, margins) = (GAPS[pair.gap], &pair.margins);
                    self.examples.push(format!(
                        "{what} by {by:e} of the size: {family}, {lay}, {gap}, margins {margins:?}\n  {a:?}\n  {b:?}"
                    ));
                }
            }
        }
        self.by_gap[pair.gap] += 1;
        *self.by_family.entry((family, lay)).or_default() += 1;
    }
    fn total(&self) -> u64 {
        self.by_gap.iter().sum()
    }
    fn print(&self) {
        for ((family, lay), count) in &self.by_family {
            println!("{count:8}  {family}, {lay}");
        }
        for (gap, count) in GAPS.iter().zip(self.by_gap) {
            println!("{count:8}  {gap}");
        }
        println!("{:8}  in all; the oracle is unsure of {}", self.total(), self.unsure);
    }
    #[track_caller]
    fn verdict(&self) {
        for example in &self.examples {
            println!("{example}");
        }
        assert!(self.failures.is_empty(), "{:?} of {}", self.failures, self.total());
        assert!(self.unsure as f64 <= 1e-3 * self.total() as f64, "unsure of {}", self.unsure);
    }
}

/// All pairs of kinds, laid in all ways, over and over until there are as many as asked for.
fn tally<S: Known>(
    (shapes, fixed): (&[&'static str], &[&'static str]),
    [firsts, seconds]: [Range<usize>; 2],
    lays: &[&'static str],
    pair: fn(usize, usize, usize, &mut Random) -> Option<Pair<S>>,
    count: u64,
    seed: u64,
) -> Tally {
    let (mut tally, mut random) = (Tally::default(), Random::new(seed, 0));
    let name = |kind: usize| *shapes.iter().chain(fixed).nth(kind).unwrap();
    while tally.total() < count {
        for first in firsts.clone() {
            for second in seconds.clone() {
                for (lay, &lay_name) in lays.iter().enumerate() {
                    if let Some(pair) = pair(first, second, lay, &mut random) {
                        tally.add(format!("{} and {}", name(first), name(second)), lay_name, &pair);
                    }
                }
            }
        }
    }
    tally
}

fn of_space(count: u64, seed: u64) -> Tally {
    let names = (&volume::SHAPES[..], &volume::FIXED[..]);
    let (firsts, seconds) = (0..volume::SHAPES.len(), 0..volume::SHAPES.len() + 1);
    tally(names, [firsts, seconds], &volume::LAYS, volume::pair, count, seed)
}

/// Triangles with shapes of some kinds.
fn of_triangles(firsts: Range<usize>, count: u64, seed: u64) -> Tally {
    let (names, triangle) = ((&volume::SHAPES[..], &volume::FIXED[..]), volume::SHAPES.len() + 1);
    let kinds = [firsts, triangle..triangle + 1];
    tally(names, kinds, &volume::LAYS, volume::pair, count, seed)
}

fn of_the_plane(count: u64, seed: u64) -> Tally {
    let names = (&plane::SHAPES[..], &["half-plane"][..]);
    let kinds = [0..plane::SHAPES.len(), 0..plane::SHAPES.len() + 1];
    tally(names, kinds, &plane::LAYS, plane::pair, count, seed)
}

/// Number and seed of the pairs that are looked at by hand.
fn setting(count: u64, seed: u64) -> (u64, u64) {
    let of = |name: &str, default| std::env::var(name).map_or(default, |v| v.parse().unwrap());
    (of("ORACLE_PAIRS", count), of("ORACLE_SEED", seed))
}

#[test]
fn pairs_of_space_agree_with_the_oracle() {
    of_space(250_000, 1).verdict();
}

#[test]
fn pairs_with_triangles_agree_with_the_oracle() {
    of_triangles(0..volume::ROUNDED, 30_000, 1).verdict();
    of_triangles(volume::ROUNDED..volume::SHAPES.len(), 3_000, 1).verdict();
}

#[test]
fn pairs_with_frusta_hold() {
    curved::tally(1_500, 1).verdict();
}

#[test]
#[ignore = "slow: run by hand"]
fn many_pairs_with_frusta_by_hand() {
    let (count, seed) = setting(20_000, 4);
    let tally = curved::tally(count, seed);
    tally.print();
    tally.verdict();
}

#[test]
fn pairs_of_the_plane_agree_with_the_oracle() {
    of_the_plane(150_000, 1).verdict();
}

#[test]
#[ignore = "slow: more than two million pairs, run by hand"]
fn two_million_pairs_by_hand() {
    let (count, seed) = setting(1_000_000, 2);
    let tallies = [
        of_space(count, seed),
        of_triangles(0..volume::SHAPES.len(), count / 2, seed),
        of_the_plane(count, seed),
    ];
    tallies.iter().for_each(Tally::print);
    tallies.iter().for_each(Tally::verdict);
}
