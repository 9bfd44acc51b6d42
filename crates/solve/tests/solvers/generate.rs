//! Random contact problems of rigid bodies with a known structure.
//!
//! Bodies have six degrees of freedom. A contact has five rows: the normal and two tangential
//! velocities, and the relative spin about the two tangents. A problem of D components takes the
//! first D of them.

use drystone_solve::{Assembled, BlockMatrix, Cone};

/// Numbers from 0 to 1, the same for the same seed.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }
    pub fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }
}

type Vec3 = [f64; 3];

fn cross(a: Vec3, b: Vec3) -> Vec3 {
    std::array::from_fn(|i| a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3])
}

struct Body {
    centre: Vec3,
    inverse_mass: f64,
    inverse_inertia: f64,
    velocity: [f64; 6],
}

/// Rows on the first body, and on the second one with the sign turned; no second is the ground.
struct Contact {
    first: usize,
    second: Option<usize>,
    point: Vec3,
    axes: [Vec3; 3],
}

impl Contact {
    fn rows(&self, body: &Body) -> [[f64; 6]; 5] {
        let arm: Vec3 = std::array::from_fn(|i| self.point[i] - body.centre[i]);
        std::array::from_fn(|row| {
            let axis = self.axes[if row < 3 { row } else { row - 2 }];
            let turn = cross(arm, axis);
            std::array::from_fn(|i| match (row < 3, i < 3) {
                (true, true) => axis[i],
                (true, false) => turn[i - 3],
                (false, true) => 0.0,
                (false, false) => axis[i - 3],
            })
        })
    }
}

/// Bodies and contacts, before they become a matrix.
pub struct Assembly {
    bodies: Vec<Body>,
    contacts: Vec<Contact>,
}

impl Assembly {
    /// Boxes on top of each other, each on four corners: twelve unknowns for six equations, so that
    /// impulses are not determined. All move a little, and gravity pulls.
    pub fn tower(boxes: usize, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut assembly = Self { bodies: Vec::new(), contacts: Vec::new() };
        for level in 0..boxes {
            let mass = random.between(0.5, 2.0);
            assembly.push([0.0, 0.0, level as f64 + 0.5], mass, &mut random);
            for (x, y) in [(-0.5, -0.5), (-0.5, 0.5), (0.5, -0.5), (0.5, 0.5)] {
                assembly.contacts.push(Contact {
                    first: level,
                    second: level.checked_sub(1),
                    point: [x, y, level as f64],
                    axes: [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
                });
            }
        }
        assembly
    }

    /// Balls in a chain, each touching the one before it at a random upper point: as many contacts
    /// as balls, so that W has full rank up to three components.
    pub fn chain(balls: usize, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut assembly = Self { bodies: Vec::new(), contacts: Vec::new() };
        let mut centre = [0.0, 0.0, 0.5];
        for ball in 0..balls {
            let (slope, turn) = (random.between(0.0, 0.8), random.between(0.0, 6.2));
            let up = [slope.sin() * turn.cos(), slope.sin() * turn.sin(), slope.cos()];
            let normal = if ball == 0 { [0.0, 0.0, 1.0] } else { up };
            if ball > 0 {
                centre = std::array::from_fn(|i| centre[i] + normal[i]);
            }
            let mass = random.between(0.5, 2.0);
            assembly.push(centre, mass, &mut random);
            let side = cross(normal, [0.6, 0.8, 0.0]);
            let length = side.iter().map(|x| x * x).sum::<f64>().sqrt();
            let first: Vec3 = std::array::from_fn(|i| side[i] / length);
            assembly.contacts.push(Contact {
                first: ball,
                second: ball.checked_sub(1),
                point: std::array::from_fn(|i| centre[i] - 0.5 * normal[i]),
                axes: [normal, first, cross(normal, first)],
            });
        }
        assembly
    }

    fn push(&mut self, centre: Vec3, mass: f64, random: &mut Random) {
        let mut velocity = std::array::from_fn(|_| random.between(-0.2, 0.2));
        velocity[2] -= 1.0;
        let inverse_mass = 1.0 / mass;
        self.bodies.push(Body {
            centre,
            inverse_mass,
            inverse_inertia: 6.0 * inverse_mass,
            velocity,
        });
    }

    /// The problem, with all masses and impulses in units `unit` times smaller.
    pub fn problem<const D: usize>(&self, cone: Cone, unit: f64) -> Assembled<D> {
        let sides = |contact: &Contact| {
            [(Some(contact.first), 1.0), (contact.second, -1.0)]
                .into_iter()
                .filter_map(|(body, sign)| body.map(|body| (body, sign)))
                .collect::<Vec<_>>()
        };
        let mut entries = Vec::new();
        let mut free = vec![[0.0; D]; self.contacts.len()];
        for (i, one) in self.contacts.iter().enumerate() {
            for &(body, sign) in &sides(one) {
                let rows = one.rows(&self.bodies[body]);
                for (a, row) in rows.iter().enumerate().take(D) {
                    let v = self.bodies[body].velocity;
                    free[i][a] += sign * row.iter().zip(v).map(|(h, v)| h * v).sum::<f64>();
                }
                for (j, other) in self.contacts.iter().enumerate() {
                    for (_, other_sign) in sides(other).into_iter().filter(|side| side.0 == body) {
                        let others = other.rows(&self.bodies[body]);
                        for a in 0..D {
                            for b in 0..D {
                                let value = self.product(body, &rows[a], &others[b]);
                                let value = sign * other_sign * value / unit;
                                entries.push((i * D + a, j * D + b, value));
                            }
                        }
                    }
                }
            }
        }
        Assembled {
            delassus: BlockMatrix::from_entries(self.contacts.len(), entries.into_iter()),
            free,
            cones: vec![cone; self.contacts.len()],
        }
    }

    /// a · M⁻¹ b.
    fn product(&self, body: usize, a: &[f64; 6], b: &[f64; 6]) -> f64 {
        let body = &self.bodies[body];
        let weight = |i: usize| if i < 3 { body.inverse_mass } else { body.inverse_inertia };
        (0..6).map(|i| a[i] * weight(i) * b[i]).sum()
    }
}
