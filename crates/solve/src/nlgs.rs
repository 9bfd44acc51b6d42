//! Nonlinear Gauss–Seidel (Jean & Moreau 1992, (7.4)–(7.5); Moreau 2003, §7.2).
//!
//! One contact after another is given the impulse that satisfies its law while all others are
//! frozen, and the velocities of its two movers follow at once. A cycle's largest change of normal
//! velocity, |H_n ΔP|, tells when to look (Moreau 2003, §7.2); the [`Residual`] decides.
//!
//! Between sweeps a momentum carries impulses and velocities on (see `momentum.rs`).
//!
//! Contacts are swept colour after colour. Contacts of one colour share no mover, so that threads
//! can take them in any order without changing a bit of the result, and a single core can work on
//! several at once instead of waiting for the velocity that the last one wrote.

use crate::block::larger;
use crate::colour::{Colouring, SweepOrder};
use crate::momentum::Momentum;
use crate::problem::add_impulses;
use crate::{Block, Blocks, Contact, ContactProblem, GROUND, Mover, Residual, Solution};
use crate::{Threads, Twist};
use drystone_space::{Frame, Local};
use rayon::prelude::*;

/// Contacts that one thread takes at a time.
const CHUNK: usize = 256;
/// Impulses or velocities that one thread carries on at a time.
const SHARE: usize = 2048;
/// Most sweeps between two looks at the residual.
const LOOK_EVERY: usize = 100;

/// What is asked of the solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NlgsParams {
    /// Both figures of the residual must come below this.
    pub tolerance: f64,
    /// Most sweeps.
    pub max_iterations: usize,
    /// In which order the contacts are swept.
    pub order: SweepOrder,
    /// Whether a momentum carries the impulses on between sweeps.
    pub momentum: bool,
}

impl Default for NlgsParams {
    fn default() -> Self {
        Self {
            tolerance: 1e-4,
            max_iterations: 10_000,
            order: SweepOrder::Coloured,
            momentum: true,
        }
    }
}

/// Whether the tolerance was met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// The residual is within the tolerance.
    #[default]
    Solved,
    /// The iterations ran out before.
    NotSolved,
}

/// How a solve went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolveReport {
    /// Whether the tolerance was met.
    pub status: Status,
    /// Sweeps made.
    pub iterations: usize,
    /// The residual at the end.
    pub residual: Residual,
}

/// Gauss–Seidel with its scratch: nothing is allocated once the buffers have grown.
#[derive(Clone, Debug, Default)]
pub struct Nlgs<S: Blocks> {
    colouring: Colouring,
    contacts: Vec<Contact<S>>,
    impulses: Vec<S::Local>,
    momentum: Momentum<S>,
}

impl<S: Blocks> Nlgs<S> {
    /// Solves `problem` from the impulses that `solution` holds, and leaves its velocities fresh.
    ///
    /// # Panics
    /// If a contact names a mover that does not exist, or the impulses are not one per contact.
    pub fn solve(
        &mut self,
        problem: &ContactProblem<S>,
        solution: &mut Solution<S>,
        params: &NlgsParams,
        threads: &Threads,
    ) -> SolveReport {
        check_indices(problem);
        assert_eq!(problem.contacts.len(), solution.impulses.len(), "one impulse per contact");
        self.permute(problem, &solution.impulses, params.order);
        let report = threads.run(|| {
            State {
                problem,
                contacts: &self.contacts,
                impulses: &mut self.impulses,
                twists: &mut solution.twists,
                colouring: &self.colouring,
                threads: threads.count(),
                momentum: &mut self.momentum,
            }
            .iterate(params)
        });
        for (&index, &impulse) in self.colouring.order.iter().zip(&self.impulses) {
            solution.impulses[index as usize] = impulse;
        }
        report
    }

    /// Lays contacts and impulses out in the order of the sweep.
    fn permute(&mut self, problem: &ContactProblem<S>, impulses: &[S::Local], order: SweepOrder) {
        self.colouring.arrange(problem, order);
        let order = self.colouring.order.iter().map(|&index| index as usize);
        self.contacts.clear();
        self.contacts.extend(order.clone().map(|index| problem.contacts[index]));
        self.impulses.clear();
        self.impulses.extend(order.map(|index| impulses[index]));
    }
}

/// The bounds that the unchecked kernel relies on.
fn check_indices<S: Blocks>(problem: &ContactProblem<S>) {
    let movers = problem.movers.len();
    assert_eq!(problem.free.len(), movers, "one free velocity per mover");
    let fits = |index: u32| (index as usize) < movers;
    let good = problem.contacts.iter().all(|contact| {
        let map = &contact.map;
        fits(map.first) && (map.second == GROUND || fits(map.second)) && map.first != map.second
    });
    assert!(good, "a contact names a mover that does not exist");
}

/// One solve under way.
struct State<'a, S: Blocks> {
    problem: &'a ContactProblem<S>,
    contacts: &'a [Contact<S>],
    impulses: &'a mut [S::Local],
    twists: &'a mut Vec<Twist<S>>,
    colouring: &'a Colouring,
    threads: usize,
    momentum: &'a mut Momentum<S>,
}

