//! What may be chosen about the machines and what is read from their clauses.

use crate::Error;
use crate::encode::LiteralRule;
use clausality_bn::random::Stream;
use clausality_tm::{Params as MachineParams, Path};
use serde::{Deserialize, Serialize};

/// How strengths are measured.
///
/// Where the default is "profile", the profile of the whole [`crate::Settings`] chooses: the second table. What is left open
/// without one is as in the hybrid profile.
///
/// | name | default | purpose | range |
/// |---|---|---|---|
/// | `encoding` | `scale` | literals by the scale of a variable, or d thermometer bits for all | `scale`, `paper` |
/// | `strength` | profile | what makes a feature strong | `gain`, `votes`, `sum` |
/// | `null` | false | subtract the strength under a permuted target (doubles the cost) | |
/// | `null-rounds` | `rounds` | rounds of the permuted target: its strengths only say what chance gives | 1 … 10,000 |
/// | `rivals` | 3 | stronger features that a feature's context gain must survive | 0 … 100 |
/// | `shadows` | profile | permuted copies added as features, as a share of the features | 0 … 1 |
/// | `balance` | `balanced` | how many rows of each class a round trains on | `balanced`, `under`, `none` |
/// | `samples` | profile | rows a round trains on at most | 20 … 100,000,000 |
/// | `ensemble` | profile | which machines vote | `single`, `paper5`, `supply`, `random` |
/// | `models` | all | which machines of the ensemble | `I` … `V` |
/// | `clauses` | ensemble | clauses of every machine | ≥ 2 |
/// | `threshold` | ensemble | T of every machine | 1 … 2²⁴ |
/// | `specificity` | ensemble | s of every machine | > 1 |
/// | `literal-budget` | ensemble | longest clause that still learns | ≥ 1 |
/// | `type-iii` | none | d of Type III feedback: prunes literals that tell nothing beside others | > 1 |
/// | `rounds` | 3; 4 by other rules than context gain | fresh machines, samples and seeds per target and model, at most: by context gain, with one model and no permuted targets, two are enough where both name the same two strongest features | 1 … 10,000 |
/// | `epochs` | profile | passes over the rows of a round | 1 … 10,000 |
/// | `literal-limit` | 500 | above so many literals (negations not counted) a round sees variables of half as many | ≥ 16 |
///
/// | name | `hybrid` | `paper` |
/// |---|---|---|
/// | `strength` | `gain` | `votes` |
/// | `shadows` | 0.25 | 0 |
/// | `samples` | 2000 | 5000 |
/// | `ensemble` | `single`: 30 clauses, T = 40, s = 5, budget 3 | `paper5` |
/// | `epochs` | 4 | 5 |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct StrengthSettings {
    /// Which literals stand for a variable.
    pub encoding: LiteralRule,
    /// What makes a feature strong; `None` leaves the choice to the profile, here and below.
    pub strength: Option<StrengthRule>,
    /// Whether to subtract the strength that the same fits find for a permuted target.
    pub null: bool,
    /// Rounds of the permuted target; `None`: as many as of the true one.
    pub null_rounds: Option<usize>,
    /// Stronger features that a feature's context gain must survive; 0 leaves the bare gain.
    pub rivals: usize,
    /// Permuted copies added as features in every round, as a share of the features.
    pub shadows: Option<f64>,
    /// How many rows of each class a round trains on.
    pub balance: Balance,
    /// Rows a round trains on at most.
    pub samples: Option<usize>,
    /// Which machines vote.
    pub ensemble: Option<Ensemble>,
    /// Which machines of the ensemble, by their Roman numbers; none given means all.
    pub models: Vec<String>,
    /// Clauses of every machine.
    pub clauses: Option<usize>,
    /// T of every machine.
    pub threshold: Option<u32>,
    /// s of every machine.
    pub specificity: Option<f64>,
    /// The longest clause that still learns.
    pub literal_budget: Option<usize>,
    /// d of Type III feedback; `None`: no such feedback.
    pub type_iii: Option<f64>,
    /// Fresh machines per target and model, at most.
    pub rounds: Option<usize>,
    /// Passes over the rows of a round.
    pub epochs: Option<usize>,
    /// Above so many literals a round sees only part of the variables.
    pub literal_limit: usize,
    /// Forces an instruction set, for tests: it never changes a result.
    #[doc(hidden)]
    #[serde(skip)]
    pub path: Option<Path>,
}

