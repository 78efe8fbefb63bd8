//! The junction tree: the posteriors of all variables in one propagation.
//!
//! The cliques of an elimination order form a tree in which the cliques that hold a variable are connected. Messages run
//! along its branches, first to the root and then back:
//!
//! `message(i → j) = Σ_{C_i \ C_j} own tables of i · Π_{k ≠ j} message(k → i)`
//!
//! after which own tables and messages of a clique multiply to `P(clique, evidence)`.
//!
//! Implements: Shafer and Shenoy 1990 with lazy propagation (Madsen and Jensen 1999): own tables and messages stay lists
//! of small tables, multiplied only as far as a variable has to be summed out, and a message over barren variables is
//! empty. The tree is made for one pattern of evidence: what is observed is in no clique.

use super::eliminate::{best_order, moral_graph};
use super::families::{Families, Status};
use super::order::{Elimination, cells};
use super::plan::{Builder, Folding, Id, Over};
use super::program::Program;

/// One clique.
#[derive(Debug, Default)]
struct Node {
    scope: Vec<u32>,
    /// The clique nearer to the root, and what both share.
    parent: Option<usize>,
    shared: Vec<u32>,
    children: Vec<usize>,
    own: Vec<Id>,
    /// The messages from the children, in their order.
    inbox: Vec<Vec<Id>>,
    /// The message from the parent.
    from_above: Vec<Id>,
    targets: Vec<u32>,
    /// Whether a target stands here or below.
    wanted: bool,
}

/// Cliques, every child before its parent.
struct Tree {
    nodes: Vec<Node>,
    /// The clique in which a variable was eliminated.
    home: Vec<usize>,
}

impl Tree {
    /// The maximal cliques of an elimination order.
    fn new(elimination: &Elimination, variables: usize) -> Self {
        let Elimination { order, cliques, .. } = elimination;
        let mut position = vec![usize::MAX; variables];
        order.iter().enumerate().for_each(|(i, &v)| position[v as usize] = i);
        let above = |i: usize| cliques[i][1..].iter().map(|&u| position[u as usize]).min();
        // A clique that an earlier one holds joins it; the first such child in the order, else a node of its own.
        let mut joins = vec![None; order.len()];
        for i in 0..order.len() {
            if let Some(p) = above(i)
                && cliques[i].len() == cliques[p].len() + 1
                && joins[p].is_none()
            {
                joins[p] = Some(i);
            }
        }
        let mut group = vec![0; order.len()];
        let mut tops: Vec<usize> = vec![];
        let mut scopes: Vec<&Vec<u32>> = vec![];
        for i in 0..order.len() {
            group[i] = joins[i].map_or(tops.len(), |child: usize| group[child]);
            if group[i] == tops.len() {
                tops.push(i);
                scopes.push(&cliques[i]);
            } else {
                tops[group[i]] = i;
            }
        }
        // Children before parents: by the last variable that a node eliminates.
        let mut sorted: Vec<usize> = (0..tops.len()).collect();
        sorted.sort_unstable_by_key(|&g| tops[g]);
        let mut place = vec![0; tops.len()];
        sorted.iter().enumerate().for_each(|(k, &g)| place[g] = k);
        let mut nodes: Vec<Node> = sorted
            .iter()
            .map(|&g| Node {
                scope: scopes[g].clone(),
                parent: above(tops[g]).map(|p| place[group[p]]),
                shared: cliques[tops[g]][1..].to_vec(),
                ..Node::default()
            })
            .collect();
        for k in 0..nodes.len() {
            if let Some(p) = nodes[k].parent {
                nodes[p].children.push(k);
            }
        }
        let mut home = vec![usize::MAX; variables];
        order.iter().enumerate().for_each(|(i, &v)| home[v as usize] = place[group[i]]);
        Tree { nodes, home }
    }

    /// Puts every table where its first variable is eliminated; those without a variable are handed back.
    fn place_tables(&mut self, builder: &Builder<'_>, tables: Vec<Id>) -> Vec<Id> {
        let mut scalars = vec![];
        for id in tables {
            match builder.scope(id).first() {
                Some(&first) => self.nodes[self.home[first as usize]].own.push(id),
                None => scalars.push(id),
            }
        }
        scalars
    }

