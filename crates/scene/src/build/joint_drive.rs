//! Friction, springs, motors and strength of joints.

use super::Builder;
use super::dimension::SceneSpace;
use crate::format::{JointFrictionTable, JointMotorTable, JointSpringTable, JointTable, JointWord};
use crate::report::{Draft, Span};
use drystone_engine::{
    Characteristic, DriveLaw, Freedom, JointDrive, JointFriction, JointStrength, Signal, Table,
    Target,
};
use std::sync::Arc;

/// What a joint has beside its kind.
pub(super) type Equipment = (Option<JointFriction>, Vec<JointDrive>, Option<JointStrength>);

/// Which kind of joint keys are of, and where its table is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Of {
    pub kind: JointWord,
    pub span: Span,
}

impl From<&JointTable> for Of {
    fn from(table: &JointTable) -> Self {
        Self { kind: table.kind, span: table.span }
    }
}

impl JointWord {
    /// Whether it has a coordinate along its axis or between its ends.
    fn goes(self) -> bool {
        matches!(self, Self::Slider | Self::Cylindrical | Self::Screw | Self::Spring)
    }
    /// Whether it has an angle about its axis.
    fn turns(self) -> bool {
        use JointWord::*;
        matches!(self, Hinge | Cylindrical | Planar | Screw | Universal)
    }
    /// Its coordinate that is a length.
    fn way(self) -> Freedom {
        match self {
            Self::Spring => Freedom::Distance,
            Self::Planar => Freedom::Across,
            _ => Freedom::Travel,
        }
    }
    /// Whether there is friction in it.
    fn rubs(self) -> bool {
        use JointWord::*;
        matches!(self, Hinge | Slider | Cylindrical | Ball | Universal | Planar)
    }
}

/// What a table of springs says along one coordinate.
struct SpringPart {
    /// `None` if the joint has no such coordinate.
    freedom: Option<Freedom>,
    /// Stiffness, damping and the place without force; then tables by place and by speed.
    keys: [&'static str; 5],
    numbers: [Option<(Span, f64)>; 3],
    tables: [Option<(Span, Option<Table>)>; 2],
    /// The place without force where none is told.
    start: f64,
}

impl<S: SceneSpace> Builder<'_, S> {
    /// The equipment of a joint whose points are so far apart at the start.
    pub(super) fn joint_equipment(
        &mut self,
        table: &JointTable,
        distance: f64,
    ) -> Option<Equipment> {
        let before = self.problems.errors();
        let of = Of::from(table);
        let friction = table.friction.as_ref().map(|friction| self.friction_of(of, friction));
        let mut drives = Vec::new();
        let tilts = table.axis.is_some();
        if let Some(spring) = &table.second_spring {
            let about = (of.kind == JointWord::Universal).then_some(Freedom::SecondAngle);
            self.joint_springs(of, "second_spring", spring, [None, about], 0.0, &mut drives);
        }
        if let Some(spring) = &table.spring {
            let along = of.kind.goes() || of.kind == JointWord::Planar;
            let about = match of.kind {
                JointWord::Ball if tilts => Some(Freedom::Tilt),
                JointWord::Ball => Some(Freedom::Turn),
                JointWord::Spring => (S::DIMENSION == 2).then_some(Freedom::Angle),
                kind => kind.turns().then_some(Freedom::Angle),
            };
            let freedoms = [along.then(|| of.kind.way()), about];
            self.joint_springs(of, "spring", spring, freedoms, distance, &mut drives);
        } else if table.kind == JointWord::Spring {
            let draft = Draft::error(table.span, "spring without stiffness or damping");
            let draft = draft.expected("`spring`, with `stiffness`, `damping` or both");
            self.problems.push(draft.help("add `spring = { stiffness = … }`"));
        }
        if let Some(motor) = &table.motor {
            drives.extend(self.joint_motor(of, motor));
        }
        if let Some(motor) = &table.second_motor {
            let universal = of.kind == JointWord::Universal;
            self.without(of, "second_motor", Some(motor.span), universal);
            let drive = if universal { self.joint_motor(of, motor) } else { None };
            drives.extend(drive.map(|d| JointDrive { freedom: Freedom::SecondAngle, ..d }));
        }
        let strength = table.strength.as_ref().map(|strength| JointStrength {
            force: strength.force.as_ref().map_or(f64::INFINITY, |force| force.value),
            torque: strength.torque.as_ref().map_or(f64::INFINITY, |torque| torque.value),
        });
        (self.problems.errors() == before).then_some((friction, drives, strength))
    }

