//! Frusta and rounded polyhedra in pictures of space.

use super::{Scene, lit, newell};
use crate::draw::Colour;
use drystone_detect::volume::{Frustum, Rounded};
use drystone_space::{DVec3, Pose, Volume, math};
use std::f64::consts::TAU;

/// Sides of the prism that is drawn for a frustum, with the normals of the frustum.
const SIDES: usize = 64;

impl Scene {
    /// Offset faces, tubes along edges and balls at corners.
    pub(super) fn rounded(&mut self, rounded: &Rounded, pose: &Pose<Volume>, colour: Colour) {
        let (core, radius) = (rounded.core(), rounded.radius());
        for (number, face) in core.faces().iter().enumerate() {
            let out = core.normal(number) * radius;
            let corner =
                |&i: &u32| self.camera.point(pose.point(core.vertices()[i as usize] + out));
            let corners: Vec<DVec3> = face.iter().map(corner).collect();
            let normal = -newell(&corners);
            if normal.z > 0.0 {
                let shade = lit(colour, normal);
                for pair in corners[1..].windows(2) {
                    self.buffer.triangle([corners[0], pair[0], pair[1]], |_| shade);
                }
            }
        }
        let radius = radius * self.camera.scale;
        let place = |v: DVec3| self.camera.point(pose.point(v));
        let vertices: Vec<DVec3> = core.vertices().iter().map(|&v| place(v)).collect();
        for ends in core.edges() {
            let ends = ends.map(|v| vertices[v as usize]);
            self.buffer.tube(ends, radius, |normal| lit(colour, normal));
        }
        for vertex in vertices {
            self.buffer.sphere(vertex, radius, |normal| lit(colour, normal));
        }
    }

    /// Lines on it, fixed to the body, show how it rolls.
    pub(super) fn frustum(&mut self, frustum: &Frustum, pose: &Pose<Volume>, colour: Colour) {
        let (h, radii) = (frustum.half_length(), frustum.radii());
        let turn = |i: usize| math::direction(TAU * (i % SIDES) as f64 / SIDES as f64);
        let rim = |end: usize, i: usize| {
            let z = if end == 0 { -h } else { h };
            self.camera.point(pose.point((turn(i) * radii[end]).extend(z)))
        };
        let rims: [Vec<DVec3>; 2] = [0, 1].map(|end| (0..SIDES).map(|i| rim(end, i)).collect());
        let normal = |i: usize| {
            let normal = (turn(i) * (2.0 * h)).extend(radii[0] - radii[1]).normalize();
            self.camera.direction(pose.point(normal) - pose.position)
        };
        let normals: Vec<DVec3> = (0..SIDES).map(normal).collect();
        for i in 0..SIDES {
            let j = (i + 1) % SIDES;
            if normals[i].z < 0.0 && normals[j].z < 0.0 {
                continue;
            }
            let between = |weights: [f64; 3], [a, b, c]: [usize; 3]| {
                let sum =
                    normals[a] * weights[0] + normals[b] * weights[1] + normals[c] * weights[2];
                lit(colour, sum.normalize_or(DVec3::Z))
            };
            let [low, high] = &rims;
            self.buffer.triangle([low[i], low[j], high[j]], |w| between(w, [i, j, j]));
            self.buffer.triangle([low[i], high[j], high[i]], |w| between(w, [i, j, i]));
        }
        let edge = colour.dimmed(0.4);
        for (end, corners) in rims.iter().enumerate() {
            let axis = if end == 0 { DVec3::NEG_Z } else { DVec3::Z };
            let normal = self.camera.direction(pose.point(axis) - pose.position);
            if radii[end] > 0.0 && normal.z > 0.0 {
                let shade = lit(colour, normal);
                for pair in corners[1..].windows(2) {
                    self.buffer.triangle([corners[0], pair[0], pair[1]], |_| shade);
                }
                self.loop_of_lines(corners, edge);
                let width = 0.9 * super::SAMPLES as f64;
                self.buffer.line([corners[0], corners[SIDES / 2]], width, edge);
            }
        }
        if normals[0].z > 0.0 {
            self.buffer.line([rims[0][0], rims[1][0]], 0.9 * super::SAMPLES as f64, edge);
        }
    }
}
