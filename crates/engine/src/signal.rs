//! Functions of time: motions of boundaries and factors of forces.

use drystone_space::{Space, Table, Vector, math};
use std::f64::consts::TAU;

/// A number that varies in time.
#[derive(Clone, Debug, PartialEq)]
pub enum Signal {
    /// Always the same.
    Constant(f64),
    /// `mean + amplitude · sin(2π frequency (t − start) + phase)`.
    Sinusoid {
        /// Mean value.
        mean: f64,
        /// Half the peak-to-peak value.
        amplitude: f64,
        /// In hertz.
        frequency: f64,
        /// In radians.
        phase: f64,
    },
    /// Linear between the points, constant outside.
    Table(Table),
    /// `amplitude · exp(rate t)`: a length under a true strain rate.
    Exponential {
        /// Value at time zero.
        amplitude: f64,
        /// In 1/s.
        rate: f64,
    },
    /// A curve without kinks between the points, constant outside.
    Smooth(Smooth),
}

/// Values and slopes at increasing times, by Hermite's cubic between them, constant outside: just what becomes of an
/// acceleration that is linear between its samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Smooth {
    times: Vec<f64>,
    values: Vec<f64>,
    slopes: Vec<f64>,
}

impl Smooth {
    /// `None` unless there are as many values and slopes as times, at least one, and times increase.
    pub fn new(times: Vec<f64>, values: Vec<f64>, slopes: Vec<f64>) -> Option<Self> {
        let increasing = times.windows(2).all(|w| w[0] < w[1]);
        let alike = times.len() == values.len() && times.len() == slopes.len();
        (alike && !times.is_empty() && increasing).then_some(Self { times, values, slopes })
    }
    /// Slopes at the points, in order of time.
    pub fn slopes(&self) -> &[f64] {
        &self.slopes
    }
    /// Values at the points, in order of time.
    pub fn values(&self) -> &[f64] {
        &self.values
    }
    /// Value and slope at `time`.
    fn sample(&self, time: f64) -> (f64, f64) {
        let after = self.times.partition_point(|&t| t <= time);
        if after == 0 {
            return (self.values[0], 0.0);
        }
        if after == self.times.len() {
            return (self.values[after - 1], 0.0);
        }
        let width = self.times[after] - self.times[after - 1];
        let part = (time - self.times[after - 1]) / width;
        let (v0, v1) = (self.values[after - 1], self.values[after]);
        let (s0, s1) = (self.slopes[after - 1], self.slopes[after]);
        // v0 + part (s0 w + part (3Δ − (2 s0 + s1) w + part ((s0 + s1) w − 2Δ))).
        let rise = v1 - v0;
        let second = 3.0 * rise - (2.0 * s0 + s1) * width;
        let third = (s0 + s1) * width - 2.0 * rise;
        let value = v0 + part * (s0 * width + part * (second + part * third));
        (value, s0 + part * (2.0 * second + 3.0 * part * third) / width)
    }
}

impl Signal {
    /// Value and rate at `time`.
    pub fn sample(&self, time: f64) -> (f64, f64) {
        match self {
            Signal::Constant(value) => (*value, 0.0),
            Signal::Sinusoid { mean, amplitude, frequency, phase } => {
                let (sin, cos) = math::sin_cos(TAU * frequency * time + phase);
                (mean + amplitude * sin, amplitude * TAU * frequency * cos)
            }
            Signal::Table(table) => table.sample(time),
            Signal::Exponential { amplitude, rate } => {
                let value = amplitude * math::exp(rate * time);
                (value, rate * value)
            }
            Signal::Smooth(curve) => curve.sample(time),
        }
    }
}

/// How a boundary's displacement varies in time, measured from where it was placed.
#[derive(Clone, Debug, PartialEq)]
pub enum Course<S: Space> {
    /// Constant velocity and spin (world axes, about the boundary's origin).
    Velocity {
        /// Velocity.
        linear: S::Vector,
        /// Spin in world axes.
        spin: S::Spin,
    },
    /// Displacement `direction · s(t)` and rotation `axis · a(t)`.
    Signals {
        /// Multiplies `displacement`.
        direction: S::Vector,
        /// Displacement along the direction.
        displacement: Signal,
        /// Multiplies `rotation`; world axes.
        axis: S::Spin,
        /// Angle about the axis, in radians.
        rotation: Signal,
    },
    /// Several at once. No more than one of them may turn.
    Sum(Vec<Course<S>>),
}

/// A course that runs between two times: before it the boundary rests at its place, afterwards it
/// rests where the course left it.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion<S: Space> {
    /// What happens between start and stop; its own clock starts at `start`.
    pub course: Course<S>,
    /// When it starts.
    pub start: f64,
    /// When it stops; may be infinite.
    pub stop: f64,
}

/// Displacement, rotation vector, velocity and spin of a boundary at one time, all in world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moment<S: Space> {
    /// Displacement from its place.
    pub displacement: S::Vector,
    /// Rotation vector from its place.
    pub rotation: S::Spin,
    /// Velocity.
    pub velocity: S::Vector,
    /// Spin.
    pub spin: S::Spin,
}

