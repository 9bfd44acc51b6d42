//! Pictures of the plane.

use super::decor::{self, Area};
use super::solid::stress_colour;
use super::{Figure, Membrane, Paint, PictureFrame, PictureSettings, Scales, Subject, View};
use crate::draw::{Canvas, Colour, Raster};
use drystone_detect::Geometry;
use drystone_detect::plane::PlaneShape;
use drystone_space::{DVec2, Plane};

impl Paint for Plane {
    fn is_round(shape: &PlaneShape) -> bool {
        matches!(shape, PlaneShape::Disk { .. })
    }
    fn paint(
        frame: &PictureFrame<Self>,
        subject: Subject,
        view: &View<Self>,
        scales: Scales,
        settings: &PictureSettings<Self>,
    ) -> Raster {
        let mut raster = Raster::new(settings.width, settings.height);
        let area = Area::of(raster.size());
        let map = Map::new(view, area);
        for figure in &frame.boundaries {
            draw_boundary(&mut raster, &map, figure);
        }
        for figure in &frame.ghosts {
            draw_body(&mut raster, &map, figure, Colour::rgb(0xe9_e8_e4));
        }
        for figure in &frame.bodies {
            let fill = match subject {
                Subject::Bodies => scales.body_colour(figure.speed),
                Subject::Forces => Colour::rgb(0xf6_f5_f2),
            };
            draw_body(&mut raster, &map, figure, fill);
        }
        for solid in &frame.solids {
            draw_solid(&mut raster, &map, solid, subject, scales);
        }
        for edge in &frame.edges {
            raster.line(&edge.map(|p| map.point(p)), 1.5, Colour::INK.faded(0.6));
        }
        draw_bonds(&mut raster, &map, frame);
        let widest = widest_line(frame, map.scale);
        draw_forces(&mut raster, &map, frame, scales.force, widest);
        area.clip(&mut raster);
        let head = (frame.title.as_str(), frame.time);
        let shown = (!frame.forces.is_empty()).then_some(widest);
        decor::draw(&mut raster, area, head, subject, scales, map.scale, shown);
        raster
    }
}

/// World to canvas.
struct Map {
    origin: DVec2,
    scale: f64,
    /// Longer than any line across the picture.
    beyond: f64,
    middle: DVec2,
}

impl Map {
    fn new(view: &View<Plane>, area: Area) -> Self {
        let (low, high) = view.corners();
        let scale = area.fit(high - low);
        let middle = 0.5 * (low + high);
        // Room to spare belongs above the bodies rather than to the ground below them.
        let spare = (area.high.y - area.low.y) - (high.y - low.y) * scale;
        let drop = if view.is_given() { 0.0 } else { 0.3 * spare };
        let centre = area.centre() + DVec2::new(0.0, drop);
        let origin = centre - DVec2::new(middle.x, -middle.y) * scale;
        let beyond = 2.0 * (area.high - area.low).element_sum() / scale;
        Self { origin, scale, beyond, middle }
    }
    fn point(&self, world: DVec2) -> DVec2 {
        self.origin + DVec2::new(world.x, -world.y) * self.scale
    }
}

/// The width of the line of the largest force, in pixels: a part of the width of most bodies.
fn widest_line(frame: &PictureFrame<Plane>, scale: f64) -> f64 {
    let mut widths: Vec<f64> = frame.bodies.iter().map(|b| Plane::width(&b.shape)).collect();
    if widths.is_empty() {
        return 3.0;
    }
    let middle = widths.len() / 2;
    let median = *widths.select_nth_unstable_by(middle, f64::total_cmp).1;
    (0.4 * median * scale).clamp(3.0, 16.0)
}

fn draw_boundary(raster: &mut Raster, map: &Map, figure: &Figure<Plane>) {
    let pose = &figure.pose;
    match &figure.shape {
        PlaneShape::HalfPlane => {
            let normal = pose.point(DVec2::Y) - pose.position;
            let along = normal.perp() * map.beyond;
            // From the middle of the view to the surface, but never farther than out of sight.
            let offset = normal.dot(pose.position - map.middle).clamp(-map.beyond, map.beyond);
            let surface = map.middle + normal * offset;
            let deep = normal * (2.0 * map.beyond);
            let (left, right) = (surface + along, surface - along);
            let corners = [left, right, right - deep, left - deep].map(|p| map.point(p));
            raster.polygon(&corners, Colour::BOUNDARY.faded(0.45));
            raster.line(&corners[..2], 2.0, Colour::INK.faded(0.8));
        }
        PlaneShape::Segment { start, end } => {
            let ends = [*start, *end].map(|p| map.point(pose.point(p)));
            raster.line(&ends, 3.0, Colour::INK.faded(0.8));
        }
        PlaneShape::Disk { .. } | PlaneShape::Polygon(_) | PlaneShape::Rounded(_) => {
            draw_body(raster, map, figure, Colour::BOUNDARY);
        }
    }
}

