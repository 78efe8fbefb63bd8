//! Networks over time as JSON.
//!
//! ```text
//! { "format": "clausality-dynamic/1",
//!   "name": "weather",
//!   "order": 1,
//!   "start": [
//!     { "name": "Rain@0", "states": ["yes", "no"], "rows": [[0.5, 0.5]] }
//!   ],
//!   "transition": [
//!     { "name": "Rain", "states": ["yes", "no"], "parents": ["Rain@-1"], "rows": [[0.8, 0.2], [0.3, 0.7]] }
//!   ],
//!   "extra": { } }
//! ```
//!
//! `order` says how many steps back a table may look. `start` is a network of the first `order` steps, `X@0` … , and of what
//! holds for a whole series, whose names have no step. `transition` has one table for every process, at any later step: its
//! parents are statics, processes at the same step (`Rain`) and at earlier ones (`Rain@-1`). Nodes are written as in a
//! network without time.

use super::Extra;
use super::reader::{Mark, Source, network};
use super::writer::{write_end, write_nodes};
use crate::cpt::Budget;
use crate::dynamic::{DynamicNetwork, Lagged};
use crate::io::{Limits, text};
use crate::{Cpt, Error, Variable};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

/// The value of `format` of a network over time.
pub const DYNAMIC_FORMAT: &str = "clausality-dynamic/1";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document<'a> {
    #[serde(rename = "format")]
    _format: String,
    #[serde(borrow, default)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    order: &'a RawValue,
    #[serde(borrow)]
    start: &'a RawValue,
    #[serde(borrow)]
    transition: &'a RawValue,
    #[serde(borrow, default)]
    extra: Option<&'a RawValue>,
}

/// Whether a JSON text says that it holds a network over time.
pub fn is_dynamic(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mark = serde_json::from_slice::<Mark<'_>>(bytes).ok().and_then(|mark| mark.format);
    mark.is_some_and(|format| format.get().starts_with("\"clausality-dynamic/"))
}

/// Reads a network over time and what its maker keeps with it.
///
/// # Errors
/// As [`super::read`].
pub fn read_dynamic(bytes: &[u8], limits: &Limits) -> Result<(DynamicNetwork, Extra), Error> {
    let source = Source { text: text(bytes, limits)? };
    source.expect_format(DYNAMIC_FORMAT, "a network over time")?;
    let document: Document<'_> = source.parse_text(source.text)?;
    let name = source.name(document.name)?;
    let order: usize = source.parse(document.order)?;
    let mut budget = Budget::new(limits.table_bytes);
    let start = network(&source, name.clone(), &source.drafts(document.start)?, &mut budget)?;
    let mut transition = source.drafts(document.transition)?;
    let Some(first) = transition.first() else {
        return source.fail(document.transition.get(), "expected a process, found none".into());
    };
    let place = first.place;
    let processes: Vec<Variable> = transition.iter().map(|draft| draft.variable.clone()).collect();
    let plain = |v: &&Variable| Lagged::parse(&v.name).step.is_none();
    let statics: Vec<Variable> = start.schema().variables().iter().filter(plain).cloned().collect();
    // A window is built only for an order that the start bears out: a number in a file allocates nothing.
    let expected = processes.len().checked_mul(order).and_then(|n| n.checked_add(statics.len()));
    if expected != Some(start.len()) {
        let message = format!(
            "with order {order} the start holds every process at each of the first {order} steps ('{}'), found {} nodes with a step for {} processes",
            Lagged::at("X", 0),
            start.len() - statics.len(),
            processes.len()
        );
        return source.fail(document.order.get(), message);
    }
    let window =
        DynamicNetwork::window_schema(&statics, &processes, order).map_err(|e| source.at(place, e))?;
    let now = window.len() - processes.len();
    let mut tables: Vec<Cpt> = Vec::with_capacity(processes.len());
    for (process, draft) in transition.iter_mut().enumerate() {
        for (parent, _) in &mut draft.parents {
            // `X@0` is `X`.
            let named = Lagged::parse(parent);
            if named.step == Some(0) {
                *parent = named.name.to_string();
            }
        }
        tables.push(draft.cpt(&source, &window, now + process, &mut budget)?);
    }
    let extra = document.extra.map(|extra| source.parse(extra)).transpose()?.unwrap_or_default();
    let network = DynamicNetwork::new(name, order, statics, processes, start, tables);
    Ok((network.map_err(|e| source.at(document.transition.get(), e))?, extra))
}

