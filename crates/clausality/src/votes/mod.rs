//! The machines as a classifier: points for every state of every column and for every clause, that become probabilities.
//!
//! ```text
//! P(y | row) = softmax_y ( constant + Σ_columns points of its state + Σ_true clauses points of the clause )
//! ```
//!
//! What is kept is a score card: it can be read, and a row is judged by adding up. The points are the weights of a logistic regression with
//! a ridge (module `logistic`) over literals in fine steps, each number's size, and the clauses of machines that were trained where
//! single columns leave the class open (module `machines`): the "hybrid predictive model" that the paper promises, with votes that are weighed
//! by what they are worth on rows. The ridge is the one under which rows that took no part (five folds, clauses and all)
//! have the smallest log-loss, which also makes the probabilities mean what they say.
//!
//! A cell that is unknown has no points, and no clause is true by it.
//!
//! Beside the machines stands the network, and *both* are pooled: `P(y) ∝ P_network(y)^a · P_machines(y)^b` (Genest & Zidek 1986), with a and b
//! that suit the same rows best. A [`Predictor`] keeps all of it, and which of the three was best.

mod fitting;
mod logistic;
mod machines;
mod settings;
mod subject;

pub use settings::TargetSettings;

use crate::Error;
use crate::data::{Coding, Dataset};
use crate::encode::{Encoding, LiteralRule};
use crate::watch::Watch;
use clausality_bn::infer::{Evaluation, Predictions};
use clausality_bn::math::{exp, ln};
use clausality_bn::random::Stream;
use clausality_bn::{MISSING, Table};
use fitting::Fitting;
use logistic::{Effort, Points};
use machines::Knobs;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use subject::{Subject, probabilities, seen, values_of};

/// Ridges that are tried, from strong to weak.
const RIDGES: [f64; 11] = [64.0, 24.0, 8.0, 4.0, 2.0, 1.0, 0.3, 0.1, 0.01, 1e-3, 1e-5];

/// The folds in which the ridge is chosen.
pub const INNER_FOLDS: usize = 5;

/// The machines behind a classifier: as many as a few seconds allow; other numbers were not tried.
const KNOBS: Knobs = Knobs { machines: 24, clauses: 40, samples: 3000, epochs: 8, kept: 250 };

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

/// The score card of the machines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, try_from = "Unchecked")]
pub struct Votes {
    /// The states of the target that are values.
    states: Vec<String>,
    /// How the columns become fine states.
    coding: Coding,
    /// Points by column (in the order of names), state and class.
    points: Vec<Vec<Vec<f64>>>,
    /// Clauses by their literals, and their points by class.
    clauses: Vec<(Vec<u32>, Vec<f64>)>,
    /// Points that every row has.
    constant: Vec<f64>,
    /// The columns that had gaps when the points were fitted: there a gap is accounted for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    gappy: Vec<String>,
}

/// A score card as it stands in a file, before it is believed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Unchecked {
    states: Vec<String>,
    coding: Coding,
    points: Vec<Vec<Vec<f64>>>,
    clauses: Vec<(Vec<u32>, Vec<f64>)>,
    constant: Vec<f64>,
    #[serde(default)]
    gappy: Vec<String>,
}

impl TryFrom<Unchecked> for Votes {
    type Error = String;
    fn try_from(unchecked: Unchecked) -> Result<Self, String> {
        let Unchecked { states, coding, points, clauses, constant, gappy } = unchecked;
        let schema = coding.schema().map_err(|error| error.to_string())?;
        let literals = Encoding::new(&schema, LiteralRule::Scale).len();
        let classes = states.len();
        let fits = |(&v, points): (&usize, &Vec<Vec<f64>>)| {
            points.len() == schema.cardinality(v) && points.iter().all(|points| points.len() == classes)
        };
        let known = |(own, points): &(Vec<u32>, Vec<f64>)| {
            points.len() == classes && own.iter().all(|&literal| (literal as usize) < literals)
        };
        let whole = classes > 1
            && constant.len() == classes
            && points.len() == schema.len()
            && schema.in_name_order().iter().zip(&points).all(fits)
            && clauses.iter().all(known);
        if !whole {
            return Err("the points of the machines do not fit their columns".into());
        }
        Ok(Votes { states, coding, points, clauses, constant, gappy })
    }
}

impl Votes {
    /// How columns become the states that have points.
    pub fn coding(&self) -> &Coding {
        &self.coding
    }

    /// How many clauses vote.
    pub fn clauses(&self) -> usize {
        self.clauses.len()
    }

