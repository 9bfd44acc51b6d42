//! A round solid pressed on a rigid plane: Hertz's pressure and width.
//!
//! Plane strain, force F per thickness, radius R, E* = E/(1−ν²): half-width b = √(4FR/(πE*)), pressure
//! p(x) = p₀√(1 − x²/b²) with p₀ = 2F/(πb) (Johnson 1985, §4.2). The block is wide beside the contact
//! and finely meshed near it; its lower side is the parabola x²/(2R).

use drystone_fem::mesh::rectangle;
use drystone_fem::{Elastic, ElasticLaw, MassKind, Model, Section, Static};
use drystone_solve::solvers::{Limits, by_name};
use drystone_solve::{Assembled, BlockMatrix, Cone, Status};
use drystone_space::{DVec2, Plane};

const RADIUS: f64 = 1.0;
const MATERIAL: Elastic =
    Elastic { law: ElasticLaw::Linear, young: 1000.0, poisson: 0.3, density: 1.0 };

/// Grows from the middle to both ends: most points are near zero.
fn graded(x: f64, reach: f64) -> f64 {
    reach * (4.5 * x).sinh() / 4.5f64.sinh()
}

fn block() -> Static<Plane> {
    let mesh = rectangle(DVec2::new(2.0, 1.0), [160, 60]).unwrap();
    let placed = mesh.map(|p| {
        let (x, depth) = (graded(p.x, 0.8), graded(p.y + 0.5, 0.8));
        DVec2::new(x, depth + x * x / (2.0 * RADIUS) * (1.0 - depth / 0.8))
    });
    let section = Section::PlaneStrain { thickness: 1.0 };
    Static::new(Model::new(placed, MATERIAL, section, MassKind::Lumped).unwrap()).unwrap()
}

/// Forces on the nodes of the lower side, from left to right, with their places.
fn press(depth: f64, solver: &str) -> Vec<(f64, f64)> {
    let mut solid = block();
    let top = solid.model().mesh().group("top").unwrap().to_vec();
    for node in top {
        solid.impose(node as usize, 0, 0.0);
        solid.impose(node as usize, 1, -depth);
    }
    let step = solid.linearise().unwrap();
    solid.displace(&step);
    let bottom = solid.model().mesh().group("bottom").unwrap();
    let near: Vec<u32> = bottom
        .iter()
        .copied()
        .filter(|&n| solid.model().mesh().nodes[n as usize].x.abs() < 0.12)
        .collect();
    let gaps: Vec<[f64; 2]> =
        near.iter().map(|&n| [solid.positions()[n as usize].y, 0.0]).collect();
    let (model, system) = solid.system();
    system.prepare(model, near.iter().copied());
    let mut delassus =
        BlockMatrix::from_pattern(&vec![(0..near.len() as u32).collect(); near.len()]);
    for (column, &node) in near.iter().enumerate() {
        for (axis, world) in [(0, 1), (1, 0)] {
            let answer = system.answer(model, node, world);
            for (row, &other) in near.iter().enumerate() {
                let u = answer[model.surface().place(other)];
                // The tangent of an upward normal points to −x.
                let sign = if axis == 1 { -1.0 } else { 1.0 };
                let place = delassus.find(row, column).unwrap();
                delassus.blocks[place][0][axis] = sign * u.y;
                delassus.blocks[place][1][axis] = -sign * u.x;
            }
        }
    }
    let problem = Assembled { delassus, free: gaps, cones: vec![Cone::coulomb(0.0); near.len()] };
    let mut forces = vec![[0.0; 2]; near.len()];
    let limits = Limits { tolerance: 1e-9, max_iterations: 100_000 };
    let report = by_name::<2>(solver).unwrap().solve(&problem, &mut forces, &limits);
    assert_eq!(report.status, Status::Solved, "{solver}: {report:?}");
    let places = near.iter().map(|&n| solid.model().mesh().nodes[n as usize].x);
    places.zip(forces.iter().map(|f| f[0])).collect()
}

#[test]
fn pressure_and_width_are_hertz() {
    let forces = press(0.006, "newton");
    let total: f64 = forces.iter().map(|f| f.1).sum();
    let modulus = MATERIAL.young / (1.0 - MATERIAL.poisson * MATERIAL.poisson);
    let width = (4.0 * total * RADIUS / (std::f64::consts::PI * modulus)).sqrt();
    let highest = 2.0 * total / (std::f64::consts::PI * width);
    assert!(width > 0.03 && width < 0.1, "{width}");
    // p² is linear in x²: its fit gives p₀ and b without counting nodes.
    let inside = forces.windows(3).filter(|w| w.iter().all(|f| f.1 > 0.0));
    let samples: Vec<(f64, f64)> = inside
        .map(|w| {
            let length = 0.5 * (w[2].0 - w[0].0);
            (w[1].0 * w[1].0, (w[1].1 / length).powi(2))
        })
        .collect();
    assert!(samples.len() > 20, "{}", samples.len());
    let n = samples.len() as f64;
    let (sx, sy) = samples.iter().fold((0.0, 0.0), |(x, y), s| (x + s.0, y + s.1));
    let (mx, my) = (sx / n, sy / n);
    let slope = samples.iter().map(|s| (s.0 - mx) * (s.1 - my)).sum::<f64>()
        / samples.iter().map(|s| (s.0 - mx).powi(2)).sum::<f64>();
    let peak = (my - slope * mx).sqrt();
    let half = (-(my - slope * mx) / slope).sqrt();
    println!("pressure {:.4} of Hertz, width {:.4} of Hertz", peak / highest, half / width);
    assert!((peak / highest - 1.0).abs() < 0.02, "pressure {peak} {highest}");
    assert!((half / width - 1.0).abs() < 0.02, "width {half} {width}");
}

#[test]
fn all_ways_to_solve_agree() {
    let newton = press(0.001, "newton");
    for solver in ["auto", "quadratic"] {
        let other = press(0.001, solver);
        for (a, b) in newton.iter().zip(&other) {
            assert!((a.1 - b.1).abs() < 1e-5, "{solver}: {a:?} {b:?}");
        }
    }
}
