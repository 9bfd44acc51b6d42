//! What rigid bonds bear: force and couple of all points that two shapes have in common, as stresses of a beam's section.
//!
//! With the area A and the second moments J of the points about their middle: tension N/A, shear |V|/A, bending
//! √(3 m·J⁻¹m/A), and torsion |T| √(3/(A tr J)). Of a rectangle these are the stresses at the edges, M c/I; bending about
//! both axes at once counts as the root of the sum of squares, and torsion is that of a polar section.

use drystone_space::{Frame, Local, Space, Vector};

/// The stresses at which a rigid bond breaks; infinite where it does not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BondStrength {
    /// Mean stress that pulls.
    pub tension: f64,
    /// Mean stress across.
    pub shear: f64,
    /// Stress at the edge by bending.
    pub bending: f64,
    /// Stress at the edge by torsion; without meaning in the plane.
    pub torsion: f64,
}

/// One point of a rigid bond, with the force that the first side feels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Loaded<S: Space> {
    pub point: S::Vector,
    pub area: f64,
    pub force: S::Vector,
}

impl BondStrength {
    /// Whether the forces at the points of a bond exceed what it bears.
    pub(super) fn is_exceeded<S: Space>(&self, normal: S::Vector, points: &[Loaded<S>]) -> bool {
        let [tension, shear, bending, torsion] = stresses(normal, points);
        tension > self.tension
            || shear > self.shear
            || bending > self.bending
            || torsion > self.torsion
    }
}

/// Stresses by tension, shear, bending and torsion.
fn stresses<S: Space>(normal: S::Vector, points: &[Loaded<S>]) -> [f64; 4] {
    let frame = S::Frame::from_normal(normal);
    let (mut area, mut middle, mut force) = (0.0, S::Vector::ZERO, S::Vector::ZERO);
    for loaded in points {
        area += loaded.area;
        middle += loaded.point * loaded.area;
        force += loaded.force;
    }
    middle = middle / area;
    let mut couple = S::Spin::ZERO;
    let mut moments = [0.0; 3];
    for loaded in points {
        let arm = loaded.point - middle;
        couple += S::moment(arm, loaded.force);
        let across = frame.to_local(arm).tangent();
        let [x, y] = [across.get(0), if S::DIMENSION == 3 { across.get(1) } else { 0.0 }];
        for (sum, term) in moments.iter_mut().zip([x * x, y * y, x * y]) {
            *sum += loaded.area * term;
        }
    }
    let (force, couple) = (frame.to_local(force), frame.spin_to_local(couple));
    let [xx, yy, xy] = moments;
    let bent = couple.tangent();
    let bending = if S::DIMENSION == 2 {
        bent.get(0) * bent.get(0) / xx
    } else {
        // The stress grows along the normal × couple.
        let [x, y] = [-bent.get(1), bent.get(0)];
        (yy * x * x - 2.0 * xy * x * y + xx * y * y) / (xx * yy - xy * xy)
    };
    let edge = |square: f64| if square > 0.0 { (3.0 * square / area).sqrt() } else { 0.0 };
    [
        -force.normal() / area,
        force.tangent().norm() / area,
        edge(bending),
        edge(couple.normal() * couple.normal() / (xx + yy)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_space::{DVec2, DVec3, Plane, Volume};

    /// A section of 0.3 by 0.2 at its four Gauss points, under a force and the moments of a beam: N/A, V/A, M c/I.
    #[test]
    fn stresses_are_those_of_a_beam() {
        let (b, t) = (0.3, 0.2);
        let at = |x: f64, y: f64| DVec3::new(x * b / 12f64.sqrt(), y * t / 12f64.sqrt(), 1.0);
        let corners = [at(-1.0, -1.0), at(1.0, -1.0), at(1.0, 1.0), at(-1.0, 1.0)];
        let points = |force: &dyn Fn(DVec3) -> DVec3| {
            let load = |point| Loaded::<Volume> { point, area: b * t / 4.0, force: force(point) };
            corners.map(load)
        };
        let pulled = points(&|_| DVec3::new(0.5, 0.0, -1.0));
        let found = stresses::<Volume>(DVec3::Z, &pulled);
        let wanted = [4.0 / (b * t), 2.0 / (b * t), 0.0, 0.0];
        (0..4).for_each(|i| assert!((found[i] - wanted[i]).abs() < 1e-10, "{found:?}"));
        // Forces along y × the normal: a moment M about x of 4 · 7 · (t/√12)².
        let bent = points(&|p| DVec3::new(0.0, 0.0, 7.0 * p.y));
        let moment = 28.0 * t * t / 12.0;
        let found = stresses::<Volume>(DVec3::Z, &bent);
        let wanted = moment * (t / 2.0) / (b * t * t * t / 12.0);
        assert!((found[2] / wanted - 1.0).abs() < 1e-12 && found[3] == 0.0, "{found:?} {wanted}");
        let twisted = points(&|p| DVec3::new(-p.y, p.x, 0.0));
        let found = stresses::<Volume>(DVec3::Z, &twisted);
        let polar = b * t * (b * b + t * t) / 12.0;
        let wanted = 4.0 / (b * t) * polar * (b / 2.0).hypot(t / 2.0) / polar;
        assert!((found[3] / wanted - 1.0).abs() < 1e-12 && found[2] < 1e-12, "{found:?} {wanted}");
        let flat = [-1.0, 1.0].map(|side| Loaded::<Plane> {
            point: DVec2::new(side * t / 12f64.sqrt(), 0.0),
            area: t / 2.0,
            force: DVec2::new(0.0, 3.0 * side),
        });
        let found = stresses::<Plane>(DVec2::Y, &flat);
        let moment = 6.0 * t / 12f64.sqrt();
        assert!((found[2] / (6.0 * moment / (t * t)) - 1.0).abs() < 1e-12, "{found:?}");
    }
}
