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
//! [`Scheme::conserving`] takes internal forces midway between x₀ and x₁ such that elastic energy is
//! exact for all laws; then θ = ξ = ½.

use crate::kernel::Between;
use crate::stress::Stress;
use crate::system::System;
use crate::{FemError, Model};
use drystone_space::{Space, Vector};

/// How time is integrated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scheme {
    /// Share of the end velocity in the displacement; in (0, 1].
    pub theta: f64,
    /// Share of the end forces in the impulse; in [0, 1].
    pub xi: f64,
    /// Whether internal forces conserve energy for all laws; then θ = ξ = ½.
    pub conserving: bool,
}

impl Default for Scheme {
    fn default() -> Self {
        Self { theta: 0.5, xi: 0.5, conserving: false }
    }
}

/// Rayleigh's damping C = mass_factor M + stiffness_factor K, K as at the start of the step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Damping {
    /// Factor of M, in 1/s.
    pub mass_factor: f64,
    /// Factor of K, in s.
    pub stiffness_factor: f64,
}

/// What changed the energy of a solid in a step, contacts not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepWork {
    /// Work of applied forces, gravity not counted.
    pub external: f64,
    /// Work of what holds and moves the imposed nodes.
    pub imposed: f64,
    /// Loss by damping.
    pub damping: f64,
    /// What the scheme itself gives: zero for linear laws with θ = ξ = ½ and where it conserves.
    pub scheme: f64,
}

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
    /// Mean internal forces over the step at the last residual, and its rest.
    internal: Vec<S::Vector>,
    rest: Vec<S::Vector>,
    scratch: Vec<S::Vector>,
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
            internal: zero.clone(),
            rest: zero.clone(),
            scratch: zero,
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
        }
    }
    /// Goes on from a state: the next steps have the bits that they had after it.
    ///
    /// # Panics
    /// If it does not have a row for each node.
    pub fn restore(&mut self, state: &SolidState<S>) {
        self.positions.copy_from_slice(&state.positions);
        self.velocities.copy_from_slice(&state.velocities);
        self.start.elastic = state.elastic;
        self.system.set_stiffest(state.stiffest);
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
    /// Kinetic energy, (33).
    pub fn kinetic_energy(&self) -> f64 {
        self.model.kinetic_energy(&self.velocities)
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
        if self.needs_start_forces() {
            let Self { system, model, start, .. } = self;
            system.internal_forces(model, Between::At(&start.positions), &mut start.internal)?;
        }
        Ok(())
    }

    fn needs_start_forces(&self) -> bool {
        self.scheme.xi < 1.0 && !self.scheme.conserving
    }

    /// Adds forces on the nodes for this step.
    pub fn add_forces(&mut self, forces: &[S::Vector], factor: f64) {
        self.external.iter_mut().zip(forces).for_each(|(sum, &force)| *sum += force * factor);
    }

    /// Gives the velocity at the end of this step of a degree of freedom that is held.
    pub fn impose(&mut self, node: usize, axis: usize, velocity: f64) {
        let old = self.velocities[node];
        let new = S::Vector::from_fn(|i| if i == axis { velocity } else { old.get(i) });
        self.velocities[node] = new;
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
        let Self { model, rest, scratch, velocities, start, .. } = self;
        for (node, change) in scratch.iter_mut().enumerate() {
            *change = velocities[node] - start.velocities[node];
        }
        model.mass_times(scratch, rest);
        let (mut error, mut scale) = (0.0f64, 0.0f64);
        let h = self.time_step;
        self.damping_forces();
        for node in 0..self.rest.len() {
            let weight = self.gravity * self.model.node_mass(node);
            let inertia = self.rest[node];
            let inner = self.internal[node] * h;
            let push = (self.external[node] + weight - self.scratch[node]) * h;
            let momentum = self.start.velocities[node] * self.model.node_mass(node);
            self.rest[node] = inertia - inner - push;
            for term in [inertia, inner, push, momentum, self.impulses[node]] {
                scale = scale.max(term.norm_squared());
            }
            let open = self.rest[node] - self.impulses[node];
            let free = S::Vector::from_fn(|axis| match self.system.is_held(node, axis) {
                true => 0.0,
                false => open.get(axis),
            });
            error = error.max(free.norm_squared());
        }
        // Forces on nodes are differences of much larger ones: below their rounding nothing is left.
        let noise = h * self.system.force_noise(&self.positions);
        let error = (error.sqrt() - noise).max(0.0);
        Ok(if error > 0.0 { error / scale.sqrt() } else { 0.0 })
    }

    /// (1−ξ)F₀ + ξF₁, or the conserving forces.
    fn mean_internal_forces(&mut self) -> Result<(), FemError> {
        let Self { system, model, start, positions, internal, scheme, .. } = self;
        if scheme.conserving && !model.material().is_linear() {
            let at = Between::Middle(&start.positions, positions);
            return system.internal_forces(model, at, internal);
        }
        system.internal_forces(model, Between::At(positions), internal)?;
        if scheme.conserving {
            // A linear law conserves with the mean of both ends.
            system.internal_forces(model, Between::At(&start.positions), &mut start.internal)?;
        }
        for (mean, &before) in internal.iter_mut().zip(&start.internal) {
            *mean = before * (1.0 - scheme.xi) + *mean * scheme.xi;
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
        let mean: Vec<S::Vector> = self
            .start
            .velocities
            .iter()
            .zip(&self.velocities)
            .map(|(&before, &after)| before * (1.0 - xi) + after * xi)
            .collect();
        self.model.mass_times(&mean, &mut self.scratch);
        self.scratch.iter_mut().for_each(|force| *force = *force * mass_factor);
        if stiffness_factor > 0.0 {
            self.model.add_stiffness_times(
                &self.start.positions,
                &mean,
                stiffness_factor,
                &mut self.scratch,
            );
        }
    }

    /// Linearises about the last estimate, after [`residual`](Self::residual): factors A and finds
    /// the velocity without contacts.
    ///
    /// # Errors
    /// Names an element that is turned inside out, or one of a node where A is not definite.
    pub fn linearise(&mut self) -> Result<(), FemError> {
        let (h, Scheme { theta, xi, conserving }) = (self.time_step, self.scheme);
        let Damping { mass_factor, stiffness_factor } = self.damping;
        let coefficients =
            [1.0 + h * xi * mass_factor, h * h * theta * xi + h * xi * stiffness_factor];
        let Self { system, model, start, positions, .. } = self;
        let at = match conserving {
            true => Between::Middle(&start.positions, positions),
            false => Between::At(positions),
        };
        system.factor(model, coefficients, at)?;
        self.free.copy_from_slice(&self.rest);
        self.system.solve(&mut self.free);
        for (free, &velocity) in self.free.iter_mut().zip(&self.velocities) {
            *free = velocity - *free;
        }
        Ok(())
    }

    /// Velocities without contacts, after [`linearise`](Self::linearise).
    pub fn free(&self) -> &[S::Vector] {
        &self.free
    }

    /// Makes ready the answers of the surface to impulses at these nodes of it.
    pub fn prepare(&mut self, nodes: impl IntoIterator<Item = u32>) {
        self.system.prepare(&self.model, nodes);
    }
    /// The velocities of the surface's nodes after a unit impulse at one of them.
    pub fn answer(&self, node: u32, axis: usize) -> &[S::Vector] {
        self.system.answer(&self.model, node, axis)
    }

    /// Takes the impulses of contacts (all of them, on nodes of the surface) as the step's.
    pub fn close(&mut self, impulses: impl IntoIterator<Item = (u32, S::Vector)>) {
        self.impulses.fill(S::Vector::ZERO);
        for (node, impulse) in impulses {
            self.impulses[node as usize] += impulse;
        }
        self.velocities.copy_from_slice(&self.free);
        if self.impulses.iter().any(|p| *p != S::Vector::ZERO) {
            self.scratch.copy_from_slice(&self.impulses);
            self.system.solve(&mut self.scratch);
            for (velocity, &change) in self.velocities.iter_mut().zip(&self.scratch) {
                *velocity += change;
            }
        }
    }

    /// Ends the step: what changed the energy, contacts not counted.
    ///
    /// # Errors
    /// Names an element that is turned inside out.
    pub fn finish(&mut self) -> Result<StepWork, FemError> {
        self.residual()?;
        let h = self.time_step;
        let elastic = self.end_energy();
        let mut work = StepWork { scheme: elastic - self.start.elastic, ..StepWork::default() };
        for node in 0..self.positions.len() {
            let mean = (self.start.velocities[node] + self.velocities[node]) * 0.5;
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
    /// end, which the mean ones contain.
    fn end_energy(&self) -> f64 {
        if !self.model.material().is_linear() {
            return self.elastic_energy();
        }
        let xi = self.scheme.xi;
        let work = |node: usize| {
            let end = (self.internal[node] - self.start.internal[node] * (1.0 - xi)) / xi;
            end.dot(self.positions[node] - self.model.mesh().nodes[node])
        };
        -0.5 * (0..self.positions.len()).map(work).sum::<f64>()
    }

    /// The worst of the last residual: its node and an element that has it.
    pub fn worst(&self) -> (usize, usize) {
        let open = |node: &usize| (self.rest[*node] - self.impulses[*node]).norm_squared();
        let nodes = 0..self.rest.len();
        let node = nodes.max_by(|a, b| open(a).total_cmp(&open(b))).unwrap_or(0);
        (node, self.model.element_of(node))
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

/// What is asked of Newton's iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Newton {
    /// The largest rest of a node, relative to the largest term of the equation.
    pub tolerance: f64,
    /// Most iterations.
    pub most: usize,
}

impl Default for Newton {
    fn default() -> Self {
        Self { tolerance: 1e-10, most: 30 }
    }
}

/// How an iteration went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Convergence {
    /// Iterations made.
    pub iterations: usize,
    /// Relative residual reached.
    pub residual: f64,
}
