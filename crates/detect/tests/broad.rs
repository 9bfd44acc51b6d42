//! The broad phase against brute force, in the plane and in space.

use drystone_detect::{Bounds, BroadPhase, Extent, Geometry, Proxy};
use drystone_space::{DVec2, Plane, Space, Vector, Volume};
use proptest::prelude::*;

/// Signed distance along the axes (boxes), between surfaces (balls) or along the normal (half-spaces); at most `margin`
/// is near.
fn near<S: Geometry>(one: &Proxy<S>, two: &Proxy<S>, margin: f64) -> bool {
    match (one.extent, two.extent) {
        (Extent::Box(a), Extent::Box(b)) if one.round && two.round => {
            let radii = 0.5 * (a.size().get(0) + b.size().get(0));
            (a.centre() - b.centre()).norm() - radii <= margin
        }
        (Extent::Box(a), Extent::Box(b)) => (0..S::DIMENSION).all(|i| {
            a.low.get(i) - b.high.get(i) <= margin && b.low.get(i) - a.high.get(i) <= margin
        }),
        (Extent::Box(b), Extent::Half { normal, offset })
        | (Extent::Half { normal, offset }, Extent::Box(b)) => {
            let corner =
                S::Vector::from_fn(
                    |i| {
                        if normal.get(i) > 0.0 { b.low.get(i) } else { b.high.get(i) }
                    },
                );
            normal.dot(corner) - offset <= margin
        }
        (Extent::Half { .. }, Extent::Half { .. }) => false,
    }
}

fn may_meet<S: Geometry>(one: &Proxy<S>, two: &Proxy<S>) -> bool {
    one.active && two.active && one.group != two.group && (one.movable || two.movable)
}

fn brute<S: Geometry>(proxies: &[Proxy<S>], margin: f64) -> Vec<(u32, u32)> {
    let mut pairs = Vec::new();
    for (a, one) in proxies.iter().enumerate() {
        for (b, two) in proxies.iter().enumerate().skip(a + 1) {
            if may_meet(one, two) && near(one, two, margin) {
                pairs.push((a as u32, b as u32));
            }
        }
    }
    pairs
}

/// What rounding may do to the distance of two balls.
fn rounding<S: Geometry>(proxies: &[Proxy<S>]) -> f64 {
    let largest = |proxy: &Proxy<S>| match proxy.extent {
        Extent::Box(b) => (0..S::DIMENSION).fold(0.0, |most: f64, i| most.max(b.low.get(i).abs())),
        Extent::Half { .. } => 0.0,
    };
    8.0 * f64::EPSILON * proxies.iter().map(largest).fold(0.0, f64::max)
}

/// Every near pair is listed, every listed pair may meet and is not far, and the order is right.
fn check<S: Geometry>(
    broad: &BroadPhase<S>,
    proxies: &[Proxy<S>],
    margin: f64,
    slack: f64,
) -> Result<(), TestCaseError> {
    let pairs = broad.pairs();
    prop_assert!(pairs.windows(2).all(|w| w[0] < w[1]));
    for pair in brute(proxies, margin - rounding(proxies)) {
        prop_assert!(pairs.binary_search(&pair).is_ok(), "{pair:?} is missing");
    }
    for &(a, b) in pairs {
        let (one, two) = (&proxies[a as usize], &proxies[b as usize]);
        prop_assert!(a < b && may_meet(one, two) && near(one, two, margin + slack));
    }
    Ok(())
}

