//! Sets of one's own: an ellipse that turns, given by its projection.

use drystone_space::{DVec2, Plane, Vector, math};
use drystone_sweeping::{
    AnyProblem, Constraint, Convergence, Example, Motion, MovingSet, Problem, Scheme, SetInTime,
    SweepError, lazy_selector, polygon,
};

/// The inside of x²/a² + y²/b² = 1, turned by `spin` t and carried along.
struct Ellipse {
    half_axes: DVec2,
    spin: f64,
    velocity: DVec2,
}

impl Ellipse {
    fn own_place(&self, time: f64, point: DVec2) -> DVec2 {
        let (sin, cos) = math::sin_cos(self.spin * time);
        DVec2::new(cos, -sin).rotate(point - self.velocity * time)
    }
    fn world_place(&self, time: f64, own: DVec2) -> DVec2 {
        let (sin, cos) = math::sin_cos(self.spin * time);
        DVec2::new(cos, sin).rotate(own) + self.velocity * time
    }
    /// x²/a² + y²/b² − 1.
    fn level(&self, own: DVec2) -> f64 {
        (own / self.half_axes).length_squared() - 1.0
    }
}

impl SetInTime<Plane> for Ellipse {
    /// The nearest point is x = p a²/(a² + λ), component by component, with λ ≥ 0 such that it is on the rim.
    fn project(&self, time: f64, point: DVec2) -> Result<DVec2, SweepError> {
        let p = self.own_place(time, point);
        if self.level(p) <= 0.0 {
            return Ok(point);
        }
        let square = self.half_axes * self.half_axes;
        let at = |lambda: f64| p * square / (square + DVec2::splat(lambda));
        let (mut low, mut high) = (0.0, self.half_axes.max_element() * p.length());
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if self.level(at(middle)) > 0.0 { low = middle } else { high = middle }
        }
        Ok(self.world_place(time, at(high)))
    }
    /// By the level function; its rate is that of the place in the set's axes.
    fn lazy(&self, time: f64, point: DVec2) -> Result<DVec2, SweepError> {
        let own = self.own_place(time, point);
        let slope = own * 2.0 / (self.half_axes * self.half_axes);
        let (sin, cos) = math::sin_cos(self.spin * time);
        let gradient = DVec2::new(cos, sin).rotate(slope);
        let carried = self.velocity + (point - self.velocity * time).perp() * self.spin;
        let length = gradient.length();
        let constraint = Constraint::<Plane> {
            value: self.level(own) / length,
            rate: -gradient.dot(carried) / length,
            gradient: gradient / length,
        };
        lazy_selector(&[constraint], time)
    }
}

fn turning() -> Problem<Plane, Ellipse> {
    let half_axes = DVec2::new(2.0, 0.7);
    let set = Ellipse { half_axes, spin: 0.9, velocity: DVec2::new(0.3, -0.1) };
    let starts = [(0.0, 0.0), (1.5, 0.1), (-1.0, 0.5), (-1.8, -0.2), (0.2, 0.65)];
    let starts = starts.map(DVec2::from).to_vec();
    Problem { title: "an ellipse turns".to_owned(), set, starts, end: 3.0 }
}

#[test]
fn both_schemes_are_of_first_order_in_a_set_of_ones_own() {
    let problem = turning();
    problem.check().unwrap();
    let study = Convergence::study(&problem, None, 20, 6).unwrap();
    for scheme in Scheme::ALL {
        let order = study.order(scheme).unwrap();
        assert!((0.8..1.2).contains(&order), "{}: {order} {:?}", scheme.name(), study.levels);
    }
}

/// A polygon of n corners on the rim is the ellipse but for O(1/n²), and is projected on by another method.
#[test]
fn a_polygon_of_many_corners_sweeps_alike() {
    let own = turning();
    let corner = |i: usize, n: usize| {
        let (sin, cos) = math::sin_cos(std::f64::consts::TAU * i as f64 / n as f64);
        own.set.half_axes * DVec2::new(cos, sin)
    };
    let away = |n: usize| {
        let corners: Vec<DVec2> = (0..n).map(|i| corner(i, n)).collect();
        let motion = Motion { velocity: own.set.velocity, spin: own.set.spin, ..Motion::default() };
        let set = MovingSet::one(polygon(&corners).unwrap(), motion).unwrap();
        let starts: Vec<DVec2> = own.starts.iter().map(|&start| start * 0.9).collect();
        let other = Problem { title: String::new(), set, starts, end: own.end };
        let far = |&start: &DVec2| {
            let paths = (
                own.path(start, 200, Scheme::Implicit).unwrap(),
                other.path(start, 200, Scheme::Implicit).unwrap(),
            );
            let pairs = paths.0.points.iter().zip(&paths.1.points);
            pairs.map(|(&a, &b)| (a - b).norm()).fold(0.0, f64::max)
        };
        other.starts.iter().map(far).fold(0.0, f64::max)
    };
    let (few, many) = (away(40), away(160));
    assert!(few < 0.05 && many < few / 4.0, "{few} {many}");
}

/// With both half axes alike it is the disk that drags points along tractrices.
#[test]
fn a_round_one_is_the_ball() {
    let AnyProblem::Plane(ball, Some(exact)) = Example::Ball.problem() else { panic!() };
    let motion = &ball.set.pieces()[0].motion;
    let set = Ellipse { half_axes: DVec2::ONE, spin: 0.0, velocity: motion.velocity };
    let own = Problem { title: String::new(), set, starts: ball.starts.clone(), end: ball.end };
    own.check().unwrap();
    for &start in &own.starts {
        for scheme in Scheme::ALL {
            let a = own.path(start, 100, scheme).unwrap();
            let b = ball.path(start, 100, scheme).unwrap();
            for (a, b) in a.points.iter().zip(&b.points) {
                assert!((*a - *b).norm() < 1e-9, "{} {a} {b}", scheme.name());
            }
        }
        let end = own.path(start, 2000, Scheme::Implicit).unwrap();
        assert!((*end.points.last().unwrap() - exact(start, own.end)).norm() < 1e-3);
    }
}
