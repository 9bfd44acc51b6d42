//! The order of elimination: nested dissection by places.
//!
//! The nodes are cut at the middle of their longest extent; those of one half that touch the other
//! separate the two. Halves are eliminated before what separates them, and are cut in the same way
//! (George 1973). In space this leaves far fewer numbers in the factor than a minimum degree order.

use drystone_space::Vector;

/// Parts up to this size are not cut.
const SMALL: usize = 12;

/// The degrees of freedom in the order of elimination.
pub fn nested<V: Vector>(places: &[V], neighbours: &[Vec<u32>]) -> Vec<u32> {
    let mut nodes: Vec<u32> = (0..places.len() as u32).collect();
    let mut half = vec![0u32; places.len()];
    let mut next = 1;
    let mut order = Vec::with_capacity(places.len());
    dissect(&mut nodes, places, neighbours, &mut half, &mut next, &mut order);
    let d = V::LENGTH as u32;
    order.into_iter().flat_map(|node| (0..d).map(move |axis| node * d + axis)).collect()
}

fn dissect<V: Vector>(
    nodes: &mut [u32],
    places: &[V],
    neighbours: &[Vec<u32>],
    half: &mut [u32],
    next: &mut u32,
    order: &mut Vec<u32>,
) {
    if nodes.len() <= SMALL {
        order.extend_from_slice(nodes);
        return;
    }
    let start = (V::splat(f64::INFINITY), V::splat(f64::NEG_INFINITY));
    let (low, high) = nodes.iter().fold(start, |(low, high), &n| {
        (low.lowest(places[n as usize]), high.highest(places[n as usize]))
    });
    let size = high - low;
    let longest = |a: &usize, b: &usize| size.get(*a).total_cmp(&size.get(*b));
    let axis = (0..V::LENGTH).max_by(longest).unwrap_or(0);
    // Node numbers break ties, so that the order does not depend on the sort.
    let key = |n: &u32| (places[*n as usize].get(axis), *n);
    nodes.sort_unstable_by(|a, b| {
        let (a, b) = (key(a), key(b));
        a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
    });
    let (left, right) = nodes.split_at_mut(nodes.len() / 2);
    let mark = *next;
    *next += 1;
    left.iter().for_each(|&n| half[n as usize] = mark);
    let touches = |n: &u32| neighbours[*n as usize].iter().any(|&m| half[m as usize] == mark);
    let mut separator: Vec<u32> = right.iter().copied().filter(touches).collect();
    let mut rest: Vec<u32> = right.iter().copied().filter(|n| !touches(n)).collect();
    dissect(left, places, neighbours, half, next, order);
    dissect(&mut rest, places, neighbours, half, next, order);
    separator.sort_unstable();
    order.append(&mut separator);
}
