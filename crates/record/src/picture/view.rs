//! The box that a picture shows: fixed if given, else from the first frame, and grown in large
//! strides when bodies leave it, so that it changes seldom.

use super::{Figure, PictureFrame};
use drystone_detect::{Bounds, Extent, Geometry};
use drystone_space::Vector;

/// Share of the largest edge that is left free around the bodies: a small overlap with a wall, or
/// a small tremor, must not change the view.
const MARGIN: f64 = 0.03;
/// Share of the box that is added on each side when a body leaves it.
const STRIDE: f64 = 0.25;
/// A view that follows its bodies stops at this multiple of its first size: what falls off the
/// ground would otherwise shrink the rest to nothing.
const MOST_GROWTH: f64 = 4.0;

/// The box that a picture shows.
#[derive(Clone, Debug, PartialEq)]
pub struct View<S: Geometry> {
    bounds: Bounds<S>,
    /// Beyond this box the view does not grow; `None` for a view that was given.
    limit: Option<Bounds<S>>,
}

impl<S: Geometry> View<S> {
    /// A view of the given region, or of all that the frame holds.
    pub fn new(region: Option<(S::Vector, S::Vector)>, first: &PictureFrame<S>) -> Self {
        if let Some((low, high)) = region {
            return Self { bounds: Bounds { low, high }, limit: None };
        }
        let bodies = enclose_all(first);
        let solid = match (bodies, enclose(first.boundaries.iter())) {
            (Some(bodies), Some(boundaries)) => bodies.union(&boundaries),
            (Some(only), None) | (None, Some(only)) => only,
            (None, None) => Bounds::around(S::Vector::ZERO, 1.0),
        };
        let bounds = surfaces(first)
            .map(|(normal, offset)| {
                let centre = solid.centre();
                centre + normal * (offset - normal.dot(centre))
            })
            .fold(solid, |b, p| b.union(&Bounds { low: p, high: p }));
        let mut view = Self { bounds, limit: None };
        view.settle();
        view
    }
    /// The lowest and the highest corner.
    pub fn corners(&self) -> (S::Vector, S::Vector) {
        (self.bounds.low, self.bounds.high)
    }
    /// Whether the view was given, and so never moves.
    pub fn is_given(&self) -> bool {
        self.limit.is_none()
    }
    /// Takes in a box from the start, unless the view was given.
    pub fn expect(&mut self, low: S::Vector, high: S::Vector) {
        if self.limit.is_some() && low.finite() && high.finite() {
            let larger = self.bounds.union(&Bounds { low, high });
            if larger != self.bounds {
                self.bounds = larger;
                self.settle();
            }
        }
    }
    /// Grows if a body of the frame has left the view.
    pub fn follow(&mut self, frame: &PictureFrame<S>) {
        let (Some(limit), Some(bodies)) = (self.limit, enclose_all(frame)) else {
            return;
        };
        let size = self.bounds.size();
        let side = |i: usize, outside: bool| if outside { STRIDE * size.get(i) } else { 0.0 };
        let low = S::Vector::from_fn(|i| {
            let (now, wanted) = (self.bounds.low.get(i), bodies.low.get(i));
            (wanted.min(now) - side(i, wanted < now)).max(limit.low.get(i))
        });
        let high = S::Vector::from_fn(|i| {
            let (now, wanted) = (self.bounds.high.get(i), bodies.high.get(i));
            (wanted.max(now) + side(i, wanted > now)).min(limit.high.get(i))
        });
        self.bounds = Bounds { low, high };
    }
    /// Adds the margin and sets the limit.
    fn settle(&mut self) {
        let largest = (0..S::DIMENSION).map(|i| self.bounds.size().get(i)).fold(0.0, f64::max);
        self.bounds = self.bounds.grown(MARGIN * largest);
        self.limit = Some(self.bounds.grown(0.5 * (MOST_GROWTH - 1.0) * largest));
    }
}

/// The box around all bodies and solids, and the periodic cell.
fn enclose_all<S: Geometry>(frame: &PictureFrame<S>) -> Option<Bounds<S>> {
    let solids =
        frame.solids.iter().map(|solid| Bounds::<S>::of_points(solid.nodes.iter().copied()));
    let finite = solids.filter(|bounds| bounds.low.finite() && bounds.high.finite());
    let edges = Bounds::<S>::of_points(frame.edges.iter().flatten().copied());
    let edges = (!frame.edges.is_empty()).then_some(edges);
    let all = enclose(frame.bodies.iter()).into_iter().chain(finite).chain(edges);
    all.reduce(|a, b| a.union(&b))
}

