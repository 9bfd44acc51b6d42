//! Functions of time, from numbers, sinusoids, points and CSV files.

use super::Builder;
use super::dimension::Dimension;
use crate::format::{Points, SignalValue};
use crate::plain::Text;
use crate::quantity::{Time, Unit};
use crate::report::{Draft, Source};
use drystone_engine::{Signal, Table};
use miette::NamedSource;
use std::ops::Range;
use std::sync::Arc;

/// Problems of one CSV file beyond these many are not listed: the rest is likely the same.
const LISTED: usize = 5;

impl<S: Dimension> Builder<'_, S> {
    /// The signal that a value of the file describes.
    pub fn signal<U: Unit>(&mut self, value: &SignalValue<U>) -> Option<Signal> {
        Some(match value {
            SignalValue::Constant(number) => Signal::Constant(number.value),
            SignalValue::Sinusoid(table) => Signal::Sinusoid {
                mean: table.mean.as_ref().map_or(0.0, |n| n.value),
                amplitude: table.amplitude.value,
                frequency: table.frequency.value,
                phase: table.phase.as_ref().map_or(0.0, |n| n.value),
            },
            SignalValue::Table(points) => Signal::Table(self.table(points)?),
        })
    }

    fn table<U: Unit>(&mut self, table: &Points<U>) -> Option<Table> {
        match (&table.file, &table.points) {
            (Some(file), None) => {
                let column = table.column.as_ref().map_or(2, |c| c.value as usize);
                self.file::<U>(file, column)
            }
            (None, Some(points)) => {
                let times: Vec<f64> = points.items.iter().map(|p| p.first.value).collect();
                let values = points.items.iter().map(|p| p.second.value).collect();
                if let Some(after) = not_increasing(&times) {
                    let draft = Draft::error(points.items[after].span, "times do not increase");
                    let draft = draft.found(format!("{} s", times[after]));
                    let expected = format!("a time after {} s", times[after - 1]);
                    self.problems.push(draft.expected(expected));
                    return None;
                }
                let table = Table::new(times, values);
                if table.is_none() {
                    let draft = Draft::error(points.span, "table without points");
                    self.problems.push(draft.expected("pairs `[time, value]`"));
                }
                table
            }
            _ => {
                let (message, found) = match table.file {
                    Some(_) => ("table from two sources", "`file` and `points`"),
                    None => ("table without a source", "neither `file` nor `points`"),
                };
                let draft = Draft::error(table.span, message).found(found);
                self.problems.push(draft.expected("either `file` or `points`"));
                None
            }
        }
    }

    fn file<U: Unit>(&mut self, file: &Text, column: usize) -> Option<Table> {
        let draft = Draft::error(file.span, "table file cannot be read");
        let files = &self.around.files;
        if !files.allowed() {
            let draft = draft.found(format!("`{}`", file.value));
            self.problems.push(draft.help("this scene is not read from a file: use `points`"));
            return None;
        }
        let path = files.path(&file.value);
        let text = match files.read(&file.value) {
            Ok(text) => text,
            Err(error) => {
                let draft = draft.found(format!("{error}"));
                let expected = format!("a CSV file at `{}`", path.display());
                self.problems.push(draft.expected(expected));
                return None;
            }
        };
        // Some programs mark the start of a text; it is no part of the first cell.
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let source = NamedSource::new(path.display().to_string(), Arc::from(text));
        let rows = self.rows(text, column, &source)?;
        let units = &self.around.units;
        let times = rows.iter().map(|r| units.si::<Time>(r.0, S::DIMENSION)).collect::<Vec<_>>();
        let values = rows.iter().map(|r| units.si::<U>(r.1, S::DIMENSION)).collect::<Vec<_>>();
        if let Some(after) = not_increasing(&times) {
            let span = rows[after].2.clone();
            let draft = Draft::error(span.into(), "times do not increase");
            let draft = draft.found(rows[after].0.to_string());
            let expected = format!("a time after {}", rows[after - 1].0);
            self.problems.push_in(&source, draft.expected(expected));
            return None;
        }
        if times.iter().chain(&values).any(|x| x.abs() > U::LARGEST) {
            let draft = Draft::error(file.span, "table file holds a number out of range");
            let expected = format!("numbers no larger than {:e} in SI units", U::LARGEST);
            self.problems.push(draft.expected(expected));
            return None;
        }
        Table::new(times, values)
    }

    /// Time, value and the place of the time in each row; `None` after problems.
    fn rows(
        &mut self,
        text: &str,
        column: usize,
        source: &Source,
    ) -> Option<Vec<(f64, f64, Range<usize>)>> {
        let mut rows = Vec::new();
        let mut problems = 0;
        let mut header = true;
        let mut next = 0;
        for line in text.split_inclusive('\n') {
            let start = next;
            next += line.len();
            let line = line.trim_end_matches(['\n', '\r']);
            if line.trim().is_empty() || line.trim_start().starts_with('#') {
                continue;
            }
            let cells = cells(line, start);
            // The first line may name the columns: then none of its cells is a number.
            let named = |cell: &Range<usize>| text[cell.clone()].parse::<f64>().is_err();
            if std::mem::take(&mut header) && cells.iter().all(named) {
                continue;
            }
            let whole = start..start + line.len();
            match (self.cell(text, &cells, 1, &whole), self.cell(text, &cells, column, &whole)) {
                (Ok(time), Ok(value)) => rows.push((time, value, cells[0].clone())),
                (time, value) => {
                    for draft in [time.err(), value.err()].into_iter().flatten() {
                        self.problems.push_in(source, draft);
                    }
                    problems += 1;
                    if problems == LISTED {
                        break;
                    }
                }
            }
        }
        if rows.is_empty() && problems == 0 {
            let draft = Draft::error((0..0).into(), "table file holds no numbers");
            self.problems.push_in(source, draft.expected("lines `time, value`"));
        }
        (problems == 0 && !rows.is_empty()).then_some(rows)
    }

    fn cell(
        &self,
        text: &str,
        cells: &[Range<usize>],
        column: usize,
        line: &Range<usize>,
    ) -> Result<f64, Draft> {
        let Some(cell) = cells.get(column - 1) else {
            let draft = Draft::error(line.clone().into(), format!("row without column {column}"));
            return Err(draft
                .found(format!("{} of {column} columns", cells.len()))
                .expected("cells separated by commas, semicolons or tabs"));
        };
        let number = text[cell.clone()].parse::<f64>().ok().filter(|x| x.is_finite());
        number.ok_or_else(|| {
            let draft = Draft::error(cell.clone().into(), "cell is not a number");
            draft.found(format!("{:?}", &text[cell.clone()])).expected("a finite number")
        })
    }
}

/// The trimmed cells of a line, as places in the whole text.
fn cells(line: &str, start: usize) -> Vec<Range<usize>> {
    let mut next = start;
    line.split([',', ';', '\t'])
        .map(|cell| {
            let offset = next + cell.len() - cell.trim_start().len();
            next += cell.len() + 1;
            offset..offset + cell.trim().len()
        })
        .collect()
}

/// Index of the first time that is not after the one before.
fn not_increasing(times: &[f64]) -> Option<usize> {
    times.windows(2).position(|w| w[0] >= w[1]).map(|i| i + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_keep_their_place() {
        let text = "0, 1.5 ;\t x";
        let found: Vec<&str> = cells(text, 0).into_iter().map(|c| &text[c]).collect();
        assert_eq!(found, ["0", "1.5", "", "x"]);
    }
}
