//! Why a node is predicted and why an arc is or is not there, from the documents of a run.
//!
//! Nothing is learned or counted here: weight, support, precision and hit rates stand in the run, and this module chooses and
//! words them.

use crate::Error;
use crate::learn::{LearnedArc, Way};
use crate::model::Model;
use crate::rules::{NamedArc, Role};
use crate::run::{NodeClauses, RunError, RunFolder, TraceEntry};
use crate::strengths::{Accuracy, Feature, Sentence};
use crate::votes::Card;
use crate::words::percent;
use serde::Serialize;

/// What is known about a node.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NodeExplanation {
    /// The node.
    pub node: String,
    /// Its states.
    pub states: Vec<String>,
    /// The part it plays.
    pub role: Role,
    /// Rows in which it has a value.
    pub rows: usize,
    /// Machines that were trained.
    pub fits: usize,
    /// How well it is predicted.
    pub accuracy: Option<Accuracy>,
    /// Whether it can be predicted better than by chance.
    pub signal: bool,
    /// The same in a sentence.
    pub verdict: String,
    /// The arcs into it.
    pub parents: Vec<LearnedArc>,
    /// The arcs out of it.
    pub children: Vec<LearnedArc>,
    /// All other variables, from strong to weak.
    pub features: Vec<Feature>,
    /// The rules behind it, the most telling first.
    pub rules: Vec<Rule>,
    /// What the machines add up to predict it, where the network was learned for that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card: Option<Card>,
}

impl NodeExplanation {
    /// The same with the machines' card, where the network keeps one.
    ///
    /// # Errors
    /// Predictors that do not fit the network.
    pub fn with_card(mut self, model: &Model) -> Result<Self, Error> {
        let own = model.predictors()?.into_iter().find(|predictor| predictor.target == self.node);
        self.card = own.map(|predictor| predictor.card()).transpose()?;
        Ok(self)
    }
}

/// A clause, and the sentence it makes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rule {
    /// "Accident = Severe when DrivQuality = Poor and Antilock = False".
    pub text: String,
    /// What it is made of, and how it fares on the data.
    #[serde(flatten)]
    pub clause: Sentence,
}

/// What is known about an arc, whether it is in the network or not.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ArcExplanation {
    /// Where it starts.
    pub parent: String,
    /// Where it ends.
    pub child: String,
    /// Whether the network has it.
    pub present: bool,
    /// The same in a sentence.
    pub verdict: String,
    /// The score that gains are measured in.
    pub score: String,
    /// The arc between the two nodes, whichever way the network has it.
    pub arc: Option<LearnedArc>,
    /// What the parent is worth as a feature of the child.
    pub feature: Option<Feature>,
    /// What the child is worth as a feature of the parent.
    pub opposite_feature: Option<Feature>,
    /// Rules of the child that use the parent.
    pub rules: Vec<Rule>,
    /// Rules of the parent that use the child.
    pub opposite_rules: Vec<Rule>,
    /// What became of the arc, and of the opposite one, when the network was made.
    pub trace: Vec<TraceEntry>,
}

impl RunFolder {
    /// Explains a node.
    ///
    /// # Errors
    /// [`RunError::Unknown`], with a name that is close.
    pub fn explain_node(&self, name: &str) -> Result<NodeExplanation, RunError> {
        let node = self.node(name)?;
        let signal = node.accuracy.is_some_and(|a| a.signal);
        let role = self.run.targets.iter().find(|t| t.name == name).map_or(Role::Observed, |t| t.role);
        let arcs = |end: fn(&LearnedArc) -> &String| -> Vec<LearnedArc> {
            self.run.arcs.iter().filter(|arc| end(arc) == name).cloned().collect()
        };
        Ok(NodeExplanation {
            node: node.name.clone(),
            states: node.states.clone(),
            role,
            rows: node.rows,
            fits: node.fits,
            accuracy: node.accuracy,
            signal,
            verdict: verdict(node),
            parents: arcs(|arc| &arc.child),
            children: arcs(|arc| &arc.parent),
            features: node.features.clone(),
            rules: rules(node, |_| true),
            card: None,
        })
    }

    /// Explains an arc between two nodes of the run, whether the network has it or not.
    ///
    /// # Errors
    /// [`RunError::Unknown`], with a name that is close; [`RunError::Ambiguous`] if the names hold the sign between them.
    pub fn explain_arc(&self, arc: &NamedArc) -> Result<ArcExplanation, RunError> {
        let known = |name: &str| self.run.nodes.iter().any(|node| node == name);
        let NamedArc { parent, child } =
            arc.among(known).map_err(|_| RunError::Ambiguous(arc.to_string()))?;
        let to = self.node(&child)?;
        // What was before is no target: nothing is said of it.
        let from = if known(&parent) { self.node(&parent).ok() } else { Some(self.node(&parent)?) };
        if parent == child {
            return Err(RunError::Loop(parent));
        }
        let joins = |p: &str, c: &str| (p == parent && c == child) || (p == child && c == parent);
        let found = self.run.arcs.iter().find(|a| joins(&a.parent, &a.child)).cloned();
        let trace: Vec<TraceEntry> =
            self.run.trace.iter().filter(|t| joins(&t.parent, &t.child)).cloned().collect();
        let feature = to.features.iter().find(|f| f.name == parent).cloned();
        Ok(ArcExplanation {
            present: found.as_ref().is_some_and(|a| a.child == child),
            verdict: arc_verdict(&parent, &child, found.as_ref(), feature.as_ref(), &trace),
            score: self.run.params.network.gains_in().word().to_string(),
            arc: found,
            feature,
            opposite_feature: from.and_then(|from| from.features.iter().find(|f| f.name == child).cloned()),
            rules: rules(to, |s| uses(s, &parent)),
            opposite_rules: from.map_or(Vec::new(), |from| rules(from, |s| uses(s, &child))),
            trace,
            parent,
            child,
        })
    }

