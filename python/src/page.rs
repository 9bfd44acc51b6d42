//! The page of a run, served to a browser of this machine.

use crate::error::try_free;
use drystone::viewer::Control;
use drystone::{Error, Run};
use pyo3::prelude::*;
use std::path::Path;
use std::sync::Arc;

/// A page that is served by a thread of this process, until it is stopped or let go.
#[pyclass(frozen, module = "drystone._drystone")]
pub struct Serving {
    address: String,
    control: Option<Arc<Control>>,
    ended: Box<dyn Fn() + Send + Sync>,
    stop: Box<dyn Fn() + Send + Sync>,
}

impl Serving {
    /// Serves a run; one that is computed here can be paused by `control`.
    pub fn open(
        directory: &Path,
        port: Option<u16>,
        control: Option<Arc<Control>>,
    ) -> Result<Self, Error> {
        // Any port: several pages may be shown in one notebook.
        let server = Run::open(directory)?.serve(Some(port.unwrap_or(0)), control.clone())?;
        // Notebooks show it in a frame; they come from another port of this machine, or from an editor.
        let server = server.framed_by("http://localhost:* http://127.0.0.1:* vscode-webview:");
        let serving = Self {
            address: server.url(),
            control,
            ended: Box::new(server.ended()),
            stop: Box::new(server.stopper()),
        };
        std::thread::spawn(move || server.serve());
        Ok(serving)
    }

    /// Tells the page that the run has ended.
    pub fn end(&self) {
        (self.ended)();
    }

    /// Whether the page has paused the run.
    pub fn is_paused(&self) -> bool {
        self.control.as_ref().is_some_and(|control| control.is_paused())
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        (self.stop)();
    }
}

#[pymethods]
impl Serving {
    /// Where it is.
    #[getter]
    fn url(&self) -> &str {
        &self.address
    }
    /// Serves no more.
    fn stop(&self, py: Python<'_>) {
        py.detach(|| (self.stop)());
    }
}

/// Serves a run that is on disk.
#[pyfunction]
#[pyo3(signature = (directory, port=None))]
pub fn serve(
    py: Python<'_>,
    directory: std::path::PathBuf,
    port: Option<u16>,
) -> PyResult<Serving> {
    try_free(py, || Serving::open(&directory, port, None))
}
