//! Pairs of space, from many families.

use super::distance::Body;
use super::hold::{Known, Placed};
use super::pairs::{Pair, brought_to, gap_kind, magnitude, unit_vector};
use drystone_detect::volume::{Polyhedron, Rounded, Triangle, VolumeShape};
use drystone_space::{DQuat, DVec3, Pose, Random, Volume};
use std::f64::consts::{FRAC_PI_2, PI};

impl Known for Volume {
    const LET_GO: f64 = 0.0;

    fn body(shape: &VolumeShape, pose: &Pose<Self>) -> Body {
        let mut body = Body {
            points: vec![],
            edges: vec![],
            faces: vec![],
            radius: 0.0,
            half: None,
            in_plane: false,
        };
        match shape {
            VolumeShape::Sphere { radius } => {
                body.points.push(pose.position);
                body.radius = *radius;
            }
            VolumeShape::Capsule { half_length, radius } => {
                let arm = pose.rotation * (DVec3::Z * *half_length);
                body.points.push(pose.position - arm);
                if *half_length > 0.0 {
                    body.points.push(pose.position + arm);
                    body.edges.push([0, 1]);
                }
                body.radius = *radius;
            }
            VolumeShape::Polyhedron(p) => {
                body.points = p.vertices().iter().map(|&v| pose.point(v)).collect();
                body.edges = p.edges().map(|e| e.map(|v| v as usize)).collect();
                body.faces = p.faces().iter().map(|f| widest(&body.points, f)).collect();
            }
            VolumeShape::Rounded(rounded) => {
                let p = rounded.core();
                body.points = p.vertices().iter().map(|&v| pose.point(v)).collect();
                body.edges = p.edges().map(|e| e.map(|v| v as usize)).collect();
                body.faces = p.faces().iter().map(|f| widest(&body.points, f)).collect();
                body.radius = rounded.radius();
            }
            VolumeShape::Frustum(_) => unreachable!("held in curved.rs"),
            VolumeShape::Triangle(triangle) => {
                body.points = triangle.corners().iter().map(|&v| pose.point(v)).collect();
                body.edges = vec![[0, 1], [1, 2], [2, 0]];
                body.faces = vec![[0, 1, 2]];
            }
            VolumeShape::HalfSpace => {
                let normal = pose.rotation * DVec3::Z;
                body.half = Some((normal, normal.dot(pose.position)));
            }
        }
        body
    }
    fn lift(vector: DVec3) -> DVec3 {
        vector
    }
    fn lower(vector: DVec3) -> DVec3 {
        vector
    }
}

/// Of the triangles between corners of a face, the one with the largest area.
fn widest(points: &[DVec3], face: &[u32]) -> [usize; 3] {
    let (mut best, mut most) = ([0, 1, 2].map(|i| face[i] as usize), -1.0);
    for i in 0..face.len() {
        for j in 0..i {
            for k in 0..j {
                let corners = [i, j, k].map(|x| face[x] as usize);
                let [p, q, r] = corners.map(|x| points[x]);
                let area = (q - p).cross(r - p).length_squared();
                if area > most {
                    (best, most) = (corners, area);
                }
            }
        }
    }
    best
}

fn hull(points: &[DVec3]) -> Option<VolumeShape> {
    Polyhedron::hull(points).ok().map(VolumeShape::Polyhedron)
}

fn cuboid(size: DVec3) -> Option<VolumeShape> {
    Polyhedron::cuboid(size).ok().map(VolumeShape::Polyhedron)
}

fn octahedron(half: DVec3) -> Option<VolumeShape> {
    let axes = [DVec3::X, DVec3::Y, DVec3::Z];
    hull(&axes.into_iter().flat_map(|n| [n * half, -n * half]).collect::<Vec<_>>())
}

fn alone(corners: [DVec3; 3]) -> Option<VolumeShape> {
    Triangle::alone(corners).map(VolumeShape::Triangle)
}

