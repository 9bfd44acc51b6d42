//! Limit analysis against closed forms, and against runs from rest.

use drystone::limit::{self, Dynamics, Live, Options};
use drystone::prelude::*;
use std::f64::consts::PI;
use std::fmt::Write;

const RIGHT: [f64; 3] = [1.0, 0.0, 0.0];

/// A scene of the plane with one friction for all, and a ground.
fn scene(friction: f64, rest: &str) -> String {
    format!(
        "dimension = 2\ngravity = [0, -10]\n[time]\nstep = 1e-3\nend = 1\n[[material]]\nname = \"stone\"\n\
         density = 2000\n[default_law]\nfriction = {friction:?}\n{rest}"
    )
}

const GROUND: &str =
    "[[boundary]]\nname = \"ground\"\nmaterial = \"stone\"\nshape = { half_plane = {} }\n";

fn block(name: &str, corners: &[[f64; 2]]) -> String {
    format!(
        "[[body]]\nname = \"{name}\"\nmaterial = \"stone\"\nposition = [0, 0]\n\
         shape = {{ polygon = {corners:?} }}\n"
    )
}

fn rectangle(name: &str, low: [f64; 2], high: [f64; 2]) -> String {
    block(name, &[low, [high[0], low[1]], high, [low[0], high[1]]])
}

fn pulled() -> Live {
    Live { acceleration: Some(RIGHT), ..Live::default() }
}

fn highest(text: &str, live: Live) -> f64 {
    let simulation = Simulation::parse(text).unwrap_or_else(|e| panic!("{e}"));
    let found = limit::analyse(&simulation, &Options { live, ..Options::default() }).unwrap();
    assert!(found.stands);
    found.highest.unwrap().value
}

/// Interior points are asked for 1e-10 of figures near one.
#[track_caller]
fn close(found: f64, exact: f64) {
    assert!((found - exact).abs() <= 1e-7 * exact.abs(), "{found} is not {exact}");
}

/// A column topples about its lowest edge at width by height, or slides at the friction.
#[test]
fn columns_topple_or_slide() {
    let blocks: String = (0..5)
        .map(|i| {
            rectangle(&format!("b{i}"), [0.0, 0.4 * f64::from(i)], [0.8, 0.4 * f64::from(i) + 0.4])
        })
        .collect();
    close(highest(&scene(0.9, &format!("{GROUND}{blocks}")), pulled()), 0.4);
    close(highest(&scene(0.3, &format!("{GROUND}{blocks}")), pulled()), 0.3);
    // Nothing slides or topples on a floor where it is held on both sides.
    let wall = "[[boundary]]\nmaterial = \"stone\"\nshape = { segment = [[0.8, 0], [0.8, 3]] }\n";
    let simulation = Simulation::parse(&scene(0.3, &format!("{GROUND}{wall}{blocks}"))).unwrap();
    let found =
        limit::analyse(&simulation, &Options { live: pulled(), ..Options::default() }).unwrap();
    assert_eq!(found.highest.unwrap().value, f64::INFINITY);
    close(-found.lowest.unwrap().value, 0.3);
}

/// A column that topples turns as one about its edge: spin by velocity of each block is one over its height.
#[test]
fn the_mechanism_of_a_column_is_a_turn_about_its_edge() {
    let blocks: String = (0..5)
        .map(|i| {
            rectangle(&format!("b{i}"), [0.0, 0.4 * f64::from(i)], [0.8, 0.4 * f64::from(i) + 0.4])
        })
        .collect();
    let simulation = Simulation::parse(&scene(0.9, &format!("{GROUND}{blocks}"))).unwrap();
    let found =
        limit::analyse(&simulation, &Options { live: pulled(), ..Options::default() }).unwrap();
    let motion = found.highest.unwrap().mechanism;
    for (index, motion) in motion.iter().enumerate() {
        let height = 0.4 * index as f64 + 0.2;
        let spin = motion.spin[2];
        assert!(spin < 0.0);
        assert!((motion.velocity[0] + spin * height).abs() < 1e-6, "{motion:?}");
        assert!((motion.velocity[1] + spin * 0.4).abs() < 1e-6, "{motion:?}");
    }
}

/// An arch by corners at two radii, from joint to joint of equal angle.
fn arch(count: usize, inner: f64, outer: f64) -> String {
    let at = |radius: f64, joint: usize| {
        let angle = PI * joint as f64 / count as f64;
        [radius * angle.cos(), radius * angle.sin()]
    };
    let stone = |k: usize| {
        block(&format!("v{k}"), &[at(inner, k), at(outer, k), at(outer, k + 1), at(inner, k + 1)])
    };
    (0..count).map(stone).collect()
}

