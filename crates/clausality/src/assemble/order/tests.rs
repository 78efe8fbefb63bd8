use super::*;
use crate::assemble::ground::Ground;
use crate::folder::{NewFolder, Work};
use crate::watch::{Stage, Unwatched};
use crate::{bn, embedded};
use clausality_bn::{MISSING, Schema, Score, Table, Variable};
use std::{fs, path::Path};

/// A search on the whole of a table, every column a possible parent of each.
fn setup(nodes: usize) -> Setup {
    let others = |v: usize| (0..nodes as u32).filter(|&c| c as usize != v).collect::<Vec<u32>>();
    Setup {
        pools: (0..nodes).map(others).collect(),
        required: (0..nodes).map(|v| if v == 3 { vec![7] } else { vec![] }).collect(),
        lists: (0..nodes).map(|v| others(v).into_iter().take(8).collect()).collect(),
        ranks: vec![0; nodes],
        max_parents: 4,
        starts: 1,
        shakes: 0,
    }
}

#[test]
fn what_is_forgotten_is_found_again() {
    let table = bn::sample(&embedded::network("child").unwrap(), 300, 1);
    let ground = Ground::new(&table);
    let setup = Setup { shakes: 3, ..setup(ground.len()) };
    let stage = Underway::begin(&Unwatched, Stage::Assemble, 0);
    let found = |most_held: u64| {
        let mut families = ground.families(Score::Bdeu { ess: 1.0 }, 1.0, &Unwatched);
        let mut search = Search::new(&mut families, &setup, Stream::new(1, "test"), &stage).unwrap();
        search.most_held = most_held;
        let found = search.run(&setup, None, &mut Checkpoints::default()).unwrap();
        // The answers to what was asked together more than it may, at most.
        assert!(search.held < most_held.saturating_add(100 << 10), "{}", search.held);
        assert_eq!(search.held, search.locals.iter().map(Local::held).sum::<u64>());
        (found, families.counted())
    };
    let (all, little) = (found(u64::MAX), found(20 << 10));
    assert_eq!(all.0, little.0);
    assert!(little.1 > all.1, "nothing was forgotten: {} {}", little.1, all.1);
}

/// All that a search leaves behind: what it found, the work it was, what it remembers and where its stream is.
type Left = (Found, u64, u64, Stream);

/// A search that keeps its checkpoints in a folder, and goes on from those that lie there.
fn kept_in(folder: &Path, table: &Table, setup: &Setup, every: u64, most_held: u64) -> Left {
    let new = NewFolder::reserve(&folder.join("run"), &[]).unwrap();
    let scraps = new.scraps(Work::new("test", table, &0), false).unwrap();
    left(table, setup, every, most_held, &mut Checkpoints::new(scraps.kept(), "test".into()))
}

fn left(table: &Table, setup: &Setup, every: u64, most_held: u64, checkpoints: &mut Checkpoints<'_>) -> Left {
    let ground = Ground::new(table);
    let stage = Underway::begin(&Unwatched, Stage::Assemble, 0);
    let mut families = ground.families(Score::Bdeu { ess: 1.0 }, 1.0, &Unwatched);
    let (mut search, way) = match Search::resumed(&mut families, checkpoints.found(), &stage) {
        Some((search, _, way)) => (search, Some(way)),
        None => {
            families = ground.families(Score::Bdeu { ess: 1.0 }, 1.0, &Unwatched);
            (Search::new(&mut families, setup, Stream::new(1, "test"), &stage).unwrap(), None)
        }
    };
    (search.every, search.most_held) = (every, most_held);
    let found = match way {
        Some(way) => search.run_on(setup, way, checkpoints),
        None => search.run(setup, None, checkpoints),
    };
    (found.unwrap(), search.spent(), search.held, search.stream)
}

/// Who counts leaves no trace: neither in what is found nor in the work that it is.
#[test]
fn cores_side_by_side_find_what_one_finds_alone() {
    let table = bn::sample(&embedded::network("insurance").unwrap(), 2000, 3);
    let setup = Setup { shakes: 5, ..setup(table.schema().len()) };
    let on = |cores: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(cores).build().unwrap();
        pool.install(|| left(&table, &setup, u64::MAX, 100 << 10, &mut Checkpoints::default()))
    };
    let alone = on(1);
    for cores in [2, 5] {
        assert_eq!(on(cores), alone, "{cores} cores");
    }
}

/// Killed right after any of its checkpoints it goes on to the same end by the same work.
#[test]
fn a_search_goes_on_from_every_checkpoint_as_if_nothing_had_been() {
    let whole = bn::sample(&embedded::network("child").unwrap(), 300, 1);
    let mut stream = Stream::new(3, "holes");
    let mut hole = |&code: &u8| if stream.below(20) == 0 { MISSING } else { code };
    let columns =
        (0..whole.schema().len()).map(|v| whole.column(v).iter().map(&mut hole).collect()).collect();
    let holes = Table::new(whole.schema().clone(), columns).unwrap();
    for (table, most_held) in [(&whole, u64::MAX), (&whole, 60 << 10), (&holes, u64::MAX)] {
        let setup = Setup { starts: 2, shakes: 8, ..setup(table.schema().len()) };
        goes_on_from_every_checkpoint(table, &setup, most_held, 12);
    }
}

