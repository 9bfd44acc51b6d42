//! Tables and the summary of a study.

use drystone_analysis::{Estimate, Region, Sample, Study, Tensor, grain_stress, horizontal_radius};
use drystone_record::RecordError;
use drystone_record::table::Table;
use drystone_space::{Space, Vector, math};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

/// Writes a table.
fn table(
    directory: &Path,
    name: &str,
    columns: &[&str],
    rows: impl IntoIterator<Item = Vec<f64>>,
) -> Result<(), RecordError> {
    let columns: Vec<String> = columns.iter().map(|&c| c.to_owned()).collect();
    let mut table = Table::create(directory.join(name), &columns)?;
    for row in rows {
        // What is not a number is an empty cell.
        table.row(row.into_iter().map(|v| Some(v).filter(|v| v.is_finite())))?;
    }
    table.flush()
}

/// Writes all tables that apply.
pub fn tables<S: Space>(
    directory: &Path,
    sample: &Sample<S>,
    study: &Study<S>,
) -> Result<(), RecordError> {
    grains(directory, sample)?;
    let forces = &study.forces;
    let class = |(i, &density): (usize, &f64)| vec![(i as f64 + 0.5) * forces.width, density];
    let rows: Vec<Vec<f64>> = forces.density.iter().enumerate().map(class).collect();
    table(directory, "forces.csv", &["force_by_mean", "density"], rows)?;
    let heights = study.surface.heights.iter().enumerate();
    let rows = heights.map(|(ring, &height)| vec![study.surface.radius(ring), height]);
    table(directory, "surface.csv", &["radius", "height"], rows)?;
    let rings = study.rings.iter().map(|r| {
        let Estimate { mean, error } = r.pressure;
        vec![r.inner, r.outer, mean, error, r.contacts as f64]
    });
    let columns = ["inner_radius", "outer_radius", "pressure", "error", "contacts"];
    table(directory, "floor_pressure.csv", &columns, rings)?;
    if !study.cells.is_empty() {
        stress(directory, study)?;
    }
    if let Some(found) = &study.janssen {
        let columns = ["depth", "vertical", "wall_pressure", "wall_shear", "janssen_vertical"];
        let rows = found.slabs.iter().map(|s| {
            vec![s.depth, s.vertical, s.wall_pressure, s.wall_shear, found.stress(s.depth)]
        });
        table(directory, "janssen.csv", &columns, rows)?;
    }
    if !study.cuts.is_empty() {
        cuts(directory, study)?;
    }
    if !study.layers.is_empty() {
        layers(directory, study)?;
    }
    Ok(())
}

/// `grains.csv`: every grain with its stress.
fn grains<S: Space>(directory: &Path, sample: &Sample<S>) -> Result<(), RecordError> {
    let axes = &["x", "y", "z"][..S::DIMENSION];
    let mut columns: Vec<String> = axes.iter().map(|&a| a.to_owned()).collect();
    columns.extend(["radius", "birth", "pressure"].map(str::to_owned));
    for a in axes {
        columns.extend(axes.iter().map(|b| format!("stress_{a}{b}")));
    }
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let rows = sample.grains.iter().zip(grain_stress(sample)).map(|(grain, stress)| {
        let mut row: Vec<f64> = (0..S::DIMENSION).map(|i| grain.position.get(i)).collect();
        row.extend([grain.radius, grain.birth, stress.trace() / S::DIMENSION as f64]);
        for i in 0..S::DIMENSION {
            row.extend(&stress.entries[i][..S::DIMENSION]);
        }
        row
    });
    table(directory, "grains.csv", &columns, rows)
}

fn stress<S: Space>(directory: &Path, study: &Study<S>) -> Result<(), RecordError> {
    let last = S::DIMENSION - 1;
    let rows = study.cells.iter().map(|cell| {
        let e = &cell.stress.entries;
        let around = if S::DIMENSION == 3 { e[1][1] } else { f64::NAN };
        vec![
            cell.middle.x,
            cell.middle.y,
            e[0][0],
            around,
            e[last][last],
            e[0][last],
            e[last][0],
            cell.solid,
            cell.error,
        ]
    });
    let columns = [
        "radius",
        "height",
        "stress_rr",
        "stress_around",
        "stress_zz",
        "stress_rz",
        "stress_zr",
        "solid_fraction",
        "stress_zz_error",
    ];
    table(directory, "stress.csv", &columns, rows)
}

