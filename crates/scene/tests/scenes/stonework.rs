//! Generators of masonry: what they make has the volume of the closed form, does not overlap (which reading a scene
//! refuses), and stands.

use crate::support::{plane, volume};
use drystone_engine::{Dimension, World};
use drystone_scene::Scene;
use drystone_space::{DVec3, Plane, Vector, Volume};
use std::f64::consts::{FRAC_PI_2, PI};

const DENSITY: f64 = 2000.0;

fn scene(dimension: usize, friction: f64, rest: &str) -> String {
    let (gravity, ground) = match dimension {
        2 => ("[0, -9.81]", "half_plane"),
        _ => ("[0, 0, -9.81]", "half_space"),
    };
    format!(
        "dimension = {dimension}\ngravity = {gravity}\n[time]\nstep = 1e-3\nend = 1\n[[material]]\nname = \"stone\"\n\
         density = {DENSITY:?}\n[default_law]\nfriction = {friction:?}\n[[boundary]]\nname = \"ground\"\n\
         material = \"stone\"\nshape = {{ {ground} = {{}} }}\n{rest}"
    )
}

fn rule(name: &str, keys: &str) -> String {
    format!("[[generate]]\nname = \"s\"\n[generate.{name}]\nmaterial = \"stone\"\n{keys}\n")
}

/// So many bodies, of this volume together, none of which moves by a hundredth of a millimetre in 0.2 s.
#[track_caller]
fn made<S: Dimension>(mut world: World<S>, count: usize, measure: f64) {
    assert_eq!(world.bodies().len(), count);
    let sum = world.bodies().iter().map(|body| body.mass).sum::<f64>() / DENSITY;
    assert!((sum / measure - 1.0).abs() < 1e-12, "{sum} is not {measure}");
    let start: Vec<_> = world.bodies().iter().map(|body| body.pose.position).collect();
    while world.time() < 0.2 {
        world.step().unwrap();
        assert!(world.ledger().closure() < 1e-10);
    }
    let way = |(body, start): (&drystone_engine::Body<S>, &S::Vector)| {
        (body.pose.position - *start).norm()
    };
    let way = world.bodies().iter().zip(&start).map(way).fold(0.0, f64::max);
    assert!(way < 1e-5, "moved by {way:e}");
}

fn told(text: &str) -> String {
    Scene::parse("scene", text, None).map(|_| ()).unwrap_err().to_string()
}

#[test]
fn a_wall_with_a_door_and_a_window() {
    let wall = rule(
        "wall",
        "block = [0.6, 0.3]\nrows = 10\nlength = 6.0\nopenings = [\n{ start = 0.9, width = 0.9, rows = 7 },\n\
         { start = 3.0, width = 1.2, sill = 3, rows = 3, bearing = 0.6 } ]",
    );
    let world = plane(&scene(2, 0.7, &wall));
    let lintels: Vec<f64> = world.bodies().iter().map(|b| b.mass / DENSITY / 0.3).collect();
    assert!(lintels.iter().any(|&length| (length - 1.5).abs() < 1e-12));
    assert!(lintels.iter().any(|&length| (length - 2.4).abs() < 1e-12));
    let count = world.bodies().len();
    made(world, count, 6.0 * 3.0 - 0.9 * 2.1 - 1.2 * 0.9);
    let off = wall.replace("start = 0.9", "start = 1.0");
    assert!(told(&scene(2, 0.7, &off)).contains("opening off the joints"));
    let high = wall.replace("rows = 7", "rows = 11");
    assert!(told(&scene(2, 0.7, &high)).contains("opening that the wall does not hold"));
    let near = wall.replace("bearing = 0.6", "bearing = 1.5");
    let near = near.replace("sill = 3, rows = 3", "sill = 4, rows = 3");
    assert!(told(&scene(2, 0.7, &near)).contains("overlap"));
}

#[test]
fn walls_of_bonds_with_headers() {
    // A joint of 1 cm: a header is half of what a brick and its joint leave, a closer half of that.
    let keys = "block = [0.25, 0.25, 0.075]\nrows = 6\njoint = 0.01\n";
    let (header, quarter) = (0.12, 0.065);
    for (bond, length) in [("flemish", 16.0), ("english", 12.0)] {
        let rest = rule(
            "wall",
            &format!("{keys}bond = \"{bond}\"\nlength = {:?}", length * quarter - 0.01),
        );
        let world = volume(&scene(3, 0.7, &rest));
        let row = |pairs: f64, headers: f64, closers: f64| {
            (2.0 * pairs * 0.25 * header + headers * header * 0.25 + closers * 0.055 * 0.25) * 0.075
        };
        // Two rows: stretchers are two bricks side by side.
        let (bricks, rows) = match bond {
            "flemish" => (2 * 3 + 2 + 2 * 2 + 3 + 2, row(3.0, 2.0, 0.0) + row(2.0, 3.0, 2.0)),
            _ => (2 * 3 + 5 + 2, row(3.0, 0.0, 0.0) + row(0.0, 5.0, 2.0)),
        };
        made(world, 3 * bricks, 3.0 * rows);
    }
    let rest =
        rule("wall", "block = [0.25, 0.25, 0.075]\nrows = 2\nbond = \"flemish\"\nlength = 0.75");
    let message = told(&scene(3, 0.7, &rest));
    assert!(message.contains("such as 0.625 m or 1 m"), "{message}");
    let rest =
        rule("wall", "block = [0.25, 0.1, 0.075]\nrows = 2\nbond = \"english\"\nlength = 0.75");
    assert!(told(&scene(3, 0.7, &rest)).contains("not as deep as a block is long"));
    let rest = rule("wall", "block = [0.25, 0.075]\nrows = 2\nbond = \"english\"\nlength = 0.75");
    assert!(told(&scene(2, 0.7, &rest)).contains("bond with headers in the plane"));
}

