//! A structure as statics sees it: bodies that touch, the loads that are there and those that grow.

use super::programme::{Entries, Programme};
use super::{Live, Place};
use crate::Error;
use drystone_detect::{Bounds, Extent, Manifold};
use drystone_engine::{
    Body, Boundary, Dimension, Drive, Friction, Load, Owner, Setup, Signal, World,
};
use drystone_space::{Frame, Local, Pose, Space, Vector};

/// Sides are in touch up to this share of the narrowest body.
const TOUCHING: f64 = 1e-6;

/// A force and a moment about the centre of mass.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wrench<S: Space> {
    pub force: S::Vector,
    pub moment: S::Spin,
}

/// A contact that may bear.
#[derive(Clone, Copy, Debug)]
pub struct Touching<S: Space> {
    pub first: usize,
    pub second: Owner,
    pub point: S::Vector,
    pub frame: S::Frame,
    pub friction: f64,
}

/// Everything that equilibrium asks for.
pub struct Statics<S: Dimension> {
    /// The structure as it stands, at rest: what its steps are made from.
    pub setup: Setup<S>,
    pub contacts: Vec<Touching<S>>,
    /// Loads that are there.
    pub dead: Vec<Wrench<S>>,
    /// Loads that grow, times the multiplier; all zero without any.
    pub live: Vec<Wrench<S>>,
    /// Units of force and length, which bring all figures near one.
    pub force: f64,
    pub length: f64,
}

impl<S: Dimension> Statics<S> {
    pub fn new(world: &World<S>, live: &Live) -> Result<Self, Error> {
        let setup = at_rest(world)?;
        let contacts = touching(&setup)?;
        let mut dead: Vec<Wrench<S>> = setup
            .bodies
            .iter()
            .map(|body| Wrench { force: setup.gravity * body.mass, moment: S::Spin::ZERO })
            .collect();
        let mut grown = vec![Wrench::default(); setup.bodies.len()];
        for load in &setup.loads {
            let factor = load.factor.sample(0.0).0;
            let on = if live.loads { &mut grown } else { &mut dead };
            on[load.body].force += load.force * factor;
            on[load.body].moment += load.torque * factor;
        }
        add_live(&setup, live, &mut grown)?;
        let of = |list: &[Wrench<S>]| list.iter().map(|w| w.force.norm()).sum::<f64>();
        let count = setup.bodies.len().max(1) as f64;
        let force =
            [of(&dead), of(&grown), 1.0].into_iter().find(|&f| f > 0.0).unwrap_or(1.0) / count;
        let arm = |c: &Touching<S>| (c.point - setup.bodies[c.first].pose.position).norm();
        let arms = contacts.iter().map(arm).sum::<f64>() / contacts.len().max(1) as f64;
        let length = if arms > 0.0 { arms } else { 1.0 };
        Ok(Self { setup, contacts, dead, live: grown, force, length })
    }

    /// Equations of one body.
    fn degrees() -> usize {
        S::DIMENSION + S::Spin::LENGTH
    }

    /// Equilibrium under `dead`, and, if they grow, `live` loads times one more unknown.
    pub fn programme(&self, grows: bool) -> Programme {
        let mut balance = Entries::default();
        for (index, contact) in self.contacts.iter().enumerate() {
            for part in 0..S::DIMENSION {
                let column = index * S::DIMENSION + part;
                let force = contact.frame.to_world(S::Local::axis(part));
                self.add(&mut balance, column, contact.first, contact.point, force);
                if let Owner::Body(second) = contact.second {
                    self.add(&mut balance, column, second as usize, contact.point, -force);
                }
            }
        }
        if grows {
            let column = self.contacts.len() * S::DIMENSION;
            for (body, wrench) in self.live.iter().enumerate() {
                self.add_wrench(&mut balance, column, body, wrench);
            }
        }
        let mut right = vec![0.0; self.setup.bodies.len() * Self::degrees()];
        for (body, wrench) in self.dead.iter().enumerate() {
            for (part, value) in self.scaled(wrench) {
                right[body * Self::degrees() + part] = -value;
            }
        }
        let friction = self.contacts.iter().map(|contact| contact.friction).collect();
        let (dimension, others) = (S::DIMENSION, usize::from(grows));
        Programme { dimension, friction, others, balance, right }
    }

