//! How forecasts of one step do on the last fifth of time, beside simpler ones.
//!
//! ```text
//! ours     P(x_t | everything up to t − 1)            the graph of all rows, probabilities from the first four fifths; what is now is summed out
//! as usual P(x_t = x) = f(x)
//! as last  P(x_t = x) = p                  if x = x_{t−s},  s = 1;  as last season: s = the steps of a day, a week or a year
//!                       (1 − p) f(x) / (1 − f(x_{t−s}))     else;   p and f counted on the first four fifths
//! ```
//!
//! Told are the mean of −ln P and how often the state that is said came, over values of which all that any of the four looks at is known: of ours and
//! "as usual" the likeliest, of "as last" the state of then.

use super::depth::split;
use crate::Error;
use crate::data::{Bounds, Dataset};
use crate::model::estimate;
use crate::time::{Ahead, AheadOf, Said, Stretch, Timeline, Windows, season};
use crate::watch::{Quiet, Watch};
use clausality_bn::infer::{Evidence, Infer};
use clausality_bn::math::ln;
use clausality_bn::{Cpt, Dag, MISSING, Network, Prior};
use std::ops::Range;
use std::sync::Arc;

/// The most windows that judge, evenly spread: more change no figure that is told.
const MOST_JUDGING: usize = 400;
/// Fewer windows than this judge nothing.
const LEAST_JUDGING: usize = 20;

/// What a graph of windows is worth one step ahead; nothing where too little is left to judge.
pub(super) fn judged(
    dag: &Dag,
    (dataset, timeline, windows): (&Dataset, &Timeline, &Windows),
    believed: Prior,
    bounds: &Bounds,
    watch: &dyn Watch,
) -> Result<Option<Ahead>, Error> {
    let (first, last) = split(windows);
    if first.len() < LEAST_JUDGING || last.len() < LEAST_JUDGING {
        return Ok(None);
    }
    let last: Vec<usize> = last.iter().copied().step_by(last.len().div_ceil(MOST_JUDGING)).collect();
    let (table, quiet) = (&windows.dataset.table, Quiet(watch));
    let network = estimate(dag, &table.select_rows(&first), None, believed, bounds, &quiet)?.network;
    let mut next = Next::new(network, windows.runs.now.clone());
    let steps = Steps::new(dataset, timeline, windows);
    let season = season(&windows.course.step).filter(|&s| 3 * s <= timeline.longest_stretch());
    let mut processes = Vec::with_capacity(windows.processes.len());
    for process in 0..windows.processes.len() {
        if watch.cancelled() {
            return Err(Error::Cancelled);
        }
        let like = |back: usize| Like::new(&steps, process, back, &first);
        let (as_last, as_season) = (like(1), season.map(like));
        let mut told = [Sum::default(), Sum::default(), Sum::default(), Sum::default()];
        for &row in &last {
            let now = steps.code(process, row, 0);
            let (yesterday, before) =
                (steps.code(process, row, 1), season.map(|s| steps.code(process, row, s)));
            if [now, yesterday, before.unwrap_or(0)].contains(&MISSING) {
                continue;
            }
            let Some(chances) = next.chances(process, &|v| table.column(v)[row])? else { continue };
            told[0].add(&chances, likeliest(&chances), now);
            told[1].add(&as_last.shares, likeliest(&as_last.shares), now);
            // They say that state, however seldom it stayed: the likeliest one may be another.
            told[2].add(&as_last.chances(yesterday), yesterday, now);
            if let (Some(like), Some(before)) = (&as_season, before) {
                told[3].add(&like.chances(before), before, now);
            }
        }
        if let [Some(ours), usual, Some(last), season] = told.map(|sum| sum.said()) {
            let name = windows.processes[process].name.clone();
            processes.push(AheadOf {
                name,
                values: ours.0,
                ours: ours.1,
                usual: usual.map(|s| s.1),
                last: last.1,
                season: season.map(|s| s.1),
            });
        }
    }
    Ok((!processes.is_empty()).then_some(Ahead { season, processes }))
}

/// What every process was at a window's steps, and before.
struct Steps<'t> {
    coded: crate::time::Coded,
    ends: Vec<(&'t Stretch, usize)>,
}

impl<'t> Steps<'t> {
    fn new(dataset: &Dataset, timeline: &'t Timeline, windows: &Windows) -> Self {
        Steps { coded: timeline.coded(dataset), ends: timeline.ends(windows.lags()).collect() }
    }

