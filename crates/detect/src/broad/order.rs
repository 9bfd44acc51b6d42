//! Sorts pairs of indices in place: first into buckets of near first indices, which fit into the cache, then each bucket
//! by itself.

use rayon::join;

/// Pairs of a bucket, about.
const BUCKET: usize = 512;
/// Most buckets: more would leave the cache while they are filled.
const MOST: usize = 4096;
/// Pairs that are worth a thread.
const SHARE: usize = 4096;

/// The buffers of the sort.
#[derive(Debug, Default)]
pub(super) struct Order {
    /// Where each bucket begins; the last entry is the number of pairs.
    starts: Vec<usize>,
    /// Where each ends, less the pairs that are in their place: each goes before the one last put.
    ends: Vec<usize>,
}

impl Order {
    /// Puts pairs, whose first indices are below `count`, in order.
    pub fn sort(&mut self, count: usize, pairs: &mut [(u32, u32)], threads: usize) {
        let wanted = (pairs.len() / BUCKET).clamp(1, MOST);
        // So many low bits do not matter for the bucket.
        let shift = (count / wanted).max(1).ilog2();
        let bucket = |pair: &(u32, u32)| (pair.0 >> shift) as usize;
        let Self { starts, ends } = self;
        starts.clear();
        starts.resize((count >> shift) + 2, 0);
        for pair in &*pairs {
            starts[bucket(pair) + 1] += 1;
        }
        let mut total = 0;
        for start in &mut *starts {
            total += *start;
            *start = total;
        }
        ends.clear();
        ends.extend_from_slice(&starts[1..]);
        for index in 0..ends.len() {
            // Whatever stands here and belongs elsewhere changes places with what stands there.
            while ends[index] > starts[index] {
                let here = ends[index] - 1;
                let end = &mut ends[bucket(&pairs[here])];
                *end -= 1;
                pairs.swap(here, *end);
            }
        }
        sort_buckets(pairs, starts, threads);
    }
}

/// Sorts the pairs of each bucket; `starts` says where these begin, and then where the last one ends.
fn sort_buckets(pairs: &mut [(u32, u32)], starts: &[usize], threads: usize) {
    let (first, last) = (starts[0], starts.len() - 1);
    if threads > 1 && pairs.len() > SHARE && last > 1 {
        let middle = last / 2;
        let (low, high) = pairs.split_at_mut(starts[middle] - first);
        let (before, after) = (&starts[..=middle], &starts[middle..]);
        join(|| sort_buckets(low, before, threads), || sort_buckets(high, after, threads));
        return;
    }
    for bounds in starts.windows(2) {
        pairs[bounds[0] - first..bounds[1] - first].sort_unstable();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Few pairs and many, spread over all first indices or nearly all at one.
    #[test]
    fn pairs_come_out_sorted() {
        let mut order = Order::default();
        for (count, firsts) in [(0, 7), (60, 7), (20_000, 7), (20_000, 999), (20_000, 1), (13, 70)]
        {
            let pairs: Vec<(u32, u32)> =
                (0..count).map(|k: u32| (k * 37 % firsts, 7 + k * 5_303 % 61_001)).collect();
            let mut expected = pairs.clone();
            expected.sort_unstable();
            for threads in [1, 2] {
                let mut sorted = pairs.clone();
                order.sort(1000, &mut sorted, threads);
                assert_eq!(sorted, expected, "{count} pairs of {firsts}");
            }
        }
    }
}