impl Default for StrengthSettings {
    fn default() -> Self {
        StrengthSettings {
            encoding: LiteralRule::Scale,
            strength: None,
            null: false,
            null_rounds: None,
            rivals: 3,
            shadows: None,
            balance: Balance::Balanced,
            samples: None,
            ensemble: None,
            models: Vec::new(),
            clauses: None,
            threshold: None,
            specificity: None,
            literal_budget: None,
            type_iii: None,
            rounds: None,
            epochs: None,
            literal_limit: 500,
            path: None,
        }
    }
}

/// What makes a feature strong for a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StrengthRule {
    /// Context gain: the information a feature adds inside the clauses it stands in.
    Gain,
    /// Equation (1), merged over rounds as share of top-K places plus mean share of weight.
    Votes,
    /// Equation (1), summed over rounds.
    Sum,
}

/// How many rows of each class a round trains on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Balance {
    /// As many of each class, rows of rare classes repeated (at most ten times).
    #[default]
    Balanced,
    /// As many of each class, as far as the rarest class goes.
    Under,
    /// As the rows come.
    None,
}

/// A set of machines with different parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ensemble {
    /// One machine.
    Single,
    /// The five of the paper's validation.
    Paper5,
    /// The five of the paper's supply-chain example.
    Supply,
    /// Five drawn at random in the paper's ranges.
    Random,
}

/// One machine of an ensemble.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Member {
    /// Its Roman number.
    pub name: String,
    /// Its parameters.
    #[serde(flatten)]
    pub machine: MachineParams,
}

/// The Roman numbers that name the machines of an ensemble.
pub const MODEL_NAMES: [&str; 5] = ["I", "II", "III", "IV", "V"];

/// The most rounds and epochs: bounds that only a slip of the keyboard reaches.
const MAX_REPEATS: usize = 10_000;

impl StrengthSettings {
    /// What the paper chooses.
    pub fn of_the_paper() -> Self {
        StrengthSettings {
            strength: Some(StrengthRule::Votes),
            shadows: Some(0.0),
            samples: Some(5000),
            ensemble: Some(Ensemble::Paper5),
            epochs: Some(5),
            ..StrengthSettings::default()
        }
    }

    /// Checks every range.
    pub fn check(&self) -> Result<(), Error> {
        let wrong = |name, value: String, expected| Err(Error::Setting { name, value, expected });
        let counts = [
            ("rounds", self.rounds(), 1, MAX_REPEATS, "between 1 and 10000"),
            ("null-rounds", self.null_rounds(), 1, MAX_REPEATS, "between 1 and 10000"),
            ("epochs", self.epochs(), 1, MAX_REPEATS, "between 1 and 10000"),
            ("samples", self.samples(), 20, 100_000_000, "between 20 and 100000000"),
            ("rivals", self.rivals, 0, 100, "between 0 and 100"),
            ("literal-limit", self.literal_limit, 16, usize::MAX, "at least 16"),
            ("clauses", self.clauses.unwrap_or(2), 2, 1 << 24, "between 2 and 16777216"),
            ("literal-budget", self.literal_budget.unwrap_or(1), 1, usize::MAX, "at least 1"),
        ];
        for (name, value, low, high, expected) in counts {
            if !(low..=high).contains(&value) {
                return wrong(name, value.to_string(), expected);
            }
        }
        if !self.type_iii.is_none_or(|d| d > 1.0 && d.is_finite()) {
            return wrong("type-iii", self.type_iii.unwrap_or_default().to_string(), "a number above 1");
        }
        if !(0.0..=1.0).contains(&self.shadows()) {
            return wrong("shadows", self.shadows().to_string(), "between 0 and 1");
        }
        let models = if self.ensemble() == Ensemble::Single { 1 } else { MODEL_NAMES.len() };
        for (i, name) in self.models.iter().enumerate() {
            if !MODEL_NAMES[..models].contains(&name.as_str()) {
                let expected =
                    if models == 1 { "I: this ensemble has one machine" } else { "among I, II, III, IV, V" };
                return wrong("models", name.clone(), expected);
            }
            if self.models[..i].contains(name) {
                return wrong("models", format!("{name} twice"), "a list without repetition");
            }
        }
        self.machines(16, 1).iter().try_for_each(|model| model.machine.check().map_err(Error::from))
    }

    /// The same with nothing left open, for results that remember how they were made. What is open here is taken from `others`
    /// first.
    ///
    /// Where several machines vote, what they do not share stays open: a result lists them.
    pub fn filled(&self, others: &Self) -> Self {
        StrengthSettings {
            strength: self.strength.or(others.strength),
            shadows: self.shadows.or(others.shadows),
            samples: self.samples.or(others.samples),
            ensemble: self.ensemble.or(others.ensemble),
            epochs: self.epochs.or(others.epochs),
            ..self.clone()
        }
        .closed()
    }

