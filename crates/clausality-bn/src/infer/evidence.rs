//! What is known, or done, before a network is asked.

use crate::{Error, Network};

/// Findings about the nodes of a network: at most one each.
///
/// - an *observation* `X = x`;
/// - a *likelihood* `L(x) ∝ P(report | X = x)`, a report that speaks for some states more than for others (soft, or
///   virtual, evidence);
/// - an *intervention* `do(X = x)`: somebody sets `X`, so the arcs into `X` are cut and `X` tells nothing about its causes.
///
/// ```
/// use clausality_bn::infer::Evidence;
/// use clausality_bn::io;
/// let text = b"variable A { type discrete [ 2 ] { yes, no }; } probability ( A ) { table 0.25, 0.75; }";
/// let network = io::bif::read(text, &io::Limits::default())?;
/// let mut evidence = Evidence::new(&network);
/// evidence.observe(0, 1)?;
/// assert!(evidence.observe(0, 0).is_err(), "a node has one finding");
/// # Ok::<(), clausality_bn::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    names: Vec<String>,
    states: Vec<usize>,
    findings: Vec<Finding>,
}

/// What is known of one node.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Finding {
    /// Nothing.
    #[default]
    Free,
    /// Its state.
    Observed(u8),
    /// Its state, because somebody set it.
    Set(u8),
    /// How well each of its states explains a report; the largest is 1.
    Likelihood(Vec<f64>),
}

impl Finding {
    /// The state, if it is known.
    pub fn state(&self) -> Option<u8> {
        match self {
            Finding::Observed(state) | Finding::Set(state) => Some(*state),
            Finding::Free | Finding::Likelihood(_) => None,
        }
    }
}

impl Evidence {
    /// Nothing known yet of the nodes of this network.
    pub fn new(network: &Network) -> Self {
        let schema = network.schema();
        Evidence {
            names: schema.variables().iter().map(|v| v.name.clone()).collect(),
            states: schema.variables().iter().map(|v| v.states.len()).collect(),
            findings: vec![Finding::Free; schema.len()],
        }
    }

    /// The node was seen in this state.
    pub fn observe(&mut self, node: usize, state: u8) -> Result<(), Error> {
        self.check_state(node, state)?;
        self.put(node, Finding::Observed(state))
    }

    /// The node is set to this state from outside.
    pub fn intervene(&mut self, node: usize, state: u8) -> Result<(), Error> {
        self.check_state(node, state)?;
        self.put(node, Finding::Set(state))
    }

    /// A report about the node: for each of its states, how likely the report would be in it. Only the ratios matter.
    pub fn likelihood(&mut self, node: usize, mut likelihood: Vec<f64>) -> Result<(), Error> {
        let largest = self.check_likelihood(node, &likelihood)?;
        likelihood.iter_mut().for_each(|l| *l /= largest);
        self.put(node, Finding::Likelihood(likelihood))
    }

    /// The node was seen in a set of values: for each of its states, the share of it that is in the set. Unlike those of a report, shares
    /// count in the probability of the evidence.
    pub fn among(&mut self, node: usize, shares: Vec<f64>) -> Result<(), Error> {
        let largest = self.check_likelihood(node, &shares)?;
        if largest > 1.0 {
            return Err(self.refuse(node, format!("{largest} is no share: expected a number up to 1")));
        }
        self.put(node, Finding::Likelihood(shares))
    }

    /// The largest of some likelihoods, if they are sound.
    fn check_likelihood(&self, node: usize, likelihood: &[f64]) -> Result<f64, Error> {
        self.check_node(node)?;
        let states = self.states[node];
        if likelihood.len() != states {
            let reason = format!("{} likelihoods for {states} states; one each is needed", likelihood.len());
            return Err(self.refuse(node, reason));
        }
        if let Some(odd) = likelihood.iter().find(|l| !(l.is_finite() && **l >= 0.0)) {
            let reason = format!("{odd} is no likelihood: expected a number that is not negative");
            return Err(self.refuse(node, reason));
        }
        let largest = likelihood.iter().copied().fold(0.0, f64::max);
        if largest == 0.0 {
            return Err(
                self.refuse(node, "every state has likelihood 0; one at least must be possible".into())
            );
        }
        Ok(largest)
    }

    /// Forgets what is known of the node.
    pub fn clear(&mut self, node: usize) {
        if let Some(finding) = self.findings.get_mut(node) {
            *finding = Finding::Free;
        }
    }

    /// What is known of a node.
    pub fn finding(&self, node: usize) -> &Finding {
        &self.findings[node]
    }

    /// What is known of each node, in the order of the network.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.findings.iter().all(|finding| *finding == Finding::Free)
    }

    /// Puts what is known of a node in the place of what was; it was checked elsewhere.
    pub(super) fn replace(&mut self, node: usize, finding: Finding) {
        self.findings[node] = finding;
    }

    /// Evidence made for another network must not slip in.
    pub(super) fn check_for(&self, network: &Network) -> Result<(), Error> {
        let schema = network.schema();
        if self.findings.len() != schema.len() {
            return Err(Error::ColumnCount { columns: self.findings.len(), variables: schema.len() });
        }
        for (node, finding) in self.findings.iter().enumerate() {
            if *finding != Finding::Free && self.states[node] != schema.cardinality(node) {
                let reason = "the evidence was made for a network with other states".to_string();
                return Err(Error::Mismatch { variable: schema.name(node).to_string(), reason });
            }
        }
        Ok(())
    }

    fn put(&mut self, node: usize, finding: Finding) -> Result<(), Error> {
        if self.findings[node] != Finding::Free {
            return Err(self.refuse(node, "there are two pieces of evidence about it; give one".into()));
        }
        self.findings[node] = finding;
        Ok(())
    }

    fn check_state(&self, node: usize, state: u8) -> Result<(), Error> {
        self.check_node(node)?;
        let states = self.states[node];
        if usize::from(state) < states {
            return Ok(());
        }
        Err(self.refuse(node, format!("code {state} names no state (there are {states})")))
    }

    fn check_node(&self, node: usize) -> Result<(), Error> {
        if node < self.findings.len() { Ok(()) } else { Err(Error::UnknownVariable(format!("#{node}"))) }
    }

    fn refuse(&self, node: usize, reason: String) -> Error {
        Error::Evidence { variable: self.names[node].clone(), reason }
    }
}
