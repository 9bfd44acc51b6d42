//! The cell in a step: where it is at the midpoint and at the end, what contacts see of it, which pairs can touch in it.

use super::check::{least_cell_width, radius_around};
use super::{Cell, CellDrive, CellState};
use crate::assemble::boundary_velocity_at;
use crate::state::BoundaryState;
use crate::workspace::RigidWork;
use crate::{Body, Contact, Dimension, Owner, Setup, StepError, World};
use drystone_detect::{Extent, PeriodicPairs, PeriodicProxy};
use drystone_solve::Shared;
use drystone_space::{ExactSum, Frame, Lattice, Local, Matrix, Vector, math};

/// Which share of all contacts a sweep changes as if at once. Cauchy's bound is 1; sweeps never came near it.
const TOGETHER: f64 = 0.5;

/// The part of the cell that a spring may span: at a half it would pull to and fro between two images.
const LONGEST_SPRING: f64 = 0.49;

/// The cell in the step under way.
#[derive(Debug)]
pub(crate) struct CellNow<S: Dimension> {
    /// At the midpoint.
    pub lattice: Lattice<S>,
    /// L at the start of the step; what is given is that of the midpoint.
    pub before: Matrix<S>,
    /// L at the end, where contacts leave it alone.
    pub without_contacts: Matrix<S>,
    /// L at the end, as it was found.
    pub after: Matrix<S>,
    /// L that makes good the overlaps, where positions do that.
    pub placed: Option<Matrix<S>>,
    /// Components that are free, by row and column.
    pub free: Vec<(usize, usize)>,
    /// W of each of them.
    pub inertia: f64,
    /// What is asked of the stress; zero where a component is given.
    pub asked: Matrix<S>,
    /// Σ m u ⊗ u at the start.
    pub carried: Matrix<S>,
    /// Σ P ⊗ ℓ of what pulls between bodies beside contacts, and is known before the solve.
    pub pulled: Matrix<S>,
    /// Whether it ever changes its vectors.
    pub moves: bool,
    pairs: PeriodicPairs<S>,
    proxies: Vec<PeriodicProxy<S>>,
    /// Radii of the balls around all shapes.
    radii: Vec<f64>,
    /// The cell must stay wider than this.
    needed: f64,
}

impl<S: Dimension> CellNow<S> {
    /// That of a setup with these bodies.
    pub fn new(setup: &Setup<S>, bodies: &[Body<S>], most: usize) -> Option<Self> {
        let cell = setup.cell.as_ref()?;
        // Those that are yet to enter are counted too: what the cell weighs does not change in a run.
        let all = || bodies.iter().chain(setup.arrivals.iter().map(|arrival| &arrival.body));
        let mass: f64 = all().map(|body| body.mass).sum();
        let parts = all().flat_map(|body| &*body.parts);
        let solids = parts.filter_map(|part| S::solid(&part.shape));
        let measure: f64 = solids.map(|solid| solid.measure).sum();
        let count = all().count().max(1) as f64;
        let size = math::powf(measure / count, 2.0 / S::DIMENSION as f64);
        Some(Self {
            lattice: cell.lattice,
            before: Matrix::ZERO,
            without_contacts: Matrix::ZERO,
            after: Matrix::ZERO,
            placed: None,
            free: Vec::with_capacity(S::DIMENSION * S::DIMENSION),
            inertia: cell.inertia * mass * size,
            asked: Matrix::ZERO,
            carried: Matrix::ZERO,
            pulled: Matrix::ZERO,
            moves: cell.moves(),
            pairs: PeriodicPairs::with_most(most),
            proxies: Vec::new(),
            radii: Vec::new(),
            needed: least_cell_width(&Setup { bodies: bodies.to_vec(), ..setup.clone() }),
        })
    }

    /// Pairs of shapes that may touch.
    pub fn pairs(&self) -> &[(u32, u32)] {
        self.pairs.pairs()
    }

    /// By what the image of a place is shifted that is nearest to another.
    #[inline(always)]
    pub fn shift(&self, here: S::Vector, other: S::Vector) -> S::Vector {
        let difference = here - other;
        difference - self.lattice.nearest(difference)
    }
}

impl<S: Dimension> RigidWork<S> {
    /// ℓ: from the second side's centre, or that of its image, to the first's; none where the second is a boundary, or there is no
    /// cell.
    #[inline(always)]
    pub fn branch(&self, first: Owner, second: Owner) -> Option<S::Vector> {
        let (Some(cell), Owner::Body(i), Owner::Body(j)) = (&self.cell, first, second) else {
            return None;
        };
        let [here, there] = [i, j].map(|body| self.midpoints[body as usize].position);
        Some(cell.lattice.nearest(here - there))
    }

