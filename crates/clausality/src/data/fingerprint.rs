//! A short name for the content of a coded table: equal tables have equal names on every platform.
//!
//! Two 64-bit lanes take in eight bytes at a time: `lane = fold((lane ^ word) × prime)`, where `fold` is the exclusive or of
//! the two halves of the 128-bit product. Columns go in by name, so their order in the file does not matter; the order of
//! rows does, and so does whether states are ordered and whether the last stands for gaps. It tells tables apart; it does not protect against forgery.

use crate::error::Error;
use clausality_bn::{Scale, Schema, Table};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The name of a coded table's content: 32 hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint(String);

impl Fingerprint {
    /// The name of this table's content.
    pub fn of(table: &Table) -> Self {
        Fingerprint::made(table.schema(), table.rows(), |v, lanes| lanes.take(table.column(v)))
    }

    /// The name of the content of rows that were never together, by what is rolled up of their variables: one of its own kind, but the same
    /// whatever files they came from and whoever read them.
    pub(crate) fn of_rolled(schema: &Schema, rows: usize, rolled: &[Rolled]) -> Self {
        Fingerprint::made(schema, rows, |v, lanes| rolled[v].0.iter().for_each(|&word| lanes.word(word)))
    }

    /// The same as [`Fingerprint::of`] for rows that are never together: `read` hands over the codes of a variable, part by part.
    ///
    /// # Errors
    /// What `read` says.
    pub(crate) fn of_parts(
        schema: &Schema,
        rows: usize,
        mut read: impl FnMut(usize, &mut dyn FnMut(&[u8])) -> Result<(), Error>,
    ) -> Result<Self, Error> {
        let mut failed = Ok(());
        let name = Fingerprint::made(schema, rows, |v, lanes| {
            let mut parts = Parts { lanes, rest: Vec::new(), length: 0 };
            if failed.is_ok() {
                failed = read(v, &mut |codes| parts.take(codes));
            }
            parts.end();
        });
        failed.map(|()| name)
    }

    fn made(schema: &Schema, rows: usize, mut take: impl FnMut(usize, &mut Lanes)) -> Self {
        let mut lanes = Lanes::new();
        lanes.take((rows as u64).to_le_bytes().as_slice());
        for v in schema.in_name_order() {
            let variable = schema.variable(v);
            lanes.take(variable.name.as_bytes());
            variable.states.iter().for_each(|state| lanes.take(state.as_bytes()));
            let scale = match variable.scale {
                Scale::Nominal => 0,
                Scale::Ordered => 1,
                Scale::Circular => 2,
            };
            lanes.take(&[scale, u8::from(variable.has_missing_state)]);
            take(v, &mut lanes);
        }
        Fingerprint(lanes.name())
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A digest of codes that follows from those of its parts, so that nobody has to see all of them:
///
/// ```text
/// digest(c_1 … c_n) = Σ (c_i + 1) · b^(n−i) mod 2^61 − 1,   for two b;      digest(x y) = digest(x) · b^|y| + digest(y)
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Rolled([u64; 2]);

const PRIME: u64 = (1 << 61) - 1;
const BASES: [u64; 2] = [0x1e37_79b9_7f4a_7c15, 0x16e8_feb8_6659_fd93];
/// Codes that are taken at a time: their products do not wait for each other.
const AT_A_TIME: usize = 8;

impl Rolled {
    /// Takes in the codes of further rows.
    pub(crate) fn take(&mut self, codes: &[u8]) {
        let (chunks, rest) = codes.as_chunks::<AT_A_TIME>();
        for (sum, base) in self.0.iter_mut().zip(BASES) {
            let powers: [u64; AT_A_TIME + 1] = std::array::from_fn(|k| power(base, AT_A_TIME - k));
            for chunk in chunks {
                let terms = chunk.iter().zip(&powers[1..]);
                let terms: u128 =
                    terms.map(|(&code, &power)| (u128::from(code) + 1) * u128::from(power)).sum();
                *sum = modulo(u128::from(*sum) * u128::from(powers[0]) + terms);
            }
            for &code in rest {
                *sum = modulo(u128::from(*sum) * u128::from(base) + u128::from(code) + 1);
            }
        }
    }

    /// With the digest of so many rows that follow.
    pub(crate) fn then(self, next: Rolled, rows: usize) -> Self {
        let sums = self.0.iter().zip(next.0).zip(BASES);
        let mut both = sums.map(|((&sum, next), base)| {
            modulo(u128::from(sum) * u128::from(power(base, rows)) + u128::from(next))
        });
        Rolled(std::array::from_fn(|_| both.next().unwrap_or_default()))
    }
}

fn modulo(x: u128) -> u64 {
    let fold = |x: u128| (x & u128::from(PRIME)) + (x >> 61);
    let folded = fold(fold(x)) as u64;
    if folded >= PRIME { folded - PRIME } else { folded }
}

fn power(base: u64, exponent: usize) -> u64 {
    let (mut result, mut square, mut left) = (1, base, exponent);
    while left > 0 {
        if left % 2 == 1 {
            result = modulo(u128::from(result) * u128::from(square));
        }
        (square, left) = (modulo(u128::from(square) * u128::from(square)), left / 2);
    }
    result
}

/// The two lanes under way; whatever else needs a short name for its content uses them too.
pub(crate) struct Lanes(u64, u64);

impl Lanes {
    pub(crate) fn new() -> Self {
        Lanes(0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344)
    }

    /// Takes in some bytes and their number, so that neighbours cannot trade bytes.
    pub(crate) fn take(&mut self, bytes: &[u8]) {
        let rest = self.words_of(bytes);
        self.end(rest, bytes.len());
    }

    /// Takes in all whole words; what is left.
    fn words_of<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|word| self.word(u64::from_le_bytes(*word)));
        rest
    }

