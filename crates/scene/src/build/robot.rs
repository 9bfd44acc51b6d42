//! Robots: bodies, boundaries and joints from a description.

use super::body::rotation;
use super::dimension::{SceneSpace, vector_or_zero};
use super::joint::coordinates_of;
use super::joint_drive::Of;
use super::{Builder, Origin};
use crate::files::Files;
use crate::format::{JointWord, RobotBaseWord, RobotJointTable, RobotTable};
use crate::mesh;
use crate::plain::Text;
use crate::report::{Draft, Source, Span, short};
use crate::robot::{Link, LinkJoint, Model, Motion, Reading};
use crate::wrap::List;
use drystone_engine::{
    Body, Boundary, Characteristic, Drive, DriveLaw, Freedom, Joint, JointDrive, JointFriction,
    JointKind, JointLimit, JointSide, Jointed, MaterialId, Owner, Part, Signal, Target,
};
use drystone_space::{DVec3, Plane, Pose, Volume};
use miette::NamedSource;
use std::path::Path;
use std::sync::Arc;

/// A space with robots, or without.
pub(crate) trait Robots: drystone_space::Space {
    /// Adds a robot.
    fn robot(builder: &mut Builder<'_, Self>, table: &RobotTable)
    where
        Self: SceneSpace;
}

impl Robots for Plane {
    fn robot(builder: &mut Builder<'_, Self>, table: &RobotTable) {
        let draft = Draft::error(table.span, "robot in the plane").found("`dimension = 2`");
        builder.problems.push(draft.expected("a scene in space, with `dimension = 3`"));
    }
}

impl Robots for Volume {
    fn robot(builder: &mut Builder<'_, Self>, table: &RobotTable) {
        let material = builder.materials.find(&table.material, builder.problems);
        let (Some(read), Some(material)) = (builder.description(table), material) else { return };
        let (model, source) = read;
        let name = table.name.as_ref().map_or(model.name.as_str(), |name| &name.value).to_owned();
        let placing = Placing { table, source, name, material };
        builder.place_robot(model, &placing);
    }
}

/// What the links of a robot have in common.
struct Placing<'t> {
    table: &'t RobotTable,
    source: Source,
    name: String,
    material: MaterialId,
}

impl Placing<'_> {
    /// What a link or a joint of the description is called in the scene.
    fn name_of(&self, own: &str) -> Text {
        Text { value: format!("{}/{own}", self.name), span: self.table.span }
    }

    fn task(&self, joint: &str) -> Option<&RobotJointTable> {
        let list = self.table.joint.as_ref()?;
        list.items.iter().find(|task| task.name.value == joint)
    }

    /// Where a joint starts, as the description counts.
    fn start_of(&self, joint: &LinkJoint) -> f64 {
        let told = self.task(&joint.name).and_then(|task| {
            let angle = task.angle.as_ref().map(|angle| angle.value);
            angle.or(task.travel.as_ref().map(|travel| travel.value))
        });
        told.unwrap_or(joint.start)
    }
}

/// A link that has its place.
struct Placed {
    owner: Option<Owner>,
    world_from_link: Pose<Volume>,
}

/// The vertices of a mesh, of which a text is kept with the run.
fn vertices(files: &Files, name: &str, bytes: Vec<u8>) -> Result<Vec<DVec3>, String> {
    let made = mesh::parse(name, &bytes).map_err(|error| {
        let before = error.at.as_ref().and_then(|place| bytes.get(..place.start));
        let line = before.map(|text| text.iter().filter(|&&byte| byte == b'\n').count() + 1);
        let place = line.map_or(String::new(), |line| format!("line {line}: "));
        format!("{place}{}, found {}", error.message, error.found)
    })?;
    if made.vertices.is_empty() {
        return Err("it has no vertices".to_owned());
    }
    files.keep(name, String::from_utf8(bytes).unwrap_or_else(|_| mesh::as_text(&made)));
    Ok(made.vertices)
}

