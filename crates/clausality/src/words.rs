//! Words and numbers as a person would write them, and first of all states: what a clause asks of a variable.
//!
//! ```text
//! {<= 25, 26 to 50} of Age      Age <= 50                {26 to 50}            Age between 26 and 50
//! {51 to 75, >= 76}             Age >= 51                {blue} of Colour      Colour = blue
//! {medium, large} of Size       Size >= medium           all but {blue}        not Colour = blue
//! {red, grey} of seven          Colour is one of red, grey       all but {red, grey}   Colour is none of red, grey
//! ```
//!
//! Numbers that were cut into bins have intervals for labels; neighbouring ones are read as one interval. States are denied
//! rather than listed where that is shorter. A row without a value is in no state and meets no condition but "is missing", so
//! where a column has such rows a denial says so: "Colour known and not blue".

use clausality_bn::{Scale, Variable};
use std::borrow::Cow;

/// "This variable is in this state": an interval reads as one.
pub fn is(name: &str, state: &str) -> String {
    match Interval::of(state) {
        Some(Interval::Open(_, _)) => format!("{name} {state}"),
        Some(Interval::Between(from, to)) => format!("{name} between {from} and {to}"),
        _ => format!("{name} = {state}"),
    }
}

/// "This variable is in one of these states", by their codes (ascending), in the fewest words. `gaps` tells whether there are
/// rows in which it has no value.
pub(crate) fn is_one_of(variable: &Variable, codes: &[u8], gaps: bool) -> String {
    let name = &variable.name;
    let gap = variable.missing_state();
    let with_gap = gap.is_some_and(|g| codes.contains(&g));
    let values: Vec<u8> = codes.iter().copied().filter(|&c| Some(c) != gap).collect();
    let count = variable.cardinality() - usize::from(variable.has_missing_state);
    let label = |code: u8| variable.states[code as usize].as_str();
    let contiguous = values.windows(2).all(|w| w[1] == w[0] + 1);
    let known = gaps && !with_gap;
    let text = match values.as_slice() {
        [] => format!("{name} is missing"),
        all if all.len() == count && known => format!("{name} is not missing"),
        [one] => is(name, label(*one)),
        [low, .., high] if variable.scale == Scale::Ordered && contiguous => {
            stretch(variable, *low as usize, *high as usize, count)
        }
        several if variable.scale == Scale::Circular && round(several, count).is_some() => {
            let (first, last) = round(several, count).unwrap_or_default();
            format!("{name} from {} to {}", label(first), label(last))
        }
        // What is denied need not have a value: a gap is allowed without a word about it.
        most if most.len() * 2 > count => {
            let others = (0..count as u8).filter(|c| !most.contains(c)).map(label);
            return is_none_of(name, &others.collect::<Vec<_>>(), known);
        }
        several => {
            let labels: Vec<&str> = several.iter().map(|&c| label(c)).collect();
            format!("{name} is one of {}", listed(&labels))
        }
    };
    if with_gap && !values.is_empty() { format!("{text} or missing") } else { text }
}

/// "This variable is in none of these states", and if `known` is asked for, in another one.
pub(crate) fn is_none_of(name: &str, states: &[&str], known: bool) -> String {
    match (states, known) {
        ([one], false) => format!("not {}", is(name, one)),
        ([one], true) => match Interval::of(one) {
            Some(Interval::Between(from, to)) => format!("{name} known and not between {from} and {to}"),
            _ => format!("{name} known and not {one}"),
        },
        (several, false) => format!("{name} is none of {}", listed(several)),
        (several, true) => format!("{name} known and none of {}", listed(several)),
    }
}

/// A size as people say it, such as `256 MiB`.
pub(crate) fn readable_size(bytes: u64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let mut size = bytes as f64;
    let mut unit = 0;
    while size >= 1024.0 && unit + 1 < units.len() {
        size /= 1024.0;
        unit += 1;
    }
    let size = if size.fract() == 0.0 || size >= 100.0 { format!("{size:.0}") } else { format!("{size:.1}") };
    format!("{size} {}", units[unit])
}

/// Words in a row, the last two joined by "and".
pub(crate) fn and(words: &[&str]) -> String {
    joined(words, "and")
}

