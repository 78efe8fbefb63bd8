use super::*;
use crate::data::decide::numbers::{from_sortable, sortable};
use proptest::prelude::*;

fn counted(values: &[f64]) -> Numbers<'static> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let mut counted: Vec<(f64, usize)> = Vec::new();
    for value in sorted {
        match counted.last_mut() {
            Some((last, count)) if *last == value => *count += 1,
            _ => counted.push((value, 1)),
        }
    }
    Numbers::counted(counted)
}

/// The cuts of a column by the rule, and what its states are called.
fn quantiles(values: &[f64], bins: usize) -> (Vec<f64>, Vec<String>) {
    let numbers = counted(values);
    let spike = numbers.spike(bins);
    let cuts = quantile_cuts(&numbers, bins, spike);
    let labels = cuts.labels(&numbers.extent(spike));
    (cuts.at, labels)
}

#[test]
fn quantiles_of_whole_numbers() {
    let values: Vec<f64> = (1..=100).map(f64::from).collect();
    let (at, labels) = quantiles(&values, 4);
    assert_eq!(at, [25.0, 50.0, 75.0]);
    assert_eq!(labels, ["<= 25", "26 to 50", "51 to 75", ">= 76"]);
}

#[test]
fn cuts_are_numbers_that_a_person_would_choose() {
    // Ages as a table may have them: 0.97, 1.94, … 96.03.
    let ages: Vec<f64> = (1..=990).map(|k| f64::from(k) * 0.0970013).collect();
    assert_eq!(quantiles(&ages, 4).1, ["<= 25", "25 to 50", "50 to 70", "> 70"]);
    // A heavy tail: quantiles 7.4, 50, 403 before they are made round.
    let tail: Vec<f64> = (1..=4000).map(|k| (f64::from(k) / 500.0).exp()).collect();
    assert_eq!(quantiles(&tail, 4).1, ["<= 8", "8 to 50", "50 to 500", "> 500"]);
    assert_eq!(roundest(0.31274, 0.3, 0.34, false), 0.3);
    assert_eq!(roundest(-0.02, -0.5, 0.3, false), 0.0);
    assert_eq!(roundest(1234.0, 1180.0, 1280.0, true), 1200.0);
}

/// Up to ten whole numbers stay what they are; rare ones join their neighbours, at either end and between.
#[test]
fn few_whole_numbers_are_states() {
    let states = |rows: &[(i32, usize)]| {
        let counted = rows.iter().map(|&(value, rows)| (f64::from(value), rows)).collect();
        each_value(&Numbers::counted(counted), 4).map(|(labels, _)| labels)
    };
    let of = |labels: &[&str]| Some(labels.iter().map(|label| label.to_string()).collect::<Vec<_>>());
    let likert = [(1, 30), (2, 90), (3, 200), (4, 80), (5, 25)];
    assert_eq!(states(&likert), of(&["1", "2", "3", "4", "5"]));
    let children = [(0, 400), (1, 220), (2, 250), (3, 90), (4, 30), (5, 9), (6, 4), (7, 1)];
    assert_eq!(states(&children), of(&["0", "1", "2", "3", ">= 4"]));
    let middle = [(1, 50), (2, 50), (3, 5), (4, 40), (5, 50), (6, 50)];
    assert_eq!(states(&middle), of(&["1", "2", "3 to 4", "5", "6"]));
    assert_eq!(
        states(&[(10, 50), (20, 50), (30, 50), (40, 50), (50, 50)]),
        of(&["10", "20", "30", "40", "50"])
    );
    assert_eq!(
        states(&[(2, 50), (4, 50), (8, 50), (16, 50), (24, 5), (32, 4)]),
        of(&["2", "4", "8", ">= 16"]),
        "holes are in no name"
    );
    assert_eq!(states(&[(1, 5), (2, 9), (3, 8), (4, 7), (5, 7)]), None, "too few rows");
    let eleven: Vec<(i32, usize)> = (0..=10).map(|k| (k, 100)).collect();
    assert_eq!(states(&eleven), None);
}

