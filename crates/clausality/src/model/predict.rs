//! One node predicted from the other columns, row by row: what `predict` writes and prints.

use super::rows::without_column;
use super::{Model, ModelError, Rows};
use crate::Error;
use crate::data::{Bounds, csv_cell as cell};
use crate::memory::{Plan, product};
use crate::votes::{By, HeldOut, over_values};
use crate::watch::{Watch, go_on};
use crate::words::{counted, part_of};
use clausality_bn::infer::{Bin, Evaluation, Predictions, predict_unless};
use clausality_bn::{MISSING, Network, Table, Variable};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};

/// The predictions of a node for the rows of a table.
#[derive(Debug)]
pub struct Predicted<'m> {
    /// The model, as the user named it.
    pub source: &'m str,
    /// The node.
    pub variable: &'m Variable,
    /// Its states that are values: what is predicted.
    pub states: &'m [String],
    /// Who predicts.
    pub by: By,
    /// Who was best on rows held out when it was learned, if it was learned for this target.
    pub won: Option<By>,
    /// Whether these are the rows that the network was learned from, and how good predictions were on rows held out, where that is known.
    pub own_rows: Option<Option<HeldOut>>,
    /// Whether somebody chose who predicts.
    pub asked: bool,
    /// The rows that only the network could predict, for they lack what no row lacked when machines learned.
    pub by_network_alone: usize,
    /// The rows.
    pub rows: &'m Rows,
    /// The nodes, but for the target, that have no column.
    pub absent: Vec<&'m str>,
    /// The predictions.
    pub found: Predictions,
    /// What the rows say themselves, where they do.
    truth: Option<&'m [u8]>,
    /// How good the predictions are, where the rows say the truth.
    pub evaluation: Option<Evaluation>,
}

/// The JSON document.
#[derive(Debug, Serialize)]
pub struct PredictedDocument<'a> {
    model: &'a str,
    table: &'a str,
    target: &'a str,
    by: By,
    #[serde(skip_serializing_if = "Option::is_none")]
    won: Option<By>,
    rows: usize,
    incomplete_rows: usize,
    impossible_rows: usize,
    absent_columns: &'a [&'a str],
    missing_cells: &'a BTreeMap<String, usize>,
    unknown_cells: &'a BTreeMap<String, usize>,
    evaluation: Option<Figures>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    states: Option<&'a [String]>,
    /// One for every row; null for impossible rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    predictions: Option<Vec<Option<Prediction<'a>>>>,
    version: &'static str,
}

/// The predicted state and the probability of each state.
type Prediction<'a> = (&'a str, &'a [f64]);

/// How good the predictions are; an infinite figure is null.
#[derive(Debug, Serialize)]
struct Figures {
    rows: usize,
    accuracy: f64,
    balanced_accuracy: f64,
    auc: Option<f64>,
    log_loss: f64,
    denied_rows: usize,
    brier: f64,
    calibration_error: f64,
    calibration: Vec<Calibration>,
}

/// Predictions of about the same confidence.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Calibration {
    /// The least probability of a prediction.
    pub from: f64,
    /// The largest.
    pub to: f64,
    /// How many there are.
    pub rows: usize,
    /// Their mean probability.
    pub confidence: f64,
    /// The share that was right.
    pub accuracy: f64,
}

