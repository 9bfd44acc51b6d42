//! A spring with a damper whose forces are tables: by the coordinate s, by its speed, or both, beside what grows in proportion.
//!
//! Over a step of length h from s₀ to s₁,
//!
//! > ℓ P_n = −h [ k (s̄ − r) + d v̄ + f̄ + D(v̄) ],  s̄ = ½(s₀ + s₁),  v̄ = ½(v₀ + v₁),
//!
//! f̄ being the mean of the table f between s₀ and s₁: so that −f̄ (s₁ − s₀) is just what the integral of f loses, however many
//! kinks are passed in a step. ℓ is a length by which angles become lengths, and U_n = ℓ v₁. P_t = 0.

use crate::{Block, Blocks};
use drystone_space::{Local, Table, Vector};
use std::marker::PhantomData;
use std::sync::Arc;

/// Most halvings of the interval in which the velocity is sought.
const ROUNDS: usize = 200;

/// Force by coordinate and by speed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Characteristic {
    /// k.
    pub stiffness: f64,
    /// r.
    pub rest: f64,
    /// d.
    pub damping: f64,
    /// f, by the coordinate.
    pub forces: Option<Arc<Table>>,
    /// D, by the speed; it has the sign of the speed, and is zero at rest.
    pub resistances: Option<Arc<Table>>,
}

impl Characteristic {
    /// Whether there is a table in it.
    pub fn has_tables(&self) -> bool {
        self.forces.is_some() || self.resistances.is_some()
    }

    /// The place about which angles are counted, where whole turns are not known: the middle of the table, or r.
    pub fn near(&self) -> f64 {
        let ends = |table: &Arc<Table>| 0.5 * (table.first() + table.last());
        self.forces.as_ref().map_or(self.rest, ends)
    }

    /// What opposes a coordinate that goes from one place to another with this mean speed.
    pub fn force(&self, from: f64, to: f64, speed: f64) -> f64 {
        let held = self.forces.as_ref().map_or(0.0, |table| table.mean(from, to));
        self.stiffness * (0.5 * (from + to) - self.rest) + held + self.resistance(speed)
    }

    /// What of it takes energy.
    pub fn resistance(&self, speed: f64) -> f64 {
        self.damping * speed + self.resistances.as_ref().map_or(0.0, |table| table.sample(speed).0)
    }

    /// The energy that is stored at a place; zero where the spring, and the table by itself, are without force.
    pub fn energy(&self, at: f64) -> f64 {
        let held = self.forces.as_ref().map_or(0.0, |table| table.integral(at));
        0.5 * self.stiffness * (at - self.rest) * (at - self.rest) + held
    }

    /// Whether stiffness and damping are numbers from zero on, and resistances never drive.
    pub fn is_sound(&self) -> bool {
        let number = |x: f64| x >= 0.0 && x.is_finite();
        number(self.stiffness)
            && number(self.damping)
            && self.rest.is_finite()
            && self.resistances.as_ref().is_none_or(|table| opposes(table))
    }
}

/// Whether a force by speed has the sign of the speed, and is zero at rest.
fn opposes(table: &Table) -> bool {
    table.sample(0.0).0 == 0.0 && table.points().all(|(speed, force)| speed * force >= 0.0)
}

/// The law of one contact that is such a spring, in a step.
#[derive(Clone, Debug, PartialEq)]
pub struct TableSpring<S: Blocks> {
    /// Its forces.
    pub of: Characteristic,
    /// h.
    pub time_step: f64,
    /// ℓ.
    pub lever: f64,
    /// The coordinate at the midpoint of the step.
    pub middle: f64,
    /// v₀.
    pub before: f64,
    space: PhantomData<S>,
}

impl<S: Blocks> TableSpring<S> {
    /// The law in a step of this length, by its coordinate at the midpoint and its speed before.
    pub fn new(of: Characteristic, time_step: f64, lever: f64, middle: f64, before: f64) -> Self {
        Self { of, time_step, lever, middle, before, space: PhantomData }
    }

    /// Whether all is a number, and nothing drives.
    pub fn is_sound(&self) -> bool {
        let numbers = [self.middle, self.before, self.lever, self.time_step];
        self.of.is_sound() && numbers.iter().all(|x| x.is_finite()) && self.lever > 0.0
    }

    /// −P_n where U_n is this.
    fn push(&self, velocity: f64) -> f64 {
        let (half, after) = (0.5 * self.time_step, velocity / self.lever);
        let (from, to) = (self.middle - half * self.before, self.middle + half * after);
        self.time_step * self.of.force(from, to, 0.5 * (self.before + after)) / self.lever
    }

