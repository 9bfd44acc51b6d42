//! The error of a step, ε = ‖u − u*‖ / ‖u_free − u‖ in the kinetic metric, u* being the exact velocities: the share of
//! what contacts have to do that is still undone. u* is not known; [`ErrorEstimate`] says what ε is thought to be, and
//! why.

use drystone_space::math;

/// By which way the error of a step was estimated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum EstimateWay {
    /// Every law is met to rounding: there is nothing to be far from.
    #[default]
    Laws,
    /// By the length of a step of Newton's method, from factors.
    Factors,
    /// By the rate at which sweeps approach the solution.
    Sweeps,
}

impl EstimateWay {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Laws, Self::Factors, Self::Sweeps];

    /// Its name, as in summaries.
    pub fn name(self) -> &'static str {
        match self {
            Self::Laws => "laws",
            Self::Factors => "factors",
            Self::Sweeps => "sweeps",
        }
    }
}

/// An estimate of the error of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ErrorEstimate {
    /// Estimate of ε; infinite where sweeps do not approach anything.
    pub value: f64,
    /// How it was found.
    pub way: EstimateWay,
}

impl ErrorEstimate {
    /// The estimate for two problems that are parts of one step: ε of both is at most the larger of the two.
    pub fn and(self, other: Self) -> Self {
        // What is not a number stays so.
        if self.value <= other.value || other.value.is_nan() { other } else { self }
    }
}

/// Sweeps from which on a rate says something: the first ones settle what is local, and what is left shows later.
const LEAST: usize = 8;
/// Sweeps between samples, after the first few.
const STRIDE: usize = 5;
/// Samples that are kept: enough for the longest window.
const SAMPLES: usize = 32;
/// Sweeps of the fixed windows; longer ones are a half and a third of all sweeps, at most so many.
const WINDOWS: [usize; 2] = [10, 30];
const LONGEST: usize = 100;
/// Momentum makes errors swing, and the way of a sweep is short where they turn. So the longest way of so many sweeps
/// counts at both ends of a window, and at its end as much as the rate has left of it.
const SWING: usize = 10;
/// What an extrapolation is multiplied by: it is too small until the slowest part of the error rules, and where it is
/// used to accept, it is used when it happens to be small.
const CAUTION: f64 = 3.0;

/// By how many times ρ ([`slowest_of_loads`]) a sweep lowers an error of the shape of the loads: sweeps over two colours do
/// what two rounds do in which all contacts answer at once.
const ROUNDS: f64 = 2.0;

/// ln of the rate at which an error of the shape of the loads shrinks; −∞ where that is fast.
///
/// The impulses themselves are an example of what is handed on over long ways. What they do together is ‖u − u_free‖² =
/// P·WP, what they would do each by itself Σ P·H P; the quotient ρ of the two is small where loads cancel at bodies on
/// their way to the ground, as 1/N² in a column of N. Elastic ties have their compliance in both. All contacts answering at once would leave 1 − ρ of such an error. The
/// first sweeps settle what is local, and know nothing of this.
pub(crate) fn slowest_of_loads(share: f64) -> f64 {
    let taken = ROUNDS * share;
    if taken < 0.5 { math::ln_1p(-taken) } else { f64::NEG_INFINITY }
}

/// How fast sweeps approach the solution, by the ways δ_k = ‖u_k − u_{k−1}‖ that they make in the kinetic metric.
///
/// Where each way is r times the one before, δ r/(1 − r) are still to go. r is taken over several windows, and the
/// largest of the extrapolations counts. Ways that do not become shorter lead nowhere that is known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rate {
    /// Sweeps made.
    sweeps: usize,
    /// Number and way of some sweeps; the newest is at `count − 1` modulo their number.
    samples: [(usize, f64); SAMPLES],
    count: usize,
}

/// What sweeps promise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Promise {
    /// How far the solution is thought to be.
    pub distance: f64,
    /// ln r of the slowest window: what a sweep takes of the error.
    pub log_rate: f64,
}

impl Rate {
    /// Forgets all.
    pub fn restart(&mut self) {
        (self.sweeps, self.count) = (0, 0);
    }

    /// Counts a sweep; true where its way should be [added](Self::add).
    pub fn counts_sample(&mut self) -> bool {
        self.sweeps += 1;
        matches!(self.sweeps, 1 | 2 | 4 | 6 | 8) || self.sweeps.is_multiple_of(STRIDE)
    }

    /// Adds the way of the last sweep.
    pub fn add(&mut self, way: f64) {
        self.samples[self.count % SAMPLES] = (self.sweeps, way);
        self.count += 1;
    }

    /// Sweeps that are missing until something can be said.
    pub fn missing(&self) -> usize {
        LEAST.saturating_sub(self.sweeps)
    }

    /// What is known after a sweep that made this way; none where it were too few. Ways up to `noise` are rounding and
    /// have no rate. No error is believed to shrink faster than `slowest`, the logarithm of a rate.
    pub fn promise(&self, way: f64, noise: f64, slowest: f64) -> Option<Promise> {
        if self.missing() > 0 {
            return None;
        }
        let now = self.sweeps;
        let halves = [now / 2, now / 3].map(|window| window.min(LONGEST));
        let fixed = WINDOWS.into_iter().filter(|window| now >= 2 * window);
        let mut worst = Promise { distance: 0.0, log_rate: f64::NEG_INFINITY };
        for window in fixed.chain(halves) {
            let swing = (window / 2).clamp(1, SWING);
            let recent = self.longest(now, swing).filter(|&(number, _)| number == now);
            let last = recent.map_or(way, |(_, longest)| longest.max(way));
            let measured = if last <= noise {
                f64::NEG_INFINITY
            } else {
                let (start, first) = self.longest(now - window, swing)?;
                math::ln(last / first) / (now - start) as f64
            };
            // What is not a number stays so.
            let log_rate = if measured <= slowest { slowest } else { measured };
            // What is not a number promises nothing.
            let distance = if log_rate < 0.0 {
                self.swung(way, swing, log_rate) / math::exp_m1(-log_rate)
            } else {
                f64::INFINITY
            };
            worst.distance = worst.distance.max(CAUTION * distance);
            worst.log_rate = worst.log_rate.max(log_rate);
        }
        Some(worst)
    }