impl Model {
    /// Predicts a node for every row, within bounds: by what won when the network was learned for this target (else by the network
    /// alone), or by who is asked. Where a row lacks a cell that no row lacked then, the network alone says, unless somebody else is asked.
    /// Predictions are values: a gap is none, and neither is the state that rare values share.
    ///
    /// # Errors
    /// A question too large; machines asked for that are not there; [`Error::Cancelled`].
    pub fn predict<'m>(
        &'m self,
        target: usize,
        rows: &'m Rows,
        by: Option<By>,
        bounds: &Bounds,
        watch: &dyn Watch,
    ) -> Result<Predicted<'m>, Error> {
        let schema = self.network.schema();
        let variable = schema.variable(target);
        let values = variable.cardinality() - usize::from(variable.has_missing_state);
        // What the network, the machines and both say of each state, and what rows that are alike share.
        let said = product(&[rows.table.rows(), 3 * 8 * variable.cardinality() + 128]);
        let what = format!(
            "the probabilities of {} in {}",
            counted(values, "state"),
            counted(rows.table.rows(), "row")
        );
        Plan::new("predicting")
            .need(what, said)
            .way("predict fewer rows at a time", None)
            .check(bounds.room)?;
        let (memory, stop) = (bounds.inference_room("predicting", 1)?, || watch.cancelled());
        let mut found = predicted(&self.network, target, &rows.table, memory, &stop)?.over(values);
        found.rest = self.coding()?.and_then(|coding| coding.rest(&variable.name));
        go_on(watch)?;
        let predictors = self.predictors()?;
        let own = predictors.iter().zip(&rows.fine).find(|(predictor, _)| predictor.target == variable.name);
        let won = own.map(|(predictor, _)| predictor.won);
        let asked = by.is_some();
        let mut by = by.or(won).unwrap_or(By::Network);
        let mut by_network_alone = 0;
        if by != By::Network {
            let Some((predictor, fine)) = own else {
                return Err(ModelError::NoPredictor {
                    file: self.source.clone(),
                    target: variable.name.clone(),
                }
                .into());
            };
            let machines = predictor.votes.probabilities(fine)?;
            go_on(watch)?;
            let even = vec![1.0 / values as f64; values];
            let network = over_values(&found, values, &even);
            let mut said = predictor.say(by, &network, &machines);
            let lost = predictor.votes.at_a_loss(fine);
            if !asked {
                by_network_alone = lost.iter().filter(|lost| **lost).count();
                // Without a cell that was always there only the network knows what to say.
                for (row, _) in lost.iter().enumerate().filter(|(_, lost)| **lost) {
                    said[row * values..][..values].copy_from_slice(&network[row * values..][..values]);
                }
            }
            found = found.replaced(said);
            let without = predictor.votes.without_a_cell(fine)?;
            let of_network = rows_without(&self.network, target, &rows.table);
            let by_network = |row: usize| by == By::Both || !asked && lost[row];
            let by_machines = |row: usize| asked || !lost[row];
            found.incomplete = (0..without.len())
                .filter(|&row| by_machines(row) && without[row] || by_network(row) && of_network[row])
                .count();
            if by_network_alone == lost.len() {
                by = By::Network;
            }
        }
        let held_out = own.and_then(|(predictor, _)| {
            predictor.held_out.iter().find(|figures| figures.by == by.word()).cloned()
        });
        let own_rows = self.was_learned_from(rows).then_some(held_out);
        let truth = Some(rows.table.column(target))
            .filter(|codes| codes.iter().any(|&code| usize::from(code) < values));
        Ok(Predicted {
            source: &self.source,
            variable,
            states: &variable.states[..values],
            by,
            won,
            own_rows,
            asked,
            by_network_alone,
            rows,
            absent: rows
                .absent
                .iter()
                .map(String::as_str)
                .filter(|&name| name != schema.name(target))
                .collect(),
            evaluation: truth.map(|truth| found.evaluate(truth, rows.weights.as_deref())),
            found,
            truth,
        })
    }
}

