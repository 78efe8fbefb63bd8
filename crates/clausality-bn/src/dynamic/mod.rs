//! Networks over time: a joint start, and one table per process that holds at every later step.
//!
//! With processes `X^1 … X^n`, static variables `S` (one value for a whole series) and order `L`:
//!
//! ```text
//! P(s, x_0, …, x_T) = P(s, x_0, …, x_{L-1}) · Π_{t ≥ L} Π_i P(x^i_t | parents of X^i among s, x_t, x_{t-1}, …, x_{t-L})
//! ```
//!
//! Implements: Dean and Kanazawa 1989; Murphy 2002, §2.1, for any order `L` (k-time-slice networks).
//!
//! A [`DynamicNetwork`] is consistent by construction and never changes afterwards. Both parts are ordinary networks:
//!
//! | part | over | names |
//! |---|---|---|
//! | [`DynamicNetwork::start`] | the statics and the first `L` steps | `S`, `X@0` … `X@{L-1}` |
//! | [`DynamicNetwork::window`] | the statics, `L` steps ago … now | `S`, `X@-L` … `X@-1`, `X` |
//!
//! Of the window only the tables of now say something; what came before, and the statics, are what they depend on and
//! stand there evenly distributed. [`DynamicNetwork::unroll`] writes a stretch of steps out as one network.

mod names;
mod sample;
mod unroll;

pub use names::Lagged;
pub use sample::SeriesSampler;
pub(crate) use sample::drawn;
pub use unroll::Naming;

use crate::{Cpt, Error, Network, Schema, Variable};

/// A network over time.
///
/// ```
/// use clausality_bn::dynamic::DynamicNetwork;
/// use clausality_bn::{Cpt, Network, Variable};
/// // Rain stays as it is in eight of ten cases.
/// let rain = Variable::new("Rain", ["yes", "no"]);
/// let first = DynamicNetwork::start_schema(&[], &[rain.clone()], 1)?;
/// let start = Network::new("start", first.clone(), vec![Cpt::new(&first, 0, vec![], vec![0.5, 0.5])?])?;
/// let window = DynamicNetwork::window_schema(&[], &[rain.clone()], 1)?;     // Rain@-1, Rain
/// let stays = Cpt::new(&window, 1, vec![0], vec![0.8, 0.2, 0.2, 0.8])?;
/// let network = DynamicNetwork::new("weather", 1, vec![], vec![rain], start, vec![stays])?;
/// assert_eq!(network.unroll(3)?.schema().name(2), "Rain@2");
/// # Ok::<(), clausality_bn::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct DynamicNetwork {
    order: usize,
    statics: Schema,
    processes: Schema,
    start: Network,
    window: Network,
}

impl DynamicNetwork {
    /// Joins a start and the tables of the processes (one each, in their order, over [`DynamicNetwork::window_schema`]). The variables of
    /// the start may come in any order; they are put into that of [`DynamicNetwork::start_schema`].
    ///
    /// # Errors
    /// A name that reads like a name with a step; a start over other variables; a table that does not fit; arcs that form a cycle within a
    /// step, or lead from later to earlier.
    pub fn new(
        name: impl Into<String>,
        order: usize,
        statics: Vec<Variable>,
        processes: Vec<Variable>,
        start: Network,
        transition: Vec<Cpt>,
    ) -> Result<Self, Error> {
        if transition.len() != processes.len() {
            return Err(Error::TableCount { variables: processes.len(), tables: transition.len() });
        }
        // Before anything is allocated for an order that a file may claim.
        let expected = processes.len().checked_mul(order).and_then(|n| n.checked_add(statics.len()));
        if expected != Some(start.len()) {
            let variables = expected.unwrap_or(usize::MAX);
            return Err(Error::ColumnCount { columns: start.len(), variables });
        }
        let first = Self::start_schema(&statics, &processes, order)?;
        let window = Self::window_schema(&statics, &processes, order)?;
        let name = name.into();
        let start = arranged(start, first)?.renamed(name.clone());
        let before = statics.len() + processes.len() * order;
        for (child, parents) in (0..start.len()).map(|v| (v, start.parents(v))) {
            if let Some(&parent) = parents.iter().find(|&&p| step_of(&start, p) > step_of(&start, child)) {
                return Err(Error::Parent {
                    node: start.schema().name(child).to_string(),
                    parent: start.schema().name(parent).to_string(),
                    reason: "what comes later does not act on what was before",
                });
            }
        }
        let known = (0..before).map(|v| Cpt::new(&window, v, vec![], even(window.cardinality(v))));
        let cpts = known.chain(transition.into_iter().map(Ok)).collect::<Result<Vec<Cpt>, Error>>()?;
        let window = Network::new(name, window, cpts)?;
        Ok(DynamicNetwork {
            order,
            statics: Schema::new(statics)?,
            processes: Schema::new(processes)?,
            start,
            window,
        })
    }

    /// From two ordinary networks, as they are learned from windows of rows: a start, and a window in any order of variables, of which the
    /// tables of now are taken. `statics` says which variables hold for a whole series; every other one without a lag
    /// is a process.
    ///
    /// # Errors
    /// As [`DynamicNetwork::new`]; a window without some lag of a process.
    pub fn from_windows(
        order: usize,
        statics: &[&str],
        start: Network,
        window: &Network,
    ) -> Result<Self, Error> {
        let variables = window.schema().variables();
        let (held, processes): (Vec<Variable>, Vec<Variable>) = variables
            .iter()
            .filter(|v| Lagged::parse(&v.name).step.is_none())
            .cloned()
            .partition(|v| statics.contains(&v.name.as_str()));
        let schema = Self::window_schema(&held, &processes, order)?;
        let window = arranged(window.clone(), schema)?;
        let before = held.len() + processes.len() * order;
        let transition = window.cpts()[before..].to_vec();
        Self::new(window.name(), order, held, processes, start, transition)
    }

