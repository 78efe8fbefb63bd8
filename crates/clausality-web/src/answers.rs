//! Questions to the network, answered by one thread that keeps what it has compiled.
//!
//! Exact answers by the junction tree; where that would take more than the memory allowed, likelihood weighting with the standard
//! error of every number. Questions wait in a short line: a page asks the next one when it has its answer.

use crate::Explored;
use crate::reply::Refusal;
use crate::window::Window;
use axum::http::StatusCode;
use clausality::bn::effects::{Effects, Spread, effects};
use clausality::bn::infer::{Evidence, Finding, Infer, Stop, Tiny, weigh};
use clausality::bn::{Error, Pdag};
use clausality::model::{Model, Utility, Wanted};
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread;
use tokio::sync::oneshot;

/// Samples where an exact answer would take too much memory.
pub(crate) const SAMPLES: usize = 20_000;
/// Questions that may wait.
const WAITING: usize = 32;
/// Nodes of which every number is looked at for what would turn an answer, and how many of these are told.
const FEW_NODES: usize = 150;
const FLIPS: usize = 6;

/// What is known and what is done, by name and label.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Known {
    pub(crate) evidence: EachOnce<Seen>,
    /// A report about a node: how likely it would be in each of its states.
    pub(crate) likely: EachOnce<EachOnce<f64>>,
    #[serde(rename = "do")]
    pub(crate) set: EachOnce<String>,
}

/// What a node was seen in.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged, expecting = "expected a state, or a list of states")]
pub(crate) enum Seen {
    State(String),
    /// One of several.
    Among(Vec<String>),
}

/// A map that names each key once: of two values one would be forgotten, and nobody would hear of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct EachOnce<T>(pub(crate) BTreeMap<String, T>);

impl<T> Default for EachOnce<T> {
    fn default() -> Self {
        EachOnce(BTreeMap::new())
    }
}

impl<'de, T: Deserialize<'de> + fmt::Debug> Deserialize<'de> for EachOnce<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Entries<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de> + fmt::Debug> Visitor<'de> for Entries<T> {
            type Value = EachOnce<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object that names each node, or state, once")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut found = BTreeMap::new();
                while let Some((name, value)) = map.next_entry::<String, T>()? {
                    if let Some(before) = found.insert(name.clone(), value) {
                        return Err(A::Error::custom(format!(
                            "{name:?} is named twice, first as {before:?}"
                        )));
                    }
                }
                Ok(EachOnce(found))
            }
        }
        from.deserialize_map(Entries(PhantomData))
    }
}

/// What is asked about one node.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct About {
    pub(crate) target: String,
    #[serde(default)]
    pub(crate) evidence: EachOnce<Seen>,
    #[serde(default)]
    pub(crate) likely: EachOnce<EachOnce<f64>>,
    #[serde(default, rename = "do")]
    pub(crate) set: EachOnce<String>,
    /// Only so many nodes, those nearest to the target: for a first answer where there are hundreds.
    #[serde(default)]
    pub(crate) nearest: Option<usize>,
}

/// What is to be decided: what states are worth and what can be done, as `--utility FILE.json` has it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Decide {
    pub(crate) decide: Utility,
    /// Without the band over what was learned again: for a first answer.
    #[serde(default)]
    pub(crate) at_once: bool,
    #[serde(default)]
    pub(crate) evidence: EachOnce<Seen>,
    #[serde(default)]
    pub(crate) likely: EachOnce<EachOnce<f64>>,
    #[serde(default, rename = "do")]
    pub(crate) set: EachOnce<String>,
}

/// What is asked about the graphs that were learned again.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Again {
    /// The nodes that somebody looks at.
    pub(crate) nodes: Vec<usize>,
    #[serde(default)]
    pub(crate) evidence: EachOnce<Seen>,
    #[serde(default)]
    pub(crate) likely: EachOnce<EachOnce<f64>>,
    #[serde(rename = "do")]
    pub(crate) set: EachOnce<String>,
}

