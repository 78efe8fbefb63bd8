//! The picture of a network over time: a node for every variable, whatever its step, and on every arc how many steps it takes.

use super::{DrawnArc, DrawnNode, Part, Picture};
use crate::dynamic::Lagged;
use std::collections::BTreeMap;

/// The arcs between two processes, each with its lag.
type Lags<'a> = Vec<(Option<i64>, &'a DrawnArc)>;

/// Folds a picture of steps (`Rain@-2`, `Rain@-1`, `Rain`) into one of variables. Arcs that differ in nothing but their lag are one, with all lags on it (0 is the same step);
/// what a variable takes from its own past stands behind its name; what holds for a whole series, `statics`, is given.
///
/// ```
/// use clausality_bn::{Dag, draw};
/// let names = ["Rain@-2", "Rain@-1", "Rain", "Sales"].map(String::from);
/// let steps = draw::Picture::of_graph(&names, &Dag::from_arcs(4, [(0, 3), (1, 2), (1, 3)]).unwrap());
/// let summary = draw::over_time(&steps, &[]);
/// assert_eq!((summary.nodes[0].name.as_str(), summary.nodes.len()), ("Rain ↺ 1", 2));
/// assert_eq!(summary.arcs[0].label, "1, 2");
/// ```
pub fn over_time(steps: &Picture, statics: &[String]) -> Picture {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut nodes: Vec<DrawnNode> = Vec::new();
    let parsed: Vec<Lagged<'_>> = steps.nodes.iter().map(|node| Lagged::parse(&node.name)).collect();
    // What is now comes first: it has the notes.
    for now in [true, false] {
        for (node, lagged) in steps.nodes.iter().zip(&parsed).filter(|(_, l)| l.step.is_none() == now) {
            places.entry(lagged.name).or_insert_with(|| {
                let name = lagged.name.to_string();
                let part = if statics.contains(&name) { Part::Parameter } else { node.part };
                let note = if now { node.note.clone() } else { String::new() };
                nodes.push(DrawnNode { name, part, bars: Vec::new(), note });
                nodes.len() - 1
            });
        }
    }
    let mut own: Vec<Vec<i64>> = vec![Vec::new(); nodes.len()];
    let mut between: BTreeMap<(usize, usize), Lags<'_>> = BTreeMap::new();
    for arc in &steps.arcs {
        let [parent, child] = [arc.parent, arc.child].map(|node| places[parsed[node].name]);
        let held = statics.iter().any(|name| name == parsed[arc.parent].name);
        let lag = (!held).then(|| parsed[arc.child].now() - parsed[arc.parent].now());
        match lag {
            Some(lag) if parent == child => own[parent].push(lag),
            _ => between.entry((parent, child)).or_default().push((lag, arc)),
        }
    }
    for (node, mut lags) in nodes.iter_mut().zip(own) {
        lags.sort_unstable();
        if !lags.is_empty() {
            node.name = format!("{} ↺ {}", node.name, listed(&lags));
        }
    }
    let arc = |((parent, child), mut of): ((usize, usize), Lags<'_>)| {
        of.sort_by_key(|(lag, _)| *lag);
        let lags: Vec<i64> = of.iter().filter_map(|(lag, _)| *lag).collect();
        let told = |(lag, arc): &(Option<i64>, &DrawnArc)| match lag {
            _ if arc.note.is_empty() => None,
            Some(0) => Some(format!("within a step: {}", arc.note)),
            Some(lag) => Some(format!("{lag} ago: {}", arc.note)),
            None => Some(arc.note.clone()),
        };
        DrawnArc {
            parent,
            child,
            weight: of.iter().filter_map(|(_, arc)| arc.weight).max_by(f64::total_cmp),
            compelled: of.iter().all(|(_, arc)| arc.compelled),
            note: of.iter().filter_map(told).collect::<Vec<_>>().join("\n"),
            label: listed(&lags),
        }
    };
    let arcs = between.into_iter().map(arc).collect();
    Picture { title: steps.title.clone(), nodes, arcs, weighing: steps.weighing }
}

fn listed(lags: &[i64]) -> String {
    lags.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")
}
