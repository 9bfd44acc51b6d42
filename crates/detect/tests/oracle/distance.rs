//! The signed distance of two convex bodies, with bounds on both sides.
//!
//! Bodies are hulls of points grown by a radius; the plane is z = 0. With D the Minkowski difference of the hulls, the signed
//! distance is the largest over unit vectors n of min n·d, d ∈ D: so each n gives a lower bound, checked against
//! all points. In overlap the largest is at the normal of a face of D: a face of either body or two edges, one of each, and
//! all of them are tried, none is ruled out beforehand. Apart it is the norm of the point of D nearest to the origin: any point
//! of D gives an upper bound, and simplices of points of D are followed to the nearest one (Wolfe 1976; Gilbert, Johnson &
//! Keerthi 1988). Where both bounds agree, neither search needs to be trusted.

use drystone_space::DVec3;

/// A convex body in world axes.
pub struct Body {
    pub points: Vec<DVec3>,
    pub edges: Vec<[usize; 2]>,
    /// Three points of each face.
    pub faces: Vec<[usize; 3]>,
    pub radius: f64,
    /// Normal and offset of a half-space, which has nothing else.
    pub half: Option<(DVec3, f64)>,
    pub in_plane: bool,
}

/// What the oracle says of two bodies.
#[derive(Clone, Copy, Debug)]
pub struct Signed {
    pub low: f64,
    pub high: f64,
    /// Direction toward the first along which the bodies are `low` apart.
    pub normal: DVec3,
}

impl Signed {
    fn of(low: f64, high: f64, normal: DVec3) -> Self {
        Self { low, high, normal }
    }
}

impl Body {
    /// The diagonal of the box around it; infinite for half-spaces.
    pub fn size(&self) -> f64 {
        if self.half.is_some() {
            return f64::INFINITY;
        }
        let fold = |f: fn(DVec3, DVec3) -> DVec3| self.points.iter().copied().reduce(f).unwrap();
        fold(DVec3::max).distance(fold(DVec3::min)) + 2.0 * self.radius
    }
    pub fn centre(&self) -> DVec3 {
        self.points.iter().sum::<DVec3>() / self.points.len().max(1) as f64
    }
    fn lowest(&self, n: DVec3) -> (usize, f64) {
        let mut best = (0, f64::INFINITY);
        for (i, point) in self.points.iter().enumerate() {
            let height = n.dot(*point);
            if height < best.1 {
                best = (i, height);
            }
        }
        best
    }
    fn edge(&self, [i, j]: [usize; 2]) -> DVec3 {
        self.points[j] - self.points[i]
    }
    /// From the foot of a point on a face to the point, if the foot is in the body.
    fn over(&self, face: &[usize; 3], point: DVec3) -> Option<DVec3> {
        let normal = self.normal(face)?;
        let arm = normal * normal.dot(point - self.points[face[0]]);
        let foot = point - arm;
        // The body is on one side of each of its faces, the one on which its centre is.
        let centre = self.centre();
        let inside = |other: &[usize; 3]| {
            let (n, corner) = (self.normal(other).unwrap_or(DVec3::ZERO), self.points[other[0]]);
            n.dot(foot - corner) * n.dot(centre - corner).signum() >= -1e-15 * self.size()
        };
        // A triangle by itself is on no side of its face: its edges bound it.
        if self.faces.len() == 1 && !self.in_plane {
            let within = |&edge: &[usize; 2]| {
                let outward = self.edge(edge).cross(normal);
                let (side, middle) = (
                    outward.dot(foot - self.points[edge[0]]),
                    outward.dot(centre - self.points[edge[0]]),
                );
                side * middle.signum() >= -1e-15 * self.size() * outward.length()
            };
            return self.edges.iter().all(within).then_some(arm);
        }
        self.faces.iter().all(inside).then_some(arm)
    }
    /// A normal of a face, to either side.
    fn normal(&self, &[i, j, k]: &[usize; 3]) -> Option<DVec3> {
        let sides = [self.edge([i, j]), self.edge([j, k]), self.edge([k, i])];
        // The two longest sides: the normal is as exact as it can be.
        let shortest = (0..3)
            .min_by(|&x, &y| sides[x].length_squared().total_cmp(&sides[y].length_squared()))
            .unwrap();
        normal_of(sides[(shortest + 1) % 3], sides[(shortest + 2) % 3])
    }
    /// The smallest sine of half an angle between two edges at one corner, 1 without edges.
    pub fn sharpest(&self) -> f64 {
        let mut least: f64 = 1.0;
        for (i, &[a, b]) in self.edges.iter().enumerate() {
            for &[c, d] in &self.edges[..i] {
                let away = [(a, b, c, d), (b, a, c, d), (a, b, d, c), (b, a, d, c)];
                for (tip, end, other_tip, other_end) in away {
                    if tip == other_tip {
                        let [u, v] =
                            [[tip, end], [tip, other_end]].map(|e| self.edge(e).normalize());
                        least = least.min(0.5 * (u - v).length());
                    }
                }
            }
        }
        least
    }
    /// How far a point is outside: of a body with sides, beyond the plane of any of them. Where these make a sharp corner, the
    /// body may be farther away than each of its sides.
    pub fn outside(&self, point: DVec3) -> f64 {
        if let Some((normal, offset)) = self.half {
            return normal.dot(point) - offset;
        }
        let at = Body {
            points: vec![point],
            edges: vec![],
            faces: vec![],
            radius: 0.0,
            half: None,
            in_plane: self.in_plane,
        };
        if self.radius == 0.0 && self.edges.len() > 1 {
            let sides = face_normals(self).flat_map(|n| [n, -n]);
            return sides.map(|n| separation(&at, self, n)).fold(f64::NEG_INFINITY, f64::max);
        }
        signed_distance(&at, self).high
    }
}