impl Predicted<'_> {
    /// What the predictions had to do without, for a network of so many nodes.
    pub fn notices(&self, nodes: usize) -> Vec<String> {
        let mut said: Vec<String> = without_column(&self.absent, nodes).into_iter().collect();
        if self.by_network_alone > 0 {
            said.push(format!(
                "{} {} a cell that no row lacked when it was learned: the network alone predicts these",
                part_of(self.by_network_alone, self.found.rows(), "row"),
                if self.by_network_alone == 1 { "lacks" } else { "lack" }
            ));
        }
        if let Some(rest) = self.found.rest {
            let is_rest = |row: &usize| self.found.index(*row).is_some_and(|k| self.found.is_rest(k));
            let passed = (0..self.found.rows()).filter(is_rest).count();
            let unnamed =
                self.truth.map_or(0, |truth| truth.iter().filter(|c| usize::from(**c) == rest).count());
            let (label, rows) = (&self.states[rest], self.found.rows());
            if passed > 0 {
                said.push(format!(
                    "in {} '{label}' is most probable, which rare values share: the most probable value is predicted",
                    part_of(passed, rows, "row")
                ));
            }
            if unnamed > 0 {
                said.push(format!(
                    "{} {} one of the rare values that share '{label}': no prediction of these is right",
                    part_of(unnamed, rows, "row"),
                    if unnamed == 1 { "has" } else { "have" }
                ));
            }
        }
        if self.found.impossible > 0 {
            said.push(format!(
                "{} {} impossible under the network and without a prediction",
                part_of(self.found.impossible, self.found.rows(), "row"),
                if self.found.impossible == 1 { "is" } else { "are" }
            ));
        }
        said
    }

    /// That figures flatter, where the rows are those that the network was learned from; once for all that it predicts of them.
    pub fn flattered(all: &[Predicted<'_>]) -> Option<String> {
        let own = |found: &Predicted<'_>| found.own_rows.is_some() && found.evaluation.is_some();
        let figures = |found: &Predicted<'_>| {
            let HeldOut { accuracy, log_loss, .. } = found.own_rows.clone()??;
            Some(match all {
                [_] => format!("its accuracy was {accuracy:.4} and its log-loss {log_loss:.4}"),
                _ => {
                    let name = &found.variable.name;
                    format!("the accuracy of '{name}' was {accuracy:.4} and its log-loss {log_loss:.4}")
                }
            })
        };
        let held_out: Vec<String> = all.iter().filter(|found| own(found)).filter_map(figures).collect();
        let better = match held_out.is_empty() {
            false => format!("on rows held out {}", held_out.join(", ")),
            true => "`evaluate` tells how it does on rows held out".to_string(),
        };
        all.iter().any(own).then(|| {
            format!(
                "these are the rows that the network was learned from, so its figures here flatter; {better}"
            )
        })
    }

    /// One line a row: what is predicted, how surely, every state's probability, and the truth where it is known.
    ///
    /// # Errors
    /// What the writer says.
    pub fn csv(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut out = BufWriter::with_capacity(1 << 16, out);
        let states = self.states;
        let head: String = states.iter().map(|s| format!(",{}", cell(&format!("P({s})")))).collect();
        let actual = if self.truth.is_some() { ",actual" } else { "" };
        writeln!(out, "row,prediction,probability{head}{actual}")?;
        // Rows share answers: each is put in words once.
        let words: Vec<String> = (0..self.found.distinct())
            .map(|k| {
                let chances = self.found.distribution(k);
                let best = self.found.likeliest(k);
                let all: String = chances.iter().map(|p| format!(",{p}")).collect();
                format!("{},{}{all}", cell(&states[best]), chances[best])
            })
            .collect();
        let nothing = ",".repeat(states.len() + 1);
        let labels: Vec<String> = states.iter().map(|s| cell(s)).collect();
        for row in 0..self.found.rows() {
            let words = self.found.index(row).map_or(nothing.as_str(), |k| words[k].as_str());
            write!(out, "{},{words}", row + 1)?;
            if let Some(truth) = self.truth {
                write!(out, ",{}", labels.get(usize::from(truth[row])).map_or("", String::as_str))?;
            }
            out.write_all(b"\n")?;
        }
        out.flush()
    }

    /// The document; with the predictions themselves unless a file holds them.
    pub fn document(&self, file: Option<String>) -> PredictedDocument<'_> {
        let states = self.states;
        let answer = |row: usize| {
            let k = self.found.index(row)?;
            Some((states[self.found.likeliest(k)].as_str(), self.found.distribution(k)))
        };
        let listed = file.is_none();
        PredictedDocument {
            model: self.source,
            table: &self.rows.name,
            target: &self.variable.name,
            by: self.by,
            won: self.won,
            rows: self.found.rows(),
            incomplete_rows: self.found.incomplete,
            impossible_rows: self.found.impossible,
            absent_columns: &self.absent,
            missing_cells: &self.rows.missing,
            unknown_cells: &self.rows.unknown,
            evaluation: self.evaluation.as_ref().map(figures),
            file,
            states: listed.then_some(states),
            predictions: listed.then(|| (0..self.found.rows()).map(answer).collect()),
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}

/// The rows that lack a cell of the target's Markov blanket.
fn rows_without(network: &Network, target: usize, table: &Table) -> Vec<bool> {
    let mut without = vec![false; table.rows()];
    for v in network.dag().blanket(target) {
        without.iter_mut().zip(table.column(v)).for_each(|(without, &code)| *without |= code == MISSING);
    }
    without
}

