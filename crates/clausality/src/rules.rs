//! What the user knows beforehand: roles, tiers, required and forbidden arcs, and the parent limit.
//!
//! Implements the roles of the paper's §IV ("parameters, observed, unobserved"). **Our reading**: where the paper says that
//! parameters "have no dependencies, thus no children", a *child* is a dependency, a parent in a Bayesian network: nothing
//! ever points into a parameter (all 25 bold entries of the paper's Insurance table are true parents, none a true child).
//!
//! A contradiction is refused when the rules are made, by name; whoever assembles a network only asks [`Rules::refusal`].

mod named;

pub use self::named::NamedArc;
pub use crate::data::Role;
use crate::data::{ColumnReport, Decision, Kind};
use crate::error::Advice;
use crate::words::quoted;
use clausality_bn::{Dag, Pdag, Schema};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use thiserror::Error as ThisError;

/// The rules as the user states them, by column names.
///
/// | name | default | purpose |
/// |---|---|---|
/// | `parameter` | none | columns that nothing points into |
/// | `unobserved` | none | labels, treated last |
/// | `require` | none | arcs that must be there |
/// | `forbid` | none | arcs that must not be there |
/// | `tiers` | none | groups of columns: no arc from a later group into an earlier one |
/// | `max-parents` | none | the most parents a node may have; 0: no arcs at all |
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RuleSettings {
    /// Columns that nothing points into.
    pub parameter: Vec<String>,
    /// Labels, treated last.
    pub unobserved: Vec<String>,
    /// Arcs that must be there.
    pub require: Vec<NamedArc>,
    /// Arcs that must not be there.
    pub forbid: Vec<NamedArc>,
    /// Groups of columns in their order; columns in no group are free.
    pub tiers: Vec<Vec<String>>,
    /// The most parents a node may have.
    pub max_parents: Option<usize>,
}

/// Rules that contradict each other or the table.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
#[non_exhaustive]
pub enum RulesError {
    /// A name that is no column.
    #[error("{option}: there is no column '{name}'{}", suggestion(.close))]
    Unknown {
        /// The option that names it.
        option: &'static str,
        /// The name.
        name: String,
        /// A column whose name is close.
        close: Option<String>,
    },
    /// An arc that can be read in two ways, because names hold the `>`.
    #[error("{option} {arc}: this is '{}' > '{}' or '{}' > '{}'; rename one of the columns", .readings[0].parent, .readings[0].child, .readings[1].parent, .readings[1].child)]
    Ambiguous {
        /// The option that names it.
        option: &'static str,
        /// The arc as it was written.
        arc: NamedArc,
        /// Two ways to read it.
        readings: Box<[NamedArc; 2]>,
    },
    /// A name of a column of the file that became something else, or nothing.
    #[error("{option}: column '{name}' {became}")]
    LeftOut {
        /// The option that names it.
        option: &'static str,
        /// The name.
        name: String,
        /// What became of it.
        became: String,
        /// The setting that keeps it, if there is one.
        keep: Option<Advice>,
    },
    /// A column with two roles.
    #[error("column '{0}' is both parameter and unobserved: give it one role")]
    TwoRoles(String),
    /// No column is left that could have a parent.
    #[error("all {0} columns are parameters: nothing is left to depend on anything; name fewer")]
    AllParameters(usize),
    /// A column in two tiers.
    #[error("tiers: column '{0}' stands in two tiers: name it in one")]
    TwoTiers(String),
    /// A forbidden arc that never could be.
    #[error("forbid {0}: a node is never its own parent; write PARENT>CHILD with two columns")]
    Idle(NamedArc),
    /// A required arc that another rule forbids.
    #[error("require {arc}: contradicts the rules, {refusal}")]
    Required {
        /// The arc.
        arc: NamedArc,
        /// What forbids it.
        refusal: Refusal,
    },
    /// Required arcs that form a cycle.
    #[error("require: the required arcs form a cycle: {}", .0.join(" > "))]
    Cycle(Vec<String>),
    /// More required parents than allowed.
    #[error("require: '{child}' has {required} required parents, but max-parents is {limit}")]
    Parents {
        /// The node.
        child: String,
        /// Its required parents.
        required: usize,
        /// The limit.
        limit: usize,
    },
}

fn suggestion(close: &Option<String>) -> String {
    close.as_ref().map_or(String::new(), |name| format!("; did you mean '{name}'?"))
}

