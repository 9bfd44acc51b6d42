//! Lanes against contacts by themselves.

use super::*;
use crate::colour::Colouring;
use crate::residual::Judge;
use crate::{Block, Contacts, Curve, Listed, Nlgs, NlgsParams, Threads};
use crate::{Residual, Solution, SweepOrder};
use drystone_space::{
    DVec2, DVec3, Frame, InverseInertia, Local3, Plane, Random, Rotation, Volume,
};
use proptest::prelude::*;

/// u += A⁻¹ G* impulse of each row of a quad.
fn respond<S: Blocks>(
    quads: &Quads<S>,
    quad_index: usize,
    impulses: &[LocalOf<S>],
    slots: &mut [SlotOf<S>],
) {
    let quad = &quads.quads[quad_index];
    let [mut first, mut second] = quad.motions::<S, Lanes>(slots);
    for row in quad.rows() {
        let extra = quads.extra(row).zip(quads.sides(quad_index));
        quads.rows[row].respond(extra, &impulses[row], &mut first, &mut second);
    }
    let sides = [(quad.first, first), (quad.second, second)];
    for (indices, motion) in sides {
        for (index, slot) in indices.into_iter().zip(S::Kernel::scatter(motion)) {
            if let Some(kept) = slots.get_mut(index as usize) {
                *kept = slot;
            }
        }
    }
}

/// A chain of bodies of many shapes, each on the one before it, the first on the ground, with
/// impulses. The first ones are balls, with one point each, others have up to four; every third obeys A-CD².
fn chain<S: Blocks>(
    numbers: &[f64],
    friction: f64,
    balls: u32,
) -> (ContactProblem<S>, Solution<S>) {
    let mut numbers = numbers.iter().copied().cycle();
    let mut next = || numbers.next().unwrap_or_default();
    let mut problem = ContactProblem::default();
    let mut solution = Solution::default();
    for i in 0..7u32 {
        let turn = S::Rotation::exponential(S::Spin::from_fn(|_| next()));
        let ball = i < balls;
        let moments = S::Spin::from_fn(|_| if ball { 1.0 } else { 1.5 + next() });
        let inverse_inertia = S::InverseInertia::from_principal(moments, turn);
        problem.movers.push(Mover { inverse_mass: 1.5 + next(), inverse_inertia });
        let velocity = S::Vector::from_fn(|_| next());
        problem.free.push(Twist { velocity, spin: S::Spin::from_fn(|_| next()) });
        let normal = S::Vector::axis(1) + S::Vector::from_fn(|_| 0.5 * next());
        let normal = normal / normal.norm();
        let arm = S::Vector::from_fn(|_| if ball { 0.0 } else { next() });
        let mut map = ContactMap {
            first: i,
            second: if i == 0 { GROUND } else { i - 1 },
            frame: S::Frame::from_normal(normal),
            arm_first: arm - normal,
            arm_second: arm + normal,
        };
        let law = if i % 3 == 1 { Law::Frictionless } else { Law::Coulomb(friction) };
        let offset = S::Local::new(next(), S::Tangent::from_fn(|_| next()));
        let impulse = S::Local::new(next(), S::Tangent::from_fn(|_| next()));
        if i % 3 == 2 {
            let law = Percussion::quadratic(offset, 0.5 + 0.4 * next(), 0.5 + 0.5 * next());
            let friction = if next() > 0.0 { friction } else { f64::INFINITY };
            let law = Percussion { pulls: next() > 0.0, friction, ..law };
            let rigid = friction < f64::INFINITY && next() > 0.3;
            let law = if rigid { Percussion { tangential: Curve::Rigid, ..law } } else { law };
            problem.push_percussion(map, offset, law, 1.0);
            solution.couples.push(S::Local::ZERO);
            solution.impulses.push(impulse);
            continue;
        }
        problem.contacts.push(Contact::new(map, offset, law, &problem.movers, 1.0));
        solution.impulses.push(law.project::<S>(impulse));
        // The other points of a manifold.
        for _ in 1..if ball { 1 } else { i - 2 } {
            let aside = S::Vector::from_fn(|_| next());
            (map.arm_first, map.arm_second) = (map.arm_first + aside, map.arm_second + aside);
            let tilted = normal + S::Vector::from_fn(|_| 0.1 * next());
            map.frame = S::Frame::from_normal(tilted / tilted.norm());
            let offset = S::Local::new(next(), S::Tangent::from_fn(|_| next()));
            problem.contacts.push(Contact::new(map, offset, law, &problem.movers, 1.0));
            solution.impulses.push(law.project::<S>(impulse));
        }
    }
    solution.refresh(&problem);
    (problem, solution)
}

