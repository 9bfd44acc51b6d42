//! Means with the error that sampling leaves.

/// A mean and its standard error.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Standard error of the mean, from the scatter of parts of the sample.
    pub error: f64,
}

impl Estimate {
    /// From values of equal weight, taken as independent.
    pub fn of(values: &[f64]) -> Self {
        let count = values.len() as f64;
        if values.is_empty() {
            return Self::default();
        }
        let mean = values.iter().sum::<f64>() / count;
        let square: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
        let error = if count > 1.0 { (square / (count * (count - 1.0))).sqrt() } else { 0.0 };
        Self { mean, error }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_error() {
        // Deviations −1, 0, 1: variance 1, error of the mean 1/√3.
        let found = Estimate::of(&[1.0, 2.0, 3.0]);
        assert!(
            (found.mean - 2.0).abs() < 1e-15 && (found.error - 1.0 / 3f64.sqrt()).abs() < 1e-15
        );
        assert_eq!(Estimate::of(&[]), Estimate::default());
        assert_eq!(Estimate::of(&[4.0]), Estimate { mean: 4.0, error: 0.0 });
    }
}
