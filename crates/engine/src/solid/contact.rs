//! A contact of a deformable solid.

use drystone_fem::Solid;
use drystone_fem::touch::Spot;
use drystone_solve::{Law, Twist};
use drystone_space::{Frame, Local, Space, Vector};

/// What a solid touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Partner {
    /// A body, by index.
    Body(u32),
    /// A boundary, by index.
    Boundary(u32),
    /// A solid, by index; it may be the same one.
    Solid(u32),
}

/// A contact of a solid in the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolidContact<S: Space> {
    /// The solid that the normal points toward.
    pub solid: u32,
    /// What it touches.
    pub partner: Partner,
    /// Where, in world axes.
    pub point: S::Vector,
    /// Unit normal toward the solid.
    pub normal: S::Vector,
    /// Gap where contacts were looked for: negative in overlap.
    pub gap: f64,
    /// Impulse that the solid feels over the step, in world axes.
    pub impulse: S::Vector,
    /// Velocity of the solid relative to the partner at the end of the step, in world axes.
    pub velocity: S::Vector,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// Whether cohesion acts, if the law has any.
    pub bonded: bool,
    /// Names it from step to step, together with solid and partner.
    pub feature: [u32; 2],
}

impl<S: Space> SolidContact<S> {
    /// Its identity.
    pub(crate) fn key(&self) -> (u32, Partner, [u32; 2]) {
        (self.solid, self.partner, self.feature)
    }
}

/// One side of a contact: a weighted set of nodes, a rigid mover, or what moves as given.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ContactSide<S: Space> {
    Nodes { solid: u32, spot: Spot },
    Mover { index: u32, arm: S::Vector },
    Given,
}

impl<S: Space> ContactSide<S> {
    /// Velocity of the side; what moves as given is in the offset.
    pub fn velocity(
        &self,
        twists: &[Twist<S>],
        nodes: impl Fn(u32, u32) -> S::Vector,
    ) -> S::Vector {
        match self {
            ContactSide::Nodes { solid, spot } => spot.mean(|node| nodes(*solid, node)),
            ContactSide::Mover { index, arm } => {
                let twist = &twists[*index as usize];
                twist.velocity + S::velocity_at(twist.spin, *arm)
            }
            ContactSide::Given => S::Vector::ZERO,
        }
    }
}

/// A contact as the step computes with it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Soft<S: Space> {
    pub contact: SolidContact<S>,
    pub first: ContactSide<S>,
    pub second: ContactSide<S>,
    pub frame: S::Frame,
    /// What the law sees besides G u: restitution, boundary velocity, gap.
    pub offset: S::Local,
    /// The gap's part in the offset.
    pub closing: f64,
    /// Velocity of the partner's given motion.
    pub given: S::Vector,
    /// Relative velocity before, the given motion taken off.
    pub before: S::Local,
    /// Normal and tangential restitution.
    pub restitution: [f64; 2],
    /// What the solver solves; special laws are in a list of their own.
    pub law: Law,
}

impl<S: Space> Soft<S> {
    /// G u: relative velocity in the contact's frame, the given motion left out.
    pub fn relative(&self, twists: &[Twist<S>], nodes: impl Fn(u32, u32) -> S::Vector) -> S::Local {
        let first = self.first.velocity(twists, &nodes);
        let second = self.second.velocity(twists, &nodes);
        self.frame.to_local(first - second)
    }

    /// Velocity that the law sees: (ρU⁻ + U⁺)/(1 + ρ), component by component.
    pub fn formal(&self, after: S::Local) -> S::Local {
        let [rho, tau] = self.restitution;
        S::Local::new(
            (rho * self.before.normal() + after.normal()) / (1.0 + rho),
            (self.before.tangent() * tau + after.tangent()) / (1.0 + tau),
        )
    }
}

/// Node velocities of all solids at the end of the step.
pub(crate) fn end_velocity<S: Space>(solids: &[Solid<S>]) -> impl Fn(u32, u32) -> S::Vector + '_ {
    |solid, node| solids[solid as usize].velocities()[node as usize]
}

/// Node velocities of all solids at the start of the step.
pub(crate) fn start_velocity<S: Space>(solids: &[Solid<S>]) -> impl Fn(u32, u32) -> S::Vector + '_ {
    |solid, node| solids[solid as usize].start_velocities()[node as usize]
}
