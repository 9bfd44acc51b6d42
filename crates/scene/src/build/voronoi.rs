//! Bodies that fill a region: the cells of random points (Voronoi's), parted by gaps.
//!
//! A cell is the region, cut by the planes halfway to its neighbours, half a gap nearer. Neighbours come shell by shell of a
//! grid, until the next shell is too far to cut anything.

use super::Builder;
use super::dimension::{SceneSpace, vector_or_zero};
use super::generate::Group;
use crate::format::Voronoi;
use crate::report::Draft;
use drystone_detect::plane::{PlaneShape, Polygon};
use drystone_detect::volume::{Polyhedron, VolumeShape};
use drystone_detect::{Geometry, ShapeError};
use drystone_space::{DVec2, DVec3, Plane, Pose, Vector, Volume, math};

/// Sides of the polygon, and faces of the polyhedron, that a round region is. With those of the box around it the
/// polyhedron has no more corners than a shape may have, so that one cell can be all of it.
const FACETS: [usize; 2] = [64, 120];

/// A convex cell that can be cut.
pub(crate) trait Cells: Geometry {
    /// What a cell is while it is cut.
    type Cell;
    /// A box.
    fn whole(low: Self::Vector, high: Self::Vector) -> Self::Cell;
    /// Takes away what lies beyond the plane.
    fn cut(cell: &mut Self::Cell, normal: Self::Vector, offset: f64);
    /// Largest distance of a corner from a point; nothing if the cell is empty.
    fn reach(cell: &Self::Cell, from: Self::Vector) -> Option<f64>;
    /// Directions that are spread evenly.
    fn directions() -> Vec<Self::Vector>;
    /// The cell as a shape.
    fn as_shape(cell: &Self::Cell) -> Result<Self::Shape, ShapeError>;
}

/// A convex outline cut by the half-space normal · x ≤ offset.
fn clipped<V: Vector>(outline: &[V], normal: V, offset: f64, new: &mut Vec<V>) -> Vec<V> {
    let mut kept = Vec::with_capacity(outline.len() + 1);
    for (index, &a) in outline.iter().enumerate() {
        let b = outline[(index + 1) % outline.len()];
        let (depth_a, depth_b) = (normal.dot(a) - offset, normal.dot(b) - offset);
        if depth_a <= 0.0 {
            kept.push(a);
        }
        if (depth_a < 0.0 && depth_b > 0.0) || (depth_a > 0.0 && depth_b < 0.0) {
            // From the inner end, so that both faces at an edge find the same bits.
            let (inner, outer, part) = match depth_a < 0.0 {
                true => (a, b, depth_a / (depth_a - depth_b)),
                false => (b, a, depth_b / (depth_b - depth_a)),
            };
            let point = inner + (outer - inner) * part;
            kept.push(point);
            new.push(point);
        } else if depth_a == 0.0 {
            new.push(a);
        }
    }
    kept
}

fn farthest<'a, V: Vector>(points: impl Iterator<Item = &'a V>, from: V) -> Option<f64> {
    points.map(|&point| (point - from).norm()).reduce(f64::max)
}

/// Corners that differ: rounding leaves some of them twice.
fn apart<V: Vector>(points: impl Iterator<Item = V> + Clone) -> Vec<V> {
    let size = points.clone().map(|p| p.norm()).fold(0.0, f64::max);
    let mut kept: Vec<V> = Vec::new();
    for point in points {
        if kept.iter().all(|other| (*other - point).norm() > 1e-7 * size) {
            kept.push(point);
        }
    }
    kept
}

impl Cells for Plane {
    type Cell = Vec<DVec2>;

