use super::*;
use crate::random::Stream;
use crate::{MISSING, Schema, Table, Variable};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn table(seed: u64, rows: usize, states: &[usize], missing: bool) -> Table {
    let variable = |(i, &n): (usize, &usize)| Variable::new(format!("v{i}"), (0..n).map(|k| k.to_string()));
    let schema = Schema::new(states.iter().enumerate().map(variable).collect()).unwrap();
    let mut stream = Stream::new(seed, "codes");
    let mut code = |n: usize| {
        if missing && stream.below(10) == 0 { MISSING } else { stream.below(n as u64) as u8 }
    };
    let columns = states.iter().map(|&n| (0..rows).map(|_| code(n)).collect()).collect();
    Table::new(schema, columns).unwrap()
}

/// Row by row: the definition.
fn by_definition(table: &Table, family: &[usize]) -> Cells {
    let mut found: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
    for row in 0..table.rows() {
        let key: Vec<u8> = family.iter().map(|&v| table.column(v)[row]).collect();
        if !key.contains(&MISSING) {
            *found.entry(key).or_default() += 1;
        }
    }
    let mut cells = Cells::new(family.len());
    found.iter().for_each(|(key, &rows)| cells.push(key, rows));
    cells
}

/// The same rows in parts, summed; tallies as the trait makes them from cells.
struct Shards<'t>(Vec<Counter<'t>>);

impl Count for Shards<'_> {
    fn states(&self) -> &[usize] {
        self.0[0].states()
    }

    fn rows(&self) -> usize {
        self.0.iter().map(Counter::rows).sum()
    }

    fn count(&mut self, families: &[&[usize]]) -> Vec<Cells> {
        let mut sums: Vec<Cells> = families.iter().map(|family| Cells::new(family.len())).collect();
        for shard in &mut self.0 {
            sums.iter_mut().zip(shard.count(families)).for_each(|(sum, part)| sum.add(&part));
        }
        sums
    }
}

/// The same rows in blocks of this many; from one block on nothing is to be had, if that is said.
struct InBlocks<'t> {
    table: &'t Table,
    states: Vec<usize>,
    gaps: Vec<bool>,
    rows: usize,
    lost: Option<usize>,
}

impl<'t> InBlocks<'t> {
    fn new(table: &'t Table, rows: usize) -> Self {
        let variables = 0..table.schema().len();
        let states = variables.clone().map(|v| table.schema().cardinality(v)).collect();
        let gaps = variables.map(|v| table.column(v).contains(&MISSING)).collect();
        InBlocks { table, states, gaps, rows, lost: None }
    }
}

impl Blocks for InBlocks<'_> {
    fn states(&self) -> &[usize] {
        &self.states
    }

    fn has_gaps(&self) -> &[bool] {
        &self.gaps
    }

    fn blocks(&self) -> usize {
        self.table.rows().div_ceil(self.rows)
    }

    fn read(&self, block: usize, variable: usize, codes: &mut Vec<u8>) -> bool {
        codes.clear();
        codes.extend(self.table.column(variable).chunks(self.rows).nth(block).unwrap());
        self.lost.is_none_or(|lost| block < lost)
    }
}

/// Summed in two parts, as two who count would.
impl FarRows for InBlocks<'_> {
    fn places(&self) -> Places<'_> {
        Places { states: &self.states, has_gaps: &self.gaps }
    }

    fn rows(&self) -> usize {
        self.table.rows()
    }

    fn sums(&self, families: &[Vec<usize>]) -> Option<Vec<Sum>> {
        let half = self.blocks() / 2;
        let mut all = sums(self, 0..half, families)?;
        let rest = sums(self, half..self.blocks(), families)?;
        all.iter_mut().zip(&rest).for_each(|(sum, more)| sum.add(more).unwrap());
        assert!(all.iter().zip(families).all(|(sum, family)| sum.is_of(&self.places(), family)));
        let sent = serde_json::to_string(&all).unwrap();
        assert_eq!(serde_json::from_str::<Vec<Sum>>(&sent).unwrap(), all);
        Some(all)
    }
}

/// What `tally` shows, without configurations that do not occur: for every head and each of its states, the rows of counts.
fn tallied(count: &mut impl Count, tail: &[usize], heads: &[usize]) -> (Vec<Vec<Vec<Vec<u32>>>>, usize) {
    let states = count.states().to_vec();
    let mut seen = vec![vec![]; heads.len().max(1)];
    let passes = count.tally(tail, heads, &mut |place, counts| {
        let blocks = heads.get(place).map_or(1, |&head| states[head]);
        let rows = |block: &[u32]| {
            let rows = block.chunks_exact(states[tail[tail.len() - 1]]);
            rows.filter(|row| row.iter().any(|&n| n > 0)).map(<[u32]>::to_vec).collect()
        };
        seen[place] = (0..blocks)
            .map(|k| rows(&counts[counts.len() / blocks * k..][..counts.len() / blocks]))
            .collect();
    });
    (seen, passes)
}

