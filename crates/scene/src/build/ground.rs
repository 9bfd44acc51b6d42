//! Ground motion from records: read, checked for gaps, freed of drift, integrated.
//!
//! An acceleration is linear between its samples, so that its velocity is a parabola there and its displacement a cubic:
//! these are taken exactly, from rest. A velocity likewise. Displacements get slopes from their neighbours.

use super::Builder;
use super::dimension::{SceneSpace, direction};
use super::drive::shift;
use super::rows::Row;
use super::signal::cell;
use crate::format::{BaselineWord, QuantityWord, RecordForm, RecordTable, RecordUnit};
use crate::quantity::{Acceleration, Length, Time, Velocity};
use crate::report::{Draft, Source, Span};
use drystone_engine::{Course, Signal, Smooth};
use std::ops::Range;

/// An interval between samples that is longer than the usual one by this is a gap.
const GAP: f64 = 1.5;

/// Largest magnitude of a sample, in SI.
const LARGEST: f64 = 1e9;

/// Samples of a record with their places in the file.
struct Samples {
    /// In seconds, beginning with zero.
    times: Vec<f64>,
    values: Vec<f64>,
    quantity: Option<QuantityWord>,
    /// SI value of the unit, if the file says it.
    unit: Option<f64>,
}

impl<S: SceneSpace> Builder<'_, S> {
    /// The course of one record.
    pub(super) fn record(&mut self, table: &RecordTable) -> Option<Course<S>> {
        let along = direction::<S, _, _>(&table.direction, self.problems)?;
        let lower = table.file.value.to_lowercase();
        let named = [".at2", ".vt2", ".dt2"].iter().any(|end| lower.ends_with(end));
        let form = table.form.unwrap_or(if named { RecordForm::Peer } else { RecordForm::Columns });
        let samples = match form {
            RecordForm::Peer => self.peer(table),
            RecordForm::Columns if table.interval.is_some() => self.values(table),
            RecordForm::Columns => self.columns(table),
        }?;
        let stated = samples.quantity.or(table.quantity);
        if let (Some(head), Some(given)) = (samples.quantity, table.quantity)
            && head != given
        {
            let draft = Draft::error(table.span, "quantity that the record does not hold");
            let draft = draft.found(format!("the head of the file says {}", word(head)));
            self.problems.push(draft.help("leave out `quantity`"));
            return None;
        }
        let quantity = stated.unwrap_or(QuantityWord::Acceleration);
        let unit = match table.unit {
            Some(unit) => self.unit(unit, quantity, table.span)?,
            None => samples.unit.unwrap_or_else(|| {
                let units = &self.around.units;
                match quantity {
                    QuantityWord::Acceleration => units.si::<Acceleration>(1.0, S::DIMENSION),
                    QuantityWord::Velocity => units.si::<Velocity>(1.0, S::DIMENSION),
                    QuantityWord::Displacement => units.si::<Length>(1.0, S::DIMENSION),
                }
            }),
        };
        let factor = unit * table.scale.as_ref().map_or(1.0, |n| n.value);
        let values: Vec<f64> = samples.values.iter().map(|value| value * factor).collect();
        if samples.times.len() < 2 {
            let draft = Draft::error(table.file.span, "record of one sample");
            self.problems.push(draft.expected("two samples or more"));
            return None;
        }
        if let Some(value) = values.iter().find(|value| value.abs() > LARGEST) {
            let draft = Draft::error(table.file.span, "record with a value out of range");
            let draft = draft.found(format!("{value:e} in SI units"));
            self.problems.push(draft.expected(format!("at most {LARGEST:e}; is `unit` right?")));
            return None;
        }
        let terms = match table.baseline {
            None | Some(BaselineWord::None) => 0,
            Some(BaselineWord::Constant) => 1,
            Some(BaselineWord::Linear) => 2,
            Some(BaselineWord::Quadratic) => 3,
        };
        let (displacement, velocity) = displacement(&samples.times, values, quantity, terms);
        let curve = Smooth::new(samples.times, displacement, velocity)?;
        Some(shift(along, Signal::Smooth(curve)))
    }

    fn unit(&mut self, unit: RecordUnit, quantity: QuantityWord, span: Span) -> Option<f64> {
        use QuantityWord::{Acceleration, Displacement, Velocity};
        let (of, value) = match unit {
            RecordUnit::Gravity => (Acceleration, 9.80665),
            RecordUnit::MetrePerSecondSquared => (Acceleration, 1.0),
            RecordUnit::Gal => (Acceleration, 0.01),
            RecordUnit::MetrePerSecond => (Velocity, 1.0),
            RecordUnit::CentimetrePerSecond => (Velocity, 0.01),
            RecordUnit::Metre => (Displacement, 1.0),
            RecordUnit::Centimetre => (Displacement, 0.01),
            RecordUnit::Millimetre => (Displacement, 0.001),
        };
        if of != quantity {
            let draft = Draft::error(span, "unit that does not fit the record");
            let draft = draft.found(format!("a unit of {} for {}", word(of), word(quantity)));
            self.problems.push(draft.help("add `quantity = …`, or take another `unit`"));
            return None;
        }
        Some(value)
    }

    /// Lines of times and values.
    fn columns(&mut self, table: &RecordTable) -> Option<Samples> {
        let column = table.column.as_ref().map_or(2, |column| column.value as usize);
        if let Some(column) = table.column.as_ref().filter(|column| column.value == 1) {
            let draft = Draft::error(column.span, "values in the column of the times");
            self.problems
                .push(draft.expected("a column from 2 on, or `interval` for a file without times"));
            return None;
        }
        let skip = table.skip.as_ref().map_or(0, |skip| skip.value as usize);
        let make = |_: &Self, text: &str, row: &Row| {
            Ok((cell(text, row, 1)?, cell(text, row, column)?, row.cells[0].clone()))
        };
        let (rows, source) = self.rows(&table.file, skip, "lines `time, value`", make)?;
        let units = &self.around.units;
        let si = |time: f64| units.si::<Time>(time, S::DIMENSION);
        let times: Vec<f64> = rows.iter().map(|row| si(row.0 - rows[0].0)).collect();
        let place = |index: usize| rows[index].2.clone();
        self.check_times(&times, &source, place)?;
        let values = rows.iter().map(|row| row.1).collect();
        Some(Samples { times, values, quantity: None, unit: None })
    }

    /// Whether times increase, without a gap.
    fn check_times(
        &mut self,
        times: &[f64],
        source: &Source,
        place: impl Fn(usize) -> Range<usize>,
    ) -> Option<()> {
        let mut intervals: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let bad = intervals.iter().position(|interval| *interval <= 0.0);
        if let Some(index) = bad {
            let draft = Draft::error(place(index + 1).into(), "times do not increase");
            let draft = draft.found(format!("{} s after {} s", times[index + 1], times[index]));
            self.problems.push_in(source, draft.expected("times that increase"));
            return None;
        }
        let all = intervals.clone();
        intervals.sort_by(f64::total_cmp);
        let Some(&usual) = intervals.get(intervals.len() / 2) else { return Some(()) };
        if let Some(index) = all.iter().position(|interval| *interval > GAP * usual) {
            let draft = Draft::error(place(index + 1).into(), "record with a gap");
            let draft = draft.found(format!("{:.4} s without a sample", all[index]));
            self.problems.push_in(source, draft.expected(format!("samples every {usual:.4} s")));
            return None;
        }
        Some(())
    }

    /// One value after the other.
    fn values(&mut self, table: &RecordTable) -> Option<Samples> {
        let interval = table.interval.as_ref()?.value;
        let column = table.column.as_ref().map(|column| column.value as usize);
        let skip = table.skip.as_ref().map_or(0, |skip| skip.value as usize);
        let make = |_: &Self, text: &str, row: &Row| match column {
            Some(column) => Ok(vec![cell(text, row, column)?]),
            None => (1..=row.cells.len()).map(|column| cell(text, row, column)).collect(),
        };
        let (rows, _) = self.rows(&table.file, skip, "values", make)?;
        let values: Vec<f64> = rows.into_iter().flatten().collect();
        let times = (0..values.len()).map(|index| index as f64 * interval).collect();
        Some(Samples { times, values, quantity: None, unit: None })
    }

    /// A file of the PEER database: the third line has what is recorded and its unit, the fourth number and interval of
    /// the samples.
    fn peer(&mut self, table: &RecordTable) -> Option<Samples> {
        let keys = [
            ("column", table.column.as_ref().map(|n| n.span)),
            ("interval", table.interval.as_ref().map(|n| n.span)),
            ("skip", table.skip.as_ref().map(|n| n.span)),
        ];
        for (key, span) in keys {
            if let Some(span) = span {
                let draft = Draft::error(span, format!("`{key}` of a PEER file"));
                self.problems.push(draft.help("its head says that: leave it out"));
                return None;
            }
        }
        let text = self.read(&table.file, "a PEER file")?;
        let (head, start) = head(&text);
        let path = self.around.files.path(&table.file.value).display().to_string();
        let source = Source::new(path, text.as_str().into());
        let Some((head, count, interval)) = head.zip(start).map(|(h, s)| (h, s.0, s.1)) else {
            let draft = Draft::error((0..text.len().min(1)).into(), "not the head of a PEER file");
            self.problems.push_in(
                &source,
                draft.expected(
                    "four lines, the third with the unit, the fourth with `NPTS=` and `DT=`",
                ),
            );
            return None;
        };
        let (mut values, make) = (Vec::new(), |_: &Self, text: &str, row: &Row| {
            (1..=row.cells.len())
                .map(|column| cell(text, row, column))
                .collect::<Result<Vec<f64>, Draft>>()
        });
        let (rows, _) = self.rows(&table.file, 4, "values", make)?;
        values.extend(rows.into_iter().flatten());
        if values.len() != count {
            let end = text.trim_end().len();
            let draft = Draft::error(
                (end.saturating_sub(1)..end).into(),
                "record with a wrong number of samples",
            );
            let draft = draft.found(format!("{} samples", values.len()));
            self.problems.push_in(&source, draft.expected(format!("{count}, as its head says")));
            return None;
        }
        let times = (0..count).map(|index| index as f64 * interval).collect();
        Some(Samples { times, values, quantity: Some(head.0), unit: head.1 })
    }
}

