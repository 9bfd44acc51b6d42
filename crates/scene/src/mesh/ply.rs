//! PLY: a head that tells of elements and their properties, then the elements, as text or binary of either order of bytes.
//! Of vertices `x`, `y`, `z` are read, of faces their lists of vertices; all else is passed over.

use super::{Found, MeshError, fan};
use drystone_detect::volume::Mesh;
use drystone_space::DVec3;
use std::ops::Range;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Order {
    Text,
    Little,
    Big,
}

/// A type of numbers: its bytes, and how they are read.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Int8,
    Uint8,
    Int16,
    Uint16,
    Int32,
    Uint32,
    Float32,
    Float64,
}

struct Property {
    name: String,
    /// The type of the number of items, for a list.
    list: Option<Kind>,
    kind: Kind,
}

struct Element {
    name: String,
    count: usize,
    properties: Vec<Property>,
}

fn kind(word: &str) -> Option<Kind> {
    Some(match word {
        "char" | "int8" => Kind::Int8,
        "uchar" | "uint8" => Kind::Uint8,
        "short" | "int16" => Kind::Int16,
        "ushort" | "uint16" => Kind::Uint16,
        "int" | "int32" => Kind::Int32,
        "uint" | "uint32" => Kind::Uint32,
        "float" | "float32" => Kind::Float32,
        "double" | "float64" => Kind::Float64,
        _ => return None,
    })
}

pub fn read(bytes: &[u8]) -> Found<Mesh> {
    let (order, elements, start) = head(bytes)?;
    let body = &bytes[start..];
    let mut source = Source { order, bytes: body, at: 0, start };
    if order == Order::Text && std::str::from_utf8(body).is_err() {
        return Err(MeshError::new(
            "PLY of text with other bytes",
            "bytes that are no text",
            "numbers",
        ));
    }
    let (mut mesh, mut faces) = (Mesh::default(), 0);
    // What has no properties has no bytes.
    for element in elements.iter().filter(|element| !element.properties.is_empty()) {
        for number in 1..=element.count {
            let (mut place, mut corners) = (DVec3::NAN, None);
            let from = source.at;
            for property in &element.properties {
                let values = source.values(property, element, number)?;
                match (property.name.as_str(), values.as_slice()) {
                    ("x", &[x]) => place.x = x,
                    ("y", &[y]) => place.y = y,
                    ("z", &[z]) => place.z = z,
                    ("vertex_indices" | "vertex_index", list) => corners = Some(list.to_vec()),
                    _ => {}
                }
            }
            let at = source.place(from..source.at);
            let placed = |error: MeshError| MeshError { at: at.clone(), ..error };
            match element.name.as_str() {
                "vertex" if !place.is_finite() => {
                    let message = format!("vertex {number} is no place");
                    let found = "a coordinate that is no finite number";
                    return Err(placed(MeshError::new(message, found, "finite numbers")));
                }
                "vertex" => mesh.vertices.push(place),
                "face" => {
                    faces += 1;
                    let list = corners.unwrap_or_default();
                    // What is no number of a vertex is beyond all of them.
                    let index =
                        |&x: &f64| if (0.0..4e9).contains(&x) { x as u32 } else { u32::MAX };
                    let list: Vec<u32> = list.iter().map(index).collect();
                    fan(&mut mesh, &list, faces).map_err(placed)?;
                }
                _ => {}
            }
        }
    }
    Ok(mesh)
}

