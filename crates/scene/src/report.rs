//! What is wrong with a scene, and where: problems, and the report that lists them all.
//!
//! [`Report`]'s `Display` is plain text, the same on every machine; for terminals, [`Report`] and
//! [`Problem`] implement [`miette::Diagnostic`].

use drystone_space::math;
use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};
use std::fmt;
use std::sync::Arc;

/// A stretch of the source, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    pub start: usize,
    pub end: usize,
}

impl From<std::ops::Range<usize>> for Span {
    fn from(range: std::ops::Range<usize>) -> Self {
        Self { start: range.start, end: range.end }
    }
}

/// A number with at most four digits.
pub(crate) fn short(number: f64) -> String {
    if number == 0.0 || (1e-3..1e6).contains(&number.abs()) {
        let digits = 3 - math::log10(number.abs().max(1e-3)).floor() as i32;
        let text = format!("{number:.*}", digits.max(0) as usize);
        return match text.contains('.') {
            true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
            false => text,
        };
    }
    let text = format!("{number:.3e}");
    match text.split_once('e') {
        Some((digits, exponent)) => {
            format!("{}e{exponent}", digits.trim_end_matches('0').trim_end_matches('.'))
        }
        None => text,
    }
}

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The scene cannot be run.
    Error,
    /// The scene can be run, but probably does not say what was meant.
    Warning,
}

/// A named text, shared by the problems found in it.
pub(crate) type Source = NamedSource<Arc<str>>;

/// One problem of a scene and its place.
#[derive(Clone, Debug)]
pub struct Problem {
    severity: Severity,
    message: String,
    found: Option<String>,
    expected: Option<String>,
    help: Option<String>,
    span: Span,
    line: usize,
    column: usize,
    source: Source,
}

/// A problem before it is placed in its source.
#[derive(Debug)]
pub(crate) struct Draft {
    severity: Severity,
    message: String,
    found: Option<String>,
    expected: Option<String>,
    help: Option<String>,
    span: Span,
}

impl Draft {
    pub fn error(span: Span, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { severity: Severity::Error, message, found: None, expected: None, help: None, span }
    }
    pub fn warning(span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(span, message) }
    }
    pub fn found(mut self, found: impl Into<String>) -> Self {
        self.found = Some(found.into());
        self
    }
    pub fn expected(mut self, expected: impl Into<String>) -> Self {
        self.expected = Some(expected.into());
        self
    }
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
    /// Adds `did you mean …?` if there is a near word.
    pub fn nearest(self, word: &str, among: &[&str]) -> Self {
        match crate::suggest::nearest(word, among) {
            Some(near) => self.help(format!("did you mean `{near}`?")),
            None => self,
        }
    }
}

/// Problems of one scene as they are collected.
#[derive(Debug)]
pub(crate) struct Problems {
    source: Source,
    list: Vec<Problem>,
    errors: usize,
    warnings: usize,
}

/// Problems beyond these many are counted and not listed.
const LISTED: usize = 100;

impl Problems {
    pub fn new(source: Source) -> Self {
        Self { source, list: Vec::new(), errors: 0, warnings: 0 }
    }
    /// Adds a problem of the scene file.
    pub fn push(&mut self, draft: Draft) {
        let source = self.source.clone();
        self.push_in(&source, draft);
    }
    /// Adds a problem of another file.
    pub fn push_in(&mut self, source: &Source, draft: Draft) {
        match draft.severity {
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
        }
        if self.list.len() >= LISTED {
            return;
        }
        let (line, column) = place(source.inner(), draft.span.start);
        let Draft { severity, message, found, expected, help, span } = draft;
        let source = source.clone();
        self.list.push(Problem {
            severity,
            message,
            found,
            expected,
            help,
            span,
            line,
            column,
            source,
        });
    }
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }
    /// How many errors there are so far.
    pub fn errors(&self) -> usize {
        self.errors
    }
    /// The report, in the order of the file; problems of other files come last.
    pub fn into_report(mut self) -> Report {
        let scene = self.source.name().to_owned();
        self.list.sort_by_key(|p| (p.source.name() != scene, p.span.start, p.span.end));
        Report { problems: self.list, errors: self.errors, warnings: self.warnings }
    }
}

/// The last start of a character at or before a byte.
fn boundary(text: &str, byte: usize) -> usize {
    (0..=byte.min(text.len())).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0)
}

/// Line and column, both from 1, of a byte of the text; a column is a character.
fn place(text: &str, byte: usize) -> (usize, usize) {
    let byte = boundary(text, byte);
    let before = &text[..byte];
    let start = before.rfind('\n').map_or(0, |i| i + 1);
    (before.matches('\n').count() + 1, before[start..].chars().count() + 1)
}

impl Problem {
    /// Error or warning.
    pub fn severity(&self) -> Severity {
        self.severity
    }
    /// What is wrong, in one line.
    pub fn message(&self) -> &str {
        &self.message
    }
    /// What stands there.
    pub fn found(&self) -> Option<&str> {
        self.found.as_deref()
    }
    /// What could stand there.
    pub fn expected(&self) -> Option<&str> {
        self.expected.as_deref()
    }
    /// What to do about it.
    pub fn suggestion(&self) -> Option<&str> {
        self.help.as_deref()
    }
    /// The file.
    pub fn file(&self) -> &str {
        self.source.name()
    }
    /// Line, from 1.
    pub fn line(&self) -> usize {
        self.line
    }
    /// Column in characters, from 1.
    pub fn column(&self) -> usize {
        self.column
    }
    /// How many characters of its line stand in the place; 0 where it is not said.
    pub fn length(&self) -> usize {
        let text = self.source.inner();
        let place = boundary(text, self.span.start)..boundary(text, self.span.end);
        text.get(place).and_then(|t| t.lines().next()).map_or(0, |line| line.chars().count())
    }
}

