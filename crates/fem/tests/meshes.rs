//! Mesh files and bad meshes.

use drystone_fem::mesh::{ball, block, disk, read_gmsh, rectangle};
use drystone_fem::{
    Elastic, ElasticLaw, ElementKind, FemError, MassKind, Mesh, Model, Newton, Section, Static,
};
use drystone_space::{DVec2, DVec3, Plane, Volume};

const STEEL: Elastic =
    Elastic { law: ElasticLaw::StVenantKirchhoff, young: 2.0, poisson: 0.3, density: 1.0 };
const STRAIN: Section = Section::PlaneStrain { thickness: 1.0 };

const FORMAT_2: &str = "$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
2
1 7 \"the floor\"
2 1 \"bulk\"
$EndPhysicalNames
$Nodes
6
1 0 0 0
2 1 0 0
3 2 0 0
4 0 1 0
5 1 1 0
9 7 7 0
$EndNodes
$Elements
4
1 15 2 0 1 9
2 1 2 7 1 1 2
3 3 2 1 1 1 2 5 4
4 2 2 1 1 2 3 5
$EndElements
";

const FORMAT_4: &str = "$MeshFormat
4.1 0 8
$EndMeshFormat
$PhysicalNames
1
1 7 \"the floor\"
$EndPhysicalNames
$Entities
0 1 1 0
1 0 0 0 1 0 0 1 7 0
1 0 0 0 2 1 0 0 0
$EndEntities
$Nodes
1 5 1 5
2 1 0 5
1
2
3
4
5
0 0 0
1 0 0
2 0 0
0 1 0
1 1 0
$EndNodes
$Elements
3 3 1 3
1 1 1 1
1 1 2
2 1 3 1
2 1 2 5 4
2 1 2 1
3 2 3 5
$EndElements
";

#[test]
fn both_formats_give_the_same_mesh() {
    let old = read_gmsh::<Plane>(FORMAT_2, "old.msh").unwrap();
    let new = read_gmsh::<Plane>(FORMAT_4, "new.msh").unwrap();
    assert_eq!(old.nodes, new.nodes);
    assert_eq!(old.nodes.len(), 5, "the loose node is left out");
    for mesh in [&old, &new] {
        assert_eq!(mesh.element(0).0, ElementKind::Quad4);
        assert_eq!(mesh.element(1).0, ElementKind::Triangle3);
        let floor = mesh.group("the floor").unwrap();
        assert_eq!(floor, [0, 1]);
        assert_eq!(mesh.group_sides("the floor").unwrap().len(), 1);
    }
    let model = Model::new(old, STEEL, STRAIN, MassKind::Lumped).unwrap();
    assert!((model.mass() - 1.5).abs() < 1e-15);
}

#[test]
fn errors_in_files_name_file_line_and_element() {
    let error = |text: &str| read_gmsh::<Plane>(text, "a.msh").unwrap_err().to_string();
    assert_eq!(
        error(&FORMAT_2.replace("4 2 2 1 1 2 3 5", "4 2 2 1 1 2 3 8")),
        "a.msh, line 23: element 4 names node 8, which is not there"
    );
    assert_eq!(
        error(&FORMAT_2.replace("4 2 2 1 1 2 3 5", "4 2 2 1 1 2 3")),
        "a.msh, line 23: element 4 (triangle3) has 2 nodes, expected 3"
    );
    let flipped = error(&FORMAT_2.replace("4 2 2 1 1 2 3 5", "4 2 2 1 1 2 5 3"));
    assert!(flipped.starts_with(
        "a.msh, line 23: element 4 (triangle3) about (1.333, 0.3333) has a Jacobian of -1.0"
    ));
    assert_eq!(
        error(&FORMAT_2.replace("3 2 0 0", "3 2 zero 0")),
        "a.msh, line 13: found `zero`, expected a node: number, x, y, z"
    );
    assert!(error(&FORMAT_2.replace("2.2 0 8", "2.2 1 8")).contains("save it as ASCII"));
    assert!(error(&FORMAT_2.replace("2.2 0 8", "3.0 0 8")).contains("expected 2.2 or 4.1"));
    assert!(
        error(&FORMAT_4.replace("2 1 2 1\n", "2 1 36 1\n"))
            .contains("element 3 is of an unknown kind (Gmsh's kind 36)")
    );
    let cut: String = FORMAT_4.lines().take(24).map(|line| format!("{line}\n")).collect();
    assert!(error(&cut).contains("line 25: the file ends"), "{}", error(&cut));
    assert!(error("").contains("line 1: the file ends without $MeshFormat"));
    let cut: String = FORMAT_2.lines().take(17).map(|line| format!("{line}\n")).collect();
    assert!(error(&cut).contains("the file ends without $Elements"));
}

