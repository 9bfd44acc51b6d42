//! The matrix A + G*BG of a contact problem in the unknowns of its movers, factored by fronts.
//!
//! A mover has W unknowns: velocity, then spin. Two movers that touch in many points share one block of W rows and
//! columns, so that the pattern is that of the graph of movers, however many contacts they have. What a mover cannot do
//! (a slider turns about its axis only, a point does not turn) is no unknown: its rows of G are zero, and its part of A
//! is the unit.

use super::kept::Kept;
use super::splitting::Stiffness;
use super::tie::{Found, Tie};
use crate::{Block, Blocks, Contact, ContactProblem, GROUND, Mover, Twist};
use drystone_linear::FrontalLu;
use drystone_space::{Frame, InverseInertia, Local, Vector};

const NONE: u32 = u32::MAX;
/// What may be missing of a right-hand side without refinement.
const REFINED: f64 = 1e-13;

/// A square block of a mover's unknowns.
type Matrix<const W: usize> = [[f64; W]; W];

/// One contact: U = b + G u, in the unknowns of its sides.
#[derive(Clone, Copy, Debug)]
pub struct Row<const D: usize, const W: usize> {
    /// Unknown movers of the sides; the second may be [`NONE`].
    sides: [u32; 2],
    /// G of each side; that of the second has the sign of a relative velocity.
    maps: [[[f64; W]; D]; 2],
    /// Where the products of the sides stand among the blocks: 11, 12, 21, 22.
    blocks: [u32; 4],
    /// b: the offset, and what sides without unknowns give.
    offset: [f64; D],
    /// Coulomb's coefficient.
    pub friction: f64,
    /// d / trace(H): the mass that the contact feels.
    pub mass: f64,
    /// The tie, where it is one and no contact that obeys Coulomb's law.
    pub tie: Option<Tie>,
}

impl<const D: usize, const W: usize> Row<D, W> {
    /// Components of the impulse that the law allows.
    #[inline]
    pub fn components(&self) -> usize {
        if self.friction > 0.0 { D } else { 1 }
    }

    /// Whether something of it has one sign only, as all contacts and some ties have.
    #[inline]
    pub fn has_pair(&self) -> bool {
        self.tie.is_none_or(|tie| tie.side.is_some())
    }
}

/// See the module's head.
#[derive(Debug, Default)]
pub struct System<const D: usize, const W: usize> {
    /// Unknowns of each mover; [`NONE`] where it has none.
    numbers: Vec<u32>,
    movers: Vec<u32>,
    /// A of each mover with unknowns.
    inertias: Vec<Matrix<W>>,
    pub free: Vec<[f64; W]>,
    /// Rounding error of velocities.
    pub noise: f64,
    pub rows: Vec<Row<D, W>>,
    starts: Vec<u32>,
    columns: Vec<u32>,
    blocks: Vec<Matrix<W>>,
    /// The pattern that was analysed, with its factors.
    factors: Option<FrontalLu>,
    analysed: (Vec<u32>, Vec<u32>),
    /// Whether the pattern of the factors that are kept is the one that was analysed, and whether they are those of what is
    /// [`Kept`].
    kept: Option<FrontalLu>,
    kept_analysed: bool,
    kept_factored: bool,
    /// Movers of each contact, as the problem numbers them.
    pairs: Vec<[u32; 2]>,
    /// For the refinement: what was asked for, and what is missing.
    asked: Vec<f64>,
    missing: Vec<f64>,
    edges: Vec<(u32, u32)>,
}

