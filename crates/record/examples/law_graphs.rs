//! Draws the graphs of the contact laws, as the solver computes them.
//!
//! ```text
//! cargo run --release -p drystone-record --example law_graphs -- docs/pictures
//! ```
//!
//! Each curve is traced by one contact whose free velocity q varies: as q runs through all numbers,
//! U and P run through the whole graph of the law, upright parts included.

use drystone_record::draw::{Anchor, Canvas, Colour, Raster};
use drystone_record::plot::PALETTE;
use drystone_solve::{
    ContactMap, ContactProblem, Ellipse, FrictionPolygon, GROUND, GeneralCone, Interval, Mover,
    Nlgs, NlgsParams, PolygonSection, Resistance, Section, Solution, Threads, Turning, Twist,
    VolumeSection,
};
use drystone_space::{
    DVec2, DVec3, Frame, Local, Local2, Local3, Plane, PlaneFrame, Symmetric3, Volume, VolumeFrame,
};
use std::error::Error;
use std::path::Path;
use std::sync::Arc;

/// Width and height of a panel in pixels.
const PANEL: f64 = 420.0;
const INK: Colour = Colour::rgb(0x30_34_38);
const FAINT: Colour = Colour::rgb(0xc8_cd_d2);
const TEXT: f64 = 16.0;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, folder] = &arguments[..] else {
        return Err("usage: law_graphs FOLDER".into());
    };
    let pictures: [(&str, Vec<Panel>); 6] = [
        ("law_restitution", restitution()),
        ("law_sections", sections()?),
        ("law_fur", vec![fur()]),
        ("law_viscous", vec![viscous()]),
        ("law_rolling", vec![rolling()]),
        ("law_cohesion", cohesion()),
    ];
    for (name, panels) in pictures {
        let mut raster = Raster::new((PANEL * panels.len() as f64) as u32, PANEL as u32);
        for (i, panel) in panels.iter().enumerate() {
            panel.draw(&mut raster, PANEL * i as f64);
        }
        raster.write_png(&Path::new(folder).join(format!("{name}.png")))?;
    }
    Ok(())
}

/// A unit mass, also for turning, at a contact of the plane that presses with 1 unless pulled.
fn settle(
    special: GeneralCone<Plane>,
    rolling: f64,
    free: Twist<Plane>,
) -> (Twist<Plane>, Local2, f64) {
    settle_after(special, rolling, free, Local2::ZERO)
}

/// The same after an approach: `kept` is what restitution keeps of the velocity before, ρ U_n⁻ and τ U_t⁻.
fn settle_after(
    special: GeneralCone<Plane>,
    rolling: f64,
    free: Twist<Plane>,
    kept: Local2,
) -> (Twist<Plane>, Local2, f64) {
    let mut problem = ContactProblem::default();
    problem.movers.push(Mover { inverse_mass: 1.0, inverse_inertia: 1.0 });
    problem.free.push(free);
    let map = ContactMap {
        first: 0,
        second: GROUND,
        frame: PlaneFrame::from_normal(DVec2::Y),
        arm_first: DVec2::ZERO,
        arm_second: DVec2::ZERO,
    };
    let resistance = Resistance { rolling, spinning: 0.0 };
    problem.push_cone(map, kept, special, resistance, Turning::default(), 1.0);
    let mut solution =
        Solution { impulses: vec![Local2::ZERO], couples: vec![Local2::ZERO], twists: Vec::new() };
    let params = NlgsParams { tolerance: 1e-12, ..NlgsParams::default() };
    Nlgs::default().solve(&problem, &mut solution, &params, &Threads::one());
    (solution.twists[0], solution.impulses[0], solution.couples[0].t)
}

