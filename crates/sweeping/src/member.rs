//! What sets are made of: half-spaces, balls, and the outside of a ball.
//!
//! Each is {x : f(x) ≤ 0} with f the signed distance to its boundary, so that |∇f| = 1.

use crate::{Flaw, Placement};
use drystone_space::{DVec2, Plane, Rotation, Space, Vector, math};

/// The points x with `normal · x ≤ offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace<S: Space> {
    /// Unit vector out of the set.
    pub normal: S::Vector,
    /// Signed distance of the boundary from the origin, along the normal.
    pub offset: f64,
}

impl<S: Space> HalfSpace<S> {
    /// The half-space below a point, `normal` pointing up; the length of `normal` does not matter.
    pub fn below(point: S::Vector, normal: S::Vector) -> Result<Self, Flaw> {
        let length = normal.norm();
        if !(length > 0.0 && length.is_finite()) {
            return Err(Flaw::NoNormal);
        }
        let normal = normal / length;
        Ok(Self { normal, offset: normal.dot(point) })
    }
    /// Signed distance of a point: negative inside.
    #[inline]
    pub fn distance(&self, point: S::Vector) -> f64 {
        self.normal.dot(point) - self.offset
    }
}

/// One set of an intersection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Member<S: Space> {
    /// A half-space.
    HalfSpace(HalfSpace<S>),
    /// A closed ball.
    Ball {
        /// Its centre.
        centre: S::Vector,
        /// Its radius.
        radius: f64,
    },
    /// All points that are not inside a ball. It is not convex, yet the process is the same as long
    /// as points stay nearer to the surface than its radius (Moreau 2003, §2.2, asks only for a
    /// smooth f).
    Outside {
        /// Centre of the ball.
        centre: S::Vector,
        /// Radius of the ball.
        radius: f64,
    },
}

impl<S: Space> Member<S> {
    /// A ball.
    pub fn ball(centre: S::Vector, radius: f64) -> Result<Self, Flaw> {
        positive(radius).map(|radius| Self::Ball { centre, radius })
    }
    /// The outside of a ball.
    pub fn outside(centre: S::Vector, radius: f64) -> Result<Self, Flaw> {
        positive(radius).map(|radius| Self::Outside { centre, radius })
    }
    /// Signed distance of a point to the boundary, negative inside, and its gradient: the unit
    /// vector that leads out of the set.
    pub fn distance(&self, point: S::Vector) -> (f64, S::Vector) {
        match *self {
            Self::HalfSpace(half) => (half.distance(point), half.normal),
            Self::Ball { centre, radius } => {
                let (length, direction) = polar::<S>(point - centre);
                (length - radius, direction)
            }
            Self::Outside { centre, radius } => {
                let (length, direction) = polar::<S>(point - centre);
                (radius - length, -direction)
            }
        }
    }
    /// The nearest point of the set. From the centre of a ball, which is nowhere near its outside,
    /// the way out is along the first axis.
    pub fn project(&self, point: S::Vector) -> S::Vector {
        let (distance, outward) = self.distance(point);
        if distance <= 0.0 { point } else { point - outward * distance }
    }
    /// The set after a motion.
    pub(crate) fn placed(&self, placement: &Placement<S>) -> Self {
        match *self {
            Self::HalfSpace(half) => {
                let normal = placement.rotation.apply(half.normal);
                let depth = -half.distance(placement.pivot);
                let offset = normal.dot(placement.origin) + placement.scale * depth;
                Self::HalfSpace(HalfSpace { normal, offset })
            }
            Self::Ball { centre, radius } => {
                Self::Ball { centre: placement.point(centre), radius: placement.scale * radius }
            }
            Self::Outside { centre, radius } => {
                Self::Outside { centre: placement.point(centre), radius: placement.scale * radius }
            }
        }
    }
}

fn positive(radius: f64) -> Result<f64, Flaw> {
    let good = radius > 0.0 && radius.is_finite();
    if good { Ok(radius) } else { Err(Flaw::Radius { found: radius }) }
}

/// Length and direction; the direction of the zero vector is the first axis.
fn polar<S: Space>(arm: S::Vector) -> (f64, S::Vector) {
    let length = arm.norm();
    (length, if length > 0.0 { arm / length } else { S::Vector::axis(0) })
}

