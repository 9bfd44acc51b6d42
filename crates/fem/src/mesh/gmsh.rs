//! Gmsh's mesh files, ASCII formats 2.2 and 4.1.
//!
//! Elements that fill the space become elements; those of one dimension less, and points, give the
//! nodes of the physical groups that they belong to. Node numbers may have gaps; nodes that no
//! element uses are left out, since geometry points often are such. In the plane z must be the same
//! for all nodes. Every error names file and line, and the element by the file's number.

use super::{Mesh, Misfit};
use crate::FemError;
use crate::element::ElementKind::{self, *};
use crate::model::flipped_element;
use drystone_space::{Space, Vector};
use std::collections::{BTreeMap, HashMap};

/// Gmsh's number of a kind; points are none of ours.
fn kind_of(number: usize) -> Option<Option<ElementKind>> {
    Some(match number {
        1 => Some(Line2),
        2 => Some(Triangle3),
        3 => Some(Quad4),
        4 => Some(Tetra4),
        5 => Some(Hexa8),
        8 => Some(Line3),
        9 => Some(Triangle6),
        11 => Some(Tetra10),
        15 => None,
        16 => Some(Quad8),
        17 => Some(Hexa20),
        _ => return None,
    })
}

/// What to do about a kind that cannot be computed with, by Gmsh's number.
fn instead_of(number: usize) -> (&'static str, &'static str) {
    match number {
        6 | 13 | 18 => ("a prism", "mesh with tetrahedra or with hexahedra alone"),
        7 | 14 | 19 => ("a pyramid", "mesh with tetrahedra or with hexahedra alone"),
        10 => ("a quadrilateral of 9 nodes", "set Mesh.SecondOrderIncomplete = 1 for 8 nodes"),
        12 => ("a hexahedron of 27 nodes", "set Mesh.SecondOrderIncomplete = 1 for 20 nodes"),
        _ => ("of an unknown kind", "set Mesh.ElementOrder to 1 or 2"),
    }
}

/// Reads the text of a mesh file; `file` is its name in messages.
///
/// # Errors
/// Names the file, the line, and what was expected there.
pub fn read_gmsh<S: Space>(text: &str, file: &str) -> Result<Mesh<S>, FemError> {
    let mut lines = Lines { file, lines: text.lines().enumerate(), line: 0 };
    let mut raw = Raw::default();
    let mut version = None;
    while let Some(section) = lines.section() {
        match (section, version) {
            ("$MeshFormat", _) => version = Some(lines.version()?),
            ("$PhysicalNames", _) => raw.read_names(&mut lines)?,
            ("$Entities", Some(4)) => raw.read_entities(&mut lines)?,
            ("$Nodes", Some(2)) => raw.read_nodes_2(&mut lines)?,
            ("$Nodes", Some(4)) => raw.read_nodes_4(&mut lines)?,
            ("$Elements", Some(2)) => raw.read_elements_2(&mut lines)?,
            ("$Elements", Some(4)) => raw.read_elements_4(&mut lines)?,
            ("$Nodes" | "$Elements" | "$Entities", None) => {
                return Err(lines.wrong("a section before $MeshFormat, which must come first"));
            }
            _ => {}
        }
        lines.skip_to_end(section);
    }
    for (missing, section) in [
        (version.is_none(), "$MeshFormat"),
        (raw.nodes.is_empty(), "$Nodes"),
        (raw.elements.is_empty(), "$Elements"),
    ] {
        if missing {
            let what =
                format!("the file ends without {section}: it is cut short, or no mesh of Gmsh");
            lines.line = lines.line.max(1);
            return Err(lines.wrong(what));
        }
    }
    raw.into_mesh(&lines)
}

struct Lines<'a> {
    file: &'a str,
    lines: std::iter::Enumerate<std::str::Lines<'a>>,
    line: usize,
}

impl<'a> Lines<'a> {
    fn wrong(&self, what: impl Into<String>) -> FemError {
        FemError::File { file: self.file.to_owned(), line: self.line, what: what.into() }
    }

