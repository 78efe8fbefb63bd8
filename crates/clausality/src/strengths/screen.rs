//! Mutual information of all pairs of columns: the yardstick, and the sieve for tables too wide to show a machine whole.
//!
//! ```text
//! I(X; Y) = Σ_xy n_xy/n · ln(n_xy n / (n_x n_y))  −  (r_X − 1)(r_Y − 1) / 2n        (Miller 1955: less its bias)
//! ```
//!
//! States count only where they occur; rows where either has no value are left out.

use super::settings::StrengthSettings;
use super::task::Task;
use crate::Error;
use crate::encode::Encoding;
use crate::watch::{Event, Stage, Watch, go_on};
use clausality_bn::counts::{Count, Counter};
use clausality_bn::math::ln;
use clausality_bn::random::Stream;
use clausality_bn::{Table, Variable};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Rows looked at, at most, evenly spread over the table.
const ROWS: usize = 20_000;

/// What each machine is shown of a table.
///
/// In a table of more than `limit` literals a machine has room for half as many (on diabetes that finds more than the whole
/// limit does, in two thirds of the time). Of its room [`INFORMED`] goes to the variables that say most about the target by
/// themselves, and the rest to others, which take turns from round to round: so pure interactions are not given up.
pub(super) struct Screen {
    room: usize,
    literals: usize,
    /// The predictors of each target from informative to uninformative, by place in the schema; none if all are shown.
    ranked: Option<Vec<Vec<usize>>>,
    /// The only targets, and all that they are shown, by place in the schema; none if there is no such choice.
    only: Option<BTreeMap<usize, Vec<usize>>>,
}

/// The part of a machine's room that the most informative variables take.
const INFORMED: f64 = 0.6;

impl Screen {
    /// Ranks the predictors of every target if the table is too wide.
    pub(super) fn new(
        table: &Table,
        encoding: &Encoding,
        settings: &StrengthSettings,
        watch: &dyn Watch,
    ) -> Result<Self, Error> {
        let (room, literals) = (settings.literal_limit / 2, encoding.len() / 2);
        if literals <= settings.literal_limit {
            return Ok(Screen { room, literals, ranked: None, only: None });
        }
        watch.event(Event::Begin { stage: Stage::Screen, steps: table.schema().len() as u64 });
        let information = information(table, encoding.variables(), watch)?;
        watch.event(Event::End { stage: Stage::Screen });
        let rank = |target: usize| {
            let mut order = encoding.predictors(target);
            order.sort_by(|&a, &b| information[target][b].total_cmp(&information[target][a]));
            order
        };
        let ranked = Some((0..table.schema().len()).map(rank).collect());
        Ok(Screen { room, literals, ranked, only: None })
    }

    /// Shows these targets, and no others, these columns alone.
    pub(super) fn only(shown: Vec<(usize, Vec<usize>)>) -> Self {
        Screen { room: 0, literals: 0, ranked: None, only: Some(shown.into_iter().collect()) }
    }

    /// Whether a variable is a target at all.
    pub(super) fn asks(&self, target: usize) -> bool {
        self.only.as_ref().is_none_or(|only| only.contains_key(&target))
    }

    /// The variables that a fit is shown, in the order of names.
    pub(super) fn features(&self, encoding: &Encoding, target: usize, task: &Task, seed: u64) -> Vec<usize> {
        if let Some(shown) = self.only.as_ref().and_then(|only| only.get(&target)) {
            return encoding.predictors(target).into_iter().filter(|v| shown.contains(v)).collect();
        }
        let Some(ranked) = &self.ranked else { return encoding.predictors(target) };
        let ranked = &ranked[target];
        let width = |v: usize| encoding.literals_of(v).len() / 2;
        let mut shown = vec![false; encoding.variables().len()];
        let informed = (self.room as f64 * INFORMED) as usize;
        let (mut used, mut best) = (0, 0);
        while used < informed && best < ranked.len() {
            shown[ranked[best]] = true;
            used += width(ranked[best]);
            best += 1;
        }
        let name = format!("strengths\0{}\0{}\0turns", task.target, task.model);
        let mut others = ranked[best..].to_vec();
        let count = others.len();
        Stream::new(seed, &name).choose(&mut others, count);
        let room = self.room.saturating_sub(used).max(1);
        for &v in turn(&others, width, room, task.round) {
            shown[v] = true;
        }
        encoding.variables().iter().copied().filter(|&v| shown[v]).collect()
    }

    /// The literals of the table and how many of them a machine is shown, if that is not all.
    pub(super) fn restriction(&self) -> Option<(usize, usize)> {
        self.ranked.as_ref().map(|_| (self.literals, self.room))
    }
}

