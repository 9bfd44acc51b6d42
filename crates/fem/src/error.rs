//! What can be wrong with a mesh, a material or a solve, and how elements and nodes are named there.

use drystone_space::Vector;
use std::fmt;
use thiserror::Error;

/// A place at rest, to be read in a message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Location {
    coordinates: [f64; 3],
    dimension: usize,
}

impl Location {
    /// As a message shows it.
    pub fn of<V: Vector>(x: V) -> Self {
        let coordinate = |i: usize| if i < V::LENGTH { x.get(i) } else { 0.0 };
        Self { coordinates: std::array::from_fn(coordinate), dimension: V::LENGTH }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, x) in self.coordinates[..self.dimension].iter().enumerate() {
            // Four digits are enough to find it.
            let short: f64 = format!("{x:.3e}").parse().unwrap_or(*x);
            write!(f, "{}{short}", if i == 0 { "(" } else { ", " })?;
        }
        f.write_str(")")
    }
}

/// An element, to be read in a message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElementName {
    /// Its number in the file that it comes from; from 0 in a mesh that was made otherwise.
    pub number: usize,
    /// Its kind.
    pub kind: &'static str,
    /// The middle of its corners at rest.
    pub middle: Location,
}

impl fmt::Display for ElementName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "element {} ({}) about {}", self.number, self.kind, self.middle)
    }
}

/// What can be wrong.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum FemError {
    /// A material's number makes no sense.
    #[error("{what} is {value}, must be {expected}")]
    Material {
        /// Which number.
        what: &'static str,
        /// What it is.
        value: f64,
        /// What it must be.
        expected: &'static str,
    },
    /// A size or count of a mesh makes no sense.
    #[error("{what} is {value}, must be {expected}")]
    Size {
        /// Which number.
        what: &'static str,
        /// What it is.
        value: f64,
        /// What it must be.
        expected: &'static str,
    },
    /// An element's nodes are in the wrong order, or it is folded or has no volume.
    #[error(
        "{element} has a Jacobian of {jacobian:.3e} at rest, must be positive: its \
         nodes may be in the wrong order, or the element is folded or flat"
    )]
    BadElement {
        /// Which.
        element: ElementName,
        /// The determinant found.
        jacobian: f64,
    },
    /// An element is turned inside out by the displacements.
    #[error(
        "{element} is turned inside out: its volume would change by the factor {ratio:.3e}; \
         a smaller time step or load step, or a finer mesh, may help"
    )]
    Inverted {
        /// Which.
        element: ElementName,
        /// The determinant of the deformation gradient.
        ratio: f64,
    },
    /// A node belongs to no element.
    #[error("node {node} belongs to no element: remove it from the mesh")]
    LooseNode {
        /// Its number.
        node: usize,
    },
    /// An element names a node that is not there.
    #[error("element {element} names node {node}, but there are {count}")]
    NoSuchNode {
        /// The element.
        element: usize,
        /// The node.
        node: usize,
        /// How many nodes there are.
        count: usize,
    },
    /// Two elements lie on each other, or do not fit together.
    #[error("{element} and element {other} {what}")]
    Misfit {
        /// One of them.
        element: ElementName,
        /// The number of the other.
        other: usize,
        /// How they lie.
        what: &'static str,
    },
    /// An element has the dimension of another space.
    #[error("element {element} is a {kind}, which does not fill {space}")]
    WrongDimension {
        /// The element.
        element: usize,
        /// Its kind.
        kind: &'static str,
        /// The space.
        space: &'static str,
    },
    /// A model in the plane has no section, or one in space has one.
    #[error("a mesh in {space} needs {expected}")]
    WrongSection {
        /// The space.
        space: &'static str,
        /// What it needs.
        expected: &'static str,
    },
    /// A mesh about an axis reaches over it.
    #[error("node {node} is at x = {x}: a mesh about the axis x = 0 must have x >= 0")]
    BehindAxis {
        /// The node.
        node: usize,
        /// Its place.
        x: f64,
    },
    /// No elements.
    #[error("the mesh has no elements that fill {space}")]
    Empty {
        /// The space.
        space: &'static str,
    },
    /// A group that is not there.
    #[error("the mesh has no group `{name}`; it has {}", listed(known))]
    NoSuchGroup {
        /// Its name.
        name: String,
        /// The names of those that are there.
        known: Vec<String>,
    },
    /// A group without sides, where a traction would need some.
    #[error(
        "the group `{name}` has no whole side of the surface: it has points only, or lies inside"
    )]
    NoSides {
        /// Its name.
        name: String,
    },
    /// A stiffness that cannot be factored.
    #[error(
        "the system is singular or not definite along {direction} at the node at {node} of {element}: \
         the solid may be free to move or buckle, its Poisson's ratio be too near 0.5, or the time step too long"
    )]
    Singular {
        /// The node.
        node: Location,
        /// An element that has it.
        element: ElementName,
        /// The axis.
        direction: char,
    },
    /// Newton's iteration did not settle.
    #[error(
        "Newton's iteration stopped after {iterations} with a residual of {residual:.3e}, tolerance \
         {tolerance:.1e}; the worst node is at {node}, of {element}: try a smaller step"
    )]
    NotConverged {
        /// Iterations made.
        iterations: usize,
        /// Relative residual reached.
        residual: f64,
        /// Residual asked for.
        tolerance: f64,
        /// The node with the largest rest.
        node: Location,
        /// An element that has it.
        element: ElementName,
    },
    /// A mesh file cannot be read.
    #[error("{file}, line {line}: {what}")]
    File {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What was found, what was expected.
        what: String,
    },
}

fn listed(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    if quoted.is_empty() { "none".to_owned() } else { quoted.join(", ") }
}

impl FemError {
    /// What to do about it.
    pub fn advice(&self) -> &'static str {
        match self {
            FemError::Material { .. } => "correct the number in `elasticity`",
            FemError::Size { .. } => "correct the number",
            FemError::BadElement { .. } => {
                "list its nodes in the order of its kind, or mesh that place anew"
            }
            FemError::Inverted { .. } => "take a smaller time step or a finer mesh",
            FemError::LooseNode { .. } => "remove the node from the mesh, or save elements only",
            FemError::NoSuchNode { .. } => "save the mesh anew, with all nodes",
            FemError::Misfit { .. } => {
                "mesh that place anew: elements share whole sides, two to a side"
            }
            FemError::WrongDimension { .. } | FemError::Empty { .. } => {
                "mesh areas for the plane, volumes for space, and save their elements"
            }
            FemError::WrongSection { .. } => "correct `section`",
            FemError::BehindAxis { .. } => "move the mesh to x >= 0: x is the radius",
            FemError::NoSuchGroup { .. } => "name one of the groups that it has",
            FemError::NoSides { .. } => "name a group of lines in the plane, of faces in space",
            FemError::Singular { .. } => "hold the solid, or take a smaller time step",
            FemError::NotConverged { .. } => "take a smaller time step",
            FemError::File { .. } => {
                "correct that line, or save the mesh anew as ASCII, format 2.2 or 4.1"
            }
        }
    }
}
