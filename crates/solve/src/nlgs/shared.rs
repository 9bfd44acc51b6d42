//! Sweeps on a problem with a [shared](Shared) mover: it is solved between the sweeps.
//!
//! A sweep sees the velocities q of the shared mover as they were when it began; then they are made anew, exactly, from the impulses.
//! Contacts of a sweep do not see what the others do to q meanwhile. With Σ b = Σ_c |b_c|, sweeps still descend where each block is
//! made larger by |b_c| Σ b / w: that bounds |Σ b·ΔP|²/w from above (Cauchy). Whoever makes the contacts makes their relaxation
//! smaller accordingly, and says so in `softening`: contacts are judged by the blocks that they have without that.

use super::Nlgs;
use crate::lanes::{self, Kernel, WIDTH};
use crate::momentum::Strength;
use crate::problem::Shared;
use crate::{Blocks, ContactProblem};

/// The shared mover in a solve under way.
#[derive(Clone, Debug, Default)]
pub(super) struct SharedSweeps<S: Blocks> {
    /// Its velocities by the present impulses, and by those before the last sweep.
    now: Vec<f64>,
    last: Vec<f64>,
    /// What contacts see of it.
    seen: Vec<f64>,
    /// The offset of each contact with its free velocities.
    base: Vec<S::Local>,
}

impl<S: Blocks> Nlgs<S> {
    /// Velocities of the shared mover that the last solve has found; none where there is no such mover.
    pub fn shared_velocities(&self) -> &[f64] {
        &self.shared.now
    }

    /// Learns of the contacts as they were laid out.
    pub(super) fn begin_shared(&mut self, problem: &ContactProblem<S>) {
        let sweeps = &mut self.shared;
        sweeps.base.clear();
        sweeps.now.clear();
        let Some(shared) = &problem.shared else { return };
        sweeps.now.extend_from_slice(&shared.free);
        let (rows, positions) = (&mut self.quads.rows, &self.colouring.positions);
        let offset = |&place: &u32| {
            let row = &mut rows[place as usize / WIDTH];
            lanes::lane::<S>(row.offset(), place as usize % WIDTH)
        };
        sweeps.base.extend(positions.iter().map(offset));
        assert_eq!(shared.arms.len(), shared.free.len() * positions.len(), "arms of all contacts");
        assert_eq!(shared.softening.len(), positions.len(), "softening of all contacts");
        self.judge.harden(positions, &shared.softening);
    }

    /// Makes the velocities of the shared mover from the impulses, for all contacts to see.
    pub(super) fn settle_shared(&mut self, problem: &ContactProblem<S>) {
        let Some(shared) = &problem.shared else { return };
        let mut now = std::mem::take(&mut self.shared.now);
        shared.velocities((0..self.count()).map(|index| self.impulse(index)), &mut now);
        self.shared.now = now;
        self.show(shared, 0.0);
    }

    /// Notes that no sweep was made yet.
    pub(super) fn restart_shared(&mut self) {
        let sweeps = &mut self.shared;
        sweeps.last.clone_from(&sweeps.now);
    }

    /// Has contacts see the shared mover, carried on by β of its last change.
    fn show(&mut self, shared: &Shared<S>, beta: f64) {
        let SharedSweeps { now, last, seen, base } = &mut self.shared;
        seen.clear();
        match beta {
            0.0 => seen.extend(now.iter().zip(&shared.free).map(|(now, free)| now - free)),
            _ => {
                let both = now.iter().zip(&*last).zip(&shared.free);
                seen.extend(both.map(|((now, last), free)| now + beta * (now - last) - free));
            }
        }
        let rows = &mut self.quads.rows;
        let count = seen.len();
        for (index, &place) in self.colouring.positions.iter().enumerate() {
            let arms = &shared.arms[index * count..][..count];
            let moved = arms.iter().zip(&*seen).fold(base[index], |sum, (&b, &q)| sum + b * q);
            let row = &mut rows[place as usize / WIDTH];
            lanes::set_lane::<S>(row.offset(), place as usize % WIDTH, moved);
        }
    }

