//! Descriptions of robots that are wrong or not wholly supported: each is told with its file, its place and what is expected.

use drystone_scene::{Folders, Report, Scene, SceneFile};

const HEAD: &str = "dimension = 3\ngravity = [0, 0, -9.81]\n[time]\nstep = 1e-3\nend = 1\n\
    [[material]]\nname = \"a\"\n[default_law]\nfriction = 0.5\n";

/// Reads a scene with a robot `r.xml` of this text; `more` are further keys of its table.
fn read_with(description: &str, more: &str, files: &[(&str, &str)]) -> Result<Scene, Report> {
    let file = |(name, text): (&str, &str)| SceneFile { place: name.into(), text: text.to_owned() };
    let mut given: Vec<SceneFile> = files.iter().copied().map(file).collect();
    given.push(file(("r.xml", description)));
    let text = format!("{HEAD}[[robot]]\nfile = \"r.xml\"\nmaterial = \"a\"\n{more}\n");
    Scene::parse_in("scene.toml", &text, Folders { given: &given, ..Folders::default() })
}

fn read(description: &str) -> Result<Scene, Report> {
    read_with(description, "", &[])
}

/// A link of URDF that weighs a kilogram, with this shape.
fn link(name: &str, shape: &str) -> String {
    format!(
        "<link name=\"{name}\"><inertial><mass value=\"1\"/>\
         <inertia ixx=\"0.01\" iyy=\"0.01\" izz=\"0.01\"/></inertial>{shape}</link>\n"
    )
}

/// Two links and what joins them.
fn urdf(joint: &str) -> String {
    format!("<robot name=\"r\">\n{}{}{joint}\n</robot>\n", link("a", ""), link("b", ""))
}

fn hinge(inside: &str) -> String {
    urdf(&format!(
        "<joint name=\"j\" type=\"revolute\"><parent link=\"a\"/><child link=\"b\"/>{inside}</joint>"
    ))
}

fn mjcf(inside: &str) -> String {
    format!("<mujoco>\n<worldbody>\n{inside}\n</worldbody>\n</mujoco>\n")
}

/// The description is refused, with this message and what was found, at this line of it.
fn refused(description: &str, line: usize, message: &str, words: &str) {
    let report = read(description).expect_err(message);
    let told = report.problems().iter().find(|problem| problem.message().contains(message));
    let problem = told.unwrap_or_else(|| panic!("no `{message}` in {report}"));
    assert_eq!((problem.file(), problem.line()), ("r.xml", line), "{report}");
    let text = problem.to_string();
    assert!(text.contains(words), "no `{words}` in {text}");
    assert!(problem.expected().or(problem.suggestion()).is_some(), "{text}");
}