fn word(quantity: QuantityWord) -> &'static str {
    match quantity {
        QuantityWord::Acceleration => "acceleration",
        QuantityWord::Velocity => "velocity",
        QuantityWord::Displacement => "displacement",
    }
}

/// What is recorded with its unit, and number and interval of samples, from the head of a PEER file.
#[allow(clippy::type_complexity)]
fn head(text: &str) -> (Option<(QuantityWord, Option<f64>)>, Option<(usize, f64)>) {
    let mut lines = text.lines().skip(2);
    let units = lines.next().unwrap_or_default().to_uppercase();
    let quantity = match () {
        () if units.contains("ACC") => Some(QuantityWord::Acceleration),
        () if units.contains("VEL") => Some(QuantityWord::Velocity),
        () if units.contains("DISP") => Some(QuantityWord::Displacement),
        () => None,
    };
    let unit = units.rsplit("UNITS OF").next().unwrap_or_default().trim().trim_end_matches('.');
    let unit = match unit {
        "G" => Some(9.80665),
        "CM/S/S" | "CM/S2" | "CM/SEC/SEC" | "CM/S" | "CM/SEC" | "CM" => Some(0.01),
        "M/S/S" | "M/S2" | "M/S" | "M" => Some(1.0),
        _ => None,
    };
    // `NPTS=  5366, DT=   .0100 SEC`, or in older files `4000   .0050   NPTS, DT`.
    let last = lines.next().unwrap_or_default();
    let is_number = |c: char| c.is_ascii_digit() || c == '.';
    let words =
        last.split(|c: char| !is_number(c)).filter(|w| w.chars().any(|c| c.is_ascii_digit()));
    let numbers: Vec<&str> = words.collect();
    let start = match numbers[..] {
        [count, interval, ..] if last.to_uppercase().contains("NPTS") => {
            count.parse().ok().zip(interval.parse::<f64>().ok().filter(|dt| *dt > 0.0))
        }
        _ => None,
    };
    (quantity.map(|quantity| (quantity, unit)), start)
}

