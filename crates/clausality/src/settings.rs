//! Everything that may be chosen, in one place: flags, configuration files, `run.json` and Python's keywords are this one thing.
//!
//! Each room states its own part ([`DataSettings`], [`RuleSettings`], [`StrengthSettings`], [`NetworkSettings`]: name, default,
//! purpose, range). Written out, the parts lie flat beside each other under the names that every door uses
//! (`max-parents`, `bins`, …); a name that no part knows is refused.
//!
//! What is left open is chosen by the *profile* (the paper's machines, its assembler, its bins of equal width) or by the *table*
//! (the prior of the score). [`Settings::chosen`] settles that, and who chose what stays with
//! the result.
//!
//! ```
//! use clausality::{Profile, Settings};
//! let settings: Settings = serde_json::from_str(r#"{"profile": "paper", "bins": 5, "max-parents": 3}"#)?;
//! assert_eq!((settings.data.bins.all, settings.rules.max_parents), (5, Some(3)));
//! assert!(serde_json::from_str::<Settings>(r#"{"bin": 5}"#).is_err());
//! # Ok::<(), serde_json::Error>(())
//! ```

use crate::Error;
use crate::assemble::{Assembler, NetworkSettings, ScoreName, equivalent_sample_size};
use crate::data::{DataSettings, Dataset, Discretize, FEW_STATES};
use crate::names::{closest, meant};
use crate::rules::{RuleSettings, Rules};
use crate::strengths::StrengthSettings;
use crate::time::TimeSettings;
use crate::votes::TargetSettings;
use crate::watch::{Unwatched, Watch};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// All settings.
///
/// | name | default | purpose | range |
/// |---|---|---|---|
/// | `profile` | `hybrid` | which of the two complete methods | `hybrid`, `paper` |
/// | `seed` | 1 | seed of all random choices | any |
/// | … | | reading the table | [`DataSettings`] |
/// | … | | what is known beforehand | [`RuleSettings`] |
/// | … | | the machines and what is read from them | [`StrengthSettings`] |
/// | … | | from strengths to a network | [`NetworkSettings`] |
/// | … | | the columns one wants to predict | [`TargetSettings`] |
/// | … | | rows in the order of time | [`TimeSettings`] |
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Which of the two complete methods.
    pub profile: Profile,
    /// Seed of all random choices.
    pub seed: u64,
    /// How a table is read and coded.
    pub data: DataSettings,
    /// What is known beforehand.
    pub rules: RuleSettings,
    /// How strengths are measured.
    pub strengths: StrengthSettings,
    /// How a network is made of strengths.
    pub network: NetworkSettings,
    /// The columns to predict.
    pub prediction: TargetSettings,
    /// How rows in the order of time are learned from.
    pub time: TimeSettings,
}

/// The two complete methods.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// Strengths by context gain, candidates from the machines, arcs by a score-based search.
    #[default]
    Hybrid,
    /// Algorithms 1 to 3 of the paper as written.
    Paper,
}

impl Profile {
    /// As settings write it.
    pub fn word(self) -> &'static str {
        match self {
            Profile::Hybrid => "hybrid",
            Profile::Paper => "paper",
        }
    }
}

/// Who chose a setting that is not as it would be anyway.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// Whoever asked.
    User,
    /// The profile.
    Profile,
    /// The table.
    Table,
}

/// Settings as far as the profile and the columns of a table settle them.
#[derive(Debug, Clone, PartialEq)]
pub struct Ruled {
    /// The settings.
    pub settings: Settings,
    /// The rules over the table's columns.
    pub rules: Rules,
}

/// Settings with nothing left open for a table, and who chose them.
#[derive(Debug, Clone, PartialEq)]
pub struct Chosen {
    /// The settings.
    pub settings: Settings,
    /// The rules over the table's columns.
    pub rules: Rules,
    /// Who chose what, by name; what is not listed is the default.
    pub origins: BTreeMap<String, Vec<Origin>>,
}

/// What belongs to no part.
#[derive(Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Head {
    profile: Profile,
    seed: u64,
}

impl Default for Head {
    fn default() -> Self {
        Head { profile: Profile::default(), seed: 1 }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Settings::of(Profile::default())
    }
}

