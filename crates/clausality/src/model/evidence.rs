//! Nodes, states and evidence by name. Where a network keeps the coding of its table, a value will do for a state (`51` for the
//! interval it lies in); what can be read as a label is one.

use super::Model;
use crate::Error;
use crate::data::{Coding, truth};
use crate::names::{closest, meant};
use crate::words;
use clausality_bn::dynamic::Lagged;
use clausality_bn::infer::Evidence;
use clausality_bn::{Scale, Schema, Variable};
use thiserror::Error as ThisError;

/// A name or a value that a network does not know, or findings that it says cannot be.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
#[non_exhaustive]
pub enum NameError {
    /// No such node.
    #[error("the network has no node '{name}'{}", meant(.close.as_deref()))]
    Node {
        /// The name.
        name: String,
        /// A node whose name is close.
        close: Option<String>,
    },
    /// A node of a network over time at what is no step.
    #[error(
        "'{name}' names no step: steps are whole numbers, such as {process}@1 (one step ahead) or {process}@-1 (one ago)"
    )]
    Step {
        /// The name.
        name: String,
        /// The name without what follows its `@`.
        process: String,
    },
    /// Findings that cannot be together.
    #[error("evidence has probability 0: {0}")]
    Contradiction(String),
    /// A node asked for twice.
    #[error("node '{0}' is asked for twice")]
    Twice(String),
    /// No such state.
    #[error("node '{node}' has no state '{state}'{hint}")]
    State {
        /// The node.
        node: String,
        /// The text that is none of its states.
        state: String,
        /// What may have been meant.
        hint: String,
    },
    /// A range over states without an order.
    #[error(
        "the states of '{node}' have no order, so '{range}' takes in none; ask with one, or with several and | between them: {states}"
    )]
    Unordered {
        /// The node.
        node: String,
        /// The range.
        range: String,
        /// Some of its states.
        states: String,
    },
    /// A range in which nothing lies.
    #[error("node '{node}': nothing that is known of it lies in '{range}'; it has {states}")]
    Beyond {
        /// The node.
        node: String,
        /// The range, or several that exclude each other.
        range: String,
        /// Some of its states.
        states: String,
    },
    /// Several states where a node is set to one.
    #[error("node '{node}' can be set to one state only, and '{text}' may be several; it has {states}")]
    Several {
        /// The node.
        node: String,
        /// What was to be set.
        text: String,
        /// Some of its states.
        states: String,
    },
    /// A value where only states are known.
    #[error(
        "node '{node}' has the states {states}; this model file keeps no cut points: ask with a state, or ask the run folder"
    )]
    NoCuts {
        /// The node.
        node: String,
        /// Some of its states.
        states: String,
    },
}

/// A node by its name, if there is one; where nodes have steps, `Rain` is `Rain@0`.
pub fn known(schema: &Schema, name: &str) -> Option<usize> {
    let now = || schema.index(&Lagged::at(name, 0).to_string());
    schema.index(name).or_else(|| Lagged::parse(name).step.map_or_else(now, |_| None))
}

/// A node by its name.
///
/// # Errors
/// [`NameError::Node`], with the name that may have been meant; [`NameError::Step`].
pub fn node(schema: &Schema, name: &str) -> Result<usize, NameError> {
    known(schema, name).ok_or_else(|| {
        let names = || schema.variables().iter().map(|v| v.name.as_str());
        if let Some((process, step)) = name.rsplit_once('@')
            && Lagged::parse(name).step.is_none()
            && step.parse::<f64>().is_ok()
            && names().map(Lagged::parse).any(|at| at.step.is_some() && at.name == process)
        {
            return NameError::Step { name: name.to_string(), process: process.to_string() };
        }
        // A date is there as its parts: 'time month', 'time hour'.
        let is_part = |part: &&str| part.strip_prefix(name).is_some_and(|rest| rest.starts_with(' '));
        let parts: Vec<&str> = names().filter(is_part).collect();
        let close = match parts.is_empty() {
            true => closest(name, names()).map(String::from),
            false => Some(parts.join("' or '")),
        };
        NameError::Node { name: name.to_string(), close }
    })
}

