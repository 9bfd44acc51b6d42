//! Scenes: TOML as Python's own things, the schema, the check.

use crate::error::{Class, not_json, raise, try_free};
use drystone::scene::{Override, Scene, SceneFile};
use drystone::{Error, Simulation};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use toml::de::{DeTable, DeValue};

/// Where a scene comes from.
pub enum Source {
    File(PathBuf),
    Text { text: String, folder: PathBuf, files: Vec<SceneFile> },
}

impl Source {
    pub fn simulation(&self, changes: &[Override]) -> Result<Simulation, Error> {
        let (scene, folder) = self.scene(changes)?;
        Simulation::from_scene_in(scene, folder)
    }

    fn scene(&self, changes: &[Override]) -> Result<(Scene, PathBuf), Error> {
        Ok(match self {
            Source::File(path) => {
                let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
                let folder = full(folder.unwrap_or(Path::new(".")));
                (Scene::read_with(path, changes)?, folder)
            }
            Source::Text { text, folder, files } => {
                let folder = full(folder);
                let folders = drystone::scene::Folders {
                    scene: Some(&folder),
                    given: files,
                    ..Default::default()
                };
                (Scene::parse_with_in("the scene", text, folders, changes)?, folder)
            }
        })
    }
}

fn full(folder: &Path) -> PathBuf {
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
}

/// Overrides of keys: (key, value as it would stand in a scene).
pub fn overrides(py: Python<'_>, changes: &[(String, String)]) -> PyResult<Vec<Override>> {
    let change = |(key, value): &(String, String)| {
        Override::new(key, value)
            .map_err(|report| raise(py, Class::Scene, Error::from(report).to_string()))
    };
    changes.iter().map(change).collect()
}

/// Checks a scene; gives its warnings as one text.
#[pyfunction]
pub fn check(py: Python<'_>, text: String, folder: PathBuf) -> PyResult<String> {
    try_free(py, move || {
        let source = Source::Text { text, folder, files: Vec::new() };
        Ok(source.scene(&[])?.0.warnings.to_string())
    })
}

/// The JSON Schema of scenes.
#[pyfunction]
pub fn schema(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let text = serde_json::to_string(&drystone::scene::schema()).map_err(not_json)?;
    crate::error::python_of_json(py, &text)
}

/// Text in TOML as dictionaries, lists, texts and numbers.
#[pyfunction]
pub fn parse_toml<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    let table = DeTable::parse(text)
        .map_err(|error| raise(py, Class::Scene, format!("not TOML: {error}")))?;
    table_of(py, table.get_ref())
}

fn table_of<'py>(py: Python<'py>, table: &DeTable<'_>) -> PyResult<Bound<'py, PyAny>> {
    let dictionary = PyDict::new(py);
    for (key, value) in table {
        let key: &str = key.get_ref();
        dictionary.set_item(key, value_of(py, value.get_ref())?)?;
    }
    Ok(dictionary.into_any())
}

fn value_of<'py>(py: Python<'py>, value: &DeValue<'_>) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        DeValue::String(text) => text.as_ref().into_pyobject(py)?.into_any(),
        DeValue::Integer(number) => {
            let whole = i64::from_str_radix(number.as_str(), number.radix());
            let large = |_| raise(py, Class::Scene, format!("{} is too large", number.as_str()));
            whole.map_err(large)?.into_pyobject(py)?.into_any()
        }
        DeValue::Float(number) => {
            let wrong = |_| raise(py, Class::Scene, format!("{} is no number", number.as_str()));
            number.as_str().parse::<f64>().map_err(wrong)?.into_pyobject(py)?.into_any()
        }
        DeValue::Boolean(flag) => flag.into_pyobject(py)?.to_owned().into_any(),
        DeValue::Datetime(date) => date.to_string().into_pyobject(py)?.into_any(),
        DeValue::Array(values) => {
            let list = PyList::empty(py);
            for value in values.iter() {
                list.append(value_of(py, value.get_ref())?)?;
            }
            list.into_any()
        }
        DeValue::Table(table) => table_of(py, table)?,
    })
}

/// Tables of numbers that are handed over as arrays, by the name that the scene gives each.
pub struct Tables(Vec<(String, Vec<f64>, usize)>);

/// Takes arrays with a row for each line.
pub fn tables(files: Vec<(String, Bound<'_, PyAny>)>) -> PyResult<Tables> {
    let table = |(name, given): (String, Bound<'_, PyAny>)| {
        let (numbers, shape) = crate::array::numbers(&name, &given)?;
        match shape[..] {
            [_, width] if width > 0 => Ok((name, numbers, width)),
            _ => {
                let text =
                    format!("{name} has shape {}; expected rows", crate::array::shown(&shape));
                Err(raise(given.py(), Class::Value, text))
            }
        }
    };
    Ok(Tables(files.into_iter().map(table).collect::<PyResult<_>>()?))
}

impl Source {
    /// With tables in place of files. They are written as text, in digits that read back as the same bits, since records
    /// and checkpoints keep copies of a scene's files, and go on from these.
    pub fn with_tables(self, tables: Tables) -> Self {
        let Source::Text { text, folder, mut files } = self else { return self };
        for (name, numbers, width) in tables.0 {
            let mut lines = String::with_capacity(numbers.len() * 20);
            for row in numbers.chunks_exact(width) {
                for number in row {
                    // Writing to a string cannot fail.
                    let _ = write!(lines, "{number:?} ");
                }
                lines.push('\n');
            }
            files.push(SceneFile { place: name.into(), text: lines });
        }
        Source::Text { text, folder, files }
    }
}
