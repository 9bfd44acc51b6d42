//! Candidate pairs in a periodic cell, each with its nearest image.
//!
//! Shapes are known by the balls around them, a half-plane or half-space by its surface. Balls are sorted into a grid of the
//! cell's own fractions, so that it leans with the cell and closes upon itself. Two that are nearer than margin and *skin* are a
//! pair. The list lasts while no other pair can have come within the margin: with F what the cell was deformed by since then, and δ
//! the farthest that any ball has come beside that, a pair that was not listed is at least
//!
//! > (1 − ‖F − 1‖) (r + r' + margin + skin) − 2δ
//!
//! apart. In a cell that is wider than twice the reach of two bodies, a pair has one image that can touch.

use drystone_space::{Lattice, Matrix, Space, Vector, clear_for, math};

/// The skin, as a part of the mean radius.
const SKIN: f64 = 0.2;

/// A shape as the search sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PeriodicProxy<S: Space> {
    /// Inside a ball.
    Ball {
        /// Its centre.
        centre: S::Vector,
        /// Its radius.
        radius: f64,
        /// Balls of one group (the shapes of one body) are never paired.
        group: u32,
        /// Two that cannot move are never paired.
        movable: bool,
    },
    /// All points x with `normal · x ≤ offset`, which cannot move by itself.
    Half {
        /// Unit normal that points out of the solid.
        normal: S::Vector,
        /// Position of the surface along the normal.
        offset: f64,
    },
    /// What is not there.
    Absent,
}

/// Keeps candidate pairs while they are all that can touch.
#[derive(Debug)]
pub struct PeriodicPairs<S: Space> {
    kept: Vec<PeriodicProxy<S>>,
    /// The cell's vectors at the last rebuild.
    vectors: Matrix<S>,
    skin: f64,
    reach: f64,
    pairs: Vec<(u32, u32)>,
    /// The bin of each ball, where each bin begins, and the balls bin by bin.
    bins: Vec<u32>,
    starts: Vec<u32>,
    members: Vec<u32>,
    most: usize,
}

impl<S: Space> Default for PeriodicPairs<S> {
    fn default() -> Self {
        Self {
            kept: Vec::new(),
            vectors: Matrix::ZERO,
            skin: 0.0,
            reach: 0.0,
            pairs: Vec::new(),
            bins: Vec::new(),
            starts: Vec::new(),
            members: Vec::new(),
            most: usize::MAX,
        }
    }
}

/// The grid: where it begins in each direction, how many bins it has, and how many of them make one fraction.
#[derive(Clone, Copy, Debug)]
struct Bins {
    low: [f64; 3],
    count: [usize; 3],
    scale: [f64; 3],
}

impl<S: Space> PeriodicPairs<S> {
    /// One that gives up where there are more pairs than these.
    pub fn with_most(most: usize) -> Self {
        Self { most, ..Self::default() }
    }
    /// Whether there are more pairs than allowed. Those that were found are not all then.
    pub fn is_overfull(&self) -> bool {
        self.pairs.len() > self.most
    }
    /// Candidate pairs (a, b) with a < b, sorted, each once.
    pub fn pairs(&self) -> &[(u32, u32)] {
        &self.pairs
    }
    /// Forgets the candidates: the next update finds them anew. To be called where the cell goes over to other vectors of the
    /// same lattice.
    pub fn forget(&mut self) {
        self.kept.clear();
    }

    /// Brings the candidates up to date; afterwards they hold every pair within the margin. True where they were found anew.
    pub fn update(
        &mut self,
        proxies: &[PeriodicProxy<S>],
        lattice: &Lattice<S>,
        margin: f64,
    ) -> bool {
        if self.lasts(proxies, lattice, margin) {
            return false;
        }
        clear_for(&mut self.kept, proxies.len());
        self.kept.extend_from_slice(proxies);
        self.vectors = *lattice.vectors();
        let (mut most, mut sum, mut count) = (0.0f64, 0.0, 0.0f64);
        for proxy in proxies {
            if let PeriodicProxy::Ball { radius, .. } = proxy {
                (most, sum, count) = (most.max(*radius), sum + radius, count + 1.0);
            }
        }
        self.skin = SKIN * sum / count.max(1.0);
        self.reach = 2.0 * most + margin;
        self.pairs.clear();
        self.pair_balls(lattice, margin + self.skin);
        self.pair_halves(margin + self.skin);
        self.pairs.sort_unstable();
        true
    }

