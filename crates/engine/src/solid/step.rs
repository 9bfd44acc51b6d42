//! The stages of a step as far as solids take part in them.

use super::contact::{Partner, Side, SolidContact, end_velocity};
use super::coupled::{Coupled, Parts};
use super::find::Found;
use crate::solve::ROUNDS;
use crate::{Deformable, Dimension, SetupError, StepError, World};
use drystone_fem::{FemError, Model, Solid, StepWork};
use drystone_solve::solvers::Limits;
use drystone_solve::{Residual, SolveReport, Status};
use drystone_space::{Frame, Local, Vector};

/// Scratch of a step with solids.
pub(crate) struct SolidWork<S: Dimension> {
    /// Where the nodes of each solid are as contacts are looked for.
    pub places: Vec<Vec<S::Vector>>,
    pub found: Found<S>,
    /// Places on each solid's surface that contacts touch, rising.
    touched: Vec<Vec<u32>>,
    impulses: Vec<S::Local>,
    /// Impulses on the nodes of each solid.
    pushes: Vec<Vec<(u32, S::Vector)>>,
    pub coupled: <S as Deformable>::Coupled,
    /// Nodal forces of each traction of each solid, at factor 1.
    tractions: Vec<Vec<Vec<S::Vector>>>,
}

impl<S: Dimension> Default for SolidWork<S> {
    fn default() -> Self {
        Self {
            places: Vec::new(),
            found: Found::default(),
            touched: Vec::new(),
            impulses: Vec::new(),
            pushes: Vec::new(),
            coupled: Default::default(),
            tractions: Vec::new(),
        }
    }
}

impl<S: Dimension> std::fmt::Debug for SolidWork<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SolidWork").field("coupled", &self.coupled).finish_non_exhaustive()
    }
}

