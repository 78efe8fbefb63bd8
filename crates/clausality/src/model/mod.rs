//! Networks and graphs by where they are kept: a file, a run folder or an embedded network.
//!
//! | argument | holds |
//! |---|---|
//! | `net.bif`, `net.xmlbif`, `net.xml`, `net.net`, `net.json` (each also with `.gz`) | a network |
//! | a folder with `network.json` or `network.bif` | the network of a run |
//! | `@asia` | an embedded network |
//! | `net.json` that says `clausality-dynamic/1` | a network over time ([`DynamicModel`]) |
//! | `graph.dot`, `edges.csv` (either with `.gz`) | a graph without probabilities |
//!
//! ```
//! use clausality::bn::io::Limits;
//! use clausality::model::{Loaded, FileFormat};
//! let asia = Loaded::read("@asia".as_ref(), &Limits::default())?;
//! let text = FileFormat::of("asia.dot".as_ref())?.write(&asia)?;
//! assert!(text.starts_with(b"digraph asia {"));
//! # Ok::<(), clausality::Error>(())
//! ```

mod answer;
mod ask;
mod caution;
mod contradiction;
mod contrast;
mod dynamic;
mod evidence;
mod exam;
mod fit;
mod forecast;
mod format;
mod hidden;
mod impute;
mod influence;
mod insight;
mod predict;
mod probabilities;
mod read;
mod replicates;
mod rows;
mod summary;
mod surprise;
mod trial;
mod utility;
mod write;

pub use answer::{Answer, Combination, Distribution, Now, OpenArc, Pairs};
pub use ask::{MOST_SAMPLES, Question};
pub use contrast::Contrast;
pub use dynamic::DynamicModel;
pub use evidence::{
    NameError, Said, assumed, beyond, known, narrowed, no_state, node, not_one, out_of_reach, said, state,
};
pub use exam::{Exam, MOST_EXAMINED, Predicting, SurprisingRow};
pub use fit::{FitError, Fitted, FittedDocument, fit};
pub use forecast::{Forecast, InTime, NodeForecast, SeriesForecast, SeriesRows, StepForecast, Worked};
pub use format::Format;
pub use hidden::{HiddenCause, Witness};
pub use impute::{FilledCells, Imputed, ImputedColumn, ImputedDocument, Imputing, LeftColumn, Written};
pub use influence::influence;
pub use insight::{
    AskNext, Decided, DecidedAgain, End, Ends, Informed, Insight, Number, Push, Swing, Turn, ValuedAction,
    Wanted, Why, Worthwhile,
};
pub use predict::{Calibration, Predicted, PredictedDocument, calibration, several_csv};
pub use probabilities::{NodeBacking, Probabilities};

pub(crate) use probabilities::{Estimated, estimate, estimate_from};
pub(crate) use read::contents;
pub use replicates::REPLICATES;
pub(crate) use replicates::note as replicates_note;
pub use rows::{Reading, Rows, RowsError};
pub use summary::{Largest, Steps, Summary};
pub use surprise::{Scored, ScoredDocument, Surprise, SurprisingCell};
pub use trial::{Drift, DriftKind, Independence, LEVEL, MOST_PAIRS, NodeFit, Standing, TestedDocument};
pub use utility::{NamedAction, NamedWorth, Utility, read_costs};
pub use write::FileFormat;

use crate::data::{Coding, Fingerprint, drawn_evenly};
use crate::embedded::EmbeddedError;
use crate::error::{Advice, Error, ErrorClass, Place};
use crate::votes::Predictor;
use crate::words::quoted;
use clausality_bn::draw::{Picture, over_time};
use clausality_bn::io::{Limits, Structure, json::Extra};
use clausality_bn::{Network, Pdag, Table};
use std::path::Path;
use std::sync::Arc;
use thiserror::Error as ThisError;

/// A network and what its maker kept with it.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// The network, shared with whoever asks it.
    pub network: Arc<Network>,
    /// Notes of its maker; only JSON files have any.
    pub extra: Extra,
    /// Where it was read, as the user named it.
    pub source: String,
}

