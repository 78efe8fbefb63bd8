//! What work will hold, added up before it begins.

use super::Room;
use crate::error::{Advice, Error};
use crate::words::{and, readable_size};
use thiserror::Error as ThisError;

/// The parts of a plan that a refusal names.
const NAMED: usize = 3;

/// How sure a plan is that knows only a part.
const AT_LEAST: &str = "at least";

/// What becomes of work that was stopped where what is finished is kept.
const GOES_ON: &str = "; what is finished is kept, and with more memory the same command goes on from there";

/// What some work will hold at the same time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    work: &'static str,
    how_sure: &'static str,
    needs: Vec<(String, u64)>,
    /// What would make it smaller, with the setting where there is one.
    ways: Vec<(&'static str, Option<Advice>)>,
}

/// Work that would take, or took, more memory than it may.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
pub enum TooMuch {
    /// Nothing was done yet.
    #[error("{work} needs {how_sure} {}{}, and the memory limit is {room}: {ways}", readable_size(*.bytes), in_parts(.parts))]
    Planned {
        /// What was to be done.
        work: &'static str,
        /// `about` or `at least`.
        how_sure: &'static str,
        /// What it needs.
        bytes: u64,
        /// The largest parts of that.
        parts: Vec<(String, u64)>,
        /// What it may take.
        room: Room,
        /// What could be done instead.
        ways: String,
        /// The settings that would change it.
        advice: Vec<Advice>,
    },
    /// It was stopped on its way.
    #[error(
        "{work} was stopped: it took {}, was not done, and the memory limit is {room}{}",
        readable_size(*.taken), if *.kept { GOES_ON } else { "" }
    )]
    Reached {
        /// What was being done.
        work: &'static str,
        /// What it had taken.
        taken: u64,
        /// What it may take.
        room: Room,
        /// Whether what is finished is kept.
        kept: bool,
        /// The settings that would change it.
        advice: Vec<Advice>,
    },
    /// What is held beside it leaves nothing for it.
    #[error("{work} was not begun: what is held for it takes {}, which leaves nothing of the memory limit of {room}", readable_size(*.taken))]
    NothingLeft {
        /// What was to be done.
        work: &'static str,
        /// What is taken already.
        taken: u64,
        /// What it may take.
        room: Room,
        /// The settings that would change it.
        advice: Vec<Advice>,
    },
    /// It was stopped before the address space ended.
    #[error(
        "{work} was stopped: {} of the {} of addresses that ulimit -v allows were taken, and the next step might not have found any: \
         allow more, or let fewer threads work, as each sets some aside{}",
        readable_size(*.mapped), readable_size(*.all), if *.kept { GOES_ON } else { "" }
    )]
    Addresses {
        /// What was being done.
        work: &'static str,
        /// What the process had taken.
        mapped: u64,
        /// What it may take.
        all: u64,
        /// Whether what is finished is kept.
        kept: bool,
        /// The settings that would change it.
        advice: Vec<Advice>,
    },
    /// The address space is too small to begin.
    #[error("ulimit -v allows {} of addresses, and at least {} are needed to begin: allow more", readable_size(*.all), readable_size(*.needed))]
    NoAddresses {
        /// What the process may take.
        all: u64,
        /// What it takes before it has done anything.
        needed: u64,
    },
}

impl TooMuch {
    /// Work for which nothing is left now.
    pub(crate) fn nothing_left(work: &'static str, room: Room) -> Self {
        let taken = room.taken();
        let more = room.could_be(taken).then(|| Advice::new("memory-limit", "SIZE"));
        TooMuch::NothingLeft { work, taken, room, advice: more.into_iter().collect() }
    }

    /// The settings that would change it.
    pub fn advice(&self) -> &[Advice] {
        match self {
            TooMuch::Planned { advice, .. }
            | TooMuch::Reached { advice, .. }
            | TooMuch::NothingLeft { advice, .. }
            | TooMuch::Addresses { advice, .. } => advice,
            TooMuch::NoAddresses { .. } => &[],
        }
    }
}

/// `: 11 GiB for this, 3 GiB for that`.
fn in_parts(parts: &[(String, u64)]) -> String {
    let part = |(what, bytes): &(String, u64)| format!("{} for {what}", readable_size(*bytes));
    let parts: Vec<String> = parts.iter().map(part).collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    if parts.is_empty() { String::new() } else { format!(" of memory ({})", and(&parts)) }
}

/// A product of sizes; what no number holds is as large as can be.
pub fn product(factors: &[usize]) -> u64 {
    factors.iter().fold(1u64, |bytes, &factor| bytes.saturating_mul(factor as u64))
}

/// What a text of so many bytes takes where it is held by itself: the allocator's share is in it.
pub fn text_bytes(length: usize) -> u64 {
    (length as u64 + 8).next_multiple_of(16).max(32)
}

