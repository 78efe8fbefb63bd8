//! A network as inference sees it: variables numbered by name, tables with strides.

use super::evidence::{Evidence, Finding};
use crate::{Error, Network};

/// What is known of a variable, as far as it decides which tables are needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Status {
    Free,
    Observed,
    Set,
    Soft,
}

impl Status {
    /// Whether the variable has one known state, so that no table spans it.
    pub(super) fn is_fixed(self) -> bool {
        matches!(self, Status::Observed | Status::Set)
    }
}

/// The shapes of a network's tables. Variables are numbered in the order of their names, so that no choice depends on the order
/// in which a file lists them.
#[derive(Debug, Clone)]
pub(super) struct Families {
    /// The node of a variable.
    pub(super) node: Vec<usize>,
    /// The variable of a node.
    pub(super) variable: Vec<u32>,
    pub(super) states: Vec<u32>,
    /// Parents, then the variable itself, with the stride of each in its table; nothing for a variable without one.
    pub(super) scopes: Vec<Vec<(u32, usize)>>,
    /// `−log2` of the smallest positive number of each table, rounded up.
    pub(super) depth: Vec<u32>,
    /// The variables of tables that come from elsewhere, the last varying fastest.
    pub(super) given: Vec<Vec<u32>>,
}

impl Families {
    pub(super) fn of(network: &Network) -> Self {
        let schema = network.schema();
        let mut node: Vec<usize> = (0..network.len()).collect();
        node.sort_by(|&a, &b| schema.name(a).cmp(schema.name(b)));
        let mut variable = vec![0u32; network.len()];
        node.iter().enumerate().for_each(|(v, &n)| variable[n] = v as u32);
        let mut scopes = Vec::with_capacity(node.len());
        let mut depth = Vec::with_capacity(node.len());
        for &n in &node {
            let cpt = network.cpt(n);
            let mut stride = cpt.values().len();
            let mut scope = Vec::with_capacity(cpt.parents().len() + 1);
            let states = cpt.parent_states().iter().copied().chain([cpt.states()]);
            for (&member, states) in cpt.parents().iter().chain([&n]).zip(states) {
                stride /= states;
                scope.push((variable[member], stride));
            }
            scopes.push(scope);
            depth.push(depth_of(cpt.values()));
        }
        let states = node.iter().map(|&n| schema.cardinality(n) as u32).collect();
        Families { node, variable, states, scopes, depth, given: vec![] }
    }

    pub(super) fn len(&self) -> usize {
        self.node.len()
    }

    /// The same, with tables from elsewhere over these variables.
    pub(super) fn with_given(&self, given: Vec<Vec<u32>>) -> Self {
        Families { given, ..self.clone() }
    }

    /// Takes away the tables of variables that only others depend on.
    pub(super) fn without_tables(mut self, without: impl Fn(usize) -> bool) -> Self {
        for (scope, &node) in self.scopes.iter_mut().zip(&self.node) {
            if without(node) {
                scope.clear();
            }
        }
        self
    }

    /// The parents of a variable.
    pub(super) fn parents(&self, variable: u32) -> impl Iterator<Item = u32> + '_ {
        let scope = &self.scopes[variable as usize];
        scope[..scope.len().saturating_sub(1)].iter().map(|&(parent, _)| parent)
    }

    /// What the evidence says of each variable; it must be about this network.
    pub(super) fn statuses(&self, network: &Network, evidence: &Evidence) -> Result<Vec<Status>, Error> {
        evidence.check_for(network)?;
        let status = |&node: &usize| match evidence.finding(node) {
            Finding::Free => Status::Free,
            Finding::Observed(_) => Status::Observed,
            Finding::Set(_) => Status::Set,
            Finding::Likelihood(_) => Status::Soft,
        };
        Ok(self.node.iter().map(status).collect())
    }

    /// The variables with a say: the targets and all evidence, and what they depend on. The rest is barren: its tables
    /// sum to one. Nothing is known through the arcs into a variable that was set.
    pub(super) fn relevant(&self, status: &[Status], targets: &[u32]) -> Vec<bool> {
        let mut relevant = vec![false; self.len()];
        let evidence = (0..self.len() as u32).filter(|&v| status[v as usize] != Status::Free);
        let given = self.given.iter().flatten();
        let mut stack: Vec<u32> = targets.iter().chain(given).copied().chain(evidence).collect();
        while let Some(v) = stack.pop() {
            if std::mem::replace(&mut relevant[v as usize], true) || status[v as usize] == Status::Set {
                continue;
            }
            stack.extend(self.parents(v));
        }
        relevant
    }
}

/// `−log2` of the smallest positive number, rounded up.
pub(super) fn depth_of(values: &[f64]) -> u32 {
    let least = values.iter().copied().filter(|&p| p > 0.0).fold(1.0, f64::min);
    // The exponent of the double; of a subnormal number, the largest there is.
    let exponent = (least.to_bits() >> 52) as u32;
    if exponent == 0 { 1075 } else { 1023u32.saturating_sub(exponent) + 1 }
}
