//! What was decided about a table, for people and for programs.

use crate::error::Advice;
use crate::words::{counted, grouped};
use clausality_bn::{Scale, Table, Variable};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;

/// What a column was found, or declared, to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Names without order.
    Categorical,
    /// Numbers, cut into states.
    Numeric,
    /// Few numbers, or listed levels, in order.
    Ordered,
    /// Dates or times, replaced by parts of them.
    Date,
    /// A different value in (nearly) every row.
    Id,
    /// Names of which hardly any is frequent.
    Names,
    /// One value, or none.
    Constant,
    /// Left out as asked.
    Ignored,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Categorical => "categorical",
            Kind::Numeric => "numeric",
            Kind::Ordered => "ordered",
            Kind::Date => "date",
            Kind::Id => "id",
            Kind::Names => "names",
            Kind::Constant => "constant",
            Kind::Ignored => "ignored",
        })
    }
}

/// The part a variable plays in a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Given from outside: nothing points into it.
    Parameter,
    /// A part of a date, or a year or month that is a plain number and called so. Nothing in a table makes it March, so only other such parts point
    /// into it; the table's own suggestion, which the user's rules overrule.
    Calendar,
    /// Neither given nor sought.
    #[default]
    Observed,
    /// The label: what is to be inferred, treated last.
    Unobserved,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Role::Parameter => "parameter",
            Role::Calendar => "calendar",
            Role::Observed => "observed",
            Role::Unobserved => "unobserved",
        })
    }
}

/// What becomes of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// It is a variable.
    Kept,
    /// Variables derived from it take its place.
    Derived,
    /// It is left out.
    Dropped,
}

/// One column of the file, what it was found to be and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ColumnReport {
    /// The column's name in the file.
    pub name: String,
    /// What it was found, or declared, to be.
    pub kind: Kind,
    /// Different recorded values (at least so many if `distinct_is_exact` is false).
    pub distinct: usize,
    /// Whether `distinct` was counted to the end.
    pub distinct_is_exact: bool,
    /// Cells without a value.
    pub missing: usize,
    /// What becomes of the column.
    pub decision: Decision,
    /// Why.
    pub reason: String,
    /// The role suggested for its variables; none if it is dropped.
    pub role: Option<Role>,
    /// The variables it became.
    pub variables: Vec<VariableReport>,
}

impl ColumnReport {
    /// The setting that keeps a column that was left out for its many values.
    pub fn keep(&self) -> Option<Advice> {
        let kept = self.decision == Decision::Dropped && matches!(self.kind, Kind::Id | Kind::Names);
        kept.then(|| Advice::new("type", format!("{}=keep", self.name)))
    }
}

/// One variable and how its rows spread over its states.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VariableReport {
    /// The variable's name.
    pub name: String,
    /// Its states in code order.
    pub states: Vec<StateReport>,
}

/// One state and the rows in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StateReport {
    /// The state's label.
    pub label: String,
    /// The rows in it.
    pub rows: usize,
}

/// The columns of a table that was never in a file: every variable is its own.
pub(in crate::data) fn columns_of(table: &Table) -> Vec<ColumnReport> {
    let column = |(v, variable): (usize, &Variable)| {
        let mut rows = vec![0; variable.cardinality()];
        let codes = table.column(v).iter().map(|&code| usize::from(code));
        codes.for_each(|code| rows.iter_mut().skip(code).take(1).for_each(|rows| *rows += 1));
        let known: usize = rows.iter().sum();
        let states =
            variable.states.iter().zip(rows).map(|(label, rows)| StateReport { label: label.clone(), rows });
        ColumnReport {
            name: variable.name.clone(),
            kind: if variable.scale == Scale::Nominal { Kind::Categorical } else { Kind::Ordered },
            distinct: variable.cardinality(),
            distinct_is_exact: true,
            missing: table.rows() - known,
            decision: Decision::Kept,
            reason: "sampled".to_string(),
            role: Some(Role::Observed),
            variables: vec![VariableReport { name: variable.name.clone(), states: states.collect() }],
        }
    };
    table.schema().variables().iter().enumerate().map(column).collect()
}

/// What a notice is about; notices of one kind can be told together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NoticeKind {
    /// The table has few rows, or loses some.
    Rows,
    /// A column has cells without a value, which are unknown.
    Gaps,
    /// A column has cells without a value, which get a state.
    GapState,
    /// A column looks like an id and is left out.
    Id,
    /// A column holds names of which hardly any is frequent, and is left out.
    Names,
    /// A column holds whole numbers of which none occurs twice, and is used.
    Numbering,
    /// A column of whole numbers that seem to be codes is cut like one of amounts.
    Codes,
    /// A column holds one value and is left out.
    Constant,
    /// The rarest categories of a column share a state.
    Folded,
    /// Some numbers of a column may mean "no value".
    Code,
    /// A column of numbers has texts among them, which may mean "no value".
    Texts,
    /// A column holds numbers that are not written plainly.
    Dressed,
    /// The rows stand in the order of a date column.
    InOrder,
    /// Rows come in groups and are not independent of each other.
    Groups,
    /// Something else about one column.
    Column,
}

