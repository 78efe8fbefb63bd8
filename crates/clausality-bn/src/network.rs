//! Bayesian networks: a schema, a graph and one probability table per node.
//!
//! `P(x_1, …, x_n) = Π_v P(x_v | x_parents(v))`
//!
//! A [`Network`] is consistent by construction and never changes afterwards.

use crate::{Cpt, Dag, Error, Schema};

/// A discrete Bayesian network. Node `v` is variable `v` of the schema.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    name: String,
    schema: Schema,
    dag: Dag,
    cpts: Vec<Cpt>,
}

impl Network {
    /// Joins the tables (one per variable, in the order of the schema) into a network.
    pub fn new(name: impl Into<String>, schema: Schema, cpts: Vec<Cpt>) -> Result<Self, Error> {
        if cpts.len() != schema.len() {
            return Err(Error::TableCount { variables: schema.len(), tables: cpts.len() });
        }
        for (node, cpt) in cpts.iter().enumerate() {
            check_against(&schema, node, cpt)?;
        }
        let arcs = cpts.iter().enumerate().flat_map(|(v, cpt)| cpt.parents().iter().map(move |&p| (p, v)));
        let dag = Dag::from_arcs(schema.len(), arcs).map_err(|c| named_cycle(&schema, &c.path))?;
        Ok(Network { name: name.into(), schema, dag, cpts })
    }

    /// The network's own name, `unknown` where nobody gave it one.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The variables.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The graph.
    pub fn dag(&self) -> &Dag {
        &self.dag
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.cpts.len()
    }

    /// Whether there is no node at all.
    pub fn is_empty(&self) -> bool {
        self.cpts.is_empty()
    }

    /// The table of a node.
    pub fn cpt(&self, node: usize) -> &Cpt {
        &self.cpts[node]
    }

    /// The tables of all nodes.
    pub fn cpts(&self) -> &[Cpt] {
        &self.cpts
    }

    /// The parents of a node in the order of its table ([`Dag::parents`] gives them ascending).
    pub fn parents(&self, node: usize) -> &[usize] {
        self.cpts[node].parents()
    }

    /// All arcs by name as `(parent, child)`.
    pub fn named_arcs(&self) -> impl Iterator<Item = (&str, &str)> + '_ {
        self.dag.arcs().map(|(p, c)| (self.schema.name(p), self.schema.name(c)))
    }

    /// How many numbers are free: the sum of configurations times (states − 1).
    pub fn free_parameters(&self) -> usize {
        self.cpts.iter().map(Cpt::free_parameters).sum()
    }

    /// How many numbers the tables hold.
    pub fn cells(&self) -> usize {
        self.cpts.iter().map(|c| c.values().len()).sum()
    }

    /// Puts another table in the place of a node's own; its parents stay.
    ///
    /// # Panics
    /// If the parents or the shape are others.
    pub(crate) fn replace_table(&mut self, node: usize, cpt: Cpt) {
        let own = &mut self.cpts[node];
        assert!(
            own.parents() == cpt.parents() && own.values().len() == cpt.values().len(),
            "the same family"
        );
        *own = cpt;
    }

    /// The same network under another name.
    pub fn renamed(self, name: impl Into<String>) -> Self {
        Network { name: name.into(), ..self }
    }
}

/// A table made under another schema must not slip in.
fn check_against(schema: &Schema, node: usize, cpt: &Cpt) -> Result<(), Error> {
    crate::cpt::check_parents(schema, node, cpt.parents())?;
    let states = cpt.parents().iter().map(|&p| schema.cardinality(p));
    if cpt.states() == schema.cardinality(node) && states.eq(cpt.parent_states().iter().copied()) {
        return Ok(());
    }
    Err(Error::Mismatch {
        variable: schema.name(node).to_string(),
        reason: "its table was made for variables with other numbers of states".to_string(),
    })
}

/// A cycle with the names of its nodes.
pub(crate) fn named_cycle(schema: &Schema, path: &[usize]) -> Error {
    Error::Cycle { nodes: path.iter().map(|&v| schema.name(v).to_string()).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Variable;

    fn two() -> Schema {
        Schema::new(vec![Variable::new("A", ["t", "f"]), Variable::new("B", ["t", "f"])]).unwrap()
    }

    #[test]
    fn refuses_cycles_by_name() {
        let s = two();
        let a = Cpt::new(&s, 0, vec![1], vec![0.5; 4]).unwrap();
        let b = Cpt::new(&s, 1, vec![0], vec![0.5; 4]).unwrap();
        let error = Network::new("t", s, vec![a, b]).unwrap_err();
        assert_eq!(error.to_string(), "the arcs form a cycle: A -> B -> A; remove or turn one of them");
    }

    #[test]
    fn refuses_tables_of_other_variables() {
        let s = two();
        let a = Cpt::new(&s, 0, vec![], vec![0.5; 2]).unwrap();
        assert!(matches!(Network::new("t", s.clone(), vec![a.clone()]), Err(Error::TableCount { .. })));
        let wide =
            Schema::new(vec![Variable::new("A", ["x", "y", "z"]), Variable::new("B", ["t", "f"])]).unwrap();
        let c = Cpt::new(&wide, 1, vec![0], vec![0.5; 6]).unwrap();
        assert!(matches!(Network::new("t", s, vec![a, c]), Err(Error::Mismatch { .. })));
    }

    #[test]
    fn keeps_the_order_of_parents() {
        let s = Schema::new(["A", "B", "C"].map(|n| Variable::new(n, ["t", "f"])).to_vec()).unwrap();
        let root = |v| Cpt::new(&s, v, vec![], vec![0.5; 2]).unwrap();
        let c = Cpt::new(&s, 2, vec![1, 0], vec![0.5; 8]).unwrap();
        let network = Network::new("t", s.clone(), vec![root(0), root(1), c]).unwrap();
        assert_eq!(network.parents(2), [1, 0]);
        assert_eq!(network.dag().parents(2), [0, 1]);
        assert_eq!(network.free_parameters(), 6);
        assert_eq!(network.cells(), 12);
    }
}
