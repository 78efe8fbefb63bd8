//! Learning from rows in the order of time: windows, a network over them, and the network over time that it makes.
//!
//! ```text
//! rows ─timeline→ series ─windows→ table of S | X@-L … X@-1 | X ─learned→ window network ─with a start→ DynamicNetwork
//! ```
//!
//! Strengths, search and probabilities are those of any table; the columns of the past and the statics are parents that nothing points into. One
//! table holds for all steps.

use super::depth::{self, Choice};
use super::{Learned, ahead, learned, plan, start, structure};
use crate::Error;
use crate::data::{Bounds, Coding, Dataset, Notice};
use crate::folder::Kept;
use crate::gaps;
use crate::memory::{Plan, guarded, product};
use crate::settings::{Chosen, Ruled, Settings};
use crate::strengths::{self, Strengths};
use crate::time::{Course, Lags, Timeline, Windows, idle, over_windows, trends};
use crate::watch::Watch;
use crate::words::counted;
use clausality_bn::Schema;
use clausality_bn::dynamic::{DynamicNetwork, Lagged, Place};

/// A network over time, and the series that it was learned from.
#[derive(Debug, Clone, PartialEq)]
pub struct OverTime {
    /// The network.
    pub network: DynamicNetwork,
    /// The series.
    pub course: Course,
    /// How the columns of the table became the processes and statics.
    pub coding: Coding,
}

/// Learns a network over time.
pub(super) fn learn(
    dataset: &Dataset,
    settings: &Settings,
    bounds: &Bounds,
    kept: Kept<'_>,
    watch: &dyn Watch,
) -> Result<Learned, Error> {
    let timeline = Timeline::new(dataset, &settings.time)?;
    let lags = settings.time.lags.unwrap_or_default();
    timeline.enough(dataset, if let Lags::Exactly(lags) = lags { lags } else { 1 })?;
    check_room(dataset, lags.most(), bounds)?;
    guarded("learning", bounds.room, watch, |watch| {
        within_room(dataset, &timeline, settings, bounds, kept, watch)
    })
}

fn within_room(
    dataset: &Dataset,
    timeline: &Timeline,
    settings: &Settings,
    bounds: &Bounds,
    kept: Kept<'_>,
    watch: &dyn Watch,
) -> Result<Learned, Error> {
    // Where a column is cut does not depend on when: the rules, which speak of lags, have no say in it.
    let unruled = Settings { rules: Default::default(), ..settings.clone() };
    let recut = structure::recut(dataset, &unruled, kept, watch)?;
    let dataset = recut.as_ref().unwrap_or(dataset);
    let Choice { lags, depths, notice } = match settings.time.lags.unwrap_or_default() {
        Lags::Exactly(lags) => Choice { lags, depths: Vec::new(), notice: None },
        Lags::UpTo(most) => depth::choose(dataset, timeline, most, settings, bounds, kept, watch)?,
    };
    let windows = timeline.windows(dataset, lags)?;
    plan::check(&windows.dataset, settings, bounds)?;
    let chosen = chosen(settings, &windows, watch)?;
    let mut found =
        learned(&windows.dataset, &windows.dataset, None, Some(&windows.runs), chosen, bounds, kept, watch)?;
    let (start, start_learned) = start::network(dataset, timeline, &windows, &found, bounds, watch)?;
    let statics: Vec<&str> = windows.statics.iter().map(|v| v.name.as_str()).collect();
    let network = DynamicNetwork::from_windows(lags, &statics, start, &found.network)?;
    let believed = found.chosen.settings.network.believed();
    let all = (dataset, timeline, &windows);
    let ahead = ahead::judged(found.network.dag(), all, believed, bounds, watch)?;
    let ((arcs, static_arcs), own_past) = (arcs_by_lag(&network), own_past(&network));
    let (first, last) = depth::split(&windows);
    let trends = trends(&windows, &first, &last);
    let idle = idle(&settings.rules, &windows);
    let course =
        Course { depths, start_learned, arcs, static_arcs, ahead, own_past, trends, ..windows.course };
    found.notices.extend(course.notices());
    found.notices.extend(notice.into_iter().chain(idle).map(Notice::about_rows));
    found.notices.extend(course.findings());
    found.gaps = gaps::look(dataset);
    // What stands in a window before now is given; as it is kept, so it is told.
    found.network = network.window().clone();
    let coding = windows.dataset.coding.restricted(&now(&network)?);
    found.time = Some(OverTime { network, course, coding });
    Ok(found)
}

