//! The tables of a run as CSV.

use crate::data::csv_cell as cell;
use crate::learn::LearnedArc;
use crate::strengths::Strengths;

fn number(value: Option<f64>) -> String {
    value.map_or(String::new(), |x| x.to_string())
}

/// `parent,child,…`, a row for every arc.
pub fn edges_csv(arcs: &[LearnedArc]) -> String {
    let mut text = String::from(
        "parent,child,compelled,strength,share,hit_rate,gain,confidence,direction,ruled,required,way,or,gaps\n",
    );
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
        text.push('\n');
    }
    text
}

/// `target,feature,rank,strength,share,…`, a row for every pair.
pub fn strengths_csv(found: &Strengths) -> String {
    let mut text = String::from("target,feature,rank,strength,share,hit_rate,null,accuracy,chance,signal\n");
    for target in &found.targets {
        let (accuracy, chance) = (target.accuracy.map(|a| a.mean), target.accuracy.map(|a| a.chance));
        for f in &target.features {
            let cells = [
                cell(&target.name),
                cell(&f.name),
                f.rank.to_string(),
                f.strength.to_string(),
                f.share.to_string(),
                number(f.hit_rate),
                number(f.null),
                number(accuracy),
                number(chance),
                target.signal().to_string(),
            ];
            text.push_str(&cells.join(","));
            text.push('\n');
        }
    }
    text
}
