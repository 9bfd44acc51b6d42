//! Delaunay's triangulation of points, in the plane and in space, one point after the other (Bowyer 1981; Watson 1981), and the surface
//! that a ball cannot pass as it comes from outside.
//!
//! Points are moved by a part of 1e-7 of their extent before they are joined, so that no four lie on a circle and no five on a sphere:
//! which of several triangulations is found does not matter, and all who ask for one know the places of points themselves.

use drystone_space::{Matrix, Random, Space, Vector};

/// Points are moved by up to this share of their extent.
const SHAKEN: f64 = 1e-7;
/// The simplex around all points is so many times as large as they are.
const AROUND: f64 = 40.0;
/// In place of a neighbour that is not there.
const NOBODY: u32 = u32::MAX;

/// A triangle or tetrahedron, positively oriented.
#[derive(Clone, Copy, Debug)]
struct Simplex<S: Space> {
    /// Points by number; the plane has three.
    corners: [u32; 4],
    /// What lies across the facet opposite of each corner.
    beside: [u32; 4],
    centre: S::Vector,
    radius_squared: f64,
    /// When it was last looked at, and found to be in the way.
    mark: u32,
    exists: bool,
}

/// A facet of a surface: as many points as there are dimensions, seen from outside in the order of a positive turn.
pub type Facet = [u32; 3];

/// Scratch and result of a triangulation.
#[derive(Debug)]
pub struct Delaunay<S: Space> {
    /// Those of the simplex around all come last.
    points: Vec<S::Vector>,
    count: usize,
    simplices: Vec<Simplex<S>>,
    free: Vec<u32>,
    order: Vec<(u64, u32)>,
    last: u32,
    mark: u32,
    cavity: Vec<u32>,
    banned: Vec<u32>,
    /// Facets of the hole that a new point makes: simplex and corner.
    rim: Vec<(u32, usize)>,
    /// Facets of new simplices that meet each other: their other corners, simplex and corner.
    links: Vec<([u32; 2], u32, usize)>,
    stack: Vec<u32>,
    outside: Vec<bool>,
}

impl<S: Space> Default for Delaunay<S> {
    fn default() -> Self {
        Self {
            points: Vec::new(),
            count: 0,
            simplices: Vec::new(),
            free: Vec::new(),
            order: Vec::new(),
            last: 0,
            mark: 0,
            cavity: Vec::new(),
            banned: Vec::new(),
            rim: Vec::new(),
            links: Vec::new(),
            stack: Vec::new(),
            outside: Vec::new(),
        }
    }
}

/// D! times the measure of the simplex of these points, by their order.
fn oriented<S: Space>(points: [S::Vector; 4]) -> f64 {
    Matrix::<S>::from_fn(|i, j| (points[i + 1] - points[0]).get(j)).determinant()
}

/// The normal of a facet as long as it is large, outward where the order of its corners is that of a positive turn.
pub fn area<S: Space>(corners: [S::Vector; 3]) -> S::Vector {
    let half = 1.0 / (S::DIMENSION - 1) as f64;
    let edge = |row: usize| corners[row] - corners[0];
    S::Vector::from_fn(|k| {
        let rows = Matrix::<S>::from_fn(|i, j| match i {
            0 => f64::from(u8::from(j == k)),
            _ => edge(i).get(j),
        });
        rows.determinant() * half
    })
}

impl<S: Space> Delaunay<S> {
    /// Triangulates points.
    pub fn build(&mut self, points: impl Iterator<Item = S::Vector>) {
        self.points.clear();
        self.points.extend(points);
        self.count = self.points.len();
        self.simplices.clear();
        self.free.clear();
        (self.last, self.mark) = (0, 0);
        let Some(&first) = self.points.first() else { return };
        let ends = self.points.iter();
        let (low, high) =
            ends.fold((first, first), |(low, high), &at| (low.lowest(at), high.highest(at)));
        let extent = (high - low).norm().max(f64::MIN_POSITIVE);
        let mut random = Random::new(11, 0);
        for point in &mut self.points {
            *point += S::Vector::from_fn(|_| random.between(-SHAKEN, SHAKEN) * extent);
        }
        self.begin((low + high) * 0.5, extent);
        self.sort(low, extent);
        for index in 0..self.order.len() {
            self.insert(self.order[index].1);
        }
    }