    /// Sweeps one by one; returns how many, and √Σ|ΔP|² of the last.
    pub(super) fn sweep_shared(
        &mut self,
        problem: &ContactProblem<S>,
        shared: &Shared<S>,
        strength: &mut Strength,
        max_sweeps: usize,
        worth_a_look: f64,
    ) -> (usize, f64) {
        for made in 1..=max_sweeps {
            // The momentum of the sweep to come.
            let beta = strength.clone().next();
            self.show(shared, beta);
            let sweeps = &mut self.shared;
            std::mem::swap(&mut sweeps.last, &mut sweeps.now);
            let (_, change) = self.sweep(problem, strength, 1, 0.0, None);
            let mut now = std::mem::take(&mut self.shared.now);
            shared.velocities((0..self.count()).map(|index| self.impulse(index)), &mut now);
            self.shared.now = now;
            if made == max_sweeps || change <= worth_a_look || change.is_nan() {
                self.show(shared, 0.0);
                return (made, change);
            }
        }
        (0, 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Contact, ContactMap, Law, Mover, NlgsParams, Solution, Status, Threads, Twist};
    use drystone_space::{DVec2, Frame, Local2, Plane, PlaneFrame};

    /// A row of balls of unit mass, closed upon itself: n contacts of length 1, whose branches all see q. Balls move to and fro with
    /// speed ±v, and q is pushed by −f. No contact opens where f is large: all then have the impulse by which no gap changes.
    fn ring(count: u32, speed: f64, inertia: f64, free: f64) -> ContactProblem<Plane> {
        let movers = vec![Mover { inverse_mass: 1.0, inverse_inertia: 0.0 }; count as usize];
        let to_and_fro = |i: u32| if i.is_multiple_of(2) { speed } else { -speed };
        let twist = |i| Twist { velocity: DVec2::new(to_and_fro(i), 0.0), spin: 0.0 };
        let arms = vec![Local2 { n: 1.0, t: 0.0 }; count as usize];
        let soft = 2.0 / (2.0 + f64::from(count) / inertia);
        let softening = vec![soft; count as usize];
        let shared = Shared { inertia: vec![inertia], free: vec![free], arms, softening };
        let contact = |i: u32| {
            // The normal points to the first, the next one to the right.
            let map = ContactMap {
                first: (i + 1) % count,
                second: i,
                frame: PlaneFrame::from_normal(DVec2::X),
                arm_first: DVec2::ZERO,
                arm_second: DVec2::ZERO,
            };
            let offset = Local2 { n: free, t: 0.0 };
            Contact::new(map, offset, Law::with_friction(0.0), &movers, soft)
        };
        let contacts = (0..count).map(contact).collect();
        let free = (0..count).map(twist).collect();
        ContactProblem {
            contacts,
            free,
            shared: Some(shared.clone()),
            movers,
            ..Default::default()
        }
    }

    /// With all gaps closed, w q = w q₀ + Σ P and q = 0, so that ΣP = −w q₀; velocities all end at zero, which the alternating part
    /// of the impulses does: P_{i−1} − P_i = −u_i.
    #[test]
    fn a_ring_is_held_by_what_presses_it() {
        for (inertia, momentum) in [(0.3, true), (10.0, true), (1000.0, false)] {
            let (count, speed) = (12, 0.1);
            let free = -30.0 / inertia;
            let problem = ring(count, speed, inertia, free);
            let mut solver = Nlgs::default();
            let impulses = vec![Local2::default(); count as usize];
            let mut solution = Solution { impulses, ..Default::default() };
            let params = NlgsParams { tolerance: 1e-12, momentum, ..Default::default() };
            let report = solver.solve(&problem, &mut solution, &params, &Threads::one());
            assert_eq!(report.status, Status::Solved, "{report:?}");
            let sum: f64 = solution.impulses.iter().map(|p| p.n).sum();
            assert!((sum - 30.0).abs() < 1e-8, "{inertia}: {sum}");
            assert!(solver.shared_velocities()[0].abs() < 1e-8 / inertia.min(1.0));
            for (i, pair) in solution.impulses.windows(2).enumerate() {
                let given = if (i + 1).is_multiple_of(2) { speed } else { -speed };
                assert!((pair[0].n - pair[1].n + given).abs() < 1e-9);
            }
        }
    }
}
