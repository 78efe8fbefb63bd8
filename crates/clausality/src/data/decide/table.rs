//! From raw columns to a coded table: decide about each column, name the variables, code the rows, say what was done.

use crate::data::cells::codes::retain_from;
use crate::data::cells::column::{Column, Expected};
use crate::data::cells::date::DatePart;
use crate::data::cells::number;
use crate::data::coding::{CodedVariable, Coding, StateRule};
use crate::data::decide::alike::{alike, alike_values};
use crate::data::decide::copies;
use crate::data::decide::dummies;
use crate::data::decide::fine;
use crate::data::decide::form;
use crate::data::decide::gaps::{self, Settled};
use crate::data::decide::groups::{self, Groups};
use crate::data::decide::infer;
use crate::data::decide::marks;
use crate::data::decide::mdl::{Graded, Grades};
use crate::data::decide::twins::{self, Seen};
use crate::data::decide::verdict::{Proposal, Verdict, Warning, unused};
use crate::data::decide::when;
use crate::data::problem::option_problem;
use crate::data::purpose::Purpose;
use crate::data::read::raw::RawTable;
use crate::data::report::{
    ColumnReport, Decision, Kind, Notice, NoticeKind, Role, StateReport, VariableReport,
};
use crate::data::sequence::owners_alone;
use crate::data::weights::effective;
use crate::data::{
    ColumnType, DataSettings, Dataset, DateIndex, Fine, Fingerprint, MissingRule, Problem, Sequence, Twin,
};
use crate::error::Error;
use crate::names::closest;
use crate::words::{counted, grouped, part_of};
use clausality_bn::{Table, Variable};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Fewer rows than this say nothing at all.
const HARDLY_ANY_ROWS: usize = 20;
/// Fewer rows than this say little.
const FEW_ROWS: usize = 100;

/// What deserves to be said where there are few rows for something.
pub(crate) fn too_few(rows: usize, for_what: &str) -> Option<String> {
    let few = counted(rows, "row");
    match rows {
        ..HARDLY_ANY_ROWS => Some(format!("only {few}: far too few {for_what}, whatever follows is chance")),
        HARDLY_ANY_ROWS..FEW_ROWS => Some(format!("only {few}: expect little certainty")),
        _ => None,
    }
}

/// What the user's options say about a column before it is read.
pub(in crate::data) fn expected(name: &str, settings: &DataSettings) -> Expected {
    match (settings.types.get(name), settings.levels_of(name, |_| false)) {
        _ if settings.row_weights.as_deref() == Some(name) => Expected::Numbers(Some("row-weights")),
        _ if settings.entity.as_deref() == Some(name) => Expected::Text,
        (Some(ColumnType::Ignore), _) => Expected::Nothing,
        (_, Some(_)) => Expected::Text,
        _ if settings.cuts.contains_key(name) => Expected::Numbers(Some("cuts")),
        _ if settings.cuts_numbers_of(name) => Expected::Numbers(Some("bins")),
        (Some(ColumnType::Categorical), _) => Expected::Text,
        (Some(ColumnType::Numeric), _) => Expected::Numbers(None),
        (Some(ColumnType::Date(wish)), _) => Expected::Dates(wish.order()),
        _ if settings.time.as_deref() == Some(name) => Expected::Stamps,
        (Some(ColumnType::Keep) | None, _) if settings.names.contains(name) => Expected::Text,
        (Some(ColumnType::Ordered | ColumnType::Keep) | None, _) => Expected::Anything,
    }
}

