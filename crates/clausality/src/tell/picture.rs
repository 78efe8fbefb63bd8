//! Pictures of what was learned: the roles of columns as shapes, how sure or strong arcs are as their width, and what is known of each
//! in its tooltip.
//!
//! ```
//! use clausality::bn::{draw, io::Limits};
//! use clausality::model::Loaded;
//! let asia = Loaded::read("@asia".as_ref(), &Limits::default())?;
//! let picture = asia.picture();
//! assert_eq!((picture.nodes.len(), picture.arcs.len()), (8, 8));
//! assert!(draw::svg(&picture, draw::Form::File).contains("bronc"));
//! # Ok::<(), clausality::Error>(())
//! ```

use crate::Error;
use crate::learn::{LearnedArc, Way};
use crate::model::{Loaded, file_name};
use crate::rules::Role;
use crate::run::{Run, TargetSummary};
use crate::words::percent;
use clausality_bn::draw::{DrawnArc, DrawnNode, Part, Picture, Weighing, over_time};
use clausality_bn::io::Limits;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The picture of the network of a folder: of the run that it came from, if the folder keeps that.
///
/// # Errors
/// Whatever is wrong with `run.json`.
pub fn of_folder(folder: &Path, loaded: &Loaded, limits: &Limits) -> Result<Picture, Error> {
    if !folder.join("run.json").is_file() {
        return Ok(loaded.picture());
    }
    let (run, plain) = (summary(&Run::read(folder, limits)?), loaded.picture());
    // A network that was put into the folder later is not the run's.
    Ok(if adjacent(&run) == adjacent(&plain) { run } else { plain })
}

fn adjacent(picture: &Picture) -> BTreeSet<(&str, &str)> {
    let name = |v: usize| picture.nodes[v].name.as_str();
    picture.arcs.iter().map(|arc| (name(arc.parent), name(arc.child))).collect()
}

/// The picture of what was learned; of a network over time a node for every variable, with lags on the arcs.
pub fn summary(run: &Run) -> Picture {
    let steps = of_run(run);
    run.time.as_ref().map_or_else(|| steps.clone(), |course| over_time(&steps, &course.statics))
}

/// The picture of what was learned, step by step where it was over time. An arc is as wide as it is sure if the learning was repeated, else as it is strong beside the
/// strongest.
pub fn of_run(run: &Run) -> Picture {
    let targets: BTreeMap<&str, &TargetSummary> = run.targets.iter().map(|t| (t.name.as_str(), t)).collect();
    let node = |name: &String| {
        let target = targets.get(name.as_str());
        DrawnNode {
            name: name.clone(),
            part: target.map_or(Part::Observed, |target| part(target.role)),
            bars: Vec::new(),
            note: target.map_or(String::new(), |target| about_node(target)),
        }
    };
    // Of what was before only that is drawn which something depends on.
    let joined: BTreeSet<&str> =
        run.arcs.iter().flat_map(|arc| [arc.parent.as_str(), arc.child.as_str()]).collect();
    let is_drawn = |name: &&String| {
        run.time.is_none() || targets.contains_key(name.as_str()) || joined.contains(name.as_str())
    };
    let nodes: Vec<&String> = run.nodes.iter().filter(is_drawn).collect();
    let index: BTreeMap<&str, usize> = nodes.iter().enumerate().map(|(v, name)| (name.as_str(), v)).collect();
    let strongest = run.arcs.iter().map(|arc| arc.strength).fold(0.0, f64::max);
    let drawn = |arc: &LearnedArc| {
        // A run that was read from a file may name nodes it does not list: such an arc has no place.
        let (&parent, &child) = (index.get(arc.parent.as_str())?, index.get(arc.child.as_str())?);
        // By the root, as one very strong arc would make all others alike.
        let relative = (strongest > 0.0).then(|| (arc.strength.max(0.0) / strongest).sqrt());
        let weight = arc.confidence.or(relative);
        Some(DrawnArc {
            parent,
            child,
            weight,
            compelled: arc.way() != Way::Open,
            note: about_arc(arc),
            label: String::new(),
        })
    };
    Picture {
        title: file_name(&run.table).to_string(),
        nodes: nodes.into_iter().map(node).collect(),
        arcs: run.arcs.iter().filter_map(drawn).collect(),
        weighing: match run.arcs.iter().any(|arc| arc.confidence.is_some()) {
            true => Weighing::Confidence,
            false => Weighing::Strength,
        },
    }
}

