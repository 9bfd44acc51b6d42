//! Flexible membranes: a pressure on the surface of a group of bodies, which follows them.
//!
//! The surface goes through the centres of the outermost bodies: it is that of Delaunay's triangulation of all centres, of which is
//! taken away what a ball of a given width enters as it comes from outside. With V what the surface encloses, the force on body i is
//!
//! > F_i = −p ∂V/∂x_i,
//!
//! each facet giving its corners equal shares of p times its area. So on a closed surface forces and moments add up to zero, the work of
//! the pressure is −p dV while the facets stay, and, since Σ F_i ⊗ x_i = −p V 1, the mean stress in V of bodies in balance is p in
//! all directions, exactly. A membrane has no tension, no stiffness and no mass. Facets between bodies that all lie at one and
//! the same of some boundaries, the plates, are left out: there the plate presses.
//!
//! The force is taken at the midpoint, like all forces that depend on positions. Facets are found anew every so many steps, and are part
//! of the state.

use crate::{Body, Dimension, Setup, Signal, World};
use drystone_detect::{Delaunay, Facet, Manifold, area};
use drystone_space::{Pose, Vector, set_length};

/// Bodies that are nearer to a plate than this part of the width lie at it.
const AT_PLATE: f64 = 0.25;

/// A membrane around some bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct Membrane {
    /// Name in the scene.
    pub name: String,
    /// The bodies, by index among those of the start.
    pub bodies: std::ops::Range<usize>,
    /// The pressure; its clock is the scene's.
    pub pressure: Signal,
    /// It spans openings between bodies up to this width: a ball that is as wide does not get in.
    pub spans: f64,
    /// Boundaries that press in its place where it meets them, by index.
    pub plates: Vec<usize>,
    /// Steps after which its surface is found anew.
    pub renewal: u32,
    /// When the pressure begins to act.
    pub start: f64,
    /// When it ceases; may be infinite.
    pub stop: f64,
}

/// Scratch of membranes.
#[derive(Debug)]
pub(crate) struct MembraneWork<S: Dimension> {
    mesh: Delaunay<S>,
    facets: Vec<Facet>,
    /// Which plates each body lies at, a bit for each of the first 32.
    at: Vec<u32>,
    /// What each body has been given in the step.
    pushes: Vec<S::Vector>,
}

impl<S: Dimension> Default for MembraneWork<S> {
    fn default() -> Self {
        Self { mesh: Delaunay::default(), facets: Vec::new(), at: Vec::new(), pushes: Vec::new() }
    }
}

/// What a membrane is now.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MembraneFigures {
    /// The pressure; zero where it does not act.
    pub pressure: f64,
    /// Area or volume inside, facets at plates counted too.
    pub measure: f64,
    /// Length or area of the surface on which it presses.
    pub surface: f64,
}

impl Membrane {
    /// Whether it acts at a time.
    fn acts(&self, time: f64) -> bool {
        time >= self.start && time < self.stop
    }
}

impl<S: Dimension> World<S> {
    /// The facets of a membrane: bodies by index, in the plane two.
    pub fn membrane_facets(&self, index: usize) -> &[Facet] {
        self.state.membranes.get(index).map_or(&[], |facets| facets)
    }

    /// What a membrane is now.
    pub fn membrane_figures(&self, index: usize) -> MembraneFigures {
        let (membrane, time) = (&self.setup.membranes[index], self.time());
        if !membrane.acts(time) {
            return MembraneFigures::default();
        }
        let place = |body: u32| {
            self.state.bodies.get(body as usize).map_or(S::Vector::ZERO, |b| b.pose.position)
        };
        let facets = self.membrane_facets(index);
        let (mut surface, mut measure) = (0.0, 0.0);
        let middle = self.membrane_middle(index);
        for facet in facets {
            let places = facet.map(place);
            let normal = area::<S>(places);
            surface += normal.norm();
            measure += normal.dot(places[0] - middle) / S::DIMENSION as f64;
        }
        for facet in self.lids(index) {
            let places = facet.map(place);
            measure += area::<S>(places).dot(places[0] - middle) / S::DIMENSION as f64;
        }
        MembraneFigures { pressure: membrane.pressure.sample(time).0, measure, surface }
    }

    /// The facets that are left out at plates.
    fn lids(&self, index: usize) -> impl Iterator<Item = &Facet> {
        self.state.lids.get(index).into_iter().flatten()
    }

    fn membrane_middle(&self, index: usize) -> S::Vector {
        let bodies = &self.state.bodies[self.setup.membranes[index].bodies.clone()];
        let sum = bodies.iter().fold(S::Vector::ZERO, |sum, body| sum + body.pose.position);
        sum / bodies.len().max(1) as f64
    }

