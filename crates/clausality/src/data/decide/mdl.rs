//! Where a numeric column is cut, given its neighbours in a network.
//!
//! A column X with the intervals I is worth, in nats,
//!
//! ```text
//!   Σ_I [ Σ_p N(I,p) ln N(I,p) − N(I) ln |I| ]  −  Σ_p ln C(N(p), K)             X given its parents p, and where in its interval
//! + Σ_Y Σ_I Σ_s [ Σ_y N(I,s,y) ln N(I,s,y)/N(I,s)  −  ln C(N(I,s), r_Y) ]        each child Y given X and its other parents s
//! − ln (m−1 choose K−1)                                                           which K−1 of the m−1 grades are cuts
//! ```
//!
//! with C the normaliser of the multinomial (the score fNML, [`clausality_bn::score`]). Every term is a sum over intervals or depends
//! on their number alone, so that dynamic programming over the *grades* (at most [`MOST_GRADES`] quantiles, at round numbers)
//! finds the best cuts for every K. Columns are cut one after the other, by name, each given the others as they are then.
//!
//! Implements: Chen, Wheeler & Kochenderfer 2017, "Learning discrete Bayesian networks from continuous data" (JAIR 59), with the
//! description length of Friedman & Goldszmidt 1996 ("Discretizing continuous attributes while learning Bayesian
//! networks"); the normaliser in place of ½ ln N a parameter is ours.
//!
//! Our reading: |I| is the number of rows in the interval, so that a place within an interval is one of its ranks. The shape of the
//! column itself is then no reason for a cut, only what the neighbours tell apart: with widths a column that nothing
//! depends on would get many states for its shape, and each of them would be paid for in every table of a child.
//! A spike stays a state of its own. A column without neighbours keeps its quantiles.
//!
//! Complexity: O(n) a family, then O(m² · cells) and O(m² K).

use crate::data::cells::codes::retain_from;
use crate::data::coding::{CodedVariable, StateRule};
use crate::data::decide::bins::{Cuts, quantile_cuts};
use crate::data::decide::numbers::{Extent, Numbers};
use crate::data::report::{StateReport, VariableReport};
use crate::data::{Coding, Dataset, Fingerprint};
use crate::error::Error;
use clausality_bn::math::x_ln_x;
use clausality_bn::score::ln_normaliser;
use clausality_bn::{MISSING, Table};

/// The most grades.
const MOST_GRADES: usize = 40;
/// A grade has no fewer rows than this, but for ties.
const ROWS_IN_GRADE: usize = 8;
/// The most states that a column is cut into.
const MOST_STATES: usize = 16;
/// How often all columns are cut.
const SWEEPS: usize = 2;
/// A family with more cells than this tells nothing about where to cut.
const MOST_CELLS: usize = 1 << 15;

/// Where a column may be cut.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::data) struct Grades {
    /// The cuts to choose from.
    cuts: Cuts,
    extent: Extent,
}

/// A variable that may be cut otherwise, with the grade of every row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Graded {
    variable: String,
    grades: Grades,
    /// By row; [`MISSING`] for gaps.
    codes: Vec<u8>,
}

impl Graded {
    /// Of the rows the marked ones only.
    pub(in crate::data) fn retain(&mut self, keep: &[bool]) {
        retain_from(&mut self.codes, 0, keep);
    }
}

impl Grades {
    /// The grades of some numbers, which are at least two different ones.
    pub(in crate::data) fn of(numbers: &Numbers<'_>, bins: usize) -> Self {
        let most = (numbers.count / ROWS_IN_GRADE).clamp(bins.max(4), MOST_GRADES.max(bins));
        let spike = numbers.spike(bins);
        Grades { cuts: quantile_cuts(numbers, most, spike), extent: numbers.extent(spike) }
    }

    /// How to grade a column.
    pub(in crate::data) fn rule(&self) -> StateRule {
        StateRule::Cuts(self.cuts.clone())
    }

    /// The variable with the grade of every row.
    pub(in crate::data) fn graded(self, variable: String, codes: Vec<u8>) -> Graded {
        Graded { variable, grades: self, codes }
    }

