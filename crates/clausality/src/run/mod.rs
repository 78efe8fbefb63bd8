//! A run: what was learned, from what and how, as documents that outlive the program.
//!
//! | file | holds |
//! |---|---|
//! | `run.json` | everything `learn --json` prints: [`Run`] |
//! | `network.bif`, `network.json` | the network; the second with the coding of its table |
//! | `edges.csv` | the arcs, a row each |
//! | `strengths.csv` | all strengths, a row for every target and feature |
//! | `clauses.json` | the clauses behind every target, in words: [`Clauses`] |
//! | `report.html` | all of it on one page: [`crate::report`] |
//! | `consensus.json` | the consensus network, if the learning was repeated |
//!
//! `docs/run-folder.md` says what every field means. [`files`] gives the bytes; who writes them is not the library's business.
//! [`RunFolder::read`] reads back what explanations need.

mod families;
mod folder;
#[cfg(test)]
pub(crate) mod made;
mod tables;
mod truth;

pub use families::{Configuration, Family, LISTED, count as count_families};
pub use folder::{RunError, RunFolder};
pub use tables::{edges_csv, strengths_csv};
pub use truth::Truth;

use crate::Error;
use crate::bootstrap::{Bootstrap, Frequency};
use crate::data::{ColumnReport, Fingerprint};
use crate::learn::{Assembler, Learned, LearnedArc};
use crate::model::{Loaded, Model as Kept, Target as FileTarget};
use crate::params::Model;
use crate::report;
use crate::rules::{NamedArc, Role, Rules};
use crate::strengths::{Accuracy, Feature, Sentence, Strengths, Target};
use clausality_bn::{Network, Schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::Path;

/// What the first field of `run.json` says.
pub const FORMAT: &str = "clausality-run/1";
/// What the first field of `clauses.json` says.
pub const CLAUSES_FORMAT: &str = "clausality-clauses/1";

/// What a table on standard input is called.
pub const STANDARD_INPUT: &str = "standard input";

/// What was learned: the document of `learn --json` and of `run.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// [`FORMAT`].
    pub format: String,
    /// The table as the user named it.
    pub table: String,
    /// Its rows.
    pub rows: usize,
    /// The name of its content.
    pub fingerprint: Fingerprint,
    /// The nodes, in the order of the table's columns.
    pub nodes: Vec<String>,
    /// The arcs, by the names of child and parent.
    pub arcs: Vec<LearnedArc>,
    /// What the machines say of every node, in the order of names.
    pub targets: Vec<TargetSummary>,
    /// The network's score on the table, under `params.score`.
    pub score: f64,
    /// How long learning took.
    pub seconds: f64,
    /// Every parameter by the name that the command line and configuration files give it.
    pub params: Map<String, Value>,
    /// The machines that voted.
    pub machines: Vec<Model>,
    /// The seed of all random choices.
    pub seed: u64,
    /// The version of the software.
    pub version: String,
    /// What deserved attention.
    pub warnings: Vec<String>,
    /// What became of every arc that was proposed, and why.
    pub trace: Vec<TraceEntry>,
    /// What learning from rows drawn anew found, if that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bootstrap: Option<Repetitions>,
    /// Every column of the table, what it was found to be and what became of it.
    #[serde(default)]
    pub columns: Vec<ColumnReport>,
    /// How many rows stand behind the rows of the probability tables.
    #[serde(default)]
    pub families: Vec<Family>,
    /// How near the network comes to the true one, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truth: Option<Truth>,
}

/// How sure arcs are: what learning again from rows drawn anew found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Repetitions {
    /// How often the learning was repeated.
    pub rounds: usize,
    /// The share of repetitions from which on an adjacency is in the consensus.
    pub threshold: f64,
    /// Every pair that was joined at least once, from the surest on.
    pub pairs: Vec<Frequency>,
    /// The arcs of the consensus network, by the names of child and parent.
    pub consensus: Vec<NamedArc>,
}

impl From<&Bootstrap> for Repetitions {
    fn from(found: &Bootstrap) -> Self {
        let schema = found.consensus.schema();
        let name = |v: usize| schema.name(v).to_string();
        let mut consensus: Vec<NamedArc> =
            found.consensus.dag().arcs().map(|(p, c)| NamedArc { parent: name(p), child: name(c) }).collect();
        consensus.sort_by(|a, b| (&a.child, &a.parent).cmp(&(&b.child, &b.parent)));
        Repetitions {
            rounds: found.rounds,
            threshold: found.threshold,
            pairs: found.pairs.clone(),
            consensus,
        }
    }
}

