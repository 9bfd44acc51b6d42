//! Scenes that every engine can be given: rigid convex bodies on a floor, between walls or in a turning drum.

use drystone_space::{DQuat, DVec3, Random};
use std::f64::consts::{PI, TAU};

/// A body or a part of the drum, in its own axes. In the plane the third side is not used.
#[derive(Clone)]
pub enum Shape {
    /// Lengths of its sides.
    Box(DVec3),
    /// Radius.
    Disk(f64),
    Hull(Vec<DVec3>),
}

/// Where it is at the start; in the plane it is turned about the third axis.
#[derive(Clone)]
pub struct Body {
    pub shape: Shape,
    pub position: DVec3,
    pub rotation: DVec3,
}

/// What holds the bodies. In the plane the second axis points up, in space the third.
pub enum Bound {
    /// All below this plane: a point of it and its outward normal.
    Below(DVec3, DVec3),
    /// Boxes that turn about the origin together, at a speed in rad/s.
    Drum(Vec<Body>, f64),
}

pub struct Scene {
    pub name: &'static str,
    pub dimension: usize,
    pub gravity: f64,
    pub friction: f64,
    pub density: f64,
    pub bodies: Vec<Body>,
    pub bounds: Vec<Bound>,
    /// Time step of drystone.
    pub step: f64,
    /// Simulated time that is paid for, and then for how long creep is watched.
    pub run: f64,
    pub watch: f64,
    /// Overlap and creep are told in this length.
    pub width: f64,
}

impl Scene {
    /// The outward normal of the floor.
    pub fn up(&self) -> DVec3 {
        if self.dimension == 2 { DVec3::Y } else { DVec3::Z }
    }
}

fn at_rest(shape: Shape, position: DVec3) -> Body {
    Body { shape, position, rotation: DVec3::ZERO }
}

/// Unit boxes side by side in rows that become shorter: the layout of Box2D's own benchmark.
fn pyramid(base: usize) -> Scene {
    let mut bodies = Vec::new();
    for row in 0..base {
        for number in 0..base - row {
            let across = number as f64 + 0.5 * row as f64 - 0.5 * base as f64;
            let at = DVec3::new(across, row as f64 + 0.5, 0.0);
            bodies.push(at_rest(Shape::Box(DVec3::ONE), at));
        }
    }
    Scene {
        name: "pyramid",
        dimension: 2,
        gravity: 10.0,
        friction: 0.6,
        density: 1.0,
        bodies,
        bounds: vec![Bound::Below(DVec3::ZERO, DVec3::Y)],
        step: 1.0 / 240.0,
        run: 1.0,
        watch: 0.5,
        width: 1.0,
    }
}

fn column(count: usize) -> Scene {
    let boxes = (0..count)
        .map(|row| at_rest(Shape::Box(DVec3::ONE), DVec3::new(0.0, row as f64 + 0.5, 0.0)));
    Scene { name: "column", bodies: boxes.collect(), friction: 0.5, step: 2e-3, ..pyramid(0) }
}

/// Courses of bricks, each shifted by half a brick against the next; half bricks close the ends.
fn wall(courses: usize, bricks: usize) -> Scene {
    let mut bodies = Vec::new();
    for course in 0..courses {
        let (odd, height) = (course % 2 == 1, 0.1 + 0.2 * course as f64);
        for number in 0..bricks + usize::from(odd) {
            let (mut length, mut middle) = (0.4, 0.4 * number as f64 + 0.2);
            if odd {
                middle -= 0.2;
                if number == 0 || number == bricks {
                    length = 0.2;
                    middle += if number == 0 { 0.1 } else { -0.1 };
                }
            }
            let shape = Shape::Box(DVec3::new(length, 0.2, 0.2));
            bodies.push(at_rest(shape, DVec3::new(middle, 0.0, height)));
        }
    }
    Scene {
        name: "wall",
        dimension: 3,
        gravity: 9.81,
        friction: 0.5,
        density: 2000.0,
        bodies,
        bounds: vec![Bound::Below(DVec3::ZERO, DVec3::Z)],
        step: 2e-3,
        run: 0.2,
        watch: 0.1,
        width: 0.2,
    }
}

