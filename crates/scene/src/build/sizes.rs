//! Radii drawn from a distribution.

use crate::format::{SizeChoice, Sizes};
use crate::quantity::{Fraction, Length, Number, Positive, Pure};
use crate::report::{Draft, Problems, Span};
use crate::wrap::{Items, Pair};
use drystone_space::{Random, math};

/// A distribution that can be drawn from.
#[derive(Clone, Debug)]
pub(crate) enum Distribution {
    Constant(f64),
    Uniform {
        low: f64,
        high: f64,
    },
    /// Number density ∝ r^−d, so that the volume has no preferred radius.
    UniformByVolume {
        low: f64,
        high: f64,
        dimension: usize,
    },
    /// Of the radius itself.
    Normal(Cut),
    /// Of the logarithm of the radius.
    LogNormal(Cut),
    /// Radii and their cumulative weights, the last being 1.
    Table(Vec<(f64, f64)>),
    /// Classes between meshes: radii of their ends, cumulated numbers, the last being 1.
    Sieve {
        classes: Vec<([f64; 2], f64)>,
        dimension: usize,
    },
}

/// A normal distribution cut at two ends; its mean lies between them.
#[derive(Clone, Debug)]
pub(crate) struct Cut {
    mean: f64,
    deviation: f64,
    low: f64,
    high: f64,
}

impl Cut {
    fn draw(&self, random: &mut Random) -> f64 {
        let Self { mean, deviation, low, high } = *self;
        if high - low < 2.0 * deviation {
            // Narrow: the density varies little, propose uniformly.
            loop {
                let x = random.between(low, high);
                let z = (x - mean) / deviation;
                if random.unit() < math::exp(-0.5 * z * z) {
                    return x;
                }
            }
        }
        // Wide: at least one deviation on one side of the mean is inside.
        loop {
            let x = mean + deviation * random.normal();
            if (low..=high).contains(&x) {
                return x;
            }
        }
    }
}

impl Distribution {
    /// Checks a distribution of the file.
    pub fn new(sizes: &Sizes, dimension: usize, problems: &mut Problems) -> Option<Self> {
        Some(match sizes {
            Sizes::Constant(radius) => Self::Constant(radius.value),
            Sizes::Random(SizeChoice::Uniform(pair)) => {
                let (low, high) = ordered(&pair.first, &pair.second, problems)?;
                Self::Uniform { low, high }
            }
            Sizes::Random(SizeChoice::UniformByVolume(pair)) => {
                let (low, high) = ordered(&pair.first, &pair.second, problems)?;
                Self::UniformByVolume { low, high, dimension }
            }
            Sizes::Random(SizeChoice::Normal(table)) => {
                let (low, high) = ordered(&table.low, &table.high, problems)?;
                let (mean, deviation) = (table.mean.value, table.deviation.value);
                inside(mean, low, high, table.mean.span, problems)?;
                match deviation > 0.0 && high > low {
                    true => Self::Normal(Cut { mean, deviation, low, high }),
                    false => Self::Constant(mean),
                }
            }
            Sizes::Random(SizeChoice::LogNormal(table)) => {
                let (low, high) = ordered(&table.low, &table.high, problems)?;
                let (median, deviation) = (table.median.value, table.deviation.value);
                inside(median, low, high, table.median.span, problems)?;
                let [mean, low_log, high_log] = [median, low, high].map(math::ln);
                match deviation > 0.0 && high_log > low_log {
                    true => Self::LogNormal(Cut { mean, deviation, low: low_log, high: high_log }),
                    false => Self::Constant(median),
                }
            }
            Sizes::Random(SizeChoice::Sieve(rows)) => {
                let points: Vec<[f64; 2]> = rows
                    .items
                    .iter()
                    .map(|row| [0.5 * row.first.value, row.second.value])
                    .collect();
                sieve(&points, dimension, rows, problems)?
            }
            Sizes::Random(SizeChoice::Table(rows)) => {
                let total: f64 = rows.items.iter().map(|row| row.second.value).sum();
                if total <= 0.0 {
                    let draft = Draft::error(rows.span, "table of sizes without weight");
                    problems
                        .push(draft.expected("pairs `[radius, weight]`, one weight above zero"));
                    return None;
                }
                let mut sum = 0.0;
                let row = |row: &crate::wrap::Pair<Number<_, _>, Number<_, _>>| {
                    sum += row.second.value / total;
                    (row.first.value, sum)
                };
                Self::Table(rows.items.iter().map(row).collect())
            }
        })
    }

