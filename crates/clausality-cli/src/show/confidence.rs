//! How sure arcs are, in words and a table: what learning again from rows drawn anew says.

use crate::text::{Align, Grid, Paint, clean, percent, wrap};
use clausality::learn::{LearnedArc, Way};
use clausality::run::Repetitions;
use clausality::words::counted;

/// From this share on an arc is passed over: it is as sure as it can be.
const SURE: f64 = 0.95;
/// Pairs beyond the network that are named; a run folder has them all.
const NAMED: usize = 8;

/// The section below a network's table.
pub(crate) fn section(again: &Repetitions, arcs: &[LearnedArc], width: usize, paint: Paint) -> String {
    let judged: Vec<&LearnedArc> = arcs.iter().filter(|arc| arc.confidence.is_some()).collect();
    let joined = |arc: &LearnedArc| arc.confidence >= Some(SURE);
    // That nothing tells the direction of some is known, and they are marked.
    let turned = |arc: &LearnedArc| {
        joined(arc) && arc.way() == Way::Data && arc.direction.is_some_and(|share| share < SURE)
    };
    let mut unsure: Vec<&LearnedArc> =
        judged.iter().copied().filter(|arc| !joined(arc) || turned(arc)).collect();
    // The order of child and parent stays among equals.
    unsure.sort_by(|a, b| b.confidence.unwrap_or(0.0).total_cmp(&a.confidence.unwrap_or(0.0)));
    let mut text = format!(
        "\n{}\n",
        paint.bold(&format!("Learned again from {} of rows drawn anew", counted(again.rounds, "table")))
    );
    if !judged.is_empty() {
        let sure = judged.iter().filter(|arc| joined(arc)).count();
        let turned = judged.iter().filter(|arc| turned(arc)).count();
        let others = if unsure.is_empty() { "" } else { " Less sure:" };
        let line = format!(
            "{sure} of {} joined in at least {} of them{}.{others}",
            counted(judged.len(), "arc"),
            percent(SURE),
            turning(turned, sure)
        );
        text.push_str(&format!("{}\n", wrap(&line, width).join("\n")));
    }
    if judged.len() < arcs.len() {
        text.push_str(&format!(
            "Required, and so in all of them: {}.\n",
            counted(arcs.len() - judged.len(), "arc")
        ));
    }
    if !unsure.is_empty() {
        let mut grid =
            Grid::new([("arc", Align::Wrap), ("joined", Align::Right), ("this way", Align::Right)]);
        for arc in unsure {
            let share = |x: Option<f64>| x.map_or("-".into(), percent);
            let name = format!("{} -> {}", arc.parent, arc.child);
            grid.row([name, share(arc.confidence), share(arc.direction)]);
        }
        text.push('\n');
        text.push_str(&grid.render(width, paint));
    }
    text.push('\n');
    text + &wrap(&consensus(again, arcs), width).join("\n") + "\n"
}

/// The consensus beside the network.
fn consensus(again: &Repetitions, arcs: &[LearnedArc]) -> String {
    let joins =
        |a: &str, b: &str, parent: &str, child: &str| (a, b) == (parent, child) || (a, b) == (child, parent);
    let absent: Vec<String> = again
        .pairs
        .iter()
        .filter(|pair| pair.adjacent >= again.threshold)
        .filter(|pair| !arcs.iter().any(|arc| joins(&arc.parent, &arc.child, &pair.parent, &pair.child)))
        .map(|pair| format!("{} - {} ({})", clean(&pair.parent), clean(&pair.child), percent(pair.adjacent)))
        .collect();
    let mut text = format!(
        "Consensus of pairs joined in at least {} of them: {}.",
        percent(again.threshold),
        counted(again.consensus.len(), "arc")
    );
    if !absent.is_empty() {
        let named = absent[..absent.len().min(NAMED)].join(", ");
        let more = absent.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(", and {} more", counted(more, "pair")) } else { String::new() };
        text.push_str(&format!(" Joined so often and not in the network: {named}{more}."));
    }
    text
}

/// That some of the arcs that are joined surely enough do not run this way as surely.
fn turning(turned: usize, joined: usize) -> String {
    match turned {
        0 => String::new(),
        all if all == joined => ", but not as often this way round".to_string(),
        _ => format!(", but {turned} of these not as often this way round"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_many_turn_is_said_where_it_is_not_all() {
        assert_eq!(turning(0, 3), "");
        assert_eq!(turning(1, 1), ", but not as often this way round");
        assert_eq!(turning(1, 3), ", but 1 of these not as often this way round");
    }
}