    /// The variables of the start: the statics, then `X@0` of every process, `X@1`, and so on.
    ///
    /// # Errors
    /// A name twice, or one that reads like a name with a step.
    pub fn start_schema(statics: &[Variable], processes: &[Variable], order: usize) -> Result<Schema, Error> {
        let steps =
            (0..order).flat_map(|t| processes.iter().map(move |v| at(v, Lagged::at(&v.name, t as i64))));
        schema(statics, processes, steps)
    }

    /// The variables of the window: the statics, then `X@-L` of every process, … , `X@-1`, and last `X`.
    ///
    /// # Errors
    /// A name twice, or one that reads like a name with a step.
    pub fn window_schema(
        statics: &[Variable],
        processes: &[Variable],
        order: usize,
    ) -> Result<Schema, Error> {
        let lags = (0..=order).rev();
        let steps = lags.flat_map(|lag| processes.iter().map(move |v| at(v, Lagged::ago(&v.name, lag))));
        schema(statics, processes, steps)
    }

    /// The network's own name.
    pub fn name(&self) -> &str {
        self.window.name()
    }

    /// How many steps back a table may look.
    pub fn order(&self) -> usize {
        self.order
    }

    /// What has one value for a whole series.
    pub fn statics(&self) -> &Schema {
        &self.statics
    }

    /// What has a value at every step.
    pub fn processes(&self) -> &Schema {
        &self.processes
    }

    /// The network of the statics and the first steps.
    pub fn start(&self) -> &Network {
        &self.start
    }

    /// The network of a step given the steps before it; see the module.
    pub fn window(&self) -> &Network {
        &self.window
    }

    /// The node of a process in the window, so many steps ago.
    pub fn window_node(&self, process: usize, lag: usize) -> usize {
        self.statics.len() + (self.order - lag) * self.processes.len() + process
    }

    /// The table of a process, over the nodes of the window.
    pub fn transition(&self, process: usize) -> &Cpt {
        self.window.cpt(self.window_node(process, 0))
    }

    /// What a node of the window stands for.
    pub fn window_place(&self, node: usize) -> Place {
        let (statics, processes) = (self.statics.len(), self.processes.len());
        match node.checked_sub(statics) {
            None => Place::Static(node),
            Some(rest) => Place::Process(rest % processes, self.order - rest / processes),
        }
    }

    /// The parents of a process in the order of its table.
    pub fn parents(&self, process: usize) -> Vec<Place> {
        self.transition(process).parents().iter().map(|&p| self.window_place(p)).collect()
    }

    /// The same network under another name.
    pub fn renamed(self, name: impl Into<String>) -> Self {
        let name = name.into();
        DynamicNetwork { start: self.start.renamed(name.clone()), window: self.window.renamed(name), ..self }
    }
}

/// What a table may depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A static variable.
    Static(usize),
    /// A process, and how many steps ago.
    Process(usize, usize),
}

fn even(states: usize) -> Vec<f64> {
    vec![1.0 / states as f64; states]
}

fn at(variable: &Variable, name: Lagged<'_>) -> Variable {
    Variable { name: name.to_string(), ..variable.clone() }
}

/// The step of a node of the start; statics come before all of them.
fn step_of(start: &Network, node: usize) -> Option<i64> {
    Lagged::parse(start.schema().name(node)).step
}

fn schema(
    statics: &[Variable],
    processes: &[Variable],
    steps: impl Iterator<Item = Variable>,
) -> Result<Schema, Error> {
    if let Some(odd) = statics.iter().chain(processes).find(|v| Lagged::parse(&v.name).step.is_some()) {
        let reason =
            "its name ends like one with a step ('Rain@-1'): give the variable another name".to_string();
        return Err(Error::Mismatch { variable: odd.name.clone(), reason });
    }
    Schema::new(statics.iter().cloned().chain(steps).collect())
}

/// The same network with its variables in the order of a schema that holds just these.
fn arranged(network: Network, schema: Schema) -> Result<Network, Error> {
    if network.schema() == &schema {
        return Ok(network);
    }
    if network.len() != schema.len() {
        return Err(Error::ColumnCount { columns: network.len(), variables: schema.len() });
    }
    let old = network.schema();
    let mut place = Vec::with_capacity(old.len());
    for variable in old.variables() {
        let node = schema.require(&variable.name)?;
        if schema.variable(node) != variable {
            let reason = "its states are not the same at every step".to_string();
            return Err(Error::Mismatch { variable: variable.name.clone(), reason });
        }
        place.push(node);
    }
    let mut cpts: Vec<Option<Cpt>> = vec![None; schema.len()];
    for (v, cpt) in network.cpts().iter().enumerate() {
        let parents = cpt.parents().iter().map(|&p| place[p]).collect();
        cpts[place[v]] = Some(cpt.moved(parents));
    }
    let cpts = cpts.into_iter().flatten().collect();
    Network::new(network.name(), schema, cpts)
}

#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) use tests::weather;
