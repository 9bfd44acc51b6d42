//! Figures of Moreau 2003 by options: a chosen cut, grains of one time of birth at several times, avalanches in grey.

use super::sample;
use crate::{Error, Run};
use drystone_analysis::{Cut, CutForce, Sample, layers, up};
use drystone_record::archive::Recorded;
use drystone_record::draw::{Anchor, Canvas, Colour, Raster, Svg};
use drystone_record::plot::{Axis, PALETTE, Panel, Plot, Scale, Series};
use drystone_record::table::Table;
use drystone_space::{DVec2, Space, Vector, math};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

/// Forces across segments given by their ends.
pub(super) fn chosen<S: Space>(
    sample: &Sample<S>,
    axis: S::Vector,
    ends: &[f64],
) -> Result<Vec<(Cut, CutForce)>, Error> {
    if !ends.len().is_multiple_of(4) {
        return Err(Error::Unfit(format!(
            "--cut-ends has {} numbers, but 4 are needed for each segment: radius and height of both ends",
            ends.len()
        )));
    }
    let cut = |ends: &[f64]| {
        let (start, end) = (DVec2::new(ends[0], ends[1]), DVec2::new(ends[2], ends[3]));
        if start == end || start.x < 0.0 || end.x < 0.0 || !(start + end).is_finite() {
            return Err(Error::Unfit(
                "--cut-ends: a segment needs two ends that differ, at radii of zero or more"
                    .to_owned(),
            ));
        }
        let cut = Cut { start, end };
        Ok((cut, cut.force(sample, axis)))
    };
    ends.chunks(4).map(cut).collect()
}

/// Chosen cuts as JSON.
pub(super) fn figures(cuts: &[(Cut, CutForce)]) -> Value {
    let one = |(cut, force): &(Cut, CutForce)| {
        json!({
            "ends": [[cut.start.x, cut.start.y], [cut.end.x, cut.end.y]],
            "normal": [cut.normal().x, cut.normal().y],
            "radial": force.radial.mean,
            "radial_error": force.radial.error,
            "vertical": force.vertical.mean,
            "vertical_error": force.vertical.error,
            "contacts": force.contacts,
        })
    };
    cuts.iter().map(one).collect()
}

/// Chosen cuts as a user reads them.
pub(super) fn text(cuts: &[(Cut, CutForce)], unit: &str) -> String {
    let mut text = String::new();
    for (cut, force) in cuts {
        let (radial, vertical) = (force.radial, force.vertical);
        let _ = writeln!(
            text,
            "{:<16} from ({:.4}, {:.4}) to ({:.4}, {:.4}): ({:.4} ± {:.4}, {:.4} ± {:.4}) {unit}, {} contacts",
            "cut",
            cut.start.x,
            cut.start.y,
            cut.end.x,
            cut.end.y,
            radial.mean,
            radial.error,
            vertical.mean,
            vertical.error,
            force.contacts
        );
    }
    text
}

/// Mean heights of the grains of one time of birth, by radius, at several times.
#[derive(Clone, Debug, PartialEq)]
pub struct Born {
    /// From which time of birth to which.
    pub between: [f64; 2],
    /// Middles of rings.
    pub radii: Vec<f64>,
    /// Times with the height in each ring; not a number where it holds fewer than five grains.
    pub heights: Vec<(f64, Vec<f64>)>,
}

/// Grains in a ring without which it has no height.
const FEWEST: usize = 5;

