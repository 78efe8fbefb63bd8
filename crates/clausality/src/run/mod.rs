//! A run: what was learned, from what and how, as documents that outlive the program.
//!
//! | file | holds |
//! |---|---|
//! | `run.json` | everything `learn --json` prints: [`Run`] |
//! | `network.bif`, `network.json` | the network; the second with the coding of its table |
//! | `edges.csv` | the arcs, a row each |
//! | `strengths.csv` | all strengths, a row for every target and feature |
//! | `clauses.json` | the clauses behind every target, in words: [`Clauses`] |
//! | `report.html` | all of it on one page: [`crate::tell::report`] |
//! | `consensus.json` | the consensus network, if the learning was repeated |
//!
//! `docs/run-folder.md` says what every field means. [`crate::tell::files`] gives the bytes, [`crate::tell::save`] writes them:
//! the folder is whole or not there, and every file in it says which run it belongs to ([`crate::folder`]).
//! [`RunFolder::read`] reads back what explanations need.

mod folder;
#[cfg(test)]
pub(crate) mod made;
mod sound;
mod tables;
mod truth;

pub use crate::folder::{CONSENSUS, FILES, PAGE};
pub use folder::{RunError, RunFolder};
pub(crate) use tables::kept_strengths_csv;
pub use tables::{edges_csv, write_strengths_csv};
pub use truth::Truth;

use crate::data::{ColumnReport, Fingerprint, Twin};
use crate::evaluate::Evaluated;
use crate::folder::id_of;
use crate::gaps::Gaps;
use crate::learn::{Bootstrap, Family, Frequency, Learned, LearnedArc, OverTime};
use crate::model::{
    CODING, DynamicModel, FOLLOWING, FORCED, GAPS, Loaded, MADE, Model, PREDICTORS, Probabilities,
    REPLICATES, TIME, replicates_note,
};
use crate::rules::{NamedArc, Role};
use crate::settings::{Origin, Settings};
use crate::strengths::{Accuracy, Feature, Member, Sentence, Strengths, Target};
use crate::time::Course;
use crate::votes::{By, HeldOut, Predictor};
use crate::words::counted;
use clausality_bn::Schema;
use clausality_bn::io::json::Extra;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
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
    /// The name of this run: of what was learned, from what and how. Every file of its folder has it; older runs have none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
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
    /// The rows that the score is of, where these are not all: those that were held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score_rows: Option<usize>,
    /// How long learning took.
    pub seconds: f64,
    /// Every setting by the name that all doors give it.
    pub params: Settings,
    /// The machines that voted.
    pub machines: Vec<Member>,
    /// The seed of all random choices.
    pub seed: u64,
    /// The version of the software.
    pub version: String,
    /// What deserved attention.
    pub warnings: Vec<String>,
    /// Columns that say what others say: copies, near copies, functions of others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub twins: Vec<Twin>,
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
    /// Where the probabilities come from; older runs do not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probabilities: Option<Probabilities>,
    /// How near the network comes to the true one, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truth: Option<Truth>,
    /// What the gaps of the table say, if it has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gaps: Option<Gaps>,
    /// Who chose which of the settings, where that is not the default.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub origins: BTreeMap<String, Vec<Origin>>,
    /// The series that it was learned from, if the rows are in the order of time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<Course>,
    /// How well the targets are predicted on rows that took no part.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub predictions: Vec<Prediction>,
    /// The same by cross-validation of everything, if folds were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evaluations: Vec<Evaluated>,
    /// The other files of its folder, each with a digest, once they are made; the page, which may be made anew, is not among them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
}

/// How well a target is predicted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// The target.
    pub target: String,
    /// Who is best, and predicts.
    pub won: By,
    /// The clauses that vote.
    pub clauses: usize,
    /// The class frequencies, the network, the machines, both.
    pub held_out: Vec<HeldOut>,
}

