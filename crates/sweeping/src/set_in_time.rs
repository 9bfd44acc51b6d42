//! What the schemes ask of a set. [`MovingSet`](crate::MovingSet) answers by half-spaces and balls; any other set answers by
//! itself.

use crate::SweepError;
use drystone_space::{Space, Vector};

/// A set Φ(t) that a point can be swept by: closed, convex, and given by its projection.
///
/// ```
/// use drystone_space::{DVec2, Plane};
/// use drystone_sweeping::{Problem, Scheme, SetInTime, SweepError};
///
/// /// The points with x ≥ t².
/// struct Faster;
/// impl SetInTime<Plane> for Faster {
///     fn project(&self, time: f64, point: DVec2) -> Result<DVec2, SweepError> {
///         Ok(DVec2::new(point.x.max(time * time), point.y))
///     }
/// }
///
/// let title = "a wall that gathers speed".to_owned();
/// let problem = Problem { title, set: Faster, starts: vec![DVec2::new(1.0, 5.0)], end: 3.0 };
/// problem.check()?;
/// let path = problem.path(problem.starts[0], 300, Scheme::Implicit)?;
/// assert_eq!(path.points[100], DVec2::new(1.0, 5.0)); // the wall has come as far as the point,
/// assert_eq!(path.points[300], DVec2::new(9.0, 5.0)); // and has taken it along.
/// assert!(problem.path(problem.starts[0], 300, Scheme::Explicit).is_err());
/// # Ok::<(), SweepError>(())
/// ```
pub trait SetInTime<S: Space> {
    /// The nearest point of the set at this time.
    ///
    /// # Errors
    /// Where the set has no points then.
    fn project(&self, time: f64, point: S::Vector) -> Result<S::Vector, SweepError>;

    /// How far outside a point is; what it is inside does not matter, as long as it is not positive.
    ///
    /// # Errors
    /// As [`project`](Self::project).
    fn violation(&self, time: f64, point: S::Vector) -> Result<f64, SweepError> {
        Ok((self.project(time, point)? - point).norm())
    }

    /// The smallest velocity that keeps a point in the set, for the explicit scheme. Where constraints fₐ(t, x) ≤ 0 are
    /// known, [`lazy_selector`](crate::lazy_selector) gives it.
    ///
    /// # Errors
    /// A set need not have it.
    fn lazy(&self, time: f64, point: S::Vector) -> Result<S::Vector, SweepError> {
        let _ = (time, point);
        Err(SweepError::NoSelector)
    }
}
