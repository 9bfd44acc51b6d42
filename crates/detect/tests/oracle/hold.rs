//! What must hold of the touches of a pair.

use super::distance::{Body, Signed, separation, signed_distance};
use drystone_detect::{Geometry, Manifold, Touch};
use drystone_space::{DVec3, Pose};

/// Distances agree to this share of the smaller shape's size,
const AGREE: f64 = 1e-9;
/// and to this share of the larger one's, by which its corners are rounded.
const ROUNDED: f64 = 1e-14;

/// The oracle's bounds agree to this share of the smaller size, or it has no verdict.
const UNSURE: f64 = 1e-12;

/// A space whose shapes the oracle knows.
pub trait Known: Geometry {
    fn body(shape: &Self::Shape, pose: &Pose<Self>) -> Body;
    fn lift(vector: Self::Vector) -> DVec3;
    fn lower(vector: DVec3) -> Self::Vector;
    /// Largest share of the size at which nothing may be found although shapes touch.
    const LET_GO: f64;
}

pub type Placed<S> = (<S as Geometry>::Shape, Pose<S>);

/// How far off the touches of a pair are, and where the oracle itself is unsure.
pub enum Verdict {
    Holds,
    Unsure,
    Fails(&'static str, f64),
}

pub fn touches<S: Known>(a: &Placed<S>, b: &Placed<S>, margin: f64) -> Vec<Touch<S>> {
    let mut manifold = Manifold::default();
    S::collide((&a.0, &a.1), (&b.0, &b.1), margin, &mut manifold);
    manifold.touches().to_vec()
}

pub fn hold<S: Known>(a: &Placed<S>, b: &Placed<S>, margins: &[f64]) -> Verdict {
    let (p, q) = (S::body(&a.0, &a.1), S::body(&b.0, &b.1));
    let sizes = [p.size(), q.size()];
    let size = sizes[0].min(sizes[1]);
    let larger = if sizes[0].max(sizes[1]).is_finite() { sizes[0].max(sizes[1]) } else { size };
    let reach = larger + p.centre().length() + q.centre().length();
    let signed = signed_distance(&p, &q);
    let unsure = (signed.high - signed.low).max(0.0);
    if unsure > UNSURE * size + ROUNDED * reach {
        return Verdict::Unsure;
    }
    let tolerance = AGREE * size + ROUNDED * reach + unsure;
    let case = Case { bodies: [&p, &q], signed, tolerance, size };
    for &margin in margins {
        let found = [touches(a, b, margin), touches(b, a, margin)];
        for (found, side) in found.iter().zip([1.0, -1.0]) {
            if let Err((what, by)) = case.sound::<S>(found, margin, side) {
                return Verdict::Fails(what, by / size);
            }
        }
        if let Err(by) = case.flipped::<S>(&found) {
            return Verdict::Fails("a swap turns the normal by another angle", by);
        }
    }
    Verdict::Holds
}

struct Case<'a> {
    bodies: [&'a Body; 2],
    signed: Signed,
    tolerance: f64,
    size: f64,
}

type Found = Result<(), (&'static str, f64)>;

fn ensure(right: bool, what: &'static str, by: f64) -> Found {
    if right { Ok(()) } else { Err((what, by)) }
}

fn deepest<S: Known>(found: &[Touch<S>]) -> Option<&Touch<S>> {
    found.iter().min_by(|s, t| s.gap.total_cmp(&t.gap))
}

impl Case<'_> {
    /// `side` is −1 for touches of the swapped pair.
    fn sound<S: Known>(&self, found: &[Touch<S>], margin: f64, side: f64) -> Found {
        let distance = self.signed.high;
        let Some(deepest) = deepest(found) else {
            let let_go = distance.abs() <= S::LET_GO * self.size;
            return ensure(
                distance > margin - self.tolerance || let_go,
                "nothing is found within the margin",
                distance,
            );
        };
        ensure(
            distance <= margin + self.tolerance,
            "something is found beyond the margin",
            distance,
        )?;
        let off = (deepest.gap - distance).abs();
        ensure(off <= self.tolerance, "the least gap is not the distance", off)?;
        let apart = separation(self.bodies[0], self.bodies[1], S::lift(deepest.normal) * side);
        let off = (apart - deepest.gap).abs();
        ensure(off <= self.tolerance, "the normal does not separate by the gap", off)?;
        for touch in found {
            ensure(touch.gap <= margin, "a gap is beyond the margin", touch.gap)?;
            self.between::<S>(touch, side)?;
        }
        Ok(())
    }
    /// Half a gap along the normal either way is a point of each body.
    fn between<S: Known>(&self, touch: &Touch<S>, side: f64) -> Found {
        let (point, normal) = (S::lift(touch.point), S::lift(touch.normal) * side);
        ensure(
            (normal.length() - 1.0).abs() < 1e-12,
            "a normal is no unit vector",
            normal.length(),
        )?;
        for (body, half) in self.bodies.iter().zip([0.5, -0.5]) {
            let outside = body.outside(point + normal * (half * touch.gap));
            // What is beyond each of two sides by no more than the tolerance may be farther from where they meet.
            let inside = outside <= self.tolerance || outside * body.sharpest() <= self.tolerance;
            ensure(inside, "a point is outside of a body", outside)?;
        }
        Ok(())
    }
    /// Of bodies apart the direction of the distance is unique: two along which they are `distance − tolerance` apart make an
    /// angle of at most 2 √(2 tolerance / distance). In overlap several may be as good, and `sound` has asked for each.
    fn flipped<S: Known>(&self, [found, back]: &[Vec<Touch<S>>; 2]) -> Result<(), f64> {
        let (Some(x), Some(y)) = (deepest(found), deepest(back)) else { return Ok(()) };
        let turned = (S::lift(x.normal) + S::lift(y.normal)).length();
        let core = self.signed.high + self.bodies[0].radius + self.bodies[1].radius;
        let allowed = if core > 0.0 {
            1e-9 + 2.0 * (2.0 * self.tolerance / core).sqrt()
        } else {
            f64::INFINITY
        };
        if turned <= allowed { Ok(()) } else { Err(turned) }
    }
}
