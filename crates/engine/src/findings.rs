//! What the last step shows that no residual tells: overlaps and what caused them, and bodies that passed through others.
//!
//! These are asked for by whoever watches a run, and only where the step's report gives reason to: they cost nothing else.

use crate::assemble::VELOCITY_ROUNDING;
use crate::contact::{PreviousContact, find_same};
use crate::solid::Partner;
use crate::{Contact, Dimension, Drive, Owner, World};
use drystone_detect::{Extent, Manifold};
use drystone_space::{Frame, Local, Pose, Vector, math};

/// Places on the way of a fast body that are looked at, at most.
const PLACES: usize = 64;

/// A contact sticks where friction takes less than this share of what it can.
const STICKS: f64 = 0.999;

/// Why two things overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// One of them entered, or the run began, where the other was.
    Entered,
    /// A body between boundaries that come nearer to each other cannot give way.
    Crushed,
    /// They came so far into each other within a step before the contact was seen.
    Speed,
    /// None of these: it grew over many steps, by the drift of contacts on curved paths or by the solver's error.
    Drift,
}

/// What overlaps: a body, a boundary or a solid, by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Party {
    /// A body.
    Body(u32),
    /// A boundary.
    Boundary(u32),
    /// A deformable solid.
    Solid(u32),
}

impl From<Owner> for Party {
    fn from(owner: Owner) -> Self {
        match owner {
            Owner::Body(index) => Party::Body(index),
            Owner::Boundary(index) => Party::Boundary(index),
        }
    }
}

impl From<Partner> for Party {
    fn from(partner: Partner) -> Self {
        match partner {
            Partner::Body(index) => Party::Body(index),
            Partner::Boundary(index) => Party::Boundary(index),
            Partner::Solid(index) => Party::Solid(index),
        }
    }
}

/// An overlap of the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// What meets.
    pub parties: [Party; 2],
    /// How deep, as a share of the smaller width; for a solid of an edge of its elements.
    pub relative: f64,
    /// Which contact of the world, or of its solids.
    contact: usize,
}

/// What a contact took in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactLoss {
    /// The shapes that meet.
    pub shapes: (u32, u32),
    /// What they belong to.
    pub sides: (Owner, Owner),
    /// Kinetic energy that it took in all.
    pub lost: f64,
    /// What of it a contact took that lasts and sticks, by the error of the step on curved paths.
    pub by_curves: f64,
}

/// A body that passed through something without a contact.
#[derive(Clone, Debug, PartialEq)]
pub struct Passage {
    /// How far it moved in the step, in widths.
    pub widths: f64,
    /// Its name, and that of what it passed through.
    pub names: [String; 2],
}

impl<S: Dimension> World<S> {
    /// The least width of a body's parts.
    pub fn width(&self, body: usize) -> f64 {
        let widths = self.state.bodies[body].parts.iter().map(|part| S::width(&part.shape));
        widths.fold(f64::INFINITY, f64::min)
    }

    /// No body was faster than this before contacts acted in the last step.
    pub fn fastest(&self) -> f64 {
        self.work.rigid.problem.velocity_noise / VELOCITY_ROUNDING
    }

    /// The name of a body, boundary or solid.
    pub fn party_name(&self, party: Party) -> String {
        match party {
            Party::Body(index) => self.name(Owner::Body(index)),
            Party::Boundary(index) => self.name(Owner::Boundary(index)),
            Party::Solid(index) => self.setup.solids[index as usize].name.clone(),
        }
    }

    /// Adds the overlaps of the last step's contacts that are deeper than this share of a width.
    pub fn overlaps(&self, limit: f64, found: &mut Vec<Overlap>) {
        for (index, contact) in self.state.contacts.iter().enumerate().filter(|(_, c)| c.gap < 0.0)
        {
            let relative = self.relative_overlap(contact);
            if relative > limit {
                let parties = [contact.first.into(), contact.second.into()];
                found.push(Overlap { parties, relative, contact: index });
            }
        }
        for (index, contact) in self.state.solid_contacts.iter().enumerate() {
            let edge = self.state.solids[contact.solid as usize].model().surface().edge();
            let relative = -contact.gap / edge;
            if relative > limit {
                let parties = [Party::Solid(contact.solid), contact.partner.into()];
                found.push(Overlap { parties, relative, contact: index });
            }
        }
    }

