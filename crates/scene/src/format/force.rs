//! Springs, drag, impulses: forces beside those of contacts.

use crate::decode::table;
use crate::plain::Text;
use crate::quantity::{
    AngularImpulse, Axial, Force, Impulse, Length, NotNegative, Number, Positive, QuadraticDrag,
    SpinDrag, Stiffness, Time, Vector, Viscosity,
};
use crate::wrap::{Items, Pair};

table! {
    /// An end of a spring.
    AnchorTable as "an end of a spring" {
        /// Name of the body that it is fixed to; without, it is fixed to a boundary or the ground.
        body: Option<Text>,
        /// Name of the boundary that it is fixed to.
        boundary: Option<Text>,
        /// Where it is at the start, in world axes; default the body's centre of mass, or the boundary's position.
        point: Option<Vector<Length>>,
    }
}

table! {
    /// A straight spring between two bodies, or between a body and a boundary or the ground.
    SpringTable as "[[spring]]" {
        /// One end.
        from: AnchorTable,
        /// The other end.
        to: AnchorTable,
        /// Force by elongation.
        stiffness: Option<Number<Stiffness, Positive>>,
        /// Length at which it is free of force; default that at the start.
        length: Option<Number<Length, NotNegative>>,
        /// Pairs `[length, force]` in place of `stiffness`: forces that pull the ends together; straight between them, level outside.
        force_by_length: Option<Items<Pair<Number<Length>, Number<Force>>>>,
    }
}

table! {
    /// The resistance of a medium to motion.
    DragTable as "[[drag]]" {
        /// Name of the body or group; without, every body that is there at the start.
        on: Option<Text>,
        /// Force by velocity; default 0.
        linear: Option<Number<Viscosity, NotNegative>>,
        /// Force by square of the velocity; default 0.
        quadratic: Option<Number<QuadraticDrag, NotNegative>>,
        /// Couple by spin; default 0.
        spin: Option<Number<SpinDrag, NotNegative>>,
    }
}

table! {
    /// An external percussion: a force that is concentrated in one step.
    ImpulseTable as "[[impulse]]" {
        /// Name of the body.
        on: Text,
        /// Impulse at the centre of mass, in world axes.
        impulse: Option<Vector<Impulse>>,
        /// Angular impulse, in world axes.
        angular: Option<Axial<AngularImpulse>>,
        /// When; default 0.
        time: Option<Number<Time, NotNegative>>,
    }
}
