//! Problems to look at.

use crate::{Exact, Flaw, HalfSpace, Member, Motion, MovingSet, Piece, Problem, Swing, exact};
use drystone_space::{DVec2, DVec3, Plane, Volume};

/// A problem of either dimension, with its exact solution where there is one.
#[derive(Clone, Debug)]
pub enum AnyProblem {
    /// In the plane.
    Plane(Problem<Plane>, Option<Exact<Plane>>),
    /// In space.
    Volume(Problem<Volume>, Option<Exact<Volume>>),
}

/// The problems that come with the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Example {
    /// A wall that goes to and fro.
    Wall,
    /// A wall that turns about a point of itself.
    Turning,
    /// A disk that drags points along: tractrices.
    Ball,
    /// A disk that pushes points aside.
    Obstacle,
    /// A square that turns about its centre.
    Polygon,
    /// Two disks and a half-plane that move against each other.
    Lens,
    /// An octahedron that tumbles and shrinks.
    Polyhedron,
    /// Water that runs down a cave (Moreau 2003, §2.6).
    Cave,
    /// Plastic strain of a tube that is twisted under tension: the process for which sweeping was conceived (Moreau 2003,
    /// §2.3).
    ///
    /// Stress s = (σ, √3 τ)/σ_Y, strain e = (ε, γ/√3) E/σ_Y, an incompressible material (E = 3G) that is elastic and perfectly
    /// plastic by von Mises: |s| ≤ 1, and plastic strain grows along the outward normal at s. With q = s − e, minus the plastic
    /// strain, that is −dq/dt ∈ N(q) for the set K − e(t), the disk of yield carried along by what is imposed: here e = (1, t), torsion
    /// after tension up to yield.
    Plastic,
}

