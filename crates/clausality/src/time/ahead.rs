//! How forecasts of one step did, beside those that say "as usual", "as last time" and "as last season".

use super::{Step, Unit};
use crate::words::{counted, percent};
use serde::{Deserialize, Serialize};

/// How forecasts of one step did on the last fifth of time. Probabilities came from the first four fifths.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ahead {
    /// The steps of a season, if the step has one and the series are long enough for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub season: Option<usize>,
    /// Every process that could be judged.
    pub processes: Vec<AheadOf>,
}

/// The forecasts of one process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AheadOf {
    /// The process.
    pub name: String,
    /// The values that were forecast.
    pub values: usize,
    /// Those of the network.
    pub ours: Said,
    /// Those that say "as usual": how often each state was there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usual: Option<Said>,
    /// Those that say "as last time".
    pub last: Said,
    /// Those that say "as last season".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub season: Option<Said>,
}

/// Figures nearer than this are the same.
const TIE: f64 = 0.01;
/// Columns that are named in a sentence.
const NAMED: usize = 4;

impl AheadOf {
    /// Those of the network, "as usual", "as last time" and "as last season".
    pub fn kinds(&self) -> [Option<Said>; 4] {
        [Some(self.ours), self.usual, Some(self.last), self.season]
    }
}

/// What forecasts were worth.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Said {
    /// The mean of −ln P of what came, in nats: less is better.
    pub log_loss: f64,
    /// How often the likeliest state came; of "as last time" and "as last season", how often the state of then came again.
    pub right: f64,
}

impl Ahead {
    /// The mean over all values of what one kind of forecast was worth; nothing where some process has none.
    fn mean(&self, of: impl Fn(&AheadOf) -> Option<Said>) -> Option<Said> {
        let (mut all, mut log_loss, mut right) = (0.0, 0.0, 0.0);
        for process in &self.processes {
            let (said, values) = (of(process)?, process.values as f64);
            all += values;
            log_loss += values * said.log_loss;
            right += values * said.right;
        }
        (all > 0.0).then(|| Said { log_loss: log_loss / all, right: right / all })
    }

    /// The forecasts of the network, those that say "as usual", "as last time" and "as last season", over all processes.
    pub fn means(&self) -> [Option<Said>; 4] {
        let of = |kind: usize| self.mean(|process| process.kinds()[kind]);
        [of(0), of(1), of(2), of(3)]
    }

    /// All of it in a sentence, and where the network is worth less than "as last time" in another.
    pub fn sentences(&self) -> Vec<String> {
        std::iter::once(self.sentence()).chain(self.worse()).collect()
    }

    /// The columns that "as last time" tells better.
    pub fn worse(&self) -> Option<String> {
        let of = |process: &AheadOf| {
            let (ours, last) = (process.ours, process.last);
            let mut figures = Vec::new();
            if ours.right < last.right - TIE {
                figures.push(format!("right {} against {}", percent(ours.right), percent(last.right)));
            }
            if ours.log_loss > last.log_loss + TIE {
                figures.push(format!("nats {:.3} against {:.3}", ours.log_loss, last.log_loss));
            }
            (!figures.is_empty()).then(|| format!("'{}' ({})", process.name, figures.join(", ")))
        };
        let worse: Vec<String> = self.processes.iter().filter_map(of).collect();
        let (shown, left) = worse.split_at(worse.len().min(NAMED));
        let more = match left.len() {
            0 => String::new(),
            more => format!(", and {}", counted(more, "column")),
        };
        (!worse.is_empty()).then(|| {
            let which = format!("{}{more}", shown.join(", "));
            format!("The network forecasts worse than \"as last time\": {which}.")
        })
    }

    /// The columns that "as last season" tells better than a network that does not look back so far, and how many steps that would be.
    pub fn seasonal(&self, lags: usize) -> Option<(Vec<&str>, usize)> {
        let steps = self.season.filter(|steps| *steps > lags)?;
        let better = |process: &&AheadOf| {
            process.season.is_some_and(|season| season.log_loss < process.ours.log_loss - TIE)
        };
        let columns: Vec<&str> =
            self.processes.iter().filter(better).map(|process| process.name.as_str()).collect();
        (!columns.is_empty()).then_some((columns, steps))
    }

