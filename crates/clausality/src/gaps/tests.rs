//! Gaps made by hand and by chance, and what is said of them.

use super::*;
use crate::data::{self, Bounds, DataSettings, Input};
use crate::embedded;
use crate::error::Advice;
use clausality_bn::random::Stream;
use clausality_bn::{Schema, Variable, sample};

/// Rows of asia with gaps where `gap` says so (row, column, that row's codes).
fn asia(rows: usize, seed: u64, mut gap: impl FnMut(usize, &str, &[u8]) -> bool) -> Dataset {
    let full = sample(&embedded::network("asia").unwrap(), rows, seed);
    let names: Vec<String> = full.schema().variables().iter().map(|v| v.name.clone()).collect();
    let mut columns: Vec<Vec<u8>> = vec![Vec::with_capacity(rows); names.len()];
    for row in 0..rows {
        let codes: Vec<u8> = (0..names.len()).map(|v| full.column(v)[row]).collect();
        for (v, (name, column)) in names.iter().zip(&mut columns).enumerate() {
            column.push(if gap(row, name, &codes) { MISSING } else { codes[v] });
        }
    }
    Dataset::sampled(Table::new(full.schema().clone(), columns).unwrap())
}

#[test]
fn counts_and_patterns_by_hand() {
    let names = ["a", "b", "c"].map(|name| Variable::new(name, ["x", "y"]));
    let m = MISSING;
    let columns = vec![vec![0, m, 1, m, 0], vec![m, m, 1, m, 0], vec![0, 0, 1, 1, 0]];
    let table = Table::new(Schema::new(names.to_vec()).unwrap(), columns).unwrap();
    let gaps = look(&Dataset::sampled(table)).unwrap();
    assert_eq!((gaps.rows, gaps.complete_rows, gaps.cells), (5, 2, 5));
    let pattern =
        |columns: &[&str], rows| Pattern { columns: columns.iter().map(|c| c.to_string()).collect(), rows };
    assert_eq!(gaps.patterns, [pattern(&["a", "b"], 2), pattern(&["b"], 1)]);
    assert_eq!(gaps.columns[0], ColumnGaps { name: "b".into(), gaps: 3 });
    assert!(gaps.look_random() && gaps.are_few(), "five rows say nothing");
    assert!(gaps.opening(&[]).ends_with("too few to tell what goes with them."), "{}", gaps.opening(&[]));
}

/// Of 1,500 rows twelve lack a value: all four of one kind, and eight of the others.
#[test]
fn a_rare_kind_without_values_is_found() {
    let kinds =
        Schema::new(vec![Variable::new("kind", ["home", "abroad"]), Variable::new("state", ["x", "y"])])
            .unwrap();
    let lacks = |row: usize, abroad: usize| row < abroad || row % 190 == 150;
    let table = |abroad: usize| {
        let kind = (0..1500).map(|row| u8::from(row < 4)).collect();
        let state = (0..1500).map(|row| if lacks(row, abroad) { MISSING } else { (row % 2) as u8 }).collect();
        Dataset::sampled(Table::new(kinds.clone(), vec![kind, state]).unwrap())
    };
    let gaps = look(&table(4)).unwrap();
    assert_eq!(gaps.sentences().len(), 1, "{:?}", gaps.sentences());
    assert!(
        gaps.sentences()[0].contains("kind") && gaps.sentences()[0].contains("100%"),
        "{:?}",
        gaps.sentences()
    );
    assert!(look(&table(1)).unwrap().look_random(), "one of them may be chance");
}

#[test]
fn a_state_for_gaps_and_no_value_at_all_say_the_same() {
    let text = "a,b\n".to_string() + &"x,1\ny,\n,2\nx,1\ny,2\n,\n".repeat(40);
    let state =
        data::read(Input::csv(text.as_bytes(), "t"), &DataSettings::default(), &Bounds::default()).unwrap();
    let without = |v: usize| {
        let gap = state.table.schema().variable(v).missing_state().unwrap_or(MISSING);
        state.table.column(v).iter().map(|&c| if c == gap { MISSING } else { c }).collect()
    };
    let columns = (0..2).map(without).collect();
    let bare = Dataset { table: Table::new(state.table.schema().clone(), columns).unwrap(), ..state.clone() };
    assert!(look(&state).is_some());
    assert_eq!(look(&state), look(&bare));
}

