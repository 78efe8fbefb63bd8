//! A network to JSON text.

use super::{Extra, FORMAT};
use crate::io::numbers;
use crate::{Network, Scale};
use serde_json::{Value, json};
use std::ops::Range;

/// The network as JSON. The same network always gives the same text, and reading it gives the same network back, with
/// the same doubles.
pub fn write(network: &Network) -> String {
    write_with_extra(network, &Extra::new())
}

/// The network as JSON with what its maker wants to keep with it (left out if there is nothing).
pub fn write_with_extra(network: &Network, extra: &Extra) -> String {
    let mut out = format!("{{\n  \"format\": {},\n  \"name\": {},\n", json!(FORMAT), json!(network.name()));
    write_nodes(&mut out, "nodes", network, 0..network.len());
    write_end(&mut out, extra);
    out
}

/// A list of nodes under a key.
pub(super) fn write_nodes(out: &mut String, key: &str, network: &Network, nodes: Range<usize>) {
    out.push_str(&format!("  \"{key}\": ["));
    let mut separator = "\n";
    for node in nodes {
        out.push_str(std::mem::replace(&mut separator, ",\n"));
        write_node(out, network, node);
    }
    out.push_str("\n  ]");
}

/// What the maker keeps, if it is anything, and the end.
pub(super) fn write_end(out: &mut String, extra: &Extra) {
    if !extra.is_empty() {
        let extra = format!("{:#}", Value::Object(extra.clone()));
        out.push_str(&format!(",\n  \"extra\": {}", extra.replace('\n', "\n  ")));
    }
    out.push_str("\n}\n");
}

fn write_node(out: &mut String, network: &Network, node: usize) {
    let variable = network.schema().variable(node);
    let cpt = network.cpt(node);
    let parents: Vec<&str> = cpt.parents().iter().map(|&p| network.schema().name(p)).collect();
    out.push_str(&format!("    {{\n      \"name\": {},\n", json!(variable.name)));
    out.push_str(&format!("      \"states\": {},\n", list(&variable.states)));
    match variable.scale {
        Scale::Nominal => {}
        Scale::Ordered => out.push_str("      \"scale\": \"ordered\",\n"),
        Scale::Circular => out.push_str("      \"scale\": \"circular\",\n"),
    }
    if variable.has_missing_state {
        out.push_str("      \"missing_state\": true,\n");
    }
    out.push_str(&format!("      \"parents\": {},\n      \"rows\": [", list(&parents)));
    for j in 0..cpt.configurations() {
        let end = if j == 0 { "" } else { "," };
        out.push_str(&format!("{end}\n        [{}]", numbers(cpt.written_row(j), ", ")));
    }
    out.push_str("\n      ]\n    }");
}

/// Texts on one line.
fn list(texts: &[impl AsRef<str>]) -> String {
    let quoted: Vec<String> = texts.iter().map(|text| json!(text.as_ref()).to_string()).collect();
    format!("[{}]", quoted.join(", "))
}