/// The same by "or".
pub(crate) fn or(words: &[&str]) -> String {
    joined(words, "or")
}

fn joined(words: &[&str], last_by: &str) -> String {
    match words {
        [] => String::new(),
        [one] => one.to_string(),
        [first @ .., last] => format!("{} {last_by} {last}", first.join(", ")),
    }
}

/// Labels with commas between; a label that holds one stands in quotes.
fn listed(labels: &[&str]) -> String {
    let quoted = |label: &&str| if label.contains(',') { format!("'{label}'") } else { label.to_string() };
    labels.iter().map(quoted).collect::<Vec<_>>().join(", ")
}

/// The first and the last of the codes if they follow each other on a circle of so many, the first coming after the last.
fn round(codes: &[u8], count: usize) -> Option<(u8, u8)> {
    let next = |code: u8| ((usize::from(code) + 1) % count) as u8;
    let mut lasts = codes.iter().copied().filter(|&code| !codes.contains(&next(code)));
    let (last, another) = (lasts.next()?, lasts.next());
    let first = codes.iter().copied().find(|&code| !codes.iter().any(|&other| next(other) == code))?;
    another.is_none().then_some((first, last))
}

/// Neighbouring states of an ordered variable with `count` of them.
fn stretch(variable: &Variable, low: usize, high: usize, count: usize) -> String {
    let (name, states) = (&variable.name, &variable.states[..count]);
    let intervals: Option<Vec<Interval>> = states.iter().map(|label| Interval::of(label)).collect();
    let intervals = intervals.filter(|all| all.iter().any(|i| !matches!(i, Interval::Point(_))));
    let Some(intervals) = intervals else {
        return match (low == 0, high + 1 == count) {
            (true, _) => format!("{name} <= {}", states[high]),
            (_, true) => format!("{name} >= {}", states[low]),
            _ => format!("{name} from {} to {}", states[low], states[high]),
        };
    };
    // Whether the ends belong to the intervals is written on the first and the last of them.
    let sign = |at: usize, otherwise: &'static str| match intervals[at] {
        Interval::Open(sign, _) => sign,
        _ => otherwise,
    };
    let (from, to) = (intervals[low].from(), intervals[high].to());
    match (low == 0, high + 1 == count) {
        (true, _) => format!("{name} {} {to}", sign(0, "<=")),
        (_, true) => format!("{name} {} {from}", sign(count - 1, ">=")),
        _ => format!("{name} between {from} and {to}"),
    }
}

/// A label that stands for numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Interval<'l> {
    /// `<= 25`, `< 25`, `> 75`, `>= 75`.
    Open(&'static str, &'l str),
    /// `26 to 50`.
    Between(&'l str, &'l str),
    /// `26`.
    Point(&'l str),
}

impl<'l> Interval<'l> {
    fn of(label: &'l str) -> Option<Self> {
        let number = |text: &'l str| text.parse::<f64>().is_ok_and(f64::is_finite).then_some(text);
        for sign in ["<=", ">=", "<", ">"] {
            if let Some(bound) = label.strip_prefix(sign) {
                return number(bound.strip_prefix(' ')?).map(|bound| Interval::Open(sign, bound));
            }
        }
        match label.split_once(" to ") {
            Some((from, to)) => Some(Interval::Between(number(from)?, number(to)?)),
            None => number(label).map(Interval::Point),
        }
    }

    fn from(self) -> &'l str {
        match self {
            Interval::Open(_, x) | Interval::Between(x, _) | Interval::Point(x) => x,
        }
    }

    fn to(self) -> &'l str {
        match self {
            Interval::Open(_, x) | Interval::Between(_, x) | Interval::Point(x) => x,
        }
    }
}

/// The lowest and the highest number that a label stands for, if it stands for numbers: `26 to 50`, `>= 76`, `3`.
pub(crate) fn numbers(label: &str) -> Option<(f64, f64)> {
    let number = |text: &str| text.parse::<f64>().unwrap_or(f64::NAN);
    Some(match Interval::of(label)? {
        Interval::Open("<" | "<=", bound) => (f64::NEG_INFINITY, number(bound)),
        Interval::Open(_, bound) => (number(bound), f64::INFINITY),
        Interval::Between(from, to) => (number(from), number(to)),
        Interval::Point(at) => (number(at), number(at)),
    })
}

