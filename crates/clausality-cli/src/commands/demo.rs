//! `clausality demo`: the main job on embedded data.

use crate::args::learning::{LearnOptions, TopArgs};
use crate::args::network::{NetworkArgs, RuleArgs};
use crate::failure::Failure;
use crate::files::run::RunFiles;
use crate::session::{Progress, Session};
use crate::show::arcs::{arc_legend, arc_mark, asides, note_rules};
use crate::show::facts::facts;
use crate::show::strengths::{TOP, render, warn};
use crate::text::{Align, Grid, TIED, grouped};
use clap::Args;
use clausality::bn::Network;
use clausality::bn::compare::Comparison;
use clausality::data::Dataset;
use clausality::folder::Kept;
use clausality::rules::Role;
use clausality::run::{self, Made, Run, Truth};
use clausality::tell;
use clausality::words::counted;
use clausality::{Learned, Profile, Settings, Strengths, embedded, learn_keeping};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Sample an embedded network, learn it back with both profiles, and hold the results against the truth
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  clausality demo\n  clausality demo alarm --rows 20000 --run alarm-run\n  \
    clausality demo child --profile hybrid"
)]
pub(crate) struct DemoArgs {
    /// The embedded network (see `clausality networks`)
    #[arg(default_value = "insurance")]
    network: String,
    /// Rows to sample
    #[arg(long, value_name = "N", default_value_t = 5000)]
    rows: usize,
    /// Where to write the runs
    #[arg(long, value_name = "DIR", default_value = "clausality-demo")]
    run: PathBuf,
    /// Start anew: an interrupted demo in the folder goes on otherwise
    #[arg(long)]
    fresh: bool,
    #[command(flatten)]
    top: TopArgs,
    #[command(flatten)]
    pub(crate) rules: RuleArgs,
    #[command(flatten)]
    structure: NetworkArgs,
    #[command(flatten)]
    learning: LearnOptions,
}

/// How often the top features are true neighbours.
#[derive(Debug, Serialize)]
struct HitRate {
    top: usize,
    listed: usize,
    adjacent: usize,
    parents: usize,
}

/// What one profile made of the sample.
struct Attempt {
    profile: Profile,
    found: Learned,
    run: Run,
    comparison: Comparison,
    hits: Vec<HitRate>,
    folder: PathBuf,
}

/// The JSON document.
#[derive(Serialize)]
struct Document<'a> {
    network: &'a str,
    rows: usize,
    seed: u64,
    version: &'static str,
    profiles: Vec<ProfileDocument<'a>>,
}

#[derive(Serialize)]
struct ProfileDocument<'a> {
    profile: Profile,
    folder: String,
    hits: &'a [HitRate],
    comparison: &'a Comparison,
    #[serde(flatten)]
    run: &'a Run,
}

pub(crate) fn run(args: DemoArgs, session: &Session) -> Result<(), Failure> {
    if args.rows < 20 || args.rows > 100_000_000 {
        return Err(Failure::Input(format!("--rows is {}; it must be between 20 and 100000000", args.rows)));
    }
    let settings = session.settings(&[&args.rules, &args.structure, &args.learning])?;
    let profiles = match args.learning.asked_profile(session)? {
        Some(profile) => vec![profile],
        None => vec![Profile::Hybrid, Profile::Paper],
    };
    let tries: Vec<Settings> =
        profiles.iter().map(|&profile| Settings { profile, ..settings.clone() }).collect();
    tries.iter().try_for_each(Settings::check)?;
    let truth = embedded::network(&args.network).map_err(|error| Failure::Input(error.to_string()))?;
    let assemblers: Vec<_> =
        tries.iter().filter_map(|settings| settings.by_profile().network.assembler).collect();
    args.structure.look_over(&settings.network, &assemblers, session)?;
    let folders: Vec<PathBuf> = profiles.iter().map(|&profile| folder(&args.run, profile)).collect();
    // Both runs appear in the same step: the paper's stands in the folder of the other.
    let files = match folders.as_slice() {
        [only] => RunFiles::reserve(only)?,
        _ => RunFiles::reserve_with(&args.run, &[PAPER])?,
    };
    let dataset = Dataset::drawn_from(&truth, args.rows, session.seed, &session.bounds())?;
    note_rules(&settings.ruled(&dataset)?, truth.schema(), session);

    let scraps = files.scraps("demo", &dataset.table, &settings, args.fresh)?;
    let mut attempts = Vec::new();
    for (settings, folder) in tries.iter().zip(folders) {
        let kept = scraps.kept().below(settings.profile.word());
        attempts.push(attempt(&args, &truth, &dataset, settings, folder, kept, session)?);
    }
    match attempts.as_mut_slice() {
        [only] => files.write(&mut only.run, &only.found)?,
        several => {
            let below = |profile| if profile == Profile::Paper { PAPER } else { "" };
            let runs = several.iter_mut().map(|a| (below(a.profile), &mut a.run, &a.found));
            files.write_all(runs.collect())?;
        }
    }
    if session.json {
        let profiles = attempts.iter().map(Attempt::document).collect();
        let (rows, seed, version) = (args.rows, session.seed, env!("CARGO_PKG_VERSION"));
        return session.print_json(&Document {
            network: truth_name(&args.network),
            rows,
            seed,
            version,
            profiles,
        });
    }
    let text = report(&args, &truth, &attempts, session)?;
    session.print(&text)
}

