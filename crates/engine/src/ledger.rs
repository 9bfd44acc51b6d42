//! The energy ledger: what each step's change of kinetic energy is made of.
//!
//! From u_f − u_i = A⁻¹(hF + ΣG*P) follows, exactly and whatever the solver's tolerance,
//! ½(u_f+u_i)·A(u_f−u_i) = ½(u_f+u_i)·(hF + ΣG*P). The right-hand side is booked part by part;
//! the contact part is split by Jean & Moreau 1992, (6.2): what the formal velocity does against
//! the impulse is friction, what the dissipation index takes is impact.

/// Energies and works since the start, in joules.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ledger {
    /// Kinetic energy now.
    pub kinetic: f64,
    /// Potential energy in gravity now, zero at the origin.
    pub potential: f64,
    /// Elastic energy of deformable solids now.
    pub elastic: f64,
    /// Work of applied forces and torques, of the loads of sliders and of motors in joints, gravity not counted.
    pub external_work: f64,
    /// Work of moving boundaries on bodies.
    pub boundary_work: f64,
    /// Loss by friction.
    pub friction_loss: f64,
    /// Loss by impact.
    pub impact_loss: f64,
    /// Loss by the damping of deformable solids and by dampers in joints, and what springs of joints held that break.
    pub damping_loss: f64,
    /// Loss of bodies that fall asleep.
    pub sleep_loss: f64,
    /// Energy given by the gap form when it makes good an overlap.
    pub recovery_work: f64,
    /// Work of cohesion: negative where contacts were pulled open.
    pub cohesion_work: f64,
    /// Energy stored in springs now.
    pub springs: f64,
    /// Energy stored in bonds now.
    pub bonds: f64,
    /// Loss by the damage of bonds: what they had stored of it, at the stretch at which the step began that damaged it.
    pub rupture_loss: f64,
    /// What springs and bonds have given beside their energy, since their forces are atomised: no more than a
    /// discretisation error.
    pub atomisation_work: f64,
    /// What joints have given beside the work of boundaries, as they bring positions and velocities back onto their
    /// constraints: no more than a discretisation error, but for what velocities lose that were set across a constraint.
    pub joint_work: f64,
    /// Loss by drag.
    pub drag_loss: f64,
    /// Least loss of any step, by friction, impact, drag, damping and rupture together, as a part of the energy then
    /// present: negative where a step has created energy (Clausius–Duhem).
    pub dissipation_min: f64,
    /// Energy given by the integration of deformable solids in time: zero where it conserves.
    pub scheme_work: f64,
    /// Energy brought by bodies that entered during the run.
    pub inserted: f64,
    /// Energy given from outside by setting positions and velocities of bodies.
    pub intervention: f64,
    /// Energy at the start: kinetic, potential, elastic and in springs.
    pub initial: f64,
    /// Largest energy seen so far: the scale of the closure.
    pub scale: f64,
    /// Largest relative closure of all steps so far.
    pub closure_max: f64,
}

impl Ledger {
    /// What the books do not explain, in joules: zero but for rounding.
    pub fn imbalance(&self) -> f64 {
        let now = self.kinetic + self.potential + self.elastic + self.springs + self.bonds;
        let given = self.initial
            + self.inserted
            + self.intervention
            + self.external_work
            + self.boundary_work
            + self.recovery_work
            + self.cohesion_work
            + self.atomisation_work
            + self.joint_work
            + self.scheme_work;
        now - (given - self.loss())
    }
    /// All losses: by friction, impact, drag, damping and rupture, and of what falls asleep.
    pub fn loss(&self) -> f64 {
        let slow = self.drag_loss + self.damping_loss + self.sleep_loss;
        self.friction_loss + self.impact_loss + slow + self.rupture_loss
    }
    /// The imbalance divided by the largest energy seen so far.
    pub fn closure(&self) -> f64 {
        if self.scale > 0.0 { self.imbalance().abs() / self.scale } else { 0.0 }
    }
}
