//! Joints.

use super::dimension::{SceneSpace, direction, vector};
use super::joint_drive::Of;
use super::transmission::pulleys;
use super::{Builder, label};
use crate::format::{CoordinatesWord, JointTable, JointWord};
use crate::plain::Text;
use crate::report::{Draft, Span, short};
use crate::wrap::List;
use drystone_engine::{
    Joint, JointCoordinates, JointKind, JointLimit, JointSide, Owner, Ratchet, SetupError, World,
};
use drystone_space::{Pose, Rotation, Vector, math};
use std::collections::BTreeSet;

/// Axes that are less than this off a right angle are at right angles.
const SQUARE: f64 = 1e-6;

fn angle_of(table: &JointTable) -> [f64; 2] {
    table.angle.as_ref().map_or([0.0; 2], |angle| [angle.first.value, angle.second.value])
}

fn travel_of(table: &JointTable) -> [f64; 2] {
    table.travel.as_ref().map_or([0.0; 2], |travel| [travel.first.value, travel.second.value])
}

fn joint_limit(table: &JointTable) -> Option<JointLimit> {
    let restitution = table.restitution.as_ref().map_or(0.0, |restitution| restitution.value);
    let [low, high] = match (&table.angle, &table.travel, table.kind) {
        (Some(_), _, _) => angle_of(table),
        (None, Some(_), _) => travel_of(table),
        (None, None, JointWord::Ball) => {
            [f64::NEG_INFINITY, table.tilt.as_ref().map(|tilt| tilt.value)?]
        }
        (None, None, JointWord::Rope | JointWord::Pulley) => [f64::NEG_INFINITY, f64::INFINITY],
        (None, None, _) => return None,
    };
    Some(JointLimit { low, high, restitution })
}

/// The coordinates that joints are computed in.
pub(super) fn coordinates_of(word: Option<&CoordinatesWord>) -> JointCoordinates {
    match word {
        Some(CoordinatesWord::Reduced) => JointCoordinates::Reduced,
        Some(CoordinatesWord::Maximal) | None => JointCoordinates::Maximal,
    }
}

fn ratchet(table: &JointTable) -> Option<Ratchet> {
    let ratchet = table.ratchet.as_ref()?;
    let angle = ratchet.angle.as_ref().map(|angle| angle.value);
    let travel = ratchet.travel.as_ref().map(|travel| travel.value);
    Some(Ratchet {
        pitch: angle.or(travel).unwrap_or(0.0),
        backward: ratchet.backward.unwrap_or(false),
        restitution: ratchet.restitution.as_ref().map_or(0.0, |restitution| restitution.value),
    })
}

