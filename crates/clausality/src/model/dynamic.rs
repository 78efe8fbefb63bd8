//! Networks over time by where they are kept, and stretches of them as ordinary networks.
//!
//! Steps are counted from now: `Rain@0` (or `Rain`) is now, `Rain@-1` one step ago, `Sales@2` two steps ahead. A stretch of steps around now
//! is an ordinary network ([`DynamicModel::around`]), and so everything that can be asked of one can be asked of it.

use super::{CODING, FORCED, Loaded, Model, ModelError};
use crate::data::Coding;
use crate::error::Error;
use clausality_bn::dynamic::{DynamicNetwork, Lagged, Naming};
use clausality_bn::io::json::Extra;
use clausality_bn::io::{Limits, Structure, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// A network over time and what its maker kept with it.
#[derive(Debug, Clone, PartialEq)]
pub struct DynamicModel {
    /// The network, shared with whoever asks it.
    pub network: Arc<DynamicNetwork>,
    /// Notes of its maker.
    pub extra: Extra,
    /// Where it was read, as the user named it.
    pub source: String,
}

impl TryFrom<Loaded> for DynamicModel {
    type Error = Error;

    fn try_from(loaded: Loaded) -> Result<Self, Error> {
        match loaded {
            Loaded::Dynamic(model) => Ok(model),
            other => Err(ModelError::NoTime { file: other.source().to_string() }.into()),
        }
    }
}

/// How often the network looks back from the earliest step that is named to where the series begins.
const PAST: i64 = 4;

impl DynamicModel {
    /// Reads a network over time: a JSON file, or the folder of a run that was learned over time.
    ///
    /// # Errors
    /// [`ModelError::NoTime`] for a network without time; else whatever is wrong with the argument or the file.
    pub fn read(argument: &Path, limits: &Limits) -> Result<Self, Error> {
        Loaded::read(argument, limits)?.try_into()
    }

    /// The graph of a step and of those it looks back to.
    pub fn structure(&self) -> Structure {
        Structure::from(self.network.window())
    }

    /// From the bytes of a JSON file.
    pub(super) fn parse(bytes: &[u8], source: &str, limits: &Limits) -> Result<Self, clausality_bn::Error> {
        let (network, extra) = json::read_dynamic(bytes, limits)?;
        Ok(DynamicModel { network: network.into(), extra, source: source.to_string() })
    }

    /// As JSON.
    pub fn write(&self) -> String {
        json::write_dynamic(&self.network, &self.extra)
    }

    /// How the columns of a table become the states of this network, if its maker kept that.
    ///
    /// # Errors
    /// [`ModelError::Coding`] for a coding that is damaged.
    pub fn coding(&self) -> Result<Option<Coding>, Error> {
        let wrong = |error: serde_json::Error| ModelError::Coding {
            file: self.source.clone(),
            reason: error.to_string(),
        };
        let kept = self.extra.get(CODING).map(|kept| serde_json::from_value(kept.clone()).map_err(wrong));
        Ok(kept.transpose()?)
    }

    /// The first `steps` steps as an ordinary network, under the names of `naming`.
    ///
    /// # Errors
    /// Fewer steps than the network looks back; more than the limits allow.
    pub fn unrolled(&self, steps: usize, naming: Naming, limits: &Limits) -> Result<Model, Error> {
        let network = self.network.unroll_as(steps, naming, limits.table_bytes)?;
        let mut extra = Extra::new();
        if let Some(coding) = self.coding()? {
            let processes = self.network.processes().variables();
            let names = |name: &str| match processes.iter().any(|process| process.name == name) {
                true => (0..steps).map(|step| naming.name(name, step)).collect(),
                false => vec![name.to_string()],
            };
            if let Ok(coding) = serde_json::to_value(coding.under_names(names)) {
                extra.insert(CODING.to_string(), coding);
            }
        }
        // Time gives the direction of whatever leads from one step to another, and statics were there before all steps.
        let processes = self.network.processes().variables().iter();
        let at = |name: &str| (0..steps).map(|step| (naming.name(name, step), step)).collect::<Vec<_>>();
        let when: BTreeMap<String, usize> = processes.flat_map(|process| at(&process.name)).collect();
        let forced = network.named_arcs().filter(|(parent, child)| when.get(*parent) != when.get(*child));
        extra.insert(
            FORCED.to_string(),
            forced.map(|(parent, child)| serde_json::json!([parent, child])).collect(),
        );
        Ok(Model { network: network.into(), extra, source: self.source.clone() })
    }

    /// The steps around now that reach from the first to the last of those named, and at least as far back as the network looks; the series begins with
    /// the first of them.
    ///
    /// # Errors
    /// As [`DynamicModel::unrolled`].
    pub fn around(&self, named: impl IntoIterator<Item = i64>, limits: &Limits) -> Result<Model, Error> {
        let back = self.network.order() as i64;
        let (mut first, mut last) = (-back, 0);
        for step in named {
            (first, last) = (first.min(step), last.max(step));
        }
        let steps = last.checked_sub(first).and_then(|steps| usize::try_from(steps).ok());
        let steps = steps.map_or(usize::MAX, |steps| steps.saturating_add(1));
        self.unrolled(steps, Naming::From(first), limits)
    }

    /// The same with the past of every step before now that is named: as it begins, a series knows nothing of what its first steps depended on.
    ///
    /// # Errors
    /// As [`DynamicModel::unrolled`].
    pub fn around_with_past(
        &self,
        named: impl IntoIterator<Item = i64>,
        limits: &Limits,
    ) -> Result<Model, Error> {
        let past = PAST * self.network.order() as i64;
        let deep = |step: i64| if step < 0 { step.saturating_sub(past) } else { step };
        self.around(named.into_iter().map(deep), limits)
    }

    /// The steps that a text as people type it may name: every whole number behind an `@`.
    pub fn steps_named(text: &str) -> Vec<i64> {
        let step = |rest: &str| {
            let digits = rest.strip_prefix('-').unwrap_or(rest);
            let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
            let sign = rest.len() - digits.len();
            Lagged::parse(&format!("x@{}", &rest[..sign + end])).step
        };
        text.match_indices('@').filter_map(|(at, _)| step(&text[at + 1..])).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RAIN: &str = r#"{"format": "clausality-dynamic/1", "name": "weather", "order": 2,
        "start": [{"name": "Rain@0", "states": ["yes", "no"], "rows": [[0.5, 0.5]]},
                  {"name": "Rain@1", "states": ["yes", "no"], "parents": ["Rain@0"], "rows": [[0.9, 0.1], [0.2, 0.8]]}],
        "transition": [{"name": "Rain", "states": ["yes", "no"], "parents": ["Rain@-1"], "rows": [[0.75, 0.25], [0.25, 0.75]]}]}"#;

    #[test]
    fn steps_around_now_are_an_ordinary_network() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rain.json");
        std::fs::write(&path, RAIN).unwrap();
        let limits = Limits::default();
        let refused = Model::read(&path, &limits).unwrap_err().to_string();
        assert!(refused.contains("a network over time"), "{refused}");
        let model = DynamicModel::read(&path, &limits).unwrap();
        assert_eq!(DynamicModel::parse(model.write().as_bytes(), &model.source, &limits).unwrap(), model);
        let steps = [("Rain@2,Rain@-3=yes", vec![2, -3]), ("me@home, a@-b, x@1.5", vec![1]), ("", vec![])];
        for (text, right) in steps {
            assert_eq!(DynamicModel::steps_named(text), right, "{text}");
        }
        // Chains of rain, of which only yesterday's is known: what it goes with came before it.
        let past = model.around_with_past([-1], &limits).unwrap();
        assert_eq!(past.network.schema().variables()[0].name, "Rain@-9");
        let around = model.around([2], &limits).unwrap();
        let names: Vec<&str> = around.network.schema().variables().iter().map(|v| v.name.as_str()).collect();
        assert_eq!(names, ["Rain@-2", "Rain@-1", "Rain@0", "Rain@1", "Rain@2"]);
        let later = around.posterior("Rain@2", &[("Rain", "yes")]).unwrap();
        assert_eq!(later["yes"], 0.625);
        assert!(model.around([1 << 40], &limits).is_err());
        assert!(
            DynamicModel::read("@asia".as_ref(), &limits).unwrap_err().to_string().contains("without time")
        );
    }
}
