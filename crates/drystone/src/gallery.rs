//! A page of pictures and figures of several runs.

use drystone_record::run::Summary;
use std::fmt::Write as _;

/// A run that is shown.
#[derive(Clone, Debug)]
pub struct Exhibit {
    /// Name of its folder, and of its page without the ending.
    pub name: String,
    /// What the scene shows.
    pub description: String,
    /// When the scene would end.
    pub end: f64,
    /// How it went.
    pub summary: Summary,
    /// Size of its page, in bytes.
    pub page: u64,
}

/// The page, as HTML: beside it stand the folders of the runs and their pages.
pub fn gallery_page(exhibits: &[Exhibit]) -> String {
    let mut html = String::from(include_str!("gallery.html"));
    for exhibit in exhibits {
        card(&mut html, exhibit).expect("writing to a string does not fail");
    }
    html.push_str("</main>\n</html>\n");
    html
}

fn card(html: &mut String, exhibit: &Exhibit) -> std::fmt::Result {
    let Exhibit { name, summary: s, .. } = exhibit;
    let player = format!("{}.html", escaped(name));
    writeln!(html, "<article>\n<a href=\"{player}\">")?;
    // The last picture: what the scene has become.
    let picture = format!("{}/frames/{:06}.png", escaped(name), s.frames.saturating_sub(1));
    writeln!(
        html,
        "<img src=\"{picture}\" alt=\"{} at its end\" loading=\"lazy\"></a>",
        escaped(name)
    )?;
    writeln!(html, "<h2><a href=\"{player}\">{}</a></h2>", escaped(&s.scene))?;
    let sentence = exhibit.description.split_inclusive(". ").next().unwrap_or_default();
    writeln!(html, "<p>{}</p>\n<table>", escaped(sentence.trim()))?;
    let rows = [
        ("bodies", format!("{} ({}D)", s.bodies, s.dimension)),
        ("simulated", format!("{:.3} of {} s, {} steps", s.time, exhibit.end, s.steps)),
        ("computed in", format!("{:.2} s on {} threads", s.wall_seconds, s.threads)),
        ("contacts", format!("{:.0} mean, {} max", s.contacts.mean, s.contacts.max)),
        ("iterations", format!("{:.0} mean, {} max", s.iterations.mean, s.iterations.max)),
        (
            "residual",
            format!("{:.1e} max, {} steps not solved", s.residual.max, s.unconverged_steps),
        ),
        ("energy closure", format!("{:.1e}", s.energy.closure_max)),
        ("page", format!("{:.1} MB", exhibit.page as f64 / 1e6)),
    ];
    for (label, value) in rows {
        writeln!(html, "<tr><td>{label}</td><td>{value}</td></tr>")?;
    }
    let folder = escaped(name);
    writeln!(
        html,
        "</table>\n<p class=\"links\"><a href=\"{folder}/energy.svg\">energy</a> \
         <a href=\"{folder}/solver.svg\">solver</a> <a href=\"{folder}/forces.png\">forces</a> \
         <a href=\"{folder}/scene.toml\">scene</a></p>\n</article>"
    )
}

/// A text as HTML needs it.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
