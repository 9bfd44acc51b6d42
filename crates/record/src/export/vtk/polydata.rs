//! VTK's XML files of polygonal data, with raw appended numbers, and collections of them in time.

use crate::RecordError;
use std::fmt::Write as _;
use std::fs;
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

/// Values of points or cells.
pub(super) struct Field {
    name: &'static str,
    components: usize,
    values: Values,
}

enum Values {
    Numbers(Vec<f64>),
    Whole(Vec<i32>),
}

impl Field {
    pub fn numbers(name: &'static str, components: usize, values: Vec<f64>) -> Self {
        Self { name, components, values: Values::Numbers(values) }
    }
    pub fn whole(name: &'static str, values: Vec<i32>) -> Self {
        Self { name, components: 1, values: Values::Whole(values) }
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

/// The text of a file and the numbers that follow it.
struct Document {
    text: String,
    appended: Vec<u8>,
}

impl Document {
    fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }
    fn array(&mut self, kind: &str, name: &str, components: usize, bytes: &[u8]) {
        let offset = self.appended.len();
        writeln!(
            self.text,
            "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{components}\" \
             format=\"appended\" offset=\"{offset}\"/>"
        )
        .expect("writing to a string does not fail");
        self.appended.extend((bytes.len() as u64).to_le_bytes());
        self.appended.extend(bytes);
    }
    fn field(&mut self, field: &Field) {
        match &field.values {
            Values::Numbers(v) => self.array("Float64", field.name, field.components, &numbers(v)),
            Values::Whole(v) => {
                let bytes: Vec<u8> = v.iter().flat_map(|x| x.to_le_bytes()).collect();
                self.array("Int32", field.name, 1, &bytes);
            }
        }
    }
    fn cells(&mut self, name: &str, cells: &Cells) {
        let bytes = |v: &[i64]| v.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
        self.line(&format!("<{name}>"));
        self.array("Int64", "connectivity", 1, &bytes(&cells.connectivity));
        self.array("Int64", "offsets", 1, &bytes(&cells.offsets));
        self.line(&format!("</{name}>"));
    }
}

fn numbers(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|x| x.to_le_bytes()).collect()
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
        let mut document = Document { text: String::new(), appended: Vec::new() };
        document.line("<?xml version=\"1.0\"?>");
        document.line(
            "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" \
             header_type=\"UInt64\">",
        );
        document.line("<PolyData>");
        document.line(&format!(
            "<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"{}\" \
             NumberOfStrips=\"0\" NumberOfPolys=\"{}\">",
            self.points.len() / 3,
            self.verts.offsets.len(),
            self.lines.offsets.len(),
            self.polys.offsets.len()
        ));
        for (name, fields) in [("PointData", &self.point_data), ("CellData", &self.cell_data)] {
            document.line(&format!("<{name}>"));
            fields.iter().for_each(|field| document.field(field));
            document.line(&format!("</{name}>"));
        }
        document.line("<Points>");
        document.array("Float64", "Points", 3, &numbers(&self.points));
        document.line("</Points>");
        for (name, cells) in
            [("Verts", &self.verts), ("Lines", &self.lines), ("Polys", &self.polys)]
        {
            document.cells(name, cells);
        }
        document.line("</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">");
        let mut bytes = document.text.into_bytes();
        bytes.push(b'_');
        bytes.extend(document.appended);
        bytes.extend(b"\n</AppendedData>\n</VTKFile>\n");
        fs::write(path, &bytes).map_err(|source| RecordError::write(path, source))?;
        Ok(bytes.len() as u64)
    }
}

/// Writes a collection: which file belongs to which time.
pub(super) fn write_collection(
    folder: &Path,
    name: &str,
    times: &[(usize, f64)],
) -> Result<(), RecordError> {
    let mut text = String::from(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" \
         byte_order=\"LittleEndian\">\n<Collection>\n",
    );
    for (index, time) in times {
        writeln!(
            text,
            "<DataSet timestep=\"{time:?}\" part=\"0\" file=\"{name}_{index:06}.vtp\"/>"
        )
        .expect("writing to a string does not fail");
    }
    text.push_str("</Collection>\n</VTKFile>\n");
    let path = folder.join(format!("{name}.pvd"));
    fs::write(&path, text).map_err(|source| RecordError::write(&path, source))
}
