//! `clausality learn`: a table to a Bayesian network.

use crate::args::learning::{LearnOptions, TopArgs};
use crate::args::network::{NetworkArgs, PriorArgs, RuleArgs};
use crate::args::table::{self, TableArgs};
use crate::args::target::TargetOptions;
use crate::args::time::TimeOptions;
use crate::failure::Failure;
use crate::files::networks::Outputs;
use crate::files::page::PageFile;
use crate::files::run::RunFiles;
use crate::session::{Given, Progress, Session};
use crate::show::arcs::{arc_legend, arc_mark, mark, note_rules, with_asides};
use crate::show::strengths::{SHADOW_LEGEND, feature_words, is_doubtful, note_outlook, warn};
use crate::show::verdict::{Verdict, summary};
use crate::show::{confidence, gaps, prediction};
use crate::show::{series, twins};
use crate::text::{Align, Grid, TIED, clean, pasted, wrap};
use clap::Args;
use clausality::assemble::Assembler;
use clausality::data::Kind;
use clausality::evaluate::{check_room, check_sheet, evaluate_keeping};
use clausality::folder::Scraps;
use clausality::learn::{LearnedArc, Way};
use clausality::run::{self, Clauses, Made, Run, RunFolder, TargetSummary};
use clausality::tell::{self, picture, report};
use clausality::words::counted;
use clausality::{Strengths, learn_keeping};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Learn a Bayesian network from a table
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  clausality learn customers.csv -o network.bif\n  \
    clausality learn churn.csv --parameter Age,Gender --unobserved Exited --run churn-run")]
pub(crate) struct LearnArgs {
    #[command(flatten)]
    table: TableArgs,
    #[command(flatten)]
    rules: RuleArgs,
    #[command(flatten)]
    network: NetworkArgs,
    #[command(flatten)]
    prior: PriorArgs,
    #[command(flatten)]
    learning: LearnOptions,
    #[command(flatten)]
    target: TargetOptions,
    #[command(flatten)]
    time: TimeOptions,
    #[command(flatten)]
    top: TopArgs,
    /// Write the network, its format by the file's ending: .bif, .xmlbif, .net, .json, .dot, .csv,
    /// .graphml or .svg (a drawing); with .html one page about everything (see `clausality report`)
    #[arg(long, short, value_name = "FILE")]
    output: Vec<PathBuf>,
    /// Write everything into this folder: run.json, network.bif, network.json, edges.csv, strengths.csv, clauses.json, report.html;
    /// with --bootstrap also consensus.json
    #[arg(long, value_name = "DIR")]
    run: Option<PathBuf>,
    /// Start anew: an interrupted run in the folder goes on otherwise
    #[arg(long, requires = "run")]
    fresh: bool,
}

impl LearnArgs {
    /// The files that it reads.
    pub(crate) fn inputs(&self) -> Vec<&Path> {
        [self.table.path()].into_iter().chain(self.rules.tiers_file()).collect()
    }
}

