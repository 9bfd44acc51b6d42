//! Springs, drag, impulses.

use super::Builder;
use super::body::axial;
use super::dimension::{SceneSpace, vector, vector_or_zero};
use super::signal::not_increasing;
use crate::format::{AnchorTable, DragTable, ImpulseTable, SpringTable};
use crate::quantity::{Number, Unit};
use crate::report::{Draft, short};
use crate::wrap::{Items, List, Pair};
use drystone_engine::{Anchor, Drag, Load, Owner, Signal, Spring, Table};
use drystone_space::{Pose, Vector};

impl<S: SceneSpace> Builder<'_, S> {
    /// The springs of the file.
    pub fn springs(&mut self, list: &List<SpringTable>) {
        for table in &list.items {
            let (from, to) = (self.anchor(&table.from), self.anchor(&table.to));
            let (Some((from, start)), Some((to, end))) = (from, to) else { continue };
            let is_body = |anchor: &Anchor<S>| matches!(anchor.owner, Some(Owner::Body(_)));
            if from.owner == to.owner || !(is_body(&from) || is_body(&to)) {
                let (message, found) = match from.owner == to.owner && is_body(&from) {
                    true => ("spring between a body and itself", "one body"),
                    false => ("spring without a body", "two ends on boundaries or the ground"),
                };
                let expected = "two bodies, or one and a boundary or the ground";
                self.problems
                    .push(Draft::error(table.span, message).found(found).expected(expected));
                continue;
            }
            let forces =
                table.force_by_length.as_ref().map(|points| self.characteristic(points, "lengths"));
            if table.stiffness.is_some() == forces.is_some() {
                let draft = match forces {
                    Some(_) => Draft::error(table.span, "spring of two sources")
                        .found("`stiffness` and `force_by_length`"),
                    None => Draft::error(table.span, "spring without forces")
                        .found("neither `stiffness` nor `force_by_length`"),
                };
                self.problems.push(draft.expected("one of them"));
                continue;
            }
            if let (Some(length), Some(_)) = (&table.length, &forces) {
                let draft = Draft::error(length.span, "length of a spring whose forces are told");
                let draft = draft.found("`length` and `force_by_length`");
                self.problems.push(draft.expected("`force_by_length` alone, by lengths"));
            }
            let length = table.length.as_ref().map_or((start - end).norm(), |n| n.value);
            let stiffness = table.stiffness.as_ref().map_or(0.0, |n| n.value);
            let spring = match forces {
                Some(None) => continue,
                forces => Spring { ends: [from, to], stiffness, length, forces: forces.flatten() },
            };
            self.setup.springs.push(spring);
        }
    }

    /// Values by rising arguments.
    pub(super) fn characteristic<X: Unit, Y: Unit>(
        &mut self,
        points: &Items<Pair<Number<X>, Number<Y>>>,
        what: &str,
    ) -> Option<Table> {
        let arguments: Vec<f64> = points.items.iter().map(|pair| pair.first.value).collect();
        let values: Vec<f64> = points.items.iter().map(|pair| pair.second.value).collect();
        if let Some(after) = not_increasing(&arguments) {
            let draft = Draft::error(points.items[after].span, format!("{what} do not increase"));
            let draft = draft.found(short(arguments[after]));
            self.problems
                .push(draft.expected(format!("more than {}", short(arguments[after - 1]))));
            return None;
        }
        if arguments.len() < 2 {
            let draft = Draft::error(points.span, "table of too few points");
            let draft = draft.found(format!("{} of them", arguments.len()));
            self.problems.push(draft.expected("two pairs or more"));
            return None;
        }
        Table::new(arguments, values)
    }

    /// An end of a spring, and where it is in the world.
    fn anchor(&mut self, table: &AnchorTable) -> Option<(Anchor<S>, S::Vector)> {
        let owner = match (&table.body, &table.boundary) {
            (Some(body), None) => {
                Some(Owner::Body(self.names.find_body(body, self.problems)? as u32))
            }
            (None, Some(boundary)) => match self.joint_end(boundary)? {
                Owner::Body(_) => {
                    let draft = Draft::error(boundary.span, "a body where a boundary is meant");
                    let draft = draft.found(format!("`{}`", boundary.value));
                    self.problems.push(draft.expected("the name of a boundary").help("use `body`"));
                    return None;
                }
                boundary => Some(boundary),
            },
            (None, None) => None,
            (Some(body), Some(_)) => {
                let draft = Draft::error(body.span, "end of a spring in two places");
                self.problems.push(draft.found("`body` and `boundary`").expected("one of them"));
                return None;
            }
        };
        let pose = match owner {
            None => Pose::IDENTITY,
            Some(Owner::Body(index)) => self.setup.bodies.get(index as usize)?.pose,
            Some(Owner::Boundary(index)) => self.setup.boundaries.get(index as usize)?.pose,
        };
        let Some(point) = &table.point else {
            if owner.is_none() {
                let draft = Draft::error(table.span, "end of a spring without a place");
                self.problems.push(draft.expected("`body`, `boundary`, `point` or two of them"));
                return None;
            }
            return Some((Anchor { owner, point: S::Vector::ZERO }, pose.position));
        };
        let world = vector::<S, _, _>(point);
        Some((Anchor { owner, point: pose.inverse_point(world) }, world))
    }

    /// The drag of the file.
    pub fn drags(&mut self, list: &List<DragTable>) {
        let mut braked = vec![false; self.setup.bodies.len()];
        for table in &list.items {
            let linear = table.linear.as_ref().map_or(0.0, |n| n.value);
            let quadratic = table.quadratic.as_ref().map_or(0.0, |n| n.value);
            let spin = table.spin.as_ref().map_or(0.0, |n| n.value);
            if linear + quadratic + spin == 0.0 {
                let draft = Draft::error(table.span, "drag of nothing");
                self.problems.push(draft.expected("`linear`, `quadratic` or `spin` above zero"));
                continue;
            }
            let bodies = match &table.on {
                None => 0..self.setup.bodies.len(),
                Some(name) => match self.names.find_bodies(name, self.problems) {
                    Some(bodies) => bodies,
                    None => continue,
                },
            };
            for body in bodies {
                if std::mem::replace(&mut braked[body], true) {
                    let draft = Draft::error(table.span, "second drag on the same body");
                    self.problems.push(draft.expected("one `[[drag]]` for each body"));
                    break;
                }
                self.setup.drags.push(Drag { body, linear, quadratic, spin });
            }
        }
    }

    /// External percussions: loads that last one step.
    pub fn impulses(&mut self, list: &List<ImpulseTable>) {
        let h = self.setup.time_step;
        for table in &list.items {
            if table.impulse.is_none() && table.angular.is_none() {
                let draft = Draft::error(table.span, "impulse of nothing");
                self.problems.push(draft.expected("`impulse`, `angular` or both"));
            }
            let Some(body) = self.names.find_body(&table.on, self.problems) else { continue };
            let force = vector_or_zero::<S, _, _>(&table.impulse) / h;
            let torque = axial::<S, _, _>(&table.angular) * (1.0 / h);
            let start = table.time.as_ref().map_or(0.0, |n| n.value);
            // One midpoint of a step is in an interval as long as a step.
            let (stop, factor) = (start + h, Signal::Constant(1.0));
            self.setup.loads.push(Load { body, force, torque, factor, start, stop });
        }
    }
}
