//! What in a text is no TOML, told once for each statement that is at fault: the rest is read all the same, so that its
//! mistakes are told in the same pass.
//!
//! A parser that goes on behind a mistake takes what follows for something else, and has twenty more for one bracket that
//! is missing. So a statement that is at fault is blanked, and the text parsed again without it: what is told next
//! is another mistake.

use crate::report::{Draft, Problems};
use std::borrow::Cow;
use std::ops::Range;
use toml::de::DeTable;

/// Statements at fault that are told of.
const LISTED: usize = 10;
/// Lines before a mistake in which its statement may begin.
const LONGEST: usize = 200;

/// The text with blanks in place of what is no TOML, which is reported; all places stay what they are.
pub(crate) fn mend<'t>(text: &'t str, problems: &mut Problems) -> Cow<'t, str> {
    let mut mended = Cow::Borrowed(text);
    for _ in 0..LISTED {
        let Some((place, message)) = first_mistake(&mended) else { return mended };
        let statement = statement(&mended, place.start);
        let mut draft = Draft::error(place.clone().into(), format!("not TOML: {message}"));
        if decimal_comma(&mended, place.start) {
            draft = draft.found("a comma").expected("a point: decimals are written `0.5`");
        }
        problems.push(draft);
        let blank: String = mended[statement.clone()]
            .bytes()
            .map(|byte| if byte == b'\n' { '\n' } else { ' ' })
            .collect();
        mended.to_mut().replace_range(statement, &blank);
    }
    // More mistakes than are told: nothing of the text is to be relied on.
    Cow::Owned(String::new())
}

/// Where the first mistake is, and what it is.
fn first_mistake(text: &str) -> Option<(Range<usize>, String)> {
    let (_, errors) = DeTable::parse_recoverable(text);
    let error = errors.first()?;
    let message = error.message().lines().next().unwrap_or_default().to_owned();
    Some((error.span().unwrap_or_default(), message))
}

/// The lines of the statement that a mistake belongs to. It may have begun before: an array without its end is noticed
/// where the next key comes. It ends where another begins.
fn statement(text: &str, mistake: usize) -> Range<usize> {
    let mistake = floor(text, mistake.min(text.len().saturating_sub(1)));
    let line = text[..mistake].rfind('\n').map_or(0, |end| end + 1);
    let before = text[..line].match_indices('\n').rev().skip(1).map(|(end, _)| end + 1);
    let starts = std::iter::once(line).chain(before).chain([0]).take(LONGEST);
    // What stands before the statement is whole by itself.
    let whole = |start: &usize| DeTable::parse_recoverable(&text[..*start]).1.is_empty();
    let start = starts.filter(|&start| start <= line).find(whole).unwrap_or(line);
    let next = text[start..].match_indices('\n').map(|(end, _)| start + end + 1);
    let end = next.filter(|&next| next > start).find(|&next| begins(&text[next..]));
    start..end.unwrap_or(text.len())
}

/// The start of the letter that a byte belongs to.
fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Whether a line looks like the begin of a statement: `key =`, `[table]` or `[[list]]`.
fn begins(line: &str) -> bool {
    let line = line.lines().next().unwrap_or_default().trim_start();
    let name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '"' | ' ');
    let table = line.strip_prefix("[[").or_else(|| line.strip_prefix('['));
    match table {
        Some(rest) => rest.starts_with(|c: char| c.is_ascii_alphabetic()),
        None => {
            line.split_once('=').is_some_and(|(key, _)| !key.is_empty() && key.chars().all(name))
        }
    }
}

/// Whether the line at this byte has a number with a comma in it, outside of lists and text.
fn decimal_comma(text: &str, at: usize) -> bool {
    let start = text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
    let Some((_, value)) = text.get(start..).and_then(|rest| rest.lines().next()?.split_once('='))
    else {
        return false;
    };
    let value = value.trim();
    let number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let (whole, decimals) = value.split_once(',').unwrap_or(("", ""));
    let decimals = decimals.split(['e', 'E', ' ', '#']).next().unwrap_or("");
    number(whole.trim_start_matches(['-', '+'])) && number(decimals)
}

#[cfg(test)]
mod tests {
    use super::*;
    use miette::NamedSource;
    use std::sync::Arc;

    fn mended(text: &str) -> (String, usize) {
        let mut problems = Problems::new(NamedSource::new("t", Arc::from(text)));
        let mended = mend(text, &mut problems).into_owned();
        (mended, problems.errors())
    }

    #[test]
    fn each_statement_at_fault_is_told_once() {
        let text =
            "a = 1\ng = [0, -9.81\nb = 2\n[time]\nstep = 0,001\nend = 1\n[[body]]\nn = \"x\n";
        let (left, errors) = mended(text);
        assert_eq!(errors, 3, "{left}");
        assert_eq!(left.len(), text.len());
        let kept: Vec<&str> = left.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        assert_eq!(kept, ["a = 1", "b = 2", "[time]", "end = 1", "[[body]]"]);
    }

    #[test]
    fn a_list_over_many_lines_is_one_statement() {
        let text = "p = [\n  [0, 1],\n  [0 2],\n  { x = 1 },\n]\nq = 3\né = 4\n";
        let (left, errors) = mended(text);
        assert!(errors == 2 && left.contains("q = 3") && !left.contains("[0, 1]"), "{left}");
    }

    #[test]
    fn what_is_no_toml_at_all_ends() {
        let (left, errors) = mended(&"%%% é\n".repeat(1000));
        assert!(errors <= LISTED && left.trim().is_empty());
        assert_eq!(mended("a = 1\n"), ("a = 1\n".to_owned(), 0));
        assert_eq!(mended("").1, 0);
    }
}
