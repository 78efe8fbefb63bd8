//! Orders within layers that leave few crossings.
//!
//! Sweeps put every layer in the order of the means (or medians) of its neighbours in the layer before; then every vertex is sifted: tried at
//! all places near its own, and left at the best. The first starts are walks in breadth and shuffles, the later ones
//! disturb the best order met so far, all with fixed seeds; the order with the fewest crossings is kept.
//!
//! Implements: Sugiyama, Tagawa and Toda (1981) for the sweeps, Matuszewski, Schönfeld and Molitor (1999) for sifting,
//! Barth, Mutzel and Jünger (2004) for counting. Cost: a sweep `O(vertices × window × degree)`.

use super::layered::Layered;
use crate::random::Stream;

/// Sweeps without gain after which a start is given up.
const PATIENCE: usize = 4;
/// The most sweeps from one start.
const SWEEPS: usize = 24;
/// How far a vertex is sifted to either side.
const WINDOW: usize = 40;

/// Puts the layers in order and says how many crossings are left. Starts are made until as many vertices as `work` says have been put
/// in order, but three at least and no more than 24.
pub(super) fn untangle(graph: &mut Layered, work: usize) -> usize {
    let starts = (work / graph.len().max(1)).clamp(3, 24);
    let mut best = (usize::MAX, graph.layers.clone());
    for start in 0..starts {
        match start {
            0 | 1 => walk(graph, start == 0),
            2 | 3 => shuffle(graph, start),
            _ => {
                graph.layers.clone_from(&best.1);
                disturb(graph, start);
            }
        }
        let found = settle(graph, start % 2 == 1);
        if found.0 < best.0 {
            best = found;
        }
        if best.0 == 0 {
            break;
        }
    }
    graph.layers = best.1;
    best.0
}

/// The order in which a walk in breadth meets the vertices, from above or from below.
fn walk(graph: &mut Layered, downwards: bool) {
    let (back, forth) = if downwards { (&graph.up, &graph.down) } else { (&graph.down, &graph.up) };
    let mut queue: Vec<usize> = (0..graph.len()).filter(|&v| back[v].is_empty()).collect();
    let mut met = vec![false; graph.len()];
    queue.iter().for_each(|&v| met[v] = true);
    graph.layers.iter_mut().for_each(Vec::clear);
    let mut at = 0;
    while at < queue.len() {
        let v = queue[at];
        at += 1;
        graph.layers[graph.layer[v]].push(v);
        for &u in &forth[v] {
            if !std::mem::replace(&mut met[u], true) {
                queue.push(u);
            }
        }
    }
}

fn shuffle(graph: &mut Layered, start: usize) {
    let mut stream = Stream::new(start as u64, "order");
    for layer in &mut graph.layers {
        layer.sort_unstable();
        let count = layer.len();
        stream.choose(layer, count);
    }
}

/// Throws a tenth of the vertices to other places of their layers.
fn disturb(graph: &mut Layered, start: usize) {
    let mut stream = Stream::new(start as u64, "disturb");
    for layer in &mut graph.layers {
        for _ in 0..layer.len().div_ceil(10) {
            let [from, to] = [0, 1].map(|_| stream.below(layer.len() as u64) as usize);
            let v = layer.remove(from);
            layer.insert(to, v);
        }
    }
}

/// Sweeps until nothing is gained for a while; the best order met and its crossings.
fn settle(graph: &mut Layered, median: bool) -> (usize, Vec<Vec<usize>>) {
    let mut best = (crossings(graph), graph.layers.clone());
    let mut idle = 0;
    for sweep in 0..SWEEPS {
        sweep_once(graph, sweep % 2 == 0, median, sweep % 4 > 1);
        sift(graph);
        let found = crossings(graph);
        idle += 1;
        if found < best.0 {
            best = (found, graph.layers.clone());
            idle = 0;
        }
        if idle == PATIENCE || best.0 == 0 {
            break;
        }
    }
    best
}