/// Longest piece of a source line that is shown, in characters.
const WIDEST: usize = 100;

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        writeln!(f, "{severity}: {}", self.message)?;
        let number = self.line.to_string();
        let margin = " ".repeat(number.len());
        writeln!(f, "{margin}--> {}:{}:{}", self.file(), self.line, self.column)?;
        if let Some(line) = self.source.inner().lines().nth(self.line - 1) {
            let (line, skipped) = window(line, self.column - 1);
            let start = self.column - 1 - skipped;
            let room = line.chars().count().saturating_sub(start);
            let carets = self.length().min(room).max(1);
            writeln!(f, "{margin} |")?;
            writeln!(f, "{number} | {line}")?;
            write!(f, "{margin} | {}{}", " ".repeat(start), "^".repeat(carets))?;
            match &self.found {
                Some(found) => writeln!(f, " found {found}")?,
                None => writeln!(f)?,
            }
        } else if let Some(found) = &self.found {
            writeln!(f, "{margin} = found: {found}")?;
        }
        if let Some(expected) = &self.expected {
            writeln!(f, "{margin} = expected: {expected}")?;
        }
        if let Some(help) = &self.help {
            writeln!(f, "{margin} = help: {help}")?;
        }
        Ok(())
    }
}

/// The part of a line around a column, tabs as single spaces, and how many characters precede it.
fn window(line: &str, column: usize) -> (String, usize) {
    let skipped = if column < WIDEST - 20 { 0 } else { column - 40 };
    let visible = |c: char| if c.is_control() { ' ' } else { c };
    (line.chars().skip(skipped).take(WIDEST).map(visible).collect(), skipped)
}

impl std::error::Error for Problem {}

impl Diagnostic for Problem {
    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
        })
    }
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        let expected = self.expected.as_ref().map(|e| format!("expected: {e}"));
        let lines: Vec<String> = expected.into_iter().chain(self.help.clone()).collect();
        (!lines.is_empty()).then(|| Box::new(lines.join("\n")) as Box<dyn fmt::Display>)
    }
    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.source)
    }
    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let label = self.found.as_ref().map(|found| format!("found {found}"));
        let length = self.span.end.saturating_sub(self.span.start);
        Some(Box::new(std::iter::once(LabeledSpan::new(label, self.span.start, length))))
    }
}

/// All problems of a scene.
#[derive(Clone, Debug, Default)]
pub struct Report {
    problems: Vec<Problem>,
    errors: usize,
    warnings: usize,
}

impl Report {
    /// The problems in the order of the file; at most 100.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
    /// Number of errors, listed or not.
    pub fn errors(&self) -> usize {
        self.errors
    }
    /// Number of warnings, listed or not.
    pub fn warnings(&self) -> usize {
        self.warnings
    }
    /// A line such as `2 errors, 1 warning`.
    pub fn summary(&self) -> String {
        let mut parts = Vec::new();
        for (count, noun) in [(self.errors, "error"), (self.warnings, "warning")] {
            if count > 0 {
                parts.push(format!("{count} {noun}{}", if count == 1 { "" } else { "s" }));
            }
        }
        let unlisted = self.errors + self.warnings - self.problems.len();
        if unlisted > 0 {
            parts.push(format!("{unlisted} of them not listed"));
        }
        if parts.is_empty() { "no problems".to_owned() } else { parts.join(", ") }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for problem in &self.problems {
            writeln!(f, "{problem}")?;
        }
        write!(f, "{}", self.summary())
    }
}

impl std::error::Error for Report {}

impl Diagnostic for Report {
    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        Some(Box::new(self.problems.iter().map(|p| p as &dyn Diagnostic)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_characters_from_one() {
        assert_eq!(place("ab\nçd", 0), (1, 1));
        assert_eq!(place("ab\nçd", 5), (2, 2));
        assert_eq!(place("ab\nçd", 99), (2, 3));
    }

    #[test]
    fn a_terminal_sees_the_same_place() {
        let source = NamedSource::new("a.toml", Arc::from("x = 1\nfricton = -2\n"));
        let mut problems = Problems::new(source);
        let draft = Draft::error(Span { start: 16, end: 18 }, "`friction` is out of range");
        problems.push(draft.found("-2").expected("zero or more"));
        let mut text = String::new();
        let handler = miette::NarratableReportHandler::new();
        handler.render_report(&mut text, &problems.into_report().problems()[0]).unwrap();
        assert!(text.contains("`friction` is out of range"), "{text}");
        assert!(text.contains("label at line 2, columns 11 to 12: found -2"), "{text}");
        assert!(text.contains("expected: zero or more"), "{text}");
    }

    #[test]
    fn numbers_are_shown_with_four_digits() {
        let shown: Vec<String> =
            [0.0, 0.05, 1256.637, -0.33333, 2e9, 1e-7, 123456.0].map(short).to_vec();
        assert_eq!(shown, ["0", "0.05", "1257", "-0.3333", "2e9", "1e-7", "123456"]);
    }

    #[test]
    fn a_problem_shows_its_line() {
        let source = NamedSource::new("a.toml", Arc::from("x = 1\nfricton = -2\n"));
        let mut problems = Problems::new(source);
        let span = Span { start: 6, end: 13 };
        problems
            .push(Draft::error(span, "unknown key `fricton`").nearest("fricton", &["friction"]));
        let expected = "error: unknown key `fricton`\n --> a.toml:2:1\n  |\n\
            2 | fricton = -2\n  | ^^^^^^^\n  = help: did you mean `friction`?\n\n1 error";
        assert_eq!(problems.into_report().to_string(), expected);
    }
}
