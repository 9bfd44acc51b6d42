//! Round numbers: ticks of axes, lengths of scale bars, ends of colour bars, and how they are
//! written.

use drystone_space::math;

/// Ticks at round numbers and how to write them.
#[derive(Clone, Debug, PartialEq)]
pub struct Ticks {
    /// Where the ticks are, rising.
    pub places: Vec<f64>,
    /// One label for each.
    pub labels: Vec<String>,
}

/// The largest of 1, 2, 5 times a power of ten that is at most `value`, which must be positive.
///
/// ```
/// use drystone_record::plot::round_down;
/// assert_eq!([round_down(0.7), round_down(30.0), round_down(2.0)], [0.5, 20.0, 2.0]);
/// ```
pub fn round_down(value: f64) -> f64 {
    let power = power_of_ten(math::log10(value).floor() as i32);
    let candidates = [0.5, 1.0, 2.0, 5.0, 10.0].map(|m| m * power);
    // A hair of tolerance: 2 · 10⁻³ may be a bit above 0.002.
    let fits = candidates.into_iter().rev().find(|&c| c <= value * (1.0 + 1e-12));
    fits.unwrap_or(candidates[0])
}

/// The smallest of 1, 2, 5 times a power of ten that is at least `value`, which must be positive.
pub fn round_up(value: f64) -> f64 {
    let below = round_down(value);
    if below >= value * (1.0 - 1e-12) {
        return below;
    }
    let power = power_of_ten(math::log10(below).floor() as i32);
    if (below / power).round() == 2.0 { 5.0 * power } else { 2.0 * below }
}

impl Ticks {
    /// At most about `count` ticks from `low` to `high` at multiples of a round number.
    pub fn linear(low: f64, high: f64, count: usize) -> Self {
        let range = high - low;
        if !(range > 0.0 && range.is_finite()) {
            return Self { places: vec![low], labels: vec![decimal(low, 3)] };
        }
        let step = round_up(range / count.max(1) as f64);
        let first = (low / step - 1e-9).ceil() as i64;
        let last = (high / step + 1e-9).floor() as i64;
        let places: Vec<f64> = (first..=last).map(|i| i as f64 * step).collect();
        let digits = (-math::log10(step).floor()).max(0.0) as usize;
        let labels = places.iter().map(|&p| decimal(p, digits)).collect();
        Self { places, labels }
    }
    /// Powers of ten from `low` to `high`, at most about `count`.
    pub fn logarithmic(low: f64, high: f64, count: usize) -> Self {
        let first = (math::log10(low) - 1e-9).ceil() as i32;
        let last = (math::log10(high) + 1e-9).floor() as i32;
        let stride = (((last - first).max(0) as usize) / count.max(1) + 1) as i32;
        let exponents: Vec<i32> = (first..=last).filter(|e| e.rem_euclid(stride) == 0).collect();
        let places = exponents.iter().map(|&e| power_of_ten(e)).collect();
        let labels = exponents.into_iter().map(power_label).collect();
        Self { places, labels }
    }
}

/// The SI prefix with which numbers up to `largest` are easy to read, and its factor.
///
/// ```
/// use drystone_record::plot::prefix;
/// assert_eq!(prefix(4200.0), ("k", 1e3));
/// assert_eq!(prefix(0.003), ("m", 1e-3));
/// assert_eq!(prefix(0.0), ("", 1.0));
/// ```
pub fn prefix(largest: f64) -> (&'static str, f64) {
    const PREFIXES: [(&str, f64); 9] = [
        ("T", 1e12),
        ("G", 1e9),
        ("M", 1e6),
        ("k", 1e3),
        ("", 1.0),
        ("m", 1e-3),
        ("µ", 1e-6),
        ("n", 1e-9),
        ("p", 1e-12),
    ];
    let largest = largest.abs();
    if largest == 0.0 || !largest.is_finite() {
        return ("", 1.0);
    }
    // 0.5 m reads better than 500 mm.
    let fits = |factor: f64| largest >= factor * if factor == 1.0 { 0.1 } else { 1.0 };
    PREFIXES.into_iter().find(|&(_, factor)| fits(factor)).unwrap_or(("p", 1e-12))
}

