//! A network to NET text.

use super::NAME;
use crate::io::{numbers, quotes};
use crate::{Cpt, Network, Schema};
use std::collections::{HashMap, HashSet};
use std::fmt::Write;

/// The network as NET. The same network always gives the same text, and reading it gives the same network back, with
/// the same doubles.
pub fn write(network: &Network) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = write_all(&mut out, network);
    out
}

fn write_all(out: &mut String, network: &Network) -> std::fmt::Result {
    let schema = network.schema();
    let words = words(schema);
    writeln!(out, "net\n{{\n    name = {};\n    node_size = (80 40);\n}}", quotes::write(network.name()))?;
    for (variable, word) in schema.variables().iter().zip(&words) {
        let states: Vec<String> = variable.states.iter().map(|s| quotes::write(s)).collect();
        writeln!(out, "\nnode {word}\n{{\n    states = ({});", states.join(" "))?;
        if *word != variable.name {
            let name = quotes::write(&variable.name);
            writeln!(out, "    label = {name};\n    {NAME} = {name};")?;
        }
        writeln!(out, "}}")?;
    }
    for (node, cpt) in network.cpts().iter().enumerate() {
        let parents: Vec<&str> = cpt.parents().iter().map(|&p| words[p].as_str()).collect();
        let bar = if parents.is_empty() { "" } else { " | " };
        writeln!(out, "\npotential ({}{bar}{})\n{{\n    data = ", words[node], parents.join(" "))?;
        write_data(out, cpt)?;
        writeln!(out, ";\n}}")?;
    }
    Ok(())
}

/// One row a line, with the brackets that open before it and close after it.
fn write_data(out: &mut String, cpt: &Cpt) -> std::fmt::Result {
    let states = cpt.parent_states();
    let (rows, depth) = (cpt.configurations(), states.len());
    for j in 0..rows {
        let codes = cpt.parent_codes(j);
        let digits = || codes.iter().map(|&code| usize::from(code)).zip(states).rev();
        // A list opens with the first states of its parent and all later ones, and closes with their last.
        let opens = digits().take_while(|&(code, _)| code == 0).count();
        let closes = digits().take_while(|&(code, &n)| code + 1 == n).count();
        let row = numbers(cpt.written_row(j), " ");
        write!(out, "{}{}({row})", " ".repeat(4 + depth - opens), "(".repeat(opens))?;
        write!(out, "{}{}", ")".repeat(closes), if j + 1 < rows { "\n" } else { "" })?;
    }
    Ok(())
}

/// An identifier for every variable: its name where that is one, else a word made from it, all different.
fn words(schema: &Schema) -> Vec<String> {
    let names = schema.variables().iter().map(|v| v.name.as_str());
    let mut taken: HashSet<String> = names.clone().filter(|n| is_identifier(n)).map(str::to_string).collect();
    let mut next: HashMap<String, usize> = HashMap::new();
    let mut word = |name: &str| {
        if is_identifier(name) {
            return name.to_string();
        }
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let mut base: String = name.chars().map(plain).collect();
        if !base.starts_with(|c: char| c.is_ascii_alphabetic()) {
            base.insert_str(0, "n_");
        }
        let number = next.entry(base.clone()).or_insert(1);
        loop {
            let word =
                if *number == 1 && is_identifier(&base) { base.clone() } else { format!("{base}_{number}") };
            *number += 1;
            if taken.insert(word.clone()) {
                return word;
            }
        }
    };
    names.map(&mut word).collect()
}

/// Whether Hugin takes the word for a node.
fn is_identifier(name: &str) -> bool {
    const RESERVED: [&str; 12] = [
        "net",
        "node",
        "potential",
        "class",
        "discrete",
        "continuous",
        "decision",
        "utility",
        "function",
        "instance",
        "data",
        "states",
    ];
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !RESERVED.contains(&name)
}