    fn add(
        &self,
        balance: &mut Entries,
        column: usize,
        body: usize,
        point: S::Vector,
        force: S::Vector,
    ) {
        let arm = point - self.setup.bodies[body].pose.position;
        // Unknown forces are in units of force already.
        let wrench =
            Wrench { force: force * self.force, moment: S::moment(arm, force) * self.force };
        self.add_wrench(balance, column, body, &wrench);
    }

    fn add_wrench(&self, balance: &mut Entries, column: usize, body: usize, wrench: &Wrench<S>) {
        for (part, value) in self.scaled(wrench) {
            if value != 0.0 {
                balance.push(body * Self::degrees() + part, column, value);
            }
        }
    }

    /// The components of a wrench in the units of the programme.
    fn scaled(&self, wrench: &Wrench<S>) -> impl Iterator<Item = (usize, f64)> + use<S> {
        let (wrench, force, length) = (*wrench, self.force, self.length);
        (0..Self::degrees()).map(move |part| match part.checked_sub(S::DIMENSION) {
            None => (part, wrench.force.get(part) / force),
            Some(about) => (part, wrench.moment.get(about) / (force * length)),
        })
    }

    /// Velocities and spins of the bodies from the multipliers of equilibrium.
    pub fn motion(&self, multipliers: &[f64]) -> Vec<(S::Vector, S::Spin)> {
        let of = |values: &[f64]| {
            let spin = S::Spin::from_fn(|i| values[S::DIMENSION + i] / self.length);
            (S::Vector::from_fn(|i| values[i]), spin)
        };
        multipliers.chunks_exact(Self::degrees()).map(of).collect()
    }

    /// Forces that the first of each contact feels, in newtons, from the unknowns.
    pub fn forces(&self, unknowns: &[f64]) -> Vec<S::Vector> {
        let parts = self.contacts.iter().zip(unknowns.chunks_exact(S::DIMENSION));
        parts
            .map(|(contact, values)| {
                let world = |i: usize| contact.frame.to_world(S::Local::axis(i)) * values[i];
                (0..S::DIMENSION).fold(S::Vector::ZERO, |sum, i| sum + world(i)) * self.force
            })
            .collect()
    }

    /// What the force of a support along a direction is made of, for each unknown, in units of force.
    pub fn share(&self, support: u32, direction: S::Vector) -> Vec<f64> {
        let parts = |contact: &Touching<S>| {
            let on = contact.second == Owner::Boundary(support);
            let frame = contact.frame;
            (0..S::DIMENSION).map(move |part| {
                let along = direction.dot(frame.to_world(S::Local::axis(part)));
                if on { along } else { 0.0 }
            })
        };
        self.contacts.iter().flat_map(parts).collect()
    }

    /// The setup with the live loads times a multiplier.
    pub fn loaded(&self, multiplier: f64, live: &Live) -> Setup<S> {
        let mut setup = self.setup.clone();
        if live.loads {
            setup.loads.clear();
        }
        for (body, wrench) in self.live.iter().enumerate() {
            if *wrench != Wrench::default() {
                setup.loads.push(Load {
                    body,
                    force: wrench.force * multiplier,
                    torque: wrench.moment * multiplier,
                    factor: Signal::Constant(1.0),
                    start: 0.0,
                    stop: f64::INFINITY,
                });
            }
        }
        setup
    }

    /// What a body or boundary is called.
    pub fn name(&self, owner: Owner) -> String {
        let (name, kind, index) = match owner {
            Owner::Body(index) => (self.setup.bodies[index as usize].name(), "body", index),
            Owner::Boundary(index) => {
                (self.setup.boundaries[index as usize].name.as_str(), "boundary", index)
            }
        };
        if name.is_empty() { format!("{kind} {index}") } else { name.to_owned() }
    }
}

