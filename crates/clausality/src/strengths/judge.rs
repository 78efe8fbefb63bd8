//! What is read from a machine's clauses: how strong they make every feature, what they predict and which speak best.
//!
//! Clauses are judged on rows of the table as it is, not on the balanced ones that trained the machine (module `gain` says
//! why).

use super::bench::{Bench, JUDGED_ROWS};
use super::clauses;
use super::gain::{Columns, Gains, Rival, RivalStates};
use super::sample::{Labelled, Round};
use super::settings::StrengthRule;
use super::shadows::View;
use super::signal::Verdict;
use super::task::Trained;
use crate::Error;
use crate::encode::Layout;
use clausality_bn::random::Stream;
use clausality_tm::{BitMatrix, ClauseSet, Ones};
use std::borrow::Cow;
use std::sync::OnceLock;

/// The rows on which all clauses about a target are judged.
pub(super) struct Judge<'a> {
    bench: &'a Bench<'a>,
    /// The rows, class by class.
    rows: Vec<u32>,
    /// Where the rows of each class end, for the classes that have any.
    ends: Vec<usize>,
    /// The class of every row, by its place among these.
    classes: Vec<u8>,
    /// The classes that have rows.
    present: Vec<u8>,
    /// The rows in columns for the features that most fits see.
    common: (Vec<usize>, OnceLock<BitMatrix>),
    /// Of every variable.
    states: Vec<OnceLock<RivalStates>>,
    ones: Ones,
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
        let (mut present, mut classes) = (Vec::new(), Vec::with_capacity(places.len()));
        for group in places.chunk_by(|a, b| class(a) == class(b)) {
            ends.push(ends.last().unwrap_or(&0) + group.len());
            classes.resize(ends[present.len()], present.len() as u8);
            present.push(class(&group[0]));
        }
        let common = (bench.encoding.predictors(target), OnceLock::new());
        let states = (0..bench.table.schema().len()).map(|_| OnceLock::new()).collect();
        Judge { bench, rows, ends, classes, present, common, states, ones: Ones::here() }
    }

    /// Reads the clauses of a machine that knows the classes of its round, after one epoch or several: strengths are the mean over these, all
    /// else is read from the last. Of a permuted target (no round) only the strengths are asked.
    pub(super) fn read(
        &self,
        readings: &[ClauseSet],
        view: &View<'_>,
        round: Option<&Round>,
    ) -> Result<Trained, Error> {
        let Bench { encoding, phi, places, .. } = self.bench;
        let own = self.columns(&view.features);
        let copied = view.gather_shadows(&self.rows).transposed();
        let Judge { ends, classes, ones, .. } = self;
        let columns = Columns { own: &own, copied: &copied, ends, classes, phi, ones: *ones };
        let (mut values, mut shadow) = (vec![0.0; view.features.len()], None);
        let count = readings.len() as f64;
        for clauses in readings {
            let now = self.values(clauses, view, &columns);
            let (own, shadows) = now.split_at(values.len());
            values.iter_mut().zip(own).for_each(|(sum, value)| *sum += value);
            if let Some(best) = shadows.iter().copied().reduce(f64::max) {
                shadow = Some(shadow.unwrap_or(0.0) + best);
            }
        }
        let values =
            view.features.iter().map(|&v| places[v]).zip(values.iter().map(|sum| sum / count)).collect();
        let mut trained =
            Trained { values, best_shadow: shadow.map(|sum| sum / count), ..Trained::default() };
        if let (Some(round), Some(clauses)) = (round, readings.last()) {
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
        let Bench { encoding, filled, rows, .. } = self.bench;
        let layout = || Layout::new(encoding, features, &[]);
        let gather = || layout().gather_from(encoding, filled, rows, &self.rows, &[]).transposed();
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

    /// The states of a variable in the judged rows; no value at all counts as one.
    fn states(&self, variable: usize) -> &RivalStates {
        self.states[variable].get_or_init(|| {
            let states = self.bench.table.schema().cardinality(variable);
            let column = self.bench.filled.column(variable);
            RivalStates::new(self.rows.iter().map(|&row| states.min(column[row as usize].into())), states + 1)
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