/// Couplet's arch: 20 and 21 straight voussoirs, and many of them, which come near 0.1075 of the mean radius.
#[test]
fn couplets_arch_stands_above_its_least_thickness() {
    for (count, least) in [(20, 0.107_347_74), (21, 0.106_694_78), (100, 0.107_46)] {
        let holds = |share: f64| {
            let (inner, outer) = (1.0 - 0.5 * share * least, 1.0 + 0.5 * share * least);
            let text = scene(1.5, &format!("{GROUND}{}", arch(count, inner, outer)));
            limit::stands(&Simulation::parse(&text).unwrap()).unwrap()
        };
        // What lacks a share of 1e-5 leaves 3e-6 of a stone's weight without balance.
        let near = if count == 100 { 1e-4 } else { 1e-5 };
        assert!(holds(1.0 + near) && !holds(1.0 - near), "{count} voussoirs");
    }
}

/// The block number k from the top juts out by 1/(2k) of its length; what is shifted by more falls.
#[test]
fn the_harmonic_overhang_is_the_largest() {
    let stack = |share: f64| {
        let mut reach = 0.0;
        let mut blocks = String::new();
        for level in 0..6 {
            reach += share / (2.0 * f64::from(6 - level));
            let low = 0.25 * f64::from(level);
            blocks += &rectangle(&format!("b{level}"), [reach - 1.0, low], [reach, low + 0.25]);
        }
        let table = "[[boundary]]\nname = \"table\"\nmaterial = \"stone\"\nshape = { segment = [[-3, 0], [0, 0]] }\n";
        scene(0.7, &format!("{table}{blocks}"))
    };
    let holds = |share: f64| limit::stands(&Simulation::parse(&stack(share)).unwrap()).unwrap();
    assert!(holds(1.0 - 1e-5) && !holds(1.0 + 1e-5));
}

/// A wedge between two skewbacks at an angle a from the vertical is the flat arch of one stone. With friction below tan a it is
/// pushed out upwards, never down: it is a wedge that narrows downwards, and bears any weight. Turned round it drops out,
/// unless friction is at least tan a. The abutments then may press with no bound.
#[test]
fn a_wedge_is_held_by_friction_of_at_least_the_tangent_of_its_angle() {
    let lean = 0.3f64;
    let wedge = |friction: f64| {
        let shift = lean.tan();
        let stone =
            block("wedge", &[[-0.5 - shift, 0.0], [0.5 + shift, 0.0], [0.5, 1.0], [-0.5, 1.0]]);
        let side = |sign: f64| {
            format!(
                "[[boundary]]\nname = \"side {sign}\"\nmaterial = \"stone\"\nshape = {{ segment = [[{:?}, 0.0], [{:?}, 1.0]] }}\n",
                sign * (0.5 + shift),
                sign * 0.5
            )
        };
        scene(friction, &format!("{stone}{}{}", side(1.0), side(-1.0)))
    };
    let holds = |share: f64| {
        limit::stands(&Simulation::parse(&wedge(share * lean.tan())).unwrap()).unwrap()
    };
    assert!(holds(1.001) && !holds(0.999));
    let simulation = Simulation::parse(&wedge(1.2 * lean.tan())).unwrap();
    let reactions = vec![("side 1".to_owned(), Some(RIGHT))];
    let found = limit::analyse(&simulation, &Options { reactions, ..Options::default() }).unwrap();
    let [reaction] = &found.reactions[..] else { panic!("one direction") };
    // Half of the weight W on a side whose normal points down by the angle a: N (μ cos a − sin a) = W/2, and pushes
    // with N (cos a + μ sin a).
    let (weight, friction) = (2000.0 * 10.0 * (1.0 + lean.tan()), 1.2 * lean.tan());
    let normal = 0.5 * weight / (friction * lean.cos() - lean.sin());
    close(-reaction.highest.value, normal * (lean.cos() + friction * lean.sin()));
    assert_eq!(reaction.lowest.value, f64::NEG_INFINITY);
}

