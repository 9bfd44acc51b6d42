//! Movers that a tree of joints holds together, in the coordinates that the joints leave: u are the speeds along these.
//!
//! Each member has a parent, or none: then it hangs on what moves as given, or on nothing, with all its freedoms. Its twist is
//! V = X V_p + S u, where X carries the parent's twist V_p to its own centre and the columns of S are its freedoms. All twists together
//! are V = J u + W, with the inertia A = J* M J in the coordinates. A is dense, but (A⁻¹, J) is applied in O(N) by the inertias that members
//! have with all that hangs on them (articulated bodies; Featherstone 2008, §7):
//!
//! > I = M + Σ X*(I − U D⁻¹ U*)X over children,  U = I S,  D = S*U.
//!
//! [`constrain`](Tree::constrain) takes twists that know nothing of the joints to the nearest ones that they allow in the kinetic metric,
//! V = J A⁻¹J* M (V₀ − W) + W: the same as rows with multipliers do, with nothing to drift.

use super::{fill_responses, power};
use crate::{Compliant, GROUND, Handle, Twist};
use drystone_space::{Space, Vector};

/// Most components of a twist, and most freedoms of a member.
const MOST: usize = 6;

/// Components of a twist or of a force with its couple: the first ones of these.
type Spatial = [f64; MOST];
type Matrix = [Spatial; MOST];

/// What a member is among the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The member that carries it, or [`GROUND`].
    pub parent: u32,
    /// How many freedoms it has.
    pub freedoms: usize,
}

/// A member where it is now.
#[derive(Clone, Copy, Debug)]
struct Place<S: Space> {
    mass: f64,
    /// Inertia about its centre, in world axes: what a spin about each axis has for a momentum.
    inertia: [S::Spin; 3],
    /// From the parent's centre to its own.
    arm: S::Vector,
    /// The twist of what carries a member without a parent.
    given: Twist<S>,
}

/// What is known of a member after [`Tree::factor`].
#[derive(Clone, Copy, Debug)]
struct Factors {
    /// The lower triangle of D = L L*.
    root: Matrix,
    /// D⁻¹U*, row after row.
    share: Matrix,
}

/// See the module.
#[derive(Clone, Debug)]
pub struct Tree<S: Space> {
    links: Vec<Link>,
    /// Members, parents before those that they carry.
    order: Vec<u32>,
    /// The first freedom of each member, and how many there are.
    starts: Vec<usize>,
    places: Vec<Place<S>>,
    /// S: the twist of a member, at its centre, by each of its freedoms.
    columns: Vec<Twist<S>>,
    factors: Vec<Factors>,
    articulated: Vec<Matrix>,
    pushes: Vec<Spatial>,
    twists: Vec<Twist<S>>,
    /// What twists were before they were constrained.
    wanted: Vec<Twist<S>>,
    /// Impulses that members have got from what carries them, at their centres.
    reactions: Vec<Twist<S>>,
    speeds: Vec<f64>,
    steps: Vec<f64>,
}

fn size<S: Space>() -> usize {
    S::DIMENSION + S::Spin::LENGTH
}

fn spatial<S: Space>(twist: &Twist<S>) -> Spatial {
    std::array::from_fn(|i| match i < S::DIMENSION {
        true => twist.velocity.get(i),
        false if i < size::<S>() => twist.spin.get(i - S::DIMENSION),
        false => 0.0,
    })
}

fn twist<S: Space>(of: &Spatial) -> Twist<S> {
    Twist {
        velocity: S::Vector::from_fn(|i| of[i]),
        spin: S::Spin::from_fn(|i| of[S::DIMENSION + i]),
    }
}

fn dot(a: &Spatial, b: &Spatial) -> f64 {
    (0..MOST).map(|i| a[i] * b[i]).sum()
}

/// A parent's twist at the centre of what it carries.
fn carried<S: Space>(parent: &Twist<S>, arm: S::Vector) -> Twist<S> {
    Twist { velocity: parent.velocity + S::velocity_at(parent.spin, arm), spin: parent.spin }
}

/// What acts on a member with its couple, at the centre of what carries it.
fn handed<S: Space>(push: &Twist<S>, arm: S::Vector) -> Twist<S> {
    Twist { velocity: push.velocity, spin: push.spin + S::moment(arm, push.velocity) }
}

