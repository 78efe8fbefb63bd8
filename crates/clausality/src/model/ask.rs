//! Asking a network by names: posteriors, combinations of states, the most probable states, estimates.
//!
//! An [`Answer`] is a document: what `query --json` prints.

use super::Model;
use super::answer::{Answer, Combination, Distribution, Distributions, Named, Now, OverReplicates, Pairs};
use crate::Error;
use crate::watch::{Stage, Underway, Watch};
use clausality_bn::dynamic::DynamicNetwork;
use clausality_bn::effects::{effects, set_nodes};
use clausality_bn::infer::{DEFAULT_BYTES, Drawn, Evidence, Finding, Infer, InferSeries, Moment};
use clausality_bn::infer::{SeriesEvidence, Stop, Tiny, WEIGHED_AT_A_TIME, Weighted, weigh, weigh_series};
use clausality_bn::{Network, Schema};
use std::borrow::Cow;
use std::sync::Arc;

/// The most samples that an estimate is made from.
pub const MOST_SAMPLES: usize = 100_000_000;

/// Refuses more samples than [`MOST_SAMPLES`].
pub(super) fn check_samples(samples: usize) -> Result<(), Error> {
    if samples <= MOST_SAMPLES {
        return Ok(());
    }
    let expected = "at most 100000000: an estimate from so many is right to four digits";
    Err(Error::Setting { name: "samples", value: samples.to_string(), expected })
}

/// What is asked of a network.
#[derive(Debug, Clone)]
pub struct Question<'m> {
    pub(super) model: &'m Model,
    targets: Vec<usize>,
    evidence: Evidence,
    pub(super) memory: u64,
    past: Option<Past>,
    stop: Option<Stop>,
}

/// The rows of a series that are known beside the evidence of a question.
#[derive(Debug, Clone)]
pub(super) struct Past {
    pub(super) network: Arc<DynamicNetwork>,
    /// What the rows and the evidence say together.
    pub(super) known: SeriesEvidence,
    /// What the rows alone say.
    pub(super) alone: SeriesEvidence,
    /// The same where what is done was done.
    pub(super) ground: SeriesEvidence,
    /// Whose rows they are, and when now is.
    pub(super) now: Now,
    /// What each node of the question is in the series.
    pub(super) moments: Vec<Option<Moment>>,
    /// What the rows say of the nodes of the question, where that is all they say of the others ([`super::DynamicModel::around_rows`]).
    pub(super) window: Option<Evidence>,
}

impl Past {
    /// What is given beside the rows, as probable as the rows make it, and the series.
    fn weighed(&self, all: Tiny, rows: Tiny) -> (Tiny, Option<Now>) {
        (all.over(rows), Some(Now { log_probability: rows.ln(), ..self.now.clone() }))
    }

    /// The distribution of every target, and the probability of what is known.
    fn posteriors(
        &self,
        targets: &[usize],
        known: &SeriesEvidence,
        memory: u64,
    ) -> Result<(Vec<Vec<f64>>, Tiny), Error> {
        let mut infer = InferSeries::new(self.network.clone()).with_limit(memory);
        let mut seen = infer.evidence_probability(known)?;
        let mut out = Vec::with_capacity(targets.len());
        for &target in targets {
            let mut found = match self.moments[target] {
                Some(Moment::At(process, step)) => {
                    infer.posteriors(&[process], step..step + 1, known)?.swap_remove(0)
                }
                Some(Moment::Static(v)) => infer.static_posteriors(&[v], known)?,
                None => continue,
            };
            seen = found.evidence;
            out.push(found.probabilities.swap_remove(0));
        }
        Ok((out, seen))
    }

    /// An estimate of the distribution of every target.
    fn estimate(
        &self,
        targets: &[usize],
        known: &SeriesEvidence,
        drawn: Drawn,
        watch: &dyn Watch,
    ) -> Result<Weighted, Error> {
        // A target before the first step was refused when the question was put.
        let moments: Vec<Moment> = targets.iter().filter_map(|&target| self.moments[target]).collect();
        let stage = Underway::begin(watch, Stage::Weigh, known.last_step().unwrap_or(0));
        let next = || {
            stage.step();
            watch.cancelled()
        };
        Ok(weigh_series(&self.network, &moments, known, drawn, &next)?)
    }
}

