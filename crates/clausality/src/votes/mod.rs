//! The machines as a classifier: points for every state of every column and for every clause, that become probabilities.
//!
//! ```text
//! P(y | row) = softmax_y ( constant + Σ_columns points of its state + Σ_true clauses points of the clause )
//! ```
//!
//! What is kept is a score card: it can be read, and a row is judged by adding up. It is two cards in one, both weights of a logistic regression with
//! a ridge (module `logistic`). The *plain* card has a weight for every number's size and for every state without an order: what few rows can tell. The *rich* card
//! has fine steps of every number besides, single numbers that stand out from their neighbours (module `alone`), and the clauses of machines that were trained where single columns leave the class open (module
//! `machines`): the "hybrid predictive model" that the paper promises, with votes that are weighed by what they are worth on rows. Each has the ridge
//! under which rows that took no part (five folds, clauses and all) have the smallest log-loss, and the same rows say how much each card
//! counts (module `pool`): their points, times that, are added. So probabilities mean what they say.
//!
//! A cell that is unknown has no points, and no clause is true by it.
//!
//! Beside the machines stands the network, and *both* are pooled in the same way. A [`Predictor`] keeps all of it, and which of the three was best.

mod alone;
mod card;
mod fitting;
mod literals;
mod logistic;
mod machines;
mod pool;
mod settings;
mod shape;
mod subject;
mod told;

use card::Shares;
pub use card::Votes;
pub use settings::TargetSettings;
pub use told::{Card, ColumnOdds, Multiplied, RuleOdds, Start};

use crate::Error;
use crate::data::Dataset;
use crate::memory::product;
use crate::watch::Watch;
use crate::words::counted;
use clausality_bn::infer::{Evaluation, Predictions};
use clausality_bn::random::Stream;
use clausality_bn::{MISSING, Table};
use fitting::{Fitting, added, numbered};
use logistic::Effort;
use pool::{Truth, pooled};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use subject::{Subject, values_of};

/// Ridges that are tried, from strong to weak.
const RIDGES: [f64; 11] = [64.0, 24.0, 8.0, 4.0, 2.0, 1.0, 0.3, 0.1, 0.01, 1e-3, 1e-5];

/// The folds in which the ridge is chosen.
pub const INNER_FOLDS: usize = 5;

/// The share of the log-loss by which somebody less simple must be better to predict.
const HAIR: f64 = 0.002;

/// Why somebody predicts whose log-loss is not the lowest, where that is so.
pub fn tolerance(won: By, held_out: &[HeldOut]) -> Option<&'static str> {
    let loss = |by: &str| held_out.iter().find(|figures| figures.by == by).map(|figures| figures.log_loss);
    let lowest = By::ALL.iter().filter_map(|by| loss(by.word())).fold(f64::INFINITY, f64::min);
    (loss(won.word())? > lowest).then_some(
        "What is simpler predicts (the network, then the machines, then both) unless a log-loss is lower by 0.2 %.",
    )
}

/// Rows that the points are fitted to at most; more would change little and take long.
const FITTED_ROWS: usize = 100_000;

/// Who predicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// The posterior of the network.
    Network,
    /// The machines' votes.
    Machines,
    /// Both, pooled.
    Both,
}

impl By {
    /// All of them.
    pub const ALL: [By; 3] = [By::Network, By::Machines, By::Both];

    /// As outputs write it.
    pub fn word(self) -> &'static str {
        match self {
            By::Network => "network",
            By::Machines => "machines",
            By::Both => "both",
        }
    }
}

/// What is needed to predict a column of new rows, and how good that was on rows that took no part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Predictor {
    /// The column.
    pub target: String,
    /// Who was best by log-loss.
    pub won: By,
    /// The exponents of the network and of the machines in what both say.
    pub pool: (f64, f64),
    /// How good each was on rows held out, the class frequencies first.
    pub held_out: Vec<HeldOut>,
    /// The machines.
    pub votes: Votes,
}

/// How good predictions are on rows that took no part in learning.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeldOut {
    /// `baseline`, `network`, `machines` or `both`.
    pub by: String,
    /// Rows.
    pub rows: usize,
    /// The share that is predicted rightly.
    pub accuracy: f64,
    /// The same, every class counting as much.
    pub balanced_accuracy: f64,
    /// Mean of −ln P(truth).
    pub log_loss: f64,
    /// Mean squared error of the probabilities.
    pub brier: f64,
    /// The area under the curve, one class against the rest.
    pub auc: Option<f64>,
    /// How far confidence and accuracy are apart.
    pub calibration_error: f64,
}