#[test]
fn a_corner_is_bonded() {
    let wall = rule("wall", "block = [0.4, 0.2, 0.2]\nrows = 4\nlength = 2.0\ncorner = 1.2");
    let world = volume(&scene(3, 0.7, &wall));
    // Rows of one wall begin where the other is deep.
    let volume_of = 4.0 * 0.2 * 0.2 * (2.0 + 1.2 - 0.2);
    let count = world.bodies().len();
    made(world, count, volume_of);
    assert!(
        told(&scene(3, 0.7, &wall.replace("0.4, 0.2, 0.2", "0.4, 0.3, 0.2")))
            .contains("twice as long as deep")
    );
}

#[test]
fn scatter_shortens_blocks_and_follows_the_seed() {
    let wall = |seed: u32| {
        let keys = "block = [0.6, 0.3]\nrows = 6\nlength = 3.0\nscatter = 0.01";
        plane(&scene(2, 0.7, &rule("wall", &format!("{keys}\nseed = {seed}"))))
    };
    let lengths = |world: &World<Plane>| -> Vec<f64> {
        world.bodies().iter().map(|b| b.mass / DENSITY / 0.3).collect()
    };
    let (one, same, other) = (lengths(&wall(1)), lengths(&wall(1)), lengths(&wall(2)));
    assert!(one == same && one != other);
    let less =
        |length: &f64| [0.6, 0.3].iter().any(|whole| (0.0..=0.01).contains(&(whole - length)));
    assert!(one.iter().all(less), "{one:?}");
    let sum: f64 = one.iter().sum();
    made(wall(1), one.len(), 0.3 * sum);
}

#[test]
fn a_pointed_arch() {
    let keys = "width = 4.0\nradius = 4.0\nthickness = 0.8\ncount = 7";
    let arch = plane(&scene(2, 0.9, &rule("pointed_arch", keys)));
    // Sectors of equal angle but for the outer end of the last joint, which stands over the crown.
    let (inner, outer, centre): (f64, f64, f64) = (4.0, 4.8, 2.0);
    let whole = (centre / inner).acos();
    let angles: Vec<f64> = (0..=7).map(|k| whole * f64::from(k) / 7.0).collect();
    let triangle = |radius: f64, angle: f64| 0.5 * radius * radius * angle.sin();
    let crown = (centre / outer).acos();
    let mut area: f64 = angles.windows(2).map(|a| -triangle(inner, a[1] - a[0])).sum();
    area += 6.0 * triangle(outer, whole / 7.0) + triangle(outer, crown - angles[6]);
    // The triangle between both crowns and the centre of the arc.
    area -= 0.5 * centre * (outer * crown.sin() - inner * whole.sin());
    made(arch, 14, 2.0 * area);
    let flat = keys.replace("radius = 4.0", "radius = 1.9");
    assert!(told(&scene(2, 0.9, &rule("pointed_arch", &flat))).contains("arcs that do not meet"));
    let deep = format!("{keys}\ndepth = 0.5");
    made(volume(&scene(3, 0.9, &rule("pointed_arch", &deep))), 14, 2.0 * area * 0.5);
    assert!(
        told(&scene(2, 0.9, &rule("pointed_arch", &deep))).contains("depth of the pointed arch")
    );
}

#[test]
fn a_flat_arch_between_skewbacks() {
    let (half, high) = (1.0, 0.6);
    let slope = 0.3f64.tan();
    let side = |sign: f64| {
        format!(
            "[[boundary]]\nmaterial = \"stone\"\nshape = {{ segment = [[{:?}, 2.0], [{:?}, {:?}]] }}\n",
            sign * half,
            sign * (half + high * slope),
            2.0 + high
        )
    };
    let arch =
        rule("flat_arch", "width = 2.0\nheight = 0.6\ncount = 7\nskew = 0.3\ncentre = [0, 2]");
    let text = scene(2, 0.8, &format!("{arch}{}{}", side(1.0), side(-1.0)));
    made(plane(&text), 7, high * (2.0 * half + high * slope));
    assert!(told(&text.replace("skew = 0.3", "skew = 1.6")).contains("skewback that is level"));
}

