//! Impacts in impulse space, of one contact or of several that touch.
//!
//! Rigid bodies collide in no time: positions stay, and velocities follow the impulses, du = A⁻¹ Σ G* dP. What no law of
//! velocities before and after can tell, the order in which impulses grow, decides where a wave goes through a row of balls, and
//! which way friction acts when sliding ends or turns within a collision (Darboux; Keller 1986). So impulses are followed from the first approach to
//! the last:
//!
//! - each contact stores what it takes in compression in a spring, F = K y^η, and gives a part of that back in restitution; the springs only say
//!   which impulse grows when: their stiffness has a say as a ratio, for impulses of several contacts grow as their forces (Liu, Zhao & Brogliato
//!   2008, where potential energies stand for y). A lone contact knows nothing of its spring.
//! - friction is Coulomb's at every instant, P_t' against U_t, or whatever makes it stick.
//! - *Stronge*: the work that is given back is e² of what was taken (Stronge 1990). No collision can create energy.
//! - *Poisson*: the normal impulse of restitution is e times that of compression.
//!
//! Compression adds to the energy E that a contact stores, restitution takes 1/e² of its work from it (Stronge) or has its impulse
//! counted (Poisson). In each step all impulses are F dt, with y half a step ahead and friction found implicitly: of second order in
//! steps of which a hundred make a radian of the fastest spring. What bodies gain is ½(U⁻ + U⁺)·P, whatever the steps: the books close to
//! rounding.

mod friction;

use crate::{ContactMap, Mover, Twist};
use drystone_space::{Local, Space, Vector, math};

/// Radians of the fastest spring in a step.
const STEP: f64 = 0.01;
/// Approach that is left when all is over, as a share of the fastest at the start.
const LEFT: f64 = 1e-9;
/// What is left of an energy or an impulse of restitution when it is spent, as a share.
const SPENT: f64 = 1e-12;
/// Most steps of an impact.
const MOST: usize = 400_000;

/// What ends the restitution of a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hypothesis {
    /// The work given back is e² of the work taken.
    #[default]
    Stronge,
    /// The impulse of restitution is e times that of compression.
    Poisson,
}

/// The law of a contact in an impact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpactLaw {
    /// What e compares.
    pub hypothesis: Hypothesis,
    /// e, from 0 to 1.
    pub restitution: f64,
    /// K: only ratios of several contacts count.
    pub stiffness: f64,
    /// η: 1 for a linear contact, 1.5 for one of Hertz.
    pub exponent: f64,
}

/// A contact that takes part in an impact.
#[derive(Clone, Copy, Debug)]
pub struct Touching<S: Space> {
    /// Its map, of bodies with an inertia of their own.
    pub map: ContactMap<S>,
    /// Velocity of its second side where that moves as given, in the contact frame.
    pub driven: S::Local,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// Its law.
    pub law: ImpactLaw,
}

impl Default for ImpactLaw {
    /// Without restitution, by Hertz.
    fn default() -> Self {
        Self { hypothesis: Hypothesis::default(), restitution: 0.0, stiffness: 1.0, exponent: 1.5 }
    }
}

/// What an impact has done.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Struck {
    /// Energy that friction took.
    pub friction: f64,
    /// Steps that were made.
    pub steps: usize,
    /// Whether all contacts had ended within them.
    pub ended: bool,
}

/// A contact under way.
#[derive(Clone, Copy, Debug)]
struct Course<S: Space> {
    /// E, and the most that it was.
    stored: f64,
    most: f64,
    /// Impulses of compression and of restitution since it was last open.
    taken: f64,
    given: f64,
    /// Normal velocity before this step, its normal impulse, and the tangential one that goes with it.
    speed: f64,
    push: f64,
    rub: S::Tangent,
    /// Answer to a normal impulse, and a bound of that to tangential ones.
    normal: f64,
    tangent: f64,
}

/// Scratch of impacts.
#[derive(Debug)]
pub struct Impact<S: Space> {
    courses: Vec<Course<S>>,
}

impl<S: Space> Default for Impact<S> {
    fn default() -> Self {
        Self { courses: Vec::new() }
    }
}

impl<S: Space> Touching<S> {
    fn velocity(&self, twists: &[Twist<S>]) -> S::Local {
        self.map.to_contact(twists) - self.driven
    }
}

impl ImpactLaw {
    /// y that stores so much, E = K y^(η+1)/(η+1).
    fn depth(&self, stored: f64) -> f64 {
        let n = self.exponent + 1.0;
        math::powf(n * stored / self.stiffness, 1.0 / n)
    }

    /// F.
    fn force(&self, depth: f64) -> f64 {
        self.stiffness * math::powf(depth, self.exponent)
    }

    /// Square of how fast a contact swings that is so deep, or will be with this approach.
    fn swing(&self, depth: f64, approach: f64, answer: f64) -> f64 {
        let reach = self.depth(0.5 * math::square(approach) / answer);
        let hardness = math::powf(depth.max(reach), self.exponent - 1.0);
        self.stiffness * self.exponent * hardness * answer
    }
}

