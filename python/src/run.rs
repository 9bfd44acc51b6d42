//! A run on disk.

use crate::array::read_only;
use crate::error::{not_json, python_of_json, try_free};
use drystone::analysis;
use drystone::record::archive::Npz;
use drystone::run::{Array, Data, Table};
use drystone::{Export, Run as Inner};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::path::PathBuf;

/// A run on disk, which may still go on.
#[pyclass(frozen, subclass, module = "drystone._drystone")]
pub struct Run(Inner);

fn arrays<'py>(py: Python<'py>, npz: &Npz) -> PyResult<Bound<'py, PyDict>> {
    let told = PyDict::new(py);
    for name in npz.names() {
        if let Some(array) = npz.get(name) {
            told.set_item(name, array_of(py, array)?)?;
        }
    }
    Ok(told)
}

fn array_of<'py>(py: Python<'py>, array: &Array) -> PyResult<Bound<'py, PyAny>> {
    let shape = &array.shape;
    Ok(match &array.data {
        Data::F64(numbers) => read_only(py, numbers.clone(), shape)?,
        Data::I64(numbers) => read_only(py, numbers.clone(), shape)?,
        Data::U8(numbers) => read_only(py, numbers.clone(), shape)?,
        Data::Text(texts) => texts.clone().into_pyobject(py)?.into_any(),
    })
}

fn table<'py>(py: Python<'py>, table: &Table) -> PyResult<Bound<'py, PyDict>> {
    let told = PyDict::new(py);
    for (place, name) in table.columns.iter().enumerate() {
        let column: Vec<f64> = table.rows.iter().map(|row| row[place]).collect();
        let count = column.len();
        told.set_item(name, read_only(py, column, &[count])?)?;
    }
    Ok(told)
}

#[pymethods]
impl Run {
    #[new]
    fn open(py: Python<'_>, directory: PathBuf) -> PyResult<Self> {
        Ok(Self(try_free(py, || Inner::open(&directory))?))
    }

    /// Its directory.
    #[getter]
    fn directory(&self) -> PathBuf {
        self.0.directory().to_owned()
    }
    /// One line that names it.
    #[getter]
    fn title(&self) -> String {
        self.0.about().title.clone()
    }
    /// 2 in the plane, 3 in space.
    #[getter]
    fn dimension(&self) -> usize {
        self.0.about().dimension
    }
    /// What each array of a frame is.
    #[getter]
    fn about<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        python_of_json(py, &serde_json::to_string(self.0.about()).map_err(not_json)?)
    }
    /// How it went, with its verdict.
    #[getter]
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let summary = try_free(py, || self.0.summary())?;
        python_of_json(py, &serde_json::to_string(&summary).map_err(not_json)?)
    }
    /// The text of its scene.
    #[getter]
    fn scene_text(&self, py: Python<'_>) -> PyResult<String> {
        try_free(py, || Ok(self.0.scene()?.source.to_string()))
    }
    fn __len__(&self) -> usize {
        self.0.frames()
    }
    /// Time of each frame, in s.
    #[getter]
    fn times<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let times = try_free(py, || self.0.times())?;
        let count = times.len();
        read_only(py, times, &[count])
    }
    fn _frame<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyDict>> {
        arrays(py, &try_free(py, || self.0.frame_arrays(index))?)
    }
    /// What bodies, boundaries and solids are, as arrays by name.
    #[getter]
    fn things<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        arrays(py, &try_free(py, || self.0.things())?)
    }
    fn _table<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyDict>> {
        let read = try_free(py, || match name {
            "ledger" => self.0.ledger(),
            "steps" => self.0.steps(),
            "boundaries" => self.0.boundaries(),
            _ => self.0.tracked(),
        })?;
        table(py, &read)
    }
    /// Curves of a specimen: means over this run and others, with standard errors.
    fn _curves<'py>(
        &self,
        py: Python<'py>,
        others: Vec<PathBuf>,
        start: Option<f64>,
        end: Option<f64>,
        region: Vec<f64>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let found = try_free(py, || {
            let own = std::iter::once(self.0.directory().to_owned());
            let runs: Result<Vec<Inner>, _> = own.chain(others).map(Inner::open).collect();
            let options = analysis::Options { from: start, at: end, region, ..Default::default() };
            analysis::curves(&runs?, &options)
        })?;
        let told = PyDict::new(py);
        for name in analysis::COLUMNS {
            let column = found.column(name).unwrap_or_default();
            let (means, errors): (Vec<f64>, Vec<f64>) =
                column.iter().map(|value| (value.mean, value.error)).unzip();
            told.set_item(name, read_only(py, means, &[column.len()])?)?;
            if found.runs > 1 && name != "time" {
                told.set_item(format!("{name}_error"), read_only(py, errors, &[column.len()])?)?;
            }
        }
        Ok(told)
    }
    /// A checkpoint to go on from, for `Simulation`.
    fn _checkpoint<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = try_free(py, || self.0.simulation()?.checkpoint())?;
        Ok(PyBytes::new(py, &bytes))
    }
    fn _export(
        &self,
        py: Python<'_>,
        to: &str,
        output: PathBuf,
        forces: bool,
        frames: usize,
    ) -> PyResult<(usize, u64)> {
        let to = match to {
            "vtk" => Export::Vtk,
            "csv" => Export::Csv,
            "png" => Export::Png { forces },
            "fclib" => Export::Fclib,
            _ => Export::Html { frames },
        };
        let exported = try_free(py, || self.0.export(to, &output))?;
        Ok((exported.frames, exported.bytes))
    }
}
