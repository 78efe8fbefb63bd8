//! The options about a table, shared by every command that reads one.

use crate::failure::{Failure, option};
use crate::session::{Given, Session, written};
use clap::builder::PossibleValuesParser;
use clap::{Args, builder::TypedValueParser};
use clausality::data::{
    self, Absent, ByColumn, ColumnType, DataSettings, Dataset, Discretize, FirstPass, Input, MissingRule,
    Notice, Uncoded,
};
use clausality::model::{Model, Reading, Rows};
use clausality::run::STANDARD_INPUT;
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Which table, and how to read it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Reading the table")]
pub(crate) struct TableArgs {
    /// The table: .csv, .tsv, .csv.gz, .parquet, .arrow, .feather, a folder of such files or a quoted pattern ('part-*.csv.gz'), or - for CSV
    /// on standard input
    // An argument, wherever the headings of a command's options may stand.
    #[arg(value_name = "TABLE", help_heading = clap::builder::Resettable::Reset)]
    table: PathBuf,
    #[command(flatten)]
    options: TableOptions,
}

/// How to read a table, for commands that name it themselves.
#[derive(Debug, Args, Serialize)]
#[serde(rename_all = "kebab-case")]
#[command(next_help_heading = "Reading the table")]
pub(crate) struct TableOptions {
    /// Say what a column is: categorical, numeric, ordered, date (date:year,hour for some of its parts, date:dmy for 31/12/2019), ignore, or keep (no id)
    #[arg(long = "type", value_name = "COL=TYPE", value_parser = parse_type)]
    #[serde(rename = "type", serialize_with = "by_column", skip_serializing_if = "Vec::is_empty")]
    types: Vec<(String, ColumnType)>,
    /// List a column's levels from low to high, the rest follow (levels with '<' in them: use --config)
    #[arg(long, value_name = "COL=a<b<c", value_parser = parse_levels)]
    #[serde(serialize_with = "by_column", skip_serializing_if = "Vec::is_empty")]
    levels: Vec<(String, Vec<String>)>,
    /// States of a numeric column with more distinct values than this, or of one column [default: 4]
    #[arg(long, value_name = "[COL=]N", value_parser = parse_bins)]
    #[serde(serialize_with = "by_column", skip_serializing_if = "Vec::is_empty")]
    bins: Vec<(String, usize)>,
    /// Cut a column at these numbers; a state begins at each
    #[arg(long, value_name = "COL=a,b,c", value_parser = parse_cuts)]
    #[serde(serialize_with = "by_column", skip_serializing_if = "Vec::is_empty")]
    cuts: Vec<(String, Vec<f64>)>,
    /// Cut numbers into bins of equal counts, of equal width, or for what depends on them [default: quantile]
    #[arg(long, value_name = "HOW", value_parser = parser::<Discretize>(&["quantile", "width", "mdl"]))]
    discretize: Option<Discretize>,
    /// What gaps mean, everywhere or in a column: unknown (pairs, em), a state of their own, or a row to drop [default: em]
    #[arg(long, value_name = "[COL=]HOW,…", value_parser = parse_missing)]
    #[serde(serialize_with = "missing_by_column", skip_serializing_if = "Vec::is_empty")]
    missing: Vec<Missing>,
    /// Cells that mean "no value", beside empty ones; in one column, beside those too [default: NA, N/A, NaN, null, ? and their like]
    #[arg(long, value_name = "[COL=]TEXT,…", value_parser = parse_marks)]
    #[serde(serialize_with = "together", skip_serializing_if = "Vec::is_empty")]
    na: Vec<Marks>,
    /// States that a categorical column keeps; the rarest share "other" [default: 20, up to 64 with rows enough]
    #[arg(long, value_name = "N")]
    max_categories: Option<usize>,
    /// Rows held in memory at most: of a longer table in files an even part proposes, and all rows are counted from disk [default: 1000000]
    #[arg(long, value_name = "N")]
    rows_held: Option<usize>,
    /// A column whose numbers say how much each row counts (survey weights); it becomes no variable
    #[arg(long, value_name = "COL")]
    row_weights: Option<String>,
    /// What stands between cells [default: detected among , ; tab |]
    #[arg(long, value_name = "CHAR", value_parser = parse_separator)]
    separator: Option<char>,
}

