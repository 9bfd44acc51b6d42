//! Contact laws.

use super::BondTable;
use crate::decode::{choice, keyword, table};
use crate::plain::{Text, Whole};
use crate::quantity::{
    Exponent, Force, Fraction, Impulse, Length, Mass, NotNegative, Number, Positive, Pure,
    Stiffness, Vector, Velocity, Viscosity,
};
use crate::report::Span;
use crate::wrap::{Items, NumberOr, Pair};

table! {
    /// Friction that is more than one coefficient.
    FrictionTable as "friction" {
        /// Coulomb's coefficient in all directions; with `sides`: at the corners of the polygon.
        coefficient: Option<Number<Pure, NotNegative>>,
        /// Coefficient along the direction. In the plane: against sliding of the other body along
        /// the direction.
        along: Option<Number<Pure, NotNegative>>,
        /// Coefficient across the direction; in space only.
        across: Option<Number<Pure, NotNegative>>,
        /// Coefficient against sliding of the other body against the direction; in the plane only.
        against: Option<Number<Pure, NotNegative>>,
        /// Corners of a convex polygon of friction forces per normal force; in space only.
        polygon: Option<Items<Pair<Number<Pure>>>>,
        /// A regular polygon of so many sides; in space only.
        sides: Option<Whole<3, 64>>,
        /// The direction that the coefficients refer to, in the axes of the body or boundary of the
        /// first material in `between`. Its projection on the contact plane counts.
        direction: Option<Vector<Pure>>,
        /// Tangential force by sliding velocity, below the bound of dry friction; alone without.
        viscosity: Option<Number<Viscosity, Positive>>,
    }
}

table! {
    /// Cohesion that is more than a force.
    CohesionTable as "cohesion" {
        /// Largest pull of one contact.
        force: Number<Force, NotNegative>,
        /// Gap up to which the pull is there; default 0.
        range: Option<Number<Length, NotNegative>>,
        /// Whether new contacts stick too; if not, only those of the first step, until they break.
        /// Default true.
        reversible: Option<bool>,
    }
}

table! {
    /// A force by the gap.
    ContactSpringTable as "spring" {
        /// Push of one contact point by approach below the reach.
        stiffness: Number<Stiffness, Positive>,
        /// Gap below which it acts.
        reach: Number<Length, Positive>,
    }
}

choice! {
    /// A pseudopotential of dissipation along one direction, by the percussion that it gives for a
    /// mean velocity X = ½(U⁺+U⁻).
    PotentialChoice as "a potential" {
        /// K of ½K(U⁺+U⁻)²: percussion 4KX.
        quadratic: Quadratic(Number<Mass, NotNegative>),
        /// Force by velocity ν: percussion hνX over a step h.
        viscous: Viscous(Number<Viscosity, NotNegative>),
        /// Percussion that grows with a power of X.
        power: Power(PowerTable),
        /// Pairs `[X, percussion]`: straight between them, from the origin, level after the last.
        points: Points(Items<Pair<Number<Velocity, NotNegative>, Number<Impulse, NotNegative>>>),
    }
}

table! {
    /// A percussion that grows with a power of the mean velocity.
    PowerTable as "a power" {
        /// The power; 0 is a percussion of given size, 1 the quadratic potential.
        exponent: Number<Pure, NotNegative>,
        /// A mean velocity.
        velocity: Number<Velocity, Positive>,
        /// The percussion at that velocity.
        percussion: Number<Impulse, NotNegative>,
    }
}

/// K of the quadratic potential, or any potential.
pub(crate) type Potential = NumberOr<Mass, NotNegative, PotentialChoice>;

table! {
    /// A-CD²: percussions from pseudopotentials of the mean velocity, in place of restitution.
    PercussionTable as "percussion" {
        /// K_N of the quadratic potential, or a table.
        normal: Potential,
        /// K_T of the quadratic potential, or a table; default rigid below the bound of friction.
        tangential: Option<Potential>,
        /// Whether the normal percussion also brakes separation; default false.
        pulls: Option<bool>,
    }
}

keyword! {
    /// What a coefficient of restitution compares.
    HypothesisWord {
        /// work: e² of what compression took is given back.
        "stronge": Stronge,
        /// impulses: that of restitution is e times that of compression.
        "poisson": Poisson,
    }
}

table! {
    /// The law of impacts in impulse space.
    ImpactTable as "impact" {
        /// Coefficient of restitution e.
        restitution: Number<Pure, Fraction>,
        /// What it compares; default `stronge`.
        hypothesis: Option<HypothesisWord>,
        /// Stiffness against that of other contacts that are struck together; default 1. Only ratios count.
        stiffness: Option<Number<Pure, Positive>>,
        /// Power of force by compression: 1 linear, 1.5 (default) for smooth convex bodies by Hertz. The same in all laws.
        exponent: Option<Number<Pure, Exponent>>,
    }
}

/// Writes the two tables that say what a law is, and a common view of them.
macro_rules! law_tables {
    ($( $(#[doc = $doc:literal])+ $key:ident: $type:ty, )*) => {
        table! {
            /// The contact law of a pair of materials.
            LawTable as "[[law]]" {
                /// The two materials; may be the same.
                between: Pair<Text>,
                $( $(#[doc = $doc])+ $key: $type, )*
            }
        }
        table! {
            /// The law of all pairs that have none of their own.
            DefaultLawTable as "[default_law]" {
                $( $(#[doc = $doc])+ $key: $type, )*
            }
        }
        /// What both tables have.
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct LawKeys<'a> {
            $( $(#[doc = $doc])+ pub $key: &'a $type, )*
            /// Where the table is.
            pub span: Span,
            /// What it is called.
            pub title: &'static str,
        }
        impl LawTable {
            /// The keys that say what the law is.
            pub fn keys(&self) -> LawKeys<'_> {
                LawKeys { $($key: &self.$key,)* span: self.span, title: "[[law]]" }
            }
        }
        impl DefaultLawTable {
            /// The keys that say what the law is.
            pub fn keys(&self) -> LawKeys<'_> {
                LawKeys { $($key: &self.$key,)* span: self.span, title: "[default_law]" }
            }
        }
    };
}

law_tables! {
    /// Coulomb's coefficient (0 is without friction), or a table for anisotropic and viscous
    /// friction. Needed without `percussion`.
    friction: Option<NumberOr<Pure, NotNegative, FrictionTable>>,
    /// Normal restitution; default 0.
    normal_restitution: Option<Number<Pure, Fraction>>,
    /// Dissipation index δ, in place of the normal restitution (1 − δ)/(1 + δ).
    dissipation_index: Option<Number<Pure, Fraction>>,
    /// Tangential restitution; default 0.
    tangential_restitution: Option<Number<Pure, Fraction>>,
    /// Bound of the couple against rolling, per normal force: a length; default 0.
    rolling_resistance: Option<Number<Length, NotNegative>>,
    /// Bound of the couple against spinning about the normal, per normal force: a length; default
    /// 0. In space only.
    spinning_resistance: Option<Number<Length, NotNegative>>,
    /// Largest pull of one contact, or a table; default 0.
    cohesion: Option<NumberOr<Force, NotNegative, CohesionTable>>,
    /// A push that grows as the gap closes, beside the contact itself; default none.
    spring: Option<ContactSpringTable>,
    /// Bonds between faces that touch, with a memory of what they have borne; default none.
    bond: Option<BondTable>,
    /// Impacts by impulses that grow one after another, in place of restitution; default none.
    impact: Option<ImpactTable>,
    /// A-CD² in place of restitution; `friction` then bounds its tangential percussions.
    percussion: Option<PercussionTable>,
}