/// Where the grains of one time of birth lie at the frames nearest to some times (Moreau 2003, Fig. 3).
pub fn born<S: Recorded>(
    run: &Run,
    between: [f64; 2],
    times: &[f64],
    axis: &[f64],
) -> Result<Born, Error> {
    let in_order = between[0] < between[1];
    if !in_order {
        return Err(Error::Unfit("--born needs two times, the first before the second".to_owned()));
    }
    if times.is_empty() {
        return Err(Error::Unfit(
            "--born needs `--times`: when the grains are looked at".to_owned(),
        ));
    }
    let (catalogue, h) = (run.catalogue::<S>()?, run.about().time_step);
    let frames: Vec<_> = run.archive().frames::<S>().filter_map(Result::ok).collect();
    let mut found = Born { between, radii: Vec::new(), heights: Vec::new() };
    for &time in times {
        let away = |frame: &&drystone_record::archive::Frame<S>| (frame.time - time).abs();
        let Some(frame) = frames.iter().min_by(|a, b| away(a).total_cmp(&away(b))) else {
            continue;
        };
        let sample = sample(&catalogue, frame, h);
        let centre = sample.centre();
        let axis = S::Vector::from_fn(|i| match i + 1 < S::DIMENSION {
            true => axis.get(i).copied().unwrap_or(centre.get(i)),
            false => 0.0,
        });
        let layer = layers(&sample, axis, &between, 2.0 * sample.mean_diameter());
        let rings = layer.first().map_or(&[][..], |layer| &layer.rings);
        let height = |ring: &drystone_analysis::LayerRing| {
            if ring.grains < FEWEST { f64::NAN } else { ring.height }
        };
        for ring in &rings[found.radii.len().min(rings.len())..] {
            found.radii.push(ring.radius);
        }
        found.heights.push((frame.time, rings.iter().map(height).collect()));
    }
    for (_, heights) in &mut found.heights {
        heights.resize(found.radii.len(), f64::NAN);
    }
    if found.radii.is_empty() {
        let [from, to] = between;
        return Err(Error::Unfit(format!("no grain was born between {from} s and {to} s")));
    }
    Ok(found)
}

impl Born {
    /// Writes `born.csv` and `born.png` with `born.svg`.
    pub fn write(&self, folder: &Path, title: &str) -> Result<(), Error> {
        std::fs::create_dir_all(folder).map_err(|source| Error::file(folder, source))?;
        let mut columns = vec!["radius".to_owned()];
        columns.extend(self.heights.iter().map(|(time, _)| format!("height_at_{time:.3}_s")));
        let mut table = Table::create(folder.join("born.csv"), &columns)?;
        for (ring, radius) in self.radii.iter().enumerate() {
            let heights = self.heights.iter().map(|(_, heights)| heights[ring]);
            table.row(
                std::iter::once(*radius).chain(heights).map(|v| Some(v).filter(|v| v.is_finite())),
            )?;
        }
        table.flush()?;
        let series = self.heights.iter().enumerate().map(|(index, (time, heights))| Series {
            name: format!("{time:.1} s"),
            colour: PALETTE[index % PALETTE.len()],
            values: heights.clone(),
        });
        let axis = Axis { label: "height".to_owned(), unit: "m".to_owned(), scale: Scale::Linear };
        let [from, to] = self.between;
        let plot = Plot {
            title: format!("{title}: grains laid from {from} s to {to} s"),
            times: self.radii.clone(),
            panels: vec![Panel { axis, series: series.collect(), weight: 1.0 }],
        };
        Ok(super::plots::write(&plot, "distance from the axis (m)", folder, "born")?)
    }
}

/// A grain as it is drawn: where, its radius, its class.
type Disk = (DVec2, f64, usize);

/// Width of the picture of avalanches in pixels.
const WIDTH: f64 = 1200.0;
/// Room for the legend.
const FOOT: f64 = 60.0;