/// A triangle about 1 in size: any, half a square, or a sliver.
pub fn triangle(random: &mut Random) -> Option<VolumeShape> {
    let thin = 10_f64.powf(-random.between(0.0, 3.0));
    match random.below(3) {
        0 => alone([0, 1, 2].map(|_| unit_vector(random))),
        1 => alone([DVec3::ZERO, DVec3::X, DVec3::Y]),
        _ => alone([DVec3::ZERO, DVec3::X, DVec3::new(random.between(-0.2, 1.2), thin, 0.0)]),
    }
}

/// A ridge over a rectangle.
fn wedge(base: [f64; 2], ridge: f64, height: f64) -> Option<VolumeShape> {
    let corner = |x: f64, y: f64| DVec3::new(x * base[0], y * base[1], 0.0);
    let top = DVec3::new(ridge, 0.0, height);
    hull(&[
        corner(1.0, 1.0),
        corner(-1.0, 1.0),
        corner(-1.0, -1.0),
        corner(1.0, -1.0),
        top,
        top * DVec3::new(-1.0, 1.0, 1.0),
    ])
}

pub const SHAPES: [&str; 10] = [
    "sphere",
    "capsule",
    "long capsule",
    "regular",
    "box",
    "flat",
    "needle",
    "wedge",
    "cloud",
    "rounded",
];

/// The first kind of [`SHAPES`] that is held against triangles by itself.
pub const ROUNDED: usize = 9;

/// What only a boundary can be: second in a pair.
pub const FIXED: [&str; 2] = ["half-space", "triangle"];

/// A shape of a kind of [`SHAPES`], about 1 in size.
pub fn shape(kind: usize, random: &mut Random) -> Option<VolumeShape> {
    let thin = 10_f64.powf(-random.between(0.5, 3.0));
    match SHAPES[kind] {
        "sphere" => Some(VolumeShape::Sphere { radius: random.between(0.2, 1.0) }),
        "capsule" => {
            let half_length = if random.below(20) == 0 { 0.0 } else { random.between(0.1, 1.0) };
            Some(VolumeShape::Capsule { half_length, radius: random.between(0.1, 1.0) })
        }
        "long capsule" => Some(VolumeShape::Capsule { half_length: 1.0, radius: thin }),
        "regular" => match random.below(3) {
            0 => cuboid(DVec3::ONE),
            1 => octahedron(DVec3::ONE),
            _ => hull(&[
                DVec3::ONE,
                DVec3::new(1.0, -1.0, -1.0),
                DVec3::new(-1.0, 1.0, -1.0),
                DVec3::new(-1.0, -1.0, 1.0),
            ]),
        },
        "box" => cuboid(DVec3::new(
            random.between(0.1, 1.0),
            random.between(0.1, 1.0),
            random.between(0.1, 1.0),
        )),
        "flat" => match random.below(3) {
            0 => cuboid(DVec3::new(1.0, random.between(0.3, 1.0), thin)),
            1 => octahedron(DVec3::new(1.0, random.between(0.3, 1.0), thin)),
            _ => wedge([1.0, random.between(0.2, 1.0)], random.between(0.1, 1.0), thin),
        },
        "needle" => match random.below(3) {
            0 => cuboid(DVec3::new(1.0, thin * random.between(0.3, 1.0), thin)),
            1 => octahedron(DVec3::new(1.0, thin * random.between(0.3, 1.0), thin)),
            _ => wedge([1.0, thin], random.between(0.1, 1.0), thin),
        },
        "wedge" => match random.below(3) {
            0 => wedge([1.0, 0.72], 0.8, 1.28),
            1 => wedge([1.0, thin], random.between(0.2, 0.9), random.between(0.3, 1.0)),
            _ => wedge([0.7, 0.7], 0.0, random.between(0.3, 1.5)),
        },
        "rounded" => {
            // A box, a plate, a wedge or a cloud, grown by much or by little.
            let core = shape([3, 4, 5, 6, 7, 8][random.below(6)], random)?;
            let VolumeShape::Polyhedron(core) = core else { return None };
            Some(VolumeShape::Rounded(Rounded::new(core, magnitude(random, -4.0, 0.0))))
        }
        _ => {
            let count = 4 + random.below(9);
            let stretch = DVec3::new(1.0, random.between(0.2, 1.0), random.between(0.2, 1.0));
            let on_ball = random.below(2) == 0;
            let mut point = || {
                let n = unit_vector(random);
                if on_ball { n * stretch } else { n * random.unit() * stretch }
            };
            hull(&(0..count).map(|_| point()).collect::<Vec<_>>())
        }
    }
}

