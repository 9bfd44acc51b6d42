//! How grains moved between two moments: strain of the triangles between them, and what no uniform strain explains.

use crate::Sample;
use drystone_space::{DVec2, Plane, Space, Vector};
use spade::{DelaunayTriangulation, HasPosition, Point2, Triangulation};

/// A triangle of Delaunay's between three grains, and its strain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocalStrain {
    /// Grains at its corners.
    pub corners: [usize; 3],
    /// Its area before.
    pub area: f64,
    /// Strain of the area, positive in compression.
    pub volume: f64,
    /// Half the difference of the principal strains of the symmetric displacement gradient.
    pub shear: f64,
    /// Rotation, counter-clockwise.
    pub rotation: f64,
}

struct Corner {
    at: DVec2,
    grain: usize,
}

impl HasPosition for Corner {
    type Scalar = f64;
    fn position(&self) -> Point2<f64> {
        Point2::new(self.at.x, self.at.y)
    }
}

/// Strains of Delaunay's triangles between the grains of one moment, up to another of the same grains. Triangles with an edge
/// longer than `longest`, such as those at a concave rim, are left out, and in a periodic cell those across its faces.
pub fn local_strains(
    before: &Sample<Plane>,
    after: &Sample<Plane>,
    longest: f64,
) -> Vec<LocalStrain> {
    let mut mesh = DelaunayTriangulation::<Corner>::new();
    let common = before.grains.len().min(after.grains.len());
    for (grain, body) in before.grains[..common].iter().enumerate() {
        // Two grains in one place, or one that is nowhere, make no triangle.
        let _ = mesh.insert(Corner { at: body.position, grain });
    }
    let mut found = Vec::new();
    for face in mesh.inner_faces() {
        let corners = face.vertices().map(|vertex| vertex.data().grain);
        let old = corners.map(|grain| before.grains[grain].position);
        let new = corners.map(|grain| after.grains[grain].position);
        // Beside the first corner, whatever faces the others have gone through.
        let [new_a, new_b] = [1, 2].map(|corner| after.between(new[0], new[corner]));
        let [a, b] = [old[1] - old[0], old[2] - old[0]];
        let double = a.perp_dot(b);
        let edges = [a.length(), b.length(), (b - a).length()];
        if double <= 0.0 || edges.iter().any(|edge| *edge > longest) {
            continue;
        }
        // Displacement gradient: du = G dx along two edges.
        let [da, db] = [new_a - a, new_b - b];
        let along_x = (da * b.y - db * a.y) / double;
        let along_y = (db * a.x - da * b.x) / double;
        let (xx, xy, yx, yy) = (along_x.x, along_y.x, along_x.y, along_y.y);
        let half = 0.5 * (xx - yy);
        let skew = 0.5 * (xy + yx);
        found.push(LocalStrain {
            corners,
            area: 0.5 * double,
            volume: -(xx + yy),
            shear: (half * half + skew * skew).sqrt(),
            rotation: 0.5 * (yx - xy),
        });
    }
    found
}

/// Motion of a grain that the best uniform strain of its neighbourhood does not explain (Falk & Langer 1998).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NonAffine {
    /// D²: mean square of what is left, over its neighbours.
    pub square: f64,
    /// How many neighbours it had.
    pub neighbours: usize,
}

/// D² of every grain between two moments, over neighbours within a distance. Grains with fewer neighbours than dimensions and
/// one have none.
pub fn non_affine<S: Space>(before: &Sample<S>, after: &Sample<S>, within: f64) -> Vec<NonAffine> {
    let common = before.grains.len().min(after.grains.len());
    let place = |sample: &Sample<S>, grain: usize| sample.grains[grain].position;
    if before.cell.is_some() {
        let all = 0..common;
        let near = |grain: usize| {
            let arms = all.clone().filter(|&other| other != grain).map(|other| {
                let old = before.between(place(before, grain), place(before, other));
                (old, after.between(place(after, grain), place(after, other)))
            });
            arms.filter(|(old, _)| old.norm() <= within).collect::<Vec<_>>()
        };
        let found = all.clone().map(|grain| Some(near(grain)).filter(|a| a.len() > S::DIMENSION));
        return found
            .map(|arms| arms.map_or_else(NonAffine::default, |a| rest_of::<S>(&a)))
            .collect();
    }
    let mut order: Vec<usize> = (0..common).collect();
    let along = |grain: &usize| place(before, *grain).get(0);
    order.sort_by(|a, b| along(a).total_cmp(&along(b)));
    let mut found = vec![NonAffine::default(); common];
    for (rank, &grain) in order.iter().enumerate() {
        let here = place(before, grain);
        let near = |other: &&usize| (along(other) - here.get(0)).abs() <= within;
        let lower = order[..rank].iter().rev().take_while(near);
        let upper = order[rank + 1..].iter().take_while(near);
        let arms: Vec<(S::Vector, S::Vector)> = lower
            .chain(upper)
            .map(|&other| {
                let old = place(before, other) - here;
                (old, place(after, other) - place(after, grain))
            })
            .filter(|(old, _)| old.norm() <= within)
            .collect();
        if arms.len() > S::DIMENSION {
            found[grain] = rest_of::<S>(&arms);
        }
    }
    found
}

