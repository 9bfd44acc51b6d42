//! Why a step was not solved, with the names of what meets.

use crate::{Dimension, Owner, World};
use drystone_solve::{Diagnosis, with_assembled};
use drystone_space::{Local, Vector};
use std::collections::BTreeMap;
use std::fmt;

/// Why a step was not solved.
#[derive(Clone, Debug, PartialEq)]
pub struct StepDiagnosis {
    /// What is wrong with its contact problem; contacts are numbered as in [`World::contacts`], and bonds after them.
    pub problem: Diagnosis,
    /// What meets in the contacts that it names.
    pub names: BTreeMap<usize, String>,
    /// Name and mass, in kg, of the lightest and the heaviest body that touch something, if they
    /// differ.
    pub masses: Option<[(String, f64); 2]>,
    /// Whether all laws are Coulomb's; others are looked at as Coulomb's here.
    pub coulomb: bool,
}

impl fmt::Display for StepDiagnosis {
    /// Several indented lines, without a line break at the end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |contact: usize| match self.names.get(&contact) {
            Some(name) => name.clone(),
            None => format!("contact {contact}"),
        };
        if let Some([(light, least), (heavy, most)]) = &self.masses {
            let label = "bodies";
            writeln!(f, "  {label:<13} from {least:.3e} kg ({light}) to {most:.3e} kg ({heavy})")?;
        }
        if !self.coulomb {
            let label = "laws";
            writeln!(f, "  {label:<13} some are not Coulomb's, and are looked at as if they were")?;
        }
        write!(f, "{}", self.problem.describe(name).trim_end())
    }
}

impl<S: Dimension> World<S> {
    /// Looks at the contact problem of the last step: where its error is, and what makes it hard.
    /// Takes about as long as a solve; meant for steps that failed.
    pub fn diagnosis(&self) -> StepDiagnosis {
        let (problem, solution) = (self.problem(), self.solution());
        let freedoms = problem.movers.len() * (S::DIMENSION + S::Spin::LENGTH);
        let found = with_assembled!(S::gather(&problem), assembled => {
            // Rolling moments, which come after the dimension's components, are none of ours.
            let component = |p: &S::Local, i| if i < S::DIMENSION { p.get(i) } else { 0.0 };
            let impulses: Vec<_> =
                solution.impulses.iter().map(|p| std::array::from_fn(|i| component(p, i))).collect();
            Diagnosis::of(&assembled, &impulses, Some(freedoms))
        });
        let worst = found.worst.iter().map(|culprit| culprit.contact);
        let members = found.conflict.iter().flat_map(|conflict| conflict.contacts.iter().copied());
        let names = worst.chain(members).map(|contact| (contact, self.contact_name(contact)));
        StepDiagnosis {
            names: names.collect(),
            masses: self.touching_masses(),
            coulomb: problem.is_coulomb(),
            problem: found,
        }
    }

    /// The lightest and the heaviest body that touch something, if they differ.
    fn touching_masses(&self) -> Option<[(String, f64); 2]> {
        let owners = self.state.contacts.iter().flat_map(|contact| [contact.first, contact.second]);
        let bodies = owners.filter_map(|owner| match owner {
            Owner::Body(index) => Some(index),
            Owner::Boundary(_) => None,
        });
        let mass = |index: u32| self.state.bodies[index as usize].mass;
        let by_mass = |a: &u32, b: &u32| mass(*a).total_cmp(&mass(*b)).then(a.cmp(b));
        let (light, heavy) = (bodies.clone().min_by(by_mass)?, bodies.max_by(by_mass)?);
        let named = |index: u32| (self.name(Owner::Body(index)), mass(index));
        (mass(light) < mass(heavy)).then(|| [named(light), named(heavy)])
    }

    /// What meets in a contact of the last step, and where.
    fn contact_name(&self, index: usize) -> String {
        let Some(contact) = self.state.contacts.get(index) else { return "a bond".to_owned() };
        let place: Vec<String> =
            (0..S::DIMENSION).map(|i| millimetres(contact.point.get(i))).collect();
        format!(
            "{} on {} at ({})",
            self.name(contact.first),
            self.name(contact.second),
            place.join(", ")
        )
    }
}

/// A length in metres to the millimetre, without a negative zero.
fn millimetres(length: f64) -> String {
    format!("{:.3}", (length * 1e3).round() * 1e-3 + 0.0)
}
