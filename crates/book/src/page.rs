//! A page of Markdown as HTML, with headings that can be linked to.

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html};
use std::collections::BTreeMap;

/// A heading of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// From 1 to 6.
    pub level: usize,
    /// What links to it name after `#`.
    pub anchor: String,
    /// What it says.
    pub title: String,
    /// The words below it, up to the next heading.
    pub text: String,
}

/// The name of a heading in links, as repositories make it: small letters, digits, hyphens for blanks.
fn anchor(title: &str) -> String {
    let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The page as HTML, and its headings. `link` says where a link or a picture of the page leads.
pub fn render(text: &str, link: impl Fn(&str) -> String) -> (String, Vec<Heading>) {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_FOOTNOTES;
    let mut headings: Vec<Heading> = Vec::new();
    let (mut events, mut within) = (Vec::new(), None);
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for event in Parser::new_ext(text, options) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                within = Some(events.len());
                headings.push(Heading {
                    level: level as usize,
                    anchor: String::new(),
                    title: String::new(),
                    text: String::new(),
                });
                events.push(Event::Text(CowStr::from("")));
            }
            Event::End(TagEnd::Heading(level)) => {
                if let (Some(at), Some(heading)) = (within.take(), headings.last_mut()) {
                    let name = anchor(&heading.title);
                    let times = known.entry(name.clone()).or_insert(0);
                    heading.anchor = if *times == 0 { name } else { format!("{name}-{times}") };
                    *times += 1;
                    let name = &heading.anchor;
                    events[at] =
                        Event::Html(format!("<{level} id=\"{name}\"><a href=\"#{name}\">").into());
                    events.push(Event::Html(format!("</a></{level}>\n").into()));
                }
            }
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                let dest_url = link(&dest_url).into();
                events.push(Event::Start(Tag::Link { link_type, dest_url, title, id }));
            }
            Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
                let dest_url = link(&dest_url).into();
                events.push(Event::Start(Tag::Image { link_type, dest_url, title, id }));
            }
            other => {
                if let (Event::Text(words) | Event::Code(words), Some(heading)) =
                    (&other, headings.last_mut())
                {
                    let place =
                        if within.is_some() { &mut heading.title } else { &mut heading.text };
                    place.push_str(words);
                    if within.is_none() {
                        place.push(' ');
                    }
                }
                events.push(other);
            }
        }
    }
    let mut page = String::new();
    html::push_html(&mut page, events.into_iter());
    // Wide tables move within the page, and not the page with them.
    let page = page
        .replace("<table>", "<div class=\"wide\"><table>")
        .replace("</table>", "</table></div>");
    (page, headings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_have_the_anchors_that_links_name() {
        let text = "# Not `right` yet: A-CD²\n\nwords *and*\n\n## Same\n\n## Same\n";
        let (page, headings) = render(text, |link| link.to_owned());
        let anchors: Vec<&str> = headings.iter().map(|h| h.anchor.as_str()).collect();
        assert_eq!(anchors, ["not-right-yet-a-cd²", "same", "same-1"]);
        assert_eq!((headings[0].level, headings[0].text.as_str()), (1, "words  and "));
        let head = "<h1 id=\"not-right-yet-a-cd²\"><a href=\"#not-right-yet-a-cd²\">Not <code>right</code>";
        assert!(page.starts_with(head), "{page}");
    }

    #[test]
    fn links_lead_where_they_are_told() {
        let (page, _) =
            render("[a](b.md#c) ![d](e.png)\n\n| x |\n|---|\n| y |\n", |l| format!("to/{l}"));
        assert!(page.contains("href=\"to/b.md#c\"") && page.contains("src=\"to/e.png\""), "{page}");
        assert!(page.contains("<div class=\"wide\"><table>"), "{page}");
    }
}