    /// Whether the list still holds all pairs within the margin.
    fn lasts(&self, proxies: &[PeriodicProxy<S>], lattice: &Lattice<S>, margin: f64) -> bool {
        let Some(inverse) = self.vectors.inverse() else { return false };
        if self.kept.len() != proxies.len() {
            return false;
        }
        let deformed = lattice.vectors().times(&inverse);
        let change = deformed.minus(&Matrix::identity());
        let shrunk = change.contract(&change).sqrt() * (self.reach + self.skin);
        // The margin may have grown with rounding.
        let grown = (margin - (self.reach - 2.0 * self.largest())).max(0.0);
        let room = 0.5 * (self.skin - shrunk - grown);
        let moved = |(now, kept): (&PeriodicProxy<S>, &PeriodicProxy<S>)| match (now, kept) {
            (
                PeriodicProxy::Ball { centre, radius, group, movable },
                PeriodicProxy::Ball { centre: was, radius: had, group: of, movable: could },
            ) if group == of && movable == could => {
                let way = lattice.nearest(*centre - deformed.apply(*was)).norm();
                way + (radius - had).max(0.0)
            }
            (
                PeriodicProxy::Half { normal, offset },
                PeriodicProxy::Half { normal: was, offset: had },
            ) if normal == was => (offset - had).max(0.0),
            (PeriodicProxy::Absent, PeriodicProxy::Absent) => 0.0,
            _ => f64::INFINITY,
        };
        // What is no number is no way either.
        proxies.iter().zip(&self.kept).all(|both| moved(both) <= room)
    }

    fn largest(&self) -> f64 {
        let radius = |proxy: &PeriodicProxy<S>| match proxy {
            PeriodicProxy::Ball { radius, .. } => *radius,
            _ => 0.0,
        };
        self.kept.iter().map(radius).fold(0.0, f64::max)
    }

    /// Sorts balls into bins, each as wide as the farthest that two can touch.
    fn sort(&mut self, lattice: &Lattice<S>) -> Bins {
        let reach = self.reach + self.skin;
        let fractions = self.kept.iter().filter_map(|proxy| match proxy {
            PeriodicProxy::Ball { centre, .. } => Some(lattice.fractions(lattice.wrap(*centre))),
            _ => None,
        });
        let (mut low, mut high) = ([0.0f64; 3], [1.0f64; 3]);
        for i in (0..S::DIMENSION).filter(|&i| !lattice.is_periodic(i)) {
            low[i] = fractions.clone().map(|s| s.get(i)).fold(f64::INFINITY, f64::min);
            high[i] = fractions.clone().map(|s| s.get(i)).fold(low[i], f64::max);
        }
        let mut bins = Bins { low, count: [1; 3], scale: [0.0; 3] };
        let share = 1.0 / S::DIMENSION as f64;
        let most = math::powf(4.0 * self.kept.len() as f64, share).max(3.0);
        for i in 0..S::DIMENSION {
            let length = high[i] - low[i];
            let count = (length * lattice.width(i) / reach).min(most).floor();
            bins.count[i] = if count >= 1.0 { count as usize } else { 1 };
            bins.scale[i] = if length > 0.0 { bins.count[i] as f64 / length } else { 0.0 };
        }
        let total = bins.count.iter().product::<usize>();
        self.bins.clear();
        self.starts.clear();
        self.starts.resize(total + 1, 0);
        for proxy in &self.kept {
            let bin = match proxy {
                PeriodicProxy::Ball { centre, .. } => {
                    let at = bins.of::<S>(lattice.fractions(lattice.wrap(*centre)));
                    bins.number(at) as u32
                }
                _ => u32::MAX,
            };
            self.bins.push(bin);
            if bin != u32::MAX {
                self.starts[bin as usize + 1] += 1;
            }
        }
        (1..=total).for_each(|bin| self.starts[bin] += self.starts[bin - 1]);
        self.members.clear();
        self.members.resize(self.starts[total] as usize, 0);
        // Filled from the end of each bin, so that `starts` holds the beginnings afterwards.
        let mut ends = std::mem::take(&mut self.starts);
        ends.remove(0);
        for (index, &bin) in self.bins.iter().enumerate().rev() {
            if bin != u32::MAX {
                ends[bin as usize] -= 1;
                self.members[ends[bin as usize] as usize] = index as u32;
            }
        }
        ends.push(self.members.len() as u32);
        self.starts = ends;
        bins
    }

