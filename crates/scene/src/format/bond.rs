//! Bonds of a law.

use crate::decode::{choice, keyword, table};
use crate::plain::Whole;
use crate::quantity::{
    Area, BondEnergy, BondStiffness, Length, NotNegative, Number, Positive, Pure, Time,
    WallPressure,
};

choice! {
    /// How bonds are damaged.
    BondKindChoice as "a kind of bond" {
        /// Not at all.
        elastic: Elastic(ElasticBondTable),
        /// By a bilinear cohesive zone.
        cohesive: Cohesive(CohesiveTable),
        /// By adhesion that is lost at a rate (Raous, Cangémi & Cocou).
        adhesive: Adhesive(AdhesiveTable),
        /// All at once, where a strength is exceeded.
        rigid: Rigid(RigidBondTable),
    }
}

table! {
    /// Bonds that are stretched without end.
    ElasticBondTable as "elastic" {
        /// Stress by opening.
        stiffness: Number<BondStiffness, Positive>,
        /// Stress by slip; default that by opening.
        shear_stiffness: Option<Number<BondStiffness, Positive>>,
    }
}

table! {
    /// A bilinear cohesive zone.
    CohesiveTable as "cohesive" {
        /// Stress by opening, before anything is damaged.
        stiffness: Number<BondStiffness, Positive>,
        /// Stress by slip; default that by opening.
        shear_stiffness: Option<Number<BondStiffness, Positive>>,
        /// Largest stress that pulls.
        tension: Number<WallPressure, Positive>,
        /// Largest stress across; default that in tension.
        shear: Option<Number<WallPressure, Positive>>,
        /// Energy of rupture by area where faces are pulled apart.
        energy: Number<BondEnergy, Positive>,
        /// The same where they slide; default that of pulling.
        shear_energy: Option<Number<BondEnergy, Positive>>,
    }
}

table! {
    /// Adhesion that is lost at a rate.
    AdhesiveTable as "adhesive" {
        /// Stress by opening while adhesion is whole.
        stiffness: Number<BondStiffness, Positive>,
        /// The same by slip; default that by opening.
        shear_stiffness: Option<Number<BondStiffness, Positive>>,
        /// Energy of adhesion by area, w.
        energy: Number<BondEnergy, Positive>,
        /// T of the rate law, b = w Tᵖ; default 0, without delay.
        time: Option<Number<Time, NotNegative>>,
        /// p of the rate law; default 1.
        exponent: Option<Number<Pure, Positive>>,
    }
}

table! {
    /// What a rigid bond bears, as stresses; without a key that is everything.
    RigidBondTable as "rigid" {
        /// Mean stress that pulls.
        tension: Option<Number<WallPressure, Positive>>,
        /// Mean stress across.
        shear: Option<Number<WallPressure, Positive>>,
        /// Stress at the edge by bending.
        bending: Option<Number<WallPressure, Positive>>,
        /// Stress at the edge by torsion; in space only.
        torsion: Option<Number<WallPressure, Positive>>,
    }
}

keyword! {
    /// What bears pressure beside bonds.
    CompressionWord {
        /// The contact, which is rigid.
        "contact": Contact,
        /// The bonds, as they bear tension.
        "bond": Bond,
    }
}

keyword! {
    /// When bonds are made.
    FormsWord {
        /// At the start.
        "start": Start,
        /// At the start, and once where bodies come to press.
        "contact": Contact,
        /// The same, and again where all bonds were broken: they heal.
        "again": Again,
    }
}

table! {
    /// Bonds between faces that touch.
    BondTable as "bond" {
        /// How they are damaged.
        law: BondKindChoice,
        /// Points along a side of the touching area; default 2.
        points: Option<Whole<1, 64>>,
        /// The area, in place of that of the touching faces: a length in the plane. Needed by disks and balls.
        area: Option<Number<Area, Positive>>,
        /// Gap up to which faces are bonded; default a thousandth of the narrower shape's width.
        reach: Option<Number<Length, Positive>>,
        /// What bears pressure; default `contact`. Rigid bonds bear it in any case.
        compression: Option<CompressionWord>,
        /// When they are made; default `start`.
        forms: Option<FormsWord>,
    }
}