impl Example {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Wall,
        Self::Turning,
        Self::Ball,
        Self::Obstacle,
        Self::Polygon,
        Self::Lens,
        Self::Polyhedron,
        Self::Cave,
        Self::Plastic,
    ];

    /// The word by which users call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wall => "wall",
            Self::Turning => "turning",
            Self::Ball => "ball",
            Self::Obstacle => "obstacle",
            Self::Polygon => "polygon",
            Self::Lens => "lens",
            Self::Polyhedron => "polyhedron",
            Self::Cave => "cave",
            Self::Plastic => "plastic",
        }
    }
    /// What it shows.
    pub fn title(self) -> &'static str {
        match self {
            Self::Wall => "A wall goes to and fro: points end where it came farthest",
            Self::Turning => "A turning wall carries points round in circles",
            Self::Ball => "A disk drags points along tractrices",
            Self::Obstacle => "A disk pushes points aside",
            Self::Polygon => "A turning square sweeps points onto its inscribed circle",
            Self::Lens => "Two disks and a half-plane close around points",
            Self::Polyhedron => "A tumbling octahedron shrinks around points",
            Self::Cave => "Water runs down a cave and falls where the rock overhangs",
            Self::Plastic => "Plastic strain of tubes that are twisted under tension",
        }
    }
    /// The problem.
    pub fn problem(self) -> AnyProblem {
        let built = match self {
            Self::Wall => self.wall(),
            Self::Turning => self.turning(),
            Self::Ball => self.ball(),
            Self::Obstacle => self.obstacle(),
            Self::Polygon => self.polygon(),
            Self::Lens => self.lens(),
            Self::Polyhedron => self.polyhedron(),
            Self::Cave => self.cave(),
            Self::Plastic => self.plastic(),
        };
        built.expect("the shapes of the examples are right")
    }

    fn plane(
        self,
        members: Vec<Member<Plane>>,
        motion: Motion<Plane>,
        starts: &[(f64, f64)],
        end: f64,
        exact: Option<Exact<Plane>>,
    ) -> Result<AnyProblem, Flaw> {
        let set = MovingSet::one(members, motion)?;
        let starts = starts.iter().map(|&start| DVec2::from(start)).collect();
        let title = self.title().to_owned();
        Ok(AnyProblem::Plane(Problem { title, set, starts, end }, exact))
    }
    fn wall(self) -> Result<AnyProblem, Flaw> {
        let half = HalfSpace::below(DVec2::ZERO, -DVec2::X)?;
        let swing = Swing { amplitude: DVec2::X, frequency: 1.0, phase: 0.0 };
        let motion = Motion { swings: vec![swing], ..Motion::default() };
        let starts = [(0.2, 0.5), (0.6, 0.0), (1.3, -0.5)];
        self.plane(vec![Member::HalfSpace(half)], motion, &starts, 1.1, Some(exact::wall))
    }
    fn turning(self) -> Result<AnyProblem, Flaw> {
        let half = HalfSpace::below(DVec2::ZERO, -DVec2::Y)?;
        let motion = Motion { spin: 1.0, ..Motion::default() };
        let starts = [(1.0, 0.2), (0.3, 0.6), (-0.9, 1.0)];
        let exact = Some(exact::turning_wall as Exact<Plane>);
        self.plane(vec![Member::HalfSpace(half)], motion, &starts, 3.0, exact)
    }
    fn ball(self) -> Result<AnyProblem, Flaw> {
        let motion = Motion { velocity: DVec2::X, ..Motion::default() };
        let starts = [(-0.3, 0.85), (0.2, 0.6), (0.0, -0.3), (-0.4, -0.9)];
        let ball = Member::ball(DVec2::ZERO, 1.0)?;
        self.plane(vec![ball], motion, &starts, 3.0, Some(exact::tractrix))
    }
    fn obstacle(self) -> Result<AnyProblem, Flaw> {
        let motion = Motion { velocity: DVec2::X, ..Motion::default() };
        let starts = [(1.2, 0.7), (1.6, 0.25), (1.4, -0.08), (2.0, -0.5), (1.0, 1.2)];
        let outside = Member::outside(DVec2::ZERO, 1.0)?;
        self.plane(vec![outside], motion, &starts, 4.5, Some(exact::pushed_aside))
    }
    fn polygon(self) -> Result<AnyProblem, Flaw> {
        let corners = [(1., 1.), (-1., 1.), (-1., -1.), (1., -1.)].map(DVec2::from);
        let motion = Motion { spin: 1.0, ..Motion::default() };
        let starts = [(0.95, 0.9), (-0.9, 0.7), (-0.95, -0.85), (0.3, -0.96), (0.4, 0.3)];
        let exact = Some(exact::turning_square as Exact<Plane>);
        self.plane(crate::polygon(&corners)?, motion, &starts, 2.0, exact)
    }
    fn lens(self) -> Result<AnyProblem, Flaw> {
        let disk = |x: f64, vx: f64, vy: f64| -> Result<Piece<Plane>, Flaw> {
            let members = vec![Member::ball(DVec2::new(x, 0.0), 1.2)?];
            let velocity = DVec2::new(vx, vy);
            Ok(Piece { members, motion: Motion { velocity, ..Motion::default() } })
        };
        let roof = HalfSpace::below(DVec2::new(0.0, 1.0), DVec2::new(0.1, 1.0))?;
        let roof = Piece {
            members: vec![Member::HalfSpace(roof)],
            motion: Motion { velocity: DVec2::new(0.0, -0.5), spin: -0.3, ..Motion::default() },
        };
        let pieces = vec![disk(-0.3, -0.35, 0.1)?, disk(0.3, 0.25, -0.15)?, roof];
        let starts = [(-0.6, 0.5), (0.5, 0.6), (0.7, -0.3), (-0.1, -0.9)].map(DVec2::from);
        let (title, starts) = (self.title().to_owned(), starts.to_vec());
        let set = MovingSet::new(pieces)?;
        Ok(AnyProblem::Plane(Problem { title, set, starts, end: 2.0 }, None))
    }
    fn polyhedron(self) -> Result<AnyProblem, Flaw> {
        let sign = |octant: usize, axis: usize| if octant >> axis & 1 == 0 { 1.0 } else { -1.0 };
        let normal = |octant| DVec3::from([0, 1, 2].map(|axis| sign(octant, axis)));
        let face = |normal: DVec3| HalfSpace::below(normal / 3.0, normal).map(Member::HalfSpace);
        let members = (0..8).map(|octant| face(normal(octant))).collect::<Result<_, _>>()?;
        let motion = Motion { spin: DVec3::new(0.5, 0.3, 1.0), growth: -0.2, ..Motion::default() };
        let starts = [(0.6, 0.1, 0.2), (-0.2, 0.7, 0.0), (0.0, -0.3, -0.6)].map(DVec3::from);
        let (title, starts) = (self.title().to_owned(), starts.to_vec());
        let set = MovingSet::one(members, motion)?;
        Ok(AnyProblem::Volume(Problem { title, set, starts, end: 3.0 }, None))
    }
    fn cave(self) -> Result<AnyProblem, Flaw> {
        let swing =
            |x, y, frequency, phase| Swing { amplitude: DVec2::new(x, y), frequency, phase };
        let motion = Motion {
            swings: vec![swing(0.8, 0.0, 0.25, 0.0), swing(0.0, 0.5, 0.35, 0.9)],
            pulses: vec![Swing { amplitude: 0.35, frequency: 0.45, phase: 1.2 }],
            ..Motion::default()
        };
        let starts = [(0.8, 0.3), (-0.5, 0.7), (-0.85, -0.2), (0.1, -0.85), (0.1, 0.1)];
        let disk = Member::ball(DVec2::ZERO, 1.0)?;
        self.plane(vec![disk], motion, &starts, 4.0, None)
    }
    fn plastic(self) -> Result<AnyProblem, Flaw> {
        let motion = Motion { velocity: -DVec2::Y, ..Motion::default() };
        // Without plastic strain, and with some of earlier loads.
        let starts = [(0.0, 0.0), (-0.4, 0.3), (-1.3, -0.5), (-1.8, 0.2)];
        let disk = Member::ball(-DVec2::X, 1.0)?;
        self.plane(vec![disk], motion, &starts, 3.0, Some(exact::torsion))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_examples_can_start_and_have_names_of_their_own() {
        for example in Example::ALL {
            let checked = match example.problem() {
                AnyProblem::Plane(problem, _) => problem.check(),
                AnyProblem::Volume(problem, _) => problem.check(),
            };
            assert_eq!(checked, Ok(()), "{}", example.name());
            assert_eq!(Example::ALL.iter().filter(|e| e.name() == example.name()).count(), 1);
        }
    }
}
