//! Boundaries and what moves them.

use super::Builder;
use super::body::{Parts, axial, rotation};
use super::dimension::{SceneSpace, direction, vector_or_zero};
use crate::format::{BoundaryTable, MotionTable, PushTable};
use crate::quantity::{NotNegative, Number, Time};
use crate::report::Draft;
use crate::wrap::List;
use drystone_engine::{Boundary, Course, Drive, Motion, Owner, Signal, Slider};
use drystone_space::{Pose, Vector};

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
    }

    fn boundary(&mut self, table: &BoundaryTable) -> Option<Boundary<S>> {
        let parts = match &table.paving {
            Some(paving) => self.paving(paving, table),
            None => self.parts(&Parts {
                shape: &table.shape,
                parts: &table.parts,
                material: &table.material,
                span: table.span,
                solid: false,
            }),
        };
        let drive = match (&table.motion, &table.load) {
            (None, None) => Some(Drive::Fixed),
            (Some(motion), None) => self.motion(motion).map(Drive::Motion),
            (None, Some(load)) => self.slider(load).map(Drive::Slider),
            (Some(_), Some(load)) => {
                let draft = Draft::error(load.span, "boundary with a motion and a load");
                self.problems.push(draft.found("both").expected("either `motion` or `load`"));
                None
            }
        };
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

    fn slider(&mut self, table: &PushTable) -> Option<Slider<S>> {
        let direction = direction::<S, _, _>(&table.direction, self.problems);
        let force = self.signal(&table.force);
        Some(Slider { direction: direction?, mass: table.mass.value, force: force? })
    }

    fn motion(&mut self, table: &MotionTable) -> Option<Motion<S>> {
        let steady = table.velocity.is_some() || table.spin.is_some();
        let varying = table.displacement.is_some() || table.angle.is_some();
        if steady == varying {
            let message = if steady { "two kinds of motion" } else { "motion that moves nothing" };
            let draft = Draft::error(table.span, message);
            self.problems.push(draft.expected(
                "either `velocity` and `spin`, or `displacement` and `angle` as functions of time",
            ));
            return None;
        }
        let (start, stop) = self.interval(&table.start, &table.stop);
        let course = match steady {
            true => Course::Velocity {
                linear: vector_or_zero::<S, _, _>(&table.velocity),
                spin: axial::<S, _, _>(&table.spin),
            },
            false => self.signals(table)?,
        };
        Some(Motion { course, start, stop })
    }

    fn signals(&mut self, table: &MotionTable) -> Option<Course<S>> {
        let (mut along, mut displacement) = (S::Vector::ZERO, Signal::Constant(0.0));
        match (&table.displacement, &table.direction) {
            (Some(signal), Some(given)) => {
                along = direction::<S, _, _>(given, self.problems)?;
                displacement = self.signal(signal)?;
            }
            (None, None) => {}
            (given, _) => {
                let (message, help) = match given {
                    Some(_) => ("displacement without direction", "add `direction = …`"),
                    None => ("direction without displacement", "add `displacement = …`"),
                };
                self.problems.push(Draft::error(table.span, message).help(help));
                return None;
            }
        }
        let (mut about, mut angle) = (S::Spin::ZERO, Signal::Constant(0.0));
        match (&table.angle, &table.axis) {
            (Some(signal), axis) if axis.is_some() == (S::DIMENSION == 3) => {
                about = S::Spin::from_fn(|_| 1.0);
                if let Some(axis) = axis {
                    let unit = direction::<S, _, _>(axis, self.problems)?;
                    about = S::Spin::from_fn(|i| unit.get(i));
                }
                angle = self.signal(signal)?;
            }
            (None, None) => {}
            _ => {
                let draft = Draft::error(table.span, "angle and axis do not fit together");
                self.problems.push(draft.expected(match S::DIMENSION {
                    2 => "`angle` without `axis`: the plane has one axis only",
                    _ => "`angle` and `axis`",
                }));
                return None;
            }
        }
        Some(Course::Signals { direction: along, displacement, axis: about, rotation: angle })
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