    /// The code of a process so many steps before the last of a window.
    fn code(&self, process: usize, window: usize, back: usize) -> u8 {
        let (stretch, end) = self.ends[window];
        end.checked_sub(back).map_or(MISSING, |step| self.coded.code(process, stretch.rows[step]))
    }
}

/// The distribution of a process at the next step, from a network of windows whose past is known.
struct Next {
    network: Arc<Network>,
    infer: Infer,
    now: Range<usize>,
}

impl Next {
    fn new(network: Network, now: Range<usize>) -> Self {
        let network = Arc::new(network);
        Next { infer: Infer::new(network.clone()), network, now }
    }

    /// Nothing where anything is missing that it rests on, or where the answer would take too much memory.
    fn chances(&mut self, process: usize, code: &dyn Fn(usize) -> u8) -> Result<Option<Vec<f64>>, Error> {
        let node = self.now.start + process;
        let cpt = self.network.cpt(node);
        let rests_on = self.rests_on(node);
        if rests_on.iter().any(|&v| code(v) == MISSING) {
            return Ok(None);
        }
        if !cpt.parents().iter().any(|parent| self.now.contains(parent)) {
            return Ok(Some(row(cpt, code).to_vec()));
        }
        let mut known = Evidence::new(&self.network);
        for v in rests_on {
            known.observe(v, code(v))?;
        }
        match self.infer.posteriors_of(&[node], &known) {
            Ok(mut found) => Ok(Some(found.probabilities.swap_remove(0))),
            Err(error) if error.is_limit() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// What is before now among the ancestors of a node.
    fn rests_on(&self, node: usize) -> Vec<usize> {
        let (mut seen, mut open, mut past) = (vec![false; self.network.len()], vec![node], Vec::new());
        while let Some(v) = open.pop() {
            for &parent in self.network.parents(v) {
                if std::mem::replace(&mut seen[parent], true) {
                    continue;
                }
                if self.now.contains(&parent) { open.push(parent) } else { past.push(parent) }
            }
        }
        past
    }
}

fn row<'c>(cpt: &'c Cpt, code: &dyn Fn(usize) -> u8) -> &'c [f64] {
    let codes: Vec<u8> = cpt.parents().iter().map(|&parent| code(parent)).collect();
    cpt.row(cpt.configuration(&codes))
}

/// As it was some steps before, with a probability that was counted.
struct Like {
    stays: f64,
    shares: Vec<f64>,
}

impl Like {
    fn new(steps: &Steps<'_>, process: usize, back: usize, rows: &[usize]) -> Self {
        let states = steps.coded.processes[process].variable.cardinality();
        let (mut counts, mut same, mut pairs) = (vec![0.5; states], 1.0, 2.0);
        for &row in rows {
            let (now, before) = (steps.code(process, row, 0), steps.code(process, row, back));
            if now == MISSING {
                continue;
            }
            counts[usize::from(now)] += 1.0;
            if before != MISSING {
                pairs += 1.0;
                same += f64::from(u8::from(now == before));
            }
        }
        let all: f64 = counts.iter().sum();
        Like { stays: same / pairs, shares: counts.iter().map(|count| count / all).collect() }
    }

    fn chances(&self, before: u8) -> Vec<f64> {
        let before = usize::from(before);
        let rest = 1.0 - self.shares[before];
        let chance = |(state, share): (usize, &f64)| match state == before {
            true if rest > 0.0 => self.stays,
            true => 1.0,
            false => (1.0 - self.stays) * share / rest,
        };
        self.shares.iter().enumerate().map(chance).collect()
    }
}

/// Of equals the first.
fn likeliest(chances: &[f64]) -> u8 {
    let largest = |&a: &u8, &b: &u8| chances[usize::from(a)].total_cmp(&chances[usize::from(b)]);
    (0..chances.len() as u8).rev().max_by(largest).unwrap_or(0)
}

#[derive(Default)]
struct Sum {
    values: usize,
    loss: f64,
    right: usize,
}

impl Sum {
    /// The chances of a forecast, the state that it says, and the one that came.
    fn add(&mut self, chances: &[f64], says: u8, came: u8) {
        self.values += 1;
        self.loss -= ln(chances[usize::from(came)].max(f64::MIN_POSITIVE));
        self.right += usize::from(says == came);
    }

    fn said(&self) -> Option<(usize, Said)> {
        let n = self.values as f64;
        let said = || Said { log_loss: self.loss / n, right: self.right as f64 / n };
        (self.values > 0).then(|| (self.values, said()))
    }
}
