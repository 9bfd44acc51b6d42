//! The methods for assembled problems, as values; names are for users.

use super::contact::{Components, Size};
use super::{
    Admm, Apgd, Auto, ConjugateGradient, Extragradient, GaussSeidel, Interior, Jacobi, Newton,
    Projection, Proximal, Quadratic, Solver, Sweeping, Uzawa,
};
use crate::LocalSolver;

/// A method for assembled problems.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AssembledMethod {
    /// Sweeps, and several methods side by side where those are slow.
    #[default]
    Auto,
    /// Sweeps, with the usual solve of one contact or another one.
    GaussSeidel(Option<LocalSolver>),
    /// Newton on Alart & Curnier's map.
    Newton,
    /// Proximal point around Newton.
    Proximal,
    /// Interior points.
    Interior,
    /// Alternating directions.
    Admm,
    /// Accelerated projected gradient.
    Apgd,
    /// Extragradient.
    Extragradient,
    /// Conjugate projected gradient.
    ConjugateGradient,
    /// Jacobi with Anderson's acceleration.
    Jacobi,
    /// Uzawa, onto the cone or the disc.
    Uzawa(Projection),
    /// Quadratic programming, for problems without friction.
    Quadratic,
}

impl AssembledMethod {
    /// All of them, Gauss–Seidel with its usual local solver.
    pub const ALL: [Self; 13] = [
        Self::Auto,
        Self::GaussSeidel(None),
        Self::Newton,
        Self::Proximal,
        Self::Interior,
        Self::Admm,
        Self::Apgd,
        Self::Extragradient,
        Self::ConjugateGradient,
        Self::Jacobi,
        Self::Uzawa(Projection::Cone),
        Self::Uzawa(Projection::Disc),
        Self::Quadratic,
    ];

    /// All of them, then Gauss–Seidel with each local solver.
    pub fn with_variants() -> impl Iterator<Item = Self> {
        let variants = LocalSolver::ALL.map(|local| Self::GaussSeidel(Some(local)));
        Self::ALL.into_iter().chain(variants)
    }

    /// The name by which a user asks for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::GaussSeidel(None) => "gauss-seidel",
            Self::GaussSeidel(Some(LocalSolver::Bracketed)) => "gauss-seidel-bracketed",
            Self::GaussSeidel(Some(LocalSolver::Enumerative)) => "gauss-seidel-enumerative",
            Self::GaussSeidel(Some(LocalSolver::AlartCurnier)) => "gauss-seidel-alart-curnier",
            Self::GaussSeidel(Some(LocalSolver::NaturalMap)) => "gauss-seidel-natural-map",
            Self::GaussSeidel(Some(LocalSolver::Bipotential)) => "gauss-seidel-bipotential",
            Self::GaussSeidel(Some(LocalSolver::Hybrid)) => "gauss-seidel-hybrid",
            Self::Newton => "newton",
            Self::Proximal => "proximal",
            Self::Interior => "interior",
            Self::Admm => "admm",
            Self::Apgd => "apgd",
            Self::Extragradient => "extragradient",
            Self::ConjugateGradient => "conjugate-gradient",
            Self::Jacobi => "jacobi",
            Self::Uzawa(Projection::Cone) => "uzawa-cone",
            Self::Uzawa(Projection::Disc) => "uzawa-disc",
            Self::Quadratic => "quadratic",
        }
    }

    /// The method of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::with_variants().find(|method| method.name() == name)
    }

    /// A solver by this method, with its usual settings.
    pub fn solver<const D: usize>(self) -> Box<dyn Solver<D>>
    where
        Size<D>: Components<D>,
    {
        self.solver_with(&Sweeping::default())
    }

    /// A solver by this method; if it sweeps, as these settings say.
    pub fn solver_with<const D: usize>(self, sweeping: &Sweeping) -> Box<dyn Solver<D>>
    where
        Size<D>: Components<D>,
    {
        Size::<D>::solver(self, sweeping)
    }
}

pub(super) fn choose<const D: usize>(
    method: AssembledMethod,
    sweeping: &Sweeping,
) -> Box<dyn Solver<D>>
where
    Size<D>: Components<D>,
{
    let sweeping = || sweeping.clone();
    match method {
        AssembledMethod::Auto => Box::new(Auto::new(sweeping())),
        AssembledMethod::GaussSeidel(local) => {
            Box::new(GaussSeidel { local, sweeping: sweeping(), ..GaussSeidel::default() })
        }
        AssembledMethod::Newton => Box::new(Newton::default()),
        AssembledMethod::Proximal => Box::new(Proximal::default()),
        AssembledMethod::Interior => Box::new(Interior::default()),
        AssembledMethod::Admm => Box::new(Admm::default()),
        AssembledMethod::Apgd => Box::new(Apgd::default()),
        AssembledMethod::Extragradient => Box::new(Extragradient::default()),
        AssembledMethod::ConjugateGradient => Box::new(ConjugateGradient::default()),
        AssembledMethod::Jacobi => Box::new(Jacobi::default()),
        AssembledMethod::Uzawa(projection) => Box::new(Uzawa::new(projection)),
        AssembledMethod::Quadratic => Box::new(Quadratic::default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_has_a_name_of_its_own() {
        for method in AssembledMethod::with_variants() {
            assert_eq!(AssembledMethod::from_name(method.name()), Some(method));
        }
        for local in LocalSolver::ALL {
            let name = AssembledMethod::GaussSeidel(Some(local)).name();
            assert_eq!(name, format!("gauss-seidel-{}", local.name()));
        }
        assert_eq!(AssembledMethod::from_name("gauss-seidel-"), None);
        assert_eq!(AssembledMethod::from_name("no such solver"), None);
    }
}
