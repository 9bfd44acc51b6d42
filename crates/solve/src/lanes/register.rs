//! Registers of four numbers. Sweeps are compiled once for those that every machine has and, on x86-64, once for
//! those of AVX; the machine is asked which to take. Either way each number has the same bits.

use super::{Lanes, WIDTH, each};
use std::fmt::Debug;
use std::ops::{Add, AddAssign, BitAnd, BitOr, Div, Mul, Neg, Sub, SubAssign};

/// Four numbers to compute with, as [`Lanes`] are those in memory. A mask has all bits of a number set, or none.
pub trait Register:
    Copy
    + Debug
    + Default
    + Send
    + Sync
    + 'static
    + Neg<Output = Self>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + AddAssign
    + SubAssign
{
    /// From memory.
    fn load(lanes: &Lanes) -> Self;
    /// To memory.
    fn store(self) -> Lanes;
    /// The same in all lanes.
    fn splat(number: f64) -> Self;
    /// Square roots.
    fn sqrt(self) -> Self;
    /// Absolute values.
    fn abs(self) -> Self;
    /// A mask of the lanes in which this is at most the other.
    fn at_most(self, other: Self) -> Self;
    /// A mask of the lanes in which this is below the other.
    fn below(self, other: Self) -> Self;
    /// `yes` where this is a mask that is set, `no` elsewhere.
    fn select(self, yes: Self, no: Self) -> Self;
    /// A bit for each lane of a mask.
    fn bits(self) -> u8;
    /// The larger of each two; the other where they are the same, as zeros of both signs are, or one is no number.
    fn larger(self, other: Self) -> Self;
    /// The smaller of each two, in the same way.
    fn smaller(self, other: Self) -> Self;
    /// Rows to columns.
    fn transpose(rows: [Self; WIDTH]) -> [Self; WIDTH];
    /// Does some work in a function of its own, compiled for these registers.
    ///
    /// # Safety
    /// The machine must have them.
    unsafe fn apart<W: Work<Self>>(work: W) -> W::Output;
}

/// What can be done with registers. To be compiled for them, all of it must be inlined.
pub trait Work<R: Register> {
    /// What comes out.
    type Output;
    /// Does it.
    fn run(self) -> Self::Output;
}

/// Does some work with the widest registers that this machine has.
#[inline(always)]
#[cfg(target_arch = "x86_64")]
pub fn with_registers<T>(work: impl Work<Lanes, Output = T> + Work<Wide, Output = T>) -> T {
    // SAFETY: the machine has been asked.
    unsafe {
        if std::arch::is_x86_feature_detected!("avx") {
            Wide::apart(work)
        } else {
            Lanes::apart(work)
        }
    }
}

/// Does some work with the registers that there are.
#[inline(always)]
#[cfg(not(target_arch = "x86_64"))]
pub fn with_registers<T>(work: impl Work<Lanes, Output = T>) -> T {
    // SAFETY: every machine has them.
    unsafe { Lanes::apart(work) }
}

impl Register for Lanes {
    #[inline(always)]
    fn load(lanes: &Lanes) -> Self {
        *lanes
    }
    #[inline(always)]
    fn store(self) -> Lanes {
        self
    }
    #[inline(always)]
    fn splat(number: f64) -> Self {
        Lanes::splat(number)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Lanes::sqrt(self)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Lanes::abs(self)
    }
    #[inline(always)]
    fn at_most(self, other: Self) -> Self {
        self.simd_le(other)
    }
    #[inline(always)]
    fn below(self, other: Self) -> Self {
        self.simd_lt(other)
    }
    #[inline(always)]
    fn select(self, yes: Self, no: Self) -> Self {
        Lanes::select(self, yes, no)
    }
    #[inline(always)]
    fn bits(self) -> u8 {
        self.to_bitmask() as u8 & 0b1111
    }
    /// The library's own way is that of the machine.
    #[inline(always)]
    #[allow(clippy::disallowed_methods)]
    fn larger(self, other: Self) -> Self {
        if cfg!(target_arch = "x86_64") {
            self.fast_max(other)
        } else {
            self.simd_gt(other).select(self, other)
        }
    }
    #[inline(always)]
    #[allow(clippy::disallowed_methods)]
    fn smaller(self, other: Self) -> Self {
        if cfg!(target_arch = "x86_64") {
            self.fast_min(other)
        } else {
            self.simd_lt(other).select(self, other)
        }
    }
    /// The library's way is the faster one, but not where its many small functions are built with checks.
    #[inline(always)]
    fn transpose(rows: [Self; WIDTH]) -> [Self; WIDTH] {
        if cfg!(debug_assertions) {
            let [a, b, c, d] = each(|i| rows[i].to_array());
            each(|i| Lanes::new([a[i], b[i], c[i], d[i]]))
        } else {
            Lanes::transpose(rows)
        }
    }
    #[inline(never)]
    unsafe fn apart<W: Work<Self>>(work: W) -> W::Output {
        work.run()
    }
}

#[cfg(target_arch = "x86_64")]
pub use wide::Wide;

/// Registers of AVX.
#[cfg(target_arch = "x86_64")]
mod wide {
    use super::*;
    use std::arch::x86_64::*;

