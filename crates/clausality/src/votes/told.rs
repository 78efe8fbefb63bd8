//! A score card in words: what each column and each rule does to the odds.
//!
//! Points are logarithms. With two classes
//!
//! ```text
//! odds of the second  =  start · Π_columns factor of its state · Π_true rules factor      factor = exp(points of the second − points of the first)
//! ```
//!
//! and with more every class has a weight, of which its probability is the share,
//!
//! ```text
//! weight of k  =  start_k · Π_columns factor_k · Π_true rules factor_k                    factor_k = exp(points_k − mean of points)
//! ```
//!
//! A column and a rule are told by the class whose odds they move furthest, by the standard deviation of the logarithm over the rows, and stand in that
//! order. States of few rows are passed over, for what one row in thousands has chance may explain; of a column with an order, also what lies beyond a
//! hundredth of the rows that have a value at either end.

use super::{By, Predictor};
use crate::Error;
use crate::encode::{Encoding, LiteralRule};
use crate::words;
use clausality_bn::math::exp;
use clausality_bn::{Scale, Schema};
use serde::Serialize;

/// How the machines tell a column.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Card {
    /// Who predicts.
    pub won: By,
    /// What is multiplied.
    pub of: Multiplied,
    /// Before anything is known of a row: the odds of the second of two classes, or the weight of every one of more.
    pub start: Vec<Start>,
    /// What every column does, that which moves the odds most first.
    pub columns: Vec<ColumnOdds>,
    /// What rules do, that which moves the odds most first.
    pub rules: Vec<RuleOdds>,
}

/// What factors are multiplied to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Multiplied {
    /// The odds of one of two classes.
    Odds,
    /// The weight of each class, of which its probability is the share.
    Weights,
}

/// What a card begins with.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Start {
    /// The class.
    pub state: String,
    /// Its odds or weight.
    pub factor: f64,
}

/// What the states of a column multiply the odds of a class by.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnOdds {
    /// The column.
    pub column: String,
    /// The class.
    pub state: String,
    /// In words, the state with the smallest factor.
    pub least: String,
    /// That factor.
    pub least_factor: f64,
    /// How many of the rows that it was fitted to have that state, where that is known.
    pub least_rows: Option<usize>,
    /// The state with the largest.
    pub most: String,
    /// That factor.
    pub most_factor: f64,
    /// The rows that have that state, where that is known.
    pub most_rows: Option<usize>,
}

/// What a rule multiplies the odds of a class by where it holds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RuleOdds {
    /// "Age >= 45 and NumOfProducts = 1".
    pub text: String,
    /// Its conditions.
    pub when: Vec<String>,
    /// The share of the rows in which it holds, where that is known.
    pub share: Option<f64>,
    /// How many rows that is, where it is known.
    pub rows: Option<usize>,
    /// The class.
    pub state: String,
    /// The factor, below 1 where the rule speaks against the class.
    pub factor: f64,
}

