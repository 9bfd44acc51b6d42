//! Boundaries and what moves them.

use super::Builder;
use super::body::{Parts, rotation};
use super::dimension::{SceneSpace, vector_or_zero};
use crate::format::BoundaryTable;
use crate::quantity::{NotNegative, Number, Time};
use crate::report::Draft;
use crate::wrap::List;
use drystone_engine::{Boundary, Drive, Owner};
use drystone_space::Pose;

impl<S: SceneSpace> Builder<'_, S> {
    /// The boundaries of the file.
    pub fn boundaries(&mut self, list: &List<BoundaryTable>) {
        for table in &list.items {
            let owner = Some(Owner::Boundary(self.setup.boundaries.len() as u32));
            self.names.claim(&table.name, owner, self.problems);
            if let Some(boundary) = self.boundary(table) {
                self.setup.boundaries.push(boundary);
                self.boundary_spans.push(table.span);
            }
        }
        // Areas lie between boundaries that may come later in the file.
        for (index, table) in list.items.iter().enumerate() {
            let edges = self.edges(table.load.as_ref());
            let boundary = self.setup.boundaries.get_mut(index).map(|boundary| &mut boundary.drive);
            if let (Some(edges), Some(Drive::Slider(slider))) = (edges, boundary) {
                slider.edges = edges;
            }
        }
    }

    fn boundary(&mut self, table: &BoundaryTable) -> Option<Boundary<S>> {
        let parts = match (&table.paving, &table.vessel) {
            (Some(paving), _) => self.paving(paving, table),
            (None, Some(vessel)) => self.vessel(vessel, table),
            (None, None) => self.parts(&Parts {
                shape: &table.shape,
                parts: &table.parts,
                material: &table.material,
                span: table.span,
                solid: false,
            }),
        };
        let drive = self.drive(&table.motion, &table.load);
        Some(Boundary {
            name: table.name.as_ref().map_or_else(String::new, |name| name.value.clone()),
            pose: Pose::new(
                vector_or_zero::<S, _, _>(&table.position),
                rotation::<S>(&table.rotation),
            ),
            parts: parts?,
            drive: drive?,
            removal: table.remove_at.as_ref().map_or(f64::INFINITY, |n| n.value),
        })
    }

    /// Start and stop; reports a stop that is not after the start.
    pub(super) fn interval(
        &mut self,
        start: &Option<Number<Time, NotNegative>>,
        stop: &Option<Number<Time, NotNegative>>,
    ) -> (f64, f64) {
        let from = start.as_ref().map_or(0.0, |n| n.value);
        if let Some(stop) = stop.as_ref().filter(|stop| stop.value <= from) {
            let draft = Draft::error(stop.span, "stops before it starts");
            let draft = draft.found(format!("{} s", stop.value));
            self.problems.push(draft.expected(format!("a time after {from} s")));
        }
        (from, stop.as_ref().map_or(f64::INFINITY, |n| n.value))
    }
}
