//! Candidate pairs among many boxes.

use crate::{Extent, Geometry};

/// One placed shape as the broad phase sees it.
#[derive(Clone, Copy, Debug)]
pub struct Proxy<S: Geometry> {
    /// Where it is now.
    pub extent: Extent<S>,
    /// Proxies of one group (the parts of one body) are never paired.
    pub group: u32,
    /// Two proxies that cannot move (both of boundaries) are never paired.
    pub movable: bool,
    /// A proxy that is not active is never paired (a removed boundary).
    pub active: bool,
}

/// Keeps candidate pairs while nobody has moved more than the skin allows.
#[derive(Debug, Default)]
pub struct BroadPhase<S: Geometry> {
    pairs: Vec<(u32, u32)>,
    space: std::marker::PhantomData<S>,
}

impl<S: Geometry> BroadPhase<S> {
    /// Brings the candidates up to date with the proxies and returns whether they were rebuilt.
    ///
    /// Afterwards [`pairs`](Self::pairs) holds every pair whose extents, as they are now, are
    /// within `margin` of each other (and some more).
    pub fn update(&mut self, proxies: &[Proxy<S>], margin: f64) -> bool {
        let _ = (proxies, margin);
        todo!()
    }
    /// Candidate pairs (a, b) with a < b, sorted, each once.
    pub fn pairs(&self) -> &[(u32, u32)] {
        &self.pairs
    }
}
