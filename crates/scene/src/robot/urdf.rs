//! URDF: links and joints by name, from which the tree is made.

use super::geometry::{Formed, cuboid, cylinder, solid, turn};
use super::xml::{Xml, place, span_of};
use super::{Link, LinkJoint, LinkShape, Model, Motion, Reading};
use crate::report::{Draft, Span};
use drystone_detect::volume::VolumeShape;
use drystone_engine::MassProperties;
use drystone_space::{DVec3, Pose, Symmetric3, Volume};
use roxmltree::{Document, Node};
use std::collections::HashMap;
use std::f64::consts::TAU;

/// The link that stands for the ground, where it has no mass.
const WORLD: &str = "world";

/// A joint as it stands in the file.
struct Entry<'a> {
    parent: &'a str,
    child: &'a str,
    joint: LinkJoint,
}

pub(super) fn read(document: &Document, mut xml: Xml, reading: Reading<'_>) -> Option<Model> {
    let root = document.root_element();
    xml.children(root, &["link", "joint"], &["material"], &["transmission", "gazebo", "sensor"]);
    let elements = |tag: &'static str| root.children().filter(move |node| node.has_tag_name(tag));
    let mut links: Vec<Option<Link>> = Vec::new();
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    for node in elements("link") {
        let Some(name) = xml.need(node, "name") else { continue };
        if numbers.insert(name, links.len()).is_some() {
            let draft = Draft::error(place(node, "name"), "link named twice");
            xml.push(draft.found(format!("`{name}`")).expected("a name that no other link has"));
            continue;
        }
        let link = xml.link(node, name, reading);
        links.push(Some(link));
    }
    if links.is_empty() {
        let draft = Draft::error(span_of(root), "robot without links");
        xml.push(draft.expected("at least one `<link>`"));
        return None;
    }
    let known: Vec<&str> = numbers.keys().copied().collect();
    // The joint of each link, by number, and the number of its parent.
    let mut carried: Vec<Option<(usize, LinkJoint)>> = links.iter().map(|_| None).collect();
    let mut names: HashMap<String, Span> = HashMap::new();
    let mut complete = true;
    for node in elements("joint") {
        let Some(entry) = xml.entry(node) else {
            complete = false;
            continue;
        };
        if names.insert(entry.joint.name.clone(), entry.joint.span).is_some() {
            let draft = Draft::error(place(node, "name"), "joint named twice");
            let draft = draft.found(format!("`{}`", entry.joint.name));
            xml.push(draft.expected("a name that no other joint has"));
        }
        let ends = [("parent", entry.parent), ("child", entry.child)].map(|(tag, name)| {
            let number = numbers.get(name).copied();
            if number.is_none() {
                let at = node.children().find(|child| child.has_tag_name(tag)).unwrap_or(node);
                let draft = Draft::error(place(at, "link"), "joint of a link that is not there");
                let draft = draft.found(format!("`{name}`")).expected("the name of a `<link>`");
                xml.push(draft.nearest(name, &known));
            }
            number
        });
        let [Some(parent), Some(child)] = ends else {
            complete = false;
            continue;
        };
        if carried[child].is_some() || parent == child {
            let message = if parent == child {
                "joint between a link and itself"
            } else {
                "link carried by two joints"
            };
            let draft = Draft::error(span_of(node), message);
            let draft = draft.found(format!("`{}`", entry.child));
            xml.push(draft.expected("a tree: each link but the first is the child of one joint"));
            complete = false;
            continue;
        }
        carried[child] = Some((parent, entry.joint));
    }
    if !complete {
        return None;
    }
    let links = xml.tree(root, links, carried, reading)?;
    let name = root.attribute("name").unwrap_or("robot").to_owned();
    Some(Model { name, links })
}

