//! From a table to a network, on one screen.
//!
//! ```
//! use clausality::{Settings, bn, data::Dataset, embedded};
//! use clausality::{Bounds, Unwatched, learn_from};
//!
//! let truth = embedded::network("asia")?;
//! let table = Dataset::sampled(bn::sample(&truth, 2000, 1));
//! let learned = learn_from(&table, &Settings::default(), &Bounds::default(), &Unwatched)?;
//! let found = bn::compare::Comparison::of(&truth, &learned.network);
//! assert!(found.skeleton.f1 > 0.7);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod account;
mod ahead;
mod arcs;
mod bootstrap;
mod course;
mod depth;
mod pieces;
mod plan;
mod start;
mod structure;
mod support;
mod target;

pub use arcs::{LearnedArc, Way};
pub use bootstrap::{Bootstrap, Frequency};
pub use course::OverTime;
pub use pieces::pieces;
pub use plan::outlook;
pub use support::{Configuration, Family, LISTED};

pub(crate) use plan::{fewer, plan};
pub(crate) use target::target;

use crate::Error;
use crate::assemble::{Assembly, Gains, Proposal, Watched};
use crate::data::{self, Bounds, Coding, ColumnReport, Dataset, Input, Notice, Role, Twin};
use crate::folder::Kept;
use crate::gaps::{self, Gaps};
use crate::memory::{Held, guarded};
use crate::model::{Estimated, Probabilities, estimate, estimate_from};
use crate::settings::{Chosen, Ruled, Settings};
use crate::shards::{AllRows, Counted};
use crate::strengths::{self, Strengths};
use crate::time::Runs;
use crate::votes::Predictor;
use crate::watch::{Quiet, Stage, Underway, Unwatched, Watch};
use crate::words::grouped;
use account::{account_for_all, account_for_targets};
use clausality_bn::Network;
use clausality_bn::counts::{Counter, FarCounter};
use structure::{judged_by_targets, structure};

/// A learned network and what speaks for it.
#[derive(Debug, Clone)]
pub struct Learned {
    /// The network.
    pub network: Network,
    /// Where its probabilities come from.
    pub probabilities: Probabilities,
    /// What the machines found.
    pub strengths: Strengths,
    /// The arcs, by names.
    pub arcs: Vec<LearnedArc>,
    /// What became of every arc that was proposed.
    pub trace: Vec<Proposal>,
    /// The graph's score on the table, under the score of the settings.
    pub score: f64,
    /// The rows that the score is of, where these are not all: those that were held.
    pub score_rows: Option<usize>,
    /// What learning from rows drawn anew found, if that was asked for.
    pub bootstrap: Option<Bootstrap>,
    /// How many rows stand behind the rows of the probability tables.
    pub families: Vec<Family>,
    /// What predicts the targets, one for each.
    pub predictors: Vec<Predictor>,
    /// The settings, with who chose them.
    pub chosen: Chosen,
    /// How the columns of the table became variables.
    pub coding: Coding,
    /// Every column of the table, and what became of it.
    pub columns: Vec<ColumnReport>,
    /// What deserved attention when the table was read.
    pub notices: Vec<Notice>,
    /// Columns that say what others say.
    pub twins: Vec<Twin>,
    /// What the gaps of the table say, if it has any.
    pub gaps: Option<Gaps>,
    /// The network over time, where the rows are in its order; `network` then is that of a window of steps.
    pub time: Option<OverTime>,
}

/// Reads a table and learns a network from it: a path, CSV text from anywhere ([`Input::csv`]) or columns in memory
/// ([`crate::Frame`]).
///
/// # Errors
/// Whatever is wrong with the table, the settings or the rules.
pub fn learn<'a>(table: impl Into<Input<'a>>, settings: &Settings) -> Result<Learned, Error> {
    settings.check()?;
    let bounds = Bounds::here(None, Held::now());
    let dataset = data::read(table, &settings.by_profile().data, &bounds)?;
    learn_from(&dataset, settings, &bounds, &Unwatched)
}

/// Measures strengths alone on a table that was read: features whose arc the rules do not allow are left out.
///
/// # Errors
/// Whatever is wrong with the settings or the rules; more memory than the bounds allow; [`Error::Cancelled`].
pub fn strengths_from(
    dataset: &Dataset,
    settings: &Settings,
    bounds: &Bounds,
    watch: &dyn Watch,
) -> Result<Strengths, Error> {
    strengths_keeping(dataset, settings, bounds, Kept::default(), watch)
}

