//! What is kept of the proxies while a list of pairs lasts. A disk or ball is kept as such: there may be very
//! many of them, and a box takes more room.

use super::Proxy;
use crate::{Bounds, Extent, Geometry};
use drystone_space::{Vector, clear_for};

/// What decides whether a proxy may be paired.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Role {
    pub group: u32,
    pub movable: bool,
    pub active: bool,
}

/// Whether two active proxies may be paired at all.
#[inline(always)]
pub(super) fn may_meet(one: Role, other: Role) -> bool {
    (one.group != other.group) & (one.movable | other.movable)
}

/// One proxy that is kept.
#[derive(Clone, Copy, Debug)]
pub(super) enum Entry<S: Geometry> {
    Ball {
        centre: S::Vector,
        radius: f64,
        role: Role,
    },
    /// Any other extent, by its place in the list of these.
    Other {
        index: u32,
        role: Role,
    },
}

impl<S: Geometry> Entry<S> {
    #[inline(always)]
    pub fn role(&self) -> Role {
        match self {
            Self::Ball { role, .. } | Self::Other { role, .. } => *role,
        }
    }
}

/// The proxies of the last rebuild with their extents, which can be grown.
#[derive(Debug)]
pub(super) struct Kept<S: Geometry> {
    entries: Vec<Entry<S>>,
    others: Vec<Extent<S>>,
}

impl<S: Geometry> Default for Kept<S> {
    fn default() -> Self {
        Self { entries: Vec::new(), others: Vec::new() }
    }
}

impl<S: Geometry> Kept<S> {
    /// Keeps these in place of those before.
    pub fn renew(&mut self, proxies: impl ExactSizeIterator<Item = Proxy<S>>) {
        clear_for(&mut self.entries, proxies.len());
        self.others.clear();
        self.entries.extend(proxies.map(|proxy| {
            let role = proxy.role();
            match proxy.extent {
                Extent::Box(bounds) if proxy.round => {
                    let (centre, radius) = ball(&bounds);
                    Entry::Ball { centre, radius, role }
                }
                extent => {
                    self.others.push(extent);
                    Entry::Other { index: self.others.len() as u32 - 1, role }
                }
            }
        }));
    }

    /// Grows all extents.
    pub fn grow(&mut self, reach: f64) {
        for entry in &mut self.entries {
            if let Entry::Ball { radius, .. } = entry {
                *radius += reach;
            }
        }
        for extent in &mut self.others {
            match extent {
                Extent::Box(bounds) => *bounds = bounds.grown(reach),
                Extent::Half { offset, .. } => *offset += reach,
            }
        }
    }

    pub fn clear(&mut self) {
        self.entries.clear();
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    #[inline(always)]
    pub fn get(&self, index: usize) -> Option<&Entry<S>> {
        self.entries.get(index)
    }

    #[inline(always)]
    pub fn entry(&self, index: u32) -> &Entry<S> {
        &self.entries[index as usize]
    }

    /// The extent of an entry: the box around a ball.
    #[inline(always)]
    pub fn extent(&self, entry: &Entry<S>) -> Extent<S> {
        match *entry {
            Entry::Ball { centre, radius, .. } => Extent::Box(Bounds::around(centre, radius)),
            Entry::Other { index, .. } => self.others[index as usize],
        }
    }

    /// The box of an entry that has one.
    #[inline(always)]
    pub fn bounds(&self, index: u32) -> Bounds<S> {
        self.box_of(self.entry(index))
    }

    #[inline(always)]
    fn box_of(&self, entry: &Entry<S>) -> Bounds<S> {
        match self.extent(entry) {
            Extent::Box(bounds) => bounds,
            Extent::Half { .. } => unreachable!("only boxes are asked for"),
        }
    }

    /// Whether two boxes overlap. Balls are compared as balls, and also where rounding may hide that they overlap.
    #[inline(always)]
    pub fn overlap(&self, one: &Entry<S>, other: &Entry<S>) -> bool {
        use Entry::Ball;
        if let (Ball { centre, radius, .. }, Ball { centre: to, radius: other, .. }) = (one, other)
        {
            let reach = radius + other;
            return (*centre - *to).norm_squared() <= (1.0 + 1e-12) * reach * reach;
        }
        let (one, other) = (self.box_of(one), self.box_of(other));
        (0..S::DIMENSION).fold(true, |so_far, i| {
            so_far & (one.low.get(i) <= other.high.get(i)) & (other.low.get(i) <= one.high.get(i))
        })
    }

    /// The active boxes with their indices and roles.
    pub fn boxes(&self) -> impl Iterator<Item = (u32, Bounds<S>, Role)> {
        self.active().filter_map(|(i, entry)| match self.extent(entry) {
            Extent::Box(bounds) => Some((i, bounds, entry.role())),
            Extent::Half { .. } => None,
        })
    }

    /// The active half-planes or half-spaces, as normals and offsets, with their indices and roles.
    pub fn halves(&self) -> impl Iterator<Item = (u32, (S::Vector, f64), Role)> {
        self.active().filter_map(|(i, entry)| match *entry {
            Entry::Other { index, role } => match self.others[index as usize] {
                Extent::Half { normal, offset } => Some((i, (normal, offset), role)),
                Extent::Box(_) => None,
            },
            Entry::Ball { .. } => None,
        })
    }

    fn active(&self) -> impl Iterator<Item = (u32, &Entry<S>)> {
        (0..).zip(&self.entries).filter(|(_, entry)| entry.role().active)
    }
}

/// Centre and radius of the ball inside a box.
#[inline(always)]
pub(super) fn ball<S: Geometry>(bounds: &Bounds<S>) -> (S::Vector, f64) {
    (bounds.centre(), 0.5 * bounds.size().get(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_space::{DVec3, Volume};

    #[test]
    fn a_ball_takes_five_numbers() {
        assert_eq!(size_of::<Entry<Volume>>(), 40);
    }

    #[test]
    fn what_is_kept_comes_out_grown() {
        let proxy = |extent, round| Proxy { extent, round, group: 3, movable: true, active: true };
        let bounds = Bounds::<Volume>::around(DVec3::new(1.0, 2.0, 3.0), 0.5);
        let half = Extent::Half { normal: DVec3::Z, offset: 1.0 };
        let mut kept = Kept::default();
        let of = [(Extent::Box(bounds), true), (half, false), (Extent::Box(bounds), false)];
        kept.renew(of.map(|(extent, round)| proxy(extent, round)).into_iter());
        kept.grow(0.25);
        let role = Role { group: 3, movable: true, active: true };
        let boxes: Vec<_> = kept.boxes().collect();
        assert_eq!(boxes, [0, 2].map(|index| (index, bounds.grown(0.25), role)));
        assert_eq!(kept.halves().collect::<Vec<_>>(), [(1, (DVec3::Z, 1.25), role)]);
    }
}
