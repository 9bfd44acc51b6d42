//! Structures against limit analysis and impacts against closed forms, with the defaults: no form of contact and no margin
//! is written in these scenes, and a tolerance only where energy is to stay to rounding.

use crate::support::{body, plane, volume};
use drystone_engine::{Dimension, World};
use drystone_space::{Plane, Vector};
use std::f64::consts::PI;
use std::fmt::Write;

type Corners = Vec<[f64; 2]>;

/// A scene of the plane with this direction of gravity, friction and time step.
fn scene(tilt: f64, friction: f64, step: f64, ground: &str, blocks: &[Corners]) -> String {
    let (x, y) = (9.81 * tilt.sin(), -9.81 * tilt.cos());
    let mut text = format!(
        "dimension = 2\ngravity = [{x:?}, {y:?}]\n[time]\nstep = {step:?}\nend = 10\n\
         [[material]]\nname = \"stone\"\ndensity = 2000\n[default_law]\nfriction = {friction:?}\n\
         [[boundary]]\nname = \"ground\"\nmaterial = \"stone\"\nshape = {{ {ground} }}\n"
    );
    for (index, corners) in blocks.iter().enumerate() {
        let shape = format!("{{ polygon = {corners:?} }}");
        write!(text, "[[body]]\nname = \"b{index}\"\nmaterial = \"stone\"\nshape = {shape}\n")
            .unwrap();
        text.push_str("position = [0, 0]\n");
    }
    text
}

/// How far the farthest body comes in so many seconds; every step closes the books.
fn drift(text: &str, seconds: f64) -> f64 {
    let mut world = plane(text);
    let start: Vec<_> = world.bodies().iter().map(|b| b.pose.position).collect();
    let way = |world: &World<Plane>| {
        let ways = world.bodies().iter().zip(&start).map(|(b, s)| (b.pose.position - *s).norm());
        ways.fold(0.0, f64::max)
    };
    while world.time() < seconds && way(&world) < 0.01 {
        world.step().unwrap_or_else(|e| panic!("{e}"));
        assert!(world.ledger().closure() < 1e-10);
    }
    way(&world)
}

/// Stands within a micrometre on one side of a limit, and has fallen by a centimetre on the other.
#[track_caller]
fn limit(stands: &str, falls: &str) {
    let (stood, fell) = (drift(stands, 1.0), drift(falls, 8.0));
    assert!(stood < 1e-6, "should stand, and moved by {stood:e} m");
    assert!(fell >= 0.01, "should fall, and moved by {fell:e} m");
}

const FLOOR: &str = "half_plane = {}";

fn block(x: f64, y: f64, width: f64, height: f64) -> Corners {
    vec![[x, y], [x + width, y], [x + width, y + height], [x, y + height]]
}

/// Two cards of length L and thickness t lean on each other at a from the vertical. By symmetry the force at the top is
/// horizontal; moments about it give the friction that the ground must have, tan(a)/2 − t/(2L).
#[test]
fn leaning_cards_stand_by_friction_of_the_ground_alone() {
    let (length, thick) = (1.0, 0.02);
    for lean in [0.2f64, 0.4, 0.7] {
        let (along, across) = ([lean.sin(), lean.cos()], [lean.cos(), -lean.sin()]);
        let top = [0.0, length * lean.cos()];
        let corner =
            |down: f64, back: f64| [0, 1].map(|i| top[i] - down * along[i] - back * across[i]);
        let left =
            vec![corner(0.0, 0.0), corner(0.0, thick), corner(length, thick), corner(length, 0.0)];
        let right = left.iter().map(|&[x, y]| [-x, y]).collect();
        let cards = [left, right];
        let friction = 0.5 * lean.tan() - 0.5 * thick / length;
        let with = |share: f64| scene(0.0, share * friction, 1e-3, FLOOR, &cards);
        limit(&with(1.005), &with(0.995));
    }
}