/// A state by its label, or by a value that the coding knows the state of; of a part of a date also as people say it (`14`, `march`).
pub fn state(variable: &Variable, coding: Option<&Coding>, text: &str) -> Option<u8> {
    let by_value = |coding: &Coding| coding.state(&variable.name, text);
    let spoken = |coding: &Coding| coding.spoken(&variable.name, text);
    let truth = || truth(&variable.states, text.as_bytes()).map(|place| place as u8);
    let known = || coding.and_then(by_value).or_else(|| coding.and_then(spoken));
    variable.code(text).or_else(known).or_else(truth)
}

/// The state that a value without one of its own shares with others. What is close to a label may be a slip of the pen, and is none.
fn shared(variable: &Variable, coding: Option<&Coding>, text: &str) -> Option<u8> {
    let label = coding?.shared_state(&variable.name)?;
    let odd = text.is_empty() || text.contains(['|', '<', '>', '=', '≤', '≥', '≠']) || text.contains("..");
    if odd || mistyped(variable, text).is_some() { None } else { variable.code(label) }
}

/// The label that a text mistypes, where values without a state of their own are values too: the closest of those it may be a slip of the pen for.
fn mistyped<'v>(variable: &'v Variable, text: &str) -> Option<&'v str> {
    closest(text, variable.states.iter().map(String::as_str).filter(|label| may_be_slip(text, label)))
}

/// Whether a text that is close to a label is more likely that label than another value. Short words and codes are close to each other by nature: WY is not
/// NY, E3 not A3 and C101 not C100. What differs in nothing but case is the same word.
fn may_be_slip(text: &str, label: &str) -> bool {
    /// Of words of no more letters one in a few is another word with one letter changed.
    const SHORT: usize = 3;
    let digits = |word: &str| -> String { word.chars().filter(char::is_ascii_digit).collect() };
    let letters = |word: &str| word.chars().filter(|c| c.is_alphabetic()).count();
    text.to_lowercase() == label.to_lowercase()
        || digits(text) == digits(label) && letters(text).min(letters(label)) > SHORT
}

/// Why a text is no state of a node.
pub fn no_state(variable: &Variable, coding: Option<&Coding>, text: &str) -> NameError {
    let node = variable.name.clone();
    // Of several the first that is none.
    let unknown = |part: &&str| said(variable, coding, part).is_none();
    if let Some(part) = text.split('|').map(str::trim).filter(|part| *part != text).find(unknown) {
        return no_state(variable, coding, part);
    }
    if let Some((_, bound)) = sign_and_bound(text) {
        let (range, states) = (text.to_string(), listed(variable));
        let in_numbers = Span::of(variable).iter().any(Option::is_some);
        return match (variable.scale, bound.parse::<f64>()) {
            (_, Ok(_)) if in_numbers => NameError::Beyond { node, range, states },
            (Scale::Ordered, _) if variable.code(bound).is_some() => {
                NameError::Beyond { node, range, states }
            }
            (Scale::Ordered, _) => no_state(variable, coding, bound),
            _ => NameError::Unordered { node, range, states },
        };
    }
    if let Some(other) = text.strip_prefix("!=").or_else(|| text.strip_prefix('≠')) {
        return no_state(variable, coding, other.trim());
    }
    if text.contains("..") && Span::of(variable).iter().any(Option::is_some) {
        return NameError::Beyond { node, range: text.to_string(), states: listed(variable) };
    }
    if coding.is_none() && text.parse::<f64>().is_ok() && has_intervals(variable) {
        return NameError::NoCuts { node, states: listed(variable) };
    }
    let shared = coding.and_then(|coding| coding.shared_state(&variable.name));
    let near = match shared {
        Some(_) => mistyped(variable, text),
        None => closest(text, variable.states.iter().map(String::as_str)),
    };
    let hint = match (near, shared) {
        // Named instead of a few of what may be a hundred states.
        (_, Some(shared)) => {
            let before = near.map_or(";".to_string(), |_| meant(near));
            format!("{before} values without a state of their own share the state '{shared}'")
        }
        (Some(_), None) => meant(near),
        (None, None) => format!("; it has {}", listed(variable)),
    };
    let ends =
        text.split_once('-').or_else(|| text.split_once(" to ")).map(|(low, high)| (low.trim(), high.trim()));
    let hint = match ends {
        Some((low, high)) if low.parse::<f64>().is_ok() && high.parse::<f64>().is_ok() => {
            format!("{hint}; a range is written {node}={low}..{high}, or {node}>={low},{node}<{high}")
        }
        _ => hint,
    };
    NameError::State { node, state: text.to_string(), hint }
}