impl Model {
    /// The probability of every state of a node, given the states or values of others.
    ///
    /// # Errors
    /// A name, state or value that the network does not know; evidence that cannot be; a question too large for
    /// [`DEFAULT_BYTES`].
    pub fn posterior(&self, target: &str, given: &[(&str, &str)]) -> Result<Distribution, Error> {
        let targets = vec![super::node(self.network.schema(), target)?];
        let evidence = self.evidence(given, &[])?;
        let mut answer = self.question(targets.clone(), evidence).posterior(false)?;
        let states = self.network.schema().variable(targets[0]).states.iter().cloned();
        Ok(Distribution(states.zip(answer.probabilities.swap_remove(0)).collect()))
    }

    /// A question about some nodes.
    pub fn question(&self, targets: Vec<usize>, evidence: Evidence) -> Question<'_> {
        Question { model: self, targets, evidence, memory: DEFAULT_BYTES, past: None, stop: None }
    }
}

impl<'m> Question<'m> {
    /// The same question, which may take so many bytes.
    pub fn within(self, memory: u64) -> Self {
        Question { memory, ..self }
    }

    /// The same question, the answer to which may be called off.
    pub fn unless(self, stop: Stop) -> Self {
        Question { stop: Some(stop), ..self }
    }

    /// The same question about a series whose rows are known.
    pub(super) fn after(self, past: Past) -> Self {
        Question { past: Some(past), ..self }
    }

    /// The nodes asked about.
    pub fn targets(&self) -> &[usize] {
        &self.targets
    }

    /// What is known.
    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// What asks whether the answer is still wanted.
    pub(super) fn stop(&self) -> Option<&Stop> {
        self.stop.as_ref()
    }

