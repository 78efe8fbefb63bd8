//! All rows of a table that has more than are held, as codes on disk, to be counted block by block.
//!
//! ```text
//! file  = block, block, …        block = the codes of each variable, one after the other; a byte a cell
//! digest (block, variable) of its bytes, held in memory and looked at whenever they are read
//! ```
//!
//! The file lies where the work keeps what is finished, else where the system has its temporary files. It has a name only until it is
//! opened (where a system allows that), so nothing is left of it however the work ends, and nobody else can change it. Reading goes through
//! buffers of whoever counts: what is resident does not grow with the rows.

use crate::data::{Beyond, Bounds, Coded, Coding, ColumnReport, Fingerprint, Lanes, Notice};
use crate::error::Error;
use crate::folder::{FolderError, Kept};
use crate::memory::product;
use crate::watch::{Stage, Underway, Watch};
use crate::words::{counted, grouped};
use clausality_bn::counts::Blocks;
use clausality_bn::{MISSING, Schema};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// What failed where the disk does not take codes, and what to do.
const NO_ROOM: &str = "cannot keep the codes of all rows here, a byte a cell (a run folder on another disk, or TMPDIR, is another place)";

/// All rows of a table, on disk.
#[derive(Debug)]
pub(crate) struct Shards {
    path: PathBuf,
    file: File,
    states: Vec<usize>,
    has_gaps: Vec<bool>,
    blocks: Vec<Block>,
    rows: usize,
    /// The rows of every state, by variable; those without a value come last.
    counts: Vec<[u64; 256]>,
    /// Cells that became unknown though they have a value, and numbers beyond all that were held, by variable.
    unknown: BTreeMap<String, usize>,
    beyond: BTreeMap<String, usize>,
    fingerprint: Fingerprint,
    /// Why codes could not be read.
    failed: Mutex<Option<io::Error>>,
}

/// Rows that lie together.
#[derive(Debug)]
struct Block {
    start: u64,
    rows: usize,
    /// Of each variable.
    digests: Vec<[u64; 2]>,
}

impl Shards {
    /// Codes all rows of a table.
    ///
    /// # Errors
    /// Whatever is wrong with the table, or that it changed; a disk that does not take the codes; [`Error::Cancelled`].
    pub(crate) fn code(
        beyond: &Beyond,
        coding: &Coding,
        bounds: &Bounds,
        kept: Kept<'_>,
        watch: &dyn Watch,
    ) -> Result<Self, Error> {
        let schema = coding.schema()?;
        let path = kept.beside().unwrap_or_else(temporary);
        let folder = path.parent().unwrap_or(&path);
        let failed = |error| Error::from(FolderError::cannot(folder, NO_ROOM, &error));
        let file = opened(&path).map_err(failed)?;
        let mut shards = Shards {
            states: (0..schema.len()).map(|v| schema.cardinality(v)).collect(),
            has_gaps: vec![false; schema.len()],
            blocks: Vec::new(),
            rows: 0,
            counts: vec![[0; 256]; schema.len()],
            unknown: BTreeMap::new(),
            beyond: BTreeMap::new(),
            fingerprint: Fingerprint::of_blocks(&schema, 0, &[]),
            failed: Mutex::new(None),
            file: file.try_clone().map_err(failed)?,
            path: path.clone(),
        };
        let mut out = BufWriter::with_capacity(1 << 20, file);
        let stage = Underway::begin(watch, Stage::Code, beyond.rows().div_ceil(1 << 16));
        beyond.coded(coding, bounds, &mut |coded| {
            if watch.cancelled() {
                return Err(Error::Cancelled);
            }
            shards.add(&coded, &mut out).map_err(failed)?;
            stage.step();
            Ok(())
        })?;
        out.flush().map_err(failed)?;
        let digests: Vec<&[[u64; 2]]> = shards.blocks.iter().map(|block| block.digests.as_slice()).collect();
        shards.fingerprint = Fingerprint::of_blocks(&schema, shards.rows, &digests);
        shards.has_gaps = shards.counts.iter().map(|counts| counts[usize::from(MISSING)] > 0).collect();
        Ok(shards)
    }

