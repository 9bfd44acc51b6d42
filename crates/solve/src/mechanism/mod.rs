//! Mechanisms: movers that bilateral joints hold together, and how they answer to impulses all at once.
//!
//! Joints are rows G of equations G u = w with multipliers λ of any sign: u = u₀ + A⁻¹G*λ (Moreau 1998, §5). They are solved
//! exactly: with K = G A⁻¹G*, Kλ = w − G u₀. Two joints are coupled in K where they share a mover, so that K is as sparse as the
//! graph of joints; along chains and trees its factors take O(N) (`Factors`).
//!
//! To the contacts, a mechanism is a [compliant group](Compliant): each place where a contact acts on it is a point, whose
//! response to an impulse is A⁻¹ − A⁻¹G*K⁻¹G A⁻¹ seen from there. So joints hold exactly under any impulses of contacts, and cost
//! one solve where nothing touches the mechanism.
//!
//! Redundant rows (closed loops, hyperstatic joints) make K singular. It is factored with a little more on its diagonal, and the
//! multipliers are refined until they satisfy K itself: those are the least ones in the norm of that diagonal.

mod factors;
mod tree;

use crate::{Compliant, GROUND, Mover, Twist};
use drystone_space::{InverseInertia, Space, Vector};
use factors::Factors;
pub use tree::{Link, Tree};

/// One equation between the twists of the two movers of a joint: a·u₁ + b·u₂ = w. Its multiplier acts on them by a and b.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointRow<S: Space> {
    /// a and b: what each mover's velocity and spin contribute. Zero for [`GROUND`].
    pub sides: [Twist<S>; 2],
    /// w: what the movers' part must be, with what the ground contributes taken to this side.
    pub given: f64,
}

/// A joint: rows between two members, either of which may be [`GROUND`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JointOf {
    /// Numbers among the members.
    pub members: [u32; 2],
    /// How many rows it has.
    pub rows: usize,
}

/// What an impulse of size 1 does to the members: a generalised force on up to two of them, and the velocity that belongs to it.
pub type Handle<S> = [(u32, Twist<S>); 2];

/// Movers held together by joints.
#[derive(Clone, Debug)]
pub struct Mechanism<S: Space> {
    joints: Vec<JointOf>,
    /// The first row of each joint, and the number of all rows.
    starts: Vec<usize>,
    rows: Vec<JointRow<S>>,
    /// A⁻¹ times both sides of each row.
    answers: Vec<[Twist<S>; 2]>,
    movers: Vec<Mover<S>>,
    factors: Factors,
    multipliers: Vec<f64>,
    twists: Vec<Twist<S>>,
}

/// a·u.
#[inline]
fn power<S: Space>(row: &Twist<S>, twist: &Twist<S>) -> f64 {
    row.velocity.dot(twist.velocity) + row.spin.dot(twist.spin)
}

impl<S: Space> Mover<S> {
    /// A⁻¹ of a generalised impulse.
    #[inline]
    fn answer(&self, push: &Twist<S>) -> Twist<S> {
        Twist {
            velocity: push.velocity * self.inverse_mass,
            spin: self.inverse_inertia.apply(push.spin),
        }
    }
}

impl<S: Space> Twist<S> {
    /// Adds a multiple of another twist.
    #[inline]
    pub fn add_scaled(&mut self, other: &Self, factor: f64) {
        self.velocity += other.velocity * factor;
        self.spin += other.spin * factor;
    }
}

impl<S: Space> Mechanism<S> {
    /// A mechanism of so many members. `None` if there is not enough memory.
    ///
    /// # Panics
    /// If a joint names a member that is not there.
    pub fn new(members: usize, joints: Vec<JointOf>) -> Option<Self> {
        let all = joints.iter().flat_map(|joint| joint.members);
        assert!(all.filter(|&m| m != GROUND).all(|m| (m as usize) < members), "no such member");
        let mut starts = vec![0];
        for joint in &joints {
            starts.push(starts[starts.len() - 1] + joint.rows);
        }
        let count = starts[joints.len()];
        Some(Self {
            factors: Factors::new(members, &joints, &starts)?,
            joints,
            starts,
            rows: vec![JointRow::default(); count],
            answers: vec![[Twist::ZERO; 2]; count],
            movers: vec![Mover::default(); members],
            multipliers: vec![0.0; count],
            twists: vec![Twist::ZERO; members],
        })
    }

    /// The members that a joint holds; [`GROUND`] for what is none.
    pub fn members(&self, joint: usize) -> [u32; 2] {
        self.joints[joint].members
    }

    /// Finds out whether some rows follow from others, as the mechanism was last [factored](Self::factor): multipliers are
    /// sought accordingly from then on. Rows that answer to less than 1e-7 or so of what others do count as redundant.
    pub fn look_for_redundant(&mut self) -> bool {
        self.factors.look_for_singular()
    }

    /// The rows of a joint, to be set before the mechanism is [factored](Self::factor).
    pub fn rows_mut(&mut self, joint: usize) -> &mut [JointRow<S>] {
        &mut self.rows[self.starts[joint]..self.starts[joint + 1]]
    }

    /// The rows of a joint.
    pub fn rows(&self, joint: usize) -> &[JointRow<S>] {
        &self.rows[self.starts[joint]..self.starts[joint + 1]]
    }

    /// The multipliers of a joint's rows in the last solve.
    pub fn multipliers(&self, joint: usize) -> &[f64] {
        &self.multipliers[self.starts[joint]..self.starts[joint + 1]]
    }

