//! Pairs of the plane, from many families.

use super::distance::Body;
use super::hold::{Known, Placed};
use super::pairs::{Pair, brought_to, gap_kind, magnitude};
use drystone_detect::plane::{PlaneShape, Polygon, Rounded};
use drystone_space::{DVec2, DVec3, Plane, PlaneRotation, Pose, Random, Rotation};
use std::f64::consts::{PI, TAU};

impl Known for Plane {
    // Corners that meet diagonally within the slack are let go on purpose (see polygon_polygon.rs); sizes there are diagonals.
    const LET_GO: f64 = 2.1e-10;

    fn body(shape: &PlaneShape, pose: &Pose<Self>) -> Body {
        let mut body = Body {
            points: vec![],
            edges: vec![],
            faces: vec![],
            radius: 0.0,
            half: None,
            in_plane: true,
        };
        let placed = |v: &DVec2| Self::lift(pose.point(*v));
        match shape {
            PlaneShape::Disk { radius } => {
                body.points.push(Self::lift(pose.position));
                body.radius = *radius;
            }
            PlaneShape::Polygon(p) => {
                body.points = p.vertices().iter().map(placed).collect();
                let count = body.points.len();
                body.edges = (0..count).map(|i| [i, (i + 1) % count]).collect();
            }
            PlaneShape::Rounded(rounded) => {
                body.points = rounded.vertices().iter().map(placed).collect();
                let count = body.points.len();
                let edges = if count == 2 { 1 } else { count };
                body.edges = (0..edges).map(|i| [i, (i + 1) % count]).collect();
                body.radius = rounded.radius();
            }
            PlaneShape::Segment { start, end } => {
                body.points = [start, end].map(placed).to_vec();
                body.edges.push([0, 1]);
            }
            PlaneShape::HalfPlane => {
                let normal = pose.rotation.apply(DVec2::Y);
                body.half = Some((Self::lift(normal), normal.dot(pose.position)));
            }
        }
        body
    }
    fn lift(vector: DVec2) -> DVec3 {
        vector.extend(0.0)
    }
    fn lower(vector: DVec3) -> DVec2 {
        vector.truncate()
    }
}

pub const SHAPES: [&str; 8] =
    ["disk", "regular", "rectangle", "thin", "cloud", "segment", "rounded", "capsule"];

fn shape(kind: usize, random: &mut Random) -> Option<PlaneShape> {
    let thin = 10_f64.powf(-random.between(0.5, 3.0));
    let polygon = |vertices: &[DVec2]| Polygon::new(vertices).ok().map(PlaneShape::Polygon);
    match SHAPES[kind] {
        "disk" => Some(PlaneShape::Disk { radius: random.between(0.2, 1.0) }),
        "regular" => Polygon::regular(3 + random.below(10), 1.0).ok().map(PlaneShape::Polygon),
        "rectangle" => {
            Polygon::rectangle(1.0, random.between(0.1, 1.0)).ok().map(PlaneShape::Polygon)
        }
        "thin" => match random.below(2) {
            0 => Polygon::rectangle(1.0, thin).ok().map(PlaneShape::Polygon),
            _ => polygon(&[DVec2::ZERO, DVec2::X, DVec2::new(random.between(-0.5, 1.5), thin)]),
        },
        "cloud" => {
            let mut angles: Vec<f64> =
                (0..3 + random.below(8)).map(|_| random.between(0.0, TAU)).collect();
            angles.sort_by(f64::total_cmp);
            let stretch = DVec2::new(1.0, random.between(0.1, 1.0));
            polygon(&angles.iter().map(|&a| DVec2::from_angle(a) * stretch).collect::<Vec<_>>())
        }
        "rounded" => {
            let core = shape([1, 2, 3, 4][random.below(4)], random)?;
            let PlaneShape::Polygon(core) = core else { return None };
            Some(PlaneShape::Rounded(Rounded::new(core, magnitude(random, -4.0, 0.0))))
        }
        "capsule" => {
            let end = DVec2::new(random.between(0.1, 1.0), 0.0);
            let radius = magnitude(random, -4.0, 0.0);
            Some(PlaneShape::Rounded(Rounded::segment(-end, end, radius)))
        }
        _ => Some(PlaneShape::Segment {
            start: DVec2::new(random.between(-1.0, 0.5), 0.0),
            end: DVec2::new(1.0, 0.3),
        }),
    }
}