    /// Reports a key that the joint's kind cannot have.
    fn without(&mut self, of: Of, key: &str, given: Option<Span>, can: bool) {
        self.joint_key(of, key, given, can, false);
    }

    fn friction_of(&mut self, of: Of, friction: &JointFrictionTable) -> JointFriction {
        let kind = of.kind;
        let has = kind.rubs();
        self.without(of, "friction", Some(friction.span), has);
        let goes = kind.goes() || kind == JointWord::Planar;
        let pins = matches!(kind, JointWord::Hinge | JointWord::Ball | JointWord::Universal);
        let [force, torque] = [
            friction.force.as_ref().map(|force| (force.span, force.value)),
            friction.torque.as_ref().map(|torque| (torque.span, torque.value)),
        ];
        let radius = friction.radius.as_ref().map(|radius| (radius.span, radius.value));
        let length = friction.length.as_ref().map(|length| (length.span, length.value));
        let span = |given: Option<(Span, f64)>| given.map(|(span, _)| span);
        if has {
            self.without(of, "friction.radius", span(radius), kind != JointWord::Slider);
            self.without(of, "friction.length", span(length), goes);
            self.without(of, "friction.force", span(force), goes);
            self.without(of, "friction.torque", span(torque), pins);
        }
        let coefficient = friction.coefficient.as_ref().map_or(0.0, |mu| mu.value);
        if has && coefficient > 0.0 && pins && radius.is_none() {
            let draft = Draft::error(friction.span, "friction on a pin of no radius");
            let draft = draft.expected("`radius`, on which friction acts");
            self.problems.push(draft.help("add `radius = …`"));
        }
        if has && coefficient == 0.0 && force.is_none() && torque.is_none() {
            let draft = Draft::error(friction.span, "friction of nothing");
            let draft = draft.expected("`coefficient`, or what is always there");
            self.problems.push(draft.help("add `coefficient = …`"));
        }
        let value = |given: Option<(Span, f64)>| given.map_or(0.0, |(_, value)| value);
        let least = value(force) + value(torque);
        JointFriction { coefficient, radius: value(radius), length: value(length), least }
    }

    /// Springs along a length and about an axis, where the joint has such coordinates.
    fn joint_springs(
        &mut self,
        of: Of,
        key: &str,
        spring: &JointSpringTable,
        [along, about]: [Option<Freedom>; 2],
        distance: f64,
        drives: &mut Vec<JointDrive>,
    ) {
        self.without(of, key, Some(spring.span), along.or(about).is_some());
        if along.or(about).is_none() {
            return;
        }
        macro_rules! given {
            ($key:ident) => {
                spring.$key.as_ref().map(|n| (n.span, n.value))
            };
            ($key:ident $what:literal) => {
                spring.$key.as_ref().map(|points| (points.span, self.characteristic(points, $what)))
            };
        }
        let parts = [
            SpringPart {
                freedom: along,
                keys: ["stiffness", "damping", "length", "force_by_length", "force_by_speed"],
                numbers: [given!(stiffness), given!(damping), given!(length)],
                tables: [given!(force_by_length "lengths"), given!(force_by_speed "speeds")],
                start: if of.kind == JointWord::Spring { distance } else { 0.0 },
            },
            SpringPart {
                freedom: about,
                keys: [
                    "angular_stiffness",
                    "angular_damping",
                    "angle",
                    "couple_by_angle",
                    "couple_by_spin",
                ],
                numbers: [given!(angular_stiffness), given!(angular_damping), given!(angle)],
                tables: [given!(couple_by_angle "angles"), given!(couple_by_spin "spins")],
                start: 0.0,
            },
        ];
        let mut any = false;
        for part in parts {
            any |= self.joint_spring(of, key, part, drives);
        }
        if !any {
            let draft = Draft::error(spring.span, "spring without stiffness or damping");
            let expected = match along {
                Some(_) => "`stiffness`, `damping` or both above zero, or forces by tables",
                None => {
                    "`angular_stiffness`, `angular_damping` or both above zero, or couples by tables"
                }
            };
            self.problems.push(draft.expected(expected));
        }
    }

