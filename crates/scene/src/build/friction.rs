//! From the keys of a law to the engine's law.

use super::Builder;
use super::dimension::{SceneSpace, direction};
use crate::format::{
    CohesionTable, FrictionTable, HypothesisWord, ImpactTable, LawKeys, SceneTable,
};
use crate::quantity::{NotNegative, Number, Pure};
use crate::report::{Draft, Span};
use crate::wrap::NumberOr;
use drystone_engine::{
    Cohesion, ContactLaw, ContactSpring, Friction, FrictionPolygon, Hypothesis, ImpactLaw,
    MaterialId, MoreauLaw, PairLaw, PolygonError, Principal, Resistance, unfit_beside_impact,
    unfit_for_impacts,
};
use drystone_space::{DVec2, DVec3, Vector};
use std::sync::Arc;

fn impact(table: &ImpactTable) -> ImpactLaw {
    ImpactLaw {
        hypothesis: match table.hypothesis {
            Some(HypothesisWord::Poisson) => Hypothesis::Poisson,
            Some(HypothesisWord::Stronge) | None => Hypothesis::Stronge,
        },
        restitution: table.restitution.value,
        stiffness: table.stiffness.as_ref().map_or(1.0, |k| k.value),
        exponent: table.exponent.as_ref().map_or(1.5, |n| n.value),
    }
}

/// Friction above this is hardly meant.
const SUSPICIOUS_FRICTION: f64 = 2.0;

type Coefficient = Number<Pure, NotNegative>;

