//! Pairs with frusta. The oracle knows them by two things only: how far a shape reaches along a direction, and how far a point is
//! outside of it.
//!
//! A direction along which two shapes are g apart, and a point of each, g apart, prove each other: then g is the distance. In overlap
//! any direction proves that the depth is no more than what it tells; that none tells of less is held by a search among many, from
//! wherever the best of them are.

use super::hold::{Placed, touches};
use super::pairs::{GAPS, gap_kind, magnitude, unit_vector};
use super::volume::{self, LAYS, Place};
use drystone_detect::Touch;
use drystone_detect::volume::{Frustum, VolumeShape};
use drystone_space::{DQuat, DVec3, Pose, Random, Volume};
use std::collections::BTreeMap;

/// Distances agree to this share of the smaller shape's size.
const AGREE: f64 = 1e-9;

pub const FRUSTA: [&str; 6] = ["cylinder", "coin", "rod", "cone", "frustum", "tip"];

fn frustum(kind: usize, random: &mut Random) -> VolumeShape {
    let thin = magnitude(random, -3.0, -0.5);
    let any = |random: &mut Random| random.between(0.2, 1.0);
    let (half, radii) = match FRUSTA[kind] {
        "cylinder" => {
            let r = any(random);
            (any(random), [r, r])
        }
        "coin" => (thin, [1.0, 1.0]),
        "rod" => (1.0, [thin, thin]),
        "cone" => (any(random), [any(random), 0.0]),
        "tip" => (any(random), [0.0, magnitude(random, -2.0, 0.0)]),
        _ => (magnitude(random, -2.0, 0.0), [any(random), any(random)]),
    };
    VolumeShape::Frustum(Frustum::new(half, radii))
}

/// How far a shape reaches along a direction.
fn highest((shape, pose): &Placed<Volume>, n: DVec3) -> f64 {
    let own = pose.rotation.conjugate() * n;
    let of_points = |points: &mut dyn Iterator<Item = DVec3>| {
        points.map(|p| own.dot(p)).fold(f64::MIN, f64::max)
    };
    let reach = match shape {
        VolumeShape::Sphere { radius } => *radius,
        VolumeShape::Capsule { half_length, radius } => half_length * own.z.abs() + radius,
        VolumeShape::Polyhedron(p) => of_points(&mut p.vertices().iter().copied()),
        VolumeShape::Rounded(r) => of_points(&mut r.core().vertices().iter().copied()) + r.radius(),
        VolumeShape::Triangle(t) => of_points(&mut t.corners().into_iter()),
        VolumeShape::Frustum(f) => {
            let [a, b] = f.radii();
            let flat = own.x.hypot(own.y);
            (a * flat - f.half_length() * own.z).max(b * flat + f.half_length() * own.z)
        }
        VolumeShape::HalfSpace => {
            if own.z > 1.0 - 1e-14 {
                0.0
            } else {
                f64::INFINITY
            }
        }
    };
    reach + n.dot(pose.position)
}

/// How far a point is outside of a shape, at least.
fn outside((shape, pose): &Placed<Volume>, point: DVec3) -> f64 {
    let p = pose.inverse_point(point);
    let faces = |q: &drystone_detect::volume::Polyhedron| {
        (0..q.faces().len())
            .map(|f| q.normal(f).dot(p - q.vertices()[q.faces()[f][0] as usize]))
            .fold(f64::MIN, f64::max)
    };
    match shape {
        VolumeShape::Sphere { radius } => p.length() - radius,
        VolumeShape::Capsule { half_length, radius } => {
            p.distance(DVec3::Z * p.z.clamp(-half_length, *half_length)) - radius
        }
        VolumeShape::Polyhedron(q) => faces(q),
        VolumeShape::Rounded(r) => faces(r.core()) - r.radius(),
        VolumeShape::Triangle(t) => {
            let corners = t.corners();
            let side = |i: usize| {
                let (a, b) = (corners[i], corners[(i + 1) % 3]);
                (b - a).cross(t.normal()).normalize().dot(p - a)
            };
            (0..3).map(side).fold(t.normal().dot(p - corners[0]).abs(), f64::max)
        }
        VolumeShape::Frustum(f) => {
            let [a, b] = f.radii();
            let slant = (b - a) / (2.0 * f.half_length());
            let beside =
                (p.x.hypot(p.y) - 0.5 * (a + b) - slant * p.z) / (1.0 + slant * slant).sqrt();
            beside.max(p.z.abs() - f.half_length())
        }
        VolumeShape::HalfSpace => p.z,
    }
}

fn size(placed: &Placed<Volume>) -> f64 {
    match placed.0 {
        VolumeShape::HalfSpace => f64::INFINITY,
        _ => {
            let along = |n: DVec3| highest(placed, n) + highest(placed, -n);
            DVec3::new(along(DVec3::X), along(DVec3::Y), along(DVec3::Z)).length()
        }
    }
}

