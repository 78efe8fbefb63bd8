//! What long work has finished, kept until its run is whole: killed and begun again, it goes on where it stopped.
//!
//! ```text
//! .clausality-DIR.scraps     line = digest ⇥ name ⇥ value;   the first line tells what work it is, every other holds a finished piece
//! ```
//!
//! A piece is a function of its name, its table, the settings and the seed; so one that is found is the one that would be made, and
//! what is made of both is the same to the last byte. Values are JSON, in which every finite number comes back as it was. A line is
//! written as soon as its piece is finished, so a kill loses nothing that was finished; the disk is asked to have the lines once a
//! second, beside the work. A line that was torn off by a power cut does not have its digest: it is left out with all after it.
//!
//! Of a table with more rows than are held two more files lie beside it: `.rows`, what a first look at them told (`data::FirstPass`), and
//! `.shards`, the codes of all of them. Both say by themselves whether they are whole.
//!
//! The file comes to be with the first piece and goes when the run takes its place, or when the work failed for a reason that would be
//! the same again. It is found by the command that comes next in the folder: work on another table or with other settings is refused in
//! one sentence, unless it is to start anew.

use super::lock::open_plain;
use super::place::Place;
use super::{FolderError, digest, sync};
use crate::data::Fingerprint;
use crate::elsewhere::Engine;
use crate::error::{Error, ErrorClass};
use crate::memory::TooMuch;
use crate::words::{counted, quoted};
use clausality_bn::Table;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// How long finished pieces wait until the disk is asked to have them.
const PATIENCE: Duration = Duration::from_secs(1);

/// The name of the first line.
const WORK: &str = "work";

/// The name of the piece that tells which rows there are where not all are held.
const ALL_ROWS: &str = "all rows";

const OTHER_TABLE: &str = "was of another table, or of the table before it was changed (rows and columns are as many, cells are others)";

/// What work is: pieces of any other are of no use to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Work {
    format: String,
    version: String,
    command: String,
    table: Fingerprint,
    /// What can be told of the table in words: its rows (those that are held), and its columns.
    #[serde(default)]
    rows: usize,
    #[serde(default)]
    columns: Vec<String>,
    settings: Map<String, Value>,
}

impl Work {
    /// What a command does with a table under its settings. What changes no result (threads, memory, what is shown) is no part of it.
    pub fn new(command: &str, table: &Table, settings: &impl Serialize) -> Self {
        let settings = match serde_json::to_value(settings) {
            Ok(Value::Object(map)) => map,
            Ok(other) => Map::from_iter([("settings".to_string(), other)]),
            Err(_) => Map::new(),
        };
        Work {
            format: "clausality-scraps/1".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            command: command.into(),
            table: Fingerprint::of(table),
            rows: table.rows(),
            columns: table.schema().variables().iter().map(|v| v.name.clone()).collect(),
            settings,
        }
    }

    /// What tells the table of earlier work from this one's, as far as that is known.
    fn other_table(&self, earlier: &Work) -> String {
        let lacks = |has: &[String], other: &[String]| -> Vec<String> {
            other.iter().filter(|name| !has.contains(name)).cloned().collect()
        };
        let (gone, new) = (lacks(&self.columns, &earlier.columns), lacks(&earlier.columns, &self.columns));
        let shape = |work: &Work| {
            let (rows, columns) = (counted(work.rows, "row"), counted(work.columns.len(), "column"));
            format!("{rows} of {columns}")
        };
        let of = |names: &[String]| {
            format!("{} {}", if names.len() == 1 { "column" } else { "columns" }, quoted(names, 4))
        };
        match (gone.as_slice(), new.as_slice()) {
            ([], []) if earlier.rows == self.rows => OTHER_TABLE.into(),
            ([], []) => format!("was of {}, and this table has {}", shape(earlier), shape(self)),
            (gone, []) => format!("was of a table with {}, and this has none such", of(gone)),
            ([], new) => format!("was of a table without {}, which this has", of(new)),
            (gone, new) => format!("was of a table with {}, and this has {}", of(gone), of(new)),
        }
    }