    fn pair_balls(&mut self, lattice: &Lattice<S>, gap: f64) {
        let bins = self.sort(lattice);
        for (index, proxy) in self.kept.iter().enumerate() {
            let &PeriodicProxy::Ball { centre, radius, group, movable } = proxy else { continue };
            let at = bins.of::<S>(lattice.fractions(lattice.wrap(centre)));
            bins.around(
                at,
                |i| lattice.is_periodic(i),
                |bin| {
                    let members = self.starts[bin] as usize..self.starts[bin + 1] as usize;
                    for &other in &self.members[members] {
                        if other as usize <= index {
                            continue;
                        }
                        let PeriodicProxy::Ball { centre: its, radius: r, group: g, movable: m } =
                            self.kept[other as usize]
                        else {
                            continue;
                        };
                        let reach = radius + r + gap;
                        let apart = || lattice.nearest(centre - its).norm_squared();
                        if group != g && (movable || m) && apart() <= reach * reach {
                            self.pairs.push((index as u32, other));
                        }
                    }
                },
            );
            if self.pairs.len() > self.most {
                return;
            }
        }
    }

    fn pair_halves(&mut self, gap: f64) {
        for (half, proxy) in self.kept.iter().enumerate() {
            let &PeriodicProxy::Half { normal, offset } = proxy else { continue };
            for (index, other) in self.kept.iter().enumerate() {
                let &PeriodicProxy::Ball { centre, radius, movable: true, .. } = other else {
                    continue;
                };
                if normal.dot(centre) - offset <= radius + gap {
                    self.pairs.push((half.min(index) as u32, half.max(index) as u32));
                }
            }
        }
    }
}

