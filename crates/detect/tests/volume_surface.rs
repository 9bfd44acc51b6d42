//! The surface of a convex solid, cut into triangles: what touches it has the distance of the solid, and is held once.

use drystone_detect::volume::{Polyhedron, Surface, VolumeShape};
use drystone_detect::{Geometry, Manifold, Touch};
use drystone_space::{DQuat, DVec3, Pose, Random, Volume};
use std::collections::HashMap;

/// The faces of a solid as triangles, each cut into four, so that there are edges inside of faces.
fn surface(solid: &Polyhedron) -> Surface {
    let mut vertices = solid.vertices().to_vec();
    let mut middles: HashMap<[u32; 2], u32> = HashMap::new();
    let mut middle = |a: u32, b: u32| {
        *middles.entry([a.min(b), a.max(b)]).or_insert_with(|| {
            vertices.push((vertices[a as usize] + vertices[b as usize]) * 0.5);
            vertices.len() as u32 - 1
        })
    };
    let mut triangles = Vec::new();
    for face in solid.faces() {
        for i in 1..face.len() - 1 {
            let [a, b, c] = [face[0], face[i], face[i + 1]];
            let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
            triangles.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
        }
    }
    Surface::new(vertices, &triangles, false)
}

fn touches(
    a: (&VolumeShape, &Pose<Volume>),
    b: (&VolumeShape, &Pose<Volume>),
    margin: f64,
) -> Vec<Touch<Volume>> {
    let mut manifold = Manifold::default();
    Volume::collide(a, b, margin, &mut manifold);
    manifold.touches().to_vec()
}

fn least(touches: &[Touch<Volume>]) -> Option<&Touch<Volume>> {
    touches.iter().min_by(|s, t| s.gap.total_cmp(&t.gap))
}

/// A depth that overlaps of 3e-3 come to only by way of another side of a body about 1 in size.
const FAR_SIDE: f64 = 0.05;

fn turn(random: &mut Random) -> DQuat {
    let mut normal = || random.normal();
    DQuat::from_xyzw(normal(), normal(), normal(), normal()).normalize()
}

fn solids() -> [Polyhedron; 3] {
    let axes = [DVec3::X, DVec3::Y, DVec3::Z];
    let ends: Vec<DVec3> = axes.into_iter().flat_map(|n| [n, -n]).collect();
    [
        Polyhedron::cuboid(DVec3::new(2.0, 1.5, 1.0)).unwrap(),
        Polyhedron::hull(&ends).unwrap(),
        // A thin wedge: sharp edges.
        Polyhedron::hull(&[
            DVec3::new(1.0, 1.0, 0.0),
            DVec3::new(-1.0, 1.0, 0.0),
            DVec3::new(1.0, -1.0, 0.0),
            DVec3::new(-1.0, -1.0, 0.0),
            DVec3::new(0.5, 0.0, 0.6),
            DVec3::new(-0.5, 0.0, 0.6),
        ])
        .unwrap(),
    ]
}

#[test]
fn the_surface_of_a_solid_is_as_far_as_the_solid() {
    let mut random = Random::new(7, 0);
    let moving = [
        VolumeShape::Sphere { radius: 0.6 },
        VolumeShape::Capsule { half_length: 0.5, radius: 0.3 },
        VolumeShape::Polyhedron(Polyhedron::cuboid(DVec3::new(0.9, 0.7, 1.1)).unwrap()),
        VolumeShape::Polyhedron(solids()[1].clone()),
    ];
    let (mut compared, mut overlaps) = (0, 0);
    for solid in solids() {
        let triangles: Vec<_> = surface(&solid).triangles().map(VolumeShape::Triangle).collect();
        let whole = VolumeShape::Polyhedron(solid);
        for shape in &moving {
            for _ in 0..120 {
                let place = Pose::new(DVec3::new(0.3, -0.2, 0.1), turn(&mut random));
                let direction = turn(&mut random) * DVec3::X;
                let mut body = Pose::new(place.position + direction * 3.0, turn(&mut random));
                // Toward each other along the normal, to a small gap or overlap.
                for _ in 0..4 {
                    let found = touches((shape, &body), (&whole, &place), 9.0);
                    let touch = least(&found).unwrap();
                    body.position -= touch.normal * touch.gap;
                }
                let touch = *least(&touches((shape, &body), (&whole, &place), 9.0)).unwrap();
                let gap = [1e-2, 1e-4, 1e-7, -1e-7, -1e-4, -3e-3][random.below(6)];
                body.position += touch.normal * (gap - touch.gap);
                let solid = touches((shape, &body), (&whole, &place), 0.05);
                let of_surface: Vec<Touch<Volume>> = triangles
                    .iter()
                    .flat_map(|triangle| touches((shape, &body), (triangle, &place), 0.05))
                    .collect();
                let (Some(one), Some(other)) = (least(&solid), least(&of_surface)) else {
                    panic!("{gap:e}: {solid:?}, {of_surface:?}");
                };
                let place = || format!("{gap:e}: {body:?}, {place:?}: {one:?}, {of_surface:?}");
                let near = |touch: &Touch<Volume>| (one.gap - touch.gap).abs() < 1e-9;
                // Apart the nearest triangle has the distance. In overlap one of them has; others near an edge, of whose parts none
                // leads out as fast, may be deeper, some times as deep as the body was pushed in. None holds it from the far side.
                assert!(of_surface.iter().any(near), "{}", place());
                assert!(one.gap < 0.0 || near(other), "{}", place());
                assert!(other.gap > -FAR_SIDE, "{}", place());
                compared += 1;
                overlaps += usize::from(one.gap < 0.0);
            }
        }
    }
    assert!(compared == 1440 && overlaps > 500);
}
