//! Meshes and heights of files: what is wrong with them is told with its place, and what is right has the mass of the mesh.

use drystone_detect::volume::VolumeShape;
use drystone_engine::{AnyWorld, World};
use drystone_scene::{Folders, Report, Scene, SceneFile};
use drystone_space::{DVec3, Volume};

/// A tetrahedron.
const SOLID: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
/// A cube of edge 1, in quadrilaterals.
const CUBE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n\
    f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
/// An L of depth 1: the square of edge 2 without a quarter.
const ANGLE: &str = "v 0 0 0\nv 2 0 0\nv 2 0 1\nv 1 0 1\nv 1 0 2\nv 0 0 2\n\
    v 0 1 0\nv 2 1 0\nv 2 1 1\nv 1 1 1\nv 1 1 2\nv 0 1 2\n\
    f 1 2 3 4\nf 1 4 5 6\nf 10 9 8 7\nf 12 11 10 7\n\
    f 2 1 7 8\nf 3 2 8 9\nf 4 3 9 10\nf 5 4 10 11\nf 6 5 11 12\nf 1 6 12 7\n";
const STL: &str = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n";
const PLY: &str = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
    element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";

const HEAD: &str = "dimension = 3\ngravity = [0, 0, -9.81]\n[time]\nstep = 1e-3\nend = 1e-2\n[[material]]\nname = \"a\"\n\
    density = 2.0\n[default_law]\nfriction = 0.5\n";

fn scene(owner: &str, shape: &str, name: &str, text: &str) -> Result<Scene, Report> {
    let scene = format!(
        "{HEAD}[[{owner}]]\nmaterial = \"a\"\nshape = {shape}\n[[body]]\nmaterial = \"a\"\nshape = {{ sphere = 0.1 }}\n\
         position = [9, 9, 9]\n"
    );
    let given = [SceneFile { place: name.into(), text: text.to_owned() }];
    Scene::parse_in("scene.toml", &scene, Folders { given: &given, ..Folders::default() })
}

fn world(shape: &str, text: &str) -> World<Volume> {
    match scene("body", shape, "m.obj", text).unwrap_or_else(|e| panic!("{e}")).world() {
        Ok(AnyWorld::Volume(world)) => world,
        other => panic!("{other:?}"),
    }
}

/// What is told of a bad file: each part must be in the report, and the first error has that line of the file, or of the
/// scene where the file is named.
#[track_caller]
fn refused(owner: &str, shape: &str, name: &str, text: &str, told: &[&str], line: usize) {
    let report = scene(owner, shape, name, text).expect_err("refused");
    let all = report.to_string();
    for part in told {
        assert!(all.contains(part), "`{part}` is not told: {all}");
    }
    let problem = &report.problems()[0];
    assert!(problem.expected().or(problem.suggestion()).is_some(), "{all}");
    assert_eq!(problem.line(), line, "{all}");
}

const SHAPE: usize = 13;

fn file(name: &str) -> String {
    format!("{{ mesh = {{ file = \"{name}\" }} }}")
}

