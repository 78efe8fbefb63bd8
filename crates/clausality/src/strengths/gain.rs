//! Context gain: what a feature's part of a clause tells about the target where the rest of the clause holds.
//!
//! For clause j let c₋f be the clause without the literals of feature f, a_q = #(c = 1, Y = q), b_q = #(c₋f = 1, Y = q),
//! A = Σ a_q, B = Σ b_q, C the number of classes and φ(x) = x ln x:
//!
//! ```text
//! G_j(f)     = Σ_q [φ(a_q) + φ(b_q − a_q) − φ(b_q)] + φ(B) − φ(A) − φ(B − A)  =  N · P(c₋f) · I(f's part; Y | c₋f)
//! Ĝ_j(f)     = max(0, G_j(f) − (C − 1))
//! Ĝ_j(f | z) = the same, summed over the rows of each state of z
//! S_Y[f]     = Σ_j (Σ_n |w_n[j]|) · min { Ĝ_j(f), Ĝ_j(f | z) for the rivals z of f } / N
//! ```
//!
//! A literal that rides along in a clause without changing what the clause says about Y gains nothing, and a literal that
//! speaks only together with others gains what it says *in their company*: so interactions count and passengers do not.
//!
//! Two things go past the bare gain G, both measured on asia, child and alarm and confirmed on insurance (the figures are
//! kept in `validation/`):
//! - C − 1, the number of probabilities that the literal sets free, is subtracted (Akaike's correction): a literal that was
//!   picked for the accidents of the rows gains nothing.
//! - The *rivals* of f are the strongest features of the fit that are stronger than f and not in the clause. What f says
//!   once a rival's state is known is what f says by itself: an effect of an effect loses its borrowed strength. The
//!   strongest feature has no rivals, so of two columns that say the same one keeps its strength.
//!
//! Gains are counted on the table's own rows, not on the balanced ones that trained the machine: repeated rows of a rare
//! class would count their accidents as often as they were repeated.
//!
//! Rows are bits, a clause is an AND of bit columns, a count is a population count. Cost: for each distinct clause, feature
//! and rival state one pass over N/64 words; where a rival has many states and the rest of the clause few rows, one pass over those.

use crate::encode::Layout;
use clausality_bn::math::ln;
use clausality_tm::{BitMatrix, ClauseSet, Ones};

/// φ(x) = x ln x for whole numbers, from a table.
pub(super) struct Phi(Vec<f64>);

impl Phi {
    /// The table for numbers up to `largest`.
    pub(super) fn up_to(largest: usize) -> Self {
        Phi((0..=largest).map(|x| if x == 0 { 0.0 } else { x as f64 * ln(x as f64) }).collect())
    }

    fn of(&self, x: u32) -> f64 {
        self.0[x as usize]
    }
}

/// The rows on which clauses are judged, as bit columns; rows stand class by class.
pub(super) struct Columns<'a> {
    /// Row l holds, for literal l of the layout's own features, a bit for every data row.
    pub(super) own: &'a BitMatrix,
    /// The same for the literals of its copies.
    pub(super) copied: &'a BitMatrix,
    /// Where the rows of each class end.
    pub(super) ends: &'a [usize],
    /// The class of every row, by its place among those that have any.
    pub(super) classes: &'a [u8],
    /// x ln x up to the number of rows.
    pub(super) phi: &'a Phi,
    pub(super) ones: Ones,
}

/// A feature that others are measured against.
pub(super) struct Rival<'a> {
    pub(super) feature: usize,
    pub(super) states: &'a RivalStates,
}

/// The states of a variable that occur, in the order in which the rows name them: the order in the schema must leave no trace in a sum.
pub(super) struct RivalStates {
    /// For each a bit for every row.
    bits: Vec<Vec<u64>>,
    /// For every row its state's place.
    places: Vec<u8>,
}

impl RivalStates {
    /// From the state of every row, each below `states`.
    pub(super) fn new(rows: impl Iterator<Item = usize> + Clone, states: usize) -> Self {
        let mut place: Vec<Option<u8>> = vec![None; states];
        let mut found = 0;
        let places: Vec<u8> = rows
            .map(|state| {
                *place[state].get_or_insert_with(|| {
                    found += 1;
                    (found - 1) as u8
                })
            })
            .collect();
        let mut bits = vec![vec![0u64; places.len().div_ceil(64)]; found];
        for (row, &place) in places.iter().enumerate() {
            bits[usize::from(place)][row / 64] |= 1 << (row % 64);
        }
        RivalStates { bits, places }
    }
}