/// What the rest of every row says of `target`. Where its gaps are a state and the gaps of other columns say that it is rather missing too, these are
/// left unknown: columns are missing together, and what remains of its values once that is ruled out is next to nothing.
pub(super) fn predicted(
    network: &Network,
    target: usize,
    table: &Table,
    memory: u64,
    stop: &dyn Fn() -> bool,
) -> Result<Predictions, Error> {
    let found = predict_unless(network, target, table, memory, stop)?;
    let schema = table.schema();
    let Some(missing) = schema.variable(target).missing_state() else { return Ok(found) };
    let rather_missing = |row| found.row(row).is_none_or(|chances| chances[usize::from(missing)] > 0.5);
    let unknown: Vec<bool> = (0..table.rows()).map(rather_missing).collect();
    if !unknown.contains(&true) {
        return Ok(found);
    }
    let left = |v: usize| {
        let gap = schema.variable(v).missing_state().filter(|_| v != target);
        let cells = table.column(v).iter().zip(&unknown);
        cells.map(|(&code, unknown)| if *unknown && Some(code) == gap { MISSING } else { code }).collect()
    };
    let table = Table::new(schema.clone(), (0..schema.len()).map(left).collect())?;
    Ok(predict_unless(network, target, &table, memory, stop)?)
}

/// The predictions of several nodes side by side: of each what is predicted, every state's probability, and the truth where it is known.
///
/// # Errors
/// What the writer says.
pub fn several_csv(found: &[Predicted<'_>], out: &mut dyn Write) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    write!(out, "row")?;
    for one in found {
        let name = &one.variable.name;
        write!(out, ",{}", cell(name))?;
        one.states.iter().try_for_each(|s| write!(out, ",{}", cell(&format!("P({name}={s})"))))?;
        if one.truth.is_some() {
            write!(out, ",{}", cell(&format!("{name} actual")))?;
        }
    }
    writeln!(out)?;
    for row in 0..found.first().map_or(0, |one| one.found.rows()) {
        write!(out, "{}", row + 1)?;
        for one in found {
            match one.found.index(row) {
                Some(k) => {
                    write!(out, ",{}", cell(&one.states[one.found.likeliest(k)]))?;
                    one.found.distribution(k).iter().try_for_each(|p| write!(out, ",{p}"))?;
                }
                None => write!(out, "{}", ",".repeat(one.states.len() + 1))?,
            }
            if let Some(truth) = one.truth {
                let label = one.states.get(usize::from(truth[row])).map_or(String::new(), |s| cell(s));
                write!(out, ",{label}")?;
            }
        }
        writeln!(out)?;
    }
    out.flush()
}

/// The predictions by their confidence, as far as there are any.
pub fn calibration(figures: &Evaluation) -> Vec<Calibration> {
    let width = 1.0 / figures.bins.len() as f64;
    let bin = |(k, bin): (usize, &Bin)| Calibration {
        from: k as f64 * width,
        to: (k + 1) as f64 * width,
        rows: bin.rows,
        confidence: bin.confidence,
        accuracy: bin.accuracy,
    };
    figures.bins.iter().enumerate().filter(|(_, bin)| bin.rows > 0).map(bin).collect()
}

fn figures(figures: &Evaluation) -> Figures {
    Figures {
        rows: figures.rows,
        accuracy: figures.accuracy,
        balanced_accuracy: figures.balanced_accuracy,
        auc: figures.auc,
        log_loss: figures.log_loss,
        denied_rows: figures.denied,
        brier: figures.brier,
        calibration_error: figures.calibration_error,
        calibration: calibration(figures),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clausality_bn::{Cpt, Schema};

    /// P(b = x) in a row in which a has no value; b is there beside such a gap as often as this says.
    fn told(b_beside_a_gap: [f64; 3]) -> f64 {
        let variable =
            |name: &str| Variable { has_missing_state: true, ..Variable::new(name, ["x", "y", "missing"]) };
        let schema = Schema::new(vec![variable("a"), variable("b")]).unwrap();
        let alone = Cpt::new(&schema, 0, vec![], vec![0.45, 0.45, 0.1]).unwrap();
        let beside = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], b_beside_a_gap].concat();
        let cpts = vec![alone, Cpt::new(&schema, 1, vec![0], beside).unwrap()];
        let network = Network::new("t", schema.clone(), cpts).unwrap();
        let table = Table::new(schema, vec![vec![2], vec![0]]).unwrap();
        predicted(&network, 1, &table, u64::MAX, &|| false).unwrap().row(0).unwrap()[0]
    }

    #[test]
    fn a_gap_tells_of_others_unless_it_tells_that_they_miss_too() {
        let near = |p: f64, q: f64| (p - q).abs() < 1e-12;
        assert!(near(told([0.1, 0.8, 0.1]), 0.1), "b is there");
        assert!(
            near(told([0.04, 0.01, 0.95]), 0.45 * 0.8 + 0.1 * 0.04),
            "they miss together: as if nothing were known of a"
        );
    }
}