    /// ℓ by which the cell acts on what meets at a point: the branch, and of a body at a boundary, whose surface goes with the flow,
    /// from where they touch; none where that does not move.
    #[inline(always)]
    pub fn lever(&self, first: Owner, second: Owner, point: S::Vector) -> Option<S::Vector> {
        match (first, second) {
            (Owner::Body(index), Owner::Boundary(_)) if self.cell.as_ref()?.moves => {
                Some(self.midpoints[index as usize].position - point)
            }
            _ => self.branch(first, second),
        }
    }

    /// How the second side moves as given, seen from the first in the flow of a cell: before the step, after it without contacts,
    /// and after it as found. None where the cell has no part in it.
    #[inline(always)]
    pub fn driven_in_cell(
        &self,
        boundaries: &[BoundaryState<S>],
        first: Owner,
        second: Owner,
        point: S::Vector,
    ) -> Option<[S::Vector; 3]> {
        let (cell, lever) = (self.cell.as_ref()?, self.lever(first, second, point)?);
        let boundary = boundary_velocity_at(boundaries, second, point);
        let gradients = [&cell.before, &cell.without_contacts, &cell.after];
        Some(gradients.map(|gradient| boundary - gradient.apply(lever)))
    }
}

/// The components that are free, and what is given of the others at a time.
fn asked<S: Dimension>(
    world: &World<S>,
    cell: &Cell<S>,
    state: &CellState<S>,
    time: f64,
    free: &mut Vec<(usize, usize)>,
) -> [Matrix<S>; 2] {
    let (mut gradient, mut stress) = (Matrix::ZERO, Matrix::ZERO);
    free.clear();
    for (i, j) in (0..S::DIMENSION).flat_map(|i| (0..S::DIMENSION).map(move |j| (i, j))) {
        match cell.drive(&world.state.progress, (i, j)) {
            (CellDrive::Rate(signal), since) => {
                gradient = gradient.with(i, j, signal.sample(time - since).0);
            }
            (CellDrive::Stress(signal), since) => {
                free.push((i, j));
                gradient = gradient.with(i, j, state.gradient.get(i, j));
                stress = stress.with(i, j, signal.sample(time - since).0);
            }
        }
    }
    [gradient, stress]
}

impl<S: Dimension> World<S> {
    /// The cell as it is, where the setup has one.
    pub fn cell(&self) -> Option<&CellState<S>> {
        self.state.cell.as_ref()
    }

    /// Brings the cell to the midpoint; returns by what places go with it, and L at the start.
    pub(crate) fn place_cell(&mut self) -> Option<(Matrix<S>, Matrix<S>)> {
        let mut now = self.work.rigid.cell.take()?;
        let both = self.setup.cell.as_ref().zip(self.state.cell.as_ref());
        let (cell, state) = both.expect("a cell has a state");
        let h = self.setup.time_step;
        let [gradient, stress] = asked(self, cell, state, self.time() + 0.5 * h, &mut now.free);
        let map = gradient.scaled(0.5 * h).cayley();
        let vectors = map.times(state.lattice.vectors());
        now.lattice = same_kind(&state.lattice, vectors);
        (now.before, now.asked, now.placed, now.pulled) = (gradient, stress, None, Matrix::ZERO);
        let mut sums = [const { ExactSum::new() }; 9];
        for body in &self.state.bodies {
            for (k, sum) in sums.iter_mut().enumerate().take(S::DIMENSION * S::DIMENSION) {
                let (i, j) = (k / S::DIMENSION, k % S::DIMENSION);
                sum.add(body.mass * body.velocity.get(i) * body.velocity.get(j));
            }
        }
        now.carried = Matrix::from_fn(|i, j| sums[i * S::DIMENSION + j].value());
        let measure = now.lattice.measure();
        now.without_contacts = now.free.iter().fold(gradient, |after, &(i, j)| {
            let push = h * (now.carried.get(i, j) - measure * stress.get(i, j));
            after.with(i, j, gradient.get(i, j) + push / now.inertia)
        });
        now.after = now.without_contacts;
        self.work.rigid.cell = Some(now);
        Some((map, gradient))
    }

