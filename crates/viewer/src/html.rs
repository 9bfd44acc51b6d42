//! The page and a run as one file.

use crate::{Show, page, page_beside};
use drystone_record::RecordError;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use serde_json::json;
use std::io::Write;
use std::path::Path;

/// How large a page has become.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HtmlSize {
    /// Frames in it.
    pub frames: usize,
    /// Frames of the run.
    pub of: usize,
    /// Bytes.
    pub bytes: usize,
    /// What is wrong with frames that could not be read, and were left out.
    pub damaged: Vec<String>,
}

/// Writes the page with at most `most` frames, at even distances in time. Damaged frames are left out and told; that
/// nothing could be read is an error.
pub fn write_html(show: &Show, most: usize, path: &Path) -> Result<HtmlSize, RecordError> {
    let (html, size) = alone(show, most, path)?;
    std::fs::write(path, &html).map_err(|source| write_error(path, source))?;
    Ok(size)
}

/// Writes the page with two runs side by side, each with at most `most` frames; sizes are those of both.
pub fn write_html_beside(
    shows: [&Show; 2],
    most: usize,
    path: &Path,
) -> Result<HtmlSize, RecordError> {
    let [(left, mut size), (right, other)] =
        [alone(shows[0], most, path)?, alone(shows[1], most, path)?];
    let html = page_beside(&json!([left, right]), "drystone");
    std::fs::write(path, &html).map_err(|source| write_error(path, source))?;
    size.frames += other.frames;
    size.of += other.of;
    size.damaged.extend(other.damaged);
    Ok(HtmlSize { bytes: html.len(), ..size })
}

/// The page with a run.
fn alone(show: &Show, most: usize, path: &Path) -> Result<(String, HtmlSize), RecordError> {
    let of = show.frames();
    let stride = of.div_ceil(most.max(1)).max(1);
    let (mut frames, mut places, mut damaged) = (Vec::new(), Vec::new(), Vec::new());
    let mut first = None;
    for index in (0..of).step_by(stride) {
        let block = match show.frame(index) {
            Ok(block) => block,
            Err(error) => {
                damaged.push(error.to_string());
                first.get_or_insert(error);
                continue;
            }
        };
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        let packed = encoder.write_all(&block).and_then(|()| encoder.finish());
        frames.push(base64(&packed.map_err(|source| write_error(path, source))?));
        places.push(index);
    }
    if let (true, Some(error)) = (frames.is_empty(), first) {
        return Err(error);
    }
    let count = frames.len();
    let html =
        page(&json!({ "run": show.run(None, Some(&places))?, "frames": frames }), "drystone");
    let size = HtmlSize { frames: count, of, bytes: html.len(), damaged };
    Ok((html, size))
}

fn write_error(path: &Path, source: std::io::Error) -> RecordError {
    RecordError::Write { path: path.to_owned(), source }
}

/// Base64 (RFC 4648, §4).
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |i: usize| u32::from(chunk.get(i).copied().unwrap_or(0));
        let word = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4 {
            let letter = LETTERS[(word >> (18 - 6 * i)) as usize & 63];
            text.push(if i <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test vectors of RFC 4648, §10.
    #[test]
    fn base64_of_the_standard() {
        let pairs =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        for (plain, text) in pairs {
            assert_eq!(base64(plain.as_bytes()), text);
        }
    }
}