#[test]
fn a_lost_stretch_of_rows_is_told_once() {
    let gaps = look(&asia(2000, 1, |row, name, _| {
        (500..1000).contains(&row) && ["dysp", "xray", "bronc"].contains(&name)
    }))
    .unwrap();
    assert_eq!(gaps.together.len(), 1);
    assert_eq!(
        gaps.together[0].sentence(),
        "'bronc', 'dysp', 'xray' are always missing together, in 500 rows"
    );
    assert_eq!(gaps.blocks.len(), 1);
    assert_eq!(gaps.blocks[0].sentence(), "'bronc', 'dysp', 'xray' have no value in rows 501 to 1,000");
    assert_eq!(gaps.findings, [], "no column knows of it");
}

#[test]
fn a_stretch_is_found_among_gaps_by_chance() {
    let mut stream = Stream::new(3, "chance");
    let gaps = look(&asia(3000, 2, |row, name, _| {
        (name == "smoke" && (1200..1320).contains(&row))
            || (name == "smoke" || name == "xray") && stream.below(10) == 0
    }))
    .unwrap();
    let [block] = &gaps.blocks[..] else { panic!("{:?}", gaps.blocks) };
    assert!(
        block.columns == ["smoke"] && block.from.abs_diff(1201) < 4 && block.to.abs_diff(1320) < 4,
        "{block:?}"
    );
}

#[test]
fn what_a_gap_depends_on_is_found() {
    let mut stream = Stream::new(4, "depends");
    let table = asia(3000, 3, |_, name, codes| {
        let smoke = codes[2] == 0;
        name == "dysp" && stream.below(10) < if smoke { 4 } else { 1 }
    });
    assert_eq!(table.table.schema().name(2), "smoke");
    let gaps = look(&table).unwrap();
    let first = &gaps.findings[0];
    assert_eq!((&first.with, &first.columns[..]), (&With::Values("smoke".into()), &["dysp".to_string()][..]));
    assert!((first.most.share - 0.4).abs() < 0.04 && (first.least.share - 0.1).abs() < 0.03, "{first:?}");
    let said = first.sentence();
    assert!(
        said.starts_with("gaps of 'dysp' depend on 'smoke': ") && said.contains("where smoke = yes"),
        "{said}"
    );
}

#[test]
fn gaps_that_become_more_are_told_with_their_course() {
    let mut stream = Stream::new(5, "later");
    let gaps =
        look(&asia(2000, 4, |row, name, _| name == "asia" && stream.below(2000) < row as u64 / 2)).unwrap();
    let [one] = &gaps.findings[..] else { panic!("{:?}", gaps.findings) };
    assert_eq!(one.with, With::Order(Course::Later));
    assert!(one.sentence().starts_with("gaps of 'asia' become more along the rows: "), "{}", one.sentence());
}

#[test]
fn time_is_told_where_the_rows_do_not_stand_in_its_order() {
    let mut stream = Stream::new(6, "time");
    let mut text = "day,x,y\n".to_string();
    for _ in 0..1500 {
        let month = 1 + stream.below(12);
        let x = if stream.below(24) < month { "" } else { ["a", "b"][stream.below(2) as usize] };
        text.push_str(&format!("2024-{month:02}-{:02},{x},{}\n", 1 + stream.below(28), stream.below(3)));
    }
    let read =
        data::read(Input::csv(text.as_bytes(), "t"), &DataSettings::default(), &Bounds::default()).unwrap();
    let gaps = look(&read).unwrap();
    assert!(
        gaps.findings.iter().any(|f| f.with == With::Time("day".into(), Course::Later)),
        "{:?}",
        gaps.findings
    );
    assert!(!gaps.findings.iter().any(|f| matches!(f.with, With::Order(_))));
}

#[test]
fn columns_that_often_miss_together_are_a_finding() {
    let mut stream = Stream::new(7, "with");
    let mut lost = false;
    let gaps = look(&asia(2000, 5, |_, name, _| match name {
        "bronc" => {
            lost = stream.below(5) == 0;
            lost
        }
        "xray" => lost && stream.below(2) == 0,
        _ => false,
    }))
    .unwrap();
    assert!(gaps.together.is_empty());
    let with = |f: &&Finding| matches!(f.with, With::Gaps(_));
    let said = gaps.findings.iter().find(with).map(Finding::sentence).unwrap_or_default();
    assert!(said.starts_with("gaps of 'bronc' go with those of 'xray': 100% missing"), "{said}");
}

