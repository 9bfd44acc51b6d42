//! What a factor that is kept from step to step was made from.

use super::splitting::Stiffness;

/// Stiffness may be so many times as large or as small as it was when a factor was made.
const LIKE: f64 = 100.0;
/// The same of ties, whose stiffness is not chosen but their law: iterations leave undone what the factor has too much of
/// it, and do not come to an end where it has less than half.
const LIKE_TIES: f64 = 1.5;

/// What a factor that is kept from step to step was made from. A step depends on it, so that it belongs to what a resumed
/// run goes on from; the factor itself follows from it in the same bits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kept {
    /// First and second mover of each contact.
    pub pairs: Vec<[u32; 2]>,
    /// Normal and tangential stiffness of each contact.
    pub stiffness: Vec<Stiffness>,
    /// The blocks of the matrix on and above its diagonal, row after row.
    pub blocks: Vec<f64>,
}

impl Kept {
    /// Nothing is kept any more.
    pub fn clear(&mut self) {
        let Self { pairs, stiffness, blocks } = self;
        pairs.clear();
        stiffness.clear();
        blocks.clear();
    }

    /// Whether contacts are as stiff as they were, nearly; which of them are ties.
    pub(super) fn is_like(&self, weighed: &[Stiffness], ties: impl Iterator<Item = bool>) -> bool {
        let like = |old: f64, new: f64, most: f64| old <= most * new && new <= most * old;
        let mut both = self.stiffness.iter().zip(weighed).zip(ties);
        self.stiffness.len() == weighed.len()
            && both.all(|((old, new), tie)| {
                let most = if tie { LIKE_TIES } else { LIKE };
                like(old[0], new[0], most) && like(old[1], new[1], most)
            })
    }
}