impl<const D: usize, const W: usize> System<D, W> {
    /// Takes in a problem whose contacts are all frictionless, Coulomb's or ties, between rigid movers.
    pub fn load<S: Blocks>(&mut self, problem: &ContactProblem<S>) {
        self.number_movers(problem);
        self.noise = problem.velocity_noise;
        self.rows.clear();
        self.pairs.clear();
        self.pairs.extend(problem.contacts.iter().map(|c| [c.map.first, c.map.second]));
        for contact in &problem.contacts {
            let map = &contact.map;
            let (mut offset, mut sides, mut maps) = (contact.offset, [NONE; 2], [[[0.0; W]; D]; 2]);
            let both = [(map.first, map.arm_first, 1.0), (map.second, map.arm_second, -1.0)];
            for (side, (mover, arm, sign)) in both.into_iter().enumerate() {
                if mover == GROUND {
                    continue;
                }
                let own = self.numbers[mover as usize];
                if own == NONE {
                    let twist = &problem.free[mover as usize];
                    let velocity = twist.velocity + S::velocity_at(twist.spin, arm);
                    offset += map.frame.to_local(velocity) * sign;
                    continue;
                }
                sides[side] = own;
                let inverse = &problem.movers[mover as usize];
                for (axis, line) in maps[side].iter_mut().enumerate() {
                    let along = map.frame.to_world(S::Local::axis(axis)) * sign;
                    *line = allowed::<S, W>(inverse, along, S::moment(arm, along));
                }
            }
            if sides[0] == NONE {
                (sides, maps) = ([sides[1], NONE], [maps[1], maps[0]]);
            }
            self.rows.push(Row {
                sides,
                maps,
                blocks: [NONE; 4],
                offset: std::array::from_fn(|axis| offset.get(axis)),
                friction: contact.law.friction(),
                mass: mass_of(contact),
                tie: match Found::at(problem, contact) {
                    Found::Tie(tie) => Some(tie),
                    Found::None | Found::Unfit => None,
                },
            });
        }
        self.lay_out();
    }

    fn number_movers<S: Blocks>(&mut self, problem: &ContactProblem<S>) {
        self.numbers.clear();
        self.numbers.resize(problem.movers.len(), NONE);
        self.movers.clear();
        self.inertias.clear();
        self.free.clear();
        let sides = problem.contacts.iter().flat_map(|c| [c.map.first, c.map.second]);
        for mover in sides.filter(|&mover| mover != GROUND) {
            let inverse = &problem.movers[mover as usize];
            let held = *inverse == Mover::default();
            if self.numbers[mover as usize] != NONE || held {
                continue;
            }
            self.numbers[mover as usize] = self.movers.len() as u32;
            self.movers.push(mover);
            self.inertias.push(inertia::<S, W>(inverse));
            self.free.push(unknowns::<S, W>(&problem.free[mover as usize]));
        }
    }

    /// The blocks of the movers' graph, and where each contact finds its own. A graph that is the last one keeps its
    /// analysis.
    fn lay_out(&mut self) {
        let count = self.movers.len() as u32;
        self.edges.clear();
        self.edges.extend((0..count).map(|mover| (mover, mover)));
        for row in self.rows.iter().filter(|row| row.sides[1] != NONE) {
            let [first, second] = row.sides;
            self.edges.extend([(first, second), (second, first)]);
        }
        self.edges.sort_unstable();
        self.edges.dedup();
        self.starts.clear();
        self.starts.push(0);
        self.columns.clear();
        self.columns.extend(self.edges.iter().map(|edge| edge.1));
        let mut end = 0;
        for mover in 0..count {
            end += self.edges[end..].partition_point(|edge| edge.0 == mover);
            self.starts.push(end as u32);
        }
        let mut rows = std::mem::take(&mut self.rows);
        let at = |row, column| self.position(row, column) as u32;
        for row in rows.iter_mut().filter(|row| row.sides[0] != NONE) {
            let [first, second] = row.sides;
            row.blocks[0] = at(first, first);
            if second != NONE {
                row.blocks[1..].copy_from_slice(&[
                    at(first, second),
                    at(second, first),
                    at(second, second),
                ]);
            }
        }
        self.rows = rows;
    }

    /// Where the block of two movers stands.
    fn position(&self, row: u32, column: u32) -> usize {
        let line = self.starts[row as usize] as usize..self.starts[row as usize + 1] as usize;
        let found = self.columns[line.clone()].binary_search(&column);
        line.start + found.expect("every pair of movers has its block")
    }

    /// Analyses the pattern, unless it is the one of last time. Returns the multiplications of a factorisation; none if
    /// there is not enough memory.
    pub fn analyse(&mut self) -> Option<f64> {
        let (starts, columns) = &mut self.analysed;
        if *starts != self.starts || *columns != self.columns {
            starts.clone_from(&self.starts);
            columns.clone_from(&self.columns);
            self.factors = FrontalLu::new(starts, columns, W);
            self.kept_analysed = false;
        }
        self.factors.as_ref().map(FrontalLu::multiplications)
    }

