//! What a contact problem leaves open (Moreau 2003, §8.2).
//!
//! With dry friction between rigid bodies, equilibrium and laws may not determine the impulses.
//! Gauss–Seidel can explore the set of solutions: solve the same problem many times, from random
//! impulses within the cones, or from zero in random orders of the sweep. Each solution that meets
//! the tolerance is one point of a cloud; its ranges bound the set from within.

use crate::{Block, Blocks, Contact, ContactProblem, Nlgs, NlgsParams, Solution};
use crate::{SolveReport, Status, SweepOrder, Threads};
use drystone_space::{Local, Random, Vector, math};
use rayon::prelude::*;

/// Samples that are held in memory at a time.
const BATCH: usize = 64;

/// What differs from sample to sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Vary {
    /// The impulses from which the sweeps start.
    #[default]
    Start,
    /// The order of the sweep; the start is zero.
    Order,
}

/// How a problem is explored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExploreParams {
    /// What differs from sample to sample.
    pub vary: Vary,
    /// Number of solves.
    pub samples: usize,
    /// Seed of starts or orders.
    pub seed: u64,
    /// By which factor starts may be below and above the typical impulse of the problem.
    pub spread: f64,
    /// How each sample is solved; its order is replaced where the order varies.
    pub solver: NlgsParams,
}

impl Default for ExploreParams {
    /// Plain sweeps: carried on by momentum they could overshoot, and end at the edges too often.
    fn default() -> Self {
        let solver = NlgsParams { tolerance: 1e-8, momentum: false, ..NlgsParams::default() };
        Self { vary: Vary::Start, samples: 1000, seed: 1, spread: 10.0, solver }
    }
}

/// The range that a contact's impulse or velocity has over the samples, component by component.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range<S: Blocks> {
    /// Lowest normal component.
    pub low_normal: f64,
    /// Highest normal component.
    pub high_normal: f64,
    /// Lowest tangential components.
    pub low_tangent: S::Tangent,
    /// Highest tangential components.
    pub high_tangent: S::Tangent,
}

impl<S: Blocks> Range<S> {
    fn empty() -> Self {
        Self {
            low_normal: f64::INFINITY,
            high_normal: f64::NEG_INFINITY,
            low_tangent: S::Tangent::splat(f64::INFINITY),
            high_tangent: S::Tangent::splat(f64::NEG_INFINITY),
        }
    }
    fn include(&mut self, value: S::Local) {
        self.low_normal = self.low_normal.min(value.normal());
        self.high_normal = self.high_normal.max(value.normal());
        self.low_tangent = self.low_tangent.lowest(value.tangent());
        self.high_tangent = self.high_tangent.highest(value.tangent());
    }
    /// Lowest and highest of component `index`: 0 is the normal one.
    pub fn component(&self, index: usize) -> (f64, f64) {
        match index {
            0 => (self.low_normal, self.high_normal),
            i => (self.low_tangent.get(i - 1), self.high_tangent.get(i - 1)),
        }
    }
    /// The widest component's width.
    pub fn width(&self) -> f64 {
        let widths = (0..S::DIMENSION).map(|index| self.component(index));
        widths.map(|(low, high)| high - low).fold(0.0, f64::max)
    }
}

/// What the solutions that were found have in common, and what not.
#[derive(Clone, Debug, PartialEq)]
pub struct Exploration<S: Blocks> {
    /// How many samples met the tolerance; the others are left out.
    pub solved: usize,
    /// Range of each contact's impulse.
    pub impulses: Vec<Range<S>>,
    /// Range of each contact's velocity.
    pub velocities: Vec<Range<S>>,
    /// Largest impulse of any sample; the measure of the impulses' ranges.
    pub impulse_size: f64,
    /// Largest contact velocity without impulses; the measure of the velocities' ranges.
    pub velocity_size: f64,
    /// Ranges below this share of the size are errors of the solver.
    pub resolution: f64,
}

impl<S: Blocks> Exploration<S> {
    /// Whether all samples have the same impulse at this contact.
    pub fn is_determined(&self, contact: usize) -> bool {
        self.impulses[contact].width() <= self.resolution * self.impulse_size
    }
    /// Whether all samples have the same normal impulse at this contact.
    pub fn is_normal_determined(&self, contact: usize) -> bool {
        let (low, high) = self.impulses[contact].component(0);
        high - low <= self.resolution * self.impulse_size
    }
    /// The widest range of any contact's velocity, relative to the size of velocities.
    pub fn velocity_spread(&self) -> f64 {
        let widest = self.velocities.iter().map(Range::width).fold(0.0, f64::max);
        if widest > 0.0 { widest / self.velocity_size } else { 0.0 }
    }
    /// Whether all samples have the same velocities.
    pub fn velocities_are_unique(&self) -> bool {
        self.velocity_spread() <= self.resolution
    }