impl<S: Blocks> State<'_, S> {
    fn iterate(&mut self, params: &NlgsParams) -> SolveReport {
        let mut residual = self.judge();
        let mut iterations = 0;
        let mut last_look = 0;
        // The change per sweep at which the residual is worth a look: unknown until the first one.
        let mut worth_a_look = f64::INFINITY;
        let chunk = if self.threads > 1 { SHARE } else { usize::MAX };
        self.momentum.begin();
        while !residual.within(params.tolerance) && iterations < params.max_iterations {
            if params.momentum {
                self.momentum.carry_on(self.impulses, self.twists, chunk);
            }
            let change = self.sweep();
            iterations += 1;
            let due = iterations - last_look >= LOOK_EVERY || iterations == params.max_iterations;
            if change <= worth_a_look || due {
                let before = residual.worst();
                residual = self.judge();
                if due {
                    self.momentum.adapt(residual.worst() / before);
                }
                last_look = iterations;
                // Change and residual fall together: look again when the change has fallen as far
                // as the residual still has to.
                let left = (0.7 * params.tolerance / residual.worst()).clamp(0.02, 0.9);
                worth_a_look = change * left;
            }
        }
        let solved = residual.within(params.tolerance);
        let status = if solved { Status::Solved } else { Status::NotSolved };
        SolveReport { status, iterations, residual }
    }

    /// Fresh velocities, and what they are worth.
    fn judge(&mut self) -> Residual {
        self.twists.clear();
        self.twists.extend_from_slice(&self.problem.free);
        add_impulses(self.contacts, self.impulses, &self.problem.movers, self.twists);
        Residual::of_parts(self.problem, self.contacts, self.impulses, self.twists)
    }

    /// One cycle over all contacts; returns the largest |H_n ΔP|.
    fn sweep(&mut self) -> f64 {
        let twists = SharedTwists(self.twists.as_mut_ptr());
        let movers = &self.problem.movers[..];
        let relax_all = |contacts: &[Contact<S>], impulses: &mut [S::Local]| {
            let mut largest = 0.0f64;
            for (contact, impulse) in contacts.iter().zip(impulses) {
                // SAFETY: indices were checked by `check_indices`; no other thread touches the
                // movers of these contacts: a colour shares none, and other groups are not swept
                // at the same time.
                let change = unsafe { relax(contact, impulse, movers, &twists) };
                largest = larger(change, largest);
            }
            largest
        };
        let mut largest = 0.0f64;
        for (group, bounds) in self.colouring.starts.windows(2).enumerate() {
            let range = bounds[0] as usize..bounds[1] as usize;
            let contacts = &self.contacts[range.clone()];
            let impulses = &mut self.impulses[range];
            let worth_sharing = self.threads > 1 && contacts.len() >= 2 * CHUNK;
            let change = if worth_sharing && !self.colouring.is_serial(group) {
                contacts
                    .par_chunks(CHUNK)
                    .zip(impulses.par_chunks_mut(CHUNK))
                    .map(|(contacts, impulses)| relax_all(contacts, impulses))
                    .reduce(|| 0.0, f64::max)
            } else {
                relax_all(contacts, impulses)
            };
            largest = largest.max(change);
        }
        largest
    }
}

/// The movers' velocities, shared by threads that write to different ones.
struct SharedTwists<S: Blocks>(*mut Twist<S>);

// SAFETY: every use is through `relax`, whose contract forbids two threads on one mover.
unsafe impl<S: Blocks> Sync for SharedTwists<S> {}

