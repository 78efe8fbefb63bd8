//! How well a column can be predicted: cross-validation of everything that is learned.
//!
//! The rows are dealt into folds, every class evenly; each fold is predicted by what the others teach. All of it is learned anew from
//! the others: where numbers are cut, structure, probabilities, machines, their points, how both are pooled and who is best. Only the target's
//! own states are those of the whole table: they are the question. Rows in which the target has no value take no part.
//!
//! Figures are those of a fold, told as mean and standard deviation over the folds of all repeats; the calibration and the confusion table
//! are of all rows together. Beside them stands the *baseline*: every row has the frequencies of the classes in the others. Where rows count
//! differently every figure is one of weights; a fold that weighs nothing has none.

use crate::Error;
use crate::data::{Bounds, Coding, Dataset, Uncoded};
use crate::folder::Kept;
use crate::learn::{fewer, learn_keeping, plan, target};
use crate::memory::{Plan, guarded, product};
use crate::settings::Settings;
use crate::votes::{By, classes_of, deal, frequencies, least_bytes, least_bytes_of, over_values};
use crate::watch::{Quiet, Stage, Underway, Watch};
use crate::words::{counted, percent};
use clausality_bn::Table;
use clausality_bn::infer::{Bin, DEFAULT_BYTES, Evaluation, predict};
use clausality_bn::random::Stream;
use serde::{Deserialize, Serialize, Serializer};

/// Folds, unless others are asked for.
pub const FOLDS: usize = 10;

/// How well a column is predicted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evaluated {
    /// The column.
    pub target: String,
    /// Its states that are values.
    pub states: Vec<String>,
    /// Rows in which it has one.
    pub rows: usize,
    /// Parts of the rows.
    pub folds: usize,
    /// How often they were dealt.
    pub repeats: usize,
    /// Who is best by log-loss: `network`, `machines` or `both`.
    pub winner: By,
    /// Where rare values share a state: how much of the rows that is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest: Option<Rest>,
    /// The class frequencies, the network, the machines, both, and whoever won within the fold (`chosen`), which is what `predict` uses.
    pub results: Vec<Figures>,
}

impl Evaluated {
    /// How much better than the class frequencies a log-loss must be to be believed: two standard errors of the chosen one's over the
    /// folds, and half a percent.
    pub fn doubt(&self) -> f64 {
        let (Some(baseline), Some(chosen)) = (self.results.first(), self.results.last()) else { return 0.0 };
        let folds = (self.folds * self.repeats).max(1) as f64;
        let error = chosen.log_loss.deviation.min(baseline.log_loss.mean) / folds.sqrt();
        (2.0 * error).min(0.1 * baseline.log_loss.mean).max(0.005 * baseline.log_loss.mean)
    }
}

/// The state that rare values share. It is none of the values, so it is never predicted, and what has it counts as predicted wrongly.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rest {
    /// What it is called.
    pub state: String,
    /// The share of the rows that have it.
    pub share: f64,
    /// Of the other rows, the share that who won in the fold predicts rightly.
    pub accuracy: f64,
    /// The same of the class frequencies.
    pub baseline: f64,
}

impl Rest {
    fn of(state: &str, place: usize, baseline: &Figures, chosen: &Figures) -> Self {
        let all = |figures: &Figures| -> f64 { figures.confusion.iter().flatten().sum() };
        let own: f64 = chosen.confusion[place].iter().sum();
        let named = |figures: &Figures| {
            let right: f64 = (0..figures.confusion.len()).map(|k| figures.confusion[k][k]).sum();
            right / (all(figures) - own).max(f64::MIN_POSITIVE)
        };
        let share = own / all(chosen).max(f64::MIN_POSITIVE);
        Rest { state: state.to_string(), share, accuracy: named(chosen), baseline: named(baseline) }
    }

    /// What it means for the figures.
    pub fn sentence(&self) -> String {
        let Rest { state, share, accuracy, baseline } = self;
        format!(
            "'{state}' is no value but what rare ones share: {} of the rows have it, it is never predicted, and these rows count as wrong. Of the others \
             {} are predicted rightly, by the class frequencies {}. Log-loss, Brier and AUC count it as a class.",
            percent(*share),
            percent(*accuracy),
            percent(*baseline)
        )
    }
}