/// Names that came after runs were first kept: written only where they are used, so that other runs stay as they were.
const LATE: [&str; 14] = [
    "cuts",
    "prior",
    "prior-weight",
    "row-weights",
    "target",
    "folds",
    "repeats",
    "time",
    "entity",
    "lags",
    "step",
    "holes",
    "static",
    "instant",
];

impl Settings {
    /// The defaults of a profile.
    pub fn of(profile: Profile) -> Self {
        Settings {
            profile,
            seed: Head::default().seed,
            data: DataSettings::default(),
            rules: RuleSettings::default(),
            strengths: StrengthSettings::default(),
            network: NetworkSettings::default(),
            prediction: TargetSettings::default(),
            time: TimeSettings::default(),
        }
    }

    /// Settings from their parts, each read by `part` from whatever holds them: it is called once for each part, and takes the
    /// names that this part has.
    ///
    /// # Errors
    /// Whatever `part` says.
    pub fn from_parts<E>(part: &mut impl Parts<Error = E>) -> Result<Self, E> {
        let Head { profile, seed } = part.part()?;
        Ok(Settings {
            profile,
            seed,
            data: part.part()?,
            rules: part.part()?,
            strengths: part.part()?,
            network: part.part()?,
            prediction: part.part()?,
            time: part.part()?,
        })
    }

    /// The names of all settings.
    pub fn names() -> BTreeSet<String> {
        let known = Settings::default().fields();
        known.into_iter().map(|(name, _)| name).chain(LATE.map(String::from)).collect()
    }

    /// Every setting by its name.
    pub fn fields(&self) -> Map<String, Value> {
        let Settings { profile, seed, data, rules, strengths, network, prediction, time } = self;
        let head = fields_of(&Head { profile: *profile, seed: *seed });
        let parts = [head, fields_of(data), fields_of(rules), fields_of(strengths)];
        let parts = parts.into_iter().chain([fields_of(network), fields_of(prediction), fields_of(time)]);
        let says_nothing = |value: &Value| value.is_null() || value.as_object().is_some_and(Map::is_empty);
        let kept = |(name, value): &(String, Value)| !(says_nothing(value) && LATE.contains(&name.as_str()));
        parts.flatten().filter(kept).collect()
    }

    /// Checks every range: the one gate. What names columns is checked when there is a table.
    ///
    /// # Errors
    /// The name of what is out of its range, and what would be in it.
    pub fn check(&self) -> Result<(), Error> {
        let Settings { data, strengths, network, prediction, time, .. } = self.by_profile();
        data.check()?;
        time.check(data.time.is_some())?;
        self.check_time()?;
        strengths.check()?;
        prediction.check()?;
        self.check_roles()?;
        network.check()
    }

    /// What follows in time is forecast, and what is alike in all steps is learned from all of them.
    fn check_time(&self) -> Result<(), Error> {
        let (Some(time), Some(target)) = (&self.data.time, self.prediction.targets().first()) else {
            return Ok(());
        };
        Err(Error::Contradiction {
            one: format!("time '{time}'"),
            other: format!("target '{target}'"),
            reason: "what comes next in time is asked of the network over time, with forecast",
        })
    }

    /// A column plays one part.
    fn check_roles(&self) -> Result<(), Error> {
        let given = |name: &&String| self.rules.parameter.contains(name);
        match self.prediction.targets().iter().find(given) {
            Some(name) => Err(Error::Contradiction {
                one: format!("target '{name}'"),
                other: format!("parameter '{name}'"),
                reason: "what is given from outside is not predicted from the rest",
            }),
            None => Ok(()),
        }
    }

    /// The same with what the profile chooses filled in.
    pub fn by_profile(&self) -> Self {
        let mut all = self.clone();
        let (strengths, assembler) = match self.profile {
            Profile::Hybrid => (StrengthSettings::default(), Assembler::Hybrid),
            Profile::Paper => {
                all.data.discretize.get_or_insert(Discretize::Width);
                all.data.max_categories.get_or_insert(FEW_STATES);
                (StrengthSettings::of_the_paper(), Assembler::Paper)
            }
        };
        all.strengths = self.strengths.filled(&strengths);
        all.network.assembler.get_or_insert(assembler);
        all.data.fine = !self.prediction.targets().is_empty();
        all
    }

