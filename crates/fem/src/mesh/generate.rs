//! Meshes made here: rectangles, disks, blocks, balls.
//!
//! Rectangles and blocks have the groups `left`, `right`, `bottom`, `top`, and in space `front` and
//! `back` (low and high y); all have `surface`. Disks and balls are squares and cubes whose square
//! rings are drawn out to circles: they have no folded elements and no tiny ones at the centre.

use super::Mesh;
use crate::FemError;
use crate::element::ElementKind;
use drystone_space::{DVec2, DVec3, Plane, Space, Vector, Volume, math};

fn check<const N: usize>(
    sizes: [(&'static str, f64); N],
    counts: &[usize],
) -> Result<(), FemError> {
    for (what, value) in sizes {
        if !(value > 0.0 && value.is_finite()) {
            return Err(FemError::Size { what, value, expected: "positive and finite" });
        }
    }
    match counts.iter().find(|&&count| count == 0) {
        Some(_) => Err(FemError::Size { what: "count", value: 0.0, expected: "at least 1" }),
        None => Ok(()),
    }
}

/// A grid over [0, 1]² or [0, 1]³.
fn grid<S: Space>(counts: &[usize], kind: ElementKind, corners: &[&[usize]]) -> Mesh<S> {
    let lines: Vec<usize> = counts.iter().map(|count| count + 1).collect();
    let number = |place: &[usize]| {
        let mut number = 0;
        for axis in (0..place.len()).rev() {
            number = number * lines[axis] + place[axis];
        }
        number as u32
    };
    let places = |counts: &[usize]| {
        let counts = counts.to_vec();
        let total: usize = counts.iter().product();
        (0..total).map(move |mut index| {
            let place = counts.iter().map(|count| {
                let at = index % count;
                index /= count;
                at
            });
            place.collect::<Vec<usize>>()
        })
    };
    let node = |place: Vec<usize>| S::Vector::from_fn(|i| place[i] as f64 / counts[i] as f64);
    let mut mesh = Mesh::new(places(&lines).map(node).collect());
    for cell in places(counts) {
        let nodes: Vec<u32> = corners
            .iter()
            .map(|corner| {
                let place: Vec<usize> = cell.iter().zip(*corner).map(|(a, b)| a + b).collect();
                number(&place)
            })
            .collect();
        mesh.push(kind, &nodes);
    }
    let names: &[[&str; 2]] = match counts.len() {
        2 => &[["left", "right"], ["bottom", "top"]],
        _ => &[["left", "right"], ["front", "back"], ["bottom", "top"]],
    };
    for (axis, pair) in names.iter().enumerate() {
        for (end, name) in pair.iter().enumerate() {
            let here = |place: &Vec<usize>| place[axis] == end * counts[axis];
            let nodes: Vec<u32> = places(&lines).filter(here).map(|place| number(&place)).collect();
            mesh.add_group(name, nodes.iter().copied());
            mesh.add_group("surface", nodes);
        }
    }
    mesh
}

const SQUARE: [&[usize]; 4] = [&[0, 0], &[1, 0], &[1, 1], &[0, 1]];
const CUBE: [&[usize]; 8] = [
    &[0, 0, 0],
    &[1, 0, 0],
    &[1, 1, 0],
    &[0, 1, 0],
    &[0, 0, 1],
    &[1, 0, 1],
    &[1, 1, 1],
    &[0, 1, 1],
];

/// A rectangle about the origin, of quadrilaterals.
///
/// # Errors
/// If a size is not positive or a count is zero.
pub fn rectangle(size: DVec2, counts: [usize; 2]) -> Result<Mesh<Plane>, FemError> {
    check([("width", size.x), ("height", size.y)], &counts)?;
    Ok(grid::<Plane>(&counts, ElementKind::Quad4, &SQUARE).map(|p| (p - 0.5) * size))
}

/// A block about the origin, of hexahedra.
///
/// # Errors
/// If a size is not positive or a count is zero.
pub fn block(size: DVec3, counts: [usize; 3]) -> Result<Mesh<Volume>, FemError> {
    check([("width", size.x), ("depth", size.y), ("height", size.z)], &counts)?;
    Ok(grid::<Volume>(&counts, ElementKind::Hexa8, &CUBE).map(|p| (p - 0.5) * size))
}

/// A disk about the origin, of quadrilaterals: `rings` from the centre to the rim.
///
/// # Errors
/// If the radius is not positive or there is no ring.
pub fn disk(radius: f64, rings: usize) -> Result<Mesh<Plane>, FemError> {
    check([("radius", radius)], &[rings])?;
    let mut mesh = grid::<Plane>(&[2 * rings; 2], ElementKind::Quad4, &SQUARE)
        .map(|p| round(2.0 * p - 1.0) * radius);
    keep_surface(&mut mesh);
    Ok(mesh)
}

/// A ball about the origin, of hexahedra: `rings` from the centre to the surface.
///
/// # Errors
/// If the radius is not positive or there is no ring.
pub fn ball(radius: f64, rings: usize) -> Result<Mesh<Volume>, FemError> {
    check([("radius", radius)], &[rings])?;
    let mut mesh = grid::<Volume>(&[2 * rings; 3], ElementKind::Hexa8, &CUBE)
        .map(|p| round(2.0 * p - 1.0) * radius);
    keep_surface(&mut mesh);
    Ok(mesh)
}

/// Of the groups of a grid, a round mesh has only `surface`.
fn keep_surface<S: Space>(mesh: &mut Mesh<S>) {
    mesh.groups.retain(|name, _| name == "surface");
}

/// Draws the cube [−1, 1]ⁿ out to the unit ball: a blend from the cube, at the centre, to the ball, at
/// the rim. On a square ring at distance m the round image is p |p|∞/|p|.
fn round<V: Vector>(p: V) -> V {
    let ring = (0..V::LENGTH).fold(0.0f64, |m, i| m.max(p.get(i).abs()));
    if ring == 0.0 {
        return p;
    }
    // Directions evenly spread along the ring, so that rim nodes are evenly spaced.
    let even = V::from_fn(|i| math::tan(std::f64::consts::FRAC_PI_4 * p.get(i) / ring));
    let rim = even * (ring / even.norm());
    let inner = p * (1.0 / (V::LENGTH as f64).sqrt());
    inner * (1.0 - ring) + rim * ring
}
