//! Contacts that last, in the step of second order.
//!
//! Moreau's step holds u_f to the contact as it stands at the midpoint, G_m u_f. On a curved path arms and normals have turned
//! again by the end of the step: the velocity that was found is none of those that the contact allows there, and the next
//! step takes that back as if it were an impact. So a contact that pressed in the last step and rests sees
//!
//! > U = G_m u_f + (G_m − G_i) u_i,
//!
//! with G_i as it was at the start of the step: to second order, G_f u_f. With U⁻ = G_m u_i, U⁺ = G_m u_f and U° = G_i u_i that is
//! U⁻ + U⁺ − U°. Where the velocity at the start obeyed the contact, U° = 0, this is the law of a joint: U at the midpoint,
//! ½(U⁻ + U⁺), is what stays zero, so that reactions do no work on whatever path. Where it did not, as after an impact,
//! what there was of it is lost in one step, and no more.
//!
//! Gaps are held with it: U_n + c ≥ 0, c being a share α of gap/h, both at the start. Gap/h and U° obey, from step to step, a linear rule with the
//! matrix ((1 − α/2, ½), (−α, 0)). With α = 0.34 both its eigenvalues are near 0.41: what a step leaves open, of third order in h, does not
//! add up. A contact that has just been caught on its way to closing has half of its way before it: it is let in.
//!
//! Friction opposes the sliding at the midpoint, U⁻ + U⁺, while the contact slides: the direction turns on a curved path. Where the sliding could
//! end within the step, and where it has, it is U that counts: what sticks would otherwise swing to and fro by what sliding was left.
//!
//! All other contacts obey the laws of Moreau's step: what closes in this step, and impacts with restitution.

use crate::contact::Name;
use crate::narrow_phase::Pair;
use crate::shape_poses::ShapePoses;
use crate::state::BoundaryState;
use crate::workspace::RigidWork;
use crate::{
    Command, Contact, ContactForm, Dimension, Drive, Owner, PairLaw, Scheme, Setup, World,
};
use drystone_detect::{Manifold, Touch};
use drystone_solve::Twist;
use drystone_space::{Pose, Vector};

/// α: the share of a gap that is closed in a step.
const CLOSING: f64 = 0.34;

/// Cosine of the angle by which a normal may turn in half a step: more is another contact under the same name.
const SAME_NORMAL: f64 = 0.9;

/// What a contact that lasts knows of the start of the step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lasting<S: Dimension> {
    name: Name,
    /// U°_n.
    pub speed: f64,
    /// U°_t in world axes, where the contact does not slide on; otherwise zero.
    pub slip: S::Vector,
    /// Gap at the start.
    gap: f64,
}

impl<S: Dimension> Lasting<S> {
    /// The gap by which the contact is known: that at the start of the step.
    pub fn gap(&self) -> f64 {
        self.gap
    }
}

impl ContactForm {
    /// c: what is added to the normal velocity of a contact that lasts for the sake of its gap.
    pub(crate) fn lasting(&self, gap: f64, speed: f64, time_step: f64) -> f64 {
        let Self::Gap { recovery_speed, recovery_share, .. } = *self else { return 0.0 };
        let (rate, share) = (gap / time_step, CLOSING.min(recovery_share));
        match rate < 0.0 {
            true => (share * rate).max(-recovery_speed),
            false => (share * rate).min((2.0 * rate + speed).max(0.0)),
        }
    }
}

/// What is known of the start of the step.
pub(crate) struct Start<'a, S: Dimension> {
    setup: &'a Setup<S>,
    poses: ShapePoses<'a, S>,
    work: &'a RigidWork<S>,
}

