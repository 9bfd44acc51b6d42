//! What ranks tell each other, as bytes. All ranks run the same program on machines of one kind.

use crate::Owner;
use drystone_solve::{Mover, Twist};
use drystone_space::{Local, Pose, Space, Vector};

/// What is made of numbers alone, without gaps between them, so that its bytes can be sent as they are.
///
/// # Safety
/// Every byte of it must be part of a number, and all bytes of such numbers must be one of it.
pub unsafe trait Plain: Copy {}

// SAFETY: numbers.
unsafe impl Plain for f64 {}
// SAFETY: as above.
unsafe impl Plain for u32 {}
// SAFETY: as above.
unsafe impl Plain for u64 {}
// SAFETY: a vector and a rotation, which hold numbers of one size.
unsafe impl<S: Space> Plain for Pose<S> {}
// SAFETY: two vectors.
unsafe impl<S: Space> Plain for Twist<S> {}
// SAFETY: a number and a symmetric matrix.
unsafe impl<S: Space> Plain for Mover<S> {}

/// Writes bytes.
#[derive(Debug, Default)]
pub struct Writer(pub Vec<u8>);

impl Writer {
    /// Adds something plain.
    pub fn put<T: Plain>(&mut self, value: T) {
        let start: *const T = &raw const value;
        // SAFETY: every byte is part of a number.
        let bytes = unsafe { std::slice::from_raw_parts(start.cast::<u8>(), size_of::<T>()) };
        self.0.extend_from_slice(bytes);
    }
    /// Adds a yes or no.
    pub fn flag(&mut self, flag: bool) {
        self.0.push(u8::from(flag));
    }
    /// Adds a number of things.
    pub fn count(&mut self, count: usize) {
        self.put(count as u64);
    }
    /// Adds the name of a body or boundary.
    pub fn owner(&mut self, owner: Owner) {
        let (is_body, index) = match owner {
            Owner::Body(index) => (true, index),
            Owner::Boundary(index) => (false, index),
        };
        self.flag(is_body);
        self.put(index);
    }
    /// Adds a vector.
    pub fn vector(&mut self, vector: impl Vector) {
        fn each<V: Vector>(writer: &mut Writer, vector: V) {
            (0..V::LENGTH).for_each(|i| writer.put(vector.get(i)));
        }
        each(self, vector);
    }
    /// Adds a vector in the frame of a contact.
    pub fn local<S: Space>(&mut self, local: S::Local) {
        self.put(local.normal());
        self.vector(local.tangent());
    }
}

/// Reads bytes in the order in which they were written.
#[derive(Debug)]
pub struct Reader<'a>(pub &'a [u8]);

impl Reader<'_> {
    /// Something plain.
    pub fn get<T: Plain>(&mut self) -> T {
        let (bytes, rest) = self.0.split_at(size_of::<T>());
        self.0 = rest;
        // SAFETY: there are as many bytes, and something plain can have any.
        unsafe { bytes.as_ptr().cast::<T>().read_unaligned() }
    }
    /// A yes or no.
    pub fn flag(&mut self) -> bool {
        let (first, rest) = self.0.split_at(1);
        self.0 = rest;
        first[0] != 0
    }
    /// A number of things.
    pub fn count(&mut self) -> usize {
        self.get::<u64>() as usize
    }
    /// The name of a body or boundary.
    pub fn owner(&mut self) -> Owner {
        match self.flag() {
            true => Owner::Body(self.get()),
            false => Owner::Boundary(self.get()),
        }
    }
    /// A vector.
    pub fn vector<V: Vector>(&mut self) -> V {
        V::from_fn(|_| self.get())
    }
    /// A vector in the frame of a contact.
    pub fn local<S: Space>(&mut self) -> S::Local {
        let normal = self.get();
        S::Local::new(normal, self.vector())
    }
    /// Whether all is read.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
