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
    assert!(flipped.starts_with("a.msh, line 23: element 4 (triangle3) has a Jacobian of -1.0"));
    assert_eq!(
        error(&FORMAT_2.replace("3 2 0 0", "3 2 zero 0")),
        "a.msh, line 13: found `zero`, expected a node: number, x, y, z"
    );
    assert!(error(&FORMAT_2.replace("2.2 0 8", "2.2 1 8")).contains("save it as ASCII"));
    assert!(error(&FORMAT_2.replace("2.2 0 8", "3.0 0 8")).contains("expected 2.2 or 4.1"));
    assert!(
        error(&FORMAT_4.replace("2 1 2 1\n", "2 1 36 1\n")).contains("element 3 is of kind 36")
    );
    let cut: String = FORMAT_4.lines().take(24).map(|line| format!("{line}\n")).collect();
    assert!(error(&cut).contains("line 25: the file ends"), "{}", error(&cut));
    assert!(error("").contains("no elements that fill plane"));
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
    assert!(matches!(error, FemError::BadElement { element: 1, kind: "quad4", .. }), "{error}");
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
    assert!(matches!(error, FemError::Inverted { element: 1 | 3, .. }), "{error}");
    assert!(error.to_string().contains("turned inside out"));
}
