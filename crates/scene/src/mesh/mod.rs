//! Meshes of triangles in files: STL, OBJ and PLY, as text or binary.
//!
//! The kind of a file is told by how it begins, and by its ending where that tells nothing. Numbers are read as they are
//! written; faces with more than three corners are cut into fans from their first corner.

mod obj;
mod ply;
pub(crate) mod raster;
mod stl;

use crate::report::Draft;
use drystone_detect::volume::Mesh;
use drystone_space::DVec3;
use std::fmt::Write;
use std::ops::Range;

/// Why a file is no mesh: where in its text that is, if it is text.
#[derive(Debug, PartialEq)]
pub(crate) struct MeshError {
    pub at: Option<Range<usize>>,
    pub message: String,
    pub found: String,
    pub expected: &'static str,
}

impl MeshError {
    fn new(message: impl Into<String>, found: impl Into<String>, expected: &'static str) -> Self {
        Self { at: None, message: message.into(), found: found.into(), expected }
    }
    fn at(self, place: Range<usize>) -> Self {
        Self { at: Some(place), ..self }
    }
    /// As a problem of the file, or of the scene at `span`.
    pub fn draft(self, name: &str, span: crate::report::Span) -> (bool, Draft) {
        let (inside, span) = match self.at {
            Some(place) => (true, place.into()),
            None => (false, span),
        };
        let message = match inside {
            true => self.message,
            false => format!("`{name}`: {}", self.message),
        };
        (inside, Draft::error(span, message).found(self.found).expected(self.expected))
    }
}

type Found<T> = Result<T, MeshError>;

/// The mesh of a file of this name.
pub(crate) fn read(name: &str, bytes: &[u8]) -> Found<Mesh> {
    let mesh = parse(name, bytes)?;
    if mesh.triangles.is_empty() {
        return Err(MeshError::new("mesh without faces", "none", "one face or more"));
    }
    Ok(mesh)
}

/// The same, which may have no faces: vertices are enough for a hull.
pub(crate) fn parse(name: &str, bytes: &[u8]) -> Found<Mesh> {
    let ending = name.rsplit('.').next().unwrap_or("").to_ascii_lowercase();
    if bytes.starts_with(b"ply") {
        ply::read(bytes)
    } else if stl::is_binary(bytes) {
        stl::binary(bytes)
    } else {
        let text = std::str::from_utf8(bytes).map_err(|_| match ending.as_str() {
            "stl" => stl::cut_short(bytes),
            _ => MeshError::new("neither text nor a binary mesh", "bytes", "STL, OBJ or PLY"),
        })?;
        match ending.as_str() {
            "obj" => obj::read(text),
            _ if text.trim_start().starts_with("solid") => stl::text(text),
            "stl" if text.len() < 84 => Err(stl::cut_short(bytes)),
            _ => {
                let found = text.lines().next().unwrap_or("").chars().take(40).collect::<String>();
                let expected = "a file that begins with `solid` (STL) or `ply`, or ends in `.obj`";
                let place = 0..text.lines().next().map_or(0, str::len);
                Err(MeshError::new("not a mesh", format!("{found:?}"), expected).at(place))
            }
        }
    }
}

/// The mesh as the text of a PLY file, from which the same numbers are read.
pub(crate) fn as_text(mesh: &Mesh) -> String {
    let (vertices, faces) = (mesh.vertices.len(), mesh.triangles.len());
    let mut text = format!(
        "ply\nformat ascii 1.0\nelement vertex {vertices}\nproperty double x\nproperty double y\n\
         property double z\nelement face {faces}\nproperty list uchar int vertex_indices\nend_header\n"
    );
    for v in &mesh.vertices {
        // Writing to a text does not fail.
        let _ = writeln!(text, "{} {} {}", v.x, v.y, v.z);
    }
    for [a, b, c] in &mesh.triangles {
        let _ = writeln!(text, "3 {a} {b} {c}");
    }
    text
}

/// A word of a text and where it is.
type Word<'a> = (&'a str, Range<usize>);

/// The words of each line that has some, as places in the whole text.
fn lines(text: &str) -> impl Iterator<Item = Vec<Word<'_>>> {
    let place = move |word: &str| {
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        start..start + word.len()
    };
    let words = move |line: &'_ str| -> Vec<Word<'_>> {
        // The lifetime of the line is that of the text.
        let start = line.as_ptr() as usize - text.as_ptr() as usize;
        let line = &text[start..start + line.len()];
        line.split_whitespace().map(|word| (word, place(word))).collect()
    };
    text.lines().map(words).filter(|words| !words.is_empty())
}

/// A finite number.
fn number(&(word, ref place): &Word) -> Found<f64> {
    let value = word.parse::<f64>().ok().filter(|value| value.is_finite());
    value.ok_or_else(|| {
        MeshError::new("not a number", format!("`{word}`"), "a finite number").at(place.clone())
    })
}

/// The first three words as a point.
fn point(words: &[Word], line: Range<usize>) -> Found<DVec3> {
    let [x, y, z, ..] = words else {
        let found = format!("{} numbers", words.len());
        return Err(MeshError::new("vertex cut short", found, "three numbers").at(line));
    };
    Ok(DVec3::new(number(x)?, number(y)?, number(z)?))
}