    /// The way of the last sweep, or what ways of so many sweeps before it have become at this rate, if that is longer.
    fn swung(&self, way: f64, swing: usize, log_rate: f64) -> f64 {
        let kept = self.count.saturating_sub(SAMPLES)..self.count;
        let samples = kept.map(|index| self.samples[index % SAMPLES]);
        let recent = samples.filter(|(number, _)| number + swing > self.sweeps);
        recent.fold(way, |longest, (number, way)| {
            longest.max(way * math::exp(log_rate * (self.sweeps - number) as f64))
        })
    }

    /// The longest way among samples of so many sweeps up to one of them, as if it were made by that one; where there is
    /// none, the last sample before.
    fn longest(&self, sweep: usize, swing: usize) -> Option<(usize, f64)> {
        let kept = self.count.saturating_sub(SAMPLES)..self.count;
        let samples = kept.rev().map(|index| self.samples[index % SAMPLES]);
        let before = samples.filter(|&(number, _)| number <= sweep);
        let mut found = None;
        for (number, way) in before {
            match found {
                None if number + swing <= sweep => return Some((number, way)),
                Some(_) if number + swing <= sweep => break,
                None => found = Some((sweep, way)),
                Some((_, longest)) => found = Some((sweep, way.max(longest))),
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sweeps with these ways, and what they promise.
    fn after(ways: impl Iterator<Item = f64>) -> Option<Promise> {
        let mut rate = Rate::default();
        let mut last = 0.0;
        for way in ways {
            last = way;
            if rate.counts_sample() {
                rate.add(way);
            }
        }
        rate.promise(last, 0.0, f64::NEG_INFINITY)
    }

    /// u_k − u* = r^k: the way is (1/r − 1) r^k, and r^k are to go.
    #[test]
    fn a_steady_rate_tells_the_distance() {
        for (rate, count) in [(0.5f64, 12), (0.9, 40), (0.97, 300), (0.999, 1000)] {
            let way = |k: usize| (1.0 / rate - 1.0) * rate.powi(k as i32);
            let promise = after((1..=count).map(way)).unwrap();
            let left = rate.powi(count as i32);
            // Ways are sampled now and then, so that the rate is not met to the last digit.
            let ratio = promise.distance / (CAUTION * left);
            assert!(ratio > 0.9 && ratio < 2.0, "{rate}: {promise:?} {left}");
            assert!((promise.log_rate / rate.ln() - 1.0).abs() < 0.25, "{rate}: {promise:?}");
        }
    }

    /// Ways that become short at once, as in a warm start, do not hide what loads are known to need; nor do ways that are
    /// lost in rounding.
    #[test]
    fn no_rate_is_faster_than_that_of_the_loads() {
        let mut rate = Rate::default();
        for k in 1..=12 {
            if rate.counts_sample() {
                rate.add(0.1f64.powi(k));
            }
        }
        let way = 0.1f64.powi(12);
        let slowest = slowest_of_loads(1e-4);
        for noise in [0.0, 1.0] {
            let told = rate.promise(way, noise, slowest).unwrap();
            // The longest of recent ways counts, as far as this rate has left it.
            assert!(told.log_rate == slowest && told.distance >= CAUTION * way / 2e-4, "{told:?}");
        }
        assert!(rate.promise(way, 0.0, f64::NEG_INFINITY).unwrap().distance < 2.0 * CAUTION * way);
        assert_eq!(slowest_of_loads(1.0), f64::NEG_INFINITY);
    }

    /// A fast part hides a slow one at first; later the slow one is all that is seen.
    #[test]
    fn the_slow_part_rules_in_the_end() {
        let way = |k: usize| 0.5f64.powi(k as i32) + 1e-3 * 0.99f64.powi(k as i32);
        let left = |k: usize| 0.99 / 0.01 * 1e-3 * 0.99f64.powi(k as i32);
        let told = after((1..=60).map(way)).unwrap().distance;
        assert!(told > left(60) && told < 5.0 * left(60), "{told} {}", left(60));
    }

    #[test]
    fn what_does_not_fall_promises_nothing() {
        assert_eq!(after((1..=7).map(|_| 1.0)), None);
        assert_eq!(after((1..=50).map(|_| 1.0)).unwrap().distance, f64::INFINITY);
        assert_eq!(after((1..=50).map(|_| f64::NAN)).unwrap().distance, f64::INFINITY);
        // Errors that swing: a way that is short for once is not taken for the end.
        let swings = |k: usize| 0.999f64.powi(k as i32) * (0.3 * k as f64).sin().abs();
        for count in 200..230 {
            assert!(after((1..=count).map(swings)).unwrap().distance > 10.0, "{count}");
        }
        assert_eq!(after((1..=50).map(|_| 0.0)).unwrap().distance, 0.0);
    }
}
