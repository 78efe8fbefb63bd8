//! What a table is read and coded for, and what that will hold whatever its cells are.

use crate::data::read::raw::RawTable;
use crate::error::{Advice, Error};
use crate::memory::{Plan, Room, product};
use crate::words::counted;

/// What a table is coded for.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::data) struct Purpose {
    /// Columns that it needs.
    pub(in crate::data) least: usize,
    /// Where it is to be learned from: what there is for that.
    pub(in crate::data) learned_in: Option<Room>,
    /// What some rows of a long table are good for, if they may stand for all.
    pub(in crate::data) some_rows: Option<&'static str>,
}

/// What learning from a wide table holds for every pair of columns: a strength with its name, how much they say of each other, and what a
/// search knows of them. The whole plan needs the coded table, and of ten thousand columns reading and coding take longer than anybody
/// waits for a refusal.
const PAIR_BYTES: usize = 200;

/// Rows after which it is plain that a column varies and is no name.
const PLAIN: usize = 50;

impl Purpose {
    /// Refuses more columns than there is room for.
    pub(in crate::data) fn check_pairs(&self, columns: usize) -> Result<(), Error> {
        let what = format!("the strengths of {} about each other", counted(columns, "column"));
        let plan = Plan::at_least("learning").need(what, product(&[columns, columns, PAIR_BYTES]));
        plan.way("leave columns out", Some(Advice::new("type", "COL=ignore"))).check(self.learned_in)
    }

    /// The same while a table is being read, from the columns that will be used whatever follows.
    pub(in crate::data) fn check_so_far(&self, raw: &RawTable) -> Result<(), Error> {
        if raw.rows < PLAIN || self.check_pairs(raw.columns.len()).is_ok() {
            return Ok(());
        }
        let plain = raw.columns.iter().filter(|column| column.is_plain(raw.rows, &raw.marks));
        self.check_pairs(plain.count())
    }
}
