//! The linear system of a solid: m M + k K over its degrees of freedom, factored, some of them held.
//!
//! The contact problem needs (m M + k K)⁻¹ between nodes of the surface only: columns are solved for
//! as contacts ask for them, and kept until the matrix changes. With a linear law it never does; then
//! columns are solved for in batches that the mesh alone gives, since the bits of a column depend on
//! those beside it: what was asked for before must not change a result.

use crate::kernel::{Between, ElementWork};
use crate::{FemError, Model};
use drystone_linear::OrderedCholesky;
use drystone_space::{Space, Vector};

/// Nodes that are solved for at once: enough to use each number of the factor often while it is near.
const BATCH: usize = 16;

/// See the module's head.
#[derive(Debug)]
pub struct System<S: Space> {
    values: Vec<f64>,
    /// K alone, kept for linear laws.
    constant: Vec<f64>,
    cholesky: OrderedCholesky,
    /// Degrees of freedom whose value is given.
    held: Vec<bool>,
    /// Largest entry of K when it was last assembled: the scale of rounding errors in forces.
    stiffest: f64,
    /// What the factors are of: the coefficients of M and K, for linear laws.
    factored: Option<[f64; 2]>,
    /// By place on the surface: what its nodes answer to unit impulses at one, axis after axis.
    columns: Vec<Option<Box<[S::Vector]>>>,
    right: Vec<f64>,
    work: ElementWork,
}

impl<S: Space> System<S> {
    /// A system for a model, nothing held.
    ///
    /// # Errors
    /// If there is not enough memory for the factors.
    pub fn new(model: &Model<S>) -> Result<Self, FemError> {
        let pattern = &model.pattern;
        let cholesky = OrderedCholesky::new(&pattern.starts, &pattern.columns, &model.elimination);
        let memory = FemError::Size {
            what: "number of nodes",
            value: model.mesh().nodes.len() as f64,
            expected: "small enough for the factors to fit in memory",
        };
        Ok(Self {
            values: vec![0.0; pattern.columns.len()],
            constant: Vec::new(),
            cholesky: cholesky.ok_or(memory)?,
            held: vec![false; model.freedoms()],
            stiffest: 0.0,
            factored: None,
            columns: vec![None; model.surface().nodes().len()],
            right: Vec::new(),
            work: ElementWork::default(),
        })
    }

    /// Holds a degree of freedom, or lets it go.
    pub fn hold(&mut self, node: usize, axis: usize, held: bool) {
        let freedom = node * S::DIMENSION + axis;
        if self.held[freedom] != held {
            self.held[freedom] = held;
            self.factored = None;
        }
    }

    /// Whether a degree of freedom is held.
    pub fn is_held(&self, node: usize, axis: usize) -> bool {
        self.held[node * S::DIMENSION + axis]
    }

    /// Internal forces −∫ Bᵀ S into `forces`.
    ///
    /// # Errors
    /// Names an element that is turned inside out.
    pub(crate) fn internal_forces(
        &mut self,
        model: &Model<S>,
        at: Between<S::Vector>,
        forces: &mut [S::Vector],
    ) -> Result<(), FemError> {
        forces.fill(S::Vector::ZERO);
        if let (true, Between::At(x)) = (model.material().is_linear(), at) {
            self.keep_constant(model)?;
            self.subtract_stiffness_times(model, |node| x[node] - model.mesh().nodes[node], forces);
            return Ok(());
        }
        for element in 0..model.mesh().elements() {
            model.element_forces(element, at, false, &mut self.work)?;
            for (a, &node) in model.mesh().element(element).1.iter().enumerate() {
                let start = a * S::DIMENSION;
                forces[node as usize] -= S::Vector::from_fn(|k| self.work.force[start + k]);
            }
        }
        Ok(())
    }

