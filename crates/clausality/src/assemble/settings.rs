//! What may be chosen about making a network of strengths.

use crate::Error;
use clausality_bn::{Prior, Score};
use serde::{Deserialize, Serialize};

/// How a network is made of strengths.
///
/// | name | default | purpose | range |
/// |---|---|---|---|
/// | `assembler` | profile | what turns strengths into arcs | `paper`, `hybrid`, `hc`, `tabu`, `chow-liu`, `pc`, `mmhc` |
/// | `score` | `bdeu` | what the searches maximise, and what every network and arc is reported by | `bdeu`, `bic`, `aic`, `qnml`, `fnml` |
/// | `ess` | what suits the table: 1, 2 or 4 | equivalent sample size of `bdeu` | > 0 |
/// | `features` | 2 | features that a node may list as its parents (paper) | 1 … 1,000 |
/// | `competing` | `pairwise` | which of two opposite arcs stays (paper) | `pairwise`, `total` |
/// | `cycles` | `greedy` | how cycles are removed (paper) | `greedy`, `dfs` |
/// | `alpha` | 0.05 | the level of the tests (pc, mmhc) | above 0, at most 0.05 |
/// | `restrict` | false | whether only pairs on the machines' lists are looked at (hc, tabu, pc, mmhc) | |
/// | `weights` | `strengths` | what the tree is heaviest by (chow-liu) | `strengths`, `information` |
/// | `bootstrap` | 0 | how often to learn again from rows drawn anew | 0 … 10,000 |
/// | `consensus` | 0.5 | the share of these from which on two nodes are joined in the consensus | above 0, at most 1 |
/// | `prior` | `backoff` | what is believed about probabilities before rows are counted | `backoff`, `laplace`, `mle`, `bdeu` |
/// | `prior-weight` | what predicts the rows best (`backoff`), 1 | what that weighs: a parent left out (`backoff`), every cell (`laplace`), the whole table (`bdeu`) | above 0, at most 10¹² |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct NetworkSettings {
    /// What turns strengths into arcs; `None`: the profile's own.
    pub assembler: Option<Assembler>,
    /// What networks are judged by.
    pub score: ScoreName,
    /// Equivalent sample size of BDeu; `None`: what suits the table, [`super::equivalent_sample_size`].
    pub ess: Option<f64>,
    /// P: features listed for a node.
    pub features: usize,
    /// Which of two opposite arcs stays.
    pub competing: Competing,
    /// How cycles are removed.
    pub cycles: Cycles,
    /// The level of tests of independence.
    pub alpha: f64,
    /// Whether only pairs on the machines' lists are looked at.
    pub restrict: bool,
    /// What a tree is heaviest by.
    pub weights: TreeWeights,
    /// How often to learn again from rows drawn anew.
    pub bootstrap: usize,
    /// The share of these from which on two nodes are joined in the consensus.
    pub consensus: f64,
    /// What is believed about probabilities before rows are counted.
    pub prior: Option<PriorName>,
    /// What that weighs.
    pub prior_weight: Option<f64>,
    /// How hard the hybrid assembly searches: for studies, not part of what is kept.
    #[doc(hidden)]
    #[serde(skip)]
    pub effort: Effort,
}

/// What turns strengths into arcs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Assembler {
    /// Algorithms 2 and 3 of the paper.
    Paper,
    /// The order search under a score.
    Hybrid,
    /// Hill climbing: one arc at a time under a score.
    Hc,
    /// Hill climbing that may go downhill for a while.
    Tabu,
    /// The heaviest tree.
    ChowLiu,
    /// Tests of conditional independence.
    Pc,
    /// Hill climbing among the parents and children that tests find.
    Mmhc,
}

impl Assembler {
    /// As settings write it.
    pub fn word(self) -> &'static str {
        match self {
            Assembler::Paper => "paper",
            Assembler::Hybrid => "hybrid",
            Assembler::Hc => "hc",
            Assembler::Tabu => "tabu",
            Assembler::ChowLiu => "chow-liu",
            Assembler::Pc => "pc",
            Assembler::Mmhc => "mmhc",
        }
    }
}

/// Which of two opposite arcs stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Competing {
    /// The arc with the larger strength of its own.
    #[default]
    Pairwise,
    /// The arc whose parent has the larger total strength.
    Total,
}

