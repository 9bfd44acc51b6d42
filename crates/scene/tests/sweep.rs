//! Files of the sweeping process: the one of the page, and what is wrong with others.

use drystone_scene::Sweep;
use drystone_sweeping::{AnyProblem, Scheme};

/// The file that `docs/sweeping.md` shows.
fn shown() -> String {
    let page = include_str!("../../../docs/sweeping.md");
    let (_, rest) = page.split_once("```toml\n").expect("the page shows a file");
    rest.split_once("```").expect("the block ends").0.to_owned()
}

fn report(text: &str) -> String {
    Sweep::parse("s.toml", text).map(|_| ()).expect_err(text).to_string()
}

#[test]
fn the_file_of_the_page_can_be_followed() {
    let sweep = Sweep::parse("shown.toml", &shown()).unwrap_or_else(|report| panic!("{report}"));
    let AnyProblem::Plane(problem, None) = sweep.problem else { panic!("it is in the plane") };
    assert_eq!(problem.title, "A square that turns and shrinks on its way");
    let path = problem.path(problem.starts[0], 100, Scheme::Implicit).unwrap();
    assert!(path.points[100].x > path.points[0].x + 0.5, "the set takes the point along");
}

#[test]
fn all_shapes_and_motions_are_read() {
    let text = "dimension = 3\nend = 1\npoints = [[0, 0, 0]]\n\
        [[set]]\nshape = { half_space = { point = [0, 0, 1], normal = [0, 0, 2] } }\n\
        motion = { spin = [0, 0, 1], pivot = [1, 0, 0], growth = 0.5 }\n\
        [[set]]\nshape = { ball = { centre = [0.5, 0, 0], radius = 2 } }\n\
        motion.swing = [{ amplitude = [0, 1, 0], frequency = 1, phase = 0.5 }]\n\
        [[set]]\nshape.polyhedron = [{ normal = [1, 0, 0], point = [1, 0, 0] }]\n\
        motion.pulse = [{ amplitude = 0.25, frequency = 0.25 }]\n";
    let sweep = Sweep::parse("s.toml", text).unwrap_or_else(|report| panic!("{report}"));
    let AnyProblem::Volume(problem, None) = sweep.problem else { panic!("it is in space") };
    let section = problem.set.section(1.0).unwrap();
    // z ≤ 1 has grown to 1.5, and x ≤ 1 to 1.25.
    assert!((section.violation([0.0, 0.0, 2.0].into()) - 0.5).abs() < 1e-12);
    assert!((section.violation([1.35, 0.0, 0.0].into()) - 0.1).abs() < 1e-12);
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let with = |points: &str, set: &str| {
        format!("dimension = 2\nend = 1\npoints = {points}\n[[set]]\nshape = {set}\n")
    };
    let cases = [
        (String::new(), "missing key `dimension`"),
        ("dimension = 2\nend = 1\npoints = [[0, 0]]\n".to_owned(), "there is no set"),
        (with("[[0, 0]]", "{ bal = { radius = 1 } }"), "did you mean `ball`?"),
        (with("[[0, 0]]", "{ ball = { radius = -1 } }"), "s.toml:5:29"),
        (with("[]", "{ ball = { radius = 1 } }"), "at least one point"),
        (with("[[0, 0], [3, 0]]", "{ ball = { radius = 1 } }"), "s.toml:3:19"),
        (with("[[0, 0]]", "{ polygon = [[0, 0], [1, 0]] }"), "a polygon of 2 vertices"),
        (with("[[0, 0]]", "{ half_space = { normal = [0, 0] } }"), "such as [1, 0]"),
        (with("[[0, 0, 0]]", "{ ball = { radius = 1 } }"), "list of the wrong length"),
        (
            with("[[3, 0]]", "{ outside_ball = { radius = 1 } }")
                + "[[set]]\nshape = { ball = { radius = 9 } }\n",
            "s.toml:4:1",
        ),
        (
            "dimension = 3\nend = 1\npoints = [[0, 0, 0]]\n[[set]]\nshape.polygon = [[0, 0, 0]]\n"
                .to_owned(),
            "a polygon in space is no set",
        ),
        ("end = [".to_owned(), "not TOML"),
    ];
    for (text, expected) in cases {
        let report = report(&text);
        assert!(report.contains(expected), "{expected} is missing in\n{report}");
    }
    let missing = Sweep::read("no/such/file.toml").unwrap_err().to_string();
    assert!(missing.contains("cannot be read"), "{missing}");
}
