//! Masonry besides walls: stones by their corners.

mod curved;
mod upright;

use super::Builder;
use super::dimension::{SceneSpace, shape_problem};
use super::generate::Group;
use crate::quantity::{Length, Number, Positive};
use crate::report::{Draft, Span};
use drystone_engine::MaterialId;
use drystone_space::{DVec2, Pose, Vector};

/// What the stones of one rule have in common.
pub(super) struct Stones<S: SceneSpace> {
    pub material: MaterialId,
    /// Where the material is named, and the rule is.
    pub spans: [Span; 2],
    /// What their corners are counted from.
    pub origin: S::Vector,
    pub depth: f64,
}

impl<S: SceneSpace> Builder<'_, S> {
    /// Extent along y: needed in space, none in the plane.
    pub(super) fn depth(
        &mut self,
        depth: &Option<Number<Length, Positive>>,
        span: Span,
        what: &str,
    ) -> Option<f64> {
        match (depth, S::DIMENSION) {
            (Some(depth), 3) => Some(depth.value),
            (None, 2) => Some(1.0),
            _ => {
                let draft = Draft::error(span, format!("depth of {what}"));
                self.problems.push(draft.expected(match S::DIMENSION {
                    2 => "no `depth` in the plane",
                    _ => "`depth = …` in space",
                }));
                None
            }
        }
    }

    /// Reports what is there in space only.
    fn in_space(&mut self, span: Span, what: &str, instead: &str) -> Option<()> {
        if S::DIMENSION == 3 {
            return Some(());
        }
        let draft = Draft::error(span, format!("{what} in the plane"));
        self.problems.push(draft.expected(format!("`dimension = 3`, or {instead}")));
        None
    }

    /// Reports two lengths of which the first should be the smaller one.
    fn ascending(
        &mut self,
        small: f64,
        large: &Number<Length, Positive>,
        message: &str,
        expected: &str,
    ) -> Option<()> {
        if small < large.value {
            return Some(());
        }
        let draft = Draft::error(large.span, message).found(format!("{} m", large.value));
        self.problems.push(draft.expected(format!("more than {expected}, {small} m")));
        None
    }

    /// A stone of an outline in the vertical plane, along y about the origin.
    fn profile(&mut self, stones: &Stones<S>, outline: &[DVec2], group: &mut Group) -> Option<()> {
        self.stone(stones, S::prism(outline, stones.depth), group)
    }

    /// A stone of corners: in the plane in their order round it.
    fn hull(&mut self, stones: &Stones<S>, corners: &[S::Vector], group: &mut Group) -> Option<()> {
        self.stone(stones, S::convex(corners), group)
    }

    fn stone(
        &mut self,
        stones: &Stones<S>,
        shape: Result<S::Shape, drystone_detect::ShapeError>,
        group: &mut Group,
    ) -> Option<()> {
        let [named, rule] = stones.spans;
        let shape = shape.map_err(|e| shape_problem(e, rule, "a stone", self.problems)).ok()?;
        let body = self.simple(shape, stones.material, named)?;
        self.member(body, &Pose::at(stones.origin), S::Vector::ZERO, group);
        Some(())
    }
}