impl From<&Predictor> for Prediction {
    fn from(predictor: &Predictor) -> Self {
        let Predictor { target, won, held_out, votes, .. } = predictor;
        Prediction { target: target.clone(), won: *won, clauses: votes.clauses(), held_out: held_out.clone() }
    }
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
    /// The id of the run, if they are a file of one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub run: String,
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
#[derive(Debug, Clone, Default)]
pub struct Made {
    /// The table as the user named it.
    pub table: String,
    /// How many features of a node to list; 0: [`TOP`].
    pub top: usize,
    /// How long learning took.
    pub seconds: f64,
    /// How near the network comes to the true one, where that is known.
    pub truth: Option<Truth>,
    /// How well the targets are predicted, by cross-validation, if folds were asked for.
    pub evaluations: Vec<Evaluated>,
}

/// The features of a node that a run lists unless more or fewer are asked for.
pub const TOP: usize = 10;

impl Run {
    /// The rows of the table in words; over time also the windows that were made of them.
    pub fn counted_rows(&self) -> String {
        match &self.time {
            None => counted(self.rows, "row"),
            Some(course) => {
                let windows = counted(course.windows, "window");
                format!("{} ({windows} of {})", counted(course.rows, "row"), counted(course.lags + 1, "step"))
            }
        }
    }

    /// Whether rules bound the arcs: parameters, tiers, required and forbidden arcs, the most parents.
    pub fn has_rules(&self) -> bool {
        let rules = &self.params.rules;
        !(rules.parameter.is_empty()
            && rules.require.is_empty()
            && rules.forbid.is_empty()
            && rules.tiers.is_empty())
            || rules.max_parents.is_some()
    }

    /// The document of what was learned.
    pub fn new(found: &Learned, made: Made) -> Self {
        let schema = found.network.schema();
        let Strengths { targets, warnings, models, .. } = &found.strengths;
        let chosen = &found.chosen;
        let top = if made.top == 0 { TOP } else { made.top };
        let summary = |target: &Target| TargetSummary {
            name: target.name.clone(),
            role: schema.index(&target.name).map_or(Role::Observed, |v| chosen.rules.role(v)),
            accuracy: target.accuracy.map(|a| a.mean),
            chance: target.accuracy.map(|a| a.chance),
            signal: target.signal(),
            top: target.features.iter().take(top).map(TopFeature::from).collect(),
        };
        let reading = found.notices.iter().map(ToString::to_string);
        let learning = warnings.iter().map(ToString::to_string);
        let run = Run {
            format: FORMAT.into(),
            id: String::new(),
            table: made.table,
            rows: found.strengths.rows,
            fingerprint: found.strengths.fingerprint.clone(),
            nodes: schema.variables().iter().map(|v| v.name.clone()).collect(),
            arcs: found.arcs.clone(),
            targets: targets.iter().map(summary).collect(),
            score: found.score,
            score_rows: found.score_rows,
            seconds: made.seconds,
            params: chosen.settings.clone(),
            machines: models.clone(),
            seed: chosen.settings.seed,
            version: found.strengths.version.clone(),
            warnings: reading.chain(learning).collect(),
            twins: found.twins.clone(),
            trace: trace(found, schema),
            bootstrap: found.bootstrap.as_ref().map(Repetitions::from),
            columns: found.columns.clone(),
            families: found.families.clone(),
            probabilities: Some(found.probabilities.clone()),
            truth: made.truth,
            gaps: found.gaps.clone(),
            origins: chosen.origins.clone(),
            time: found.time.as_ref().map(|time| time.course.clone()),
            predictions: found.predictors.iter().map(Prediction::from).collect(),
            evaluations: made.evaluations,
            files: BTreeMap::new(),
        };
        // The document is ours: it is not damaged.
        let id = serde_json::to_vec(&run).ok().and_then(|document| id_of(&document)).unwrap_or_default();
        Run { id, ..run }
    }

    /// The network together with how its table was coded, so that new rows can be coded the same way, and how it was made.
    pub fn model(&self, found: &Learned) -> Model {
        let mut model = found.model();
        model.extra.insert(MADE.into(), self.made());
        if let Some(name) = name(&self.table) {
            model.network = found.network.clone().renamed(name).into();
        }
        Model { source: self.table.clone(), ..model }
    }

