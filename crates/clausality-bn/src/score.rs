//! How well a graph fits a table.
//!
//! ```text
//! LL   = Σ_v Σ_jk N_jk ln (N_jk / N_j)             k = q (r − 1) free parameters per node
//! BIC  = LL − k ln(N) / 2                          AIC = LL − k
//! BDeu = Σ_v Σ_j [ln Γ(a_j) − ln Γ(a_j + N_j)] + Σ_jk [ln Γ(a_jk + N_jk) − ln Γ(a_jk)],  a_jk = ess/(q r), a_j = ess/q
//! fNML = LL − Σ_v Σ_j ln C(N_j, r)                 qNML = LL − Σ_v [ln C(N, q r) − ln C(N, q)]
//! ln C(n, K) ≈ n (ln α + (α + 2) ln c − 1/c) − ½ ln (c + 2/α),  α = K/n,  c = ½ + ½ √(1 + 4/α)
//! ```
//! Larger is better. `q` and `r` are numbers of possible configurations and states, seen or not.
//!
//! Implements: BIC (doi:10.1214/aos/1176344136), AIC, BDeu (doi:10.1007/BF00994016), fNML (Silander et al. 2008), qNML
//! (Silander et al. 2018), with the approximation of Szpankowski and Weinberger for the normaliser `C`.
//!
//! **Our reading.** `C(n, 1) = 1` and `C(0, K) = 1` exactly; the approximation is used for all else. `N` is the number of
//! rows in which the family has all its values. Scores are sums in fixed point with portable logarithms
//! ([`crate::math`]): the same bits for every order of rows, of columns and of states, on every machine.

use crate::counts::{Count, Counter, MOST_CELLS};
use crate::estimate::check_weight;
use crate::math::{ExactSum, ln, ln_1p, ln_rising, x_ln_x};
use crate::{Dag, Error, Table};
use serde::{Deserialize, Serialize};

/// A score by name.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Score {
    /// The log-likelihood alone; never falls when an arc is added.
    #[serde(rename = "log-likelihood")]
    LogLikelihood,
    /// The Bayesian information criterion.
    Bic,
    /// Akaike's information criterion.
    Aic,
    /// The marginal likelihood under a uniform prior of the given equivalent sample size.
    Bdeu {
        /// The equivalent sample size, above 0.
        ess: f64,
    },
    /// Factorised normalised maximum likelihood.
    Fnml,
    /// Quotient normalised maximum likelihood.
    Qnml,
}

/// Scores families and graphs of one table.
#[derive(Debug, Clone)]
pub struct Scorer<'t> {
    table: &'t Table,
    score: Score,
    /// `n ln n` for small `n`.
    phi: Vec<ExactSum>,
}

/// Counts above this are rare enough to take their logarithm anew.
const PHI_TABLE: usize = 1 << 16;

impl<'t> Scorer<'t> {
    /// A scorer; the parameters of the score are checked here.
    pub fn new(table: &'t Table, score: Score) -> Result<Self, Error> {
        if let Score::Bdeu { ess } = score {
            check_weight("ess", ess)?;
        }
        let phi = (0..=table.rows().min(PHI_TABLE)).map(|n| ExactSum::of(x_ln_x(n as f64))).collect();
        Ok(Scorer { table, score, phi })
    }

    /// The score's name and parameters.
    pub fn score(&self) -> Score {
        self.score
    }

    /// A counter for the table, to be kept by whoever asks for many scores.
    pub fn counter(&self) -> Result<Counter<'t>, Error> {
        Counter::new(self.table)
    }

    /// The score of one node with these parents.
    pub fn family(&self, count: &mut dyn Count, node: usize, parents: &[usize]) -> f64 {
        self.exact_family(count, node, parents).value()
    }

    /// The score of a whole graph: the sum over its families.
    pub fn dag(&self, dag: &Dag) -> Result<f64, Error> {
        self.dag_from(&mut self.counter()?, dag)
    }

    /// The same from whatever counts the table's rows.
    pub fn dag_from(&self, count: &mut dyn Count, dag: &Dag) -> Result<f64, Error> {
        if dag.len() != self.table.schema().len() {
            return Err(Error::ColumnCount { columns: self.table.schema().len(), variables: dag.len() });
        }
        count.foresee((0..dag.len()).map(|v| [dag.parents(v), &[v]].concat()).collect());
        let families = (0..dag.len()).map(|v| self.exact_family(&mut *count, v, dag.parents(v)));
        Ok(families.sum::<ExactSum>().value())
    }

    fn exact_family(&self, count: &mut dyn Count, node: usize, parents: &[usize]) -> ExactSum {
        let states = count.states()[node] as f64;
        let configurations: f64 = parents.iter().map(|&p| count.states()[p] as f64).product();
        if let Score::Bdeu { ess } = self.score {
            return bdeu(count, node, parents, ess / configurations, ess / configurations / states);
        }
        let mut sum = ExactSum::default();
        let mut rows = 0;
        visit(count, node, parents, &mut |row| {
            let total: u32 = row.iter().sum();
            rows += total as usize;
            row.iter().for_each(|&n| sum += self.phi(n));
            sum -= self.phi(total);
            if self.score == Score::Fnml {
                sum -= ExactSum::of(ln_normaliser(f64::from(total), states));
            }
        });
        let n = rows as f64;
        let free = configurations * (states - 1.0);
        let penalty = match self.score {
            Score::Bic if rows > 0 => free * ln(n) / 2.0,
            Score::Aic => free,
            Score::Qnml => ln_normaliser(n, configurations * states) - ln_normaliser(n, configurations),
            _ => 0.0,
        };
        // A family with more configurations than numbers can count is as bad as can be told.
        sum -= ExactSum::of(penalty.min(WORST));
        sum
    }

    fn phi(&self, n: u32) -> ExactSum {
        match self.phi.get(n as usize) {
            Some(&term) => term,
            None => ExactSum::of(x_ln_x(f64::from(n))),
        }
    }
}