#[test]
fn files_that_are_no_meshes() {
    let bad = |name: &str, text: &str, told: &[&str], line| {
        refused("boundary", &file(name), name, text, told, line);
    };
    bad("m.stl", "", &["STL file of a wrong length", "0 bytes"], SHAPE);
    bad("m.stl", &STL.replace("facet normal", "facette"), &["not a word of STL", "`facette`"], 2);
    bad("m.stl", &STL.replace("1 0 0", "1 0 O"), &["not a number", "`O`"], 5);
    bad("m.stl", &STL.replace("1 0 0", "1 0"), &["vertex cut short", "2 numbers"], 5);
    bad("m.stl", &STL.replace("vertex 1 0 0\n", ""), &["face 1 is no triangle", "2 vertices"], 7);
    bad("m.stl", &STL.replace("endfacet\n", ""), &["facet without its end"], 2);
    bad("m.stl", "solid a\nendsolid a\n", &["mesh without faces"], SHAPE);
    bad("m.txt", "hello\n", &["not a mesh", "hello"], 1);
    bad("m.obj", &SOLID.replace("v 0 1 0", "v 0 1"), &["vertex cut short"], 3);
    bad("m.obj", &SOLID.replace("v 0 1 0", "v 0 inf 0"), &["not a number", "`inf`"], 3);
    bad(
        "m.obj",
        &SOLID.replace("f 1 2 4", "f 1 2 9"),
        &["a vertex that there is none of", "9 of 4"],
        6,
    );
    bad(
        "m.obj",
        &SOLID.replace("f 1 2 4", "f 1 0 4"),
        &["a vertex that there is none of", "0 of 4"],
        6,
    );
    bad("m.obj", &SOLID.replace("f 1 2 4", "f 1 x 4"), &["not the number of a vertex", "`x`"], 6);
    bad("m.obj", &SOLID.replace("f 1 2 4", "f 1 2"), &["face 2 has too few corners"], 6);
    bad(
        "m.obj",
        &ANGLE.replace("f 1 2 3 4\nf 1 4 5 6\n", "f 2 3 4 5 6 1\n"),
        &["face 1 is not convex"],
        13,
    );
    bad("m.ply", "ply\nformat ascii 1.0\n", &["PLY without the end of its head"], SHAPE);
    bad("m.ply", &PLY.replace("ascii", "gzip"), &["unknown form of PLY", "gzip"], 2);
    bad("m.ply", &PLY.replace("float x", "real x"), &["unknown type of numbers", "real x"], 4);
    bad("m.ply", &PLY.replace("float z", "float w"), &["PLY without places"], SHAPE);
    bad("m.ply", &PLY.replace("vertex_indices", "corners"), &["a cloud of points"], SHAPE);
    bad("m.ply", &PLY.replace("vertex 3", "many"), &["not a line of a PLY head"], 3);
    bad("m.ply", &PLY.replace("3 0 1 2", "3 0 1"), &["PLY cut short: 0 of 1 `face`"], SHAPE);
    bad("m.ply", &PLY.replace("3 0 1 2", "3 0 1 3"), &["vertex 3 of 3"], 12);
    bad("m.ply", &PLY.replace("1 0 0", "1 0 -"), &["not a number", "`-`"], 11);
    bad("m.ply", &PLY.replace("1 0 0", "1 0 nan"), &["vertex 2 is no place"], 10);
}

#[test]
fn meshes_that_are_no_bodies() {
    let bad = |shape: &str, text: &str, told: &[&str]| {
        refused("body", shape, "m.obj", text, told, SHAPE);
    };
    let plain = &file("m.obj");
    bad(plain, &SOLID.replace("f 2 3 4\n", ""), &["is not closed", "faces 1, 2, 3"]);
    bad(
        plain,
        &SOLID.replace("f 1 2 4", "f 1 4 2"),
        &["turned against", "3 such edges", "faces 1, 2"],
    );
    bad(plain, &(SOLID.to_owned() + "f 2 3 4\n"), &["more than two faces", "4, 5"]);
    let inward = SOLID.replace("f 1 3 2", "f 1 2 3").replace("f 1 2 4", "f 1 4 2");
    let inward = inward.replace("f 1 4 3", "f 1 3 4").replace("f 2 3 4", "f 2 4 3");
    bad(plain, &inward, &["encloses no volume", "face 1", "turn = true"]);
    bad(plain, ANGLE, &["is not convex", "over face", "hull = true"]);
    bad(
        plain,
        "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n",
        &["no face of `m.obj` has an area", "face 1"],
    );
    bad(plain, &CUBE.replace("v 1 0 0", "v 1e30 0 0"), &["reaches too far", "`scale` changes it"]);
    bad("{ mesh = { file = \"m.obj\", two_sided = true } }", SOLID, &["two sides"]);
    bad("{ heights = { file = \"m.obj\" } }", "0 1\n0 1\n", &["shape of a boundary on a body"]);
    let hull = "{ mesh = { file = \"m.obj\", hull = true } }";
    refused("boundary", hull, "m.obj", CUBE, &["convex hull of a boundary"], SHAPE);
    refused("boundary", plain, "other.obj", CUBE, &["cannot be read"], SHAPE);
}

