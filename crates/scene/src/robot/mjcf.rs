//! MJCF: a tree of bodies, each with its joint to the one around it; values by default classes.

use super::geometry::{Formed, cuboid, cylinder, solid, turn, turn_of_axes, weigh};
use super::xml::{Xml, place, span_of};
use super::{Link, LinkJoint, LinkShape, Model, Motion, Reading};
use crate::report::Draft;
use drystone_detect::volume::VolumeShape;
use drystone_detect::{ShapeError, Solid};
use drystone_engine::MassProperties;
use drystone_space::{DQuat, DVec3, Pose, Symmetric3, Volume, math};
use roxmltree::{Document, Node};
use std::collections::HashMap;
use std::f64::consts::TAU;

/// Density of shapes that do not state one, kg/m³.
const WATER: f64 = 1000.0;

/// A class of default values: the one around it, and its element.
struct Class<'a> {
    outer: Option<usize>,
    node: Node<'a, 'a>,
}

/// What holds for the whole file.
struct Settings<'a> {
    reading: Reading<'a>,
    /// Radians of a unit of angles.
    angle: f64,
    auto_limits: bool,
    mesh_folder: String,
    classes: Vec<Class<'a>>,
    names: HashMap<&'a str, usize>,
    meshes: HashMap<String, Node<'a, 'a>>,
}

/// A shape of a body as it is weighed: solid, place, mass.
type Weight = (Solid<Volume>, Pose<Volume>, f64);

/// A shape with its solid, if it has one, and its place.
type PlacedGeom = ((VolumeShape, Option<Solid<Volume>>), Pose<Volume>);

pub(super) fn read<'a>(
    document: &'a Document<'a>,
    mut xml: Xml,
    reading: Reading<'a>,
) -> Option<Model> {
    let root = document.root_element();
    xml.children(
        root,
        &["compiler", "default", "asset", "worldbody", "actuator"],
        &["visual", "statistic", "size", "sensor"],
        &[
            "option",
            "contact",
            "equality",
            "tendon",
            "keyframe",
            "custom",
            "extension",
            "deformable",
            "include",
        ],
    );
    let elements = |tag: &'static str| root.children().filter(move |node| node.has_tag_name(tag));
    let mut settings = Settings {
        reading,
        angle: TAU / 360.0,
        auto_limits: true,
        mesh_folder: String::new(),
        classes: Vec::new(),
        names: HashMap::new(),
        meshes: HashMap::new(),
    };
    elements("compiler").for_each(|node| xml.compiler(node, &mut settings));
    elements("default").for_each(|node| settings.class(node, None));
    for mesh in
        elements("asset").flat_map(|node| node.children()).filter(|n| n.has_tag_name("mesh"))
    {
        let file = mesh.attribute("file").unwrap_or_default();
        let stem = file.rsplit('/').next().and_then(|name| name.split('.').next());
        let name = mesh.attribute("name").or(stem).unwrap_or_default();
        settings.meshes.insert(name.to_owned(), mesh);
    }
    let mut links = Vec::new();
    for world in elements("worldbody") {
        let mut ground = Link {
            name: "world".to_owned(),
            span: span_of(world),
            mass: None,
            shapes: Vec::new(),
            parent: None,
            joint: LinkJoint::new("", span_of(world), Motion::Fixed, Pose::IDENTITY),
            others: Vec::new(),
        };
        xml.geoms(world, "", &settings, &mut ground, true);
        let number = links.len();
        links.push(ground);
        for body in world.children().filter(|node| node.has_tag_name("body")) {
            xml.body(body, number, "", &settings, &mut links);
        }
    }
    if links.iter().all(|link| link.parent.is_none()) {
        let draft = Draft::error(span_of(root), "model without bodies");
        xml.push(draft.expected("a `<worldbody>` with at least one `<body>`"));
        return None;
    }
    let actuators = elements("actuator").flat_map(|node| node.children());
    for actuator in actuators.filter(Node::is_element) {
        xml.actuator(actuator, &settings, &mut links);
    }
    let name = root.attribute("model").unwrap_or("robot").to_owned();
    Some(Model { name, links })
}