/// The least mean square of new − F old over all F: row by row a least-squares problem.
fn rest_of<S: Space>(arms: &[(S::Vector, S::Vector)]) -> NonAffine {
    let n = S::DIMENSION;
    let (mut normal, mut mixed) = ([[0.0f64; 3]; 3], [[0.0f64; 3]; 3]);
    for (old, new) in arms {
        for i in 0..n {
            for j in 0..n {
                normal[i][j] += old.get(i) * old.get(j);
                mixed[i][j] += new.get(i) * old.get(j);
            }
        }
    }
    // F = mixed · normal⁻¹, by elimination on the rows of the symmetric system normal Fᵀ = mixedᵀ.
    let mut system = [[0.0f64; 6]; 3];
    for i in 0..n {
        for j in 0..n {
            system[i][j] = normal[i][j];
            system[i][n + j] = mixed[j][i];
        }
    }
    for pivot in 0..n {
        if system[pivot][pivot] <= 0.0 {
            return NonAffine { square: 0.0, neighbours: arms.len() };
        }
        for row in (0..n).filter(|&row| row != pivot) {
            let factor = system[row][pivot] / system[pivot][pivot];
            for column in 0..2 * n {
                let above = system[pivot][column];
                system[row][column] -= factor * above;
            }
        }
    }
    let gradient = |i: usize, j: usize| system[j][n + i] / system[j][j];
    let rest = |(old, new): &(S::Vector, S::Vector)| {
        let moved = S::Vector::from_fn(|i| (0..n).map(|j| gradient(i, j) * old.get(j)).sum());
        (*new - moved).norm_squared()
    };
    let square = arms.iter().map(rest).sum::<f64>() / arms.len() as f64;
    NonAffine { square, neighbours: arms.len() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::tests::lattice;
    use crate::{Grain, Sample};
    use drystone_space::{DVec3, Random};

    fn plane(points: &[DVec2]) -> Sample<Plane> {
        let grain = |&position: &DVec2| Grain {
            position,
            radius: 0.1,
            measure: 0.1,
            mass: 0.1,
            birth: 0.0,
            velocity: DVec2::ZERO,
        };
        Sample { grains: points.iter().map(grain).collect(), ..Sample::default() }
    }

    /// A uniform strain is found in every triangle, and the triangles fill the square.
    #[test]
    fn a_uniform_strain_is_that_of_each_triangle() {
        let mut random = Random::new(4, 0);
        let mut points = vec![DVec2::ZERO, DVec2::X, DVec2::Y, DVec2::ONE];
        points.extend((0..100).map(|_| DVec2::new(random.unit(), random.unit())));
        let moved: Vec<DVec2> =
            points.iter().map(|p| DVec2::new(0.9 * p.x + 0.02 * p.y, 1.05 * p.y)).collect();
        let found = local_strains(&plane(&points), &plane(&moved), 10.0);
        let area: f64 = found.iter().map(|t| t.area).sum();
        assert!((area - 1.0).abs() < 1e-12, "{area}");
        let shear = (0.075f64 * 0.075 + 0.01 * 0.01).sqrt();
        for triangle in &found {
            assert!((triangle.volume - 0.05).abs() < 1e-9);
            assert!(
                (triangle.shear - shear).abs() < 1e-9 && (triangle.rotation + 0.01).abs() < 1e-9
            );
        }
        assert!(local_strains(&plane(&points), &plane(&moved), 1e-6).is_empty());
    }

    /// Nothing is left of a uniform strain; a grain that is moved by itself is seen, by itself most.
    #[test]
    fn what_is_not_uniform_is_left() {
        let before = lattice([6, 6, 6], 0.5, DVec3::ONE);
        let mut after = before.clone();
        for grain in &mut after.grains {
            let p = grain.position;
            grain.position = DVec3::new(1.1 * p.x + 0.1 * p.z, p.y, 0.95 * p.z);
        }
        let found = non_affine(&before, &after, 1.8);
        assert!(found.iter().all(|d| d.square < 1e-24 && d.neighbours >= 7));
        after.grains[86].position += DVec3::new(0.2, 0.0, 0.0);
        let found = non_affine(&before, &after, 1.8);
        let most = found.iter().map(|d| d.square).fold(0.0, f64::max);
        assert!((most - 0.04).abs() < 1e-12 && (found[86].square - 0.04).abs() < 1e-12, "{most}");
    }
}