/// Why an arc is not allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Refusal {
    /// From a node to itself.
    Loop,
    /// Its child is a parameter.
    IntoParameter,
    /// The user forbids it.
    Forbidden,
    /// From a later tier into an earlier one.
    AgainstTiers,
    /// The opposite arc is required.
    OppositeRequired,
    /// Its child is a calendar part, its parent is none.
    IntoCalendar,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refusal::Loop => "a node cannot be its own parent",
            Refusal::IntoParameter => "nothing points into a parameter",
            Refusal::Forbidden => "the arc is forbidden",
            Refusal::AgainstTiers => "the arc runs from a later tier into an earlier one",
            Refusal::OppositeRequired => "the opposite arc is required",
            Refusal::IntoCalendar => "only calendar parts point into a calendar part",
        })
    }
}

/// Rules over the variables of one schema, free of contradictions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct Rules {
    roles: Vec<Role>,
    tiers: Vec<Option<usize>>,
    /// Sorted.
    forbidden: Vec<(usize, usize)>,
    required: Dag,
    max_parents: usize,
}

/// Rules as they are sent to whoever works elsewhere: by places.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    roles: Vec<Role>,
    tiers: Vec<Option<usize>>,
    forbidden: Vec<(usize, usize)>,
    required: Vec<(usize, usize)>,
    max_parents: usize,
}

impl From<Rules> for Written {
    fn from(rules: Rules) -> Self {
        let Rules { roles, tiers, forbidden, required, max_parents } = rules;
        Written { roles, tiers, forbidden, required: required.arcs().collect(), max_parents }
    }
}

impl TryFrom<Written> for Rules {
    type Error = &'static str;

    fn try_from(written: Written) -> Result<Self, Self::Error> {
        let Written { roles, tiers, forbidden, required, max_parents } = written;
        let nodes = roles.len();
        let known = forbidden.iter().chain(&required).all(|&(parent, child)| parent.max(child) < nodes);
        if tiers.len() != nodes || !known || !forbidden.is_sorted() {
            return Err("rules that do not fit together");
        }
        let required = Dag::from_arcs(nodes, required).map_err(|_| "required arcs that close a cycle")?;
        Ok(Rules { roles, tiers, forbidden, required, max_parents })
    }
}

impl Rules {
    /// No rules: every column observed, every arc allowed.
    pub fn none(variables: usize) -> Self {
        Rules {
            roles: vec![Role::Observed; variables],
            tiers: vec![None; variables],
            forbidden: vec![],
            required: Dag::new(variables),
            max_parents: usize::MAX,
        }
    }

    /// Checks the user's rules against the columns and against each other.
    pub fn new(schema: &Schema, settings: &RuleSettings) -> Result<Self, RulesError> {
        let mut rules = Rules::none(schema.len());
        for name in &settings.parameter {
            rules.roles[find(schema, "parameter", name)?] = Role::Parameter;
        }
        for name in &settings.unobserved {
            let v = find(schema, "unobserved", name)?;
            if rules.roles[v] == Role::Parameter {
                return Err(RulesError::TwoRoles(name.clone()));
            }
            rules.roles[v] = Role::Unobserved;
        }
        if !schema.is_empty() && rules.roles.iter().all(|r| *r == Role::Parameter) {
            return Err(RulesError::AllParameters(schema.len()));
        }
        for (tier, names) in settings.tiers.iter().enumerate() {
            for name in names {
                let v = find(schema, "tiers", name)?;
                if rules.tiers[v].replace(tier).is_some() {
                    return Err(RulesError::TwoTiers(name.clone()));
                }
            }
        }
        rules.max_parents = settings.max_parents.unwrap_or(usize::MAX);
        for arc in &settings.forbid {
            let (arc, parent, child) = find_arc(schema, "forbid", arc)?;
            if parent == child {
                return Err(RulesError::Idle(arc));
            }
            rules.forbidden.push((parent, child));
        }
        rules.forbidden.sort_unstable();
        rules.forbidden.dedup();
        rules.require(schema, &settings.require)?;
        Ok(rules)
    }

