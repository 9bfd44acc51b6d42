//! Solids without inertia, and solids that move in their lowest modes only.

use crate::support::{plane, run_until, text};
use drystone_engine::{Setup, World};
use drystone_scene::Scene;
use drystone_space::{DVec2, Plane};
use std::f64::consts::PI;

/// A block in equilibrium at every step of a tenth of a second.
fn quasi_static(law: &str, end: f64, solid: &str) -> String {
    format!(
        "dimension = 2\ngravity = [0, 0]\n[time]\nstep = 0.1\nend = {end}\n\
         [solver]\ntolerance = 1e-11\n[deformation]\nscheme = \"quasi-static\"\n\
         [[material]]\nname = \"a\"\n[default_law]\n{law}\n\
         [[solid]]\nname = \"block\"\nmaterial = \"a\"\n{solid}\n"
    )
}

/// Mean displacement of a group's nodes.
fn moved(world: &World<Plane>, group: &str) -> DVec2 {
    let solid = &world.solids()[0];
    let mesh = solid.model().mesh();
    let nodes = mesh.group(group).unwrap();
    let all = nodes.iter().map(|&n| solid.positions()[n as usize] - mesh.nodes[n as usize]);
    all.sum::<DVec2>() / nodes.len() as f64
}

/// σ = p everywhere: ε = p/E along the pull and −νp/E across it, in one step of any length.
#[test]
fn a_patch_is_pulled_evenly() {
    let mut world = plane(&quasi_static(
        "friction = 0",
        0.1,
        "mesh = { rectangle = { size = [2.0, 1.0], elements = [5, 3] } }\nsection = \"plane_stress\"\n\
         elasticity = { law = \"linear\", young = 100.0, poisson = 0.25, density = 3.0 }\n\
         imposed = [{ group = \"left\", axes = [\"x\"] }, { group = \"bottom\", axes = [\"y\"] }]\n\
         tractions = [{ group = \"right\", traction = [2.0, 0.0] }]",
    ));
    run_until(&mut world, 0.1, |_, _| {});
    let (along, across) = (moved(&world, "right").x, moved(&world, "top").y);
    assert!((along - 2.0 / 100.0 * 2.0).abs() < 1e-12, "{along}");
    assert!((across + 0.25 * 2.0 / 100.0).abs() < 1e-12, "{across}");
    for stress in world.solids()[0].stresses() {
        assert!(stress.shear().abs() < 1e-11 && (stress.von_mises() - 2.0).abs() < 1e-10);
    }
    assert_eq!(world.ledger().kinetic, 0.0);
}

const SLENDER: &str = "mesh = { rectangle = { size = [10.0, 0.5], elements = [40, 2] } }\norder = 2\n\
    section = \"plane_stress\"\nimposed = [{ group = \"left\" }]\n";

/// Timoshenko's deflection under a small load.
#[test]
fn a_cantilever_bends_as_timoshenko_says() {
    let (length, height, young, poisson, load) = (10.0, 0.5, 1000.0, 0.25, 1e-4);
    let mut world = plane(&quasi_static(
        "friction = 0",
        0.1,
        &format!(
            "{SLENDER}elasticity = {{ law = \"linear\", young = {young}, poisson = {poisson}, density = 1.0 }}\n\
             tractions = [{{ group = \"right\", traction = [0.0, -{load}] }}]"
        ),
    ));
    run_until(&mut world, 0.1, |_, _| {});
    let force: f64 = load * height;
    let bending =
        force * length * length * length / (3.0 * young * height * height * height / 12.0);
    let shear = force * length / (5.0 / 6.0 * young / (2.0 * (1.0 + poisson)) * height);
    let found = -moved(&world, "right").y / (bending + shear);
    assert!((found - 1.0).abs() < 3e-3, "{found}");
}