/// The band of some nodes over the graphs that were learned again from rows drawn anew.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Replicated {
    nodes: Vec<usize>,
    low: Vec<Vec<f64>>,
    high: Vec<Vec<f64>>,
    /// How many graphs, and how often tables were drawn in all.
    rounds: usize,
    draws: usize,
}

/// The posterior of every node of the page.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Posteriors {
    pub(crate) exact: bool,
    pub(crate) posteriors: Vec<Vec<f64>>,
    /// Where something is done: what it would be if the same had only been seen; nothing if that cannot happen.
    pub(crate) observed: Option<Vec<Vec<f64>>>,
    /// Where something is done: the band over all graphs that are equally good; nothing where it would take too much memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) band: Option<Band>,
    /// What to beware of, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) caution: Option<String>,
    pub(crate) evidence_probability: f64,
    pub(crate) evidence_log_probability: f64,
    /// Of an estimate: the standard error of every number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) standard_errors: Option<Vec<Vec<f64>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) samples: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) effective_samples: Option<f64>,
}

/// The least and the most that each posterior can be under what is done.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Band {
    low: Vec<Vec<f64>>,
    high: Vec<Vec<f64>>,
    /// The arcs, `[parent, child]` as drawn, that it rests on.
    open: Vec<(usize, usize)>,
    /// How many graphs it is over, and whether these are all.
    members: usize,
    all_members: bool,
}

/// The states that are most probable together, one for every node of the page.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Explanation {
    pub(crate) states: Vec<u8>,
    pub(crate) probability: f64,
    pub(crate) log_probability: f64,
    pub(crate) evidence_probability: f64,
}

/// Asks the desk and sends the answer to whoever waits for it.
type Question = Box<dyn FnOnce(&mut Desk<'_>) + Send>;

/// Where an answer comes from.
type Answer<T> = oneshot::Receiver<Result<T, Refusal>>;

/// The way to the thread. When the last one is dropped the thread ends.
#[derive(Debug, Clone)]
pub(crate) struct Answers {
    line: SyncSender<Question>,
}

impl Answers {
    pub(crate) fn start(explored: Arc<Explored>) -> Result<Self, crate::Error> {
        let (line, questions) = sync_channel(WAITING);
        let work = move || work(&explored, &questions);
        let named = thread::Builder::new().name("answers".into());
        named.spawn(work).map_err(|error| crate::Error::Start(error.to_string()))?;
        Ok(Answers { line })
    }

    pub(crate) fn posteriors(&self, known: Known) -> Result<Answer<Posteriors>, Refusal> {
        self.ask(move |desk| desk.posteriors(&known))
    }

    pub(crate) fn explanation(&self, known: Known) -> Result<Answer<Explanation>, Refusal> {
        self.ask(move |desk| desk.explanation(&known))
    }

    /// What helps to decide about a target, as a document. It may take seconds, and is called off when nobody holds the second part any more.
    pub(crate) fn informed(&self, about: About) -> Result<(Answer<Value>, Arc<()>), Refusal> {
        let (here, gone) = while_waiting();
        Ok((self.ask(move |desk| desk.informed(about, gone))?, here))
    }

    /// What each action is worth; called off in the same way.
    pub(crate) fn decided(&self, decide: Decide) -> Result<(Answer<Value>, Arc<()>), Refusal> {
        let (here, gone) = while_waiting();
        Ok((self.ask(move |desk| desk.decided(decide, gone))?, here))
    }

    /// The band over what was learned again; called off in the same way. Nothing where nothing was, or no draw has an answer.
    pub(crate) fn replicated(&self, again: Again) -> Result<(Answer<Option<Replicated>>, Arc<()>), Refusal> {
        let (here, gone) = while_waiting();
        Ok((self.ask(move |desk| desk.replicated(again, &gone))?, here))
    }

    fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&mut Desk<'_>) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<Answer<T>, Refusal> {
        let (give, take) = oneshot::channel();
        // Whoever has left does not miss the answer.
        let asked = self.line.try_send(Box::new(move |desk| drop(give.send(question(desk)))));
        asked.map(|()| take).map_err(|error| match error {
            TrySendError::Full(_) => Refusal::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "too many questions at once: ask again in a moment",
            ),
            TrySendError::Disconnected(_) => bug(),
        })
    }
}

