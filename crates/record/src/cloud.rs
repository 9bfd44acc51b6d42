//! The forces that one contact can have, as a cloud of points over its friction cone
//! (Moreau 2003, §8.2).
//!
//! In the plane the cone is seen from the side: tangential force to the right, normal force upward.
//! In space a second panel looks along the normal. Axes begin at zero force and hold the cone up to
//! the largest normal force, so that a force that is determined is seen as one point.

use crate::draw::{Anchor, Canvas, Colour};
use crate::plot::{PALETTE, Ticks, prefix};
use drystone_space::{DVec2, math};

const TEXT: f64 = 15.0;
const GRID: Colour = Colour::rgb(0xe3_e6_e9);
const CONE: Colour = Colour::rgb(0xf4_f1_ea);
const POINT: Colour = PALETTE[0];
const OWN: Colour = PALETTE[1];

/// A contact force in the contact's frame, in N.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Force {
    /// Normal component.
    pub normal: f64,
    /// Tangential components; in the plane the second is zero.
    pub tangent: DVec2,
}

/// The forces that one contact can have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cloud {
    /// Stands above the picture.
    pub title: String,
    /// Whether there are two tangential components.
    pub in_space: bool,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// The forces found.
    pub forces: Vec<Force>,
    /// The force of the run itself.
    pub own: Force,
}

impl Cloud {
    /// Width and height, in pixels, that suit the picture.
    pub fn size(&self) -> (u32, u32) {
        if self.in_space { (1350, 720) } else { (720, 720) }
    }

    /// Draws the cloud over the whole canvas.
    pub fn draw(&self, canvas: &mut impl Canvas) {
        canvas.text(DVec2::new(20.0, 30.0), &self.title, 18.0, Anchor::Start, Colour::INK);
        self.draw_legend(canvas);
        let size = canvas.size();
        let all = || self.forces.iter().chain([&self.own]);
        let highest = all().map(|f| f.normal).fold(0.0, f64::max);
        let lowest = all().map(|f| f.normal).fold(0.0, f64::min);
        let highest = if highest > lowest { highest } else { lowest + 1.0 };
        let aside = all().map(|f| f.tangent.abs().max_element()).fold(0.0, f64::max);
        let margin = 0.06 * (highest - lowest);
        // Forces that only pull, and tangential forces that are rounding, leave the cone in sight.
        let aside = 1.08 * aside.max(self.friction * highest).max(margin);
        let bottom = if lowest < 0.0 { lowest - margin } else { 0.0 };
        let (prefix, unit) = prefix(highest.max(aside));
        let (width, top, end) = (560.0, 84.0, size.y - 60.0);
        let area = |left: f64| (DVec2::new(left, top), DVec2::new(left + width, end));
        let side = Panel {
            area: area(96.0),
            low: DVec2::new(-aside, bottom),
            high: DVec2::new(aside, highest + margin),
            unit,
            labels: [
                format!("tangential force{} ({prefix}N)", if self.in_space { " 1" } else { "" }),
                format!("normal force ({prefix}N)"),
            ],
        };
        let reach = DVec2::splat(aside);
        let edge = |sign: f64| DVec2::new(sign * self.friction, 1.0) * (highest + margin);
        side.draw(canvas, &[DVec2::ZERO, edge(1.0), edge(-1.0)], |panel, canvas| {
            self.draw_forces(panel, canvas, |f| DVec2::new(f.tangent.x, f.normal));
        });
        if self.in_space {
            let labels = [1, 2].map(|i| format!("tangential force {i} ({prefix}N)"));
            let above = Panel { area: area(756.0), low: -reach, high: reach, unit, labels };
            let turn = |i: i32| math::direction(f64::from(i) * std::f64::consts::TAU / 96.0);
            let rim: Vec<DVec2> = (0..96).map(|i| turn(i) * self.friction * highest).collect();
            above.draw(canvas, &rim, |panel, canvas| {
                self.draw_forces(panel, canvas, |f| f.tangent);
            });
        }
    }

    fn draw_forces(
        &self,
        panel: &Panel,
        canvas: &mut impl Canvas,
        place: impl Fn(&Force) -> DVec2,
    ) {
        let opacity = (40.0 / (self.forces.len() as f64).sqrt()).clamp(0.15, 0.8);
        for force in &self.forces {
            canvas.disk(panel.map(place(force)), 2.6, POINT.faded(opacity));
        }
        draw_ring(canvas, panel.map(place(&self.own)));
    }

    fn draw_legend(&self, canvas: &mut impl Canvas) {
        let samples = format!("{} solutions", self.forces.len());
        let mut at = DVec2::new(96.0, 62.0);
        for (index, text) in [samples.as_str(), "the run's own", "friction cone"].iter().enumerate()
        {
            let mark = at - DVec2::new(0.0, 5.0);
            match index {
                0 => canvas.disk(mark, 4.0, POINT),
                1 => draw_ring(canvas, mark),
                _ => {
                    let half = DVec2::new(9.0, 7.0);
                    canvas.rectangle(mark - half, mark + half, CONE);
                    canvas.outline(&corners(mark - half, mark + half), 1.0, Colour::INK);
                }
            }
            canvas.text(at + DVec2::new(16.0, 0.0), text, TEXT, Anchor::Start, Colour::INK);
            at.x += 56.0 + crate::draw::text_width(text, TEXT);
        }
    }
}