/// The network over time as JSON; the same network always gives the same text, and reading it gives it back.
pub fn write_dynamic(network: &DynamicNetwork, extra: &Extra) -> String {
    let mut out = format!("{{\n  \"format\": {},\n", json!(DYNAMIC_FORMAT));
    out.push_str(&format!("  \"name\": {},\n  \"order\": {},\n", json!(network.name()), network.order()));
    write_nodes(&mut out, "start", network.start(), 0..network.start().len());
    out.push_str(",\n");
    let window = network.window();
    write_nodes(&mut out, "transition", window, window.len() - network.processes().len()..window.len());
    write_end(&mut out, extra);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dynamic::weather;
    use serde_json::Value;

    fn read(text: &str) -> Result<DynamicNetwork, Error> {
        read_dynamic(text.as_bytes(), &Limits::default()).map(|(network, _)| network)
    }

    #[test]
    fn what_is_written_reads_back_the_same() {
        let extra: Extra = [("note".to_string(), json!([1, 2]))].into_iter().collect();
        let text = write_dynamic(&weather(), &extra);
        assert!(is_dynamic(text.as_bytes()) && !is_dynamic(b"{\"format\": \"clausality-network/1\"}"));
        let (back, kept) = read_dynamic(text.as_bytes(), &Limits::default()).unwrap();
        assert_eq!((&back, &kept), (&weather(), &extra));
        assert_eq!(write_dynamic(&back, &kept), text);
    }

    #[test]
    fn faults_have_a_place() {
        let good = write_dynamic(&weather(), &Extra::new());
        let complaint = |from: &str, to: &str| {
            assert!(good.contains(from), "{from}");
            read(&good.replacen(from, to, 1)).unwrap_err().to_string()
        };
        let order = complaint("\"order\": 2", "\"order\": 3");
        assert!(order.starts_with("4:12: with order 3") && order.contains("4 nodes with a step"), "{order}");
        let huge = complaint("\"order\": 2", "\"order\": 18446744073709551615");
        assert!(huge.contains("with order 18446744073709551615"), "{huge}");
        let parent = complaint("\"Rain@-2\", \"Site\"", "\"Rain@-3\", \"Site\"");
        assert!(parent.contains("parent 'Rain@-3' of 'Rain' is no node"), "{parent}");
        let other = complaint("clausality-dynamic/1", "clausality-network/1");
        assert!(other.contains("expected a network over time"), "{other}");
        let now = read(&good.replace("\"parents\": [\"Rain\", ", "\"parents\": [\"Rain@0\", ")).unwrap();
        assert_eq!(now, weather());
    }

    /// The schema that other programs read is that of what we write.
    #[test]
    fn the_schema_has_the_keys_that_are_written() {
        let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
        let schema = |file: &str| -> Value {
            serde_json::from_slice(&std::fs::read(docs.join(file)).unwrap()).unwrap()
        };
        let (ours, plain) = (schema("dynamic.schema.json"), schema("network.schema.json"));
        let extra: Extra = [("note".to_string(), json!(1))].into_iter().collect();
        let written: Value = serde_json::from_str(&write_dynamic(&weather(), &extra)).unwrap();
        let keys = |value: &Value| {
            value.as_object().unwrap().keys().cloned().collect::<std::collections::BTreeSet<_>>()
        };
        assert_eq!(keys(&written), keys(&ours["properties"]));
        assert_eq!(ours["properties"]["format"]["const"], DYNAMIC_FORMAT);
        assert_eq!(ours["$defs"]["node"], plain["$defs"]["node"]);
    }
}
