//! What may be chosen about time.

use crate::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// How rows in the order of time are learned from. Nothing of it without `time`.
///
/// | name | default | purpose | range |
/// |---|---|---|---|
/// | `lags` | `auto:3` | how many steps back a column may look; `auto:N` tries 1 to N on the last fifth of time | 1 to 100 |
/// | `step` | `auto` | what lies between two rows: `15min`, `1h`, `1d`, `1w`, `1mo`, `1q`, `1y`, a number for stamps that are numbers, `rows` for whatever comes next | |
/// | `holes` | `break` | what a missing step means: no window over it, a state of its own, or the last values for so many steps | `break`, `state`, `carry:N` |
/// | `static` | `auto` | columns with one value for a whole series; `auto` finds them | names, `none` |
/// | `instant` | `yes` | whether columns of the same step may depend on each other | `yes`, `no` |
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct TimeSettings {
    /// How many steps back a column may look.
    pub lags: Option<Lags>,
    /// What lies between two rows.
    pub step: Option<Step>,
    /// What a missing step means.
    pub holes: Option<Holes>,
    /// Columns with one value for a whole series.
    #[serde(rename = "static")]
    pub statics: Option<Statics>,
    /// Whether columns of the same step may depend on each other.
    pub instant: Option<Within>,
}

/// The deepest that anybody may look back.
pub const MOST_LAGS: usize = 100;

impl TimeSettings {
    /// Checks every range, and that there is a time to speak of.
    ///
    /// # Errors
    /// What is out of its range, or said without `time`.
    pub fn check(&self, has_time: bool) -> Result<(), Error> {
        if let Some(lags) = self.lags.filter(|lags| !(1..=MOST_LAGS).contains(&lags.most())) {
            return Err(Error::Setting {
                name: "lags",
                value: lags.to_string(),
                expected: "between 1 and 100",
            });
        }
        let said = [
            ("lags", self.lags.map(|x| x.to_string())),
            ("step", self.step.map(|x| x.to_string())),
            ("holes", self.holes.map(|x| x.to_string())),
            ("static", self.statics.as_ref().map(ToString::to_string)),
            ("instant", self.instant.map(|x| x.to_string())),
        ];
        match said.into_iter().find_map(|(name, value)| Some((name, value?))) {
            Some((name, value)) if !has_time => {
                let expected = "beside time: name the column that puts the rows in order";
                Err(Error::Setting { name, value, expected })
            }
            _ => Ok(()),
        }
    }
}

/// How many steps back a column may look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lags {
    /// So many.
    Exactly(usize),
    /// As many as help to tell the last fifth of time, and no more than these.
    UpTo(usize),
}

impl Default for Lags {
    fn default() -> Self {
        Lags::UpTo(3)
    }
}

impl Lags {
    /// The most that it may come to.
    pub fn most(self) -> usize {
        match self {
            Lags::Exactly(most) | Lags::UpTo(most) => most,
        }
    }
}

/// What lies between two rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Step {
    /// What is most common.
    #[default]
    Auto,
    /// Whatever the stamps say, the next row is the next step.
    Rows,
    /// So many of a unit.
    Of(u32, Unit),
}

/// A unit of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// One, of stamps that are numbers.
    One,
    /// A second.
    Second,
    /// 60 seconds.
    Minute,
    /// 60 minutes.
    Hour,
    /// From midnight to midnight.
    Day,
    /// Seven days.
    Week,
    /// A month of the calendar.
    Month,
    /// Three of these.
    Quarter,
    /// Twelve.
    Year,
}

/// Units as they are written, the largest first.
pub(super) const UNITS: [(&str, Unit); 8] = [
    ("y", Unit::Year),
    ("q", Unit::Quarter),
    ("mo", Unit::Month),
    ("w", Unit::Week),
    ("d", Unit::Day),
    ("h", Unit::Hour),
    ("min", Unit::Minute),
    ("s", Unit::Second),
];

/// What a missing step means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Holes {
    /// Nothing: no window goes over it.
    #[default]
    Break,
    /// A state of its own, in every column.
    State,
    /// The values before it, for so many steps.
    Carry(usize),
}

/// Columns with one value for a whole series.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Statics {
    /// Those that never change within an entity.
    #[default]
    Auto,
    /// These.
    Named(Vec<String>),
}

/// Whether columns of the same step may depend on each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Within {
    /// They may.
    #[default]
    Yes,
    /// They may not: everything comes from the past.
    No,
}

impl fmt::Display for Lags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Lags::Exactly(lags) => write!(f, "{lags}"),
            Lags::UpTo(most) => write!(f, "auto:{most}"),
        }
    }
}

impl FromStr for Lags {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = |_| format!("'{text}' is no number of lags; expected a number, auto or auto:N");
        match text.strip_prefix("auto") {
            Some("") => Ok(Lags::default()),
            Some(rest) => rest.strip_prefix(':').unwrap_or("?").parse().map(Lags::UpTo).map_err(wrong),
            None => text.parse().map(Lags::Exactly).map_err(wrong),
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Auto => f.write_str("auto"),
            Step::Rows => f.write_str("rows"),
            Step::Of(count, unit) => {
                let word = UNITS.iter().find(|(_, known)| known == unit).map_or("", |(word, _)| word);
                write!(f, "{count}{word}")
            }
        }
    }
}