impl<S: Dimension> Start<'_, S> {
    /// What a contact that pressed with `impulse` was at the start of the step; none if it does not rest, or was another one.
    pub fn find(
        &self,
        pair: &Pair<'_>,
        touch: &Touch<S>,
        impulse: S::Vector,
        law: &PairLaw,
        touches: &Manifold<S>,
    ) -> Option<Lasting<S>> {
        let mut touches = touches.touches().iter();
        let was = touches.find(|was| was.feature == touch.feature)?;
        if was.normal.dot(touch.normal) < SAME_NORMAL {
            return None;
        }
        let [first, second] = pair.shapes;
        let relative =
            self.velocity(first.owner, was.point) - self.velocity(second.owner, was.point);
        let speed = was.normal.dot(relative);
        if law.rebounds() && !self.setup.rests(was.gap, speed) {
            return None;
        }
        let mut slip = relative - was.normal * speed;
        if slip.norm() > law.largest_friction() * impulse.norm() * self.answer(pair, touch) {
            slip = S::Vector::ZERO;
        }
        Some(Lasting { name: (pair.name, touch.feature), speed, slip, gap: was.gap })
    }

    /// Touches of a pair at the start of the step.
    pub fn touches(&self, pair: &Pair<'_>, reach: f64, touches: &mut Manifold<S>) {
        touches.clear();
        let [first, second] = pair.shapes.map(|shape| {
            let part = self.poses.part(shape);
            (&part.shape, part.pose_in(&self.pose(shape.owner)))
        });
        S::collide((first.0, &first.1), (second.0, &second.1), reach, touches);
    }

    fn pose(&self, owner: Owner) -> Pose<S> {
        match owner {
            Owner::Body(index) => self.poses.bodies[index as usize].pose,
            Owner::Boundary(index) => self.poses.states[index as usize].pose,
        }
    }

    /// Velocity of a point at the start.
    fn velocity(&self, owner: Owner, point: S::Vector) -> S::Vector {
        let Twist { velocity, spin } = match owner {
            Owner::Body(index) => {
                let body = &self.poses.bodies[index as usize];
                Twist { velocity: body.velocity, spin: body.world_spin() }
            }
            Owner::Boundary(index) => self.work.driven_at_start[index as usize],
        };
        velocity + S::velocity_at(spin, point - self.pose(owner).position)
    }

    /// How large a velocity an impulse of 1 gives at a contact, no less than in any direction.
    fn answer(&self, pair: &Pair<'_>, touch: &Touch<S>) -> f64 {
        let of = |owner: Owner| {
            let Owner::Body(index) = owner else { return 0.0 };
            let mover = &self.work.problem.movers[index as usize];
            let arm = touch.point - self.work.midpoints[index as usize].position;
            let axes = (0..S::DIMENSION).map(S::Vector::axis);
            axes.fold(0.0f64, |most, axis| {
                let change = mover.respond(arm, axis);
                most.max(axis.dot(change.velocity + S::velocity_at(change.spin, arm)))
            })
        };
        pair.shapes.iter().map(|shape| of(shape.owner)).sum()
    }
}

impl<S: Dimension> RigidWork<S> {
    /// What is known of a contact of the problem that lasts.
    #[inline]
    pub fn lasting(&self, contact: &Contact<S>) -> Option<&Lasting<S>> {
        if self.lasting.is_empty() {
            return None;
        }
        let (shapes, feature) = contact.name();
        let from = self.lasting.partition_point(|lasting| lasting.name.0 < shapes);
        let mut pair = self.lasting[from..].iter().take_while(|lasting| lasting.name.0 == shapes);
        pair.find(|lasting| lasting.name.1 == feature)
    }
}

impl<S: Dimension> World<S> {
    /// What is known of the start of the step, where contacts that last ask for it.
    pub(crate) fn step_start(&self) -> Option<Start<'_, S>> {
        let Self { setup, work, .. } = self;
        let asked = setup.scheme == Scheme::SecondOrder;
        asked.then(|| Start { setup, poses: self.shape_poses(), work: &work.rigid })
    }

    /// How boundaries move at the start of the step.
    pub(crate) fn note_start_of_boundaries(&mut self) {
        self.work.rigid.driven_at_start.clear();
        if self.setup.scheme != Scheme::SecondOrder {
            return;
        }
        let (start, h) = (self.time(), self.setup.time_step);
        for (index, state) in self.state.boundaries.iter().enumerate() {
            let given = |time: f64| {
                self.place(index, time, state.travel, 0.0).map_or(Twist::ZERO, |(_, twist)| twist)
            };
            let (drive, _) = self.state.progress.drive(&self.setup, index);
            let mut twist = match (drive, state.command) {
                (_, Some(Command::Motion { .. })) => middle(state),
                (Drive::Fixed, _) => Twist::ZERO,
                (Drive::Motion(_) | Drive::Slider(_), _) => {
                    start_of_smooth(given(start), middle(state), given(start + h))
                }
            };
            if let Drive::Slider(slider) = drive {
                twist.velocity += slider.direction() * state.speed;
                twist.spin += slider.axis() * state.speed;
            }
            self.work.rigid.driven_at_start.push(twist);
        }
    }
}

/// The motion of a boundary at the midpoint.
fn middle<S: Dimension>(state: &BoundaryState<S>) -> Twist<S> {
    Twist { velocity: state.velocity, spin: state.spin }
}

/// The motion at the start of a step, from those at its start, middle and end: the one in the middle where the motion jumps in
/// between, since what jumps is no curve.
fn start_of_smooth<S: Dimension>(from: Twist<S>, middle: Twist<S>, to: Twist<S>) -> Twist<S> {
    let [one, two] = [(from, middle), (middle, to)]
        .map(|(a, b): (Twist<S>, Twist<S>)| (b.velocity - a.velocity, b.spin - a.spin));
    let size = |v: S::Vector, s: S::Spin| v.norm() + s.norm();
    let bend = size(two.0 - one.0, two.1 - one.1);
    let whole = size(one.0, one.1) + size(two.0, two.1);
    if bend > 0.5 * whole { middle } else { from }
}