    fn len(&self) -> usize {
        self.cuts.at.len() + 1
    }

    /// Whether a place between grades must be a cut: those around a spike.
    fn is_forced(&self, place: usize) -> bool {
        let spike = self.extent.spike.map(|value| usize::from(self.cuts.state(value)));
        spike.is_some_and(|state| place == state || place == state + 1)
    }

    /// The cuts at some of the places between grades.
    fn chosen(&self, places: &[usize]) -> Cuts {
        Cuts { at: places.iter().map(|&place| self.cuts.at[place - 1]).collect(), ..self.cuts.clone() }
    }
}

impl Dataset {
    /// Whether columns are to be cut again once there is a graph.
    pub fn awaits_cuts(&self) -> bool {
        !self.grades.is_empty()
    }

    /// The same table with its numeric columns cut for their neighbours in a graph, of which these are the arcs from parent to
    /// child.
    ///
    /// # Errors
    /// None that a table that was read could lead to.
    pub fn recut(&self, arcs: &[(usize, usize)]) -> Result<Dataset, Error> {
        let schema = self.table.schema();
        // Sums do not depend on the order of columns.
        let mut arcs = arcs.to_vec();
        arcs.sort_by_key(|&(parent, child)| (schema.name(child), schema.name(parent)));
        let mut cutting = Cutting::new(&self.table);
        let mut order: Vec<(usize, &Graded)> =
            self.grades.iter().filter_map(|graded| Some((schema.index(&graded.variable)?, graded))).collect();
        order.sort_by(|a, b| a.1.variable.cmp(&b.1.variable));
        let mut chosen: Vec<Option<Cuts>> = vec![None; schema.len()];
        for _ in 0..SWEEPS {
            for &(v, graded) in &order {
                if let Some(places) = cutting.best(v, graded, &arcs) {
                    let has_gaps = schema.variable(v).has_missing_state;
                    cutting.cut(v, graded, &places, has_gaps);
                    chosen[v] = Some(graded.grades.chosen(&places));
                }
            }
        }
        let mut variables = self.coding.variables().to_vec();
        let mut report = self.report.clone();
        for (v, graded) in order {
            let Some(cuts) = chosen[v].take() else { continue };
            recode(&mut variables[v], cuts, &graded.grades.extent);
            let (name, states) = (&graded.variable, &variables[v].variable.states);
            let mut rows = [0usize; 256];
            cutting.columns[v].iter().for_each(|&code| rows[usize::from(code)] += 1);
            let is_it =
                |column: &&mut crate::data::ColumnReport| column.variables.iter().any(|v| v.name == *name);
            if let Some(column) = report.iter_mut().find(is_it) {
                let states = states.iter().zip(rows);
                let states: Vec<StateReport> =
                    states.map(|(label, rows)| StateReport { label: label.clone(), rows }).collect();
                let recorded = states.len() - usize::from(variables[v].variable.has_missing_state);
                column.reason = format!("cut into {recorded} states that tell its neighbours apart");
                column.variables = vec![VariableReport { name: name.clone(), states }];
            }
        }
        let coding = Coding::new(variables, self.coding.marks().clone());
        let table = Table::new(coding.schema()?, cutting.columns)?;
        let fingerprint = Fingerprint::of(&table);
        Ok(Dataset { table, coding, report, fingerprint, ..self.clone() })
    }
}

/// Gives a variable the states of other cuts.
fn recode(coded: &mut CodedVariable, cuts: Cuts, extent: &Extent) {
    let gap = coded.variable.missing_state().map(|state| coded.variable.states[usize::from(state)].clone());
    coded.variable.states = cuts.labels(extent).into_iter().chain(gap).collect();
    coded.rule = StateRule::Cuts(cuts);
}

/// The table as it is being cut.
struct Cutting {
    columns: Vec<Vec<u8>>,
    states: Vec<usize>,
    /// `n ln n` by n.
    n_ln_n: Vec<f64>,
}

