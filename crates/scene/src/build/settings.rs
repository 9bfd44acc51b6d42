//! Gravity, time, solver, contact form, output.

use super::Builder;
use super::dimension::{SceneSpace, vector};
use crate::format::{
    ContactTable, FailureWord, FormWord, JudgeWord, MethodWord, RecordWord, RegionTable,
    SceneTable, SolverTable, StressWord, TimeSchemeWord,
};
use crate::report::Draft;
use crate::scene::{Output, RecordLevel, View};
use drystone_engine::{
    ContactForm, Judge, Method, OnFailure, Scheme, SleepSettings, SolverSettings,
    unfit_for_quasi_static, unfit_for_second_order, unfit_for_sleep,
};
use drystone_fem::StressField;
use drystone_solve::solvers::Projection;
use drystone_solve::{AssembledMethod, LocalSolver};
use drystone_space::Vector;

/// Steps between frames of a scene that asks for none: from one step to the next little changes.
const FRAME_STEPS: f64 = 5.0;

impl<S: SceneSpace> Builder<'_, S> {
    pub fn settings(&mut self, table: &SceneTable) {
        if let Some(gravity) = &table.gravity.value {
            self.setup.gravity = vector::<S, _, _>(gravity);
        }
        if let Some(time) = &table.time.value {
            self.setup.time_step = time.step.value;
            self.setup.scheme = match time.scheme {
                Some(TimeSchemeWord::SecondOrder) => Scheme::SecondOrder,
                Some(TimeSchemeWord::Moreau) | None => Scheme::Moreau,
            };
            if time.end.value < time.step.value {
                let draft = Draft::error(time.end.span, "the run ends before its first step");
                let draft = draft.found(format!("{} s", time.end.value));
                self.problems.push(draft.expected(format!("at least {} s", time.step.value)));
            }
        }
        self.setup.solver.judge = Judge::Step;
        if let Some(solver) = &table.solver.value {
            self.setup.solver = solver_settings(solver);
        }
        if let Some(contact) = &table.contact.value {
            self.setup.form = self.form(contact);
        }
    }

    /// Whether the scheme can be had with this form of contact and these laws.
    pub fn check_scheme(&mut self, table: &SceneTable) {
        let Some(time) = &table.time.value else { return };
        if self.setup.scheme == Scheme::SecondOrder
            && let Some(beside) = unfit_for_second_order(&self.setup)
        {
            let draft = Draft::error(time.span, "the scheme `second-order` cannot be had here");
            let draft =
                draft.found(beside).expected("the form `gap` of contacts, and Moreau's laws");
            self.problems.push(draft.help("remove `scheme`, or change `form` in `[contact]`"));
        }
    }

    /// When bodies are left alone; known to be possible once laws and solids are.
    pub fn rest(&mut self, table: &SceneTable) {
        let Some(table) = &table.rest.value else { return };
        if let Some(beside) = unfit_for_sleep(&self.setup) {
            let draft = Draft::error(table.span, "bodies at rest cannot be left alone here");
            let draft = draft.found(beside).expected("rigid bodies and contacts only");
            self.problems.push(draft.help("remove `[rest]`"));
        }
        let default = SleepSettings::default();
        self.setup.sleep = Some(SleepSettings {
            steps: table.steps.as_ref().map_or(default.steps, |n| n.value as u32),
            speed: table.speed.as_ref().map_or(default.speed, |n| n.value),
            withheld: table.withheld.as_ref().map_or(default.withheld, |n| n.value),
        });
    }

    /// The form that a scene asks for; what it leaves open is [filled in](Self::usual_form) once bodies and laws are known.
    fn form(&mut self, table: &ContactTable) -> ContactForm {
        let numbers = table.margin.is_some() || table.recovery_speed.is_some();
        let usual = if numbers { FormWord::Gap } else { FormWord::Velocity };
        match table.form.unwrap_or(usual) {
            FormWord::Velocity => {
                for span in [
                    table.margin.as_ref().map(|n| n.span),
                    table.recovery_speed.as_ref().map(|n| n.span),
                    table.recovery_share.as_ref().map(|n| n.span),
                ]
                .into_iter()
                .flatten()
                {
                    let draft = Draft::error(span, "has no meaning with this form of contact");
                    let draft = draft.found("form `velocity`").expected("form `gap`");
                    self.problems.push(draft.help("add `form = \"gap\"`, or remove this key"));
                }
                ContactForm::Velocity
            }
            FormWord::Gap => ContactForm::Gap {
                margin: table.margin.as_ref().map_or(0.0, |n| n.value),
                recovery_speed: table.recovery_speed.as_ref().map_or(0.0, |n| n.value),
                recovery_share: table.recovery_share.as_ref().map_or(1.0, |n| n.value),
            },
        }
    }

    /// The form of contact where a scene names none, and the numbers of the gap form where it gives none: gaps are
    /// held, within a margin and at a speed that follow from sizes, gravity and the time step. Scenes with laws of
    /// A-CD², which are laws of velocities, and those of solids alone have the velocity form.
    pub fn usual_form(&mut self, table: &SceneTable) {
        let contact = table.contact.value.as_ref();
        let named = contact.is_some_and(|contact| contact.form.is_some());
        let rigid = !self.setup.bodies.is_empty() || !self.setup.arrivals.is_empty();
        let quasi_static = self.setup.solid_settings.scheme.quasi_static;
        let of_velocities = self.setup.laws.has_percussions() || (!rigid && !quasi_static);
        if !named && self.setup.form == ContactForm::Velocity && of_velocities {
            return;
        }
        if named && self.setup.form == ContactForm::Velocity {
            return;
        }
        let (margin, speed) = match self.setup.solid_settings.scheme.quasi_static {
            true => self.margin_of_solids(),
            false => self.usual_margin(),
        };
        self.setup.form = ContactForm::Gap {
            margin: contact.and_then(|c| c.margin.as_ref()).map_or(margin, |n| n.value),
            recovery_speed: contact
                .and_then(|c| c.recovery_speed.as_ref())
                .map_or(speed, |n| n.value),
            recovery_share: contact
                .and_then(|c| c.recovery_share.as_ref())
                .map_or(1.0, |n| n.value),
        };
    }

    /// A margin and a speed of recovery for the smallest body: far less than its width, and more than what gravity
    /// gives in a step.
    fn usual_margin(&self) -> (f64, f64) {
        let arrivals = self.setup.arrivals.iter().map(|arrival| &arrival.body);
        let bodies = self.setup.bodies.iter().chain(arrivals);
        let widths = bodies.flat_map(|body| body.parts.iter().map(|part| S::width(&part.shape)));
        let width = widths.fold(f64::INFINITY, f64::min);
        let width = if width.is_finite() { width } else { 1.0 };
        let (gravity, h) = (self.setup.gravity.norm(), self.setup.time_step);
        let margin = (1e-3 * width).max(2.0 * gravity * h * h).min(0.05 * width);
        (margin, (0.05 * (gravity * width).sqrt()).max(1e-4 * width / h))
    }

    /// The same for solids without inertia, whose overlaps are made good at once: by the smallest of them, seen along
    /// its shortest side.
    fn margin_of_solids(&self) -> (f64, f64) {
        let side = |nodes: &[S::Vector], axis: usize| {
            let along = nodes.iter().map(|node| node.get(axis));
            let (low, high) =
                along.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
            high - low
        };
        let all = self.setup.solids.iter().map(|solid| &solid.mesh.nodes);
        let sides = all.flat_map(|nodes| (0..S::DIMENSION).map(|axis| side(nodes, axis)));
        let width = sides.fold(f64::INFINITY, f64::min);
        let width = if width.is_finite() { width } else { 1.0 };
        (0.05 * width, width / self.setup.time_step)
    }

    /// Whether solids can be computed without inertia.
    pub fn check_quasi_static(&mut self, table: &SceneTable) {
        let Some(deformation) = &table.deformation.value else { return };
        if self.setup.solid_settings.scheme.quasi_static
            && let Some(beside) = unfit_for_quasi_static(&self.setup)
        {
            let draft =
                Draft::error(deformation.span, "the scheme `quasi-static` cannot be had here");
            let draft = draft.found(beside);
            let draft = draft.expected(
                "solids that `imposed` holds, boundaries, the form `gap`, no restitution",
            );
            self.problems.push(draft.help("remove `scheme`, so that solids have inertia"));
        }
    }

    /// What is recorded; `None` without a time table.
    pub fn output(&mut self, table: &SceneTable) -> Option<Output> {
        let time = table.time.value.as_ref()?;
        let end = time.end.value;
        let mut output = Output {
            frame_interval: (end / 100.0).max(FRAME_STEPS * time.step.value),
            frames_per_picture: 1,
            record: RecordLevel::All,
            sample_interval: end / 1000.0,
            view: None,
            picture: (1280, 960),
            speed_limit: None,
            force_limit: None,
            stress: StressField::default(),
            stress_limit: None,
            track: Vec::new(),
        };
        let Some(given) = &table.output.value else { return Some(output) };
        if let Some(interval) = &given.frame_interval {
            output.frame_interval = interval.value;
        }
        if let Some(frames) = &given.frames_per_picture {
            output.frames_per_picture = frames.value as u64;
        }
        output.record = match given.record {
            Some(RecordWord::All) | None => RecordLevel::All,
            Some(RecordWord::Bodies) => RecordLevel::Bodies,
            Some(RecordWord::Nothing) => RecordLevel::Nothing,
        };
        if let Some(interval) = &given.sample_interval {
            output.sample_interval = interval.value;
        }
        if let Some(picture) = &given.picture {
            output.picture = (picture.first.value as u32, picture.second.value as u32);
        }
        if let Some(view) = &given.view {
            self.region(view);
            output.view = Some(View { low: view.low.values, high: view.high.values });
        }
        output.speed_limit = given.speed_limit.as_ref().map(|n| n.value);
        output.force_limit = given.force_limit.as_ref().map(|n| n.value);
        output.stress = match given.stress {
            Some(StressWord::Shear) => StressField::Shear,
            Some(StressWord::Pressure) => StressField::Pressure,
            Some(StressWord::VonMises) | None => StressField::VonMises,
        };
        output.stress_limit = given.stress_limit.as_ref().map(|n| n.value);
        for name in given.track.iter().flat_map(|track| &track.items) {
            if !self.names.known(name, self.problems) {
                continue;
            }
            // The name of a group stands for its members.
            let (setup, group) = (&self.setup, format!("{} ", name.value));
            let arrivals = setup.arrivals.iter().map(|arrival| &arrival.body);
            let names = setup.bodies.iter().chain(arrivals).map(|body| body.name());
            let number = |name: &&str| {
                name.strip_prefix(&group).is_some_and(|rest| rest.parse::<usize>().is_ok())
            };
            let exact = names.clone().any(|body| body == name.value);
            match exact {
                true => output.track.push(name.value.clone()),
                false => output.track.extend(names.filter(number).map(str::to_owned)),
            }
        }
        Some(output)
    }

    /// Lowest and highest corner; reports a region that is inside out.
    pub fn region(&mut self, region: &RegionTable) -> Option<(S::Vector, S::Vector)> {
        let wrong = (0..S::DIMENSION).find(|&i| region.low.values[i] > region.high.values[i]);
        if let Some(axis) = wrong {
            let draft = Draft::error(region.high.span, "region is inside out");
            let name = ["x", "y", "z"][axis];
            let (low, high) = (region.low.values[axis], region.high.values[axis]);
            let draft = draft.found(format!("{name} from {low} to {high}"));
            self.problems.push(draft.expected("no component of `high` below that of `low`"));
            return None;
        }
        Some((vector::<S, _, _>(&region.low), vector::<S, _, _>(&region.high)))
    }
}