/// Codes a table and reports every decision; a table with fewer usable columns than its purpose needs is refused.
pub(in crate::data) fn code(
    mut raw: RawTable,
    settings: &DataSettings,
    purpose: Purpose,
) -> Result<Dataset, Error> {
    let settings = &with_names(&raw, settings);
    check_names(&raw, settings)?;
    raw.drawn.end();
    if raw.rows == 0 {
        return Err(raw.refuse(Problem::NoRows));
    }
    let mut making = Making { fine: settings.fine.then(Vec::new), ..Making::default() };
    check_weights(&raw, settings)?;
    making.sequence = Sequence::of(&raw, settings)?;
    making.notices.extend(making.sequence.iter().flat_map(|sequence| sequence.notices.clone()));
    let mut unused = making.drop_rows_with_gaps(&mut raw, settings)?;
    making.warn_about_rows(raw.rows);
    making.notices.extend(alike(raw.columns.iter().map(|column| column.name.as_str())));
    making.weigh(&raw, settings)?;
    making.owners = owners_alone(&raw, settings)?;
    let names: BTreeSet<String> = raw.columns.iter().map(|column| column.name.clone()).collect();
    let mut verdicts = BTreeMap::new();
    let mut early = BTreeMap::new();
    let (mut groups, mut named) = (BTreeMap::new(), BTreeSet::new());
    // Columns that take most while they are decided come first, while little else is held.
    let mut places: Vec<usize> = (0..raw.columns.len()).collect();
    places.sort_by_key(|&place| !raw.columns[place].was_wide);
    for place in places {
        let column = raw.whole(place)?;
        let mut verdict = infer::decide(&column, &raw, settings)?;
        let dropped = making.cost_rows.contains(&column.name);
        verdict.warnings.extend(marks::in_vain(&column, verdict.missing, dropped, &raw.marks, settings));
        groups.extend(Groups::told_by(place, &column, &verdict, raw.rows).map(|groups| (place, groups)));
        named.extend(form::named_by_a_value(&column, &verdict).then_some(place));
        if let Cow::Owned(column) = column {
            // What has few values after all is compared with others value by value.
            match !column.is_wide() || verdict.distinct.0 <= twins::MOST_VALUES {
                true => raw.columns[place] = column,
                false => {
                    let seen = twins::seen((&column, &verdict), &raw);
                    let coded = Early::of(&column, &verdict, &raw, settings);
                    early.insert(place, Early { seen, ..coded });
                }
            }
            verdicts.insert(place, verdict);
            continue;
        }
        if let Some(unused) = unused.remove(&raw.columns[place].name) {
            let Verdict { distinct, missing, .. } = verdict;
            verdict = Verdict { distinct, missing, variables: Vec::new(), ..unused };
        }
        verdicts.insert(place, verdict);
    }
    let mut verdicts: Vec<Verdict> = verdicts.into_values().collect();
    let named: Vec<&str> = named.into_iter().map(|place| raw.columns[place].name.as_str()).collect();
    making.notices.extend(form::blanks(&raw));
    making.notices.extend(form::headless(&named, raw.columns.len()));
    making.notices.extend(form::counts(&raw, &verdicts)?);
    let columns = verdicts.iter().map(|verdict| verdict.variables.len()).sum();
    purpose.check_pairs(columns)?;
    making.look_for_twins(&raw, &verdicts, &early, columns)?;
    making.notices.extend(dummies::look(&raw, &verdicts));
    if settings.time.is_none() && settings.row_weights.is_none() {
        making.notices.extend(copies::look(&raw, &verdicts));
    }
    if settings.time.is_none()
        && let Some(notice) =
            groups::look(&raw, &verdicts, groups.into_values().collect(), settings.entity.as_deref())?
    {
        // What was guessed of single columns is now known.
        for (column, verdict) in raw.columns.iter().zip(&mut verdicts) {
            let named = notice.advice.iter().any(|advice| advice.value == column.name);
            let known = |kind: NoticeKind| kind == NoticeKind::Groups || named && kind == NoticeKind::Codes;
            verdict.warnings.retain(|warning| !known(warning.kind));
        }
        making.notices.push(notice);
    }
    for (place, (column, verdict)) in std::mem::take(&mut raw.columns).into_iter().zip(verdicts).enumerate() {
        let coded = early.remove(&place);
        let coded = coded.unwrap_or_else(|| Early::of(&column, &verdict, &raw, settings));
        making.take(column, verdict, coded, &raw, &names, settings);
    }
    if columns <= MOST_COMPARED {
        making.twins.extend(twins::calendar::look(&making.variables, &making.columns, raw.rows));
    }
    making.finish(&raw, settings, purpose.least)
}

/// Whether each column can be decided and coded by itself: rows that are left out because of one column are left out of all, and finer states
/// are made of the cells once the others are named.
pub(in crate::data) fn by_column(settings: &DataSettings) -> bool {
    settings.missing.values().all(|rule| *rule != MissingRule::Drop) && !settings.fine
}