/// Displacement and velocity at the samples, after a polynomial of so many terms is taken away: of an acceleration one that
/// its velocity is fitted by, which begins with zero.
fn displacement(
    times: &[f64],
    mut values: Vec<f64>,
    quantity: QuantityWord,
    terms: usize,
) -> (Vec<f64>, Vec<f64>) {
    let span = times[times.len() - 1];
    match quantity {
        QuantityWord::Acceleration => {
            let velocity = integral(times, &values);
            let fit = polynomial(times, &velocity, 1, terms);
            for (value, &time) in values.iter_mut().zip(times) {
                let slope = fit.iter().enumerate().rev();
                *value -=
                    slope.fold(0.0, |sum, (i, c)| sum * (time / span) + c * (i + 1) as f64) / span;
            }
            let velocity = integral(times, &values);
            (twice_integral(times, &values, &velocity), velocity)
        }
        QuantityWord::Velocity => {
            let values = detrended(times, values, terms);
            (integral(times, &values), values)
        }
        QuantityWord::Displacement => {
            let values = detrended(times, values, terms);
            let last = times.len() - 1;
            let slope = |i: usize| {
                let (a, b) = (i.saturating_sub(1), (i + 1).min(last));
                (values[b] - values[a]) / (times[b] - times[a])
            };
            let slopes = (0..=last).map(slope).collect();
            (values, slopes)
        }
    }
}

fn detrended(times: &[f64], mut values: Vec<f64>, terms: usize) -> Vec<f64> {
    let span = times[times.len() - 1];
    let fit = polynomial(times, &values, 0, terms);
    for (value, &time) in values.iter_mut().zip(times) {
        *value -= fit.iter().rev().fold(0.0, |sum, c| sum * (time / span) + c);
    }
    values
}

