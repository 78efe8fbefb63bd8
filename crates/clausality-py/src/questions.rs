//! Questions to a network, by names.

use crate::errors::Failure;
use crate::options;
use crate::work::Progress;
use clausality::bn::Variable;
use clausality::bn::dynamic::Lagged;
use clausality::bn::infer::{Evidence, Stop};
use clausality::bn::io::Limits;
use clausality::data::Coding;
use clausality::model::{self, DynamicModel, Model, NameError, Said, SeriesRows, Utility, Wanted};
use clausality::model::{narrowed, no_state, not_one};
use clausality::time::Track;
use serde::Deserialize;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;

/// What is asked, and what is known.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Question {
    targets: Vec<String>,
    /// Nodes that were observed: in a state, by a value or a range, or in one of several.
    given: Vec<(String, Vec<String>)>,
    /// Nodes that are set.
    set: Vec<(String, String)>,
    /// Reports about nodes: how likely each would be in which state.
    likely: Vec<(String, Vec<(String, f64)>)>,
    asked: Asked,
    samples: Option<usize>,
    seed: u64,
}

/// What helps to decide, as it is asked for.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Asks {
    next: bool,
    costs: Vec<(String, f64)>,
    why: bool,
    tornado: bool,
    sensitivity: bool,
    /// What is worth what: a document, or a file.
    utility: Option<Value>,
    utility_file: Option<PathBuf>,
}

impl Asks {
    pub(crate) fn wanted(self, limits: &Limits) -> Result<Wanted, Failure> {
        let utility = match (self.utility, self.utility_file) {
            (Some(document), _) => Some(Utility::from_json(&document.to_string())?),
            (None, Some(file)) => Some(Utility::read(&file, limits)?),
            (None, None) => None,
        };
        let Asks { next, costs, why, tornado, sensitivity, .. } = self;
        Ok(Wanted { next, costs, why, tornado, sensitivity, utility, ..Wanted::default() })
    }
}

/// Of a network over time: the rows of a series that are known.
pub(crate) struct Past<'r> {
    pub(crate) dynamic: &'r DynamicModel,
    pub(crate) rows: &'r SeriesRows,
    pub(crate) track: &'r Track,
}

/// What kind of answer is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Asked {
    Posterior,
    Joint,
    Mpe,
}

impl Question {
    /// The steps that it speaks of, of a network over time.
    pub(crate) fn steps(&self) -> Vec<i64> {
        let given = self.given.iter().map(|(name, _)| name);
        let set = self.set.iter().map(|(name, _)| name);
        let likely = self.likely.iter().map(|(name, _)| name);
        let names = self.targets.iter().chain(given).chain(set).chain(likely);
        names.filter_map(|name| Lagged::parse(name).step).collect()
    }

    /// Whether it is about states together, and not about every target by itself.
    pub(crate) fn is_together(&self) -> bool {
        matches!(self.asked, Asked::Joint | Asked::Mpe)
    }

    /// The answer as JSON text, and what deserves to be said of the values that were given.
    pub(crate) fn answer(
        &self,
        model: &Model,
        past: Option<Past<'_>>,
        memory: u64,
        progress: &Arc<Progress>,
    ) -> Result<(String, Vec<String>), Failure> {
        let (question, mut told) = self.asked(model, past, memory, progress)?;
        let avoidable = |error| Failure::Avoidable(Box::new(error));
        let json = match (self.asked, self.samples) {
            (Asked::Mpe, _) => options::json(&question.most_probable().map_err(avoidable)?)?,
            (_, Some(samples)) => {
                let found = question.estimate(samples, self.seed, &**progress)?;
                let worth = found.effective_samples.unwrap_or_default();
                if worth < 100.0 && !question.evidence().is_empty() {
                    told.push(format!(
                        "the {samples} samples count only as much as {worth:.0} unweighted ones: draw more"
                    ));
                }
                options::json(&found)?
            }
            (asked, None) => options::json(&question.posterior(asked == Asked::Joint).map_err(avoidable)?)?,
        };
        Ok((json, told))
    }

    /// The answer with what helps to decide, as JSON text, and what deserves to be said of it.
    pub(crate) fn insight(
        &self,
        model: &Model,
        past: Option<Past<'_>>,
        wanted: &Wanted,
        memory: u64,
        progress: &Arc<Progress>,
    ) -> Result<(String, Vec<String>), Failure> {
        let (question, mut told) = self.asked(model, past, memory, progress)?;
        let informed = question.informed(false, wanted)?;
        told.extend(informed.notice());
        Ok((options::json(&informed)?, told))
    }

