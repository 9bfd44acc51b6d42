//! Factors of K = G A⁻¹G*, and multipliers that satisfy it.

use super::JointOf;
use crate::GROUND;
use drystone_linear::Cholesky;

/// What is added to the diagonal of K, which is 1 after scaling: redundant rows get a pivot by it. Rounding reaches the
/// multipliers of redundant rows with a share of ε/`SHIFT`; where K hardly answers, a larger one costs steps of refinement.
const SHIFT: f64 = 1e-8;
/// Where K answers less than this it answers with rounding only: a direction of redundant rows.
const NOTHING: f64 = 1e-14;
/// The same of K as it is known to be singular, where more than rounding of one row is in the way.
const SINGULAR: f64 = 1e-13;
/// Most steps of refinement, and most of them again from a residual computed afresh.
const STEPS: usize = 100;
const ROUNDS: usize = 4;
/// A residual below this share of what stands in it is rounding.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// A block of K: the coupling of two joints by a member that both have.
#[derive(Clone, Copy, Debug)]
struct Coupling {
    joint: u32,
    other: u32,
    /// Which side of each the member is.
    sides: [u8; 2],
}

/// K with its rows scaled to a diagonal of 1, row after row up to the diagonal, and its factors.
#[derive(Clone, Debug)]
pub(super) struct Factors {
    /// Sorted by joint, then by the other joint, which comes before it or is the same.
    couplings: Vec<Coupling>,
    joints: Vec<(usize, usize)>,
    starts: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<f64>,
    shifted: Vec<f64>,
    scales: Vec<f64>,
    cholesky: Cholesky,
    solution: Vec<f64>,
    residual: Vec<f64>,
    direction: Vec<f64>,
    nearer: Vec<f64>,
    image: Vec<f64>,
    /// Whether rows are redundant, so that K is singular.
    singular: bool,
}

/// The pattern's order; joints without rows have none, for which one of a single unknown stands.
fn analysed(starts: &[u32], columns: &[u32]) -> Option<Cholesky> {
    match starts.len() {
        1 => Cholesky::new(&[0, 1], &[0]),
        _ => Cholesky::new(starts, columns),
    }
}

fn couplings(members: usize, joints: &[JointOf]) -> Vec<Coupling> {
    let mut of_member = vec![Vec::new(); members];
    for (number, joint) in joints.iter().enumerate() {
        for (side, &member) in joint.members.iter().enumerate() {
            if member != GROUND {
                of_member[member as usize].push((number as u32, side as u8));
            }
        }
    }
    let mut all = Vec::new();
    for list in &of_member {
        for &(joint, side) in list {
            let before = list.iter().filter(|(other, _)| *other <= joint);
            all.extend(before.map(|&(other, its)| Coupling { joint, other, sides: [side, its] }));
        }
    }
    all.sort_by_key(|c| (c.joint, c.other, c.sides));
    all
}

impl Factors {
    /// Analyses the graph of joints. `None` if there is not enough memory.
    pub fn new(members: usize, joints: &[JointOf], first_rows: &[usize]) -> Option<Self> {
        let couplings = couplings(members, joints);
        let (mut starts, mut columns) = (vec![0], Vec::new());
        for (number, joint) in joints.iter().enumerate() {
            let own =
                couplings.iter().skip(couplings.partition_point(|c| (c.joint as usize) < number));
            let mut others: Vec<u32> =
                own.take_while(|c| c.joint as usize == number).map(|c| c.other).collect();
            others.push(number as u32);
            others.sort_unstable();
            others.dedup();
            for row in first_rows[number]..first_rows[number] + joint.rows {
                for &other in &others {
                    let its = first_rows[other as usize]..first_rows[other as usize + 1];
                    columns.extend(its.filter(|&column| column <= row).map(|column| column as u32));
                }
                starts.push(columns.len() as u32);
            }
        }
        let cholesky = analysed(&starts, &columns)?;
        let size = starts.len() - 1;
        Some(Self {
            joints: joints.iter().zip(first_rows).map(|(j, &start)| (start, j.rows)).collect(),
            couplings,
            values: vec![0.0; columns.len()],
            shifted: Vec::new(),
            starts,
            columns,
            scales: vec![1.0; size],
            cholesky,
            solution: Vec::new(),
            residual: Vec::new(),
            direction: Vec::new(),
            nearer: Vec::new(),
            image: Vec::new(),
            singular: false,
        })
    }

    /// Factors K, whose parts `entry` gives: of a row's side with another row's side that has the same member.
    pub fn factor(&mut self, entry: impl Fn(usize, usize, usize, usize) -> f64) -> bool {
        self.values.fill(0.0);
        for coupling in &self.couplings {
            let (first, count) = self.joints[coupling.joint as usize];
            let (other, its) = self.joints[coupling.other as usize];
            for row in first..first + count {
                let (from, to) = (self.starts[row] as usize, self.starts[row + 1] as usize);
                let place =
                    from + self.columns[from..to].partition_point(|&c| (c as usize) < other);
                let columns = other..(other + its).min(row + 1);
                for (place, column) in (place..).zip(columns) {
                    let [side, its] = coupling.sides.map(usize::from);
                    self.values[place] += entry(row, side, column, its);
                }
            }
        }
        let size = self.scales.len();
        for row in 0..size {
            let diagonal = self.values[self.starts[row + 1] as usize - 1];
            if !diagonal.is_finite() {
                return false;
            }
            // A row between movers that nothing can move holds by itself.
            self.scales[row] = if diagonal > 0.0 { 1.0 / diagonal.sqrt() } else { 0.0 };
        }
        for row in 0..size {
            for place in self.starts[row] as usize..self.starts[row + 1] as usize {
                let column = self.columns[place] as usize;
                self.values[place] *= self.scales[row] * self.scales[column];
                if column == row && self.scales[row] == 0.0 {
                    self.values[place] = 1.0;
                }
            }
        }
        self.shifted.clone_from(&self.values);
        for row in 0..size {
            self.shifted[self.starts[row + 1] as usize - 1] += SHIFT;
        }
        size == 0 || self.cholesky.factor(&self.shifted).is_ok()
    }

