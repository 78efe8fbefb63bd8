//! A network to BIF text.

use super::DIALECT;
use crate::io::{numbers, quotes};
use crate::{Cpt, Network, Schema};
use std::fmt::Write;

/// The network as BIF. The same network always gives the same text, and reading it gives the same network back, with
/// the same doubles.
pub fn write(network: &Network) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = write_all(&mut out, network);
    out
}

fn write_all(out: &mut String, network: &Network) -> std::fmt::Result {
    let schema = network.schema();
    writeln!(out, "network {} {{\n}}", quoted(network.name()))?;
    for variable in schema.variables() {
        let states: Vec<String> = variable.states.iter().map(|s| quoted(s)).collect();
        writeln!(out, "variable {} {{", quoted(&variable.name))?;
        writeln!(out, "  type discrete [ {} ] {{ {} }};\n}}", states.len(), states.join(", "))?;
    }
    for (node, cpt) in network.cpts().iter().enumerate() {
        write_table(out, schema, node, cpt)?;
    }
    Ok(())
}

fn write_table(out: &mut String, schema: &Schema, node: usize, cpt: &Cpt) -> std::fmt::Result {
    let parents: Vec<String> = cpt.parents().iter().map(|&p| quoted(schema.name(p))).collect();
    write!(out, "probability ( {}", quoted(schema.name(node)))?;
    if parents.is_empty() {
        return writeln!(out, " ) {{\n  table {};\n}}", numbers(cpt.written_row(0), ", "));
    }
    writeln!(out, " | {} ) {{", parents.join(", "))?;
    let labels: Vec<Vec<String>> = cpt
        .parents()
        .iter()
        .map(|&p| schema.variable(p).states.iter().map(|s| quoted(s)).collect())
        .collect();
    let mut codes = vec![0u8; parents.len()];
    for _ in 0..cpt.configurations() {
        let states: Vec<&str> =
            codes.iter().zip(&labels).map(|(&code, labels)| labels[code as usize].as_str()).collect();
        let row = cpt.written_row(cpt.configuration(&codes));
        writeln!(out, "  ({}) {};", states.join(", "), numbers(row, ", "))?;
        advance(&mut codes, cpt.parent_states());
    }
    writeln!(out, "}}")
}

/// The next configuration with the first parent fastest.
fn advance(codes: &mut [u8], states: &[usize]) {
    for (code, &states) in codes.iter_mut().zip(states) {
        if usize::from(*code) + 1 < states {
            *code += 1;
            return;
        }
        *code = 0;
    }
}

/// A name as it must stand in the file: bare where every reader takes it so, else in quotes.
fn quoted(name: &str) -> String {
    const RESERVED: [&str; 8] =
        ["network", "variable", "probability", "property", "type", "discrete", "table", "default"];
    let awkward = |c: char| c.is_whitespace() || c.is_control() || c == '"' || DIALECT.marks.contains(c);
    let bare = !name.is_empty()
        && !name.contains(awkward)
        && !name.contains("//")
        && !name.contains("/*")
        && !RESERVED.contains(&name);
    if bare {
        return name.to_string();
    }
    quotes::write(name)
}
