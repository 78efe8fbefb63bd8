//! `clausality explain`: the rules behind a node or an arc, in words.

use crate::args::learning::TopArgs;
use crate::failure::Failure;
use crate::session::Session;
use crate::show::arcs::{arc_legend, arc_mark, asides};
use crate::show::facts::facts;
use crate::show::strengths::is_doubtful;
use crate::text::{Align, Grid, TIED, clean, grouped, percent, wrap};
use clap::Args;
use clausality::learn::{LearnedArc, Way};
use clausality::rules::{NamedArc, Role};
use clausality::run::{Run, RunFolder};
use clausality::strengths::Feature;
use clausality::tell::{ArcExplanation, NodeExplanation, Rule};
use clausality::votes::{By, Card, Multiplied};
use clausality::words::{counted, is, quoted};
use serde::Serialize;
use std::path::PathBuf;

/// Say in words why a node is predicted, or why an arc is or is not in the network
///
/// A rule is a clause of the machines that learned the node. Weight: the votes behind it, over all machines. Rows: the rows of the
/// table in which its conditions hold. Right: the share of those in which its conclusion holds too; usual: the share of
/// all rows in which it does.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  clausality learn churn.csv --run churn-run\n  \
    clausality explain churn-run --node Exited\n  clausality explain churn-run --arc 'Age>Exited'")]
pub(crate) struct ExplainArgs {
    /// The run folder that `learn --run` or `demo` wrote
    #[arg(value_name = "RUN")]
    pub(crate) run: PathBuf,
    /// The node to explain
    #[arg(long, value_name = "Y", conflicts_with = "arc")]
    node: Option<String>,
    /// The arc to explain, whether the network has it or not
    #[arg(long, value_name = "P>C", value_parser = either_way)]
    arc: Option<NamedArc>,
    #[command(flatten)]
    top: TopArgs,
}

/// An arc, or two nodes whose tie has no direction (`A - B`): the same is said of both ways.
fn either_way(text: &str) -> Result<NamedArc, String> {
    text.parse().or_else(|error| NamedArc::undirected(text).ok_or(error))
}

/// Rules and features on the screen.
const TOP: usize = 8;

/// The JSON document: an explanation, and where it comes from.
#[derive(Serialize)]
struct Document<'a, T> {
    run: String,
    table: &'a str,
    #[serde(flatten)]
    explanation: &'a T,
    seed: u64,
    version: &'static str,
}

pub(crate) fn run(args: ExplainArgs, session: &Session) -> Result<(), Failure> {
    let top = args.top.top(session, TOP)?;
    let folder = RunFolder::read(&args.run, &session.limits())?;
    match (&args.node, &args.arc) {
        (_, Some(arc)) => {
            let explanation = folder.explain_arc(arc).map_err(clausality::Error::from)?;
            answer(&args, &folder, &explanation, session, || arc_text(&explanation, top, session))
        }
        (None, None) => Err(Failure::Input(format!(
            "say what to explain: --node Y or --arc 'P>C'; the nodes are {}",
            quoted(&folder.run.nodes, 6)
        ))),
        (Some(name), None) => {
            let mut explanation = folder.explain_node(name).map_err(clausality::Error::from)?;
            if folder.run.predictions.iter().any(|prediction| prediction.target == *name) {
                let (_, model) = RunFolder::read_with_model(&args.run, &session.limits())?;
                explanation = explanation.with_card(&model)?;
            }
            answer(&args, &folder, &explanation, session, || node_text(&explanation, top, session))
        }
    }
}

fn answer<T: Serialize>(
    args: &ExplainArgs,
    folder: &RunFolder,
    explanation: &T,
    session: &Session,
    text: impl FnOnce() -> String,
) -> Result<(), Failure> {
    let (run, version) = (args.run.display().to_string(), env!("CARGO_PKG_VERSION"));
    let RunFolder { run: Run { table, seed, .. }, .. } = folder;
    session.answer(&Document { run, table, explanation, seed: *seed, version }, text)
}

fn node_text(node: &NodeExplanation, top: usize, session: &Session) -> String {
    let paint = session.paint();
    let role = match node.role {
        Role::Observed => "",
        Role::Parameter => ", parameter",
        Role::Calendar => ", calendar part",
        Role::Unobserved => ", unobserved",
    };
    let head = format!("{}: {}{role}", clean(&node.node), counted(node.states.len(), "state"));
    let mut lines = vec![("verdict", node.verdict.clone())];
    let ends = |arcs: &[LearnedArc], end: fn(&LearnedArc) -> &str| -> String {
        let name = |arc| format!("{}{}{} (gain {:.1})", end(arc), arc_mark(arc), asides(arc), arc.gain);
        let names: Vec<String> = arcs.iter().map(name).collect();
        if names.is_empty() { "none".into() } else { names.join(", ") }
    };
    lines.push(("parents", ends(&node.parents, |arc| &arc.parent)));
    lines.push(("children", ends(&node.children, |arc| &arc.child)));
    let mut text = format!("{}\n\n{}", paint.bold(&head), facts(&lines, session));
    for line in arc_legend(node.parents.iter().chain(&node.children)).lines() {
        text.push_str(&format!("          {line}\n"));
    }
    text.push_str(&rule_table("rules", &node.rules, top, session));
    text.push_str(&feature_table(node, top, session));
    text.push_str(
        &node.card.as_ref().map_or(String::new(), |card| card_text(&node.node, card, top, session)),
    );
    text
}

