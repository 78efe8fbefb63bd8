//! A network on trial: the independences that it implies, held against rows. What `test` prints.
//!
//! ```text
//! implied       a ⊥ b | parents(b)        for every pair without an arc, b the later in the order of the graph
//! violated      q ≤ 0.05                  q: Benjamini and Hochberg over all pairs that can be tested
//! mended by     a → b                     which closes no cycle
//! standing      the share of pairs that the rows contradict: without an arc and p < 0.05, or with one a → b and a ⊥ b | the other parents of b at p ≥ 0.05;
//!               beside that of the same graph with its labels shuffled, where that is no equivalent one
//! fit of v      z = Σ (ℓ − H) / √Σ V      ℓ = −ln P(x_v | parents), H and V its mean and variance under the network's own row
//! drift of v    table ⊥ v  and  table ⊥ v | parents(v)       over the rows of two tables
//! ```
//!
//! Conditioning on *all* parents of the later node (the ordered pairwise Markov property, which together with the rest implies all of them) also shows
//! parents that act only together. Pairs are tested by G², by permutations where cells are thin ([`clausality_bn::independence`]). The standing is the test
//! of Eulig et al. 2023 (*Toward falsifying causal graphs using a permutation-based test*, arXiv:2305.09565) by violations, those of arcs among them:
//! where parents act only together, or hardly anything depends on anything, independences hold however labels are shuffled.
//! A drift that is gone given the parents came from them; one that stays is the node's own.

use super::hidden::{HiddenCause, hidden_causes};
use super::{Model, Rows};
use crate::Error;
use crate::data::too_few;
use crate::watch::{Stage, Underway, Watch, go_on};
use crate::words::grouped;
use clausality_bn::independence::{Tested, Thin, false_discovery, test};
use clausality_bn::math::ln;
use clausality_bn::random::Stream;
use clausality_bn::{Dag, MISSING, Pdag, Schema, Table, Variable};
use rayon::prelude::*;
use serde::Serialize;

/// From here on an independence counts as violated, a drift as found.
pub const LEVEL: f64 = 0.05;
/// Pairs that are tested at most; of more, so many drawn by lot.
pub const MOST_PAIRS: usize = 20_000;
/// Networks with shuffled labels, and the pairs that each is tested on.
const SHUFFLED: usize = 99;
const PAIRS_OF_SHUFFLED: usize = 150;
/// How often labels are shuffled again where they make an equivalent network.
const SHUFFLES: usize = 20;

/// What holding a network against rows found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TestedDocument<'m> {
    /// The model, as the user named it.
    pub model: &'m str,
    /// The table.
    pub table: &'m str,
    /// Its rows.
    pub rows: usize,
    /// Pairs without an arc.
    pub implied: usize,
    /// Those that could be tested.
    pub tested: usize,
    /// Those of them that are violated.
    pub violated: usize,
    /// The share of false ones among these that is accepted.
    pub level: f64,
    /// What was tested, the worst first.
    pub independences: Vec<Independence<'m>>,
    /// Pairs that neither direction explains, the strongest first.
    pub hidden: Vec<HiddenCause<'m>>,
    /// How the network stands beside others of its shape.
    pub standing: Standing,
    /// How well each node's table fits, the worst first.
    pub fit: Vec<NodeFit<'m>>,
    /// Where a second table differs, the surest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drift: Option<Vec<Drift<'m>>>,
    /// The second table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<&'m str>,
    /// What deserves to be said of it: few rows, and where the network stands no better than others of its shape.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// The seed of the permutations.
    pub seed: u64,
    version: &'static str,
}

/// An implied independence.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Independence<'m> {
    /// The earlier node: where the arc that would mend it starts.
    pub parent: &'m str,
    /// The later one: where it ends.
    pub child: &'m str,
    /// The parents of the later one.
    pub given: Vec<&'m str>,
    /// G².
    pub g: f64,
    /// Its degrees of freedom.
    pub df: f64,
    /// How probable that is under independence.
    pub p: f64,
    /// The same among so many tests.
    pub q: f64,
    /// Whether it is violated.
    pub violated: bool,
    /// Whether permutations told.
    pub permuted: bool,
    /// How strong the dependence is, in bits.
    pub information: f64,
    /// The rows that have values.
    pub rows: usize,
}