/// How to read rows whose states are known already, for commands that name the table themselves.
#[derive(Debug, Args)]
#[command(next_help_heading = "Reading the table")]
pub(crate) struct RowOptions {
    /// Cells that mean "no value", beside empty ones [default: as the network keeps it, else NA, N/A, NaN, null, ? and their like]
    #[arg(long, value_name = "[COL=]TEXT,…", value_parser = parse_marks)]
    na: Vec<Marks>,
    /// What stands between cells [default: detected among , ; tab |]
    #[arg(long, value_name = "CHAR", value_parser = parse_separator)]
    separator: Option<char>,
}

impl Given for TableOptions {
    fn document(&self) -> Result<String, Failure> {
        written(self)
    }
}

/// Pairs of a column and something, as a map; of one column the last.
fn by_column<S: Serializer, V: Serialize>(pairs: &[(String, V)], serializer: S) -> Result<S::Ok, S::Error> {
    pairs.iter().map(|(column, value)| (column, value)).collect::<BTreeMap<_, _>>().serialize(serializer)
}

/// The same for lists; those of one column are joined.
fn together<S: Serializer>(marks: &[Marks], serializer: S) -> Result<S::Ok, S::Error> {
    joined(marks).serialize(serializer)
}

fn joined(marks: &[Marks]) -> BTreeMap<String, Vec<String>> {
    let mut columns: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (column, texts) in marks.iter().flatten() {
        columns.entry(column.clone()).or_default().extend(texts.iter().cloned());
    }
    columns
}

impl RowOptions {
    /// What was said about gaps, over what a configuration file says.
    fn marks(&self, file: Option<ByColumn<Vec<String>>>) -> Option<ByColumn<Vec<String>>> {
        if self.na.is_empty() {
            return file;
        }
        let mut marks = file.unwrap_or_else(|| DataSettings::default().na);
        let mut given = joined(&self.na);
        marks.all = given.remove(EVERY_COLUMN).unwrap_or(marks.all);
        marks.columns.extend(given);
        Some(marks)
    }

    /// Reads rows for a network and says which cells could not be used.
    pub(crate) fn rows(
        &self,
        model: &Model,
        table: &Path,
        absent: Absent,
        session: &Session,
    ) -> Result<Rows, Failure> {
        rows(model, table, &self.reading(session)?, absent, session)
    }

    /// How the table is written, by these options over the configuration file.
    pub(crate) fn reading(&self, session: &Session) -> Result<Reading, Failure> {
        let file: Reading = session.config.section()?;
        Ok(Reading { na: self.marks(file.na), separator: self.separator.or(file.separator), ..file })
    }
}

/// Reads rows for a network, written as a configuration file says.
pub(crate) fn configured_rows(
    model: &Model,
    table: &Path,
    absent: Absent,
    session: &Session,
) -> Result<Rows, Failure> {
    rows(model, table, &session.config.section()?, absent, session)
}

fn rows(
    model: &Model,
    table: &Path,
    reading: &Reading,
    absent: Absent,
    session: &Session,
) -> Result<Rows, Failure> {
    let rows = Rows::read(model, input(table), reading, absent, &session.bounds())?;
    rows.notices().iter().for_each(|notice| session.warn(notice));
    Ok(rows)
}

/// A table by its argument: a file, or `-` for CSV on standard input.
pub(crate) fn input(table: &Path) -> Input<'_> {
    if table == Path::new("-") { Input::csv(std::io::stdin().lock(), STANDARD_INPUT) } else { table.into() }
}

impl TableArgs {
    /// The table as a path, `-` for standard input.
    pub(crate) fn path(&self) -> &Path {
        &self.table
    }

    /// How to read it.
    pub(crate) fn options(&self) -> &TableOptions {
        &self.options
    }

