//! Exports, read back by the programs that they are for where these are there.

mod support;

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use support::{Workplace, drystone};

impl Workplace {
    fn export(&self, kind: &str, name: &str) -> String {
        let path = self.path(name);
        drystone(&["export", &self.path("run"), "--to", kind, "-o", &path]);
        path
    }
}

/// Runs a script of Python; `None` if a package that it needs is not there, which is said.
fn python(packages: &[&str], script: &str, arguments: &[&str]) -> Option<()> {
    for package in packages {
        let found = Command::new("python3").args(["-c", &format!("import {package}")]).output();
        if !found.is_ok_and(|output| output.status.success()) {
            println!("not read back: Python has no package {package} here");
            return None;
        }
    }
    let output = Command::new("python3").arg("-c").arg(script).args(arguments).output().unwrap();
    let (said, errors) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}\n{errors}");
    Some(())
}

/// The record itself, without this program: counts, laws and energies by NumPy.
const RECORD: &str = r#"
import json, sys, numpy as np
from pathlib import Path
record = Path(sys.argv[1]) / "record"
about = json.loads((record / "about.json").read_text())
catalogue = np.load(record / "things.npz")
frames = sorted(record.glob("[0-9]*.npz"))
assert len(frames) > 3 and about["format"] == "drystone record 1"
summary = json.loads((Path(sys.argv[1]) / "summary.json").read_text())
assert len(frames) == summary["record"]["frames"]
d = about["dimension"]
last = np.load(frames[-1])
assert last["position"].shape == (summary["bodies"], d) and abs(last["time"] - summary["time"]) < 1e-12
kinetic = 0.5 * (catalogue["mass"][: len(last["birth"])] * (last["velocity"] ** 2).sum(1)).sum()
ledger = dict(zip(about["ledger"], last["ledger"]))
assert kinetic <= ledger["kinetic"] * (1 + 1e-9) and ledger["kinetic"] == summary["energy"]["kinetic"]
n, p = last["contact_normal"], last["contact_impulse"]
assert len(n) > 10 and np.allclose((n ** 2).sum(1), 1)
rn = (n * p).sum(1)
rt = np.linalg.norm(p - rn[:, None] * n, axis=1)
assert (rn >= 0).all() and (rt <= last["contact_friction"] * rn * (1 + 1e-9) + 1e-300).all()
status = last["contact_status"]
assert ((status == 0) == (np.abs(p).sum(1) == 0)).all() and (status <= 2).all()
text = str(catalogue["scene"][0])
assert text == (Path(sys.argv[1]) / "scene.toml").read_text()
"#;

/// Counts and values of the VTK files against the record.
const VTK: &str = r#"
import json, sys, numpy as np, vtk
from pathlib import Path
from vtk.util.numpy_support import vtk_to_numpy
run, folder = Path(sys.argv[1]), Path(sys.argv[2])
about = json.loads((run / "record/about.json").read_text())
catalogue = np.load(run / "record/things.npz")
frames = sorted((run / "record").glob("[0-9]*.npz"))
d, h = about["dimension"], about["time_step"]
def read(name, index):
    reader = vtk.vtkXMLPolyDataReader()
    reader.SetFileName(str(folder / f"{name}_{index:06}.vtp"))
    reader.Update()
    assert reader.GetErrorCode() == 0
    return reader.GetOutput()