    /// Gives every target to the smallest clique that holds it.
    fn place_targets(&mut self, targets: &[u32], states: &[u32]) {
        let mut best = vec![(u64::MAX, usize::MAX); states.len()];
        for (k, node) in self.nodes.iter().enumerate() {
            let size = cells(&node.scope, states);
            for &v in &node.scope {
                best[v as usize] = best[v as usize].min((size, k));
            }
        }
        for &v in targets {
            self.nodes[best[v as usize].1].targets.push(v);
        }
        for k in 0..self.nodes.len() {
            self.nodes[k].wanted |= !self.nodes[k].targets.is_empty();
            if let (true, Some(p)) = (self.nodes[k].wanted, self.nodes[k].parent) {
                self.nodes[p].wanted = true;
            }
        }
    }

    /// Everything known at a clique but what a child said.
    fn tables(&self, k: usize, but: Option<usize>) -> Vec<Id> {
        let node = &self.nodes[k];
        let mut tables = [&node.own[..], &node.from_above].concat();
        for (child, message) in node.children.iter().zip(&node.inbox) {
            if Some(*child) != but {
                tables.extend_from_slice(message);
            }
        }
        tables
    }

    /// Messages to the root; the numbers that come out of it multiply to the probability of the evidence.
    fn collect(&mut self, builder: &mut Builder<'_>, scalars: &mut Vec<Id>) {
        for k in 0..self.nodes.len() {
            let shared = std::mem::take(&mut self.nodes[k].shared);
            let message = builder.message(self.tables(k, None), &self.nodes[k].scope, &shared);
            self.nodes[k].shared = shared;
            let (message, numbers): (Vec<Id>, Vec<Id>) =
                message.into_iter().partition(|&id| !builder.scope(id).is_empty());
            scalars.extend(numbers);
            if let Some(p) = self.nodes[k].parent {
                // Children come in their own order, so messages stand beside them.
                self.nodes[p].inbox.push(message);
            }
        }
    }

    /// Messages from the root to wherever a target stands.
    fn distribute(&mut self, builder: &mut Builder<'_>) {
        for k in (0..self.nodes.len()).rev() {
            let Some(p) = self.nodes[k].parent else { continue };
            if self.nodes[k].wanted {
                let tables = self.tables(p, Some(k));
                let mut message = builder.message(tables, &self.nodes[p].scope, &self.nodes[k].shared);
                message.retain(|&id| !builder.scope(id).is_empty());
                self.nodes[k].from_above = message;
            }
        }
    }

    /// The table of every target of a clique.
    fn marginals(&self, k: usize, builder: &mut Builder<'_>, out: &mut Vec<(u32, Id)>) {
        let (node, tables) = (&self.nodes[k], self.tables(k, None));
        let before = builder.work;
        let one_by_one: Vec<(u32, Id)> =
            node.targets.iter().map(|&v| (v, builder.joint(tables.clone(), &node.scope, &[v]))).collect();
        let cost = builder.work.saturating_sub(before);
        if node.targets.len() > 1 {
            let mut targets = node.targets.clone();
            builder.sort(&mut targets);
            let mut halved = vec![];
            let joint = builder.joint(tables, &node.scope, &targets);
            builder.halve(joint, &targets, &mut halved);
            // What is not used is dropped in the end.
            if builder.work.saturating_sub(before).saturating_sub(cost) < cost {
                return out.extend(halved);
            }
        }
        out.extend(one_by_one);
    }
}

