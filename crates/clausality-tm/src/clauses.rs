//! What a machine has learned: conjunctions of literals with a vote for every class.

use crate::bits::transpose;
use crate::{BitMatrix, Error};
use serde::{Deserialize, Serialize};

/// Frozen clauses: all that the floors above ever see of a machine.
///
/// A clause is true of a row when all its literals are; an empty clause is never true. The sum of the weights of the true
/// clauses is the row's score for a class; the highest score (the first of equals) is the prediction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Saved", into = "Saved")]
pub struct ClauseSet {
    literal_count: usize,
    literals: Vec<Vec<u32>>,
    /// By class, then by clause.
    weights: Vec<Vec<i32>>,
}

/// The saved form: `{"format": "clausality-clause-set/1", "literals": n, "clauses": [[…]], "weights": [[…]]}`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    format: String,
    literals: usize,
    clauses: Vec<Vec<u32>>,
    weights: Vec<Vec<i32>>,
}

const FORMAT: &str = "clausality-clause-set/1";

impl ClauseSet {
    pub(crate) fn from_parts(literal_count: usize, literals: Vec<Vec<u32>>, weights: Vec<Vec<i32>>) -> Self {
        ClauseSet { literal_count, literals, weights }
    }

    /// Number of clauses.
    pub fn len(&self) -> usize {
        self.literals.len()
    }

    /// Whether there is no clause at all.
    pub fn is_empty(&self) -> bool {
        self.literals.is_empty()
    }

    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.weights.len()
    }

    /// Number of literals that a row must have.
    pub fn literal_count(&self) -> usize {
        self.literal_count
    }

    /// The literals of a clause, ascending.
    pub fn literals(&self, clause: usize) -> &[u32] {
        &self.literals[clause]
    }

    /// The vote of a clause for a class.
    pub fn weight(&self, class: usize, clause: usize) -> i32 {
        self.weights[class][clause]
    }

    /// Σ over the classes of |weight|: how much a clause matters, whatever it speaks for.
    pub fn total_weight(&self, clause: usize) -> u64 {
        self.weights.iter().map(|w| w[clause].unsigned_abs() as u64).sum()
    }

    /// Mean number of literals in a clause.
    pub fn mean_length(&self) -> f64 {
        self.literals.iter().map(Vec::len).sum::<usize>() as f64 / self.len().max(1) as f64
    }

    /// Scores of every row, `classes` numbers a row.
    pub fn class_sums(&self, rows: &BitMatrix) -> Result<Vec<i64>, Error> {
        if rows.literals() != self.literal_count {
            return Err(Error::Literals { found: rows.literals(), expected: self.literal_count });
        }
        let classes = self.classes();
        let mut sums = vec![0; rows.rows() * classes];
        let mut columns = vec![0; rows.words() * 64];
        let mut square = [0; 64];
        for first in (0..rows.rows()).step_by(64) {
            let count = (rows.rows() - first).min(64);
            for (word, columns) in columns.chunks_exact_mut(64).enumerate() {
                square.fill(0);
                for (i, bits) in square[..count].iter_mut().enumerate() {
                    *bits = rows.row(first + i)[word];
                }
                transpose(&mut square);
                columns.copy_from_slice(&square);
            }
            for (clause, literals) in self.literals.iter().enumerate().filter(|(_, l)| !l.is_empty()) {
                let mut truth = literals.iter().fold(u64::MAX, |t, &l| t & columns[l as usize]);
                while truth != 0 {
                    let row = first + truth.trailing_zeros() as usize;
                    for (sum, weights) in
                        sums[row * classes..(row + 1) * classes].iter_mut().zip(&self.weights)
                    {
                        *sum += weights[clause] as i64;
                    }
                    truth &= truth - 1;
                }
            }
        }
        Ok(sums)
    }

    /// The predicted class of every row.
    pub fn predict(&self, rows: &BitMatrix) -> Result<Vec<u32>, Error> {
        let sums = self.class_sums(rows)?;
        let best = |s: &[i64]| (1..s.len()).fold(0, |best, c| if s[c] > s[best] { c } else { best }) as u32;
        Ok(sums.chunks_exact(self.classes()).map(best).collect())
    }

    /// The clauses as JSON text.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("numbers and names always become JSON")
    }

    /// Reads what [`ClauseSet::to_json`] wrote, and checks it.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        serde_json::from_str(text).map_err(|e| Error::Format(e.to_string()))
    }
}

impl From<ClauseSet> for Saved {
    fn from(set: ClauseSet) -> Self {
        Saved {
            format: FORMAT.into(),
            literals: set.literal_count,
            clauses: set.literals,
            weights: set.weights,
        }
    }
}

impl TryFrom<Saved> for ClauseSet {
    type Error = Error;
    fn try_from(saved: Saved) -> Result<Self, Error> {
        let wrong = |what: String| Err(Error::Format(what));
        if saved.format != FORMAT {
            return wrong(format!("format is '{}', expected '{FORMAT}'", saved.format));
        }
        if saved.weights.len() < 2 {
            return wrong(format!("{} classes, expected at least 2", saved.weights.len()));
        }
        if let Some(class) = saved.weights.iter().position(|w| w.len() != saved.clauses.len()) {
            let (found, expected) = (saved.weights[class].len(), saved.clauses.len());
            return wrong(format!("class {class} has {found} weights for {expected} clauses"));
        }
        for (clause, literals) in saved.clauses.iter().enumerate() {
            let ascending = literals.windows(2).all(|w| w[0] < w[1]);
            if !ascending || literals.last().is_some_and(|&l| l as usize >= saved.literals) {
                return wrong(format!(
                    "clause {clause}: literals must ascend and stay below {}",
                    saved.literals
                ));
            }
        }
        Ok(ClauseSet { literal_count: saved.literals, literals: saved.clauses, weights: saved.weights })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> ClauseSet {
        // Literals: a, b, not a, not b. Clause 0: a and b; clause 1: not a; clause 2: empty.
        ClauseSet::from_parts(4, vec![vec![0, 1], vec![2], vec![]], vec![vec![2, -1, 50], vec![-2, 3, -50]])
    }

    #[test]
    fn sums_and_predictions_by_hand() {
        let rows = BitMatrix::with_negations(70, 2, |r, f| r >> f & 1 == 1);
        let sums = two().class_sums(&rows).unwrap();
        let of = |r: usize| [sums[2 * r], sums[2 * r + 1]];
        assert_eq!([of(0), of(1), of(2), of(3)], [[-1, 3], [0, 0], [-1, 3], [2, -2]]);
        assert_eq!(of(67), of(3));
        assert_eq!(two().predict(&rows).unwrap()[..4], [1, 0, 1, 0]);
        assert!(matches!(
            two().predict(&BitMatrix::new(1, 5)),
            Err(Error::Literals { found: 5, expected: 4 })
        ));
    }

    #[test]
    fn saves_and_refuses_nonsense() {
        let text = two().to_json();
        assert_eq!(ClauseSet::from_json(&text).unwrap(), two());
        for (from, to) in [("[0,1]", "[1,0]"), ("[2]", "[4]"), ("clause-set/1", "clause-set/9")] {
            assert!(ClauseSet::from_json(&text.replace(from, to)).is_err(), "{from} -> {to}");
        }
        assert!(ClauseSet::from_json(&text.replace(",50]", "]")).is_err());
    }
}