    /// The simplex around all points.
    fn begin(&mut self, middle: S::Vector, extent: f64) {
        let far = AROUND * extent;
        self.points.push(middle - S::Vector::splat(far));
        for axis in 0..S::DIMENSION {
            let reach = (S::DIMENSION + 1) as f64 * far;
            self.points.push(middle - S::Vector::splat(far) + S::Vector::axis(axis) * reach);
        }
        let corners = std::array::from_fn(|i| match i <= S::DIMENSION {
            true => (self.count + i) as u32,
            false => NOBODY,
        });
        self.make(corners, [NOBODY; 4]);
    }

    /// Neighbours follow each other: rows of bins to and fro.
    fn sort(&mut self, low: S::Vector, extent: f64) {
        self.order.clear();
        let bins = drystone_space::math::powf(self.count as f64, 1.0 / S::DIMENSION as f64);
        let bins = (0.7 * bins).ceil().clamp(1.0, 1000.0);
        for (index, point) in self.points[..self.count].iter().enumerate() {
            let (mut key, mut back) = (0u64, false);
            for axis in (0..S::DIMENSION).rev() {
                let share = ((*point - low).get(axis) / extent).clamp(0.0, 1.0);
                let bin = (share * (bins - 1.0)).floor();
                let bin = if back { bins - 1.0 - bin } else { bin } as u64;
                key = key * 1024 + bin;
                back = bin.is_multiple_of(2) == back;
            }
            self.order.push((key, index as u32));
        }
        self.order.sort_unstable();
    }

    fn corner(&self, index: u32) -> S::Vector {
        self.points[index as usize]
    }

    fn places(&self, corners: [u32; 4]) -> [S::Vector; 4] {
        corners.map(|corner| if corner == NOBODY { S::Vector::ZERO } else { self.corner(corner) })
    }

    /// Makes a simplex, and returns its number.
    fn make(&mut self, corners: [u32; 4], beside: [u32; 4]) -> u32 {
        let places = self.places(corners);
        // 2 (xᵢ − x₀)·c = |xᵢ − x₀|², c from the first corner.
        let edges = Matrix::<S>::from_fn(|i, j| 2.0 * (places[i + 1] - places[0]).get(j));
        let right = S::Vector::from_fn(|i| (places[i + 1] - places[0]).norm_squared());
        let arm = edges.inverse().map_or(S::Vector::splat(f64::INFINITY), |m| m.apply(right));
        let simplex = Simplex {
            corners,
            beside,
            centre: places[0] + arm,
            radius_squared: arm.norm_squared(),
            mark: 0,
            exists: true,
        };
        match self.free.pop() {
            Some(index) => {
                self.simplices[index as usize] = simplex;
                index
            }
            None => {
                self.simplices.push(simplex);
                self.simplices.len() as u32 - 1
            }
        }
    }

    /// Whether a point lies on the other side of the facet opposite of a corner.
    fn is_beyond(&self, simplex: u32, corner: usize, point: u32) -> bool {
        let mut corners = self.simplices[simplex as usize].corners;
        corners[corner] = point;
        oriented::<S>(self.places(corners)) <= 0.0
    }