fn arch(count: usize, thickness: f64) -> Vec<Corners> {
    let at = |radius: f64, joint: usize| {
        let angle = PI * joint as f64 / count as f64;
        [radius * angle.cos(), radius * angle.sin()]
    };
    let (inner, outer) = (1.0 - 0.5 * thickness, 1.0 + 0.5 * thickness);
    let stone = |k| vec![at(inner, k), at(outer, k), at(outer, k + 1), at(inner, k + 1)];
    (0..count).map(stone).collect()
}

/// Couplet's arch: the thinnest semicircle has 0.10748 of its mean radius for many joints. With 20 and 21 voussoirs of
/// straight sides a linear programme over the thrusts in its joints gives these; hinges can only be where joints are.
#[test]
fn couplets_arch_stands_above_its_least_thickness() {
    for (count, least) in [(20, 0.107_347_74), (21, 0.106_694_78)] {
        for step in [2e-3, 5e-4] {
            let with = |share: f64| scene(0.0, 1.5, step, FLOOR, &arch(count, share * least));
            limit(&with(1.0005), &with(0.9995));
        }
    }
}

/// Equal blocks jut out over a table by Σ 1/(2k) lengths at most.
#[test]
fn the_harmonic_overhang_is_the_largest() {
    for count in [4usize, 10] {
        let blocks = |share: f64| {
            let mut reach = 0.0;
            let mut stack = Vec::new();
            for level in 0..count {
                reach += share / (2.0 * (count - level) as f64);
                stack.push(block(reach - 1.0, 0.25 * level as f64, 1.0, 0.25));
            }
            stack
        };
        let table = "segment = [[-3.0, 0.0], [0.0, 0.0]]";
        let with = |share: f64| scene(0.0, 0.7, 1e-3, table, &blocks(share));
        limit(&with(0.9995), &with(1.0005));
    }
}

/// On a tilting plane a column topples about its lowest edge as one, at width over height; with less friction than that
/// it slides.
#[test]
fn a_tilting_column_topples_or_slides() {
    let column: Vec<_> = (0..5).map(|i| block(0.0, 0.4 * f64::from(i), 0.8, 0.4)).collect();
    for (friction, slope) in [(0.9, 0.4f64), (0.3, 0.3)] {
        let with = |share: f64| scene(share * slope.atan(), friction, 1e-3, FLOOR, &column);
        limit(&with(0.999), &with(1.001));
    }
}

/// A wall of four blocks by six rows in running bond slides at the angle of friction where that is small.
#[test]
fn a_tilting_wall_slides_at_its_angle_of_friction() {
    let mut wall = Vec::new();
    for row in 0..6 {
        let (y, odd) = (0.3 * f64::from(row), row % 2 == 1);
        for column in 0..4 {
            let x = 0.6 * f64::from(column) + if odd { 0.3 } else { 0.0 };
            wall.push(block(x, y, if odd && column == 3 { 0.3 } else { 0.6 }, 0.3));
        }
        if odd {
            wall.push(block(0.0, y, 0.3, 0.3));
        }
    }
    let with = |share: f64| scene(share * 0.4f64.atan(), 0.4, 1e-3, FLOOR, &wall);
    limit(&with(0.998), &with(1.002));
}

