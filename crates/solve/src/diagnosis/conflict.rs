//! Impulses that hold each other while the motion drives against them: no solution exists.
//!
//! Farkas' lemma: no velocity meets U_n ≥ 0 at all contacts if and only if there are normal impulses
//! r ≥ 0 that change no velocity, W r = 0, and on which the free velocity works, q·r < 0. With
//! friction the same r in the cones says that the frictional forces lock while they are driven: the
//! impulses can grow without bound, and Coulomb's problem has, as a rule, no solution either.
//!
//! Such an r is a direction in which ½ r·W r + q·r falls for ever. It is found by sweeps of
//! projected steps that minimise this function: the impulses then run away along r, and the
//! difference of two iterates tends to it.

use super::Conflict;
use crate::Assembled;
use crate::assembled::local::{Local, add_scaled, dot, norm, subtract};

/// Sweeps at most, and sweeps between two looks.
const SWEEPS: usize = 2000;
const LOOK: usize = 50;
/// Products of blocks and impulses at most: a diagnosis should not take longer than a solve.
const WORK: usize = 40_000_000;
/// What is left of W r, relative to its largest term, if it is zero.
const ZERO: f64 = 1e-8;
/// Smallest q·r that counts, relative to its terms.
const DRIVEN: f64 = 1e-6;
/// Smallest part of the largest impulse that makes a contact a member of the conflict.
const MEMBER: f64 = 1e-3;

/// A conflict of normal impulses alone, or else one that needs friction.
pub(super) fn find<const D: usize>(
    problem: &Assembled<D>,
    impulses: &[Local<D>],
) -> Option<Conflict> {
    search(problem, impulses, true).or_else(|| search(problem, impulses, false))
}

fn search<const D: usize>(
    problem: &Assembled<D>,
    impulses: &[Local<D>],
    normal_only: bool,
) -> Option<Conflict> {
    let admit = |contact: usize, r: &Local<D>| -> Local<D> {
        if normal_only {
            std::array::from_fn(|i| if i == 0 { r[0].max(0.0) } else { 0.0 })
        } else {
            problem.cones[contact].project(r)
        }
    };
    let count = problem.contacts();
    let finite = impulses.iter().flatten().all(|x| x.is_finite());
    let mut r: Vec<Local<D>> = if finite {
        (0..count).map(|contact| admit(contact, &impulses[contact])).collect()
    } else {
        vec![[0.0; D]; count]
    };
    let mut last = r.clone();
    let sweeps = SWEEPS.min(WORK / problem.delassus.blocks.len().max(1));
    for sweep in 1..=sweeps {
        for contact in 0..count {
            let u = problem.delassus.row_multiply_add(contact, &r, problem.free[contact]);
            let block = problem.delassus.diagonal(contact);
            // A step of 1/trace is short enough for every block; alone, the normal is solved exactly.
            let stiffness =
                if normal_only { block[0][0] } else { (0..D).map(|i| block[i][i]).sum() };
            // What does not answer at all runs away at once.
            let step = if stiffness > 0.0 { 1.0 / stiffness } else { 1.0 };
            r[contact] = admit(contact, &add_scaled(&r[contact], -step, &u));
        }
        if sweep % LOOK == 0 {
            if let Some(conflict) = judge(problem, &r, &last, &admit, normal_only) {
                return Some(conflict);
            }
            last.copy_from_slice(&r);
        }
    }
    None
}

/// Whether the change from `last` to `now` proves the conflict.
fn judge<const D: usize>(
    problem: &Assembled<D>,
    now: &[Local<D>],
    last: &[Local<D>],
    admit: &impl Fn(usize, &Local<D>) -> Local<D>,
    normal_only: bool,
) -> Option<Conflict> {
    let change = |contact: usize| admit(contact, &subtract(&now[contact], &last[contact]));
    let r: Vec<Local<D>> = (0..now.len()).map(change).collect();
    let largest = r.iter().map(|r| norm(r)).fold(0.0, f64::max);
    if largest <= 0.0 || !largest.is_finite() {
        return None;
    }
    let mut cancelled = true;
    let (mut power, mut terms) = (0.0, 0.0);
    for contact in 0..now.len() {
        let mut sum = [0.0; D];
        let mut term = 0.0f64;
        for (column, block) in problem.delassus.row(contact) {
            let part: Local<D> = std::array::from_fn(|i| dot(&block[i], &r[column]));
            sum = add_scaled(&sum, 1.0, &part);
            term = term.max(norm(&part));
        }
        cancelled &= norm(&sum) <= ZERO * term;
        let own = dot(&problem.free[contact], &r[contact]);
        power += own;
        terms += own.abs();
    }
    if !cancelled || power >= -DRIVEN * terms {
        return None;
    }
    let member = |&contact: &usize| norm(&r[contact]) > MEMBER * largest;
    let contacts = (0..r.len()).filter(member).collect();
    Some(Conflict { contacts, needs_friction: !normal_only })
}
