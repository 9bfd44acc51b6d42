//! What was explored, as a text, a table, a picture, and figures.

use super::{Explored, Sample, Vary};
use crate::Error;
use crate::analysis::write_json;
use drystone_record::cloud::{Cloud, Force};
use drystone_record::draw::Print;
use drystone_record::plot::quantity;
use drystone_record::table::Table;
use drystone_space::DVec2;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

impl Explored {
    /// The contact and what meets there.
    fn name(&self) -> String {
        let [first, second] = &self.about.bodies;
        format!("{}: {first} on {second}", self.contact)
    }

    /// Writes `cloud.csv`, `cloud.png`, `cloud.svg` and `exploration.json` into a folder.
    pub fn write(&self, folder: &Path) -> Result<(), Error> {
        std::fs::create_dir_all(folder).map_err(|source| Error::file(folder, source))?;
        self.write_table(&folder.join("cloud.csv"))?;
        let cloud = self.cloud();
        let (width, height) = cloud.size();
        let mut print = Print::new(width, height);
        cloud.draw(&mut print);
        print.write(&folder.join("cloud"))?;
        write_json(&folder.join("exploration.json"), &self.figures())
    }

    fn write_table(&self, path: &Path) -> Result<(), Error> {
        let names = || self.components.iter().map(|component| component.name);
        let velocities = names().map(|name| format!("velocity_{name}"));
        let others = ["residual", "residual_scale_free", "iterations"].map(str::to_owned);
        let columns: Vec<String> =
            names().map(str::to_owned).chain(velocities).chain(others).collect();
        let mut table = Table::create(path.to_owned(), &columns)?;
        for Sample { force, velocity, residual, iterations } in &self.samples {
            let each = force[..self.dimension].iter().chain(&velocity[..self.dimension]);
            let others = [residual.relative, residual.scale_free, *iterations as f64];
            table.row(each.copied().chain(others).map(Some))?;
        }
        Ok(table.flush()?)
    }

    /// The forces of all samples over the cone of friction.
    pub fn cloud(&self) -> Cloud {
        let of =
            |force: [f64; 3]| Force { normal: force[0], tangent: DVec2::new(force[1], force[2]) };
        let own = |i: usize| self.components.get(i).map_or(0.0, |component| component.own);
        Cloud {
            title: format!("{}: contact {}, t = {:.6} s", self.title, self.name(), self.start),
            in_space: self.dimension == 3,
            friction: self.friction,
            forces: self.samples.iter().map(|sample| of(sample.force)).collect(),
            own: of([own(0), own(1), own(2)]),
        }
    }

    /// All single figures, as JSON.
    pub fn figures(&self) -> Value {
        let solved = self.solved > 0;
        let component = |component: &super::Component| {
            json!({
                "name": component.name,
                "axis": component.axis[..self.dimension],
                "lowest": solved.then_some(component.lowest),
                "highest": solved.then_some(component.highest),
                "own": component.own,
            })
        };
        json!({
            "scene": self.title,
            "time": self.start,
            "time_step": self.time_step,
            "contact": self.contact,
            "bodies": self.about.bodies,
            "point": self.about.point[..self.dimension],
            "friction": self.friction,
            "by": if self.options.vary == Vary::Start { "start" } else { "order" },
            "seed": self.options.seed,
            "tolerance": self.options.tolerance,
            "samples": self.options.samples,
            "solved": self.solved,
            "unit": "N",
            "forces": self.components.iter().map(component).collect::<Vec<_>>(),
            "velocities_unique": solved.then_some(self.velocities_are_unique),
            "velocity_spread": solved.then_some(self.velocity_spread),
            "contacts": self.contacts,
            "contacts_determined": solved.then_some(self.determined),
            "contacts_with_determined_normal_force": solved.then_some(self.determined_normal),
        })
    }

    /// What a user reads.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut line = |label: &str, value: &str| {
            writeln!(text, "{label:<12} {value}").expect("writing to a string does not fail");
        };
        let (count, asked) = (self.contacts, self.options.samples);
        line("scene", &self.title);
        line("step", &format!("from t = {:.6} s, {count} contacts", self.start));
        line("contact", &self.name());
        let varied = match self.options.vary {
            Vary::Start => "random starts",
            Vary::Order => "random orders of the sweep",
        };
        let (solved, tolerance) = (self.solved, self.options.tolerance);
        let left = asked - solved;
        line(
            "samples",
            &format!("{asked} {varied}: {solved} solved to {tolerance:e}, {left} left out"),
        );
        if solved == 0 {
            line("", "none was solved: allow more sweeps in the scene, or a larger tolerance");
            return text;
        }
        self.describe_forces(&mut line);
        self.describe_velocities(&mut line);
        let (determined, normal) = (self.determined, self.determined_normal);
        line(
            "determined",
            &format!("the force of {determined} of {count} contacts, the normal force of {normal}"),
        );
        text
    }

    fn describe_forces(&self, line: &mut impl FnMut(&str, &str)) {
        line(
            "forces",
            &format!("{:<10} {:>14} {:>14} {:>14}", "(N)", "lowest", "highest", "the run's"),
        );
        let size = self.force_size;
        for component in &self.components {
            let super::Component { name, lowest: low, highest: high, own, .. } = *component;
            let verdict = if component.is_determined(self) {
                "determined".to_owned()
            } else {
                let (open, size) = ((high - low) / size, quantity(size, "N"));
                format!("open by {open:.3} of the largest force, {size}")
            };
            let name = name.replace('_', " ");
            line("", &format!("{name:<10} {low:>14.6} {high:>14.6} {own:>14.6}  {verdict}"));
        }
    }

    fn describe_velocities(&self, line: &mut impl FnMut(&str, &str)) {
        let (spread, size) = (self.velocity_spread, quantity(self.velocity_size, "m/s"));
        if self.velocities_are_unique {
            line("velocities", &format!("unique: they differ by at most {spread:.1e} of {size}"));
            line("", "so that the resultant of the forces on each body is determined");
        } else {
            line("velocities", &format!("not unique: they differ by {spread:.2} of {size}"));
            line("", "so that the step has more than one future; the forces at its start decide");
        }
    }
}
