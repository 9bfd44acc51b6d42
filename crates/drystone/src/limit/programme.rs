//! The cone programme: the least of a linear function of contact forces that balance all bodies and stay in their cones.
//!
//! minimise c·x with E x = b and (μ n, t) in Lorentz's cone for each contact, by Clarabel's interior points. In the plane
//! each cone is two inequalities, so that the programme is linear. The multipliers of E x = b are velocities of the bodies:
//! at the least value contacts separate or slide with the dilation that an associated law of friction has.

use crate::Error;
use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettingsBuilder, DefaultSolver, IPSolver, SolverStatus, SupportedConeT,
};

/// Relative error that is asked of a solution. It is one iteration more than 1e-10 takes, and forces that balance nearly are told from
/// those that do.
const TOLERANCE: f64 = 1e-12;

/// Error at which a solution is still taken.
const ENOUGH: f64 = 1e-9;

fn unsolved(why: &str) -> Error {
    Error::Unfit(format!(
        "the cone programme was not solved ({why}): loads or sizes may be too far apart"
    ))
}

/// Entries of a sparse matrix, in any order.
#[derive(Clone, Debug, Default)]
pub struct Entries {
    rows: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
}

impl Entries {
    /// Adds to an entry.
    pub fn push(&mut self, row: usize, column: usize, value: f64) {
        self.rows.push(row);
        self.columns.push(column);
        self.values.push(value);
    }
}

/// Equilibrium and cones; forces come first among the unknowns, a contact's normal one before its tangential ones.
#[derive(Clone, Debug)]
pub struct Programme {
    /// Components of each force.
    pub dimension: usize,
    /// Coulomb's coefficient of each contact; infinite where nothing slides.
    pub friction: Vec<f64>,
    /// Unknowns besides the forces, which are free.
    pub others: usize,
    /// E.
    pub balance: Entries,
    /// b.
    pub right: Vec<f64>,
}

/// What is known of the least value.
#[derive(Clone, Debug)]
pub enum Answer {
    /// It is there: the unknowns, and the multipliers of equilibrium.
    Found { unknowns: Vec<f64>, multipliers: Vec<f64> },
    /// Nothing balances the loads.
    Impossible,
    /// It has no bound.
    Unbounded,
}

/// How near to balance forces in the cones come.
#[derive(Clone, Debug)]
pub struct Balance {
    /// The largest component of what is left of any body's balance.
    pub rest: f64,
    /// The forces.
    pub unknowns: Vec<f64>,
    /// The motion that shows that they come no nearer.
    pub multipliers: Vec<f64>,
}

impl Programme {
    /// The least of `goal · x`.
    pub fn least(&self, goal: &[f64]) -> Result<Answer, Error> {
        let kinds = vec![SupportedConeT::ZeroConeT(self.right.len())];
        self.solve(goal, self.balance.clone(), self.right.clone(), kinds)
    }

    /// Forces in the cones that leave as little of every balance as can be: |E x − b| ≤ t, t ≥ 0 as small as can be. Unlike
    /// E x = b there are such forces however near to its limit a structure is, and a motion that shows it.
    pub fn nearest(&self) -> Result<Balance, Error> {
        let (count, rest) = (self.right.len(), self.size());
        let mut both = Entries::default();
        let Entries { rows, columns, values } = &self.balance;
        for ((&row, &column), &value) in rows.iter().zip(columns).zip(values) {
            both.push(row, column, value);
            both.push(count + row, column, -value);
        }
        (0..=2 * count).for_each(|row| both.push(row, rest, -1.0));
        let mut right = self.right.clone();
        right.extend(self.right.iter().map(|value| -value));
        right.push(0.0);
        let mut goal = vec![0.0; rest];
        goal.push(1.0);
        let kinds = vec![SupportedConeT::NonnegativeConeT(2 * count + 1)];
        let whole = Self { others: self.others + 1, ..self.clone() };
        match whole.solve(&goal, both, right, kinds)? {
            Answer::Found { mut unknowns, multipliers } => {
                let rest = unknowns.pop().unwrap_or(0.0);
                let (up, down) = multipliers.split_at(count);
                let multipliers = up.iter().zip(down).map(|(up, down)| up - down).collect();
                Ok(Balance { rest, unknowns, multipliers })
            }
            _ => Err(unsolved("no forces at all")),
        }
    }