fn cuts<S: Space>(directory: &Path, study: &Study<S>) -> Result<(), RecordError> {
    let columns = [
        "radius",
        "height",
        "normal_degrees",
        "other_normal_degrees",
        "contacts",
        "other_contacts",
        "t_r",
        "t_z",
        "other_t_r",
        "other_t_z",
        "n_t_other",
        "other_n_t",
        "mismatch",
        "error",
    ];
    let rows = study.cuts.iter().map(|pair| {
        let middle = 0.5 * (pair.cuts[0].start + pair.cuts[0].end);
        let [n, m] = pair.cuts.map(|cut| cut.normal());
        let [t, u] = pair.forces.map(|force| force.density());
        let [c, d] = pair.forces.map(|force| force.contacts as f64);
        let degrees = |v: drystone_space::DVec2| math::angle(v).to_degrees();
        let mut row = vec![middle.x, middle.y, degrees(n), degrees(m), c, d, t.x, t.y, u.x, u.y];
        row.extend([n.dot(u), m.dot(t), pair.mismatch.mean, pair.mismatch.error]);
        row
    });
    table(directory, "cuts.csv", &columns, rows)
}

fn layers<S: Space>(directory: &Path, study: &Study<S>) -> Result<(), RecordError> {
    let columns = [
        "layer",
        "born_from",
        "born_to",
        "radius",
        "grains",
        "height",
        "deviation",
        "inclination_degrees",
        "force_degrees",
        "force_r",
        "force_z",
        "force_contacts",
    ];
    let mut rows = Vec::new();
    for (index, layer) in study.layers.iter().enumerate() {
        for (ring, found) in layer.rings.iter().enumerate().filter(|(_, r)| r.grains > 0) {
            let inclination = layer.inclination(ring).map_or(f64::NAN, f64::to_degrees);
            let place = study.places.iter().find(|p| p.layer == index && p.place.x == found.radius);
            let force = place.map(|p| p.force.density());
            let mut row = vec![index as f64, layer.from, layer.to, found.radius];
            row.extend([found.grains as f64, found.height, found.deviation, inclination]);
            row.push(force.map_or(f64::NAN, |t| math::angle(t).to_degrees()));
            row.extend(force.map_or([f64::NAN; 2], |t| [t.x, t.y]));
            row.push(place.map_or(f64::NAN, |p| p.force.contacts as f64));
            rows.push(row);
        }
    }
    table(directory, "layers.csv", &columns, rows)
}

fn matrix<S: Space>(tensor: &Tensor) -> Value {
    let rows: Vec<&[f64]> =
        tensor.entries[..S::DIMENSION].iter().map(|row| &row[..S::DIMENSION]).collect();
    json!(rows)
}

fn described<S: Space>(region: &Region<S>) -> Value {
    let vector = |v: S::Vector| (0..S::DIMENSION).map(|i| v.get(i)).collect::<Vec<f64>>();
    match *region {
        Region::Box { low, high } => json!({ "low": vector(low), "high": vector(high) }),
        Region::Ring { axis, inner, outer, low, high } => json!({
            "axis": vector(axis), "inner": inner, "outer": outer, "low": low, "high": high
        }),
        Region::Cone { axis, low, apex, slope } => {
            json!({ "axis": vector(axis), "low": low, "apex": apex, "slope": slope })
        }
        Region::Cell { lattice, .. } => {
            let vectors = (0..S::DIMENSION).map(|i| vector(lattice.vectors().column(i)));
            json!({ "cell": vectors.collect::<Vec<_>>() })
        }
    }
}

/// All single figures, in SI units; keys that do not apply are left out.
pub fn summary<S: Space>(title: &str, sample: &Sample<S>, study: &Study<S>) -> Value {
    let mut value = json!({
        "scene": title,
        "time": sample.time,
        "grains": sample.grains.len() / study.frames,
        "frames": study.frames,
        "mean_diameter": study.diameter,
        "contacts": study.forces.contacts,
        "coordination": study.coordination.mean,
        "coordination_mechanical": study.coordination.mechanical,
        "rattlers": study.coordination.rattlers,
        "sliding": study.coordination.sliding,
        "mean_force": study.forces.mean,
        "largest_force": study.forces.largest,
        "fabric": matrix::<S>(&study.fabric),
        "floor_height": study.floor,
        "height": study.surface.height(),
        "base_radius": study.surface.base(),
        "radius_99": radius_99(sample, study.axis),
    });
    let mut add = |key: &str, entry: Value| value[key] = entry;
    if let (Some(region), Some(solid), Some(stress)) =
        (&study.region, study.solid_fraction, &study.stress)
    {
        add("region", described(region));
        add("solid_fraction", json!(solid));
        add("stress", matrix::<S>(stress));
    }
    if let Some(slope) = &study.slope {
        add("surface_angle_degrees", json!(slope.degrees));
        add("surface_angle_error_degrees", json!(slope.error));
    }
    if let Some(tilt) = &study.tilt {
        add("surface_tilt_degrees", json!(tilt.mean));
        add("surface_tilt_error_degrees", json!(tilt.error));
    }
    if !study.rings.is_empty() {
        let ring = |r: &drystone_analysis::Ring| {
            let Estimate { mean, error } = r.pressure;
            json!({ "radius": 0.5 * (r.inner + r.outer), "pressure": mean, "error": error })
        };
        add("floor_pressure", study.rings.iter().map(ring).collect());
        add("hydrostatic_pressure", json!(study.hydrostatic));
    }
    if let Some(found) = &study.janssen {
        let janssen = json!({
            "stress_ratio": found.ratio,
            "wall_friction": found.wall_friction,
            "length": found.length,
            "filling_height": found.height,
            "floor_share": found.floor_share,
            "floor_share_by_law": found.law_floor_share(),
        });
        add("janssen", janssen);
    }
    if let Some(found) = study.reciprocity_error() {
        add("reciprocity_error", json!(found.mean));
        add("reciprocity_sampling_error", json!(found.error));
        add("reciprocity_pairs", json!(study.cuts.len()));
    }
    if let Some(angle) = layer_angle(study) {
        add("layer_force_angle_degrees", json!(angle));
    }
    value
}

