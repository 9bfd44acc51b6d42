//! The picture of estimates over the truth.

use super::Found;
use super::kinds::KINDS;
use drystone_record::draw::{Anchor, Canvas, Colour, Print};
use drystone_record::plot::PALETTE;
use drystone_space::DVec2;

/// Decades of the picture.
const LOW: f64 = -8.0;
const HIGH: f64 = 2.0;

/// Estimate over truth, both ways side by side.
pub fn draw(all: &[&Found]) -> Print {
    let mut print = Print::new(1280, 680);
    for (side, title) in ["by factors", "by the rate of sweeps"].into_iter().enumerate() {
        let left = 90.0 + 620.0 * side as f64;
        let (low, high) = (DVec2::new(left, 590.0), DVec2::new(left + 540.0, 50.0));
        let place = |truth: f64, estimate: f64| {
            let share = |x: f64| ((x.log10().clamp(LOW, HIGH)) - LOW) / (HIGH - LOW);
            low + DVec2::new(share(truth), share(estimate)) * (high - low)
        };
        let grey = Colour::rgb(0xe3_e6_e9);
        for decade in (LOW as i32..=HIGH as i32).step_by(2) {
            let at = 10f64.powi(decade);
            let (end, bottom) = (10f64.powf(HIGH), 10f64.powf(LOW));
            print.line(&[place(at, bottom), place(at, end)], 1.0, grey);
            print.line(&[place(bottom, at), place(end, at)], 1.0, grey);
            let label = format!("1e{decade}");
            let below = place(at, bottom) + DVec2::new(0.0, 22.0);
            print.text(below, &label, 15.0, Anchor::Middle, Colour::INK);
            let beside = place(bottom, at) + DVec2::new(-8.0, 5.0);
            print.text(beside, &label, 15.0, Anchor::End, Colour::INK);
        }
        for (factor, width) in [(1.0, 2.0), (1.0 / 3.0, 1.0), (10.0, 1.0)] {
            let line: Vec<DVec2> = (0..=100)
                .map(|i| 10f64.powf(LOW + (HIGH - LOW) * f64::from(i) / 100.0))
                .filter(|x| (LOW..=HIGH).contains(&(x * factor).log10()))
                .map(|x| place(x, x * factor))
                .collect();
            print.line(&line, width, Colour::INK);
        }
        for found in all {
            for point in found.points.iter().filter(|p| p.factors == (side == 0) && p.truth > 0.0) {
                let size = if point.accepted { 5.0 } else { 2.5 };
                print.disk(place(point.truth, point.estimate), size, PALETTE[found.kind]);
            }
        }
        let middle = left + 270.0;
        print.text(DVec2::new(middle, 32.0), title, 18.0, Anchor::Middle, Colour::INK);
        let below = DVec2::new(middle, 635.0);
        print.text(below, "true error of the step", 15.0, Anchor::Middle, Colour::INK);
        let beside = DVec2::new(left - 62.0, 320.0);
        print.text_upward(beside, "estimate", 15.0, Anchor::Middle, Colour::INK);
    }
    for (kind, name) in KINDS.iter().enumerate() {
        let at = DVec2::new(100.0 + 235.0 * kind as f64, 660.0);
        print.disk(at, 5.0, PALETTE[kind]);
        print.text(at + DVec2::new(12.0, 5.0), name, 15.0, Anchor::Start, Colour::INK);
    }
    print
}