/// A column in codes, before its variables have names: what is left of it once its cells are gone.
struct Early {
    /// The codes of each variable.
    codes: Vec<Vec<u8>>,
    grades: Option<Vec<u8>>,
    index: Option<DateIndex>,
    /// Of a column whose cells are gone before it is compared with others.
    seen: Option<Seen>,
}

impl Early {
    fn of(column: &Column, verdict: &Verdict, raw: &RawTable, settings: &DataSettings) -> Self {
        let has_gaps = gap_state(column, verdict, settings);
        let coded = |proposal: &Proposal| {
            let name = column.name.clone();
            proposal.coded(name.clone(), name, has_gaps).codes(column, &raw.marks).codes
        };
        let grade = |grades: &Grades| {
            let variable = Variable::new(column.name.clone(), Vec::<String>::new());
            let by_grade = CodedVariable { column: column.name.clone(), variable, rule: grades.rule() };
            by_grade.codes(column, &raw.marks).codes
        };
        let order = verdict.variables.first().and_then(|proposal| proposal.rule.order());
        Early {
            codes: verdict.variables.iter().map(coded).collect(),
            grades: verdict.grades.as_ref().filter(|_| !verdict.variables.is_empty()).map(grade),
            index: (verdict.kind == Kind::Date).then(|| DateIndex::of(column, order)),
            seen: None,
        }
    }
}

/// Whether the gaps of a column are a state of its own.
fn gap_state(column: &Column, verdict: &Verdict, settings: &DataSettings) -> bool {
    verdict.missing > 0 && *settings.missing.of(&column.name) == MissingRule::State
}

/// Columns of which every pair is compared.
const MOST_COMPARED: usize = 2000;

/// The result as it grows, column by column.
#[derive(Default)]
struct Making {
    variables: Vec<CodedVariable>,
    columns: Vec<Vec<u8>>,
    report: Vec<ColumnReport>,
    notices: Vec<Notice>,
    twins: Vec<Twin>,
    weights: Option<Vec<f64>>,
    sequence: Option<Sequence>,
    owners: Option<Vec<u32>>,
    /// The columns whose gaps made rows go away.
    cost_rows: BTreeSet<String>,
    indexes: Vec<DateIndex>,
    grades: Vec<Graded>,
    /// The same variables with finer states, if they are asked for.
    fine: Option<Vec<(CodedVariable, Vec<u8>)>>,
}

impl Making {
    /// Columns that say what others say, unless there are so many that comparing all pairs has no end.
    fn look_for_twins(
        &mut self,
        raw: &RawTable,
        verdicts: &[Verdict],
        early: &BTreeMap<usize, Early>,
        columns: usize,
    ) -> Result<(), Error> {
        if columns <= MOST_COMPARED {
            self.twins = twins::look(raw, verdicts, &|place| early.get(&place)?.seen.as_ref())?;
            return Ok(());
        }
        let (columns, most) = (grouped(columns), grouped(MOST_COMPARED));
        let message = format!(
            "{columns} columns: that some say what others say is not looked for among more than {most}"
        );
        self.notices.push(Notice::about_rows(message));
        Ok(())
    }

    /// Leaves out rows with a gap in a column that will be used; the columns with gaps that will not be, and why.
    fn drop_rows_with_gaps(
        &mut self,
        raw: &mut RawTable,
        settings: &DataSettings,
    ) -> Result<BTreeMap<String, Verdict>, Error> {
        if settings.missing.values().all(|rule| *rule != MissingRule::Drop) {
            return Ok(BTreeMap::new());
        }
        let Settled { costs, keep, unused } = gaps::settle(raw, settings)?;
        if costs.is_empty() {
            return Ok(unused);
        }
        let kept = keep.iter().filter(|&&keep| keep).count();
        let named: Vec<String> =
            costs.iter().map(|(gaps, name)| format!("'{name}' {}", grouped(*gaps))).collect();
        let message = format!(
            "{} dropped because of missing values (column {})",
            part_of(raw.rows - kept, raw.rows, "row"),
            named.join(", column ")
        );
        self.notices.push(Notice::about_rows(message));
        self.cost_rows.extend(costs.into_iter().map(|(_, name)| name));
        raw.columns.iter_mut().for_each(|column| column.retain(&keep));
        self.sequence.iter_mut().for_each(|sequence| sequence.retain(&keep));
        raw.rows = kept;
        Ok(unused)
    }

