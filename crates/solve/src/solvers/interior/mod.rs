//! Interior points of Coulomb's law: a path of smooth problems that ends in the exact one.
//!
//! For one part of a contact, friction or rolling, z = (μ r_n, r_t) and its dual w = (w₀, u_t) lie in the
//! second-order cone; de Saxcé's form says z ∘ w = 0 with w₀ = u_n/μ + |u_t|. The lift |u_t| has no
//! derivative where a contact sticks, and the law is not monotone. Both are mended by writing the lift
//! as |w_t|²/w₀:
//!
//! u_n/μ = w₀ − |w_t|²/w₀ = det(w)/w₀.
//!
//! Where the contact slips, w is on the edge of the cone, w₀ = |w_t| and the lift is the exact one; where it
//! sticks, w = 0; where it is apart, z = 0, and u_n ≥ 0 is the same as w₀ ≥ |w_t|. So the solutions are
//! Coulomb's, and inside the cone all is smooth. With rolling, u_n is the sum over both parts.
//!
//! The path z ∘ w = γ, γ → 0, is followed by Newton's steps on W r + q = u(w), z ∘ w = γ, with Nesterov and
//! Todd's scaling and Mehrotra's predictor and corrector (1992): (W + Σ Gᵀ u'(w) T² G) Δr = …, z = G r. The
//! matrix has W's pattern whatever states contacts are in, and full rank whatever W's: impulses that are not
//! determined go to the middle of those that are possible. This is why hyperstatic problems, on which other
//! methods stand still, take 10 to 40 steps.

mod error;
pub(crate) mod pair;

use drystone_space::math;
pub use error::step_error;

use super::Limits;
use super::scaled::{OnScaled, Scaled};
use super::sparse::BlockSystem;
use crate::assembled::local::{add, add_scaled, dot};
use crate::assembled::{Assembled, Cone, Local, Square};
use pair::{Point, Scaling, UNIT, centred, determinant, product, quotient, reach};

/// Added to the diagonal of the scaled W, whose mean is one.
const REGULAR: f64 = 1e-11;
/// Share of the way to the cone's edge that a step goes.
const INSIDE: f64 = 0.99;
/// Steps shorter than this are tried again towards the middle of the path, at these shares of γ.
const SHORT: f64 = 0.3;
const CENTRES: [f64; 2] = [0.3, 0.9];
/// Steps shorter than this lead nowhere, and after so many of them the path is given up.
const TINY: f64 = 0.05;
const PATIENCE: usize = 4;
/// Size of the first start, as a multiple of the impulses known; γ near them, by their square.
const FAR: f64 = 3.0;
const NEAR: f64 = 1e-2;
/// Diagonal of what a contact without friction cannot have.
const FIXED: f64 = 1e12;

/// A cone that a contact's impulse must be in: friction's or rolling's.
#[derive(Clone, Copy, Debug)]
struct SecondOrderCone {
    contact: usize,
    /// First of the two components that are bounded.
    first: usize,
    /// z₀ = weight r_n.
    weight: f64,
    /// Whether anything but zero is allowed.
    free: bool,
}

impl SecondOrderCone {
    fn of_cone<const D: usize>(contact: usize, cone: &Cone) -> impl Iterator<Item = Self> {
        let part = move |first, bound: f64| {
            let free = bound > 0.0;
            Self { contact, first, weight: if free { bound } else { 1.0 }, free }
        };
        let rolling = (D == 5).then(|| part(3, cone.rolling));
        std::iter::once(part(1, cone.friction)).chain(rolling)
    }

    /// Component of r behind each component of z.
    fn places<const D: usize>(&self) -> impl Iterator<Item = (usize, usize)> + use<D> {
        let end = if self.free { D.min(self.first + 2) } else { self.first };
        std::iter::once((0, 0)).chain((self.first..end).zip(1..).map(|(i, k)| (k, i)))
    }

    fn weight(&self, component: usize) -> f64 {
        if component == 0 { self.weight } else { 1.0 }
    }

