//! Variables as literals: what a machine sees of a row, and what a literal says in words.
//!
//! ```text
//! ordered, d states:      [state ≥ k] for k = 1 … d−1           (thermometer)
//! circular, d states:     [state among the d/2 from k on] for k = 1 … d (d even: … d/2, the negations are the others)
//! nominal, d ≥ 3 states:  [state = k] for every k               (one-hot)
//! two states:             [state = second]
//! gaps recorded:          [no value] beside them; in a row without a value all others are false in both polarities
//! ```
//!
//! Months and hours have no first: a thermometer would set December apart from January, while every stretch of up to half a circle
//! is what two of these literals share.
//!
//! Every literal is followed by its negation further on in the variable's block. Implements: section III of the paper under
//! [`LiteralRule::Paper`] (d thermometer bits for every variable, the first of them constant).
//! **Our reading**: ranking by frequency must not order states that have no order, so it is only used under that rule.
//!
//! Blocks stand in the order of the variables' *names*, and the states of nominal variables in the order of their *labels*:
//! the order of columns in a file and of states in a schema leaves no trace.

use crate::words;
use clausality_bn::{MISSING, Scale, Schema, Table, Variable};
use clausality_tm::BitMatrix;
use serde::{Deserialize, Serialize};
use std::ops::Range;

mod layout;

pub use layout::Layout;

/// What a literal asks of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Test {
    /// The state has at least this code.
    AtLeast(u8),
    /// The state has this code.
    Is(u8),
    /// The state is one from the first to the second code, going round from the last state to the first.
    Within(u8, u8),
    /// No value was recorded.
    NoValue,
}

/// Which literals stand for a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LiteralRule {
    /// Ordered: thermometer; circular: halves of the circle; nominal: one literal per state; two states: one literal.
    #[default]
    Scale,
    /// The paper's: as many thermometer bits as states for every variable, the first of them constant.
    Paper,
}

/// A test on a variable, or its negation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Literal {
    /// The variable, by its place in the schema.
    pub variable: usize,
    /// What is asked.
    pub test: Test,
    /// Whether the answer must be no. A row without a value answers neither yes nor no to anything but [`Test::NoValue`].
    pub negated: bool,
}

impl Literal {
    /// Whether the literal is true of a row with this code (of this variable, whose gaps have the code `gap`).
    fn holds(self, code: u8, gap: Option<u8>) -> bool {
        let no_value = code == MISSING || Some(code) == gap;
        match self.test {
            Test::NoValue => no_value != self.negated,
            _ if no_value => false,
            Test::AtLeast(k) => (code >= k) != self.negated,
            Test::Is(k) => (code == k) != self.negated,
            Test::Within(from, to) => within(code, from, to) != self.negated,
        }
    }
}

/// Whether a code lies on the way round from one to another.
fn within(code: u8, from: u8, to: u8) -> bool {
    if from <= to { from <= code && code <= to } else { from <= code || code <= to }
}

/// The literals of one variable.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Block {
    /// Of the literals of the whole encoding.
    literals: Range<usize>,
    /// Words of truth per code: bit i is literal i of the block. One more code stands for [`MISSING`].
    patterns: Vec<Vec<u64>>,
    /// The codes of the states that are values, in the order in which classes are numbered.
    values: Vec<u8>,
}

/// The literals of all variables of a schema, both ways.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encoding {
    literals: Vec<Literal>,
    /// By place in the schema.
    blocks: Vec<Block>,
    /// Places in the schema by name.
    by_name: Vec<usize>,
    states: usize,
}

impl Encoding {
    /// The literals of a schema.
    pub fn new(schema: &Schema, rule: LiteralRule) -> Self {
        let by_name = schema.in_name_order();
        let mut literals = Vec::new();
        let mut blocks =
            vec![Block { literals: 0..0, patterns: Vec::new(), values: Vec::new() }; schema.len()];
        for &v in &by_name {
            let variable = schema.variable(v);
            let values = values(variable, rule);
            let start = literals.len();
            for negated in [false, true] {
                let tests = tests(variable, &values, rule).into_iter();
                literals.extend(tests.map(|test| Literal { variable: v, test, negated }));
            }
            let block = &literals[start..];
            let codes = (0..variable.cardinality() as u8).chain([MISSING]);
            let patterns = codes.map(|code| pattern(block, code, variable.missing_state())).collect();
            blocks[v] = Block { literals: start..literals.len(), patterns, values };
        }
        let states = schema.variables().iter().map(Variable::cardinality).sum();
        Encoding { literals, blocks, by_name, states }
    }