    /// Candidate pairs at the midpoint.
    pub(crate) fn find_pairs_in_cell(&mut self) -> Result<(), StepError> {
        let Some(mut now) = self.work.rigid.cell.take() else { return Ok(()) };
        let poses = self.shape_poses();
        let shapes = &poses.shapes.list;
        let known = now.radii.len();
        let new = shapes[known..].iter().map(|shape| radius_around::<S>(&poses.part(shape).shape));
        now.radii.extend(new);
        now.proxies.clear();
        now.proxies.extend(shapes.iter().zip(&now.radii).map(|(shape, &radius)| {
            let centre = poses.pose(shape).position;
            let (group, movable) = match shape.owner {
                Owner::Body(index) => (2 * index, true),
                Owner::Boundary(index) => {
                    if poses.states[index as usize].removed {
                        return PeriodicProxy::Absent;
                    }
                    (2 * index + 1, false)
                }
            };
            match S::extent(&poses.part(shape).shape, poses.pose(shape)) {
                Extent::Box(_) => PeriodicProxy::Ball { centre, radius, group, movable },
                Extent::Half { normal, offset } => PeriodicProxy::Half { normal, offset },
            }
        }));
        let far = self.work.rigid.midpoints.iter().fold(0.0f64, |far, pose| {
            let at = pose.position;
            (0..S::DIMENSION).fold(far, |far, i| far.max(at.get(i).abs()))
        });
        let corners = (0..S::DIMENSION).map(|i| now.lattice.vectors().column(i).norm());
        let reach = far + corners.sum::<f64>();
        let rounding = 64.0 * f64::EPSILON * reach;
        let margin = self.margin_within(reach).max(self.work.rigid.range) + rounding;
        now.pairs.update(&now.proxies, &now.lattice, margin);
        let (overfull, count) = (now.pairs.is_overfull(), now.pairs.pairs().len());
        let (wide, needed) = (now.lattice.least_width(), now.needed);
        (self.work.rigid.reach, self.work.rigid.swift) = (reach, false);
        self.work.rigid.cell = Some(now);
        if wide <= needed || !wide.is_finite() {
            let (step, time) = (self.state.steps, self.time());
            return Err(StepError::NarrowCell { step, time, wide, needed });
        }
        if overfull {
            return Err(self.too_many("pairs of bodies near each other", count));
        }
        self.check_springs_in_cell()
    }

    /// Springs that become so long that another image of their second end would be as near.
    fn check_springs_in_cell(&self) -> Result<(), StepError> {
        let Some(state) = &self.state.cell else { return Ok(()) };
        let lattice = &state.lattice;
        for (index, spring) in self.setup.springs.iter().enumerate() {
            let apart = spring.ends_apart(|owner| *self.pose_of(owner), Some(lattice));
            let part = lattice.fractions(apart);
            let periodic = (0..S::DIMENSION).filter(|&i| lattice.is_periodic(i));
            if periodic.map(|i| part.get(i).abs()).fold(0.0, f64::max) > LONGEST_SPRING {
                let (step, time, length) = (self.state.steps, self.time(), apart.norm());
                return Err(StepError::LongSpring { step, time, index, length });
            }
        }
        Ok(())
    }

    /// Tells the contact problem how contacts act on the components that are free.
    pub(crate) fn share_cell(&mut self) {
        let work = &mut self.work.rigid;
        let free = work.cell.as_ref().map_or(0, |cell| cell.free.len());
        if free == 0 {
            work.problem.shared = None;
            return;
        }
        let mut shared = work.problem.shared.take().unwrap_or_default();
        let Shared { inertia, free, arms, softening } = &mut shared;
        inertia.clear();
        free.clear();
        arms.clear();
        softening.clear();
        softening.extend(work.contacts.iter().map(|contact| work.soften_for_cell(contact, 1.0)));
        let cell = work.cell.as_ref().expect("a cell with free components");
        for &(i, j) in &cell.free {
            inertia.push(cell.inertia);
            free.push(cell.without_contacts.get(i, j));
        }
        for contact in &work.contacts {
            let branch = work.lever(contact.first, contact.second, contact.point);
            let frame = S::Frame::from_normal(contact.normal);
            for &(i, j) in &cell.free {
                arms.push(branch.map_or(S::Local::ZERO, |branch| {
                    frame.to_local(S::Vector::axis(i)) * branch.get(j)
                }));
            }
        }
        self.work.rigid.problem.shared = Some(shared);
    }

