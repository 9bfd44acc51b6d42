//! Disks or spheres whose places are listed in a file.

use super::Builder;
use super::dimension::SceneSpace;
use super::generate::Group;
use super::rows::Row;
use crate::format::GrainList;
use crate::quantity::{Length, Unit, Velocity};
use crate::report::Draft;
use drystone_space::{Pose, Vector};

/// Place, radius and velocity of a grain.
struct Grain<V> {
    centre: V,
    radius: f64,
    velocity: V,
}

impl<S: SceneSpace> Builder<'_, S> {
    pub(super) fn list(&mut self, table: &GrainList, mut group: Group) -> Option<()> {
        let material = self.materials.find(&table.material, self.problems)?;
        self.simple(S::round(1.0), material, table.material.span)?;
        let skip = table.skip.as_ref().map_or(0, |lines| lines.value as usize);
        let (grains, _) = self.rows(&table.file, skip, columns::<S>(), Self::grain_of)?;
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

    fn grain_of(&self, text: &str, row: &Row) -> Result<Grain<S::Vector>, Draft> {
        let (n, cells) = (S::DIMENSION, &row.cells);
        if cells.len() != n + 1 && cells.len() != 2 * n + 1 {
            let draft =
                Draft::error(row.line.clone().into(), "line with a wrong number of columns");
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
fn columns<S: SceneSpace>() -> &'static str {
    match S::DIMENSION {
        2 => "lines `x y radius`, or `x y radius vx vy`",
        _ => "lines `x y z radius`, or `x y z radius vx vy vz`",
    }
}
