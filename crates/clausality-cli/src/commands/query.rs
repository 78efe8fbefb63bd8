//! `clausality query`: what a network says about some nodes, given what is known or done.

use crate::args::table::{RowOptions, input};
use crate::args::{costs, findings};
use crate::failure::Failure;
use crate::files::networks::{model_of, read_structure};
use crate::session::{Progress, Session};
use crate::show;
use crate::text::{Align, Grid, chance, clean, grouped, percent, shortened, wrap};
use clap::Args;
use clausality::bn::effects::{Effects, MOST_MEMBERS, Spread};
use clausality::bn::infer::{Finding, Tiny};
use clausality::bn::{Schema, Variable};
use clausality::model::{Answer, Combination, DynamicModel, InTime, Informed, Loaded, Model, ModelError};
use clausality::model::{Now, Question, SeriesRows, Utility, Wanted};
use clausality::words::counted;
use std::path::{Path, PathBuf};
use unicode_width::UnicodeWidthStr;

/// Ask a network: posteriors, interventions, the most probable states
///
/// Names and states are written as they stand in the network. Where commas or = in them leave a doubt, put them in double
/// quotes: --given '"a, b"=yes'. A question too large for --memory-limit (384M by default) is refused; --samples then gives
/// an estimate with its standard error. In a network over time, Rain@0 or Rain is now, Rain@-1 one step ago and Sales@2 two steps
/// ahead; before the earliest step that is named, or that the network looks back to from now, the series has gone on for four times as long.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  clausality query @asia --target lung --given xray=yes,smoke=yes\n  \
    clausality query @asia --target dysp --do smoke=no --given asia=yes\n  \
    clausality query @asia --target lung --likely xray=yes:0.8,no:0.1\n  \
    clausality query @asia --mpe --given dysp=yes\n  \
    clausality query @asia --target lung --given dysp=yes --next --why --tornado\n  \
    clausality query churn-run --target Exited --given 'Age>=50,Geography=France|Spain'\n  \
    clausality query shop-run --target Sales@2 --given 'Rain@0=high,Rain@-1=high' --do 'Price@1=low'\n  \
    clausality query shop-run --rows shop.csv --entity 7 --target Leak@-3")]
pub(crate) struct QueryArgs {
    /// A network (.bif, .xmlbif, .xml, .net, .json, or with .gz), a run folder or @NAME
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// The nodes asked about
    #[arg(long, short, value_name = "X,Y,…", required_unless_present_any = ["mpe", "utility"])]
    target: Vec<String>,
    /// Nodes that were observed, with their states, several states (A=a|b) or a range (Age>=50)
    #[arg(long, short, value_name = "A=a,B=b")]
    given: Vec<String>,
    /// Nodes that are set from outside: the arcs into them are cut. Where nothing directs an arc at them, the answer is a band over the graphs that are equally good
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
    /// Estimate from this many weighted samples, at most 100,000,000, instead of answering exactly
    #[arg(long, value_name = "N", conflicts_with_all = ["mpe", "joint"])]
    samples: Option<usize>,
    /// What to ask next: what seeing each other node would tell of the target, in bits
    #[arg(long, conflicts_with_all = ["mpe", "samples"])]
    next: bool,
    /// What it costs to see nodes, others 1: COL=X,… or a CSV file with the columns node,cost
    #[arg(long, value_name = "FILE|COL=X,…", requires = "next")]
    cost: Vec<String>,
    /// What each finding did to the target, whatever their order; of 12 findings at most
    #[arg(long, conflicts_with_all = ["mpe", "samples"])]
    why: bool,
    /// How the target would move with each state of every other node
    #[arg(long, conflicts_with_all = ["mpe", "samples"])]
    tornado: bool,
    /// What an error in each number of the tables would do, and the smallest that turns the answer
    #[arg(long, conflicts_with_all = ["mpe", "samples"])]
    sensitivity: bool,
    /// What to do: a file (.csv, .json, .toml) of what states are worth and what actions cost
    #[arg(long, value_name = "FILE", conflicts_with_all = ["mpe", "samples"])]
    utility: Option<PathBuf>,
    /// Of a network over time: a table with the rows that are known; now is the last row of a series
    #[arg(long, value_name = "TABLE")]
    rows: Option<PathBuf>,
    /// The series meant, by what its entity column says
    #[arg(long, value_name = "NAME", requires = "rows")]
    entity: Option<String>,
    #[command(flatten)]
    reading: RowOptions,
}