/// What a world is now, at rest and from now on left to itself.
fn at_rest<S: Dimension>(world: &World<S>) -> Result<Setup<S>, Error> {
    let mut setup = world.setup().clone();
    let unfit = |what: &str| Err(Error::Unfit(format!("limit analysis knows no {what}")));
    for (there, what) in [
        (!setup.joints.is_empty(), "joints: only contacts bear"),
        (!setup.solids.is_empty(), "deformable solids"),
        (!setup.springs.is_empty(), "springs"),
        (!setup.membranes.is_empty(), "membranes"),
        (setup.laws.has_bonds(), "bonds: only contacts bear"),
        (setup.cell.is_some(), "periodic cells"),
        ((0..setup.boundaries.len()).any(|b| setup.is_loaded(b)), "boundaries under a load"),
    ] {
        if there {
            return unfit(what);
        }
    }
    if world.bodies().is_empty() {
        return Err(Error::Unfit("there is no body: limit analysis needs a structure".to_owned()));
    }
    let still = |body: &Body<S>| {
        let mut body = body.clone();
        (body.velocity, body.spin) = (S::Vector::ZERO, S::Spin::ZERO);
        body
    };
    setup.bodies = world.bodies().iter().map(still).collect();
    let standing = |(index, boundary): (usize, &Boundary<S>)| {
        let pose = world.boundary_pose(index)?;
        Some(Boundary { pose, drive: Drive::Fixed, removal: f64::INFINITY, ..boundary.clone() })
    };
    setup.boundaries = setup.boundaries.iter().enumerate().filter_map(standing).collect();
    let now = world.time();
    setup.loads.retain(|load| load.start <= now && now < load.stop);
    for load in &mut setup.loads {
        let factor = load.factor.sample(now).0;
        (load.factor, load.start, load.stop) = (Signal::Constant(factor), 0.0, f64::INFINITY);
    }
    setup.arrivals.clear();
    setup.phases.clear();
    setup.switches.clear();
    setup.initial_forces.clear();
    setup.sleep = None;
    Ok(setup)
}

/// A shape in its place.
struct Placed<'a, S: Dimension> {
    owner: Owner,
    part: &'a drystone_engine::Part<S>,
    pose: Pose<S>,
    bounds: Bounds<S>,
}

/// All contacts between bodies, and of bodies with boundaries.
fn touching<S: Dimension>(setup: &Setup<S>) -> Result<Vec<Touching<S>>, Error> {
    let mut shapes = Vec::new();
    let mut add = |owner: Owner, part, pose: Pose<S>| {
        let bounds = match S::extent(&drystone_engine::Part::<S>::clone(part).shape, &pose) {
            Extent::Box(bounds) => bounds,
            Extent::Half { .. } => Bounds {
                low: S::Vector::splat(f64::NEG_INFINITY),
                high: S::Vector::splat(f64::INFINITY),
            },
        };
        shapes.push(Placed { owner, part, pose, bounds });
    };
    let mut narrowest = f64::INFINITY;
    for (index, body) in setup.bodies.iter().enumerate() {
        for part in &body.parts {
            narrowest = narrowest.min(S::width(&part.shape));
            add(Owner::Body(index as u32), part, body.pose.compose(&part.pose()));
        }
    }
    for (index, boundary) in setup.boundaries.iter().enumerate() {
        for part in &boundary.parts {
            add(Owner::Boundary(index as u32), part, boundary.pose.compose(&part.pose()));
        }
    }
    let reach = TOUCHING * narrowest;
    // Along x those that begin before the present one ends; the order of the result is that of the shapes.
    let mut order: Vec<usize> = (0..shapes.len()).collect();
    order.sort_by(|&a, &b| shapes[a].bounds.low.get(0).total_cmp(&shapes[b].bounds.low.get(0)));
    let mut pairs = Vec::new();
    for (place, &a) in order.iter().enumerate() {
        let end = shapes[a].bounds.high.get(0) + reach;
        let next = order[place + 1..].iter();
        for &b in next.take_while(|&&b| shapes[b].bounds.low.get(0) <= end) {
            let (one, two) = (a.min(b), a.max(b));
            let (first, second) = (&shapes[one], &shapes[two]);
            let fixed = matches!(first.owner, Owner::Boundary(_));
            if first.owner != second.owner && !fixed && near(&first.bounds, &second.bounds, reach) {
                pairs.push((one, two));
            }
        }
    }
    pairs.sort_unstable();
    let mut found = Vec::new();
    let mut manifold = Manifold::default();
    for (one, two) in pairs {
        let (first, second) = (&shapes[one], &shapes[two]);
        manifold.clear();
        let (own, its) = ((&first.part.shape, &first.pose), (&second.part.shape, &second.pose));
        S::collide(own, its, reach, &mut manifold);
        if manifold.touches().is_empty() {
            continue;
        }
        let friction = coulomb(setup, first, second)?;
        let Owner::Body(body) = first.owner else { continue };
        found.extend(manifold.touches().iter().map(|touch| Touching {
            first: body as usize,
            second: second.owner,
            point: touch.point,
            frame: S::Frame::from_normal(touch.normal),
            friction,
        }));
    }
    Ok(found)
}