    /// What an earlier work was that this one is not; nothing if they are the same.
    fn was_not(&self, earlier: &Work) -> Option<String> {
        if (&earlier.format, &earlier.version) != (&self.format, &self.version) {
            return Some(format!("was made by version {}, and this is {}", earlier.version, self.version));
        }
        if earlier.command != self.command {
            return Some(format!("was of `{}`, and this is `{}`", earlier.command, self.command));
        }
        // Settings first: some change the table too.
        let names: std::collections::BTreeSet<&String> =
            earlier.settings.keys().chain(self.settings.keys()).collect();
        let of = |work: &Work, name: &str| match work.settings.get(name) {
            None | Some(Value::Null) => "not given".to_string(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        };
        let told: Vec<String> = names
            .into_iter()
            .map(|name| (name, of(earlier, name), of(self, name)))
            .filter(|(_, was, is)| was != is)
            .map(|(name, was, is)| format!("{name} {was}, and this has {is}"))
            .collect();
        match told.as_slice() {
            [] if earlier.table != self.table => Some(self.other_table(earlier)),
            [] => None,
            [one] => Some(format!("had {one}")),
            [one, _] => Some(format!("had {one} (and another setting differs)")),
            [one, others @ ..] => Some(format!("had {one} (and {} other settings differ)", others.len())),
        }
    }
}

/// The pieces of one work, on disk.
#[derive(Debug)]
pub struct Scraps {
    /// The folder as the user named it.
    shown: PathBuf,
    path: PathBuf,
    /// Whether the file there is of earlier work, which goes with the first piece of this.
    over_others: bool,
    work: Work,
    /// Where the values of the pieces begin that were there, and how long they are.
    found: BTreeMap<String, (u64, usize)>,
    reader: Mutex<Option<File>>,
    writer: Mutex<Option<Writer>>,
}

#[derive(Debug)]
struct Writer {
    file: File,
    /// The end of the last whole line.
    end: u64,
    /// Wakes whoever asks the disk; gone with the work.
    written: SyncSender<()>,
}

impl Scraps {
    /// Opens what an earlier command left of this work in or beside a folder. `fresh` begins anew: the first piece that is finished takes the
    /// place of all that was there, so that a command that comes to nothing loses nothing.
    ///
    /// # Errors
    /// [`FolderError::OtherWork`] if it is of another work; whatever keeps it from being read.
    pub(super) fn open(place: &Place, inside: bool, work: Work, fresh: bool) -> Result<Self, FolderError> {
        let cannot = |error: io::Error| {
            FolderError::cannot(&place.shown, "cannot read what was finished before", &error)
        };
        let path = scraps_of(place, inside);
        let mut scraps = Scraps {
            shown: place.shown.clone(),
            over_others: fresh && path.symlink_metadata().is_ok(),
            path,
            work,
            found: BTreeMap::new(),
            reader: Mutex::new(None),
            writer: Mutex::new(None),
        };
        if !fresh && scraps.path.symlink_metadata().is_ok() {
            scraps.read().map_err(cannot)??;
        }
        Ok(scraps)
    }