/// Joints that meet in a point below make a flat arch that needs no friction. With the horizontal thrust H a joint whose
/// angle has the tangent t bears H at right angles to itself: all vertical parts are H t, and stones weigh H times what t grows by. From the
/// centre of the joints the thrust stands at the height y, and moments of a stone, whose middle is at c (t₁ + t₂)/2, give
/// y (1 + t²) = A + c t²/2. It is highest at the joints nearest to the middle, t = τ, and lowest at the skewbacks, t = T:
/// between d and d + h there is room for it from h = (T² − τ²)/(1 + τ²) (d − c/2) on.
#[test]
fn a_flat_arch_without_friction_stands_above_its_least_height() {
    let (half, skew) = (1.0, 0.6f64);
    let (slope, depth) = (skew.tan(), half / skew.tan());
    let middle = |h: f64| {
        let (d, top) = (depth, depth + h);
        2.0 / 3.0 * (top.powi(3) - d.powi(3)) / (top.powi(2) - d.powi(2))
    };
    let (outer, inner) = (slope.powi(2), (slope / 7.0).powi(2));
    let share = (outer - inner) / (1.0 + inner);
    let least = (0..60).fold(0.3, |h, _| share * (depth - 0.5 * middle(h)));
    let arch = |height: f64| {
        let mut text = scene(
            0.0,
            &format!(
                "[[generate]]\n[generate.flat_arch]\nmaterial = \"stone\"\nwidth = 2.0\nheight = {height:?}\ncount = 7\nskew = {skew:?}\n"
            ),
        );
        for side in [-1.0, 1.0] {
            write!(text, "[[boundary]]\nmaterial = \"stone\"\nshape = {{ segment = [[{:?}, 0.0], [{:?}, {height:?}]] }}\n", side * half, side * (half + height * slope)).unwrap();
        }
        limit::stands(&Simulation::parse(&text).unwrap()).unwrap()
    };
    assert!(arch(1.00001 * least) && !arch(0.99999 * least), "{least}");
}

/// A buttress of one stone takes a thrust at its top until it turns over: H h = W b/2, or slides: H = μ W.
#[test]
fn a_buttress_bears_what_turns_it_over_or_moves_it() {
    let stone = rectangle("buttress", [0.0, 0.0], [1.0, 3.0]);
    let weight = 2000.0 * 10.0 * 3.0;
    let live =
        || Live { forces: vec![("buttress".to_owned(), [1000.0, 0.0, 0.0])], ..Live::default() };
    // The force acts at the centre, at half the height.
    close(highest(&scene(0.7, &format!("{GROUND}{stone}")), live()), weight * 0.5 / 1.5 / 1000.0);
    close(highest(&scene(0.2, &format!("{GROUND}{stone}")), live()), weight * 0.2 / 1000.0);
    // Loads of the scene are taken with their torques: at the top.
    let load = "[[load]]\non = \"buttress\"\nforce = [1000, 0]\ntorque = -1500\n";
    let live = Live { loads: true, ..Live::default() };
    close(
        highest(&scene(0.7, &format!("{GROUND}{stone}{load}")), live),
        weight * 0.5 / 3.0 / 1000.0,
    );
}

/// A beam on two supports under a weight that grows: what juts out turns the beam over when the middle of all weights
/// comes over the support.
#[test]
fn weights_of_named_bodies_grow() {
    let beam = rectangle("beam", [-2.0, 0.0], [2.0, 0.2]);
    let load = rectangle("load", [1.4, 0.2], [1.6, 0.4]);
    let supports = "[[boundary]]\nname = \"support\"\nmaterial = \"stone\"\nshape = { segment = [[-1, 0], [1, 0]] }\n";
    let text = scene(0.5, &format!("{supports}{beam}{load}"));
    // 0.8 m² of beam by 1 m are 0.04 m² of load, once and more, by 0.5 m.
    let live = Live { weights: vec!["load".to_owned()], ..Live::default() };
    close(highest(&text, live), 0.8 * 1.0 / (0.04 * 0.5) - 1.0);
}

/// In space a cube on the ground slides at the friction, the same along every direction: cones are round. A slab topples
/// about an edge, or about a corner along the diagonal, farther from the middle.
#[test]
fn cones_are_round_in_space() {
    let scene = |friction: f64, size: [f64; 3]| {
        format!(
            "dimension = 3\ngravity = [0, 0, -9.81]\n[time]\nstep = 1e-3\nend = 1\n[[material]]\nname = \"stone\"\n\
             density = 2000\n[default_law]\nfriction = {friction:?}\n[[boundary]]\nname = \"ground\"\n\
             material = \"stone\"\nshape = {{ half_space = {{}} }}\n[[body]]\nname = \"block\"\nmaterial = \"stone\"\n\
             position = [0, 0, {:?}]\nshape = {{ box = {size:?} }}\n",
            0.5 * size[2]
        )
    };
    for angle in [0.0f64, 0.3, 0.7, 2.0] {
        let along = [angle.cos(), angle.sin(), 0.0];
        let live = || Live { acceleration: Some(along), ..Live::default() };
        close(highest(&scene(0.35, [1.0, 1.0, 1.0]), live()), 0.35);
        // About the edge that the pull reaches first.
        let (half, high) = (0.25, 1.0);
        let exact = half / high / along[0].abs().max(along[1].abs());
        close(highest(&scene(0.9, [0.5, 0.5, 2.0]), live()), exact);
    }
}