#[test]
fn bad_descriptions_in_urdf() {
    let limit = "<limit lower=\"-1\" upper=\"1\" effort=\"2\"/>";
    refused("<robot name=\"r\">\n<link", 1, "not XML", "URDF or MJCF");
    refused("<robot>\n</robo>", 2, "not XML", "");
    refused("<sdf>\n</sdf>", 1, "a description of an unknown kind", "`<sdf>`");
    refused("<robot name=\"r\">\n</robot>", 1, "robot without links", "");
    refused("<robot>\n<link/>\n</robot>", 2, "`<link>` without `name`", "");
    let twice = format!("<robot>\n{}{}</robot>", link("a", ""), link("a", ""));
    refused(&twice, 3, "link named twice", "`a`");
    refused(
        &urdf("<joint name=\"j\" type=\"fixed\"><child link=\"b\"/></joint>"),
        4,
        "joint without `<parent>`",
        "",
    );
    let missing =
        "<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"bb\"/></joint>";
    refused(&urdf(missing), 4, "joint of a link that is not there", "did you mean `b`?");
    let kind = "<joint name=\"j\" type=\"revolut\"><parent link=\"a\"/><child link=\"b\"/></joint>";
    refused(&urdf(kind), 4, "unknown type of joint", "did you mean `revolute`?");
    refused(&hinge(""), 4, "joint without `<limit>`", "continuous");
    refused(
        &hinge("<limit lower=\"1\" upper=\"-1\"/>"),
        4,
        "limits that do not rise",
        "from 1 to -1",
    );
    refused(&hinge(&format!("<axis xyz=\"0 0 0\"/>{limit}")), 4, "direction of length zero", "");
    refused(
        &hinge(&format!("<axis xyz=\"0 0\"/>{limit}")),
        4,
        "too few or too many numbers",
        "3 numbers",
    );
    refused(
        &hinge(&format!("<axis xyz=\"0 0 one\"/>{limit}")),
        4,
        "no list of numbers",
        "`0 0 one`",
    );
    refused(&hinge(&format!("<axis xyz=\"0 0 nan\"/>{limit}")), 4, "no list of numbers", "finite");
    refused(
        &hinge(&format!("<dynamics damping=\"-1\"/>{limit}")),
        4,
        "`damping` is out of range",
        "-1",
    );
    let joint = |from: &str, to: &str, name: &str| {
        format!(
            "<joint name=\"{name}\" type=\"fixed\"><parent link=\"{from}\"/><child link=\"{to}\"/></joint>\n"
        )
    };
    refused(&urdf(""), 3, "link that no joint carries", "`b`");
    refused(&urdf(&joint("a", "a", "j")), 4, "joint between a link and itself", "");
    let both = joint("a", "b", "j") + &joint("b", "a", "k");
    refused(&urdf(&both), 1, "joints that close a circle", "");
    let two = joint("a", "b", "j") + &joint("a", "b", "k");
    refused(&urdf(&two), 5, "link carried by two joints", "`b`");
    let named = link("c", "") + &joint("a", "b", "j") + &joint("a", "c", "j");
    refused(&urdf(&named), 6, "joint named twice", "`j`");
    let circle = format!(
        "<robot>\n{}{}{}{}{}</robot>",
        link("a", ""),
        link("b", ""),
        link("c", ""),
        joint("b", "c", "j"),
        joint("c", "b", "k")
    );
    refused(&circle, 3, "joints that close a circle", "`b`");
}

#[test]
fn bad_links_in_urdf() {
    let alone = |inside: &str| format!("<robot>\n<link name=\"a\">\n{inside}\n</link>\n</robot>");
    refused(&alone(""), 2, "link without mass", "<inertial>");
    refused(&alone("<inertial><mass value=\"1\"/></inertial>"), 3, "without mass or inertia", "");
    let inertia = |mass: &str, x: &str| {
        alone(&format!(
            "<inertial><mass value=\"{mass}\"/>\n<inertia ixx=\"{x}\" iyy=\"1\" izz=\"1\"/></inertial>"
        ))
    };
    refused(&inertia("-1", "1"), 3, "`value` is out of range", "-1");
    refused(&inertia("1", "0"), 4, "no body has such an inertia", "");
    refused(&inertia("1", "3"), 4, "no body has such an inertia", "than the other two together");
    let shape =
        |text: &str| alone(&format!("<collision><geometry>\n{text}\n</geometry></collision>"));
    refused(&shape("<cone radius=\"1\"/>"), 4, "unknown shape", "`<cone>`");
    refused(&shape("<box size=\"1 0 1\"/>"), 4, "cannot be made", "");
    refused(&shape("<sphere radius=\"0\"/>"), 4, "`radius` is out of range", "more than zero");
    refused(&shape("<cylinder radius=\"1\"/>"), 4, "`<cylinder>` without `length`", "");
    refused(&shape(""), 3, "`<geometry>` without a shape", "");
    refused(&alone("<collision/>"), 3, "`<collision>` without `<geometry>`", "");
    refused(
        &shape("<mesh filename=\"package://r/no.stl\"/>"),
        4,
        "mesh that cannot be read",
        "no.stl",
    );
}