/// The part that a role plays in a picture.
pub fn part(role: Role) -> Part {
    match role {
        Role::Parameter | Role::Calendar => Part::Parameter,
        Role::Observed => Part::Observed,
        Role::Unobserved => Part::Unobserved,
    }
}

fn about_node(target: &TargetSummary) -> String {
    let role = match target.role {
        Role::Parameter => Some("parameter".to_string()),
        Role::Calendar => Some("calendar part".to_string()),
        Role::Observed => None,
        Role::Unobserved => Some("unobserved".to_string()),
    };
    let accuracy = match (target.accuracy, target.chance) {
        (Some(accuracy), Some(chance)) => Some(format!("accuracy {accuracy:.2} (chance {chance:.2})")),
        _ => None,
    };
    let silent = (target.accuracy.is_some() && !target.signal).then(|| "no signal".to_string());
    role.into_iter().chain(accuracy).chain(silent).collect::<Vec<_>>().join("\n")
}

fn about_arc(arc: &LearnedArc) -> String {
    let mut lines = vec![
        format!("strength {:.4}, {} of all for this node", arc.strength, percent(arc.share)),
        format!("the score would lose {:.1} without it", arc.gain),
    ];
    if let Some(confidence) = arc.confidence {
        let direction =
            arc.direction.map_or(String::new(), |d| format!(", {:.0}% of them this way", 100.0 * d));
        lines.push(format!("found in {:.0}% of the repetitions{direction}", 100.0 * confidence));
    }
    if arc.required {
        lines.push("required by the rules".into());
    }
    if arc.gaps {
        lines.push("lives mostly from gaps: less than half is gained where both have values".into());
    }
    match arc.way() {
        Way::Data | Way::Time => {}
        Way::Rules => lines.push("the rules leave it no other direction".into()),
        Way::Calendar => lines.push(format!("runs this way because {} is a calendar part", arc.parent)),
        Way::Open => lines.push("the data cannot tell its direction".into()),
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::made;

    fn arc(parent: &str, child: &str, strength: f64, confidence: Option<f64>) -> LearnedArc {
        let compelled = confidence.is_some();
        LearnedArc { strength, confidence, direction: confidence, ..made::arc(parent, child, compelled) }
    }

    fn run(arcs: Vec<LearnedArc>) -> Run {
        let roles = [("a", Role::Parameter), ("b", Role::Observed), ("c", Role::Unobserved)];
        let target = |(name, role)| TargetSummary { role, ..made::target(name, Some(0.5), false) };
        Run { targets: roles.map(target).to_vec(), ..made::run(&["a", "b", "c"], arcs) }
    }

    #[test]
    fn arcs_are_as_wide_as_they_are_sure_or_strong() {
        let drawn =
            of_run(&run(vec![arc("a", "b", 0.2, None), arc("b", "c", 0.8, None), arc("b", "?", 1.0, None)]));
        assert_eq!(drawn.title, "t.csv");
        assert_eq!(
            drawn.nodes.iter().map(|n| n.part).collect::<Vec<_>>(),
            [Part::Parameter, Part::Observed, Part::Unobserved]
        );
        assert!(drawn.nodes[0].note.contains("no signal"), "{}", drawn.nodes[0].note);
        assert_eq!(drawn.arcs.len(), 2, "an arc to a node that is not there is left out");
        assert!(drawn.arcs[0].note.contains("cannot tell"), "{}", drawn.arcs[0].note);
        assert_eq!(drawn.arcs[0].weight, Some((0.2f64 / 1.0).sqrt()));
        assert_eq!(drawn.weighing, Weighing::Strength);
        let drawn = of_run(&run(vec![arc("a", "b", 0.2, Some(0.9)), arc("b", "c", 0.8, Some(0.4))]));
        assert_eq!(drawn.arcs.iter().map(|a| a.weight).collect::<Vec<_>>(), [Some(0.9), Some(0.4)]);
        assert_eq!(drawn.weighing, Weighing::Confidence);
        assert!(drawn.arcs[1].compelled && drawn.arcs[1].note.contains("40% of the repetitions"));
    }
}
