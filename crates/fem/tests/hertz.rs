//! A round solid pressed on a rigid plane: Hertz's pressure and width.
//!
//! Plane strain, force F per thickness, radius R, E* = E/(1−ν²): half-width b = √(4FR/(πE*)), pressure
//! p(x) = p₀√(1 − x²/b²) with p₀ = 2F/(πb) (Johnson 1985, §4.2). With rotational symmetry b³ = 3FR/(4E*) and
//! p₀ = 3F/(2πb²). The block is wide beside the contact and finely meshed near it; its lower side is the
//! parabola x²/(2R).

use drystone_fem::mesh::rectangle;
use drystone_fem::{Elastic, ElasticLaw, MassKind, Model, Section, Static};
use drystone_solve::solvers::Limits;
use drystone_solve::{Assembled, AssembledMethod, BlockMatrix, Cone, Status};
use drystone_space::{DVec2, Plane};
use std::f64::consts::PI;

const RADIUS: f64 = 1.0;
const MATERIAL: Elastic =
    Elastic { law: ElasticLaw::Linear, young: 1000.0, poisson: 0.3, density: 1.0 };

/// Grows from the middle to both ends: most points are near zero.
fn graded(x: f64, reach: f64) -> f64 {
    reach * (4.5 * x).sinh() / 4.5f64.sinh()
}

const PLANE: Section = Section::PlaneStrain { thickness: 1.0 };

/// The whole block in plane strain, the half of it beside its axis with rotational symmetry.
fn block(section: Section) -> Static<Plane> {
    let round = section == Section::Axisymmetric;
    let mesh = rectangle(DVec2::new(2.0, 1.0), [if round { 80 } else { 160 }, 60]).unwrap();
    let placed = mesh.map(|p| {
        let x = graded(if round { 0.5 * (p.x + 1.0) } else { p.x }, 0.8);
        let depth = graded(p.y + 0.5, 0.8);
        DVec2::new(x, depth + x * x / (2.0 * RADIUS) * (1.0 - depth / 0.8))
    });
    Static::new(Model::new(placed, MATERIAL, section, MassKind::Lumped).unwrap()).unwrap()
}

/// Forces on the nodes of the lower side, from left to right, with their places.
fn press(section: Section, depth: f64, method: AssembledMethod) -> Vec<(f64, f64)> {
    let mut solid = block(section);
    let top = solid.model().mesh().group("top").unwrap().to_vec();
    for node in top {
        solid.impose(node as usize, 0, 0.0);
        solid.impose(node as usize, 1, -depth);
    }
    if section == Section::Axisymmetric {
        let axis = solid.model().mesh().group("left").unwrap().to_vec();
        axis.iter().for_each(|&node| solid.impose(node as usize, 0, 0.0));
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
    let places: Vec<u32> = near.iter().map(|&n| model.surface().place(n) as u32).collect();
    system.prepare(model, &places);
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
    let limits = Limits::new(1e-9, 100_000);
    let report = method.solver::<2>().solve(&problem, &mut forces, &limits);
    assert_eq!(report.status, Status::Solved, "{method:?}: {report:?}");
    let places = near.iter().map(|&n| solid.model().mesh().nodes[n as usize].x);
    places.zip(forces.iter().map(|f| f[0])).collect()
}

/// p₀ and b, from the forces and the area that each node stands for: p² is linear in x², so that a fit gives
/// both without counting nodes.
fn fit(forces: &[(f64, f64)], area: impl Fn([f64; 3]) -> f64) -> (f64, f64) {
    let inside = forces.windows(3).filter(|w| w.iter().all(|f| f.1 > 0.0));
    let samples: Vec<(f64, f64)> = inside
        .map(|w| (w[1].0 * w[1].0, (w[1].1 / area([w[0].0, w[1].0, w[2].0])).powi(2)))
        .collect();
    assert!(samples.len() > 20, "{}", samples.len());
    let n = samples.len() as f64;
    let (sx, sy) = samples.iter().fold((0.0, 0.0), |(x, y), s| (x + s.0, y + s.1));
    let (mx, my) = (sx / n, sy / n);
    let slope = samples.iter().map(|s| (s.0 - mx) * (s.1 - my)).sum::<f64>()
        / samples.iter().map(|s| (s.0 - mx).powi(2)).sum::<f64>();
    let square = my - slope * mx;
    (square.sqrt(), (-square / slope).sqrt())
}

fn compare((peak, half): (f64, f64), (highest, width): (f64, f64)) {
    println!("pressure {:.4} of Hertz, width {:.4} of Hertz", peak / highest, half / width);
    assert!(width > 0.03 && width < 0.1, "{width}");
    assert!((peak / highest - 1.0).abs() < 0.02, "pressure {peak} {highest}");
    assert!((half / width - 1.0).abs() < 0.02, "width {half} {width}");
}

fn total(forces: &[(f64, f64)]) -> f64 {
    forces.iter().map(|f| f.1).sum()
}

fn modulus() -> f64 {
    MATERIAL.young / (1.0 - MATERIAL.poisson * MATERIAL.poisson)
}

#[test]
fn pressure_and_width_are_hertz() {
    let forces = press(PLANE, 0.006, AssembledMethod::Newton);
    let force = total(&forces);
    let width = (4.0 * force * RADIUS / (PI * modulus())).sqrt();
    compare(fit(&forces, |[a, _, c]| 0.5 * (c - a)), (2.0 * force / (PI * width), width));
}

#[test]
fn pressure_and_radius_under_a_ball_are_hertz() {
    let forces = press(Section::Axisymmetric, 0.003, AssembledMethod::Newton);
    let force = total(&forces);
    let width = (0.75 * force * RADIUS / modulus()).cbrt();
    // ∫ N 2πr dr over the two rings beside a node.
    let ring = |[a, b, c]: [f64; 3]| PI / 3.0 * ((b - a) * (2.0 * b + a) + (c - b) * (2.0 * b + c));
    compare(fit(&forces, ring), (1.5 * force / (PI * width * width), width));
}

#[test]
fn all_ways_to_solve_agree() {
    let newton = press(PLANE, 0.001, AssembledMethod::Newton);
    for method in [AssembledMethod::Auto, AssembledMethod::Quadratic] {
        let other = press(PLANE, 0.001, method);
        for (a, b) in newton.iter().zip(&other) {
            assert!((a.1 - b.1).abs() < 1e-5, "{method:?}: {a:?} {b:?}");
        }
    }
}