    /// G r.
    fn gather<const D: usize>(&self, r: &Local<D>) -> Point {
        let mut z = [0.0; 3];
        self.places::<D>().for_each(|(k, i)| z[k] = self.weight(i) * r[i]);
        z
    }

    /// Adds Gᵀ u.
    fn scatter<const D: usize>(&self, u: &Point, sum: &mut Local<D>) {
        self.places::<D>().for_each(|(k, i)| sum[i] += self.weight(i) * u[k]);
    }

    /// Adds Gᵀ M G.
    fn scatter_matrix<const D: usize>(&self, matrix: &[Point; 3], sum: &mut Square<D>) {
        for (k, i) in self.places::<D>() {
            for (l, j) in self.places::<D>() {
                sum[i][j] += self.weight(i) * self.weight(j) * matrix[k][l];
            }
        }
    }
}

/// What every diagonal block gets.
fn regular<const D: usize>() -> Square<D> {
    std::array::from_fn(|i| std::array::from_fn(|j| if i == j { REGULAR } else { 0.0 }))
}

/// Root of the mean square over contacts.
fn mean_size<const D: usize>(x: &[Local<D>]) -> f64 {
    let square: f64 = x.as_flattened().iter().map(|x| x * x).sum();
    (square / x.len() as f64).sqrt()
}

/// u(w).
fn velocity(w: &Point) -> Point {
    [determinant(w) / w[0], w[1], w[2]]
}

/// u'(w) d.
fn velocity_change(w: &Point, d: &Point) -> Point {
    let (a, b) = (w[1] / w[0], w[2] / w[0]);
    [(1.0 + a * a + b * b) * d[0] - 2.0 * (a * d[1] + b * d[2]), d[1], d[2]]
}

/// A step: Δr, and Δz and Δw of each part.
#[derive(Clone, Debug, Default)]
struct Direction<const D: usize> {
    impulses: Vec<Local<D>>,
    parts: Vec<(Point, Point)>,
}

/// The solver.
#[derive(Debug, Default)]
pub struct Interior<const D: usize> {
    scaled: Scaled<D>,
    system: Option<BlockSystem<D>>,
    parts: Vec<SecondOrderCone>,
    impulses: Vec<Local<D>>,
    velocities: Vec<Local<D>>,
    /// z and w of each part.
    pairs: Vec<(Point, Point)>,
    scalings: Vec<Scaling>,
    /// u(w) − u, then the right-hand side.
    rest: Vec<Local<D>>,
    right: Vec<Local<D>>,
    /// What T Δz + T⁻¹ Δw should be.
    targets: Vec<Point>,
    /// What is added to the diagonal blocks of W.
    diagonals: Vec<Square<D>>,
    direction: Direction<D>,
    other: Direction<D>,
    /// Tiny steps, one after the other; paths begun.
    tiny: usize,
    paths: usize,
}

impl<const D: usize> OnScaled<D> for Interior<D> {
    fn scaled(&mut self) -> &mut Scaled<D> {
        &mut self.scaled
    }

    fn set_out(&mut self) {
        (self.system, self.paths) = (None, 0);
        let cones = self.scaled.problem.cones.iter().enumerate();
        self.parts.clear();
        self.parts
            .extend(cones.flat_map(|(contact, cone)| SecondOrderCone::of_cone::<D>(contact, cone)));
    }

    fn iterate(&mut self, given: &Assembled<D>, limits: &Limits) -> usize {
        let ready = limits.has_time_for_analysis(&given.delassus) && self.analyse();
        let mut iterations = 0;
        while ready
            && iterations < limits.max_iterations
            && !self.scaled.is_solved()
            && self.has_time(limits)
        {
            let best = self.scaled.best_seen().1.to_vec();
            self.start(given, &best, limits);
            iterations += self.advance(given, limits, limits.max_iterations - iterations);
        }
        iterations
    }
}

impl<const D: usize> Interior<D> {
    /// Analyses W's pattern; false if there is not enough memory.
    fn analyse(&mut self) -> bool {
        self.system = BlockSystem::new(&self.scaled.problem.delassus);
        self.system.is_some()
    }

