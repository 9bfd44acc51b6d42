//! Small worlds for the engine's own tests.
#![allow(dead_code, reason = "each test uses some of them")]

use drystone_detect::plane::{PlaneShape, Polygon};
use drystone_detect::volume::VolumeShape;
use drystone_engine::{
    Body, Boundary, Cohesion, Dimension, Drive, Friction, LawTable, MassProperties, MaterialId,
    MoreauLaw, Part, Principal, Resistance, Setup, SolidSetup, SolverSettings, World,
};
use drystone_fem::mesh::rectangle;
use drystone_fem::{Damping, Elastic, ElasticLaw, MassKind, Mesh, Section};
use drystone_space::{DVec2, DVec3, Plane, Pose, Vector, Volume};

const STONE: MaterialId = MaterialId(0);

/// A body of one shape with density 2000.
pub fn body<S: Dimension>(shape: S::Shape, pose: Pose<S>) -> Body<S> {
    let part = Part::new(shape, STONE);
    let properties = MassProperties::of_parts([(&part, 2000.0)].into_iter()).unwrap();
    Body::new(properties, vec![part], pose)
}

/// A fixed boundary of one shape.
pub fn fixed<S: Dimension>(name: &str, shape: S::Shape, pose: Pose<S>) -> Boundary<S> {
    let part = Part::new(shape, STONE);
    Boundary {
        name: name.to_owned(),
        pose,
        parts: vec![part],
        drive: Drive::Fixed,
        removal: f64::INFINITY,
    }
}

/// A solid at rest, without damping, loads or imposed motion.
pub fn solid<S: Dimension>(mesh: Mesh<S>, elastic: Elastic, section: Section) -> SolidSetup<S> {
    SolidSetup {
        name: "solid".to_owned(),
        mesh,
        elastic,
        material: STONE,
        section,
        mass: MassKind::Lumped,
        damping: Damping::default(),
        velocity: S::Vector::ZERO,
        spin: S::Spin::ZERO,
        imposed: Vec::new(),
        tractions: Vec::new(),
        self_contact: false,
        modes: None,
    }
}

/// What pads are made of.
pub const RUBBER: MaterialId = MaterialId(1);

/// A pad of two elements with its middle at x, its lower side at y.
pub fn pad(x: f64, y: f64) -> SolidSetup<Plane> {
    let mesh = rectangle(DVec2::new(0.6, 0.3), [2, 1]).unwrap();
    let elastic = Elastic { law: ElasticLaw::Linear, young: 1e6, poisson: 0.3, density: 1000.0 };
    let section = Section::PlaneStrain { thickness: 1.0 };
    SolidSetup {
        material: RUBBER,
        damping: Damping { mass_factor: 20.0, stiffness_factor: 1e-3 },
        ..solid(mesh.map(|p| p + DVec2::new(x, y + 0.15)), elastic, section)
    }
}

/// The same friction for all, restitution 0.
pub fn setup<S: Dimension>(gravity: S::Vector, friction: f64) -> Setup<S> {
    Setup {
        gravity,
        time_step: 1e-3,
        laws: LawTable::uniform(1, MoreauLaw { friction: friction.into(), ..Default::default() }),
        solver: SolverSettings { tolerance: 1e-5, ..Default::default() },
        ..Default::default()
    }
}

/// A wall of `rows` rows of eight blocks, every other row shifted by half a block.
pub fn wall(rows: usize) -> World<Plane> {
    let mut setup = setup::<Plane>(DVec2::new(0.0, -9.81), 0.4);
    let block = PlaneShape::Polygon(Polygon::rectangle(0.6, 0.4).unwrap());
    for row in 0..rows {
        for column in 0..8 {
            let x = 0.6 * column as f64 + 0.3 * (row % 2) as f64;
            let place = Pose::at(DVec2::new(x, 0.2 + 0.4 * row as f64));
            setup.bodies.push(body(block.clone(), place));
        }
    }
    setup.boundaries.push(fixed("ground", PlaneShape::HalfPlane, Pose::IDENTITY));
    World::new(setup).unwrap()
}

/// Anisotropic friction with a cap on its viscosity, couples and cohesion, all at once.
pub fn special() -> MoreauLaw {
    let principal = Principal { direction: DVec3::X, carrier: None };
    MoreauLaw {
        friction: Friction::Directed([0.3, 0.5], principal),
        normal_restitution: 0.3,
        tangential_restitution: 0.1,
        viscosity: 2000.0,
        resistance: Resistance { rolling: 2e-3, spinning: 1e-3 },
        cohesion: Cohesion { force: 1e-3, range: 1e-5, reversible: true },
        impact: None,
    }
}

/// `side`³ spheres on each other in a box, which settle into a heap.
pub fn heap(side: usize) -> World<Volume> {
    heap_with(side, MoreauLaw { friction: 0.3.into(), ..MoreauLaw::default() })
}

/// The same with any law.
pub fn heap_with(side: usize, law: MoreauLaw) -> World<Volume> {
    let mut setup = setup::<Volume>(DVec3::new(0.0, 0.0, -9.81), 0.3);
    setup.laws = LawTable::uniform(1, law);
    for i in 0..side.pow(3) {
        let at = |axis: u32| (i / side.pow(axis) % side) as f64;
        let place = DVec3::new(0.02 * at(0), 0.02 * at(1), 0.01 + 0.02 * at(2));
        // Those that are a little smaller let the lattice collapse.
        let radius = 0.01 - 0.0001 * f64::from(u8::from(i % 7 == 0));
        setup.bodies.push(body(VolumeShape::Sphere { radius }, Pose::at(place)));
    }
    let far = 0.02 * side as f64 - 0.01;
    let walls = [
        (DVec3::ZERO, DVec3::Z),
        (DVec3::splat(-0.01), DVec3::X),
        (DVec3::splat(far), -DVec3::X),
        (DVec3::splat(-0.01), DVec3::Y),
        (DVec3::splat(far), -DVec3::Y),
    ];
    for (point, normal) in walls {
        let rotation = drystone_space::DQuat::from_rotation_arc(DVec3::Z, normal);
        setup.boundaries.push(fixed("wall", VolumeShape::HalfSpace, Pose::new(point, rotation)));
    }
    World::new(setup).unwrap()
}

/// Runge and Kutta's method of fourth order.
pub fn integrate<const N: usize>(
    mut state: [f64; N],
    time: f64,
    steps: usize,
    rate: impl Fn([f64; N]) -> [f64; N],
) -> [f64; N] {
    let h = time / steps as f64;
    let ahead =
        |state: [f64; N], rate: [f64; N], by: f64| std::array::from_fn(|i| state[i] + by * rate[i]);
    for _ in 0..steps {
        let a = rate(state);
        let b = rate(ahead(state, a, 0.5 * h));
        let c = rate(ahead(state, b, 0.5 * h));
        let d = rate(ahead(state, c, h));
        state =
            std::array::from_fn(|i| state[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]));
    }
    state
}

/// log₂ of how much smaller an error becomes with half the step.
pub fn order(errors: [f64; 2]) -> f64 {
    (errors[0] / errors[1]).log2()
}