    /// The members' inverse inertias, to be set before the mechanism is factored.
    pub fn movers_mut(&mut self) -> &mut [Mover<S>] {
        &mut self.movers
    }

    /// Takes rows and inverse inertias as they are now. False where they are no numbers.
    pub fn factor(&mut self) -> bool {
        for (joint, start) in self.joints.iter().zip(&self.starts) {
            for row in *start..*start + joint.rows {
                for side in 0..2 {
                    self.answers[row][side] = match joint.members[side] {
                        GROUND => Twist::ZERO,
                        member => self.movers[member as usize].answer(&self.rows[row].sides[side]),
                    };
                }
            }
        }
        let (rows, answers) = (&self.rows, &self.answers);
        self.factors
            .factor(|row, side, other, its| power(&rows[row].sides[side], &answers[other][its]))
    }

    /// What the rows miss: w − G u.
    fn misses(&self, twists: &[Twist<S>], homogeneous: bool, into: &mut Vec<f64>) {
        into.clear();
        for (joint, start) in self.joints.iter().zip(&self.starts) {
            for row in &self.rows[*start..*start + joint.rows] {
                let mut miss = if homogeneous { 0.0 } else { row.given };
                for (side, &member) in joint.members.iter().enumerate() {
                    if member != GROUND {
                        miss -= power(&row.sides[side], &twists[member as usize]);
                    }
                }
                into.push(miss);
            }
        }
    }

    /// u += A⁻¹G*λ.
    fn add(&self, multipliers: &[f64], twists: &mut [Twist<S>]) {
        for (joint, start) in self.joints.iter().zip(&self.starts) {
            for row in *start..*start + joint.rows {
                for (side, &member) in joint.members.iter().enumerate() {
                    if member != GROUND {
                        twists[member as usize]
                            .add_scaled(&self.answers[row][side], multipliers[row]);
                    }
                }
            }
        }
    }

    /// u ← u + A⁻¹G*λ so that G u = w; the multipliers can be [asked for](Self::multipliers).
    pub fn constrain(&mut self, twists: &mut [Twist<S>]) {
        let mut multipliers = std::mem::take(&mut self.multipliers);
        self.misses(twists, false, &mut multipliers);
        self.factors.solve(&mut multipliers);
        self.add(&multipliers, twists);
        self.multipliers = multipliers;
    }

    /// What joints do not hold of these twists: the largest |w − G u|.
    pub fn slip(&self, twists: &[Twist<S>]) -> f64 {
        let mut misses = Vec::new();
        self.misses(twists, false, &mut misses);
        misses.iter().fold(0.0, |worst, miss| worst.max(miss.abs()))
    }

    /// Adds A⁻¹ of an impulse on a handle to the members' twists; joints do not know of it yet.
    pub fn push(&self, handle: &Handle<S>, impulse: f64, twists: &mut [Twist<S>]) {
        for (member, push) in handle {
            if *member != GROUND {
                let answer = self.movers[*member as usize].answer(push);
                twists[*member as usize].add_scaled(&answer, impulse);
            }
        }
    }

    /// The velocity that belongs to a handle.
    pub fn velocity(handle: &Handle<S>, twists: &[Twist<S>]) -> f64 {
        let known = handle.iter().filter(|(member, _)| *member != GROUND);
        known.map(|(member, push)| power(push, &twists[*member as usize])).sum()
    }

    /// Fills in what all points of a group answer to impulses at each of them. Each point has a handle for each axis.
    pub fn respond(&mut self, handles: &[Handle<S>], group: &mut Compliant<S>) {
        let (mut twists, mut multipliers) =
            (std::mem::take(&mut self.twists), std::mem::take(&mut self.multipliers));
        fill_responses(handles, group, |handle, seen| {
            twists.fill(Twist::ZERO);
            self.push(handle, 1.0, &mut twists);
            self.misses(&twists, true, &mut multipliers);
            self.factors.solve(&mut multipliers);
            self.add(&multipliers, &mut twists);
            seen(&twists);
        });
        (self.twists, self.multipliers) = (twists, multipliers);
    }
}

/// Shows the twists that members have after an impulse on a handle.
type Show<'a, S> = &'a mut dyn FnMut(&[Twist<S>]);

/// Fills in what all points of a group answer to impulses at each of them, as `answer` shows it for each handle.
fn fill_responses<S: Space>(
    handles: &[Handle<S>],
    group: &mut Compliant<S>,
    mut answer: impl FnMut(&Handle<S>, Show<'_, S>),
) {
    assert_eq!(handles.len(), group.points().len() * S::DIMENSION, "a handle for each axis");
    for (number, handle) in handles.iter().enumerate() {
        let (point, axis) = (number / S::DIMENSION, number % S::DIMENSION);
        let point = group.points().start + point as u32;
        if handle.iter().all(|(member, _)| *member == GROUND) {
            // What acts along one axis only has others that act on nothing.
            group.response_mut(point, axis).fill(S::Vector::ZERO);
            continue;
        }
        answer(handle, &mut |twists| {
            let answers = group.response_mut(point, axis).iter_mut();
            for (answer, seen) in answers.zip(handles.chunks_exact(S::DIMENSION)) {
                *answer = S::Vector::from_fn(|axis| Mechanism::velocity(&seen[axis], twists));
            }
        });
    }
}

#[cfg(test)]
mod tests;
