//! The options about learning, shared by `strengths`, `learn` and `demo`.

use super::table::parser;
use crate::failure::Failure;
use crate::session::{Given, Session, written};
use clap::Args;
use clausality::Profile;
use clausality::encode::LiteralRule;
use clausality::strengths::{Balance, Ensemble, StrengthRule};
use serde::{Deserialize, Serialize};

/// Which machines learn, and how.
#[derive(Debug, Args, Serialize)]
#[serde(rename_all = "kebab-case")]
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
    /// Type III feedback: prune literals that tell nothing beside others of their clause; the larger D, the fewer [D: 200]
    #[arg(long, value_name = "D", num_args = 0..=1, default_missing_value = "200")]
    type_iii: Option<f64>,
    /// Fresh machines per column and model, at most: by context gain two are enough where both name the same two strongest columns
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

impl Given for LearnOptions {
    fn document(&self) -> Result<String, Failure> {
        written(self)
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