/// The variables whose turn it is: the list is dealt out in runs that fill the room (one at least), over and over.
fn turn(others: &[usize], width: impl Fn(usize) -> usize, room: usize, round: usize) -> &[usize] {
    let mut runs: Vec<&[usize]> = Vec::new();
    let mut rest = others;
    while !rest.is_empty() && runs.len() <= round {
        let mut used = 0;
        let fits = rest.iter().take_while(|&&v| {
            used += width(v);
            used <= room
        });
        let (run, left) = rest.split_at(fits.count().max(1));
        runs.push(run);
        rest = left;
    }
    if runs.is_empty() { &[] } else { runs[round % runs.len()] }
}

/// The mutual information of every pair of columns in nats, less its bias; `[a][b]` by place in the schema.
///
/// # Errors
/// [`Error::Cancelled`] if whoever watches calls it off; more rows than can be counted.
pub fn mutual_information(table: &Table, watch: &dyn Watch) -> Result<Vec<Vec<f64>>, Error> {
    information(table, &table.schema().in_name_order(), watch)
}

/// Sums run in the order of names: the order of columns does not even change a rounding.
fn information(table: &Table, by_name: &[usize], watch: &dyn Watch) -> Result<Vec<Vec<f64>>, Error> {
    let step = table.rows().div_ceil(ROWS).max(1);
    let spread: Vec<usize> = (0..table.rows()).step_by(step).collect();
    let thinned = (step > 1).then(|| table.select_rows(&spread));
    let counter = Counter::new(thinned.as_ref().unwrap_or(table))?;
    let variable = |place: usize| table.schema().variable(by_name[place]);
    let below: Vec<Vec<f64>> = (0..by_name.len())
        .into_par_iter()
        .map_init(
            || counter.clone(),
            |counter, a| {
                go_on(watch)?;
                let mut row = vec![0.0; a];
                if a > 0 {
                    let mut see = |b: usize, counts: &[u32]| row[b] = pair(counts, variable(a), variable(b));
                    counter.tally(&by_name[a..=a], &by_name[..a], &mut see);
                }
                watch.event(Event::Step { stage: Stage::Screen });
                Ok(row)
            },
        )
        .collect::<Result<_, Error>>()?;
    let mut matrix = vec![vec![0.0; by_name.len()]; by_name.len()];
    for (a, row) in below.into_iter().enumerate() {
        for (b, information) in row.into_iter().enumerate() {
            matrix[by_name[a]][by_name[b]] = information;
            matrix[by_name[b]][by_name[a]] = information;
        }
    }
    Ok(matrix)
}

fn value_count(variable: &Variable) -> usize {
    variable.cardinality() - usize::from(variable.has_missing_state)
}

/// The information of a pair from its counts, the states of `x` varying fastest.
fn pair(counts: &[u32], x: &Variable, y: &Variable) -> f64 {
    let (x_values, y_values) = (value_count(x), value_count(y));
    let cell = |a: usize, b: usize| counts[b * x.cardinality() + a];
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

#[cfg(test)]
mod tests {
    use super::*;
    use clausality_bn::{MISSING, Schema};

    #[test]
    fn everybody_gets_a_turn() {
        let others: Vec<usize> = (0..20).collect();
        let mut seen = [0; 20];
        for round in 0..12 {
            let run = turn(&others, |v| if v == 7 { 50 } else { 3 }, 10, round);
            assert!(!run.is_empty() && (run == [7] || run.len() <= 3));
            run.iter().for_each(|&v| seen[v] += 1);
        }
        assert!(seen.iter().all(|&turns| turns >= 1), "{seen:?}");
        assert!(turn(&[], |_| 1, 5, 3).is_empty());
    }

    #[test]
    fn mutual_information_by_hand() {
        let names = ["copy", "gaps", "other", "x"];
        let variables = names.iter().map(|n| Variable::new(*n, ["a", "b"])).collect();
        let x: Vec<u8> = (0..400).map(|i| (i % 2) as u8).collect();
        let other: Vec<u8> = (0..400).map(|i| (i / 2 % 2) as u8).collect();
        let gaps = (0..400).map(|i| if i < 200 { MISSING } else { x[i] }).collect();
        let table = Table::new(Schema::new(variables).unwrap(), vec![x.clone(), gaps, other, x]).unwrap();
        let information = mutual_information(&table, &crate::watch::Unwatched).unwrap();
        let ln2 = std::f64::consts::LN_2;
        assert!((information[0][3] - (ln2 - 1.0 / 800.0)).abs() < 1e-12);
        assert!((information[1][3] - (ln2 - 1.0 / 400.0)).abs() < 1e-12, "rows without a value do not count");
        assert!((information[2][3] + 1.0 / 800.0).abs() < 1e-12);
        assert_eq!(information[3][0].to_bits(), information[0][3].to_bits());
    }
}