impl<S: SceneSpace> Builder<'_, S> {
    /// The robots of the file.
    pub fn robots(&mut self, list: &List<RobotTable>) {
        for table in &list.items {
            S::robot(self, table);
        }
    }
}

impl Builder<'_, Volume> {
    /// The description that a table names.
    fn description(&mut self, table: &RobotTable) -> Option<(Model, Source)> {
        let text = self.read(&table.file, "a robot in URDF or MJCF")?;
        let path = self.around.files.path(&table.file.value);
        let source: Source = NamedSource::new(path.display().to_string(), Arc::from(&*text));
        let folder = Path::new(&table.file.value).parent().unwrap_or(Path::new(""));
        let files = &self.around.files;
        let mesh = |names: &[String]| {
            let mut why = String::new();
            for name in names {
                let name = folder.join(name).to_string_lossy().into_owned();
                match files.read_bytes(&name) {
                    Ok(bytes) => return vertices(files, &name, bytes),
                    Err(error) => why = error.to_string(),
                }
            }
            Err(why)
        };
        let reading = Reading { fixed: table.base == Some(RobotBaseWord::Fixed), mesh: &mesh };
        let model = crate::robot::read(&text, source.clone(), reading, self.problems)?;
        Some((model, source))
    }

    fn place_robot(&mut self, model: Model, placing: &Placing) {
        let table = placing.table;
        self.check_tasks(&model, placing);
        if !self.room(model.links.len(), table.span) {
            return;
        }
        let ground = Pose::<Volume>::new(
            vector_or_zero::<Volume, _, _>(&table.position),
            rotation::<Volume>(&table.rotation),
        );
        let first = self.setup.bodies.len();
        let mut placed: Vec<Placed> = Vec::new();
        for (number, link) in model.links.into_iter().enumerate() {
            let (parent, outer) = match link.parent {
                Some(parent) => (placed[parent].owner, placed[parent].world_from_link),
                None => (None, ground),
            };
            let start = placing.start_of(&link.joint);
            let world_from_link = outer.compose(&link.joint.parent_from_link(start));
            let still = link.joint.motion == Motion::Fixed;
            let owner = match still {
                true => self.still_link(&link, world_from_link, placing),
                false => self.moving_link(&link, world_from_link, number, placing),
            };
            if let (Some(owner), false) = (owner, still) {
                let at = [world_from_link, outer];
                self.link_joint(&link.joint, [Some(owner), parent], at, start, placing);
            }
            placed.push(Placed { owner, world_from_link });
        }
        let group = Text { value: placing.name.clone(), span: table.span };
        self.names.claim(&Some(group), None, self.problems);
        self.names.add_group(&placing.name, first..self.setup.bodies.len());
    }

    /// A link that the world holds: a boundary, if it has shapes.
    fn still_link(
        &mut self,
        link: &Link,
        world_from_link: Pose<Volume>,
        placing: &Placing,
    ) -> Option<Owner> {
        if link.shapes.is_empty() {
            return None;
        }
        let name = placing.name_of(&link.name);
        let owner = Owner::Boundary(self.setup.boundaries.len() as u32);
        self.setup.boundaries.push(Boundary {
            name: name.value.clone(),
            pose: world_from_link,
            parts: parts_of(link, placing.material),
            drive: Drive::Fixed,
            removal: f64::INFINITY,
        });
        self.boundary_spans.push(placing.table.span);
        self.names.claim(&Some(name), Some(owner), self.problems);
        Some(owner)
    }

    fn moving_link(
        &mut self,
        link: &Link,
        world_from_link: Pose<Volume>,
        number: usize,
        placing: &Placing,
    ) -> Option<Owner> {
        let Some(mass) = link.mass else {
            let draft = Draft::error(link.span, "link without mass");
            let draft = draft.found(format!("`{}`, which moves", link.name));
            let draft = draft.expected("an `<inertial>`, or shapes with a mass in MJCF");
            self.problems.push_in(&placing.source, draft);
            return None;
        };
        let index = self.setup.bodies.len();
        let name = placing.name_of(&link.name);
        let mut body = Body::new(mass, parts_of(link, placing.material), world_from_link);
        body.set_name(name.value.as_str());
        self.names.claim(&Some(name), Some(Owner::Body(index as u32)), self.problems);
        for other in &link.others {
            self.names.add_body(&placing.name_of(other).value, index);
        }
        self.setup.bodies.push(body);
        let (span, number) = (placing.table.span, number + 1);
        self.origins.push(Origin { span, velocity: None, noun: "link", number });
        Some(Owner::Body(index as u32))
    }

    /// The joint of a link; `at` is where the axes of the link and those of its parent are.
    fn link_joint(
        &mut self,
        joint: &LinkJoint,
        owners: [Option<Owner>; 2],
        at: [Pose<Volume>; 2],
        start: f64,
        placing: &Placing,
    ) {
        let (kind, word) = match joint.motion {
            Motion::Fixed | Motion::Free => return,
            Motion::Hinge => (JointKind::Hinge, JointWord::Hinge),
            Motion::Slider => (JointKind::Slider, JointWord::Slider),
            Motion::Ball => (JointKind::Ball, JointWord::Ball),
            Motion::Planar => (JointKind::Planar, JointWord::Planar),
        };
        let Some(turn) = Volume::joint_frame(joint.axis, None) else { return };
        let own = Pose::new(joint.point, turn);
        let frames = [at[0].compose(&own), at[1].compose(&joint.place).compose(&own)];
        let side = |number: usize| {
            let pose = match owners[number] {
                None => Pose::IDENTITY,
                Some(Owner::Body(index)) => self.setup.bodies[index as usize].pose,
                Some(Owner::Boundary(index)) => self.setup.boundaries[index as usize].pose,
            };
            let frame = pose.inverse().compose(&frames[number]);
            JointSide { owner: owners[number], frame }
        };
        let mut made = Joint::new(kind, [side(0), side(1)]);
        made.name = placing.name_of(&joint.name).value;
        made.coordinates = coordinates_of(placing.table.coordinates.as_ref());
        made.limit = joint.limit.map(|[low, high]| JointLimit { low, high, restitution: 0.0 });
        made.friction = self.link_friction(joint, kind, placing);
        let freedom = kind.freedoms().first().copied().filter(|&f| f != Freedom::Swing);
        // A ball joint's spring is against every turn.
        let sprung = if kind == JointKind::Ball { Some(Freedom::Turn) } else { freedom };
        if let Some(freedom) = sprung.filter(|_| joint.stiffness + joint.damping > 0.0) {
            let (stiffness, damping) = (joint.stiffness, joint.damping);
            let rest = if freedom.is_vector() { 0.0 } else { joint.rest };
            let of = Characteristic { stiffness, rest, damping, ..Characteristic::default() };
            made.drives.push(JointDrive { freedom, law: DriveLaw::Spring(of) });
        }
        made.drives.extend(freedom.and_then(|freedom| {
            let of = Of { kind: word, span: placing.table.span };
            self.link_motor(joint, of, freedom, start, placing)
        }));
        self.setup.joints.push(made);
        let task = placing.task(&joint.name).map(|task| task.span);
        self.joint_spans.push(task.unwrap_or(placing.table.span));
    }

    fn link_friction(
        &mut self,
        joint: &LinkJoint,
        kind: JointKind,
        placing: &Placing,
    ) -> Option<JointFriction> {
        if joint.friction == 0.0 {
            return None;
        }
        if !kind.has_friction() {
            self.not_taken(joint, "friction of such a joint", placing);
            return None;
        }
        Some(JointFriction { least: joint.friction, ..JointFriction::default() })
    }

    fn not_taken(&mut self, joint: &LinkJoint, what: &str, placing: &Placing) {
        let draft = Draft::warning(joint.span, format!("{what} is left out"));
        let draft = draft.help("hinges and sliders have friction, springs and dampers");
        self.problems.push_in(&placing.source, draft);
    }

    /// What drives a joint: its task, or that it is held.
    fn link_motor(
        &mut self,
        joint: &LinkJoint,
        of: Of,
        freedom: Freedom,
        start: f64,
        placing: &Placing,
    ) -> Option<JointDrive> {
        let own = joint.motor;
        if let Some((task, motor)) =
            placing.task(&joint.name).and_then(|task| Some((task, task.motor.as_ref()?)))
        {
            let mut drive = self.joint_motor(Of { span: task.span, ..of }, motor)?;
            if let (DriveLaw::Motor { most, target }, Some(bound)) = (&mut drive.law, own)
                && (most.is_infinite() || matches!(target, Target::Effort(_)))
            {
                *most = bound;
            }
            return Some(drive);
        }
        let most = own.filter(|_| placing.table.hold == Some(true))?;
        let target = Target::Place(Signal::Constant(start));
        Some(JointDrive { freedom, law: DriveLaw::Motor { target, most } })
    }

    /// Checks that tasks are of joints that are there, once each, and start within their bounds.
    fn check_tasks(&mut self, model: &Model, placing: &Placing) {
        let joints = || model.links.iter().map(|link| &link.joint);
        for joint in joints().filter(|joint| placing.task(&joint.name).is_none()) {
            self.check_within(joint, placing.table.span, joint.start);
        }
        let Some(list) = &placing.table.joint else { return };
        let names: Vec<&str> =
            joints().filter(|joint| joint.moves()).map(|joint| joint.name.as_str()).collect();
        for (number, task) in list.items.iter().enumerate() {
            let name = &task.name;
            if list.items[..number].iter().any(|other| other.name.value == name.value) {
                let draft = Draft::error(name.span, "two tables for one joint");
                let draft = draft.found(format!("`{}`", name.value));
                self.problems.push(draft.expected("one table with all that the joint has"));
            }
            let found = joints().find(|joint| joint.moves() && joint.name == name.value);
            let Some(joint) = found else {
                let draft = Draft::error(name.span, "the robot has no such joint");
                let draft = draft.found(format!("`{}`", name.value));
                let draft = draft.expected("a joint of the description that moves");
                self.problems.push(draft.nearest(&name.value, &names));
                continue;
            };
            self.check_start(joint, task);
        }
    }

    fn check_start(&mut self, joint: &LinkJoint, task: &RobotJointTable) {
        let angle = task.angle.as_ref().map(|angle| (angle.span, angle.value));
        let travel = task.travel.as_ref().map(|travel| (travel.span, travel.value));
        let turns = matches!(joint.motion, Motion::Hinge | Motion::Planar);
        let (own, other) = if turns { (angle, travel) } else { (travel, angle) };
        if let Some((span, _)) = other {
            let (message, expected) = match turns {
                true => ("displacement of a hinge", "`angle`"),
                false => ("angle of a joint that does not turn", "`travel`"),
            };
            let draft = Draft::error(span, message).found(format!("`{}`", joint.name));
            self.problems.push(draft.expected(expected));
        }
        let Some((span, at)) = own.or(Some((task.span, joint.start))) else { return };
        self.check_within(joint, span, at);
    }

    fn check_within(&mut self, joint: &LinkJoint, span: Span, at: f64) {
        let Some([low, high]) = joint.limit else { return };
        if (low..=high).contains(&at) {
            return;
        }
        let draft = Draft::error(span, "joint that starts beyond its limit");
        let draft = draft.found(format!("`{}` at {}", joint.name, short(at)));
        let expected = format!("from {} to {}, as the description says", short(low), short(high));
        self.problems.push(draft.expected(expected));
    }
}

impl LinkJoint {
    /// Whether it has a coordinate.
    fn moves(&self) -> bool {
        matches!(self.motion, Motion::Hinge | Motion::Slider | Motion::Planar)
    }
}

fn parts_of(link: &Link, material: MaterialId) -> Vec<Part<Volume>> {
    let part =
        |shape: &crate::robot::LinkShape| Part::new(shape.shape.clone(), material).at(shape.place);
    link.shapes.iter().map(part).collect()
}
