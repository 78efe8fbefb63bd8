//! Witnesses: yes-or-no nodes added beside others, so that a question becomes one of evidence that the engines know.

use super::evidence::{Evidence, Finding};
use crate::{Cpt, Error, Network, Schema, Variable};

/// A new node without children whose first state, `yes`, has this probability in every configuration of its parents.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Witness {
    /// The parents, the last varying fastest in `yes`.
    pub(crate) of: Vec<usize>,
    /// `P(yes | configuration)`.
    pub(crate) yes: Vec<f64>,
}

/// The network with witnesses behind its own nodes, in their order.
pub(crate) fn with_witnesses(network: &Network, witnesses: &[Witness]) -> Result<Network, Error> {
    let mut variables = network.schema().variables().to_vec();
    let mut number = 0;
    for _ in witnesses {
        let name = loop {
            let name = format!("witness {number}");
            number += 1;
            if network.schema().index(&name).is_none() {
                break name;
            }
        };
        variables.push(Variable::new(name, ["yes", "no"]));
    }
    let schema = Schema::new(variables)?;
    let mut cpts = network.cpts().to_vec();
    for (k, Witness { of, yes }) in witnesses.iter().enumerate() {
        let values = yes.iter().flat_map(|&p| [p, 1.0 - p]).collect();
        cpts.push(Cpt::new(&schema, network.len() + k, of.clone(), values)?);
    }
    Network::new(network.name(), schema, cpts)
}

/// The same findings about a network with more nodes.
pub(crate) fn carried(evidence: &Evidence, network: &Network) -> Result<Evidence, Error> {
    let mut out = Evidence::new(network);
    for (node, finding) in evidence.findings().iter().enumerate() {
        match finding {
            Finding::Free => {}
            Finding::Observed(state) => out.observe(node, *state)?,
            Finding::Set(state) => out.intervene(node, *state)?,
            Finding::Likelihood(shares) => out.among(node, shares.clone())?,
        }
    }
    Ok(out)
}