/// Gives one contact the impulse that its law asks for; returns |H_n ΔP|.
///
/// # Safety
/// The contact's mover indices must be within `movers` and the twists, different from each other,
/// and no other thread may touch those two twists meanwhile.
#[inline(always)]
unsafe fn relax<S: Blocks>(
    contact: &Contact<S>,
    impulse: &mut S::Local,
    movers: &[Mover<S>],
    twists: &SharedTwists<S>,
) -> f64 {
    let map = &contact.map;
    let grounded = map.second == GROUND;
    // SAFETY: by this function's contract.
    let (first, first_mover) = unsafe {
        (&mut *twists.0.add(map.first as usize), movers.get_unchecked(map.first as usize))
    };
    let mut relative = first.velocity + S::sweep(first.spin, map.arm_first);
    if !grounded {
        // SAFETY: by this function's contract.
        let second = unsafe { &*twists.0.add(map.second as usize) };
        relative -= second.velocity + S::sweep(second.spin, map.arm_second);
    }
    let velocity = contact.offset + map.frame.to_local(relative);
    let next = contact.law.solve::<S>(&contact.block, velocity, *impulse);
    let step = next - *impulse;
    if step == S::Local::ZERO {
        return 0.0;
    }
    *impulse = next;
    let world = map.frame.to_world(step);
    let change = first_mover.respond(map.arm_first, world);
    first.velocity += change.velocity;
    first.spin += change.spin;
    if !grounded {
        // SAFETY: by this function's contract; `first` is another mover.
        let (second, mover) = unsafe {
            (&mut *twists.0.add(map.second as usize), movers.get_unchecked(map.second as usize))
        };
        let change = mover.respond(map.arm_second, world);
        second.velocity -= change.velocity;
        second.spin -= change.spin;
    }
    contact.block.apply(step).normal().abs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ContactMap, Law};
    use drystone_space::{DVec2, Local2, Plane, PlaneFrame};

    /// `count` unit blocks on each other on the ground, as points with a mass: each contact must
    /// carry the weight above it.
    fn column(count: usize, weight: f64) -> (ContactProblem<Plane>, Solution<Plane>) {
        let movers = vec![Mover { inverse_mass: 1.0, inverse_inertia: 0.0 }; count];
        let free = vec![Twist { velocity: DVec2::new(0.0, -weight), spin: 0.0 }; count];
        let contacts = (0..count)
            .map(|i| {
                let map = ContactMap {
                    first: i as u32,
                    second: if i == 0 { GROUND } else { i as u32 - 1 },
                    frame: PlaneFrame::from_normal(DVec2::Y),
                    arm_first: DVec2::ZERO,
                    arm_second: DVec2::ZERO,
                };
                Contact::new(map, Local2::default(), Law::Coulomb(0.5), &movers, 1.0)
            })
            .collect();
        let problem = ContactProblem { movers, free, contacts, velocity_noise: 0.0 };
        let solution = Solution { impulses: vec![Local2::default(); count], twists: Vec::new() };
        (problem, solution)
    }

    #[test]
    fn a_column_carries_its_weight() {
        let (problem, mut solution) = column(5, 2.0);
        let params = NlgsParams { tolerance: 1e-12, ..Default::default() };
        let report = Nlgs::default().solve(&problem, &mut solution, &params, &Threads::one());
        assert_eq!(report.status, Status::Solved);
        for (i, impulse) in solution.impulses.iter().enumerate() {
            let above = (5 - i) as f64;
            assert!((impulse.n - 2.0 * above).abs() < 1e-10, "{impulse:?}");
        }
    }

    /// A plain sweep hands on no more than about a light mass times the velocity, and a load of a
    /// thousand on a column of twenty has to wait for it. Momentum makes it a few thousand sweeps.
    #[test]
    fn a_heavy_load_on_a_light_column_is_carried() {
        let (mut problem, mut solution) = column(21, 1.0);
        problem.movers[20].inverse_mass = 1e-3;
        let contacts = std::mem::take(&mut problem.contacts);
        problem.contacts = contacts
            .iter()
            .map(|c| Contact::new(c.map, c.offset, c.law, &problem.movers, 1.0))
            .collect();
        let params = NlgsParams { tolerance: 1e-9, ..Default::default() };
        let report = Nlgs::default().solve(&problem, &mut solution, &params, &Threads::one());
        assert_eq!(report.status, Status::Solved);
        assert!(report.iterations < 5000, "{report:?}");
        assert!((solution.impulses[0].n / 1020.0 - 1.0).abs() < 1e-3, "{:?}", solution.impulses[0]);
    }

    #[test]
    fn a_solution_is_kept_without_a_sweep() {
        let (problem, mut solution) = column(5, 2.0);
        for (i, impulse) in solution.impulses.iter_mut().enumerate() {
            impulse.n = 2.0 * (5 - i) as f64;
        }
        let report = Nlgs::default().solve(
            &problem,
            &mut solution,
            &NlgsParams { tolerance: 1e-12, ..Default::default() },
            &Threads::one(),
        );
        assert_eq!(report.iterations, 0);
        assert_eq!(report.residual, Residual::default());
    }

    /// The order changes the way to the solution, but not a solution that is the only one.
    #[test]
    fn every_order_leads_to_the_only_solution() {
        let orders = [
            SweepOrder::Coloured,
            SweepOrder::Ordered,
            SweepOrder::Shuffled(1),
            SweepOrder::Shuffled(2),
        ];
        let mut ways = Vec::new();
        for order in orders {
            let params = NlgsParams { tolerance: 1e-12, order, ..Default::default() };
            let (problem, mut solution) = column(7, 2.0);
            let report = Nlgs::default().solve(&problem, &mut solution, &params, &Threads::one());
            assert_eq!(report.status, Status::Solved);
            assert!((solution.impulses[0].n - 14.0).abs() < 1e-10, "{:?}", solution.impulses[0]);
            let (problem, mut solution) = column(7, 2.0);
            let params = NlgsParams { max_iterations: 5, ..params };
            Nlgs::default().solve(&problem, &mut solution, &params, &Threads::one());
            assert!(!ways.contains(&solution.impulses), "{order:?}");
            ways.push(solution.impulses);
        }
    }

    #[test]
    fn running_out_of_sweeps_is_reported() {
        let (problem, mut solution) = column(40, 1.0);
        let params = NlgsParams { tolerance: 1e-12, max_iterations: 3, ..Default::default() };
        let report = Nlgs::default().solve(&problem, &mut solution, &params, &Threads::one());
        assert_eq!((report.status, report.iterations), (Status::NotSolved, 3));
        assert!(report.residual.worst() > 1e-12);
    }
}