/// A network beside others of its shape.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Standing {
    /// The share of pairs, all or some by lot, that the rows contradict: without an arc and dependent, or with one and independent.
    pub violations: f64,
    /// How many networks with shuffled labels it stands beside: those that are equivalent to it are no other networks.
    pub shuffled: usize,
    /// The mean of theirs.
    pub shuffled_violations: f64,
    /// How many of them have as few.
    pub as_good: usize,
    /// (1 + as good) / (1 + shuffled).
    pub p: f64,
}

impl Standing {
    /// What to think of a network that does no better than others of its shape on these rows, of which so many independences were tested.
    fn verdict(&self, tested: usize) -> Option<String> {
        match (tested, self.shuffled, self.p > LEVEL) {
            (0, ..) => Some("no implied independence could be tested on these rows: they say nothing for or against the network".into()),
            (_, 0, _) => Some("every network of this shape says the same of these columns: shuffled labels tell nothing of it".into()),
            (.., false) => None,
            // Of what is so, one in twenty tests says otherwise.
            _ if self.violations <= LEVEL => Some(format!(
                "the rows do not contradict the network, but {} of {} with shuffled labels stand as well: these tests cannot tell them apart",
                grouped(self.as_good),
                grouped(self.shuffled)
            )),
            (.., true) => {
                let (how, verdict) = match 2 * self.as_good < self.shuffled {
                    true => ("little", "they hardly bear it out"),
                    false => ("no", "they do not bear it out"),
                };
                let (good, all) = (grouped(self.as_good), grouped(self.shuffled));
                Some(format!(
                    "the network does {how} better on these rows than the same graph with shuffled labels ({good} of {all} do as well): {verdict}"
                ))
            }
        }
    }
}

/// How well a node's table fits the rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NodeFit<'m> {
    /// The node.
    pub node: &'m str,
    /// The rows in which it and its parents have values.
    pub rows: usize,
    /// The mean of −ln P(state | parents) over those that can be; nothing without rows.
    pub loss: Option<f64>,
    /// What the network itself expects.
    pub expected: Option<f64>,
    /// How far apart they are, in standard errors.
    pub z: Option<f64>,
    /// Rows that the table says cannot be.
    pub impossible: usize,
}

/// How a node differs between two tables.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Drift<'m> {
    /// The node.
    pub node: &'m str,
    /// How far its distributions are apart: half the sum of differences.
    pub distance: f64,
    /// Whether its distribution differs.
    pub p: Option<f64>,
    /// The same among all nodes.
    pub q: Option<f64>,
    /// Whether it differs given its parents.
    pub own_p: Option<f64>,
    /// The same among all nodes.
    pub own_q: Option<f64>,
    /// `none`, `inherited` (gone given the parents) or `own`.
    pub kind: DriftKind,
}

/// Where a drift comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DriftKind {
    /// There is none.
    None,
    /// From the parents.
    Inherited,
    /// From the node itself.
    Own,
}

/// Implied independences that were held against rows: the pairs that could be tested with what came of it, the same among so many tests, and those that are
/// violated.
struct Held {
    found: Vec<(usize, usize, Tested)>,
    q: Vec<f64>,
    violated: Vec<(usize, usize)>,
}

