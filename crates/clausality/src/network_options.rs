//! What the user may choose about making a network of strengths, flat and by the names of the command line.

use crate::Error;
use crate::assemble::{Competing, Cycles, TreeWeights, USUAL_ESS, equivalent_sample_size};
use crate::learn::{Assembler, NetworkParams};
use clausality_bn::{Score, Table};
use serde::{Deserialize, Serialize};

/// How a network is made of strengths, as configuration files and run folders have it.
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct NetworkOptions {
    /// What turns strengths into arcs; `None`: the profile's own.
    pub assembler: Option<Assembler>,
    /// What networks are judged by.
    pub score: ScoreName,
    /// Equivalent sample size of BDeu; `None`: what suits the table, [`equivalent_sample_size`].
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
}

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

impl Default for NetworkOptions {
    fn default() -> Self {
        NetworkOptions {
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
        }
    }
}

/// The most features on a list of the paper.
const MOST_FEATURES: usize = 1000;
/// The most repetitions on rows drawn anew.
const MOST_REPETITIONS: usize = 10_000;

impl NetworkOptions {
    /// The options with nothing left open, for a table.
    pub fn for_table(self, table: &Table) -> Self {
        let by_table = || (self.score == ScoreName::Bdeu).then(|| equivalent_sample_size(table));
        NetworkOptions { ess: self.ess.or_else(by_table), ..self }
    }

    /// The parameters of [`crate::learn::learn`].
    ///
    /// # Errors
    /// The name of what is out of its range.
    pub fn params(&self) -> Result<NetworkParams, Error> {
        let ess = self.ess.unwrap_or(USUAL_ESS);
        check_ess(ess)?;
        let mut params = NetworkParams { assembler: self.assembler, ..NetworkParams::default() };
        params.hybrid.score = match self.score {
            ScoreName::Bdeu => Score::Bdeu { ess },
            ScoreName::Bic => Score::Bic,
            ScoreName::Aic => Score::Aic,
            ScoreName::Qnml => Score::Qnml,
            ScoreName::Fnml => Score::Fnml,
        };
        params.paper.features = self.features;
        params.paper.competing = self.competing;
        params.paper.cycles = self.cycles;
        params.classic.score = params.hybrid.score;
        params.classic.alpha = self.alpha;
        params.classic.restrict = self.restrict;
        params.classic.weights = self.weights;
        params.bootstrap = self.bootstrap;
        params.consensus = self.consensus;
        params.check()?;
        Ok(params)
    }
}

impl NetworkParams {
    /// Checks every range.
    ///
    /// # Errors
    /// The name of what is out of its range.
    pub fn check(&self) -> Result<(), Error> {
        let counts = [
            ("features", self.paper.features, 1..=MOST_FEATURES, "between 1 and 1000"),
            ("list", self.hybrid.list, 0..=30, "between 0 and 30"),
            ("pool", self.hybrid.pool, 1..=usize::MAX, "at least 1"),
            ("starts", self.hybrid.starts, 1..=usize::MAX, "at least 1"),
            ("bootstrap", self.bootstrap, 0..=MOST_REPETITIONS, "at most 10000"),
        ];
        for (name, value, range, expected) in counts {
            if !range.contains(&value) {
                return Err(Error::Parameter { name, value: value.to_string(), expected });
            }
        }
        for score in [self.hybrid.score, self.classic.score] {
            if let Score::Bdeu { ess } = score {
                check_ess(ess)?;
            }
        }
        let alpha = self.classic.alpha;
        if !(alpha > 0.0 && alpha <= 0.05) {
            let (name, value) = ("alpha", alpha.to_string());
            return Err(Error::Parameter { name, value, expected: "above 0 and at most 0.05" });
        }
        if !(self.consensus > 0.0 && self.consensus <= 1.0) {
            let (name, value) = ("consensus", self.consensus.to_string());
            return Err(Error::Parameter { name, value, expected: "above 0 and at most 1" });
        }
        Ok(self.prior.check()?)
    }
}

fn check_ess(ess: f64) -> Result<(), Error> {
    match ess.is_finite() && ess > 0.0 {
        true => Ok(()),
        false => Err(Error::Parameter { name: "ess", value: ess.to_string(), expected: "above 0" }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_those_of_the_parameters_and_ranges_are_kept() {
        assert_eq!(NetworkOptions::default().params().unwrap(), NetworkParams::default());
        for (options, expected) in [
            (NetworkOptions { ess: Some(0.0), ..Default::default() }, "ess is 0; it must be above 0"),
            (
                NetworkOptions { alpha: 0.5, ..Default::default() },
                "alpha is 0.5; it must be above 0 and at most 0.05",
            ),
            (NetworkOptions { ess: Some(f64::NAN), ..Default::default() }, "ess is NaN; it must be above 0"),
            (
                NetworkOptions { features: 0, ..Default::default() },
                "features is 0; it must be between 1 and 1000",
            ),
        ] {
            assert_eq!(options.params().unwrap_err().to_string(), expected);
        }
        let asia = crate::bn::sample(&crate::embedded::network("asia").unwrap(), 1000, 1);
        let ess = |options: NetworkOptions| options.for_table(&asia).ess;
        assert_eq!(ess(NetworkOptions::default()), Some(1.0));
        assert_eq!(ess(NetworkOptions { ess: Some(7.0), ..Default::default() }), Some(7.0));
        assert_eq!(ess(NetworkOptions { score: ScoreName::Bic, ..Default::default() }), None);
        let wrong: [fn(&mut NetworkParams); 5] = [
            |p| p.hybrid.score = Score::Bdeu { ess: f64::INFINITY },
            |p| p.classic.score = Score::Bdeu { ess: -1.0 },
            |p| p.classic.alpha = f64::NAN,
            |p| p.hybrid.starts = 0,
            |p| p.prior = clausality_bn::Prior::Laplace { alpha: 0.0 },
        ];
        for change in wrong {
            let mut params = NetworkParams::default();
            change(&mut params);
            assert!(params.check().is_err(), "{params:?}");
        }
    }
}