/// Why a node cannot be set to what a text says.
pub fn not_one(variable: &Variable, coding: Option<&Coding>, text: &str) -> NameError {
    match said(variable, coding, text) {
        Some(_) => NameError::Several {
            node: variable.name.clone(),
            text: text.to_string(),
            states: listed(variable),
        },
        None => no_state(variable, coding, text),
    }
}

/// What a text says of a node.
#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    /// It is in this state.
    State(u8),
    /// It is in one of several: for each of its states the share of it that is meant.
    Among(Vec<f64>),
}

/// What is said of nodes, each range of a node (`age>=10`, `age<20`) narrowing what those before it left: of a state that both cut, what lies
/// above the one and below the other, or the smaller part of two that are open to the same side.
///
/// # Errors
/// Ranges of one node that exclude each other.
pub fn narrowed(
    schema: &Schema,
    found: impl IntoIterator<Item = (usize, Said)>,
) -> Result<Vec<(usize, Said)>, NameError> {
    let mut all: Vec<(usize, Said)> = Vec::new();
    for (node, said) in found {
        let earlier = all.iter_mut().find_map(|(other, said)| match said {
            Said::Among(shares) if *other == node => Some(shares),
            _ => None,
        });
        let (Some(shares), Said::Among(more)) = (earlier, &said) else {
            all.push((node, said));
            continue;
        };
        let rises = |shares: &[f64]| shares.is_sorted();
        let same_side = rises(shares) == rises(more);
        shares.iter_mut().zip(more).for_each(|(share, &more)| {
            *share = if same_side { share.min(more) } else { (*share + more - 1.0).max(0.0) };
        });
        if shares.iter().all(|&share| share == 0.0) {
            let (node, states) = (schema.name(node).to_string(), listed(schema.variable(node)));
            return Err(NameError::Beyond { node, range: "all of that together".into(), states });
        }
    }
    Ok(all)
}

/// What a text says of a node: a state or a value, several with `|` between them, a range (`>=50`, `<30`, `30..50` with both ends in), or
/// what it is not (`!=White`). What can be read as a label is one.
///
/// A range takes states whose numbers all lie in it, and of a state that it cuts the part that its rows fill, as far as the coding knows that;
/// else the part of its width, and a state without an end (`>= 76`) in whole. Levels in order are compared by their order.
pub fn said(variable: &Variable, coding: Option<&Coding>, text: &str) -> Option<Said> {
    if let Some(code) = state(variable, coding, text) {
        return Some(Said::State(code));
    }
    if let Some(shares) = range(variable, coding, text).or_else(|| between(variable, coding, text)) {
        return Some(Said::Among(shares));
    }
    if let Some(other) = text.strip_prefix("!=").or_else(|| text.strip_prefix('≠')) {
        let shares = match said(variable, coding, other.trim())? {
            Said::State(code) => {
                (0..variable.cardinality()).map(|s| f64::from(s != usize::from(code))).collect()
            }
            Said::Among(shares) => shares.iter().map(|share| 1.0 - share).collect(),
        };
        return among_values(variable, shares).map(Said::Among);
    }
    let parts: Vec<&str> = text.split('|').map(str::trim).collect();
    if parts.len() < 2 {
        return shared(variable, coding, text).map(Said::State);
    }
    let mut shares = vec![0.0; variable.cardinality()];
    for part in parts {
        match said(variable, coding, part)? {
            Said::State(code) => shares[usize::from(code)] = 1.0,
            Said::Among(more) => {
                shares.iter_mut().zip(more).for_each(|(share, more)| *share = more.max(*share))
            }
        }
    }
    Some(Said::Among(shares))
}

