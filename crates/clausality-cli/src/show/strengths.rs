//! The top features of every column, as a table.

use super::arcs::mark;
use super::verdict::{Verdict, summary};
use crate::session::Session;
use crate::text::{Align, Grid, TIED, clean, percent};
use clausality::Settings;
use clausality::data::Dataset;
use clausality::learn::outlook;
use clausality::rules::Role;
use clausality::strengths::{Feature, Strengths, Target, Warning, together};
use clausality::words::counted;

/// Features of a column on the screen.
pub(crate) const TOP: usize = 3;

/// How long a wide table will take, before it does.
pub(crate) fn note_outlook(dataset: &Dataset, settings: &Settings, session: &Session) {
    if let Some(told) = outlook(dataset, settings) {
        session.note(format!("{told} (--type 'COL=ignore', --rounds)"));
    }
}

/// Passes on what deserves attention; columns without signal are in the table itself.
pub(crate) fn warn(found: &Strengths, session: &Session) {
    let mut told = found.warnings.clone();
    told.retain(|warning| !matches!(warning, Warning::NoSignal { .. }));
    together(&told).iter().for_each(|line| session.warn(line));
}

/// The top-feature table. `role` gives the part a column plays; `name` writes a feature of a target, so that a caller can mark the truth.
pub(crate) fn render(
    table: &str,
    found: &Strengths,
    top: usize,
    session: &Session,
    role: impl Fn(&str) -> Role,
    name: impl Fn(&str, &str) -> String,
) -> String {
    let (paint, width) = (session.paint(), session.width());
    let mut grid = Grid::new([
        ("column", Align::Left),
        ("accuracy", Align::Right),
        ("chance", Align::Right),
        ("top features (share of all strength)", Align::Wrap),
    ]);
    for target in &found.targets {
        let (accuracy, chance) = match target.accuracy {
            Some(a) => (format!("{:.2}", a.mean), format!("{:.2}", a.chance)),
            None => ("-".into(), "-".into()),
        };
        let features = features(target, top, &name) + mark(role(&target.name));
        let about = [target.name.clone(), accuracy, chance, features];
        if target.signal() { grid.row(about) } else { grid.dim_row(about) }
    }
    let head = format!(
        "{}: {}, {}, {}",
        clean(table),
        counted(found.rows, "row"),
        counted(found.targets.len(), "column"),
        counted(found.targets.iter().map(|t| t.fits).sum(), "machine"),
    );
    let doubtful = |t: &Target| {
        t.signal() && t.features.iter().take(top).any(|f| f.strength > 0.0 && is_doubtful(f.hit_rate))
    };
    let legend = if found.targets.iter().any(doubtful) { SHADOW_LEGEND } else { "" };
    format!("{}\n\n{}\n{legend}{}", paint.bold(&head), grid.render(width, paint), summary(found))
}

fn features(target: &Target, top: usize, name: &impl Fn(&str, &str) -> String) -> String {
    if let Some(word) = Verdict::of(target.accuracy).word() {
        return if target.fits == 0 {
            format!("{word}: too few rows in all but one state")
        } else {
            word.into()
        };
    }
    let shown = target.features.iter().filter(|f| f.strength > 0.0).take(top);
    let words = |f: &Feature| feature_words(&name(&target.name, &f.name), f.share, f.hit_rate);
    shown.map(words).collect::<Vec<String>>().join(", ")
}

/// Whether a feature failed to beat the shadows in half of the fits.
pub(crate) fn is_doubtful(hit_rate: Option<f64>) -> bool {
    hit_rate.is_some_and(|rate| rate < 0.5)
}

/// What the mark behind a doubtful feature means.
pub(crate) const SHADOW_LEGEND: &str = "? in most fits no stronger than a shuffled column.\n";

/// A feature with its share, and a mark if it is doubtful; the parts stay on one line.
pub(crate) fn feature_words(name: &str, share: f64, hit_rate: Option<f64>) -> String {
    let mark = if is_doubtful(hit_rate) { "?" } else { "" };
    format!("{name}{TIED}{}{mark}", percent(share))
}
