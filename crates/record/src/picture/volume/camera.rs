//! The eye: far away (parallel rays), so that lengths across the picture are true.

use super::super::PictureSettings;
use super::super::decor::Area;
use super::buffer::SAMPLES;
use drystone_space::{DVec2, DVec3, Volume, math};

/// World to screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Camera {
    right: DVec3,
    up: DVec3,
    /// Unit vector from the scene to the eye.
    pub toward: DVec3,
    /// What is in the middle of the picture.
    pub target: DVec3,
    middle: DVec2,
    /// Samples per metre.
    pub scale: f64,
}

impl Camera {
    /// The camera that shows a whole box in the area.
    pub fn new(settings: &PictureSettings<Volume>, corners: &[DVec3; 8], area: Area) -> Self {
        let (azimuth, elevation) =
            (settings.azimuth.to_radians(), settings.elevation.clamp(-89.0, 89.0).to_radians());
        let toward = DVec3::new(
            math::cos(elevation) * math::cos(azimuth),
            math::cos(elevation) * math::sin(azimuth),
            math::sin(elevation),
        );
        let right = DVec3::new(-math::sin(azimuth), math::cos(azimuth), 0.0);
        let up = toward.cross(right);
        let flat = corners.map(|c| DVec2::new(right.dot(c), up.dot(c)));
        let low = flat.into_iter().reduce(DVec2::min).unwrap_or_default();
        let high = flat.into_iter().reduce(DVec2::max).unwrap_or_default();
        let centre = 0.5 * (corners[0] + corners[7]);
        Self {
            right,
            up,
            toward,
            target: centre,
            middle: area.centre() * SAMPLES as f64,
            scale: area.fit(high - low) * SAMPLES as f64,
        }
    }
    /// World point to screen.
    pub fn point(&self, world: DVec3) -> DVec3 {
        let v = self.direction(world - self.target) * self.scale;
        v + self.middle.extend(0.0)
    }
    /// World direction to screen, not scaled.
    pub fn direction(&self, world: DVec3) -> DVec3 {
        DVec3::new(self.right.dot(world), -self.up.dot(world), self.toward.dot(world))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn up_is_up_and_the_box_is_inside() {
        let corners: [DVec3; 8] = std::array::from_fn(|i| {
            DVec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64)
        });
        let area = Area::of(DVec2::new(640.0, 480.0));
        let camera = Camera::new(&PictureSettings::default(), &corners, area);
        let (bottom, top) = (camera.point(DVec3::ZERO), camera.point(DVec3::Z));
        assert!(top.y < bottom.y && (top.x - bottom.x).abs() < 1e-9);
        // A point nearer to the eye is deeper in the buffer's sense.
        assert!(camera.point(camera.toward).z > camera.point(DVec3::ZERO).z);
        for corner in corners {
            let p = camera.point(corner).truncate() / SAMPLES as f64;
            assert!(p.cmpge(area.low).all() && p.cmple(area.high).all(), "{p}");
        }
    }
}
