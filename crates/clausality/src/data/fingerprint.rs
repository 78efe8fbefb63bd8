//! A short name for the content of a coded table: equal tables have equal names on every platform.
//!
//! Two 64-bit lanes take in eight bytes at a time: `lane = fold((lane ^ word) × prime)`, where `fold` is the exclusive or of
//! the two halves of the 128-bit product. Columns go in by name, so their order in the file does not matter; the order of
//! rows does, and so does whether states are ordered and whether the last stands for gaps. It tells tables apart; it does not protect against forgery.

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

    /// The name of the content of rows in blocks, by the digests of their variables: one of its own kind, but the same whatever files they
    /// came from.
    pub(crate) fn of_blocks(schema: &Schema, rows: usize, digests: &[&[[u64; 2]]]) -> Self {
        let blocks = |v: usize, lanes: &mut Lanes| {
            digests.iter().flat_map(|block| block[v]).for_each(|digest| lanes.word(digest));
        };
        Fingerprint::made(schema, rows, blocks)
    }

    fn made(schema: &Schema, rows: usize, take: impl Fn(usize, &mut Lanes)) -> Self {
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

/// The two lanes under way; whatever else needs a short name for its content uses them too.
pub(crate) struct Lanes(u64, u64);

impl Lanes {
    pub(crate) fn new() -> Self {
        Lanes(0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344)
    }

    /// Takes in some bytes and their number, so that neighbours cannot trade bytes.
    pub(crate) fn take(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|word| self.word(u64::from_le_bytes(*word)));
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.word(u64::from_le_bytes(last));
        self.word(bytes.len() as u64);
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
    fn depends_on_content_and_not_on_column_order() {
        let one = Fingerprint::of(&table(["a", "b"], [vec![0, 1, 0], vec![1, 1, 0]]));
        assert_eq!(one, Fingerprint::of(&table(["b", "a"], [vec![1, 1, 0], vec![0, 1, 0]])));
        assert_ne!(one, Fingerprint::of(&table(["a", "b"], [vec![1, 1, 0], vec![0, 1, 0]])));
        assert_ne!(one, Fingerprint::of(&table(["a", "b"], [vec![0, 1, 0], vec![1, 0, 1]])));
        // Fixed for good: results that name their data by it must stay comparable.
        assert_eq!(one.to_string(), "f253127b220aa2182cfda66eb03d0417");
    }
}