    /// Whether another step can end in time.
    fn has_time(&self, limits: &Limits) -> bool {
        let price = self.system.as_ref().map(BlockSystem::price);
        price.is_none_or(|price| limits.has_time_for_factors(price))
    }

    /// Takes an analysis of W's pattern over.
    pub(crate) fn use_analysis(&mut self, system: BlockSystem<D>) {
        self.system = Some(system);
    }

    /// Begins the next path. The first sets out in the middle of the cones, as far from their edges as the best
    /// impulses so far are large; where a path has ended, the next one sets out nearer to the best
    /// impulses, and again from the middle.
    pub(crate) fn start(&mut self, given: &Assembled<D>, best: &[Local<D>], limits: &Limits) {
        let (round, near) = (self.paths / 2, self.paths % 2 == 1);
        self.paths += 1;
        self.scaled.scale(best, &mut self.impulses);
        let pushes = mean_size(&self.impulses);
        let drives = mean_size(&self.scaled.problem.free);
        let size = pushes.max(drives);
        if near {
            let gap = math::powi(NEAR, round as i32 + 1) * size * size;
            self.start_near(|_, _| gap);
        } else {
            self.start_far(math::powi(FAR, round as i32 + 1) * size, drives);
        }
        let problem = &self.scaled.problem;
        self.velocities.clone_from(&problem.free);
        problem.velocities(&self.impulses, &mut self.velocities);
        self.tiny = 0;
        self.scaled.judge(given, &self.impulses, &self.velocities, limits);
    }

    /// In the middle of the cones, with z and w of these sizes.
    fn start_far(&mut self, impulse: f64, velocity: f64) {
        self.impulses.fill([0.0; D]);
        for part in &self.parts {
            let normal = &mut self.impulses[part.contact][0];
            *normal = normal.max(impulse / part.weight);
        }
        self.pairs.clear();
        for part in &self.parts {
            let z = part.gather(&self.impulses[part.contact]);
            self.pairs.push((z, UNIT.map(|x| velocity * x)));
        }
    }

    /// Near the present impulses, with z ∘ w = γ, which may depend on z and z − w.
    fn start_near(&mut self, gap: impl Fn(&Point, &Point) -> f64) {
        let problem = &self.scaled.problem;
        self.velocities.clone_from(&problem.free);
        problem.velocities(&self.impulses, &mut self.velocities);
        let mut near: Vec<Local<D>> = vec![[0.0; D]; self.impulses.len()];
        self.pairs.clear();
        for part in &self.parts {
            let u = &self.velocities[part.contact];
            let cone = &problem.cones[part.contact];
            let weights: f64 =
                SecondOrderCone::of_cone::<D>(part.contact, cone).map(|part| part.weight).sum();
            let mut w = part.gather(u);
            w[0] = u[0] / weights + math::hypot(w[1], w[2]);
            let z = part.gather(&self.impulses[part.contact]);
            let apart = add_scaled(&z, -1.0, &w);
            let (z, w) = centred(&apart, gap(&z, &apart));
            let r = &mut near[part.contact];
            r[0] = r[0].max(z[0] / part.weight);
            part.places::<D>().skip(1).for_each(|(k, i)| r[i] = z[k]);
            self.pairs.push((z, w));
        }
        for (pair, part) in self.pairs.iter_mut().zip(&self.parts) {
            pair.0 = part.gather(&near[part.contact]);
        }
        self.impulses = near;
    }

    /// The least error so far, as a multiple of what is asked, and its impulses.
    pub(crate) fn best(&self) -> (f64, &[Local<D>]) {
        self.scaled.best_seen()
    }

    /// The error of the present point, as a multiple of what is asked.
    pub(crate) fn error(&self) -> f64 {
        self.scaled.last_seen()
    }

    /// Whether there is a path that leads on.
    pub(crate) fn is_on_its_way(&self) -> bool {
        self.paths > 0 && self.tiny < PATIENCE
    }