impl Model {
    /// Holds the independences that the network implies, and its tables, against the rows of a table, which has a name; and these against others, if there are any.
    ///
    /// # Errors
    /// Rows of another schema; [`Error::Cancelled`].
    pub fn test<'m>(
        &'m self,
        rows: &'m Rows,
        against: Option<&'m Rows>,
        seed: u64,
        watch: &dyn Watch,
    ) -> Result<TestedDocument<'m>, Error> {
        let (schema, table) = (self.network.schema(), &*rows.even());
        let implied = self.implied();
        let stage = Underway::begin(watch, Stage::Test, implied.len().min(MOST_PAIRS) + SHUFFLED);
        let Held { found, q, violated } = self.held(table, implied.clone(), seed, watch, &stage)?;
        let node = |v: usize| schema.name(v);
        let mut independences: Vec<Independence<'m>> = found
            .iter()
            .zip(q)
            .map(|(&(a, b, tested), q)| Independence {
                parent: node(a),
                child: node(b),
                given: self.network.dag().parents(b).iter().map(|&v| node(v)).collect(),
                g: tested.g,
                df: tested.df,
                p: tested.p,
                q,
                violated: q <= LEVEL,
                permuted: tested.permuted,
                information: tested.information / std::f64::consts::LN_2,
                rows: tested.rows,
            })
            .collect();
        independences.sort_by(|a, b| {
            let stronger = b.information.total_cmp(&a.information);
            a.p.total_cmp(&b.p).then(stronger).then_with(|| (a.child, a.parent).cmp(&(b.child, b.parent)))
        });
        let standing = self.standing(table, &implied, seed, watch, &stage)?;
        let hidden = hidden_causes((schema, self.network.dag()), table, &violated, seed, watch)?;
        drop(stage);
        let drift = against.map(|other| self.drift(table, &other.even(), seed)).transpose()?;
        let few = too_few(table.rows(), "to test a network on");
        let notices = few.into_iter().chain(standing.verdict(independences.len())).collect();
        Ok(TestedDocument {
            model: &self.source,
            table: &rows.name,
            rows: table.rows(),
            implied: implied.len(),
            tested: independences.len(),
            violated: independences.iter().filter(|found| found.violated).count(),
            level: LEVEL,
            independences,
            hidden,
            standing,
            fit: self.fit(table),
            drift,
            against: against.map(|other| other.name.as_str()),
            notices,
            seed,
            version: env!("CARGO_PKG_VERSION"),
        })
    }

    /// The pairs that neither direction explains, the strongest first: those of [`Model::test`], without the rest of the trial.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn hidden_causes<'m>(
        &'m self,
        rows: &Rows,
        seed: u64,
        watch: &dyn Watch,
    ) -> Result<Vec<HiddenCause<'m>>, Error> {
        let table = &*rows.even();
        let implied = self.implied();
        let stage = Underway::begin(watch, Stage::Test, implied.len().min(MOST_PAIRS));
        let Held { violated, .. } = self.held(table, implied, seed, watch, &stage)?;
        hidden_causes((self.network.schema(), self.network.dag()), table, &violated, seed, watch)
    }

    /// Tests the implied independences of these pairs.
    fn held(
        &self,
        table: &Table,
        pairs: Vec<(usize, usize)>,
        seed: u64,
        watch: &dyn Watch,
        stage: &Underway<'_>,
    ) -> Result<Held, Error> {
        let test_pair = |&(a, b): &(usize, usize)| {
            go_on(watch)?;
            let found = test(table, a, b, self.network.dag().parents(b), Thin::Permute(seed));
            stage.step();
            Ok(found.map(|found| (a, b, found)))
        };
        let chosen = drawn(pairs, MOST_PAIRS, &mut Stream::new(seed, "pairs"));
        let found: Vec<Option<(usize, usize, Tested)>> =
            chosen.par_iter().map(test_pair).collect::<Result<_, Error>>()?;
        let found: Vec<(usize, usize, Tested)> = found.into_iter().flatten().collect();
        let q = false_discovery(&found.iter().map(|(.., tested)| tested.p).collect::<Vec<_>>());
        let violated = found.iter().zip(&q).filter(|(_, q)| **q <= LEVEL).map(|(&(a, b, _), _)| (a, b));
        Ok(Held { violated: violated.collect(), found, q })
    }

    /// The pairs without an arc, the later node second.
    fn implied(&self) -> Vec<(usize, usize)> {
        let dag = self.network.dag();
        let order = dag.topological_order();
        let later = |(k, &b): (usize, &usize)| order[..k].iter().map(move |&a| (a, b)).collect::<Vec<_>>();
        order.iter().enumerate().flat_map(later).filter(|&(a, b)| !dag.adjacent(a, b)).collect()
    }

    /// The same graph over shuffled columns, and over its own.
    fn standing(
        &self,
        table: &Table,
        pairs: &[(usize, usize)],
        seed: u64,
        watch: &dyn Watch,
        stage: &Underway<'_>,
    ) -> Result<Standing, Error> {
        let dag = self.network.dag();
        let all: Vec<(usize, usize)> = pairs.iter().copied().chain(dag.arcs()).collect();
        let violations = |labels: &[usize], stream: &mut Stream| {
            let mut tested = 0;
            let mut violated = 0;
            for (a, b) in drawn(all.clone(), PAIRS_OF_SHUFFLED, stream) {
                let others = dag.parents(b).iter().filter(|&&v| v != a);
                let given: Vec<usize> = others.map(|&v| labels[v]).collect();
                if let Some(found) = test(table, labels[a], labels[b], &given, Thin::Ignore) {
                    tested += 1;
                    violated += usize::from((found.p < LEVEL) != dag.parents(b).contains(&a));
                }
            }
            violated as f64 / f64::max(f64::from(tested), 1.0)
        };
        let own: Vec<usize> = (0..self.network.len()).collect();
        let ours = violations(&own, &mut Stream::new(seed, "standing"));
        let one = |round: usize| {
            go_on(watch)?;
            let mut stream = Stream::new(seed, &format!("shuffled {round}"));
            let mut labels = own.clone();
            let nodes = labels.len();
            let mut differs = || {
                stream.choose(&mut labels, nodes);
                !is_equivalent(dag, &labels)
            };
            let found = (0..SHUFFLES).any(|_| differs()).then(|| violations(&labels, &mut stream));
            stage.step();
            Ok(found)
        };
        let theirs: Vec<Option<f64>> =
            (0..SHUFFLED).into_par_iter().map(one).collect::<Result<_, Error>>()?;
        let theirs: Vec<f64> = theirs.into_iter().flatten().collect();
        let as_good = theirs.iter().filter(|&&share| share <= ours).count();
        Ok(Standing {
            violations: ours,
            shuffled: theirs.len(),
            shuffled_violations: theirs.iter().sum::<f64>() / theirs.len().max(1) as f64,
            as_good,
            p: (1 + as_good) as f64 / (1 + theirs.len()) as f64,
        })
    }

    /// How well each node's table fits.
    fn fit(&self, table: &Table) -> Vec<NodeFit<'_>> {
        let of_node = |v: usize| {
            let cpt = self.network.cpt(v);
            // The loss that a row of the table expects, and its variance.
            let expected = |row: &[f64]| {
                let losses = row.iter().filter(|&&p| p > 0.0).map(|&p| (p, -ln(p)));
                let mean: f64 = losses.clone().map(|(p, loss)| p * loss).sum();
                (mean, losses.map(|(p, loss)| p * (loss - mean) * (loss - mean)).sum::<f64>())
            };
            let moments: Vec<(f64, f64)> = (0..cpt.configurations()).map(|j| expected(cpt.row(j))).collect();
            let parents: Vec<&[u8]> = cpt.parents().iter().map(|&p| table.column(p)).collect();
            let mut codes = vec![0u8; parents.len()];
            let (mut rows, mut possible, mut impossible) = (0usize, 0usize, 0usize);
            let (mut loss, mut mean, mut variance) = (0.0, 0.0, 0.0);
            for (row, &code) in table.column(v).iter().enumerate() {
                codes.iter_mut().zip(&parents).for_each(|(code, column)| *code = column[row]);
                if code == MISSING || codes.contains(&MISSING) {
                    continue;
                }
                rows += 1;
                let configuration = cpt.configuration(&codes);
                let p = cpt.row(configuration)[usize::from(code)];
                if p == 0.0 {
                    impossible += 1;
                    continue;
                }
                possible += 1;
                loss -= ln(p);
                mean += moments[configuration].0;
                variance += moments[configuration].1;
            }
            let of_rows = |sum: f64| (possible > 0).then(|| sum / possible as f64);
            let z = (variance > 0.0).then(|| (loss - mean) / variance.sqrt());
            let node = self.network.schema().name(v);
            NodeFit { node, rows, loss: of_rows(loss), expected: of_rows(mean), z, impossible }
        };
        let mut fit: Vec<NodeFit<'_>> = (0..self.network.len()).map(of_node).collect();
        let worse = |node: &NodeFit<'_>| node.z.map_or(0.0, f64::abs);
        fit.sort_by(|a, b| {
            b.impossible.cmp(&a.impossible).then(worse(b).total_cmp(&worse(a))).then(a.node.cmp(b.node))
        });
        fit
    }

    /// Where a second table differs.
    fn drift(&self, one: &Table, other: &Table, seed: u64) -> Result<Vec<Drift<'_>>, Error> {
        let (schema, n) = (self.network.schema(), self.network.len());
        let both = joined(schema, one, other)?;
        let tests: Vec<[Option<f64>; 2]> = (0..n)
            .into_par_iter()
            .map(|v| {
                let p = |given: &[usize]| test(&both, n, v, given, Thin::Permute(seed)).map(|found| found.p);
                [p(&[]), p(self.network.dag().parents(v))]
            })
            .collect();
        let among = |k: usize| {
            let told: Vec<f64> = tests.iter().filter_map(|test| test[k]).collect();
            let mut q = false_discovery(&told).into_iter();
            tests.iter().map(|test| test[k].and_then(|_| q.next())).collect::<Vec<_>>()
        };
        let (q, own_q) = (among(0), among(1));
        let found = |q: Option<f64>| q.is_some_and(|q| q <= LEVEL);
        let mut drift: Vec<Drift<'_>> = (0..n)
            .map(|v| Drift {
                node: schema.name(v),
                distance: distance(one.column(v), other.column(v), schema.cardinality(v)),
                p: tests[v][0],
                q: q[v],
                own_p: tests[v][1],
                own_q: own_q[v],
                kind: match (found(own_q[v]), found(q[v])) {
                    (true, _) => DriftKind::Own,
                    (false, true) => DriftKind::Inherited,
                    (false, false) => DriftKind::None,
                },
            })
            .collect();
        let least = |drift: &Drift<'_>| drift.own_p.unwrap_or(1.0).min(drift.p.unwrap_or(1.0));
        drift.sort_by(|a, b| {
            let sure = least(a).total_cmp(&least(b));
            sure.then(b.distance.total_cmp(&a.distance)).then(a.node.cmp(b.node))
        });
        Ok(drift)
    }
}

