//! Numbers of all bodies as arrays, and views of a state.

use crate::array::{read_only, rows};
use crate::contacts::Contacts;
use crate::error::{Class, raise};
use crate::simulation::Simulation;
use drystone::simulation::{ContactColumns, Field};
use pyo3::prelude::*;

/// Arrays of the state that a simulation is in, made when they are first asked for.
#[derive(Default)]
pub struct Cache {
    /// Which state they are of.
    generation: u64,
    arrays: [Option<Py<PyAny>>; Field::ALL.len()],
    contacts: Option<Py<Contacts>>,
}

impl Cache {
    /// Forgets arrays of earlier states; those who hold some keep them.
    fn at(&mut self, generation: u64) -> &mut Self {
        if self.generation != generation {
            *self = Self { generation, ..Self::default() };
        }
        self
    }
}

impl Simulation {
    /// A field of all bodies.
    pub fn array<'py>(&self, py: Python<'py>, field: Field) -> PyResult<Bound<'py, PyAny>> {
        let place = field as usize;
        let generation = self.generation();
        if let Some(array) = &self.cache.lock().at(generation).arrays[place] {
            self.check_open(py)?;
            return Ok(array.bind(py).clone());
        }
        let (numbers, dimension, generation) = self.with(py, |simulation, generation| {
            (simulation.numbers(field), simulation.dimension(), generation)
        })?;
        let width = field.width(dimension);
        let array = match field {
            Field::Asleep => {
                let asleep: Vec<bool> = numbers.iter().map(|&number| number != 0.0).collect();
                let count = asleep.len();
                read_only(py, asleep, &[count])?
            }
            _ => {
                let count = numbers.len() / width;
                rows(py, numbers, count, width)?
            }
        };
        self.cache.lock().at(generation).arrays[place] = Some(array.clone().unbind());
        Ok(array)
    }

    /// The contacts of the last step.
    pub fn contact_arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, Contacts>> {
        let generation = self.generation();
        if let Some(contacts) = &self.cache.lock().at(generation).contacts {
            self.check_open(py)?;
            return Ok(contacts.bind(py).clone());
        }
        let (columns, dimension, time_step, generation) =
            self.with(py, |simulation, generation| {
                let mut columns = ContactColumns::default();
                simulation.fill_contacts(&mut columns);
                (columns, simulation.dimension(), simulation.time_step(), generation)
            })?;
        let contacts = Bound::new(py, Contacts::new(py, columns, dimension, time_step)?)?;
        self.cache.lock().at(generation).contacts = Some(contacts.clone().unbind());
        Ok(contacts)
    }
}

/// One state of a simulation. It raises StaleViewError once the simulation has moved on or was changed; arrays that were
/// taken from it before stay as they were.
#[pyclass(frozen, module = "drystone._drystone")]
pub struct View {
    simulation: Py<Simulation>,
    generation: u64,
}

impl View {
    pub fn new(simulation: Py<Simulation>, generation: u64) -> Self {
        Self { simulation, generation }
    }

    fn fresh<'a>(&'a self, py: Python<'_>) -> PyResult<&'a Simulation> {
        let simulation = self.simulation.get();
        simulation.check_open(py)?;
        match simulation.generation() == self.generation {
            true => Ok(simulation),
            false => Err(raise(
                py,
                Class::Stale,
                "the simulation has moved on since this view was made; ask it for a new one by view()",
            )),
        }
    }

    fn field<'py>(&self, py: Python<'py>, field: Field) -> PyResult<Bound<'py, PyAny>> {
        let array = self.fresh(py)?.array(py, field)?;
        // Another thread may have moved it meanwhile.
        self.fresh(py)?;
        Ok(array)
    }
}

#[pymethods]
impl View {
    /// Whether it is still good.
    #[getter]
    fn valid(&self, py: Python<'_>) -> bool {
        self.fresh(py).is_ok()
    }
    /// Time of the state, in s.
    #[getter]
    fn time(&self, py: Python<'_>) -> PyResult<f64> {
        let (time, generation) =
            self.fresh(py)?.with(py, |simulation, generation| (simulation.time(), generation))?;
        if generation != self.generation {
            self.fresh(py)?;
        }
        Ok(time)
    }
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.field(py, Field::Position)
    }
    #[getter]
    fn rotations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.field(py, Field::Rotation)
    }
    #[getter]
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.field(py, Field::Velocity)
    }
    #[getter]
    fn spins<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.field(py, Field::Spin)
    }
    #[getter]
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, Contacts>> {
        let contacts = self.fresh(py)?.contact_arrays(py)?;
        self.fresh(py)?;
        Ok(contacts)
    }
    fn __repr__(&self, py: Python<'_>) -> &'static str {
        if self.valid(py) { "View(valid)" } else { "View(stale)" }
    }
}