    /// The largest radius that can be drawn.
    pub fn largest(&self) -> f64 {
        match self {
            Self::Constant(radius) => *radius,
            Self::Uniform { high, .. } | Self::UniformByVolume { high, .. } => *high,
            Self::Normal(cut) => cut.high,
            // The logarithm and back may differ by a few last bits.
            Self::LogNormal(cut) => math::exp(cut.high) * (1.0 + 1e-12),
            Self::Table(rows) => rows.iter().map(|row| row.0).fold(0.0, f64::max),
            Self::Sieve { classes, .. } => classes.iter().map(|c| c.0[1]).fold(0.0, f64::max),
        }
    }

    /// The next radius.
    pub fn draw(&self, random: &mut Random) -> f64 {
        match self {
            Self::Constant(radius) => *radius,
            Self::Uniform { low, high } => random.between(*low, *high),
            Self::UniformByVolume { low, high, dimension } => {
                // Inverse of the cumulated number (low^p − r^p)/(low^p − high^p), p = 1 − d.
                let u = random.unit();
                let ratio = low / high;
                match dimension {
                    2 => low / (1.0 - u * (1.0 - ratio)),
                    _ => low / (1.0 - u * (1.0 - ratio * ratio)).sqrt(),
                }
            }
            Self::Normal(cut) => cut.draw(random),
            Self::LogNormal(cut) => math::exp(cut.draw(random)),
            Self::Table(rows) => {
                let u = random.unit();
                let index = rows.partition_point(|row| row.1 <= u);
                rows[index.min(rows.len() - 1)].0
            }
            Self::Sieve { classes, dimension } => {
                let u = random.unit();
                let index = classes.partition_point(|class| class.1 <= u).min(classes.len() - 1);
                // Mass ∝ dr/r in a class, so that r^−d is uniform.
                let [low, high] = classes[index].0;
                let power = |r: f64| 1.0 / math::powi(r, *dimension as i32);
                let x = power(low) + random.unit() * (power(high) - power(low));
                math::powf(x, -1.0 / *dimension as f64).clamp(low, high)
            }
        }
    }
}

/// The classes of a sieve curve: meshes get wider, and more passes; nothing the first, all the last.
fn sieve(
    points: &[[f64; 2]],
    dimension: usize,
    rows: &Rows,
    problems: &mut Problems,
) -> Option<Distribution> {
    let bad = points.windows(2).position(|w| w[1][0] <= w[0][0] || w[1][1] < w[0][1]);
    let (span, message, found) = match (bad, points.first(), points.last()) {
        (Some(index), ..) => {
            let row = &rows.items[index + 1];
            (
                row.span,
                "sieve curve that falls",
                format!("{} m, {}", 2.0 * points[index + 1][0], points[index + 1][1]),
            )
        }
        (None, Some(first), Some(last)) if first[1] == 0.0 && last[1] == 1.0 => {
            let mut sum = 0.0;
            let power = |r: f64| 1.0 / math::powi(r, dimension as i32);
            let mut classes: Vec<([f64; 2], f64)> = points
                .windows(2)
                .filter(|w| w[1][1] > w[0][1])
                .map(|w| {
                    let (low, high) = (w[0][0], w[1][0]);
                    sum += (w[1][1] - w[0][1]) / math::ln(high / low) * (power(low) - power(high));
                    ([low, high], sum)
                })
                .collect();
            classes.iter_mut().for_each(|class| class.1 /= sum);
            return Some(Distribution::Sieve { classes, dimension });
        }
        (None, first, last) => {
            let ends = first.zip(last).map(|(a, b)| format!("from {} to {}", a[1], b[1]));
            (rows.span, "sieve curve without its ends", ends.unwrap_or("no meshes".to_owned()))
        }
    };
    let draft = Draft::error(span, message).found(found);
    problems.push(draft.expected(
        "pairs `[diameter, passing]` with growing diameters, passing from 0 at the first to 1 at the last",
    ));
    None
}

type Rows = Items<Pair<Number<Length, Positive>, Number<Pure, Fraction>>>;

