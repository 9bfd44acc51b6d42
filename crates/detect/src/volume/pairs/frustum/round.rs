//! Two frusta.
//!
//! Each is seen from the other: the rims of the one are circles in the axes of the other, of whose points the nearest is sought.

use super::super::super::frustum::{Frustum, outward};
use super::super::super::segment::Segment;
use super::super::separation::Relative;
use super::hull::lowest_of;
use super::nearest::{Circle, Place, on_circle};
use super::overlap::{self, Ring};
use super::patch::{self, Disk, Feature, Touches, lay};
use super::{Lengths, Separating, finish};
use crate::{Manifold, Touch};
use drystone_space::{DMat3, DVec2, DVec3, Pose, Volume};

/// Share of the size above which the direction between two nearest points is exact.
const CLEAR: f64 = 1e-6;

pub fn frustum_frustum(
    (first, a): (&Frustum, &Pose<Volume>),
    (second, b): (&Frustum, &Pose<Volume>),
    margin: f64,
    manifold: &mut Manifold<Volume>,
) {
    let relative = Relative::new(b, a);
    let centre = relative.point(DVec3::ZERO);
    if second.near(centre).distance - first.reach() > margin {
        return;
    }
    let lengths = Lengths::new([first.size(), second.size()], margin);
    let own = View { frustum: second, other: first, rotation: relative.rotation, centre };
    let back = View {
        frustum: first,
        other: second,
        rotation: relative.inverse,
        centre: relative.back(DVec3::ZERO),
    };
    let mut touches = Touches::new();
    Pair { own, back, lengths }.touches(&mut touches);
    finish(&touches, &lengths, b, manifold);
}

/// A frustum in the axes of another.
#[derive(Clone, Copy)]
struct View<'a> {
    frustum: &'a Frustum,
    other: &'a Frustum,
    rotation: DMat3,
    centre: DVec3,
}

impl View<'_> {
    fn point(&self, other: DVec3) -> DVec3 {
        self.rotation * other + self.centre
    }
    /// A direction of these axes in those of the other.
    fn turned(&self, direction: DVec3) -> DVec3 {
        self.rotation.transpose() * direction
    }
    /// How far they are apart along a direction toward the other.
    fn separation(&self, normal: DVec3) -> f64 {
        let highest = self.other.highest(self.turned(-normal));
        normal.dot(self.centre) - highest - self.frustum.highest(normal)
    }
    fn ring(&self, end: usize) -> Ring {
        Ring {
            centre: self.point(DVec3::Z * self.other.end(end)),
            axis: self.rotation.z_axis,
            radius: self.other.radii()[end],
        }
    }
    /// The nearest point of the rims of the other, moved by `by`, that is nearer than `least`.
    fn nearest(&self, by: DVec3, mut least: f64) -> Option<Place> {
        let mut nearest = None;
        for end in [0, 1] {
            let ring = self.ring(end);
            let centre = ring.centre + by;
            if self.frustum.near(centre).distance - ring.radius > least {
                continue;
            }
            let arms = [self.rotation.x_axis, self.rotation.y_axis].map(|u| u * ring.radius);
            let mut take = |place: Place| {
                if place.near.distance < least {
                    least = place.near.distance;
                    nearest = Some(place);
                }
            };
            let circle = Circle { centre, arms };
            take(Place {
                point: circle.at(DVec2::X),
                near: self.frustum.near(circle.at(DVec2::X)),
            });
            if ring.radius > 0.0 {
                on_circle(self.frustum, &circle, take);
            }
        }
        nearest
    }
}

struct Pair<'a> {
    /// The second's axes, in which touches are found.
    own: View<'a>,
    back: View<'a>,
    lengths: Lengths,
}

