//! A network to XMLBIF text.

use crate::io::numbers;
use crate::{Error, Network};
use std::fmt::Write;

/// The network as XMLBIF 0.3. The same network always gives the same text, and reading it gives the same network back,
/// with the same doubles.
///
/// # Errors
/// [`Error::Unwritable`] for a name or state with a character that XML does not have.
pub fn write(network: &Network) -> Result<String, Error> {
    let schema = network.schema();
    let mut out =
        String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<BIF VERSION=\"0.3\">\n<NETWORK>\n");
    element(&mut out, "", "NAME", network.name())?;
    for variable in schema.variables() {
        out.push_str("<VARIABLE TYPE=\"nature\">\n");
        element(&mut out, "  ", "NAME", &variable.name)?;
        for state in &variable.states {
            element(&mut out, "  ", "OUTCOME", state)?;
        }
        out.push_str("</VARIABLE>\n");
    }
    for (node, cpt) in network.cpts().iter().enumerate() {
        out.push_str("<DEFINITION>\n");
        element(&mut out, "  ", "FOR", schema.name(node))?;
        for &parent in cpt.parents() {
            element(&mut out, "  ", "GIVEN", schema.name(parent))?;
        }
        let rows: Vec<String> = (0..cpt.configurations()).map(|j| numbers(cpt.written_row(j), " ")).collect();
        let _ = write!(out, "  <TABLE>{}</TABLE>\n</DEFINITION>\n", rows.join("\n    "));
    }
    out.push_str("</NETWORK>\n</BIF>\n");
    Ok(out)
}

fn element(out: &mut String, margin: &str, name: &str, content: &str) -> Result<(), Error> {
    let _ = writeln!(out, "{margin}<{name}>{}</{name}>", text(content)?);
    Ok(())
}

/// Text as it stands between tags: readers may trim blanks round it and change line ends, but not references.
pub(in crate::io) fn text(content: &str) -> Result<String, Error> {
    let last = content.chars().count().saturating_sub(1);
    escaped(content, |i, c| c == ' ' && (i == 0 || i == last))
}

/// Text as it stands in double quotes: readers turn every line end and tab into a blank, but not references.
pub(in crate::io) fn attribute(content: &str) -> Result<String, Error> {
    escaped(content, |_, _| false)
}

fn escaped(content: &str, also: impl Fn(usize, char) -> bool) -> Result<String, Error> {
    let mut out = String::with_capacity(content.len());
    for (i, c) in content.chars().enumerate() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if !is_character(c) => {
                return Err(Error::Unwritable {
                    text: content.to_string(),
                    character: c as u32,
                    format: "XML",
                });
            }
            c if matches!(c, '\n' | '\r' | '\t' | '\u{85}' | '\u{2028}') || also(i, c) => {
                let _ = write!(out, "&#{};", c as u32);
            }
            c => out.push(c),
        }
    }
    Ok(out)
}

/// The characters of XML 1.0.
pub(super) fn is_character(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..='\u{10ffff}')
}
