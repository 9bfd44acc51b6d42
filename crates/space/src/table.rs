//! Functions given by points: of time, of a length, of a speed.

/// Values at increasing arguments, straight between them, level outside.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    arguments: Vec<f64>,
    values: Vec<f64>,
}

impl Table {
    /// `None` unless there are as many values as arguments, at least one, and arguments increase.
    pub fn new(arguments: Vec<f64>, values: Vec<f64>) -> Option<Self> {
        let increasing = arguments.windows(2).all(|w| w[0] < w[1]);
        (arguments.len() == values.len() && !arguments.is_empty() && increasing)
            .then_some(Self { arguments, values })
    }

    /// Arguments and values, in order.
    pub fn points(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.arguments.iter().copied().zip(self.values.iter().copied())
    }

    /// The first argument.
    pub fn first(&self) -> f64 {
        self.arguments[0]
    }

    /// The last argument.
    pub fn last(&self) -> f64 {
        self.arguments[self.arguments.len() - 1]
    }

    /// Value and slope; at a kink, the slope after it.
    pub fn sample(&self, at: f64) -> (f64, f64) {
        let after = self.arguments.partition_point(|&x| x <= at);
        if after == 0 {
            return (self.values[0], 0.0);
        }
        if after == self.arguments.len() {
            return (self.values[after - 1], 0.0);
        }
        let (x0, x1) = (self.arguments[after - 1], self.arguments[after]);
        let (v0, v1) = (self.values[after - 1], self.values[after]);
        let slope = (v1 - v0) / (x1 - x0);
        (v0 + slope * (at - x0), slope)
    }

    /// The mean value between two arguments, whichever is the greater, to rounding also where they are near each other.
    pub fn mean(&self, one: f64, other: f64) -> f64 {
        let (low, high) = (one.min(other), one.max(other));
        let width = high - low;
        let first = self.arguments.partition_point(|&x| x <= low);
        let end = self.arguments.partition_point(|&x| x < high);
        if first >= end || width == 0.0 {
            return self.sample(0.5 * (low + high)).0;
        }
        let (mut from, mut sum) = (low, 0.0);
        for &to in self.arguments[first..end].iter().chain([&high]) {
            sum += self.sample(0.5 * (from + to)).0 * ((to - from) / width);
            from = to;
        }
        sum
    }

    /// Where the value is first zero, or else the first point.
    pub fn zero(&self) -> f64 {
        for (x, v) in self.arguments.windows(2).zip(self.values.windows(2)) {
            if v[0] == 0.0 {
                return x[0];
            }
            if v[0] * v[1] < 0.0 {
                return x[0] + (x[1] - x[0]) * (v[0] / (v[0] - v[1]));
            }
        }
        match self.values.last() {
            Some(0.0) => self.last(),
            _ => self.first(),
        }
    }

    /// What the value integrates to from its [zero](Self::zero) on: the energy of a spring with these forces.
    pub fn integral(&self, to: f64) -> f64 {
        let from = self.zero();
        self.mean(from, to) * (to - from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_and_integrals_are_those_of_straight_pieces() {
        let table = Table::new(vec![-1.0, 0.0, 1.0, 3.0], vec![-2.0, 0.0, 1.0, 0.0]).unwrap();
        assert_eq!(table.sample(0.5), (0.5, 1.0));
        assert_eq!((table.sample(-7.0), table.sample(9.0)), ((-2.0, 0.0), (0.0, 0.0)));
        // Pieces: -2 over [-2, -1], -1 over [-1, 0], 1/2 over [0, 1], 1 over [1, 3], nothing beyond.
        assert!((table.mean(-2.0, 4.0) - (-2.0 - 1.0 + 0.5 + 1.0) / 6.0).abs() < 1e-15);
        assert_eq!(table.mean(-2.0, 4.0), table.mean(4.0, -2.0));
        assert_eq!(table.mean(0.5, 0.5), 0.5);
        assert!((table.mean(0.5, 0.5 + 1e-15) - 0.5).abs() < 1e-14);
        assert_eq!(table.zero(), 0.0);
        assert!((table.integral(3.0) - 1.5).abs() < 1e-15);
        assert!((table.integral(-2.0) - 3.0).abs() < 1e-15);
        let crossing = Table::new(vec![0.0, 4.0], vec![-1.0, 3.0]).unwrap();
        assert_eq!(crossing.zero(), 1.0);
        assert!(Table::new(vec![1.0, 1.0], vec![0.0, 0.0]).is_none());
    }
}
