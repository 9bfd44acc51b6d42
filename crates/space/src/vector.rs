//! What generic code may do with a vector of any size: 1 ([`f64`]), 2 ([`DVec2`]) or 3 ([`DVec3`]).

use glam::{DVec2, DVec3};
use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// A Euclidean vector with `f64` components.
pub trait Vector:
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
    + Div<f64, Output = Self>
    + AddAssign
    + SubAssign
{
    /// Number of components.
    const LENGTH: usize;
    /// The zero vector.
    const ZERO: Self;
    /// Scalar product.
    fn dot(self, other: Self) -> f64;
    /// Component `index`, from 0.
    fn get(self, index: usize) -> f64;
    /// The vector whose component `i` is `component(i)`.
    fn from_fn(component: impl FnMut(usize) -> f64) -> Self;
    /// Componentwise product.
    fn scale(self, other: Self) -> Self;
    /// Componentwise minimum.
    fn lowest(self, other: Self) -> Self;
    /// Componentwise maximum.
    fn highest(self, other: Self) -> Self;

    /// Euclidean norm.
    #[inline(always)]
    fn norm(self) -> f64 {
        self.dot(self).sqrt()
    }
    /// Square of the Euclidean norm.
    #[inline(always)]
    fn norm_squared(self) -> f64 {
        self.dot(self)
    }
    /// Whether every component is a number.
    fn finite(self) -> bool {
        (0..Self::LENGTH).all(|i| self.get(i).is_finite())
    }
    /// Unit vector of axis `index`.
    fn axis(index: usize) -> Self {
        Self::from_fn(|i| f64::from(u8::from(i == index)))
    }
    /// The vector with every component equal to `value`.
    fn splat(value: f64) -> Self {
        Self::from_fn(|_| value)
    }
}

impl Vector for f64 {
    const LENGTH: usize = 1;
    const ZERO: Self = 0.0;
    #[inline(always)]
    fn dot(self, other: Self) -> f64 {
        self * other
    }
    #[inline(always)]
    fn norm(self) -> f64 {
        self.abs()
    }
    #[inline(always)]
    fn get(self, _: usize) -> f64 {
        self
    }
    #[inline(always)]
    fn from_fn(mut component: impl FnMut(usize) -> f64) -> Self {
        component(0)
    }
    #[inline(always)]
    fn scale(self, other: Self) -> Self {
        self * other
    }
    #[inline(always)]
    fn lowest(self, other: Self) -> Self {
        self.min(other)
    }
    #[inline(always)]
    fn highest(self, other: Self) -> Self {
        self.max(other)
    }
}

macro_rules! glam_vector {
    ($name:ident, $length:literal, $($index:literal),+) => {
        impl Vector for $name {
            const LENGTH: usize = $length;
            const ZERO: Self = $name::ZERO;
            #[inline(always)]
            fn dot(self, other: Self) -> f64 {
                $name::dot(self, other)
            }
            #[inline(always)]
            fn get(self, index: usize) -> f64 {
                self[index]
            }
            #[inline(always)]
            fn from_fn(mut component: impl FnMut(usize) -> f64) -> Self {
                $name::new($(component($index)),+)
            }
            #[inline(always)]
            fn scale(self, other: Self) -> Self {
                self * other
            }
            #[inline(always)]
            fn lowest(self, other: Self) -> Self {
                self.min(other)
            }
            #[inline(always)]
            fn highest(self, other: Self) -> Self {
                self.max(other)
            }
        }
    };
}

glam_vector!(DVec2, 2, 0, 1);
glam_vector!(DVec3, 3, 0, 1, 2);
