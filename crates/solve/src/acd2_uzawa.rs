//! A-CD² as its authors solve it: the saddle point of a Lagrangian by Uzawa's method (Dal Pont &
//! Dimnet 2006, (57)–(59)).
//!
//! In the velocities u after the collision, and with X = ½(G u + offset + U⁻), (58) is
//!
//! minimise F(u) = ½|u − u_free|² + 2 Σ Φ(X) under X_n ≥ x_min at every contact,
//!
//! |·| being the kinetic norm. For given multipliers λ ≥ 0 of the constraints, u minimises
//! F − 2λ·(X_n − x_min), and then λ ← max(0, λ + 2ρ (x_min − X_n)): λ is the reaction R.
//!
//! The inner minimum is found by Newton's method, which needs one step where Φ is quadratic; its
//! linear systems by conjugate gradients in the kinetic metric. Vectors are kept both as velocities
//! and as momenta, so that A is never needed, only A⁻¹.
//!
//! This is the reference that [`Nlgs`](crate::Nlgs) is held against; Gauss–Seidel is far faster.

use crate::{
    Blocks, Contact, ContactProblem, GROUND, Law, Limits, Mover, Percussion, Residual, Solution,
    SolveReport, Twist,
};
use drystone_space::{Frame, InverseInertia, Local, Vector};

/// Most steps of Newton's method for one inner minimum.
const NEWTON_STEPS: usize = 50;
/// Most steps of conjugate gradients per unknown.
const GRADIENT_STEPS: usize = 20;

/// Goes from the impulses that `solution` holds to the saddle point of `problem`, whose laws must all be
/// [of that kind](Percussion::is_smooth); `None`, and nothing is done, if one is not. Allocates.
pub fn uzawa<S: Blocks>(
    problem: &ContactProblem<S>,
    solution: &mut Solution<S>,
    limits: &Limits,
) -> Option<SolveReport> {
    let mut saddle = Saddle::new(problem)?;
    solution.refresh(problem);
    let mut residual = Residual::of(problem, solution);
    if residual.within(limits.tolerance) || problem.contacts.is_empty() {
        return Some(SolveReport::new(true, 0, residual));
    }
    saddle.start(&solution.impulses);
    let step = 1.8 / saddle.largest_eigenvalue();
    for iterations in 1..=limits.max_iterations {
        saddle.minimise();
        for index in 0..saddle.laws.len() {
            let x = saddle.mean(index, &saddle.moved);
            let lack = saddle.laws[index].least() - x.normal();
            let multiplier = &mut saddle.multipliers[index];
            *multiplier = (*multiplier + 2.0 * step * lack).max(0.0);
            solution.impulses[index] =
                S::Local::new(*multiplier, S::Tangent::ZERO) - saddle.force(index, x);
        }
        solution.refresh(problem);
        residual = Residual::of(problem, solution);
        if residual.within(limits.tolerance) {
            return Some(SolveReport::new(true, iterations, residual));
        }
    }
    Some(SolveReport::new(false, limits.max_iterations, residual))
}

/// A velocity of all movers, and the momentum that goes with it.
#[derive(Clone, Debug)]
struct Pairing<S: Blocks> {
    velocities: Vec<Twist<S>>,
    momenta: Vec<Twist<S>>,
}

impl<S: Blocks> Pairing<S> {
    fn zero(count: usize) -> Self {
        Self { velocities: vec![Twist::ZERO; count], momenta: vec![Twist::ZERO; count] }
    }
    /// The velocity that a momentum gives.
    fn of_momenta(momenta: Vec<Twist<S>>, movers: &[Mover<S>]) -> Self {
        let answer = |(momentum, mover): (&Twist<S>, &Mover<S>)| Twist {
            velocity: momentum.velocity * mover.inverse_mass,
            spin: mover.inverse_inertia.apply(momentum.spin),
        };
        Self { velocities: momenta.iter().zip(movers).map(answer).collect(), momenta }
    }
    /// self += factor · other.
    fn add(&mut self, other: &Self, factor: f64) {
        add(&mut self.velocities, &other.velocities, factor);
        add(&mut self.momenta, &other.momenta, factor);
    }
    /// self = other + factor · self.
    fn follow(&mut self, other: &Self, factor: f64) {
        let old = std::mem::replace(self, other.clone());
        self.add(&old, factor);
    }
}

