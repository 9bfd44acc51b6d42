//! The page, put together from its parts.

use serde_json::Value;

const HTML: &str = include_str!("../page/page.html");
const BESIDE: &str = include_str!("../page/beside.html");
const STYLE: &str = include_str!("../page/page.css");
const SCRIPTS: [&str; 15] = [
    include_str!("../page/space.js"),
    include_str!("../page/data.js"),
    include_str!("../page/quantities.js"),
    include_str!("../page/framing.js"),
    include_str!("../page/walls.js"),
    include_str!("../page/shapes.js"),
    include_str!("../page/light.js"),
    include_str!("../page/draw.js"),
    include_str!("../page/solid.js"),
    include_str!("../page/marks.js"),
    include_str!("../page/chart.js"),
    include_str!("../page/strip.js"),
    include_str!("../page/picked.js"),
    include_str!("../page/controls.js"),
    include_str!("../page/main.js"),
];

/// The page with the data that it holds; with `null` it asks the server that it came from. Its scripts and styles are
/// marked with a word that tells browsers that they are its own.
pub fn page(data: &Value, nonce: &str) -> String {
    filled(HTML, &SCRIPTS.concat(), data, nonce)
}

/// The page that has two of them side by side, with one time: as texts in `data`, or with `null` those that the server has at
/// `0/` and `1/`.
pub fn page_beside(data: &Value, nonce: &str) -> String {
    filled(BESIDE, include_str!("../page/beside.js"), data, nonce)
}

fn filled(html: &str, script: &str, data: &Value, nonce: &str) -> String {
    // Nothing in the data may end the script that holds it.
    let data = data.to_string().replace('<', "\\u003c");
    // The data last: what it says is not looked at for marks.
    let html = html.replace("NONCE", nonce);
    let html = html.replace("/*STYLE*/", STYLE).replace("/*SCRIPT*/", script);
    html.replacen("/*DATA*/", &data, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_cannot_break_out_of_its_script() {
        let html = page(&serde_json::json!({ "title": "</script><b>/*DATA*/" }), "a1");
        assert_eq!(html.matches(" nonce=\"a1\">").count(), 3);
        assert!(html.contains("\\u003c/script>\\u003cb>") && !html.contains("/*SCRIPT*/"));
        assert_eq!(html.matches("</script>").count(), 2);
        assert!(html.starts_with("<!doctype html>"));
    }
}