/// A hemisphere of 6 rings of 12 stones about an opening of 8.6° stands, and every step of it is exact: hyperstatic, with
/// four points in each of its 204 joints. What a step leaves undone stays in the gaps, and was once more than the next steps
/// could solve.
#[test]
fn a_dome_rests_and_each_of_its_steps_is_solved() {
    let mut text = String::from(
        "dimension = 3\ngravity = [0, 0, -9.81]\n[time]\nstep = 1e-3\nend = 10\n\
         [[material]]\nname = \"stone\"\ndensity = 2000\n[default_law]\nfriction = 0.7\n\
         [[boundary]]\nmaterial = \"stone\"\nshape = { half_space = {} }\n",
    );
    let (thickness, rings, count, opening) = (0.1, 6, 12, 8.6f64.to_radians());
    let down = |ring: usize| {
        let share = (rings - ring) as f64 / rings as f64;
        if ring == 0 { 0.5 * PI } else { opening + (0.5 * PI - opening) * share }
    };
    let at = |radius: f64, ring: usize, joint: usize| {
        let (down, round) = (down(ring), 2.0 * PI * joint as f64 / count as f64);
        let height = if ring == 0 { 0.0 } else { radius * down.cos() };
        [radius * down.sin() * round.cos(), radius * down.sin() * round.sin(), height]
    };
    let radii = [1.0 - 0.5 * thickness, 1.0 + 0.5 * thickness];
    for (ring, stone) in (0..rings).flat_map(|ring| (0..count).map(move |stone| (ring, stone))) {
        let corners: Vec<_> = [(0, 0), (0, 1), (1, 0), (1, 1)]
            .into_iter()
            .flat_map(|(up, on)| radii.map(|radius| at(radius, ring + up, stone + on)))
            .collect();
        let shape = format!("{{ polyhedron = {corners:?} }}");
        write!(text, "[[body]]\nmaterial = \"stone\"\nposition = [0, 0, 0]\nshape = {shape}\n")
            .unwrap();
    }
    let mut world = volume(&text);
    for step in 0..100 {
        let report = world.step().unwrap();
        assert!(report.converged, "step {step}: {report:?}");
    }
    // An error of 1e-4 of what gravity does in a step, for 0.1 s.
    let speed = world.bodies().iter().map(|body| body.velocity.length()).fold(0.0, f64::max);
    assert!(speed < 1e-4 * 9.81 * 1e-3, "{speed}");
}

/// A scene of balls of radius 5 cm, with one restitution.
fn balls(gravity: f64, restitution: f64, step: f64, places: &[(f64, f64, f64)]) -> World<Plane> {
    let mut text = format!(
        "dimension = 2\ngravity = [0, -{gravity:?}]\n[time]\nstep = {step:?}\nend = 10\n\
         [[material]]\nname = \"a\"\n[default_law]\nfriction = 0\nnormal_restitution = {restitution:?}\n\
         [[boundary]]\nname = \"floor\"\nmaterial = \"a\"\nshape = {{ half_plane = {{}} }}\n"
    );
    for (index, (x, y, speed)) in places.iter().enumerate() {
        write!(
            text,
            "[[body]]\nname = \"b{index}\"\nmaterial = \"a\"\nmass = 1\nshape = {{ disk = 0.05 }}\n\
             position = [{x:?}, {y:?}]\nvelocity = [{speed:?}, 0]\n"
        )
        .unwrap();
    }
    plane(&text)
}

fn energy<S: Dimension>(world: &World<S>) -> f64 {
    world.ledger().kinetic + world.ledger().potential
}

/// A ball that falls from half a metre comes back to ρ² of it. A collision is seen up to a step late, v h deep, which takes up to
/// (1 − ρ²) v h off the peak. A ball that
/// bounces ever lower comes to rest when Zeno's sum says: √(2H/g) (1 + ρ)/(1 − ρ). No bounce gains energy beyond what
/// one step of the fall is worth.
#[test]
fn bounces_are_right_to_first_order() {
    for restitution in [0.9, 0.5] {
        for step in [4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4] {
            let mut world = balls(9.81, restitution, step, &[(0.0, 0.55, 0.0)]);
            let fall = (2.0 * 9.81 * 0.5f64).sqrt();
            let (mut peak, mut risen) = (0.0f64, false);
            while world.time() < 0.9 {
                world.step().unwrap();
                let ball = body(&world, "b0");
                risen |= ball.velocity.y > 0.0;
                if risen && ball.velocity.y > -fall * restitution * 0.5 {
                    peak = peak.max(ball.pose.position.y - 0.05);
                }
            }
            let error = peak - restitution * restitution * 0.5;
            let way = fall * step;
            let late = (1.0 - restitution * restitution) * way;
            let right = error > -late - 0.05 * way && error < 0.05 * way;
            assert!(right, "{restitution}, {step}: off by {error:e}");
        }
    }
    let (start, restitution) = (0.1f64, 0.5);
    let rest = (2.0 * start / 9.81).sqrt() * (1.0 + restitution) / (1.0 - restitution);
    for step in [2e-3, 1e-3, 5e-4, 2.5e-4] {
        let mut world = balls(9.81, restitution, step, &[(0.0, 0.05 + start, 0.0)]);
        let mut last = 0.0;
        let mut most = energy(&world);
        while world.time() < 1.0 {
            world.step().unwrap();
            if body(&world, "b0").velocity.norm() > 1e-9 {
                last = world.time();
            }
            let gained = energy(&world) - most;
            assert!(gained < 9.81 * 9.81 * step * step, "{step}: {gained:e}");
            most = most.min(energy(&world));
        }
        // Bounces slower than what gravity gives in four steps are cut off: 8 h/(1 − ρ) of the sum is left then.
        let early = rest - last;
        assert!(early > -step && early < 8.0 / (1.0 - restitution) * step, "{step}: {last} {rest}");
        assert!((body(&world, "b0").pose.position.y - 0.05).abs() < 1e-12);
    }
}