    fn absorb(&mut self, problem: &ContactProblem<S>, solution: &Solution<S>) {
        self.solved += 1;
        let velocities = problem.contacts.iter();
        let velocities = velocities.map(|c| c.offset + c.map.to_contact(&solution.twists));
        for (range, velocity) in self.velocities.iter_mut().zip(velocities) {
            range.include(velocity);
        }
        for (range, &impulse) in self.impulses.iter_mut().zip(&solution.impulses) {
            range.include(impulse);
            self.impulse_size = self.impulse_size.max(size::<S>(impulse));
        }
    }
}

/// The size of impulses: the largest of the known solution, or the largest that stops a contact by
/// itself.
fn typical_impulse<S: Blocks>(problem: &ContactProblem<S>, known: &Solution<S>) -> f64 {
    let stop = |contact: &Contact<S>| {
        size::<S>(free_velocity(problem, contact)) * S::DIMENSION as f64 / contact.block.trace()
    };
    let stops = problem.contacts.iter().map(stop);
    known.impulses.iter().map(|&impulse| size::<S>(impulse)).chain(stops).fold(0.0, f64::max)
}

/// The velocity that a contact's law would see without impulses.
fn free_velocity<S: Blocks>(problem: &ContactProblem<S>, contact: &Contact<S>) -> S::Local {
    contact.offset + contact.map.to_contact(&problem.free)
}

fn size<S: Blocks>(vector: S::Local) -> f64 {
    vector.dot(vector).sqrt()
}

/// Solves `problem` many times and shows every solution to `each`, in an order that does not depend
/// on the threads. Impulses to start from are drawn about the size of those of a `known` solution,
/// which may be zero.
pub fn explore<S: Blocks>(
    problem: &ContactProblem<S>,
    known: &Solution<S>,
    params: &ExploreParams,
    threads: &Threads,
    mut each: impl FnMut(&Solution<S>, &SolveReport),
) -> Exploration<S> {
    let count = problem.contacts.len();
    let free = |contact: &Contact<S>| size::<S>(free_velocity(problem, contact));
    let mut exploration = Exploration {
        solved: 0,
        impulses: vec![Range::empty(); count],
        velocities: vec![Range::empty(); count],
        impulse_size: 0.0,
        velocity_size: problem.contacts.iter().map(free).fold(0.0, f64::max),
        // Errors of the impulses can be far above the residual where the problem is hard.
        resolution: params.solver.tolerance.sqrt(),
    };
    let typical = typical_impulse(problem, known);
    let seeds: Vec<u64> = (0..params.samples as u64).collect();
    for batch in seeds.chunks(BATCH) {
        let solved: Vec<_> = threads.run(|| {
            batch.par_iter().map(|&sample| solve(problem, sample, typical, params)).collect()
        });
        for (report, solution) in solved {
            if report.status == Status::Solved {
                exploration.absorb(problem, &solution);
                each(&solution, &report);
            }
        }
    }
    exploration
}

/// One sample.
fn solve<S: Blocks>(
    problem: &ContactProblem<S>,
    sample: u64,
    typical: f64,
    params: &ExploreParams,
) -> (SolveReport, Solution<S>) {
    let mut random = Random::new(params.seed, sample);
    let mut solver = params.solver;
    let impulses = match params.vary {
        Vary::Start => {
            // Evenly spread over the decades, so that weakly and strongly wedged starts both occur.
            let bound = typical * math::powf(params.spread, random.between(-1.0, 1.0));
            random_impulses(problem, bound, &mut random)
        }
        Vary::Order => {
            solver.order = SweepOrder::Shuffled(random.seed());
            vec![S::Local::ZERO; problem.contacts.len()]
        }
    };
    let couples = vec![S::Local::ZERO; problem.specials.len()];
    let mut solution = Solution { impulses, couples, twists: Vec::new() };
    let report = Nlgs::default().solve(problem, &mut solution, &solver, &Threads::one());
    (report, solution)
}