    /// Factors A + G*BG; false where that fails.
    pub fn factor(&mut self, stiffness: &[[[f64; D]; D]]) -> bool {
        self.assemble(stiffness.iter().copied());
        let Some(factors) = &mut self.factors else { return false };
        factors.factor::<W>(&self.blocks)
    }

    /// Factors A + G*RG of a stiffness that is symmetric, to be kept for later steps; false where that fails.
    pub fn keep(&mut self, stiffness: &[Stiffness], kept: &mut Kept) -> bool {
        self.assemble(stiffness.iter().map(|r| {
            let entry = |i: usize, j: usize| if i == j { r[i.min(1)] } else { 0.0 };
            std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)))
        }));
        self.mirror();
        kept.clear();
        kept.pairs.extend_from_slice(&self.pairs);
        kept.stiffness.extend_from_slice(stiffness);
        for (row, ends) in self.starts.windows(2).enumerate() {
            for k in ends[0] as usize..ends[1] as usize {
                if self.columns[k] as usize >= row {
                    kept.blocks.extend_from_slice(self.blocks[k].as_flattened());
                }
            }
        }
        self.factor_kept()
    }

    /// Whether what is kept is good for the contacts of the present problem, as stiff as these are now; its factor is made
    /// where this was not done yet.
    pub fn takes_up(&mut self, kept: &Kept, stiffness: &[Stiffness]) -> bool {
        let ties = self.rows.iter().map(|row| row.tie.is_some());
        if kept.pairs != self.pairs || !kept.is_like(stiffness, ties) {
            return false;
        }
        if self.kept_factored && self.kept_analysed {
            return true;
        }
        let mut above = kept.blocks.as_chunks::<W>().0.as_chunks::<W>().0.iter();
        self.blocks.clear();
        self.blocks.resize(self.columns.len(), [[0.0; W]; W]);
        for row in 0..self.movers.len() {
            for k in self.starts[row] as usize..self.starts[row + 1] as usize {
                if self.columns[k] as usize >= row {
                    let Some(block) = above.next() else { return false };
                    self.blocks[k] = *block;
                }
            }
        }
        self.mirror();
        above.next().is_none() && self.factor_kept()
    }

    /// Makes the blocks below the diagonal from those above it: only these are kept, and a sum of rounded products is not
    /// symmetric to the last bit.
    fn mirror(&mut self) {
        for row in 0..self.movers.len() {
            for k in self.starts[row] as usize..self.starts[row + 1] as usize {
                let column = self.columns[k] as usize;
                if column < row {
                    let above = self.blocks[self.position(column as u32, row as u32)];
                    self.blocks[k] = std::array::from_fn(|i| std::array::from_fn(|j| above[j][i]));
                }
            }
        }
    }

    /// Factors the blocks as they are, to be kept.
    fn factor_kept(&mut self) -> bool {
        if !self.kept_analysed {
            self.kept.clone_from(&self.factors);
            self.kept_analysed = true;
        }
        self.kept_factored = match &mut self.kept {
            Some(factors) => factors.factor::<W>(&self.blocks),
            None => false,
        };
        self.kept_factored
    }

    /// x ← M⁻¹ x by the factors that are kept, without refinement.
    pub fn solve_kept(&mut self, x: &mut [[f64; W]]) {
        if let Some(factors) = &mut self.kept {
            factors.solve(x.as_flattened_mut());
        }
    }

    /// The blocks of A + G*BG.
    fn assemble(&mut self, stiffness: impl Iterator<Item = [[f64; D]; D]>) {
        self.blocks.clear();
        self.blocks.resize(self.columns.len(), [[0.0; W]; W]);
        for (mover, inertia) in self.inertias.iter().enumerate() {
            let line = self.starts[mover] as usize..self.starts[mover + 1] as usize;
            let diagonal = self.columns[line.clone()].partition_point(|&c| c < mover as u32);
            self.blocks[line.start + diagonal] = *inertia;
        }
        for (row, b) in self.rows.iter().zip(stiffness) {
            let products = row.maps.map(|map| times(&b, &map));
            for (side, map) in row.maps.iter().enumerate() {
                for (other, product) in products.iter().enumerate() {
                    let block = row.blocks[2 * side + other];
                    if block != NONE {
                        add_transposed(map, product, &mut self.blocks[block as usize]);
                    }
                }
            }
        }
    }

    /// x ← (A + G*BG)⁻¹ x, refined once where that is needed.
    pub fn solve(&mut self, x: &mut [[f64; W]]) {
        let Some(factors) = &mut self.factors else { return };
        self.asked.clear();
        self.asked.extend_from_slice(x.as_flattened());
        factors.solve(x.as_flattened_mut());
        self.missing.clear();
        self.missing.extend_from_slice(&self.asked);
        for (mover, missing) in self.missing.as_chunks_mut::<W>().0.iter_mut().enumerate() {
            for k in self.starts[mover] as usize..self.starts[mover + 1] as usize {
                let (block, from) = (&self.blocks[k], &x[self.columns[k] as usize]);
                for (to, line) in missing.iter_mut().zip(block) {
                    (0..W).for_each(|j| *to -= line[j] * from[j]);
                }
            }
        }
        let size = |x: &[f64]| x.iter().fold(0.0, |size: f64, x| size.max(x.abs()));
        if size(&self.missing) <= REFINED * size(&self.asked) {
            return;
        }
        factors.solve(&mut self.missing);
        for (x, change) in x.as_flattened_mut().iter_mut().zip(&self.missing) {
            *x += change;
        }
    }

    /// U = b + G u of a contact.
    #[inline]
    pub fn velocity(&self, row: &Row<D, W>, u: &[[f64; W]]) -> [f64; D] {
        let change = self.change(row, u);
        std::array::from_fn(|i| row.offset[i] + change[i])
    }

    /// G u of a contact.
    #[inline]
    pub fn change(&self, row: &Row<D, W>, u: &[[f64; W]]) -> [f64; D] {
        let mut sum = [0.0; D];
        for (side, map) in row.sides.iter().zip(&row.maps) {
            let Some(u) = u.get(*side as usize) else { continue };
            for (sum, line) in sum.iter_mut().zip(map) {
                (0..W).for_each(|j| *sum += line[j] * u[j]);
            }
        }
        sum
    }

    /// to += G* p of a contact.
    #[inline]
    pub fn push(&self, row: &Row<D, W>, p: &[f64; D], to: &mut [[f64; W]]) {
        for (side, map) in row.sides.iter().zip(&row.maps) {
            let Some(to) = to.get_mut(*side as usize) else { continue };
            for (p, line) in p.iter().zip(map) {
                (0..W).for_each(|j| to[j] += line[j] * p);
            }
        }
    }

    /// A x of a mover.
    #[inline]
    fn inertia_times(&self, mover: usize, x: &[f64; W]) -> [f64; W] {
        self.inertias[mover].map(|line| (0..W).map(|j| line[j] * x[j]).sum())
    }

    /// |x|² of a mover in the kinetic metric.
    pub fn kinetic(&self, mover: usize, x: &[f64; W]) -> f64 {
        let ax = self.inertia_times(mover, x);
        (0..W).map(|j| x[j] * ax[j]).sum()
    }

    /// A (u − u_free).
    pub fn unbalanced(&self, u: &[[f64; W]], to: &mut Vec<[f64; W]>) {
        to.clear();
        to.extend(u.iter().zip(&self.free).enumerate().map(|(mover, (u, free))| {
            self.inertia_times(mover, &std::array::from_fn(|j| u[j] - free[j]))
        }));
    }

    /// Unknowns from velocities of movers.
    pub fn gather<S: Blocks>(&self, twists: &[Twist<S>], to: &mut Vec<[f64; W]>) {
        to.clear();
        to.extend(self.movers.iter().map(|&mover| unknowns::<S, W>(&twists[mover as usize])));
    }
}

