//! Properties of all laws: projections, local solves, dissipation.

use super::*;
use crate::{Block, ContactMap, GROUND, Mover, PlaneBlock, Turning, VolumeBlock};
use drystone_space::{
    DVec2, DVec3, Frame, Local2, Local3, Plane, PlaneFrame, Symmetric3, Volume, VolumeFrame,
};
use proptest::prelude::*;
use std::sync::Arc;

fn vector3() -> impl Strategy<Value = Local3> {
    prop::array::uniform3(-3.0f64..3.0).prop_map(|v| Local3::new(v[0], DVec2::new(v[1], v[2])))
}

fn vector2() -> impl Strategy<Value = Local2> {
    prop::array::uniform2(-3.0f64..3.0).prop_map(|v| Local2 { n: v[0], t: v[1] })
}

fn tangent() -> impl Strategy<Value = DVec2> {
    prop::array::uniform2(-3.0f64..3.0).prop_map(DVec2::from_array)
}

/// Corners in random directions of an ellipse that holds 0: always convex.
fn polygon() -> impl Strategy<Value = FrictionPolygon> {
    let coefficients = prop::array::uniform2(0.2f64..1.2);
    (3usize..9, 0.0f64..6.0, coefficients, prop::array::uniform2(-0.3f64..0.3)).prop_map(
        |(sides, phase, [a, b], [x, y])| {
            let corner = |i: usize| {
                let angle = phase + std::f64::consts::TAU * i as f64 / sides as f64;
                let around = DVec2::from_angle(angle) + DVec2::new(x, y);
                around * DVec2::new(a, b)
            };
            FrictionPolygon::new(&(0..sides).map(corner).collect::<Vec<_>>()).unwrap()
        },
    )
}

fn section3() -> impl Strategy<Value = VolumeSection> {
    let ellipse = (0.0f64..6.0, prop::array::uniform2(0.05f64..1.5)).prop_map(|(angle, mu)| {
        VolumeSection::Ellipse(Ellipse { axis: DVec2::from_angle(angle), coefficients: mu })
    });
    let polygon = (0.0f64..6.0, polygon(), prop::bool::ANY).prop_map(|(angle, polygon, left)| {
        let axis = DVec2::from_angle(angle);
        let other = if left { -axis.perp() } else { axis.perp() };
        VolumeSection::Polygon(PolygonSection { axes: [axis, other], polygon: Arc::new(polygon) })
    });
    prop_oneof![ellipse, polygon]
}

fn interval() -> impl Strategy<Value = Interval> {
    (0.0f64..1.5, 0.0f64..1.5).prop_map(|(a, b)| Interval { low: -a, high: b })
}

/// 0 in half of the cases.
fn sometimes(most: f64) -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), 0.01..most]
}

fn block3() -> impl Strategy<Value = VolumeBlock> {
    let (diagonal, off) = (prop::array::uniform3(0.3f64..2.0), prop::array::uniform3(-0.6f64..0.6));
    (diagonal, off).prop_map(|(d, o)| {
        let rows = [[d[0], 0.0, 0.0], [o[0], d[1], 0.0], [o[1], o[2], d[2]]];
        let column = |j: usize| {
            let entry = |i: usize| (0..3).map(|k| rows[i][k] * rows[j][k]).sum::<f64>();
            Local3::new(entry(0), DVec2::new(entry(1), entry(2)))
        };
        VolumeBlock::new(column, 0.0)
    })
}

fn block2() -> impl Strategy<Value = PlaneBlock> {
    (prop::array::uniform2(0.3f64..2.0), -1.0f64..1.0).prop_map(|([a, b], o)| {
        let h = [[a * a, a * o], [a * o, o * o + b * b]];
        PlaneBlock::new(|j| Local2 { n: h[0][j], t: h[1][j] }, 0.0)
    })
}

/// A ball's contact with its couple, the ball being lopsided.
fn couple3() -> Couple<Volume> {
    let inverse_inertia =
        Symmetric3 { diagonal: DVec3::new(9.0, 5.0, 6.0), off: DVec3::new(0.5, -1.0, 0.3) };
    let map = ContactMap::<Volume> {
        first: 0,
        second: GROUND,
        frame: VolumeFrame::from_normal(DVec3::Z),
        arm_first: DVec3::new(0.1, 0.0, -0.5),
        arm_second: DVec3::ZERO,
    };
    let movers = [Mover { inverse_mass: 1.0, inverse_inertia }];
    let resistance = Resistance { rolling: 0.1, spinning: 0.05 };
    Couple::new(&map, &movers, Turning::default(), resistance, 6.0, 1.0).unwrap()
}