/// Separation along `n`, which points toward the first body.
pub fn separation(a: &Body, b: &Body, n: DVec3) -> f64 {
    match (a.half, b.half) {
        (None, None) => a.lowest(n).1 + b.lowest(-n).1 - a.radius - b.radius,
        // Along any other direction a half-space has no end.
        (Some((m, offset)), None) if n.dot(m) < -1.0 + 1e-14 => b.lowest(-n).1 - offset - b.radius,
        (None, Some((m, offset))) if n.dot(m) > 1.0 - 1e-14 => a.lowest(n).1 - offset - a.radius,
        _ => f64::NEG_INFINITY,
    }
}

/// The signed distance, `normal` toward the first.
pub fn signed_distance(a: &Body, b: &Body) -> Signed {
    match (a.half, b.half) {
        (None, Some((normal, offset))) => {
            let height = a.lowest(normal).1 - offset - a.radius;
            return Signed::of(height, height, normal);
        }
        (Some((normal, offset)), None) => {
            let height = b.lowest(normal).1 - offset - b.radius;
            return Signed::of(height, height, -normal);
        }
        _ => {}
    }
    let radii = a.radius + b.radius;
    let (nearest, simplex) = nearest(a, b);
    let mut best = Signed::of(f64::NEG_INFINITY, nearest.length(), DVec3::Z);
    for n in face_normals(a).chain(face_normals(b)).chain(edge_normals(a, b)) {
        attempt(a, b, &mut best, n);
        attempt(a, b, &mut best, -n);
    }
    for n in toward(nearest, &simplex).into_iter().filter(|n| !a.in_plane || n.z == 0.0) {
        attempt(a, b, &mut best, n);
    }
    let sizes = a.size() + b.size();
    if best.high - best.low > 1e-13 * sizes && best.low > -1e-13 * sizes {
        let arm = shortest_arm(a, b);
        best.high = best.high.min(arm.length());
        // Of a short arm rounding leaves little: what is left may be at right angles to an edge.
        let arms = [arm, nearest];
        let edges = a.edges.iter().map(|&e| a.edge(e)).chain(b.edges.iter().map(|&e| b.edge(e)));
        for n in arms.into_iter().filter_map(DVec3::try_normalize) {
            attempt(a, b, &mut best, n);
            edges
                .clone()
                .filter_map(|edge| across(n, edge))
                .for_each(|n| attempt(a, b, &mut best, n));
        }
    }
    let solid = !a.faces.is_empty()
        || !b.faces.is_empty()
        || a.in_plane && a.edges.len() + b.edges.len() > 1;
    if solid && best.low <= 0.0 {
        // Nothing separates: the faces of D decide, all of which were tried.
        best.high = best.low;
    } else if !solid && best.high <= 1e-12 * sizes {
        // D is flat: there is no depth but the radii.
        best.low = best.high;
        best.normal = any_normal(a, b);
    }
    Signed::of(best.low - radii, best.high - radii, best.normal)
}