    /// Adds the pressure of membranes to the free motion.
    pub(crate) fn press_membranes(&mut self) {
        if self.setup.membranes.is_empty() {
            return;
        }
        let (h, steps) = (self.setup.time_step, self.state.steps);
        let middle = self.time() + 0.5 * h;
        self.state.membranes.resize_with(self.setup.membranes.len(), Vec::new);
        self.state.lids.resize_with(self.setup.membranes.len(), Vec::new);
        let mut work = std::mem::take(&mut self.work.membranes);
        set_length(&mut work.pushes, self.state.bodies.len(), S::Vector::ZERO);
        work.pushes.fill(S::Vector::ZERO);
        for index in 0..self.setup.membranes.len() {
            let membrane = &self.setup.membranes[index];
            if !membrane.acts(middle) {
                self.state.membranes[index].clear();
                self.state.lids[index].clear();
                continue;
            }
            let due = steps.is_multiple_of(u64::from(membrane.renewal));
            if due || self.state.membranes[index].is_empty() {
                self.find_surface(index, &mut work);
            }
            let pressure = self.setup.membranes[index].pressure.sample(middle).0;
            let share = -pressure * h / S::DIMENSION as f64;
            let places = &self.work.rigid.midpoints;
            for facet in &self.state.membranes[index] {
                let at =
                    |body: u32| places.get(body as usize).map_or(S::Vector::ZERO, |p| p.position);
                let push = area::<S>(facet.map(at)) * share;
                for &body in &facet[..S::DIMENSION] {
                    work.pushes[body as usize] += push;
                }
            }
        }
        let problem = &mut self.work.rigid.problem;
        for (index, push) in work.pushes.iter().enumerate() {
            problem.free[index].velocity += *push * problem.movers[index].inverse_mass;
        }
        self.work.membranes = work;
    }

    /// Books what membranes have done.
    pub(crate) fn book_membranes(&mut self) {
        let (before, after) = (&self.work.rigid.before, &self.work.rigid.solution.twists);
        let mut work = 0.0;
        for (index, push) in self.work.membranes.pushes.iter().enumerate() {
            work += 0.5 * push.dot(before[index].velocity + after[index].velocity);
        }
        self.state.ledger.external_work += work;
    }

    /// Finds the surface of a membrane at the midpoint of the step.
    fn find_surface(&mut self, index: usize, work: &mut MembraneWork<S>) {
        let membrane = &self.setup.membranes[index];
        let first = membrane.bodies.start as u32;
        let places = &self.work.rigid.midpoints[membrane.bodies.clone()];
        work.mesh.build(places.iter().map(|pose| pose.position));
        work.mesh.surface(0.5 * membrane.spans, &mut work.facets);
        self.find_lids(index, work);
        let (facets, lids) = (&mut self.state.membranes[index], &mut self.state.lids[index]);
        facets.clear();
        lids.clear();
        for facet in &work.facets {
            let corners = &facet[..S::DIMENSION];
            let together = corners.iter().fold(u32::MAX, |all, &c| all & work.at[c as usize]);
            let list = if together == 0 { &mut *facets } else { &mut *lids };
            list.push(facet.map(|c| if c == u32::MAX { c } else { first + c }));
        }
    }

    /// Which plates the outer bodies of a membrane lie at.
    fn find_lids(&self, index: usize, work: &mut MembraneWork<S>) {
        let membrane = &self.setup.membranes[index];
        set_length(&mut work.at, membrane.bodies.len(), 0);
        work.at.fill(0);
        if membrane.plates.is_empty() {
            return;
        }
        let near = AT_PLATE * membrane.spans;
        let mut manifold = Manifold::default();
        for facet in &work.facets {
            for &corner in &facet[..S::DIMENSION] {
                let body = membrane.bodies.start + corner as usize;
                for (bit, &plate) in membrane.plates.iter().enumerate() {
                    let (state, boundary) =
                        (&self.state.boundaries[plate], &self.setup.boundaries[plate]);
                    if state.removed || work.at[corner as usize] >> bit & 1 == 1 {
                        continue;
                    }
                    let parts = boundary.parts.iter();
                    let parts = parts.map(|part| (&part.shape, part.pose_in(&state.midpoint)));
                    let own = (&self.state.bodies[body], &self.work.rigid.midpoints[body]);
                    if touches::<S>(own, parts, near, &mut manifold) {
                        work.at[corner as usize] |= 1 << bit;
                    }
                }
            }
        }
    }
}

/// Whether a body is within a distance of any of some shapes.
fn touches<'a, S: Dimension>(
    (body, pose): (&Body<S>, &Pose<S>),
    mut others: impl Iterator<Item = (&'a S::Shape, Pose<S>)>,
    near: f64,
    manifold: &mut Manifold<S>,
) -> bool
where
    S::Shape: 'a,
{
    others.any(|(shape, place)| {
        body.parts.iter().any(|part| {
            manifold.clear();
            S::collide((&part.shape, &part.pose_in(pose)), (shape, &place), near, manifold);
            !manifold.touches().is_empty()
        })
    })
}

/// Why a setup's membranes cannot be had, and which.
pub fn unfit_membrane<S: Dimension>(setup: &Setup<S>) -> Option<(usize, String)> {
    setup.membranes.iter().enumerate().find_map(|(index, membrane)| {
        let Membrane { bodies, spans, plates, renewal, .. } = membrane;
        let why = if bodies.end > setup.bodies.len() || bodies.start > bodies.end {
            "is around bodies that are not there".to_owned()
        } else if bodies.len() <= S::DIMENSION {
            format!("is around {} bodies, needs {} or more", bodies.len(), S::DIMENSION + 1)
        } else if !(*spans > 0.0 && spans.is_finite()) {
            format!("spans {spans} m, must be positive and finite")
        } else if *renewal == 0 {
            "is never renewed: needs one step or more".to_owned()
        } else if let Some(plate) = plates.iter().find(|&&plate| plate >= setup.boundaries.len()) {
            format!("has boundary {plate} for a plate, of {}", setup.boundaries.len())
        } else if plates.len() > 32 {
            format!("has {} plates, at most 32 are told apart", plates.len())
        } else if setup.cell.is_some() {
            "is in a periodic cell, which has no outside".to_owned()
        } else {
            return None;
        };
        Some((index, why))
    })
}