#[test]
fn whole_numbers_are_labelled_alike() {
    let balance = |step: i32| -> Vec<f64> {
        let rest = (1..=600).map(|k| f64::from(k * step));
        std::iter::repeat_n(0.0, 300).chain(rest).collect()
    };
    assert_eq!(quantiles(&balance(3), 4).1, ["0", "1 to 600", "601 to 1200", ">= 1201"]);
    assert_eq!(quantiles(&balance(30), 4).1, ["0", "1 to 6000", "6001 to 12000", ">= 12001"]);
}

#[test]
fn a_spike_is_a_state_of_its_own() {
    let mut mostly_zero = vec![0.0; 80];
    mostly_zero.extend((1..=20).map(f64::from));
    assert_eq!(quantiles(&mostly_zero, 4).1, ["0", ">= 1"]);
    let mut rain = vec![0.0; 500];
    rain.extend((1..=500).map(|k| f64::from(k) / 10.0));
    assert_eq!(quantiles(&rain, 4).1, ["0", "0 to 15", "15 to 35", "> 35"]);
    let mut mostly_top = vec![9.5; 90];
    mostly_top.extend([1.5, 2.5, 3.5, 4.5, 5.5, 6.5]);
    assert_eq!(quantiles(&mostly_top, 4).1, ["< 9.5", "9.5"]);
    let mut amid: Vec<f64> = (-300..300).map(|k| f64::from(k) / 7.0).collect();
    amid.extend([0.0; 400]);
    assert_eq!(quantiles(&amid, 4).1, ["<= -20", "-20 to -0.1", "0", "> 0"]);
}

/// However wide the range is, the neighbours of a spike end where it stands.
#[test]
fn a_spike_is_never_rounded() {
    let mut half_steps = vec![4.5; 800];
    for (value, rows) in [(0.0, 700), (14.5, 300), (24.5, 100), (34.5, 80), (100.0, 20)] {
        half_steps.extend(std::iter::repeat_n(value, rows));
    }
    assert_eq!(quantiles(&half_steps, 3).1, ["< 4.5", "4.5", "> 4.5"]);
}

/// A number that many rows have is in a range with all of them or with none.
#[test]
fn a_range_never_cuts_a_state_of_one_number() {
    let visits: Vec<f64> = (0..1000).map(|k| f64::from(k % 7)).collect();
    let numbers = counted(&visits);
    let cuts = Cuts { at: vec![0.0, 1.0, 2.0, 4.0], ..quantile_cuts(&numbers, 4, None) };
    let of = |sign, bound| cuts.shares(sign, bound).unwrap();
    assert_eq!(of(">=", 5.0), [0.0, 0.0, 0.0, 0.0, 1.0]);
    assert_eq!(of("<", 5.0), [1.0, 1.0, 1.0, 1.0, 0.0]);
    assert_eq!(of(">=", 2.0), of(">", 1.0));
    assert_eq!(of("<=", 2.0), [1.0, 1.0, 1.0, 0.0, 0.0]);
    let half = of(">=", 4.0)[3];
    assert!((half - 0.5).abs() < 0.05, "{half}");
}

/// Terms of loans are six, twelve, … months: what nobody has is in no range, and the many that have a number are in it or not.
#[test]
fn between_numbers_that_repeat_there_is_nothing() {
    let terms =
        [(6.0, 8), (12.0, 33), (18.0, 20), (24.0, 75), (30.0, 10), (36.0, 220), (48.0, 200), (60.0, 434)];
    let values: Vec<f64> = terms.iter().flat_map(|&(term, rows)| vec![term; rows]).collect();
    let cuts = Cuts { at: vec![40.0, 55.0], ..quantile_cuts(&counted(&values), 4, None) };
    let of = |sign, bound| cuts.shares(sign, bound).unwrap();
    for pair in terms.windows(2) {
        let (term, next) = (pair[0].0, pair[1].0);
        assert_eq!(of("<", next), of("<=", term), "{term}");
        assert_eq!(of(">", term), of(">=", next), "{term}");
    }
    let (with, without) = (of("<=", 12.0)[0], of("<", 12.0)[0]);
    let (all, own) = (cuts.known_of(0) as f64, cuts.spread.iter().filter(|&&v| v == 12.0).count() as f64);
    assert!(own > 1.0 && (with - without - own / all).abs() < 1e-12, "{with} {without}");
    // 41 of the 366 rows up to 40 months.
    assert!((with - 41.0 / 366.0).abs() < 0.03, "{with}");
}

