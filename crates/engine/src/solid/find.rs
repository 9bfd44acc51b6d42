//! Where solids touch: nodes on rigid shapes, corners and round parts of these on facets, surfaces on each
//! other.

use super::Pairing;
use super::contact::{Partner, Side, Soft, SolidContact, start_velocity};
use crate::{ContactForm, Dimension, Owner, Part, StepReport, World};
use drystone_detect::{Bounds, Extent, Manifold};
use drystone_fem::touch::{Meeting, Reach, Spot, nodes_on_own_facets, points_on_facets};
use drystone_solve::GROUND;
use drystone_space::{Frame, Local, Pose, Rotation, Vector};

/// A surface that is deeper in another than this share of an edge is on its far side.
const DEPTH: f64 = 0.5;

/// A contact found, before its law.
struct Found<S: Dimension> {
    contact: SolidContact<S>,
    first: Side<S>,
    second: Side<S>,
}

impl<S: Dimension> World<S> {
    /// Contacts of solids at the midpoint, with what the law needs of the start of the step.
    pub(crate) fn touch_solids(&mut self, report: &mut StepReport) {
        if self.solids.is_empty() {
            return;
        }
        let mut work = std::mem::take(&mut self.solid_work);
        work.contacts.clear();
        for (solid, places) in self.solids.iter().zip(&mut work.places) {
            solid.predict(places);
        }
        let margin = self.solid_margin();
        let mut meetings = std::mem::take(&mut work.meetings);
        for index in 0..self.solids.len() {
            self.shapes(index, &work.places[index], margin, &mut meetings, &mut work.contacts);
        }
        for one in 0..self.solids.len() {
            for two in one..self.solids.len() {
                self.surfaces(one, two, &work.places, margin, &mut meetings, &mut work.contacts);
            }
        }
        work.meetings = meetings;
        for soft in &work.contacts {
            let overlap = (-soft.contact.gap).max(0.0);
            let edge = self.solids[soft.contact.solid as usize].model().surface().edge();
            report.penetration = report.penetration.max(overlap);
            report.penetration_relative = report.penetration_relative.max(overlap / edge);
        }
        report.contacts += work.contacts.len();
        self.solid_work = work;
    }

    /// Contacts are watched up to this gap; in the velocity form only rounding is allowed for.
    fn solid_margin(&self) -> f64 {
        match self.setup.form {
            ContactForm::Gap { margin, .. } => margin,
            ContactForm::Velocity => {
                let sizes = self.solids.iter().map(|solid| solid.model().surface().edge());
                1e-9 * sizes.fold(f64::INFINITY, f64::min)
            }
        }
    }

    /// Where a solid touches the shapes of bodies and boundaries.
    fn shapes(
        &self,
        index: usize,
        places: &[S::Vector],
        margin: f64,
        meetings: &mut Vec<Meeting<S>>,
        contacts: &mut Vec<Soft<S>>,
    ) {
        let nodes = self.solids[index].model().surface().nodes();
        let around =
            Bounds::<S>::of_points(nodes.iter().map(|&n| places[n as usize])).grown(margin);
        for (number, proxy) in self.work.proxies.iter().enumerate() {
            let near = match &proxy.extent {
                Extent::Box(bounds) => bounds.overlaps(&around),
                Extent::Half { normal, offset } => {
                    let corner = S::Vector::from_fn(|i| {
                        let end = if normal.get(i) > 0.0 { around.low } else { around.high };
                        end.get(i)
                    });
                    normal.dot(corner) <= *offset + margin
                }
            };
            if near && proxy.active {
                self.nodes_on_shape(index, number, places, margin, contacts);
                self.shape_on_facets(index, number, places, margin, meetings, contacts);
            }
        }
    }

    fn part(&self, number: usize) -> &Part<S> {
        self.work.shapes[number].part_of(&self.bodies, &self.setup.boundaries)
    }

    /// Nodes of a solid on a shape.
    fn nodes_on_shape(
        &self,
        index: usize,
        number: usize,
        places: &[S::Vector],
        margin: f64,
        contacts: &mut Vec<Soft<S>>,
    ) {
        let (part, point) = (self.part(number), S::point());
        let mut manifold = Manifold::default();
        for &node in self.solids[index].model().surface().nodes() {
            let pose = Pose { position: places[node as usize], rotation: S::Rotation::IDENTITY };
            manifold.clear();
            let shape = (&part.shape, &self.work.poses[number]);
            S::collide((&point, &pose), shape, margin, &mut manifold);
            for touch in manifold.touches() {
                let contact = (touch.point, touch.normal, touch.gap, [node, number as u32]);
                contacts.push(self.on_shape(index, number, contact, Spot::at(node)));
            }
        }
    }

    /// Corners of a shape, and what is round, on the facets of a solid: they may lie between nodes.
    fn shape_on_facets(
        &self,
        index: usize,
        number: usize,
        places: &[S::Vector],
        margin: f64,
        meetings: &mut Vec<Meeting<S>>,
        contacts: &mut Vec<Soft<S>>,
    ) {
        let mut points = Vec::new();
        S::points(&self.part(number).shape, &mut points);
        let pose = &self.work.poses[number];
        points.iter_mut().for_each(|(point, _)| *point = pose.point(*point));
        let surface = self.solids[index].model().surface();
        let reach = Reach { margin, depth: DEPTH * surface.edge() };
        points_on_facets(&points, (surface, places), reach, meetings);
        for meeting in meetings.drain(..) {
            // Told from the numbers of nodes by counting down.
            let feature = [u32::MAX - meeting.feature[0], number as u32];
            let contact = (meeting.point, -meeting.normal, meeting.gap, feature);
            contacts.push(self.on_shape(index, number, contact, meeting.second));
        }
    }