impl HeldOut {
    fn of(by: &str, figures: &Evaluation) -> Self {
        HeldOut {
            by: by.to_string(),
            rows: figures.rows,
            accuracy: figures.accuracy,
            balanced_accuracy: figures.balanced_accuracy,
            log_loss: figures.log_loss,
            brier: figures.brier,
            auc: figures.auc,
            calibration_error: figures.calibration_error,
        }
    }
}

impl Predictor {
    /// The states of the target that are values.
    pub fn states(&self) -> &[String] {
        self.votes.states()
    }

    /// What one of them says of rows, from what the network says and what the machines say: a number for every class and row.
    pub fn say(&self, by: By, network: &[f64], machines: &[f64]) -> Vec<f64> {
        match by {
            By::Network => network.to_vec(),
            By::Machines => machines.to_vec(),
            By::Both => pooled(network, machines, self.states().len(), self.pool),
        }
    }
}

/// The distributions of a network's predictions over the first `classes` states, renormalised; `baseline` where there is none.
pub fn over_values(found: &Predictions, classes: usize, baseline: &[f64]) -> Vec<f64> {
    let mut all = Vec::with_capacity(found.rows() * classes);
    for row in 0..found.rows() {
        let own = found.row(row).map(|p| &p[..classes]).filter(|p| p.iter().sum::<f64>() > 0.0);
        let own = own.unwrap_or(baseline);
        let sum: f64 = own.iter().sum();
        all.extend(own.iter().map(|p| p / sum));
    }
    all
}

/// Deals rows into folds, every class evenly: the fold of every row, none where there is no class. The rows of a class are dealt in random order. Where
/// it is known whose the rows are, all rows of one are dealt together, by the class that most of them have: what is told of somebody whose other
/// rows were learned from is told from memory.
///
/// # Errors
/// Fewer owners than folds.
pub fn deal(
    classes: &[Option<u8>],
    owners: Option<&[u32]>,
    folds: usize,
    stream: &mut Stream,
) -> Result<Vec<Option<u8>>, Error> {
    let Some(owners) = owners else { return Ok(deal_each(classes, folds, stream)) };
    let mut counts: BTreeMap<u32, BTreeMap<u8, usize>> = BTreeMap::new();
    for (owner, class) in owners.iter().zip(classes) {
        if let Some(class) = class {
            *counts.entry(*owner).or_default().entry(*class).or_default() += 1;
        }
    }
    if counts.len() < folds {
        let whose = counted(counts.len(), "value");
        return Err(Error::TooLittleData(format!("the entity has {whose}: too few for {folds} folds")));
    }
    let usual = |counts: &BTreeMap<u8, usize>| {
        counts.iter().rev().max_by_key(|(_, count)| **count).map(|(class, _)| *class)
    };
    let whole: Vec<Option<u8>> = counts.values().map(usual).collect();
    let dealt = deal_each(&whole, folds, stream);
    let fold: BTreeMap<u32, Option<u8>> = counts.into_keys().zip(dealt).collect();
    let of = |(owner, class): (&u32, &Option<u8>)| class.and_then(|_| fold[owner]);
    Ok(owners.iter().zip(classes).map(of).collect())
}

fn deal_each(classes: &[Option<u8>], folds: usize, stream: &mut Stream) -> Vec<Option<u8>> {
    let mut dealt = vec![None; classes.len()];
    let mut next = 0;
    for class in 0..=u8::MAX {
        let mut rows: Vec<usize> = (0..classes.len()).filter(|&row| classes[row] == Some(class)).collect();
        let count = rows.len();
        stream.choose(&mut rows, count);
        for row in rows {
            dealt[row] = Some((next % folds) as u8);
            next += 1;
        }
    }
    dealt
}

/// The class of every row of a target, none where it has no value.
pub fn classes_of(table: &Table, target: usize) -> Vec<Option<u8>> {
    let count = values_of(table.schema().variable(target));
    let class = |&code: &u8| Some(code).filter(|&code| code != MISSING && usize::from(code) < count);
    table.column(target).iter().map(class).collect()
}

/// What making a predictor from `rows` with a class holds in the end, at the least, beside the table it is made from. For each of n rows with one
/// of C classes and V columns that may speak
///
/// ```text
/// 8 · C · 7                    by the network of its fold and in the order of rows, by both kinds of cards, by the machines, by all, by frequencies
/// 37                           its number, class, weight, fold and literals
/// 2 · (4 · V + 8)              what cards of both kinds see of it in its own fold
/// 2 · (4 · V + 17) · fitted/n  and what those of all folds were fitted to
/// ```
pub(crate) fn least_bytes(dataset: &Dataset, target: usize, rows: usize) -> u64 {
    let schema = dataset.table.schema();
    let (mut classes, mut columns) =
        (values_of(schema.variable(target)), subject::speaking(dataset, target).len());
    if dataset.awaits_cuts() {
        // Where columns are cut anew the target may be in two, and others may be left out.
        (classes, columns) = (classes.min(2), 0);
    }
    least_bytes_of(classes, columns, rows)
}

