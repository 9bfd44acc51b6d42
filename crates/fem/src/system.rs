//! The linear system of a solid: m M + k K over its degrees of freedom, factored, some of them held.
//!
//! The contact problem needs (m M + k K)⁻¹ between nodes of the surface only: columns are solved for
//! as contacts ask for them, and kept until the matrix changes. They are solved for in batches that the
//! mesh alone gives, since the bits of a column depend on those beside it: what was asked for before must
//! not change a result.

use crate::kernel::{Between, ElementWork};
use crate::modes::Modes;
use crate::{FemError, Model};
use drystone_linear::Cholesky;
use drystone_space::{Space, Vector};

/// Nodes that are solved for at once: enough to use each number of the factor often while it is near.
const BATCH: usize = 16;

/// See the module's head.
#[derive(Debug)]
pub struct System<S: Space> {
    values: Vec<f64>,
    /// K alone, kept for linear laws.
    constant: Vec<f64>,
    cholesky: Cholesky,
    /// Degrees of freedom whose value is given.
    held: Vec<bool>,
    /// Largest entry of K when it was last assembled: the scale of rounding errors in forces.
    stiffest: f64,
    /// What the factors are of: the coefficients of M and K.
    factored: Option<[f64; 2]>,
    /// By place on the surface: what its nodes answer to unit impulses at one, axis after axis. Only
    /// those of batches that are ready hold.
    columns: Vec<Vec<S::Vector>>,
    ready: Vec<bool>,
    right: Vec<f64>,
    /// Where a solid moves in its lowest modes only, they answer in place of the factors.
    modes: Option<Modes<S>>,
    pub(crate) work: ElementWork,
}