fn draw_body(raster: &mut Raster, map: &Map, figure: &Figure<Plane>, fill: Colour) {
    let pose = &figure.pose;
    match &figure.shape {
        PlaneShape::Disk { radius } => {
            let (centre, radius) = (map.point(pose.position), radius * map.scale);
            raster.disk(centre, radius, fill.dimmed(0.35));
            raster.disk(centre, radius - (0.12 * radius).min(1.0), fill);
            if radius > 2.5 {
                let rim = map.point(pose.point(DVec2::X * (radius / map.scale)));
                let side = (rim - centre).perp() * (0.04f64.max(0.5 / radius));
                raster.polygon(
                    &[centre + side, centre - side, rim - side, rim + side],
                    fill.dimmed(0.5),
                );
            }
        }
        PlaneShape::Polygon(polygon) => {
            let corners: Vec<DVec2> =
                polygon.vertices().iter().map(|&v| map.point(pose.point(v))).collect();
            raster.polygon(&corners, fill);
            raster.outline(&corners, 1.0, fill.dimmed(0.35));
        }
        PlaneShape::Rounded(rounded) => {
            let outline = rounded.outline(8);
            let corners: Vec<DVec2> = outline.iter().map(|&v| map.point(pose.point(v))).collect();
            raster.polygon(&corners, fill);
            raster.outline(&corners, 1.0, fill.dimmed(0.35));
        }
        PlaneShape::HalfPlane | PlaneShape::Segment { .. } => draw_boundary(raster, map, figure),
    }
}

/// Parts into which each triangle of an element is cut along an edge, each of one colour.
const SHADES: usize = 4;

/// Elements are filled from their middle to each edge; the mean colour goes below, so that no seams
/// show.
fn draw_solid(
    raster: &mut Raster,
    map: &Map,
    solid: &Membrane<Plane>,
    subject: Subject,
    scales: Scales,
) {
    let colour = |stress: f64| match (subject, scales.stress) {
        (Subject::Bodies, Some((field, top))) => stress_colour(field, stress, top),
        _ => Colour::rgb(0xf6_f5_f2),
    };
    for face in &solid.faces {
        let corners: Vec<DVec2> =
            face.iter().map(|&node| map.point(solid.nodes[node as usize])).collect();
        let count = corners.len() as f64;
        let middle = corners.iter().sum::<DVec2>() / count;
        let mean = face.iter().map(|&node| solid.stress[node as usize]).sum::<f64>() / count;
        raster.polygon(&corners, colour(mean));
        for i in 0..corners.len() {
            let next = (i + 1) % corners.len();
            let values = [face[i], face[next]].map(|node| solid.stress[node as usize]);
            let triangle = [(middle, mean), (corners[i], values[0]), (corners[next], values[1])];
            shade(raster, triangle, colour);
        }
    }
    for face in &solid.faces {
        let corners: Vec<DVec2> =
            face.iter().map(|&node| map.point(solid.nodes[node as usize])).collect();
        raster.outline(&corners, 0.7, Colour::INK.faded(0.35));
    }
}

fn shade(raster: &mut Raster, corners: [(DVec2, f64); 3], colour: impl Fn(f64) -> Colour) {
    let at = |i: usize, j: usize| {
        let (u, v) = (i as f64 / SHADES as f64, j as f64 / SHADES as f64);
        let [a, b, c] = corners;
        (a.0 + (b.0 - a.0) * u + (c.0 - a.0) * v, a.1 + (b.1 - a.1) * u + (c.1 - a.1) * v)
    };
    let mut fill = |parts: [(DVec2, f64); 3]| {
        let mean = parts.iter().map(|part| part.1).sum::<f64>() / 3.0;
        raster.polygon(&parts.map(|part| part.0), colour(mean));
    };
    for i in 0..SHADES {
        for j in 0..SHADES - i {
            fill([at(i, j), at(i + 1, j), at(i, j + 1)]);
            if i + j + 1 < SHADES {
                fill([at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
            }
        }
    }
}

/// Bonds as lines along their share of the faces; broken ones last and widest, as cracks.
fn draw_bonds(raster: &mut Raster, map: &Map, frame: &PictureFrame<Plane>) {
    for broken in [false, true] {
        for bond in frame.bonds.iter().filter(|bond| (bond.damage >= 1.0) == broken) {
            let half = bond.normal.perp() * (0.5 * bond.size);
            let ends = [bond.place - half, bond.place + half].map(|end| map.point(end));
            let width = if bond.damage > 0.0 { 3.0 } else { 1.6 };
            raster.line(&ends, width, bond.colour());
        }
    }
}

fn draw_forces(raster: &mut Raster, map: &Map, frame: &PictureFrame<Plane>, top: f64, widest: f64) {
    for line in &frame.forces {
        let width = widest * (line.force / top).min(1.0);
        // Thinner lines would only grey the picture.
        if width > 0.2 {
            let way = [line.first, line.point, line.second].map(|p| map.point(p));
            raster.line(&way, width, Colour::FORCE);
        }
    }
}
