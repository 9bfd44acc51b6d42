//! Reading a simulation between steps, and setting what bodies and boundaries do.

use crate::array::{list, table};
use crate::contacts::Contacts;
use crate::error::{Class, not_json, python_of_json, raise};
use crate::report::Report;
use crate::simulation::Simulation;
use drystone::simulation::{BoundaryView, Field};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A body or boundary, by its number or its name.
#[derive(FromPyObject)]
enum Which {
    Number(i64),
    Name(String),
}

impl Simulation {
    fn body_index(&self, py: Python<'_>, which: &Which) -> PyResult<usize> {
        let found = self.with(py, |inner, _| match which {
            Which::Number(number) => inner.body(number_of(*number)),
            Which::Name(name) => inner.body(name.as_str()),
        })?;
        found.map_err(|error| crate::error::of_library(py, &error))
    }

    fn boundary_number(&self, py: Python<'_>, which: &Which) -> PyResult<usize> {
        let found = self.with(py, |inner, _| match which {
            Which::Number(number) => inner.boundary_index(number_of(*number)),
            Which::Name(name) => inner.boundary_index(name.as_str()),
        })?;
        found.map_err(|error| crate::error::of_library(py, &error))
    }

    fn write(&self, field: Field, what: &str, given: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = given.py();
        let (count, width) =
            self.with(py, |inner, _| (inner.bodies(), field.width(inner.dimension())))?;
        let numbers = table(what, given, count, width)?;
        self.change(py, |inner| inner.write(field, &numbers))
    }

    fn set(&self, field: Field, body: &Which, given: &Bound<'_, PyAny>) -> PyResult<()> {
        let (py, numbers) = (given.py(), list(field.name(), given)?);
        if let Some(number) = numbers.iter().find(|number| !number.is_finite()) {
            let text = format!("{} is {number}; expected finite numbers", field.name());
            return Err(raise(py, Class::Value, text));
        }
        let body = self.body_index(py, body)?;
        self.change(py, |inner| match field {
            Field::Position => inner.set_position(body, &numbers),
            Field::Rotation => inner.set_rotation(body, &numbers),
            Field::Velocity => inner.set_velocity(body, &numbers),
            Field::Spin => inner.set_spin(body, &numbers),
            Field::Force => inner.set_force(body, &numbers),
            _ => inner.set_torque(body, &numbers),
        })
    }
}

