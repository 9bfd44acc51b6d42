//! From the matrix-free form to the assembled one.

use super::local::Square;
use super::{AnyAssembled, Assembled, BlockMatrix, Cone};
use crate::{Blocks, Contact, ContactProblem, Couple, GROUND, SmallGroups, Solution, Twist};
use drystone_space::{Frame, InverseInertia, Local as _, Plane, Space, Volume};

/// A space whose contact problems can be assembled.
pub trait Gather: Blocks {
    /// W, q and the cones of a matrix-free problem whose laws are all Coulomb's
    /// ([`ContactProblem::is_coulomb`]): cones have no place for special laws.
    fn gather(problem: &ContactProblem<Self>) -> AnyAssembled;

    /// The same where contacts also resist rolling, as FCLib has it: in space, and against rolling alone. `None` where a
    /// law is neither Coulomb's nor of this kind.
    fn gather_rolling(problem: &ContactProblem<Self>) -> Option<AnyAssembled>;

    /// Solves small groups of contacts, each at once; see [`SmallGroups`]. Returns the most steps that one
    /// of them took.
    fn settle(
        groups: &mut SmallGroups<Self>,
        problem: &ContactProblem<Self>,
        solution: &mut Solution<Self>,
        tolerance: f64,
    ) -> usize;
}

macro_rules! gather {
    ($space:ident, $size:literal, $rolling:expr) => {
        impl Gather for $space {
            fn gather(problem: &ContactProblem<Self>) -> AnyAssembled {
                AnyAssembled::$space(assemble(problem, &Points::<$size>))
            }

            fn gather_rolling(problem: &ContactProblem<Self>) -> Option<AnyAssembled> {
                $rolling(problem)
            }

            fn settle(
                groups: &mut SmallGroups<Self>,
                problem: &ContactProblem<Self>,
                solution: &mut Solution<Self>,
                tolerance: f64,
            ) -> usize {
                groups.settle::<$size>(problem, solution, tolerance)
            }
        }
    };
}

gather!(Plane, 2, |_| None);
gather!(Volume, 3, |problem: &ContactProblem<Volume>| {
    let rows = Rollers { problem };
    let fit = problem.contacts.iter().all(|contact| rows.fits(contact));
    fit.then(|| AnyAssembled::Rolling(assemble(problem, &rows)))
});

/// What the rows of a contact stand for.
trait Rows<S: Blocks, const D: usize> {
    /// Adds A⁻¹ of a unit impulse.
    fn push(
        &self,
        contact: &Contact<S>,
        axis: usize,
        problem: &ContactProblem<S>,
        to: &mut [Twist<S>],
    );
    /// Velocities at the contact.
    fn velocity(&self, contact: &Contact<S>, twists: &[Twist<S>]) -> [f64; D];
    /// What is added to them.
    fn offset(&self, contact: &Contact<S>) -> [f64; D];
    fn cone(&self, contact: &Contact<S>) -> Cone;
}

/// Points that touch.
struct Points<const D: usize>;

impl<S: Blocks, const D: usize> Rows<S, D> for Points<D> {
    fn push(
        &self,
        contact: &Contact<S>,
        axis: usize,
        problem: &ContactProblem<S>,
        to: &mut [Twist<S>],
    ) {
        problem.respond(&contact.map, S::Local::axis(axis), to);
    }
    fn velocity(&self, contact: &Contact<S>, twists: &[Twist<S>]) -> [f64; D] {
        contact.map.to_contact(twists).to_array()
    }
    fn offset(&self, contact: &Contact<S>) -> [f64; D] {
        contact.offset.to_array()
    }
    fn cone(&self, contact: &Contact<S>) -> Cone {
        Cone::coulomb(contact.law.friction())
    }
}

/// Points that touch and roll: three velocities, then the relative spins about the tangents.
struct Rollers<'a> {
    problem: &'a ContactProblem<Volume>,
}

impl Rollers<'_> {
    fn couple(&self, contact: &Contact<Volume>) -> Option<&Couple<Volume>> {
        contact.law.special(&self.problem.specials)?.couple()
    }

    /// Whether the cone of friction and rolling is all of a contact's law.
    fn fits(&self, contact: &Contact<Volume>) -> bool {
        let Some(special) = contact.law.special(&self.problem.specials) else { return true };
        let spins = self.couple(contact).is_some_and(|couple| couple.resistance.spinning > 0.0);
        special.plain_friction().is_some() && special.cohesion() == 0.0 && !spins
    }

    /// Whether the second side's spin counts.
    fn second_turns(&self, contact: &Contact<Volume>) -> bool {
        let given = || contact.map.second != GROUND;
        self.couple(contact).map_or_else(given, |couple| couple.second_turns)
    }
}