fn attempt(a: &Body, b: &Body, best: &mut Signed, n: DVec3) {
    let low = a.lowest(n).1 + b.lowest(-n).1;
    if low > best.low {
        (best.low, best.normal) = (low, n);
    }
}

/// The part of a direction at right angles to an edge, without rounding along it.
fn across(n: DVec3, edge: DVec3) -> Option<DVec3> {
    let u = edge.try_normalize()?;
    let n = (n - u * n.dot(u)).try_normalize()?;
    (n - u * n.dot(u)).try_normalize()
}

/// Without rounding along the first edge, which matters where the two are nearly parallel: n is right to ε/sine across, which
/// changes the height of the thin face little, and to ε along.
fn normal_of(u: DVec3, v: DVec3) -> Option<DVec3> {
    let (u, v) = if u.length_squared() < v.length_squared() { (v, u) } else { (u, v) };
    let u = u.try_normalize()?;
    across(u.cross(v.try_normalize()?).try_normalize()?, u)
}

fn face_normals(body: &Body) -> impl Iterator<Item = DVec3> + '_ {
    let of_edge = |&edge: &[usize; 2]| body.edge(edge).cross(DVec3::Z).try_normalize();
    let edges = if body.in_plane { &body.edges[..] } else { &[] };
    body.faces.iter().filter_map(|face| body.normal(face)).chain(edges.iter().filter_map(of_edge))
}

fn edge_normals<'a>(a: &'a Body, b: &'a Body) -> impl Iterator<Item = DVec3> + 'a {
    let edges = if a.in_plane { &[] } else { &a.edges[..] };
    edges
        .iter()
        .flat_map(move |&e| b.edges.iter().filter_map(move |&f| normal_of(a.edge(e), b.edge(f))))
}

/// A direction across both axes, for cores that meet.
fn any_normal(a: &Body, b: &Body) -> DVec3 {
    let along = |body: &Body| body.edges.first().map_or(DVec3::ZERO, |&e| body.edge(e));
    if a.in_plane {
        let edge = if a.edges.is_empty() { along(b) } else { along(a) };
        return edge.cross(DVec3::Z).try_normalize().unwrap_or(DVec3::Y);
    }
    let (u, v) = (along(a), along(b));
    let longer = if u.length() > v.length() { u } else { v };
    let other = longer.try_normalize().map_or(DVec3::Z, |d| d.any_orthonormal_vector());
    normal_of(u, v).unwrap_or(other)
}

/// Directions from which the nearest point may be seen: itself, and at right angles to its simplex.
fn toward(nearest: DVec3, simplex: &[DVec3]) -> Vec<DVec3> {
    let mut found: Vec<_> = nearest.try_normalize().into_iter().collect();
    match *simplex {
        [p, q] => {
            found.extend(nearest.try_normalize().and_then(|n| across(n, q - p)));
        }
        [p, q, r] => found.extend(normal_of(q - p, r - p).into_iter().flat_map(|n| [n, -n])),
        _ => {}
    }
    found
}

/// The point of D nearest to the origin, and the points that it lies between.
fn nearest(a: &Body, b: &Body) -> (DVec3, Vec<DVec3>) {
    let mut simplex = vec![a.points[0] - b.points[0]];
    let mut nearest = simplex[0];
    for _ in 0..200 {
        let (i, j) = (a.lowest(nearest).0, b.lowest(-nearest).0);
        let next = a.points[i] - b.points[j];
        if nearest.dot(next) >= nearest.length_squared() || simplex.contains(&next) {
            break;
        }
        let mut larger = simplex.clone();
        larger.push(next);
        let (point, part) = nearest_of_simplex(&larger);
        if point.length_squared() >= nearest.length_squared() {
            break;
        }
        (nearest, simplex) = (point, part);
        if simplex.len() == 4 {
            break;
        }
    }
    (nearest, simplex)
}

