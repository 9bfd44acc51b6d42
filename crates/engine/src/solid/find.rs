//! Where solids touch: nodes on rigid shapes, corners, edges and round parts of these on facets and edges,
//! surfaces on each other.

use super::Pairing;
use super::contact::{ContactSide, Partner, Soft, SolidContact, start_velocity};
use super::step::SolidWork;
use crate::{ContactForm, Dimension, Owner, PairLaw, Part, StepReport, World};
use drystone_detect::{Bounds, Extent, Manifold};
use drystone_fem::touch::{Line, Meeting, Reach, Search, Spot};
use drystone_solve::{GROUND, Law, Special};
use drystone_space::{Frame, Local, Pose, Rotation, Vector};

/// A surface that is deeper in another than this share of an edge is on its far side.
const DEPTH: f64 = 0.5;

/// What is found of contacts, and the scratch of the search.
#[derive(Debug)]
pub(crate) struct Found<S: Dimension> {
    pub contacts: Vec<Soft<S>>,
    /// Laws of contacts that are neither frictionless nor Coulomb's.
    pub specials: Vec<Special<S>>,
    search: Search<S>,
    meetings: Vec<Meeting<S>>,
    points: Vec<(S::Vector, f64)>,
    lines: Vec<Line<S::Vector>>,
}

impl<S: Dimension> Default for Found<S> {
    fn default() -> Self {
        Self {
            contacts: Vec::new(),
            specials: Vec::new(),
            search: Search::default(),
            meetings: Vec::new(),
            points: Vec::new(),
            lines: Vec::new(),
        }
    }
}

impl<S: Dimension> Found<S> {
    /// The bodies that solids touch, some more than once.
    pub fn bodies(&self) -> impl Iterator<Item = u32> {
        self.contacts.iter().filter_map(|soft| match soft.contact.partner {
            Partner::Body(index) => Some(index),
            Partner::Boundary(_) | Partner::Solid(_) => None,
        })
    }
}

impl<S: Dimension> World<S> {
    /// Contacts of solids at the midpoint, with what the law needs of the start of the step.
    pub(crate) fn touch_solids(&mut self, report: &mut StepReport) {
        if self.state.solids.is_empty() {
            return;
        }
        let mut work = std::mem::take(&mut self.work.solid);
        let SolidWork { positions, found, .. } = &mut work;
        found.contacts.clear();
        found.specials.clear();
        for (solid, positions) in self.state.solids.iter().zip(positions.iter_mut()) {
            solid.predict(positions);
        }
        let margin = self.solid_margin();
        for (index, positions) in positions.iter().enumerate() {
            self.shapes(index, positions, margin, found);
        }
        for one in 0..self.state.solids.len() {
            for two in one..self.state.solids.len() {
                self.surfaces(one, two, positions, margin, found);
            }
        }
        for soft in &found.contacts {
            let overlap = (-soft.contact.gap).max(0.0);
            let edge = self.state.solids[soft.contact.solid as usize].model().surface().edge();
            report.penetration = report.penetration.max(overlap);
            report.penetration_relative = report.penetration_relative.max(overlap / edge);
        }
        report.contacts += found.contacts.len();
        self.work.solid = work;
    }

    /// Contacts are watched up to this gap; in the velocity form only rounding is allowed for.
    fn solid_margin(&self) -> f64 {
        match self.setup.form {
            ContactForm::Gap { margin, .. } => margin,
            ContactForm::Velocity => {
                let sizes = self.state.solids.iter().map(|solid| solid.model().surface().edge());
                1e-9 * sizes.fold(f64::INFINITY, f64::min)
            }
        }
    }

    /// What is looked for on the surface of a solid under this law: cohesion acts over a gap.
    fn solid_reach(&self, index: usize, law: &PairLaw, margin: f64) -> Reach {
        let cohesion = law.cohesion();
        let range = if cohesion.force > 0.0 { cohesion.range } else { 0.0 };
        let depth = DEPTH * self.state.solids[index].model().surface().edge();
        Reach { margin: margin.max(range), depth }
    }