/// The figures of one of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// `baseline`, `network`, `machines`, `both` or `chosen`.
    pub by: String,
    /// The share of rows predicted rightly.
    pub accuracy: Spread,
    /// The same, every class counting as much.
    pub balanced_accuracy: Spread,
    /// Mean of −ln P(truth); infinite is null.
    pub log_loss: Spread,
    /// Mean squared error of the probabilities.
    pub brier: Spread,
    /// Area under the curve, one class against the rest.
    pub auc: Option<Spread>,
    /// How far confidence and accuracy are apart, over all rows.
    pub calibration_error: f64,
    /// Predictions by their confidence, over all rows.
    pub calibration: Vec<Reliability>,
    /// Rows by truth, then by prediction; of rows that count differently what they weigh, 1 on average.
    #[serde(serialize_with = "whole_numbers")]
    pub confusion: Vec<Vec<f64>>,
}

/// Counts are written as such.
fn whole_numbers<S: Serializer>(rows: &[Vec<f64>], to: S) -> Result<S::Ok, S::Error> {
    let is_whole = rows.iter().flatten().all(|count| count.fract() == 0.0);
    match is_whole {
        true => {
            to.collect_seq(rows.iter().map(|row| row.iter().map(|&count| count as u64).collect::<Vec<_>>()))
        }
        false => to.collect_seq(rows),
    }
}

/// A figure over folds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Its mean.
    pub mean: f64,
    /// Its standard deviation.
    pub deviation: f64,
}

/// Predictions of about the same confidence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Reliability {
    /// How many there are.
    pub rows: usize,
    /// Their mean probability.
    pub confidence: f64,
    /// The share that was right.
    pub accuracy: f64,
}

impl Spread {
    fn of(values: &[f64]) -> Self {
        let n = values.len().max(1) as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
        let deviation = if values.len() > 1 { (squares / (n - 1.0)).sqrt() } else { 0.0 };
        Spread { mean, deviation }
    }
}

/// What one of those who predict said of every row of every fold.
#[derive(Default)]
struct Said {
    folds: Vec<Evaluation>,
    all: Vec<f64>,
}

/// Who is judged, in the order of the results.
const JUDGED: [&str; 5] = ["baseline", "network", "machines", "both", "chosen"];

/// Cross-validates every target of the settings on a table as it was read (with `settings.by_profile().data`).
///
/// # Errors
/// Whatever is wrong with the settings; a target that is no usable column, or has too few rows; [`Error::Cancelled`].
pub fn evaluate(
    sheet: &Uncoded,
    settings: &Settings,
    bounds: &Bounds,
    watch: &dyn Watch,
) -> Result<Vec<Evaluated>, Error> {
    evaluate_keeping(sheet, settings, bounds, Kept::default(), watch)
}

/// The same; what is finished on the way is kept, and what an earlier call finished is not done again ([`crate::folder::Scraps`]).
///
/// # Errors
/// As [`evaluate`]; a disk that cannot keep what is finished.
pub fn evaluate_keeping(
    sheet: &Uncoded,
    settings: &Settings,
    bounds: &Bounds,
    kept: Kept<'_>,
    watch: &dyn Watch,
) -> Result<Vec<Evaluated>, Error> {
    settings.check()?;
    check_sheet(sheet, settings, bounds)?;
    let whole = sheet.dataset(None, &[])?;
    check_room(sheet, &whole, settings, bounds)?;
    let evaluated = guarded("evaluating", bounds.room, watch, |watch| {
        within_room(sheet, &whole, settings, bounds, kept, watch)
    });
    kept.unless_in_vain(evaluated)
}