    fn network(&self) -> &'m Network {
        &self.model.network
    }

    pub(super) fn schema(&self) -> &'m Schema {
        self.network().schema()
    }

    pub(super) fn infer(&self) -> Infer {
        Infer::new(self.model.network.clone()).with_limit(self.memory).unless(self.stop.clone())
    }

    /// The distribution of every target, and if asked for that of all their states together.
    ///
    /// # Errors
    /// Evidence that cannot be; a question too large.
    pub fn posterior(&self, joint: bool) -> Result<Answer<'m>, Error> {
        if let Some(past) = &self.past {
            let joint =
                match joint && self.targets.len() > 1 {
                    true => {
                        let all = self.everything()?;
                        Some(self.combinations(
                            &self.infer().posterior(&self.targets, all.as_ref())?.probabilities,
                        ))
                    }
                    false => None,
                };
            let (probabilities, seen) = past.posteriors(&self.targets, &past.known, self.memory)?;
            let posterior = Some(self.distributions(&probabilities));
            let mut infer = InferSeries::new(past.network.clone()).with_limit(self.memory);
            let (seen, series) = past.weighed(seen, infer.evidence_probability(&past.ground)?);
            let caution = self.model.caution(&self.evidence, self.model.rests_on_rows(&self.evidence));
            return Ok(Answer { posterior, joint, caution, probabilities, series, ..self.answer(seen) });
        }
        let mut infer = self.infer();
        let found = infer.posteriors_of(&self.targets, &self.evidence);
        let found = found.map_err(|error| self.model.refused(&mut infer, &self.evidence, error))?;
        let joint = match joint && self.targets.len() > 1 {
            true => {
                let together = infer.posterior(&self.targets, &self.evidence)?.probabilities;
                Some(self.combinations(&together))
            }
            false => None,
        };
        let posterior = Some(self.distributions(&found.probabilities));
        let answer =
            Answer { posterior, joint, probabilities: found.probabilities, ..self.answer(found.evidence) };
        if set_nodes(&self.evidence).is_empty() {
            return Ok(answer);
        }
        let class = self.model.class();
        let band = effects(&self.model.network, &class, &self.targets, &self.evidence, self.memory)?;
        let spread =
            self.model.spread(&self.targets, &self.evidence, &band, self.memory, self.stop.as_ref())?;
        let replicates = spread.as_ref().map(|spread| OverReplicates {
            low: self.distributions(&spread.low),
            high: self.distributions(&spread.high),
            rounds: spread.graphs,
            draws: spread.draws,
        });
        Ok(Answer {
            replicates,
            spread,
            caution: self.model.caution(&self.evidence, self.model.rests_on_rows(&self.evidence)),
            low: Some(self.distributions(&band.low)),
            high: Some(self.distributions(&band.high)),
            open: Some(self.model.named_arcs(&band.open)),
            members: Some(band.members),
            all_members: Some(band.whole),
            band: Some(band),
            ..answer
        })
    }

    /// What the network says of the targets before the evidence, where that is as easy to tell.
    pub fn before(&self) -> Option<Vec<Vec<f64>>> {
        let known = !self.evidence.is_empty();
        if let Some(past) = self.past.as_ref().filter(|_| known) {
            return past.posteriors(&self.targets, &past.alone, self.memory).ok().map(|(found, _)| found);
        }
        let mut infer = self.infer();
        let nothing = Evidence::new(self.network());
        known
            .then(|| infer.posteriors_of(&self.targets, &nothing).ok())
            .flatten()
            .map(|found| found.probabilities)
    }

    /// An estimate from weighted samples, at most [`MOST_SAMPLES`].
    ///
    /// # Errors
    /// Evidence that no sample agrees with; more samples than that; [`Error::Cancelled`].
    pub fn estimate(&self, samples: usize, seed: u64, watch: &dyn Watch) -> Result<Answer<'m>, Error> {
        check_samples(samples)?;
        let mut series = None;
        let found = match &self.past {
            Some(past) => {
                let drawn = Drawn { samples, seed, limit: self.memory };
                let mut found = past.estimate(&self.targets, &past.known, drawn, watch)?;
                let given =
                    |finding: &Finding| matches!(finding, Finding::Observed(_) | Finding::Likelihood(_));
                let rows = match self.evidence.findings().iter().any(given) {
                    false => found.evidence,
                    true => past.estimate(&[], &past.ground, drawn, watch)?.evidence,
                };
                (found.evidence, series) = past.weighed(found.evidence, rows);
                found
            }
            None => {
                let stage = Underway::begin(watch, Stage::Weigh, samples.div_ceil(WEIGHED_AT_A_TIME));
                let next = || {
                    stage.step();
                    watch.cancelled()
                };
                weigh(self.network(), &self.targets, &self.evidence, samples, seed, &next)?
            }
        };
        Ok(Answer {
            posterior: Some(self.distributions(&found.probabilities)),
            standard_error: Some(self.distributions(&found.errors)),
            samples: Some(samples),
            effective_samples: Some(found.effective),
            seed: Some(seed),
            caution: self.model.caution(&self.evidence, self.model.taken_as_drawn(&self.evidence)),
            series,
            probabilities: found.probabilities,
            errors: found.errors,
            ..self.answer(found.evidence)
        })
    }

    /// What is known and done, without an answer about a target.
    ///
    /// # Errors
    /// Evidence that cannot be; a question too large.
    pub fn known(&self) -> Result<Answer<'m>, Error> {
        if let Some(past) = &self.past {
            let (seen, series) = self.given_rows(past)?;
            return Ok(Answer { series, ..self.answer(seen) });
        }
        let mut infer = self.infer();
        let seen = infer.evidence_probability(&self.evidence);
        Ok(self.answer(seen.map_err(|error| self.model.refused(&mut infer, &self.evidence, error))?))
    }

    /// How probable what is given beside the rows is, and the series.
    fn given_rows(&self, past: &Past) -> Result<(Tiny, Option<Now>), Error> {
        let mut infer = InferSeries::new(past.network.clone()).with_limit(self.memory);
        let all = infer.evidence_probability(&past.known)?;
        Ok(past.weighed(all, infer.evidence_probability(&past.ground)?))
    }

    /// The most probable states together: of the targets, or if none is named of all nodes that are told of and that no row says.
    ///
    /// # Errors
    /// Evidence that cannot be; a question too large; rows that leave nothing open.
    pub fn most_probable(&self) -> Result<Answer<'m>, Error> {
        let mut infer = self.infer();
        let all = self.everything()?;
        let shown = self.told()?;
        let found = infer.most_probable(&shown, &all);
        let found = match found {
            // To sum out the past takes more than to tell of it, too.
            Err(clausality_bn::Error::InferenceLimit { .. }) if self.targets.is_empty() => {
                infer.most_probable(&[], &all)
            }
            found => found,
        };
        let found = found.map_err(|error| self.model.refused(&mut infer, &all, error))?;
        let (seen, series) = match &self.past {
            Some(past) => self.given_rows(past)?,
            None => (found.evidence, None),
        };
        let state = |&(node, code): &(usize, u8)| {
            (self.schema().name(node), self.schema().variable(node).states[usize::from(code)].as_str())
        };
        Ok(Answer {
            most_probable: Some(Pairs(found.states.iter().map(state).collect())),
            probability: Some(found.probability.value()),
            together: Some(found.probability),
            nodes: found.states.iter().map(|&(node, _)| node).collect(),
            caution: self.model.caution(&self.evidence, self.model.taken_as_drawn(&self.evidence)),
            series,
            ..self.answer(seen)
        })
    }

    /// The targets, or where none is named the nodes that are told of; what the rows say needs no telling.
    fn told(&self) -> Result<Vec<usize>, Error> {
        if !self.targets.is_empty() {
            return Ok(self.targets.clone());
        }
        let rows = self.past.as_ref().and_then(|past| past.window.as_ref());
        let open = |node: &usize| rows.is_none_or(|rows| rows.finding(*node).state().is_none());
        let told: Vec<usize> = self.model.shown().into_iter().filter(open).collect();
        match told.is_empty() {
            false => Ok(told),
            true => {
                let expected = "steps that the rows leave open: name one ahead as the target";
                Err(Error::Setting { name: "mpe", value: "everything that is known".into(), expected })
            }
        }
    }

    /// What is known and done, with what the rows say of the nodes.
    pub(super) fn everything(&self) -> Result<Cow<'_, Evidence>, Error> {
        let Some(past) = &self.past else { return Ok(Cow::Borrowed(&self.evidence)) };
        let Some(rows) = &past.window else {
            let expected = "asked of the steps that its rows reach to (around_rows)";
            return Err(Error::Setting { name: "rows", value: past.now.table.clone(), expected });
        };
        let mut all = rows.clone();
        for (node, finding) in self.evidence.findings().iter().enumerate() {
            match finding {
                Finding::Free => {}
                Finding::Observed(state) => all.observe(node, *state)?,
                Finding::Set(state) => all.intervene(node, *state)?,
                Finding::Likelihood(shares) => all.among(node, shares.clone())?,
            }
        }
        Ok(Cow::Owned(all))
    }

    /// The state in which a row has a node, and whose row that is.
    pub(super) fn in_rows(&self, node: usize) -> Option<(u8, &Now)> {
        let past = self.past.as_ref()?;
        Some((past.window.as_ref()?.finding(node).state()?, &past.now))
    }

    /// What every answer holds.
    fn answer(&self, seen: Tiny) -> Answer<'m> {
        let schema = self.schema();
        let mut answer = Answer {
            model: &self.model.source,
            target: self.names(),
            evidence_probability: seen.value(),
            evidence_log_probability: seen.ln(),
            version: env!("CARGO_PKG_VERSION"),
            seen,
            caution: self.model.caution(&self.evidence, None),
            ..Answer::default()
        };
        for (node, finding) in self.evidence.findings().iter().enumerate() {
            let variable = schema.variable(node);
            let state = |code: u8| variable.states[usize::from(code)].as_str();
            match finding {
                Finding::Free => {}
                Finding::Observed(code) => answer.evidence.0.push((&variable.name, state(*code))),
                Finding::Set(code) => answer.set.0.push((&variable.name, state(*code))),
                Finding::Likelihood(numbers) => {
                    answer.likelihood.0.push((&variable.name, self.labelled(node, numbers)));
                }
            }
        }
        answer
    }

    fn names(&self) -> Named<'m> {
        match self.targets[..] {
            [target] => Named::One(self.schema().name(target)),
            _ => Named::Several(self.targets.iter().map(|&t| self.schema().name(t)).collect()),
        }
    }

    pub(super) fn labelled(&self, node: usize, numbers: &[f64]) -> Pairs<'m, f64> {
        let states = self.schema().variable(node).states.iter().map(String::as_str);
        Pairs(states.zip(numbers.iter().copied()).collect())
    }

    fn distributions(&self, numbers: &[Vec<f64>]) -> Distributions<'m> {
        let of = |(&t, numbers): (&usize, &Vec<f64>)| (self.schema().name(t), self.labelled(t, numbers));
        match self.targets[..] {
            [target] => Distributions::One(self.labelled(target, &numbers[0])),
            _ => Distributions::Several(Pairs(self.targets.iter().zip(numbers).map(of).collect())),
        }
    }

    /// All combinations of the targets' states, the last target's varying fastest.
    fn combinations(&self, probabilities: &[f64]) -> Vec<Combination<'m>> {
        let combination = |(k, &probability): (usize, &f64)| {
            let mut rest = k;
            let mut states = vec![];
            for &t in self.targets.iter().rev() {
                let variable = self.schema().variable(t);
                states.push((variable.name.as_str(), variable.states[rest % variable.states.len()].as_str()));
                rest /= variable.states.len();
            }
            states.reverse();
            Combination { states: Pairs(states), probability }
        };
        probabilities.iter().enumerate().map(combination).collect()
    }
}
