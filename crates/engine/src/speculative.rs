//! Speculative contacts: gaps wider than the margin, which fast bodies close within the step.
//!
//! A margin from sizes, gravity and the time step holds what rests. What comes faster than margin/h would be seen a step
//! late, up to v h deep. So the gap form also watches the gap between two shapes that would be in each other within the
//! next two steps, if nothing acted on them: what comes may then come as near as it is far in this step, and is caught in
//! the next. Two steps, since impulses of the step can make an approach faster: a grain that is squeezed out of a jet.
//!
//! A gap by itself tells nothing: a block that slides from one flagstone to the next, or a wheel that rolls there, has a gap
//! ahead of it, beside the flagstone's edge, and never meets it. Contacts with restitution are left out: an impact has to close its gap first.

use crate::contact_form::ContactForm;
use crate::shape_poses::{ShapePoses, ShapeRef};
use crate::{Dimension, PairLaw, World};
use drystone_detect::{Bounds, Extent, Manifold};
use drystone_solve::Twist;
use drystone_space::{Pose, Rotation, Vector};

/// An overlap of less than this part of a width is none that must be foreseen.
const SLIGHT: f64 = 1e-3;

/// Places on the way of a fast body that are looked at, at most: two in a width.
const PLACES: usize = 64;

/// How far ahead gaps are looked for that close in the step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ahead {
    /// A time: some steps.
    pub time: f64,
    /// Gaps up to this are watched anyway.
    margin: f64,
    /// What gravity gives in two steps, as a length.
    fall: f64,
}

impl<S: Dimension> World<S> {
    /// How far ahead gaps are looked for: not at all in the velocity form.
    pub(crate) fn ahead(&self) -> Ahead {
        let (setup, step) = (&self.setup, self.setup.time_step);
        let (time, margin) = match setup.form {
            ContactForm::Velocity => (0.0, 0.0),
            ContactForm::Gap { margin, .. } => (setup.params.deferral.faster * step, margin),
        };
        Ahead { time, margin, fall: 2.0 * setup.gravity.norm() * step * step }
    }
}

impl Ahead {
    /// Whether a shape of this radius, infinite for what is not round, may come farther than the margin; its extent then
    /// holds its way too.
    #[inline]
    pub fn reaches<S: Dimension>(
        &self,
        motion: &Twist<S>,
        radius: f64,
        extent: &mut Extent<S>,
    ) -> bool {
        let way = motion.velocity * self.time;
        match extent {
            Extent::Box(bounds) => {
                let round = radius < f64::INFINITY;
                let turn = if round { 0.0 } else { self.turn(motion, bounds) };
                if way.norm() + turn <= self.margin {
                    return false;
                }
                // The ball around the way of a ball is a ball.
                *bounds = match round {
                    true => Bounds::around(bounds.centre() + way * 0.5, radius + 0.5 * way.norm()),
                    false => {
                        let (low, high) = (bounds.low + way, bounds.high + way);
                        bounds.union(&Bounds { low, high }).grown(turn)
                    }
                };
                true
            }
            Extent::Half { normal, offset } => {
                let nearer = normal.dot(way);
                *offset += nearer.max(0.0);
                nearer > self.margin
            }
        }
    }

    /// How far the turn of a shape may bring a point of it.
    fn turn<S: Dimension>(&self, motion: &Twist<S>, bounds: &Bounds<S>) -> f64 {
        let spin = motion.spin.norm();
        if spin == 0.0 { 0.0 } else { spin * self.time * bounds.size().norm() }
    }

    /// How much nearer to each other two shapes can come.
    #[inline]
    pub fn way<S: Dimension>(
        &self,
        poses: &ShapePoses<'_, S>,
        one: &ShapeRef,
        other: &ShapeRef,
    ) -> f64 {
        let motions = [one, other].map(|shape| poses.motion(shape));
        let turn = |(shape, motion): (&ShapeRef, &Twist<S>)| match shape.radius < f64::INFINITY {
            true => 0.0,
            false => match poses.proxy(shape).extent {
                Extent::Box(bounds) => self.turn(motion, &bounds),
                Extent::Half { .. } => 0.0,
            },
        };
        let turns = turn((one, &motions[0])) + turn((other, &motions[1]));
        (motions[0].velocity - motions[1].velocity).norm() * self.time + turns
    }

    /// The same for two shapes with this law; zero where that has no speculative contacts.
    pub fn way_within<S: Dimension>(
        &self,
        law: &PairLaw,
        poses: &ShapePoses<'_, S>,
        one: &ShapeRef,
        other: &ShapeRef,
    ) -> f64 {
        let plain = law.plain_friction().is_some() && !law.rebounds();
        if plain { self.way(poses, one, other) } else { 0.0 }
    }

    /// Whether two shapes, the smaller so wide, would be in each other somewhere on this way if nothing acted on them, not
    /// slightly.
    pub fn meet<S: Dimension>(
        &self,
        poses: &ShapePoses<'_, S>,
        (one, other): (&ShapeRef, &ShapeRef),
        (width, way): (f64, f64),
    ) -> bool {
        let slight = self.fall.max(SLIGHT * width).min(self.margin);
        let mut manifold = Manifold::default();
        let count = ((2.0 * way / width).ceil() as usize).clamp(2, PLACES);
        (1..=count).any(|place| {
            let time = self.time * (place as f64 / count as f64);
            let [own, its] = [one, other].map(|shape| moved(poses, shape, time));
            manifold.clear();
            let shapes = [one, other].map(|shape| &poses.part(shape).shape);
            S::collide((shapes[0], &own), (shapes[1], &its), 0.0, &mut manifold);
            manifold.touches().iter().any(|touch| touch.gap < -slight)
        })
    }
}

/// Where a shape would be after some time.
fn moved<S: Dimension>(poses: &ShapePoses<'_, S>, shape: &ShapeRef, time: f64) -> Pose<S> {
    let (pose, motion) = (poses.pose(shape), poses.motion(shape));
    let turn = S::Rotation::exponential(pose.rotation.apply_spin_inverse(motion.spin) * time);
    Pose { position: pose.position + motion.velocity * time, rotation: pose.rotation.compose(turn) }
}
