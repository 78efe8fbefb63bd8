//! Networks over time by where they are kept, and stretches of them as ordinary networks.
//!
//! Steps are counted from now: `Rain@0` (or `Rain`) is now, `Rain@-1` one step ago, `Sales@2` two steps ahead. A stretch of steps around now
//! is an ordinary network ([`DynamicModel::around_with_past`]), and so everything that can be asked of one can be asked of it.

use super::{CODING, FORCED, Loaded, MADE, Model, ModelError};
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

/// The note in [`Model::extra`] that holds the first step that is told of; those before are only there as the past of others.
const TOLD: &str = "told";

/// The note that holds the first step whose tables are those of every later one; those before begin the series.
const SAME_TABLES: &str = "same_tables";

/// How often the network looks back from the earliest step that is told of to where the series begins.
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

    /// The steps around now that reach from the first to the last of those named, and at least as far back as the network looks, with their past: as it begins, a
    /// series knows nothing of what its first steps depended on. The steps before are there, and are not told of ([`Model::shown`]).
    ///
    /// # Errors
    /// As [`DynamicModel::unrolled`].
    pub fn around_with_past(
        &self,
        named: impl IntoIterator<Item = i64>,
        limits: &Limits,
    ) -> Result<Model, Error> {
        let (first, last) = self.reach(named);
        self.stretch(first.saturating_sub(PAST * self.network.order() as i64), first, last, limits)
    }

    /// The first and the last of some steps, and at least as far back as the network looks.
    pub(super) fn reach(&self, named: impl IntoIterator<Item = i64>) -> (i64, i64) {
        let now = (-(self.network.order() as i64), 0);
        named.into_iter().fold(now, |(first, last), step| (first.min(step), last.max(step)))
    }

    /// The steps of a series from where it begins to the last; those before `told` are only there as the past of others.
    pub(super) fn stretch(&self, begin: i64, told: i64, last: i64, limits: &Limits) -> Result<Model, Error> {
        let steps = last.checked_sub(begin).and_then(|steps| usize::try_from(steps).ok());
        let steps = steps.map_or(usize::MAX, |steps| steps.saturating_add(1));
        let mut model = self.unrolled(steps, Naming::From(begin), limits)?;
        model.extra.extend(self.extra.get_key_value(MADE).map(|(note, made)| (note.clone(), made.clone())));
        model.extra.insert(TOLD.to_string(), told.into());
        let same = begin.saturating_add(self.network.order() as i64);
        model.extra.insert(SAME_TABLES.to_string(), same.into());
        Ok(model)
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

impl Model {
    /// Whether it is a stretch of a network over time.
    pub(super) fn is_stretch(&self) -> bool {
        self.extra.contains_key(TOLD)
    }

    /// The node under which the numbers of a node's table are told: of a stretch of time, where they hold at every step, that of now.
    pub(super) fn tied(&self) -> Vec<usize> {
        let schema = self.network.schema();
        let same = self.extra.get(SAME_TABLES).and_then(serde_json::Value::as_i64);
        let of = |node: usize| {
            let named = Lagged::parse(schema.name(node));
            let same = same.filter(|&same| named.step.is_some_and(|step| step >= same))?;
            schema.index(&Lagged::at(named.name, same.max(0)).to_string())
        };
        (0..schema.len()).map(|node| of(node).unwrap_or(node)).collect()
    }

    /// The nodes that are told of: all, but of a stretch of time the steps that are only there as the past of others.
    pub fn shown(&self) -> Vec<usize> {
        let told = self.extra.get(TOLD).and_then(serde_json::Value::as_i64).unwrap_or(i64::MIN);
        let variables = self.network.schema().variables().iter().enumerate();
        variables
            .filter(|(_, variable)| Lagged::parse(&variable.name).step.is_none_or(|step| step >= told))
            .map(|(node, _)| node)
            .collect()
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
        // A series in the middle of its course: the first step that is told of has a past, and is as often rainy as any later one.
        let around = model.around_with_past([2], &limits).unwrap();
        assert_eq!(around.network.schema().variables()[0].name, "Rain@-10");
        let names: Vec<&str> =
            around.shown().into_iter().map(|node| around.network.schema().name(node)).collect();
        assert_eq!(names, ["Rain@-2", "Rain@-1", "Rain@0", "Rain@1", "Rain@2"]);
        let first = around.posterior("Rain@-2", &[]).unwrap()["yes"];
        assert!((first - 0.5).abs() < 1e-3, "{first}, where the series itself begins to rain with 0.55");
        let later = around.posterior("Rain@2", &[("Rain", "yes")]).unwrap();
        assert_eq!(later["yes"], 0.625);
        // Whatever is named of these steps, the series is the same: so are all answers.
        let same = model.around_with_past([-1, 2], &limits).unwrap();
        assert_eq!(same, around);
        assert_eq!(model.unrolled(3, Naming::Plain, &limits).unwrap().shown(), [0, 1, 2]);
        assert!(model.around_with_past([1 << 40], &limits).is_err());
        assert!(
            DynamicModel::read("@asia".as_ref(), &limits).unwrap_err().to_string().contains("without time")
        );
    }

    #[test]
    fn a_number_holds_at_every_step() {
        let limits = Limits::default();
        let around = |stays: f64| {
            let text = RAIN.replace("[0.75, 0.25], [", &format!("[{stays}, {}], [", 1.0 - stays));
            let model = DynamicModel::parse(text.as_bytes(), "rain", &limits).unwrap();
            model.around_with_past([3], &limits).unwrap()
        };
        let rain = |stays: f64| around(stays).posterior("Rain@3", &[("Rain", "yes")]).unwrap()["yes"];
        let model = around(0.75);
        let node = |name: &str| crate::model::node(model.network.schema(), name);
        let question =
            model.question(vec![node("Rain@3").unwrap()], model.evidence(&[("Rain", "yes")], &[]).unwrap());
        let wanted = crate::model::Wanted { sensitivity: true, ..Default::default() };
        let numbers = question.insight(&wanted).unwrap().sensitivity.unwrap();
        let number = |number: &&crate::model::Number<'_>| {
            number.node == "Rain@0" && number.state == "yes" && number.given.0 == [("Rain@-1", "yes")]
        };
        let number = numbers.iter().find(number).unwrap();
        assert!(number.steps > 1 && !numbers.iter().any(|other| other.node == "Rain@3"), "{numbers:?}");
        let slope = (rain(0.750_001) - rain(0.749_999)) / 0.000_002;
        assert!((number.slope.0[0].1 - slope).abs() < 1e-6, "{slope}: {number:?}");
        let turn = number.flip.as_ref().unwrap();
        assert!((rain(turn.value) - 0.5).abs() < 1e-8 && turn.state == "no", "{turn:?}");
        let error = node("Rain@1.5").unwrap_err().to_string();
        assert!(error.contains("steps are whole numbers, such as Rain@1"), "{error}");
    }
}