/// The note in [`Model::extra`] that holds a [`Coding`].
pub const CODING: &str = "coding";

/// The note in [`Model::extra`] that holds what predicts the targets: a list of [`Predictor`].
pub const PREDICTORS: &str = "predictors";

/// The note in [`DynamicModel::extra`] that holds the series it was learned from: a [`crate::time::Course`].
pub const TIME: &str = "time";

/// The note in [`Model::extra`] that says how it was made: the run, its table, its settings.
pub(crate) const MADE: &str = "made";

/// The note in [`Model::extra`] that holds the arcs that live mostly from gaps: a list of `[parent, child]`.
pub const GAPS: &str = "gaps";

/// The note in [`Model::extra`] that holds the columns whose gaps follow from others: a list of [`crate::gaps::Following`].
pub const FOLLOWING: &str = "following";

/// The note in [`Model::extra`] that holds the arcs whose opposite the rules refuse: a list of `[parent, child]`.
pub const FORCED: &str = "forced";

impl Model {
    /// Whether the network was learned from, or fitted to, just these rows, or those of them that lack nothing or were drawn by weight.
    pub(crate) fn was_learned_from(&self, rows: &Rows) -> bool {
        let kept = self.extra.get(MADE).and_then(|made| made.get("fingerprint")).and_then(|f| f.as_str());
        let Some(kept) = kept else { return false };
        let is = |table: &Table| kept == Fingerprint::of(table).to_string();
        let whole = |table: &Table| {
            let complete = table.complete_rows();
            complete.len() < table.rows() && is(&table.select_rows(&complete))
        };
        let drawn = rows.weights.as_ref().map(|weights| rows.table.select_rows(&drawn_evenly(weights)));
        is(&rows.table) || whole(&rows.table) || drawn.is_some_and(|table| is(&table) || whole(&table))
    }

    /// The column whose numbers weighed the rows that it was learned from.
    pub(crate) fn weighed_by(&self) -> Option<&str> {
        self.extra.get(MADE)?.get("params")?.get("row-weights")?.as_str()
    }

    /// What all graphs share that are as good as this one and that the rules it was learned under allow: the arcs that they
    /// leave no other direction, and the edges that may run either way. A network without a note of rules has none.
    pub fn class(&self) -> Pdag {
        let schema = self.network.schema();
        let forced = self.noted_arcs(FORCED);
        let arc = |(p, c): &(String, String)| Some((schema.index(p)?, schema.index(c)?));
        let dag = self.network.dag();
        let forced = forced.iter().filter_map(arc).filter(|&(p, c)| dag.has(p, c));
        Pdag::complete(dag).with_arcs(forced)
    }

    /// The arcs of a learned network whose direction follows from its rows alone: all graphs that are as good have it, and no rule says so.
    /// None of a network whose maker kept no coding: nobody knows where its arcs are from.
    pub fn directed_by_rows(&self) -> Vec<(usize, usize)> {
        if !self.extra.contains_key(CODING) {
            return Vec::new();
        }
        let (schema, forced) = (self.network.schema(), self.noted_arcs(FORCED));
        let is_forced = |&(parent, child): &(usize, usize)| {
            forced.iter().any(|(p, c)| (p.as_str(), c.as_str()) == (schema.name(parent), schema.name(child)))
        };
        self.class().directed().filter(|arc| !is_forced(arc)).collect()
    }