impl Rows<Volume, 5> for Rollers<'_> {
    fn push(
        &self,
        contact: &Contact<Volume>,
        axis: usize,
        problem: &ContactProblem<Volume>,
        to: &mut [Twist<Volume>],
    ) {
        let local = <Volume as Space>::Local::axis;
        let (map, movers) = (&contact.map, &problem.movers);
        if axis < 3 {
            return problem.respond(map, local(axis), to);
        }
        let couple = map.frame.spin_to_world(local(axis - 2));
        to[map.first as usize].spin += movers[map.first as usize].inverse_inertia.apply(couple);
        if self.second_turns(contact) {
            let second = map.second as usize;
            to[second].spin -= movers[second].inverse_inertia.apply(couple);
        }
    }
    fn velocity(&self, contact: &Contact<Volume>, twists: &[Twist<Volume>]) -> [f64; 5] {
        let map = &contact.map;
        let mut spin = twists[map.first as usize].spin;
        if self.second_turns(contact) {
            spin -= twists[map.second as usize].spin;
        }
        five(map.to_contact(twists), map.frame.spin_to_local(spin))
    }
    fn offset(&self, contact: &Contact<Volume>) -> [f64; 5] {
        let spin = self.couple(contact).map(|couple| couple.offset);
        five(contact.offset, spin.unwrap_or_default())
    }
    fn cone(&self, contact: &Contact<Volume>) -> Cone {
        let special = contact.law.special(&self.problem.specials);
        let friction = special.and_then(|special| special.plain_friction());
        Cone {
            friction: friction.unwrap_or_else(|| contact.law.friction()),
            rolling: self.couple(contact).map_or(0.0, |couple| couple.resistance.rolling),
        }
    }
}

/// Velocities, and spins about the tangents.
fn five(velocity: <Volume as Space>::Local, spin: <Volume as Space>::Local) -> [f64; 5] {
    let ([n, t, b], [_, x, y]): ([f64; 3], [f64; 3]) = (velocity.to_array(), spin.to_array());
    [n, t, b, x, y]
}

