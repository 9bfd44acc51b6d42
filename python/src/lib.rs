//! The Python package `drystone`: a thin layer over the library of the same name.
//!
//! What computes is called with the interpreter free for other threads, and a panic becomes an exception
//! (`error::free`). Arrays that go out are read-only snapshots (`array`).

// Python sees doc strings of what it calls; `drystone/_drystone.pyi` has its types.
#![allow(missing_docs)]

mod array;
mod contacts;
mod ensemble;
mod error;
mod fields;
mod page;
mod report;
mod run;
mod scene;
mod simulation;
mod solve;
mod steer;

use pyo3::prelude::*;

#[pymodule]
fn _drystone(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<simulation::Simulation>()?;
    module.add_class::<fields::View>()?;
    module.add_class::<contacts::Contacts>()?;
    module.add_class::<report::Report>()?;
    module.add_class::<run::Run>()?;
    module.add_class::<solve::Answer>()?;
    module.add_class::<page::Serving>()?;
    module.add_function(wrap_pyfunction!(page::serve, module)?)?;
    module.add_function(wrap_pyfunction!(solve::solve, module)?)?;
    module.add_function(wrap_pyfunction!(solve::solvers, module)?)?;
    module.add_function(wrap_pyfunction!(scene::parse_toml, module)?)?;
    module.add_function(wrap_pyfunction!(scene::schema, module)?)?;
    module.add_function(wrap_pyfunction!(scene::check, module)?)?;
    module.add_function(wrap_pyfunction!(ensemble::ensemble, module)?)?;
    Ok(())
}