    /// forces −= K u for the kept K of a linear law.
    fn subtract_stiffness_times(
        &self,
        model: &Model<S>,
        u: impl Fn(usize) -> S::Vector,
        forces: &mut [S::Vector],
    ) {
        let d = S::DIMENSION;
        let pattern = &model.pattern;
        for node in 0..forces.len() {
            let own = u(node);
            for axis in 0..d {
                let row = node * d + axis;
                let range = pattern.starts[row] as usize..pattern.starts[row + 1] as usize;
                let (mut sum, mine) = (0.0, own.get(axis));
                for place in range {
                    let (column, value) = (pattern.columns[place] as usize, self.constant[place]);
                    let (other, k) = (column / d, column % d);
                    forces[other] -= S::Vector::axis(k) * (value * mine);
                    if row != column {
                        sum += value * u(other).get(k);
                    }
                }
                forces[node] -= S::Vector::axis(axis) * sum;
            }
        }
    }

    /// Computes the K of a linear law once.
    fn keep_constant(&mut self, model: &Model<S>) -> Result<(), FemError> {
        if self.constant.is_empty() {
            let rest = &model.mesh().nodes;
            self.values.fill(0.0);
            self.add_stiffness(model, Between::At(rest), 1.0)?;
            self.constant = self.values.clone();
        }
        Ok(())
    }

    fn add_stiffness(
        &mut self,
        model: &Model<S>,
        at: Between<S::Vector>,
        factor: f64,
    ) -> Result<(), FemError> {
        let pattern = &model.pattern;
        for element in 0..model.mesh().elements() {
            model.element_forces(element, at, true, &mut self.work)?;
            let range = pattern.slot_starts[element]..pattern.slot_starts[element + 1];
            for (&slot, value) in pattern.slots[range].iter().zip(&self.work.stiffness) {
                self.values[slot as usize] += factor * value;
            }
        }
        Ok(())
    }

    /// Assembles and factors m M + k K at a configuration; a linear law's factors are kept.
    ///
    /// # Errors
    /// Names an element that is turned inside out, or one of a node that is free to move.
    pub(crate) fn factor(
        &mut self,
        model: &Model<S>,
        [m, k]: [f64; 2],
        at: Between<S::Vector>,
    ) -> Result<(), FemError> {
        let linear = model.material().is_linear();
        if linear && self.factored == Some([m, k]) {
            return Ok(());
        }
        self.factored = None;
        self.columns.iter_mut().for_each(|column| *column = None);
        if linear {
            self.keep_constant(model)?;
            self.values.copy_from_slice(&self.constant);
            self.values.iter_mut().for_each(|value| *value *= k);
        } else {
            self.values.fill(0.0);
            self.add_stiffness(model, at, k)?;
        }
        let largest = self.values.iter().fold(0.0f64, |s, x| s.max(x.abs()));
        self.stiffest = if k > 0.0 { largest / k } else { 0.0 };
        self.add_mass(model, m);
        self.isolate_held(model);
        let pattern = &model.pattern;
        match self.cholesky.factor(&pattern.starts, &pattern.columns, &self.values) {
            Ok(()) => {
                self.factored = Some([m, k]);
                Ok(())
            }
            Err(error) => {
                let (node, axis) = (error.unknown / S::DIMENSION, error.unknown % S::DIMENSION);
                let direction = ['x', 'y', 'z'][axis];
                Err(FemError::Singular { node, element: model.element_of(node), direction })
            }
        }
    }

    fn add_mass(&mut self, model: &Model<S>, factor: f64) {
        let d = S::DIMENSION;
        if factor == 0.0 {
            return;
        }
        for node in 0..model.mesh().nodes.len() {
            for (other, mass) in model.mass_row(node) {
                for axis in 0..d {
                    let (row, column) = (node * d + axis, other * d + axis);
                    if row >= column {
                        let start = model.pattern.starts[row] as usize;
                        let end = model.pattern.starts[row + 1] as usize;
                        let place =
                            model.pattern.columns[start..end].binary_search(&(column as u32));
                        self.values[start + place.expect("the pattern holds the mass")] +=
                            factor * mass;
                    }
                }
            }
        }
    }

