//! Pictures of space: a depth buffer with analytic spheres and capsules, and triangles for the
//! rest. Parallel rays, one lamp and an even light from all sides.

mod buffer;
mod camera;
mod curved;

use super::decor::{self, Area};
use super::solid::stress_colour;
use super::{Figure, Membrane, Paint, PictureFrame, PictureSettings, Scales, Subject, View};
use crate::draw::{Anchor, Canvas, Colour, Raster};
use crate::plot::round_down;
use buffer::{Buffer, SAMPLES};
use camera::Camera;
use drystone_detect::Geometry;
use drystone_detect::volume::{Polyhedron, Triangle, VolumeShape};
use drystone_space::{DVec2, DVec3, Pose, Volume};

impl Paint for Volume {
    fn is_round(shape: &VolumeShape) -> bool {
        matches!(shape, VolumeShape::Sphere { .. })
    }
    fn paint(
        frame: &PictureFrame<Self>,
        subject: Subject,
        view: &View<Self>,
        scales: Scales,
        settings: &PictureSettings<Self>,
    ) -> Raster {
        let size = Raster::new(settings.width, settings.height).size();
        let area = Area::of(size);
        let corners = box_corners(view.corners());
        let camera = Camera::new(settings, &corners, area);
        let mut scene =
            Scene { buffer: Buffer::new(size.x as usize, size.y as usize), camera, corners };
        let widest = scene.widest_tube(frame);
        match subject {
            Subject::Bodies => scene.bodies(frame, scales),
            Subject::Forces => scene.forces(frame, scales.force, widest),
        }
        scene.cracks(frame);
        for solid in &frame.solids {
            scene.solid(solid, subject, scales);
        }
        for figure in &frame.boundaries {
            scene.boundary(figure, frame);
        }
        for edge in &frame.edges {
            let ends = edge.map(|p| scene.camera.point(p));
            scene.buffer.line(ends, 1.5 * SAMPLES as f64, Colour::INK.faded(0.6));
        }
        let mut raster = scene.buffer.resolve(2 * SAMPLES);
        area.clip(&mut raster);
        let head = (frame.title.as_str(), frame.time);
        let pixels_per_metre = camera.scale / SAMPLES as f64;
        let shown = (subject == Subject::Forces).then_some(2.0 * widest * pixels_per_metre);
        decor::draw(&mut raster, area, head, subject, scales, pixels_per_metre, shown);
        draw_axes(&mut raster, &camera, area);
        raster
    }
}

fn box_corners((low, high): (DVec3, DVec3)) -> [DVec3; 8] {
    std::array::from_fn(|i| {
        let pick = |bit: usize, low, high| if i >> bit & 1 == 0 { low } else { high };
        DVec3::new(pick(0, low.x, high.x), pick(1, low.y, high.y), pick(2, low.z, high.z))
    })
}

/// Directions of the three axes, in the lower right corner.
fn draw_axes(raster: &mut Raster, camera: &Camera, area: Area) {
    let origin = area.high + DVec2::new(56.0, -30.0);
    for (axis, name) in [(DVec3::X, "x"), (DVec3::Y, "y"), (DVec3::Z, "z")] {
        let direction = camera.direction(axis).truncate();
        raster.line(&[origin, origin + 34.0 * direction], 1.6, Colour::INK);
        let at = origin + 46.0 * direction + DVec2::new(0.0, 5.0);
        raster.text(at, name, 15.0, Anchor::Middle, Colour::INK);
    }
}

/// Cosine of the angle between faces from which the edge between them is drawn.
const SHARP: f64 = 0.85;

/// Direction of the lamp on the screen: to the upper left of the eye.
const LAMP: DVec3 = DVec3::new(-0.42, -0.64, 0.643);

/// A colour under the lamp.
fn lit(colour: Colour, normal: DVec3) -> Colour {
    // Light wraps around: the far side is dim, never black.
    let facing = 0.5 + 0.5 * normal.dot(LAMP);
    colour.dimmed(0.42 + 0.62 * facing)
}

