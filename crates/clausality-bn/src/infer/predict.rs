//! One node predicted from the others, row by row.
//!
//! Where the whole Markov blanket of the target is known, everything else is separated from it:
//!
//! `P(y | row) ∝ P(y | parents) · Π_{children c} P(c | y, other parents of c)`
//!
//! Where cells are missing, the posterior given the rest by variable elimination. Either way a row's answer depends only
//! on the *requisite* cells, those that a trail of dependence reaches from the target (Shachter 1998, Bayes-ball), so
//! rows that agree in them share one answer, worked out once.

use super::judge::{Evaluation, likeliest};
use super::{Evidence, Infer};
use crate::{Error, MISSING, Network, Table};
use std::collections::HashMap;

/// No answer: the network says that the row cannot be.
const NONE: u32 = u32::MAX;

/// The distribution of a node for every row of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Predictions {
    /// The node.
    pub target: usize,
    /// How many states it has.
    pub states: usize,
    /// Rows whose answer had to do without a cell that would have mattered.
    pub incomplete: usize,
    /// Rows that the network says cannot be; they have no answer.
    pub impossible: usize,
    /// The state that rare values share, if there is one: it is probable, but no value that could be named.
    pub rest: Option<usize>,
    distributions: Vec<f64>,
    rows: Vec<u32>,
}

impl Predictions {
    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Distributions that differ by what they were made from.
    pub fn distinct(&self) -> usize {
        self.distributions.len() / self.states
    }

    /// Which of the distinct distributions a row has.
    pub fn index(&self, row: usize) -> Option<usize> {
        Some(self.rows[row]).filter(|&k| k != NONE).map(|k| k as usize)
    }

    /// One of the distinct distributions.
    pub fn distribution(&self, index: usize) -> &[f64] {
        &self.distributions[index * self.states..][..self.states]
    }

    /// The most probable state of one of the distinct distributions, but for what rare values share; of equal ones the first.
    pub fn likeliest(&self, index: usize) -> usize {
        likeliest(self.distribution(index), self.rest)
    }

    /// Whether what rare values share is more probable than the state that is named.
    pub fn is_rest(&self, index: usize) -> bool {
        let chances = self.distribution(index);
        self.rest.is_some_and(|rest| chances[rest] > chances[self.likeliest(index)])
    }

    /// The distribution of a row.
    pub fn row(&self, row: usize) -> Option<&[f64]> {
        self.index(row).map(|k| self.distribution(k))
    }

    /// The same over the first states alone, as if the others could not be.
    pub fn over(mut self, states: usize) -> Self {
        if states < self.states {
            let kept = self.distributions.chunks_exact(self.states).flat_map(|all| {
                let sum: f64 = all[..states].iter().sum();
                let even = 1.0 / states as f64;
                all[..states].iter().map(move |p| if sum > 0.0 { p / sum } else { even })
            });
            self.distributions = kept.collect();
            self.states = states;
        }
        self
    }

    /// The same rows with distributions of somebody else, one for each row.
    pub fn replaced(self, distributions: Vec<f64>) -> Self {
        let rows = (0..self.rows.len() as u32).collect();
        Predictions { distributions, rows, impossible: 0, ..self }
    }

    /// How good the predictions are where the truth is known (codes; what is none of the states is not), of rows that weigh alike or as they say.
    pub fn evaluate(&self, truth: &[u8], weights: Option<&[f64]>) -> Evaluation {
        let rows =
            truth.iter().enumerate().take(self.rows()).filter(|(_, code)| usize::from(**code) < self.states);
        let weight = |row: usize| weights.map_or(1.0, |weights| weights[row]);
        let judged = |(row, &code): (usize, &u8)| Some((self.row(row)?, usize::from(code), weight(row)));
        Evaluation::naming(self.states, self.rest, rows.filter_map(judged))
    }
}

/// Predicts `target` for every row from all other cells of the row; the table must have the network's schema.
///
/// # Errors
/// [`Error::InferenceLimit`] where cells are missing and exact inference would not fit in `limit` bytes; a table with
/// another schema.
pub fn predict(network: &Network, target: usize, table: &Table, limit: u64) -> Result<Predictions, Error> {
    predict_unless(network, target, table, limit, &|| false)
}

