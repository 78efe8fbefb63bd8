//! Codes beside a run, so that a run that was interrupted does not make them again.
//!
//! Files are coded some at a time. When those are done, what they became is remembered with what else is finished of the work: which bytes of
//! the file beside it, with a digest of every column of every block. Whoever goes on reads these back, which is far quicker than coding, and
//! takes them if every one is as it was; from the first that is not, or was torn off by a power cut, rows are coded again. What is remembered
//! is named by the files with their lengths and times of change and by the coding: files that changed are coded anew.

use super::disk::{Shard, Shards, no_room};
use crate::data::{Beyond, Bounds, Coding};
use crate::error::Error;
use crate::folder::{Kept, open_plain};
use crate::watch::{Event, Stage, Underway, Watch};
use clausality_bn::Schema;
use std::fs;
use std::ops::Range;
use std::path::PathBuf;

/// Bytes of files that are coded together: a second's work or two. Tests have smaller files.
const AT_A_TIME: u64 = if cfg!(test) { 1 << 20 } else { 64 << 20 };

/// The codes of all rows of a table, those that are there and those that are not.
///
/// # Errors
/// Whatever is wrong with the table; a disk that does not take the codes; [`Error::Cancelled`].
pub(super) fn coded(
    path: PathBuf,
    beyond: &Beyond,
    coding: &Coding,
    schema: &Schema,
    bounds: &Bounds,
    kept: Kept<'_>,
    watch: &dyn Watch,
) -> Result<Shards, Error> {
    let spans = spans(beyond.files().map(|(_, length)| length), AT_A_TIME);
    // From now on there is something to go on from, if only what columns were decided from.
    kept.piece("looked at", || Ok(true))?;
    let of = kept.digest(&(beyond.content(), coding));
    let name = |span: usize| format!("codes {span} of {of}");
    let file = open_plain(&path, true).map_err(|error| no_room(&path, &error))?;
    let mut shards = Shards::empty(path.clone(), file, schema);
    let found =
        |span: &usize| kept.find::<Shard>(&name(*span)).is_some_and(|shard| shards.take_again(&shard));
    let there = (0..spans.len()).take_while(found).count();
    if there > 0 {
        watch.event(Event::Resumed { stage: Stage::Code, there: there as u64, of: spans.len() as u64 });
    }
    let left = beyond.rows().saturating_sub(shards.content.rows);
    let stage = Underway::begin(watch, Stage::Code, left.div_ceil(1 << 16));
    for (span, files) in spans.into_iter().enumerate().skip(there) {
        let (blocks, seen) = (shards.blocks(), shards.seen.clone());
        let read = shards.extend(&mut |see| {
            beyond.coded(files.clone(), coding, bounds, &mut |coded| {
                if watch.cancelled() {
                    return Err(Error::Cancelled);
                }
                see(coded)?;
                stage.step();
                Ok(())
            })
        });
        let read = read.and_then(|()| kept.keep(&name(span), &shards.since(blocks, &seen)));
        if let Err(error) = read {
            // A disk that is full is of more use to others than codes are.
            if matches!(error, Error::Folder(_)) {
                let _ = fs::remove_file(&path);
            }
            return Err(error);
        }
    }
    Ok(shards)
}

/// Files one beside the other that are coded together: as many as it takes to so many bytes.
fn spans(lengths: impl Iterator<Item = u64>, bytes: u64) -> Vec<Range<usize>> {
    let (mut spans, mut start, mut sum, mut end) = (Vec::new(), 0, 0, 0);
    for length in lengths {
        (sum, end) = (sum + length, end + 1);
        if sum >= bytes {
            spans.push(start..end);
            (start, sum) = (end, 0);
        }
    }
    if start < end {
        spans.push(start..end);
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_files_are_coded_together_and_every_one_once() {
        let of = |sizes: &[u64]| spans(sizes.iter().copied(), 64);
        assert_eq!(of(&[]), []);
        assert_eq!(of(&[1, 2, 3]), vec![Range { start: 0, end: 3 }]);
        assert_eq!(of(&[70, 1, 63, 64, 0, 900, 1]), [0..1, 1..3, 3..4, 4..6, 6..7]);
    }
}
