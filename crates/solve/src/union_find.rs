//! Which of many things are connected, by links that come one after another.

/// Groups of connected things. The first member of each leads it.
#[derive(Clone, Debug, Default)]
pub struct UnionFind {
    /// A member of the same group that is nearer to its leader; leaders point at themselves.
    toward: Vec<u32>,
}

impl UnionFind {
    /// Things that are all alone.
    pub fn new(count: usize) -> Self {
        Self { toward: (0..count as u32).collect() }
    }

    /// So many things, all alone again.
    pub fn reset(&mut self, count: usize) {
        self.toward.clear();
        self.toward.extend(0..count as u32);
    }

    /// Joins the groups of two things.
    pub fn union(&mut self, one: u32, other: u32) {
        let (one, other) = (self.find(one), self.find(other));
        self.toward[one.max(other) as usize] = one.min(other);
    }

    /// The first of a thing's group; paths to it are halved on the way.
    pub fn find(&mut self, mut thing: u32) -> u32 {
        while self.toward[thing as usize] != thing {
            self.toward[thing as usize] = self.toward[self.toward[thing as usize] as usize];
            thing = self.toward[thing as usize];
        }
        thing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_all_that_are_linked_leads() {
        let mut groups = UnionFind::new(6);
        for (one, other) in [(5, 3), (1, 4), (3, 4)] {
            groups.union(one, other);
        }
        let leaders: Vec<u32> = (0..6).map(|thing| groups.find(thing)).collect();
        assert_eq!(leaders, [0, 1, 2, 1, 1, 1]);
    }
}