struct Scene {
    buffer: Buffer,
    camera: Camera,
    corners: [DVec3; 8],
}

impl Scene {
    fn bodies(&mut self, frame: &PictureFrame<Volume>, scales: Scales) {
        // From front to back: what is hidden is then not coloured.
        let nearness = |f: &Figure<Volume>| self.camera.toward.dot(f.pose.position);
        let mut order: Vec<&Figure<Volume>> = frame.bodies.iter().collect();
        order.sort_by(|a, b| nearness(b).total_cmp(&nearness(a)));
        for figure in order {
            self.body(figure, scales.body_colour(figure.speed));
        }
    }
    fn body(&mut self, figure: &Figure<Volume>, colour: Colour) {
        let pose = &figure.pose;
        match &figure.shape {
            VolumeShape::Sphere { radius } => self.sphere(pose, *radius, colour),
            VolumeShape::Capsule { half_length, radius } => {
                let end = DVec3::Z * *half_length;
                self.capsule([pose.point(-end), pose.point(end)], *radius, colour);
            }
            VolumeShape::Polyhedron(polyhedron) => self.polyhedron(polyhedron, pose, colour),
            VolumeShape::Rounded(rounded) => self.rounded(rounded, pose, colour),
            VolumeShape::Frustum(frustum) => self.frustum(frustum, pose, colour),
            // What has no mass is always a boundary.
            VolumeShape::HalfSpace | VolumeShape::Triangle(_) => {}
        }
    }
    /// What would hide the scene is drawn by its edges only.
    fn boundary(&mut self, figure: &Figure<Volume>, frame: &PictureFrame<Volume>) {
        match &figure.shape {
            VolumeShape::HalfSpace => self.half_space(figure, frame),
            VolumeShape::Triangle(triangle) => self.surface(triangle, &figure.pose),
            VolumeShape::Polyhedron(polyhedron) if self.is_in_front(polyhedron, &figure.pose) => {
                self.edges(polyhedron, &figure.pose, Colour::INK);
            }
            _ => self.body(figure, Colour::rgb(0xd3_d5_d8)),
        }
    }
    fn is_in_front(&self, polyhedron: &Polyhedron, pose: &Pose<Volume>) -> bool {
        let vertices = polyhedron.vertices();
        let middle = vertices.iter().sum::<DVec3>() / vertices.len().max(1) as f64;
        (pose.point(middle) - self.camera.target).dot(self.camera.toward) > 0.0
    }

    /// A triangle of a surface, filled where it is seen from the front or, touched from both sides, lies behind what moves;
    /// its sharp edges in any case.
    fn surface(&mut self, triangle: &Triangle, pose: &Pose<Volume>) {
        let corners = triangle.corners().map(|corner| pose.point(corner));
        let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
        let corners = corners.map(|corner| self.camera.point(corner));
        let normal = -newell(&corners);
        let behind = (middle - self.camera.target).dot(self.camera.toward) <= 0.0;
        let filled = normal.z > 0.0 || triangle.is_two_sided() && behind;
        if filled {
            let shade = lit(Colour::rgb(0xd3_d5_d8), normal * normal.z.signum());
            self.buffer.triangle(corners, |_| shade);
        }
        for ([from, to], [one, other]) in triangle.edges() {
            if one.dot(other) < SHARP {
                let line = [corners[from], corners[to]];
                self.buffer.line(line, 0.9 * SAMPLES as f64, Colour::rgb(0x8a_90_96));
            }
        }
    }