/// What the head says, and where it ends.
fn head(bytes: &[u8]) -> Found<(Order, Vec<Element>, usize)> {
    let (mut order, mut elements, mut at) = (None, Vec::<Element>::new(), 0);
    loop {
        let rest = &bytes[at..];
        let Some(end) = rest.iter().position(|&b| b == b'\n') else {
            return Err(MeshError::new(
                "PLY without the end of its head",
                "the end of the file",
                "`end_header`",
            ));
        };
        let place = at..at + end;
        at += end + 1;
        let line = std::str::from_utf8(&rest[..end]).unwrap_or("\u{fffd}").trim_end();
        let words: Vec<&str> = line.split_whitespace().collect();
        let wrong = |message: &str, expected| {
            MeshError::new(message, format!("`{line}`"), expected).at(place.clone())
        };
        match words.as_slice() {
            [] | ["ply"] | ["comment" | "obj_info", ..] => {}
            ["format", name, ..] => {
                order = Some(match *name {
                    "ascii" => Order::Text,
                    "binary_little_endian" => Order::Little,
                    "binary_big_endian" => Order::Big,
                    _ => {
                        let expected = "`ascii`, `binary_little_endian` or `binary_big_endian`";
                        return Err(wrong("unknown form of PLY", expected));
                    }
                });
            }
            ["element", name, count] => {
                let count =
                    count.parse().map_err(|_| wrong("element without its number", "a number"))?;
                let name = (*name).to_owned();
                elements.push(Element { name, count, properties: Vec::new() });
            }
            ["property", rest @ ..] => {
                let (list, of, name) = match *rest {
                    ["list", count, of, name] => (Some(count), of, name),
                    [of, name] => (None, of, name),
                    _ => return Err(wrong("property cut short", "`property type name`")),
                };
                let types = "char, uchar, short, ushort, int, uint, float or double";
                let known =
                    |word| kind(word).ok_or_else(|| wrong("unknown type of numbers", types));
                let list = list.map(known).transpose()?;
                let property = Property { name: name.to_owned(), list, kind: known(of)? };
                let element = elements.last_mut();
                element
                    .ok_or_else(|| wrong("property of no element", "`element` before it"))?
                    .properties
                    .push(property);
            }
            ["end_header"] => break,
            _ => {
                return Err(wrong(
                    "not a line of a PLY head",
                    "`element`, `property` or `end_header`",
                ));
            }
        }
    }
    let has = |element: &str, names: &[&str]| {
        let found = elements.iter().find(|e| e.name == element);
        found.is_some_and(|e| names.iter().any(|n| e.properties.iter().any(|p| p.name == *n)))
    };
    if !["x", "y", "z"].iter().all(|name| has("vertex", &[name])) {
        return Err(MeshError::new(
            "PLY without places",
            "no `x`, `y` and `z` of vertices",
            "these properties",
        ));
    }
    if !has("face", &["vertex_indices", "vertex_index"]) {
        let found = "no list `vertex_indices` of faces";
        return Err(MeshError::new("PLY without faces: a cloud of points", found, "this list"));
    }
    let order = order.ok_or_else(|| {
        MeshError::new("PLY without a form", "no line `format`", "`format ascii 1.0`")
    })?;
    Ok((order, elements, at))
}

/// The numbers after the head.
struct Source<'a> {
    order: Order,
    bytes: &'a [u8],
    at: usize,
    /// Where they begin in the file.
    start: usize,
}

impl Source<'_> {
    /// A place as one in the text of the file; none in a binary one.
    fn place(&self, range: Range<usize>) -> Option<Range<usize>> {
        (self.order == Order::Text).then_some(range.start + self.start..range.end + self.start)
    }
    fn values(&mut self, property: &Property, element: &Element, number: usize) -> Found<Vec<f64>> {
        let Some(count) = property.list else {
            return Ok(vec![self.value(property.kind, element, number)?]);
        };
        let count = self.value(count, element, number)?;
        // A list of millions is none: so many bytes there are not.
        let count =
            if (0.0..=self.bytes.len() as f64).contains(&count) { count as usize } else { 0 };
        (0..count).map(|_| self.value(property.kind, element, number)).collect()
    }
    fn value(&mut self, kind: Kind, element: &Element, number: usize) -> Found<f64> {
        let cut_short = || {
            let message =
                format!("PLY cut short: {} of {} `{}`", number - 1, element.count, element.name);
            MeshError::new(message, "the end of the file", "as many as its head says")
        };
        if self.order == Order::Text {
            let space = |b: &u8| b.is_ascii_whitespace();
            let rest = &self.bytes[self.at..];
            let skipped = rest.iter().position(|b| !space(b)).ok_or_else(cut_short)?;
            let length = rest[skipped..].iter().position(space).unwrap_or(rest.len() - skipped);
            let word = std::str::from_utf8(&rest[skipped..skipped + length]).unwrap_or("");
            let from = self.at + skipped;
            self.at = from + length;
            return word.parse().map_err(|_| {
                let error = MeshError::new("not a number", format!("`{word}`"), "a number");
                MeshError { at: self.place(from..from + length), ..error }
            });
        }
        let size = match kind {
            Kind::Int8 | Kind::Uint8 => 1,
            Kind::Int16 | Kind::Uint16 => 2,
            Kind::Int32 | Kind::Uint32 | Kind::Float32 => 4,
            Kind::Float64 => 8,
        };
        let part = self.bytes.get(self.at..self.at + size).ok_or_else(cut_short)?;
        self.at += size;
        let mut eight = [0; 8];
        let little = self.order == Order::Little;
        for (i, &byte) in part.iter().enumerate() {
            eight[if little { i } else { size - 1 - i }] = byte;
        }
        let bits = u64::from_le_bytes(eight);
        Ok(match kind {
            Kind::Int8 => f64::from(bits as u8 as i8),
            Kind::Uint8 => f64::from(bits as u8),
            Kind::Int16 => f64::from(bits as u16 as i16),
            Kind::Uint16 => f64::from(bits as u16),
            Kind::Int32 => f64::from(bits as u32 as i32),
            Kind::Uint32 => f64::from(bits as u32),
            Kind::Float32 => f64::from(f32::from_bits(bits as u32)),
            Kind::Float64 => f64::from_bits(bits),
        })
    }
}