    fn asked<'m>(
        &self,
        model: &'m Model,
        past: Option<Past<'_>>,
        memory: u64,
        progress: &Arc<Progress>,
    ) -> Result<(model::Question<'m>, Vec<String>), Failure> {
        let schema = model.network.schema();
        let mut targets = Vec::with_capacity(self.targets.len());
        for name in &self.targets {
            let node = model::node(schema, name)?;
            if targets.contains(&node) {
                return Err(NameError::Twice(name.clone()).into());
            }
            targets.push(node);
        }
        let (evidence, told) = self.evidence(model)?;
        let question = match past {
            None => model.question(targets, evidence),
            Some(Past { dynamic, rows, track }) => {
                dynamic.question_after(rows, track, model, targets, evidence)?
            }
        };
        let progress = Arc::clone(progress);
        Ok((question.within(memory).unless(Stop::when(move || progress.is_cancelled())), told))
    }

    fn evidence(&self, model: &Model) -> Result<(Evidence, Vec<String>), Failure> {
        let (schema, coding) = (model.network.schema(), model.coding()?);
        let coding = coding.as_ref();
        let mut told = Vec::new();
        let mut tell = |notice: Option<String>| told.extend(notice);
        let beyond = |variable: &Variable, text: &str| model::beyond(variable, coding?, text);
        let mut evidence = Evidence::new(&model.network);
        let mut found = Vec::new();
        for (name, texts) in &self.given {
            let node = model::node(schema, name)?;
            texts.iter().for_each(|text| tell(beyond(schema.variable(node), text)));
            found.push((node, any_of(schema.variable(node), coding, texts)?));
        }
        for (node, said) in narrowed(schema, found)? {
            match said {
                Said::State(code) => evidence.observe(node, code)?,
                Said::Among(shares) => evidence.among(node, shares)?,
            }
        }
        for (name, text) in &self.set {
            let node = model::node(schema, name)?;
            let variable = schema.variable(node);
            let code = model::state(variable, coding, text);
            tell(beyond(variable, text));
            tell(coding.and_then(|coding| model::out_of_reach(variable, coding)));
            evidence.intervene(node, code.ok_or_else(|| not_one(variable, coding, text))?)?;
        }
        for (name, weights) in &self.likely {
            let node = model::node(schema, name)?;
            evidence.likelihood(node, likelihood(schema.variable(node), coding, weights)?)?;
        }
        Ok((evidence, told))
    }
}

/// A state, or one of several.
fn any_of(variable: &Variable, coding: Option<&Coding>, texts: &[String]) -> Result<Said, NameError> {
    let said =
        |text: &String| model::said(variable, coding, text).ok_or_else(|| no_state(variable, coding, text));
    if let [only] = texts {
        return said(only);
    }
    let mut shares = vec![0.0; variable.cardinality()];
    for text in texts {
        match said(text)? {
            Said::State(code) => shares[usize::from(code)] = 1.0,
            Said::Among(more) => {
                shares.iter_mut().zip(more).for_each(|(share, more)| *share = more.max(*share))
            }
        }
    }
    Ok(Said::Among(shares))
}

/// A number for every state; `*` stands for all that are not listed.
pub(crate) fn likelihood(
    variable: &Variable,
    coding: Option<&Coding>,
    weights: &[(String, f64)],
) -> Result<Vec<f64>, Failure> {
    let mut given: Vec<Option<f64>> = vec![None; variable.cardinality()];
    let mut others = None;
    for (text, weight) in weights {
        let place = match model::state(variable, coding, text) {
            Some(code) => &mut given[usize::from(code)],
            None if text == "*" => &mut others,
            None => return Err(no_state(variable, coding, text).into()),
        };
        if place.replace(*weight).is_some() {
            return Err(Failure::Input(format!("likely: a state of '{}' is listed twice", variable.name)));
        }
    }
    let missing = given.iter().position(|weight| weight.or(others).is_none());
    if let Some(state) = missing {
        let (node, state) = (&variable.name, &variable.states[state]);
        return Err(Failure::Input(format!(
            "likely: '{node}' has no number for its state '{state}': list every state, or '*' for the rest"
        )));
    }
    Ok(given.into_iter().filter_map(|weight| weight.or(others)).collect())
}