    /// A line around the sphere, fixed to the body, shows how it rolls.
    fn sphere(&mut self, pose: &Pose<Volume>, radius: f64, colour: Colour) {
        let axis = self.camera.direction(pose.point(DVec3::Z) - pose.position);
        let mark = colour.dimmed(0.62);
        let centre = self.camera.point(pose.position);
        self.buffer.sphere(centre, radius * self.camera.scale, |normal| {
            lit(if normal.dot(axis).abs() < 0.06 { mark } else { colour }, normal)
        });
    }
    fn capsule(&mut self, ends: [DVec3; 2], radius: f64, colour: Colour) {
        let ends = ends.map(|p| self.camera.point(p));
        let radius = radius * self.camera.scale;
        for end in ends {
            self.buffer.sphere(end, radius, |normal| lit(colour, normal));
        }
        self.buffer.tube(ends, radius, |normal| lit(colour, normal));
    }
    fn polyhedron(&mut self, polyhedron: &Polyhedron, pose: &Pose<Volume>, colour: Colour) {
        let edge = colour.dimmed(0.4);
        for face in polyhedron.faces() {
            let corners = self.face(polyhedron, face, pose);
            // On the screen y points down: a face seen from outside turns clockwise there.
            let normal = -newell(&corners);
            if normal.z > 0.0 {
                let shade = lit(colour, normal);
                for pair in corners[1..].windows(2) {
                    self.buffer.triangle([corners[0], pair[0], pair[1]], |_| shade);
                }
                self.loop_of_lines(&corners, edge);
            }
        }
    }
    /// Facets of the surface in the colours of the stress; in a picture of forces, edges only.
    fn solid(&mut self, solid: &Membrane<Volume>, subject: Subject, scales: Scales) {
        for face in &solid.faces {
            let at = |&node: &u32| self.camera.point(solid.nodes[node as usize]);
            let corners: Vec<DVec3> = face.iter().map(at).collect();
            let normal = -newell(&corners);
            if let (true, Subject::Bodies, Some((field, top))) =
                (normal.z > 0.0, subject, scales.stress)
            {
                let value = |i: usize| solid.stress[face[i] as usize];
                for i in 1..corners.len() - 1 {
                    let values = [value(0), value(i), value(i + 1)];
                    self.buffer.triangle([corners[0], corners[i], corners[i + 1]], |weights| {
                        let stress: f64 = weights.iter().zip(values).map(|(w, v)| w * v).sum();
                        lit(stress_colour(field, stress, top), normal)
                    });
                }
            }
            if normal.z > 0.0 {
                self.loop_of_lines(&corners, Colour::rgb(0x70_76_7c));
            }
        }
    }
    fn edges(&mut self, polyhedron: &Polyhedron, pose: &Pose<Volume>, colour: Colour) {
        for face in polyhedron.faces() {
            let corners = self.face(polyhedron, face, pose);
            self.loop_of_lines(&corners, colour);
        }
    }
    fn face(&self, polyhedron: &Polyhedron, face: &[u32], pose: &Pose<Volume>) -> Vec<DVec3> {
        let corner = |&i: &u32| self.camera.point(pose.point(polyhedron.vertices()[i as usize]));
        face.iter().map(corner).collect()
    }
    fn loop_of_lines(&mut self, corners: &[DVec3], colour: Colour) {
        for (i, &corner) in corners.iter().enumerate() {
            let next = corners[(i + 1) % corners.len()];
            self.buffer.line([corner, next], 0.9 * SAMPLES as f64, colour);
        }
    }