impl Plan {
    /// Of work that is called so at the beginning of a sentence.
    pub fn new(work: &'static str) -> Self {
        Plan { work, how_sure: "about", needs: Vec::new(), ways: Vec::new() }
    }

    /// Of work of which a part is known so far.
    pub fn at_least(work: &'static str) -> Self {
        Plan { how_sure: AT_LEAST, ..Plan::new(work) }
    }

    /// Something that the work holds.
    pub fn need(mut self, what: impl Into<String>, bytes: u64) -> Self {
        self.needs.push((what.into(), bytes));
        self
    }

    /// All that another plan holds as well.
    pub fn and(mut self, other: Plan) -> Self {
        self.needs.extend(other.needs);
        for way in other.ways {
            if !self.ways.contains(&way) {
                self.ways.push(way);
            }
        }
        self
    }

    /// What would make it smaller.
    pub fn way(mut self, way: &'static str, advice: Option<Advice>) -> Self {
        self.ways.push((way, advice));
        self
    }

    /// Everything together.
    pub fn bytes(&self) -> u64 {
        self.needs.iter().fold(0u64, |sum, (_, bytes)| sum.saturating_add(*bytes))
    }

    /// Refuses what does not fit; without a room everything does.
    ///
    /// # Errors
    /// [`TooMuch::Planned`] with the largest parts.
    pub fn check(&self, room: Option<Room>) -> Result<(), Error> {
        let (bytes, Some(room)) = (self.bytes(), room) else { return Ok(()) };
        if bytes <= room.bytes.saturating_add(room.grace()) {
            return Ok(());
        }
        let mut parts = self.needs.clone();
        // The sort keeps the order of equals.
        parts.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
        // What is small beside the rest explains nothing.
        parts.retain(|(_, part)| part.saturating_mul(20) >= bytes);
        parts.truncate(NAMED);
        let mut ways: Vec<&str> = self.ways.iter().map(|(way, _)| *way).collect();
        let mut advice: Vec<Advice> = self.ways.iter().filter_map(|(_, advice)| advice.clone()).collect();
        let limit = enough(bytes);
        let raise = limit.as_ref().filter(|(bytes, _)| room.could_be(*bytes));
        match raise {
            Some((_, text)) => {
                ways.push("raise the limit");
                // What is known so far would not be enough.
                let partly = self.how_sure == AT_LEAST;
                advice.push(Advice::new("memory-limit", if partly { "SIZE" } else { text }));
            }
            None => ways.push("take a machine, a container or a shell with more"),
        }
        let ways = match ways.as_slice() {
            [first @ .., last] if !first.is_empty() => format!("{}, or {last}", first.join(", ")),
            all => all.concat(),
        };
        let Plan { work, how_sure, .. } = *self;
        Err(TooMuch::Planned { work, how_sure, bytes, parts, room, ways, advice }.into())
    }
}

/// A limit with which so much would be allowed, as it is typed.
fn enough(bytes: u64) -> Option<(u64, String)> {
    let (unit, letter) = if bytes < 1 << 30 { (1u64 << 20, 'M') } else { (1 << 30, 'G') };
    let count = bytes.div_ceil(unit);
    Some((count.checked_mul(unit)?, format!("{count}{letter}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::GRACE;

    #[test]
    fn a_refusal_has_numbers_and_a_way_out() {
        let plan = Plan::new("learning")
            .need("one thing", 10)
            .need("the strengths of 3 columns", 600 << 20)
            .need("machines", 3 << 30)
            .way("leave columns out", None);
        assert!(plan.check(None).is_ok());
        assert!(plan.check(Some(Room::of(4 << 30))).is_ok());
        let error = plan.check(Some(Room::of(1 << 30))).unwrap_err();
        let text = "learning needs about 3.6 GiB of memory (3 GiB for machines and 600 MiB for the strengths of 3 columns), and the \
                    memory limit is 1 GiB: leave columns out, or raise the limit";
        assert_eq!(error.to_string(), text);
        assert_eq!(error.advice(), [Advice::new("memory-limit", "4G")]);
        // What the advice says is enough.
        assert!(plan.check(Some(Room::of(4 << 30))).is_ok());
        let partly = Plan::at_least("learning").need("pairs", 3 << 30).check(Some(Room::of(1 << 30)));
        assert_eq!(partly.unwrap_err().advice(), [Advice::new("memory-limit", "SIZE")]);
    }

    #[test]
    fn sizes_that_no_number_holds_are_refused_too() {
        let huge = product(&[usize::MAX, usize::MAX, 8]);
        let error =
            Plan::new("it").need("all", huge).need("more", huge).check(Some(Room::of(u64::MAX - GRACE - 1)));
        assert!(error.is_err_and(|error| error.advice().is_empty()));
    }
}
