//! Problems from matrices that a program has.

use super::{Form, Info, Problem};
use crate::Error;
use drystone_solve::SparseMatrix;

/// A problem from a dense matrix W, row after row, the velocities q without impulses, and a coefficient for each contact.
/// A contact has 2 or 3 components.
pub fn dense(dimension: usize, w: &[f64], q: &[f64], friction: &[f64]) -> Result<Problem, Error> {
    let size = q.len();
    if w.len() != size * size {
        let expected = format!("{}: {size} by {size}, as q has {size}", size * size);
        return Err(Error::Length { what: "W".to_owned(), found: w.len(), expected });
    }
    let entry = |(place, &value): (usize, &f64)| (place / size, place % size, value);
    let entries: Vec<_> = w.iter().enumerate().map(entry).filter(|entry| entry.2 != 0.0).collect();
    problem(dimension, &entries, q, friction, &[])
}

/// The same with W in compressed rows: where each row starts, columns, values.
///
/// ```
/// use drystone::solve;
/// let problem = solve::sparse(2, &[0, 1, 2], &[0, 1], &[1.0, 1.0], &[-1.0, 1.0], &[0.3])?;
/// assert_eq!(problem.contacts(), 1);
/// # Ok::<(), drystone::Error>(())
/// ```
pub fn sparse(
    dimension: usize,
    starts: &[usize],
    columns: &[usize],
    values: &[f64],
    q: &[f64],
    friction: &[f64],
) -> Result<Problem, Error> {
    problem(dimension, &entries(starts, columns, values, q.len())?, q, friction, &[])
}

/// The same with rolling resistance: 5 components a contact (normal, two tangential, two moments), and a second
/// coefficient for each, a length.
pub fn rolling(
    starts: &[usize],
    columns: &[usize],
    values: &[f64],
    q: &[f64],
    friction: &[f64],
    rolling: &[f64],
) -> Result<Problem, Error> {
    problem(5, &entries(starts, columns, values, q.len())?, q, friction, rolling)
}

/// Checks compressed rows, and takes them apart.
fn entries(
    starts: &[usize],
    columns: &[usize],
    values: &[f64],
    size: usize,
) -> Result<Vec<(usize, usize, f64)>, Error> {
    let wrong = |what: &str, found: String, expected: String| {
        Err(Error::Value { what: what.to_owned(), found, expected })
    };
    if starts.len() != size + 1 {
        let expected = format!("{}: one more than q has", size + 1);
        return Err(Error::Length { what: "row starts".into(), found: starts.len(), expected });
    }
    if columns.len() != values.len() {
        let expected = format!("{}, as many as columns", columns.len());
        return Err(Error::Length { what: "values".into(), found: values.len(), expected });
    }
    let rising = starts.windows(2).all(|pair| pair[0] <= pair[1]);
    if !rising || starts[0] != 0 || starts[size] != values.len() {
        let expected = format!("numbers that rise from 0 to {}", values.len());
        return wrong("row starts", "a list that does not".to_owned(), expected);
    }
    if let Some(column) = columns.iter().find(|&&column| column >= size) {
        return wrong("a column", column.to_string(), format!("a number below {size}"));
    }
    let row = |row: usize| (starts[row]..starts[row + 1]).map(move |place| (row, place));
    let all = (0..size).flat_map(row);
    Ok(all.map(|(row, place)| (row, columns[place], values[place])).collect())
}

fn problem(
    dimension: usize,
    entries: &[(usize, usize, f64)],
    q: &[f64],
    friction: &[f64],
    rolling: &[f64],
) -> Result<Problem, Error> {
    let wrong = |what: &str, found: String, expected: &str| {
        Err(Error::Value { what: what.to_owned(), found, expected: expected.to_owned() })
    };
    if !matches!((dimension, rolling.is_empty()), (2 | 3, true) | (5, _)) {
        return wrong("the dimension", dimension.to_string(), "2 or 3");
    }
    let (size, contacts) = (q.len(), friction.len());
    if size != dimension * contacts {
        let expected =
            format!("{}: {dimension} for each of {contacts} contacts", dimension * contacts);
        return Err(Error::Length { what: "q".to_owned(), found: size, expected });
    }
    if dimension == 5 && rolling.len() != contacts {
        let expected = format!("{contacts}, one for each contact");
        let what = "rolling resistances".to_owned();
        return Err(Error::Length { what, found: rolling.len(), expected });
    }
    let numbers = entries.iter().map(|entry| &entry.2).chain(q);
    if let Some(number) = numbers.into_iter().find(|number| !number.is_finite()) {
        return wrong("a number of W or q", number.to_string(), "a finite number");
    }
    let bad = |value: &&f64| !(value.is_finite() && **value >= 0.0);
    if let Some(value) = friction.iter().chain(rolling).find(bad) {
        return wrong("a coefficient", value.to_string(), "zero or more, and finite");
    }
    Ok(Problem {
        info: Info::default(),
        dimension,
        friction: friction.to_vec(),
        rolling: rolling.to_vec(),
        form: Form::Local {
            delassus: SparseMatrix::from_entries(size, size, entries),
            free: q.to_vec(),
            joints: None,
        },
        solution: None,
        guesses: Vec::new(),
    })
}
