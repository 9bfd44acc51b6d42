//! A deformable solid in motion: the first-order scheme of Feng et al. 2006, (19)–(29).
//!
//! Over a step h: M(v₁ − v₀) = h[(1−ξ)F₀ + ξF₁] + P and x₁ = x₀ + h[(1−θ)v₀ + θv₁] (20)–(23), P being
//! the impulses of contacts (22). The unknown is the velocity v₁, as elsewhere in contact dynamics;
//! with Δu = hθΔv the linear system is (25)–(26) times θh²: A = M + hξC + h²θξK.
//!
//! One iteration ([`Solid::linearise`]) gives the velocity without contacts and what the surface
//! answers to impulses; the contact problem is solved over those; [`Solid::close`] gives the whole
//! solid its velocity. At the end the residual without linearisation says whether to go on.
//!
//! The factors of a linear law are kept for ever. Those of others are kept as long as the residual falls
//! fast with them: Newton's iteration is then a modified one, towards the same solution.
//!
//! [`Scheme::conserving`] takes internal forces midway between x₀ and x₁ such that elastic energy is
//! exact for all laws; then θ = ξ = ½. [`Scheme::quasi_static`] leaves M out: 0 = hF₁ + P and x₁ = x₀ + hv₁, so that
//! A = h²K, each step ends in equilibrium and velocities are displacements of the step divided by h.

mod open;

use crate::kernel::Between;
use crate::scheme::{Convergence, Damping, Newton, Scheme, StepWork};
use crate::stress::Stress;
use crate::system::System;
use crate::{FemError, Model};
use drystone_space::{Space, Vector};

/// Where an iteration leaves more than this of the residual, the next one factors anew.
const SLOW: f64 = 0.25;

/// A deformable solid.
#[derive(Debug)]
pub struct Solid<S: Space> {
    model: Model<S>,
    system: System<S>,
    scheme: Scheme,
    damping: Damping,
    /// Where the nodes are, and how fast they move.
    positions: Vec<S::Vector>,
    velocities: Vec<S::Vector>,
    /// Applied forces of the step, gravity not counted.
    external: Vec<S::Vector>,
    gravity: S::Vector,
    time_step: f64,
    start: Start<S>,
    /// Velocity that the linearised system has without contacts.
    free: Vec<S::Vector>,
    /// Impulses of contacts.
    impulses: Vec<S::Vector>,
    answered: Answered<S>,
    /// Mean internal forces over the step at the last residual, and its rest.
    internal: Vec<S::Vector>,
    rest: Vec<S::Vector>,
    /// What of it contacts leave open.
    open: Vec<S::Vector>,
    scratch: Vec<S::Vector>,
    /// Mean velocities, for damping.
    mean: Vec<S::Vector>,
    /// Internal forces and elastic energy at the end of the step, as of the last residual.
    end: End<S>,
    /// Where a nonlinear law is linearised; empty before.
    tangent: Vec<S::Vector>,
    /// Whether the law was linearised in this step.
    linearised: bool,
    /// The last two residuals of the step, the later first.
    residuals: [f64; 2],
}

/// What the solid has answered to impulses, to be used again while these and the factors stay.
#[derive(Clone, Debug, Default)]
struct Answered<S: Space> {
    impulses: Vec<S::Vector>,
    velocities: Vec<S::Vector>,
    holds: bool,
}

/// What is known of the end of a step.
#[derive(Clone, Debug, Default)]
struct End<S: Space> {
    internal: Vec<S::Vector>,
    elastic: f64,
    /// Whether forces are those of the present places.
    holds: bool,
    /// Whether the residual is that of the present velocities.
    judged: bool,
}

/// All that the next step of a solid depends on, besides what the solid is made from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SolidState<S: Space> {
    /// Where the nodes are.
    pub positions: Vec<S::Vector>,
    /// How fast they move.
    pub velocities: Vec<S::Vector>,
    /// Elastic energy as it was booked.
    pub elastic: f64,
    /// Largest entry of the stiffness matrix when it was last assembled, which says what rounding
    /// may leave of the residual.
    pub stiffest: f64,
    /// Where a nonlinear law was last linearised; empty if it never was.
    pub tangent: Vec<S::Vector>,
}

/// What a step starts from.
#[derive(Clone, Debug, Default)]
struct Start<S: Space> {
    positions: Vec<S::Vector>,
    velocities: Vec<S::Vector>,
    internal: Vec<S::Vector>,
    elastic: f64,
}