impl<'a> Settings<'a> {
    /// Takes a class and those in it.
    fn class(&mut self, node: Node<'a, 'a>, outer: Option<usize>) {
        let number = self.classes.len();
        self.classes.push(Class { outer, node });
        self.names.insert(node.attribute("class").unwrap_or("main"), number);
        for inner in node.children().filter(|child| child.has_tag_name("default")) {
            self.class(inner, Some(number));
        }
    }

    /// The element that has a value of another: itself, or a default of its class.
    fn holder(&self, node: Node<'a, 'a>, inherited: &str, name: &str) -> Option<Node<'a, 'a>> {
        if node.has_attribute(name) {
            return Some(node);
        }
        let word = match node.attribute("class") {
            Some(class) => class,
            None if inherited.is_empty() => "main",
            None => inherited,
        };
        let mut next = self.names.get(word).copied();
        while let Some(class) = next.map(|number| &self.classes[number]) {
            let tag = node.tag_name();
            let element = class.node.children().find(|child| child.tag_name() == tag);
            if let Some(element) = element.filter(|element| element.has_attribute(name)) {
                return Some(element);
            }
            next = class.outer;
        }
        None
    }

    fn word(&self, node: Node<'a, 'a>, inherited: &str, name: &str) -> Option<&'a str> {
        self.holder(node, inherited, name)?.attribute(name)
    }
}

