//! Mutual information of all pairs of columns: the yardstick, and the sieve for tables too wide to show a machine whole.
//!
//! ```text
//! I(X; Y) = Σ_xy n_xy/n · ln(n_xy n / (n_x n_y))  −  (r_X − 1)(r_Y − 1) / 2n        (Miller 1955: less its bias)
//! ```
//!
//! States count only where they occur; rows where either has no value are left out.

use super::Warning;
use super::fit::{Key, Plan, partial_shuffle};
use super::gain::ln;
use crate::Error;
use crate::encode::Encoding;
use crate::params::LearnParams;
use crate::watch::{Event, Stage, Unwatched, Watch};
use clausality_bn::random::Stream;
use clausality_bn::{Table, Variable};
use rayon::prelude::*;

/// Rows looked at, at most, evenly spread over the table.
const ROWS: usize = 20_000;

/// What each machine is shown of a table.
pub(super) struct Screen {
    limit: usize,
    literals: usize,
    /// The predictors of each target from informative to uninformative, by place in the schema; none if all are shown.
    ranked: Option<Vec<Vec<usize>>>,
}

impl Screen {
    /// Ranks the predictors of every target if the table is too wide.
    pub(super) fn new(
        table: &Table,
        encoding: &Encoding,
        params: &LearnParams,
        watch: &dyn Watch,
    ) -> Result<Self, Error> {
        let (limit, literals) = (params.literal_limit, encoding.len() / 2);
        if literals <= limit {
            return Ok(Screen { limit, literals, ranked: None });
        }
        watch.event(Event::Begin { stage: Stage::Screen, steps: table.schema().len() as u64 });
        let information = information(table, watch)?;
        watch.event(Event::End { stage: Stage::Screen });
        let rank = |target: usize| {
            let mut order = encoding.predictors(target);
            order.sort_by(|&a, &b| information[target][b].total_cmp(&information[target][a]));
            order
        };
        Ok(Screen { limit, literals, ranked: Some((0..table.schema().len()).map(rank).collect()) })
    }

    /// The variables that a fit is shown, in the order of names: all; or those that say most about the target, for
    /// [`INFORMED`] of the room, and for the rest of it others, which change from round to round until all had their turn.
    pub(super) fn features(&self, plan: &Plan<'_>, target: usize, key: Key<'_>) -> Vec<usize> {
        let Some(ranked) = &self.ranked else { return plan.encoding.predictors(target) };
        let width = |v: usize| plan.encoding.literals_of(v).len() / 2;
        let ranked = &ranked[target];
        let mut room = self.limit;
        let informed = (self.limit as f64 * INFORMED) as usize;
        let best = ranked.iter().take_while(|&&v| {
            let fits = self.limit - room < informed;
            room = room.saturating_sub(if fits { width(v) } else { 0 });
            fits
        });
        let mut shown = vec![false; plan.table.schema().len()];
        let best = best.inspect(|&&v| shown[v] = true).count();
        let mut others = ranked[best..].to_vec();
        let name = format!("strengths\0{}\0{}\0turns", key.target, key.model);
        let count = others.len();
        partial_shuffle(&mut others, count, &mut Stream::new(plan.params.seed, &name));
        let total: usize = others.iter().map(|&v| width(v)).sum();
        let mut skip = if total > 0 { (key.round * room) % total } else { 0 };
        for &v in others.iter().chain(&others) {
            if skip >= width(v) {
                skip -= width(v);
            } else if room >= width(v) && !shown[v] {
                room -= width(v);
                shown[v] = true;
            } else {
                break;
            }
        }
        plan.encoding.variables().iter().copied().filter(|&v| shown[v]).collect()
    }

    /// That not every machine saw everything.
    pub(super) fn warning(&self) -> Option<Warning> {
        self.ranked.as_ref().map(|_| Warning::Restricted { literals: self.literals, limit: self.limit })
    }
}

/// The part of a machine's room that the most informative variables take.
const INFORMED: f64 = 0.6;

/// The mutual information of every pair of columns in nats, less its bias; `[a][b]` by place in the schema.
pub fn mutual_information(table: &Table) -> Vec<Vec<f64>> {
    information(table, &Unwatched).unwrap_or_default()
}

fn information(table: &Table, watch: &dyn Watch) -> Result<Vec<Vec<f64>>, Error> {
    let step = table.rows().div_ceil(ROWS).max(1);
    let columns: Vec<Vec<u8>> =
        (0..table.schema().len()).map(|v| table.column(v).iter().step_by(step).copied().collect()).collect();
    let values: Vec<usize> = table.schema().variables().iter().map(value_count).collect();
    let below: Vec<Vec<f64>> = (0..columns.len())
        .into_par_iter()
        .map(|a| {
            if watch.cancelled() {
                return Err(Error::Cancelled);
            }
            let row = (0..a).map(|b| pair(&columns[a], &columns[b], values[a], values[b])).collect();
            watch.event(Event::Step { stage: Stage::Screen });
            Ok(row)
        })
        .collect::<Result<_, Error>>()?;
    let at = |a: usize, b: usize| if a == b { 0.0 } else { below[a.max(b)][a.min(b)] };
    Ok((0..columns.len()).map(|a| (0..columns.len()).map(|b| at(a, b)).collect()).collect())
}

fn value_count(variable: &Variable) -> usize {
    variable.cardinality() - usize::from(variable.has_missing_state)
}

fn pair(x: &[u8], y: &[u8], x_values: usize, y_values: usize) -> f64 {
    // A row and a column more than there are values catch everything that is none.
    let width = y_values + 1;
    let mut cells = vec![0u32; (x_values + 1) * width];
    for (&a, &b) in x.iter().zip(y) {
        cells[(a as usize).min(x_values) * width + (b as usize).min(y_values)] += 1;
    }
    let cell = |a: usize, b: usize| cells[a * width + b];
    let x_counts: Vec<u32> = (0..x_values).map(|a| (0..y_values).map(|b| cell(a, b)).sum()).collect();
    let y_counts: Vec<u32> = (0..y_values).map(|b| (0..x_values).map(|a| cell(a, b)).sum()).collect();
    let n = f64::from(x_counts.iter().sum::<u32>());
    if n == 0.0 {
        return 0.0;
    }
    let phi = |count: u32| if count == 0 { 0.0 } else { f64::from(count) * ln(f64::from(count)) };
    let joint: f64 =
        (0..x_values).flat_map(|a| (0..y_values).map(move |b| (a, b))).map(|(a, b)| phi(cell(a, b))).sum();
    let x_sum: f64 = x_counts.iter().map(|&c| phi(c)).sum();
    let y_sum: f64 = y_counts.iter().map(|&c| phi(c)).sum();
    let occurring = |counts: &[u32]| counts.iter().filter(|&&c| c > 0).count() as f64 - 1.0;
    let bias = occurring(&x_counts) * occurring(&y_counts) / 2.0;
    (joint - x_sum - y_sum + n * ln(n) - bias) / n
}
