//! What came of the problems: a table for people, a list of objects for programs.

use super::attempt::Attempt;
use super::name;
use crate::Failure;
use drystone_fclib::Kind;
use drystone_record::plot::quantity;
use serde_json::json;
use std::path::PathBuf;

/// One file and what solvers made of it.
pub struct Case {
    /// The file.
    pub file: PathBuf,
    /// Kind of the problem.
    pub kind: Kind,
    /// Number of contacts.
    pub contacts: usize,
    /// Components of a contact.
    pub dimension: usize,
    /// At least one attempt.
    pub attempts: Vec<Attempt>,
    /// The fastest attempt that solves the problem.
    pub best: Option<usize>,
    /// What to tell the user beside the table.
    pub warnings: Vec<String>,
}

impl Case {
    /// Whether the problem is not solved and time was up for one of its solvers.
    pub fn is_stopped(&self) -> bool {
        self.best.is_none() && self.attempts.iter().any(|attempt| attempt.stopped)
    }
}

const ATTEMPT: &str = "solver              status      iterations       time  reduction   residual scale-free      error";

/// Why a problem was not solved; nothing where that was not asked.
pub fn diagnosis(case: &Case) -> String {
    let told = case.attempts.iter().filter_map(|attempt| {
        let why = attempt.diagnosis.as_ref()?.describe(|contact| format!("contact {contact}"));
        Some(format!("{} by {}:\n{why}", name(&case.file), attempt.solver))
    });
    told.collect()
}

/// Lays out cases, line by line as they come.
pub struct Table {
    width: usize,
    compare: bool,
    story: bool,
}

impl Table {
    /// A table of these files; when solvers are compared, each file has a table of its own.
    pub fn new(files: &[PathBuf], compare: bool, story: bool) -> Self {
        let width = files.iter().map(|file| name(file).chars().count()).max().unwrap_or(0).max(4);
        Self { width, compare, story }
    }

    /// The line above all cases.
    pub fn head(&self) -> String {
        match self.compare {
            true => String::new(),
            false => format!(
                "{:<width$}  {:<14} {:>8} {:>3}  {ATTEMPT}\n",
                "file",
                "kind",
                "contacts",
                "dim",
                width = self.width
            ),
        }
    }

    /// The lines of one case.
    pub fn rows(&self, case: &Case) -> String {
        let (kind, contacts, dimension) = (case.kind.name(), case.contacts, case.dimension);
        if !self.compare {
            let file = name(&case.file);
            let about = format!(
                "{file:<width$}  {kind:<14} {contacts:>8} {dimension:>3}",
                width = self.width
            );
            let line = |a: &Attempt| format!("{about}  {}\n{}", cells(a), self.story(a));
            return case.attempts.iter().map(line).collect();
        }
        let noun = if contacts == 1 { "contact" } else { "contacts" };
        let mut text = format!(
            "{}: {kind}, {contacts} {noun} of {dimension} components\n  {ATTEMPT}\n",
            name(&case.file)
        );
        for (index, attempt) in case.attempts.iter().enumerate() {
            let mark = if case.best == Some(index) { '*' } else { ' ' };
            text.push_str(&format!("{mark} {}\n{}", cells(attempt), self.story(attempt)));
        }
        text.push('\n');
        text
    }

    /// What a solver that joins several methods did.
    fn story(&self, attempt: &Attempt) -> String {
        let lines = attempt.story.iter().filter(|_| self.story);
        lines.map(|line| format!("    {line}\n")).collect()
    }
}

fn cells(attempt: &Attempt) -> String {
    let time = quantity(attempt.seconds.median + attempt.seconds_diagnosis, "s");
    let reduction = attempt.seconds_reduction.map_or(String::new(), |time| quantity(time, "s"));
    let error = attempt.error.map_or("-".to_owned(), |error| format!("{error:.1e}"));
    format!(
        "{:<19} {:<10} {:>11} {time:>10} {reduction:>10} {:>10.1e} {:>10.1e} {error:>10}",
        attempt.solver,
        status(attempt).replace('_', " "),
        attempt.iterations,
        attempt.residual.relative,
        attempt.residual.scale_free
    )
}

fn status(attempt: &Attempt) -> &'static str {
    match attempt {
        Attempt { solved: true, .. } => "solved",
        Attempt { stopped: true, .. } => "stopped",
        _ => "not_solved",
    }
}

/// A list of objects, one for each file and solver; then one for each file that failed, with the reason.
pub fn json(cases: &[Case], bad: &[(PathBuf, Failure)]) -> String {
    let object = |case: &Case, attempt: &Attempt| {
        json!({
            "file": case.file.to_string_lossy(),
            "kind": case.kind.name(),
            "dimension": case.dimension,
            "contacts": case.contacts,
            "solver": attempt.solver,
            "status": status(attempt),
            "iterations": attempt.iterations,
            "seconds": attempt.seconds.median,
            "seconds_first": attempt.seconds.first,
            "seconds_reduction": attempt.seconds_reduction.unwrap_or(0.0),
            "seconds_diagnosis": attempt.seconds_diagnosis,
            "seconds_error": attempt.seconds_error,
            "residual": attempt.residual.relative,
            "residual_scale_free": attempt.residual.scale_free,
            "step_error": attempt.error,
        })
    };
    let failed = |(file, reason): &(PathBuf, Failure)| json!({ "file": file.to_string_lossy(), "status": "failed", "error": reason });
    let objects = cases
        .iter()
        .flat_map(|case| case.attempts.iter().map(move |attempt| object(case, attempt)))
        .chain(bad.iter().map(failed))
        .collect();
    format!("{:#}\n", serde_json::Value::Array(objects))
}
