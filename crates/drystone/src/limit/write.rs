//! What was found, as a text, as pictures and as figures.

use super::{Analysis, Extreme, Motion, Place, Reaction};
use crate::analysis::write_json;
use crate::{Error, Simulation};
use drystone_space::math;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

/// Least share of the fastest speed at which a body counts as moving.
const MOVES: f64 = 1e-5;

impl Analysis {
    /// Writes `limit.json` and the pictures that apply into a folder: `mechanism.png` and `thrust.png` at the largest
    /// multiplier (or, without a live load, of what was found at rest), and two of each for each reaction. Returns their
    /// names.
    pub fn write(&self, simulation: &Simulation, folder: &Path) -> Result<Vec<String>, Error> {
        std::fs::create_dir_all(folder).map_err(|source| Error::file(folder, source))?;
        write_json(&folder.join("limit.json"), &self.figures())?;
        let mut written = vec!["limit.json".to_owned()];
        let mut draw = |name: String, mechanism: &[Motion], forces: &[Place], what: &str| {
            for (kind, any) in
                [("mechanism", !mechanism.is_empty()), ("thrust", !forces.is_empty())]
            {
                if !any {
                    continue;
                }
                let file = format!("{kind}{name}.png");
                let title = format!("{}: {kind} {what}", self.title);
                let path = folder.join(&file);
                match kind {
                    "mechanism" => self.draw_mechanism(simulation, mechanism, &title, &path)?,
                    _ => self.draw_thrust(simulation, forces, &title, &path)?,
                }
                written.push(file);
            }
            Ok::<(), Error>(())
        };
        match &self.highest {
            Some(highest) => {
                let what = format!("at {:.6}", highest.value);
                draw(String::new(), &highest.mechanism, &highest.forces, &what)?;
            }
            None => draw(String::new(), &self.falls, &self.forces, "at rest")?,
        }
        for (number, reaction) in self.reactions.iter().enumerate() {
            for (word, extreme) in [("lowest", &reaction.lowest), ("highest", &reaction.highest)] {
                let what = format!("with the {word} force of {}", reaction.support);
                let name = format!("_{}_{word}", number + 1);
                draw(name, &extreme.mechanism, &extreme.forces, &what)?;
            }
        }
        Ok(written)
    }

    /// All figures, as JSON. What has no bound is null.
    pub fn figures(&self) -> Value {
        let bound = |value: f64| value.is_finite().then_some(value);
        let value = |extreme: &Option<Extreme>| extreme.as_ref().and_then(|e| bound(e.value));
        let (dimension, highest) = (self.dimension, self.highest.as_ref());
        let forces = highest.map_or(&self.forces, |highest| &highest.forces);
        let motion = highest.map_or(&self.falls, |highest| &highest.mechanism);
        let moving = self.bodies.iter().zip(motion).filter(|(_, motion)| speed(motion) > MOVES);
        let spin = |spin: Place| if dimension == 2 { json!(spin[2]) } else { json!(spin) };
        let name = |joint: &super::picture::Joint| {
            joint.owners.map(|owner| {
                self.contacts.iter().find_map(|contact| {
                    let side = contact.owners.iter().position(|&own| own == owner)?;
                    Some(contact.bodies[side].clone())
                })
            })
        };
        let reaction = |reaction: &Reaction| {
            json!({
                "support": reaction.support,
                "direction": reaction.direction[..dimension],
                "lowest": bound(reaction.lowest.value),
                "highest": bound(reaction.highest.value),
            })
        };
        json!({
            "scene": self.title,
            "bodies": self.bodies.len(),
            "contacts": self.contacts.len(),
            "live": self.options.live.is_some().then(|| self.live()),
            "stands": self.stands,
            "lowest": value(&self.lowest),
            "highest": value(&self.highest),
            "dynamic": self.dynamic.map(|bracket| bracket.map(bound)),
            "reactions": self.reactions.iter().map(reaction).collect::<Vec<_>>(),
            "mechanism": moving.map(|(body, motion)| json!({
                "body": body,
                "velocity": motion.velocity[..dimension],
                "spin": spin(motion.spin),
            })).collect::<Vec<_>>(),
            "joints": self.joints(forces).iter().map(|joint| json!({
                "bodies": name(joint),
                "point": joint.point[..dimension],
                "force": joint.force[..dimension],
            })).collect::<Vec<_>>(),
        })
    }

