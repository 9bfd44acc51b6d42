//! Convex hulls of points, with exact decisions.
//!
//! The points are laid on an integer grid whose cell is 2⁻⁴⁰ of their half-extent. On the grid "is
//! this point above that triangle" is an integer determinant below 2¹²⁶, so the incremental hull
//! never contradicts itself, however many points are collinear or coplanar. Grid triangles that are
//! coplanar up to a tolerance of sixteen cells are then merged into faces, and vertices that bound
//! fewer than three faces are dropped. What comes out are the points as given, not the grid's.

use crate::ShapeError;
use drystone_space::DVec3;
use std::collections::{HashMap, HashSet};

/// Cells per half-extent.
const CELLS: f64 = (1_u64 << 40) as f64;
/// Points nearer than this many cells are one point; nearer to a plane, they are in it.
const MERGED: i64 = 16;

/// Vertices of a hull and the loops of its faces, counter-clockwise seen from outside.
#[derive(Debug)]
pub(super) struct Hull {
    pub vertices: Vec<DVec3>,
    pub loops: Vec<Vec<u32>>,
}

/// Three points, counter-clockwise seen from outside.
type Triangle = [usize; 3];
type Cell = [i64; 3];

/// The convex hull of points; interior and doubled points are dropped, the order is kept.
pub(super) fn hull(points: &[DVec3]) -> Result<Hull, ShapeError> {
    if let Some(index) = points.iter().position(|p| !p.is_finite()) {
        return Err(ShapeError::NotFinite { index });
    }
    let (points, cells, extent) = distinct(points);
    if points.len() < 4 {
        return Err(ShapeError::TooFewPoints { found: points.len(), needed: 4 });
    }
    let triangles = triangulate(&cells)?;
    let loops = merge(&points, &triangles, extent * MERGED as f64 / CELLS)?;
    without_flat_vertices(&points, loops)
}

/// The points that differ, with their grid cells and their half-extent.
fn distinct(points: &[DVec3]) -> (Vec<DVec3>, Vec<Cell>, f64) {
    let low = points.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let high = points.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    let (centre, half) = (low * 0.5 + high * 0.5, (high * 0.5 - low * 0.5).max_element());
    let scale = CELLS / half;
    let (mut kept, mut cells) = (Vec::new(), Vec::<Cell>::new());
    for &point in points {
        // A set so small or so large that its scale is no number is one point.
        let on_grid = if scale.is_normal() { (point - centre) * scale } else { DVec3::ZERO };
        let cell = on_grid.round().to_array().map(|x| x as i64);
        if cells.iter().all(|c| (0..3).any(|k| (c[k] - cell[k]).abs() > MERGED)) {
            kept.push(point);
            cells.push(cell);
        }
    }
    (kept, cells, half)
}

/// Six times the volume of a tetrahedron: positive if `d` is above the triangle `abc`.
fn volume(cells: &[Cell], [a, b, c]: Triangle, d: usize) -> i128 {
    let from_a = |i: usize| [0, 1, 2].map(|k| i128::from(cells[i][k] - cells[a][k]));
    let (b, c, d) = (from_a(b), from_a(c), from_a(d));
    d[0] * (b[1] * c[2] - b[2] * c[1])
        + d[1] * (b[2] * c[0] - b[0] * c[2])
        + d[2] * (b[0] * c[1] - b[1] * c[0])
}

/// The incremental hull: each point replaces the triangles that it sees by a cone.
fn triangulate(cells: &[Cell]) -> Result<Vec<Triangle>, ShapeError> {
    let [a, b, c, d] = simplex(cells)?;
    let mut triangles = vec![[a, b, c], [a, c, d], [a, d, b], [d, c, b]];
    for point in (0..cells.len()).filter(|p| ![a, b, c, d].contains(p)) {
        let (seen, hidden): (Vec<_>, Vec<_>) =
            triangles.iter().partition(|&&t| volume(cells, t, point) > 0);
        let sides: Vec<_> =
            seen.iter().flat_map(|&[a, b, c]: &Triangle| [(a, b), (b, c), (c, a)]).collect();
        let known: HashSet<_> = sides.iter().copied().collect();
        triangles = hidden;
        let horizon = sides.into_iter().filter(|&(a, b)| !known.contains(&(b, a)));
        triangles.extend(horizon.map(|(a, b)| [a, b, point]));
    }
    Ok(triangles)
}