/// A number that no body has where it is negative, so that the message names the others.
fn number_of(number: i64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

#[pymethods]
impl Simulation {
    /// Centres of mass, in m, a row for each body.
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array(py, Field::Position)
    }
    /// Angles in the plane, in rad, turns counted; quaternions w, x, y, z in space.
    #[getter]
    fn rotations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array(py, Field::Rotation)
    }
    /// Velocities of centres of mass, in m/s.
    #[getter]
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array(py, Field::Velocity)
    }
    /// Spins in world axes, in rad/s.
    #[getter]
    fn spins<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array(py, Field::Spin)
    }
    /// Forces that were set from outside, in N. They act until others are set, beside those of the scene.
    #[getter]
    fn forces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array(py, Field::Force)
    }
    /// Torques that were set from outside, in N m, world axes.
    #[getter]
    fn torques<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array(py, Field::Torque)
    }
    /// Masses, in kg.
    #[getter]
    fn masses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array(py, Field::Mass)
    }
    /// Principal moments of inertia, in kg m².
    #[getter]
    fn moments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array(py, Field::Moments)
    }
    /// Radii of bodies that are a single disk or ball, in m; not a number for others.
    #[getter]
    fn radii<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array(py, Field::Radius)
    }
    /// When each body entered, in s.
    #[getter]
    fn births<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array(py, Field::Birth)
    }
    /// Whether each body is left alone, at rest.
    #[getter]
    fn asleep<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array(py, Field::Asleep)
    }
    #[setter]
    fn set_positions(&self, given: &Bound<'_, PyAny>) -> PyResult<()> {
        self.write(Field::Position, "positions", given)
    }
    #[setter]
    fn set_rotations(&self, given: &Bound<'_, PyAny>) -> PyResult<()> {
        self.write(Field::Rotation, "rotations", given)
    }
    #[setter]
    fn set_velocities(&self, given: &Bound<'_, PyAny>) -> PyResult<()> {
        self.write(Field::Velocity, "velocities", given)
    }
    #[setter]
    fn set_spins(&self, given: &Bound<'_, PyAny>) -> PyResult<()> {
        self.write(Field::Spin, "spins", given)
    }
    #[setter]
    fn set_forces(&self, given: &Bound<'_, PyAny>) -> PyResult<()> {
        self.write(Field::Force, "forces", given)
    }
    #[setter]
    fn set_torques(&self, given: &Bound<'_, PyAny>) -> PyResult<()> {
        self.write(Field::Torque, "torques", given)
    }
    /// Places the centre of mass of a body.
    fn set_position(&self, body: Which, position: &Bound<'_, PyAny>) -> PyResult<()> {
        self.set(Field::Position, &body, position)
    }
    /// Turns a body: an angle in the plane, a quaternion w, x, y, z in space.
    fn set_rotation(&self, body: Which, rotation: &Bound<'_, PyAny>) -> PyResult<()> {
        self.set(Field::Rotation, &body, rotation)
    }
    /// Sets the velocity of a body's centre of mass.
    fn set_velocity(&self, body: Which, velocity: &Bound<'_, PyAny>) -> PyResult<()> {
        self.set(Field::Velocity, &body, velocity)
    }
    /// Sets the spin of a body, in world axes.
    fn set_spin(&self, body: Which, spin: &Bound<'_, PyAny>) -> PyResult<()> {
        self.set(Field::Spin, &body, spin)
    }
    /// Applies a force to a body's centre of mass from now on, until another is set.
    fn set_force(&self, body: Which, force: &Bound<'_, PyAny>) -> PyResult<()> {
        self.set(Field::Force, &body, force)
    }
    /// Applies a torque to a body from now on, in world axes.
    fn set_torque(&self, body: Which, torque: &Bound<'_, PyAny>) -> PyResult<()> {
        self.set(Field::Torque, &body, torque)
    }

    /// The contacts of the last step.
    #[getter]
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, Contacts>> {
        self.contact_arrays(py)
    }
    /// 2 in the plane, 3 in space.
    #[getter]
    fn dimension(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, |inner, _| inner.dimension())
    }
    /// One line that names it.
    #[getter]
    fn title(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |inner, _| inner.title().to_owned())
    }
    /// The text of the scene.
    #[getter]
    fn scene_text(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |inner, _| inner.scene_text().to_owned())
    }
    /// Names of the materials.
    #[getter]
    fn materials(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.with(py, |inner, _| inner.materials().to_vec())
    }
    /// The time reached, in s.
    #[getter]
    fn time(&self, py: Python<'_>) -> PyResult<f64> {
        self.with(py, |inner, _| inner.time())
    }
    /// Steps made.
    #[getter]
    fn steps(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |inner, _| inner.steps())
    }
    /// Length of a step, in s.
    #[getter]
    fn time_step(&self, py: Python<'_>) -> PyResult<f64> {
        self.with(py, |inner, _| inner.time_step())
    }
    /// When the run is meant to end, in s.
    #[getter]
    fn end(&self, py: Python<'_>) -> PyResult<f64> {
        self.with(py, |inner, _| inner.end())
    }
    #[setter]
    fn set_end(&self, py: Python<'_>, end: f64) -> PyResult<()> {
        if !end.is_finite() {
            return Err(raise(py, Class::Value, format!("end is {end}; expected a finite time")));
        }
        self.change(py, |inner| {
            inner.set_end(end);
            Ok(())
        })
    }
    /// Threads that compute.
    #[getter]
    fn threads(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, |inner, _| inner.threads())
    }
    /// Name of the phase under way; None without phases.
    #[getter]
    fn phase(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.with(py, |inner, _| inner.phase().map(str::to_owned))
    }
    /// A hash of positions, velocities and impulses: equal for equal bits.
    #[getter]
    fn state_hash(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |inner, _| format!("{:016x}", inner.state_hash()))
    }
    /// Number of bodies present.
    #[getter]
    fn bodies(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, |inner, _| inner.bodies())
    }
    /// Names of bodies; empty where one has none.
    #[getter]
    fn names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.with(py, |inner, _| {
            (0..inner.bodies()).map(|body| inner.body_name(body).to_owned()).collect()
        })
    }
    /// Number of a body from its name.
    fn body(&self, py: Python<'_>, name: Which) -> PyResult<usize> {
        self.body_index(py, &name)
    }
    /// Number of a boundary from its name.
    fn boundary_index(&self, py: Python<'_>, name: Which) -> PyResult<usize> {
        self.boundary_number(py, &name)
    }
    /// Number of boundaries, removed ones counted.
    #[getter]
    fn boundaries(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, |inner, _| inner.boundaries())
    }
    /// A boundary as it is now: name, position, rotation, velocity, force, present.
    fn _boundary<'py>(&self, py: Python<'py>, which: Which) -> PyResult<Bound<'py, PyDict>> {
        let index = self.boundary_number(py, &which)?;
        let (view, dimension) =
            self.with(py, |inner, _| (inner.boundary(index), inner.dimension()))?;
        let view = view.map_err(|error| crate::error::of_library(py, &error))?;
        let BoundaryView { name, position, rotation, velocity, force, present } = view;
        let told = PyDict::new(py);
        told.set_item("name", name)?;
        told.set_item("position", position[..dimension].to_vec())?;
        told.set_item("rotation", rotation)?;
        told.set_item("velocity", velocity[..dimension].to_vec())?;
        told.set_item("force", force[..dimension].to_vec())?;
        told.set_item("present", present)?;
        Ok(told)
    }
    /// Has a boundary move with this velocity, and spin about its origin, until it is told otherwise.
    #[pyo3(signature = (boundary, velocity, spin=None))]
    fn set_boundary_motion(
        &self,
        boundary: Which,
        velocity: &Bound<'_, PyAny>,
        spin: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let py = velocity.py();
        let index = self.boundary_number(py, &boundary)?;
        let velocity = list("velocity", velocity)?;
        let spin = spin.map(|spin| list("spin", spin)).transpose()?;
        if let Some(bad) = velocity.iter().chain(spin.iter().flatten()).find(|n| !n.is_finite()) {
            let text = format!("the motion of a boundary has {bad}; expected finite numbers");
            return Err(raise(py, Class::Value, text));
        }
        self.change(py, |inner| match &spin {
            Some(spin) => inner.set_boundary_motion(index, &velocity, spin),
            None => inner.set_boundary_velocity(index, &velocity),
        })
    }
    /// Loads a boundary that is free in one direction with this force along it, until another is set.
    fn set_boundary_load(&self, py: Python<'_>, boundary: Which, force: f64) -> PyResult<()> {
        let index = self.boundary_number(py, &boundary)?;
        self.change(py, |inner| inner.set_boundary_load(index, force))
    }

    /// How the last step went; None before the first.
    #[getter]
    fn report(&self, py: Python<'_>) -> PyResult<Option<Report>> {
        self.with(py, |inner, _| inner.report().copied().map(Report))
    }
    /// Why the last step was not solved: where its error is, and what makes it hard.
    fn diagnosis(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |inner, _| inner.diagnosis())
    }
    /// Energies and works since the start, in J, by name.
    #[getter]
    fn ledger<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let ledger = self.with(py, |inner, _| *inner.ledger())?;
        let told = PyDict::new(py);
        for (name, value) in [
            ("kinetic", ledger.kinetic),
            ("potential", ledger.potential),
            ("elastic", ledger.elastic),
            ("external_work", ledger.external_work),
            ("boundary_work", ledger.boundary_work),
            ("friction_loss", ledger.friction_loss),
            ("impact_loss", ledger.impact_loss),
            ("damping_loss", ledger.damping_loss),
            ("sleep_loss", ledger.sleep_loss),
            ("recovery_work", ledger.recovery_work),
            ("cohesion_work", ledger.cohesion_work),
            ("springs", ledger.springs),
            ("atomisation_work", ledger.atomisation_work),
            ("joint_work", ledger.joint_work),
            ("bonds", ledger.bonds),
            ("rupture_loss", ledger.rupture_loss),
            ("drag_loss", ledger.drag_loss),
            ("dissipation_min", ledger.dissipation_min),
            ("scheme_work", ledger.scheme_work),
            ("inserted", ledger.inserted),
            ("intervention", ledger.intervention),
            ("initial", ledger.initial),
            ("scale", ledger.scale),
            ("closure_max", ledger.closure_max),
            ("imbalance", ledger.imbalance()),
            ("closure", ledger.closure()),
        ] {
            told.set_item(name, value)?;
        }
        Ok(told)
    }
    /// "running", "finished", "interrupted", or why it was stopped.
    #[getter]
    fn status<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let status = self.with(py, |inner, _| inner.status())?;
        python_of_json(py, &serde_json::to_string(&status).map_err(not_json)?)
    }
}