/// A frequent number that is one hundredth among others that repeat is in `<=` and not in `<`.
#[test]
fn a_range_without_its_bound_leaves_out_who_has_it() {
    let amounts = (0..3000).map(|k| match k % 3 {
        0 => 5000.0,
        1 => f64::from(k / 30) * 500.0,
        _ => f64::from(k / 150) * 1000.0,
    });
    let cuts = Cuts { at: vec![8000.0], ..quantile_cuts(&counted(&amounts.collect::<Vec<_>>()), 4, None) };
    let of = |sign, bound| cuts.shares(sign, bound).unwrap()[0];
    let own = cuts.spread.iter().filter(|&&v| v == 2000.0).count() as f64;
    let step = of("<=", 2000.0) - of("<", 2000.0);
    assert!(own > 0.0 && (step - own / cuts.known_of(0) as f64).abs() < 1e-12, "{own} {step}");
}

/// What lies densely is shared out between two hundredths, and more of it never is less.
#[test]
fn among_dense_numbers_ranges_grow_evenly() {
    for (scale, zeros) in [(0.1, 0), (3.0, 0), (0.1, 150)] {
        let numbers = (1..=2000).map(|k| f64::from(k) * scale);
        let values: Vec<f64> = std::iter::repeat_n(0.0, zeros).chain(numbers).collect();
        let at = vec![500.0 * scale, 1500.0 * scale];
        let cuts = Cuts { at, ..quantile_cuts(&counted(&values), 4, None) };
        let of = |sign, k: f64| cuts.shares(sign, k * scale).unwrap()[1];
        assert!((of("<", 1003.0) - 503.0 / 1000.0).abs() < 0.03, "{}", of("<", 1003.0));
        let rising: Vec<f64> =
            (500..1500).flat_map(|k| [of("<", f64::from(k)), of("<=", f64::from(k))]).collect();
        assert!(rising.is_sorted(), "{scale}");
        assert!(of("<=", 1009.0) + of(">=", 1006.0) > 1.0, "a narrow range has rows");
    }
}

/// `>= 51` is `> 50`, also where 50 is seen and 51 is not, and where a state begins between the two.
#[test]
fn ranges_of_whole_numbers_lose_no_part_of_a_unit() {
    let ages: Vec<f64> = (0..1000).map(|k| f64::from(20 + 2 * (k * 7 % 31))).collect();
    let cuts = Cuts { at: vec![29.5, 49.5, 49.75], ..quantile_cuts(&counted(&ages), 4, None) };
    for age in 20..80 {
        let (age, next) = (f64::from(age), f64::from(age + 1));
        assert_eq!(cuts.shares(">=", next), cuts.shares(">", age), "{age}");
        assert_eq!(cuts.shares("<", next), cuts.shares("<=", age), "{age}");
    }
    // No number lies between 49.5 and 49.75, and the state after these is in whole.
    assert_eq!(cuts.shares(">=", 50.0).unwrap()[3], 1.0);
    assert_eq!(cuts.shares(">=", 30.0).unwrap(), [0.0, 1.0, 1.0, 1.0]);
    assert_eq!(cuts.shares("<", 30.0).unwrap(), [1.0, 0.0, 0.0, 0.0]);
}