/// Four points that span space, the fourth below the first three.
fn simplex(cells: &[Cell]) -> Result<[usize; 4], ShapeError> {
    let at = |i: usize| DVec3::from_array(cells[i].map(|x| x as f64));
    let farthest = |measure: &dyn Fn(usize) -> f64| {
        (0..cells.len()).max_by(|&i, &j| measure(i).total_cmp(&measure(j))).unwrap_or(0)
    };
    let a = 0;
    let b = farthest(&|i| (at(i) - at(a)).length());
    let c = farthest(&|i| (at(b) - at(a)).cross(at(i) - at(a)).length());
    let d = (0..cells.len()).max_by_key(|&i| volume(cells, [a, b, c], i).abs()).unwrap_or(0);
    let base = (at(b) - at(a)).cross(at(c) - at(a)).length();
    let six_volumes = volume(cells, [a, b, c], d);
    let merged = MERGED as f64;
    let on_a_line = base <= merged * (at(b) - at(a)).length();
    if on_a_line || six_volumes.abs() as f64 <= merged * base {
        return Err(ShapeError::Degenerate);
    }
    Ok(if six_volumes < 0 { [a, b, c, d] } else { [a, c, b, d] })
}

/// Joins triangles in one plane to faces, the largest triangle first, and returns their outlines.
fn merge(
    points: &[DVec3],
    triangles: &[Triangle],
    tolerance: f64,
) -> Result<Vec<Vec<usize>>, ShapeError> {
    let sides = |&[a, b, c]: &Triangle| [(a, b), (b, c), (c, a)];
    let beside: HashMap<(usize, usize), usize> =
        triangles.iter().enumerate().flat_map(|(i, t)| sides(t).map(|s| (s, i))).collect();
    let area = |i: usize| {
        let [a, b, c] = triangles[i].map(|p| points[p]);
        (b - a).cross(c - a)
    };
    let mut order: Vec<usize> = (0..triangles.len()).collect();
    order.sort_by(|&i, &j| area(j).length_squared().total_cmp(&area(i).length_squared()));

    let mut face_of = vec![usize::MAX; triangles.len()];
    let mut faces = 0;
    for seed in order {
        if face_of[seed] != usize::MAX {
            continue;
        }
        let (normal, origin) = (area(seed).normalize_or_zero(), points[triangles[seed][0]]);
        let in_plane = |p: usize| normal.dot(points[p] - origin).abs() <= tolerance;
        let mut open = vec![seed];
        face_of[seed] = faces;
        while let Some(triangle) = open.pop() {
            for (a, b) in sides(&triangles[triangle]) {
                let next = *beside.get(&(b, a)).ok_or(ShapeError::Degenerate)?;
                if face_of[next] == usize::MAX && triangles[next].into_iter().all(in_plane) {
                    face_of[next] = faces;
                    open.push(next);
                }
            }
        }
        faces += 1;
    }

    let mut after = vec![HashMap::new(); faces];
    for (i, triangle) in triangles.iter().enumerate() {
        for (a, b) in sides(triangle) {
            let boundary = face_of[beside[&(b, a)]] != face_of[i];
            if boundary && after[face_of[i]].insert(a, b).is_some() {
                return Err(ShapeError::Degenerate);
            }
        }
    }
    after.iter().map(outline).collect()
}

/// Follows the sides of a face from its lowest vertex until all are used.
fn outline(after: &HashMap<usize, usize>) -> Result<Vec<usize>, ShapeError> {
    // A face without an outline holds all points: the set is flat.
    let start = *after.keys().min().ok_or(ShapeError::Degenerate)?;
    let mut outline = vec![start];
    while let Some(&next) = outline.last().and_then(|last| after.get(last)) {
        if next == start || outline.len() > after.len() {
            break;
        }
        outline.push(next);
    }
    if outline.len() == after.len() { Ok(outline) } else { Err(ShapeError::Degenerate) }
}

/// Drops what is no corner: points inside a face or between two faces.
fn without_flat_vertices(points: &[DVec3], outlines: Vec<Vec<usize>>) -> Result<Hull, ShapeError> {
    let mut faces = vec![0; points.len()];
    for &p in outlines.iter().flatten() {
        faces[p] += 1;
    }
    let mut vertices = Vec::new();
    let mut index = vec![0; points.len()];
    for (p, &point) in points.iter().enumerate().filter(|&(p, _)| faces[p] >= 3) {
        index[p] = vertices.len() as u32;
        vertices.push(point);
    }
    let corners = |outline: Vec<usize>| {
        outline.into_iter().filter(|&p| faces[p] >= 3).map(|p| index[p]).collect::<Vec<_>>()
    };
    let loops: Vec<_> = outlines.into_iter().map(corners).collect();
    if loops.iter().any(|l| l.len() < 3) {
        return Err(ShapeError::Degenerate);
    }
    Ok(Hull { vertices, loops })
}
