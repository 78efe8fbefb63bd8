//! The options about learning, shared by `strengths`, `learn` and `demo`.

use crate::failure::Failure;
use crate::session::Session;
use crate::table_args::parser;
use clap::Args;
use clausality::data::{DataParams, Discretize};
use clausality::params::{Balance, Ensemble, LiteralRule, StrengthRule};
use clausality::{Event, LearnParams, Profile, Stage, Watch};
use indicatif::ProgressBar;
use serde::{Deserialize, Serialize};
use std::sync::Mutex;

/// Which machines learn, and how.
#[derive(Debug, Args)]
#[command(next_help_heading = "Learning")]
pub(crate) struct LearnOptions {
    /// hybrid: small machines and context gain; paper: the paper's algorithms as written [default: hybrid]
    #[arg(long, value_name = "NAME", value_parser = parser::<Profile>(&["hybrid", "paper"]))]
    profile: Option<Profile>,
    /// Which machines vote [default: single; paper5 in the paper profile]
    #[arg(long, value_name = "NAME", value_parser = parser::<Ensemble>(&["single", "paper5", "supply", "random"]))]
    ensemble: Option<Ensemble>,
    /// Which machines of the ensemble: I, II, III, IV, V [default: all]
    #[arg(long, value_name = "I,…", value_delimiter = ',')]
    models: Option<Vec<String>>,
    /// Clauses of every machine
    #[arg(long, value_name = "N")]
    clauses: Option<usize>,
    /// Votes at which a class stops learning (T)
    #[arg(long, value_name = "N")]
    threshold: Option<u32>,
    /// How seldom a literal is forgotten (s)
    #[arg(long, value_name = "X")]
    specificity: Option<f64>,
    /// The longest clause that still learns
    #[arg(long, value_name = "N")]
    literal_budget: Option<usize>,
    /// Fresh machines per column and model
    #[arg(long, value_name = "N")]
    rounds: Option<usize>,
    /// Passes over the rows of a round
    #[arg(long, value_name = "N")]
    epochs: Option<usize>,
    /// Rows that a round trains on at most
    #[arg(long, value_name = "N")]
    samples: Option<usize>,
    /// What makes a feature strong: context gain, or equation (1) of the paper as votes or as a sum
    #[arg(long, value_name = "RULE", value_parser = parser::<StrengthRule>(&["gain", "votes", "sum"]))]
    strength: Option<StrengthRule>,
    /// Subtract what the same fits find for a permuted target; doubles the time
    #[arg(long)]
    null: bool,
    /// Rounds of the permuted target [default: as many as of the true one]
    #[arg(long, value_name = "N")]
    null_rounds: Option<usize>,
    /// Permuted copies added as features, as a share of the features
    #[arg(long, value_name = "X")]
    shadows: Option<f64>,
    /// Stronger features that a feature's context gain must survive [default: 3]
    #[arg(long, value_name = "N")]
    rivals: Option<usize>,
    /// How many rows of each class a round trains on [default: balanced]
    #[arg(long, value_name = "HOW", value_parser = parser::<Balance>(&["balanced", "under", "none"]))]
    balance: Option<Balance>,
    /// Literals by the scale of a column, or the paper's thermometer for all [default: scale]
    #[arg(long, value_name = "HOW", value_parser = parser::<LiteralRule>(&["scale", "paper"]))]
    encoding: Option<LiteralRule>,
    /// Above so many literals a machine sees only part of the columns [default: 500]
    #[arg(long, value_name = "N")]
    literal_limit: Option<usize>,
}

impl LearnOptions {
    /// The options of the command line over those of the configuration file over the defaults.
    pub(crate) fn params(&self, session: &Session) -> Result<LearnParams, Failure> {
        let mut params: LearnParams = session.config.section()?;
        params.seed = session.seed;
        params.profile = self.profile.unwrap_or(params.profile);
        params.ensemble = self.ensemble.or(params.ensemble);
        params.models = self.models.clone().unwrap_or(params.models);
        params.clauses = self.clauses.or(params.clauses);
        params.threshold = self.threshold.or(params.threshold);
        params.specificity = self.specificity.or(params.specificity);
        params.literal_budget = self.literal_budget.or(params.literal_budget);
        params.rounds = self.rounds.or(params.rounds);
        params.epochs = self.epochs.or(params.epochs);
        params.samples = self.samples.or(params.samples);
        params.strength = self.strength.or(params.strength);
        params.null |= self.null;
        params.null_rounds = self.null_rounds.or(params.null_rounds);
        params.shadows = self.shadows.or(params.shadows);
        params.rivals = self.rivals.unwrap_or(params.rivals);
        params.balance = self.balance.unwrap_or(params.balance);
        params.encoding = self.encoding.unwrap_or(params.encoding);
        params.literal_limit = self.literal_limit.unwrap_or(params.literal_limit);
        params.check()?;
        Ok(params)
    }
}

impl LearnOptions {
    /// The profile that the user asks for, if any.
    pub(crate) fn asked_profile(&self, session: &Session) -> Result<Option<Profile>, Failure> {
        let file: AskedProfile = session.config.section()?;
        Ok(self.profile.or(file.profile))
    }
}

/// The profile in a configuration file, if it is there.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct AskedProfile {
    profile: Option<Profile>,
}

/// How many features to show.
#[derive(Debug, Args)]
pub(crate) struct TopArgs {
    /// How many features to list for every column; for explain, how many rules and features
    #[arg(long, value_name = "N")]
    top: Option<usize>,
}

/// The same in a configuration file.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct TopParams {
    top: Option<usize>,
}

impl TopArgs {
    /// The option over the configuration file over the command's own default.
    pub(crate) fn top(&self, session: &Session, default: usize) -> Result<usize, Failure> {
        let file: TopParams = session.config.section()?;
        Ok(self.top.or(file.top).unwrap_or(default))
    }
}

/// The paper cuts numbers into bins of equal width, unless the user says otherwise.
pub(crate) fn suit_profile(data: &mut DataParams, profile: Profile) {
    if profile == Profile::Paper {
        data.discretize.get_or_insert(Discretize::Width);
    }
}

/// Shows how far the work is.
pub(crate) struct Progress<'a> {
    session: &'a Session,
    bar: Mutex<Option<ProgressBar>>,
}

impl<'a> Progress<'a> {
    pub(crate) fn new(session: &'a Session) -> Self {
        Progress { session, bar: Mutex::new(None) }
    }
}

impl Watch for Progress<'_> {
    fn event(&self, event: Event) {
        let Ok(mut bar) = self.bar.lock() else { return };
        match event {
            Event::Begin { stage, steps } => {
                let what = match stage {
                    Stage::Validate => "validating",
                    Stage::Bootstrap => "learning again",
                    _ => "training",
                };
                *bar = Some(self.session.progress(what, steps));
            }
            Event::Step { .. } => bar.iter().for_each(|bar| bar.inc(1)),
            Event::End { .. } => {
                if let Some(bar) = bar.take() {
                    bar.finish_and_clear();
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::keys_of;
    use clap::Command;

    #[test]
    fn every_parameter_has_an_option_of_its_name() {
        let command = LearnOptions::augment_args(Command::new("test"));
        let options: Vec<_> = command.get_arguments().filter_map(|arg| arg.get_long()).collect();
        for key in keys_of::<LearnParams>().iter().filter(|key| *key != "seed") {
            assert!(options.contains(&key.as_str()), "--{key} is missing");
        }
    }
}