#[test]
fn cuts_that_were_given_begin_states() {
    let labels = |values: &[f64], at: &[f64]| {
        let numbers = counted(values);
        given_cuts(&numbers, at).labels(&Extent { exact: true, ..numbers.extent(None) })
    };
    assert_eq!(
        labels(&[0.0, 0.5, 2e5], &[1.0, 50_000.0, 120_000.0]),
        ["< 1", "1 to 50000", "50000 to 120000", ">= 120000"],
        "as they were given"
    );
    assert_eq!(labels(&[3.0, 18.0, 64.0], &[18.0, 30.0, 50.0]), ["< 18", "18 to 29", "30 to 49", ">= 50"]);
    assert_eq!(labels(&[3.5, 18.0, 64.0], &[18.0, 30.0, 50.0]), ["< 18", "18 to 30", "30 to 50", ">= 50"]);
    assert_eq!(labels(&[0.0, 1.0, 2.0], &[1.0]), ["< 1", ">= 1"]);
    let cuts = given_cuts(&counted(&[3.0, 64.0]), &[18.0, 30.0]);
    assert_eq!([17.9, 18.0, 29.0, 30.0].map(|value| cuts.state(value)), [0, 1, 1, 2]);
    assert!(cuts.is_beyond(65.0) && !cuts.is_beyond(64.0) && cuts.is_beyond(2.0));
}

#[test]
fn a_range_takes_the_part_of_a_state_that_its_rows_fill() {
    // Nine in ten of the last state's rows lie just above its cut.
    let values: Vec<f64> =
        (0..1000).map(|k| if k < 950 { f64::from(k) } else { f64::from(k) * 10.0 }).collect();
    let cuts = quantile_cuts(&counted(&values), 4, None);
    let of = |sign, bound| cuts.shares(sign, bound).unwrap();
    let near = |found: Vec<f64>, share: f64| {
        let last = cuts.at.len();
        (found[last] - share).abs() < 0.02 && (found[..last].iter().all(|&s| s == 0.0) || share > 0.99)
    };
    let own = values.iter().filter(|&&v| usize::from(cuts.state(v)) == cuts.at.len()).count() as f64;
    assert!(near(of(">", 5000.0), 50.0 / own), "{:?}", of(">", 5000.0));
    assert!(of(">", 1e9).iter().all(|&s| s == 0.0) && of("<", -1.0).iter().all(|&s| s == 0.0));
    assert!(of("<=", 1e9).iter().chain(&of(">=", 0.0)).all(|&s| s > 0.999));
    let (low, high) = (of("<=", 400.0), of(">", 400.0));
    assert!(low.iter().zip(&high).all(|(a, b)| (a + b - 1.0).abs() < 1e-12));
}

#[test]
fn widths_skip_empty_states() {
    let labels = |values: &[f64]| width_cuts(&counted(values), 4).labels(&counted(values).extent(None));
    assert_eq!(labels(&[0.0, 0.5, 1.0, 99.0, 100.0, 0.25]), ["< 75", ">= 75"]);
    // 0 3 | 4 7 | 8 | 12 16
    assert_eq!(labels(&[0.0, 3.0, 4.0, 7.0, 8.0, 12.0, 16.0]), ["<= 3", "4 to 7", "8 to 11", ">= 12"]);
}

#[test]
fn labels_are_short() {
    let cuts = |at: &[f64], equal| Cuts { at: at.to_vec(), equal, seen: None, spread: vec![] };
    let whole = counted(&[0.0, 1.0, 2.0, 4.0, 7.0]).extent(None);
    assert_eq!(cuts(&[1.0, 2.0, 5.0], Side::Below).labels(&whole), ["<= 1", "2", "3 to 5", ">= 6"]);
    assert_eq!(cuts(&[0.0, 3.0, 6.0], Side::Below).labels(&whole), ["0", "1 to 3", "4 to 6", "7"]);
    let dense = counted(&[-4.5, 0.25, 4.5]).extent(None);
    let labels = cuts(&[-0.672707, 0.002044, 0.677474], Side::Below).labels(&dense);
    assert_eq!(labels, ["<= -0.673", "-0.673 to 0.002", "0.002 to 0.677", "> 0.677"]);
    let money = counted(&[10.0, 250_000.0]).extent(None);
    let labels = cuts(&[24_266.0, 36_319.0], Side::Below).labels(&money);
    assert_eq!(labels, ["<= 24300", "24300 to 36300", "> 36300"]);
    assert_eq!(cuts(&[97_234.56], Side::Above).labels(&money), ["< 97200", ">= 97200"]);
}

