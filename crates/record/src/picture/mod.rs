//! Pictures of a scene: a [`PictureFrame`] is what a picture shows, a [`Painter`] keeps what stays the
//! same from picture to picture (view, colour scale), so that pictures of one run can be compared.

pub(crate) mod cell;
mod decor;
mod frame;
mod plane;
mod scale;
mod solid;
mod view;
mod volume;

pub use frame::{BondMark, Figure, ForceLine, PictureFrame};
pub use scale::RunningScale;
pub use solid::Membrane;
pub use view::View;

use crate::draw::{Colour, Raster, speed_colour};
use drystone_detect::Geometry;
use drystone_engine::Dimension;
use drystone_fem::StressField;

/// How pictures are made.
#[derive(Clone, Debug, PartialEq)]
pub struct PictureSettings<S: Geometry> {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Lowest and highest corner of what is shown; from the bodies if not given.
    pub region: Option<(S::Vector, S::Vector)>,
    /// The speed that has the last colour, in m/s; from the bodies if not given.
    pub speed_limit: Option<f64>,
    /// The force that has the widest line, in N; from the contacts if not given.
    pub force_limit: Option<f64>,
    /// The stress that colours deformable solids.
    pub stress: StressField,
    /// The stress that has the last colour, in Pa; from the solids if not given.
    pub stress_limit: Option<f64>,
    /// Direction from which space is seen, in degrees: counter-clockwise from the x axis.
    pub azimuth: f64,
    /// Height of the eye above the horizon, in degrees.
    pub elevation: f64,
}

impl<S: Geometry> Default for PictureSettings<S> {
    fn default() -> Self {
        Self {
            width: 1280,
            height: 960,
            region: None,
            speed_limit: None,
            force_limit: None,
            stress: StressField::default(),
            stress_limit: None,
            azimuth: -62.0,
            elevation: 22.0,
        }
    }
}

/// What a picture shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The bodies; in the plane with the contact forces over them.
    Bodies,
    /// The contact forces, with the bodies only hinted at.
    Forces,
}

/// How one space is painted.
pub trait Paint: Dimension {
    /// Whether a shape is a disk or a ball.
    fn is_round(shape: &Self::Shape) -> bool;
    /// Paints bodies, boundaries and forces of one frame.
    fn paint(
        frame: &PictureFrame<Self>,
        subject: Subject,
        view: &View<Self>,
        scales: Scales,
        settings: &PictureSettings<Self>,
    ) -> Raster;
}

/// Values that the ends of the scales of a picture stand for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scales {
    /// Speed of the last colour, in m/s.
    pub speed: f64,
    /// Force of the widest line, in N.
    pub force: f64,
    /// Stress of the last colour, in Pa, where there are solids.
    pub stress: Option<(StressField, f64)>,
}

impl Scales {
    /// The colour of a rigid body: by its speed, but grey where the scale beside the picture is that of
    /// a stress.
    fn body_colour(&self, speed: f64) -> Colour {
        match self.stress {
            None => speed_colour(speed / self.speed),
            Some(_) => Colour::rgb(0xcf_cd_c8),
        }
    }
}

/// What a picture takes from the ones before it.
#[derive(Clone, Debug, PartialEq)]
pub struct Look<S: Geometry> {
    view: View<S>,
    scales: Scales,
}

/// Paints the frames of one run.
pub struct Painter<S: Paint> {
    settings: PictureSettings<S>,
    view: View<S>,
    speed: RunningScale,
    force: RunningScale,
    stress: RunningScale,
}

impl<S: Paint> Painter<S> {
    /// A painter whose view holds the first frame.
    ///
    /// `rest_speed` is a speed that counts as rest: the colour scale never ends below it.
    pub fn new(settings: PictureSettings<S>, first: &PictureFrame<S>, rest_speed: f64) -> Self {
        let view = View::new(settings.region, first);
        let speed = RunningScale::growing(rest_speed);
        let (force, stress) = (RunningScale::fading(), RunningScale::fading());
        Self { settings, view, speed, force, stress }
    }
    /// Lets the view grow by a frame that is yet to come, such as bodies that will enter.
    pub fn expect(&mut self, low: S::Vector, high: S::Vector) {
        self.view.expect(low, high);
    }
    /// Lets view and scales follow a frame. Frames must come in the order of time.
    pub fn watch(&mut self, frame: &PictureFrame<S>) -> Look<S> {
        self.view.follow(frame);
        let speed = self.speed.update(frame.bodies.iter().map(|b| b.speed));
        let force = self.force.update(frame.forces.iter().map(|f| f.force));
        let stresses = frame.solids.iter().flat_map(|solid| &solid.stress).map(|s| s.abs());
        let stress = self.stress.update(stresses);
        let scales = Scales {
            speed: self.settings.speed_limit.unwrap_or(speed),
            force: self.settings.force_limit.unwrap_or(force),
            stress: (!frame.solids.is_empty())
                .then(|| (self.settings.stress, self.settings.stress_limit.unwrap_or(stress))),
        };
        Look { view: self.view.clone(), scales }
    }
    /// Paints a frame; frames must come in the order of time.
    pub fn paint(&mut self, frame: &PictureFrame<S>, subject: Subject) -> Raster {
        let look = self.watch(frame);
        self.paint_as(frame, subject, &look)
    }
    /// Paints a frame that was watched, at any time.
    pub fn paint_as(&self, frame: &PictureFrame<S>, subject: Subject, look: &Look<S>) -> Raster {
        S::paint(frame, subject, &look.view, look.scales, &self.settings)
    }
}
