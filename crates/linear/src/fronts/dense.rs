//! Elimination within one front: a square matrix, column after column.
//!
//! Columns are eliminated in panels; the rest of the front learns of a whole panel by one product of matrices, which
//! is where the time goes. Every entry of a product is summed in the order of the panel's columns, whatever the
//! tiles and the registers: bits do not depend on the machine. Each of the two eliminations is compiled twice, for
//! every machine and for wider registers; products and sums stay apart in both.

use crate::dense::subtract_scaled;

/// Columns that are eliminated before the rest of a front learns of them.
const PANEL: usize = 32;
/// Products with fewer multiplications than this are not worth packing for.
const SMALL: usize = 8_000;
/// Columns of a tile, whose entries are summed in registers.
const TILE: usize = 4;

/// Both factors of a product, in the order in which tiles read them.
#[derive(Clone, Debug, Default)]
pub struct Packed {
    left: Vec<f64>,
    right: Vec<f64>,
}

/// Eliminates the first unknowns of a square matrix, with swaps among their rows, which are noted. False where a
/// pivot vanishes or is no number.
pub fn eliminate(
    front: &mut [f64],
    size: usize,
    pivots: usize,
    swaps: &mut Vec<u32>,
    packed: &mut Packed,
) -> bool {
    by_widest_tiles(General { front, size, pivots, swaps, packed })
}

/// Eliminates the first unknowns of a symmetric matrix, of which the lower half is given, by Cholesky's method. Names
/// the first whose pivot is not positive.
pub fn eliminate_definite(
    front: &mut [f64],
    size: usize,
    pivots: usize,
    packed: &mut Packed,
) -> Result<(), usize> {
    by_widest_tiles(Definite { front, size, pivots, packed })
}

/// What is done by tiles. To be compiled for wide registers, all of it must be inlined.
trait ByTiles {
    type Output;
    /// Does it by tiles of so many rows.
    fn run<const ROWS: usize>(self) -> Self::Output;
}

/// Does some work by the tiles that fit the registers of this machine.
fn by_widest_tiles<W: ByTiles>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2")]
        fn wide<W: ByTiles>(work: W) -> W::Output {
            work.run::<8>()
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the machine has what the copy is compiled for.
            return unsafe { wide(work) };
        }
    }
    work.run::<4>()
}

/// [`eliminate`].
struct General<'a> {
    front: &'a mut [f64],
    size: usize,
    pivots: usize,
    swaps: &'a mut Vec<u32>,
    packed: &'a mut Packed,
}

impl ByTiles for General<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<const ROWS: usize>(self) -> bool {
        let Self { front, size, pivots, swaps, packed } = self;
        for start in (0..pivots).step_by(PANEL) {
            let end = pivots.min(start + PANEL);
            for step in start..end {
                let column = &front[step * size..][..size];
                let larger = |best: usize, row: usize| {
                    if column[row].abs() > column[best].abs() { row } else { best }
                };
                let pivot = (step..pivots).fold(step, larger);
                let value = column[pivot];
                if value == 0.0 || !value.is_finite() {
                    return false;
                }
                swaps.push(pivot as u32);
                if pivot != step {
                    front.chunks_exact_mut(size).for_each(|column| column.swap(step, pivot));
                }
                let (left, right) = front.split_at_mut((step + 1) * size);
                let below = &mut left[step * size + step + 1..];
                let inverse = 1.0 / value;
                below.iter_mut().for_each(|x| *x *= inverse);
                for column in right[..(end - step - 1) * size].chunks_exact_mut(size) {
                    let (head, rest) = column.split_at_mut(step + 1);
                    subtract_scaled(rest, head[step], below);
                }
            }
            let (panel, rest) = front[start * size..].split_at_mut((end - start) * size);
            for column in rest.chunks_exact_mut(size) {
                for (step, l) in panel.chunks_exact(size).enumerate() {
                    let (head, rest) = column[start..end].split_at_mut(step + 1);
                    subtract_scaled(rest, head[step], &l[start + step + 1..end]);
                }
            }
            let (height, depth) = (size - end, end - start);
            if height * height * depth < SMALL {
                for column in rest.chunks_exact_mut(size) {
                    let (head, tail) = column.split_at_mut(end);
                    for (l, &factor) in panel.chunks_exact(size).zip(&head[start..]) {
                        subtract_scaled(tail, factor, &l[end..]);
                    }
                }
                continue;
            }
            pack::<ROWS>(&mut packed.left, height, depth, |step, i| panel[step * size + end + i]);
            pack::<TILE>(&mut packed.right, height, depth, |step, j| rest[j * size + start + step]);
            subtract_product::<ROWS>(rest, size, end, depth, packed, false);
        }
        true
    }
}

/// [`eliminate_definite`].
struct Definite<'a> {
    front: &'a mut [f64],
    size: usize,
    pivots: usize,
    packed: &'a mut Packed,
}