impl<S: Space> Solid<S> {
    /// A solid at rest in its mesh's place.
    ///
    /// # Errors
    /// If θ or ξ make no sense, or memory does not suffice.
    pub fn new(model: Model<S>, mut scheme: Scheme, damping: Damping) -> Result<Self, FemError> {
        if scheme.conserving {
            (scheme.theta, scheme.xi) = (0.5, 0.5);
        }
        if scheme.quasi_static {
            scheme = Scheme { theta: 1.0, xi: 1.0, conserving: false, quasi_static: true };
        }
        let size = |what, value, expected| Err(FemError::Size { what, value, expected });
        if !(scheme.theta > 0.0 && scheme.theta <= 1.0) {
            return size("theta", scheme.theta, "above 0 and at most 1");
        }
        if !(scheme.xi > 0.0 && scheme.xi <= 1.0) {
            return size("xi", scheme.xi, "above 0 and at most 1");
        }
        for factor in [damping.mass_factor, damping.stiffness_factor] {
            if !(factor >= 0.0 && factor.is_finite()) {
                return size("damping", factor, "zero or positive, and finite");
            }
            if scheme.quasi_static && factor != 0.0 {
                return size("damping", factor, "0 where inertia is left out");
            }
        }
        let count = model.mesh().nodes.len();
        let zero = vec![S::Vector::ZERO; count];
        let mut solid = Self {
            system: System::new(&model)?,
            positions: model.mesh().nodes.clone(),
            velocities: zero.clone(),
            external: zero.clone(),
            gravity: S::Vector::ZERO,
            time_step: 0.0,
            start: Start {
                positions: zero.clone(),
                velocities: zero.clone(),
                internal: zero.clone(),
                elastic: 0.0,
            },
            free: zero.clone(),
            impulses: zero.clone(),
            answered: Answered { impulses: zero.clone(), velocities: zero.clone(), holds: false },
            internal: zero.clone(),
            rest: zero.clone(),
            open: zero.clone(),
            scratch: zero.clone(),
            mean: zero.clone(),
            end: End { internal: zero, elastic: 0.0, holds: false, judged: false },
            tangent: Vec::new(),
            linearised: false,
            residuals: [f64::INFINITY; 2],
            model,
            scheme,
            damping,
        };
        solid.start.elastic = solid.elastic_energy();
        Ok(solid)
    }

    /// Its constant data.
    pub fn model(&self) -> &Model<S> {
        &self.model
    }
    /// How time is integrated.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }
    /// Where the nodes are.
    pub fn positions(&self) -> &[S::Vector] {
        &self.positions
    }
    /// How fast the nodes move; between iterations, the last estimate of the end velocity.
    pub fn velocities(&self) -> &[S::Vector] {
        &self.velocities
    }
    /// Velocities at the start of the step under way.
    pub fn start_velocities(&self) -> &[S::Vector] {
        &self.start.velocities
    }
    /// Gives all nodes their velocities.
    ///
    /// # Panics
    /// If they are not one per node.
    pub fn set_velocities(&mut self, velocities: &[S::Vector]) {
        self.velocities.copy_from_slice(velocities);
    }
    /// The state as it is between steps.
    pub fn state(&self) -> SolidState<S> {
        SolidState {
            positions: self.positions.clone(),
            velocities: self.velocities.clone(),
            elastic: self.start.elastic,
            stiffest: self.system.stiffest(),
            tangent: self.tangent.clone(),
        }
    }
    /// Goes on from a state: the next steps have the bits that they had after it.
    ///
    /// # Panics
    /// If places and velocities do not have a row for each node.
    pub fn restore(&mut self, state: &SolidState<S>) {
        self.positions.copy_from_slice(&state.positions);
        self.velocities.copy_from_slice(&state.velocities);
        self.start.elastic = state.elastic;
        self.system.set_stiffest(state.stiffest);
        self.tangent.clone_from(&state.tangent);
        self.system.forget();
        self.end.holds = false;
    }
    /// Holds a degree of freedom, whose velocity is then imposed ([`impose`](Self::impose)).
    pub fn hold(&mut self, node: usize, axis: usize) {
        self.system.hold(node, axis, true);
    }

