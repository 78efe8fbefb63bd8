//! The formats, by name and by ending.

use std::path::Path;

/// A format of networks or graphs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// The Bayesian Interchange Format.
    Bif,
    /// The same in XML, version 0.3.
    Xmlbif,
    /// Hugin's NET.
    Net,
    /// Our own, which keeps everything.
    Json,
    /// Graphviz: the graph alone.
    Dot,
    /// A list of arcs: the graph alone, without isolated nodes.
    Edges,
    /// GraphML, which is written and not read.
    Graphml,
    /// A drawing, which is written and not read.
    Svg,
}

impl Format {
    /// All names, as options take them.
    pub const NAMES: &[&str] = &["bif", "xmlbif", "net", "json", "dot", "csv", "graphml", "svg"];

    /// The format of a name or an ending (without its dot).
    pub fn named(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "bif" => Format::Bif,
            "xmlbif" | "xml" | "bifxml" => Format::Xmlbif,
            "net" => Format::Net,
            "json" => Format::Json,
            "dot" | "gv" | "dagitty" => Format::Dot,
            "csv" | "tsv" => Format::Edges,
            "graphml" => Format::Graphml,
            "svg" => Format::Svg,
            _ => return None,
        })
    }

    /// The format that the ending names (before a `.gz`), or the ending in words.
    pub(super) fn of(path: &Path) -> Result<Self, String> {
        let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        let Some((_, ending)) = name.rsplit_once('.') else { return Err("a name without ending".into()) };
        Format::named(ending).ok_or_else(|| format!("the ending .{ending}"))
    }

    /// Whether the format keeps probabilities, so that it needs a network.
    pub(super) fn keeps_probabilities(self) -> bool {
        matches!(self, Format::Bif | Format::Xmlbif | Format::Net | Format::Json)
    }
}
