//! What is read from a machine's clauses: how strong they make every feature, what they predict and which speak best.
//!
//! Clauses are judged on rows of the table as it is, not on the balanced ones that trained the machine (module `gain` says
//! why).

use super::bench::{Bench, JUDGED_ROWS};
use super::clauses;
use super::gain::{Columns, Gains, Rival};
use super::sample::{Labelled, Round};
use super::settings::StrengthRule;
use super::shadows::View;
use super::signal::Verdict;
use super::task::Trained;
use crate::Error;
use crate::encode::Layout;
use clausality_bn::random::Stream;
use clausality_tm::{BitMatrix, ClauseSet};
use std::borrow::Cow;
use std::sync::OnceLock;

/// The rows on which all clauses about a target are judged.
pub(super) struct Judge<'a> {
    bench: &'a Bench<'a>,
    /// The rows, class by class.
    rows: Vec<u32>,
    /// Where the rows of each class end, for the classes that have any.
    ends: Vec<usize>,
    /// The classes that have rows.
    present: Vec<u8>,
    /// The rows in columns for the features that most fits see.
    common: (Vec<usize>, OnceLock<BitMatrix>),
    /// For every variable and state a bit for every row.
    states: Vec<OnceLock<Vec<Vec<u64>>>>,
}

impl<'a> Judge<'a> {
    pub(super) fn new(bench: &'a Bench<'a>, target: usize, labelled: &Labelled, stream: &mut Stream) -> Self {
        let mut places: Vec<u32> = (0..labelled.rows.len() as u32).collect();
        if places.len() > JUDGED_ROWS {
            stream.choose(&mut places, JUDGED_ROWS);
            places.truncate(JUDGED_ROWS);
        }
        places.sort_unstable_by_key(|&place| (labelled.classes[place as usize], place));
        let rows = places.iter().map(|&place| labelled.rows[place as usize]).collect();
        let class = |place: &u32| labelled.classes[*place as usize];
        let mut ends = Vec::new();
        let mut present = Vec::new();
        for group in places.chunk_by(|a, b| class(a) == class(b)) {
            ends.push(ends.last().unwrap_or(&0) + group.len());
            present.push(class(&group[0]));
        }
        let common = (bench.encoding.predictors(target), OnceLock::new());
        let states = (0..bench.table.schema().len()).map(|_| OnceLock::new()).collect();
        Judge { bench, rows, ends, present, common, states }
    }

    /// Reads a machine that knows the classes of its round. Of a permuted target (no round) only the strengths are asked.
    pub(super) fn read(
        &self,
        clauses: &ClauseSet,
        view: &View<'_>,
        round: Option<&Round>,
    ) -> Result<Trained, Error> {
        let Bench { encoding, phi, places, .. } = self.bench;
        let own = self.columns(&view.features);
        let copied = view.gather_shadows(&self.rows).transposed();
        let columns = Columns { own: &own, copied: &copied, ends: &self.ends, phi };
        let values = self.values(clauses, view, &columns);
        let best_shadow = values[view.features.len()..].iter().copied().reduce(f64::max);
        let values = view.features.iter().map(|&v| places[v]).zip(values).collect();
        let mut trained = Trained { values, best_shadow, ..Trained::default() };
        if let Some(round) = round {
            let predicted = clauses.predict(&view.gather(&round.held_out))?;
            trained.verdicts =
                Verdict::all(&round.classes, &round.held_out, &predicted, &round.held_out_labels);
            trained.clauses =
                clauses::best(clauses, &view.layout, encoding, &columns, &round.classes, &self.present);
        }
        Ok(trained)
    }

    /// The judged rows in columns.
    fn columns(&self, features: &[usize]) -> Cow<'_, BitMatrix> {
        let Bench { encoding, rows, .. } = self.bench;
        let gather = || Layout::new(encoding, features, &[]).gather(rows, &self.rows, &[]).transposed();
        match features == self.common.0 {
            true => Cow::Borrowed(self.common.1.get_or_init(gather)),
            false => Cow::Owned(gather()),
        }
    }

    /// The strength of every feature of the view, shadows behind the others.
    fn values(&self, clauses: &ClauseSet, view: &View<'_>, columns: &Columns<'_>) -> Vec<f64> {
        let layout = &view.layout;
        if self.bench.settings.strength() != StrengthRule::Gain {
            return weights(clauses, layout);
        }
        let gains = Gains::new(columns, clauses, layout);
        let plain = gains.plain();
        let mut strongest: Vec<usize> = (0..view.features.len()).filter(|&f| plain[f] > 0.0).collect();
        strongest.sort_by(|&a, &b| plain[b].total_cmp(&plain[a]));
        strongest.truncate(self.bench.settings.rivals);
        if strongest.is_empty() {
            return plain;
        }
        let rival = |&feature: &usize| Rival { feature, states: self.states(layout.variable(feature)) };
        gains.against(&strongest.iter().map(rival).collect::<Vec<_>>(), &plain)
    }

    /// For every state of a variable (no value at all counts as one) a bit for every judged row.
    fn states(&self, variable: usize) -> &[Vec<u64>] {
        self.states[variable].get_or_init(|| {
            let states = self.bench.table.schema().cardinality(variable);
            let column = self.bench.filled.column(variable);
            let mut bits = vec![vec![0u64; self.rows.len().div_ceil(64)]; states + 1];
            for (place, &row) in self.rows.iter().enumerate() {
                bits[states.min(column[row as usize] as usize)][place / 64] |= 1 << (place % 64);
            }
            let first = |state: &Vec<u64>| {
                let word = state.iter().position(|&word| word != 0)?;
                Some(64 * word as u32 + state[word].trailing_zeros())
            };
            bits.retain(|state| first(state).is_some());
            // In the order in which the rows name them: the order in the schema must leave no trace in a sum.
            bits.sort_by_key(first);
            bits
        })
    }
}

/// Equation (1): g[f] = Σ_n Σ_c |w_n[c]| · #{included literals of f in c}, both polarities; whole numbers.
fn weights(clauses: &ClauseSet, layout: &Layout) -> Vec<f64> {
    let mut values = vec![0u64; layout.len()];
    for clause in 0..clauses.len() {
        let weight = clauses.total_weight(clause);
        for &literal in clauses.literals(clause) {
            values[layout.feature_of(literal as usize)] += weight;
        }
    }
    values.into_iter().map(|v| v as f64).collect()
}