/// A scene from numbers in 0..1: sizes 1 to `ratio` with as many in each octave, some balls, some
/// half-spaces, some proxies fixed, grouped or inactive.
fn scene<S: Geometry>(seeds: &[[f64; 6]], ratio: f64, spread: f64, origin: f64) -> Vec<Proxy<S>> {
    let proxy = |(i, s): (usize, &[f64; 6])| {
        let kind = (s[4] * 20.0) as u32;
        let extent = if kind == 0 {
            let tilt = S::Vector::from_fn(|k| s[k] - 0.5 + 0.01);
            let normal = tilt / tilt.norm();
            let on = S::Vector::splat(origin) + S::Vector::splat(spread * (s[3] - 0.5));
            Extent::Half { normal, offset: normal.dot(on) }
        } else {
            // Cubing gathers the centres into a cluster.
            let at = |u: f64| {
                origin + spread * (2.0 * u - 1.0).powi(if kind.is_multiple_of(2) { 1 } else { 3 })
            };
            let centre = S::Vector::from_fn(|k| at(s[k]));
            let half = 0.5 * ratio.powf(s[3]);
            let edges =
                S::Vector::from_fn(|k| half * (if kind == 3 && k == 0 { 0.05 } else { 1.0 }));
            Extent::Box(Bounds { low: centre - edges, high: centre + edges })
        };
        let group = if kind == 5 { 7 } else { 100 + i as u32 };
        let round = matches!(kind, 6..12);
        Proxy { extent, round, group, movable: s[5] > 0.2, active: s[5] < 0.95 }
    };
    seeds.iter().enumerate().map(proxy).collect()
}

fn seeds(most: usize) -> impl Strategy<Value = Vec<[f64; 6]>> {
    prop::collection::vec(prop::array::uniform6(0.0f64..1.0), 0..most)
}

fn ratio() -> impl Strategy<Value = f64> {
    prop_oneof![Just(1.0), Just(2.0), Just(50.0), Just(1000.0)]
}

fn origin() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), Just(-300.0), Just(1e6), Just(-1e9)]
}

/// The widest that kept extents reach beyond the margin: a skin of a quarter of the largest box,
/// once for each of the two, and along a slanted normal.
fn widest_skin(ratio: f64) -> f64 {
    2.0 * 0.25 * ratio + 1e-6
}

fn fresh<S: Geometry>(
    seeds: &[[f64; 6]],
    ratio: f64,
    spread: f64,
    origin: f64,
    margin: f64,
) -> Result<(), TestCaseError> {
    let proxies = scene::<S>(seeds, ratio, spread * ratio.sqrt(), origin);
    let mut broad = BroadPhase::default();
    prop_assert_eq!(broad.update(&proxies, margin), !proxies.is_empty());
    check(&broad, &proxies, margin, widest_skin(ratio) + margin)
}

