//! Files of the sweeping process.

use crate::decode::{Decode, Reader};
use crate::format::{RoundTable, SetMotion, SetShape, SetTable, SurfaceTable, SweepTable};
use crate::quantity::{Angle, Length, Number, Units, Vector as Components};
use crate::report::{Draft, Problems, Report, Span};
use crate::scene::{dimension_of, document, text_of};
use drystone_space::{DVec2, Plane, Space, Vector, Volume};
use drystone_sweeping::{
    AnyProblem, Flaw, HalfSpace, Member, Motion, MovingSet, Piece, Problem, SweepError, Swing,
    polygon,
};
use std::path::Path;

/// A problem of the sweeping process that has passed all checks.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// The moving set and its points.
    pub problem: AnyProblem,
}

impl Sweep {
    /// Reads a file.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, Report> {
        let (name, text) = text_of(path.as_ref())?;
        Self::parse(&name, &text)
    }

    /// Reads a problem from text. `name` is what messages call it.
    pub fn parse(name: &str, text: &str) -> Result<Self, Report> {
        let (root, problems) = document(name, text)?;
        let dimension = dimension_of(&root);
        let mut reader = Reader::new(problems, Units::default(), dimension);
        let table = SweepTable::decode(&root, &mut reader);
        let Reader { mut problems, .. } = reader;
        let (Some(table), false) = (table, problems.has_errors()) else {
            return Err(problems.into_report());
        };
        let title = table.title.as_ref().map_or(name, |title| &title.value).to_owned();
        let problem = match dimension {
            Some(2) => build::<Plane>(&table, title, &mut problems)
                .map(|problem| AnyProblem::Plane(problem, None)),
            _ => build::<Volume>(&table, title, &mut problems)
                .map(|problem| AnyProblem::Volume(problem, None)),
        };
        problem.map(|problem| Self { problem }).ok_or_else(|| problems.into_report())
    }
}

/// Shapes that only one dimension has.
trait Shapes: Space {
    /// `None` in space.
    fn polygon(vertices: &[Components<Length>]) -> Option<Result<Vec<Member<Self>>, Flaw>>;
    /// A spin from its components.
    fn spin(values: [f64; 3]) -> Self::Spin;
}

impl Shapes for Plane {
    fn polygon(vertices: &[Components<Length>]) -> Option<Result<Vec<Member<Self>>, Flaw>> {
        let corners = vertices.iter().map(|v| DVec2::new(v.values[0], v.values[1]));
        Some(polygon(&corners.collect::<Vec<_>>()))
    }
    fn spin(values: [f64; 3]) -> f64 {
        values[0]
    }
}

impl Shapes for Volume {
    fn polygon(_: &[Components<Length>]) -> Option<Result<Vec<Member<Self>>, Flaw>> {
        None
    }
    fn spin(values: [f64; 3]) -> Self::Spin {
        values.into()
    }
}

fn vector<S: Space, U>(components: &Option<Components<U>>) -> S::Vector {
    components.as_ref().map_or(S::Vector::ZERO, |c| S::Vector::from_fn(|i| c.values[i]))
}

/// The problem; `None` after its problems have been reported.
fn build<S: Shapes>(
    table: &SweepTable,
    title: String,
    problems: &mut Problems,
) -> Option<Problem<S>> {
    let (end, points) = (table.end.value.as_ref()?, table.points.value.as_ref()?);
    let pieces: Vec<Piece<S>> =
        table.set.items.iter().filter_map(|set| piece(set, problems)).collect();
    if pieces.len() < table.set.items.len() {
        return None;
    }
    let hollow = |set: &&SetTable| matches!(set.shape, SetShape::OutsideBall(_));
    let blamed = table.set.items.iter().find(hollow).map_or(Span::default(), |set| set.span);
    let set = note(MovingSet::new(pieces), blamed, problems)?;
    let starts = points.items.iter().map(|p| S::Vector::from_fn(|i| p.values[i])).collect();
    let problem = Problem { title, set, starts, end: end.value };
    let Err(error) = problem.check() else { return Some(problem) };
    let (span, expected) = match error {
        SweepError::Outside { point, .. } => (points.items[point - 1].span, "a point of the set"),
        SweepError::NoPoint => (points.span, "at least one point, such as [[0, 0]]"),
        _ => (end.span, "a time until which the set has points"),
    };
    problems.push(Draft::error(span, error.to_string()).expected(expected));
    None
}