    fn closed(&self) -> Self {
        // A single machine does not depend on the table.
        let own = (self.ensemble() == Ensemble::Single).then(|| self.overridden(single()));
        StrengthSettings {
            clauses: own.as_ref().map(|m| m.clauses).or(self.clauses),
            threshold: own.as_ref().map(|m| m.threshold).or(self.threshold),
            specificity: own.as_ref().map(|m| m.specificity).or(self.specificity),
            literal_budget: own.as_ref().and_then(|m| m.literal_budget).or(self.literal_budget),
            strength: Some(self.strength()),
            shadows: Some(self.shadows()),
            samples: Some(self.samples()),
            ensemble: Some(self.ensemble()),
            rounds: Some(self.rounds()),
            epochs: Some(self.epochs()),
            null_rounds: Some(self.null_rounds()),
            ..self.clone()
        }
    }

    /// What makes a feature strong.
    pub fn strength(&self) -> StrengthRule {
        self.strength.unwrap_or(StrengthRule::Gain)
    }

    /// Permuted copies added as features, as a share of the features.
    pub fn shadows(&self) -> f64 {
        self.shadows.unwrap_or(0.25)
    }

    /// Rows a round trains on at most.
    pub fn samples(&self) -> usize {
        self.samples.unwrap_or(2000)
    }

    /// Which machines vote.
    pub fn ensemble(&self) -> Ensemble {
        self.ensemble.unwrap_or(Ensemble::Single)
    }

    /// Fresh machines per target and model, at most.
    pub fn rounds(&self) -> usize {
        self.rounds.unwrap_or(if self.strength() == StrengthRule::Gain { 3 } else { 4 })
    }

    /// Fresh machines per permuted target and model.
    pub fn null_rounds(&self) -> usize {
        self.null_rounds.unwrap_or(self.rounds())
    }

    /// After how many of its last epochs the clauses of a machine are read: context gain is the mean over two, as a machine goes on changing
    /// its clauses and a second look costs next to nothing.
    pub(super) fn readings(&self) -> usize {
        if self.strength() == StrengthRule::Gain { 2 } else { 1 }
    }

    /// Passes over the rows of a round.
    pub fn epochs(&self) -> usize {
        self.epochs.unwrap_or(4)
    }

    /// The machines that vote, for a table whose variables have `states` states together (the paper's L).
    pub fn machines(&self, states: usize, seed: u64) -> Vec<Member> {
        let all: Vec<MachineParams> = match self.ensemble() {
            Ensemble::Single => vec![single()],
            Ensemble::Paper5 => vec![
                machine(states + 12, 25, 9.4, 25),
                machine(states + 34, 21, 11.2, 33),
                machine(states + 23, 30, 6.7, 7),
                machine(states + 58, 10, 9.8, 55),
                machine(states + 92, 42, 12.6, 5),
            ],
            Ensemble::Supply => vec![
                machine(42, 14, 7.2, 18),
                machine(80, 37, 7.4, 32),
                machine(66, 35, 8.7, 27),
                machine(85, 10, 9.4, 85),
                machine(42, 35, 11.3, 42),
            ],
            Ensemble::Random => MODEL_NAMES.map(|name| random_machine(states, name, seed)).to_vec(),
        };
        let wanted = |name: &str| self.models.is_empty() || self.models.iter().any(|m| m == name);
        let numbered = MODEL_NAMES.iter().zip(all).filter(|(name, _)| wanted(name));
        numbered.map(|(name, m)| Member { name: name.to_string(), machine: self.overridden(m) }).collect()
    }

    fn overridden(&self, machine: MachineParams) -> MachineParams {
        MachineParams {
            clauses: self.clauses.unwrap_or(machine.clauses),
            threshold: self.threshold.unwrap_or(machine.threshold),
            specificity: self.specificity.unwrap_or(machine.specificity),
            literal_budget: self.literal_budget.or(machine.literal_budget),
            type_iii: self.type_iii.or(machine.type_iii),
            ..machine
        }
    }
}

/// A machine drawn in the paper's ranges.
fn random_machine(states: usize, name: &str, seed: u64) -> MachineParams {
    let mut stream = Stream::new(seed, &format!("random ensemble\0{name}"));
    let mut between = |low: usize, high: usize| low + stream.below((high - low + 1) as u64) as usize;
    let low = states.max(10);
    let clauses = between(low, 3 * low);
    let threshold = between(10, clauses);
    let budget = between(3, low);
    machine(clauses, threshold as u32, 5.0 + 10.0 * stream.unit(), budget)
}

