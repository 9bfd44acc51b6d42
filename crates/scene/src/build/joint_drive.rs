//! Friction, springs, motors and strength of joints.

use super::Builder;
use super::dimension::SceneSpace;
use crate::format::{JointFrictionTable, JointMotorTable, JointSpringTable, JointTable, JointWord};
use crate::report::{Draft, Span};
use drystone_engine::{
    DriveLaw, Freedom, JointDrive, JointFriction, JointStrength, Signal, Target,
};

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
        matches!(self, Self::Hinge | Self::Cylindrical | Self::Planar | Self::Screw)
    }
    /// Its coordinate that is a length.
    fn way(self) -> Freedom {
        if self == Self::Spring { Freedom::Distance } else { Freedom::Travel }
    }
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
        if let Some(spring) = &table.spring {
            self.joint_springs(of, spring, distance, &mut drives);
        } else if table.kind == JointWord::Spring {
            let draft = Draft::error(table.span, "spring without stiffness or damping");
            let draft = draft.expected("`spring`, with `stiffness`, `damping` or both");
            self.problems.push(draft.help("add `spring = { stiffness = … }`"));
        }
        if let Some(motor) = &table.motor {
            drives.extend(self.joint_motor(of, motor));
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
        let has = matches!(
            kind,
            JointWord::Hinge | JointWord::Slider | JointWord::Cylindrical | JointWord::Ball
        );
        self.without(of, "friction", Some(friction.span), has);
        let goes = kind.goes();
        let pins = matches!(kind, JointWord::Hinge | JointWord::Ball);
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

    fn joint_springs(
        &mut self,
        of: Of,
        spring: &JointSpringTable,
        distance: f64,
        drives: &mut Vec<JointDrive>,
    ) {
        let kind = of.kind;
        self.without(of, "spring", Some(spring.span), kind.goes() || kind.turns());
        if !(kind.goes() || kind.turns()) {
            return;
        }
        let long = [
            ("spring.stiffness", spring.stiffness.as_ref().map(|n| (n.span, n.value))),
            ("spring.damping", spring.damping.as_ref().map(|n| (n.span, n.value))),
            ("spring.length", spring.length.as_ref().map(|n| (n.span, n.value))),
        ];
        let round = [
            (
                "spring.angular_stiffness",
                spring.angular_stiffness.as_ref().map(|n| (n.span, n.value)),
            ),
            ("spring.angular_damping", spring.angular_damping.as_ref().map(|n| (n.span, n.value))),
            ("spring.angle", spring.angle.as_ref().map(|n| (n.span, n.value))),
        ];
        let start = if kind == JointWord::Spring { distance } else { 0.0 };
        let mut any = false;
        for (all, can, freedom, start) in
            [(long, kind.goes(), kind.way(), start), (round, kind.turns(), Freedom::Angle, 0.0)]
        {
            for (key, given) in all {
                self.without(of, key, given.map(|(span, _)| span), can);
            }
            let value = |place: usize| all[place].1.map(|(_, value)| value);
            let stiffness = value(0).unwrap_or(0.0);
            let damping = value(1).unwrap_or(0.0);
            if stiffness + damping > 0.0 {
                any = true;
                let rest = value(2).unwrap_or(start);
                drives.push(JointDrive {
                    freedom,
                    law: DriveLaw::Spring { stiffness, rest, damping },
                });
            }
        }
        if !any {
            let draft = Draft::error(spring.span, "spring without stiffness or damping");
            let expected = match kind.goes() {
                true => "`stiffness`, `damping` or both above zero",
                false => "`angular_stiffness`, `angular_damping` or both above zero",
            };
            self.problems.push(draft.expected(expected));
        }
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
