//! Wavefront OBJ: lines `v x y z` and `f a b c …`; all other lines are passed over.

use super::{Found, MeshError, Word, fan, lines, point};
use drystone_detect::volume::Mesh;

pub fn read(text: &str) -> Found<Mesh> {
    let (mut mesh, mut faces) = (Mesh::default(), 0);
    for words in lines(text) {
        let line = words[0].1.start..words[words.len() - 1].1.end;
        match words[0].0 {
            "v" => mesh.vertices.push(point(&words[1..], line)?),
            "f" => {
                faces += 1;
                let corner = |word: &Word| vertex(word, mesh.vertices.len());
                let corners = words[1..].iter().map(corner).collect::<Found<Vec<u32>>>()?;
                fan(&mut mesh, &corners, faces).map_err(|error| error.at(line))?;
            }
            _ => {}
        }
    }
    Ok(mesh)
}

/// The vertex of `7`, `7/1`, `7//2` or `-1`, from 0; negative numbers count back from the last.
fn vertex(&(word, ref place): &Word, count: usize) -> Found<u32> {
    let number = word.split('/').next().unwrap_or("").parse::<i64>();
    let wrong = |message: &str, found: String| {
        let expected = "the number of a vertex above, from 1, or from -1 backward";
        MeshError::new(message, found, expected).at(place.clone())
    };
    let number = number.map_err(|_| wrong("not the number of a vertex", format!("`{word}`")))?;
    let index = if number < 0 { count as i64 + number } else { number - 1 };
    if !(0..count as i64).contains(&index) {
        return Err(wrong("a vertex that there is none of", format!("{number} of {count} so far")));
    }
    Ok(index as u32)
}
