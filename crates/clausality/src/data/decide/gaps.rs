//! Which rows are left when those with gaps are dropped, and which columns are worth that.
//!
//! What is left of a column after its gaps cost their rows may no longer be worth using (one value, say). Its gaps would then
//! cost rows for nothing, so it is left out, the one with most gaps first, and the rest decided again.

use crate::data::cells::column::Column;
use crate::data::decide::infer;
use crate::data::decide::verdict::{Verdict, Warning};
use crate::data::read::raw::RawTable;
use crate::data::{DataSettings, MissingRule, NoticeKind, Problem};
use crate::error::Error;
use std::collections::BTreeMap;

/// What dropping rows with gaps comes to.
pub(in crate::data) struct Settled {
    /// The columns that cost rows, with their gaps, most first.
    pub(in crate::data) costs: Vec<(usize, String)>,
    /// The rows that are left.
    pub(in crate::data) keep: Vec<bool>,
    /// The columns with gaps that are not used.
    pub(in crate::data) unused: BTreeMap<String, Verdict>,
}

/// Settles which columns with gaps are used.
pub(in crate::data) fn settle(raw: &RawTable, settings: &DataSettings) -> Result<Settled, Error> {
    let mut unused = BTreeMap::new();
    let mut used: Vec<(usize, &Column)> = Vec::new();
    for column in raw.columns.iter().filter(|column| *settings.missing.of(&column.name) == MissingRule::Drop)
    {
        let verdict = infer::decide(column, raw, settings)?;
        match (verdict.missing, verdict.variables.is_empty()) {
            (0, _) => {}
            (_, true) => drop(unused.insert(column.name.clone(), verdict)),
            (missing, false) => used.push((missing, column)),
        }
    }
    used.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.name.cmp(&b.1.name)));
    loop {
        let keep = without_gaps(raw, &used);
        if let Some(&(missing, most)) = used.first()
            && !keep.contains(&true)
        {
            let column = most.name.clone();
            return Err(raw.refuse(Problem::AllRowsDropped { column, missing, rows: raw.rows }));
        }
        let Some((place, verdict)) = wasted(raw, &used, &keep, settings)? else {
            let costs = used.into_iter().map(|(missing, column)| (missing, column.name.clone())).collect();
            return Ok(Settled { costs, keep, unused });
        };
        let (_, column) = used.remove(place);
        unused.insert(column.name.clone(), verdict);
    }
}

/// The rows without a gap in these columns.
fn without_gaps(raw: &RawTable, columns: &[(usize, &Column)]) -> Vec<bool> {
    let mut keep = vec![true; raw.rows];
    for (_, column) in columns {
        keep.iter_mut().zip(column.gaps(&raw.marks)).for_each(|(keep, gap)| *keep &= !gap);
    }
    keep
}

/// The first of the columns that is not worth using in the rows that are left, and why.
fn wasted(
    raw: &RawTable,
    columns: &[(usize, &Column)],
    keep: &[bool],
    settings: &DataSettings,
) -> Result<Option<(usize, Verdict)>, Error> {
    for (place, (_, column)) in columns.iter().enumerate() {
        let mut rest = (*column).clone();
        rest.retain(keep);
        let verdict = infer::decide(&rest, raw, settings)?;
        if verdict.variables.is_empty() {
            let reason = format!("in the rows without gaps, {}", verdict.reason);
            let warnings = vec![Warning::new(NoticeKind::Column, format!("{reason}: dropped"))];
            return Ok(Some((place, Verdict { reason, warnings, ..verdict })));
        }
    }
    Ok(None)
}