    /// Finds out whether K has directions in which it answers with no more than the shift: there shift·(K + shift)⁻¹ takes
    /// nothing away from a vector, and in all others what it leaves vanishes in a few rounds. From then on, multipliers are
    /// sought across such directions.
    pub fn look_for_singular(&mut self) -> bool {
        let size = self.scales.len();
        if size == 0 {
            return false;
        }
        // Any vector that is across no direction.
        let mut left: Vec<f64> =
            (0..size).map(|i| 0.5 + ((i + 1) as f64 * 0.618_033_988_749_894_9).fract()).collect();
        let start = norm(&left);
        for _ in 0..5 {
            left.iter_mut().for_each(|x| *x *= SHIFT);
            self.cholesky.solve(&mut left);
        }
        self.singular = norm(&left) > 1e-6 * start;
        self.singular
    }

    /// b ← K⁻¹b. Conjugate gradients, with the factors for a preconditioner, take the shift out again: one or two steps, but for
    /// directions in which K is hardly more than the shift.
    pub fn solve(&mut self, b: &mut [f64]) {
        let size = b.len();
        if size == 0 {
            return;
        }
        b.iter_mut().zip(&self.scales).for_each(|(b, scale)| *b *= scale);
        let scale = norm(b);
        self.solution.clear();
        self.solution.resize(size, 0.0);
        self.image.resize(size, 0.0);
        for _ in 0..ROUNDS {
            product(&self.starts, &self.columns, &self.values, &self.solution, &mut self.image);
            self.residual.clear();
            self.residual.extend(b.iter().zip(&self.image).map(|(b, image)| b - image));
            if norm(&self.residual) <= ROUNDING * (scale + norm(&self.solution)) {
                break;
            }
            self.refine(scale);
            if self.singular {
                // What is left cannot be met.
                break;
            }
        }
        let all = b.iter_mut().zip(&self.solution).zip(&self.scales);
        all.for_each(|((b, x), scale)| *b = x * scale);
    }

    /// (K + shift)⁻¹ of the residual. Where K is singular, (K + shift)⁻¹ K (K + shift)⁻¹, which has nothing along redundant
    /// directions: a residual there cannot be met, and rounding in positions makes one. Divided by the shift it would
    /// outgrow all else.
    fn precondition(&mut self) {
        self.nearer.clone_from(&self.residual);
        self.cholesky.solve(&mut self.nearer);
        if self.singular {
            product(&self.starts, &self.columns, &self.values, &self.nearer, &mut self.image);
            self.nearer.clone_from(&self.image);
            self.cholesky.solve(&mut self.nearer);
        }
    }

    fn refine(&mut self, scale: f64) {
        let mut before = 0.0;
        for step in 0..STEPS {
            self.precondition();
            let product_now = dot(&self.residual, &self.nearer);
            if step == 0 {
                self.direction.clone_from(&self.nearer);
            } else {
                let beta = product_now / before;
                let all = self.direction.iter_mut().zip(&self.nearer);
                all.for_each(|(d, z)| *d = z + beta * *d);
            }
            before = product_now;
            product(&self.starts, &self.columns, &self.values, &self.direction, &mut self.image);
            let curvature = dot(&self.direction, &self.image);
            // Nothing is left but rounding, where a redundant row answers to nothing.
            let rising = curvature > 0.0 && product_now > 0.0;
            let null =
                self.singular && curvature <= SINGULAR * dot(&self.direction, &self.direction);
            if !rising || null {
                return;
            }
            let length = product_now / curvature;
            if !self.singular && length > SHIFT / NOTHING {
                // It must not hinder all others, which a plain step of refinement brings nearer.
                self.solution.iter_mut().zip(&self.nearer).for_each(|(x, z)| *x += z);
                return;
            }
            self.solution.iter_mut().zip(&self.direction).for_each(|(x, d)| *x += length * d);
            self.residual.iter_mut().zip(&self.image).for_each(|(r, image)| *r -= length * image);
            if norm(&self.residual) <= ROUNDING * (scale + norm(&self.solution)) {
                return;
            }
        }
    }
}

/// K x, from the rows up to the diagonal.
fn product(starts: &[u32], columns: &[u32], values: &[f64], x: &[f64], into: &mut [f64]) {
    into.fill(0.0);
    for row in 0..x.len() {
        let mut sum = 0.0;
        for place in starts[row] as usize..starts[row + 1] as usize {
            let (column, value) = (columns[place] as usize, values[place]);
            sum += value * x[column];
            if column != row {
                into[column] += value * x[row];
            }
        }
        into[row] += sum;
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}