impl FromStr for Step {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let unit = match &text[digits..] {
            "" => Some(Unit::One),
            word => UNITS.iter().find(|(known, _)| *known == word).map(|&(_, unit)| unit),
        };
        match (text, text[..digits].parse::<u32>(), unit) {
            ("auto", ..) => Ok(Step::Auto),
            ("rows", ..) => Ok(Step::Rows),
            (_, Ok(count @ 1..), Some(unit)) => Ok(Step::Of(count, unit)),
            _ => Err(format!(
                "'{text}' is no step; expected auto, rows, or a number with a unit: 30s, 15min, 1h, 1d, 1w, 1mo, 1q, 1y (none for stamps \
                 that are numbers)"
            )),
        }
    }
}

impl fmt::Display for Holes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Holes::Break => f.write_str("break"),
            Holes::State => f.write_str("state"),
            Holes::Carry(steps) => write!(f, "carry:{steps}"),
        }
    }
}

impl FromStr for Holes {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let carried = text.strip_prefix("carry:").and_then(|steps| steps.parse().ok());
        match (text, carried) {
            ("break", _) => Ok(Holes::Break),
            ("state", _) => Ok(Holes::State),
            (_, Some(steps)) if steps > 0 => Ok(Holes::Carry(steps)),
            _ => Err(format!("'{text}' is no way to treat holes; expected break, state or carry:N")),
        }
    }
}

impl fmt::Display for Statics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Statics::Auto => f.write_str("auto"),
            Statics::Named(names) if names.is_empty() => f.write_str("none"),
            Statics::Named(names) => f.write_str(&names.join(",")),
        }
    }
}

impl FromStr for Statics {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        Ok(match text {
            "auto" => Statics::Auto,
            "none" => Statics::Named(Vec::new()),
            names => Statics::Named(names.split(',').map(|name| name.trim().to_string()).collect()),
        })
    }
}

impl fmt::Display for Within {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == Within::Yes { "yes" } else { "no" })
    }
}

impl FromStr for Within {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "yes" | "true" => Ok(Within::Yes),
            "no" | "false" => Ok(Within::No),
            _ => Err(format!("'{text}' is neither yes nor no")),
        }
    }
}

/// As files and frames may write a choice: text, a number, a truth value, a list of names.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected text, a number, true or false, or a list of names")]
enum Written {
    Truth(bool),
    Number(u64),
    Text(String),
    List(Vec<String>),
}

impl Written {
    fn text(self) -> String {
        match self {
            Written::Truth(truth) => truth.to_string(),
            Written::Number(number) => number.to_string(),
            Written::Text(text) => text,
            Written::List(names) if names.is_empty() => "none".into(),
            Written::List(names) => names.join(","),
        }
    }
}

macro_rules! as_text {
    ($($name:ty),*) => {$(
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Written::deserialize(deserializer)?.text().parse().map_err(serde::de::Error::custom)
            }
        }
    )*};
}

as_text!(Lags, Step, Holes, Within);

impl Serialize for Statics {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Statics::Auto => serializer.collect_str(self),
            // A name may hold a comma.
            Statics::Named(names) => names.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Statics {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Written::deserialize(deserializer)? {
            Written::List(names) => Ok(Statics::Named(names)),
            other => other.text().parse().map_err(serde::de::Error::custom),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_read_as_they_are_written() {
        for text in ["3", "auto:6"] {
            assert_eq!(text.parse::<Lags>().unwrap().to_string(), text);
        }
        assert_eq!("auto".parse(), Ok(Lags::UpTo(3)));
        for text in ["auto", "rows", "1", "15min", "1h", "1d", "2w", "1mo", "1q", "1y"] {
            assert_eq!(text.parse::<Step>().unwrap().to_string(), text);
        }
        for text in ["", "0d", "d", "1m", "fast", "-1d"] {
            assert!(text.parse::<Step>().is_err(), "{text}");
        }
        for text in ["break", "state", "carry:2"] {
            assert_eq!(text.parse::<Holes>().unwrap().to_string(), text);
        }
        assert!("carry:0".parse::<Holes>().is_err() && "auto:x".parse::<Lags>().is_err());
        let given = r#"{"lags": 4, "step": 5, "static": ["a,b"], "instant": false}"#;
        let settings: TimeSettings = serde_json::from_str(given).unwrap();
        assert_eq!(settings.lags, Some(Lags::Exactly(4)));
        assert_eq!(settings.step, Some(Step::Of(5, Unit::One)));
        assert_eq!(settings.instant, Some(Within::No));
        let again: TimeSettings = serde_json::from_value(serde_json::to_value(&settings).unwrap()).unwrap();
        assert_eq!(again, settings);
        assert!(settings.check(true).is_ok());
        let message = settings.check(false).unwrap_err().to_string();
        assert!(message.starts_with("lags is 4; it must be beside time"), "{message}");
    }
}
