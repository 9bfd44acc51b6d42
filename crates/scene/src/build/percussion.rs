//! From the key `percussion` of a law to A-CD².

use super::Builder;
use super::dimension::SceneSpace;
use super::friction::contact_spring;
use crate::format::{CohesionTable, LawKeys, PercussionTable, Potential, PotentialChoice};
use crate::quantity::{Force, NotNegative};
use crate::report::{Draft, Span};
use crate::wrap::NumberOr;
use drystone_engine::{
    ContactForm, ContactLaw, Curve, CurveError, CurvePoints, PairLaw, PercussionLaw,
};
use drystone_space::math;
use std::sync::Arc;

impl<S: SceneSpace> Builder<'_, S> {
    /// A law of A-CD²; `None` after problems have been reported.
    pub(super) fn percussion_law(
        &mut self,
        keys: LawKeys<'_>,
        table: &PercussionTable,
    ) -> Option<PairLaw> {
        let foreign = [
            ("normal_restitution", keys.normal_restitution.as_ref().map(|n| n.span)),
            ("dissipation_index", keys.dissipation_index.as_ref().map(|n| n.span)),
            ("tangential_restitution", keys.tangential_restitution.as_ref().map(|n| n.span)),
            ("rolling_resistance", keys.rolling_resistance.as_ref().map(|n| n.span)),
            ("spinning_resistance", keys.spinning_resistance.as_ref().map(|n| n.span)),
            ("impact", keys.impact.as_ref().map(|table| table.span)),
            ("cohesion", keys.cohesion.as_ref().map(cohesion_span)),
        ];
        for (key, span) in foreign {
            let Some(span) = span else { continue };
            let draft = Draft::error(span, format!("`{key}` of a law with `percussion`"));
            self.problems.push(draft.help("the potentials of `percussion` say it all: remove it"));
        }
        if self.setup.form != ContactForm::Velocity {
            let draft = Draft::error(table.span, "`percussion` with the form `gap` of contacts");
            self.problems.push(draft.expected("the form `velocity`").help(
                "percussions depend on velocities before and after, which the form `gap` shifts",
            ));
        }
        let friction = match keys.friction {
            None => f64::INFINITY,
            Some(NumberOr::Number(coefficient)) => {
                self.warn_friction(coefficient);
                coefficient.value
            }
            Some(NumberOr::Table(table)) => {
                let draft = Draft::error(table.span, "a table of friction with `percussion`");
                let draft = draft.expected("a coefficient");
                self.problems.push(draft.help("`tangential` of `percussion` makes it viscous"));
                return None;
            }
        };
        let normal = self.curve(&table.normal);
        let tangential = match (&table.tangential, keys.friction) {
            (Some(potential), _) => self.curve(potential),
            (None, None) => {
                let draft = Draft::error(table.span, "no tangential percussion");
                self.problems.push(
                    draft
                        .expected("`tangential`, `friction` or both")
                        .help("add `tangential = 0` for contacts without friction"),
                );
                None
            }
            (None, _) => Some(Curve::Rigid),
        };
        let pulls = table.pulls.unwrap_or(false);
        let law = PercussionLaw { normal: normal?, pulls, tangential: tangential?, friction };
        Some(PairLaw {
            contact: ContactLaw::Percussion(law),
            spring: contact_spring(keys),
            bond: None,
        })
    }

    /// The derivative of a potential.
    fn curve(&mut self, potential: &Potential) -> Option<Curve> {
        let choice = match potential {
            // (60) of Dal Pont & Dimnet 2006 is ½K(2X)², and its derivative 4KX.
            NumberOr::Number(k) => return Some(Curve::Linear(4.0 * k.value)),
            NumberOr::Table(choice) => choice,
        };
        match choice {
            PotentialChoice::Quadratic(k) => Some(Curve::Linear(4.0 * k.value)),
            PotentialChoice::Viscous(viscosity) => {
                Some(Curve::Linear(viscosity.value * self.setup.time_step))
            }
            PotentialChoice::Power(table) => {
                let exponent = table.exponent.value;
                let unit = math::powf(table.velocity.value, exponent);
                Some(Curve::Power { factor: table.percussion.value / unit, exponent })
            }
            PotentialChoice::Points(list) => {
                let points: Vec<[f64; 2]> =
                    list.items.iter().map(|p| [p.first.value, p.second.value]).collect();
                let made = CurvePoints::new(&points);
                let made = made.map_err(|error| self.curve_problem(error, list.span)).ok()?;
                Some(Curve::Points(Arc::new(made)))
            }
        }
    }

    fn curve_problem(&mut self, error: CurveError, span: Span) {
        let draft = Draft::error(span, "the points make no potential").found(error.to_string());
        self.problems.push(draft.expected(match error {
            CurveError::Empty => "at least one point `[velocity, percussion]`",
            CurveError::NotFinite => "finite numbers that are zero or more",
            CurveError::NotSorted => "velocities that rise from point to point",
            CurveError::NotMonotone => "percussions that do not fall: the potential is convex",
        }));
    }
}

fn cohesion_span(key: &NumberOr<Force, NotNegative, CohesionTable>) -> Span {
    match key {
        NumberOr::Number(force) => force.span,
        NumberOr::Table(table) => table.span,
    }
}