impl<S: Space> System<S> {
    /// A system for a model, nothing held.
    ///
    /// # Errors
    /// If there is not enough memory for the factors.
    pub fn new(model: &Model<S>) -> Result<Self, FemError> {
        let pattern = &model.pattern;
        let cholesky = Cholesky::in_order(&pattern.starts, &pattern.columns, &model.elimination);
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
            columns: vec![Vec::new(); model.surface().nodes().len()],
            ready: vec![false; model.surface().nodes().len().div_ceil(BATCH)],
            right: Vec::new(),
            modes: None,
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

    /// From now on answers are those of the lowest modes alone, with what is held held.
    ///
    /// # Errors
    /// As [`Modes::lowest`].
    pub(crate) fn reduce(&mut self, model: &Model<S>, count: usize) -> Result<(), FemError> {
        self.modes = Some(Modes::lowest(model, self, count)?);
        Ok(())
    }

    /// The modes, where there are no other motions.
    pub(crate) fn modes(&mut self) -> Option<&mut Modes<S>> {
        self.modes.as_mut()
    }

    /// The largest entry of the K of a linear law.
    pub(crate) fn constant_scale(&mut self, model: &Model<S>) -> Result<f64, FemError> {
        self.keep_constant(model)?;
        Ok(self.constant.iter().fold(0.0f64, |s, x| s.max(x.abs())))
    }

    /// Internal forces −∫ Bᵀ S into `forces`. Returns the elastic energy of a nonlinear law at one
    /// configuration.
    ///
    /// # Errors
    /// Names an element that is turned inside out.
    pub(crate) fn internal_forces(
        &mut self,
        model: &Model<S>,
        at: Between<S::Vector>,
        forces: &mut [S::Vector],
    ) -> Result<f64, FemError> {
        forces.fill(S::Vector::ZERO);
        if let (true, Between::At(x)) = (model.material().is_linear(), at) {
            self.keep_constant(model)?;
            self.subtract_stiffness_times(model, |node| x[node] - model.mesh().nodes[node], forces);
            return Ok(0.0);
        }
        let mut energy = 0.0;
        for element in 0..model.mesh().elements() {
            model.element_forces(element, at, false, &mut self.work)?;
            for (a, &node) in model.mesh().element(element).1.iter().enumerate() {
                let start = a * S::DIMENSION;
                forces[node as usize] -= S::Vector::from_fn(|k| self.work.force[start + k]);
            }
            energy += self.work.energy;
        }
        Ok(energy)
    }

    /// forces −= K u for the kept K of a linear law.
    pub(crate) fn subtract_stiffness_times(
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
    pub(crate) fn keep_constant(&mut self, model: &Model<S>) -> Result<(), FemError> {
        if self.constant.is_empty() {
            let rest = &model.mesh().nodes;
            self.values.fill(0.0);
            self.add_stiffness(model, rest, 1.0)?;
            self.constant = self.values.clone();
        }
        Ok(())
    }

    fn add_stiffness(
        &mut self,
        model: &Model<S>,
        at: &[S::Vector],
        factor: f64,
    ) -> Result<(), FemError> {
        let pattern = &model.pattern;
        for element in 0..model.mesh().elements() {
            model.element_forces(element, Between::At(at), true, &mut self.work)?;
            let range = pattern.slot_starts[element]..pattern.slot_starts[element + 1];
            for (&slot, value) in pattern.slots[range].iter().zip(&self.work.stiffness) {
                self.values[slot as usize] += factor * value;
            }
        }
        Ok(())
    }

    /// Factors are not to be used any more.
    pub(crate) fn forget(&mut self) {
        self.factored = None;
    }

    /// Whether the factors are of m M + k K, at some configuration.
    pub(crate) fn is_factored(&self, coefficients: [f64; 2]) -> bool {
        self.factored == Some(coefficients)
    }

    /// Assembles and factors m M + k K at a configuration.
    ///
    /// # Errors
    /// Names an element that is turned inside out, or one of a node that is free to move.
    pub(crate) fn factor(
        &mut self,
        model: &Model<S>,
        [m, k]: [f64; 2],
        at: &[S::Vector],
    ) -> Result<(), FemError> {
        let linear = model.material().is_linear();
        self.factored = None;
        self.ready.fill(false);
        if let Some(modes) = &self.modes {
            if !modes.answers_to([m, k]) {
                let (node, element) = model.names(0);
                return Err(FemError::Singular { node, element, direction: 'x' });
            }
            self.stiffest = self.constant_scale(model)?;
            self.factored = Some([m, k]);
            return Ok(());
        }
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
        match self.cholesky.factor(&self.values) {
            Ok(()) => {
                self.factored = Some([m, k]);
                Ok(())
            }
            Err(error) => {
                let (node, axis) = (error.unknown / S::DIMENSION, error.unknown % S::DIMENSION);
                let (node, element) = model.names(node);
                Err(FemError::Singular { node, element, direction: ['x', 'y', 'z'][axis] })
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
        self.solve_right();
        for (node, x) in x.iter_mut().enumerate() {
            *x = S::Vector::from_fn(|axis| self.right[node * d + axis]);
        }
    }

    /// Solves for the columns of right sides.
    fn solve_right(&mut self) {
        let Some(modes) = &mut self.modes else {
            self.cholesky.solve(&mut self.right);
            return;
        };
        let coefficients = self.factored.unwrap_or([1.0, 0.0]);
        for column in self.right.chunks_exact_mut(self.held.len()) {
            modes.solve(column, coefficients);
        }
    }

    /// Makes ready what nodes of the surface answer to impulses at these places of it.
    pub fn prepare(&mut self, model: &Model<S>, places: &[u32]) {
        for &place in places {
            let batch = place as usize / BATCH;
            if !self.ready[batch] {
                self.solve_batch(model, batch);
                self.ready[batch] = true;
            }
        }
    }

    fn solve_batch(&mut self, model: &Model<S>, batch: usize) {
        let nodes = model.surface().nodes();
        let places = batch * BATCH..nodes.len().min((batch + 1) * BATCH);
        let (d, size) = (S::DIMENSION, model.freedoms());
        self.right.clear();
        self.right.resize(places.len() * d * size, 0.0);
        for (place, answers) in places.clone().zip(self.right.chunks_exact_mut(d * size)) {
            for axis in 0..d {
                let freedom = nodes[place] as usize * d + axis;
                if !self.held[freedom] {
                    answers[axis * size + freedom] = 1.0;
                }
            }
        }
        self.solve_right();
        for (place, answers) in places.zip(self.right.chunks_exact(d * size)) {
            let column = &mut self.columns[place];
            column.clear();
            for answer in answers.chunks_exact(size) {
                let at = |&n: &u32| S::Vector::from_fn(|k| answer[n as usize * d + k]);
                column.extend(nodes.iter().map(at));
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
        let place = model.surface().place(node);
        assert!(self.ready[place / BATCH], "node {node} was not prepared");
        &self.columns[place][axis * count..(axis + 1) * count]
    }
}