pub fn scaled(shape: VolumeShape, by: f64) -> Option<VolumeShape> {
    match shape {
        VolumeShape::Sphere { radius } => Some(VolumeShape::Sphere { radius: radius * by }),
        VolumeShape::Capsule { half_length, radius } => {
            Some(VolumeShape::Capsule { half_length: half_length * by, radius: radius * by })
        }
        VolumeShape::Polyhedron(p) => {
            hull(&p.vertices().iter().map(|&v| v * by).collect::<Vec<_>>())
        }
        VolumeShape::Rounded(r) => {
            let core = r.core().vertices().iter().map(|&v| v * by).collect::<Vec<_>>();
            let core = Polyhedron::hull(&core).ok()?;
            Some(VolumeShape::Rounded(Rounded::new(core, r.radius() * by)))
        }
        VolumeShape::Frustum(f) => Some(VolumeShape::Frustum(f.scaled(by))),
        VolumeShape::HalfSpace => Some(VolumeShape::HalfSpace),
        VolumeShape::Triangle(t) => alone(t.corners().map(|v| v * by)),
    }
}

/// A face or an edge of a shape: a point on it, its normal and its direction.
#[derive(Clone, Copy)]
pub struct Place {
    pub point: DVec3,
    pub normal: DVec3,
    pub along: DVec3,
}

/// A random place of a shape in its own axes.
pub fn place(shape: &VolumeShape, random: &mut Random) -> Place {
    let any = unit_vector(random);
    match shape {
        VolumeShape::Sphere { radius } => {
            Place { point: any * *radius, normal: any, along: any.any_orthonormal_vector() }
        }
        VolumeShape::Capsule { half_length, radius } => {
            let normal = DVec3::new(any.x, any.y, 0.0).normalize();
            let share = [-1.0, 1.0, random.between(-1.0, 1.0)][random.below(3)];
            Place {
                point: DVec3::Z * (share * half_length) + normal * *radius,
                normal,
                along: DVec3::Z,
            }
        }
        VolumeShape::Triangle(t) => {
            let [a, b, c] = t.corners();
            let [u, v] = [random.unit(), random.unit()];
            let middle = a + (b - a) * u * (1.0 - v) + (c - a) * v;
            let point = [a, a + (b - a) * u, middle][random.below(3)];
            let normal = t.normal() * [-1.0, 1.0][random.below(2)];
            Place { point, normal, along: (b - a).normalize() }
        }
        VolumeShape::HalfSpace => {
            Place { point: DVec3::new(any.x, any.y, 0.0), normal: DVec3::Z, along: DVec3::X }
        }
        VolumeShape::Rounded(r) => {
            let core = place(&VolumeShape::Polyhedron(r.core().clone()), random);
            Place { point: core.point + core.normal * r.radius(), ..core }
        }
        VolumeShape::Frustum(f) => {
            let [a, b] = f.radii();
            let out = DVec3::new(any.x, any.y, 0.0).normalize();
            let (end, share) = (random.below(2), [0.0, 1.0, random.unit()][random.below(3)]);
            let side = DVec3::new(0.0, 0.0, a - b) + out * (2.0 * f.half_length());
            let along = DVec3::new(0.0, 0.0, 2.0 * f.half_length()) + out * (b - a);
            let cap = DVec3::Z * [-1.0, 1.0][end];
            match random.below(2) {
                0 => Place {
                    point: cap * f.half_length() + out * (share * f.radii()[end]),
                    normal: cap,
                    along: out.cross(cap),
                },
                _ => Place {
                    point: out * (a + (b - a) * share)
                        + DVec3::Z * ((2.0 * share - 1.0) * f.half_length()),
                    normal: side.normalize(),
                    along: along.normalize(),
                },
            }
        }
        VolumeShape::Polyhedron(p) => {
            let face = random.below(p.faces().len());
            let corners: Vec<_> =
                p.faces()[face].iter().map(|&v| p.vertices()[v as usize]).collect();
            let side = random.below(corners.len());
            let (from, to) = (corners[side], corners[(side + 1) % corners.len()]);
            let weights: Vec<f64> = corners.iter().map(|_| random.unit().powi(3)).collect();
            let middle = corners.iter().zip(&weights).map(|(&c, &w)| c * w).sum::<DVec3>()
                / weights.iter().sum::<f64>();
            let on_side = from + (to - from) * random.unit();
            let point = [from, on_side, middle][random.below(3)];
            Place { point, normal: p.normal(face), along: (to - from).normalize() }
        }
    }
}

