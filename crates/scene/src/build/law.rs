//! Materials, and the laws of the pairs that can meet.

use super::Builder;
use super::dimension::SceneSpace;
use crate::decode::listed;
use crate::format::{LawKeys, LawTable as LawKeysTable, MaterialTable, MethodWord, SceneTable};
use crate::plain::Text;
use crate::report::{Draft, Problems, Span};
use crate::wrap::{List, NumberOr};
use drystone_engine::{LawTable, MaterialId, Part, Unfit, takes, unfit_law};
use std::collections::{BTreeMap, HashMap};

/// The materials of a scene by index.
#[derive(Debug)]
pub(crate) struct Materials {
    names: Vec<String>,
    densities: Vec<Option<f64>>,
    spans: Vec<Span>,
    indices: HashMap<String, u32>,
    complete: bool,
}

/// Densities above this are hardly meant, in SI.
const SUSPICIOUS_DENSITY: f64 = 1e6;
/// Most materials: the table of laws has a place for every pair.
const MOST_MATERIALS: usize = 1000;

impl Materials {
    pub fn new(list: &List<MaterialTable>, problems: &mut Problems) -> Self {
        let mut materials = Self {
            names: Vec::new(),
            densities: Vec::new(),
            spans: Vec::new(),
            indices: HashMap::new(),
            complete: list.complete,
        };
        if let Some(table) = list.items.get(MOST_MATERIALS) {
            let draft = Draft::error(table.span, "too many materials");
            let found = format!("{} materials", list.items.len());
            problems.push(draft.found(found).expected(format!("at most {MOST_MATERIALS}")));
            materials.complete = false;
        }
        for table in list.items.iter().take(MOST_MATERIALS) {
            materials.add(table, problems);
        }
        materials
    }
    fn add(&mut self, table: &MaterialTable, problems: &mut Problems) {
        let index = self.names.len() as u32;
        if self.indices.insert(table.name.value.clone(), index).is_some() {
            let draft = Draft::error(table.name.span, "material named twice");
            let draft = draft.found(format!("`{}`", table.name.value));
            problems.push(draft.expected("a name that no other material has"));
        }
        if let Some(density) = table.density.as_ref().filter(|d| d.value > SUSPICIOUS_DENSITY) {
            let draft = Draft::warning(density.span, "very high density");
            let draft = draft.found(format!("{:e} in SI units", density.value));
            problems.push(draft.help("check the number and `[units]`"));
        }
        self.names.push(table.name.value.clone());
        self.densities.push(table.density.as_ref().map(|density| density.value));
        self.spans.push(table.span);
    }
    /// The material of that name.
    pub fn find(&self, name: &Text, problems: &mut Problems) -> Option<MaterialId> {
        let index = self.indices.get(&name.value).copied();
        if index.is_none() && self.complete {
            let known: Vec<&str> = self.names.iter().map(String::as_str).collect();
            let draft = Draft::error(name.span, "unknown material");
            let draft = draft.found(format!("`{}`", name.value));
            problems.push(match known.len() {
                0 => draft.expected("a material").help("add it as a `[[material]]`"),
                1..=12 => draft.expected(listed(&known)).nearest(&name.value, &known),
                n => draft.expected(format!("one of {n} materials")).nearest(&name.value, &known),
            });
        }
        index.map(MaterialId)
    }
    /// Density, if it has one.
    pub fn density(&self, id: MaterialId) -> Option<f64> {
        self.densities[id.0 as usize]
    }
    /// The material of that name, if there is one.
    pub fn index(&self, name: &str) -> Option<MaterialId> {
        self.indices.get(name).copied().map(MaterialId)
    }
    pub fn name(&self, id: MaterialId) -> &str {
        &self.names[id.0 as usize]
    }
    pub fn into_names(self) -> Vec<String> {
        self.names
    }
}

/// Who uses a material: two different movable owners are as good as many.
#[derive(Clone, Copy, Debug, Default)]
struct Users {
    bodies: [Option<usize>; 2],
    boundary: bool,
}

impl Users {
    fn add_body(&mut self, index: usize) {
        match self.bodies {
            [None, _] => self.bodies[0] = Some(index),
            [Some(first), None] if first != index => self.bodies[1] = Some(index),
            _ => {}
        }
    }
    /// Whether a part of one can touch a part of the other: they belong to different owners, and
    /// not both to boundaries.
    fn meet(&self, other: &Self) -> bool {
        let any = |users: &Self| users.bodies[0].is_some();
        let fixed = (self.boundary && any(other)) || (other.boundary && any(self));
        let movable =
            self.bodies.iter().flatten().any(|a| other.bodies.iter().flatten().any(|b| a != b));
        fixed || movable
    }
}

