//! Screws, gears, racks and pulleys.

use super::Builder;
use super::dimension::{SceneSpace, direction, vector};
use super::joint_drive::Of;
use crate::format::{JointTable, JointWord};
use crate::report::{Draft, short};
use drystone_engine::{JointKind, Meshed, gear, rack};
use drystone_space::Vector;

/// The points of the world that the rope of a pulley goes over.
pub(super) fn pulleys<S: SceneSpace>(table: &JointTable) -> Option<[S::Vector; 2]> {
    let pulleys = table.pulleys.as_ref()?;
    Some([&pulleys.first, &pulleys.second].map(vector::<S, _, _>))
}

impl<S: SceneSpace> Builder<'_, S> {
    /// Checks the keys that only transmissions have.
    pub(super) fn transmission_keys(&mut self, table: &JointTable) {
        let (of, kind) = (Of::from(table), table.kind);
        let keys = [
            ("pitch", table.pitch.as_ref().map(|n| n.span), JointWord::Screw, true),
            ("teeth", table.teeth.as_ref().map(|n| n.span), JointWord::Gear, true),
            ("pulleys", table.pulleys.as_ref().map(|n| n.span), JointWord::Pulley, true),
            ("ratio", table.ratio.as_ref().map(|n| n.span), JointWord::Pulley, false),
        ];
        for (key, given, own, must) in keys {
            let expected = match key {
                "pitch" => "a displacement in a turn",
                "teeth" => "numbers of teeth, such as `[20, 40]`",
                _ => "two points of the world",
            };
            if given.is_none() && kind == own && must {
                let message = format!("{} joint without `{key}`", kind.word());
                let draft = Draft::error(table.span, message).expected(expected);
                self.problems.push(draft.help(format!("add `{key} = …`")));
            } else {
                self.joint_key(of, key, given, kind == own, false);
            }
        }
        if let Some(pitch) = table.pitch.as_ref().filter(|pitch| pitch.value == 0.0) {
            let draft = Draft::error(pitch.span, "screw that does not go forward").found("0");
            self.problems.push(draft.expected("a pitch that is not zero"));
        }
    }

    /// A gear or a rack with both its frames.
    pub(super) fn transmission(
        &mut self,
        table: &JointTable,
        points: [S::Vector; 2],
    ) -> Option<Meshed<S>> {
        // What is missing has been reported.
        table.points.as_ref()?;
        if table.kind == JointWord::Gear {
            table.teeth.as_ref()?;
        }
        let axis = match &table.axis {
            Some(axis) => direction::<S, _, _>(axis, self.problems)?,
            None => S::Vector::axis(S::DIMENSION - 1),
        };
        let (made, span) = match &table.teeth {
            Some(teeth) if table.kind == JointWord::Gear => {
                let counts = [&teeth.first, &teeth.second].map(|n| n.value as i32);
                (gear::<S>(counts, points, axis), teeth.span)
            }
            _ => (rack::<S>(points, axis), table.span),
        };
        if made.is_none() {
            let between = (points[0] - points[1]).norm();
            let draft = match table.kind {
                JointWord::Rack => Draft::error(span, "pinion on the line of its rack")
                    .expected("`points`: the pinion's centre, and a point of the rack beside it"),
                _ => Draft::error(span, "gears that do not mesh").expected(
                    "teeth that are not 0, at most one ring of another size, and centres beside \
                     each other across the axis",
                ),
            };
            self.problems.push(draft.found(format!("points {} m apart", short(between))));
        }
        made
    }

    /// The rope of a pulley.
    pub(super) fn pulley(
        &mut self,
        table: &JointTable,
        points: [S::Vector; 2],
    ) -> Option<JointKind> {
        let over = pulleys::<S>(table)?;
        let ratio = table.ratio.as_ref().map_or(1.0, |ratio| ratio.value);
        let parts = [0, 1].map(|side| (points[side] - over[side]).norm());
        let taut = parts[0] + ratio * parts[1];
        let length = table.length.as_ref().map_or(taut, |length| length.value);
        if taut > length * (1.0 + 1e-9) {
            let ends = table.points.as_ref().map_or(table.span, |ends| ends.span);
            let draft = Draft::error(ends, "rope shorter than its way over the pulleys");
            let draft = draft.found(format!("a way of {} m", short(taut)));
            self.problems.push(draft.expected(format!("at most {} m", short(length))));
            return None;
        }
        Some(JointKind::Pulley { ratio, length })
    }
}