fn special3() -> impl Strategy<Value = GeneralCone<Volume>> {
    let section = prop_oneof![Just(None), section3().prop_map(Some)];
    (section, sometimes(1.0), sometimes(2.0), prop::bool::ANY).prop_map(
        |(section, cohesion, fluidity, turns)| {
            // Without a section only viscosity makes sense.
            let fluidity = if section.is_none() { fluidity.max(0.3) } else { fluidity };
            GeneralCone { section, cohesion, fluidity, couple: turns.then(couple3) }
        },
    )
}

fn size(v: Local3) -> f64 {
    v.dot(v).sqrt()
}

proptest! {
    #[test]
    fn projection_is_idempotent_and_does_not_expand(a in vector3(), b in vector3(), mu in 0.0f64..2.0) {
        let law = Law::with_friction(mu);
        let (pa, pb) = (law.project::<Volume>(a), law.project::<Volume>(b));
        let again = law.project::<Volume>(pa) - pa;
        prop_assert!(again.dot(again).sqrt() < 1e-12);
        prop_assert!((pa - pb).dot(pa - pb) <= (a - b).dot(a - b) * (1.0 + 1e-12));
        // The rest of a is normal to the cone at pa.
        prop_assert!((a - pa).dot(pb - pa) <= 1e-12);
    }

    #[test]
    fn the_frictionless_cone_is_a_ray(a in vector3()) {
        for a in [a, Local3::new(a.n, DVec2::ZERO)] {
            let p = Law::Frictionless.project::<Volume>(a);
            prop_assert_eq!(p, Local3::new(a.n.max(0.0), DVec2::ZERO));
        }
    }

    #[test]
    fn sections_are_projected_on(section in section3(), a in tangent(), b in tangent(), size in 0.1f64..2.0) {
        let (pa, pb) = (section.nearest(a, size), section.nearest(b, size));
        prop_assert!(section.nearest(pa, size).distance(pa) < 1e-12);
        prop_assert!(pa.distance(pb) <= a.distance(b) * (1.0 + 1e-12) + 1e-13);
        // The rest of a is normal to the section at pa, and the support function says the same.
        prop_assert!((a - pa).dot(pb - pa) <= 1e-12);
        prop_assert!((size * section.support(a - pa) - pa.dot(a - pa)).abs() < 1e-12);
    }

    #[test]
    fn cones_are_projected_on(special in special3(), a in vector3(), b in vector3(), m in vector3(), w in vector3()) {
        let special = GeneralCone { section: special.section.or(Some(VolumeSection::round(0.4))), ..special };
        // Without resistance there is no couple.
        let (m, w) = if special.couple.is_some() { (m, w) } else { (Local3::ZERO, Local3::ZERO) };
        let (pa, ma) = special.project_scaled(a, m);
        let (pb, mb) = special.project_scaled(b, w);
        let (again, couple_again) = special.project_scaled(pa, ma);
        prop_assert!(size(again - pa) + size(couple_again - ma) < 1e-11);
        let apart = |a: Local3, b: Local3, m: Local3, w: Local3| (a - b).dot(a - b) + (m - w).dot(m - w);
        prop_assert!(apart(pa, pb, ma, mb) <= apart(a, b, m, w) * (1.0 + 1e-11) + 1e-12);
        prop_assert!((a - pa).dot(pb - pa) + (m - ma).dot(mb - ma) <= 1e-10);
    }

    /// The gradient of φ is the point of the section that dissipates most.
    #[test]
    fn the_derivative_of_the_dissipation_is_friction(section in section3(), v in tangent()) {
        prop_assume!(v.length() > 0.1);
        let step = 1e-6;
        let rate = |e: DVec2| (section.support(v + e * step) - section.support(v - e * step)) / (2.0 * step);
        let gradient = DVec2::new(rate(DVec2::X), rate(DVec2::Y));
        // A far point in direction v is nearest to the same point of the section.
        let most = section.nearest(v * 1e7, 1.0);
        let near_a_corner = (section.support(v) - v.dot(gradient)).abs() > 1e-7;
        prop_assert!(near_a_corner || (gradient - most).length() < 1e-4, "{gradient} {most}");
    }

    #[test]
    fn local_solves_satisfy_the_law_in_space(special in special3(), block in block3(), q in vector3()) {
        let special = GeneralCone { couple: None, ..special };
        let p = special.solve(&block, q, Local3::ZERO);
        let u = q + block.apply(p);
        let (error, _) = special.natural_map((u, Local3::ZERO), (p, Local3::ZERO), 0.7);
        // Without a section, viscosity that would lift the contact off has no solution.
        let lifted = special.section.is_none() && p.n + special.cohesion <= 1e-12;
        prop_assert!(lifted || size(error) < 1e-8 * (1.0 + size(p)), "{error:?} {p:?} {u:?}");
        // What it takes is never energy given, cohesion apart.
        prop_assert!(u.t.dot(p.t) <= 1e-10 * (1.0 + size(p)));
    }

    #[test]
    fn local_solves_satisfy_the_law_in_the_plane(
        section in interval(), block in block2(), q in vector2(),
        cohesion in sometimes(1.0), fluidity in sometimes(2.0),
    ) {
        let special = GeneralCone::<Plane> { section: Some(section), cohesion, fluidity, ..GeneralCone::coulomb(0.0) };
        let p = special.solve(&block, q, Local2::ZERO);
        let u = q + block.apply(p);
        let (error, _) = special.natural_map((u, Local2::ZERO), (p, Local2::ZERO), 0.7);
        prop_assert!(error.dot(error).sqrt() < 1e-10 * (1.0 + p.dot(p).sqrt()), "{error:?} {p:?} {u:?}");
    }

    #[test]
    fn an_ellipse_with_equal_coefficients_is_coulomb(block in block3(), q in vector3(), mu in 0.05f64..1.5, angle in 0.0f64..6.0) {
        let axis = DVec2::from_angle(angle);
        let reduced = {
            let approaching = Local3::new(-q.n.abs() - 1e-3, q.t);
            let (m, b) = block.reduce(approaching, Local3::ZERO);
            LoneContact::<Volume>::new(&block, m, b, 0.0)
        };
        let turned = Ellipse { axis, coefficients: [mu; 2] }.solve(&reduced);
        let straight = Ellipse { axis: DVec2::X, coefficients: [mu; 2] }.solve(&reduced);
        prop_assert!(turned.distance(straight) < 1e-8 * (1.0 + straight.length()));
    }

    /// Sweeps of a couple's two parts settle on a couple that satisfies its law.
    #[test]
    fn couples_satisfy_their_law(free in vector3(), pressure in 0.0f64..2.0) {
        let couple = couple3();
        let response = |m: Local3| {
            let frame = VolumeFrame::from_normal(DVec3::Z);
            let inertia =
                Symmetric3 { diagonal: DVec3::new(9.0, 5.0, 6.0), off: DVec3::new(0.5, -1.0, 0.3) };
            frame.spin_to_local(drystone_space::InverseInertia::<Volume>::apply(&inertia, frame.spin_to_world(m)))
        };
        let mut m = Local3::ZERO;
        for _ in 0..100 {
            m = couple.solve(free + response(m), m, pressure);
        }
        let spin = free + response(m);
        prop_assert!(m.t.length() <= 0.1 * pressure + 1e-12 && m.n.abs() <= 0.05 * pressure + 1e-12);
        prop_assert!((spin.dot(m) + pressure * couple.dissipation(spin)).abs() < 1e-9);
        // The judge agrees: a contact that presses without sliding has no error.
        let special = GeneralCone { couple: Some(couple), ..GeneralCone::<Volume>::coulomb(0.5) };
        let (p, still) = (Local3::new(pressure, DVec2::ZERO), Local3::ZERO);
        let (error, couple_error) = special.natural_map((still, spin), (p, m), 0.3);
        prop_assert!(size(error) + size(couple_error) < 1e-9, "{error:?} {couple_error:?}");
    }
}