/// The level is one table in a hundred.
#[test]
fn gaps_by_chance_look_random() {
    let told = (0..60u64).filter(|&seed| {
        let mut stream = Stream::new(seed, "random");
        let share = 1 + seed % 5;
        let gaps = look(&asia(800, seed, |_, _, _| stream.below(10) < share)).unwrap();
        !gaps.look_random()
    });
    assert!(told.count() <= 3);
}

#[test]
fn the_order_of_columns_leaves_no_trace() {
    let table = asia(900, 6, |row, name, codes| codes[3] == 0 && row % 3 > 0 && name > "c");
    let turned: Vec<usize> = (0..8).rev().collect();
    let twin = Dataset::sampled(table.table.select_variables(&turned).unwrap());
    assert_eq!(look(&table), look(&twin));
}

#[test]
fn documents_read_back() {
    let gaps = look(&asia(900, 7, |row, name, codes| (row > 700 || codes[2] == 0) && name > "s")).unwrap();
    let text = serde_json::to_string(&gaps).unwrap();
    assert_eq!(serde_json::from_str::<Gaps>(&text).unwrap(), gaps);
}

/// The boat's number is there for every survivor, and for `drowned` others of 200.
fn boats(drowned: usize, missing: &str) -> Dataset {
    let row = |k: usize| {
        let survived = k.is_multiple_of(3);
        let boat = if survived || k * 2 / 3 < drowned { ["A", "B"][k % 2] } else { "" };
        format!("n{k},{boat},{}\n", u8::from(survived))
    };
    let text = "id,boat,survived\n".to_string() + &(0..300).map(row).collect::<String>();
    let settings = DataSettings { missing: rule(missing), ..DataSettings::default() };
    data::read(Input::csv(text.as_bytes(), "t"), &settings, &Bounds::default()).unwrap()
}

#[test]
fn a_gap_that_a_value_tells_is_worth_a_state() {
    let found = boats(20, "\"em\"");
    let gaps = look(&found).unwrap();
    assert_eq!(
        gaps.opening(&found.report),
        "180 gaps in 1 of the 2 columns that are used; 120 of 300 rows are complete in them."
    );
    let [line] = &meaning(&gaps.telling(&found.report, &[]))[..] else { panic!("one line") };
    assert_eq!(
        line.text,
        "A gap in 'boat' seems to mean something: 90% missing where survived = 0, 0% where survived = 1. Make it a state?"
    );
    assert_eq!(line.advice, [Advice::new("missing", "boat=state")]);
    let settled = boats(20, "{\"*\": \"em\", \"boat\": \"state\"}");
    assert_eq!(look(&settled).unwrap().telling(&settled.report, &[]), []);
}

/// A state for such a gap would copy the other column.
#[test]
fn a_gap_that_is_a_value_of_another_column_is_not_advised_a_state() {
    let found = boats(0, "\"em\"");
    let [line] = &meaning(&look(&found).unwrap().telling(&found.report, &[]))[..] else { panic!("one line") };
    assert_eq!(
        line.text,
        "Gaps in 'boat' follow from 'survived': 100% missing where survived = 0, 0% where survived = 1. They \
         stay gaps: a state for them would repeat 'survived'. To predict 'survived', leave 'boat' out if it is known only afterwards:"
    );
    assert_eq!(line.advice, [Advice::new("type", "boat=ignore")]);
    // Who survived is the question: the boat is no state then but an answer, whatever becomes of its gaps.
    for found in [found, boats(0, "{\"*\": \"em\", \"boat\": \"state\"}")] {
        let twins = giveaways(&found, |name| name == "survived");
        let [boat] = &twins[..] else { panic!("{twins:?}") };
        assert_eq!((boat.relation, boat.agree, boat.rows), (Relation::Presence, 300, 300));
        assert_eq!(look(&found).unwrap().telling(&found.report, &twins), []);
        let lines = data::told(&twins);
        assert_eq!(
            lines[0].text,
            "'boat' has a value in 100% of the rows where survived = 1, in 0% where survived = 0: known only afterwards? Then leave it out:"
        );
        assert_eq!(lines[0].advice, [Advice::new("type", "boat=ignore")]);
    }
}