    /// What is left of so many bytes, and their number.
    fn end(&mut self, rest: &[u8], length: usize) {
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.word(u64::from_le_bytes(last));
        self.word(length as u64);
    }

    /// Both lanes as 32 hexadecimal digits.
    pub(crate) fn name(&self) -> String {
        format!("{:016x}{:016x}", self.0, self.1)
    }

    /// Both lanes.
    pub(crate) fn words(&self) -> [u64; 2] {
        [self.0, self.1]
    }

    fn word(&mut self, word: u64) {
        self.0 = fold(self.0 ^ word, 0x9e37_79b9_7f4a_7c15).wrapping_add(self.1);
        self.1 =
            fold(self.1 ^ word.rotate_left(32), 0xd6e8_feb8_6659_fd93).wrapping_add(0xa409_3822_299f_31d0);
    }
}

/// Bytes that are taken in as [`Lanes::take`] takes them, part by part.
struct Parts<'l> {
    lanes: &'l mut Lanes,
    /// Fewer bytes than a word has.
    rest: Vec<u8>,
    length: usize,
}

impl Parts<'_> {
    fn take(&mut self, mut bytes: &[u8]) {
        self.length += bytes.len();
        if !self.rest.is_empty() {
            let (more, after) = bytes.split_at(bytes.len().min(8 - self.rest.len()));
            self.rest.extend(more);
            bytes = after;
            if self.rest.len() < 8 {
                return;
            }
            self.lanes.words_of(&self.rest);
            self.rest.clear();
        }
        self.rest.extend(self.lanes.words_of(bytes));
    }

    fn end(self) {
        self.lanes.end(&self.rest, self.length);
    }
}

fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use clausality_bn::Variable;

    fn of_one(change: impl Fn(&mut Variable)) -> Fingerprint {
        let mut variable = Variable::new("a", ["x", "y"]);
        change(&mut variable);
        Fingerprint::of(&Table::new(Schema::new(vec![variable]).unwrap(), vec![vec![0, 1]]).unwrap())
    }

    #[test]
    fn depends_on_what_the_states_mean() {
        let plain = of_one(|_| {});
        assert_eq!(plain, of_one(|v| v.scale = Scale::Nominal));
        assert_ne!(plain, of_one(|v| v.scale = Scale::Ordered));
        assert_ne!(plain, of_one(|v| v.has_missing_state = true));
    }

    fn table(names: [&str; 2], columns: [Vec<u8>; 2]) -> Table {
        let variables = names.map(|name| Variable::new(name, ["x", "y"]));
        Table::new(Schema::new(variables.to_vec()).unwrap(), columns.to_vec()).unwrap()
    }

    #[test]
    fn what_is_rolled_up_follows_from_its_parts() {
        let codes: Vec<u8> = (0..1000u32).map(|k| (k * k * 7 / 13 % 256) as u8).collect();
        let rolled = |codes: &[u8]| {
            let mut rolled = Rolled::default();
            rolled.take(codes);
            rolled
        };
        for cut in [0, 1, 8, 13, 500, 999, 1000] {
            let (front, back) = codes.split_at(cut);
            assert_eq!(rolled(front).then(rolled(back), back.len()), rolled(&codes));
            let mut taken = rolled(front);
            taken.take(back);
            assert_eq!(taken, rolled(&codes));
        }
        let by_definition = |base: u64| {
            codes
                .iter()
                .fold(0u128, |sum, &c| (sum * u128::from(base) + u128::from(c) + 1) % u128::from(PRIME))
                as u64
        };
        assert_eq!(rolled(&codes).0, BASES.map(by_definition));
        assert_ne!(rolled(&[0, 1]), rolled(&[1, 0]));
        assert_ne!(rolled(&[0]), rolled(&[0, 0]));
    }

    #[test]
    fn depends_on_content_and_not_on_column_order() {
        let one = Fingerprint::of(&table(["a", "b"], [vec![0, 1, 0], vec![1, 1, 0]]));
        assert_eq!(one, Fingerprint::of(&table(["b", "a"], [vec![1, 1, 0], vec![0, 1, 0]])));
        assert_ne!(one, Fingerprint::of(&table(["a", "b"], [vec![1, 1, 0], vec![0, 1, 0]])));
        assert_ne!(one, Fingerprint::of(&table(["a", "b"], [vec![0, 1, 0], vec![1, 0, 1]])));
        // Fixed for good: results that name their data by it must stay comparable.
        assert_eq!(one.to_string(), "f253127b220aa2182cfda66eb03d0417");
    }
}
