//! A setting for all columns, and others for some of them.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::collections::BTreeMap;

/// What holds for every column that is not named. Written out it is the value itself, or a map that has the value of all others
/// under `*`: `missing = "pairs"`, `missing = { "*" = "pairs", hours = "state" }`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ByColumn<T> {
    /// For all columns but the named.
    pub all: T,
    /// For these.
    pub columns: BTreeMap<String, T>,
}

impl<T> ByColumn<T> {
    /// Stands for all columns where a map is written.
    pub const ALL: &'static str = "*";

    /// The same for all.
    pub fn all(all: T) -> Self {
        ByColumn { all, columns: BTreeMap::new() }
    }

    /// What holds for a column.
    pub fn of(&self, column: &str) -> &T {
        self.columns.get(column).unwrap_or(&self.all)
    }

    /// Every value by the column that it holds for, the first for all others.
    pub(in crate::data) fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        let columns = self.columns.iter().map(|(column, choice)| (column.as_str(), choice));
        [(Self::ALL, &self.all)].into_iter().chain(columns)
    }

    /// Every value that holds for some column.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.columns.values().chain([&self.all])
    }
}

impl<T> From<T> for ByColumn<T> {
    fn from(all: T) -> Self {
        ByColumn::all(all)
    }
}

impl<T: Serialize> Serialize for ByColumn<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.columns.is_empty() {
            return self.all.serialize(serializer);
        }
        self.iter().collect::<BTreeMap<_, _>>().serialize(serializer)
    }
}

impl<'de, T: DeserializeOwned + Default> Deserialize<'de> for ByColumn<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let read = |value: Value| serde_json::from_value::<T>(value).map_err(serde::de::Error::custom);
        let Value::Object(named) = value else { return Ok(ByColumn::all(read(value)?)) };
        let mut found = ByColumn::default();
        for (column, value) in named {
            let value = read(value)?;
            if column == Self::ALL { found.all = value } else { drop(found.columns.insert(column, value)) }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_value_or_a_map_with_a_value_for_the_others() {
        let read = |text: &str| serde_json::from_str::<ByColumn<u8>>(text);
        assert_eq!(read("3").unwrap(), ByColumn::all(3));
        let some = read(r#"{"a": 1, "*": 2}"#).unwrap();
        assert_eq!((*some.of("a"), *some.of("b")), (1, 2));
        assert_eq!(*read(r#"{"a": 1}"#).unwrap().of("b"), 0);
        for text in ["3", r#"{"*":2,"a":1}"#] {
            assert_eq!(serde_json::to_string(&read(text).unwrap()).unwrap(), text);
        }
        assert!(read(r#""many""#).is_err() && read(r#"{"a": "many"}"#).is_err());
    }
}
