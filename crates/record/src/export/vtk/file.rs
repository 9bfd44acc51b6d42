//! VTK's XML files with raw appended numbers, and collections of them in time.

use crate::RecordError;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

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

/// The text of a file and the numbers that follow it.
pub(super) struct Document {
    kind: &'static str,
    text: String,
    appended: Vec<u8>,
}

impl Document {
    /// Opens a file of a kind of data.
    pub fn open(kind: &'static str) -> Self {
        let mut document = Self { kind, text: String::new(), appended: Vec::new() };
        document.line("<?xml version=\"1.0\"?>");
        document.line(&format!(
            "<VTKFile type=\"{kind}\" version=\"1.0\" byte_order=\"LittleEndian\" \
             header_type=\"UInt64\">"
        ));
        document.line(&format!("<{kind}>"));
        document
    }
    pub fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }
    pub fn array(&mut self, kind: &str, name: &str, components: usize, bytes: &[u8]) {
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
    /// Values of points and of cells.
    pub fn fields(&mut self, point_data: &[Field], cell_data: &[Field]) {
        for (name, fields) in [("PointData", point_data), ("CellData", cell_data)] {
            self.line(&format!("<{name}>"));
            fields.iter().for_each(|field| self.field(field));
            self.line(&format!("</{name}>"));
        }
    }
    pub fn points(&mut self, points: &[f64]) {
        self.line("<Points>");
        self.array("Float64", "Points", 3, &numbers(points));
        self.line("</Points>");
    }
    /// Closes the one piece, writes the file and returns its size.
    pub fn write(mut self, path: &Path) -> Result<u64, RecordError> {
        self.line(&format!("</Piece>\n</{}>\n<AppendedData encoding=\"raw\">", self.kind));
        let mut bytes = self.text.into_bytes();
        bytes.push(b'_');
        bytes.extend(self.appended);
        bytes.extend(b"\n</AppendedData>\n</VTKFile>\n");
        fs::write(path, &bytes).map_err(|source| RecordError::write(path, source))?;
        Ok(bytes.len() as u64)
    }
}

fn numbers(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// Whole numbers as VTK has them.
pub(super) fn whole(values: &[i64]) -> Vec<u8> {
    values.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// Writes a collection: which file belongs to which time.
pub(super) fn write_collection(
    folder: &Path,
    name: &str,
    extension: &str,
    times: &[(usize, f64)],
) -> Result<(), RecordError> {
    let mut text = String::from(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" \
         byte_order=\"LittleEndian\">\n<Collection>\n",
    );
    for (index, time) in times {
        writeln!(
            text,
            "<DataSet timestep=\"{time:?}\" part=\"0\" file=\"{name}_{index:06}.{extension}\"/>"
        )
        .expect("writing to a string does not fail");
    }
    text.push_str("</Collection>\n</VTKFile>\n");
    let path = folder.join(format!("{name}.pvd"));
    fs::write(&path, text).map_err(|source| RecordError::write(&path, source))
}
