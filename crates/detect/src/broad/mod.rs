//! Candidate pairs among many boxes.
//!
//! Every extent is kept as it was at the last rebuild, grown by half the margin and half of a
//! *skin*. Two extents within the margin of each other touch when each is grown by half of it, so
//! the pairs found then hold every such pair for as long as each extent, grown by half the present
//! margin, stays inside the one kept. That takes one comparison per proxy and step. Balls are kept as
//! balls: they have far fewer neighbours than the boxes around them.
//!
//! Boxes are paired by a [`Grid`] with a level for each size, in time linear in their number for
//! any ratio of sizes; a half-plane or half-space is compared with every box.

mod grid;
mod kept;
mod order;

use crate::{Bounds, Extent, Geometry};
use drystone_space::Vector;
use grid::Grid;
use kept::{Entry, Kept, Role, ball, may_meet};
use order::Order;

/// One placed shape as the broad phase sees it.
#[derive(Clone, Copy, Debug)]
pub struct Proxy<S: Geometry> {
    /// Where it is now.
    pub extent: Extent<S>,
    /// Whether the shape is the disk or ball inside its box: no nearer to others than that.
    pub round: bool,
    /// Proxies of one group (the parts of one body) are never paired.
    pub group: u32,
    /// Two proxies that cannot move (both of boundaries) are never paired.
    pub movable: bool,
    /// A proxy that is not active is never paired (a removed boundary).
    pub active: bool,
}

impl<S: Geometry> Proxy<S> {
    #[inline(always)]
    fn role(&self) -> Role {
        Role { group: self.group, movable: self.movable, active: self.active }
    }
}

/// Keeps candidate pairs while nobody has moved more than the skin allows.
///
/// ```
/// use drystone_detect::{Bounds, BroadPhase, Extent, Proxy};
/// use drystone_space::{DVec2, Plane};
/// let disk = |x: f64, group: u32| Proxy::<Plane> {
///     extent: Extent::Box(Bounds::around(DVec2::new(x, 0.0), 1.0)),
///     round: true,
///     group,
///     movable: true,
///     active: true,
/// };
/// let mut broad = BroadPhase::default();
/// assert!(broad.update(&[disk(0.0, 0), disk(1.9, 1), disk(9.0, 2)], 0.0));
/// assert_eq!(broad.pairs(), [(0, 1)]);
/// // A motion within the skin changes nothing.
/// assert!(!broad.update(&[disk(0.01, 0), disk(1.9, 1), disk(9.0, 2)], 0.0));
/// ```
#[derive(Debug, Default)]
pub struct BroadPhase<S: Geometry> {
    /// The proxies of the last rebuild with their grown extents.
    kept: Kept<S>,
    /// The box around all grown boxes.
    hull: Option<Bounds<S>>,
    pairs: Vec<(u32, u32)>,
    skin: Skin,
    comparisons: usize,
    grid: Grid,
    order: Order,
}

impl<S: Geometry> BroadPhase<S> {
    /// One that gives up where there are more pairs than these: see [`is_overfull`](Self::is_overfull).
    pub fn with_most(most: usize) -> Self {
        let mut broad = Self::default();
        broad.grid.most = most;
        broad
    }

    /// Whether there are more pairs than allowed. Those that were found are not all then.
    pub fn is_overfull(&self) -> bool {
        self.pairs.len() > self.grid.most
    }

    /// Brings the candidates up to date with the proxies and returns whether they were rebuilt.
    ///
    /// Afterwards [`pairs`](Self::pairs) holds every pair whose extents, as they are now, are
    /// within `margin` of each other (and some more).
    pub fn update(&mut self, proxies: &[Proxy<S>], margin: f64) -> bool {
        let rooms = proxies.iter().enumerate().map(|(index, now)| self.room(index, now));
        let room = rooms.fold(f64::INFINITY, f64::min);
        self.renew(proxies.iter().copied(), room, margin, 1)
    }

    /// The same for proxies that are not stored, with the least [`room`](Self::room) of them all, by so many threads of
    /// the pool that the call is made in. The pairs do not depend on their number.
    pub fn renew(
        &mut self,
        proxies: impl ExactSizeIterator<Item = Proxy<S>>,
        room: f64,
        margin: f64,
        threads: usize,
    ) -> bool {
        self.skin.updates += 1;
        if self.kept.len() == proxies.len() && 0.5 * margin <= room {
            return false;
        }
        self.kept.renew(proxies);
        let skin = self.skin.choose(&self.kept);
        self.kept.grow(0.5 * (margin + skin));
        self.hull = self.kept.boxes().map(|(_, bounds, _)| bounds).reduce(|a, b| a.union(&b));
        self.grid.build(&self.kept, threads);
        self.pairs.clear();
        self.comparisons = self.grid.find(&self.kept, &mut self.pairs, threads)
            + find_halves(&self.kept, &mut self.pairs);
        self.grid.clear();
        self.order.sort(self.kept.len(), &mut self.pairs, threads);
        true
    }

