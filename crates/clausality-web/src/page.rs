//! The page: files that travel in the program.

use crate::reply::Ready;
use axum::response::Html;
use clausality::bn::draw;

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml; charset=utf-8";

/// What people see who are not let in: a page that needs no other file.
pub(crate) fn refused() -> Html<&'static str> {
    Html(include_str!("../page/refused.html"))
}

/// Paths and what is served there.
pub(crate) fn files() -> Vec<(&'static str, Ready)> {
    macro_rules! script {
        ($name:literal) => {
            (concat!("/", $name), SCRIPT, include_str!(concat!("../page/", $name)))
        };
    }
    let files = [
        ("/", HTML, include_str!("../page/index.html")),
        ("/icon.svg", SVG, include_str!("../page/icon.svg")),
        ("/app.css", CSS, include_str!("../page/app.css")),
        ("/marks.css", CSS, include_str!("../page/marks.css")),
        ("/draw.css", CSS, draw::STYLE),
        script!("api.js"),
        script!("app.js"),
        script!("command.js"),
        script!("download.js"),
        script!("drawing.js"),
        script!("element.js"),
        script!("graph.js"),
        script!("known.js"),
        script!("lights.js"),
        script!("node.js"),
        script!("rows.js"),
        script!("search.js"),
        script!("store.js"),
        script!("view.js"),
        script!("walk.js"),
        script!("words.js"),
    ];
    files.into_iter().map(|(path, kind, text)| (path, Ready::new(kind, text))).collect()
}
