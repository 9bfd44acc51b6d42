//! What differs between the plane and space when a scene is built.

use crate::format::{CoreChoice, RoundedTable, ShapeChoice};
use crate::quantity::{Length, Vector as Components};
use crate::report::{Draft, Problems, Span};
use crate::scene::AnySetup;
use crate::wrap::Items;
use drystone_detect::ShapeError;
use drystone_detect::plane::{self, PlaneShape, Polygon};
use drystone_detect::volume::{self, Frustum, Polyhedron, VolumeShape};
use drystone_engine::{Dimension, Setup};
use drystone_space::{
    DQuat, DVec2, DVec3, Plane, PlaneRotation, Pose, Random, Rotation, Space, Symmetric3, Vector,
    Volume, math,
};
use std::f64::consts::{FRAC_PI_2, TAU};

/// A space in which scenes can be built.
pub(crate) trait SceneSpace:
    Dimension
    + super::solid::Meshed
    + super::irregular::Shapes
    + super::voronoi::Cells
    + super::vessel::Vessels
    + super::robot::Robots
{
    /// Makes a shape, and its place in the axes of its part; `None` after a problem.
    fn shape(table: &ShapeChoice, problems: &mut Problems) -> Option<(Self::Shape, Pose<Self>)>;
    /// A shape of space; `None` in the plane.
    fn of_space(shape: VolumeShape) -> Option<Self::Shape>;
    /// A disk or a ball.
    fn round(radius: f64) -> Self::Shape;
    /// A box about the origin.
    fn block(size: Self::Vector) -> Result<Self::Shape, ShapeError>;
    /// A regular polygon about the origin; `None` in space.
    fn regular(sides: usize, radius: f64) -> Option<Result<Self::Shape, ShapeError>>;
    /// An outline of the vertical plane; in space with a depth along y.
    fn prism(outline: &[DVec2], depth: f64) -> Result<Self::Shape, ShapeError>;
    /// A convex body of its corners; in the plane in their order round it.
    fn convex(corners: &[Self::Vector]) -> Result<Self::Shape, ShapeError>;
    /// Rotation in the vertical plane, from x towards up.
    fn upright(angle: f64) -> Self::Rotation;
    /// The inertia that is diagonal in the present axes.
    fn diagonal(moments: Self::Spin) -> Self::Inertia;
    /// A rotation drawn uniformly from all.
    fn random_rotation(random: &mut Random) -> Self::Rotation;
    /// The unit vector that points up.
    fn up() -> Self::Vector {
        Self::Vector::axis(Self::DIMENSION - 1)
    }
    /// Forgets the dimension.
    fn any(setup: Setup<Self>) -> AnySetup;
}

/// The components of a vector of the file.
pub(crate) fn vector<S: Space, U, R>(components: &Components<U, R>) -> S::Vector {
    S::Vector::from_fn(|i| components.values[i])
}

/// The components of a vector that may be absent; then zero.
pub(crate) fn vector_or_zero<S: Space, U, R>(components: &Option<Components<U, R>>) -> S::Vector {
    components.as_ref().map_or(S::Vector::ZERO, vector::<S, U, R>)
}

/// A unit vector from a direction of any length.
pub(crate) fn direction<S: Space, U, R>(
    components: &Components<U, R>,
    problems: &mut Problems,
) -> Option<S::Vector> {
    let given = vector::<S, U, R>(components);
    let norm = given.norm();
    // Squares of numbers below this are lost.
    if norm > 1e-100 {
        return Some(given / norm);
    }
    let draft = Draft::error(components.span, "direction of length zero").found("zeros");
    problems.push(draft.expected("a list of numbers that are not all zero"));
    None
}