    /// Reads which pieces are there, up to the first line that is not whole.
    fn read(&mut self) -> io::Result<Result<(), FolderError>> {
        let file = open_plain(&self.path, false)?;
        let mut lines = BufReader::new(file.try_clone()?);
        let (mut end, mut line) = (0, Vec::new());
        while let Some((name, value)) = next(&mut lines, &mut line)? {
            if end == 0 {
                let earlier = (name == WORK).then(|| serde_json::from_slice::<Work>(&line[value..]).ok());
                match earlier.flatten().map(|earlier| self.work.was_not(&earlier)) {
                    // Of no use to anybody.
                    None => break,
                    Some(None) => {}
                    Some(Some(differs)) => {
                        let folder = self.shown.display().to_string();
                        return Ok(Err(FolderError::OtherWork { folder, differs }));
                    }
                }
            } else {
                self.found.insert(name, (end + value as u64, line.len() - value));
            }
            end += line.len() as u64 + 1;
        }
        if self.found.is_empty() {
            return fs::remove_file(&self.path).map(Ok);
        }
        // Another opening of the same file, for each has a place of its own in it.
        let to = open_plain(&self.path, false)?;
        to.set_len(end)?;
        let written = self.ask_the_disk(&to)?;
        *self.writer.get_mut().unwrap_or_else(PoisonError::into_inner) =
            Some(Writer { file: to, end, written });
        *self.reader.get_mut().unwrap_or_else(PoisonError::into_inner) = Some(file);
        Ok(Ok(()))
    }

    /// The pieces, for whoever does the work.
    pub fn kept(&self) -> Kept<'_> {
        Kept { scraps: Some(self), ..Kept::default() }
    }

    /// Whether all that lies there is of this command: then nothing is lost with it.
    fn is_in_vain(&self) -> bool {
        let begun = self.writer.lock().unwrap_or_else(PoisonError::into_inner).is_some();
        self.found.is_empty() && (begun || !self.over_others)
    }

    fn find(&self, name: &str) -> Option<Vec<u8>> {
        let &(start, length) = self.found.get(name)?;
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        let file = reader.as_mut()?;
        let mut value = vec![0; length];
        file.seek(SeekFrom::Start(start)).and_then(|_| file.read_exact(&mut value)).ok()?;
        Some(value)
    }

    fn keep(&self, name: &str, value: &impl Serialize) -> io::Result<()> {
        let line = line(name, value)?;
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if writer.is_none() {
            let file = open_plain(&self.path, true)?;
            file.set_len(0)?;
            let written = self.ask_the_disk(&file)?;
            let mut new = Writer { file, end: 0, written };
            let begun = self::line(WORK, &self.work).and_then(|head| new.append(&head));
            if let Err(error) = begun.and_then(|()| new.append(&line)) {
                // Without a piece it is of no use to anybody.
                let _ = fs::remove_file(&self.path);
                return Err(error);
            }
            *writer = Some(new);
            return Ok(());
        }
        match &mut *writer {
            Some(writer) => writer.append(&line),
            None => Ok(()),
        }
    }

    /// A thread that asks the disk to have what was written, at most once in a while.
    fn ask_the_disk(&self, file: &File) -> io::Result<SyncSender<()>> {
        let (written, asked): (SyncSender<()>, Receiver<()>) = sync_channel(1);
        let (file, above) = (file.try_clone()?, self.path.parent().map(Path::to_path_buf));
        let ask = move || {
            let mut named = false;
            while asked.recv().is_ok() {
                // What cannot be synced may still be read after a kill; whether it was whole the digests say.
                let _ = file.sync_data();
                if let Some(above) = above.as_deref().filter(|_| !named) {
                    named = sync(above).is_ok();
                }
                thread::sleep(PATIENCE);
            }
        };
        // Where no thread is to be had the disk writes when it likes.
        drop(thread::Builder::new().name("scraps".into()).stack_size(1 << 16).spawn(ask));
        Ok(written)
    }
}

impl Writer {
    /// Adds a line whole or not at all.
    fn append(&mut self, line: &[u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(self.end))?;
        if let Err(error) = self.file.write_all(line) {
            let _ = self.file.set_len(self.end);
            return Err(error);
        }
        self.end += line.len() as u64;
        // Somebody who is asked already need not be asked again.
        let _ = self.written.try_send(());
        Ok(())
    }
}

/// How the files of work that is not finished are called.
const SCRAPS: &str = "scraps";
const SHARDS: &str = "shards";
const ROWS: &str = "rows";

