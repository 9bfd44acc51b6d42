//! `drystone limit`: how far loads may grow before a structure collapses.

use crate::run::{change, open, positive, told};
use crate::{Failure, report};
use clap::Args;
use drystone::limit::{self, Dynamics, Live, Options, Place};
use drystone::scene::Override;
use std::path::{Path, PathBuf};

/// Arguments of `limit`.
#[derive(Args)]
pub struct Arguments {
    /// The scene file: a structure at rest.
    scene: PathBuf,
    /// What grows: a pull on all bodies along this direction, in units of their weights, such as `1,0`.
    #[arg(long, value_name = "DIRECTION", value_parser = place, allow_hyphen_values = true)]
    acceleration: Option<Given>,
    /// What grows: a force in N on a body, or on a group by its masses; may be repeated.
    #[arg(long, value_name = "NAME=FORCE", value_parser = named, allow_hyphen_values = true)]
    force: Vec<(String, Given)>,
    /// What grows: the weight of a body or group; may be repeated.
    #[arg(long, value_name = "NAME")]
    weight: Vec<String>,
    /// What grows: the loads of the scene. Without it they are there from the start.
    #[arg(long)]
    loads: bool,
    /// Least and largest force of a support, a boundary, along a direction (default: each axis); may be repeated.
    #[arg(long, value_name = "NAME[=DIRECTION]", value_parser = support, allow_hyphen_values = true)]
    reaction: Vec<(String, Option<Given>)>,
    /// Look also by runs from rest for the multiplier at which blocks start to move: friction does not dilate there.
    #[arg(long)]
    dynamics: bool,
    /// Length of these runs, in seconds.
    #[arg(long, value_name = "T", value_parser = positive, default_value = "1")]
    duration: f64,
    /// Relative width of the bracket that they look for, and of --bisect.
    #[arg(long, value_name = "SHARE", value_parser = positive, default_value = "2e-3")]
    resolution: f64,
    /// Look for the value of a key between two at which the structure ceases to stand, by limit analysis, or with
    /// --dynamics by runs from rest.
    #[arg(long, value_name = "KEY=LOW:HIGH", value_parser = between,
          conflicts_with_all = ["acceleration", "force", "weight", "loads", "reaction"])]
    bisect: Option<(String, [f64; 2])>,
    /// Another value for a key of the scene; may be repeated.
    #[arg(long, value_name = "KEY=VALUE", value_parser = change)]
    set: Vec<Override>,
    /// Directory for figures and pictures [default: `runs/`, the scene's name and `_limit`].
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

/// Two or three numbers.
#[derive(Clone, Debug, PartialEq)]
struct Given(Vec<f64>);

fn place(text: &str) -> Result<Given, String> {
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|word| word.trim().parse()).collect();
    match numbers {
        Ok(numbers)
            if (2..=3).contains(&numbers.len()) && numbers.iter().all(|x| x.is_finite()) =>
        {
            Ok(Given(numbers))
        }
        _ => Err("expected two numbers in the plane, three in space, such as `1,0`".to_owned()),
    }
}

fn named(text: &str) -> Result<(String, Given), String> {
    let (name, numbers) =
        text.rsplit_once('=').ok_or("expected a name and a force, such as `keystone=0,-1000`")?;
    Ok((name.to_owned(), place(numbers)?))
}

fn support(text: &str) -> Result<(String, Option<Given>), String> {
    match text.rsplit_once('=') {
        Some((name, numbers)) => Ok((name.to_owned(), Some(place(numbers)?))),
        None => Ok((text.to_owned(), None)),
    }
}

fn between(text: &str) -> Result<(String, [f64; 2]), String> {
    let wrong = "expected a key and two values, such as `generate.0.arch.inner_radius=0.8:0.99`";
    let (key, values) = text.rsplit_once('=').ok_or(wrong)?;
    let (low, high) = values.split_once(':').ok_or(wrong)?;
    match (low.trim().parse::<f64>(), high.trim().parse::<f64>()) {
        (Ok(low), Ok(high)) if low.is_finite() && high.is_finite() => {
            Ok((key.to_owned(), [low, high]))
        }
        _ => Err(wrong.to_owned()),
    }
}

impl Arguments {
    fn options(&self, dimension: usize) -> Result<Options, Failure> {
        let vector = |given: &Given| -> Result<Place, Failure> {
            if given.0.len() != dimension {
                return Err(format!(
                    "error: a vector of this scene has {dimension} numbers: found {}",
                    given.0.len()
                ));
            }
            Ok(std::array::from_fn(|i| given.0.get(i).copied().unwrap_or(0.0)))
        };
        let mut live = Live { weights: self.weight.clone(), loads: self.loads, ..Live::default() };
        live.acceleration = self.acceleration.as_ref().map(&vector).transpose()?;
        for (name, force) in &self.force {
            live.forces.push((name.clone(), vector(force)?));
        }
        let mut reactions = Vec::new();
        for (name, direction) in &self.reaction {
            reactions.push((name.clone(), direction.as_ref().map(&vector).transpose()?));
        }
        Ok(Options { live, reactions, dynamics: self.dynamics.then(|| self.runs()) })
    }

    fn runs(&self) -> Dynamics {
        let (duration, resolution) = (self.duration, self.resolution);
        Dynamics { duration, resolution, ..Dynamics::default() }
    }
}

/// Limit analysis of a scene.
pub fn limit(arguments: &Arguments) -> Result<(), Failure> {
    if let Some((key, values)) = &arguments.bisect {
        let runs = arguments.dynamics.then(|| arguments.runs());
        let Arguments { scene, set, resolution, .. } = arguments;
        let found = limit::critical(scene, set, key, *values, *resolution, runs.as_ref());
        let found = found.map_err(told)?;
        return report::print(&format!(
            "{key}: stands at {:?}, falls at {:?}\n",
            found.stands, found.falls
        ));
    }
    let simulation = open(&arguments.scene, &arguments.set, false)?;
    let options = arguments.options(simulation.dimension())?;
    if arguments.dynamics && !options.live.is_some() {
        return Err("error: --dynamics needs a load that grows: give --acceleration, --force, --weight or --loads"
            .to_owned());
    }
    let found = limit::analyse(&simulation, &options).map_err(told)?;
    let directory = arguments.output.clone().unwrap_or_else(|| default_directory(&arguments.scene));
    let written = found.write(&simulation, &directory).map_err(told)?;
    let (text, directory, files) = (found.text(), directory.display(), written.join(", "));
    report::print(&format!("{text}recorded in  {directory} ({files})\n"))
}

/// `runs/`, the name of the scene file without its ending, and `_limit`.
fn default_directory(scene: &Path) -> PathBuf {
    let name = scene.file_stem().unwrap_or(scene.as_os_str()).to_string_lossy();
    Path::new("runs").join(format!("{name}_limit"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_names_and_brackets_are_read() {
        assert_eq!(place("1, -2"), Ok(Given(vec![1.0, -2.0])));
        assert!(place("1").is_err() && place("1,a").is_err() && place("1,2,3,4").is_err());
        assert_eq!(named("key stone=0,-1"), Ok(("key stone".to_owned(), Given(vec![0.0, -1.0]))));
        assert!(named("keystone").is_err());
        assert_eq!(support("ground"), Ok(("ground".to_owned(), None)));
        assert!(support("ground=1").is_err());
        assert_eq!(between("a.b=0.1:2"), Ok(("a.b".to_owned(), [0.1, 2.0])));
        assert!(between("a.b=0.1").is_err() && between("a.b=x:2").is_err());
    }
}
