//! Problems on which no rule for the error of a step was chosen: other structures, other sizes, other scenes than those
//! that `truth.rs` lists beside them.

use super::families::{Family, arch, block, column, cube, head, pyramid, wall};
use super::kinds::{OTHERS, PACKINGS, SLIDING, STRUCTURES};
use std::fmt::Write;
use std::path::Path;

/// Scenes of files by kind, each with the steps that are looked at.
pub const SCENES: [(usize, &str, &[u64]); 16] = [
    (STRUCTURES, "scenes/walls_left_alone.toml", &[1, 200]),
    (STRUCTURES, "../shared/cases/arch_gap.toml", &[1, 30]),
    (STRUCTURES, "../shared/cases/arch_velocity.toml", &[30]),
    (STRUCTURES, "scenes/incline_below.toml", &[5]),
    (SLIDING, "scenes/wall_ruin.toml", &[700, 1500, 3000]),
    (SLIDING, "scenes/incline_above.toml", &[30]),
    (PACKINGS, "scenes/hopper.toml", &[600, 1500]),
    (PACKINGS, "scenes/column_collapse.toml", &[100, 600]),
    (PACKINGS, "scenes/compaction.toml", &[300]),
    (PACKINGS, "scenes/polyhedra.toml", &[600]),
    (PACKINGS, "scenes/emitter.toml", &[1500]),
    (PACKINGS, "scenes/landslide_wall.toml", &[300]),
    (PACKINGS, "../shared/cases/crush.toml", &[100]),
    (OTHERS, "scenes/plate.toml", &[30]),
    (OTHERS, "scenes/cylinders_friction.toml", &[2500]),
    (OTHERS, "scenes/rolling_disk.toml", &[20]),
];

/// Structures and packings made here, each with the steps that are looked at.
pub fn made(spheres: &Path) -> Vec<(usize, Family, &'static [u64])> {
    let structures = [
        column(2, 10, 1.0),
        column(2, 40, 1.0),
        column(2, 160, 1.0),
        column(2, 640, 1.0),
        column(3, 6, 1.0),
        column(3, 30, 1.0),
        column(3, 120, 1.0),
        column(2, 5, 1e3),
        column(2, 8, 1e5),
        column(3, 4, 1e4),
        arch(13),
        arch(61),
        arch(150),
        pyramid(6, 0.0),
        pyramid(15, 0.1),
        pyramid(40, 0.2),
        wall(6, 2.4, 0.0),
        wall(12, 6.0, 0.1),
        wall(24, 9.0, 0.0),
        block(3, 3, 3),
        block(5, 4, 6),
        frame(1, 2),
        frame(3, 4),
        frame(6, 7),
        beam(5),
        beam(12),
        overhang(6, 0.98),
    ];
    let sliding = [wall(8, 3.6, 0.4), wall(16, 6.3, 0.45), wall(5, 1.5, 0.6), pyramid(10, 0.55)];
    let mut packings = vec![disks(15, 12), disks(30, 30), poured_cubes(4), poured_cubes(6)];
    for count in [400, 900] {
        for shear in [0.0, 1.0] {
            packings.extend(cut(spheres, count, shear));
        }
    }
    let of = |kind, steps| move |family| (kind, family, steps);
    let all = structures.into_iter().map(of(STRUCTURES, &[1, 20][..]));
    let all = all.chain(sliding.into_iter().map(of(SLIDING, &[2, 40][..])));
    all.chain(packings.into_iter().map(of(PACKINGS, &[1, 3, 150][..]))).collect()
}

fn slab(text: &mut String, sides: &[f64], at: &[f64]) {
    let _ = writeln!(
        text,
        "[[body]]\nmaterial = \"stone\"\nshape = {{ box = {sides:?} }}\nposition = {at:?}"
    );
}

/// Storeys of posts under one beam each: hyperstatic where there are more than two posts.
fn frame(storeys: usize, posts: usize) -> Family {
    let mut scene = head(2, 0.0, 1e-3);
    let width = 1.5 * posts as f64;
    for storey in 0..storeys {
        let floor = 1.3 * storey as f64;
        for post in 0..posts {
            slab(&mut scene, &[0.3, 1.0], &[0.75 + 1.5 * post as f64, floor + 0.5]);
        }
        slab(&mut scene, &[width, 0.3], &[0.5 * width, floor + 1.15]);
    }
    Family { name: format!("frame of {storeys} storeys on {posts} posts"), scene }
}