/// The same; what is finished on the way is kept, or made by an engine ([`Kept::made_by`]).
///
/// # Errors
/// As [`strengths_from`]; a disk that cannot keep what is finished; an engine that fails.
pub fn strengths_keeping(
    dataset: &Dataset,
    settings: &Settings,
    bounds: &Bounds,
    kept: Kept<'_>,
    watch: &dyn Watch,
) -> Result<Strengths, Error> {
    if dataset.sequence.is_some() {
        return course::strengths(dataset, settings, bounds, kept, watch);
    }
    let Ruled { settings, rules } = settings.ruled(dataset)?;
    strengths::plan(&dataset.table, &settings.strengths).check(bounds.room)?;
    let drawn = dataset.drawn();
    let table = &drawn.as_ref().unwrap_or(dataset).table;
    let mut found = guarded("measuring strengths", bounds.room, watch, |watch| {
        strengths::measure_keeping(table, None, &settings.strengths, settings.seed, kept, watch)
    })?;
    found.retain_allowed(dataset.table.schema(), &rules);
    Ok(found)
}

/// Learns a network from a table that was read: strengths, then arcs, then probabilities.
///
/// # Errors
/// Whatever is wrong with the settings or the rules; more memory or larger probability tables than the bounds allow;
/// [`Error::Cancelled`].
pub fn learn_from(
    dataset: &Dataset,
    settings: &Settings,
    bounds: &Bounds,
    watch: &dyn Watch,
) -> Result<Learned, Error> {
    learn_keeping(dataset, settings, bounds, Kept::default(), watch)
}

/// The same; what is finished on the way is kept, and what an earlier call finished is not done again ([`crate::folder::Scraps`]). Tasks
/// and repetitions may be made elsewhere ([`Kept::made_by`]).
///
/// # Errors
/// As [`learn_from`]; a disk that cannot keep what is finished; an engine that fails.
pub fn learn_keeping(
    dataset: &Dataset,
    settings: &Settings,
    bounds: &Bounds,
    kept: Kept<'_>,
    watch: &dyn Watch,
) -> Result<Learned, Error> {
    settings.check()?;
    if dataset.sequence.is_some() {
        return kept.unless_in_vain(course::learn(dataset, settings, bounds, kept, watch));
    }
    plan::check(dataset, settings, bounds)?;
    let learned =
        guarded("learning", bounds.room, watch, |watch| within_room(dataset, settings, bounds, kept, watch));
    kept.unless_in_vain(learned)
}

fn within_room(
    dataset: &Dataset,
    settings: &Settings,
    bounds: &Bounds,
    kept: Kept<'_>,
    watch: &dyn Watch,
) -> Result<Learned, Error> {
    let recut = structure::recut(dataset, settings, kept, watch)?;
    let whole = recut.as_ref().unwrap_or(dataset);
    let drawn = whole.drawn();
    let dataset = drawn.as_ref().unwrap_or(whole);
    let chosen = settings.chosen_watched(dataset, watch)?;
    let code = |beyond| AllRows::coded(beyond, &whole.coding, bounds, kept, watch);
    let all = whole.beyond.as_ref().map(code).transpose()?;
    all.iter().try_for_each(|all| kept.of_all(all.fingerprint()))?;
    learned(whole, dataset, all.as_ref(), None, chosen, bounds, kept, watch)
}

