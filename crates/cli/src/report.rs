//! What the user reads at the end of a run.

use crate::Failure;
use drystone::record::plot::quantity;
use drystone::record::run::{
    JudgedSteps, MethodUse, RankSummary, Spread, Status, Summary, Verdict,
};
use std::fmt::Write as _;
use std::io::{ErrorKind, IsTerminal as _, Write as _};
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
    if !s.ranks.is_empty() {
        ranks(s).into_iter().for_each(|(label, value)| line(label, value));
    }
    line("contacts", format!("{:.1} mean, {} max", s.contacts.mean, s.contacts.max));
    line("iterations", format!("{:.1} mean, {} max", s.iterations.mean, s.iterations.max));
    line(
        "residual",
        format!(
            "{:.1e} mean, {:.1e} max relative; {:.1e} mean, {:.1e} max scale-free",
            s.residual.mean, s.residual.max, s.residual_scale_free.mean, s.residual_scale_free.max
        ),
    );
    if s.judged.told() > 0 {
        line("error", error(s));
    }
    line("unsolved", unsolved(s));
    for (index, used) in s.methods.iter().enumerate() {
        line(if index == 0 { "methods" } else { "" }, method(used));
    }
    line(
        "penetration",
        format!(
            "{} max, {:.1e} of the smaller body's width",
            quantity(s.penetration.max, "m"),
            s.penetration.relative_max
        ),
    );
    text.push_str(&energy(s));
    text.push_str(&verdict(s));
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

/// What several processes had to do: the least and most of each, and what they said in all.
fn ranks(s: &Summary) -> [(&'static str, String); 2] {
    let span = |of: &dyn Fn(&RankSummary) -> f64| {
        let all = || s.ranks.iter().map(of);
        (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max))
    };
    let sum = |of: &dyn Fn(&RankSummary) -> u64| s.ranks.iter().map(of).sum::<u64>() as f64;
    let ((few, many), (least, most)) =
        (span(&|rank| rank.bodies as f64), span(&|rank| 1e-6 * rank.peak_memory as f64));
    let steps = s.ranks[0].steps.max(1) as f64;
    let of_sweeps = sum(&|rank| rank.pass_messages);
    let messages = of_sweeps + sum(&|rank| rank.messages);
    let bytes = sum(&|rank| rank.pass_bytes) + sum(&|rank| rank.bytes);
    let each = format!(
        "{}: {few} to {many} bodies each, {least:.0} to {most:.0} MB at most",
        s.ranks.len()
    );
    let said = format!(
        "{:.0} messages with {:.3} MB in a step; {:.0} % of messages, {:.0} % of bytes within sweeps",
        messages / steps,
        1e-6 * bytes / steps,
        100.0 * of_sweeps / messages.max(1.0),
        100.0 * sum(&|rank| rank.pass_bytes) / bytes.max(1.0)
    );
    [("processes", each), ("", said)]
}

fn method(used: &MethodUse) -> String {
    let MethodUse { method, reason, steps, solved, iterations } = used;
    let noun = if *steps == 1 { "step" } else { "steps" };
    let failed = if solved == steps { "" } else { &format!(", {solved} solved") };
    let each = *iterations as f64 / (*steps).max(1) as f64;
    format!("{method} ({reason}) in {steps} {noun}{failed}, {each:.1} iterations in each")
}

/// The error of steps, and by which way it is known.
fn error(s: &Summary) -> String {
    let JudgedSteps { laws, factors, sweeps, above, unbounded } = s.judged;
    let Spread { mean, max } = s.error;
    let ways = [(factors, "by factors"), (sweeps, "by sweeps"), (laws, "without any")];
    let ways: Vec<String> = ways
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, way)| format!("{count} {way}"))
        .collect();
    let mut text = format!("{mean:.1e} mean, {max:.1e} max");
    if above > 0 {
        write!(text, ", above the tolerance in {above}").expect("writing to a string");
    }
    if unbounded > 0 {
        write!(text, ", without bound in {unbounded}").expect("writing to a string");
    }
    format!("{text}; told in {} of {} steps ({})", s.judged.told(), s.steps, ways.join(", "))
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

