//! What is known, or done, at the steps of a series.

use crate::Error;
use crate::MISSING;
use crate::dynamic::{DynamicNetwork, Lagged};
use crate::infer::{Evidence, Finding};
use std::collections::BTreeMap;

/// A variable of a series: what holds for all of it, or a process at a step, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Moment {
    /// A static variable.
    Static(usize),
    /// A process at a step.
    At(usize, usize),
}

/// Findings about a series: at most one for each variable and step, of the kinds that [`Evidence`] knows.
#[derive(Debug, Clone)]
pub struct SeriesEvidence {
    /// Evidence about one window, which checks every finding and is left empty.
    probe: Evidence,
    order: usize,
    processes: usize,
    statics: Vec<Finding>,
    steps: BTreeMap<usize, Vec<Finding>>,
}

impl SeriesEvidence {
    /// Nothing known yet.
    pub fn new(network: &DynamicNetwork) -> Self {
        SeriesEvidence {
            probe: Evidence::new(network.window()),
            order: network.order(),
            processes: network.processes().len(),
            statics: vec![Finding::Free; network.statics().len()],
            steps: BTreeMap::new(),
        }
    }

    /// The variable was seen in this state.
    ///
    /// # Errors
    /// A variable or state that is not there; two findings about one variable at one step.
    pub fn observe(&mut self, moment: Moment, state: u8) -> Result<(), Error> {
        self.put(moment, |probe, node| probe.observe(node, state))
    }

    /// The variable is set to this state from outside.
    ///
    /// # Errors
    /// As [`SeriesEvidence::observe`].
    pub fn intervene(&mut self, moment: Moment, state: u8) -> Result<(), Error> {
        self.put(moment, |probe, node| probe.intervene(node, state))
    }

    /// A report: for each state, how likely the report would be in it. Only the ratios matter.
    ///
    /// # Errors
    /// As [`SeriesEvidence::observe`]; numbers that are no likelihoods.
    pub fn likelihood(&mut self, moment: Moment, likelihood: Vec<f64>) -> Result<(), Error> {
        self.put(moment, |probe, node| probe.likelihood(node, likelihood))
    }

    /// The variable was seen in a set of values: for each state, the share of it that is in the set.
    ///
    /// # Errors
    /// As [`SeriesEvidence::likelihood`].
    pub fn among(&mut self, moment: Moment, shares: Vec<f64>) -> Result<(), Error> {
        self.put(moment, |probe, node| probe.among(node, shares))
    }

    /// All processes at a step, in their order; [`MISSING`] says nothing.
    ///
    /// # Errors
    /// As [`SeriesEvidence::observe`].
    pub fn observe_step(&mut self, step: usize, codes: &[u8]) -> Result<(), Error> {
        let seen = codes.iter().enumerate().filter(|&(_, &code)| code != MISSING);
        seen.into_iter().try_for_each(|(process, &code)| self.observe(Moment::At(process, step), code))
    }

    /// What is known of a variable.
    pub fn finding(&self, moment: Moment) -> &Finding {
        match moment {
            Moment::Static(v) => &self.statics[v],
            Moment::At(process, step) => {
                self.steps.get(&step).map_or(&Finding::Free, |found| &found[process])
            }
        }
    }

    /// The last step of which anything is known.
    pub fn last_step(&self) -> Option<usize> {
        self.steps.keys().next_back().copied()
    }

    /// The processes of which anything is known at any step.
    pub(super) fn processes_known(&self) -> Vec<bool> {
        let mut known = vec![false; self.processes];
        for found in self.steps.values() {
            known.iter_mut().zip(found).for_each(|(known, finding)| *known |= *finding != Finding::Free);
        }
        known
    }

    /// Evidence made for another network must not slip in.
    pub(super) fn check_for(&self, network: &DynamicNetwork) -> Result<(), Error> {
        if (self.order, self.processes) != (network.order(), network.processes().len()) {
            let variables = network.window().len();
            return Err(Error::ColumnCount { columns: self.probe.findings().len(), variables });
        }
        self.probe.check_for(network.window())
    }

    fn put(
        &mut self,
        moment: Moment,
        check: impl FnOnce(&mut Evidence, usize) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (list, place, node) = match moment {
            Moment::Static(v) if v < self.statics.len() => (&mut self.statics, v, v),
            Moment::At(process, step) if process < self.processes => {
                let free = || vec![Finding::Free; self.processes];
                let node = self.statics.len() + self.order * self.processes + process;
                (self.steps.entry(step).or_insert_with(free), process, node)
            }
            Moment::Static(v) | Moment::At(v, _) => return Err(Error::UnknownVariable(format!("#{v}"))),
        };
        // What is known already makes the check refuse a second finding.
        self.probe.replace(node, std::mem::take(&mut list[place]));
        let checked = check(&mut self.probe, node);
        list[place] = self.probe.finding(node).clone();
        self.probe.replace(node, Finding::Free);
        checked.map_err(|error| match (error, moment) {
            (Error::Evidence { variable, reason }, Moment::At(_, step)) => {
                let variable = Lagged::at(&variable, step as i64).to_string();
                Error::Evidence { variable, reason }
            }
            (error, _) => error,
        })
    }
}