fn add<S: Blocks>(to: &mut [Twist<S>], from: &[Twist<S>], factor: f64) {
    for (to, from) in to.iter_mut().zip(from) {
        to.velocity += from.velocity * factor;
        to.spin += from.spin * factor;
    }
}

fn dot<S: Blocks>(a: &[Twist<S>], b: &[Twist<S>]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.velocity.dot(b.velocity) + a.spin.dot(b.spin)).sum()
}

/// A problem with its multipliers, and u − u_free.
struct Saddle<'a, S: Blocks> {
    problem: &'a ContactProblem<S>,
    laws: Vec<&'a Percussion<S>>,
    multipliers: Vec<f64>,
    moved: Pairing<S>,
}

impl<'a, S: Blocks> Saddle<'a, S> {
    fn new(problem: &'a ContactProblem<S>) -> Option<Self> {
        let law = |contact: &Contact<S>| match contact.law {
            Law::Special(index) => {
                problem.specials[index as usize].percussion().filter(|law| law.is_smooth())
            }
            Law::Frictionless | Law::Coulomb(_) => None,
        };
        let laws = problem.contacts.iter().map(law).collect::<Option<Vec<_>>>()?;
        let (multipliers, moved) = (vec![0.0; laws.len()], Pairing::zero(problem.movers.len()));
        Some(Self { problem, laws, multipliers, moved })
    }

    /// Begins with the velocities that these impulses give, and with what is reaction in them: λ = P_n + f_N(X_n).
    fn start(&mut self, impulses: &[S::Local]) {
        self.moved =
            Pairing::of_momenta(self.momenta(|index| impulses[index]), &self.problem.movers);
        for (index, impulse) in impulses.iter().enumerate() {
            let force = self.force(index, self.mean(index, &self.moved));
            self.multipliers[index] = (*impulse + force).normal().max(0.0);
        }
    }

    /// X of a contact.
    fn mean(&self, index: usize, moved: &Pairing<S>) -> S::Local {
        let contact = &self.problem.contacts[index];
        let free = contact.offset + contact.map.to_contact(&self.problem.free);
        let after = free + contact.map.to_contact(&moved.velocities);
        (after + self.laws[index].before) * 0.5
    }

    /// Φ(X) of a contact.
    fn potential(&self, index: usize, x: S::Local) -> f64 {
        let law = self.laws[index];
        let acts = x.normal() < 0.0 || law.pulls;
        let normal = if acts { law.normal.potential(x.normal().abs()) } else { 0.0 };
        normal + law.tangential.potential(x.tangent().norm())
    }

    /// Φ′(X) of a contact.
    fn force(&self, index: usize, x: S::Local) -> S::Local {
        let law = self.laws[index];
        let acts = x.normal() < 0.0 || law.pulls;
        let size = x.normal().abs();
        let normal = if acts { law.normal.value(size) * x.normal().signum() } else { 0.0 };
        let speed = x.tangent().norm();
        let factor = if speed > 0.0 { law.tangential.value(speed) / speed } else { 0.0 };
        S::Local::new(normal, x.tangent() * factor)
    }

    /// Φ″(X) d of a contact.
    fn stiffness(&self, index: usize, x: S::Local, d: S::Local) -> S::Local {
        let law = self.laws[index];
        let acts = x.normal() < 0.0 || law.pulls;
        let normal = if acts { law.normal.slope(x.normal().abs()) * d.normal() } else { 0.0 };
        let (t, speed) = (x.tangent(), x.tangent().norm());
        let along = law.tangential.slope(speed);
        let across = if speed > 0.0 { law.tangential.value(speed) / speed } else { along };
        let radial = if speed > 0.0 { t * (t.dot(d.tangent()) / (speed * speed)) } else { t };
        S::Local::new(normal, d.tangent() * across + radial * (along - across))
    }

    /// Σ G* p.
    fn momenta(&self, percussion: impl Fn(usize) -> S::Local) -> Vec<Twist<S>> {
        let mut momenta = vec![Twist::ZERO; self.problem.movers.len()];
        for (index, contact) in self.problem.contacts.iter().enumerate() {
            let map = &contact.map;
            let world = map.frame.to_world(percussion(index));
            momenta[map.first as usize].velocity += world;
            momenta[map.first as usize].spin += S::moment(map.arm_first, world);
            if map.second != GROUND {
                momenta[map.second as usize].velocity -= world;
                momenta[map.second as usize].spin -= S::moment(map.arm_second, world);
            }
        }
        momenta
    }

