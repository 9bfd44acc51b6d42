//! One judge for all engines: how far bodies are in each other, by drystone's pair tests, and how far they have crept.

use crate::scene::{Body, Bound, Scene, Shape, turn};
use drystone_detect::plane::{PlaneShape, Polygon};
use drystone_detect::volume::{Polyhedron, VolumeShape};
use drystone_detect::{Extent, Geometry, Manifold};
use drystone_space::{DVec3, Plane, PlaneRotation, Pose, Volume};

/// Where a body is.
#[derive(Clone, Copy, Default)]
pub struct Place {
    pub position: DVec3,
    /// Rotation vector; in the plane the angle is its third coordinate.
    pub rotation: DVec3,
}

/// The largest overlap, and the mean of those pairs that overlap, in widths of the scene.
pub fn overlaps(scene: &Scene, places: &[Place], drum_angle: f64) -> (f64, f64) {
    let depths = if scene.dimension == 2 {
        depths::<Plane>(scene, places, drum_angle)
    } else {
        depths::<Volume>(scene, places, drum_angle)
    };
    let most = depths.iter().copied().fold(0.0, f64::max);
    let mean = depths.iter().sum::<f64>() / depths.len().max(1) as f64;
    (most / scene.width, mean / scene.width)
}

/// The median way between two times, in widths of the scene.
pub fn creep(scene: &Scene, before: &[Place], after: &[Place]) -> f64 {
    let way = |(a, b): (&Place, &Place)| a.position.distance(b.position);
    let mut ways: Vec<f64> = before.iter().zip(after).map(way).collect();
    ways.sort_by(f64::total_cmp);
    ways[ways.len() / 2] / scene.width
}

/// What the judge needs to make of a scene.
trait Judged: Geometry {
    fn shape(shape: &Shape) -> Self::Shape;
    fn half(point: DVec3, normal: DVec3) -> (Self::Shape, Pose<Self>);
    fn pose(place: &Place) -> Pose<Self>;
    /// Least and largest coordinate along the first axis.
    fn along(extent: &Extent<Self>) -> [f64; 2];
}

impl Judged for Plane {
    fn shape(shape: &Shape) -> PlaneShape {
        match shape {
            Shape::Box(sides) => {
                PlaneShape::Polygon(Polygon::rectangle(sides.x, sides.y).expect("a box"))
            }
            Shape::Disk(radius) => PlaneShape::Disk { radius: *radius },
            Shape::Hull(_) => unreachable!("of space"),
        }
    }
    fn half(point: DVec3, normal: DVec3) -> (PlaneShape, Pose<Plane>) {
        let angle = normal.y.atan2(normal.x) - std::f64::consts::FRAC_PI_2;
        (PlaneShape::HalfPlane, Pose::new(point.truncate(), PlaneRotation::from_angle(angle)))
    }
    fn pose(place: &Place) -> Pose<Plane> {
        Pose::new(place.position.truncate(), PlaneRotation::from_angle(place.rotation.z))
    }
    fn along(extent: &Extent<Plane>) -> [f64; 2] {
        let Extent::Box(bounds) = extent else { return [f64::NEG_INFINITY, f64::INFINITY] };
        [bounds.low.x, bounds.high.x]
    }
}

impl Judged for Volume {
    fn shape(shape: &Shape) -> VolumeShape {
        match shape {
            Shape::Box(sides) => {
                VolumeShape::Polyhedron(Polyhedron::cuboid(*sides).expect("a box"))
            }
            Shape::Hull(points) => {
                VolumeShape::Polyhedron(Polyhedron::hull(points).expect("a hull"))
            }
            Shape::Disk(radius) => VolumeShape::Sphere { radius: *radius },
        }
    }
    fn half(point: DVec3, normal: DVec3) -> (VolumeShape, Pose<Volume>) {
        let rotation = drystone_space::DQuat::from_rotation_arc(DVec3::Z, normal);
        (VolumeShape::HalfSpace, Pose::new(point, rotation))
    }
    fn pose(place: &Place) -> Pose<Volume> {
        Pose::new(place.position, turn(place.rotation))
    }
    fn along(extent: &Extent<Volume>) -> [f64; 2] {
        let Extent::Box(bounds) = extent else { return [f64::NEG_INFINITY, f64::INFINITY] };
        [bounds.low.x, bounds.high.x]
    }
}

fn depths<S: Judged>(scene: &Scene, places: &[Place], drum_angle: f64) -> Vec<f64> {
    let placed = |shape: S::Shape, pose: Pose<S>| {
        let extent = S::extent(&shape, &pose);
        (shape, pose, extent)
    };
    let mut bodies: Vec<_> = scene
        .bodies
        .iter()
        .zip(places)
        .map(|(body, place)| placed(S::shape(&body.shape), S::pose(place)))
        .collect();
    bodies.sort_by(|a, b| S::along(&a.2)[0].total_cmp(&S::along(&b.2)[0]));
    let mut bounds = Vec::new();
    for bound in &scene.bounds {
        match bound {
            Bound::Below(point, normal) => {
                let (shape, pose) = S::half(*point, *normal);
                bounds.push(placed(shape, pose));
            }
            Bound::Drum(parts, _) => bounds.extend(parts.iter().map(|part| {
                let place = turned(part, drum_angle);
                placed(S::shape(&part.shape), S::pose(&place))
            })),
        }
    }
    let (mut depths, mut manifold) = (Vec::new(), Manifold::<S>::default());
    let mut judge = |a: &(S::Shape, Pose<S>, Extent<S>), b: &(S::Shape, Pose<S>, Extent<S>)| {
        let meet = match (&a.2, &b.2) {
            (Extent::Box(a), Extent::Box(b)) => a.overlaps(b),
            _ => true,
        };
        if meet {
            manifold.clear();
            S::collide((&a.0, &a.1), (&b.0, &b.1), 0.0, &mut manifold);
            let deepest = manifold.touches().iter().map(|t| -t.gap).fold(0.0, f64::max);
            if deepest > 0.0 {
                depths.push(deepest);
            }
        }
    };
    for (i, body) in bodies.iter().enumerate() {
        let end = S::along(&body.2)[1];
        for other in bodies[i + 1..].iter().take_while(|other| S::along(&other.2)[0] <= end) {
            judge(body, other);
        }
        bounds.iter().for_each(|bound| judge(body, bound));
    }
    depths
}

/// A part of the drum when it has turned.
pub fn turned(part: &Body, angle: f64) -> Place {
    let position = turn(DVec3::Z * angle) * part.position;
    Place { position, rotation: part.rotation + DVec3::Z * angle }
}