    /// Arcs by the names of their ends.
    pub(crate) fn named_arcs(&self, arcs: &[(usize, usize)]) -> Vec<OpenArc<'_>> {
        let name = |v: usize| self.network.schema().name(v);
        arcs.iter().map(|&(parent, child)| OpenArc { parent: name(parent), child: name(child) }).collect()
    }

    /// The arcs of a note; none where it is missing or cannot be read.
    fn noted_arcs(&self, note: &str) -> Vec<(String, String)> {
        self.extra.get(note).and_then(|kept| serde_json::from_value(kept.clone()).ok()).unwrap_or_default()
    }

    /// The graph, with the marks of its arcs.
    pub fn structure(&self) -> Structure {
        let marked = self.noted_arcs(GAPS);
        let marked = marked.iter().map(|(parent, child)| (parent.as_str(), child.as_str()));
        Structure::from(&*self.network).marking_gaps(marked)
    }

    /// What predicts the targets that it was learned for.
    ///
    /// # Errors
    /// [`ModelError::Coding`] for a note that is damaged or speaks of other nodes.
    pub fn predictors(&self) -> Result<Vec<Predictor>, Error> {
        let Some(kept) = self.extra.get(PREDICTORS) else { return Ok(Vec::new()) };
        let wrong = |reason: String| ModelError::Coding { file: self.source.clone(), reason };
        let found: Vec<Predictor> =
            serde_json::from_value(kept.clone()).map_err(|error| wrong(error.to_string()))?;
        let schema = self.network.schema();
        for predictor in &found {
            let own = schema.index(&predictor.target).map(|v| schema.variable(v));
            let values = own.map(|v| &v.states[..v.cardinality() - usize::from(v.has_missing_state)]);
            if values != Some(predictor.states()) {
                return Err(
                    wrong(format!("its predictor is of other states of '{}'", predictor.target)).into()
                );
            }
        }
        Ok(found)
    }

    /// Reads a network.
    ///
    /// # Errors
    /// [`ModelError::NoProbabilities`] for a graph alone; else whatever is wrong with the argument or the file.
    pub fn read(argument: &Path, limits: &Limits) -> Result<Self, Error> {
        Loaded::read(argument, limits)?.try_into()
    }

    /// How the columns of a table become the states of this network, if its maker kept that; columns that are none of its
    /// variables are left out.
    ///
    /// # Errors
    /// [`ModelError::Coding`] for a coding that is damaged or speaks of other variables.
    pub fn coding(&self) -> Result<Option<Coding>, Error> {
        let Some(kept) = self.extra.get(CODING) else { return Ok(None) };
        let wrong = |reason: String| ModelError::Coding { file: self.source.clone(), reason };
        let coding: Coding =
            serde_json::from_value(kept.clone()).map_err(|error| wrong(error.to_string()))?;
        let coded = coding.schema()?;
        for variable in self.network.schema().variables() {
            let same = coded.index(&variable.name).map(|v| &coded.variable(v).states);
            if same != Some(&variable.states) {
                return Err(wrong(format!("it does not give the states of '{}'", variable.name)).into());
            }
        }
        Ok(Some(coding.restricted(self.network.schema())))
    }
}

impl TryFrom<Loaded> for Model {
    type Error = Error;

    fn try_from(loaded: Loaded) -> Result<Self, Error> {
        match loaded {
            Loaded::Model(model) => Ok(model),
            Loaded::Graph { source, .. } => Err(ModelError::NoProbabilities { file: source }.into()),
            Loaded::Dynamic(model) => Err(ModelError::OverTime { file: model.source }.into()),
        }
    }
}

/// What an argument that names a structure holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Loaded {
    /// A network.
    Model(Model),
    /// A network over time.
    Dynamic(DynamicModel),
    /// A graph without probabilities.
    Graph {
        /// The graph.
        structure: Structure,
        /// The file's name without its ending.
        name: String,
        /// Where it was read, as the user named it.
        source: String,
    },
}

impl Loaded {
    /// Reads whatever the argument names.
    ///
    /// # Errors
    /// Whatever is wrong with the argument or the file.
    pub fn read(argument: &Path, limits: &Limits) -> Result<Self, Error> {
        read::read(argument, None, limits)
    }

    /// Reads a file in this format, whatever its ending.
    ///
    /// # Errors
    /// As [`Loaded::read`].
    pub fn read_as(argument: &Path, format: Format, limits: &Limits) -> Result<Self, Error> {
        read::read(argument, Some(format), limits)
    }

    /// Its own name.
    pub fn name(&self) -> &str {
        match self {
            Loaded::Model(model) => model.network.name(),
            Loaded::Dynamic(model) => model.network.name(),
            Loaded::Graph { name, .. } => name,
        }
    }