    /// The table as it is handed to the library.
    pub(crate) fn input(&self) -> Input<'_> {
        input(&self.table)
    }

    /// The table as the user named it.
    pub(crate) fn name(&self) -> Cow<'_, str> {
        if self.table == Path::new("-") { STANDARD_INPUT.into() } else { self.table.to_string_lossy() }
    }

    /// Reads the table without deciding anything about it.
    pub(crate) fn sheet(&self, settings: &DataSettings, session: &Session) -> Result<Uncoded, Failure> {
        Ok(Uncoded::read(self.input(), settings, &session.bounds())?)
    }

    /// Reads and codes the table, and passes on what the user should know.
    pub(crate) fn read(&self, settings: &DataSettings, session: &Session) -> Result<Dataset, Failure> {
        self.read_first(settings, FirstPass::default(), session)
    }

    /// The same, with a first pass over a long table as it is said.
    pub(crate) fn read_first(
        &self,
        settings: &DataSettings,
        first: FirstPass<'_>,
        session: &Session,
    ) -> Result<Dataset, Failure> {
        let dataset = data::read_first(self.input(), settings, &session.bounds(), first)?;
        warn(&dataset, session);
        Ok(dataset)
    }

    /// Reads and codes the table to be looked at, whether or not it can be learned from.
    pub(crate) fn inspect(&self, settings: &DataSettings, session: &Session) -> Result<Dataset, Failure> {
        let dataset = data::inspect(self.input(), settings, &session.bounds())?;
        warn(&dataset, session);
        Ok(dataset)
    }
}

/// Passes on what the user should know, a line for each kind of thing.
pub(crate) fn warn(dataset: &Dataset, session: &Session) {
    for notice in data::together(&dataset.notices) {
        session.warn(advised(&notice));
    }
}

/// A notice with the options that would change it.
pub(crate) fn advised(notice: &Notice) -> String {
    let options: Vec<String> = notice.advice.iter().map(option).collect();
    let options = if options.is_empty() { String::new() } else { format!(" ({})", options.join(" ")) };
    format!("{notice}{options}")
}

/// A parser for one of a few words, read by the parameter's own serde names.
pub(crate) fn parser<T>(words: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: serde::de::DeserializeOwned + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(words).try_map(|word| word_value::<T>(&word))
}

fn word_value<T: serde::de::DeserializeOwned>(word: &str) -> Result<T, serde_json::Error> {
    serde_json::from_value(serde_json::Value::String(word.to_string()))
}

fn parse_type(text: &str) -> Result<(String, ColumnType), String> {
    let (column, kind) =
        text.rsplit_once('=').ok_or(format!("expected COL=TYPE with TYPE {}", ColumnType::WORDS))?;
    Ok((column.trim().to_string(), kind.trim().parse()?))
}

/// Columns (`*` for all of them, as settings write it) with their rules.
type Missing = Vec<(String, MissingRule)>;

/// A rule for one column, for all of them, or several with commas between. A name may hold commas and `=`, so a list is one only if all
/// its parts are rules.
fn parse_missing(text: &str) -> Result<Missing, String> {
    let rule = |text: &str| -> Result<(String, MissingRule), String> {
        let (column, rule) = text.rsplit_once('=').unwrap_or((EVERY_COLUMN, text));
        let rule = rule.trim();
        let rule = word_value(rule).map_err(|_| {
            format!("'{rule}' is no rule; expected pairs, em, state or drop, or COL=HOW, several with commas between")
        })?;
        Ok((column.trim().to_string(), rule))
    };
    text.split(',').map(rule).collect::<Result<_, _>>().or_else(|_| Ok(vec![rule(text)?]))
}

/// Those of every time that the option is given, as a map; of one column the last.
fn missing_by_column<S: Serializer>(rules: &[Missing], serializer: S) -> Result<S::Ok, S::Error> {
    by_column(&rules.concat(), serializer)
}

fn parse_levels(text: &str) -> Result<(String, Vec<String>), String> {
    let (column, levels) = text.split_once('=').ok_or("expected COL=a<b<c")?;
    let levels = levels.split('<').map(|level| level.trim().to_string()).collect();
    Ok((column.trim().to_string(), levels))
}

/// The name under which stands what holds for every column.
const EVERY_COLUMN: &str = ByColumn::<()>::ALL;

/// `COL=…`, or what is said of every column. A name may hold `=`, so the last one counts.
fn for_column(text: &str) -> (String, &str) {
    match text.rsplit_once('=') {
        Some((column, rest)) if !column.trim().is_empty() => (column.trim().to_string(), rest.trim()),
        _ => (EVERY_COLUMN.to_string(), text),
    }
}

fn parse_bins(text: &str) -> Result<(String, usize), String> {
    let (column, number) = for_column(text);
    let number =
        number.parse().map_err(|_| format!("'{number}' is no number of states; expected N or COL=N"))?;
    Ok((column, number))
}