    /// Checks the settings, and the rules against the columns of a table.
    ///
    /// # Errors
    /// A range that is not kept; rules that contradict each other or the table.
    pub fn ruled(&self, dataset: &Dataset) -> Result<Ruled, Error> {
        self.check()?;
        let settings = self.by_profile();
        let rules = Rules::over(dataset.table.schema(), &dataset.report, &settings.rules)?;
        Ok(Ruled { settings, rules })
    }

    /// Settles everything that is left open for a table.
    ///
    /// # Errors
    /// As [`Settings::ruled`].
    pub fn chosen(&self, dataset: &Dataset) -> Result<Chosen, Error> {
        self.chosen_watched(dataset, &Unwatched)
    }

    /// The same for somebody who may call it off.
    pub(crate) fn chosen_watched(&self, dataset: &Dataset, watch: &dyn Watch) -> Result<Chosen, Error> {
        let Ruled { mut settings, rules } = self.ruled(dataset)?;
        if settings.network.score == ScoreName::Bdeu && settings.network.ess.is_none() {
            settings.network.ess = Some(equivalent_sample_size(&dataset.table, watch)?);
        }
        let origins = self.origins(&settings);
        Ok(Chosen { settings, rules, origins })
    }

    /// Who chose what, on the way from the defaults over what was asked for and the profile to what there is in the end.
    fn origins(&self, end: &Settings) -> BTreeMap<String, Vec<Origin>> {
        let steps = [&Settings::default(), self, &self.by_profile(), end].map(Settings::fields);
        // What the default profile fills in is as it would be anyway.
        let usual = Settings::default().by_profile().fields();
        let mut origins: BTreeMap<String, Vec<Origin>> = BTreeMap::new();
        for (step, origin) in steps.windows(2).zip([Origin::User, Origin::Profile, Origin::Table]) {
            for (name, value) in &step[1] {
                let anyway = origin == Origin::Profile && usual.get(name) == Some(value);
                if step[0].get(name) != Some(value) && !anyway {
                    origins.entry(name.clone()).or_default().push(origin);
                }
            }
        }
        origins
    }
}

/// Where the parts of settings are read from.
pub trait Parts {
    /// What can be wrong with one.
    type Error;

    /// The part that a type stands for, over its defaults.
    ///
    /// # Errors
    /// A value that is none of the type's.
    fn part<T: DeserializeOwned + Serialize + Default>(&mut self) -> Result<T, Self::Error>;
}

/// The settings by name, each taken once.
impl Parts for Map<String, Value> {
    type Error = serde_json::Error;

    fn part<T: DeserializeOwned + Serialize + Default>(&mut self) -> Result<T, serde_json::Error> {
        let own: Self = names_of::<T>().into_iter().filter_map(|name| self.remove_entry(&name)).collect();
        // One by one, to know which it is; the part itself then cannot fail.
        for (name, value) in &own {
            let alone = Map::from_iter([(name.clone(), value.clone())]);
            serde_json::from_value::<T>(Value::Object(alone))
                .map_err(|error| serde_json::Error::custom(format!("{name}: {error}")))?;
        }
        serde_json::from_value(Value::Object(own))
    }
}

