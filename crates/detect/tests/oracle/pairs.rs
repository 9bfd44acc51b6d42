//! What pairs of the plane and of space have in common: how they are brought to a gap.

use super::distance::signed_distance;
use super::hold::{Known, Placed};
use drystone_space::{DVec3, Random};

pub const GAPS: [&str; 5] = ["touching", "near touching", "slight overlap", "deep", "apart"];

/// Two placed shapes, which of [`GAPS`] they were brought to, and margins to test them with.
pub struct Pair<S: Known> {
    pub placed: [Placed<S>; 2],
    pub gap: usize,
    pub margins: Vec<f64>,
}

pub fn unit_vector(random: &mut Random) -> DVec3 {
    let mut normal = || random.normal();
    DVec3::new(normal(), normal(), normal()).normalize()
}

/// Between two powers of ten, evenly in the logarithm.
pub fn magnitude(random: &mut Random, low: f64, high: f64) -> f64 {
    10_f64.powf(random.between(low, high))
}

pub fn gap_kind(random: &mut Random) -> usize {
    random.below(GAPS.len())
}

/// Moves the first along the direction of the distance until the gap is of a kind.
pub fn brought_to<S: Known>(
    mut placed: [Placed<S>; 2],
    gap: usize,
    random: &mut Random,
) -> Pair<S> {
    let bodies = || placed.each_ref().map(|(shape, pose)| S::body(shape, pose));
    let [p, q] = bodies();
    let size = p.size().min(q.size());
    let sign = [-1.0, 1.0][random.below(2)];
    let target = match GAPS[gap] {
        "touching" => 0.0,
        "near touching" => sign * magnitude(random, -16.0, -8.0) * size,
        "slight overlap" => -magnitude(random, -8.0, -2.0) * size,
        "deep" => -magnitude(random, -2.0, 0.0) * size,
        _ => magnitude(random, -8.0, -0.3) * size,
    };
    let mut distance = signed_distance(&p, &q);
    // Where shapes are to be apart, they may lie across the normal too: then corners are nearest.
    if GAPS[gap] == "apart" && random.below(2) == 0 {
        let aside = S::lift(S::lower(unit_vector(random))) * (size * random.between(0.5, 2.0));
        placed[0].1.position += S::lower(aside);
        let [p, q] = placed.each_ref().map(|(shape, pose)| S::body(shape, pose));
        distance = signed_distance(&p, &q);
    }
    placed[0].1.position += S::lower(distance.normal * (target - distance.low));
    let beside = magnitude(random, -6.0, 0.0);
    let margins = vec![
        0.0,
        1e-3 * size,
        3.0 * size,
        target.abs() * (1.0 + beside),
        target.abs() * (1.0 - beside),
    ];
    Pair { placed, gap, margins }
}