/// Escapes what could move a cursor or reorder a line: control characters, line separators and bidi marks.
pub fn clean(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut cleaned = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            c if is_unsafe(c) => cleaned.extend(c.escape_default()),
            c => cleaned.push(c),
        }
    }
    Cow::Owned(cleaned)
}

pub(crate) fn is_unsafe(c: char) -> bool {
    let bidi =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || bidi || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')
}

/// A count as people write it: `12,345`.
pub fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Names in quotes; of many, the first few and how many more.
pub fn quoted(names: &[impl AsRef<str>], most: usize) -> String {
    first_of(names.iter().map(|name| format!("'{}'", name.as_ref())), most)
}

/// Words one after the other; of many, the first few and how many more.
pub(crate) fn first_of(words: impl ExactSizeIterator<Item = String>, most: usize) -> String {
    let more = words.len().saturating_sub(most);
    let mut shown: Vec<String> = words.take(most).collect();
    if more > 0 {
        shown.push(format!("and {} more", grouped(more)));
    }
    shown.join(", ")
}

/// `1 node`, `2 nodes`.
pub fn counted(count: usize, one: &str) -> String {
    let ending = match (count, one.ends_with('s')) {
        (1, _) => "",
        (_, true) => "es",
        (_, false) => "s",
    };
    format!("{} {one}{ending}", grouped(count))
}

/// `1 of 2 nodes`, `1 of 1 node`.
pub fn part_of(part: usize, all: usize, one: &str) -> String {
    format!("{} of {}", grouped(part), counted(all, one))
}