/// A setting as a line of a configuration file (TOML): lists and texts are written as in JSON, a map as an inline table.
pub fn config_line(name: &str, value: &Value) -> String {
    // The one sign that JSON leaves as it is and TOML does not take.
    let plain = |value: &Value| value.to_string().replace('\u{7f}', "\\u007f");
    let text = match value {
        Value::Object(fields) => {
            let field = |(key, value): (&String, &Value)| {
                format!("{} = {}", plain(&Value::String(key.clone())), plain(value))
            };
            format!("{{ {} }}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
        }
        other => plain(other),
    };
    format!("{name} = {text}")
}

/// The names that a part takes.
pub fn names_of<T: Serialize + Default>() -> BTreeSet<String> {
    fields_of(&T::default()).into_iter().map(|(name, _)| name).collect()
}

/// The fields of a part.
fn fields_of(part: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(part) {
        Ok(Value::Object(fields)) => fields,
        other => unreachable!("parts hold numbers, texts, lists and maps with text for keys: {other:?}"),
    }
}

impl Serialize for Settings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.fields().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Settings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut fields = Map::<String, Value>::deserialize(deserializer)?;
        let settings = Settings::from_parts(&mut fields).map_err(D::Error::custom)?;
        match fields.keys().next() {
            None => Ok(settings),
            Some(name) => {
                let known = Settings::names();
                let near = closest(name, known.iter().map(String::as_str));
                Err(D::Error::custom(format!("there is no setting '{name}'{}", meant(near))))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{bn, embedded};

    #[test]
    fn settings_lie_flat_and_come_back() {
        let text = r#"{"profile": "paper", "seed": 18446744073709551615, "bins": 5, "type": {"a": "ignore"}, "rounds": 2,
            "require": ["a>b"], "score": "bic", "prior": "bdeu", "prior-weight": 4.0}"#;
        let settings: Settings = serde_json::from_str(text).unwrap();
        assert_eq!((settings.seed, settings.strengths.rounds), (u64::MAX, Some(2)));
        let again: Settings = serde_json::from_value(serde_json::to_value(&settings).unwrap()).unwrap();
        assert_eq!(again, settings);
        assert!(!Settings::default().fields().contains_key("prior"));
        let all: usize = [
            names_of::<DataSettings>(),
            names_of::<RuleSettings>(),
            names_of::<StrengthSettings>(),
            names_of::<NetworkSettings>(),
            names_of::<TargetSettings>(),
            names_of::<TimeSettings>(),
        ]
        .iter()
        .map(BTreeSet::len)
        .sum();
        assert_eq!(all + 2 - LATE.len(), Settings::default().fields().len(), "no name stands in two parts");
        let error = serde_json::from_str::<Settings>(r#"{"cluases": 7}"#).unwrap_err().to_string();
        assert!(error.contains("there is no setting 'cluases'; did you mean 'clauses'?"), "{error}");
        let error = serde_json::from_str::<Settings>(r#"{"bins": "many"}"#).unwrap_err().to_string();
        assert!(error.starts_with("bins: "), "{error}");
    }

    #[test]
    fn who_chose_what_is_known() {
        let asia = Dataset::sampled(bn::sample(&embedded::network("asia").unwrap(), 1000, 1));
        let chosen = Settings::default().chosen(&asia).unwrap();
        assert_eq!(chosen.settings.network.ess, Some(1.0));
        assert_eq!(chosen.origins, BTreeMap::from([("ess".to_string(), vec![Origin::Table])]));
        let mut settings = Settings::of(Profile::Paper);
        settings.strengths.rounds = Some(2);
        settings.network.ess = Some(7.0);
        let chosen = settings.chosen(&asia).unwrap();
        let by = |name: &str| chosen.origins.get(name).map_or(&[][..], Vec::as_slice);
        assert_eq!(by("profile"), [Origin::User]);
        assert_eq!((by("rounds"), by("ess")), (&[Origin::User][..], &[Origin::User][..]));
        assert_eq!((by("discretize"), by("assembler")), (&[Origin::Profile][..], &[Origin::Profile][..]));
        assert_eq!((by("literal-limit"), by("parameter")), (&[][..], &[][..]));
        settings.network.score = ScoreName::Bic;
        assert!(settings.chosen(&asia).unwrap_err().to_string().starts_with("ess is 7"));
    }

    #[test]
    fn the_gate_looks_at_every_part() {
        type Change = fn(&mut Settings);
        let wrong: [(Change, &str); 4] = [
            (|s| s.data.bins = 1.into(), "bins is 1; it must be between 2 and 50"),
            (|s| s.strengths.epochs = Some(0), "epochs is 0"),
            (|s| s.network.alpha = 1.0, "alpha is 1"),
            (|s| (s.profile, s.strengths.models) = (Profile::Paper, vec!["VI".into()]), "models is VI"),
        ];
        for (change, expected) in wrong {
            let mut settings = Settings::default();
            change(&mut settings);
            let message = settings.check().unwrap_err().to_string();
            assert!(message.starts_with(expected), "{message}");
        }
        assert!(Settings::default().check().is_ok() && Settings::of(Profile::Paper).check().is_ok());
    }
}