/// A clause as one bit column for each of its features.
struct Parts {
    weight: f64,
    columns: Vec<(usize, Vec<u64>)>,
    /// Ĝ of each.
    gains: Vec<f64>,
}

/// Every distinct clause of a machine with the gains of its features.
pub(super) struct Gains<'a> {
    columns: &'a Columns<'a>,
    clauses: Vec<Parts>,
    features: usize,
}

impl<'a> Gains<'a> {
    /// Splits the clauses and counts.
    pub(super) fn new(columns: &'a Columns<'a>, clauses: &ClauseSet, layout: &Layout) -> Self {
        let mut rest = Vec::new();
        let mut clauses: Vec<Parts> = distinct(clauses)
            .into_iter()
            .map(|(literals, weight)| columns.split(literals, weight, layout))
            .collect();
        for clause in &mut clauses {
            for part in 0..clause.columns.len() {
                columns.rest(clause, part, &mut rest);
                clause.gains.push(columns.gain(&rest, &clause.columns[part].1, &rest));
            }
        }
        Gains { columns, clauses, features: layout.len() }
    }

    /// Σ_j weight · Ĝ_j(f) / N for every feature of the layout.
    pub(super) fn plain(&self) -> Vec<f64> {
        self.sum(|clause, part| clause.gains[part])
    }

    /// The same with the gain that is left against every rival. Rivals must come with their `plain` strengths.
    pub(super) fn against(&self, rivals: &[Rival<'_>], plain: &[f64]) -> Vec<f64> {
        let (mut rest, mut cells) = (Vec::new(), Vec::new());
        self.sum(|clause, part| {
            let (feature, column) = &clause.columns[part];
            let mut left = clause.gains[part];
            let in_clause = |rival: usize| clause.columns.iter().any(|(f, _)| *f == rival);
            let stronger =
                |rival: &&Rival<'_>| plain[rival.feature] > plain[*feature] && !in_clause(rival.feature);
            for (i, rival) in rivals.iter().filter(stronger).enumerate() {
                if left <= 0.0 {
                    break;
                }
                if i == 0 {
                    self.columns.rest(clause, part, &mut rest);
                }
                left = left.min(self.columns.gain_against(&rest, column, rival.states, &mut cells));
            }
            left
        })
    }

    fn sum(&self, mut gain: impl FnMut(&Parts, usize) -> f64) -> Vec<f64> {
        let mut values = vec![0.0; self.features];
        for clause in &self.clauses {
            for part in 0..clause.columns.len() {
                values[clause.columns[part].0] += clause.weight * gain(clause, part);
            }
        }
        let rows = self.columns.ends.last().map_or(1.0, |&n| n as f64);
        values.iter_mut().for_each(|v| *v /= rows);
        values
    }
}

/// The clauses that say anything, equal ones together, in the order of their literals.
fn distinct(clauses: &ClauseSet) -> Vec<(&[u32], f64)> {
    let all = (0..clauses.len()).filter(|&j| !clauses.literals(j).is_empty());
    let mut all: Vec<(&[u32], u64)> = all.map(|j| (clauses.literals(j), clauses.total_weight(j))).collect();
    all.sort_unstable();
    all.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    all.into_iter().filter(|&(_, weight)| weight > 0).map(|(l, weight)| (l, weight as f64)).collect()
}

impl Columns<'_> {
    fn column(&self, literal: usize) -> &[u64] {
        match literal.checked_sub(self.own.rows()) {
            None => self.own.row(literal),
            Some(copied) => self.copied.row(copied),
        }
    }

    fn split(&self, literals: &[u32], weight: f64, layout: &Layout) -> Parts {
        let mut columns: Vec<(usize, Vec<u64>)> = Vec::with_capacity(literals.len());
        for &literal in literals {
            let feature = layout.feature_of(literal as usize);
            let column = self.column(literal as usize);
            match columns.last_mut() {
                Some((last, bits)) if *last == feature => and(bits, column),
                _ => columns.push((feature, column.to_vec())),
            }
        }
        Parts { weight, columns, gains: Vec::new() }
    }

    /// Where all parts of a clause but one are true.
    fn rest(&self, clause: &Parts, part: usize, rest: &mut Vec<u64>) {
        rest.clear();
        rest.resize(self.own.words(), u64::MAX);
        for (_, column) in clause.columns[..part].iter().chain(&clause.columns[part + 1..]) {
            and(rest, column);
        }
    }