    /// At most `count` more steps, fewer where the problem is solved before or the path ends; how many were made.
    pub(crate) fn advance(&mut self, given: &Assembled<D>, limits: &Limits, count: usize) -> usize {
        let Some(mut system) = self.system.take() else { return 0 };
        let price = system.price();
        let mut made = 0;
        while made < count && self.is_on_its_way() && limits.has_time_for_factors(price) {
            made += 1;
            let Some(length) = self.step(&mut system) else {
                self.tiny = PATIENCE;
                break;
            };
            self.tiny = if length < TINY { self.tiny + 1 } else { 0 };
            if self.scaled.judge(given, &self.impulses, &self.velocities, limits) {
                break;
            }
        }
        self.system = Some(system);
        made
    }

    /// γ in the mean.
    fn gap(&self) -> f64 {
        self.pairs.iter().map(|(z, w)| dot(z, w)).sum::<f64>() / self.pairs.len() as f64
    }

    /// Makes a step; its length, none where there is none.
    fn step(&mut self, system: &mut BlockSystem<D>) -> Option<f64> {
        self.linearise(system)?;
        let gap = self.gap();
        let mut way = std::mem::take(&mut self.direction);
        let mut other = std::mem::take(&mut self.other);
        self.targets.clear();
        self.targets.extend(self.scalings.iter().map(|s| s.balance.map(|x| -x)));
        self.solve(system, &mut way);
        let length = self.length(&way).min(1.0);
        let after: f64 = self
            .pairs
            .iter()
            .zip(&way.parts)
            .map(|((z, w), (dz, dw))| dot(&add_scaled(z, length, dz), &add_scaled(w, length, dw)))
            .sum();
        let share = math::powi(after / (gap * self.pairs.len() as f64), 3).clamp(1e-6, 1.0);
        self.aim(share * gap, Some(&way));
        self.solve(system, &mut way);
        let mut length = (INSIDE * self.length(&way)).min(1.0);
        for share in CENTRES {
            if length < SHORT {
                self.aim(share * gap, None);
                self.solve(system, &mut other);
                let trial = (INSIDE * self.length(&other)).min(1.0);
                if trial > length {
                    length = trial;
                    std::mem::swap(&mut way, &mut other);
                }
            }
        }
        let sound = length > 0.0 && way.impulses.as_flattened().iter().all(|x| x.is_finite());
        if sound {
            self.go(&way, length);
        }
        (self.direction, self.other) = (way, other);
        sound.then_some(length)
    }

    /// The targets for γ, with the second-order change of a direction taken into account.
    fn aim(&mut self, gap: f64, predicted: Option<&Direction<D>>) {
        for (part, scaling) in self.scalings.iter().enumerate() {
            let mut wanted = UNIT.map(|x| gap * x);
            if let Some(predicted) = predicted {
                let (dz, dw) = &predicted.parts[part];
                wanted = add_scaled(&wanted, -1.0, &product(&scaling.apply(dz), &scaling.undo(dw)));
            }
            let balance = &scaling.balance;
            self.targets[part] = add_scaled(&quotient(&wanted, balance), -1.0, balance);
        }
    }

    /// Scalings, what is left of W r + q = u(w), and the factors.
    fn linearise(&mut self, system: &mut BlockSystem<D>) -> Option<()> {
        self.scalings.clear();
        self.scalings.extend(self.pairs.iter().map(|(z, w)| Scaling::new(z, w)));
        self.rest.clear();
        self.rest.extend(self.velocities.iter().map(|u| u.map(|x| -x)));
        self.diagonals.clear();
        self.diagonals.resize(self.impulses.len(), regular());
        for (part, ((_, w), scaling)) in
            self.parts.iter().zip(self.pairs.iter().zip(&self.scalings))
        {
            part.scatter(&velocity(w), &mut self.rest[part.contact]);
            let square = scaling.square();
            let mut matrix = [[0.0; 3]; 3];
            for j in 0..3 {
                let column = velocity_change(w, &[square[0][j], square[1][j], square[2][j]]);
                (0..3).for_each(|i| matrix[i][j] = column[i]);
            }
            let block = &mut self.diagonals[part.contact];
            part.scatter_matrix(&matrix, block);
            if !part.free {
                for i in part.first..D.min(part.first + 2) {
                    block[i][i] += FIXED;
                    self.rest[part.contact][i] = 0.0;
                }
            }
        }
        let diagonals = &self.diagonals;
        let factored = system.factor(&self.scaled.problem.delassus, |row, column, block| {
            let mut block = *block;
            if row == column {
                for (line, own) in block.iter_mut().zip(&diagonals[row]) {
                    *line = add(line, own);
                }
            }
            block
        });
        factored.then_some(())
    }

