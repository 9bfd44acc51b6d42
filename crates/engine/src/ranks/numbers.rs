//! Numbers of shapes among those of all ranks: boundaries first, then bodies in the order of their names.
//!
//! Most bodies have one shape, so that only those are listed that have not.

/// Which shapes bodies have.
#[derive(Clone, Debug, Default)]
pub struct ShapeNumbers {
    /// Shapes of boundaries.
    boundaries: u32,
    /// Bodies with none or several shapes, each with the shapes that bodies up to it have beyond one each.
    uneven: Vec<(u32, i64)>,
}

impl ShapeNumbers {
    /// Of a run whose boundaries have so many shapes.
    pub fn new(boundaries: u32) -> Self {
        Self { boundaries, uneven: Vec::new() }
    }

    /// Learns how many shapes the next body has.
    pub fn enter(&mut self, name: u32, shapes: usize) {
        if shapes != 1 {
            let before = self.uneven.last().map_or(0, |(_, beyond)| *beyond);
            self.uneven.push((name, before + shapes as i64 - 1));
        }
    }

    /// The shapes beyond one each that the first so many of the uneven bodies have.
    fn beyond(&self, uneven: usize) -> i64 {
        uneven.checked_sub(1).map_or(0, |last| self.uneven[last].1)
    }

    /// The number of a body's first shape.
    pub fn first(&self, body: u32) -> u32 {
        let before = self.uneven.partition_point(|(name, _)| *name < body);
        (i64::from(self.boundaries) + i64::from(body) + self.beyond(before)) as u32
    }

    /// The body that has a shape; none where a boundary has.
    pub fn body(&self, shape: u32) -> Option<u32> {
        let among = shape.checked_sub(self.boundaries)?;
        let before = self.uneven.partition_point(|(name, _)| self.first(*name) <= shape);
        let after = || (i64::from(among) - self.beyond(before)) as u32;
        let last = before.checked_sub(1).map(|last| self.uneven[last].0);
        Some(match last {
            // One of its own shapes.
            Some(name) if shape < self.first(name + 1) => name,
            _ => after(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_found_as_in_a_list() {
        let shapes = [1, 3, 1, 0, 0, 2, 1, 1, 4];
        let mut numbers = ShapeNumbers::new(5);
        let mut owners = Vec::new();
        for (body, &count) in shapes.iter().enumerate() {
            numbers.enter(body as u32, count);
            assert_eq!(numbers.first(body as u32) as usize, 5 + owners.len());
            owners.extend(std::iter::repeat_n(body as u32, count));
        }
        for (shape, &owner) in owners.iter().enumerate() {
            assert_eq!(numbers.body(5 + shape as u32), Some(owner), "{shape}");
        }
        assert_eq!(numbers.body(4), None);
        assert_eq!(ShapeNumbers::new(2).body(9), Some(7));
    }
}
