//! The arcs of a learned network, each with what speaks for it.

use crate::Error;
use crate::assemble::Gains;
use crate::data::Twin;
use crate::rules::Rules;
use crate::strengths::Strengths;
use crate::watch::Watch;
use clausality_bn::dynamic::Lagged;
use clausality_bn::{Dag, MISSING, Score, Table};
use serde::{Deserialize, Serialize};

/// An arc of a learned network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LearnedArc {
    /// Where it starts.
    pub parent: String,
    /// Where it ends.
    pub child: String,
    /// Whether every equally good network has it this way round, leaving aside what the rules and the calendar force.
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
    /// Whether it lives from gaps alone: where a gap is a state, and nothing is gained on the rows that have values.
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
    let directions = rules.directions(dag);
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

/// Marks the arcs that gain nothing on the rows in which both ends have values.
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
    let values = |v: usize| {
        let code = |&code: &u8| if Some(code) == gap(v) { MISSING } else { code };
        table.column(v).iter().map(code).collect()
    };
    let valued = Table::new(schema.clone(), (0..schema.len()).map(values).collect())?;
    let mut gains = Gains::new(&valued, score, watch)?;
    for arc in arcs {
        let (Some(parent), Some(child)) = (schema.index(&arc.parent), schema.index(&arc.child)) else {
            continue;
        };
        arc.gaps = (gap(parent).is_some() || gap(child).is_some()) && gains.of(dag, parent, child)? <= 0.0;
    }
    Ok(())
}

/// Differences of score that mean nothing, in nats: a ratio of probabilities of twenty.
const NO_DIFFERENCE: f64 = 3.0;

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