fn ordered(
    low: &Number<Length, Positive>,
    high: &Number<Length, Positive>,
    problems: &mut Problems,
) -> Option<(f64, f64)> {
    if low.value > high.value {
        let draft = Draft::error(high.span, "largest size below the smallest");
        let draft = draft.found(format!("{} m", high.value));
        problems.push(draft.expected(format!("at least {} m", low.value)));
        return None;
    }
    Some((low.value, high.value))
}

/// The middle of a cut distribution must be inside, or hardly anything could be drawn.
fn inside(middle: f64, low: f64, high: f64, span: Span, problems: &mut Problems) -> Option<()> {
    if (low..=high).contains(&middle) {
        return Some(());
    }
    let draft = Draft::error(span, "middle of the distribution is cut away");
    let draft = draft.found(format!("{middle} m"));
    problems.push(draft.expected(format!("between `low` and `high`: {low} to {high} m")));
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(distribution: &Distribution, power: i32) -> f64 {
        let mut random = Random::new(3, 0);
        let n = 100_000;
        (0..n).map(|_| distribution.draw(&mut random).powi(power)).sum::<f64>() / f64::from(n)
    }

    #[test]
    fn uniform_by_volume_gives_every_radius_the_same_volume() {
        for dimension in [2, 3] {
            let d = Distribution::UniformByVolume { low: 1.0, high: 4.0, dimension };
            // Share of the volume below the middle radius 2.5: one half.
            let mut random = Random::new(5, 0);
            let (mut below, mut all) = (0.0, 0.0);
            for _ in 0..200_000 {
                let r = d.draw(&mut random);
                assert!((1.0..=4.0).contains(&r));
                let volume = r.powi(dimension as i32);
                all += volume;
                below += if r < 2.5 { volume } else { 0.0 };
            }
            assert!((below / all - 0.5).abs() < 0.01, "{}", below / all);
        }
    }

    #[test]
    fn a_cut_in_the_middle_keeps_the_mean() {
        for deviation in [0.1, 0.5, 10.0] {
            let d = Distribution::Normal(Cut { mean: 2.0, deviation, low: 1.0, high: 3.0 });
            assert!((mean(&d, 1) - 2.0).abs() < 0.01);
        }
    }

    #[test]
    fn a_table_is_drawn_by_weight() {
        let d = Distribution::Table(vec![(1.0, 0.25), (2.0, 0.25), (3.0, 1.0)]);
        assert!((mean(&d, 1) - 2.5).abs() < 0.02);
        let mut random = Random::new(3, 0);
        assert!((0..1000).all(|_| d.draw(&mut random) != 2.0));
    }

    /// Of the mass 30 % is below 1 and 70 % between 1 and 4, half of this below 2: the curve is straight over the logarithm.
    #[test]
    fn a_sieve_curve_is_met_by_mass() {
        for dimension in [2, 3] {
            let classes = {
                let power = |r: f64| r.powi(-(dimension as i32));
                let number = |part: f64, low: f64, high: f64| {
                    part / (high / low).ln() * (power(low) - power(high))
                };
                let (a, b) = (number(0.3, 0.5, 1.0), number(0.7, 1.0, 4.0));
                vec![([0.5, 1.0], a / (a + b)), ([1.0, 4.0], 1.0)]
            };
            let d = Distribution::Sieve { classes, dimension };
            let mut random = Random::new(2, 0);
            let (mut masses, mut all) = ([0.0; 2], 0.0);
            for _ in 0..400_000 {
                let r = d.draw(&mut random);
                assert!((0.5..=4.0).contains(&r));
                let mass = r.powi(dimension as i32);
                all += mass;
                masses[0] += if r < 1.0 { mass } else { 0.0 };
                masses[1] += if r < 2.0 { mass } else { 0.0 };
            }
            assert!((masses[0] / all - 0.3).abs() < 0.01, "{}", masses[0] / all);
            assert!((masses[1] / all - 0.65).abs() < 0.01, "{}", masses[1] / all);
        }
    }

    #[test]
    fn log_normal_has_its_median() {
        let d = Distribution::LogNormal(Cut {
            mean: 0.0,
            deviation: 0.3,
            low: math::ln(0.2),
            high: math::ln(5.0),
        });
        let mut random = Random::new(1, 0);
        let below = (0..100_000).filter(|_| d.draw(&mut random) < 1.0).count();
        assert!((below as f64 / 1e5 - 0.5).abs() < 0.01);
    }
}
