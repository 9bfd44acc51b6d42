//! Solids against closed forms and published values.

use drystone_fem::mesh::{disk, rectangle};
use drystone_fem::{
    Damping, Elastic, ElasticLaw, MassKind, Mesh, Model, Newton, Scheme, Section, Solid, Static,
};
use drystone_space::{DVec2, Plane};

fn material(law: ElasticLaw, young: f64, poisson: f64, density: f64) -> Elastic {
    Elastic { law, young, poisson, density }
}

/// Deflection of a cantilever's end under a shear load, over Timoshenko's value.
fn cantilever(mesh: Mesh<Plane>) -> f64 {
    let (length, height) = (10.0, 1.0);
    let elastic = material(ElasticLaw::Linear, 1000.0, 0.25, 1.0);
    let section = Section::PlaneStress { thickness: 1.0 };
    let model = Model::new(mesh, elastic, section, MassKind::Lumped).unwrap();
    let load = model.traction("right", DVec2::new(0.0, -1e-3)).unwrap();
    let clamped = model.mesh().group("left").unwrap().to_vec();
    let tip = model.mesh().group("right").unwrap().to_vec();
    let mut solid = Static::new(model).unwrap();
    for node in clamped {
        solid.impose(node as usize, 0, 0.0);
        solid.impose(node as usize, 1, 0.0);
    }
    solid.load(&load, 1.0);
    solid.balance(Newton::default()).unwrap();
    let mean: f64 = tip.iter().map(|&n| solid.displacement(n as usize).y).sum::<f64>();
    let force: f64 = 1e-3 * height;
    let inertia = height * height * height / 12.0;
    let shear = 1000.0 / 2.5;
    let bending = force * length * length * length / (3.0 * 1000.0 * inertia);
    let exact = bending + force * length / (5.0 / 6.0 * shear * height);
    -mean / tip.len() as f64 / exact
}

#[test]
fn a_cantilever_bends_as_timoshenko_says() {
    let mesh = rectangle(DVec2::new(10.0, 1.0), [20, 2]).unwrap();
    let quadratic = cantilever(mesh.to_quadratic());
    assert!((quadratic - 1.0).abs() < 5e-3, "quad8: {quadratic}");
    let triangles = cantilever(mesh.to_simplices().to_quadratic());
    assert!((triangles - 1.0).abs() < 1e-2, "triangle6: {triangles}");
    // Linear elements are too stiff in bending, less so when refined.
    let coarse = cantilever(mesh);
    let fine = cantilever(rectangle(DVec2::new(10.0, 1.0), [80, 8]).unwrap());
    assert!(coarse < 0.95 && fine > 0.98 && fine < 1.0, "quad4: {coarse} {fine}");
}

/// Cook's membrane: E = 1, ν = 1/3, unit shear load on the right, plane stress. The vertical
/// displacement of the middle of the right side tends to 23.96 (Cook 1974; Bergan & Felippa 1985).
#[test]
fn cooks_membrane_tends_to_the_published_value() {
    let deflection = |mesh: Mesh<Plane>, law: ElasticLaw, load: f64| {
        let shape = |p: DVec2| {
            let (s, t) = (p.x + 0.5, p.y + 0.5);
            let (low, high) = (44.0 * s, 44.0 + 16.0 * s);
            DVec2::new(48.0 * s, low + (high - low) * t)
        };
        let section = Section::PlaneStress { thickness: 1.0 };
        let elastic = material(law, 1.0, 1.0 / 3.0, 1.0);
        let model = Model::new(mesh.map(shape), elastic, section, MassKind::Lumped).unwrap();
        let forces = model.traction("right", DVec2::new(0.0, load / 16.0)).unwrap();
        let clamped = model.mesh().group("left").unwrap().to_vec();
        let right = model.mesh().group("right").unwrap().to_vec();
        let mut solid = Static::new(model).unwrap();
        for node in clamped {
            solid.impose(node as usize, 0, 0.0);
            solid.impose(node as usize, 1, 0.0);
        }
        solid.load(&forces, 1.0);
        solid.balance(Newton::default()).unwrap();
        let rest = |n: u32| solid.model().mesh().nodes[n as usize].y;
        let middle = right
            .into_iter()
            .min_by(|&a, &b| (rest(a) - 52.0).abs().total_cmp(&(rest(b) - 52.0).abs()));
        solid.displacement(middle.unwrap() as usize).y / load
    };
    let mesh = |n: usize| rectangle(DVec2::ONE, [n, n]).unwrap();
    let quadratic = deflection(mesh(16).to_quadratic(), ElasticLaw::Linear, 1.0);
    assert!((quadratic - 23.96).abs() < 0.04, "quad8: {quadratic}");
    let linear = [8, 16, 32].map(|n| deflection(mesh(n), ElasticLaw::Linear, 1.0));
    assert!(linear[0] < linear[1] && linear[1] < linear[2] && (linear[2] - 23.96).abs() < 0.3);
    // A small load on a nonlinear material gives the same.
    let nonlinear = deflection(mesh(16).to_quadratic(), ElasticLaw::NeoHookean, 1e-5);
    assert!((nonlinear - quadratic).abs() < 1e-2, "{nonlinear}");
}