/// The half-planes of a convex polygon, from its vertices in order, either way round.
///
/// ```
/// use drystone_space::DVec2;
/// use drystone_sweeping::{Section, polygon};
/// let square = [(0., 0.), (1., 0.), (1., 1.), (0., 1.)].map(DVec2::from);
/// let section = Section::new(polygon(&square).unwrap()).unwrap();
/// assert_eq!(section.project(DVec2::new(3.0, 0.5)), Ok(DVec2::new(1.0, 0.5)));
/// assert_eq!(section.project(DVec2::new(3.0, -1.0)), Ok(DVec2::new(1.0, 0.0)));
/// ```
pub fn polygon(vertices: &[DVec2]) -> Result<Vec<Member<Plane>>, Flaw> {
    let count = vertices.len();
    if count < 3 {
        return Err(Flaw::FewVertices { found: count });
    }
    let area: f64 = (1..count - 1)
        .map(|i| (vertices[i] - vertices[0]).perp_dot(vertices[i + 1] - vertices[0]))
        .sum();
    let edge = |i: usize| vertices[(i + 1) % count] - vertices[i];
    let mut turned = 0.0;
    for i in 0..count {
        let (before, after) = (edge((i + count - 1) % count), edge(i));
        let turn = math::angle_between(before, after) * area.signum();
        if after == DVec2::ZERO || area == 0.0 || !turn.is_finite() {
            return Err(Flaw::Flat { vertex: i + 1 });
        }
        turned += turn;
        // A polygon that winds twice turns left at each vertex, too.
        if turn < 0.0 || turned > 1.5 * std::f64::consts::TAU {
            return Err(Flaw::NotConvex { vertex: i + 1 });
        }
    }
    let half_plane = |i: usize| {
        let outward = -edge(i).perp() * area.signum();
        HalfSpace::below(vertices[i], outward).map(Member::HalfSpace)
    };
    (0..count).map(half_plane).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polygons_are_checked() {
        let points = |list: &[(f64, f64)]| list.iter().map(|&p| DVec2::from(p)).collect::<Vec<_>>();
        let triangle = points(&[(0., 0.), (1., 0.), (0., 1.)]);
        let reversed: Vec<DVec2> = triangle.iter().rev().copied().collect();
        for corners in [triangle, reversed] {
            for member in polygon(&corners).unwrap() {
                assert!(member.distance(DVec2::splat(0.25)).0 < -0.2);
            }
        }
        let bad = |list| polygon(&points(list)).unwrap_err();
        assert_eq!(bad(&[(0., 0.), (1., 0.)]), Flaw::FewVertices { found: 2 });
        let dart = [(0., 0.), (2., 0.), (0.5, 0.5), (0., 2.)];
        assert_eq!(bad(&dart), Flaw::NotConvex { vertex: 3 });
        assert_eq!(bad(&[(0., 0.), (1., 1.), (2., 2.)]), Flaw::Flat { vertex: 1 });
        assert_eq!(bad(&[(0., 0.), (1., 0.), (1., 0.), (0., 1.)]), Flaw::Flat { vertex: 2 });
        let star = [0., 2., 4., 1., 3.].map(|i: f64| (i * 1.256637).sin_cos());
        assert!(matches!(bad(&star), Flaw::NotConvex { .. }));
    }

    #[test]
    fn balls_and_half_spaces_by_hand() {
        let ball = Member::<Plane>::ball(DVec2::new(1.0, 0.0), 2.0).unwrap();
        assert_eq!(ball.project(DVec2::new(6.0, 0.0)), DVec2::new(3.0, 0.0));
        assert_eq!(ball.project(DVec2::new(1.0, 1.0)), DVec2::new(1.0, 1.0));
        let outside = Member::<Plane>::outside(DVec2::new(1.0, 0.0), 2.0).unwrap();
        assert_eq!(outside.project(DVec2::new(1.0, 1.0)), DVec2::new(1.0, 2.0));
        assert_eq!(outside.project(DVec2::new(1.0, 0.0)), DVec2::new(3.0, 0.0));
        let half = HalfSpace::<Plane>::below(DVec2::new(0.0, 1.0), DVec2::new(0.0, 5.0)).unwrap();
        assert_eq!(Member::HalfSpace(half).project(DVec2::new(3.0, 4.0)), DVec2::new(3.0, 1.0));
        assert!(HalfSpace::<Plane>::below(DVec2::ZERO, DVec2::ZERO).is_err());
        assert!(Member::<Plane>::ball(DVec2::ZERO, 0.0).is_err());
    }
}
