//! The options about the network, shared by `learn` and `demo`: roles and rules, and how strengths become arcs.

use crate::commands::learn::value;
use crate::failure::Failure;
use crate::findings::names;
use crate::model::limits;
use crate::session::Session;
use crate::table_args::parser;
use clap::Args;
use clausality::assemble::{Competing, Cycles, TreeWeights};
use clausality::learn::{Assembler, NetworkParams};
use clausality::network_options::{NetworkOptions, ScoreName};
use clausality::rules::{NamedArc, RuleParams};
use std::path::{Path, PathBuf};

/// What is known beforehand.
#[derive(Debug, Args)]
#[command(next_help_heading = "Roles and rules")]
pub(crate) struct RuleArgs {
    /// Columns that nothing points into; names with commas in double quotes: '"a,b",c'
    #[arg(long, value_name = "A,B", value_parser = NameList::parse)]
    parameter: Option<Vec<NameList>>,
    /// Labels, that is columns to be inferred from the others, marked as such in every result; names as for
    /// --parameter. The paper's assembly gives them their parents last, other assemblers treat them like any column
    #[arg(long, value_name = "Y", value_parser = NameList::parse)]
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
    tiers: Option<PathBuf>,
    /// The most parents that a node may have
    #[arg(long, value_name = "N")]
    max_parents: Option<usize>,
}

/// What one use of a list option holds.
#[derive(Debug, Clone)]
struct NameList(Vec<String>);

impl NameList {
    fn parse(text: &str) -> Result<Self, String> {
        names(text).map(NameList)
    }

    fn all(lists: &Option<Vec<NameList>>) -> Option<Vec<String>> {
        lists.as_ref().map(|lists| lists.iter().flat_map(|list| list.0.iter().cloned()).collect())
    }
}

impl RuleArgs {
    /// The file of tiers, if one was named.
    pub(crate) fn tiers_file(&self) -> Option<&Path> {
        self.tiers.as_deref()
    }

    /// The options of the command line over those of the configuration file.
    pub(crate) fn params(&self, session: &Session) -> Result<RuleParams, Failure> {
        let mut params: RuleParams = session.config.section()?;
        params.parameter = NameList::all(&self.parameter).unwrap_or(params.parameter);
        params.unobserved = NameList::all(&self.unobserved).unwrap_or(params.unobserved);
        params.require = self.require.clone().unwrap_or(params.require);
        params.forbid = self.forbid.clone().unwrap_or(params.forbid);
        params.max_parents = self.max_parents.or(params.max_parents);
        if let Some(path) = &self.tiers {
            params.tiers = read_tiers(path)?;
        }
        Ok(params)
    }
}

/// One tier a line, names between commas, blank lines passed over.
fn read_tiers(path: &Path) -> Result<Vec<Vec<String>>, Failure> {
    let file = path.display().to_string();
    let text = std::fs::read_to_string(path)
        .map_err(|source| clausality::Error::Io { file: file.clone(), source })?;
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
#[derive(Debug, Args)]
#[command(next_help_heading = "The network")]
pub(crate) struct NetworkArgs {
    /// What turns strengths into arcs [default: the profile's own]
    #[arg(long, value_name = "NAME", value_parser = parser::<Assembler>(ASSEMBLERS))]
    assembler: Option<Assembler>,
    /// What the searches maximise, and what every network and arc is reported by [default: bdeu]
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

impl NetworkArgs {
    /// The options of the command line over those of the configuration file over the defaults.
    pub(crate) fn options(&self, session: &Session) -> Result<NetworkOptions, Failure> {
        let mut options: NetworkOptions = session.config.section()?;
        options.assembler = self.assembler.or(options.assembler);
        options.score = self.score.unwrap_or(options.score);
        options.ess = self.ess.or(options.ess);
        options.features = self.features.unwrap_or(options.features);
        options.competing = self.competing.unwrap_or(options.competing);
        options.cycles = self.cycles.unwrap_or(options.cycles);
        options.alpha = self.alpha.unwrap_or(options.alpha);
        options.restrict |= self.restrict;
        options.weights = self.weights.unwrap_or(options.weights);
        options.bootstrap = self.bootstrap.unwrap_or(options.bootstrap);
        options.consensus = self.consensus.unwrap_or(options.consensus);
        if options.ess.is_some() && options.score != ScoreName::Bdeu {
            return Err(Failure::Input("--ess is for --score bdeu".into()));
        }
        if self.consensus.is_some() && options.bootstrap == 0 {
            return Err(Failure::Input("--consensus is for --bootstrap N".into()));
        }
        options.params()?;
        Ok(options)
    }

    /// Says which options of the command line none of these assemblers looks at; a configuration file may serve many.
    pub(crate) fn warn_of_idle(&self, assemblers: &[Assembler], session: &Session) {
        use Assembler::{ChowLiu, Hc, Mmhc, Paper, Pc, Tabu};
        let options: [(bool, &str, &[Assembler]); 6] = [
            (self.features.is_some(), "--features", &[Paper]),
            (self.competing.is_some(), "--competing", &[Paper]),
            (self.cycles.is_some(), "--cycles", &[Paper]),
            (self.alpha.is_some(), "--alpha", &[Pc, Mmhc]),
            (self.restrict, "--restrict", &[Hc, Tabu, Pc, Mmhc]),
            (self.weights.is_some(), "--weights", &[ChowLiu]),
        ];
        for (given, option, serves) in options {
            if given && !assemblers.iter().any(|assembler| serves.contains(assembler)) {
                let names: Vec<String> = serves.iter().map(name).collect();
                session.warn(format!(
                    "{option} changes nothing here: it is for --assembler {}",
                    names.join(", ")
                ));
            }
        }
    }
}

/// An assembler as the command line calls it.
fn name(assembler: &Assembler) -> String {
    value(assembler).as_str().unwrap_or_default().to_string()
}

/// The parameters of the work: the options, and the memory that probability tables may take.
pub(crate) fn network_params(options: &NetworkOptions, session: &Session) -> Result<NetworkParams, Failure> {
    Ok(NetworkParams { table_bytes: limits(session).table_bytes, ..options.params()? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::keys_of;
    use clap::Command;

    #[test]
    fn every_parameter_has_an_option_of_its_name() {
        let command = NetworkArgs::augment_args(RuleArgs::augment_args(Command::new("test")));
        let options: Vec<_> = command.get_arguments().filter_map(|arg| arg.get_long()).collect();
        for key in keys_of::<RuleParams>().iter().chain(&keys_of::<NetworkOptions>()) {
            assert!(options.contains(&key.as_str()), "--{key} is missing");
        }
    }
}