    fn whole(low: DVec2, high: DVec2) -> Vec<DVec2> {
        vec![low, DVec2::new(high.x, low.y), high, DVec2::new(low.x, high.y)]
    }
    fn cut(cell: &mut Vec<DVec2>, normal: DVec2, offset: f64) {
        *cell = clipped(cell, normal, offset, &mut Vec::new());
    }
    fn directions() -> Vec<DVec2> {
        let turn = std::f64::consts::TAU / FACETS[0] as f64;
        (0..FACETS[0]).map(|i| math::direction(turn * i as f64)).collect()
    }
    fn reach(cell: &Vec<DVec2>, from: DVec2) -> Option<f64> {
        farthest(cell.iter(), from)
    }
    fn as_shape(cell: &Vec<DVec2>) -> Result<PlaneShape, ShapeError> {
        let centre = cell.iter().sum::<DVec2>() / cell.len().max(1) as f64;
        let corners = apart(cell.iter().map(|&corner| corner - centre));
        let corners: Vec<DVec2> = corners.iter().map(|&corner| corner + centre).collect();
        Polygon::new(&corners).map(PlaneShape::Polygon)
    }
}

impl Cells for Volume {
    /// Faces, each an outline.
    type Cell = Vec<Vec<DVec3>>;

    fn whole(low: DVec3, high: DVec3) -> Self::Cell {
        let corner = |bits: usize| {
            DVec3::from_fn(|i| if bits >> i & 1 == 1 { high.get(i) } else { low.get(i) })
        };
        let faces =
            [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        faces.map(|face| face.map(corner).to_vec()).to_vec()
    }
    fn cut(cell: &mut Self::Cell, normal: DVec3, offset: f64) {
        let mut rim = Vec::new();
        for face in cell.iter_mut() {
            *face = clipped(face, normal, offset, &mut rim);
        }
        cell.retain(|face| face.len() >= 3);
        if rim.len() < 3 {
            return;
        }
        // The new face: its corners in order about their middle.
        let middle = rim.iter().sum::<DVec3>() / rim.len() as f64;
        let across = normal.any_orthonormal_vector();
        let other = normal.cross(across);
        let angle = |p: &DVec3| math::atan2((*p - middle).dot(other), (*p - middle).dot(across));
        rim.sort_by(|a, b| angle(a).total_cmp(&angle(b)));
        cell.push(rim);
    }
    /// On a spiral, at equal steps of height (Fibonacci's lattice).
    fn directions() -> Vec<DVec3> {
        let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
        let on_spiral = |i: usize| {
            let z = 1.0 - (2.0 * i as f64 + 1.0) / FACETS[1] as f64;
            let flat = math::direction(golden * i as f64) * (1.0 - z * z).sqrt();
            flat.extend(z)
        };
        (0..FACETS[1]).map(on_spiral).collect()
    }
    fn reach(cell: &Self::Cell, from: DVec3) -> Option<f64> {
        farthest(cell.iter().flatten(), from)
    }
    fn as_shape(cell: &Self::Cell) -> Result<VolumeShape, ShapeError> {
        let all = || cell.iter().flatten();
        let middle = all().sum::<DVec3>() / all().count().max(1) as f64;
        let corners = apart(all().map(|&corner| corner - middle));
        let corners: Vec<DVec3> = corners.iter().map(|&corner| corner + middle).collect();
        Polyhedron::hull(&corners).map(VolumeShape::Polyhedron)
    }
}

/// Points in a grid of cubes.
struct Grid<'a, V> {
    points: &'a [V],
    low: V,
    size: f64,
    counts: [usize; 3],
    members: Vec<Vec<u32>>,
}