fn draw_ring(canvas: &mut impl Canvas, centre: DVec2) {
    let turn = |i: i32| centre + math::direction(f64::from(i) * 0.2618) * 8.0;
    canvas.outline(&(0..24).map(turn).collect::<Vec<_>>(), 2.6, OWN);
}

fn corners(low: DVec2, high: DVec2) -> [DVec2; 4] {
    [low, DVec2::new(high.x, low.y), high, DVec2::new(low.x, high.y)]
}

/// A rectangle with two linear axes.
struct Panel {
    /// Upper left and lower right corner on the canvas.
    area: (DVec2, DVec2),
    /// What the lower left and upper right corner stand for.
    low: DVec2,
    high: DVec2,
    /// What labels are divided by.
    unit: f64,
    /// Of the horizontal and the vertical axis.
    labels: [String; 2],
}

impl Panel {
    fn map(&self, point: DVec2) -> DVec2 {
        let part = (point - self.low) / (self.high - self.low);
        let (low, high) = self.area;
        DVec2::new(low.x + part.x * (high.x - low.x), high.y - part.y * (high.y - low.y))
    }

    /// Draws the cone, the axes and then what `fill` draws.
    fn draw<C: Canvas>(&self, canvas: &mut C, cone: &[DVec2], fill: impl Fn(&Self, &mut C)) {
        let cone: Vec<DVec2> = cone.iter().map(|&point| self.map(point)).collect();
        canvas.polygon(&cone, CONE);
        let (low, high) = self.area;
        for axis in 0..2 {
            let ticks = Ticks::linear(self.low[axis] / self.unit, self.high[axis] / self.unit, 7);
            for (&place, label) in ticks.places.iter().zip(&ticks.labels) {
                let mut point = self.low;
                point[axis] = place * self.unit;
                let start = self.map(point);
                let end = if axis == 0 {
                    DVec2::new(start.x, low.y)
                } else {
                    DVec2::new(high.x, start.y)
                };
                canvas.line(&[start, end], 1.0, GRID);
                let (at, anchor) = if axis == 0 {
                    (start + DVec2::new(0.0, 22.0), Anchor::Middle)
                } else {
                    (start + DVec2::new(-8.0, 0.36 * TEXT), Anchor::End)
                };
                canvas.text(at, label, TEXT, anchor, Colour::INK);
            }
        }
        canvas.outline(&cone, 1.0, Colour::INK.faded(0.5));
        canvas.outline(&corners(low, high), 1.2, Colour::INK);
        fill(self, canvas);
        let middle = 0.5 * (low + high);
        let below = DVec2::new(middle.x, high.y + 46.0);
        canvas.text(below, &self.labels[0], TEXT, Anchor::Middle, Colour::INK);
        let beside = DVec2::new(low.x - 62.0, middle.y);
        canvas.text_upward(beside, &self.labels[1], TEXT, Anchor::Middle, Colour::INK);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::{Raster, Svg};

    fn cloud(in_space: bool) -> Cloud {
        let force = |normal: f64, x: f64| Force { normal, tangent: DVec2::new(x, 0.0) };
        let forces = vec![force(100.0, 10.0), force(2000.0, -300.0)];
        let own = force(500.0, 0.0);
        Cloud { title: "Contact 0".to_owned(), in_space, friction: 0.5, forces, own }
    }

    #[test]
    fn axes_hold_the_cone_and_name_its_units() {
        let mut svg = Svg::new(800, 720);
        cloud(false).draw(&mut svg);
        let text = svg.to_text();
        assert!(text.contains("normal force (kN)") && text.contains("2 solutions"), "{text}");
        assert!(!text.contains("tangential force 2"));
        cloud(true).draw(&mut svg);
        assert!(svg.to_text().contains("tangential force 2 (kN)"));
    }

    #[test]
    fn a_cloud_without_forces_can_be_drawn() {
        let cloud = Cloud::default();
        let (width, height) = cloud.size();
        let mut svg = Svg::new(width, height);
        cloud.draw(&mut svg);
        assert!(!svg.to_text().contains("NaN"));
    }

    /// What hangs on cohesion only pulls, and what friction it has is rounding.
    #[test]
    fn a_cloud_that_pulls_can_be_drawn() {
        let pull = Force { normal: -2.0, tangent: DVec2::new(1e-17, 0.0) };
        let cloud = Cloud { forces: vec![pull], own: pull, ..cloud(true) };
        let (width, height) = cloud.size();
        let mut raster = Raster::new(width, height);
        cloud.draw(&mut raster);
        let cone = |p: &&[u8]| p[..3] == [0xf4, 0xf1, 0xea];
        let pixels = raster.data().chunks_exact(4).skip(width as usize * 84);
        let seen = pixels.filter(cone).count();
        assert!((1_000..100_000).contains(&seen), "the cone has {seen} pixels");
    }

    #[test]
    fn points_are_drawn_where_their_forces_are() {
        let cloud = cloud(false);
        let (width, height) = cloud.size();
        let mut raster = Raster::new(width, height);
        cloud.draw(&mut raster);
        let blue = |p: &&[u8]| p[2] > 150 && p[0] < 120;
        let pixels = raster.data().chunks_exact(4).skip(width as usize * 84);
        assert!(pixels.filter(blue).count() > 20);
    }
}