    /// Where it was read, as the user named it.
    pub fn source(&self) -> &str {
        match self {
            Loaded::Model(model) => &model.source,
            Loaded::Dynamic(model) => &model.source,
            Loaded::Graph { source, .. } => source,
        }
    }

    /// What a drawing of it shows.
    pub fn picture(&self) -> Picture {
        match self {
            // What a file without a name says in its place.
            Loaded::Model(model) if model.network.name() == "unknown" => {
                Picture { title: file_name(&model.source).to_string(), ..Picture::of(&model.network) }
            }
            Loaded::Model(model) => Picture::of(&model.network),
            Loaded::Dynamic(model) => {
                let held = model.network.statics().variables().iter().map(|v| v.name.clone());
                over_time(&Picture::of(model.network.window()), &held.collect::<Vec<_>>())
            }
            Loaded::Graph { structure, name, .. } => {
                Picture { title: name.clone(), ..Picture::of_graph(structure.names(), structure.dag()) }
            }
        }
    }

    /// The graph alone.
    pub fn structure(&self) -> Structure {
        match self {
            Loaded::Model(model) => model.structure(),
            Loaded::Dynamic(model) => model.structure(),
            Loaded::Graph { structure, .. } => structure.clone(),
        }
    }
}

/// Refuses two structures that share hardly a node: nothing could be said of the one beside the other.
///
/// # Errors
/// [`ModelError::Strangers`].
pub fn require_shared_nodes(truth: (&str, &Structure), learned: (&str, &Structure)) -> Result<(), Error> {
    let names = [truth, learned].map(|(_, graph)| graph.names());
    let shared: Vec<&String> = names[0].iter().filter(|name| names[1].contains(name)).collect();
    if shared.len() >= names[0].len().min(names[1].len()).min(2) {
        return Ok(());
    }
    let what = if shared.is_empty() { "no node".to_string() } else { format!("only {}", quoted(&shared, 1)) };
    let ((truth, _), (learned, _)) = (truth, learned);
    let has = |side: &str, names: &[String]| format!("{side} has {}", quoted(names, 4));
    let names = format!("{}; {}", has(truth, names[0]), has(learned, names[1]));
    let (truth, learned) = (truth.to_string(), learned.to_string());
    Err(ModelError::Strangers { truth, learned, shared: what, names }.into())
}

/// A path without its folders.
pub(crate) fn file_name(path: &str) -> &str {
    Path::new(path).file_name().and_then(|name| name.to_str()).unwrap_or(path)
}

/// What an argument may name.
const EXPECTED: &str = "a network (.bif, .xmlbif, .xml, .net, .json, each also with .gz), \
                        a graph (.dot, or .csv with parent,child), a run folder or @NAME";

