//! How a wall is divided into blocks.

use crate::format::Bond;

/// Lengths of a wall are taken as whole numbers of modules within this part of one.
pub(super) const FIT: f64 = 1e-6;

/// A wall's bond and sizes. Lengths along it are counted in modules: half blocks with their joint in the running bond,
/// whole ones in the stack bond, quarters in bonds with headers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Division {
    pub bond: Bond,
    /// Length of a whole block.
    pub block: f64,
    pub joint: f64,
    /// Number of modules of the length; a whole number if the blocks fill it.
    pub modules: f64,
}

/// The place of a block in its row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Slot {
    /// Where it begins along the wall.
    pub start: f64,
    pub width: f64,
    /// Where it begins across the wall, and how deep it is, if it is not as deep as the wall.
    pub across: Option<(f64, f64)>,
}

/// Modules of a row that are no ordinary blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    pub from: usize,
    pub to: usize,
    /// Whether one long block lies there.
    pub lintel: bool,
}

/// A block of a bond with headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Brick {
    /// Two along the wall, side by side.
    Stretcher,
    /// One across it.
    Header,
    /// Half as wide as a header, to shift the joints.
    Closer,
}

impl Brick {
    fn quarters(self) -> usize {
        match self {
            Self::Stretcher => 4,
            Self::Header => 2,
            Self::Closer => 1,
        }
    }
}

