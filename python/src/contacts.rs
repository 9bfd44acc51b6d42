//! The contacts of a step as arrays.

use crate::array::{read_only, rows};
use drystone::simulation::ContactColumns;
use pyo3::prelude::*;

/// The contacts of the last step: arrays with a row for each. A snapshot.
#[pyclass(frozen, module = "drystone._drystone")]
pub struct Contacts {
    count: usize,
    time_step: f64,
    /// Index of the body that the normal points toward.
    #[pyo3(get)]
    first: Py<PyAny>,
    /// Index of the other body; -1 - i for boundary i.
    #[pyo3(get)]
    second: Py<PyAny>,
    /// Where, in the middle of the step, in m.
    #[pyo3(get)]
    points: Py<PyAny>,
    /// Unit normals toward the first.
    #[pyo3(get)]
    normals: Py<PyAny>,
    /// Gaps, negative in overlap, in m.
    #[pyo3(get)]
    gaps: Py<PyAny>,
    /// Impulses that the first feels over the step, in N s, world axes.
    #[pyo3(get)]
    impulses: Py<PyAny>,
    /// Velocities of the first relative to the second at the end of the step, in m/s.
    #[pyo3(get)]
    velocities: Py<PyAny>,
    /// Coulomb's coefficients.
    #[pyo3(get)]
    frictions: Py<PyAny>,
    /// 0 no force, 1 sticking, 2 sliding.
    #[pyo3(get)]
    statuses: Py<PyAny>,
}

impl Contacts {
    pub fn new(
        py: Python<'_>,
        columns: ContactColumns,
        dimension: usize,
        time_step: f64,
    ) -> PyResult<Self> {
        let count = columns.first.len();
        let ContactColumns {
            first,
            second,
            point,
            normal,
            gap,
            impulse,
            velocity,
            friction,
            status,
        } = columns;
        let vectors = |numbers| Ok::<_, PyErr>(rows(py, numbers, count, dimension)?.unbind());
        Ok(Self {
            count,
            time_step,
            first: read_only(py, first, &[count])?.unbind(),
            second: read_only(py, second, &[count])?.unbind(),
            points: vectors(point)?,
            normals: vectors(normal)?,
            gaps: read_only(py, gap, &[count])?.unbind(),
            impulses: vectors(impulse)?,
            velocities: vectors(velocity)?,
            frictions: read_only(py, friction, &[count])?.unbind(),
            statuses: read_only(py, status, &[count])?.unbind(),
        })
    }
}

/// Columns of a table, and how many numbers each has for a contact.
const COLUMNS: [&str; 9] = [
    "first",
    "second",
    "points",
    "normals",
    "gaps",
    "impulses",
    "velocities",
    "frictions",
    "statuses",
];

#[pymethods]
impl Contacts {
    /// Mean forces of the step, in N: impulses by the time step.
    #[getter]
    fn forces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.impulses.bind(py).call_method1("__truediv__", (self.time_step,))
    }

    /// All arrays by name.
    fn to_dict<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, pyo3::types::PyDict>> {
        let columns = pyo3::types::PyDict::new(slf.py());
        for name in COLUMNS {
            columns.set_item(name, slf.getattr(name)?)?;
        }
        Ok(columns)
    }

    fn __len__(&self) -> usize {
        self.count
    }

    fn __repr__(&self) -> String {
        format!("Contacts({} contacts)", self.count)
    }
}
