//! Configuration files: TOML with the names that settings have at every door.
//!
//! A file may serve several commands. A key that no command knows is refused with its place; a key of another command is
//! passed over. Each command takes its own part as a parameter struct, so wrong values are refused with their place too.

use crate::data::ByColumn;
use crate::error::{Error, Place};
use crate::names::{closest, meant};
use crate::settings::{Parts, Settings, names_of};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A configuration file, or none.
#[derive(Debug, Default)]
pub struct Config {
    file: String,
    text: String,
}

impl Config {
    /// Reads the file and refuses what is not among these options, each with whether a file may hold it.
    ///
    /// # Errors
    /// Whatever is wrong with the file; a key that it may not hold.
    pub fn load(path: Option<&Path>, options: &BTreeMap<String, bool>) -> Result<Self, Error> {
        let Some(path) = path else { return Ok(Config::default()) };
        let file = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|source| Error::Io { file: file.clone(), source })?;
        let text = utf8(&file, bytes)?;
        let config = Config { file, text };
        config.refuse_unknown_keys(options)?;
        Ok(config)
    }

    /// The part of the file that belongs to one type, over its defaults.
    ///
    /// # Errors
    /// A value that is none of the type's, with its place.
    pub fn section<T: DeserializeOwned + Serialize + Default>(&self) -> Result<T, Error> {
        Overlaid { config: self, fields: self.fields()? }.part()
    }

    /// The settings of the file, with what was given elsewhere laid over them: documents that say it as a file would.
    ///
    /// # Errors
    /// A value that is none of its setting's.
    pub fn settings(&self, given: &[String]) -> Result<Settings, Error> {
        let mut fields = self.fields()?;
        for document in given {
            let given = DeTable::parse(document).map_err(|error| Error::Config {
                place: Place::nowhere(),
                message: error.message().to_string(),
            })?;
            for (name, value) in given.into_inner() {
                // A switch that was not thrown says nothing.
                if !matches!(value.get_ref(), DeValue::Boolean(false)) {
                    overlay(&mut fields, name, value);
                }
            }
        }
        Settings::from_parts(&mut Overlaid { config: self, fields })
    }

    /// The fields of the file under the names that options have.
    fn fields(&self) -> Result<DeTable<'_>, Error> {
        let mut fields = self.parse()?.into_inner();
        for (mut key, value) in std::mem::take(&mut fields) {
            *key.get_mut() = dashed(key.get_ref()).into();
            if fields.contains_key(key.get_ref().as_ref()) {
                let message = format!("'{}' stands here twice", key.get_ref());
                return Err(self.refuse_at(key.span().start, &message));
            }
            fields.insert(key, value);
        }
        Ok(fields)
    }

    fn parse(&self) -> Result<Spanned<DeTable<'_>>, Error> {
        DeTable::parse(&self.text).map_err(|error| self.refuse(&error))
    }

    fn refuse_unknown_keys(&self, known: &BTreeMap<String, bool>) -> Result<(), Error> {
        for key in self.parse()?.get_ref().keys() {
            let name = dashed(key.get_ref());
            let message = match known.get(&name) {
                Some(true) => continue,
                Some(false) => format!("'{name}' is no setting: give it on the command line"),
                None => {
                    let settings = known.iter().filter(|(_, setting)| **setting);
                    let near = closest(&name, settings.map(|(name, _)| name.as_str()));
                    format!("there is no option '{name}'{}", meant(near))
                }
            };
            return Err(self.refuse_at(key.span().start, &message));
        }
        Ok(())
    }

    fn refuse(&self, error: &toml::de::Error) -> Error {
        let message = error.message().split_whitespace().collect::<Vec<_>>().join(" ");
        self.refuse_at(error.span().map_or(0, |span| span.start), &message)
    }

    fn refuse_at(&self, offset: usize, message: &str) -> Error {
        let (line, column) = line_and_column(&self.text, offset);
        Error::Config { place: Place::at(&self.file, line, column), message: message.to_string() }
    }
}

/// The file with the command line over it.
struct Overlaid<'c, 'f> {
    config: &'c Config,
    fields: DeTable<'f>,
}

impl Parts for Overlaid<'_, '_> {
    type Error = Error;

    fn part<T: DeserializeOwned + Serialize + Default>(&mut self) -> Result<T, Error> {
        let known = names_of::<T>();
        let (own, others) = std::mem::take(&mut self.fields)
            .into_iter()
            .partition(|(name, _)| known.contains(name.get_ref().as_ref()));
        self.fields = others;
        let table = Spanned::new(0..0, own);
        T::deserialize(toml::Deserializer::from(table)).map_err(|error| self.config.refuse(&error))
    }
}

/// Lays a field over those that are there; of a map (`type`, `levels`) every entry by itself. What the file says of all columns (`missing
/// = "state"`) still holds for those that the command line does not name.
fn overlay<'f>(fields: &mut DeTable<'f>, name: Spanned<Cow<'f, str>>, value: Spanned<DeValue<'f>>) {
    match (fields.get_mut(name.get_ref().as_ref()).map(Spanned::get_mut), value.into_inner()) {
        (Some(DeValue::Table(there)), DeValue::Table(new)) => there.extend(new),
        // A choice for all columns, and then one for some.
        (Some(there), DeValue::Table(new)) => {
            let all = std::mem::replace(there, DeValue::Table(DeTable::new()));
            if let DeValue::Table(fields) = there {
                fields.insert(Spanned::new(0..0, ByColumn::<()>::ALL.into()), Spanned::new(0..0, all));
                fields.extend(new);
            }
        }
        (_, value) => drop(fields.insert(name, Spanned::new(0..0, value))),
    }
}