/// d / trace(H).
pub fn mass_of<S: Blocks>(contact: &Contact<S>) -> f64 {
    S::DIMENSION as f64 / contact.block.trace()
}

/// A mover's velocity and spin as unknowns.
fn unknowns<S: Blocks, const W: usize>(twist: &Twist<S>) -> [f64; W] {
    std::array::from_fn(|i| match i < S::DIMENSION {
        true => twist.velocity.get(i),
        false => twist.spin.get(i - S::DIMENSION),
    })
}

/// A row of G of a mover, without what the mover cannot do.
fn allowed<S: Blocks, const W: usize>(
    mover: &Mover<S>,
    along: S::Vector,
    moment: S::Spin,
) -> [f64; W] {
    let shifts = mover.inverse_mass > 0.0;
    let freedom = Freedom::<S>::of(mover);
    let moment = freedom.project(moment);
    std::array::from_fn(|i| match i < S::DIMENSION {
        true if shifts => along.get(i),
        true => 0.0,
        false => moment.get(i - S::DIMENSION),
    })
}

/// About what a mover can turn.
enum Freedom<S: Blocks> {
    All,
    Axis(S::Spin),
    Nothing,
}

impl<S: Blocks> Freedom<S> {
    fn of(mover: &Mover<S>) -> Self {
        let column = |axis: usize| {
            mover.inverse_inertia.apply(S::Spin::from_fn(|i| if i == axis { 1.0 } else { 0.0 }))
        };
        if mover.inverse_inertia == S::InverseInertia::ZERO {
            Self::Nothing
        } else if S::Spin::LENGTH == 1 || mover.inverse_mass > 0.0 {
            Self::All
        } else {
            let longest = (0..S::Spin::LENGTH)
                .max_by(|&a, &b| column(a).get(a).total_cmp(&column(b).get(b)))
                .unwrap_or(0);
            let column = column(longest);
            Self::Axis(column / column.norm())
        }
    }
    fn project(&self, moment: S::Spin) -> S::Spin {
        match self {
            Self::All => moment,
            Self::Axis(axis) => *axis * axis.dot(moment),
            Self::Nothing => S::Spin::ZERO,
        }
    }
}