/// The same in space, sliding freely at `slide`.
fn friction_in_space(section: &VolumeSection, slide: DVec2) -> DVec2 {
    let mut problem = ContactProblem::<Volume>::default();
    let inverse_inertia = Symmetric3 { diagonal: DVec3::ONE, off: DVec3::ZERO };
    problem.movers.push(Mover { inverse_mass: 1.0, inverse_inertia });
    let frame = VolumeFrame::from_normal(DVec3::Z);
    let velocity = frame.to_world(Local3::new(-1.0, slide));
    problem.free.push(Twist { velocity, spin: DVec3::ZERO });
    let map = ContactMap {
        first: 0,
        second: GROUND,
        frame,
        arm_first: DVec3::ZERO,
        arm_second: DVec3::ZERO,
    };
    let special = GeneralCone { section: Some(section.clone()), ..GeneralCone::coulomb(0.0) };
    let none = Resistance::default();
    problem.push_cone(map, Local3::ZERO, special, none, Turning::default(), 1.0);
    let mut solution =
        Solution { impulses: vec![Local3::ZERO], couples: vec![Local3::ZERO], twists: Vec::new() };
    let params = NlgsParams { tolerance: 1e-12, ..NlgsParams::default() };
    Nlgs::default().solve(&problem, &mut solution, &params, &Threads::one());
    solution.impulses[0].t
}

/// Points of a curve, q running from −reach to reach.
fn trace(reach: f64, point: impl Fn(f64) -> DVec2) -> Vec<DVec2> {
    (-400..=400).map(|i| point(reach * f64::from(i) / 400.0)).collect()
}

/// U_t and P_t of a law.
fn sliding(special: &GeneralCone<Plane>) -> Vec<DVec2> {
    trace(4.0, |q| {
        let free = Twist { velocity: DVec2::new(q, -1.0), spin: 0.0 };
        let (twist, impulse, _) = settle(special.clone(), 0.0, free);
        // The tangent of an upward normal points to the left.
        DVec2::new(twist.velocity.x, -impulse.t)
    })
}

/// Both laws after an approach at U_n⁻ = −1 and U_t⁻ = 1.
fn restitution() -> Vec<Panel> {
    let normal = |share: f64| {
        trace(3.5, |q| {
            let free = Twist { velocity: DVec2::new(0.0, q), spin: 0.0 };
            let kept = Local2::new(-share, 0.0);
            let (twist, impulse, _) = settle_after(GeneralCone::coulomb(0.4), 0.0, free, kept);
            DVec2::new(twist.velocity.y, impulse.n)
        })
    };
    let tangential = |share: f64| {
        trace(4.0, |q| {
            let free = Twist { velocity: DVec2::new(q, -1.0), spin: 0.0 };
            // The tangent of an upward normal points to the left.
            let kept = Local2::new(0.0, -share);
            let (twist, impulse, _) = settle_after(GeneralCone::coulomb(0.4), 0.0, free, kept);
            DVec2::new(twist.velocity.x, -impulse.t)
        })
    };
    vec![
        Panel {
            title: "after an approach at 1",
            axes: ["U_n", "P_n"],
            scale: DVec2::new(80.0, 80.0),
            curves: vec![
                Curve::new("ρ = 0 (δ = 1)", normal(0.0), 7),
                Curve::new("ρ = 0.5 (δ = 1/3)", normal(0.5), 0),
                Curve::new("ρ = 1 (δ = 0)", normal(1.0), 1),
            ],
            arrows: Vec::new(),
        },
        Panel {
            title: "after sliding at 1",
            axes: ["U_t", "P_t"],
            scale: DVec2::new(70.0, 250.0),
            curves: vec![
                Curve::new("τ = 0", tangential(0.0), 7),
                Curve::new("τ = 1", tangential(1.0), 0),
            ],
            arrows: Vec::new(),
        },
    ]
}

fn fur() -> Panel {
    // The tangent points to the left: sliding to the right is met by a push to the left.
    let special = |low, high| GeneralCone::<Plane> {
        section: Some(Interval { low, high }),
        ..GeneralCone::coulomb(0.0)
    };
    Panel {
        title: "two directions of sliding",
        axes: ["U_t", "P_t"],
        scale: DVec2::new(55.0, 200.0),
        curves: vec![
            Curve::new("0.4", sliding(&GeneralCone::coulomb(0.4)), 7),
            Curve::new("0.2 along, 0.6 against", sliding(&special(-0.6, 0.2)), 0),
        ],
        arrows: Vec::new(),
    }
}