    /// Rows and columns of held degrees of freedom become those of the identity, scaled as others.
    fn isolate_held(&mut self, model: &Model<S>) {
        if !self.held.contains(&true) {
            return;
        }
        let pattern = &model.pattern;
        let scale = self.values.iter().fold(0.0f64, |s, x| s.max(x.abs()));
        for row in 0..self.held.len() {
            for place in pattern.starts[row] as usize..pattern.starts[row + 1] as usize {
                let column = pattern.columns[place] as usize;
                if self.held[row] || self.held[column] {
                    self.values[place] = if row == column { scale } else { 0.0 };
                }
            }
        }
    }

    /// What rounding of places alone may change in the forces on a node.
    pub(crate) fn force_noise(&self, places: &[S::Vector]) -> f64 {
        let far = places.iter().fold(0.0f64, |far, x| far.max(x.norm_squared())).sqrt();
        8.0 * f64::EPSILON * self.stiffest * far
    }

    /// Largest entry of K when it was last assembled.
    pub(crate) fn stiffest(&self) -> f64 {
        self.stiffest
    }
    /// Takes the place of an assembly that another system of the same model has made.
    pub(crate) fn set_stiffest(&mut self, stiffest: f64) {
        self.stiffest = stiffest;
    }

    /// x ← (m M + k K)⁻¹ x; held degrees of freedom answer zero.
    pub fn solve(&mut self, x: &mut [S::Vector]) {
        let d = S::DIMENSION;
        self.right.clear();
        for (node, x) in x.iter().enumerate() {
            for axis in 0..d {
                self.right.push(if self.held[node * d + axis] { 0.0 } else { x.get(axis) });
            }
        }
        self.cholesky.solve(&mut self.right);
        for (node, x) in x.iter_mut().enumerate() {
            *x = S::Vector::from_fn(|axis| self.right[node * d + axis]);
        }
    }

    /// Makes ready what nodes of the surface answer to impulses at these ones.
    pub fn prepare(&mut self, model: &Model<S>, nodes: impl IntoIterator<Item = u32>) {
        let surface = model.surface();
        let mut wanted: Vec<u32> = nodes.into_iter().collect();
        wanted.sort_unstable();
        wanted.dedup();
        wanted.retain(|&node| self.columns[surface.place(node)].is_none());
        if model.material().is_linear() {
            let mut batches: Vec<usize> =
                wanted.iter().map(|&n| surface.place(n) / BATCH).collect();
            batches.dedup();
            let nodes = surface.nodes();
            let whole = |batch: usize| batch * BATCH..nodes.len().min((batch + 1) * BATCH);
            wanted = batches.into_iter().flat_map(|batch| nodes[whole(batch)].to_vec()).collect();
        }
        let (d, size) = (S::DIMENSION, model.freedoms());
        for few in wanted.chunks(BATCH) {
            self.right.clear();
            self.right.resize(few.len() * d * size, 0.0);
            for (index, &node) in few.iter().enumerate() {
                for axis in 0..d {
                    let freedom = node as usize * d + axis;
                    if !self.held[freedom] {
                        self.right[(index * d + axis) * size + freedom] = 1.0;
                    }
                }
            }
            self.cholesky.solve(&mut self.right);
            for (answers, &node) in self.right.chunks_exact(d * size).zip(few) {
                let answers = answers.chunks_exact(size).flat_map(|answer| {
                    surface
                        .nodes()
                        .iter()
                        .map(move |&n| S::Vector::from_fn(|k| answer[n as usize * d + k]))
                });
                self.columns[surface.place(node)] = Some(answers.collect());
            }
        }
    }

    /// What the surface, in the order of its nodes, answers to a unit impulse at a node of it, after
    /// [`prepare`](Self::prepare).
    ///
    /// # Panics
    /// If the node was not prepared.
    pub fn answer(&self, model: &Model<S>, node: u32, axis: usize) -> &[S::Vector] {
        let count = model.surface().nodes().len();
        let column = self.columns[model.surface().place(node)].as_ref();
        &column.expect("the node was prepared")[axis * count..(axis + 1) * count]
    }
}
