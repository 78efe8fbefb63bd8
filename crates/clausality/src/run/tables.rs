//! The tables of a run as CSV.

use crate::data::csv_cell as cell;
use crate::learn::LearnedArc;
use crate::run::{Clauses, NodeClauses};
use crate::strengths::{Accuracy, Feature, Strengths};
use std::io::{self, Write};

fn number(value: Option<f64>) -> String {
    value.map_or(String::new(), |x| x.to_string())
}

/// `parent,child,…`, a row for every arc; of a network over time also how many steps it takes.
pub fn edges_csv(arcs: &[LearnedArc], over_time: bool) -> String {
    let mut text = String::from(
        "parent,child,compelled,strength,share,hit_rate,gain,confidence,direction,ruled,required,way,or,gaps",
    );
    text.push_str(if over_time { ",lag\n" } else { "\n" });
    for arc in arcs {
        let cells = [
            cell(&arc.parent),
            cell(&arc.child),
            arc.compelled.to_string(),
            arc.strength.to_string(),
            arc.share.to_string(),
            number(arc.hit_rate),
            arc.gain.to_string(),
            number(arc.confidence),
            number(arc.direction),
            arc.ruled.to_string(),
            arc.required.to_string(),
            arc.way().word().to_string(),
            arc.or.as_deref().map_or(String::new(), cell),
            arc.gaps.to_string(),
        ];
        text.push_str(&cells.join(","));
        if over_time {
            text.push_str(&format!(",{}", arc.lag()));
        }
        text.push('\n');
    }
    text
}

/// `target,feature,rank,strength,share,…`, a row for every pair: of a wide table more than one would hold as a whole.
///
/// # Errors
/// Whatever keeps it from being written.
pub fn write_strengths_csv(found: &Strengths, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(HEAD.as_bytes())?;
    for target in &found.targets {
        out.write_all(written(&target.name, target.accuracy, &target.features).as_bytes())?;
    }
    Ok(())
}

/// The same of a run that was kept.
pub(crate) fn kept_strengths_csv(clauses: &Clauses) -> String {
    let target = |t: &NodeClauses| written(&t.name, t.accuracy, &t.features);
    HEAD.to_string() + &clauses.targets.iter().map(target).collect::<String>()
}

const HEAD: &str = "target,feature,rank,strength,share,hit_rate,null,accuracy,chance,signal\n";

/// The rows of a target.
fn written(name: &str, accuracy: Option<Accuracy>, features: &[Feature]) -> String {
    let mut text = String::new();
    let (mean, chance) = (accuracy.map(|a| a.mean), accuracy.map(|a| a.chance));
    for f in features {
        let cells = [
            cell(name),
            cell(&f.name),
            f.rank.to_string(),
            f.strength.to_string(),
            f.share.to_string(),
            number(f.hit_rate),
            number(f.null),
            number(mean),
            number(chance),
            accuracy.is_some_and(|a| a.signal).to_string(),
        ];
        text.push_str(&cells.join(","));
        text.push('\n');
    }
    text
}