/// Each lane must do what its contact does by itself.
fn agrees<S: Blocks>(numbers: &[f64], friction: f64, balls: u32) -> Result<(), TestCaseError> {
    let (problem, solution) = chain::<S>(numbers, friction, balls);
    let contacts = Listed { contacts: &problem.contacts, starts: &solution.impulses };
    let mut colouring = Colouring::default();
    colouring.arrange(&problem, &contacts, SweepOrder::Coloured, None);
    let mut quads = Quads::default();
    let movers = problem.free.iter().zip(&problem.movers);
    let free: Vec<_> = movers.map(|(twist, mover)| S::Kernel::slot(twist, mover)).collect();
    let mut judge = Judge::default();
    quads.divide(problem.movers.len(), &colouring, 1, 0);
    let meeting = judge.begin(quads.rows.len(), quads.chunks());
    let mut impulses = vec![LocalOf::<S>::default(); quads.rows.len()];
    quads.fill(&problem, &contacts, &colouring, &mut impulses, &meeting, |filled| {
        // SAFETY: there is one thread only.
        unsafe { meeting.add_free(&free, filled) };
    });
    judge.ready(&problem, &quads, problem.contacts.len(), None);
    let mut slots = free.clone();
    for index in 0..quads.quads.len() {
        respond(&quads, index, &impulses, &mut slots);
    }
    for (slot, twist) in slots.iter().zip(&solution.twists) {
        let found = S::Kernel::twist(slot);
        prop_assert!((found.velocity - twist.velocity).norm() < 1e-12);
        prop_assert!((found.spin - twist.spin).norm() < 1e-12);
    }
    let mut seen = 0;
    for quad in &quads.quads {
        let [first, second] = quad.motions::<S, Lanes>(&slots);
        for (point, row) in quad.rows().enumerate() {
            let (kernel, extra, impulse) = (&quads.rows[row], quads.extra(row), &impulses[row]);
            let velocity = kernel.velocity(extra, &first, &second);
            let (mut next, open) = kernel.solve(extra, &velocity, impulse);
            let [percussion, special] =
                [quad.percussion, quad.special].map(|laws| if point == 0 { laws } else { 0 });
            if percussion != 0 {
                let laws = &quads.percussions[quad.first_percussion as usize];
                let solved = kernel.solve_percussions(laws, &velocity, impulse);
                for (next, solved) in next.as_mut().iter_mut().zip(solved.as_ref()) {
                    *next = choose(percussion, *solved, *next);
                }
            }
            for (i, index) in quad.lanes(point) {
                let contact = &problem.contacts[index];
                let p = solution.impulses[index];
                let u = contact.offset + contact.map.to_contact(&solution.twists);
                let near = |a: S::Local, b: S::Local| (a - b).dot(a - b).sqrt() < 1e-11;
                prop_assert!(near(lane::<S>(&velocity, i), u));
                let solved = contact.law.solve::<S>(&problem.specials, &contact.block, u, p);
                if (open | special) >> i & 1 == 0 {
                    prop_assert!(near(lane::<S>(&next, i), solved), "{solved:?}");
                } else if let Some(extra) = extra.filter(|_| special >> i & 1 == 0) {
                    let slipped = kernel.solve_open(extra, i, u, p);
                    prop_assert!(near(slipped, solved), "{slipped:?} {solved:?}");
                }
                seen += 1;
            }
        }
    }
    prop_assert_eq!(seen, problem.contacts.len());
    let found = judge.look(&problem, &quads, &impulses, &solution.couples, &slots, None);
    let known = Residual::of(&problem, &solution);
    // Without any impulse the scale-free figure is infinite.
    // Squares of each contact are rounded to 2⁻⁴³ of the largest at worst, and to rounding otherwise.
    let rounding = 1e-12 + 0.5f64.powi(43) * problem.contacts.len() as f64;
    let same = |a: f64, b: f64| a == b || (a - b).abs() < rounding * (1.0 + b);
    prop_assert!(same(found.relative, known.relative), "{found:?} {known:?}");
    prop_assert!(same(found.scale_free, known.scale_free), "{found:?} {known:?}");
    Ok(())
}