/// The share of each state that lies in a range; nothing if the text is none, or no state lies in it.
fn range(variable: &Variable, coding: Option<&Coding>, text: &str) -> Option<Vec<f64>> {
    let (sign, bound) = sign_and_bound(text)?;
    if let Some(shares) = coding.and_then(|coding| coding.calendar_shares(&variable.name, sign, bound)) {
        return Some(shares);
    }
    let keeps = |order: std::cmp::Ordering| match sign {
        "<=" => order.is_le(),
        ">=" => order.is_ge(),
        "<" => order.is_lt(),
        _ => order.is_gt(),
    };
    let values = variable.cardinality() - usize::from(variable.has_missing_state);
    let shares: Vec<f64> = match (variable.scale, variable.code(bound)) {
        (Scale::Ordered, Some(level)) if bound.parse::<f64>().is_err() => {
            let place = usize::from(level);
            (0..variable.cardinality())
                .map(|code| f64::from(u8::from(code < values && keeps(code.cmp(&place)))))
                .collect()
        }
        _ => {
            let bound: f64 = bound.parse().ok().filter(|bound: &f64| bound.is_finite())?;
            if let Some(mut shares) = coding.and_then(|coding| coding.shares(&variable.name, sign, bound)) {
                shares.resize(variable.cardinality(), 0.0);
                return shares.iter().any(|&share| share > 0.0).then_some(shares);
            }
            let spans = Span::of(variable);
            spans.iter().map(|span| span.as_ref().map_or(0.0, |span| span.share(sign, bound))).collect()
        }
    };
    shares.iter().any(|&share| share > 0.0).then_some(shares)
}

/// A range between two numbers or levels, both of them in it: `30..50`; of states that come round again also over their end: `Nov..Feb`.
fn between(variable: &Variable, coding: Option<&Coding>, text: &str) -> Option<Vec<f64>> {
    let (low, high) = text.split_once("..").map(|(low, high)| (low.trim(), high.trim()))?;
    if let Some(shares) = coding.and_then(|coding| coding.round_shares(&variable.name, low, high)) {
        return Some(shares);
    }
    if let (Scale::Circular, Some(from), Some(to)) = (variable.scale, variable.code(low), variable.code(high))
    {
        let inside =
            |code: u8| if from <= to { (from..=to).contains(&code) } else { code >= from || code <= to };
        let shares = (0..=u8::MAX).take(variable.cardinality()).map(|code| f64::from(u8::from(inside(code))));
        return among_values(variable, shares.collect());
    }
    let above = range(variable, coding, &format!(">={low}"))?;
    let below = range(variable, coding, &format!("<={high}"))?;
    among_values(
        variable,
        above.iter().zip(below).map(|(above, below)| (above + below - 1.0).max(0.0)).collect(),
    )
}

/// Shares of states of which none is a gap; nothing if nothing is left.
fn among_values(variable: &Variable, mut shares: Vec<f64>) -> Option<Vec<f64>> {
    if let Some(gap) = variable.missing_state() {
        shares[usize::from(gap)] = 0.0;
    }
    shares.iter().any(|&share| share > 0.0).then_some(shares)
}

/// With fewer numbers the part of a state that a range takes is off by a tenth and more.
const KNOWN: usize = 10;

/// What was taken for granted where a range cuts a state and the model keeps no numbers, or few, to tell how its rows lie in it.
pub fn assumed(variable: &Variable, coding: Option<&Coding>, text: &str) -> Option<String> {
    let bounds: Vec<(&str, &str)> = match (sign_and_bound(text), text.split_once("..")) {
        (Some(range), _) => vec![range],
        (None, Some((low, high))) => vec![(">=", low.trim()), ("<=", high.trim())],
        (None, None) => return None,
    };
    let name = &variable.name;
    bounds.into_iter().find_map(|(sign, bound)| {
        let number: f64 = bound.parse().ok()?;
        if variable.code(text).is_some() {
            return None;
        }
        if let Some((coding, shares)) = coding.and_then(|c| Some((c, c.shares(name, sign, number)?))) {
            let place = shares.iter().position(|&share| share > 0.0 && share < 1.0)?;
            let known = coding.known_of(name, place).filter(|&known| known < KNOWN)?;
            let kept = if known == 0 { "none".to_string() } else { format!("only {known}") };
            let (label, part) = (&variable.states[place], words::percent(shares[place]));
            return Some(format!("{name}{sign}{bound} cuts the state '{label}': that {part} of it are meant is rough, for this model keeps {kept} of its numbers"));
        }
        let strictly = matches!(sign, "<" | ">=");
        let cut = |span: &Span| {
            let below = span.up_to(if strictly && span.whole { number.ceil() - 1.0 } else { number });
            below > 0.0 && below < 1.0
        };
        let spans = Span::of(variable);
        let place = spans.iter().position(|span| span.as_ref().is_some_and(cut))?;
        let (span, label) = (spans[place]?, &variable.states[place]);
        Some(match span.low.is_infinite() || span.high.is_infinite() {
            true => format!("{name}{sign}{bound} cuts the state '{label}', which counts in whole: this model keeps no more of its numbers"),
            false => format!("{name}{sign}{bound} cuts the state '{label}', whose numbers are taken to lie evenly: this model keeps no more of them"),
        })
    })
}

