//! Learners by conditional independence: PC-stable and the parents-and-children sets of MMPC.
//!
//! ```text
//! G²(X, Y | Z) = 2 Σ n_xyz ln(n_xyz n_z / (n_xz n_yz)),  df = Σ_z (rows_z − 1)(columns_z − 1) over what occurs
//! independent if P(χ²_df ≥ G²) > α
//! ```
//!
//! Implements PC in its order-independent form (Colombo & Maathuis 2014) with conditioning sets of at most three
//! neighbours, and MMPC (Tsamardinos, Brown & Aliferis 2006). Started from the machine's lists and not from the complete
//! graph, PC is the TM-PC of Dumbre, Jiao & Granmo (arXiv 2511.19273).
//!
//! A test over more cells than are ever counted (four million) is not made: nothing then speaks against independence.

use super::families::Families;
use crate::watch::{Cancelled, Underway};
use clausality_bn::{Pdag, math};

/// The most variables that a test conditions on.
pub(super) const DEPTH: usize = 3;

/// Tests with a level.
pub(super) struct Tests<'a, 't> {
    pub(super) families: &'a mut Families<'t>,
    pub(super) ln_alpha: f64,
}

impl Tests<'_, '_> {
    /// −ln p of the test, or nothing if it does not speak against independence.
    fn dependence(&mut self, x: u32, y: u32, given: &[u32]) -> Option<f64> {
        let (g, df) = self.families.dependence(x as usize, y as usize, given);
        let tail = math::ln_chi_square_tail(g, df);
        (tail <= self.ln_alpha).then_some(-tail)
    }
}

/// What PC found: neighbours, and for pairs that are none what separates them.
pub(super) struct Skeleton {
    adjacent: Vec<Vec<bool>>,
    separator: Vec<Vec<Option<Vec<u32>>>>,
}

/// The skeleton of PC-stable, within the pairs that are `possible`; a step of the stage for every node at every depth.
pub(super) fn skeleton(
    tests: &mut Tests,
    possible: &[Vec<bool>],
    stage: &Underway,
) -> Result<Skeleton, Cancelled> {
    let m = possible.len();
    let mut adjacent = possible.to_vec();
    let mut separator: Vec<Vec<Option<Vec<u32>>>> = vec![vec![None; m]; m];
    for depth in 0..=DEPTH {
        let before = adjacent.clone();
        let neighbours = |v: usize| (0..m as u32).filter(|&u| before[v][u as usize]).collect::<Vec<u32>>();
        let mut any = false;
        for x in 0..m {
            for y in x + 1..m {
                if !before[x][y] {
                    continue;
                }
                let sides = [(x, y), (y, x)];
                let found = sides.iter().find_map(|&(v, other)| {
                    let pool: Vec<u32> = neighbours(v).into_iter().filter(|&u| u as usize != other).collect();
                    any |= pool.len() > depth;
                    subsets(&pool, depth, |set| tests.dependence(x as u32, y as u32, set).is_none())
                });
                if let Some(set) = found {
                    (adjacent[x][y], adjacent[y][x]) = (false, false);
                    separator[x][y] = Some(set.clone());
                    separator[y][x] = Some(set);
                }
            }
            tests.families.go_on()?;
            stage.step();
        }
        if !any {
            break;
        }
    }
    Ok(Skeleton { adjacent, separator })
}

impl Skeleton {
    /// The graph of the pairs that nothing separates: colliders first (what contradicts an earlier arrowhead is left out), then
    /// whatever they leave only one direction.
    pub(super) fn graph(&self) -> Pdag {
        let m = self.adjacent.len();
        let mut into = vec![vec![false; m]; m];
        for (z, near) in self.adjacent.iter().enumerate() {
            for x in (0..m).filter(|&x| near[x]) {
                for y in (x + 1..m).filter(|&y| near[y] && !self.adjacent[x][y]) {
                    let separated = self.separator[x][y].as_ref();
                    let collider = separated.is_some_and(|set| !set.contains(&(z as u32)));
                    if collider && !into[z][x] && !into[z][y] {
                        (into[x][z], into[y][z]) = (true, true);
                    }
                }
            }
        }
        Pdag::new(m, [], pairs(&self.adjacent)).with_arcs(pairs(&into))
    }
}