    /// Fewer than 20 rows can hardly show anything, but nobody is helped by a refusal: they are warned about.
    fn warn_about_rows(&mut self, rows: usize) {
        self.notices.extend(too_few(rows, "to learn from").map(Notice::about_rows));
    }

    /// Keeps the weights of the rows, and says what they do.
    fn weigh(&mut self, raw: &RawTable, settings: &DataSettings) -> Result<(), Error> {
        let Some((column, weights)) = weighing(raw, settings).zip(weights(raw, settings)?) else {
            return Ok(());
        };
        self.notices.push(Notice::about_rows(format!(
            "rows weighed by column '{}': probabilities are those of all rows with their weights, strengths and arcs come from {} of them, \
             drawn evenly by weight, as many as the weights are worth",
            column.name,
            grouped(effective(&weights))
        )));
        self.weights = Some(weights);
        Ok(())
    }

    /// Lets go of rows that have said what they were held for; how many are left of so many.
    fn let_go(&mut self, rows: usize, places: &[usize]) -> usize {
        if places.is_empty() {
            return rows;
        }
        let mut stays = vec![true; rows];
        places.iter().for_each(|&place| stays[place] = false);
        let fine = self.fine.iter_mut().flatten().map(|(_, codes)| codes);
        self.columns.iter_mut().chain(fine).for_each(|codes| retain_from(codes, 0, &stays));
        self.grades.iter_mut().for_each(|grades| grades.retain(&stays));
        self.indexes.iter_mut().for_each(|index| index.rows.retain_from(0, &stays));
        self.owners.iter_mut().for_each(|owners| retain_from(owners, 0, &stays));
        let of = |(coded, codes): (&CodedVariable, &Vec<u8>)| (coded.variable.name.clone(), counts(codes));
        let counts: BTreeMap<String, [usize; 256]> =
            self.variables.iter().zip(&self.columns).map(of).collect();
        for own in self.report.iter_mut().flat_map(|column| &mut column.variables) {
            let counts = counts.get(&own.name).into_iter().flatten();
            own.states.iter_mut().zip(counts).for_each(|(state, &rows)| state.rows = rows);
        }
        rows - places.len()
    }

    fn take(
        &mut self,
        column: Column,
        verdict: Verdict,
        coded: Early,
        raw: &RawTable,
        names: &BTreeSet<String>,
        settings: &DataSettings,
    ) {
        let name = &column.name;
        let Verdict { warnings, .. } = &verdict;
        let state = gap_state(&column, &verdict, settings);
        // Who says what a column is says that it is none.
        let says_when = !settings.types.contains_key(name) && when::says_when(&column, &verdict, &raw.marks);
        self.notices.extend(warnings.iter().map(|warning| warning.about(name)));
        let Verdict { kind, distinct, missing, reason, variables, grades, .. } = verdict;
        let decision = match kind {
            _ if variables.is_empty() => Decision::Dropped,
            Kind::Date => Decision::Derived,
            _ => Decision::Kept,
        };
        let role = match decision {
            Decision::Dropped => None,
            Decision::Derived => Some(Role::Calendar),
            Decision::Kept if says_when => Some(Role::Calendar),
            Decision::Kept => Some(Role::Observed),
        };
        if let Some(told) = column.told_of_zone().filter(|_| decision != Decision::Dropped) {
            self.notices.push(Warning::new(NoticeKind::Column, told).about(name));
        }
        if let Some(index) = coded.index {
            if index.orders_rows() {
                let text = "the rows stand in its order, but each is taken to be independent of the others: if it says when, learn over time";
                let warning = Warning::new(NoticeKind::InOrder, text).advising("time", name.clone());
                self.notices.push(warning.about(name));
            }
            self.indexes.push(index);
        }
        if let Some((grades, codes)) = grades.zip(coded.grades) {
            self.grades.push(grades.graded(name.clone(), codes));
        }
        let mut became = Vec::new();
        let before = self.variables.len();
        for (proposal, codes) in variables.into_iter().zip(coded.codes) {
            became.push(self.add(proposal, codes, &column, raw, names, state));
        }
        for coded in &self.variables[before..] {
            if let StateRule::Levels { .. } = coded.rule {
                let values = coded.variable.states.iter().map(String::as_str);
                self.notices.extend(alike_values(name, values));
            }
        }
        if missing > 0 && decision != Decision::Dropped {
            let figure = part_of(missing, raw.rows, "row");
            let (kind, meaning) = match state {
                true => (NoticeKind::GapState, "those get the state 'missing'"),
                false => (NoticeKind::Gaps, "those are unknown"),
            };
            let text = format!("no value in {figure}: {meaning}");
            self.notices.push(Warning { figure, ..Warning::new(kind, text) }.about(name));
        }
        let (distinct, distinct_is_exact) = distinct;
        let name = name.clone();
        self.report.push(ColumnReport {
            name,
            kind,
            distinct,
            distinct_is_exact,
            missing,
            decision,
            reason,
            role,
            variables: became,
        });
    }

