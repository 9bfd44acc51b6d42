//! Patch tests, orders of convergence and tangents of all elements.

use drystone_fem::mesh::{block, rectangle};
use drystone_fem::{
    Damping, Elastic, ElasticLaw, ElementKind, MassKind, Mesh, Model, Newton, Scheme, Section,
    Solid, Static,
};
use drystone_space::{DVec2, DVec3, Plane, Space, Vector, Volume};

fn material(law: ElasticLaw) -> Elastic {
    Elastic { law, young: 10.0, poisson: 0.25, density: 2.0 }
}

/// Meshes of every kind over a unit square or cube.
fn plane_meshes(count: usize) -> Vec<Mesh<Plane>> {
    let quads = rectangle(DVec2::ONE, [count; 2]).unwrap();
    let triangles = quads.to_simplices();
    vec![triangles.to_quadratic(), quads.to_quadratic(), triangles, quads]
}

fn volume_meshes(count: usize) -> Vec<Mesh<Volume>> {
    let hexas = block(DVec3::ONE, [count; 3]).unwrap();
    let tetras = hexas.to_simplices();
    vec![tetras.to_quadratic(), hexas.to_quadratic(), tetras, hexas]
}

fn kind<S: Space>(mesh: &Mesh<S>) -> ElementKind {
    mesh.element(0).0
}

/// Moves inner nodes off the regular grid; middles of edges stay in the middle.
fn disturbed<S: Space>(mesh: &Mesh<S>) -> Mesh<S> {
    let wave = |p: S::Vector| {
        // Zero on the faces of the unit cube about the origin.
        let inside: f64 = (0..S::DIMENSION).map(|i| 1.0 - 4.0 * p.get(i) * p.get(i)).product();
        p + S::Vector::from_fn(|i| {
            0.12 * inside * (3.0 * p.get((i + 1) % S::DIMENSION) + 0.4).sin()
        })
    };
    let mut moved = mesh.clone().map(wave);
    for index in 0..mesh.elements() {
        let (kind, nodes) = mesh.element(index);
        if kind.quadratic() {
            for (edge, &[a, b]) in kind.edges().iter().enumerate() {
                let at = |local: u8| moved.nodes[nodes[usize::from(local)] as usize];
                let middle = (at(a) + at(b)) * 0.5;
                moved.nodes[nodes[kind.corners() + edge] as usize] = middle;
            }
        }
    }
    moved
}

fn patch<S: Space>(mesh: Mesh<S>, law: ElasticLaw, section: Section) {
    let name = format!("{:?} {law:?} {section:?}", kind(&mesh));
    let mesh = disturbed(&mesh);
    let affine = |p: S::Vector| {
        S::Vector::from_fn(|i| {
            0.05 + (0..S::DIMENSION)
                .map(|k| 0.02 * (i as f64 + 1.0) * p.get(k) - 0.015 * k as f64 * p.get(k))
                .sum::<f64>()
        })
    };
    let surface = mesh.group("surface").unwrap().to_vec();
    let model = Model::new(mesh, material(law), section, MassKind::Lumped).unwrap();
    let mut solid = Static::new(model).unwrap();
    for node in surface {
        let node = node as usize;
        let u = affine(solid.model().mesh().nodes[node]);
        (0..S::DIMENSION).for_each(|axis| solid.impose(node, axis, u.get(axis)));
    }
    solid.balance(Newton { tolerance: 1e-13, most: 30 }).unwrap();
    for node in 0..solid.positions().len() {
        let expected = affine(solid.model().mesh().nodes[node]);
        let error = (solid.displacement(node) - expected).norm();
        assert!(error < 1e-13, "{name}: node {node} is off by {error:e}");
    }
    let stresses = solid.model().stresses(solid.positions());
    for stress in &stresses {
        let off = (0..6).map(|v| (stress.0[v] - stresses[0].0[v]).abs()).fold(0.0, f64::max);
        assert!(off < 1e-11, "{name}: stress varies by {off:e}");
    }
}