    fn node(&self, name: &str) -> Result<&NodeClauses, RunError> {
        let nodes = &self.clauses.targets;
        nodes.iter().find(|node| node.name == name).ok_or_else(|| {
            let names = nodes.iter().map(|node| node.name.as_str());
            let close = crate::names::closest(name, names).map(str::to_string);
            RunError::Unknown { name: name.to_string(), close }
        })
    }
}

pub(super) fn uses(sentence: &Sentence, variable: &str) -> bool {
    sentence.when.iter().any(|condition| condition.variable == variable)
}

fn rules(node: &NodeClauses, which: impl Fn(&Sentence) -> bool) -> Vec<Rule> {
    let chosen = node.clauses.iter().filter(|sentence| which(sentence));
    chosen.map(|clause| Rule { text: clause.words(&node.name), clause: clause.clone() }).collect()
}

/// How well a node can be predicted from all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Better than by chance.
    Signal,
    /// No better than by chance.
    NoSignal,
    /// Above chance, but on too few rows to be sure.
    TooFewRows,
    /// Nobody knows: too few of its states have rows enough.
    Unmeasured,
}

/// An accuracy so far above chance that only the number of rows can be to blame for the missing signal.
const CLEARLY_ABOVE: f64 = 0.1;

impl Verdict {
    /// What an accuracy on rows held out says.
    pub fn of(accuracy: Option<Accuracy>) -> Self {
        match accuracy {
            Some(a) if a.signal => Verdict::Signal,
            Some(a) if a.mean > a.chance + CLEARLY_ABOVE => Verdict::TooFewRows,
            Some(_) => Verdict::NoSignal,
            None => Verdict::Unmeasured,
        }
    }

    /// The word in a table; none where there is signal.
    pub fn word(self) -> Option<&'static str> {
        match self {
            Verdict::Signal => None,
            Verdict::NoSignal => Some("no signal"),
            Verdict::TooFewRows => Some("too few rows to be sure"),
            Verdict::Unmeasured => Some("unmeasured"),
        }
    }
}

fn verdict(node: &NodeClauses) -> String {
    if node.fits == 0 {
        return "nothing can be said: fewer than two of its states have rows enough, or no other column varies".into();
    }
    let Some(Accuracy { mean, chance, z, .. }) = node.accuracy else {
        return "unknown: all but one of its states are too rare to test a prediction".into();
    };
    let measured = format!("{} right on rows held out, guessing reaches {}", percent(mean), percent(chance));
    match Verdict::of(node.accuracy) {
        Verdict::Signal => format!("signal: {measured} (each state counts alike)"),
        Verdict::TooFewRows => format!(
            "too few rows to be sure: {measured}, but of the rare states there are too few (z {z:.1}, 3 needed)"
        ),
        _ => format!("no signal: {measured}; its rules may be noise (z {z:.1}, 3 needed)"),
    }
}

fn arc_verdict(
    parent: &str,
    child: &str,
    found: Option<&LearnedArc>,
    feature: Option<&Feature>,
    trace: &[TraceEntry],
) -> String {
    let direction = |arc: &LearnedArc| match arc.way() {
        Way::Data => {
            let again = arc.direction.map(|share| {
                format!(
                    ", and {} of those learned again from rows drawn anew that join the two",
                    percent(share)
                )
            });
            format!("every equally good network has it this way round{}", again.unwrap_or_default())
        }
        Way::Rules => "the rules leave it no other direction".to_string(),
        Way::Calendar => format!("it runs this way because {} is a calendar part", arc.parent),
        Way::Time if arc.lag() == 0 => {
            "what was before, or never changes, leaves it no other direction".to_string()
        }
        Way::Time => format!("it runs this way because {} was there before", arc.parent),
        Way::Open => "the data cannot tell its direction, an equally good network has it the other way round"
            .to_string(),
    };
    match found {
        Some(arc) if arc.child == child => {
            let why = if arc.required { " because the rules require it" } else { "" };
            let gaps = if arc.gaps {
                "; it lives mostly from gaps, less than half of its gain is left where both have values"
            } else {
                ""
            };
            format!("{parent} -> {child} is in the network{why}{gaps}; {}", direction(arc))
        }
        Some(arc) => format!(
            "{parent} -> {child} is not in the network, the opposite arc {child} -> {parent} is; {}",
            direction(arc)
        ),
        None => {
            let reason = match (trace.iter().find(|t| t.parent == parent).or(trace.first()), feature) {
                (Some(entry), _) => entry.reason.clone(),
                (None, Some(f)) => format!(
                    "no list proposed it, {parent} is only number {} among the features of {child}",
                    f.rank
                ),
                (None, None) => format!("nothing is known about the features of {child}"),
            };
            format!("there is no arc between {parent} and {child}: {reason}")
        }
    }
}