    /// The user's rules over the columns that a table really has, and what those suggest: parts of a calendar, of which the user
    /// wants nothing else, get no arc from other columns. A rule about a column that the file has and the table has not
    /// says what became of it.
    ///
    /// # Errors
    /// As [`Rules::new`].
    pub fn over(
        schema: &Schema,
        columns: &[ColumnReport],
        settings: &RuleSettings,
    ) -> Result<Self, RulesError> {
        let mut rules = Rules::new(schema, settings).map_err(|error| match error {
            RulesError::Unknown { option, name, close } => {
                match columns.iter().find(|column| column.name == name) {
                    Some(column) => left_out(option, column),
                    None => RulesError::Unknown { option, name, close },
                }
            }
            other => other,
        })?;
        rules.suggest(schema, columns);
        Ok(rules)
    }

    /// Makes calendar parts of what comes from dates, unless a rule speaks of it: a role, a tier, an arc that must point into it.
    fn suggest(&mut self, schema: &Schema, columns: &[ColumnReport]) {
        let derived = columns.iter().filter(|column| column.role == Some(Role::Calendar));
        let parts: Vec<usize> =
            derived.flat_map(|column| &column.variables).filter_map(|v| schema.index(&v.name)).collect();
        for &part in &parts {
            let foreign = |parent: &usize| !parts.contains(parent);
            let spoken_of = self.roles[part] != Role::Observed
                || self.tiers[part].is_some()
                || self.required.parents(part).iter().any(foreign);
            if !spoken_of {
                self.roles[part] = Role::Calendar;
            }
        }
    }

    fn require(&mut self, schema: &Schema, arcs: &[NamedArc]) -> Result<(), RulesError> {
        let mut required = Dag::new(schema.len());
        for arc in arcs {
            let (arc, parent, child) = find_arc(schema, "require", arc)?;
            if let Some(refusal) = self.refusal(parent, child) {
                return Err(RulesError::Required { arc, refusal });
            }
            if let Err(cycle) = required.try_add(parent, child) {
                let names = cycle.path.iter().chain(cycle.path.first()).map(|&v| schema.name(v).to_string());
                return Err(RulesError::Cycle(names.collect()));
            }
            let parents = required.parents(child).len();
            if parents > self.max_parents {
                let child = arc.child;
                return Err(RulesError::Parents { child, required: parents, limit: self.max_parents });
            }
        }
        self.required = required;
        Ok(())
    }

    /// How many variables the rules are about.
    pub fn len(&self) -> usize {
        self.roles.len()
    }

    /// Whether the rules are about no variable at all.
    pub fn is_empty(&self) -> bool {
        self.roles.is_empty()
    }

    /// The role of a variable.
    pub fn role(&self, variable: usize) -> Role {
        self.roles[variable]
    }

    /// Why an arc may not be there; `None` if it may.
    pub fn refusal(&self, parent: usize, child: usize) -> Option<Refusal> {
        if parent == child {
            Some(Refusal::Loop)
        } else if self.roles[child] == Role::Parameter {
            Some(Refusal::IntoParameter)
        } else if self.forbidden.binary_search(&(parent, child)).is_ok() {
            Some(Refusal::Forbidden)
        } else if matches!((self.tiers[parent], self.tiers[child]), (Some(p), Some(c)) if p > c) {
            Some(Refusal::AgainstTiers)
        } else if self.required.has(child, parent) {
            Some(Refusal::OppositeRequired)
        } else if self.roles[child] == Role::Calendar && self.roles[parent] != Role::Calendar {
            Some(Refusal::IntoCalendar)
        } else {
            None
        }
    }

    /// Whether an arc may be there.
    pub fn allows(&self, parent: usize, child: usize) -> bool {
        self.refusal(parent, child).is_none()
    }

    /// The arcs that must be there.
    pub fn required(&self) -> &Dag {
        &self.required
    }

