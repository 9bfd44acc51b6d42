//! VTK's XML files of polygonal data.

use super::file::{Document, Field, whole};
use crate::RecordError;
use std::path::Path;

/// Cells of one kind: points of each, one after the other.
#[derive(Default)]
struct Cells {
    connectivity: Vec<i64>,
    offsets: Vec<i64>,
    owners: Vec<usize>,
}

impl Cells {
    fn push(&mut self, owner: usize, points: &[i64]) {
        self.connectivity.extend(points);
        self.offsets.push(self.connectivity.len() as i64);
        self.owners.push(owner);
    }
}

/// Points, and cells made of them.
#[derive(Default)]
pub(super) struct PolyData {
    points: Vec<f64>,
    verts: Cells,
    lines: Cells,
    polys: Cells,
    pub point_data: Vec<Field>,
    /// In the order of the cells: verts, lines, polys.
    pub cell_data: Vec<Field>,
}

impl PolyData {
    /// Adds a point and returns its number.
    pub fn point(&mut self, at: [f64; 3]) -> i64 {
        self.points.extend(at);
        self.points.len() as i64 / 3 - 1
    }

    /// Shows a point by itself.
    pub fn vertex(&mut self, point: i64) {
        self.verts.push(point as usize, &[point]);
    }
    /// Adds a line through points.
    pub fn line(&mut self, owner: usize, points: &[i64]) {
        self.lines.push(owner, points);
    }
    /// Adds a face.
    pub fn face(&mut self, owner: usize, points: &[i64]) {
        self.polys.push(owner, points);
    }
    /// The owner of each cell, in the order of cell data.
    pub fn owners(&self) -> Vec<usize> {
        let kinds = [&self.verts, &self.lines, &self.polys];
        kinds.into_iter().flat_map(|cells| cells.owners.iter().copied()).collect()
    }

    /// Writes the file and returns its size.
    pub fn write(&self, path: &Path) -> Result<u64, RecordError> {
        let mut document = Document::open("PolyData");
        document.line(&format!(
            "<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"{}\" \
             NumberOfStrips=\"0\" NumberOfPolys=\"{}\">",
            self.points.len() / 3,
            self.verts.offsets.len(),
            self.lines.offsets.len(),
            self.polys.offsets.len()
        ));
        document.fields(&self.point_data, &self.cell_data);
        document.points(&self.points);
        for (name, cells) in
            [("Verts", &self.verts), ("Lines", &self.lines), ("Polys", &self.polys)]
        {
            document.line(&format!("<{name}>"));
            document.array("Int64", "connectivity", 1, &whole(&cells.connectivity));
            document.array("Int64", "offsets", 1, &whole(&cells.offsets));
            document.line(&format!("</{name}>"));
        }
        document.write(path)
    }
}