/// The statics, and the processes as they are now.
fn now(network: &DynamicNetwork) -> Result<Schema, Error> {
    let all = network.statics().variables().iter().chain(network.processes().variables());
    Ok(Schema::new(all.cloned().collect())?)
}

/// Measures strengths alone, as deep as lags may become.
pub(super) fn strengths(
    dataset: &Dataset,
    settings: &Settings,
    bounds: &Bounds,
    kept: Kept<'_>,
    watch: &dyn Watch,
) -> Result<Strengths, Error> {
    settings.check()?;
    let timeline = Timeline::new(dataset, &settings.time)?;
    let lags = match settings.time.lags.unwrap_or_default() {
        Lags::Exactly(lags) => lags,
        Lags::UpTo(most) => (1..=most).rev().find(|&lags| timeline.has_enough(lags)).unwrap_or(1),
    };
    check_room(dataset, lags, bounds)?;
    let windows = timeline.windows(dataset, lags)?;
    let Ruled { settings, rules } = ruled(settings, &windows)?;
    let table = &windows.dataset.table;
    strengths::plan(table, &settings.strengths).check(bounds.room)?;
    let mut found = guarded("measuring strengths", bounds.room, watch, |watch| {
        let runs = Some(&windows.runs);
        strengths::measure_keeping(table, runs, &settings.strengths, settings.seed, kept, watch)
    })?;
    found.retain_allowed(table.schema(), &rules);
    Ok(found)
}

/// Windows hold every column once for each lag.
fn check_room(dataset: &Dataset, lags: usize, bounds: &Bounds) -> Result<(), Error> {
    let (rows, columns) = (dataset.table.rows(), dataset.table.schema().len());
    let what = format!("windows of {} of {}", counted(lags + 1, "step"), counted(columns, "column"));
    let need = Plan::new("learning").need(what, product(&[rows, columns, lags + 1, 3]));
    need.way("look back fewer steps", None).check(bounds.room)
}

/// The settings with the rules over windows in the place of those that were given.
fn over(settings: &Settings, windows: &Windows) -> Result<Settings, Error> {
    let rules = over_windows(&settings.rules, windows, &settings.time)?;
    Ok(Settings { rules, ..settings.clone() })
}

fn ruled(settings: &Settings, windows: &Windows) -> Result<Ruled, Error> {
    let mut ruled = over(settings, windows)?.ruled(&windows.dataset)?;
    ruled.settings.rules = settings.rules.clone();
    Ok(ruled)
}

/// Everything that is left open, settled for windows; the rules are kept as they were given.
pub(super) fn chosen(settings: &Settings, windows: &Windows, watch: &dyn Watch) -> Result<Chosen, Error> {
    let mut chosen = over(settings, windows)?.chosen_watched(&windows.dataset, watch)?;
    chosen.settings.rules = settings.rules.clone();
    let asked = |name: &String| settings.fields().get(name) != Settings::default().fields().get(name);
    chosen
        .origins
        .retain(|name, _| !["parameter", "forbid", "require"].contains(&name.as_str()) || asked(name));
    Ok(chosen)
}

/// How many arcs come from so many steps ago, and how many from statics.
fn arcs_by_lag(network: &DynamicNetwork) -> (Vec<usize>, usize) {
    let (mut arcs, mut statics) = (vec![0; network.order() + 1], 0);
    for (parent, _) in network.window().dag().arcs() {
        match network.window_place(parent) {
            Place::Process(_, lag) => arcs[lag] += 1,
            Place::Static(_) => statics += 1,
        }
    }
    (arcs, statics)
}

/// The processes that have parents, and all of them in their own past.
fn own_past(network: &DynamicNetwork) -> Vec<String> {
    let window = network.window();
    let own = |process: &usize| {
        let name = network.processes().name(*process);
        let parents = network.transition(*process).parents();
        !parents.is_empty() && parents.iter().all(|&p| Lagged::parse(window.schema().name(p)).name == name)
    };
    let processes = (0..network.processes().len()).filter(own);
    processes.map(|process| network.processes().name(process).to_string()).collect()
}