    /// The forecasts beside each other in a sentence.
    fn sentence(&self) -> String {
        let names = ["", "\"as usual\" ", "\"as last time\" "].map(String::from);
        let names = names.into_iter().chain([self.last_season() + " "]);
        let names: Vec<String> = names.collect();
        let each = |number: &dyn Fn(Said) -> String| {
            let told = names
                .iter()
                .zip(self.means())
                .filter_map(|(name, said)| Some(format!("{name}{}", number(said?))));
            told.collect::<Vec<_>>().join(", ")
        };
        format!(
            "One step ahead on the last fifth of time: right {}; nats a value {}.",
            each(&|said| percent(said.right)),
            each(&|said| format!("{:.3}", said.log_loss))
        )
    }

    /// What the fourth kind of forecast is called.
    pub fn last_season(&self) -> String {
        let steps = self.season.map_or(String::new(), |steps| format!(" ({} ago)", counted(steps, "step")));
        format!("\"as last season\"{steps}")
    }
}

/// The steps of the season that a step goes with: those of a day, of a week, of a year.
pub(crate) fn season(step: &str) -> Option<usize> {
    let Ok(Step::Of(count, unit)) = step.parse() else { return None };
    let (season, length) = match unit {
        Unit::Second => (86_400, 1),
        Unit::Minute => (1440, 1),
        Unit::Hour => (24, 1),
        Unit::Day => (7, 1),
        Unit::Week => (52, 1),
        Unit::Month => (12, 1),
        Unit::Quarter => (12, 3),
        Unit::One | Unit::Year => return None,
    };
    let count = count as usize * length;
    (count > 0 && season % count == 0 && season / count > 1).then(|| season / count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seasons_are_days_weeks_and_years() {
        let steps = [
            ("1h", Some(24)),
            ("15min", Some(96)),
            ("1d", Some(7)),
            ("1mo", Some(12)),
            ("1q", Some(4)),
            ("6h", Some(4)),
        ];
        for (step, right) in steps.into_iter().chain([
            ("1y", None),
            ("1", None),
            ("rows", None),
            ("5h", None),
            ("1w", Some(52)),
        ]) {
            assert_eq!(season(step), right, "{step}");
        }
    }

    #[test]
    fn means_count_every_value_alike() {
        let said = |right| Said { log_loss: 1.0 - right, right };
        let of = |name: &str, values, ours| AheadOf {
            name: name.into(),
            values,
            ours: said(ours),
            usual: Some(said(0.4)),
            last: said(0.5),
            season: (values > 10).then(|| said(0.25)),
        };
        let ahead = Ahead { season: Some(7), processes: vec![of("a", 30, 1.0), of("b", 10, 0.6)] };
        let [ours, usual, last, season] = ahead.means();
        assert!((ours.unwrap().right - 0.9).abs() < 1e-12 && last == Some(said(0.5)) && season.is_none());
        assert!((usual.unwrap().right - 0.4).abs() < 1e-12);
        let text = ahead.sentences();
        let right = "right 90%, \"as usual\" 40%, \"as last time\" 50%; nats a value 0.100, \"as usual\" 0.600, \"as last time\" 0.500.";
        assert!(text.len() == 1 && text[0].contains(right), "{text:?}");
        let ahead = Ahead { season: None, processes: vec![of("a", 30, 0.4), of("b", 10, 0.6)] };
        let mut seasonal = ahead.clone();
        assert_eq!(seasonal.seasonal(1), None, "no season");
        (seasonal.season, seasonal.processes[1].season) = (Some(4), Some(said(0.7)));
        assert_eq!(seasonal.seasonal(3), Some((vec!["b"], 4)));
        assert_eq!(seasonal.seasonal(4), None, "it looks back so far");
        let worse = ahead.worse().unwrap();
        let right = "worse than \"as last time\": 'a' (right 40% against 50%, nats 0.600 against 0.500).";
        assert!(worse.ends_with(right), "{worse}");
    }
}
