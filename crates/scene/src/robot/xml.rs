//! Elements and attributes of a description, every problem with its place.

use crate::decode::listed;
use crate::report::{Draft, Problems, Source, Span};
use drystone_space::DVec3;
use roxmltree::{Document, Node, ParsingOptions};

/// Most elements and attributes of a description.
const MOST_NODES: u32 = 200_000;
/// Most elements within each other: what reads XML calls itself for each.
const DEEPEST: usize = 100;

/// The document in a text; `None` after its problem has been reported.
pub(super) fn parse<'t>(
    text: &'t str,
    source: &Source,
    problems: &mut Problems,
) -> Option<Document<'t>> {
    if let Some(start) = too_deep(text) {
        let span = Span { start, end: start + 1 };
        let draft = Draft::error(span, "elements too deep within each other");
        problems.push_in(source, draft.expected(format!("at most {DEEPEST} levels")));
        return None;
    }
    let options = ParsingOptions { nodes_limit: MOST_NODES, ..ParsingOptions::default() };
    match Document::parse_with_options(text, options) {
        Ok(document) => Some(document),
        Err(error) => {
            let place = error.pos();
            let lines = text.split_inclusive('\n').take(place.row.max(1) as usize - 1);
            let start = lines.map(str::len).sum::<usize>() + place.col.max(1) as usize - 1;
            let span = Span { start, end: start + 1 };
            let draft = Draft::error(span, format!("not XML: {error}"));
            problems.push_in(source, draft.expected("a description in URDF or MJCF"));
            None
        }
    }
}

/// Where elements are too deep within each other, by a count of tags that errs to the safe side.
fn too_deep(text: &str) -> Option<usize> {
    let (mut depth, bytes) = (0usize, text.as_bytes());
    for (at, _) in text.match_indices('<') {
        let next = bytes.get(at + 1).copied().unwrap_or(b' ');
        if next == b'/' {
            depth = depth.saturating_sub(1);
        } else if next != b'!' && next != b'?' {
            let end = text[at..].find('>').map_or(text.len(), |end| at + end);
            if end == 0 || bytes.get(end - 1) != Some(&b'/') {
                depth += 1;
            }
        }
        if depth > DEEPEST {
            return Some(at);
        }
    }
    None
}

/// Where an element is.
pub(super) fn span_of(node: Node) -> Span {
    node.range().into()
}

/// Reads elements and reports what is wrong with them.
pub(super) struct Xml<'p> {
    source: Source,
    problems: &'p mut Problems,
}

impl<'p> Xml<'p> {
    pub fn new(source: Source, problems: &'p mut Problems) -> Self {
        Self { source, problems }
    }

    pub fn push(&mut self, draft: Draft) {
        self.problems.push_in(&self.source, draft);
    }

    /// Reports a description of another kind.
    pub fn foreign(mut self, node: Node, found: &str) {
        let draft = Draft::error(span_of(node), "a description of an unknown kind");
        let draft = draft.found(format!("`<{found}>`"));
        self.push(draft.expected("`<robot>` (URDF) or `<mujoco>` (MJCF)"));
    }

    /// Warns of something that is left out.
    pub fn left_out(&mut self, span: Span, what: &str, help: &str) {
        self.push(Draft::warning(span, format!("{what} is left out")).help(help));
    }

    /// Looks at all elements within one: `taken` are read, `passed` mean nothing to mechanics, `left` are named as left out, and
    /// all others are unknown.
    pub fn children(&mut self, node: Node, taken: &[&str], passed: &[&str], left: &[&str]) {
        for child in node.children().filter(Node::is_element) {
            let name = child.tag_name().name();
            if taken.contains(&name) || passed.contains(&name) {
                continue;
            }
            let within = node.tag_name().name();
            if left.contains(&name) {
                let what = format!("`<{name}>` in `<{within}>`");
                self.left_out(span_of(child), &what, "nothing of it acts in the scene");
                continue;
            }
            let draft = Draft::warning(span_of(child), format!("unknown element in `<{within}>`"));
            let draft = draft.found(format!("`<{name}>`")).expected(listed(taken));
            self.push(draft.nearest(name, taken));
        }
    }

    /// An attribute that must be there.
    pub fn need<'a>(&mut self, node: Node<'a, '_>, name: &str) -> Option<&'a str> {
        let value = node.attribute(name);
        if value.is_none() {
            let tag = node.tag_name().name();
            let draft = Draft::error(span_of(node), format!("`<{tag}>` without `{name}`"));
            self.push(draft.expected(format!("`{name}=\"…\"`")));
        }
        value
    }

    /// Numbers of an attribute; `None` if it is not there, or wrong, which is reported.
    pub fn list(&mut self, node: Node, name: &str) -> Option<Vec<f64>> {
        let attribute = node.attribute_node(name)?;
        let words = attribute.value().split_ascii_whitespace();
        let numbers: Option<Vec<f64>> =
            words.map(|word| word.parse().ok().filter(|x: &f64| x.is_finite())).collect();
        if numbers.is_none() {
            let draft = Draft::error(
                attribute.range_value().into(),
                format!("`{name}` is no list of numbers"),
            );
            let draft = draft.found(format!("`{}`", attribute.value()));
            self.push(draft.expected("finite numbers with spaces between them"));
        }
        numbers
    }

    /// So many numbers.
    pub fn numbers<const N: usize>(&mut self, node: Node, name: &str) -> Option<[f64; N]> {
        let list = self.list(node, name)?;
        let found = list.len();
        let numbers = <[f64; N]>::try_from(list).ok();
        if numbers.is_none() {
            let draft = Draft::error(
                place(node, name),
                format!("`{name}` has too few or too many numbers"),
            );
            let numbers = if N == 1 { "1 number".to_owned() } else { format!("{N} numbers") };
            self.push(draft.found(format!("{found}")).expected(numbers));
        }
        numbers
    }

    pub fn number(&mut self, node: Node, name: &str) -> Option<f64> {
        self.numbers::<1>(node, name).map(|[number]| number)
    }

    pub fn vector(&mut self, node: Node, name: &str) -> Option<DVec3> {
        self.numbers::<3>(node, name).map(DVec3::from_array)
    }

    /// A direction of length 1.
    pub fn direction(&mut self, node: Node, name: &str) -> Option<DVec3> {
        let given = self.vector(node, name)?;
        if given.length() > 1e-100 {
            return Some(given / given.length());
        }
        let draft = Draft::error(place(node, name), "direction of length zero").found("zeros");
        self.push(draft.expected("numbers that are not all zero"));
        None
    }

    /// A number from zero on, or above zero.
    pub fn size(&mut self, node: Node, name: &str, zero: bool) -> Option<f64> {
        let number = self.number(node, name)?;
        if number > 0.0 || (zero && number == 0.0) {
            return Some(number);
        }
        let draft = Draft::error(place(node, name), format!("`{name}` is out of range"));
        let expected = if zero { "zero or more" } else { "more than zero" };
        self.push(draft.found(format!("{number}")).expected(expected));
        None
    }
}

/// Where an attribute's value is, or its element if there is none.
pub(super) fn place(node: Node, name: &str) -> Span {
    node.attribute_node(name).map_or_else(|| span_of(node), |a| a.range_value().into())
}