/// Refuses, before anything is learned, what would not fit: a part of the rows after the other is learned without, by the plan of learning. At the
/// least there are in the end, while the last part is learned without
///
/// ```text
/// sheet + 2 · N · M + 14 · N       the table as it was read, twice in states, and what its rows count and in which part they are
/// n · R · (5 · 8 · C + 16)         what was said of the rows in all parts before, and what is true, in R repeats
/// predictor                        of the rows in the other parts
/// ```
///
/// # Errors
/// More than the bounds allow.
pub fn check_room(
    sheet: &Uncoded,
    whole: &Dataset,
    settings: &Settings,
    bounds: &Bounds,
) -> Result<(), Error> {
    settings.check()?;
    plan(whole, settings).check(bounds.room)?;
    let (rows, columns) = (sheet.rows(), whole.table.schema().len());
    let folds = settings.prediction.folds.unwrap_or(FOLDS).max(1);
    let repeats = settings.prediction.repeats.unwrap_or(1).max(1);
    let table = product(&[rows + whole.table.rows(), columns])
        .saturating_add(product(&[rows, 14]))
        .saturating_add(sheet.bytes() as u64);
    for name in settings.prediction.targets() {
        let Some(target) = whole.table.schema().index(name) else { continue };
        let variable = whole.table.schema().variable(target);
        let count = variable.cardinality() - usize::from(variable.has_missing_state);
        let known = classes_of(&whole.table, target).iter().flatten().count();
        // Of every part but the last.
        let judged = (known.saturating_mul(repeats * folds - 1)) / folds;
        let predictor = least_bytes(whole, target, known - known.div_ceil(folds));
        fewer(Plan::at_least("evaluating"))
            .need(format!("{} of {}", counted(rows, "row"), counted(columns, "column")), table)
            .need(format!("all that is said of '{name}'"), product(&[judged, JUDGED.len() * 8 * count + 16]))
            .need(format!("a predictor of '{name}'"), predictor)
            .check(bounds.room)?;
    }
    Ok(())
}

/// The same once a table is read, before its columns are decided, which takes longer than anybody waits for a refusal: of the target it is known in how
/// many rows it has a value, and that it has two classes.
///
/// # Errors
/// More than the bounds allow.
pub fn check_sheet(sheet: &Uncoded, settings: &Settings, bounds: &Bounds) -> Result<(), Error> {
    settings.check()?;
    let folds = settings.prediction.folds.unwrap_or(FOLDS).max(1);
    let repeats = settings.prediction.repeats.unwrap_or(1).max(1);
    for name in settings.prediction.targets() {
        // What is no column is told of elsewhere.
        let Some(known) = sheet.known(name) else { continue };
        let judged = (known.saturating_mul(repeats * folds - 1)) / folds;
        let table = (sheet.bytes() as u64).saturating_add(product(&[sheet.rows(), 14]));
        fewer(Plan::at_least("evaluating"))
            .need(format!("{} as they were read", counted(sheet.rows(), "row")), table)
            .need(format!("all that is said of '{name}'"), product(&[judged, JUDGED.len() * 8 * 2 + 16]))
            .need(format!("a predictor of '{name}'"), least_bytes_of(2, 0, known - known.div_ceil(folds)))
            .check(bounds.room)?;
    }
    Ok(())
}

fn within_room(
    sheet: &Uncoded,
    whole: &Dataset,
    settings: &Settings,
    bounds: &Bounds,
    kept: Kept<'_>,
    watch: &dyn Watch,
) -> Result<Vec<Evaluated>, Error> {
    let folds = settings.prediction.folds.unwrap_or(FOLDS);
    let repeats = settings.prediction.repeats.unwrap_or(1);
    let everything = vec![true; sheet.rows()];
    let table = sheet.coded(&whole.coding, &everything)?.table;
    let weights = sheet.weights()?.unwrap_or_else(|| vec![1.0; sheet.rows()]);
    let owners = sheet.owners()?;
    let targets = settings.prediction.targets();
    let stage = Underway::begin(watch, Stage::Evaluate, targets.len() * repeats * folds);
    let mut evaluated = Vec::new();
    for name in targets {
        let target = target(whole, name)?;
        let asked = Asked {
            sheet,
            settings,
            bounds,
            kept,
            table: &table,
            weights: &weights,
            owners: owners.as_deref(),
            coding: &whole.coding,
            target,
            folds,
            repeats,
        };
        evaluated.push(asked.evaluate(&stage)?);
    }
    Ok(evaluated)
}

/// One target and how it is evaluated.
struct Asked<'a> {
    sheet: &'a Uncoded,
    settings: &'a Settings,
    bounds: &'a Bounds,
    kept: Kept<'a>,
    table: &'a Table,
    /// How much each row counts.
    weights: &'a [f64],
    /// Whose it is, where that is known.
    owners: Option<&'a [u32]>,
    coding: &'a Coding,
    target: usize,
    folds: usize,
    repeats: usize,
}