/// The same of so many classes, rows, and columns that may speak.
pub(crate) fn least_bytes_of(classes: usize, columns: usize, rows: usize) -> u64 {
    let (fewest, most) = (rows - rows.div_ceil(INNER_FOLDS), rows - rows / INNER_FOLDS);
    let fitted = INNER_FOLDS * (fewest / most.div_ceil(FITTED_ROWS).max(1));
    product(&[rows, 8 * classes * 7 + 37 + 2 * (4 * columns + 8)])
        .saturating_add(product(&[fitted, 2 * (4 * columns + 17)]))
}

/// What becomes a predictor: trains the machines for a target, and weighs them against what the network says of the same rows.
///
/// `folds` are those of [`deal`], and `network` the probabilities of every row that has a class (a number for every class, rows in order) by
/// networks that were learned without its fold.
///
/// # Errors
/// A target with rows of one class only; [`Error::Cancelled`].
pub fn train(
    dataset: &Dataset,
    target: usize,
    folds: &[Option<u8>],
    network: &[f64],
    seed: u64,
    watch: &dyn Watch,
) -> Result<Predictor, Error> {
    let variable = dataset.table.schema().variable(target);
    let subject = Subject::new(dataset, target, seed)?;
    let classes = subject.classes;
    let present = subject.labels.iter().collect::<std::collections::BTreeSet<_>>().len();
    if present < 2 {
        return Err(Error::TooLittleData(format!("'{}' has rows of fewer than two values", variable.name)));
    }
    let places: Vec<u32> = (0..subject.rows.len() as u32).collect();
    let fold = |place: u32| folds[subject.rows[place as usize] as usize].map_or(0, usize::from);
    let thin = |places: Vec<u32>| -> Vec<u32> {
        let step = places.len().div_ceil(FITTED_ROWS);
        places.into_iter().step_by(step.max(1)).collect()
    };
    let name = |what: &str| format!("{}\0{what}", variable.name);
    let truth = Truth { labels: &subject.labels, counts: &subject.counts, classes };
    let own: Vec<Vec<u32>> = (0..INNER_FOLDS)
        .map(|k| places.iter().copied().filter(|&place| fold(place) == k).collect())
        .collect();
    let (mut plain, mut rich): (Vec<Fitting>, Vec<Fitting>) = own
        .par_iter()
        .enumerate()
        .map(|(k, own)| {
            let others = places.iter().copied().filter(|&place| fold(place) != k).collect();
            let ([plain, rich], _) =
                Fitting::both(&subject, &thin(others), own, &name(&k.to_string()), watch)?;
            Ok((plain, rich))
        })
        .collect::<Result<Vec<_>, Error>>()?
        .into_iter()
        .unzip();
    let plain = best_ridge(&mut plain, &own, truth, watch)?;
    let rich = best_ridge(&mut rich, &own, truth, watch)?;
    let mix = truth.best_pool(&plain.said, &rich.said);
    let machines = pooled(&plain.said, &rich.said, classes, mix);
    let pool = truth.best_pool(network, &machines);
    let both = pooled(network, &machines, classes, pool);
    let losses = [truth.loss(network), truth.loss(&machines), truth.loss(&both)];
    // What is simpler wins unless the other is better by more than a hair.
    let mut won = By::Network;
    for (by, k) in [(By::Machines, 1), (By::Both, 2)] {
        if losses[k] < (1.0 - HAIR) * losses[won as usize] {
            won = by;
        }
    }
    let places = thin(places);
    let (mut fittings, clauses) = Fitting::both(&subject, &places, &[], &name("all"), watch)?;
    fittings.par_iter_mut().zip([plain.step, rich.step]).for_each(|(fitting, step)| {
        RIDGES[..step].iter().for_each(|&ridge| fitting.fit(ridge, Effort::ROUGH));
        fitting.fit(RIDGES[step], Effort::WHOLE);
    });
    let points = added(&fittings[0].points(), &fittings[1].points(), mix);
    let shares = Shares::of(&subject, &clauses, &places);
    let clauses = numbered(&clauses, &subject.literals);
    let baseline = frequencies(subject.labels.iter().copied().zip(subject.counts.iter().copied()), classes);
    let baseline: Vec<f64> = (0..subject.labels.len()).flat_map(|_| baseline.iter().copied()).collect();
    let judged = |by: &str, said: &[f64]| {
        let truth = subject.labels.iter().zip(&subject.counts);
        let rows = said.chunks_exact(classes).zip(truth);
        let rows = rows.map(|(said, (&label, &count))| (said, usize::from(label), count));
        let rest = dataset.coding.rest(&variable.name);
        HeldOut::of(by, &Evaluation::naming(classes, rest, rows))
    };
    Ok(Predictor {
        target: variable.name.clone(),
        won,
        pool,
        held_out: vec![
            judged("baseline", &baseline),
            judged("network", network),
            judged("machines", &machines),
            judged("both", &both),
        ],
        votes: Votes::new(&subject, &points, clauses, variable.states[..classes].to_vec(), shares),
    })
}

