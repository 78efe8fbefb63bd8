//! The structural intervention distance: how many causal effects a learned graph gets wrong.
//!
//! For every ordered pair `(i, j)` the learned graph `H` says how to compute the effect of setting `i` on `j`: none if `j`
//! is a parent of `i` in `H`, else by adjusting for `Z = parents of i in H`. The pair counts if that is wrong in the true
//! graph `G` for some distribution:
//!
//! ```text
//! j ∈ Z:  wrong iff j is a descendant of i in G
//! else:   wrong iff some z ∈ Z is in G a descendant of (or is) a node w ≠ i on a directed path from i to j,
//!                or Z leaves open in G a path from i to j that is not directed from i to j
//! ```
//! Implements: Peters and Bühlmann (2015), doi:10.1162/NECO_a_00708, definition 1 with their lemma 5 and proposition 6.
//!
//! **Our reading.** Both conditions are decided for all `j` at once. The first marks all descendants of
//! `descendants(i) ∩ ancestors-or-self(Z)`. The second walks from `i` along open trails (chains outside `Z`, colliders
//! with a descendant in `Z`), remembering whether the trail is still a directed path from `i`, and never returns to `i`: a
//! trail through `i` is no path. Cost: `O(nodes × (nodes + arcs))`. The twin in the tests lists every path.

use crate::Dag;

/// The distance of `learned` from `truth`; both have the same nodes.
///
/// # Panics
/// If the graphs have different numbers of nodes.
pub fn sid(truth: &Dag, learned: &Dag) -> usize {
    assert_eq!(truth.len(), learned.len(), "graphs over the same nodes");
    let mut scratch = Scratch::new(truth.len());
    (0..truth.len()).map(|i| wrong_effects(truth, i, learned.parents(i), &mut scratch)).sum()
}

/// Marks on nodes, cleared for every start.
struct Scratch {
    adjusted: Vec<bool>,
    /// Nodes that are in Z or have a descendant there.
    above: Vec<bool>,
    below: Vec<bool>,
    invalid: Vec<bool>,
    seen: Vec<[bool; TRAILS]>,
    stack: Vec<usize>,
    trails: Vec<(usize, Trail)>,
}

/// How a trail came to a node.
#[derive(Clone, Copy)]
enum Trail {
    /// From a parent, and all the way from `i` along arcs.
    Directed,
    /// From a parent, otherwise.
    Down,
    /// From a child.
    Up,
}

const TRAILS: usize = 3;

impl Scratch {
    fn new(nodes: usize) -> Self {
        let none = || vec![false; nodes];
        Scratch {
            adjusted: none(),
            above: none(),
            below: none(),
            invalid: none(),
            seen: vec![[false; TRAILS]; nodes],
            stack: Vec::new(),
            trails: Vec::new(),
        }
    }

    fn clear(&mut self) {
        for marks in [&mut self.adjusted, &mut self.above, &mut self.below, &mut self.invalid] {
            marks.fill(false);
        }
        self.seen.fill([false; TRAILS]);
    }
}

/// Marks everything that can be reached from what lies on the stack.
fn flood<'d>(stack: &mut Vec<usize>, marks: &mut [bool], next: impl Fn(usize) -> &'d [usize]) {
    while let Some(v) = stack.pop() {
        if !std::mem::replace(&mut marks[v], true) {
            stack.extend(next(v).iter().filter(|&&n| !marks[n]));
        }
    }
}

fn wrong_effects(truth: &Dag, i: usize, adjustment: &[usize], scratch: &mut Scratch) -> usize {
    scratch.clear();
    let s = &mut *scratch;
    adjustment.iter().for_each(|&z| s.adjusted[z] = true);
    s.stack.extend(adjustment);
    flood(&mut s.stack, &mut s.above, |v| truth.parents(v));
    s.stack.extend(truth.children(i));
    flood(&mut s.stack, &mut s.below, |v| truth.children(v));
    // First condition.
    s.stack.extend((0..truth.len()).filter(|&v| s.below[v] && s.above[v]));
    flood(&mut s.stack, &mut s.invalid, |v| truth.children(v));
    // Second condition.
    walk_open_trails(truth, i, s);
    let wrong = |&j: &usize| if s.adjusted[j] { s.below[j] } else { s.invalid[j] };
    (0..truth.len()).filter(|&j| j != i).filter(wrong).count()
}