/// The ledger: what there was, came and went, and what is left, so that the sum closes. Lines that are zero are left
/// out; a loss is positive, and one that is negative is a gain.
fn energy(s: &Summary) -> String {
    let e = &s.energy;
    let given = [
        ("inserted", e.inserted),
        ("set from outside", e.intervention),
        ("work of forces", e.external_work),
        ("work of boundaries", e.boundary_work),
        ("given by recovery", e.recovery_work),
        ("work of cohesion", e.cohesion_work),
        ("atomised springs", e.atomisation_work),
        ("given by joints", e.joint_work),
        ("scheme error", e.scheme_work),
    ];
    let lost = [
        ("by friction", e.friction_loss),
        ("by impact", e.impact_loss),
        ("by drag", e.drag_loss),
        ("by damping", e.damping_loss),
        ("by rupture", e.rupture_loss),
        ("coming to rest", e.rest_loss),
    ];
    let now = [
        ("  kinetic", e.kinetic),
        ("  potential", e.potential),
        ("  elastic", e.elastic),
        ("  in springs", e.springs),
        ("  in bonds", e.bonds),
    ];
    let mut lines = vec![("at the start".to_owned(), e.initial)];
    lines.extend(given.iter().filter(|(_, v)| *v != 0.0).map(|(n, v)| ((*n).to_owned(), *v)));
    lines.extend(lost.iter().filter(|(_, v)| *v != 0.0).map(|(name, value)| {
        let what = if *value > 0.0 { "lost" } else { "gained" };
        (format!("{what} {name}"), value.abs())
    }));
    lines.push(("now".to_owned(), now.iter().map(|(_, value)| value).sum()));
    let always = |name: &str| name == "  kinetic" || name == "  potential";
    let parts = now.iter().filter(|(name, value)| always(name) || *value != 0.0);
    lines.extend(parts.map(|(name, value)| ((*name).to_owned(), *value)));
    let mut text = String::new();
    let mut label = "energy (J)";
    for (name, value) in lines {
        writeln!(text, "{label:<12} {name:<20} {value:>15.6e}")
            .expect("writing to a string does not fail");
        label = "";
    }
    writeln!(text, "{:<12} {:<20} {:>15.1e}", "", "closure, largest", e.closure_max)
        .expect("writing to a string does not fail");
    text
}

/// The verdict, in colour where the standard output is a terminal that wants it.
fn verdict(s: &Summary) -> String {
    let colours = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let paint = |code: u8, text: &str| match colours {
        true => format!("\x1b[{code}m{text}\x1b[0m"),
        false => text.to_owned(),
    };
    let mut text = match &s.verdict {
        Verdict::Trusted => format!("{:<12} {}\n", "verdict", paint(32, "trusted")),
        Verdict::Doubtful(_) => format!("{:<12} {}\n", "verdict", paint(33, "doubtful")),
    };
    for reason in s.verdict.reasons() {
        writeln!(text, "{:<12} {reason}", "").expect("writing to a string does not fail");
    }
    let untold = s.steps.saturating_sub(s.judged.told());
    for (count, what) in [(untold, "not known"), (s.judged.above, "above the tolerance")] {
        if count > 0 {
            let what = format!("the error of {count} of {} steps is {what}", s.steps);
            writeln!(text, "{:<12} {what}", "").expect("writing to a string does not fail");
        }
    }
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
    use drystone::record::run::{Doubt, Reason};

    #[test]
    fn the_ledger_leaves_out_what_is_zero() {
        let mut s = Summary { steps: 10, unconverged_steps: 1, ..Summary::default() };
        s.energy.friction_loss = 2.5;
        s.stages.insert("solve".to_owned(), 1.0);
        let text = summary(&s, Path::new("runs/x"));
        assert!(text.contains("lost by friction") && !text.contains("lost by impact"), "{text}");
        assert!(text.contains("1 of 10 steps (10.00 %)"), "{text}");
        assert!(text.contains("recorded in  runs/x\n"), "{text}");
        assert!(text.contains("verdict      trusted\n"), "{text}");
        assert!(text.contains("the error of 10 of 10 steps is not known\n"), "{text}");
        s.judged = JudgedSteps { sweeps: 6, factors: 2, above: 3, unbounded: 1, laws: 0 };
        s.error = Spread { mean: 1e-3, max: 0.25 };
        let text = summary(&s, Path::new("runs/x"));
        let told = "1.0e-3 mean, 2.5e-1 max, above the tolerance in 3, without bound in 1; \
                    told in 8 of 10 steps (2 by factors, 6 by sweeps)\n";
        assert!(text.contains(told), "{text}");
        assert!(text.contains("the error of 2 of 10 steps is not known\n"), "{text}");
        assert!(text.contains("the error of 3 of 10 steps is above the tolerance\n"), "{text}");
        s.energy.friction_loss = -2.5;
        s.energy.springs = 1.0;
        let reason = Reason {
            doubt: Doubt::PassedThrough,
            count: 2,
            worst: 1.5,
            first_time: 0.25,
            names: vec!["ball".to_owned(), "wall".to_owned()],
        };
        s.verdict = Verdict::Doubtful(vec![reason]);
        let text = summary(&s, Path::new("runs/x"));
        let gained = text.lines().find(|line| line.contains("gained by friction"));
        assert!(gained.is_some_and(|line| line.ends_with(" 2.500000e0")), "{text}");
        assert!(text.contains("in springs") && text.contains("verdict      doubtful\n"), "{text}");
        assert!(text.contains("2 times, worst 1.50e0 widths in a step"), "{text}");
        assert!(text.contains("first at 0.250000 s (ball, wall)"), "{text}");
        assert!(failure(&Status::Finished).is_none());
        assert!(failure(&Status::Stopped("why".to_owned())).unwrap().contains("why"));
    }
}