#[test]
fn bad_models_in_mjcf() {
    refused("<mujoco>\n</mujoco>", 1, "model without bodies", "<worldbody>");
    let body = |inside: &str| mjcf(&format!("<body name=\"a\">\n{inside}\n</body>"));
    refused(&body("<freejoint/>"), 3, "link without mass", "shapes with a mass");
    refused(&body("<geom size=\"0\"/>"), 4, "size of a sphere", "1 numbers above zero");
    refused(&body("<geom type=\"box\" size=\"1 1\"/>"), 4, "size of a box", "`1 1`");
    refused(&body("<geom type=\"ellipsoid\" size=\"1 1 1\"/>"), 4, "not supported", "`ellipsoid`");
    refused(
        &body("<geom type=\"spher\" size=\"1\"/>"),
        4,
        "unknown shape",
        "did you mean `sphere`?",
    );
    refused(&body("<geom type=\"plane\" size=\"1 1 1\"/>"), 4, "plane on a body that moves", "");
    refused(&body("<geom type=\"mesh\" mesh=\"m\"/>"), 4, "unknown mesh", "`m`");
    refused(&body("<joint type=\"screw\"/>"), 4, "unknown type of joint", "`hinge`");
    refused(
        &body("<joint name=\"i\"/>\n<joint name=\"k\"/>"),
        5,
        "body with several joints",
        "light body",
    );
    refused(&body("<geom class=\"x\" size=\"1\"/>"), 4, "unknown class of default values", "`x`");
    refused(&body("<geom size=\"1\" quat=\"0 0 0 0\"/>"), 4, "turn of length zero", "");
    refused(&body("<geom size=\"1\" xyaxes=\"1 0 0 2 0 0\"/>"), 4, "parallel axes", "");
    refused(&body("<joint range=\"1 -1\"/>"), 4, "limits that do not rise", "");
    refused(&body("<inertial mass=\"1\"/>"), 4, "`<inertial>` without inertia", "diaginertia");
    refused(&body("<body><freejoint/></body>"), 4, "free joint within another body", "");
    refused(
        "<mujoco>\n<compiler angle=\"grad\"/>\n</mujoco>",
        2,
        "unknown unit of angles",
        "`radian`",
    );
    refused(
        "<mujoco>\n<compiler coordinate=\"global\"/>\n</mujoco>",
        2,
        "of another kind",
        "`local`",
    );
    let motor = "<mujoco>\n<worldbody><body><joint name=\"knee\"/><geom size=\"1\"/></body></worldbody>\n\
                 <actuator><motor joint=\"kne\"/></actuator>\n</mujoco>";
    refused(motor, 3, "actuator of a joint that is not there", "did you mean `knee`?");
}

/// What is left out is told, and the rest is read.
#[test]
fn what_is_not_supported_is_named() {
    let joint = "<mimic joint=\"k\"/><limit lower=\"-1\" upper=\"1\" effort=\"2\"/>";
    let text = hinge(joint).replace("</robot>", "<transmission name=\"t\"/>\n<lnk/>\n</robot>");
    let scene = read(&text).unwrap();
    let warnings = scene.warnings.to_string();
    for words in [
        "`<mimic>` in `<joint>` is left out",
        "`<transmission>` in `<robot>` is left out",
        "unknown element in `<robot>`",
        "did you mean `link`?",
        "r.xml:6",
    ] {
        assert!(warnings.contains(words), "{warnings}");
    }
    let text = "<mujoco><option timestep=\"1\"/><worldbody><body><joint name=\"k\" type=\"ball\" range=\"0 1\"/>\
        <geom size=\"1\"/></body></worldbody>\n<actuator><muscle joint=\"k\"/></actuator>\
        <tendon/></mujoco>";
    let scene = read(text).unwrap();
    let warnings = scene.warnings.to_string();
    for words in [
        "`<option>` in `<mujoco>` is left out",
        "the range of a ball joint is left out",
        "the actuator `<muscle>` is left out",
        "`<tendon>` in `<mujoco>` is left out",
        "r.xml:2",
    ] {
        assert!(warnings.contains(words), "{warnings}");
    }
}

