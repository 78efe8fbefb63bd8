//! How many steps to look back: what tells the last fifth of time best.
//!
//! ```text
//! loss(d) = − mean over windows of the last fifth, Σ_X ln P(x | parents of X at most d steps ago)        d = 1 … N, the same windows for each
//! ```
//!
//! N is stepped down to the deepest that has enough windows to be judged.
//!
//! Graph and probabilities come from the first four fifths alone. The machines look once, at all N lags; every depth then has a search of its own.

use super::course;
use crate::Error;
use crate::assemble::assemble;
use crate::data::{Bounds, Dataset};
use crate::folder::Kept;
use crate::model::estimate;
use crate::rules::NamedArc;
use crate::settings::{Chosen, Settings};
use crate::strengths;
use crate::time::{Depth, Timeline, Windows};
use crate::watch::{Quiet, Watch};
use crate::words::counted;
use clausality_bn::dynamic::Lagged;
use clausality_bn::math::ln;
use clausality_bn::{MISSING, Network, Table};
use rayon::prelude::*;

/// Fewer windows than this judge nothing.
const LEAST_JUDGING: usize = 20;

/// How far to look back, and why.
pub(super) struct Choice {
    pub(super) lags: usize,
    /// What each depth is worth; none where there was nothing to choose from.
    pub(super) depths: Vec<Depth>,
    /// What deserves to be said of it.
    pub(super) notice: Option<String>,
}

/// The depth that tells the last fifth of time best, the shallower of equals, and what each is worth.
pub(super) fn choose(
    dataset: &Dataset,
    timeline: &Timeline,
    most: usize,
    settings: &Settings,
    bounds: &Bounds,
    kept: Kept<'_>,
    watch: &dyn Watch,
) -> Result<Choice, Error> {
    let asked = most;
    // No deeper than leaves windows to learn from and to judge by.
    let mut judged = None;
    for lags in (2..=asked).rev().filter(|&lags| timeline.has_enough(lags)) {
        let windows = timeline.windows(dataset, lags)?;
        let (first, last) = split(&windows);
        if last.len() >= LEAST_JUDGING && first.len() >= LEAST_JUDGING {
            judged = Some((windows, first, last));
            break;
        }
    }
    let most = judged.as_ref().map_or(1, |(windows, ..)| windows.lags());
    let notice = (most < asked).then(|| {
        format!(
            "looks back {} at most, not {asked}: there are too few windows of more steps to choose a depth by",
            counted(most, "step")
        )
    });
    let Some((windows, first, last)) = judged else {
        return Ok(Choice { lags: most, depths: Vec::new(), notice });
    };
    let table = windows.dataset.table.select_rows(&first);
    let judging = windows.dataset.table.select_rows(&last);
    let runs = windows.runs.select(&first);
    let settled = course::chosen(settings, &windows, watch)?;
    let Chosen { settings: chosen, .. } = &settled;
    let quiet = Quiet(watch);
    let found = strengths::measure_keeping(&table, Some(&runs), &chosen.strengths, chosen.seed, kept, watch)?;
    let matrix = found.matrix(table.schema());
    let now = windows.runs.now.clone();
    let networks: Vec<Network> = (1..=most)
        .into_par_iter()
        .map(|lags| {
            let shallow = shallow(settings, &windows, lags);
            let rules = course::chosen(&shallow, &windows, &quiet)?.rules;
            let dag = assemble(&table, &matrix, &rules, &chosen.network, chosen.seed, &quiet)?.dag;
            Ok(estimate(&dag, &table, None, chosen.network.believed(), bounds, &quiet)?.network)
        })
        .collect::<Result<_, Error>>()?;
    let judged = |(lags, network): (usize, &Network)| Depth {
        lags,
        log_loss: loss(network, &networks, &judging, now.clone()),
    };
    let depths: Vec<Depth> = (1..).zip(&networks).map(judged).collect();
    let best =
        depths.iter().min_by(|a, b| a.log_loss.total_cmp(&b.log_loss)).map_or(most, |depth| depth.lags);
    Ok(Choice { lags: best, depths, notice })
}

/// The windows of the first four fifths of time, and of the last.
pub(super) fn split(windows: &Windows) -> (Vec<usize>, Vec<usize>) {
    let mut instants = windows.instants.clone();
    instants.sort_unstable();
    let cut = instants[(instants.len() * 4 / 5).min(instants.len() - 1)];
    (0..windows.instants.len()).partition(|&row| windows.instants[row] < cut)
}

/// The settings with everything forbidden that lies deeper.
fn shallow(settings: &Settings, windows: &Windows, lags: usize) -> Settings {
    let mut settings = settings.clone();
    let required = |arc: &NamedArc| settings.rules.require.contains(arc);
    let deep = (lags + 1..=windows.lags()).flat_map(|lag| {
        windows.processes.iter().flat_map(move |parent| {
            windows.processes.iter().map(move |child| NamedArc {
                parent: Lagged::ago(&parent.name, lag).to_string(),
                child: child.name.clone(),
            })
        })
    });
    let forbidden: Vec<NamedArc> = deep.filter(|arc| !required(arc)).collect();
    settings.rules.forbid.extend(forbidden);
    settings
}

/// What a window is worth in nats. A column is judged on the windows that have its value and those of its parents under every depth: the same for
/// each, and enough of them where cells are missing, as hardly any window has all values then.
fn loss(network: &Network, all: &[Network], table: &Table, now: std::ops::Range<usize>) -> f64 {
    let mut sum = 0.0;
    for node in now {
        let cpt = network.cpt(node);
        let known = |row: &usize| {
            let there = |v: &usize| table.column(*v)[*row] != MISSING;
            there(&node) && all.iter().all(|network| network.parents(node).iter().all(there))
        };
        let rows: Vec<usize> = (0..table.rows()).filter(known).collect();
        let weight = table.rows() as f64 / rows.len().max(1) as f64;
        for &row in &rows {
            let codes: Vec<u8> = cpt.parents().iter().map(|&p| table.column(p)[row]).collect();
            let state = usize::from(table.column(node)[row]);
            sum -= weight * ln(cpt.row(cpt.configuration(&codes))[state].max(f64::MIN_POSITIVE));
        }
    }
    sum / table.rows().max(1) as f64
}