    /// The direction that meets the targets.
    fn solve(&mut self, system: &mut BlockSystem<D>, way: &mut Direction<D>) {
        self.right.clone_from(&self.rest);
        for (k, part) in self.parts.iter().enumerate() {
            let change =
                velocity_change(&self.pairs[k].1, &self.scalings[k].apply(&self.targets[k]));
            part.scatter(&change, &mut self.right[part.contact]);
        }
        system.solve(&mut self.right);
        way.impulses.clone_from(&self.right);
        way.parts.clear();
        for (k, part) in self.parts.iter().enumerate() {
            let scaling = &self.scalings[k];
            let dz = part.gather(&self.right[part.contact]);
            let rest = add_scaled(&self.targets[k], -1.0, &scaling.apply(&dz));
            way.parts.push((dz, scaling.apply(&rest)));
        }
    }

    /// How far a direction can be followed.
    fn length(&self, way: &Direction<D>) -> f64 {
        let both = self.pairs.iter().zip(&way.parts);
        both.map(|((z, w), (dz, dw))| reach(z, dz).min(reach(w, dw))).fold(f64::INFINITY, f64::min)
    }

    fn go(&mut self, way: &Direction<D>, length: f64) {
        for (r, change) in self.impulses.iter_mut().zip(&way.impulses) {
            (0..D).for_each(|i| r[i] += length * change[i]);
        }
        for (part, ((z, w), (_, dw))) in
            self.parts.iter().zip(self.pairs.iter_mut().zip(&way.parts))
        {
            if !part.free {
                let r = &mut self.impulses[part.contact];
                (part.first..D.min(part.first + 2)).for_each(|i| r[i] = 0.0);
            }
            *z = part.gather(&self.impulses[part.contact]);
            *w = add_scaled(w, length, dw);
        }
        self.scaled.problem.velocities(&self.impulses, &mut self.velocities);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smooth_law_is_coulombs_at_the_end_of_the_path() {
        // Slip: w on the edge, no normal velocity. Apart: u_n from w and back.
        assert_eq!(velocity(&[5.0, 3.0, -4.0]), [0.0, 3.0, -4.0]);
        assert_eq!(velocity(&[4.0, 2.0, 0.0]), [3.0, 2.0, 0.0]);
    }

    #[test]
    fn the_derivative_is_the_slope() {
        let (w, d, step) = ([2.0, 0.7, -0.9], [0.3, -0.5, 0.8], 1e-6);
        let (front, back) =
            (velocity(&add_scaled(&w, step, &d)), velocity(&add_scaled(&w, -step, &d)));
        let slope = velocity_change(&w, &d);
        for i in 0..3 {
            assert!((slope[i] - (front[i] - back[i]) / (2.0 * step)).abs() < 1e-8);
        }
    }

    /// Impulses without friction have no tangential part, with rolling or without.
    #[test]
    fn parts_without_friction_stay_normal() {
        let cone = Cone { friction: 0.0, rolling: 0.5 };
        let parts: Vec<SecondOrderCone> = SecondOrderCone::of_cone::<5>(0, &cone).collect();
        let r = [2.0, 9.0, 9.0, 0.5, -0.25];
        assert_eq!(parts[0].gather(&r), [2.0, 0.0, 0.0]);
        assert_eq!(parts[1].gather(&r), [1.0, 0.5, -0.25]);
        let mut sum = [0.0; 5];
        parts.iter().for_each(|part| part.scatter(&[1.0, 2.0, 3.0], &mut sum));
        assert_eq!(sum, [1.5, 0.0, 0.0, 2.0, 3.0]);
    }
}