impl Asked<'_> {
    fn evaluate(&self, stage: &Underway<'_>) -> Result<Evaluated, Error> {
        let variable = self.table.schema().variable(self.target);
        let count = variable.cardinality() - usize::from(variable.has_missing_state);
        let classes = classes_of(self.table, self.target);
        let rows = classes.iter().flatten().count();
        if rows < 2 * self.folds {
            return Err(Error::TooLittleData(format!(
                "'{}' has a value in {}: too few for {}",
                variable.name,
                counted(rows, "row"),
                counted(self.folds, "fold")
            )));
        }
        let rest = self.coding.rest(&variable.name);
        let mut said: [Said; 5] = Default::default();
        let mut truths = Vec::new();
        for repeat in 0..self.repeats {
            let name = format!("evaluate\0{}\0{repeat}", variable.name);
            let mut stream = Stream::new(self.settings.seed, &name);
            let dealt = deal(&classes, self.owners, self.folds, &mut stream)?;
            for fold in 0..self.folds as u8 {
                let truth: Vec<(usize, f64)> = (0..classes.len())
                    .filter(|&row| dealt[row] == Some(fold))
                    .filter_map(|row| Some((usize::from(classes[row]?), self.weights[row])))
                    .collect();
                for (said, found) in said.iter_mut().zip(self.fold(&dealt, fold, &classes, stage)?) {
                    if truth.iter().any(|(_, weight)| *weight > 0.0) {
                        said.folds.push(judged(&found, &truth, count, rest));
                    }
                    said.all.extend(found);
                }
                truths.extend(truth);
                stage.step();
            }
        }
        let results: Vec<Figures> =
            JUDGED.iter().zip(&said).map(|(by, said)| figures(by, said, &truths, (count, rest))).collect();
        let best = (2..4)
            .fold(1, |best, k| if results[k].log_loss.mean < results[best].log_loss.mean { k } else { best });
        Ok(Evaluated {
            target: variable.name.clone(),
            states: variable.states[..count].to_vec(),
            rows,
            folds: self.folds,
            repeats: self.repeats,
            winner: By::ALL[best - 1],
            rest: rest.map(|k| Rest::of(&variable.states[k], k, &results[0], &results[JUDGED.len() - 1])),
            results,
        })
    }

    /// What each says of the rows of a fold.
    fn fold(
        &self,
        dealt: &[Option<u8>],
        fold: u8,
        classes: &[Option<u8>],
        watch: &dyn Watch,
    ) -> Result<[Vec<f64>; 5], Error> {
        let variable = self.table.schema().variable(self.target);
        let count = variable.cardinality() - usize::from(variable.has_missing_state);
        let others: Vec<bool> = dealt.iter().map(|own| own.is_some_and(|own| own != fold)).collect();
        let own: Vec<bool> = dealt.iter().map(|own| *own == Some(fold)).collect();
        let coded = self.coding.variables().iter().find(|coded| coded.variable.name == variable.name);
        let dataset = self.sheet.dataset(Some(&others), &coded.into_iter().collect::<Vec<_>>())?;
        let mut settings = self.settings.clone();
        settings.network.bootstrap = 0;
        settings.prediction.target = Some(vec![variable.name.clone()]);
        let quiet = Quiet(watch);
        // Pieces are known by the tables they are of: that of a fold is another one for each.
        let part = format!("evaluation of '{}'", variable.name);
        let learned = learn_keeping(&dataset, &settings, self.bounds, self.kept.below(&part), &quiet)?;
        let labels = (0..classes.len())
            .filter(|&row| others[row])
            .filter_map(|row| Some((classes[row]?, self.weights[row])));
        let usual = frequencies(labels, count);
        let table = self.sheet.coded(&learned.coding, &own)?.table;
        let target = table.schema().index(&variable.name).unwrap_or_default();
        let found = predict(&learned.network, target, &table, DEFAULT_BYTES)?;
        let network = over_values(&found, count, &usual);
        let [predictor] = learned.predictors.as_slice() else {
            return Err(Error::TooLittleData(format!("'{}' cannot be predicted", variable.name)));
        };
        let machines =
            predictor.votes.probabilities(&self.sheet.coded(predictor.votes.coding(), &own)?.table)?;
        let say = |by: By| predictor.say(by, &network, &machines);
        let baseline = (0..table.rows()).flat_map(|_| usual.iter().copied()).collect();
        Ok([baseline, say(By::Network), say(By::Machines), say(By::Both), say(predictor.won)])
    }
}