/// How cycles are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Cycles {
    /// Strong arcs first; one that closes a cycle is rejected.
    #[default]
    Greedy,
    /// Algorithm 3 to the letter, repeated until no cycle is left.
    Dfs,
}

/// What a tree is heaviest by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TreeWeights {
    /// What the machines say of both, half each: `½(h_a[b] + h_b[a])`, h normalised by target.
    #[default]
    Strengths,
    /// Mutual information.
    Information,
}

/// A prior of probabilities by its name alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PriorName {
    /// The probabilities with a parent left out, again and again, down to the node's own frequencies.
    #[default]
    Backoff,
    /// The same weight for every cell.
    Laplace,
    /// Relative frequencies as they are.
    Mle,
    /// An imagined uniform sample, spread over the cells.
    Bdeu,
}

/// How hard the hybrid assembly searches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effort {
    /// Features of the machine's list from which sets are tried, at most 30.
    pub list: usize,
    /// The most possible parents of a node, by how much each adds alone; the list and what is required come on top.
    pub pool: usize,
    /// Random orders to start from beside the one that hill climbing finds; where there are over 100 variables, none.
    pub starts: usize,
    /// Disturbances of an order for every variable, from each start; at most 1,000.
    pub shakes: usize,
    /// Whether to search again under fNML within the skeleton.
    pub reorient: bool,
}

impl Default for Effort {
    fn default() -> Self {
        Effort { list: 16, pool: 60, starts: 2, shakes: 14, reorient: true }
    }
}

/// The equivalent sample size of BDeu where neither the user nor the table has chosen one.
const USUAL_ESS: f64 = 4.0;

/// A score by its name alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScoreName {
    /// The marginal likelihood under a uniform prior.
    #[default]
    Bdeu,
    /// The Bayesian information criterion.
    Bic,
    /// Akaike's information criterion.
    Aic,
    /// Quotient normalised maximum likelihood.
    Qnml,
    /// Factorised normalised maximum likelihood.
    Fnml,
}

impl ScoreName {
    /// As settings write it.
    pub fn word(self) -> &'static str {
        match self {
            ScoreName::Bdeu => "bdeu",
            ScoreName::Bic => "bic",
            ScoreName::Aic => "aic",
            ScoreName::Qnml => "qnml",
            ScoreName::Fnml => "fnml",
        }
    }

    /// As people write it.
    pub fn title(self) -> &'static str {
        match self {
            ScoreName::Bdeu => "BDeu",
            ScoreName::Bic => "BIC",
            ScoreName::Aic => "AIC",
            ScoreName::Qnml => "qNML",
            ScoreName::Fnml => "fNML",
        }
    }
}

impl Default for NetworkSettings {
    fn default() -> Self {
        NetworkSettings {
            assembler: None,
            score: ScoreName::default(),
            ess: None,
            features: 2,
            competing: Competing::default(),
            cycles: Cycles::default(),
            alpha: 0.05,
            restrict: false,
            weights: TreeWeights::default(),
            bootstrap: 0,
            consensus: 0.5,
            prior: None,
            prior_weight: None,
            effort: Effort::default(),
        }
    }
}

/// The most features on a list of the paper.
const MOST_FEATURES: usize = 1000;
/// The most repetitions on rows drawn anew.
pub(crate) const MOST_REPETITIONS: usize = 10_000;

impl NetworkSettings {
    /// Which settings only some assemblers look at.
    pub const SERVES: [(&str, &[Assembler]); 6] = [
        ("features", &[Assembler::Paper]),
        ("competing", &[Assembler::Paper]),
        ("cycles", &[Assembler::Paper]),
        ("alpha", &[Assembler::Pc, Assembler::Mmhc]),
        ("restrict", &[Assembler::Hc, Assembler::Tabu, Assembler::Pc, Assembler::Mmhc]),
        ("weights", &[Assembler::ChowLiu]),
    ];

    /// What single arcs are judged by in the end: what the last search of the hybrid assembly maximises, or what networks are judged by.
    pub fn gains_in(&self) -> ScoreName {
        let hybrid = self.assembler.unwrap_or(Assembler::Hybrid) == Assembler::Hybrid;
        if hybrid && self.effort.reorient { ScoreName::Fnml } else { self.score }
    }

