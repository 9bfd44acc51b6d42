//! What is chosen about the motion of a solid, and what is said of a step: the notation is that of `solid.rs`.

/// How time is integrated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scheme {
    /// Share of the end velocity in the displacement; in (0, 1].
    pub theta: f64,
    /// Share of the end forces in the impulse; in [0, 1].
    pub xi: f64,
    /// Whether internal forces conserve energy for all laws; then θ = ξ = ½.
    pub conserving: bool,
    /// Whether inertia is left out: each step ends in equilibrium, and θ = ξ = 1.
    pub quasi_static: bool,
}

impl Default for Scheme {
    fn default() -> Self {
        Self { theta: 0.5, xi: 0.5, conserving: false, quasi_static: false }
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