/// Reports why a shape cannot be made. Vertices are counted from 1, as readers count.
pub(crate) fn shape_problem(error: ShapeError, span: Span, what: &str, problems: &mut Problems) {
    let draft = Draft::error(span, format!("{what} cannot be made"));
    problems.push(match error {
        ShapeError::NotConvex { index } => draft
            .found(format!("an outline that is not convex at vertex {}", index + 1))
            .expected("a convex outline whose vertices follow each other")
            .help("order the vertices, or split the outline into convex `parts`"),
        ShapeError::Repeated { index } => draft
            .found(format!("vertex {} on the one before", index + 1))
            .expected("vertices that differ")
            .help("remove one of them"),
        ShapeError::TooFewPoints { found, needed } => draft
            .found(format!("{found} different points"))
            .expected(format!("at least {needed} different points")),
        ShapeError::TooManyVertices { found, most } => {
            draft.found(format!("{found} vertices")).expected(format!("at most {most} vertices"))
        }
        ShapeError::Degenerate => draft
            .found("points on a line or in a plane")
            .expected("points that enclose an area or a volume"),
        ShapeError::NotFinite { index } => draft
            .found(format!("vertex {} beyond all measure", index + 1))
            .expected("finite numbers"),
    });
}

/// Most points that a polygon or hull may be given by.
const MOST_POINTS: usize = 10_000;

/// The points of a polygon or hull, unless they are too many.
fn vertices<S: Space>(
    points: &Items<Components<Length>>,
    problems: &mut Problems,
) -> Option<Vec<S::Vector>> {
    if points.items.len() > MOST_POINTS {
        let draft = Draft::error(points.span, "too many points");
        let draft = draft.found(format!("{} points", points.items.len()));
        problems.push(draft.expected(format!("at most {MOST_POINTS}")));
        return None;
    }
    Some(points.items.iter().map(vector::<S, _, _>).collect())
}

/// A shape made of points, or the problem at the point that it names.
fn placed<T>(
    made: Result<T, ShapeError>,
    points: &Items<Components<Length>>,
    what: &str,
    problems: &mut Problems,
) -> Option<T> {
    let error = match made {
        Ok(shape) => return Some(shape),
        Err(error) => error,
    };
    let span = match error {
        ShapeError::NotConvex { index }
        | ShapeError::NotFinite { index }
        | ShapeError::Repeated { index } => {
            points.items.get(index).map_or(points.span, |point| point.span)
        }
        _ => points.span,
    };
    shape_problem(error, span, what, problems);
    None
}

/// Reports a shape of the other dimension.
fn foreign<S: SceneSpace>(table: &ShapeChoice, problems: &mut Problems) {
    let mut draft = Draft::error(
        table.span(),
        if S::DIMENSION == 2 {
            "shape of space in the plane"
        } else {
            "shape of the plane in space"
        },
    )
    .found(format!("`{}`", table.key()))
    .expected(match S::DIMENSION {
        2 => "`disk`, `box`, `polygon`, `regular`, `rounded`, `half_plane` or `segment`",
        _ => {
            "`sphere`, `box`, `polyhedron`, `capsule`, `cylinder`, `cone`, `frustum`, `rounded` or `half_space`"
        }
    });
    if let Some(other) = table.counterpart() {
        draft = draft.help(format!("did you mean `{other}`?"));
    }
    problems.push(draft);
}

/// A regular polygon about the origin, its first vertex on the x axis.
fn regular_polygon(sides: usize, radius: f64) -> Result<PlaneShape, ShapeError> {
    let corner = |i| math::direction(TAU * i as f64 / sides as f64) * radius;
    let corners: Vec<DVec2> = (0..sides).map(corner).collect();
    Polygon::new(&corners).map(PlaneShape::Polygon)
}

impl RoundedTable {
    /// The core by itself.
    fn core_shape(&self) -> ShapeChoice {
        match &self.core {
            CoreChoice::Box(size) => ShapeChoice::Box(size.clone()),
            CoreChoice::Polygon(points) => ShapeChoice::Polygon(points.clone()),
            CoreChoice::Regular(table) => ShapeChoice::Regular(table.clone()),
            CoreChoice::Polyhedron(points) => ShapeChoice::Polyhedron(points.clone()),
            CoreChoice::Segment(ends) => ShapeChoice::Segment(ends.clone()),
        }
    }
}