impl ByTiles for Definite<'_> {
    type Output = Result<(), usize>;

    #[inline(always)]
    fn run<const ROWS: usize>(self) -> Result<(), usize> {
        let Self { front, size, pivots, packed } = self;
        for start in (0..pivots).step_by(PANEL) {
            let end = pivots.min(start + PANEL);
            for step in start..end {
                let (left, right) = front.split_at_mut((step + 1) * size);
                let column = &mut left[step * size + step..];
                let sound = column[0] > 0.0 && column[0].is_finite();
                if !sound {
                    return Err(step);
                }
                let pivot = column[0].sqrt();
                let inverse = 1.0 / pivot;
                column[0] = pivot;
                column[1..].iter_mut().for_each(|x| *x *= inverse);
                let columns = right[..(end - step - 1) * size].chunks_exact_mut(size);
                for (j, target) in columns.enumerate() {
                    let l = &column[j + 1..];
                    subtract_scaled(&mut target[step + j + 1..], l[0], l);
                }
            }
            let (panel, rest) = front[start * size..].split_at_mut((end - start) * size);
            let (height, depth) = (size - end, end - start);
            if height * height * depth < 2 * SMALL {
                for (j, column) in rest.chunks_exact_mut(size).enumerate() {
                    for l in panel.chunks_exact(size) {
                        let l = &l[end + j..];
                        subtract_scaled(&mut column[end + j..], l[0], l);
                    }
                }
                continue;
            }
            pack::<ROWS>(&mut packed.left, height, depth, |step, i| panel[step * size + end + i]);
            pack::<TILE>(&mut packed.right, height, depth, |step, j| panel[step * size + end + j]);
            subtract_product::<ROWS>(rest, size, end, depth, packed, true);
        }
        Ok(())
    }
}

/// Writes the rows of a matrix `W` at a time, column after column, with zeros where there are no more rows.
#[inline(always)]
fn pack<const W: usize>(
    room: &mut Vec<f64>,
    rows: usize,
    depth: usize,
    entry: impl Fn(usize, usize) -> f64,
) {
    room.clear();
    room.reserve(rows.next_multiple_of(W) * depth);
    for first in (0..rows).step_by(W) {
        for step in 0..depth {
            room.extend((first..first + W).map(|i| if i < rows { entry(step, i) } else { 0.0 }));
        }
    }
}

/// Takes the product of what is packed from the rows of a front from `end` on; of a symmetric one only the lower half
/// is sure to hold.
#[inline(always)]
fn subtract_product<const ROWS: usize>(
    rest: &mut [f64],
    size: usize,
    end: usize,
    depth: usize,
    packed: &Packed,
    lower: bool,
) {
    let height = size - end;
    for (block, right) in packed.right.chunks_exact(TILE * depth).enumerate() {
        let columns = block * TILE..height.min((block + 1) * TILE);
        let first = if lower { columns.start / ROWS } else { 0 };
        for (tile, left) in packed.left.chunks_exact(ROWS * depth).enumerate().skip(first) {
            let sums = product::<ROWS>(left, right);
            let rows = tile * ROWS..height.min((tile + 1) * ROWS);
            for (sums, column) in sums.iter().zip(columns.clone()) {
                let target = &mut rest[column * size + end..][rows.clone()];
                target.iter_mut().zip(sums).for_each(|(x, sum)| *x -= sum);
            }
        }
    }
}

/// One tile of a product.
#[inline(always)]
fn product<const ROWS: usize>(left: &[f64], right: &[f64]) -> [[f64; ROWS]; TILE] {
    let mut sums = [[0.0; ROWS]; TILE];
    for (left, right) in left.as_chunks::<ROWS>().0.iter().zip(right.as_chunks::<TILE>().0) {
        for j in 0..TILE {
            for i in 0..ROWS {
                sums[j][i] += left[i] * right[j];
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(count: usize) -> Vec<f64> {
        (0..count).map(|i| (0.7 * (i * i) as f64).sin()).collect()
    }

    /// Narrow and wide tiles, and what this machine takes: the same bits.
    #[test]
    fn tiles_change_no_bit() {
        for (size, pivots) in [(5, 3), (40, 33), (131, 70), (131, 131)] {
            let mut matrix = noise(size * size);
            let [mut one, mut two, mut three] = [(); 3].map(|()| (matrix.clone(), Vec::new()));
            let packed = &mut Packed::default();
            let (front, swaps) = (&mut one.0, &mut one.1);
            assert!(General { front, size, pivots, swaps, packed }.run::<4>());
            let (front, swaps) = (&mut two.0, &mut two.1);
            assert!(General { front, size, pivots, swaps, packed }.run::<8>());
            assert!(eliminate(&mut three.0, size, pivots, &mut three.1, packed));
            assert!(one == two && one == three, "{size}");

            (0..size).for_each(|i| matrix[i * size + i] += size as f64);
            let [mut one, mut two, mut three] = [(); 3].map(|()| matrix.clone());
            Definite { front: &mut one, size, pivots, packed }.run::<4>().unwrap();
            Definite { front: &mut two, size, pivots, packed }.run::<8>().unwrap();
            eliminate_definite(&mut three, size, pivots, packed).unwrap();
            for column in 0..size {
                let lower = column * size + column..(column + 1) * size;
                assert_eq!(one[lower.clone()], two[lower.clone()]);
                assert_eq!(one[lower.clone()], three[lower]);
            }
        }
    }
}
