//! From the key `bond` of a law to the engine's.

use super::Builder;
use super::dimension::SceneSpace;
use crate::format::{
    BondKindChoice, BondTable, CohesiveTable, CompressionWord, FormsWord, LawKeys, RigidBondTable,
    SceneTable,
};
use crate::quantity::{Number, Positive, Range, Unit};
use crate::report::{Draft, Span};
use drystone_engine::{
    Adhesion, BondForms, BondKind, BondLaw, BondStrength, CohesiveZone, Friction, MaterialId,
    MoreauLaw, Part, unfit_for_bonds,
};
use std::collections::HashSet;

fn or<U: Unit, R: Range>(key: &Option<Number<U, R>>, other: f64) -> f64 {
    key.as_ref().map_or(other, |number| number.value)
}

impl<S: SceneSpace> Builder<'_, S> {
    /// The bonds that a table describes; `None` after problems have been reported.
    pub(super) fn bond(&mut self, table: &BondTable) -> Option<BondLaw> {
        let (kind, stiffness) = match &table.law {
            BondKindChoice::Elastic(law) => {
                let normal = law.stiffness.value;
                (BondKind::Elastic, [normal, or(&law.shear_stiffness, normal)])
            }
            BondKindChoice::Cohesive(law) => {
                let normal = law.stiffness.value;
                let stiffness = [normal, or(&law.shear_stiffness, normal)];
                (BondKind::Cohesive(self.cohesive(law, stiffness)?), stiffness)
            }
            BondKindChoice::Adhesive(law) => {
                let normal = law.stiffness.value;
                let kind = Adhesion {
                    energy: law.energy.value,
                    time: or(&law.time, 0.0),
                    exponent: or(&law.exponent, 1.0),
                };
                (BondKind::Adhesive(kind), [normal, or(&law.shear_stiffness, normal)])
            }
            BondKindChoice::Rigid(law) => {
                (BondKind::Rigid(self.rigid(law, table)?), [f64::INFINITY; 2])
            }
        };
        Some(BondLaw {
            kind,
            stiffness,
            pushes: matches!(table.compression, Some(CompressionWord::Bond)),
            points: table.points.as_ref().map_or(2, |points| points.value as u32),
            area: table.area.as_ref().map(|area| area.value),
            reach: table.reach.as_ref().map(|reach| reach.value),
            forms: match table.forms {
                None | Some(FormsWord::Start) => BondForms::Start,
                Some(FormsWord::Contact) => BondForms::Contact,
                Some(FormsWord::Again) => BondForms::Again,
            },
        })
    }

    /// Stress must fall after its peak: the triangle up to the strength has less than the energy of rupture.
    fn cohesive(&mut self, law: &CohesiveTable, stiffness: [f64; 2]) -> Option<CohesiveZone> {
        let strength = [law.tension.value, or(&law.shear, law.tension.value)];
        let energy = [law.energy.value, or(&law.shear_energy, law.energy.value)];
        let spans = [
            (law.energy.span, "stiffness", "energy"),
            (
                law.shear_energy.as_ref().map_or(law.energy.span, |key| key.span),
                "shear_stiffness",
                "shear_energy",
            ),
        ];
        let mut good = true;
        for (mode, (span, softer, more)) in spans.into_iter().enumerate() {
            let least = strength[mode] * strength[mode] / (2.0 * stiffness[mode]);
            if energy[mode] > least || (mode == 1 && !good) {
                continue;
            }
            good = false;
            let message = "less energy of rupture than is stored at the strength";
            let draft = Draft::error(span, message).found(format!("{} in SI units", energy[mode]));
            let expected = format!("more than strength²/(2 stiffness) = {least}");
            let help = format!("give more `{more}`, a larger `{softer}` or a lower strength");
            self.problems.push(draft.expected(expected).help(help));
        }
        good.then_some(CohesiveZone { strength, energy })
    }

    fn rigid(&mut self, law: &RigidBondTable, table: &BondTable) -> Option<BondStrength> {
        if let (2, Some(torsion)) = (S::DIMENSION, &law.torsion) {
            let draft = Draft::error(torsion.span, "`torsion` of a bond in the plane");
            self.problems.push(draft.help("in the plane bonds bend: give `bending`"));
            return None;
        }
        let one = table.points.as_ref().filter(|points| points.value == 1);
        let moments = law.bending.as_ref().or(law.torsion.as_ref());
        if let (Some(points), Some(_)) = (one, moments) {
            let draft = Draft::error(points.span, "a rigid bond with one point bears no couples");
            let draft = draft.found("`points = 1` with `bending` or `torsion`");
            self.problems.push(draft.expected("2 points or more").help("remove `points`"));
            return None;
        }
        if let Some(CompressionWord::Contact) = table.compression {
            let draft =
                Draft::error(table.span, "a rigid bond that leaves pressure to the contact");
            let draft = draft.found("`compression = \"contact\"`");
            self.problems.push(draft.help("remove it: what is rigid bears pressure too"));
            return None;
        }
        let strength = |key: &Option<Number<_, Positive>>| or(key, f64::INFINITY);
        Some(BondStrength {
            tension: strength(&law.tension),
            shear: strength(&law.shear),
            bending: strength(&law.bending),
            torsion: strength(&law.torsion),
        })
    }

    /// Whether bonds go with the rest of their law.
    pub(super) fn goes_with_bond(&mut self, keys: LawKeys<'_>, law: &MoreauLaw) -> Option<()> {
        let table = keys.bond.as_ref()?;
        let beside = [
            (
                !matches!(law.friction, Friction::Isotropic(_)),
                "friction that is more than a coefficient",
            ),
            (law.cohesion.force > 0.0, "`cohesion`, which bonds are in place of"),
            (law.impact.is_some(), "`impact`"),
            (keys.spring.is_some(), "`spring`"),
        ];
        let beside = beside.into_iter().find_map(|(is_there, what)| is_there.then_some(what))?;
        self.other_law(table.span, beside);
        Some(())
    }

    /// Reports what stands beside bonds in a law and cannot.
    pub(super) fn other_law(&mut self, span: Span, beside: &str) {
        let draft = Draft::error(span, "`bond` does not go with the rest of the law");
        let draft = draft.found(beside).expected("Coulomb's `friction` and restitution");
        self.problems.push(draft.help("remove it, or `bond`"));
    }

    /// Whether bonds can be had with what else is in the scene, and have an area.
    pub fn check_bonds(&mut self, table: &SceneTable) {
        let default = table.default_law.value.as_ref().map(|law| law.keys());
        let laws: Vec<LawKeys<'_>> = table.law.items.iter().map(|law| law.keys()).collect();
        let first = laws.iter().copied().chain(default).find_map(|keys| keys.bond.as_ref());
        let Some(first) = first else { return };
        if let Some(beside) = unfit_for_bonds(&self.setup) {
            let draft = Draft::error(first.span, "`bond` cannot be had in this scene");
            let draft = draft.found(beside).expected("rigid bodies, and steps of first order");
            self.problems.push(draft.help("remove one or the other"));
        }
        for law in &table.law.items {
            let Some(bond) = law.keys().bond else { continue };
            let names = [&law.between.first, &law.between.second];
            let [a, b] = names.map(|name| self.materials.index(&name.value));
            if let (Some(a), Some(b), None) = (a, b, &bond.area) {
                self.need_area(bond, &[a, b]);
            }
        }
        if let Some(bond) = default.and_then(|keys| keys.bond.as_ref())
            && bond.area.is_none()
            && laws.is_empty()
        {
            self.need_area(bond, &[]);
        }
    }

    /// Reports bonds without an area of materials that disks or balls alone are made of; none of them stands for all.
    fn need_area(&mut self, bond: &BondTable, of: &[MaterialId]) {
        let (mut round, mut faced) = (HashSet::new(), HashSet::new());
        let later = self.setup.arrivals.iter().map(|arrival| &arrival.body);
        let bodies = self.setup.bodies.iter().chain(later).flat_map(|body| &body.parts);
        let walls = self.setup.boundaries.iter().flat_map(|wall| &wall.parts);
        for Part { shape, material, .. } in bodies.chain(walls) {
            match S::radius(shape) {
                Some(_) => round.insert(*material),
                None => faced.insert(*material),
            };
        }
        let all = of.is_empty() && faced.is_empty() && !round.is_empty();
        let any = of.iter().find(|id| round.contains(id) && !faced.contains(id));
        if !all && any.is_none() {
            return;
        }
        let what = if S::DIMENSION == 2 { "disks" } else { "balls" };
        let draft = Draft::error(bond.span, "bonds of shapes that touch in a point have no area");
        let draft = draft.found(format!("{what}, and no `area`"));
        let help = match S::DIMENSION {
            2 => "add `area`, the length of a bond, such as the diameter of a disk",
            _ => "add `area`, such as that of a ball's middle section",
        };
        self.problems.push(draft.expected("`area` of a bond").help(help));
    }
}