    fn next(&mut self, expected: &str) -> Result<&'a str, FemError> {
        loop {
            let Some((index, text)) = self.lines.next() else {
                self.line += 1;
                return Err(self.wrong(format!("the file ends, expected {expected}")));
            };
            self.line = index + 1;
            if !text.trim().is_empty() {
                return Ok(text.trim());
            }
        }
    }

    /// The next head of a section.
    fn section(&mut self) -> Option<&'a str> {
        loop {
            let (index, text) = self.lines.next()?;
            self.line = index + 1;
            let text = text.trim();
            if text.starts_with('$') && !text.starts_with("$End") {
                return Some(text);
            }
        }
    }

    fn skip_to_end(&mut self, section: &str) {
        let end = format!("$End{}", &section[1..]);
        let mut ahead = self.lines.clone();
        while let Some((index, text)) = ahead.next() {
            if text.trim() == end {
                self.line = index + 1;
                self.lines = ahead;
                return;
            }
        }
    }

    /// At least `least` numbers of the next line.
    fn numbers<T: std::str::FromStr>(
        &mut self,
        least: usize,
        what: &str,
    ) -> Result<Vec<T>, FemError> {
        let text = self.next(what)?;
        let mut numbers = Vec::new();
        for word in text.split_ascii_whitespace() {
            let number = word.parse();
            numbers
                .push(number.map_err(|_| self.wrong(format!("found `{word}`, expected {what}")))?);
        }
        if numbers.len() < least {
            let found = numbers.len();
            return Err(self.wrong(format!("found {found} numbers, expected {what}")));
        }
        Ok(numbers)
    }

    fn version(&mut self) -> Result<u32, FemError> {
        let head: Vec<f64> = self.numbers(3, "version, file type, data size")?;
        if head[1] != 0.0 {
            return Err(self.wrong("a binary file; save it as ASCII (Mesh.Binary = 0)"));
        }
        match head[0] {
            2.2 => Ok(2),
            4.1 => Ok(4),
            other => Err(self.wrong(format!("format {other}, expected 2.2 or 4.1"))),
        }
    }
}

/// An element as the file has it.
struct RawElement {
    tag: usize,
    line: usize,
    kind: Option<ElementKind>,
    /// Dimension and number of each physical group.
    groups: Vec<(usize, i64)>,
    nodes: Vec<usize>,
}

#[derive(Default)]
struct Raw {
    names: BTreeMap<(usize, i64), String>,
    /// Physical groups of each entity, by dimension and number.
    entities: HashMap<(usize, i64), Vec<i64>>,
    nodes: HashMap<usize, [f64; 3]>,
    elements: Vec<RawElement>,
}

impl Raw {
    fn read_names(&mut self, lines: &mut Lines) -> Result<(), FemError> {
        let count = lines.numbers::<usize>(1, "the number of names")?[0];
        for _ in 0..count {
            let text = lines.next("dimension, number and name of a physical group")?;
            let mut words = text.splitn(3, ' ');
            let dimension = words.next().and_then(|w| w.parse().ok());
            let number = words.next().and_then(|w| w.parse().ok());
            let name = words.next().map(|name| name.trim().trim_matches('"').to_owned());
            let (Some(dimension), Some(number), Some(name)) = (dimension, number, name) else {
                let what = format!("found `{text}`, expected dimension, number and \"name\"");
                return Err(lines.wrong(what));
            };
            self.names.insert((dimension, number), name);
        }
        Ok(())
    }

    fn read_entities(&mut self, lines: &mut Lines) -> Result<(), FemError> {
        let counts =
            lines.numbers::<usize>(4, "the numbers of points, curves, surfaces, volumes")?;
        for (dimension, &count) in counts.iter().enumerate().take(4) {
            for _ in 0..count {
                let words: Vec<f64> = lines.numbers(1, "an entity")?;
                // Number, then a point or the corners of a box, then the physical groups.
                let start = if dimension == 0 { 4 } else { 7 };
                let groups = words.get(start).map_or(0, |&count| count as usize);
                let list = words.iter().skip(start + 1).take(groups).map(|&g| g as i64);
                self.entities.insert((dimension, words[0] as i64), list.collect());
            }
        }
        Ok(())
    }

