//! Vectors and square matrices of one contact.

/// Components of one contact: normal, tangential, moments.
pub type Local<const D: usize> = [f64; D];
/// A block of W, row after row.
pub type Square<const D: usize> = [[f64; D]; D];

/// a · b.
#[inline(always)]
pub fn dot<const D: usize>(a: &Local<D>, b: &Local<D>) -> f64 {
    let mut sum = 0.0;
    for i in 0..D {
        sum += a[i] * b[i];
    }
    sum
}

/// |a|.
#[inline(always)]
pub fn norm(a: &[f64]) -> f64 {
    a.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// a + b.
#[inline(always)]
pub fn add<const D: usize>(a: &Local<D>, b: &Local<D>) -> Local<D> {
    std::array::from_fn(|i| a[i] + b[i])
}

/// a − b.
#[inline(always)]
pub fn subtract<const D: usize>(a: &Local<D>, b: &Local<D>) -> Local<D> {
    std::array::from_fn(|i| a[i] - b[i])
}

/// s a.
#[inline(always)]
pub fn scaled<const D: usize>(a: &Local<D>, s: f64) -> Local<D> {
    std::array::from_fn(|i| a[i] * s)
}

/// a + s b.
#[inline(always)]
pub fn add_scaled<const D: usize>(a: &Local<D>, s: f64, b: &Local<D>) -> Local<D> {
    std::array::from_fn(|i| a[i] + s * b[i])
}
