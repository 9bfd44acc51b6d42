//! Good scenes give the worlds that they describe.

use drystone_detect::plane::PlaneShape;
use drystone_detect::volume::VolumeShape;
use drystone_detect::{Bounds, Extent, Geometry};
use drystone_engine::{
    AnyWorld, ContactForm, Course, Drive, MaterialId, OnFailure, Owner, Setup, Signal,
};
use drystone_scene::{AnySetup, Scene};
use drystone_space::{DVec2, DVec3, Plane, Rotation, Vector, Volume};

fn read(name: &str) -> Scene {
    let path = format!("{}/tests/good/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let scene = Scene::read(path).unwrap_or_else(|report| panic!("{report}"));
    assert_eq!(scene.warnings.to_string(), "no problems");
    scene
}

fn plane(scene: &Scene) -> &Setup<Plane> {
    match &scene.setup {
        AnySetup::Plane(setup) => setup,
        AnySetup::Volume(_) => panic!("a plane scene"),
    }
}

fn volume(scene: &Scene) -> &Setup<Volume> {
    match &scene.setup {
        AnySetup::Volume(setup) => setup,
        AnySetup::Plane(_) => panic!("a scene in space"),
    }
}

/// A plane scene with one material, from its tables.
fn parse(tables: &str) -> Result<Scene, drystone_scene::Report> {
    let head = "dimension = 2\ngravity = [0, -9.81]\ntime = { step = 1e-3, end = 1 }\n\
        default_law = { friction = 0.3 }\nmaterial = [{ name = \"stone\", density = 2000 }]\n";
    Scene::parse("scene", &format!("{head}{tables}"), None)
}

fn bounds<S: Geometry>(setup: &Setup<S>) -> Bounds<S> {
    let boxes = setup.bodies.iter().flat_map(|body| {
        body.parts.iter().map(|part| {
            match S::extent(&part.shape, &body.pose.compose(&part.pose())) {
                Extent::Box(bounds) => bounds,
                Extent::Half { .. } => panic!("a body without end"),
            }
        })
    });
    boxes.reduce(|a, b| a.union(&b)).unwrap()
}

#[test]
fn the_wall_of_jean_and_moreau_1992() {
    let scene = read("wall");
    let setup = plane(&scene);
    assert_eq!(setup.bodies.len(), 176);
    let bounds = bounds(setup);
    assert!(bounds.low.norm() < 1e-12);
    assert!((bounds.high - DVec2::new(6.30, 6.40)).norm() < 1e-12);
    // 0.2 kg/cm² is 2000 kg/m²; the wall has no holes.
    let mass: f64 = setup.bodies.iter().map(|body| body.mass).sum();
    assert!((mass - 2000.0 * 6.30 * 6.40).abs() < 1e-6 * mass);
    let halves: Vec<usize> =
        (0..176).filter(|&i| (setup.bodies[i].mass - 240.0).abs() < 1e-9).collect();
    // One half block in each row of eleven: the first of odd rows, the last of even ones.
    let expected: Vec<usize> =
        (0..16).map(|row| row * 11 + if row % 2 == 0 { 0 } else { 10 }).collect();
    assert_eq!(halves, expected);
    assert!((setup.gravity.y + 9.81).abs() < 1e-12);
    assert_eq!(setup.bodies[175].name(), "block 176");
    assert_eq!(scene.output.track, ["block 176"]);
    assert_eq!(scene.output.picture, (1400, 750));
    let Drive::Motion(motion) = &setup.boundaries[0].drive else { panic!("a moving ground") };
    let Course::Signals { displacement, .. } = &motion.course else { panic!("a sinusoid") };
    let Signal::Sinusoid { amplitude, frequency, .. } = displacement else { panic!("a sinusoid") };
    assert_eq!((*amplitude, *frequency, motion.start), (0.125, 2.0, 1.0));
    assert!(matches!(scene.world().unwrap(), AnyWorld::Plane(_)));
}

#[test]
fn every_table_of_the_plane() {
    let scene = read("plane");
    let setup = plane(&scene);
    assert_eq!(setup.solver.tolerance, 1e-6);
    assert_eq!(setup.solver.on_failure, OnFailure::Stop);
    assert_eq!(
        setup.form,
        ContactForm::Gap { margin: 1e-3, recovery_speed: 0.5, recovery_share: 1.0 }
    );
    assert_eq!(setup.laws.get(MaterialId(0), MaterialId(1)).largest_friction(), 0.4);
    assert_eq!(setup.laws.get(MaterialId(1), MaterialId(1)).largest_friction(), 0.3);

    // Two disks of densities 2000 and 600: the centre lies 0.5·(600 − 2000)/2600 along the axis.
    let cluster = &setup.bodies[0];
    assert!((cluster.mass - 2600.0 * std::f64::consts::PI * 0.25).abs() < 1e-9);
    let offset = 0.5 * (600.0 - 2000.0) / 2600.0;
    let turn = std::f64::consts::PI / 6.0;
    let centre = DVec2::new(0.0, 5.0) + DVec2::from_angle(turn) * offset;
    assert!((cluster.pose.position - centre).length() < 1e-12);
    assert!((cluster.spin - std::f64::consts::FRAC_PI_2).abs() < 1e-15);

    // A triangle with given mass and inertia; the centre is that of the triangle.
    let given = &setup.bodies[1];
    assert_eq!((given.mass, given.moments), (3.0, 0.7));
    let centre = DVec2::new(5.0 + 2.0 / 3.0, 5.0 + 1.0 / 3.0);
    assert!((given.pose.position - centre).length() < 1e-12);

    assert_eq!(setup.loads.len(), 2);
    assert_eq!((setup.loads[0].body, setup.loads[0].force), (0, DVec2::new(1.0, 0.0)));
    assert_eq!((setup.loads[1].body, setup.loads[1].torque), (1, 2.0));
    let initial = &setup.initial_forces[0];
    assert_eq!((initial.on, initial.by), (Owner::Body(0), Owner::Boundary(0)));

    let times: Vec<f64> = setup.arrivals.iter().map(|arrival| arrival.time).collect();
    assert_eq!(times[..2], [0.1, 0.25]);
    assert_eq!(times.len(), 9);
    assert!((times[8] - 1.1).abs() < 1e-12);
    assert_eq!(setup.arrivals[8].body.name(), "rain 7");
    assert_eq!(setup.boundaries[1].removal, 1.5);
    let Drive::Slider(slider) = &setup.boundaries[2].drive else { panic!("a slider") };
    assert_eq!(slider.direction(), DVec2::new(0.0, -1.0));

    // 2 bodies, 12 of the lattice, 60 grains, 5 cards, 15 voussoirs.
    assert_eq!(setup.bodies.len(), 94);
    let cards: Vec<f64> = setup.bodies[74..79].iter().map(|body| body.pose.position.x).collect();
    assert_eq!(cards, [20.0, 20.5, 21.0, 21.5, 22.0]);
    assert_eq!(setup.bodies[78].name(), "card 5");
    // The keystone: its centre above that of the arch.
    let keystone = setup.bodies.iter().find(|body| body.name() == "arch 8").unwrap();
    assert!((keystone.pose.position.x - 40.0).abs() < 1e-12 && keystone.pose.position.y > 4.0);
}

#[test]
fn every_table_of_space() {
    let scene = read("space");
    let setup = volume(&scene);
    assert!((setup.bodies[0].mass - 2600.0 / 6.0).abs() < 1e-9);
    let spin = setup.bodies[0].world_spin();
    assert!((spin - DVec3::new(0.0, 0.0, 2.0)).length() < 1e-14);
    let mut moments = setup.bodies[1].moments.to_array();
    moments.sort_by(f64::total_cmp);
    assert_eq!(moments, [0.1, 0.3, 0.3]);
    let turned = setup.boundaries[1].parts[0].pose().rotation.apply(DVec3::Z);
    assert!((turned - DVec3::X).length() < 1e-15);

    let within = |low: f64, high: f64| {
        let x = |body: &&drystone_engine::Body<Volume>| body.pose.position.x;
        setup.bodies.iter().filter(|body| (low..high).contains(&x(body))).count()
    };
    // Running bond over four blocks: rows of four, and rows of three with two half blocks.
    assert_eq!(within(10.0, 12.0), 2 * 4 + 2 * 5);
    assert_eq!(within(15.0, 19.0), 6);
    assert_eq!(within(29.0, 35.0), 24);
    assert_eq!(within(37.0, 43.0), 9);
    assert_eq!(within(47.0, 53.0), 8);
    let ring = &setup.bodies[setup.bodies.len() - 6];
    assert!((ring.pose.position - DVec3::new(50.0, 2.0, 1.0)).length() < 1e-12);
    assert!(matches!(scene.world().unwrap(), AnyWorld::Volume(_)));
}

fn disks(scene: &Scene) -> Vec<(DVec2, f64)> {
    let radius = |shape: &PlaneShape| match shape {
        PlaneShape::Disk { radius } => *radius,
        _ => panic!("a disk"),
    };
    let bodies = &plane(scene).bodies;
    bodies.iter().map(|body| (body.pose.position, radius(&body.parts[0].shape))).collect()
}

fn deposit(method: &str, rest: &str) -> Result<Scene, drystone_scene::Report> {
    parse(&format!(
        "[[generate]]\n[generate.deposit]\nmaterial = \"stone\"\nmethod = \"{method}\"\n\
         radius = {{ uniform = [0.1, 0.3] }}\nregion = {{ low = [0, 0], high = [20, 20] }}\n{rest}\n"
    ))
}

#[test]
fn deposits_have_no_overlap_and_stay_inside() {
    for method in ["layers", "random"] {
        for rest in ["count = 400", "", "gap = 0.05"] {
            let scene = deposit(method, rest).unwrap_or_else(|report| panic!("{report}"));
            let disks = disks(&scene);
            let gap = if rest.starts_with("gap") { 0.05 } else { 0.0 };
            assert!(if rest.starts_with("count") { disks.len() == 400 } else { disks.len() > 500 });
            for (i, (centre, radius)) in disks.iter().enumerate() {
                let inside = |x: f64| x - radius >= -1e-12 && x + radius <= 20.0 + 1e-12;
                assert!(inside(centre.x) && inside(centre.y));
                for (other, its) in &disks[..i] {
                    assert!(centre.distance(*other) >= radius + its + gap - 1e-12);
                }
            }
        }
    }
}

#[test]
fn deposits_have_the_asked_sizes() {
    let disks = disks(&deposit("random", "count = 800").unwrap());
    let mean = disks.iter().map(|disk| disk.1).sum::<f64>() / 800.0;
    // Uniform on [0.1, 0.3]: four standard errors of the mean, 0.2/√12/√800 each.
    assert!((mean - 0.2).abs() < 4.0 * 0.2 / (12.0f64 * 800.0).sqrt());
    let smallest = disks.iter().map(|disk| disk.1).fold(f64::INFINITY, f64::min);
    let largest = disks.iter().map(|disk| disk.1).fold(0.0, f64::max);
    assert!(smallest > 0.1 && smallest < 0.105 && largest < 0.3 && largest > 0.295);
}

#[test]
fn the_same_seed_gives_the_same_bits_and_another_seed_others() {
    let bits = |rest: &str| disks(&deposit("random", rest).unwrap());
    assert_eq!(bits("count = 50\nseed = 7"), bits("count = 50\nseed = 7"));
    assert_ne!(bits("count = 50\nseed = 7"), bits("count = 50\nseed = 8"));
    // For ever: a change of these bits changes every scene with a deposit.
    let (centre, radius) = bits("count = 1\nseed = 7")[0];
    insta::assert_snapshot!(format!(
        "{:016x} {:016x} {:016x}",
        centre.x.to_bits(),
        centre.y.to_bits(),
        radius.to_bits()
    ));
}

#[test]
fn units_are_converted() {
    let scene = Scene::parse(
        "scene",
        "dimension = 3\ngravity = [0, 0, -0.00981]\n\
         units = { length = \"mm\", mass = \"g\", time = \"ms\", angle = \"deg\" }\n\
         time = { step = 0.1, end = 100 }\ndefault_law = { friction = 0 }\n\
         material = [{ name = \"steel\", density = 0.0078 }]\n\
         [[body]]\nmaterial = \"steel\"\nposition = [1, 2, 3]\nvelocity = [1, 0, 0]\n\
         spin = [0, 0, 0.18]\nshape = { sphere = 10 }\nforce = [2, 0, 0]\n",
        None,
    )
    .unwrap_or_else(|report| panic!("{report}"));
    let setup = volume(&scene);
    assert!((setup.gravity.z + 9.81).abs() < 1e-12);
    assert!((setup.time_step - 1e-4).abs() < 1e-18);
    let body = &setup.bodies[0];
    assert!((body.pose.position - DVec3::new(1e-3, 2e-3, 3e-3)).length() < 1e-15);
    assert!((body.velocity.x - 1.0).abs() < 1e-12);
    // 0.18°/ms = 180°/s = π rad/s.
    assert!((body.world_spin().z - std::f64::consts::PI).abs() < 1e-12);
    // 7800 kg/m³, radius 1 cm.
    let mass = 7800.0 * 4.0 / 3.0 * std::f64::consts::PI * 1e-6;
    assert!((body.mass - mass).abs() < 1e-12);
    // g·mm/ms² is a newton.
    assert!((setup.loads[0].force.x - 2.0).abs() < 1e-12);
    assert!(
        matches!(body.parts[0].shape, VolumeShape::Sphere { radius } if (radius - 0.01).abs() < 1e-15)
    );
}

#[test]
fn a_table_from_a_file() {
    let folder = std::env::temp_dir().join(format!("drystone-table-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let csv = "# quake\ntime; a; x\r\n0; 9; 0\r\n\r\n0.5; 9; 0.25\r\n1; 9; -1\r\n";
    std::fs::write(folder.join("ground.csv"), csv).unwrap();
    let text = "dimension = 2\ngravity = [0, -9.81]\ntime = { step = 1e-3, end = 1 }\n\
        default_law = { friction = 0.3 }\nmaterial = [{ name = \"stone\", density = 2000 }]\n\
        [[body]]\nmaterial = \"stone\"\nposition = [0, 1]\nshape = { disk = 1 }\n\
        [[boundary]]\nmaterial = \"stone\"\nshape = { half_plane = {} }\n\
        motion = { direction = [1, 0], displacement = { table = { file = \"ground.csv\", column = 3 } } }\n";
    std::fs::write(folder.join("scene.toml"), text).unwrap();
    let scene = Scene::read(folder.join("scene.toml"));
    std::fs::remove_dir_all(&folder).unwrap();
    let scene = scene.unwrap_or_else(|report| panic!("{report}"));
    let Drive::Motion(motion) = &plane(&scene).boundaries[0].drive else { panic!("a motion") };
    let at = motion.sample(0.75);
    assert!((at.displacement.x + 0.375).abs() < 1e-15);
    assert!((at.velocity.x + 2.5).abs() < 1e-14);
}

/// A record of PEER: 0.1 g over a second and back, so that v = 0.1 g t²/2 and u = 0.1 g t³/6 in the first second; beside it
/// a displacement, and a load that a phase takes over.
#[test]
fn boundaries_of_a_laboratory() {
    let folder = std::env::temp_dir().join(format!("drystone-record-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let record =
        "A test\nEast\nACCELERATION TIME SERIES IN UNITS OF G\nNPTS= 3, DT= 1.0 SEC\n 0. .1\n 0.\n";
    std::fs::write(folder.join("quake.AT2"), record).unwrap();
    std::fs::write(folder.join("up.csv"), "t,v\n0,1\n1,3\n").unwrap();
    let text = "dimension = 2\ngravity = [0, -9.81]\ntime = { step = 1e-3, end = 1 }\n\
        default_law = { friction = 0.3 }\nmaterial = [{ name = \"stone\", density = 2000 }]\n\
        [[generate]]\nname = \"sand\"\n[generate.lattice]\nmaterial = \"stone\"\nradius = 0.1\n\
        counts = [2, 2]\nspacing = [1, 1]\norigin = [0, 1]\n\
        [[load]]\non = \"sand\"\nshare = \"all\"\nforce = [8, 0]\n\
        [[boundary]]\nmaterial = \"stone\"\nshape = { half_plane = {} }\n\
        motion = { record = [{ file = \"quake.AT2\", direction = [2, 0], scale = 2 },\n\
        { file = \"up.csv\", quantity = \"velocity\", unit = \"cm/s\", direction = [0, 1] }],\n\
        velocity = [1, 0] }\n\
        [[boundary]]\nname = \"left\"\nmaterial = \"stone\"\nposition = [-2, 0]\nshape = { box = [1, 1] }\n\
        [[boundary]]\nname = \"right\"\nmaterial = \"stone\"\nposition = [3, 0]\nshape = { box = [2, 1] }\n\
        [[boundary]]\nname = \"lid\"\nmaterial = \"stone\"\nposition = [0, 4]\nshape = { box = [1, 1] }\n\
        [[phase]]\nname = \"a\"\nuntil = { time = 0.1 }\n\
        [[phase.drive]]\nboundary = \"lid\"\nmotion = { velocity = [1, 0] }\n\
        load = { direction = [0, -1], mass = 2, pressure = 5, between = [[\"left\", \"right\"]] }\n";
    std::fs::write(folder.join("scene.toml"), text).unwrap();
    let scene = Scene::read(folder.join("scene.toml"));
    std::fs::remove_dir_all(&folder).unwrap();
    let scene = scene.unwrap_or_else(|report| panic!("{report}"));
    let setup = plane(&scene);
    let Drive::Motion(motion) = &setup.boundaries[0].drive else { panic!("a motion") };
    let (at, g) = (motion.sample(0.5), 0.2 * 9.80665);
    // The boundary's own 1 m/s besides; upwards v = 1 + 2 t in cm/s.
    assert!((at.displacement.x - (0.5 + g * 0.125 / 6.0)).abs() < 1e-14, "{at:?}");
    assert!((at.velocity.x - (1.0 + g * 0.125)).abs() < 1e-14, "{at:?}");
    assert!(
        (at.displacement.y - 0.01 * 0.75).abs() < 1e-15 && (at.velocity.y - 0.02).abs() < 1e-15
    );
    assert_eq!(setup.loads.iter().map(|load| load.force.x).collect::<Vec<_>>(), [2.0; 4]);
    let Drive::Slider(slider) = &setup.switches[0].drive else { panic!("a load") };
    assert!(slider.motion.is_some());
    assert_eq!(slider.edges[0].between, [1, 2]);
    assert_eq!((slider.edges[0].along, slider.edges[0].length), (DVec2::X, 3.5));
}

#[test]
fn small_overlaps_are_rounding_and_larger_ones_are_not() {
    let at = |y: f64| {
        parse(&format!(
            "[[boundary]]\nmaterial = \"stone\"\nshape = {{ half_plane = {{}} }}\n\
             [[body]]\nmaterial = \"stone\"\nposition = [0, {y}]\nshape = {{ disk = 0.5 }}\n"
        ))
    };
    // The width is 1 m, so that the tolerance is 1e-5 m.
    assert!(at(0.5 - 0.9e-5).is_ok());
    assert!(at(0.5 - 1.1e-5).is_err());
}

#[test]
fn only_pairs_that_can_meet_need_a_law() {
    let text = |law: &str| {
        format!(
            "dimension = 2\ngravity = [0, -9.81]\ntime = {{ step = 1e-3, end = 1 }}\n\
             material = [{{ name = \"stone\", density = 2000 }}, {{ name = \"soil\" }}]\n{law}\n\
             [[boundary]]\nmaterial = \"soil\"\nshape = {{ half_plane = {{}} }}\n\
             [[body]]\nmaterial = \"stone\"\nposition = [0, 1]\nshape = {{ disk = 1 }}\n"
        )
    };
    let law = "[[law]]\nbetween = [\"soil\", \"stone\"]\nfriction = 0.3";
    assert!(Scene::parse("scene", &text(law), None).is_ok());
    let report = Scene::parse("scene", &text(""), None).unwrap_err();
    assert_eq!(report.errors(), 1, "{report}");
    assert!(report.to_string().contains("no law between `stone` and `soil`"));
}

/// A list may have names of columns, comments, velocities or none, and any of the usual separators.
#[test]
fn grains_from_a_list() {
    let text = "dimension = 3\ngravity = [0, 0, -981]\n[time]\nstep = 1e-3\nend = 1\n[units]\nlength = \"cm\"\n\
                [[material]]\nname = \"sand\"\ndensity = 1\n[default_law]\nfriction = 0.3\n\
                [[generate]]\nname = \"grain\"\n[generate.list]\nmaterial = \"sand\"\n\
                file = \"grains.txt\"\nskip = 1\n";
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/good");
    let scene = Scene::parse("listed", text, Some(folder.as_ref()));
    let scene = scene.unwrap_or_else(|report| panic!("{report}"));
    assert_eq!(scene.files.len(), 1);
    let Ok(AnyWorld::Volume(world)) = scene.world() else { panic!("not of space") };
    let [first, second] = world.bodies() else { panic!("{} bodies", world.bodies().len()) };
    assert_eq!(first.name(), "grain 1");
    assert!((first.pose.position.z - 0.01).abs() < 1e-15 && first.velocity.length() == 0.0);
    assert!((second.velocity.x - 0.01).abs() < 1e-15 && (second.velocity.z + 0.01).abs() < 1e-15);
    let share = second.mass / first.mass;
    assert!((share - 8.0).abs() < 1e-12, "{share}");
}

/// A phase asks for what it says, or for what the solver's table says.
#[test]
fn phases_have_tolerances() {
    let scene = parse(
        "solver = { tolerance = 1e-6 }\n[[phase]]\nname = \"fall\"\nuntil = { time = 1 }\ntolerance = 1e-3\n\
         [[phase]]\nname = \"rest\"\nuntil = { time = 1 }\n\
         [[body]]\nname = \"ball\"\nmaterial = \"stone\"\nshape = { disk = 1 }\n",
    );
    let scene = scene.unwrap_or_else(|report| panic!("{report}"));
    let tolerances = plane(&scene).phases.iter().map(|phase| phase.tolerance);
    assert_eq!(tolerances.collect::<Vec<_>>(), [1e-3, 1e-6]);
    let report = parse("[[phase]]\nname = \"a\"\nuntil = { time = 1 }\ntolerance = 0\n");
    assert!(report.unwrap_err().to_string().contains("tolerance"));
}

/// Two disks of width 0.2 that overlap by 0.004 are refused, or taken as they are. In the velocity form the overlap
/// stays; in the gap form it heals by the recovery speed, 0.01 m/s, in each of 300 steps: positions are shifted, and no
/// velocity has to be gained first.
#[test]
fn overlaps_are_accepted_where_a_scene_says_so() {
    let gap_after = |keys: &str| {
        let tables = "dimension = 2\ngravity = [0, 0]\ntime = { step = 1e-3, end = 1 }\n\
            default_law = { friction = 0.3 }\nmaterial = [{ name = \"stone\", density = 2000 }]\n\
            body = [{ material = \"stone\", shape = { disk = 0.1 }, position = [0, 0] }, \
            { material = \"stone\", shape = { disk = 0.1 }, position = [0.196, 0] }]\n";
        let mut scene = Scene::parse("scene", &format!("{keys}\n{tables}"), None)?;
        let AnyWorld::Plane(mut world) = scene.take_world().unwrap() else { panic!("a plane") };
        for _ in 0..300 {
            world.step().unwrap();
        }
        let [left, right] = world.bodies() else { panic!("two disks") };
        Ok::<_, drystone_scene::Report>((right.pose.position - left.pose.position).norm() - 0.2)
    };
    let refused = gap_after("").unwrap_err().to_string();
    assert!(refused.contains("overlap at the start") && refused.contains("accept"), "{refused}");
    assert_eq!(gap_after("overlap = \"refuse\"").unwrap_err().to_string(), refused);
    let close = |gap: f64, expected: f64| assert!((gap - expected).abs() < 1e-9, "{gap}");
    let form = "contact = { form = \"velocity\" }";
    close(gap_after(&format!("overlap = \"accept\"\n{form}")).unwrap(), -0.004);
    let form = "contact = { form = \"gap\", margin = 0.01, recovery_speed = 0.01 }";
    close(gap_after(&format!("overlap = \"accept\"\n{form}")).unwrap(), -0.004 + 300e-5);
}

#[test]
fn what_is_hardly_meant_is_warned_of() {
    let text = |units: &str, gravity: &str, remove_at: &str, start: &str| {
        format!(
            "dimension = 2\ngravity = [0.0, {gravity}]\ntime = {{ step = 1e-3, end = 1.0 }}\n{units}\n\
             material = [{{ name = \"m\", density = 1.0 }}]\ndefault_law = {{ friction = 0.3 }}\n\
             [[boundary]]\nname = \"floor\"\nmaterial = \"m\"\nshape = {{ half_plane = {{}} }}\n\
             remove_at = {remove_at}\nmotion = {{ velocity = [0.0, 0.0], start = {start} }}\n\
             [[body]]\nmaterial = \"m\"\nposition = [0.0, 2.0]\nshape = {{ disk = 1.0 }}\n"
        )
    };
    let warnings = |text: &str| {
        let scene = Scene::parse("x", text, None).unwrap_or_else(|report| panic!("{report}"));
        scene.warnings.to_string()
    };
    let cm = "units = { length = \"cm\" }";
    assert_eq!(warnings(&text("", "-9.81", "0.5", "0.2")), "no problems");
    assert!(!warnings(&text(cm, "-981.0", "0.5", "0.2")).contains("gravity"));
    let found = warnings(&text(cm, "-9.81", "0.5", "0.2"));
    assert!(found.contains("gravity is not that of the earth") && found.contains("981"), "{found}");
    let found = warnings(&text("", "-9.81", "1.5", "0.2"));
    assert!(
        found.contains("removed after the run has ended") && found.contains("1.5 s"),
        "{found}"
    );
    let found = warnings(&text("", "-9.81", "0.5", "3.0"));
    assert!(found.contains("starts after the run has ended"), "{found}");
}