fn scaled(shape: &PlaneShape, by: f64) -> Option<PlaneShape> {
    Some(match shape {
        PlaneShape::Disk { radius } => PlaneShape::Disk { radius: radius * by },
        PlaneShape::Polygon(p) => PlaneShape::Polygon(
            Polygon::new(&p.vertices().iter().map(|&v| v * by).collect::<Vec<_>>()).ok()?,
        ),
        PlaneShape::Rounded(rounded) => {
            let vertices: Vec<_> = rounded.vertices().iter().map(|&v| v * by).collect();
            let radius = rounded.radius() * by;
            PlaneShape::Rounded(match vertices[..] {
                [start, end] => Rounded::segment(start, end, radius),
                _ => Rounded::new(Polygon::new(&vertices).ok()?, radius),
            })
        }
        PlaneShape::Segment { start, end } => {
            PlaneShape::Segment { start: *start * by, end: *end * by }
        }
        PlaneShape::HalfPlane => PlaneShape::HalfPlane,
    })
}

/// A point of a shape's outline and the normal there.
fn place(shape: &PlaneShape, random: &mut Random) -> [DVec2; 2] {
    let any = DVec2::from_angle(random.between(0.0, TAU));
    let (from, to) = match shape {
        PlaneShape::Disk { radius } => return [any * *radius, any],
        PlaneShape::HalfPlane => return [any * DVec2::X, DVec2::Y],
        PlaneShape::Segment { start, end } => (*start, *end),
        PlaneShape::Rounded(rounded) => {
            let corners = rounded.vertices();
            let i = random.below(corners.len());
            let [from, to] = [corners[i], corners[(i + 1) % corners.len()]];
            let normal = -(to - from).normalize().perp();
            let share = [0.0, 1.0, random.unit()][random.below(3)];
            return [from + (to - from) * share + normal * rounded.radius(), normal];
        }
        PlaneShape::Polygon(p) => {
            let i = random.below(p.vertices().len());
            (p.vertices()[i], p.vertices()[(i + 1) % p.vertices().len()])
        }
    };
    let share = [0.0, 1.0, random.unit()][random.below(3)];
    [from + (to - from) * share, -(to - from).normalize().perp()]
}

pub const LAYS: [&str; 4] = ["anyhow", "edges parallel", "edges near parallel", "aligned"];

/// A random pair of two kinds of shapes; the last kind, beyond [`SHAPES`], is the half-plane.
pub fn pair(first: usize, second: usize, lay: usize, random: &mut Random) -> Option<Pair<Plane>> {
    let p = shape(first, random)?;
    let q = if second < SHAPES.len() { shape(second, random)? } else { PlaneShape::HalfPlane };
    let scale = if random.below(4) == 0 { magnitude(random, -3.0, 0.0) } else { 1.0 };
    let q = scaled(&q, scale)?;
    let ([x, n], [y, m]) = (place(&p, random), place(&q, random));
    let opposed = (-n).to_angle() - m.to_angle();
    let tilt = random.between(-1.0, 1.0).signum() * magnitude(random, -14.0, -0.5);
    let angle = match LAYS[lay] {
        "anyhow" => random.between(0.0, TAU),
        "edges parallel" => opposed,
        "edges near parallel" => opposed + tilt,
        _ => 0.5 * PI * random.below(4) as f64 + [0.0, tilt][random.below(2)],
    };
    let turn = PlaneRotation::from_angle(angle);
    let turns = [0.0, random.between(0.0, TAU)];
    let motion = Pose::new(
        DVec2::new(random.between(-2.0, 2.0), random.between(-2.0, 2.0)),
        PlaneRotation::from_angle(turns[random.below(2)]),
    );
    let placed: [Placed<Plane>; 2] =
        [(p, motion), (q, motion.compose(&Pose::new(x - turn.apply(y), turn)))];
    Some(brought_to(placed, gap_kind(random), random))
}
