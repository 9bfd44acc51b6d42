//! A hash of numbers, equal for equal bits.

use drystone_space::Vector;

/// Fowler–Noll–Vo's hash, version 1a, 64 bits: the same on all machines.
pub(crate) struct Fnv(pub u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    pub fn number(&mut self, value: f64) {
        for byte in value.to_bits().to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    pub fn vector(&mut self, vector: impl Vector) {
        fn each<V: Vector>(hash: &mut Fnv, vector: V) {
            (0..V::LENGTH).for_each(|i| hash.number(vector.get(i)));
        }
        each(self, vector);
    }
}