fn viscous() -> Panel {
    let film =
        |section| GeneralCone::<Plane> { section, fluidity: 2.0, ..GeneralCone::coulomb(0.0) };
    Panel {
        title: "viscous friction",
        axes: ["U_t", "P_t"],
        scale: DVec2::new(90.0, 180.0),
        curves: vec![
            Curve::new("dry", sliding(&GeneralCone::coulomb(0.5)), 7),
            Curve::new("viscous alone", sliding(&film(None)), 1),
            Curve::new("viscous, capped", sliding(&film(Some(Interval::round(0.5)))), 0),
        ],
        arrows: Vec::new(),
    }
}

fn rolling() -> Panel {
    let turning = |length: f64, pressure: f64| {
        trace(4.0, |q| {
            let free = Twist { velocity: DVec2::new(0.0, -pressure), spin: q };
            let (twist, _, couple) = settle(GeneralCone::coulomb(0.5), length, free);
            DVec2::new(twist.spin, couple)
        })
    };
    Panel {
        title: "rolling resistance",
        axes: ["spin", "couple"],
        scale: DVec2::new(70.0, 200.0),
        curves: vec![
            Curve::new("bound 0.3 m, P_n = 1", turning(0.3, 1.0), 0),
            Curve::new("the same, P_n = 2", turning(0.3, 2.0), 1),
        ],
        arrows: Vec::new(),
    }
}

fn cohesion() -> Vec<Panel> {
    let with = |cohesion| GeneralCone::<Plane> { cohesion, ..GeneralCone::coulomb(0.5) };
    let opening = |cohesion| {
        trace(3.5, |q| {
            let free = Twist { velocity: DVec2::new(0.0, q), spin: 0.0 };
            let (twist, impulse, _) = settle(with(cohesion), 0.0, free);
            DVec2::new(twist.velocity.y, impulse.n)
        })
    };
    let cone = |cohesion: f64| {
        let edge = |side: f64| {
            let free = Twist { velocity: DVec2::new(9.0 * side, -2.0), spin: 0.0 };
            let (_, impulse, _) = settle(with(cohesion), 0.0, free);
            DVec2::new(-impulse.t, impulse.n)
        };
        vec![edge(1.0), DVec2::new(0.0, -cohesion), edge(-1.0)]
    };
    vec![
        Panel {
            title: "opening",
            axes: ["U_n", "P_n"],
            scale: DVec2::new(80.0, 80.0),
            curves: vec![
                Curve::new("without cohesion", opening(0.0), 7),
                Curve::new("with cohesion 0.8", opening(0.8), 0),
            ],
            arrows: Vec::new(),
        },
        Panel {
            title: "cone",
            axes: ["P_t", "P_n"],
            scale: DVec2::new(65.0, 65.0),
            curves: vec![
                Curve::new("without cohesion", cone(0.0), 7),
                Curve::new("with cohesion 0.8", cone(0.8), 0),
            ],
            arrows: Vec::new(),
        },
    ]
}

/// Sections, and the friction against sliding in a few directions: arrows from 0 are friction,
/// arrows from the edge the direction of sliding.
fn sections() -> Result<Vec<Panel>, Box<dyn Error>> {
    let ellipse = VolumeSection::Ellipse(Ellipse { axis: DVec2::X, coefficients: [0.2, 0.5] });
    let polygon = Arc::new(FrictionPolygon::regular(6, 0.45)?);
    let hexagon = VolumeSection::Polygon(PolygonSection { axes: [DVec2::X, DVec2::Y], polygon });
    let all = [
        ("0.4 in all directions", VolumeSection::round(0.4)),
        ("0.2 along, 0.5 across", ellipse),
        ("six sides, 0.45", hexagon),
    ];
    let panels = all.into_iter().map(|(title, section)| {
        let friction = |angle: f64| friction_in_space(&section, DVec2::from_angle(angle) * 9.0);
        let turns =
            |n: u32| (0..n).map(move |i| std::f64::consts::TAU * f64::from(i) / f64::from(n));
        let mut edge: Vec<DVec2> = turns(720).map(friction).collect();
        edge.push(edge[0]);
        let arrows = turns(12).map(|turn| turn + 0.13).flat_map(|angle| {
            let at = friction(angle);
            [(DVec2::ZERO, at, 0), (at, at - DVec2::from_angle(angle) * 0.14, 1)]
        });
        Panel {
            title,
            axes: ["P_1/P_n", "P_2/P_n"],
            scale: DVec2::splat(225.0),
            arrows: arrows.collect(),
            curves: vec![Curve::new("section; blue: friction, red: −U_t", edge, 7)],
        }
    });
    Ok(panels.collect())
}