/// The elastica under a load FL²/EI = 2 at its end: it sinks by 0.4935 L and comes nearer by 0.1606 L (Bisshopp &
/// Drucker 1945). In the limit of a thin beam; here it is a twentieth as thick as long.
#[test]
fn a_thin_beam_bends_far_along_a_path_of_equilibria() {
    let (length, height, young) = (10.0, 0.5, 1000.0f64);
    let load = 2.0 * young * height * height * height / 12.0 / (length * length) / height;
    let scene = quasi_static(
        "friction = 0",
        1.0,
        &format!(
            "{SLENDER}elasticity = {{ young = {young}, poisson = 0.0, density = 1.0 }}\n\
             tractions = [{{ group = \"right\", traction = [0.0, -{load}], factor = {{ table = {{ points = [[0, 0], [1, 1]] }} }} }}]"
        ),
    );
    let scheme = "scheme = \"quasi-static\"\n";
    let mut world = plane(&scene.replace(scheme, &format!("{scheme}tolerance = 1e-8\n")));
    for _ in 0..10 {
        world.step().unwrap();
        // The balance is open by 1e-8 of the largest force on a node, and by the rounding of a stiff law far from its rest;
        // the end moves by metres, and all of the energy of the first step is 6 mJ.
        assert!(world.ledger().closure() < 1e-6, "{}", world.ledger().closure());
    }
    let tip = moved(&world, "right") / length;
    assert!((tip.y + 0.4935).abs() < 5e-3 && (tip.x + 0.1606).abs() < 5e-3, "{tip}");
    // The load does ∫F dδ along the path, all of which is stored; the steps see it with an error of their length.
    let ledger = world.ledger();
    assert!(ledger.scheme_work.abs() < 0.15 * ledger.elastic, "{ledger:?}");
}

/// Pressure and width of the scene.
#[test]
fn a_round_block_meets_the_floor_as_hertz_says() {
    let mut world = plane(&text("hertz.toml"));
    run_until(&mut world, 1.0, |world, _| {
        let solid = &world.solids()[0];
        let lowest = solid.positions().iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
        println!("lowest node at {lowest:e}");
        assert!(lowest > -1e-8, "overlap of {lowest:e} at {}", world.time());
    });
    let h = world.setup().time_step;
    let mut forces: Vec<(f64, f64)> =
        world.solid_contacts().iter().map(|c| (c.point.x, c.impulse.y / h)).collect();
    forces.sort_by(|a, b| a.0.total_cmp(&b.0));
    let force: f64 = forces.iter().map(|f| f.1).sum();
    let modulus = 1000.0 / (1.0 - 0.09);
    let width = (4.0 * force / (PI * modulus)).sqrt();
    let peak = 2.0 * force / (PI * width);
    // p² is linear in x²; nodes are a hundredth apart.
    let inside: Vec<(f64, f64)> = forces
        .windows(3)
        .filter(|w| w.iter().all(|f| f.1 > 0.0))
        .map(|w| (w[1].0 * w[1].0, (w[1].1 / (0.5 * (w[2].0 - w[0].0))).powi(2)))
        .collect();
    assert!(inside.len() > 8, "{forces:?}");
    let n = inside.len() as f64;
    let (x, y) = inside.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0 / n, y + p.1 / n));
    let slope = inside.iter().map(|p| (p.0 - x) * (p.1 - y)).sum::<f64>()
        / inside.iter().map(|p| (p.0 - x).powi(2)).sum::<f64>();
    let top = y - slope * x;
    let (found_peak, found_width) = (top.sqrt(), (-top / slope).sqrt());
    println!("pressure {}, width {} of Hertz's", found_peak / peak, found_width / width);
    assert!((found_peak / peak - 1.0).abs() < 0.03, "{found_peak} {peak}");
    assert!((found_width / width - 1.0).abs() < 0.03, "{found_width} {width}");
}