/// What the machines make the odds of a class from.
fn card_text(target: &str, card: &Card, top: usize, session: &Session) -> String {
    let paint = session.paint();
    let factor = |factor: f64| format!("\u{d7} {}", figures(factor));
    let begin: Vec<String> = card
        .start
        .iter()
        .map(|start| format!("{} of {}", figures(start.factor), is(target, &start.state)))
        .collect();
    let (multiplied, of, shares) = match card.of {
        Multiplied::Odds => ("odds", "odds of", ""),
        Multiplied::Weights => {
            ("weights", "weight of", " The probability of a state is its share of all weights.")
        }
    };
    let who = match card.won {
        By::Machines => "They predict it.",
        By::Both => "They predict it together with the network.",
        By::Network => "The network predicts it better than they do.",
    };
    let said = format!(
        "The machines multiply {multiplied}: {} to begin with, times a factor for every column's state and for every rule that holds; what a column does is both together: its own factor is what the rules that name it leave.{shares} {who}",
        begin.join(", ")
    );
    let mut text = String::from("\n");
    wrap(&said, session.width()).iter().for_each(|line| text.push_str(&format!("{line}\n")));
    let mut grid = Grid::new([
        (of, Align::Left),
        ("least where", Align::Wrap),
        ("rows", Align::Right),
        ("", Align::Right),
        ("most where", Align::Wrap),
        ("rows", Align::Right),
        ("", Align::Right),
    ]);
    let rows = |rows: Option<usize>| rows.map_or("-".into(), grouped);
    for column in card.columns.iter().take(top) {
        grid.row([
            is(target, &column.state),
            column.least.clone(),
            rows(column.least_rows),
            factor(column.least_factor),
            column.most.clone(),
            rows(column.most_rows),
            factor(column.most_factor),
        ]);
    }
    text.push_str(&format!("\n{}", grid.render(session.width(), paint)));
    text.push_str(&more(card.columns.len(), top));
    if card.rules.is_empty() {
        return text;
    }
    let mut grid =
        Grid::new([("where", Align::Hang), ("of rows", Align::Right), (of, Align::Left), ("", Align::Right)]);
    for rule in card.rules.iter().take(top) {
        let whole = |text: &String| text.replace(' ', &TIED.to_string());
        let when: Vec<String> = rule.when.iter().map(whole).collect();
        let share = rule.share.map_or("-".into(), percent);
        grid.row([when.join(&format!(" and{TIED}")), share, is(target, &rule.state), factor(rule.factor)]);
    }
    text.push_str(&format!("\n{}", grid.render(session.width(), paint)));
    text.push_str(&more(card.rules.len(), top));
    text
}

/// Three figures.
fn figures(number: f64) -> String {
    if !(1e-3..1e5).contains(&number) {
        return format!("{number:.1e}");
    }
    let places = (2 - number.abs().max(1e-9).log10().floor() as i32).clamp(0, 4);
    format!("{number:.*}", places as usize)
}

/// How many are not shown.
fn more(all: usize, top: usize) -> String {
    if all > top { format!("and {} more (--top N shows more)\n", grouped(all - top)) } else { String::new() }
}

/// A table of rules, or that there are none.
fn rule_table(title: &str, rules: &[Rule], top: usize, session: &Session) -> String {
    if rules.is_empty() {
        return format!("\nNo {title} were kept.\n");
    }
    let mut grid = Grid::new([
        (title, Align::Hang),
        ("weight", Align::Right),
        ("rows", Align::Right),
        ("right", Align::Right),
        ("usual", Align::Right),
    ]);
    for rule in rules.iter().take(top) {
        let clause = &rule.clause;
        grid.row([
            tied(rule),
            grouped(usize::try_from(clause.weight).unwrap_or(usize::MAX)),
            grouped(clause.support),
            percent(clause.precision),
            percent(clause.base),
        ]);
    }
    format!("\n{}{}", grid.render(session.width(), session.paint()), more(rules.len(), top))
}

