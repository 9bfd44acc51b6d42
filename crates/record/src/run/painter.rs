//! The painter of a run.

use crate::archive::Recorded;
use crate::picture::{Painter, PictureFrame, PictureSettings};
use drystone_detect::Extent;
use drystone_engine::World;
use drystone_space::Vector;

/// The colour scale never ends below this speed, in m/s.
const LEAST_SPEED: f64 = 1e-6;

/// A painter whose view also holds the bodies that will enter.
pub fn painter<S: Recorded>(
    settings: PictureSettings<S>,
    first: &PictureFrame<S>,
    world: &World<S>,
) -> Painter<S> {
    let setup = world.setup();
    let widths = first.bodies.iter().map(|figure| S::width(&figure.shape));
    let width = widths.fold(f64::INFINITY, f64::min);
    // A thousandth of the speed after a fall of a body's own width counts as rest.
    let fall = (width * setup.gravity.norm()).sqrt();
    let rest = if fall.is_finite() { (1e-3 * fall).max(LEAST_SPEED) } else { LEAST_SPEED };
    let mut painter = Painter::new(settings, first, rest);
    for arrival in &setup.arrivals {
        for part in &arrival.body.parts {
            let pose = arrival.body.pose.compose(&part.pose());
            if let Extent::Box(bounds) = S::extent(&part.shape, &pose) {
                painter.expect(bounds.low, bounds.high);
            }
        }
    }
    painter
}
