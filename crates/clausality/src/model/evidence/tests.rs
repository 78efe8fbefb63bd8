use super::*;
use crate::data::{self, Bounds, DataSettings, Input};

fn shares(variable: &Variable, text: &str) -> Option<Vec<f64>> {
    match said(variable, None, text)? {
        Said::Among(shares) => Some(shares),
        Said::State(_) => None,
    }
}

#[test]
fn ranges_take_states_in_whole_or_in_part() {
    let ordered =
        |states: &[&str]| Variable { scale: Scale::Ordered, ..Variable::new("Age", states.iter().copied()) };
    let age = ordered(&["<= 25", "26 to 45", "46 to 55", ">= 56"]);
    assert_eq!(shares(&age, ">=46"), Some(vec![0.0, 0.0, 1.0, 1.0]));
    assert_eq!(shares(&age, ">45"), shares(&age, ">=46"));
    assert_eq!(shares(&age, ">= 51"), Some(vec![0.0, 0.0, 0.5, 1.0]));
    assert_eq!(shares(&age, "<36"), Some(vec![1.0, 0.5, 0.0, 0.0]));
    assert_eq!(shares(&age, "<20"), Some(vec![1.0, 0.0, 0.0, 0.0]), "no end: in whole");
    assert_eq!(shares(&age, "<=25|>=56"), Some(vec![1.0, 0.0, 0.0, 1.0]));
    assert_eq!(said(&age, None, "<= 25"), Some(Said::State(0)), "a label is one");
    let dense = ordered(&["<= -0.5", "-0.5 to 0.5", "> 0.5"]);
    assert_eq!(shares(&dense, "<0.25"), Some(vec![1.0, 0.75, 0.0]));
    assert_eq!(shares(&dense, ">0.5"), Some(vec![0.0, 0.0, 1.0]));
    let halves = ordered(&["<= 29.5", "29.5 to 49.5", "> 49.5"]);
    assert_eq!(shares(&halves, ">=30"), Some(vec![0.0, 1.0, 1.0]), "whole numbers, cut between two of them");
    assert_eq!(shares(&halves, ">29"), shares(&halves, ">=30"));
    assert_eq!(shares(&halves, "<50"), Some(vec![1.0, 1.0, 0.0]));
    assert_eq!(shares(&halves, "<=39"), Some(vec![1.0, 0.5, 0.0]));
    let few = ordered(&["0", "1", "2.5"]);
    assert_eq!(shares(&few, ">=1"), Some(vec![0.0, 1.0, 1.0]));
    assert_eq!(shares(&few, "<1"), Some(vec![1.0, 0.0, 0.0]));
    assert_eq!(shares(&few, ">9"), None);
    let mut size = ordered(&["small", "medium", "large", "missing"]);
    size.has_missing_state = true;
    assert_eq!(shares(&size, ">=medium"), Some(vec![0.0, 1.0, 1.0, 0.0]));
    assert_eq!(shares(&size, "<medium"), Some(vec![1.0, 0.0, 0.0, 0.0]));
    assert_eq!(shares(&size, ">=huge"), None);
}

#[test]
fn ranges_of_one_node_narrow_each_other() {
    let ordered =
        Variable { scale: Scale::Ordered, ..Variable::new("Age", ["0 to 9", "10 to 19", "20 to 29"]) };
    let schema = Schema::new(vec![ordered, Variable::new("sex", ["male", "female"])]).unwrap();
    let age = |text: &str| (0, said(schema.variable(0), None, text).unwrap());
    let both = narrowed(&schema, [age(">=10"), (1, Said::State(0)), age("<20")]).unwrap();
    assert_eq!(both, [(0, Said::Among(vec![0.0, 1.0, 0.0])), (1, Said::State(0))]);
    let none = narrowed(&schema, [age(">=20"), age("<10")]).unwrap_err();
    assert!(none.to_string().contains("nothing that is known of it lies in"), "{none}");
    let why = |v: usize, text: &str| no_state(schema.variable(v), None, text).to_string();
    assert!(why(1, ">=male").contains("the states of 'sex' have no order"), "{}", why(1, ">=male"));
    assert!(why(0, "<0").contains("nothing that is known of it lies in '<0'"), "{}", why(0, "<0"));
    let set = not_one(schema.variable(0), None, ">=10").to_string();
    assert!(set.contains("can be set to one state only"), "{set}");
}