impl SceneSpace for Plane {
    fn shape(table: &ShapeChoice, problems: &mut Problems) -> Option<(PlaneShape, Pose<Self>)> {
        let shape = match table {
            ShapeChoice::Disk(radius) => Ok(Self::round(radius.value)),
            ShapeChoice::Box(size) => Self::block(vector::<Self, _, _>(size)),
            ShapeChoice::Regular(table) => {
                regular_polygon(table.sides.value as usize, table.radius.value)
            }
            ShapeChoice::Polygon(points) => {
                let vertices = vertices::<Self>(points, problems)?;
                let polygon = Polygon::new(&vertices);
                return Some((
                    PlaneShape::Polygon(placed(polygon, points, "the polygon", problems)?),
                    Pose::IDENTITY,
                ));
            }
            ShapeChoice::HalfPlane(table) => {
                let normal = match &table.normal {
                    Some(normal) => direction::<Self, _, _>(normal, problems)?,
                    None => Self::up(),
                };
                let turn = match normal == Self::up() {
                    true => 0.0,
                    false => math::angle(normal) - FRAC_PI_2,
                };
                let point = vector_or_zero::<Self, _, _>(&table.point);
                let pose = Pose::new(point, PlaneRotation::from_angle(turn));
                return Some((PlaneShape::HalfPlane, pose));
            }
            ShapeChoice::Segment(ends) => {
                let start = vector::<Self, _, _>(&ends.first);
                let end = vector::<Self, _, _>(&ends.second);
                if start.distance(end) < 1e-9 {
                    let draft = Draft::error(ends.span, "segment of length zero");
                    problems.push(draft.found("two equal ends").expected("two different points"));
                    return None;
                }
                Ok(PlaneShape::Segment { start, end })
            }
            ShapeChoice::Rounded(table) => {
                let (core, pose) = Self::shape(&table.core_shape(), problems)?;
                let radius = table.radius.value;
                let rounded = match core {
                    PlaneShape::Polygon(core) => plane::Rounded::new(core, radius),
                    PlaneShape::Segment { start, end } => {
                        plane::Rounded::segment(start, end, radius)
                    }
                    _ => return None,
                };
                return Some((PlaneShape::Rounded(rounded), pose));
            }
            _ => {
                foreign::<Self>(table, problems);
                return None;
            }
        };
        let report = |error| shape_problem(error, table.span(), "the shape", problems);
        Some((shape.map_err(report).ok()?, Pose::IDENTITY))
    }
    fn of_space(_: VolumeShape) -> Option<PlaneShape> {
        None
    }
    fn round(radius: f64) -> PlaneShape {
        PlaneShape::Disk { radius }
    }
    fn block(size: DVec2) -> Result<PlaneShape, ShapeError> {
        Polygon::rectangle(size.x, size.y).map(PlaneShape::Polygon)
    }
    fn regular(sides: usize, radius: f64) -> Option<Result<PlaneShape, ShapeError>> {
        Some(regular_polygon(sides, radius))
    }
    fn prism(outline: &[DVec2], _: f64) -> Result<PlaneShape, ShapeError> {
        Polygon::new(outline).map(PlaneShape::Polygon)
    }
    fn convex(corners: &[DVec2]) -> Result<PlaneShape, ShapeError> {
        Polygon::new(corners).map(PlaneShape::Polygon)
    }
    fn upright(angle: f64) -> PlaneRotation {
        PlaneRotation::from_angle(angle)
    }
    fn diagonal(moment: f64) -> f64 {
        moment
    }
    fn random_rotation(random: &mut Random) -> PlaneRotation {
        PlaneRotation::from_angle(random.between(0.0, TAU))
    }
    fn any(setup: Setup<Self>) -> AnySetup {
        AnySetup::Plane(setup)
    }
}