    /// Takes what was found for the components that are free.
    pub(crate) fn take_cell(&mut self) {
        let work = &mut self.work.rigid;
        let (Some(cell), Some(shared)) = (&mut work.cell, &work.problem.shared) else { return };
        let found = work.solver.shared_velocities();
        // Without contacts there was nothing to solve.
        let found = if found.is_empty() { &shared.free[..] } else { found };
        cell.after = (cell.free.iter().zip(found))
            .fold(cell.before, |after, (&(i, j), &value)| after.with(i, j, value));
    }

    /// Makes what was found for the cell that by which positions are made good.
    pub(crate) fn note_placed_cell(&mut self) {
        if let Some(cell) = &mut self.work.rigid.cell {
            cell.placed = Some(cell.after);
        }
    }

    /// The cell at the end of the step; returns by what places at the midpoint go with it.
    pub(crate) fn advance_cell(&mut self) -> Option<Matrix<S>> {
        let h = self.setup.time_step;
        let (now, state) = self.work.rigid.cell.as_mut().zip(self.state.cell.as_mut())?;
        let mut map = now.after.scaled(0.5 * h).cayley();
        let mut strain = now.before.plus(&now.after).scaled(0.5 * h);
        if let Some(placed) = now.placed {
            let shift = placed.minus(&now.after).scaled(h);
            (map, strain) = (map.plus(&shift), strain.plus(&shift));
        }
        let end = same_kind(&now.lattice, map.times(now.lattice.vectors()));
        let reduced = end.reduced();
        if reduced != end {
            now.pairs.forget();
        }
        state.lattice = reduced;
        state.gradient = now.after;
        state.strain = state.strain.plus(&strain);
        Some(map)
    }

    /// Brings bodies that have left the cell back into it; returns what gravity has gained by that.
    pub(crate) fn wrap_bodies(&mut self) -> f64 {
        let Some(state) = &self.state.cell else { return 0.0 };
        let gravity = self.setup.gravity;
        let mut lifted = ExactSum::new();
        let mut place = |body: &mut Body<S>, wrapped: S::Vector| {
            if wrapped != body.pose.position {
                lifted.add(-body.mass * gravity.dot(wrapped - body.pose.position));
                body.pose.position = wrapped;
            }
        };
        for (index, body) in self.state.bodies.iter_mut().enumerate() {
            if !self.work.joints.has(index as u32) {
                let wrapped = state.lattice.wrap(body.pose.position);
                place(body, wrapped);
            }
        }
        // Joints hold places, not images: what they join goes through a face together, by its first body.
        for members in self.work.joints.floating() {
            let Some(&first) = members.first() else { continue };
            let at = self.state.bodies[first as usize].pose.position;
            let shift = state.lattice.wrap(at) - at;
            for &member in members {
                let body = &mut self.state.bodies[member as usize];
                let wrapped = body.pose.position + shift;
                place(body, wrapped);
            }
        }
        lifted.value()
    }
}

impl<S: Dimension> RigidWork<S> {
    /// Has what pulls between bodies move the components that are free.
    pub fn pull_cell(&mut self) {
        let Some(cell) = &mut self.cell else { return };
        for &(i, j) in &cell.free {
            let pulled = cell.pulled.get(i, j) / cell.inertia;
            let moved = cell.without_contacts.get(i, j) + pulled;
            cell.without_contacts = cell.without_contacts.with(i, j, moved);
        }
        cell.after = cell.without_contacts;
    }

    /// By what the relaxation of a contact is multiplied, since a sweep keeps the cell frozen.
    pub fn soften_for_cell(&self, contact: &Contact<S>, relaxation: f64) -> f64 {
        let Some(cell) = self.cell.as_ref().filter(|cell| !cell.free.is_empty()) else {
            return relaxation;
        };
        let Some(branch) = self.lever(contact.first, contact.second, contact.point) else {
            return relaxation;
        };
        let mass = |owner: Owner| match owner {
            Owner::Body(body) => self.problem.movers[body as usize].inverse_mass,
            Owner::Boundary(_) => 0.0,
        };
        // H is no less than 1/m + 1/m' in any direction.
        let block = mass(contact.first) + mass(contact.second);
        let arms: f64 = cell.free.iter().map(|&(_, j)| math::square(branch.get(j))).sum();
        let together = TOGETHER * self.contacts.len() as f64;
        relaxation * block / (block + together * arms / cell.inertia)
    }
}

/// A lattice of other vectors; the same where these have gone wrong, which the step will tell.
fn same_kind<S: Dimension>(lattice: &Lattice<S>, vectors: Matrix<S>) -> Lattice<S> {
    let periodic = [0, 1, 2].map(|i| lattice.is_periodic(i));
    Lattice::new(vectors, periodic).unwrap_or(*lattice)
}