/// A bar that is let go at one end sends a wave: it comes back to the same place after 4 L/c.
#[test]
fn a_wave_in_a_bar_runs_at_its_speed() {
    let (length, count, speed) = (1.0, 200, 0.01);
    // ν = 0: a bar. c = √(E/ρ) = 100.
    let elastic = material(ElasticLaw::StVenantKirchhoff, 1e6, 0.0, 100.0);
    let mesh = rectangle(DVec2::new(length, 0.02), [count, 1]).unwrap();
    let section = Section::PlaneStrain { thickness: 1.0 };
    let model = Model::new(mesh, elastic, section, MassKind::Lumped).unwrap();
    let left = model.mesh().group("left").unwrap().to_vec();
    let right = model.mesh().group("right").unwrap()[0] as usize;
    let mut solid = Solid::new(model, Scheme::default(), Damping::default()).unwrap();
    left.iter().for_each(|&n| solid.hold(n as usize, 0));
    // The bar flies against a wall that its left end sticks to: the compression wave stops it, the
    // reflected one sends it back; the free end turns at L/c and has −v from then on until 3 L/c.
    let start = vec![DVec2::new(-speed, 0.0); solid.positions().len()];
    solid.set_velocities(&start);
    let h = length / 100.0 / count as f64;
    let mut turned = None;
    for step in 0..2 * count {
        solid.begin(h, DVec2::ZERO).unwrap();
        left.iter().for_each(|&n| solid.impose(n as usize, 0, 0.0));
        loop {
            solid.residual().unwrap();
            solid.linearise().unwrap();
            solid.close([]);
            if solid.residual().unwrap() < 1e-11 {
                break;
            }
        }
        solid.finish().unwrap();
        if turned.is_none() && solid.velocities()[right].x > 0.0 {
            turned = Some((step + 1) as f64 * h);
        }
    }
    let arrival = turned.expect("the wave arrives");
    assert!((arrival / (length / 100.0) - 1.0).abs() < 0.02, "{arrival}");
    let back = solid.velocities()[right].x / speed;
    assert!((back - 1.0).abs() < 0.2, "{back}");
}

/// A free vibration decays as Rayleigh's damping says: e^{−ζωt} with ζ = α/2ω + βω/2.
#[test]
fn damping_takes_what_it_books() {
    let elastic = material(ElasticLaw::StVenantKirchhoff, 1e4, 0.0, 1.0);
    let mesh = rectangle(DVec2::new(1.0, 0.1), [20, 1]).unwrap();
    let section = Section::PlaneStrain { thickness: 1.0 };
    let omega = std::f64::consts::FRAC_PI_2 * 100.0;
    for damping in [
        Damping { mass_factor: 0.05 * omega, stiffness_factor: 0.0 },
        Damping { mass_factor: 0.0, stiffness_factor: 0.05 / omega },
    ] {
        let model = Model::new(mesh.clone(), elastic, section, MassKind::Lumped).unwrap();
        let left = model.mesh().group("left").unwrap().to_vec();
        let mut solid = Solid::new(model, Scheme::default(), damping).unwrap();
        left.iter().for_each(|&n| solid.hold(n as usize, 0));
        // The first mode: velocity sin(πx/2L).
        let start: Vec<DVec2> = solid
            .positions()
            .iter()
            .map(|x| DVec2::new(1e-4 * (std::f64::consts::FRAC_PI_2 * (x.x + 0.5)).sin(), 0.0))
            .collect();
        solid.set_velocities(&start);
        let first = solid.kinetic_energy();
        let (period, steps) = (2.0 * std::f64::consts::PI / omega, 800);
        let mut lost = 0.0;
        for _ in 0..steps {
            let h = 2.0 * period / steps as f64;
            let (work, _) =
                solid.advance(h, DVec2::ZERO, Newton { tolerance: 1e-12, most: 9 }).unwrap();
            lost += work.damping;
        }
        let left = solid.kinetic_energy() + solid.elastic_energy();
        assert!((left + lost - first).abs() < 1e-7 * first, "{}", (left + lost) / first - 1.0);
        // Energy falls by e^{−2ζω·2T} with ζ = 0.025.
        let expected = (-2.0 * 0.025 * 4.0 * std::f64::consts::PI).exp();
        assert!((left / first / expected - 1.0).abs() < 0.01, "{}", left / first / expected);
    }
}

/// A disk pressed between two plates, one quarter of it: Hertz for cylinders, plane strain. With the
/// force F per length and E* = E/(1−ν²): b² = 4FR/(πE*), p₀ = 2F/(πb).
#[test]
fn a_round_solid_is_weighed_right() {
    let mesh = disk(2.0, 6).unwrap();
    let section = Section::PlaneStrain { thickness: 1.0 };
    let elastic = material(ElasticLaw::Linear, 1.0, 0.3, 1.0);
    let model = Model::new(mesh.to_quadratic(), elastic, section, MassKind::Consistent).unwrap();
    let area = 4.0 * std::f64::consts::PI;
    assert!((model.mass() / area - 1.0).abs() < 0.01);
}