/// The largest penalty told apart; far above any likelihood, and sums of it stay in range.
const WORST: f64 = 1e18;

/// Shows the counts of the node's states for every parent configuration that occurs.
fn visit(count: &mut dyn Count, node: usize, parents: &[usize], see: &mut dyn FnMut(&[u32])) {
    let family: Vec<usize> = parents.iter().chain([&node]).copied().collect();
    let states = count.states()[node];
    let rows = count.rows();
    let configurations = parents.iter().fold(1usize, |n, &p| n.saturating_mul(count.states()[p])).min(rows);
    if configurations.saturating_mul(states) <= MOST_CELLS {
        count.tally(&family, &[], &mut |_, counts| {
            counts.chunks_exact(states).filter(|row| row.iter().any(|&n| n > 0)).for_each(&mut *see);
        });
        return;
    }
    // So many cells are not laid out together.
    for cells in count.count(&[&family]) {
        for (_, counts) in cells.configurations(states) {
            see(&counts.iter().map(|&n| n as u32).collect::<Vec<u32>>());
        }
    }
}

fn bdeu(
    count: &mut dyn Count,
    node: usize,
    parents: &[usize],
    row_weight: f64,
    cell_weight: f64,
) -> ExactSum {
    let mut rows = Rising::new(row_weight);
    let mut cells = Rising::new(cell_weight);
    let mut sum = ExactSum::default();
    visit(count, node, parents, &mut |row| {
        sum -= rows.of(row.iter().sum());
        row.iter().filter(|&&n| n > 0).for_each(|&n| sum += cells.of(n));
    });
    sum
}

/// `ln Γ(a + n) − ln Γ(a)` for one `a` and many `n`.
struct Rising {
    weight: f64,
    small: [Option<ExactSum>; 64],
}

impl Rising {
    fn new(weight: f64) -> Self {
        // So many configurations that a cell's share of the prior underflows: the smallest share stands in.
        Rising { weight: weight.max(f64::MIN_POSITIVE), small: [None; 64] }
    }

    fn of(&mut self, n: u32) -> ExactSum {
        let weight = self.weight;
        let fresh = || ExactSum::of(ln_rising(weight, n));
        match self.small.get_mut(n as usize) {
            Some(slot) => *slot.get_or_insert_with(fresh),
            None => fresh(),
        }
    }
}