impl<S: Space> Motion<S> {
    /// The state at `time`.
    ///
    /// A sinusoid's displacement is counted from its value at the start, so that the boundary
    /// starts from its place whatever the phase.
    pub fn sample(&self, time: f64) -> Moment<S> {
        self.sample_from(self.start, self.stop, time)
    }

    /// The same with another start and stop.
    pub(crate) fn sample_from(&self, start: f64, stop: f64, time: f64) -> Moment<S> {
        let clock = (time.min(stop) - start).max(0.0);
        let mut at = self.course.sample(clock);
        if !(time >= start && time < stop) {
            at.velocity = S::Vector::ZERO;
            at.spin = S::Spin::ZERO;
        }
        at
    }
}

impl<S: Space> Course<S> {
    /// The state so long after the start.
    fn sample(&self, clock: f64) -> Moment<S> {
        match self {
            Course::Velocity { linear, spin } => Moment {
                displacement: *linear * clock,
                rotation: *spin * clock,
                velocity: *linear,
                spin: *spin,
            },
            Course::Signals { direction, displacement, axis, rotation } => {
                let (s, ds) = displacement.sample(clock);
                let (a, da) = rotation.sample(clock);
                Moment {
                    displacement: *direction * (s - displacement.sample(0.0).0),
                    rotation: *axis * (a - rotation.sample(0.0).0),
                    velocity: *direction * ds,
                    spin: *axis * da,
                }
            }
            Course::Sum(parts) => parts.iter().fold(Moment::default(), |sum, part| {
                let at = part.sample(clock);
                Moment {
                    displacement: sum.displacement + at.displacement,
                    rotation: sum.rotation + at.rotation,
                    velocity: sum.velocity + at.velocity,
                    spin: sum.spin + at.spin,
                }
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_space::{DVec2, Plane};

    #[test]
    fn a_table_is_linear_between_its_points() {
        let table = Signal::Table(Table::new(vec![1.0, 2.0, 4.0], vec![0.0, 3.0, -1.0]).unwrap());
        assert_eq!(table.sample(0.0), (0.0, 0.0));
        assert_eq!(table.sample(1.5), (1.5, 3.0));
        assert_eq!(table.sample(3.0), (1.0, -2.0));
        assert_eq!(table.sample(9.0), (-1.0, 0.0));
    }

    /// An acceleration that is linear between its samples, integrated by hand: a = t from 0 to 1, then 2 − t.
    #[test]
    fn a_curve_is_what_a_linear_acceleration_makes() {
        let (times, values) = (vec![0.0, 1.0, 2.0], vec![0.0, 1.0 / 6.0, 1.0]);
        let curve = Signal::Smooth(Smooth::new(times, values, vec![0.0, 0.5, 1.0]).unwrap());
        let near = |(a, b): (f64, f64), (c, d): (f64, f64)| {
            assert!((a - c).abs() < 1e-15 && (b - d).abs() < 1e-15, "{a} {b}, {c} {d}");
        };
        near(curve.sample(0.5), (0.125 / 6.0, 0.125));
        // u = 1/6 + (1/2)τ + τ²/2 − τ³/6 and v = 1/2 + τ − τ²/2 at τ = 1/2.
        near(curve.sample(1.5), (1.0 / 6.0 + 0.25 + 0.125 - 0.125 / 6.0, 0.875));
        near(curve.sample(3.0), (1.0, 0.0));
        assert!(Smooth::new(vec![0.0], vec![0.0], vec![]).is_none());
    }

    #[test]
    fn courses_add_up() {
        let go = |x: f64, y: f64, spin: f64| Course::<Plane>::Velocity {
            linear: DVec2::new(x, y),
            spin,
        };
        let growth = Course::Signals {
            direction: DVec2::Y,
            displacement: Signal::Exponential { amplitude: 2.0, rate: 0.5 },
            axis: 0.0,
            rotation: Signal::Constant(0.0),
        };
        let course = Course::Sum(vec![go(1.0, 0.0, 0.3), growth]);
        let motion = Motion { course, start: 1.0, stop: 9.0 };
        let at = motion.sample(3.0);
        let e = math::exp(1.0);
        assert!((at.displacement - DVec2::new(2.0, 2.0 * (e - 1.0))).length() < 1e-14);
        assert!((at.velocity - DVec2::new(1.0, e)).length() < 1e-14);
        assert_eq!((at.rotation, at.spin), (0.6, 0.3));
    }

    #[test]
    fn a_motion_rests_before_its_start_and_after_its_stop() {
        let course = Course::<Plane>::Velocity { linear: DVec2::new(2.0, 0.0), spin: 0.0 };
        let motion = Motion { course, start: 1.0, stop: 3.0 };
        assert_eq!(motion.sample(0.5).displacement, DVec2::ZERO);
        assert_eq!(motion.sample(0.5).velocity, DVec2::ZERO);
        assert_eq!(motion.sample(2.0).displacement, DVec2::new(2.0, 0.0));
        assert_eq!(motion.sample(2.0).velocity, DVec2::new(2.0, 0.0));
        assert_eq!(motion.sample(9.0).displacement, DVec2::new(4.0, 0.0));
        assert_eq!(motion.sample(9.0).velocity, DVec2::ZERO);
    }
}
