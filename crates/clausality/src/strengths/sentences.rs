//! Clauses as sentences: "Accident = Severe when DrivQuality = Poor and Antilock = False".
//!
//! Over the fits of a target, clauses (module `clauses`) that ask for the same states are one sentence, and their weights and
//! what they matter add up. What is kept: the best [`KEPT`] sentences, and for each of the [`EXPLAINED`] strongest features
//! the best [`PER_FEATURE`] in which it stands, so that arcs can be explained. Support and precision are counted on all rows in
//! which the target has a value; a sentence no more precise than the class is common is not worth telling.

use super::bench::Bench;
use super::task::Trained;
use crate::encode::Encoding;
use crate::words;
use clausality_bn::{MISSING, Table};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Sentences kept of a target whatever they speak of.
const KEPT: usize = 10;
/// Features for which sentences are kept beside those.
const EXPLAINED: usize = 16;
/// Sentences kept for each of them.
const PER_FEATURE: usize = 3;

/// Something true of some rows that speaks for a state of the target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sentence {
    /// What must hold, by the names of the variables.
    pub when: Vec<Condition>,
    /// The state of the target it speaks for.
    pub then: String,
    /// The votes for that state, over all fits.
    pub weight: u64,
    /// The votes for (or, if negative, against) every state that the machines knew, over all fits.
    pub weights: BTreeMap<String, i64>,
    /// In how many fits it was found.
    pub fits: usize,
    /// Rows (with a value of the target) in which it holds.
    pub support: usize,
    /// The share of them in which the target has the state.
    pub precision: f64,
    /// The share of all rows in which it has.
    pub base: f64,
}

impl Sentence {
    /// Whether it says more than the state's share of all rows does: where it holds, the odds of the state are a tenth better than
    /// they usually are. A sentence that never holds says nothing.
    fn tells(&self) -> bool {
        const BETTER: f64 = 1.1;
        let Sentence { precision, base, .. } = self;
        precision > base && precision * (1.0 - base) >= BETTER * base * (1.0 - precision)
    }

    /// The sentence about a target in words.
    pub fn words(&self, target: &str) -> String {
        let conditions: Vec<&str> = self.when.iter().map(|c| c.text.as_str()).collect();
        format!("{} when {}", words::is(target, &self.then), conditions.join(" and "))
    }
}

/// What a sentence asks of one variable.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Condition {
    /// The variable.
    pub variable: String,
    /// The states it may have.
    pub states: Vec<String>,
    /// The same in words.
    pub text: String,
}

impl Condition {
    fn new(table: &Table, v: usize, codes: &[u8]) -> Self {
        let variable = table.schema().variable(v);
        let gaps = variable.has_missing_state || table.column(v).contains(&MISSING);
        Condition {
            variable: variable.name.clone(),
            states: codes.iter().map(|&code| variable.states[code as usize].clone()).collect(),
            text: words::is_one_of(variable, codes, gaps),
        }
    }
}

/// The states that a sentence allows, variable by variable; a variable is known by its place in the order of names, so that
/// ties do not depend on the order of columns.
type Allowed = Vec<(usize, Vec<u8>)>;

#[derive(Default)]
struct Merged {
    weights: BTreeMap<u8, i64>,
    fits: usize,
    last_fit: usize,
    score: f64,
}

/// The sentences about a target: those of all its fits together, best first. `ranked` are the features from strong to weak, by
/// their places in the order of names.
pub(super) fn merge(bench: &Bench<'_>, target: usize, fits: &[Trained], ranked: &[usize]) -> Vec<Sentence> {
    let Bench { table, encoding, .. } = bench;
    let mut merged: BTreeMap<(Allowed, u8), Merged> = BTreeMap::new();
    for (number, fit) in (1..).zip(fits) {
        for clause in &fit.clauses {
            let Some(allowed) = allowed(bench, &clause.literals) else { continue };
            let entry = merged.entry((allowed, clause.class)).or_default();
            for &(class, weight) in &clause.weights {
                *entry.weights.entry(class).or_default() += i64::from(weight);
            }
            entry.score += clause.score;
            entry.fits += usize::from(entry.last_fit != number);
            entry.last_fit = number;
        }
    }
    let mut all: Vec<((Allowed, u8), Merged)> = merged.into_iter().collect();
    // The map hands them out in the order of their keys, and the sort keeps that order among equals.
    all.sort_by(|a, b| b.1.score.total_cmp(&a.1.score));
    let mut census = Census::new(table, target, encoding.values(target));
    // Counted when first asked for: most are never looked at.
    let mut counted: Vec<Option<Sentence>> = vec![None; all.len()];
    let chosen = choose(&all, ranked, |i| {
        let ((allowed, class), merged) = &all[i];
        let variables = encoding.variables();
        let named = || allowed.iter().map(|(place, codes)| (variables[*place], codes.clone())).collect();
        counted[i].get_or_insert_with(|| census.sentence(named(), *class, merged)).tells()
    });
    chosen.into_iter().filter_map(|i| counted[i].take()).collect()
}

