//! A column that says what others say, in words.

use crate::error::Advice;
use crate::words::{counted, grouped, is, percent, quoted};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How a column repeats others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    /// Each of its values goes with one value of the other, and the other way round.
    Copy,
    /// The same in nearly all rows.
    NearCopy,
    /// The other column determines it.
    Function,
    /// A multiple of another column of numbers, or shifted.
    Line,
    /// A weighted sum of others: a total, a difference, a mean, an index.
    Sum,
    /// The product or ratio of two others.
    Product,
    /// The largest or smallest of others.
    Extreme,
    /// Whether it has a value at all tells what is to be inferred.
    Presence,
}

/// How many rows of a state of what is to be inferred have a value in another column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Filled {
    /// The state.
    pub state: String,
    /// Its rows with a value.
    pub filled: usize,
    /// Its rows.
    pub rows: usize,
}

impl Filled {
    fn share(&self) -> f64 {
        self.filled as f64 / self.rows.max(1) as f64
    }
}

/// A column that repeats others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Twin {
    /// The column.
    pub name: String,
    /// The columns that it repeats.
    pub of: Vec<String>,
    /// How.
    pub relation: Relation,
    /// The same as a formula, of numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formula: Option<String>,
    /// The rows in which it does.
    pub agree: usize,
    /// The rows in which all have a value.
    pub rows: usize,
    /// All rows, where less than half of them have a value in all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub among: Option<usize>,
    /// The column that one would leave out.
    pub leave_out: String,
    /// Whether one of them is what is to be inferred.
    #[serde(default)]
    pub answer: bool,
    /// Where its presence tells the answer: the state in which it is filled most often, and the one in which it is least.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filled: Option<[Filled; 2]>,
    /// Whether what it follows from seems to say whose the rows are.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub key: bool,
    /// Where it repeats a part of a date: the date's column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
}

impl Twin {
    pub(in crate::data) fn new(
        name: &str,
        of: &[&(impl AsRef<str> + ?Sized)],
        relation: Relation,
        agree: usize,
        rows: usize,
    ) -> Self {
        let of = of.iter().map(|name| name.as_ref().to_string()).collect();
        let (name, leave_out) = (name.to_string(), name.to_string());
        let (formula, among, filled, date) = (None, None, None, None);
        let (answer, key) = (false, false);
        Twin { name, of, relation, formula, agree, rows, among, leave_out, answer, filled, key, date }
    }

    pub(in crate::data) fn saying(self, formula: String) -> Self {
        Twin { formula: Some(formula), ..self }
    }

    /// Remembers that most of so many rows say nothing about it.
    pub(in crate::data) fn tell_of_gaps(&mut self, all: usize) {
        self.among = Some(all).filter(|&all| 2 * self.rows < all);
    }

    /// The same where some columns are to be inferred: these stay, what gives them away goes.
    pub(crate) fn before(&self, is_answer: impl Fn(&str) -> bool) -> Self {
        let stays = self.date.is_some() || self.key && !is_answer(&self.of[0]);
        let leave_out = if stays { &self.leave_out } else { &self.name };
        let mut twin = Twin { leave_out: leave_out.clone(), ..self.clone() };
        twin.answer = self.columns().any(&is_answer);
        if is_answer(&self.name) {
            let other = self.of.iter().find(|name| !is_answer(name)).unwrap_or(&self.of[0]);
            twin.leave_out = self.date.as_ref().unwrap_or(other).clone();
            if self.is_copy() {
                (twin.name, twin.of) = (self.of[0].clone(), vec![self.name.clone()]);
            }
        }
        twin
    }

    /// A column of which the mere presence of a value tells the answer.
    pub(crate) fn present(name: &str, answer: &str, agree: usize, rows: usize, filled: [Filled; 2]) -> Self {
        let twin = Twin::new(name, &[answer], Relation::Presence, agree, rows);
        Twin { answer: true, filled: Some(filled), ..twin }
    }

    /// Whether one column stands for the other.
    pub fn is_copy(&self) -> bool {
        matches!(self.relation, Relation::Copy | Relation::NearCopy | Relation::Line)
    }

    fn is_made_of_others(&self) -> bool {
        matches!(self.relation, Relation::Sum | Relation::Product | Relation::Extreme)
    }