struct Curve {
    name: &'static str,
    points: Vec<DVec2>,
    colour: usize,
}

impl Curve {
    fn new(name: &'static str, points: Vec<DVec2>, colour: usize) -> Self {
        Self { name, points, colour }
    }
}

struct Panel {
    title: &'static str,
    axes: [&'static str; 2],
    /// Pixels per unit.
    scale: DVec2,
    curves: Vec<Curve>,
    /// From, to, colour.
    arrows: Vec<(DVec2, DVec2, usize)>,
}

impl Panel {
    fn draw(&self, canvas: &mut impl Canvas, left: f64) {
        let centre = DVec2::new(left + 0.5 * PANEL, 0.5 * PANEL + 6.0);
        let (low, high) =
            (DVec2::new(left + 24.0, 64.0), DVec2::new(left + PANEL - 24.0, PANEL - 52.0));
        let place = |p: DVec2| {
            let at = centre + DVec2::new(p.x * self.scale.x, -p.y * self.scale.y);
            at.clamp(low, high)
        };
        canvas.text(DVec2::new(centre.x, 28.0), self.title, 1.2 * TEXT, Anchor::Middle, INK);
        let across = [DVec2::new(low.x, centre.y), DVec2::new(high.x, centre.y)];
        let upright = [DVec2::new(centre.x, high.y), DVec2::new(centre.x, low.y)];
        for axis in [across, upright] {
            canvas.line(&axis, 1.0, FAINT);
            head(canvas, axis[0], axis[1], FAINT);
        }
        let [x, y] = self.axes;
        canvas.text(across[1] + DVec2::new(-2.0, 20.0), x, TEXT, Anchor::End, INK);
        canvas.text(upright[1] + DVec2::new(8.0, 8.0), y, TEXT, Anchor::Start, INK);
        for curve in &self.curves {
            // What leaves the panel is not drawn along its edge.
            let inside = |p: &DVec2| {
                let at = centre + DVec2::new(p.x * self.scale.x, -p.y * self.scale.y);
                at.cmpge(low).all() && at.cmple(high).all()
            };
            let points: Vec<DVec2> =
                curve.points.iter().filter(|p| inside(p)).map(|&p| place(p)).collect();
            canvas.line(&points, 2.5, PALETTE[curve.colour]);
        }
        for &(from, to, colour) in &self.arrows {
            canvas.line(&[place(from), place(to)], 1.2, PALETTE[colour]);
            head(canvas, place(from), place(to), PALETTE[colour]);
        }
        for (i, curve) in self.curves.iter().enumerate() {
            let at =
                DVec2::new(left + 24.0, PANEL - 16.0 - 20.0 * (self.curves.len() - 1 - i) as f64);
            canvas.line(
                &[at - DVec2::Y * 5.0, at + DVec2::new(22.0, -5.0)],
                2.5,
                PALETTE[curve.colour],
            );
            canvas.text(at + DVec2::X * 30.0, curve.name, 0.9 * TEXT, Anchor::Start, INK);
        }
    }
}

/// The head of an arrow.
fn head(canvas: &mut impl Canvas, from: DVec2, to: DVec2, colour: Colour) {
    let along = (to - from).normalize_or_zero() * 8.0;
    let side = along.perp() * 0.4;
    canvas.polygon(&[to, to - along + side, to - along - side], colour);
}