/// The folder of the paper's run.
const PAPER: &str = "paper";

/// The first run stands in the folder itself, the paper's below it.
fn folder(run: &Path, profile: Profile) -> PathBuf {
    match profile {
        Profile::Hybrid => run.to_path_buf(),
        Profile::Paper => run.join(PAPER),
    }
}

fn attempt(
    args: &DemoArgs,
    truth: &Network,
    dataset: &Dataset,
    settings: &Settings,
    folder: PathBuf,
    kept: Kept<'_>,
    session: &Session,
) -> Result<Attempt, Failure> {
    tell::check_room(dataset, settings, &session.bounds())?;
    let start = Instant::now();
    let found = learn_keeping(dataset, settings, &session.bounds(), kept, &Progress::new(session))?;
    let seconds = start.elapsed().as_secs_f64();
    let table = format!("@{}", truth_name(&args.network));
    let against = Truth::new(&table, truth, &found.network);
    let comparison = against.comparison.clone();
    let top = args.top.top(session, run::TOP)?;
    let run = Run::new(&found, Made { table, top, seconds, truth: Some(against), ..Made::default() });
    let hits = [1, 2, 3].map(|top| hit_rate(truth, &found.strengths, top)).into();
    Ok(Attempt { profile: settings.profile, found, run, comparison, hits, folder })
}

impl Attempt {
    fn document(&self) -> ProfileDocument<'_> {
        ProfileDocument {
            profile: self.profile,
            folder: self.folder.display().to_string(),
            hits: &self.hits,
            comparison: &self.comparison,
            run: &self.run,
        }
    }

    fn name(&self) -> &'static str {
        self.profile.word()
    }
}

fn truth_name(name: &str) -> &str {
    name.trim_start_matches('@')
}

/// What the first profile found, and how all of them compare.
fn report(
    args: &DemoArgs,
    truth: &Network,
    attempts: &[Attempt],
    session: &Session,
) -> Result<String, Failure> {
    let Some(first) = attempts.first() else { return Ok(String::new()) };
    warn(&first.found.strengths, session);
    let paint = session.paint();
    let top = args.top.top(session, TOP)?;
    let title = format!("A sample of the {} network", truth_name(&args.network));
    let role = |column: &str| {
        first.run.targets.iter().find(|target| target.name == column).map_or(Role::Observed, |t| t.role)
    };
    let mut text = render(&title, &first.found.strengths, top, session, role, |target, feature| {
        format!("{}{feature}", mark(truth, target, feature))
    });
    text.push_str("\nThe truth: > parent of the column, < child, = shares a child, . none of these.\n");
    let learned = format!(
        "\nThe network learned back ({} profile): {}, the true one has {}",
        first.name(),
        counted(first.run.arcs.len(), "arc"),
        grouped(truth.dag().arc_count())
    );
    text.push_str(&format!("{}\n\n{}", paint.bold(&learned), network(truth, &first.found, session)));
    text.push_str(&format!("\n{}\n\n{}", paint.bold("Against the truth"), figures(truth, attempts, session)));
    text.push_str(&format!("\nProbabilities: {}.\n", first.found.probabilities.sentence()));
    text.push_str(&format!("\n{}\n\n{}", paint.bold("Files"), files(attempts, session)));
    Ok(text)
}

/// How a feature truly stands to a target.
fn mark(truth: &Network, target: &str, feature: &str) -> char {
    let (Some(y), Some(f)) = (truth.schema().index(target), truth.schema().index(feature)) else {
        return '.';
    };
    let dag = truth.dag();
    if dag.has(f, y) {
        '>'
    } else if dag.has(y, f) {
        '<'
    } else if dag.children(y).iter().any(|c| dag.children(f).contains(c)) {
        '='
    } else {
        '.'
    }
}

fn hit_rate(truth: &Network, found: &Strengths, top: usize) -> HitRate {
    let mut rate = HitRate { top, listed: 0, adjacent: 0, parents: 0 };
    for target in &found.targets {
        for feature in target.features.iter().take(top) {
            let mark = mark(truth, &target.name, &feature.name);
            rate.listed += 1;
            rate.adjacent += usize::from(mark == '>' || mark == '<');
            rate.parents += usize::from(mark == '>');
        }
    }
    rate
}