impl<'a, V: Vector> Grid<'a, V> {
    fn new(points: &'a [V], low: V, high: V) -> Self {
        let measure: f64 = (0..V::LENGTH).map(|i| (high - low).get(i)).product();
        let size = math::powf(2.0 * measure / points.len() as f64, 1.0 / V::LENGTH as f64);
        let counts = std::array::from_fn(|i| match i < V::LENGTH {
            true => (((high - low).get(i) / size) as usize + 1).min(points.len() + 1),
            false => 1,
        });
        let mut grid = Self { points, low, size, counts, members: Vec::new() };
        grid.members = vec![Vec::new(); counts.iter().product()];
        for (index, &point) in points.iter().enumerate() {
            let [x, y, z] = grid.place(point);
            grid.members[(z * counts[1] + y) * counts[0] + x].push(index as u32);
        }
        grid
    }
    fn place(&self, point: V) -> [usize; 3] {
        std::array::from_fn(|i| match i < V::LENGTH {
            true => (((point - self.low).get(i) / self.size) as usize).min(self.counts[i] - 1),
            false => 0,
        })
    }
    /// Points of the cubes that are so many away, the nearest first; `None` beyond the grid.
    fn shell(&self, from: V, distance: usize) -> Option<Vec<(f64, usize)>> {
        let centre = self.place(from);
        let range = |i: usize| {
            let low = centre[i].saturating_sub(distance);
            low..=(centre[i] + distance).min(self.counts[i] - 1)
        };
        if distance > *self.counts.iter().max()? {
            return None;
        }
        let mut found = Vec::new();
        for z in range(2) {
            for y in range(1) {
                for x in range(0) {
                    let away = [x, y, z].iter().zip(centre).map(|(&a, b)| a.abs_diff(b)).max();
                    if away == Some(distance) {
                        let cube = (z * self.counts[1] + y) * self.counts[0] + x;
                        found.extend(self.members[cube].iter().map(|&index| index as usize));
                    }
                }
            }
        }
        let mut found: Vec<(f64, usize)> =
            found.into_iter().map(|index| ((self.points[index] - from).norm(), index)).collect();
        found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        Some(found)
    }
}

/// The ball in the middle of a box: its centre and radius.
fn ball<V: Vector>(low: V, high: V) -> (V, f64) {
    let size = high - low;
    ((low + high) * 0.5, (0..V::LENGTH).map(|i| 0.5 * size.get(i)).fold(f64::INFINITY, f64::min))
}

/// The cell of each point in a box, or in the ball in its middle, half a gap away from its faces.
fn cells<S: Cells>(
    points: &[S::Vector],
    (low, high): (S::Vector, S::Vector),
    round: bool,
    gap: f64,
) -> Vec<S::Cell> {
    let (centre, radius) = ball(low, high);
    let facets = if round { S::directions() } else { Vec::new() };
    let grid = Grid::new(points, low, high);
    let margin = S::Vector::splat(0.5 * gap);
    let cell = |(own, &point): (usize, &S::Vector)| {
        let mut cell = S::whole(low + margin, high - margin);
        for &facet in &facets {
            S::cut(&mut cell, facet, facet.dot(centre) + radius - 0.5 * gap);
        }
        let mut shell = 0;
        while let Some(near) = grid.shell(point, shell) {
            for (distance, index) in near {
                let Some(reach) = S::reach(&cell, point) else { break };
                if index == own || distance - gap > 2.0 * reach || distance == 0.0 {
                    continue;
                }
                let normal = (points[index] - point) / distance;
                let offset = normal.dot(point) + 0.5 * (distance - gap);
                S::cut(&mut cell, normal, offset);
            }
            let enough =
                S::reach(&cell, point).is_none_or(|r| shell as f64 * grid.size - gap > 2.0 * r);
            if enough {
                break;
            }
            shell += 1;
        }
        cell
    };
    points.iter().enumerate().map(cell).collect()
}