    /// All columns of the tie.
    pub(in crate::data) fn columns(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.name).chain(&self.of).map(String::as_str)
    }

    /// What is so, in a sentence without its full stop.
    pub fn sentence(&self) -> String {
        if let Some(told) = self.presence(&[&self.name]) {
            return told;
        }
        let Twin { name, of, agree, rows, .. } = self;
        let all = agree == rows;
        let all_of_them = if of.len() > 1 { "all" } else { "both" };
        let judged = match self.among {
            Some(among) => format!(
                "{} that have {all_of_them} (the table has {})",
                counted(*rows, "row"),
                grouped(among)
            ),
            None => counted(*rows, "row"),
        };
        let those = match all {
            true => format!("all {judged}"),
            false => format!("{} of {judged}", grouped(*agree)),
        };
        let what = match (&self.formula, self.relation) {
            (Some(formula), _) => format!("{formula} in {those}"),
            (None, _) if self.answer && self.is_copy() => {
                return format!("{name} looks like the answer itself: {those} agree with {}", of[0]);
            }
            (None, Relation::NearCopy) => {
                return format!("{name} is nearly a copy of {}: {those} agree", of[0]);
            }
            (None, Relation::Function) => format!("{name} follows from {} in {those}", of[0]),
            (None, _) => return format!("{name} says the same as {}: {those} agree", of[0]),
        };
        if self.answer { format!("{what}, which gives the answer away") } else { what }
    }

    /// What many columns have in common that are like this one.
    fn in_common(&self) -> &'static str {
        match self.relation {
            Relation::Presence => {
                "have values where the answer is a certain one, and may be known only afterwards"
            }
            _ if self.answer && self.is_copy() => "look like the answer itself",
            _ if self.answer => "give the answer away",
            _ if self.key => "follow from whose the rows are",
            Relation::Copy => "say the same as others",
            Relation::NearCopy => "are nearly copies of others",
            Relation::Function if self.leave_out == self.of[0] => "tell what others say",
            Relation::Function => "follow from others",
            Relation::Line | Relation::Sum | Relation::Product | Relation::Extreme => "are made of others",
        }
    }

    /// That these columns, which miss together if they are several, have values where the answer is a certain one.
    fn presence(&self, names: &[&str]) -> Option<String> {
        let [most, least] = self.filled.as_ref()?;
        let have = if names.len() == 1 { "has" } else { "have" };
        let (answer, names) = (&self.of[0], quoted(names, NAMED));
        Some(format!(
            "{names} {have} a value in {} of the rows where {}, in {} where {}: known only afterwards?",
            percent(most.share()),
            is(answer, &most.state),
            percent(least.share()),
            is(answer, &least.state)
        ))
    }

    /// The setting that leaves the column out.
    pub fn advice(&self) -> Advice {
        if self.key && self.leave_out == self.of[0] {
            return Advice::new("entity", &self.leave_out);
        }
        Advice::new("type", format!("{}=ignore", self.leave_out))
    }
}

/// Columns that are named of several.
const NAMED: usize = 6;

/// A line about columns that say too much, and the settings that leave them out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// What is so, and what could be done.
    pub text: String,
    /// The settings that do it; none where another line's do.
    pub advice: Vec<Advice>,
}

/// Twins as lines for a reader: columns whose presence tells the same answer are one line, and each column is advised to be left out once.
pub fn told(twins: &[Twin]) -> Vec<Told> {
    let mut lines: Vec<Told> = Vec::new();
    // The line that advises to leave a column out is the one about that column, if there is one.
    let own = |name: &str| twins.iter().position(|twin| twin.leave_out == name && twin.name == name);
    let first = |name: &str| twins.iter().position(|twin| twin.leave_out == name);
    for (place, twin) in twins.iter().enumerate() {
        if let Some(filled) = &twin.filled {
            let alike = |other: &&Twin| other.of == twin.of && other.filled.as_ref() == Some(filled);
            if twins[..place].iter().any(|earlier| alike(&earlier)) {
                continue;
            }
            let same: Vec<&Twin> = twins[place..].iter().filter(alike).collect();
            let names: Vec<&str> = same.iter().map(|twin| twin.name.as_str()).collect();
            let (sentence, it) =
                (twin.presence(&names).unwrap_or_default(), if names.len() == 1 { "it" } else { "them" });
            let advice = same.iter().map(|twin| twin.advice()).collect();
            lines.push(Told { text: format!("{sentence} Then leave {it} out:"), advice });
            continue;
        }
        if twin.key && twin.leave_out == twin.of[0] {
            let alike = |other: &&Twin| other.key && other.leave_out == twin.leave_out;
            if !twins[..place].iter().any(|earlier| alike(&earlier)) {
                let names: Vec<&str> = twins.iter().filter(alike).map(|twin| twin.name.as_str()).collect();
                let (verb, key) = (if names.len() == 1 { "follows" } else { "follow" }, &twin.leave_out);
                let text = format!(
                    "{} {verb} from {key}, which seems to say whose the rows are. Then say so: it is no variable, and rows of one stay together where predictions are judged:",
                    quoted(&names, NAMED)
                );
                lines.push(Told { text, advice: vec![twin.advice()] });
            }
            continue;
        }
        let (sentence, out) = (twin.sentence(), &twin.leave_out);
        lines.push(match own(out).or_else(|| first(out)) == Some(place) {
            true if *out == twin.name => {
                Told { text: format!("{sentence}. Leave it out?"), advice: vec![twin.advice()] }
            }
            true => Told { text: format!("{sentence}. Leave '{out}' out?"), advice: vec![twin.advice()] },
            false => Told { text: format!("{sentence}. Leaving out '{out}' settles it"), advice: vec![] },
        });
    }
    lines
}