/// L of D = L L*; false where D is not positive definite.
fn cholesky(d: &Matrix, count: usize, root: &mut Matrix) -> bool {
    for j in 0..count {
        for i in j..count {
            let rest = d[i][j] - (0..j).map(|k| root[i][k] * root[j][k]).sum::<f64>();
            if i > j {
                root[i][j] = rest / root[j][j];
                continue;
            }
            let positive = rest > 0.0 && rest.is_finite();
            if !positive {
                return false;
            }
            root[j][j] = rest.sqrt();
        }
    }
    true
}

/// b ← D⁻¹b.
fn substitute(root: &Matrix, count: usize, b: &mut Spatial) {
    for i in 0..count {
        let known: f64 = (0..i).map(|k| root[i][k] * b[k]).sum();
        b[i] = (b[i] - known) / root[i][i];
    }
    for i in (0..count).rev() {
        let known: f64 = (i + 1..count).map(|k| root[k][i] * b[k]).sum();
        b[i] = (b[i] - known) / root[i][i];
    }
}

impl<S: Space> Tree<S> {
    /// A tree of these members, none of which carries itself over others.
    ///
    /// # Panics
    /// If a parent is not there, members carry each other in a ring, or one has more freedoms than a body.
    pub fn new(links: Vec<Link>) -> Self {
        let count = links.len();
        let (mut order, mut placed) = (Vec::with_capacity(count), vec![false; count]);
        let mut path = Vec::new();
        for member in 0..count {
            let mut at = member as u32;
            while at != GROUND && !placed[at as usize] {
                assert!(path.len() < count, "members carry each other in a ring");
                path.push(at);
                at = links[at as usize].parent;
            }
            path.iter().for_each(|&member| placed[member as usize] = true);
            order.extend(path.drain(..).rev());
        }
        let mut starts = vec![0];
        for link in &links {
            assert!(link.freedoms <= size::<S>(), "more freedoms than a body has");
            starts.push(starts[starts.len() - 1] + link.freedoms);
        }
        let freedoms = starts[count];
        let place = Place {
            mass: 0.0,
            inertia: [S::Spin::ZERO; 3],
            arm: S::Vector::ZERO,
            given: Twist::ZERO,
        };
        let (matrix, factors) = (
            [[0.0; MOST]; MOST],
            Factors { root: [[0.0; MOST]; MOST], share: [[0.0; MOST]; MOST] },
        );
        Self {
            links,
            order,
            starts,
            places: vec![place; count],
            columns: vec![Twist::ZERO; freedoms],
            factors: vec![factors; count],
            articulated: vec![matrix; count],
            pushes: vec![[0.0; MOST]; count],
            twists: vec![Twist::ZERO; count],
            wanted: vec![Twist::ZERO; count],
            reactions: vec![Twist::ZERO; count],
            speeds: vec![0.0; freedoms],
            steps: vec![0.0; freedoms],
        }
    }

    /// Members, parents before those that they carry.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// The member that carries another, or [`GROUND`].
    pub fn parent(&self, member: usize) -> u32 {
        self.links[member].parent
    }

    /// The freedoms of a member, by number.
    pub fn freedoms(&self, member: usize) -> std::ops::Range<usize> {
        self.starts[member]..self.starts[member + 1]
    }

    /// Says what a member weighs: its mass, and what a spin about each axis of the world has for a momentum.
    pub fn weigh(&mut self, member: usize, mass: f64, inertia: impl Fn(S::Spin) -> S::Spin) {
        let place = &mut self.places[member];
        place.mass = mass;
        place.inertia = std::array::from_fn(|axis| match axis < S::Spin::LENGTH {
            true => inertia(S::Spin::axis(axis)),
            false => S::Spin::ZERO,
        });
    }

    /// Says where a member is: from the centre of what carries it to its own.
    pub fn place(&mut self, member: usize, arm: S::Vector) {
        self.places[member].arm = arm;
    }

    /// Says how that moves which carries a member without a parent.
    pub fn give(&mut self, member: usize, twist: Twist<S>) {
        self.places[member].given = twist;
    }

    /// How that moves which carries a member without a parent.
    pub fn given(&self, member: usize) -> Twist<S> {
        self.places[member].given
    }

    /// The freedoms of a member: its twist at its centre by each.
    pub fn columns_mut(&mut self, member: usize) -> &mut [Twist<S>] {
        let freedoms = self.freedoms(member);
        &mut self.columns[freedoms]
    }

    /// u in the last solve.
    pub fn speeds(&self) -> &[f64] {
        &self.speeds
    }