/// Something the user should know, though work goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// What it is about.
    pub kind: NoticeKind,
    /// The column it is about, if it is about one.
    pub column: Option<String>,
    /// What it is; names the column.
    pub message: String,
    /// The figure in it, for telling several together: "263 of 1,309 rows".
    pub figure: String,
    /// Settings that would change it, for doors to name in their own words.
    pub advice: Vec<Advice>,
}

/// Notices with one line for each kind, and how many columns it is about; a kind with one notice keeps its words.
pub fn together(notices: &[Notice]) -> Vec<Notice> {
    let of_kind = |kind: NoticeKind| notices.iter().filter(move |notice| notice.kind == kind);
    let mut told: Vec<Notice> = Vec::new();
    for notice in notices {
        let several = of_kind(notice.kind).count();
        let Some((what, figures)) = notice.kind.of_several().filter(|_| several > 1) else {
            told.push(notice.clone());
            continue;
        };
        if told.iter().any(|earlier| earlier.kind == notice.kind) {
            continue;
        }
        let named = |notice: &Notice| {
            let column = notice.column.as_deref().unwrap_or_default();
            if figures { format!("{column} ({})", notice.figure) } else { column.to_string() }
        };
        let mut names: Vec<String> = of_kind(notice.kind).take(NAMED).map(named).collect();
        if several > NAMED {
            names.push(format!("and {} more", grouped(several - NAMED)));
        }
        let value = |advice: &Advice| advice.value.rsplit_once('=').unwrap_or(("", "")).1.to_string();
        let values: BTreeSet<String> =
            of_kind(notice.kind).filter_map(|notice| notice.advice.first().map(value)).collect();
        let advice = notice.advice.first().map(|advice| {
            if !advice.value.contains('=') {
                return Advice::new(advice.setting, "NAME");
            }
            // Where each column has a value of its own the list above tells it.
            let value = if values.len() == 1 { value(advice) } else { "VALUE".into() };
            Advice::new(advice.setting, format!("NAME={value}"))
        });
        told.push(Notice {
            column: None,
            message: format!("{} {what}: {}", counted(several, "column"), names.join(", ")),
            figure: String::new(),
            advice: advice.into_iter().collect(),
            ..notice.clone()
        });
    }
    told
}

/// Columns that are named where several are told together.
const NAMED: usize = 8;

impl NoticeKind {
    /// What several columns have in common, and whether each of them has a figure; nothing for what is told one by one.
    fn of_several(self) -> Option<(&'static str, bool)> {
        Some(match self {
            NoticeKind::Gaps => ("have gaps, which are unknown", true),
            NoticeKind::GapState => ("have gaps, which get the state 'missing'", true),
            NoticeKind::Id => ("look like ids and are dropped", false),
            NoticeKind::Names => ("hold names of which hardly any is frequent, and are dropped", false),
            NoticeKind::Numbering => (
                "hold whole numbers of which none occurs twice; if they number or name the rows, leave them out",
                false,
            ),
            NoticeKind::Codes => (
                "hold whole numbers that seem to be codes of somebody or something, and are cut like amounts; if so, make them categories, leave \
                 them out, or name one as what the rows are about",
                false,
            ),
            NoticeKind::Constant => ("hold one value or none and are dropped", false),
            NoticeKind::Folded => ("have so many categories that the rarest share a state", true),
            NoticeKind::Code => {
                ("have values apart from all others; if that means \"no value\", say so of each", true)
            }
            NoticeKind::Texts => (
                "are numbers but for some texts, so all their cells are read as categories; if that means \"no value\", say so of each",
                true,
            ),
            NoticeKind::Dressed => (
                "look like numbers, but are not written plainly, so all their cells are read as categories; if they are numbers, say so",
                true,
            ),
            NoticeKind::InOrder => (
                "are dates in whose order the rows stand, but each row is taken to be independent of the others: if one says when, learn over time",
                false,
            ),
            NoticeKind::Rows | NoticeKind::Groups | NoticeKind::Column => return None,
        })
    }
}

impl Notice {
    pub(crate) fn about_rows(message: String) -> Self {
        Notice { kind: NoticeKind::Rows, column: None, message, figure: String::new(), advice: vec![] }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
