//! A contact problem as a file holds it.

use drystone_solve::SparseMatrix;

/// The four kinds of problems, by the name of their top group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// u = W r + q.
    Local,
    /// With degrees of freedom: M v = H r + f, u = Hᵀ v + w.
    Global,
    /// Local, with moments.
    LocalRolling,
    /// Global, with moments.
    GlobalRolling,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 4] = [Kind::Local, Kind::Global, Kind::LocalRolling, Kind::GlobalRolling];

    /// The name by which reports call it.
    pub fn name(self) -> &'static str {
        &self.group()["fclib_".len()..]
    }

    /// The top group of its files.
    pub fn group(self) -> &'static str {
        match self {
            Kind::Local => "fclib_local",
            Kind::Global => "fclib_global",
            Kind::LocalRolling => "fclib_local_rolling",
            Kind::GlobalRolling => "fclib_global_rolling",
        }
    }

    /// Whether contacts have moments.
    pub fn rolls(self) -> bool {
        matches!(self, Kind::LocalRolling | Kind::GlobalRolling)
    }

    /// Whether the problem has its degrees of freedom.
    pub fn is_global(self) -> bool {
        matches!(self, Kind::Global | Kind::GlobalRolling)
    }
}

/// What a file says about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Info {
    /// A short title.
    pub title: String,
    /// Where the problem comes from.
    pub description: String,
    /// What is known about it.
    pub math_info: String,
}

/// Equality constraints of a global problem: Gᵀ v + b = 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Joints {
    /// G: rows as M, one column for each constraint.
    pub map: SparseMatrix,
    /// b.
    pub offset: Vec<f64>,
}

/// Equality constraints of a local problem: Vᵀ r + R λ + s = 0, and V λ is added to u.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalJoints {
    /// V: rows as W, one column for each constraint.
    pub map: SparseMatrix,
    /// R.
    pub response: SparseMatrix,
    /// s.
    pub offset: Vec<f64>,
}

/// Matrices and vectors of a problem.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// u = W r + V λ + q, Vᵀ r + R λ + s = 0.
    Local {
        /// W.
        delassus: SparseMatrix,
        /// q.
        free: Vec<f64>,
        /// V, R and s, where there are constraints.
        joints: Option<Box<LocalJoints>>,
    },
    /// M v = H r + G λ + f, u = Hᵀ v + w, Gᵀ v + b = 0.
    Global {
        /// M.
        mass: SparseMatrix,
        /// H.
        map: SparseMatrix,
        /// f.
        force: Vec<f64>,
        /// w.
        offset: Vec<f64>,
        /// G and b, where there are constraints.
        joints: Option<Box<Joints>>,
    },
}

/// A solution, or a guess of one. A vector that a file does not have is empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordedSolution {
    /// u, the velocities at the contacts.
    pub u: Vec<f64>,
    /// r, the impulses. Recorded solutions often hold zeros here.
    pub r: Vec<f64>,
    /// v, the velocities of the degrees of freedom; global problems only.
    pub v: Vec<f64>,
    /// λ, the multipliers of the constraints, where there are any.
    pub l: Vec<f64>,
}

/// A contact problem. Sizes are consistent and numbers finite when it was read from a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// What the file says about itself.
    pub info: Info,
    /// Components of a contact: 2, 3, or 5 with moments.
    pub dimension: usize,
    /// μ of each contact.
    pub friction: Vec<f64>,
    /// μ_r of each contact; empty where the dimension is not 5.
    pub rolling: Vec<f64>,
    /// Matrices and vectors.
    pub form: Form,
    /// The solution beside the problem.
    pub solution: Option<RecordedSolution>,
    /// Guesses beside the problem.
    pub guesses: Vec<RecordedSolution>,
}

impl Problem {
    /// Which of the four kinds it is.
    pub fn kind(&self) -> Kind {
        match (&self.form, self.dimension == 5) {
            (Form::Local { .. }, false) => Kind::Local,
            (Form::Local { .. }, true) => Kind::LocalRolling,
            (Form::Global { .. }, false) => Kind::Global,
            (Form::Global { .. }, true) => Kind::GlobalRolling,
        }
    }

    /// Number of degrees of freedom; of a local problem it is not known.
    pub fn freedoms(&self) -> Option<usize> {
        match &self.form {
            Form::Local { .. } => None,
            Form::Global { force, .. } => Some(force.len()),
        }
    }

    /// Number of equality constraints.
    pub fn constraints(&self) -> usize {
        match &self.form {
            Form::Local { joints, .. } => joints.as_ref().map_or(0, |joints| joints.offset.len()),
            Form::Global { joints, .. } => joints.as_ref().map_or(0, |joints| joints.offset.len()),
        }
    }

    /// Number of contacts.
    pub fn contacts(&self) -> usize {
        self.friction.len()
    }
}
