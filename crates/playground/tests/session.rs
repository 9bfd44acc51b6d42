//! A session gives the bits, frames and messages that the library gives.

use drystone_engine::with_world;
use drystone_playground::{Session, Source, problems};
use drystone_scene::{Scene, SceneFile};
use std::path::Path;

fn text(scene: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../scenes/{scene}.toml"));
    std::fs::read_to_string(path).unwrap()
}

fn source(scene: &str) -> Source {
    Source { name: format!("{scene}.toml"), text: text(scene), ..Source::default() }
}

fn session(text: &str) -> Session {
    let source = Source { name: "a.toml".to_owned(), text: text.to_owned(), ..Source::default() };
    Session::new(source.scene().unwrap()).unwrap()
}

/// A box of 1 kg on a floor, in the plane or in space.
fn box_on_floor(dimension: usize) -> String {
    let (gravity, shape, half, zeros) = match dimension {
        2 => ("[0, -9.81]", "box = [0.1, 0.1]", "half_plane", "0, 0.05"),
        _ => ("[0, 0, -9.81]", "box = [0.1, 0.1, 0.1]", "half_space", "0, 0, 0.05"),
    };
    format!(
        "dimension = {dimension}\ngravity = {gravity}\ntime = {{ step = 1e-3, end = 3 }}\n\
         material = [{{ name = \"stone\", density = 1000 }}]\ndefault_law = {{ friction = 0.5 }}\n\
         body = [{{ name = \"box\", shape = {{ {shape} }}, position = [{zeros}], material = \"stone\" }}]\n\
         boundary = [{{ name = \"floor\", shape = {{ {half} = {{}} }}, material = \"stone\" }}]\n"
    )
}

#[test]
fn a_session_has_the_bits_of_the_world() {
    for (scene, time) in [("bending_path", 0.02), ("stack_3d", 0.05), ("plate", 2e-4)] {
        let mut session = Session::new(source(scene).scene().unwrap()).unwrap();
        // In pieces and with frames in between, as a page has it.
        while session.advance(time, 7) > 0 {
            session.frame();
            session.row();
        }
        let alone = Scene::parse(scene, &text(scene), None).unwrap();
        let hash = with_world!(alone.world().unwrap(), world => {
            let mut world = world;
            while world.time() + 0.5 * world.setup().time_step < time {
                world.step().unwrap();
            }
            world.state_hash()
        });
        assert_eq!(session.state_hash(), hash, "{scene}");
        assert_eq!(session.summary()["state_hash"], format!("{hash:016x}"));
    }
}

#[test]
fn a_run_ends_where_the_scene_says_and_goes_on_when_asked() {
    let mut session = session(&box_on_floor(2));
    assert_eq!(session.advance(f64::INFINITY, u64::MAX), 3000);
    let summary = session.summary();
    assert_eq!((&summary["status"], &summary["goes_on"]), (&"finished".into(), &false.into()));
    session.set_end(3.5);
    assert_eq!(session.advance(f64::INFINITY, u64::MAX), 500);
}

/// The pointer holds a corner of the box 0.3 m above where it lay: the box comes to hang there, its corner below the pointer
/// by its weight over the stiffness, and all energies are booked.
#[test]
fn a_body_follows_the_pointer_and_the_ledger_closes() {
    for dimension in [2, 3] {
        let mut session = session(&box_on_floor(dimension));
        let (corner, up) = match dimension {
            2 => ([0.05, 0.1, 0.0], [0.05, 0.4, 0.0]),
            _ => ([0.05, 0.05, 0.1], [0.05, 0.05, 0.4]),
        };
        session.advance(0.1, u64::MAX);
        assert!(session.grasp(0, corner));
        session.pull(up);
        session.advance(3.0, u64::MAX);
        let held = session.held().unwrap();
        // One body: the scene is a metre, and a body hangs by a fiftieth of it.
        let axis = dimension - 1;
        assert!((up[axis] - held[axis] - 0.02).abs() < 3e-3, "{dimension}: {held:?}");
        let ledger = session.row()["ledger"].clone();
        assert!(ledger["external_work"].as_f64().unwrap() > 1.0, "{ledger}");
        assert!(ledger["closure"].as_f64().unwrap() < 1e-12, "{ledger}");
        // Let go, it falls, and nothing from outside works on it any more.
        session.release();
        assert!(session.held().is_none());
        session.set_end(5.0);
        session.advance(5.0, u64::MAX);
        let row = session.row();
        assert_eq!(row["ledger"]["external_work"], ledger["external_work"]);
        assert!(row["ledger"]["potential"].as_f64() < ledger["potential"].as_f64(), "{row}");
        assert!(row["ledger"]["closure"].as_f64().unwrap() < 1e-12, "{row}");
    }
}

#[test]
fn what_is_not_there_cannot_be_held() {
    let mut session = session(&box_on_floor(3));
    assert!(!session.grasp(1, [0.0; 3]));
    assert!(!session.grasp(0, [f64::NAN; 3]));
    session.pull([0.0; 3]);
    session.release();
    assert_eq!(session.advance(0.01, u64::MAX), 10);
}

#[test]
fn problems_are_those_of_the_program() {
    let text =
        box_on_floor(2).replace("friction", "fricton").replace("density = 1000", "density = -1");
    let source = Source { name: "a.toml".to_owned(), text: text.clone(), ..Source::default() };
    let report = source.scene().unwrap_err();
    let told = problems(&report);
    let each = told["problems"].as_array().unwrap();
    assert_eq!((each.len(), &told["errors"]), (report.problems().len(), &2.into()));
    for (one, problem) in each.iter().zip(report.problems()) {
        assert_eq!(one["text"], problem.to_string());
        let line = text.lines().nth(one["line"].as_u64().unwrap() as usize - 1).unwrap();
        let from = one["column"].as_u64().unwrap() as usize - 1;
        let marked: String =
            line.chars().skip(from).take(one["length"].as_u64().unwrap() as usize).collect();
        assert!(["fricton", "-1"].contains(&marked.as_str()), "{marked}");
    }
}

#[test]
fn sources_come_as_json_with_files_and_changes() {
    let text = r#"{"name": "a.toml", "text": "x", "files": {"b.csv": "1"}, "changes": ["seed=2"]}"#;
    let files = vec![SceneFile { place: "b.csv".into(), text: "1".to_owned() }];
    let changes = vec!["seed=2".to_owned()];
    let source = Source { name: "a.toml".into(), text: "x".into(), files, changes };
    assert_eq!(Source::from_json(text), Ok(source));
    assert!(Source::from_json("{").is_err());
    let mut source = self::source("sliding_block");
    source.changes = vec!["default_law.friction=0.25".to_owned()];
    assert!(source.scene().unwrap().source.contains("friction = 0.25"));
    source.changes = vec!["default_law.fricton=0.25".to_owned()];
    assert!(source.scene().unwrap_err().to_string().contains("did you mean `friction`?"));
}

#[test]
fn a_row_has_the_largest_figures_of_the_steps_since_the_row_before() {
    let mut session = session(&box_on_floor(2));
    let first = session.row();
    assert!(first["steps"].as_object().unwrap().is_empty() && first["time"] == 0.0);
    session.advance(0.01, u64::MAX);
    let row = session.row();
    assert_eq!(row["steps"]["contacts"], 2.0);
    assert!(row["ledger"].as_object().unwrap().len() > 15);
    assert!(session.row()["steps"].as_object().unwrap().is_empty());
}