    /// The number of literals, negations included.
    pub fn len(&self) -> usize {
        self.literals.len()
    }

    /// Whether there is no literal at all.
    pub fn is_empty(&self) -> bool {
        self.literals.is_empty()
    }

    /// Σ over the variables of their states: the paper's L.
    pub fn states(&self) -> usize {
        self.states
    }

    /// The variables, by their places in the schema, in the order of their names.
    pub fn variables(&self) -> &[usize] {
        &self.by_name
    }

    /// A literal by its number.
    pub fn literal(&self, number: usize) -> Literal {
        self.literals[number]
    }

    /// The numbers of a variable's literals.
    pub fn literals_of(&self, variable: usize) -> Range<usize> {
        self.blocks[variable].literals.clone()
    }

    /// The codes of a variable's states that are values (no gap), in the order in which a target's classes are numbered.
    pub fn values(&self, variable: usize) -> &[u8] {
        &self.blocks[variable].values
    }

    /// The variables that may speak about a target: all but itself, in the order of their names.
    pub fn predictors(&self, target: usize) -> Vec<usize> {
        self.by_name.iter().copied().filter(|&v| v != target).collect()
    }

    /// Whether a literal is true of a row in which its variable has this code.
    pub fn holds(&self, number: usize, code: u8) -> bool {
        let literal = self.literals[number];
        let block = &self.blocks[literal.variable];
        let bit = number - block.literals.start;
        block.pattern(code)[bit / 64] >> (bit % 64) & 1 == 1
    }

    /// A literal in words.
    pub fn words(&self, schema: &Schema, number: usize) -> String {
        let Literal { variable, test, negated } = self.literals[number];
        let variable = schema.variable(variable);
        let name = &variable.name;
        let state = |code: u8| &variable.states[code as usize];
        let two = self.blocks[self.literals[number].variable].values.len() == 2;
        match (test, negated) {
            (Test::NoValue, false) => format!("{name} is missing"),
            (Test::NoValue, true) => format!("{name} is not missing"),
            (Test::AtLeast(k), false) => format!("{name} >= {}", state(k)),
            (Test::AtLeast(k), true) => format!("{name} < {}", state(k)),
            (Test::Is(k), false) => format!("{name} = {}", state(k)),
            (Test::Is(_), true) if two => {
                format!("{name} = {}", state(self.values(self.literals[number].variable)[0]))
            }
            (Test::Within(from, to), _) => {
                let among = |code: &u8| within(*code, from, to) != negated;
                let codes: Vec<u8> =
                    self.values(self.literals[number].variable).iter().copied().filter(among).collect();
                words::is_one_of(variable, &codes, false)
            }
            (Test::Is(k), true) => words::is_none_of(name, &[state(k)], variable.has_missing_state),
        }
    }
}

impl Block {
    fn pattern(&self, code: u8) -> &[u64] {
        let last = self.patterns.len() - 1;
        &self.patterns[if code == MISSING { last } else { code as usize }]
    }
}

/// The codes that are values, in an order that does not depend on the schema where the states have none.
fn values(variable: &Variable, rule: LiteralRule) -> Vec<u8> {
    let count = variable.cardinality() - usize::from(variable.has_missing_state);
    let mut values: Vec<u8> = (0..count as u8).collect();
    if variable.scale == Scale::Nominal && rule == LiteralRule::Scale {
        values.sort_by(|&a, &b| variable.states[a as usize].cmp(&variable.states[b as usize]));
    }
    values
}