/// Impulses in the cones: normal ones up to a bound, tangential ones anywhere in the section.
fn random_impulses<S: Blocks>(
    problem: &ContactProblem<S>,
    bound: f64,
    random: &mut Random,
) -> Vec<S::Local> {
    let draw = |contact: &Contact<S>| {
        let normal = random.between(0.0, bound);
        let tangent = loop {
            let tangent = S::Tangent::from_fn(|_| random.between(-1.0, 1.0));
            if tangent.norm_squared() <= 1.0 {
                break tangent;
            }
        };
        S::Local::new(normal, tangent * (contact.law.friction() * normal))
    };
    problem.contacts.iter().map(draw).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ContactMap, GROUND, Law, Mover, Twist};
    use drystone_space::{DVec2, Frame, Local2, Plane, PlaneFrame};

    /// A unit weight (per step) on points at −1, 0 and 1 with friction 0.5.
    fn beam() -> ContactProblem<Plane> {
        let movers = vec![Mover { inverse_mass: 1.0, inverse_inertia: 3.0 }];
        let contact = |x: f64| {
            let map = ContactMap {
                first: 0,
                second: GROUND,
                frame: PlaneFrame::from_normal(DVec2::Y),
                arm_first: DVec2::new(x, -0.1),
                arm_second: DVec2::ZERO,
            };
            Contact::new(map, Local2::default(), Law::Coulomb(0.5), &movers, 1.0)
        };
        let contacts = [-1.0, 0.0, 1.0].map(contact).to_vec();
        let free = vec![Twist { velocity: DVec2::new(0.0, -1.0), spin: 0.0 }];
        ContactProblem { movers, free, contacts, ..Default::default() }
    }

    fn nothing() -> Solution<Plane> {
        Solution::default()
    }

    /// Balance: n₀ = n₂, n₀ + n₁ + n₂ = 1, t₀ + t₁ + t₂ = 0. With |t| ≤ n/2 the middle contact can
    /// have exactly the forces with |t₁| ≤ min(n₁, 1 − n₁)/2.
    #[test]
    fn the_cloud_is_in_the_admissible_set_and_fills_it() {
        let problem = beam();
        let params = ExploreParams { samples: 2000, ..Default::default() };
        let mut fill = [[false; 4]; 4];
        let found = explore(&problem, &nothing(), &params, &Threads::one(), |solution, report| {
            let [left, middle, right] = solution.impulses[..] else { panic!("three contacts") };
            assert!(report.residual.within(1e-8));
            assert!((left.n - right.n).abs() < 1e-6 && (left.n + middle.n + right.n - 1.0) < 1e-6);
            assert!((left.t + middle.t + right.t).abs() < 1e-6);
            assert!(middle.t.abs() <= 0.5 * middle.n.min(1.0 - middle.n) + 1e-6, "{middle:?}");
            // Cells of that rhombus, along its edges.
            let cell = |s: f64| ((4.0 * s) as usize).min(3);
            fill[cell(middle.n + 2.0 * middle.t)][cell(middle.n - 2.0 * middle.t)] = true;
        });
        assert_eq!(found.solved, 2000);
        let filled = fill.iter().flatten().filter(|&&cell| cell).count();
        assert!(filled >= 14, "{fill:?}");
        assert!(found.velocities_are_unique(), "{}", found.velocity_spread());
        assert!((0..3).all(|i| !found.is_determined(i) && !found.is_normal_determined(i)));
        let (low, high) = found.impulses[1].component(0);
        assert!(low < 0.05 && high > 0.9, "{low} {high}");
    }

    #[test]
    fn without_the_third_support_all_but_friction_is_determined() {
        let mut problem = beam();
        problem.contacts.remove(1);
        let found =
            explore(&problem, &nothing(), &ExploreParams::default(), &Threads::one(), |_, _| {});
        // Each carries half; the two friction forces cancel, within the cones.
        for (contact, range) in found.impulses.iter().enumerate() {
            assert!(found.is_normal_determined(contact) && !found.is_determined(contact));
            assert!((range.low_normal - 0.5).abs() < 1e-6, "{range:?}");
            assert!(range.high_tangent <= 0.25 + 1e-6 && range.high_tangent > 0.2, "{range:?}");
        }
    }

    #[test]
    fn orders_show_other_solutions_too() {
        let params = ExploreParams { vary: Vary::Order, samples: 50, ..Default::default() };
        let found = explore(&beam(), &nothing(), &params, &Threads::one(), |_, _| {});
        assert!(found.solved == 50 && !found.is_normal_determined(1));
        // Nothing pushes sideways from a start at zero.
        assert!(found.impulses[1].component(1).1 < 1e-12);
    }

    #[test]
    fn threads_do_not_change_the_samples() {
        let params = ExploreParams { samples: 130, ..Default::default() };
        let cloud = |threads: usize| {
            let mut impulses = Vec::new();
            let threads = Threads::new(threads);
            let keep = |s: &Solution<Plane>, _: &SolveReport| impulses.extend(s.impulses.clone());
            let found = explore(&beam(), &nothing(), &params, &threads, keep);
            (impulses, found)
        };
        assert_eq!(cloud(1), cloud(3));
        let other = ExploreParams { seed: 2, ..params };
        let found = explore(&beam(), &nothing(), &other, &Threads::one(), |_, _| {});
        assert_ne!(found, cloud(1).1, "another seed gives another cloud");
    }
}
