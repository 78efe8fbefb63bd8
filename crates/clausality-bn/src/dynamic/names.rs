//! Names of variables at a step: `Rain@-2` was two steps ago, `Sales@3` comes three steps on, `Rain` alone is now.

use std::fmt;

/// Steps further away than this are no steps but a part of a name.
const FURTHEST: i64 = 1 << 40;

/// A variable, and the step at which it is meant.
///
/// What follows the last `@` is a step if it is a whole number; otherwise it belongs to the name, so that `me@home` is a
/// variable like any other.
///
/// ```
/// use clausality_bn::dynamic::Lagged;
/// assert_eq!(Lagged::parse("Rain@-2"), Lagged { name: "Rain", step: Some(-2) });
/// assert_eq!(Lagged::parse("me@home"), Lagged { name: "me@home", step: None });
/// assert_eq!(Lagged::at("Sales", 3).to_string(), "Sales@3");
/// assert_eq!(Lagged::parse("Sales").now(), 0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lagged<'a> {
    /// The variable.
    pub name: &'a str,
    /// The step, if one was written.
    pub step: Option<i64>,
}

impl<'a> Lagged<'a> {
    /// Reads a name with or without a step.
    pub fn parse(text: &'a str) -> Self {
        let whole = Lagged { name: text, step: None };
        let Some((name, step)) = text.rsplit_once('@') else { return whole };
        let digits = step.strip_prefix('-').unwrap_or(step);
        if name.is_empty() || digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return whole;
        }
        match step.parse::<i64>() {
            Ok(step) if step.abs() <= FURTHEST => Lagged { name, step: Some(step) },
            _ => whole,
        }
    }

    /// A variable at a step, which is written out even where it is 0.
    pub fn at(name: &'a str, step: i64) -> Self {
        Lagged { name, step: Some(step) }
    }

    /// A variable so many steps ago; without a mark where it is now.
    pub fn ago(name: &'a str, lag: usize) -> Self {
        Lagged { name, step: (lag > 0).then(|| -(lag as i64)) }
    }

    /// The step; without a mark, that is 0.
    pub fn now(&self) -> i64 {
        self.step.unwrap_or(0)
    }
}

impl fmt::Display for Lagged<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.step {
            Some(step) => write!(f, "{}@{step}", self.name),
            None => f.write_str(self.name),
        }
    }
}