    /// Where a solid touches the shapes of bodies and boundaries.
    fn shapes(&self, index: usize, positions: &[S::Vector], margin: f64, found: &mut Found<S>) {
        let nodes = self.state.solids[index].model().surface().nodes();
        let material = self.setup.solids[index].material;
        let whole = Bounds::<S>::of_points(nodes.iter().map(|&n| positions[n as usize]));
        let all = self.shape_poses();
        for (number, shape) in all.shapes.list.iter().enumerate() {
            let proxy = all.proxy(shape);
            let law = self.setup.laws.get(material, self.part(number).material);
            let reach = self.solid_reach(index, law, margin);
            let around = whole.grown(reach.margin);
            let near = match &proxy.extent {
                Extent::Box(bounds) => bounds.overlaps(&around),
                Extent::Half { normal, offset } => {
                    let corner = S::Vector::from_fn(|i| {
                        let end = if normal.get(i) > 0.0 { around.low } else { around.high };
                        end.get(i)
                    });
                    normal.dot(corner) <= *offset + reach.margin
                }
            };
            if near && proxy.active {
                self.nodes_on_shape(index, number, positions, reach, found);
                self.shape_on_surface(index, number, positions, reach, found);
            }
        }
    }

    pub(super) fn part(&self, number: usize) -> &Part<S> {
        self.shape_poses().part(&self.work.rigid.shapes.list[number])
    }

    fn pose(&self, number: usize) -> &Pose<S> {
        self.shape_poses().pose(&self.work.rigid.shapes.list[number])
    }

    /// Nodes of a solid on a shape.
    fn nodes_on_shape(
        &self,
        index: usize,
        number: usize,
        positions: &[S::Vector],
        reach: Reach,
        found: &mut Found<S>,
    ) {
        let (part, point) = (self.part(number), S::point());
        let mut manifold = Manifold::default();
        for &node in self.state.solids[index].model().surface().nodes() {
            let pose = Pose { position: positions[node as usize], rotation: S::Rotation::IDENTITY };
            manifold.clear();
            let shape = (&part.shape, self.pose(number));
            S::collide((&point, &pose), shape, reach.margin, &mut manifold);
            for touch in manifold.touches() {
                let contact = (touch.point, touch.normal, touch.gap, [node, number as u32]);
                self.on_shape(index, number, contact, Spot::at(node), found);
            }
        }
    }

    /// Corners of a shape, and what is round, on the facets of a solid, since they may lie between nodes;
    /// edges of a shape on edges of the solid.
    fn shape_on_surface(
        &self,
        index: usize,
        number: usize,
        positions: &[S::Vector],
        reach: Reach,
        found: &mut Found<S>,
    ) {
        let mut meetings = std::mem::take(&mut found.meetings);
        let Found { search, points, lines, .. } = found;
        let (shape, pose) = (&self.part(number).shape, self.pose(number));
        let surface = (self.state.solids[index].model().surface(), positions);
        points.clear();
        S::points(shape, points);
        points.iter_mut().for_each(|(point, _)| *point = pose.point(*point));
        search.points_on_facets(points, surface, reach, &mut meetings);
        for meeting in &mut meetings {
            // Told from the numbers of nodes by counting down.
            meeting.feature[0] = u32::MAX - meeting.feature[0];
        }
        lines.clear();
        S::edges(shape, lines);
        for line in lines.iter_mut() {
            line.ends = line.ends.map(|end| pose.point(end));
            line.normals = line.normals.map(|normal| pose.rotation.apply(normal));
        }
        search.lines_on_edges(lines, surface, reach, &mut meetings);
        for meeting in meetings.drain(..) {
            let feature = [meeting.feature[0], number as u32];
            let contact = (meeting.point, -meeting.normal, meeting.gap, feature);
            self.on_shape(index, number, contact, meeting.second, found);
        }
        found.meetings = meetings;
    }

    /// A contact of a solid with a shape: point, normal, gap and feature, and where on the solid.
    fn on_shape(
        &self,
        index: usize,
        number: usize,
        (point, normal, gap, feature): (S::Vector, S::Vector, f64, [u32; 2]),
        spot: Spot,
        found: &mut Found<S>,
    ) {
        let (partner, second) = self.rigid_side(self.work.rigid.shapes.list[number].owner, point);
        let contact = SolidContact {
            solid: index as u32,
            partner,
            point,
            normal,
            gap,
            impulse: S::Vector::ZERO,
            velocity: S::Vector::ZERO,
            friction: 0.0,
            bonded: false,
            feature,
        };
        let first = ContactSide::Nodes { solid: index as u32, spot };
        found.contacts.extend(self.prepare_law(contact, [first, second]));
    }