    /// F − 2λ·(X_n − x_min).
    fn lagrangian(&self, moved: &Pairing<S>) -> f64 {
        let contact = |index: usize| {
            let x = self.mean(index, moved);
            let slack = x.normal() - self.laws[index].least();
            2.0 * (self.potential(index, x) - self.multipliers[index] * slack)
        };
        let kinetic = 0.5 * dot(&moved.velocities, &moved.momenta);
        kinetic + (0..self.laws.len()).map(contact).sum::<f64>()
    }

    /// Minimises the Lagrangian for the present multipliers.
    fn minimise(&mut self) {
        let mut value = self.lagrangian(&self.moved);
        for _ in 0..NEWTON_STEPS {
            let mut gradient = self.momenta(|index| {
                let force = self.force(index, self.mean(index, &self.moved));
                force - S::Local::new(self.multipliers[index], S::Tangent::ZERO)
            });
            add(&mut gradient, &self.moved.momenta, 1.0);
            let direction = self.newton(&gradient);
            let slope = dot(&direction.velocities, &gradient);
            if slope >= 0.0 {
                return;
            }
            let (mut length, mut next) = (1.0, self.moved.clone());
            next.add(&direction, length);
            let mut reached = self.lagrangian(&next);
            while reached > value + 1e-4 * length * slope && length > 1e-12 {
                length *= 0.5;
                next = self.moved.clone();
                next.add(&direction, length);
                reached = self.lagrangian(&next);
            }
            let fallen = value - reached;
            (self.moved, value) = (next, reached);
            if fallen <= 1e-16 * value.abs() {
                return;
            }
        }
    }

    /// −(A + ½G*Φ″G)⁻¹ gradient, by conjugate gradients preconditioned with A⁻¹.
    fn newton(&self, gradient: &[Twist<S>]) -> Pairing<S> {
        let movers = &self.problem.movers;
        let places: Vec<_> = (0..self.laws.len()).map(|i| self.mean(i, &self.moved)).collect();
        let mut sum = Pairing::zero(movers.len());
        let mut rest = vec![Twist::ZERO; movers.len()];
        add(&mut rest, gradient, -1.0);
        let mut answer = Pairing::of_momenta(rest.clone(), movers);
        let mut direction = answer.clone();
        let mut size = dot(&rest, &answer.velocities);
        let enough = 1e-30 * size;
        for _ in 0..GRADIENT_STEPS * 6 * movers.len() {
            if size <= enough {
                break;
            }
            let mut product = self.momenta(|index| {
                let d = self.problem.contacts[index].map.to_contact(&direction.velocities);
                self.stiffness(index, places[index], d) * 0.5
            });
            add(&mut product, &direction.momenta, 1.0);
            let length = size / dot(&product, &direction.velocities);
            sum.add(&direction, length);
            add(&mut rest, &product, -length);
            answer = Pairing::of_momenta(rest.clone(), movers);
            let next = dot(&rest, &answer.velocities);
            direction.follow(&answer, next / size);
            size = next;
        }
        sum
    }

    /// Largest eigenvalue of W_nn, by the power method: a safe step for the multipliers.
    fn largest_eigenvalue(&self) -> f64 {
        let mut push = vec![1.0; self.laws.len()];
        let mut largest = 0.0f64;
        for _ in 0..100 {
            let momenta = self.momenta(|index| S::Local::new(push[index], S::Tangent::ZERO));
            let answer = Pairing::of_momenta(momenta, &self.problem.movers);
            let contacts = self.problem.contacts.iter();
            let speeds: Vec<f64> =
                contacts.map(|c| c.map.to_contact(&answer.velocities).normal()).collect();
            let norm = speeds.iter().map(|x| x * x).sum::<f64>().sqrt();
            let before = push.iter().map(|x| x * x).sum::<f64>().sqrt();
            largest = largest.max(norm / before);
            push = speeds.iter().map(|x| x / norm.max(f64::MIN_POSITIVE)).collect();
        }
        largest
    }
}