impl Predictor {
    /// The machines' card in words.
    ///
    /// # Errors
    /// A coding that makes no schema.
    pub fn card(&self) -> Result<Card, Error> {
        let votes = &self.votes;
        let schema = votes.coding().schema()?;
        // Points and clauses are kept in the order of names.
        let by_name = schema.in_name_order().into_iter().map(|v| schema.variable(v).clone());
        let schema = Schema::new(by_name.collect())?;
        let encoding = Encoding::new(&schema, LiteralRule::Scale);
        let state = |class: usize| votes.states()[class].clone();
        let start = log_factors(&votes.constant);
        let start = start.map(|(class, points)| Start { state: state(class), factor: exp(points) }).collect();
        let shares = votes.shares.as_ref();
        // Rows held out are all rows with a class, fold by fold, and those are what the card was fitted to in the end.
        let fitted = self.held_out.first().map(|held| held.rows);
        let rows = |share: Option<f64>| Some((share? * fitted? as f64).round() as usize);
        let mut columns: Vec<(f64, ColumnOdds)> = Vec::new();
        for (v, (variable, points)) in schema.variables().iter().zip(&votes.points).enumerate() {
            let share =
                |code: usize| shares.map_or(1.0 / points.len() as f64, |shares| shares.states[v][code]);
            let own_rows = |code: usize| rows(shares.map(|shares| shares.states[v][code]));
            let told = told_of(variable.scale, points.len(), share, own_rows);
            let by_state: Vec<Vec<(usize, f64)>> =
                points.iter().map(|points| log_factors(points).collect()).collect();
            let classes = (0..by_state.first().map_or(0, Vec::len)).map(|k| {
                let worth = |code: usize| by_state[code][k].1;
                let moments = (0..points.len()).map(|code| (share(code), worth(code)));
                (
                    by_state[0][k].0,
                    deviation(moments),
                    told.iter().map(|&code| (code, worth(code))).collect::<Vec<_>>(),
                )
            });
            let Some((class, moved, worth)) = furthest(classes, |class| class.1) else { continue };
            let by_worth = |a: &&(usize, f64), b: &&(usize, f64)| a.1.total_cmp(&b.1);
            let (Some(least), Some(most)) =
                (worth.iter().min_by(by_worth), worth.iter().rev().max_by(by_worth))
            else {
                continue;
            };
            let words = |code: usize| words::is_one_of(variable, &[code as u8], false);
            let column = ColumnOdds {
                column: variable.name.clone(),
                state: state(class),
                least: words(least.0),
                least_factor: exp(least.1),
                least_rows: own_rows(least.0),
                most: words(most.0),
                most_factor: exp(most.1),
                most_rows: own_rows(most.0),
            };
            columns.push((moved, column));
        }
        columns.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut rules: Vec<(f64, RuleOdds)> = Vec::new();
        for (k, (literals, points)) in votes.clauses.iter().enumerate() {
            let Some((class, points)) = furthest(log_factors(points), |class| class.1.abs()) else {
                continue;
            };
            let share = shares.map(|shares| shares.clauses[k]);
            let mut when = Vec::new();
            for own in literals.chunk_by(|&a, &b| variable_of(&encoding, a) == variable_of(&encoding, b)) {
                let v = variable_of(&encoding, own[0]);
                let holds = |code: &u8| own.iter().all(|&literal| encoding.holds(literal as usize, *code));
                let codes: Vec<u8> = (0..schema.cardinality(v) as u8).filter(holds).collect();
                when.push(words::is_one_of(schema.variable(v), &codes, false));
            }
            let half = share.unwrap_or(0.5);
            let moved = deviation([(half, points), (1.0 - half, 0.0)].into_iter());
            let (text, rows) = (when.join(" and "), rows(share));
            let rule = RuleOdds { text, when, share, rows, state: state(class), factor: exp(points) };
            rules.push((moved, rule));
        }
        rules.sort_by(|a, b| b.0.total_cmp(&a.0));
        Ok(Card {
            won: self.won,
            of: if votes.states().len() == 2 { Multiplied::Odds } else { Multiplied::Weights },
            start,
            columns: columns.into_iter().map(|(_, column)| column).collect(),
            rules: rules.into_iter().map(|(_, rule)| rule).collect(),
        })
    }
}

/// States of fewer rows than this share are not told as the least or the most, nor what lies further out in an order.
const RARE: f64 = 0.01;
/// Nor are states of fewer rows.
const FEW: usize = 10;

/// The states that may be told as the least or the most: the usual ones, or all where fewer than two are.
fn told_of(
    scale: Scale,
    states: usize,
    share: impl Fn(usize) -> f64,
    rows: impl Fn(usize) -> Option<usize>,
) -> Vec<usize> {
    // Rows without a value have no state: the ends are those of the others.
    let all: f64 = (0..states).map(&share).sum();
    let mut below = 0.0;
    let usual = |&code: &usize| {
        let (before, own) = (below, share(code));
        below += own;
        rows(code).is_none_or(|rows| rows >= FEW)
            && match scale {
                Scale::Ordered => own > 0.0 && before + own > RARE * all && before < (1.0 - RARE) * all,
                _ => own >= RARE,
            }
    };
    let usual: Vec<usize> = (0..states).filter(usual).collect();
    if usual.len() < 2 { (0..states).collect() } else { usual }
}

