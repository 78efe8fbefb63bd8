//! A stretch of steps written out as one ordinary network.

use super::{DynamicNetwork, Lagged, Place};
use crate::{Cpt, DEFAULT_TABLE_BYTES, Error, Network, Schema, Variable};

/// How the nodes of an unrolled network are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Naming {
    /// `Rain@3`, as everywhere here.
    #[default]
    At,
    /// `Rain@-1`, with the first step called so: for steps counted from now.
    From(i64),
    /// `Rain_t3`, which every other program reads.
    Plain,
}

impl Naming {
    /// The name of a process at a step.
    pub fn name(self, process: &str, step: usize) -> String {
        match self {
            Naming::At => Lagged::at(process, step as i64).to_string(),
            Naming::From(first) => Lagged::at(process, first + step as i64).to_string(),
            Naming::Plain => format!("{process}_t{step}"),
        }
    }
}

impl DynamicNetwork {
    /// The first `steps` steps as one network over the statics, `X@0` of every process, `X@1`, and so on.
    ///
    /// # Errors
    /// Fewer steps than the start holds, or tables over [`DEFAULT_TABLE_BYTES`].
    pub fn unroll(&self, steps: usize) -> Result<Network, Error> {
        self.unroll_as(steps, Naming::At, DEFAULT_TABLE_BYTES)
    }

    /// The same under names of one's choice and with another bound on the memory of the tables.
    ///
    /// # Errors
    /// As [`DynamicNetwork::unroll`]; names that meet (a process `X_t1` beside `X`).
    pub fn unroll_as(&self, steps: usize, naming: Naming, table_bytes: u64) -> Result<Network, Error> {
        if steps < self.order().max(1) {
            let expected = "at least as many as the network looks back, and one";
            return Err(Error::Parameter { parameter: "the number of steps", value: steps as f64, expected });
        }
        let (statics, processes) = (self.statics().len(), self.processes().len());
        self.check_size(steps, table_bytes)?;
        let stepped = (0..steps).flat_map(|t| {
            self.processes()
                .variables()
                .iter()
                .map(move |v| Variable { name: naming.name(&v.name, t), ..v.clone() })
        });
        let schema = Schema::new(self.statics().variables().iter().cloned().chain(stepped).collect())?;
        let mut cpts: Vec<Cpt> = self.start().cpts().to_vec();
        for t in self.order()..steps {
            for process in 0..processes {
                let place = |place: Place| match place {
                    Place::Static(v) => v,
                    Place::Process(p, lag) => statics + (t - lag) * processes + p,
                };
                let parents = self.parents(process).into_iter().map(place).collect();
                cpts.push(self.transition(process).moved(parents));
            }
        }
        Network::new(self.name(), schema, cpts)
    }

    /// Refuses what would not fit before anything is allocated.
    fn check_size(&self, steps: usize, limit: u64) -> Result<(), Error> {
        /// What a node takes beside its table, roughly: its name, its states, its parents.
        const NODE_BYTES: u128 = 256;
        let bytes = |cells: usize| cells as u128 * 8 + NODE_BYTES;
        let first: u128 = self.start().cpts().iter().map(|cpt| bytes(cpt.values().len())).sum();
        let tables = (0..self.processes().len()).map(|p| bytes(self.transition(p).values().len()));
        let total = first + tables.sum::<u128>() * (steps - self.order()) as u128;
        if total > u128::from(limit) { Err(Error::StepsLimit { steps, bytes: total, limit }) } else { Ok(()) }
    }
}