impl Division {
    pub fn new(bond: Bond, block: f64, joint: f64, length: f64) -> Self {
        let division = Self { bond, block, joint, modules: 0.0 };
        Self { modules: (length + joint) / division.module(), ..division }
    }
    /// Two half blocks and their joint are as long as a block.
    pub fn half(&self) -> f64 {
        0.5 * (self.block - self.joint)
    }
    pub fn module(&self) -> f64 {
        match self.bond {
            Bond::Running => self.half() + self.joint,
            Bond::Stack => self.block + self.joint,
            Bond::Flemish | Bond::English => 0.25 * (self.block + self.joint),
        }
    }
    /// Length of the shortest block.
    pub fn least(&self) -> f64 {
        match self.bond {
            Bond::Running | Bond::Stack => self.half(),
            Bond::Flemish | Bond::English => self.module() - self.joint,
        }
    }
    /// What modules are called.
    pub fn unit(&self) -> &'static str {
        match self.bond {
            Bond::Running => "half blocks",
            Bond::Stack => "blocks",
            Bond::Flemish | Bond::English => "quarters of a block",
        }
    }
    /// Whole modules.
    pub fn count(&self) -> usize {
        self.modules.round() as usize
    }
    /// Whether so many modules make a wall of this bond.
    fn makes(&self, count: f64) -> bool {
        match self.bond {
            Bond::Running | Bond::Stack => count >= 1.0,
            Bond::Flemish => count >= 10.0 && (count - 4.0) % 6.0 == 0.0,
            Bond::English => count >= 8.0 && count % 4.0 == 0.0,
        }
    }
    pub fn fits(&self) -> bool {
        let whole = self.modules.round();
        self.makes(whole) && (self.modules - whole).abs() <= FIT * whole
    }
    /// Numbers of modules below and above that make a wall.
    pub fn lengths_near(&self) -> (f64, f64) {
        let first = (1..).map(f64::from).find(|&count| self.makes(count)).unwrap_or(1.0);
        let below = self.modules.floor().clamp(first, 1e15);
        let below = (0..12).map(|k| below - f64::from(k)).find(|&count| self.makes(count));
        let below = below.unwrap_or(first);
        let above = (1..12).map(|k| below + f64::from(k)).find(|&count| self.makes(count));
        (below, above.unwrap_or(below + 1.0))
    }
    /// Most blocks in a row.
    pub fn most(&self) -> f64 {
        match self.bond {
            Bond::Running => (self.modules.round() / 2.0).floor() + 1.0,
            Bond::Stack | Bond::Flemish | Bond::English => self.modules.round(),
        }
    }

    /// The blocks of a row, counted from 0, between what is cut out of it.
    ///
    /// Running bond over an odd number of half blocks: the half block is on the left in odd rows
    /// (counted from 1) and on the right in even ones. Over an even number: odd rows are whole,
    /// even rows have half blocks at both ends.
    pub fn course(&self, row: usize, cuts: &[Vec<Cut>]) -> Vec<Slot> {
        let count = self.count();
        if matches!(self.bond, Bond::Flemish | Bond::English) {
            return self.bricks(row);
        }
        let begins_halved = row.is_multiple_of(2) == (count % 2 == 1);
        let parity = usize::from(begins_halved);
        let mut slots = Vec::new();
        let mut from = 0;
        for cut in cuts.get(row).into_iter().flatten() {
            slots.extend(self.course_from(from, cut.from, parity));
            if cut.lintel {
                slots.push(self.slot(cut.from, cut.to));
            }
            from = cut.to;
        }
        slots.extend(self.course_from(from, count, parity));
        slots
    }

    /// Blocks that fill a part of a row. In the running bond whole ones begin at even modules, or with the parity 1 at odd
    /// ones.
    pub fn course_from(&self, from: usize, to: usize, parity: usize) -> Vec<Slot> {
        if self.bond == Bond::Stack {
            return (from..to).map(|start| self.slot(start, start + 1)).collect();
        }
        let mut slots = Vec::with_capacity(to.saturating_sub(from) / 2 + 1);
        let mut start = from;
        if start < to && start % 2 != parity {
            slots.push(self.slot(start, start + 1));
            start += 1;
        }
        while start < to {
            slots.push(self.slot(start, to.min(start + 2)));
            start += 2;
        }
        slots
    }

    /// The place of a block over some modules.
    fn slot(&self, from: usize, to: usize) -> Slot {
        let width = match (self.bond, to - from) {
            (Bond::Running, 1) => self.half(),
            (Bond::Running, 2) | (Bond::Stack, 1) => self.block,
            (_, modules) => modules as f64 * self.module() - self.joint,
        };
        Slot { start: from as f64 * self.module(), width, across: None }
    }

    /// A row of a bond with headers.
    fn bricks(&self, row: usize) -> Vec<Slot> {
        let mut slots = Vec::new();
        let mut quarter = 0;
        for brick in self.sequence(row) {
            let slot = self.slot(quarter, quarter + brick.quarters());
            if brick == Brick::Stretcher {
                let depth = self.half();
                slots.push(Slot { across: Some((0.0, depth)), ..slot });
                slots.push(Slot { across: Some((depth + self.joint, depth)), ..slot });
            } else {
                slots.push(slot);
            }
            quarter += brick.quarters();
        }
        slots
    }

    /// The bricks of a row of a bond with headers, one after the other. Rows of the English bond are of stretchers and of
    /// headers by turns; in rows of the Flemish bond both alternate. In every other row closers beside the end headers
    /// shift the joints by a quarter.
    fn sequence(&self, row: usize) -> Vec<Brick> {
        use Brick::{Closer, Header, Stretcher};
        let (count, first) = (self.count(), row.is_multiple_of(2));
        if self.bond == Bond::English {
            return match first {
                true => vec![Stretcher; count / 4],
                false => [Header, Closer]
                    .into_iter()
                    .chain(std::iter::repeat_n(Header, (count - 6) / 2))
                    .chain([Closer, Header])
                    .collect(),
            };
        }
        let pairs = (count - 4) / 6;
        let by_turns = |last: Brick, other: Brick, pairs: usize| {
            (0..2 * pairs + 1).map(move |k| if k % 2 == 0 { last } else { other })
        };
        match first {
            true => by_turns(Stretcher, Header, pairs).collect(),
            false => [Header, Closer]
                .into_iter()
                .chain(by_turns(Stretcher, Header, pairs - 1))
                .chain([Closer, Header])
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn starts(slots: &[Slot]) -> Vec<(f64, f64)> {
        slots.iter().map(|slot| (slot.start, slot.width)).collect()
    }

    #[test]
    fn courses_are_staggered_and_closed_by_half_blocks() {
        let division = Division { bond: Bond::Running, block: 2.0, joint: 0.0, modules: 5.0 };
        assert_eq!(starts(&division.course(0, &[])), [(0.0, 1.0), (1.0, 2.0), (3.0, 2.0)]);
        assert_eq!(starts(&division.course(1, &[])), [(0.0, 2.0), (2.0, 2.0), (4.0, 1.0)]);
        let even = Division { modules: 4.0, ..division };
        assert_eq!(starts(&even.course(0, &[])), [(0.0, 2.0), (2.0, 2.0)]);
        assert_eq!(starts(&even.course(1, &[])), [(0.0, 1.0), (1.0, 2.0), (3.0, 1.0)]);
        let stack = Division { bond: Bond::Stack, modules: 2.0, ..division };
        assert_eq!(starts(&stack.course(7, &[])), [(0.0, 2.0), (2.0, 2.0)]);
    }

    #[test]
    fn half_blocks_leave_room_for_their_joint() {
        let division = Division { bond: Bond::Running, block: 2.0, joint: 0.5, modules: 3.0 };
        assert_eq!((division.half(), division.module()), (0.75, 1.25));
    }

    #[test]
    fn openings_are_closed_by_half_blocks_and_bridged_by_lintels() {
        let division = Division { bond: Bond::Running, block: 2.0, joint: 0.0, modules: 8.0 };
        let opening = Cut { from: 3, to: 5, lintel: false };
        let lintel = Cut { from: 2, to: 6, lintel: true };
        let cuts = [vec![opening], vec![opening], vec![lintel]];
        let row = |row: usize| starts(&division.course(row, &cuts));
        assert_eq!(row(0), [(0.0, 2.0), (2.0, 1.0), (5.0, 1.0), (6.0, 2.0)]);
        assert_eq!(row(1), [(0.0, 1.0), (1.0, 2.0), (5.0, 2.0), (7.0, 1.0)]);
        assert_eq!(row(2), [(0.0, 2.0), (2.0, 4.0), (6.0, 2.0)]);
    }

    /// In neither bond a joint stands over a joint of the row below, but for the middle ones of stretchers side by side.
    #[test]
    fn bonds_with_headers_fill_the_length_and_cross_their_joints() {
        for (bond, counts) in
            [(Bond::Flemish, [10.0, 16.0, 28.0]), (Bond::English, [8.0, 12.0, 20.0])]
        {
            for modules in counts {
                let division = Division { bond, block: 4.0, joint: 0.0, modules };
                assert!(division.fits());
                let joints = |row: usize| -> Vec<f64> {
                    let slots = division.course(row, &[]);
                    let area: f64 =
                        slots.iter().map(|s| s.width * s.across.map_or(4.0, |a| a.1)).sum();
                    assert_eq!(area, 4.0 * modules);
                    let ends = slots.iter().map(|slot| slot.start + slot.width);
                    ends.filter(|&end| end < modules).collect()
                };
                let (odd, even) = (joints(0), joints(1));
                assert!(odd.iter().all(|joint| !even.contains(joint)), "{odd:?} {even:?}");
            }
        }
        assert!(!Division { bond: Bond::Flemish, block: 4.0, joint: 0.0, modules: 12.0 }.fits());
        let near = Division { bond: Bond::Flemish, block: 4.0, joint: 0.0, modules: 12.0 };
        assert_eq!(near.lengths_near(), (10.0, 16.0));
    }
}