/// One beam on many posts, with a heavy cube near its end.
fn beam(posts: usize) -> Family {
    let mut family = frame(1, posts);
    cube(&mut family.scene, &[0.6, 1.8], 2e4);
    Family { name: format!("loaded beam on {posts} posts"), ..family }
}

/// Blocks that jut out by a share of the harmonic overhang.
fn overhang(count: usize, share: f64) -> Family {
    let mut scene = head(2, 0.0, 1e-3).replace("half_plane = {}", "segment = [[-3, 0], [0, 0]]");
    let mut reach = 0.0;
    for level in 0..count {
        reach += share / (2.0 * (count - level) as f64);
        slab(&mut scene, &[1.0, 0.25], &[reach - 0.5, 0.125 + 0.25 * level as f64]);
    }
    Family { name: format!("overhang of {count}"), scene }
}

/// Disks of several sizes that fall into a box of the plane from a narrow lattice.
fn disks(columns: usize, rows: usize) -> Family {
    let width = 0.021 * columns as f64;
    let mut scene = head(2, 0.0, 1e-3);
    for (x, normal) in [(0.0, [1, 0]), (width, [-1, 0])] {
        let _ = writeln!(
            scene,
            "[[boundary]]\nmaterial = \"stone\"\n\
             shape = {{ half_plane = {{ point = [{x:?}, 0.0], normal = {normal:?} }} }}"
        );
    }
    let _ = writeln!(
        scene,
        "[[generate]]\n[generate.lattice]\nmaterial = \"stone\"\nradius = {{ uniform = [0.007, 0.01] }}\n\
         counts = [{columns}, {rows}]\nspacing = [0.021, 0.021]\norigin = [0.0105, 0.0105]\nseed = 11"
    );
    Family { name: format!("disks {columns} by {rows}"), scene }
}

/// Cubes at any angle that fall on a heap.
fn poured_cubes(side: usize) -> Family {
    let mut scene = head(3, 0.0, 1e-3);
    let _ = writeln!(
        scene,
        "[[generate]]\n[generate.lattice]\nmaterial = \"stone\"\nshape = {{ box = [0.1, 0.1, 0.1] }}\n\
         counts = [{side}, {side}, {side}]\nspacing = [0.18, 0.18, 0.18]\norigin = [0.0, 0.0, 0.1]\n\
         random_rotation = true\nseed = 5"
    );
    Family { name: format!("{} cubes that fall", side * side * side), scene }
}

/// The lowest of the spheres that a file lists (x, y, z, radius, velocity), at rest or with a shear rate; none without the
/// file.
fn cut(file: &Path, count: usize, shear: f64) -> Option<Family> {
    let text = std::fs::read_to_string(file).ok()?;
    let numbers = |line: &str| -> Option<[f64; 7]> {
        let cells: Result<Vec<f64>, _> = line.split(',').map(|cell| cell.trim().parse()).collect();
        cells.ok()?.try_into().ok()
    };
    let mut spheres: Vec<[f64; 7]> = text.lines().filter_map(numbers).collect();
    let bound = |axis: usize, sign: f64| {
        let mut ends: Vec<f64> = spheres.iter().map(|s| sign * s[axis] + s[3]).collect();
        ends.sort_by(|a, b| b.total_cmp(a));
        sign * ends[100.min(ends.len() - 1)]
    };
    let mut scene = head(3, 0.0, 5e-4).replacen('\n', "\noverlap = \"accept\"\n", 1);
    for (axis, sign) in [(0, -1.0), (0, 1.0), (1, -1.0), (1, 1.0)] {
        let (mut point, mut normal) = ([0.0; 3], [0.0; 3]);
        (point[axis], normal[axis]) = (bound(axis, sign), -sign);
        let _ = writeln!(
            scene,
            "[[boundary]]\nmaterial = \"stone\"\n\
             shape = {{ half_space = {{ point = {point:?}, normal = {normal:?} }} }}"
        );
    }
    spheres.sort_by(|a, b| a[2].total_cmp(&b[2]));
    for [x, y, z, radius, u, v, w] in spheres.into_iter().take(count) {
        let u = u + shear * z;
        let _ = writeln!(
            scene,
            "[[body]]\nmaterial = \"stone\"\nshape = {{ sphere = {radius:?} }}\nposition = [{x:?}, {y:?}, {z:?}]\n\
             velocity = [{u:?}, {v:?}, {w:?}]"
        );
    }
    let state = if shear == 0.0 { "at rest" } else { "sheared" };
    Some(Family { name: format!("{count} settled spheres {state}"), scene })
}