/// The same, where `stop` is asked before every answer that has to be worked out.
///
/// # Errors
/// As [`predict`]; [`Error::Stopped`] after a yes.
pub fn predict_unless(
    network: &Network,
    target: usize,
    table: &Table,
    limit: u64,
    stop: &dyn Fn() -> bool,
) -> Result<Predictions, Error> {
    if target >= network.len() {
        return Err(Error::UnknownVariable(format!("#{target}")));
    }
    crate::likelihood::check_schema(network, table)?;
    let states = network.schema().cardinality(target);
    let mut out = Predictions {
        target,
        states,
        incomplete: 0,
        impossible: 0,
        rest: None,
        distributions: vec![],
        rows: vec![NONE; table.rows()],
    };
    // Only rows with gaps need one, and most tables have none.
    let mut infer = None;
    for (missing, rows) in patterns(table, target) {
        let observed: Vec<bool> = (0..network.len()).map(|v| v != target && !missing.contains(&v)).collect();
        let needed = requisite(network, target, &observed);
        let blanket = Blanket::of(network, target);
        let complete = blanket.nodes.iter().all(|&v| observed[v]);
        out.incomplete += if complete { 0 } else { rows.len() };
        let mut known: HashMap<Box<[u8]>, u32> = HashMap::new();
        let mut key = vec![0u8; needed.len()];
        let mut scratch = vec![0.0; states];
        for row in rows {
            needed.iter().zip(&mut key).for_each(|(&v, code)| *code = table.column(v)[row]);
            let index = match known.get(key.as_slice()) {
                Some(&index) => index,
                None if stop() => return Err(Error::Stopped),
                None => {
                    let possible = match complete {
                        true => blanket.posterior(table, row, &mut scratch),
                        false => {
                            let ask = || Infer::new(network.clone()).with_limit(limit);
                            given(infer.get_or_insert_with(ask), target, &needed, &key, &mut scratch)?
                        }
                    };
                    let next = (out.distributions.len() / states) as u32;
                    if possible {
                        out.distributions.extend_from_slice(&scratch);
                    }
                    let index = if possible { next } else { NONE };
                    known.insert(key.clone().into_boxed_slice(), index);
                    index
                }
            };
            out.impossible += usize::from(index == NONE);
            out.rows[row] = index;
        }
    }
    Ok(out)
}

/// Rows by which of their cells are missing, in the order of the first row of each.
fn patterns(table: &Table, target: usize) -> Vec<(Vec<usize>, Vec<usize>)> {
    let gappy: Vec<usize> =
        (0..table.schema().len()).filter(|&v| v != target && table.column(v).contains(&MISSING)).collect();
    if gappy.is_empty() {
        return vec![(vec![], (0..table.rows()).collect())];
    }
    let mut place: HashMap<Vec<bool>, usize> = HashMap::new();
    let mut out: Vec<(Vec<usize>, Vec<usize>)> = vec![];
    for row in 0..table.rows() {
        let gaps: Vec<bool> = gappy.iter().map(|&v| table.column(v)[row] == MISSING).collect();
        let missing = || gappy.iter().zip(&gaps).filter(|&(_, &gap)| gap).map(|(&v, _)| v).collect();
        let k = match place.get(&gaps) {
            Some(&k) => k,
            None => {
                out.push((missing(), vec![]));
                place.insert(gaps, out.len() - 1);
                out.len() - 1
            }
        };
        out[k].1.push(row);
    }
    out
}

/// The observed nodes on which the posterior of the target depends, ascending: those that a trail reaches which the
/// observations do not block.
pub fn requisite(network: &Network, target: usize, observed: &[bool]) -> Vec<usize> {
    let reached = network.dag().trails(target, observed);
    (0..network.len()).filter(|&v| reached[v] && observed[v]).collect()
}

/// The posterior given the requisite cells; says whether they are possible.
fn given(
    infer: &mut Infer,
    target: usize,
    needed: &[usize],
    codes: &[u8],
    out: &mut [f64],
) -> Result<bool, Error> {
    let mut evidence = Evidence::new(infer.network());
    for (&v, &code) in needed.iter().zip(codes) {
        evidence.observe(v, code)?;
    }
    match infer.posterior(&[target], &evidence) {
        Ok(posterior) => out.copy_from_slice(&posterior.probabilities),
        Err(Error::ImpossibleEvidence) => return Ok(false),
        Err(error) => return Err(error),
    }
    Ok(true)
}

/// The tables that mention the target.
struct Blanket<'n> {
    nodes: Vec<usize>,
    tables: Vec<Member<'n>>,
}

struct Member<'n> {
    values: &'n [f64],
    /// How far apart the states of the target stand.
    stride: usize,
    /// The other nodes of the table with their strides.
    others: Vec<(usize, usize)>,
}

impl<'n> Blanket<'n> {
    fn of(network: &'n Network, target: usize) -> Self {
        let members = [target].into_iter().chain(network.dag().children(target).iter().copied());
        let mut nodes = vec![];
        let mut tables = vec![];
        for v in members {
            let cpt = network.cpt(v);
            let (mut stride, mut own, mut others) = (cpt.values().len(), 0, vec![]);
            let states = cpt.parent_states().iter().copied().chain([cpt.states()]);
            for (&member, states) in cpt.parents().iter().chain([&v]).zip(states) {
                stride /= states;
                if member == target {
                    own = stride;
                } else {
                    others.push((member, stride));
                }
            }
            nodes.extend(others.iter().map(|&(member, _)| member));
            tables.push(Member { values: cpt.values(), stride: own, others });
        }
        nodes.sort_unstable();
        nodes.dedup();
        Blanket { nodes, tables }
    }

