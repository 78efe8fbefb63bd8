//! Codes of rows in a file that is read block by block.
//!
//! ```text
//! file  = block, block, …        block = the codes of each variable, one after the other; a byte a cell
//! digest (block, variable) of its bytes, held in memory and looked at whenever they are read
//! ```
//!
//! Where the work keeps what is finished, the file lies beside it and stays until that goes, so that an interrupted run does not code its rows
//! again (`again`). Else it is among the system's temporary files and has a name only until it is opened (where a system allows that), so
//! nothing is left of it however the work ends, and nobody else can change it. Reading goes through buffers of whoever counts: what is
//! resident does not grow with the rows.

use super::said::{Answer, Content, Question, Seen};
use super::view::View;
use crate::data::{Coded, Lanes};
use crate::error::Error;
use crate::folder::FolderError;
use crate::watch::Watch;
use crate::words::grouped;
use clausality_bn::Schema;
use clausality_bn::counts::{Blocks, Sum, sums};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// What failed where the disk does not take codes, and what to do.
const NO_ROOM: &str = "cannot keep the codes of all rows here, a byte a cell (a run folder on another disk, or TMPDIR, is another place)";

/// That a disk does not take codes.
pub(super) fn no_room(path: &Path, error: &io::Error) -> Error {
    FolderError::cannot(path.parent().unwrap_or(path), NO_ROOM, error).into()
}

/// The most who count at the same time: each holds a block of its own, and sums.
pub(super) const MOST_HANDS: usize = 8;

/// Rows on disk.
#[derive(Debug)]
pub(super) struct Shards {
    path: PathBuf,
    file: File,
    states: Vec<usize>,
    has_gaps: Vec<bool>,
    blocks: Vec<Block>,
    pub(super) content: Content,
    pub(super) seen: Seen,
}

/// Rows that lie together.
#[derive(Debug)]
struct Block {
    start: u64,
    /// The number of its first row.
    first: usize,
    rows: usize,
    /// Of each variable.
    digests: Vec<[u64; 2]>,
}

impl Block {
    fn read(&self, file: &File, variable: usize, codes: &mut Vec<u8>) -> io::Result<()> {
        let Block { start, first, rows, digests } = self;
        codes.resize(*rows, 0);
        read_at(file, start + (variable * rows) as u64, codes)?;
        if digest(codes) != digests[variable] {
            let what = format!("the codes of rows {} to {} changed", grouped(*first), grouped(first + rows));
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        Ok(())
    }
}

/// What is remembered of rows whose codes lie in a file: of each block its rows and the digests of its variables, and cells that were like none.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Shard {
    blocks: Vec<(usize, Vec<[u64; 2]>)>,
    unknown: BTreeMap<String, usize>,
    beyond: BTreeMap<String, usize>,
}

/// Whoever hands over rows of a table, a stretch at a time.
pub(super) type Reader<'r> = dyn FnMut(&mut dyn FnMut(Coded) -> Result<(), Error>) -> Result<(), Error> + 'r;

impl Shards {
    /// Keeps rows of this schema as they are read, for as long as nobody lets go of them.
    ///
    /// # Errors
    /// What the reader says; a disk that does not take the codes.
    pub(super) fn kept(path: PathBuf, schema: &Schema, read: &mut Reader<'_>) -> Result<Self, Error> {
        let file = opened(&path).map_err(|error| no_room(&path, &error))?;
        let mut shards = Shards::empty(path, file, schema);
        shards.extend(read)?;
        Ok(shards)
    }

    /// A file among the system's temporary ones that is gone with whoever has it open.
    ///
    /// # Errors
    /// A disk that does not take it.
    pub(super) fn nameless(schema: &Schema) -> Result<Self, Error> {
        Shards::kept(nameless(None), schema, &mut |_| Ok(()))
    }

    /// Hands over the codes of a variable, block by block.
    ///
    /// # Errors
    /// Codes that cannot be read, or changed.
    pub(super) fn each(&self, variable: usize, see: &mut dyn FnMut(&[u8])) -> Result<(), Error> {
        let mut codes = Vec::new();
        for block in &self.blocks {
            let read = block.read(&self.file, variable, &mut codes);
            read.map_err(|source| Error::Io { file: self.path.display().to_string(), source })?;
            see(&codes);
        }
        Ok(())
    }

