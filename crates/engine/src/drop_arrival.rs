//! A body that enters on top of what is there: moved along the last axis until it touches.
//!
//! It comes to lie on the bodies in its column, however high they reach, and on the boundaries below it;
//! a roof does not count. First it is set on the boxes of all these, then it sinks by the distance to the nearest shape,
//! again and again: a way that never leads into another shape, and converges where it touches.

use crate::{Body, Dimension, Part, World};
use drystone_detect::{Bounds, Extent, Manifold};
use drystone_space::{Pose, Vector};

/// A gap below this part of the body's width counts as touching.
const TOUCHING: f64 = 1e-6;
/// Most steps of the way down; a body that is stopped early falls the rest.
const STEPS: usize = 200;

/// A placed shape below the body.
type Obstacle<'a, S> = (&'a Part<S>, Pose<S>);

impl<S: Dimension> World<S> {
    /// Lays a body on what is there, at that of the places where it comes to lie lowest.
    pub(crate) fn lay(&self, body: &mut Body<S>, places: &[S::Vector]) {
        let height = |place: S::Vector| place.get(S::DIMENSION - 1);
        let mut lowest: Option<S::Vector> = None;
        for &place in places {
            body.pose.position = place;
            self.lower(body);
            let found = body.pose.position;
            lowest = Some(lowest.filter(|&l| height(l) <= height(found)).unwrap_or(found));
        }
        body.pose.position = lowest.unwrap_or(body.pose.position);
    }

    /// Moves a body up or down until it touches; where nothing is below, it stays.
    fn lower(&self, body: &mut Body<S>) {
        let below = self.obstacles(body.pose.position);
        let Some(own) = bounds(&body.parts, &body.pose) else {
            return;
        };
        let up = S::DIMENSION - 1;
        let bottom = own.low.get(up);
        let (mut obstacles, mut top) = (Vec::new(), f64::NEG_INFINITY);
        for ((part, pose), of_body) in below {
            let height = match S::extent(&part.shape, &pose) {
                Extent::Box(other) => {
                    let level = |i: usize| {
                        own.low.get(i) <= other.high.get(i) && other.low.get(i) <= own.high.get(i)
                    };
                    (0..up).all(level).then_some(other.high.get(up))
                }
                Extent::Half { normal, offset } => highest(&own, normal, offset),
            };
            if let Some(height) = height.filter(|&height| of_body || height <= bottom) {
                top = top.max(height);
                obstacles.push((part, pose));
            }
        }
        if top.is_finite() {
            body.pose.position += S::Vector::axis(up) * (top - bottom);
            self.sink(body, &obstacles);
        }
    }

    /// Sinks by the distance to the nearest obstacle until there is none.
    fn sink(&self, body: &mut Body<S>, obstacles: &[Obstacle<S>]) {
        let down = -S::Vector::axis(S::DIMENSION - 1);
        let width = body.parts.iter().map(|p| S::width(&p.shape)).fold(f64::INFINITY, f64::min);
        let mut manifold = Manifold::default();
        for _ in 0..STEPS {
            let mut distance = width;
            for own in &body.parts {
                let pose = body.pose.compose(&own.pose());
                for (part, other) in obstacles {
                    manifold.clear();
                    S::collide((&own.shape, &pose), (&part.shape, other), width, &mut manifold);
                    let gaps = manifold.touches().iter().map(|touch| touch.gap);
                    distance = gaps.fold(distance, f64::min);
                }
            }
            if distance <= TOUCHING * width {
                return;
            }
            body.pose.position += down * distance;
        }
    }

    /// All shapes of the world, where they are at the start of the step, and whether they are of bodies; in a periodic cell the images
    /// that are nearest to a place.
    fn obstacles(&self, place: S::Vector) -> impl Iterator<Item = (Obstacle<'_, S>, bool)> {
        let boundaries = self.setup.boundaries.iter().zip(&self.state.boundaries);
        let present = boundaries.filter(|(_, state)| !state.removed);
        let boundaries = present.map(|(boundary, state)| (state.pose, &boundary.parts[..], false));
        let bodies = self.state.bodies.iter().map(move |body| {
            let mut pose = body.pose;
            if let Some(cell) = &self.state.cell {
                pose.position = place + cell.lattice.nearest(pose.position - place);
            }
            (pose, &body.parts[..], true)
        });
        boundaries.chain(bodies).flat_map(|(pose, parts, of_body)| {
            parts.iter().map(move |part| ((part, pose.compose(&part.pose())), of_body))
        })
    }
}

