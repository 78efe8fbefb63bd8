//! The first pass over a table of which not all rows are held: made here or by others (`look`), and found again after an interruption.
//!
//! ```text
//! file = label (version, settings, files with their lengths and times of change), rows that are held, digest
//! ```
//!
//! It is whole or of no use, and of no use to other settings, another version or files that changed. What columns become is decided from it
//! again, which takes a second where reading took minutes.

use super::beyond::Beyond;
use super::cells::wire;
use super::fingerprint::Lanes;
use super::look::looked;
use super::read::raw::{Expect, RawTable};
use super::{Bounds, DataSettings};
use crate::elsewhere::Engine;
use crate::error::Error;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// How a table is looked at for the first time.
#[derive(Debug, Clone, Default)]
pub struct FirstPass<'a> {
    kept: Option<PathBuf>,
    beside_others: bool,
    engine: Option<&'a dyn Engine>,
}

impl<'a> FirstPass<'a> {
    /// Keeps what it finds in this file, and finds what it kept there.
    pub fn kept(path: Option<PathBuf>) -> Self {
        FirstPass { kept: path, ..FirstPass::default() }
    }

    /// The same where other work keeps its first pass in that file: if it is not this one, it stays.
    pub(crate) fn beside_others(self, beside_others: bool) -> Self {
        FirstPass { beside_others, ..self }
    }

    /// The same, made by the workers of an engine if these read files.
    pub fn made_by(self, engine: Option<&'a dyn Engine>) -> Self {
        FirstPass { engine, ..self }
    }

    /// The rows that are held of a table that may turn out to have more; `read` looks at all of them.
    pub(super) fn rows(
        self,
        beyond: &Beyond,
        settings: &DataSettings,
        bounds: &Bounds,
        expect: Expect<'_>,
        read: impl FnOnce() -> Result<RawTable, Error>,
    ) -> Result<RawTable, Error> {
        let read = || match self.engine {
            Some(engine) => match looked(engine, beyond, settings, bounds, expect)? {
                Some(raw) => Ok(raw),
                None => read(),
            },
            None => read(),
        };
        let Some(path) = self.kept.as_deref() else { return read() };
        let label =
            serde_json::to_vec(&(env!("CARGO_PKG_VERSION"), settings, beyond.content())).unwrap_or_default();
        if let Ok(found) = find(path, &label, &|from| RawTable::read(from, beyond.name(), settings, expect)) {
            found.check_memory(0, bounds)?;
            return Ok(found);
        }
        let raw = read()?;
        if self.beside_others {
            return Ok(raw);
        }
        if raw.drawn.of().is_some() && keep(path, &label, &raw).is_err() {
            // What cannot be kept is made again.
            let _ = fs::remove_file(path);
        }
        Ok(raw)
    }
}

fn keep(path: &Path, label: &[u8], raw: &RawTable) -> io::Result<()> {
    // Never what somebody put in its place.
    let _ = fs::remove_file(path);
    let file = OpenOptions::new().write(true).create_new(true).open(path)?;
    let mut sealed = Sealed { file, block: Vec::with_capacity(BLOCK), lanes: Lanes::new() };
    wire::put_bytes(&mut sealed, label)?;
    raw.write(&mut sealed)?;
    sealed.close()
}

/// What is kept under this label, if it is whole.
fn find<T>(path: &Path, label: &[u8], read: &dyn Fn(&mut dyn Read) -> io::Result<T>) -> io::Result<T> {
    if !path.symlink_metadata()?.is_file() {
        // What somebody put in its place: a pipe would never answer.
        return Err(wire::torn());
    }
    let file = File::open(path)?;
    let mut from = BufReader::with_capacity(BLOCK, &file);
    // Another label is seen at once.
    if wire::take_bytes(&mut from)? != label || !is_whole(&file)? {
        return Err(wire::torn());
    }
    (&file).rewind()?;
    let mut from = BufReader::with_capacity(BLOCK, &file);
    wire::take_bytes(&mut from)?;
    read(&mut from)
}

/// Bytes that are digested together.
const BLOCK: usize = 1 << 16;

/// A file with a digest of all that was written at its end.
struct Sealed {
    file: File,
    block: Vec<u8>,
    lanes: Lanes,
}

impl Sealed {
    fn end_block(&mut self) -> io::Result<()> {
        self.lanes.take(&self.block);
        self.file.write_all(&self.block)?;
        self.block.clear();
        Ok(())
    }

    fn close(mut self) -> io::Result<()> {
        self.end_block()?;
        self.file.write_all(self.lanes.name().as_bytes())
    }
}

impl Write for Sealed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(BLOCK - self.block.len());
        self.block.extend_from_slice(&bytes[..taken]);
        if self.block.len() == BLOCK {
            self.end_block()?;
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Whether all that was written is there.
fn is_whole(mut file: &File) -> io::Result<bool> {
    let digest = Lanes::new().name().len() as u64;
    let Some(mut left) = file.metadata()?.len().checked_sub(digest) else { return Ok(false) };
    file.rewind()?;
    let (mut lanes, mut block) = (Lanes::new(), Vec::with_capacity(BLOCK));
    loop {
        block.clear();
        file.take(left.min(BLOCK as u64)).read_to_end(&mut block)?;
        lanes.take(&block);
        left -= block.len() as u64;
        // The last block is shorter than others, if by all its bytes.
        if block.len() < BLOCK {
            break;
        }
    }
    let mut end = String::new();
    file.take(digest + 1).read_to_string(&mut end)?;
    Ok(left == 0 && end == lanes.name())
}