    fn relative_overlap(&self, contact: &Contact<S>) -> f64 {
        let shapes = &self.work.rigid.shapes.list;
        let width = |shape: u32| S::width(&self.shape_poses().part(&shapes[shape as usize]).shape);
        -contact.gap / width(contact.shapes.0).min(width(contact.shapes.1))
    }

    /// What caused an overlap that was not there in the step before, and the boundary that also presses on the body
    /// where that is the cause.
    pub fn overlap_cause(&self, overlap: &Overlap) -> (Cause, Option<Party>) {
        let h = self.setup.time_step;
        let by_speed = |approach: f64, gap: f64| match approach * h > -0.5 * gap {
            true => Cause::Speed,
            false => Cause::Drift,
        };
        if let Party::Solid(_) = overlap.parties[0] {
            let contact = &self.state.solid_contacts[overlap.contact];
            let entered = self.state.steps <= 1;
            let approach = self.work.solid.approach(overlap.contact);
            return (if entered { Cause::Entered } else { by_speed(approach, contact.gap) }, None);
        }
        let contact = &self.state.contacts[overlap.contact];
        if let Some(other) = self.crusher(contact) {
            return (Cause::Crushed, Some(other.into()));
        }
        if self.state.steps <= 1 || self.entered(contact.first) || self.entered(contact.second) {
            return (Cause::Entered, None);
        }
        let map = self.work.rigid.map(contact.first, contact.second, contact.point, contact.normal);
        let before = map.frame.to_world(map.to_contact(&self.work.rigid.before));
        let boundary = crate::assemble::boundary_velocity(&self.state.boundaries, contact);
        (by_speed(-(before - boundary).dot(contact.normal), contact.gap), None)
    }

    /// Whether this is a body that entered in the last step.
    fn entered(&self, owner: Owner) -> bool {
        let Owner::Body(index) = owner else { return false };
        let born = self.state.bodies[index as usize].born;
        born > 0.0 && born >= self.time() - 1.5 * self.setup.time_step
    }

    /// The boundary on the other side of a body that two boundaries press on, one of which moves as given.
    fn crusher(&self, contact: &Contact<S>) -> Option<Owner> {
        let drive = |owner: Owner| match owner {
            Owner::Boundary(index) => {
                Some(self.state.progress.drive(&self.setup, index as usize).0)
            }
            Owner::Body(_) => None,
        };
        let moves = |owner: Owner| matches!(drive(owner), Some(Drive::Motion(_)));
        drive(contact.second)?;
        let opposite = self.state.contacts.iter().find(|other| {
            other.first == contact.first
                && drive(other.second).is_some()
                && other.normal.dot(contact.normal) < -0.5
                && (moves(other.second) || moves(contact.second))
        });
        opposite.map(|other| other.second)
    }

    /// Gaps up to this have closed: what is left of them asks for a hundredth of the speed that gravity gives in a step.
    pub(crate) fn closed_gap(&self) -> f64 {
        let h = self.setup.time_step;
        (0.01 * self.setup.gravity.norm() * h * h).max(32.0 * f64::EPSILON * self.work.rigid.reach)
    }

