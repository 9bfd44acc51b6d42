//! Functions of time, from numbers, sinusoids, points and CSV files.

use super::Builder;
use super::dimension::SceneSpace;
use super::rows::Row;
use crate::format::{Points, SignalValue};
use crate::plain::Text;
use crate::quantity::{Time, Unit};
use crate::report::{Draft, Span, short};
use drystone_engine::{Signal, Table};

impl<S: SceneSpace> Builder<'_, S> {
    /// The signal that a value of the file describes.
    pub fn signal<U: Unit>(&mut self, value: &SignalValue<U>) -> Option<Signal> {
        Some(match value {
            SignalValue::Constant(number) => Signal::Constant(number.value),
            SignalValue::Sinusoid(table) => {
                self.check_period(table.frequency.span, table.frequency.value.abs());
                Signal::Sinusoid {
                    mean: table.mean.as_ref().map_or(0.0, |n| n.value),
                    amplitude: table.amplitude.value,
                    frequency: table.frequency.value,
                    phase: table.phase.as_ref().map_or(0.0, |n| n.value),
                }
            }
            SignalValue::Table(points) => {
                let table = self.table(points)?;
                self.check_points(points.span, &table);
                Signal::Table(table)
            }
            SignalValue::Exponential(table) => {
                Signal::Exponential { amplitude: table.amplitude.value, rate: table.rate.value }
            }
        })
    }

    /// Refuses oscillations that steps do not see, and warns of those that they see badly.
    fn check_period(&mut self, span: Span, frequency: f64) {
        let step = self.setup.time_step;
        let (draft, least) = match frequency * step {
            0.5.. => (Draft::error(span, "an oscillation that the time step cannot follow"), 2),
            0.1.. => (Draft::warning(span, "an oscillation that the time step follows badly"), 10),
            _ => return,
        };
        let draft = draft.found(format!("{} steps in a period", short(1.0 / (frequency * step))));
        self.problems.push(draft.expected(format!("{least} or more")).help(format!(
            "a time step of at most {} s, or a lower frequency",
            short(0.1 / frequency)
        )));
    }

    /// Warns of points that lie between two steps.
    fn check_points(&mut self, span: Span, table: &Table) {
        let step = self.setup.time_step;
        let times: Vec<f64> = table.points().map(|(time, _)| time).collect();
        let closest = times.windows(2).map(|w| w[1] - w[0]).fold(f64::INFINITY, f64::min);
        if closest < 0.5 * step {
            let draft = Draft::warning(span, "points that lie between two steps are passed over");
            let draft = draft.found(format!("{} s from one to the next", short(closest)));
            self.problems
                .push(draft.expected(format!("at least the time step, {} s", short(step))));
        }
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
        let make = |_: &Self, text: &str, row: &Row| {
            Ok((cell(text, row, 1)?, cell(text, row, column)?, row.cells[0].clone()))
        };
        let (rows, source) = self.rows(file, 0, "lines `time, value`", make)?;
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
}

/// The number in a column, counted from 1.
pub(super) fn cell(text: &str, row: &Row, column: usize) -> Result<f64, Draft> {
    let Some(cell) = row.cells.get(column - 1) else {
        let draft = Draft::error(row.line.clone().into(), format!("row without column {column}"));
        return Err(draft
            .found(format!("{} of {column} columns", row.cells.len()))
            .expected("cells separated by commas, semicolons or blanks"));
    };
    let number = text[cell.clone()].parse::<f64>().ok().filter(|x| x.is_finite());
    number.ok_or_else(|| {
        let draft = Draft::error(cell.clone().into(), "cell is not a number");
        draft.found(format!("{:?}", &text[cell.clone()])).expected("a finite number")
    })
}

/// Index of the first time that is not after the one before.
pub(super) fn not_increasing(times: &[f64]) -> Option<usize> {
    times.windows(2).position(|w| w[0] >= w[1]).map(|i| i + 1)
}