    fn add(&mut self, coded: &Coded, out: &mut impl Write) -> io::Result<()> {
        let table = &coded.table;
        let mut digests = Vec::with_capacity(self.states.len());
        for (v, counts) in self.counts.iter_mut().enumerate() {
            let codes = table.column(v);
            digests.push(digest(codes));
            codes.iter().for_each(|&code| counts[usize::from(code)] += 1);
            out.write_all(codes)?;
        }
        for (sums, found) in [(&mut self.unknown, &coded.unknown), (&mut self.beyond, &coded.beyond)] {
            found.iter().for_each(|(name, count)| *sums.entry(name.clone()).or_default() += count);
        }
        let start = (self.rows * self.states.len()) as u64;
        self.blocks.push(Block { start, rows: table.rows(), digests });
        self.rows += table.rows();
        Ok(())
    }

    /// What counting so many variables holds: a block of each for both cores under both scores, and cells.
    pub(crate) fn counting_bytes(variables: usize) -> u64 {
        product(&[variables, 4, 1 << 16]).saturating_add(16 << 20)
    }

    /// How many rows there are.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// The name of what all rows hold.
    pub(crate) fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    /// Whether any cell has no value.
    pub(crate) fn any_gaps(&self) -> bool {
        self.has_gaps.contains(&true)
    }

    /// Puts the figures of all rows in place of those of the rows that are held.
    pub(crate) fn account(&self, schema: &Schema, columns: &mut [ColumnReport]) {
        for column in columns {
            for variable in &mut column.variables {
                let Some(v) = schema.index(&variable.name) else { continue };
                let counts = &self.counts[v];
                let gaps = schema.variable(v).missing_state().unwrap_or(MISSING);
                column.missing = counts[usize::from(gaps)] as usize;
                for (state, rows) in variable.states.iter_mut().zip(counts) {
                    state.rows = *rows as usize;
                }
            }
        }
    }

    /// What became of cells that none of the rows held was like.
    pub(crate) fn notices(&self) -> Vec<Notice> {
        let unknown = self.unknown.iter().map(|(name, cells)| {
            format!("column '{name}': {} of no state, which are unknown", counted(*cells, "cell"))
        });
        let beyond = self.beyond.iter().map(|(name, cells)| {
            format!(
                "column '{name}': {} beyond those of the rows held, which fall into the outer states",
                counted(*cells, "number")
            )
        });
        unknown.chain(beyond).map(Notice::about_rows).collect()
    }

    /// In what was counted, if all could be read.
    ///
    /// # Errors
    /// Why codes could not be read; [`Error::Cancelled`].
    pub(crate) fn whole<T>(&self, counted: T, watch: &dyn Watch) -> Result<T, Error> {
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner).take();
        match failed {
            Some(source) => Err(Error::Io { file: self.path.display().to_string(), source }),
            None if watch.cancelled() => Err(Error::Cancelled),
            None => Ok(counted),
        }
    }

    fn read_block(&self, block: usize, variable: usize, codes: &mut Vec<u8>) -> io::Result<()> {
        let Block { start, rows, digests } = &self.blocks[block];
        codes.resize(*rows, 0);
        read_at(&self.file, start + (variable * rows) as u64, codes)?;
        if digest(codes) != digests[variable] {
            let what = format!(
                "the codes of rows {} to {} changed",
                grouped(block << 16),
                grouped((block << 16) + rows)
            );
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        Ok(())
    }

    fn has_failed(&self) -> bool {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }
}

/// The rows for a search that may be called off, and that ends where they cannot be read.
pub(crate) struct Watched<'s> {
    pub(crate) shards: &'s Shards,
    pub(crate) watch: &'s dyn Watch,
}

impl Blocks for Watched<'_> {
    fn states(&self) -> &[usize] {
        &self.shards.states
    }

    fn has_gaps(&self) -> &[bool] {
        &self.shards.has_gaps
    }

    fn rows(&self) -> usize {
        self.shards.rows
    }

    fn blocks(&self) -> usize {
        self.shards.blocks.len()
    }

    fn read(&self, block: usize, variable: usize, codes: &mut Vec<u8>) -> bool {
        if self.cancelled() {
            return false;
        }
        let read = self.shards.read_block(block, variable, codes);
        let failed = read.is_err();
        if let Err(error) = read {
            self.shards.failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
        !failed
    }
}