    /// What grows, in words.
    fn live(&self) -> String {
        let live = &self.options.live;
        let axes = |place: Place| {
            let numbers: Vec<String> =
                place[..self.dimension].iter().map(|x| x.to_string()).collect();
            format!("({})", numbers.join(", "))
        };
        let mut all = Vec::new();
        if let Some(direction) = live.acceleration {
            all.push(format!("all weights along {}", axes(direction)));
        }
        let forces = live.forces.iter();
        all.extend(forces.map(|(name, force)| format!("{} N on {name}", axes(*force))));
        all.extend(live.weights.iter().map(|name| format!("the weight of {name}")));
        if live.loads {
            all.push("the loads of the scene".to_owned());
        }
        all.join(" and ")
    }

    /// What a user reads.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut line = |label: &str, value: &str| {
            writeln!(text, "{label:<12} {value}").expect("writing to a string does not fail");
        };
        line("scene", &self.title);
        let (bodies, contacts) = (self.bodies.len(), self.contacts.len());
        line("structure", &format!("{bodies} bodies, {contacts} contacts"));
        line(
            "at rest",
            match self.stands {
                true => "forces within the cones balance all loads: it can stand",
                false => "no forces within the cones balance the loads: it falls",
            },
        );
        if self.options.live.is_some() {
            line("live load", &self.live());
            match (&self.lowest, &self.highest) {
                (Some(low), Some(high)) => {
                    line(
                        "multiplier",
                        &format!("from {} to {}", plain(low.value), plain(high.value)),
                    );
                    self.describe_collapse(high, &mut line);
                }
                _ => line("multiplier", "none: no multiple of it makes the structure stand"),
            }
        }
        if let Some([stays, moves]) = self.dynamic {
            let stays = if stays.is_finite() { plain(stays) } else { "no multiplier".to_owned() };
            let moves =
                if moves.is_finite() { plain(moves) } else { "none that was tried".to_owned() };
            line("in motion", &format!("stays at {stays}, moves at {moves}"));
        }
        for Reaction { support, direction, lowest, highest } in &self.reactions {
            let direction = direction[..self.dimension].iter().map(|x| format!("{x:.4}"));
            let direction = direction.collect::<Vec<_>>().join(", ");
            let range = format!("from {} to {} N", plain(lowest.value), plain(highest.value));
            line("reaction", &format!("of {support} along ({direction}): {range}"));
        }
        text
    }

    fn describe_collapse(&self, highest: &Extreme, line: &mut impl FnMut(&str, &str)) {
        let only_weights = self.options.live.acceleration.is_some()
            && self.options.live.forces.is_empty()
            && self.options.live.weights.is_empty();
        if only_weights && highest.value.is_finite() {
            let tilt = math::atan2(highest.value, 1.0).to_degrees();
            line(
                "",
                &format!("as a tilt of the ground, where only weights act: {tilt:.4} degrees"),
            );
        }
        let moving = highest.mechanism.iter().filter(|motion| speed(motion) > MOVES).count();
        if moving > 0 {
            line("mechanism", &format!("{moving} of {} bodies move", self.bodies.len()));
        }
    }
}

fn speed(motion: &Motion) -> f64 {
    let all = motion.velocity.iter().chain(&motion.spin);
    all.map(|x| x.abs()).fold(0.0, f64::max)
}

/// A number as a user reads it.
fn plain(value: f64) -> String {
    match value {
        value if value == f64::INFINITY => "no upper bound".to_owned(),
        value if value == f64::NEG_INFINITY => "no lower bound".to_owned(),
        value if value.abs() < 1e-8 => "0".to_owned(),
        value if value.abs() < 1e5 => format!("{value:.7}"),
        value => format!("{value:.1}"),
    }
}
