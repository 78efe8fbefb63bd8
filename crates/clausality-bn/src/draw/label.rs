//! Names on paper: how wide a text is, how a long one is shortened, what XML can hold, and how large a node is.
//!
//! The width is a guess from the kind of each character, on the wide side of common sans-serif fonts, as nothing is known of the font that
//! will be there.

use super::DrawnNode;
use crate::error::shown;
use std::collections::BTreeMap;

/// The size of a name's letters.
pub(super) const NAME_SIZE: f64 = 13.0;
/// The size of a state's letters.
pub(super) const STATE_SIZE: f64 = 11.0;
/// The widest name, in the size of its letters.
const NAME_WIDTH: f64 = 156.0;
/// The widest label of a state.
const LABEL_WIDTH: f64 = 84.0;
/// Between the edge of a node and its text.
pub(super) const PADDING: f64 = 10.0;
/// The height of a line with a name.
pub(super) const NAME_HEIGHT: f64 = 28.0;
/// The height of a line with a state.
pub(super) const STATE_HEIGHT: f64 = 16.0;
/// Below the last state.
const FOOT: f64 = 7.0;
/// The width of a bar for a probability of one.
pub(super) const BAR_WIDTH: f64 = 60.0;
/// Room for a probability in figures.
pub(super) const SHARE_WIDTH: f64 = 40.0;
/// Between the columns of states, bars and figures.
pub(super) const COLUMN_GAP: f64 = 6.0;

/// How a node is filled with text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Card {
    /// The width of the node.
    pub(super) width: f64,
    /// The height of the node.
    pub(super) height: f64,
    /// The name as it is shown.
    pub(super) name: String,
    /// The labels of the states as they are shown.
    pub(super) labels: Vec<String>,
    /// The width of the column of labels.
    pub(super) label_width: f64,
}

impl Card {
    /// The cards of nodes that stand in one picture. What is shortened stays distinct: names from each other, and labels within a node.
    pub(super) fn of_all(nodes: &[DrawnNode]) -> Vec<Self> {
        let names: Vec<String> = nodes.iter().map(|node| shown(&node.name)).collect();
        let names = distinct(&names, NAME_SIZE, NAME_WIDTH);
        nodes.iter().zip(names).map(|(node, name)| Card::of(node, name)).collect()
    }

    /// The card of a node that is called so.
    fn of(node: &DrawnNode, name: String) -> Self {
        let name_width = width(&name, NAME_SIZE);
        let labels: Vec<String> = node.bars.iter().map(|bar| shown(&bar.label)).collect();
        let labels = distinct(&labels, STATE_SIZE, LABEL_WIDTH);
        let label_width = labels.iter().map(|label| width(label, STATE_SIZE)).fold(0.0, f64::max);
        let (mut inner, mut height) = (name_width.max(28.0), NAME_HEIGHT);
        if !labels.is_empty() {
            inner = inner.max(label_width + BAR_WIDTH + SHARE_WIDTH + 2.0 * COLUMN_GAP);
            height += STATE_HEIGHT * labels.len() as f64 + FOOT;
        }
        // Whole even numbers: the middle is a whole number too, and the file stays small.
        let width = 2.0 * ((inner + 2.0 * PADDING) / 2.0).ceil();
        Card { width, height, name, labels, label_width }
    }
}

/// The width of a text.
pub(super) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(advance).sum::<f64>() * size
}

/// How far a character moves the pen, in the size of the letters.
fn advance(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' => 0.33,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '/' | '-' | ' ' | '"' => 0.4,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '…' => 0.95,
        'a'..='z' | '0'..='9' | '_' => 0.6,
        'A'..='Z' => 0.7,
        // Marks that stand on the letter before them.
        '\u{300}'..='\u{36f}' | '\u{20d0}'..='\u{20ff}' | '\u{fe00}'..='\u{fe0f}' => 0.0,
        c if c < '\u{1100}' => 0.68,
        _ => 1.05,
    }
}

/// The text, or its beginning and its end around an ellipsis if it is wider than allowed.
pub(super) fn shortened(text: &str, size: f64, most: f64) -> String {
    if width(text, size) <= most {
        return text.to_string();
    }
    let chars: Vec<char> = text.chars().collect();
    let (mut head, mut tail) = (0, chars.len());
    let mut left = most / size - advance('…');
    while head < tail {
        // The beginning gets a little more than the end.
        let front = 2 * head <= 3 * (chars.len() - tail);
        let next = if front { chars[head] } else { chars[tail - 1] };
        left -= advance(next);
        if left < 0.0 {
            break;
        }
        if front { head += 1 } else { tail -= 1 }
    }
    let (head, tail): (String, String) = (chars[..head].iter().collect(), chars[tail..].iter().collect());
    format!("{}…{}", head.trim_end(), tail.trim_start())
}