    /// Elastic energy, (32).
    pub fn elastic_energy(&self) -> f64 {
        let elements = 0..self.model.mesh().elements();
        elements.map(|element| self.model.element_energy(element, &self.positions)).sum()
    }
    /// Elastic energy at the end of the last step, without computing it anew.
    pub fn stored_energy(&self) -> f64 {
        self.start.elastic
    }
    /// Kinetic energy, (33); none where inertia is left out.
    pub fn kinetic_energy(&self) -> f64 {
        match self.scheme.quasi_static {
            true => 0.0,
            false => self.model.kinetic_energy(&self.velocities),
        }
    }
    /// Potential energy in a field of gravity.
    pub fn potential_energy(&self, gravity: S::Vector) -> f64 {
        let height = |(node, x): (usize, &S::Vector)| self.model.node_mass(node) * gravity.dot(*x);
        -self.positions.iter().enumerate().map(height).sum::<f64>()
    }
    /// Stresses at the nodes.
    pub fn stresses(&self) -> Vec<Stress> {
        self.model.stresses(&self.positions)
    }

    /// Opens a step: takes the state as its start. Forces are those of the whole step.
    pub fn begin(&mut self, time_step: f64, gravity: S::Vector) -> Result<(), FemError> {
        self.time_step = time_step;
        self.gravity = gravity;
        self.external.fill(S::Vector::ZERO);
        self.impulses.fill(S::Vector::ZERO);
        self.start.positions.copy_from_slice(&self.positions);
        self.start.velocities.copy_from_slice(&self.velocities);
        self.linearised = false;
        self.residuals = [f64::INFINITY; 2];
        self.end.judged = false;
        let Self { system, model, start, end, .. } = self;
        if end.holds {
            std::mem::swap(&mut start.internal, &mut end.internal);
        } else if !self.scheme.conserving || model.material().is_linear() {
            system.internal_forces(model, Between::At(&start.positions), &mut start.internal)?;
        }
        self.end.holds = false;
        Ok(())
    }

    /// Adds forces on the nodes for this step.
    pub fn add_forces(&mut self, forces: &[S::Vector], factor: f64) {
        self.external.iter_mut().zip(forces).for_each(|(sum, &force)| *sum += force * factor);
        self.end.judged = false;
    }

    /// Gives the velocity at the end of this step of a degree of freedom that is held.
    pub fn impose(&mut self, node: usize, axis: usize, velocity: f64) {
        let old = self.velocities[node];
        let new = S::Vector::from_fn(|i| if i == axis { velocity } else { old.get(i) });
        self.velocities[node] = new;
        self.end.judged = false;
    }

    /// Where contacts are looked for: x₀ + h(1−θ)v₀, the midpoint for θ = ½.
    pub fn predict(&self, places: &mut Vec<S::Vector>) {
        let ahead = self.time_step * (1.0 - self.scheme.theta);
        places.clear();
        let pairs = self.start.positions.iter().zip(&self.start.velocities);
        places.extend(pairs.map(|(&x, &v)| x + v * ahead));
    }

    /// x₁ from the last estimate of the end velocity, (23).
    fn place_nodes(&mut self) {
        let (h, theta) = (self.time_step, self.scheme.theta);
        for (node, x) in self.positions.iter_mut().enumerate() {
            let mean = self.start.velocities[node] * (1.0 - theta) + self.velocities[node] * theta;
            *x = self.start.positions[node] + mean * h;
        }
    }

    /// The rest of the equation of motion with the last estimate, relative to its largest term.
    ///
    /// # Errors
    /// Names an element that is turned inside out.
    pub fn residual(&mut self) -> Result<f64, FemError> {
        self.place_nodes();
        self.mean_internal_forces()?;
        self.change_of_momentum();
        let (mut error, mut scale) = (0.0f64, 0.0f64);
        let h = self.time_step;
        let inert = if self.scheme.quasi_static { 0.0 } else { 1.0 };
        self.damping_forces();
        for node in 0..self.rest.len() {
            let weight = self.gravity * self.model.node_mass(node);
            let inertia = self.rest[node];
            let inner = self.internal[node] * h;
            let push = (self.external[node] + weight - self.scratch[node]) * h;
            let momentum = self.start.velocities[node] * (inert * self.model.node_mass(node));
            self.rest[node] = inertia - inner - push;
            for term in [inertia, inner, push, momentum, self.impulses[node]] {
                scale = scale.max(term.norm_squared());
            }
        }
        self.open_forces();
        for open in &self.open {
            error = error.max(open.norm_squared());
        }
        // Forces on nodes are differences of much larger ones: below their rounding nothing is left.
        let noise = h * self.system.force_noise(&self.positions);
        let error = (error.sqrt() - noise).max(0.0);
        let residual = if error > 0.0 { error / scale.sqrt() } else { 0.0 };
        self.residuals = [residual, self.residuals[0]];
        self.end.judged = true;
        Ok(residual)
    }