/// A share in percent. What is not quite everything, or not quite nothing, does not look like it.
pub fn percent(share: f64) -> String {
    match 100.0 * share {
        x if x > 99.0 && x < 100.0 => ">99%".into(),
        x if x > 0.0 && x < 1.0 => "<1%".into(),
        x => format!("{x:.0}%"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsafe_characters_are_escaped() {
        assert_eq!(clean("a\u{1b}[31m\n\u{202e}b"), "a\\u{1b}[31m\\n\\u{202e}b");
        assert!(matches!(clean("Straße 日本"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_part_is_of_as_many_as_there_are() {
        assert_eq!(part_of(1, 2, "node"), "1 of 2 nodes");
        assert_eq!(part_of(1, 1, "node"), "1 of 1 node");
        assert_eq!(part_of(1_000, 12_345, "row"), "1,000 of 12,345 rows");
    }

    #[test]
    fn sizes_are_readable() {
        assert_eq!(readable_size(256 << 20), "256 MiB");
        assert_eq!(readable_size(1536), "1.5 KiB");
        assert_eq!(readable_size(7), "7 bytes");
    }

    #[test]
    fn counts_and_shares() {
        assert_eq!([0, 999, 1000, 1234567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([1, 2000].map(|n| counted(n, "node")), ["1 node", "2,000 nodes"]);
        assert_eq!([0.0, 0.001, 0.5, 0.999, 1.0].map(percent), ["0%", "<1%", "50%", ">99%", "100%"]);
    }

    fn ordered(states: &[&str]) -> Variable {
        Variable { scale: Scale::Ordered, ..Variable::new("Age", states.iter().copied()) }
    }

    #[test]
    fn bins_read_as_intervals() {
        let whole = ordered(&["<= 25", "26 to 50", "51 to 75", ">= 76"]);
        let says = |codes: &[u8]| is_one_of(&whole, codes, false);
        assert_eq!(says(&[0]), "Age <= 25");
        assert_eq!(says(&[1]), "Age between 26 and 50");
        assert_eq!(says(&[0, 1]), "Age <= 50");
        assert_eq!(says(&[1, 2]), "Age between 26 and 75");
        assert_eq!(says(&[2, 3]), "Age >= 51");
        assert_eq!(says(&[3]), "Age >= 76");
        assert_eq!(says(&[0, 3]), "Age is one of <= 25, >= 76");
        // Where the cuts belong to the state below, what lies above them is strictly above.
        let dense = ordered(&["<= -0.673", "-0.673 to 0.002", "0.002 to 0.677", "> 0.677"]);
        assert_eq!(is_one_of(&dense, &[1, 2, 3], false), "Age > -0.673");
        assert_eq!(is_one_of(&dense, &[0, 1, 2], false), "Age <= 0.677");
        let above = ordered(&["< 10", "10 to 20", ">= 20"]);
        assert_eq!(is_one_of(&above, &[0, 1], false), "Age < 20");
        assert_eq!(is_one_of(&above, &[1, 2], false), "Age >= 10");
        let ends = ordered(&["0", "1 to 3", "4 to 6", "7"]);
        assert_eq!(is_one_of(&ends, &[0, 1], false), "Age <= 3");
        assert_eq!(is_one_of(&ends, &[2, 3], false), "Age >= 4");
        assert_eq!(is_one_of(&ends, &[0], false), "Age = 0");
    }

    #[test]
    fn words_stay_words() {
        let size = Variable { name: "Size".into(), ..ordered(&["small", "medium", "large", "huge"]) };
        assert_eq!(is_one_of(&size, &[1, 2, 3], false), "Size >= medium");
        assert_eq!(is_one_of(&size, &[0, 1], false), "Size <= medium");
        assert_eq!(is_one_of(&size, &[1, 2], false), "Size from medium to large");
        let few = ordered(&["1", "2", "3"]);
        assert_eq!(is_one_of(&few, &[1, 2], false), "Age >= 2");
        let colour = Variable::new("Colour", ["red", "blue", "green", "grey"]);
        assert_eq!(is_one_of(&colour, &[0, 2, 3], false), "not Colour = blue");
        assert_eq!(is_one_of(&colour, &[0, 3], false), "Colour is one of red, grey");
        let gaps = Variable { has_missing_state: true, ..Variable::new("Kind", ["a", "b", "missing"]) };
        assert_eq!(is_one_of(&gaps, &[2], true), "Kind is missing");
        assert_eq!(is_one_of(&gaps, &[0, 1], true), "Kind is not missing");
        assert_eq!(is_one_of(&gaps, &[0, 2], true), "Kind = a or missing");
        assert_eq!(is("Tag", "<b>"), "Tag = <b>");
        assert_eq!(is("Way", "Paris to Rome"), "Way = Paris to Rome");
    }

    #[test]
    fn a_denial_says_that_there_is_a_value() {
        let boat = Variable { has_missing_state: true, ..Variable::new("boat", ["A", "B", "D", "missing"]) };
        assert_eq!(is_one_of(&boat, &[0, 1], true), "boat known and not D");
        assert_eq!(is_one_of(&boat, &[0, 1, 3], true), "not boat = D");
        assert_eq!(is_one_of(&boat, &[2], true), "boat = D");
        // Without a state for gaps there may be gaps all the same.
        let bare = Variable::new("boat", ["A", "B", "D"]);
        assert_eq!(is_one_of(&bare, &[0, 1], true), "boat known and not D");
        assert_eq!(is_one_of(&bare, &[0, 1], false), "not boat = D");
        assert_eq!(is_one_of(&bare, &[0, 1, 2], true), "boat is not missing");
        let mut age = ordered(&["<= 25", "26 to 50", "51 to 75", ">= 76", "missing"]);
        age.has_missing_state = true;
        assert_eq!(is_one_of(&age, &[0, 2, 3], true), "Age known and not between 26 and 50");
        assert_eq!(is_one_of(&age, &[1, 2, 3], true), "Age >= 26");
    }

    #[test]
    fn of_many_states_the_fewer_are_named() {
        let states = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"];
        let many = Variable::new("Job", states);
        assert_eq!(is_one_of(&many, &[0, 3, 7], false), "Job is one of a, d, h");
        let towns = Variable::new("Town", ["Belfast", "Paris, TX", "Rome", "Oslo"]);
        assert_eq!(is_one_of(&towns, &[0, 1], false), "Town is one of Belfast, 'Paris, TX'");
        assert_eq!(is_one_of(&many, &[0, 1, 3, 4, 5, 6, 7, 8], false), "Job is none of c, j, k");
        assert_eq!(is_one_of(&many, &[0, 1, 3, 4, 5, 6, 7, 8], true), "Job known and none of c, j, k");
    }
}
