//! `Simulation`: made, stepped, run, recorded. Reading and setting is in [`crate::fields`] and [`crate::steer`].
//!
//! The library's simulation is behind a lock that is held while steps are made, with the interpreter free for other
//! threads; between steps of a run it is handed on fairly, and callbacks are called without it.

use crate::error::{Class, free, not_json, of_library, python_of_json, raise, try_free};
use crate::fields::{Cache, View};
use crate::page::Serving;
use crate::report::Report;
use crate::scene::{Source, overrides};
use drystone::Simulation as Inner;
use drystone::simulation::{Outcome, RecordOptions, Subject};
use drystone::viewer::Control;
use parking_lot::{Mutex, MutexGuard};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long is computed before signals are looked at.
const SLICE: Duration = Duration::from_millis(20);

/// A scene in motion.
#[pyclass(frozen, subclass, module = "drystone._drystone")]
pub struct Simulation {
    inner: Mutex<Option<Inner>>,
    /// Which state it is in: changed by every step and everything that is set.
    generation: AtomicU64,
    closed: AtomicBool,
    pub cache: Mutex<Cache>,
    /// The folder of its record, and the page that shows it, if it does.
    recorded: Mutex<(Option<PathBuf>, Option<Py<Serving>>)>,
}

impl Simulation {
    fn new(inner: Inner) -> Self {
        Self {
            inner: Mutex::new(Some(inner)),
            // An empty cache is of state 0.
            generation: AtomicU64::new(1),
            closed: AtomicBool::new(false),
            cache: Mutex::default(),
            recorded: Mutex::default(),
        }
    }

    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    fn moved(&self) {
        self.generation.fetch_add(1, Ordering::Release);
    }

    pub fn check_open(&self, py: Python<'_>) -> PyResult<()> {
        match self.closed.load(Ordering::Relaxed) {
            false => Ok(()),
            true => Err(closed(py)),
        }
    }

    /// The lock, for which is waited with the interpreter free.
    fn lock<'a>(&'a self, py: Python<'_>) -> MutexGuard<'a, Option<Inner>> {
        loop {
            if let Some(guard) = self.inner.try_lock() {
                return guard;
            }
            // The guard must not cross threads, and so is not taken there.
            py.detach(|| drop(self.inner.lock()));
        }
    }

    /// Reads something, with the state that it is of.
    pub fn with<T>(&self, py: Python<'_>, read: impl FnOnce(&Inner, u64) -> T) -> PyResult<T> {
        let guard = self.lock(py);
        let inner = guard.as_ref().ok_or_else(|| closed(py))?;
        Ok(read(inner, self.generation()))
    }

    /// Sets something.
    pub fn change<T>(
        &self,
        py: Python<'_>,
        set: impl FnOnce(&mut Inner) -> Result<T, drystone::Error>,
    ) -> PyResult<T> {
        let mut guard = self.lock(py);
        let inner = guard.as_mut().ok_or_else(|| closed(py))?;
        let done = set(inner);
        self.moved();
        done.map_err(|error| of_library(py, &error))
    }

    /// Computes, with the interpreter free for other threads. After a panic the simulation is closed: nobody knows what
    /// state it is in.
    fn compute<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Inner) -> Result<T, drystone::Error> + Send,
    ) -> PyResult<T> {
        let done = free(py, || {
            let mut guard = self.inner.lock();
            let done = guard.as_mut().map(work);
            self.moved();
            MutexGuard::unlock_fair(guard);
            done
        });
        match done {
            Ok(Some(done)) => done.map_err(|error| of_library(py, &error)),
            Ok(None) => Err(closed(py)),
            Err(panic) => {
                self.closed.store(true, Ordering::Relaxed);
                // What a step left half done is not written anywhere.
                std::mem::forget(self.inner.lock().take());
                Err(panic)
            }
        }
    }
}

impl Simulation {
    /// Waits as long as its page has paused the run; signals are heard meanwhile.
    fn wait_while_paused(&self, py: Python<'_>) -> PyResult<()> {
        let page = self.recorded.lock().1.as_ref().map(|serving| serving.clone_ref(py));
        while page.as_ref().is_some_and(|page| page.get().is_paused()) {
            py.detach(|| std::thread::sleep(SLICE));
            py.check_signals()?;
        }
        Ok(())
    }