/// All that sweeps and judge do with four contacts.
struct All<'a, S: Blocks> {
    quads: &'a Quads<S>,
    impulses: &'a [LocalOf<S>],
    slots: &'a [SlotOf<S>],
}

impl<S: Blocks, R: Register> Work<R> for All<'_, S> {
    type Output = Vec<u64>;

    fn run(self) -> Vec<u64> {
        let mut found: Vec<Lanes> = Vec::new();
        for (index, quad) in self.quads.quads.iter().enumerate() {
            let [mut first, mut second] = quad.motions::<S, R>(self.slots);
            let laws = self.quads.percussions.get(quad.first_percussion as usize);
            for row in quad.rows() {
                let (kernel, extra) = (&self.quads.rows[row], self.quads.extra(row));
                let impulse = S::Kernel::load::<R>(&self.impulses[row]);
                let velocity = kernel.velocity(extra, &first, &second);
                let (next, open) = kernel.solve(extra, &velocity, &impulse);
                kernel.respond(extra.zip(self.quads.sides(index)), &next, &mut first, &mut second);
                for local in [velocity, next] {
                    found.extend_from_slice(S::Kernel::store(local).as_ref());
                }
                found.push(Lanes::splat(f64::from(open)));
                let Some(laws) = laws else { continue };
                let solved = kernel.solve_percussions(laws, &velocity, &impulse);
                found.extend_from_slice(S::Kernel::store(solved).as_ref());
                let (u, p) = (velocity.as_ref(), impulse.as_ref());
                found.push(S::Kernel::percussion_error(laws, u, p, R::splat(0.7)).store());
            }
            for slot in S::Kernel::scatter(first).iter().chain(&S::Kernel::scatter(second)) {
                found.extend_from_slice(slot.as_ref());
            }
        }
        found.iter().flat_map(|lanes| lanes.to_array()).map(f64::to_bits).collect()
    }
}

/// Whatever registers a machine has, the bits are the same.
#[test]
#[cfg(target_arch = "x86_64")]
fn wide_registers_have_the_bits_of_narrow_ones() {
    fn compare<S: Blocks>(numbers: &[f64], balls: u32) {
        let (problem, solution) = chain::<S>(numbers, 0.2, balls);
        let contacts = Listed { contacts: &problem.contacts, starts: &solution.impulses };
        let mut colouring = Colouring::default();
        colouring.arrange(&problem, &contacts, SweepOrder::Coloured, None);
        let (mut quads, mut judge) = (Quads::default(), Judge::default());
        quads.divide(problem.movers.len(), &colouring, 1, 0);
        let meeting = judge.begin(quads.rows.len(), quads.chunks());
        let mut impulses = vec![LocalOf::<S>::default(); quads.rows.len()];
        quads.fill(&problem, &contacts, &colouring, &mut impulses, &meeting, |_| {});
        let movers = solution.twists.iter().zip(&problem.movers);
        let slots: Vec<_> = movers.map(|(twist, mover)| S::Kernel::slot(twist, mover)).collect();
        let all = || All { quads: &quads, impulses: &impulses, slots: &slots };
        // SAFETY: the machine has been asked for both.
        let (narrow, wide) = unsafe { (Lanes::apart(all()), register::Wide::apart(all())) };
        assert!(narrow.len() > 100);
        assert_eq!(narrow, wide);
    }
    if !std::arch::is_x86_feature_detected!("avx") {
        eprintln!("this machine has no wide registers to compare with");
        return;
    }
    let mut random = Random::new(5, 0);
    for _ in 0..200 {
        let numbers: Vec<f64> = (0..150).map(|_| random.between(-1.0, 1.0)).collect();
        for balls in [4, 7] {
            compare::<Plane>(&numbers, balls);
            compare::<Volume>(&numbers, balls);
        }
    }
}