/// Texts shortened so that those which differ still do. Where two would look the same, what follows the place where they part is kept; and
/// where that is not enough, they are numbered.
fn distinct(texts: &[String], size: f64, most: f64) -> Vec<String> {
    let mut short: Vec<String> = texts.iter().map(|text| shortened(text, size, most)).collect();
    for alike in alike(texts, &short) {
        let common = alike.iter().map(|&i| shared(&texts[alike[0]], &texts[i])).filter(|&n| n < usize::MAX);
        let common = common.min().unwrap_or(0);
        for i in alike {
            let head: String = texts[i].chars().take(common.min(KEPT)).collect();
            let head = format!("{}…", head.trim_end());
            let rest: String = texts[i].chars().skip(common).collect();
            short[i] = format!("{head}{}", shortened(&rest, size, most - width(&head, size)));
        }
    }
    for alike in alike(texts, &short) {
        for (number, i) in (1..).zip(alike) {
            let number = format!(" {number}");
            short[i] = format!("{}{number}", shortened(&texts[i], size, most - width(&number, size)));
        }
    }
    short
}

/// Letters at the beginning of a text that are kept where others begin the same way.
const KEPT: usize = 4;

/// Groups of different texts that look the same when shortened.
fn alike(texts: &[String], short: &[String]) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (i, text) in short.iter().enumerate().filter(|&(i, text)| *text != texts[i]) {
        groups.entry(text).or_default().push(i);
    }
    groups.into_values().filter(|group| group.len() > 1).collect()
}

/// How many letters two texts begin with alike; as many as there can be where they are the same.
fn shared(one: &str, other: &str) -> usize {
    if one == other { usize::MAX } else { one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count() }
}

/// A text as it may stand between tags or in an attribute of XML and HTML. Control characters are shown by their numbers, but for
/// ends of lines, as a tooltip may have several; what no document can hold becomes the sign for an unknown character.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // HTML of old knows no name for it.
            '\'' => out.push_str("&#39;"),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c if c.is_control() && c != '\n' => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_keep_both_ends() {
        assert_eq!(shortened("short", 13.0, 100.0), "short");
        let cut = shortened("the_first_half_of_a_name_and_the_second_half", 13.0, 120.0);
        assert!(cut.starts_with("the_fi") && cut.ends_with("alf") && cut.contains('…'), "{cut}");
        assert!(width(&cut, 13.0) <= 120.0);
        assert_eq!(shortened("日本語", 13.0, 1.0), "…");
    }

    #[test]
    fn what_is_shortened_stays_distinct() {
        let texts = |texts: &[&str]| texts.iter().map(|text| text.to_string()).collect::<Vec<_>>();
        let long = "how often did the customer of the shop call us in the month of";
        let names: Vec<String> =
            ["May", "June", "May again"].iter().map(|end| format!("{long} {end} last year")).collect();
        let short = distinct(&names, 13.0, 120.0);
        assert!(
            short[0].starts_with("how…") && short[0].contains("May") && short[1].contains("June"),
            "{short:?}"
        );
        let same = "the same beginning and after it nothing but";
        let hard = texts(&[
            &format!("{same} x {same} 1 {same}"),
            &format!("{same} x {same} 2 {same}"),
            "short",
            &format!("{same} y {same}"),
        ]);
        let short = distinct(&hard, 13.0, 90.0);
        for (i, one) in short.iter().enumerate() {
            assert!(width(one, 13.0) <= 90.0, "{one}");
            assert!(!short[..i].contains(one), "{short:?}");
        }
        assert_eq!(short[2], "short");
        assert_eq!(distinct(&texts(&["a", "b"]), 13.0, 90.0), ["a", "b"]);
    }

    #[test]
    fn nothing_is_left_that_xml_would_take_for_its_own() {
        assert_eq!(
            escaped("a<b>&\"c'\u{0}\u{ffff}\u{1b}\r\né"),
            "a&lt;b&gt;&amp;&quot;c&#39;\\u{0}\u{fffd}\\u{1b}\\u{d}\né"
        );
    }
}