    fn rigid_side(&self, owner: Owner, point: S::Vector) -> (Partner, ContactSide<S>) {
        match owner {
            Owner::Body(index) => {
                let arm = point - self.work.rigid.midpoints[index as usize].position;
                (Partner::Body(index), ContactSide::Mover { index, arm })
            }
            Owner::Boundary(index) => {
                let sliding = &self.work.rigid.sliders[index as usize];
                let side = match sliding.mover {
                    GROUND => ContactSide::Given,
                    index => ContactSide::Mover { index, arm: sliding.arm(point) },
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
        positions: &[Vec<S::Vector>],
        margin: f64,
        found: &mut Found<S>,
    ) {
        let surface =
            |index: usize| (self.state.solids[index].model().surface(), &positions[index][..]);
        let (a, b) = (&self.setup.solids[one], &self.setup.solids[two]);
        let law = self.setup.laws.get(a.material, b.material);
        let reach = |index: usize| self.solid_reach(index, law, margin);
        let pairing = self.setup.solid_settings.pairing;
        let mut meetings = std::mem::take(&mut found.meetings);
        if one == two {
            if a.self_contact {
                found.search.nodes_on_own_facets(surface(one), reach(one), &mut meetings);
                self.on_solid(one, one, &mut meetings, found);
            }
        } else {
            S::pair(
                pairing,
                surface(one),
                surface(two),
                reach(two),
                &mut found.search,
                &mut meetings,
            );
            found.search.edges_on_edges(surface(one), surface(two), reach(two), &mut meetings);
            self.on_solid(one, two, &mut meetings, found);
            if pairing == Pairing::Nodes || S::DIMENSION == 3 {
                S::pair(
                    pairing,
                    surface(two),
                    surface(one),
                    reach(one),
                    &mut found.search,
                    &mut meetings,
                );
                self.on_solid(two, one, &mut meetings, found);
            }
        }
        found.meetings = meetings;
    }

    /// Contacts of a solid with another one, from where their surfaces meet.
    fn on_solid(
        &self,
        first: usize,
        second: usize,
        meetings: &mut Vec<Meeting<S>>,
        found: &mut Found<S>,
    ) {
        for meeting in meetings.drain(..) {
            let contact = SolidContact {
                solid: first as u32,
                partner: Partner::Solid(second as u32),
                point: meeting.point,
                normal: meeting.normal,
                gap: meeting.gap,
                impulse: S::Vector::ZERO,
                velocity: S::Vector::ZERO,
                friction: 0.0,
                bonded: false,
                feature: meeting.feature,
            };
            let side = |solid: usize, spot: Spot| ContactSide::Nodes { solid: solid as u32, spot };
            let sides = [side(first, meeting.first), side(second, meeting.second)];
            found.contacts.extend(self.prepare_law(contact, sides));
        }
    }

    /// What the law of a contact sees besides G u; nothing where it is an impact that has not come yet. In the gap form
    /// the velocity must not close more than the gap at the start of the step.
    fn prepare_law(
        &self,
        mut contact: SolidContact<S>,
        [first, second]: [ContactSide<S>; 2],
    ) -> Option<Soft<S>> {
        let law = self.law_of(&contact);
        contact.friction = law.largest_friction();
        contact.bonded = law.cohesion().reversible || self.state.steps == 0;
        let frame = S::Frame::from_normal(contact.normal);
        let given = match (contact.partner, second) {
            (Partner::Boundary(index), ContactSide::Given) => {
                let state = &self.state.boundaries[index as usize];
                state.velocity + S::velocity_at(state.spin, contact.point - state.midpoint.position)
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
            restitution: [0.0; 2],
            law: Law::Frictionless,
        };
        let moving = frame.to_local(given);
        soft.before =
            soft.relative(&self.work.rigid.before, start_velocity(&self.state.solids)) - moving;
        let h = self.setup.time_step;
        let ahead = h * (1.0 - self.state.solids[contact.solid as usize].scheme().theta);
        let speed = soft.before.normal();
        if self.setup.is_to_come(law, contact.gap, || speed) {
            return None;
        }
        // Boundaries are looked at in the middle of the step, whatever θ is.
        let start = contact.gap - ahead * speed + (0.5 * h - ahead) * moving.normal();
        let terms = self.setup.formal_terms(law, start, speed);
        let [rho, tau] = terms.restitution;
        soft.restitution = law.formal_restitution().unwrap_or(terms.restitution);
        soft.closing = (1.0 + rho) * terms.closing;
        soft.offset = S::Local::new(
            rho * soft.before.normal() - moving.normal() + soft.closing,
            soft.before.tangent() * tau - moving.tangent(),
        );
        Some(soft)
    }
}