impl<S: SceneSpace> Builder<'_, S> {
    /// Fills the table of laws, and reports pairs that can meet and have none.
    pub fn laws(&mut self, table: &SceneTable) {
        let default = table.default_law.value.as_ref();
        let default = default.map(|law| self.pair_law(law.keys(), None).unwrap_or_default());
        let count = self.materials.names.len();
        self.setup.laws = LawTable::uniform(count, default.clone().unwrap_or_default());
        let mut given = BTreeMap::new();
        for law in &table.law.items {
            let first = self.materials.find(&law.between.first, self.problems);
            let second = self.materials.find(&law.between.second, self.problems);
            let (Some(a), Some(b)) = (first, second) else { continue };
            if given.insert((a.0.min(b.0), a.0.max(b.0)), ()).is_some() {
                let draft = Draft::error(law.between.span, "second law for the same pair");
                let pair = [self.materials.name(a), self.materials.name(b)].join("` and `");
                self.problems.push(draft.found(format!("`{pair}`")).expected("one law per pair"));
            }
            if let Some(law) = self.pair_law(law.keys(), Some(a)) {
                self.setup.laws.set(a, b, law);
            }
        }
        if default.is_none() && table.law.complete && !table.default_law.wrong {
            self.missing_laws(&given);
        }
        self.unfit_law(table);
    }

    /// Reports a law that a scene with deformable solids cannot have.
    fn unfit_law(&mut self, table: &SceneTable) {
        let Some((a, b, unfit)) = unfit_law(&self.setup) else { return };
        let [a, b] = [a, b].map(|id| self.materials.name(id));
        let is_of_pair = |law: &&LawKeysTable| {
            let (first, second) = (&law.between.first.value, &law.between.second.value);
            (first == a && second == b) || (first == b && second == a)
        };
        let own = table.law.items.iter().rev().find(is_of_pair).map(|law| law.keys());
        let default = table.default_law.value.as_ref().map(|law| law.keys());
        let Some(keys) = own.or(default) else { return };
        let draft = Draft::error(unfit_key(keys, unfit), unfit.to_string());
        let draft = draft.found(format!("the law between `{a}` and `{b}`"));
        self.problems.push(draft.help(unfit.remedy()));
    }

    /// Reports a method that cannot have the law of a pair of materials that can meet.
    pub fn check_method(&mut self, table: &SceneTable) {
        let solver = table.solver.value.as_ref();
        let (Some(span), Some(word)) =
            (solver.map(|solver| solver.span), solver.and_then(|solver| solver.method))
        else {
            return;
        };
        let (name, expected) = match word {
            MethodWord::Quadratic => {
                ("quadratic", "no friction, and nothing beside it, in every law")
            }
            MethodWord::Bipotential => {
                ("bipotential", "Coulomb's law everywhere, with or without restitution")
            }
            MethodWord::Uzawa => (
                "uzawa",
                "Coulomb's law everywhere; or A-CD² everywhere, without Coulomb's bound and by curves that have a slope at zero",
            ),
            _ => return,
        };
        let users = self.users();
        let all = (0..users.len()).flat_map(|a| (a..users.len()).map(move |b| [a, b]));
        let pairs = all.filter(|&[a, b]| users[a].meet(&users[b]));
        let method = self.setup.solver.method;
        let mut kinds = Vec::new();
        for [a, b] in pairs {
            kinds.push(self.setup.laws.get(MaterialId(a as u32), MaterialId(b as u32)).kind());
            if !takes(method, &kinds) {
                let [a, b] = [a, b].map(|index| &self.materials.names[index]);
                let draft =
                    Draft::error(span, format!("the method `{name}` cannot solve this scene"));
                let draft = draft.found(format!("the law between `{a}` and `{b}`"));
                let draft = draft.expected(expected);
                self.problems.push(draft.help("remove `method`, so that sweeps solve it"));
                return;
            }
        }
    }

    fn missing_laws(&mut self, given: &BTreeMap<(u32, u32), ()>) {
        let users = self.users();
        for a in 0..users.len() {
            for b in a..users.len() {
                let key = (a as u32, b as u32);
                if given.contains_key(&key) || !users[a].meet(&users[b]) {
                    continue;
                }
                let (first, second) = (&self.materials.names[a], &self.materials.names[b]);
                let message = format!("no law between `{first}` and `{second}`, which can meet");
                let draft = Draft::error(self.materials.spans[b], message);
                self.problems.push(draft.help(format!(
                    "add `[[law]]` with `between = [\"{first}\", \"{second}\"]`, or a `[default_law]`"
                )));
            }
        }
    }

    fn users(&self) -> Vec<Users> {
        let mut users = vec![Users::default(); self.materials.names.len()];
        let arrivals = self.setup.arrivals.iter().map(|arrival| &arrival.body);
        for (index, body) in self.setup.bodies.iter().chain(arrivals).enumerate() {
            for part in &body.parts {
                users[part.material.0 as usize].add_body(index);
            }
        }
        let rigid = self.setup.bodies.len() + self.setup.arrivals.len();
        for (index, solid) in self.setup.solids.iter().enumerate() {
            let own = &mut users[solid.material.0 as usize];
            own.add_body(rigid + 2 * index);
            // A surface that may touch itself is as good as two solids.
            if solid.self_contact {
                own.add_body(rigid + 2 * index + 1);
            }
        }
        let parts = self.setup.boundaries.iter().flat_map(|boundary| &boundary.parts);
        for Part { material, .. } in parts {
            users[material.0 as usize].boundary = true;
        }
        users
    }
}

/// Where a law says what cannot be had.
fn unfit_key(keys: LawKeys<'_>, unfit: Unfit) -> Span {
    let span = match unfit {
        Unfit::Resistance => {
            let rolling = keys.rolling_resistance.as_ref().map(|key| key.span);
            rolling.or(keys.spinning_resistance.as_ref().map(|key| key.span))
        }
        Unfit::Spring => keys.spring.as_ref().map(|table| table.span),
        Unfit::Direction => match keys.friction {
            Some(NumberOr::Table(table)) => Some(table.span),
            _ => None,
        },
        _ => None,
    };
    span.unwrap_or(keys.span)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lone_body_does_not_meet_itself() {
        let mut stone = Users::default();
        stone.add_body(0);
        stone.add_body(0);
        assert!(!stone.meet(&stone));
        stone.add_body(4);
        assert!(stone.meet(&stone));
        let soil = Users { boundary: true, ..Users::default() };
        assert!(soil.meet(&stone) && stone.meet(&soil) && !soil.meet(&soil));
    }
}