    /// Number of unknowns.
    fn size(&self) -> usize {
        self.friction.len() * self.dimension + self.others
    }

    fn solve(
        &self,
        goal: &[f64],
        balance: Entries,
        mut right: Vec<f64>,
        mut kinds: Vec<SupportedConeT<f64>>,
    ) -> Result<Answer, Error> {
        let (size, count) = (self.size(), right.len());
        let mut all = balance;
        let mut row = count;
        row = self.inequalities(&mut all, &mut kinds, row);
        row = self.circles(&mut all, &mut kinds, row);
        let matrix = CscMatrix::new_from_triplets(row, size, all.rows, all.columns, all.values);
        right.resize(row, 0.0);
        let settings = DefaultSettingsBuilder::default()
            .verbose(false)
            .max_iter(400)
            .tol_gap_abs(TOLERANCE)
            .tol_gap_rel(TOLERANCE)
            .tol_feas(TOLERANCE)
            .build()
            .map_err(|error| Error::Unfit(format!("limit analysis: {error}")))?;
        let none = CscMatrix::zeros((size, size));
        let mut solver = DefaultSolver::new(&none, goal, &matrix, &right, &kinds, settings)
            .map_err(|error| Error::Unfit(format!("limit analysis: {error}")))?;
        solver.solve();
        let solution = &solver.solution;
        let multipliers = || solution.z[..count].to_vec();
        // Where its last digits are out of reach, what was reached is judged.
        let near = solution.r_prim.max(solution.r_dual) <= ENOUGH
            && (solution.obj_val - solution.obj_val_dual).abs()
                <= ENOUGH * solution.obj_val.abs().max(1.0);
        let found = || Answer::Found { unknowns: solution.x.clone(), multipliers: multipliers() };
        match solution.status {
            SolverStatus::Solved => Ok(found()),
            SolverStatus::PrimalInfeasible | SolverStatus::AlmostPrimalInfeasible => {
                Ok(Answer::Impossible)
            }
            SolverStatus::DualInfeasible | SolverStatus::AlmostDualInfeasible => {
                Ok(Answer::Unbounded)
            }
            _ if near => Ok(found()),
            status => Err(unsolved(&format!("{status:?}"))),
        }
    }

    /// μ n ± t ≥ 0 in the plane; n ≥ 0, and t = 0, without friction; n ≥ 0 alone where nothing slides.
    fn inequalities(
        &self,
        all: &mut Entries,
        kinds: &mut Vec<SupportedConeT<f64>>,
        first: usize,
    ) -> usize {
        let mut row = first;
        for (contact, &friction) in self.friction.iter().enumerate() {
            let normal = contact * self.dimension;
            if friction == 0.0 || friction.is_infinite() {
                all.push(row, normal, -1.0);
                row += 1;
            } else if self.dimension == 2 {
                for sign in [1.0, -1.0] {
                    all.push(row, normal, -friction);
                    all.push(row, normal + 1, sign);
                    row += 1;
                }
            }
        }
        if row > first {
            kinds.push(SupportedConeT::NonnegativeConeT(row - first));
        }
        let second = row;
        for contact in (0..self.friction.len()).filter(|&c| self.friction[c] == 0.0) {
            for tangent in 1..self.dimension {
                all.push(row, contact * self.dimension + tangent, 1.0);
                row += 1;
            }
        }
        if row > second {
            kinds.push(SupportedConeT::ZeroConeT(row - second));
        }
        row
    }

    /// (μ n, t) in Lorentz's cone, in space.
    fn circles(
        &self,
        all: &mut Entries,
        kinds: &mut Vec<SupportedConeT<f64>>,
        first: usize,
    ) -> usize {
        let mut row = first;
        for (contact, &friction) in self.friction.iter().enumerate() {
            if self.dimension == 2 || friction == 0.0 || friction.is_infinite() {
                continue;
            }
            for part in 0..self.dimension {
                let factor = if part == 0 { friction } else { 1.0 };
                all.push(row, contact * self.dimension + part, -factor);
                row += 1;
            }
            kinds.push(SupportedConeT::SecondOrderConeT(self.dimension));
        }
        row
    }
}