impl Bins {
    fn of<S: Space>(&self, fractions: S::Vector) -> [usize; 3] {
        std::array::from_fn(|i| match i < S::DIMENSION {
            // A fraction may be rounded up to one.
            true => {
                let place = (fractions.get(i) - self.low[i]) * self.scale[i];
                (place.max(0.0) as usize).min(self.count[i] - 1)
            }
            false => 0,
        })
    }
    fn number(&self, [x, y, z]: [usize; 3]) -> usize {
        x + self.count[0] * (y + self.count[1] * z)
    }
    /// Calls for the bins around one, each once.
    fn around(
        &self,
        at: [usize; 3],
        periodic: impl Fn(usize) -> bool,
        mut call: impl FnMut(usize),
    ) {
        let near = |i: usize| {
            let (here, count) = (at[i], self.count[i]);
            let wraps = count > 1 && periodic(i);
            let before = match here {
                0 if wraps => Some(count - 1),
                0 => None,
                _ => Some(here - 1),
            };
            let after = match here + 1 {
                end if end < count => Some(end),
                _ => wraps.then_some(0),
            };
            [before, Some(here), after.filter(|&after| Some(after) != before)]
        };
        let all: [_; 3] = std::array::from_fn(near);
        for z in all[2].into_iter().flatten() {
            for y in all[1].into_iter().flatten() {
                for x in all[0].into_iter().flatten() {
                    call(self.number([x, y, z]));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_space::{Plane, Random, Volume};

    fn scatter<S: Space>(
        lattice: &Lattice<S>,
        count: usize,
        size: f64,
        random: &mut Random,
    ) -> Vec<PeriodicProxy<S>> {
        let ball = |index: usize| PeriodicProxy::Ball {
            // Also outside of the cell: images are the same bodies.
            centre: lattice.place(S::Vector::from_fn(|_| random.between(-0.6, 1.7))),
            radius: size * (0.5 + 0.5 * (index % 3) as f64 / 2.0),
            group: (index / 2) as u32,
            movable: true,
        };
        (0..count).map(ball).collect()
    }

    /// All pairs within the margin, by looking at all 3ᵈ images of each.
    fn all<S: Space>(
        balls: &[PeriodicProxy<S>],
        lattice: &Lattice<S>,
        margin: f64,
    ) -> Vec<(u32, u32)> {
        let ball = |proxy: &PeriodicProxy<S>| match *proxy {
            PeriodicProxy::Ball { centre, radius, group, .. } => {
                (lattice.wrap(centre), radius, group)
            }
            _ => unreachable!(),
        };
        let mut found = Vec::new();
        for (i, one) in balls.iter().enumerate() {
            for (j, other) in balls.iter().enumerate().skip(i + 1) {
                let ((a, r, g), (b, s, h)) = (ball(one), ball(other));
                let near = (0..27).any(|k| {
                    let n = S::Vector::from_fn(|axis| match lattice.is_periodic(axis) {
                        true => (k / [1, 3, 9][axis] % 3) as f64 - 1.0,
                        false => 0.0,
                    });
                    (a - b + lattice.place(n)).norm() <= r + s + margin
                });
                if near && g != h {
                    found.push((i as u32, j as u32));
                }
            }
        }
        found
    }

    fn check<S: Space>(vectors: Matrix<S>, periodic: [bool; 3], size: f64) {
        let mut random = Random::new(3, 0);
        let mut lattice = Lattice::new(vectors, periodic).unwrap();
        assert!(lattice.least_width() > 4.0 * size);
        let mut balls = scatter(&lattice, 120, size, &mut random);
        let mut pairs = PeriodicPairs::default();
        let (mut lasted, mut margin) = (0, 0.1 * size);
        for step in 0..60 {
            let found = pairs.update(&balls, &lattice, margin);
            lasted += usize::from(!found);
            for pair in all(&balls, &lattice, margin) {
                assert!(pairs.pairs().binary_search(&pair).is_ok(), "{pair:?} in step {step}");
            }
            // The cell is deformed, balls go with it and a little beside, and some come out on the other side.
            let rate = Matrix::<S>::from_fn(|i, j| 1e-3 * (i as f64 - 0.7 * j as f64));
            let keeps = |j: usize| f64::from(u8::from(lattice.is_periodic(j)));
            let map = Matrix::from_fn(|i, j| rate.get(i, j) * keeps(j)).cayley();
            lattice = Lattice::new(map.times(lattice.vectors()), periodic).unwrap();
            for proxy in &mut balls {
                let PeriodicProxy::Ball { centre, .. } = proxy else { continue };
                let beside = S::Vector::from_fn(|_| random.between(-0.01, 0.01) * size);
                *centre = map.apply(*centre) + beside;
                if step % 7 == 3 {
                    *centre = lattice.wrap(*centre);
                }
            }
            margin *= 1.0 + 1e-13;
        }
        assert!((10..60).contains(&lasted), "{lasted}");
    }

    #[test]
    fn no_pair_is_missed() {
        let plane = Matrix::from_fn(|i, j| [[1.0, 0.4], [0.0, 0.8]][i][j]);
        check::<Plane>(plane, [true; 3], 0.05);
        check::<Plane>(plane, [true, false, false], 0.03);
        check::<Plane>(plane, [true; 3], 0.18);
        let space = [[1.0, 0.4, 0.1], [0.0, 0.8, -0.3], [0.0, 0.0, 0.9]];
        check::<Volume>(Matrix::from_fn(|i, j| space[i][j]), [true; 3], 0.08);
        check::<Volume>(Matrix::from_fn(|i, j| space[i][j]), [true, true, false], 0.08);
    }

    #[test]
    fn halves_meet_what_is_near() {
        let lattice = Lattice::<Plane>::new(Matrix::identity(), [true, false, false]).unwrap();
        let ball = |y: f64, group: u32| PeriodicProxy::Ball {
            centre: drystone_space::DVec2::new(0.3, y),
            radius: 0.1,
            group,
            movable: true,
        };
        let half = |offset: f64| PeriodicProxy::Half { normal: drystone_space::DVec2::Y, offset };
        let mut pairs = PeriodicPairs::default();
        assert!(pairs.update(&[half(0.0), ball(0.1, 0), ball(0.9, 1)], &lattice, 0.0));
        assert_eq!(pairs.pairs(), [(0, 1)]);
        assert!(!pairs.update(&[half(0.004), ball(0.1, 0), ball(0.9, 1)], &lattice, 0.0));
        assert!(pairs.update(&[half(0.8), ball(0.1, 0), ball(0.9, 1)], &lattice, 0.0));
        assert_eq!(pairs.pairs(), [(0, 1), (0, 2)]);
    }
}