/// How often every cell of a family occurs up to a grade.
struct Family {
    /// By grade (the first: none) and cell; the states of the child are the fastest.
    up_to: Vec<Vec<u32>>,
    /// States of the child; 1 where the column itself is.
    states: usize,
}

impl Cutting {
    fn new(table: &Table) -> Self {
        let schema = table.schema();
        Cutting {
            columns: (0..schema.len()).map(|v| table.column(v).to_vec()).collect(),
            states: (0..schema.len()).map(|v| schema.cardinality(v)).collect(),
            n_ln_n: (0..=table.rows()).map(|n| x_ln_x(n as f64)).collect(),
        }
    }

    /// Cuts a column at places between its grades.
    fn cut(&mut self, v: usize, graded: &Graded, places: &[usize], has_gaps: bool) {
        let state = |grade: usize| places.iter().filter(|&&place| place <= grade).count() as u8;
        let states: Vec<u8> = (0..graded.grades.len()).map(state).collect();
        let gap = if has_gaps { places.len() as u8 + 1 } else { MISSING };
        let code = |&grade: &u8| states.get(usize::from(grade)).copied().unwrap_or(gap);
        self.columns[v] = graded.codes.iter().map(code).collect();
        self.states[v] = places.len() + 1 + usize::from(has_gaps);
    }

    /// The best places to cut a column, if it has neighbours that say anything.
    fn best(&self, v: usize, graded: &Graded, arcs: &[(usize, usize)]) -> Option<Vec<usize>> {
        let parents_of =
            |v: usize| arcs.iter().filter(move |arc| arc.1 == v).map(|arc| arc.0).collect::<Vec<usize>>();
        let parents = parents_of(v);
        let children: Vec<usize> = arcs.iter().filter(|arc| arc.0 == v).map(|arc| arc.1).collect();
        let own = self.family(graded, &parents, None);
        let families: Vec<Family> = children
            .iter()
            .filter_map(|&child| {
                let others: Vec<usize> = parents_of(child).into_iter().filter(|&p| p != v).collect();
                self.family(graded, &others, Some(child))
            })
            .collect();
        if families.is_empty() && (parents.is_empty() || own.is_none()) {
            return None;
        }
        let m = graded.grades.len();
        let mut worth = vec![vec![f64::NEG_INFINITY; m + 1]; m];
        let mut normalisers: Vec<Vec<f64>> = vec![Vec::new(); families.len()];
        for (from, row) in worth.iter_mut().enumerate() {
            for (to, worth) in row.iter_mut().enumerate().skip(from + 1) {
                if (from + 1..to).any(|place| graded.grades.is_forced(place)) {
                    continue;
                }
                *worth = own.as_ref().map_or(0.0, |own| self.own_worth(own, from, to));
                for (family, known) in families.iter().zip(&mut normalisers) {
                    *worth += self.child_worth(family, from, to, known);
                }
            }
        }
        let total: Vec<u32> = own.as_ref().map_or(Vec::new(), |own| own.up_to[m].clone());
        let cost = |k: usize| {
            let own: f64 = total.iter().map(|&n| ln_normaliser(f64::from(n), k as f64)).sum();
            own + ln_choose(m - 1, k - 1)
        };
        best_partition(&worth, m, cost)
    }

    /// `Σ_p N(I,p) ln N(I,p) − N(I) ln N(I)`.
    fn own_worth(&self, own: &Family, from: usize, to: usize) -> f64 {
        let (mut sum, mut all) = (0.0, 0);
        for (&low, &high) in own.up_to[from].iter().zip(&own.up_to[to]) {
            sum += self.n_ln_n[(high - low) as usize];
            all += high - low;
        }
        sum - self.n_ln_n[all as usize]
    }