    /// The impulse that a member got in the last solve from what carries it, at its centre; and from there to the carrier's.
    pub fn reaction(&self, member: usize) -> (Twist<S>, S::Vector) {
        (self.reactions[member], self.places[member].arm)
    }

    /// What twists were before they were last [constrained](Self::constrain).
    pub fn wanted(&self) -> &[Twist<S>] {
        &self.wanted
    }

    /// M V of a member.
    pub fn momentum(&self, member: usize, twist: &Twist<S>) -> Twist<S> {
        let place = &self.places[member];
        let spin = (0..S::Spin::LENGTH)
            .fold(S::Spin::ZERO, |sum, axis| sum + place.inertia[axis] * twist.spin.get(axis));
        Twist { velocity: twist.velocity * place.mass, spin }
    }

    /// Factors A; false where it is not positive definite.
    pub fn factor(&mut self) -> bool {
        let count = size::<S>();
        for (member, articulated) in self.articulated.iter_mut().enumerate() {
            let place = &self.places[member];
            *articulated = [[0.0; MOST]; MOST];
            for i in 0..S::DIMENSION {
                articulated[i][i] = place.mass;
            }
            for i in 0..S::Spin::LENGTH {
                for j in 0..S::Spin::LENGTH {
                    articulated[S::DIMENSION + i][S::DIMENSION + j] = place.inertia[j].get(i);
                }
            }
        }
        for number in (0..self.order.len()).rev() {
            let member = self.order[number] as usize;
            let freedoms = self.freedoms(member);
            let own = &self.columns[freedoms];
            let factors = &mut self.factors[member];
            let mut rest = self.articulated[member];
            // U, column after column, and D.
            let (mut across, mut d) = ([[0.0; MOST]; MOST], [[0.0; MOST]; MOST]);
            for (column, at) in across.iter_mut().zip(own) {
                let at = spatial(at);
                *column = std::array::from_fn(|i| dot(&rest[i], &at));
            }
            for (i, at) in own.iter().enumerate() {
                let at = spatial(at);
                (0..own.len()).for_each(|j| d[i][j] = dot(&at, &across[j]));
            }
            if !cholesky(&d, own.len(), &mut factors.root) {
                return false;
            }
            factors.share = [[0.0; MOST]; MOST];
            for component in 0..count {
                let mut line: Spatial = std::array::from_fn(|k| across[k][component]);
                substitute(&factors.root, own.len(), &mut line);
                (0..own.len()).for_each(|k| factors.share[k][component] = line[k]);
            }
            let parent = self.links[member].parent;
            if parent == GROUND {
                continue;
            }
            for (i, line) in rest.iter_mut().enumerate().take(count) {
                for (j, entry) in line.iter_mut().enumerate().take(count) {
                    *entry -=
                        (0..own.len()).map(|k| across[k][i] * factors.share[k][j]).sum::<f64>();
                }
            }
            self.hang(&rest, member, parent as usize);
        }
        true
    }

    /// Adds X* I X of a member to what its parent carries.
    fn hang(&mut self, inertia: &Matrix, member: usize, parent: usize) {
        let (count, arm) = (size::<S>(), self.places[member].arm);
        let to: Matrix = std::array::from_fn(|axis| match axis < count {
            true => {
                let unit: Spatial = std::array::from_fn(|i| f64::from(u8::from(i == axis)));
                spatial(&carried(&twist::<S>(&unit), arm))
            }
            false => [0.0; MOST],
        });
        let sum = &mut self.articulated[parent];
        for j in 0..count {
            let moved: Spatial = std::array::from_fn(|i| dot(&inertia[i], &to[j]));
            for i in 0..=j {
                let entry = dot(&to[i], &moved);
                sum[i][j] += entry;
                if i < j {
                    sum[j][i] += entry;
                }
            }
        }
    }