    /// Names one variable, and takes its codes.
    fn add(
        &mut self,
        proposal: Proposal,
        codes: Vec<u8>,
        column: &Column,
        raw: &RawTable,
        names: &BTreeSet<String>,
        has_gaps: bool,
    ) -> VariableReport {
        let name = match proposal.part {
            None => column.name.clone(),
            Some(part) => {
                let taken: Vec<String> =
                    names.iter().chain(self.variables.iter().map(|v| &v.variable.name)).cloned().collect();
                unused(&format!("{} {}", column.name, part.word()), &taken)
            }
        };
        let coded = proposal.coded(column.name.clone(), name.clone(), has_gaps);
        if let Some(fine) = &mut self.fine {
            let finer = fine::finer(&coded, column, &raw.marks);
            let codes = finer.codes(column, &raw.marks).codes;
            fine.push((finer, codes));
        }
        let mut rows = [0usize; 256];
        codes.iter().for_each(|&code| rows[usize::from(code)] += 1);
        let states = coded.variable.states.iter().zip(rows);
        let states = states.map(|(label, rows)| StateReport { label: label.clone(), rows }).collect();
        self.variables.push(coded);
        self.columns.push(codes);
        VariableReport { name, states }
    }

    fn finish(mut self, raw: &RawTable, settings: &DataSettings, least: usize) -> Result<Dataset, Error> {
        let rows = self.let_go(raw.rows, &raw.drawn.beside);
        // One column alone has its own past, if rows have a time.
        let least = if settings.time.is_some() { least.min(1) } else { least };
        if self.variables.len() < least {
            let dropped = || self.report.iter().filter(|column| column.decision == Decision::Dropped);
            let reasons: Vec<String> =
                dropped().take(5).map(|c| format!("'{}': {}", c.name, c.reason)).collect();
            let keep = dropped().filter_map(ColumnReport::keep).take(least - self.variables.len()).collect();
            let reasons =
                if reasons.is_empty() { "is the separator another one?".into() } else { reasons.join("; ") };
            let (usable, all) = (self.variables.len(), self.report.len());
            return Err(raw.refuse(Problem::TooFewColumns { usable, all, reasons, keep }));
        }
        let coding = Coding::new(self.variables, settings.na.clone());
        let table = Table::new(coding.schema()?, self.columns)?;
        let fingerprint = Fingerprint::of(&table);
        let Making { report, notices, twins, weights, sequence, owners, indexes, grades, fine, .. } =
            Making { variables: Vec::new(), columns: Vec::new(), ..self };
        let fine = fine.map(|fine| Fine::new(fine, settings.na.clone())).transpose()?;
        Ok(Dataset {
            table,
            rows,
            coding,
            report,
            notices,
            twins,
            weights,
            sequence,
            owners,
            fingerprint,
            indexes,
            grades,
            fine,
            beyond: None,
        })
    }
}

/// The rows of every code.
fn counts(codes: &[u8]) -> [usize; 256] {
    let mut counts = [0; 256];
    codes.iter().for_each(|&code| counts[usize::from(code)] += 1);
    counts
}