/// Adds a face as a fan of triangles; its number is that of the next face.
fn fan(mesh: &mut Mesh, corners: &[u32], number: usize) -> Found<()> {
    if corners.len() < 3 {
        let found = format!("{} corners", corners.len());
        return Err(MeshError::new(
            format!("face {number} has too few corners"),
            found,
            "three corners or more",
        ));
    }
    if let Some(&beyond) = corners.iter().find(|&&v| v as usize >= mesh.vertices.len()) {
        let found = format!("vertex {beyond} of {} (from 0)", mesh.vertices.len());
        let message = format!("face {number} names a vertex that there is none of");
        return Err(MeshError::new(message, found, "vertices of the file"));
    }
    let at = |k: usize| mesh.vertices[corners[k] as usize];
    let normal = |i: usize| (at(i) - at(0)).cross(at(i + 1) - at(0));
    let whole: DVec3 = (1..corners.len() - 1).map(normal).sum();
    if (1..corners.len() - 1).any(|i| normal(i).dot(whole) < 0.0) {
        let found = format!("{} corners that turn inward", corners.len());
        let message = format!("face {number} is not convex");
        return Err(MeshError::new(message, found, "convex faces, or triangles"));
    }
    for i in 1..corners.len() - 1 {
        mesh.triangles.push([corners[0], corners[i], corners[i + 1]]);
        mesh.faces.push(number);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tetrahedron in each form, binary ones made here.
    fn forms() -> Vec<(&'static str, Vec<u8>)> {
        let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.1_f32]];
        let faces = [[0_usize, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
        let mut stl = vec![0; 80];
        stl.extend(4_u32.to_le_bytes());
        for face in faces {
            stl.extend([0; 12]);
            let corners = face.into_iter().flat_map(|v| points[v]);
            stl.extend(corners.flat_map(f32::to_le_bytes));
            stl.extend([0; 2]);
        }
        let mut text = "solid a\n".to_owned();
        for face in faces {
            text += "facet normal 0 0 0\nouter loop\n";
            for v in face {
                let [x, y, z] = points[v];
                text += &format!("vertex {x} {y} {z:e}\n");
            }
            text += "endloop\nendfacet\n";
        }
        text += "endsolid a\n";
        let mut obj = "# made by hand\no a\n".to_owned();
        points.iter().for_each(|[x, y, z]| obj += &format!("v {x} {y} {z} 1.0\n"));
        obj += "vn 0 0 1\nf 1//1 3//1 2//1\nf -4/1 -3/1 -1/1\nf 1 4 3\nf 2 3 4\n";
        let head = |kind: &str| {
            format!(
                "ply\nformat {kind} 1.0\ncomment none\nelement vertex 4\nproperty float x\nproperty float y\n\
                 property float z\nproperty uchar red\nelement face 4\nproperty list uchar int vertex_index\nend_header\n"
            )
        };
        let mut ascii = head("ascii");
        points.iter().for_each(|[x, y, z]| ascii += &format!("{x} {y} {z} 7\n"));
        faces.iter().for_each(|[a, b, c]| ascii += &format!("3 {a} {b} {c}\n"));
        let ply = |big: bool| {
            let kind = if big { "binary_big_endian" } else { "binary_little_endian" };
            let mut bytes = head(kind).into_bytes();
            let float = |x: f32| if big { x.to_be_bytes() } else { x.to_le_bytes() };
            for point in points {
                bytes.extend(point.into_iter().flat_map(float));
                bytes.push(7);
            }
            for face in faces {
                bytes.push(3);
                let word = |v: usize| {
                    if big { (v as i32).to_be_bytes() } else { (v as i32).to_le_bytes() }
                };
                bytes.extend(face.into_iter().flat_map(word));
            }
            bytes
        };
        vec![
            ("a.stl", stl),
            ("b.stl", text.into_bytes()),
            ("c.obj", obj.into_bytes()),
            ("d.ply", ascii.into_bytes()),
            ("e.ply", ply(false)),
            ("f.ply", ply(true)),
        ]
    }

    #[test]
    fn every_form_gives_the_same_solid() {
        for (name, bytes) in forms() {
            let mesh = read(name, &bytes).unwrap_or_else(|e| panic!("{name}: {e:?}")).welded(0.0);
            assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (4, 4), "{name}");
            assert_eq!(mesh.defects(), Default::default(), "{name}");
            let volume = mesh.solid().measure;
            assert!((volume - 0.05 / 6.0).abs() < 1e-9, "{name}: {volume}");
        }
    }

    #[test]
    fn a_copy_as_text_is_the_same_mesh() {
        for (name, bytes) in forms() {
            let mesh = read(name, &bytes).unwrap();
            assert_eq!(read(name, as_text(&mesh).as_bytes()).unwrap(), mesh, "{name}");
        }
    }

    #[test]
    fn a_file_cut_anywhere_is_an_error_or_a_mesh() {
        for (name, bytes) in forms() {
            for end in 0..bytes.len() {
                let _ = read(name, &bytes[..end]);
            }
        }
    }
}