    /// P_n where U_n − H P_n is this: the root of x + H push(x) − w, which is between w and w − H push(w), since push rises. Where it
    /// falls, by less than 1/H, the interval is made wider until it holds the root.
    fn answer(&self, alone: f64, response: f64) -> f64 {
        let miss = |x: f64| x + response * self.push(x) - alone;
        let mut a = (alone, miss(alone));
        let mut way = -a.1;
        let mut b = (alone + way, miss(alone + way));
        for _ in 0..ROUNDS {
            if a.1 * b.1 <= 0.0 || way == 0.0 {
                break;
            }
            way *= 2.0;
            b = (alone + way, miss(alone + way));
        }
        for round in 0..ROUNDS {
            if a.1 == 0.0 || b.1 == 0.0 || a.0 == b.0 {
                break;
            }
            // A chord ends at once where the law is straight; halves are sure.
            let chord = a.0 - a.1 * ((b.0 - a.0) / (b.1 - a.1));
            let inside = (chord - a.0) * (chord - b.0) < 0.0;
            let x = if inside && round % 3 != 2 { chord } else { 0.5 * (a.0 + b.0) };
            if x == a.0 || x == b.0 {
                break;
            }
            let found = (x, miss(x));
            if found.1 * a.1 > 0.0 { a = found } else { b = found }
        }
        let root = if a.1.abs() < b.1.abs() { a.0 } else { b.0 };
        // Not −push(root), which has the rounding of the root times what is stiff.
        (root - alone) / response
    }

    /// All of the normal axis.
    pub fn project(&self, impulse: S::Local) -> S::Local {
        S::Local::new(impulse.normal(), S::Tangent::ZERO)
    }

    /// P less the impulse that the law has where a contact with the response a is left with U and P: zero exactly where the law holds.
    pub fn natural_map(&self, velocity: S::Local, impulse: S::Local, a: f64) -> S::Local {
        let p = impulse.normal();
        let p = p - self.answer(velocity.normal() - p / a, 1.0 / a);
        S::Local::new(p, impulse.tangent())
    }

    /// The impulse that satisfies the law while all others are frozen.
    pub fn solve(&self, block: &S::Block, velocity: S::Local, impulse: S::Local) -> S::Local {
        let response = block.normal();
        let alone = velocity.normal() - response * impulse.normal();
        S::Local::new(self.answer(alone, response), S::Tangent::ZERO)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_space::{Local2, Plane};

    fn table(points: &[(f64, f64)]) -> Option<Arc<Table>> {
        let (x, y) = points.iter().copied().unzip();
        Some(Arc::new(Table::new(x, y).unwrap()))
    }

    fn block(response: f64) -> <Plane as Blocks>::Block {
        Block::<Plane>::new(
            |axis| match axis {
                0 => Local2 { n: response, t: 0.0 },
                _ => Local2 { n: 0.0, t: 1.0 },
            },
            0.0,
        )
    }

    /// Soft, stiff, saturating and falling tables: after the solve the law holds, by its own words and by the judge's.
    #[test]
    fn the_law_holds_after_its_solve() {
        let laws = [
            (table(&[(0.0, 0.0), (1.0, 1e9), (2.0, 3e9)]), None),
            (table(&[(0.99, 0.0), (1.0, 20.0), (1.01, -5.0), (1.5, 40.0)]), None),
            (None, table(&[(-1e-4, -7.0), (1e-4, 7.0)])),
            (table(&[(0.9, -3.0), (1.1, 3.0)]), table(&[(-1.0, -9.0), (0.0, 0.0), (3.0, 100.0)])),
        ];
        for (forces, resistances) in laws {
            let of = Characteristic { damping: 0.1, forces, resistances, ..Default::default() };
            let law = TableSpring::<Plane>::new(of, 1e-3, 0.7, 1.002, -3.0);
            assert!(law.is_sound());
            for response in [0.3, 20.0] {
                for speed in [-40.0, -0.01, 3.0, 500.0] {
                    let (velocity, start) =
                        (Local2 { n: speed, t: 0.2 }, Local2 { n: 0.4, t: 0.0 });
                    let found = law.solve(&block(response), velocity, start);
                    let after = speed + response * (found.n - start.n);
                    let left = found.n + law.push(after);
                    assert!(left.abs() < 1e-9 * (1.0 + found.n.abs()), "{left:e} {found:?}");
                    let miss = law.natural_map(Local2 { n: after, t: 0.0 }, found, 0.7);
                    assert!(miss.n.abs() < 1e-9 * (1.0 + found.n.abs()), "{miss:?} {found:?}");
                    let off = law.natural_map(Local2 { n: after + 1.0, t: 0.0 }, found, 0.7);
                    assert!(off.n.abs() > 1e-7, "{off:?}");
                }
            }
        }
    }

    #[test]
    fn a_damper_that_drives_is_refused() {
        for points in
            [[(-1.0, 2.0), (1.0, 2.0)], [(0.5, 1.0), (1.0, 2.0)], [(0.0, 0.0), (1.0, -2.0)]]
        {
            let of = Characteristic { resistances: table(&points), ..Default::default() };
            assert!(!of.is_sound(), "{points:?}");
        }
    }
}