fn tests(variable: &Variable, values: &[u8], rule: LiteralRule) -> Vec<Test> {
    let mut tests: Vec<Test> = match (rule, variable.scale) {
        (LiteralRule::Paper, _) => values.iter().map(|&k| Test::AtLeast(k)).collect(),
        _ if values.len() < 2 => Vec::new(),
        _ if values.len() == 2 => vec![Test::Is(values[1])],
        (LiteralRule::Scale, Scale::Ordered) => values[1..].iter().map(|&k| Test::AtLeast(k)).collect(),
        (LiteralRule::Scale, Scale::Circular) => halves(values),
        (LiteralRule::Scale, Scale::Nominal) => values.iter().map(|&k| Test::Is(k)).collect(),
    };
    if variable.has_missing_state {
        tests.push(Test::NoValue);
    }
    tests
}

/// The halves of a circle; of an even one each stands for its other half, too.
fn halves(values: &[u8]) -> Vec<Test> {
    let all = values.len();
    let different = if all.is_multiple_of(2) { all / 2 } else { all };
    (0..different).map(|from| Test::Within(values[from], values[(from + all / 2 - 1) % all])).collect()
}

fn pattern(block: &[Literal], code: u8, gap: Option<u8>) -> Vec<u64> {
    let mut words = vec![0; block.len().div_ceil(64)];
    for (bit, literal) in block.iter().enumerate() {
        words[bit / 64] |= u64::from(literal.holds(code, gap)) << (bit % 64);
    }
    words
}

impl Encoding {
    /// The literals of every row of a table under the schema of this encoding.
    pub fn rows(&self, table: &Table) -> BitMatrix {
        let mut matrix = BitMatrix::new(table.rows(), self.len());
        let features: Vec<Shifted> = self.by_name.iter().map(|&v| Shifted::new(&self.blocks[v])).collect();
        // Block by block: the words of a few rows stay in the cache while all columns are written into them.
        for start in (0..table.rows()).step_by(ROW_BLOCK) {
            let end = table.rows().min(start + ROW_BLOCK);
            for (feature, &v) in features.iter().zip(&self.by_name) {
                for (row, &code) in (start..end).zip(&table.column(v)[start..end]) {
                    matrix.or_row(row, feature.word, feature.pattern(code));
                }
            }
        }
        matrix
    }
}

/// Rows that are encoded together.
const ROW_BLOCK: usize = 256;

/// The patterns of a block, shifted to where its literals stand in a row.
struct Shifted {
    word: usize,
    stride: usize,
    /// `stride` words per code, the last for [`MISSING`].
    patterns: Vec<u64>,
}

impl Shifted {
    fn new(block: &Block) -> Self {
        Shifted::to(block, block.literals.start)
    }

    /// With the block's first literal at another place.
    fn to(block: &Block, first: usize) -> Self {
        let shift = first % 64;
        let stride = (shift + block.literals.len()).div_ceil(64);
        let mut patterns = Vec::with_capacity(stride * block.patterns.len());
        for pattern in &block.patterns {
            let word = |i: usize| pattern.get(i).copied().unwrap_or(0);
            let carried = |i: usize| if shift == 0 || i == 0 { 0 } else { word(i - 1) >> (64 - shift) };
            patterns.extend((0..stride).map(|i| word(i) << shift | carried(i)));
        }
        Shifted { word: first / 64, stride, patterns }
    }