    /// The simplex in which a point lies.
    fn locate(&self, point: u32) -> u32 {
        let mut here = self.last;
        'walk: for _ in 0..self.simplices.len() {
            for corner in 0..=S::DIMENSION {
                let next = self.simplices[here as usize].beside[corner];
                if next != NOBODY && self.is_beyond(here, corner, point) {
                    here = next;
                    continue 'walk;
                }
            }
            break;
        }
        here
    }

    fn in_the_way(&self, simplex: u32, point: u32) -> bool {
        let Simplex { centre, radius_squared, .. } = self.simplices[simplex as usize];
        (self.corner(point) - centre).norm_squared() < radius_squared
    }

    fn insert(&mut self, point: u32) {
        let inside = self.locate(point);
        self.banned.clear();
        loop {
            self.find_cavity(inside, point);
            // What a new point does not see from its hole stays: rounding has put it into the way.
            let unseen = self.rim.iter().find(|&&(simplex, corner)| {
                simplex != inside && self.is_beyond(simplex, corner, point)
            });
            match unseen {
                Some(&(simplex, _)) => self.banned.push(simplex),
                None => break,
            }
        }
        self.fill_cavity(point);
    }

    /// All simplices whose circle or sphere holds a point, and the facets around them.
    fn find_cavity(&mut self, inside: u32, point: u32) {
        self.mark += 1;
        self.cavity.clear();
        self.rim.clear();
        self.simplices[inside as usize].mark = self.mark;
        self.cavity.push(inside);
        let mut next = 0;
        while let Some(&simplex) = self.cavity.get(next) {
            next += 1;
            for corner in 0..=S::DIMENSION {
                let other = self.simplices[simplex as usize].beside[corner];
                if other != NOBODY && self.simplices[other as usize].mark == self.mark {
                    continue;
                }
                let taken = other != NOBODY
                    && !self.banned.contains(&other)
                    && self.in_the_way(other, point);
                if taken {
                    self.simplices[other as usize].mark = self.mark;
                    self.cavity.push(other);
                } else {
                    self.rim.push((simplex, corner));
                }
            }
        }
        // A neighbour may have been taken after the facet to it was noted.
        let (simplices, mark) = (&self.simplices, self.mark);
        self.rim.retain(|&(simplex, corner)| {
            let other = simplices[simplex as usize].beside[corner];
            other == NOBODY || simplices[other as usize].mark != mark
        });
    }

    /// Joins a point with the facets around its hole.
    fn fill_cavity(&mut self, point: u32) {
        self.links.clear();
        for index in 0..self.rim.len() {
            let (simplex, corner) = self.rim[index];
            let Simplex { mut corners, beside, .. } = self.simplices[simplex as usize];
            corners[corner] = point;
            let mut around = [NOBODY; 4];
            around[corner] = beside[corner];
            let made = self.make(corners, around);
            if let Some(other) = self.simplices.get_mut(beside[corner] as usize) {
                let slot = (0..=S::DIMENSION).find(|&slot| other.beside[slot] == simplex);
                other.beside[slot.expect("neighbours know each other")] = made;
            }
            for slot in (0..=S::DIMENSION).filter(|&slot| slot != corner) {
                let mut key = [NOBODY; 2];
                let rest = (0..=S::DIMENSION).filter(|&i| i != slot && i != corner);
                rest.zip(&mut key).for_each(|(i, key)| *key = corners[i]);
                key.sort_unstable();
                self.links.push((key, made, slot));
            }
        }
        self.links.sort_unstable();
        for pair in self.links.chunks_exact(2) {
            let [(key, one, slot), (same, other, its)] = [pair[0], pair[1]];
            debug_assert_eq!(key, same);
            self.simplices[one as usize].beside[slot] = other;
            self.simplices[other as usize].beside[its] = one;
            self.last = one;
        }
        for &old in &self.cavity {
            self.simplices[old as usize].exists = false;
            self.free.push(old);
        }
    }

    /// Half the width of what can pass a facet: the radius of its circle.
    fn opening(&self, simplex: u32, corner: usize) -> f64 {
        let corners = self.simplices[simplex as usize].corners;
        let rest = (0..=S::DIMENSION).filter(|&i| i != corner);
        let mut places = [S::Vector::ZERO; 3];
        rest.zip(&mut places).for_each(|(i, place)| *place = self.corner(corners[i]));
        let [a, b, c] = places;
        if S::DIMENSION == 2 {
            return 0.5 * (b - a).norm();
        }
        let edges = (b - a).norm() * (c - b).norm() * (a - c).norm();
        edges / (4.0 * area::<S>(places).norm())
    }

    /// The surface that a ball of this radius, which passes between points, meets as it comes from outside.
    pub fn surface(&mut self, radius: f64, facets: &mut Vec<Facet>) {
        facets.clear();
        let of_frame = |simplex: &Simplex<S>| {
            simplex.corners[..=S::DIMENSION].iter().any(|&c| c as usize >= self.count)
        };
        self.outside.clear();
        self.outside.extend(self.simplices.iter().map(|s| s.exists && of_frame(s)));
        self.stack.clear();
        let outside = self.outside.iter().zip(0..);
        self.stack.extend(outside.filter(|(is, _)| **is).map(|(_, index)| index));
        while let Some(simplex) = self.stack.pop() {
            for corner in 0..=S::DIMENSION {
                let other = self.simplices[simplex as usize].beside[corner];
                if other != NOBODY
                    && !self.outside[other as usize]
                    && self.opening(simplex, corner) > radius
                {
                    self.outside[other as usize] = true;
                    self.stack.push(other);
                }
            }
        }
        for (index, simplex) in self.simplices.iter().enumerate() {
            if !simplex.exists || self.outside[index] {
                continue;
            }
            for corner in 0..=S::DIMENSION {
                let other = simplex.beside[corner];
                if other != NOBODY && !self.outside[other as usize] {
                    continue;
                }
                let mut facet = [NOBODY; 3];
                let rest = (0..=S::DIMENSION).filter(|&i| i != corner);
                rest.zip(&mut facet).for_each(|(i, place)| *place = simplex.corners[i]);
                if !corner.is_multiple_of(2) {
                    facet.swap(0, 1);
                }
                facets.push(facet);
            }
        }
        facets.sort_unstable();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_space::{DVec2, DVec3, Plane, Volume};

    /// Measure and total normal of a surface.
    fn measured<S: Space>(points: &[S::Vector], facets: &[Facet]) -> (f64, f64) {
        let (mut measure, mut normal) = (0.0, S::Vector::ZERO);
        for facet in facets {
            let places = facet.map(|c| points.get(c as usize).copied().unwrap_or_default());
            let part = area::<S>(places);
            normal += part;
            measure += part.dot(places[0]) / S::DIMENSION as f64;
        }
        (measure, normal.norm())
    }

    fn scattered<S: Space>(count: usize) -> Vec<S::Vector> {
        let mut random = Random::new(3, 0);
        (0..count).map(|_| S::Vector::from_fn(|_| random.between(0.0, 1.0))).collect()
    }

    /// No point lies in the circle or sphere of a simplex, and all together fill what a large ball does not enter.
    fn check<S: Space>(count: usize) {
        let points = scattered::<S>(count);
        let mut mesh = Delaunay::<S>::default();
        mesh.build(points.iter().copied());
        for simplex in mesh.simplices.iter().filter(|s| s.exists) {
            let free = |p: &S::Vector| {
                (*p - simplex.centre).norm_squared() > simplex.radius_squared * (1.0 - 1e-6)
            };
            assert!(mesh.points[..count].iter().all(free));
            assert!(oriented::<S>(mesh.places(simplex.corners)) > 0.0);
        }
        let mut facets = Vec::new();
        mesh.surface(1e9, &mut facets);
        let (all, open) = measured::<S>(&points, &facets);
        assert!(open < 1e-12 && all > 0.8 && all < 1.0, "{all} {open}");
        mesh.surface(0.2, &mut facets);
        let (less, open) = measured::<S>(&points, &facets);
        assert!(open < 1e-12 && less < all && less > 0.7 * all, "{less} {open}");
    }

    #[test]
    fn points_anywhere_in_the_plane() {
        check::<Plane>(400);
    }

    #[test]
    fn points_anywhere_in_space() {
        check::<Volume>(500);
    }

    /// Lattices, whose points lie on common circles and spheres: the square and the cube are found whole.
    #[test]
    fn lattices_have_their_measure() {
        let plane: Vec<DVec2> =
            (0..36).map(|i| DVec2::new((i % 6).into(), (i / 6).into())).collect();
        let mut facets = Vec::new();
        let mut mesh = Delaunay::<Plane>::default();
        mesh.build(plane.iter().copied());
        mesh.surface(0.9, &mut facets);
        let (found, open) = measured::<Plane>(&plane, &facets);
        assert!((found - 25.0).abs() < 1e-12 && open < 1e-12 && facets.len() == 20, "{found}");
        let at = |i: i32| DVec3::new((i % 5).into(), (i / 5 % 5).into(), (i / 25).into());
        let space: Vec<DVec3> = (0..125).map(at).collect();
        let mut mesh = Delaunay::<Volume>::default();
        mesh.build(space.iter().copied());
        mesh.surface(0.9, &mut facets);
        let (found, open) = measured::<Volume>(&space, &facets);
        assert!((found - 64.0).abs() < 1e-9 && open < 1e-12 && facets.len() == 192, "{found}");
    }

    /// A ball that fits into a bay goes into it.
    #[test]
    fn a_small_ball_goes_into_a_bay() {
        let at = |i: i32| DVec2::new((i % 9).into(), (i / 9).into());
        let bay = |p: &DVec2| !(p.x > 2.5 && p.x < 5.5 && p.y > 3.5);
        let points: Vec<DVec2> = (0..81).map(at).filter(bay).collect();
        let mut mesh = Delaunay::<Plane>::default();
        mesh.build(points.iter().copied());
        let mut facets = Vec::new();
        mesh.surface(1.0, &mut facets);
        // All of it but the two corners at its bottom, half a square each.
        let found = measured::<Plane>(&points, &facets).0;
        assert!((found - 45.0).abs() < 1e-12, "{found}");
        mesh.surface(3.0, &mut facets);
        assert!((measured::<Plane>(&points, &facets).0 - 64.0).abs() < 1e-12);
    }

    #[test]
    fn few_points_have_no_surface() {
        let mut mesh = Delaunay::<Plane>::default();
        let mut facets = vec![[0; 3]];
        for points in [vec![], vec![DVec2::X], vec![DVec2::X, DVec2::Y]] {
            mesh.build(points.into_iter());
            mesh.surface(1.0, &mut facets);
            assert!(facets.is_empty());
        }
    }
}