    /// The probabilities of rows under [`Votes::coding`], a number for every class and row.
    ///
    /// # Errors
    /// Rows under another coding.
    pub fn probabilities(&self, table: &Table) -> Result<Vec<f64>, Error> {
        let schema = self.coding.schema()?;
        let table = table.recoded(&schema)?.select_variables(&schema.in_name_order())?;
        let classes = self.states.len();
        let encoding = Encoding::new(table.schema(), LiteralRule::Scale);
        let mut codes = Vec::new();
        for states in &self.points {
            states.iter().for_each(|points| codes.extend_from_slice(points));
            // What is unknown has no points.
            codes.resize(codes.len() + classes, 0.0);
        }
        let clauses: Vec<Vec<u32>> = self.clauses.iter().map(|clause| clause.0.clone()).collect();
        let worth = self.clauses.iter().flat_map(|clause| clause.1.iter().copied()).collect();
        let points = Points { codes, clauses: worth, constant: self.constant.clone() };
        let rows: Vec<u32> = (0..table.rows() as u32).collect();
        Ok(probabilities(&seen(&table, &encoding.rows(&table), &clauses, &rows), &points))
    }

    fn new(subject: &Subject, fitting: &Fitting<'_>, states: Vec<String>) -> Self {
        let classes = subject.classes;
        // Six digits are more than a vote can mean.
        let short = |points: &[f64]| -> Vec<f64> { points.iter().map(|p| (p * 1e6).round() / 1e6).collect() };
        let Points { codes, clauses, constant } = fitting.points();
        let mut by_code = codes.chunks_exact(classes);
        let mut points = Vec::new();
        for variable in subject.table.schema().variables() {
            let states = by_code.by_ref().take(variable.cardinality());
            points.push(states.map(short).collect());
            by_code.next();
        }
        let clauses = fitting.clauses.iter().zip(clauses.chunks_exact(classes));
        Votes {
            states,
            coding: subject.coding.clone(),
            points,
            clauses: clauses.map(|(literals, points)| (literals.clone(), short(points))).collect(),
            constant: short(&constant),
            gappy: subject.gappy(),
        }
    }

    /// The rows that lack a cell which no row lacked when the points were fitted: the machines do not know what to do without it.
    pub fn at_a_loss(&self, table: &Table) -> Vec<bool> {
        let mut lost = vec![false; table.rows()];
        for (v, variable) in table.schema().variables().iter().enumerate() {
            let missed = self.coding.variables().iter().any(|coded| coded.variable.name == variable.name)
                && !self.gappy.contains(&variable.name);
            if missed {
                lost.iter_mut().zip(table.column(v)).for_each(|(lost, &code)| *lost |= code == MISSING);
            }
        }
        lost
    }
}

impl Predictor {
    /// The states of the target that are values.
    pub fn states(&self) -> &[String] {
        &self.votes.states
    }

