//! Curves of a study.

use drystone_analysis::{Janssen, SiloSlab, Study};
use drystone_record::RecordError;
use drystone_record::draw::{Colour, Raster, Svg};
use drystone_record::plot::{Axis, PALETTE, Panel, Plot, Scale, Series};
use drystone_space::Space;
use std::path::Path;

const SIZE: (u32, u32) = (960, 600);

/// Writes a plot as PNG and SVG.
pub(super) fn write(
    plot: &Plot,
    across: &str,
    directory: &Path,
    name: &str,
) -> Result<(), RecordError> {
    let across = Axis { label: across.to_owned(), ..Axis::default() };
    let mut raster = Raster::new(SIZE.0, SIZE.1);
    plot.draw_against(&mut raster, &across);
    raster.write_png(&directory.join(format!("{name}.png")))?;
    let mut svg = Svg::new(SIZE.0, SIZE.1);
    plot.draw_against(&mut svg, &across);
    svg.write(&directory.join(format!("{name}.svg")))
}

pub(super) fn series(name: &str, colour: Colour, values: Vec<f64>) -> Series {
    Series { name: name.to_owned(), colour, values }
}

pub(super) fn panel(label: &str, unit: &str, scale: Scale, series: Vec<Series>) -> Panel {
    let axis = Axis { label: label.to_owned(), unit: unit.to_owned(), scale };
    Panel { axis, series, weight: 1.0 }
}

/// Writes all curves that apply.
pub fn write_all<S: Space>(
    directory: &Path,
    title: &str,
    study: &Study<S>,
) -> Result<(), RecordError> {
    forces(directory, title, study)?;
    if !study.rings.is_empty() {
        floor(directory, title, study)?;
    }
    if study.slope.is_some() {
        surface(directory, title, study)?;
    }
    if let Some(found) = &study.janssen {
        janssen::<S>(directory, title, found)?;
    }
    if !study.cuts.is_empty() {
        cuts(directory, title, study)?;
    }
    Ok(())
}

fn forces<S: Space>(directory: &Path, title: &str, study: &Study<S>) -> Result<(), RecordError> {
    let forces = &study.forces;
    let middle = |i: usize| (i as f64 + 0.5) * forces.width;
    let density = series("density", PALETTE[0], forces.density.clone());
    let plot = Plot {
        title: format!("{title}: {} contact forces", forces.contacts),
        times: (0..forces.density.len()).map(middle).collect(),
        panels: vec![panel("density", "", Scale::Logarithmic, vec![density])],
    };
    write(&plot, "force / mean force", directory, "forces")
}

fn floor<S: Space>(directory: &Path, title: &str, study: &Study<S>) -> Result<(), RecordError> {
    let rings = &study.rings;
    let means: Vec<f64> = rings.iter().map(|r| r.pressure.mean).collect();
    let edge = |sign: f64| -> Vec<f64> {
        rings.iter().map(|r| r.pressure.mean + sign * r.pressure.error).collect()
    };
    let faint = PALETTE[5].faded(0.7);
    let mut all = vec![
        series("mean + standard error", faint, edge(1.0)),
        series("mean − standard error", faint, edge(-1.0)),
        series("mean", PALETTE[0], means),
    ];
    let unit = if S::DIMENSION == 3 { "Pa" } else { "N/m" };
    let weights = rings.iter().map(|r| r.mass * study.gravity).collect();
    all.push(series("weight of the column", PALETTE[1], weights));
    let plot = Plot {
        title: format!("{title}: pressure on the floor"),
        times: rings.iter().map(|r| 0.5 * (r.inner + r.outer)).collect(),
        panels: vec![panel("pressure", unit, Scale::Linear, all)],
    };
    write(&plot, "distance from the axis (m)", directory, "floor_pressure")
}