fn cubes(x: usize, y: usize, z: usize) -> Scene {
    let cube = |number: usize| {
        let (i, j, k) = (number % x, number / x % y, number / (x * y));
        let at = DVec3::new(i as f64, j as f64, k as f64 + 0.5);
        at_rest(Shape::Box(DVec3::ONE), at)
    };
    Scene { name: "cubes", bodies: (0..x * y * z).map(cube).collect(), width: 1.0, ..wall(0, 0) }
}

/// Icosahedra, turned at random, fall from a loose lattice into a bin.
fn icosahedra(count: usize) -> Scene {
    let (golden, radius, side) = (0.5 * (1.0 + 5.0_f64.sqrt()), 0.05, 0.6);
    let long = (1.0 + golden * golden).sqrt();
    let mut corners = Vec::new();
    for (s, t) in [(1.0, golden), (1.0, -golden), (-1.0, golden), (-1.0, -golden)] {
        for corner in [DVec3::new(0.0, s, t), DVec3::new(s, t, 0.0), DVec3::new(t, 0.0, s)] {
            corners.push(corner * (radius / long));
        }
    }
    let mut random = Random::new(5, 0);
    let (across, pitch) = (5, side / 5.0);
    let body = |number: usize| {
        let (i, j, k) = (number % across, number / across % across, number / (across * across));
        let place = |n: usize| (n as f64 + 0.5) * pitch - 0.5 * side;
        let turn = DVec3::from_array([(); 3].map(|()| random.between(-PI, PI) / 2.0));
        Body {
            shape: Shape::Hull(corners.clone()),
            position: DVec3::new(place(i), place(j), 0.06 + 0.11 * k as f64),
            rotation: turn,
        }
    };
    let mut bounds = vec![Bound::Below(DVec3::ZERO, DVec3::Z)];
    for normal in [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y] {
        bounds.push(Bound::Below(normal * (-0.5 * side), normal));
    }
    Scene {
        name: "icosahedra",
        bodies: (0..count).map(body).collect(),
        bounds,
        step: 1e-3,
        run: 0.9,
        watch: 0.1,
        width: 2.0 * radius,
        ..wall(0, 0)
    }
}

/// Disks of 5 to 7 mm in a drum of 36 boxes that turns.
fn drum(count: usize) -> Scene {
    let (radius, sides, thick) = (0.28, 36, 0.02);
    let part = |number: usize| {
        let angle = TAU * number as f64 / sides as f64;
        let (sin, cos) = angle.sin_cos();
        let length = 2.0 * (radius + thick) * (PI / sides as f64).tan();
        Body {
            shape: Shape::Box(DVec3::new(thick, length, 1.0)),
            position: DVec3::new(cos, sin, 0.0) * (radius + 0.5 * thick),
            rotation: DVec3::Z * angle,
        }
    };
    let (mut random, mut bodies, pitch) = (Random::new(6, 0), Vec::new(), 7.02e-3);
    let (mut row, mut column) = (0, 0);
    while bodies.len() < count {
        let height = -radius + 0.012 + pitch * f64::from(row);
        let half = (0.27_f64.powi(2) - height * height).max(0.0).sqrt();
        let across = -half + 0.5 * pitch + pitch * f64::from(column);
        if across + 0.5 * pitch > half {
            (row, column) = (row + 1, 0);
            continue;
        }
        column += 1;
        let shape = Shape::Disk(random.between(2.5e-3, 3.5e-3));
        bodies.push(at_rest(shape, DVec3::new(across, height, 0.0)));
    }
    Scene {
        name: "drum",
        gravity: 9.81,
        friction: 0.5,
        density: 1000.0,
        bodies,
        bounds: vec![Bound::Drum((0..sides).map(part).collect(), 0.6)],
        step: 5e-4,
        run: 1.0,
        watch: 0.0,
        width: 6e-3,
        ..pyramid(0)
    }
}

/// All scenes, or those of one name.
pub fn scenes(wanted: Option<&str>) -> Vec<Scene> {
    let all = [
        pyramid(100),
        column(1000),
        Scene { name: "small-wall", ..wall(14, 13) },
        wall(40, 50),
        cubes(10, 10, 20),
        icosahedra(500),
        drum(2500),
    ];
    all.into_iter().filter(|scene| wanted.is_none_or(|name| name == scene.name)).collect()
}

/// The rotation that a rotation vector is.
pub fn turn(vector: DVec3) -> DQuat {
    DQuat::from_scaled_axis(vector)
}