    /// `Σ_s [ Σ_y N ln N/N(I,s) − ln C(N(I,s), r) ]`.
    fn child_worth(&self, family: &Family, from: usize, to: usize, known: &mut Vec<f64>) -> f64 {
        let r = family.states;
        let mut sum = 0.0;
        let (low, high) = (family.up_to[from].chunks_exact(r), family.up_to[to].chunks_exact(r));
        for (low, high) in low.zip(high) {
            let mut all = 0;
            for (&low, &high) in low.iter().zip(high) {
                sum += self.n_ln_n[(high - low) as usize];
                all += high - low;
            }
            let all = all as usize;
            if all > 0 {
                if known.len() <= all {
                    known.resize(all + 1, f64::NAN);
                }
                if known[all].is_nan() {
                    known[all] = ln_normaliser(all as f64, r as f64);
                }
                sum -= self.n_ln_n[all] + known[all];
            }
        }
        sum
    }

    /// Counts a family up to every grade; nothing where it has too many cells.
    fn family(&self, graded: &Graded, given: &[usize], child: Option<usize>) -> Option<Family> {
        let all: Vec<usize> = given.iter().copied().chain(child).collect();
        let cells = all.iter().try_fold(1usize, |cells, &v| cells.checked_mul(self.states[v]))?;
        if cells > MOST_CELLS {
            return None;
        }
        let m = graded.grades.len();
        let mut up_to = vec![vec![0u32; cells]; m + 1];
        'rows: for (row, &grade) in graded.codes.iter().enumerate() {
            if grade == MISSING {
                continue;
            }
            let mut cell = 0;
            for &v in &all {
                let code = self.columns[v][row];
                if code == MISSING {
                    continue 'rows;
                }
                cell = cell * self.states[v] + usize::from(code);
            }
            up_to[usize::from(grade) + 1][cell] += 1;
        }
        for grade in 1..=m {
            let (before, after) = up_to.split_at_mut(grade);
            after[0].iter_mut().zip(&before[grade - 1]).for_each(|(n, &less)| *n += less);
        }
        Some(Family { up_to, states: child.map_or(1, |child| self.states[child]) })
    }
}

/// The places between `m` grades that part them into the intervals of most worth, less what their number costs; two at least.
fn best_partition(worth: &[Vec<f64>], m: usize, cost: impl Fn(usize) -> f64) -> Option<Vec<usize>> {
    let most = m.min(MOST_STATES);
    // Of the grades up to `to`, in k + 1 intervals: the most worth, and where the last interval begins.
    let mut rows: Vec<Vec<(f64, usize)>> =
        vec![(0..=m).map(|to| (if to > 0 { worth[0][to] } else { f64::NEG_INFINITY }, 0)).collect()];
    for k in 1..most {
        let before = &rows[k - 1];
        let best = |to: usize| {
            let mut best = (f64::NEG_INFINITY, 0);
            for from in k..to {
                let value = before[from].0 + worth[from][to];
                if value > best.0 {
                    best = (value, from);
                }
            }
            best
        };
        rows.push((0..=m).map(best).collect());
    }
    let mut found: Option<(f64, usize)> = None;
    for (k, row) in rows.iter().enumerate().skip(1) {
        let value = row[m].0 - cost(k + 1);
        if value.is_finite() && found.is_none_or(|(best, _)| value > best) {
            found = Some((value, k));
        }
    }
    let (_, k) = found?;
    let (mut places, mut to) = (Vec::with_capacity(k), m);
    for k in (1..=k).rev() {
        to = rows[k][to].1;
        places.push(to);
    }
    places.reverse();
    Some(places)
}

