//! Errors as Python exceptions. The classes are those of `drystone/errors.py`; texts are those of the library.

use drystone::Error;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A class of `drystone.errors`.
#[derive(Clone, Copy, Debug)]
pub enum Class {
    Scene,
    Step,
    Record,
    Unknown,
    Value,
    Stale,
    Closed,
    Internal,
}

const NAMES: [&str; 8] = [
    "SceneError",
    "StepError",
    "RecordError",
    "UnknownNameError",
    "InvalidValueError",
    "StaleViewError",
    "ClosedError",
    "InternalError",
];

/// An exception of this class.
pub fn raise(py: Python<'_>, class: Class, text: impl Into<String>) -> PyErr {
    static CLASSES: PyOnceLock<Vec<Py<PyType>>> = PyOnceLock::new();
    let classes = CLASSES.get_or_try_init(py, || {
        let module = py.import("drystone.errors")?;
        let class = |name: &&str| Ok(module.getattr(*name)?.cast_into::<PyType>()?.unbind());
        NAMES.iter().map(class).collect::<PyResult<Vec<_>>>()
    });
    match classes {
        Ok(classes) => PyErr::from_type(classes[class as usize].bind(py).clone(), (text.into(),)),
        Err(error) => error,
    }
}

/// What the library says, as an exception.
pub fn of_library(py: Python<'_>, error: &Error) -> PyErr {
    let class = match error {
        Error::Scene(_) | Error::Setup(_) => Class::Scene,
        Error::Step(_) => Class::Step,
        Error::Record(_) | Error::Problem(_) | Error::File { .. } | Error::NoScene { .. } => {
            Class::Record
        }
        Error::NoSuch { .. } => Class::Unknown,
        _ => Class::Value,
    };
    raise(py, class, error.to_string())
}

/// Does something while the interpreter is free for other threads. A panic becomes an exception.
pub fn free<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let done = py.detach(|| catch_unwind(AssertUnwindSafe(work)));
    done.map_err(|panic| raise(py, Class::Internal, told(&*panic)))
}

/// The same for what may fail.
pub fn try_free<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Error> + Send,
) -> PyResult<T> {
    free(py, work)?.map_err(|error| of_library(py, &error))
}

fn told(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason given");
    format!("drystone has made a mistake: {text}. Please report it with what led to it")
}

/// A thing that JSON can say, as Python's dictionaries, lists and numbers.
pub fn python_of_json<'py>(py: Python<'py>, json: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (json,))
}

/// A result that cannot be told as JSON.
pub fn not_json(error: serde_json::Error) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}