/// Among many nodes arcs are overturned.
#[test]
fn so_does_a_search_among_many_nodes() {
    let copies: Vec<Table> =
        (1..=6).map(|seed| bn::sample(&embedded::network("child").unwrap(), 60, seed)).collect();
    let variables = copies.iter().enumerate().flat_map(|(i, copy)| {
        let named = move |v: &Variable| Variable::new(format!("{}{i}", v.name), v.states.clone());
        copy.schema().variables().iter().map(named)
    });
    let columns = copies.iter().flat_map(|copy| (0..copy.schema().len()).map(|v| copy.column(v).to_vec()));
    let table = Table::new(Schema::new(variables.collect()).unwrap(), columns.collect()).unwrap();
    let nodes = table.schema().len();
    assert!(nodes > FEW_NODES);
    let near = |v: usize| v - v % 20..v - v % 20 + 20;
    let pools = |v: usize| near(v).filter(|&c| c != v).map(|c| c as u32).collect::<Vec<u32>>();
    let setup = Setup {
        pools: (0..nodes).map(pools).collect(),
        required: vec![vec![]; nodes],
        lists: vec![vec![]; nodes],
        shakes: 24,
        ..setup(nodes)
    };
    goes_on_from_every_checkpoint(&table, &setup, u64::MAX, 6);
}

fn goes_on_from_every_checkpoint(table: &Table, setup: &Setup, most_held: u64, parts: u64) {
    let never = &mut Checkpoints::default();
    let every = left(table, setup, u64::MAX >> 1, most_held, never).1 / parts;
    let desk = tempfile::tempdir().unwrap();
    let undisturbed = kept_in(desk.path(), table, setup, every, most_held);
    assert_eq!(undisturbed, left(table, setup, every, most_held, &mut Checkpoints::default()));
    let scraps = fs::read(desk.path().join(".clausality-run.scraps")).unwrap();
    let lines: Vec<&[u8]> = scraps.split_inclusive(|&byte| byte == b'\n').collect();
    assert!((4..100).contains(&lines.len()), "{} checkpoints", lines.len() - 1);
    for there in 2..=lines.len() {
        let desk = tempfile::tempdir().unwrap();
        fs::write(desk.path().join(".clausality-run.scraps"), lines[..there].concat()).unwrap();
        let gone_on = kept_in(desk.path(), table, setup, every, most_held);
        let gaps = table.has_missing();
        assert_eq!(
            gone_on,
            undisturbed,
            "{gaps}, {most_held}: from checkpoint {} of {}",
            there - 2,
            lines.len() - 2
        );
        // What it keeps on the way is what would have been kept.
        let again = fs::read(desk.path().join(".clausality-run.scraps")).unwrap();
        assert!(again == scraps, "from checkpoint {there}");
    }
}

#[test]
fn what_is_remembered_is_what_would_be_found() {
    let table = bn::sample(&embedded::network("child").unwrap(), 500, 1);
    let ground = Ground::new(&table);
    let nodes = ground.len();
    let setup = setup(nodes);
    let mut families = ground.families(Score::Bdeu { ess: 1.0 }, 1.0, &Unwatched);
    let stage = Underway::begin(&Unwatched, Stage::Assemble, 0);
    let mut search = Search::new(&mut families, &setup, Stream::new(1, "test"), &stage).unwrap();
    // Sets worth more than anything that grows: listed ones are chosen, lost and found again.
    for local in &mut search.locals {
        let pair = |i: usize| vec![local.pool[i], local.pool[i + 1]];
        local.listed.extend((0..3).map(|i| (100.0 - i as f64, pair(2 * i))));
        local.sort_listed();
    }
    let mut stream = Stream::new(2, "test");
    let mut before = NodeSet::new(nodes);
    let mut remembered = 0;
    for _ in 0..3000 {
        let changed = stream.below(nodes as u64) as usize;
        if before.has(changed as u32) {
            before.remove(changed)
        } else {
            before.add(changed)
        }
        let node = stream.below(nodes as u64) as usize;
        let mut predecessors = before.clone();
        predecessors.remove(node);
        let local = &mut search.locals[node];
        remembered += usize::from(local.known(&predecessors).is_some());
        let at = local.best(search.families, &predecessors).unwrap();
        let (score, parents) = (local.answers[at].score, local.parents(at).to_vec());
        local.answers.clear();
        local.oldest = 0;
        let at = local.best(search.families, &predecessors).unwrap();
        assert_eq!((score, &parents[..]), (local.answers[at].score, local.parents(at)));
    }
    assert!(remembered > 300, "{remembered}");
}