    /// A file that holds nothing which is known of.
    pub(super) fn empty(path: PathBuf, file: File, schema: &Schema) -> Self {
        Shards {
            states: (0..schema.len()).map(|v| schema.cardinality(v)).collect(),
            has_gaps: vec![false; schema.len()],
            blocks: Vec::new(),
            content: Content::none(schema.len()),
            seen: Seen::nothing(schema.len()),
            file,
            path,
        }
    }

    /// Takes in further rows as they are read; whatever lies in the file behind those that are known goes.
    ///
    /// # Errors
    /// As [`Shards::kept`].
    pub(super) fn extend(&mut self, read: &mut Reader<'_>) -> Result<(), Error> {
        let path = self.path.clone();
        let failed = |error| no_room(&path, &error);
        let end = self.end();
        let placed = self.file.set_len(end).and_then(|()| (&self.file).seek(SeekFrom::Start(end)));
        let file = placed.and_then(|_| self.file.try_clone()).map_err(failed)?;
        let mut out = BufWriter::with_capacity(1 << 20, file);
        read(&mut |coded| self.add(&coded, &mut out).map_err(failed))?;
        out.flush().map_err(failed)?;
        self.has_gaps = self.seen.has_gaps();
        Ok(())
    }

    /// Where the codes of all rows that are known end.
    fn end(&self) -> u64 {
        (self.content.rows * self.states.len()) as u64
    }

    fn add(&mut self, coded: &Coded, out: &mut impl Write) -> io::Result<()> {
        let table = &coded.table;
        let mut block = self.begun(table.rows());
        for v in 0..self.states.len() {
            let codes = table.column(v);
            block.digests.push(digest(codes));
            out.write_all(codes)?;
            self.note(v, codes);
        }
        self.seen.remember(&coded.unknown, &coded.beyond);
        self.take(block);
        Ok(())
    }

    /// A block of so many rows behind all others.
    fn begun(&self, rows: usize) -> Block {
        Block { start: self.end(), first: self.content.rows, rows, digests: Vec::new() }
    }

    /// Takes note of the codes that a variable has in the rows that come next.
    fn note(&mut self, variable: usize, codes: &[u8]) {
        self.content.digests[variable].take(codes);
        self.seen.take(variable, codes);
    }

    fn take(&mut self, block: Block) {
        self.content.rows += block.rows;
        self.blocks.push(block);
    }

    /// The rows that were taken in since there were so many blocks, as they are remembered.
    pub(super) fn since(&self, blocks: usize, odd: &Seen) -> Shard {
        let blocks = self.blocks[blocks..].iter().map(|block| (block.rows, block.digests.clone()));
        let odd = self.seen.odd_since(odd);
        Shard { blocks: blocks.collect(), unknown: odd.0, beyond: odd.1 }
    }

    /// Takes in rows whose codes should be in the file, behind those that are known; whether they are, every one as it was.
    pub(super) fn take_again(&mut self, shard: &Shard) -> bool {
        let before = (self.blocks.len(), self.content.clone(), self.seen.clone());
        let mut codes = Vec::new();
        for (rows, digests) in &shard.blocks {
            let block = Block { digests: digests.clone(), ..self.begun(*rows) };
            let whole = digests.len() == self.states.len()
                && (0..digests.len()).all(|v| {
                    let read = block.read(&self.file, v, &mut codes).is_ok();
                    if read {
                        self.note(v, &codes);
                    }
                    read
                });
            if !whole {
                self.blocks.truncate(before.0);
                (self.content, self.seen) = (before.1, before.2);
                return false;
            }
            self.take(block);
        }
        self.seen.remember(&shard.unknown, &shard.beyond);
        self.has_gaps = self.seen.has_gaps();
        true
    }

