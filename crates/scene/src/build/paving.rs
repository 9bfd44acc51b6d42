//! Rough floors: fixed grains side by side at random.

use super::Builder;
use super::deposit::{Space, scatter};
use super::dimension::SceneSpace;
use super::sizes::Distribution;
use crate::format::{BoundaryTable, Paving};
use crate::report::Draft;
use drystone_engine::Part;
use drystone_space::{Pose, Vector};

/// Most grains of one paving.
const MOST: usize = 100_000;

impl<S: SceneSpace> Builder<'_, S> {
    /// The parts of a paved boundary.
    ///
    /// Grains are laid by random sequential addition, without overlap, until one finds no place: what
    /// is left open is smaller than most grains, and none of the sizes is preferred.
    pub(super) fn paving(
        &mut self,
        paving: &Paving,
        table: &BoundaryTable,
    ) -> Option<Vec<Part<S>>> {
        let given = [
            ("shape", table.shape.is_some()),
            ("parts", table.parts.is_some()),
            ("vessel", table.vessel.is_some()),
        ];
        if let Some((key, _)) = given.into_iter().find(|(_, given)| *given) {
            let draft = Draft::error(paving.span, "shape given twice");
            let draft = draft.found(format!("`paving` and `{key}`"));
            self.problems.push(draft.expected("one of `shape`, `parts` or `paving`"));
            return None;
        }
        let Some(name) = &table.material else {
            let draft = Draft::error(table.span, "paving without material");
            self.problems.push(draft.help("add `material = …`"));
            return None;
        };
        let material = self.materials.find(name, self.problems);
        let sizes = Distribution::new(&paving.radius, S::DIMENSION, self.problems)?;
        let within = paving.within.value;
        // Centres fill the disk; no grain may be refused for reaching out of it.
        let reach = S::Tangent::splat(within + sizes.largest());
        let space = Space { low: -reach, high: reach, gap: 0.0, closed: [None; 3] };
        let mut random = self.random(&paving.seed);
        let grains = scatter::<S::Tangent>(&space, &sizes, MOST, false, &mut random);
        if grains.len() == MOST {
            let draft = Draft::error(paving.span, "too many grains in a paving");
            let draft = draft.found(format!("more than {MOST}"));
            self.problems.push(draft.expected("a smaller `within`, or larger grains"));
            return None;
        }
        let material = material?;
        let inside = grains.into_iter().filter(|(centre, _)| centre.norm() <= within);
        let part = |(centre, radius): (S::Tangent, f64)| {
            let level = |i: usize| if i + 1 < S::DIMENSION { centre.get(i) } else { 0.0 };
            let pose = Pose::at(S::Vector::from_fn(level));
            Part::new(S::round(radius), material).at(pose)
        };
        Some(inside.map(part).collect())
    }
}