impl Pair<'_> {
    /// A direction of the first's axes, turned around, in the second's.
    fn back_normal(&self, normal: DVec3) -> DVec3 {
        -(self.own.rotation * normal)
    }

    fn touches(&self, touches: &mut Touches) {
        let Some(best) = self.best() else { return };
        if best.separation > self.lengths.margin {
            return;
        }
        self.lay(&best, touches);
        touches.retain(|t| t.gap <= self.lengths.margin);
    }

    /// The direction that separates most; none if they are farther apart than the margin.
    fn best(&self) -> Option<Separating> {
        let mut best = Separating::NONE;
        let mut attempt = |normal: DVec3| {
            let separation = self.own.separation(normal);
            if separation > best.separation {
                best = Separating { separation, normal };
            }
        };
        [DVec3::NEG_Z, DVec3::Z].into_iter().for_each(&mut attempt);
        [DVec3::NEG_Z, DVec3::Z].into_iter().for_each(|n| attempt(self.back_normal(n)));
        let (side, other) = (self.own.frustum.side(), self.own.other.side());
        let sides = overlap::sides(side, other, self.own.rotation.z_axis);
        sides.into_iter().flatten().for_each(&mut attempt);
        if best.separation > self.lengths.margin {
            return None;
        }
        let (slack, clear) = (self.lengths.slack, CLEAR * self.lengths.size);
        let within = self.nearest(self.lengths.margin + slack);
        if within.is_none() && best.separation > slack {
            // Ends over each other, or sides that cross, with all rims far.
            return Some(best).filter(|best| self.touching(best).1 <= slack);
        }
        let found = within.or_else(|| self.nearest(f64::INFINITY));
        if let Some((separation, normal, _)) = found.filter(|f| f.0 > clear)
            && self.own.separation(normal) >= separation - slack
        {
            return within.map(|_| Separating { separation, normal });
        }
        let at_most = within.map_or(0.0, |f| f.0.max(0.0)) - self.lengths.rounding;
        Some(self.overlap(best, found, at_most))
    }

    /// The nearest place of all rims: how far it is, the direction there toward the first, and the point.
    fn nearest(&self, least: f64) -> Option<(f64, DVec3, DVec3)> {
        let own = self.own.nearest(DVec3::ZERO, least);
        let least = own.map_or(least, |p| p.near.distance);
        match self.back.nearest(DVec3::ZERO, least) {
            Some(p) => {
                let normal = self.back_normal(p.near.normal);
                Some((p.near.distance, normal, self.own.point(p.point)))
            }
            None => own.map(|p| (p.near.distance, p.near.normal, p.point)),
        }
    }

    fn overlap(
        &self,
        mut best: Separating,
        found: Option<(f64, DVec3, DVec3)>,
        enough: f64,
    ) -> Separating {
        let attempt = |normal: DVec3, best: &mut Separating| {
            let separation = self.own.separation(normal);
            if separation > best.separation {
                *best = Separating { separation, normal };
            }
        };
        if let Some((_, normal, point)) = found {
            attempt(normal, &mut best);
            attempt(self.own.frustum.side_normal(point), &mut best);
            attempt(
                self.back_normal(self.back.frustum.side_normal(self.back.point(point))),
                &mut best,
            );
        }
        if best.separation >= enough {
            return best;
        }
        let (side, other) = (self.own.frustum.side(), self.own.other.side());
        for end in [0, 1] {
            overlap::side_across_ring(side, &self.own.ring(end), |n| attempt(n, &mut best));
            overlap::side_across_ring(other, &self.back.ring(end), |n| {
                attempt(self.back_normal(n), &mut best)
            });
        }
        if best.separation >= enough {
            return best;
        }
        let mut starts = arrayvec::ArrayVec::<DVec3, 16>::new();
        starts.push(best.normal);
        if let Some((_, normal, point)) = found {
            starts.push(normal);
            let out = outward(point);
            let tangent = out.perp().extend(0.0);
            let own = self.own.turned(point - self.own.centre);
            let other = self.own.rotation * outward(own).perp().extend(0.0);
            starts.extend(tangent.cross(other).try_normalize().into_iter().flat_map(|n| [n, -n]));
        }
        let axis = self.own.rotation.z_axis;
        let toward = self.own.centre.try_normalize().unwrap_or(DVec3::X);
        for lean in [
            DVec3::ZERO,
            DVec3::Z,
            DVec3::NEG_Z,
            axis,
            -axis,
            DVec3::Z.cross(axis),
            axis.cross(DVec3::Z),
        ] {
            starts.extend((toward + lean).try_normalize());
        }
        for i in [0, 1] {
            let first = Ring::of(self.own.frustum, i);
            for k in [0, 1] {
                let second = self.own.ring(k);
                if first.radius <= 0.0 || second.radius <= 0.0 {
                    continue;
                }
                for &start in &starts {
                    if let Some(n) = overlap::rings([&first, &second], start) {
                        attempt(n, &mut best);
                    }
                }
                if best.separation >= enough {
                    return best;
                }
            }
        }
        best
    }

    fn lay(&self, best: &Separating, touches: &mut Touches) {
        let normal = best.normal;
        lay(self.own.frustum, feature(&self.own, normal), best, &self.lengths, touches);
        // An end of the first under the side of the second is laid from there.
        let turned = self.own.turned(-normal);
        if !patch::along_side(self.own.other, turned) && patch::along_side(self.own.frustum, normal)
        {
            let before = touches.len();
            let mirrored = Separating { normal: turned, ..*best };
            lay(self.back.frustum, feature(&self.back, turned), &mirrored, &self.lengths, touches);
            for touch in &mut touches[before..] {
                touch.point = self.own.point(touch.point);
                touch.normal = self.back_normal(touch.normal);
            }
        }
        if touches.iter().any(|t| t.gap <= best.separation + self.lengths.slack) {
            return;
        }
        let point = self.touching(best).0 + normal * (0.5 * best.separation);
        let (gap, feature) = (best.separation, patch::ALONE);
        touches.push(Touch { point, normal, gap, feature });
    }

    /// The point of the second at which the first touches it once it is moved out of it, or up to it, and how far it is then off.
    fn touching(&self, best: &Separating) -> (DVec3, f64) {
        let (normal, way) = (best.normal, best.normal * best.separation);
        let other = self.own.point(lowest_of(self.own.other, self.own.turned(normal))) - way;
        let own = lowest_of(self.own.frustum, -normal);
        let line = |view: &View, n: DVec3| {
            let out = outward(n);
            Segment::new([0, 1].map(|end| view.frustum.on_rim(end, out)))
        };
        let (mine, theirs) = (line(&self.own, normal), line(&self.back, self.own.turned(-normal)));
        let theirs = Segment::new([theirs.start, theirs.end].map(|p| self.own.point(p) - way));
        let crossing = mine.meeting(&theirs).first;
        let off = |p: &DVec3| {
            let back = self.back.frustum.near(self.back.point(*p + way)).distance;
            self.own.frustum.near(*p).distance.max(back)
        };
        let by_rim = self.own.nearest(-way, f64::INFINITY).map(|p| p.point);
        let back = self.back.nearest(self.own.turned(way), f64::INFINITY);
        let by_back = back.map(|p| self.own.point(p.point) - way);
        let all = [Some(other), Some(own), Some(crossing), by_rim, by_back];
        let best =
            all.into_iter().flatten().map(|p| (p, off(&p))).min_by(|x, y| x.1.total_cmp(&y.1));
        best.unwrap_or((own, f64::INFINITY))
    }
}

/// What of the other frustum lies across a direction toward it.
fn feature<'a>(view: &View<'a>, normal: DVec3) -> Feature<'a> {
    let toward = view.turned(-normal);
    if patch::along_side(view.other, toward) {
        let out = outward(toward);
        let flat = DVec2::new(toward.truncate().length(), toward.z);
        if view.other.side().dot(flat) < patch::FLAT {
            return Feature::Corner;
        }
        return Feature::Edge([0, 1].map(|end| view.point(view.other.on_rim(end, out))), 0);
    }
    if toward.z.abs() < patch::FLAT {
        return Feature::Corner;
    }
    let end = usize::from(toward.z > 0.0);
    let axis = view.rotation.z_axis;
    Feature::End(Disk {
        frustum: view.other,
        end,
        rotation: view.rotation,
        centre: view.point(DVec3::Z * view.other.end(end)),
        normal: if end == 0 { -axis } else { axis },
    })
}