    /// The part of the surface beside the box of the view and outside all other half-spaces:
    /// filled, with a grid, where it lies behind the bodies, as an outline where it would hide them.
    fn half_space(&mut self, figure: &Figure<Volume>, frame: &PictureFrame<Volume>) {
        let others = || {
            let halves = frame.boundaries.iter().filter(|f| f.shape == VolumeShape::HalfSpace);
            halves.filter(|other| *other != figure)
        };
        let mut patch = Patch::new(&figure.pose, &self.corners);
        if others().next().is_none() {
            // A ground without walls reaches beyond what stands on it.
            patch.grow(0.1 * self.corners[0].distance(self.corners[7]));
        }
        let outline = others().fold(patch.outline(), |rest, other| cut(&rest, &other.pose));
        let corners: Vec<DVec3> = outline.iter().map(|&p| self.camera.point(p)).collect();
        if corners.len() < 3 {
            return;
        }
        if patch.normal.dot(self.camera.toward) > 0.05 {
            let spacing = round_down((patch.high - patch.low).max_element() / 6.0);
            // Grid lines are as wide as the others, whatever the scale.
            let line = 0.6 * SAMPLES as f64 / self.camera.scale;
            let facing = self.camera.direction(patch.normal).dot(LAMP).max(0.0);
            let ground = Colour::rgb(0xf4_f5_f6).dimmed(0.9 + 0.1 * facing);
            let grid = ground.dimmed(0.9);
            for i in 1..corners.len() - 1 {
                let [a, b, c] = [0, i, i + 1];
                let flat = [a, b, c].map(|k| patch.flat(outline[k]));
                self.buffer.triangle([corners[a], corners[b], corners[c]], |[u, v, w]| {
                    let place = (flat[0] * u + flat[1] * v + flat[2] * w) / spacing;
                    let off = (place - place.round()).abs().min_element() * spacing;
                    if off < line { grid } else { ground }
                });
            }
        }
        self.loop_of_lines(&corners, Colour::rgb(0x8a_90_96));
    }

    /// Radius of the tube of the largest force, in metres: a part of the width of most bodies.
    fn widest_tube(&self, frame: &PictureFrame<Volume>) -> f64 {
        let mut widths: Vec<f64> = frame.bodies.iter().map(|b| Volume::width(&b.shape)).collect();
        if widths.is_empty() {
            return 0.0;
        }
        let middle = widths.len() / 2;
        0.18 * *widths.select_nth_unstable_by(middle, f64::total_cmp).1
    }
    /// Damaged bonds as crosses in the plane of their faces.
    fn cracks(&mut self, frame: &PictureFrame<Volume>) {
        for bond in frame.bonds.iter().filter(|bond| bond.damage > 0.0) {
            let half = 0.5 * bond.size.sqrt();
            let (x, y) = bond.normal.any_orthonormal_pair();
            let corner = |u: f64, v: f64| bond.place + (x * u + y * v) * half;
            let colour = bond.colour();
            let ends = [corner(-1.0, 0.0), corner(1.0, 0.0), corner(0.0, -1.0), corner(0.0, 1.0)];
            self.capsule([ends[0], ends[1]], 0.12 * half, colour);
            self.capsule([ends[2], ends[3]], 0.12 * half, colour);
        }
    }
    /// Forces as tubes from centre to centre, as thick as they are large.
    fn forces(&mut self, frame: &PictureFrame<Volume>, top: f64, widest: f64) {
        let thinnest = 0.5 / self.camera.scale;
        for line in &frame.forces {
            let radius = widest * (line.force / top).min(1.0);
            if radius > thinnest {
                self.capsule([line.first, line.point], radius, Colour::FORCE);
                self.capsule([line.point, line.second], radius, Colour::FORCE);
            }
        }
    }
}

/// The rectangle of a half-space's surface that lies beside the box of the view.
struct Patch {
    origin: DVec3,
    normal: DVec3,
    along: DVec3,
    across: DVec3,
    low: DVec2,
    high: DVec2,
}

impl Patch {
    fn new(pose: &Pose<Volume>, corners: &[DVec3; 8]) -> Self {
        let normal = pose.point(DVec3::Z) - pose.position;
        let along = DVec3::Z.cross(normal).try_normalize().unwrap_or(DVec3::X);
        let across = normal.cross(along);
        let empty = (DVec2::INFINITY, DVec2::NEG_INFINITY);
        let mut patch =
            Self { origin: pose.position, normal, along, across, low: empty.0, high: empty.1 };
        for &corner in corners {
            let flat = patch.flat(corner);
            (patch.low, patch.high) = (patch.low.min(flat), patch.high.max(flat));
        }
        patch
    }
    fn grow(&mut self, reach: f64) {
        (self.low, self.high) = (self.low - reach, self.high + reach);
    }
    /// Coordinates along the surface.
    fn flat(&self, world: DVec3) -> DVec2 {
        let arm = world - self.origin;
        DVec2::new(self.along.dot(arm), self.across.dot(arm))
    }
    fn outline(&self) -> Vec<DVec3> {
        let (low, high) = (self.low, self.high);
        [low, DVec2::new(high.x, low.y), high, DVec2::new(low.x, high.y)]
            .map(|p| self.origin + self.along * p.x + self.across * p.y)
            .to_vec()
    }
}