impl<S: Dimension> World<S> {
    /// Makes the solids of the setup.
    pub(crate) fn add_solids(&mut self) -> Result<(), SetupError> {
        let settings = &self.setup.solid_settings;
        if !self.solid_work.coupled.choose(&settings.solver) {
            let solver = settings.solver.clone();
            return Err(SetupError::NoSuchSolver { solver });
        }
        if self.setup.solids.is_empty() {
            return Ok(());
        }
        for index in 0..self.setup.solids.len() {
            let (solid, tractions) = self.make_solid(index).map_err(|error| {
                let name = self.setup.solids[index].name.clone();
                SetupError::Solid { name, error: Box::new(error) }
            })?;
            self.solids.push(solid);
            self.solid_work.tractions.push(tractions);
            self.solid_work.places.push(Vec::new());
            self.solid_work.touched.push(Vec::new());
            self.solid_work.pushes.push(Vec::new());
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
            nodes.map(|&x| setup.velocity + S::sweep(setup.spin, x - centre)).collect();
        solid.set_velocities(&velocities);
        for imposed in &setup.imposed {
            for &node in &imposed.nodes {
                for (axis, _) in imposed.axes.iter().enumerate().filter(|(_, held)| **held) {
                    solid.hold(node as usize, axis);
                }
            }
        }
        Ok((solid, tractions?))
    }

    fn solid_error(&self, index: usize, error: FemError) -> StepError {
        let name = self.setup.solids[index].name.clone();
        let error = Box::new(error);
        StepError::Solid { step: self.steps, time: self.time(), name, error }
    }

    /// Opens the step of every solid: forces, imposed velocities.
    pub(crate) fn predict_solids(&mut self) -> Result<(), StepError> {
        let h = self.setup.time_step;
        let (middle, end) = (self.time() + 0.5 * h, self.time() + h);
        for index in 0..self.solids.len() {
            let setup = &self.setup.solids[index];
            let solid = &mut self.solids[index];
            let begun = solid.begin(h, self.setup.gravity);
            let tractions = setup.tractions.iter().zip(&self.solid_work.tractions[index]);
            for (traction, forces) in tractions {
                solid.add_forces(forces, traction.factor.sample(middle).0);
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
        let contacts = &mut self.solid_work.found.contacts;
        // The last step's contacts are sorted by key.
        for soft in contacts.iter_mut() {
            let key = soft.contact.key();
            let found = self.solid_contacts.binary_search_by(|old| old.key().cmp(&key));
            if let Ok(place) = found {
                let old = &self.solid_contacts[place];
                soft.contact.impulse = old.impulse;
                soft.contact.bonded = old.bonded;
            }
        }
        contacts.sort_unstable_by_key(|soft| soft.contact.key());
        let mut found = std::mem::take(&mut self.solid_work.found);
        for soft in &mut found.contacts {
            let law = self.law_of(&soft.contact);
            soft.law = self.solver_law(soft, law, &mut found.specials);
        }
        self.solid_work.found = found;
    }

    /// Newton's iteration over solids, contacts solved anew in each.
    pub(crate) fn solve_with_solids(&mut self) -> Result<(SolveReport, usize), StepError> {
        let newton = self.setup.solid_settings.newton;
        let linear = self.solids.iter().all(|solid| solid.model().material().is_linear());
        let coupled = !self.solid_work.found.contacts.is_empty();
        let nothing =
            SolveReport { status: Status::Solved, iterations: 0, residual: Residual::default() };
        let mut report = if coupled { nothing } else { self.solve().0 };
        self.start_impulses();
        let mut iterations = 0;
        // The contact problem of the first iteration is assembled in any case.
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
                let (node, element) = self.solids[worst].worst();
                let tolerance = newton.tolerance;
                let error =
                    FemError::NotConverged { iterations, residual, tolerance, node, element };
                return Err(self.solid_error(worst, error));
            }
            for index in 0..self.solids.len() {
                let outcome = self.solids[index].linearise();
                new |= outcome.map_err(|error| self.solid_error(index, error))?;
            }
            iterations += 1;
            if coupled {
                report = self.solve_with_drag(new, report.iterations);
            } else {
                self.solids.iter_mut().for_each(|solid| solid.close([]));
            }
            new = false;
        }
    }

    /// Begins the iteration anew where tangents of earlier steps have turned an element inside out. False
    /// if all are of this step.
    fn retry_solids(&mut self) -> bool {
        let mut any = false;
        for solid in &mut self.solids {
            any |= solid.retry();
        }
        any
    }

    /// The contact problem of one iteration, again until quadratic drag agrees with it; `new` if it must
    /// be assembled. Adds to the sweeps that were made before.
    fn solve_with_drag(&mut self, new: bool, before: usize) -> SolveReport {
        let mut report = self.solve_coupled(new);
        report.iterations += before;
        for _ in 0..ROUNDS {
            if !self.brake_again() {
                break;
            }
            let again = self.solve_coupled(true);
            report = SolveReport { iterations: report.iterations + again.iterations, ..again };
        }
        report
    }

    /// Largest residual of all solids, and whose it is.
    fn solid_residual(&mut self) -> Result<(f64, usize), StepError> {
        let mut worst = (0.0, 0);
        for index in 0..self.solids.len() {
            match self.solids[index].residual() {
                Ok(residual) if residual > worst.0 || residual.is_nan() => {
                    worst = (residual, index)
                }
                Ok(_) => {}
                Err(error) => return Err(self.solid_error(index, error)),
            }
        }
        Ok(worst)
    }

    /// The warm start, rigid contacts first, and the places of surfaces that are touched.
    fn start_impulses(&mut self) {
        let work = &mut self.solid_work;
        work.impulses.clear();
        work.impulses.extend_from_slice(&self.work.solution.impulses);
        for soft in &work.found.contacts {
            let start = soft.frame.to_local(soft.contact.impulse);
            work.impulses.push(match soft.law.special(&work.found.specials) {
                Some(special) => special.project(start, S::Local::ZERO).0,
                None => soft.law.project::<S>(start),
            });
        }
        work.touched.iter_mut().for_each(Vec::clear);
        for soft in &work.found.contacts {
            for side in [&soft.first, &soft.second] {
                if let Side::Nodes { solid, spot } = side {
                    let surface = self.solids[*solid as usize].model().surface();
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

    /// One contact problem over bodies and solids, and what follows for both.
    fn solve_coupled(&mut self, new: bool) -> SolveReport {
        let work = &mut self.solid_work;
        for (solid, touched) in self.solids.iter_mut().zip(&work.touched) {
            solid.prepare(touched);
        }
        let parts = Parts {
            rigid: &self.work.problem,
            soft: &work.found.contacts,
            specials: &work.found.specials,
            solids: &self.solids,
            touched: &work.touched,
        };
        match new {
            true => work.coupled.assemble(&parts),
            false => work.coupled.release(&parts),
        }
        let settings = &self.setup.solver;
        let limits =
            Limits { tolerance: settings.tolerance, max_iterations: settings.max_iterations };
        let report = work.coupled.solve(&mut work.impulses, &limits);
        let rigid = self.work.problem.contacts.len();
        self.work.solution.impulses.copy_from_slice(&work.impulses[..rigid]);
        self.work.solution.refresh(&self.work.problem);
        work.pushes.iter_mut().for_each(Vec::clear);
        for (soft, &impulse) in work.found.contacts.iter_mut().zip(&work.impulses[rigid..]) {
            let world = soft.frame.to_world(impulse);
            soft.contact.impulse = world;
            for (side, push) in [(&soft.first, world), (&soft.second, -world)] {
                side.push(push, &self.work.problem.movers, &mut self.work.solution.twists);
                if let Side::Nodes { solid, spot } = side {
                    let shares = spot.nodes().iter().map(|&(node, weight)| (node, push * weight));
                    work.pushes[*solid as usize].extend(shares);
                }
            }
        }
        for (solid, pushes) in self.solids.iter_mut().zip(&work.pushes) {
            solid.close(pushes.iter().copied());
        }
        report
    }

    /// Ends the step of every solid and books what changed its energy.
    pub(crate) fn account_solids(&mut self) -> Result<(), StepError> {
        for index in 0..self.solids.len() {
            let outcome = self.solids[index].finish();
            let work: StepWork = outcome.map_err(|error| self.solid_error(index, error))?;
            let finite = self.solids[index].velocities().iter().all(|v| v.finite());
            if !finite {
                let name = self.setup.solids[index].name.clone();
                return Err(StepError::SolidNotFinite {
                    step: self.steps,
                    time: self.time(),
                    name,
                });
            }
            self.ledger.external_work += work.external;
            self.ledger.boundary_work += work.imposed;
            self.ledger.damping_loss += work.damping;
            self.ledger.scheme_work += work.scheme;
        }
        self.book_solid_contacts();
        Ok(())
    }

    /// As for rigid contacts (Jean & Moreau 1992, (6.2)); bonds that cannot heal are broken.
    fn book_solid_contacts(&mut self) {
        self.solid_contacts.clear();
        let mut contacts = std::mem::take(&mut self.solid_work.found.contacts);
        for soft in &mut contacts {
            let impulse = soft.frame.to_local(soft.contact.impulse);
            let given = soft.frame.to_local(soft.given);
            let twists = &self.work.solution.twists;
            let after = soft.relative(twists, end_velocity(&self.solids)) - given;
            soft.contact.velocity = soft.frame.to_world(after);
            let special = soft.law.special(&self.solid_work.found.specials);
            let cohesion = special.map_or(0.0, |special| special.cohesion);
            let push = S::Local::new(impulse.normal() + cohesion, impulse.tangent());
            let lost = -0.5 * (soft.before + after).dot(push);
            let formal = soft.formal(after);
            let friction = -formal.tangent().dot(impulse.tangent());
            let recovery = if soft.closing == 0.0 { 0.0 } else { formal.normal() * push.normal() };
            self.ledger.cohesion_work -= 0.5 * cohesion * (soft.before + after).normal();
            self.ledger.friction_loss += friction;
            self.ledger.recovery_work += recovery;
            self.ledger.impact_loss += lost - friction + recovery;
            self.ledger.boundary_work += given.dot(impulse);
            if let Partner::Boundary(index) = soft.contact.partner {
                self.boundaries[index as usize].impulse -= soft.contact.impulse;
            }
            let healing = self.law_of(&soft.contact).cohesion.reversible;
            soft.contact.bonded &= healing || impulse.normal() > -cohesion;
            self.solid_contacts.push(soft.contact);
        }
        self.solid_work.found.contacts = contacts;
    }

    /// Kinetic, potential and elastic energy of all solids.
    pub(crate) fn solid_energies(&self) -> [f64; 3] {
        let gravity = self.setup.gravity;
        self.solids.iter().fold([0.0; 3], |[kinetic, potential, elastic], solid| {
            [
                kinetic + solid.kinetic_energy(),
                potential + solid.potential_energy(gravity),
                elastic + solid.stored_energy(),
            ]
        })
    }

    /// The deformable solids as they are now.
    pub fn solids(&self) -> &[Solid<S>] {
        &self.solids
    }
    /// The contacts of solids in the last step.
    pub fn solid_contacts(&self) -> &[SolidContact<S>] {
        &self.solid_contacts
    }
}