pub(crate) fn run(args: QueryArgs, session: &Session) -> Result<(), Failure> {
    let utility = args.utility.as_deref().map(|path| Utility::read(path, &session.limits())).transpose()?;
    let (model, series) = match read_structure(&args.model, session)? {
        Loaded::Dynamic(dynamic) => args.over_time(dynamic, utility.as_ref(), session)?,
        other if args.rows.is_some() => {
            let file = other.source().to_string();
            return Err(clausality::Error::from(ModelError::NoTime { file }).into());
        }
        other => (model_of(other)?, None),
    };
    let targets = findings::nodes(model.network.schema(), &args.target)?;
    let (evidence, told) = findings::evidence(&model, &args.given, &args.set, &args.likely)?;
    told.iter().for_each(|notice| session.warn(notice));
    let known =
        |&&target: &&usize| !matches!(evidence.finding(target), Finding::Free | Finding::Likelihood(_));
    for &target in targets.iter().filter(known) {
        let name = model.network.schema().name(target);
        session.warn(format!("'{name}' is asked about and known at once: the answer repeats what was given, and learns nothing from the network"));
    }
    // What was given as several states or a range is no report, though the network is asked in the same way.
    let (given, _) = findings::evidence(&model, &args.given, &[], &[])?;
    let of_several =
        |(node, finding): (usize, &Finding)| matches!(finding, Finding::Likelihood(_)).then_some(node);
    let given = given.findings().iter().enumerate().filter_map(of_several).collect();
    let question = match &series {
        None => model.question(targets, evidence),
        Some(Series { dynamic, rows }) => {
            let track = rows.tracks.of(args.entity.as_deref())?;
            dynamic.question_after(rows, track, &model, targets, evidence)?
        }
    };
    let question = question.within(session.inference_bytes());
    let ask = Ask {
        model: &model,
        question,
        given,
        session,
        nothing_named: if args.mpe { "all nodes" } else { "what to do" },
    };
    match (args.mpe, args.samples) {
        (true, _) => ask.most_probable(),
        (false, Some(samples)) => ask.estimate(samples),
        (false, None) => ask.posterior(args.joint, &args.wanted(model.network.schema(), utility, session)?),
    }
}

impl QueryArgs {
    /// The files that it reads.
    pub(crate) fn inputs(&self) -> Vec<&Path> {
        [self.model.as_path()]
            .into_iter()
            .chain(self.utility.as_deref())
            .chain(self.rows.as_deref())
            .collect()
    }

    /// The steps of a network over time that are asked about, and the rows that are known of them.
    fn over_time(
        &self,
        dynamic: DynamicModel,
        utility: Option<&Utility>,
        session: &Session,
    ) -> Result<(Model, Option<Series>), Failure> {
        let texts = self.target.iter().chain(&self.given).chain(&self.set).chain(&self.likely);
        let steps = texts.flat_map(|text| DynamicModel::steps_named(text));
        let steps = steps.chain(utility.into_iter().flat_map(Utility::steps));
        let Some(table) = &self.rows else {
            return Ok((dynamic.around_with_past(steps, &session.limits())?, None));
        };
        let reading = self.reading.reading(session)?;
        let rows = dynamic.read_series(input(table), &reading, &InTime::default(), &session.bounds())?;
        rows.notices.iter().for_each(|notice| session.warn(notice));
        let track = rows.tracks.of(self.entity.as_deref())?;
        let QueryArgs { mpe, joint, next, why, tornado, sensitivity, .. } = *self;
        let around = match mpe || joint || next || why || tornado || sensitivity || utility.is_some() {
            true => dynamic.around_rows(&rows, track, steps, &session.limits())?,
            false => dynamic.around_with_past(steps, &session.limits())?,
        };
        Ok((around, Some(Series { dynamic, rows })))
    }