/// What can be wrong with an argument that names a network or a graph, or with its file.
#[derive(Debug, Clone, PartialEq, ThisError)]
#[non_exhaustive]
pub enum ModelError {
    /// A fault in the file.
    #[error("{place}{}", .error.kind())]
    Fault {
        /// Where in the file.
        place: Place,
        /// What is wrong there.
        error: Box<clausality_bn::Error>,
    },
    /// No such embedded network.
    #[error(transparent)]
    Embedded(#[from] EmbeddedError),
    /// A folder of a run that was interrupted before it was whole.
    #[error(
        "{folder}: the run of this folder was interrupted and is not finished: give the same `{command}` command again, and it goes on from there"
    )]
    Interrupted {
        /// The folder.
        folder: String,
        /// The command that was to write it.
        command: String,
    },
    /// A name that is nothing's.
    #[error("{argument}: there is no such file or folder{}; expected {EXPECTED}",
            if *.embedded { format!(" (did you mean @{argument}?)") } else { String::new() })]
    Nothing {
        /// The name.
        argument: String,
        /// Whether an embedded network has it.
        embedded: bool,
    },
    /// An ending that names no format we know.
    #[error("{file}: {ending} is not supported: expected {expected}")]
    Ending {
        /// The file.
        file: String,
        /// Its ending in words.
        ending: String,
        /// The endings there are.
        expected: &'static str,
    },
    /// A format that is written and not read.
    #[error("{file}: {format} is written and not read: expected .bif, .xmlbif, .net, .json, .dot or .csv")]
    OnlyWritten {
        /// The file.
        file: String,
        /// Its format.
        format: &'static str,
    },
    /// A folder that holds no network.
    #[error("{folder}: this folder is no run: it has neither network.json nor network.bif")]
    NoNetwork {
        /// The folder.
        folder: String,
    },
    /// Machines asked for that were never trained.
    #[error(
        "{file}: no machines were trained to predict '{target}': learn it as a target, or let the network predict"
    )]
    NoPredictor {
        /// The file.
        file: String,
        /// The node.
        target: String,
    },
    /// Two structures about different things.
    #[error("{truth}: it shares {shared} with {learned}, so the two cannot be compared: {names}")]
    Strangers {
        /// The one.
        truth: String,
        /// The other.
        learned: String,
        /// How little they share.
        shared: String,
        /// Some nodes of both.
        names: String,
    },
    /// A question that cannot be answered as it was put.
    #[error("{reason}")]
    Insight {
        /// Why not.
        reason: String,
    },
    /// A file of utilities that cannot be used.
    #[error("{place}{reason}")]
    Utility {
        /// Where.
        place: Place,
        /// What is wrong.
        reason: String,
    },
    /// A graph where a network is needed.
    #[error(
        "{file}: this is a graph without probabilities, and a network is needed: fit it to a table first"
    )]
    NoProbabilities {
        /// The file.
        file: String,
    },
    /// A network over time where one without is needed.
    #[error(
        "{file}: this is a network over time, which query, forecast, sample and convert take as it is; for anything else write some of its steps out first (convert --unroll)"
    )]
    OverTime {
        /// The file.
        file: String,
    },
    /// A network without time where one over time is needed.
    #[error(
        "{file}: this is a network without time, and one over time is needed: learn it with a time column"
    )]
    NoTime {
        /// The file.
        file: String,
    },
    /// A node without a name, in a format that knows nodes by their names alone.
    #[error(
        "{file}: node {node} has an empty name, which this format cannot hold: give it a name, or write .json, .bif or .net"
    )]
    NoName {
        /// The file.
        file: String,
        /// The node, counted from 1.
        node: usize,
    },
    /// A name with a NUL character, which no reader of texts takes.
    #[error(
        "{file}: a node or state has a NUL character in its name, which this format cannot hold: rename it, or write .json"
    )]
    Nul {
        /// The file.
        file: String,
    },
    /// A file larger than allowed.
    #[error("{file}: {} more than the limit of {limit} bytes{}",
            if *.packed { "unpacks to" } else { "has" },
            if *.packed { "" } else { ": allow more" })]
    TooLarge {
        /// The file.
        file: String,
        /// The most that is read.
        limit: usize,
        /// Whether the limit is on what is packed in it.
        packed: bool,
    },
    /// A kept coding that does not fit the network.
    #[error("{file}: the coding kept with this network cannot be used: {reason}")]
    Coding {
        /// The file.
        file: String,
        /// Why not.
        reason: String,
    },
}

impl ModelError {
    /// Who has to act.
    pub fn class(&self) -> ErrorClass {
        match self {
            ModelError::Fault { error, .. } if error.is_limit() => ErrorClass::Limit,
            ModelError::TooLarge { .. } => ErrorClass::Limit,
            ModelError::Embedded(EmbeddedError::Damaged { .. }) => ErrorClass::Surroundings,
            _ => ErrorClass::Input,
        }
    }

    /// Settings that would change it.
    pub(crate) fn advice(&self) -> Vec<Advice> {
        match self {
            ModelError::TooLarge { packed: false, .. } => vec![Advice::new("memory-limit", "SIZE")],
            _ => Vec::new(),
        }
    }

    /// Where in a file, if the error is about a place.
    pub fn place(&self) -> Option<&Place> {
        match self {
            ModelError::Fault { place, .. } | ModelError::Utility { place, .. } => Some(place),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