impl<S: SceneSpace> Builder<'_, S> {
    /// The joints of the file.
    pub fn joints(&mut self, list: &List<JointTable>) {
        let mut names: BTreeSet<&str> = BTreeSet::new();
        for table in &list.items {
            if let Some(name) = table.name.as_ref().filter(|name| !names.insert(&name.value)) {
                let draft = Draft::error(name.span, "name used twice");
                let draft = draft.found(format!("`{}`", name.value));
                self.problems.push(draft.expected("a name that no other joint has"));
            }
            if let Some(joint) = self.joint(table) {
                self.setup.joints.push(joint);
                self.joint_spans.push(table.span);
            }
        }
    }

    fn joint(&mut self, table: &JointTable) -> Option<Joint<S>> {
        let keys = self.joint_keys(table);
        let body = self.names.find_body(&table.body, self.problems);
        let other = match &table.to {
            Some(name) => self.joint_end(name).map(Some),
            None => Some(None),
        };
        let frame = self.joint_frame(table);
        let (body, other, frame) = (body?, other?, frame?);
        let first = Owner::Body(body as u32);
        if other == Some(first) {
            let span = table.to.as_ref().map_or(table.span, |to| to.span);
            let draft = Draft::error(span, "joint between a body and itself").found("one body");
            self.problems.push(draft.expected("two bodies, or one and a boundary or the ground"));
            return None;
        }
        let own = self.setup.bodies.get(body)?.pose;
        let [from, to] = match (&table.points, &table.point) {
            (Some(points), _) => [&points.first, &points.second].map(vector::<S, _, _>),
            (None, Some(point)) => [vector::<S, _, _>(point); 2],
            (None, None) => [own.position; 2],
        };
        let (kind, frames) = match table.kind {
            JointWord::Gear | JointWord::Rack => self.transmission(table, [from, to])?,
            _ => (self.joint_kind(table, [from, to])?, [frame; 2]),
        };
        let equipment = self.joint_equipment(table, (from - to).norm());
        let (friction, drives, strength) = equipment.filter(|_| keys)?;
        let side = |owner: Option<Owner>, point: S::Vector, frame: S::Rotation| {
            let pose = match owner {
                None => Pose::IDENTITY,
                Some(Owner::Body(index)) => self.setup.bodies[index as usize].pose,
                Some(Owner::Boundary(index)) => self.setup.boundaries[index as usize].pose,
            };
            JointSide { owner, frame: pose.inverse().compose(&Pose::new(point, frame)) }
        };
        Some(Joint {
            name: table.name.as_ref().map_or(String::new(), |name| name.value.clone()),
            kind,
            sides: [side(Some(first), from, frames[0]), side(other, to, frames[1])],
            pulleys: pulleys::<S>(table).unwrap_or_default(),
            coordinates: coordinates_of(table.coordinates.as_ref()),
            contact: table.contact.unwrap_or(false),
            limit: joint_limit(table),
            ratchet: ratchet(table),
            friction,
            drives,
            strength,
        })
    }

    /// The body or boundary that a joint or spring holds to.
    pub(super) fn joint_end(&mut self, name: &Text) -> Option<Owner> {
        let owner = self.names.find(name, "a body or boundary", self.problems)?;
        let Owner::Boundary(index) = owner else { return Some(owner) };
        let boundary = self.setup.boundaries.get(index as usize)?;
        let message = match () {
            () if self.setup.is_loaded(index as usize) => "joint to a boundary under a load",
            () if boundary.removal.is_finite() => "joint to a boundary that vanishes",
            () => return Some(owner),
        };
        let draft = Draft::error(name.span, message).found(format!("`{}`", name.value));
        let draft = draft.expected("a boundary that is fixed or has a motion, and stays");
        self.problems.push(draft.help("make it a body on a slider, with the load on this body"));
        None
    }

    /// Checks that the keys are those of the kind.
    fn joint_keys(&mut self, table: &JointTable) -> bool {
        let (kind, dimension) = (table.kind, S::DIMENSION);
        let of = Of::from(table);
        let before = self.problems.errors();
        if !kind.is_in(dimension) {
            let message = format!("there is no {} joint in the plane", kind.word());
            let draft = Draft::error(table.span, message).found(format!("`{}`", kind.word()));
            let draft = draft.expected(
                "`weld`, `hinge`, `slider`, `rod`, `rope`, `spring`, `gear`, `rack` or `pulley`",
            );
            self.problems.push(match kind {
                JointWord::Ball => draft.help("did you mean `hinge`?"),
                _ => draft,
            });
            return false;
        }
        let axis = table.axis.as_ref().map(|axis| axis.span);
        let second = table.second_axis.as_ref().map(|axis| axis.span);
        let length = table.length.as_ref().map(|length| length.span);
        let of_universal = kind == JointWord::Universal;
        let tilt = table.tilt.as_ref().map(|tilt| tilt.span);
        // A ball joint has an axis where its tilt counts.
        let tilts = kind == JointWord::Ball && tilt.is_some();
        let sprung = kind == JointWord::Ball && table.spring.is_some();
        let turns = kind.has_axis(dimension);
        self.joint_key(of, "tilt", tilt, kind == JointWord::Ball, false);
        self.joint_key(of, "axis", axis, turns || tilts || sprung, turns || tilts);
        self.joint_key(of, "second_axis", second, of_universal, of_universal);
        let long = kind.has_ends() && kind != JointWord::Spring;
        self.joint_key(of, "length", length, long, false);
        let angle = table.angle.as_ref().map(|angle| angle.span);
        let travel = table.travel.as_ref().map(|travel| travel.span);
        let goes = matches!(kind, JointWord::Slider | JointWord::Cylindrical | JointWord::Screw);
        self.transmission_keys(table);
        self.joint_key(
            of,
            "angle",
            angle,
            matches!(kind, JointWord::Hinge | JointWord::Planar),
            false,
        );
        self.joint_key(of, "travel", travel, goes, false);
        if let Some(ratchet) = &table.ratchet {
            let turns = kind == JointWord::Hinge;
            let [angle, travel] = [
                ratchet.angle.as_ref().map(|angle| angle.span),
                ratchet.travel.as_ref().map(|travel| travel.span),
            ];
            self.joint_key(of, "ratchet", Some(ratchet.span), turns || goes, false);
            if turns || goes {
                self.joint_key(of, "ratchet.angle", angle, turns, false);
                self.joint_key(of, "ratchet.travel", travel, goes, false);
            }
        }
        let restitution = table.restitution.as_ref().map(|restitution| restitution.span);
        let ropes = matches!(kind, JointWord::Rope | JointWord::Pulley);
        let stops = angle.or(travel).or(tilt).is_some() || ropes;
        if let Some(span) = restitution.filter(|_| !stops) {
            let draft = Draft::error(span, "restitution of a joint without limits");
            let draft = draft
                .found("`restitution`")
                .expected("`angle`, `travel`, `tilt` or a rope with it");
            self.problems.push(draft);
        }
        for (span, [low, high]) in [(angle, angle_of(table)), (travel, travel_of(table))] {
            if let Some(span) = span.filter(|_| low > 0.0 || high < 0.0 || low >= high) {
                let draft = Draft::error(span, "limits that do not hold at the start");
                let draft = draft.found(format!("from {} to {}", short(low), short(high)));
                self.problems
                    .push(draft.expected("the least, up to 0, and the largest, from 0 on"));
            }
        }
        if let (Some(point), Some(_)) = (&table.point, &table.points) {
            let draft = Draft::error(point.span, "place given twice").found("`point` and `points`");
            self.problems.push(draft.expected("one of them"));
        }
        if kind.has_points() && table.points.is_none() {
            let what = if kind.has_ends() { "ends" } else { "points" };
            let message = format!("{} without {what}", kind.word());
            let draft = Draft::error(table.span, message);
            let draft = draft.expected("`points`: one of the body, and one of what it is held to");
            self.problems.push(draft.help("add `points = [[…], […]]`"));
        }
        self.problems.errors() == before
    }

    /// Checks one key: whether the kind can have it, and must.
    pub(super) fn joint_key(
        &mut self,
        of: Of,
        key: &str,
        given: Option<Span>,
        can: bool,
        must: bool,
    ) {
        let kind = of.kind.word();
        match given {
            Some(span) if !can => {
                let draft = Draft::error(span, format!("a {kind} joint has no `{key}`"));
                self.problems.push(draft.found(format!("`{key}`")).expected("a joint without it"));
            }
            None if must => {
                let draft = Draft::error(of.span, format!("{kind} joint without `{key}`"));
                let draft = draft.expected("a direction in world axes");
                self.problems.push(draft.help(format!("add `{key} = […]`")));
            }
            _ => {}
        }
    }

    /// The joint's axes in the world.
    fn joint_frame(&mut self, table: &JointTable) -> Option<S::Rotation> {
        let Some(given) = &table.axis else { return Some(S::Rotation::IDENTITY) };
        let axis = direction::<S, _, _>(given, self.problems)?;
        let Some(second) = &table.second_axis else { return S::joint_frame(axis, None) };
        let other = direction::<S, _, _>(second, self.problems)?;
        let along = axis.dot(other).abs();
        if along > SQUARE {
            let parallel = 1.0 - along < SQUARE;
            let message =
                if parallel { "parallel axes" } else { "axes that are not at right angles" };
            let draft = Draft::error(second.span, message);
            let degrees = math::acos(along.min(1.0)).to_degrees();
            let draft = draft.found(format!("an angle of {} degrees", short(degrees)));
            self.problems
                .push(draft.expected("axes at right angles: a universal joint is a cross"));
            return None;
        }
        S::joint_frame(axis, Some(other))
    }

    fn joint_kind(&mut self, table: &JointTable, points: [S::Vector; 2]) -> Option<JointKind> {
        Some(match table.kind {
            JointWord::Weld => JointKind::Weld,
            JointWord::Hinge => JointKind::Hinge,
            JointWord::Slider => JointKind::Slider,
            JointWord::Cylindrical => JointKind::Cylindrical,
            JointWord::Ball => JointKind::Ball,
            JointWord::Universal => JointKind::Universal,
            JointWord::Planar => JointKind::Planar,
            JointWord::Spring => JointKind::Spring,
            JointWord::Screw => JointKind::Screw { pitch: table.pitch.as_ref()?.value },
            JointWord::Pulley => self.pulley(table, points)?,
            // Made by `transmission`.
            JointWord::Gear | JointWord::Rack => return None,
            JointWord::Rod | JointWord::Rope => {
                let between = (points[0] - points[1]).norm();
                let length = table.length.as_ref().map_or(between, |length| length.value);
                let slack = table.kind == JointWord::Rope;
                if slack && between > length * (1.0 + 1e-9) {
                    let ends = table.points.as_ref().map_or(table.span, |ends| ends.span);
                    let draft = Draft::error(ends, "rope shorter than the distance of its ends");
                    let draft = draft.found(format!("ends {} m apart", short(between)));
                    self.problems.push(draft.expected(format!("at most {} m", short(length))));
                    return None;
                }
                if !slack && (between < 1e-9 * length || between == 0.0) {
                    // Without ends it has been reported already.
                    let Some(ends) = &table.points else { return None };
                    let draft = Draft::error(ends.span, "rod of no direction");
                    self.problems
                        .push(draft.found("two equal ends").expected("two different points"));
                    return None;
                }
                match slack {
                    true => JointKind::Rope { length },
                    false => JointKind::Rod { length },
                }
            }
        })
    }

    /// Whether two are held by a joint that lets them pass through each other.
    pub fn passes(&self) -> BTreeSet<(Owner, Owner)> {
        let joints = self.setup.joints.iter().filter(|joint| !joint.contact);
        let pairs = joints.filter_map(|joint| match joint.sides.map(|side| side.owner) {
            [Some(a), Some(b)] => Some((a.min(b), a.max(b))),
            _ => None,
        });
        pairs.collect()
    }

    /// Whether joints can be closed and computed: the engine is asked, once nothing else is wrong.
    pub fn check_joints(&mut self) {
        if self.setup.joints.is_empty() || self.problems.has_errors() {
            return;
        }
        let draft = match World::new(self.setup.clone()) {
            Ok(_) => return,
            Err(SetupError::NotAssembled { index, distance, angle, .. }) => {
                let name = label(&self.setup.joints[index].name, "joint", index + 1);
                let message = format!("{name} cannot be closed together with the others");
                let found = match distance > angle {
                    true => format!("{} m left between its sides", short(distance)),
                    false => format!("an angle of {} rad left between its sides", short(angle)),
                };
                Draft::error(self.joint_spans[index], message)
                    .found(found)
                    .expected("joints that bodies can satisfy all at once, from where they are")
                    .help("check lengths and points; is a joint there twice with another axis?")
            }
            Err(SetupError::Coordinates { name, index, why }) => {
                let message = format!("`{name}` cannot be had in reduced coordinates");
                Draft::error(self.joint_spans[index], message)
                    .found(why)
                    .expected("a tree of joints, all of them in the same coordinates")
                    .help("leave out `coordinates` at all joints of this mechanism")
            }
            Err(SetupError::UnfitForJoints { .. }) => {
                Draft::error(self.joint_spans[0], "law that bodies with joints cannot have")
                    .found("rolling or spinning resistance")
                    .expected("laws without it for the materials of joined bodies")
                    .help("give joined bodies a material of their own")
            }
            Err(error) => Draft::error(self.joint_spans[0], "joints cannot be computed")
                .found(error.to_string())
                .expected("a scene that the engine takes"),
        };
        self.problems.push(draft);
    }
}
