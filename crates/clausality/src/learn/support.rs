//! How many rows stand behind the rows of a probability table.

use clausality_bn::Network;
use clausality_bn::counts::{Cells, Count};
use serde::{Deserialize, Serialize};

/// The configurations of a node's parents that are listed.
pub const LISTED: usize = 16;

/// How often the parents of a node are in which states.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Family {
    /// The node.
    pub node: String,
    /// Its parents, in the order of its probability table.
    pub parents: Vec<String>,
    /// In how many ways the parents' states can be combined: the rows of the table.
    pub configurations: usize,
    /// How many of these occur in the data; of the others the table knows nothing.
    pub seen: usize,
    /// The most frequent, at most [`LISTED`] of them.
    pub frequent: Vec<Configuration>,
}

/// States of a node's parents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Configuration {
    /// The parents' states, in the order of the parents.
    pub states: Vec<String>,
    /// The rows in which they are in these states, and the node has a value.
    pub rows: usize,
}

/// The families of all nodes that have parents, in the order of the table's columns.
pub(super) fn count(count: &mut dyn Count, network: &Network) -> Vec<Family> {
    let nodes: Vec<usize> = (0..network.len()).filter(|&node| !network.parents(node).is_empty()).collect();
    let of = |&node: &usize| [network.cpt(node).parents(), &[node]].concat();
    let families: Vec<Vec<usize>> = nodes.iter().map(of).collect();
    let families: Vec<&[usize]> = families.iter().map(Vec::as_slice).collect();
    let counted = count.count(&families);
    nodes.iter().zip(counted).map(|(&node, cells)| family(&cells, network, node)).collect()
}

fn family(cells: &Cells, network: &Network, node: usize) -> Family {
    let (schema, cpt) = (network.schema(), network.cpt(node));
    let configurations = cells.configurations(schema.cardinality(node));
    let mut seen: Vec<(&[u8], u64)> =
        configurations.map(|(codes, counts)| (codes, counts.iter().sum())).collect();
    // A stable sort: equals stay in the order of the table.
    seen.sort_by_key(|&(_, rows)| std::cmp::Reverse(rows));
    let states = |codes: &[u8]| -> Vec<String> {
        let label = |(&p, &code): (&usize, &u8)| schema.variable(p).states[usize::from(code)].clone();
        cpt.parents().iter().zip(codes).map(label).collect()
    };
    let frequent = seen
        .iter()
        .take(LISTED)
        .map(|&(codes, rows)| Configuration { states: states(codes), rows: rows as usize });
    Family {
        node: schema.name(node).to_string(),
        parents: cpt.parents().iter().map(|&p| schema.name(p).to_string()).collect(),
        configurations: cpt.configurations(),
        seen: seen.len(),
        frequent: frequent.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clausality_bn::counts::Counter;
    use clausality_bn::{Cpt, MISSING, Schema, Table, Variable};

    #[test]
    fn rows_are_counted_by_the_parents_states() {
        let schema = Schema::new(["a", "b", "c"].map(|n| Variable::new(n, ["0", "1"])).to_vec()).unwrap();
        let root = |v| Cpt::new(&schema, v, vec![], vec![0.5; 2]).unwrap();
        // The table has its parents in another order than the schema.
        let c = Cpt::new(&schema, 2, vec![1, 0], vec![0.5; 8]).unwrap();
        let network = Network::new("t", schema.clone(), vec![root(0), root(1), c]).unwrap();
        let columns = vec![vec![0, 1, 1, 1, 0], vec![0, 0, 0, MISSING, 0], vec![0, 1, 0, 1, MISSING]];
        let table = Table::new(schema, columns).unwrap();
        let found = count(&mut Counter::new(&table).unwrap(), &network);
        let listed =
            |states: [&str; 2], rows| Configuration { states: states.map(String::from).into(), rows };
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].configurations, found[0].seen), (4, 2));
        assert_eq!(found[0].parents, ["b", "a"]);
        assert_eq!(found[0].frequent, [listed(["0", "1"], 2), listed(["0", "0"], 1)]);
    }
}
