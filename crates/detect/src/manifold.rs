//! What a pair test returns.

use drystone_space::{Space, Vector};

/// One point at which two shapes touch or nearly touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch<S: Space> {
    /// Middle between the two surfaces, in world axes.
    pub point: S::Vector,
    /// Unit vector toward the first shape, in world axes.
    pub normal: S::Vector,
    /// Distance along the normal: positive apart, negative in overlap.
    pub gap: f64,
    /// Which features of the two shapes meet; stable from step to step for one pair.
    pub feature: u32,
}

/// Up to four touches of one pair of shapes; lives on the stack.
#[derive(Clone, Copy, Debug)]
pub struct Manifold<S: Space> {
    touches: [Touch<S>; 4],
    length: usize,
}

impl<S: Space> Default for Manifold<S> {
    fn default() -> Self {
        let none = Touch { point: S::Vector::ZERO, normal: S::Vector::ZERO, gap: 0.0, feature: 0 };
        Self { touches: [none; 4], length: 0 }
    }
}

impl<S: Space> Manifold<S> {
    /// Most touches that a pair can have.
    pub const CAPACITY: usize = 4;

    /// Adds a touch.
    ///
    /// # Panics
    /// If there are four already: reducing them is the pair test's work.
    #[inline]
    pub fn push(&mut self, touch: Touch<S>) {
        self.touches[self.length] = touch;
        self.length += 1;
    }
    /// Forgets all touches.
    #[inline]
    pub fn clear(&mut self) {
        self.length = 0;
    }
    /// The touches found.
    #[inline]
    pub fn touches(&self) -> &[Touch<S>] {
        &self.touches[..self.length]
    }
    /// The touches found, to be changed in place.
    #[inline]
    pub fn touches_mut(&mut self) -> &mut [Touch<S>] {
        &mut self.touches[..self.length]
    }
    /// Adds the touches of two shapes that are grown by radii, from those of their cores: points and normals are in world axes, and
    /// what is beyond the margin is left out.
    #[inline]
    pub(crate) fn push_grown(&mut self, cores: &Self, [first, second]: [f64; 2], margin: f64) {
        for core in cores.touches() {
            let gap = core.gap - (first + second);
            if gap <= margin {
                let point = core.point + core.normal * (0.5 * (second - first));
                self.push(Touch { point, gap, ..*core });
            }
        }
    }
    /// Turns the touches of (b, a) into those of (a, b).
    #[inline]
    pub fn flip(&mut self) {
        for touch in self.touches_mut() {
            touch.normal = -touch.normal;
        }
    }
}