fn solver_settings(table: &SolverTable) -> SolverSettings {
    let default = SolverSettings::default();
    SolverSettings {
        method: match table.method {
            None => default.method,
            Some(MethodWord::Auto) => Method::Auto,
            Some(MethodWord::GaussSeidel) => Method::GaussSeidel,
            Some(MethodWord::Newton) => Method::Assembled(AssembledMethod::Newton),
            Some(MethodWord::Proximal) => Method::Assembled(AssembledMethod::Proximal),
            Some(MethodWord::Admm) => Method::Assembled(AssembledMethod::Admm),
            Some(MethodWord::Apgd) => Method::Assembled(AssembledMethod::Apgd),
            Some(MethodWord::Quadratic) => Method::Assembled(AssembledMethod::Quadratic),
            Some(MethodWord::Uzawa) => Method::Assembled(AssembledMethod::Uzawa(Projection::Disc)),
            Some(MethodWord::Bipotential) => {
                let local = LocalSolver::Bipotential;
                Method::Assembled(AssembledMethod::GaussSeidel(Some(local)))
            }
        },
        tolerance: table.tolerance.as_ref().map_or(default.tolerance, |n| n.value),
        max_iterations: table
            .max_iterations
            .as_ref()
            .map_or(default.max_iterations, |n| n.value as usize),
        relaxation: table.relaxation.as_ref().map_or(default.relaxation, |n| n.value),
        judge: match table.judge {
            Some(JudgeWord::Step) | None => Judge::Step,
            Some(JudgeWord::Contacts) => Judge::Contacts,
        },
        on_failure: match table.on_failure {
            Some(FailureWord::Stop) => OnFailure::Stop,
            Some(FailureWord::Warn) => OnFailure::Warn,
            Some(FailureWord::Continue) => OnFailure::Continue,
            None => default.on_failure,
        },
    }
}