/// What is not zero of a configuration, and its sum.
type Row = (Vec<u32>, u32);

/// What is not zero of each head's counts, configuration by configuration, and how many passes that was worth.
fn occurring(
    count: &mut impl Count,
    tail: &[usize],
    heads: &[usize],
    sparse: bool,
) -> (Vec<Vec<Row>>, usize) {
    let states = count.states()[tail[tail.len() - 1]];
    let of_all = |counts: &[u32]| -> Vec<Row> {
        let row = |row: &[u32]| (row.iter().copied().filter(|&n| n > 0).collect(), row.iter().sum());
        counts.chunks_exact(states).map(row).filter(|(_, sum)| *sum > 0).collect()
    };
    let mut seen = vec![vec![]; heads.len().max(1)];
    let passes = match sparse {
        false => count.tally(tail, heads, &mut |place, counts| seen[place] = of_all(counts)),
        true => count.tally_occurring(tail, heads, &mut |place, counts| {
            seen[place] = match counts {
                Counts::All(counts) => of_all(counts),
                Counts::Occurring { counts, rows } => {
                    let starts = [0].into_iter().chain(rows.iter().map(|row| row.0 as usize));
                    let row = |(start, &(end, sum))| (counts[start..end as usize].to_vec(), sum);
                    starts.zip(rows).map(row).collect()
                }
            };
        }),
    };
    (seen, passes)
}

proptest! {
    /// Where only cells that occur are shown they are those of all that are not zero, and are worth as much work.
    #[test]
    fn what_occurs_is_what_is_not_zero(
        seed: u64,
        rows in 0..400usize,
        states in prop::collection::vec(1..40usize, 2..6),
        missing: bool,
    ) {
        let table = table(seed, rows, &states, missing);
        let mut counter = Counter::new(&table).unwrap();
        let all: Vec<usize> = (0..states.len()).collect();
        for at in 1..states.len() {
            let (heads, tail) = all.split_at(at);
            for heads in [heads, &[]] {
                let (one, two) = (occurring(&mut counter, tail, heads, false), occurring(&mut counter, tail, heads, true));
                prop_assert_eq!(&one, &two);
                if !heads.is_empty() && !missing {
                    let cells = counter.cells_beside(tail);
                    prop_assert_eq!(passes(cells, heads.iter().map(|&head| states[head])), one.1);
                }
            }
        }
    }

    /// The counter sees what the definition says, and so does the sum over any split of the rows.
    #[test]
    fn counts_are_their_definition_and_add_up(
        seed: u64,
        rows in 0..300usize,
        states in prop::collection::vec(1..40usize, 1..6),
        missing: bool,
        parts in 1..5usize,
    ) {
        let whole = table(seed, rows, &states, missing);
        let mut stream = Stream::new(seed, "split");
        let mut split = vec![vec![]; parts];
        (0..rows).for_each(|row| split[stream.below(parts as u64) as usize].push(row));
        let shards: Vec<Table> = split.iter().map(|rows| whole.select_rows(rows)).collect();
        let mut shards = Shards(shards.iter().map(|shard| Counter::new(shard).unwrap()).collect());
        let mut counter = Counter::new(&whole).unwrap();
        let all: Vec<usize> = (0..states.len()).collect();
        let turned: Vec<usize> = all.iter().rev().copied().collect();
        let families: [&[usize]; 4] = [&all, &turned, &all[..1], &all[states.len() / 2..]];
        let expected: Vec<Cells> = families.iter().map(|family| by_definition(&whole, family)).collect();
        prop_assert_eq!(&counter.count(&families), &expected);
        prop_assert_eq!(&shards.count(&families), &expected);
        let in_blocks = InBlocks::new(&whole, 1 + seed as usize % 70);
        let mut blocks = FarCounter::new(&in_blocks);
        prop_assert_eq!(&blocks.count(&families), &expected);

        let (heads, tail) = all.split_at(states.len() / 2);
        for (tail, heads) in [(tail, &[][..]), (tail, heads), (heads, tail), (tail, heads)] {
            if !tail.is_empty() {
                let (one, two) = (tallied(&mut counter, tail, heads), tallied(&mut shards, tail, heads));
                prop_assert_eq!(&one.0, &two.0);
                prop_assert!(rows == 0 || one.0 == tallied(&mut blocks, tail, heads).0);
                prop_assert!(missing || rows == 0 || one.1 == two.1, "the same work");
            }
        }
    }

    /// Few cells, several heads in one pass, gaps in each.
    #[test]
    fn heads_are_counted_together_as_alone(seed: u64, rows in 0..200usize, missing: bool) {
        let table = table(seed, rows, &[2, 3, 2, 4, 3, 2, 2], missing);
        let mut counter = Counter::new(&table).unwrap();
        let (together, passes) = tallied(&mut counter, &[1, 0], &[2, 3, 4, 5, 6]);
        prop_assert!(passes < 5);
        for (head, seen) in (2..7).zip(together) {
            prop_assert_eq!(&seen, &tallied(&mut Counter::new(&table).unwrap(), &[1, 0], &[head]).0[0]);
            let counted: u32 = seen.iter().flatten().flatten().sum();
            prop_assert_eq!(u64::from(counted), by_definition(&table, &[head, 1, 0]).rows());
        }
    }
}