/// What predictions are worth, of rows with these classes and weights.
fn judged(said: &[f64], truths: &[(usize, f64)], classes: usize, rest: Option<usize>) -> Evaluation {
    let rows = said.chunks_exact(classes).zip(truths);
    Evaluation::naming(classes, rest, rows.map(|(said, &(truth, weight))| (said, truth, weight)))
}

fn figures(
    by: &str,
    said: &Said,
    truths: &[(usize, f64)],
    (classes, rest): (usize, Option<usize>),
) -> Figures {
    let spread =
        |figure: &dyn Fn(&Evaluation) -> f64| Spread::of(&said.folds.iter().map(figure).collect::<Vec<_>>());
    let areas: Vec<f64> = said.folds.iter().filter_map(|fold| fold.auc).collect();
    let all = judged(&said.all, truths, classes, rest);
    let reliability =
        |bin: &Bin| Reliability { rows: bin.rows, confidence: bin.confidence, accuracy: bin.accuracy };
    Figures {
        by: by.to_string(),
        accuracy: spread(&|fold| fold.accuracy),
        balanced_accuracy: spread(&|fold| fold.balanced_accuracy),
        log_loss: spread(&|fold| fold.log_loss),
        brier: spread(&|fold| fold.brier),
        auc: (!areas.is_empty()).then(|| Spread::of(&areas)),
        calibration_error: all.calibration_error,
        calibration: all.bins.iter().filter(|bin| bin.weight > 0.0).map(reliability).collect(),
        confusion: all.confusion,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same predictions in the same folds: a row that weighs 2 is the same as the row twice.
    #[test]
    fn a_row_of_weight_two_is_two_rows() {
        let folds: [&[(usize, [f64; 2])]; 2] = [
            &[(0, [0.9, 0.1]), (1, [0.6, 0.4]), (1, [0.2, 0.8])],
            &[(1, [0.3, 0.7]), (0, [0.55, 0.45]), (0, [0.45, 0.55])],
        ];
        // The second row of the first fold and the last of the other.
        let heavy = [(0, 1), (1, 2)];
        let count = |fold: usize, row: usize| 1 + usize::from(heavy.contains(&(fold, row)));
        let found = |times: &dyn Fn(usize) -> (usize, f64)| {
            let (mut said, mut truths) = (Said::default(), Vec::new());
            for (k, fold) in folds.iter().enumerate() {
                let (mut own, mut truth) = (Vec::new(), Vec::new());
                for (row, (class, chances)) in fold.iter().enumerate() {
                    let (copies, weight) = times(count(k, row));
                    for _ in 0..copies {
                        own.extend(*chances);
                        truth.push((*class, weight));
                    }
                }
                said.folds.push(judged(&own, &truth, 2, None));
                said.all.extend(own);
                truths.extend(truth);
            }
            figures("network", &said, &truths, (2, None))
        };
        let (doubled, weighed) = (found(&|count| (count, 1.0)), found(&|count| (1, count as f64)));
        assert_eq!(doubled.confusion, weighed.confusion);
        let all = |f: &Figures| {
            let spreads = [f.accuracy, f.balanced_accuracy, f.log_loss, f.brier, f.auc.unwrap()];
            let mut all: Vec<f64> = spreads.iter().flat_map(|s| [s.mean, s.deviation]).collect();
            all.push(f.calibration_error);
            all.extend(f.calibration.iter().flat_map(|bin| [bin.confidence, bin.accuracy]));
            all
        };
        for (one, other) in all(&doubled).into_iter().zip(all(&weighed)) {
            assert!((one - other).abs() < 1e-12, "{doubled:?} {weighed:?}");
        }
        assert_ne!(all(&doubled), all(&found(&|_| (1, 1.0))), "the weights count");
    }
}