/// What somebody holds who waits for an answer, and what asks whether nobody does any more.
pub(crate) fn while_waiting() -> (Arc<()>, Stop) {
    let here = Arc::new(());
    let waiting = Arc::downgrade(&here);
    (here, Stop::when(move || waiting.strong_count() == 0))
}

/// What is said when an answer never came.
pub(crate) fn bug() -> Refusal {
    let why = "this is a bug in clausality, please report it: the question had no answer";
    Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, why)
}

fn work(explored: &Explored, questions: &Receiver<Question>) {
    let fresh = || Desk {
        window: Window::of(&explored.model),
        model: &explored.model,
        infer: Infer::new(explored.model.network.clone()).with_limit(explored.memory_limit),
        seed: explored.seed,
        memory_limit: explored.memory_limit,
        class: explored.model.class(),
    };
    let mut desk = fresh();
    for question in questions {
        // A panic is a bug of ours and costs one answer, not the page.
        if catch_unwind(AssertUnwindSafe(|| question(&mut desk))).is_err() {
            desk = fresh();
        }
    }
}

struct Desk<'m> {
    model: &'m Model,
    /// Which of its nodes the page has.
    window: Window,
    infer: Infer,
    seed: u64,
    memory_limit: u64,
    /// The graphs that are as good as the drawn one.
    class: Pdag,
}

