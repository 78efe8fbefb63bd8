//! One machine on one round's rows: the smallest piece of work, and what is kept of it.

use super::gain::{Columns, Gains, Phi, Rival};
use super::sample::{Labelled, Round};
use super::sentences::Found;
use super::signal::RoundAccuracy;
use super::{Member, StrengthRule, StrengthSettings};
use crate::Error;
use crate::encode::{Encoding, Layout};
use clausality_bn::random::Stream;
use clausality_bn::{MISSING, Table};
use clausality_tm::{BitMatrix, ClauseSet, Machine};
use std::borrow::Cow;
use std::sync::OnceLock;

/// Rows on which clauses are judged, at most: more change no ranking and cost time.
pub(super) const JUDGED_ROWS: usize = 10_000;

/// What all fits of one call have in common.
pub(super) struct Plan<'a> {
    pub(super) table: &'a Table,
    pub(super) encoding: &'a Encoding,
    /// All literals of all rows.
    pub(super) rows: BitMatrix,
    pub(super) settings: &'a StrengthSettings,
    pub(super) seed: u64,
    pub(super) models: Vec<Member>,
    pub(super) phi: Phi,
}

/// Which fit: everything that its random choices depend on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Key<'a> {
    pub(super) target: &'a str,
    pub(super) model: usize,
    pub(super) round: usize,
    /// Whether the target is permuted.
    pub(super) null: bool,
}

/// What one fit found.
pub(super) struct Fit {
    /// Strength of every variable that the machine saw, as (place in the schema, value), in the order of names.
    pub(super) values: Vec<(usize, f64)>,
    /// The best value of a shadow, if there were any.
    pub(super) best_shadow: Option<f64>,
    /// How well the machine predicted the rows held out.
    pub(super) accuracy: RoundAccuracy,
    /// Which of the target's classes took part.
    pub(super) classes: Vec<u8>,
    /// The machine's best clauses.
    pub(super) found: Vec<Found>,
}

/// The rows of one target and what all its fits share.
pub(super) struct Subject<'a> {
    pub(super) plan: &'a Plan<'a>,
    pub(super) name: &'a str,
    pub(super) labelled: Labelled,
    /// Rows in random order, and the place of every row of the table in it: where shadows are read.
    circle: (Vec<u32>, Vec<u32>),
    /// The rows on which clauses are judged, class by class.
    judged: Vec<u32>,
    /// Where the judged rows of each class end, for the classes that have any.
    ends: Vec<usize>,
    /// The classes that have judged rows.
    pub(super) present: Vec<u8>,
    /// The judged rows in columns for the features that most fits see.
    common: (Vec<usize>, OnceLock<BitMatrix>),
    /// For every variable and state a bit for every judged row.
    states: Vec<OnceLock<Vec<Vec<u64>>>>,
}

impl Key<'_> {
    /// The stream of this fit's random choices of one kind. A stream is known by the master seed and a name; zero bytes
    /// join the parts of the name, so two keys never share one.
    pub(super) fn stream(&self, seed: u64, kind: &str) -> Stream {
        let Key { target, model, round, null } = self;
        let sort = if *null { "null" } else { "true" };
        Stream::new(seed, &format!("strengths\0{target}\0{model}\0{round}\0{sort}\0{kind}"))
    }
}

impl<'a> Subject<'a> {
    /// A target; `permuted` deals its classes to the rows at random.
    pub(super) fn new(plan: &'a Plan<'a>, target: usize, permuted: bool) -> Self {
        let name = plan.table.schema().name(target);
        let values = plan.encoding.values(target);
        let mut class = [None; 256];
        for (number, &code) in (0..=u8::MAX).zip(values) {
            class[code as usize] = Some(number);
        }
        class[MISSING as usize] = None;
        let classes = plan.table.column(target).iter().map(|&code| class[code as usize]);
        let mut labelled = Labelled::new(classes, values.len());
        let key = Key { target: name, model: 0, round: 0, null: permuted };
        if permuted {
            let rows = labelled.classes.len();
            key.stream(plan.seed, "classes").choose(&mut labelled.classes, rows);
        }
        let (judged, ends, present) = judged(&labelled, &mut key.stream(plan.seed, "judged"));
        let circle = circle(&labelled.rows, plan.table.rows(), &mut key.stream(plan.seed, "circle"));
        let common = (plan.encoding.predictors(target), OnceLock::new());
        let states = (0..plan.table.schema().len()).map(|_| OnceLock::new()).collect();
        Subject { plan, name, labelled, circle, judged, ends, present, common, states }
    }

