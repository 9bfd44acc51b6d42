//! Scenes of packings cut from a table of settled spheres: at rest, sheared and loosened.
//!
//! `cargo run --release -p drystone --example packings -- SPHERES.csv FOLDER` reads centres, radii and velocities
//! (x, y, z, radius, vx, vy, vz in SI units) of spheres that rest in a square box, and writes for the lowest 500, 1,000,
//! 2,000 and all of them three scenes of three steps:
//!
//! - `rest`: as they are, without what lay on them;
//! - `sheared`: each grain moves along x at 1/s times its height;
//! - `loosened`: the wall at the largest x is taken away.
//!
//! Then `drystone run FOLDER/rest-500.toml -o FOLDER/runs/rest-500 --dump-problems FOLDER/problems/rest-500 --dump-steps 0,2`
//! writes the contact problems of a scene, which `drystone solve` takes.

use std::error::Error;
use std::fmt::Write;
use std::path::Path;

const COUNTS: [usize; 4] = [500, 1000, 2000, usize::MAX];
const SHEAR_RATE: f64 = 1.0;
/// Spheres that rest against a wall, at least.
const AT_A_WALL: usize = 100;

/// What is done to a packing.
#[derive(Clone, Copy, PartialEq)]
enum Deed {
    Rest,
    Shear,
    Loosen,
}

impl Deed {
    const ALL: [Self; 3] = [Self::Rest, Self::Shear, Self::Loosen];

    fn name(self) -> &'static str {
        match self {
            Self::Rest => "rest",
            Self::Shear => "sheared",
            Self::Loosen => "loosened",
        }
    }
}

/// x, y, z, radius and velocity.
type Sphere = [f64; 7];

fn read(path: &str) -> Result<Vec<Sphere>, Box<dyn Error>> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    let line = |(index, line): (usize, &str)| -> Result<Sphere, Box<dyn Error>> {
        let cells: Result<Vec<f64>, _> = line.split(',').map(|cell| cell.trim().parse()).collect();
        let bad = || format!("{path}:{}: found `{line}`; expected seven numbers", index + 1);
        let cells = cells.map_err(|_| bad())?;
        Ok(cells.try_into().map_err(|_| bad())?)
    };
    text.lines().enumerate().skip(1).map(line).collect()
}

/// Bounds of the box along x and y. Spheres that rest against a wall reach into it by some of their overlap; where the
/// outermost hundred do, the wall is.
fn walls(spheres: &[Sphere]) -> [[f64; 2]; 2] {
    [0, 1].map(|axis| {
        let reach = |sign: f64| {
            let mut ends: Vec<f64> = spheres.iter().map(|s| sign * s[axis] + s[3]).collect();
            ends.sort_by(|a, b| b.total_cmp(a));
            sign * ends[AT_A_WALL.min(ends.len() - 1)]
        };
        [reach(-1.0), reach(1.0)]
    })
}

fn table(spheres: &[Sphere], deed: Deed) -> String {
    let mut text = String::from("x,y,z,radius,vx,vy,vz\n");
    for &[x, y, z, radius, mut vx, vy, vz] in spheres {
        if deed == Deed::Shear {
            vx += SHEAR_RATE * z;
        }
        writeln!(text, "{x},{y},{z},{radius},{vx},{vy},{vz}").expect("text has room");
    }
    text
}

fn scene(
    name: &str,
    count: usize,
    deed: Deed,
    [[west, east], [south, north]]: [[f64; 2]; 2],
) -> String {
    let wall = |x: f64, y: f64, normal: [i32; 2]| {
        let [a, b] = normal;
        format!(
            "    {{ shape = {{ half_space = {{ point = [{x}, {y}, 0], normal = [{a}, {b}, 0] }} }} }},\n"
        )
    };
    let mut parts =
        wall(west, 0.0, [1, 0]) + &wall(0.0, south, [0, 1]) + &wall(0.0, north, [0, -1]);
    if deed != Deed::Loosen {
        parts += &wall(east, 0.0, [-1, 0]);
    }
    format!(
        r#"# Written by crates/cli/examples/packings.rs.
title = "{count} spheres, {deed}"
dimension = 3
gravity = [0.0, 0.0, -9.81]
overlap = "accept"

[time]
step = 5e-4
end = 1.5e-3

[solver]
judge = "contacts"

[contact]
form = "velocity"

[[material]]
name = "glass"
density = 2500.0

[default_law]
friction = 0.4

[[boundary]]
name = "floor"
material = "glass"
shape = {{ half_space = {{}} }}

[[boundary]]
name = "walls"
material = "glass"
parts = [
{parts}]

[[generate]]
name = "sphere"

[generate.list]
material = "glass"
file = "{name}.csv"
"#,
        deed = deed.name()
    )
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(path), Some(folder)) = (arguments.next(), arguments.next()) else {
        return Err("usage: packings SPHERES.csv FOLDER".into());
    };
    let folder = Path::new(&folder);
    std::fs::create_dir_all(folder)?;
    let mut spheres = read(&path)?;
    if spheres.is_empty() {
        return Err(format!("{path}: there are no spheres in it").into());
    }
    let walls = walls(&spheres);
    spheres.sort_by(|a, b| a[2].total_cmp(&b[2]));
    for count in COUNTS.map(|count| count.min(spheres.len())) {
        for deed in Deed::ALL {
            let name = format!("{}-{count}", deed.name());
            std::fs::write(folder.join(format!("{name}.csv")), table(&spheres[..count], deed))?;
            std::fs::write(folder.join(format!("{name}.toml")), scene(&name, count, deed, walls))?;
            println!("{name}");
        }
    }
    Ok(())
}