impl Builder<'_> {
    /// Sums all variables of a clique but the shared ones out of tables; the result stays a list.
    fn message(&mut self, mut tables: Vec<Id>, scope: &[u32], shared: &[u32]) -> Vec<Id> {
        let mut left: Vec<u32> = scope.iter().copied().filter(|v| !shared.contains(v)).collect();
        loop {
            self.drop_barren(&mut tables, &left);
            left.retain(|&v| tables.iter().any(|&id| self.has(id, v)));
            let Some(v) = self.cheapest(&tables, &left) else { return tables };
            let (used, mut rest): (Vec<Id>, Vec<Id>) = tables.iter().partition(|&&id| self.has(id, v));
            // Whatever only these tables mention goes in the same step.
            let fold: Vec<u32> = left
                .iter()
                .copied()
                .filter(|&w| {
                    !rest.iter().any(|&id| self.has(id, w)) && used.iter().any(|&id| self.has(id, w))
                })
                .collect();
            let product = self.product(used, &fold, Folding::Sum);
            rest.push(product);
            tables = rest;
        }
    }

    /// Takes away distributions whose heads are all to be summed out and that no other table mentions.
    fn drop_barren(&self, tables: &mut Vec<Id>, left: &[u32]) {
        let barren = |tables: &[Id], k: usize| {
            let heads = self.heads(tables[k]);
            let mentioned =
                |h: &u32| tables.iter().enumerate().any(|(other, &id)| other != k && self.has(id, *h));
            !heads.is_empty() && heads.iter().all(|h| left.contains(h) && !mentioned(h))
        };
        while let Some(k) = (0..tables.len()).find(|&k| barren(tables, k)) {
            tables.remove(k);
        }
    }

    /// The variable with the smallest table to build; of equal ones that of the fewest tables.
    fn cheapest(&self, tables: &[Id], left: &[u32]) -> Option<u32> {
        let cost = |v: u32| {
            let mut used = tables.iter().filter(|&&id| self.has(id, v));
            let mut scope: Vec<u32> = used.next().map_or(vec![], |&id| self.scope(id).to_vec());
            let mut count = 1;
            for &id in used {
                count += 1;
                for u in self.scope(id) {
                    if !scope.contains(u) {
                        scope.push(*u);
                    }
                }
            }
            (self.cells_of(&scope), count)
        };
        match left {
            [] => None,
            [only] => Some(*only),
            _ => left.iter().copied().min_by_key(|&v| (cost(v), v)),
        }
    }

    /// The table of some variables of a clique.
    fn joint(&mut self, tables: Vec<Id>, scope: &[u32], targets: &[u32]) -> Id {
        let mut tables = self.message(tables, scope, targets);
        tables.retain(|&id| !self.scope(id).is_empty());
        self.product(tables, &[], Folding::Sum)
    }

    /// The table of every single variable, from halves of the joint table, halves of those, and so on.
    fn halve(&mut self, joint: Id, targets: &[u32], out: &mut Vec<(u32, Id)>) {
        if let [target] = targets {
            return out.push((*target, joint));
        }
        let (front, back) = targets.split_at(targets.len() / 2);
        for (keep, fold) in [(front, back), (back, front)] {
            let half = self.step(joint, None, fold, Folding::Sum);
            self.halve(half, keep, out);
        }
    }
}

/// The table of every target (all free), in this order; the scalars multiply to the probability of the evidence.
pub(super) fn plan_posteriors(
    families: &Families,
    status: &[Status],
    targets: &[u32],
    limit: u64,
) -> Result<Program, Over> {
    let relevant = families.relevant(status, targets);
    let graph = moral_graph(families, status, &relevant);
    let elimination = best_order(families, &graph, &vec![false; families.len()], limit)?;
    let mut builder = Builder::new(families, status, &elimination.order);
    let inputs = builder.inputs(&relevant);
    let mut tree = Tree::new(&elimination, families.len());
    let mut scalars = tree.place_tables(&builder, inputs);
    tree.place_targets(targets, &families.states);
    tree.collect(&mut builder, &mut scalars);
    tree.distribute(&mut builder);
    let mut found = vec![];
    for k in 0..tree.nodes.len() {
        tree.marginals(k, &mut builder, &mut found);
    }
    let mut output = vec![0; families.len()];
    found.into_iter().for_each(|(v, id)| output[v as usize] = id);
    let outputs = targets.iter().map(|&v| output[v as usize]).collect();
    builder.finish(outputs, scalars, limit)
}
