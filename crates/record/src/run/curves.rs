//! The curves of a run, as tables and as plots.

use crate::RecordError;
use crate::draw::{Colour, Print};
use crate::plot::{Axis, PALETTE, Panel, Plot, Scale, Series};
use drystone_engine::{Ledger, StepReport};
use std::path::Path;

/// A column: its name and where it comes from.
type Column<T> = (&'static str, fn(&T) -> f64);

/// Columns of `ledger.csv` after the time.
pub(super) const LEDGER: [Column<Ledger>; 24] = [
    ("kinetic", |l| l.kinetic),
    ("potential", |l| l.potential),
    ("elastic", |l| l.elastic),
    ("external_work", |l| l.external_work),
    ("boundary_work", |l| l.boundary_work),
    ("friction_loss", |l| l.friction_loss),
    ("impact_loss", |l| l.impact_loss),
    ("damping_loss", |l| l.damping_loss),
    ("rest_loss", |l| l.sleep_loss),
    ("recovery_work", |l| l.recovery_work),
    ("cohesion_work", |l| l.cohesion_work),
    ("springs", |l| l.springs),
    ("atomisation_work", |l| l.atomisation_work),
    ("joint_work", |l| l.joint_work),
    ("bonds", |l| l.bonds),
    ("rupture_loss", |l| l.rupture_loss),
    ("drag_loss", |l| l.drag_loss),
    ("dissipation_min", |l| if l.dissipation_min.is_finite() { l.dissipation_min } else { 0.0 }),
    ("scheme_work", |l| l.scheme_work),
    ("inserted", |l| l.inserted),
    ("intervention", |l| l.intervention),
    ("initial", |l| l.initial),
    ("imbalance", Ledger::imbalance),
    ("closure", Ledger::closure),
];

/// Columns of `steps.csv` after the time.
pub(super) const STEPS: [Column<StepReport>; 9] = [
    ("contacts", |r| r.contacts as f64),
    ("iterations", |r| r.iterations as f64),
    ("newton", |r| r.newton as f64),
    ("residual", |r| r.residual),
    ("residual_scale_free", |r| r.residual_scale_free),
    ("error", |r| r.error.map_or(0.0, |error| error.value)),
    ("error_unknown", |r| f64::from(r.error.is_none())),
    ("penetration", |r| r.penetration),
    ("resting", |r| r.asleep as f64),
];

/// The columns of `ledger.csv` after the time, by name.
pub fn ledger_values(ledger: &Ledger) -> impl Iterator<Item = (&'static str, f64)> {
    LEDGER.iter().map(move |(name, value)| (*name, value(ledger)))
}

/// The columns of `steps.csv` after the time, by name, for one step.
pub fn report_values(report: &StepReport) -> impl Iterator<Item = (&'static str, f64)> {
    STEPS.iter().map(move |(name, value)| (*name, value(report)))
}

/// Curves of the energy plot: columns of `ledger.csv`, and what they are called.
const ENERGIES: [(&str, &str); 20] = [
    ("kinetic", "kinetic"),
    ("potential", "potential, since start"),
    ("elastic", "elastic"),
    ("external_work", "work of forces"),
    ("boundary_work", "work of boundaries"),
    ("friction_loss", "lost by friction"),
    ("impact_loss", "lost by impact"),
    ("damping_loss", "lost by damping"),
    ("rest_loss", "lost in coming to rest"),
    ("recovery_work", "given by recovery"),
    ("cohesion_work", "work of cohesion"),
    ("springs", "in springs"),
    ("atomisation_work", "error of atomisation"),
    ("joint_work", "given by joints"),
    ("bonds", "in bonds"),
    ("rupture_loss", "lost by rupture"),
    ("drag_loss", "lost by drag"),
    ("scheme_work", "scheme error"),
    ("inserted", "inserted"),
    ("intervention", "set from outside"),
];

/// The samples of a run so far.
#[derive(Default)]
pub(super) struct Curves {
    times: Vec<f64>,
    ledgers: Vec<[f64; LEDGER.len()]>,
    steps: Vec<[f64; STEPS.len()]>,
}

impl Curves {
    pub fn push(&mut self, time: f64, ledger: [f64; LEDGER.len()], steps: [f64; STEPS.len()]) {
        self.times.push(time);
        self.ledgers.push(ledger);
        self.steps.push(steps);
    }
    /// The samples that the tables of a run hold.
    pub fn read(directory: &Path) -> Result<Self, RecordError> {
        let rows = |name: &str, columns: &[&str]| {
            let path = directory.join(name);
            let (found, rows) = crate::table::read(&path)?;
            let same = found.len() == columns.len() + 1
                && found[1..].iter().zip(columns).all(|(found, column)| found == column);
            let other = || RecordError::damaged(&path, "its columns are those of another version");
            if same { Ok(rows) } else { Err(other()) }
        };
        let ledgers = rows("ledger.csv", &LEDGER.map(|(name, _)| name))?;
        let steps = rows("steps.csv", &STEPS.map(|(name, _)| name))?;
        let mut curves = Self::default();
        for (ledger, step) in ledgers.iter().zip(&steps) {
            let (ledger_row, step_row) = (&ledger[1..], &step[1..]);
            let ledger_row = std::array::from_fn(|i| ledger_row[i]);
            curves.push(ledger[0], ledger_row, std::array::from_fn(|i| step_row[i]));
        }
        Ok(curves)
    }
    /// A column of the ledger.
    fn ledger(&self, name: &str) -> Vec<f64> {
        let column = LEDGER.iter().position(|(n, _)| *n == name);
        let column = column.expect("the plot names columns of the ledger");
        self.ledgers.iter().map(|row| row[column]).collect()
    }
    /// Writes all plots.
    pub fn write(&self, directory: &Path, title: &str, tolerance: f64) -> Result<(), RecordError> {
        for (name, plot) in
            [("energy", self.energy(title)), ("solver", self.solver(title, tolerance))]
        {
            let mut print = Print::new(1280, 860);
            plot.draw(&mut print);
            print.write(&directory.join(name))?;
        }
        Ok(())
    }

    /// Energies from their start: potential energy is shown by its change, since its zero is
    /// arbitrary and its size would hide all others. What never matters is left out.
    fn energy(&self, title: &str) -> Plot {
        let mut series: Vec<Series> = Vec::new();
        for (index, (column, name)) in ENERGIES.into_iter().enumerate() {
            let mut values = self.ledger(column);
            if column == "potential" {
                let zero = values.first().copied().unwrap_or(0.0);
                values.iter_mut().for_each(|value| *value -= zero);
            }
            let colour = PALETTE[index % PALETTE.len()];
            series.push(Series { name: name.to_owned(), colour, values });
        }
        let largest = |s: &Series| {
            s.values.iter().map(|v| v.abs()).filter(|v| v.is_finite()).fold(0.0, f64::max)
        };
        let all = series.iter().map(largest).fold(0.0, f64::max);
        // The first two are always shown.
        let mut index = 0;
        series.retain(|s| {
            index += 1;
            index <= 2 || largest(s) > 1e-4 * all
        });
        let closure = Series {
            name: "closure".to_owned(),
            colour: Colour::INK,
            values: self.ledger("closure"),
        };
        Plot {
            title: format!("{title}: energy"),
            times: self.times.clone(),
            panels: vec![
                Panel { axis: axis("energy", "J", Scale::Linear), series, weight: 3.0 },
                Panel {
                    axis: axis("closure", "", Scale::Logarithmic),
                    series: vec![closure],
                    weight: 1.0,
                },
            ],
        }
    }

    /// A column of the steps.
    fn step(&self, name: &str) -> Vec<f64> {
        let column = STEPS.iter().position(|(n, _)| *n == name);
        let column = column.expect("the plot names columns of the steps");
        self.steps.iter().map(|row| row[column]).collect()
    }

    fn solver(&self, title: &str, tolerance: f64) -> Plot {
        let column = |column: &str, name: &str, colour: Colour| Series {
            name: name.to_owned(),
            colour,
            values: self.step(column),
        };
        let asked = Series {
            name: "tolerance".to_owned(),
            colour: Colour::FORCE,
            values: vec![tolerance; self.times.len()],
        };
        let panel = |label, unit, scale, series| Panel {
            axis: axis(label, unit, scale),
            series,
            weight: 1.0,
        };
        // Where sweeps approach nothing, the error has no bound: the curve has a gap there.
        let mut error = column("error", "error of the step", PALETTE[1]);
        for value in error.values.iter_mut().filter(|value| **value == f64::MAX) {
            *value = f64::INFINITY;
        }
        let errors = vec![
            column("residual", "residual", PALETTE[0]),
            column("residual_scale_free", "scale-free", PALETTE[4]),
            error,
            asked,
        ];
        Plot {
            title: format!("{title}: solver"),
            times: self.times.clone(),
            panels: vec![
                panel(
                    "contacts",
                    "",
                    Scale::Linear,
                    vec![column("contacts", "contacts", PALETTE[0])],
                ),
                panel(
                    "iterations",
                    "",
                    Scale::Linear,
                    vec![column("iterations", "iterations", PALETTE[0])],
                ),
                panel("residual and error", "", Scale::Logarithmic, errors),
                panel(
                    "penetration",
                    "m",
                    Scale::Linear,
                    vec![column("penetration", "penetration", PALETTE[0])],
                ),
            ],
        }
    }
}

fn axis(label: &str, unit: &str, scale: Scale) -> Axis {
    Axis { label: label.to_owned(), unit: unit.to_owned(), scale }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each panel shows the column that it names.
    #[test]
    fn the_solver_plot_shows_residuals_and_error() {
        let report = StepReport {
            contacts: 1,
            iterations: 2,
            newton: 3,
            residual: 4.0,
            residual_scale_free: 5.0,
            error: Some(drystone_engine::ErrorEstimate { value: 6.0, ..Default::default() }),
            penetration: 7.0,
            ..StepReport::default()
        };
        let mut curves = Curves::default();
        curves.push(0.0, [0.0; LEDGER.len()], STEPS.map(|(_, value)| value(&report)));
        let plot = curves.solver("x", 8.0);
        let shown = plot.panels.iter().flat_map(|panel| &panel.series).map(|one| one.values[0]);
        assert_eq!(shown.collect::<Vec<f64>>(), [1.0, 2.0, 4.0, 5.0, 6.0, 8.0, 7.0]);
    }

    /// An error without a bound leaves a gap, and does not take the axis with it.
    #[test]
    fn errors_without_a_bound_are_not_drawn() {
        let mut curves = Curves::default();
        for (time, error) in [(0.0, 1e-3), (1.0, f64::MAX), (2.0, 1e-4)] {
            let values = STEPS.map(|(name, _)| if name == "error" { error } else { 0.0 });
            curves.push(time, [0.0; LEDGER.len()], values);
        }
        let plot = curves.solver("x", 1e-3);
        assert_eq!(plot.panels[2].series[2].values, [1e-3, f64::INFINITY, 1e-4]);
        plot.draw(&mut Print::new(400, 300));
    }

    #[test]
    fn energies_that_never_matter_are_left_out() {
        let mut curves = Curves::default();
        for i in 0..5 {
            let t = f64::from(i);
            let ledger = Ledger { potential: 1e6 - t, friction_loss: t, ..Ledger::default() };
            curves.push(t, LEDGER.map(|(_, value)| value(&ledger)), [0.0; STEPS.len()]);
        }
        let plot = curves.energy("x");
        let names: Vec<&str> = plot.panels[0].series.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names, ["kinetic", "potential, since start", "lost by friction"]);
        assert_eq!(plot.panels[0].series[1].values, [0.0, -1.0, -2.0, -3.0, -4.0]);
    }
}