#[test]
fn ranges_with_two_ends_and_what_is_not_are_taken() {
    let age = Variable {
        scale: Scale::Ordered,
        has_missing_state: true,
        ..Variable::new("Age", ["<= 25", "26 to 45", "46 to 55", ">= 56", "missing"])
    };
    assert_eq!(shares(&age, "26..50"), Some(vec![0.0, 1.0, 0.5, 0.0, 0.0]));
    assert_eq!(shares(&age, "46 .. 90"), Some(vec![0.0, 0.0, 1.0, 1.0, 0.0]));
    assert_eq!(shares(&age, "50..30"), None);
    assert_eq!(shares(&age, "!=26 to 45"), Some(vec![1.0, 0.0, 1.0, 1.0, 0.0]), "a gap is no value");
    assert_eq!(shares(&age, "!=>=46"), Some(vec![1.0, 1.0, 0.0, 0.0, 0.0]));
    assert_eq!(shares(&age, "!=forty"), None);
    let why = |text: &str| no_state(&age, None, text).to_string();
    assert!(why("30-50").contains("a range is written Age=30..50, or Age>=30,Age<50"), "{}", why("30-50"));
    assert!(why("50..30").contains("nothing that is known of it lies in '50..30'"), "{}", why("50..30"));
    assert!(why("!=forty").contains("no state 'forty'"), "{}", why("!=forty"));
}

#[test]
fn what_is_taken_for_granted_of_a_cut_state_is_said() {
    let age = Variable { scale: Scale::Ordered, ..Variable::new("Age", ["<= 25", "26 to 45", ">= 46"]) };
    let said = |text: &str| assumed(&age, None, text).unwrap_or_default();
    assert!(
        said(">=36").starts_with("Age>=36 cuts the state '26 to 45', whose numbers are taken to lie evenly")
    );
    assert!(said("30..45").starts_with("Age>=30 cuts the state '26 to 45'"), "{}", said("30..45"));
    assert!(
        said(">=60").starts_with("Age>=60 cuts the state '>= 46', which counts in whole"),
        "{}",
        said(">=60")
    );
    for whole in [">=26", "<46", ">45", "<=45", ">= 46", "26..45"] {
        assert_eq!(said(whole), "", "{whole}");
    }
}

/// One in fifty has a bill of a hundred or more: a hundredth of the rows at a time tells little of how these lie.
#[test]
fn of_a_rare_state_the_part_is_rough() {
    let rows: String =
        (0..1000).map(|k| format!("{},{}\n", if k % 50 == 0 { 100 + k } else { k % 100 }, k % 3)).collect();
    let settings =
        DataSettings { cuts: [("bill".to_string(), vec![50.0, 100.0])].into(), ..Default::default() };
    let text = format!("bill,sex\n{rows}");
    let input = Input::csv(text.as_bytes(), "t.csv");
    let prepared = data::read(input, &settings, &Bounds::default()).unwrap();
    let bill = prepared.table.schema().variable(0);
    let said = |text: &str| assumed(bill, Some(&prepared.coding), text).unwrap_or_default();
    assert!(
        said(">=700").contains("is rough, for this model keeps only 2 of its numbers"),
        "{}",
        said(">=700")
    );
    assert_eq!((said(">=20"), said(">=100"), said(">=5000")), Default::default());
}

#[test]
fn states_with_bars_and_signs_in_them_win() {
    let odd = Variable::new("odd", ["a", "b", "a|b", ">=3"]);
    assert_eq!(said(&odd, None, "a|b"), Some(Said::State(2)));
    assert_eq!(said(&odd, None, ">=3"), Some(Said::State(3)));
    assert_eq!(shares(&odd, "b | a"), Some(vec![1.0, 1.0, 0.0, 0.0]));
    assert_eq!(shares(&odd, "b|c"), None);
}

#[test]
fn of_several_states_the_unknown_one_is_named() {
    let region = Variable::new("region", ["N", "S", "M"]);
    for text in ["M|N|ZZ", "ZZ | M", "ZZ|YY"] {
        let why = no_state(&region, None, text).to_string();
        assert!(why.starts_with("node 'region' has no state 'ZZ'; it has N, S, M"), "{why}");
    }
}
