//! Cases with an exact or a published answer, computed and compared.
//!
//! Each case runs a scene that anybody can run, and measures one or more quantities. How far these may be from the answer is
//! said with its reason: the order of the time step, the digits of what was published, or rounding.

mod collisions;
mod forces;
mod friction;
mod mechanisms;
mod rotation;
mod support;

pub use support::Row;

use std::fmt::Write;

/// All cases, each with how many rows it has.
type Case = fn() -> Vec<Row>;

/// The chapters of the table.
const CHAPTERS: [(&str, &[Case]); 5] = [
    ("Friction", friction::CASES),
    ("Collisions", collisions::CASES),
    ("Forces and balance", forces::CASES),
    ("Mechanisms", mechanisms::CASES),
    ("Rotation in space", rotation::CASES),
];

/// The rows of all chapters, computed now.
pub fn rows() -> Vec<(&'static str, Vec<Row>)> {
    let rows = |cases: &[Case]| cases.iter().flat_map(|case| case()).collect();
    CHAPTERS.iter().map(|(chapter, cases)| (*chapter, rows(cases))).collect()
}

/// Errors below are told as such: their digits are those of rounding.
const ROUNDED: f64 = 1e-9;

/// A number with so many digits as are worth reading.
fn number(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 || (1e-3..1e5).contains(&size) {
        let text = format!("{value:.*}", digits(size));
        return match text.contains('.') {
            true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
            false => text,
        };
    }
    format!("{value:.1e}")
}

fn digits(size: f64) -> usize {
    match size {
        _ if size >= 1e3 => 2,
        _ if size >= 1.0 => 5,
        _ => 6,
    }
}

/// The page of the table.
pub fn page(chapters: &[(&str, Vec<Row>)]) -> String {
    let count: usize = chapters.iter().map(|(_, rows)| rows.len()).sum();
    let off = chapters.iter().flat_map(|(_, rows)| rows).filter(|row| !row.holds()).count();
    let within =
        if off == 0 { "all within".to_owned() } else { format!("{off} of them not within") };
    let mut page = format!("{HEAD}\n{count} figures, {within} what is allowed.\n");
    for (chapter, rows) in chapters {
        let head = "| case | quantity | answer | exact | ours | error | allowed | since |";
        let _ = write!(page, "\n## {chapter}\n\n{head}\n|---|---|---|---|---|---|---|---|\n");
        for row in rows {
            let name = row.name();
            let changes: Vec<String> = row.changes.iter().map(|c| format!("`{c}`")).collect();
            let with = if changes.is_empty() {
                String::new()
            } else {
                format!(", {}", changes.join(", "))
            };
            let unit = if row.unit.is_empty() { String::new() } else { format!(" ({})", row.unit) };
            let (found, error) = match (row.error() < ROUNDED, row.exact == 0.0) {
                (true, true) => ("0".to_owned(), format!("below {ROUNDED:.0e}")),
                (true, false) => (number(row.ours), format!("below {ROUNDED:.0e} of it")),
                (false, true) => (number(row.ours), format!("{:.1e}", row.error())),
                (false, false) => (number(row.ours), format!("{:.1e} of it", row.error())),
            };
            let _ = writeln!(
                page,
                "| [{name}](../{}){with} | {}{unit} | {} | {} | {} | {error} | {:.1e} | {} |",
                row.scene,
                row.quantity,
                row.answer,
                number(row.exact),
                found,
                row.bound,
                row.why
            );
        }
    }
    page
}

const HEAD: &str = "\
# Validation

Cases with an exact or a published answer, beside what drystone computes: the scene that anybody can run, the error, and how large it may be.
The page is made by a command, which runs them all, and a test makes it anew and compares every letter:

```sh
cargo run --release -p drystone-book -- --validation
```

Errors are parts of the answer, or in its unit where that is zero. What is allowed comes from the time step h, the digits of what was published,
or the solver's tolerance; it is not what was found. Limits of structures, whose answer is that they stand or fall, are in
[limit analysis](limit-analysis.md), recorded problems in [solvers](solvers.md), estimates of errors in [estimates](estimates.md),
studies with no closed form in [the wall](wall.md), [granular scenes](granular.md) and [the pile](pile.md), orders of errors in
[mechanics](mechanics.md); they are not repeated here.
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let shown = [0.0, 1.5, 0.25, 1234.5678, 2.5e-7, -0.0711].map(number);
        assert_eq!(shown, ["0", "1.5", "0.25", "1234.57", "2.5e-7", "-0.0711"]);
    }
}