    /// M(v₁ − v₀), into the rest.
    fn change_of_momentum(&mut self) {
        let Self { model, rest, scratch, velocities, start, scheme, .. } = self;
        if scheme.quasi_static {
            rest.fill(S::Vector::ZERO);
            return;
        }
        for (node, change) in scratch.iter_mut().enumerate() {
            *change = velocities[node] - start.velocities[node];
        }
        model.mass_times(scratch, rest);
    }

    /// (1−ξ)F₀ + ξF₁, or the conserving forces.
    fn mean_internal_forces(&mut self) -> Result<(), FemError> {
        let Self { system, model, start, positions, internal, scheme, end, .. } = self;
        if scheme.conserving && !model.material().is_linear() {
            let at = Between::Middle(&start.positions, positions);
            system.internal_forces(model, at, internal)?;
            return Ok(());
        }
        end.elastic = system.internal_forces(model, Between::At(positions), &mut end.internal)?;
        end.holds = true;
        for (mean, (&before, &after)) in
            internal.iter_mut().zip(start.internal.iter().zip(&end.internal))
        {
            *mean = before * (1.0 - scheme.xi) + after * scheme.xi;
        }
        Ok(())
    }

    /// C v with the mean velocity, into the scratch.
    fn damping_forces(&mut self) {
        self.scratch.fill(S::Vector::ZERO);
        let Damping { mass_factor, stiffness_factor } = self.damping;
        if mass_factor == 0.0 && stiffness_factor == 0.0 {
            return;
        }
        let xi = self.scheme.xi;
        let Self { mean, start, velocities, scratch, .. } = self;
        for (mean, (&before, &after)) in
            mean.iter_mut().zip(start.velocities.iter().zip(&*velocities))
        {
            *mean = before * (1.0 - xi) + after * xi;
        }
        self.model.mass_times(mean, scratch);
        scratch.iter_mut().for_each(|force| *force = *force * mass_factor);
        if stiffness_factor > 0.0 {
            let factor = stiffness_factor;
            self.system.add_stiffness_times(&self.model, &start.positions, mean, factor, scratch);
        }
    }

    /// Finds the velocity without contacts, after [`residual`](Self::residual), with the factors that
    /// there are or, where these have brought little, with new ones at the last estimate. Says whether
    /// they are new.
    ///
    /// # Errors
    /// Names an element that is turned inside out, or one of a node where A is not definite.
    pub fn linearise(&mut self) -> Result<bool, FemError> {
        let (h, Scheme { theta, xi, .. }) = (self.time_step, self.scheme);
        let Damping { mass_factor, stiffness_factor } = self.damping;
        let mass = if self.scheme.quasi_static { 0.0 } else { 1.0 + h * xi * mass_factor };
        let coefficients = [mass, h * h * theta * xi + h * xi * stiffness_factor];
        let new = self.renew_factors(coefficients)?;
        self.answered.holds &= !new;
        self.free.copy_from_slice(&self.rest);
        self.system.solve(&mut self.free);
        for (free, &velocity) in self.free.iter_mut().zip(&self.velocities) {
            *free = velocity - *free;
        }
        Ok(new)
    }

    fn renew_factors(&mut self, coefficients: [f64; 2]) -> Result<bool, FemError> {
        let Self { system, model, start, positions, tangent, scheme, .. } = self;
        let kept = system.is_factored(coefficients);
        if model.material().is_linear() {
            if !kept {
                system.factor(model, coefficients, positions)?;
            }
            return Ok(!kept);
        }
        let [now, before] = self.residuals;
        let slow = now.is_nan() || now > SLOW * before;
        if slow || tangent.is_empty() {
            tangent.clear();
            let middle = |(&a, &b): (&S::Vector, &S::Vector)| (a + b) * 0.5;
            match scheme.conserving {
                true => tangent.extend(start.positions.iter().zip(&*positions).map(middle)),
                false => tangent.extend_from_slice(positions),
            }
            self.linearised = true;
        } else if kept {
            return Ok(false);
        }
        system.factor(model, coefficients, tangent)?;
        Ok(true)
    }

    /// Goes back to the start of the step, to linearise there, where factors of an earlier step have led
    /// astray. False if they were of this step, or there were none.
    pub fn retry(&mut self) -> bool {
        let linear = self.model.material().is_linear();
        if self.linearised || self.tangent.is_empty() || linear {
            return false;
        }
        for (node, velocity) in self.velocities.iter_mut().enumerate() {
            let (now, start) = (*velocity, self.start.velocities[node]);
            *velocity = S::Vector::from_fn(|axis| match self.system.is_held(node, axis) {
                true => now.get(axis),
                false => start.get(axis),
            });
        }
        self.impulses.fill(S::Vector::ZERO);
        self.tangent.clear();
        self.residuals = [f64::INFINITY; 2];
        true
    }