#[test]
fn tables_that_are_no_heights() {
    let bad = |text: &str, told: &[&str], line| {
        let shape = "{ heights = { file = \"h.csv\", spacing = 1 } }";
        refused("boundary", shape, "h.csv", text, told, line);
    };
    bad("0 1 2\n3 4\n", &["line of another length", "2 heights after lines of 3"], 2);
    bad("0 1\n2 x\n", &["not a number", "`x`"], 2);
    bad("0 1 2\n", &["too few heights", "1 rows"], SHAPE);
    bad("ncols 3\n0 1\n2 3\n", &["another number of columns", "said 3"], 1);
    bad("rows 3\n0 1\n2 3\n", &["not a line of a grid's head"], 1);
    bad("nan nan\nnan 1\n", &["heights without a surface"], SHAPE);
    let shape = "{ heights = { file = \"h.csv\" } }";
    refused("boundary", shape, "h.csv", "0 1\n2 3\n", &["`spacing = …`"], SHAPE);
}

#[test]
fn a_body_has_the_mass_of_its_mesh() {
    let cube = world(&file("m.obj"), CUBE);
    let body = &cube.bodies()[0];
    assert_eq!(body.parts.len(), 1);
    assert!((body.mass - 2.0).abs() < 1e-14);
    assert!((body.pose.position - DVec3::splat(0.5)).length() < 1e-14);

    // The hull of the angle is half a unit larger than it: the mass is its own.
    let angle = world("{ mesh = { file = \"m.obj\", hull = true, scale = 0.5 } }", ANGLE);
    let body = &angle.bodies()[0];
    assert!((body.mass - 2.0 * 3.0 / 8.0).abs() < 1e-14);
    let middle = 0.5 * (2.0 * 1.0 + 0.5) / 3.0;
    assert!((body.pose.position - DVec3::new(middle, 0.25, middle)).length() < 1e-14);

    // Two closed pieces are two parts, held together.
    let shift = |line: &str| match line.strip_prefix("v ") {
        Some(at) => {
            let mut at: Vec<f64> = at.split(' ').map(|x| x.parse().unwrap()).collect();
            at[0] += 2.0;
            format!("v {} {} {}\n", at[0], at[1], at[2])
        }
        None => {
            let corners = line[2..].split(' ').map(|v| (v.parse::<i64>().unwrap() + 8).to_string());
            format!("f {}\n", corners.collect::<Vec<_>>().join(" "))
        }
    };
    let both: String = CUBE.to_owned() + &CUBE.lines().map(shift).collect::<String>();
    let pair = world(&file("m.obj"), &both);
    let body = &pair.bodies()[0];
    assert_eq!(body.parts.len(), 2);
    assert!((body.mass - 4.0).abs() < 1e-14);
    assert!((body.pose.position - DVec3::new(1.5, 0.5, 0.5)).length() < 1e-14);
}

#[test]
fn a_boundary_has_the_triangles_of_its_mesh() {
    let made = scene("boundary", &file("m.obj"), "m.obj", CUBE).unwrap();
    let Ok(AnyWorld::Volume(world)) = made.world() else { panic!("of space") };
    let parts = &world.setup().boundaries[0].parts;
    assert_eq!(parts.len(), 12);
    assert!(parts.iter().all(|part| matches!(part.shape, VolumeShape::Triangle(_))));
    // What the scene has read is kept with the run.
    assert_eq!(made.files[0].text, CUBE);
}