    /// Forgets the candidates: the next update finds them anew.
    pub fn forget(&mut self) {
        self.kept.clear();
    }

    /// Candidate pairs (a, b) with a < b, sorted, each once.
    pub fn pairs(&self) -> &[(u32, u32)] {
        &self.pairs
    }

    /// How many pairs of extents the last rebuild compared: the measure of its cost.
    pub fn comparisons(&self) -> usize {
        self.comparisons
    }

    /// Half the margin up to which the candidates still hold all near pairs of this proxy, wherever the others are
    /// within theirs: how far its extent can grow inside the one kept. Not even zero where it is another proxy than
    /// the one kept under this index.
    #[inline(always)]
    pub fn room(&self, index: usize, now: &Proxy<S>) -> f64 {
        let Some(kept) = self.kept.get(index) else { return f64::NEG_INFINITY };
        if now.role() != kept.role() || now.round != matches!(kept, Entry::Ball { .. }) {
            return f64::NEG_INFINITY;
        }
        if !now.active {
            return f64::INFINITY;
        }
        if let (Extent::Box(bounds), Entry::Ball { centre, radius, .. }) = (&now.extent, kept) {
            let (now_centre, now_radius) = ball(bounds);
            return radius - now_radius - (now_centre - *centre).norm();
        }
        match (&now.extent, &self.kept.extent(kept)) {
            (Extent::Box(now), Extent::Box(kept)) => {
                let inside = (now.low - kept.low).lowest(kept.high - now.high);
                (0..S::DIMENSION).fold(f64::INFINITY, |room, i| room.min(inside.get(i)))
            }
            (
                Extent::Half { normal, offset },
                Extent::Half { normal: kept_normal, offset: kept_offset },
            ) => {
                // The farthest that a turn of the surface brings any of the boxes closer.
                let turn = *kept_normal - *normal;
                let closer = self.hull.map_or(0.0, |hull| -lowest(&hull, -turn));
                kept_offset - offset - closer
            }
            _ => f64::NEG_INFINITY,
        }
    }
}

/// The lowest value of `direction · x` in a box.
#[inline]
fn lowest<S: Geometry>(bounds: &Bounds<S>, direction: S::Vector) -> f64 {
    let (low, high) = (bounds.low.scale(direction), bounds.high.scale(direction));
    low.lowest(high).dot(S::Vector::splat(1.0))
}

/// Adds the pairs of half-planes or half-spaces with boxes, and returns how many were compared.
fn find_halves<S: Geometry>(kept: &Kept<S>, found: &mut Vec<(u32, u32)>) -> usize {
    let mut comparisons = 0;
    for (i, (normal, offset), half) in kept.halves() {
        for (j, bounds, role) in kept.boxes() {
            comparisons += 1;
            if may_meet(half, role) && lowest(&bounds, normal) <= offset {
                found.push((i.min(j), i.max(j)));
            }
        }
    }
    comparisons
}

/// Chooses the skin: a part of the median size of some thousand boxes, larger if the last list had to be made again
/// soon, smaller if it lasted long, so that neither rebuilds nor false pairs take over.
#[derive(Debug)]
struct Skin {
    part: f64,
    /// Updates since the last rebuild.
    updates: u32,
    sizes: Vec<f64>,
}

impl Default for Skin {
    fn default() -> Self {
        Self { part: 1.0 / 16.0, updates: Self::LIFE.0, sizes: Vec::new() }
    }
}

impl Skin {
    const PARTS: (f64, f64) = (1.0 / 64.0, 1.0 / 4.0);
    /// A list that lasts fewer updates than the first is short-lived, more than the second long.
    const LIFE: (u32, u32) = (8, 128);
    /// Sizes that tell the median.
    const SAMPLE: usize = 4096;

    fn choose<S: Geometry>(&mut self, kept: &Kept<S>) -> f64 {
        if self.updates < Self::LIFE.0 {
            self.part = (2.0 * self.part).min(Self::PARTS.1);
        } else if self.updates > Self::LIFE.1 {
            self.part = (0.5 * self.part).max(Self::PARTS.0);
        }
        self.updates = 0;
        self.sizes.clear();
        let sample = kept.boxes().step_by(kept.len().div_ceil(Self::SAMPLE).max(1));
        self.sizes.extend(sample.map(|(_, bounds, _)| largest_edge(&bounds)));
        if self.sizes.is_empty() {
            return 0.0;
        }
        let middle = self.sizes.len() / 2;
        self.part * *self.sizes.select_nth_unstable_by(middle, f64::total_cmp).1
    }
}

/// The longest edge of a box.
#[inline]
fn largest_edge<S: Geometry>(bounds: &Bounds<S>) -> f64 {
    let size = bounds.size();
    (0..S::DIMENSION).map(|i| size.get(i)).fold(0.0, f64::max)
}