/// The places of what is kept, among sentences that stand from good to bad; `tells` is asked of no more than is needed.
fn choose(
    all: &[((Allowed, u8), Merged)],
    ranked: &[usize],
    mut tells: impl FnMut(usize) -> bool,
) -> Vec<usize> {
    let mut kept: Vec<usize> = (0..all.len()).filter(|&i| tells(i)).take(KEPT).collect();
    for feature in ranked.iter().take(EXPLAINED) {
        let speaks = |i: &usize| all[*i].0.0.iter().any(|(v, _)| v == feature);
        kept.extend((0..all.len()).filter(speaks).filter(|&i| tells(i)).take(PER_FEATURE));
    }
    kept.sort_unstable();
    kept.dedup();
    kept
}

/// The states that a conjunction of literals allows; nothing if it can never hold or always does.
fn allowed(bench: &Bench<'_>, literals: &[u32]) -> Option<Allowed> {
    let Bench { table, encoding, places, .. } = bench;
    let mut out = Allowed::new();
    for group in literals.chunk_by(|&a, &b| variable(encoding, a) == variable(encoding, b)) {
        let v = variable(encoding, group[0]);
        let holds = |code: &u8| group.iter().all(|&l| encoding.holds(l as usize, *code));
        let states = table.schema().cardinality(v);
        let codes: Vec<u8> = (0..states as u8).filter(holds).collect();
        if codes.is_empty() {
            return None;
        }
        // No literal but "is missing" holds without a value: all states together still ask for one.
        if codes.len() < states || table.column(v).contains(&MISSING) {
            out.push((places[v] as usize, codes));
        }
    }
    (!out.is_empty()).then_some(out)
}

fn variable(encoding: &Encoding, literal: u32) -> usize {
    encoding.literal(literal as usize).variable
}

/// Counts the rows of a table for which conditions hold, those with a value of the target: a bit for every row.
struct Census<'t> {
    table: &'t Table,
    target: usize,
    values: &'t [u8],
    with_value: Vec<u64>,
    /// What was asked for once, as many sentences ask for the same states.
    holds: BTreeMap<(usize, Vec<u8>), Vec<u64>>,
}

impl<'t> Census<'t> {
    fn new(table: &'t Table, target: usize, values: &'t [u8]) -> Self {
        let variable = table.schema().variable(target);
        let gap = variable.missing_state();
        let codes: Vec<u8> = (0..variable.cardinality() as u8).filter(|&code| Some(code) != gap).collect();
        let with_value = bits(table.column(target), &codes);
        Census { table, target, values, with_value, holds: BTreeMap::new() }
    }

    /// A sentence with its support and precision; variables by their places in the schema.
    fn sentence(&mut self, allowed: Allowed, class: u8, merged: &Merged) -> Sentence {
        let Census { table, target, values, .. } = *self;
        let label =
            |class: u8| table.schema().variable(target).states[values[class as usize] as usize].clone();
        let when = allowed.iter().map(|(v, codes)| Condition::new(table, *v, codes)).collect();
        let mut rows = self.with_value.clone();
        for condition in allowed {
            and(&mut rows, self.holds(condition));
        }
        let support = ones(&rows);
        let mut of_class = self.with_value.clone();
        let usable = ones(&of_class);
        let own = self.holds((target, vec![values[class as usize]]));
        and(&mut of_class, own);
        and(&mut rows, own);
        let share = |part: usize, whole: usize| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
        Sentence {
            when,
            then: label(class),
            weight: merged.weights.get(&class).map_or(0, |weight| weight.unsigned_abs()),
            weights: merged.weights.iter().map(|(&class, &weight)| (label(class), weight)).collect(),
            fits: merged.fits,
            support,
            precision: share(ones(&rows), support),
            base: share(ones(&of_class), usable),
        }
    }

    /// The rows in which a variable has one of these states.
    fn holds(&mut self, (v, codes): (usize, Vec<u8>)) -> &[u64] {
        let column = self.table.column(v);
        self.holds.entry((v, codes)).or_insert_with_key(|(_, codes)| bits(column, codes))
    }
}

/// A bit for every row: whether its code is one of these.
fn bits(column: &[u8], codes: &[u8]) -> Vec<u64> {
    let mut one_of = [0; 256];
    codes.iter().for_each(|&code| one_of[code as usize] = 1);
    let word = |rows: &[u8]| rows.iter().rev().fold(0, |word, &code| word << 1 | one_of[code as usize]);
    column.chunks(64).map(word).collect()
}

fn and(rows: &mut [u64], others: &[u64]) {
    rows.iter_mut().zip(others).for_each(|(row, other)| *row &= other);
}

fn ones(rows: &[u64]) -> usize {
    rows.iter().map(|word| word.count_ones() as usize).sum()
}
