//! A moving set: constraints fₐ(t, x) ≤ 0 (Moreau 2003, (1)), and the lazy selector.
//!
//! fₐ is the signed distance to the boundary of a member. Carried along by its piece with velocity V,
//! it only scales with the piece's size s; hence its rate at a fixed place is
//! ∂f/∂t = (ds/dt / s) f − ∇f·V(x), whatever the shape.

use crate::intersection::check;
use crate::polyhedron::nearest;
use crate::{Flaw, HalfSpace, Member, Motion, Placement, Section, SetInTime, SweepError};
use drystone_space::{Space, Vector};

/// Members that move together.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece<S: Space> {
    /// The members, as they are at the start.
    pub members: Vec<Member<S>>,
    /// How they move.
    pub motion: Motion<S>,
}

/// An intersection of pieces, each with its own motion.
#[derive(Clone, Debug, PartialEq)]
pub struct MovingSet<S: Space> {
    pieces: Vec<Piece<S>>,
}

/// One constraint f ≤ 0 at a time and place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constraint<S: Space> {
    /// f: signed distance to the boundary, negative inside.
    pub value: f64,
    /// ∂f/∂t at the same place: positive where the boundary comes nearer.
    pub rate: f64,
    /// ∇f: the unit normal out of the set.
    pub gradient: S::Vector,
}

impl<S: Space> MovingSet<S> {
    /// A set from its pieces.
    pub fn new(pieces: Vec<Piece<S>>) -> Result<Self, Flaw> {
        check(pieces.iter().flat_map(|piece| &piece.members))?;
        Ok(Self { pieces })
    }
    /// One piece that moves.
    pub fn one(members: Vec<Member<S>>, motion: Motion<S>) -> Result<Self, Flaw> {
        Self::new(vec![Piece { members, motion }])
    }
    /// The pieces.
    pub fn pieces(&self) -> &[Piece<S>] {
        &self.pieces
    }
    /// The set Φ(t) at a time.
    pub fn section(&self, time: f64) -> Result<Section<S>, SweepError> {
        let mut members = Vec::new();
        for (index, piece) in self.pieces.iter().enumerate() {
            let placement = placed(index, piece, time)?;
            members.extend(piece.members.iter().map(|member| member.placed(&placement)));
        }
        Ok(Section::checked(members, time))
    }
    /// All constraints at a time and place.
    pub fn constraints(
        &self,
        time: f64,
        point: S::Vector,
    ) -> Result<Vec<Constraint<S>>, SweepError> {
        let mut constraints = Vec::new();
        for (index, piece) in self.pieces.iter().enumerate() {
            let placement = placed(index, piece, time)?;
            let carried = placement.velocity_at(point);
            constraints.extend(piece.members.iter().map(|member| {
                let (value, gradient) = member.placed(&placement).distance(point);
                let rate = placement.growth / placement.scale * value - gradient.dot(carried);
                Constraint { value, rate, gradient }
            }));
        }
        Ok(constraints)
    }
}

/// The lazy selector γ(t, x): the smallest velocity v that obeys ∂f/∂t + v·∇f ≤ 0 for all
/// constraints with f ≥ 0 (Moreau 2003, §2.2 with (2)). One constraint alone gives
/// −(∂f/∂t) ∇f/|∇f|² where the boundary comes nearer, and zero elsewhere; several give the
/// projection of zero onto an intersection of half-spaces.
///
/// # Errors
/// Where no velocity obeys all constraints.
pub fn lazy_selector<S: Space>(
    constraints: &[Constraint<S>],
    time: f64,
) -> Result<S::Vector, SweepError> {
    let reached = constraints.iter().filter(|constraint| constraint.value >= 0.0);
    let allowed: Vec<HalfSpace<S>> =
        reached.map(|c| HalfSpace { normal: c.gradient, offset: -c.rate }).collect();
    let found = nearest(S::Vector::ZERO, &allowed).map_err(|failure| failure.at(time))?;
    Ok(found.point)
}

impl<S: Space> SetInTime<S> for MovingSet<S> {
    fn project(&self, time: f64, point: S::Vector) -> Result<S::Vector, SweepError> {
        self.section(time)?.project(point)
    }
    fn violation(&self, time: f64, point: S::Vector) -> Result<f64, SweepError> {
        Ok(self.section(time)?.violation(point))
    }
    fn lazy(&self, time: f64, point: S::Vector) -> Result<S::Vector, SweepError> {
        lazy_selector(&self.constraints(time, point)?, time)
    }
}