/// The learned parents of every node, wrong ones and missing ones marked.
fn network(truth: &Network, found: &Learned, session: &Session) -> String {
    let mut grid =
        Grid::new([("node", Align::Left), ("learned parents", Align::Wrap), ("missed", Align::Wrap)]);
    let schema = truth.schema();
    let mut names: Vec<&str> = schema.variables().iter().map(|v| v.name.as_str()).collect();
    names.sort_unstable();
    for name in names {
        let (learned, missed) = (learned_parents(truth, found, name), missed_parents(truth, found, name));
        if !learned.is_empty() || !missed.is_empty() {
            grid.row([name.to_string(), learned.join(", "), missed.join(", ")]);
        }
    }
    let table = grid.render(session.width(), session.paint());
    format!("{table}\n{}", arc_legend(&found.arcs))
}

fn learned_parents(truth: &Network, found: &Learned, node: &str) -> Vec<String> {
    let (dag, schema) = (truth.dag(), truth.schema());
    let arcs = found.arcs.iter().filter(|arc| arc.child == node);
    let words = arcs.map(|arc| {
        let ends = schema.index(&arc.parent).zip(schema.index(node));
        let wrong = match ends.map(|(p, c)| (dag.has(p, c), dag.has(c, p))) {
            Some((true, _)) => "",
            Some((_, true)) => " (turned)",
            _ => " (not there)",
        };
        format!("{}{}{wrong}{}", arc.parent, arc_mark(arc), asides(arc))
    });
    words.collect()
}

/// True parents that the learned network does not join with the node.
fn missed_parents<'t>(truth: &'t Network, found: &Learned, node: &str) -> Vec<&'t str> {
    let joined = |other: &str| {
        let ends = |p: &str, c: &str| (p == other && c == node) || (p == node && c == other);
        found.arcs.iter().any(|arc| ends(&arc.parent, &arc.child))
    };
    let parents = truth.schema().index(node).map(|v| truth.parents(v)).unwrap_or_default();
    let mut missed: Vec<&str> =
        parents.iter().map(|&p| truth.schema().name(p)).filter(|name| !joined(name)).collect();
    missed.sort_unstable();
    missed
}

/// The profiles beside each other.
fn figures(truth: &Network, attempts: &[Attempt], session: &Session) -> String {
    let mut columns = vec![("", Align::Left)];
    columns.extend(attempts.iter().map(|attempt| (attempt.name(), Align::Right)));
    columns.push(("", Align::Wrap));
    let mut grid = Grid::new(columns);
    let mut row = |label: &str, value: &dyn Fn(&Attempt) -> String, meaning: &str| {
        let mut cells = vec![label.to_string()];
        cells.extend(attempts.iter().map(value));
        cells.push(meaning.to_string());
        grid.row(cells);
    };
    let hits = |place: usize| {
        move |a: &Attempt| a.hits.get(place).map_or("-".into(), |h| format!("{}/{}", h.adjacent, h.listed))
    };
    row("top feature", &hits(0), "true neighbours among first features");
    row("top 3 features", &hits(2), "true neighbours among the first three");
    row("arcs", &|a| a.run.arcs.len().to_string(), &format!("the truth has {}", truth.dag().arc_count()));
    row("skeleton F1", &|a| format!("{:.2}", a.comparison.skeleton.f1), "neighbours, directions ignored");
    row(
        &format!("{TIED}{TIED}precision"),
        &|a| format!("{:.2}", a.comparison.skeleton.precision),
        "of those found, how many are true",
    );
    row(
        &format!("{TIED}{TIED}recall"),
        &|a| format!("{:.2}", a.comparison.skeleton.recall),
        "of the true ones, how many are found",
    );
    row("directed F1", &|a| format!("{:.2}", a.comparison.directed.f1), "with their directions");
    row("CPDAG-SHD", &|a| a.comparison.cpdag_shd.to_string(), "errors that data could show; 0 is perfect");
    row("SHD", &|a| a.comparison.shd.to_string(), "missing, extra and turned arcs");
    row("SID", &|a| a.comparison.sid.to_string(), "pairs whose effect would be misjudged");
    row("kernel K", &|a| format!("{:.2}", a.comparison.kernel), "the paper's similarity; 1 is equal");
    row("seconds", &|a| format!("{:.1}", a.run.seconds), "");
    grid.render(session.width(), session.paint())
}

/// Where everything was written, and what to do with it.
fn files(attempts: &[Attempt], session: &Session) -> String {
    let mut lines: Vec<(&str, String)> = Vec::new();
    for attempt in attempts {
        lines.push((attempt.name(), format!("{}/", attempt.folder.display())));
    }
    lines.push(("each", run::FILES.join(", ")));
    if let Some(first) = attempts.first() {
        let commands = tell::report::next(&first.run, &first.folder.display().to_string());
        lines.extend(
            commands.into_iter().enumerate().map(|(k, line)| (if k == 0 { "next" } else { "" }, line)),
        );
    }
    facts(&lines, session)
}