#[test]
fn lines_that_make_no_sense_are_named() {
    let error = |old: &str, new: &str| {
        assert!(FORMAT_2.contains(old));
        read_gmsh::<Plane>(&FORMAT_2.replace(old, new), "a.msh").unwrap_err().to_string()
    };
    let quad = "3 3 2 1 1 1 2 5 4";
    for (line, expected) in [
        ("3 3 2", "a.msh, line 22: element 3 (quad4) has 0 nodes, expected 4"),
        ("3 3 -2 1 1 1 2 5 4", "a.msh, line 22: found `-2`, expected zero or more"),
        ("3 3 2 1 1 1 2 -5 4", "a.msh, line 22: found `-5`, expected zero or more"),
        ("3 3 2 1 1 1 2 5 5", "a.msh, line 22: element 3 names node 5 twice"),
        (
            "3 10 2 1 1 1 2 5 4",
            "a.msh, line 22: element 3 is a quadrilateral of 9 nodes (Gmsh's kind 10)",
        ),
        ("3 6 2 1 1 1 2 5 4", "a.msh, line 22: element 3 is a prism (Gmsh's kind 6)"),
    ] {
        let found = error(quad, line);
        assert!(found.starts_with(expected), "{found}");
    }
    assert_eq!(
        error("5 1 1 0", "5.5 1 1 0"),
        "a.msh, line 15: found `5.5`, expected a node's number"
    );
    assert_eq!(
        error("5 1 1 0", "5 1 1 0.25"),
        "a.msh, line 22: node 5 of element 3 is at z = 0.25, node 1 at 0: in the plane all must have one z"
    );
    let areas = error("3 3 2 1 1 1 2 5 4\n4 2 2 1 1 2 3 5", "3 1 2 1 1 1 2\n4 1 2 1 1 2 3");
    assert!(areas.contains("none of the 4 elements is one of areas"), "{areas}");
}

#[test]
fn elements_that_do_not_fit_together_are_named() {
    let error = |extra: &str| {
        let text = FORMAT_2.replace("$Elements\n4", "$Elements\n5");
        let text = text.replace("\n$EndElements", &format!("\n{extra}\n$EndElements"));
        read_gmsh::<Plane>(&text, "a.msh").unwrap_err().to_string()
    };
    assert_eq!(
        error("8 2 2 1 1 3 5 2"),
        "a.msh, line 24: element 8 (triangle3) about (1.333, 0.3333) and element 4 (triangle3) about \
         (1.333, 0.3333) have the same nodes"
    );
    let third = error("8 2 2 1 1 2 9 5");
    assert!(third.ends_with("share a side with a third: they overlap"), "{third}");
    // The middle of the side from node 3 to node 5 is node 9 for one of its elements only.
    let text = FORMAT_2
        .replace("$Nodes\n6", "$Nodes\n9")
        .replace("9 7 7 0\n", "9 1.5 0.5 0\n10 2 1 0\n11 2 0.5 0\n12 1.5 1 0\n");
    let text = text.replace("$Elements\n4", "$Elements\n5");
    let text = text.replace("\n$EndElements", "\n8 9 2 1 1 3 10 5 11 12 9\n$EndElements");
    let error = read_gmsh::<Plane>(&text, "a.msh").unwrap_err().to_string();
    assert!(error.ends_with("share the corners of a side, but not the nodes between"), "{error}");
}