impl SceneSpace for Volume {
    fn shape(table: &ShapeChoice, problems: &mut Problems) -> Option<(VolumeShape, Pose<Self>)> {
        let shape = match table {
            ShapeChoice::Sphere(radius) => Ok(Self::round(radius.value)),
            ShapeChoice::Box(size) => Self::block(vector::<Self, _, _>(size)),
            ShapeChoice::Polyhedron(points) => {
                let vertices = vertices::<Self>(points, problems)?;
                let hull = Polyhedron::hull(&vertices);
                return Some((
                    VolumeShape::Polyhedron(placed(hull, points, "the polyhedron", problems)?),
                    Pose::IDENTITY,
                ));
            }
            ShapeChoice::Capsule(table) => Ok(VolumeShape::Capsule {
                half_length: 0.5 * table.length.value,
                radius: table.radius.value,
            }),
            ShapeChoice::Cylinder(table) => {
                let radii = [table.radius.value; 2];
                Ok(VolumeShape::Frustum(Frustum::new(0.5 * table.length.value, radii)))
            }
            ShapeChoice::Cone(table) => {
                let radii = [table.radius.value, 0.0];
                Ok(VolumeShape::Frustum(Frustum::new(0.5 * table.length.value, radii)))
            }
            ShapeChoice::Frustum(table) => {
                let radii = [table.radii.first.value, table.radii.second.value];
                Ok(VolumeShape::Frustum(Frustum::new(0.5 * table.length.value, radii)))
            }
            ShapeChoice::Rounded(table) => {
                let (core, pose) = Self::shape(&table.core_shape(), problems)?;
                let VolumeShape::Polyhedron(core) = core else { return None };
                let rounded = volume::Rounded::new(core, table.radius.value);
                return Some((VolumeShape::Rounded(rounded), pose));
            }
            ShapeChoice::HalfSpace(table) => {
                let normal = match &table.normal {
                    Some(normal) => direction::<Self, _, _>(normal, problems)?,
                    None => Self::up(),
                };
                let point = vector_or_zero::<Self, _, _>(&table.point);
                let turn = math::arc(Self::up(), normal);
                return Some((VolumeShape::HalfSpace, Pose::new(point, turn)));
            }
            ShapeChoice::Mesh(_) | ShapeChoice::Heights(_) => {
                problems.push(super::mesh::several(table));
                return None;
            }
            _ => {
                foreign::<Self>(table, problems);
                return None;
            }
        };
        let report = |error| shape_problem(error, table.span(), "the shape", problems);
        Some((shape.map_err(report).ok()?, Pose::IDENTITY))
    }
    fn of_space(shape: VolumeShape) -> Option<VolumeShape> {
        Some(shape)
    }
    fn round(radius: f64) -> VolumeShape {
        VolumeShape::Sphere { radius }
    }
    fn block(size: DVec3) -> Result<VolumeShape, ShapeError> {
        Polyhedron::cuboid(size).map(VolumeShape::Polyhedron)
    }
    fn regular(_: usize, _: f64) -> Option<Result<VolumeShape, ShapeError>> {
        None
    }
    fn prism(outline: &[DVec2], depth: f64) -> Result<VolumeShape, ShapeError> {
        let sides = [-0.5 * depth, 0.5 * depth];
        let corner = |y| move |p: &DVec2| DVec3::new(p.x, y, p.y);
        let corners: Vec<DVec3> =
            sides.into_iter().flat_map(|y| outline.iter().map(corner(y))).collect();
        Polyhedron::hull(&corners).map(VolumeShape::Polyhedron)
    }
    fn convex(corners: &[DVec3]) -> Result<VolumeShape, ShapeError> {
        Polyhedron::hull(corners).map(VolumeShape::Polyhedron)
    }
    fn upright(angle: f64) -> DQuat {
        Rotation::<Volume>::exponential(DVec3::Y * -angle)
    }
    fn diagonal(moments: DVec3) -> Symmetric3 {
        Symmetric3 { diagonal: moments, off: DVec3::ZERO }
    }
    /// Marsaglia 1972: two points of the unit disk give a point of the unit sphere in four
    /// dimensions.
    fn random_rotation(random: &mut Random) -> DQuat {
        let (a, b, first) = random.in_disk();
        let (c, d, second) = random.in_disk();
        let scale = ((1.0 - first) / second).sqrt();
        DQuat::from_xyzw(a, b, c * scale, d * scale).normalize()
    }
    fn any(setup: Setup<Self>) -> AnySetup {
        AnySetup::Volume(setup)
    }
}