/// What the machines say of a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TargetSummary {
    /// The node.
    pub name: String,
    /// The part it plays.
    pub role: Role,
    /// Balanced accuracy on rows held out, if it could be measured.
    pub accuracy: Option<f64>,
    /// What guessing reaches.
    pub chance: Option<f64>,
    /// Whether it can be predicted better than by chance.
    pub signal: bool,
    /// Its strongest features.
    pub top: Vec<TopFeature>,
}

/// A feature of a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TopFeature {
    /// The variable.
    pub feature: String,
    /// Its strength.
    pub strength: f64,
    /// Its part of the strength of all features.
    pub share: f64,
    /// In what share of the fits it beat every shadow, if there were any.
    pub hit_rate: Option<f64>,
}

/// An arc that was proposed, and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TraceEntry {
    /// Where it starts.
    pub parent: String,
    /// Where it ends.
    pub child: String,
    /// The node on whose list it stood.
    pub proposer: String,
    /// Its place there, from 1; 0 if it stood on no list.
    pub rank: usize,
    /// The strength it was proposed with.
    pub strength: f64,
    /// What it adds to the score of the network, or would add.
    pub gain: Option<f64>,
    /// What became of it, in a word: `kept`, `required`, `turned`, `closes-cycle`, …
    pub outcome: String,
    /// The same with the reason.
    pub reason: String,
}

/// The clauses behind every node: the document of `clauses.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Clauses {
    /// [`CLAUSES_FORMAT`].
    pub format: String,
    /// The version of the software.
    pub version: String,
    /// The name of the table's content: the same as in `run.json`.
    pub fingerprint: Fingerprint,
    /// The table's rows.
    pub rows: usize,
    /// Every node, in the order of names.
    pub targets: Vec<NodeClauses>,
}

/// The clauses behind one node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeClauses {
    /// The node.
    pub name: String,
    /// Its states in the order of their codes.
    pub states: Vec<String>,
    /// Rows in which it has a value.
    pub rows: usize,
    /// Machines that were trained.
    pub fits: usize,
    /// How well it was predicted on rows held out.
    pub accuracy: Option<Accuracy>,
    /// The strength that the best shuffled column reached, if there were any and it is measured like a strength.
    #[serde(default)]
    pub shadow: Option<f64>,
    /// All other variables, from strong to weak.
    pub features: Vec<Feature>,
    /// Clauses in words, the most telling first.
    pub clauses: Vec<Sentence>,
}

/// What a run has to know beside what was learned.
#[derive(Debug)]
pub struct Made<'a> {
    /// The table as the user named it.
    pub table: &'a str,
    /// The rules under which it was learned.
    pub rules: &'a Rules,
    /// Every parameter by its name; those of the strengths are taken from what was learned, with all defaults filled in.
    pub params: Map<String, Value>,
    /// How many features of a node to list.
    pub top: usize,
    /// How long learning took.
    pub seconds: f64,
    /// What deserved attention when the table was read.
    pub warnings: Vec<String>,
    /// Every column of the table, and what became of it.
    pub columns: Vec<ColumnReport>,
    /// How near the network comes to the true one, where that is known.
    pub truth: Option<Truth>,
}

impl Run {
    /// Whether the user's rules bound the arcs: roles, tiers, required and forbidden arcs, the most parents.
    pub fn has_rules(&self) -> bool {
        let empty = |value: &Value| value.is_null() || value.as_array().is_some_and(Vec::is_empty);
        ["parameter", "require", "forbid", "tiers", "max-parents"]
            .iter()
            .any(|name| self.params.get(*name).is_some_and(|value| !empty(value)))
    }

    /// The document of what was learned.
    pub fn new(found: &Learned, made: Made<'_>) -> Self {
        let schema = found.network.schema();
        let Strengths { targets, warnings, params, models, .. } = &found.strengths;
        let summary = |target: &Target| TargetSummary {
            name: target.name.clone(),
            role: schema.index(&target.name).map_or(Role::Observed, |v| made.rules.role(v)),
            accuracy: target.accuracy.map(|a| a.mean),
            chance: target.accuracy.map(|a| a.chance),
            signal: target.signal(),
            top: target.features.iter().take(made.top).map(TopFeature::from).collect(),
        };
        let learning = warnings.iter().map(ToString::to_string);
        let mut all = made.params;
        all.extend(self::params([serde_json::to_value(params.resolved()).unwrap_or_default()]));
        if all.get("assembler").is_some_and(Value::is_null) {
            let own = Assembler::of(params.profile);
            all.insert("assembler".into(), serde_json::to_value(own).unwrap_or_default());
        }
        Run {
            format: FORMAT.into(),
            table: made.table.to_string(),
            rows: found.strengths.rows,
            fingerprint: found.strengths.fingerprint.clone(),
            nodes: schema.variables().iter().map(|v| v.name.clone()).collect(),
            arcs: found.arcs.clone(),
            targets: targets.iter().map(summary).collect(),
            score: found.score,
            seconds: made.seconds,
            params: all,
            machines: models.clone(),
            seed: params.seed,
            version: found.strengths.version.clone(),
            warnings: made.warnings.into_iter().chain(learning).collect(),
            trace: trace(found, schema),
            bootstrap: found.bootstrap.as_ref().map(Repetitions::from),
            columns: made.columns,
            families: found.families.clone(),
            truth: made.truth,
        }
    }
}