impl Xml<'_> {
    fn compiler(&mut self, node: Node, settings: &mut Settings) {
        match node.attribute("angle") {
            Some("radian") => settings.angle = 1.0,
            Some("degree") | None => {}
            Some(other) => {
                let draft = Draft::error(place(node, "angle"), "unknown unit of angles");
                self.push(draft.found(format!("`{other}`")).expected("`degree` or `radian`"));
            }
        }
        settings.auto_limits = node.attribute("autolimits") != Some("false");
        settings.mesh_folder =
            node.attribute("meshdir").unwrap_or("").trim_end_matches('/').to_owned();
        for (name, usual) in
            [("coordinate", "local"), ("eulerseq", "xyz"), ("inertiafromgeom", "auto")]
        {
            if let Some(other) = node.attribute(name).filter(|&word| word != usual) {
                let draft = Draft::error(place(node, name), format!("`{name}` of another kind"));
                self.push(draft.found(format!("`{other}`")).expected(format!("`{usual}`")));
            }
        }
    }

    /// Reports a class that is not there.
    fn check_class<'a>(&mut self, node: Node<'a, 'a>, name: &str, settings: &Settings<'a>) {
        let Some(class) = node.attribute(name) else { return };
        if !settings.names.contains_key(class) {
            let known: Vec<&str> = settings.names.keys().copied().collect();
            let draft = Draft::error(place(node, name), "unknown class of default values");
            let draft = draft.found(format!("`{class}`")).expected("the class of a `<default>`");
            self.push(draft.nearest(class, &known));
        }
    }

    /// Place and turn of an element.
    fn pose(&mut self, node: Node, settings: &Settings) -> Pose<Volume> {
        let at = self.vector(node, "pos").unwrap_or(DVec3::ZERO);
        Pose::new(at, self.turned(node, settings).unwrap_or(DQuat::IDENTITY))
    }

    fn turned(&mut self, node: Node, settings: &Settings) -> Option<DQuat> {
        if node.has_attribute("quat") {
            let [w, x, y, z] = self.numbers::<4>(node, "quat")?;
            let given = DQuat::from_xyzw(x, y, z, w);
            if given.length() > 1e-100 {
                return Some(given.normalize());
            }
            let draft = Draft::error(place(node, "quat"), "turn of length zero").found("zeros");
            self.push(draft.expected("four numbers that are not all zero"));
            return None;
        }
        if node.has_attribute("axisangle") {
            let [x, y, z, angle] = self.numbers::<4>(node, "axisangle")?;
            return Some(turn(DVec3::new(x, y, z).normalize_or_zero(), angle * settings.angle));
        }
        if node.has_attribute("euler") {
            let angles = self.vector(node, "euler")? * settings.angle;
            let inner = turn(DVec3::Y, angles.y) * turn(DVec3::Z, angles.z);
            return Some(turn(DVec3::X, angles.x) * inner);
        }
        if node.has_attribute("zaxis") {
            return Some(math::arc(DVec3::Z, self.direction(node, "zaxis")?));
        }
        if node.has_attribute("xyaxes") {
            let [a, b, c, d, e, f] = self.numbers::<6>(node, "xyaxes")?;
            let turned = turn_of_axes(DVec3::new(a, b, c), DVec3::new(d, e, f));
            if turned.is_none() {
                let draft = Draft::error(place(node, "xyaxes"), "parallel axes");
                self.push(draft.expected("two directions across each other"));
            }
            return turned;
        }
        None
    }

    fn body<'a>(
        &mut self,
        node: Node<'a, 'a>,
        parent: usize,
        inherited: &str,
        settings: &Settings<'a>,
        links: &mut Vec<Link>,
    ) {
        self.children(
            node,
            &["inertial", "joint", "freejoint", "geom", "body"],
            &["site", "camera", "light"],
            &["composite", "flexcomp", "plugin", "attach", "frame"],
        );
        self.check_class(node, "childclass", settings);
        let inherited = node.attribute("childclass").unwrap_or(inherited);
        let name = match node.attribute("name") {
            Some(name) => name.to_owned(),
            None => format!("body {}", links.len()),
        };
        if node.has_attribute("name") && links.iter().any(|link| link.name == name) {
            let draft = Draft::error(place(node, "name"), "body named twice");
            self.push(draft.found(format!("`{name}`")).expected("a name that no other body has"));
        }
        let at = self.pose(node, settings);
        let mut link = Link {
            name,
            span: span_of(node),
            mass: None,
            shapes: Vec::new(),
            parent: Some(parent),
            joint: LinkJoint::new("", span_of(node), Motion::Fixed, at),
            others: Vec::new(),
        };
        self.geoms(node, inherited, settings, &mut link, false);
        if let Some(inertial) = node.children().find(|child| child.has_tag_name("inertial")) {
            link.mass = self.body_mass(inertial, settings);
        }
        let is_joint =
            |child: &Node| child.has_tag_name("joint") || child.has_tag_name("freejoint");
        let mut joints = node.children().filter(is_joint);
        if let Some(joint) = joints.next() {
            self.check_class(joint, "class", settings);
            link.joint = self.body_joint(joint, inherited, settings, &link);
        }
        if let Some(second) = joints.next() {
            let draft = Draft::error(span_of(second), "body with several joints");
            let draft = draft.found(format!("`{}`", link.name)).expected("one joint in a body");
            self.push(draft.help("put a light body with a joint of its own between both"));
        }
        let number = links.len();
        links.push(link);
        for inner in node.children().filter(|child| child.has_tag_name("body")) {
            self.body(inner, number, inherited, settings, links);
        }
    }

    fn body_joint<'a>(
        &mut self,
        node: Node<'a, 'a>,
        inherited: &str,
        settings: &Settings<'a>,
        link: &Link,
    ) -> LinkJoint {
        let name = node.attribute("name").unwrap_or(&link.name);
        let kinds = ["hinge", "slide", "ball", "free"];
        let kind = settings.word(node, inherited, "type").unwrap_or("hinge");
        let motion = match kind {
            _ if node.has_tag_name("freejoint") => Motion::Free,
            "hinge" => Motion::Hinge,
            "slide" => Motion::Slider,
            "ball" => Motion::Ball,
            "free" => Motion::Free,
            other => {
                let draft = Draft::error(place(node, "type"), "unknown type of joint");
                let draft = draft.found(format!("`{other}`"));
                self.push(draft.expected(crate::decode::listed(&kinds)).nearest(other, &kinds));
                Motion::Hinge
            }
        };
        if motion == Motion::Free && link.parent != Some(0) {
            let draft = Draft::error(span_of(node), "free joint within another body");
            self.push(draft.expected("a body of the `<worldbody>` itself"));
        }
        let mut joint = LinkJoint::new(name, span_of(node), motion, link.joint.place);
        if motion == Motion::Free {
            return joint;
        }
        let mut find = |name: &str| settings.holder(node, inherited, name);
        let [pos, axis, range, force] = ["pos", "axis", "range", "actuatorfrcrange"].map(&mut find);
        let [damping, friction, stiffness, rest] =
            ["damping", "frictionloss", "stiffness", "springref"].map(&mut find);
        let [reference, armature] = ["ref", "armature"].map(&mut find);
        joint.point = pos.and_then(|n| self.vector(n, "pos")).unwrap_or(DVec3::ZERO);
        joint.axis = axis.and_then(|n| self.direction(n, "axis")).unwrap_or(DVec3::Z);
        let unit = if motion == Motion::Hinge { settings.angle } else { 1.0 };
        joint.damping = damping.and_then(|n| self.size(n, "damping", true)).unwrap_or(0.0);
        joint.friction = friction.and_then(|n| self.size(n, "frictionloss", true)).unwrap_or(0.0);
        joint.stiffness = stiffness.and_then(|n| self.size(n, "stiffness", true)).unwrap_or(0.0);
        joint.rest = rest.and_then(|n| self.number(n, "springref")).unwrap_or(0.0) * unit;
        joint.motor = force.and_then(|n| self.bound(n, "actuatorfrcrange"));
        if let Some(holder) = armature
            && self.number(holder, "armature").is_some_and(|value| value != 0.0)
        {
            let at = place(holder, "armature");
            self.left_out(at, "`armature` of a joint", "the joint is as without it");
        }
        // Bodies are described with their joints at `ref`.
        if motion != Motion::Ball {
            joint.start = reference.and_then(|n| self.number(n, "ref")).unwrap_or(0.0) * unit;
            joint.place = joint.parent_from_link(-joint.start);
        }
        let limited = match settings.word(node, inherited, "limited") {
            Some("true") => true,
            Some("false") => false,
            _ => settings.auto_limits && range.is_some(),
        };
        if let Some(holder) = range.filter(|_| limited) {
            self.range(holder, unit, &mut joint);
        }
        joint
    }

    fn range(&mut self, node: Node, unit: f64, joint: &mut LinkJoint) {
        let Some([low, high]) = self.numbers::<2>(node, "range") else { return };
        let [low, high] = [low * unit, high * unit];
        let at = place(node, "range");
        if joint.motion == Motion::Ball {
            self.left_out(at, "the range of a ball joint", "it bounds a turn, and not the tilt");
        } else if low > high {
            let draft = Draft::error(at, "limits that do not rise");
            self.push(draft.found(format!("from {low} to {high}")).expected("the least one first"));
        } else if joint.motion == Motion::Hinge && high - low >= TAU {
            let what = "the range of a hinge of a whole turn or more";
            self.left_out(at, what, "hinges of space do not count turns");
        } else {
            joint.limit = Some([low, high]);
        }
    }

    /// The larger end of a range of forces.
    fn bound(&mut self, node: Node, name: &str) -> Option<f64> {
        let [low, high] = self.numbers::<2>(node, name)?;
        if low + high != 0.0 {
            let what = format!("that `{name}` differs from one way to the other");
            self.left_out(place(node, name), &what, "the larger bound holds both ways");
        }
        Some(low.abs().max(high.abs()))
    }

    fn body_mass(&mut self, node: Node, settings: &Settings) -> Option<MassProperties<Volume>> {
        let at = self.pose(node, settings);
        self.need(node, "mass")?;
        let mass = self.size(node, "mass", false)?;
        let tensor = match (node.has_attribute("diaginertia"), node.has_attribute("fullinertia")) {
            (true, _) => {
                Symmetric3 { diagonal: self.vector(node, "diaginertia")?, off: DVec3::ZERO }
            }
            (_, true) => {
                let [xx, yy, zz, xy, xz, yz] = self.numbers::<6>(node, "fullinertia")?;
                Symmetric3 { diagonal: DVec3::new(xx, yy, zz), off: DVec3::new(yz, xz, xy) }
            }
            _ => {
                let draft = Draft::error(span_of(node), "`<inertial>` without inertia");
                self.push(draft.expected("`diaginertia` or `fullinertia`"));
                return None;
            }
        };
        self.stated(node, mass, at, tensor)
    }

    /// The shapes of a body, and what they weigh.
    fn geoms<'a>(
        &mut self,
        node: Node<'a, 'a>,
        inherited: &str,
        settings: &Settings<'a>,
        link: &mut Link,
        world: bool,
    ) {
        let mut weights: Vec<Weight> = Vec::new();
        for geom in node.children().filter(|child| child.has_tag_name("geom")) {
            self.check_class(geom, "class", settings);
            let find = |name: &str| settings.holder(geom, inherited, name);
            let Some((formed, at)) = self.geom(geom, inherited, settings, world) else { continue };
            let (shape, solid) = formed;
            if let Some(solid) = solid {
                let given = find("mass").and_then(|n| self.size(n, "mass", true));
                let density = find("density").and_then(|n| self.size(n, "density", true));
                let mass = given.unwrap_or(density.unwrap_or(WATER) * solid.measure);
                weights.push((solid, at, mass));
            }
            let mask = |name: &str| settings.word(geom, inherited, name) != Some("0");
            if mask("contype") || mask("conaffinity") {
                link.shapes.push(LinkShape { shape, place: at });
            }
        }
        link.mass = weigh(weights.iter().map(|(solid, at, mass)| (solid, at, *mass)));
    }

    fn geom<'a>(
        &mut self,
        node: Node<'a, 'a>,
        inherited: &str,
        settings: &Settings<'a>,
        world: bool,
    ) -> Option<PlacedGeom> {
        let kinds = ["plane", "sphere", "capsule", "cylinder", "box", "mesh"];
        let kind = settings.word(node, inherited, "type").unwrap_or("sphere");
        let mut at = self.pose(node, settings);
        let holder = settings.holder(node, inherited, "size").unwrap_or(node);
        let size = self.list(holder, "size").unwrap_or_default();
        let ends = settings
            .holder(node, inherited, "fromto")
            .filter(|_| matches!(kind, "capsule" | "cylinder"));
        let needed = match kind {
            "sphere" => 1,
            "capsule" | "cylinder" if ends.is_some() => 1,
            "capsule" | "cylinder" => 2,
            "box" => 3,
            _ => 0,
        };
        let positive = size.len() >= needed && size[..needed].iter().all(|x| *x > 0.0);
        if !positive {
            let draft = Draft::error(place(holder, "size"), format!("size of a {kind}"));
            let words: Vec<String> = size.iter().map(f64::to_string).collect();
            let draft = draft.found(format!("`{}`", words.join(" ")));
            self.push(draft.expected(format!("{needed} numbers above zero")));
            return None;
        }
        let mut half = size.get(1).copied().unwrap_or(0.0);
        if let Some(ends) = ends {
            let [a, b, c, d, e, f] = self.numbers::<6>(ends, "fromto")?;
            let (from, to) = (DVec3::new(a, b, c), DVec3::new(d, e, f));
            half = 0.5 * (to - from).length();
            let axis = (to - from).try_normalize().unwrap_or(DVec3::Z);
            at = Pose::new((from + to) * 0.5, math::arc(DVec3::Z, axis));
        }
        let made: Result<Formed, ShapeError> = match kind {
            "plane" if world => return Some(((VolumeShape::HalfSpace, None), at)),
            "plane" => {
                let draft = Draft::error(span_of(node), "plane on a body that moves");
                self.push(draft.expected("a plane in the `<worldbody>` itself"));
                return None;
            }
            "sphere" => {
                solid(VolumeShape::Sphere { radius: size[0] }).ok_or(ShapeError::Degenerate)
            }
            "capsule" => solid(VolumeShape::Capsule { half_length: half, radius: size[0] })
                .ok_or(ShapeError::Degenerate),
            "cylinder" => cylinder(half, size[0]),
            "box" => cuboid(DVec3::new(size[0], size[1], size[2]) * 2.0),
            "mesh" => Ok(self.mesh_of(node, inherited, settings)?),
            other => {
                let message = match other {
                    "ellipsoid" | "hfield" | "sdf" => "shape that is not supported",
                    _ => "unknown shape",
                };
                let draft = Draft::error(place(node, "type"), message);
                let draft = draft.found(format!("`{other}`"));
                self.push(draft.expected(crate::decode::listed(&kinds)).nearest(other, &kinds));
                return None;
            }
        };
        let (shape, solid) = self.formed(node, made)?;
        Some(((shape, Some(solid)), at))
    }

    fn mesh_of<'a>(
        &mut self,
        node: Node<'a, 'a>,
        inherited: &str,
        settings: &Settings<'a>,
    ) -> Option<Formed> {
        let name = settings.word(node, inherited, "mesh").unwrap_or_default();
        let Some(&asset) = settings.meshes.get(name) else {
            let known: Vec<&str> = settings.meshes.keys().map(String::as_str).collect();
            let draft = Draft::error(place(node, "mesh"), "unknown mesh");
            let draft = draft.found(format!("`{name}`")).expected("a `<mesh>` of an `<asset>`");
            self.push(draft.nearest(name, &known));
            return None;
        };
        let file = self.need(asset, "file")?;
        let scale = self.vector(asset, "scale").unwrap_or(DVec3::ONE);
        self.mesh(asset, file, &settings.mesh_folder, scale, settings.reading)
    }

    /// A motor of a joint: what it can give at most.
    fn actuator<'a>(&mut self, node: Node<'a, 'a>, settings: &Settings<'a>, links: &mut [Link]) {
        let tag = node.tag_name().name();
        self.check_class(node, "class", settings);
        let known = ["motor", "position", "velocity"];
        if !known.contains(&tag) {
            let what = format!("the actuator `<{tag}>`");
            self.left_out(
                span_of(node),
                &what,
                "`<motor>`, `<position>` and `<velocity>` are taken",
            );
            return;
        }
        let Some(name) = node.attribute("joint") else {
            let what = format!("the actuator `<{tag}>` of no joint");
            self.left_out(span_of(node), &what, "motors act on joints");
            return;
        };
        let Some(at) = links.iter().position(|link| link.joint.name == name) else {
            let names: Vec<&str> = links.iter().map(|link| link.joint.name.as_str()).collect();
            let draft = Draft::error(place(node, "joint"), "actuator of a joint that is not there");
            let draft = draft.found(format!("`{name}`")).expected("the name of a `<joint>`");
            self.push(draft.nearest(name, &names));
            return;
        };
        let find = |name: &str| settings.holder(node, "", name);
        let gear = find("gear").and_then(|n| self.list(n, "gear")).and_then(|g| g.first().copied());
        let gear = gear.unwrap_or(1.0).abs();
        let range = if tag == "motor" { find("ctrlrange") } else { None };
        let by_command = range.and_then(|n| self.bound(n, "ctrlrange"));
        let by_force = find("forcerange").and_then(|n| self.bound(n, "forcerange"));
        let most =
            gear * by_command.unwrap_or(f64::INFINITY).min(by_force.unwrap_or(f64::INFINITY));
        if let Some(gain) = ["kp", "kv"].into_iter().find(|&gain| node.has_attribute(gain)) {
            let what = format!("the gain `{gain}` of a motor");
            let help = "motors reach what they are asked for, as far as their bound lets them";
            self.left_out(place(node, gain), &what, help);
        }
        let joint = &mut links[at].joint;
        joint.motor = Some(joint.motor.map_or(most, |before| before.min(most)));
    }
}