    /// What each contact that pressed took in the last step, and how much of that a lasting contact took without sliding. A
    /// closed contact that pressed before has no approach left, and one that stuck no slip: what velocities they have at the midpoint
    /// came from the turn of their arms and normals in the step. The step undoes these as if they were impacts: energy is
    /// lost on curved paths, by an error of first order in the time step. It is zero where what touches rests or moves along
    /// a straight line.
    pub fn contact_losses(&self) -> impl Iterator<Item = ContactLoss> {
        let work = &self.work.rigid;
        let mut from = 0;
        let pressing = self.state.contacts.iter().filter(|c| c.impulse != S::Vector::ZERO);
        pressing.map(move |contact| {
            let Contact { first, second, point, normal, impulse, shapes, .. } = *contact;
            let map = work.map(first, second, point, normal);
            let driven = match work.driven_in_cell(&self.state.boundaries, first, second, point) {
                Some([driven, _, found]) => [driven, found],
                None => [crate::assemble::boundary_velocity(&self.state.boundaries, contact); 2],
            };
            let driven = driven.map(|driven| map.frame.to_local(driven));
            let before = map.to_contact(&work.before) - driven[0];
            let after = map.to_contact(&work.solution.twists) - driven[1];
            let is = map.frame.to_local(impulse);
            let lost = -0.5 * (before + after).dot(is);
            let last = find_same(&work.last, &mut from, contact.name(), PreviousContact::name);
            let lasts = |last: &&PreviousContact<S>| last.closed && last.impulse != S::Vector::ZERO;
            let by_curves = last.filter(lasts).map_or(0.0, |last| {
                let was = map.frame.to_local(last.impulse);
                let friction = work.law(&self.setup.laws, contact).plain_friction().unwrap_or(0.0);
                let sticks =
                    |push: S::Local| push.tangent().norm() < STICKS * friction * push.normal();
                let slip = match sticks(was) && sticks(is) {
                    true => before.tangent().dot(is.tangent()),
                    false => 0.0,
                };
                let approach = if was.normal() > 0.0 { before.normal() * is.normal() } else { 0.0 };
                match work.lasting(contact) {
                    None => -0.5 * (approach + slip),
                    Some(start) => {
                        let slip = map.frame.to_local(start.slip).tangent().dot(is.tangent());
                        -0.5 * (start.speed * is.normal() + slip)
                    }
                }
            });
            ContactLoss { shapes, sides: (first, second), lost, by_curves }
        })
    }

    /// Bodies that moved by more than half their width in the last step, and on their way were in something that they had
    /// no contact with; the first few.
    pub fn passages(&self, most: usize) -> Vec<Passage> {
        let h = self.setup.time_step;
        let mut found = Vec::new();
        for (index, body) in self.state.bodies.iter().enumerate() {
            let way = (self.work.rigid.before[index].velocity + body.velocity) * (0.5 * h);
            if way.norm_squared() <= math::square(0.5 * self.width(index)) {
                continue;
            }
            if let Some(other) = self.passed(index, way) {
                let names = [self.name(Owner::Body(index as u32)), self.name(other)];
                found.push(Passage { widths: way.norm() / self.width(index), names });
            }
            if found.len() == most {
                break;
            }
        }
        found
    }

    /// What a body was in on its way, without a contact.
    fn passed(&self, index: usize, way: S::Vector) -> Option<Owner> {
        let owner = Owner::Body(index as u32);
        let body = &self.state.bodies[index];
        let touches = |other: Owner| {
            let pair = |c: &Contact<S>| [c.first, c.second];
            self.state.contacts.iter().any(|c| pair(c).contains(&owner) && pair(c).contains(&other))
        };
        let poses = self.shape_poses();
        let count = ((2.0 * way.norm() / self.width(index)).ceil() as usize).clamp(2, PLACES);
        let mut manifold = Manifold::default();
        poses.shapes.list.iter().filter(|shape| shape.owner != owner).find_map(|shape| {
            let proxy = poses.proxy(shape);
            let near = match &proxy.extent {
                Extent::Box(bounds) => {
                    let (low, high) = (bounds.low, bounds.high);
                    let reach = S::Vector::from_fn(|i| way.get(i).abs() + self.width(index));
                    let at = body.pose.position;
                    (0..S::DIMENSION).all(|i| {
                        at.get(i) >= low.get(i) - reach.get(i)
                            && at.get(i) <= high.get(i) + reach.get(i)
                    })
                }
                Extent::Half { .. } => true,
            };
            if !near || !proxy.active || touches(shape.owner) {
                return None;
            }
            let other = (&poses.part(shape).shape, poses.pose(shape));
            let inside = (0..=count).any(|place| {
                let back = way * (place as f64 / count as f64);
                let pose = Pose { position: body.pose.position - back, ..body.pose };
                body.parts.iter().any(|part| {
                    manifold.clear();
                    S::collide((&part.shape, &part.pose_in(&pose)), other, 0.0, &mut manifold);
                    manifold.touches().iter().any(|touch| touch.gap < 0.0)
                })
            });
            inside.then_some(shape.owner)
        })
    }
}