    fn read_nodes_2(&mut self, lines: &mut Lines) -> Result<(), FemError> {
        let count = lines.numbers::<usize>(1, "the number of nodes")?[0];
        for _ in 0..count {
            let words: Vec<f64> = lines.numbers(4, "a node: number, x, y, z")?;
            let tag = words[0] as usize;
            if tag as f64 != words[0] {
                let found = words[0];
                return Err(lines.wrong(format!("found `{found}`, expected a node's number")));
            }
            self.add_node(lines, tag, [words[1], words[2], words[3]])?;
        }
        Ok(())
    }

    fn read_nodes_4(&mut self, lines: &mut Lines) -> Result<(), FemError> {
        let head = lines.numbers::<usize>(4, "the numbers of blocks and nodes")?;
        for _ in 0..head[0] {
            let block = lines.numbers::<i64>(4, "a block: dimension, entity, parametric, count")?;
            let mut tags = Vec::new();
            for _ in 0..block[3] {
                tags.push(lines.numbers::<usize>(1, "a node's number")?[0]);
            }
            for tag in tags {
                let x: Vec<f64> = lines.numbers(3, "a node's x, y, z")?;
                self.add_node(lines, tag, [x[0], x[1], x[2]])?;
            }
        }
        Ok(())
    }

    fn add_node(&mut self, lines: &Lines, tag: usize, place: [f64; 3]) -> Result<(), FemError> {
        if !place.iter().all(|x| x.is_finite()) {
            return Err(lines.wrong(format!("node {tag} is at {place:?}, expected finite numbers")));
        }
        match self.nodes.insert(tag, place) {
            Some(_) => Err(lines.wrong(format!("node {tag} is given twice"))),
            None => Ok(()),
        }
    }

    fn read_elements_2(&mut self, lines: &mut Lines) -> Result<(), FemError> {
        let count = lines.numbers::<usize>(1, "the number of elements")?[0];
        for _ in 0..count {
            let words: Vec<i64> = lines.numbers(3, "an element: number, kind, tags, nodes")?;
            let whole = |word: i64| {
                let wrong = |_| lines.wrong(format!("found `{word}`, expected zero or more"));
                usize::try_from(word).map_err(wrong)
            };
            let [tag, kind, tags] = [whole(words[0])?, whole(words[1])?, whole(words[2])?];
            let (tags, nodes) = words[3..].split_at(tags.min(words.len() - 3));
            let nodes: Result<Vec<usize>, FemError> = nodes.iter().map(|&n| whole(n)).collect();
            // The first tag is the physical group; 0 is none.
            let physical: Vec<i64> = tags.iter().take(1).copied().filter(|&g| g != 0).collect();
            self.add_element(lines, tag, kind, &physical, nodes?)?;
        }
        Ok(())
    }

    fn read_elements_4(&mut self, lines: &mut Lines) -> Result<(), FemError> {
        let head = lines.numbers::<usize>(4, "the numbers of blocks and elements")?;
        for _ in 0..head[0] {
            let block = lines.numbers::<i64>(4, "a block: dimension, entity, kind, count")?;
            let key = (block[0] as usize, block[1]);
            let physical = self.entities.get(&key).cloned().unwrap_or_default();
            for _ in 0..block[3] {
                let words = lines.numbers::<usize>(1, "an element: number, nodes")?;
                self.add_element(
                    lines,
                    words[0],
                    block[2] as usize,
                    &physical,
                    words[1..].to_vec(),
                )?;
            }
        }
        Ok(())
    }

    fn add_element(
        &mut self,
        lines: &Lines,
        tag: usize,
        number: usize,
        physical: &[i64],
        nodes: Vec<usize>,
    ) -> Result<(), FemError> {
        let Some(kind) = kind_of(number) else {
            let known: Vec<&str> = ElementKind::ALL.iter().map(|kind| kind.name()).collect();
            let (known, (what, remedy)) = (known.join(", "), instead_of(number));
            return Err(lines.wrong(format!(
                "element {tag} is {what} (Gmsh's kind {number}), expected {known}; {remedy}"
            )));
        };
        let expected = kind.map_or(1, ElementKind::nodes);
        if nodes.len() != expected {
            let (name, found) = (kind.map_or("point", ElementKind::name), nodes.len());
            let what = format!("element {tag} ({name}) has {found} nodes, expected {expected}");
            return Err(lines.wrong(what));
        }
        let twice = (1..nodes.len()).find(|&i| nodes[..i].contains(&nodes[i]));
        if let Some(i) = twice {
            return Err(lines.wrong(format!("element {tag} names node {} twice", nodes[i])));
        }
        let dimension = kind.map_or(0, ElementKind::dimension);
        // The sign of a group is the orientation of its elements.
        let groups = physical.iter().map(|&group| (dimension, group.saturating_abs())).collect();
        self.elements.push(RawElement { tag, line: lines.line, kind, groups, nodes });
        Ok(())
    }