/// Small random motions, with the list checked after each.
fn moving<S: Geometry>(
    seeds: &[[f64; 6]],
    ratio: f64,
    steps: &[[f64; 3]],
) -> Result<(), TestCaseError> {
    let mut proxies = scene::<S>(seeds, ratio, 4.0 * ratio.sqrt(), 0.0);
    let mut broad = BroadPhase::default();
    for (k, step) in steps.iter().enumerate() {
        let margin = 0.02 * step[2];
        broad.update(&proxies, margin);
        check(&broad, &proxies, margin, f64::INFINITY)?;
        for (i, proxy) in proxies.iter_mut().enumerate() {
            let way = |axis: usize| ((i * 7 + k * 3 + axis * 5) % 11) as f64 / 11.0 - 0.5;
            let by = S::Vector::from_fn(way) * (0.05 * step[0]);
            match &mut proxy.extent {
                Extent::Box(b) => {
                    let grow = S::Vector::splat(0.01 * step[1]);
                    *b = Bounds { low: b.low + by - grow, high: b.high + by + grow };
                }
                Extent::Half { normal, offset } => {
                    let turned = *normal + by * 0.01;
                    *normal = turned / turned.norm();
                    *offset += by.dot(*normal);
                }
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_fresh_list_agrees_with_brute_force_in_the_plane(
        seeds in seeds(120), ratio in ratio(), spread in 1.0f64..30.0, origin in origin(),
        margin in 0.0f64..0.5,
    ) {
        fresh::<Plane>(&seeds, ratio, spread, origin, margin)?;
    }

    #[test]
    fn a_fresh_list_agrees_with_brute_force_in_space(
        seeds in seeds(120), ratio in ratio(), spread in 1.0f64..10.0, origin in origin(),
        margin in 0.0f64..0.5,
    ) {
        fresh::<Volume>(&seeds, ratio, spread, origin, margin)?;
    }

    #[test]
    fn a_used_list_misses_nothing_in_the_plane(
        seeds in seeds(60), ratio in ratio(),
        steps in prop::collection::vec(prop::array::uniform3(0.0f64..1.0), 1..12),
    ) {
        moving::<Plane>(&seeds, ratio, &steps)?;
    }

    #[test]
    fn a_used_list_misses_nothing_in_space(
        seeds in seeds(60), ratio in ratio(),
        steps in prop::collection::vec(prop::array::uniform3(0.0f64..1.0), 1..12),
    ) {
        moving::<Volume>(&seeds, ratio, &steps)?;
    }
}

fn disk(x: f64, y: f64, radius: f64, group: u32) -> Proxy<Plane> {
    let extent = Extent::Box(Bounds::around(DVec2::new(x, y), radius));
    Proxy { extent, round: true, group, movable: true, active: true }
}

fn row(count: u32) -> Vec<Proxy<Plane>> {
    (0..count).map(|i| disk(4.0 * f64::from(i), 0.0, 1.0, i)).collect()
}

#[test]
fn a_list_is_kept_for_small_motions_and_made_again_when_it_must() {
    let mut proxies = row(10);
    let mut broad = BroadPhase::default();
    assert!(broad.update(&proxies, 0.0));
    assert!(!broad.update(&proxies, 0.0));
    proxies[3] = disk(12.01, 0.0, 1.0, 3);
    assert!(!broad.update(&proxies, 0.0));
    // A smaller margin needs no new list, a much larger one does.
    assert!(!broad.update(&proxies, -0.1));
    assert!(broad.update(&proxies, 2.0) && !broad.pairs().is_empty());
    proxies[3] = disk(14.0, 0.0, 1.0, 3);
    assert!(broad.update(&proxies, 0.0));
    assert_eq!(broad.pairs(), [(3, 4)]);
    proxies[4].active = false;
    assert!(broad.update(&proxies, 0.0) && broad.pairs().is_empty());
    // What is not active may go anywhere.
    proxies[4].extent = disk(0.0, 0.0, 1.0, 4).extent;
    assert!(!broad.update(&proxies, 0.0));
    proxies[4].active = true;
    assert!(broad.update(&proxies, 0.0));
    assert_eq!(broad.pairs(), [(0, 4)]);
    proxies[4].group = 0;
    assert!(broad.update(&proxies, 0.0) && broad.pairs().is_empty());
    proxies.pop();
    assert!(broad.update(&proxies, 0.0));
    proxies.clear();
    assert!(broad.update(&proxies, 0.0) && broad.pairs().is_empty());
}

#[test]
fn a_growing_box_makes_the_list_again() {
    let mut proxies = row(2);
    let mut broad = BroadPhase::default();
    broad.update(&proxies, 0.0);
    proxies[0] = disk(0.0, 0.0, 3.1, 0);
    assert!(broad.update(&proxies, 0.0));
    assert_eq!(broad.pairs(), [(0, 1)]);
    proxies[0] = disk(0.0, 0.0, 1.0, 0);
    assert!(!broad.update(&proxies, 0.0), "a shrinking box is still inside the one kept");
}

#[test]
fn a_floor_meets_only_what_is_near_it_and_may_move_and_turn() {
    let floor = |angle: f64, height: f64| Proxy::<Plane> {
        extent: Extent::Half { normal: DVec2::from_angle(angle).perp(), offset: height },
        round: false,
        group: 1000,
        movable: false,
        active: true,
    };
    let mut proxies: Vec<_> = (0..6).map(|i| disk(0.0, 1.0 + 4.0 * f64::from(i), 1.0, i)).collect();
    proxies.push(floor(0.0, 0.0));
    let mut broad = BroadPhase::default();
    assert!(broad.update(&proxies, 0.0));
    assert_eq!(broad.pairs(), [(0, 6)]);
    proxies[6] = floor(0.0, -5.0);
    assert!(!broad.update(&proxies, 0.0), "away from all");
    proxies[6] = floor(1e-4, 0.01);
    assert!(!broad.update(&proxies, 0.0), "within the skin");
    proxies[6] = floor(0.0, 4.0);
    assert!(broad.update(&proxies, 0.0));
    assert_eq!(broad.pairs(), [(0, 6), (1, 6)]);
    proxies[6] = floor(std::f64::consts::FRAC_PI_2, -2.0);
    assert!(broad.update(&proxies, 0.0) && broad.pairs().is_empty());
    // Neither a second floor nor an immovable box is paired with it.
    proxies.push(floor(0.5, 100.0));
    proxies[0].movable = false;
    assert!(broad.update(&proxies, 0.0));
    assert_eq!(broad.pairs(), [(1, 7), (2, 7), (3, 7), (4, 7), (5, 7)]);
}

/// A plain generator of uniform numbers in 0..1.
fn uniform(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 11) as f64 / (1u64 << 53) as f64
}

/// Comparisons per box for a dense scene of `count` boxes of sizes 1 to `ratio`, with as much
/// volume in each size, and four walls as long as the scene.
fn cost<S: Geometry>(count: u32, ratio: f64) -> f64 {
    let mut state = 7;
    let dimension = S::DIMENSION as i32;
    let sizes: Vec<f64> = (0..count)
        .map(|_| {
            let u = uniform(&mut state);
            (1.0 - u * (1.0 - ratio.powi(-dimension))).powf(-1.0 / f64::from(dimension))
        })
        .collect();
    let volume: f64 = sizes.iter().map(|s| s.powi(dimension)).sum();
    let side = volume.powf(1.0 / f64::from(dimension));
    let mut proxies: Vec<Proxy<S>> = Vec::new();
    for (size, group) in sizes.into_iter().zip(0..) {
        let centre = S::Vector::from_fn(|_| side * uniform(&mut state));
        let extent = Extent::Box(Bounds::around(centre, 0.5 * size));
        proxies.push(Proxy { extent, round: false, group, movable: true, active: true });
    }
    for k in 0..4 {
        let thin = S::Vector::from_fn(|axis| if axis == k % S::DIMENSION { 0.01 } else { side });
        let low = S::Vector::splat(if k < 2 { 0.0 } else { 0.99 * side });
        let extent = Extent::Box(Bounds { low, high: low + thin });
        let group = count + k as u32;
        proxies.push(Proxy { extent, round: false, group, movable: false, active: true });
    }
    let mut broad = BroadPhase::default();
    broad.update(&proxies, 0.0);
    broad.comparisons() as f64 / f64::from(count)
}

#[test]
fn the_cost_is_linear_for_strong_size_ratios() {
    fn check<S: Space + Geometry>(ratio: f64, most: f64) {
        let (small, large) = (cost::<S>(2_000, ratio), cost::<S>(32_000, ratio));
        assert!(large < most, "1:{ratio}: {large} comparisons per box");
        // The cost per box stays within what the edge of a small scene explains.
        assert!(large < 2.0 * small + 10.0, "1:{ratio}: {small} to {large} comparisons per box");
    }
    for ratio in [1.0, 50.0, 1000.0] {
        check::<Plane>(ratio, 60.0);
        check::<Volume>(ratio, 120.0);
    }
}

/// Some thousand boxes of all sizes, by any number of threads.
#[test]
fn threads_find_the_same_pairs() {
    let mut state = 5;
    let seeds: Vec<[f64; 6]> = (0..4000).map(|_| [(); 6].map(|()| uniform(&mut state))).collect();
    let proxies = scene::<Volume>(&seeds, 50.0, 100.0, 0.0);
    let found = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut broad = BroadPhase::default();
        for _ in 0..2 {
            broad.forget();
            let all = proxies.iter().copied();
            assert!(pool.install(|| broad.renew(all, f64::NEG_INFINITY, 0.1, threads)));
        }
        (broad.pairs().to_vec(), broad.comparisons())
    };
    let alone = found(1);
    assert!(alone.0.len() > 10_000, "{} pairs", alone.0.len());
    assert!([2, 3, 7].map(found).iter().all(|together| *together == alone));
}