    /// Trains one machine on `features` (places in the schema, in the order of names) and reads off what it found; nothing
    /// if fewer than two classes have rows to train on, or no feature varies.
    pub(super) fn fit(&self, key: Key<'_>, features: &[usize]) -> Result<Option<Fit>, Error> {
        let Plan { settings, seed, encoding, .. } = *self.plan;
        let round = self.labelled.draw(settings.balance, settings.samples(), &mut key.stream(seed, "rows"));
        if round.classes.len() < 2 {
            return Ok(None);
        }
        let (shadows, shift) = self.shadows(features, &mut key.stream(seed, "shadows"));
        let layout = Layout::new(encoding, features, &shadows);
        if layout.literals() == 0 {
            return Ok(None);
        }
        let clauses = self.train(key, &layout, &round, shift)?;
        let predicted = clauses.predict(&self.gather(&layout, &round.held_out, shift))?;
        let accuracy =
            RoundAccuracy::new(&round.held_out, &predicted, &round.held_out_labels, round.classes.len());

        let own = self.columns(features);
        let copied = self.gather(&Layout::new(encoding, &[], &shadows), &self.judged, shift).transposed();
        let columns = Columns { own: &own, copied: &copied, ends: &self.ends, phi: &self.plan.phi };
        let values = self.values(&clauses, &layout, features.len(), &columns);
        let best_shadow = values[features.len()..].iter().copied().reduce(f64::max);
        let found = Found::best(&clauses, &layout, encoding, &columns, &round.classes, &self.present);
        let values = features.iter().copied().zip(values).collect();
        Ok(Some(Fit { values, best_shadow, accuracy, classes: round.classes, found }))
    }

    fn train(&self, key: Key<'_>, layout: &Layout, round: &Round, shift: usize) -> Result<ClauseSet, Error> {
        let Plan { settings, models, seed, .. } = self.plan;
        let matrix = self.gather(layout, &round.train, shift);
        let seed = key.stream(*seed, "machine").bits();
        let model = &models[key.model].machine;
        let mut machine = Machine::new(layout.literals(), round.classes.len(), model, seed)?;
        if let Some(path) = settings.path {
            machine = machine.on_path(path);
        }
        machine.fit(&matrix, &round.labels(), settings.epochs())?;
        Ok(machine.clauses())
    }

    /// Which variables get a shadow in a fit (a run of them from a random place, in the order of names), and how far
    /// along the circle a shadow is read. All shadows of a row are read from one other row: they keep what they have to
    /// do with each other and lose only what they have to do with the target.
    fn shadows(&self, features: &[usize], stream: &mut Stream) -> (Vec<usize>, usize) {
        let count = (self.plan.settings.shadows() * features.len() as f64).ceil() as usize;
        let start = stream.below(features.len() as u64) as usize;
        let chosen = features.iter().cycle().skip(start).take(count.min(features.len())).copied().collect();
        (chosen, 1 + stream.below(self.circle.0.len() as u64 - 1) as usize)
    }

    /// The literals of some rows as a machine sees them, shadows included.
    fn gather(&self, layout: &Layout, rows: &[u32], shift: usize) -> BitMatrix {
        let (circle, places) = &self.circle;
        let shadow = |&row: &u32| {
            let place = places[row as usize] as usize + shift;
            circle[if place < circle.len() { place } else { place - circle.len() }]
        };
        let shadow_rows: Vec<u32> =
            if layout.has_copies() { rows.iter().map(shadow).collect() } else { Vec::new() };
        layout.gather(&self.plan.rows, rows, &shadow_rows)
    }

    /// The judged rows in columns.
    fn columns(&self, features: &[usize]) -> Cow<'_, BitMatrix> {
        let gather =
            || self.gather(&Layout::new(self.plan.encoding, features, &[]), &self.judged, 0).transposed();
        match features == self.common.0 {
            true => Cow::Borrowed(self.common.1.get_or_init(gather)),
            false => Cow::Owned(gather()),
        }
    }

    /// The strength of every feature of the layout in this fit; `own` of them are no shadows.
    fn values(&self, clauses: &ClauseSet, layout: &Layout, own: usize, columns: &Columns<'_>) -> Vec<f64> {
        if self.plan.settings.strength() != StrengthRule::Gain {
            return weights(clauses, layout);
        }
        let gains = Gains::new(columns, clauses, layout);
        let plain = gains.plain();
        let mut strongest: Vec<usize> = (0..own).filter(|&f| plain[f] > 0.0).collect();
        strongest.sort_by(|&a, &b| plain[b].total_cmp(&plain[a]));
        strongest.truncate(self.plan.settings.rivals);
        if strongest.is_empty() {
            return plain;
        }
        let rival = |&feature: &usize| Rival { feature, states: self.states(layout.variable(feature)) };
        gains.against(&strongest.iter().map(rival).collect::<Vec<_>>(), &plain)
    }

    /// For every state of a variable (a gap counts as one) a bit for every judged row.
    fn states(&self, variable: usize) -> &[Vec<u64>] {
        self.states[variable].get_or_init(|| {
            let states = self.plan.table.schema().cardinality(variable);
            let column = self.plan.table.column(variable);
            let mut bits = vec![vec![0u64; self.judged.len().div_ceil(64)]; states + 1];
            for (place, &row) in self.judged.iter().enumerate() {
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

/// The rows on which a target's clauses are judged, class by class; where each class ends; and which classes they are.
fn judged(labelled: &Labelled, stream: &mut Stream) -> (Vec<u32>, Vec<usize>, Vec<u8>) {
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
    (rows, ends, present)
}

/// The rows in random order, and the place of every row of the table in it.
fn circle(rows: &[u32], all: usize, stream: &mut Stream) -> (Vec<u32>, Vec<u32>) {
    let mut order = rows.to_vec();
    stream.choose(&mut order, rows.len());
    let mut places = vec![0; all];
    for (place, &row) in (0u32..).zip(&order) {
        places[row as usize] = place;
    }
    (order, places)
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