    fn into_mesh<S: Space>(self, lines: &Lines) -> Result<Mesh<S>, FemError> {
        let error =
            |line: usize, what: String| FemError::File { file: lines.file.to_owned(), line, what };
        let fills = |e: &&RawElement| e.kind.is_some_and(|kind| kind.dimension() == S::DIMENSION);
        let mut mesh = Mesh::new(Vec::new());
        let mut numbers: HashMap<usize, u32> = HashMap::new();
        for element in self.elements.iter().filter(fills) {
            let mut nodes = Vec::new();
            for &tag in &element.nodes {
                let Some(place) = self.nodes.get(&tag) else {
                    let what =
                        format!("element {} names node {tag}, which is not there", element.tag);
                    return Err(error(element.line, what));
                };
                nodes.push(*numbers.entry(tag).or_insert_with(|| {
                    mesh.nodes.push(S::Vector::from_fn(|i| place[i]));
                    mesh.nodes.len() as u32 - 1
                }));
            }
            mesh.push(element.kind.expect("it fills the space"), &nodes);
            mesh.numbers.push(element.tag);
        }
        if mesh.elements() == 0 {
            let (count, fill) =
                (self.elements.len(), if S::DIMENSION == 2 { "areas" } else { "volumes" });
            let what = format!(
                "none of the {count} elements is one of {fill}; where there are physical groups, Gmsh \
                 saves only what is in one: add a group of {fill}"
            );
            return Err(error(lines.line, what));
        }
        if S::DIMENSION == 2 {
            self.check_flat(self.elements.iter().filter(fills))
                .map_err(|(line, what)| error(line, what))?;
        }
        for element in &self.elements {
            for key in &element.groups {
                let name = self.names.get(key).cloned().unwrap_or_else(|| key.1.to_string());
                let nodes = element.nodes.iter().filter_map(|tag| numbers.get(tag).copied());
                mesh.add_group(&name, nodes);
            }
        }
        // What the mesh itself shows to be wrong is told with the line of the element.
        let line = |index: usize| {
            self.elements.iter().filter(fills).nth(index).map_or(lines.line, |element| element.line)
        };
        if let Some(Misfit { elements, what }) = mesh.misfit() {
            let [first, second] = elements.map(|index| mesh.name(index));
            let what = format!("{first} and {second} {what}");
            return Err(error(line(elements[0]), what));
        }
        if let Some((index, jacobian)) = flipped_element(&mesh) {
            let bad = FemError::BadElement { element: mesh.name(index), jacobian };
            return Err(error(line(index), bad.to_string()));
        }
        Ok(mesh)
    }

    /// Whether all nodes of these elements have one z; else the line and what is wrong.
    fn check_flat<'a>(
        &self,
        elements: impl Iterator<Item = &'a RawElement>,
    ) -> Result<(), (usize, String)> {
        let mut nodes = elements.flat_map(|e| e.nodes.iter().map(|tag| (e.line, e.tag, *tag)));
        let height = |tag: usize| self.nodes[&tag][2];
        let Some((_, _, first)) = nodes.next() else { return Ok(()) };
        let z = height(first);
        match nodes.find(|&(_, _, tag)| height(tag) != z) {
            Some((line, element, tag)) => {
                let other = height(tag);
                Err((
                    line,
                    format!(
                        "node {tag} of element {element} is at z = {other}, node {first} at {z}: in the plane \
                     all must have one z"
                    ),
                ))
            }
            None => Ok(()),
        }
    }
}