/// The two parts of a range.
fn sign_and_bound(text: &str) -> Option<(&'static str, &str)> {
    const SIGNS: [(&str, &str); 6] =
        [("<=", "<="), (">=", ">="), ("≤", "<="), ("≥", ">="), ("<", "<"), (">", ">")];
    let (written, sign) = SIGNS.into_iter().find(|(written, _)| text.starts_with(written))?;
    Some((sign, text[written.len()..].trim()))
}

/// The numbers that a state stands for.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Span {
    low: f64,
    high: f64,
    /// Whether they are whole numbers, both ends among them.
    whole: bool,
}

impl Span {
    /// Those of each state, as far as the labels tell.
    fn of(variable: &Variable) -> Vec<Option<Span>> {
        let ends: Vec<Option<(f64, f64)>> =
            variable.states.iter().map(|label| words::numbers(label)).collect();
        let integer = |x: f64| x.is_infinite() || x.fract() == 0.0;
        let mut known: Vec<(f64, f64)> = ends.iter().flatten().copied().collect();
        known.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        // Cuts in the middle between two whole numbers are those of whole numbers, unless states are so narrow that each would be one number.
        let halfway = |x: f64| x.is_infinite() || (x - 0.5).fract() == 0.0;
        let halves = |&(low, high): &(f64, f64)| halfway(low) && halfway(high) && high - low >= 2.0;
        if !known.is_empty() && known.iter().all(halves) {
            let within = |(low, high): (f64, f64)| Span { low: low.ceil(), high: high.floor(), whole: true };
            return ends.into_iter().map(|ends| ends.map(within)).collect();
        }
        // Neighbours of whole numbers do not share an end.
        let whole = known.iter().all(|&(low, high)| integer(low) && integer(high))
            && known.windows(2).all(|pair| pair[0].1 < pair[1].0);
        ends.into_iter().map(|ends| ends.map(|(low, high)| Span { low, high, whole })).collect()
    }

    /// The part of it that a range takes.
    fn share(self, sign: &str, bound: f64) -> f64 {
        let Span { low, high, whole } = self;
        let strictly = matches!(sign, "<" | ">=");
        let below = match (strictly, whole) {
            (true, true) => self.up_to(bound.ceil() - 1.0),
            // Among numbers that lie densely one has no width, unless it is all there is.
            (true, false) if low == high => f64::from(u8::from(low < bound)),
            _ => self.up_to(bound),
        };
        let part = if sign.starts_with('<') { below } else { 1.0 - below };
        // Without an end nobody knows how much of it is cut off.
        if part > 0.0 && (low.is_infinite() || high.is_infinite()) { 1.0 } else { part }
    }

    /// The part of it up to a number, that number included.
    fn up_to(self, bound: f64) -> f64 {
        let Span { low, high, whole } = self;
        match (bound < low, bound >= high) {
            (true, _) => 0.0,
            (_, true) => 1.0,
            _ if low.is_infinite() || high.is_infinite() => 0.5,
            _ if whole => (bound.floor() - low + 1.0) / (high - low + 1.0),
            _ => (bound - low) / (high - low),
        }
    }
}