    /// How many blocks there are.
    pub(super) fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// What these rows say to a question; on as many threads as there are.
    ///
    /// # Errors
    /// Codes that cannot be read, or changed; [`Error::Cancelled`]; a question about other variables.
    pub(super) fn answer(
        &self,
        schema: &Schema,
        question: &Question,
        watch: &dyn Watch,
    ) -> Result<Answer, Error> {
        question.check(self.states.len())?;
        let reading = Reading { shards: self, watch, failed: Mutex::new(None) };
        let view = question.by_name.then(|| View::by_name(schema, &reading));
        let blocks: &dyn Blocks = view.as_ref().map_or(&reading, |view| view);
        let all = self.blocks.len();
        let hands = rayon::current_num_threads().min(MOST_HANDS).min(all).max(1);
        let count =
            |hand: usize| sums(blocks, hand * all / hands..(hand + 1) * all / hands, &question.families);
        let found = (0..hands).into_par_iter().map(count).reduce_with(|one, other| added(one?, &other?));
        if let Some(source) = reading.failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(Error::Io { file: self.path.display().to_string(), source });
        }
        let sums = found.flatten().ok_or(Error::Cancelled)?;
        let seen = question.about.then(|| self.seen.clone());
        Ok(Answer { content: self.content.clone(), seen, sums })
    }

    /// Spoils codes from a place in a block on.
    #[cfg(test)]
    pub(super) fn write_at(&self, block: usize, place: u64, bytes: &[u8]) {
        let mut file = &self.file;
        file.seek(SeekFrom::Start(self.blocks[block].start + place)).unwrap();
        file.write_all(bytes).unwrap();
    }
}

/// Sums of the same families over other rows, added.
pub(super) fn added(mut one: Vec<Sum>, other: &[Sum]) -> Option<Vec<Sum>> {
    let same = one.len() == other.len();
    let all = one.iter_mut().zip(other).all(|(sum, more)| sum.add(more).is_some());
    (same && all).then_some(one)
}

/// The blocks for somebody who may call it off; what could not be read is remembered.
struct Reading<'s> {
    shards: &'s Shards,
    watch: &'s dyn Watch,
    failed: Mutex<Option<io::Error>>,
}

impl Blocks for Reading<'_> {
    fn states(&self) -> &[usize] {
        &self.shards.states
    }

    fn has_gaps(&self) -> &[bool] {
        &self.shards.has_gaps
    }

    fn blocks(&self) -> usize {
        self.shards.blocks.len()
    }

    fn read(&self, block: usize, variable: usize, codes: &mut Vec<u8>) -> bool {
        if self.watch.cancelled() {
            return false;
        }
        let read = self.shards.blocks[block].read(&self.shards.file, variable, codes);
        let failed = read.is_err();
        if let Err(error) = read {
            self.failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
        !failed
    }
}

fn digest(codes: &[u8]) -> [u64; 2] {
    let mut lanes = Lanes::new();
    lanes.take(codes);
    lanes.words()
}

/// A file that is there for whoever has it open, and for nobody else where that can be.
fn opened(path: &Path) -> io::Result<File> {
    // One that a killed command left, where it could not be without a name.
    let _ = std::fs::remove_file(path);
    let mut how = OpenOptions::new();
    how.read(true).write(true).create_new(true);
    #[cfg(windows)]
    {
        use std::os::windows::fs::OpenOptionsExt;
        // FILE_FLAG_DELETE_ON_CLOSE
        how.custom_flags(0x0400_0000);
    }
    let file = how.open(path)?;
    #[cfg(not(windows))]
    std::fs::remove_file(path)?;
    Ok(file)
}

/// A name in a folder, or among the temporary files of the system.
pub(super) fn nameless(folder: Option<&Path>) -> PathBuf {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let folder = folder.map_or_else(std::env::temp_dir, Path::to_path_buf);
    folder.join(format!(".clausality-{}-{number}.shards", std::process::id()))
}

#[cfg(unix)]
fn read_at(file: &File, start: u64, bytes: &mut [u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, start)
}

#[cfg(windows)]
fn read_at(file: &File, mut start: u64, mut bytes: &mut [u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        let read = std::os::windows::fs::FileExt::seek_read(file, bytes, start)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        (bytes, start) = (&mut bytes[read..], start + read as u64);
    }
    Ok(())
}