/// The sentence of a rule, its lines broken between conditions.
fn tied(rule: &Rule) -> String {
    let whole = |text: &str| text.replace(' ', &TIED.to_string());
    let conditions: Vec<String> = rule.clause.when.iter().map(|condition| whole(&condition.text)).collect();
    let target = rule.text.strip_suffix(&conditions.join(" and ").replace(TIED, " "));
    let target = target.and_then(|text| text.strip_suffix(" when ")).unwrap_or(&rule.text);
    format!("{} when {}", whole(target), conditions.join(&format!(" and{TIED}")))
}

fn feature_table(node: &NodeExplanation, top: usize, session: &Session) -> String {
    let strong: Vec<&Feature> = node.features.iter().filter(|f| f.strength > 0.0).take(top).collect();
    if strong.is_empty() {
        return String::new();
    }
    let shadows = strong.iter().any(|f| f.hit_rate.is_some());
    let mut columns = vec![("top features", Align::Left), ("share", Align::Right)];
    columns.extend(shadows.then_some(("beat shadows", Align::Right)));
    columns.push(("in the network", Align::Left));
    let mut grid = Grid::new(columns);
    for feature in strong {
        let mut cells = vec![feature.name.clone(), percent(feature.share)];
        cells.extend(shadows.then(|| hits(feature)));
        cells.push(relation(node, &feature.name).into());
        if is_doubtful(feature.hit_rate) { grid.dim_row(cells) } else { grid.row(cells) }
    }
    let table = grid.render(session.width(), session.paint());
    let legend = "Beat shadows: fits in which it was stronger than every shuffled column.\n";
    format!("\n{table}{}", if shadows { legend } else { "" })
}

/// `3 of 4`: fits in which the feature beat every shadow.
fn hits(feature: &Feature) -> String {
    let count = |rate: f64| (rate * feature.fits as f64).round();
    feature.hit_rate.map_or("-".into(), |rate| format!("{} of {}", count(rate), feature.fits))
}

fn relation(node: &NodeExplanation, name: &str) -> &'static str {
    if node.parents.iter().any(|arc| arc.parent == name) {
        "parent"
    } else if node.children.iter().any(|arc| arc.child == name) {
        "child"
    } else {
        "-"
    }
}

fn arc_text(arc: &ArcExplanation, top: usize, session: &Session) -> String {
    let paint = session.paint();
    let head = format!("{} -> {}", clean(&arc.parent), clean(&arc.child));
    let mut lines = vec![("verdict", arc.verdict.clone())];
    if let Some(found) = &arc.arc {
        let kind = match found.way() {
            Way::Data => "compelled".to_string(),
            Way::Rules => "set by the rules".to_string(),
            Way::Calendar => format!("so because {} is a calendar part", found.parent),
            Way::Time if found.lag() == 0 => "set by what was before, or never changes".to_string(),
            Way::Time => format!("so because {} was there before", found.parent),
            Way::Open => "reversible".to_string(),
        };
        lines.push(("direction", kind));
        let without = if found.gain < 0.0 { "gain as much" } else { "lose that" };
        // The arc may be the opposite of what was asked about.
        let it = if found.parent == arc.parent {
            "it".to_string()
        } else {
            format!("{} -> {}", found.parent, found.child)
        };
        lines.push((
            "score gain",
            format!("{:.1} in {}: the network would {without} without {it}", found.gain, arc.score),
        ));
        if let Some(confidence) = found.confidence {
            lines.push((
                "confidence",
                format!("joined in {} of the tables of rows drawn anew", percent(confidence)),
            ));
        }
    }
    lines.push(("forward", feature_line(&arc.parent, &arc.child, arc.feature.as_ref())));
    lines.push(("backward", feature_line(&arc.child, &arc.parent, arc.opposite_feature.as_ref())));
    for entry in &arc.trace {
        lines.push(("trace", format!("{} -> {}: {}", entry.parent, entry.child, entry.reason)));
    }
    let mut text = format!("{}\n\n{}", paint.bold(&head), facts(&lines, session));
    let title = |of: &str, by: &str| format!("rules of {} that use {}", clean(of), clean(by));
    text.push_str(&rule_table(&title(&arc.child, &arc.parent), &arc.rules, top, session));
    text.push_str(&rule_table(&title(&arc.parent, &arc.child), &arc.opposite_rules, top, session));
    text
}

/// What one variable is worth as a feature of the other.
fn feature_line(feature: &str, target: &str, found: Option<&Feature>) -> String {
    let Some(found) = found else { return format!("nothing is known of {feature} as a feature of {target}") };
    let mut text = format!(
        "{feature} is number {} of {target}'s features, with {} of all strength ({:.3})",
        found.rank,
        percent(found.share),
        found.strength
    );
    if found.hit_rate.is_some() {
        text.push_str(&format!("; it beat the shuffled columns in {} fits", hits(found)));
    }
    text
}