proptest! {
    #[test]
    fn lanes_agree_with_contacts_by_themselves(
        numbers in prop::collection::vec(-1.0f64..1.0, 150), friction in 0.05f64..1.0,
    ) {
        for balls in [4, 7] {
            agrees::<Plane>(&numbers, friction, balls)?;
            agrees::<Volume>(&numbers, friction, balls)?;
        }
    }
}

/// A contact of two bodies of any shape in space.
fn uneven(numbers: &[f64; 24], friction: f64) -> (Contact<Volume>, [Mover<Volume>; 2]) {
    let vector = |at: usize| DVec3::from_slice(&numbers[at..at + 3]);
    let mover = |at: usize| {
        let turn = Rotation::<Volume>::exponential(vector(at));
        let moments = vector(at + 3) * 4.0 + DVec3::splat(4.5);
        let inverse_inertia = InverseInertia::<Volume>::from_principal(moments, turn);
        Mover { inverse_mass: 1.5 + numbers[at + 6], inverse_inertia }
    };
    let movers = [mover(0), mover(7)];
    let normal = (DVec3::Y + 0.5 * vector(14)).normalize();
    let frame = Frame::from_normal(normal);
    let map =
        ContactMap { first: 0, second: 1, frame, arm_first: vector(17), arm_second: vector(20) };
    (Contact::new(map, Local3::ZERO, Law::Coulomb(friction), &movers, 1.0), movers)
}

proptest! {
    /// Slip has a closed form between balls only. Elsewhere lanes are solved by Newton's steps; those that do not
    /// settle are left open, and end by brackets. Either way the law holds.
    #[test]
    fn lanes_slip_as_the_law_asks(
        numbers in prop::array::uniform24(-1.0f64..1.0), friction in 0.01f64..1.0,
        u in prop::array::uniform3(-1.0f64..1.0), p in prop::array::uniform3(0.0f64..1.0),
    ) {
        let (contact, movers) = uneven(&numbers, friction);
        let (mut kernel, mut extra) = (VolumeKernel::default(), Default::default());
        kernel.fill(Some(&mut extra), &[&contact], &movers, true);
        let velocity = Local3::new(u[0], DVec2::new(u[1], u[2]));
        let impulse = contact.law.project::<Volume>(Local3::new(p[0], DVec2::new(p[1], -p[2])));
        let lanes = |local: Local3| [local.n, local.t.x, local.t.y].map(Lanes::splat);
        let (next, open) = kernel.solve(Some(&extra), &lanes(velocity), &lanes(impulse));
        let bracketed = kernel.solve_open(&extra, 0, velocity, impulse);
        let next = if open & 1 == 1 { bracketed } else { lane::<Volume>(&next, 0) };
        for solved in [next, bracketed] {
            let moved = velocity + contact.block.apply(solved - impulse);
            let scale = 3.0 / contact.block.trace();
            let error = contact.law.natural_map::<Volume>(moved, solved, scale);
            let size = solved.dot(solved).sqrt() + scale;
            prop_assert!(error.dot(error).sqrt() < 1e-10 * size, "{error:?} of {solved:?}");
        }
    }
}