/// Whether a graph with other labels is equivalent to itself.
fn is_equivalent(dag: &Dag, labels: &[usize]) -> bool {
    let arcs: Vec<(usize, usize)> = dag.arcs().map(|(a, b)| (labels[a], labels[b])).collect();
    arcs.iter().all(|&(a, b)| dag.adjacent(a, b))
        && Dag::from_arcs(dag.len(), arcs).is_ok_and(|other| Pdag::complete(&other) == Pdag::complete(dag))
}

/// So many of the pairs by lot, in their order; all if there are no more.
fn drawn(mut pairs: Vec<(usize, usize)>, most: usize, stream: &mut Stream) -> Vec<(usize, usize)> {
    if pairs.len() > most {
        stream.choose(&mut pairs, most);
        pairs.truncate(most);
        pairs.sort_unstable();
    }
    pairs
}

/// Both tables, and a last column that says which a row is from.
fn joined(schema: &Schema, one: &Table, other: &Table) -> Result<Table, Error> {
    let mut name = "table".to_string();
    while schema.index(&name).is_some() {
        name.push('\'');
    }
    let variables = schema.variables().iter().cloned().chain([Variable::new(name, ["first", "second"])]);
    let which = [vec![0u8; one.rows()], vec![1u8; other.rows()]].concat();
    let columns = (0..schema.len()).map(|v| [one.column(v), other.column(v)].concat()).chain([which]);
    Ok(Table::new(Schema::new(variables.collect())?, columns.collect())?)
}

/// Half the sum of differences between two columns' shares.
fn distance(one: &[u8], other: &[u8], states: usize) -> f64 {
    let shares = |codes: &[u8]| {
        let known = codes.iter().filter(|&&code| code != MISSING);
        let mut counts = vec![0.0f64; states];
        known.for_each(|&code| counts[usize::from(code)] += 1.0);
        let sum: f64 = counts.iter().sum::<f64>().max(1.0);
        counts.into_iter().map(move |n| n / sum).collect::<Vec<_>>()
    };
    shares(one).iter().zip(shares(other)).map(|(a, b)| (a - b).abs()).sum::<f64>() / 2.0
}
