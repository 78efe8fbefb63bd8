//! The options about the network, shared by `learn` and `demo`: roles and rules, and how strengths become arcs.

use super::findings::names;
use super::table::parser;
use crate::failure::Failure;
use crate::session::{Given, Session, written};
use clap::Args;
use clausality::assemble::{
    Assembler, Competing, Cycles, NetworkSettings, PriorName, ScoreName, TreeWeights,
};
use clausality::config::utf8;
use clausality::rules::NamedArc;
use serde::{Serialize, Serializer};
use std::path::{Path, PathBuf};

/// What is known beforehand.
#[derive(Debug, Args, Serialize)]
#[serde(rename_all = "kebab-case")]
#[command(next_help_heading = "Roles and rules")]
pub(crate) struct RuleArgs {
    /// Columns that nothing points into; names with commas in double quotes: '"a,b",c'
    #[arg(long, value_name = "A,B", value_parser = NameList::parse)]
    #[serde(serialize_with = "all_names")]
    parameter: Option<Vec<NameList>>,
    /// Labels, that is columns to be inferred from the others, marked as such in every result; names as for
    /// --parameter. The paper's assembly gives them their parents last, other assemblers treat them like any column
    #[arg(long, value_name = "Y", value_parser = NameList::parse)]
    #[serde(serialize_with = "all_names")]
    unobserved: Option<Vec<NameList>>,
    /// An arc that must be there (may be given again)
    #[arg(long, value_name = "P>C")]
    require: Option<Vec<NamedArc>>,
    /// An arc that must not be there (may be given again)
    #[arg(long, value_name = "P>C")]
    forbid: Option<Vec<NamedArc>>,
    /// A file with a line of column names (as for --parameter) for every tier: no arc runs from a later into an earlier
    /// one, columns in no tier are free; in a configuration file the tiers themselves, as lists
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    tiers: Option<PathBuf>,
    /// The most parents that a node may have
    #[arg(long, value_name = "N")]
    max_parents: Option<usize>,
}

/// What one use of a list option holds.
#[derive(Debug, Clone)]
pub(crate) struct NameList(Vec<String>);

impl NameList {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        names(text).map(NameList)
    }
}

/// The names of all uses of a list option.
pub(crate) fn all_names<S: Serializer>(
    lists: &Option<Vec<NameList>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let all =
        |lists: &Vec<NameList>| lists.iter().flat_map(|list| list.0.iter().cloned()).collect::<Vec<_>>();
    lists.as_ref().map(all).serialize(serializer)
}

impl RuleArgs {
    /// The file of tiers, if one was named.
    pub(crate) fn tiers_file(&self) -> Option<&Path> {
        self.tiers.as_deref()
    }
}

impl Given for RuleArgs {
    fn document(&self) -> Result<String, Failure> {
        let mut text = written(self)?;
        if let Some(path) = &self.tiers {
            text.push_str(&written(&Tiers { tiers: read_tiers(path)? })?);
        }
        Ok(text)
    }
}

/// The tiers as a setting.
#[derive(Serialize)]
struct Tiers {
    tiers: Vec<Vec<String>>,
}

/// One tier a line, names between commas, blank lines passed over.
fn read_tiers(path: &Path) -> Result<Vec<Vec<String>>, Failure> {
    let file = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|source| clausality::Error::Io { file: file.clone(), source })?;
    let text = utf8(&file, bytes)?;
    let mut tiers: Vec<Vec<String>> = vec![];
    for (k, line) in text.lines().enumerate() {
        let tier = names(line).map_err(|message| Failure::at(&file, k + 1, 1, &message))?;
        tiers.push(tier.into_iter().filter(|name| !name.is_empty()).collect());
    }
    tiers.retain(|tier| !tier.is_empty());
    if tiers.is_empty() {
        let message = "this file names no columns: expected a line for every tier, with commas between names";
        return Err(Failure::Input(format!("{file}: {message}")));
    }
    Ok(tiers)
}

/// Everything that makes arcs.
const ASSEMBLERS: &[&str] = &["paper", "hybrid", "hc", "tabu", "chow-liu", "pc", "mmhc"];

