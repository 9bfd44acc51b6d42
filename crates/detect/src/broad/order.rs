//! Sorts pairs of indices in linear time: by counting on the first index, then by comparison
//! among the few pairs that share it.

/// Buffers of the sort.
#[derive(Debug, Default)]
pub(super) struct Order {
    found: Vec<(u32, u32)>,
    /// After counting: where the pairs of each first index go next.
    slots: Vec<u32>,
}

impl Order {
    /// An empty list to add pairs to.
    pub fn start(&mut self) -> &mut Vec<(u32, u32)> {
        self.found.clear();
        &mut self.found
    }

    /// Writes the added pairs, whose indices are below `count`, to `sorted` in order.
    pub fn finish(&mut self, count: usize, sorted: &mut Vec<(u32, u32)>) {
        self.slots.clear();
        self.slots.resize(count, 0);
        for &(a, _) in &self.found {
            self.slots[a as usize] += 1;
        }
        let mut total = 0;
        for slot in &mut self.slots {
            total += std::mem::replace(slot, total);
        }
        sorted.clear();
        sorted.resize(self.found.len(), (0, 0));
        for &pair in &self.found {
            let slot = &mut self.slots[pair.0 as usize];
            sorted[*slot as usize] = pair;
            *slot += 1;
        }
        let mut start = 0;
        for &end in &self.slots {
            sorted[start as usize..end as usize].sort_unstable();
            start = end;
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
        let mut sorted = Vec::new();
        for _ in 0..2 {
            order.start().extend(&pairs);
            order.finish(70, &mut sorted);
            let mut expected = pairs.clone();
            expected.sort_unstable();
            assert_eq!(sorted, expected);
            pairs.truncate(13);
        }
    }
}