/// The command that a file of finished pieces is of.
pub(super) fn command_of(scraps: &Path) -> Option<String> {
    let mut line = Vec::new();
    let (name, value) = next(&mut BufReader::new(open_plain(scraps, false).ok()?), &mut line).ok()??;
    let work = serde_json::from_slice::<Work>(&line[value..]).ok().filter(|_| name == WORK);
    work.map(|work| work.command)
}

/// Removes what an earlier command left of its work, wherever it lies.
pub(super) fn remove(place: &Place) -> io::Result<()> {
    remove_all(place, &[SHARDS, ROWS, SCRAPS])
}

/// Removes what was looked at of a table for work of which nothing else is finished: looking again takes as long as it did.
pub(super) fn remove_idle(place: &Place) {
    let idle = place.all_scraps().into_iter().filter(|scraps| scraps.symlink_metadata().is_err());
    idle.for_each(|scraps| drop(super::steps::remove_all(&scraps.with_extension(ROWS))));
}

fn remove_all(place: &Place, endings: &[&str]) -> io::Result<()> {
    let all = place.all_scraps();
    let mut files = all.iter().flat_map(|path| endings.iter().map(|ending| path.with_extension(ending)));
    files.try_for_each(|path| super::steps::remove_all(&path))
}

/// Where what was seen of a table is kept, and whether work that is not finished lies there: what it was told stays.
pub(super) fn rows(place: &Place, inside: bool) -> (PathBuf, bool) {
    let scraps = scraps_of(place, inside);
    (scraps.with_extension(ROWS), scraps.symlink_metadata().is_ok())
}

/// Where the pieces lie, or will.
fn scraps_of(place: &Place, inside: bool) -> PathBuf {
    let usual = if inside { Some(place.scraps_inside()) } else { place.scraps() };
    let there = place.all_scraps().into_iter().find(|path| path.symlink_metadata().is_ok());
    there.or(usual).unwrap_or_else(|| place.scraps_inside())
}

fn line(name: &str, value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = vec![b' '; 32];
    line.push(b'\t');
    serde_json::to_writer(&mut line, name)?;
    line.push(b'\t');
    serde_json::to_writer(&mut line, value)?;
    let digest = digest(&line[33..]);
    line[..32].copy_from_slice(digest.as_bytes());
    line.push(b'\n');
    Ok(line)
}

/// Reads a line: the name and where the value begins in it; nothing where the file ends or a line is not whole.
fn next(lines: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Option<(String, usize)>> {
    line.clear();
    lines.read_until(b'\n', line)?;
    if line.pop() != Some(b'\n') || line.get(32) != Some(&b'\t') {
        return Ok(None);
    }
    if digest(&line[33..]).as_bytes() != &line[..32] {
        return Ok(None);
    }
    // JSON has no tabs but between its words.
    let Some(tab) = memchr::memchr(b'\t', &line[33..]) else { return Ok(None) };
    let name = serde_json::from_slice(&line[33..33 + tab]).ok();
    Ok(name.map(|name| (name, 33 + tab + 1)))
}

/// Where work finds pieces that are finished and leaves those that it finishes, and who makes those that are left; the default has none, keeps
/// none, and work is done here.
#[derive(Debug, Clone, Copy, Default)]
pub struct Kept<'a> {
    scraps: Option<&'a Scraps>,
    /// Which part of the work, where several have pieces of the same names.
    below: &'a str,
    engine: Option<&'a dyn Engine>,
}

impl<'a> Kept<'a> {
    /// The same where an engine has pieces made elsewhere, if there is one.
    pub fn made_by(self, engine: Option<&'a dyn Engine>) -> Self {
        Kept { engine, ..self }
    }