impl From<&Feature> for TopFeature {
    fn from(feature: &Feature) -> Self {
        let Feature { name, strength, share, hit_rate, .. } = feature;
        TopFeature { feature: name.clone(), strength: *strength, share: *share, hit_rate: *hit_rate }
    }
}

fn trace(found: &Learned, schema: &Schema) -> Vec<TraceEntry> {
    let name = |v: usize| schema.name(v).to_string();
    let entry = |p: &crate::assemble::Proposal| TraceEntry {
        parent: name(p.parent),
        child: name(p.child),
        proposer: name(p.proposer),
        rank: p.rank,
        strength: p.strength,
        gain: p.gain,
        outcome: p.outcome.word().to_string(),
        reason: p.reason(schema),
    };
    found.trace.iter().map(entry).collect()
}

impl Clauses {
    /// The clauses behind what was learned.
    pub fn new(found: &Learned) -> Self {
        let schema = found.network.schema();
        let strengths = &found.strengths;
        let node = |target: &Target| NodeClauses {
            name: target.name.clone(),
            states: schema.index(&target.name).map(|v| schema.variable(v).states.clone()).unwrap_or_default(),
            rows: target.rows,
            fits: target.fits,
            accuracy: target.accuracy,
            shadow: target.shadow,
            features: target.features.clone(),
            clauses: target.sentences.clone(),
        };
        Clauses {
            format: CLAUSES_FORMAT.into(),
            version: strengths.version.clone(),
            fingerprint: strengths.fingerprint.clone(),
            rows: strengths.rows,
            targets: strengths.targets.iter().map(node).collect(),
        }
    }
}

/// One map of all parameters, from the structs that hold them. Later ones win where a name stands in two.
pub fn params(parts: impl IntoIterator<Item = Value>) -> Map<String, Value> {
    let fields = |part: Value| match part {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    parts.into_iter().flat_map(fields).collect()
}

/// The page about a run.
pub const PAGE: &str = "report.html";

/// The names of the files of a run, in the order in which [`files`] gives them.
pub const FILES: [&str; 7] =
    ["run.json", "network.bif", "network.json", "edges.csv", "strengths.csv", "clauses.json", PAGE];

/// The file of the consensus network, which stands beside them if the learning was repeated.
pub const CONSENSUS: &str = "consensus.json";

/// The files of a run: names and bytes. `model` is the network as it is to be written.
///
/// # Errors
/// Whatever a network's format cannot hold.
pub fn files(run: &Run, found: &Learned, model: &Loaded) -> Result<Vec<(&'static str, Vec<u8>)>, Error> {
    let network = |name: &str, model: &Loaded| FileTarget::of(Path::new(name))?.write(model);
    let folder = RunFolder { run: run.clone(), clauses: Clauses::new(found) };
    let mut files = Vec::with_capacity(FILES.len() + 1);
    for name in FILES {
        let bytes = match name {
            "run.json" => document(run),
            "clauses.json" => document(&folder.clauses),
            PAGE => report::html(&folder, &found.network)?.into_bytes(),
            "edges.csv" => edges_csv(&run.arcs).into_bytes(),
            "strengths.csv" => strengths_csv(&found.strengths).into_bytes(),
            _ => network(name, model)?,
        };
        files.push((name, bytes));
    }
    if let Some(again) = &found.bootstrap {
        files.push((CONSENSUS, network(CONSENSUS, &with_network(model, &again.consensus))?));
    }
    Ok(files)
}

/// Another network of the same making.
fn with_network(model: &Loaded, network: &Network) -> Loaded {
    match model {
        Loaded::Model(model) => Loaded::Model(Kept { network: network.clone(), ..model.clone() }),
        other => other.clone(),
    }
}

/// A JSON file. The documents hold numbers, texts, lists and maps with text for keys: nothing that could fail.
fn document(value: &impl Serialize) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(value).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}