    /// Four numbers in one register. There must be none on a machine without AVX.
    #[derive(Clone, Copy, Debug)]
    #[repr(transparent)]
    pub struct Wide(__m256d);

    impl Default for Wide {
        fn default() -> Self {
            Self::splat(0.0)
        }
    }

    /// An operation of two registers by one instruction.
    macro_rules! operation {
        ($of:ident, $name:ident, $instruction:ident) => {
            impl $of for Wide {
                type Output = Self;
                #[inline(always)]
                fn $name(self, other: Self) -> Self {
                    // SAFETY: there is a register, so the machine has AVX.
                    unsafe { Self($instruction(self.0, other.0)) }
                }
            }
        };
    }
    operation!(Add, add, _mm256_add_pd);
    operation!(Sub, sub, _mm256_sub_pd);
    operation!(Mul, mul, _mm256_mul_pd);
    operation!(Div, div, _mm256_div_pd);
    operation!(BitAnd, bitand, _mm256_and_pd);
    operation!(BitOr, bitor, _mm256_or_pd);

    impl AddAssign for Wide {
        #[inline(always)]
        fn add_assign(&mut self, other: Self) {
            *self = *self + other;
        }
    }
    impl SubAssign for Wide {
        #[inline(always)]
        fn sub_assign(&mut self, other: Self) {
            *self = *self - other;
        }
    }
    impl Neg for Wide {
        type Output = Self;
        #[inline(always)]
        fn neg(self) -> Self {
            // SAFETY: there is a register, so the machine has AVX.
            unsafe { Self(_mm256_xor_pd(self.0, _mm256_set1_pd(-0.0))) }
        }
    }

    // SAFETY, of all that follows: what makes a register is called by what is done `apart`, whose caller has asked
    // whether the machine has AVX; all else has a register already.
    impl Register for Wide {
        #[inline(always)]
        fn load(lanes: &Lanes) -> Self {
            // SAFETY: lanes are four numbers.
            unsafe { Self(_mm256_loadu_pd(std::ptr::from_ref(lanes).cast())) }
        }
        #[inline(always)]
        fn store(self) -> Lanes {
            let mut lanes = Lanes::ZERO;
            // SAFETY: lanes are four numbers.
            unsafe { _mm256_storeu_pd(std::ptr::from_mut(&mut lanes).cast(), self.0) };
            lanes
        }
        #[inline(always)]
        fn splat(number: f64) -> Self {
            // SAFETY: see above.
            unsafe { Self(_mm256_set1_pd(number)) }
        }
        #[inline(always)]
        fn sqrt(self) -> Self {
            // SAFETY: see above.
            unsafe { Self(_mm256_sqrt_pd(self.0)) }
        }
        #[inline(always)]
        fn abs(self) -> Self {
            // SAFETY: see above.
            unsafe { Self(_mm256_andnot_pd(_mm256_set1_pd(-0.0), self.0)) }
        }
        #[inline(always)]
        fn at_most(self, other: Self) -> Self {
            // SAFETY: see above.
            unsafe { Self(_mm256_cmp_pd::<_CMP_LE_OQ>(self.0, other.0)) }
        }
        #[inline(always)]
        fn below(self, other: Self) -> Self {
            // SAFETY: see above.
            unsafe { Self(_mm256_cmp_pd::<_CMP_LT_OQ>(self.0, other.0)) }
        }
        #[inline(always)]
        fn select(self, yes: Self, no: Self) -> Self {
            // SAFETY: see above.
            unsafe { Self(_mm256_blendv_pd(no.0, yes.0, self.0)) }
        }
        #[inline(always)]
        fn bits(self) -> u8 {
            // SAFETY: see above.
            unsafe { _mm256_movemask_pd(self.0) as u8 }
        }
        #[inline(always)]
        fn larger(self, other: Self) -> Self {
            // SAFETY: see above.
            unsafe { Self(_mm256_max_pd(self.0, other.0)) }
        }
        #[inline(always)]
        fn smaller(self, other: Self) -> Self {
            // SAFETY: see above.
            unsafe { Self(_mm256_min_pd(self.0, other.0)) }
        }
        #[inline(always)]
        fn transpose([a, b, c, d]: [Self; WIDTH]) -> [Self; WIDTH] {
            // SAFETY: see above.
            unsafe {
                let [low, high] = [_mm256_unpacklo_pd(a.0, b.0), _mm256_unpackhi_pd(a.0, b.0)];
                let [low_2, high_2] = [_mm256_unpacklo_pd(c.0, d.0), _mm256_unpackhi_pd(c.0, d.0)];
                [
                    Self(_mm256_permute2f128_pd::<0x20>(low, low_2)),
                    Self(_mm256_permute2f128_pd::<0x20>(high, high_2)),
                    Self(_mm256_permute2f128_pd::<0x31>(low, low_2)),
                    Self(_mm256_permute2f128_pd::<0x31>(high, high_2)),
                ]
            }
        }
        #[inline(always)]
        unsafe fn apart<W: Work<Self>>(work: W) -> W::Output {
            #[target_feature(enable = "avx")]
            #[inline(never)]
            fn compiled<W: Work<Wide>>(work: W) -> W::Output {
                work.run()
            }
            // SAFETY: by this function's contract.
            unsafe { compiled(work) }
        }
    }
}
