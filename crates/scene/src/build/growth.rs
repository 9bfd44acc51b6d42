//! Packings to a wanted solid fraction: grains grow from random places and push each other apart.
//!
//! Overlaps are made good pair by pair, in the order of a grid, until none is left; radii grow on the way, so that no grain
//! is caught. Nothing moves but by overlaps, so that no time passes: below random close packing there is a way, above it
//! there is none, and the scene is refused with what was reached.

use super::deposit::{Ball, Space};
use drystone_space::{Random, Vector};
use std::collections::BTreeMap;

/// Sweeps after which a packing counts as impossible.
const SWEEPS: usize = 30_000;
/// Sweeps in which radii come to their size.
const GROWTH: usize = 300;
/// Gap that is asked for between grains, as a part of the smallest radius: what is left of it at the end is no overlap.
const SLACK: f64 = 1e-4;

/// Grains of these radii without overlap in a box; otherwise the largest overlap that was left, by the smallest radius.
pub(super) fn grow<V: Vector>(
    space: &Space<V>,
    radii: &[f64],
    random: &mut Random,
) -> Result<Vec<Ball<V>>, f64> {
    let least = radii.iter().copied().fold(f64::INFINITY, f64::min);
    let most = radii.iter().copied().fold(0.0, f64::max);
    let slack = SLACK * least;
    let wide = |radius: f64| radius + 0.5 * (slack + space.gap);
    let room = |radius: f64| {
        let margin = V::from_fn(|i| if space.closed[i].is_some() { 0.0 } else { radius });
        (space.low + margin, space.high - margin)
    };
    let place = |radius: f64, random: &mut Random| {
        let (low, high) = room(radius);
        V::from_fn(|i| random.between(low.get(i), high.get(i).max(low.get(i))))
    };
    let mut balls: Vec<Ball<V>> = radii.iter().map(|&r| (place(r, random), r)).collect();
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    let (mut moved, mut worst) = (f64::INFINITY, f64::INFINITY);
    let skin = 0.3 * least;
    for sweep in 0..SWEEPS {
        let size = (0.3 + 0.7 * (sweep + 1) as f64 / GROWTH as f64).min(1.0);
        if moved > 0.5 * skin {
            near(&balls, 2.0 * wide(most) + skin, skin + slack + space.gap, space, &mut pairs);
            moved = 0.0;
        }
        let (mut step, mut left) = (0.0f64, 0.0f64);
        for &(i, j) in &pairs {
            let ((a, ra), (b, rb)) = (balls[i as usize], balls[j as usize]);
            let arm = space.nearest(a - b);
            let (distance, touch) = (arm.norm(), size * (wide(ra) + wide(rb)));
            if distance >= touch {
                continue;
            }
            let away = if distance > 0.0 { arm / distance } else { V::axis(0) };
            // A little farther than is asked for: it settles in fewer sweeps.
            let push = 0.5 * (touch - distance) * 1.2;
            left = left.max(touch - distance);
            step = step.max(push);
            balls[i as usize].0 += away * push;
            balls[j as usize].0 -= away * push;
        }
        for (centre, radius) in &mut balls {
            let (low, high) = room(*radius);
            let inside = V::from_fn(|i| match space.closed[i] {
                Some(length) => {
                    let beyond = centre.get(i) - space.low.get(i);
                    centre.get(i) - length * (beyond / length).floor()
                }
                None => centre.get(i).clamp(low.get(i), high.get(i).max(low.get(i))),
            });
            step = step.max(space.nearest(inside - *centre).norm());
            *centre = inside;
        }
        moved += step;
        worst = left;
        // The slack is what may be left.
        if size == 1.0 && left < slack {
            return Ok(balls);
        }
    }
    Err(worst / least)
}

/// Pairs whose surfaces are nearer than `reach`.
fn near<V: Vector>(
    balls: &[Ball<V>],
    size: f64,
    reach: f64,
    space: &Space<V>,
    pairs: &mut Vec<(u32, u32)>,
) {
    // Where the box is closed upon itself, a whole number of cells goes around it.
    let around: [Option<(i64, f64)>; 3] = std::array::from_fn(|i| {
        let length = space.closed[i]?;
        let count = (length / size).floor().max(1.0);
        Some((count as i64, length / count))
    });
    let cell = |at: V| -> [i64; 3] {
        std::array::from_fn(|i| match i < V::LENGTH {
            true => {
                let size = around[i].map_or(size, |(_, size)| size);
                ((at - space.low).get(i) / size).floor() as i64
            }
            false => 0,
        })
    };
    let wrapped = |cell: [i64; 3]| -> [i64; 3] {
        std::array::from_fn(|i| around[i].map_or(cell[i], |(count, _)| cell[i].rem_euclid(count)))
    };
    let mut members: BTreeMap<[i64; 3], Vec<u32>> = BTreeMap::new();
    for (index, (centre, _)) in balls.iter().enumerate() {
        members.entry(wrapped(cell(*centre))).or_default().push(index as u32);
    }
    pairs.clear();
    let depth = if V::LENGTH == 3 { 1 } else { 0 };
    for (index, &(centre, radius)) in balls.iter().enumerate() {
        let [x, y, z] = cell(centre);
        for dz in -depth..=depth {
            for dy in -1..=1 {
                for dx in -1..=1 {
                    let beside = wrapped([x + dx, y + dy, z + dz]);
                    for &other in members.get(&beside).into_iter().flatten() {
                        let (at, its) = balls[other as usize];
                        if (other as usize) > index
                            && space.nearest(centre - at).norm() < radius + its + reach
                        {
                            pairs.push((index as u32, other));
                        }
                    }
                }
            }
        }
    }
    if around.iter().any(Option::is_some) {
        // Around a short box a cell may be its own neighbour.
        pairs.sort_unstable();
        pairs.dedup();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_space::{DVec2, DVec3};

    fn check<V: Vector>(space: &Space<V>, balls: &[Ball<V>]) {
        for (i, (a, ra)) in balls.iter().enumerate() {
            for axis in 0..V::LENGTH {
                assert!(
                    a.get(axis) - ra >= space.low.get(axis)
                        && a.get(axis) + ra <= space.high.get(axis)
                );
            }
            for (b, rb) in &balls[..i] {
                assert!((*a - *b).norm() >= ra + rb + space.gap - 1e-15);
            }
        }
    }

    /// Solid fractions short of random close packing are reached, and more than the densest packing is not.
    #[test]
    fn wanted_solid_fractions_are_reached() {
        let mut random = Random::new(1, 0);
        let space =
            Space { low: DVec2::ZERO, high: DVec2::splat(1.0), gap: 0.0, closed: [None; 3] };
        let wanted = |solid: f64| {
            let shares: Vec<f64> = (0..200).map(|i| 1.0 + 0.5 * f64::from(i % 5) / 5.0).collect();
            let area: f64 = shares.iter().map(|r| std::f64::consts::PI * r * r).sum();
            let scale = (solid / area).sqrt();
            shares.iter().map(|r| r * scale).collect::<Vec<f64>>()
        };
        for solid in [0.3, 0.6, 0.78] {
            let balls = grow(&space, &wanted(solid), &mut random).unwrap();
            check(&space, &balls);
        }
        assert!(grow(&space, &wanted(0.95), &mut random).unwrap_err() > 0.01);
        let space =
            Space { low: DVec3::ZERO, high: DVec3::splat(1.0), gap: 0.001, closed: [None; 3] };
        let radius = (0.5 / 150.0 * 0.75 / std::f64::consts::PI).cbrt();
        check(&space, &grow(&space, &[radius; 150], &mut random).unwrap());
    }
}