/// How far a number lies from its mean over the rows, given the shares of its values.
fn deviation(values: impl Iterator<Item = (f64, f64)> + Clone) -> f64 {
    let all: f64 = values.clone().map(|(share, _)| share).sum();
    let mean = values.clone().map(|(share, value)| share * value).sum::<f64>() / all.max(f64::MIN_POSITIVE);
    (values.map(|(share, value)| share * (value - mean) * (value - mean)).sum::<f64>()
        / all.max(f64::MIN_POSITIVE))
    .sqrt()
}

/// The first of what is moved furthest, unless nothing moves; what differs by a rounding is alike.
fn furthest<T>(all: impl Iterator<Item = T>, moved: impl Fn(&T) -> f64) -> Option<T> {
    let further = |best: T, next: T| if moved(&next) > moved(&best) * (1.0 + 1e-9) { next } else { best };
    all.reduce(further).filter(|best| moved(best) > 0.0)
}

fn variable_of(encoding: &Encoding, literal: u32) -> usize {
    encoding.literal(literal as usize).variable
}

/// The logarithms of what points make of the odds of the second of two classes, or of the weight of every class.
fn log_factors(points: &[f64]) -> impl Iterator<Item = (usize, f64)> {
    let two = points.len() == 2;
    let middle = if two { points[0] } else { points.iter().sum::<f64>() / points.len() as f64 };
    points.iter().enumerate().skip(usize::from(two)).map(move |(class, own)| (class, own - middle))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Coding;
    use clausality_bn::{MISSING, Table, Variable};
    use serde_json::json;

    /// Odds that are multiplied as the card says are those of the probabilities.
    #[test]
    fn the_factors_make_the_odds() {
        let variable = |name: &str| Variable::new(name, ["off", "on"].map(String::from).to_vec());
        let schema = Schema::new(vec![variable("b"), variable("a")]).unwrap();
        let by_name = Schema::new(vec![variable("a"), variable("b")]).unwrap();
        let encoding = Encoding::new(&by_name, LiteralRule::Scale);
        let on = |v: usize| encoding.literals_of(v).find(|&number| encoding.holds(number, 1)).unwrap();
        let coding = serde_json::to_value(Coding::of_labels(&schema, &[])).unwrap();
        let predictor: Predictor = serde_json::from_value(json!({
            "target": "y", "won": "machines", "pool": [0.0, 1.0], "held_out": [],
            "votes": {
                "states": ["no", "yes"], "coding": coding, "constant": [0.2, -0.3],
                "points": [[[0.0, 0.0], [0.0, 0.7]], [[0.1, 0.0], [0.0, 0.2]]],
                "clauses": [[[on(0), on(1)], [0.5, 0.0]]],
            },
        }))
        .unwrap();
        let card = predictor.card().unwrap();
        let yes = card.start.iter().find(|start| start.state == "yes").unwrap();
        let [a, b] = ["a", "b"].map(|name| card.columns.iter().find(|c| c.column == name).unwrap());
        assert_eq!((a.state.as_str(), a.least.as_str(), a.most.as_str()), ("yes", "a = off", "a = on"));
        assert_eq!(card.columns[0].column, "a", "the wider range first");
        let rule = &card.rules[0];
        assert_eq!((rule.text.as_str(), rule.state.as_str()), ("a = on and b = on", "yes"));
        assert!(rule.factor < 1.0, "it speaks against it");
        let rows = Table::new(schema, vec![vec![0, 1, 0, 1], vec![0, 0, 1, 1]]).unwrap();
        let said = predictor.votes.probabilities(&rows).unwrap();
        for (row, said) in said.chunks_exact(2).enumerate() {
            let [of_b, of_a] = [0, 1].map(|v| rows.column(v)[row] == 1);
            let factor = |of: &ColumnOdds, on: bool| if on { of.most_factor } else { of.least_factor };
            let rule = if of_a && of_b { rule.factor } else { 1.0 };
            let odds = yes.factor * factor(a, of_a) * factor(b, of_b) * rule;
            assert!((odds - said[1] / said[0]).abs() < 1e-12, "{odds} {said:?}");
        }
    }

    /// Of more classes the shares of the weights are the probabilities; the ends of a column with an order are told though each of its steps is rare.
    #[test]
    fn the_weights_make_the_probabilities() {
        let steps: Vec<String> = (0..128).map(|k| k.to_string()).collect();
        let mut size = Variable::new("size", steps);
        size.scale = Scale::Ordered;
        let schema = Schema::new(vec![size]).unwrap();
        let coding = serde_json::to_value(Coding::of_labels(&schema, &[])).unwrap();
        let points: Vec<Vec<f64>> = (0..128).map(|k| vec![0.01 * k as f64, 0.3, -0.02 * k as f64]).collect();
        let predictor: Predictor = serde_json::from_value(json!({
            "target": "y", "won": "machines", "pool": [0.0, 1.0], "held_out": [],
            "votes": {
                "states": ["a", "b", "c"], "coding": coding, "constant": [0.2, -0.3, 1.0], "points": [points], "clauses": [],
                "shares": {"states": [vec![1.0 / 128.0; 128]], "clauses": []},
            },
        }))
        .unwrap();
        let card = predictor.card().unwrap();
        assert_eq!(card.of, Multiplied::Weights);
        let column = &card.columns[0];
        assert_eq!(
            (column.state.as_str(), column.least.as_str(), column.most.as_str()),
            ("c", "size = 126", "size = 1")
        );
        let said = predictor.votes.probabilities(&Table::new(schema, vec![vec![MISSING]]).unwrap()).unwrap();
        let all: f64 = card.start.iter().map(|start| start.factor).sum();
        for (start, said) in card.start.iter().zip(said) {
            assert!((start.factor / all - said).abs() < 1e-12, "{start:?} {said}");
        }
    }

    /// One row of a thousand has the largest value, and a tenth none: it is no end of the column, and neither is a state of nine rows within.
    #[test]
    fn what_few_rows_have_is_no_extreme() {
        let mut size = Variable::new("size", ["0", "1", "2", "3", "4"].map(String::from).to_vec());
        size.scale = Scale::Ordered;
        let schema = Schema::new(vec![size]).unwrap();
        let coding = serde_json::to_value(Coding::of_labels(&schema, &[])).unwrap();
        let told = |rows: usize| {
            let held = json!({
                "by": "baseline", "rows": rows, "accuracy": 0.5, "balanced_accuracy": 0.5, "log_loss": 0.7, "brier": 0.25,
                "auc": null, "calibration_error": 0.0,
            });
            let predictor: Predictor = serde_json::from_value(json!({
                "target": "y", "won": "machines", "pool": [0.0, 1.0], "held_out": [held],
                "votes": {
                    "states": ["no", "yes"], "coding": coding, "constant": [0.0, 0.0], "clauses": [[[0], [0.0, 0.1]]],
                    "points": [[[0.0, 0.0], [0.0, -2.0], [0.0, 0.5], [0.0, 0.2], [0.0, 3.0]]],
                    "shares": {"states": [[0.4, 0.009, 0.2, 0.29, 0.001]], "clauses": [0.5]},
                },
            }))
            .unwrap();
            let card = predictor.card().unwrap();
            let column = card.columns[0].clone();
            ((column.least, column.least_rows), (column.most, column.most_rows), card.rules[0].rows)
        };
        let said = |text: &str, rows| (text.to_string(), Some(rows));
        assert_eq!(told(1000), (said("size = 0", 400), said("size = 2", 200), Some(500)));
        assert_eq!(told(10_000).0, said("size = 1", 90), "of more rows nine in a thousand are not few");
        assert_eq!(told(10_000).1, said("size = 2", 2000), "but the last tenth of a hundredth is an end");
    }
}
