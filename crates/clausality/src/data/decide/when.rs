//! Years and months that are plain numbers say when, as parts of dates do.
//!
//! ```text
//! year   whole numbers from 1800 to 2100, or from 50 to 99, of which half or more of those from the first to the last are there, or twelve at most
//! month  four or more whole numbers from 1 to 12
//! ```
//!
//! and the column is called so: `year`, `sample.yr`, `acceptyear`. Much else is counted in years, and a year may be somebody's own (`birth_year`,
//! `year_built`, `model_yr`), which other columns may well decide. No number tells, so that of a longer name all other words must be known to be of
//! those that go with a when.

use crate::data::cells::column::Column;
use crate::data::cells::marks::Marks;
use crate::data::decide::groups::YEARS;
use crate::data::decide::verdict::Verdict;
use crate::data::report::Kind;

/// Years that are written by their last two digits; fewer than fifty may be anything.
const SHORT_YEARS: std::ops::RangeInclusive<f64> = 50.0..=99.0;
/// So many different years need not be next to each other.
const FEW_YEARS: usize = 12;
/// More different numbers are no years.
const MOST_YEARS: usize = 301;
/// Fewer different months than this may be counted months.
const MONTHS: usize = 4;

/// What stands beside "year" or "month" in the name of a when: of whatever the rows are about, and when that was looked at.
const OF_A_WHEN: [&str; 52] = [
    "academic",
    "accept",
    "accident",
    "admission",
    "admit",
    "arrest",
    "at",
    "calendar",
    "case",
    "cal",
    "collection",
    "crime",
    "data",
    "date",
    "diagnosis",
    "dx",
    "election",
    "enrol",
    "enroll",
    "enrollment",
    "entry",
    "event",
    "fiscal",
    "for",
    "incident",
    "in",
    "interview",
    "measurement",
    "obs",
    "observation",
    "observed",
    "of",
    "record",
    "recorded",
    "report",
    "reported",
    "reporting",
    "sale",
    "sample",
    "sampling",
    "school",
    "season",
    "sold",
    "study",
    "survey",
    "the",
    "transaction",
    "treatment",
    "trip",
    "tx",
    "visit",
    "wave",
];

/// Whether a column says when the rows were, by its name and its numbers.
pub(super) fn says_when(column: &Column, verdict: &Verdict, marks: &Marks) -> bool {
    let may_be = matches!(verdict.kind, Kind::Numeric | Kind::Ordered) && verdict.distinct.0 <= MOST_YEARS;
    if !may_be || Unit::of(&column.name).is_none() {
        return false;
    }
    let mut known: Vec<f64> = column.numbers(marks).into_iter().filter(|value| !value.is_nan()).collect();
    known.sort_unstable_by(f64::total_cmp);
    known.dedup();
    unit_of(&column.name, &known).is_some()
}

/// What the different numbers of a column of this name are, in rising order, if they say when.
pub(super) fn unit_of(name: &str, known: &[f64]) -> Option<Unit> {
    let unit = Unit::of(name)?;
    let (&first, &last) = known.first().zip(known.last())?;
    let lie = |range: std::ops::RangeInclusive<f64>| range.contains(&first) && range.contains(&last);
    let dense = known.len() <= FEW_YEARS || 2 * known.len() > (last - first) as usize;
    let are_so = known.iter().all(|value| value.fract() == 0.0)
        && match unit {
            Unit::Year => (lie(YEARS) || lie(SHORT_YEARS)) && dense,
            Unit::Month => known.len() >= MONTHS && lie(1.0..=12.0),
        };
    are_so.then_some(unit)
}

/// What a number says of when.
pub(super) enum Unit {
    Year,
    Month,
}

