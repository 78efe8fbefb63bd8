//! The options about a table, shared by every command that reads one.

use crate::failure::{Failure, option};
use crate::session::{Given, Session, written};
use clap::builder::PossibleValuesParser;
use clap::{Args, builder::TypedValueParser};
use clausality::data::{
    self, Absent, ColumnType, DataSettings, Dataset, Discretize, Input, MissingRule, Uncoded,
};
use clausality::model::{Model, Reading, Rows};
use clausality::run::STANDARD_INPUT;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::path::Path;

/// Which table, and how to read it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Reading the table")]
pub(crate) struct TableArgs {
    /// The table: .csv, .tsv, .csv.gz, .parquet, .arrow, .feather, or - for CSV on standard input
    // An argument, wherever the headings of a command's options may stand.
    #[arg(value_name = "TABLE", help_heading = clap::builder::Resettable::Reset)]
    table: String,
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
    /// List a column's levels from low to high (levels with '<' in them: use --config)
    #[arg(long, value_name = "COL=a<b<c", value_parser = parse_levels)]
    #[serde(serialize_with = "by_column", skip_serializing_if = "Vec::is_empty")]
    levels: Vec<(String, Vec<String>)>,
    /// States of a numeric column with more distinct values than this [default: 4]
    #[arg(long, value_name = "N")]
    bins: Option<usize>,
    /// Cut numbers into bins of equal counts or of equal width [default: quantile]
    #[arg(long, value_name = "HOW", value_parser = parser::<Discretize>(&["quantile", "width"]))]
    discretize: Option<Discretize>,
    /// What gaps mean, everywhere or in a column: unknown (pairs, em), a state of their own, or a row to drop [default: em]
    #[arg(long, value_name = "HOW|COL=HOW", value_parser = parse_missing)]
    #[serde(serialize_with = "by_column", skip_serializing_if = "Vec::is_empty")]
    missing: Vec<(String, MissingRule)>,
    /// Cells that mean "no value", beside empty ones [default: NA,NaN,nan,null,NULL,?]
    #[arg(long, value_name = "TEXT,…", value_delimiter = ',')]
    na: Option<Vec<String>>,
    /// States that a categorical column keeps; the rarest share "other" [default: 20]
    #[arg(long, value_name = "N")]
    max_categories: Option<usize>,
    /// What stands between cells [default: detected among , ; tab |]
    #[arg(long, value_name = "CHAR", value_parser = parse_separator)]
    separator: Option<char>,
}

/// How to read rows whose states are known already, for commands that name the table themselves.
#[derive(Debug, Args)]
#[command(next_help_heading = "Reading the table")]
pub(crate) struct RowOptions {
    /// Cells that mean "no value", beside empty ones [default: as the network keeps it, else NA,NaN,nan,null,NULL,?]
    #[arg(long, value_name = "TEXT,…", value_delimiter = ',')]
    na: Option<Vec<String>>,
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

impl RowOptions {
    /// Reads rows for a network and says which cells could not be used.
    pub(crate) fn rows(
        &self,
        model: &Model,
        table: &str,
        absent: Absent,
        session: &Session,
    ) -> Result<Rows, Failure> {
        rows(model, table, &self.reading(session)?, absent, session)
    }

    /// How the table is written, by these options over the configuration file.
    pub(crate) fn reading(&self, session: &Session) -> Result<Reading, Failure> {
        let file: Reading = session.config.section()?;
        Ok(Reading { na: self.na.clone().or(file.na), separator: self.separator.or(file.separator) })
    }
}

/// Reads rows for a network, written as a configuration file says.
pub(crate) fn configured_rows(
    model: &Model,
    table: &str,
    absent: Absent,
    session: &Session,
) -> Result<Rows, Failure> {
    rows(model, table, &session.config.section()?, absent, session)
}

fn rows(
    model: &Model,
    table: &str,
    reading: &Reading,
    absent: Absent,
    session: &Session,
) -> Result<Rows, Failure> {
    let rows = Rows::read(model, input(table), reading, absent, &session.bounds())?;
    rows.notices().iter().for_each(|notice| session.warn(notice));
    Ok(rows)
}

/// A table by its argument: a file, or `-` for CSV on standard input.
pub(crate) fn input(table: &str) -> Input<'_> {
    if table == "-" { Input::csv(std::io::stdin().lock(), STANDARD_INPUT) } else { table.into() }
}

impl TableArgs {
    /// The table as a path, `-` for standard input.
    pub(crate) fn path(&self) -> &Path {
        Path::new(&self.table)
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
    pub(crate) fn name(&self) -> &str {
        if self.table == "-" { STANDARD_INPUT } else { &self.table }
    }

    /// Reads the table without deciding anything about it.
    pub(crate) fn sheet(&self, settings: &DataSettings, session: &Session) -> Result<Uncoded, Failure> {
        Ok(Uncoded::read(self.input(), settings, &session.bounds())?)
    }

    /// Reads and codes the table, and passes on what the user should know.
    pub(crate) fn read(&self, settings: &DataSettings, session: &Session) -> Result<Dataset, Failure> {
        let dataset = data::read(self.input(), settings, &session.bounds())?;
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
fn warn(dataset: &Dataset, session: &Session) {
    for notice in data::together(&dataset.notices) {
        let options = notice.advice.iter().map(|advice| format!(" ({})", option(advice)));
        session.warn(format!("{notice}{}", options.collect::<String>()));
    }
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

/// A rule for one column, or for all of them (`*`, as settings write it).
fn parse_missing(text: &str) -> Result<(String, MissingRule), String> {
    let words = "pairs, em, state or drop";
    let (column, rule) = text.rsplit_once('=').unwrap_or(("*", text));
    let rule =
        word_value(rule.trim()).map_err(|_| format!("'{}' is no rule; expected {words}", rule.trim()))?;
    Ok((column.trim().to_string(), rule))
}

fn parse_levels(text: &str) -> Result<(String, Vec<String>), String> {
    let (column, levels) = text.split_once('=').ok_or("expected COL=a<b<c")?;
    let levels = levels.split('<').map(|level| level.trim().to_string()).collect();
    Ok((column.trim().to_string(), levels))
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
        assert_eq!(parse_separator("tab"), Ok('\t'));
        assert!(parse_separator(";;").is_err());
    }
}