    /// Ĝ of a part, where the rest of its clause and `within` are true.
    fn gain(&self, rest: &[u64], part: &[u64], within: &[u64]) -> f64 {
        let mut sum = Sum::default();
        self.ones.by_stretch([part, rest, within], self.ends, |a, b| sum.add(self.phi, a, b));
        sum.gain(self.phi, self.ends.len())
    }

    /// The same, summed over the rows of each state of a rival.
    fn gain_against(
        &self,
        rest: &[u64],
        part: &[u64],
        rival: &RivalStates,
        cells: &mut Vec<[u32; 2]>,
    ) -> f64 {
        let (states, classes) = (rival.bits.len(), self.ends.len());
        let rows: usize = rest.iter().map(|word| word.count_ones() as usize).sum();
        // A row by itself takes as long as a word or two; a class takes a few words whatever its rows.
        if rows > states * (rest.len() / self.ones.words_a_row() + 4 * classes) / 2 {
            return rival.bits.iter().map(|state| self.gain(rest, part, state)).sum();
        }
        cells.clear();
        cells.resize(states * classes, [0; 2]);
        for (word, (&bits, &part)) in rest.iter().zip(part).enumerate() {
            let mut left = bits;
            while left != 0 {
                let bit = left.trailing_zeros() as usize;
                left &= left - 1;
                let row = 64 * word + bit;
                // Behind the last row there is none.
                let (Some(&state), Some(&class)) = (rival.places.get(row), self.classes.get(row)) else {
                    break;
                };
                let [a, b] = &mut cells[usize::from(state) * classes + usize::from(class)];
                *a += (part >> bit & 1) as u32;
                *b += 1;
            }
        }
        let gain = |state: &[[u32; 2]]| {
            let mut sum = Sum::default();
            state.iter().filter(|[_, b]| *b > 0).for_each(|&[a, b]| sum.add(self.phi, a, b));
            sum.gain(self.phi, classes)
        };
        cells.chunks_exact(classes).map(gain).sum()
    }

    /// The literals of a clause without those of features that gain nothing in it, looked at from the last to the first.
    pub(super) fn essential(&self, literals: &[u32], layout: &Layout) -> Vec<u32> {
        let mut clause = self.split(literals, 0.0, layout);
        let mut rest = Vec::new();
        for part in (0..clause.columns.len()).rev() {
            self.rest(&clause, part, &mut rest);
            if clause.columns.len() > 1 && self.gain(&rest, &clause.columns[part].1, &rest) <= 0.0 {
                clause.columns.remove(part);
            }
        }
        let kept =
            |literal: &u32| clause.columns.iter().any(|(f, _)| *f == layout.feature_of(*literal as usize));
        literals.iter().copied().filter(kept).collect()
    }

    /// How many rows of each class make a clause true.
    pub(super) fn coverage(&self, literals: &[u32]) -> Vec<u32> {
        let mut column = vec![u64::MAX; self.own.words()];
        literals.iter().for_each(|&l| and(&mut column, self.column(l as usize)));
        let mut coverage = Vec::with_capacity(self.ends.len());
        self.ones.by_stretch([&column; 3], self.ends, |_, covered| coverage.push(covered));
        coverage
    }
}

/// G, class by class.
#[derive(Default)]
struct Sum {
    a: u32,
    b: u32,
    classes: f64,
}

impl Sum {
    #[inline(always)]
    fn add(&mut self, phi: &Phi, a: u32, b: u32) {
        self.classes += phi.of(a) + phi.of(b - a) - phi.of(b);
        self.a += a;
        self.b += b;
    }

    /// Ĝ for so many classes.
    fn gain(&self, phi: &Phi, classes: usize) -> f64 {
        let Sum { a, b, classes: sum } = *self;
        let free = classes.saturating_sub(1) as f64;
        (sum + phi.of(b) - phi.of(a) - phi.of(b - a) - free).max(0.0)
    }
}

