//! Many runs of one scene with other values, on all cores.

use crate::array::read_only;
use crate::error::{free, of_library};
use drystone::ensemble::{Advance, Ensemble, Vary};
use parking_lot::Mutex;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often signals are looked at, and progress is told.
const PAUSE: Duration = Duration::from_millis(100);

/// Makes all runs, or goes on with them; gives the table as columns. Ctrl-C ends all runs, which can go on later.
#[pyfunction]
#[pyo3(signature = (scene, keys, runs, folder, until, jobs, tell))]
pub fn ensemble<'py>(
    py: Python<'py>,
    scene: PathBuf,
    keys: Vec<(String, Vec<String>)>,
    runs: Option<Vec<Vec<(String, String)>>>,
    folder: PathBuf,
    until: Option<f64>,
    jobs: usize,
    tell: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let wrong = |error: drystone::Error| of_library(py, &error);
    let stop = AtomicBool::new(false);
    let news: Mutex<Vec<(usize, usize, usize, String)>> = Mutex::default();
    let mut ensemble = match runs {
        Some(runs) => {
            let changes = runs.iter().map(|run| crate::scene::overrides(py, run));
            Ensemble::list(&scene, changes.collect::<PyResult<_>>()?).map_err(wrong)?
        }
        None => {
            let vary = |(key, values): &(String, Vec<String>)| Vary::new(key, values);
            let keys: Vec<Vary> = keys.iter().map(vary).collect::<Result<_, _>>().map_err(wrong)?;
            Ensemble::grid(&scene, &keys).map_err(wrong)?
        }
    };
    if let Some(until) = until {
        ensemble = ensemble.until(until);
    }
    let told = |advance: &Advance| {
        let fault = advance.outcome.as_ref().err().cloned().unwrap_or_default();
        news.lock().push((advance.done[0], advance.done[1], advance.run, fault));
    };
    let ensemble = ensemble.jobs(jobs).interrupted_by(&stop).progress(told);

    let mut fault: Option<PyErr> = None;
    let ended = std::thread::scope(|scope| {
        let runs = scope.spawn(|| ensemble.run(&folder));
        while !runs.is_finished() {
            py.detach(|| std::thread::sleep(PAUSE.min(Duration::from_millis(20))));
            let heard = listen(py, &news, tell.as_ref()).and_then(|()| py.check_signals());
            if let Err(error) = heard {
                stop.store(true, Ordering::Relaxed);
                fault.get_or_insert(error);
            }
        }
        free(py, || runs.join())
    })?;
    listen(py, &news, tell.as_ref().filter(|_| fault.is_none()))?;
    if let Some(fault) = fault {
        return Err(fault);
    }
    let Ok(ended) = ended else {
        return Err(crate::error::raise(py, crate::error::Class::Internal, "a run has panicked"));
    };
    let table = ended.map_err(wrong)?;
    let columns = PyDict::new(py);
    for (place, name) in table.columns.iter().enumerate() {
        let column: Vec<f64> = table.rows.iter().map(|row| row[place]).collect();
        let count = column.len();
        columns.set_item(name, read_only(py, column, &[count])?)?;
    }
    Ok(columns)
}

/// Tells Python what has been heard.
fn listen(
    py: Python<'_>,
    news: &Mutex<Vec<(usize, usize, usize, String)>>,
    tell: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let heard = std::mem::take(&mut *news.lock());
    let Some(tell) = tell else { return Ok(()) };
    let _ = py;
    heard.into_iter().try_for_each(|advance| tell.call1(advance).map(drop))
}
