//! Two networks side by side: arcs that only one has, and how far apart their answers to the same question are.
//!
//! ```text
//! apart(v) = ½ Σ_s |P(v = s) − P'(v = s)|          total variation, over the states of both; 0: the same, 1: nothing in common
//! ```
//! Nodes and states are the same where their names are.

use super::{Model, require_shared_nodes};
use crate::Error;
use clausality_bn::Variable;
use clausality_bn::compare::{Arc, Differences};
use serde::Serialize;

/// The place of a node in the other network, and that of each of its states.
type Same = (usize, Vec<Option<usize>>);

/// How another network differs from the one at hand.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Contrast {
    /// The arcs: `missing` are those that only the one at hand has, `extra` those that only the other has.
    pub arcs: Differences,
    /// Nodes of the one at hand that the other does not have.
    pub only_here: Vec<String>,
    /// Nodes of the other that the one at hand does not have.
    pub only_there: Vec<String>,
    /// Nodes of both that do not have the same states.
    pub other_states: Vec<String>,
    /// For each node at hand the same one of the other, and for each of its states the same one there.
    #[serde(skip)]
    same: Vec<Option<Same>>,
}

impl Contrast {
    /// Holds another network against the one at hand.
    ///
    /// # Errors
    /// Networks of different things: they share no nodes, or only one.
    pub fn between(here: &Model, there: &Model) -> Result<Self, Error> {
        require_shared_nodes((&here.source, &here.structure()), (&there.source, &there.structure()))?;
        // What is only there as the past of other steps is not compared.
        let told = |model: &Model| {
            let schema = model.network.schema();
            model.shown().into_iter().map(|node| schema.variable(node).clone()).collect::<Vec<Variable>>()
        };
        let (mine, theirs) = (told(here), told(there));
        let place = |name: &str, of: &[Variable]| of.iter().position(|variable| variable.name == name);
        let same: Vec<Option<Same>> = mine
            .iter()
            .map(|variable| {
                let other = place(&variable.name, &theirs)?;
                let labels = &theirs[other].states;
                let state = |label: &String| labels.iter().position(|other| other == label);
                Some((other, variable.states.iter().map(state).collect()))
            })
            .collect();
        let only = |these: &[Variable], those: &[Variable]| {
            let names = these.iter().map(|variable| variable.name.clone());
            names.filter(|name| place(name, those).is_none()).collect::<Vec<String>>()
        };
        let other_states = |(variable, same): (&Variable, &Option<Same>)| {
            let (other, _) = same.as_ref()?;
            (variable.states != theirs[*other].states).then(|| variable.name.clone())
        };
        let mut arcs = Differences::between(&*here.network, &*there.network);
        let shown = |arc: &Arc| {
            let known = |name: &str| place(name, &mine).is_some() || place(name, &theirs).is_some();
            known(&arc.parent) && known(&arc.child)
        };
        [&mut arcs.extra, &mut arcs.missing, &mut arcs.turned]
            .into_iter()
            .for_each(|arcs| arcs.retain(shown));
        Ok(Contrast {
            arcs,
            only_here: only(&mine, &theirs),
            only_there: only(&theirs, &mine),
            other_states: mine.iter().zip(&same).filter_map(other_states).collect(),
            same,
        })
    }

    /// What the other network says, by the nodes and states of the one at hand; nothing where it has no such node, 0 where it has no such state.
    pub fn said_there(&self, there: &[Vec<f64>]) -> Vec<Option<Vec<f64>>> {
        let said = |(node, states): &(usize, Vec<Option<usize>>)| {
            states.iter().map(|state| state.map_or(0.0, |state| there[*node][state])).collect()
        };
        self.same.iter().map(|same| same.as_ref().map(said)).collect()
    }

    /// How far apart both answers are, by the nodes of the one at hand; nothing where the other has no such node.
    pub fn apart(&self, here: &[Vec<f64>], there: &[Vec<f64>]) -> Vec<Option<f64>> {
        let said = self.said_there(there);
        here.iter()
            .zip(&said)
            .map(|(mine, theirs)| {
                let theirs = theirs.as_ref()?;
                let shared: f64 = mine.iter().zip(theirs).map(|(p, q)| (p - q).abs()).sum();
                // What the other gives to states that are none here.
                let elsewhere = (1.0 - theirs.iter().sum::<f64>()).max(0.0);
                Some(0.5 * (shared + elsewhere))
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedded;
    use clausality_bn::Network;
    use clausality_bn::io::{Limits, bif};

    fn named(network: Network) -> Model {
        Model { network: network.into(), extra: Default::default(), source: "n".into() }
    }

    fn network(states: &str, turned: bool) -> Model {
        let table = |of: &str, given: &str| match given {
            "" => format!("probability ( {of} ) {{ table 0.2, 0.8; }}\n"),
            _ => format!(
                "probability ( {of} | {given} ) {{ ({}) 0.9, 0.1; ({}) 0.3, 0.7; }}\n",
                states.split(',').next().unwrap(),
                states.split(", ").nth(1).unwrap()
            ),
        };
        let node = |name: &str| format!("variable {name} {{ type discrete [ 2 ] {{ {states} }}; }}\n");
        let tables =
            if turned { table("b", "") + &table("a", "b") } else { table("a", "") + &table("b", "a") };
        let text = format!("network n {{ }}\n{}{}{tables}", node("a"), node("b"));
        named(bif::read(text.as_bytes(), &Limits::default()).unwrap())
    }

    #[test]
    fn answers_are_matched_by_names_and_states() {
        let (one, two) = (network("x, y", false), network("y, z", true));
        let found = Contrast::between(&one, &two).unwrap();
        assert_eq!(found.arcs.turned.len(), 1);
        assert_eq!((found.arcs.missing.len(), found.arcs.extra.len()), (0, 0));
        assert_eq!(found.other_states, ["a", "b"]);
        let (here, there) = ([vec![0.2, 0.8], vec![0.5, 0.5]], [vec![0.8, 0.2], vec![0.0, 1.0]]);
        assert_eq!(found.said_there(&there), [Some(vec![0.0, 0.8]), Some(vec![0.0, 0.0])]);
        let apart = found.apart(&here, &there);
        assert!((apart[0].unwrap() - 0.2).abs() < 1e-12 && apart[1] == Some(1.0), "{apart:?}");
        let asia = named(embedded::network("asia").unwrap());
        assert!(Contrast::between(&one, &asia).is_err());
        let same = Contrast::between(&asia, &asia).unwrap();
        assert!(same.other_states.is_empty() && same.arcs.extra.is_empty() && same.only_here.is_empty());
    }
}
