//! A stretch of steps written out as one ordinary network.

use super::{DynamicNetwork, Lagged, Place};
use crate::cpt::Budget;
use crate::{Cpt, DEFAULT_TABLE_BYTES, Error, Network, Schema, Variable};

/// How the nodes of an unrolled network are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Naming {
    /// `Rain@3`, as everywhere here.
    #[default]
    At,
    /// `Rain_t3`, which every other program reads.
    Plain,
}

impl Naming {
    /// The name of a process at a step.
    pub fn name(self, process: &str, step: usize) -> String {
        match self {
            Naming::At => Lagged::at(process, step as i64).to_string(),
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
        let window = self.window().schema();
        let mut budget = Budget::new(table_bytes);
        for v in 0..self.start().len() {
            budget.take(self.start().schema(), v, self.start().parents(v))?;
        }
        for _ in self.order()..steps {
            for process in 0..processes {
                let node = self.window_node(process, 0);
                budget.take(window, node, self.window().parents(node))?;
            }
        }
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
}
