//! VTK's XML files of unstructured grids: the meshes of deformable solids.

use super::file::{Document, Field, whole};
use crate::RecordError;
use std::path::Path;

/// Points, and cells of many kinds made of them.
#[derive(Default)]
pub(super) struct Grid {
    points: Vec<f64>,
    connectivity: Vec<i64>,
    offsets: Vec<i64>,
    kinds: Vec<u8>,
    pub point_data: Vec<Field>,
    pub cell_data: Vec<Field>,
}

impl Grid {
    /// Number of points so far.
    pub fn len(&self) -> usize {
        self.points.len() / 3
    }
    /// Adds a point.
    pub fn point(&mut self, at: [f64; 3]) {
        self.points.extend(at);
    }
    /// Adds a cell of one of VTK's kinds.
    pub fn cell(&mut self, kind: u8, points: impl Iterator<Item = usize>) {
        self.connectivity.extend(points.map(|point| point as i64));
        self.offsets.push(self.connectivity.len() as i64);
        self.kinds.push(kind);
    }

    /// Writes the file and returns its size.
    pub fn write(&self, path: &Path) -> Result<u64, RecordError> {
        let mut document = Document::open("UnstructuredGrid");
        document.line(&format!(
            "<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">",
            self.len(),
            self.kinds.len()
        ));
        document.fields(&self.point_data, &self.cell_data);
        document.points(&self.points);
        document.line("<Cells>");
        document.array("Int64", "connectivity", 1, &whole(&self.connectivity));
        document.array("Int64", "offsets", 1, &whole(&self.offsets));
        document.array("UInt8", "types", 1, &self.kinds);
        document.line("</Cells>");
        document.write(path)
    }
}