pub(crate) fn run(args: LearnArgs, session: &Session) -> Result<(), Failure> {
    let parts: [&dyn Given; 7] = [
        args.table.options(),
        &args.rules,
        &args.network,
        &args.prior,
        &args.learning,
        &args.target,
        &args.time,
    ];
    let settings = session.settings(&parts)?;
    let by_profile = settings.by_profile();
    args.network.look_over(&settings.network, by_profile.network.assembler.as_slice(), session)?;
    let top = args.top.top(session, run::TOP)?;
    let (pages, networks): (Vec<PathBuf>, Vec<PathBuf>) =
        args.output.iter().cloned().partition(|path| PageFile::is_asked(path));
    let outputs = Outputs::reserve(&networks)?;
    let mut pages = pages.iter().map(|path| PageFile::reserve(path)).collect::<Result<Vec<_>, _>>()?;
    let files = args.run.as_deref().map(RunFiles::reserve).transpose()?;
    let start = Instant::now();
    let (dataset, sheet) = match settings.prediction.folds {
        None => {
            let first = files.as_ref().map(|files| files.first_pass(args.fresh)).unwrap_or_default();
            (args.table.read_first(&by_profile.data, first, session)?, None)
        }
        Some(_) => {
            let sheet = args.table.sheet(&by_profile.data, session)?;
            check_sheet(&sheet, &settings, &session.bounds())?;
            let dataset = sheet.dataset(None, &[])?;
            table::warn(&dataset, session);
            check_room(&sheet, &dataset, &settings, &session.bounds())?;
            (dataset, Some(sheet))
        }
    };
    if dataset.sequence.is_none() {
        note_rules(&settings.ruled(&dataset)?, dataset.table.schema(), session);
    }

    if files.is_some() || !pages.is_empty() {
        tell::check_room(&dataset, &settings, &session.bounds())?;
    }
    note_outlook(&dataset, &settings, session);
    let scraps = files.as_ref().map(|files| files.scraps("learn", &dataset.table, &settings, args.fresh));
    let scraps = scraps.transpose()?;
    let kept = scraps.as_ref().map(Scraps::kept).unwrap_or_default();
    let found = learn_keeping(&dataset, &settings, &session.bounds(), kept, &Progress::new(session))?;
    let later = found.notices.strip_prefix(dataset.notices.as_slice()).unwrap_or_default();
    later.iter().for_each(|notice| session.warn(table::advised(notice)));
    warn(&found.strengths, session);
    let evaluations = match &sheet {
        Some(sheet) => evaluate_keeping(sheet, &settings, &session.bounds(), kept, &Progress::new(session))?,
        None => Vec::new(),
    };
    let seconds = start.elapsed().as_secs_f64();

    let made = Made { table: args.table.name().into(), top, seconds, truth: None, evaluations };
    let mut run = Run::new(&found, made);
    if !pages.is_empty() {
        let folder = RunFolder { run: run.clone(), clauses: Clauses::new(&found) };
        let page = report::html(&folder, &found.network).map_err(clausality::Error::from)?;
        pages.iter_mut().try_for_each(|file| file.fill(&page))?;
    }
    let network = run.kept(&found);
    // Nothing is put in place before everything is written.
    let outputs = outputs.fill(&network, || picture::of_run(&run))?;
    pages.into_iter().try_for_each(PageFile::place)?;
    outputs.place(&network, session)?;
    if let (Some(files), Some(path)) = (files, &args.run) {
        files.write(&mut run, &found)?;
        session.note(format!("wrote the run to {}", path.display()));
    }
    if session.json {
        return session.print_json(&run);
    }
    let next = args.run.as_deref().map(|folder| next(&run, folder, session)).unwrap_or_default();
    session.print(&(render(&run, &found.strengths, session) + &next))
}

/// What to do with what was written.
fn next(run: &Run, folder: &Path, session: &Session) -> String {
    const LABEL: &str = "Next  ";
    let commands = report::next(run, &folder.display().to_string());
    let room = session.width().saturating_sub(LABEL.len());
    let mut text = "\n".to_string();
    for (k, line) in commands.iter().flat_map(|command| pasted(&clean(command), room)).enumerate() {
        let label = if k == 0 { LABEL } else { "" };
        text.push_str(&format!("{label:width$}{line}\n", width = LABEL.len()));
    }
    text
}

