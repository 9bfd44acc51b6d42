//! Deformable solids and their contacts for VTK.

use super::file::Field;
use super::grid::Grid;
use super::polydata::PolyData;
use super::{Scene, force_fields, point};
use crate::archive::{Frame, Recorded, partner_numbers};
use crate::export::pressed::Pressed;
use drystone_engine::SolidContact;

impl<S: Recorded> Scene<'_, S> {
    /// All solids as one grid.
    pub(super) fn solids(&self, frame: &Frame<S>) -> Grid {
        let mut grid = Grid::default();
        let (mut displacement, mut velocity) = (Vec::new(), Vec::new());
        let (mut stress, mut von_mises, mut shear) = (Vec::new(), Vec::new(), Vec::new());
        let mut owners = Vec::new();
        for (index, (solid, entry)) in frame.solids.iter().zip(&self.catalogue.solids).enumerate() {
            let first = grid.len();
            for (&now, &rest) in solid.positions.iter().zip(&entry.mesh.nodes) {
                grid.point(point(now));
                displacement.extend(point(now - rest));
            }
            velocity.extend(solid.velocities.iter().flat_map(|&v| point(v)));
            stress.extend(solid.stresses.iter().flat_map(|stress| stress.0));
            von_mises.extend(solid.stresses.iter().map(|stress| stress.von_mises()));
            shear.extend(solid.stresses.iter().map(|stress| stress.shear()));
            for (kind, nodes) in entry.cells() {
                grid.cell(kind, nodes.into_iter().map(|node| first + node as usize));
                owners.push(index as i32);
            }
        }
        grid.point_data = vec![
            Field::numbers("displacement", 3, displacement),
            Field::numbers("velocity", 3, velocity),
            Field::numbers("von_mises", 1, von_mises),
            // VTK's symmetric tensors have this order too: xx yy zz xy yz xz.
            Field::numbers("stress", 6, stress),
            Field::numbers("shear", 1, shear),
        ];
        grid.cell_data = vec![Field::whole("solid", owners)];
        grid
    }

    /// A point for each contact of a solid.
    pub(super) fn solid_contacts(&self, frame: &Frame<S>) -> PolyData {
        let mut data = PolyData::default();
        for contact in &frame.solid_contacts {
            let index = data.point(point(contact.point));
            data.vertex(index);
        }
        let all = frame.solid_contacts.iter();
        let pressed: Vec<Pressed<S>> =
            all.clone().map(|contact| Pressed::solid(contact, self.time_step)).collect();
        let partner = |c: &SolidContact<S>, i: usize| partner_numbers(c.partner)[i] as i32;
        data.point_data = force_fields(&pressed);
        data.point_data.extend([
            Field::whole("solid", all.clone().map(|c| c.solid as i32).collect()),
            Field::whole("partner_kind", all.clone().map(|c| partner(c, 0)).collect()),
            Field::whole("partner", all.map(|c| partner(c, 1)).collect()),
        ]);
        data
    }
}
