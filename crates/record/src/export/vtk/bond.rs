//! Bonds for VTK.

use super::file::Field;
use super::polydata::PolyData;
use super::{Scene, point};
use crate::archive::{BondFrame, Frame, Recorded, owner_number};

impl<S: Recorded> Scene<'_, S> {
    /// A point for each bond.
    pub(super) fn bonds(&self, frame: &Frame<S>) -> PolyData {
        let mut data = PolyData::default();
        for bond in &frame.bonds {
            let index = data.point(point(bond.place));
            data.vertex(index);
        }
        let each = |value: &dyn Fn(&BondFrame<S>) -> f64| frame.bonds.iter().map(value).collect();
        let vectors = |value: &dyn Fn(&BondFrame<S>) -> S::Vector| {
            frame.bonds.iter().flat_map(|bond| point(value(bond))).collect()
        };
        let side = |i: usize| {
            let owners = frame.bonds.iter().map(|bond| owner_number(bond.bond.sides[i]) as i32);
            owners.collect()
        };
        data.point_data = vec![
            Field::numbers("damage", 1, each(&|bond| bond.bond.damage)),
            Field::numbers("opening", 1, each(&|bond| bond.opening())),
            Field::numbers("slip", 1, each(&|bond| bond.slip())),
            Field::numbers("area", 1, each(&|bond| bond.bond.area)),
            Field::numbers("force", 3, vectors(&|bond| bond.bond.impulse / self.time_step)),
            Field::numbers("normal", 3, vectors(&|bond| bond.normal)),
            Field::whole("first", side(0)),
            Field::whole("second", side(1)),
        ];
        data
    }
}
