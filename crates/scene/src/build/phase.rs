//! Phases.

use super::Builder;
use super::dimension::SceneSpace;
use crate::format::{PhaseTable, UntilTable};
use crate::plain::Text;
use crate::report::Draft;
use crate::wrap::{Items, List};
use drystone_engine::{Drive, Phase, Until};
use std::collections::HashSet;

impl<S: SceneSpace> Builder<'_, S> {
    /// The phases of the file.
    pub fn phases(&mut self, list: &List<PhaseTable>) {
        let mut names = HashSet::new();
        for table in &list.items {
            if !names.insert(table.name.value.as_str()) {
                let draft = Draft::error(table.name.span, "phase named twice");
                let draft = draft.found(format!("`{}`", table.name.value));
                self.problems.push(draft.expected("a name that no other phase has"));
            }
            let until = self.until(&table.until);
            let remove = self.boundaries_named(&table.remove);
            let start = self.boundaries_named(&table.start);
            for (&index, name) in start.iter().zip(table.start.iter().flat_map(|s| &s.items)) {
                let still = |b: &drystone_engine::Boundary<S>| match &b.drive {
                    Drive::Motion(_) => false,
                    Drive::Slider(slider) => slider.motion.is_none(),
                    Drive::Fixed => true,
                };
                if self.setup.boundaries.get(index).is_some_and(still) {
                    let draft = Draft::error(name.span, "boundary without a motion to start");
                    let draft = draft.found(format!("`{}`", name.value));
                    self.problems.push(draft.expected("a boundary with a `motion`"));
                }
            }
            self.switches(self.setup.phases.len(), &table.drive);
            if let Some(until) = until {
                let name = table.name.value.clone();
                let tolerance = table.tolerance.as_ref();
                let tolerance = tolerance.map_or(self.setup.solver.tolerance, |n| n.value);
                let friction = table.friction.as_ref().map(|n| n.value);
                self.setup.phases.push(Phase { name, until, remove, start, friction, tolerance });
            }
        }
    }

    fn until(&mut self, table: &UntilTable) -> Option<Until> {
        let time = table.time.as_ref().map_or(f64::INFINITY, |n| n.value);
        let lasting = table.r#for.as_ref().map_or(0.0, |n| n.value);
        let calm = table.kinetic_energy_below.as_ref().map(|energy| (energy.value, lasting));
        if calm.is_none() && table.time.is_none() {
            let draft = Draft::error(table.span, "phase without an end");
            self.problems.push(draft.expected("`time`, `kinetic_energy_below` or both"));
            return None;
        }
        if let (None, Some(lasting)) = (calm, &table.r#for) {
            let draft = Draft::error(lasting.span, "has no meaning without `kinetic_energy_below`");
            self.problems.push(draft.help("a phase of given length has `time` only"));
        }
        Some(Until { time, calm })
    }

    /// The boundaries that a list names.
    fn boundaries_named(&mut self, list: &Option<Items<Text>>) -> Vec<usize> {
        let names = list.iter().flat_map(|list| &list.items);
        names.filter_map(|name| self.boundary_named(name)).collect()
    }
}