impl Unit {
    /// What a name says that a column holds, if it says that and nothing else.
    fn of(name: &str) -> Option<Self> {
        let mut unit = None;
        for word in words(name) {
            let (before, own) =
                if let Some(before) = ["year", "yr"].iter().find_map(|end| word.strip_suffix(end)) {
                    (before, Some(Unit::Year))
                } else if let Some(before) = word.strip_suffix("month") {
                    (before, Some(Unit::Month))
                } else {
                    (word.as_str(), None)
                };
            let is_known = before.is_empty() && own.is_some() || OF_A_WHEN.contains(&before);
            // Months of years are something else.
            if !is_known || unit.is_some() && own.is_some() {
                return None;
            }
            unit = unit.or(own);
        }
        unit
    }
}

/// The words of a name in small letters: `SampleYr`, `sample.yr` and `SAMPLE_YR` are two.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() || letter.is_uppercase() && was_small {
            words.push(String::new());
        }
        was_small = letter.is_lowercase();
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
            word.extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use crate::data::{self, Bounds, DataSettings, Input, Role};

    fn is_calendar(name: &str, value: fn(usize) -> String) -> bool {
        let rows: String =
            (0..300).map(|k| format!("{},{}\n", value(k * k % 307), ["a", "b"][k % 2])).collect();
        let text = format!("{name},other\n{rows}");
        let input = Input::csv(text.as_bytes(), "t.csv");
        let dataset = data::read(input, &DataSettings::default(), &Bounds::default()).unwrap();
        assert!(!dataset.report[0].variables.is_empty(), "{name}: {}", dataset.report[0].reason);
        dataset.report[0].role == Some(Role::Calendar)
    }

    #[test]
    fn years_and_months_that_are_numbers_say_when() {
        let year = |k: usize| (1980 + k % 8).to_string();
        for name in [
            "year",
            "Year",
            "YEAR",
            "sample.yr",
            "acceptyear",
            "dxyr",
            "SurveyYear",
            "year_of_study",
            "yr sold",
        ] {
            assert!(is_calendar(name, year), "{name}");
        }
        assert!(is_calendar("acceptyear", |k| (67 + k % 8).to_string()), "by two digits");
        assert!(is_calendar("year", |k| [1978, 1981][k % 2].to_string()), "two years");
        assert!(is_calendar("month", |k| (1 + k % 12).to_string()));
    }

    /// As those of a date: a state each, months in a circle; who says what the column is says that it is no calendar part.
    #[test]
    fn months_have_a_state_each_unless_asked() {
        let rows: String = (0..300).map(|k| format!("{},{}\n", 1 + k * 5 % 12, ["a", "b"][k % 2])).collect();
        let read = |settings: &DataSettings| {
            let text = format!("month,other\n{rows}");
            data::read(Input::csv(text.as_bytes(), "t.csv"), settings, &Bounds::default()).unwrap()
        };
        let found = read(&DataSettings::default());
        let month = found.table.schema().variable(0);
        assert_eq!((month.cardinality(), month.scale), (12, clausality_bn::Scale::Circular));
        let mut settings = DataSettings::default();
        settings.types.insert("month".into(), data::ColumnType::Numeric);
        let found = read(&settings);
        assert!(found.table.schema().cardinality(0) < 12);
        assert_eq!(found.report[0].role, Some(Role::Observed));
    }

    #[test]
    fn years_of_somebody_and_counted_years_say_nothing_of_when() {
        let year = |k: usize| (1950 + k % 40).to_string();
        for name in [
            "birthyear",
            "birth_year",
            "yearBorn",
            "year_built",
            "model_yr",
            "yearly",
            "age",
            "hit_year",
            "year_month",
        ] {
            assert!(!is_calendar(name, year), "{name}");
        }
        assert!(!is_calendar("year", |k| (1 + k % 5).to_string()), "the year at school");
        assert!(!is_calendar("year", |k| format!("{}.5", 1980 + k % 8)));
        assert!(!is_calendar("year", |k| (1800 + k % 30 * 10 + k % 3).to_string()), "few of many");
        assert!(!is_calendar("month", |k| (k % 30).to_string()), "months that passed");
        assert!(!is_calendar("years", |k| (1980 + k % 8).to_string()));
    }
}