field = lambda data, name: vtk_to_numpy(data.GetArray(name))
for index in (0, len(frames) // 2, len(frames) - 1):
    frame = np.load(frames[index])
    bodies = read("bodies", index)
    assert bodies.GetNumberOfPoints() == len(frame["position"]) == bodies.GetNumberOfVerts()
    points = vtk_to_numpy(bodies.GetPoints().GetData())
    assert np.array_equal(points[:, :d], frame["position"]) and (points[:, d:] == 0).all()
    assert np.array_equal(field(bodies.GetPointData(), "velocity")[:, :d], frame["velocity"])
    assert (field(bodies.GetPointData(), "radius") > 0).all()
    contacts = read("contacts", index)
    assert contacts.GetNumberOfLines() == len(frame["contact_gap"])
    if contacts.GetNumberOfLines():
        cells = contacts.GetCellData()
        assert np.array_equal(field(cells, "gap"), frame["contact_gap"])
        assert np.array_equal(field(cells, "status"), frame["contact_status"])
        rln = (frame["contact_normal"] * frame["contact_impulse"]).sum(1) / h
        assert np.allclose(field(cells, "rln"), rln, rtol=1e-12, atol=1e-12 * abs(rln).max())
        assert np.allclose(field(cells, "force")[:, :d], frame["contact_impulse"] / h, rtol=1e-14)
    shapes = read("shapes", index)
    if shapes.GetNumberOfPolys():
        owners = field(shapes.GetCellData(), "body")
        assert len(owners) == shapes.GetNumberOfPolys() and owners.max() < len(frame["position"])
        if d == 2:
            areas = vtk.vtkMassProperties()
            triangles = vtk.vtkTriangleFilter()
            triangles.SetInputData(shapes)
            areas.SetInputConnection(triangles.GetOutputPort())
            assert abs(areas.GetSurfaceArea() / catalogue["volume"][: len(frame["position"])].sum() - 1) < 0.02
    assert read("boundaries", index).GetNumberOfCells() > 0
pvd = (folder / "contacts.pvd").read_text()
assert pvd.count("<DataSet") == len(frames)
"#;

/// Grids of deformable solids against the record, and against what they must be: the cells fill the
/// volume that mass and density give, with their middle nodes where VTK looks for them.
const SOLIDS: &str = r#"
import json, sys, numpy as np, vtk
from pathlib import Path
from vtk.util.numpy_support import vtk_to_numpy
run, folder = Path(sys.argv[1]), Path(sys.argv[2])
kinds, densities = set(map(int, sys.argv[3].split(","))), list(map(float, sys.argv[4].split(",")))
about = json.loads((run / "record/about.json").read_text())
catalogue = np.load(run / "record/things.npz")
frames = sorted((run / "record").glob("[0-9]*.npz"))
d, h = about["dimension"], about["time_step"]
assert all(name in about["arrays"] for name in catalogue.files if name not in ("about", "scene"))
field = lambda data, name: vtk_to_numpy(data.GetArray(name))
def read(name, index, reader, extension):
    reader.SetFileName(str(folder / f"{name}_{index:06}.{extension}"))
    reader.Update()
    assert reader.GetErrorCode() == 0
    return reader.GetOutput()
pressed = 0
for index in range(0, len(frames), max(1, len(frames) // 8)):
    frame = np.load(frames[index])
    assert all(name in about["arrays"] for name in frame.files)
    grid = read("solids", index, vtk.vtkXMLUnstructuredGridReader(), "vtu")
    nodes = frame["node_position"]
    assert grid.GetNumberOfPoints() == len(nodes) == catalogue["solid_nodes"][-1]
    assert grid.GetNumberOfCells() == len(catalogue["element_kind"]) == catalogue["solid_elements"][-1]
    points = vtk_to_numpy(grid.GetPoints().GetData())
    assert np.array_equal(points[:, :d], nodes) and (points[:, d:] == 0).all()
    data = grid.GetPointData()
    assert np.array_equal(field(data, "displacement")[:, :d], nodes - catalogue["node_rest"])
    assert np.array_equal(field(data, "velocity")[:, :d], frame["node_velocity"])
    assert np.array_equal(field(data, "stress"), frame["node_stress"])
    x, y, z, xy, yz, xz = frame["node_stress"].T
    mises = np.sqrt(0.5 * ((x - y) ** 2 + (y - z) ** 2 + (z - x) ** 2) + 3 * (xy**2 + yz**2 + xz**2))
    assert np.allclose(field(data, "von_mises"), mises, rtol=1e-12)
    assert np.array_equal(field(data, "von_mises"), frame["node_von_mises"])
    assert np.array_equal(field(data, "shear"), xy) and np.array_equal(xy, frame["node_shear"])
    pressed += abs(mises).max() > 0
    found = {grid.GetCellType(i) for i in range(grid.GetNumberOfCells())}
    assert found == kinds == set(catalogue["element_kind"]), found
    if index == 0:
        sizes = vtk.vtkCellSizeFilter()
        sizes.SetInputData(grid)
        sizes.Update()
        size = field(sizes.GetOutput().GetCellData(), "Area" if d == 2 else "Volume")
        solid = field(grid.GetCellData(), "solid")
        for i, density in enumerate(densities):
            filled = abs(size[solid == i]).sum() * density
            assert abs(filled / catalogue["solid_mass"][i] - 1) < 1e-6, (filled, catalogue["solid_mass"][i])
    contacts = read("solid_contacts", index, vtk.vtkXMLPolyDataReader(), "vtp")
    assert contacts.GetNumberOfPoints() == len(frame["solid_contact_gap"])
    if contacts.GetNumberOfPoints():
        data, n, p = contacts.GetPointData(), frame["solid_contact_normal"], frame["solid_contact_impulse"]
        assert np.allclose(field(data, "rln"), (n * p).sum(1) / h, rtol=1e-12)
        assert np.array_equal(field(data, "status"), frame["solid_contact_status"])
assert pressed > 2
for name in ("solids", "solid_contacts"):
    assert (folder / f"{name}.pvd").read_text().count("<DataSet") == len(frames)
"#;

#[test]
fn numpy_and_vtk_read_deformable_solids() {
    // Kinds of cells, and mass per volume, or per area: quadrilaterals; hexahedra and tetrahedra with
    // middle nodes.
    let cases = [("plate", "1e-3", "9", "10"), ("soft_block", "0.3", "25,24", "1000,1000")];
    for (scene, until, kinds, densities) in cases {
        let place = Workplace::with_run(&format!("export-{scene}"), scene, until);
        let vtk = place.export("vtk", "vtk");
        assert!(fs::read_to_string(format!("{vtk}/solids.pvd")).unwrap().contains(".vtu"));
        python(&["numpy", "vtk"], SOLIDS, &[&place.path("run"), &vtk, kinds, densities]);
        let csv = place.export("csv", "csv");
        let nodes = fs::read_to_string(format!("{csv}/nodes.csv")).unwrap();
        assert!(nodes.starts_with("frame,time,solid,node,x,y,"), "{}", &nodes[..80]);
        let columns = nodes.lines().next().unwrap().split(',').count();
        assert!(nodes.lines().all(|line| line.split(',').count() == columns));
        let contacts = fs::read_to_string(format!("{csv}/solid_contacts.csv")).unwrap();
        assert!(contacts.starts_with("frame,time,solid,partner_kind,partner,x,y,"));
        assert!(contacts.lines().count() > 2, "something touches");
    }
}

#[test]
fn numpy_and_vtk_read_the_plane() {
    let place = Workplace::with_run("export-plane", "wall", "0.5");
    python(&["numpy"], RECORD, &[&place.path("run")]);
    let vtk = place.export("vtk", "vtk");
    assert!(fs::read_to_string(format!("{vtk}/bodies.pvd")).unwrap().contains("timestep="));
    python(&["numpy", "vtk"], VTK, &[&place.path("run"), &vtk]);
}

#[test]
fn numpy_and_vtk_read_space() {
    let place = Workplace::with_run("export-space", "rubble", "0.5");
    python(&["numpy"], RECORD, &[&place.path("run")]);
    let vtk = place.export("vtk", "vtk");
    python(&["numpy", "vtk"], VTK, &[&place.path("run"), &vtk]);
}

#[test]
fn tables_pictures_problems_and_a_page() {
    let place = Workplace::with_run("export-rest", "stack_2d", "0.05");
    let folder = place.export("csv", "csv");
    let bodies = fs::read_to_string(format!("{folder}/bodies.csv")).unwrap();
    let mut lines = bodies.lines();
    let header = lines.next().unwrap();
    assert_eq!(header, "frame,time,body,x,y,angle,vx,vy,spin,birth,mass,volume");
    let columns = header.split(',').count();
    assert!(lines.clone().count() > 20 && lines.all(|line| line.split(',').count() == columns));
    let contacts = fs::read_to_string(format!("{folder}/contacts.csv")).unwrap();
    assert!(
        contacts.starts_with("frame,time,first,second,x,y,nx,ny,fx,fy,vx,vy,gap,rln,rlt,status\n")
    );
    let frames = fs::read_dir(place.path("run") + "/record").unwrap();
    let frames =
        frames.filter(|e| e.as_ref().unwrap().file_name().to_str().unwrap().starts_with('0'));
    let pictures = fs::read_dir(place.export("png", "png")).unwrap().count();
    assert_eq!(pictures, frames.count());
    let problems = fs::read_dir(place.export("fclib", "fclib")).unwrap();
    let problems: Vec<PathBuf> = problems.map(|entry| entry.unwrap().path()).collect();
    assert!(!problems.is_empty());
    drystone(&["solve", problems[0].to_str().unwrap()]);
    let page = fs::read_to_string(place.export("html", "run.html")).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.contains("\"frames\":[\""));
}

/// Threads share the frames; what they write does not show it.
#[test]
fn the_number_of_threads_changes_no_byte() {
    for (scene, until) in [("plate", "2e-4"), ("rubble", "0.3")] {
        let place = Workplace::with_run(&format!("export-threads-{scene}"), scene, until);
        for kind in ["png", "csv", "vtk"] {
            let files = ["1", "3"].map(|threads| {
                let folder = place.path(&format!("{kind}{threads}"));
                let mut command = Command::new(env!("CARGO_BIN_EXE_drystone"));
                command.args(["export", &place.path("run"), "--to", kind, "-o", &folder]);
                assert!(
                    command.env("RAYON_NUM_THREADS", threads).output().unwrap().status.success()
                );
                let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
                let mut files: Vec<_> =
                    entries.map(|e| (e.file_name(), fs::read(e.path()).unwrap())).collect();
                files.sort();
                files
            });
            assert!(files[0].len() > 1 && files[0] == files[1], "{scene}, {kind}");
        }
    }
}

/// A frame with one byte changed is told and left out; the others are exported.
#[test]
fn damaged_frames_are_left_out() {
    let place = Workplace::with_run("export-damage", "wall", "0.7");
    let frame = place.path("run/record/000002.npz");
    let mut bytes = fs::read(&frame).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&frame, bytes).unwrap();
    for (kind, path) in [("csv", "csv"), ("vtk", "vtk"), ("png", "png"), ("html", "run.html")] {
        let output = Command::new(env!("CARGO_BIN_EXE_drystone"))
            .args(["export", &place.path("run"), "--to", kind, "-o", &place.path(path)])
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        // Done, but not all of it.
        assert_eq!(output.status.code(), Some(3), "{kind}: {errors}");
        assert!(errors.contains("000002.npz is damaged"), "{kind}: {errors}");
    }
    assert!(!PathBuf::from(place.path("png/000002.png")).exists());
    assert!(PathBuf::from(place.path("png/000003.png")).exists());
    // The page has as many times as frames.
    let page = fs::read_to_string(place.path("run.html")).unwrap();
    let data = page.split("type=\"application/json\"").nth(1).unwrap();
    let data = data.split_once('>').unwrap().1.split("</script>").next().unwrap();
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    let count = |list: &serde_json::Value| list.as_array().unwrap().len();
    assert_eq!(count(&data["frames"]), count(&data["run"]["times"]));
    assert_eq!(count(&data["frames"]) + 1, fs::read_dir(place.path("png")).unwrap().count() + 1);
    let bodies = fs::read_to_string(place.path("csv/bodies.csv")).unwrap();
    let has = |frame: &str| bodies.lines().any(|line| line.starts_with(frame));
    assert!(has("1,") && !has("2,") && has("3,"));
    // A record that is no record is refused in one sentence.
    fs::write(place.path("run/record/about.json"), "{").unwrap();
    fs::write(place.path("run/record/things.npz"), "").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_drystone"))
        .args(["export", &place.path("run"), "--to", "csv", "-o", &place.path("csv")])
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && errors.contains("is damaged"), "{errors}");
}