fn dashed(key: &str) -> String {
    key.replace('_', "-")
}

/// The text of a file, or a refusal with the place where it ceases to be one.
///
/// # Errors
/// The first byte that is none of a text's.
pub fn utf8(file: &str, bytes: Vec<u8>) -> Result<String, Error> {
    String::from_utf8(bytes).map_err(|error| {
        let good = String::from_utf8_lossy(&error.as_bytes()[..error.utf8_error().valid_up_to()]);
        let (line, column) = line_and_column(&good, good.len());
        let message = "not valid UTF-8 text: save the file as UTF-8".to_string();
        Error::Config { place: Place::at(file, line, column), message }
    })
}

/// The line and character of a byte offset, both counted from 1.
fn line_and_column(text: &str, offset: usize) -> (u64, u64) {
    let before = text.get(..offset.min(text.len())).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (line as u64, before[start..].chars().count() as u64 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assemble::ScoreName;
    use crate::data::{ColumnType, DataSettings, Discretize};

    fn config(text: &str) -> Config {
        Config { file: "c.toml".into(), text: text.into() }
    }

    fn message(error: Error) -> String {
        assert_eq!(error.class(), crate::ErrorClass::Input);
        error.to_string()
    }

    #[test]
    fn a_section_takes_its_own_keys_over_its_defaults() {
        let text = "seed = 3\nbins = 6\ndiscretize = 'width'\nmax_categories = 9\n[levels]\nx = 'a<b'\ny = ['<1', '>1']\n";
        let params: DataSettings = config(text).section().unwrap();
        assert_eq!((params.bins, params.max_categories), (6.into(), Some(9)));
        assert_eq!(params.discretize, Some(Discretize::Width));
        assert_eq!(params.levels["x"], ["a", "b"]);
        assert_eq!(params.levels["y"], ["<1", ">1"]);
        assert_eq!(params.na, DataSettings::default().na);
    }

    #[test]
    fn wrong_values_are_refused_at_their_place() {
        let failure = config("seed = 3\nbins = 'many'\n").section::<DataSettings>().unwrap_err();
        let message = message(failure);
        assert!(message.starts_with("c.toml:2:8: "), "{message}");
    }

    #[test]
    fn what_is_wrong_with_bins_comes_with_their_range() {
        for (bins, told) in [
            ("-1", "-1 is not between 2 and 50"),
            ("{ age = -7 }", "-7 is not between 2 and 50"),
            ("1.5", "expected a whole number between 2 and 50"),
            ("'many'", "expected a whole number between 2 and 50"),
        ] {
            let failure = config(&format!("bins = {bins}\n")).section::<DataSettings>().unwrap_err();
            let message = message(failure);
            assert!(message.contains(told), "{bins}: {message}");
        }
    }

    #[test]
    fn what_is_given_lies_over_the_file() {
        let file =
            "bins = 6\nnull = true\nscore = 'bic'\nrequire = ['a>b']\n[type]\nx = 'keep'\ny = 'ignore'\n";
        let given = [
            "bins = 7\nnull = false\n[type]\ny = 'date'\n".to_string(),
            "seed = 18446744073709551615".to_string(),
            "shadows = nan".to_string(),
        ];
        let found = config(file).settings(&given).unwrap();
        assert_eq!((found.data.bins.all, found.strengths.null, found.seed), (7, true, u64::MAX));
        assert_eq!((found.network.score, found.rules.require.len()), (ScoreName::Bic, 1));
        assert_eq!(
            (found.data.types["x"], found.data.types["y"]),
            (ColumnType::Keep, ColumnType::Date(Default::default())),
            "a map is overlaid entry by entry"
        );
        assert!(found.strengths.shadows.is_some_and(f64::is_nan), "for the gate to refuse");
        let failure = config("seed = 3\nbins = 'many'\n").settings(&given[1..]).unwrap_err();
        assert!(message(failure).starts_with("c.toml:2:8: "));
        let twice = message(config("max-parents = 2\nmax_parents = 3\n").settings(&[]).unwrap_err());
        assert!(twice.ends_with("'max-parents' stands here twice"), "{twice}");
    }

    #[test]
    fn unknown_keys_are_refused_at_their_place() {
        let message = message(
            config("seed = 3\n  sead = 4\n")
                .refuse_unknown_keys(&[("seed".to_string(), true)].into())
                .unwrap_err(),
        );
        assert_eq!(message, "c.toml:2:3: there is no option 'sead'; did you mean 'seed'?");
    }

    #[test]
    fn syntax_errors_are_refused_at_their_place() {
        let message = message(config("seed = 7\nthreads = \"two\nrounds = 20\n").parse().unwrap_err());
        assert!(message.starts_with("c.toml:2:"), "{message}");
    }
}