/// How far the first is from the second along a direction toward the first.
fn separation([a, b]: [&Placed<Volume>; 2], n: DVec3) -> f64 {
    -highest(a, -n) - highest(b, n)
}

/// The most that any direction separates, as far as a search finds one.
fn most(pair: [&Placed<Volume>; 2], start: DVec3, random: &mut Random) -> (f64, DVec3) {
    let mut starts: Vec<(f64, DVec3)> = (0..250)
        .map(|_| unit_vector(random))
        .chain([start])
        .map(|n| (separation(pair, n), n))
        .collect();
    starts.sort_by(|x, y| y.0.total_cmp(&x.0));
    let mut best = starts[0];
    for &(mut value, mut n) in starts.iter().take(5) {
        let mut step = 0.2;
        while step > 1e-9 {
            let next = (n + unit_vector(random) * step).normalize();
            let here = separation(pair, next);
            if here > value {
                (value, n) = (here, next);
                step *= 1.6;
            } else {
                step *= 0.9;
            }
        }
        if value > best.0 {
            best = (value, n);
        }
    }
    best
}

fn deepest(found: &[Touch<Volume>]) -> Option<&Touch<Volume>> {
    found.iter().min_by(|s, t| s.gap.total_cmp(&t.gap))
}

type Found = Result<f64, (&'static str, f64)>;

/// What must hold of one order; the distance, if anything is found.
fn sound(
    pair: [&Placed<Volume>; 2],
    margin: f64,
    tolerance: f64,
) -> Result<Option<f64>, (&'static str, f64)> {
    let found = touches(pair[0], pair[1], margin);
    let Some(deepest) = deepest(&found) else { return Ok(None) };
    let apart = separation(pair, deepest.normal);
    let ensure = |right: bool, what, by: f64| if right { Ok(()) } else { Err((what, by)) };
    ensure(
        (apart - deepest.gap).abs() <= tolerance,
        "the normal does not separate by the gap",
        apart - deepest.gap,
    )?;
    for t in &found {
        ensure(
            (t.normal.length() - 1.0).abs() < 1e-12,
            "a normal is no unit vector",
            t.normal.length(),
        )?;
        ensure(t.gap <= margin, "a gap is beyond the margin", t.gap)?;
        for (body, half) in pair.iter().zip([0.5, -0.5]) {
            let off = outside(body, t.point + t.normal * (half * t.gap));
            ensure(off <= tolerance, "a point is outside of a body", off)?;
        }
    }
    Ok(Some(deepest.gap))
}

/// What must hold of a pair: the distance.
fn hold(pair: [&Placed<Volume>; 2], margins: &[f64], random: &mut Random) -> Found {
    let [p, q] = pair.map(size);
    let scale = p.min(q);
    let reach = if p.max(q).is_finite() { p.max(q) } else { scale }
        + pair.iter().map(|x| x.1.position.length()).sum::<f64>();
    let tolerance = AGREE * scale + 2e-14 * reach;
    let wide = 3.0 * scale;
    let mut distance = None;
    for order in [pair, [pair[1], pair[0]]] {
        let found = sound(order, wide, tolerance)?;
        if let (Some(x), Some(y)) = (found, distance) {
            let off: f64 = x - y;
            if off.abs() > tolerance {
                return Err(("a swap changes the distance", off / scale));
            }
        }
        distance = found.or(distance);
        if found.is_none() && distance.is_some() {
            return Err(("a swap loses the touch", 0.0));
        }
    }
    let found = touches(pair[0], pair[1], wide);
    let start = deepest(&found).map_or(DVec3::Z, |t| t.normal);
    let half = pair.iter().any(|x| x.0 == VolumeShape::HalfSpace);
    // Where something is apart, it is proved by its points. All else is searched.
    if distance.is_none_or(|d| d <= tolerance) && !half {
        let (value, _) = most(pair, start, random);
        let told = distance.unwrap_or(wide);
        if distance.is_none() && value < wide - tolerance && value < 0.0 {
            return Err(("nothing is found in overlap", value / scale));
        }
        if distance.is_some() && value > told + tolerance {
            return Err(("another direction separates more", (value - told) / scale));
        }
    }
    let Some(distance) = distance else { return Ok(wide) };
    for &margin in margins {
        match sound(pair, margin, tolerance)? {
            Some(_) if distance > margin + tolerance => {
                return Err(("beyond the margin", distance - margin));
            }
            None if distance < margin - tolerance => {
                return Err(("nothing is found within the margin", (distance - margin) / scale));
            }
            Some(gap) if (gap - distance).abs() > tolerance => {
                return Err(("the margin changes the distance", (gap - distance) / scale));
            }
            _ => {}
        }
    }
    Ok(distance)
}

#[derive(Default)]
pub struct Tally {
    by_family: BTreeMap<String, u64>,
    failures: BTreeMap<(String, &'static str), u64>,
    examples: Vec<String>,
    pub total: u64,
}

impl Tally {
    #[track_caller]
    pub fn verdict(&self) {
        self.examples.iter().for_each(|example| println!("{example}"));
        assert!(self.failures.is_empty(), "{:#?} of {}", self.failures, self.total);
    }
    pub fn print(&self) {
        self.by_family.iter().for_each(|(family, count)| println!("{count:8}  {family}"));
        println!("{:8}  in all", self.total);
    }
}

/// Moves the first along the direction of the distance until the gap is of a kind; what is not near is left where it is.
fn bring(placed: &mut [Placed<Volume>; 2], gap: usize, random: &mut Random) -> f64 {
    let scale = size(&placed[0]).min(size(&placed[1]));
    let target = match GAPS[gap] {
        "touching" => 0.0,
        "near touching" => [-1.0, 1.0][random.below(2)] * magnitude(random, -16.0, -6.0) * scale,
        "slight overlap" => -magnitude(random, -8.0, -2.0) * scale,
        "deep" => -magnitude(random, -2.0, 0.0) * scale,
        _ => magnitude(random, -8.0, -0.3) * scale,
    };
    if GAPS[gap] == "apart" && random.below(2) == 0 {
        placed[0].1.position += unit_vector(random) * (scale * random.between(0.2, 1.5));
    }
    let found = touches(&placed[0], &placed[1], 10.0 * scale);
    if let Some(touch) = deepest(&found) {
        placed[0].1.position += touch.normal * (target - touch.gap);
    }
    target
}

/// Frusta and all other shapes, over and over until there are as many as asked for.
pub fn tally(count: u64, seed: u64) -> Tally {
    let mut random = Random::new(seed, 7);
    let mut tally = Tally::default();
    let others: Vec<&str> =
        volume::SHAPES.iter().chain(&FRUSTA).chain(&volume::FIXED).copied().collect();
    while tally.total < count {
        for first in 0..FRUSTA.len() {
            for (second, name) in others.iter().enumerate() {
                for lay_kind in 0..LAYS.len() {
                    let p = frustum(first, &mut random);
                    let shapes = volume::SHAPES.len();
                    let q = match second {
                        s if s < shapes => volume::shape(s, &mut random),
                        s if s < shapes + FRUSTA.len() => Some(frustum(s - shapes, &mut random)),
                        s if s == shapes + FRUSTA.len() => Some(VolumeShape::HalfSpace),
                        _ => volume::triangle(&mut random),
                    };
                    let scale =
                        if random.below(4) == 0 { magnitude(&mut random, -3.0, 0.0) } else { 1.0 };
                    let Some(q) = q.and_then(|q| volume::scaled(q, scale)) else { continue };
                    let places: [Place; 2] =
                        [volume::place(&p, &mut random), volume::place(&q, &mut random)];
                    let turn = volume::lay(lay_kind, places, &mut random).normalize();
                    let position = places[0].point - turn * places[1].point;
                    let motion = Pose::new(
                        unit_vector(&mut random) * random.between(0.0, 2.0),
                        if random.below(4) == 0 {
                            DQuat::IDENTITY
                        } else {
                            DQuat::from_scaled_axis(unit_vector(&mut random) * 2.0)
                        },
                    );
                    let mut placed = [(p, motion), (q, motion.compose(&Pose::new(position, turn)))];
                    let gap = gap_kind(&mut random);
                    let target = bring(&mut placed, gap, &mut random);
                    let size = size(&placed[0]).min(size(&placed[1]));
                    let beside = magnitude(&mut random, -6.0, 0.0);
                    let margins = [
                        0.0,
                        1e-3 * size,
                        target.abs() * (1.0 + beside),
                        target.abs() * (1.0 - beside),
                    ];
                    tally.total += 1;
                    *tally.by_family.entry(format!("{} and {name}", FRUSTA[first])).or_default() +=
                        1;
                    if let Err((what, by)) = hold([&placed[0], &placed[1]], &margins, &mut random) {
                        let family = format!("{} and {name}", FRUSTA[first]);
                        *tally.failures.entry((family.clone(), what)).or_default() += 1;
                        if tally.examples.len() < 10 {
                            tally.examples.push(format!(
                                "{what} by {by:e}: {family}, {}, {}\n  {:?}\n  {:?}",
                                LAYS[lay_kind], GAPS[gap], placed[0], placed[1]
                            ));
                        }
                    }
                }
            }
        }
    }
    tally
}
