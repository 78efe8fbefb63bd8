//! Graphs as GraphML, for drawing programs and graph libraries; written, not read.
//!
//! A node's `id` is its name. The data keys are `label` (the name once more, for programs that show it), and, where there
//! are probabilities, `states`, `parents` and `rows` as JSON texts, with the meaning they have in [`crate::io::json`]. An arc that is
//! known to live mostly from gaps has the data `gaps`.

use super::Structure;
use super::xmlbif::{attribute, text};
use crate::{Error, Network};
use std::fmt::Write;

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
    <graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n";

/// The graph alone as GraphML.
///
/// # Errors
/// [`Error::Unwritable`] for a name with a character that XML does not have.
pub fn write(name: &str, structure: &Structure) -> Result<String, Error> {
    written(name, structure, None)
}

/// The network as GraphML, with its states and tables as data, and the marks of its arcs.
///
/// # Errors
/// As [`write()`].
pub fn write_network(network: &Network, structure: &Structure) -> Result<String, Error> {
    written(network.name(), structure, Some(network))
}

fn written(name: &str, structure: &Structure, network: Option<&Network>) -> Result<String, Error> {
    let mut out = String::from(HEAD);
    let keys: &[&str] = if network.is_some() { &["label", "states", "parents", "rows"] } else { &["label"] };
    for key in keys {
        let _ = writeln!(out, "  <key id=\"{key}\" for=\"node\" attr.name=\"{key}\" attr.type=\"string\"/>");
    }
    if structure.has_gap_arcs() {
        out.push_str("  <key id=\"gaps\" for=\"edge\" attr.name=\"gaps\" attr.type=\"boolean\"/>\n");
    }
    let _ = writeln!(out, "  <graph id=\"{}\" edgedefault=\"directed\">", attribute(name)?);
    for (node, name) in structure.names().iter().enumerate() {
        let _ = writeln!(out, "    <node id=\"{}\">", attribute(name)?);
        data(&mut out, "label", name)?;
        if let Some(network) = network {
            let schema = network.schema();
            let parents: Vec<&str> = network.parents(node).iter().map(|&p| schema.name(p)).collect();
            data(&mut out, "states", &list(&schema.variable(node).states))?;
            data(&mut out, "parents", &list(&parents))?;
            data(&mut out, "rows", &rows(network, node))?;
        }
        out.push_str("    </node>\n");
    }
    for (parent, child, gaps) in structure.marked_arcs() {
        let _ = write!(out, "    <edge source=\"{}\" target=\"{}\"", attribute(parent)?, attribute(child)?);
        out.push_str(if gaps { "><data key=\"gaps\">true</data></edge>\n" } else { "/>\n" });
    }
    out.push_str("  </graph>\n</graphml>\n");
    Ok(out)
}

fn data(out: &mut String, key: &str, value: &str) -> Result<(), Error> {
    let _ = writeln!(out, "      <data key=\"{key}\">{}</data>", text(value)?);
    Ok(())
}

fn list(texts: &[impl AsRef<str>]) -> String {
    let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
    serde_json::json!(texts).to_string()
}

/// The table, one list for each configuration of the parents.
fn rows(network: &Network, node: usize) -> String {
    let cpt = network.cpt(node);
    // Debug prints the shortest digits that read back as the same double, in a form that JSON knows.
    let row = |j: usize| format!("{:?}", cpt.written_row(j));
    format!("[{}]", (0..cpt.configurations()).map(row).collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cpt, Schema, Variable};

    #[test]
    fn a_network_is_written_with_its_tables() {
        let schema =
            Schema::new(vec![Variable::new("a <5", ["y", "n\""]), Variable::new("b", ["y", "n"])]).unwrap();
        let a = Cpt::new(&schema, 0, vec![], vec![0.25, 0.75]).unwrap();
        let b = Cpt::new(&schema, 1, vec![0], vec![1.0, 0.0, 1e-9, 0.999999999]).unwrap();
        let network = Network::new("t", schema, vec![a, b]).unwrap();
        let text = write_network(&network, &Structure::from(&network)).unwrap();
        for part in [
            "<graph id=\"t\" edgedefault=\"directed\">",
            "<node id=\"a &lt;5\">",
            "<data key=\"states\">[&quot;y&quot;,&quot;n\\&quot;&quot;]</data>",
            "<data key=\"rows\">[[1.0, 0.0],[1e-9, 0.999999999]]</data>",
            "<data key=\"parents\">[&quot;a &lt;5&quot;]</data>",
            "<edge source=\"a &lt;5\" target=\"b\"/>",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let marked = Structure::from(&network).marking_gaps([("a <5", "b"), ("b", "a <5"), ("no", "b")]);
        let marked = write_network(&network, &marked).unwrap();
        assert!(marked.contains("target=\"b\"><data key=\"gaps\">true</data></edge>"), "{marked}");
        assert_eq!(marked.matches("\"gaps\"").count(), 3, "a key and one arc: {marked}");
        let graph = write("t", &Structure::from(&network)).unwrap();
        assert!(graph.contains("<data key=\"label\">b</data>") && !graph.contains("rows"), "{graph}");
    }
}