#[test]
fn affine_displacements_are_exact() {
    for (law, _) in ElasticLaw::ALL {
        for mesh in plane_meshes(3) {
            patch(mesh.clone(), law, Section::PlaneStrain { thickness: 0.3 });
            patch(mesh, law, Section::PlaneStress { thickness: 0.3 });
        }
    }
    for law in [ElasticLaw::Linear, ElasticLaw::StVenantKirchhoff, ElasticLaw::Corotated] {
        for mesh in volume_meshes(2) {
            patch(mesh, law, Section::Volume);
        }
    }
}

/// Sees an integration point: nodes, shape functions, place and weight.
type Visit<'a, S> = dyn FnMut(&[u32], &[f64], <S as Space>::Vector, f64) + 'a;

/// A body at u = a sin(πx) sin(πy) (sin(πz)) in one direction: the load that holds it there is known,
/// and the error of the displacement falls as h² or h³.
fn manufactured<S: Space>(mesh: Mesh<S>, section: Section) -> f64 {
    let d = S::DIMENSION;
    let (lambda, mu) = material(ElasticLaw::Linear).lame();
    let pi = std::f64::consts::PI;
    let bubble = |p: S::Vector| (0..d).map(|i| (pi * (p.get(i) + 0.5)).sin()).product::<f64>();
    // f = −(λ+μ) ∇(∂₀u₀) − μ Δu₀ e₀ for u = u₀ e₀.
    let force = |p: S::Vector| {
        let s = |i: usize| (pi * (p.get(i) + 0.5)).sin();
        let c = |i: usize| (pi * (p.get(i) + 0.5)).cos();
        S::Vector::from_fn(|k| {
            let second = if k == 0 {
                -pi * pi * bubble(p)
            } else {
                let rest: f64 = (1..d).filter(|&i| i != k).map(s).product();
                pi * pi * c(0) * c(k) * rest
            };
            let laplace = if k == 0 { -(d as f64) * pi * pi * bubble(p) } else { 0.0 };
            -(lambda + mu) * second - mu * laplace
        })
    };
    let surface = mesh.group("surface").unwrap().to_vec();
    let mut loads = vec![S::Vector::ZERO; mesh.nodes.len()];
    let integrate = |mesh: &Mesh<S>, each: &mut Visit<S>| {
        for index in 0..mesh.elements() {
            let (kind, nodes) = mesh.element(index);
            // The meshes are regular: the Jacobian is the ratio of volumes.
            let corner = |i: usize| mesh.nodes[nodes[i] as usize];
            let rule = kind.mass_rule().points;
            let total: f64 = rule.iter().map(|(_, w)| w).sum();
            let (low, high) = (0..nodes.len())
                .fold((S::Vector::splat(9.0), S::Vector::splat(-9.0)), |(l, h), i| {
                    (l.lowest(corner(i)), h.highest(corner(i)))
                });
            let cell: f64 = (0..d).map(|i| (high - low).get(i)).product();
            let share = match kind {
                ElementKind::Triangle3 | ElementKind::Triangle6 => 0.5,
                ElementKind::Tetra4 | ElementKind::Tetra10 => 1.0 / 6.0,
                _ => 1.0,
            };
            for (point, weight) in rule {
                let shape = kind.shape(point);
                let place = (0..nodes.len())
                    .fold(S::Vector::ZERO, |sum, a| sum + corner(a) * shape.values[a]);
                each(nodes, &shape.values, place, cell * share * weight / total);
            }
        }
    };
    integrate(&mesh, &mut |nodes, values, place, volume| {
        for (&node, value) in nodes.iter().zip(values) {
            loads[node as usize] += force(place) * (value * volume);
        }
    });
    let model = Model::new(mesh, material(ElasticLaw::Linear), section, MassKind::Lumped).unwrap();
    let mut solid = Static::new(model).unwrap();
    for node in surface {
        (0..d).for_each(|axis| solid.impose(node as usize, axis, 0.0));
    }
    solid.load(&loads, 1.0);
    solid.balance(Newton { tolerance: 1e-11, most: 3 }).unwrap();
    let mut square = 0.0;
    integrate(solid.model().mesh(), &mut |nodes, values, place, volume| {
        let u = nodes
            .iter()
            .zip(values)
            .fold(S::Vector::ZERO, |sum, (&n, &v)| sum + solid.displacement(n as usize) * v);
        square += volume * (u - S::Vector::axis(0) * bubble(place)).norm_squared();
    });
    square.sqrt()
}