/// Runs from rest find the bound where friction does not matter, and do not where a structure stands by dilation alone.
#[test]
fn runs_from_rest_bracket_the_bound() {
    let arch = arch(9, 0.9, 1.1);
    let simulation = Simulation::parse(&scene(0.8, &format!("{GROUND}{arch}"))).unwrap();
    let dynamics = Some(Dynamics { duration: 0.6, ..Dynamics::default() });
    let options = Options { live: pulled(), dynamics, ..Options::default() };
    let found = limit::analyse(&simulation, &options).unwrap();
    let (bound, [stays, moves]) = (found.highest.as_ref().unwrap().value, found.dynamic.unwrap());
    assert!(stays >= 0.998 * bound && moves <= 1.002 * bound, "{bound}: {stays} {moves}");
    let folder = std::env::temp_dir().join(format!("drystone-limit-{}", std::process::id()));
    let written = found.write(&simulation, &folder).unwrap();
    assert_eq!(written, ["limit.json", "mechanism.png", "thrust.png"]);
    let figures = std::fs::read_to_string(folder.join("limit.json")).unwrap();
    let figures: serde_json::Value = serde_json::from_str(&figures).unwrap();
    assert_eq!(figures["highest"], bound);
    assert_eq!(figures["joints"].as_array().unwrap().len(), 10);
    std::fs::remove_dir_all(&folder).unwrap();
}

/// The thrust of an arch lies between the least, when its supports spread, and the largest; at every joint resultants lie
/// within the stones.
#[test]
fn the_thrust_of_an_arch_has_a_range() {
    let mut text = arch(12, 1.0, 1.3);
    for (name, low, high) in [("left", -2.0, 0.0), ("right", 0.0, 2.0)] {
        write!(text, "[[boundary]]\nname = \"{name}\"\nmaterial = \"stone\"\nshape = {{ segment = [[{low:?}, 0.0], [{high:?}, 0.0]] }}\n").unwrap();
    }
    let simulation = Simulation::parse(&scene(0.8, &text)).unwrap();
    let reactions = vec![("left".to_owned(), None), ("right".to_owned(), Some([-1.0, 0.0, 0.0]))];
    let found = limit::analyse(&simulation, &Options { reactions, ..Options::default() }).unwrap();
    let [across, up, other] = &found.reactions[..] else { panic!("three directions") };
    assert!(across.lowest.value > 0.0 && across.lowest.value < 0.9 * across.highest.value);
    close(other.lowest.value, across.lowest.value);
    close(other.highest.value, across.highest.value);
    // Each side bears half of the weight, whatever the thrust, but for what is not symmetric.
    assert!(up.lowest.value < up.highest.value);
    for joint in found.joints(&across.lowest.forces) {
        let radius = (joint.point[0].powi(2) + joint.point[1].powi(2)).sqrt();
        assert!(radius > 1.0 - 1e-6 && radius < 1.3 + 1e-6, "{joint:?}");
    }
    // When supports spread, the crown sinks.
    let crown = across.lowest.mechanism[5].velocity[1] + across.lowest.mechanism[6].velocity[1];
    assert!(crown < -0.1, "{crown}");
}

#[test]
fn what_cannot_be_is_told() {
    let stone = rectangle("block", [0.0, 0.0], [1.0, 1.0]);
    let told = |text: &str, options: Options| {
        let simulation = Simulation::parse(text).unwrap();
        limit::analyse(&simulation, &options).unwrap_err().to_string()
    };
    let text = scene(0.5, &format!("{GROUND}{stone}"));
    let live = Live { weights: vec!["blok".to_owned()], ..Live::default() };
    assert!(told(&text, Options { live, ..Options::default() }).contains("did you mean `block`?"));
    let reactions = vec![("grund".to_owned(), None)];
    let message = told(&text, Options { reactions, ..Options::default() });
    assert!(message.contains("did you mean `ground`?"), "{message}");
    let live = Live { acceleration: Some([0.0; 3]), ..Live::default() };
    assert!(told(&text, Options { live, ..Options::default() }).contains("not zero"));
    let sticky = text.replace("friction = 0.5", "friction = 0.5\ncohesion = 10.0");
    assert!(told(&sticky, Options::default()).contains("cohesion"));
    let bond = "friction = 0.5\nbond = { law = { rigid = { tension = 1e5 } } }";
    let bonded = text.replace("friction = 0.5", bond);
    assert!(told(&bonded, Options::default()).contains("bonds"));
    // A block in the air falls, with nothing that could hold it.
    let simulation = Simulation::parse(&scene(0.5, &stone)).unwrap();
    let found =
        limit::analyse(&simulation, &Options { live: pulled(), ..Options::default() }).unwrap();
    assert!(!found.stands && found.highest.is_none() && found.falls[0].velocity[1] < -0.9);
}