    fn pattern(&self, code: u8) -> &[u64] {
        let start = (code as usize * self.stride).min(self.patterns.len() - self.stride);
        &self.patterns[start..start + self.stride]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema() -> Schema {
        let ordered = |v: Variable| Variable { scale: Scale::Ordered, ..v };
        let gaps = |v: Variable| Variable { has_missing_state: true, ..v };
        Schema::new(vec![
            ordered(Variable::new("Size", ["small", "medium", "large"])),
            Variable::new("Colour", ["red", "blue", "green"]),
            Variable::new("Sold", ["yes", "no"]),
            gaps(ordered(Variable::new("Age", ["young", "adult", "old", "unknown"]))),
            gaps(Variable::new("Kind", ["b", "a", "unknown"])),
            Variable::new("Fixed", ["only"]),
        ])
        .unwrap()
    }

    fn words(encoding: &Encoding, schema: &Schema, name: &str) -> Vec<String> {
        encoding.literals_of(schema.index(name).unwrap()).map(|l| encoding.words(schema, l)).collect()
    }

    #[test]
    fn literals_in_words() {
        let schema = schema();
        let encoding = Encoding::new(&schema, LiteralRule::Scale);
        assert_eq!(
            words(&encoding, &schema, "Size"),
            ["Size >= medium", "Size >= large", "Size < medium", "Size < large"]
        );
        let colour = ["Colour = blue", "Colour = green", "Colour = red"];
        assert_eq!(words(&encoding, &schema, "Colour")[..3], colour);
        assert_eq!(words(&encoding, &schema, "Colour")[3..], colour.map(|w| format!("not {w}")));
        assert_eq!(words(&encoding, &schema, "Sold"), ["Sold = yes", "Sold = no"]);
        assert_eq!(
            words(&encoding, &schema, "Age"),
            [
                "Age >= adult",
                "Age >= old",
                "Age is missing",
                "Age < adult",
                "Age < old",
                "Age is not missing"
            ]
        );
        assert!(words(&encoding, &schema, "Fixed").is_empty());
        let names: Vec<&str> = encoding.variables().iter().map(|&v| schema.name(v)).collect();
        assert_eq!(names, ["Age", "Colour", "Fixed", "Kind", "Size", "Sold"]);
        assert_eq!(encoding.states(), 16);
    }

    #[test]
    fn a_circle_has_halves_and_no_first() {
        let circle =
            |states: &[&str]| Variable { scale: Scale::Circular, ..Variable::new("c", states.to_vec()) };
        let said = |variable: Variable| {
            let schema = Schema::new(vec![variable]).unwrap();
            words(&Encoding::new(&schema, LiteralRule::Scale), &schema, "c")
        };
        assert_eq!(
            said(circle(&["w", "x", "y", "z"])),
            ["c from w to x", "c from x to y", "c from y to z", "c from z to w"]
        );
        let seven = circle(&["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]);
        let said = said(seven);
        assert_eq!(
            (said.len(), said[5].as_str(), said[12].as_str()),
            (14, "c from Sat to Mon", "c from Tue to Fri")
        );
    }

    #[test]
    fn a_gap_is_false_in_both_polarities() {
        let schema = schema();
        let encoding = Encoding::new(&schema, LiteralRule::Scale);
        let kind = schema.index("Kind").unwrap();
        for code in [2, MISSING] {
            let truth: Vec<bool> = encoding.literals_of(kind).map(|l| encoding.holds(l, code)).collect();
            assert_eq!(truth, [false, true, false, false], "[b], [missing], not [b], not [missing]");
        }
        let truth: Vec<bool> = encoding.literals_of(kind).map(|l| encoding.holds(l, 0)).collect();
        assert_eq!(truth, [true, false, false, true]);
        assert_eq!(encoding.values(kind), [1, 0], "classes by label, gaps are no class");
    }

    #[test]
    fn the_papers_bits() {
        let schema = schema();
        let encoding = Encoding::new(&schema, LiteralRule::Paper);
        let size = encoding.literals_of(0);
        let row = |code| size.clone().take(3).map(|l| u8::from(encoding.holds(l, code))).collect::<Vec<_>>();
        assert_eq!([row(0), row(1), row(2)], [[1, 0, 0], [1, 1, 0], [1, 1, 1]]);
        // 3 + 3 + 2 + (3 + 1) + (2 + 1) + 1 bits and their negations.
        assert_eq!(encoding.len(), 32);
    }

    #[test]
    fn targets_do_not_speak_about_themselves() {
        let schema = schema();
        let encoding = Encoding::new(&schema, LiteralRule::Scale);
        for target in 0..schema.len() {
            let layout = Layout::new(&encoding, &encoding.predictors(target), &[]);
            assert_eq!(layout.literals(), encoding.len() - encoding.literals_of(target).len());
            for literal in 0..layout.literals() {
                let number = layout.number(&encoding, literal);
                assert_ne!(encoding.literal(number).variable, target);
                assert_eq!(layout.variable(layout.feature_of(literal)), encoding.literal(number).variable);
            }
        }
    }
}