/// The nearest of all parts of a simplex of up to four points; each is a mean of points with weights that are not negative.
fn nearest_of_simplex(points: &[DVec3]) -> (DVec3, Vec<DVec3>) {
    let mut best: (DVec3, Vec<DVec3>) = (DVec3::INFINITY, vec![]);
    for subset in 1_u32..1 << points.len() {
        let part: Vec<_> =
            (0..points.len()).filter(|i| subset >> i & 1 == 1).map(|i| points[i]).collect();
        let Some(weights) = weights(&part) else { continue };
        let total: f64 = weights[..part.len()].iter().sum();
        if !weights[..part.len()].iter().all(|&w| w >= 0.0) || total <= 0.0 {
            continue;
        }
        let point = part.iter().zip(weights).map(|(&p, w)| p * (w / total)).sum::<DVec3>();
        if best.1.is_empty() || point.length_squared() < best.0.length_squared() {
            best = (point, part);
        }
    }
    best
}

/// Weights of the foot of the origin on the flat through up to four points.
fn weights(part: &[DVec3]) -> Option<[f64; 4]> {
    match *part {
        [_] => Some([1.0, 0.0, 0.0, 0.0]),
        [p, q] => {
            let u = q - p;
            let t = -p.dot(u);
            (u.length_squared() > 0.0).then(|| [u.length_squared() - t, t, 0.0, 0.0])
        }
        [p, q, r] => {
            let n = (q - p).cross(r - p);
            Some([n.dot(q.cross(r)), n.dot(r.cross(p)), n.dot(p.cross(q)), 0.0])
        }
        [p, q, r, s] => {
            let volume = (q - p).dot((r - p).cross(s - p));
            let w = [q.dot(r.cross(s)), -p.dot(r.cross(s)), p.dot(q.cross(s)), -p.dot(q.cross(r))];
            Some(w.map(|w| w * volume.signum()))
        }
        _ => None,
    }
}

/// The shortest of all vectors from the second to the first between two edges, or between a corner and a face.
///
/// Slower than following simplices, and exact where these are so thin or so near that rounding leads astray.
fn shortest_arm(a: &Body, b: &Body) -> DVec3 {
    let mut best = DVec3::INFINITY;
    let mut attempt = |arm: DVec3| {
        if arm.length_squared() < best.length_squared() {
            best = arm;
        }
    };
    for &e in &a.edges {
        for &f in &b.edges {
            arms(e.map(|i| a.points[i]), f.map(|i| b.points[i])).into_iter().for_each(&mut attempt);
        }
    }
    for (body, other, sign) in [(a, b, -1.0), (b, a, 1.0)] {
        for &point in &other.points {
            for &edge in &body.edges {
                attempt((point_arm(point, edge.map(|i| body.points[i]))) * sign);
            }
            for face in &body.faces {
                if let Some(arm) = body.over(face, point) {
                    attempt(arm * sign);
                }
            }
        }
    }
    best
}

/// From the nearest point of a segment to a point.
fn point_arm(point: DVec3, [p, q]: [DVec3; 2]) -> DVec3 {
    let t = ((point - p).dot(q - p) / (q - p).length_squared()).clamp(0.0, 1.0);
    let foot = if t > 0.5 { q + (p - q) * (1.0 - t) } else { p + (q - p) * t };
    point - foot
}

/// Between inner points of two segments.
fn arms([p, q]: [DVec3; 2], [r, s]: [DVec3; 2]) -> Option<DVec3> {
    let (u, v, w) = (q - p, s - r, p - r);
    let (uu, uv, vv) = (u.dot(u), u.dot(v), v.dot(v));
    let inner = u.cross(v).length_squared();
    let x = ((uv * v.dot(w) - vv * u.dot(w)) / inner).clamp(0.0, 1.0);
    // One more step along each, which takes away what rounding did.
    let y = ((uv * x + v.dot(w)) / vv).clamp(0.0, 1.0);
    let x = ((uv * y - u.dot(w)) / uu).clamp(0.0, 1.0);
    Some(w + u * x - v * y).filter(|arm| arm.is_finite())
}