    /// The distribution of the target in a row that has the whole blanket; says whether the row is possible.
    fn posterior(&self, table: &Table, row: usize, out: &mut [f64]) -> bool {
        out.fill(1.0);
        for member in &self.tables {
            let base: usize =
                member.others.iter().map(|&(v, stride)| usize::from(table.column(v)[row]) * stride).sum();
            let mut largest = 0.0;
            for (state, p) in out.iter_mut().enumerate() {
                *p *= member.values[base + state * member.stride];
                largest = if *p > largest { *p } else { largest };
            }
            if largest == 0.0 {
                return false;
            }
            // Many children must not make it vanish.
            if largest < 1e-150 {
                out.iter_mut().for_each(|p| *p /= largest);
            }
        }
        let sum: f64 = out.iter().sum();
        out.iter_mut().for_each(|p| *p /= sum);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;
    use crate::sample;

    /// Row by row with all cells of the row as evidence: the definition.
    fn spec(network: &Network, target: usize, table: &Table, row: usize) -> Option<Vec<f64>> {
        let mut evidence = Evidence::new(network);
        for v in (0..network.len()).filter(|&v| v != target && table.column(v)[row] != MISSING) {
            evidence.observe(v, table.column(v)[row]).unwrap();
        }
        Infer::new(network.clone()).posterior(&[target], &evidence).ok().map(|p| p.probabilities)
    }

    #[test]
    fn rows_are_predicted_as_if_each_were_asked_alone() {
        let mut stream = Stream::new(4, "predict");
        for round in 0..150 {
            let network = super::super::tests::random_network(&mut stream, 8, 3);
            let drawn = sample(&network, 40, round);
            let gaps = round % 3 > 0;
            let column = |v: usize| {
                let codes = drawn.column(v).iter();
                codes.map(|&c| if gaps && stream.below(5) == 0 { MISSING } else { c }).collect()
            };
            let columns = (0..network.len()).map(column).collect();
            let table = Table::new(network.schema().clone(), columns).unwrap();
            let target = stream.below(network.len() as u64) as usize;
            let found = predict(&network, target, &table, 1 << 20).unwrap();
            assert_eq!(found.impossible, 0, "rows drawn from the network are possible");
            for row in 0..40 {
                let (Some(found), Some(spec)) = (found.row(row), spec(&network, target, &table, row)) else {
                    panic!("no answer for row {row}");
                };
                assert!(found.iter().zip(&spec).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?} {spec:?}");
            }
        }
    }

    #[test]
    fn a_known_blanket_is_all_that_is_needed() {
        let mut stream = Stream::new(5, "requisite");
        for _ in 0..200 {
            let network = super::super::tests::random_network(&mut stream, 10, 2);
            let target = stream.below(network.len() as u64) as usize;
            let observed: Vec<bool> = (0..network.len()).map(|v| v != target).collect();
            assert_eq!(requisite(&network, target, &observed), Blanket::of(&network, target).nodes);
        }
    }

    #[test]
    fn figures_by_hand() {
        let found = Predictions {
            target: 0,
            states: 2,
            incomplete: 0,
            impossible: 1,
            rest: None,
            distributions: vec![0.75, 0.25, 0.5, 0.5],
            rows: vec![0, 0, 1, NONE, 0],
        };
        let figures = found.evaluate(&[0, 1, 1, 0, MISSING], None);
        assert_eq!((figures.rows, figures.correct, figures.denied), (3, 1, 0));
        assert!((figures.log_loss - (-(0.75f64.ln() + 0.25f64.ln() + 0.5f64.ln()) / 3.0)).abs() < 1e-12);
        assert!((figures.brier - (0.125 + 1.125 + 0.5) / 3.0).abs() < 1e-12);
        assert_eq!((figures.bins[7].rows, figures.bins[7].confidence, figures.bins[7].correct), (2, 0.75, 1));
        // |1 − 1.5| of two rows and |0 − 0.5| of one.
        assert!((figures.calibration_error - 1.0 / 3.0).abs() < 1e-12);
        let sure = Predictions { distributions: vec![1.0, 0.0], rows: vec![0], impossible: 0, ..found };
        let figures = sure.evaluate(&[1], None);
        assert_eq!((figures.denied, figures.log_loss), (1, f64::INFINITY));
    }
}