    fn wanted(
        &self,
        schema: &Schema,
        utility: Option<Utility>,
        session: &Session,
    ) -> Result<Wanted, Failure> {
        let limits = session.limits();
        let mut costs = vec![];
        for text in &self.cost {
            costs.extend(costs::costs(schema, text, &limits)?);
        }
        let QueryArgs { next, why, tornado, sensitivity, .. } = *self;
        Ok(Wanted { next, costs, why, tornado, sensitivity, utility, ..Wanted::default() })
    }
}

/// The rows that are known of a network over time.
struct Series {
    dynamic: DynamicModel,
    rows: SeriesRows,
}

struct Ask<'a> {
    model: &'a Model,
    question: Question<'a>,
    /// Nodes that are known to be in one of several states.
    given: Vec<usize>,
    session: &'a Session,
    /// What is asked about where no target is named.
    nothing_named: &'static str,
}

impl<'a> Ask<'a> {
    fn schema(&self) -> &'a Schema {
        self.model.network.schema()
    }

    fn posterior(&self, joint: bool, wanted: &Wanted) -> Result<(), Failure> {
        let informed = self.question.informed(joint, wanted);
        // Where more is wanted than an answer, samples are no way round a limit.
        let informed = if wanted.anything() { informed? } else { informed.map_err(failure)? };
        informed.notice().iter().for_each(|notice| self.session.warn(notice));
        if self.session.json {
            return self.session.print_json(&informed);
        }
        let Informed { answer: found, insight } = informed;
        let before = self.question.before();
        let mut text = self.heading(Some(found.seen), found.series.as_ref());
        if let Some(band) = &found.band {
            text.push_str(&self.rests_on(band));
        }
        if let Some(spread) = &found.spread {
            text.push_str(&self.again(spread));
        }
        text.push_str(&self.dim(found.caution.as_deref().unwrap_or_default()));
        for (k, &target) in self.question.targets().iter().enumerate() {
            let mut columns = vec![];
            if let Some(band) = found.band.as_ref().filter(|band| band.low[k] != band.high[k]) {
                columns.push(("from … to", band_texts(&band.low[k], &band.high[k])));
            }
            if let Some(spread) = &found.spread {
                columns.push(("again", band_texts(&spread.low[k], &spread.high[k])));
            }
            columns.extend(before.as_ref().map(|b| ("before", b[k].iter().map(|&p| chance(p)).collect())));
            text.push_str(&self.bars(target, &found.probabilities[k], &columns));
        }
        if let Some(combinations) = &found.joint {
            text.push_str(&self.joint_table(combinations));
        }
        text.push_str(&show::insight::tables(&insight, self.session.width(), self.session.paint()));
        self.session.print(&text)
    }

    fn estimate(&self, samples: usize) -> Result<(), Failure> {
        let found = self
            .question
            .estimate(samples, self.session.seed, &Progress::new(self.session))
            .map_err(failure)?;
        let effective = found.effective_samples.unwrap_or_default();
        if effective < 100.0 && !self.question.evidence().is_empty() {
            self.session.warn(format!(
                "the {} count only as much as {effective:.0} unweighted ones: draw more",
                counted(samples, "sample"),
            ));
        }
        let Answer { probabilities, errors, .. } = &found;
        if self.session.json {
            return self.session.print_json(&found);
        }
        let mut text = self.heading(Some(found.seen), found.series.as_ref());
        text.push_str(&self.dim(found.caution.as_deref().unwrap_or_default()));
        let note = format!(
            "estimated from {}, worth {} unweighted ones",
            counted(samples, "weighted sample"),
            grouped(effective.round() as usize)
        );
        text.push_str(&format!("{}\n\n", self.session.paint().dim(&note)));
        for (k, &target) in self.question.targets().iter().enumerate() {
            let errors = errors[k].iter().map(|&e| format!("± {}", chance(e))).collect();
            text.push_str(&self.bars(target, &probabilities[k], &[("error", errors)]));
        }
        self.session.print(&text)
    }

    fn most_probable(&self) -> Result<(), Failure> {
        let found = self.question.most_probable().map_err(failure)?;
        if self.session.json {
            return self.session.print_json(&found);
        }
        let mut text = self.heading(Some(found.seen), found.series.as_ref());
        text.push_str(&self.dim(found.caution.as_deref().unwrap_or_default()));
        let probability = found.together.map_or(String::new(), tiny);
        text.push_str(&format!("The most probable states together: probability {probability}\n\n"));
        let mut grid = Grid::new([("node", Align::Left), ("state", Align::Wrap), ("", Align::Left)]);
        let states = found.most_probable.iter().flat_map(|pairs| &pairs.0);
        for (&node, (name, state)) in found.nodes.iter().zip(states) {
            match self.question.evidence().finding(node) {
                Finding::Observed(_) => grid.dim_row([*name, *state, "given"]),
                Finding::Set(_) => grid.dim_row([*name, *state, "set"]),
                Finding::Free | Finding::Likelihood(_) => grid.row([*name, *state, ""]),
            }
        }
        text.push_str(&grid.render(self.session.width(), self.session.paint()));
        self.session.print(&text)
    }

    /// What was asked, and how probable the evidence is.
    fn heading(&self, probability: Option<Tiny>, series: Option<&Now>) -> String {
        let schema = self.schema();
        let mut known = vec![];
        for (node, finding) in self.question.evidence().findings().iter().enumerate() {
            let variable = schema.variable(node);
            let state = |code: u8| format!("{}={}", variable.name, variable.states[usize::from(code)]);
            match finding {
                Finding::Free => {}
                Finding::Observed(code) => known.push(state(*code)),
                Finding::Set(code) => known.push(format!("do({})", state(*code))),
                Finding::Likelihood(shares) if self.given.contains(&node) => {
                    known.push(format!("{} in {}", variable.name, among(variable, shares)))
                }
                Finding::Likelihood(_) => known.push(format!("a report about {}", variable.name)),
            }
        }
        let given = if known.is_empty() { String::new() } else { format!(" given {}", known.join(", ")) };
        let names: Vec<&str> = self.question.targets().iter().map(|&t| schema.name(t)).collect();
        let asked = match names.as_slice() {
            [] => self.nothing_named.to_string(),
            names => names.join(", "),
        };
        let after = series.map_or(String::new(), |series| {
            let whose =
                if series.entity.is_empty() { String::new() } else { format!("'{}' in ", series.entity) };
            format!(" after {} of {whose}{}, now {}", counted(series.steps, "step"), series.table, series.now)
        });
        let line = format!("{}: {asked}{given}{after}", self.model.source);
        let mut text = String::new();
        for line in wrap(&clean(&line), self.session.width()) {
            text.push_str(&self.session.paint().bold(&line));
            text.push('\n');
        }
        let findings = self.question.evidence().findings();
        let seen = findings.iter().any(|f| matches!(f, Finding::Observed(_) | Finding::Likelihood(_)));
        if let (Some(probability), true) = (probability, seen) {
            let line = match series {
                None => format!("the evidence has probability {}", tiny(probability)),
                Some(_) => format!("given the rows, the evidence has probability {}", tiny(probability)),
            };
            let report = |(node, f): (usize, &Finding)| match f {
                Finding::Likelihood(shares) => {
                    !self.given.contains(&node) || shares.iter().any(|s| s.fract() > 0.0)
                }
                _ => false,
            };
            let scaled = findings.iter().enumerate().any(report);
            let line = line + if scaled { " (largest likelihood taken as 1)" } else { "" };
            text.push_str(&format!("{}\n", self.session.paint().dim(&line)));
        }
        text.push('\n');
        text
    }

    /// A remark in dim letters and a line after it; nothing where there is none.
    fn dim(&self, remark: &str) -> String {
        if remark.is_empty() {
            return String::new();
        }
        let lines = wrap(&clean(remark), self.session.width());
        let lines: Vec<String> = lines.iter().map(|line| self.session.paint().dim(line)).collect();
        format!("{}\n\n", lines.join("\n"))
    }

    /// What the band of an effect rests on.
    fn rests_on(&self, band: &Effects) -> String {
        let schema = self.schema();
        let arcs: Vec<String> =
            band.open.iter().map(|&(a, b)| format!("{} - {}", schema.name(a), schema.name(b))).collect();
        let mut remark = match arcs.as_slice() {
            [] => String::new(),
            arcs => format!(
                "from … to: over {} that are equally good, told apart by the arcs at what is done; nothing in the data or the rules directs {}",
                counted(band.members, "graph"),
                arcs.join(", ")
            ),
        };
        if !band.whole {
            remark.push_str(&format!(
                "{}there are more such ways than the {} looked at: the band is at least this wide",
                if remark.is_empty() { "" } else { "; " },
                grouped(MOST_MEMBERS)
            ));
        }
        self.dim(&remark)
    }

    /// What the band over graphs learned again is.
    fn again(&self, spread: &Spread) -> String {
        self.dim(&format!(
            "again: what the rows leave open; 99 of 100 answers of {} learned from rows drawn anew, each over its equally good graphs, with tables drawn {}",
            counted(spread.graphs, "graph"),
            counted(spread.draws, "time")
        ))
    }

    /// One distribution with a bar for every state, and further columns if there are any.
    fn bars(&self, target: usize, chances: &[f64], more: &[(&str, Vec<String>)]) -> String {
        const LONGEST: usize = 40;
        let variable = self.schema().variable(target);
        let name = clean(&variable.name).into_owned();
        let labels: Vec<String> = variable.states.iter().map(|s| clean(s).into_owned()).collect();
        let widest = labels.iter().map(|l| l.width()).chain([name.width()]).max().unwrap_or(0).min(30);
        let shown: Vec<String> = chances.iter().map(|&p| chance(p)).collect();
        let column = |texts: &[String], title: &str| {
            texts.iter().map(|t| t.width()).chain([title.width()]).max().unwrap_or(0)
        };
        let first = column(&shown, "");
        let widths: Vec<usize> = more.iter().map(|(title, texts)| column(texts, title)).collect();
        let used = 2 + widest + 2 + first + widths.iter().map(|w| 2 + w).sum::<usize>() + 2;
        let length = self.session.width().saturating_sub(used).min(LONGEST);
        let paint = self.session.paint();
        let pad = |text: &str, width: usize| " ".repeat(width.saturating_sub(text.width()));
        let name = shortened(&name, widest);
        let mut text = paint.bold(&name);
        let mut gap = (2 + widest + 2 + first).saturating_sub(name.width());
        for ((title, _), width) in more.iter().zip(&widths) {
            gap += (2 + width).saturating_sub(title.width());
            text.push_str(&format!("{}{}", " ".repeat(gap), paint.dim(title)));
            gap = 0;
        }
        text.push('\n');
        for (k, label) in labels.iter().enumerate() {
            let label = shortened(label, widest);
            let mut line = format!("  {label}{}  {}{}", pad(&label, widest), pad(&shown[k], first), shown[k]);
            for ((_, texts), width) in more.iter().zip(&widths) {
                line.push_str(&format!("  {}{}", pad(&texts[k], *width), paint.dim(&texts[k])));
            }
            line.push_str(&format!("  {}", bar(chances[k], length)));
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text.push('\n');
        text
    }

    fn joint_table(&self, combinations: &[Combination<'_>]) -> String {
        /// More combinations than this are left to `--json`.
        const SHOWN: usize = 30;
        let mut order: Vec<&Combination<'_>> = combinations.iter().collect();
        // Equals stay in their order.
        order.sort_by(|a, b| b.probability.total_cmp(&a.probability));
        let names = self.question.targets().iter().map(|&t| (self.schema().name(t), Align::Left));
        let mut grid = Grid::new(names.chain([("probability", Align::Right)]));
        for Combination { states, probability } in order.iter().take(SHOWN) {
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

/// `from … to` for every state.
fn band_texts(low: &[f64], high: &[f64]) -> Vec<String> {
    low.iter().zip(high).map(|(&low, &high)| format!("{} … {}", chance(low), chance(high))).collect()
}

/// The states that are meant, with the share of those of which only a part is: about that, for no more is known than hundredths or a width.
fn among(variable: &Variable, shares: &[f64]) -> String {
    let meant = variable.states.iter().zip(shares).filter(|(_, share)| **share > 0.0);
    let named = meant.map(|(label, &share)| match share {
        1.0 => label.clone(),
        part => format!("{label} (about {} of it)", percent(part)),
    });
    format!("[{}]", named.collect::<Vec<_>>().join(" | "))
}

/// A limit that was met comes with the way round it.
fn failure(error: clausality::Error) -> Failure {
    match error.into() {
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