/// The settings with levels under the names that columns have: one with `=` in it may have been split too early.
fn with_names(raw: &RawTable, settings: &DataSettings) -> DataSettings {
    let mut settings = settings.clone();
    let is_column = |name: &str| raw.columns.iter().any(|column| column.name == name);
    for column in &raw.columns {
        if let Some((split, levels)) = settings.levels_of(&column.name, is_column) {
            settings.levels.remove(&split);
            settings.levels.insert(column.name.clone(), levels);
        }
    }
    settings
}

/// The column that weighs the rows.
fn weighing<'a>(raw: &'a RawTable, settings: &DataSettings) -> Option<&'a Column> {
    raw.columns.iter().find(|column| settings.row_weights.as_ref() == Some(&column.name))
}

/// The weights of the rows, of which the mean is 1.
pub(in crate::data) fn weights(raw: &RawTable, settings: &DataSettings) -> Result<Option<Vec<f64>>, Error> {
    let Some(column) = weighing(raw, settings) else { return Ok(None) };
    let mut weights = column.numbers(&raw.marks);
    let sum: f64 = weights.iter().sum();
    if !(sum > 0.0 && sum.is_finite()) {
        let (name, value) = ("row-weights", format!("'{}'", column.name));
        let expected = "a column of numbers that are not all 0, nor too large to be added";
        return Err(Error::Setting { name, value, expected });
    }
    weights.iter_mut().for_each(|weight| *weight *= raw.rows as f64 / sum);
    Ok(Some(weights))
}

/// The same, of rows that nobody drops and in which nobody looked for weights that are none.
pub(in crate::data) fn checked_weights(
    raw: &RawTable,
    settings: &DataSettings,
) -> Result<Option<Vec<f64>>, Error> {
    check_weights(raw, settings)?;
    weights(raw, settings)
}

/// Weights must be numbers from 0 on. Looked at before rows are dropped: the row is told as it stands in the table.
fn check_weights(raw: &RawTable, settings: &DataSettings) -> Result<(), Error> {
    let Some(column) = weighing(raw, settings) else { return Ok(()) };
    let weights = column.numbers(&raw.marks);
    let Some(row) = weights.iter().position(|&weight| weight.is_nan() || weight < 0.0) else { return Ok(()) };
    let weight = Some(weights[row]).filter(|weight| !weight.is_nan()).map(number::write);
    Err(raw.refuse(Problem::Weight { column: column.name.clone(), row: row + 1, weight }))
}

/// Every column that an option names must be there.
fn check_names(raw: &RawTable, settings: &DataSettings) -> Result<(), Error> {
    let is_column = |name: &str| raw.columns.iter().any(|column| column.name == name);
    let options = [
        ("type", settings.types.keys().collect::<Vec<_>>()),
        ("levels", settings.levels.keys().collect()),
        ("bins", settings.bins.columns.keys().collect()),
        ("cuts", settings.cuts.keys().collect()),
        ("na", settings.na.columns.keys().collect()),
        ("missing", settings.missing.columns.keys().collect()),
        ("row-weights", settings.row_weights.iter().collect()),
        ("time", settings.time.iter().collect()),
        ("entity", settings.entity.iter().collect()),
    ];
    for (option, names) in options {
        for name in names {
            if is_column(name) {
                continue;
            }
            let known = raw.columns.iter().map(|column| column.name.as_str());
            let closest = closest(name, known).map(String::from);
            let wanted_by = option.to_string();
            let made = DatePart::ALL.into_iter().find_map(|part| {
                let column = name.strip_suffix(part.word())?.strip_suffix(' ')?;
                is_column(column).then_some((column.to_string(), part))
            });
            if let Some((column, part)) = made {
                let others = DatePart::ALL.into_iter().filter(|other| *other != part);
                let others = others.map(DatePart::word).collect::<Vec<_>>().join(",");
                let name = name.clone();
                return Err(option_problem(Problem::PartOfColumn { wanted_by, name, column, others }));
            }
            return Err(option_problem(Problem::UnknownColumn { wanted_by, name: name.clone(), closest }));
        }
    }
    Ok(())
}