/// Few of those who died were found: their number hangs loosely on the answer, but where there is one the answer is known.
#[test]
fn values_that_stand_with_one_answer_only_give_it_away() {
    let table = |stray: u64, share: u64| {
        let mut stream = Stream::new(9, "bodies");
        let mut text = "died,body,tag,age\n".to_string();
        for _ in 0..800 {
            let died = stream.below(10) < share;
            let found = stream.below(8) == 0 && (died || stream.below(100) < stray);
            let age = if stream.below(5) == 0 { String::new() } else { stream.below(4).to_string() };
            let mut cell =
                |values: [&'static str; 2]| if found { values[stream.below(2) as usize] } else { "" };
            let (body, tag) = (cell(["north", "south"]), cell(["red", "blue"]));
            text.push_str(&format!("{},{body},{tag},{age}\n", if died { "yes" } else { "no" }));
        }
        let found =
            data::read(Input::csv(text.as_bytes(), "t"), &DataSettings::default(), &Bounds::default())
                .unwrap();
        giveaways(&found, |name| name == "died")
    };
    let twins = table(0, 6);
    assert_eq!(twins.iter().map(|twin| twin.name.as_str()).collect::<Vec<_>>(), ["body", "tag"]);
    let lines = data::told(&twins);
    assert_eq!(lines.len(), 1, "one line for columns that miss together: {lines:?}");
    assert!(lines[0].text.starts_with("'body', 'tag' have a value in 1"), "{}", lines[0].text);
    assert!(lines[0].text.ends_with("in 0% where died = no: known only afterwards? Then leave them out:"));
    assert_eq!(lines[0].advice.len(), 2);
    assert_eq!(table(100, 6), [], "values stand with both answers");
    assert_eq!(table(0, 10), [], "there is but one answer");
}

#[test]
fn gaps_that_mean_something_are_one_line() {
    // Both columns have values for all survivors, and for each of so many others.
    let lines = |every: usize| {
        let row = |k: usize| {
            let survived = k.is_multiple_of(3);
            let (boat, raft) = match survived || k % every == 1 {
                true => (["A", "B"][k % 2], ["x", "y"][k / 3 % 2]),
                false => ("", ""),
            };
            format!("{boat},{raft},{}\n", if survived { "yes" } else { "no" })
        };
        let text = "boat,raft,survived\n".to_string() + &(0..300).map(row).collect::<String>();
        let found =
            data::read(Input::csv(text.as_bytes(), "t"), &DataSettings::default(), &Bounds::default());
        let found = found.unwrap();
        meaning(&look(&found).unwrap().telling(&found.report, &[]))
    };
    let [line] = &lines(8)[..] else { panic!("one line") };
    assert!(
        line.text.starts_with("Gaps in 2 columns seem to mean something: 'boat', 'raft' (8"),
        "{}",
        line.text
    );
    assert!(line.text.ends_with("Make them states?"), "{}", line.text);
    assert_eq!(line.advice, ["boat=state", "raft=state"].map(|value| Advice::new("missing", value)));
    let [line] = &lines(40)[..] else { panic!("one line") };
    assert!(
        line.text.starts_with("Gaps in 2 columns follow from 'survived': 'boat', 'raft' (9"),
        "{}",
        line.text
    );
    assert!(
        line.text.ends_with(
            "They stay gaps: states for them would repeat 'survived'. To predict it, leave out what is known only afterwards:"
        ),
        "{}",
        line.text
    );
    assert_eq!(line.advice, ["boat=ignore", "raft=ignore"].map(|value| Advice::new("type", value)));
}

/// What nobody wrote down before some year is unknown for the rows of before, and neither a state nor a reason to leave the column out.
#[test]
fn gaps_from_before_something_was_recorded_are_no_states() {
    let lines = |first: u64, few: bool| {
        let mut stream = Stream::new(11, "since");
        let mut text = "year,caught,flies,league\n".to_string();
        for row in 0..2000u64 {
            let year = first + row / 20;
            let mut cell = |since: u64| match year < first + since {
                true => String::new(),
                false => stream.below(9).to_string(),
            };
            // One is there from a year on, the other mostly.
            let (caught, flies) = (cell(50), cell(if row % 7 == 0 { 20 } else { 45 }));
            let (league, caught) = match few && row > 1990 {
                true => ("union", String::new()),
                false => (["east", "west"][row as usize % 2], if few { "3".into() } else { caught }),
            };
            text.push_str(&format!("{year},{caught},{flies},{league}\n"));
        }
        let found =
            data::read(Input::csv(text.as_bytes(), "t"), &DataSettings::default(), &Bounds::default())
                .unwrap();
        let gaps = look(&found).unwrap();
        assert!(!gaps.findings.is_empty());
        meaning(&gaps.telling(&found.report, &[]))
    };
    assert_eq!(lines(1900, false), []);
    assert!(!lines(3900, false).is_empty(), "numbers that are no years");
    // Nine gaps in two thousand rows, all of one league.
    assert_eq!(lines(1900, true), []);
}

/// Nobody of one branch of a study was asked, and of the others some did not answer: the branch tells the first, and there is nothing for a state to say.
#[test]
fn what_was_not_asked_of_some_is_no_state() {
    let lines = |asked: bool| {
        let mut stream = Stream::new(12, "asked");
        let mut text = "branch,mood\n".to_string();
        for row in 0..900usize {
            let branch = row % 3;
            let silent =
                branch == 0 && (!asked || stream.below(10) > 0) || branch == 1 && stream.below(7) == 0;
            let mood = if silent { "" } else { ["calm", "sad"][stream.below(2) as usize] };
            text.push_str(&format!("b{branch},{mood}\n"));
        }
        let found =
            data::read(Input::csv(text.as_bytes(), "t"), &DataSettings::default(), &Bounds::default())
                .unwrap();
        let gaps = look(&found).unwrap();
        let [line] = &meaning(&gaps.telling(&found.report, &[]))[..] else { panic!("one line: {gaps:?}") };
        (line.text.clone(), line.advice[0].setting)
    };
    let (text, setting) = lines(false);
    assert!(text.starts_with("Gaps in 'mood' follow from 'branch'") && setting == "type", "{text}");
    let (text, setting) = lines(true);
    assert!(text.ends_with("Make it a state?") && setting == "missing", "{text}");
}

/// A column that was begun late, and kinds of action that came up late with it: since when it was written down says as much as the kind.
#[test]
fn what_was_written_down_later_is_no_state_of_what_came_later() {
    let lines = |begun: usize| {
        let mut stream = Stream::new(14, "begun");
        let mut text = "year,kind,injury\n".to_string();
        for row in 0..1800usize {
            let year = 2010 + row % 6;
            let late = if year < 2013 { 1 } else { 9 };
            let kind = if stream.below(10) < late { "held" } else { "hit" };
            let silent = if begun > 0 { year < begun } else { kind == "hit" && stream.below(10) > 0 };
            let injury = if silent { "" } else { ["no", "yes"][stream.below(2) as usize] };
            text.push_str(&format!("{year},{kind},{injury}\n"));
        }
        let input = Input::csv(text.as_bytes(), "t");
        let found = data::read(input, &DataSettings::default(), &Bounds::default()).unwrap();
        let gaps = look(&found).unwrap();
        assert!(gaps.findings.iter().any(|finding| finding.with == With::Values("kind".into())));
        meaning(&gaps.telling(&found.report, &[])).len()
    };
    assert_eq!((lines(2013), lines(0)), (0, 1));
}

fn rule(missing: &str) -> data::ByColumn<data::MissingRule> {
    serde_json::from_str(missing).unwrap()
}

/// One small ward of twelve never asked; the others did by their own habits. No state for these gaps would repeat the ward.
#[test]
fn a_small_ward_that_was_never_asked_is_not_what_all_gaps_follow_from() {
    let mut stream = Stream::new(13, "wards");
    let mut text = "ward,payer\n".to_string();
    for row in 0..3000usize {
        let ward = if row % 100 == 0 { 12 } else { row % 12 };
        let silent = match ward {
            12 => true,
            0..6 => stream.below(20) > 2,
            _ => stream.below(20) == 0,
        };
        let payer = if silent { "" } else { ["public", "private"][stream.below(2) as usize] };
        text.push_str(&format!("w{ward},{payer}\n"));
    }
    let found =
        data::read(Input::csv(text.as_bytes(), "t"), &DataSettings::default(), &Bounds::default()).unwrap();
    let gaps = look(&found).unwrap();
    let [line] = &meaning(&gaps.telling(&found.report, &[]))[..] else { panic!("one line: {gaps:?}") };
    assert!(line.text.starts_with("A gap in 'payer' seems to mean something: 100% missing"), "{}", line.text);
    assert_eq!(line.advice, [Advice::new("missing", "payer=state")]);
}