/// Draws grains in a slice through the axis in grey by their speed: white below all thresholds, black above `top`; thresholds
/// are `top` times powers of `ratio` (Moreau 2003, Fig. 2: 23.6 cm/s and 0.18). Without `top` it is the largest speed.
pub fn avalanche<S: Space>(
    sample: &Sample<S>,
    title: &str,
    top: Option<f64>,
    ratio: f64,
    folder: &Path,
) -> Result<f64, Error> {
    let fits = ratio > 0.0 && ratio < 1.0 && top.is_none_or(|top| top > 0.0);
    if !fits {
        return Err(Error::Unfit(
            "avalanches need a positive speed and a ratio between 0 and 1".to_owned(),
        ));
    }
    let fastest = sample.grains.iter().map(|g| g.velocity.norm()).fold(0.0, f64::max);
    let top = top.unwrap_or(fastest);
    std::fs::create_dir_all(folder).map_err(|source| Error::file(folder, source))?;
    let centre = sample.centre();
    // In space nearer grains hide those behind: half of the pile is looked at, from the front.
    let mut grains: Vec<_> = sample
        .grains
        .iter()
        .filter(|g| S::DIMENSION == 2 || g.position.get(1) <= centre.get(1))
        .collect();
    if S::DIMENSION == 3 {
        grains.sort_by(|a, b| b.position.get(1).total_cmp(&a.position.get(1)));
    }
    let flat = |g: &drystone_analysis::Grain<S>| DVec2::new(g.position.get(0), up(g.position));
    let (low, high) =
        grains.iter().fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(low, high), g| {
            let (at, reach) = (flat(g), DVec2::splat(g.radius));
            (low.min(at - reach), high.max(at + reach))
        });
    let wide = high.x > low.x;
    if grains.is_empty() || !wide {
        return Ok(top);
    }
    let scale = (WIDTH - 40.0) / (high.x - low.x);
    let size = (WIDTH as u32, ((high.y - low.y) * scale + 2.0 * FOOT) as u32);
    let place = |at: DVec2| {
        DVec2::new(20.0 + (at.x - low.x) * scale, f64::from(size.1) - FOOT - (at.y - low.y) * scale)
    };
    // Five greys from black to white.
    let grey = |class: usize| {
        let level = [0x20u32, 0x60, 0x98, 0xc8, 0xff][class.min(4)];
        Colour::rgb(level << 16 | level << 8 | level)
    };
    let class = |speed: f64| {
        (0..4).find(|&k| speed >= top * math::powi(ratio, k + 1)).unwrap_or(4) as usize
    };
    let draw = |canvas: &mut dyn FnMut(&[Disk], &str)| {
        let disks: Vec<_> = grains
            .iter()
            .map(|g| (place(flat(g)), g.radius * scale, class(g.velocity.norm())))
            .collect();
        canvas(&disks, title);
    };
    fn paint(
        canvas: &mut impl Canvas,
        disks: &[Disk],
        head: &str,
        foot: &str,
        grey: &dyn Fn(usize) -> Colour,
    ) {
        let size = canvas.size();
        canvas.rectangle(DVec2::ZERO, size, Colour::WHITE);
        for &(at, radius, class) in disks {
            canvas.disk(at, radius, Colour::rgb(0xb9_b6_ae));
            canvas.disk(at, radius - 0.8f64.min(0.2 * radius), grey(class));
        }
        canvas.text(DVec2::new(20.0, 28.0), head, 18.0, Anchor::Start, Colour::INK);
        canvas.text(DVec2::new(20.0, size.y - 18.0), foot, 15.0, Anchor::Start, Colour::INK);
    }
    let head = format!("{title}: speeds at t = {:.3} s", sample.time);
    let limits: Vec<String> =
        (1..=4).map(|k| format!("{:.3}", 100.0 * top * math::powi(ratio, k))).collect();
    let foot = format!(
        "darker by class above {} cm/s; the scale begins at {:.3} cm/s",
        limits.join(", "),
        100.0 * top
    );
    let mut failed = None;
    draw(&mut |disks, _| {
        let mut raster = Raster::new(size.0, size.1);
        paint(&mut raster, disks, &head, &foot, &grey);
        failed = raster.write_png(&folder.join("avalanche.png")).err();
        let mut svg = Svg::new(size.0, size.1);
        paint(&mut svg, disks, &head, &foot, &grey);
        failed = failed.take().or(svg.write(&folder.join("avalanche.svg")).err());
    });
    match failed {
        Some(error) => Err(error.into()),
        None => Ok(top),
    }
}
