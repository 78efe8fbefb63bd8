//! The options about a table, shared by every command that reads one.

use crate::failure::Failure;
use crate::session::Session;
use clap::builder::PossibleValuesParser;
use clap::{Args, builder::TypedValueParser};
use clausality::bn::Schema;
use clausality::data::{self, Coding, ColumnType, DataParams, Dataset, Discretize, MissingRule};
use serde::{Deserialize, Serialize};
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

pub(crate) use clausality::run::STANDARD_INPUT;

/// How to read a table, for commands that name it themselves.
#[derive(Debug, Args)]
#[command(next_help_heading = "Reading the table")]
pub(crate) struct TableOptions {
    /// Say what a column is: categorical, numeric, ordered, date, ignore, or keep (no id)
    #[arg(long = "type", value_name = "COL=TYPE", value_parser = parse_type)]
    types: Vec<(String, ColumnType)>,
    /// List a column's levels from low to high (levels with '<' in them: use --config)
    #[arg(long, value_name = "COL=a<b<c", value_parser = parse_levels)]
    levels: Vec<(String, Vec<String>)>,
    /// States of a numeric column with more distinct values than this [default: 4]
    #[arg(long, value_name = "N")]
    bins: Option<usize>,
    /// Cut numbers into bins of equal counts or of equal width [default: quantile]
    #[arg(long, value_name = "HOW", value_parser = parser::<Discretize>(&["quantile", "width"]))]
    discretize: Option<Discretize>,
    /// Give gaps a state of their own, or drop rows with gaps [default: state]
    #[arg(long, value_name = "HOW", value_parser = parser::<MissingRule>(&["state", "drop"]))]
    missing: Option<MissingRule>,
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

impl RowOptions {
    /// The options of the command line over those of the configuration file.
    pub(crate) fn reading(&self, session: &Session) -> Result<Reading, Failure> {
        Reading::asked(self.na.as_ref(), self.separator, session)
    }
}

/// How a file of rows is written, as far as the user says so.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Reading {
    na: Option<Vec<String>>,
    separator: Option<char>,
}

impl Reading {
    fn asked(na: Option<&Vec<String>>, separator: Option<char>, session: &Session) -> Result<Self, Failure> {
        let file: Reading = session.config.section()?;
        let asked = Reading { na: na.cloned().or(file.na), separator: separator.or(file.separator) };
        DataParams { separator: asked.separator, ..DataParams::default() }.check()?;
        Ok(asked)
    }

    /// What a configuration file says alone.
    pub(crate) fn configured(session: &Session) -> Result<Self, Failure> {
        Reading::asked(None, None, session)
    }

    /// The coding of a network's rows in a file written so: the one it keeps, else by the labels of its states.
    pub(crate) fn coding(&self, kept: Option<Coding>, schema: &Schema) -> Coding {
        match kept {
            Some(coding) => coding.reading(self.na.clone(), self.separator),
            None => {
                let na = self.na.clone().unwrap_or_else(|| DataParams::default().na);
                Coding::of_labels(schema, &na).reading(None, self.separator)
            }
        }
    }
}

impl TableArgs {
    /// The table as a path, `-` for standard input.
    pub(crate) fn path(&self) -> &Path {
        Path::new(&self.table)
    }

    /// How rows of a known network are written in the table.
    pub(crate) fn reading(&self, session: &Session) -> Result<Reading, Failure> {
        Reading::asked(self.options.na.as_ref(), self.options.separator, session)
    }

    /// Reads and codes the table to be looked at, whether or not it can be learned from.
    pub(crate) fn inspect_with(&self, params: &DataParams, session: &Session) -> Result<Dataset, Failure> {
        let dataset = if self.table == "-" {
            data::inspect_csv(std::io::stdin().lock(), self.name(), params, &session.limits())?
        } else {
            data::inspect_path(self.path(), params, &session.limits())?
        };
        dataset.warnings.iter().for_each(|warning| session.warn(&warning.message));
        Ok(dataset)
    }

    /// The table as it was given, `-` for standard input.
    pub(crate) fn table(&self) -> &str {
        &self.table
    }

    /// The table as the user named it.
    pub(crate) fn name(&self) -> &str {
        if self.table == "-" { STANDARD_INPUT } else { &self.table }
    }

    /// Reads and codes the table under parameters that the command has completed, and passes on what the user should know.
    pub(crate) fn read_with(&self, params: &DataParams, session: &Session) -> Result<Dataset, Failure> {
        let dataset = if self.table == "-" {
            data::read_csv(std::io::stdin().lock(), self.name(), params, &session.limits())?
        } else {
            data::read_path(self.path(), params, &session.limits())?
        };
        dataset.warnings.iter().for_each(|warning| session.warn(&warning.message));
        Ok(dataset)
    }

    /// The options about reading the table.
    pub(crate) fn params(&self, session: &Session) -> Result<DataParams, Failure> {
        self.options.params(session)
    }
}

impl TableOptions {
    /// The options of the command line over those of the configuration file over the defaults.
    pub(crate) fn params(&self, session: &Session) -> Result<DataParams, Failure> {
        let mut params: DataParams = session.config.section()?;
        params.types.extend(self.types.iter().cloned());
        params.levels.extend(self.levels.iter().cloned());
        params.bins = self.bins.unwrap_or(params.bins);
        params.discretize = self.discretize.or(params.discretize);
        params.missing = self.missing.unwrap_or(params.missing);
        params.na = self.na.clone().unwrap_or(params.na);
        params.max_categories = self.max_categories.unwrap_or(params.max_categories);
        params.separator = self.separator.or(params.separator);
        params.check()?;
        Ok(params)
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
    let words = "categorical, numeric, ordered, date, ignore or keep";
    let (column, kind) = text.rsplit_once('=').ok_or(format!("expected COL=TYPE with TYPE {words}"))?;
    let kind =
        word_value(kind.trim()).map_err(|_| format!("'{}' is no type; expected {words}", kind.trim()))?;
    Ok((column.trim().to_string(), kind))
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
    use crate::config::keys_of;
    use clap::Command;

    #[test]
    fn every_parameter_has_an_option_of_its_name() {
        let command = TableOptions::augment_args(Command::new("test"));
        let options: Vec<_> = command.get_arguments().filter_map(|arg| arg.get_long()).collect();
        for key in keys_of::<DataParams>() {
            assert!(options.contains(&key.as_str()), "--{key} is missing");
        }
    }

    #[test]
    fn values_split_where_names_end() {
        assert_eq!(parse_type("a=b=ignore"), Ok(("a=b".into(), ColumnType::Ignore)));
        assert!(parse_type("a=nominal").is_err());
        assert_eq!(parse_levels("x = a < b"), Ok(("x".into(), vec!["a".into(), "b".into()])));
        assert_eq!(parse_separator("tab"), Ok('\t'));
        assert!(parse_separator(";;").is_err());
    }
}