#[test]
fn families_that_are_foreseen_are_counted_with_the_first() {
    struct Trips<'t>(InBlocks<'t>, std::sync::Mutex<Vec<usize>>);
    impl FarRows for Trips<'_> {
        fn places(&self) -> Places<'_> {
            self.0.places()
        }
        fn rows(&self) -> usize {
            FarRows::rows(&self.0)
        }
        fn sums(&self, families: &[Vec<usize>]) -> Option<Vec<Sum>> {
            self.1.lock().unwrap().push(families.len());
            self.0.sums(families)
        }
    }
    let table = table(6, 500, &[2, 3, 4, 200, 250], false);
    let rows = Trips(InBlocks::new(&table, 90), std::sync::Mutex::default());
    let mut counter = FarCounter::new(&rows);
    let mut other = counter.clone();
    counter.foresee(vec![vec![0, 1], vec![1], vec![0, 1], vec![2, 0], vec![0, 1, 2, 3, 4], vec![2, 1]]);
    let families: [&[usize]; 4] = [&[1], &[0, 1, 2, 3, 4], &[2, 1], &[2, 0]];
    for family in families {
        assert_eq!(other.count(&[family]), [by_definition(&table, family)]);
    }
    // The large one fills a trip alone.
    assert_eq!(*rows.1.lock().unwrap(), [3, 1, 1]);
}

#[test]
fn a_block_that_is_not_to_be_had_leaves_nothing_counted() {
    let table = table(5, 100, &[2, 3, 4], false);
    let mut rows = InBlocks::new(&table, 30);
    rows.lost = Some(2);
    let mut lost = FarCounter::new(&rows);
    assert!(lost.count(&[&[0, 1], &[2]]).iter().all(Cells::is_empty));
    assert_eq!(lost.tally(&[0, 1], &[2], &mut |_, _| panic!("half of it was shown")), 0);
}

#[test]
fn more_configurations_than_memory_are_no_trouble() {
    for missing in [false, true] {
        let table = table(3, 2000, &[200; 30], missing);
        let family: Vec<usize> = (0..30).collect();
        let mut counter = Counter::new(&table).unwrap();
        assert_eq!(counter.count(&[&family]), [by_definition(&table, &family)]);
        let rows = tallied(&mut counter, &family, &[]).0.concat().concat().len();
        let in_blocks = InBlocks::new(&table, 700);
        let mut blocks = FarCounter::new(&in_blocks);
        assert_eq!(
            blocks.count(&[&family, &[3]]),
            [by_definition(&table, &family), by_definition(&table, &[3])]
        );
        assert_eq!(tallied(&mut blocks, &family, &[]).0, tallied(&mut counter, &family, &[]).0);
        assert_eq!(rows, if missing { counter.count(&[&family])[0].len() } else { 2000 });
    }
}

#[test]
fn a_head_with_too_many_cells_is_passed_over() {
    let table = table(4, 30_000, &[2, 200, 100, 3], false);
    let mut counter = Counter::new(&table).unwrap();
    let mut places = vec![];
    // Some 15,500 of the 20,000 configurations occur, with two states each: 200 times that is too many.
    let passes = counter.tally(&[1, 2, 0], &[3, 1, 3], &mut |place, _| places.push(place));
    assert_eq!((places, passes), (vec![0, 2], 2));
}

#[test]
fn configurations_hold_all_states_of_the_last_variable() {
    let mut cells = Cells::new(2);
    for (key, rows) in [([0, 1], 3), ([0, 2], 1), ([4, 0], 2), ([4, 0], 5)] {
        cells.push(&key, rows);
    }
    let found: Vec<(&[u8], Vec<u64>)> = cells.configurations(3).collect();
    assert_eq!(found, [(&[0][..], vec![0, 3, 1]), (&[4][..], vec![7, 0, 0])]);
    assert_eq!((cells.len(), cells.rows(), cells.is_empty()), (3, 11, false));
}
