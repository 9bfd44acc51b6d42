//! What every engine does with a scene.

use crate::judge::Place;
use crate::scene::Scene;
use std::error::Error;

/// An engine with its settings, ready to be given scenes.
pub trait Engine {
    fn name(&self) -> String;
    /// The scene at its start; `None` if the engine has not its dimension.
    fn begin(&self, scene: &Scene) -> Result<Option<Box<dyn Running>>, Box<dyn Error>>;
}

/// A scene in motion.
pub trait Running {
    /// Goes on by some simulated time.
    fn run(&mut self, time: f64) -> Result<(), Box<dyn Error>>;
    fn places(&mut self) -> Vec<Place>;
    /// What it has to say of itself.
    fn remarks(&self) -> String {
        String::new()
    }
}

/// Processor time of this thread in seconds.
pub fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or(f64::NAN) * 1e-9
}