#[test]
fn errors_of_a_run_have_the_numbers_of_the_file() {
    let mesh = read_gmsh::<Plane>(FORMAT_2, "a.msh").unwrap();
    for mesh in [mesh.clone(), mesh.to_quadratic(), mesh.to_simplices()] {
        let last = mesh.elements() - 1;
        assert_eq!((mesh.name(0).number, mesh.name(last).number), (3, 4));
    }
}

#[test]
fn generated_meshes_fill_their_shape() {
    for (mesh, measure, sides) in [
        (rectangle(DVec2::new(2.0, 3.0), [3, 4]).unwrap(), 6.0, 14),
        (disk(1.0, 8).unwrap(), std::f64::consts::PI, 64),
    ] {
        assert_eq!(mesh.surface().len(), sides);
        let model = Model::new(mesh, STEEL, STRAIN, MassKind::Lumped).unwrap();
        assert!((model.mass() / measure - 1.0).abs() < 0.005, "{}", model.mass());
    }
    for (mesh, measure) in [
        (block(DVec3::new(1.0, 2.0, 3.0), [2, 3, 4]).unwrap(), 6.0),
        (ball(1.0, 5).unwrap(), 4.0 / 3.0 * std::f64::consts::PI),
    ] {
        let model = Model::new(mesh, STEEL, Section::Volume, MassKind::Lumped).unwrap();
        assert!((model.mass() / measure - 1.0).abs() < 0.03, "{}", model.mass());
    }
    let error = disk(-1.0, 3).unwrap_err().to_string();
    assert_eq!(error, "radius is -1, must be positive and finite");
    assert!(rectangle(DVec2::ONE, [0, 3]).is_err());
}

#[test]
fn bad_meshes_are_named() {
    let square = rectangle(DVec2::ONE, [2, 2]).unwrap();
    let model = |mesh: Mesh<Plane>, section| Model::new(mesh, STEEL, section, MassKind::Lumped);
    let mut loose = square.clone();
    loose.nodes.push(DVec2::new(5.0, 5.0));
    assert_eq!(model(loose, STRAIN).unwrap_err(), FemError::LooseNode { node: 9 });
    let mut folded = square.clone();
    folded.nodes[4] = DVec2::new(0.9, 0.9);
    let error = model(folded, STRAIN).unwrap_err();
    let start = "element 1 (quad4) about (0.475, -0.025) has a Jacobian of -";
    assert!(error.to_string().starts_with(start), "{error}");
    let error = square.group("roof").unwrap_err().to_string();
    assert_eq!(
        error,
        "the mesh has no group `roof`; it has `bottom`, `left`, `right`, `surface`, `top`"
    );
    let error = model(square.clone(), Section::Axisymmetric).unwrap_err();
    assert!(matches!(error, FemError::BehindAxis { node: 0, .. }));
    assert!(matches!(model(square, Section::Volume).unwrap_err(), FemError::WrongSection { .. }));
    let empty = Mesh::<Volume>::new(Vec::new());
    let error = Model::new(empty, STEEL, Section::Volume, MassKind::Lumped).unwrap_err();
    assert_eq!(error.to_string(), "the mesh has no elements that fill volume");
}

#[test]
fn free_solids_and_inverted_elements_are_named() {
    let square = rectangle(DVec2::ONE, [2, 2]).unwrap();
    let model = Model::new(square, STEEL, STRAIN, MassKind::Lumped).unwrap();
    let load = model.traction("top", DVec2::Y).unwrap();
    let mut free = Static::new(model.clone()).unwrap();
    free.load(&load, 1.0);
    let error = free.balance(Newton::default()).unwrap_err();
    assert!(matches!(error, FemError::Singular { .. } | FemError::NotConverged { .. }), "{error}");
    let mut crushed = Static::new(model).unwrap();
    for node in 0..9 {
        for axis in 0..2 {
            crushed.impose(node, axis, 0.0);
        }
    }
    crushed.impose(4, 0, 0.7);
    let error = crushed.balance(Newton::default()).unwrap_err();
    let FemError::Inverted { element, .. } = error else { panic!("{error}") };
    assert!(element.number == 1 || element.number == 3, "{element}");
}
