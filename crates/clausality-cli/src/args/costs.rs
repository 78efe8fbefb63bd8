//! What it costs to see nodes: `A=2,B=0.5`, or a file.

use super::findings::{each, first, pieces, unquoted};
use crate::failure::Failure;
use clausality::bn::Schema;
use clausality::bn::io::Limits;
use clausality::model::read_costs;
use std::path::Path;

/// Nodes with their costs, from a list or from the CSV file that the text names.
pub(crate) fn costs(schema: &Schema, text: &str, limits: &Limits) -> Result<Vec<(String, f64)>, Failure> {
    if Path::new(text).is_file() || text.ends_with(".csv") {
        return Ok(read_costs(Path::new(text), limits)?);
    }
    let mut found = vec![];
    each(text, |rest| {
        let part = pieces(rest, ',').find_map(|(part, after)| {
            let (name, cost) = part.rsplit_once('=')?;
            let name = unquoted(name.trim());
            schema.index(&name)?;
            Some(((name, cost.trim().parse().ok()?), after))
        });
        let Some((cost, after)) = part else {
            let part = first(rest, ',');
            // A name that is none says so itself.
            if let Some((name, _)) = part.rsplit_once('=') {
                super::findings::node(schema, name.trim())?;
            }
            return Err(Failure::Input(format!(
                "--cost: '{part}' is no cost: write NODE=NUMBER,… or name a CSV file with the columns node,cost"
            )));
        };
        found.push(cost);
        Ok(after)
    })?;
    Ok(found)
}
