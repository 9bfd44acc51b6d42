//! What can go wrong, as one type.

use drystone_engine::{SetupError, SteerError, StepError};
use drystone_record::RecordError;
use drystone_scene::Report;
use drystone_solve::global::Singular;
use drystone_sweeping::SweepError;
use std::path::PathBuf;
use thiserror::Error;

/// What can go wrong. Its text is what the program shows.
///
/// ```
/// use drystone::prelude::*;
/// let error = Simulation::parse("dimension = 2\ngravty = [0, -9.81]").unwrap_err();
/// assert!(error.to_string().contains("did you mean `gravity`?"));
/// ```
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// A scene is not right: all its problems, each with its place.
    #[error("{0}")]
    Scene(Report),
    /// No world can be made of a setup.
    #[error("{0}")]
    Setup(#[from] SetupError),
    /// A step has failed.
    #[error("{0}")]
    Step(#[from] StepError),
    /// Something that cannot be set.
    #[error("{0}")]
    Steer(#[from] SteerError),
    /// A run on disk.
    #[error("{0}")]
    Record(#[from] RecordError),
    /// A file of a recorded contact problem.
    #[error("{0}")]
    Problem(#[from] drystone_fclib::Error),
    /// A contact problem that cannot be reduced to its contacts.
    #[error("{matrix}: {singular}")]
    Singular {
        /// Which of its matrices.
        matrix: String,
        /// Where it is singular.
        singular: Singular,
    },
    /// A problem of the sweeping process.
    #[error("{0}")]
    Sweep(#[from] SweepError),
    /// There is no body, boundary, key, solver or file of this name.
    #[error("there is no {kind} `{name}`{}{}", meant(.nearest), listed(.known))]
    NoSuch {
        /// What kind of thing.
        kind: &'static str,
        /// The name.
        name: String,
        /// The known name that was probably meant.
        nearest: Option<String>,
        /// Names that are there, if they are few.
        known: Vec<String>,
    },
    /// A list of numbers has a wrong length.
    #[error("{what} has {found} numbers; expected {expected}")]
    Length {
        /// Which list.
        what: String,
        /// How many it has.
        found: usize,
        /// How many it should have, and why.
        expected: String,
    },
    /// A value that makes no sense.
    #[error("{what} is {found}; expected {expected}")]
    Value {
        /// Which value.
        what: String,
        /// What it is.
        found: String,
        /// What it could be.
        expected: String,
    },
    /// A run or checkpoint without the scene that it was made from.
    #[error(
        "{place} was made from bodies of a program, not from a scene: give the setup that it was made from"
    )]
    NoScene {
        /// Where it is.
        place: String,
    },
    /// Something that cannot be done with this run or simulation.
    #[error("{0}")]
    Unfit(String),
    /// A file or folder that cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

impl Error {
    /// The text with the word `error: ` before it, as the program prints it. Problems of scenes have it already.
    pub fn message(&self) -> String {
        match self {
            Error::Scene(report) => report.to_string(),
            other => format!("error: {other}"),
        }
    }

    pub(crate) fn no_such<'a>(
        kind: &'static str,
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let known: Vec<&str> = known.into_iter().filter(|name| !name.is_empty()).collect();
        let nearest = drystone_scene::nearest(name, &known).map(str::to_owned);
        let few = if known.len() <= FEW { known } else { Vec::new() };
        let known = few.into_iter().map(str::to_owned).collect();
        Error::NoSuch { kind, name: name.to_owned(), nearest, known }
    }

    pub(crate) fn file(path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        Error::File { path: path.into(), source }
    }
}

impl From<Report> for Error {
    fn from(report: Report) -> Self {
        Error::Scene(report)
    }
}

/// Names that are listed in a message at most.
const FEW: usize = 24;

fn meant(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or(String::new(), |name| format!("; did you mean `{name}`?"))
}

fn listed(known: &[String]) -> String {
    match known {
        [] => String::new(),
        known => format!("; there is `{}`", known.join("`, `")),
    }
}