#[test]
fn a_barrel_vault_is_bonded() {
    let keys = "inner_radius = 1.0\nouter_radius = 1.3\ncount = 9\nlength = 2.0\nstones = 3";
    let area = 9.0 * 0.5 * (PI / 9.0).sin() * (1.3f64.powi(2) - 1.0);
    made(volume(&scene(3, 0.8, &rule("vault", keys))), 5 * 3 + 4 * 4, area * 2.0);
    assert!(told(&scene(2, 0.8, &rule("vault", keys))).contains("vault in the plane"));
    let thin = keys.replace("1.3", "1.0");
    assert!(told(&scene(3, 0.8, &rule("vault", &thin))).contains("vault without thickness"));
}

#[test]
fn a_dome_of_rings() {
    let keys = "inner_radius = 0.95\nouter_radius = 1.1\nrings = 4\ncount = 10\nopening = 0.2";
    // A stone is what a pyramid of its outer face has more than that of its inner one.
    let at = |down: f64, round: f64| {
        DVec3::new(down.sin() * round.cos(), down.sin() * round.sin(), down.cos())
    };
    let angles: Vec<f64> =
        (0..=4).map(|k| FRAC_PI_2 + (0.2 - FRAC_PI_2) * f64::from(k) / 4.0).collect();
    let pyramid = |ring: usize| {
        let [a, b] = [0.0, PI / 5.0].map(|round| at(angles[ring], round));
        let [d, c] = [0.0, PI / 5.0].map(|round| at(angles[ring + 1], round));
        (a.dot(b.cross(c)) + a.dot(c.cross(d))) / 6.0
    };
    let shell = 1.1f64.powi(3) - 0.95f64.powi(3);
    let sum: f64 = (0..4).map(|ring| 10.0 * shell * pyramid(ring).abs()).sum();
    made(volume(&scene(3, 0.8, &rule("dome", keys))), 40, sum);
    let open = keys.replace("opening = 0.2", "opening = 1.6");
    assert!(told(&scene(3, 0.8, &rule("dome", &open))).contains("opening as wide as the dome"));
}

#[test]
fn columns_buttresses_and_stairs() {
    let column = "radius = 0.5\ntop_radius = 0.4\nheight = 3.0\ndrums = 5";
    made(plane(&scene(2, 0.7, &rule("column", column))), 5, 3.0 * 0.9);
    // Frustum of a regular polygon.
    let area = |radius: f64| 0.5 * 8.0 * radius * radius * (2.0 * PI / 8.0).sin();
    let drums = (0..5).map(|k| {
        let radius = |k: usize| 0.5 - 0.1 * k as f64 / 5.0;
        let (low, high) = (area(radius(k)), area(radius(k + 1)));
        0.6 / 3.0 * (low + high + (low * high).sqrt())
    });
    made(volume(&scene(3, 0.7, &rule("column", column))), 5, drums.sum());
    assert!(
        told(&scene(2, 0.7, &rule("column", &format!("{column}\nsides = 6"))))
            .contains("sides of a column")
    );
    let buttress = "base = 1.5\ntop = 0.5\nheight = 3.0\ncourses = 6\nupright = \"right\"";
    made(plane(&scene(2, 0.7, &rule("buttress", buttress))), 6, 3.0);
    let stairs = "steps = 5\ngoing = 0.3\nrise = 0.2\ndepth = 1.0";
    made(volume(&scene(3, 0.7, &rule("stairs", stairs))), 5, 0.06 * 15.0);
}

#[test]
fn blocks_of_a_table() {
    let folder = std::env::temp_dir().join(format!("drystone-blocks-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let read = |dimension: usize, lines: &str| {
        std::fs::write(folder.join("blocks.csv"), lines).unwrap();
        let text = scene(dimension, 0.7, &rule("blocks", "file = \"blocks.csv\""));
        Scene::parse("scene", &text, Some(&folder))
    };
    let lines = "x1,y1,x2,y2,x3,y3,x4,y4\n0,0, 2,0, 1.8,0.5, 0.2,0.5\n0.4 0.5 1.6 0.5 1 1.5\n";
    let world = |scene: Scene| match scene.world().unwrap() {
        drystone_engine::AnyWorld::Plane(world) => world,
        drystone_engine::AnyWorld::Volume(_) => panic!("of the plane"),
    };
    made(world(read(2, lines).unwrap()), 2, 0.5 * (2.0 + 1.6) * 0.5 + 0.6);
    let wrong =
        read(2, "0,0, 2,0, 1\n0,0, 1,0, 2,0\n0,0,1,x,1,1\n").map(|_| ()).unwrap_err().to_string();
    for part in ["5 columns", "\"x\""] {
        assert!(wrong.contains(part), "{wrong}");
    }
    let flat = read(2, "0,0, 1,0, 2,0\n").map(|_| ()).unwrap_err().to_string();
    assert!(flat.contains("block that cannot be made"), "{flat}");
    let corners = "0 0 0  1 0 0  0 1 0  0 0 1\n";
    let scene = read(3, corners).unwrap();
    let drystone_engine::AnyWorld::Volume(world) = scene.world().unwrap() else {
        panic!("of space")
    };
    made::<Volume>(world, 1, 1.0 / 6.0);
    std::fs::remove_dir_all(&folder).unwrap();
}