impl<S: SceneSpace> Builder<'_, S> {
    /// The law that the keys describe; `None` after problems have been reported. `carrier` is the
    /// material whose bodies carry the direction of friction.
    pub fn pair_law(&mut self, keys: LawKeys<'_>, carrier: Option<MaterialId>) -> Option<PairLaw> {
        if let Some(table) = keys.percussion {
            if let Some(bond) = keys.bond {
                self.other_law(bond.span, "`percussion`");
                return None;
            }
            return self.percussion_law(keys, table);
        }
        let Some(friction) = keys.friction else {
            let message = format!("missing key `friction` in {}", keys.title);
            self.problems.push(Draft::error(keys.span, message).help("add `friction = …`"));
            return None;
        };
        let (friction, viscosity) = match friction {
            NumberOr::Number(coefficient) => {
                self.warn_friction(coefficient);
                (Some(Friction::Isotropic(coefficient.value)), 0.0)
            }
            NumberOr::Table(table) => {
                let viscosity = table.viscosity.as_ref().map_or(0.0, |v| v.value);
                (self.friction(table, carrier), viscosity)
            }
        };
        let restitution = self.restitution(keys);
        let length = |key: &Option<Number<_, _>>| key.as_ref().map_or(0.0, |l| l.value);
        let resistance = Resistance {
            rolling: length(keys.rolling_resistance),
            spinning: length(keys.spinning_resistance),
        };
        if let (2, Some(key)) = (S::DIMENSION, keys.spinning_resistance) {
            let draft = Draft::error(key.span, "`spinning_resistance` in the plane");
            let help = "in the plane bodies roll but do not spin: give `rolling_resistance`";
            self.problems.push(draft.help(help));
            return None;
        }
        let law = MoreauLaw {
            friction: friction?,
            normal_restitution: restitution?,
            tangential_restitution: keys.tangential_restitution.as_ref().map_or(0.0, |r| r.value),
            viscosity,
            resistance,
            cohesion: keys.cohesion.as_ref().map_or(Cohesion::default(), cohesion),
            impact: keys.impact.as_ref().map(impact),
        };
        if self.goes_with_bond(keys, &law).is_some() {
            return None;
        }
        let bond = match keys.bond {
            Some(table) => Some(self.bond(table)?),
            None => None,
        };
        let law = PairLaw { contact: ContactLaw::Moreau(law), spring: contact_spring(keys), bond };
        if let (Some(table), Some(beside)) = (keys.impact, unfit_beside_impact(&law)) {
            let draft = Draft::error(table.span, "`impact` does not go with the rest of the law");
            let draft = draft.found(beside).expected("Coulomb's `friction` alone");
            self.problems.push(draft.help("remove it, or `impact`"));
            return None;
        }
        Some(law)
    }

    /// Whether laws of impact can be had with what else is in the scene.
    pub fn check_impacts(&mut self, table: &SceneTable) {
        let Some(beside) = unfit_for_impacts(&self.setup) else { return };
        let default = table.default_law.value.as_ref().map(|law| law.keys());
        let mut laws = table.law.items.iter().map(|law| law.keys()).chain(default);
        let Some(impact) = laws.find_map(|keys| keys.impact.as_ref()) else { return };
        let draft = Draft::error(impact.span, "`impact` cannot be had in this scene");
        let draft = draft.found(beside).expected("rigid bodies without joints, one exponent");
        self.problems.push(draft.help("give `normal_restitution` in its place"));
    }

    /// ρ, given as such or by δ (Jean & Moreau 1992, (6.1)).
    fn restitution(&mut self, keys: LawKeys<'_>) -> Option<f64> {
        match (keys.normal_restitution, keys.dissipation_index) {
            (Some(_), Some(index)) => {
                let draft = Draft::error(index.span, "restitution given twice");
                let draft = draft.found("`normal_restitution` and `dissipation_index`");
                self.problems.push(
                    draft
                        .expected("one of them")
                        .help("a dissipation index δ is the normal restitution (1 − δ)/(1 + δ)"),
                );
                None
            }
            (Some(restitution), None) => Some(restitution.value),
            (None, Some(index)) => Some((1.0 - index.value) / (1.0 + index.value)),
            (None, None) => Some(0.0),
        }
    }

    fn friction(&mut self, table: &FrictionTable, carrier: Option<MaterialId>) -> Option<Friction> {
        for key in [&table.coefficient, &table.along, &table.across, &table.against] {
            key.iter().for_each(|coefficient| self.warn_friction(coefficient));
        }
        self.foreign_keys(table)?;
        let second = table.across.as_ref().or(table.against.as_ref());
        let directed = table.along.is_some() || second.is_some();
        let ways = [
            directed,
            table.polygon.is_some(),
            table.coefficient.is_some() || table.sides.is_some(),
        ];
        if ways.iter().filter(|way| **way).count() > 1 {
            let draft = Draft::error(table.span, "friction given in more than one way");
            let expected = match S::DIMENSION {
                2 => "`coefficient`, or `along` and `against`",
                _ => "`coefficient`, `along` and `across`, `polygon`, or `sides` and `coefficient`",
            };
            self.problems.push(draft.expected(expected));
            return None;
        }
        if let Some(polygon) = &table.polygon {
            let corner = |pair: &crate::wrap::Pair<Number<Pure>>| {
                DVec2::new(pair.first.value, pair.second.value)
            };
            let corners: Vec<DVec2> = polygon.items.iter().map(corner).collect();
            let made = FrictionPolygon::new(&corners);
            let made = made.map_err(|error| self.polygon_problem(error, polygon.span));
            return Some(Friction::Polygon(Arc::new(made.ok()?), self.principal(table, carrier)?));
        }
        match (&table.coefficient, &table.sides, &table.along, second) {
            (Some(coefficient), Some(sides), ..) => {
                let made = FrictionPolygon::regular(sides.value as usize, coefficient.value);
                let made = made.map_err(|error| self.polygon_problem(error, coefficient.span));
                Some(Friction::Polygon(Arc::new(made.ok()?), self.principal(table, carrier)?))
            }
            (Some(coefficient), None, ..) => {
                self.no_direction(table)?;
                Some(Friction::Isotropic(coefficient.value))
            }
            (None, None, Some(along), Some(second)) => {
                let principal = self.principal(table, carrier)?;
                self.check_ellipse(along, second)?;
                Some(Friction::Directed([along.value, second.value], principal))
            }
            (None, None, None, None) if table.viscosity.is_some() => {
                self.no_direction(table)?;
                Some(Friction::Unbounded)
            }
            _ => {
                let draft = Draft::error(table.span, "friction is not fully given");
                let help = match (table.sides.is_some(), directed, S::DIMENSION) {
                    (true, ..) => "give `coefficient` with `sides`",
                    (_, true, 2) => "give both `along` and `against`",
                    (_, true, _) => "give both `along` and `across`",
                    _ => "give `coefficient`",
                };
                self.problems.push(draft.help(help));
                None
            }
        }
    }

    /// Keys of the other dimension.
    fn foreign_keys(&mut self, table: &FrictionTable) -> Option<()> {
        let plane = S::DIMENSION == 2;
        let foreign = [
            ("across", table.across.as_ref().map(|c| c.span), plane),
            ("against", table.against.as_ref().map(|c| c.span), !plane),
            ("polygon", table.polygon.as_ref().map(|c| c.span), plane),
            ("sides", table.sides.as_ref().map(|c| c.span), plane),
        ];
        let mut good = Some(());
        for (key, span, wrong) in foreign {
            let Some(span) = span.filter(|_| wrong) else { continue };
            let place = if plane { "in the plane" } else { "in space" };
            let draft = Draft::error(span, format!("`{key}` of friction {place}"));
            self.problems.push(draft.help(match plane {
                true => "in the plane friction is anisotropic by `along` and `against`",
                false => "in space friction is anisotropic by `along` and `across`, or a polygon",
            }));
            good = None;
        }
        good
    }

    /// An ellipse has no half axis of zero.
    fn check_ellipse(&mut self, along: &Coefficient, across: &Coefficient) -> Option<()> {
        let zero = [along, across].into_iter().find(|c| c.value == 0.0);
        let Some(zero) = zero.filter(|_| S::DIMENSION == 3) else { return Some(()) };
        let draft = Draft::error(zero.span, "a coefficient of zero in one direction").found("0");
        let draft = draft.expected("two positive coefficients");
        self.problems.push(draft.help("for no friction at all give `friction = 0`"));
        None
    }

    /// The direction of anisotropic friction.
    fn principal(
        &mut self,
        table: &FrictionTable,
        carrier: Option<MaterialId>,
    ) -> Option<Principal> {
        let Some(components) = &table.direction else {
            let draft = Draft::error(table.span, "anisotropic friction without a direction");
            let example = if S::DIMENSION == 2 { "[1, 0]" } else { "[1, 0, 0]" };
            self.problems.push(draft.help(format!("add `direction = {example}` or the like")));
            return None;
        };
        let unit = direction::<S, _, _>(components, self.problems)?;
        let component = |i: usize| if i < S::DIMENSION { unit.get(i) } else { 0.0 };
        Some(Principal { direction: DVec3::new(component(0), component(1), component(2)), carrier })
    }

    /// Isotropic friction has no direction.
    fn no_direction(&mut self, table: &FrictionTable) -> Option<()> {
        let Some(direction) = &table.direction else { return Some(()) };
        let draft = Draft::error(direction.span, "a direction for friction that has none");
        let keys = if S::DIMENSION == 2 { "`along` and `against`" } else { "`along` and `across`" };
        self.problems.push(draft.help(format!("remove it, or give {keys}")));
        None
    }

    fn polygon_problem(&mut self, error: PolygonError, span: Span) {
        let draft = Draft::error(span, "the polygon of friction cannot be made");
        let draft = draft.found(error.to_string());
        self.problems.push(match error {
            PolygonError::TooFew => draft.expected("three corners or more"),
            PolygonError::NotFinite => draft.expected("finite numbers"),
            PolygonError::NotConvex => draft
                .expected("a convex polygon with corners that differ")
                .help("list the corners in the order in which they follow each other"),
            PolygonError::WithoutOrigin => {
                draft.expected("a polygon that holds the point [0, 0]").help(
                    "corners are friction forces per normal force; without 0 friction would drive",
                )
            }
        });
    }

    pub(super) fn warn_friction(&mut self, friction: &Coefficient) {
        if friction.value > SUSPICIOUS_FRICTION {
            let draft = Draft::warning(friction.span, "very high friction");
            let draft = draft.found(friction.value.to_string());
            self.problems.push(draft.help("it is a coefficient, tan of the friction angle"));
        }
    }
}

/// The spring of a law; none without the key.
pub(super) fn contact_spring(keys: LawKeys<'_>) -> ContactSpring {
    keys.spring.as_ref().map_or(ContactSpring::default(), |table| ContactSpring {
        stiffness: table.stiffness.value,
        reach: table.reach.value,
    })
}

fn cohesion(key: &NumberOr<crate::quantity::Force, NotNegative, CohesionTable>) -> Cohesion {
    match key {
        NumberOr::Number(force) => Cohesion { force: force.value, ..Cohesion::default() },
        NumberOr::Table(table) => Cohesion {
            force: table.force.value,
            range: table.range.as_ref().map_or(0.0, |range| range.value),
            reversible: table.reversible.unwrap_or(true),
        },
    }
}