fn near<S: Space>(a: &Bounds<S>, b: &Bounds<S>, reach: f64) -> bool {
    (0..S::DIMENSION)
        .all(|i| a.low.get(i) <= b.high.get(i) + reach && b.low.get(i) <= a.high.get(i) + reach)
}

/// Coulomb's coefficient of a pair that touches; other laws have no place in limit analysis.
fn coulomb<S: Dimension>(
    setup: &Setup<S>,
    first: &Placed<S>,
    second: &Placed<S>,
) -> Result<f64, Error> {
    let law = setup.laws.get(first.part.material, second.part.material);
    let plain = law.moreau().filter(|moreau| {
        moreau.viscosity == 0.0
            && moreau.cohesion.force == 0.0
            && moreau.resistance == drystone_engine::Resistance::default()
            && law.spring.stiffness == 0.0
    });
    match plain.map(|moreau| &moreau.friction) {
        Some(&Friction::Isotropic(coefficient)) => Ok(coefficient),
        Some(Friction::Unbounded) => Ok(f64::INFINITY),
        _ => Err(Error::Unfit(
            "limit analysis knows Coulomb's law with one coefficient only: bodies that touch have cohesion, \
             rolling resistance, viscosity, a spring, percussions or a direction of friction"
                .to_owned(),
        )),
    }
}

/// The members of a named body or group.
fn members<S: Dimension>(setup: &Setup<S>, name: &str) -> Result<Vec<usize>, Error> {
    let names = || setup.bodies.iter().map(|body| body.name());
    if let Some(body) = names().position(|own| own == name) {
        return Ok(vec![body]);
    }
    let numbered = |own: &str| {
        let rest = own.strip_prefix(name).and_then(|rest| rest.strip_prefix(' '));
        rest.is_some_and(|number| number.parse::<u64>().is_ok())
    };
    let group: Vec<usize> =
        names().enumerate().filter(|(_, own)| numbered(own)).map(|(body, _)| body).collect();
    if group.is_empty() { Err(Error::no_such("body or group", name, names())) } else { Ok(group) }
}

fn add_live<S: Dimension>(
    setup: &Setup<S>,
    live: &Live,
    grown: &mut [Wrench<S>],
) -> Result<(), Error> {
    if let Some(direction) = live.acceleration {
        let direction = unit::<S>(direction, "the direction of the acceleration")?;
        let gravity = setup.gravity.norm();
        if gravity == 0.0 {
            return Err(Error::Unfit(
                "an acceleration is counted in units of gravity, which is zero in this scene"
                    .to_owned(),
            ));
        }
        for (wrench, body) in grown.iter_mut().zip(&setup.bodies) {
            wrench.force += direction * (gravity * body.mass);
        }
    }
    for (name, force) in &live.forces {
        let group = members(setup, name)?;
        let mass: f64 = group.iter().map(|&body| setup.bodies[body].mass).sum();
        for body in group {
            let share = setup.bodies[body].mass / mass;
            grown[body].force += vector::<S>(*force) * share;
        }
    }
    for name in &live.weights {
        for body in members(setup, name)? {
            grown[body].force += setup.gravity * setup.bodies[body].mass;
        }
    }
    Ok(())
}

/// A vector of the space from three numbers.
pub fn vector<S: Space>(place: Place) -> S::Vector {
    S::Vector::from_fn(|i| place[i])
}

/// The same with length one.
pub fn unit<S: Space>(place: Place, what: &str) -> Result<S::Vector, Error> {
    let direction = vector::<S>(place);
    let length = direction.norm();
    if length > 0.0 && length.is_finite() {
        return Ok(direction / length);
    }
    Err(Error::Value {
        what: what.to_owned(),
        found: format!("{:?}", &place[..S::DIMENSION]),
        expected: "a vector that is not zero".to_owned(),
    })
}
