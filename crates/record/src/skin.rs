//! Curved surfaces as faces, for what draws nothing else.

use drystone_detect::volume::{Frustum, Rounded};
use drystone_space::{DVec3, math};
use std::f64::consts::TAU;

/// Sides of the prism that stands for a frustum.
const SIDES: usize = 24;
/// Parts of the arc that stands for a rounded edge.
const STEPS: usize = 3;

type Faces = Vec<Vec<DVec3>>;

/// The ends and the side, counter-clockwise from outside.
pub(crate) fn of_frustum(frustum: &Frustum) -> Faces {
    let (h, [low, high]) = (frustum.half_length(), frustum.radii());
    let turn = |k: usize| math::direction(TAU * (k % SIDES) as f64 / SIDES as f64);
    let rim = |radius: f64, z: f64, k: usize| (turn(k) * radius).extend(z);
    let ring = |radius: f64, z: f64| (0..SIDES).map(move |k| rim(radius, z, k));
    let mut faces = Vec::new();
    for k in 0..SIDES {
        let mut side = vec![rim(low, -h, k), rim(low, -h, k + 1)];
        side.extend([rim(high, h, k + 1), rim(high, h, k)]);
        side.dedup();
        if side.first() == side.last() {
            side.pop();
        }
        faces.push(side);
    }
    if low > 0.0 {
        faces.push(ring(low, -h).rev().collect());
    }
    if high > 0.0 {
        faces.push(ring(high, h).collect());
    }
    faces
}

/// Faces of the core, moved out; strips along its edges; fans at its corners.
pub(crate) fn of_rounded(rounded: &Rounded) -> Faces {
    let (core, radius) = (rounded.core(), rounded.radius());
    let vertex = |v: u32| core.vertices()[v as usize];
    let arc = |m: DVec3, n: DVec3| {
        (0..=STEPS).map(move |k| {
            let share = k as f64 / STEPS as f64;
            (m * (1.0 - share) + n * share).normalize()
        })
    };
    let mut faces: Faces = Vec::new();
    for (f, face) in core.faces().iter().enumerate() {
        faces.push(face.iter().map(|&v| vertex(v) + core.normal(f) * radius).collect());
    }
    let mut arcs: Vec<Vec<[DVec3; 2]>> = vec![Vec::new(); core.vertices().len()];
    for ([a, b], sides) in core.edges().zip(core.edge_faces()) {
        let [m, n] = sides.map(|f| core.normal(f as usize));
        let normals: Vec<DVec3> = arc(m, n).collect();
        for pair in normals.windows(2) {
            let [p, q] = [pair[0] * radius, pair[1] * radius];
            // The edge runs counter-clockwise about its first face.
            faces.push(vec![vertex(b) + p, vertex(a) + p, vertex(a) + q, vertex(b) + q]);
            arcs[a as usize].push([pair[1], pair[0]]);
            arcs[b as usize].push([pair[0], pair[1]]);
        }
    }
    for (v, arcs) in arcs.iter().enumerate() {
        let centre = core.vertices()[v];
        let middle = arcs.iter().map(|[p, q]| *p + *q).sum::<DVec3>().normalize();
        for &[p, q] in arcs {
            let [r, s] = [p, q].map(|n| (n + middle).normalize());
            faces.push([p, q, s, r].map(|n| centre + n * radius).to_vec());
            faces.push([r, s, middle].map(|n| centre + n * radius).to_vec());
        }
    }
    faces
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_detect::Geometry;
    use drystone_detect::volume::{Polyhedron, VolumeShape};
    use drystone_space::Volume;

    /// Six times the volume, by the faces as they turn.
    fn volume(faces: &Faces) -> f64 {
        let of =
            |f: &Vec<DVec3>| f[1..].windows(2).map(|w| f[0].dot(w[0].cross(w[1]))).sum::<f64>();
        faces.iter().map(of).sum::<f64>() / 6.0
    }

    #[test]
    fn skins_are_closed_and_turn_outward() {
        let core = Polyhedron::cuboid(DVec3::new(1.0, 2.0, 3.0)).unwrap();
        let rounded = Rounded::new(core, 0.5);
        let exact = Volume::solid(&VolumeShape::Rounded(rounded.clone())).unwrap().measure;
        let skin = volume(&of_rounded(&rounded));
        assert!(skin < exact && skin > 0.98 * exact, "{skin} of {exact}");
        for radii in [[1.0, 1.0], [1.0, 0.0], [0.0, 1.0], [0.5, 2.0]] {
            let frustum = Frustum::new(0.7, radii);
            let exact = Volume::solid(&VolumeShape::Frustum(frustum.clone())).unwrap().measure;
            let skin = volume(&of_frustum(&frustum));
            assert!(skin < exact && skin > 0.98 * exact, "{skin} of {exact}");
        }
    }
}