/// A block is pressed and then pushed: the floor holds it by μ times the pressure at most, and takes friction times the way.
#[test]
fn a_pressed_block_sticks_and_then_slides() {
    let floor = "\n[[boundary]]\nmaterial = \"a\"\nshape = { half_plane = {} }";
    let mut world = plane(&quasi_static(
        "friction = 0.3",
        4.0,
        &format!(
            "mesh = {{ rectangle = {{ size = [1.0, 0.5], elements = [10, 5] }} }}\nposition = [0, 0.25]\n\
             section = \"plane_strain\"\n\
             elasticity = {{ law = \"linear\", young = 100.0, poisson = 0.2, density = 1.0 }}\n\
             imposed = [{{ group = \"top\", axes = [\"y\"], velocity = [0, -0.01], factor = {{ table = {{ points = [[1, 1], [1.001, 0]] }} }} }},\n\
             {{ group = \"top\", axes = [\"x\"], velocity = [0.01, 0], factor = {{ table = {{ points = [[1, 0], [1.001, 1]] }} }} }}]{floor}"
        ),
    ));
    let h = world.setup().time_step;
    let (mut last, mut least, mut slid) = (DVec2::ZERO, f64::INFINITY, 0);
    run_until(&mut world, 4.0, |world, _| {
        last = world.solid_contacts().iter().map(|c| c.impulse).sum::<DVec2>() / h;
        if world.time() > 1.05 {
            least = least.min(-last.x / last.y);
            slid += usize::from(-last.x > 0.3 * last.y * (1.0 - 1e-9));
        }
    });
    // At first it sticks and shears; when all of it slides nothing changes any more.
    assert!(least < 0.1 && slid > 10, "{least} {slid}");
    assert!((-last.x / last.y - 0.3).abs() < 1e-8, "{last}");
    let ledger = world.ledger();
    let steady = 0.3 * last.y * 0.01 * h * slid as f64;
    assert!(
        ledger.friction_loss >= steady && ledger.friction_loss < 1.6 * steady,
        "{ledger:?} {steady}"
    );
    assert!(ledger.impact_loss.abs() < 1e-9 * steady, "{ledger:?}");
}

/// What cannot be computed without inertia is refused.
#[test]
fn what_needs_inertia_is_refused() {
    let block = "mesh = { rectangle = { size = [1.0, 0.5], elements = [2, 1] } }\nsection = \"plane_strain\"\n\
        elasticity = { young = 100.0, poisson = 0.2, density = 1.0 }\n";
    let held = format!("{block}imposed = [{{ group = \"top\" }}]\n");
    let body = "[[body]]\nmaterial = \"a\"\nshape = { disk = 0.1 }\nmass = 1\nposition = [9, 9]";
    for (law, solid, word) in [
        ("friction = 0.1", block.to_owned(), "nothing holds"),
        ("friction = 0.1", format!("{held}{body}"), "rigid bodies"),
        ("friction = 0.1\nnormal_restitution = 0.5", held.clone(), "restitution"),
        ("friction = 0.1", format!("{held}[contact]\nform = \"velocity\""), "velocity form"),
    ] {
        let report = Scene::parse("scene", &quasi_static(law, 1.0, &solid), None).unwrap_err();
        assert!(report.to_string().contains(word), "{report}");
    }
    assert!(Scene::parse("scene", &quasi_static("friction = 0.1", 1.0, &held), None).is_ok());
}

/// A free block under a linear law that falls on a floor, in all motions or in so many modes.
fn falling(modes: Option<usize>) -> World<Plane> {
    let key = modes.map_or(String::new(), |count| format!("modes = {count}\n"));
    plane(&format!(
        "dimension = 2\ngravity = [0, -10]\n[time]\nstep = 2e-4\nend = 1\n[solver]\ntolerance = 1e-10\n\
         [contact]\nform = \"velocity\"\n[[material]]\nname = \"a\"\n\
         [default_law]\nfriction = 0.3\nnormal_restitution = 1\ntangential_restitution = 1\n\
         [[boundary]]\nmaterial = \"a\"\nshape = {{ half_plane = {{}} }}\n\
         [[solid]]\nname = \"block\"\nmaterial = \"a\"\n{key}section = \"plane_strain\"\n\
         mesh = {{ rectangle = {{ size = [1.0, 0.5], elements = [6, 3] }} }}\nposition = [0, 0.26]\n\
         velocity = [0.3, -0.5]\n\
         elasticity = {{ law = \"linear\", young = 2e5, poisson = 0.3, density = 100.0 }}\n"
    ))
}

/// With as many modes as nodes can move the motion is that of all nodes, impacts included.
#[test]
fn a_block_in_all_its_modes_falls_as_the_whole_one() {
    let path = |modes: Option<usize>| {
        let mut world = falling(modes);
        let mut paths = Vec::new();
        run_until(&mut world, 0.1, |world, _| paths.push(world.solids()[0].positions().to_vec()));
        let ledger = world.ledger();
        assert!(ledger.friction_loss > 0.0);
        assert!(ledger.scheme_work.abs() < 1e-9 * ledger.initial, "{ledger:?}");
        paths
    };
    let (whole, all) = (path(None), path(Some(56)));
    let pairs = whole.iter().flatten().zip(all.iter().flatten());
    let away = pairs.map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    assert!(away < 1e-10, "{away:e}");
}