    /// Tells its page that the run has ended.
    fn end_page(&self, py: Python<'_>) {
        let page = self.recorded.lock().1.as_ref().map(|serving| serving.clone_ref(py));
        if let Some(page) = page {
            page.get().end();
        }
    }
}

fn closed(py: Python<'_>) -> PyErr {
    raise(py, Class::Closed, "the simulation is closed")
}

fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Reached => "reached",
        Outcome::PhasesOver => "phases over",
        Outcome::Stopped => "stopped",
    }
}

#[pymethods]
impl Simulation {
    /// Of a scene file, of a text with the folder of its files and tables in place of files, or of a checkpoint.
    #[new]
    #[pyo3(signature = (
        *, path=None, content=None, checkpoint=None, folder=None, files=Vec::new(), changes=Vec::new(), threads=1
    ))]
    fn make(
        py: Python<'_>,
        path: Option<PathBuf>,
        content: Option<String>,
        checkpoint: Option<&[u8]>,
        folder: Option<PathBuf>,
        files: Vec<(String, Bound<'_, PyAny>)>,
        changes: Vec<(String, String)>,
        threads: usize,
    ) -> PyResult<Self> {
        let changes = overrides(py, &changes)?;
        let files = crate::scene::tables(files)?;
        let folder = folder.unwrap_or_else(|| PathBuf::from("."));
        let of_text = |text| Source::Text { text, folder, files: Vec::new() };
        let source = path.map(Source::File).or(content.map(of_text));
        let inner = try_free(py, move || {
            let mut inner = match (source, checkpoint) {
                (Some(source), _) => source.with_tables(files).simulation(&changes)?,
                (None, bytes) => Inner::load(bytes.unwrap_or_default())?,
            };
            inner.set_threads(threads);
            Ok(inner)
        })?;
        Ok(Self::new(inner))
    }

    /// Advances by `n` time steps; tells how the last went.
    #[pyo3(signature = (n=1))]
    fn step(&self, py: Python<'_>, n: i64) -> PyResult<Option<Report>> {
        let Ok(steps) = u64::try_from(n) else {
            return Err(raise(py, Class::Value, format!("n is {n}; expected 0 or more steps")));
        };
        let (mut left, mut last) = (steps, None);
        while left > 0 {
            let (made, report) = self.compute(py, |inner| {
                let begun = Instant::now();
                let mut made = 0;
                loop {
                    let report = inner.step()?;
                    made += 1;
                    if made == left || begun.elapsed() >= SLICE {
                        return Ok((made, report));
                    }
                }
            })?;
            left -= made;
            last = Some(Report(report));
            py.check_signals()?;
        }
        self.check_open(py)?;
        Ok(last)
    }

    /// Makes all steps until a time. `callback` is called after every so many steps, without arguments of its own; it ends
    /// the run by returning True. `tell` is called about once in `pause` seconds.
    #[pyo3(signature = (until, every, callback, tell, pause))]
    fn _run(
        &self,
        py: Python<'_>,
        until: f64,
        every: u64,
        callback: Option<Bound<'_, PyAny>>,
        tell: Option<Bound<'_, PyAny>>,
        pause: f64,
    ) -> PyResult<&'static str> {
        let every = every.max(1);
        let called = callback.is_some();
        let pause = Duration::try_from_secs_f64(pause).unwrap_or(SLICE);
        let mut told: Option<Instant> = None;
        loop {
            let (ended, due) = self.compute(py, |inner| {
                let begun = Instant::now();
                let mut due = false;
                let ended = inner.run_watched(until, |inner, _| {
                    due = called && inner.steps().is_multiple_of(every);
                    match due || begun.elapsed() >= SLICE {
                        true => ControlFlow::Break(()),
                        false => ControlFlow::Continue(()),
                    }
                })?;
                Ok((ended, due))
            })?;
            py.check_signals()?;
            self.wait_while_paused(py)?;
            if let (true, Some(callback)) = (due, &callback)
                && callback.call0()?.is_truthy()?
            {
                return Ok("stopped");
            }
            let over = ended != Outcome::Stopped;
            if let Some(tell) = &tell
                && (over || told.is_none_or(|at| at.elapsed() >= pause))
            {
                tell.call0()?;
                told = Some(Instant::now());
            }
            if over {
                return Ok(outcome(ended));
            }
        }
    }

    /// From now on records what happens in a directory.
    #[pyo3(signature = (directory, *, force=false, pictures=true))]
    fn record(
        &self,
        py: Python<'_>,
        directory: PathBuf,
        force: bool,
        pictures: bool,
    ) -> PyResult<()> {
        let options = RecordOptions { force, pictures };
        self.compute(py, |inner| inner.record_to(&directory, options))?;
        *self.recorded.lock() = (Some(directory), None);
        Ok(())
    }

    /// The page on which the record plays and is followed, served to this machine.
    #[pyo3(signature = (port=None))]
    fn _serve(&self, py: Python<'_>, port: Option<u16>) -> PyResult<Py<Serving>> {
        self.check_open(py)?;
        let (directory, serving) = {
            let recorded = self.recorded.lock();
            (recorded.0.clone(), recorded.1.as_ref().map(|serving| serving.clone_ref(py)))
        };
        if let (Some(serving), None) = (&serving, port) {
            return Ok(serving.clone_ref(py));
        }
        let Some(directory) = directory else {
            return Err(raise(
                py,
                Class::Unknown,
                "nothing is recorded that a page could show; call record(folder) first",
            ));
        };
        let control = Some(Arc::new(Control::default()));
        let serving = try_free(py, || Serving::open(&directory, port, control))?;
        let serving = Py::new(py, serving)?;
        self.recorded.lock().1 = Some(serving.clone_ref(py));
        Ok(serving)
    }

    /// Draws the state as a PNG file.
    fn _draw(&self, py: Python<'_>, file: PathBuf, forces: bool) -> PyResult<()> {
        let subject = if forces { Subject::Forces } else { Subject::Bodies };
        self.with(py, |inner, _| inner.draw(&file, subject))?
            .map_err(|error| of_library(py, &error))
    }

    /// Ends the record, if there is one. Gives the summary of the run.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let summary = self.compute(py, |inner| inner.finish())?;
        self.end_page(py);
        python_of_json(py, &serde_json::to_string(&summary).map_err(not_json)?)
    }

    /// How the run has gone so far, with its verdict.
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let summary = self.with(py, |inner, _| inner.summary())?;
        python_of_json(py, &serde_json::to_string(&summary).map_err(not_json)?)
    }

    /// Reasons to doubt the run so far; none if it is trusted.
    #[getter]
    fn doubts(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.with(py, |inner, _| {
            inner.summary().verdict.reasons().iter().map(ToString::to_string).collect()
        })
    }

    /// Ends the record, if there is one, and frees all memory. Arrays that were taken stay good.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.closed.store(true, Ordering::Relaxed);
        let inner = self.lock(py).take();
        self.moved();
        *self.cache.lock() = Cache::default();
        let finished = match inner {
            Some(mut inner) => try_free(py, move || inner.finish().map(drop)),
            None => Ok(()),
        };
        self.end_page(py);
        finished
    }

    /// Whether it was closed.
    #[getter]
    fn closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// All that is needed to go on from here in the same bits.
    fn checkpoint<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.with(py, |inner, _| inner.checkpoint())?;
        Ok(PyBytes::new(py, &bytes.map_err(|error| of_library(py, &error))?))
    }

    /// The state that it is in now.
    fn view(slf: Bound<'_, Self>) -> PyResult<View> {
        slf.get().check_open(slf.py())?;
        let generation = slf.get().generation();
        Ok(View::new(slf.unbind(), generation))
    }

    /// Computes with this many threads from now on, 0 being one for each core.
    fn set_threads(&self, py: Python<'_>, threads: usize) -> PyResult<()> {
        let mut guard = self.lock(py);
        guard.as_mut().ok_or_else(|| closed(py))?.set_threads(threads);
        Ok(())
    }
}
