//! Columns that have a value only, or nearly only, where what is to be inferred is a certain one: days in hospital of those who fell ill.
//!
//! Such a column predicts without fault and is known too late. It is told if its gaps hang on the answer as strongly as those that
//! "seem to mean something" (Cramér's V, module `depend`), or if nearly all its values stand in rows of one answer and that is no accident:
//! with p the share of that answer, n values stand there by chance with probability `p^n`, and n(1 − p) should stand elsewhere.

use super::depend::dependence;
use super::{Indicator, LEVEL, TELLING, indicators};
use crate::data::{Dataset, Filled, Twin};
use clausality_bn::math::{ln, ln_chi_square_tail};

/// The share of a column's values that stand in rows of one answer.
const NEARLY_ALL: f64 = 0.99;
/// Of the values that chance would put elsewhere, the share that may stand there.
const STRAY: f64 = 0.05;
/// Fewer values show nothing.
const FEW_VALUES: usize = 20;

/// All that gives an answer away: columns that say the same, that it is made of or follows from, and columns whose presence tells it.
pub fn given_away(dataset: &Dataset, is_answer: impl Fn(&str) -> bool) -> Vec<Twin> {
    let mut twins = dataset.twins_before(&is_answer);
    twins.retain(|twin| twin.answer);
    twins.extend(giveaways(dataset, is_answer));
    twins
}

/// The columns whose presence gives an answer away, in the order of the table.
pub(crate) fn giveaways(dataset: &Dataset, is_answer: impl Fn(&str) -> bool) -> Vec<Twin> {
    let schema = dataset.table.schema();
    let answers: Vec<usize> =
        schema.in_name_order().into_iter().filter(|&v| is_answer(schema.name(v))).collect();
    let columns = if answers.is_empty() { Vec::new() } else { indicators(dataset) };
    let tests = (columns.len() * answers.len()).max(1) as f64;
    let mut found: Vec<Twin> = Vec::new();
    for report in &dataset.report {
        let Some(column) = columns.iter().find(|column| column.name == report.name) else { continue };
        let about = |&answer: &usize| Counts::new(dataset, column, answer).told(&column.name, tests);
        found.extend(answers.iter().filter(|answer| !column.variables.contains(answer)).find_map(about));
    }
    found
}

/// The rows of every answer, and those of them with a value in a column.
struct Counts<'d> {
    answer: &'d str,
    states: &'d [String],
    rows: Vec<usize>,
    filled: Vec<usize>,
}

impl<'d> Counts<'d> {
    fn new(dataset: &'d Dataset, column: &Indicator, answer: usize) -> Self {
        let variable = dataset.table.schema().variable(answer);
        let states = &variable.states[..variable.cardinality() - usize::from(variable.has_missing_state)];
        let (mut rows, mut filled) = (vec![0; states.len()], vec![0; states.len()]);
        for (row, &code) in dataset.table.column(answer).iter().enumerate() {
            if let Some(all) = rows.get_mut(usize::from(code)) {
                *all += 1;
                filled[usize::from(code)] += usize::from(!column.holds(row));
            }
        }
        Counts { answer: &variable.name, states, rows, filled }
    }

    fn told(&self, column: &str, tests: f64) -> Option<Twin> {
        if !self.hang_together(tests) && !self.stand_apart(tests) {
            return None;
        }
        let share = |state: usize| self.filled[state] as f64 / self.rows[state] as f64;
        let states = || (0..self.rows.len()).filter(|&state| self.rows[state] > 0);
        let most = states().reduce(|a, b| if share(b) > share(a) { b } else { a })?;
        let least = states().reduce(|a, b| if share(b) < share(a) { b } else { a })?;
        let told = |state: usize| Filled {
            state: self.states[state].clone(),
            filled: self.filled[state],
            rows: self.rows[state],
        };
        // What is right if the answer is guessed from whether there is a value.
        let gone = self.rows.iter().zip(&self.filled).map(|(rows, filled)| rows - filled);
        let right = self.filled.iter().copied().max()? + gone.max()?;
        Some(Twin::present(column, self.answer, right, self.rows.iter().sum(), [told(most), told(least)]))
    }

    /// Whether gaps hang on the answer strongly.
    fn hang_together(&self, tests: f64) -> bool {
        let cells: Vec<(usize, usize)> =
            self.rows.iter().copied().zip(self.filled.iter().copied()).filter(|cell| cell.0 > 0).collect();
        let Some((g, chi)) = dependence(&cells) else { return false };
        let n: usize = self.rows.iter().sum();
        let ln_p = ln_chi_square_tail(g, (cells.len() - 1) as f64);
        (chi / n as f64).sqrt() >= TELLING && ln_p <= ln(LEVEL) - ln(tests)
    }

    /// Whether values stand in rows of one answer only.
    fn stand_apart(&self, tests: f64) -> bool {
        let (rows, filled): (usize, usize) = (self.rows.iter().sum(), self.filled.iter().sum());
        let most = (0..self.rows.len()).max_by_key(|&state| self.filled[state]);
        most.is_some_and(|most| {
            let share = self.rows[most] as f64 / rows as f64;
            let (all, strays) = (filled as f64, (filled - self.filled[most]) as f64);
            (FEW_VALUES..rows).contains(&filled)
                && strays <= (1.0 - NEARLY_ALL) * all
                && strays <= STRAY * (1.0 - share) * all
                && all * ln(share) <= ln(LEVEL) - ln(tests)
        })
    }
}