    /// Whoever makes pieces elsewhere.
    pub(crate) fn engine(&self) -> Option<&'a dyn Engine> {
        self.engine
    }

    /// The pieces of one part of the work.
    pub fn below(self, part: &'a str) -> Kept<'a> {
        Kept { below: part, ..self }
    }

    /// Where rows may lie that do not fit into memory, beside what is finished.
    pub(crate) fn beside(&self) -> Option<PathBuf> {
        self.scraps.map(|scraps| scraps.path.with_extension(SHARDS))
    }

    /// Whether anything is kept at all.
    pub fn is_on(&self) -> bool {
        self.scraps.is_some()
    }

    /// A short name for a table and the order of its columns, for names of pieces; empty where nothing is kept.
    pub(crate) fn table(&self, table: &Table) -> String {
        if !self.is_on() {
            return String::new();
        }
        let names: Vec<&str> = table.schema().variables().iter().map(|v| v.name.as_str()).collect();
        format!("{} {}", Fingerprint::of(table), self.digest(&names))
    }

    /// A short name for what else a piece is made of; empty where nothing is kept.
    pub(crate) fn digest(&self, value: &impl Serialize) -> String {
        if !self.is_on() {
            return String::new();
        }
        digest(&serde_json::to_vec(value).unwrap_or_default())[..16].to_string()
    }

    /// A piece, if it was finished before.
    pub(crate) fn find<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        let value = self.scraps?.find(&self.full(name))?;
        serde_json::from_slice(&value).ok()
    }

    /// Keeps a piece that is finished.
    pub(crate) fn keep(&self, name: &str, value: &impl Serialize) -> Result<(), Error> {
        let Some(scraps) = self.scraps else { return Ok(()) };
        let cannot = |error| {
            FolderError::cannot(&scraps.shown, "cannot write what is finished of the work", &error)
                .where_kept(scraps.path.is_file())
        };
        Ok(scraps.keep(&self.full(name), value).map_err(cannot)?)
    }

    /// Refuses to go on with work on other rows: what is held of a table may be the same where the rest was changed.
    pub(crate) fn of_all(&self, rows: &Fingerprint) -> Result<(), Error> {
        let Some(scraps) = self.scraps else { return Ok(()) };
        match self.find::<Fingerprint>(ALL_ROWS) {
            Some(earlier) if earlier == *rows => Ok(()),
            Some(_) => {
                let folder = scraps.shown.display().to_string();
                Err(FolderError::OtherWork { folder, differs: OTHER_TABLE.into() }.into())
            }
            None => self.keep(ALL_ROWS, rows),
        }
    }

    /// A piece that was finished before, or is now.
    pub(crate) fn piece<T: Serialize + DeserializeOwned>(
        &self,
        name: &str,
        work: impl FnOnce() -> Result<T, Error>,
    ) -> Result<T, Error> {
        if let Some(found) = self.find(name) {
            return Ok(found);
        }
        let found = work()?;
        self.keep(name, &found)?;
        Ok(found)
    }

    /// Hands on how the work ended: what would fail again is not worth keeping, but what was there before stays. Work that was stopped on its way for want of
    /// memory goes on where there is more.
    pub(crate) fn unless_in_vain<T>(&self, mut ended: Result<T, Error>) -> Result<T, Error> {
        let (Some(scraps), Err(error)) = (self.scraps, &mut ended) else { return ended };
        if let Error::Memory(much) = error
            && let TooMuch::Reached { kept, .. } | TooMuch::Addresses { kept, .. } = &mut **much
        {
            *kept = scraps.path.is_file();
        } else if matches!(error.class(), ErrorClass::Input | ErrorClass::Limit) && scraps.is_in_vain() {
            for ending in [SCRAPS, SHARDS, ROWS] {
                let _ = fs::remove_file(scraps.path.with_extension(ending));
            }
        }
        ended
    }

    fn full(&self, name: &str) -> String {
        if self.below.is_empty() { name.to_string() } else { format!("{}: {name}", self.below) }
    }
}