#[test]
fn errors_fall_with_the_order_of_the_element() {
    let section = Section::PlaneStrain { thickness: 1.0 };
    for (coarse, fine) in plane_meshes(8).into_iter().zip(plane_meshes(16)) {
        let kind = kind(&coarse);
        let order = (manufactured(coarse, section) / manufactured(fine, section)).log2();
        let expected = if kind.quadratic() { 3.0 } else { 2.0 };
        assert!((order - expected).abs() < 0.2, "{kind:?}: {order}");
    }
    for (coarse, fine) in volume_meshes(4).into_iter().zip(volume_meshes(8)) {
        let kind = kind(&coarse);
        let order =
            (manufactured(coarse, Section::Volume) / manufactured(fine, Section::Volume)).log2();
        let expected = if kind.quadratic() { 3.0 } else { 2.0 };
        assert!((order - expected).abs() < 0.35, "{kind:?}: {order}");
    }
}

/// The residual's slope along a direction is what the factored matrix undoes.
fn tangent<S: Space>(mesh: Mesh<S>, law: ElasticLaw, section: Section) {
    let name = format!("{:?} {law:?} {section:?}", kind(&mesh));
    let count = mesh.nodes.len();
    let twist = |p: S::Vector| {
        S::Vector::from_fn(|i| 0.03 * p.get((i + 1) % S::DIMENSION) * (1.0 + p.get(i)))
    };
    let places: Vec<S::Vector> = mesh.nodes.iter().map(|&p| twist(p)).collect();
    let model = Model::new(mesh, material(law), section, MassKind::Lumped).unwrap();
    let mut solid = Static::new(model).unwrap();
    for axis in 0..S::DIMENSION {
        for node in 0..S::DIMENSION {
            solid.impose(node, axis, 0.0);
        }
    }
    solid.displace(&places);
    let zero = S::Vector::ZERO;
    let direction: Vec<S::Vector> = (0..count)
        .map(|n| {
            if n < S::DIMENSION { zero } else { S::Vector::from_fn(|i| ((7 * n + i) as f64).sin()) }
        })
        .collect();
    // f(x + s d) − f(x − s d) ≈ 2 s K d, so the solve of the difference gives the direction back.
    let step = 1e-5;
    let solve_at = |solid: &mut Static<S>, at: f64| {
        let moved: Vec<S::Vector> = direction.iter().map(|&d| d * at).collect();
        solid.displace(&moved);
        let step = solid.linearise().unwrap();
        let back: Vec<S::Vector> = moved.iter().map(|&d| -d).collect();
        solid.displace(&back);
        step
    };
    // Newton's steps from two near places differ by the places' difference, to second order, if and
    // only if the matrix is the slope of the forces and the balance is near: here it is not near,
    // so the matrix is held against forces directly.
    let here = solve_at(&mut solid, 0.0);
    solid.load(&[], 0.0);
    let forces = |solid: &mut Static<S>, at: f64| -> Vec<S::Vector> {
        solve_at(solid, at);
        (0..count).map(|n| -solid.reaction(n)).collect()
    };
    let (ahead, behind) = (forces(&mut solid, step), forces(&mut solid, -step));
    let mut slope: Vec<S::Vector> =
        ahead.iter().zip(&behind).map(|(&a, &b)| (a - b) * (-0.5 / step)).collect();
    solve_at(&mut solid, 0.0);
    solid.system().1.solve(&mut slope);
    let size = direction.iter().map(|d| d.norm()).fold(0.0, f64::max);
    for (node, (&found, &expected)) in slope.iter().zip(&direction).enumerate() {
        let error = (found - expected).norm() / size;
        assert!(error < 1e-6, "{name}: node {node}: {found:?} {expected:?}");
    }
    assert!(here.iter().any(|u| u.norm() > 1e-6));
}