    /// A contact of a solid with a shape: point, normal, gap and feature, and where on the solid.
    fn on_shape(
        &self,
        index: usize,
        number: usize,
        (point, normal, gap, feature): (S::Vector, S::Vector, f64, [u32; 2]),
        spot: Spot,
    ) -> Soft<S> {
        let (partner, second) = self.rigid_side(self.work.shapes[number].owner, point);
        let material = self.part(number).material;
        let law = self.setup.laws.get(self.setup.solids[index].material, material);
        let contact = SolidContact {
            solid: index as u32,
            partner,
            point,
            normal,
            gap,
            impulse: S::Vector::ZERO,
            velocity: S::Vector::ZERO,
            friction: law.friction.largest(),
            feature,
        };
        let first = Side::Nodes { solid: index as u32, spot };
        let restitution = [law.normal_restitution, law.tangential_restitution];
        self.prepare_law(Found { contact, first, second }, restitution)
    }

    fn rigid_side(&self, owner: Owner, point: S::Vector) -> (Partner, Side<S>) {
        match owner {
            Owner::Body(index) => {
                let arm = point - self.work.midpoints[index as usize].position;
                (Partner::Body(index), Side::Mover { index, arm })
            }
            Owner::Boundary(index) => {
                let (mover, arm) = self.work.sliders[index as usize];
                let side = match mover {
                    GROUND => Side::Given,
                    index => Side::Mover { index, arm },
                };
                (Partner::Boundary(index), side)
            }
        }
    }

    /// Where two solids, or a solid and itself, meet.
    fn surfaces(
        &self,
        one: usize,
        two: usize,
        places: &[Vec<S::Vector>],
        margin: f64,
        meetings: &mut Vec<Meeting<S>>,
        contacts: &mut Vec<Soft<S>>,
    ) {
        let surface = |index: usize| (self.solids[index].model().surface(), &places[index][..]);
        let reach = |index: usize| Reach {
            margin,
            depth: DEPTH * self.solids[index].model().surface().edge(),
        };
        let pairing = self.setup.solid_settings.pairing;
        let mut gather = |first: usize, second: usize, meetings: &mut Vec<Meeting<S>>| {
            let laws = &self.setup.laws;
            let (a, b) = (&self.setup.solids[first], &self.setup.solids[second]);
            let law = laws.get(a.material, b.material);
            for meeting in meetings.drain(..) {
                let contact = SolidContact {
                    solid: first as u32,
                    partner: Partner::Solid(second as u32),
                    point: meeting.point,
                    normal: meeting.normal,
                    gap: meeting.gap,
                    impulse: S::Vector::ZERO,
                    velocity: S::Vector::ZERO,
                    friction: law.friction.largest(),
                    feature: meeting.feature,
                };
                let side = |solid: usize, spot: Spot| Side::Nodes { solid: solid as u32, spot };
                let found = Found {
                    contact,
                    first: side(first, meeting.first),
                    second: side(second, meeting.second),
                };
                let restitution = [law.normal_restitution, law.tangential_restitution];
                contacts.push(self.prepare_law(found, restitution));
            }
        };
        if one == two {
            if self.setup.solids[one].self_contact {
                nodes_on_own_facets(surface(one), reach(one), meetings);
                gather(one, one, meetings);
            }
            return;
        }
        S::pair(pairing, surface(one), surface(two), reach(two), meetings);
        gather(one, two, meetings);
        if pairing == Pairing::Nodes || S::DIMENSION == 3 {
            S::pair(pairing, surface(two), surface(one), reach(one), meetings);
            gather(two, one, meetings);
        }
    }

    /// What the law of a contact sees besides G u. In the gap form it is the mean velocity over the
    /// step that must not close more than the gap at its start: formal velocity + gap/h ≥ 0.
    fn prepare_law(&self, found: Found<S>, restitution: [f64; 2]) -> Soft<S> {
        let Found { contact, first, second } = found;
        let frame = S::Frame::from_normal(contact.normal);
        let given = match (contact.partner, second) {
            (Partner::Boundary(index), Side::Given) => {
                let state = &self.boundaries[index as usize];
                state.velocity + S::sweep(state.spin, contact.point - state.midpoint.position)
            }
            _ => S::Vector::ZERO,
        };
        let mut soft = Soft {
            contact,
            first,
            second,
            frame,
            offset: S::Local::ZERO,
            closing: 0.0,
            given,
            before: S::Local::ZERO,
            restitution,
        };
        let moving = frame.to_local(given);
        soft.before = soft.relative(&self.work.before, start_velocity(&self.solids)) - moving;
        let [rho, tau] = restitution;
        let h = self.setup.time_step;
        if let ContactForm::Gap { .. } = self.setup.form {
            let ahead = h * (1.0 - self.setup.solid_settings.scheme.theta);
            let start = contact.gap - ahead * soft.before.normal();
            soft.closing = (1.0 + rho) * self.setup.form.closing(start, h);
        }
        soft.offset = S::Local::new(
            rho * soft.before.normal() - moving.normal() + soft.closing,
            soft.before.tangent() * tau - moving.tangent(),
        );
        soft
    }
}