/// What is left of a convex polygon outside a half-space.
fn cut(polygon: &[DVec3], half_space: &Pose<Volume>) -> Vec<DVec3> {
    let height = |p: DVec3| half_space.inverse_point(p).z;
    let mut rest = Vec::with_capacity(polygon.len() + 1);
    for (i, &from) in polygon.iter().enumerate() {
        let to = polygon[(i + 1) % polygon.len()];
        let (a, b) = (height(from), height(to));
        if a >= 0.0 {
            rest.push(from);
        }
        if (a < 0.0) != (b < 0.0) {
            rest.push(from + (to - from) * (a / (a - b)));
        }
    }
    rest
}

/// Unit normal of a polygon in space, toward the side from which it turns counter-clockwise.
fn newell(corners: &[DVec3]) -> DVec3 {
    let next = corners.iter().cycle().skip(1);
    corners.iter().zip(next).map(|(a, b)| a.cross(*b)).sum::<DVec3>().normalize_or_zero()
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_space::DQuat;

    #[test]
    fn a_floor_is_cut_by_a_wall() {
        let square = [(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0)];
        let square = square.map(|(x, y)| DVec3::new(x, y, 0.0));
        let turn = DQuat::from_rotation_arc(DVec3::Z, DVec3::X);
        let wall = Pose::new(DVec3::new(0.5, 0.0, 0.0), turn);
        let rest = cut(&square, &wall);
        assert_eq!(rest.len(), 4);
        assert!(rest.iter().all(|p| p.x > 0.5 - 1e-12));
        let beyond = Pose::new(DVec3::new(5.0, 0.0, 0.0), turn);
        assert!(cut(&square, &beyond).is_empty());
    }

    #[test]
    fn a_picture_shows_the_nearer_body_in_its_colour() {
        let sphere = |x: f64, radius: f64, speed: f64| Figure {
            shape: VolumeShape::Sphere { radius },
            pose: Pose::at(DVec3::new(x, 0.0, 0.0)),
            speed,
        };
        let frame = PictureFrame {
            title: "two".to_owned(),
            time: 0.0,
            bodies: vec![sphere(0.0, 1.0, 0.0), sphere(3.0, 0.4, 1.0)],
            boundaries: Vec::new(),
            forces: Vec::new(),
            bonds: Vec::new(),
            solids: Vec::new(),
            edges: Vec::new(),
            ghosts: Vec::new(),
        };
        // Seen along x, the small fast sphere stands before the large one at rest.
        let settings = PictureSettings {
            width: 400,
            height: 300,
            azimuth: 0.0,
            elevation: 0.0,
            ..PictureSettings::default()
        };
        let view = View::new(None, &frame);
        let scales = Scales { speed: 1.0, force: 1.0, stress: None };
        let raster = Volume::paint(&frame, Subject::Bodies, &view, scales, &settings);
        let middle = Area::of(raster.size()).centre();
        let pixel = |offset: f64| {
            let (x, y) = ((middle.x + offset) as usize, (middle.y - 6.0) as usize);
            let at = 4 * (400 * y + x);
            let [r, _, b, _] = raster.data()[at..at + 4] else { unreachable!() };
            (r, b)
        };
        let (red, blue) = pixel(0.0);
        assert!(blue > red + 40, "fast is blue");
        let (red, blue) = pixel(70.0);
        assert!(red > blue, "rest is the colour of stone");
    }

    #[test]
    fn the_normal_of_a_polygon() {
        let square = [(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0)];
        let square = square.map(|(x, y)| DVec3::new(x, y, 7.0));
        assert!((newell(&square) - DVec3::Z).length() < 1e-12);
    }
}
