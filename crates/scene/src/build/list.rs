//! Disks or spheres whose places are listed in a file.

use super::Builder;
use super::dimension::Dimension;
use super::generate::Group;
use crate::format::GrainList;
use crate::quantity::{Length, Unit, Velocity};
use crate::report::{Draft, Source};
use drystone_space::{Pose, Vector};
use miette::NamedSource;
use std::ops::Range;
use std::sync::Arc;

/// Bad lines that are told of.
const LISTED: usize = 10;

/// Place, radius and velocity of a grain.
struct Grain<V> {
    centre: V,
    radius: f64,
    velocity: V,
}

impl<S: Dimension> Builder<'_, S> {
    pub(super) fn list(&mut self, table: &GrainList, mut group: Group) -> Option<()> {
        let material = self.materials.find(&table.material, self.problems)?;
        self.simple(S::round(1.0), material, table.material.span)?;
        let grains = self.listed(table)?;
        if !self.room(grains.len(), table.file.span) {
            return None;
        }
        group.origin.velocity = Some(table.file.span);
        for Grain { centre, radius, velocity } in grains {
            let body = self.simple(S::round(radius), material, table.material.span)?;
            self.member(body, &Pose::at(centre), velocity, &mut group);
        }
        Some(())
    }

    /// All grains of the file; `None` after problems.
    fn listed(&mut self, table: &GrainList) -> Option<Vec<Grain<S::Vector>>> {
        let name = &table.file.value;
        let text = match self.around.files.read(name) {
            Ok(text) => text,
            Err(error) => {
                let draft = Draft::error(table.file.span, format!("`{name}` cannot be read"));
                self.problems.push(draft.found(error.to_string()).expected("a list of grains"));
                return None;
            }
        };
        let path = self.around.files.path(name).display().to_string();
        let source: Source = NamedSource::new(path, Arc::from(text.as_str()));
        let skip = table.skip.as_ref().map_or(0, |lines| lines.value as usize);
        let (mut grains, mut problems) = (Vec::new(), 0);
        let mut next = 0;
        for (number, line) in text.split_inclusive('\n').enumerate() {
            let start = next;
            next += line.len();
            let cells = cells(line, start);
            let number_free = || cells.iter().all(|c| text[c.clone()].parse::<f64>().is_err());
            let comment = line.trim_start().starts_with('#');
            // A first line without a number names the columns.
            if number < skip || cells.is_empty() || comment || (number == skip && number_free()) {
                continue;
            }
            match self.grain_of(&text, &cells, start..start + line.trim_end().len()) {
                Ok(grain) => grains.push(grain),
                Err(draft) => {
                    self.problems.push_in(&source, draft);
                    problems += 1;
                    if problems == LISTED {
                        break;
                    }
                }
            }
        }
        if grains.is_empty() && problems == 0 {
            let draft = Draft::error((0..0).into(), "no grain in the list");
            self.problems.push_in(&source, draft.expected(columns::<S>()));
        }
        (problems == 0 && !grains.is_empty()).then_some(grains)
    }

    fn grain_of(
        &self,
        text: &str,
        cells: &[Range<usize>],
        line: Range<usize>,
    ) -> Result<Grain<S::Vector>, Draft> {
        let n = S::DIMENSION;
        if cells.len() != n + 1 && cells.len() != 2 * n + 1 {
            let draft = Draft::error(line.into(), "line with a wrong number of columns");
            return Err(draft.found(format!("{} columns", cells.len())).expected(columns::<S>()));
        }
        let units = &self.around.units;
        let number = |place: usize| -> Result<f64, Draft> {
            let cell = cells[place].clone();
            let value = text[cell.clone()].parse::<f64>().ok().map(|value| {
                if place > n {
                    units.si::<Velocity>(value, n)
                } else {
                    units.si::<Length>(value, n)
                }
            });
            let largest = if place > n { Velocity::LARGEST } else { Length::LARGEST };
            let (low, what) = if place == n {
                (f64::MIN_POSITIVE, "a positive radius")
            } else {
                (-largest, "a number")
            };
            value.filter(|value| (low..=largest).contains(value)).ok_or_else(|| {
                let draft = Draft::error(cell.clone().into(), "cell without meaning");
                let expected = format!("{what}, no larger than {largest:e} in SI units");
                draft.found(format!("{:?}", &text[cell])).expected(expected)
            })
        };
        let numbers = (0..cells.len()).map(number).collect::<Result<Vec<f64>, Draft>>()?;
        Ok(Grain {
            centre: S::Vector::from_fn(|i| numbers[i]),
            radius: numbers[n],
            velocity: S::Vector::from_fn(|i| numbers.get(n + 1 + i).copied().unwrap_or(0.0)),
        })
    }
}

/// What a line holds.
fn columns<S: Dimension>() -> String {
    match S::DIMENSION {
        2 => "lines `x y radius`, or `x y radius vx vy`".to_owned(),
        _ => "lines `x y z radius`, or `x y z radius vx vy vz`".to_owned(),
    }
}

/// The cells of a line, as places in the whole text.
fn cells(line: &str, start: usize) -> Vec<Range<usize>> {
    let parts = line.split(|c: char| c.is_whitespace() || c == ',' || c == ';');
    parts
        .filter(|part| !part.is_empty())
        .map(|part| {
            let offset = start + (part.as_ptr() as usize - line.as_ptr() as usize);
            offset..offset + part.len()
        })
        .collect()
}
