//! The value of a key of a scene at which a structure ceases to stand: a thickness, a width, a friction.

use super::{Dynamics, stands, stays};
use crate::{Error, Simulation};
use drystone_scene::Override;
use std::path::Path;

/// A bracket of the value of a key.
#[derive(Clone, Debug, PartialEq)]
pub struct Critical {
    /// The key.
    pub key: String,
    /// The last value that was tried at which it stands.
    pub stands: f64,
    /// The nearest at which it does not.
    pub falls: f64,
}

/// Bisects a key between two values, one at which the structure stands and one at which it does not, down to a width of
/// `resolution` of the larger one: by limit analysis, or by runs from rest.
pub fn critical(
    scene: &Path,
    changes: &[Override],
    key: &str,
    between: [f64; 2],
    resolution: f64,
    dynamics: Option<&Dynamics>,
) -> Result<Critical, Error> {
    let holds = |value: f64| {
        let mut all = changes.to_vec();
        all.push(Override::new(key, &format!("{value:?}"))?);
        let simulation = Simulation::read_with(scene, &all)?;
        match dynamics {
            Some(dynamics) => stays(&simulation, dynamics),
            None => stands(&simulation),
        }
    };
    let [first, second] = between;
    let (mut good, mut bad) = match (holds(first)?, holds(second)?) {
        (true, false) => (first, second),
        (false, true) => (second, first),
        (both, _) => {
            let word = if both { "stands" } else { "falls" };
            return Err(Error::Unfit(format!(
                "the structure {word} with `{key}` at {first} and at {second}: a bracket has one value at which it \
                 stands and one at which it falls"
            )));
        }
    };
    while (good - bad).abs() > resolution * first.abs().max(second.abs()) {
        let middle = 0.5 * (good + bad);
        if holds(middle)? { good = middle } else { bad = middle }
    }
    Ok(Critical { key: key.to_owned(), stands: good, falls: bad })
}