#[test]
fn what_the_scene_says_of_a_robot_is_checked() {
    let good = hinge("<limit lower=\"-1\" upper=\"1\" effort=\"2\"/>");
    for (more, message) in [
        ("joint = [{ name = \"i\" }]", "the robot has no such joint"),
        ("joint = [{ name = \"j\", angle = 2 }]", "joint that starts beyond its limit"),
        ("joint = [{ name = \"j\", travel = 0 }]", "displacement of a hinge"),
        ("joint = [{ name = \"j\" }, { name = \"j\" }]", "two tables for one joint"),
        ("joint = [{ name = \"j\", motor = { speed = 1 } }]", "a hinge joint has no `motor.speed`"),
        ("base = \"loose\"", "`base` has an unknown value"),
    ] {
        let report = read_with(&good, more, &[]).expect_err(message).to_string();
        assert!(report.contains(message) && report.contains("scene.toml"), "{report}");
    }
    let text = format!("{HEAD}[[robot]]\nfile = \"no.urdf\"\nmaterial = \"a\"\n");
    let report = Scene::parse("scene.toml", &text, None).unwrap_err().to_string();
    assert!(report.contains("`no.urdf` cannot be read"), "{report}");
    let plane = "dimension = 2\ngravity = [0, 0]\n[time]\nstep = 1e-3\nend = 1\n[[material]]\n\
        name = \"a\"\n[default_law]\nfriction = 0\n[[robot]]\nfile = \"r\"\nmaterial = \"a\"\n";
    let report = Scene::parse("scene.toml", plane, None).unwrap_err().to_string();
    assert!(report.contains("robot in the plane"), "{report}");
}

/// A mesh is its hull, links that are fixed weigh together, and a robot may stand on the ground.
#[test]
fn fixed_links_become_one_and_meshes_their_hulls() {
    let tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0.1 0.1 0.1\n";
    let mesh =
        "<collision><geometry><mesh filename=\"package://r/meshes/t.obj\"/></geometry></collision>";
    let text = format!(
        "<robot name=\"r\">\n{}{}<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/>\
         <origin xyz=\"2 0 0\" rpy=\"0 0 1.5707963267948966\"/></joint></robot>",
        link("a", ""),
        link("b", mesh)
    );
    let scene = read_with(&text, "", &[("meshes/t.obj", tetrahedron)]).unwrap();
    let drystone_scene::AnySetup::Volume(setup) = &scene.setup else { panic!("not of space") };
    let [body] = &setup.bodies[..] else { panic!("{} bodies", setup.bodies.len()) };
    assert_eq!((body.name(), body.mass, body.parts.len()), ("r/a", 2.0, 1));
    assert!((body.pose.position.x - 1.0).abs() < 1e-15);
    // Two bodies of 0.01 kg m² each, a metre from the middle.
    let mut moments = body.moments.to_array();
    moments.sort_by(f64::total_cmp);
    assert!((moments[0] - 0.02).abs() < 1e-14 && (moments[2] - 2.02).abs() < 1e-14, "{moments:?}");
    assert_eq!(scene.files.len(), 2);
    let fixed = read_with(&text, "base = \"fixed\"", &[("meshes/t.obj", tetrahedron)]);
    // All of it is fixed: there is a boundary, and no body.
    assert!(fixed.unwrap_err().to_string().contains("no bodies"));
}

/// A body of MJCF is described with its joint at `ref`: it starts there, and goes back by it where the scene says 0.
#[test]
fn joints_start_at_their_reference() {
    let text = mjcf(
        "<body name=\"a\" pos=\"0 0 1\"><joint name=\"j\" axis=\"0 0 1\" ref=\"30\" range=\"0 45\" \
         pos=\"0.5 0 0\"/><geom type=\"sphere\" size=\"0.1\"/></body>",
    );
    let centre = |more: &str| {
        let scene = read_with(&text, more, &[]).unwrap();
        let drystone_scene::AnySetup::Volume(setup) = scene.setup else { panic!("not of space") };
        (setup.bodies[0].pose.position, setup.joints[0].limit.unwrap())
    };
    let (at, limit) = centre("");
    assert!(at.truncate().length() < 1e-15, "{at}");
    assert!((limit.high - std::f64::consts::FRAC_PI_4).abs() < 1e-15 && limit.low == 0.0);
    // By −30° about a pin half a metre to the right.
    let (at, _) = centre("joint = [{ name = \"j\", angle = 0 }]");
    let wanted = [0.5 - 0.5 * 0.75f64.sqrt(), 0.25];
    assert!((at.x - wanted[0]).abs() < 1e-15 && (at.y - wanted[1]).abs() < 1e-15, "{at}");
    let report = read_with(&text, "joint = [{ name = \"j\", angle = -0.1 }]", &[]).unwrap_err();
    assert!(report.to_string().contains("beyond its limit"), "{report}");
}