/// Where a piece is, unless it has shrunk to nothing.
fn placed<S: Space>(index: usize, piece: &Piece<S>, time: f64) -> Result<Placement<S>, SweepError> {
    let placement = piece.motion.at(time);
    match placement.scale > 0.0 {
        true => Ok(placement),
        false => Err(SweepError::Vanished { piece: index + 1, time }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Swing;
    use drystone_space::{DVec2, Plane};

    fn set() -> MovingSet<Plane> {
        let half = HalfSpace::below(DVec2::new(0.3, 0.1), DVec2::new(2.0, 1.0)).unwrap();
        let members =
            vec![Member::HalfSpace(half), Member::ball(DVec2::new(-0.2, 0.4), 1.3).unwrap()];
        let motion = Motion {
            velocity: DVec2::new(0.4, -0.3),
            swings: vec![Swing { amplitude: DVec2::X, frequency: 0.3, phase: 1.0 }],
            spin: 0.8,
            pivot: DVec2::new(0.2, -0.5),
            growth: 0.15,
            pulses: Vec::new(),
        };
        MovingSet::one(members, motion).unwrap()
    }

    #[test]
    fn rates_and_gradients_are_derivatives() {
        let (set, time, small) = (set(), 0.6, 1e-5);
        let point = DVec2::new(1.9, -0.7);
        let values = |time: f64, point: DVec2| -> Vec<f64> {
            set.constraints(time, point).unwrap().iter().map(|c| c.value).collect()
        };
        for (i, constraint) in set.constraints(time, point).unwrap().iter().enumerate() {
            let slope = |dt: f64, dx: DVec2| {
                let ahead = values(time + dt, point + dx)[i];
                (ahead - values(time - dt, point - dx)[i]) / (2.0 * small)
            };
            assert!((constraint.rate - slope(small, DVec2::ZERO)).abs() < 1e-8);
            assert!((constraint.gradient.x - slope(0.0, DVec2::X * small)).abs() < 1e-8);
            assert!((constraint.gradient.y - slope(0.0, DVec2::Y * small)).abs() < 1e-8);
        }
    }

    #[test]
    fn the_lazy_selector_by_cases() {
        let wall = |velocity| {
            let half = HalfSpace::below(DVec2::ZERO, DVec2::new(-1.0, 0.0)).unwrap();
            let motion = Motion { velocity, ..Motion::default() };
            MovingSet::<Plane>::one(vec![Member::HalfSpace(half)], motion).unwrap()
        };
        // The wall x ≥ 2 t comes: inside the point rests, at the wall it takes the normal speed.
        let coming = wall(DVec2::new(2.0, 5.0));
        assert_eq!(coming.lazy(0.0, DVec2::new(0.1, 0.0)), Ok(DVec2::ZERO));
        assert_eq!(coming.lazy(0.0, DVec2::ZERO), Ok(DVec2::new(2.0, 0.0)));
        assert_eq!(coming.lazy(1.0, DVec2::ZERO), Ok(DVec2::new(2.0, 0.0)));
        // The wall goes: the point rests even beyond it.
        assert_eq!(wall(DVec2::new(-2.0, 0.0)).lazy(1.0, DVec2::new(-3.0, 0.0)), Ok(DVec2::ZERO));
    }

    #[test]
    fn what_is_not_convex_must_be_alone() {
        let hole = Member::<Plane>::outside(DVec2::ZERO, 1.0).unwrap();
        let ball = Member::ball(DVec2::ZERO, 2.0).unwrap();
        assert!(MovingSet::one(vec![hole], Motion::default()).is_ok());
        assert_eq!(MovingSet::one(vec![hole, ball], Motion::default()), Err(Flaw::NotAlone));
        assert_eq!(MovingSet::<Plane>::new(Vec::new()), Err(Flaw::NoSet));
        let shrinking = Motion { growth: -1.0, ..Motion::default() };
        let set = MovingSet::one(vec![ball], shrinking).unwrap();
        assert_eq!(set.section(1.5), Err(SweepError::Vanished { piece: 1, time: 1.5 }));
    }
}
