//! Shows how a run goes: a bar on a terminal, plain lines now and then elsewhere.

use drystone::simulation::StepReport;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Time between plain lines.
const LINE: Duration = Duration::from_secs(10);
/// Time between warnings.
const WARNING: Duration = Duration::from_secs(2);

/// What a run looks like after a step.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// Steps made.
    pub step: u64,
    /// Time reached.
    pub time: f64,
    /// Bodies present.
    pub bodies: usize,
    /// How the step went.
    pub report: StepReport,
}

/// Where progress goes.
enum Display {
    None,
    Lines { next: Instant },
    Bar(ProgressBar),
}

/// Shows how a run goes.
pub struct Progress {
    display: Display,
    steps: u64,
    /// Steps made before, by a run that goes on.
    before: u64,
    started: Instant,
    warn: bool,
    unconverged: u64,
    unseen: u64,
    next_warning: Instant,
}

impl Progress {
    /// For a run of `steps` steps, `before` of which are made. With `warn`, steps that were not solved are shown.
    pub fn new(steps: u64, before: u64, quiet: bool, warn: bool) -> Self {
        let started = Instant::now();
        let display = if quiet {
            Display::None
        } else if std::io::stderr().is_terminal() {
            Display::Bar(bar(steps, before))
        } else {
            Display::Lines { next: started + LINE }
        };
        let warn = warn && !quiet;
        let (unconverged, unseen) = (0, 0);
        Self { display, steps, before, started, warn, unconverged, unseen, next_warning: started }
    }
    /// Takes in a step; `explain` tells why it was not solved, and is called only if that is shown.
    pub fn step(&mut self, moment: &Moment, explain: impl FnOnce() -> String) {
        if !moment.report.converged {
            self.unconverged += 1;
            self.unseen += 1;
        }
        if self.warn && self.unseen > 0 && Instant::now() >= self.next_warning {
            let why = if moment.report.converged { String::new() } else { explain() };
            self.print(format!("{}\n{why}", self.warning(moment)).trim_end());
            self.unseen = 0;
            self.next_warning = Instant::now() + WARNING;
        }
        match &mut self.display {
            Display::None => {}
            Display::Bar(bar) => {
                bar.set_position(moment.step);
                bar.set_message(describe(moment));
            }
            Display::Lines { next } => {
                if Instant::now() >= *next {
                    *next = Instant::now() + LINE;
                    self.print(&self.line(moment));
                }
            }
        }
    }
    /// Takes the bar away.
    pub fn finish(&self) {
        if let Display::Bar(bar) = &self.display {
            bar.finish_and_clear();
        }
    }

    fn warning(&self, moment: &Moment) -> String {
        let report = &moment.report;
        let share = match self.unseen {
            1 => String::new(),
            n => format!(" ({n} steps since the last warning)"),
        };
        let error = error(report);
        format!(
            "warning: t = {:.6} s: {} contacts not solved: residual {:.1e}{error} after {} iterations{share}",
            moment.time, report.contacts, report.residual, report.iterations
        )
    }
    fn line(&self, moment: &Moment) -> String {
        let spent = self.started.elapsed().as_secs_f64();
        let speed = (moment.step - self.before) as f64 / spent.max(1e-9);
        let left = (self.steps.saturating_sub(moment.step)) as f64 / speed.max(1e-9);
        let share = 100.0 * moment.step as f64 / self.steps.max(1) as f64;
        format!("{share:5.1} %  {}  {speed:.0} steps/s  {} left", describe(moment), duration(left))
    }
    fn print(&self, text: &str) {
        match &self.display {
            Display::Bar(bar) => bar.suspend(|| eprintln!("{text}")),
            _ => eprintln!("{text}"),
        }
    }
}

fn describe(moment: &Moment) -> String {
    let report = &moment.report;
    let error = error(report);
    format!(
        "t = {:.3} s  {} bodies  {} contacts  {} iterations  residual {:.0e}{error}",
        moment.time, moment.bodies, report.contacts, report.iterations, report.residual
    )
}

/// The error of a step, where it is known.
fn error(report: &StepReport) -> String {
    report.error.map_or(String::new(), |error| format!(", error {:.0e}", error.value))
}

fn duration(seconds: f64) -> String {
    let seconds = seconds.round() as u64;
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, s) => format!("{s} s"),
        (0, m, s) => format!("{m} min {s} s"),
        (h, m, _) => format!("{h} h {m} min"),
    }
}

fn bar(steps: u64, before: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::stderr_with_hz(10));
    let template = "{bar:24} {percent:>3} %  {msg}  {per_sec}  {eta} left";
    let style = ProgressStyle::with_template(template).expect("the template is right").with_key(
        "per_sec",
        |state: &indicatif::ProgressState, w: &mut dyn std::fmt::Write| {
            let _ = write!(w, "{:.0} steps/s", state.per_sec());
        },
    );
    bar.set_style(style);
    bar.set_position(before);
    bar.reset_eta();
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        assert_eq!(duration(12.4), "12 s");
        assert_eq!(duration(72.0), "1 min 12 s");
        assert_eq!(duration(7320.0), "2 h 2 min");
    }

    #[test]
    fn warnings_are_counted_and_held_back() {
        let mut progress = Progress::new(10, 0, true, true);
        progress.warn = true;
        let report = StepReport { contacts: 3, ..StepReport::default() };
        let moment = Moment { step: 1, time: 0.1, bodies: 2, report };
        let mut asked = 0;
        let mut explain = || {
            asked += 1;
            "why".to_owned()
        };
        progress.step(&moment, &mut explain);
        assert_eq!((progress.unconverged, progress.unseen), (1, 0));
        progress.step(&moment, &mut explain);
        progress.step(&moment, &mut explain);
        assert_eq!(asked, 1);
        assert_eq!((progress.unconverged, progress.unseen), (3, 2));
        assert!(progress.warning(&moment).contains("2 steps since"));
        bar(10, 0).finish_and_clear();
    }
}
