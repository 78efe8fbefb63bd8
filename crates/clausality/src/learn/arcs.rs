//! The arcs of a learned network, each with what speaks for it.

use crate::Error;
use crate::assemble::Gains;
use crate::data::Twin;
use crate::rules::Rules;
use crate::strengths::Strengths;
use crate::watch::Watch;
use clausality_bn::dynamic::Lagged;
use clausality_bn::{Dag, MISSING, Schema, Score, Table};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// An arc of a learned network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LearnedArc {
    /// Where it starts.
    pub parent: String,
    /// Where it ends.
    pub child: String,
    /// Whether every equally good network has it this way round, leaving aside what the rules and the calendar force, and colliders of which another of
    /// the three may be the child as well.
    pub compelled: bool,
    /// Whether the user's rules leave it no other direction: they refuse the opposite arc, or what they refuse elsewhere settles it.
    #[serde(default)]
    pub ruled: bool,
    /// Whether it runs this way because its parent is a calendar part.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub calendar: bool,
    /// Whether it runs this way because its parent was there before, or for all time, or because of what follows from such arcs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub time: bool,
    /// Whether the rules require it.
    #[serde(default)]
    pub required: bool,
    /// What the machines say of the parent as a feature of the child.
    pub strength: f64,
    /// Its part of the strength of all features of the child.
    pub share: f64,
    /// In what share of the fits it beat every shadow, if there were any.
    pub hit_rate: Option<f64>,
    /// What the graph's score would lose without it.
    pub gain: f64,
    /// In what share of the repetitions on rows drawn anew the two nodes are adjacent, if there were any; a required arc
    /// would be in all of them, and has none.
    pub confidence: Option<f64>,
    /// In what share of those the arc runs this way; one that the data cannot direct counts half.
    pub direction: Option<f64>,
    /// A copy or near copy of one of its ends that would serve nearly as well in its place: which of the two it joins is chance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub or: Option<String>,
    /// The end that this copy would stand for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub or_for: Option<String>,
    /// Whether it lives mostly from gaps: where a gap is a state, and less than half is gained on the rows in which both ends have values.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub gaps: bool,
}

/// What an arc's direction rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// The data: it is compelled, and both directions would be allowed.
    Data,
    /// The user's rules: they leave no other.
    Rules,
    /// Its parent is a part of a date, which other columns do not point into.
    Calendar,
    /// Time: its parent was there before, or what was before leaves no other.
    Time,
    /// Nothing: an equally good network has the arc the other way round.
    Open,
}

impl Way {
    /// As tables write it.
    pub fn word(self) -> &'static str {
        match self {
            Way::Data => "data",
            Way::Rules => "rules",
            Way::Calendar => "calendar",
            Way::Time => "time",
            Way::Open => "open",
        }
    }
}

impl LearnedArc {
    /// How many steps it takes, in a network over time.
    pub fn lag(&self) -> i64 {
        -Lagged::parse(&self.parent).now()
    }

    /// What its direction rests on.
    pub fn way(&self) -> Way {
        match self {
            LearnedArc { time: true, .. } => Way::Time,
            LearnedArc { ruled: true, .. } => Way::Rules,
            LearnedArc { calendar: true, .. } => Way::Calendar,
            LearnedArc { compelled: true, .. } => Way::Data,
            _ => Way::Open,
        }
    }
}

/// The arcs by the names of child and parent, with what speaks for each.
pub(super) fn arcs(
    table: &Table,
    dag: &Dag,
    rules: &Rules,
    strengths: &Strengths,
    gains: &mut Gains,
    twins: &[Twin],
) -> Result<Vec<LearnedArc>, Error> {
    let schema = table.schema();
    let directions = rules.directions_but(dag, &undecided(dag, rules, gains)?);
    let copies: Vec<(usize, usize)> = twins
        .iter()
        .filter(|twin| twin.is_copy())
        .filter_map(|twin| Some((schema.index(&twin.name)?, schema.index(&twin.of[0])?)))
        .collect();
    let mut arcs: Vec<LearnedArc> = dag
        .arcs()
        .map(|(parent, child)| {
            let (parent_name, child_name) = (schema.name(parent), schema.name(child));
            let feature = strengths.target(child_name).and_then(|target| target.feature(parent_name));
            let name = |v: usize| schema.name(v).to_string();
            let (or_for, or) = stand_in(dag, (parent, child), &copies, gains)?.unzip();
            Ok(LearnedArc {
                parent: parent_name.to_string(),
                child: child_name.to_string(),
                compelled: directions.by_data(parent, child),
                ruled: directions.by_rules(parent, child),
                calendar: directions.by_calendar(parent, child),
                time: false,
                required: rules.required().has(parent, child),
                strength: feature.map_or(0.0, |f| f.strength),
                share: feature.map_or(0.0, |f| f.share),
                hit_rate: feature.and_then(|f| f.hit_rate),
                gain: gains.of(dag, parent, child)?,
                confidence: None,
                direction: None,
                or: or.map(name),
                or_for: or_for.map(name),
                gaps: false,
            })
        })
        .collect::<Result<_, Error>>()?;
    arcs.sort_by(|a, b| (&a.child, &a.parent).cmp(&(&b.child, &b.parent)));
    Ok(arcs)
}

