//! Bodies that overlap each other or a boundary at the start.

use super::dimension::SceneSpace;
use super::{Builder, label};
use crate::report::{Draft, Span, short};
use drystone_detect::{BroadPhase, Geometry, Manifold, Proxy};
use drystone_engine::{Owner, Part};
use drystone_space::{Limit, Pose};
use std::collections::BTreeMap;

/// Overlaps up to this part of the narrower body's width are taken for rounding.
pub(crate) const TOLERANCE: f64 = 1e-5;
/// Bytes that a pair takes while it is tested and told.
const PAIR_BYTES: usize = 256;
/// Overlaps beyond these many are counted and not listed.
const LISTED: usize = 10;

pub(super) struct Placed<'a, S: SceneSpace> {
    pub shape: &'a S::Shape,
    pub pose: Pose<S>,
    pub owner: Owner,
}

impl<S: SceneSpace> Builder<'_, S> {
    /// Reports all pairs that overlap at the start.
    pub fn check_overlaps(&mut self) {
        let Some(mut found) = self.overlaps() else { return };
        found.sort_by_key(|(pair, _)| *pair);
        for &((first, second), depth) in found.iter().take(LISTED) {
            // Two things are named in the order of the file: the later one is in the way.
            let (a, a_span) = self.owner_label(first);
            let (b, b_span) = self.owner_label(second);
            let span = if a_span.start > b_span.start { a_span } else { b_span };
            let draft = Draft::error(span, format!("{a} and {b} overlap at the start"))
                .found(format!("an overlap of {} m", short(depth)))
                .expected(format!("bodies apart or touching, within {TOLERANCE:e} of their width"))
                .help("move one of them away, or accept all overlaps: `overlap = \"accept\"`");
            self.problems.push(draft);
        }
        if found.len() > LISTED {
            let (first, _) = found[LISTED].0;
            let message = format!("{} more pairs overlap at the start", found.len() - LISTED);
            let span = self.owner_label(first).1;
            self.problems.push(Draft::error(span, message));
        }
    }

    /// Overlapping pairs with their depth; `None` where there are more than memory holds, which is reported.
    fn overlaps(&mut self) -> Option<Vec<((Owner, Owner), f64)>> {
        let (mut placed, passes) = (self.placed(), self.passes());
        self.add_images(&mut placed);
        let bodies = self.setup.bodies.len() as u32;
        let proxies: Vec<Proxy<S>> = placed
            .iter()
            .map(|p| Proxy {
                extent: S::extent(p.shape, &p.pose),
                round: S::radius(p.shape).is_some(),
                group: match p.owner {
                    Owner::Body(index) => index,
                    Owner::Boundary(index) => bodies + index,
                },
                movable: matches!(p.owner, Owner::Body(_)),
                active: true,
            })
            .collect();
        let most = Limit::Memory.count() / PAIR_BYTES;
        let mut broad = BroadPhase::with_most(most);
        broad.update(&proxies, 0.0);
        if broad.is_overfull() {
            let draft = Draft::error(Span::default(), "most bodies overlap at the start");
            let draft = draft.found(format!("more than {most} pairs that may overlap"));
            let draft = draft.expected("bodies apart or touching");
            self.problems.push(draft.help(Limit::Memory.advice()));
            return None;
        }
        let mut depths: BTreeMap<(Owner, Owner), f64> = BTreeMap::new();
        let mut manifold = Manifold::default();
        for &(a, b) in broad.pairs() {
            let (a, b) = (&placed[a as usize], &placed[b as usize]);
            let pair = (a.owner.min(b.owner), a.owner.max(b.owner));
            if passes.contains(&pair) {
                continue;
            }
            manifold.clear();
            S::collide((a.shape, &a.pose), (b.shape, &b.pose), 0.0, &mut manifold);
            let depth = manifold.touches().iter().map(|touch| -touch.gap).fold(0.0, f64::max);
            let narrower = || self.width(a.owner).min(self.width(b.owner));
            if depth > 0.0 && depth > TOLERANCE * narrower() {
                let deepest = depths.entry(pair).or_default();
                *deepest = deepest.max(depth);
            }
        }
        Some(depths.into_iter().collect())
    }

    /// All parts of bodies and boundaries in the world.
    fn placed(&self) -> Vec<Placed<'_, S>> {
        let place =
            |owner, world: &Pose<S>, part: &'_ Part<S>| (owner, world.compose(&part.pose()));
        let mut placed = Vec::new();
        for (index, body) in self.setup.bodies.iter().enumerate() {
            for part in &body.parts {
                let (owner, pose) = place(Owner::Body(index as u32), &body.pose, part);
                placed.push(Placed { shape: &part.shape, pose, owner });
            }
        }
        for (index, boundary) in self.setup.boundaries.iter().enumerate() {
            for part in &boundary.parts {
                let (owner, pose) = place(Owner::Boundary(index as u32), &boundary.pose, part);
                placed.push(Placed { shape: &part.shape, pose, owner });
            }
        }
        placed
    }

    /// Width of a body; boundaries do not limit the tolerance.
    fn width(&self, owner: Owner) -> f64 {
        match owner {
            Owner::Body(index) => width::<S>(&self.setup.bodies[index as usize].parts),
            Owner::Boundary(_) => f64::INFINITY,
        }
    }

    fn owner_label(&self, owner: Owner) -> (String, Span) {
        match owner {
            Owner::Body(index) => {
                let origin = self.origins[index as usize];
                let name = self.setup.bodies[index as usize].name();
                (label(name, origin.noun, origin.number), origin.span)
            }
            Owner::Boundary(index) => {
                let name = &self.setup.boundaries[index as usize].name;
                (label(name, "boundary", index as usize + 1), self.boundary_spans[index as usize])
            }
        }
    }
}

/// The smallest width of all parts.
pub(super) fn width<S: Geometry>(parts: &[Part<S>]) -> f64 {
    parts.iter().map(|part| S::width(&part.shape)).fold(f64::INFINITY, f64::min)
}
