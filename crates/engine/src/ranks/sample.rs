//! What whoever watches a run looks at every few steps, from all ranks: much less than all bodies and contacts.

use super::Ranks;
use super::bytes::{Reader, Writer};
use crate::{ContactLoss, Dimension, World};
use drystone_space::Vector;

/// How a body moves, and what it takes to lift it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BodySample {
    /// Translational energy.
    pub energy: f64,
    /// Mass.
    pub mass: f64,
    /// The least width of its parts.
    pub width: f64,
}

/// All bodies, and all contacts that pressed in the last step, in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// The bodies.
    pub bodies: Vec<BodySample>,
    /// What contacts took.
    pub losses: Vec<ContactLoss>,
}

impl<S: Dimension> World<S> {
    /// How each body here moves.
    pub fn body_samples(&self) -> impl ExactSizeIterator<Item = BodySample> + Clone {
        self.state.bodies.iter().enumerate().map(|(index, body)| BodySample {
            energy: 0.5 * body.mass * body.velocity.norm_squared(),
            mass: body.mass,
            width: self.width(index),
        })
    }

    /// As a whole: what was brought from all ranks by [`gather_sample`](Self::gather_sample) after the last step.
    pub fn gathered_sample(&self) -> Option<&Sample> {
        let (step, sample) = self.work.sample.as_ref()?;
        (*step == self.state.steps).then_some(sample)
    }

    /// Brings it to the whole, if that is lent. All ranks must take part.
    pub fn gather_sample(&mut self) {
        let Some(mut ranks) = self.work.ranks.take() else { return };
        let heard = ranks.exchange.tell_first(self.told_sample(&ranks));
        if let Some(whole) = &mut ranks.whole {
            whole.work.sample = Some((self.state.steps, sample(ranks.count, &heard)));
        }
        self.work.ranks = Some(ranks);
    }

    /// What a rank tells for it.
    fn told_sample(&self, ranks: &Ranks<S>) -> Vec<u8> {
        let (shapes, firsts) = (&self.work.rigid.shapes, ranks.firsts());
        let mut said = Writer::default();
        said.count(ranks.owned.iter().filter(|owned| **owned).count());
        let own = self.body_samples().enumerate().filter(|(index, _)| ranks.owned[*index]);
        for (index, BodySample { energy, mass, width }) in own {
            said.put(ranks.names[index]);
            [energy, mass, width].into_iter().for_each(|number| said.put(number));
        }
        for loss in self.contact_losses() {
            if !ranks.counts_pair(loss.sides) {
                continue;
            }
            let (one, other) = loss.shapes;
            said.put(ranks.global_shape(shapes, &firsts, one));
            said.put(ranks.global_shape(shapes, &firsts, other));
            for side in [loss.sides.0, loss.sides.1] {
                said.owner(ranks.globally(side));
            }
            said.put(loss.lost);
            said.put(loss.by_curves);
        }
        said.0
    }
}

/// What ranks have told, in the order of one process.
fn sample(count: usize, heard: &[Vec<u8>]) -> Sample {
    let mut sample = Sample { bodies: vec![BodySample::default(); count], losses: Vec::new() };
    for heard in heard {
        let mut heard = Reader(heard);
        for _ in 0..heard.count() {
            let name: u32 = heard.get();
            let [energy, mass, width] = std::array::from_fn(|_| heard.get());
            sample.bodies[name as usize] = BodySample { energy, mass, width };
        }
        while !heard.is_empty() {
            let shapes = (heard.get(), heard.get());
            let sides = (heard.owner(), heard.owner());
            let (lost, by_curves) = (heard.get(), heard.get());
            sample.losses.push(ContactLoss { shapes, sides, lost, by_curves });
        }
    }
    // Contacts of one pair come from one rank, in their order.
    sample.losses.sort_by_key(|loss| loss.shapes);
    sample
}