fn walk_open_trails(truth: &Dag, i: usize, s: &mut Scratch) {
    s.trails.extend(truth.parents(i).iter().map(|&p| (p, Trail::Up)));
    s.trails.extend(truth.children(i).iter().map(|&c| (c, Trail::Directed)));
    while let Some((v, trail)) = s.trails.pop() {
        if v == i || std::mem::replace(&mut s.seen[v][trail as usize], true) {
            continue;
        }
        if !matches!(trail, Trail::Directed) {
            s.invalid[v] = true;
        }
        let open = !s.adjusted[v];
        let onward = match trail {
            Trail::Directed => Trail::Directed,
            _ => Trail::Down,
        };
        if open {
            s.trails.extend(truth.children(v).iter().map(|&c| (c, onward)));
        }
        let upward = match trail {
            Trail::Up => open,
            // Between two arrow heads: open if something below is adjusted for.
            _ => s.above[v],
        };
        if upward {
            s.trails.extend(truth.parents(v).iter().map(|&p| (p, Trail::Up)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn dag(nodes: usize, arcs: &[(usize, usize)]) -> Dag {
        Dag::from_arcs(nodes, arcs.iter().copied()).unwrap()
    }

    /// By definition: every simple path from `i` to `j` is listed and looked at.
    fn by_definition(truth: &Dag, learned: &Dag) -> usize {
        let n = truth.len();
        let pairs = (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).filter(|(i, j)| i != j);
        pairs.filter(|&(i, j)| is_wrong(truth, learned.parents(i), i, j)).count()
    }

    fn is_wrong(g: &Dag, z: &[usize], i: usize, j: usize) -> bool {
        if z.contains(&j) {
            return g.descendants(i).contains(&j);
        }
        let mut paths = Vec::new();
        list_paths(g, &mut vec![i], j, &mut paths);
        let directed = |p: &[usize]| p.windows(2).all(|w| g.has(w[0], w[1]));
        let hit = |w: usize| z.iter().any(|&z| z == w || g.descendants(w).contains(&z));
        if paths.iter().filter(|p| directed(p)).any(|p| p[1..].iter().any(|&w| hit(w))) {
            return true;
        }
        let open = |p: &[usize]| {
            p.windows(3).all(|w| {
                let collider = g.has(w[0], w[1]) && g.has(w[2], w[1]);
                if collider { hit(w[1]) } else { !z.contains(&w[1]) }
            })
        };
        paths.iter().any(|p| !directed(p) && open(p))
    }

    fn list_paths(g: &Dag, path: &mut Vec<usize>, to: usize, out: &mut Vec<Vec<usize>>) {
        let at = path[path.len() - 1];
        if at == to {
            out.push(path.clone());
            return;
        }
        for next in 0..g.len() {
            if g.adjacent(at, next) && !path.contains(&next) {
                path.push(next);
                list_paths(g, path, to, out);
                path.pop();
            }
        }
    }

    #[test]
    fn the_example_of_its_authors() {
        // X1, X2 → Y1, Y2, Y3 and X1 → X2: one arc too many costs nothing, X1 ← X2 costs eight effects.
        let arcs = [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4)];
        let truth = dag(5, &arcs);
        let mut more = truth.clone();
        more.try_add(2, 3).unwrap();
        assert_eq!(sid(&truth, &more), 0);
        let mut turned = truth.clone();
        turned.try_reverse(0, 1).unwrap();
        assert_eq!(sid(&truth, &turned), 8);
        assert_eq!(sid(&truth, &truth), 0);
    }

    #[test]
    fn the_empty_graph_misses_every_confounded_pair() {
        // a ← c → b: without adjustment a and b seem to act on each other and on c.
        let truth = dag(3, &[(2, 0), (2, 1)]);
        assert_eq!(sid(&truth, &Dag::new(3)), 4);
        assert_eq!(sid(&Dag::new(3), &truth), 0);
    }

    #[test]
    fn a_trail_through_the_start_is_no_path() {
        // i → v, i → b → j; adjusting for v says nothing wrong about i and j.
        let truth = dag(4, &[(0, 1), (0, 2), (2, 3)]);
        assert!(!is_wrong(&truth, &[1], 0, 3));
        let learned = dag(4, &[(1, 0), (0, 2), (2, 3)]);
        assert_eq!(sid(&truth, &learned), by_definition(&truth, &learned));
    }

    fn any_dag(nodes: usize, arcs: usize) -> impl Strategy<Value = Dag> {
        prop::collection::vec((0..nodes, 0..nodes), 0..arcs).prop_map(move |arcs| {
            let mut dag = Dag::new(nodes);
            for (p, c) in arcs {
                let _ = dag.try_add(p, c);
            }
            dag
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        #[test]
        fn the_walk_agrees_with_the_list_of_paths(truth in any_dag(6, 16), learned in any_dag(6, 16)) {
            prop_assert_eq!(sid(&truth, &learned), by_definition(&truth, &learned));
        }

        /// More arcs in the same order never make an effect wrong.
        #[test]
        fn supergraphs_are_at_distance_zero(truth in any_dag(8, 14), extra in any_dag(8, 14)) {
            let mut learned = truth.clone();
            for (p, c) in extra.arcs() {
                let _ = learned.try_add(p, c);
            }
            prop_assert_eq!(sid(&truth, &learned), 0);
        }
    }
}