/// One piece of the set; `None` after a problem has been reported.
fn piece<S: Shapes>(set: &SetTable, problems: &mut Problems) -> Option<Piece<S>> {
    let surface = |table: &SurfaceTable| {
        let normal = S::Vector::from_fn(|i| table.normal.values[i]);
        HalfSpace::<S>::below(vector::<S, _>(&table.point), normal).map(Member::HalfSpace)
    };
    let centre = |table: &RoundTable| vector::<S, _>(&table.centre);
    let (members, span) = match &set.shape {
        SetShape::HalfSpace(table) => (surface(table).map(|member| vec![member]), table.span),
        SetShape::Ball(table) => {
            let ball = Member::ball(centre(table), table.radius.value);
            (ball.map(|member| vec![member]), table.span)
        }
        SetShape::OutsideBall(table) => {
            let outside = Member::outside(centre(table), table.radius.value);
            (outside.map(|member| vec![member]), table.span)
        }
        SetShape::Polyhedron(faces) => (faces.items.iter().map(surface).collect(), faces.span),
        SetShape::Polygon(vertices) => {
            let Some(members) = S::polygon(&vertices.items) else {
                let draft = Draft::error(vertices.span, "a polygon in space is no set");
                problems.push(draft.expected("`polyhedron`, or `dimension = 2`"));
                return None;
            };
            (members, vertices.span)
        }
    };
    let members = note(members, span, problems)?;
    Some(Piece { members, motion: set.motion.as_ref().map_or_else(Motion::default, motion) })
}

fn motion<S: Shapes>(table: &SetMotion) -> Motion<S> {
    let swings = table.swing.iter().flat_map(|swings| &swings.items);
    let pulses = table.pulse.iter().flat_map(|pulses| &pulses.items);
    let phase = |phase: &Option<Number<Angle>>| phase.as_ref().map_or(0.0, |p| p.value);
    Motion {
        velocity: vector::<S, _>(&table.velocity),
        swings: swings
            .map(|swing| Swing {
                amplitude: S::Vector::from_fn(|i| swing.amplitude.values[i]),
                frequency: swing.frequency.value,
                phase: phase(&swing.phase),
            })
            .collect(),
        spin: table.spin.as_ref().map_or(S::Spin::ZERO, |spin| S::spin(spin.values)),
        pivot: vector::<S, _>(&table.pivot),
        growth: table.growth.as_ref().map_or(0.0, |growth| growth.value),
        pulses: pulses
            .map(|pulse| Swing {
                amplitude: pulse.amplitude.value,
                frequency: pulse.frequency.value,
                phase: phase(&pulse.phase),
            })
            .collect(),
    }
}

/// What was made, or `None` after its flaw has been reported.
fn note<T>(made: Result<T, Flaw>, span: Span, problems: &mut Problems) -> Option<T> {
    let expected = |flaw: &Flaw| match flaw {
        Flaw::FewVertices { .. } | Flaw::NotConvex { .. } | Flaw::Flat { .. } => {
            "the vertices of a convex polygon, in order"
        }
        Flaw::NoNormal => "a direction, such as [1, 0]",
        Flaw::NoSet => "at least one `[[set]]`",
        Flaw::NotAlone => "no other `[[set]]` beside it, or `ball`",
        _ => "a positive radius",
    };
    made.map_err(|flaw| {
        problems.push(Draft::error(span, flaw.to_string()).expected(expected(&flaw)));
    })
    .ok()
}
