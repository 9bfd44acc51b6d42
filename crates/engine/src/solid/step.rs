//! The stages of a step as far as solids take part in them.

use super::contact::{ContactSide, Partner, SolidContact, end_velocity};
use super::find::Found;
use super::part::CompliantPart;
use crate::{Dimension, SetupError, StepError, Story, World};
use drystone_fem::{FemError, Model, Solid, StepWork};
use drystone_solve::SolveReport;
use drystone_space::{Frame, Local, Vector};

/// Scratch of a step with solids.
pub(crate) struct SolidWork<S: Dimension> {
    /// Where the nodes of each solid are as contacts are looked for.
    pub positions: Vec<Vec<S::Vector>>,
    pub found: Found<S>,
    /// Places on each solid's surface that contacts touch, rising.
    touched: Vec<Vec<u32>>,
    /// Impulses on the nodes of each solid.
    pushes: Vec<Vec<(u32, S::Vector)>>,
    pub part: CompliantPart<S>,
    /// Nodal forces of each traction of each solid, at factor 1.
    tractions: Vec<Vec<Vec<S::Vector>>>,
}

impl<S: Dimension> Default for SolidWork<S> {
    fn default() -> Self {
        Self {
            positions: Vec::new(),
            found: Found::default(),
            touched: Vec::new(),
            pushes: Vec::new(),
            part: CompliantPart::default(),
            tractions: Vec::new(),
        }
    }
}

impl<S: Dimension> std::fmt::Debug for SolidWork<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SolidWork").field("part", &self.part).finish_non_exhaustive()
    }
}

impl<S: Dimension> SolidWork<S> {
    /// How fast the sides of a contact of solids came nearer to each other before the step.
    pub fn approach(&self, contact: usize) -> f64 {
        self.found.contacts.get(contact).map_or(0.0, |soft| -soft.before.normal())
    }

    /// Contacts of the part of the problem in which solids take part.
    pub fn contacts(&self) -> usize {
        self.part.problem.contacts.len()
    }
}

impl<S: Dimension> World<S> {
    /// Makes the solids of the setup.
    pub(crate) fn add_solids(&mut self) -> Result<(), SetupError> {
        if self.setup.solids.is_empty() {
            return Ok(());
        }
        for index in 0..self.setup.solids.len() {
            let (solid, tractions) = self.make_solid(index).map_err(|error| {
                let name = self.setup.solids[index].name.clone();
                SetupError::Solid { name, error: Box::new(error) }
            })?;
            self.state.solids.push(solid);
            self.work.solid.tractions.push(tractions);
            self.work.solid.positions.push(Vec::new());
            self.work.solid.touched.push(Vec::new());
            self.work.solid.pushes.push(Vec::new());
        }
        Ok(())
    }

    #[allow(clippy::type_complexity)]
    fn make_solid(&self, index: usize) -> Result<(Solid<S>, Vec<Vec<S::Vector>>), FemError> {
        let setup = &self.setup.solids[index];
        let model = Model::new(setup.mesh.clone(), setup.elastic, setup.section, setup.mass)?;
        let tractions: Result<Vec<_>, _> =
            setup.tractions.iter().map(|t| model.traction(&t.group, t.traction)).collect();
        let centre = (0..setup.mesh.nodes.len())
            .fold(S::Vector::ZERO, |sum, n| sum + setup.mesh.nodes[n] * model.node_mass(n))
            / model.mass();
        let scheme = self.setup.solid_settings.scheme;
        let mut solid = Solid::new(model, scheme, setup.damping)?;
        let nodes = setup.mesh.nodes.iter();
        let velocities: Vec<S::Vector> =
            nodes.map(|&x| setup.velocity + S::velocity_at(setup.spin, x - centre)).collect();
        solid.set_velocities(&velocities);
        for imposed in &setup.imposed {
            for &node in &imposed.nodes {
                for (axis, _) in imposed.axes.iter().enumerate().filter(|(_, held)| **held) {
                    solid.hold(node as usize, axis);
                }
            }
        }
        if let Some(count) = setup.modes {
            solid.reduce_to_modes(count)?;
        }
        Ok((solid, tractions?))
    }

    fn solid_error(&self, index: usize, error: FemError) -> StepError {
        let name = self.setup.solids[index].name.clone();
        let error = Box::new(error);
        StepError::Solid { step: self.state.steps, time: self.time(), name, error }
    }