/// Mean angle between layers and the forces on cylinders, weighted by the forces, in degrees.
pub fn layer_angle<S: Space>(study: &Study<S>) -> Option<f64> {
    let (mut sum, mut weight) = (0.0, 0.0);
    for place in &study.places {
        let force = place.force.density();
        sum += (math::angle(force) - place.inclination).abs() * force.length();
        weight += force.length();
    }
    (weight > 0.0).then(|| (sum / weight).to_degrees())
}

/// What a user reads.
pub fn text<S: Space>(
    title: &str,
    frames: &[String],
    sample: &Sample<S>,
    study: &Study<S>,
) -> String {
    let mut text = String::new();
    let mut line = |label: &str, value: String| {
        writeln!(text, "{label:<16} {value}").expect("writing to a string does not fail");
    };
    line(
        "scene",
        format!("{title}, t = {:.4} s, {} grains", sample.time, sample.grains.len() / study.frames),
    );
    for frame in frames {
        line("frame", frame.clone());
    }
    let none =
        "not measured: nothing lies far enough from walls, floor and surface; choose a --region";
    let solid = study.solid_fraction.map(|solid| format!("{solid:.4}"));
    line("solid fraction", solid.unwrap_or_else(|| none.to_owned()));
    let c = &study.coordination;
    line(
        "coordination",
        format!(
            "{:.3}, {:.3} without rattlers ({:.1} %)",
            c.mean,
            c.mechanical,
            100.0 * c.rattlers
        ),
    );
    line(
        "sliding",
        format!("{:.1} % of {} contacts with a force", 100.0 * c.sliding, study.forces.contacts),
    );
    if let Some(slope) = &study.slope {
        line("free surface", format!("{:.2} ± {:.2} degrees", slope.degrees, slope.error));
        line(
            "heap",
            format!(
                "{:.4} m high, base radius {:.4} m",
                study.surface.height(),
                study.surface.base()
            ),
        );
    }
    if let Some(tilt) = &study.tilt {
        line("free surface", format!("tilted by {:.2} ± {:.2} degrees", tilt.mean, tilt.error));
    }
    let unit = if S::DIMENSION == 3 { "Pa" } else { "N/m" };
    if let Some(stress) = study.stress.filter(|_| study.forces.contacts > 0) {
        let values: Vec<String> =
            stress.principal::<S::Vector>().iter().map(|(v, _)| format!("{v:.4e}")).collect();
        line(
            "stress",
            format!("{} {unit}, asymmetry {:.1e}", values.join(", "), stress.asymmetry()),
        );
    }
    if let Some(first) = study.rings.first() {
        let Estimate { mean, error } = first.pressure;
        let largest = study.rings.iter().map(|r| r.pressure.mean).fold(0.0, f64::max);
        let liquid = study.hydrostatic.map(|liquid| format!("; a liquid: {liquid:.1}"));
        line(
            "floor pressure",
            format!(
                "{mean:.1} ± {error:.1} {unit} at the axis, {largest:.1} at most{}",
                liquid.unwrap_or_default()
            ),
        );
    }
    if let Some(found) = &study.janssen {
        line(
            "silo",
            format!(
                "the floor carries {:.1} % of the weight, by Janssen's law {:.1} % with K = {:.3} and \
                 {:.3} of the push as friction at the walls: λ = {:.4} m",
                100.0 * found.floor_share,
                100.0 * found.law_floor_share(),
                found.ratio,
                found.wall_friction,
                found.length
            ),
        );
    }
    if let Some(found) = study.reciprocity_error() {
        line(
            "reciprocity",
            format!(
                "{:.3} over {} pairs of cuts; sampling alone: {:.3}",
                found.mean,
                study.cuts.len(),
                found.error
            ),
        );
    }
    if let Some(angle) = layer_angle(study) {
        line(
            "layers",
            format!("forces on cylinders differ by {angle:.1} degrees from the fossil layers"),
        );
    }
    text
}

/// The radius within which 99 of 100 grains lie.
fn radius_99<S: Space>(sample: &Sample<S>, axis: S::Vector) -> f64 {
    let mut radii: Vec<f64> =
        sample.grains.iter().map(|g| horizontal_radius(g.position, axis)).collect();
    radii.sort_by(f64::total_cmp);
    radii.get(radii.len() * 99 / 100).copied().unwrap_or(0.0)
}