#[test]
fn a_polygon_of_many_sides_is_nearly_a_disc() {
    let polygon = Arc::new(FrictionPolygon::regular(256, 0.4).unwrap());
    let many = GeneralCone::<Volume> {
        section: Some(VolumeSection::Polygon(PolygonSection {
            axes: [DVec2::X, DVec2::Y],
            polygon,
        })),
        ..GeneralCone::coulomb(0.0)
    };
    let block = VolumeBlock::new(
        |j| {
            let (n, x, y) = ([1.0, 0.2, -0.3], [0.2, 2.0, 0.1], [-0.3, 0.1, 1.5]);
            let column = [n, x, y][j];
            Local3::new(column[0], DVec2::new(column[1], column[2]))
        },
        0.4,
    );
    let q = Local3::new(-1.0, DVec2::new(2.0, 1.0));
    let (m, b) = block.reduce(q, Local3::ZERO);
    let apart = many.solve(&block, q, Local3::ZERO) - block.coulomb(m, b);
    // The polygon is within μ(1 − cos(π/256)) of the disc; direction is the more sensitive.
    assert!(size(apart) < 0.4 * std::f64::consts::PI / 256.0, "{apart:?}");
}

#[test]
fn corners_that_make_no_section_are_refused() {
    let corners = |list: &[[f64; 2]]| {
        FrictionPolygon::new(&list.iter().map(|&c| DVec2::from_array(c)).collect::<Vec<_>>())
    };
    assert_eq!(corners(&[[1.0, 0.0], [0.0, 1.0]]), Err(PolygonError::TooFew));
    let dart = [[1.0, 0.0], [0.0, 0.2], [-1.0, 1.0], [-1.0, -1.0]];
    assert_eq!(corners(&dart), Err(PolygonError::NotConvex));
    let star: Vec<[f64; 2]> = (0..5)
        .map(|i| DVec2::from_angle(f64::from(i) * 2.0 * std::f64::consts::TAU / 5.0).to_array())
        .collect();
    assert_eq!(corners(&star), Err(PolygonError::NotConvex));
    let away = [[1.0, 1.0], [2.0, 1.0], [1.5, 2.0]];
    assert_eq!(corners(&away), Err(PolygonError::WithoutOrigin));
    assert_eq!(corners(&[[1.0, f64::NAN], [0.0, 1.0], [-1.0, 0.0]]), Err(PolygonError::NotFinite));
    // Clockwise is as good, and 0 may be on the edge.
    assert!(corners(&[[-1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]).is_ok());
}

/// Mass 1 on the ground, pulled up at 0.5: a cohesion of 0.8 holds it, one of 0.3 brakes it.
#[test]
fn cohesion_holds_and_then_brakes() {
    let block = PlaneBlock::new(Local2::axis, 0.0);
    let up = Local2 { n: 0.5, t: 0.0 };
    let with = |cohesion| GeneralCone::<Plane> { cohesion, ..GeneralCone::coulomb(0.0) };
    assert_eq!(with(0.8).solve(&block, up, Local2::ZERO), Local2 { n: -0.5, t: 0.0 });
    assert_eq!(with(0.3).solve(&block, up, Local2::ZERO), Local2 { n: -0.3, t: 0.0 });
    let frame = PlaneFrame::from_normal(DVec2::Y);
    assert_eq!(frame.spin_to_world(frame.spin_to_local(2.0)), 2.0);
}

/// Sliding at 2 with mass 1 and η = 3: P_t = −η U_t with U_t = 2 + P_t, so U_t = 0.5. A bound of
/// 0.4 on P_n = 1 leaves 1.6.
#[test]
fn viscous_friction_by_hand() {
    let block = PlaneBlock::new(Local2::axis, 0.0);
    let q = Local2 { n: -1.0, t: 2.0 };
    let alone =
        GeneralCone::<Plane> { section: None, fluidity: 1.0 / 3.0, ..GeneralCone::coulomb(0.0) };
    let p = alone.solve(&block, q, Local2::ZERO);
    assert!((p.n - 1.0).abs() < 1e-15 && (p.t + 1.5).abs() < 1e-15, "{p:?}");
    let capped = GeneralCone { section: Some(Interval::round(0.4)), ..alone };
    let p = capped.solve(&block, q, Local2::ZERO);
    assert!((p.t + 0.4).abs() < 1e-15, "{p:?}");
}

#[test]
fn the_natural_map_vanishes_where_the_law_holds() {
    let law = Law::Coulomb(0.5);
    // Slip: the impulse opposes the velocity on the edge of the cone.
    let slip = law.natural_map::<Volume>(
        Local3::new(0.0, DVec2::new(3.0, 0.0)),
        Local3::new(2.0, DVec2::new(-1.0, 0.0)),
        0.7,
    );
    assert!(slip.dot(slip).sqrt() < 1e-15);
    // A push while apart is an error of its whole size.
    let apart = law.natural_map::<Volume>(
        Local3::new(9.0, DVec2::ZERO),
        Local3::new(2.0, DVec2::ZERO),
        1.0,
    );
    assert_eq!(apart, Local3::new(2.0, DVec2::ZERO));
}
