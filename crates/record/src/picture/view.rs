//! The box that a picture shows: fixed if given, else from the first frame, and grown in large
//! strides when bodies leave it, so that it changes seldom.

use super::{Figure, Frame};
use drystone_detect::{Bounds, Extent, Geometry};
use drystone_space::Vector;

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
    pub fn new(region: Option<(S::Vector, S::Vector)>, first: &Frame<S>) -> Self {
        if let Some((low, high)) = region {
            return Self { bounds: Bounds { low, high }, limit: None };
        }
        let bodies = enclose(first.bodies.iter());
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
        view.set_limit();
        view
    }
    /// The lowest and the highest corner.
    pub fn corners(&self) -> (S::Vector, S::Vector) {
        (self.bounds.low, self.bounds.high)
    }
    /// Takes in a box from the start, unless the view was given.
    pub fn expect(&mut self, low: S::Vector, high: S::Vector) {
        if self.limit.is_some() && low.finite() && high.finite() {
            self.bounds = self.bounds.union(&Bounds { low, high });
            self.set_limit();
        }
    }
    /// Grows if a body of the frame has left the view.
    pub fn follow(&mut self, frame: &Frame<S>) {
        let (Some(limit), Some(bodies)) = (self.limit, enclose(frame.bodies.iter())) else {
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
    fn set_limit(&mut self) {
        let largest = (0..S::DIMENSION).map(|i| self.bounds.size().get(i)).fold(0.0, f64::max);
        self.limit = Some(self.bounds.grown(0.5 * (MOST_GROWTH - 1.0) * largest));
    }
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
fn surfaces<S: Geometry>(frame: &Frame<S>) -> impl Iterator<Item = (S::Vector, f64)> {
    frame.boundaries.iter().filter_map(|figure| match S::extent(&figure.shape, &figure.pose) {
        Extent::Half { normal, offset } => Some((normal, offset)),
        Extent::Box(_) => None,
    })
}