impl Xml<'_> {
    /// The links in an order in which each comes after its parent.
    fn tree(
        &mut self,
        root: Node,
        mut links: Vec<Option<Link>>,
        mut carried: Vec<Option<(usize, LinkJoint)>>,
        reading: Reading<'_>,
    ) -> Option<Vec<Link>> {
        let roots: Vec<usize> = (0..links.len()).filter(|&i| carried[i].is_none()).collect();
        let first = match roots[..] {
            [first] => first,
            [] => {
                let draft = Draft::error(span_of(root), "joints that close a circle");
                let draft = draft.found("no link that is not the child of another");
                self.push(draft.expected("a tree of joints: one link that no joint carries"));
                return None;
            }
            [_, second, ..] => {
                let link = links[second].as_ref()?;
                let draft = Draft::error(link.span, "link that no joint carries");
                let draft = draft.found(format!("`{}`, which is not the first one", link.name));
                self.push(draft.expected("a tree of joints: one link that no joint carries"));
                return None;
            }
        };
        let mut children: Vec<Vec<usize>> = links.iter().map(|_| Vec::new()).collect();
        for (child, carrier) in carried.iter().enumerate() {
            if let Some((parent, _)) = carrier {
                children[*parent].push(child);
            }
        }
        let (mut order, mut next) = (vec![(first, None)], 0);
        while let Some(&(number, _)) = order.get(next) {
            order.extend(children[number].iter().map(|&child| (child, Some(next))));
            next += 1;
        }
        if order.len() < links.len() {
            let left = (0..links.len()).find(|&i| order.iter().all(|(number, _)| *number != i));
            let link = links[left?].as_ref()?;
            let draft = Draft::error(link.span, "joints that close a circle");
            let draft = draft.found(format!("`{}`, which hangs on none but its own", link.name));
            self.push(draft.expected("a tree of joints: one link that no joint carries"));
            return None;
        }
        let mut sorted = Vec::with_capacity(links.len());
        for (number, parent) in order {
            let mut link = links[number].take()?;
            link.parent = parent;
            link.joint = match carried[number].take() {
                Some((_, joint)) => joint,
                None => {
                    let world = link.name == WORLD && link.mass.is_none();
                    let motion = match world || reading.fixed {
                        true => Motion::Fixed,
                        false => Motion::Free,
                    };
                    LinkJoint::new("", link.span, motion, Pose::IDENTITY)
                }
            };
            sorted.push(link);
        }
        Some(sorted)
    }

    fn link(&mut self, node: Node, name: &str, reading: Reading<'_>) -> Link {
        self.children(
            node,
            &["inertial", "collision"],
            &["visual"],
            &["contact", "self_collision_checking"],
        );
        let mut elements = node.children().filter(Node::is_element);
        let inertial = elements.clone().find(|node| node.has_tag_name("inertial"));
        let mass = inertial.and_then(|node| self.link_mass(node));
        let mut shapes = Vec::new();
        while let Some(collision) = elements.by_ref().find(|node| node.has_tag_name("collision")) {
            let place = self.origin(collision);
            let Some(geometry) = collision.children().find(|n| n.has_tag_name("geometry")) else {
                let draft = Draft::error(span_of(collision), "`<collision>` without `<geometry>`");
                self.push(draft.expected("a `<geometry>` with one shape"));
                continue;
            };
            if let Some((shape, _)) = self.geometry(geometry, reading) {
                shapes.push(LinkShape { shape, place });
            }
        }
        let joint = LinkJoint::new("", span_of(node), Motion::Free, Pose::IDENTITY);
        let (name, span) = (name.to_owned(), span_of(node));
        Link { name, span, mass, shapes, parent: None, joint, others: Vec::new() }
    }

    /// Where the axes of an element are: roll, pitch and yaw about axes that stand still.
    fn origin(&mut self, node: Node) -> Pose<Volume> {
        let Some(origin) = node.children().find(|child| child.has_tag_name("origin")) else {
            return Pose::IDENTITY;
        };
        let at = self.vector(origin, "xyz").unwrap_or(DVec3::ZERO);
        let angles = self.vector(origin, "rpy").unwrap_or(DVec3::ZERO);
        let yaw = turn(DVec3::Z, angles.z);
        let rotation = yaw * turn(DVec3::Y, angles.y) * turn(DVec3::X, angles.x);
        Pose::new(at, rotation)
    }

    fn link_mass(&mut self, node: Node) -> Option<MassProperties<Volume>> {
        let place = self.origin(node);
        let child = |tag: &str| node.children().find(|child| child.has_tag_name(tag));
        let (Some(mass), Some(inertia)) = (child("mass"), child("inertia")) else {
            let draft = Draft::error(span_of(node), "`<inertial>` without mass or inertia");
            self.push(draft.expected("both `<mass value=\"…\"/>` and `<inertia …/>`"));
            return None;
        };
        self.need(mass, "value")?;
        let value = self.size(mass, "value", false)?;
        let mut given = |name: &str| match inertia.attribute(name) {
            None if name.len() == 3 && name.as_bytes()[1] != name.as_bytes()[2] => Some(0.0),
            _ => self.need(inertia, name).and_then(|_| self.number(inertia, name)),
        };
        let [xx, yy, zz] = ["ixx", "iyy", "izz"].map(&mut given);
        let [xy, xz, yz] = ["ixy", "ixz", "iyz"].map(&mut given);
        let tensor =
            Symmetric3 { diagonal: DVec3::new(xx?, yy?, zz?), off: DVec3::new(yz?, xz?, xy?) };
        self.stated(inertia, value, place, tensor)
    }

    fn geometry(&mut self, node: Node, reading: Reading<'_>) -> Option<Formed> {
        let shapes = ["box", "sphere", "cylinder", "mesh", "capsule"];
        let Some(shape) = node.children().find(Node::is_element) else {
            let draft = Draft::error(span_of(node), "`<geometry>` without a shape");
            self.push(draft.expected(crate::decode::listed(&shapes)));
            return None;
        };
        match shape.tag_name().name() {
            "box" => {
                self.need(shape, "size")?;
                let size = self.vector(shape, "size")?;
                self.formed(shape, cuboid(size))
            }
            "sphere" => {
                self.need(shape, "radius")?;
                solid(VolumeShape::Sphere { radius: self.size(shape, "radius", false)? })
            }
            kind @ ("cylinder" | "capsule") => {
                let given = ["radius", "length"].map(|name| {
                    self.need(shape, name)?;
                    self.size(shape, name, false)
                });
                let [Some(radius), Some(length)] = given else { return None };
                if kind == "capsule" {
                    return solid(VolumeShape::Capsule { half_length: 0.5 * length, radius });
                }
                self.formed(shape, cylinder(0.5 * length, radius))
            }
            "mesh" => {
                let file = self.need(shape, "filename")?;
                let scale = self.vector(shape, "scale").unwrap_or(DVec3::ONE);
                self.mesh(shape, file, "", scale, reading)
            }
            other => {
                let draft = Draft::error(span_of(shape), "unknown shape");
                let draft = draft.found(format!("`<{other}>`"));
                self.push(draft.expected(crate::decode::listed(&shapes)).nearest(other, &shapes));
                None
            }
        }
    }

    fn entry<'a>(&mut self, node: Node<'a, 'a>) -> Option<Entry<'a>> {
        self.children(
            node,
            &["origin", "parent", "child", "axis", "limit", "dynamics"],
            &[],
            &["mimic", "safety_controller", "calibration"],
        );
        let name = self.need(node, "name");
        let kind = self.need(node, "type");
        let child = |tag: &str| node.children().find(|child| child.has_tag_name(tag));
        let ends = ["parent", "child"].map(|tag| match child(tag) {
            Some(end) => self.need(end, "link"),
            None => {
                let message = format!("joint without `<{tag}>`");
                self.push(Draft::error(span_of(node), message).expected("the names of two links"));
                None
            }
        });
        let kinds = ["revolute", "continuous", "prismatic", "fixed", "floating", "planar"];
        let motion = match kind? {
            "revolute" | "continuous" => Motion::Hinge,
            "prismatic" => Motion::Slider,
            "fixed" => Motion::Fixed,
            "floating" => Motion::Free,
            "planar" => Motion::Planar,
            other => {
                let draft = Draft::error(place(node, "type"), "unknown type of joint");
                let draft = draft.found(format!("`{other}`"));
                self.push(draft.expected(crate::decode::listed(&kinds)).nearest(other, &kinds));
                return None;
            }
        };
        let mut joint = LinkJoint::new(name?, span_of(node), motion, self.origin(node));
        joint.axis = match child("axis") {
            Some(axis) => {
                self.need(axis, "xyz");
                self.direction(axis, "xyz").unwrap_or(DVec3::X)
            }
            None => DVec3::X,
        };
        let moves = matches!(motion, Motion::Hinge | Motion::Slider);
        let bounded = moves && kind != Some("continuous");
        match child("limit").filter(|_| moves) {
            Some(limit) => self.limit(limit, bounded, &mut joint),
            None if bounded => {
                let draft = Draft::error(span_of(node), "joint without `<limit>`");
                let draft = draft.expected("`<limit lower=\"…\" upper=\"…\" effort=\"…\"/>`");
                self.push(draft.help("a hinge without bounds is `continuous`"));
            }
            None => {}
        }
        if let Some(dynamics) = child("dynamics").filter(|_| moves) {
            joint.damping = self.size(dynamics, "damping", true).unwrap_or(0.0);
            joint.friction = self.size(dynamics, "friction", true).unwrap_or(0.0);
        }
        let [parent, child] = ends;
        Some(Entry { parent: parent?, child: child?, joint })
    }

    fn limit(&mut self, node: Node, bounded: bool, joint: &mut LinkJoint) {
        let [low, high] = ["lower", "upper"].map(|name| self.number(node, name).unwrap_or(0.0));
        if bounded && low > high {
            let draft = Draft::error(span_of(node), "limits that do not rise");
            let draft = draft.found(format!("from {low} to {high}"));
            self.push(draft.expected("`lower` no more than `upper`"));
        }
        if bounded && joint.motion == Motion::Hinge && high - low >= TAU {
            let what = "the limit of a hinge of a whole turn or more";
            self.left_out(span_of(node), what, "hinges of space do not count turns");
        } else if bounded {
            joint.limit = Some([low, high]);
        }
        joint.motor = self.size(node, "effort", true).filter(|effort| *effort > 0.0);
    }
}