fn parse_cuts(text: &str) -> Result<(String, Vec<f64>), String> {
    let (column, cuts) = text.rsplit_once('=').ok_or("expected COL=a,b,c")?;
    let cut = |cut: &str| {
        cut.trim().parse().map_err(|_| format!("'{}' is no number; expected COL=a,b,c", cut.trim()))
    };
    Ok((column.trim().to_string(), cuts.split(',').map(cut).collect::<Result<_, _>>()?))
}

/// Columns (`*` for all of them) with the cells that mean "no value".
type Marks = Vec<(String, Vec<String>)>;

/// Marks of every column, of one, or of several (`a=99,98,b=-1`): a part with a name before `=` begins a column. A name may hold commas and
/// `=`, so a list is one only if it begins with a column.
fn parse_marks(text: &str) -> Result<Marks, String> {
    let mut columns: Marks = Vec::new();
    for part in text.split(',') {
        match (for_column(part), columns.last_mut()) {
            ((column, mark), _) if column != EVERY_COLUMN => columns.push((column, vec![mark.to_string()])),
            (_, Some((_, marks))) => marks.push(part.to_string()),
            (_, None) => {
                let (column, texts) = for_column(text);
                return Ok(vec![(column, texts.split(',').map(String::from).collect())]);
            }
        }
    }
    Ok(columns)
}

fn parse_separator(text: &str) -> Result<char, String> {
    let mut chars = text.chars();
    match (text, chars.next(), chars.next()) {
        ("tab" | "\\t", ..) => Ok('\t'),
        (_, Some(separator), None) => Ok(separator),
        _ => Err("expected one character, or the word tab".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_split_where_names_end() {
        assert_eq!(parse_type("a=b=ignore"), Ok(("a=b".into(), ColumnType::Ignore)));
        assert!(parse_type("a=nominal").is_err());
        let parsed = |text: &str| parse_type(text).map(|(_, kind)| kind.to_string());
        assert_eq!(parsed("a=date:hour, year"), Ok("date:year,hour".into()));
        assert_eq!(parsed("a=date:when,mdy"), Ok("date:mdy,when".into()));
        assert!(
            parsed("a=date:yaer").unwrap_err().contains("'yaer' is no part of a date; expected some of year")
        );
        assert_eq!(parse_levels("x = a < b"), Ok(("x".into(), vec!["a".into(), "b".into()])));
        assert_eq!(parse_bins("6"), Ok(("*".into(), 6)));
        assert_eq!(parse_bins("a=b=6"), Ok(("a=b".into(), 6)));
        assert!(parse_bins("age=many").unwrap_err().contains("no number of states"));
        assert_eq!(parse_cuts("age = 18, 30.5"), Ok(("age".into(), vec![18.0, 30.5])));
        assert!(parse_cuts("18,30").is_err() && parse_cuts("age=18,old").is_err());
        let marks = |column: &str, texts: &[&str]| -> (String, Vec<String>) {
            (column.into(), texts.iter().map(|&text| text.into()).collect())
        };
        assert_eq!(parse_marks("99,-"), Ok(vec![marks("*", &["99", "-"])]));
        assert_eq!(parse_marks("hours=99"), Ok(vec![marks("hours", &["99"])]));
        assert_eq!(parse_marks("a=b=99"), Ok(vec![marks("a=b", &["99"])]));
        assert_eq!(parse_marks("a=1,2, b=2"), Ok(vec![marks("a", &["1", "2"]), marks("b", &["2"])]));
        assert_eq!(parse_marks("size, in cm=9,8"), Ok(vec![marks("size, in cm", &["9", "8"])]));
        assert_eq!(parse_missing("state"), Ok(vec![("*".into(), MissingRule::State)]));
        let both = vec![("x".into(), MissingRule::State), ("y".into(), MissingRule::Drop)];
        assert_eq!(parse_missing("x=state, y=drop"), Ok(both));
        assert_eq!(parse_missing("size, in cm=em"), Ok(vec![("size, in cm".into(), MissingRule::Em)]));
        assert!(parse_missing("x=state,y=gone").unwrap_err().contains("'gone' is no rule"));
        assert_eq!(parse_separator("tab"), Ok('\t'));
        assert!(parse_separator(";;").is_err());
    }
}