/// The same tetrahedron as a binary STL, an ASCII one and a PLY gives the same link; files that are none are told with their line.
#[test]
fn meshes_of_robots_are_those_of_bodies() {
    let folder = std::env::temp_dir().join(format!("drystone-robot-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let corners = [[0.0_f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.25]];
    let faces = [[0_usize, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let mut binary = vec![0; 80];
    binary.extend(4_u32.to_le_bytes());
    let mut ascii = "solid a\n".to_owned();
    for face in faces {
        binary.extend([0; 12]);
        binary.extend(face.into_iter().flat_map(|v| corners[v]).flat_map(f32::to_le_bytes));
        binary.extend([0; 2]);
        ascii += "facet normal 0 0 0\nouter loop\n";
        face.iter().for_each(|&v| {
            let [x, y, z] = corners[v];
            ascii += &format!("vertex {x} {y} {z}\n");
        });
        ascii += "endloop\nendfacet\n";
    }
    let mut ply = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n\
                   property float z\nelement face 4\nproperty list uchar int vertex_index\nend_header\n"
        .to_owned();
    corners.iter().for_each(|[x, y, z]| ply += &format!("{x} {y} {z}\n"));
    faces.iter().for_each(|[a, b, c]| ply += &format!("3 {a} {b} {c}\n"));
    let files = [("b.stl", binary), ("a.stl", ascii.into_bytes()), ("p.ply", ply.into_bytes())];
    let robot = |file: &str| {
        let mesh =
            format!("<collision><geometry><mesh filename=\"{file}\"/></geometry></collision>");
        let text = format!("<robot name=\"r\">\n{}</robot>", link("a", &mesh));
        std::fs::write(folder.join("r.xml"), text).unwrap();
        let scene = format!("{HEAD}[[robot]]\nfile = \"r.xml\"\nmaterial = \"a\"\n");
        let folders = Folders { scene: Some(&folder), ..Folders::default() };
        Scene::parse_in("scene.toml", &scene, folders)
    };
    let parts: Vec<_> = files
        .iter()
        .map(|(name, bytes)| {
            std::fs::write(folder.join(name), bytes).unwrap();
            let scene = robot(name).unwrap();
            // What is kept with the run can be read again.
            assert!(scene.files.iter().any(|file| file.place.ends_with(name)), "{name}");
            let drystone_scene::AnySetup::Volume(setup) = scene.setup else {
                panic!("not of space")
            };
            setup.bodies[0].parts.clone()
        })
        .collect();
    assert!(parts[0] == parts[1] && parts[0] == parts[2]);
    std::fs::write(folder.join("bad.obj"), "v 0 0 0\nv 1 0\n").unwrap();
    std::fs::write(folder.join("empty.obj"), "# nothing\n").unwrap();
    let told = robot("bad.obj").unwrap_err().to_string();
    assert!(told.contains("line 2: vertex cut short"), "{told}");
    let told = robot("empty.obj").unwrap_err().to_string();
    assert!(told.contains("no vertices"), "{told}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn no_description_makes_it_panic() {
    let deep = "<robot>".to_owned() + &"<a>".repeat(100_000);
    let bodies = "<mujoco><worldbody>".to_owned() + &"<body>".repeat(50_000);
    let entity = "<!DOCTYPE a [<!ENTITY b \"c\">]><robot>&b;</robot>";
    for text in [
        "",
        "<",
        "<robot",
        "<robot name='\u{0}'/>",
        &deep,
        &bodies,
        entity,
        "<é",
        "\u{feff}<robot/>",
    ] {
        read(text).unwrap_err().to_string();
    }
}