/// `ln C(n, K)`: the logarithm of the multinomial normaliser for `n` rows and `K` values.
pub fn ln_normaliser(n: f64, values: f64) -> f64 {
    if n == 0.0 || values <= 1.0 {
        return 0.0;
    }
    let alpha = values / n;
    // c − 1 = ½ (√(1 + 4/α) − 1), written without the difference that would swallow it where K is far above n.
    let above = (2.0 / alpha) / ((1.0 + 4.0 / alpha).sqrt() + 1.0);
    let c = 1.0 + above;
    n * (ln(alpha) + (alpha + 2.0) * ln_1p(above) - 1.0 / c) - 0.5 * ln(c + 2.0 / alpha)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;
    use crate::{Schema, Variable};
    use proptest::prelude::*;

    const SCORES: [Score; 6] =
        [Score::LogLikelihood, Score::Bic, Score::Aic, Score::Bdeu { ess: 1.0 }, Score::Fnml, Score::Qnml];

    fn table(columns: &[(&str, &[u8], usize)]) -> Table {
        let variable = |(name, _, states): &(&str, &[u8], usize)| {
            Variable::new(*name, (0..*states).map(|k| k.to_string()))
        };
        let schema = Schema::new(columns.iter().map(variable).collect()).unwrap();
        Table::new(schema, columns.iter().map(|(_, codes, _)| codes.to_vec()).collect()).unwrap()
    }

    fn random(seed: u64, rows: usize, states: &[usize]) -> Table {
        let mut stream = Stream::new(seed, "scores");
        let names: Vec<String> = (0..states.len()).map(|i| format!("v{i}")).collect();
        let codes: Vec<Vec<u8>> =
            states.iter().map(|&n| (0..rows).map(|_| stream.below(n as u64) as u8).collect()).collect();
        let columns: Vec<(&str, &[u8], usize)> =
            (0..states.len()).map(|i| (names[i].as_str(), codes[i].as_slice(), states[i])).collect();
        table(&columns)
    }

    fn family(table: &Table, score: Score, node: usize, parents: &[usize]) -> f64 {
        let scorer = Scorer::new(table, score).unwrap();
        scorer.family(&mut scorer.counter().unwrap(), node, parents)
    }

    #[test]
    fn by_hand() {
        // x = 3 of 4; y copies x.
        let t = table(&[("x", &[0, 0, 0, 1], 2), ("y", &[0, 0, 0, 1], 2)]);
        let ll = 3.0 * 0.75f64.ln() + 0.25f64.ln();
        let near = |score, parents: &[usize], want: f64| {
            let got = family(&t, score, 1, parents);
            assert!((got - want).abs() < 1e-12, "{score:?} {parents:?}: {got} {want}");
        };
        near(Score::LogLikelihood, &[], ll);
        near(Score::LogLikelihood, &[0], 0.0);
        near(Score::Bic, &[], ll - 0.5 * 4f64.ln());
        near(Score::Bic, &[0], -4f64.ln());
        near(Score::Aic, &[0], -2.0);
        // BDeu(1): Γ(1)/Γ(5) · Γ(3.5)/Γ(.5) · Γ(1.5)/Γ(.5) = (.5·1.5·2.5)(.5)/24
        near(Score::Bdeu { ess: 1.0 }, &[], (0.5f64 * 1.5 * 2.5 * 0.5 / 24.0).ln());
        // With the parent: a_j = .5, a_jk = .25.
        let three = (0.25f64 * 1.25 * 2.25) / (0.5 * 1.5 * 2.5);
        near(Score::Bdeu { ess: 1.0 }, &[0], (three * 0.5).ln());
        near(Score::Fnml, &[0], -ln_normaliser(3.0, 2.0) - ln_normaliser(1.0, 2.0));
        near(Score::Qnml, &[0], -ln_normaliser(4.0, 4.0) + ln_normaliser(4.0, 2.0));
    }

    /// `C(n, 1) = 1`, `C(n, 2)` by its sum, then `C(n, K + 2) = C(n, K + 1) + (n / K) C(n, K)`.
    fn normaliser_by_recurrence(n: u32, values: u32) -> f64 {
        let mut binomial = 1.0f64;
        let mut two = 0.0;
        for h in 0..=n {
            let p = f64::from(h) / f64::from(n);
            two += binomial * p.powi(h as i32) * (1.0 - p).powi((n - h) as i32);
            binomial *= f64::from(n - h) / f64::from(h + 1);
        }
        let (mut before, mut last) = (1.0, two);
        for k in 1..values.max(2) - 1 {
            (before, last) = (last, last + f64::from(n) / f64::from(k) * before);
        }
        if values == 1 { 1.0 } else { last }
    }

    #[test]
    fn the_normaliser_is_close_to_its_recurrence() {
        for n in [1, 2, 5, 20, 100, 500] {
            for values in [1, 2, 3, 5, 20, 100, 1000] {
                let exact = normaliser_by_recurrence(n, values).ln();
                let near = ln_normaliser(f64::from(n), f64::from(values));
                assert!((near - exact).abs() < 0.1, "C({n}, {values}): {near} {exact}");
            }
        }
        assert_eq!(ln_normaliser(0.0, 5.0), 0.0);
        // Far more values than rows: every row has a value of its own, (K/n)^n.
        assert!((ln_normaliser(50.0, 1e40) / (50.0 * 2e38f64.ln()) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn refuses_a_bad_sample_size() {
        let t = table(&[("x", &[0], 1)]);
        for ess in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(Scorer::new(&t, Score::Bdeu { ess }), Err(Error::Parameter { .. })));
        }
    }

    #[test]
    fn no_rows_and_endless_configurations_score_finitely() {
        let empty = random(1, 0, &[3, 2]);
        let wide = random(1, 50, &[200; 200]);
        let parents: Vec<usize> = (1..200).collect();
        for score in SCORES {
            assert!(family(&empty, score, 0, &[1]).is_finite());
            let value = family(&wide, score, 0, &parents);
            assert!(value.is_finite(), "{score:?}: {value}");
        }
    }

    /// The obvious way, in floating point with the system's logarithm.
    fn by_definition(t: &Table, score: Score, node: usize, parents: &[usize]) -> f64 {
        let r = t.schema().cardinality(node);
        let q: usize = parents.iter().map(|&p| t.schema().cardinality(p)).product();
        let mut counts = vec![0u64; q * r];
        for row in 0..t.rows() {
            let digits = parents.iter().chain([&node]);
            counts
                [digits.fold(0, |at, &v| at * t.schema().cardinality(v) + usize::from(t.column(v)[row]))] +=
                1;
        }
        let gamma = |a: f64, n: f64| (0..n as usize).map(|i| (a + i as f64).ln()).sum::<f64>();
        let (mut ll, mut bdeu, mut fnml) = (0.0, 0.0, 0.0);
        for row in counts.chunks(r) {
            let total = row.iter().sum::<u64>() as f64;
            bdeu -= gamma(1.0 / q as f64, total);
            fnml += ln_normaliser(total, r as f64);
            for &n in row.iter().filter(|&&n| n > 0) {
                ll += n as f64 * (n as f64 / total).ln();
                bdeu += gamma(1.0 / (q * r) as f64, n as f64);
            }
        }
        let n = t.rows() as f64;
        let free = (q * (r - 1)) as f64;
        match score {
            Score::LogLikelihood => ll,
            Score::Bic => ll - free * n.ln() / 2.0,
            Score::Aic => ll - free,
            Score::Bdeu { .. } => bdeu,
            Score::Fnml => ll - fnml,
            Score::Qnml => ll - ln_normaliser(n, (q * r) as f64) + ln_normaliser(n, q as f64),
        }
    }

    proptest! {
        #[test]
        fn scores_are_their_definitions(seed: u64, rows in 1..400usize, states in prop::collection::vec(1..7usize, 1..5)) {
            let t = random(seed, rows, &states);
            let parents: Vec<usize> = (1..states.len()).collect();
            for score in SCORES {
                let (got, want) = (family(&t, score, 0, &parents), by_definition(&t, score, 0, &parents));
                prop_assert!((got - want).abs() < 1e-9 * want.abs().max(1.0), "{:?}: {} {}", score, got, want);
            }
        }

        /// Rows, columns and parents in another order: the same bits.
        #[test]
        fn scores_do_not_know_the_order(seed: u64, rows in 1..300usize) {
            let t = random(seed, rows, &[3, 2, 4, 3]);
            let order: Vec<usize> = (0..rows).rev().collect();
            let turned = t.select_rows(&order).select_variables(&[2, 0, 3, 1]).unwrap();
            let dag = Dag::from_arcs(4, [(0, 2), (1, 2), (3, 2), (0, 1)]).unwrap();
            let same = Dag::from_arcs(4, [(1, 0), (3, 0), (2, 0), (1, 3)]).unwrap();
            for score in SCORES {
                let one = Scorer::new(&t, score).unwrap().dag(&dag).unwrap();
                let two = Scorer::new(&turned, score).unwrap().dag(&same).unwrap();
                prop_assert_eq!(one.to_bits(), two.to_bits());
            }
        }

        /// Turning an arc that no other parent hangs on leaves a score-equivalent score where it was.
        #[test]
        fn equivalent_graphs_score_alike(seed: u64, rows in 1..300usize) {
            let t = random(seed, rows, &[3, 2, 4]);
            let chain = Dag::from_arcs(3, [(0, 1), (1, 2)]).unwrap();
            let fork = Dag::from_arcs(3, [(1, 0), (1, 2)]).unwrap();
            for score in [Score::LogLikelihood, Score::Bic, Score::Aic, Score::Bdeu { ess: 1.0 }, Score::Qnml] {
                let scorer = Scorer::new(&t, score).unwrap();
                let (one, two) = (scorer.dag(&chain).unwrap(), scorer.dag(&fork).unwrap());
                prop_assert!((one - two).abs() < 1e-8, "{:?}: {} {}", score, one, two);
            }
        }

        /// One more parent never lowers the likelihood.
        #[test]
        fn likelihood_grows_with_parents(seed: u64, rows in 1..200usize) {
            let t = random(seed, rows, &[3, 2, 4]);
            let ll = |parents: &[usize]| family(&t, Score::LogLikelihood, 0, parents);
            prop_assert!(ll(&[]) <= ll(&[1]) + 1e-9);
            prop_assert!(ll(&[1]) <= ll(&[1, 2]) + 1e-9);
        }
    }
}