    /// The spring along one coordinate. Whether there is one.
    fn joint_spring(
        &mut self,
        of: Of,
        key: &str,
        part: SpringPart,
        drives: &mut Vec<JointDrive>,
    ) -> bool {
        let spans = part.numbers.iter().map(|n| n.map(|(span, _)| span));
        let spans: Vec<_> =
            spans.chain(part.tables.iter().map(|t| t.as_ref().map(|(span, _)| *span))).collect();
        // What has a direction is without force where it is zero.
        let vector = part.freedom.is_some_and(Freedom::is_vector);
        for (place, (name, span)) in part.keys.iter().zip(&spans).enumerate() {
            let can = part.freedom.is_some() && !(vector && place >= 2);
            self.without(of, &format!("{key}.{name}"), *span, can);
        }
        let [stiffness, damping, rest] = part.numbers.map(|n| n.map(|(_, value)| value));
        let [by_place, by_speed] = part.tables;
        if let (Some((span, _)), Some(_)) = (&by_place, stiffness.or(rest)) {
            let draft = Draft::error(*span, "spring of two sources");
            let [k, _, place, table, _] = part.keys;
            let draft = draft.found(format!("`{table}` beside `{k}` or `{place}`"));
            self.problems.push(draft.expected("one of them"));
        }
        if let (Some((span, _)), Some(_)) = (&by_speed, damping) {
            let draft = Draft::error(*span, "damper of two sources");
            let draft = draft.found(format!("`{}` and `{}`", part.keys[1], part.keys[4]));
            self.problems.push(draft.expected("one of them"));
        }
        let any = by_place.is_some() || by_speed.is_some();
        let [forces, resistances] =
            [by_place, by_speed.clone()].map(|t| t.and_then(|(_, table)| table).map(Arc::new));
        let (stiffness, damping) = (stiffness.unwrap_or(0.0), damping.unwrap_or(0.0));
        let rest = rest.unwrap_or(if forces.is_some() { 0.0 } else { part.start });
        let spring = Characteristic { stiffness, rest, damping, forces, resistances };
        if let (Some((span, Some(_))), false) = (by_speed, spring.is_sound()) {
            let draft = Draft::error(span, "a damper that drives").found(part.keys[4]);
            let expected = "forces with the sign of the speed, and none at rest";
            self.problems.push(draft.expected(expected).help("has it the pair `[0, 0]`?"));
        }
        let any = any || stiffness + damping > 0.0;
        if let (Some(freedom), true) = (part.freedom, any) {
            drives.push(JointDrive { freedom, law: DriveLaw::Spring(spring) });
        }
        any
    }

    pub(super) fn joint_motor(&mut self, of: Of, motor: &JointMotorTable) -> Option<JointDrive> {
        let kind = of.kind;
        let goes = kind.goes() && kind != JointWord::Spring;
        self.without(of, "motor", Some(motor.span), goes || kind.turns());
        if !(goes || kind.turns()) {
            return None;
        }
        let mut found: Vec<(&str, Freedom, Option<Target>)> = Vec::new();
        macro_rules! target {
            ($($key:ident $freedom:ident $target:ident;)*) => {$(
                if let Some(value) = &motor.$key {
                    let signal: Option<Signal> = self.signal(value);
                    found.push((stringify!($key), Freedom::$freedom, signal.map(Target::$target)));
                }
            )*};
        }
        target! {
            force Travel Effort;
            speed Travel Speed;
            travel Travel Place;
            torque Angle Effort;
            spin Angle Speed;
            angle Angle Place;
        }
        if found.len() != 1 {
            let words: Vec<String> = found.iter().map(|(key, ..)| format!("`{key}`")).collect();
            let message = match words.is_empty() {
                true => "motor that is asked for nothing",
                false => "motor that is asked for two things",
            };
            let mut draft = Draft::error(motor.span, message);
            if !words.is_empty() {
                draft = draft.found(words.join(" and "));
            }
            let expected = "one of `force`, `speed`, `travel`, `torque`, `spin` and `angle`";
            self.problems.push(draft.expected(expected));
            return None;
        }
        let (key, freedom, target) = found.pop()?;
        let can = if freedom == Freedom::Angle { kind.turns() } else { goes };
        self.without(of, &format!("motor.{key}"), Some(motor.span), can);
        let force = motor.largest_force.as_ref().map(|most| (most.span, most.value));
        let torque = motor.largest_torque.as_ref().map(|most| (most.span, most.value));
        let asked = matches!(target, Some(Target::Effort(_)));
        for (key, given, along) in
            [("largest_force", force, Freedom::Travel), ("largest_torque", torque, Freedom::Angle)]
        {
            let Some((span, _)) = given else { continue };
            if asked {
                let draft = Draft::error(span, "bound of a motor whose force is given");
                let draft = draft.found(format!("`{key}`"));
                self.problems.push(draft.expected("a motor without it, or one asked for a speed"));
            } else {
                self.without(of, &format!("motor.{key}"), Some(span), freedom == along);
            }
        }
        let most = force.or(torque).map_or(f64::INFINITY, |(_, most)| most);
        Some(JointDrive { freedom, law: DriveLaw::Motor { target: target?, most } })
    }
}