fn and(bits: &mut [u64], others: &[u64]) {
    bits.iter_mut().zip(others).for_each(|(word, other)| *word &= other);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::Encoding;
    use crate::encode::LiteralRule;
    use clausality_bn::random::Stream;
    use clausality_bn::{Schema, Table, Variable};
    use clausality_tm::{Machine, Params};

    /// The definition, row by row and without bits.
    fn twin(clause: &[Vec<bool>], part: usize, classes: &[usize], stratum: &[bool]) -> f64 {
        let count = classes.iter().max().unwrap() + 1;
        let mut cells = vec![[0.0f64; 2]; count];
        for (row, &class) in classes.iter().enumerate() {
            let rest = clause.iter().enumerate().all(|(i, column)| i == part || column[row]);
            if rest && stratum[row] {
                cells[class][usize::from(clause[part][row])] += 1.0;
            }
        }
        let phi = |x: f64| if x == 0.0 { 0.0 } else { x * x.ln() };
        let column = |i: usize| cells.iter().map(|c| c[i]).sum::<f64>();
        let cellwise: f64 = cells.iter().map(|c| phi(c[0]) + phi(c[1]) - phi(c[0] + c[1])).sum();
        let gain = cellwise + phi(column(0) + column(1)) - phi(column(0)) - phi(column(1));
        (gain - (count as f64 - 1.0)).max(0.0)
    }

    #[test]
    fn bit_counts_agree_with_the_definition() {
        let (rows, names) = (333, ["a", "b", "c", "d"]);
        let variables = names.iter().map(|n| Variable::new(*n, ["x", "y", "z"])).collect();
        let mut stream = Stream::new(5, "rows");
        let codes: Vec<Vec<u8>> =
            (0..4).map(|_| (0..rows).map(|_| stream.below(3) as u8).collect()).collect();
        let table = Table::new(Schema::new(variables).unwrap(), codes.clone()).unwrap();
        let mut labels: Vec<usize> =
            (0..rows).map(|r| usize::from((codes[0][r] == 1) ^ (codes[1][r] == 2))).collect();
        labels.sort_unstable();
        let encoding = Encoding::new(table.schema(), LiteralRule::Scale);
        let layout = Layout::new(&encoding, &[0, 1, 2, 3], &[]);
        let every: Vec<u32> = (0..rows as u32).collect();
        let matrix = layout.gather(&encoding.rows(&table), &every, &[]);
        let mut machine = Machine::new(24, 2, &Params { clauses: 20, ..Params::default() }, 3).unwrap();
        let targets: Vec<u32> = labels.iter().map(|&l| l as u32).collect();
        machine.fit(&matrix, &targets, 3).unwrap();
        let clauses = machine.clauses();

        let ends = [labels.iter().filter(|&&l| l == 0).count(), rows];
        let (own, copied) = (matrix.transposed(), BitMatrix::new(0, rows));
        let phi = Phi::up_to(rows);
        let classes: Vec<u8> = labels.iter().map(|&label| label as u8).collect();
        let ones = Ones::here();
        let columns = Columns { own: &own, copied: &copied, ends: &ends, classes: &classes, phi: &phi, ones };
        let gains = Gains::new(&columns, &clauses, &layout);
        let states = RivalStates::new(codes[3].iter().map(|&code| code.into()), 3);
        let rival = Rival { feature: 3, states: &states };
        let plain = gains.plain();
        let against = gains.against(&[rival], &[0.0, 0.0, 0.0, f64::MAX]);
        assert!(plain.iter().sum::<f64>() > 0.0);

        let (mut plain_twin, mut against_twin) = (vec![0.0; 4], vec![0.0; 4]);
        for j in 0..clauses.len() {
            let literals = clauses.literals(j);
            let mut features: Vec<usize> = literals.iter().map(|&l| layout.feature_of(l as usize)).collect();
            features.dedup();
            let column = |f: usize| -> Vec<bool> {
                let own = literals.iter().filter(|&&l| layout.feature_of(l as usize) == f);
                (0..rows).map(|r| own.clone().all(|&l| matrix.is_set(r, l as usize))).collect()
            };
            let parts: Vec<Vec<bool>> = features.iter().map(|&f| column(f)).collect();
            let weight = clauses.total_weight(j) as f64 / rows as f64;
            for (part, &f) in features.iter().enumerate() {
                let bare = twin(&parts, part, &labels, &vec![true; rows]);
                let within = |s: u8| -> Vec<bool> { (0..rows).map(|r| codes[3][r] == s).collect() };
                let split: f64 = (0..3).map(|s| twin(&parts, part, &labels, &within(s))).sum();
                plain_twin[f] += weight * bare;
                against_twin[f] += weight * if features.contains(&3) { bare } else { bare.min(split) };
            }
        }
        for f in 0..4 {
            assert!((plain[f] - plain_twin[f]).abs() < 1e-9, "{plain:?} {plain_twin:?}");
            assert!((against[f] - against_twin[f]).abs() < 1e-9, "{against:?} {against_twin:?}");
        }
    }
}