/// The pairs that a matrix marks.
fn pairs(marked: &[Vec<bool>]) -> impl Iterator<Item = (usize, usize)> {
    let row = |a: usize| (0..marked.len()).map(move |b| (a, b));
    (0..marked.len()).flat_map(row).filter(|&(a, b)| marked[a][b])
}

/// The parents and children of every node by MMPC, each pair that both sides agree on; a step of the stage for every node.
pub(super) fn parents_and_children(
    tests: &mut Tests,
    possible: &[Vec<bool>],
    stage: &Underway,
) -> Result<Vec<Vec<bool>>, Cancelled> {
    let m = possible.len();
    let mut sets: Vec<Vec<u32>> = Vec::with_capacity(m);
    for (target, possible) in possible.iter().enumerate() {
        sets.push(max_min(tests, target, possible));
        tests.families.go_on()?;
        stage.step();
    }
    let has = |a: usize, b: usize| sets[a].contains(&(b as u32));
    Ok((0..m).map(|a| (0..m).map(|b| has(a, b) && has(b, a)).collect()).collect())
}

fn max_min(tests: &mut Tests, target: usize, possible: &[bool]) -> Vec<u32> {
    let mut chosen: Vec<u32> = vec![];
    // The least dependence of every candidate so far, over all sets tried.
    let mut least: Vec<(u32, f64)> = (0..possible.len() as u32)
        .filter(|&v| possible[v as usize])
        .filter_map(|v| tests.dependence(v, target as u32, &[]).map(|d| (v, d)))
        .collect();
    while let Some(best) = least.iter().copied().reduce(|a, b| if b.1 > a.1 { b } else { a }) {
        least.retain(|c| c.0 != best.0);
        let newest = best.0;
        let older = chosen.clone();
        chosen.push(newest);
        // Only sets with the newest are new.
        least.retain_mut(|(v, d)| {
            (0..DEPTH.min(chosen.len())).all(|depth| {
                let independent = subsets(&older, depth, |set| {
                    let given: Vec<u32> = set.iter().copied().chain([newest]).collect();
                    match tests.dependence(*v, target as u32, &given) {
                        Some(found) => {
                            *d = d.min(found);
                            false
                        }
                        None => true,
                    }
                });
                independent.is_none()
            })
        });
    }
    // What the others make superfluous goes again.
    let mut i = 0;
    while i < chosen.len() {
        let others: Vec<u32> = chosen.iter().copied().filter(|&v| v != chosen[i]).collect();
        let superfluous = (1..=DEPTH.min(others.len())).any(|depth| {
            subsets(&others, depth, |set| tests.dependence(chosen[i], target as u32, set).is_none()).is_some()
        });
        if superfluous {
            chosen.remove(i);
        } else {
            i += 1;
        }
    }
    chosen.sort_unstable();
    chosen
}

/// The first subset of a size, in the order of its elements, of which something holds.
fn subsets(pool: &[u32], size: usize, mut holds: impl FnMut(&[u32]) -> bool) -> Option<Vec<u32>> {
    if size > pool.len() {
        return None;
    }
    let mut at: Vec<usize> = (0..size).collect();
    loop {
        let set: Vec<u32> = at.iter().map(|&i| pool[i]).collect();
        if holds(&set) {
            return Some(set);
        }
        let place = (0..size).rev().find(|&i| at[i] < pool.len() - size + i)?;
        at[place] += 1;
        for i in place + 1..size {
            at[i] = at[i - 1] + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subsets_come_once_and_in_order() {
        let mut seen = vec![];
        assert!(
            subsets(&[2, 5, 7, 9], 2, |set| {
                seen.push(set.to_vec());
                false
            })
            .is_none()
        );
        assert_eq!(seen, [[2, 5], [2, 7], [2, 9], [5, 7], [5, 9], [7, 9]]);
        assert_eq!(subsets(&[1, 2], 0, |_| true), Some(vec![]));
        assert_eq!(subsets(&[1], 2, |_| true), None);
    }
}
