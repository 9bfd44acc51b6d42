//! Heights over a grid: tables of numbers, and the ASCII grids of geographic programs.
//!
//! A line holds the heights from west to east, along x; the first line is the farthest to the north, along y. An ASCII grid
//! has a head of lines `ncols`, `nrows`, `xllcorner` (or `xllcenter`), `yllcorner`, `cellsize` and `NODATA_value`.

use super::{Found, MeshError, Word, number};
use drystone_detect::volume::Mesh;
use drystone_space::DVec3;

/// Heights, line by line as in the file; none where nothing is known.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Raster {
    rows: Vec<Vec<Option<f64>>>,
    /// Distance between neighbours, if the file tells.
    pub cell: Option<f64>,
    /// Place of the lowest corner, if the file tells.
    corner: [f64; 2],
}

/// What is no height in a table.
const NONE: [&str; 3] = ["", "nan", "nodata"];

pub(crate) fn read(text: &str) -> Found<Raster> {
    let mut raster = Raster::default();
    let mut missing = None;
    let mut width: Option<usize> = None;
    let mut said: [Option<(f64, std::ops::Range<usize>)>; 2] = [None, None];
    for line in text.split_inclusive('\n') {
        let start = line.as_ptr() as usize - text.as_ptr() as usize;
        let place = start..start + line.trim_end().len();
        let words = cells(line, start);
        let Some((first, _)) = words.first() else { continue };
        if first.starts_with('#') {
            continue;
        }
        if let ([(name, _), value], true) = (words.as_slice(), raster.rows.is_empty()) {
            let name = name.to_ascii_lowercase();
            if name.starts_with(|c: char| c.is_ascii_alphabetic()) && name != "nan" {
                let given = number(value)?;
                match name.as_str() {
                    "ncols" => said[0] = Some((given, place)),
                    "nrows" => said[1] = Some((given, place)),
                    "xllcorner" | "xllcenter" => raster.corner[0] = given,
                    "yllcorner" | "yllcenter" => raster.corner[1] = given,
                    "cellsize" if given > 0.0 => raster.cell = Some(given),
                    "nodata_value" => missing = Some(given),
                    _ => {
                        let expected = "ncols, nrows, xllcorner, yllcorner, cellsize (above zero) or NODATA_value";
                        let found = format!("`{}`", line.trim());
                        return Err(MeshError::new("not a line of a grid's head", found, expected)
                            .at(place));
                    }
                }
                continue;
            }
        }
        let height = |word: &Word| match NONE.contains(&word.0.to_ascii_lowercase().as_str()) {
            true => Ok(None),
            false => number(word).map(|value| Some(value).filter(|v| Some(*v) != missing)),
        };
        let row = words.iter().map(height).collect::<Found<Vec<_>>>()?;
        if *width.get_or_insert(row.len()) != row.len() {
            let found = format!("{} heights after lines of {}", row.len(), width.unwrap_or(0));
            return Err(
                MeshError::new("line of another length", found, "as many in each line").at(place)
            );
        }
        raster.rows.push(row);
    }
    let size = [width.unwrap_or(0), raster.rows.len()];
    for (said, found, what) in [(&said[0], size[0], "columns"), (&said[1], size[1], "rows")] {
        if let Some((value, place)) = said.as_ref().filter(|(value, _)| *value != found as f64) {
            let message = format!("a grid with another number of {what} than its head says");
            let error =
                MeshError::new(message, format!("{found}, said {value}"), "as many as it says");
            return Err(error.at(place.clone()));
        }
    }
    if size[0] < 2 || size[1] < 2 {
        let found = format!("{} columns and {} rows", size[0], size[1]);
        return Err(MeshError::new("too few heights", found, "two columns and two rows, or more"));
    }
    Ok(raster)
}

/// The cells of a line: between commas or semicolons if it has some, else between blanks.
fn cells(line: &str, start: usize) -> Vec<Word<'_>> {
    let place = |word: &'_ str| {
        let from = start + (word.as_ptr() as usize - line.as_ptr() as usize);
        from..from + word.len()
    };
    let body = line.trim_end();
    if body.trim().is_empty() {
        return Vec::new();
    }
    if body.contains([',', ';']) {
        // Words borrow from the line, trimmed.
        return body.split([',', ';']).map(str::trim).map(|word| (word, place(word))).collect();
    }
    body.split_whitespace().map(|word| (word, place(word))).collect()
}

impl Raster {
    /// Two triangles over each cell whose corners are known, seen from above.
    ///
    /// `si` takes lengths of the file to SI units, in which `cell` is.
    pub fn mesh(&self, cell: f64, si: impl Fn(f64) -> f64) -> Mesh {
        let mut mesh = Mesh::default();
        let (columns, rows) = (self.rows[0].len(), self.rows.len());
        let mut index = vec![None; columns * rows];
        for (r, row) in self.rows.iter().enumerate() {
            for (c, height) in row.iter().enumerate() {
                let Some(height) = height else { continue };
                index[r * columns + c] = Some(mesh.vertices.len() as u32);
                let [x, y] = [c, rows - 1 - r].map(|k| k as f64 * cell);
                mesh.vertices.push(DVec3::new(
                    si(self.corner[0]) + x,
                    si(self.corner[1]) + y,
                    si(*height),
                ));
            }
        }
        for r in 0..rows - 1 {
            for c in 0..columns - 1 {
                let number = r * (columns - 1) + c + 1;
                let at = |r: usize, c: usize| index[r * columns + c];
                let [nw, ne, sw, se] = [at(r, c), at(r, c + 1), at(r + 1, c), at(r + 1, c + 1)];
                for corners in [[sw, se, ne], [sw, ne, nw]] {
                    if let [Some(a), Some(b), Some(c)] = corners {
                        mesh.triangles.push([a, b, c]);
                        mesh.faces.push(number);
                    }
                }
            }
        }
        mesh
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn north_is_first_and_holes_stay_open() {
        let raster = read("0, 1, 2\n3, , 5\n").unwrap();
        let mesh = raster.mesh(2.0, |x| x);
        assert_eq!(mesh.vertices[0], DVec3::new(0.0, 2.0, 0.0));
        assert_eq!(mesh.vertices[4], DVec3::new(4.0, 0.0, 5.0));
        // The empty corner takes one triangle of the left cell and both of the right one.
        assert_eq!(mesh.triangles.len(), 1);
    }

    #[test]
    fn the_head_of_an_ascii_grid_places_it() {
        let text = "ncols 2\nnrows 2\nxllcorner 10\nyllcorner 20\ncellsize 5\nNODATA_value -9999\n1 2\n3 -9999\n";
        let raster = read(text).unwrap();
        let mesh = raster.mesh(raster.cell.unwrap(), |x| x);
        assert_eq!(mesh.vertices[2], DVec3::new(10.0, 20.0, 3.0));
        assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (3, 1));
        let wrong = read(&text.replace("nrows 2", "nrows 3")).unwrap_err();
        assert_eq!(&text[wrong.at.unwrap()], "nrows 2");
    }
}
