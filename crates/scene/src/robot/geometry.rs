//! Shapes of a description, with their masses: balls, boxes, capsules, cylinders, hulls of meshes.

use super::Reading;
use super::xml::{Xml, span_of};
use crate::report::Draft;
use drystone_detect::volume::{Frustum, Polyhedron, VolumeShape};
use drystone_detect::{Geometry, ShapeError, Solid};
use drystone_engine::MassProperties;
use drystone_space::{DMat3, DQuat, DVec3, Inertia, Pose, Rotation, Space, Symmetric3, Volume};
use roxmltree::Node;

/// Most different points of a mesh, of which only the hull is taken.
const MOST_POINTS: usize = 10_000;

/// A turn about an axis of length 1.
pub(super) fn turn(axis: DVec3, angle: f64) -> DQuat {
    <Volume as Space>::Rotation::exponential(axis * angle)
}

/// The turn that takes the axes x, y, z to three axes at right angles.
pub(super) fn turn_of_axes(x: DVec3, y: DVec3) -> Option<DQuat> {
    let z = x.cross(y);
    let (x, z) = (x.try_normalize()?, z.try_normalize()?);
    Some(DQuat::from_mat3(&DMat3::from_cols(x, z.cross(x), z)).normalize())
}

/// A shape with volume, centre and inertia of the body that it stands for.
pub(super) type Formed = (VolumeShape, Solid<Volume>);

/// A shape that is its own solid.
pub(super) fn solid(shape: VolumeShape) -> Option<Formed> {
    let solid = Volume::solid(&shape)?;
    Some((shape, solid))
}

/// A cylinder along z.
pub(super) fn cylinder(half: f64, radius: f64) -> Result<Formed, ShapeError> {
    let shape = VolumeShape::Frustum(Frustum::new(half, [radius; 2]));
    solid(shape).ok_or(ShapeError::Degenerate)
}

/// A box of these sides.
pub(super) fn cuboid(size: DVec3) -> Result<Formed, ShapeError> {
    let shape = VolumeShape::Polyhedron(Polyhedron::cuboid(size)?);
    solid(shape).ok_or(ShapeError::Degenerate)
}

/// Sums masses in the same axes: each a solid with its place and its mass.
pub(super) fn weigh<'a>(
    parts: impl Iterator<Item = (&'a Solid<Volume>, &'a Pose<Volume>, f64)> + Clone,
) -> Option<MassProperties<Volume>> {
    let (mut mass, mut moment) = (0.0, DVec3::ZERO);
    for (solid, place, own) in parts.clone() {
        mass += own;
        moment += place.point(solid.centre) * own;
    }
    let positive = mass > 0.0;
    if !positive {
        return None;
    }
    let centre = moment / mass;
    let mut inertia = Symmetric3::default();
    for (solid, place, own) in parts {
        let arm = place.point(solid.centre) - centre;
        inertia = inertia
            .add(solid.inertia.turned(place.rotation), own / solid.measure)
            .add(Symmetric3::of_point(arm), own);
    }
    Some(MassProperties { mass, centre, inertia })
}

impl Xml<'_> {
    /// A shape that could be made; reports why it could not.
    pub fn formed(&mut self, node: Node, made: Result<Formed, ShapeError>) -> Option<Formed> {
        let error = match made {
            Ok(made) => return Some(made),
            Err(error) => error,
        };
        let tag = node.tag_name().name();
        let draft = Draft::error(span_of(node), format!("the shape of `<{tag}>` cannot be made"));
        self.push(
            draft.found(error.to_string()).expected("a convex solid of at most 256 vertices"),
        );
        None
    }

    /// The hull of a mesh; `node` names the file.
    pub fn mesh(
        &mut self,
        node: Node,
        file: &str,
        folder: &str,
        scale: DVec3,
        reading: Reading<'_>,
    ) -> Option<Formed> {
        match (reading.mesh)(&places(file, folder)).and_then(different) {
            Ok(points) => {
                let scaled: Vec<DVec3> = points.into_iter().map(|p| p * scale).collect();
                let hull = Polyhedron::hull(&scaled).map(VolumeShape::Polyhedron);
                let made = hull.and_then(|hull| solid(hull).ok_or(ShapeError::Degenerate));
                self.formed(node, made)
            }
            Err(why) => {
                let draft = Draft::error(span_of(node), "mesh that cannot be read");
                let draft = draft.found(format!("`{file}`: {why}"));
                self.push(draft.expected("an STL, OBJ or PLY beside the description"));
                None
            }
        }
    }

    /// Mass, centre and inertia that are stated; reports what no body can have.
    pub fn stated(
        &mut self,
        node: Node,
        mass: f64,
        place: Pose<Volume>,
        inertia: Symmetric3,
    ) -> Option<MassProperties<Volume>> {
        let (moments, _) = inertia.principal();
        let (least, most) = (moments.min_element(), moments.max_element());
        let sum = moments.element_sum();
        let possible = least > 0.0 && most <= (1.0 + 1e-6) * (sum - most);
        if !possible {
            let draft = Draft::error(span_of(node), "no body has such an inertia");
            let draft = draft.found(format!(
                "principal moments {:e}, {:e} and {:e}",
                moments.x, moments.y, moments.z
            ));
            let expected = "three moments above zero, none more than the other two together";
            self.push(draft.expected(expected));
            return None;
        }
        let inertia = inertia.turned(place.rotation);
        Some(MassProperties { mass, centre: place.position, inertia })
    }
}

/// The points that are different; or why there are too many of them.
fn different(mut points: Vec<DVec3>) -> Result<Vec<DVec3>, String> {
    let order = |a: &DVec3, b: &DVec3| {
        let each = a.to_array().into_iter().zip(b.to_array()).map(|(a, b)| a.total_cmp(&b));
        each.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
    };
    points.sort_unstable_by(order);
    points.dedup();
    match points.len() {
        count if count > MOST_POINTS => {
            Err(format!("it has {count} points, and at most {MOST_POINTS} are taken"))
        }
        _ => Ok(points),
    }
}

/// Names by which a mesh may be found, those of packages by the folders about the description.
fn places(file: &str, folder: &str) -> Vec<String> {
    let local = file.strip_prefix("file://").unwrap_or(file);
    let inner = match local.strip_prefix("package://") {
        Some(path) => path.split_once('/').map_or(path, |(_, rest)| rest),
        None => local,
    };
    match folder {
        "" => vec![inner.to_owned(), format!("../{inner}")],
        folder => vec![format!("{folder}/{inner}"), inner.to_owned()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meshes_of_packages_are_sought_about_the_description() {
        assert_eq!(places("package://dog/meshes/a.stl", ""), ["meshes/a.stl", "../meshes/a.stl"]);
        assert_eq!(places("a.obj", "parts"), ["parts/a.obj", "a.obj"]);
    }
}