fn assemble<S: Blocks, const D: usize>(
    problem: &ContactProblem<S>,
    rows: &impl Rows<S, D>,
) -> Assembled<D> {
    let contacts = &problem.contacts;
    // What answers together: a mover, or all points of a compliant group, numbered after the movers.
    let responder = |mover: u32| match problem.group_of(mover) {
        Some(group) => problem.movers.len() + group,
        None => mover as usize,
    };
    let sides = |index: usize| {
        let map = &contacts[index].map;
        [map.first, map.second].into_iter().filter(|&mover| mover != GROUND)
    };
    // The contacts of each, in rising order.
    let mut of_responder = vec![Vec::new(); problem.movers.len() + problem.compliant.len()];
    for index in 0..contacts.len() {
        sides(index).for_each(|mover| of_responder[responder(mover)].push(index as u32));
    }
    let pattern: Vec<Vec<u32>> = (0..contacts.len())
        .map(|index| {
            let near =
                sides(index).flat_map(|mover| of_responder[responder(mover)].iter().copied());
            let mut near: Vec<u32> = near.collect();
            near.sort_unstable();
            near.dedup();
            near
        })
        .collect();
    let mut delassus = BlockMatrix::from_pattern(&pattern);
    let mut twists = vec![Twist::ZERO; problem.movers.len()];
    let mut start = 0;
    // Row by row: W is symmetric, so the answer of the row's neighbours to its unit impulses is
    // the row itself, transposed.
    for (index, near) in pattern.iter().enumerate() {
        let blocks: &mut [Square<D>] = &mut delassus.blocks[start..start + near.len()];
        for axis in 0..D {
            rows.push(&contacts[index], axis, problem, &mut twists);
            for (block, &other) in blocks.iter_mut().zip(near) {
                block[axis] = rows.velocity(&contacts[other as usize], &twists);
            }
            for mover in sides(index) {
                match problem.group_of(mover) {
                    Some(group) => problem.compliant[group]
                        .points()
                        .for_each(|point| twists[point as usize] = Twist::ZERO),
                    None => twists[mover as usize] = Twist::ZERO,
                }
            }
        }
        start += near.len();
    }
    let free = |contact: &Contact<S>| {
        let (offset, velocity) = (rows.offset(contact), rows.velocity(contact, &problem.free));
        std::array::from_fn(|i| offset[i] + velocity[i])
    };
    Assembled {
        delassus,
        free: contacts.iter().map(free).collect(),
        cones: contacts.iter().map(|contact| rows.cone(contact)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ContactMap, GeneralCone, Law, Mover, Nlgs, NlgsParams, Residual, Resistance, Special,
        Status, Threads, Turning, with_assembled,
    };
    use drystone_space::{DVec3, Symmetric3, VolumeFrame};

    /// A ball on another on the ground, pushed and turned: rolling is stopped at one contact, goes on at the other.
    fn rolling_balls() -> ContactProblem<Volume> {
        let mover = Mover {
            inverse_mass: 2.0,
            inverse_inertia: Symmetric3 { diagonal: DVec3::splat(40.0), off: DVec3::ZERO },
        };
        let pushed =
            |speed: f64, spin: DVec3| Twist { velocity: DVec3::new(speed, 0.2, -1.0), spin };
        let mut problem = ContactProblem::<Volume> {
            movers: vec![mover; 2],
            free: vec![pushed(0.01, DVec3::ZERO), pushed(0.9, DVec3::new(1.0, 2.0, 3.0))],
            ..Default::default()
        };
        for (first, second) in [(0, GROUND), (1, 0)] {
            let map = ContactMap {
                first,
                second,
                frame: VolumeFrame::from_normal(
                    DVec3::new(0.1 * f64::from(first), 0.0, 1.0).normalize(),
                ),
                arm_first: DVec3::new(-0.01 * f64::from(first), 0.0, -0.1),
                arm_second: DVec3::new(0.01, 0.0, 0.1),
            };
            let turning = Turning { second_turns: second != GROUND, second_spin: DVec3::ZERO };
            let resistance = Resistance { rolling: 0.01, spinning: 0.0 };
            let offset = Default::default();
            problem.push_cone(map, offset, GeneralCone::coulomb(0.6), resistance, turning, 1.0);
        }
        problem
    }

    #[test]
    fn the_assembled_form_agrees_with_sweeps_over_couples() {
        let problem = rolling_balls();
        let zero = <Volume as Space>::Local::default();
        let mut solution =
            Solution { impulses: vec![zero; 2], couples: vec![zero; 2], ..Default::default() };
        let params = NlgsParams { tolerance: 1e-11, ..Default::default() };
        let report = Nlgs::default().solve(&problem, &mut solution, &params, &Threads::one());
        assert_eq!(report.status, Status::Solved, "{report:?}");
        let assembled = Volume::gather_rolling(&problem).expect("rolling only");
        let AnyAssembled::Rolling(assembled) = assembled else { panic!("not of rolling") };
        let both = solution.impulses.iter().zip(&solution.couples);
        let impulses: Vec<[f64; 5]> = both.map(|(&p, &m)| five(p, m)).collect();
        assert!(impulses.iter().all(|r| r[0] > 0.0 && r[3].hypot(r[4]) > 0.0), "{impulses:?}");
        let residual = Residual::of_impulses(&assembled, &impulses);
        assert!(residual.worst() < 1e-8, "{residual:?}");
        let spoiled: Vec<[f64; 5]> = impulses.iter().map(|r| r.map(|x| 1.01 * x)).collect();
        assert!(Residual::of_impulses(&assembled, &spoiled).worst() > 1e-4);
    }

    #[test]
    fn spinning_resistance_has_no_place() {
        let mut problem = rolling_balls();
        let Special::Cone(cone) = &mut problem.specials[1] else { panic!("a cone") };
        cone.couple.as_mut().expect("it rolls").resistance.spinning = 0.01;
        assert!(Volume::gather_rolling(&problem).is_none());
    }

    #[test]
    fn without_rolling_all_is_as_it_was() {
        let mut problem = rolling_balls();
        problem.specials.clear();
        problem.contacts.iter_mut().for_each(|contact| contact.law = Law::Coulomb(0.6));
        let plain = Volume::gather(&problem);
        let rolling = Volume::gather_rolling(&problem).expect("all are Coulomb's");
        let first =
            |any: &AnyAssembled| with_assembled!(any, a => (a.free[1][0], a.cones[1].friction));
        assert_eq!(first(&plain), first(&rolling));
    }
}