/// ∫ of values that are linear between samples.
fn integral(times: &[f64], values: &[f64]) -> Vec<f64> {
    let mut sum = 0.0;
    let step = |i: usize| 0.5 * (times[i] - times[i - 1]) * (values[i] + values[i - 1]);
    (0..times.len())
        .map(|i| {
            sum += if i > 0 { step(i) } else { 0.0 };
            sum
        })
        .collect()
}

/// ∫∫ of such values.
fn twice_integral(times: &[f64], values: &[f64], once: &[f64]) -> Vec<f64> {
    let mut sum = 0.0;
    let step = |i: usize| {
        let h = times[i] - times[i - 1];
        h * once[i - 1] + h * h * (2.0 * values[i - 1] + values[i]) / 6.0
    };
    (0..times.len())
        .map(|i| {
            sum += if i > 0 { step(i) } else { 0.0 };
            sum
        })
        .collect()
}

/// Coefficients of (t/T)^k, k = least, least + 1, …, that fit values best by least squares.
fn polynomial(times: &[f64], values: &[f64], least: usize, terms: usize) -> Vec<f64> {
    let span = times[times.len() - 1];
    let mut matrix = vec![vec![0.0; terms + 1]; terms];
    for (&time, &value) in times.iter().zip(values) {
        let x = time / span;
        let powers: Vec<f64> = (0..terms).map(|k| (0..least + k).fold(1.0, |p, _| p * x)).collect();
        for (row, p) in matrix.iter_mut().zip(&powers) {
            for (entry, q) in row.iter_mut().zip(powers.iter().chain([&value])) {
                *entry += p * q;
            }
        }
    }
    // Elimination without exchange of rows: the matrix is symmetric and positive definite.
    for pivot in 0..terms {
        for row in pivot + 1..terms {
            let factor = matrix[row][pivot] / matrix[pivot][pivot];
            for column in pivot..=terms {
                let above = matrix[pivot][column];
                matrix[row][column] -= factor * above;
            }
        }
    }
    let mut found = vec![0.0; terms];
    for row in (0..terms).rev() {
        let known: f64 = (row + 1..terms).map(|column| matrix[row][column] * found[column]).sum();
        found[row] = (matrix[row][terms] - known) / matrix[row][row];
    }
    found.iter().map(|x| if x.is_finite() { *x } else { 0.0 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A drifting acceleration: what is left after the correction is what was there before the drift, and the ground ends
    /// where it began.
    #[test]
    fn a_baseline_takes_the_drift_away() {
        let times: Vec<f64> = (0..=1000).map(|i| 0.01 * f64::from(i)).collect();
        let wave = |t: f64| drystone_space::math::sin(std::f64::consts::TAU * t);
        let drift = |t: f64| 0.3 - 0.05 * t + 0.004 * t * t;
        let values: Vec<f64> = times.iter().map(|&t| drift(t)).collect();
        for (terms, most) in [(0, 20.0), (1, 2.0), (2, 0.8), (3, 1e-4)] {
            let (shift, _) =
                displacement(&times, values.clone(), QuantityWord::Acceleration, terms);
            let far = shift.iter().fold(0.0f64, |far, x| far.max(x.abs()));
            assert!(far < most, "{terms} terms: {far}");
            assert!(terms > 0 || far > 5.0);
        }
        let values: Vec<f64> = times.iter().map(|&t| wave(t) + drift(t)).collect();
        let (_, speed) = displacement(&times, values, QuantityWord::Acceleration, 3);
        assert!(speed.iter().all(|v| v.abs() < 0.35), "{:?}", speed.last());
    }

    #[test]
    fn integrals_of_a_linear_acceleration_are_exact() {
        let times = vec![0.0, 0.5, 2.0];
        let values: Vec<f64> = times.iter().map(|t| 1.0 + 3.0 * t).collect();
        let (shift, speed) = displacement(&times, values, QuantityWord::Acceleration, 0);
        for (i, t) in times.iter().enumerate() {
            assert!((speed[i] - (t + 1.5 * t * t)).abs() < 1e-14);
            assert!((shift[i] - (0.5 * t * t + 0.5 * t * t * t)).abs() < 1e-14);
        }
    }

    #[test]
    fn both_heads_of_peer_are_read() {
        let new = "PEER\nImperial Valley\nACCELERATION TIME SERIES IN UNITS OF G\nNPTS=   5366, DT=   .0100 SEC\n";
        let (what, samples) = head(new);
        assert_eq!(what, Some((QuantityWord::Acceleration, Some(9.80665))));
        assert_eq!(samples, Some((5366, 0.01)));
        let old = "PEER\nLoma Prieta\nVELOCITY TIME HISTORY IN UNITS OF CM/S\n 4000    .0050    NPTS, DT\n";
        assert_eq!(head(old), (Some((QuantityWord::Velocity, Some(0.01))), Some((4000, 0.005))));
        assert_eq!(head("x\ny\nz\n4 0.1\n"), (None, None));
    }
}
