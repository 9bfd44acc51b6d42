//! STL: triangles, each with corners of its own.

use super::{Found, MeshError, lines, point};
use drystone_detect::volume::Mesh;
use drystone_space::DVec3;

/// Bytes before the number of triangles, with that number, and of each triangle.
const HEAD: usize = 84;
const TRIANGLE: usize = 50;

fn promised(bytes: &[u8]) -> Option<usize> {
    let count = bytes.get(80..HEAD)?.try_into().ok().map(u32::from_le_bytes)?;
    Some(HEAD + TRIANGLE * count as usize)
}

/// Whether the length is that which a binary file's number of triangles promises.
pub fn is_binary(bytes: &[u8]) -> bool {
    promised(bytes) == Some(bytes.len())
}

/// What is wrong with a file that is neither text nor as long as it says.
pub fn cut_short(bytes: &[u8]) -> MeshError {
    let found = match promised(bytes) {
        Some(length) => format!("{} bytes where its head promises {length}", bytes.len()),
        None => format!("{} bytes", bytes.len()),
    };
    MeshError::new("STL file of a wrong length", found, "84 bytes, and 50 for each triangle")
}

pub fn binary(bytes: &[u8]) -> Found<Mesh> {
    let mut mesh = Mesh::default();
    for triangle in bytes[HEAD..].chunks_exact(TRIANGLE) {
        let number = mesh.faces.len() + 1;
        let float = |k: usize| {
            let at = 12 + 4 * k;
            let four = [triangle[at], triangle[at + 1], triangle[at + 2], triangle[at + 3]];
            f64::from(f32::from_le_bytes(four))
        };
        let corners = [0, 3, 6].map(|k| DVec3::new(float(k), float(k + 1), float(k + 2)));
        if corners.iter().any(|c| !c.is_finite()) {
            let message = format!("face {number} has a corner that is no place");
            return Err(MeshError::new(
                message,
                "a coordinate that is no number",
                "finite numbers",
            ));
        }
        add(&mut mesh, corners, number);
    }
    Ok(mesh)
}

fn add(mesh: &mut Mesh, corners: [DVec3; 3], number: usize) {
    let first = mesh.vertices.len() as u32;
    mesh.vertices.extend(corners);
    mesh.triangles.push([first, first + 1, first + 2]);
    mesh.faces.push(number);
}

pub fn text(text: &str) -> Found<Mesh> {
    let (mut mesh, mut corners) = (Mesh::default(), Vec::new());
    let mut open = None;
    for words in lines(text) {
        let (word, place) = words[0].clone();
        let line = place.start..words[words.len() - 1].1.end;
        match word {
            "vertex" => corners.push(point(&words[1..], line)?),
            "facet" => (open, corners) = (Some(line), Vec::new()),
            "endfacet" => {
                let number = mesh.faces.len() + 1;
                let &[a, b, c] = corners.as_slice() else {
                    let found = format!("{} vertices", corners.len());
                    let message = format!("face {number} is no triangle");
                    return Err(MeshError::new(message, found, "three vertices").at(line));
                };
                add(&mut mesh, [a, b, c], number);
                (open, corners) = (None, Vec::new());
            }
            "solid" | "endsolid" | "outer" | "endloop" => {}
            _ => {
                let expected =
                    "`facet`, `outer loop`, `vertex`, `endloop`, `endfacet` or `endsolid`";
                let found = format!("`{word}`");
                return Err(MeshError::new("not a word of STL", found, expected).at(place));
            }
        }
    }
    match open {
        Some(line) => {
            Err(MeshError::new("facet without its end", "the end of the file", "`endfacet`")
                .at(line))
        }
        None => Ok(mesh),
    }
}