    /// What the directions of a graph's arcs rest on.
    pub fn directions(&self, dag: &Dag) -> Directions<'_> {
        self.directions_but(dag, &BTreeSet::new())
    }

    /// The same where some colliders (parent, child, other parent, the smaller parent first) are no finding: another graph says as much.
    pub(crate) fn directions_but(
        &self,
        dag: &Dag,
        undecided: &BTreeSet<(usize, usize, usize)>,
    ) -> Directions<'_> {
        let calendar =
            |parent: usize, child: usize| self.refusal(child, parent) == Some(Refusal::IntoCalendar);
        let forced = |a: usize, child: usize, b: usize| {
            let refused = |parent: usize| !self.allows(child, parent);
            refused(a) && refused(b)
                || calendar(a, child)
                || calendar(b, child)
                || undecided.contains(&(a.min(b), child, a.max(b)))
        };
        let by_user = |parent: usize, child: usize| self.forces(parent, child);
        Directions {
            rules: self,
            data: Pdag::given(dag, forced, |_, _| false),
            ruled: Pdag::given(dag, forced, by_user),
        }
    }

    /// Whether the user's rules refuse the opposite of an arc.
    fn forces(&self, parent: usize, child: usize) -> bool {
        self.refusal(child, parent).is_some_and(|refusal| refusal != Refusal::IntoCalendar)
    }

    /// The most parents a node may have.
    pub fn max_parents(&self) -> usize {
        self.max_parents
    }
}

fn left_out(option: &'static str, column: &ColumnReport) -> RulesError {
    let name = column.name.clone();
    let became: Vec<&str> = column.variables.iter().map(|variable| variable.name.as_str()).collect();
    let (became, keep) = match (column.decision, column.kind) {
        (Decision::Dropped, Kind::Ignored) => ("was left out, as asked".to_string(), None),
        (Decision::Dropped, Kind::Id | Kind::Names) => {
            let keep = column.keep();
            let what = if column.kind == Kind::Id { "as an id " } else { "" };
            (format!("was left out {what}({})", column.reason), keep)
        }
        (Decision::Dropped, _) => (format!("was left out ({})", column.reason), None),
        _ => (format!("became {}: name one of these", quoted(&became, 4)), None),
    };
    RulesError::LeftOut { option, name, became, keep }
}

/// What the directions of a graph's arcs rest on.
///
/// ```text
/// data      what all graphs share that have the same adjacencies and colliders, forced arcs meeting as they like
/// rules     the arcs whose opposite the user refuses, and what the data and these leave only one direction (Meek 1995)
/// calendar  the arcs from a calendar part into another column; nothing follows from them
/// ```
///
/// An arc is forced where its opposite is refused, by the user or because its parent is a calendar part: the score never chose
/// between its directions, so a collider of two such arcs is no finding, and directs nothing behind it. Nor is one with a calendar part on
/// either side: had the score been free, the other arc might run the other way.
#[derive(Debug)]
pub struct Directions<'a> {
    rules: &'a Rules,
    data: Pdag,
    ruled: Pdag,
}

impl Directions<'_> {
    /// Whether the data direct the arc.
    pub fn by_data(&self, parent: usize, child: usize) -> bool {
        self.data.is_directed(parent, child)
    }

    /// Whether the user's rules leave the arc no other direction: they refuse the opposite arc, or what they refuse elsewhere
    /// settles it.
    pub fn by_rules(&self, parent: usize, child: usize) -> bool {
        self.rules.forces(parent, child)
            || self.ruled.is_directed(parent, child) && !self.data.is_directed(parent, child)
    }

    /// Whether the arc runs this way because its parent is a calendar part.
    pub fn by_calendar(&self, parent: usize, child: usize) -> bool {
        self.rules.refusal(child, parent) == Some(Refusal::IntoCalendar)
    }

    /// Whether anything directs the arc.
    pub fn settled(&self, parent: usize, child: usize) -> bool {
        self.ruled.is_directed(parent, child) || self.by_calendar(parent, child)
    }
}

fn find(schema: &Schema, option: &'static str, name: &str) -> Result<usize, RulesError> {
    schema.index(name).ok_or_else(|| {
        let names = schema.variables().iter().map(|v| v.name.as_str());
        let close = crate::names::closest(name, names).map(str::to_string);
        RulesError::Unknown { option, name: name.to_string(), close }
    })
}

/// An arc with its ends by their places in the schema.
fn find_arc(
    schema: &Schema,
    option: &'static str,
    arc: &NamedArc,
) -> Result<(NamedArc, usize, usize), RulesError> {
    let known = |name: &str| schema.index(name).is_some();
    let found = arc.among(known).map_err(|readings| RulesError::Ambiguous {
        option,
        arc: arc.clone(),
        readings: Box::new(readings),
    })?;
    let (parent, child) = (find(schema, option, &found.parent)?, find(schema, option, &found.child)?);
    Ok((found, parent, child))
}

#[cfg(test)]
mod tests;