/// In a cradle with gaps the last ball leaves with all the speed, to the bit, for any step.
#[test]
fn a_cradle_with_gaps_hands_on_its_speed() {
    for step in [4e-4, 2e-4, 1e-4] {
        let gaps = [0.3, 0.1013, 0.1013, 0.1013];
        let mut x = 0.0;
        let mut places = vec![(0.0, 1.0, 2.0)];
        for gap in gaps {
            x += gap;
            places.push((x, 1.0, 0.0));
        }
        let mut world = balls(0.0, 1.0, step, &places);
        while world.time() < 0.5 {
            world.step().unwrap();
        }
        let speeds: Vec<f64> = world.bodies().iter().map(|b| b.velocity.x).collect();
        assert_eq!(speeds, [0.0, 0.0, 0.0, 0.0, 2.0], "{step}");
    }
}

/// Boxes that tumble and collide in space, without gravity and friction, with restitution 1: energy and momentum stay
/// to rounding.
#[test]
fn boxes_in_space_collide_without_loss() {
    let mut text = "dimension = 3\ngravity = [0, 0, 0]\n[time]\nstep = 1e-3\nend = 10\n\
                    [solver]\ntolerance = 1e-12\n[[material]]\nname = \"a\"\ndensity = 1000\n\
                    [default_law]\nfriction = 0\nnormal_restitution = 1\n"
        .to_owned();
    for i in 0..27i32 {
        let place = [i % 3, i / 3 % 3, i / 9].map(|k| 0.35 * f64::from(k - 1));
        // Each towards the middle, and about an axis of its own.
        let velocity = place.map(|x| -1.5 * x);
        let axis = [1.0, 0.3 * f64::from(i % 5), -0.2 * f64::from(i % 7)];
        let spin = [f64::from(i % 4) - 1.5, 2.0 - f64::from(i % 3), 0.7 * f64::from(i % 2)];
        write!(
            text,
            "[[body]]\nname = \"b{i}\"\nmaterial = \"a\"\nshape = {{ box = [0.2, 0.15, 0.1] }}\n\
             position = {place:?}\nvelocity = {velocity:?}\nspin = {spin:?}\n\
             rotation = {{ axis = {axis:?}, angle = {} }}\n",
            0.3 * f64::from(i)
        )
        .unwrap();
    }
    let mut world = volume(&text);
    let momentum = |world: &World<drystone_space::Volume>| {
        let zero = drystone_space::DVec3::ZERO;
        world.bodies().iter().fold(zero, |sum, b| sum + b.velocity * b.mass)
    };
    let (start, before) = (energy(&world), momentum(&world));
    let mut struck = 0;
    while world.time() < 1.5 {
        struck += world.step().unwrap().contacts;
        let change = (energy(&world) / start - 1.0).abs();
        assert!(change < 1e-10, "{change:e} at {}", world.time());
    }
    assert!(struck > 20, "{struck}");
    assert!((momentum(&world) - before).norm() < 1e-11);
}