impl<S: Space> Impact<S> {
    /// Follows the impulses of contacts that touch from where they are to where none approaches: changes the twists of the
    /// movers, and adds to `impulses` what each contact gave to its first side, in its frame.
    pub fn strike(
        &mut self,
        contacts: &[Touching<S>],
        movers: &[Mover<S>],
        twists: &mut [Twist<S>],
        impulses: &mut Vec<S::Local>,
    ) -> Struck {
        self.courses.clear();
        self.courses.extend(contacts.iter().map(|contact| Course::new(&contact.map, movers)));
        impulses.clear();
        impulses.resize(contacts.len(), S::Local::ZERO);
        let approach = |contact: &Touching<S>| (-contact.velocity(twists).normal()).max(0.0);
        let left = LEFT * contacts.iter().map(approach).fold(0.0, f64::max);
        let mut struck = Struck::default();
        while struck.steps < MOST {
            let Some(step) = self.next_step(contacts, twists, left) else {
                struck.ended = true;
                break;
            };
            for (contact, course) in contacts.iter().zip(&mut self.courses) {
                course.begin(&contact.law, contact.velocity(twists).normal(), step);
            }
            struck.friction += self.push(contacts, movers, twists, impulses);
            struck.steps += 1;
        }
        struck
    }

    /// How long the next step is; none where nothing is compressed or approaches any more.
    fn next_step(&self, contacts: &[Touching<S>], twists: &[Twist<S>], left: f64) -> Option<f64> {
        let (mut fastest, mut any) = (0.0f64, false);
        for (Touching { map, driven, law, .. }, course) in contacts.iter().zip(&self.courses) {
            let approach = driven.normal() - map.to_contact(twists).normal();
            any |= course.stored > 0.0 || approach > left;
            let depth = law.depth(course.stored);
            fastest = fastest.max(law.swing(depth, approach.max(0.0), course.normal));
        }
        any.then(|| STEP / fastest.sqrt())
    }

    /// Gives all contacts the normal impulses of a step, with the tangential ones that friction makes of them; returns what
    /// friction took.
    fn push(
        &mut self,
        contacts: &[Touching<S>],
        movers: &[Mover<S>],
        twists: &mut [Twist<S>],
        impulses: &mut [S::Local],
    ) -> f64 {
        let mut friction = 0.0;
        for (contact, course) in contacts.iter().zip(&mut self.courses) {
            // Half of what friction does goes with the sliding before, half with that after.
            friction -= 0.5 * contact.velocity(twists).tangent().dot(course.rub);
        }
        for (contact, course) in contacts.iter().zip(&self.courses) {
            let push = S::Local::new(course.push, course.rub);
            contact.map.to_bodies(push, movers, twists);
        }
        self.rub(contacts, movers, twists);
        for ((contact, course), impulse) in contacts.iter().zip(&mut self.courses).zip(impulses) {
            let velocity = contact.velocity(twists);
            friction -= 0.5 * velocity.tangent().dot(course.rub);
            *impulse += S::Local::new(course.push, course.rub);
            course.end(&contact.law, velocity.normal());
        }
        friction
    }
}

impl<S: Space> Course<S> {
    fn new(map: &ContactMap<S>, movers: &[Mover<S>]) -> Self {
        let normal = map.response(0, movers).normal();
        Self {
            stored: 0.0,
            most: 0.0,
            taken: 0.0,
            given: 0.0,
            speed: 0.0,
            push: 0.0,
            rub: S::Tangent::ZERO,
            normal,
            tangent: friction::largest(map, movers),
        }
    }

    /// Begins a step: the normal impulse is known, the tangential one begins as it was, in proportion.
    fn begin(&mut self, law: &ImpactLaw, speed: f64, time: f64) {
        let depth = law.depth(self.stored);
        let ahead = match (speed < 0.0, law.hypothesis) {
            (true, _) => depth - 0.5 * time * speed,
            (false, Hypothesis::Poisson) => depth,
            (false, Hypothesis::Stronge) => {
                let lost = 0.5 * time * speed / math::square(law.restitution);
                (depth - lost).max(0.5 * depth)
            }
        };
        let mut push = if ahead > 0.0 { law.force(ahead) * time } else { 0.0 };
        // No more than what ends compression and gives back all, if nothing else acts.
        let ending = (-speed).max(0.0) / self.normal;
        push = push.min(
            ending
                + match law.hypothesis {
                    Hypothesis::Poisson => (law.restitution * self.taken - self.given).max(0.0),
                    Hypothesis::Stronge => {
                        let (all, open) =
                            (math::square(law.restitution) * self.stored, speed.max(0.0));
                        ((math::square(open) + 2.0 * self.normal * all).sqrt() - open) / self.normal
                    }
                },
        );
        self.rub = if self.push > 0.0 { self.rub * (push / self.push) } else { S::Tangent::ZERO };
        (self.speed, self.push) = (speed, push);
    }

    /// Ends a step with this normal velocity.
    fn end(&mut self, law: &ImpactLaw, speed: f64) {
        let [before, after] = [self.speed, speed].map(|speed| speed.min(0.0));
        let [opening, open] = [self.speed, speed].map(|speed| speed.max(0.0));
        // Impulses of compression and of restitution where the velocity changes its sign in between.
        let share = match (before < 0.0, after < 0.0) {
            (true, true) => 1.0,
            (false, false) => 0.0,
            _ => (before + after) / ((before + after) - (opening + open)),
        };
        let (taken, given) = (share * self.push, (1.0 - share) * self.push);
        self.stored -= 0.5 * taken * (before + after);
        self.most = self.most.max(self.stored);
        self.taken += taken;
        self.given += given;
        if law.hypothesis == Hypothesis::Stronge && law.restitution > 0.0 {
            let work = 0.5 * given * (opening + open);
            self.stored -= work / math::square(law.restitution);
        }
        let spent = match law.hypothesis {
            Hypothesis::Poisson => self.given >= (1.0 - SPENT) * law.restitution * self.taken,
            Hypothesis::Stronge => law.restitution == 0.0 || self.stored <= SPENT * self.most,
        };
        if spent && speed >= 0.0 {
            (self.stored, self.most, self.taken, self.given) = (0.0, 0.0, 0.0, 0.0);
        }
    }
}