    /// The same with its parameter.
    pub fn arcs_judged_by(&self) -> Score {
        if self.gains_in() == ScoreName::Fnml { Score::Fnml } else { self.judged_by() }
    }

    /// What networks are judged by, with its parameter.
    pub fn judged_by(&self) -> Score {
        match self.score {
            ScoreName::Bdeu => Score::Bdeu { ess: self.ess.unwrap_or(USUAL_ESS) },
            ScoreName::Bic => Score::Bic,
            ScoreName::Aic => Score::Aic,
            ScoreName::Qnml => Score::Qnml,
            ScoreName::Fnml => Score::Fnml,
        }
    }

    /// What is believed about probabilities before the rows are counted.
    pub fn believed(&self) -> Prior {
        let weight = self.prior_weight.unwrap_or(1.0);
        match self.prior.unwrap_or_default() {
            PriorName::Backoff => Prior::Backoff { weight: self.prior_weight },
            PriorName::Laplace => Prior::Laplace { alpha: weight },
            PriorName::Mle => Prior::Mle,
            PriorName::Bdeu => Prior::Bdeu { ess: weight },
        }
    }

    /// Checks every range.
    ///
    /// # Errors
    /// The name of what is out of its range.
    pub fn check(&self) -> Result<(), Error> {
        let wrong = |name, value: String, expected| Err(Error::Setting { name, value, expected });
        let counts = [
            ("features", self.features, 1..=MOST_FEATURES, "between 1 and 1000"),
            ("list", self.effort.list, 0..=30, "between 0 and 30"),
            ("pool", self.effort.pool, 1..=usize::MAX, "at least 1"),
            ("starts", self.effort.starts, 1..=usize::MAX, "at least 1"),
            ("bootstrap", self.bootstrap, 0..=MOST_REPETITIONS, "at most 10000"),
        ];
        for (name, value, range, expected) in counts {
            if !range.contains(&value) {
                return wrong(name, value.to_string(), expected);
            }
        }
        match self.ess {
            Some(ess) if !(ess.is_finite() && ess > 0.0) => return wrong("ess", ess.to_string(), "above 0"),
            Some(ess) if self.score != ScoreName::Bdeu => {
                return wrong("ess", ess.to_string(), "left open: it is for the score bdeu");
            }
            _ => {}
        }
        if !(self.alpha > 0.0 && self.alpha <= 0.05) {
            return wrong("alpha", self.alpha.to_string(), "above 0 and at most 0.05");
        }
        if !(self.consensus > 0.0 && self.consensus <= 1.0) {
            return wrong("consensus", self.consensus.to_string(), "above 0 and at most 1");
        }
        match self.prior_weight {
            Some(weight) if self.prior == Some(PriorName::Mle) => {
                wrong("prior-weight", weight.to_string(), "left open: the prior mle has none")
            }
            Some(weight) if !(weight > 0.0 && weight <= 1e12) => {
                wrong("prior-weight", weight.to_string(), "above 0 and at most 1e12")
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_kept() {
        let with = |change: fn(&mut NetworkSettings)| {
            let mut settings = NetworkSettings::default();
            change(&mut settings);
            settings.check().map_err(|error| error.to_string())
        };
        assert_eq!(with(|_| {}), Ok(()));
        type Change = fn(&mut NetworkSettings);
        let wrong: [(Change, &str); 9] = [
            (|s| s.ess = Some(0.0), "ess is 0; it must be above 0"),
            (|s| s.ess = Some(f64::NAN), "ess is NaN; it must be above 0"),
            (|s| s.alpha = 0.5, "alpha is 0.5; it must be above 0 and at most 0.05"),
            (|s| s.alpha = f64::NAN, "alpha is NaN; it must be above 0 and at most 0.05"),
            (|s| s.features = 0, "features is 0; it must be between 1 and 1000"),
            (|s| s.effort.starts = 0, "starts is 0; it must be at least 1"),
            (|s| s.prior_weight = Some(0.0), "prior-weight is 0; it must be above 0 and at most 1e12"),
            (
                |s| (s.score, s.ess) = (ScoreName::Bic, Some(2.0)),
                "ess is 2; it must be left open: it is for the score bdeu",
            ),
            (|s| s.consensus = 0.0, "consensus is 0; it must be above 0 and at most 1"),
        ];
        for (change, expected) in wrong {
            assert_eq!(with(change), Err(expected.to_string()));
        }
    }
}