/// Lines of one kind that are told one by one.
const MANY: usize = 4;

/// The same where room is short: a kind with many lines is one line with a count, and names the first few.
pub fn told_briefly(twins: &[Twin]) -> Vec<Told> {
    let mut many: Vec<(&str, Vec<Twin>)> = Vec::new();
    for twin in twins {
        let kind = twin.in_common();
        match many.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, alike)) => alike.push(twin.clone()),
            None => many.push((kind, vec![twin.clone()])),
        }
    }
    many.retain(|(_, alike)| told(alike).len() > MANY);
    let one_by_one = |twin: &&Twin| many.iter().all(|(kind, _)| *kind != twin.in_common());
    let few: Vec<Twin> = twins.iter().filter(one_by_one).cloned().collect();
    let mut lines = told(&few);
    lines.extend(many.iter().map(|(kind, alike)| gathered(kind, alike)));
    lines
}

/// Many columns that have something in common, each once, with those that it repeats.
fn gathered(in_common: &str, twins: &[Twin]) -> Told {
    let mut out: Vec<(&str, Vec<&str>)> = Vec::new();
    for twin in twins {
        let others = || twin.columns().filter(|name| *name != twin.leave_out);
        let whys: Vec<&str> =
            twin.formula.as_deref().map_or_else(|| others().collect(), |formula| vec![formula]);
        match out.iter_mut().find(|(name, _)| *name == twin.leave_out) {
            None => out.push((&twin.leave_out, whys)),
            // A score tells all of its answers.
            Some((_, known)) if twin.formula.is_none() => {
                let more: Vec<&str> = whys.into_iter().filter(|why| !known.contains(why)).collect();
                known.extend(more);
            }
            Some(_) => {}
        }
    }
    let mut named: Vec<String> =
        out.iter().take(NAMED).map(|(name, whys)| format!("{name} ({})", whys.join(", "))).collect();
    if out.len() > NAMED {
        named.push(format!("and {} more", grouped(out.len() - NAMED)));
    }
    let (count, named) = (counted(out.len(), "column"), named.join(", "));
    let advice = vec![Advice::new("type", "NAME=ignore")];
    Told { text: format!("{count} {in_common}: {named}. Leave them out?"), advice }
}

/// Chooses what to leave out: as few columns as break every tie, and none that the others do not tell.
///
/// What gives an answer away goes; of copies the later one. A total goes before its parts, and with it what follows from it: a part
/// that the total determines (because the other part is mostly 0) is no tie any more.
pub(in crate::data) fn settle(twins: &mut [Twin]) {
    let mut broken: BTreeSet<String> = twins
        .iter()
        .filter(|twin| twin.answer && !twin.is_made_of_others())
        .map(|t| t.leave_out.clone())
        .collect();
    // What is made of a column that is made of others itself is still made of those when that one is gone.
    let mut made: BTreeSet<String> = BTreeSet::new();
    for twin in twins.iter_mut().filter(|twin| twin.is_made_of_others()) {
        let breaks = |name: &&str| broken.contains(*name) && (*name == twin.name || !made.contains(*name));
        let out = twin.columns().find(breaks).map(str::to_string);
        if let Some(out) = out {
            twin.leave_out = out;
        }
        broken.insert(twin.leave_out.clone());
        if twin.leave_out == twin.name {
            made.insert(twin.name.clone());
        }
    }
    for place in 0..twins.len() {
        let twin = &twins[place];
        if twin.relation != Relation::Function || twin.answer {
            continue;
        }
        // Two columns of which each determines the other: one is enough.
        let back = twins[..place].iter().any(|other| {
            other.relation == Relation::Function && other.leave_out == twin.of[0] && other.of[0] == twin.name
        });
        if broken.contains(&twin.of[0]) || back {
            twins[place].leave_out = twin.of[0].clone();
        }
    }
}
