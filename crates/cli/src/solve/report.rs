//! What came of the problems: a table for people, a list of objects for programs.

use super::name;
use crate::Failure;
use drystone::record::plot::quantity;
use drystone::solve::{Answer, Kind, Residual};
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
    /// At least one.
    pub answers: Vec<Answer>,
    /// The fastest that solves the problem.
    pub best: Option<usize>,
    /// What to tell the user beside the table.
    pub warnings: Vec<String>,
}

impl Case {
    /// Whether the problem is not solved and time was up for one of its solvers.
    pub fn is_stopped(&self) -> bool {
        self.best.is_none() && self.answers.iter().any(|answer| answer.stopped)
    }
}

const ATTEMPT: &str = "solver              status      iterations       time  reduction   residual scale-free      error";

/// Why a problem was not solved; nothing where that was not asked.
pub fn diagnosis(case: &Case) -> String {
    let told = case.answers.iter().filter_map(|answer| {
        let why = answer.diagnosis.as_ref()?.describe(|contact| format!("contact {contact}"));
        Some(format!("{} by {}:\n{why}", name(&case.file), answer.method.name()))
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
            let line = |a: &Answer| format!("{about}  {}\n{}", cells(a), self.story(a));
            return case.answers.iter().map(line).collect();
        }
        let noun = if contacts == 1 { "contact" } else { "contacts" };
        let mut text = format!(
            "{}: {kind}, {contacts} {noun} of {dimension} components\n  {ATTEMPT}\n",
            name(&case.file)
        );
        for (index, answer) in case.answers.iter().enumerate() {
            let mark = if case.best == Some(index) { '*' } else { ' ' };
            text.push_str(&format!("{mark} {}\n{}", cells(answer), self.story(answer)));
        }
        text.push('\n');
        text
    }

    /// What a solver that joins several methods did.
    fn story(&self, answer: &Answer) -> String {
        let chapters = answer.story.iter().filter(|_| self.story);
        let line = |(method, iterations, residual): &(String, usize, Residual)| {
            let Residual { relative, scale_free } = residual;
            format!(
                "    {method:<18} {iterations:>8} iterations → {relative:.1e}, scale-free {scale_free:.1e}\n"
            )
        };
        chapters.map(line).collect()
    }
}

fn cells(answer: &Answer) -> String {
    let time = quantity(answer.seconds.solve + answer.seconds.diagnosis, "s");
    let reduction = answer.seconds.reduction.map_or(String::new(), |time| quantity(time, "s"));
    let error = answer.error.map_or("-".to_owned(), |error| format!("{error:.1e}"));
    format!(
        "{:<19} {:<10} {:>11} {time:>10} {reduction:>10} {:>10.1e} {:>10.1e} {error:>10}",
        answer.method.name(),
        status(answer).replace('_', " "),
        answer.iterations,
        answer.residual.relative,
        answer.residual.scale_free
    )
}

fn status(answer: &Answer) -> &'static str {
    match answer {
        Answer { solved: true, .. } => "solved",
        Answer { stopped: true, .. } => "stopped",
        _ => "not_solved",
    }
}

/// A list of objects, one for each file and solver; then one for each file that failed, with the reason.
pub fn json(cases: &[Case], bad: &[(PathBuf, Failure)]) -> String {
    let object = |case: &Case, answer: &Answer| {
        json!({
            "file": case.file.to_string_lossy(),
            "kind": case.kind.name(),
            "dimension": case.dimension,
            "contacts": case.contacts,
            "solver": answer.method.name(),
            "status": status(answer),
            "iterations": answer.iterations,
            "seconds": answer.seconds.solve,
            "seconds_first": answer.seconds.first,
            "seconds_reduction": answer.seconds.reduction.unwrap_or(0.0),
            "seconds_diagnosis": answer.seconds.diagnosis,
            "seconds_error": answer.seconds.estimate,
            "residual": answer.residual.relative,
            "residual_scale_free": answer.residual.scale_free,
            "step_error": answer.error,
        })
    };
    let failed = |(file, reason): &(PathBuf, Failure)| json!({ "file": file.to_string_lossy(), "status": "failed", "error": reason });
    let objects = cases
        .iter()
        .flat_map(|case| case.answers.iter().map(move |answer| object(case, answer)))
        .chain(bad.iter().map(failed))
        .collect();
    format!("{:#}\n", serde_json::Value::Array(objects))
}
