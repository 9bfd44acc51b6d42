//! What grains and contact forces say: stress, fabric, density, cuts, fossil layers, pressures.
//!
//! All functions take a [`Sample`], plain data of one moment, and return plain data. Only
//! [`Sample::of_world`] knows the engine.
//!
//! Signs: stress is positive in compression, as in soil mechanics; a contact's force is the one that
//! its first side feels. Up is the last axis of the space. The *radius* of a point is its horizontal
//! distance from a vertical axis, in the plane its distance from a vertical line.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod correlation;
mod cut;
mod deform;
mod fabric;
mod floor;
mod force;
mod layer;
mod live;
mod region;
mod sample;
mod silo;
mod specimen;
mod statistics;
mod stress;
mod study;
mod surface;
mod tensor;

pub use correlation::{PairCorrelation, pair_correlation};
pub use cut::{Cut, CutForce, Reciprocity, grid_of_pairs, reciprocity, reciprocity_error};
pub use deform::{LocalStrain, NonAffine, local_strains, non_affine};
pub use fabric::{Coordination, coordination, fabric};
pub use floor::{Ring, floor_pressure, with_scatter};
pub use force::{ForceDistribution, force_distribution};
pub use layer::{Layer, LayerRing, layers};
pub use live::round_radius;
pub use region::Region;
pub use sample::{Grain, Sample, SampleCell, SampleContact, SampleSide, horizontal_radius, up};
pub use silo::{Janssen, Silo, SiloSlab};
pub use specimen::{Increment, Skeleton, Specimen, anisotropy, skeleton, specimen_box};
pub use statistics::Estimate;
pub use stress::{grain_stress, internal_moments, meridional_stress, region_stress};
pub use study::{Choices, LayerPlace, StressCell, Study, alike};
pub use surface::{Slope, Surface, tilt};
pub use tensor::Tensor;