/// Puts every layer in the order of its neighbours before it, from above or from below.
fn sweep_once(graph: &mut Layered, downwards: bool, median: bool, turn_ties: bool) {
    let mut place = graph.places();
    let count = graph.layers.len();
    for step in 1..count {
        let layer = if downwards { step } else { count - 1 - step };
        let near = if downwards { &graph.up } else { &graph.down };
        let aim = |v: usize| {
            let mut at: Vec<usize> = near[v].iter().map(|&u| place[u]).collect();
            at.sort_unstable();
            match (at.len(), median) {
                (0, _) => None,
                (n, true) => Some((at[(n - 1) / 2] + at[n / 2]) as f64 / 2.0),
                (n, false) => Some(at.iter().sum::<usize>() as f64 / n as f64),
            }
        };
        let order = &mut graph.layers[layer];
        if turn_ties {
            order.reverse();
        }
        let aims: Vec<Option<f64>> = order.iter().map(|&v| aim(v)).collect();
        let mut placed: Vec<(f64, usize)> =
            order.iter().zip(&aims).filter_map(|(&v, aim)| aim.map(|aim| (aim, v))).collect();
        placed.sort_by(|a, b| a.0.total_cmp(&b.0));
        // Who has no neighbours there keeps its place.
        let mut placed = placed.into_iter();
        for (slot, aim) in order.iter_mut().zip(&aims) {
            if aim.is_some()
                && let Some((_, v)) = placed.next()
            {
                *slot = v;
            }
        }
        order.iter().enumerate().for_each(|(i, &v)| place[v] = i);
    }
}

/// Moves every vertex to the best place within a window.
fn sift(graph: &mut Layered) {
    let mut place = graph.places();
    for layer in 0..graph.layers.len() {
        let ends = |near: &[usize]| {
            let mut at: Vec<usize> = near.iter().map(|&u| place[u]).collect();
            at.sort_unstable();
            at
        };
        let mut order = std::mem::take(&mut graph.layers[layer]);
        // By the place in the order as it was; the order of the layer itself changes while its neighbours' stays.
        let near: Vec<(usize, [Vec<usize>; 2])> =
            order.iter().map(|&v| (v, [ends(&graph.up[v]), ends(&graph.down[v])])).collect();
        let mut line: Vec<usize> = (0..order.len()).collect();
        for item in 0..near.len() {
            let at = line.iter().position(|&i| i == item).unwrap_or(0);
            let to = best_place(&near, &line, at);
            if to < at {
                line[to..=at].rotate_right(1);
            } else {
                line[at..=to].rotate_left(1);
            }
        }
        order = line.iter().map(|&i| near[i].0).collect();
        order.iter().enumerate().for_each(|(i, &v)| place[v] = i);
        graph.layers[layer] = order;
    }
}

/// The place in the line that leaves the fewest crossings for the vertex at a place; its own if none is better.
fn best_place(near: &[(usize, [Vec<usize>; 2])], line: &[usize], at: usize) -> usize {
    let me = &near[line[at]].1;
    let (mut best, mut least) = (at, 0i64);
    let mut total = 0i64;
    for to in (at.saturating_sub(WINDOW)..at).rev() {
        let other = &near[line[to]].1;
        total += pair(me, other) - pair(other, me);
        if total < least {
            (best, least) = (to, total);
        }
    }
    total = 0;
    for to in at + 1..line.len().min(at + 1 + WINDOW) {
        let other = &near[line[to]].1;
        total += pair(other, me) - pair(me, other);
        if total < least {
            (best, least) = (to, total);
        }
    }
    best
}

/// Crossings between the arcs of two vertices if the first stands left of the second.
fn pair(left: &[Vec<usize>; 2], right: &[Vec<usize>; 2]) -> i64 {
    let side = |left: &[usize], right: &[usize]| {
        let (mut found, mut smaller) = (0, 0);
        for &end in left {
            while smaller < right.len() && right[smaller] < end {
                smaller += 1;
            }
            found += smaller;
        }
        found as i64
    };
    side(&left[0], &right[0]) + side(&left[1], &right[1])
}

/// How often arcs cross between neighbouring layers.
pub(super) fn crossings(graph: &Layered) -> usize {
    let place = graph.places();
    let below = |layer: &Vec<usize>| {
        let ends = layer.iter().flat_map(|&v| {
            let mut ends: Vec<usize> = graph.down[v].iter().map(|&u| place[u]).collect();
            ends.sort_unstable();
            ends
        });
        inversions(&ends.collect::<Vec<_>>())
    };
    graph.layers.iter().map(below).sum()
}

/// How many pairs stand in the wrong order, by a tree of counts.
fn inversions(sequence: &[usize]) -> usize {
    let size = sequence.iter().max().map_or(0, |&last| last + 2);
    let mut counts = vec![0usize; size + 1];
    let (mut seen, mut found) = (0, 0);
    for &value in sequence {
        let (mut smaller, mut i) = (0, value + 1);
        while i > 0 {
            smaller += counts[i];
            i &= i - 1;
        }
        found += seen - smaller;
        i = value + 1;
        while i <= size {
            counts[i] += 1;
            i += i & i.wrapping_neg();
        }
        seen += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inversions_are_counted() {
        assert_eq!(inversions(&[]), 0);
        assert_eq!(inversions(&[0, 1, 1, 2]), 0);
        assert_eq!(inversions(&[2, 1, 1, 0]), 5);
    }
}
