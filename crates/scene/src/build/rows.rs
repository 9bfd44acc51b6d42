//! Files that a scene names, and tables of numbers in them.
//!
//! Lines without cells and lines that start with `#` are passed over, and so is the first line if none of
//! its cells is a number: it names the columns.

use super::Builder;
use super::dimension::SceneSpace;
use crate::plain::Text;
use crate::report::{Draft, Source};
use miette::NamedSource;
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// Bad lines of a table beyond these many are not told of: the rest is likely the same.
const LISTED: usize = 5;

/// A line of a table, as places in the whole text.
pub(super) struct Row {
    pub line: Range<usize>,
    pub cells: Vec<Range<usize>>,
}

impl<S: SceneSpace> Builder<'_, S> {
    /// The text of a file that the scene names; `None` after a problem, which says what was expected in it.
    pub(super) fn read(&mut self, file: &Text, expected: &str) -> Option<String> {
        let read = self.around.files.read(&file.value);
        self.was_read(file, expected, read)
    }

    /// The same with whatever is in it.
    pub(super) fn read_bytes(&mut self, file: &Text, expected: &str) -> Option<Vec<u8>> {
        let read = self.around.files.read_bytes(&file.value);
        self.was_read(file, expected, read)
    }

    fn was_read<T>(&mut self, file: &Text, expected: &str, read: io::Result<T>) -> Option<T> {
        let files = &self.around.files;
        let draft = Draft::error(file.span, format!("`{}` cannot be read", file.value));
        let draft = match read {
            Ok(content) => return Some(content),
            Err(_) if !files.allowed() => draft.help("this scene is not read from a file"),
            Err(error) => {
                let path = files.path(&file.value);
                let expected = format!("{expected} at `{}`", path.display());
                draft.found(error.to_string()).expected(expected)
            }
        };
        self.problems.push(draft);
        None
    }

    /// What `make` makes of each row of a table, and the table for problems that are found later. `None` after
    /// problems; a table without rows is one, and `expected` says what its lines should be.
    pub(super) fn rows<T>(
        &mut self,
        file: &Text,
        skip: usize,
        expected: &str,
        make: impl Fn(&Self, &str, &Row) -> Result<T, Draft>,
    ) -> Option<(Vec<T>, Source)> {
        let text = self.read(file, "a table")?;
        // Some programs mark the start of a text; it is no part of the first cell.
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let path = self.around.files.path(&file.value).display().to_string();
        let source: Source = NamedSource::new(path, Arc::from(text));
        let (mut made, mut problems) = (Vec::new(), 0);
        for row in table(text, skip) {
            match make(self, text, &row) {
                Ok(value) => made.push(value),
                Err(draft) => {
                    self.problems.push_in(&source, draft);
                    problems += 1;
                    if problems == LISTED {
                        break;
                    }
                }
            }
        }
        if made.is_empty() && problems == 0 {
            let draft = Draft::error((0..0).into(), "table without numbers");
            self.problems.push_in(&source, draft.expected(expected));
            problems = 1;
        }
        (problems == 0).then_some((made, source))
    }
}

/// The rows of numbers in a text.
fn table(text: &str, skip: usize) -> impl Iterator<Item = Row> {
    let mut next = 0;
    let lines = text.split_inclusive('\n').map(move |line| {
        let start = next;
        next += line.len();
        Row { line: start..start + line.trim_end().len(), cells: cells(line, start) }
    });
    let told =
        |row: &Row| !row.cells.is_empty() && !text[row.line.clone()].trim_start().starts_with('#');
    let names = |row: &Row| row.cells.iter().all(|c| text[c.clone()].parse::<f64>().is_err());
    let rows = lines.skip(skip).filter(told).enumerate();
    rows.filter(move |(place, row)| *place > 0 || !names(row)).map(|(_, row)| row)
}

/// The cells of a line that starts at a place: between commas, semicolons and blanks. Between two commas or
/// semicolons a cell may be empty.
fn cells(line: &str, start: usize) -> Vec<Range<usize>> {
    let mut cells = Vec::new();
    let mut next = start;
    for part in line.trim_end().split([',', ';']) {
        let offset = next;
        next += part.len() + 1;
        let words = part.split_whitespace().map(|word| {
            let place = offset + (word.as_ptr() as usize - part.as_ptr() as usize);
            place..place + word.len()
        });
        let before = cells.len();
        cells.extend(words);
        if cells.len() == before && !line.trim().is_empty() {
            cells.push(offset..offset);
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_keep_their_place() {
        let told = |text: &'static str| -> Vec<&str> {
            cells(text, 0).into_iter().map(|c| &text[c]).collect()
        };
        assert_eq!(told("0, 1.5 ;\t x"), ["0", "1.5", "x"]);
        assert_eq!(told("0,,x\r\n"), ["0", "", "x"]);
        assert_eq!(told(" 1 2\t3 \n"), ["1", "2", "3"]);
        assert!(told(" \n").is_empty());
    }

    #[test]
    fn rows_are_lines_with_numbers() {
        let text = "head\n# said\n\ntime, value\n0, 1\n  # more\n2 3\nx y\n";
        let lines: Vec<&str> = table(text, 1).map(|row| &text[row.line]).collect();
        assert_eq!(lines, ["0, 1", "2 3", "x y"]);
    }
}