fn surface<S: Space>(directory: &Path, title: &str, study: &Study<S>) -> Result<(), RecordError> {
    let surface = &study.surface;
    let radii: Vec<f64> = (0..surface.heights.len()).map(|ring| surface.radius(ring)).collect();
    let mut all = vec![series("free surface", PALETTE[0], surface.heights.clone())];
    if let Some(slope) = study.slope {
        let line = |r: &f64| Some(slope.apex - slope.slope * r).filter(|&h| h >= 0.0);
        let line = radii.iter().map(|r| line(r).unwrap_or(f64::NAN)).collect();
        all.push(series(&format!("{:.1}°", slope.degrees), PALETTE[1], line));
    }
    let plot = Plot {
        title: format!("{title}: free surface"),
        times: radii,
        panels: vec![panel("height", "m", Scale::Linear, all)],
    };
    write(&plot, "distance from the axis (m)", directory, "surface")
}

fn janssen<S: Space>(directory: &Path, title: &str, found: &Janssen) -> Result<(), RecordError> {
    let slabs = &found.slabs;
    let column = |value: &dyn Fn(&SiloSlab) -> f64| slabs.iter().map(value).collect::<Vec<f64>>();
    let unit = if S::DIMENSION == 3 { "Pa" } else { "N/m" };
    let vertical = vec![
        series("grains", PALETTE[0], column(&|s| s.vertical)),
        series("Janssen", PALETTE[1], column(&|s| found.stress(s.depth))),
        series("a liquid", PALETTE[5], column(&|s| found.weight * s.depth)),
    ];
    let walls = vec![
        series("push", PALETTE[0], column(&|s| s.wall_pressure)),
        series("Janssen, push", PALETTE[1], column(&|s| found.ratio * found.stress(s.depth))),
        series("downward", PALETTE[2], column(&|s| s.wall_shear)),
        series(
            "Janssen, downward",
            PALETTE[4],
            column(&|s| found.ratio * found.wall_friction * found.stress(s.depth)),
        ),
    ];
    let plot = Plot {
        title: format!(
            "{title}: λ = {:.3} m from K = {:.2} and μ = {:.2} at the walls",
            found.length, found.ratio, found.wall_friction
        ),
        times: slabs.iter().map(|s| s.depth).collect(),
        panels: vec![
            panel("vertical stress", unit, Scale::Linear, vertical),
            panel("on the walls", unit, Scale::Linear, walls),
        ],
    };
    write(&plot, "depth (m)", directory, "janssen")
}

/// Both sides of the equality of reciprocal cuts, in the order of one of them.
fn cuts<S: Space>(directory: &Path, title: &str, study: &Study<S>) -> Result<(), RecordError> {
    let mut pairs: Vec<[f64; 3]> = study
        .cuts
        .iter()
        .map(|pair| {
            let [n, m] = pair.cuts.map(|cut| cut.normal());
            let [t, u] = pair.forces.map(|force| force.density());
            [n.dot(u), m.dot(t), pair.mismatch.error]
        })
        .collect();
    pairs.sort_by(|a, b| (a[0] + a[1]).total_cmp(&(b[0] + b[1])));
    let column = |i: usize| pairs.iter().map(|p| p[i]).collect::<Vec<f64>>();
    let mismatch = pairs.iter().map(|p| (p[0] - p[1]).abs()).collect();
    let plot = Plot {
        title: format!("{title}: reciprocal cuts"),
        times: (1..=pairs.len()).map(|i| i as f64).collect(),
        panels: vec![
            panel(
                "force density",
                if S::DIMENSION == 3 { "Pa" } else { "N/m" },
                Scale::Linear,
                vec![
                    series("n · t'", PALETTE[0], column(0)),
                    series("n' · t", PALETTE[1], column(1)),
                ],
            ),
            panel(
                "difference",
                if S::DIMENSION == 3 { "Pa" } else { "N/m" },
                Scale::Linear,
                vec![
                    series("found", PALETTE[2], mismatch),
                    series("sampling", PALETTE[4], column(2)),
                ],
            ),
        ],
    };
    write(&plot, "pair of cuts, by force density", directory, "cuts")
}
