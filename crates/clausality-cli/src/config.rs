//! Configuration files: TOML with the names of the command-line options.
//!
//! A file may serve several commands. A key that no command knows is refused with its place; a key of another command is
//! passed over. Each command takes its own part as a parameter struct, so wrong values are refused with their place too.

use crate::cli::Cli;
use crate::failure::Failure;
use clap::CommandFactory;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeSet;
use std::path::Path;

/// A configuration file, or none.
#[derive(Debug, Default)]
pub(crate) struct Config {
    file: String,
    text: String,
}

impl Config {
    /// Reads the file and refuses what no command knows.
    pub(crate) fn load(path: Option<&Path>) -> Result<Self, Failure> {
        let Some(path) = path else { return Ok(Config::default()) };
        let file = path.display().to_string();
        let bytes =
            std::fs::read(path).map_err(|source| clausality::Error::Io { file: file.clone(), source })?;
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let good = String::from_utf8_lossy(&error.as_bytes()[..error.utf8_error().valid_up_to()]);
                let (line, column) = line_and_column(&good, good.len());
                return Err(Failure::at(&file, line, column, "not valid UTF-8 text: save the file as UTF-8"));
            }
        };
        let config = Config { file, text };
        config.refuse_unknown_keys()?;
        Ok(config)
    }

    /// The part of the file that belongs to one parameter struct, over its defaults.
    pub(crate) fn section<T: DeserializeOwned + Serialize + Default>(&self) -> Result<T, Failure> {
        let mut table = self.parse()?;
        let known = keys_of::<T>();
        for (mut key, value) in std::mem::take(table.get_mut()) {
            *key.get_mut() = dashed(key.get_ref()).into();
            if known.contains(key.get_ref().as_ref()) {
                table.get_mut().insert(key, value);
            }
        }
        T::deserialize(toml::Deserializer::from(table)).map_err(|error| self.refuse(&error))
    }

    fn parse(&self) -> Result<toml::Spanned<toml::de::DeTable<'_>>, Failure> {
        toml::de::DeTable::parse(&self.text).map_err(|error| self.refuse(&error))
    }

    fn refuse_unknown_keys(&self) -> Result<(), Failure> {
        let known = option_names();
        for key in self.parse()?.get_ref().keys() {
            let name = dashed(key.get_ref());
            if !known.contains(&name) {
                let near = clausality::data::closest(&name, known.iter().map(String::as_str));
                let hint = near.map_or(String::new(), |near| format!("; did you mean '{near}'?"));
                let message = format!("there is no option '{name}'{hint}");
                return Err(self.refuse_at(key.span().start, &message));
            }
        }
        Ok(())
    }

    fn refuse(&self, error: &toml::de::Error) -> Failure {
        let message = error.message().split_whitespace().collect::<Vec<_>>().join(" ");
        self.refuse_at(error.span().map_or(0, |span| span.start), &message)
    }

    fn refuse_at(&self, offset: usize, message: &str) -> Failure {
        let (line, column) = line_and_column(&self.text, offset);
        Failure::at(&self.file, line, column, message)
    }
}

/// Every long option of every command.
fn option_names() -> BTreeSet<String> {
    fn collect(command: &clap::Command, names: &mut BTreeSet<String>) {
        names.extend(command.get_arguments().filter_map(|arg| arg.get_long()).map(String::from));
        command.get_subcommands().for_each(|sub| collect(sub, names));
    }
    let mut names = BTreeSet::new();
    collect(&Cli::command(), &mut names);
    for not_a_setting in ["help", "version", "config"] {
        names.remove(not_a_setting);
    }
    names
}

/// The keys that a parameter struct takes.
pub(crate) fn keys_of<T: Serialize + Default>() -> BTreeSet<String> {
    match serde_json::to_value(T::default()) {
        Ok(serde_json::Value::Object(fields)) => fields.keys().cloned().collect(),
        _ => BTreeSet::new(),
    }
}

fn dashed(key: &str) -> String {
    key.replace('_', "-")
}

/// The line and character of a byte offset, both counted from 1.
fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset.min(text.len())).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (line, before[start..].chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clausality::data::{DataParams, Discretize};

    fn config(text: &str) -> Config {
        Config { file: "c.toml".into(), text: text.into() }
    }

    fn message(failure: Failure) -> String {
        match failure {
            Failure::Input(message) => message,
            other => panic!("expected bad input, got {other:?}"),
        }
    }

    #[test]
    fn a_section_takes_its_own_keys_over_its_defaults() {
        let text = "seed = 3\nbins = 6\ndiscretize = 'width'\nmax_categories = 9\n[levels]\nx = 'a<b'\ny = ['<1', '>1']\n";
        let params: DataParams = config(text).section().unwrap();
        assert_eq!((params.bins, params.max_categories), (6, 9));
        assert_eq!(params.discretize, Some(Discretize::Width));
        assert_eq!(params.levels["x"], ["a", "b"]);
        assert_eq!(params.levels["y"], ["<1", ">1"]);
        assert_eq!(params.na, DataParams::default().na);
    }

    #[test]
    fn wrong_values_are_refused_at_their_place() {
        let failure = config("seed = 3\nbins = 'many'\n").section::<DataParams>().unwrap_err();
        let message = message(failure);
        assert!(message.starts_with("c.toml:2:8: "), "{message}");
    }

    #[test]
    fn unknown_keys_are_refused_at_their_place() {
        let message = message(config("seed = 3\n  sead = 4\n").refuse_unknown_keys().unwrap_err());
        assert_eq!(message, "c.toml:2:3: there is no option 'sead'; did you mean 'seed'?");
    }

    #[test]
    fn syntax_errors_are_refused_at_their_place() {
        let message = message(config("seed = 7\nthreads = \"two\nrounds = 20\n").parse().unwrap_err());
        assert!(message.starts_with("c.toml:2:"), "{message}");
    }
}
