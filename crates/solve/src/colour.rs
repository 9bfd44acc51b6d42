//! Colouring: contacts of one colour share no mover, so they can be swept in any order, by any
//! number of threads, with the same bits.

use crate::{Blocks, ContactProblem, GROUND};

/// Colours that a mover can keep apart; what does not fit is swept by one thread at the end.
const COLOURS: usize = 64;

/// Contacts grouped by colour.
#[derive(Clone, Debug, Default)]
pub(crate) struct Colouring {
    /// Bit set of the colours that each mover has already.
    used: Vec<u64>,
    colour: Vec<u8>,
    /// Contact indices, colour after colour, in the problem's order within a colour.
    pub order: Vec<u32>,
    /// Where each colour starts in `order`; one entry more than there are groups.
    pub starts: Vec<u32>,
}

impl Colouring {
    /// Whether the last group is the rest that shares movers.
    pub fn is_serial(&self, group: usize) -> bool {
        group == COLOURS
    }

    /// Greedy colouring in the problem's order.
    pub fn colour<S: Blocks>(&mut self, problem: &ContactProblem<S>) {
        self.used.clear();
        self.used.resize(problem.movers.len(), 0);
        self.colour.clear();
        self.starts.clear();
        self.starts.resize(COLOURS + 2, 0);
        for contact in &problem.contacts {
            let first = contact.map.first as usize;
            let mut taken = self.used[first];
            if contact.map.second != GROUND {
                taken |= self.used[contact.map.second as usize];
            }
            let colour = taken.trailing_ones() as usize;
            if colour < COLOURS {
                self.used[first] |= 1 << colour;
                if contact.map.second != GROUND {
                    self.used[contact.map.second as usize] |= 1 << colour;
                }
            }
            self.colour.push(colour as u8);
            self.starts[colour + 1] += 1;
        }
        for group in 0..=COLOURS {
            self.starts[group + 1] += self.starts[group];
        }
        self.order.clear();
        self.order.resize(problem.contacts.len(), 0);
        let mut next = [0u32; COLOURS + 1];
        next.copy_from_slice(&self.starts[..=COLOURS]);
        for (index, &colour) in self.colour.iter().enumerate() {
            let place = &mut next[colour as usize];
            self.order[*place as usize] = index as u32;
            *place += 1;
        }
    }
}