impl Watch for Watched<'_> {
    fn event(&self, event: crate::watch::Event) {
        self.watch.event(event);
    }

    fn cancelled(&self) -> bool {
        self.shards.has_failed() || self.watch.cancelled()
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

/// A name among the temporary files of the system.
fn temporary() -> PathBuf {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    std::env::temp_dir().join(format!(".clausality-{}-{number}.shards", std::process::id()))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{self, Absent, DataSettings, Dataset};
    use crate::watch::Unwatched;
    use crate::{Learned, Settings, bn, embedded, learn_from};
    use clausality_bn::counts::{BlockCounter, Count, Counter};
    use std::fs;

    const ROWS: usize = 150_000;

    fn settings() -> Settings {
        let mut settings = Settings::default();
        settings.data.rows_held = 3000;
        settings
    }

    /// Rows of asia as CSV, in files that end before these rows; the last row alone has a state of its own.
    fn folder(ends: &[usize]) -> tempfile::TempDir {
        folder_with(ends, usize::MAX)
    }

    /// The same with a gap in every so many rows.
    fn folder_with(ends: &[usize], gaps: usize) -> tempfile::TempDir {
        let table = bn::sample(&embedded::network("asia").unwrap(), ROWS, 5);
        let schema = table.schema();
        let names: Vec<&str> = schema.variables().iter().map(|v| v.name.as_str()).collect();
        let label = |v: usize, row: usize| match (v, row + 1) {
            (2, ROWS) => "hardly ever",
            (6, number) if number % gaps == 0 => "",
            _ => schema.variable(v).states[usize::from(table.column(v)[row])].as_str(),
        };
        let line = |row: usize| (0..schema.len()).map(|v| label(v, row)).collect::<Vec<_>>().join(",") + "\n";
        let folder = tempfile::tempdir().unwrap();
        let mut start = 0;
        for (k, &end) in ends.iter().enumerate() {
            let text = names.join(",") + "\n" + &(start..end).map(line).collect::<String>();
            fs::write(folder.path().join(format!("part-{k}.csv")), text).unwrap();
            start = end;
        }
        folder
    }

    fn read(folder: &Path, settings: &DataSettings) -> Dataset {
        data::read(folder, settings, &Bounds::default()).unwrap()
    }

    fn learned(ends: &[usize]) -> Learned {
        let (folder, settings) = (folder(ends), settings());
        let dataset = read(folder.path(), &settings.data);
        learn_from(&dataset, &settings, &Bounds::default(), &Unwatched).unwrap()
    }

    #[test]
    fn one_file_or_many_all_rows_are_counted_and_nothing_tells_them_apart() {
        let one = learned(&[ROWS]);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let many = pool.install(|| learned(&[1, 1, 65_536, 65_537, 70_000, 131_072, ROWS]));
        assert_eq!((&one.network, &one.columns, &one.trace), (&many.network, &many.columns, &many.trace));
        assert_eq!(one.strengths.fingerprint, many.strengths.fingerprint);
        assert_eq!((one.score.to_bits(), one.strengths.rows), (many.score.to_bits(), ROWS));
        // The same from all rows in memory.
        let folder = folder(&[ROWS]);
        let whole = one.coding.apply(folder.path(), &Bounds::default(), Absent::Refuse).unwrap().table;
        let prior = one.chosen.settings.network.believed();
        let twin = bn::Network::estimate(one.network.dag(), &whole, prior, u64::MAX).unwrap();
        assert_eq!(one.network, twin);
        let told: Vec<String> = one.notices.iter().map(ToString::to_string).collect();
        assert!(told[0].starts_with("150,000 rows are more than are held: columns are decided"), "{told:?}");
        assert!(told.contains(&"arcs are settled and probabilities counted on all 150,000 rows".into()));
        let rare = &one.columns[2].variables[0].states;
        assert_eq!(rare.iter().find(|state| state.label == "hardly ever").map(|state| state.rows), Some(1));
        let found = bn::compare::Comparison::of(&embedded::network("asia").unwrap(), &one.network);
        assert!(found.skeleton.f1 > 0.9, "{found:?}");
    }

    #[test]
    fn gaps_that_are_unknown_leave_arcs_and_probabilities_to_the_rows_held() {
        let (folder, mut settings) = (folder_with(&[ROWS], 50), settings());
        let mut told = |rule| {
            settings.data.missing = data::ByColumn::all(rule);
            let dataset = read(folder.path(), &settings.data);
            let found = learn_from(&dataset, &settings, &Bounds::default(), &Unwatched).unwrap();
            assert_eq!(found.columns[6].missing, ROWS / 50);
            let told = found.notices.iter().map(|notice| notice.message.clone());
            (told.collect::<Vec<_>>().join("\n"), found.probabilities.em_rounds.is_some())
        };
        let (unknown, em) = told(data::MissingRule::Em);
        assert!(unknown.contains("arcs and probabilities come from the rows held") && em, "{unknown}");
        let (stated, em) = told(data::MissingRule::State);
        assert!(stated.contains("arcs are settled and probabilities counted on all") && !em, "{stated}");
    }

    #[test]
    fn codes_that_change_are_an_error_and_so_is_a_table_that_does() {
        let folder = folder(&[80_000, ROWS]);
        let dataset = read(folder.path(), &settings().data);
        let (beyond, kept) = (dataset.beyond.as_ref().unwrap(), Kept::default());
        let shards = Shards::code(beyond, &dataset.coding, &Bounds::default(), kept, &Unwatched).unwrap();
        let whole = dataset.coding.apply(folder.path(), &Bounds::default(), Absent::Refuse).unwrap().table;
        let rows = Watched { shards: &shards, watch: &Unwatched };
        let families: [&[usize]; 3] = [&[0, 1], &[7], &[2, 5, 6]];
        let count = || BlockCounter::new(&rows).count(&families);
        assert_eq!(count(), Counter::new(&whole).unwrap().count(&families));
        assert!(shards.whole((), &Unwatched).is_ok());
        write_at(&shards.file, (shards.blocks[1].start as usize + 3) as u64, b"\x01\x00\x01");
        count();
        let error = shards.whole((), &Unwatched).unwrap_err().to_string();
        assert!(error.contains("the codes of rows 65,536 to 131,072 changed"), "{error}");

        let file = folder.path().join("part-0.csv");
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, text.trim_end().rsplit_once('\n').unwrap().0).unwrap();
        let again = Shards::code(beyond, &dataset.coding, &Bounds::default(), kept, &Unwatched);
        let error = again.unwrap_err().to_string();
        assert!(error.contains("changed"), "{error}");
        let none = opened(Path::new("/no/such/folder/at/all")).unwrap_err();
        let error =
            Error::from(FolderError::cannot(Path::new("/no/such/folder"), NO_ROOM, &none)).to_string();
        assert!(error.starts_with("/no/such/folder: cannot keep the codes of all rows here"), "{error}");
        fs::remove_file(&file).unwrap();
        assert!(Shards::code(beyond, &dataset.coding, &Bounds::default(), kept, &Unwatched).is_err());
    }

    fn write_at(mut file: &File, start: u64, bytes: &[u8]) {
        use std::io::{Seek, SeekFrom};
        file.seek(SeekFrom::Start(start)).unwrap();
        file.write_all(bytes).unwrap();
    }

    #[test]
    fn tables_whose_rows_are_needed_at_once_are_held_whole() {
        let folder = folder(&[ROWS]);
        let mut settings = settings().data;
        assert!(read(folder.path(), &settings).beyond.is_some());
        settings.discretize = Some(data::Discretize::Mdl);
        let whole = read(folder.path(), &settings);
        assert!(whole.beyond.is_none() && whole.table.rows() == ROWS);
        settings = DataSettings { rows_held: ROWS, ..DataSettings::default() };
        assert!(read(folder.path(), &settings).beyond.is_none());
    }
}