/// How strengths become arcs.
#[derive(Debug, Args, Serialize)]
#[serde(rename_all = "kebab-case")]
#[command(next_help_heading = "The network")]
pub(crate) struct NetworkArgs {
    /// What turns strengths into arcs [default: the profile's own]
    #[arg(long, value_name = "NAME", value_parser = parser::<Assembler>(ASSEMBLERS))]
    assembler: Option<Assembler>,
    /// What the searches maximise and every network is reported by; the last search of hybrid, and with it what its arcs gain, is in
    /// fnml whatever is said here [default: bdeu]
    #[arg(long, value_name = "NAME", value_parser = parser::<ScoreName>(&["bdeu", "bic", "aic", "qnml", "fnml"]))]
    score: Option<ScoreName>,
    /// Equivalent sample size of the bdeu score [default: 1, 2 or 4, whichever suits the table]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    ess: Option<f64>,
    /// Features that a node may list as its parents, in the paper's assembly [default: 2]
    #[arg(long, value_name = "N")]
    features: Option<usize>,
    /// Which of two opposite arcs stays in the paper's assembly: the stronger, or that of the parent which is stronger
    /// in total [default: pairwise]
    #[arg(long, value_name = "HOW", value_parser = parser::<Competing>(&["pairwise", "total"]))]
    competing: Option<Competing>,
    /// How the paper's assembly removes cycles: strong arcs first, or Algorithm 3 to the letter [default: greedy]
    #[arg(long, value_name = "HOW", value_parser = parser::<Cycles>(&["greedy", "dfs"]))]
    cycles: Option<Cycles>,
    /// The level of the tests of pc and mmhc [default: 0.05]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    alpha: Option<f64>,
    /// Let hc, tabu, pc and mmhc look only at pairs that the machines list
    #[arg(long)]
    restrict: bool,
    /// What the tree of chow-liu is heaviest by [default: strengths]
    #[arg(long, value_name = "WHAT", value_parser = parser::<TreeWeights>(&["strengths", "information"]))]
    weights: Option<TreeWeights>,
    /// Learn again from rows drawn anew, so many times: how sure every arc is, and a consensus network [default: 0]
    #[arg(long, value_name = "N")]
    bootstrap: Option<usize>,
    /// The share of these repetitions from which on two nodes are joined in the consensus [default: 0.5]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    consensus: Option<f64>,
}

impl Given for NetworkArgs {
    fn document(&self) -> Result<String, Failure> {
        written(self)
    }
}

impl NetworkArgs {
    /// Refuses what was given without what it is for, and says which options none of these assemblers looks at. A configuration
    /// file may serve many commands: of its fields nothing is said.
    pub(crate) fn look_over(
        &self,
        settings: &NetworkSettings,
        assemblers: &[Assembler],
        session: &Session,
    ) -> Result<(), Failure> {
        if self.consensus.is_some() && settings.bootstrap == 0 {
            return Err(Failure::Input("--consensus is for --bootstrap N".into()));
        }
        for (name, serves) in NetworkSettings::SERVES {
            if self.gives(name) && !assemblers.iter().any(|assembler| serves.contains(assembler)) {
                let names: Vec<&str> = serves.iter().map(|assembler| assembler.word()).collect();
                session.warn(format!(
                    "--{name} changes nothing here: it is for --assembler {}",
                    names.join(", ")
                ));
            }
        }
        Ok(())
    }

    fn gives(&self, name: &str) -> bool {
        match name {
            "features" => self.features.is_some(),
            "competing" => self.competing.is_some(),
            "cycles" => self.cycles.is_some(),
            "alpha" => self.alpha.is_some(),
            "restrict" => self.restrict,
            "weights" => self.weights.is_some(),
            _ => false,
        }
    }
}

/// What is believed before the rows are counted.
#[derive(Debug, Args, Serialize)]
#[serde(rename_all = "kebab-case")]
#[command(next_help_heading = "Probabilities")]
pub(crate) struct PriorArgs {
    /// What is believed before the rows are counted: what fewer parents say, down to the node's own frequencies (backoff), the
    /// same weight for every cell, nothing (mle), or an imagined uniform sample spread over the cells [default: backoff]
    #[arg(long, value_name = "PRIOR", value_parser = parser::<PriorName>(&["backoff", "laplace", "mle", "bdeu"]))]
    prior: Option<PriorName>,
    /// Weight of fewer parents under backoff, in rows [default: what predicts the rows best, by node]; of every cell under laplace,
    /// of each table under bdeu [default: 1]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    prior_weight: Option<f64>,
}

impl Given for PriorArgs {
    fn document(&self) -> Result<String, Failure> {
        written(self)
    }
}