pub const LAYS: [&str; 7] = [
    "anyhow",
    "faces parallel",
    "faces near parallel",
    "edges parallel",
    "edges near parallel",
    "edge along face",
    "aligned",
];

/// A rotation of the second shape that lays its place against that of the first, as a kind of [`LAYS`] says.
pub fn lay(kind: usize, [p, q]: [Place; 2], random: &mut Random) -> DQuat {
    let tilt = DQuat::from_scaled_axis(unit_vector(random) * magnitude(random, -14.0, -0.5));
    let spin = |axis: DVec3, random: &mut Random| {
        let turns = [0.0, 0.5 * random.below(4) as f64, random.between(0.0, 2.0)];
        DQuat::from_axis_angle(axis, PI * turns[random.below(3)])
    };
    let onto = |from: DVec3, to: DVec3| DQuat::from_rotation_arc(from, to);
    match LAYS[kind] {
        "anyhow" => DQuat::from_scaled_axis(unit_vector(random) * random.between(0.0, PI)),
        "faces parallel" | "faces near parallel" => {
            let flat = onto(q.normal, -p.normal);
            let beside = onto(flat * q.along, p.along);
            let turned =
                if random.below(2) == 0 { beside * flat } else { spin(p.normal, random) * flat };
            if LAYS[kind] == "faces parallel" { turned } else { tilt * turned }
        }
        "edges parallel" => spin(p.along, random) * onto(q.along, p.along),
        "edges near parallel" => tilt * spin(p.along, random) * onto(q.along, p.along),
        "edge along face" => {
            let across = DQuat::from_axis_angle(p.normal, random.between(0.0, PI)) * p.along;
            let turned = spin(across, random) * onto(q.along, across);
            if random.below(2) == 0 { turned } else { tilt * turned }
        }
        _ => [DQuat::IDENTITY, tilt, DQuat::from_rotation_z(FRAC_PI_2)][random.below(3)],
    }
}

/// A random pair of two kinds of shapes; the last kinds, beyond [`SHAPES`], are those of [`FIXED`].
pub fn pair(
    first: usize,
    second: usize,
    lay_kind: usize,
    random: &mut Random,
) -> Option<Pair<Volume>> {
    let p = shape(first, random)?;
    let mut q = match second.checked_sub(SHAPES.len()) {
        None => shape(second, random)?,
        Some(0) => VolumeShape::HalfSpace,
        Some(_) => triangle(random)?,
    };
    let scale = if random.below(4) == 0 { magnitude(random, -3.0, 0.0) } else { 1.0 };
    q = scaled(q, scale)?;
    let places = [place(&p, random), place(&q, random)];
    let turn = lay(lay_kind, places, random);
    let position = places[0].point - turn * places[1].point;
    let motion = Pose::new(
        unit_vector(random) * random.between(0.0, 2.0),
        if random.below(4) == 0 {
            DQuat::IDENTITY
        } else {
            DQuat::from_scaled_axis(unit_vector(random) * 2.0)
        },
    );
    let placed: [Placed<Volume>; 2] =
        [(p, motion), (q, motion.compose(&Pose::new(position, turn.normalize())))];
    Some(brought_to(placed, gap_kind(random), random))
}
