//! Names of bodies and boundaries, and who bears them.

use crate::format::SceneTable;
use crate::plain::Text;
use crate::report::{Draft, Problems};
use drystone_engine::Owner;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;

/// Names of bodies, boundaries and groups.
#[derive(Debug)]
pub(crate) struct Names {
    owners: HashMap<String, Option<Owner>>,
    /// Bodies of each group, those that enter later left out.
    groups: HashMap<String, Range<usize>>,
    /// Whether every table that may name something could be read.
    complete: bool,
}

impl Names {
    pub fn new(table: &SceneTable) -> Self {
        let complete = table.body.complete
            && table.boundary.complete
            && table.robot.complete
            && table.generate.complete
            && table.emitter.complete;
        Self { owners: HashMap::new(), groups: HashMap::new(), complete }
    }
    /// Takes a name that must be new: of a body, a boundary, or a group (`None`).
    pub fn claim(&mut self, name: &Option<Text>, owner: Option<Owner>, problems: &mut Problems) {
        let Some(name) = name else { return };
        match self.owners.entry(name.value.clone()) {
            Entry::Vacant(entry) => {
                entry.insert(owner);
            }
            Entry::Occupied(_) => {
                let draft = Draft::error(name.span, "name used twice");
                let draft = draft.found(format!("`{}`", name.value));
                problems.push(draft.expected("a name that nothing else has").help(
                    "give another name; bodies, boundaries, groups and emitters share their names",
                ));
            }
        }
    }
    /// Notes the name of a body that has been made; names of groups' members give way to others.
    pub fn add_body(&mut self, name: &str, index: usize) {
        if !name.is_empty() {
            let owner = Some(Owner::Body(index as u32));
            self.owners.entry(name.to_owned()).or_insert(owner);
        }
    }
    /// Notes a name that may be tracked, of a body that comes later.
    pub fn add_arrival(&mut self, name: &str) {
        if !name.is_empty() {
            self.owners.entry(name.to_owned()).or_insert(None);
        }
    }
    /// Whether somebody has the name, or would have had.
    pub fn known(&self, name: &Text, problems: &mut Problems) -> bool {
        let known = self.owners.contains_key(&name.value);
        if !known && self.complete {
            self.unknown(name, "a body", problems);
        }
        known
    }
    /// The bearer of a name at the start of the run.
    pub fn find(&self, name: &Text, what: &str, problems: &mut Problems) -> Option<Owner> {
        let owner = self.owners.get(&name.value).copied();
        if owner.flatten().is_none() && (self.complete || owner.is_some()) {
            self.unknown(name, what, problems);
        }
        owner.flatten()
    }
    /// Notes the bodies of a group.
    pub fn add_group(&mut self, name: &str, bodies: Range<usize>) {
        if !name.is_empty() && !bodies.is_empty() {
            self.groups.insert(name.to_owned(), bodies);
        }
    }
    /// The body, or the bodies of the group, of that name.
    pub fn find_bodies(&self, name: &Text, problems: &mut Problems) -> Option<Range<usize>> {
        if let Some(bodies) = self.groups.get(&name.value) {
            return Some(bodies.clone());
        }
        self.find_body(name, problems).map(|body| body..body + 1)
    }
    /// The body of that name.
    pub fn find_body(&self, name: &Text, problems: &mut Problems) -> Option<usize> {
        match self.find(name, "a body", problems)? {
            Owner::Body(index) => Some(index as usize),
            Owner::Boundary(_) => {
                let draft = Draft::error(name.span, format!("`{}` is a boundary", name.value));
                problems.push(draft.found("a boundary").expected("the name of a body"));
                None
            }
        }
    }
    fn unknown(&self, name: &Text, what: &str, problems: &mut Problems) {
        let draft = Draft::error(name.span, format!("nothing is called `{}`", name.value));
        let mut known: Vec<&str> =
            self.owners.iter().filter(|(_, o)| o.is_some()).map(|(n, _)| n.as_str()).collect();
        // The map has no order; the suggestion must have one.
        known.sort_unstable();
        let draft = draft.found("an unknown name").expected(format!("the name of {what}"));
        problems.push(match known.is_empty() {
            true => draft.help("nothing in this scene has a name yet: add `name = …`"),
            false => draft.nearest(&name.value, &known),
        });
    }
}