impl<S: SceneSpace> Builder<'_, S> {
    /// Cells of random points, each a body.
    pub(super) fn voronoi(&mut self, table: &Voronoi, mut group: Group) -> Option<()> {
        let material = self.materials.find(&table.material, self.problems);
        let (low, high) = self.region(&table.region)?;
        if !self.room(table.count.get(), table.count.span) {
            return None;
        }
        if (0..S::DIMENSION).any(|i| low.get(i) >= high.get(i)) {
            let draft = Draft::error(table.region.span, "region without extent");
            self.problems.push(draft.expected("corners that differ in every direction"));
            return None;
        }
        let material = material?;
        self.simple(S::round(1.0), material, table.material.span)?;
        let mut random = self.random(&table.seed);
        let round = table.round.unwrap_or(false);
        let (centre, radius) = ball(low, high);
        let mut place = || loop {
            let place = S::Vector::from_fn(|i| random.between(low.get(i), high.get(i)));
            if !round || (place - centre).norm() < radius {
                break place;
            }
        };
        let mut points: Vec<S::Vector> = (0..table.count.get()).map(|_| place()).collect();
        for _ in 0..table.relax.as_ref().map_or(0, |times| times.value) {
            for (index, cell) in cells::<S>(&points, (low, high), round, 0.0).iter().enumerate() {
                if let Some(solid) = S::as_shape(cell).ok().and_then(|shape| S::solid(&shape)) {
                    points[index] = solid.centre;
                }
            }
        }
        let gap = table.gap.as_ref().map_or(0.0, |n| n.value);
        let velocity = vector_or_zero::<S, _, _>(&table.velocity);
        group.origin.velocity = table.velocity.as_ref().map(|v| v.span);
        for cell in cells::<S>(&points, (low, high), round, gap) {
            let Ok(shape) = S::as_shape(&cell) else {
                let span = table.gap.as_ref().map_or(table.span, |gap| gap.span);
                let draft = Draft::error(span, "cell of which nothing is left");
                let draft = draft.found(format!("a gap of {gap} m between {} cells", points.len()));
                self.problems.push(draft.expected("a smaller `gap`, fewer cells, or `relax`"));
                return None;
            };
            let body = self.simple(shape, material, table.material.span)?;
            self.member(body, &Pose::IDENTITY, velocity, &mut group);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_space::Random;

    /// Cells fill the box, whatever their number, and gaps take what they should from two of them.
    #[test]
    fn cells_fill_the_region() {
        let mut random = Random::new(7, 0);
        for count in [1, 2, 3, 10, 200] {
            let flat: Vec<DVec2> =
                (0..count).map(|_| DVec2::new(random.between(0.0, 3.0), random.unit())).collect();
            let (low, high) = (DVec2::ZERO, DVec2::new(3.0, 1.0));
            let areas = cells::<Plane>(&flat, (low, high), false, 0.0);
            let area: f64 = areas
                .iter()
                .map(|c| Plane::solid(&Plane::as_shape(c).unwrap()).unwrap().measure)
                .sum();
            assert!((area - 3.0).abs() < 1e-6, "{count}: {area}");
            let deep: Vec<DVec3> = (0..count)
                .map(|_| DVec3::new(random.between(0.0, 2.0), random.unit(), random.unit()))
                .collect();
            let volumes =
                cells::<Volume>(&deep, (DVec3::ZERO, DVec3::new(2.0, 1.0, 1.0)), false, 0.0);
            let volume: f64 = volumes
                .iter()
                .map(|c| Volume::solid(&Volume::as_shape(c).unwrap()).unwrap().measure)
                .sum();
            assert!((volume - 2.0).abs() < 1e-5, "{count}: {volume}");
        }
        let two = [DVec2::new(0.5, 0.5), DVec2::new(1.5, 0.5)];
        let halves = cells::<Plane>(&two, (DVec2::ZERO, DVec2::new(2.0, 1.0)), false, 0.1);
        let area = |cell| Plane::solid(&Plane::as_shape(cell).unwrap()).unwrap().measure;
        assert!((area(&halves[0]) - 0.9 * 0.9).abs() < 1e-12, "{}", area(&halves[0]));
    }

    /// Cells of a round region fill the polygon and the polyhedron that it is.
    #[test]
    fn round_regions_are_filled() {
        let mut random = Random::new(3, 0);
        let flat: Vec<DVec2> =
            (0..50).map(|_| math::direction(random.between(0.0, 6.0)) * random.unit()).collect();
        let (low, high) = (DVec2::splat(-1.0), DVec2::splat(1.0));
        let areas = cells::<Plane>(&flat, (low, high), true, 0.0);
        let area: f64 =
            areas.iter().map(|c| Plane::solid(&Plane::as_shape(c).unwrap()).unwrap().measure).sum();
        let facet = std::f64::consts::PI / FACETS[0] as f64;
        assert!((area - FACETS[0] as f64 * facet.tan()).abs() < 1e-6, "{area}");
        let whole = cells::<Volume>(&[DVec3::ZERO], (DVec3::splat(-1.0), DVec3::ONE), true, 0.0);
        let volume = Volume::solid(&Volume::as_shape(&whole[0]).unwrap()).unwrap().measure;
        let ball = 4.0 / 3.0 * std::f64::consts::PI;
        assert!(volume > ball && volume < 1.03 * ball, "{volume}");
    }
}