/// The share of every class, of rows that count so much; one that has no rows counts as half a row, as nothing is impossible.
pub fn frequencies(labels: impl Iterator<Item = (u8, f64)>, classes: usize) -> Vec<f64> {
    let mut counts = vec![0.0; classes];
    labels.for_each(|(label, count)| counts[usize::from(label)] += count);
    counts.iter_mut().filter(|count| **count == 0.0).for_each(|count| *count = 0.5);
    let sum: f64 = counts.iter().sum();
    counts.iter().map(|count| count / sum).collect()
}

/// A ridge, and what cards that were fitted under it say of the rows that took no part.
struct Ridged {
    /// Its place among [`RIDGES`].
    step: usize,
    said: Vec<f64>,
}

/// The ridge that suits the rows held out: every one from strong to weak is tried, until two in turn do no better than the best. A card for every fold,
/// and the rows of the fold.
fn best_ridge(
    cards: &mut [Fitting],
    own: &[Vec<u32>],
    truth: Truth<'_>,
    watch: &dyn Watch,
) -> Result<Ridged, Error> {
    let classes = truth.classes;
    let mut tried: Vec<(f64, Vec<f64>)> = Vec::new();
    let mut best = 0;
    for (step, &ridge) in RIDGES.iter().enumerate() {
        if watch.cancelled() {
            return Err(Error::Cancelled);
        }
        let said: Vec<Vec<f64>> = cards
            .par_iter_mut()
            .map(|card| {
                card.fit(ridge, Effort::ROUGH);
                card.probabilities()
            })
            .collect();
        let mut held = vec![0.0; truth.labels.len() * classes];
        for (own, said) in own.iter().zip(&said) {
            for (&place, said) in own.iter().zip(said.chunks_exact(classes)) {
                held[place as usize * classes..][..classes].copy_from_slice(said);
            }
        }
        tried.push((truth.loss(&held), held));
        if tried[step].0 < tried[best].0 {
            best = step;
        } else if step >= best + 2 {
            break;
        }
    }
    let step = (0..best).find(|&k| truth.as_good(&tried[k].1, &tried[best].1)).unwrap_or(best);
    Ok(Ridged { step, said: tried.swap_remove(step).1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_one_are_dealt_together() {
        let owners: Vec<u32> = (0..60).map(|row| row % 12).collect();
        let classes: Vec<Option<u8>> =
            (0..60u8).map(|row| (row != 7).then_some(u8::from(row % 12 < 4))).collect();
        let dealt = deal(&classes, Some(&owners), 4, &mut Stream::new(1, "test")).unwrap();
        assert_eq!(dealt[7], None);
        for owner in 0..12 {
            let own: std::collections::BTreeSet<u8> =
                (0..60).filter(|&row| owners[row] == owner).filter_map(|row| dealt[row]).collect();
            assert_eq!(own.len(), 1, "{owner} is in folds {own:?}");
        }
        // Every class evenly: one of the four and two of the eight in each.
        for fold in 0..4 {
            let first = (0..60).filter(|&row| dealt[row] == Some(fold) && classes[row] == Some(1)).count();
            assert_eq!(first, 5, "fold {fold}");
        }
        assert!(deal(&classes, Some(&owners), 13, &mut Stream::new(1, "test")).is_err());
    }

    #[test]
    fn why_somebody_predicts_who_is_not_the_best_is_said() {
        let figures = |losses: [f64; 3]| -> Vec<HeldOut> {
            let of = |(by, log_loss): (By, f64)| HeldOut {
                by: by.word().into(),
                rows: 9,
                accuracy: 0.5,
                balanced_accuracy: 0.5,
                log_loss,
                brier: 0.5,
                auc: None,
                calibration_error: 0.0,
            };
            By::ALL.into_iter().zip(losses).map(of).collect()
        };
        assert_eq!(tolerance(By::Network, &figures([0.5, 0.6, 0.5])), None);
        assert!(tolerance(By::Network, &figures([0.5, 0.6, 0.4995])).unwrap().contains("0.2 %"));
    }
}