    /// What one of them says of rows, from what the network says and what the machines say: a number for every class and row.
    pub fn say(&self, by: By, network: &[f64], machines: &[f64]) -> Vec<f64> {
        match by {
            By::Network => network.to_vec(),
            By::Machines => machines.to_vec(),
            By::Both => pooled(network, machines, self.votes.states.len(), self.pool),
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

fn pooled(network: &[f64], machines: &[f64], classes: usize, (a, b): (f64, f64)) -> Vec<f64> {
    let safe = |p: f64| ln(p.max(1e-300));
    let mut all: Vec<f64> = network.iter().zip(machines).map(|(&n, &m)| a * safe(n) + b * safe(m)).collect();
    all.chunks_exact_mut(classes).for_each(|sums| {
        logistic::softmax(sums);
    });
    all
}

/// Deals rows into folds, every class evenly: the fold of every row, none where there is no class. The rows of a class are dealt in random order.
pub fn deal(classes: &[Option<u8>], folds: usize, stream: &mut Stream) -> Vec<Option<u8>> {
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
    let mut fittings: Vec<(Fitting<'_>, Vec<u32>)> = (0..INNER_FOLDS)
        .into_par_iter()
        .map(|k| {
            let (own, others): (Vec<u32>, Vec<u32>) = places.iter().partition(|&&place| fold(place) == k);
            Ok((Fitting::new(&subject, &thin(others), &KNOBS, &name(&k.to_string()), watch)?, own))
        })
        .collect::<Result<_, Error>>()?;
    // What every ridge gives the rows that took no part, until two weaker ones in turn do no better than the best.
    let mut tried: Vec<(f64, Vec<f64>)> = Vec::new();
    let mut best = 0;
    for (step, &ridge) in RIDGES.iter().enumerate() {
        if watch.cancelled() {
            return Err(Error::Cancelled);
        }
        let said: Vec<Vec<f64>> = fittings
            .par_iter_mut()
            .map(|(fitting, own)| {
                fitting.fit(ridge, Effort::ROUGH);
                fitting.probabilities(own)
            })
            .collect();
        let mut held = vec![0.0; places.len() * classes];
        for ((_, own), said) in fittings.iter().zip(&said) {
            for (&place, said) in own.iter().zip(said.chunks_exact(classes)) {
                held[place as usize * classes..][..classes].copy_from_slice(said);
            }
        }
        tried.push((loss(&held, &subject.labels, classes), held));
        if tried[step].0 < tried[best].0 {
            best = step;
        } else if step >= best + 2 {
            break;
        }
    }
    let step =
        (0..best).find(|&k| as_good(&tried[k].1, &tried[best].1, &subject.labels, classes)).unwrap_or(best);
    let (alone, machines) = tried.swap_remove(step);
    drop(fittings);
    let pool = best_pool(network, &machines, &subject.labels, classes);
    let both = pooled(network, &machines, classes, pool);
    let losses = [loss(network, &subject.labels, classes), alone, loss(&both, &subject.labels, classes)];
    // What is simpler wins unless the other is better by more than a hair.
    let mut won = By::Network;
    for (by, k) in [(By::Machines, 1), (By::Both, 2)] {
        if losses[k] < 0.998 * losses[won as usize] {
            won = by;
        }
    }
    let mut fitting = Fitting::new(&subject, &thin(places), &KNOBS, &name("all"), watch)?;
    RIDGES[..step].iter().for_each(|&ridge| fitting.fit(ridge, Effort::ROUGH));
    fitting.fit(RIDGES[step], Effort::WHOLE);
    let baseline = frequencies(&subject.labels, classes);
    let baseline: Vec<f64> = (0..subject.labels.len()).flat_map(|_| baseline.iter().copied()).collect();
    let judged = |by: &str, said: &[f64]| {
        let rows = said.chunks_exact(classes).zip(subject.labels.iter().map(|&label| usize::from(label)));
        HeldOut::of(by, &Evaluation::of(classes, rows))
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
        votes: Votes::new(&subject, &fitting, variable.states[..classes].to_vec()),
    })
}

/// The share of every class; one that has no rows counts as half a row, as nothing is impossible.
pub fn frequencies(labels: &[u8], classes: usize) -> Vec<f64> {
    let mut counts = vec![0.0; classes];
    labels.iter().for_each(|&label| counts[usize::from(label)] += 1.0);
    counts.iter_mut().filter(|count| **count == 0.0).for_each(|count| *count = 0.5);
    let sum: f64 = counts.iter().sum();
    counts.iter().map(|count| count / sum).collect()
}

/// The mean of −ln P(truth), a probability of nothing counting as 1e-15.
fn loss(said: &[f64], labels: &[u8], classes: usize) -> f64 {
    let own = said.chunks_exact(classes).zip(labels).map(|(p, &label)| p[usize::from(label)]);
    -own.map(|p| ln(p.max(1e-15))).sum::<f64>() / labels.len().max(1) as f64
}

/// Whether predictions are worse than others by less than half a standard error of the difference between the rows: then the stronger ridge
/// that made them is to be preferred (Breiman et al. 1984, the rule of one standard error, here of half of it).
fn as_good(said: &[f64], best: &[f64], labels: &[u8], classes: usize) -> bool {
    let own = |said: &[f64], row: usize| ln(said[row * classes + usize::from(labels[row])].max(1e-15));
    let differences: Vec<f64> = (0..labels.len()).map(|row| own(best, row) - own(said, row)).collect();
    let n = differences.len().max(1) as f64;
    let sum: f64 = differences.iter().sum();
    let squares: f64 = differences.iter().map(|d| (d - sum / n) * (d - sum / n)).sum();
    sum <= 0.5 * squares.sqrt()
}

/// The exponents under which both together have the smallest log-loss, by fifths; few rows cannot move
/// their sum far from 1, which would make both surer than either.
fn best_pool(network: &[f64], machines: &[f64], labels: &[u8], classes: usize) -> (f64, f64) {
    // Rows enough to tell tenths apart.
    let step = labels.len().div_ceil(20_000).max(1);
    let pick = |all: &[f64]| -> Vec<f64> {
        all.chunks_exact(classes).step_by(step).flatten().map(|&p| ln(p.max(1e-300))).collect()
    };
    let (network, machines) = (pick(network), pick(machines));
    let labels: Vec<u8> = labels.iter().copied().step_by(step).collect();
    let worth = |a: f64, b: f64| {
        let rows = network.chunks_exact(classes).zip(machines.chunks_exact(classes)).zip(&labels);
        rows.map(|((n, m), &label)| {
            let sum = |k: usize| a * n[k] + b * m[k];
            let own = sum(usize::from(label));
            ln((0..classes).map(|k| exp(sum(k) - own)).sum())
        })
        .sum::<f64>()
    };
    let candidates: Vec<(u32, u32)> = (0..=6).flat_map(|a| (0..=7).map(move |b| (a, b))).collect();
    let losses: Vec<f64> =
        candidates.par_iter().map(|&(a, b)| worth(f64::from(a) * 0.2, f64::from(b) * 0.2)).collect();
    let far = |&(a, b): &(u32, u32)| (f64::from(a + b) * 0.2 - 1.0) * (f64::from(a + b) * 0.2 - 1.0);
    let losses: Vec<f64> =
        losses.iter().zip(&candidates).map(|(loss, pair)| loss + 10.0 * far(pair)).collect();
    let best = (0..candidates.len()).fold(0, |best, k| if losses[k] < losses[best] { k } else { best });
    (f64::from(candidates[best].0) * 0.2, f64::from(candidates[best].1) * 0.2)
}
