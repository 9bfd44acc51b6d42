//! The ends of the scales of colour and of line width, steady from picture to picture.

use crate::plot::round_up;

/// A scale whose end follows the largest values of the frames, at round numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunningScale {
    end: f64,
    least: f64,
    keep: f64,
}

impl RunningScale {
    /// A scale that never shrinks, and never ends below `least`.
    pub fn growing(least: f64) -> Self {
        Self { end: 0.0, least: least.max(f64::MIN_POSITIVE), keep: 1.0 }
    }
    /// A scale that shrinks slowly after a peak: an impact must not hide the forces after it.
    pub fn fading() -> Self {
        Self { end: 0.0, least: f64::MIN_POSITIVE, keep: 0.7 }
    }
    /// Takes in the values of a frame and returns the end of the scale, a round number.
    ///
    /// One value in a hundred may lie beyond: a single stray must not take the colour of all.
    pub fn update(&mut self, values: impl Iterator<Item = f64>) -> f64 {
        let mut values: Vec<f64> = values.filter(|v| v.is_finite()).collect();
        let strays = values.len() / 100;
        let top = if values.is_empty() {
            0.0
        } else {
            let rank = values.len() - 1 - strays;
            *values.select_nth_unstable_by(rank, f64::total_cmp).1
        };
        self.end = top.max(self.keep * self.end).max(self.least);
        round_up(self.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_growing_scale_keeps_its_largest_round_end() {
        let mut scale = RunningScale::growing(1e-3);
        assert_eq!(scale.update([0.0, 0.0].into_iter()), 1e-3);
        assert_eq!(scale.update([0.1, 1.7].into_iter()), 2.0);
        assert_eq!(scale.update([0.1, f64::NAN].into_iter()), 2.0);
        assert_eq!(scale.update(std::iter::empty()), 2.0);
    }

    #[test]
    fn one_stray_in_a_hundred_lies_beyond_the_scale() {
        let mut values = vec![0.9; 199];
        values.push(80.0);
        assert_eq!(RunningScale::growing(1e-3).update(values.into_iter()), 1.0);
    }

    #[test]
    fn a_fading_scale_comes_down_after_a_peak() {
        let mut scale = RunningScale::fading();
        assert_eq!(scale.update([1000.0].into_iter()), 1000.0);
        assert_eq!(scale.update([10.0].into_iter()), 1000.0);
        let ends: Vec<f64> = (0..20).map(|_| scale.update([10.0].into_iter())).collect();
        assert!(ends.windows(2).all(|w| w[1] <= w[0]));
        assert_eq!(ends[19], 10.0);
    }
}