/// Nearly all contacts that slip are solved in lanes: it is half of the time of a sweep over boxes otherwise.
#[test]
fn newtons_steps_settle_nearly_all_lanes() {
    let mut random = Random::new(3, 0);
    let (mut slips, mut left) = (0, 0);
    for _ in 0..4000 {
        let numbers = std::array::from_fn(|_| random.between(-1.0, 1.0));
        let (contact, movers) = uneven(&numbers, random.between(0.05, 1.0));
        let (mut kernel, mut extra) = (VolumeKernel::default(), Default::default());
        kernel.fill(Some(&mut extra), &[&contact], &movers, true);
        let velocity = [-1.0, random.between(-3.0, 3.0), random.between(-3.0, 3.0)];
        let (next, open) =
            kernel.solve(Some(&extra), &velocity.map(Lanes::splat), &Default::default());
        let [n, x, y] = next.map(|lanes| lanes.to_array()[0]);
        let edge = (x * x + y * y).sqrt() - kernel.friction().to_array()[0] * n;
        slips += u32::from(open & 1 == 1 || (n > 0.0 && edge.abs() <= 1e-12 * n));
        left += u32::from(open & 1);
    }
    assert!(slips > 1000, "{slips}");
    assert!(200 * left <= slips, "{left} of {slips}");
}

#[test]
fn a_quad_of_one_row_is_eight_lines_of_the_cache() {
    assert_eq!((size_of::<Quad>(), align_of::<Quad>()), (64, 64));
    assert_eq!((size_of::<VolumeKernel>(), size_of::<PlaneKernel>()), (7 * 64, 8 * 64));
}

/// Contacts that stand in no list: each is made anew for whoever asks.
struct Made<S: Blocks>(Vec<Contact<S>>, Vec<S::Local>);

impl<S: Blocks> Contacts<S> for Made<S> {
    fn count(&self) -> usize {
        self.0.len()
    }
    fn movers(&self, index: usize) -> (u32, u32) {
        (self.0[index].map.first, self.0[index].map.second)
    }
    fn normal(&self, index: usize) -> S::Vector {
        self.0[index].map.frame.normal()
    }
    fn start(&self, index: usize, _contact: &Contact<S>) -> S::Local {
        self.1[index]
    }
    fn contact<'a>(&'a self, index: usize, room: &'a mut Option<Contact<S>>) -> &'a Contact<S> {
        room.insert(self.0[index])
    }
}

/// Balls and other bodies that stick, slip and part: without a list of contacts they are solved in the same bits.
#[test]
fn contacts_need_no_list() {
    fn solved<S: Blocks>(made: bool) -> Solution<S> {
        let numbers: Vec<f64> = (0..150).map(|i| (f64::from(i) * 0.73).sin()).collect();
        let (mut problem, mut solution) = chain::<S>(&numbers, 0.2, 4);
        let all = problem.contacts.iter().map(|contact| match contact.law {
            Law::Special(_) => {
                Contact::new(contact.map, contact.offset, Law::Coulomb(0.3), &problem.movers, 1.0)
            }
            _ => *contact,
        });
        problem.contacts = all.collect();
        problem.specials.clear();
        solution.couples.clear();
        let (mut solver, threads) = (Nlgs::default(), Threads::one());
        let params = NlgsParams { max_iterations: 20, tolerance: 1e-12, ..Default::default() };
        if made {
            let starts = std::mem::take(&mut solution.impulses);
            let contacts = Made(std::mem::take(&mut problem.contacts), starts);
            solver.solve_with(&problem, &contacts, &mut solution, &params, &threads);
            solution.impulses = (0..solver.count()).map(|index| solver.impulse(index)).collect();
        } else {
            solver.solve(&problem, &mut solution, &params, &threads);
        }
        solution
    }
    let pairs = (solved::<Plane>(false), solved::<Plane>(true));
    assert_eq!((&pairs.0.impulses, &pairs.0.twists), (&pairs.1.impulses, &pairs.1.twists));
    let pairs = (solved::<Volume>(false), solved::<Volume>(true));
    assert_eq!((&pairs.0.impulses, &pairs.0.twists), (&pairs.1.impulses, &pairs.1.twists));
    assert!(pairs.0.impulses.iter().any(|impulse| impulse.n > 0.0));
}