/// Learns from the rows that structure is learned from, and for the probabilities from all of them; `all` are those that are not held, `runs`
/// tells which of them belong to one series.
#[expect(clippy::too_many_arguments, reason = "what everybody below asks for, and three tables")]
fn learned(
    whole: &Dataset,
    dataset: &Dataset,
    all: Option<&AllRows<'_>>,
    runs: Option<&Runs>,
    chosen: Chosen,
    bounds: &Bounds,
    kept: Kept<'_>,
    watch: &dyn Watch,
) -> Result<Learned, Error> {
    let table = &dataset.table;
    target::targets(dataset, chosen.settings.prediction.targets())?;
    let (mut strengths, Assembly { dag: mut before, mut trace }) =
        structure(table, runs, &chosen, bounds, kept, watch)?;
    let mut notices = dataset.notices.clone();
    let rows = all.map(|all| all.counted(watch));
    let count = rows.as_ref().map(|rows| FarCounter::new(rows));
    if let (Some(all), Some(rows), Some(count)) = (all, &rows, &count) {
        let matrix = strengths.matrix(table.schema());
        let settled = structure::settled(table, &before, all, &matrix, &chosen, kept, watch)?;
        notices.extend(all.notices());
        notices.push(Notice::about_rows(told_of_all(all, settled.is_some())));
        if let Some(settled) = settled {
            let count = count.clone();
            before = account_for_all(&mut trace, &before, settled, table, rows, count, &matrix, &chosen)?;
        }
    }
    let dag = judged_by_targets(table, &before, &chosen, watch)?;
    account_for_targets(&mut trace, &before, &dag, &strengths.matrix(table.schema()), &chosen.rules);
    let stage = Underway::begin(watch, Stage::Account, trace.len() + 3);
    let mut gains = Gains::new(table, chosen.settings.network.arcs_judged_by(), watch)?;
    for proposal in &mut trace {
        proposal.gain = Some(gains.of(&dag, proposal.parent, proposal.child)?);
        stage.step();
    }
    let unobserved =
        |name: &str| table.schema().index(name).is_some_and(|v| chosen.rules.role(v) == Role::Unobserved);
    let targets = chosen.settings.prediction.targets();
    let answer = |name: &str| targets.iter().any(|target| target == name) || unobserved(name);
    let mut twins = dataset.twins_before(answer);
    twins.extend(gaps::giveaways(whole, answer));
    let mut arcs = arcs::arcs(table, &dag, &chosen.rules, &strengths, &mut gains, &twins)?;
    arcs::mark_gaps(&mut arcs, table, &dag, chosen.settings.network.arcs_judged_by(), watch)?;
    if let Some(runs) = runs {
        // Time directs what it runs into, and what follows from that.
        let place = |name: &str| table.schema().index(name).unwrap_or_default();
        for arc in &mut arcs {
            let (parent, child) = (place(&arc.parent), place(&arc.child));
            arc.time = !runs.is_target(parent) || arc.ruled && chosen.rules.allows(child, parent);
            arc.ruled &= !arc.time;
        }
    }
    stage.step();
    let believed = chosen.settings.network.believed();
    let mut count = count.filter(|_| all.is_some_and(|all| !all.any_gaps()));
    let estimated = match &mut count {
        Some(count) => estimate_from(&dag, table.schema(), count, believed, bounds),
        None => estimate(&dag, &whole.table, whole.weights.as_deref(), believed, bounds, &Quiet(watch)),
    };
    let Estimated { network, probabilities, notice } = read_whole(&rows, estimated)??;
    stage.step();
    let families = match &mut count {
        Some(count) => support::count(count, &network),
        None => {
            let mut count = Watched::new(Counter::new(table)?, watch);
            let families = support::count(&mut count, &network);
            count.whole()?;
            families
        }
    };
    let families = read_whole(&rows, families)?;
    stage.step();
    drop(stage);
    notices.extend(notice);
    let mut columns = dataset.report.clone();
    if let Some(all) = all {
        all.account(table.schema(), &mut columns);
        (strengths.rows, strengths.fingerprint) = (all.rows(), all.fingerprint().clone());
    }
    let predictors = target::predictors(whole, &before, &chosen, bounds, kept, watch)?;
    let bootstrap = bootstrap::bootstrap(whole, table, runs, &chosen, bounds, kept, watch)?;
    for (arc, again) in arcs.iter_mut().filter(|arc| !arc.required).zip(bootstrap.iter().cycle()) {
        let (adjacent, direction) = again.of(&arc.parent, &arc.child);
        (arc.confidence, arc.direction) = (Some(adjacent), direction);
    }
    let score = chosen.settings.network.judged_by();
    let score_rows = (all.is_some() && count.is_none()).then(|| table.rows());
    let score = match count {
        Some(count) => Gains::of_rows(table, count, score, watch)?.score(&dag),
        None => Gains::new(table, score, watch)?.score(&dag),
    };
    Ok(Learned {
        score: read_whole(&rows, score)??,
        score_rows,
        families,
        predictors,
        network,
        probabilities,
        strengths,
        arcs,
        trace,
        bootstrap,
        chosen,
        coding: dataset.coding.clone(),
        columns,
        notices,
        twins,
        gaps: gaps::look(whole),
        time: None,
    })
}

/// What was counted of all rows, if all could be read.
fn read_whole<T>(rows: &Option<Counted<'_>>, counted: T) -> Result<T, Error> {
    rows.as_ref().map_or(Ok(()), |rows| rows.whole(())).map(|()| counted)
}

/// What all rows were good for.
fn told_of_all(all: &AllRows<'_>, settled: bool) -> String {
    match (all.any_gaps(), settled) {
        (true, _) => "some cells have no value: arcs and probabilities come from the rows held".into(),
        (false, true) => {
            format!("arcs are settled and probabilities counted on all {} rows", grouped(all.rows()))
        }
        (false, false) => {
            format!("arcs come from the rows held, probabilities from all {} rows", grouped(all.rows()))
        }
    }
}

#[cfg(test)]
mod tests;
