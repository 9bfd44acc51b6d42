//! One thread or all of them: whichever is faster, as measured.
//!
//! Threads that share sweeps wait for each other dozens of times in each of them. Where contacts are few that costs
//! more than it gains, and where other work keeps the machine busy it costs far more: a thread that the system
//! has put to sleep in the middle of its chunk keeps all the others waiting for milliseconds. So both ways are
//! tried now and then, on a few steps each. The result has the same bits in any case: this is the one place where a
//! clock may decide.

use crate::TrialParams;
use std::time::Duration;

const TRIAL: usize = TrialParams::STEPS;

/// Who does a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Way {
    /// All threads.
    #[default]
    Together,
    /// One.
    Alone,
}

impl Way {
    fn other(self) -> Self {
        match self {
            Self::Together => Self::Alone,
            Self::Alone => Self::Together,
        }
    }
}

/// How fast both ways are.
#[derive(Clone, Debug, Default)]
pub(crate) struct ThreadTrial {
    chosen: Way,
    /// Whether the other way is being tried.
    trying: bool,
    /// Time per work of the last steps of the chosen way, and of the other.
    chosen_times: Times,
    other_times: Times,
    /// Steps until the next trial, and how many there were after the last.
    left: usize,
    between: usize,
}

/// Times of the last steps, in a ring.
#[derive(Clone, Debug, Default)]
struct Times {
    times: [f64; TRIAL],
    count: usize,
}

impl Times {
    fn push(&mut self, time: f64) {
        self.times[self.count % TRIAL] = time;
        self.count += 1;
    }

    fn median(&self) -> f64 {
        let mut times = self.times;
        times.sort_unstable_by(f64::total_cmp);
        times[TRIAL / 2]
    }
}

/// What a step with so many bodies, contacts and sweeps costs, in some unit.
pub(crate) fn work(params: &TrialParams, bodies: usize, contacts: usize, sweeps: usize) -> f64 {
    bodies as f64 + contacts as f64 * (1.0 + sweeps as f64 / params.sweeps)
}

impl ThreadTrial {
    /// How the next step is to be made.
    pub fn way(&self) -> Way {
        if self.trying { self.chosen.other() } else { self.chosen }
    }

    /// Learns how long a step took that cost so much [`work`].
    pub fn learn(&mut self, params: &TrialParams, time: Duration, work: f64) {
        let time = time.as_secs_f64() / work;
        if !self.trying {
            self.chosen_times.push(time);
            self.left = self.left.saturating_sub(1);
            if self.left == 0 && self.chosen_times.count >= TRIAL {
                self.trying = true;
                self.other_times = Times::default();
            }
            return;
        }
        self.other_times.push(time);
        if self.other_times.count == TRIAL {
            self.decide(params);
        }
    }

    fn decide(&mut self, params: &TrialParams) {
        self.trying = false;
        self.between = (2 * self.between).clamp(params.between, params.between_most);
        if self.other_times.median() < params.better * self.chosen_times.median() {
            self.chosen = self.chosen.other();
            self.chosen_times = std::mem::take(&mut self.other_times);
            self.between = params.between;
        }
        self.left = self.between;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps of each way out of `steps`, if they take so long.
    fn ways(trial: &mut ThreadTrial, steps: usize, together: u64, alone: u64) -> [usize; 2] {
        let (params, mut made) = (TrialParams::default(), [0, 0]);
        for step in 0..steps {
            let (way, time) = match trial.way() {
                Way::Together => (0, together),
                Way::Alone => (1, alone),
            };
            made[way] += 1;
            // Now and then a step takes ten times as long, whoever does it.
            let time = if step % 10 == 9 { 10 * time } else { time };
            let cost = work(&params, 700, 1000, 15);
            trial.learn(&params, Duration::from_micros(time), cost);
        }
        made
    }

    #[test]
    fn the_faster_way_is_found_and_found_again() {
        let mut trial = ThreadTrial::default();
        let [together, alone] = ways(&mut trial, 10_000, 60, 100);
        assert!(together > 9_800 && alone > 0, "{together} {alone}");
        // Others come to work on the machine, and go.
        let [together, alone] = ways(&mut trial, 20_000, 300, 100);
        assert!(together < 3_500, "{together} {alone}");
        let [together, alone] = ways(&mut trial, 20_000, 60, 100);
        assert!(alone < 3_500, "{together} {alone}");
    }
}