fn render(run: &Run, found: &Strengths, session: &Session) -> String {
    let (paint, width) = (session.paint(), session.width());
    let head = format!(
        "{}: {}, {}, {}, learned in {:.1}{TIED}s",
        clean(&run.table),
        run.counted_rows(),
        counted(run.nodes.len(), "node"),
        counted(run.arcs.len(), "arc"),
        run.seconds,
    );
    let line = |line: &String| paint.bold(&line.replace(TIED, " ")) + "\n";
    let mut text: String = wrap(&head, width).iter().map(line).collect();
    text.push('\n');
    if run.arcs.is_empty() {
        text.push_str(match run.has_rules() {
            true => "No arcs: none that the rules allow is worth it.\n",
            false => "No arcs: the data hold no dependence that is worth one.\n",
        });
    }
    let verdict = |name: &str| found.target(name).map_or(Verdict::Unmeasured, |t| Verdict::of(t.accuracy));
    // Without any arc only those are listed of which there is something to say.
    let told = |target: &&TargetSummary| !run.arcs.is_empty() || verdict(&target.name) != Verdict::NoSignal;
    let told: Vec<&TargetSummary> = run.targets.iter().filter(told).collect();
    if !told.is_empty() {
        let mut grid = Grid::new([
            ("node", Align::Left),
            ("accuracy", Align::Right),
            ("chance", Align::Right),
            ("parents (share of all strength)", Align::Wrap),
        ]);
        for target in told {
            let parents: Vec<&LearnedArc> = run.arcs.iter().filter(|arc| arc.child == target.name).collect();
            let cells = node_cells(target, &parents, verdict(&target.name));
            if parents.is_empty() { grid.dim_row(cells) } else { grid.row(cells) }
        }
        text.push_str(if run.arcs.is_empty() { "\n" } else { "" });
        text.push_str(&grid.render(width, paint));
        text.push_str(&legend(run));
    }
    text.push_str(&run.time.as_ref().map(|course| series::told(course, session)).unwrap_or_default());
    text.push_str(&twins::section(&run.twins, width, paint));
    if let Some(found) = &run.gaps {
        text.push_str(&gaps::telling(found, &run.columns, &run.twins, session));
    }
    if let Some(again) = &run.bootstrap {
        text.push_str(&confidence::section(again, &run.arcs, width, paint));
    }
    if !run.predictions.is_empty() {
        text.push_str(&prediction::held_out(&run.predictions, session));
    }
    for evaluated in &run.evaluations {
        text.push_str(&format!("\n{}", prediction::evaluated(evaluated, session)));
    }
    text.push_str(&format!("\n{}", summary(found)));
    if let Some(entity) = run.params.data.entity.as_ref().filter(|_| run.time.is_none()) {
        let told = format!(
            "These rows were held out one by one, so that other rows of the same '{entity}' told of them: `evaluate --entity` keeps them together."
        );
        wrap(&told, width).iter().for_each(|line| text.push_str(&format!("{line}\n")));
    }
    if let Some(probabilities) = &run.probabilities {
        for line in wrap(&format!("Probabilities: {}.", probabilities.sentence()), width) {
            text.push_str(&(line + "\n"));
        }
    }
    let silent = |arc: &LearnedArc| verdict(&arc.child) == Verdict::NoSignal;
    if run.arcs.iter().any(silent) {
        let why = match run.params.network.assembler {
            Some(Assembler::Paper) => {
                "the paper's assembly takes the best features of a node, whatever they are worth."
            }
            _ => "its score or test found it; the machines could not predict the node.",
        };
        wrap(&format!("An arc into a node without signal: {why}"), width).iter().for_each(|line| {
            text.push_str(line);
            text.push('\n');
        });
    }
    text
}

fn node_cells(target: &TargetSummary, parents: &[&LearnedArc], verdict: Verdict) -> [String; 4] {
    let shown = |x: Option<f64>| x.map_or("-".into(), |x| format!("{x:.2}"));
    let word = |arc: &LearnedArc| {
        feature_words(&format!("{}{}", arc.parent, arc_mark(arc)), arc.share, arc.hit_rate)
    };
    let parents = if parents.is_empty() { "-".to_string() } else { with_asides(parents, word) };
    let mut about = parents + mark(target.role);
    if let Some(word) = verdict.word() {
        about.push_str(&format!("; {word}"));
    }
    [target.name.clone(), shown(target.accuracy), shown(target.chance), about]
}

/// Of directions that rest on the rows alone, where nothing says how often others would be found.
const GUESSED: &str = "A direction without a mark is what these rows suggest, no proof of what causes\n\
what: --bootstrap 100 tells how sure it is, --tiers says what comes first.\n";

/// The same where parent or child is a number that was cut.
const TURNED_BY_CUTS: &str = "Between numbers cut into ranges the cuts themselves may turn it, and more rows\n\
do not mend that: compare --bins 8 and --discretize mdl.\n";

/// What the marks mean, as far as they occur.
fn legend(run: &Run) -> String {
    let arcs = &run.arcs;
    let mut text = arc_legend(arcs);
    if arcs.iter().any(|arc| is_doubtful(arc.hit_rate)) {
        text.push_str(SHADOW_LEGEND);
    }
    let by_data = |arc: &&LearnedArc| !arc.required && arc.way() == Way::Data;
    if arcs.iter().filter(by_data).any(|arc| arc.direction.is_none()) {
        text.push_str(GUESSED);
    }
    let is_cut = |name: &str| {
        run.columns.iter().filter(|column| column.kind == Kind::Numeric).any(|column| {
            column.variables.iter().any(|own| own.name == name && own.states.len() < column.distinct)
        })
    };
    if arcs.iter().filter(by_data).any(|arc| is_cut(&arc.parent) && is_cut(&arc.child)) {
        text.push_str(TURNED_BY_CUTS);
    }
    if text.is_empty() { text } else { format!("\n{text}") }
}