/// A of a mover; the unit for what it cannot do.
fn inertia<S: Blocks, const W: usize>(mover: &Mover<S>) -> Matrix<W> {
    let mut a: Matrix<W> =
        std::array::from_fn(|i| std::array::from_fn(|j| if i == j { 1.0 } else { 0.0 }));
    if mover.inverse_mass > 0.0 {
        (0..S::DIMENSION).for_each(|i| a[i][i] = 1.0 / mover.inverse_mass);
    }
    let unit = |axis: usize| S::Spin::from_fn(|i| if i == axis { 1.0 } else { 0.0 });
    match Freedom::<S>::of(mover) {
        Freedom::Nothing => {}
        Freedom::Axis(axis) => {
            let moment = 1.0 / axis.dot(mover.inverse_inertia.apply(axis));
            for i in 0..S::Spin::LENGTH {
                for j in 0..S::Spin::LENGTH {
                    let along = axis.get(i) * axis.get(j);
                    a[S::DIMENSION + i][S::DIMENSION + j] += along * (moment - 1.0);
                }
            }
        }
        Freedom::All => {
            let inverse: [S::Spin; 3] = std::array::from_fn(|i| {
                mover.inverse_inertia.apply(unit(i.min(S::Spin::LENGTH - 1)))
            });
            let inverse = |i: usize, j: usize| inverse[j].get(i);
            let d = S::DIMENSION;
            if S::Spin::LENGTH == 1 {
                a[d][d] = 1.0 / inverse(0, 0);
                return a;
            }
            // Cofactors of a symmetric matrix.
            let minor = |i: usize, j: usize| {
                let (i, j) = ([(i + 1) % 3, (i + 2) % 3], [(j + 1) % 3, (j + 2) % 3]);
                inverse(i[0], j[0]) * inverse(i[1], j[1])
                    - inverse(i[0], j[1]) * inverse(i[1], j[0])
            };
            let determinant = (0..3).map(|j| inverse(0, j) * minor(0, j)).sum::<f64>();
            for i in 0..3 {
                (0..3).for_each(|j| a[d + i][d + j] = minor(j, i) / determinant);
            }
        }
    }
    a
}

#[inline]
fn times<const D: usize, const W: usize>(b: &[[f64; D]; D], g: &[[f64; W]; D]) -> [[f64; W]; D] {
    let mut product = [[0.0; W]; D];
    for (to, line) in product.iter_mut().zip(b) {
        for (factor, row) in line.iter().zip(g) {
            (0..W).for_each(|j| to[j] += factor * row[j]);
        }
    }
    product
}

/// to += Gᵀ P.
#[inline]
fn add_transposed<const D: usize, const W: usize>(
    g: &[[f64; W]; D],
    p: &[[f64; W]; D],
    to: &mut Matrix<W>,
) {
    for (g, p) in g.iter().zip(p) {
        for (to, g) in to.iter_mut().zip(g) {
            (0..W).for_each(|j| to[j] += g * p[j]);
        }
    }
}