/// The one machine of the hybrid profile.
fn single() -> MachineParams {
    machine(30, 40, 5.0, 3)
}

fn machine(clauses: usize, threshold: u32, specificity: f64, budget: usize) -> MachineParams {
    MachineParams {
        clauses,
        threshold,
        specificity,
        literal_budget: Some(budget),
        ..MachineParams::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gate_names_the_parameter() {
        let base = StrengthSettings::default;
        let bad = [
            (StrengthSettings { rounds: Some(0), ..base() }, "rounds is 0"),
            (StrengthSettings { null_rounds: Some(0), ..base() }, "null-rounds is 0"),
            (StrengthSettings { epochs: Some(0), ..base() }, "epochs is 0"),
            (StrengthSettings { samples: Some(3), ..base() }, "samples is 3"),
            (StrengthSettings { clauses: Some(1), ..base() }, "clauses is 1"),
            (StrengthSettings { threshold: Some(0), ..base() }, "threshold is 0"),
            (StrengthSettings { specificity: Some(1.0), ..base() }, "specificity is 1"),
            (StrengthSettings { literal_budget: Some(0), ..base() }, "literal-budget is 0"),
            (StrengthSettings { type_iii: Some(1.0), ..base() }, "type-iii is 1"),
            (StrengthSettings { shadows: Some(f64::NAN), ..base() }, "shadows is NaN"),
            (StrengthSettings { literal_limit: 1, ..base() }, "literal-limit is 1"),
            (StrengthSettings { rivals: 1000, ..base() }, "rivals is 1000"),
            (StrengthSettings { models: vec!["II".into()], ..base() }, "models is II"),
            (
                StrengthSettings { models: vec!["VI".into()], ..StrengthSettings::of_the_paper() },
                "models is VI",
            ),
            (StrengthSettings { models: vec!["I".into(), "I".into()], ..base() }, "models is I twice"),
        ];
        for (params, expected) in bad {
            let message = params.check().unwrap_err().to_string();
            assert!(message.starts_with(expected), "{message}");
        }
        assert!(base().check().is_ok() && StrengthSettings::of_the_paper().check().is_ok());
        let resolved = base().filled(&StrengthSettings::of_the_paper());
        assert_eq!((resolved.ensemble, resolved.epochs), (Some(Ensemble::Paper5), Some(5)));
        assert_eq!(resolved.machines(30, 1), StrengthSettings::of_the_paper().machines(30, 1));
    }

    #[test]
    fn ensembles_are_those_of_the_paper() {
        let paper = StrengthSettings::of_the_paper().machines(89, 1);
        let rows: Vec<(usize, u32, f64, Option<usize>)> = paper
            .iter()
            .map(|m| {
                (m.machine.clauses, m.machine.threshold, m.machine.specificity, m.machine.literal_budget)
            })
            .collect();
        assert_eq!(rows[0], (101, 25, 9.4, Some(25)));
        assert_eq!(rows[3], (147, 10, 9.8, Some(55)));
        assert_eq!(rows[4], (181, 42, 12.6, Some(5)));
        let override_all = StrengthSettings { clauses: Some(40), ..StrengthSettings::of_the_paper() };
        assert!(override_all.machines(89, 1).iter().all(|m| m.machine.clauses == 40));
        let random = StrengthSettings { ensemble: Some(Ensemble::Random), ..StrengthSettings::default() };
        for model in random.machines(60, 1) {
            let MachineParams { clauses, threshold, specificity, literal_budget, .. } = model.machine;
            assert!((60..=180).contains(&clauses) && (10..=clauses as u32).contains(&threshold));
            assert!((5.0..15.0).contains(&specificity) && (3..=60).contains(&literal_budget.unwrap()));
        }
        assert_eq!(random.machines(60, 1), random.machines(60, 1));
    }

    #[test]
    fn unknown_and_misspelt_settings_are_refused() {
        let params: StrengthSettings =
            serde_json::from_str(r#"{"literal-budget": 7, "ensemble": "supply"}"#).unwrap();
        assert_eq!((params.literal_budget, params.ensemble()), (Some(7), Ensemble::Supply));
        assert!(serde_json::from_str::<StrengthSettings>(r#"{"literal_budgets": 7}"#).is_err());
        let text = serde_json::to_string(&params).unwrap();
        assert_eq!(serde_json::from_str::<StrengthSettings>(&text).unwrap(), params);
    }
}