    /// The network as it is kept: over time, if that is how it was learned.
    pub fn kept(&self, found: &Learned) -> Loaded {
        let Some(OverTime { network, coding, .. }) = &found.time else {
            return Loaded::Model(self.model(found));
        };
        let mut extra = Extra::default();
        if let Ok(coding) = serde_json::to_value(coding) {
            extra.insert(CODING.to_string(), coding);
        }
        if let Ok(course) = serde_json::to_value(&self.time) {
            extra.insert(TIME.to_string(), course);
        }
        extra.insert(MADE.into(), self.made());
        let network = network.clone().renamed(name(&self.table).unwrap_or("unknown"));
        Loaded::Dynamic(DynamicModel { network: network.into(), extra, source: self.table.clone() })
    }

    /// The consensus network in the same way, if the learning was repeated.
    pub fn consensus(&self, found: &Learned) -> Option<Model> {
        let again = found.bootstrap.as_ref()?;
        let mut model = self.model(found);
        model.extra.remove(REPLICATES);
        Some(Model { network: again.consensus.clone().into(), ..model })
    }

    fn made(&self) -> Value {
        json!({
            "run": self.id,
            "table": self.table,
            "rows": self.rows,
            "fingerprint": self.fingerprint,
            "params": self.params,
            "probabilities": self.probabilities,
            "seed": self.seed,
            "version": self.version,
        })
    }
}

impl Learned {
    /// The network with the coding of its table, to be asked: values mean what they meant in the table.
    pub fn model(&self) -> Model {
        let mut extra = Extra::default();
        // What the labels say already nobody has to keep.
        if !self.coding.is_by_labels(self.network.schema())
            && let Ok(coding) = serde_json::to_value(&self.coding)
        {
            extra.insert(CODING.to_string(), coding);
        }
        if !self.predictors.is_empty()
            && let Ok(predictors) = serde_json::to_value(&self.predictors)
        {
            extra.insert(PREDICTORS.to_string(), predictors);
        }
        let from_gaps: Vec<Value> =
            self.arcs.iter().filter(|arc| arc.gaps).map(|arc| json!([arc.parent, arc.child])).collect();
        if !from_gaps.is_empty() {
            extra.insert(GAPS.to_string(), from_gaps.into());
        }
        let following = self.gaps.as_ref().map(|gaps| gaps.following(&self.columns)).unwrap_or_default();
        if !following.is_empty()
            && let Ok(following) = serde_json::to_value(following)
        {
            extra.insert(FOLLOWING.to_string(), following);
        }
        let (rules, schema) = (&self.chosen.rules, self.network.schema());
        let forced = self.network.dag().arcs().filter(|&(p, c)| !rules.allows(c, p));
        let forced: Vec<Value> = forced.map(|(p, c)| json!([schema.name(p), schema.name(c)])).collect();
        if !forced.is_empty() {
            extra.insert(FORCED.to_string(), forced.into());
        }
        let again = self.bootstrap.as_ref().and_then(|again| again.replicates.as_ref());
        if let Some(note) = again.and_then(|again| replicates_note(again, schema)) {
            extra.insert(REPLICATES.to_string(), note);
        }
        Model { network: self.network.clone().into(), extra, source: "the learned network".into() }
    }
}

/// A network is called like its table, without folders and endings; a table without a file has no name to give.
fn name(table: &str) -> Option<&str> {
    let file = Path::new(table).file_name()?.to_str()?.trim_start_matches('@');
    let bare = [".gz", ".csv", ".tsv", ".parquet", ".arrow", ".feather"]
        .iter()
        .fold(file, |name, ending| name.strip_suffix(ending).unwrap_or(name));
    (!bare.is_empty() && table != STANDARD_INPUT).then_some(bare)
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
            run: String::new(),
            version: strengths.version.clone(),
            fingerprint: strengths.fingerprint.clone(),
            rows: strengths.rows,
            targets: strengths.targets.iter().map(node).collect(),
        }
    }
}
