//! Vectors in the frame of a contact: one normal component, then the tangential ones.
//!
//! The order of components is known here and nowhere else.

use crate::{Plane, Space, Volume};
use glam::DVec2;
use std::fmt::Debug;
use std::ops::{Add, AddAssign, Mul, Neg, Sub};

/// A contact velocity or impulse in its contact's frame.
pub trait Local<S: Space>:
    Copy
    + Debug
    + Default
    + PartialEq
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Neg<Output = Self>
    + Mul<f64, Output = Self>
    + AddAssign
{
    /// The zero vector.
    const ZERO: Self;
    /// From its parts.
    fn new(normal: f64, tangent: S::Tangent) -> Self;
    /// Component along the normal.
    fn normal(self) -> f64;
    /// Part in the tangent line or plane.
    fn tangent(self) -> S::Tangent;
    /// Scalar product.
    fn dot(self, other: Self) -> f64;
    /// Component `index`: 0 is the normal one.
    fn get(self, index: usize) -> f64;
    /// Unit vector of component `index`.
    fn axis(index: usize) -> Self;
    /// From its components; `D` is the dimension of the space.
    fn from_array<const D: usize>(components: &[f64; D]) -> Self;
    /// Its components; `D` is the dimension of the space.
    #[inline(always)]
    fn to_array<const D: usize>(self) -> [f64; D] {
        std::array::from_fn(|index| self.get(index))
    }
}

/// [`Local`] in the plane.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Local2 {
    /// Normal component.
    pub n: f64,
    /// Tangential component, along the normal turned by a right angle counter-clockwise.
    pub t: f64,
}

/// [`Local`] in space.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Local3 {
    /// Normal component.
    pub n: f64,
    /// Tangential components.
    pub t: DVec2,
}

macro_rules! local_algebra {
    ($name:ident) => {
        impl Add for $name {
            type Output = Self;
            #[inline(always)]
            fn add(self, o: Self) -> Self {
                Self { n: self.n + o.n, t: self.t + o.t }
            }
        }
        impl Sub for $name {
            type Output = Self;
            #[inline(always)]
            fn sub(self, o: Self) -> Self {
                Self { n: self.n - o.n, t: self.t - o.t }
            }
        }
        impl Neg for $name {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                Self { n: -self.n, t: -self.t }
            }
        }
        impl Mul<f64> for $name {
            type Output = Self;
            #[inline(always)]
            fn mul(self, s: f64) -> Self {
                Self { n: self.n * s, t: self.t * s }
            }
        }
        impl AddAssign for $name {
            #[inline(always)]
            fn add_assign(&mut self, o: Self) {
                *self = *self + o;
            }
        }
    };
}
/// Components of a unit vector. By comparisons: an entry of a table is waited for until the table is in memory.
#[inline(always)]
fn unit<const D: usize>(index: usize) -> [f64; D] {
    std::array::from_fn(|i| f64::from(u8::from(i == index)))
}

local_algebra!(Local2);
local_algebra!(Local3);

impl Local<Plane> for Local2 {
    const ZERO: Self = Self { n: 0.0, t: 0.0 };
    #[inline(always)]
    fn new(n: f64, t: f64) -> Self {
        Self { n, t }
    }
    #[inline(always)]
    fn normal(self) -> f64 {
        self.n
    }
    #[inline(always)]
    fn tangent(self) -> f64 {
        self.t
    }
    #[inline(always)]
    fn dot(self, o: Self) -> f64 {
        self.n * o.n + self.t * o.t
    }
    #[inline(always)]
    fn get(self, index: usize) -> f64 {
        [self.n, self.t][index]
    }
    #[inline(always)]
    fn axis(index: usize) -> Self {
        let [n, t] = unit(index);
        Self { n, t }
    }
    #[inline(always)]
    fn from_array<const D: usize>(components: &[f64; D]) -> Self {
        Self { n: components[0], t: components[1] }
    }
}

impl Local<Volume> for Local3 {
    const ZERO: Self = Self { n: 0.0, t: DVec2::ZERO };
    #[inline(always)]
    fn new(n: f64, t: DVec2) -> Self {
        Self { n, t }
    }
    #[inline(always)]
    fn normal(self) -> f64 {
        self.n
    }
    #[inline(always)]
    fn tangent(self) -> DVec2 {
        self.t
    }
    #[inline(always)]
    fn dot(self, o: Self) -> f64 {
        self.n * o.n + self.t.dot(o.t)
    }
    #[inline(always)]
    fn get(self, index: usize) -> f64 {
        [self.n, self.t.x, self.t.y][index]
    }
    #[inline(always)]
    fn axis(index: usize) -> Self {
        let [n, x, y] = unit(index);
        Self { n, t: DVec2::new(x, y) }
    }
    #[inline(always)]
    fn from_array<const D: usize>(components: &[f64; D]) -> Self {
        Self { n: components[0], t: DVec2::new(components[1], components[2]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_come_normal_first() {
        let plane = Local2::new(3.0, 4.0);
        assert_eq!(plane.to_array(), [3.0, 4.0]);
        assert_eq!(Local2::from_array(&[3.0, 4.0]), plane);
        let volume = Local3::new(3.0, DVec2::new(4.0, 5.0));
        assert_eq!(volume.to_array(), [3.0, 4.0, 5.0]);
        assert_eq!(Local3::from_array(&[3.0, 4.0, 5.0]), volume);
        let axes = [0, 1, 2].map(|i| Local3::axis(i).to_array());
        assert_eq!(axes, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    }
}