    /// Opens the step of every solid: forces, imposed velocities.
    pub(crate) fn predict_solids(&mut self) -> Result<(), StepError> {
        let h = self.setup.time_step;
        let (middle, end) = (self.time() + 0.5 * h, self.time() + h);
        // A step without inertia ends in equilibrium with the loads of its end.
        let quasi_static = self.setup.solid_settings.scheme.quasi_static;
        let loaded = if quasi_static { end } else { middle };
        for index in 0..self.state.solids.len() {
            let setup = &self.setup.solids[index];
            let solid = &mut self.state.solids[index];
            let begun = solid.begin(h, self.setup.gravity);
            let tractions = setup.tractions.iter().zip(&self.work.solid.tractions[index]);
            for (traction, forces) in tractions {
                solid.add_forces(forces, traction.factor.sample(loaded).0);
            }
            for imposed in &setup.imposed {
                let velocity = imposed.velocity * imposed.factor.sample(end).0;
                for &node in &imposed.nodes {
                    for (axis, _) in imposed.axes.iter().enumerate().filter(|(_, held)| **held) {
                        solid.impose(node as usize, axis, velocity.get(axis));
                    }
                }
            }
            begun.map_err(|error| self.solid_error(index, error))?;
        }
        Ok(())
    }

    /// Gives contacts that were there before the impulses that they had.
    pub(crate) fn recall_solids(&mut self) {
        let contacts = &mut self.work.solid.found.contacts;
        // The last step's contacts are sorted by key.
        for soft in contacts.iter_mut() {
            let key = soft.contact.key();
            let found = self.state.solid_contacts.binary_search_by(|old| old.key().cmp(&key));
            if let Ok(index) = found {
                let old = &self.state.solid_contacts[index];
                soft.contact.impulse = old.impulse;
                soft.contact.bonded = old.bonded;
            }
        }
        contacts.sort_unstable_by_key(|soft| soft.contact.key());
        let mut found = std::mem::take(&mut self.work.solid.found);
        let parting = if self.setup.laws.has_percussions() { self.parting_speed() } else { 0.0 };
        for soft in &mut found.contacts {
            let law = self.law_of(&soft.contact);
            soft.law = self.solver_law(soft, law, parting, &mut found.specials);
        }
        self.work.solid.found = found;
    }

    /// Newton's iteration over solids, contacts solved anew in each.
    pub(crate) fn solve_part(
        &mut self,
        story: &mut Story,
    ) -> Result<(SolveReport, usize), StepError> {
        let newton = self.setup.solid_settings.newton;
        let linear = self.state.solids.iter().all(|solid| solid.model().material().is_linear());
        let coupled = !self.work.solid.found.contacts.is_empty();
        let mut report = SolveReport::default();
        self.find_touched();
        let mut iterations = 0;
        // What solids answer is condensed in the first iteration in any case: contacts are new.
        let mut new = true;
        loop {
            let (residual, worst) = match self.solid_residual() {
                Ok(found) => found,
                Err(_) if self.retry_solids() => continue,
                Err(error) => return Err(error),
            };
            // Free flight needs no iteration: the start velocity is the solution.
            let tried = iterations > 0 || !coupled;
            if (linear && iterations > 0) || (tried && residual <= newton.tolerance) {
                return Ok((report, iterations));
            }
            if iterations == newton.most {
                let (node, element) = self.state.solids[worst].worst();
                let tolerance = newton.tolerance;
                let error =
                    FemError::NotConverged { iterations, residual, tolerance, node, element };
                return Err(self.solid_error(worst, error));
            }
            for index in 0..self.state.solids.len() {
                let outcome = self.state.solids[index].linearise();
                new |= outcome.map_err(|error| self.solid_error(index, error))?;
            }
            iterations += 1;
            if coupled {
                let again = self.solve_linearised(new, story);
                report = SolveReport { iterations: report.iterations + again.iterations, ..again };
            } else {
                self.state.solids.iter_mut().for_each(|solid| solid.close([]));
            }
            new = false;
        }
    }

    /// Begins the iteration anew where tangents of earlier steps have turned an element inside out. False
    /// if all are of this step.
    fn retry_solids(&mut self) -> bool {
        let mut any = false;
        for solid in &mut self.state.solids {
            any |= solid.retry();
        }
        any
    }

    /// Largest residual of all solids, and whose it is.
    fn solid_residual(&mut self) -> Result<(f64, usize), StepError> {
        let mut worst = (0.0, 0);
        for index in 0..self.state.solids.len() {
            match self.state.solids[index].residual() {
                Ok(residual) if residual > worst.0 || residual.is_nan() => {
                    worst = (residual, index)
                }
                Ok(_) => {}
                Err(error) => return Err(self.solid_error(index, error)),
            }
        }
        Ok(worst)
    }

    /// The places of surfaces that are touched.
    fn find_touched(&mut self) {
        let work = &mut self.work.solid;
        work.touched.iter_mut().for_each(Vec::clear);
        for soft in &work.found.contacts {
            for side in [&soft.first, &soft.second] {
                if let ContactSide::Nodes { solid, spot } = side {
                    let surface = self.state.solids[*solid as usize].model().surface();
                    let places = spot.nodes().iter().map(|&(node, _)| surface.place(node) as u32);
                    work.touched[*solid as usize].extend(places);
                }
            }
        }
        for touched in &mut work.touched {
            touched.sort_unstable();
            touched.dedup();
        }
    }

