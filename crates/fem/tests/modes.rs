//! The lowest modes: against closed forms, and as a basis for motion.

use drystone_fem::mesh::{block, rectangle};
use drystone_fem::{
    Damping, Elastic, ElasticLaw, MassKind, Mesh, Model, Newton, Scheme, Section, Solid,
};
use drystone_space::{DVec2, DVec3, Plane, Space, Vector, Volume};

const STEEL: Elastic = Elastic { law: ElasticLaw::Linear, young: 1e4, poisson: 0.0, density: 1.0 };

fn solid<S: Space>(mesh: Mesh<S>, section: Section, mass: MassKind) -> Solid<S> {
    let model = Model::new(mesh, STEEL, section, mass).unwrap();
    Solid::new(model, Scheme::default(), Damping::default()).unwrap()
}

const THIN: Section = Section::PlaneStress { thickness: 1.0 };

/// Euler and Bernoulli: ω = β² √(EI/ρA) / L² with β = 1.8751, 4.6941 for a clamped beam and 4.7300 for a free one,
/// which besides moves without strain in three ways.
#[test]
fn a_thin_beam_has_the_frequencies_of_a_thin_beam() {
    let (length, height) = (20.0, 0.5f64);
    let beam = || rectangle(DVec2::new(length, height), [40, 1]).unwrap().to_quadratic();
    let unit = (1e4 * height * height / 12.0).sqrt() / (length * length);
    let mut clamped = solid(beam(), THIN, MassKind::Consistent);
    let left = clamped.model().mesh().group("left").unwrap().to_vec();
    left.iter().for_each(|&n| (0..2).for_each(|axis| clamped.hold(n as usize, axis)));
    clamped.reduce_to_modes(3).unwrap();
    for (found, beta) in clamped.frequencies().iter().zip([1.8751f64, 4.6941]) {
        let ratio = found / (beta * beta * unit);
        // Shear and the inertia of rotation make it slower by (βH/L)²/2.4 or so.
        assert!(ratio > 0.985 && ratio < 1.002, "{ratio}");
    }
    let mut free = solid(beam(), THIN, MassKind::Consistent);
    free.reduce_to_modes(4).unwrap();
    let found = free.frequencies();
    assert!(found[..3].iter().all(|omega| *omega == 0.0), "{found:?}");
    let ratio = found[3] / (4.7300 * 4.7300 * unit);
    assert!(ratio > 0.985 && ratio < 1.002, "{ratio}");
}

/// A free block of space has six motions without strain.
#[test]
fn a_block_moves_without_strain_in_six_ways() {
    let mesh = block(DVec3::new(1.0, 0.7, 0.4), [3, 2, 2]).unwrap();
    let mut solid: Solid<Volume> = solid(mesh, Section::Volume, MassKind::Lumped);
    solid.reduce_to_modes(8).unwrap();
    let found = solid.frequencies();
    assert!(found[..6].iter().all(|omega| *omega == 0.0) && found[6] > 10.0, "{found:?}");
}

/// Free flight with vibrations: all modes are all motions; few keep momentum and energy.
#[test]
fn motion_in_modes_is_motion() {
    let mesh = || rectangle(DVec2::new(2.0, 0.5), [4, 1]).unwrap();
    let nodes = mesh().nodes.len();
    let start: Vec<DVec2> = mesh().nodes.iter().map(|x| DVec2::new(0.3 * x.y, x.x * x.x)).collect();
    let fly = |modes: Option<usize>| {
        let mut solid: Solid<Plane> = solid(mesh(), THIN, MassKind::Lumped);
        solid.set_velocities(&start);
        let whole = solid.kinetic_energy();
        if let Some(count) = modes {
            solid.reduce_to_modes(count).unwrap();
        }
        let before = solid.kinetic_energy();
        assert!(before <= whole * (1.0 + 1e-12));
        for _ in 0..200 {
            let newton = Newton { tolerance: 1e-9, ..Newton::default() };
            let (work, _) = solid.advance(1e-3, DVec2::new(0.0, -1.0), newton).unwrap();
            assert!(work.scheme.abs() < 1e-9, "{work:?}");
        }
        (solid.positions().to_vec(), before / whole)
    };
    let (whole, _) = fly(None);
    let (all, kept) = fly(Some(2 * nodes));
    assert!((kept - 1.0).abs() < 1e-12, "{kept}");
    let away = |places: &[DVec2]| {
        places.iter().zip(&whole).map(|(a, b)| Vector::norm(*a - *b)).fold(0.0, f64::max)
    };
    assert!(away(&all) < 1e-9, "{:e}", away(&all));
    // Fewer take on less of the energy of the start, which is no sum of a few of them, and come near.
    let (few, more) = (fly(Some(5)), fly(Some(12)));
    assert!(few.1 < more.1 && more.1 < 1.0, "{} {}", few.1, more.1);
    assert!(away(&few.0) < 5e-3 && away(&more.0) < 5e-3);
}

#[test]
fn modes_that_there_are_not_are_refused() {
    let mut free = solid(rectangle(DVec2::ONE, [1, 1]).unwrap(), THIN, MassKind::Lumped);
    assert!(free.reduce_to_modes(0).is_err() && free.reduce_to_modes(9).is_err());
    let elastic = Elastic { law: ElasticLaw::NeoHookean, ..STEEL };
    let model = Model::new(rectangle(DVec2::ONE, [1, 1]).unwrap(), elastic, THIN, MassKind::Lumped)
        .unwrap();
    let mut other = Solid::<Plane>::new(model, Scheme::default(), Damping::default()).unwrap();
    assert!(other.reduce_to_modes(3).is_err());
}
