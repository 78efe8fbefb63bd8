//! `clausality query`: what a network says about some nodes, given what is known or done.

use crate::failure::Failure;
use crate::findings;
use crate::model::{counted, read_model};
use crate::session::Session;
use crate::text::{Align, Grid, chance, clean, grouped, shortened, wrap};
use clap::Args;
use clausality::bn::infer::{DEFAULT_BYTES, Evidence, Explanation, Finding, Infer, Tiny, Weighted, weigh};
use clausality::bn::{Network, Pdag, Schema};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::path::{Path, PathBuf};
use unicode_width::UnicodeWidthStr;

/// Ask a network: posteriors, interventions, the most probable states
///
/// Names and states are written as they stand in the network. Where commas or = in them leave a doubt, put them in double
/// quotes: --given '"a, b"=yes'. A question too large for --memory-limit (384M by default) is refused; --samples then gives
/// an estimate with its standard error.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  clausality query @asia --target lung --given xray=yes,smoke=yes\n  \
    clausality query @asia --target dysp --do smoke=no --given asia=yes\n  \
    clausality query @asia --target lung --likely xray=yes:0.8,no:0.1\n  \
    clausality query @asia --mpe --given dysp=yes")]
pub(crate) struct QueryArgs {
    /// A network (.bif, .xmlbif, .xml, .net, .json, or with .gz), a run folder or @NAME
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// The nodes asked about
    #[arg(long, short, value_name = "X,Y,…", required_unless_present = "mpe")]
    target: Option<String>,
    /// Nodes that were observed, with their states
    #[arg(long, short, value_name = "A=a,B=b")]
    given: Vec<String>,
    /// Nodes that are set from outside: the arcs into them are cut
    #[arg(long = "do", value_name = "C=c")]
    set: Vec<String>,
    /// A report about a node: how likely it would be in each of its states (*:NUMBER for all others)
    #[arg(long, value_name = "A=a:0.7,b:0.3")]
    likely: Vec<String>,
    /// The most probable states together: of the targets, or of all nodes if none is named
    #[arg(long)]
    mpe: bool,
    /// Also the probabilities of all combinations of the targets' states
    #[arg(long, conflicts_with = "mpe")]
    joint: bool,
    /// Estimate from this many weighted samples instead of answering exactly
    #[arg(long, value_name = "N", conflicts_with_all = ["mpe", "joint"])]
    samples: Option<usize>,
}

impl QueryArgs {
    /// The files that it reads.
    pub(crate) fn inputs(&self) -> Vec<&Path> {
        vec![&self.model]
    }
}

pub(crate) fn run(args: QueryArgs, session: &Session) -> Result<(), Failure> {
    let model = read_model(&args.model, session)?;
    let network = &model.network;
    let targets = match &args.target {
        Some(text) => findings::nodes(network.schema(), text)?,
        None => vec![],
    };
    let evidence = findings::evidence(&model, &args.given, &args.set, &args.likely)?;
    let ask = Ask { network, model: &model.source, targets, evidence, session };
    match (args.mpe, args.samples) {
        (true, _) => ask.most_probable(),
        (false, Some(samples)) => ask.estimate(samples),
        (false, None) => ask.posterior(args.joint),
    }
}

struct Ask<'a> {
    network: &'a Network,
    model: &'a str,
    targets: Vec<usize>,
    evidence: Evidence,
    session: &'a Session,
}

/// The JSON document: that of a single target, of several, or of the most probable states.
#[derive(Serialize)]
struct Answer<'a> {
    model: &'a str,
    target: Named<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    posterior: Option<Distributions<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    standard_error: Option<Distributions<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    joint: Option<Vec<Combination<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    most_probable: Option<Pairs<'a, &'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    probability: Option<f64>,
    evidence: Pairs<'a, &'a str>,
    #[serde(rename = "do")]
    set: Pairs<'a, &'a str>,
    likelihood: Pairs<'a, Pairs<'a, f64>>,
    evidence_probability: f64,
    evidence_log_probability: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    samples: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    effective_samples: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    version: &'static str,
}

/// One name, or several.
#[derive(Serialize)]
#[serde(untagged)]
enum Named<'a> {
    One(&'a str),
    Several(Vec<&'a str>),
}

/// The distribution of the one target, or those of several by name.
#[derive(Serialize)]
#[serde(untagged)]
enum Distributions<'a> {
    One(Pairs<'a, f64>),
    Several(Pairs<'a, Pairs<'a, f64>>),
}

/// States of the targets together.
#[derive(Serialize)]
struct Combination<'a> {
    states: Pairs<'a, &'a str>,
    probability: f64,
}