impl Model {
    /// What is known: nodes that were observed, and nodes that are set from outside. What was observed is a state or a value, several
    /// (`White|Black`) or a range (`>=50`), or more than one range of a node; what is set is one.
    ///
    /// # Errors
    /// A name, state or value that the network does not know; a node in two states; ranges that exclude each other.
    pub fn evidence(&self, given: &[(&str, &str)], set: &[(&str, &str)]) -> Result<Evidence, Error> {
        let (schema, coding) = (self.network.schema(), self.coding()?);
        let place = |name: &str, text: &str| -> Result<(usize, u8), NameError> {
            let node = node(schema, name)?;
            let variable = schema.variable(node);
            let code = state(variable, coding.as_ref(), text);
            Ok((node, code.ok_or_else(|| not_one(variable, coding.as_ref(), text))?))
        };
        let mut evidence = Evidence::new(&self.network);
        let found = given.iter().map(|(name, text)| {
            let node = node(schema, name)?;
            let variable = schema.variable(node);
            let said = said(variable, coding.as_ref(), text);
            Ok((node, said.ok_or_else(|| no_state(variable, coding.as_ref(), text))?))
        });
        let found: Vec<(usize, Said)> = found.collect::<Result<_, NameError>>()?;
        for (node, said) in narrowed(schema, found)? {
            match said {
                Said::State(code) => evidence.observe(node, code)?,
                Said::Among(shares) => evidence.among(node, shares)?,
            }
        }
        for (name, value) in set {
            let (node, code) = place(name, value)?;
            evidence.intervene(node, code)?;
        }
        Ok(evidence)
    }
}

/// What deserves to be said of a value that the network was not learned from: beyond all others it counts as the outer state, between states
/// of one number as the next of them, and what has no state of its own as the one that such values share; of a range within one state, that
/// the answer is the state's.
pub fn beyond(variable: &Variable, coding: &Coding, text: &str) -> Option<String> {
    let name = &variable.name;
    let label = |state: u8| &variable.states[usize::from(state)];
    if variable.code(text).is_some() {
        return None;
    }
    if let Some(Said::Among(shares)) = said(variable, Some(coding), text) {
        let mut meant = (0..=u8::MAX).zip(&shares).filter(|(_, share)| **share > 0.0);
        let within = meant.next().filter(|(_, share)| **share < 1.0 && meant.next().is_none());
        return within.map(|(state, _)| {
            format!("{name}: '{text}' lies within '{}', and the answer is that for all of it: for finer states learn with cuts of your own", label(state))
        });
    }
    let Some(state) = coding.state(name, text) else {
        let label = label(shared(variable, Some(coding), text)?);
        return Some(format!(
            "'{text}' has no state of its own in {name} and counts as '{label}', as all such values do"
        ));
    };
    let label = label(state);
    match coding.range_passed(name, text) {
        Some((low, high)) => Some(format!(
            "{name}={text} lies beyond what was learned from ({low} to {high}) and counts as '{label}'"
        )),
        None => coding.is_moved(name, text).then(|| {
            format!("{name}={text} is none of the numbers that were learned from and counts as '{label}'; the states are {}", listed(variable))
        }),
    }
}

/// What deserves to be said where a node is set from outside that nobody can set: a part of a date.
pub fn out_of_reach(variable: &Variable, coding: &Coding) -> Option<String> {
    let name = &variable.name;
    coding.is_calendar(name).then(|| {
        format!("'{name}' is a part of the calendar, which nobody sets: ask with it as given to learn of rows from that time")
    })
}

/// The first few states of a variable.
pub(super) fn listed(variable: &Variable) -> String {
    const LISTED: usize = 8;
    let mut listed = variable.states.iter().take(LISTED).cloned().collect::<Vec<_>>().join(", ");
    if variable.states.len() > LISTED {
        listed.push_str(&format!(" and {} more", variable.states.len() - LISTED));
    }
    listed
}

/// Whether the states look like numbers that were cut: `<= 25`, `26 to 50`.
pub(super) fn has_intervals(variable: &Variable) -> bool {
    variable.states.iter().any(|label| label.starts_with(['<', '>']) || label.contains(" to "))
}

#[cfg(test)]
mod tests;