/// The box around all figures that have an end; `None` if there is none.
fn enclose<'a, S: Geometry>(figures: impl Iterator<Item = &'a Figure<S>>) -> Option<Bounds<S>> {
    let boxes = figures.filter_map(|figure| match S::extent(&figure.shape, &figure.pose) {
        Extent::Box(bounds) if bounds.low.finite() && bounds.high.finite() => Some(bounds),
        _ => None,
    });
    boxes.reduce(|a, b| a.union(&b))
}

/// Normal and offset of every half-plane or half-space.
fn surfaces<S: Geometry>(frame: &PictureFrame<S>) -> impl Iterator<Item = (S::Vector, f64)> {
    frame.boundaries.iter().filter_map(|figure| match S::extent(&figure.shape, &figure.pose) {
        Extent::Half { normal, offset } => Some((normal, offset)),
        Extent::Box(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_detect::plane::PlaneShape;
    use drystone_space::{DVec2, Plane, PlaneRotation, Pose};

    fn disk(x: f64, y: f64) -> Figure<Plane> {
        let pose = Pose::at(DVec2::new(x, y));
        Figure { shape: PlaneShape::Disk { radius: 0.5 }, pose, speed: 0.0 }
    }
    fn frame(bodies: Vec<Figure<Plane>>, boundaries: Vec<Figure<Plane>>) -> PictureFrame<Plane> {
        PictureFrame {
            title: String::new(),
            time: 0.0,
            bodies,
            boundaries,
            forces: Vec::new(),
            bonds: Vec::new(),
            solids: Vec::new(),
            edges: Vec::new(),
            ghosts: Vec::new(),
        }
    }
    fn floor(height: f64) -> Figure<Plane> {
        let pose = Pose::new(DVec2::new(7.0, height), PlaneRotation::from_angle(0.0));
        Figure { shape: PlaneShape::HalfPlane, pose, speed: 0.0 }
    }

    #[test]
    fn a_view_holds_the_bodies_and_reaches_the_floor() {
        let view = View::new(None, &frame(vec![disk(0.0, 3.0), disk(2.0, 4.0)], vec![floor(0.0)]));
        let margin = DVec2::splat(MARGIN * 4.5);
        let corners = (DVec2::new(-0.5, 0.0) - margin, DVec2::new(2.5, 4.5) + margin);
        assert_eq!(view.corners(), corners);
        let (low, high) = View::new(None, &frame(vec![], vec![])).corners();
        assert!(low == -high && high.x > 1.0);
    }

    #[test]
    fn a_view_grows_in_strides_and_not_without_end() {
        let mut view = View::new(None, &frame(vec![disk(0.0, 0.0), disk(3.0, 3.0)], vec![]));
        let before = view.corners();
        view.follow(&frame(vec![disk(1.0, 1.0)], vec![]));
        assert_eq!(view.corners(), before);
        view.follow(&frame(vec![disk(3.1, 1.0)], vec![]));
        assert_eq!(view.corners(), before, "within the margin");
        view.follow(&frame(vec![disk(3.2, 1.0)], vec![]));
        let grown = view.corners();
        let stride = STRIDE * (before.1.x - before.0.x);
        assert!((grown.1.x - (3.7 + stride)).abs() < 1e-12 && grown.0 == before.0);
        // The next small move needs no new view.
        view.follow(&frame(vec![disk(3.3, 1.0)], vec![]));
        assert_eq!(view.corners(), grown);
        view.follow(&frame(vec![disk(1.0, -1e9)], vec![]));
        assert!(view.corners().0.y > -12.0);
        view.follow(&frame(vec![disk(f64::NAN, 0.0)], vec![]));
        assert!(view.corners().0.is_finite() && view.corners().1.is_finite());
    }

    #[test]
    fn a_given_view_never_moves() {
        let region = (DVec2::ZERO, DVec2::ONE);
        let mut view = View::new(Some(region), &frame(vec![disk(9.0, 9.0)], vec![]));
        view.expect(DVec2::splat(-5.0), DVec2::splat(5.0));
        view.follow(&frame(vec![disk(-9.0, 9.0)], vec![]));
        assert!(view.is_given() && view.corners() == region);
    }
}
