//! NumPy arrays: read-only ones out, checked ones in.
//!
//! An array that goes out shows memory of a [`Buffer`], which nobody writes any more: it is a snapshot, whatever the
//! world does afterwards, and lives as long as an array shows it.

use crate::error::{Class, raise};
use numpy::ndarray::{ArrayD, IxDyn};
use numpy::{Element, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// Memory that arrays show. It offers Python no way to write.
#[pyclass(frozen, module = "drystone._drystone")]
pub struct Buffer(Numbers);

enum Numbers {
    F64(ArrayD<f64>),
    I64(ArrayD<i64>),
    U8(ArrayD<u8>),
    Bool(ArrayD<bool>),
}

/// Numbers that arrays can hold.
pub trait Number: Element + Sized {
    fn keep(array: ArrayD<Self>) -> Buffer;
    fn kept(buffer: &Buffer) -> Option<&ArrayD<Self>>;
}

macro_rules! number {
    ($type:ty, $kind:ident) => {
        impl Number for $type {
            fn keep(array: ArrayD<Self>) -> Buffer {
                Buffer(Numbers::$kind(array))
            }
            fn kept(buffer: &Buffer) -> Option<&ArrayD<Self>> {
                match &buffer.0 {
                    Numbers::$kind(array) => Some(array),
                    _ => None,
                }
            }
        }
    };
}
number!(f64, F64);
number!(i64, I64);
number!(u8, U8);
number!(bool, Bool);

/// A read-only array of this shape.
pub fn read_only<'py, T: Number>(
    py: Python<'py>,
    numbers: Vec<T>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    let misshapen = |error: numpy::ndarray::ShapeError| {
        raise(py, Class::Internal, format!("an array of shape {shape:?}: {error}"))
    };
    let array = ArrayD::from_shape_vec(IxDyn(shape), numbers).map_err(misshapen)?;
    let buffer = Bound::new(py, T::keep(array))?;
    let Some(kept) = T::kept(buffer.get()) else {
        return Err(raise(py, Class::Internal, "a buffer of another kind"));
    };
    // SAFETY: the buffer is frozen, so its memory is never moved nor written, and the array keeps it alive.
    let array = unsafe { PyArrayDyn::borrow_from_array(kept, buffer.clone().into_any()) };
    array.readwrite().make_nonwriteable();
    Ok(array.into_any())
}

/// Rows of this width; one number each make a plain list.
pub fn rows<'py, T: Number>(
    py: Python<'py>,
    numbers: Vec<T>,
    count: usize,
    width: usize,
) -> PyResult<Bound<'py, PyAny>> {
    match width {
        1 => read_only(py, numbers, &[count]),
        _ => read_only(py, numbers, &[count, width]),
    }
}

/// Real numbers that a user gives, with their shape; `what` names them in messages.
pub fn numbers(what: &str, given: &Bound<'_, PyAny>) -> PyResult<(Vec<f64>, Vec<usize>)> {
    let py = given.py();
    let array =
        if given.cast::<PyArrayDyn<f64>>().is_ok() { given.clone() } else { cast(what, given)? };
    let array: PyReadonlyArrayDyn<'_, f64> =
        array.extract().map_err(|error| raise(py, Class::Value, format!("{what}: {error}")))?;
    let shape = array.shape().to_vec();
    Ok((array.as_array().iter().copied().collect(), shape))
}

/// The same as 64-bit numbers.
fn cast<'py>(what: &str, given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    static NUMPY: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let py = given.py();
    let numpy =
        NUMPY.get_or_try_init(py, || Ok::<_, PyErr>(py.import("numpy")?.unbind()))?.bind(py);
    let unread = |error: PyErr| {
        raise(py, Class::Value, format!("{what} cannot be read as an array of numbers: {error}"))
    };
    let array = numpy.call_method1("asarray", (given,)).map_err(unread)?;
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    let empty = array.getattr("size")?.extract::<usize>()? == 0;
    if !empty && !matches!(kind.as_str(), "f" | "i" | "u") {
        let found = array.getattr("dtype")?.str()?;
        let text = format!("{what} has numbers of type {found}; expected real numbers");
        return Err(raise(py, Class::Value, text));
    }
    array.call_method1("astype", ("float64",)).map_err(unread)
}

/// Numbers in rows of this width, as many as there are things.
pub fn table(
    what: &str,
    given: &Bound<'_, PyAny>,
    count: usize,
    width: usize,
) -> PyResult<Vec<f64>> {
    let (numbers, shape) = numbers(what, given)?;
    let wanted: &[usize] = if width == 1 { &[count] } else { &[count, width] };
    if shape != wanted && shape != [count, width] {
        let text = format!("{what} has shape {}; expected {}", shown(&shape), shown(wanted));
        return Err(raise(given.py(), Class::Value, text));
    }
    Ok(numbers)
}

/// A list of numbers.
pub fn list(what: &str, given: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let (numbers, shape) = numbers(what, given)?;
    if shape.len() > 1 {
        let text = format!("{what} has shape {}; expected one list of numbers", shown(&shape));
        return Err(raise(given.py(), Class::Value, text));
    }
    Ok(numbers)
}

/// A shape as Python writes it.
pub fn shown(shape: &[usize]) -> String {
    match shape {
        [one] => format!("({one},)"),
        _ => format!("({})", shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    }
}