/// A clamped beam falls and strikes a stop with its end: few modes are enough.
#[test]
fn a_beam_in_few_modes_strikes_a_stop_as_the_whole_one() {
    let path = |modes: Option<usize>| {
        let key = modes.map_or(String::new(), |count| format!("modes = {count}\n"));
        let mut world = plane(&format!(
            "dimension = 2\ngravity = [0, -10]\n[time]\nstep = 1e-3\nend = 1\n[solver]\ntolerance = 1e-9\n\
             [contact]\nform = \"velocity\"\n[[material]]\nname = \"a\"\n[default_law]\nfriction = 0.2\n\
             [[boundary]]\nmaterial = \"a\"\nshape = {{ half_plane = {{ point = [0, -0.1] }} }}\n\
             [[solid]]\nname = \"beam\"\nmaterial = \"a\"\n{key}section = \"plane_stress\"\n\
             mesh = {{ rectangle = {{ size = [2.0, 0.1], elements = [16, 1] }} }}\norder = 2\n\
             elasticity = {{ law = \"linear\", young = 2e7, poisson = 0.3, density = 100.0 }}\n\
             imposed = [{{ group = \"left\" }}]\n"
        ));
        let (mut tips, mut touched) = (Vec::new(), false);
        run_until(&mut world, 0.6, |world, _| {
            touched |= world.solid_contacts().iter().any(|c| c.impulse.y > 0.0);
            tips.push(moved(world, "right").y);
        });
        assert!(touched);
        tips
    };
    let whole = path(None);
    let away = |modes: usize| {
        let pairs = path(Some(modes)).into_iter().zip(&whole);
        pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    let far = whole.iter().fold(0.0f64, |far, y| far.max(y.abs()));
    let found = [2, 5, 12].map(away);
    println!("sinks by {far}; 2, 5 and 12 modes are away by {found:?}");
    // What a blow at one node excites is in high modes too.
    assert!(found[2] < found[1] && found[1] < found[0] && found[2] < 0.1 * far, "{far} {found:?}");
}

/// Modes go on with the same bits.
#[test]
fn a_resumed_run_in_modes_has_the_same_bits() {
    let mut one = falling(Some(12));
    run_until(&mut one, 0.01, |_, _| {});
    let setup: Setup<Plane> = one.setup().clone();
    let mut other = World::resume(setup, one.save()).unwrap();
    for world in [&mut one, &mut other] {
        run_until(world, 0.02, |_, _| {});
    }
    assert_eq!(one.solids()[0].state(), other.solids()[0].state());
    assert!(
        one.solid_contacts().iter().any(|c| c.impulse.y > 0.0) || one.ledger().friction_loss > 0.0
    );
}

#[test]
fn modes_are_refused_where_they_mean_nothing() {
    let scene = |modes: &str, law: &str, imposed: &str| {
        format!(
            "dimension = 2\ngravity = [0, 0]\n[time]\nstep = 1e-3\nend = 1\n[[material]]\nname = \"a\"\n\
             [default_law]\nfriction = 0\n[[solid]]\nname = \"b\"\nmaterial = \"a\"\nmodes = {modes}\n\
             mesh = {{ rectangle = {{ size = [1.0, 0.5], elements = [2, 1] }} }}\nsection = \"plane_strain\"\n\
             elasticity = {{ law = \"{law}\", young = 1e3, poisson = 0.3, density = 1.0 }}\n{imposed}\n"
        )
    };
    let at_rest = "imposed = [{ group = \"left\" }]";
    let pushed = "imposed = [{ group = \"left\", velocity = [1, 0] }]";
    assert!(Scene::parse("scene", &scene("4", "linear", at_rest), None).is_ok());
    for (modes, law, imposed, word) in [
        ("4", "neo-hookean", "", "not linear"),
        ("4", "linear", pushed, "pushed by its nodes"),
        ("0", "linear", "", "modes"),
    ] {
        let report = Scene::parse("scene", &scene(modes, law, imposed), None).unwrap_err();
        assert!(report.to_string().contains(word), "{report}");
    }
    // More than nodes can move along: two columns of nodes are free.
    let world = Scene::parse("scene", &scene("9", "linear", at_rest), None).unwrap().world();
    assert!(format!("{}", world.unwrap_err()).contains("modes"));
}