impl Desk<'_> {
    fn posteriors(&mut self, known: &Known) -> Result<Posteriors, Refusal> {
        let evidence = self.evidence(known)?;
        let asked = self.ask(&evidence);
        let mut found = asked.map_err(|error| self.refused(error, &evidence))?;
        if !known.set.0.is_empty() {
            let seen = self.only_seen(&evidence).map_err(refusal)?;
            found.observed = match self.ask(&seen) {
                Ok(answer) => Some(answer.posteriors),
                // Only observed, it could not happen, or no sample has it.
                Err(Error::ImpossibleEvidence | Error::NoSampleAgrees { .. }) => None,
                Err(error) => return Err(refusal(error)),
            };
            if found.exact {
                found.band = self.band(&evidence).map_err(refusal)?;
            }
        }
        let done = match (&found.band, known.set.0.is_empty()) {
            (_, true) => None,
            (Some(_), false) => self.model.rests_on_rows(&evidence),
            (None, false) => self.model.taken_as_drawn(&evidence),
        };
        found.caution = self.model.caution(&evidence, done);
        Ok(found)
    }

    fn band(&self, evidence: &Evidence) -> Result<Option<Band>, Error> {
        let limit = self.memory_limit;
        match effects(&self.model.network, &self.class, self.window.nodes(), evidence, limit) {
            Ok(Effects { low, high, members, whole, open }) => {
                let open = open.into_iter().filter_map(|arc| self.window.arc(arc)).collect();
                Ok(Some(Band { low, high, open, members, all_members: whole }))
            }
            Err(Error::InferenceLimit { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn ask(&mut self, evidence: &Evidence) -> Result<Posteriors, Error> {
        let answer = |exact, posteriors, evidence: Tiny| Posteriors {
            exact,
            posteriors,
            observed: None,
            band: None,
            caution: None,
            evidence_probability: evidence.value(),
            evidence_log_probability: evidence.ln(),
            standard_errors: None,
            samples: None,
            effective_samples: None,
        };
        match self.infer.posteriors(evidence) {
            Err(Error::InferenceLimit { .. }) => {}
            found => {
                let shown = |found: Vec<Vec<f64>>| self.window.shown(found);
                return found.map(|found| answer(true, shown(found.probabilities), found.evidence));
            }
        }
        let found =
            weigh(self.infer.network(), self.window.nodes(), evidence, SAMPLES, self.seed, &|| false)?;
        Ok(Posteriors {
            standard_errors: Some(found.errors),
            samples: Some(found.samples),
            effective_samples: Some(found.effective),
            ..answer(false, found.probabilities, found.evidence)
        })
    }

    fn explanation(&mut self, known: &Known) -> Result<Explanation, Refusal> {
        let evidence = self.evidence(known)?;
        let nodes = self.window.nodes();
        let asked = self.infer.most_probable(nodes, &evidence);
        let found = asked.map_err(|error| self.refused(error, &evidence))?;
        Ok(Explanation {
            states: found.states.iter().map(|&(_, state)| state).collect(),
            probability: found.probability.value(),
            log_probability: found.probability.ln(),
            evidence_probability: found.evidence.value(),
        })
    }

    /// What to ask next, what each finding did and what would move the target most. Where there are more findings than can be told apart, the rest is
    /// answered, and `why_not` says why.
    fn informed(&self, about: About, gone: Stop) -> Result<Value, Refusal> {
        let named = self.infer.network().schema().index(&about.target);
        let target = named.ok_or_else(|| {
            let why = format!("there is no node {:?}", about.target);
            Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, why)
        })?;
        let About { evidence, likely, set, .. } = about;
        let evidence = self.evidence(&Known { evidence, likely, set })?;
        let question = self.model.question(vec![target], evidence).within(self.memory_limit).unless(gone);
        let nearest = about.nearest;
        // Every number of every table: too many where a first answer is wanted.
        let sensitivity = nearest.is_none() && self.infer.network().len() <= FEW_NODES;
        let wanted =
            |why| Wanted { next: true, tornado: true, why, nearest, sensitivity, ..Wanted::default() };
        let (found, why_not) = match question.informed(false, &wanted(true)) {
            Err(clausality::Error::Network(error @ Error::FindingCount { .. })) => {
                (question.informed(false, &wanted(false)), Some(error.to_string()))
            }
            found => (found, None),
        };
        let mut found = serde_json::to_value(found.map_err(unanswered)?).map_err(|_| bug())?;
        if let Some(why_not) = why_not {
            found["why_not"] = why_not.into();
        }
        if let Some(numbers) = found.get_mut("sensitivity").and_then(Value::as_array_mut) {
            nearest_flips(numbers);
        }
        Ok(found)
    }

    fn decided(&self, decide: Decide, gone: Stop) -> Result<Value, Refusal> {
        let Decide { decide, at_once, evidence, likely, set } = decide;
        let evidence = self.evidence(&Known { evidence, likely, set })?;
        let question = self.model.question(vec![], evidence).within(self.memory_limit).unless(gone);
        let wanted = Wanted { utility: Some(decide), at_once, ..Wanted::default() };
        serde_json::to_value(question.informed(false, &wanted).map_err(unanswered)?).map_err(|_| bug())
    }

    fn replicated(&self, again: Again, gone: &Stop) -> Result<Option<Replicated>, Refusal> {
        let Again { nodes: mut asked, evidence, likely, set } = again;
        let evidence = self.evidence(&Known { evidence, likely, set })?;
        asked.sort_unstable();
        asked.dedup();
        if let Some(strange) = asked.iter().find(|&&node| node >= self.window.nodes().len()) {
            let why = format!("there is no node of the number {strange}");
            return Err(Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, why));
        }
        let nodes: Vec<usize> = asked.iter().map(|&node| self.window.nodes()[node]).collect();
        let limit = self.memory_limit;
        let own = match effects(&self.model.network, &self.class, &nodes, &evidence, limit) {
            Err(Error::InferenceLimit { .. }) => return Ok(None),
            found => found.map_err(refusal)?,
        };
        let found = self.model.spread(&nodes, &evidence, &own, limit, Some(gone)).map_err(unanswered)?;
        Ok(found.map(|Spread { low, high, graphs, draws }| Replicated {
            nodes: asked,
            low,
            high,
            rounds: graphs,
            draws,
        }))
    }

    fn evidence(&self, known: &Known) -> Result<Evidence, Refusal> {
        let seen = known.evidence.0.iter().filter_map(|(node, seen)| match seen {
            Seen::State(state) => Some((node.as_str(), state.as_str())),
            Seen::Among(_) => None,
        });
        let set = known.set.0.iter().map(|(node, state)| (node.as_str(), state.as_str()));
        let (seen, set): (Vec<_>, Vec<_>) = (seen.collect(), set.collect());
        let mut evidence = self.model.evidence(&seen, &set).map_err(unanswered)?;
        for (name, seen) in &known.evidence.0 {
            let Seen::Among(labels) = seen else { continue };
            let shares = labels.iter().map(|label| (label.as_str(), 1.0));
            let (node, shares) = self.weighed(name, shares)?;
            evidence.among(node, shares).map_err(refusal)?;
        }
        for (name, likely) in &known.likely.0 {
            let likely = likely.0.iter().map(|(label, &number)| (label.as_str(), number));
            let (node, likelihood) = self.weighed(name, likely)?;
            evidence.likelihood(node, likelihood).map_err(refusal)?;
        }
        Ok(evidence)
    }

    /// A node, and a number for each of its states: 0 for those that are not named.
    fn weighed<'n>(
        &self,
        name: &str,
        named: impl Iterator<Item = (&'n str, f64)>,
    ) -> Result<(usize, Vec<f64>), Refusal> {
        let refuse = |why: String| Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, why);
        let schema = self.infer.network().schema();
        let node = schema.index(name).ok_or_else(|| refuse(format!("there is no node {name:?}")))?;
        let mut numbers = vec![0.0; schema.cardinality(node)];
        for (label, number) in named {
            let state = schema.variable(node).code(label);
            let state = state.ok_or_else(|| refuse(format!("the node {name:?} has no state {label:?}")))?;
            numbers[usize::from(state)] = number;
        }
        Ok((node, numbers))
    }

    /// A refusal that names the findings which cannot be together.
    fn refused(&mut self, error: Error, evidence: &Evidence) -> Refusal {
        let named = match error {
            Error::ImpossibleEvidence => self.model.contradiction(&mut self.infer, evidence),
            _ => None,
        };
        named.map_or_else(|| refusal(error), |why| Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, why))
    }

    /// The same, but nobody acted.
    fn only_seen(&self, evidence: &Evidence) -> Result<Evidence, Error> {
        let mut seen = Evidence::new(self.infer.network());
        for (node, finding) in evidence.findings().iter().enumerate() {
            match finding {
                Finding::Observed(state) | Finding::Set(state) => seen.observe(node, *state)?,
                Finding::Likelihood(shares) => seen.among(node, shares.clone())?,
                Finding::Free => {}
            }
        }
        Ok(seen)
    }
}

/// Of the numbers in the tables those that turn the answer with the smallest changes, one of each row.
fn nearest_flips(numbers: &mut Vec<Value>) {
    let change = |number: &Value| number["flip"]["change"].as_f64().map_or(f64::INFINITY, f64::abs);
    numbers.retain(|number| change(number).is_finite());
    numbers.sort_by(|a, b| change(a).total_cmp(&change(b)));
    let mut rows: Vec<(Value, Value)> = vec![];
    numbers.retain(|number| {
        let row = (number["node"].clone(), number["given"].clone());
        let fresh = rows.len() < FLIPS && !rows.contains(&row);
        fresh.then(|| rows.push(row)).is_some()
    });
}

/// A question that has no answer.
fn unanswered(error: clausality::Error) -> Refusal {
    match error {
        clausality::Error::Network(error) => refusal(error),
        other => Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, other.to_string()),
    }
}

/// A question that the network has no answer to.
fn refusal(error: Error) -> Refusal {
    let why = match &error {
        Error::ImpossibleEvidence => {
            "the network says that this cannot happen: the evidence has probability 0".to_string()
        }
        other => other.to_string(),
    };
    Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, why)
}