/// The box around all parts; `None` if one has no end.
fn bounds<S: Dimension>(parts: &[Part<S>], pose: &Pose<S>) -> Option<Bounds<S>> {
    let extent = |part: &Part<S>| S::extent(&part.shape, &pose.compose(&part.pose()));
    let boxes = parts.iter().map(|part| match extent(part) {
        Extent::Box(bounds) => Some(bounds),
        Extent::Half { .. } => None,
    });
    boxes.reduce(|a, b| Some(a?.union(&b?)))?
}

/// Largest height that the surface of a half-space has under a box; `None` for an upright surface and
/// for one that faces down.
fn highest<S: Dimension>(own: &Bounds<S>, normal: S::Vector, offset: f64) -> Option<f64> {
    let up = S::DIMENSION - 1;
    if normal.get(up) < 1e-3 {
        return None;
    }
    // normal · x = offset, with x at the corner of the box from which the surface falls.
    let across =
        (0..up).map(|i| (normal.get(i) * own.low.get(i)).min(normal.get(i) * own.high.get(i)));
    Some((offset - across.sum::<f64>()) / normal.get(up))
}

#[cfg(test)]
mod tests {
    use crate::{
        Arrival, Body, Boundary, Drive, LawTable, MassProperties, MaterialId, Part, Setup, World,
    };
    use drystone_detect::volume::VolumeShape;
    use drystone_space::{DVec3, Pose, Volume};

    fn sphere(at: DVec3, radius: f64) -> Body<Volume> {
        let shape = VolumeShape::Sphere { radius };
        let part = Part::new(shape, MaterialId(0));
        let properties = MassProperties::of_parts([(&part, 1.0)].into_iter()).unwrap();
        Body::new(properties, vec![part], Pose::at(at))
    }

    fn world(arrival: Body<Volume>) -> World<Volume> {
        let shape = VolumeShape::HalfSpace;
        let part = Part::new(shape, MaterialId(0));
        let floor = Boundary {
            name: "floor".to_owned(),
            pose: Pose::IDENTITY,
            parts: vec![part],
            drive: Drive::Fixed,
            removal: f64::INFINITY,
        };
        let mut setup = Setup::<Volume> {
            bodies: vec![sphere(DVec3::new(0.0, 0.0, 1.0), 1.0)],
            boundaries: vec![floor],
            laws: LawTable::uniform(1, crate::PairLaw::default()),
            ..Setup::default()
        };
        let places = vec![arrival.pose.position];
        setup.arrivals.push(Arrival { time: 0.0, body: arrival, places });
        World::new(setup).unwrap()
    }

    /// Height at which a ball of radius ½ enters above (x, 0).
    fn height(x: f64) -> f64 {
        let mut world = world(sphere(DVec3::new(x, 0.0, 9.0), 0.5));
        world.step().unwrap();
        world.bodies()[1].pose.position.z
    }

    #[test]
    fn a_ball_comes_to_lie_on_a_ball_or_on_the_floor() {
        // No gravity acts: where it enters is where it is after a step.
        assert!((height(0.0) - 2.5).abs() < 1e-5);
        // On the flank: 1.5² = 0.9² + 1.2².
        assert!((height(0.9) - 2.2).abs() < 1e-5);
        // Boxes overlap, balls do not.
        assert!((height(1.495) - (1.0 + (1.5f64.powi(2) - 1.495f64.powi(2)).sqrt())).abs() < 1e-4);
        assert!((height(3.0) - 0.5).abs() < 1e-5);
    }

    #[test]
    fn of_several_places_the_lowest_is_taken() {
        let mut world = world(sphere(DVec3::new(0.0, 0.0, 9.0), 0.5));
        let at = |x: f64| DVec3::new(x, 0.0, 9.0);
        world.setup.arrivals[0].places = vec![at(0.0), at(3.0), at(0.9)];
        world.step().unwrap();
        assert!((world.bodies()[1].pose.position - DVec3::new(3.0, 0.0, 0.5)).length() < 1e-5);
    }

    #[test]
    fn a_body_below_the_top_of_others_is_raised() {
        let mut world = world(sphere(DVec3::new(0.0, 0.0, 1.2), 0.5));
        world.step().unwrap();
        assert!((world.bodies()[1].pose.position.z - 2.5).abs() < 1e-5);
    }

    #[test]
    fn a_body_with_nothing_below_stays() {
        let mut world = world(sphere(DVec3::new(3.0, 0.0, -9.0), 0.5));
        world.step().unwrap();
        assert_eq!(world.bodies()[1].pose.position.z, -9.0);
    }
}