/// `ln (n choose k)`.
fn ln_choose(n: usize, k: usize) -> f64 {
    let ln_factorial = |n: usize| clausality_bn::math::ln_gamma(n as f64 + 1.0);
    ln_factorial(n) - ln_factorial(k) - ln_factorial(n - k)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{self, Bounds, DataSettings, Discretize, Frame, StateRule};
    use clausality_bn::random::Stream;
    use proptest::prelude::*;

    /// x in 0 to 1, y above or below x = 0.37 with some noise, z alone, w mostly nought.
    fn table(order: &[&str]) -> Dataset {
        let mut stream = Stream::new(1, "cuts");
        let x: Vec<f64> = (0..2000).map(|_| stream.unit()).collect();
        let side = |x: f64, stream: &mut Stream| (x > 0.37) ^ (stream.below(20) == 0);
        let y: Vec<bool> = x.iter().map(|&x| side(x, &mut stream)).collect();
        let z: Vec<f64> = (0..2000).map(|_| stream.unit()).collect();
        let rain = |y: bool, stream: &mut Stream| if y { 0.0 } else { stream.unit() * 10.0 };
        let w: Vec<f64> = y.iter().map(|&y| rain(y, &mut stream)).collect();
        let frame = order.iter().fold(Frame::new("t"), |frame, &name| match name {
            "x" => frame.with("x", x.clone()),
            "y" => frame.with("y", y.clone()),
            "z" => frame.with("z", z.clone()),
            _ => frame.with("w", w.clone()),
        });
        let settings = DataSettings { discretize: Some(Discretize::Mdl), ..DataSettings::default() };
        data::read(&frame, &settings, &Bounds::default()).unwrap()
    }

    fn cuts<'a>(dataset: &'a Dataset, name: &str) -> &'a Cuts {
        let coded = dataset.coding.variables().iter().find(|coded| coded.column == name).unwrap();
        let StateRule::Cuts(cuts) = &coded.rule else { panic!("{coded:?}") };
        cuts
    }

    fn recut(dataset: &Dataset, arcs: &[(&str, &str)]) -> Dataset {
        let at = |name: &str| dataset.table.schema().index(name).unwrap();
        dataset.recut(&arcs.iter().map(|&(a, b)| (at(a), at(b))).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn a_column_is_cut_where_its_neighbours_change() {
        let dataset = table(&["x", "y", "z", "w"]);
        for arcs in [[("x", "y"), ("y", "w")], [("y", "x"), ("y", "w")]] {
            let found = recut(&dataset, &arcs);
            let [cut] = cuts(&found, "x").at[..] else { panic!("{:?}", cuts(&found, "x")) };
            assert!((cut - 0.37).abs() < 0.03, "{cut}");
            assert_eq!(cuts(&found, "z"), cuts(&dataset, "z"), "without neighbours nothing is known");
            assert_eq!(cuts(&found, "w").at[0], 0.0, "a spike stays alone");
            // What the coding says is what the codes are.
            for coded in found.coding.variables() {
                let v = found.table.schema().index(&coded.variable.name).unwrap();
                assert!(
                    found
                        .table
                        .column(v)
                        .iter()
                        .all(|&code| usize::from(code) < coded.variable.cardinality())
                );
            }
            assert_eq!(found.report[0].variables[0].states.iter().map(|s| s.rows).sum::<usize>(), 2000);
        }
    }

    #[test]
    fn the_order_of_columns_does_not_matter() {
        let arcs = [("x", "y"), ("y", "w"), ("z", "w")];
        let one = recut(&table(&["x", "y", "z", "w"]), &arcs);
        let two = recut(&table(&["w", "z", "y", "x"]), &arcs);
        for name in ["x", "z", "w"] {
            assert_eq!(cuts(&one, name), cuts(&two, name));
        }
    }

    proptest! {
        /// The slow twin tries every set of places.
        #[test]
        fn the_best_partition_is_the_best(worth in prop::collection::vec(-9.0..9.0f64, 49), price in 0.0..4.0f64) {
            let m = 6;
            let worth: Vec<Vec<f64>> = (0..m).map(|from| (0..=m).map(|to| worth[from * 7 + to]).collect()).collect();
            let cost = |k: usize| price * k as f64;
            let value = |places: &[usize]| {
                let ends: Vec<usize> = [0].into_iter().chain(places.iter().copied()).chain([m]).collect();
                ends.windows(2).map(|pair| worth[pair[0]][pair[1]]).sum::<f64>() - cost(places.len() + 1)
            };
            let sets = (1u32..1 << (m - 1)).map(|set| (1..m).filter(|&place| set >> (place - 1) & 1 == 1).collect::<Vec<_>>());
            let best = sets.map(|places| value(&places)).fold(f64::NEG_INFINITY, f64::max);
            let found = best_partition(&worth, m, cost).unwrap();
            prop_assert!((value(&found) - best).abs() < 1e-9);
        }
    }
}