#[test]
fn stiffness_is_the_slope_of_forces() {
    for (law, _) in ElasticLaw::ALL {
        for mesh in plane_meshes(2) {
            tangent(mesh.clone(), law, Section::PlaneStrain { thickness: 1.0 });
            tangent(mesh.clone(), law, Section::PlaneStress { thickness: 1.0 });
            tangent(mesh.map(|p| p + DVec2::X), law, Section::Axisymmetric);
        }
        for mesh in volume_meshes(1) {
            tangent(mesh, law, Section::Volume);
        }
    }
}

/// Free flight with spin: momentum and moment are kept, and with the conserving scheme the energy too.
#[test]
fn free_flight_conserves() {
    let mesh = rectangle(DVec2::new(1.0, 0.5), [4, 2]).unwrap();
    for (law, name) in ElasticLaw::ALL {
        if law == ElasticLaw::Linear {
            continue;
        }
        let section = Section::PlaneStress { thickness: 1.0 };
        let model = Model::new(mesh.clone(), material(law), section, MassKind::Consistent).unwrap();
        let scheme = Scheme { conserving: true, ..Scheme::default() };
        let mut solid = Solid::new(model, scheme, Damping::default()).unwrap();
        let spin =
            |x: DVec2| DVec2::new(1.0 - 2.0 * x.y, 0.5 + 2.0 * x.x) + DVec2::new(0.3 * x.x, 0.0);
        let start: Vec<DVec2> = solid.positions().iter().map(|&x| spin(x)).collect();
        solid.set_velocities(&start);
        let moments = |solid: &Solid<Plane>| {
            let mut momenta = vec![DVec2::ZERO; start.len()];
            solid.model().mass_times(solid.velocities(), &mut momenta);
            let turn: f64 =
                momenta.iter().zip(solid.positions()).map(|(p, x)| x.perp_dot(*p)).sum();
            (momenta.iter().copied().sum::<DVec2>(), turn)
        };
        let energy = |solid: &Solid<Plane>| solid.kinetic_energy() + solid.elastic_energy();
        let (before, first) = (moments(&solid), energy(&solid));
        for _ in 0..200 {
            let newton = Newton { tolerance: 1e-12, most: 60 };
            let (work, _) = solid.advance(0.02, DVec2::ZERO, newton).unwrap();
            assert!(work.scheme.abs() < 1e-11 * first, "{name}: {work:?}");
        }
        let after = moments(&solid);
        assert!((after.0 - before.0).length() < 1e-9, "{name}");
        assert!((after.1 - before.1).abs() < 1e-9 * before.1.abs(), "{name}");
        assert!((energy(&solid) / first - 1.0).abs() < 1e-9, "{name}");
        // It did turn: about 8 rad.
        assert!(solid.elastic_energy() > 1e-4 * first, "{name}");
    }
}

#[test]
fn masses_sum_to_density_times_volume() {
    for kind in [MassKind::Consistent, MassKind::Lumped] {
        for mesh in plane_meshes(2) {
            let section = Section::PlaneStrain { thickness: 0.5 };
            let model = Model::new(disturbed(&mesh), material(ElasticLaw::Linear), section, kind);
            let model = model.unwrap();
            assert!((model.mass() - 1.0).abs() < 1e-13);
            assert!(
                (0..mesh.nodes.len())
                    .all(|n| kind == MassKind::Consistent || model.node_mass(n) > 0.0)
            );
        }
        // A ring of radii 1 and 2 and height 1.
        let ring = rectangle(DVec2::ONE, [3, 3]).unwrap().map(|p| p + DVec2::new(1.5, 0.0));
        let model = Model::new(ring, material(ElasticLaw::Linear), Section::Axisymmetric, kind);
        let expected = 2.0 * 3.0 * std::f64::consts::PI;
        assert!((model.unwrap().mass() - expected).abs() < 1e-12);
    }
}