/// The part of its gain that an arc has at least on the rows in which both ends have values, or it lives mostly from gaps.
const OF_VALUES: f64 = 0.5;

/// Marks the arcs that gain little on the rows in which both ends have values.
pub(super) fn mark_gaps(
    arcs: &mut [LearnedArc],
    table: &Table,
    dag: &Dag,
    score: Score,
    watch: &dyn Watch,
) -> Result<(), Error> {
    let schema = table.schema();
    let gap = |v: usize| schema.variable(v).missing_state();
    if (0..schema.len()).all(|v| gap(v).is_none()) {
        return Ok(());
    }
    for arc in arcs {
        let (Some(parent), Some(child)) = (schema.index(&arc.parent), schema.index(&arc.child)) else {
            continue;
        };
        if gap(parent).is_none() && gap(child).is_none() {
            continue;
        }
        // Both are gains in these rows: an arc's own may be of more rows than are held.
        let [all, of_values] = [&[][..], &[parent, child]].map(|without_gaps| {
            let (family, dag) = family(table, dag, child, without_gaps)?;
            let place = |v: usize| family.schema().index(schema.name(v)).unwrap_or_default();
            Gains::new(&family, score, watch)?.of(&dag, place(parent), place(child))
        });
        let (all, of_values) = (all?, of_values?);
        arc.gaps = of_values <= 0.0 || of_values < OF_VALUES * all;
    }
    Ok(())
}

/// A node and its parents by themselves; in some of them gaps are no state but unknown.
fn family(table: &Table, dag: &Dag, child: usize, without_gaps: &[usize]) -> Result<(Table, Dag), Error> {
    let schema = table.schema();
    let members: Vec<usize> = dag.parents(child).iter().copied().chain([child]).collect();
    let column = |&v: &usize| -> Vec<u8> {
        let gap = schema.variable(v).missing_state().filter(|_| without_gaps.contains(&v));
        table.column(v).iter().map(|&code| if Some(code) == gap { MISSING } else { code }).collect()
    };
    let variables = members.iter().map(|&v| schema.variable(v).clone()).collect();
    let family = Table::new(Schema::new(variables)?, members.iter().map(column).collect())?;
    // Arcs into one node close no cycle.
    let (mut arcs, last) = (Dag::new(members.len()), members.len() - 1);
    let added = (0..last).filter(|&parent| arcs.try_add(parent, last).is_ok()).count();
    debug_assert_eq!(added, last);
    Ok((family, arcs))
}

/// Differences of score that mean nothing, in nats: a ratio of probabilities of twenty.
const NO_DIFFERENCE: f64 = 3.0;

/// Colliders of which the data do not say who is the child, as `y = a xor b` says the same of all three: `a → y ← b` is there, and
/// `a → b ← y` scores as well. These two have other adjacencies, so that the class of the graph does not show it.
fn undecided(dag: &Dag, rules: &Rules, gains: &mut Gains) -> Result<BTreeSet<(usize, usize, usize)>, Error> {
    let mut found = BTreeSet::new();
    for child in 0..dag.len() {
        let parents = dag.parents(child);
        for (i, &a) in parents.iter().enumerate() {
            for &b in parents[i + 1..].iter().filter(|&&b| !dag.adjacent(a, b)) {
                if says_as_much(dag, (a, child, b), rules, gains)?
                    || says_as_much(dag, (b, child, a), rules, gains)?
                {
                    found.insert((a.min(b), child, a.max(b)));
                }
            }
        }
    }
    Ok(found)
}

/// Whether the second parent may be the child of the other two as well.
fn says_as_much(
    dag: &Dag,
    (parent, child, other): (usize, usize, usize),
    rules: &Rules,
    gains: &mut Gains,
) -> Result<bool, Error> {
    let mut turned = dag.clone();
    turned.remove(other, child);
    // A parent that tells something of the child by itself would be missed: so it is of nearly all colliders.
    let alone = gains.of(&turned, parent, child)?;
    let is_kept = rules.required().has(parent, child) || rules.required().has(other, child);
    let may_be = !is_kept && rules.allows(parent, other) && rules.allows(child, other);
    if alone > NO_DIFFERENCE || !may_be || dag.parents(other).len() + 2 > rules.max_parents() {
        return Ok(false);
    }
    turned.remove(parent, child);
    let lost = gains.of(dag, other, child)? + alone;
    if turned.try_add(parent, other).is_err() || turned.try_add(child, other).is_err() {
        return Ok(false);
    }
    let second = gains.of(&turned, child, other)?;
    turned.remove(child, other);
    let gained = gains.of(&turned, parent, other)? + second;
    Ok(gained > lost - NO_DIFFERENCE)
}

/// One end of an arc, and a copy of it that could stand in its place.
fn stand_in(
    dag: &Dag,
    (parent, child): (usize, usize),
    copies: &[(usize, usize)],
    gains: &mut Gains,
) -> Result<Option<(usize, usize)>, Error> {
    for (end, far) in [(parent, child), (child, parent)] {
        for &(one, two) in copies {
            let other = match end {
                end if end == one => two,
                end if end == two => one,
                _ => continue,
            };
            if other != far && gains.instead(dag, end, far, other)? > -NO_DIFFERENCE {
                return Ok(Some((end, other)));
            }
        }
    }
    Ok(None)
}
