//! What the user reads at the end of a run.

use crate::Failure;
use drystone_record::plot::quantity;
use drystone_record::run::{Status, Summary};
use std::fmt::Write as _;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

/// Prints to the standard output; a reader that went away is no error.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut output = std::io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(format!("error: cannot write to the standard output: {error}"))
        }
        _ => Ok(()),
    }
}

/// Overlap, in widths of the smaller body, that no small error of the solver explains.
const DEEP: f64 = 0.1;

/// The readable summary of a run.
pub fn summary(summary: &Summary, directory: &Path) -> String {
    let mut text = String::new();
    let mut line = |label: &str, value: String| {
        writeln!(text, "{label:<12} {value}").expect("writing to a string does not fail");
    };
    let s = summary;
    let noun = |n: u64, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
    let bodies = noun(s.bodies as u64, "body", "bodies");
    line("scene", format!("{} ({}D, {bodies})", s.scene, s.dimension));
    // Why a run has stopped may take several lines; they are told at the end.
    line("status", s.status.to_string().lines().next().unwrap_or_default().to_owned());
    let steps = noun(s.steps, "step", "steps");
    line("simulated", format!("{:.6} s in {steps} of {}", s.time, quantity(s.time_step, "s")));
    line("took", took(s));
    line("contacts", format!("{:.1} mean, {} max", s.contacts.mean, s.contacts.max));
    line("iterations", format!("{:.1} mean, {} max", s.iterations.mean, s.iterations.max));
    line(
        "residual",
        format!(
            "{:.1e} mean, {:.1e} max relative; {:.1e} mean, {:.1e} max scale-free",
            s.residual.mean, s.residual.max, s.residual_scale_free.mean, s.residual_scale_free.max
        ),
    );
    line("unsolved", unsolved(s));
    if s.rescued_steps > 0 {
        let steps = noun(s.rescued_steps, "step", "steps");
        line("rescued", format!("{steps}, in which another method took over from slow sweeps"));
    }
    line(
        "penetration",
        format!(
            "{} max, {:.1e} of the smaller body's width",
            quantity(s.penetration.max, "m"),
            s.penetration.relative_max
        ),
    );
    if s.penetration.relative_max > DEEP {
        let why = "the step is too long for the speeds, or what is pressed cannot give way";
        line("", format!("deep, even if all steps are solved: {why}"));
    }
    text.push_str(&energy(s));
    let mut line = |label: &str, value: String| {
        writeln!(text, "{label:<12} {value}").expect("writing to a string does not fail");
    };
    line("state", s.state_hash.clone());
    let pictures = match s.frames {
        0 => String::new(),
        n => format!(" ({} in frames/, energy.png, solver.png)", noun(n, "picture", "pictures")),
    };
    line("recorded in", format!("{}{pictures}", directory.display()));
    line("to see it", format!("drystone view {}", directory.display()));
    text
}

fn took(s: &Summary) -> String {
    let solve = s.stages.get("solve").copied().unwrap_or(0.0);
    let record = s.stages.get("record").copied().unwrap_or(0.0);
    let wall = s.wall_seconds.max(f64::MIN_POSITIVE);
    let threads = if s.threads == 1 { "thread" } else { "threads" };
    format!(
        "{:.2} s on {} {threads}: {:.0} steps/s; solver {:.0} %, recording {:.0} %",
        s.wall_seconds,
        s.threads,
        s.steps as f64 / wall,
        100.0 * solve / wall,
        100.0 * record / wall
    )
}

fn unsolved(s: &Summary) -> String {
    match s.unconverged_steps {
        0 => format!("no step: all met the tolerance {:.1e}", s.tolerance),
        n => format!(
            "{n} of {} steps ({:.2} %) did not meet the tolerance {:.1e}",
            s.steps,
            100.0 * n as f64 / s.steps.max(1) as f64,
            s.tolerance
        ),
    }
}

/// The ledger: what there was, came and went, and what is left. Lines that are zero are left out.
fn energy(s: &Summary) -> String {
    let e = &s.energy;
    let entries = [
        ("at the start", e.initial, true),
        ("inserted", e.inserted, false),
        ("work of forces", e.external_work, false),
        ("work of boundaries", e.boundary_work, false),
        ("given by recovery", e.recovery_work, false),
        ("work of cohesion", e.cohesion_work, false),
        ("gyroscopic error", e.gyroscopic_work, false),
        ("scheme error", e.scheme_work, false),
        ("lost by friction", -e.friction_loss, false),
        ("lost by impact", -e.impact_loss, false),
        ("lost by damping", -e.damping_loss, false),
        ("lost coming to rest", -e.rest_loss, false),
        ("now", e.kinetic + e.potential + e.elastic, true),
        ("  kinetic", e.kinetic, true),
        ("  potential", e.potential, true),
        ("  elastic", e.elastic, false),
    ];
    let mut text = String::new();
    let mut label = "energy (J)";
    for (name, value, always) in entries {
        if always || value != 0.0 {
            writeln!(text, "{label:<12} {name:<20} {value:>15.6e}")
                .expect("writing to a string does not fail");
            label = "";
        }
    }
    writeln!(text, "{:<12} {:<20} {:>15.1e}", "", "closure, largest", e.closure_max)
        .expect("writing to a string does not fail");
    text
}

/// What to say of a run that did not reach its end.
pub fn failure(status: &Status) -> Option<Failure> {
    match status {
        Status::Stopped(why) => Some(format!("error: the run has stopped: {why}")),
        Status::Interrupted => Some("the run was interrupted; what it did is recorded".to_owned()),
        Status::Running | Status::Finished => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ledger_leaves_out_what_is_zero() {
        let mut s = Summary { steps: 10, unconverged_steps: 1, ..Summary::default() };
        s.energy.friction_loss = 2.5;
        s.stages.insert("solve".to_owned(), 1.0);
        let text = summary(&s, Path::new("runs/x"));
        assert!(text.contains("lost by friction") && !text.contains("lost by impact"), "{text}");
        assert!(text.contains("1 of 10 steps (10.00 %)"), "{text}");
        assert!(text.contains("recorded in  runs/x\n"), "{text}");
        assert!(!text.contains("deep"), "{text}");
        s.penetration.relative_max = 0.3;
        assert!(summary(&s, Path::new("runs/x")).contains("deep, even if all steps are solved"));
        assert!(failure(&Status::Finished).is_none());
        assert!(failure(&Status::Stopped("why".to_owned())).unwrap().contains("why"));
    }
}