/// A quantity with a round value, its unit and a prefix: `20 mm`.
pub fn quantity(value: f64, unit: &str) -> String {
    let (prefix, factor) = prefix(value);
    let scaled = value / factor;
    let digits =
        if scaled == 0.0 { 0.0 } else { (2.0 - math::log10(scaled.abs()).floor()).max(0.0) };
    let number = decimal(scaled, digits as usize);
    let number = if number.contains('.') {
        number.trim_end_matches('0').trim_end_matches('.')
    } else {
        &number
    };
    format!("{number} {prefix}{unit}")
}

/// 10ⁿ, rounded correctly, which repeated multiplication is not.
fn power_of_ten(exponent: i32) -> f64 {
    format!("1e{exponent}").parse().expect("a power of ten is a number")
}

/// A number with `digits` decimals and a true minus sign; never a negative zero.
fn decimal(value: f64, digits: usize) -> String {
    let text = format!("{:.digits$}", value.abs());
    let zero = text.chars().all(|c| c == '0' || c == '.');
    if value < 0.0 && !zero { format!("−{text}") } else { text }
}

fn power_label(exponent: i32) -> String {
    let superscript = |c: char| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        digit => char::from_u32('⁰' as u32 + (digit as u32 - '0' as u32)).unwrap_or(digit),
    };
    if exponent == 0 {
        return "1".to_owned();
    }
    format!("10{}", exponent.to_string().chars().map(superscript).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn round_numbers() {
        let up = [0.7, 30.0, 2.0, 5.1, 0.0021].map(round_up);
        assert_eq!(up, [1.0, 50.0, 2.0, 10.0, 0.005]);
        assert_eq!([1e-3, 9.99, 2e-7].map(round_down), [1e-3, 5.0, 2e-7]);
    }

    #[test]
    fn linear_ticks_are_multiples_of_a_round_step() {
        let ticks = Ticks::linear(-0.13, 0.42, 6);
        assert_eq!(ticks.labels, ["−0.1", "0.0", "0.1", "0.2", "0.3", "0.4"]);
        assert_eq!(Ticks::linear(0.0, 2000.0, 5).labels, ["0", "500", "1000", "1500", "2000"]);
        assert_eq!(Ticks::linear(1.0, 1.0, 5).places, [1.0]);
    }

    #[test]
    fn logarithmic_ticks_are_powers_of_ten() {
        let ticks = Ticks::logarithmic(1e-6, 1.0, 10);
        assert_eq!(ticks.labels, ["10⁻⁶", "10⁻⁵", "10⁻⁴", "10⁻³", "10⁻²", "10⁻¹", "1"]);
        assert_eq!(Ticks::logarithmic(1e-6, 1.0, 3).labels, ["10⁻⁶", "10⁻³", "1"]);
    }

    #[test]
    fn quantities() {
        assert_eq!(quantity(0.02, "m"), "20 mm");
        assert_eq!(quantity(0.5, "m/s"), "0.5 m/s");
        assert_eq!(quantity(12_345.0, "N"), "12.3 kN");
        assert_eq!(quantity(500.0, "N"), "500 N");
        assert_eq!(quantity(0.0, "N"), "0 N");
    }

    proptest! {
        #[test]
        fn rounding_encloses_the_value(exponent in -12.0..12.0) {
            let value = math::powf(10.0, exponent);
            let (down, up) = (round_down(value), round_up(value));
            prop_assert!(down <= value * (1.0 + 1e-9) && value <= up * (1.0 + 1e-9));
            prop_assert!(up <= 2.51 * down);
        }
        #[test]
        fn ticks_lie_in_the_range_and_are_few(low in -1e6..1e6, log in -3.0..6.0) {
            let high = low + math::powf(10.0, log);
            let ticks = Ticks::linear(low, high, 6);
            let slack = 1e-6 * (high - low);
            prop_assert!(ticks.places.iter().all(|&t| t >= low - slack && t <= high + slack));
            prop_assert!(ticks.places.len() >= 2 && ticks.places.len() <= 8);
        }
    }
}