#[test]
fn cuts_are_neat_where_the_gap_allows() {
    assert_eq!(neat(14.4542, |cut| (14.4542..14.4583).contains(&cut)), 14.455);
    assert_eq!(neat(19.5978, |cut| (19.1..19.9).contains(&cut)), 19.6);
    assert_eq!(neat(1.0, |cut| cut == 1.0), 1.0);
}

fn numbers() -> impl Strategy<Value = Vec<f64>> {
    let one = prop_oneof![
        (-20i32..20).prop_map(f64::from),
        (-100i32..100).prop_map(|k| f64::from(k) / 8.0),
        -1e6..1e6f64,
        any::<f64>().prop_filter("finite", |x| x.is_finite()).prop_map(|x| x + 0.0),
    ];
    proptest::collection::vec(one, 2..80).prop_filter("two differ", |v| v.iter().any(|x| *x != v[0]))
}

proptest! {
    /// Both representations agree, every state has rows, labels differ, a spike is alone, and without ties the shares are near equal.
    #[test]
    fn quantile_states_are_near_equal(values in numbers(), spiked in 0usize..60, bins in 2usize..8) {
        let mut values = values;
        values.extend(vec![values[0]; spiked]);
        let numbers = counted(&values);
        let spike = numbers.spike(bins);
        let cuts = quantile_cuts(&numbers, bins, spike);
        let mut with_gaps = values.clone();
        with_gaps.push(f64::NAN);
        let with_gaps = with_gaps.into_iter().collect();
        let listed = Numbers::unsorted(&with_gaps);
        prop_assert_eq!(listed.spike(bins), spike);
        prop_assert_eq!(&quantile_cuts(&listed, bins, spike), &cuts);
        prop_assert!(cuts.is_sound() && !cuts.at.is_empty() && cuts.at.len() < bins, "{:?}", cuts);
        let mut rows = vec![0; cuts.at.len() + 1];
        values.iter().for_each(|&value| rows[usize::from(cuts.state(value))] += 1);
        prop_assert!(rows.iter().all(|&n| n > 0), "{:?} {:?}", rows, cuts);
        if let Some(spike) = spike {
            let state = cuts.state(spike);
            prop_assert!(values.iter().all(|&x| x == spike || cuts.state(x) != state));
        }
        let different = values.iter().all(|x| values.iter().filter(|y| *y == x).count() == 1);
        if different && spike.is_none() {
            let share = values.len() as f64 / bins as f64;
            let near = |&n: &i32| (f64::from(n) - share).abs() <= 2.0 * SLACK * share + 2.0;
            prop_assert!(rows.iter().all(near), "{:?} of {} in {}", rows, values.len(), bins);
        }
        let labels = cuts.labels(&numbers.extent(spike));
        let mut unique = labels.clone();
        unique.sort();
        unique.dedup();
        prop_assert_eq!(unique.len(), cuts.at.len() + 1, "{:?} {:?}", labels, cuts);
    }

    #[test]
    fn width_states_are_those_of_the_formula(values in numbers(), bins in 2usize..8) {
        let numbers = counted(&values);
        let cuts = width_cuts(&numbers, bins);
        prop_assert_eq!(&width_cuts(&Numbers::unsorted(&values.iter().copied().collect()), bins), &cuts);
        prop_assert!(cuts.is_sound() && !cuts.at.is_empty());
        let (low, high) = (numbers.low, numbers.high);
        prop_assume!((high - low).is_finite());
        let bin = |x: f64| ((bins as f64 * (x - low) / (high - low)) as usize).min(bins - 1);
        let mut present: Vec<usize> = values.iter().map(|&x| bin(x)).collect();
        present.sort_unstable();
        present.dedup();
        for &x in &values {
            let expected = present.iter().position(|&b| b == bin(x)).unwrap();
            prop_assert_eq!(usize::from(cuts.state(x)), expected, "{} in {:?}", x, cuts);
        }
    }

    #[test]
    fn keys_sort_like_numbers(a in any::<f64>(), b in any::<f64>()) {
        prop_assume!(!a.is_nan() && !b.is_nan() && a + b != 0.0);
        prop_assert_eq!(sortable(a) < sortable(b), a < b);
        prop_assert_eq!(from_sortable(sortable(a)).to_bits(), a.to_bits());
    }
}