    /// The contact problem of one iteration, and what follows for bodies and solids; `new` if the solids answer to
    /// impulses in another way than before.
    fn solve_linearised(&mut self, new: bool, story: &mut Story) -> SolveReport {
        let settings = self.solver_settings();
        let work = &mut self.work.solid;
        if new {
            for (solid, touched) in self.state.solids.iter_mut().zip(&work.touched) {
                solid.prepare(touched);
            }
            work.part.take_responses(&self.state.solids, &work.touched, settings.relaxation);
        }
        work.part.take_free_velocities(&self.state.solids);
        let (method, many) =
            (self.setup.solid_settings.method, self.setup.params.methods.many_solid_sweeps);
        let report = work.part.solve(method, &settings, many, &self.work.threads, story);
        work.part.hand_over(&mut self.work.rigid.solution.twists);
        work.pushes.iter_mut().for_each(Vec::clear);
        let impulses = &work.part.solution.impulses[work.part.contacts.len()..];
        for (soft, &impulse) in work.found.contacts.iter_mut().zip(impulses) {
            let world = soft.frame.to_world(impulse);
            soft.contact.impulse = world;
            for (side, push) in [(&soft.first, world), (&soft.second, -world)] {
                if let ContactSide::Nodes { solid, spot } = side {
                    let shares = spot.nodes().iter().map(|&(node, weight)| (node, push * weight));
                    work.pushes[*solid as usize].extend(shares);
                }
            }
        }
        for (solid, pushes) in self.state.solids.iter_mut().zip(&work.pushes) {
            solid.close(pushes.iter().copied());
        }
        report
    }

    /// Ends the step of every solid and books what changed its energy.
    pub(crate) fn account_solids(&mut self) -> Result<(), StepError> {
        for index in 0..self.state.solids.len() {
            let outcome = self.state.solids[index].finish();
            let work: StepWork = outcome.map_err(|error| self.solid_error(index, error))?;
            let finite = self.state.solids[index].velocities().iter().all(|v| v.finite());
            if !finite {
                let name = self.setup.solids[index].name.clone();
                return Err(StepError::SolidNotFinite {
                    step: self.state.steps,
                    time: self.time(),
                    name,
                });
            }
            self.state.ledger.external_work += work.external;
            self.state.ledger.boundary_work += work.imposed;
            self.state.ledger.damping_loss += work.damping;
            self.state.ledger.scheme_work += work.scheme;
        }
        self.book_solid_contacts();
        Ok(())
    }

    /// As for rigid contacts (Jean & Moreau 1992, (6.2)); bonds that cannot heal are broken.
    fn book_solid_contacts(&mut self) {
        self.state.solid_contacts.clear();
        let mut contacts = std::mem::take(&mut self.work.solid.found.contacts);
        let quasi_static = self.setup.solid_settings.scheme.quasi_static;
        for soft in &mut contacts {
            let impulse = soft.frame.to_local(soft.contact.impulse);
            let given = soft.frame.to_local(soft.given);
            let twists = &self.work.rigid.solution.twists;
            let after = soft.relative(twists, end_velocity(&self.state.solids)) - given;
            soft.contact.velocity = soft.frame.to_world(after);
            if quasi_static {
                // The velocity is that of the step, and there is none before.
                soft.before = after;
            }
            let special = soft.law.special(&self.work.solid.found.specials);
            let cohesion = special.map_or(0.0, |special| special.cohesion());
            let push = S::Local::new(impulse.normal() + cohesion, impulse.tangent());
            let lost = -0.5 * (soft.before + after).dot(push);
            let formal = soft.formal(after);
            let friction = -formal.tangent().dot(impulse.tangent());
            let recovery = if soft.closing == 0.0 { 0.0 } else { formal.normal() * push.normal() };
            self.state.ledger.cohesion_work -= 0.5 * cohesion * (soft.before + after).normal();
            self.state.ledger.friction_loss += friction;
            self.state.ledger.recovery_work += recovery;
            self.state.ledger.impact_loss += lost - friction + recovery;
            self.state.ledger.boundary_work += given.dot(impulse);
            if let Partner::Boundary(index) = soft.contact.partner {
                self.state.boundaries[index as usize].impulse -= soft.contact.impulse;
            }
            let healing = self.law_of(&soft.contact).cohesion().reversible;
            soft.contact.bonded &= healing || impulse.normal() > -cohesion;
            self.state.solid_contacts.push(soft.contact);
        }
        self.work.solid.found.contacts = contacts;
    }

    /// Kinetic, potential and elastic energy of all solids.
    pub(crate) fn solid_energies(&self) -> [f64; 3] {
        let gravity = self.setup.gravity;
        self.state.solids.iter().fold([0.0; 3], |[kinetic, potential, elastic], solid| {
            [
                kinetic + solid.kinetic_energy(),
                potential + solid.potential_energy(gravity),
                elastic + solid.stored_energy(),
            ]
        })
    }

    /// The deformable solids as they are now.
    pub fn solids(&self) -> &[Solid<S>] {
        &self.state.solids
    }
    /// The contacts of solids in the last step.
    pub fn solid_contacts(&self) -> &[SolidContact<S>] {
        &self.state.solid_contacts
    }
}