    /// Twists and speeds under impulses on members, `self.pushes`; `given` says whether what carries them moves.
    fn solve(&mut self, given: bool) {
        for &member in self.order.iter().rev() {
            let member = member as usize;
            let freedoms = self.freedoms(member);
            let (push, factors) = (self.pushes[member], &self.factors[member]);
            let mut rest = push;
            let mut along = [0.0; MOST];
            for (k, column) in self.columns[freedoms.clone()].iter().enumerate() {
                along[k] = dot(&spatial(column), &push);
                (0..MOST).for_each(|i| rest[i] -= factors.share[k][i] * along[k]);
            }
            substitute(&factors.root, freedoms.len(), &mut along);
            self.steps[freedoms.clone()].copy_from_slice(&along[..freedoms.len()]);
            let parent = self.links[member].parent;
            if parent != GROUND {
                let onto = spatial(&handed(&twist::<S>(&rest), self.places[member].arm));
                let sum = &mut self.pushes[parent as usize];
                (0..MOST).for_each(|i| sum[i] += onto[i]);
            }
        }
        for &member in &self.order {
            let member = member as usize;
            let (link, place) = (self.links[member], &self.places[member]);
            let carrier = match link.parent {
                GROUND if given => place.given,
                GROUND => Twist::ZERO,
                parent => self.twists[parent as usize],
            };
            let mut twist = carried(&carrier, place.arm);
            let at = spatial(&twist);
            for (k, freedom) in self.freedoms(member).enumerate() {
                self.steps[freedom] -= dot(&self.factors[member].share[k], &at);
                twist.add_scaled(&self.columns[freedom], self.steps[freedom]);
            }
            self.twists[member] = twist;
        }
    }

    /// V ← J A⁻¹J* M (V − W) + W; the [speeds](Self::speeds) and [reactions](Self::reaction) can be asked for.
    pub fn constrain(&mut self, twists: &mut [Twist<S>]) {
        self.wanted.copy_from_slice(twists);
        for (member, twist) in twists.iter().enumerate() {
            self.pushes[member] = spatial(&self.momentum(member, twist));
        }
        self.solve(true);
        self.speeds.clone_from(&self.steps);
        twists.copy_from_slice(&self.twists);
        // Once more from what is left: very unequal masses cost digits.
        for member in 0..twists.len() {
            let left = self.left(member, &twists[member]);
            self.pushes[member] = spatial(&left);
        }
        self.solve(false);
        self.speeds.iter_mut().zip(&self.steps).for_each(|(speed, step)| *speed += step);
        twists.iter_mut().zip(&self.twists).for_each(|(twist, more)| twist.add_scaled(more, 1.0));
        self.react(twists);
    }

    /// M (V₀ − V) of a member.
    fn left(&self, member: usize, twist: &Twist<S>) -> Twist<S> {
        let mut change = self.wanted[member];
        change.add_scaled(twist, -1.0);
        self.momentum(member, &change)
    }

    /// What members have got from those that carry them: what changed them and all that hangs on them.
    fn react(&mut self, twists: &[Twist<S>]) {
        self.reactions.fill(Twist::ZERO);
        for &member in self.order.iter().rev() {
            let member = member as usize;
            let left = self.left(member, &twists[member]);
            self.reactions[member].add_scaled(&left, -1.0);
            let parent = self.links[member].parent;
            if parent != GROUND {
                let onto = handed(&self.reactions[member], self.places[member].arm);
                self.reactions[parent as usize].add_scaled(&onto, 1.0);
            }
        }
    }

    /// J u + W, u being these speeds.
    pub fn move_along(&self, speeds: &[f64], twists: &mut [Twist<S>]) {
        for &member in &self.order {
            let member = member as usize;
            let carrier = match self.links[member].parent {
                GROUND => self.places[member].given,
                parent => twists[parent as usize],
            };
            let mut twist = carried(&carrier, self.places[member].arm);
            for freedom in self.freedoms(member) {
                twist.add_scaled(&self.columns[freedom], speeds[freedom]);
            }
            twists[member] = twist;
        }
    }

    /// Fills in what all points of a group answer to impulses at each of them. Each point has a handle for each axis.
    pub fn respond(&mut self, handles: &[Handle<S>], group: &mut Compliant<S>) {
        fill_responses(handles, group, |handle, seen| {
            self.pushes.fill([0.0; MOST]);
            for (member, push) in handle.iter().filter(|(member, _)| *member != GROUND) {
                let (sum, push) = (&mut self.pushes[*member as usize], spatial(push));
                (0..MOST).for_each(|i| sum[i] += push[i]);
            }
            self.solve(false);
            seen(&self.twists);
        });
    }

    /// ½ V·M V of all members.
    pub fn kinetic_energy(&self, twists: &[Twist<S>]) -> f64 {
        let twice = |(member, twist)| power(&self.momentum(member, twist), twist);
        0.5 * twists.iter().enumerate().map(twice).sum::<f64>()
    }
}
