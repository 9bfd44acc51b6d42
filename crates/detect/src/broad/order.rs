//! Sorts pairs of indices in linear time and in place: by counting on the first index, then by comparison
//! among the few pairs that share it.

use drystone_space::clear_for;

/// The buffer of the sort.
#[derive(Debug, Default)]
pub(super) struct Order {
    /// Where the pairs of each first index end, less those that are in their place: each goes before the one last put.
    ends: Vec<u32>,
}

impl Order {
    /// Puts pairs, whose first indices are below `count`, in order.
    pub fn sort(&mut self, count: usize, pairs: &mut [(u32, u32)]) {
        clear_for(&mut self.ends, count);
        self.ends.resize(count, 0);
        for &(first, _) in &*pairs {
            self.ends[first as usize] += 1;
        }
        let mut total = 0;
        for end in &mut self.ends {
            total += *end;
            *end = total;
        }
        let mut start = 0;
        for index in 0..count {
            // Whatever stands here and belongs elsewhere changes places with what stands there.
            while self.ends[index] as usize > start {
                let here = self.ends[index] as usize - 1;
                let place = &mut self.ends[pairs[here].0 as usize];
                *place -= 1;
                pairs.swap(here, *place as usize);
            }
            let own = pairs[start..].iter().take_while(|pair| pair.0 as usize == index).count();
            pairs[start..start + own].sort_unstable();
            start += own;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_come_out_sorted() {
        let mut order = Order::default();
        let mut pairs: Vec<(u32, u32)> =
            (0..60).map(|k: u32| (k * 37 % 7, 7 + k * 53 % 61)).collect();
        for _ in 0..2 {
            let (mut sorted, mut expected) = (pairs.clone(), pairs.clone());
            order.sort(70, &mut sorted);
            expected.sort_unstable();
            assert_eq!(sorted, expected);
            pairs.truncate(13);
        }
    }
}