/// A JSON object whose keys keep their order.
struct Pairs<'a, V>(Vec<(&'a str, V)>);

impl<V: Serialize> Serialize for Pairs<'_, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<'a> Ask<'a> {
    fn schema(&self) -> &'a Schema {
        self.network.schema()
    }

    fn infer(&self) -> Infer {
        Infer::new(self.network.clone()).with_limit(self.session.memory_limit.unwrap_or(DEFAULT_BYTES))
    }

    fn posterior(&self, joint: bool) -> Result<(), Failure> {
        let mut infer = self.infer();
        let found = infer.posteriors_of(&self.targets, &self.evidence).map_err(failure)?;
        let together = match joint && self.targets.len() > 1 {
            true => Some(infer.posterior(&self.targets, &self.evidence).map_err(failure)?.probabilities),
            false => None,
        };
        if self.session.json {
            let joint = together.as_deref().map(|p| self.combinations(p));
            let posterior = Some(self.distributions(&found.probabilities));
            return self.session.print_json(&Answer { posterior, joint, ..self.answer(found.evidence) });
        }
        // What the network says before the evidence, where that is as easy to tell.
        let before = match self.evidence.is_empty() {
            true => None,
            false => infer.posteriors_of(&self.targets, &Evidence::new(self.network)).ok(),
        };
        let mut text = self.heading(Some(found.evidence));
        for (k, &target) in self.targets.iter().enumerate() {
            let before =
                before.as_ref().map(|b| ("before", b.probabilities[k].iter().map(|&p| chance(p)).collect()));
            text.push_str(&self.bars(target, &found.probabilities[k], before));
        }
        if let Some(probabilities) = together {
            text.push_str(&self.joint_table(&probabilities));
        }
        self.session.print(&text)
    }

    fn estimate(&self, samples: usize) -> Result<(), Failure> {
        let seed = self.session.seed;
        let found = weigh(self.network, &self.targets, &self.evidence, samples, seed).map_err(failure)?;
        if found.effective < 100.0 && !self.evidence.is_empty() {
            self.session.warn(format!(
                "the {} count only as much as {:.0} unweighted ones: draw more",
                counted(samples, "sample"),
                found.effective
            ));
        }
        let Weighted { probabilities, errors, .. } = &found;
        if self.session.json {
            return self.session.print_json(&Answer {
                posterior: Some(self.distributions(probabilities)),
                standard_error: Some(self.distributions(errors)),
                samples: Some(samples),
                effective_samples: Some(found.effective),
                seed: Some(seed),
                ..self.answer(found.evidence)
            });
        }
        let mut text = self.heading(Some(found.evidence));
        let note = format!(
            "estimated from {}, worth {} unweighted ones",
            counted(samples, "weighted sample"),
            grouped(found.effective.round() as usize)
        );
        text.push_str(&format!("{}\n\n", self.session.paint().dim(&note)));
        for (k, &target) in self.targets.iter().enumerate() {
            let errors = errors[k].iter().map(|&e| format!("± {}", chance(e))).collect();
            text.push_str(&self.bars(target, &probabilities[k], Some(("error", errors))));
        }
        self.session.print(&text)
    }

    fn most_probable(&self) -> Result<(), Failure> {
        let found = self.infer().most_probable(&self.targets, &self.evidence).map_err(failure)?;
        let Explanation { states, probability, evidence } = &found;
        let state = |&(node, code): &(usize, u8)| {
            (self.schema().name(node), self.schema().variable(node).states[usize::from(code)].as_str())
        };
        let told: Vec<(&str, &str)> = states.iter().map(state).collect();
        if self.session.json {
            return self.session.print_json(&Answer {
                most_probable: Some(Pairs(told)),
                probability: Some(probability.value()),
                ..self.answer(*evidence)
            });
        }
        let mut text = self.heading(Some(*evidence));
        text.push_str(&format!("The most probable states together: probability {}\n\n", tiny(*probability)));
        let mut grid = Grid::new([("node", Align::Left), ("state", Align::Wrap), ("", Align::Left)]);
        for (&(node, _), (name, state)) in states.iter().zip(told) {
            match self.evidence.finding(node) {
                Finding::Observed(_) => grid.dim_row([name, state, "given"]),
                Finding::Set(_) => grid.dim_row([name, state, "set"]),
                Finding::Free | Finding::Likelihood(_) => grid.row([name, state, ""]),
            }
        }
        text.push_str(&grid.render(self.session.width(), self.session.paint()));
        self.session.print(&text)
    }

    /// What every document holds.
    fn answer(&self, evidence: Tiny) -> Answer<'a> {
        let schema = self.schema();
        let mut answer = Answer {
            model: self.model,
            target: self.names(),
            posterior: None,
            standard_error: None,
            joint: None,
            most_probable: None,
            probability: None,
            evidence: Pairs(vec![]),
            set: Pairs(vec![]),
            likelihood: Pairs(vec![]),
            evidence_probability: evidence.value(),
            evidence_log_probability: evidence.ln(),
            samples: None,
            effective_samples: None,
            seed: None,
            version: env!("CARGO_PKG_VERSION"),
        };
        for (node, finding) in self.evidence.findings().iter().enumerate() {
            let variable = schema.variable(node);
            let state = |code: u8| variable.states[usize::from(code)].as_str();
            match finding {
                Finding::Free => {}
                Finding::Observed(code) => answer.evidence.0.push((&variable.name, state(*code))),
                Finding::Set(code) => answer.set.0.push((&variable.name, state(*code))),
                Finding::Likelihood(numbers) => {
                    answer.likelihood.0.push((&variable.name, self.labelled(node, numbers)))
                }
            }
        }
        answer
    }

    fn names(&self) -> Named<'a> {
        match self.targets[..] {
            [target] => Named::One(self.schema().name(target)),
            _ => Named::Several(self.targets.iter().map(|&t| self.schema().name(t)).collect()),
        }
    }

    fn labelled(&self, node: usize, numbers: &[f64]) -> Pairs<'a, f64> {
        let states = self.schema().variable(node).states.iter().map(String::as_str);
        Pairs(states.zip(numbers.iter().copied()).collect())
    }

    fn distributions(&self, numbers: &[Vec<f64>]) -> Distributions<'a> {
        match self.targets[..] {
            [target] => Distributions::One(self.labelled(target, &numbers[0])),
            _ => Distributions::Several(Pairs(
                self.targets
                    .iter()
                    .zip(numbers)
                    .map(|(&t, numbers)| (self.schema().name(t), self.labelled(t, numbers)))
                    .collect(),
            )),
        }
    }

    /// All combinations of the targets' states, the last target's varying fastest.
    fn combinations(&self, probabilities: &[f64]) -> Vec<Combination<'a>> {
        let combination = |(k, &probability): (usize, &f64)| {
            let mut rest = k;
            let mut states = vec![];
            for &t in self.targets.iter().rev() {
                let variable = self.schema().variable(t);
                states.push((variable.name.as_str(), variable.states[rest % variable.states.len()].as_str()));
                rest /= variable.states.len();
            }
            states.reverse();
            Combination { states: Pairs(states), probability }
        };
        probabilities.iter().enumerate().map(combination).collect()
    }

    /// What was asked, and how probable the evidence is.
    fn heading(&self, probability: Option<Tiny>) -> String {
        let schema = self.schema();
        let mut known = vec![];
        for (node, finding) in self.evidence.findings().iter().enumerate() {
            let variable = schema.variable(node);
            let state = |code: u8| format!("{}={}", variable.name, variable.states[usize::from(code)]);
            match finding {
                Finding::Free => {}
                Finding::Observed(code) => known.push(state(*code)),
                Finding::Set(code) => known.push(format!("do({})", state(*code))),
                Finding::Likelihood(_) => known.push(format!("a report about {}", variable.name)),
            }
        }
        let given = if known.is_empty() { String::new() } else { format!(" given {}", known.join(", ")) };
        let names: Vec<&str> = self.targets.iter().map(|&t| schema.name(t)).collect();
        let asked = if names.is_empty() { "all nodes".to_string() } else { names.join(", ") };
        let line = format!("{}: {asked}{given}", self.model);
        let mut text = String::new();
        for line in wrap(&clean(&line), self.session.width()) {
            text.push_str(&self.session.paint().bold(&line));
            text.push('\n');
        }
        let findings = self.evidence.findings();
        let seen = findings.iter().any(|f| matches!(f, Finding::Observed(_) | Finding::Likelihood(_)));
        if let (Some(probability), true) = (probability, seen) {
            let line = format!("the evidence has probability {}", tiny(probability));
            let scaled = findings.iter().any(|f| matches!(f, Finding::Likelihood(_)));
            let line = line + if scaled { " (largest likelihood taken as 1)" } else { "" };
            text.push_str(&format!("{}\n", self.session.paint().dim(&line)));
        }
        for line in wrap(&clean(&self.doubt()), self.session.width()).iter().filter(|line| !line.is_empty()) {
            text.push_str(&format!("{}\n", self.session.paint().dim(line)));
        }
        text.push('\n');
        text
    }

    /// Where an intervention rests on the direction of arcs that data cannot tell.
    fn doubt(&self) -> String {
        let (findings, schema) = (self.evidence.findings(), self.schema());
        let set = |v: usize| matches!(findings[v], Finding::Set(_));
        let class = Pdag::complete(self.network.dag());
        let arcs: Vec<String> = class
            .undirected()
            .filter(|&(a, b)| set(a) || set(b))
            .map(|(a, b)| format!("{} - {}", schema.name(a), schema.name(b)))
            .collect();
        match arcs.as_slice() {
            [] => String::new(),
            arcs => format!("do() takes as drawn what data alone cannot direct: {}", arcs.join(", ")),
        }
    }

    /// One distribution with a bar for every state, and a further column if there is one.
    fn bars(&self, target: usize, chances: &[f64], more: Option<(&str, Vec<String>)>) -> String {
        const LONGEST: usize = 40;
        let variable = self.schema().variable(target);
        let name = clean(&variable.name).into_owned();
        let labels: Vec<String> = variable.states.iter().map(|s| clean(s).into_owned()).collect();
        let widest = labels.iter().map(|l| l.width()).chain([name.width()]).max().unwrap_or(0).min(30);
        let shown: Vec<String> = chances.iter().map(|&p| chance(p)).collect();
        let (title, further) = more.unwrap_or_default();
        let column = |texts: &[String], title: &str| {
            texts.iter().map(|t| t.width()).chain([title.width()]).max().unwrap_or(0)
        };
        let (first, second) = (column(&shown, ""), column(&further, title));
        let used = 2 + widest + 2 + first + if further.is_empty() { 0 } else { 2 + second } + 2;
        let length = self.session.width().saturating_sub(used).min(LONGEST);
        let paint = self.session.paint();
        let pad = |text: &str, width: usize| " ".repeat(width.saturating_sub(text.width()));
        let name = shortened(&name, widest);
        let mut text = paint.bold(&name);
        if !further.is_empty() {
            let gap = (2 + widest + 2 + first + 2 + second).saturating_sub(name.width() + title.width());
            text.push_str(&format!("{}{}", " ".repeat(gap), paint.dim(title)));
        }
        text.push('\n');
        for (k, label) in labels.iter().enumerate() {
            let label = shortened(label, widest);
            let mut line = format!("  {label}{}  {}{}", pad(&label, widest), pad(&shown[k], first), shown[k]);
            if let Some(further) = further.get(k) {
                line.push_str(&format!("  {}{}", pad(further, second), paint.dim(further)));
            }
            line.push_str(&format!("  {}", bar(chances[k], length)));
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text.push('\n');
        text
    }

    fn joint_table(&self, probabilities: &[f64]) -> String {
        /// More combinations than this are left to `--json`.
        const SHOWN: usize = 30;
        let combinations = self.combinations(probabilities);
        let mut order: Vec<usize> = (0..combinations.len()).collect();
        order.sort_by(|&a, &b| probabilities[b].total_cmp(&probabilities[a]).then(a.cmp(&b)));
        let names = self.targets.iter().map(|&t| (self.schema().name(t), Align::Left));
        let mut grid = Grid::new(names.chain([("probability", Align::Right)]));
        for &k in order.iter().take(SHOWN) {
            let Combination { states, probability } = &combinations[k];
            let probability = chance(*probability);
            grid.row(states.0.iter().map(|(_, state)| *state).chain([probability.as_str()]));
        }
        let mut text = format!("Together:\n\n{}", grid.render(self.session.width(), self.session.paint()));
        if order.len() > SHOWN {
            text.push_str(&format!("and {} more, see --json\n", grouped(order.len() - SHOWN)));
        }
        text
    }
}

/// A limit that was met comes with the way round it.
fn failure(error: clausality::bn::Error) -> Failure {
    match clausality::Error::from(error).into() {
        Failure::Limit(message) => Failure::Limit(format!("{message} (--samples N)")),
        other => other,
    }
}

/// A bar for a probability: whole blocks and an eighth at the end.
fn bar(p: f64, length: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (p * (8 * length) as f64).round() as usize;
    let thin = if eighths == 0 && p > 0.0 && length > 0 { "▏" } else { "" };
    format!("{}{}{thin}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

/// A probability that may be too small for a double.
fn tiny(p: Tiny) -> String {
    let value = p.value();
    if value > 0.0 {
        if value < 0.0001 { format!("{value:.3e}") } else { format!("{value:.6}") }
    } else {
        format!("e^{:.1}", p.ln())
    }
}