/// Two scenes, each with its picture, its figures and its page.
#[test]
fn a_gallery_shows_its_scenes() {
    let place = Workplace::with_run("gallery", "bouncing_ball", "0.01");
    let scene = |name: &str| format!("{}/../../scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let gallery = place.path("gallery");
    let scenes = [scene("arch"), scene("rubble")];
    drystone(&[
        "gallery",
        &scenes[0],
        &scenes[1],
        "--until",
        "0.02",
        "--seconds",
        "60",
        "-o",
        &gallery,
    ]);
    let index = fs::read_to_string(format!("{gallery}/index.html")).unwrap();
    assert_eq!(index.matches("<article>").count(), 2);
    let links = index.split("src=\"").chain(index.split("href=\"")).skip(1);
    let links = links.filter_map(|rest| rest.split('"').next()).filter(|link| link.contains('.'));
    let missing: Vec<&str> =
        links.filter(|link| !PathBuf::from(format!("{gallery}/{link}")).exists()).collect();
    // What comes before the first mark is no link.
    assert!(
        missing.iter().all(|text| text.contains('<') || text.starts_with("data:")),
        "{missing:?}"
    );
    let page = fs::read_to_string(format!("{gallery}/arch.html")).unwrap();
    assert!(page.contains("\"frames\":[\"") && page.contains("Dry arch"));
}

/// By ffmpeg where it is there; where it is not, one sentence says what to do.
#[test]
fn a_film_for_every_player() {
    let place = Workplace::with_run("mp4", "bouncing_ball", "0.3");
    let (run, path) = (place.path("run"), place.path("run.mp4"));
    let arguments = ["export", &run, "--to", "mp4", "--rate", "20", "-o", &path];
    let without = Command::new(env!("CARGO_BIN_EXE_drystone"))
        .args(arguments)
        .env("PATH", place.path("nothing"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&without.stderr);
    assert!(!without.status.success() && said.contains("`--to gif` needs no other"), "{said}");
    if Command::new("ffmpeg").arg("-version").output().is_err() {
        println!("no film was pressed: ffmpeg is not installed");
        return;
    }
    drystone(&arguments);
    let film = fs::read(&path).unwrap();
    assert_eq!(&film[4..8], b"ftyp");
    // The table of sizes of the samples has a row for each frame.
    let at = film.windows(4).position(|word| word == b"stsz").unwrap();
    let count = u32::from_be_bytes(film[at + 12..at + 16].try_into().unwrap());
    let table = fs::read_to_string(place.path("run/record/frames.csv")).unwrap();
    assert_eq!(count as usize, table.lines().count() - 1);
}

/// The film, read block by block: its size, how long each frame lasts, and that it moves.
#[test]
fn a_film_has_all_frames() {
    let place = Workplace::with_run("film", "bouncing_ball", "0.3");
    let path = place.path("run.gif");
    drystone(&["export", &place.path("run"), "--to", "gif", "--rate", "20", "-o", &path]);
    let mut decoder = gif::DecodeOptions::new();
    decoder.set_color_output(gif::ColorOutput::RGBA);
    let mut film = decoder.read_info(fs::File::open(&path).unwrap()).unwrap();
    let size = (film.width(), film.height());
    let mut frames: Vec<Vec<u8>> = Vec::new();
    while let Some(frame) = film.read_next_frame().unwrap() {
        assert_eq!((frame.width, frame.height, frame.delay), (size.0, size.1, 5));
        frames.push(frame.buffer.to_vec());
    }
    let table = fs::read_to_string(place.path("run/record/frames.csv")).unwrap();
    assert_eq!(frames.len(), table.lines().count() - 1);
    assert!(frames.len() > 3 && frames[0] != frames[frames.len() - 1]);
    // The background is white, but for what a palette of 256 colours makes of it.
    let white = frames[0].chunks_exact(4).filter(|p| p[..3].iter().all(|&c| c > 250)).count();
    assert!(4 * white > frames[0].len() / 4, "{white} of {}", frames[0].len() / 4);
}
