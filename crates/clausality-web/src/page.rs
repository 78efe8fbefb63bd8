//! The page: files that travel in the program.

use crate::joined::join;
use crate::reply::Ready;
use axum::response::Html;
use clausality::bn::draw;

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml; charset=utf-8";

const INDEX: &str = include_str!("../page/index.html");
const ICON: &str = include_str!("../page/icon.svg");
const STYLE: &str = include_str!("../page/app.css");
const MARKS: &str = include_str!("../page/marks.css");

macro_rules! scripts {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../page/", $name)))),*]
    };
}

/// The modules that the page is made of, whoever shows it.
const MODULES: [(&str, &str); 34] = scripts![
    "again.js",
    "api.js",
    "arcs.js",
    "command.js",
    "contrast.js",
    "decide.js",
    "download.js",
    "drawing.js",
    "edits.js",
    "element.js",
    "exam.js",
    "explorer.js",
    "findings.js",
    "fold.js",
    "graph.js",
    "known.js",
    "lights.js",
    "minimap.js",
    "node.js",
    "places.js",
    "route.js",
    "rows.js",
    "scenarios.js",
    "scenery.js",
    "search.js",
    "shelf.js",
    "store.js",
    "target.js",
    "time.js",
    "trail.js",
    "trial.js",
    "view.js",
    "walk.js",
    "words.js",
];

/// What a notebook adds to them: it begins with `widget.js`, as a page of its own begins with `app.js`.
const NOTEBOOK: [(&str, &str); 3] = scripts!["theme.js", "traits.js", "widget.js"];

/// What people see who are not let in: a page that needs no other file.
pub(crate) fn refused() -> Html<&'static str> {
    Html(include_str!("../page/refused.html"))
}

/// Paths and what is served there.
pub(crate) fn files() -> Vec<(String, Ready)> {
    let files = [
        ("", HTML, INDEX),
        ("icon.svg", SVG, ICON),
        ("app.css", CSS, STYLE),
        ("marks.css", CSS, MARKS),
        ("draw.css", CSS, draw::STYLE),
        ("app.js", SCRIPT, include_str!("../page/app.js")),
    ];
    let modules = MODULES.map(|(name, text)| (name, SCRIPT, text));
    let all = files.into_iter().chain(modules);
    all.map(|(name, kind, text)| (format!("/{name}"), Ready::new(kind, text))).collect()
}

/// The page as one ES module for a notebook: its default export is a widget in the manner of anywidget, `{ render({ model, el }) }`.
///
/// It needs no other file and no server. It asks by custom messages of the model, `{id, method, path, type, body}`, and expects
/// `{id, status, text}`: what [`Explorer::answer`](crate::Explorer::answer) gives. Of the model's traits it shares `selected` (the name of
/// a node, or nothing), `evidence` and `do` (node → state), and reads `height` (pixels).
///
/// # Panics
/// Where a file of the page cannot be joined, which a test sees to.
pub fn notebook_module() -> String {
    let assets = assets();
    let files = || MODULES.into_iter().chain(NOTEBOOK).chain([("assets.js", assets.as_str())]);
    let source = |name: &str| files().find(|(file, _)| *file == name).map(|(_, text)| text);
    join("widget.js", source).unwrap_or_else(|why| panic!("the page of the notebook: {why}"))
}

/// What a notebook has no files for, as a module.
fn assets() -> String {
    let notebook = include_str!("../page/notebook.css");
    let body = INDEX.split_once("<body").and_then(|(_, rest)| rest.split_once('>'));
    let body = body.and_then(|(_, rest)| rest.split_once("</body>")).map_or("", |(body, _)| body);
    let text = |name: &str, text: &str| {
        // Text in JSON is text in a script, too.
        format!("export const {name} = {};\n", serde_json::Value::from(text))
    };
    let styles = [draw::STYLE, MARKS, STYLE, notebook].join("\n");
    [text("icon", ICON), text("markup", body), text("styles", &styles)].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_notebook_has_the_whole_page_in_one_module() {
        let module = notebook_module();
        for (name, _) in MODULES.iter().chain(&NOTEBOOK) {
            assert!(module.contains(&format!("// {name}\n")), "{name} is imported by nobody");
        }
        assert!(!module.contains("\nimport ") && !module.contains(" from './"));
        let exports: Vec<&str> = module.lines().filter(|line| line.starts_with("export ")).collect();
        assert_eq!(exports, ["export default { render };"]);
        // The body of the page, not its head: a notebook has one.
        assert!(module.contains("id=\\\"canvas\\\"") && !module.contains("<script"));
        assert!(!module.replace("http://www.w3.org/", "").contains("://"), "nothing comes from elsewhere");
    }
}
