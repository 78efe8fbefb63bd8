//! Questions to the network, answered by one thread that keeps what it has compiled.
//!
//! Exact answers by the junction tree; where that would take more than the memory allowed, likelihood weighting with the standard
//! error of every number. Questions wait in a short line: a page asks the next one when it has its answer.

use crate::Explored;
use crate::reply::Refusal;
use axum::http::StatusCode;
use clausality::bn::effects::{Effects, effects};
use clausality::bn::infer::{Evidence, Finding, Infer, Stop, Tiny, weigh};
use clausality::bn::{Error, Pdag};
use clausality::model::{Model, Wanted};
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread;
use tokio::sync::oneshot;

/// Samples where an exact answer would take too much memory.
pub(crate) const SAMPLES: usize = 20_000;
/// Questions that may wait.
const WAITING: usize = 32;

/// What is known and what is done: node → state, by name and label.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Known {
    #[serde(deserialize_with = "each_once")]
    pub(crate) evidence: BTreeMap<String, String>,
    #[serde(rename = "do", deserialize_with = "each_once")]
    pub(crate) set: BTreeMap<String, String>,
}

/// A map that names each key once: of two values one would be forgotten, and nobody would hear of it.
fn each_once<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, String>, D::Error> {
    struct EachOnce;
    impl<'de> Visitor<'de> for EachOnce {
        type Value = BTreeMap<String, String>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("{NODE: STATE}, each node once")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut found = BTreeMap::new();
            while let Some((node, state)) = map.next_entry::<String, String>()? {
                if let Some(before) = found.insert(node.clone(), state) {
                    return Err(A::Error::custom(format!("{node:?} is named twice, first as {before:?}")));
                }
            }
            Ok(found)
        }
    }
    from.deserialize_map(EachOnce)
}

/// What is asked about one node.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct About {
    pub(crate) target: String,
    #[serde(default, deserialize_with = "each_once")]
    pub(crate) evidence: BTreeMap<String, String>,
    #[serde(default, rename = "do", deserialize_with = "each_once")]
    pub(crate) set: BTreeMap<String, String>,
    /// Only so many nodes, those nearest to the target: for a first answer where there are hundreds.
    #[serde(default)]
    pub(crate) nearest: Option<usize>,
}

/// The posterior of every node, in the order of the network.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Posteriors {
    pub(crate) exact: bool,
    pub(crate) posteriors: Vec<Vec<f64>>,
    /// Where something is done: what it would be if the same had only been seen; nothing if that cannot happen.
    pub(crate) observed: Option<Vec<Vec<f64>>>,
    /// Where something is done: the band over all graphs that are equally good; nothing where it would take too much memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) band: Option<Band>,
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

/// The states that are most probable together, in the order of the network.
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
        let here = Arc::new(());
        let waiting = Arc::downgrade(&here);
        let gone = Stop::when(move || waiting.strong_count() == 0);
        Ok((self.ask(move |desk| desk.informed(about, gone))?, here))
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

/// What is said when an answer never came.
pub(crate) fn bug() -> Refusal {
    let why = "this is a bug in clausality, please report it: the question had no answer";
    Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, why)
}

fn work(explored: &Explored, questions: &Receiver<Question>) {
    let fresh = || Desk {
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
        if !known.set.is_empty() {
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
        Ok(found)
    }

    fn band(&self, evidence: &Evidence) -> Result<Option<Band>, Error> {
        let all: Vec<usize> = (0..self.infer.network().len()).collect();
        let limit = self.memory_limit;
        match effects(&self.model.network, &self.class, &all, evidence, limit) {
            Ok(Effects { low, high, members, whole, open }) => {
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
            evidence_probability: evidence.value(),
            evidence_log_probability: evidence.ln(),
            standard_errors: None,
            samples: None,
            effective_samples: None,
        };
        match self.infer.posteriors(evidence) {
            Err(Error::InferenceLimit { .. }) => {}
            found => return found.map(|found| answer(true, found.probabilities, found.evidence)),
        }
        let all: Vec<usize> = (0..self.infer.network().len()).collect();
        let found = weigh(self.infer.network(), &all, evidence, SAMPLES, self.seed, &|| false)?;
        Ok(Posteriors {
            standard_errors: Some(found.errors),
            samples: Some(found.samples),
            effective_samples: Some(found.effective),
            ..answer(false, found.probabilities, found.evidence)
        })
    }

    fn explanation(&mut self, known: &Known) -> Result<Explanation, Refusal> {
        let evidence = self.evidence(known)?;
        let asked = self.infer.most_probable(&[], &evidence);
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
        let evidence = self.evidence(&Known { evidence: about.evidence, set: about.set })?;
        let question = self.model.question(vec![target], evidence).within(self.memory_limit).unless(gone);
        let nearest = about.nearest;
        let wanted = |why| Wanted { next: true, tornado: true, why, nearest, ..Wanted::default() };
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
        Ok(found)
    }

    fn evidence(&self, known: &Known) -> Result<Evidence, Refusal> {
        fn pairs(states: &BTreeMap<String, String>) -> Vec<(&str, &str)> {
            states.iter().map(|(node, state)| (node.as_str(), state.as_str())).collect()
        }
        self.model.evidence(&pairs(&known.evidence), &pairs(&known.set)).map_err(unanswered)
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