    /// Velocities without contacts, after [`linearise`](Self::linearise).
    pub fn free(&self) -> &[S::Vector] {
        &self.free
    }

    /// Makes ready the answers of the surface to impulses at these places of it.
    pub fn prepare(&mut self, places: &[u32]) {
        self.system.prepare(&self.model, places);
    }
    /// The velocities of the surface's nodes after a unit impulse at one of them.
    pub fn answer(&self, node: u32, axis: usize) -> &[S::Vector] {
        self.system.answer(&self.model, node, axis)
    }

    /// Takes the impulses of contacts (all of them, on nodes of the surface) as the step's.
    pub fn close(&mut self, impulses: impl IntoIterator<Item = (u32, S::Vector)>) {
        self.end.judged = false;
        self.impulses.fill(S::Vector::ZERO);
        for (node, impulse) in impulses {
            self.impulses[node as usize] += impulse;
        }
        self.velocities.copy_from_slice(&self.free);
        if self.impulses.iter().all(|p| *p == S::Vector::ZERO) {
            return;
        }
        let Answered { impulses, velocities, holds } = &mut self.answered;
        if !*holds || *impulses != self.impulses {
            impulses.copy_from_slice(&self.impulses);
            velocities.copy_from_slice(&self.impulses);
            self.system.solve(velocities);
            *holds = true;
        }
        for (velocity, &change) in self.velocities.iter_mut().zip(&*velocities) {
            *velocity += change;
        }
    }

    /// Ends the step: what changed the energy, contacts not counted.
    ///
    /// # Errors
    /// Names an element that is turned inside out.
    pub fn finish(&mut self) -> Result<StepWork, FemError> {
        if !self.end.judged {
            self.residual()?;
        }
        let h = self.time_step;
        let elastic = self.end_energy();
        let mut work = StepWork { scheme: elastic - self.start.elastic, ..StepWork::default() };
        for node in 0..self.positions.len() {
            let mean = match self.scheme.quasi_static {
                true => self.velocities[node],
                false => (self.start.velocities[node] + self.velocities[node]) * 0.5,
            };
            let moved = self.positions[node] - self.start.positions[node];
            let weight = self.gravity * self.model.node_mass(node);
            work.external += h * mean.dot(self.external[node]);
            work.damping += h * mean.dot(self.scratch[node]);
            work.scheme += h * mean.dot(self.internal[node]) + weight.dot(mean * h - moved);
            let open = self.rest[node] - self.impulses[node];
            for axis in 0..S::DIMENSION {
                if self.system.is_held(node, axis) {
                    work.imposed += mean.get(axis) * open.get(axis);
                }
            }
        }
        self.start.elastic = elastic;
        Ok(work)
    }

    /// Elastic energy after [`residual`](Self::residual). A linear law has −½ u·F with the forces at the
    /// end.
    fn end_energy(&self) -> f64 {
        match (self.model.material().is_linear(), self.scheme.conserving) {
            (false, true) => self.elastic_energy(),
            (false, false) => self.end.elastic,
            (true, _) => {
                let (places, rest) = (self.positions.iter(), &self.model.mesh().nodes);
                let moved = places.zip(rest).map(|(&x, &r)| x - r);
                -0.5 * moved.zip(&self.end.internal).map(|(u, &f)| u.dot(f)).sum::<f64>()
            }
        }
    }

    /// One step without contacts.
    ///
    /// # Errors
    /// If Newton's iteration does not settle, or an element is turned inside out.
    pub fn advance(
        &mut self,
        time_step: f64,
        gravity: S::Vector,
        newton: Newton,
    ) -> Result<(StepWork, Convergence), FemError> {
        self.begin(time_step, gravity)?;
        let mut iterations = 0;
        loop {
            let residual = self.residual()?;
            if residual <= newton.tolerance && iterations > 0 {
                let work = self.finish()?;
                return Ok((work, Convergence { iterations, residual }));
            }
            if iterations == newton.most {
                let (node, element) = self.worst();
                let tolerance = newton.tolerance;
                return Err(FemError::NotConverged {
                    iterations,
                    residual,
                    tolerance,
                    node,
                    element,
                });
            }
            self.linearise()?;
            self.close([]);
            iterations += 1;
        }
    }
}
